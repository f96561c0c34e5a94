"""The commands `capstats attack membership|knowledge|model`: the numbers of the library, with the options for reading."""

import csv
import io
import json
import stat

import numpy as np
import pandas as pd
import pytest
from command_line import in_json, printed, refused
from PIL import Image

from capstats.attacks import maximum_knowledge, membership_roc, model_attack
from capstats.cli import main

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Members and others; two releases near the members. Numbers have decimal commas."""
    folder = tmp_path_factory.mktemp("attacked")
    rng = np.random.default_rng(2)
    members = pd.DataFrame({"x": rng.normal(0, 5, 40).round(1), "c": rng.choice(["a", "b"], 40), "t": rng.choice(["p", "q"], 40)})
    others = pd.DataFrame({"x": rng.normal(0, 5, 40).round(1), "c": rng.choice(["a", "b"], 40), "t": rng.choice(["p", "q"], 40)})
    near = [members.assign(x=members.x + 0.1), members.assign(x=members.x - 0.2).sample(frac=1, random_state=1)]
    for name, frame in {"members": members, "others": others, "s1": near[0], "s2": near[1]}.items():
        frame.assign(x=frame.x.map("{:.1f}".format).str.replace(".", ",")).to_csv(folder / f"{name}.csv", index=False, sep=";")
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


READING = ["--types", "x=number", "--decimal", ","]
OPTIONS = {"types": {"x": "number"}, "decimal": ","}
MEMBERSHIP = ["attack", "membership", "members.csv", "others.csv", "s1.csv", "--columns", "x,c", *READING]
KNOWLEDGE = ["attack", "knowledge", "members.csv", "s1.csv", "s2.csv", "--columns", "x,c,t", *READING]
TOGETHER = [*KNOWLEDGE, "--n-releases", "1,2"]
SEVERAL = [*MEMBERSHIP[:5], "s2.csv", *MEMBERSHIP[5:]]
MODEL = ["attack", "model", "members.csv", "s1.csv", "--keys", "c", "--target", "t"]


def test_membership_compares_widths_as_the_library_does(here, capsys):
    found = in_json(capsys, *MEMBERSHIP, "--widths", "low,0.5", "--widths", "avila:high")["results"]
    widths = {"low": "low", "0.5": 0.5, "avila:high": ("avila", "high")}
    expected = [membership_roc("members.csv", "others.csv", "s1.csv", columns=["x", "c"], widths=w, **OPTIONS) for w in widths.values()]
    assert [row["width"] for row in found] == list(widths)
    for name in ("auc", "accuracy", "best_difference", "best_threshold"):
        assert [row[name] for row in found] == pytest.approx([curve[name].item() for curve in expected])
    best = max(found, key=lambda row: row["best_difference"])["width"]  # the first of those that tie
    assert f"Best width: {best}." in printed(capsys, *MEMBERSHIP, "--widths", "low,0.5", "--widths", "avila:high")


def test_the_figure_of_one_release_says_the_width_that_tells_members_best(here, tmp_path):
    """The release is 0.1 from the members, and numbers are up to 20 apart."""
    assert main([*MEMBERSHIP, "--widths", "500,0.5", "--figure", str(tmp_path / "roc.png")]) == 0
    with Image.open(tmp_path / "roc.png") as picture:
        assert json.loads(picture.info["Description"])["width"] == "0.5"


def test_numbers_of_releases_are_rows(here, capsys):
    given = [*MEMBERSHIP[:4], "s1.csv", "s2.csv", *MEMBERSHIP[5:], "--widths", "1", "--n-releases", "1,2", "--categories", "mismatch"]
    found = in_json(capsys, *given)["results"]
    assert [row["releases"] for row in found] == [1, 2]
    tables = ["s1.csv", "s2.csv"]
    expected = membership_roc("members.csv", "others.csv", tables, columns=["x", "c"], widths=1, categories="mismatch", **OPTIONS)
    assert [row["auc"] for row in found] == pytest.approx(expected.auc.values.tolist())


def test_knowledge_tells_each_column_and_the_average(here, tmp_path, capsys):
    path = tmp_path / "k.csv"
    found = in_json(capsys, *TOGETHER, "--within", "x=0.5", "--csv", str(path))["results"]
    expected = maximum_knowledge("members.csv", ["s1.csv", "s2.csv"], columns=["x", "c", "t"], within={"x": 0.5}, **OPTIONS)
    told = {(row["releases"], row["column"]): row["accuracy"] for row in found}
    assert told.pop((1, "average of the columns")) == pytest.approx(float(expected.average[0]))
    assert told.pop((2, "average of the columns")) == pytest.approx(float(expected.average[1]))
    assert told == pytest.approx({(k, c): float(expected.accuracy.sel(releases=k, column=c)) for k in (1, 2) for c in "xct"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [float(row["accuracy"]) for row in csv.DictReader(io.StringIO(path.read_text()))] == [row["accuracy"] for row in found]


def test_the_figure_of_knowledge_needs_several_tables(here, tmp_path, capsys):
    path = tmp_path / "k.png"
    assert main([*TOGETHER, "--figure", str(path)]) == 0
    with Image.open(path) as picture:
        assert picture.width > 600
    one = [argument for argument in KNOWLEDGE if argument != "s2.csv"]
    for arguments in (one, KNOWLEDGE):
        assert main([*arguments, "--figure", str(path)]) == 2
        expected = "--figure: the figure is over numbers of synthetic tables. Give several SYNTHETIC, and --n-releases.\n"
        assert capsys.readouterr().err.endswith(expected)


def test_a_tolerance_may_be_one_for_all_columns(here, capsys):
    loose = in_json(capsys, *KNOWLEDGE, "--within", "1000", "--n-releases", "1")["results"]
    assert next(row for row in loose if row["column"] == "x")["accuracy"] == 1
    said = " ".join(printed(capsys, *KNOWLEDGE, "--within", "1000").split())
    assert "within 1000.0" in said
    assert "right: equal or, in a column of numbers, less than --within (or 1) apart." in said


@pytest.mark.parametrize("name", ["tree", "forest", "logistic", "bayes"])
def test_a_model_is_fitted_on_the_release(name, here, capsys):
    pytest.importorskip("sklearn")
    (row,) = in_json(capsys, *MODEL, "--estimator", name)["results"]
    assert all(0 <= value <= 1 for value in row.values())
    if name == "tree":
        from sklearn.tree import DecisionTreeClassifier

        expected = model_attack("members.csv", "s1.csv", keys="c", target="t", estimator=DecisionTreeClassifier(random_state=0))
        assert row["average"] == pytest.approx(float(expected.average))
        assert row["modal_cap"] == pytest.approx(float(expected.modal_cap))


def test_a_model_takes_keys_that_the_release_lacks(tmp_path, capsys):
    (tmp_path / "o.csv").write_text("k,t\na,p\nb,q\nc,p\n")
    (tmp_path / "s.csv").write_text("k,t\na,p\nb,q\n")
    files = [str(tmp_path / f"{name}.csv") for name in "os"]
    for name in ("tree", "forest", "logistic", "bayes"):
        (row,) = in_json(capsys, "attack", "model", *files, "--keys", "k", "--target", "t", "--estimator", name)["results"]
        assert row["best_guess"] >= 0.5


def test_several_releases_and_examples_have_models_too(here, capsys):
    found = in_json(capsys, *MODEL[:4], "s2.csv", *MODEL[4:], "--estimator", "tree", "--seed", "3")["results"]
    assert [row["synthetic"] for row in found] == ["s1.csv", "s2.csv"]
    assert "target   Survived" in printed(capsys, "attack", "model", "--example", "titanic", "--estimator", "tree")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["attack"], "the following arguments are required: ATTACK"),
        (["attack", "membership", "members.csv"], "capstats attack membership: give NON_MEMBERS and SYNTHETIC and --columns."),
        ([*MEMBERSHIP, "--widths", "wide"], '--widths must be "low", "medium" or "high"'),
        ([*KNOWLEDGE, "--within", "x=much"], "--within must be a number, or COLUMN=NUMBER once for each column; got 'x=much'."),
        ([*KNOWLEDGE, "--n-releases", "one"], "--n-releases must be whole numbers separated by commas; got 'one'."),
        ([*KNOWLEDGE, "--n-releases", "3"], "from 1 to the 2 given"),
        ([*MODEL, "--estimator", "magic"], "invalid choice: 'magic'"),
        ([*MODEL[:2], "absent.csv", *MODEL[3:], "--csv", "nowhere/t.csv"], "--csv cannot be written to 'nowhere/t.csv'"),  # before reading
        ([*KNOWLEDGE[:2], "absent.csv", *KNOWLEDGE[3:], "--csv", "nowhere/t.csv"], "--csv cannot be written to 'nowhere/t.csv'"),
        ([*KNOWLEDGE, "--weights", "w"], "unrecognized arguments of attack knowledge: --weights w. Try"),
    ],
)
def test_a_mistake_is_one_line(arguments, message, here, capsys):
    err = refused(capsys, *arguments)
    assert err.count("\n") == 1
    assert message in err


def test_the_average_stands_after_the_columns_of_each_number_of_tables(here, capsys):
    lines = [line.split("  ")[1:] for line in printed(capsys, *TOGETHER).partition("Answer\n")[2].splitlines()[:9]]
    told = [[cell.strip() for cell in line if cell] for line in lines]
    assert [row[0] for row in told] == ["taken together", *["s1.csv"] * 4, *["s1.csv and s2.csv"] * 4]


def test_several_releases_are_attacked_each_by_itself_under_the_names_of_their_files(here, capsys):
    rows = in_json(capsys, *SEVERAL, "--widths", "0.5,50")["results"]
    assert [(row["synthetic"], row["width"]) for row in rows] == [(s, w) for s in ("s1.csv", "s2.csv") for w in ("0.5", "50")]
    for file in ("s1.csv", "s2.csv"):
        alone = in_json(capsys, *MEMBERSHIP[:4], file, *MEMBERSHIP[5:], "--widths", "0.5,50")["results"]
        assert [{**row, "synthetic": file} for row in alone] == [row for row in rows if row["synthetic"] == file]
    rows = in_json(capsys, *KNOWLEDGE)["results"]
    columns = ("x", "c", "t", "average of the columns")
    assert [(row["synthetic"], row["column"]) for row in rows] == [(s, c) for s in ("s1.csv", "s2.csv") for c in columns]
    second = maximum_knowledge("members.csv", "s2.csv", columns=["x", "c", "t"], **OPTIONS)
    assert [row["accuracy"] for row in rows[4:]] == pytest.approx([*second.accuracy.values.tolist(), second.average.item()])


def test_the_text_names_each_release_and_the_best_width_of_each(here, capsys):
    out = printed(capsys, *SEVERAL, "--widths", "0.5,50")
    answer = out.partition("Answer\n")[2].splitlines()[:5]
    assert [line.split()[:2] for line in answer] == [["synthetic", "width"], *([s, w] for s in ("s1.csv", "s2.csv") for w in ("0.5", "50"))]
    first, second = (
        max(("0.5", "50"), key=lambda w: membership_roc(*files, columns=["x", "c"], widths=float(w), **OPTIONS).best_difference.item())
        for files in (("members.csv", "others.csv", file) for file in ("s1.csv", "s2.csv"))
    )
    assert f"Best width: {first} for s1.csv, {second} for s2.csv." in " ".join(out.split())


def test_the_figure_has_a_curve_of_each_release(here, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, *args, **kwargs: drawn.append(figure))
    assert main([*SEVERAL, "--widths", "0.5", "--figure", str(tmp_path / "roc.png")]) == 0
    ((legend, lines),) = [(figure.axes[0].get_legend(), figure.axes[0].lines) for figure in drawn]
    assert [text.get_text().split(",")[0] for text in legend.get_texts()] == ["s1.csv", "s2.csv"]
    curves = [line for line in lines if line.get_linestyle() == "-"]
    assert len({line.get_color() for line in curves}) == 2
    for file, line in zip(("s1.csv", "s2.csv"), curves, strict=True):
        roc = membership_roc("members.csv", "others.csv", file, columns=["x", "c"], widths=0.5, **OPTIONS)
        assert line.get_ydata().tolist() == roc.true_positive_rate.values.tolist()


@pytest.mark.parametrize("command", [MEMBERSHIP, KNOWLEDGE, MODEL])
def test_too_many_records_are_counted_and_not_read(here, monkeypatch, capsys, command):
    monkeypatch.setattr("capstats.attacks.command.MOST_RECORDS", 40)
    assert main(command) == 0
    monkeypatch.setattr("capstats.attacks.command.MOST_RECORDS", 39)
    monkeypatch.setattr("capstats.sources.files.FileSource.rows", lambda *_: pytest.fail("read"))
    assert main(command) == 2
    assert "has 40 records, and attacks take at most 39. Give files with a random sample" in capsys.readouterr().err
