"""What any release can have: least and greatest average CAP of all synthetic tables, or of those with given margins or distance."""
