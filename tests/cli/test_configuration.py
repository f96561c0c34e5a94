"""Configuration in TOML: the long names of options, natural values, clear errors, and an audit that repeats itself to the letter."""

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from command_line import SMOKERS, in_json, printed, refused, said

from capstats.cli import main
from capstats.cli.options import COMMANDS
from capstats.reports.repeating import as_toml

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")

RISK = """
original = "original.csv"
synthetic = ["synthetic.csv", "smokers.csv"]
keys = "smoking"
target = ["health"]
rank-by = "-average_cap_zero"

[types]
smoking = ["Smoking", "Non-smoking"]
health = "text"
"""


@pytest.fixture
def config(here, tmp_path):
    """Write a configuration beside the data, and return its path."""

    def written(text, name="risk.toml"):
        path = here / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


def numbers(found):
    return {name: found[name] for name in ("measures", "by_target", "by_column")}


def test_a_configuration_says_what_the_command_line_would(config, capsys):
    found = in_json(capsys, "audit", "--config", config(RISK))
    line = ["audit", "original.csv", "synthetic.csv", "smokers.csv", *SMOKERS[3:], "--rank-by=-average_cap_zero"]
    expected = in_json(capsys, *line, "--types", "smoking=Smoking|Non-smoking,health=text")
    assert numbers(found) == numbers(expected)
    assert found["ranked"] == expected["ranked"]


def test_paths_are_relative_to_the_file_and_not_to_where_the_command_is_run(config, here, tmp_path, monkeypatch, capsys):
    file = config(RISK)
    monkeypatch.chdir(tmp_path)
    found = in_json(capsys, "audit", "--config", file)
    assert found["provenance"]["original"] == str(here / "original.csv")
    monkeypatch.chdir(here / "elsewhere")
    assert numbers(in_json(capsys, "audit", "--config", "../risk.toml")) == numbers(found)


def test_the_command_line_wins_option_by_option(config, capsys):
    file = config(RISK + "\n[fail-above]\nbaseline = 0\n")
    Path("people.csv").write_bytes(Path("synthetic.csv").read_bytes())
    found = in_json(capsys, "audit", "--config", file, "people.csv", "smokers.csv", "--fail-above", "baseline=1")
    assert found["provenance"]["original"] == "people.csv"
    assert found["provenance"]["synthetic"] == ["smokers.csv"]
    settings = found["provenance"]["settings"]
    assert settings["keys"] == ["smoking"]
    assert settings["fail-above"] == {"baseline": 1}


def test_a_truth_value_may_be_taken_back(config, capsys):
    file = config(f"json = true\n{RISK}")
    assert json.loads(printed(capsys, "audit", "--config", file))
    assert printed(capsys, "audit", "--config", file, "--no-json").startswith("Disclosure risk of ")


@pytest.mark.parametrize(
    "arguments",
    [
        [*SMOKERS, "--holdout", "smokers.csv", "--types", "smoking=Smoking|Non-smoking", "--missing", "drop", "--decimal", ","],
        ["audit", *["commas.csv"] * 2, "--allow-same", "--key", "smoking, now", "--target-column", "health=state", "--null-values", ""],
        ["audit", *["titanic.csv"] * 2, "--allow-same", "--keys", "Class,Sex", "--target", "Survived",
         "--weights", "count,half", "--backing", "sparse"],
        ["audit", *["titanic.csv"] * 2, "--keys", "Class,Sex", "--target", "Age", "--target", "Survived", "--counts", ",half"],
        ["audit", *["titanic.csv"] * 2, "--allow-same", "--keys", "count,Sex", "--target", "Survived",
         "--bin", "count=quantile:4", "--quiet"],
        ["audit", *["titanic.csv"] * 2, "--allow-same", "--keys", "count,half", "--target", "Survived",
         "--bin", "count=10|50", "--bin", "half=3"],
        ["audit", "original.csv", "synthetic.csv", "smokers.csv", *SMOKERS[3:], "--against", "smokers.csv", "--rank-by=-pmse",
         "--utility", "pmse=synthetic.csv:0.25,smokers.csv:0.5", "--utility", "size=1", "--fail-above", "pmse=0.5"],
        ["audit", "--example", "anes96", "--seed", "7"],
        [*SMOKERS, "--null-values", "smoking=Smoking", "--null-values", "-9", "--allow-unused-codes"],
    ],
)  # fmt: skip
def test_the_settings_of_a_report_repeat_it_to_the_letter(arguments, config, capsys):
    found = in_json(capsys, *arguments)
    file = config(as_toml(found["provenance"]["settings"]), "again.toml")
    again = in_json(capsys, "audit", "--config", file)
    assert again["provenance"].pop("settings")["json"] is True
    for report in (found, again):
        for name in ("original", "synthetic", "holdout", "files"):  # the paths of a configuration are those of its folder
            report["provenance"].pop(name, None)
        report["inputs"] = list(report["inputs"].values())  # without paths
        report.pop("digest")
    found["provenance"].pop("settings")
    assert again == found


def test_the_page_prints_the_settings_as_toml(config, tmp_path, capsys):
    import html5lib

    page = tmp_path / "report.html"
    assert main(["audit", "--config", config(RISK), "--html", str(page)]) == 0
    root = html5lib.HTMLParser(namespaceHTMLElements=False).parse(page.read_text())
    (text,) = ["".join(pre.itertext()) for pre in root.iter("pre") if "original" in "".join(pre.itertext())]
    settings = tomllib.loads(text)
    assert settings["types"] == {"smoking": ["Smoking", "Non-smoking"], "health": "text"}
    assert settings["keys"] == ["smoking"]
    assert Path(settings["original"]).name == "original.csv"


WRONG = {
    "unknown key": ('xyz = "red"', "has 'xyz', which is not an option of this command. It has 'original', 'synthetic'"),
    "misspelt key": ('null_values = "NA"', "has 'null_values', which is not an option of this command. Did you mean 'null-values'?"),
    "configuration in it": ('config = "other.toml"', "has 'config', which is not an option of this command."),
    "repeated key": ('keys = "a"\nkeys = "b"', "a key is given twice: Cannot overwrite a value"),
    "repeated table": ("[types]\na = 'text'\n[types]\nb = 'text'", "a key is given twice: "),
    "no TOML": ("keys: a", "it is not TOML: "),
    "number of columns": ("keys = 3", "`keys` must be a column, or a list of them; got 3."),
    "no columns": ("keys = []", "`keys` must be a column, or a list of them; got []."),
    "two originals": ('original = ["a.csv", "b.csv"]', "`original` must be the path of a file; got ['a.csv', 'b.csv']."),
    "text that is not one of the choices": ('missing = "ignore"', "`missing` must be one of 'level', 'drop'; got 'ignore'."),
    "choice that is no text": ("missing = [1]", "`missing` must be one of 'level', 'drop'; got [1]."),
    "truth value as a text": ('quiet = "yes"', "`quiet` must be true or false; got 'yes'."),
    "seed that is negative": ("seed = -1", "`seed` must be a whole number, 0 or more; got -1."),
    "seed that is a truth value": ("seed = true", "`seed` must be a whole number, 0 or more; got True."),
    "types as a text": ('types = "a=number"', "`types` must be a table of columns, each with its type or the list of its levels in order"),
    "type that is a number": ("types = {a = 3}", "`types` must be a table"),
    "bins of another kind": ("bins = {a = {width = 3}}", "each with a number of bins, {quantile = number} or a list of cut points; got"),
    "weights of a fourth table": ('weights = {other = "w"}', "`weights` must be a column, or a table with columns for original,"),
    "limit that is infinite": ("fail-above = {baseline = inf}", "`fail-above` must be a table of measures, each with its limit, or with"),
    "limit beyond all floats": (f"fail-above = {{average_cap_zero = 1{'0' * 400}}}", "`fail-above` must be a table of measures"),
    "utility beyond all floats": (f"utility = {{a = 1{'0' * 400}}}", "`utility` must be a table of names"),
    "utility of a text": ('utility = {pmse = "low"}', "`utility` must be a table of names"),
    "threshold that is half": ("threshold = 9.5", "`threshold` must be a whole number, 0 or more; got 9.5."),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_in_it_is_one_line_that_names_the_file_and_the_key(case, config, capsys):
    text, message = WRONG[case]
    file = config(text, "wrong.toml")
    out, err = said(capsys, 2, "audit", "--config", file)
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"capstats audit: --config {file!r}")
    assert message in err


def test_a_file_that_is_not_there_or_not_utf_8_is_told(here, config, capsys):
    assert main(["audit", "--config", "nowhere.toml"]) == 2
    assert capsys.readouterr().err == "capstats audit: cannot read or write 'nowhere.toml': No such file or directory\n"
    (here / "latin.toml").write_bytes(b'keys = "Gr\xf6sse"')
    assert "is not UTF-8. Save it as UTF-8." in refused(capsys, "audit", "--config", "latin.toml")


def test_hostile_keys_and_values_do_not_reach_the_terminal_raw(config, capsys):
    for text in ('"\\u001b[2J" = 1', 'missing = "\\u202e\\u001b[2J"', '[types]\n"a\\u001b" = 3'):
        err = refused(capsys, "audit", "--config", config(text, "hostile.toml"))
        assert err[:-1].isprintable()
        assert "\\x1b" in err


def test_dates_may_be_written_as_toml_has_them(config, here, capsys):
    (here / "days.csv").write_text("day,t\n2024-01-01,x\n2024-03-01,y\n")
    text = 'original = "days.csv"\nsynthetic = "days.csv"\nallow-same = true\nkeys = "day"\ntarget = "t"\n'
    text += 'types = {day = "date"}\nbins = {day = [2024-02-01]}\n'
    assert in_json(capsys, "audit", "--config", config(text, "days.toml"))["provenance"]["bins"] == {"day": ["2024-02-01"]}


def test_levels_and_names_may_hold_what_separates_them_on_the_command_line(config, here, capsys):
    (here / "signs.csv").write_text('"a,b=c","t|u"\n"x|y","p,q"\nz,r\n')
    text = """
original = "signs.csv"
synthetic = "signs.csv"
allow-same = true
keys = "a,b=c"
target = "t|u"
types = {"a,b=c" = ["x|y", "z"]}
"""
    found = in_json(capsys, "audit", "--config", config(text, "signs.toml"))
    assert found["provenance"]["keys"] == ["a,b=c"]
    assert found["measures"]["average_cap_zero"] == 1


def test_other_commands_have_their_own_configurations(config, here, capsys):
    text = 'original = "original.csv"\nkeys = "smoking"\ntarget = "health"\n'
    assert in_json(capsys, "anonymity", "--config", config(text, "one.toml"))["models"]["k"] == {"original": 50}
    assert main(["sweep", "--config", config(text.replace("target", "tarets"), "one.toml")]) == 2
    assert "has 'tarets', which is not an option of this command. Did you mean 'targets'?" in capsys.readouterr().err
    text = 'original = "original.csv"\nsynthetic = "synthetic.csv"\ncolumns = ["smoking", "health"]\n'
    text += "within = {smoking = 0.5}\nn-releases = [1]\n"
    assert in_json(capsys, "attack", "knowledge", "--config", config(text, "two.toml"))["provenance"]["settings"]["n-releases"] == [1]


def test_an_option_has_its_other_spelling_in_a_configuration_too(config, here, capsys):
    """As on the command line: sweep takes --target for --targets."""
    text = 'original = "original.csv"\nsynthetic = "synthetic.csv"\nkeys = "smoking"\n'
    one, other = (in_json(capsys, "sweep", "--config", config(f'{text}{name} = "health"\n', "one.toml")) for name in ("target", "targets"))
    assert one == other
    assert main(["sweep", "--config", config(f'{text}targets = "health"\ntarget = "health"\n', "one.toml")]) == 2
    assert "has 'target' and 'targets', which are one option. Give one of them." in capsys.readouterr().err


@pytest.mark.parametrize("command", [command for command in COMMANDS if "data" in command.groups], ids=lambda command: command.name)
def test_the_configuration_in_the_help_of_a_command_runs(command, tmp_path, capsys):
    (text,) = re.findall(r"^Configuration: .*\n\n((?:  .*\n)+)", printed(capsys, *command.name.split(), "--help"), re.M)
    (tmp_path / "risk.toml").write_text(text, encoding="utf-8")
    settings = tomllib.loads(text)
    columns = {"age", "sex", "income"} if command.name != "describe" else set()
    assert {name for key in ("keys", "target", "targets", "columns") for name in list(np.atleast_1d(settings.get(key, [])))} == columns
    for i, key in enumerate(key for key in ("original", "members", "non-members", "synthetic") if key in settings):
        people = [f"{age},{'fm'[age % 2]},{'low' if (age * (i + 1)) % 3 else 'high'}" for age in range(20 + i, 60)]
        (tmp_path / settings[key]).write_text("\n".join(["age,sex,income", *people]), encoding="utf-8")
    assert main([*command.name.split(), "--config", str(tmp_path / "risk.toml")]) == 0
