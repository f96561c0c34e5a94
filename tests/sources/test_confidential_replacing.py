"""Files that capstats made are known by the mark of their format, at its place; whatever else is there stays."""

import os

import matplotlib.pyplot as plt
import pytest

from capstats import audit, lessons
from capstats.cli import main
from capstats.cli.options import OPTIONS
from capstats.datasets import titanic
from capstats.sources.confidential import check_replaceable, is_plain, made_by_capstats

pytestmark = pytest.mark.slow

FORMATS = ["internal.html", "public.htm", "f.png", "f.pdf", "f.svg", "F.PNG"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a file of each format, and the page of a lesson."""
    folder = tmp_path_factory.mktemp("made")
    for name in ("f.png", "f.pdf", "f.svg", "F.PNG"):
        assert main(["audit", "--example", "titanic", "--figure", str(folder / name)]) == 0
    people = titanic()
    found = audit(people, people.assign(count=people["count"] + 10), keys=["Class", "Sex"], target="Survived", counts="count")
    found.to_html(folder / "internal.html")
    found.to_html(folder / "public.htm", audience="public", ledger=folder / "ledger.json")
    (folder / "lesson.html").write_text(lessons.page("hands"), encoding="utf-8", newline="\r\n")  # as Windows has it
    return folder


@pytest.mark.parametrize("name", [*FORMATS, "lesson.html"])
def test_what_capstats_made_is_known_by_its_mark(name, made):
    assert made_by_capstats(made / name)


@pytest.mark.parametrize("name", FORMATS)
def test_a_mark_at_another_place_or_in_another_format_is_none(name, made, tmp_path):
    content = (made / name).read_bytes()
    for other, text in {
        f"before{name[-5:]}": b"mine\n" + content,
        f"within{name[-5:]}": b'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title></head>' + content,
        "other.csv": content,
        "none": content,
    }.items():
        (tmp_path / other).write_bytes(text)
        assert not made_by_capstats(tmp_path / other)


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_a_figure_of_somebody_else_is_not_ours(ending, tmp_path):
    figure, ax = plt.subplots()
    ax.set_title("capstats 0.1.0")
    figure.savefig(tmp_path / f"f.{ending}")
    plt.close(figure)
    assert not made_by_capstats(tmp_path / f"f.{ending}")


def test_a_document_that_contains_a_figure_of_ours_is_not_ours(made, tmp_path):
    """As pdfTeX does it: the object with the figure's creator is one of many, and the last one has the document's."""
    file = tmp_path / "article.pdf"
    file.write_bytes((made / "f.pdf").read_bytes() + b"\n99 0 obj\n<< /Creator (TeX) >>\nendobj\n")
    assert not made_by_capstats(file)


def test_csv_is_known_by_its_head_alone(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"table,target\n1,2\n")
    assert made_by_capstats(tmp_path / "a.csv", "table,target\n")
    assert not made_by_capstats(tmp_path / "a.csv", "table,key\n")
    assert not made_by_capstats(tmp_path / "a.csv")


def test_links_folders_and_devices_are_neither_ours_nor_plain(made, tmp_path):
    (tmp_path / "link.html").symlink_to(made / "internal.html")
    (tmp_path / "nowhere.html").symlink_to(tmp_path / "none")
    (tmp_path / "folder.html").mkdir()
    os.mkfifo(tmp_path / "pipe.html")
    for name in ("link", "nowhere", "folder", "pipe"):
        assert not made_by_capstats(tmp_path / f"{name}.html")
        assert not is_plain(tmp_path / f"{name}.html")
        with pytest.raises(FileExistsError, match=r"is there, and capstats did not make it. Give another folder, or move that file away"):
            check_replaceable([(tmp_path / f"{name}.html", None)])
    (tmp_path / "a.html").write_text("mine", encoding="utf-8")
    assert is_plain(tmp_path / "a.html")
    assert is_plain(tmp_path / "absent")
    os.link(tmp_path / "a.html", tmp_path / "b.html")
    assert not is_plain(tmp_path / "a.html")
    check_replaceable([(tmp_path / "absent.html", None), (made / "internal.html", None)])


def test_every_ending_of_an_output_but_csv_has_a_mark():
    endings = {ending for name in ("html", "figure", "csv") for ending in OPTIONS[name].endings}
    from capstats.sources.confidential import MARKS

    assert endings - set(MARKS) == {".csv"}


def test_a_file_with_a_second_name_is_not_replaced(tmp_path):
    (tmp_path / "values.csv").write_text("section,value\nnotes,1\n", encoding="utf-8")
    check_replaceable([(tmp_path / "values.csv", "section,value\n")])
    os.link(tmp_path / "values.csv", tmp_path / "notes.csv")
    with pytest.raises(FileExistsError, match="Give another folder, or move that file away"):
        check_replaceable([(tmp_path / "values.csv", "section,value\n")])
