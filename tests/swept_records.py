"""Records with categories, numbers, texts, missing values and weights; their keys and targets."""

import numpy as np
import pandas as pd

KEYS, TARGETS = ["sex", "age", "job", "town"], ["income", "health"]


def people(n, seed):
    """Records with categories, numbers, texts, missing values and weights."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": pd.Categorical.from_codes(rng.integers(-1, 3, n), ["x", "m", "f"]),
            "age": rng.integers(0, 12, n),
            "job": rng.choice(["clerk", "smith", "10", "9", None], n),
            "town": rng.integers(0, 2, n).astype(bool),
            "income": rng.choice(["low", "mid", "high"], n, p=[0.5, 0.3, 0.2]),
            "health": rng.choice([1.0, 2.0, 5.0, np.nan], n),
            "w": rng.integers(0, 4, n),
            "v": rng.random(n),
        }
    )
