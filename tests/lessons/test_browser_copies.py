"""Copies of whole records on the page of `capstats browser`, in Chromium: numbers, answer and words are those of the library."""

import json

import numpy as np
import pytest
from chromium import opened
from strategies import seeds
from two_files import answers

from capstats import tabulate
from capstats.auditing.findings import Copies
from capstats.auditing.measures import words
from capstats.counting.compared import LEFT_OUT, SPELLED
from capstats.counting.copies import COLUMNS
from capstats.lessons.browser import browser_page
from capstats.tables.dataset import copies_known
from capstats.tables.printing import unbroken

pytestmark = pytest.mark.chromium

LEAD = "Copies of real records are more than chance explains. "


@pytest.fixture(scope="module")
def tab(browser, tmp_path_factory):
    with opened(browser, tmp_path_factory.mktemp("page"), browser_page()) as found:
        yield found


def csv(columns, records):
    """A file as CSV; None is an empty field."""
    field = lambda x: "" if x is None else f'"{x}"'  # noqa: E731
    return "\n".join([",".join(columns), *(",".join(map(field, record)) for record in records)]).encode()


def alike(folder, tab, pairs):
    """What page and library say of copies in pairs of files, which must be the same: the answers, columns apart, and those spelled."""
    found = []
    for given, (_, refusal, copies, text) in zip(pairs, answers(tab, pairs), strict=True):
        assert not refusal
        files = {folder / f"{name}.csv": data for name, data in zip("os", given, strict=False)}
        for path, data in files.items():
            path.write_bytes(data)
        of_all = copies_known(tabulate(*files, keys=given[2], target=given[3], copy_columns=COLUMNS))
        known = {**of_all, **of_all.get("releases", [{}])[0]}
        copies = {name: x for name, x in json.loads(copies).items() if name != "exists"}
        if "releases" in of_all and known["columns"] < len(of_all["columns"]):  # what the page says it is without
            known["left_out"] = known["left_out"] | {x: why for x, why in known["apart"].items() if why in LEFT_OUT}
        assert copies == {name: pytest.approx(known[name], rel=1e-6) if name == "copied_p_value" else known[name] for name in copies}, given
        if "not_computed" not in copies:
            library = Copies(of_all, [""], words([]))
            (said,) = library.alert([0]) or library.said(0)
            assert text.removeprefix(LEAD) == unbroken(said)
        found.append((copies.get("copied_beyond_chance"), copies.get("apart", {}), copies.get("spelled", {})))
    return found


# --- a table of small files: each row is a level of the original, and what it is in the release -----------------------------

LIKELY_ONE = {  # levels that are likely one in two spellings
    "case": ("South", "SOUTH"),
    "spaces within": ("New  York", "New York"),
    "typographic quotes": ("it's", "it\u2019s"),
    "dashes": ("a-b", "a\u2013b"),
    "sharp s": ("stra\u00dfe", "STRASSE"),
    "Unicode form": ("\u00e9t\u00e9", "e\u0301te\u0301"),
    "nothing to see": ("abc", "a\u200bbc"),
    "wrong encoding": ("caf\u00e9 \u20ac", "caf\u00c3\u00a9 \u00e2\u201a\u00ac"),
    "decimal sign": ("1.5", "1,5"),
    "thousands": ("12345", "12,345"),
    "thousands and decimal sign": ("1234.5", "1.234,5"),
    "raised point": ("1.5", "1\u00b75"),
    "groups of two": ("1234567", "12,34,567"),
    "groups by lines": ("1234567", "1_234_567"),
    "emoji style": ("South", "South\ufe0f"),
    "number in a text": ("50.0 kg", "50 kg"),
    "decimal sign in a text": ("1.5 kg", "1,5 kg"),
    "digits of another script": ("25", "\u0662\u0665"),
    "digits alone": ("31.01.2024 08:15", "20240131T081500"),
    "spaces beside signs": ("10-19", "10 - 19"),
    "a space before a unit": ("1 kg", "1KG"),
    "ends of an interval": ("[1.0, 2.0)", "[1, 2)"),
    "single precision": ("0.1", "0.10000000149011612"),
    "digits of a sum": ("0.3", "0.30000000000000004"),
    "day first": ("2024-01-31", "31.1.2024"),
    "month first": ("2024-01-31", "1/31/2024"),
    "month by name": ("2024-01-31", "January 31, 2024"),
    "digits of a day": ("2024-01-31", "20240131"),
    "day and month by name": ("2024-01-31", "31 Jan 2024"),
    "day and hour": ("2024-01-31 08:15", "31/01/2024 8:15:00"),
    "truth": ("yes", "T"),
    "truth that is read as 1": ("True", "yes"),
    "missing as text": (None, "N/A"),
    "missing as dash": (None, "-"),
    "missing and empty": (None, ""),
    "missing as a code": (None, "-9"),
    "a code that is missing": ("-99", None),
    "a word and a code": ("N/A", "-99"),
    "missing as a word": (None, "Unknown"),
    "missing of MySQL": (None, "\\N"),
    "missing of Stata": (None, ".a"),
    "no day": (None, "0000-00-00"),
}
EQUAL = {  # levels that say the same
    "decimals": ("1.0", "1"),
    "exponent": ("1e3", "1000"),
    "sign and zeros": ("+007", "7"),
    "large": ("9007199254740993", "+9007199254740993"),
    "larger than a float": ("1" + 400 * "0", "0" + "1" + 400 * "0"),
    "power of ten": ("1e22", "1" + 22 * "0"),
    "zero": ("-0", "0.0"),
    "infinity": ("inf", "Infinity"),
    "point at an end": (".5", "0.50"),
    "spaces at the ends": (" a\u00a0", "a"),
    "truth": ("True", "1"),
    "day": ("2024-01-31 00:00:00", "2024-01-31"),
    "hour": ("2024-01-31T08:15", "2024-01-31 08:15:00.000"),
    "zone": ("2024-01-31 08:15:00+02:00", "2024-01-31T06:15:00Z"),
    "missing": (None, None),
}
OTHER = {  # levels that do not
    "words": ("North", "South"),
    "large": ("9007199254740993", "9007199254740992"),
    "large with a point": ("9007199254740993.0", "9007199254740992"),
    "fractions of a second": ("31/01/2024 08:15:00.5", "2024-01-31 08:15:00"),
    "larger than a float": ("1e400", "1e401"),
    "no such day": ("2024-02-30 10:00:00", "2024-02-30 10:00"),
    "byte mark": ("a", "\ufeffb"),
    "decimals that are no thousands": ("1,000", "0,001"),
}
LEVELS = ("x", "7.25", None, "k")


def one_level(mine, theirs):
    """Two files with this level, and two other columns; with one other level beside it, a truth value, and with several."""
    for others in (("no",), LEVELS):
        records = [([mine, *others][i % (1 + len(others))], f"p{i // 2}", "ab"[i % 2]) for i in range(40)]
        release = [(theirs if row[0] == mine else row[0], *row[1:]) for row in records[:30]]
        header = ["level", "person", "t"]
        yield csv(header, records), csv(header, release), ["person"], "t"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["spelled", "equal", "other"])
def test_levels_are_equal_or_likely_one_as_the_library_has_them(kind, tab, tmp_path):
    table = {"spelled": LIKELY_ONE, "equal": EQUAL, "other": OTHER}[kind]
    pairs = [(name, *pair) for name, levels in table.items() for pair in one_level(*levels)]
    found = alike(tmp_path, tab, [pair for _, *pair in pairs])
    told = {name: [of for (x, *_), of in zip(pairs, found, strict=True) if x == name] for name in table}
    expected = {
        "spelled": lambda of: any(answer == 1 and [*spelled] == ["level"] for answer, _, spelled in of),
        "equal": lambda of: of == [(1, {}, {})] * 2,
        "other": lambda of: not any(spelled for *_, spelled in of),
    }[kind]
    assert {name: of for name, of in told.items() if not expected(of)} == {}


@pytest.mark.filterwarnings("ignore")
def test_codes_of_missing_values_are_those_of_the_library(tab, tmp_path):
    """Numbers, texts and days of which one table has a missing value, and the other what may be a code of it."""
    rng = np.random.default_rng(7)
    days = [f"2020-01-{day:02}" for day in range(1, 29)]
    ranges = [range(1, 6), range(0, 3), range(18, 90), range(1000, 90_000, 777), np.arange(1, 9) / 4, range(-4, 5), ["x", "y"], days]
    codes = ["-9", "-1", "-8", "9", "99", "98", "-99", "999", "-999", "-5555", "-32768", "9999-12-31", "1900-01-01", "2020-12-31", "*"]
    pairs = []
    for _ in seeds(150):
        levels = [*map(str, ranges[rng.integers(len(ranges))])]
        some = [*levels[: rng.integers(2, len(levels) + 1)], *rng.choice(codes, rng.integers(0, 3)).tolist()]
        both = [[*some, None], [*some, str(rng.choice(codes)), *([None] if rng.random() < 0.3 else [])]]
        files = [csv(["level", "person", "t"], [(of[i % len(of)], f"p{i // 2}", "ab"[i % 2]) for i in range(2 * len(of))]) for of in both]
        pairs.append((*(files if rng.random() < 0.5 else files[::-1]), ["person"], "t"))
    spelled = [bool(spelled) for *_, spelled in alike(tmp_path, tab, pairs)]
    assert 20 / 150 < np.mean(spelled) < 130 / 150


def drawn(n, seed, levels=50, columns=("age", "job", "t")):
    """Records drawn at random."""
    rng = np.random.default_rng(seed)
    return [tuple(str(x) for x in rng.integers(levels, size=len(columns))) for _ in range(n)]


def pair_of(original, release, columns=("age", "job", "t"), keys=("age",), target="t"):
    return csv(columns, original), csv(columns, release), list(keys), target


@pytest.mark.filterwarnings("ignore")
def test_records_with_fractions_are_copies_whatever_number_of_decimals_they_have(tab, tmp_path):
    rng = np.random.default_rng(0)
    ages, targets, numbers = rng.integers(0, 4, 160), rng.integers(0, 3, 160), rng.uniform(1, 5, 160)
    tables = [[*zip(ages, targets, numbers.round(d), strict=True)] for d in (1, 7, 8, 9, 16)]
    assert alike(tmp_path, tab, [pair_of(of, of[:100], ("age", "t", "x")) for of in tables])[1:] == [(1, {}, {})] * 4


PEOPLE = drawn(300, 1)
JOBS = {  # how a job is written in the original, and in the release
    "capitals": lambda i: (f"job {i}", f"JOB {i}"),
    "some capitals": lambda i: (f"job {i}", f"Job {i}" if i < 5 else f"job {i}"),
    "decimal comma": lambda i: (f"{i}.5", f"{i},5"),
    "dates": lambda i: (f"2024-01-{i % 28 + 1:02}", f"{i % 28 + 1}.1.2024"),
    "month first": lambda i: (f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}", f"{i % 12 + 1}/{i % 28 + 1:02}/2024"),
    "day or month first": lambda i: (f"2024-{i % 3 + 1:02}-{i % 12 + 1:02}", f"{i % 3 + 1}/{i % 12 + 1:02}/2024"),
    "single precision": lambda i: (i / 7 + 0.1, np.float32(i / 7 + 0.1)),
    "single precision beside whole numbers": lambda i: (i / 3, np.float32(i / 3)),
    "all digits of single precision beside whole numbers": lambda i: (i / 3, float(np.float32(i / 3))),
    "two decimals beside whole numbers": lambda i: (f"{i / 3:.2f}", i / 3),
    "seven digits": lambda i: (f"{1000 * i / 7 + i:.7g}", 1000 * i / 7 + i),
    "ten decimals beside whole numbers": lambda i: (i / 3, f"{i / 3:.10f}"),
    "one decimal, in which several are one": lambda i: (i / 30 if i % 10 else i, round(i / 30, 1) if i % 10 else i),
    "whole numbers, in which several are one": lambda i: (f"{i / 3:.0f}", i / 3),
    "labels beside codes": lambda i: (f"label {i}", i),
    "the only text that the original lacks": lambda i: ("abc"[i % 3], "abc"[i % 3]) if i % 4 else (None, "refused"),
    "NA beside empty": lambda i: ("NA", None) if i % 2 else ("y", "y"),
    "missing in many ways": lambda i: (("NA", "-", None)[i % 3], ("n/a", "?", "")[i % 3]) if i % 2 else ("y", "y"),
    "thousands": lambda i: (1000 * i + 1000, f"{i + 1}.000"),
    "euros beside thousands": lambda i: (1000 * i + 1000, i + 1),
    "capitals in the original, too": lambda i: (f"{'job' if i % 3 else 'Job'} {i // 3}", f"JOB {i // 3}"),
    "capitals in both, one of which the release lacks": lambda i: (f"{'job' if i % 3 else 'Job'} {i // 3}", f"job {i // 3}"),
}


def jobs(which, people, written):
    """People with a job as it is written in one of the two files."""
    return [(age, written(int(job))[which], t) for age, job, t in people]


FILES = {
    **{
        f"{name}, {n} copies": pair_of(jobs(0, PEOPLE, job), jobs(1, [*drawn(270, 2), *PEOPLE[:n]], job))
        for name, job in JOBS.items()
        for n in (0, 30)
    },
    "nothing is shared but a missing value": pair_of([(None, "b", None), ("a", "b", "x")] * 20, [(None, "2", None), ("1", "2", "y")]),
    "a copy in ten": pair_of(PEOPLE, [*drawn(270, 2), *PEOPLE[:30]]),
    "one copy": pair_of(PEOPLE, [*drawn(270, 2), PEOPLE[0]]),
    "no copy, and most people alone": pair_of(PEOPLE, drawn(300, 2)),
    "a fresh sample of few kinds": pair_of(drawn(300, 1, 3), drawn(300, 2, 3)),
    "few kinds, more released": pair_of(drawn(100, 1, 3), drawn(900, 2, 3)),
    "one person, repeated": pair_of(PEOPLE, [*drawn(200, 2), *[PEOPLE[0]] * 20]),
    "all records twice": pair_of([*PEOPLE, *PEOPLE], drawn(300, 2)),
    "everybody, shuffled, and somebody else": pair_of(PEOPLE, [*PEOPLE[::-1], ("99", "99", "1")]),
    "an identifier": pair_of([(str(i), *x) for i, x in enumerate(PEOPLE)], [("0", *x) for x in PEOPLE[:200]], ("id", "age", "job", "t")),
    "identifiers alone": pair_of([(str(i), str(i)) for i in range(30)], [(str(i), "1") for i in range(30)], ("age", "t")),
    "fractions identify nobody": pair_of(
        [(f"{i}.5", "a", "b") for i in range(30)], [(f"{i}.5", "a", "b") for i in range(0, 60, 3)] + [("1", "a", "c")]
    ),
    "a column that shares nothing": pair_of(
        [(*x, "old") for x in PEOPLE], [(*x, "new") for x in drawn(300, 2)], ("age", "job", "t", "when")
    ),
    "numbers of one form that share nothing": pair_of(
        [(*x, f"{i}.25") for i, x in enumerate(drawn(300, 1, 4))],
        [(*x, f"{i}.75") for i, x in enumerate(drawn(200, 2, 4))],
        ("age", "job", "t", "pay"),
    ),
    "numbers of two forms that share nothing": pair_of(
        [(*x, f"{i}.25") for i, x in enumerate(drawn(300, 1, 4))],
        [(*x, f"{i}.7") for i, x in enumerate(drawn(200, 2, 4))],
        ("age", "job", "t", "pay"),
    ),
    "columns in another order, one of them elsewhere": (
        csv(("age", "job", "t", "more"), [(*x, "m") for x in PEOPLE]),
        csv(("t", "age", "job"), [(t, a, j) for a, j, t in PEOPLE[:250]]),
        ["age"],
        "t",
    ),
    "names in another spelling, and one that occurs twice": (
        csv(("age", "job", "t", "More", "place of birth", "more"), [(*x, "m", "n", "m") for x in PEOPLE]),
        csv(("age", "Job\u200b", "t", "t2", "Place_of_Birth", "more", "more"), [(*x, "m", "n", "m", "m") for x in PEOPLE[:250]]),
        ["age"],
        "t",
    ),
    "columns in capitals": pair_of(
        [[*("abc"[int(x) % 3] for x in (*row, *row)), "x"] for row in PEOPLE],
        [*([*("ABC"[int(x) % 3] for x in (*row, *row)), "x"] for row in PEOPLE), [*"abcabcx"]],
        ("age", "a b", "c", "d", "e", "f", "t"),
    ),
    "more columns than are compared": pair_of(
        [(str(i % 2),) * 51 for i in range(20)], [(str(i % 2),) * 51 for i in range(19)], [f"c{i}" for i in range(51)], ["c0"], "c1"
    ),
}


@pytest.mark.filterwarnings("ignore")
def test_files_have_the_answer_of_the_library_in_its_words(tab, tmp_path):
    found = dict(zip(FILES, alike(tmp_path, tab, FILES.values()), strict=True))
    assert {answer for answer, *_ in found.values()} == {1, 0, None}
    assert {name for name in JOBS for n in (0, 30) if not any(found[f"{name}, {n} copies"][1:])} == set()  # columns named


@pytest.mark.filterwarnings("ignore")
def test_a_box_stands_out_and_comes_first_where_copies_are_found_and_nowhere_else(tab):
    for name, expected in (("a copy in ten", [True]), ("no copy, and most people alone", []), ("a column that shares nothing", [])):
        answers(tab, [FILES[name]])
        assert tab.locator(".warning, #alert:not(:empty)").evaluate_all("all => all.map(x => x.matches('#answer + .warning'))") == expected
        assert tab.inner_text("#copies + #compared").startswith("Whole records are compared over ")


WAYS = [[x for x in ways if x is not None] or ["k"] for ways in (*LIKELY_ONE.values(), *EQUAL.values(), *OTHER.values())]


def spelled(seed):
    """Two files of few levels, which are written in one of their ways in each, or in both."""
    rng = np.random.default_rng(seed)
    width = rng.integers(1, 4)
    columns = [[WAYS[i] for i in rng.choice(len(WAYS), rng.integers(1, 4), replace=False)] for _ in range(width)]

    def table(n):
        written = [[[*way[:: rng.choice([1, -1])]][: rng.choice([1, 1, 2])] for way in ways] for ways in columns]
        level = lambda ways: None if rng.random() < 0.05 else str(rng.choice(ways[rng.integers(len(ways))]))  # noqa: E731
        return [[str(rng.integers(most)), *map(level, written)] for _ in range(n)]

    most = rng.choice([2, 200])
    names = ["n", "t", "a", "b"][: width + 1]
    original, release = table(rng.integers(5, 80)), table(rng.integers(5, 80))
    release += [original[i] for i in rng.integers(len(original), size=rng.integers(1, 20))]
    return csv(names, original), csv(names, release), ["n"], "t"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", seeds(120)[::60])
def test_random_files_in_many_spellings_have_the_answer_of_the_library(first, tab, tmp_path):
    found = alike(tmp_path, tab, [spelled(seed) for seed in range(first, first + 60)])
    assert {answer for answer, *_ in found} == {1, 0, None}
    assert sum(bool(spelled) for *_, spelled in found) > 10
    assert any(SPELLED in apart.values() for _, apart, _ in found)
