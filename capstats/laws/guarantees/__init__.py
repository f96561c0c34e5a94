"""What is sure of one release: tests by permutation, bounds by differential privacy, audits of its claims, noise."""
