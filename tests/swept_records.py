"""Records with categories, numbers, texts, missing values and weights; their keys and targets; and a guess from the nearest keys."""

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


def nearest_share(record, released, keys, target, weight=lambda _: 1):
    """The share of the record's target among the released records that differ from it in the fewest columns, by weight."""
    apart = [sum(record[k] != other[k] for k in keys) for other in released]
    near = [other for other, d in zip(released, apart, strict=True) if d == min(apart)]
    return sum(weight(other) for other in near if other[target] == record[target]) / sum(map(weight, near))
