"""Calls of SDMetrics' metrics, as its own tests make them and as its recorded results have them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from capstats.sdmetrics import CategoricalCAP, CategoricalGeneralizedCAP, CategoricalZeroCAP

REFERENCE = json.loads((Path(__file__).parent / "reference" / "sdmetrics_disclosure.json").read_text(encoding="utf-8"))
METHODS = ("cap", "zero_cap", "generalized_cap")
DIRECT = {"cap": CategoricalCAP, "zero_cap": CategoricalZeroCAP, "generalized_cap": CategoricalGeneralizedCAP}
MISSING = {"nan": np.nan, "None": None}

direct = pytest.mark.filterwarnings("ignore:Computing CAP metrics directly:DeprecationWarning")


def column(description: dict[str, Any]) -> pd.Series:
    values = [MISSING[x["na"]] if isinstance(x, dict) else x for x in description["values"]]
    if description["dtype"] == "object" or not values:
        return pd.Series(values, dtype=description["dtype"])
    return pd.Series(values).astype(description["dtype"])


def frames(case: dict[str, Any]) -> list[pd.DataFrame]:
    return [pd.DataFrame({c["name"]: column(c) for c in case[side]}) for side in ("real", "synthetic")]


def close(found: float, expected: float | None) -> bool:
    return math.isnan(found) if expected is None else abs(found - expected) <= 1e-12


NAMES = {
    "known_column_names": ["key1", "key2"],
    "sensitive_column_names": ["sensitive1", "sensitive2"],
    "continuous_column_names": ["key2", "sensitive2"],
    "num_discrete_bins": 10,
}


def people(kind: str) -> pd.DataFrame:
    """The original, and synthetic tables whose targets are never, sometimes, and in three of five classes those of the original."""
    five = list("abcde")
    if kind == "original":
        return pd.DataFrame({"key1": five * 20, "key2": range(100), "sensitive1": five * 20, "sensitive2": range(100)})
    if kind == "bad":
        return people("original").assign(sensitive1=list("abced") * 20)
    rng = np.random.RandomState(42)
    key1 = rng.choice(five, 20)
    key2 = range(20) if kind == "perfect" else rng.randint(0, 5, size=20)
    sensitive1 = rng.choice(list("fghij") if kind == "perfect" else five, 20)
    sensitive2 = rng.randint(*((100, 200) if kind == "perfect" else (0, 5)), size=20)
    return pd.DataFrame({"key1": key1, "key2": key2, "sensitive1": sensitive1, "sensitive2": sensitive2})


REAL = pd.DataFrame({"col1": range(5), "col2": range(5), "time": pd.date_range("2020", periods=5)})
