"""The record of an audit: valid by its schema, with hashes that others can compute, and verdicts that are never NaN."""

import hashlib
import json
import subprocess

import jsonschema
import numpy as np
import pandas as pd
import pytest
import records

import capstats
from capstats import audit, tabulate, write_counts
from capstats.auditing import audit_targets
from capstats.auditing.measures import MEASURES
from capstats.auditing.record import SCHEMA, digest_of_text
from capstats.datasets import anes96

PEOPLE = anes96()
ORIGINAL, HOLDOUT = PEOPLE[::2], PEOPLE[1::2]
RELEASE = ORIGINAL.sample(frac=1, replace=True, random_state=1).reset_index(drop=True)
ASKED = {"keys": ["educ", "PID"], "target": "vote"}
REASONS = {"audience": "researchers under contract", "why": "as many as of a fresh sample", "who": "data access committee"}


@pytest.fixture
def files(tmp_path):
    for name, table in {"original": ORIGINAL, "holdout": HOLDOUT, "release": RELEASE}.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def audits():
    """Audits of all kinds: of one release and several, weighted, fractional, of counts, with what is given beside them, of many targets."""
    two = {"a": RELEASE, "b": RELEASE[::3]}
    beside = {"population_size": 10_000, "published": [["educ", "vote"]], "generator": [HOLDOUT, HOLDOUT[::2]]}
    yield audit(ORIGINAL, RELEASE, **ASKED, holdout=HOLDOUT, **beside, utility={"pmse": 0.1})
    yield audit(ORIGINAL, two, **ASKED, against="b", rank_by="-share_certain", limits={"share_certain": 0.1, "difference": 1})
    yield audit(ORIGINAL, RELEASE, **ASKED, weights="age", allow_same=True)
    yield audit(tabulate(ORIGINAL, RELEASE, **ASKED), limits={"copied_share": {"limit": 0.5, **REASONS}})
    yield audit(capstats.from_counts([[1.5, 2], [0, 1]], [[1, 0], [0, 0.5]], key_labels={"sex": ["f", "m"]}))
    yield audit_targets(ORIGINAL, two, keys=["educ", "PID"], targets=["vote", "income"])
    yield audit_targets(ORIGINAL, RELEASE, keys="educ", targets="vote", provenance={"limits": {"baseline": {"limit": 1, **REASONS}}})


def test_many_targets_are_judged_by_the_limits_of_the_caller():
    found = audit_targets(ORIGINAL, RELEASE, keys="educ", targets=["vote", "income"])
    shares = {str(x): found.measures.sel(target_column=x).baseline.item() for x in ("vote", "income")}
    assert found.limits({"baseline": 0.3}) == [(f"baseline of {x!r} is {y:.10g} (limit 0.3)", y <= 0.3) for x, y in shares.items()]
    assert found.to_dict()["verdict"] is None


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_the_schema_is_one_and_validates_every_record():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for found in audits():
        record = records.read(found.to_json())
        assert record == found.to_dict()
        assert (record["schema"], list(record)[-1]) == ({"name": "capstats report", "version": 1}, "digest")
        assert record["versions"]["capstats"] == capstats.__version__
        assert all(x in record["meanings"] for x in record.get("measures", {}))


def test_each_number_has_its_meaning_and_its_convention():
    found = audit(ORIGINAL, {"a": RELEASE, "b": RELEASE[::3]}, **ASKED, holdout=HOLDOUT, against="b", utility={"pmse": 0.1}).to_dict()
    meanings = found["meanings"]
    assert set(meanings) == {*found["measures"], *found["by_column"][0]} - {"column"}
    assert all(x["meaning"] and "{" not in x["meaning"] for x in meanings.values())
    assert {name: x["form"] for name, x in meanings.items() if name in MEASURES} == {
        name: MEASURES[name].form for name in MEASURES if name in meanings
    }
    conventions = found["provenance"]["conventions"]
    told = {name: x["convention"] for name, x in meanings.items() if "convention" in x}
    assert told["average_cap_zero_least"] == told["average_cap_zero"] == conventions["average_cap_zero"]
    assert told["individual_cap_median"] == conventions["individual_cap"]
    assert told["baseline_predictive_success"] == conventions["predictive_success"]
    assert told["baseline"] == "marginal"
    assert set(conventions.values()) <= set(told.values())
    assert meanings["pmse"] == {"form": "number", "meaning": "a number that the caller gave"}
    assert meanings["difference"]["meaning"] == "average CAP minus that of b, of the same people"


# --- verdicts


def test_limits_have_their_reasons_and_their_verdicts():
    limits = {"share_certain": {"limit": 0.4, **REASONS}, "average_cap_zero": 1, "holdout_cap": 0.9}
    found = audit(ORIGINAL, RELEASE, **ASKED, limits=limits)
    record = records.read(found.to_json())
    share, average = (found.measures[name].item() for name in ("share_certain", "average_cap_zero"))
    assert record["limits"] == [
        {"measure": "share_certain", "value": share, "limit": 0.4, "verdict": "kept" if share <= 0.4 else "broken", **REASONS},
        {"measure": "average_cap_zero", "value": average, "limit": 1, "verdict": "kept"},
        {"measure": "holdout_cap", "value": None, "limit": 0.9, "verdict": "could not be told"},
    ]
    assert found.limits()[2] == ("holdout_cap is undefined (limit 0.9)", False)


def small(health, spelled=False):
    """Eight people, the levels of `sex` in capitals if they are to be spelled so; `id` tells them apart."""
    sex = ["F", "M"] if spelled else ["f", "m"]
    return {"sex": sex * 4, "health": health * 2, "id": list("abcdefgh")}


SICK, WELL = ["sick", "well", "well", "well"], ["well", "well", "sick", "well"]


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize(
    ("tables", "reading", "untold"),
    [
        ({"synthetic": small(WELL)}, {}, []),
        ({"synthetic": {**small(WELL), "sex": ["F", "m"] * 4}}, {}, ["average_cap_zero", "holdout_cap"]),
        ({"synthetic": {**small(WELL), "sex": ["F", "m"] * 4}}, {"allow_no_match": True}, []),
        ({"synthetic": small(WELL, spelled=True)}, {"allow_no_match": True}, []),
        ({"synthetic": small([*WELL[:2], "Sick", "well"])}, {}, ["average_cap_zero", "holdout_cap"]),
        ({"synthetic": small(WELL), "holdout": {**small(SICK), "sex": ["F", "m"] * 4}}, {}, ["holdout_cap"]),
        (
            {"synthetic": {"a": small(WELL), "b": {**small(WELL), "sex": ["F", "m"] * 4}}},
            {},
            ["average_cap_zero of 'b'", "holdout_cap of 'b'"],
        ),
        ({"synthetic": {**small(WELL), "id": list("ABCDEFGH")}}, {}, []),  # a column that is only compared for copies
    ],
)
def test_a_limit_is_not_kept_by_a_number_that_mismatched_levels_make_low(tables, reading, untold, tmp_path):
    """Limits on numbers of the original alone, and on copies, of which levels in two spellings are one, are judged."""
    asked = {
        "keys": "sex",
        "target": "health",
        "limits": dict.fromkeys(["average_cap_zero", "holdout_cap", "baseline", "copied_people"], 9),
    }
    tables = {"original": small(SICK), "holdout": small(SICK[::-1]), **tables}
    found = audit(**tables, **asked, **reading)
    assert [limit.text.partition(" is ")[0] for limit in found.judged if limit.verdict != "kept"] == untold
    assert all("but levels of " in limit.text for limit in found.judged if limit.verdict != "kept")
    assert audit(**tables, **{**asked, "limits": {"average_cap_zero": -1}}, **reading).to_dict()["verdict"] == "broken"
    write_counts(found.tables, tmp_path / "counts.csv")
    of_counts = audit(capstats.read_counts(tmp_path / "counts.csv"), limits=asked["limits"], allow_same=True, **reading)
    assert [limit.verdict for limit in of_counts.judged][:3] == [limit.verdict for limit in found.judged][:3]


def test_levels_in_two_spellings_that_both_tables_have_do_not_differ():
    """Both tables have a missing value, and a text for it."""
    people = {"k": ["missing", None, "a", "a", "missing", "b"], "health": list("xyxyxx")}
    with pytest.warns(capstats.LevelsWarning, match="two spellings, so records that should match may not"):
        tables = tabulate(people, {name: [*x, x[0]] for name, x in people.items()}, keys="k", target="health")
    assert "levels differ" not in str(tables)
    found = audit(tables, limits={"average_cap_zero": 1})
    text = " ".join(str(found).split())
    assert "levels every table has all levels of the original, and no others" in text
    assert "Every table has all levels of the original" in found.to_html()
    assert found.to_dict()["verdict"] == "kept"


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_of_several_targets_the_limits_of_those_are_untold_whose_levels_do_not_match():
    tables = [small(SICK) | {"town": list("xxyyzzxx")}, small([*WELL[:2], "Sick", "well"]) | {"town": list("xyyyzzxx")}]
    limits = {"average_cap_zero": 1, "baseline": 1}
    found = audit_targets(*tables, keys="sex", targets=["health", "town"])
    assert [text.partition(" is ")[0] for text, kept in found.limits(limits) if not kept] == ["average_cap_zero of 'health'"]
    spelled = {**tables[1], "sex": ["F", "m"] * 4}
    found = audit_targets(tables[0], spelled, keys="sex", targets=["health", "town"])
    assert [kept for _, kept in found.limits(limits)] == [False, False, True, True]
    found = audit_targets(tables[0], spelled, keys="sex", targets=["health", "town"], allow_no_match=True)
    assert all(kept for _, kept in found.limits(limits))


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [
        (None, None),
        ({"average_cap_zero": 1}, "kept"),
        ({"average_cap_zero": 1, "holdout_cap": 1}, "could not be told"),
        ({"holdout_cap": 1, "average_cap_zero": 0}, "broken"),
    ],
)
def test_the_verdict_is_the_worst_of_the_limits(limits, verdict):
    assert audit(ORIGINAL, RELEASE, **ASKED, limits=limits).to_dict()["verdict"] == verdict


def test_a_limit_of_several_releases_is_judged_for_each():
    found = audit(ORIGINAL, {"a": RELEASE, "b": RELEASE[::3]}, **ASKED, limits={"synthetic_records": 200}).to_dict()
    assert [(x["of"], x["value"], x["verdict"]) for x in found["limits"]] == [(["a"], 472, "broken"), (["b"], 158, "kept")]


@pytest.mark.parametrize(
    ("limit", "error"),
    [
        ({"why": "x"}, r"`limits\['baseline'\]` must be a number, or a mapping with it as limit"),
        ({"limit": 1, "reason": "x"}, "names 'reason', which is no entry of a limit"),
        ({"limit": 1, "who": 3}, "must have a text as who"),
        *((limit, "must be a number, or a mapping") for limit in ({"limit": "1"}, "0.5", None, True, [1])),
    ],
)
def test_a_limit_without_a_number_or_with_other_reasons_is_refused(limit, error):
    with pytest.raises((ValueError, TypeError), match=error):
        audit(ORIGINAL, RELEASE, **ASKED, limits={"baseline": limit})


# --- hashes


def test_inputs_have_their_hashes_and_a_file_that_changed_since_has_none(files):
    names = {name: str(files / f"{name}.csv") for name in ("original", "release", "holdout")}
    found = audit(names["original"], names["release"], **ASKED, holdout=names["holdout"])
    hashes = {names[name]: hashlib.sha256((files / f"{name}.csv").read_bytes()).hexdigest() for name in names}
    assert found.to_dict()["inputs"] == hashes
    with (files / "release.csv").open("a") as file:
        file.write("\n")
    assert records.read(found.to_json())["inputs"] == {**hashes, names["release"]: None}


def test_the_hash_of_the_counts_is_that_of_the_sorted_lines_of_their_file(files):
    tables = tabulate(ORIGINAL, {"a": RELEASE, "b": RELEASE[::2]}, **ASKED, holdout=HOLDOUT, weights="age")
    write_counts(tables, files / "counts.csv")
    line = f"tail -n +2 {files / 'counts.csv'} | LC_ALL=C sort | sha256sum"
    said = subprocess.run(line, shell=True, capture_output=True, text=True, check=True).stdout.split()[0]
    assert audit(tables, allow_same=True).to_dict()["counts"] == {"sha256": said}
    other_order = tabulate(ORIGINAL[::-1], {"a": RELEASE[::-1], "b": RELEASE[::2]}, **ASKED, holdout=HOLDOUT, weights="age")
    assert audit(other_order, allow_same=True).to_dict()["counts"] == {"sha256": said}
    one_person_more = tabulate(ORIGINAL[1:], {"a": RELEASE, "b": RELEASE[::2]}, **ASKED, holdout=HOLDOUT, weights="age")
    assert audit(one_person_more, allow_same=True).to_dict()["counts"] != {"sha256": said}


def test_counts_with_labels_that_cannot_be_written_have_no_hash():
    months = {"month": pd.period_range("2024-01", periods=4, freq="M"), "t": list("xxyy")}
    assert records.read(audit(months, months, keys="month", target="t", allow_same=True).to_json())["counts"] == {"sha256": None}


def test_the_digest_is_computed_by_two_lines_of_a_shell(tmp_path):
    text = audit(ORIGINAL, RELEASE, **ASKED, provenance={"note": 'a "digest": "0" in a text, é and \u202e'}).to_json()
    (tmp_path / "report.json").write_text(f"{text}\n", encoding="utf-8")
    line = f"""sed 's/^  "digest": ".*"$/  "digest": ""/' {tmp_path / "report.json"} | sha256sum"""
    said = subprocess.run(line, shell=True, capture_output=True, text=True, check=True).stdout.split()[0]
    assert json.loads(text)["digest"] == said == digest_of_text(text)
    assert digest_of_text(text.replace("\n", "\r\n")) == said  # as Windows writes it


def test_what_has_no_number_is_null():
    found = audit(ORIGINAL, RELEASE, **ASKED, provenance={"a": np.nan, "b": [np.inf, np.float32(0.5)], "c": pd.NaT, "d": True, 1: {}})
    provenance = records.read(found.to_json())["provenance"]
    assert [provenance[x] for x in ("a", "b", "c", "d", "1")] == [None, [None, 0.5], None, True, {}]
