"""Files to write that a configuration names: within its folder, with a known ending, and never in place of a file of the user's."""

import json
import os
import tomllib
from pathlib import Path

import pytest
from command_line import printed, refused

from capstats.cli import main
from capstats.cli.options import COMMANDS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

DATA = 'original = "o.csv"\nsynthetic = "s.csv"\nkeys = "k"\ntarget = "t"\n'
MEMBERS = 'members = "o.csv"\nnon-members = "s.csv"\nsynthetic = "s2.csv"\ncolumns = "k"\n'
KNOWN = 'original = "o.csv"\ncolumns = ["k", "t"]\n'
OUTPUTS = {  # of each command that has both a configuration and files to write
    "audit": (DATA, {"html": "r.html", "figure": "f.svg"}),
    "sweep": (DATA.replace("target", "targets"), {"html": "r.html", "csv": "c.csv", "figure": "f.png"}),
    "records": (DATA, {"csv": "c.csv"}),
    "attack membership": (MEMBERS, {"csv": "c.csv", "figure": "f.png"}),
    "attack knowledge": (f"synthetic = ['s.csv', 's2.csv']\nn-releases = [1, 2]\n{KNOWN}", {"csv": "c.csv", "figure": "f.png"}),
    "attack model": (DATA, {"csv": "c.csv"}),
    "anonymity": (DATA, {}),
    "describe": ('original = "o.csv"\nsynthetic = "s.csv"\n', {}),
    "measure": (f'measures = "average_cap"\n{DATA}', {}),
}
OUTPUTS = {command: (data, {**files, "json": "j.json"}) for command, (data, files) in OUTPUTS.items()}
OUTPUTS["count"] = (f"{DATA}overwrite = true\n", {"out": "c.parquet"})
EACH = [(command, key) for command, (_, files) in OUTPUTS.items() for key in files]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a configuration with its data, below one that has a file of the user's; another one is the current folder."""
    own = tmp_path / "project"
    own.mkdir()
    for name, values in {"o.csv": "aabb", "s.csv": "abab", "s2.csv": "bbaa"}.items():
        (own / name).write_text("\n".join(["k,t", *(f"{k},{t}" for k, t in zip("abab", values, strict=True))]), encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return own


def of(folder, command, more, *arguments):
    """A command with its configuration, which is written with more lines in it."""
    (folder / "risk.toml").write_text(f"{more}\n{OUTPUTS[command][0]}", encoding="utf-8")
    return [*command.split(), "--config", str(folder / "risk.toml"), *arguments]


def test_all_commands_and_files_are_tried():
    """An option for a path that is neither one of these, nor one that is read, must say whether it is written."""
    read = {"original", "synthetic", "holdout", "generator", "population", "published", "members", "non-members", "report", "spill-dir"}
    found = {
        (command.name, option.key)
        for command in COMMANDS
        for option in command.options.values()
        if option.kind.is_path and option.key not in read and command.name not in ("paper", "lesson", "browser")
    }
    assert found == {*EACH, ("audit", "ledger"), ("verify", "counts")}  # the latter is read
    options = [option for command in COMMANDS for option in command.options.values()]
    assert all(option.kind.is_path for option in options if option.endings)
    assert all(command.options[key].endings for command in COMMANDS for name, key in EACH if name == command.name)


@pytest.mark.parametrize(
    ("ledger", "message", "forced"),
    [
        ("../ledger.json", "must lie within", "must lie within"),
        (".bashrc", "must end in .json", "must end in .json"),
        ("mine.json", "capstats did not make", "is damaged, or no ledger"),
    ],
)
def test_a_ledger_that_a_configuration_names_lies_beside_it_and_takes_no_file_of_somebody_else(ledger, message, forced, folder, capsys):
    public = 'html = "page.html"\naudience = "public"\nthreshold = 2\n'
    for name in ("o.csv", "s.csv"):
        head, *rows = (folder / name).read_text(encoding="utf-8").splitlines()
        (folder / name).write_text("\n".join([head, *rows * 20]), encoding="utf-8")
    (folder / "mine.json").touch(0o600)
    (folder / "mine.json").write_text("[]", encoding="utf-8")
    before = {path: path.is_file() and path.read_bytes() for path in folder.parent.rglob("*")}
    assert message in refused(capsys, *of(folder, "audit", f'{public}ledger = "{ledger}"'))
    assert forced in refused(capsys, *of(folder, "audit", f'{public}ledger = "{ledger}"', "--force"))
    after = {path: path.is_file() and path.read_bytes() for path in folder.parent.rglob("*") if path.suffix != ".toml"}
    assert after == {path: content for path, content in before.items() if path.suffix != ".toml"}


@pytest.mark.parametrize(("command", "key"), EACH)
def test_a_file_of_somebody_else_stays_without_force(command, key, folder, capsys):
    name = OUTPUTS[command][1][key]
    (folder / name).write_text("mine", encoding="utf-8")
    err = refused(capsys, *of(folder, command, f'{key} = "{name}"'))
    assert err.count("\n") == 1
    assert f"`{key}` is {str(folder / name)!r}, a file that capstats did not make. Give another name, or --force." in err
    assert (folder / name).read_text(encoding="utf-8") == "mine"
    assert main(of(folder, command, f'{key} = "{name}"', "--force")) == 0
    assert (folder / name).read_bytes() != b"mine"


def test_numbers_do_not_take_the_place_of_a_ledger(folder, capsys):
    (folder / "ledger.json").write_text('{"capstats ledger": 1, "published": []}', encoding="utf-8")
    assert "a file that capstats did not make" in refused(capsys, *of(folder, "audit", 'json = "ledger.json"'))


@pytest.mark.parametrize(("command", "key"), EACH)
def test_a_file_that_capstats_made_is_replaced_except_csv_json_and_counts(command, key, folder, capsys):
    more = f'{key} = "{OUTPUTS[command][1][key]}"'
    assert main(of(folder, command, more)) == 0
    assert main(of(folder, command, more)) == (2 if key in ("csv", "json", "out") else 0)
    assert main(of(folder, command, more, "--force")) == 0
    capsys.readouterr()


OUTSIDE = ["../x.html", "out/../../x.html", "{tmp}/x.html", "/x.html", "link/x.html", "out/up/x.html"]
WITHIN, PLAIN = "must lie within the folder of the configuration", "must be a path with / between folders and without a drive"
WINDOWS = ["C:/x.html", "C:x.html", "..\\\\x.html", "\\\\\\\\server\\\\share\\\\x.html", "out\\\\x.html"]


@pytest.mark.parametrize(("path", "must"), [*((path, WITHIN) for path in OUTSIDE), *((path, PLAIN) for path in WINDOWS)])
def test_nothing_is_written_outside_of_its_folder_not_even_with_force(path, must, folder, tmp_path, capsys):
    (folder / "out").mkdir()
    (folder / "link").symlink_to(tmp_path)
    (folder / "out" / "up").symlink_to("../..")
    (tmp_path / "x.html").write_text("mine", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    for force in ([], ["--force"]):
        err = refused(capsys, *of(folder, "audit", f'html = "{path.format(tmp=tmp_path)}"', *force))
        assert err.count("\n") == 1
        assert f"`html` {must}; got " in err
        assert " Give --html" in err
    assert (tmp_path / "x.html").read_text(encoding="utf-8") == "mine"
    assert sorted(tmp_path.rglob("*")) == sorted([*before, folder / "risk.toml"])


@pytest.mark.parametrize("name", [".bashrc", "x.sh", "authorized_keys", "html", ".html", "x.html.py", "x.csv"])
def test_a_name_without_the_ending_of_its_format_is_refused(name, folder, capsys):
    assert "`html` must end in .html or .htm; got " in refused(capsys, *of(folder, "audit", f'html = "{name}"', "--force"))
    assert not (folder / name).exists()


@pytest.mark.parametrize("link", ["symbolic", "dangling", "hard"])
def test_a_link_within_the_folder_is_refused_whatever_the_command_line_says(link, folder, tmp_path, capsys):
    mine = tmp_path / "notes.html" if link == "hard" else folder / "notes.html"
    if link != "dangling":
        mine.write_text("mine", encoding="utf-8")
    if link == "hard":
        os.link(mine, folder / "r.html")
    else:
        (folder / "r.html").symlink_to(mine)
    for audience in ("internal", "public"):
        err = refused(capsys, *of(folder, "audit", f'html = "r.html"\naudience = "{audience}"', "--force"))
        assert "which is a link, a folder or a device. Give another name." in err
    assert mine.read_text(encoding="utf-8") == "mine" if link != "dangling" else not mine.exists()


def test_capital_letters_absolute_paths_and_folders_within_are_as_good(folder, capsys):
    (folder / "out").mkdir()
    assert main(of(folder, "audit", f'html = "out/../out/R.HTML"\nfigure = "{folder}/f.Png"')) == 0
    assert (folder / "out" / "R.HTML").is_file()
    assert (folder / "f.Png").is_file()


def test_what_the_command_line_names_is_replaced_as_ever_and_takes_the_place_of_the_configuration(folder, tmp_path, capsys):
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    assert main(of(folder, "audit", 'html = "../.bashrc"', "--html", str(mine))) == 0
    assert mine.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_force_is_said_on_the_command_line_alone(folder, capsys):
    (folder / "r.html").write_text("mine", encoding="utf-8")
    assert "has 'force', which is not an option of this command." in refused(capsys, *of(folder, "audit", 'force = true\nhtml = "r.html"'))
    told = "--force applies to files named by a configuration. Give --config, or leave it out."
    assert told in refused(capsys, "audit", "--example", "titanic", "--force")
    assert (folder / "r.html").read_text(encoding="utf-8") == "mine"


def test_neither_the_configuration_nor_an_input_is_written_over_under_any_name(folder, capsys):
    os.link(folder / "o.csv", folder / "same.csv")
    before = (folder / "o.csv").read_bytes()
    assert "the configuration itself. Give another path." in refused(capsys, *of(folder, "audit", "", "--html", str(folder / "risk.toml")))
    assert tomllib.loads((folder / "risk.toml").read_text(encoding="utf-8"))["keys"] == "k"
    for name in ("o.csv", "same.csv", "../project/o.csv"):
        for more in ([], ["--audience", "public", "--ledger", str(folder / "ledger.json")]):
            err = refused(capsys, *of(folder, "audit", "", "--html", str(folder / name), *more))
            assert "which is read as well. Give another path." in err
    assert (folder / "o.csv").read_bytes() == before


@pytest.mark.parametrize("deep", ["[" * 5000, "{a=" * 5000, "[" * 400 + "1" + "]" * 400, "a." * 5000 + "a = 1\nkeys"])
def test_deep_nesting_is_one_line(deep, folder, capsys):
    err = refused(capsys, *of(folder, "audit", f"keys = {deep}" if deep[0] != "a" else deep))
    assert err.count("\n") == 1
    assert err.startswith("capstats audit: --config ")
    assert len(err) < 1000


def test_a_path_with_a_null_character_is_one_line(folder, capsys):
    assert refused(capsys, *of(folder, "audit", 'html = "a\\u0000.html"')).count("\n") == 1


def test_the_settings_of_a_report_repeat_it_beside_it(folder, monkeypatch, capsys):
    """A report tells its settings with the files to write; saved in the same folder, they replace the report and its figure."""
    monkeypatch.chdir(folder)
    arguments = ["audit", "o.csv", "s.csv", "--keys", "k", "--target", "t", "--html", "r.html", "--figure", "f.png", "--json"]
    settings = json.loads(printed(capsys, *arguments))["provenance"]["settings"]
    from capstats.reports.repeating import as_toml

    Path("again.toml").write_text(as_toml(settings), encoding="utf-8")
    assert main(["audit", "--config", "again.toml"]) == 0
