"""``capstats audit --published``: a list of tables that are public already, as a file of TOML."""

import pandas as pd
import pytest
from command_line import beyond, in_json, printed, refused

from capstats import audit, tabulate, to_frame
from capstats.datasets import titanic
from capstats.disclosure import Published, published_bounds

ASKED = ["audit", "people.csv", "release.csv", "--keys", "class,sex,age", "--target", "survived", "--allow-same"]
LIST = """
[[table]]
columns = ["class", "sex", "survived"]

[[table]]
columns = ["age", "survived"]
rounded = [5, "nearest"]
bins.survived = {"either" = ["Yes", "No"]}

[[table]]
file = "dashboard.csv"
suppressed = [1, 4]
"""
IN_PYTHON = [
    ["class", "sex", "survived"],
    Published(["age", "survived"], rounded=(5, "nearest"), bins={"survived": {"Yes": "either", "No": "either"}}),
    Published(table="dashboard.csv", suppressed=(1, 4)),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Records of the Titanic, a release, a dashboard without small counts, and the list of tables."""
    monkeypatch.chdir(tmp_path)
    people = titanic().rename(columns=str.lower)
    people = people.loc[people.index.repeat(people["count"])].drop(columns="count")
    people.to_csv("people.csv", index=False)
    people.sample(1000, random_state=1).to_csv("release.csv", index=False)
    shown = to_frame(tabulate(people, keys=["class", "age"], target="survived"))
    shown["o"] = shown["o"].astype(object).mask(shown["o"].between(1, 4), "*")
    shown.to_csv("dashboard.csv", index=False)
    (tmp_path / "tables.toml").write_text(LIST)
    return people


def test_the_list_says_what_the_library_is_told(here, capsys):
    found = in_json(capsys, *ASKED, "--published", "tables.toml")
    expected = audit("people.csv", "release.csv", keys=["class", "sex", "age"], target="survived", published=IN_PYTHON, allow_same=True)
    for name in [name for name in expected.measures if "published" in name]:
        assert found["measures"][name] == pytest.approx(expected.measures[name].item()), name
    assert found["provenance"]["published"] == expected.provenance["published"]
    known = published_bounds(here, keys=["class", "sex", "age"], target="survived", published=IN_PYTHON)
    assert found["measures"]["published_certain"] == known.certain.item() > 0
    assert "Already public" in printed(capsys, *ASKED, "--published", "tables.toml")


def test_paths_are_those_of_the_list_and_of_a_configuration(here, capsys, tmp_path, monkeypatch):
    (tmp_path / "risk.toml").write_text(
        'original = "people.csv"\nsynthetic = "release.csv"\nkeys = ["class", "sex", "age"]\ntarget = "survived"\n'
        'published = "tables.toml"\nallow-same = true\n'
    )
    monkeypatch.chdir(tmp_path.parent)
    assert in_json(capsys, "audit", "--config", str(tmp_path / "risk.toml"))["measures"]["published_certain"] > 0


def test_a_limit_stops(here, capsys):
    assert "published_certain is" in beyond(capsys, *ASKED, "--published", "tables.toml", "--fail-above", "published_certain=0")
    assert "published_certain needs --published" in refused(capsys, *ASKED, "--fail-above", "published_certain=0")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("columns = 3", r"--published 'tables.toml' must have a [[table]] for each published table, with its columns or its file"),
        ("[table]\ncolumns = ['sex']", "must have a [[table]]"),
        ("[[table]]\ncolums = ['sex']", "`--published` names 'colums', which is no entry of a table. Did you mean 'columns'?"),
        ("[[table]]\nrounded = 5", "Give `columns`, the columns of the published table, or `table`, its counts"),
        ("[[table]]\ncolumns = ['sex']\nsuppressed = [4, 1]", "`suppressed` must be the least and greatest count"),
        ("[[table]]\ncolumns = ['sex', 'cabin']", "Column 'cabin' is not in `original`"),
        ("[[table]]\nfile = 'nowhere.csv'", "nowhere.csv"),
        ("[[table]", "it is not TOML"),
    ],
)
def test_a_wrong_list_is_refused(here, capsys, tmp_path, content, message):
    (tmp_path / "tables.toml").write_text(content)
    assert message in refused(capsys, *ASKED, "--published", "tables.toml")


def test_a_file_that_the_original_contradicts_is_named_by_its_cell(here, capsys):
    pd.read_csv("dashboard.csv").assign(o=7).to_csv("dashboard.csv", index=False)
    message = refused(capsys, *ASKED, "--published", "tables.toml")
    assert "Published table 2 (class, age and survived): the cell class = " in message
    assert "holds 7 people by its rule, and the original has another number" in message
