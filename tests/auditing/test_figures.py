"""Which pictures a report has: dots for few people, boxes for more; and what is said of them."""

import html
import re

import numpy as np
import pytest

from capstats import audit, cap_boxplot
from capstats.auditing import figures
from capstats.disclosure import key_summary
from capstats.plotting import individual

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    return {"k": rng.integers(0, 6, n).tolist(), "t": rng.integers(0, 3, n).tolist()}


def prefixes(pictures):
    """The kinds of the pictures, from the ids of their parts."""
    return [re.search(r'id="([a-z-]+)-\d+"', picture.svg)[1] for picture in pictures]


def alt_of(picture):
    """What a picture says in words."""
    return html.unescape(re.search(r'aria-label="([^"]*)"', picture.svg)[1])


def pictures(n, releases, **options):
    released = {f"r{i}": people(100, i) for i in range(releases)} if releases > 1 else people(100, 9)
    found = audit(people(n), released, keys="k", target="t", **options)
    return figures.distribution(found, found.labels)


def test_few_people_are_dots_and_more_are_boxes():
    assert prefixes(pictures(figures.MOST_DOTS, 1)) == ["people", "curves"]
    assert prefixes(pictures(figures.MOST_DOTS + 1, 1)) == ["boxes", "curves"]


def test_several_releases_have_boxes():
    (many,) = pictures(500, 20)
    assert prefixes([many]) == ["boxes"]
    assert "A box holds the middle half" in many.caption
    assert all(many.svg.count(f">r{i}<") == 1 for i in range(20))
    assert prefixes(pictures(50, 3)) == ["people", "boxes", "curves"]


def test_boxes_and_what_is_said_of_each_picture_are_in_the_order_of_the_report():
    """The copy is the last to be given, and the first in every table and picture."""
    rows = {**people(300), "x": np.random.default_rng(3).random(300).tolist()}
    found = audit(rows, {"b": people(300, 1), "a": people(300, 2), "copy": rows}, keys="k", target="t", allow_same=True)
    ranked = [found.labels[i] for i in found.ranked]
    assert ranked[0] == "copy"
    assert [label.get_text() for label in figures.boxplots(found, ranked).get_xticklabels()] == ranked
    for picture in [*figures.distribution(found, ranked)[1:], *figures.releases(found, found.labels)]:
        assert re.findall(r"\b(copy|a|b): ", alt_of(picture)) == ranked


def test_weighted_and_fractional_counts_have_the_pictures_that_there_can_be():
    weighted = {**people(100), "w": [1.5] * 100}
    found = audit(weighted, people(100, 9), keys="k", target="t", weights=("w", None))
    assert prefixes(figures.distribution(found, [""])) == ["boxes", "curves"]
    found = audit(weighted, people(100, 9), keys="k", target="t", counts=("w", None))
    assert prefixes(figures.distribution(found, [""])) == ["curves"]


@pytest.mark.parametrize("released", [people(100, 9), {"named": people(100, 9)}])
def test_the_holdout_is_a_curve_of_its_own(released):
    found = audit(people(100), released, keys="k", target="t", holdout=people(80, 4))
    (_, curves) = figures.distribution(found, found.labels)
    assert "people in the original: " in alt_of(curves)
    assert "holdout: " in alt_of(curves)
    assert curves.svg.count("holdout") >= 2  # in the legend and in the description


def test_what_is_said_of_a_picture_has_its_numbers():
    """Two keys of 2: CAP 1, 1 and 1/2, 1/2. A third key, which nobody in the original has, is not counted."""
    found = audit({"k": [*"aabb"], "t": [*"xxxy"]}, {"k": [*"aabbc"], "t": [*"xxxyx"]}, keys="k", target="t")
    dots, curves = figures.distribution(found, [""])
    assert alt_of(dots).endswith(
        "0.000 of the people are at most at 0.25, 0.500 of the people are at most at 0.5, "
        "0.500 of the people are at most at 0.75, 1.000 of the people are at most at 1."
    )
    assert alt_of(curves).endswith("Synthetic table: 0.000, 0.000, 0.500, 0.500, 1.000.")
    assert alt_of(figures.funnel(found, key_summary(found.tables.o, found.tables.s), 0)) == (
        "Average CAP of 2 keys against their number of people, from 2 to 2; 1 keys have synthetic records with one target only."
    )


def test_boxes_are_of_the_people_of_the_original(monkeypatch):
    drawn, draw = [], individual.plot_individual_cap
    monkeypatch.setattr(individual, "plot_individual_cap", lambda boxes, **how: drawn.append(boxes) or draw(boxes, **how))
    found = audit(people(figures.MOST_DOTS + 1), people(100, 9), keys="k", target="t")
    figures.distribution(found, [""])
    exact = cap_boxplot(found.tables.o, found.tables.s)
    of_release = cap_boxplot(found.tables.s.rename("o"), found.tables.o.rename("s"))
    for name in ("lower_quartile", "median", "upper_quartile", "average"):
        assert drawn[0][name].item() == exact[name].item() != of_release[name].item()


def test_releases_are_compared_in_two_pictures():
    found = audit(people(100), {"a": people(50, 1), "b": people(100)}, keys="k", target="t", allow_same=True)
    risk, arrows = figures.releases(found, found.labels)
    assert prefixes([risk, arrows]) == ["risk-utility", "arrows"]
    cap = f"{found.measures.average_cap_zero.values[1]:.3f}"
    assert f"b: {cap}, 0.000." in alt_of(risk)
    assert f"(DiO): {found.measures.original_certain.item():.3f}" in alt_of(arrows)
