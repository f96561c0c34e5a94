"""What an audit says of the population: from its size by models, from its table exactly, from sampling weights."""

import json
from math import log

import numpy as np
import pandas as pd
import pytest
from command_line import printed, said
from read_reports import one_line

import capstats
from capstats import audit, population, tabulate
from capstats.cli.program import main
from capstats.datasets import anes96

pytestmark = pytest.mark.slow

ASKED = {"keys": ["k"], "target": "t"}
ORIGINAL = {"k": [*"aabcd"], "t": [*"xyxyx"]}  # b, c and d are unique
RELEASE = {"k": [*"abccd"], "t": [*"xyxyx"]}  # b and d are replicated
PEOPLE = {"k": [*"aaaabccddee"]}  # b is unique in the population, c and d have two people, a four, e is not in the original
VOTERS = {"keys": ["educ", "PID", "age"], "target": "vote", "bins": {"age": 8}}


def test_a_table_of_the_population_says_who_is_unique_in_it():
    found = audit(ORIGINAL, RELEASE, population=PEOPLE, **ASKED)
    m = found.measures
    assert (m.population_uniques.item(), m.replicated_in_population.item(), m.population_k.item()) == (1, 1, 1)
    assert m.population_matches.item() == 2 / 4 + 1 + 1 / 2 + 1 / 2
    assert (
        "Of the 3 people unique in the original, 1 is unique among the 11 of the population, too (the table of the population); of the 2 "
        "that this release has as one record, 1." in one_line(found)
    )
    assert "2.5 of 5 links are expected to be right (the table of the population)" in one_line(found)
    assert "population_uniques_pitman" not in m


def test_counts_of_the_population_and_its_records_are_one():
    expected = audit(ORIGINAL, RELEASE, population=PEOPLE, **ASKED).measures
    register = tabulate(PEOPLE, keys="k", target=None)
    tables = tabulate(ORIGINAL, RELEASE, **ASKED)
    for given in (register, register.o):
        found = audit(tables, population=given).measures
        assert found.population_matches.item() == expected.population_matches.item()
        assert found.replicated_in_population.item() == expected.replicated_in_population.item()
    with pytest.raises(TypeError, match="`population` must be counts, as tabulate"):
        audit(tables, population=PEOPLE)


def test_the_population_is_cut_and_read_as_the_original():
    voters = anes96()
    people = pd.concat([voters, voters.assign(age=voters.age + 1)])
    found = audit(voters, voters.iloc[::2], population=people, allow_same=True, **VOTERS)
    cuts = capstats.tabulate(voters, voters, **VOTERS).attrs["bins"]["age"]
    register = tabulate(people, keys=VOTERS["keys"], target=None, bins={"age": list(cuts)})
    expected = population.population_profile(found.tables.o, population=register.o)
    assert found.measures.population_matches.item() == expected.expected_matches.item()


@pytest.mark.parametrize("releases", [1, 2])
def test_the_size_of_the_population_gives_expected_numbers_by_three_models(releases):
    voters = anes96()
    several = {name: voters.iloc[::step] for name, step in (("half", 2), ("third", 3))}
    found = audit(voters, several if releases == 2 else several["half"], population_size=50_000, allow_same=True, **VOTERS)
    for model in ("pitman", "loglinear", "zayatz"):
        expected = population.population_uniqueness(found.tables.o, population_size=50_000, model=model, s=found.tables.s)
        assert found.measures[f"population_uniques_{model}"].item() == expected.among_sample_uniques.item()
        of_release = found.measures[f"replicated_in_population_{model}"]
        np.testing.assert_array_equal(of_release.values, expected.among_replicated_uniques.values)
        assert of_release.dims == (("synthetic",) if releases == 2 else ())
    said = one_line(found)
    assert "are expected to be unique among the 50,000 of the population, too" in said
    for name in ("Ewens-Pitman model", "log-linear model, main effects", "estimate of Zayatz"):
        assert name in said
    assert found.provenance["population_size"] == 50_000


def test_what_is_not_estimable_is_said_and_is_no_zero():
    """Where everybody is unique, the likelihood has no maximum; Zayatz's number is then everybody."""
    original = {"k": [*"abcde"], "t": [*"xyxyx"]}
    found = audit(original, {"k": [*"abcdf"], "t": [*"xyxyx"]}, population_size=1000, **ASKED)
    assert np.isnan(found.measures.population_uniques_pitman.item())
    assert found.measures.population_uniques_zayatz.item() == 5
    said = one_line(found)
    assert "Ewens-Pitman model, not estimable: all unique" in said
    assert json.loads(found.to_json())["measures"]["population_uniques_pitman"] is None


def test_nobody_is_unique():
    original = {"k": [*"aabb"], "t": [*"xyxy"]}
    found = audit(original, {"k": ["a"], "t": ["x"]}, population_size=1000, **ASKED)
    assert "Nobody is unique in the original, and so nobody of it in the population." in one_line(found)
    assert found.measures.population_uniques_pitman.item() == 0


def test_sampling_weights_give_the_links_that_are_expected_to_be_right():
    weighted = {**ORIGINAL, "w": [1, 1, 5, 1, 1]}
    found = audit(weighted, RELEASE, weights=("w", None), **ASKED)
    assert found.measures.weighted_matches.item() == pytest.approx(2 * 0.5 + log(5) / 4 + 2)
    assert found.measures.greatest_individual_risk.item() == 1
    assert "3.4 of 5 links are expected to be right (model of Benedetti and Franconi, by the sampling weights)" in one_line(found)


def test_weights_that_are_no_numbers_of_people_give_no_links_and_say_why():
    weighted = {**ORIGINAL, "w": [0.5, 0.5, 1.5, 1.5, 1]}
    found = audit(weighted, RELEASE, weights=("w", None), **ASKED)
    assert "weighted_matches" not in found.measures
    assert "links to the population: not defined: the weights of some keys add up to less than their records" in one_line(found)


def test_a_population_is_one_table_and_needs_no_size():
    """tests/population has what is wrong with a table or a size alone."""
    with pytest.raises(ValueError, match="`population` says how many people there are; leave out `population_size`"):
        audit(ORIGINAL, RELEASE, population=PEOPLE, population_size=11, **ASKED)
    several = tabulate(ORIGINAL, [PEOPLE, PEOPLE], keys="k", target=None).s
    with pytest.raises(ValueError, match=r"`population` must be one table; it has the dims .* Choose one of \['synthetic'\]."):
        audit(ORIGINAL, RELEASE, population=several, **ASKED)
    with pytest.raises(ValueError, match="`population` is read as the original is, and is called so here: Column 'k' is not in `original`"):
        audit(ORIGINAL, RELEASE, population={"K": [1]}, **ASKED)


def test_the_page_has_a_section_of_the_population():
    found = audit(ORIGINAL, RELEASE, population=PEOPLE, **ASKED)
    page = found.to_html()
    assert ">In the population</h2>" in page
    assert "least number in the population who share the keys of a record" in page


def test_the_command_takes_a_size_a_file_of_people_or_a_file_of_their_counts(tmp_path, capsys):
    files = {name: tmp_path / f"{name}.csv" for name in ("o", "s", "people")}
    for file, table in zip(files.values(), (ORIGINAL, RELEASE, PEOPLE), strict=True):
        pd.DataFrame(table).to_csv(file, index=False)
    counts = tmp_path / "people.parquet"
    capstats.write_counts(tabulate(files["people"], keys="k", target=None), counts)
    command = ["audit", str(files["o"]), str(files["s"]), "--keys", "k", "--target", "t", "--json"]
    for file in (files["people"], counts):
        assert json.loads(printed(capsys, *command, "--population", str(file)))["measures"]["population_matches"] == 2.5
    out, err = said(capsys, 1, *command, "--population-size", "1000", "--fail-above", "population_uniques_zayatz=0.5")
    assert json.loads(out)["measures"]["population_uniques_zayatz"] > 0.5
    assert "population_uniques_zayatz" in err
    assert main([*command, "--fail-above", "population_uniques_zayatz=0.5"]) == 2
    assert "population_uniques_zayatz needs --population-size." in capsys.readouterr().err


def test_the_file_of_the_population_is_named_and_no_report_is_written_over_it(tmp_path):
    file = tmp_path / "people.csv"
    pd.DataFrame(PEOPLE).to_csv(file, index=False)
    found = audit(ORIGINAL, RELEASE, population=file, **ASKED)
    assert f"population {file}, 11 people" in one_line(found)
    assert str(file) in found.seen
    with pytest.raises(ValueError, match="which is read as well"):
        found.to_html(file)
    assert pd.read_csv(file).k.tolist() == PEOPLE["k"]


def test_sparse_tables_with_weights_give_the_numbers_of_dense_ones():
    voters = anes96().assign(w=lambda x: 1 + x.age % 3)
    register = tabulate(pd.concat([voters, voters]), keys=VOTERS["keys"], target=None, bins={"age": 8}, backing="sparse")
    dense, sparse = (
        audit(tabulate(voters, voters.iloc[::2], weights="w", backing=backing, **VOTERS), allow_same=True, population=register)
        for backing in ("dense", "sparse")
    )
    names = [str(name) for name in dense.measures if "population" in str(name) or name == "weighted_matches"]
    assert len(names) >= 4
    for name in names:
        assert sparse.measures[name].item() == pytest.approx(dense.measures[name].item(), rel=1e-12)
    assert sparse.provenance["population_size"] == 2 * len(voters)
