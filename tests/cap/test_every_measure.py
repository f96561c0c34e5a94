"""What holds of every measure of CAP alike: a share has no unit, and what is no table or no convention is refused.

tests/tables has more of this kind: test_aligned.py labels and what is no table, test_labels_decide.py any order of the cells, and
test_backings.py sparse tables and batches.
"""

import re
from functools import partial
from typing import get_args

import numpy as np
import pytest
import xarray as xr
from measures_of_counts import ALONE, BOTH

from capstats import (
    average_cap,
    average_cap_interval,
    cap,
    cap_boxplot,
    cap_ecdf,
    cap_quantiles,
    correct_predictions,
    from_counts,
    individual_cap,
    individual_share,
)
from capstats.cap import normalized_cap, protected_records
from capstats.cap.baselines import Kind

FUNCTIONS = (average_cap, average_cap_interval, cap_boxplot, cap_ecdf, cap_quantiles, correct_predictions, individual_cap, individual_share)
WITH_UNMATCHED = {measure.__name__: measure for measure in (*FUNCTIONS, normalized_cap, protected_records)}
OF_THE_ORIGINAL = {name: lambda o, _, of=of: of(o) for name, of in ALONE.items() if name.split()[0] in cap.__all__}
MEASURES = {  # without labels of keys and targets
    **{
        name: of
        for name, of in BOTH.items()
        if name.partition(" ")[0] in cap.__all__ and not re.search("nearest|within|radius|share", name)
    },
    **{f"individual_cap {how}": partial(individual_cap, unmatched=how) for how in ("zero", "drop")},
    **OF_THE_ORIGINAL,
}
OF_INTEGERS = ("cap_quantiles", "cap_boxplot", "average_cap_interval")
NUMBERS_OF_RECORDS = ("matched_records", "correct_predictions", "protected_records")


def variables(found):
    return found.data_vars if isinstance(found, xr.Dataset) else {found.name: found}


def test_every_kind_of_baseline_is_here():
    assert {f"baseline_cap {kind}" for kind in get_args(Kind)} <= set(MEASURES)


@pytest.mark.parametrize("name", [name for name in MEASURES if not name.startswith(OF_INTEGERS)])
def test_a_share_has_no_unit_and_numbers_of_records_are_scaled_along(name):
    """With fractional weights, and with counts whose products are beyond 2**63."""
    rng = np.random.default_rng(3)
    for scale in (0.37, 1e-9, 1e12, 2**45):
        for _ in range(3):
            o, s = (rng.integers(0, 6, (3, 4)) * rng.integers(0, 2, (3, 4)) for _ in "os")
            o[0, 0], s[-1, -1] = 1, 1
            expected = MEASURES[name](o, s) * (scale if name.startswith(NUMBERS_OF_RECORDS) else 1)
            np.testing.assert_allclose(MEASURES[name](scale * o, s / 3), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", MEASURES)
def test_what_is_no_table_of_counts_is_refused_with_its_cell(name):
    measure, good, bad = MEASURES[name], [[1, 1], [1, 2]], [[1, -1], [1, 2]]
    for place, given in ("o", (bad, good)), *([("s", (good, bad))] if name not in OF_THE_ORIGINAL else []):
        with pytest.raises(ValueError, match=f"`{place}` must be non-negative; got -1 at key=1, target=0"):
            measure(*given)
    if name not in OF_THE_ORIGINAL:
        with pytest.raises(ValueError, match="they must agree"):
            measure(good, [[1, 1, 1], [1, 1, 1]])
    assert next(iter(variables(measure(good, good)))) in (name.partition(" ")[0], "estimate", "lower_whisker")


@pytest.mark.parametrize("name", WITH_UNMATCHED)
def test_an_unknown_convention_is_refused_and_nearest_keys_need_labels(name):
    measure = partial(WITH_UNMATCHED[name], **({"h": [[1, 2]]} if name == "individual_share" else {}))
    for unmatched in ("closest", "Zero", None, 0):
        with pytest.raises(ValueError, match=r'`unmatched` must be "zero".* "drop".* or "nearest"'):
            measure([[1, 2]], [[1, 2]], unmatched=unmatched)
    for tables in (([[1, 2]], [[2, 1]]), from_counts([[1, 2]], [[2, 1]]).data_vars.values()):  # those of from_counts are numbered
        with pytest.raises(ValueError, match=r'`unmatched` "nearest" compares keys column by column.*have no labels.*key_labels'):
            measure(*tables, unmatched="nearest")
