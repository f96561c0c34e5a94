"""A figure as an SVG element of an HTML page: it loads nothing, and its names do not collide with the page or another figure."""

from __future__ import annotations

import io
import re
import warnings
from xml.etree import ElementTree as ET

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from capstats.codes.checks import shown

FONTS = "DejaVu Sans, Verdana, Arial, sans-serif"  # matplotlib measures text in the first; Verdana is as wide
DROPPED = ("metadata", "style")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
REFERENCE = re.compile(r"url\(#(.*?)\)")
SHORTHAND = re.compile(r"(?P<kind>.*?)\s*(?P<size>[\d.]+px) .*")  # the shorthand of a font, which some releases of matplotlib write


def inline_svg(ax: Axes, *, prefix: str, alt: str = "") -> str:
    """The figure of the Axes as an SVG element for an HTML page; the figure is closed.

    The element has no prolog, doctype, metadata, script, style sheet or ``style`` attribute, so that the strictest Content-Security-Policy
    lets it be drawn; and no reference other than to its own parts, whose ids start with `prefix`, which must be another one for each figure
    of a page. Text is text, in fonts that readers have. The same figure gives the same element. With `alt` the element is one image for a
    screen reader, described by that text.
    """
    if not re.fullmatch(r"[A-Za-z][\w-]*", prefix, re.ASCII):
        raise ValueError(f"`prefix` must be a letter and then letters, digits, - or _; got {shown(prefix)}.")
    root = _drawn(ax)
    _clean(root)
    ids = _renamed(root, prefix)
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "href":
                element.set(name, f"#{ids[value.removeprefix('#')]}")
            elif "url(" in value:
                element.set(name, REFERENCE.sub(lambda found: f"url(#{ids[found[1]]})", value))
    size = {name: root.attrib[name] for name in ("width", "height", "viewBox")}
    image = {"role": "img", "aria-label": alt} if alt else {}
    drawing = {"font-family": FONTS, "direction": "ltr", "stroke-linejoin": "round", "stroke-linecap": "butt"}
    root.attrib.clear()
    root.attrib.update({"xmlns": "http://www.w3.org/2000/svg", **image, **size, **drawing})
    return ET.tostring(root, encoding="unicode")


def _drawn(ax: Axes) -> ET.Element:
    """The SVG that matplotlib writes, without comments; the figure is closed."""
    figure = ax.figure
    if not isinstance(figure, Figure):
        raise TypeError(f"`ax` must be the Axes of a figure; got those of a {type(figure).__name__}.")
    file = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # the text is drawn with fonts of the reader
        figure.savefig(file, format="svg", metadata={"Date": None})
    plt.close(figure)
    return ET.fromstring(file.getvalue())


def _clean(parent: ET.Element) -> None:
    """Names without namespaces, no metadata or style sheet, numbers with two decimals, and each style as attributes of its own."""
    parent.tag = parent.tag.rpartition("}")[2]
    parent.attrib.update({name.rpartition("}")[2]: parent.attrib.pop(name) for name in list(parent.attrib) if "}" in name})
    parent.attrib.update(attributes(parent.attrib.pop("style", "")))
    for name in ("d", "x", "y", "width", "height", "transform", "points"):
        if name in parent.attrib:
            parent.set(name, " ".join(LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}", parent.attrib[name]).split()))
    if (href := parent.attrib.get("href", "#"))[0] != "#":
        raise ValueError(
            f"A figure of a page must be drawn by lines and areas alone; got an element {parent.tag!r} that refers to {href[:30]!r}."
        )
    for child in list(parent):
        if child.tag.rpartition("}")[2] in DROPPED:
            parent.remove(child)
        else:
            _clean(child)
            child.tail = None
    if not (parent.text or "").strip():
        parent.text = None


def attributes(style: str) -> dict[str, str]:
    """The properties of a ``style`` as attributes; fonts are those of the whole element."""
    properties = dict(re.split(r":\s*", part.strip(), maxsplit=1) for part in style.split(";") if part.strip())
    if found := SHORTHAND.match(properties.pop("font", "")):
        properties["font-size"] = found["size"]
        for kind in found["kind"].split():
            properties["font-style" if kind in ("italic", "oblique") else "font-weight"] = kind
    properties.pop("font-family", None)
    return properties


def _renamed(root: ET.Element, prefix: str) -> dict[str, str]:
    """New ids in their order; elements that nothing refers to have none."""
    wanted = {element.attrib["href"].removeprefix("#") for element in root.iter() if "href" in element.attrib}
    wanted |= {found for element in root.iter() for value in element.attrib.values() for found in REFERENCE.findall(value)}
    ids: dict[str, str] = {}
    for element in root.iter():
        if (old := element.attrib.pop("id", "")) in wanted:
            ids[old] = f"{prefix}-{len(ids) + 1}"
            element.set("id", ids[old])
    return ids
