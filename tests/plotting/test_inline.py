"""A figure within a page: valid, the same each time, with no reference to anything else, whatever the labels say."""

import re
from xml.etree import ElementTree as ET

import html5lib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

from capstats import audit, average_cap, cap_boxplot, cap_ecdf, from_counts, individual_cap
from capstats.attacks import maximum_knowledge
from capstats.disclosure import key_summary
from capstats.plotting import (
    plot_average_cap,
    plot_cap_ecdf,
    plot_disclosure_arrows,
    plot_individual_cap,
    plot_key_target,
    plot_maximum_knowledge,
    plot_people,
    plot_risk_utility,
    plot_sweep,
)
from capstats.plotting.inline import attributes, inline_svg
from capstats.screening import sweep

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "</svg><img src=x onerror=alert(1)>",
    "$\\frac{",
    "a\u202eb",
    "&lt;&amp;",
    "\x1b[31m",
    "url(#evil)",
]


def elements(text):
    return list(ET.fromstring(text).iter())


def written(text):
    return ["".join(element.itertext()) for element in elements(text) if element.tag == f"{SVG}text"]


def test_the_element_starts_the_text_and_has_no_metadata_date_style_or_script(boxes):
    text = inline_svg(plot_individual_cap(boxes), prefix="boxes")
    assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert text.endswith("</svg>")
    assert {element.tag for element in elements(text)} <= {
        SVG + tag for tag in ("svg", "defs", "g", "path", "use", "text", "clipPath", "rect")
    }
    assert not {name for element in elements(text) for name in element.attrib if name.startswith(("style", "on", "class"))}
    assert "xlink" not in text


def test_two_figures_of_a_page_have_no_id_in_common_and_refer_to_their_own_parts(averages, boxes):
    """Ids are those of markers, clips and hatches; nothing else has one."""
    pages = [inline_svg(plot_average_cap(averages, hatch="x"), prefix="one"), inline_svg(plot_individual_cap(boxes), prefix="two")]
    for text, prefix in zip(pages, ("one", "two"), strict=True):
        ids = [element.get("id") for element in elements(text) if element.get("id")]
        used = set(re.findall(r'href="#(.*?)"', text)) | set(re.findall(r"url\(#(.*?)\)", text))
        assert len(ids) == len(set(ids)) > 1
        assert used == set(ids)
        assert all(name.startswith(f"{prefix}-") for name in ids)
    assert any(element.tag == f"{SVG}pattern" for element in elements(pages[0]))


def test_a_page_parser_finds_the_same_elements_as_an_xml_parser(boxes, averages):
    texts = [inline_svg(plot_individual_cap(boxes), prefix="one"), inline_svg(plot_average_cap(averages), prefix="two", alt='"<b>"')]
    parser = html5lib.HTMLParser(strict=True)  # any error of the page raises
    page = parser.parse("<!DOCTYPE html><html><head><title>t</title></head><body>" + "".join(texts) + "</body></html>")
    found = [element.tag for element in page.iter() if str(element.tag).startswith(SVG)]
    assert found == [element.tag for text in texts for element in elements(text)]
    (second,) = [element for element in page.iter() if element.get("role")]
    assert (second.get("role"), second.get("aria-label")) == ("img", '"<b>"')


LABELS = [*HOSTILE, "long" * 2500]


def drawn_with_hostile_labels():
    """Every figure that writes labels of the data, of tables whose keys, targets, columns and names a page would interpret."""
    rng = np.random.default_rng(1)
    o, s = rng.integers(0, 9, (8, 8)), rng.integers(1, 9, (8, 8, 8))
    tables = from_counts(o, dict(zip(LABELS, s, strict=True)), key_labels={"<k> $\\frac{": LABELS}, target_labels={"$\\frac{t$": LABELS})
    one = tables.isel(synthetic=0, drop=True)
    q, grid = individual_cap(one.o, one.s), np.linspace(0, 1, 21)
    records = {label: rng.integers(0, 3, 40) for label in [*LABELS, "$t$", "<u>"]}
    swept = sweep(
        records, records, allow_same=True, keys=LABELS, targets=["$t$", "<u>"], sizes=1, measures=["original_certain", "share_certain"]
    )
    measures = audit(records, dict.fromkeys(LABELS, records), allow_same=True, keys=LABELS[0], target="$t$").measures
    known = maximum_knowledge(records, [records] * 2, allow_same=True, columns=LABELS, n_releases=[1, 2])
    return {
        "people": lambda: plot_people(one, q, by_target=True),
        "key_target": lambda: plot_key_target(one, q, by=key_summary(one.o, one.s).cap),
        "boxes": lambda: plot_individual_cap(cap_boxplot(tables.o, tables.s)),
        "ecdf": lambda: plot_cap_ecdf(cap_ecdf(tables.o, tables.s, grid), average=average_cap(tables.o, tables.s)),
        "average": lambda: plot_average_cap({label: xr.DataArray([0.1, 0.2, 0.3]) for label in LABELS}),
        "sweep": lambda: plot_sweep(swept.sel(measure="share_certain"), contribution="mean_increment"),
        "columns": lambda: plot_disclosure_arrows(swept.isel(keyset=0)),
        "arrows": lambda: plot_disclosure_arrows(measures),
        "utility": lambda: plot_risk_utility(measures),
        "knowledge": lambda: plot_maximum_knowledge(known),
    }


@pytest.fixture(scope="module")
def every_figure():
    return drawn_with_hostile_labels()


@pytest.mark.parametrize(
    "name",
    ["people", "key_target", "boxes", "ecdf", "average", "sweep", "columns", "arrows", "utility", "knowledge"],
)
def test_no_figure_interprets_a_label_and_none_is_crowded_out_by_one(name, every_figure):
    ax = every_figure[name]()
    ax.figure.canvas.draw()  # any warning is an error
    assert ax.get_position().width > 0.25
    assert ax.get_position().height > 0.25
    text = inline_svg(ax, prefix="a")
    page = html5lib.HTMLParser(strict=True).parse(f"<!DOCTYPE html><html><head><title>t</title></head><body>{text}</body></html>")
    tags = {str(element.tag).removeprefix(SVG) for element in page.iter(f"{SVG}*")} | {
        element.tag.removeprefix(SVG) for element in elements(text)
    }
    assert tags <= {"svg", "defs", "g", "path", "use", "text", "clipPath", "rect", "pattern"}
    labels = " ".join("".join(element.itertext()) for element in page.iter(f"{SVG}text"))
    for inert in ["$t$", "<u>"] if name == "columns" else ["<scr", "$\\frac{", "\\u202eb", "\\x1b[31m"]:
        assert inert in labels
    assert "\u202e" not in text
    assert "long" * 20 not in text


def test_labels_in_a_script_that_the_font_lacks_are_text_without_a_warning(ax):
    ax.set_title("病気 🙂")
    assert "病気 🙂" in written(inline_svg(ax, prefix="a"))


@pytest.mark.parametrize(
    ("style", "found"),
    [
        ("font: 10px 'DejaVu Sans', 'Arial'; text-anchor: middle", {"font-size": "10px", "text-anchor": "middle"}),
        ("font: oblique 700 8.33px 'DejaVu Sans'", {"font-style": "oblique", "font-weight": "700", "font-size": "8.33px"}),
        ("font-size: 10px; font-family: 'DejaVu Sans', sans-serif", {"font-size": "10px"}),
        ("fill: none; stroke: #000000", {"fill": "none", "stroke": "#000000"}),
        ("", {}),
    ],
)
def test_a_style_becomes_attributes_however_a_release_of_matplotlib_writes_it(style, found):
    assert attributes(style) == found


def test_the_figure_is_closed(boxes):
    inline_svg(plot_individual_cap(boxes), prefix="a")
    assert plt.get_fignums() == []


def test_a_figure_with_pixels_is_refused_since_a_page_would_have_to_load_them(ax):
    ax.imshow(np.eye(2))
    with pytest.raises(ValueError, match="must be drawn by lines and areas alone; got an element 'image' that refers to 'data:image/png"):
        inline_svg(ax, prefix="a")


@pytest.mark.parametrize("prefix", ["", "1", "a b", 'a"', "é", "-a"])
def test_a_prefix_that_is_no_name_is_refused(ax, prefix):
    with pytest.raises(ValueError, match="`prefix` must be a letter and then letters, digits, - or _; got "):
        inline_svg(ax, prefix=prefix)


def test_axes_of_a_part_of_a_figure_are_refused():
    part = plt.figure().subfigures(1, 2)[0]
    with pytest.raises(TypeError, match="`ax` must be the Axes of a figure; got those of a SubFigure"):
        inline_svg(part.subplots(), prefix="a")


@pytest.mark.parametrize(("style", "weight", "slant"), [({"fontweight": "bold"}, "700", None), ({"fontstyle": "italic"}, None, "italic")])
def test_bold_and_italic_texts_stay_so(ax, style, weight, slant):
    ax.set_title("title", **style)
    (title,) = [element for element in elements(inline_svg(ax, prefix="a")) if element.text == "title"]
    assert (title.get("font-weight"), title.get("font-style"), title.get("font-size")) == (weight, slant, "12px")
    assert title.get("font-family") is None
