"""The paper regenerated: printed values, tables, and what is said of Figures 1 and 2."""

import csv
import json
import subprocess
import sys
from fractions import Fraction
from itertools import product
from math import factorial, prod, sqrt
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from PIL import Image
from scipy.stats import kstest

import capstats
from capstats import at_most, average_cap, cap_boxplot, from_counts, paper_files, tabulate
from capstats.cli import main
from capstats.datasets import ERRATA, anes96, paper_originals, paper_synthetics, smoking
from capstats.laws import Uniform, sample_tables
from capstats.paper import CHOSEN, SEED, Value, figure_1_tables, figure_2_averages, printed_values, report, reproduce

NAMES = ["values.csv", "tables.csv", "figure-1.png", "figure-1.pdf", "figure-2.png", "figure-2.pdf", "tables.png", "tables.pdf"]
PICTURES = NAMES[2:]

LIMITS = {"O_1": 1, "O_2": 1, "O_3": 0.995823, "O_4": 0.993932}  # shares of tables no riskier, as the number of records grows


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """What the function returns and writes, once for all tests, and the figures as matplotlib has them; it leaves no figure open."""
    caught, save = {}, paper_files._save

    def catching(figure, path, description):
        caught[path.stem] = figure
        return save(figure, path, description)

    opened = plt.get_fignums()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper_files, "_save", catching)
        found = reproduce(tmp_path_factory.mktemp("paper") / "a" / "new folder")
    assert plt.get_fignums() == opened
    return found, caught


@pytest.fixture(scope="module")
def written(reproduced):
    return reproduced[0]


@pytest.fixture(scope="module")
def figures(reproduced):
    """By the name of the file."""
    return reproduced[1]


@pytest.fixture(scope="module")
def by_command(tmp_path_factory):
    """The command as a program of its own, and the folder that it makes."""
    folder = tmp_path_factory.mktemp("command") / "paper"
    command = [sys.executable, "-m", "capstats.cli", "paper", "--out", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240), folder


# --- Printed values


def test_every_number_agrees_with_what_the_paper_prints():
    assert all(value.agrees for value in printed_values())
    assert {value.what: value.printed for value in printed_values()} == {
        "CAP of x_0, a sick smoker, with O": "0.4",
        "CAP of x_0 with S, 8/33": "0.2424",
        "CAP of x_1, a healthy smoker, with O": "0.6",
        "CAP of x_1 with S, 25/33": "0.7576",
        "records of O_1": "900",
        "records of O_3": "900",
        "records of O_4": "900",
        "average CAP of O_2 with O_2": "1",
        "average CAP of O_3 with S_b": "0.31",
        "average CAP of O_3 with S_g": "0.35",
        "average CAP of O_4 with S_a": "0.318",
        "average CAP of O_4 with S_e": "0.309",
        "records of O_4 predicted correctly with S_a": "134",
        "records of O_4 predicted correctly with S_e": "272",
    }


@pytest.mark.parametrize(
    ("printed", "right", "wrong"),
    [
        ("0.31", [0.3074, 0.3149], [0.3151, 0.3049, -0.31, float("nan")]),
        ("0.318", [0.31783], [0.3174]),
        ("0.2424", [8 / 33], [0.2425]),
        ("0.4", [0.4], [0.45001]),
        ("134", [134.0], [134.4, 133, float("nan")]),
        ("1", [1.0, 1 - 1e-15], [0.9, 1.4]),
    ],
)
def test_a_number_agrees_if_it_rounds_to_the_printed_one(printed, right, wrong):
    """A number printed without decimals is one that must be met, not one that was rounded."""
    assert [x for x in right + wrong if Value("4", "it", printed, x).agrees] == right


def test_report_has_a_line_for_every_value_share_and_erratum():
    averages = figure_2_averages()
    text = report([Value("4", "right", "0.5", 0.5), Value("4", "wrong", "0.5", 0.7)], averages)
    lines = text.splitlines()
    assert lines[1].split() == ["4", "right", "0.5", "0.5000", "yes"]
    assert lines[2].split() == ["4", "wrong", "0.5", "0.7000", "NO"]
    of_o_1 = "  O_1: average CAP 0.3333 with itself; of the tables 0.3333, exactly 0.3333 in the mean; 1.0000 of them no riskier"
    assert f"{of_o_1}: 1.0000 with 900 records, 1.000000 in the limit of many" in lines
    share = averages["no riskier"].sel(original="O_3").item()
    (found,) = (line for line in lines if line.startswith("  O_3: ") and f"; {share:.4f} of them no riskier: " in line)
    assert found.endswith("with 900 records, 0.995823 in the limit of many")
    assert all(f"  - {line}" in lines for line in ERRATA)


# --- Figure 1


def test_the_printed_tables_stand_under_their_letters_in_figure_1():
    tables = figure_1_tables()
    assert tables.synthetic.values.tolist() == list("abcdefghijklmnopqrst")
    printed = paper_synthetics()
    for letter in "abeg":
        assert tables.sel(synthetic=letter).values.tolist() == printed.sel(synthetic=letter).values.tolist()
    assert tables.sel(synthetic="b").values.tolist() == [[24, 36, 15], [226, 113, 213], [216, 54, 3]]
    assert (tables.sum(["target", "key"]) == 900).all()
    assert tables.indexes["key"].equals(paper_originals().indexes["key"])
    assert len({tuple(table.ravel()) for table in tables.values}) == 20


def test_all_averages_of_figure_1_are_at_most_the_original_s():
    """Section 4: "in all of the synthetic datasets the average CAP ... are smaller or equal to" that of the original."""
    originals = paper_originals()
    averages = average_cap(originals, figure_1_tables())
    assert averages.sizes == {"original": 4, "synthetic": 20}
    assert at_most(averages, average_cap(originals, originals)).all()


def test_b_has_one_of_the_lowest_averages_on_o_3_and_the_greatest_individual_cap():
    """Section 4: "for O_3 dataset b has one of the lowest average CAP but also the highest individual CAP"."""
    boxes = cap_boxplot(paper_originals().sel(original="O_3"), figure_1_tables())
    greatest = boxes.individual.max(["target", "key"])
    assert greatest.idxmax().item() == "b"
    assert (greatest < greatest.sel(synthetic="b")).sum() == 19
    assert (boxes.average <= boxes.average.sel(synthetic="b")).sum() <= 3


def test_a_panel_of_figure_1_has_a_box_for_each_table_in_the_order_of_average_cap(figures):
    panels = figures["figure-1"].axes
    assert [ax.get_title() for ax in panels] == ["$O_1$", "$O_2$", "$O_3$", "$O_4$"]
    averages = average_cap(paper_originals(), figure_1_tables())
    for ax, original in zip(panels, averages.original.values, strict=True):
        letters = [label.get_text() for label in ax.get_xticklabels()]
        assert sorted(letters) == averages.synthetic.values.tolist()
        in_order = averages.sel(original=original, synthetic=letters).values
        assert (np.diff(in_order) >= -1e-12).all()
        assert len(ax.patches) == 20
    assert [text.get_text() for text in figures["figure-1"].legends[0].get_texts()] == ["average CAP", "average CAP of the original"]


# --- Figure 2


def test_divisions_of_figure_2_are_near_their_limits():
    """By a z-test with the 2,000 tables of the figure. On O_1 every table ties, and on O_2 none can pass CAP = 1."""
    shares = figure_2_averages()["no riskier"]
    for original, p in LIMITS.items():
        assert abs(shares.sel(original=original).item() - p) <= 4 * sqrt(p * (1 - p) / 2000)


def test_divisions_of_many_large_tables_are_nearer_to_their_limits():
    """The same with 40,000 tables of 90,000 records."""
    originals = paper_originals()
    tables = sample_tables(originals.sel(original="O_3"), Uniform(90_000), draws=40_000, rng=51)
    shares = at_most(average_cap(originals, tables), average_cap(originals, originals)).mean("draw")
    for original, p in LIMITS.items():
        assert abs(shares.sel(original=original).item() - p) <= 4 * sqrt(p * (1 - p) / 40_000)


def test_figure_2_holds_2000_draws_of_both_versions_and_the_cap_of_the_originals():
    averages = figure_2_averages()
    assert averages["version 1"].sizes == averages["version 2"].sizes == {"original": 4, "draw": 2000}
    assert at_most(averages["version 1"], averages["version 2"]).all()
    originals = paper_originals()
    xr.testing.assert_equal(averages["itself"].drop_vars("key", errors="ignore"), average_cap(originals, originals))
    np.testing.assert_allclose(averages["version 1"].sel(original="O_1"), 1 / 3, rtol=1e-12)


def test_each_original_of_figure_2_has_its_own_draws():
    """Drawn anew, as in the paper: on O_3 and O_4 the same tables would give correlated averages."""
    averages = figure_2_averages()["version 1"]
    assert abs(np.corrcoef(averages.sel(original="O_3"), averages.sel(original="O_4"))[0, 1]) < 5 / sqrt(2000)


def test_a_panel_of_figure_2_counts_every_draw_in_both_versions_and_says_the_share(figures):
    averages = figure_2_averages()
    panels = figures["figure-2"].axes
    for ax, original in zip(panels, averages.original.values, strict=True):
        assert [sum(bar.get_height() for bar in container) for container in ax.containers] == [2000, 2000]
        share = averages["no riskier"].sel(original=original).item()
        assert ax.get_title() == f"${original}$: {100 * share:.4g} % of tables no riskier than the original"
        (line,) = (line for line in ax.lines if line.get_linestyle() == "--")
        assert set(line.get_xdata()) == {averages["itself"].sel(original=original).item()}
    texts = [text.get_text() for text in figures["figure-2"].legends[0].get_texts()]
    assert sorted(texts) == ["average CAP of the original", "law of version 1 in the limit of many records", "version 1", "version 2"]


# --- Seeds


def test_other_seed_other_figures_but_the_same_printed_tables():
    ours, others = figure_1_tables(), figure_1_tables(seed=SEED + 1)
    differs = (ours != others).any(["target", "key"])
    assert ours.synthetic.values[~differs.values].tolist() == ["a", "b", "e", "g"]
    averages, of_others = (figure_2_averages(seed=seed)["version 1"] for seed in (SEED, SEED + 1))
    assert (averages != of_others).sel(original=["O_2", "O_3", "O_4"]).mean() > 0.99


# --- Files


def test_every_file_is_written_into_a_folder_that_is_made(written):
    _, _, files = written
    assert [file.name for file in files] == NAMES
    assert sorted(file.name for file in files[0].parent.iterdir()) == sorted(NAMES)
    assert all(file.stat().st_size > 0 for file in files)


def test_values_file_has_every_printed_value_beside_the_computed_one(written):
    _, _, files = written
    with files[0].open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row, value in zip(rows, printed_values(), strict=True):
        assert row == {
            "section": value.where,
            "value": value.what,
            "printed": value.printed,
            "computed": str(value.computed),
            "agrees": "True",
        }


def test_tables_file_has_every_cell_of_the_ten_tables(written):
    _, _, files = written
    with files[1].open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 2 * 4 + 8 * 9
    found = {(row["table"], row["target"], row["key"]): int(row["count"]) for row in rows}
    assert found["Table 1: O", "Sick", "Smoking"] == smoking().o.sel(target="Sick", smoking="Smoking").item() == 20
    assert found["Table 2: S", "Healthy", "Non-smoking"] == 60
    assert found["Table 4: O_2", "T_1", "K_1"] == 400
    assert found["Table 10: S_e", "T_3", "K_2"] == 14
    totals = {}
    for row in rows:
        totals[row["table"]] = totals.get(row["table"], 0) + int(row["count"])
    assert list(totals.values()) == [100, 100, 900, 1000, 900, 900, 900, 900, 900, 900]
    assert [name.split(":")[0] for name in totals] == [f"Table {i}" for i in range(1, 11)]


def test_page_of_tables_shows_every_count(figures):
    axes = figures["tables"].axes
    titles = [ax.get_title() for ax in axes]
    assert titles[:3] == ["Table 1: $O$", "Table 2: $S$", "Table 3: $O_1$"]
    assert titles[-1] == "Table 10: $S_e$"
    (table,) = axes[-1].tables
    cells = {place: cell.get_text().get_text() for place, cell in table.get_celld().items()}
    assert [[cells[i, j] for j in range(3)] for i in range(1, 4)] == [["67", "97", "153"], ["37", "114", "101"], ["169", "14", "148"]]
    assert cells[1, -1] == "$T_1$"
    assert cells[0, 0] == "$K_1$"


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_says_in_its_metadata_how_it_came_to_be(written, name):
    file = written[2][0].parent / name
    if name.endswith(".pdf"):
        content = file.read_bytes()
        assert f"/Creator (capstats {capstats.__version__})".encode() in content
        assert f'"seed": {SEED}'.encode() in content
        assert b"/CreationDate" not in content
        return
    with Image.open(file) as picture:
        assert picture.info["Software"] == f"capstats {capstats.__version__}"
        about = json.loads(picture.info["Description"])
        assert picture.width >= 1400
    assert about["capstats"] == capstats.__version__
    assert about["seed"] == SEED
    assert about["errata"] == list(ERRATA)
    assert "Baillargeon" in about["source"]


def test_same_seed_writes_the_same_bytes(written, by_command):
    _, folder = by_command
    for file in written[2]:
        assert file.read_bytes() == (folder / file.name).read_bytes(), file.name


def test_the_command_writes_every_file_and_reports_that_every_value_agrees(by_command):
    done, folder = by_command
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(file.name for file in folder.iterdir()) == sorted(NAMES)
    lines = done.stdout.splitlines()
    assert lines[-1] == "14 of 14 printed values agree."
    assert sum(line.endswith("yes") for line in lines) == 14
    assert not any(line.endswith("NO") for line in lines)
    assert "Errata of the text:" in lines
    assert all(name in done.stdout for name in NAMES)


def test_a_folder_that_cannot_be_made_raises(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        reproduce(tmp_path / "file")


# --- Other originals


def test_averages_of_other_originals_are_those_of_tables_that_numpy_draws():
    """The mean of bootstrap tables in exact fractions, over all of them; and a sample of numpy's own multinomial tables beside ours."""
    o, m = np.array([[3, 1], [0, 2]]), 3
    cells = o.ravel() / o.sum()
    exact = Fraction(0)
    for counts in (x for x in product(range(m + 1), repeat=4) if sum(x) == m):
        ways = factorial(m) // prod(map(factorial, counts))
        weight = ways * prod(Fraction(int(a), 6) ** x for a, x in zip(o.ravel(), counts, strict=True))
        s = np.reshape(counts, (2, 2))
        caps = (Fraction(int(o[i, j] * s[i, j]), int(6 * s[:, j].sum())) for i in range(2) for j in range(2) if s[:, j].sum())
        exact += weight * sum(caps, Fraction(0))
    found = figure_2_averages(o, m=m, model="bootstrap", draws=20_000, seed=3)
    assert found["expected"].item() == pytest.approx(float(exact), rel=1e-12)
    assert abs(found["version 1"].mean() - exact) < 5 * found["version 1"].std() / sqrt(20_000)
    theirs = average_cap(o, np.random.default_rng(8).multinomial(m, cells, 20_000).reshape(-1, 2, 2))
    assert kstest(found["version 1"].values.ravel().round(9), theirs.values.round(9)).pvalue > 1e-4
    assert found["itself"].item() == average_cap(o, o).item()


@pytest.mark.parametrize("model", ["uniform", "bootstrap", "independent"])
def test_other_originals_may_have_every_form(model):
    """A batch, a mapping of its tables, and each table alone, counted or bare, have the same figures."""
    batch = paper_originals().isel(original=[2, 3])
    by_name = {"O_3": batch.isel(original=0, drop=True), "O_4": batch.isel(original=1, drop=True)}
    asked = {"m": 50, "model": model, "seed": 4}
    tables, averages = figure_1_tables(batch, **asked), figure_2_averages(batch, **asked, draws=30)
    np.testing.assert_array_equal(tables, figure_1_tables(by_name, **asked))
    xr.testing.assert_equal(averages, figure_2_averages(by_name, **asked, draws=30))
    assert averages.original.values.tolist() == ["O_3", "O_4"]
    assert (tables.sum(["target", "key"]) == 50).all()
    assert tables.dims == (() if model == "uniform" else ("original",)) + ("synthetic", "target", "key")
    counted = from_counts(batch[0].values)
    for alone in (by_name["O_3"], counted, counted.o, batch[0].values, batch[0].values.tolist()):
        one = figure_2_averages(alone, **asked, draws=30)
        assert one.original.values.tolist() in (["O"], ["O_3"])
        np.testing.assert_array_equal(one["version 1"][0], averages["version 1"][0])
    assert figure_2_averages(batch, **asked, draws=30).equals(averages)
    assert figure_2_averages(batch.sel(original="O_4"), **asked, draws=30).original.values.tolist() == ["O_4"]
    assert not figure_2_averages(batch, **(asked | {"seed": 5}), draws=30).equals(averages)


def test_the_number_of_records_is_that_of_the_originals_unless_they_differ():
    assert figure_1_tables([[3, 1], [1, 2]]).sum(["target", "key"]).values.tolist() == [7] * 20
    with pytest.raises(ValueError, match=r"The originals have 3 to 4 records. Say how many a synthetic table has: `m`\."):
        figure_1_tables({"a": [[3]], "b": [[4]]})


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"m": 0}, "`m` must be a number of synthetic records, an integer from 1"),
        ({"model": "unifrom"}, '`model` must be "uniform", "bootstrap" or "independent"; got \'unifrom\''),
        ({"draws": 0}, "`draws` must be a number of tables, an integer of at least 1"),
        (
            {"originals": xr.DataArray(np.ones((2, 2, 2, 2)), dims=["a", "b", "target", "key"])},
            r"`originals` has dims .*; choose \(original, target, key\)",
        ),
        ({"originals": [[-1, 2]]}, "`originals` must be non-negative; got -1"),
        ({"originals": {}}, "labels of the synthetic tables must be distinct, and one at least; got 0|holds no record"),
    ],
)
def test_what_cannot_be_drawn_of_other_originals_is_named(asked, message):
    with pytest.raises(ValueError, match=message):
        figure_2_averages(**asked)


def test_the_printed_tables_are_in_no_figure_of_other_tables():
    for other in (figure_1_tables(m=50), figure_1_tables(model="bootstrap")[0], figure_1_tables(paper_originals(), m=900)):
        assert (other.sel(synthetic="b").values != paper_synthetics().sel(synthetic="b").values).any()


@pytest.mark.parametrize("form", ["records", "counts"])
def test_the_command_draws_figures_1_and_2_of_other_records(form, tmp_path):
    """As somebody would who has a file: 50 records for `anes96`, and the numbers of the functions."""
    anes96().to_csv(tmp_path / "anes.csv", index=False)
    columns = ["--keys", "educ,PID", "--target", "vote"]
    run = [sys.executable, "-m", "capstats.cli"]
    if form == "counts":
        subprocess.run([*run, "count", "anes.csv", *columns, "--out", "anes.parquet"], check=True, cwd=tmp_path, capture_output=True)
    given = ["anes.csv", *columns] if form == "records" else ["anes.parquet"]
    asked = ["--records", "50", "--model", "bootstrap", "--draws", "300", "--seed", "3", "--out", "out"]
    done = subprocess.run([*run, "paper", "--originals", *given, *asked], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    o = tabulate(tmp_path / "anes.csv", keys=["educ", "PID"], target="vote").o
    averages = figure_2_averages({given[0]: o}, m=50, model="bootstrap", draws=300, seed=3)
    itself, mean, exact = (f"{averages[name].mean().item():.4f}" for name in ("itself", "version 1", "expected"))
    said = f"  {given[0]}: average CAP {itself} with itself; of the tables {mean}, exactly {exact} in the mean;"
    assert [line.startswith(said) for line in done.stdout.splitlines()].count(True) == 1
    assert "agree" not in done.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "figure-1.pdf",
        "figure-1.png",
        "figure-2.pdf",
        "figure-2.png",
        "tables.csv",
    ]
    with (tmp_path / "out" / "tables.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    drawn = figure_1_tables({given[0]: o}, m=50, model="bootstrap", seed=3)
    assert len(rows) == 21 * o.size
    of_b = [int(float(row["count"])) for row in rows if row["table"].rpartition(" ")[2] == "b"]
    assert of_b == drawn[0].sel(synthetic="b").values.ravel().tolist()
    with Image.open(tmp_path / "out" / "figure-2.png") as picture:
        about = json.loads(picture.info["Description"])
    assert (about["model"], about["draws"], about["seed"], about["originals"]) == ("Bootstrap(m=50)", 300, 3, "given")


@pytest.mark.parametrize("shape", [1, 3, 5])
def test_figures_of_other_originals_have_a_panel_each_and_nothing_overlaps(shape, tmp_path, monkeypatch):
    caught = {}
    monkeypatch.setattr(paper_files, "_save", lambda figure, path, _: caught.update({path.stem: figure}) or [])
    labels = ["a long name of a file, with $ and more than there is room for.csv", *"bcde"][:shape]
    reproduce(tmp_path, originals={label: [[3, 1 + i], [1, 3]] for i, label in enumerate(labels)}, m=20, draws=50)
    assert set(caught) == {"figure-1", "figure-2"}
    for figure in caught.values():
        figure.draw_without_rendering()
        drawn = [ax for ax in figure.axes if ax.axison]
        assert len(drawn) == shape
        boxes = [ax.get_tightbbox() for ax in drawn] + [figure.legends[0].get_window_extent()]
        assert not [1 for i, box in enumerate(boxes) for other in boxes[:i] if box.overlaps(other)]
        assert all(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1 for box in boxes)
        plt.close(figure)


def test_another_seed_is_told_and_drawn_and_that_it_was_chosen_is_said_of_the_default_alone(figures, tmp_path, monkeypatch):
    said = figures["figure-1"].legends[0].get_title().get_text()
    assert " ".join(said.split()) == CHOSEN
    assert not figures["figure-2"].legends[0].get_title().get_text()
    told, caught = [], []

    def save(figure, _, metadata, **__):
        told.append(json.loads(metadata.get("Description") or metadata["Subject"])["seed"])
        caught.extend(legend.get_title().get_text() for legend in figure.legends)

    monkeypatch.setattr(mpl.figure.Figure, "savefig", save)
    _, averages, _ = reproduce(tmp_path, seed=5)
    assert told == [5] * 6
    assert caught == [""] * 4  # of both formats of both figures
    xr.testing.assert_identical(averages, figure_2_averages(seed=5))


def test_headings_of_the_page_of_tables_end_where_their_numbers_end(figures):
    figure = figures["tables"]
    figure.draw_without_rendering()
    for ax in figure.axes:
        cells = ax.tables[0].get_celld()
        ends = {place: cell.get_text().get_window_extent().x1 for place, cell in cells.items()}
        assert all(abs(ends[i, j] - ends[0, j]) < 3 for i, j in ends if j >= 0)


# --- What lies in the folder


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("link", [False, True])
def test_a_file_of_somebody_else_stays_and_nothing_is_written(name, link, tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("measurement,value\n", encoding="utf-8")
    folder = tmp_path / "out"
    folder.mkdir()
    if link:
        (folder / name).symlink_to(mine)
    else:
        mine.rename(folder / name)
    with pytest.raises(FileExistsError, match=rf"{name}' is there, and capstats did not make it. Give another folder"):
        reproduce(folder)
    assert (folder / name).read_text(encoding="utf-8") == "measurement,value\n"
    assert len(list(folder.iterdir())) == 1


def test_the_command_runs_a_second_time_in_the_same_folder_beside_other_files(by_command):
    _, folder = by_command
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert main(["paper", "--out", str(folder)]) == 0
    after = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert [name for name in before if after[name] == before[name]] == ["notes.txt"]
    (folder / "notes.txt").unlink()


def test_the_first_command_of_the_readme_writes_into_a_folder_without_sources():
    root = Path(__file__).parents[1]
    assert "capstats paper --out paper" in (root / "README.md").read_text(encoding="utf-8")
    ignored = (root / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/paper/" in ignored
    assert not [line for line in ignored if line.startswith("!")]
    there = root / "paper"
    assert not there.exists() or {path.name for path in there.iterdir()} <= set(NAMES)
