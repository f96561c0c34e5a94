"""How much more often guesses are right for the people in the data: by hand, by a loop over records, and as its page of theory says."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import sparse
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats import average_cap, from_counts, holdout_contrast, tabulate
from capstats.cap import individual_share
from capstats.cap.uncertainty import GAINS
from capstats.laws import Pram, sample_tables


def labelled(*tables: Any) -> list[Any]:
    """The tables with two key columns, of 2 levels and as many as are needed."""
    keys = np.shape(tables[0])[-1]
    labels = {"x": np.arange(keys) % 2, "y": np.arange(keys) // 2}
    return [from_counts(table, key_labels=labels).o for table in tables]


def guesses(both: np.ndarray, released: np.ndarray, unmatched: str) -> np.ndarray:
    """q of each cell, by a loop over keys."""
    found = np.zeros(both.shape)
    donors = np.flatnonzero(released.sum(0)).tolist()
    for j in np.flatnonzero(both.sum(0)).tolist():
        rows = [j] if j in donors else []
        if unmatched == "nearest" and not rows:
            apart = {k: (j % 2 != k % 2) + (j // 2 != k // 2) for k in donors}
            rows = [k for k in donors if apart[k] == min(apart.values())]
        if rows:
            found[:, j] = released[:, rows].sum(1) / released[:, rows].sum()
    return found


def by_records(o: np.ndarray, s: np.ndarray, h: np.ndarray, unmatched: str) -> dict[str, float]:
    """The numbers from a list of records, each with its q - t and q(O) - t."""
    both = o + h
    t = both / np.maximum(both.sum(0), 1)
    q, own = guesses(both, s, unmatched), guesses(both, o, unmatched)
    cells = [[at for at in np.ndindex(x.shape) for _ in range(x[at])] for x in (o, h)]

    def contrast(values: np.ndarray) -> tuple[float, float]:
        mine, theirs = ([values[at] for at in of] for of in cells)
        return np.mean(mine) - np.mean(theirs), np.sqrt(np.var(mine, ddof=1) / len(mine) + np.var(theirs, ddof=1) / len(theirs))

    (gain, error), (whole, its_error) = contrast(q - t), contrast(own - t)
    share = gain / whole if whole >= 3 * its_error and whole > 0 else np.nan
    share_error = contrast(q - t - share * (own - t))[1] / whole if share == share else np.nan
    averages = [np.mean([values[at] for at in of]) for values in (q, own) for of in cells]
    return dict(zip(GAINS, [gain, error, whole, its_error, share, share_error, *averages], strict=True))


def test_a_release_between_the_original_and_both_samples_by_hand() -> None:
    """q 11/16, t 5/8, r 3/4 in the larger cells: N = 3/4 * 1/16 - 1/4 * 1/16 = 1/32, D twice that."""
    o, h, s = [[300, 100], [100, 300]], [[200, 200], [200, 200]], [[275, 125], [125, 275]]
    found = individual_share(o, s, h=h, unmatched="zero")
    assert [found[name].item() for name in ("individual_gain", "original_gain", "individual_share")] == [1 / 32, 1 / 16, 0.5]
    assert (found.release.item(), found.original.item()) == (average_cap(o, s).item(), average_cap(o, o).item())
    assert (found.holdout.item(), found.fresh_sample.item()) == (average_cap(h, s).item(), average_cap(h, o).item())


@examples(20)
@given(st.data(), st.sampled_from(["zero", "nearest"]))
def test_the_numbers_are_those_of_a_loop_over_records(data: st.DataObject, unmatched: str) -> None:
    shape = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 6)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    o, s, h = (rng.poisson(data.draw(st.sampled_from([0.5, 2, 9])), shape) for _ in range(3))
    for table in (o, h):
        table[0, :1] += 2  # errors need two records
    s[0, -1] += 1
    expected = by_records(o, s, h, unmatched)
    for backing in ("dense", "sparse"):
        tables = labelled(o, s, h)
        if backing == "sparse":
            tables = [x.copy(data=sparse.COO.from_numpy(x.values)) for x in tables]
        found = individual_share(tables[0], tables[1], h=tables[2], unmatched=unmatched)
        for name, value in expected.items():
            assert found[name].item() == pytest.approx(value, abs=1e-12, nan_ok=True), (name, backing)


def splits(both: np.ndarray, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """All ways to choose which n of the records are the original."""
    records = [at for at in np.ndindex(both.shape) for _ in range(both[at])]
    found = []
    for chosen in combinations(range(len(records)), n):
        o = np.zeros_like(both)
        for r in chosen:
            o[records[r]] += 1
        found.append((o, both - o))
    return found


@pytest.mark.slow
def test_over_all_splits_a_release_that_does_not_depend_on_them_gains_nothing() -> None:
    """Part 1 of theory/individuals.md#individual-share, in fractions: the mean of sum Delta (q - t) is 0 for any q."""
    both, rng = np.array([[2, 1, 1], [1, 0, 3]]), np.random.default_rng(3)
    q = [[Fraction(int(x), 7) for x in row] for row in rng.integers(0, 8, both.shape)]
    t = [[Fraction(int(both[i, j]), int(both[:, j].sum())) for j in range(3)] for i in range(2)]
    total = sum(
        (Fraction(int(o[i, j]), 3) - Fraction(int(h[i, j]), 5)) * (q[i][j] - t[i][j])
        for o, h in splits(both, 3)
        for i, j in np.ndindex(both.shape)
    )
    assert total == 0
    s = np.array([[1, 0, 2], [1, 0, 0]])
    gains = [individual_share(*labelled(o, s), h=labelled(h)[0]).individual_gain.item() for o, h in splits(both, 3)]
    assert np.mean(gains) == pytest.approx(0, abs=1e-15)


@pytest.mark.slow
def test_the_original_itself_has_share_1_and_targets_redrawn_take_theirs_away() -> None:
    """Parts 2 and 3: 1 for S = O; 1 - theta on average where the keys stay and a share theta of the targets is drawn anew."""
    rng = np.random.default_rng(5)
    rates, gains = rng.dirichlet([0.3] * 3, 200).T * 8, []
    for _ in range(60):
        o, h = labelled(rng.poisson(rates), rng.poisson(rates))
        assert individual_share(o, o, h=h).individual_share.item() == pytest.approx(1, abs=1e-12)
        found = individual_share(o, sample_tables(o, Pram(theta=0.5), draws=4, rng=rng), h=h)
        gains.append([found.individual_gain.mean().item(), found.original_gain.mean().item()])
    gain, whole = np.mean(gains, axis=0)
    assert gain / whole == pytest.approx(0.5, abs=0.02)


@pytest.mark.slow
def test_a_fresh_sample_is_as_good_as_the_original_is_for_a_holdout() -> None:
    """Part 4, over all samples of a population of two targets and two keys: three records are guessed from three, and two from three."""
    p = np.array([0.4, 0.1, 0.2, 0.3])

    def samples(n: int) -> list[tuple[float, np.ndarray]]:
        found = [np.bincount(records, minlength=4) for records in product(range(4), repeat=n)]
        return [(np.prod(p**counts), counts.reshape(2, 2)) for counts in found]

    def expected(people: int, released: int) -> float:
        return sum(
            weight * its_weight * (x * guesses(x + s, s, "nearest")).sum() / people
            for weight, x in samples(people)
            for its_weight, s in samples(released)
        )

    assert expected(3, 3) == pytest.approx(expected(2, 3), rel=1e-12)
    assert expected(3, 3) < expected(3, 4) - 0.001  # more records tell more


def test_without_keys_that_tell_people_apart_there_is_no_share() -> None:
    found = individual_share([[50, 50], [50, 50]], [[50, 50], [50, 50]], h=[[50, 50], [50, 50]], unmatched="zero")
    assert found.individual_gain.item() == found.original_gain.item() == 0
    assert np.isnan([found[name].item() for name in ("individual_share", "individual_share_error", "lower", "upper")]).all()


def test_weights_of_1_give_the_unweighted_numbers_and_their_unit_changes_nothing() -> None:
    rng = np.random.default_rng(8)

    def people(n: int) -> dict[str, Any]:
        return {"k": rng.integers(0, 40, n), "t": rng.integers(0, 3, n), "w": rng.uniform(0.5, 3, n)}

    o, s, h = people(400), people(400), people(300)
    found = []
    for scale in (1.0, 1000.0):
        frames = [x | {"w": scale * x["w"]} for x in (o, s, h)]
        x = tabulate(frames[0], frames[1], holdout=frames[2], keys="k", target="t", weights="w")
        found.append(individual_share(x.o, x.s, h=x.h, o_squares=x.o_squares, h_squares=x.h_squares))
    for name in found[0]:
        assert found[0][name].item() == pytest.approx(found[1][name].item(), rel=1e-9, abs=1e-12), name
    x = tabulate(o, s, holdout=h, keys="k", target="t")
    plain = individual_share(x.o, x.s, h=x.h)
    ones = individual_share(x.o, x.s, h=x.h, o_squares=x.o, h_squares=x.h)
    assert all(plain[name].item() == pytest.approx(ones[name].item(), nan_ok=True) for name in plain)
    assert plain.release.item() - plain.holdout.item() == pytest.approx(
        holdout_contrast(x.o, x.s, h=x.h, unmatched="nearest").estimate.item()
    )


def test_options_that_are_none_raise() -> None:
    with pytest.raises(ValueError, match='`unmatched` must be "nearest" or "zero"; got \'drop\''):
        individual_share([[1]], [[1]], h=[[1]], unmatched="drop")  # type: ignore[arg-type]
    people = {"k": [1], "t": [1], "w": [2]}
    x = tabulate(people, holdout=people, keys="k", target="t", weights="w")
    with pytest.raises(ValueError, match="`o` holds sums of the sampling weights"):
        individual_share(x.o, x.o, h=x.h)


# --- a release that is harmless looks harmless ------------------------------------------------------------------------


def population(keys: int, rng: np.random.Generator) -> Any:
    """Random tables of one population: a function of a number of records."""
    p = (rng.dirichlet(np.ones(keys)) * rng.dirichlet([0.7] * 3, keys).T).ravel()
    return lambda n: rng.multinomial(n, p).reshape(3, keys)


@pytest.mark.slow
@pytest.mark.parametrize("keys", [6, 60, 600])
def test_fresh_samples_look_harmless(keys: int) -> None:
    """No share, or an interval that contains 0, in at least 90 of 100 runs."""
    rng = np.random.default_rng(keys)
    harmless = 0
    for _ in range(100):
        draw = population(keys, rng)
        o, s, h = labelled(draw(2000), draw(2000), draw(1000))
        found = individual_share(o, s, h=h)
        harmless += bool(np.isnan(found.individual_share) or found.lower <= 0 <= found.upper)
    assert harmless >= 90
