"""Files of figures and tables: whole or not there, for their owner alone, and found to be writable before anything is counted."""

import json
import subprocess
import sys

import pytest
from command_line import SMOKERS, in_json
from PIL import Image

import capstats
from capstats import audit
from capstats.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


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


def test_figure_of_several_tables_is_saved(here, tmp_path, capsys):
    file = tmp_path / "risk.png"
    assert (
        main(["audit", "original.csv", "synthetic.csv", "smokers.csv", "--keys", "smoking", "--target", "health", "--figure", str(file)])
        == 0
    )
    with Image.open(file) as picture:
        assert picture.width > 600
    assert capsys.readouterr().err == ""


def test_a_figure_that_cannot_be_written_is_found_before_anything_is_counted(here, capsys):
    assert main(["audit", "nobody.csv", "synthetic.csv", *SMOKERS[3:], "--figure", "nowhere/risk.png"]) == 2
    assert capsys.readouterr().err == "capstats audit: --figure cannot be written to 'nowhere/risk.png': No such file or directory.\n"


LIMITED = """
import resource, sys
import matplotlib.pyplot
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from capstats.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_full_disk_leaves_the_old_figure_and_the_report_is_printed(here, tmp_path):
    """No file may grow beyond 1,000 bytes, as if the disk were full."""
    file = tmp_path / "risk.png"
    file.write_text("the old one")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *SMOKERS, "--figure", str(file)], capture_output=True, text=True, check=False, timeout=120
    )
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
    arguments = ["audit", "titanic.csv", "titanic.csv", "--keys", "Class", "--target", "Survived", "--counts", "half"]
    assert main([*arguments, "--figure", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("capstats ")
    assert "--figure: it draws quartiles, which fractional --counts do not have" in err
    assert not file.exists()
