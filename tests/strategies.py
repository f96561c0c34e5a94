"""What hypothesis draws for the tests of several rooms: tables of counts, pairs of them, records.

The environment variable ``HYPOTHESIS_PROFILE`` names a profile of ``conftest.py``. ``quick``, the default, takes at most 25 examples of a
property, ``thorough`` as many as its test says, both the same in every run; ``fresh`` takes as many new ones, ``random`` thirty times as
many. Of `seeds`, all but ``thorough`` take a quarter.
"""

from __future__ import annotations

import os
from typing import Any

import hypothesis.extra.numpy as numpy_strategies
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "quick")


def examples(number: int, **options: Any) -> settings:
    """This number of examples of a property, as the profile takes it; the decorator is above ``@given``."""
    return settings(max_examples=30 * number if PROFILE == "random" else min(number, 25 if PROFILE == "quick" else number), **options)


def seeds(number: int) -> range:
    """This number of seeds of a test that draws its own cases, or a quarter of them."""
    return range(number if PROFILE == "thorough" else number // 4)


theorem = examples(100)


def count_tables(targets: int = 4, keys: int = 5, *, most: int = 6) -> st.SearchStrategy[Any]:
    """Tables with at most so many targets and keys, at least one record, and counts of at most ``most``."""
    return st.tuples(st.integers(1, targets), st.integers(1, keys)).flatmap(lambda shape: counts(shape, most=most))


def counts(shape: tuple[int, ...], *, most: int = 6, empty: bool = False) -> st.SearchStrategy[Any]:
    """An array of counts of this shape; with at least one record unless ``empty``."""
    found = numpy_strategies.arrays(np.int64, shape, elements=st.integers(0, most))
    return found if empty else found.filter(np.any)


def table_pairs(targets: int = 4, keys: int = 5, *, most: int = 6, empty: bool = False) -> st.SearchStrategy[Any]:
    """Two tables of one shape, `o` and `s`; each with at least one record unless ``empty``."""
    return st.tuples(st.integers(1, targets), st.integers(1, keys)).flatmap(
        lambda shape: st.tuples(*[counts(shape, most=most, empty=empty) for _ in "os"])
    )


def keys_that_merge(keys: int) -> st.SearchStrategy[list[int]]:
    """For each key the one that it becomes."""
    return st.lists(st.integers(0, keys - 1), min_size=keys, max_size=keys)


def frame(rows: Any) -> dict[str, list[Any]]:
    """Records that were drawn as rows, by columns c0, c1 and so on."""
    return {f"c{i}": list(column) for i, column in enumerate(zip(*rows, strict=True))}
