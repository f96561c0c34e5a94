"""The program: one line for every mistake, standard output that is closed or full, signals, and characters that a terminal would obey."""

import contextlib
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from command_line import PUBLIC, SMOKERS, refused, run

import capstats
from capstats.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_the_package_may_be_run_as_a_program(here, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["capstats", *SMOKERS])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_module("capstats.cli", run_name="__main__")
    assert stopped.value.code == 0
    assert "average CAP" in capsys.readouterr().out


def test_the_installed_command_is_this_one():
    command = shutil.which("capstats", path=sysconfig.get_path("scripts"))
    assert command, "the package is installed without its command"
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"capstats {capstats.__version__}\n")


FILES = ["audit", "original.csv", "synthetic.csv"]
ANES = ["--example", "anes96"]
TARGETS = [*SMOKERS[:5], "--targets", "all"]
MISTAKES = {
    "option twice": (["audit", *ANES, "--missing", "drop", "--missing", "level"], "--missing is given twice. Give it once"),
    "json twice": (["audit", *ANES, "--json", "a.json", "--json"], "--json is given twice. Give it once"),
    "model twice": (["paper", "--out", "p", "--model", "uniform", "--model", "bootstrap"], "--model is given twice. Give it once"),
    "weights twice": (["audit", "a.csv", "b.csv", "--weights", "a", "--weights", "b"], "--weights must be one column, or two or three"),
    "no population": (["measure", "population_profile", *ANES], "population_profile needs population: give --population."),
    "no model": (["measure", "expected_cap", *ANES], "expected_cap needs model: give 'expected_cap(model=...)'."),
    "another model": (["measure", "expected_cap(model=Bootstrap(records=9))", *ANES], "Give m=, the number of records of a release."),
    "no sampling weights": (["measure", "individual_risk", *ANES], "Tabulate with sampling weights (--weights)."),
    "describe nothing": (["describe"], "give ORIGINAL."),
    "describe no file": (["describe", "nowhere.csv"], "`original`: no file matches 'nowhere.csv'."),
    "describe a ragged file": (["describe", "ragged.csv"], "cannot be read"),
    "describe keys": (["describe", "original.csv", "--keys", "smoking"], "unrecognized arguments of describe: --keys"),
    "decimal sign": (["describe", "original.csv", "--decimal", ";"], '--decimal must be "." or ","; got \';\'.'),
    "several targets for the public": ([*TARGETS, *PUBLIC], "--audience public works for one target only"),
    "several targets and one": ([*TARGETS, "--target", "health"], "--target cannot be given with --targets, which has a row for each"),
    "several targets and published tables": ([*TARGETS, "--published", "t.toml"], "--published cannot be given with --targets"),
    "records of two releases": (
        ["records", *FILES[1:], "smokers.csv", *SMOKERS[3:]],
        "give one SYNTHETIC; got 2. Run the command once for each.",
    ),
    "several targets ranked": (
        [*TARGETS, "--rank-by", "baseline", "--figure", "x.png"],
        "--rank-by and --figure cannot be given with --targets",
    ),
    "no command": ([], "capstats: the following arguments are required: COMMAND"),
    "unknown command": (["nonsense"], "invalid choice: 'nonsense'"),
    "unknown option": ([*SMOKERS, "--colour", "red"], "unrecognized arguments of audit: --colour red. Try `capstats audit --help`."),
    "keys without commas": (
        ["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "age", "sex", "--target", "health"],
        "unrecognized arguments of audit: age sex. --keys takes values separated by commas: --keys smoking,age,sex. Try",
    ),
    "keys with spaces after commas": (
        ["sweep", "original.csv", "synthetic.csv", "--keys=smoking,", "a b", "--targets", "health"],
        "--keys takes values separated by commas: --keys 'smoking,a b'. Try `capstats sweep --help`.",
    ),
    "keys without commas before the files": (
        ["audit", "--keys", "smoking", "age", "--target", "health", "original.csv", "synthetic.csv"],
        "unrecognized arguments of audit: original.csv synthetic.csv. --keys takes values separated by commas: --keys smoking,age.",
    ),
    "two bins after one option": (
        [*SMOKERS, "--bin", "smoking=2", "health=3"],
        "unrecognized arguments of audit: health=3. --bin is given once for each: --bin smoking=2 --bin health=3. Try",
    ),
    "a file after a list of columns": (
        ["audit", "original.csv", "--keys", "smoking", "synthetic.csv", "--target", "health"],
        "unrecognized arguments of audit: synthetic.csv. Try `capstats audit --help`.",
    ),
    "option with a line break": ([*SMOKERS, "--colour\nred"], "unrecognized arguments of audit: --colour red"),
    "shortened option": ([*SMOKERS, "--null-value=NA"], "--null-value=NA. Did you mean --null-values? Try"),
    "misspelt option": ([*SMOKERS, "--nul-values=NA"], "--nul-values=NA. Did you mean --null-values? Try `capstats audit --help`."),
    "misspelt option of an attack": (
        ["attack", "knowledge", "original.csv", "synthetic.csv", "--colunm", "a"],
        "unrecognized arguments of attack knowledge: --colunm a. Did you mean --column? Try `capstats attack knowledge --help`.",
    ),
    "misspelt measure": ([*SMOKERS, "--fail-above", "avrage_cap=1"], "'avrage_cap' is no measure. Did you mean 'average_cap_zero'?"),
    "paper without a folder": (["paper"], "capstats paper: the following arguments are required: --out"),
    "paper with an unknown model": (["paper", "--out", "out", "--model", "multinomial"], "argument --model: invalid choice: 'multinomial'"),
    "paper into a file": (["paper", "--out", "original.csv"], "original.csv"),
    "seed that is no number": (["paper", "--out", "p", "--seed", "x"], "argument --seed: must be a whole number, 0 or more; got 'x'"),
    "negative seed": (["audit", "--example", "titanic", "--seed", "-1"], "argument --seed: must be a whole number, 0 or more; got '-1'"),
    "no files": (["audit"], "give ORIGINAL and SYNTHETIC and --keys and --target, or --example."),
    "no synthetic file": (["audit", "original.csv", "--keys", "smoking", "--target", "health"], "give SYNTHETIC, or --example."),
    "no keys": ([*FILES, "--target", "health"], "give --keys, or --example."),
    "keys that are none": ([*FILES, "--keys", ",", "--target", "health"], "give --keys, or --example."),
    "no target": ([*FILES, "--keys", "smoking"], "give --target, or --example."),
    "seed with files": ([*SMOKERS, "--seed", "1"], "--seed is for --example; nothing is random with files."),
    "one file twice": (["audit", "original.csv", "synthetic.csv", "synthetic.csv", *SMOKERS[3:]], "'synthetic.csv' is given twice"),
    "no such file": (["audit", "original.csv", "nobody.csv", *SMOKERS[3:]], "`synthetic`: no file matches 'nobody.csv'"),
    "folder": (["audit", "original.csv", "elsewhere", *SMOKERS[3:]], "`synthetic` is the folder 'elsewhere'. Give its files as a glob"),
    "folder as both tables": (["audit", "folder.png", "folder.png/", *SMOKERS[3:]], "folder.png"),
    "a file of R": (["audit", "original.csv", "text.rds", *SMOKERS[3:]], "Read it in R, and write it: write.csv("),
    "broken Parquet": (["audit", "original.csv", "broken.parquet", *SMOKERS[3:]], "`synthetic` (broken.parquet) cannot be read"),
    "unknown key": ([*FILES, "--keys", "smokin", "--target", "health"], "Did you mean 'smoking'?"),
    "unknown key with signs of an argument": (
        [*FILES, "--keys", "x `target` y", "--target", "health"],
        "Column 'x `target` y' is not in `original`",
    ),
    "unknown type": ([*SMOKERS, "--types", "smoking=integer"], "must be one of 'number', 'text'"),
    "types without a type": ([*SMOKERS, "--types", "smoking"], "--types must be COLUMN=TYPE, several separated by commas; got 'smoking'."),
    "two types": ([*SMOKERS, "--types", "smoking=number", "--type", "smoking=text"], "the type of column 'smoking' is given twice"),
    "type of no column": ([*SMOKERS, "--types", "=number"], "--types must be COLUMN=TYPE"),
    "type of another column": ([*SMOKERS, "--types", "age=number"], "--types names 'age', which is in no table."),
    "no weights": (
        [*SMOKERS, "--weights", ","],
        "--weights must be one column, or two or three (for a holdout) separated by commas; got ','.",
    ),
    "three weights": (
        [*SMOKERS, "--weights", "a,b,c"],
        "--weights has a column for a holdout, but there is none. Give --holdout, or two columns.",
    ),
    "holdout without a name": ([*SMOKERS, "--holdout", ""], "`holdout`"),
    "unknown policy": ([*SMOKERS, "--missing", "ignore"], "argument --missing: invalid choice: 'ignore'"),
    "memory limit that is none": ([*SMOKERS, "--memory-limit", "much"], "much"),
    "figure of another kind": ([*SMOKERS, "--figure", "risk.jpg"], "--figure must end in .png, .pdf or .svg; got 'risk.jpg'."),
    "figure without a name": ([*SMOKERS, "--figure", ""], "--figure must end in .png, .pdf or .svg; got ''."),
    "figure that is a folder": ([*SMOKERS, "--figure", "folder.png"], "--figure: 'folder.png' is a folder. Give the path of a file."),
    "limit of no measure": (
        [*SMOKERS, "--fail-above", "risk=0.5"],
        "'risk' is no measure. The measures are original_records, original_weight",
    ),
    "limit of a holdout that is not given": ([*SMOKERS, "--fail-above", "holdout_cap=0.5"], "holdout_cap needs --holdout."),
    "example and decimal": (["audit", "--example", "titanic", "--decimal", ",", "--backing", "dense"], "leave out decimal, backing."),
    "unknown example": (["audit", "--example", "iris"], "argument --example: invalid choice: 'iris'"),
    "example and files": (
        ["audit", "--example", "titanic", "original.csv"],
        "--example brings its own data and columns; leave out original.",
    ),
    "example and keys": (["audit", "--example", "titanic", "--keys", "Sex", "--missing", "drop"], "leave out keys, missing."),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_on_standard_error(case, here, capsys):
    arguments, message = MISTAKES[case]
    err = refused(capsys, *arguments)
    assert err.startswith("capstats")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert message in err
    assert not Path("risk.png").exists()


@pytest.mark.parametrize("case", ["unknown key", "no such file", "unknown command"])
def test_a_mistake_ends_the_program_with_status_2_and_no_traceback(case, here):
    arguments, message = MISTAKES[case]
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_mistake_in_the_library_shows_its_traceback(here, monkeypatch):
    """Only what wrong input raises becomes one line; the rest must not be hidden."""

    def broken(*args, **kwargs):
        raise ZeroDivisionError

    monkeypatch.setattr("capstats.cli.audit.audit", broken)
    with pytest.raises(ZeroDivisionError):
        main(SMOKERS)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_standard_output_is_one_line_on_standard_error(here):
    with Path("/dev/full").open("w") as full:
        done = run(*SMOKERS, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "capstats audit: standard output cannot be written: No space left on device.\n"


@pytest.mark.parametrize(("limit", "status"), [(1, 0), (0.1, 1)])
def test_a_reader_who_has_had_enough_is_no_error_and_changes_no_exit_status(here, limit, status):
    arguments = [*SMOKERS, "--fail-above", f"average_cap_zero={limit}"]
    command = f'"{sys.executable}" -m capstats.cli {" ".join(arguments)} | true; echo ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == f"{status}\n"
    assert done.stderr.count("\n") == status  # of the limit alone


def test_what_the_terminals_encoding_lacks_is_escaped(here, tmp_path):
    Path("umlaut.csv").write_text("Größe,t\nä,x\n", encoding="utf-8")
    arguments = ["audit", "umlaut.csv", "umlaut.csv", "--allow-same", "--keys", "Größe", "--target", "t"]
    done = run(*arguments, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert r"Gr\xf6\xdfe" in done.stdout


def test_no_file_or_column_name_reaches_the_terminal_raw(here, tmp_path, capsys):
    file = tmp_path / "a\x1b[31m\n\u202eb.csv"
    file.write_text("k\x1b]0;title\x07,t\n1,x\n", encoding="utf-8")
    for arguments in (
        [str(file), str(file), "--keys", "k\x1b]0;title\x07", "--target", "t"],
        [str(file), str(file), "--keys", "k\x1b]0;title\x07", "--target", "t", "--json"],
        [str(file), str(file), "--keys", "other\x1b[31m", "--target", "t"],
        [str(file), str(file) + "\x1b[2J", "--keys", "k", "--target", "t"],
        [str(file), str(file), "--fail-above", "\x1b[2J=1"],
        ["--example", "\x1b[2J"],
    ):
        with contextlib.suppress(SystemExit):
            main(["audit", *arguments])
        out, err = capsys.readouterr()
        assert all(line.isprintable() for line in [*out.splitlines(), *err.splitlines()])
        assert "\\x1b" in out + err or "\\u001b" in out


@pytest.mark.parametrize("error", [MemoryError(), MemoryError("Unable to allocate 8 TiB")])
def test_exhausted_memory_is_told_with_what_to_do(here, monkeypatch, capsys, error):
    def exhausted(*args, **kwargs):
        raise error

    monkeypatch.setattr("capstats.cli.audit.audit", exhausted)
    assert refused(capsys, *SMOKERS) == (
        f"capstats audit: memory is exhausted ({str(error) or 'MemoryError'}). Give fewer key columns, cut columns with --bin, or say "
        "--backing sparse.\n"
    )


def test_the_command_leaves_the_handlers_of_signals_as_they_were(here, capsys):
    import signal

    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    assert main(SMOKERS) == 0
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before


def test_an_interrupt_is_one_line_and_status_130(here, monkeypatch, capsys):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("capstats.attacks.maximum_knowledge", interrupted)
    assert main(["attack", "knowledge", "original.csv", "synthetic.csv", "--columns", "smoking,health"]) == 130
    assert capsys.readouterr() == ("", "\ncapstats attack knowledge: interrupted.\n")


def test_a_program_without_standard_output_says_so(here, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert refused(capsys, *SMOKERS) == "capstats audit: standard output is closed.\n"


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
@pytest.mark.parametrize("option", [[], ["--config"], ["--html"], ["--spill-dir"]])
def test_a_link_that_leads_back_to_itself_is_one_line(here, tmp_path, capsys, option):
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    arguments = [*SMOKERS, *option, str(loop)] if option else ["audit", str(loop), "synthetic.csv", "--keys", "age", "--target", "smokes"]
    (line,) = refused(capsys, *arguments).splitlines()
    assert any(words in line for words in ("a symbolic link that leads back", "Symlink loop", "Too many levels of symbolic links"))
