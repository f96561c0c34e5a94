"""Columns, files and weights are told as they were understood."""

import pytest
import xarray as xr
from read_reports import grids, one_line

from capstats import audit
from capstats.auditing import record

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


def test_columns_are_told_as_they_were_understood():
    people = {"Straße, Nr": ["a 1", "b 2", None], "age group": [1, 2, 3], "t": [True, False, True]}
    text = one_line(audit(people, people, allow_same=True, keys=["Straße, Nr", "age group"], target="t"))
    assert "keys 'Straße, Nr' (text, 2 levels and missing), 'age group' (number, 3 levels); 3 combinations in the original" in text
    assert "target t (bool, 2 levels)" in text


def test_files_pooled_as_one_table_are_told(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    original, synthetic = (frame.astype(str) for frame in people)
    for i in range(6):
        original.iloc[i::6].to_csv(f"part-{i}.csv", index=False)
    synthetic.to_csv("s.csv", index=False)
    result = audit("part-*.csv", "s.csv", keys="smoking", target="health")
    names = ", ".join(f"part-{i}.csv" for i in range(5))
    assert f"original part-*.csv: 6 files pooled as one table ({names} and 1 more), 100 records synthetic s.csv, 100" in one_line(result)
    assert result.provenance["files"] == {"original": [f"part-{i}.csv" for i in range(6)], "synthetic": [["s.csv"]]}
    assert (result.provenance["original"], result.provenance["synthetic"]) == ("part-*.csv", ["s.csv"])


def test_a_weighted_original_is_told_with_its_records_and_the_sum_of_its_weights():
    """Records count once in numbers; shares weigh them: 300 of 1,000 are in the second key, where the guess is right for half."""
    people = {"k": [*"aabb"], "t": [*"xxxy"], "w": [350.25, 349.75, 100, 200]}
    result = audit(people, people, allow_same=True, keys="k", target="t", weights=("w", None))
    text = one_line(result)
    assert "original 4 records, weighted to 1,000 synthetic 4 records" in text
    assert "weights sampling weights of the records: w of `original`" in text
    assert "right for a weighted share of 85 % of the 4 records in the original (average CAP)." in text
    assert "with certainty for 2 records (weighted share 70 %), the last by records with their own keys." in text
    assert "person " not in text.partition("guess is expected")[2].partition("By t")[0]
    (grid,) = grids(result, "By t")
    assert grid.head[:4] == ["t", "records", "average CAP", "baseline"]
    assert grid.rows == [["x", "3", "0.938", "0.800", "2", "2", "2"], ["y", "1", "0.500", "0.200", "0", "0", "0"]]
    assert result.measures.original_weight == 1000


def test_more_than_four_releases_share_a_line_where_their_names_are_short_and_each_is_one_file():
    def lines(n, heads=None, files=None):
        labels, m = [f"r{i}" for i in range(n)], xr.Dataset({"synthetic_records": ("synthetic", [7, 9, *[8] * (n - 2)])})
        return record._synthetic(m, {"files": {"synthetic": files}} if files else {}, labels, heads or labels)

    assert lines(5) == lines(5, files=[["one.csv"]] * 5) == [("synthetic", "5 tables of 7 to 9 records")]
    assert lines(4) == [("synthetic", "r0: 7 records"), ("", "r1: 9 records"), ("", "r2: 8 records"), ("", "r3: 8 records")]
    assert len(lines(5, files=[["one.csv"]] * 4 + [["a.csv", "b.csv"]])) == 5
    assert lines(5, heads=["r", "r1", "r2", "r3", "r4"])[:2] == [("synthetic", "1  r0: 7 records"), ("", "r1: 9 records")]
    same = xr.Dataset({"synthetic_records": 7})
    assert record._synthetic(same, {}, [*"abcde"], [*"abcde"]) == [("synthetic", "5 tables of 7 records")]
    assert record._synthetic(same // 7, {}, [*"abcde"], [*"abcde"]) == [("synthetic", "5 tables of 1 record")]


def test_columns_over_which_records_are_compared_are_told_with_those_left_out():
    people = {"k": ["a", "a", "b"], "t": ["x", "y", "y"], **{f"number {i}": [1, 2, 3] for i in range(7)}, "list": [[1], [2], [3]]}
    found = audit(people, people, allow_same=True, keys="k", target="t")
    assert (
        "copies whole records are compared over 2 columns that all tables have; without list: its values cannot be compared; without "
        "'number 0', 'number 1', 'number 2', 'number 3', 'number 4' and 2 more: each record of the original has a value of its own"
    ) in one_line(found)
    alone = audit({"k": ["a", "a"], "t": ["x", "y"]}, {"k": ["a"], "t": ["x"]}, keys="k", target="t")
    assert "copies whole records are compared over 1 column that all tables have; without t: each record" in one_line(alone)
