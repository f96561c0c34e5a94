"""Records with numbers, an ordered category, missing values and texts; many keys are in one table only."""

import numpy as np
import pandas as pd

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
