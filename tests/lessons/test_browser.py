"""The page of `capstats browser` in Chromium: its numbers are the library's, and nothing leaves it."""

import http.server
import io
import json
import re
import threading
import warnings
import zipfile
from contextlib import contextmanager

import html5lib
import numpy as np
import pytest
from chromium import browser as chromium
from chromium import opened
from lesson_pages import wait_for

from capstats import audit
from capstats.datasets import example
from capstats.lessons.browser import TITLE, browser_page

NAMES = [
    *("average_cap", "average_cap_matched", "average_cap_nearest", "matched_share", "baseline", "original_cap"),
    *("share_above_half", "share_above_nine_tenths", "share_certain", "original_records", "synthetic_records", "keys"),
]
ANSWER = """async () => {
  const shown = () => [...document.querySelectorAll('output[data-name]')].filter(e => e.dataset.value !== undefined);
  const said = () => document.querySelector('[role=alert]').textContent;
  for (const end = Date.now() + 20000; Date.now() < end && !shown().length && !said();) await new Promise(done => setTimeout(done, 5));
  return [Object.fromEntries(shown().map(e => [e.dataset.name, Number(e.dataset.value)])), said()];
}"""
HEADER = """async () => {
  const said = () => document.querySelector('[role=alert]').textContent;
  const ready = () => document.querySelector('#keys').options.length || said();
  for (const end = Date.now() + 20000; Date.now() < end && !ready();) await new Promise(done => setTimeout(done, 5));
}"""
PEOPLE = b"age,sex,job\n34,f,nurse\n34,f,nurse\n41,m,\n41,m,cook\n50,f,cook\n"
RELEASE = b"age,sex,job\n34,f,nurse\n34,f,cook\n41,m,cook\n50,m,nurse\n"


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    with chromium() as program, opened(program, tmp_path_factory.mktemp("page"), browser_page()) as found:
        yield found


def file(data, name):
    return {"name": name, "mimeType": "text/csv", "buffer": data}


def counted(tab, original, synthetic, keys, target, names=("o.csv", "s.csv")):
    """The numbers that the page shows, and what it says in refusal."""
    tab.set_input_files("#original", file(original, names[0]))
    tab.set_input_files("#synthetic", file(synthetic, names[1]))
    tab.evaluate(HEADER)
    offered = tab.locator("#keys option").all_text_contents()
    if not {*keys, target} <= {*offered}:
        return {}, tab.inner_text("#alert") or "a column is not offered"
    if not tab.inner_text("#alert"):
        tab.select_option("#keys", label=keys)
        tab.select_option("#target", label=target)
        tab.click("#count")
    return tuple(tab.evaluate(ANSWER))


def of_library(folder, original, synthetic, keys, target, names=("o.csv", "s.csv")):
    """The same of the library: the numbers, or None and what it says in refusal."""
    paths = [folder / name for name in names]
    for path, data in zip(paths, (original, synthetic), strict=True):
        path.write_bytes(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = audit(*paths, keys=keys, target=target, copy_columns=0, progress=False).measures
    except (ValueError, TypeError) as error:
        return None, str(error)
    return {name: found[name].item() for name in NAMES if name in found}, ""


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
    drawn = [[levels[name][rng.integers(len(levels[name]))] if rng.random() < 0.2 else x for name, x in zip(names, row)] for row in drawn]
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


@pytest.mark.chromium
def test_pairs_of_files_give_the_numbers_of_the_library_or_are_refused_as_it_refuses_them(tab, tmp_path):
    answered, refused = 0, []
    for seed in range(320):
        given = pair(seed)
        expected, error = of_library(tmp_path, *given)
        found, said = counted(tab, *given)
        if expected is None:
            assert (found, bool(said)) == ({}, True), (seed, error, said)
        elif said:
            refused.append((seed, said))
        else:
            answered += 1
            assert set(found) == set(NAMES)
            np.testing.assert_allclose([found[x] for x in expected], list(expected.values()), rtol=1e-12, atol=1e-12, err_msg=str(seed))
    assert refused == []
    assert answered >= 200
