"""Records with numbers, an ordered category, missing values and texts; many keys are in one table only."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

KEYS = ["age", "sex", "town"]


def people(seed, n=60):
    """Records with numbers, an ordered category with missing values, and texts; many keys are in one table only."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 26, n),
            "sex": pd.Categorical.from_codes(rng.integers(-1, 2, n), ["m", "f"]),
            "town": rng.choice([f"t{i}" for i in range(4 + seed % 3)], n),
            "ill": rng.choice(["no", "yes", "unknown"], n, p=[0.6, 0.3, 0.1]),
        }
    )


class Lookup(ClassifierMixin, BaseEstimator):
    """The shares of the targets among the fitted rows that are equal to a row; `unmatched` where there is none."""

    def __init__(self, unmatched=0.0):
        self.unmatched = unmatched

    def fit(self, X, y, sample_weight):
        self.classes_, target = np.unique(y, return_inverse=True)
        self.counts_ = {}
        for row, t, weight in zip(map(tuple, X.to_numpy()), target, sample_weight, strict=True):
            self.counts_.setdefault(row, np.zeros(len(self.classes_)))[t] += weight
        return self

    def predict_proba(self, X):
        found = [self.counts_.get(row) for row in map(tuple, X.to_numpy())]
        return np.array([np.full(len(self.classes_), self.unmatched) if x is None else x / x.sum() for x in found])
