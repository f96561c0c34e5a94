"""Hostile labels through every output of the command line: text, JSON, CSV, HTML and SVG show them, and nothing else happens."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from records import strings

from capstats.cli import main
from capstats.reports.blocks import WIDTH

pytestmark = pytest.mark.slow

HOSTILE = [
    "<script>alert('label')</script>",
    "<svg onload=alert(1)><image href=x onerror=alert(2)>",
    "<a href='javascript:alert(3)'>x</a>",
    "&lt;b&gt; &amp; 'x'",
    "]]>-->*/;}</style></svg>",
    "{{7*7}}{% raw %}",
    "$\\frac{1}{2}$ %s {0}",
    "\x1b[31mred\x1b]0;title\x07\x9b",
    "\u202egnp.exe",
    "\u0645\u0631\u062d\u0628\u0627",
    "=cmd|' /C calc'!A0",
    "+1+2",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    'a,b"c\nnext line',
    "L" * 10_000,
]
FIRST = [0, 3, 5, 7, 8, 16]  # labels that most people have, so that they are among those that a report lists
SHOWN = [HOSTILE[0], HOSTILE[3], HOSTILE[5], "\\x1b[31mred\\x1b]0;title\\x07", "\\u202egnp.exe"]  # as they are read
COLUMNS = ["<b onclick=alert(1)>key", "=1+1", "t\x1b[2J\u202e"]
TAME = [f"level {i:02}" for i in range(len(HOSTILE))]
FORMULA = re.compile(r"\s*[=+\-@\t\r]")


def write(folder: Path, columns: list[str], labels: list[str]) -> None:
    """Three files of 460 people: a key column with all labels, one with two, and a target that the first decides for most people."""
    rng = random.Random(1)
    for name in ("original", "synthetic", "holdout"):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(columns)
            for i in range(20 * len(labels)):
                guess = rng.choice([0, 0, 0, 1])
                rows.writerow([labels[i % len(labels)], rng.choice(labels[:2]), labels[(i + guess) % len(labels)]])
            rows.writerows([[labels[i], labels[0], labels[i]] for i in FIRST for _ in range(20)])


@pytest.fixture(scope="module", name="folders")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same people with hostile and with tame names, in two folders."""
    made = {}
    for name, columns, labels in (("hostile", COLUMNS, HOSTILE), ("tame", ["key", "second", "target"], TAME)):
        made[name] = tmp_path_factory.mktemp(name)
        write(made[name], columns, labels)
    return made


class Tags(HTMLParser):
    """The elements of a page, each with the names of its attributes, and what there is to read."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[tuple[str, ...]] = set()
        self.links: set[str] = set()
        self.read = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags |= {(tag, name) for name, _ in [("", ""), *attrs]}
        self.links |= {str(value) for name, value in attrs if name in ("href", "src", "xlink:href")}

    def handle_data(self, data: str) -> None:
        self.read += data


def run(folder: Path, columns: list[str], command: str, *more: str) -> None:
    """A command on the three files, or an error of the test with what it said."""
    key, second, target = columns
    files = [str(folder / f"{name}.csv") for name in ("original", "synthetic")]
    assert main([*command.split(), *files, f"--key={key}", f"--key={second}", f"--target-column={target}", *more]) == 0


def printed(folders: dict[str, Path], capsys: pytest.CaptureFixture[str], command: str, *more: str) -> str:
    run(folders["hostile"], COLUMNS, command, *more)
    out = capsys.readouterr()
    assert is_inert(out.out + out.err)
    return out.out


def is_inert(text: str) -> bool:
    """Whether a terminal shows every character, and obeys none."""
    return all(c.isprintable() for line in text.split("\n") for c in line)


@pytest.mark.parametrize("command", ["audit", "records", "anonymity", "sweep"])
def test_text_shows_labels_whole_or_shortened_and_nothing_that_a_terminal_obeys(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str], command: str
) -> None:
    more = {"audit": ["--holdout", str(folders["hostile"] / "holdout.csv")], "records": ["--top", "460"]}.get(command, [])
    text = printed(folders, capsys, command, *more)
    if command == "sweep":
        assert "<b onclick=alert(1)>key + =1+1" in text
        return
    assert "t\\x1b[2J\\u202e" in text  # the name of the target
    assert "LLLL" * 25 not in text
    assert max(map(len, text.splitlines())) <= WIDTH
    if command != "anonymity":
        assert [label for label in SHOWN if label[:11] not in text] == []
        assert "LLLL...LLLL" in text


@pytest.mark.parametrize("command", ["audit", "sweep", "records", "anonymity"])
def test_json_is_printable_text_that_holds_the_labels_as_they_are(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str], command: str
) -> None:
    text = printed(folders, capsys, command, "--json")
    told = json.loads(text)
    held = set(strings(told))
    assert held >= ({*COLUMNS} if command != "anonymity" else set())
    if command in ("audit", "records"):
        assert held >= set(HOSTILE)


@pytest.mark.parametrize("attack", ["membership", "knowledge", "model"])
def test_attacks_name_hostile_columns(folders: dict[str, Path], capsys: pytest.CaptureFixture[str], attack: str) -> None:
    if attack == "model":
        pytest.importorskip("sklearn")
        text = printed(folders, capsys, "attack model", "--estimator=tree")
    else:
        files = [str(folders["hostile"] / f"{name}.csv") for name in ("original", "holdout", "synthetic")]
        given = files if attack == "membership" else [files[0], files[2]]
        assert main(["attack", attack, *given, *(f"--column={name}" for name in COLUMNS)]) == 0
        text = capsys.readouterr().out
    assert is_inert(text)
    assert "<b onclick=alert(1)>key" in text
    assert "t\\x1b[2J\\u202e" in text


def test_an_error_that_quotes_a_label_is_inert(folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, COLUMNS, [label + " " for label in HOSTILE])
    files = [str(folder / f"{name}.csv") for folder, name in ((folders["hostile"], "original"), (tmp_path, "synthetic"))]
    assert main(["audit", *files, f"--key={COLUMNS[0]}", f"--target-column={COLUMNS[2]}"]) == 2
    told = capsys.readouterr().err
    assert "has no level in common" in told
    assert is_inert(told)
    assert len(told) < 2000


@pytest.mark.parametrize("command", ["sweep", "records"])
def test_no_cell_of_a_csv_file_is_run_by_a_spreadsheet(folders: dict[str, Path], tmp_path: Path, command: str) -> None:
    run(folders["hostile"], COLUMNS, command, "--csv", str(tmp_path / "out.csv"))
    text = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert is_inert(text)
    rows = list(csv.reader(io.StringIO(text)))
    assert len({len(row) for row in rows}) == 1
    cells = [cell for row in rows for cell in row]
    assert [cell for cell in cells if FORMULA.match(cell) and not is_number(cell)] == []
    assert "'=1+1" in cells
    if command == "records":
        assert len(rows) == 461
        assert {"'=cmd|' /C calc'!A0", "'@SUM(A1)", "<script>alert('label')</script>"} <= set(cells)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("command", "audience"), [("audit", "internal"), ("audit", "public"), ("sweep", None)])
def test_a_page_has_no_element_and_no_link_that_tame_labels_do_not_make(
    folders: dict[str, Path], tmp_path: Path, command: str, audience: str | None
) -> None:
    pages = {}
    for name, columns in (("hostile", COLUMNS), ("tame", ["key", "second", "target"])):
        more = [] if audience is None else ["--audience", audience, "--holdout", str(folders[name] / "holdout.csv")]
        more += ["--ledger", str(tmp_path / f"{name}.json")] if audience == "public" else []
        run(folders[name], columns, command, "--html", str(tmp_path / f"{name}.html"), *more)
        pages[name] = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
    hostile, tame = Tags(pages["hostile"]), Tags(pages["tame"])
    assert hostile.tags <= tame.tags
    assert not [name for tag in hostile.tags for name in tag if name.startswith("on")]
    assert hostile.links <= tame.links
    assert is_inert(pages["hostile"].replace("\u00a0%", " %"))
    assert len(pages["hostile"]) < 2 * len(pages["tame"])
    assert "<b onclick=alert(1)>key" in hostile.read
    shown = [label for label in SHOWN if label in hostile.read]
    assert shown == (SHOWN if audience == "internal" else [])  # a public page has no label, and a sweep only columns


@pytest.mark.parametrize("command", ["audit", "sweep"])
def test_a_figure_has_no_element_that_tame_labels_do_not_make(folders: dict[str, Path], tmp_path: Path, command: str) -> None:
    found = {}
    for name, columns in (("hostile", COLUMNS), ("tame", ["key", "second", "target"])):
        run(folders[name], columns, command, "--figure", str(tmp_path / f"{name}.svg"))
        root = ElementTree.parse(tmp_path / f"{name}.svg").getroot()
        found[name] = {(element.tag, attribute) for element in root.iter() for attribute in ("", *element.attrib)}
        links = {value for element in root.iter() for attribute, value in element.attrib.items() if attribute.endswith("href")}
        assert not [link for link in links if not link.startswith(("#", "data:image/png;base64,"))]
    assert found["hostile"] <= found["tame"]
    assert is_inert((tmp_path / "hostile.svg").read_text(encoding="utf-8"))


def test_fifty_thousand_levels_are_a_page_to_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All keys but the last two are guessed right with certainty."""
    for name, last in (("original", [49_998, 49_999]), ("synthetic", [49_999, 49_998])):
        rows = "".join(f"<i>{i},<u>{target}\n" for i, target in enumerate([*range(49_998), *last]))
        (tmp_path / f"{name}.csv").write_text(f"key,target\n{rows}", encoding="utf-8")
    files = [str(tmp_path / f"{name}.csv") for name in ("original", "synthetic")]
    page = tmp_path / "page.html"
    assert main(["audit", *files, "--key=key", "--target=target", "--backing=sparse", f"--html={page}"]) == 0
    text = capsys.readouterr().out
    assert len(text) < 10_000
    assert "Not shown: 49,988 levels" in text
    assert page.stat().st_size < 200_000
    assert "49,988 more keys with people guessed right with certainty." in page.read_text(encoding="utf-8")
    assert main(["records", *files, "--key=key", "--target=target", "--top=3"]) == 0
    assert len(capsys.readouterr().out) < 10_000


def test_names_of_files_are_inert(folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"hostile": "<img src=x onerror=alert(1)>\x1b[31m\u202e.csv", "tame": "synthetic.csv"}
    found = {}
    for kind, name in names.items():
        shutil.copy(folders["tame"] / "synthetic.csv", tmp_path / name)
        page, figure = tmp_path / f"{kind}.html", tmp_path / f"{kind}.svg"
        given = [str(folders["tame"] / "original.csv"), str(tmp_path / name), str(folders["tame"] / "holdout.csv")]
        assert main(["audit", *given, "--key=key", "--target=target", f"--html={page}", f"--figure={figure}"]) == 0
        told = capsys.readouterr()
        assert is_inert(told.out + told.err)
        assert is_inert(page.read_text(encoding="utf-8").replace("\u00a0%", " %") + figure.read_text(encoding="utf-8"))
        found[kind] = Tags(page.read_text(encoding="utf-8"))
    assert "<img src=x onerror=alert(1)>\\x1b[31m\\u202e.csv" in told_of(found["hostile"])
    assert found["hostile"].tags <= found["tame"].tags


def told_of(page: Tags) -> str:
    """What a page says, in one line."""
    return " ".join(page.read.split())
