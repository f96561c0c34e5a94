"""Linkability: held against a loop over records, and against what anonymeter does with ties."""

import json
from fractions import Fraction
from math import sqrt
from pathlib import Path
from statistics import fmean, variance

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, frame

from capstats import tabulate
from capstats.population import linkability, links

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

PEER = json.loads((Path(__file__).parents[1] / "reference" / "anonymeter_singling_out.json").read_text())["linkability"]


def nearest(record, released, columns):
    """The places of the synthetic records that differ from a record in the fewest columns."""
    apart = [sum(record[c] != row[c] for c in columns) for row in released]
    return {i for i, d in enumerate(apart) if d == min(apart)}


def chances(records, released, a, b):
    """One record after the other: the probability that both look-ups lead to one synthetic record."""
    both = [(nearest(record, released, a), nearest(record, released, b)) for record in records]
    return [Fraction(len(x & y), len(x) * len(y)) for x, y in both]


def rows_of(columns, least=1, most=10):
    return st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", None])] * columns), min_size=least, max_size=most)


def called(original, released, a, b, holdout=None, **options):
    names = {"a": [f"c{i}" for i in a], "b": [f"c{i}" for i in b], "holdout": holdout and frame(holdout)}
    return linkability(frame(original), frame(released), **names, allow_same=True, **options)


def test_two_people_are_linked_by_hand():
    """Young x leads to record 1 twice. Old leads to 2 or 3, y to 2 or 3: half the time to one of them."""
    released = [("young", "x"), ("old", "y"), ("old", "y")]
    found = called([("young", "x"), ("old", "y")], released, [0], [1], holdout=[("old", "x"), ("young", "y"), ("old", "y")])
    assert found.rate == 3 / 4
    assert found.baseline == pytest.approx(1 / 3)
    assert found.holdout == pytest.approx(1 / 6)
    assert found.difference == pytest.approx(3 / 4 - 1 / 6)
    assert found.standard_error == pytest.approx(sqrt(variance([1, 0.5]) / 2 + variance([0, 0, 0.5]) / 3))


@examples(100)
@given(st.integers(2, 5).flatmap(lambda k: st.tuples(*[rows_of(k)] * 3)), st.data())
def test_rates_are_those_of_a_loop_over_records(tables, data):
    original, released, holdout = tables
    of = [data.draw(st.lists(st.integers(0, len(original[0]) - 1), min_size=1, unique=True)) for _ in "ab"]
    found = called(original, released, *of, holdout=holdout)
    mine, theirs = (chances(records, released, *of) for records in (original, holdout))
    assert found.rate.item() == pytest.approx(float(fmean(mine)))
    assert found.holdout.item() == pytest.approx(float(fmean(theirs)))
    if len(mine) > 1 and len(theirs) > 1:
        error = sqrt(variance(mine) / len(mine) + variance(theirs) / len(theirs))
        assert found.standard_error.item() == pytest.approx(error, abs=1e-9)
    else:
        assert np.isnan(found.standard_error)


@pytest.mark.parametrize("block", [1, 50, 1 << 21])
def test_many_keys_and_small_blocks_give_the_numbers_of_the_loop(block, monkeypatch):
    monkeypatch.setattr(links, "BLOCK", block)
    rng = np.random.default_rng(5)
    original, released = ([tuple(row) for row in rng.choice(list("abcdef"), (n, 6))] for n in (60, 90))
    found = called(original, released, [0, 1, 2], [2, 3, 4, 5])
    assert found.rate.item() == pytest.approx(float(fmean(chances(original, released, [0, 1, 2], [2, 3, 4, 5]))))


# --- theorems -------------------------------------------------------------------------------------------------------------


def test_a_release_of_its_own_unique_records_links_everybody():
    rows = [(x, y, y) for x, y in zip("abcde", "vwxyz", strict=True)]
    assert called(rows, rows, [0], [1, 2]).rate == 1


def test_a_release_that_tells_nothing_links_as_chance_does():
    original = [("a", "k"), ("b", "l"), ("c", "m")]
    foreign = [("x", "y")] * 4
    independent = [(x, y) for x in "abc" for y in "klm"]
    for released in (foreign, independent):
        found = called(original, released, [0], [1])
        assert found.rate.item() == found.baseline.item() == pytest.approx(1 / len(released))


@examples(50)
@given(rows_of(2, 1, 12), rows_of(2, 1, 12))
def test_of_two_matched_columns_it_is_a_sum_over_the_cells(original, released):
    """Sum o_ij s_ij / (n s_i. s_.j), with every row of the original's columns in the release."""
    released = [*released, *((x, y) for x in ("a", "b", "c", None) for y in ("a", "b", "c", None))]
    tables = tabulate(frame(original), frame(released), keys="c0", target="c1")
    o, s = tables.o.values, tables.s.values
    expected = (o * s / (s.sum(0) * s.sum(1)[:, None])).sum() / o.sum()
    assert called(original, released, [0], [1]).rate.item() == pytest.approx(expected)


# --- the peer -------------------------------------------------------------------------------------------------------------


def test_anonymeter_links_everybody_where_nothing_is_told():
    case = PEER["nothing"]
    found = linkability(case["original"], case["synthetic"], a=case["a"], b=case["b"])
    assert case["anonymeter"]["share"] == 1
    assert found.rate.item() == found.baseline.item() == pytest.approx(1 / 6)


def test_anonymeter_takes_the_first_record_in_both_look_ups():
    """Up to 15 records its sort keeps their order: over random orders both first ones agree with probability |A and B| / |A or B|."""
    case = PEER["small"]
    original, released = (list(zip(*case[name].values(), strict=True)) for name in ("original", "synthetic"))
    place = {name: i for i, name in enumerate(case["original"])}
    of = [[place[name] for name in case[side]] for side in "ab"]
    both = [[nearest(record, released, side) for side in of] for record in original]
    same_order = fmean(len(x & y) / len(x | y) for x, y in both)
    theirs = case["anonymeter"]
    assert abs(theirs["mean"] - same_order) <= 4 * theirs["standard_error"]
    found = linkability(case["original"], case["synthetic"], a=case["a"], b=case["b"]).rate.item()
    assert found == pytest.approx(float(fmean(chances(original, released, *of))))
    assert theirs["mean"] - found > 4 * theirs["standard_error"]


# --- records as they come -------------------------------------------------------------------------------------------------


def test_several_releases_are_each_counted_alone():
    original, holdout = [("a", "x"), ("b", "x"), ("b", "y")], [("a", "y"), ("c", "y")]
    released = [[("a", "x"), ("b", "y"), ("c", "y")], [("a", "x"), ("a", "x")]]
    together = linkability(frame(original), list(map(frame, released)), a="c0", b="c1", holdout=frame(holdout))
    for i, synthetic in enumerate(released):
        alone = linkability(frame(original), frame(synthetic), a="c0", b="c1", holdout=frame(holdout))
        assert together.isel(synthetic=i).drop_vars("synthetic").to_dataset().equals(alone.to_dataset())


def test_files_and_counts_give_the_numbers_of_the_records(tmp_path):
    original, released = [("a", "x"), ("b", "y"), ("b", "y")], [("a", "x"), ("b", "y"), ("b", "x"), ("b", "x")]
    expected = called(original, released, [0], [1])
    paths = [tmp_path / "o.csv", tmp_path / "s.parquet"]
    pd.DataFrame(frame(original)).to_csv(paths[0], index=False)
    pd.DataFrame(frame(released)).to_parquet(paths[1])
    assert linkability(*paths, a="c0", b="c1").equals(expected)
    counted = [{**frame(original[:2]), "n": [1, 2]}, {**frame(released[:3]), "n": [1, 1, 2]}]
    assert linkability(*counted, a="c0", b="c1", counts="n").equals(expected)


def test_a_mistake_is_said():
    original, released = {"a": ["x", "y"], "b": ["x", "z"]}, {"a": ["x", "x"], "b": ["x", "y"]}
    with pytest.raises(ValueError, match="`b` names 'b' twice"):
        linkability(original, released, a="a", b=["b", "b"])
    with pytest.raises(ValueError, match="`a` must name at least one column"):
        linkability(original, released, a=[], b="b")
    with pytest.raises(ValueError, match="`types` names 'c', which is in no table"):
        linkability(original, released, a="a", b="b", types={"c": "text"})
    with pytest.raises(ValueError, match="`original` and `synthetic` are one object"):
        linkability(original, original, a="a", b="b")
