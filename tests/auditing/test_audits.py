"""One call: its numbers are those of the public measures, and it says how they came to be."""

import html
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import records
import xarray as xr
from read_reports import one_line

import capstats
from capstats import (
    audit,
)
from capstats.auditing.measures import SENTENCES
from capstats.codes.progress import Progress, Step
from capstats.datasets import anes96, titanic
from capstats.laws import Bootstrap, Independent, expected_disclosure
from capstats.sources.files import FileSource
from capstats.tables.printing import percent

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


@pytest.fixture(scope="module")
def voters():
    """A survey and two synthetic versions of it, the second of which lacks keys."""
    original = anes96()
    rng = np.random.default_rng(61)
    return original, {
        "resampled": original.iloc[rng.integers(0, len(original), 944)],
        "few": original.iloc[rng.integers(0, len(original), 40)],
    }


@pytest.fixture(scope="module")
def several(voters):
    return audit(*voters, keys=["educ", "PID"], target="vote")


def test_cut_points_are_told_without_noise_of_floats():
    ages = {"age": [18, 89], "sick": ["no", "yes"]}
    found = audit(ages, ages, allow_same=True, keys="age", target="sick", bins={"age": 5})
    assert "age (cut at 32.2, 46.4, 60.6, 74.8: 2 levels)" in repr(found)
    assert found.provenance["bins"]["age"] == [32.2, 46.4, 60.599999999999994, 74.8]


# --- Numbers


def alone(people, p):
    """People of cells, two to a key, that have a record among 100 while the other cell of the key has none."""
    return sum(n * ((1 - p[i ^ 1]) ** 100 - (1 - p[i ^ 1] - p[i]) ** 100) for i, n in enumerate(people))


def test_numbers_of_the_smokers_are_those_worked_out_by_hand(found):
    """8/33, 25/33, 7/67 and 60/67 for 20, 30, 5 and 45 people."""
    each = [8 / 33] * 20 + [25 / 33] * 30 + [7 / 67] * 5 + [60 / 67] * 45
    cap = sum(each) / 100
    expected = {
        **dict.fromkeys(("original_records", "synthetic_records", "copied_people", "copied_people_upper"), 100),
        **dict.fromkeys(
            ("unmatched_records", "records_above_nine_tenths", "share_above_nine_tenths", "records_certain", "share_certain"), 0
        ),
        **dict.fromkeys(("share_certain_wrong", "original_certain", "share_unique", "share_replicated", "copied_people_lower"), 0),
        **dict.fromkeys(("copied_unique_records", "near_copied_records"), 0),
        **dict.fromkeys(("average_cap_zero", "average_cap_matched", "average_cap_nearest"), cap),
        **dict.fromkeys(("average_cap_zero_greatest", "share_above_half", "predictive_success_nearest"), 0.75),
        **dict.fromkeys(("baseline_predictive_success", "original_predictive_success"), 0.75),
        **dict.fromkeys((f"individual_cap_{x}" for x in ("upper_quartile", "upper_decile", "upper_percentile", "greatest")), 60 / 67),
        **dict.fromkeys(("records_above_half", "correct_predictions_nearest"), 75),
        **dict.fromkeys(("matched_share", "copied_share", "copied_p_value"), 1),
        **dict.fromkeys(("keys", "original_l"), 2),
        "original_k": 50,
        "average_cap_nearest_error": (sum((q - cap) ** 2 for q in each) / 99 / 100) ** 0.5,
        "average_cap_zero_least": 0.05,
        "average_cap_matched_least": 0.1,
        "average_cap_matched_greatest": 0.9,
        "original_cap": 0.67,
        "baseline": 0.625,
        "normalized_cap": (cap - 0.625) / (0.67 - 0.625),
        "expected_certain": alone([20, 30, 5, 45], [0.2, 0.3, 0.05, 0.45]),
        "expected_certain_independent": alone([20, 30, 5, 45], [0.125, 0.375, 0.125, 0.375]),
        "individual_cap_least": 7 / 67,
        "individual_cap_lower_quartile": 8 / 33 + 0.75 * (25 / 33 - 8 / 33),
        "individual_cap_median": 25 / 33,
        "target_distance": (50 * (20 / 50 - 8 / 33) + 50 * (7 / 67 - 5 / 50)) / 100,  # of two targets both shares differ by as much
        "copied_records": 100,  # everybody is in one of four cells, and no cell has fewer than 5 people
        "copied_beyond_chance": np.nan,
    }
    # the lower quartile is read at rank 24.75: 5 people at 7/67, 20 at 8/33, then 30 at 25/33
    assert set(found.measures.data_vars) == set(expected)
    for name, value in expected.items():
        assert found.measures[name].item() == pytest.approx(value, rel=1e-12, nan_ok=True), name


def test_people_certain_by_chance_are_those_of_releases_of_each_size(several):
    """What else follows from counts, docs/check_record.py computes anew: tests/test_check_record.py."""
    o, s = several.tables.o, several.tables.s
    for name, model in (("expected_certain", Bootstrap), ("expected_certain_independent", Independent)):
        expected = [expected_disclosure(o, model(m)).disco.item() * o.sum().item() for m in s.sum(["target", "key"]).values.tolist()]
        np.testing.assert_allclose(several.measures[name], expected, rtol=1e-12)


def test_every_file_is_read_once_for_counts_and_copies_and_not_again_for_the_report(voters, tmp_path, monkeypatch):
    original, synthetic = voters
    files = {name: tmp_path / f"{name}.parquet" for name in ("original", *synthetic)}
    for name, frame in {"original": original, **synthetic}.items():
        frame.to_parquet(files[name])
    queries = []
    rows = FileSource.rows
    monkeypatch.setattr(FileSource, "rows", lambda source, query: queries.append(source.name) or rows(source, query))
    releases = {label: files[label] for label in synthetic}
    asked = {"keys": ["educ", "PID", "income"], "target": "vote", "rank_by": "average_cap_zero", "against": "few"}
    names = ["original", "synthetic['resampled']", "synthetic['few']"]
    audit(files["original"], releases, **asked, copy_columns=0)
    assert queries == names
    queries.clear()
    found = audit(files["original"], releases, **asked)
    assert queries == names
    for file in files.values():
        file.unlink()
    assert "average CAP" in repr(found) + found._repr_html_() + found.to_json()
    assert queries == names
    xr.testing.assert_allclose(found.measures, audit(original, synthetic, **asked).measures, rtol=1e-12)


def test_one_table_in_a_list_is_one_of_several(people):
    original, synthetic = people
    result = audit(original, [synthetic], keys="smoking", target="health")
    assert result.labels == ["0"]
    assert result.measures.average_cap_zero.sizes == {"synthetic": 1}


# --- Who bears the risk


def test_json_names_each_column_of_a_joint_level_and_a_missing_one_is_null():
    people = {"k": [1, 2], "a": [1, None], "b": ["x", "y"]}
    rows = json.loads(audit(people, people, allow_same=True, keys="k", target=["a", "b"]).to_json())["by_target"]
    assert [row["level"] for row in rows] == [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]
    pairs = {"k": [1, 2], "t": [(1, 2), (2, 1)]}  # each label is a tuple, of one column
    rows = audit(pairs, pairs, allow_same=True, keys="k", target="t").to_dict()["by_target"]
    assert [row["level"] for row in rows] == [{"t": "(1, 2)"}, {"t": "(2, 1)"}]


# --- What it says of itself


def test_provenance_says_how_the_numbers_came_to_be(found):
    assert found.provenance == {
        "date": found.provenance["date"],
        "capstats": capstats.__version__,
        "keys": ["smoking"],
        "target": ["health"],
        "columns": {
            "keys": {"smoking": {"kind": "text", "levels": 2, "missing": False}},
            "target": {"health": {"kind": "text", "levels": 2, "missing": False}},
        },
        "settings": {"keys": ["smoking"], "target": ["health"]},
        "domain": {"kind": "original and synthetic", "targets": 2, "keys": 2},
        "missing": "level",
        "copies": {"columns": ["smoking", "health"], "left_out": {}},
        "unmatched": "nearest",
        "conventions": {
            "average_cap_zero": "version 1: records whose key is not in the synthetic data count 0",
            "average_cap_nearest_error": "the original records are a random sample, the synthetic table is fixed",
            "average_cap_matched": "version 2: they are left out",
            "average_cap_nearest": "they use the synthetic records of the nearest keys, those that differ in the fewest key columns",
            "individual_cap": "over records, unmatched records use the nearest keys, linear interpolation",
            "records_certain": "by records with the same keys",
            "predictive_success": "tied targets share, unmatched records use the nearest keys",
            "baseline": "marginal",
            "target_distance": "total variation by key, unmatched records count 1",
        },
    }


def test_missing_values_are_a_level_unless_they_are_dropped_and_then_their_number_is_told():
    original = {"k": ["a", "a", None, "b", "b"], "t": ["x", None, "x", "y", "y"]}
    synthetic = {"k": ["a", "b", None], "t": ["x", "y", "x"]}
    kept = audit(original, synthetic, keys="k", target="t")
    assert kept.measures.original_records.item() == 5
    assert "a missing value is a level of its column" in repr(kept)
    assert "dropped" not in kept.provenance
    dropped = audit(original, synthetic, keys="k", target="t", missing="drop", holdout={"k": ["a", "b", None], "t": ["x", "x", "y"]})
    assert dropped.measures.original_records.item() == 3
    assert dropped.provenance["missing"] == "drop"
    assert dropped.provenance["dropped"] == {"original": 2, "synthetic": 1, "holdout": 1}
    assert "records with a missing value are dropped: 2 of `original`, 1 of `synthetic`, 1 of `holdout`" in one_line(dropped)


# --- A holdout

OF_PEOPLE = [f"{name}{error}" for name in ("individual_gain", "original_gain", "fresh_sample_cap") for error in ("", "_error")]
OF_PEOPLE += [f"individual_share{end}" for end in ("", "_lower", "_upper")]
OF_HOLDOUT = ["holdout_cap", "individual_disclosure", "individual_disclosure_error"]
P_VALUES = ["membership_p_value", "permutation_p_value"]
KINDS = ("copied_records", "copied_people", "copied_share", "copied_unique_records", "near_copied_records")
COPIES = ["copied_people_beyond_chance", "copied_people_fewest", *(f"holdout_{name}" for name in KINDS)]
NOTE = "is about individuals; the rest is inference about the population."


@pytest.fixture(scope="module")
def strangers():
    """A sick smoker, two healthy non-smokers, and somebody whose key and target the other tables lack."""
    return {"smoking": ["Smoking", "Non-smoking", "Non-smoking", "unknown"], "health": ["Sick", "Healthy", "Healthy", "dead"]}


@pytest.fixture(scope="module")
def compared(people, strangers):
    return audit(*people, keys="smoking", target="health", holdout=strangers)


def test_a_holdout_is_guessed_as_by_hand_and_subtracted(compared):
    """CAP 8/33 for the sick smoker, 60/67 for the others, 0 for the unmatched; the variances of two means add up."""
    of_holdout = [8 / 33, 60 / 67, 60 / 67, 0]
    of_original = [8 / 33] * 20 + [25 / 33] * 30 + [7 / 67] * 5 + [60 / 67] * 45
    variance = np.var(of_original, ddof=1) / 100 + np.var(of_holdout, ddof=1) / 4
    expected = [np.mean(of_holdout), np.mean(of_original) - np.mean(of_holdout), variance**0.5]
    np.testing.assert_allclose([compared.measures[name].item() for name in OF_HOLDOUT], expected, rtol=1e-12)


def test_a_holdout_is_compared_in_a_sentence(compared):
    of_holdout, difference, error = (percent(compared.measures[name].item()) for name in OF_HOLDOUT)
    expected = (
        f"Of the 4 people not used for synthesis, the guess is right for a share of {of_holdout}. The difference, {difference} "
        f"(standard error {error}), {SENTENCES['answer']['by_chance']}"
    )
    assert expected in one_line(compared)
    assert expected.replace(" %", "\u00a0%") in html.unescape(compared._repr_html_())
    told = compared.provenance["conventions"]["individual_disclosure"]
    assert told == "average CAP of the original minus that of the holdout, unmatched records use the nearest keys"


def test_a_holdout_changes_no_other_number_even_if_it_brings_keys_and_targets(found, compared):
    assert compared.tables.sizes == {"target": 3, "key": 3}
    more = {"holdout_records", *OF_HOLDOUT, *P_VALUES, *OF_PEOPLE, *COPIES}
    assert set(compared.measures.data_vars) - set(found.measures.data_vars) == more
    for name, value in found.measures.drop_vars("copied_p_value").items():  # which is of another test
        assert compared.measures[name].item() == pytest.approx(value.item(), rel=1e-14, nan_ok=True), name
    assert compared.provenance["domain"] == found.provenance["domain"]


def test_without_a_holdout_nothing_is_said_of_one(found):
    (sentence,) = [text for text in found.sections()["At a glance"] if isinstance(text, str) and "holdout" in text]
    assert sentence.endswith("only a holdout can tell.")
    told = " ".join((repr(found) + found.to_json() + found._repr_html_()).split()).replace(sentence, "")
    assert "holdout" not in told


def test_an_audit_of_sparse_tables_or_of_one_release_is_that_of_several_in_dense_ones(voters, monkeypatch):
    from capstats.tables import backing

    original, synthetic = voters
    asked = {"keys": ["educ", "PID"], "target": ["age", "vote"], "holdout": original.iloc[::3]}
    dense = audit(original, synthetic, **asked)
    for label, table in synthetic.items():
        alone = audit(original, table, **asked).measures
        for name in OF_HOLDOUT:
            assert dense.measures[name].sel(synthetic=label).item() == pytest.approx(alone[name].item(), rel=1e-14)
    monkeypatch.setattr(backing, "LARGE", 1)
    sparse = audit(original, synthetic, **asked)
    assert not any(isinstance(sparse.tables[name].data, np.ndarray) for name in "osh")
    xr.testing.assert_allclose(sparse.measures, dense.measures, rtol=1e-12)
    xr.testing.assert_allclose(sparse.by_column, dense.by_column, atol=1e-15)
    assert repr(sparse) == repr(dense)
    assert sparse.to_dict()["counts"] == dense.to_dict()["counts"]


@pytest.mark.parametrize(("counts", "given"), [("weight", 0), (("count", "weight", "weight"), 7), (("weight", None, "count"), 0)])
def test_fractional_counts_of_original_or_holdout_leave_the_holdout_out_and_say_so(counts, given):
    frame = titanic()
    frame["weight"] = frame["count"] * 0.3
    result = audit(frame, frame, allow_same=True, keys=["Class", "Sex"], target="Survived", holdout=frame, counts=counts)
    assert not set(OF_HOLDOUT) & set(result.measures.data_vars)
    assert "individual_disclosure" not in result.provenance["conventions"]
    assert result.provenance["individual_disclosure"] == "not defined: counts of the original or of the holdout are fractional"
    assert "the comparison with the holdout: not defined: counts of the original or of the holdout are fractional" in one_line(result)
    assert NOTE not in repr(result)
    assert len([name for name in result.measures.data_vars if name.startswith("individual_cap")]) == given


def test_fractional_counts_of_the_synthetic_table_alone_keep_the_holdout():
    frame = titanic()
    frame["weight"] = frame["count"] * 0.5
    asked = {"keys": ["Class", "Sex"], "target": "Survived", "holdout": frame.iloc[::2]}
    result = audit(frame, frame, allow_same=True, counts=("count", "weight"), **asked)
    plain = audit(frame, frame, allow_same=True, counts="count", **asked)
    for name in OF_HOLDOUT:
        assert result.measures[name].item() == pytest.approx(plain.measures[name].item(), rel=1e-12)
    assert "individual_cap_median" in result.measures
    assert "not given" not in repr(result)


# --- JSON


@pytest.mark.parametrize("which", ["found", "several"])
def test_json_round_trips_every_number(which, request):
    result = request.getfixturevalue(which)
    back = records.read(result.to_json())
    assert back == result.to_dict()
    assert all(isinstance(back["measures"][name], int) for name in ("original_records", "keys"))
    assert back["provenance"] == result.provenance
    for name, array in result.measures.data_vars.items():
        value = back["measures"][name]
        if array.ndim:
            assert list(value) == result.labels
            value = list(value.values())
        np.testing.assert_array_equal(np.asarray(value, dtype=float), array.values)


# --- Examples and bad input


def test_an_audit_needs_a_synthetic_table(people):
    with pytest.raises(ValueError, match="`synthetic` is missing: give the table to be released"):
        audit(people[0], None, keys="smoking", target="health")


def test_labels_that_print_alike_stay_apart():
    people = {"k": ["a", "b"], "t": ["x", "y"]}
    found = audit(people, {1: people, "1": people}, allow_same=True, keys="k", target="t")
    assert list(found.to_dict()["measures"]["average_cap_nearest"]) == ["1", "'1'"]


def test_provenance_tells_types_and_takes_numbers_of_numpy():
    people = {"k": ["1", "2"], "t": ["x", "y"]}
    found = audit(people, people, allow_same=True, keys="k", target="t", types={"k": "number"}, provenance={"seed": np.int64(3)})
    told = json.loads(found.to_json())["provenance"]
    assert told["types"] == {"k": "number"}
    assert told["seed"] == 3


def test_the_files_of_a_parquet_folder_are_those_that_hold_records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "original.parquet"
    folder.mkdir()
    people = pd.DataFrame({"k": ["a", "b"], "t": ["x", "y"]})
    people.to_parquet(folder / "part-0.parquet")
    (folder / "_SUCCESS").touch()
    found = audit("original.parquet", folder, allow_same=True, keys="k", target="t").provenance
    assert found["original"] == "original.parquet"
    assert found["files"] == {
        "original": [str(Path("original.parquet", "part-0.parquet"))],
        "synthetic": [[str(folder / "part-0.parquet")]],
    }


def test_an_audit_says_when_it_computes_the_measures(monkeypatch):
    steps = []
    monkeypatch.setattr(Progress, "step", lambda shown, what, rows=None: steps.append(what) or Step(what, rows))
    people = {"k": ["a", "b"], "t": ["x", "y"]}
    audit(people, people, allow_same=True, keys="k", target="t")
    assert steps[-2:] == ["joining the tables", "computing the measures"]
