"""The models by which a random release may come from an original: a class each, beside its formulas."""
