"""Records of two key columns and a target, with missing values in each."""

import numpy as np


def people(seed, n=80):
    rng = np.random.default_rng(seed)
    pick = lambda values: [values[k] for k in rng.integers(0, len(values), n)]  # noqa: E731
    return {"a": pick(["p", "q", None]), "b": pick([1, 2, None]), "t": pick(["x", "y", "z", None])}
