"""Standard errors of weighted records: those of a bootstrap, free of the weights' unit, and with weights of 1 those of plain records."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sparse
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from small_tables import dataset_of
from strategies import theorem

from capstats import average_cap_interval, from_counts, individual_cap, individual_share, tabulate

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

KEYS = ["area", "age"]
CONVENTIONS = ("zero", "drop", "nearest")


def survey(seed: int, n: int = 4000) -> pd.DataFrame:
    """People whose weights vary by a factor of 35 and go with their age, and an income that goes with both key columns."""
    rng = np.random.default_rng(seed)
    area, age = rng.integers(0, 8, n), rng.integers(0, 4, n)
    income = (area + age + rng.integers(0, 6, n)) // 5
    weight = rng.choice([1, 1.5, 2.25, 4, 7, 12, 20], n) * (1 + age / 4)
    return pd.DataFrame({"area": area, "age": age, "income": income, "w": weight})


def release(seed: int) -> pd.DataFrame:
    """A synthetic table that lacks some keys of the survey."""
    found = survey(seed, 1500)
    return found[(found["area"] + 3 * found["age"]) % 7 != 0].drop(columns="w")


def bootstrapped(records: pd.DataFrame, values: xr.DataArray, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """Weighted means of q over resampled records, drawn as multinomial counts of the distinct rows of cell and weight."""
    rows = records.groupby([*KEYS, "income", "w"], as_index=False).size()
    targets, keys = ({label: i for i, label in enumerate(values.indexes[dim])} for dim in ("target", "key"))
    cells = values.transpose("target", "key").values
    q = np.array([cells[targets[t], keys[a, b]] for a, b, t in rows[[*KEYS, "income"]].to_numpy().tolist()])
    n = len(records)
    counted = ~np.isnan(q)
    w, wq = np.where(counted, rows["w"], 0), np.where(counted, rows["w"] * np.nan_to_num(q), 0)
    means = []
    for _ in range(replicates // 500):
        drawn = rng.multinomial(n, rows["size"] / n, 500)
        means.append(drawn @ wq / (drawn @ w))
    return np.concatenate(means)


@pytest.mark.parametrize("unmatched", CONVENTIONS)
def test_the_error_of_a_weighted_survey_is_that_of_a_bootstrap_of_its_records(unmatched: Any) -> None:
    """4000 replicates: their standard deviation is known to about 1.1 %. Taken for counts, the weights give an error that is too small."""
    records, synthetic = survey(1), release(2)
    tables = tabulate(records, synthetic, keys=KEYS, target="income", weights=("w", None))
    q = individual_cap(tables.o, tables.s, unmatched=unmatched)
    replicates = bootstrapped(records, q, 4000, np.random.default_rng(3))
    found = average_cap_interval(tables, unmatched=unmatched)
    assert found.estimate.item() == pytest.approx(replicates.mean(), rel=0.01)
    assert found.standard_error.item() == pytest.approx(replicates.std(ddof=1), rel=0.05)
    as_counts = tabulate(records.assign(w=(100 * records["w"]).round()), synthetic, keys=KEYS, target="income", counts=("w", None))
    assert average_cap_interval(as_counts.o, as_counts.s, unmatched=unmatched).standard_error.item() < 0.1 * replicates.std()


# --- what the formula says --------------------------------------------------------------------------------------------


def expanded(o: np.ndarray, weights: list[np.ndarray], s: np.ndarray, unmatched: str) -> tuple[float, float]:
    """The weighted mean of q and its error, record by record."""
    totals = s.sum(0)
    q = np.divide(s, totals, out=np.zeros(s.shape), where=totals > 0)
    values, w = [], []
    for (i, j), own in zip(np.ndindex(o.shape), weights, strict=True):
        for weight in own:
            if unmatched == "zero" or totals[j] > 0:
                values.append(q[i, j])
                w.append(weight)
    x, w_r = np.array(values), np.array(w)
    mean = (w_r * x).sum() / w_r.sum()
    return mean, np.sqrt((w_r**2 * (x - mean) ** 2).sum() / (w_r.sum() ** 2 - (w_r**2).sum()))


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
@pytest.mark.parametrize("seed", range(5))
def test_the_error_from_cells_is_that_of_a_loop_over_weighted_records(unmatched: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers, s = rng.integers(0, 5, (3, 6)), rng.integers(0, 4, (3, 6))
    s[:, 2] = 0
    weights = [rng.exponential(3, n) for n in numbers.ravel()]
    o, squares = (np.reshape([f(w) for w in weights], numbers.shape) for f in (np.sum, lambda w: (w**2).sum()))
    found = average_cap_interval(dataset_of(o=o, s=s, o_squares=squares), unmatched=unmatched)
    assert (found.estimate.item(), found.standard_error.item()) == pytest.approx(expanded(o, weights, s, unmatched), rel=1e-12)


@theorem
@given(st.data())
def test_weights_of_1_give_the_unweighted_errors_to_the_last_bit(data: st.DataObject) -> None:
    cells = st.lists(st.integers(0, 9), min_size=6, max_size=6)
    o, h = (data.draw(cells.filter(any)) for _ in "oh")
    s, other = (np.reshape(data.draw(cells), (2, 3)) for _ in "st")
    labels = {"key_labels": {"a": [0, 0, 1], "b": [0, 1, 0]}}
    tables = from_counts(np.reshape(o, (2, 3)), **labels)
    own, held = tables.o, from_counts(np.reshape(h, (2, 3)), **labels).o
    for unmatched in CONVENTIONS:
        for options in ({}, {"against": other}):
            plain = average_cap_interval(own, s, unmatched=unmatched, **options)
            assert average_cap_interval(dataset_of(o=own, o_squares=own), s, unmatched=unmatched, **options).identical(plain)
            floats = own.astype(float)
            assert average_cap_interval(dataset_of(o=floats, o_squares=floats), s, unmatched=unmatched, **options).identical(plain)
        contrast = individual_share(own, s, h=held, unmatched=unmatched)
        ones = {"o_squares": own, "h_squares": held, "o_records": own, "h_records": held}
        assert individual_share(dataset_of(o=own, h=held, **ones), s, unmatched=unmatched).identical(contrast)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 1000)), min_size=2, max_size=12),
    st.floats(1e-6, 1e6),
    st.sampled_from(CONVENTIONS),
)
def test_the_unit_of_the_weights_changes_neither_estimate_nor_error(rows: list[Any], unit: float, unmatched: Any) -> None:
    frame = pd.DataFrame(rows, columns=["k", "t", "w"])
    synthetic = {"k": [0, 0, 1, 1, 1], "t": [0, 1, 1, 1, 2]}

    def found(weights: Any) -> xr.Dataset:
        tables = tabulate(frame.assign(w=weights), synthetic, keys="k", target="t", weights=("w", None))
        return average_cap_interval(tables, unmatched=unmatched)

    before, after = found(frame["w"]), found(frame["w"] * unit)
    for name in before:
        np.testing.assert_allclose(after[name].values, before[name].values, rtol=1e-9, atol=1e-9)


def test_over_all_samples_the_expected_variance_is_below_the_true_one_by_what_the_page_says() -> None:
    """Fixed weights, records that are independent draws: V / Var = (1 - 2 W3 / (W S) + S / W^2) / (1 - S / W^2)."""
    weights, q, chance = np.array([1.0, 2.0, 5.0]), np.array([0.0, 0.25, 1.0]), np.array([0.5, 0.3, 0.2])
    s = [[0, 1, 1], [1, 3, 0]]  # the records of target 0 have CAP 0, 1/4 and 1
    w, squares, cubes = (float((weights**p).sum()) for p in (1, 2, 3))
    expected, means, chances = 0.0, [], []
    for cells in product(range(3), repeat=3):
        o, o_squares = np.zeros((2, 3)), np.zeros((2, 3))
        np.add.at(o[0], list(cells), weights)
        np.add.at(o_squares[0], list(cells), weights**2)
        found = average_cap_interval(dataset_of(o=o, s=s, o_squares=o_squares))
        p = float(np.prod(chance[list(cells)]))
        expected += p * found.standard_error.item() ** 2
        means.append(found.estimate.item())
        chances.append(p)
    truth = float(chance @ q**2 - (chance @ q) ** 2) * squares / w**2
    mean = np.dot(chances, means)
    assert np.dot(chances, (np.array(means) - mean) ** 2) == pytest.approx(truth, rel=1e-12)
    assert expected / truth == pytest.approx((1 - 2 * cubes / (w * squares) + squares / w**2) / (1 - squares / w**2), rel=1e-12)
    assert expected < truth


@pytest.mark.parametrize("unmatched", CONVENTIONS)
def test_weighted_errors_are_the_same_on_both_backings(unmatched: Any) -> None:
    arguments = {"keys": KEYS, "target": "income", "holdout": survey(6, 200), "weights": ("w", None)}
    found = []
    for backing in ("dense", "sparse"):
        tables = tabulate(survey(1, 300), [release(2), release(4)], **arguments, backing=backing)
        assert isinstance(tables.o_squares.data, np.ndarray if backing == "dense" else sparse.COO)
        found.append(average_cap_interval(tables, over="synthetic", unmatched=unmatched))
        found.append(individual_share(tables, unmatched=unmatched))
    for dense, other in zip(found[:2], found[2:], strict=True):
        for name in dense:
            np.testing.assert_allclose(other[name].values, dense[name].values, rtol=1e-12)


def test_other_dims_broadcast_with_their_squares() -> None:
    tables = tabulate(survey(1, 300), release(2), keys=KEYS, target="income", weights=("w", None))
    draws = xr.concat([tables.o, 2 * tables.o], "draw")
    squares = xr.concat([tables.o_squares, 4 * tables.o_squares], "draw")
    found = average_cap_interval(dataset_of(o=draws, s=tables.s, o_squares=squares.transpose("key", "draw", "target")))
    assert found.standard_error.dims == ("draw",)
    one, two = found.standard_error.values
    assert one == pytest.approx(two, rel=1e-12)


def test_large_weights_have_squares_beyond_2_to_the_53() -> None:
    large, plain = (tabulate(survey(1, 300).assign(w=w), release(2), keys=KEYS, target="income", weights=("w", None)) for w in (10.0**9, 1))
    assert large.o_squares.max() > 2**53
    expected = average_cap_interval(plain).standard_error.item()
    assert average_cap_interval(large).standard_error.item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weights", [[7.3], [7.3, 0, 0], [0.1], [3, 0]])
def test_one_record_of_weight_above_0_has_no_error(weights: list[float]) -> None:
    frame = {"k": [0, 1, 0][: len(weights)], "t": [0, 1, 1][: len(weights)], "w": weights}
    tables = tabulate(frame, {"k": [0, 0, 0], "t": [0, 1, 1]}, keys="k", target="t", weights=("w", None))
    found = average_cap_interval(tables)
    assert found.estimate.item() == pytest.approx(1 / 3)
    assert np.isnan(found.standard_error.item())
