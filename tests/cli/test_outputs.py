"""Files of figures and tables: whole or not there, for their owner alone, and found to be writable before anything is counted."""

import json
import os
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import PUBLIC, SMOKERS, in_json, refused, run, said
from PIL import Image

import capstats
from capstats import audit
from capstats.cli import main, outputs

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


@pytest.mark.parametrize("ending", ["png", "pdf", "svg", "PNG"])
def test_figure_is_saved_and_says_how_it_came_to_be(here, tmp_path, capsys, ending):
    file = tmp_path / f"risk.{ending}"
    found = in_json(capsys, *SMOKERS, "--figure", str(file))
    content = file.read_bytes()
    if ending.lower() == "png":
        with Image.open(file) as picture:
            assert picture.info["Software"] == f"capstats {capstats.__version__}"
            told = json.loads(picture.info["Description"])
            assert (told["measures"], told["by_target"]) == (found["measures"], found["by_target"])
            assert set(found["provenance"]) - set(told["provenance"]) == {"original", "synthetic", "files", "settings"}
    else:
        assert content.startswith(b"%PDF" if ending == "pdf" else b"<?xml")
        assert f"capstats {capstats.__version__}".encode() in content
        assert b"version 1: records whose key is not in the synthetic data count 0" in content
        assert b"original.csv" not in content


def test_the_legend_of_the_figure_hides_no_box(here, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, *args, **kwargs: drawn.append(figure))
    assert main([*SMOKERS, "--figure", str(tmp_path / "risk.png")]) == 0
    (figure,) = drawn
    figure.draw_without_rendering()
    (legend,) = figure.legends
    lines = ["average CAP", "average CAP of the original", "baseline: guess without a key"]
    assert [text.get_text() for text in legend.get_texts()] == [*lines, "outlier: 1 record"]
    assert legend.get_window_extent().y0 >= figure.axes[0].get_window_extent().y1


def test_the_figure_has_the_order_of_the_report(here, tmp_path, monkeypatch, capsys):
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, *args, **kwargs: drawn.append(figure))
    releases = ["audit", "original.csv", "synthetic.csv", "smokers.csv", *SMOKERS[3:]]
    for options in (["--rank-by", "average_cap_zero"], ["--rank-by=-average_cap_zero"]):
        ranked = in_json(capsys, *releases, *options, "--figure", str(tmp_path / "risk.png"))["ranked"]
        assert [label.get_text() for label in drawn[-1].axes[0].get_xticklabels()] == ranked


def test_a_figure_that_cannot_be_written_is_found_before_anything_is_counted(here, capsys):
    assert main(["audit", "nobody.csv", "synthetic.csv", *SMOKERS[3:], "--figure", "nowhere/risk.png"]) == 2
    assert capsys.readouterr().err == "capstats audit: --figure cannot be written to 'nowhere/risk.png': No such file or directory.\n"


LIMITED = """
import resource, sys
import matplotlib.pyplot
resource.setrlimit(resource.RLIMIT_FSIZE, [int(sys.argv.pop(1))] * 2)  # no file may grow beyond it, as if the disk were full
from capstats.cli import main, outputs
sys.exit(main(sys.argv[1:]))
"""


def test_a_full_disk_leaves_the_old_figure_and_the_report_is_printed(here, tmp_path):
    file = tmp_path / "risk.png"
    file.write_text("the old one")
    done = run("1000", *SMOKERS, "--figure", str(file), program=("-c", LIMITED))
    assert done.returncode == 2
    assert done.stderr == f"capstats audit: --figure cannot be written to {str(file)!r}: File too large.\n"
    assert done.stdout == f"{audit('original.csv', 'synthetic.csv', keys='smoking', target='health')}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["risk.png"]
    assert file.read_text() == "the old one"


def test_a_mistake_leaves_no_figure_behind(here, tmp_path, capsys):
    assert main(["audit", "original.csv", "nobody.csv", *SMOKERS[3:], "--figure", str(tmp_path / "risk.png")]) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_figure_that_fractional_counts_do_not_have_costs_no_report(here, tmp_path, capsys):
    file = tmp_path / "risk.png"
    arguments = ["audit", "titanic.csv", "titanic.csv", "--allow-same", "--keys", "Class", "--target", "Survived", "--counts", "half"]
    out, err = said(capsys, 2, *arguments, "--figure", str(file))
    assert out.startswith("Disclosure risk of ")
    assert "--figure: it draws quartiles, which fractional --counts do not have" in err
    assert not file.exists()


# --- files that are confidential


@pytest.mark.parametrize("options", [["audit", "--figure", "f.png"], ["sweep", "--csv", "f.csv"], ["sweep", "--html", "f.html"]])
def test_a_file_is_for_its_owner_alone_even_if_all_could_read_the_old_one(options, here, tmp_path, capsys):
    name, option, file = options
    path = tmp_path / file
    path.write_text("the old one")
    path.chmod(0o644)
    assert main([name, *SMOKERS[1:], option, str(path)]) == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.stat().st_size > 50
    assert [found.name for found in tmp_path.iterdir()] == [file]


@pytest.mark.parametrize(("command", "option"), [("audit", "--figure"), ("audit", "--html"), ("records", "--csv")])
def test_no_file_is_written_through_a_link(command, option, here, tmp_path, capsys):
    (tmp_path / "target").write_text("as it was")
    link = tmp_path / "link.svg"
    link.symlink_to(tmp_path / "target")
    err = refused(capsys, command, *SMOKERS[1:], option, str(link))
    assert err.startswith(f"capstats {command}: {option}: {str(link)!r} is a symbolic link; an output is not written through a link.")
    assert (tmp_path / "target").read_text() == "as it was"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_leaves_the_old_public_page(here):
    """The ledger is smaller than the limit."""
    Path("many.csv").write_text("\n".join(["k,t", *["a,b"] * 40]), encoding="utf-8")
    Path("page.html").write_text("the old one", encoding="utf-8")
    tables = ["audit", "many.csv", "many.csv", "--allow-same", "--keys", "k", "--target", "t", *PUBLIC[:2]]
    before = sorted(path.name for path in Path().iterdir())
    done = run("5000", *tables, "--html", "page.html", "--ledger", "full.json", program=("-c", LIMITED))
    assert (done.returncode, done.stderr) == (2, "capstats audit: --html cannot be written to 'page.html': File too large.\n")
    assert Path("page.html").read_text(encoding="utf-8") == "the old one"
    assert sorted(path.name for path in Path().iterdir()) == sorted([*before, "full.json"])


def test_json_has_null_for_what_is_undefined_and_escapes_what_cannot_be_seen():
    told = {"a": np.float64("nan"), "b": [np.int64(3), None], "c\x1b": "\u202e\n", "d": float("inf"), "e": pd.Timestamp("2024-02-29")}
    text = outputs.json_text(told)
    assert json.loads(text) == {"a": None, "b": [3, None], "c\x1b": "\u202e\n", "d": "infinite", "e": "2024-02-29 00:00:00"}
    assert all(line.isprintable() for line in text.splitlines())


@pytest.mark.parametrize(("given", "output"), [("~/o.csv", "o.csv"), ("*.csv", ".hidden.csv"), ("p.parquet", "p.parquet/a.parquet")])
def test_no_file_that_is_read_is_written_over_however_it_is_named(given, output, tmp_path, monkeypatch, capsys):
    people = pd.DataFrame({"k": list("aabb"), "t": list("xyxx")})
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.chdir(data)
    monkeypatch.setenv("HOME", str(data))
    people.to_csv("o.csv", index=False)
    people.to_csv(".hidden.csv", index=False)
    Path("p.parquet").mkdir()
    people.to_parquet("p.parquet/a.parquet")
    people[:3].to_csv("../s.csv", index=False)
    before = Path(output).read_bytes()
    assert main(["records", given, "../s.csv", "--keys", "k", "--target", "t", "--csv", output]) == 2
    assert f"--csv is {output!r}, which is read as well. Give another path." in capsys.readouterr().err
    assert Path(output).read_bytes() == before


AUDIT = ["audit", "o.csv", "s.csv", "--keys", "k", "--target", "t"]
WRITING = [["--html", "FILE"], [*PUBLIC, "--html", "FILE"], [*PUBLIC[:3], "FILE"], ["--figure", "FILE"]]


@pytest.mark.parametrize("options", WRITING, ids=" ".join)
@pytest.mark.parametrize("way", ["hard", "link/../folder/hard", "folder/../hard"])
@pytest.mark.parametrize("counts", [False, True])
def test_no_output_takes_the_place_of_the_register_of_the_population(options, way, counts, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people = pd.DataFrame({"k": list("aabb") * 20, "t": list("xyxx") * 20})
    for file, table in {"o.csv": people[:30], "s.csv": people[10:60], "register.csv": people}.items():
        table.to_csv(file, index=False)
    register = "register.parquet" if counts else "register.csv"
    if counts:
        capstats.write_counts(capstats.tabulate("register.csv", keys="k", target=None), register)
    Path("folder").mkdir()
    Path("link").symlink_to("folder")
    option = options[options.index("FILE") - 1]
    output = f"{way}.{ {'--figure': 'png', '--ledger': 'json'}.get(option, 'html') }"
    os.link(register, Path("folder" if way.startswith("link") else ".", Path(output).name))
    before = Path(register).read_bytes()
    assert main([*AUDIT, "--population", register, *[output if x == "FILE" else x for x in options]]) == 2
    assert f"{option} is {output!r}, which is read as well. Give another path." in capsys.readouterr().err
    assert Path(register).read_bytes() == before
    assert not Path("ledger.json").exists()


def test_counts_take_the_place_of_no_file_that_was_counted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"k": list("aabb"), "t": list("xyxx")}).to_csv("o.csv", index=False)
    before = Path("o.csv").read_bytes()
    tables = capstats.tabulate("o.csv", keys="k", target="t")
    os.link("o.csv", "other.csv")
    for path in ("o.csv", "./o.csv", "other.csv"):
        with pytest.raises(ValueError, match="which is read as well"):
            capstats.write_counts(tables, path, overwrite=True)
    for _ in range(2):  # as a cell of a notebook that is run again
        capstats.write_counts(tables, "counts.csv", overwrite=True)
        capstats.read_counts("counts.csv")
    assert Path("o.csv").read_bytes() == Path("other.csv").read_bytes() == before
