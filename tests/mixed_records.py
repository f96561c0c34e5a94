"""Records with a number that has ties, an ordered category, text, and missing values."""

import numpy as np
import pandas as pd

LEVELS = ["low", "mid", "high", "top"]


def mixed(seed, n):
    """Records with a number that has ties, an ordered category, text, and missing values; their levels differ between tables."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 26, n) + rng.choice([0, 0.5], n),
            "income": pd.Categorical.from_codes(rng.integers(seed % 2, 4, n), LEVELS),
            "town": rng.choice(["a", "b", "c10", "c9"][: 3 + seed % 2], n),
            "job": pd.Series(rng.choice(["x", "y", None], n), dtype=object),
        }
    )
