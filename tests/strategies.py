"""What hypothesis draws for the tests of several rooms: tables of counts, pairs of them, records.

The profile, in ``conftest.py``, says whether examples are the same in every run or new ones; of new ones a test takes thirty times as many.
"""

from __future__ import annotations

import os
from typing import Any

import hypothesis.extra.numpy as numpy_strategies
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

TIMES = 30 if os.environ.get("HYPOTHESIS_PROFILE") == "random" else 1


def examples(number: int, **options: Any) -> settings:
    """So many examples of a property; it stands above ``@given``."""
    return settings(max_examples=TIMES * number, **options)


theorem = examples(30)


def count_tables(targets: int = 4, keys: int = 5, *, least: int = 0, most: int = 6, empty: bool = False) -> st.SearchStrategy[Any]:
    """Tables with at most so many targets and keys, and counts from ``least`` to ``most``; with at least one record unless ``empty``."""
    return st.tuples(st.integers(1, targets), st.integers(1, keys)).flatmap(
        lambda shape: counts(shape, least=least, most=most, empty=empty)
    )


def counts(shape: tuple[int, ...], *, least: int = 0, most: int = 6, empty: bool = False) -> st.SearchStrategy[Any]:
    """An array of counts of this shape; with at least one record unless ``empty``."""
    found = numpy_strategies.arrays(np.int64, shape, elements=st.integers(least, most))
    return found if empty else found.filter(np.any)


def table_pairs(targets: int = 4, keys: int = 5, *, most: int = 6, empty: bool = False) -> st.SearchStrategy[Any]:
    """Two tables of one shape, `o` and `s`; each with at least one record unless ``empty``."""
    return st.tuples(st.integers(1, targets), st.integers(1, keys)).flatmap(
        lambda shape: st.tuples(*[counts(shape, most=most, empty=empty) for _ in "os"])
    )


def keys_that_merge(keys: int) -> st.SearchStrategy[list[int]]:
    """For each key the one that it becomes."""
    return st.lists(st.integers(0, keys - 1), min_size=keys, max_size=keys)
