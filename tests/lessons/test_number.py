"""What does my number mean?: the scale and the sentences are those of the front sheet, and of an oracle on random numbers."""

import json
import re
from itertools import chain, combinations
from math import floor, sqrt
from pathlib import Path

import numpy as np
import pytest
from chromium import opened
from lesson_pages import numbers

from capstats import audit, average_cap, baseline_cap, cap_ecdf, correct_predictions
from capstats.auditing.compute import Z
from capstats.auditing.measures import SENTENCES
from capstats.datasets import anes96, example
from capstats.lessons import page
from capstats.reports.blocks import Headline, Scale
from capstats.tables.printing import count, part, percent

pytestmark = pytest.mark.chromium
LESSON = "number"
CASES = 200
FRONT, SAID = SENTENCES["front"], SENTENCES["number"]
SHARES = ("average", "baseline", "original", "sure", "fresh")
COMMONEST = ("named", "named_without", "named_with")
FIELDS = (*SHARES, *COMMONEST, "people", "holdout")
LINK = re.compile(r"\[(.+)\]\((docs/(.+)\.md)\)")
SHOWN = """cases => cases.map(texts => {
  put(texts);
  const text = selector => document.querySelector(selector).textContent;
  const all = selector => [...document.querySelectorAll(selector)];
  const found = {problem: text('#problem'), about: text('#about'), wrong: all('[aria-invalid]').map(e => e.id)};
  if (document.querySelector('#found').hidden) return found;
  return {
    ...found, right: text('#right'), said: text('#right-text'), place: text('#place'), caption: text('#caption'),
    marks: all('.mark').map(e => [
      e.querySelector('span').textContent, e.querySelector('strong').textContent, e.classList.contains('release'),
      parseFloat(e.querySelector('.own')?.getAttribute('x1') ?? e.querySelector('svg svg').getAttribute('x')), !!e.querySelector('.bar')]),
    rows: all('#rows > div').map(e => [...e.querySelectorAll('dt span, dd')].map(x => x.textContent)),
    next: all('#next li').map(e => e.textContent),
  };
})"""


@pytest.fixture
def tab(lesson):
    """The page at its start, without numbers in its address."""
    lesson.evaluate("history.replaceState(null, '', location.pathname)")
    lesson.reload()
    numbers(lesson)
    return lesson


def shown(tab, *cases):
    """What the page says of each case, the texts of its fields by name."""
    numbers(tab)
    found = json.dumps(tab.evaluate(SHOWN, [dict(case) for case in cases]), ensure_ascii=False)
    assert not re.search(r"\d %", found), "no line ends before a per cent sign"
    return json.loads(found.replace("\u00a0", " "))


# --- the oracle: sentences by name, of values and of how far their digits leave them open


def whole(x):
    return percent(x, 0)


def points(x):
    return percent(x).replace("%", "points")


def compare(x, y):
    return 0 if abs(x[0] - y[0]) <= x[1] + y[1] + 1e-12 else 1 if x[0] > y[0] else -1


def below(x, y):
    """Whether one number is below another, whatever the digits that are not there."""
    return bool(x and y) and compare(x, y) < 0


def contradiction(v, version):
    """The sentence on numbers that cannot belong together, if any."""
    (c, open_c), (b, open_b), (o, open_o), (a, open_a) = (v.get(name, (None, 0)) for name in SHARES[:4])
    if c is not None and version == "drop":
        return "version_2", {}
    if o is not None and b is not None and o + open_o < b - open_b - 2e-12:
        return "original_below", {"original": percent(o), "baseline": percent(b)}
    for name, field, of in (("without", "named_without", "baseline"), ("original", "named_with", "original")):
        if (field in v and of in v and not (sum(v[of]) + 2e-12) ** 0.5 >= v[field][0] - v[field][1]) or below(v.get(field), v.get(of)):
            return f"commonest_{name}", {"named": percent(v[field][0]), "least": percent(v[of][0]), "most": percent(sqrt(v[of][0]))}
    for field in ("named", "named_without", "average"):
        if below(v.get("named_with"), v.get(field)):
            return "above_best", {"named": percent(v[field][0]), "best": percent(v["named_with"][0])}
    if c is None:
        return None
    if o is not None and c - open_c > sqrt(o + open_o) + 2e-12:
        return "above_greatest", {"average": percent(c), "original": percent(o), "greatest": percent(sqrt(o))}
    if a is not None:
        texts = {"average": percent(c), "share_sure": whole(a), "least": percent(0.9 * a), "most": percent(0.9 + 0.1 * a)}
        if 0.9 * (a - open_a) > c + open_c + 2e-12:
            return "too_low", texts
        if 0.9 + 0.1 * (a + open_a) < c - open_c - 2e-12:
            return "too_high", texts
    return None


def vague(x, y, mark):
    """What is said where equal numbers of so few digits may be more than 0.02 apart."""
    return ("open", {"mark": mark}) if x[1] + y[1] > 0.02 else None


def placed(v):
    c, b, o = v["average"], v["baseline"], v.get("original")
    if compare(c, b) < 0:
        return "below" if c[0] else "never", {"by": points(b[0] - c[0])}
    if compare(c, b) == 0:
        return vague(c, b, "guess without data") or ("always" if c[0] == b[0] == 1 else "at_baseline", {})
    if o is None:
        return "above_baseline", {"by": points(c[0] - b[0]), "way": whole((c[0] - b[0]) / (1 - b[0]))}
    if compare(c, o) >= 0:
        return (
            vague(c, o, "the original itself") or ("at_original", {})
            if compare(c, o) == 0
            else ("above_original", {"by": points(c[0] - o[0])})
        )
    way = (c[0] - b[0]) / (o[0] - b[0])
    error = (c[1] + (1 - way) * b[1] + way * o[1]) / (o[0] - b[0])
    if error > 0.05:
        return "rough", {}
    if o[0] - b[0] < 0.05:
        return "near_both", {"range": points(o[0] - b[0])}
    return ["near_baseline", "between", "near_original"][(way >= 0.25) + (way > 0.75)], {"way": whole(way)}


def of_commonest(v):
    """The sentence on naming the commonest answer."""
    if "named" not in v:
        return "missing", {}
    x, without = v["named"], v.get("named_without")
    if without:
        name = ["below", "alike", "above"][compare(x, without) + 1]
        return "open" if name == "alike" and vague(x, without, "") else name, {"by": points(abs(x[0] - without[0]))}
    most = sqrt(sum(v["baseline"]))
    return "above_any" if x[0] - x[1] > most + 1e-12 else "unknown", {"most": whole(min(1, most))}


def of_fresh(v, n_h):
    if "fresh" not in v:
        return None
    c, f = v["average"], v["fresh"]
    if "original" in v and compare(f, v["original"]) > 0:
        return "odd", {}
    if not n_h and compare(c, f) == 0 and vague(c, f, ""):
        return "open", {"mark": "fresh sample"}
    lower = upper = f[0]
    if n_h:
        roots = np.roots([1 + Z**2 / n_h, -(2 * f[0] + Z**2 / n_h), f[0] ** 2])  # of (f - p)^2 = z^2 p (1 - p) / n
        lower, upper = np.clip(np.sort(roots.real), 0, 1)
    slack = c[1] + (0 if n_h else f[1]) + 1e-12
    texts = {"by": points(abs(c[0] - f[0])), "lower": percent(lower), "upper": percent(upper)}
    if n_h and lower - slack <= c[0] <= upper + slack and not lower - 1e-12 <= c[0] <= upper + 1e-12:
        return "rough", texts
    if lower - slack <= c[0] <= upper + slack:
        return ("within" if n_h else "as_high"), texts
    if c[0] < lower:
        return "below", texts
    return ("surely" if n_h else "above"), texts


def expected(v, version="nearest", people=0, holdout=0):
    """All that the page says of numbers, each a value and how far its digits leave it open."""
    words = {"people": "people", "share": "share", "Share": "Share", "target": "target"}
    if found := contradiction(v, version):
        return {"problem": SAID["wrong"][found[0]].format(**found[1])}
    if not {"average", "baseline"} <= set(v):
        return {"problem": "", "about": SAID["missing"]}
    (c, _), (b, _), o = v["average"], v["baseline"], v.get("original")

    def told(x):
        if not people:
            return percent(x[0])
        if x[1] <= 1e-12:
            return part(x[0], people, int(people < 100))
        ends = {round((x[0] + sign * x[1] * (1 - 1e-9)) * people) for sign in (-1, 1)}
        return "about " * (len(ends) > 1) + count(round(x[0] * people))

    parts = {name: told(v[name]) if name in v else "" for name in (*COMMONEST, "original")}
    said = (
        f"A matching record drawn at random is right about {told(v['average'])} of {f'{count(people)} people' if people else 'the people'}"
    )
    said += f"; naming the commonest answer, {parts['named']}" if parts["named"] else ""
    said += f" (without the release {told(v['baseline'])}{' and ' * bool(parts['named_without'])}{parts['named_without']}"
    said += f"; with the original {parts['original']}{' and ' * bool(parts['named_with'])}{parts['named_with']})." if o else ")."
    where, values = placed(v)
    known = v.get("named_without")
    greatest = sum(known) if known else sqrt(b + v["baseline"][1])
    is_above = c - v["average"][1] > greatest + 1e-12
    of_baseline = "one" if b == 1 else "even" if b < 0.5 else "frequent_above" if is_above else "frequent"
    of_original, by = ("missing", 0) if o is None else ("above", o[0] - b) if compare(o, v["baseline"]) else ("alike", 0)
    open_original = of_original == "alike" and vague(o, v["baseline"], "guess without data")
    a = v.get("sure")
    of_sure = "missing" if a is None else "some" if a[0] else "none"
    sure = {"least": whole(max(0, (c - 0.9) / 0.1)), "most": whole(min(1, c / 0.9))}
    if c in (0, 1):
        of_sure, sure = "only", {"average": percent(c), "share_sure": whole(c)}
    elif a:
        sure = {"share_sure": percent(a[0]), "sure": f" ({count(round(a[0] * people))})" if people else ""}
    fresh = of_fresh(v, holdout)
    every = [("baseline", b), ("fresh", v["fresh"][0])] if fresh else [("baseline", b)]
    every += [("release", c), ("original", o[0]) if o else ("everybody", 1)]
    names = {"baseline": "guess without data", "fresh": "fresh sample", "release": "this release", "original": "the original itself"}
    least, most = min(x for _, x in every), max(x for _, x in every)
    marks = []
    for name, x in every:
        at = round(2 + 96 * ((x - least) / (most - least) if most > least else 0.5), 2)
        is_release = name == "release"
        marks.append([names.get(name, "everybody right"), percent(x), is_release, at, is_release and bool(fresh) and c > v["fresh"][0]])
    next_lines = ["report"] + ["above"] * (a is None) + ["people", "copies", "utility" if where in ("below", "at_baseline") else "lower"]
    next_lines += ["holdout"] * (not fresh) + ["limit"]
    ends = [whole(max(0, b - v["baseline"][1])), whole(min(1, greatest))]
    ends = [whole(known[0])] * 2 if known else ends
    sentences = [
        SAID["baseline"][of_baseline].format(range=f"about {ends[0]}" if ends[0] == ends[1] else " to ".join(ends), most=ends[1]),
        SAID["average"]["open"].format(**open_original[1]) if open_original else SAID["original"][of_original].format(by=points(by)),
        SAID["commonest"][of_commonest(v)[0]].format(**of_commonest(v)[1]),
        SAID["above"][of_sure].format(**sure),
        (SAID["average"] | SAID["fresh_sample"])[fresh[0]].format(**fresh[1]) if fresh else FRONT["no_holdout"],
    ]
    typed = [v.get(name) for name in ("baseline", "original", "named", "sure", "fresh")]
    captions = ["scale_zero" if version == "zero" else "scale", *["fresh", "other_size"] * bool(fresh)]
    return {
        "problem": "",
        "about": "",
        "right": " or ".join(dict.fromkeys(x for x in (told(v["average"]), parts["named"]) if x)),
        "said": said,
        "place": SAID["average"][where].format(**values),
        "caption": " ".join(FRONT[name].format(**words) for name in captions),
        "marks": marks,
        "rows": [[percent(x[0]) if x else "not typed", text] for x, text in zip(typed, sentences, strict=True)],
        "next": [LINK.sub(r'"\1" in the documentation', SAID["next"][name]) for name in next_lines],
    }


def agree(found, wanted):
    assert [dict(case, wrong=None, about=case["about"] if "about" in want else None) for case, want in zip(found, wanted, strict=True)] == [
        {"about": None, **want, "wrong": None} for want in wanted
    ]


def written(rng, x, people):
    """A share as somebody types it, with what it then is, and how far its digits leave it open."""
    kind = rng.integers(5)
    if kind == 0 and people:
        k = round(x * people)
        return f"{k} of {people}", (k / people, 0.5 / people)
    if kind == 1:
        text = f"{100 * x:.1f}"
        return f"{text}%", (float(text) / 100, 0.0005)
    if kind == 2:
        return f"{x:.2f}".replace(".", ","), (float(f"{x:.2f}"), 0.005)
    if kind == 3:
        return repr(float(x)), (float(x), 0.5 * 10.0 ** -len(repr(float(x)).partition(".")[2]))
    return f"{x:.3f}", (float(f"{x:.3f}"), 0.0005)


def case(rng, values, people, holdout):
    """Texts of some fields, and what an oracle says of their values."""
    texts, v = {}, {}
    for name, x in values.items():
        texts[name], v[name] = written(rng, x, people)
    version = str(rng.choice(["nearest", "zero"]))
    n, n_h = (size if rng.random() < 0.5 else 0 for size in (people, holdout))
    texts |= {"version": version, "people": f"{n:,}" if n else "", "holdout": str(n_h) if n_h else ""}
    if "sure" in v and " of " in texts["sure"]:
        v["sure"] = (v["sure"][0], 0)
    return texts, expected(v, version, n, n_h)


def test_on_random_tables_the_scale_and_the_sentences_are_the_oracles_and_no_number_is_refused(tab):
    rng = np.random.default_rng(31)
    cases = []
    while len(cases) < CASES:
        shape = (rng.integers(2, 4), rng.integers(1, 7))
        o, h = (rng.multinomial(rng.integers(20, 900), p) for p in rng.dirichlet(np.full(np.prod(shape), 0.4), 1).repeat(2, 0))
        s = rng.multinomial(rng.integers(20, 900), rng.choice([0.9, 0.3]) * o / o.sum() + 1e-9)
        o, s, h = (x.reshape(shape) for x in (o, s, h))
        values = {
            "average": average_cap(o, s).item(),
            "baseline": baseline_cap(o).item(),
            "original": average_cap(o, o).item(),
            "sure": 1 - cap_ecdf(o, s, 0.9).item(),
            "fresh": average_cap(h, o).item(),
            "named": (correct_predictions(o, s) / o.sum()).item(),
            "named_without": baseline_cap(o, kind="modal").item(),
            "named_with": (correct_predictions(o, o) / o.sum()).item(),
        }
        values = {name: x for name, x in values.items() if name in ("average", "baseline") or rng.random() < 0.8}
        cases.append(case(rng, values, int(o.sum()), int(h.sum())))
    texts, wanted = zip(*cases, strict=True)
    found = shown(tab, *texts)
    assert [(x["problem"], y) for x, y in zip(found, texts, strict=True) if x["problem"]] == []
    agree(found, wanted)


def test_on_random_numbers_the_page_refuses_what_the_oracle_refuses(tab):
    rng = np.random.default_rng(32)
    cases = []
    for _ in range(CASES):
        b = rng.beta(2, 2)
        values = {"average": rng.beta(2, 2), "baseline": b, "original": np.clip(b + rng.normal(0.1, 0.2), 0, 1)}
        values |= {"sure": rng.choice([0, rng.beta(1, 3), 1]), "fresh": rng.beta(2, 2)}
        low = values["original"] if rng.random() < 0.8 else 0.0
        values |= {"named": rng.uniform(0, 0.8), "named_without": min(1, rng.uniform(b, 1.1 * sqrt(b))), "named_with": rng.uniform(low, 1)}
        values = {name: float(x) for name, x in values.items() if rng.random() < 0.7}
        cases.append(case(rng, values, int(rng.integers(5, 2000)), int(rng.integers(5, 2000))))
    cases = [(texts, want) for texts, want in cases if any(texts.get(name) for name in FIELDS)]
    texts, wanted = zip(*cases, strict=True)
    found = shown(tab, *texts)
    agree(found, wanted)
    assert 20 < sum(bool(x["problem"]) for x in found) < CASES - 20


# --- the front sheet


def with_holdout():
    voters = anes96()
    original, holdout = voters[::2], voters[1::2]
    release = original.sample(frac=1, replace=True, random_state=1).reset_index(drop=True)
    return {"original": original, "synthetic": release, "holdout": holdout, "keys": ["educ", "PID"], "target": "vote"}


AUDITS = {"titanic": lambda: example("titanic"), "anes96": lambda: example("anes96"), "holdout": with_holdout}


@pytest.mark.parametrize("name", AUDITS)
def test_the_numbers_of_a_report_have_the_marks_and_the_words_of_its_front_sheet(tab, name):
    found = audit(**AUDITS[name]())
    blocks = found.sections()["At a glance"]
    (scale,) = (block for block in blocks if isinstance(block, Scale))
    (headline,) = (block for block in blocks if isinstance(block, Headline))
    m = found.measures
    measures = {"average": "average_cap_nearest", "baseline": "baseline", "original": "original_cap", "fresh": "fresh_sample_cap"}
    measures |= {
        "named": "predictive_success_nearest",
        "named_without": "baseline_predictive_success",
        "named_with": "original_predictive_success",
    }
    texts = {field: repr(m[measure].item()) for field, measure in measures.items() if measure in m}
    texts["people"] = str(m.original_records.item())
    (page_says,) = shown(tab, texts)
    assert page_says["marks"] == [
        [mark.name, mark.number.partition(" (")[0], mark.is_release, round(2 + 96 * scale.place(mark.at), 2), mark.since is not None]
        for mark in scale.marks
    ]
    caption = page_says["caption"].replace("whose target", f"whose {next(iter(found.provenance['columns']['target']))}")
    assert scale.caption == f"{caption.removesuffix(FRONT['other_size']).strip()} {FRONT['lesson']}"
    if name == "holdout":
        assert page_says["marks"][2][4], "the release lies above the fresh sample"
    else:
        assert (page_says["right"], page_says["said"]) == (headline.number, headline.text)
        assert FRONT["no_holdout"] in blocks
        assert page_says["rows"][-1][1] == FRONT["no_holdout"]


def test_a_custodian_finds_the_example_by_the_names_of_its_report(tab):
    report = repr(audit(**example("anes96")))
    assert FRONT["lesson"] in " ".join(report.split())
    scale = [line for line in report.splitlines() if " |" in line or ".|" in line or ":." in line]
    rows = {line.split("  ")[1].strip(): line.split("  ")[-1] for line in scale}
    assert rows["this release"] == "77.5 %"
    tab.locator("#average").fill(rows["this release"])
    tab.locator("#baseline").fill(rows["guess without data"])
    tab.locator("#original").fill(rows["the original itself"])
    assert "with probability above 90 % for 246 people (26.1 %)" in " ".join(report.split())
    tab.locator("#sure").fill("26.1 %")
    numbers(tab)
    assert re.match("78\u00a0% of the way .*, in the highest quarter: high", tab.locator("#place").inner_text())
    assert tab.locator("#rows > div").nth(3).inner_text().endswith("26.1\u00a0% of the people are guessed right with more than 9 in 10. "
                                                                   "The average does not show who they are.")  # fmt: skip
    for section in ("Whom it hits", "Groups at most risk above the guess without data", "What would lower it most"):
        assert f"\n{section}\n" in report
        assert f'"{section}"' in tab.locator("#next").inner_text()


def test_on_the_site_a_page_to_read_next_is_a_link_to_it(browser, tmp_path):
    links = [found.groups() for found in map(LINK.search, SAID["next"].values()) if found]
    assert len(links) == 3
    assert all((Path(__file__).parents[2] / file).is_file() for _, file, _ in links)
    with opened(browser, tmp_path, page(LESSON, home="../lessons.html")) as tab:
        numbers(tab)
        shown = tab.locator("#next a").evaluate_all("links => links.map(link => [link.textContent, link.getAttribute('href')])")
        assert shown == [[title, f"../{path}.html"] for title, _, path in links]


def test_the_table_of_places_has_the_names_of_a_report_in_json(tab):
    names = tab.locator(".where code").all_text_contents()
    assert len(set(names)) == len(names) == 11
    assert set(names) <= set(audit(**with_holdout()).measures)


def test_it_starts_with_the_example_which_is_gone_when_something_is_typed(tab):
    assert tab.locator("#about").inner_text() == SAID["example"]
    start = tab.locator("#found").inner_text()
    assert [tab.locator(f"#{name}").get_attribute("placeholder") for name in SHARES[:4]] == [
        f"{x}\u00a0%" for x in (77.5, 51.4, 84.8, 26.1)
    ]
    tab.locator("#average").fill("0.6")
    numbers(tab)
    assert tab.locator("#about").inner_text() == SAID["missing"]
    assert not tab.locator("#found, #each").first.is_visible()
    assert tab.locator("[placeholder]").count() == 0
    tab.get_by_role("button", name="Try the example").click()
    assert tab.locator("#found").inner_text() == start
    assert tab.locator("#about").inner_text() == ""
    tab.get_by_role("button", name="Empty").click()
    assert tab.locator("#about").inner_text() == SAID["example"]
    assert tab.evaluate("document.activeElement.id") == "average"


EDGES = [
    ({"average": (0, 0), "baseline": (0.3, 0.05)}, "never", "With an average of 0 % it is 0 % of the people, as far as these digits show."),
    ({"average": (1, 0), "baseline": (1, 0)}, "always", "With an average of 100 % it is 100 % of the people, as far as these digits show."),
    (
        {"average": (1, 0.0005), "baseline": (0.5, 0.05), "original": (1, 0), "sure": (1, 0.0005)},
        "at_original",
        "it is 100 % of the people",
    ),
    ({"average": (0.2, 0.05), "baseline": (0.5, 0.05), "sure": (0, 0)}, "below", "Nobody is guessed right with more than 9 in 10."),
    ({"average": (0.6, 0.05), "baseline": (0.5, 0.05), "original": (0.6, 0.05)}, "open", "anything from 0 % to 67 %"),
    ({"average": (0.7, 0.05), "baseline": (0.4, 0.05), "original": (0.6, 0.05), "fresh": (0.7, 0.05)}, "open", "anything from 0 % to 78 %"),
    ({"average": (0.99, 0.005), "baseline": (0.99, 0.0005)}, "at_baseline", "anything from 90 % to 100 %"),
    ({"average": (0.99, 0.005), "baseline": (0.99, 0)}, "at_baseline", "anything from 90 % to 100 %"),
    ({"average": (0.5, 0.05), "baseline": (0.0, 0.0005)}, "above_baseline", "anything from 0 % to 56 %"),
]


def test_at_the_edges_no_sentence_says_more_than_the_numbers(tab):
    """Nobody is guessed right, or everybody; digits are so few that they tell nothing; a range is one number."""

    def text(value, error):
        if value in (0, 1) and not error:
            return str(value)
        return f"{value:.{round(-np.log10(2 * error))}f}" if error else "0.990e0"

    texts = [{name: text(*x) for name, x in v.items()} for v, _, _ in EDGES]
    found = shown(tab, *texts)
    agree(found, [expected(v) for v, _, _ in EDGES])
    for (v, where, of_sure), one in zip(EDGES, found, strict=True):
        assert placed(v)[0] == where
        assert of_sure in one["rows"][3][1]
    assert "of about 99 % of the people" in found[7]["rows"][0][1]
    assert found[8]["rows"][0][1] == "The commonest answer is that of at most 2 % of the people."


# --- what may be typed


def test_a_share_may_be_written_in_many_ways(tab):
    ways = {
        "0.775": "77.5 %", "0,775": "77.5 %", ".775": "77.5 %", "77.5%": "77.5 %", "77,5 %": "77.5 %", "77.5 per cent": "77.5 %",
        "731 of 944": "77.4 %", "731/944": "77.4 %", "1,462 of 1,888": "77.4 %", "about 0.775": "77.5 %", " 0.775. ": "77.5 %",
        ">0.999": "99.9 %", "at least 0.98": "98 %", "0.0625": "6.2 %", "1": "100 %", "100%": "100 %",
    }  # fmt: skip
    found = shown(tab, *({"average": text, "baseline": "0.5"} for text in ways))
    assert {text: x["marks"][1][1] for text, x in zip(ways, found, strict=True)} == ways
    counts = {"731": "77.4 %", "731 people": "77.4 %", "1": "100 %", "0.775": "77.5 %", "0,775": "77.5 %"}
    found = shown(tab, *({"average": text, "baseline": "0.5", "people": "944"} for text in counts))
    assert {text: x["marks"][1][1] for text, x in zip(counts, found, strict=True)} == counts
    people = shown(tab, *({"average": "0.7", "baseline": "0.5", "people": text, "sure": "1"} for text in ("1,000", "1000", "1 000 people")))
    assert [x["rows"][3][0] for x in people] == ["0.1 %"] * 3


WRONG = {
    "not_a_number": ({"average": "high"}, {"text": "high"}),
    "above_1": ({"average": "77.5"}, {"text": "77.5"}),
    "far_above_1": ({"baseline": "246"}, {"text": "246"}),
    "too_many": ({"sure": "1,000", "people": "944"}, {"text": "1,000", "n": "944"}),
    "one": ({"sure": "1"}, {}),
    "below_0": ({"fresh": "-0.1"}, {"text": "-0.1"}),
    "no_baseline": ({"baseline": "0"}, {}),
    "ambiguous": ({"sure": "3", "people": "12000"}, {"text": "3"}),
    "thousands": ({"people": "12.000"}, {"text": "12.000", "n": "12000"}),
    "not_people": ({"people": "0.5"}, {"text": "0.5"}),
}
TOGETHER = {
    "original_below": ({"original": "0.4"}, {"original": "40 %", "baseline": "51.4 %"}),
    "above_greatest": ({"average": "0.95", "original": "0.848"}, {"average": "95 %", "original": "84.8 %", "greatest": "92.1 %"}),
    "commonest_without": ({"named_without": "0.8"}, {"named": "80 %", "least": "51.4 %", "most": "71.7 %"}),
    "commonest_original": ({"named_with": "0.775", "original": "0.848"}, {"named": "77.5 %", "least": "84.8 %", "most": "92.1 %"}),
    "above_best": ({"named": "0.897", "named_with": "0.8"}, {"named": "89.7 %", "best": "80 %"}),
    "version_2": ({"version": "drop"}, {}),
    "too_low": ({"average": "0.3", "sure": "50%"}, {"share_sure": "50 %", "least": "45 %", "average": "30 %"}),
    "too_high": ({"average": "0.960", "sure": "50.0%"}, {"share_sure": "50 %", "most": "95 %", "average": "96 %"}),
}


@pytest.mark.parametrize("name", SAID["wrong"])
def test_what_cannot_be_has_a_sentence_and_no_judgement(tab, name):
    texts, values = (WRONG | TOGETHER)[name]
    (found,) = shown(tab, {"average": "0.775", "baseline": "0.514", **texts})
    sentence = SAID["wrong"][name].format(**values)
    if name in WRONG:
        field = next(iter(texts))
        assert found["wrong"] == [field]
        sentence = f"{tab.locator(f'label[for={field}]').inner_text()}: {sentence}"
        assert "problem" in tab.locator(f"#{field}").get_attribute("aria-describedby")
    assert found["problem"] == sentence.replace("\u00a0", " ")
    assert "marks" not in found
    assert not tab.locator("#each").is_visible()


def test_every_set_of_fields_has_sentences(tab):
    texts = {"average": "0.775", "baseline": "0.514", "original": "0.848", "sure": "246", "fresh": "0.8", "people": "944", "holdout": "300"}
    sets = [some for n in range(1, 8) for some in combinations(texts, n)]
    for some, found in zip(sets, shown(tab, *({name: texts[name] for name in some} for some in sets)), strict=True):
        if "sure" in some and "people" not in some:
            assert found["problem"].endswith(SAID["wrong"]["far_above_1"].format(text="246"))
        elif not {"average", "baseline"} <= set(some):
            assert (found["problem"], found["about"]) == ("", SAID["missing"])
        else:
            sentences = [*(found[name] for name in ("right", "said", "place", "caption")), *found["next"], *chain(*found["rows"])]
            assert all(sentences)
            assert not any(bad in text for text in sentences for bad in ("{", "undefined", "NaN", "null"))


def test_no_sentence_calls_a_release_safe():
    texts = [text for part in SAID.values() if isinstance(part, dict) for text in part.values()]
    assert [text for text in texts if "safe" in text.lower()] == [SAID["next"]["limit"]]
    assert "No number here has one that makes a release safe." in SAID["next"]["limit"]


# --- the address


def test_a_link_keeps_the_numbers(tab):
    tab.locator("#average").fill("77,5 %")
    tab.locator("#baseline").fill("0.514")
    tab.locator("#version").select_option("zero")
    numbers(tab)
    link = tab.evaluate("location.hash")
    assert link == "#average=77%2C5+%25&baseline=0.514&version=zero"
    before = tab.locator("#found").inner_text()
    tab.locator(".skip").focus()
    tab.keyboard.press("Enter")
    numbers(tab)
    assert tab.locator("#found").inner_text() == before
    tab.get_by_role("button", name="Empty").click()
    assert tab.evaluate("location.hash") == ""
    tab.evaluate("link => { location.hash = link; }", link)
    tab.wait_for_timeout(100)
    assert tab.locator("#found").inner_text() == before
    assert tab.locator("#average").input_value() == "77,5 %"


def test_an_address_that_somebody_made_up_does_no_harm(tab):
    tab.evaluate("() => { location.hash = 'average=<img src=x onerror=alert(1)>&version=none&other=1&baseline=' + '9'.repeat(99); }")
    tab.wait_for_timeout(100)
    assert "is not a number that this page can read" in tab.locator("#problem").inner_text()
    assert tab.locator("img").count() == 0
    assert tab.locator("#version").input_value() == "nearest"
    assert len(tab.locator("#baseline").input_value()) == 40


def test_the_answer_is_said_when_a_field_is_left(tab):
    tab.keyboard.press("Tab")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "average"
    tab.keyboard.type("0.9")
    tab.keyboard.press("Tab")
    assert tab.locator("#announcer").text_content() == SAID["missing"]
    tab.keyboard.type("0.5")
    tab.keyboard.press("Enter")
    assert tab.locator("#announcer").text_content().startswith("A matching record drawn at random is right about 90\u00a0% of the people (")


@pytest.mark.parametrize("width", [375, 320])
def test_on_a_phone_the_answer_is_below_the_two_numbers(browser, tmp_path, width):
    with opened(browser, tmp_path, page("number"), width=width, height=800, has_touch=True, is_mobile=True) as tab:
        boxes = [tab.locator(x).bounding_box() for x in (".first", ".answer", ".more", "#each")]
        assert [floor(x["y"]) for x in boxes] == sorted(floor(x["y"]) for x in boxes)
        assert boxes[1]["y"] < 500
        assert tab.evaluate("document.documentElement.scrollWidth") == width
