"""Files as R, Excel and Stata write them, in ways to go wrong: what messages say is pasted, and the numbers are those of plain tables."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from command_line import advised, printed

from capstats.cli import main

pytestmark = pytest.mark.slow

Write = Callable[[pd.DataFrame, Path], None]  # a table into a file
N = 160
TOWNS = ["Würzburg", "Ulm", "Kleve"]
CODES = {1: "Würzburg", 2: "Ulm", 3: "Kleve"}


def people(seed: int) -> pd.DataFrame:
    """Records as plain text spells them; some have no job."""
    rng = np.random.default_rng(seed)
    drawn = {
        "town": rng.choice(TOWNS, N),
        "age": rng.choice([40, 41, 52], N),
        "income": rng.choice([0.1, 2.25, 10.5], N),
        "wage": rng.choice([1200, 25000, 1350], N),
        "born": rng.choice(["1980-01-31", "1991-12-05", "2001-06-17"], N),
        "job": rng.choice(["cook", "smith", None], N),
        "smokes": rng.choice([True, False], N),
        "weight": rng.choice([0.5, 1.5, 2.0], N),
        "sick": rng.choice(["yes", "no"], N),
    }
    return pd.DataFrame(drawn)


# --- programs ---------------------------------------------------------------------------------------------------------


def text(table: pd.DataFrame, path: Path, **how: Any) -> None:
    table.to_csv(path, **{"index": False, **how})


def of_r(table: pd.DataFrame, path: Path, row_names: bool = False, **spelt: str) -> None:
    """As write.csv does: texts in quotes, NA without, TRUE and FALSE."""
    spelling = {"NA": "NA", "True": "TRUE", "False": "FALSE", **spelt}

    def cell(x: Any) -> str:
        return spelling["NA"] if pd.isna(x) else f'"{x}"' if isinstance(x, str) else spelling.get(str(x), str(x))

    rows = [list(table), *table.itertuples(index=False)]
    if row_names:
        rows = [[str(i or ""), *row] for i, row in enumerate(rows)]
    path.write_text("".join(",".join(map(cell, row)) + "\n" for row in rows))


def of_excel(table: pd.DataFrame, path: Path, before: int = 0, notes: bool = False) -> None:
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        table.to_excel(book, sheet_name="Data", index=False, startrow=before)
        if before:
            book.sheets["Data"]["A1"] = "Survey of 2024"
        if notes:
            pd.DataFrame({"column": list(table), "note": "as asked"}).to_excel(book, sheet_name="Notes", index=False)


def semicolons(table: pd.DataFrame, path: Path, said: str = "", encoding: str = "cp1252", **how: Any) -> None:
    """As Excel saves CSV where the decimal sign is a comma."""
    table = table.assign(smokes=table.smokes.map({True: "WAHR", False: "FALSCH"})) if how.pop("german", False) else table
    lines = table.to_csv(index=False, sep=";", decimal=",", lineterminator="\r\n", **how)
    path.write_bytes((said + lines).encode(encoding))


def of_stata(table: pd.DataFrame, path: Path, **how: Any) -> None:
    table = table.assign(job=table.job.fillna(""), smokes=table.smokes.astype(int))
    table.to_stata(path, write_index=False, **how)


def changed(write: Write, /, *, names: Any = None, **columns: Callable[[Any], Any]) -> Write:
    """The same program for a table some columns of which are changed."""

    def written(table: pd.DataFrame, path: Path) -> None:
        table = table.assign(**{c: change(table[c]) for c, change in columns.items()})
        write(table.rename(columns=names or {}), path)

    return written


def how(write: Any, **options: Any) -> Write:
    return lambda table, path: write(table, path, **options)


# --- what the messages say ----------------------------------------------------------------------------------------------

LINE = re.compile(r"(?:change (both|`\w+`).{0,90}?: in Python |round (both), as with )(table\[.*?)(?: where the day|, in R| in Python)")
CODE_LIST = re.compile(r"as with (table\[.*?\.map)\(\{code: label\}\) in Python")


def read(path: Path) -> pd.DataFrame:
    """The file in pandas; of CSV, numbers that have separators of thousands as text."""
    if path.suffix == ".xlsx":
        return pd.read_excel(path)
    if path.suffix == ".dta":
        return pd.read_stata(path, convert_categoricals=False)
    return pd.read_csv(path, sep=None, engine="python", keep_default_na=False, na_values=[""], dtype={"wage": str})


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The status, and all that is said, as one line."""
    status = main(arguments)
    return status, " ".join("".join(capsys.readouterr()[::-1]).split())


def remedied(files: list[str], message: str, by_hand: str) -> tuple[list[str], list[str]]:
    """The files, and the options to add, after the first remedy of a message."""
    if by_hand == "swap":
        return files[::-1], []
    if found := LINE.search(message):
        changed = files if "both" in (found[1] or found[2]) else [files[found[1] == "`synthetic`"]]
        return [_with_line(x, found[3]) if x in changed else x for x in files], []
    if found := CODE_LIST.search(message):
        return [files[0], _with_line(files[1], f"{found[1]}({by_hand})")], []
    if by_hand.startswith("table"):
        return [files[0], _with_line(files[1], by_hand)], []
    return files, joined(advised(message) or shlex.split(by_hand))


def joined(options: list[str]) -> list[str]:
    """Each option with its value."""
    return [f"{flag}={value}" for flag, value in zip(options[::2], options[1::2], strict=True)]


def _again(option: str, more: list[str]) -> bool:
    """Whether an option is given anew, for the same column or table."""
    return any(option.rpartition("=")[0] == new.rpartition("=")[0] for new in more)


def _with_line(file: str, line: str) -> str:
    held = {"table": read(Path(file)), "pandas": pd}
    exec(line, held)
    name = f"{Path(file).stem}_.csv"
    text(held["table"], Path(name))
    return name


def average_cap(original: pd.DataFrame, release: pd.DataFrame, keys: list[str], target: str) -> float:
    """By pandas: how often the target of a person is that of a record drawn at random among those with the same keys."""
    o, s = (table[[*keys, target]].astype(object).where(table.notna(), "missing").astype(str) for table in (original, release))
    share = s.groupby(keys)[target].value_counts(normalize=True)
    return float(np.mean([share.get(row, 0) for row in o.itertuples(index=False, name=None)]))


class Way(NamedTuple):
    """A way to go wrong: the files with what writes them, columns, the message, and what its reader must know beside it."""

    original: tuple[str, Write]
    release: tuple[str, Write]
    columns: str
    message: str
    by_hand: str = ""
    options: str = ""


def upper(x: Any) -> Any:
    return x.str.upper()


def german(x: Any) -> Any:
    return pd.to_datetime(x).dt.strftime("%d.%m.%Y")


def thousands(sign: str) -> Callable[[Any], Any]:
    return lambda x: x.map("{:,}".format).str.replace(",", sign)


def coded(x: Any) -> Any:
    return x.map({label: code for code, label in CODES.items()})


def gap(value: Any = np.nan) -> Callable[[Any], Any]:
    """The missing values of age, which are 52 in `people`, in another form."""
    return lambda x: x.where(x != 52, value)


def twice(table: pd.DataFrame, path: Path) -> None:
    text(table[[*table, "town"]], path)


def unknown_age(table: pd.DataFrame, path: Path) -> None:
    of_r(table.assign(age=gap(pd.NA)(table.age.astype("Int64"))), path)


yes = {"smokes": lambda x: x.map({True: "yes", False: "no"})}
utf8, german_csv = how(semicolons, encoding="utf-8"), how(semicolons, encoding="utf-8", german=True)
R, CSV, XLSX, DTA = ("o.csv", of_r), ("r.csv", text), ("o.xlsx", of_excel), ("o.dta", of_stata)
LABELLED = ("o.dta", changed(how(of_stata, value_labels={"town": CODES}), town=coded))
DAYS = ("o.xlsx", changed(of_excel, born=pd.to_datetime))
WAYS = {
    "names in capitals": Way(R, ("r.csv", changed(text, names={"town": "TOWN", "sick": "Sick"})), "town", "names that differ in case"),
    "a space after a name": Way(R, ("r.csv", changed(text, names={"town": "town "})), "town", "It has 'town '"),
    "signs in a name": Way(R, ("r.csv", changed(text, names={"town": "to.wn"})), "town", "It has 'to.wn'"),
    "another name": Way(R, ("r.csv", changed(text, names={"town": "city"})), "town", "None of its 9", "--rename synthetic.city=town"),
    "decimal comma": Way(R, ("r.csv", utf8), "income,age", "numbers written in another way"),
    "decimal comma of the original": Way(("o.csv", utf8), ("r.csv", of_r), "income,age", "--decimal original=,"),
    "decimal comma beside Excel": Way(XLSX, ("r.csv", utf8), "income", "number labels in `original` and text"),
    "cp1252": Way(R, ("r.csv", semicolons), "town,age", "line . is not UTF-8"),
    "utf-16 with tabs": Way(("o.csv", how(text, encoding="utf-16", sep="\t")), CSV, "town", "line 1 is not UTF-8"),
    "semicolons": Way(R, ("r.csv", utf8), "town,born", ""),
    "a mark of UTF-8": Way(R, ("r.csv", how(semicolons, encoding="utf-8-sig")), "town", ""),
    "names of rows": Way(("o.csv", how(of_r, row_names=True)), CSV, "town", ""),
    "NA and empty": Way(R, CSV, "job,age", "a missing value written as text or code"),
    "NA and an empty cell": Way(R, ("r.xlsx", of_excel), "job", "a missing value written as text or code"),
    "NA and a dot": Way(R, ("r.csv", how(text, na_rep=".")), "job", "such as 'NA' and '.'"),
    "empty and a quoted NA": Way(XLSX, ("r.csv", how(text, na_rep="NA", quoting=csv.QUOTE_ALL)), "job", "--null-values job=NA"),
    "labels of Stata": Way(LABELLED, CSV, "town", ""),
    "codes beside labels": Way(LABELLED, ("r.csv", changed(text, town=coded)), "town", "One has codes and the other their labels"),
    "labels beside codes": Way(("r.csv", changed(text, town=coded)), LABELLED, "town", "change `original`: in Python"),
    "dates": Way(R, ("r.csv", changed(text, born=german)), "born", "dates written in another way"),
    "dates of Excel": Way(DAYS, CSV, "born", "datetime labels in `original` and text"),
    "dates of Excel beside others": Way(DAYS, ("r.csv", changed(text, born=german)), "born", "change `synthetic`, so that dates"),
    "dates of Stata": Way(
        ("o.dta", changed(how(of_stata, convert_dates={"born": "td"}), born=pd.to_datetime)), ("r.xlsx", DAYS[1]), "born", "date labels"
    ),
    "case": Way(R, ("r.csv", changed(text, town=upper)), "town", "Likely cause: case"),
    "case of a target": Way(R, ("r.csv", changed(text, sick=upper)), "town", "Likely cause: case"),
    "spaces at the end": Way(R, ("r.csv", changed(text, town=lambda x: x + " ")), "town", "Likely cause: spaces"),
    "a form of Unicode": Way(R, ("r.csv", changed(text, town=lambda x: x.str.normalize("NFD"))), "town", "Unicode form"),
    "decoded twice": Way(
        R, ("r.csv", changed(text, town=lambda x: x.map(lambda x: x.encode().decode("cp1252")))), "town", "wrong encoding"
    ),
    "thousands with a point": Way(R, ("r.csv", changed(text, wage=thousands("."))), "wage", "separators of thousands"),
    "thousands with a comma": Way(R, ("r.csv", changed(text, wage=thousands(","))), "wage", "separators of thousands"),
    "thousands with a space": Way(R, ("r.csv", changed(text, wage=thousands("\u00a0"))), "wage", "separators of thousands"),
    "thousands beside Excel": Way(XLSX, ("r.csv", changed(text, wage=thousands(","))), "wage", "number labels .* separators"),
    "a line sep=;": Way(R, ("r.csv", how(semicolons, said="sep=;\r\n", encoding="utf-8")), "town", ""),
    "a note before the names": Way(
        ("o.csv", how(semicolons, said="Survey of 2024\r\n\r\n", encoding="utf-8")), CSV, "town", "--skip original=2"
    ),
    "a note in a sheet": Way(("o.xlsx", how(of_excel, before=2)), CSV, "town", "--skip original=2"),
    "two sheets": Way(("o.xlsx", how(of_excel, notes=True)), CSV, "town", "records in 2 sheets"),
    "numbers as text": Way(("o.xlsx", changed(of_excel, age=lambda x: x.astype(str))), ("r.xlsx", of_excel), "age", "text labels"),
    "numbers of Stata": Way(DTA, CSV, "age", "number labels in `original` and text"),
    "single precision": Way(("o.dta", changed(of_stata, income=lambda x: x.astype("float32"))), CSV, "income", "number labels"),
    "numbers with gaps": Way(("o.csv", unknown_age), ("r.csv", changed(text, age=gap())), "age", "--null-values age=NA"),
    "a code": Way(("o.csv", changed(text, age=gap(-99))), ("r.csv", changed(text, age=gap())), "age", "--type age=number"),
    "yes and TRUE": Way(R, ("r.csv", changed(text, **yes)), "smokes", "truth values"),
    "1 and TRUE": Way(DTA, ("r.csv", of_r), "smokes", "number labels in `original` and text"),
    "truth in Excel": Way(XLSX, ("r.csv", changed(text, **yes)), "smokes", "bool labels in `original` and text"),
    "truth in German": Way(R, ("r.csv", german_csv), "smokes", "one has codes", repr({"WAHR": "TRUE", "FALSCH": "FALSE"})),
    "files swapped": Way(("synthetic.csv", text), ("original.csv", of_r), "town", "are swapped", "swap"),
    "a column twice": Way(R, ("r.csv", twice), "town", "occurs 2 times", "table[[*table]]"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(way: Way) -> list[str]:
    for seed, (name, write) in enumerate((way.original, way.release), 1):
        write(people(seed), Path(name))
    return [way.original[0], way.release[0]]


def followed(command: list[str], way: Way, capsys: pytest.CaptureFixture[str]) -> tuple[list[str], list[str]]:
    """The files and options of a command after all that its messages advise; the first message has what the way expects."""
    files, options = written(way), []
    command, columns = command[:-1], command[-1:]
    for step in range(6):
        status, said = run([*command, *files, *columns[0].split(), *options], capsys)
        assert step or re.search(way.message, said), said
        then, more = remedied(files, said, "" if step else way.by_hand)
        if status == 0 and (then == files and set(more) <= set(options)):
            return files, options
        assert then != files or more, said
        files, options = then, [x for x in options if not _again(x, more)] + more
    raise AssertionError(said)


@pytest.mark.filterwarnings("ignore:Could not infer format")
@pytest.mark.parametrize("name", WAYS)
def test_what_the_message_of_an_audit_says_gives_the_number_of_plain_tables(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    way = WAYS[name]
    columns = f"--keys {way.columns} --target sick"
    files, options = followed(["audit", columns], way, capsys)
    assert main(["audit", *files, *columns.split(), *options, "--json"]) == 0
    tables = [people(1), people(2)][:: -1 if way.by_hand == "swap" else 1]
    found = json.loads(capsys.readouterr().out)["measures"]["average_cap_zero"]
    assert found == pytest.approx(average_cap(*tables, way.columns.split(","), "sick"), rel=1e-12)


def number(command: str, files: list[str], columns: str, options: list[str], capsys: pytest.CaptureFixture[str]) -> float:
    """What a command gives: the average of the records' CAP, that of its file of counts, or the average of guessed columns."""
    assert main([*command.split(), *files, *columns.split(), *options, *([] if command == "count" else ["--json"])]) == 0
    if command == "count":
        capsys.readouterr()
        assert main(["audit", "counts.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    if command == "records":
        return float(np.mean([x["cap"] or 0 for x in found["records"]]))
    return float(found["measures"]["average_cap_zero"] if command == "count" else found["results"][-1]["accuracy"])


@pytest.mark.parametrize("name", ["decimal comma beside Excel", "case", "names in capitals"])
@pytest.mark.parametrize("command", ["count", "records", "attack knowledge"])
def test_other_commands_advise_the_same(command: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    way = WAYS[name]
    columns = f"--columns {way.columns},sick" if "attack" in command else f"--keys {way.columns} --target sick"
    output = " --out counts.csv --overwrite" if command == "count" else ""
    files, options = followed([*command.split(), columns + output], way, capsys)
    found = number(command, files, columns + output, options, capsys)
    if "attack" not in command:
        assert found == pytest.approx(average_cap(people(1), people(2), way.columns.split(","), "sick"), rel=1e-12)
        return
    for seed, file in enumerate(("plain.csv", "release.csv"), 1):
        text(people(seed), Path(file))
    types = [x for x in options if x.startswith("--type=")]  # numbers are near one another
    assert found == pytest.approx(number(command, ["plain.csv", "release.csv"], columns, types, capsys), rel=1e-12)


@pytest.mark.parametrize("name", ["decimal comma beside Excel", "NA and an empty cell", "numbers of Stata", "dates of Excel"])
def test_the_audit_that_describe_proposes_gives_the_number_of_plain_tables(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = written(WAYS[name])
    (line,) = re.findall(r"capstats (audit .*)", re.sub(r"\\\n\s*", "", printed(capsys, "describe", *files)))
    assert main([*shlex.split(line), "--json"]) == 0, capsys.readouterr().err
    found = json.loads(capsys.readouterr().out)
    asked = found["provenance"]
    expected = average_cap(people(1), people(2), asked["keys"], asked["target"][0])
    assert "bins" in asked or found["measures"]["average_cap_zero"] == pytest.approx(expected, rel=1e-12)
