"""Tables on the frontier are there, in shares exactly, in whole records within the rounding that is promised."""

import numpy as np
import pytest
import sparse
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, examples

from capstats import average_cap, from_counts
from capstats.cap import target_distance
from capstats.datasets import paper_originals
from capstats.laws import frontier, frontier_tables
from capstats.laws.on_the_frontier import largest_remainders

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

distances = st.lists(st.floats(0, 1), min_size=1, max_size=3)


@examples(60)
@given(count_tables(4, 5), distances)
def test_shares_are_within_the_distance_and_have_the_average_cap_of_the_frontier(o, at):
    curve, found = frontier(o, distances=at), frontier_tables(o, distances=at)
    for end in ("least", "greatest"):
        q = np.round(1e9 * found[f"{end}_shares"].values).astype(int)  # any key totals
        assert average_cap(o, q).values == pytest.approx(curve[end].values, abs=1e-8)
        assert (target_distance(o, q).values <= np.array(at) + 1e-8).all()
        np.testing.assert_allclose(
            found[f"{end}_shares"].sum("target").values, np.broadcast_to(o.any(0), (len(at), o.shape[1])), rtol=1e-12
        )


@examples(60)
@given(count_tables(4, 5), distances, st.integers(5, 200))
def test_whole_records_come_as_near_as_promised(o, at, m):
    curve, found = frontier(o, distances=at), frontier_tables(o, distances=at, m=m)
    for end in ("least", "greatest"):
        s = found[f"{end}_table"].values
        assert (s.sum((1, 2)) == m).all()
        assert (s.any(1) == o.any(0)).all()
        assert (np.abs(found[f"{end}_cap"].values - curve[end].values) <= found.rounding.item() + 1e-12).all()
        assert (found[f"{end}_distance"].values <= np.array(at) + found.rounding.item() + 1e-12).all()
        assert found[f"{end}_cap"].values == pytest.approx(average_cap(o, s).values)
        assert found[f"{end}_distance"].values == pytest.approx(target_distance(o, s).values)


@examples(100)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(any), st.integers(1, 20))
def test_largest_remainders_change_shares_by_at_most_a_quarter_of_the_targets_over_the_records(parts, records):
    shares = np.array(parts) / sum(parts)
    found = largest_remainders(shares * records, np.asarray(records))
    assert found.sum() == records
    assert (np.abs(found - shares * records) < 1 + 1e-9).all()
    apart = np.abs(found / records - shares).sum() / 2
    assert apart <= len(shares) / (4 * records) + 1e-9


def test_the_promise_is_kept_no_better_than_that():
    """Two targets with shares of one half, and one record: the distance is 1/2 = I / (4 m_j)."""
    found = frontier_tables([[1], [1]], distances=0, m=1)
    assert found.least_distance.item() == found.rounding.item() == 0.5


def test_four_people_by_hand():
    found = frontier_tables([[2], [1], [1]], distances=[0.25, 0.5], m=4)
    assert found.least_table.values[..., 0].tolist() == [[1, 2, 1], [0, 3, 1]]
    assert found.greatest_table.values[..., 0].tolist() == [[3, 0, 1], [4, 0, 0]]
    assert found.least_cap.values.tolist() == [0.3125, 0.25]
    assert found.greatest_cap.values.tolist() == [0.4375, 0.5]
    assert found.least_distance.values.tolist() == found.greatest_distance.values.tolist() == [0.25, 0.5]


def test_as_many_records_as_the_original_round_one_key_only():
    """O_3 at distances that are no corners: at most one key is not met exactly."""
    o = paper_originals().sel(original="O_3")
    at = np.linspace(0.01, 0.9, 23)
    found = frontier_tables(o, distances=at, m=900)
    for end in ("least", "greatest"):
        wanted = found[f"{end}_shares"] * o.sum("target")
        assert (found[f"{end}_table"].sum("target") == o.sum("target")).all()
        assert ((np.abs(found[f"{end}_table"] - wanted) > 1e-6).any("target").sum("key") <= 1).all()


def test_each_key_has_a_record_however_few_there_are():
    o = np.array([[1, 100, 1, 0, 9], [0, 0, 1, 0, 0]])
    for m, totals in ((4, [1, 1, 1, 0, 1]), (5, [1, 2, 1, 0, 1]), (112, [1, 100, 2, 0, 9])):
        assert frontier_tables(o, distances=0, m=m).least_table.sum("target").values.tolist() == totals
    with pytest.raises(ValueError, match=r"`m` must be at least 4, a record for each key of `o`; got 3\."):
        frontier_tables(o, distances=0, m=3)


def test_tables_carry_the_labels_of_the_original_on_either_backing():
    o = from_counts([[1, 5], [3, 2]], key_labels={"k": ["a", "b"]}).o
    found = frontier_tables(o, distances=[0, 0.3], m=11)
    assert found.least_table.sel(k="b", distance=0).values.tolist() == [5, 2]
    other = frontier_tables(o.copy(data=sparse.COO.from_numpy(o.values)), distances=[0, 0.3], m=11)
    xr.testing.assert_identical(found, other)


def test_bad_tables_are_refused():
    with pytest.raises(ValueError, match=r"frontier tables are those of one. Choose one table."):
        frontier_tables(paper_originals(), distances=0)
    with pytest.raises(ValueError, match="`o` holds no record"):
        frontier_tables([[0, 0]], distances=0)
    with pytest.raises(ValueError, match="`m` must be a number of synthetic records"):
        frontier_tables([[1, 0]], distances=0, m=2.5)
    with pytest.raises(ValueError, match="`distances` must be numbers from 0 to 1"):
        frontier_tables([[1, 0]], distances=2)
