"""The numbers of an audit for each target level, their bounds, and copies."""

import numpy as np
import pytest
from read_reports import one_line
from swept_records import nearest_share

from capstats import audit, from_counts, tabulate
from capstats.cap import neighbours

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_bounds_are_on_the_cells_that_the_original_or_the_release_has():
    """A key and a target that only one release has make its least average CAP 0, and leave that of the other as it is."""
    original = {"k": ["a", "a", "a", "b", "b", "b"], "t": ["x", "x", "y", "x", "y", "y"]}
    foreign = {"k": ["a", "b", "c"], "t": ["x", "z", "x"]}
    result = audit(original, {"foreign": foreign, "own": {"k": ["a", "b"], "t": ["y", "x"]}}, keys="k", target="t")
    assert result.tables.sizes == {"target": 3, "key": 3, "synthetic": 2}
    assert result.measures.average_cap_zero_least.values.tolist() == [0, 1 / 6]
    assert result.measures.average_cap_matched_least.values.tolist() == [0, 1 / 3]
    assert result.measures["keys"].item() == 2
    assert result.provenance["domain"] == {"kind": "original and synthetic", "targets": [3, 2], "keys": [3, 2]}
    alone = audit(original, foreign, keys="k", target="t")
    assert alone.provenance["domain"] == {"kind": "original and synthetic", "targets": 3, "keys": 3}
    assert "with the targets and keys that it or the original has (3 x 3)" in one_line(alone)


def test_the_people_with_each_level_are_those_worked_out_by_hand():
    """Key a: 3 x and 1 y, released 2 x; key b: 2 y, released 1 x and 1 y; key c: 4 z, released 19 z and 1 x."""
    original = {"k": [*"aaaabbcccc"], "t": [*"xxxyyyzzzz"]}
    synthetic = {"k": [*"aabb", *"c" * 20], "t": [*"xxxy", *"z" * 19, "x"]}
    found = audit(original, synthetic, keys="k", target="t").by_target
    assert found.indexes["target"].tolist() == ["x", "y", "z"]
    assert found.records.values.tolist() == [3, 3, 4]
    np.testing.assert_allclose(found.average_cap_nearest, [1, (0 + 2 * 0.5) / 3, 0.95], rtol=1e-15)
    np.testing.assert_allclose(found.baseline, [0.3, 0.3, 0.4], rtol=1e-15)
    assert found.records_above_half.values.tolist() == [3, 0, 4]  # the tie at 0.5 is not above it
    assert found.records_above_nine_tenths.values.tolist() == [3, 0, 4]
    assert found.records_certain.values.tolist() == [3, 0, 0]


def nearest_by_loop(original, synthetic, keys, weight):
    """The mean over people of the share of their target among the records that differ from them in the fewest columns, all by weight."""
    people, others = ([dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)] for table in (original, synthetic))
    weights = [person[weight] for person in people]
    return np.average([nearest_share(person, others, keys, "t", lambda x: x[weight]) for person in people], weights=weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_average_cap_with_the_nearest_keys_is_that_of_a_loop_over_records(weighted):
    """Numbers, texts and truth values as keys, two releases; of one nobody is matched."""
    rng = np.random.default_rng(11)

    def drawn(n, least):
        return {
            "age": rng.integers(least, least + 9, n).tolist(),
            "sex": rng.choice(["f", "m"], n).tolist(),
            "own": (rng.random(n) < 0.3).tolist(),
            "t": rng.choice(["x", "y", "z"], n).tolist(),
            "w": (rng.integers(1, 9, n) / 2).tolist() if weighted else [1] * n,
        }

    original, releases = drawn(50, 0), {"near": drawn(30, 0), "far": drawn(30, 20) | {"sex": ["f"] * 30}}
    keys = ["age", "sex", "own"]
    options = {"weights": "w"} if weighted else {}
    found = audit(original, releases, keys=keys, target="t", allow_no_match=True, **options)
    expected = [nearest_by_loop(original, release, keys, "w") for release in releases.values()]
    np.testing.assert_allclose(found.measures.average_cap_nearest, expected, rtol=1e-13)
    assert found.measures.average_cap_zero.values[1] == 0
    assert "unmatched ones use the nearest keys" in one_line(found)
    assert "nearest keys" in found.to_html()


def test_a_fine_key_looks_safe_in_version_1_and_not_with_the_nearest_keys():
    """Years of experience 2, 3, 11 and 12, of which the release has 3 and 12: theory/cap.md#average-cap works the numbers out."""
    original = {"years": [2, 3, 11, 12], "wage": ["low", "low", "high", "high"]}
    release = {"years": [1, 3, 12, 13], "wage": ["low", "low", "high", "high"]}
    m = audit(original, release, keys="years", target="wage").measures
    assert [m[f"average_cap_{x}"].item() for x in ("zero", "matched", "nearest")] == [0.5, 1, 0.75]
    assert m.baseline.item() == 0.5
    assert audit(original, release, keys="years", target="wage", bins={"years": [5]}, allow_same=True).measures.average_cap_zero == 1


def test_nearest_keys_are_left_out_with_the_reason_where_they_have_no_labels_or_take_long(monkeypatch):
    found = audit(from_counts([[3, 1], [1, 2]], [[1, 0], [2, 0]]))
    assert "average_cap_nearest" not in found.measures
    assert found.provenance["average_cap_nearest"] == "not computed: the keys have no labels"
    monkeypatch.setattr(neighbours, "LONG", 0)
    people, release = {"k": [*"aab"], "t": [*"xyx"]}, {"k": [*"aac"], "t": [*"xyx"]}
    found = audit(people, release, keys="k", target="t")
    assert "average_cap_nearest" not in found.measures
    assert "average_cap_nearest" not in found.provenance["conventions"]
    assert "average CAP with the nearest keys: not computed: comparing the keys in 1 column takes long" in one_line(found)
    matched = audit(people, {"k": [*"aab"], "t": [*"xxx"]}, keys="k", target="t")  # nothing to compare
    assert matched.measures.average_cap_nearest == matched.measures.average_cap_zero


def of_copies(measures):
    found = {name: np.atleast_1d(array.values).tolist() for name, array in measures.data_vars.items() if "copied" in name}
    return {name: [None if np.isnan(x) else x for x in values] for name, values in found.items()}


def test_copies_by_hand():
    """Of four people two are alike; 5/8 is a number of the person, so that it identifies nobody.

    The first release has the two, one of the two unique ones, and one who differs in one column; the second has nobody.
    """
    people = {"k": ["a", "a", "b", "b"], "t": ["x", "x", "y", "x"], "z": [0.625, 0.625, 1, 2]}
    releases = {
        "copies": {"k": ["a", "b", "b", "a", "c"], "t": ["x", "y", "x", "x", "x"], "z": [0.625, 1, 7, 0.625, 9]},
        "none": {"k": ["c"], "t": ["z"], "z": [0]},
    }
    found = audit(people, releases, keys="k", target="t", allow_no_match=True)
    assert of_copies(found.measures) == {
        "copied_records": [3, 0],
        "copied_share": [0.6, 0],
        "copied_people": [3, 0],
        "copied_beyond_chance": [0, None],  # of z the second has no number of the first
        "copied_people_lower": [0, 0],
        "copied_people_upper": [3, 0],
        "copied_p_value": [pytest.approx(35 / 126 * 81 / 20 * 40 / 81 / 0.8), 1],  # one value twice, once in either table
        "copied_unique_records": [1, 0],
        "near_copied_records": [1, 0],
    }
    assert found.to_frame().copied_share.tolist() == [0.6, 0]
    assert found.to_dict()["measures"]["copied_unique_records"] == {"copies": 1, "none": 0}
    ranked = audit(people, releases, keys="k", target="t", allow_no_match=True, rank_by="-copied_records")
    assert ranked.to_frame().index.tolist() == ["none", "copies"]


def test_copies_are_those_of_the_holdout_too_and_change_nothing_else():
    rng = np.random.default_rng(1)
    tables = [{"k": rng.integers(0, 9, n).astype(str), "t": rng.integers(0, 5, n).astype(str)} for n in (80, 50, 20)]
    original, release, holdout = tables
    found = audit(original, release, keys="k", target="t", holdout=holdout).measures
    other = audit(holdout, release, keys="k", target="t", holdout=original).measures
    for name in ("copied_records", "copied_people", "copied_share", "copied_unique_records", "near_copied_records"):
        assert found[f"holdout_{name}"].item() == other[name].item() > 0
    without = audit(original, release, keys="k", target="t", holdout=holdout, copy_columns=0).measures
    assert without.identical(found[[name for name in found.data_vars if "copied" not in name]])


def test_copies_that_are_not_known_have_a_reason_and_no_number():
    people = {"k": ["a", "b", "b", "b"], "t": ["x", "y", "x", "x"]}
    releases = {"p": people, "q": {"k": ["a", "b"], "t": ["y", "x"]}}
    asked = {"keys": "k", "target": "t", "allow_same": True}
    tables = tabulate(people, releases, keys="k", target="t", copy_columns=50)
    counted = tabulate(people, releases, keys="k", target="t")
    for found, reason in (
        (audit(people, people, copy_columns=1, **asked), "not computed: the tables have 2 columns in common, and 1 to 1 are compared"),
        (audit(people, people, copy_columns=0, **asked), "not computed: copy_columns=0 (--copy-columns 0)"),
        (audit(counted, allow_same=True), "not known: the report was made from counts"),
        (audit(tables.isel(synthetic=[1, 0]), allow_same=True), "not known: the report was made from counts"),
        (audit(tables.isel(synthetic=1), allow_same=True), "not known: the report was made from counts"),
    ):
        assert of_copies(found.measures) == {}
        assert found.provenance["copies"].startswith(reason)
        assert f"copies {reason}" in one_line(found)
    assert of_copies(audit(tables, allow_same=True).measures) == of_copies(audit(people, releases, **asked).measures)
    with pytest.raises(TypeError, match=r"Leave out `copy_columns`\."):
        audit(tables, copy_columns=50)
