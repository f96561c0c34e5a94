"""Options of single tables, in all commands; and remedies, which work when they are pasted."""

import re
from pathlib import Path

import openpyxl
import pytest
from command_line import advised, in_json, printed, refused, run

import capstats
from capstats.cli import main

PLAIN = "k,t,w\n1,a,1\n2,b,2\n2,a,1\n"
OTHER = "k,t,w\n1,b,1\n2,b,2\n2,a,3\n"
COLUMNS = ["--keys", "k", "--target", "t"]
COMMANDS = {
    "audit": COLUMNS,
    "count": [*COLUMNS, "--out", "counts.csv"],
    "records": COLUMNS,
    "sweep": ["--keys", "k", "--targets", "t"],
    "anonymity": COLUMNS,
    "attack knowledge": ["--columns", "k,t"],
    "attack model": [*COLUMNS, "--estimator", "tree"],
    "describe": [],
}
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text(OTHER)
    return tmp_path


def book(name, sheets):
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, text in sheets.items():
        sheet = made.create_sheet(title)
        for line in text.splitlines():
            sheet.append([None if x == "" else x for x in line.split(",")])
    made.save(name)


ODD = {  # CSV with its encoding, or sheets: files whose oddity a message mends
    "UTF-16": (PLAIN, "utf-16"),
    "UTF-16 without a mark": (PLAIN, "utf-16-be"),
    "cp1252": (PLAIN.replace("a", "ä"), "cp1252"),
    "note": (f"# made 2026\n{PLAIN}", "utf-8"),
    "title": (f"Survey 2026,,\n,,\n{PLAIN}", "utf-8"),
    "blank": (f"\n{PLAIN}", "utf-8"),
    "capitals": (PLAIN.replace("k,t,w", "K,T,w"), "utf-8"),
    "sheets": {"Data": PLAIN, "More": PLAIN.replace("1,a,1\n", ""), "Notes": "nothing"},
    "sheet with a title": {"Data": f"Survey 2026\n{PLAIN}"},
}


def odd(name):
    """The file of a name in `ODD`."""
    if "sheet" in name:
        book("o.xlsx", ODD[name])
        return "o.xlsx"
    text, encoding = ODD[name]
    Path("o.csv").write_text(text, encoding=encoding)
    return "o.csv"


@pytest.mark.parametrize("name", ODD)
def test_a_remedy_that_is_pasted_works(name, capsys):
    arguments = ["audit", odd(name), "s.csv", *COLUMNS]
    assert main([*arguments, *advised(refused(capsys, *arguments)), "--allow-no-match"]) == 0
    with pytest.raises(ValueError, match=r"=\{'original': .*\} \(--") as raised:
        capstats.tabulate(arguments[1], "s.csv", keys="k", target="t")
    option, value = re.search(r"(\w+)=(\{.*\}) \(--", str(raised.value)).groups()
    given = {option: eval(value)}
    assert int(capstats.tabulate(arguments[1], "s.csv", keys="k", target="t", **given).o.sum()) == 3


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "options", "table"),
    [
        ("title", ["--skip", "original=2"], "skip = {original = 2}"),
        ("UTF-16", ["--encoding", "original=utf-16"], 'encoding = {original = "utf-16"}'),
        ("capitals", ["--rename", "original.K=k", "--rename", "original.T=t"], 'rename = {original = {K = "k", T = "t"}}'),
        ("sheets", ["--sheet", "original=Data"], 'sheet = {original = "Data"}'),
    ],
)
def test_every_command_takes_an_option_of_one_table(command, name, options, table, capsys):
    """On the command line and in a configuration alike."""
    arguments = [*command.split(), odd(name), "s.csv", *COMMANDS[command]]
    assert main([*arguments, *options]) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    Path("counts.csv").unlink(missing_ok=True)
    Path("c.toml").write_text(table)
    assert printed(capsys, *arguments, "--config", "c.toml").splitlines()[4:] == out.splitlines()[4:]


def test_membership_names_members_and_others(capsys):
    for name, text in {"m.csv": PLAIN, "n.csv": f"\n{OTHER}"}.items():
        Path(name).write_text(text)
    Path("s.csv").write_text(OTHER.replace("3", "4"), encoding="utf-16")
    options = ["--encoding", "synthetic=utf-16", "--skip", "non-members=1", "--type", "members.k=number", "--columns", "t"]
    assert main(["attack", "membership", "m.csv", "n.csv", "s.csv", *options, "--allow-same"]) == 0, capsys.readouterr().err


def test_releases_have_options_by_their_names(capsys):
    Path("o.csv").write_text(PLAIN)
    Path("b.csv").write_text(OTHER.replace(",", ";").replace("k;t;w", "K;t;w").replace("1;", "1,0;"), encoding="utf-16")
    arguments = ["audit", "o.csv", "s.csv", "b.csv", *COLUMNS, "--type", "k=number"]
    options = ["--encoding", "b.csv=utf-16", "--decimal", "b.csv=,", "--rename", "b.csv.K=k", "--null-values", "s.csv.t=a"]
    found = in_json(capsys, *arguments, *options)
    assert found["provenance"]["null_values"] == {"s.csv": {"t": ["a"]}}
    assert found["provenance"]["columns"]["keys"]["k"]["levels"] == 2
    assert main([*arguments, "--encoding", "c.csv=utf-16"]) == 2
    told = "--encoding names 'c.csv', which is no table; the tables are 'original', 'synthetic', 's.csv', 'b.csv'."
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--skip", "x"], "--skip must be a whole number of lines, or TABLE=NUMBER; got 'x'."),
        (["--skip", "1", "--skip", "2"], "--skip must be VALUE, or TABLE=VALUE, once for each table; got '2'."),
        (["--decimal", "original=;"], '--decimal must be "." or ","; got \';\'.'),
        (["--sheet", "original=A"], "--sheet applies to Excel files only; `original` is none. Leave it out."),
        (["--sheet", "A"], "--sheet applies to Excel files only; no Excel file was given. Leave it out."),
        (["--rename", "original.kk=k2"], "--rename names 'kk', which is no column of `original`. Did you mean 'k'?"),
        (["--rename", "w=k"], "Column 'k' occurs 2 times in `original`."),
        (["--type", "original.x=number"], "--types names 'x', which is no column of `original`."),
        (["--skip", "9"], "it has fewer than 9 lines, which `skip` says to skip."),
    ],
)
def test_an_option_that_can_do_nothing_is_one_line(options, message, capsys):
    Path("o.csv").write_text(PLAIN)
    told = refused(capsys, "audit", "o.csv", "s.csv", *COLUMNS, *options)
    assert message.replace("`skip`", "--skip") in told
    assert told.count("\n") == 1


def test_the_separator_that_excel_writes_first_is_taken(capsys):
    """Errors name the line of the file."""
    Path("o.csv").write_text("sep=;\nk;t;w\n1;a;1\n2;b,b;2\n2;a\n")
    assert "line 5: the record has 2 fields, the header has 3" in refused(capsys, "audit", "o.csv", "s.csv", *COLUMNS)
    Path("o.csv").write_text("sep=;\r\n" + PLAIN.replace(",", ";").replace("\n", "\r\n"))
    assert main(["audit", "o.csv", "s.csv", *COLUMNS, "--skip", "original=1"]) == 0


def test_a_sheet_that_is_absent_names_those_that_are_there(capsys):
    book("o.xlsx", {"Data": PLAIN, "More": PLAIN})
    assert "has no sheet 'Dat'; it has 'Data', 'More'." in refused(capsys, "audit", "o.xlsx", "s.csv", *COLUMNS, "--sheet", "Dat")
    book("o.xlsx", {"Empty": "", "Notes": "nothing", "Data": PLAIN})
    assert main(["audit", "o.xlsx", "s.csv", *COLUMNS]) == 0


def test_weights_and_numbers_with_a_comma_name_the_decimal_sign(capsys):
    Path("o.csv").write_text("k;t;w\n1,5;a;2,5\n1,5;b;0,5\n2;a;1,0\n")
    arguments = ["audit", "o.csv", "s.csv", *COLUMNS, "--allow-no-match"]
    for more in (["--weights", "w"], ["--type", "k=number"]):
        told = refused(capsys, *arguments, *more)
        assert advised(told) == ["--decimal", "original=,"]
        assert main([*arguments, *more, *advised(told)]) == 0
    capsys.readouterr()
    assert main([*arguments, "--weights", "w", "--decimal", ",", "--type", "k=number"]) == 0


def test_types_and_codes_may_name_any_column_of_the_tables(capsys):
    rows = [f"{i % 3},{'ab'[i % 2]},{'NA' if i % 4 else 'cook'},{i % 5}\n" for i in range(40)]
    Path("o.csv").write_text("k,t,job,n\n" + "".join(rows))
    Path("s.csv").write_text("k,t,job,n\n" + "".join(rows[1:]))
    arguments = ["audit", "o.csv", "s.csv", *COLUMNS]
    for option in (["--null-values", "NA"], ["--null-values", "job=NA"], ["--null-values", "original.job=NA"], ["--type", "n=number"]):
        assert main([*arguments, *option]) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert "'NB', which occurs in none of the columns that were read." in refused(capsys, *arguments, "--null-values", "NB")
    assert main([*arguments, "--null-values", "NA", "--copy-columns", "0"]) == 2
    assert "--null-values names 'jbo', which is in no table. Did you mean 'job'?" in refused(capsys, *arguments, "--null-values", "jbo=NA")


def test_a_code_that_is_in_quotes_alone_is_told_and_the_remedy_works():
    Path("o.csv").write_text('k,t\n"NA",a\n"DE",b\n')
    Path("s.csv").write_text('k,t\nNA,a\n"DE",b\n')
    command = ["audit", "o.csv", "s.csv", *COLUMNS, "--allow-same"]
    told = run(*command, "--null-values", "NA").stderr
    assert "`original` has 'NA' in quotes alone." in told
    assert run(*command, *advised(told), check=True).stderr == ""
    Path("s.csv").write_text('k,t\n"NA",a\n"DE",b\n"DE",a\n')
    failed = run(*command, "--null-values", "NA")
    assert "'NA', which occurs in none of the columns that were read." in failed.stderr
    assert run(*command, *advised(failed.stderr)).returncode == 0
