"""``capstats measure``: the numbers of the library's functions, by their names and with their options."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest
from command_line import in_json, printed, refused, said
from measures_of_counts import ALONE, BOTH

import capstats
from capstats import anonymity, cap, disclosure, from_counts, laws, peers, population, screening, write_counts
from capstats.cli.measure import functions

TABLES = from_counts(
    [[20, 5, 1], [30, 45, 0]],
    {"a": [[8, 7, 0], [25, 60, 1]], "b": [[1, 0, 0], [0, 1, 0]]},
    key_labels={"smoking": ["yes", "no", None]},
    target_labels={"health": ["sick", "healthy"]},
)
ONE = TABLES.isel(synthetic=0, drop=True)


@pytest.fixture
def counts(tmp_path):
    write_counts(ONE, tmp_path / "counts.json")
    return str(tmp_path / "counts.json")


def measured(capsys, name, path):
    (found,) = in_json(capsys, "measure", name, path)["measures"].values()
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("average_cap", capstats.average_cap(ONE)),
        ("average_cap(unmatched=nearest)", capstats.average_cap(ONE, unmatched="nearest")),
        ("tcap(variant=matched, tau=0.5)", disclosure.tcap(ONE, variant="matched", tau=0.5)),
        ("k_anonymity", anonymity.k_anonymity(ONE)),
        ("baseline_cap(kind='modal')", capstats.baseline_cap(ONE, kind="modal")),
        ("expected_cap(model=Pram(theta=0.3))", laws.expected_cap(ONE, laws.Pram(theta=0.3))),
        ("rapid(score=marginal, tau=0.9)", peers.rapid(ONE, score="marginal", tau=0.9)),
    ],
)
def test_a_number_is_that_of_the_function(capsys, counts, name, expected):
    assert measured(capsys, name, counts) == pytest.approx(expected.item(), abs=1e-15)


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize("command", [["measure", "average_cap"], ["sweep"], ["anonymity"]])
def test_counts_have_the_warnings_of_their_records(capsys, tmp_path, command):
    keys = [["Yes", "no", "no", "Yes"], ["yes", "no", "no", "no"]]
    write_counts(capstats.tabulate(*({"k": k, "t": [*"abab"]} for k in keys), keys="k", target="t"), tmp_path / "n.csv")
    assert "that look like one level in two spellings" in said(capsys, 0, *command, str(tmp_path / "n.csv")).err


def test_several_are_computed_at_once_under_the_names_that_were_given(capsys, counts):
    found = in_json(capsys, "measure", "average_cap, as_synthpop(version='development'), disco", counts)["measures"]
    assert list(found) == ["average_cap", "as_synthpop(version='development')", "disco"]
    expected = peers.as_synthpop(ONE, version="development")
    assert {name: found["as_synthpop(version='development')"][name] for name in ("DCAPd", "TCAP")} == pytest.approx(
        {name: expected[name] for name in ("DCAPd", "TCAP")}
    )


def test_a_table_comes_by_column_with_null_for_what_is_missing(capsys, tmp_path, counts):
    found = measured(capsys, "key_summary", counts)
    assert found["smoking"] == ["yes", "no", None]
    assert found["records"] == [50, 50, 1]
    assert measured(capsys, "individual_cap", counts)["health"] == ["sick"] * 3 + ["healthy"] * 3
    write_counts(TABLES, tmp_path / "several.json")
    assert measured(capsys, "average_cap", str(tmp_path / "several.json"))["synthetic"] == ["a", "b"]


def test_population_counts_come_from_a_file_of_their_own(capsys, tmp_path, counts):
    write_counts(from_counts(10 * ONE.o), tmp_path / "people.json")
    found = in_json(capsys, "measure", "population_profile", counts, "--population", str(tmp_path / "people.json"))["measures"]
    assert found["population_profile"]["k_map"] == population.population_profile(ONE.o, population=10 * ONE.o).k_map.item()


@pytest.mark.usefixtures("here")
def test_records_are_counted_on_the_way(capsys):
    found = in_json(capsys, "measure", "average_cap", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health")
    tables = capstats.tabulate("original.csv", "synthetic.csv", keys="smoking", target="health")
    assert found["measures"] == {"average_cap": capstats.average_cap(tables).item()}


def test_the_holdout_is_that_of_the_tables_and_a_model_may_be_a_class(capsys, tmp_path):
    tables = ONE.assign(h=(ONE.o.dims, ONE.o.values))
    write_counts(tables, tmp_path / "three.json")
    found = measured(capsys, "membership_test", str(tmp_path / "three.json"))
    assert found["p_value"] == laws.membership_test(tables, h=tables.h).p_value.item()
    expected = laws.calibrate(ONE.o, laws.Pram, risk=0.65).least.item()
    for model in ("Pram", "laws.Pram"):
        assert measured(capsys, f"calibrate(model={model}, risk=0.65)", str(tmp_path / "three.json"))["least"] == expected


def test_every_public_measure_of_counts_is_there():
    found = dict(functions())
    rooms = (cap, disclosure, anonymity, population, laws, peers, screening)
    names = {name.split()[0] for name in (*BOTH, *ALONE)}
    public = {name for name in names if any(inspect.isfunction(getattr(room, name, None)) for room in rooms)}
    assert len(public) > 55
    assert public - {"joint_bounds", "anonymity_bounds"} <= found.keys() | {"calibrate"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("avrage_cap", "there is no measure of counts 'avrage_cap'. Did you mean 'average_cap'?"),
        ("", "NAME must be measures separated by commas"),
        ("average_cap(", "NAME must be measures separated by commas"),
        ("average_cap(1)", "NAME must be measures separated by commas"),
        ("average_cap(unmatched=1+1)", "NAME must be measures separated by commas"),
        ("average_cap(unmatched=near)", "--unmatched"),
        ("expected_cap(model=Pramm(theta=1))", "there is no model of releases 'Pramm'. Did you mean 'Pram'?"),
        ("cap_law(model=Uniform())", "is no number and no table. Ask for a measure of it"),
        ("tabulate", "there is no measure of counts 'tabulate'."),
        ("expected_cap(model=Law())", "there is no model of releases 'Law'. It has 'Bootstrap'"),
        ("expected_cap(model=Swap())", "Swap needs records: give 'Swap(records=...)'."),
        ("average_cap(unmatched=drop, unmatched=zero)", "average_cap has unmatched= twice. Give it once."),
        ("membership_test", "The Dataset holds no table `h`, only o, s. Tabulate a holdout with them (--holdout)."),
        ("dp_bound(prior=0.5, epsilon=1)", "prior of dp_bound is the table of counts. Leave out prior=."),
    ],
)
def test_what_is_no_measure_is_refused_by_name(capsys, counts, name, message):
    assert message.removeprefix("--") in refused(capsys, "measure", name, counts)


def test_json_in_a_file_stands_beside_the_text_with_the_warnings(capsys, tmp_path, counts):
    file = tmp_path / "found.json"
    text = printed(capsys, "measure", "average_cap", counts, "--json", str(file))
    content = json.loads(file.read_text())
    assert f"average_cap\n  {content['measures']['average_cap']}" in text
    assert content["warnings"] == []
    content = json.loads(Path(counts).read_text())
    hidden = {
        name: x for name, x in content.items() if name not in ("digest", "targets", "variables", "coords", "attrs", "origin", "parts")
    }
    hidden["key"][0]["levels"] = ["yes", "Yes", None]
    hidden["counts"] = {"o": [1, 2, 0, 0, 5, 6], "s": [0, 0, 1, 2, 1, 1]}
    Path(counts).write_text(json.dumps(hidden))
    _, err = said(capsys, 0, "measure", "average_cap", counts, "--json", str(file), "--allow-no-match")
    warned = json.loads(file.read_text())["warnings"]
    assert warned
    assert all(x in err for x in warned)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("where", [["--json", "{}", "original.csv", "synthetic.csv"], ["original.csv", "synthetic.csv", "--json={}"]])
def test_the_file_of_json_is_written_wherever_it_is_named_and_never_a_table(capsys, tmp_path, where):
    file = str(tmp_path / "found.json")
    columns = ["--keys", "smoking", "--target", "health"]
    assert printed(capsys, "audit", *(x.format(file) for x in where), *columns).startswith("Disclosure risk")
    of_file = json.loads(Path(file).read_text())
    of_output = in_json(capsys, "audit", "original.csv", "synthetic.csv", *columns)
    assert of_file["measures"] == of_output["measures"]
    assert json.loads(printed(capsys, "audit", "--json", "original.csv", "synthetic.csv", *columns))["measures"] == of_output["measures"]
    assert "FILE must end in .json" in said(capsys, 2, "audit", "--json=original.csv", *columns).err


def test_numbers_of_a_box_are_printed_where_it_has_no_outliers(capsys, counts):
    assert set(in_json(capsys, "measure", "cap_boxplot", counts)["measures"]["cap_boxplot"]) >= {"median", "upper_whisker"}
