"""The page of `capstats browser` in Chromium: its numbers are the library's, and nothing leaves it."""

import gzip
import io
import re
import zipfile
from pathlib import Path

import html5lib
import numpy as np
import pandas as pd
import pytest
from chromium import listening, opened
from lesson_pages import numbers, wait_for
from strategies import seeds
from two_files import counted, named

from capstats import audit, lessons
from capstats.auditing.measures import SENTENCES
from capstats.codes.names import printable
from capstats.datasets import example
from capstats.lessons.browser import TITLE, browser_page
from capstats.reports.blocks import Dots, Headline, Scale
from capstats.tables.printing import unbroken

pytestmark = pytest.mark.chromium

DOCS = Path(__file__).parents[2] / "docs"
NAMES = [
    *("average_cap_nearest", "average_cap_zero", "average_cap_matched", "matched_share", "baseline", "original_cap"),
    *("predictive_success_nearest", "baseline_predictive_success", "original_predictive_success"),
    *("share_above_half", "share_above_nine_tenths", "share_certain", "original_records", "synthetic_records", "keys"),
]
PEOPLE = b"age,sex,job\n34,f,nurse\n34,f,nurse\n41,m,\n41,m,cook\n50,f,cook\n"
RELEASE = b"age,sex,job\n34,f,nurse\n34,f,cook\n41,m,cook\n50,m,nurse\n"


@pytest.fixture(scope="module")
def tab(browser, tmp_path_factory):
    with opened(browser, tmp_path_factory.mktemp("page"), browser_page()) as found:
        yield found


def of_library(folder, original, synthetic, keys, target):
    """The same of the library: the numbers, or None and what it says in refusal."""
    files = {folder / name: data for name, data in map(named, (original, synthetic), "os")}
    for path, data in files.items():
        path.write_bytes(data)
    try:
        found = audit(*files, keys=keys, target=target, copy_columns=0, progress=False).measures
    except (ValueError, TypeError) as error:
        return None, str(error)
    return {name: found[name].item() for name in NAMES}, ""


# --- random pairs of files ----------------------------------------------------------------------------------------------

COLUMNS = ["age", "région", "a b", 'sa"id', "x;y", "Sex", "n,1", "#", "job"]
LABELS = {
    "words": ["a", "A", " a", "a ", "North", "north", "é", "e\u0301", "NA", "\ufeff", "日本", "-", "'x'", "#1", "\\"],
    "numbers": ["1", "1.0", "01", "+1", "1e0", "2", "10", "100", "-9", ".5", "0.5", "1,5", "1;5"],
    "odd": ["", None, 'say "x"', '"', "a,b", "a;b", "a|b", "a\tb", "two\nlines", "two\r\nlines", "\r", " ", "\u2028", '""'],
}
ENDS = [["\n"], ["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"], ["\n", "\n\n"], ["\r\n", "\r\n\r\n"]]


def pair(seed):
    """Two files, their keys and their target: of some levels in many spellings, written in many ways."""
    rng = np.random.default_rng(seed)
    names = list(rng.choice(COLUMNS, rng.integers(2, 6), replace=False))
    labels = [value for kind in rng.choice(list(LABELS), 2, replace=False) for value in LABELS[kind]]
    levels = {name: [labels[i] for i in rng.choice(len(labels), rng.integers(2, 6), replace=False)] for name in names}
    rows = [[levels[name][rng.integers(len(levels[name]))] for name in names] for _ in range(rng.integers(1, 60))]
    drawn = [rows[i] for i in rng.integers(0, len(rows), rng.integers(1, 60))]
    drawn = [
        [levels[name][rng.integers(len(levels[name]))] if rng.random() < 0.2 else x for name, x in zip(names, row, strict=True)]
        for row in drawn
    ]
    order = list(rng.permutation(len(names)))
    files = written(rng, names, rows), written(rng, [names[i] for i in order], [[row[i] for i in order] for row in drawn])
    target, *keys = rng.permutation(names)[: rng.integers(2, len(names) + 1)].tolist()
    return *(damaged(rng, data) for data in files), keys, target


def written(rng, names, rows):
    """Records as CSV, in a way that is drawn: separator, quotes, line ends, mark, last line."""
    separator, ends, always = rng.choice([",", ";", "\t", "|"]), ENDS[rng.integers(len(ENDS))], rng.random() < 0.3
    hard = re.compile(f'^"|^$|[{re.escape(separator)}\r\n]')

    def field(value, in_header=False):
        if value is None:
            return ""
        if hard.search(value) or always or rng.random() < 0.1 or (in_header and re.search(r"[,;|\t]", value)):
            return '"' + value.replace('"', '""') + '"'
        return value

    lines = [[field(name, in_header=True) for name in names], *([field(x) for x in row] for row in rows)]
    text = "".join(separator.join(line) + ends[rng.integers(len(ends))] for line in lines)
    text = text if rng.random() < 0.7 else text.rstrip("\r\n")
    return (("\ufeff" if rng.random() < 0.2 else "") + text).encode()


def damaged(rng, data):
    """Now and then a byte more or less."""
    if rng.random() > 0.06:
        return data
    at = rng.integers(len(data))
    return data[:at] + [b'"', b"\xe9", b"\0", b",", b"x", b""][rng.integers(6)] + data[at + 1 :]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", seeds(320)[::80])
def test_pairs_of_files_give_the_numbers_of_the_library_or_are_refused_as_it_refuses_them(first, tab, tmp_path):
    drawn = range(first, first + 80)
    pairs = list(map(pair, drawn))
    answered = 0
    for seed, given, (found, said) in zip(drawn, pairs, counted(tab, *pairs), strict=True):
        expected, error = of_library(tmp_path, *given)
        assert bool(said) == bool(error), (seed, said, error)
        if error:
            assert found == {}
            continue
        answered += 1
        assert set(found) == set(NAMES)
        np.testing.assert_allclose([found[x] for x in NAMES], [expected[x] for x in NAMES], rtol=1e-12, atol=1e-12, err_msg=str(seed))
    assert answered >= 50


def test_where_a_file_is_cut_to_be_read_makes_no_difference(tab, tmp_path):
    """Seven bytes at a time: records, quotes, line ends and letters are cut everywhere."""
    whole = browser_page()
    cut = whole.replace("const SLICE = 1 << 22;", "const SLICE = 7;")
    assert cut != whole
    pairs = [*map(pair, range(320, 320 + len(seeds(80)))), *REFUSED.values()]
    (tmp_path / "cut.html").write_text(cut, encoding="utf-8")
    other = tab.context.new_page()
    try:
        other.goto((tmp_path / "cut.html").as_uri())
        assert [repr(x) for x in counted(other, *pairs)] == [repr(x) for x in counted(tab, *pairs)]
    finally:
        other.close()


# --- what is refused, and how -------------------------------------------------------------------------------------------

GOOD = (PEOPLE, RELEASE, ["age", "sex"], "job")


def zipped():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened_archive:
        opened_archive.writestr("xl/workbook.xml", "<workbook/>")
    return archive.getvalue()


REFUSED = {
    "Choose at least one key": (PEOPLE, RELEASE, [], "job"),
    "Column 'job' is both a key and the target": (PEOPLE, RELEASE, ["age", "job"], "job"),
    "o.csv: it has no header row": (b"", RELEASE, ["age"], "job"),
    "o.csv: line 3: the record has 1 field, the header has 2": (b"sep=;\r\nage;job\r\n1\r\n", RELEASE, ["age"], "job"),
    "o.csv: it has no header row. Add": (b"\nage,job\n1,a\n", RELEASE, ["age"], "job"),
    "o.csv: its header names more than 100,000 columns": (b"," * 100_000 + b"age,sex,job\n", *GOOD[1:]),
    "s.csv: it is empty: it has no record": (PEOPLE, b"age,sex,job\n\n", ["age"], "job"),
    "s.csv: it has no column 'job'": (PEOPLE, b"age,sex\n34,f\n", ["age"], "job"),
    "o.csv: column 'age' occurs 2 times": (b"age,age,job\n1,2,a\n", RELEASE, ["age"], "job"),
    "o.csv: line 3: the record has 2 fields, the header has 3; field 3 is missing": (b"age,sex,job\n1,f,a\n1,f\n", *GOOD[1:]),
    "o.csv: line 4: the record has 4 fields, the header has 3; field 4 is one too many": (b'age,sex,job\n1,f,"a\nb"\n1,f,a,\n', *GOOD[1:]),
    "o.csv: line 2, field 3: its quote is not closed": (b'age,sex,job\n1,f,"a\n1,f,a\n', *GOOD[1:]),
    "o.csv: line 2, field 2: text follows the closing quote": (b'age,sex,job\n1,"f"x,a\n', *GOOD[1:]),
    "o.csv: line 3 is not UTF-8: it may be cp1252. Save the file as CSV in UTF-8 (in Excel: File, Save As, CSV UTF-8).": (
        "age,sex,job\n1,f,a\n1,f,\u00e9\n".encode("cp1252"),
        *GOOD[1:],
    ),
    "o.csv: line 1 is not UTF-8: it holds a zero byte": (PEOPLE.decode().encode("utf-16-le"), *GOOD[1:]),
    "o.csv: line 1 is not UTF-8: it": (PEOPLE.decode().encode("utf-16"), *GOOD[1:]),
    "o.xlsx: it is an Excel file": (("o.xlsx", zipped()), *GOOD[1:]),
    "o.csv: it is a zip archive, as an Excel file": (zipped(), *GOOD[1:]),
    "o.parquet: it is a Parquet file": (("o.parquet", b"PAR1"), *GOOD[1:]),
    "o.csv.gz: it is compressed with gzip": (("o.csv.gz", gzip.compress(PEOPLE)), *GOOD[1:]),
    "o.csv: it is a Parquet file": (b"PAR1\x15\x04", *GOOD[1:]),
    "o.csv: it is compressed with gzip": (gzip.compress(PEOPLE), *GOOD[1:]),
    "o.dta: it is a Stata file": (("o.dta", b"<stata_dta>"), *GOOD[1:]),
    "o.doc: its name does not end in .csv, .tsv, .txt": (("o.doc", PEOPLE), *GOOD[1:]),
    "Both files hold the same records": (PEOPLE, PEOPLE, ["age"], "job"),
    "Both files hold the same records. Numbers": (
        b"age,id,job\n" + b"".join(b"%d,%d,x\n" % (i % 3, i) for i in range(30)),
        b"job;id;age\r\n" + b"".join(b"x;%d;%d\r\n" % (i, i % 3) for i in range(30)[::-1]),
        ["age"],
        "job",
    ),
    "Column 'age' has no level in common in the original (3) and the synthetic file (1), so no key": (
        PEOPLE,
        b"age,sex,job\n1,f,cook\n",
        *GOOD[2:],
    ),
    "Column 'job' has no level in common in the original (3) and the synthetic file (1), so no guess": (
        PEOPLE,
        b"age,sex,job\n34,f,x\n",
        *GOOD[2:],
    ),
}


def test_what_cannot_be_read_or_compared_is_refused_by_name_and_only_there(tab):
    said = [text for _, text in counted(tab, *REFUSED.values())]
    assert [x for x in zip(REFUSED, said, strict=True) if not x[1].startswith(x[0])] == []
    ((numbers, text),) = counted(tab, GOOD)
    assert (numbers["original_records"], text) == (5, "")
    assert tab.locator("[role=alert]").count() == 1


@pytest.mark.parametrize("name", ["PAR1", "ARROW1", "BZh", "$FL2", "PK"])
def test_a_column_that_is_called_as_another_format_begins_is_counted(name, tab, tmp_path):
    pair = *(data.replace(b"age", name.encode()) for data in (PEOPLE, RELEASE)), [name], "job"
    ((found, said),) = counted(tab, pair)
    assert (said, found) == ("", pytest.approx(of_library(tmp_path, *pair)[0], rel=1e-12))


def test_a_file_that_was_repaired_in_its_place_can_be_chosen_again(tab, tmp_path):
    """Chromium has no event `change` for a file of the same path."""
    tab.set_input_files("#synthetic", {"name": "s.csv", "mimeType": "text/csv", "buffer": RELEASE})
    for header, said in ((b"\xe9ge,sex,job", "original.csv: line 1 is not UTF-8"), (b"id,age,sex", ""), (b"age,sex,job", "")):
        (tmp_path / "original.csv").write_bytes(header + PEOPLE[11:])
        tab.set_input_files("#original", tmp_path / "original.csv")
        names = [] if said else header.decode().split(",")
        wait_for(tab, f"[...document.querySelectorAll('#keys option')].map(option => option.value).join() === '{','.join(names)}'")
        if said:
            wait_for(tab, "document.querySelector('#alert').textContent !== ''")
        assert tab.inner_text("#alert").startswith(said)
        assert said or tab.inner_text("#alert") == ""
    tab.select_option("#keys", label="age")
    tab.click("#count")
    wait_for(tab, "document.querySelector('output[data-name=keys]').dataset.value === '3'")


def test_a_choice_that_changes_takes_the_numbers_away(tab):
    counted(tab, GOOD)
    assert tab.locator("#results").is_visible()
    tab.select_option("#target", label="sex")
    assert tab.locator("#results").is_hidden()
    assert tab.locator("output[data-value]").count() == 0


# --- nothing leaves it --------------------------------------------------------------------------------------------------

LEAKS = """async (address) => {
  const blocked = [];
  document.addEventListener('securitypolicyviolation', event => blocked.push(event.effectiveDirective));
  const heard = (x, good) => new Promise((done, fail) => Object.assign(x, {[good]: done, onerror: fail}));
  const put = (tag, values) => {
    document.body.append(Object.assign(document.createElement(tag), values));
    throw Error('what it does is seen by the server');
  };
  const inWorker = (text) => new Promise((done, fail) => {
    const x = new Worker(URL.createObjectURL(new Blob([text])));
    x.onmessage = ({data}) => (data === 'sent' ? done() : fail());
    x.onerror = fail;
  });
  const tried = {
    fetch: () => fetch(address + 'fetch', {mode: 'no-cors'}),
    request: () => {
      const x = new XMLHttpRequest();
      const answer = heard(x, 'onload');
      x.open('GET', address + 'request');
      x.send();
      return answer;
    },
    socket: () => heard(new WebSocket(address.replace('http', 'ws') + 'socket'), 'onopen'),
    events: () => heard(new EventSource(address + 'events'), 'onopen'),
    beacon: () => {
      navigator.sendBeacon(address + 'beacon', 'x');
      throw Error('what it does is seen by the server');
    },
    image: () => heard(Object.assign(new Image(), {src: address + 'image'}), 'onload'),
    background: () => {
      document.body.style.backgroundImage = `url(${address}background)`;
      throw Error('what it does is seen by the server');
    },
    script: () => put('script', {src: address + 'script'}),
    frame: () => put('iframe', {src: address + 'frame'}),
    sheet: () => put('link', {rel: 'stylesheet', href: address + 'sheet'}),
    ahead: () => put('link', {rel: 'prefetch', href: address + 'ahead'}),
    object: () => put('object', {data: address + 'object'}),
    media: () => put('video', {src: address + 'media'}),
    form: () => {
      const form = Object.assign(document.createElement('form'), {action: address + 'form', method: 'post', target: 'there'});
      const frame = Object.assign(document.createElement('iframe'), {name: 'there'});
      document.body.append(frame, form);
      form.submit();
      throw Error('what it does is seen by the server');
    },
    worker: () => inWorker(`fetch('${address}worker', {mode: 'no-cors'}).then(() => postMessage('sent'), () => postMessage(''))`),
    scripts: () => inWorker(`try { importScripts('${address}scripts'); postMessage('sent') } catch { postMessage('') }`),
  };
  const sent = [];
  for (const [name, attempt] of Object.entries(tried)) {
    try {
      await attempt();
      sent.push(name);
    } catch { }
  }
  return [sent, blocked.length, Object.keys(tried)];
}"""


def test_a_deliberate_attempt_to_send_something_fails_in_every_way(tab, tmp_path):
    """The same attempts succeed on a page without the policy, so that they are attempts."""
    text = browser_page()
    open_page = re.sub(r"<meta http-equiv.*>\n", "", text)
    found = {}
    for name, page in (("closed", text), ("open", open_page)):
        (tmp_path / f"{name}.html").write_text(page, encoding="utf-8")
        other = tab.context.browser.new_page()
        try:
            other.goto((tmp_path / f"{name}.html").as_uri())
            with listening() as (address, asked):
                sent, blocked, attempts = other.evaluate(LEAKS, f"{address}/")
                for _ in range(20 if name == "closed" else 200):  # a second for what comes late; ten for what must come
                    if len({*asked}) < len(attempts):
                        other.wait_for_timeout(50)
                found[name] = sent, blocked, {path.strip("/") for path in asked}, attempts
        finally:
            other.close()
    sent, blocked, asked, attempts = found["closed"]
    assert (sent, asked) == ([], set())
    assert blocked >= len(attempts) - 2  # what workers are refused is reported to them
    assert found["open"][2] == {*attempts}


# --- the page -----------------------------------------------------------------------------------------------------------


def test_it_is_one_small_valid_file_that_loads_nothing():
    text = browser_page()
    assert len(text.encode()) <= 300_000
    root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    assert root.find("body/header/h1").text == TITLE
    for element in root.iter():
        assert not {"src", "srcset", "action", "style", "onclick"} & set(element.keys()), element
        assert element.get("href", "#").startswith("#")
    (policy,) = (meta.get("content") for meta in root.iter("meta") if meta.get("http-equiv"))
    assert re.sub(r"'sha256-[^']+'", "HASH", policy) == (
        "default-src 'none'; style-src HASH; script-src HASH; worker-src blob:; form-action 'none'; base-uri 'none'"
    )
    assert not re.search(r"RTC[A-Z]|\blocation(?!\.hash\.slice)\b|\bopen\(", text), "ways out that no policy closes"
    assert set(re.findall(r"https?://[^\"' )<]+", text)) <= {"http://www.w3.org/2000/svg"}  # a name, not an address


def test_the_example_is_there_on_one_press_with_the_numbers_of_the_library(tab):
    tab.click("#example")
    wait_for(tab, "document.querySelector('output[data-name=keys]').dataset.value !== undefined")
    expected = audit(**example("titanic"), copy_columns=0).measures
    for name in NAMES:
        shown = float(tab.get_attribute(f"output[data-name={name}]", "data-value"))
        assert shown == pytest.approx(expected[name].item(), rel=1e-12), name
    report = audit(**example("titanic"), copy_columns=0).sections()["At a glance"]
    (headline,) = (block for block in report if isinstance(block, Headline))
    assert (tab.inner_text("#right"), tab.inner_text("#right-of")) == (headline.number, headline.text)
    (scale,) = (block for block in report if isinstance(block, Scale))
    assert tab.locator("#scale .mark span:last-child").all_inner_texts() == [unbroken(mark.number) for mark in scale.marks]
    assert [row.split()[0] for row in tab.locator("#groups tbody th").all_inner_texts()][:2] == ["Class:", "Sex:"]


def test_a_dot_says_who_it_is(tab):
    counted(tab, (PEOPLE, RELEASE, ["age", "sex"], "job"))
    assert tab.locator(".dots .dot").count() == 5
    texts = tab.locator(".dots .dot").evaluate_all("dots => dots.map(dot => [dot.className, dot.getAttribute('aria-label')])")
    assert ["dot sure", "age 41, sex m; job cook: guessed right with probability 100\u00a0%."] in texts
    assert ["dot others", "age 41, sex m; job missing: guessed right with probability 0\u00a0%."] in texts
    assert texts.count(["dot others", "age 34, sex f; job nurse: guessed right with probability 50\u00a0%."]) == 2
    tab.locator(".dots .dot").first.focus()
    first = tab.inner_text("#person")
    tab.keyboard.press("ArrowRight")
    assert tab.inner_text("#person") != first


def test_a_dot_is_as_large_as_the_people_that_it_stands_for_and_the_same_as_in_the_library(tab):
    """One person who is certain beside dots of 20: before, the mark was as large as theirs."""
    columns = {"age": ["a"] + ["b"] * 1399 + ["c"] * 2000, "job": ["x"] * 600 + ["y"] * 2800}
    people, release = pd.DataFrame(columns), pd.DataFrame({"age": [*"abbbccc"], "job": [*"xxxyyyx"]})
    files = [data.to_csv(index=False).encode() for data in (people, release)]
    counted(tab, (*files, ["age"], "job"))
    sections = audit(people, release, keys="age", target="job").sections()["Whom it hits"]
    (library,) = (block for block in sections if isinstance(block, Dots))
    widths_of = """rows => rows.map(row => ['sure', 'half', 'others'].map(kind =>
      [...row.querySelectorAll(`.${kind}`)].map(dot => dot.getBoundingClientRect().width / 16)))"""
    for screen, whole in ((1280, 0.95), (375, 1.1)):
        tab.set_viewport_size({"width": screen, "height": 800})
        seen = tab.locator(".dots").evaluate_all(widths_of)
        assert len(seen) == 2
        assert seen[0][0] == [pytest.approx(0.3 * whole, abs=0.01)]
        for row, (_, dots, _) in zip(seen, library.rows, strict=True):
            for widths, number in zip(row, dots, strict=True):
                tenths = Dots.tenths(number)
                assert widths == pytest.approx([whole] * int(number) + [whole * tenths / 10] * bool(tenths), abs=0.01)
    caption = "One dot for 20 people; the last of a colour is smaller, for fewer."
    assert tab.inner_text("#dot-says").endswith(caption)
    assert caption in audit(people, release, keys="age", target="job").to_html()
    assert "stands for" not in tab.locator(".dots .dot.sure").get_attribute("aria-label")
    assert ". The dot stands for 20 people; this is one of them." in tab.locator(".dots .dot.half").first.get_attribute("aria-label")


def test_what_cannot_be_seen_in_labels_names_and_files_is_escaped(tab):
    bad = "\u202e\x1b\u200b\x7f\xa0\U000e0001"
    people, release = (data.replace(b"cook", f"co{bad}ok".encode()).replace(b"sex", f"se{bad}x".encode()) for data in (PEOPLE, RELEASE))
    ((numbers, refusal),) = [case[:2] for case in counted(tab, (people, release, ["age", f"se{bad}x"], "job"))]
    assert numbers
    assert not refusal
    page = tab.inner_text("body") + " ".join(tab.locator("[aria-label]").evaluate_all("all => all.map(x => x.getAttribute('aria-label'))"))
    page = page.replace("\u00a0%", " %")
    assert all(sign not in page for sign in bad)
    for text in (f"co{bad}ok", f"se{bad}x"):
        assert printable(text) in page
    counted(tab, (PEOPLE.replace(b"cook", b"missing"), RELEASE.replace(b"cook", b"missing"), ["age"], "job"))
    assert '"missing"' in tab.inner_text("#results")
    ((_, refusal),) = [case[:2] for case in counted(tab, (people, (f"s{bad}.zip", b"PK\x03\x04"), ["age"], "job"))]
    assert all(sign not in tab.inner_text("body").replace("\u00a0%", " %") for sign in bad)


def test_each_share_says_what_becomes_of_people_without_their_keys(tab):
    counted(tab, GOOD)
    headings = "#results h2:has(+ #people), #results h2:has(+ .numbers)"
    assert tab.locator(headings).all_inner_texts() == ["Whom it hits (unmatched: nearest keys)", "The numbers (unmatched: nearest keys)"]
    assert tab.inner_text("#groups") == SENTENCES["front"]["no_group"].format(fewest=10, people="people")
    averages = tab.locator(".numbers dt").filter(has_text="Average CAP").locator(".term").all_inner_texts()
    assert averages == [
        "Average CAP (nearest keys)",
        "Average CAP, version 1 (unmatched keys count 0)",
        "Average CAP, version 2 (matched people alone)",
    ]
    ((found, _),) = counted(tab, (PEOPLE, PEOPLE.replace(b"m,\n", b"m,nurse\n"), ["age"], "job"))
    assert found["matched_share"] == 1
    assert tab.locator(headings).all_inner_texts() == ["Whom it hits", "The numbers"]


def test_the_first_sentence_has_the_nearest_keys_and_both_guessers_or_says_version_1_where_these_take_long(tab, tmp_path):
    """Three people are f, of 34, and one m, of 50, whose key nobody has: nearest are (34, f), by sex, and (50, f), by age."""
    original = b"age,sex,job\n" + b"34,f,nurse\n" * 3 + b"50,m,cook\n"
    release = b"age,sex,job\n34,m,nurse\n34,f,nurse\n50,f,cook\n50,f,cook\n"
    pair = (original, release, ["age", "sex"], "job")
    # drawn: 3 right, and 2 of the 3 records nearest to (50, m) say cook; named: cook as well, 4 right
    slow = browser_page().replace("const MOST_WORK = 2e7;", "const MOST_WORK = 0;")
    expected = {
        browser_page(): (
            "3.7 or 4",
            "is right about 3.7 of 4 people; naming the commonest answer, 4 (",
            "the most similar are taken.",
            "nearest keys",
        ),
        slow: ("3", "is right about 3 of 4 people; naming the commonest answer, 3 (", "(average CAP, version 1); keys", "never right"),
    }
    for text, (right, says, caption, heading) in expected.items():
        with opened(tab.context.browser, tmp_path, text) as other:
            counted(other, pair)
            assert other.inner_text("#right") == right
            assert says in other.inner_text("#right-of")
            assert other.inner_text("#right-of").endswith("(without the release 2.5 and 3; with the original 4 and 4).")
            assert caption in other.inner_text("#scale-says")
            assert heading in other.inner_text("#results h2:has(+ #people)")


def test_on_the_site_its_links_lead_to_pages_and_hand_over_the_numbers(tab, tmp_path):
    beside = {"beside": ["number"], "home": "../lessons.html"}
    with opened(tab.context.browser, tmp_path, browser_page(**beside)) as other:
        other.click("#example")
        wait_for(other, "document.querySelector('#results').checkVisibility()")
        addresses = other.locator("#results a:not(#hand)").evaluate_all("links => links.map(link => link.getAttribute('href'))")
        assert [re.fullmatch(r"\.\./(custodians/.+)\.html", address) is not None for address in addresses] == [True] * 3
        assert all((DOCS / address[3:]).with_suffix(".md").is_file() for address in addresses)
        headline, scale = other.inner_text(".headline"), other.locator(".mark > :last-child").all_inner_texts()
        file, sign, typed = other.get_attribute("#hand", "href").partition("#")
    assert (file, sign) == ("number.html", "#")
    with opened(tab.context.browser, tmp_path, lessons.page("number")) as other:
        other.evaluate("typed => { location.hash = typed; }", typed)
        wait_for(other, "document.querySelector('#average').value !== ''")
        numbers(other)
        assert other.inner_text(".headline") == headline
        assert other.locator(".mark > :last-child").all_inner_texts() == scale


def test_keys_that_are_too_fine_and_copies_are_said_also_on_paper(tab):
    fine = b"id,job\n" + b"".join(b"%d,%d\n" % (i, i % 3) for i in range(60))
    other = b"id,job\n" + b"".join(b"%d,%d\n" % (i + 30, i % 3) for i in range(60))
    counted(tab, (fine, other, ["id"], "job"))
    assert tab.inner_text("#fine").startswith("Nearly an identifier: id (60 values). 50\u00a0% of people are without a synthetic record")
    for medium in ("screen", "print"):
        tab.emulate_media(media=medium)
        assert tab.inner_text("#scale-says + #copies").startswith("Whether real records were copied cannot be told: nobody's record")
        assert tab.locator("#fine").is_visible()
    tab.emulate_media(media="screen")


def test_with_the_keyboard_alone(tab, tmp_path):
    """Boxes by the space bar, the target by letters, the button by Enter; the files are chosen in a dialog of the system."""
    tab.reload()
    for name, data in (("original", PEOPLE), ("synthetic", RELEASE)):
        tab.set_input_files(f"#{name}", {"name": f"{name}.csv", "mimeType": "text/csv", "buffer": data})
    wait_for(tab, "document.querySelectorAll('#boxes input').length === 3")
    tab.locator("#synthetic").focus()
    for key in ("Tab", "Space", "Tab", "Space", "Tab", "Tab"):
        tab.keyboard.press(key)
    assert tab.evaluate("document.activeElement.id") == "target"
    tab.keyboard.type("job")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    wait_for(tab, "document.querySelector('output[data-name=keys]').dataset.value === '3'")
    assert tab.evaluate("[...document.querySelector('#keys').selectedOptions].map(option => option.value)") == ["age", "sex"]
    assert tab.evaluate("document.activeElement.id") == "results"


DROP = """(card, texts) => {
  const dataTransfer = new DataTransfer();
  for (const text of texts) dataTransfer.items.add(new File([text], 'dropped.csv'));
  for (const event of ['dragover', 'drop']) card.dispatchEvent(new DragEvent(event, {dataTransfer, bubbles: true, cancelable: true}));
}"""


def test_files_may_be_dropped_one_on_each_card(tab):
    tab.reload()
    for name, data in (("original", PEOPLE), ("synthetic", RELEASE)):
        tab.locator(f"[data-drop={name}]").evaluate(DROP, [data.decode()])
    tab.select_option("#keys", label="age")
    tab.click("#count")
    wait_for(tab, "document.querySelector('output[data-name=keys]').dataset.value === '3'")
    tab.locator("[data-drop=original]").evaluate(DROP, [PEOPLE.decode()] * 2)
    assert tab.inner_text("#alert") == "Drop one file, not 2."


LONG = b"k,t\n" + b"".join(b"%d,%d\n" % (i % 1000, i % 7) for i in range(400_000))


def test_reading_can_be_cancelled_and_begun_again(tab, tmp_path):
    for name, times in (("original", 30), ("synthetic", 31)):
        (tmp_path / f"{name}.csv").write_bytes(LONG + LONG.partition(b"\n")[2] * times)
        tab.set_input_files(f"#{name}", tmp_path / f"{name}.csv")
    tab.select_option("#keys", label="k")
    tab.select_option("#target", label="t")
    tab.click("#count")
    read = "/^[0-9.]+ [kM]B of [0-9.]+ MB read$/.test(document.querySelector('#read').textContent)"
    wait_for(tab, f"document.querySelector('#bar').value > 0 && {read}")
    tab.click("#cancel")
    assert tab.locator("#working").is_hidden()
    tab.wait_for_timeout(300)
    assert (tab.locator("output[data-value]").count(), tab.inner_text("#alert")) == (0, "")
    ((found, _),) = counted(tab, GOOD)
    assert found["keys"] == 3


def test_a_file_that_was_changed_after_it_was_chosen_is_refused(tab, tmp_path):
    for name, data in (("original", PEOPLE), ("synthetic", RELEASE)):
        (tmp_path / f"{name}.csv").write_bytes(data)
        tab.set_input_files(f"#{name}", tmp_path / f"{name}.csv")
    tab.select_option("#keys", label="age")
    tab.select_option("#target", label="job")
    (tmp_path / "original.csv").write_bytes(PEOPLE + b"60,f,cook\n")
    tab.click("#count")
    wait_for(tab, "document.querySelector('#alert').textContent !== ''")
    assert tab.inner_text("#alert").startswith("original.csv: it was changed, moved or removed after it was chosen")


def test_it_fits_a_phone_and_has_names_and_contrast_in_the_dark(tab):
    counted(tab, GOOD)
    for width, scheme in ((1280, "light"), (375, "dark"), (320, "light")):
        tab.emulate_media(color_scheme=scheme)
        tab.set_viewport_size({"width": width, "height": 800})
        assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(20, 25, 29)"
    tab.emulate_media(color_scheme="dark")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 25, 29)"
    touched = tab.locator("button:not(.dot):visible, #target, #boxes label")
    assert min(touched.evaluate_all("all => all.map(e => e.getBoundingClientRect().height)")) >= 44
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.emulate_media(color_scheme="light")
