"""What the lesson on the law is given is what the library says."""

import numpy as np
import pytest

from capstats import average_cap, baseline_cap
from capstats.datasets import paper_originals
from capstats.laws import Uniform, cap_law
from capstats.lessons.given import FINITE, POINTS, figure_2
from capstats.paper import no_riskier

ORIGINALS = {str(name): paper_originals().sel(original=name, drop=True) for name in paper_originals().original.values}


@pytest.fixture(scope="module")
def given():
    return figure_2()["originals"]


@pytest.mark.parametrize("name", ORIGINALS)
def test_the_curve_of_each_original_is_its_law(name, given):
    o, found = ORIGINALS[name], given[name]
    law = cap_law(o, Uniform())
    assert found["o"] == o.values.tolist()
    assert (found["least"], found["greatest"]) == (law.least, law.greatest)
    assert found["itself"] == average_cap(o, o).item()
    assert found["baseline"] == baseline_cap(o).item()
    if law.least == law.greatest:
        assert "density" not in found
        return
    grid = np.linspace(law.least, law.greatest, POINTS)
    for what in ("cdf", "density"):
        exact = getattr(law, what)(grid)
        assert ((exact.least <= found[what]) & (found[what] <= exact.greatest)).all()


@pytest.mark.parametrize("name", ORIGINALS)
def test_the_share_that_passes_in_the_limit_is_that_of_figure_2(name, given):
    lower, upper = no_riskier(name)
    assert lower <= given[name]["limit"] <= upper


def test_no_table_is_riskier_than_an_original_whose_key_says_nothing_or_everything(given):
    for name in ("O_1", "O_2"):
        assert given[name]["limit"] == 1
        assert set(map(tuple, given[name]["finite"].values())) == {(1, 1)}


@pytest.mark.parametrize(("name", "m"), FINITE)
def test_the_kept_bounds_hold_those_of_the_library(name, m):
    lower, upper = FINITE[name, m]
    found = no_riskier(name, m)
    assert lower <= found[0] <= found[1] <= upper
    assert upper - lower < 4e-5
