"""What the public moments do for every model: who computes them, labels and batches, and what they refuse."""

from math import comb

import numpy as np
import pytest
import xarray as xr
from every_release import made

from capstats import average_cap as measured
from capstats.datasets import paper_originals
from capstats.laws import Uniform, expected_cap, variance_cap

ORIGINAL = [[2, 1], [0, 1]]


def test_the_expected_value_is_held_against_a_release():
    """The release that is the original has more than 3 standard deviations above what chance alone gives."""
    o = [[40, 0, 0], [0, 40, 0], [0, 0, 40]]
    mean, variance = expected_cap(o, Uniform(120)).item(), variance_cap(o, Uniform(120)).item()
    assert measured(o, o).item() > mean + 3 * np.sqrt(variance)


@pytest.fixture(scope="module")
def simulated():
    """100,000 uniform tables of 900 records, as in the paper, and their average CAP against its four originals.

    Shares that are uniform on the simplex, then records with these shares: see theory/models.md#uniform-tables.
    """
    rng = np.random.default_rng(20)
    shares = rng.dirichlet(np.ones(9), 100_000)
    tables = xr.DataArray(rng.multinomial(900, shares).reshape(-1, 3, 3), dims=("draw", "target", "key"))
    originals = xr.DataArray(paper_originals().values, dims=("original", "target", "key"))
    return {unmatched: measured(originals, tables, unmatched=unmatched) for unmatched in ("zero", "drop")}


@pytest.mark.slow
@pytest.mark.parametrize("unmatched", ["zero", "drop"])
def test_a_simulation_of_the_paper_has_the_exact_mean_and_variance(simulated, unmatched):
    """|z| < 4. O_1 is the same in all cells: its average CAP is 1/3, but for the key that is empty in one of two million releases."""
    caps = simulated[unmatched].transpose("original", "draw").values
    exact = [f(paper_originals(), Uniform(900), unmatched=unmatched).values for f in (expected_cap, variance_cap)]
    draws = caps.shape[1]
    for found, mean, variance in list(zip(caps, *exact, strict=True))[1:]:
        assert abs(found.mean() - mean) < 4 * np.sqrt(variance / draws)
        squares = (found - mean) ** 2
        assert abs(squares.mean() - variance) < 4 * squares.std() / np.sqrt(draws)
    assert caps[0] == pytest.approx(1 / 3, rel=1e-15)
    empty = comb(905, 5) / comb(908, 8)  # then two of nine parts of the records are left
    assert exact[1][0] == pytest.approx(3 * empty / 81 if unmatched == "zero" else 0, rel=1e-4, abs=1e-30)


def test_options_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"`Uniform\(\)` is the limit of large releases, which only `cap_law` accepts"):
        expected_cap(ORIGINAL, Uniform())
    with pytest.raises(ValueError, match='`unmatched` must be "zero"'):
        variance_cap(ORIGINAL, Uniform(3), unmatched="nearest")


def test_a_table_in_the_place_of_an_option_is_not_printed():
    o = xr.DataArray([[3, 1]], {"target": ["secret"]}, ("target", "key"))
    for told in ({"m": o, "model": "bootstrap"}, {"model": "partial", "alpha": o}, {"model": "swap", "records": o}):
        with pytest.raises(ValueError, match=r"got DataArray of length") as error:
            expected_cap(o, made(**told))
        assert "secret" not in str(error.value)
