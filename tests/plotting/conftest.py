"""Axes to draw on, and results to draw; no figure stays open."""

import matplotlib.pyplot as plt
import pytest

from capstats import average_cap, cap_boxplot
from capstats.datasets import paper_originals, paper_synthetics
from capstats.laws import Uniform, sample_tables


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return plt.subplots()[1]


@pytest.fixture
def o_4():
    return paper_originals().sel(original="O_4", drop=True)


@pytest.fixture
def boxes(o_4):
    return cap_boxplot(o_4, paper_synthetics())


@pytest.fixture
def averages(o_4):
    """Versions 1 and 2 of 500 tables of four records; some have no record in a key, many lack one or two."""
    draws = sample_tables(o_4, Uniform(4), draws=500, rng=3)
    return {"version 1": average_cap(o_4, draws), "version 2": average_cap(o_4, draws, unmatched="drop")}
