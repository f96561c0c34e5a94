"""Mean and variance of average CAP over random releases, expected disclosure, and the parameter for a wanted mean."""
