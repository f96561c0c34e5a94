"""Several releases compared: the paired difference to one of them, the caller's own numbers, and the order in which they are told."""

import json

import numpy as np
import pytest

from capstats import audit, average_cap_interval
from capstats.datasets import titanic

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

ORIGINAL = {"k": [*"aaabbc"], "t": [*"xxyxyx"]}
RELEASES = {"half": {"k": [*"aabb"], "t": [*"xyxy"]}, "copy": ORIGINAL, "few": {"k": [*"ab"], "t": [*"xx"]}}


def audited(**asked):
    return audit(ORIGINAL, RELEASES, keys="k", target="t", allow_same=True, **asked)


# --- against one of them


def test_the_difference_is_the_mean_of_the_differences_of_each_record():
    """CAP of the six people, of whom the last has no key in half and few, and is guessed from all of their records."""
    each = {"half": [1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2], "copy": [2 / 3, 2 / 3, 1 / 3, 1 / 2, 1 / 2, 1], "few": [1, 1, 0, 1, 0, 1]}
    found = audited(against="half").measures
    for label, caps in each.items():
        apart = np.subtract(caps, each["half"])
        of_label = found.sel(synthetic=label)
        assert of_label.difference.item() == pytest.approx(apart.mean(), abs=1e-15)
        assert of_label.difference_error.item() == pytest.approx(apart.std(ddof=1) / 6**0.5, abs=1e-15)
        assert of_label.average_cap_nearest_error.item() == pytest.approx(np.std(caps, ddof=1) / 6**0.5, rel=1e-12, abs=1e-15)


def test_differences_of_weighted_records_use_the_squares_of_the_weights():
    weighted = {**ORIGINAL, "w": [3.0, 1.0, 2.0, 4.0, 1.0, 5.0]}
    found = audit(weighted, RELEASES, keys="k", target="t", weights=("w", None), against="few", allow_same=True)
    tables = found.tables
    expected = average_cap_interval(tables, against=tables.s.sel(synthetic="few"), unmatched="nearest")
    np.testing.assert_allclose(found.measures.difference, expected.estimate, atol=1e-15)
    np.testing.assert_array_equal(found.measures.difference_error, expected.standard_error)
    assert found.measures.difference_error.sel(synthetic="half") > 0
    assert not {"share_unique", "share_replicated"} & set(found.measures.data_vars)


def test_fractional_counts_have_differences_without_errors_and_say_so():
    frame = titanic()
    frame["weight"] = frame["count"] * 0.3
    found = audit(frame, [frame, frame.iloc[::2]], keys=["Class", "Sex"], target="Survived", counts="weight", against=0, allow_same=True)
    assert "difference" in found.measures
    assert not {"difference_error", "average_cap_nearest_error", "share_unique", "share_replicated"} & set(found.measures.data_vars)
    assert found.provenance["average_cap_nearest_error"] == "not defined: the original's counts are fractional"
    whole = audit(frame, [frame, frame.iloc[::2]], keys=["Class", "Sex"], target="Survived", counts="count", against=0, allow_same=True)
    np.testing.assert_allclose(found.measures.difference, whole.measures.difference, rtol=1e-12)
    assert {"difference_error", "average_cap_nearest_error", "share_unique"} <= set(whole.measures.data_vars)
    of_first, of_whole = (x.measures.isel(synthetic=0) for x in (found, whole))
    for name in ("average_cap_zero", "original_cap", "baseline", "average_cap_zero_least", "matched_share", "predictive_success_nearest"):
        assert of_first[name].item() == pytest.approx(of_whole[name].item(), rel=1e-12), name


def test_one_record_has_no_error():
    found = audit({"k": ["a"], "t": ["x"]}, RELEASES, keys="k", target="t", against="half").measures
    assert np.isnan(found.difference_error.sel(synthetic="few"))
    assert np.isnan(found.average_cap_nearest_error).all()


def test_releases_in_a_list_are_compared_by_their_place():
    found = audit(ORIGINAL, list(RELEASES.values()), keys="k", target="t", against=1, allow_same=True).measures
    assert found.difference.values[1] == 0


# --- the caller's own numbers


def test_the_callers_numbers_stand_among_the_measures_under_their_names():
    found = audited(utility={"pMSE": {"few": 0.3, "half": 0.1, "copy": 0}, "year": 2026})
    assert found.measures.pMSE.to_series().to_dict() == {"half": 0.1, "copy": 0, "few": 0.3}
    assert found.measures.year.values.tolist() == [2026] * 3
    assert found.provenance["utility"] == ["pMSE", "year"]
    assert audit(ORIGINAL, ORIGINAL, allow_same=True, keys="k", target="t", utility={"pMSE": 0.2}).measures.pMSE.item() == 0.2
    back = json.loads(found.to_json())
    assert back["measures"]["pMSE"] == {"half": 0.1, "copy": 0, "few": 0.3}


# --- the order


def test_releases_are_told_in_the_order_that_is_asked_for():
    caps = audited().measures.average_cap_zero  # 5/12, 11/18 and 1/2
    np.testing.assert_allclose(caps, [5 / 12, 11 / 18, 1 / 2], rtol=1e-12)
    assert audited().ranked == [2, 1, 0]  # the worst first: where unmatched people use the nearest keys, 1/2, 11/18 and 2/3
    assert audited(rank_by="average_cap_zero").ranked == [1, 2, 0]
    assert audited(rank_by="-average_cap_zero").ranked == [0, 2, 1]
    assert audited(rank_by="difference", against="few").ranked == [2, 1, 0]
    assert audited(rank_by="-u", utility={"u": {"half": 3, "copy": 1, "few": 2}}).ranked == [1, 2, 0]
    assert audited(rank_by="-u", utility={"-u": {"half": 3, "copy": 1, "few": 2}}).ranked == [0, 2, 1]  # the name has the minus


def test_releases_that_tie_stay_as_given_and_undefined_ones_are_last():
    """0.1 + 0.2 and 0.3 differ in the last bit."""
    ties = {"half": 0.3, "copy": 0.1 + 0.2, "few": float("nan")}
    assert audited(rank_by="u", utility={"u": ties}).ranked == [0, 1, 2]
    assert audited(rank_by="-u", utility={"u": {**ties, "half": float("nan"), "few": 0}}).ranked == [2, 1, 0]
    assert audited(rank_by="baseline").ranked == [0, 1, 2]
    assert audit(ORIGINAL, ORIGINAL, allow_same=True, keys="k", target="t", rank_by="average_cap_nearest").ranked == [0]


def test_a_frame_has_a_row_for_each_release_in_that_order():
    found = audited(rank_by="average_cap_zero", against="half", utility={"u": 1})
    frame = found.to_frame()
    assert frame.index.tolist() == ["copy", "few", "half"]
    assert frame.index.name == "synthetic"
    assert frame.columns.tolist() == [*found.measures.data_vars]
    for name, array in found.measures.items():
        np.testing.assert_array_equal(frame[name], array.broadcast_like(found.measures.average_cap_zero).values[[1, 2, 0]])
    assert frame.average_cap_zero.is_monotonic_decreasing
    alone = audit(ORIGINAL, ORIGINAL, allow_same=True, keys="k", target="t").to_frame()
    assert alone.shape == (1, len(audited().measures))
    assert alone.original_records.tolist() == [6]


def test_json_tells_the_order_the_columns_and_what_was_asked():
    found = audited(rank_by="-average_cap_nearest", against="half")
    back = json.loads(found.to_json())
    assert back["ranked"] == ["half", "copy", "few"]
    assert (back["provenance"]["rank_by"], back["provenance"]["against"]) == ("-average_cap_nearest", "half")
    assert back["measures"]["difference_error"]["half"] == 0
    assert back["by_column"] == [
        {
            "column": "k",
            **{name: dict(zip(found.labels, array.values[0].tolist(), strict=True)) for name, array in found.by_column.items()},
        }
    ]
    assert "ranked" not in audit(ORIGINAL, ORIGINAL, allow_same=True, keys="k", target="t").to_dict()


# --- what cannot be compared


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"against": "haf"}, ValueError, "must be the label of one of several synthetic tables; got 'haf'. Did you mean 'half'?"),
        ({"rank_by": "averag_cap_zero"}, ValueError, "; a minus in front .*'averag_cap_zero'. Did you mean 'average_cap_zero'?"),
        ({"rank_by": "-nothing at all"}, ValueError, "`rank_by` must be the name of a measure"),
        ({"rank_by": 3}, ValueError, "`rank_by` must be the name of a measure"),
        ({"rank_by": "difference"}, ValueError, "`rank_by` must be the name of a measure"),
        ({"rank_by": "holdout_cap"}, ValueError, "`rank_by` names 'holdout_cap', which these counts do not give"),
        ({"utility": {"baseline": 1}}, ValueError, "that are no measure of an audit; got 'baseline'. Choose another name"),
        ({"utility": {1: 1}}, ValueError, "must name numbers by texts"),
        ({"utility": [1, 2, 3]}, TypeError, "`utility` must be a mapping of names to numbers; got list"),
        ({"utility": {"u": {"half": 1}}}, ValueError, r"`utility\['u'\]` has the labels \['half'\], and `synthetic` has the labels"),
        ({"utility": {"u": "good"}}, TypeError, r"`utility\['u'\]` must hold a number for each synthetic table; got 'good'"),
        ({"utility": {"u": True}}, TypeError, "must hold a number"),
    ],
)
def test_a_comparison_that_cannot_be_made_is_refused(asked, error, message):
    with pytest.raises(error, match=message):
        audited(**asked)


def test_one_release_has_nothing_to_be_compared_with():
    with pytest.raises(ValueError, match=r"got 'a', and `synthetic` is one table. Give {label: table}, or leave `against` out"):
        audit(ORIGINAL, ORIGINAL, allow_same=True, keys="k", target="t", against="a")
    with pytest.raises(ValueError, match=r"`utility\['u'\]` has the labels \['a'\], and `synthetic` is one table: give a number"):
        audit(ORIGINAL, ORIGINAL, allow_same=True, keys="k", target="t", utility={"u": {"a": 1}})


def test_it_is_refused_before_any_record_is_read():
    with pytest.raises(ValueError, match="`rank_by`"):
        audit("/no/such/file.csv", RELEASES, keys="k", target="t", rank_by="nothing at all")
