"""Where the numbers of an audit come from, as its provenance tells it."""

import pytest
from read_reports import one_line

from capstats import audit
from capstats.auditing.record import conventions

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

PEOPLE = {"k": [*"aabb"], "t": [*"xyxx"], "w": [0.5, 1.5, 1.0, 1.0]}


def audited(**asked):
    return audit(PEOPLE, {"one": PEOPLE, "two": PEOPLE}, keys="k", target="t", allow_same=True, **asked)


def test_conventions_are_told_of_measures_that_are_there():
    found = audited(holdout=PEOPLE, against="one")
    assert {"average_cap_nearest_error", "individual_disclosure", "difference"} <= set(found.provenance["conventions"])
    assert set(conventions(found.measures)["conventions"]) - set(found.measures.data_vars) == {"individual_cap", "predictive_success"}
    assert not {"individual_disclosure", "difference"} & set(audited().provenance["conventions"])
    fractional = audited(counts="w")
    assert "average_cap_nearest_error" not in fractional.provenance["conventions"]
    assert {name for name in fractional.provenance if str(fractional.provenance[name]).startswith("not defined")} == {
        "quantiles",
        "average_cap_nearest_error",
        "expected_certain",
    }
    assert fractional.provenance["quantiles"] == "not defined: the original's counts are fractional"
    assert "quantiles of the CAP of one person: not defined: the original's counts are fractional" in one_line(fractional)


def test_the_columns_are_told_with_their_kinds_and_levels_in_the_original():
    other = {"k": [*"aac"], "t": ["x", "y", None], "w": [1, 1, 1]}
    found = audit(PEOPLE, other, keys="k", target="t").provenance
    assert found["columns"]["keys"] == {"k": {"kind": "text", "levels": 2, "missing": False}}
    assert found["domain"] == {"kind": "original and synthetic", "targets": 3, "keys": 3}
    assert found["levels"]["k"]["synthetic"]["foreign"] == 1
