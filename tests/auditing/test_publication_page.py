"""The public page, searched as somebody would who wants to find people in it."""

import re
from itertools import combinations

import html5lib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from read_reports import public

import capstats
from capstats import audit

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

SVG = "{http://www.w3.org/2000/svg}"
WORDS = (  # numbers of the text that are no results, or are computed from printed ones
    r"standard error (of average CAP is )?at most [\d.]+",
    r"version 1",
    r"release \d+",
    r"above 0\.[59]0*",
    r"multiples of [\d.]+",
    r"at steps of 0\.05 and [\d.]+",
    r"rounded to [\d.]+",
    r"1 to \d+ records",
    r"at most (0\.25|0\.5|0\.75|0|1)(?=[,;.])",
    r"at most \d releases",
    r"less than [\d.]+",
    r"closer to 1 than",
    r"one step is at least \d+",
    r"rounds to 0",
    r"\d+ (synthetic|released) tables",
    re.escape(f"capstats {capstats.__version__}"),
)


def decimals(text):
    """A text with each percentage as a decimal."""
    return re.sub(r"(\u2212?)(\d[\d.]*)\s%", lambda x: f"{'-' * bool(x[1])}{float(x[2]) / 100:.3f}", text)


def numbers_of(page):
    """All numbers of the text and of what is said of the figures, without the definitions, which are the same in every page."""
    root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    body = root.find("body")
    for section in list(body.find("main")):
        if section.find("h2").text == "Definitions":
            body.find("main").remove(section)
    said = []
    for element in body.iter():
        if element.tag == f"{SVG}svg":
            said.append(element.get("aria-label"))
            written = [float(x.text) for x in element.iter(f"{SVG}text") if re.fullmatch(r"[\d.]+", x.text or "")]
            assert set(written) <= {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}  # ticks
            said += [x.text for x in element.iter(f"{SVG}text") if x.text and not re.fullmatch(r"[\d.]+", x.text)]
        elif not str(element.tag).startswith(SVG):
            said += [element.text or ""]
        said.append(element.tail or "")
    text = decimals(" ".join(" ".join(said).split()))
    for words in WORDS:
        text = re.sub(words, " ", text)
    found = re.findall(r"-?\d[\d,]*\.?\d*", text)
    totals = [int(x.rstrip(",.").replace(",", "")) for x in found if "." not in x.rstrip(".")]
    return totals, [float(x) for x in found if "." in x.rstrip(".")]


def check(page, threshold, labels):
    """No label; no number, product, complement, sum or difference that stands for 1 to threshold - 1 records."""
    assert not any(label in page for label in labels)
    totals, shares = numbers_of(page)
    assert totals
    assert len(shares) >= 10
    base, step = (float(x.rstrip(",.")) for x in re.findall(r"multiples of ([\d.]+)", decimals(page))[:2])
    assert base >= threshold
    assert not any(n % base for n in totals)
    np.testing.assert_allclose(np.divide(shares, step), np.round(np.divide(shares, step)), atol=1e-6)
    small = [abs(a - b) for a, b in combinations([0, *totals], 2)]
    assert all(x == 0 or x >= threshold for x in small)
    steps = np.unique(np.abs(shares))
    apart = np.abs(steps[:, None] - steps).ravel()
    for n in totals:
        for share in (steps, 1 - steps, apart):
            records = n * share
            assert ((records < 1e-6) | (records > threshold - 1e-6)).all()


def people(n, seed, marked):
    """Records whose labels and numbers are nowhere else: LBL of the levels."""
    rng = np.random.default_rng(seed)
    k, t = rng.integers(0, 5, n), rng.integers(0, 3, n)
    k[: marked % 7] = 6  # a rare key, with its own target
    t[: marked % 7] = 4
    return {"COL-k": [f"LBL-k-{x}" for x in k], "COL-u": rng.choice(["LBL-yes", "LBL-no"], n).tolist(), "COL-t": [f"LBL-t-{x}" for x in t]}


@settings(max_examples=20)
@given(st.integers(240, 900), st.integers(2, 12), st.integers(1, 4), st.booleans(), st.integers(0, 1000))
def test_no_label_and_no_few_people_can_be_found_in_a_page(n, threshold, releases, held, seed):
    original, holdout = people(n, seed, seed), people(n // 2 + 80, seed + 1, 0)
    released = {f"LBL-release-{i}": people(60 + 100 * i, seed + 2 + i, seed + i) for i in range(releases)}
    found = audit(
        original,
        released if releases > 1 else released["LBL-release-0"],
        keys=["COL-k", "COL-u"],
        target="COL-t",
        holdout=holdout if held else None,
        against="LBL-release-0" if releases > 1 else None,
        rank_by="average_cap_nearest",
        utility={"LBL-utility": 0.123456},
        provenance={"seed": "LBL-seed", "settings": "path = 'LBL-path'", "source": "LBL-source"},
    )
    page = public(found, threshold)
    check(page, threshold, ["LBL", "0.123456"])
    assert {"COL-k", "COL-u", "COL-t"} <= set(re.findall(r"COL-\w", page))


def test_files_and_their_hashes_are_not_in_a_page(tmp_path):
    original, released = (tmp_path / f"LBL-{name}.csv" for name in ("original", "released"))
    for path, seed in ((original, 1), (released, 2)):
        rows = people(300, seed, 3)
        path.write_text("\n".join([",".join(rows), *map(",".join, zip(*rows.values(), strict=True))]), encoding="utf-8")
    found = audit(original, {"LBL-a": released, "LBL-b": released}, keys=["COL-k", "COL-u"], target="COL-t")
    assert "sha256" in found.to_html().partition("</style>")[2]
    page = found.to_html(tmp_path / "public.html", audience="public", ledger=tmp_path / "ledger.json")
    check(page, 10, ["LBL", str(tmp_path), "csv"])
    assert "sha256" not in page.partition("</style>")[2]
    assert not re.search("[0-9a-f]{32}", page)
    assert (tmp_path / "public.html").read_text(encoding="utf-8") == page


def test_a_figure_is_drawn_from_rounded_numbers():
    """Every corner of the step curve and every line is at a multiple of the step, to the two decimals of a coordinate."""
    page = public(audit(people(500, 1, 3), people(400, 2, 0), keys=["COL-k", "COL-u"], target="COL-t"))
    root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    steps = 1 / float(re.search(r"shares to multiples of ([\d.]+),", decimals(page))[1])
    (rect,) = root.iter(f"{SVG}rect")
    x0, y0, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
    corners = []
    for path in root.iter(f"{SVG}path"):
        if path.get("clip-path"):
            points = np.array(re.findall(r"[ML] ([\d.]+) ([\d.]+)", path.get("d")), dtype=float)
            inside = (np.array([0, 1]) + [1, -1] * (points - [x0, y0]) / [width, height]) * 1.06 - 0.03  # both axes from -0.03 to 1.03
            vertical = np.ptp(points[:, 0]) == 0
            corners += inside[:, 0].tolist() if vertical else inside[:, 1].tolist()
    assert len(corners) > 20
    np.testing.assert_allclose(np.multiply(corners, steps), np.round(np.multiply(corners, steps)), atol=0.002 * steps)


@pytest.mark.parametrize(
    "asked",
    [
        {"rank_by": "average_cap_zero"},  # the order by an exact number would tell which of two equal printed ones is greater
        {"generator": [people(300, seed, 0) for seed in (3, 4)]},
        {"population_size": 50_000},
        {"copy_columns": 0},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_what_is_for_the_custodian_alone_changes_nothing_of_the_page(asked):
    original = people(300, 1, 0)
    of = {"keys": ["COL-k", "COL-u"], "target": "COL-t", "allow_same": True}
    plain, found = (audit(original, {"first": people(50, 9, 0), "second": original}, **of, **more) for more in ({}, asked))
    page = public(plain)
    assert "copied_records" in plain.measures
    assert public(found) == page
    told = "copies of records and all settings are in the internal version only"
    assert told in page
    assert not re.search("cop(y|ies|ied)", page.replace(told, ""))


def test_differences_are_those_of_printed_numbers():
    """So they tell nothing that the numbers themselves do not."""
    original = people(300, 1, 0)
    released = {"a": people(300, 2, 0), "b": original}
    of = {"keys": ["COL-k", "COL-u"], "target": "COL-t"}
    page = public(audit(original, released, **of, against="a", holdout=people(300, 5, 0), allow_same=True))
    root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    table = next(iter(root.iter("table")))
    heads = ["".join(cell.itertext()) for cell in table.find("thead/tr")]
    rows = [dict(zip(heads, ["".join(cell.itertext()) for cell in row], strict=True)) for row in table.find("tbody")]
    for row in rows:
        average, first = (float(of["average CAP, version 1"]) for of in (row, rows[0]))
        assert float(row["difference to holdout"]) == pytest.approx(average - float(row["holdout"]))
        assert float(row["difference to release 1"]) == pytest.approx(average - first)


def test_a_page_says_what_it_leaves_out_and_judges_nothing():
    page = public(audit(people(300, 1, 0), people(300, 2, 0), keys=["COL-k", "COL-u"], target="COL-t"))
    assert "Results by value of the target and by column, single people, unique people, keys, values of columns" in page
    assert not re.search(r"\b(safe|unsafe|good|bad|acceptable|excellent|severe|low risk|high risk)\b", page, re.IGNORECASE)


def test_one_person_whose_label_has_another_spelling_changes_nothing():
    """A warning would say that there is such a person, though the share of unmatched people rounds to 0."""
    original, released = people(300, 1, 0), people(300, 2, 0)
    other = {**original, "COL-u": [original["COL-u"][0].upper(), *original["COL-u"][1:]]}
    one, two = (audit(table, released, keys=["COL-k", "COL-u"], target="COL-t") for table in (original, other))
    assert "warnings" in two.provenance
    assert "warnings" not in one.provenance
    assert public(one) == public(two)


def test_an_audience_is_internal_or_public(found):
    with pytest.raises(ValueError, match='`audience` must be "internal" or "public"'):
        found.to_html(audience="secret")


def test_a_page_says_that_weights_make_its_step_coarse_where_they_do():
    """Of 1000 records with one of weight 11 the step is large; without weights it would be 1/40 of about 1000."""

    def page(weights):
        records = {**people(1000, 0, 0), "w": weights}
        return public(audit(records, people(1000, 1, 0), keys="COL-k", target="COL-t", weights=("w", None)))

    assert "Unequal weights" not in page([2.0] * 1000)
    heavy = page([11.0, *[1.0] * 999])
    assert "shares to multiples of 25\u00a0%" in heavy
    assert "Unequal weights make the shares so coarse: 20 records must be at most one step" in heavy
    assert "Without weights, multiples of 2.5\u00a0% would do" in heavy


def test_a_guess_is_by_weight_where_the_release_has_weights():
    """It is the release whose records are picked, whatever weighs the original."""
    records = {**people(300, 1, 0), "w": [2.0] * 300}
    for weights, how in ((("w", None), "at random"), (("w", "w"), "with probability proportional to its weight")):
        page = public(audit(records, {**people(300, 2, 0), "w": [1.0, 3.0] * 150}, keys="COL-k", target="COL-t", weights=weights))
        assert f"pick one of them {how}, and take" in page


def test_a_bound_of_the_standard_error_follows_from_printed_numbers_and_holds():
    """The mean is less than a step from the printed one, and the variance of numbers from 0 to 1 is at most that of a coin of this mean."""
    found = audit(people(900, 1, 3), people(400, 2, 0), keys=["COL-k", "COL-u"], target="COL-t", holdout=people(700, 5, 0))
    page = public(found)
    alone, both = (float(x) for x in re.findall(r"standard error (?:of average CAP is )?at most ([\d.]+\d)", decimals(page)))
    assert found.measures.average_cap_nearest_error.item() <= alone <= 0.5 / np.sqrt(890) + 0.001
    assert found.measures.individual_disclosure_error.item() <= both <= alone + 0.02
    weighted = {**people(900, 1, 3), "w": [1.5] * 900}
    assert "standard error" not in public(audit(weighted, people(400, 2, 0), keys="COL-k", target="COL-t", weights=("w", None)))
