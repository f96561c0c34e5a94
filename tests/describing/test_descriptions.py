"""What `describe` says of tables: facts of columns, what does not meet, candidates, and arguments that an audit takes."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from capstats import audit, describe
from capstats.describing import Description

pytestmark = pytest.mark.slow

PEOPLE = {
    "id": [f"p{i}" for i in range(30)],
    "age": [20 + 2 * i for i in range(29)] + [-9],
    "sex": ["f", "m"] * 15,
    "income": ["low", "low", "high"] * 10,
    "town": ["north", "south", None] * 10,
}
LABELS = {"v1": {1: "male", 2: "female"}}
VARIABLES = {"v1": "Sex of respondent", "v3": "Religious denomination"}


def survey(seed: int, n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"v1": rng.integers(1, 3, n), "v2": rng.integers(18, 90, n), "v3": rng.choice([1, 2, 3, -9], n), "age": rng.normal(50, 9, n)}
    )


def stata(path: Path, frame: pd.DataFrame) -> None:
    frame.to_stata(path, write_index=False, value_labels=LABELS, variable_labels=VARIABLES)


def spss(path: Path, frame: pd.DataFrame) -> None:
    pyreadstat.write_sav(frame, path, variable_value_labels=LABELS, column_labels=[VARIABLES.get(c, "") for c in frame])


def test_facts_of_columns_are_those_of_a_loop_over_records() -> None:
    found = describe(PEOPLE)
    for column, values in PEOPLE.items():
        present = [x for x in values if x is not None]
        row = found.columns.loc[column]
        assert row["levels"] == len(set(present))
        assert row["missing"] == pytest.approx(1 - len(present) / 30)
    assert found.columns.kind.to_dict() == {"id": "text", "age": "number", "sex": "text", "income": "text", "town": "text"}
    assert found.columns.near_identifier.to_dict() == {"id": True, "age": True, "sex": False, "income": False, "town": False}
    assert found.columns.to_cut.tolist() == [False, True, False, False, False]
    assert found.columns.likely_codes.to_dict() == {"id": [], "age": [-9], "sex": [], "income": [], "town": []}


def test_the_arguments_are_those_of_an_audit() -> None:
    release = {**PEOPLE, "income": PEOPLE["income"][::-1]}
    found = describe(PEOPLE, release)
    assert found.arguments == {"keys": ["age", "sex", "town"], "target": "income", "bins": {"age": 10}, "null_values": {"age": [-9]}}
    assert audit(PEOPLE, release, **found.arguments).measures.average_cap_zero.item() > 0
    assert found.commands == [
        "capstats.audit(original, synthetic, keys=['age', 'sex', 'town'], target='income', bins={'age': 10}, null_values={'age': [-9]})"
    ]
    assert list(found.keys) == ["age", "sex", "town"]
    assert found.targets == {"income": "its name (income); 2 levels"}


@pytest.mark.parametrize(("ending", "write"), [("dta", stata), ("sav", spss)])
def test_labels_of_variables_and_values_are_told_and_guessed_from(tmp_path: Path, ending: str, write: Any) -> None:
    paths = [tmp_path / f"{name}.{ending}" for name in "os"]
    for seed, path in enumerate(paths):
        write(path, survey(seed))
    found = describe(*paths)
    assert found.columns.label.to_dict() == {"v1": "Sex of respondent", "v2": "", "v3": "Religious denomination", "age": ""}
    assert found.columns.at["v1", "value_labels"] == {"1": "male", "2": "female"}
    assert found.columns.at["v1", "kind"] == "text"
    assert list(found.keys) == ["age", "v1"]
    assert list(found.targets) == ["v3"]
    assert found.arguments["null_values"] == {"v3": [-9]}
    assert "v1  Sex of respondent; 1 = male, 2 = female" in str(found)
    assert audit(*paths, **found.arguments).to_frame()["matched_share"].item() > 0.9


def test_a_frame_in_memory_has_no_labels(tmp_path: Path) -> None:
    assert set(describe(survey(0)).columns.label) == {""}
    survey(0).to_csv(tmp_path / "t.csv")
    assert describe(tmp_path / "t.csv").columns.value_labels.tolist() == [{}] * 5


def test_columns_that_one_table_lacks_are_named_and_not_suggested() -> None:
    release = {name: values for name, values in PEOPLE.items() if name != "sex"} | {"new": [1] * 30}
    found = describe(PEOPLE, {"a": release, "b": PEOPLE})
    assert "`synthetic['a']` lacks 1 column of `original`: sex." in found.findings
    assert "`original` lacks 1 column of `synthetic['a']`: new." in found.findings
    assert "sex" not in found.keys
    assert "new" not in found.columns.index


def test_kinds_that_differ_get_a_type_where_all_texts_are_numbers() -> None:
    numbers = {"age": [1, 2, 3], "sex": ["f", "m", "f"], "vote": ["a", "b", "a"]}
    texts = {**numbers, "age": ["1", "2", "3"], "vote": ["b", "b", "a"]}
    found = describe(numbers, texts)
    assert found.arguments["types"] == {"age": "number"}
    assert "(--type age=number)" in found.findings[0]
    assert audit(numbers, texts, **found.arguments).measures.matched_share == 1
    apart = describe(numbers, {**texts, "age": ["x", "y", "z"]})
    assert apart.findings == ["Column 'age' holds number labels in `original` and text labels in `synthetic`."]
    assert "age" not in apart.keys


def test_numbers_beside_texts_of_numbers_with_a_code_or_a_decimal_comma_are_described(tmp_path: Path) -> None:
    """One table holds numbers, the other texts, as CSV does."""
    wealth = [0.5, 1.5, 2.5, 4.5, None] * 12
    original = pd.DataFrame({"wealth": wealth, "ill": ["yes", "no", "no"] * 20})
    for sign, code in ((".", "."), (",", "NA")):
        texts = [code if x is None else str(x).replace(".", sign) for x in wealth]
        pd.DataFrame({"wealth": texts, "ill": original.ill})[:40].to_csv(tmp_path / "s.csv", sep=";", index=False)
        found = describe(original, tmp_path / "s.csv")
        assert found.arguments["types"] == {"wealth": "number"}
        assert found.arguments["null_values"] == {"wealth": [code]}
        assert found.arguments.get("decimal", ".") == sign
        assert audit(original, tmp_path / "s.csv", allow_same=True, **found.arguments).measures.original_records == 60


def test_levels_that_do_not_meet_are_told_without_a_value() -> None:
    release = {**PEOPLE, "sex": ["F", "M"] * 15, "town": ["north", "South", None] * 10}
    found = describe(PEOPLE, release)
    text = " ".join(found.findings)
    assert "Column 'sex' has no level in common in `original` (2 levels) and `synthetic` (2 levels)" in text
    assert "Column 'town' of `original` and `synthetic` has 1 pair of levels" in text
    assert "sex" not in found.keys
    assert not any(value in f"{found}" for value in ("north", "South", "'f'", "'F'", "p12", "high"))


def test_identifiers_need_not_meet() -> None:
    assert describe(PEOPLE, {**PEOPLE, "id": [f"q{i}" for i in range(30)]}).findings == []


def test_given_options_become_arguments_for_the_columns_that_are_used() -> None:
    people = {**PEOPLE, "town": ["north", "?", "south"] * 10, "other": ["?", "x", "y"] * 10}
    found = describe(people, null_values={"town": "?", "other": "?"}, types={"income": ["low", "high"], "other": "text"})
    assert found.columns.missing.to_dict()["town"] == pytest.approx(1 / 3)
    assert found.arguments["null_values"] == {"town": ["?"], "age": [-9]}
    assert found.arguments["types"] == {"income": ["low", "high"]}
    everywhere = describe(people, null_values="?")
    assert everywhere.arguments["null_values"] == {"*": ["?"], "age": [-9]}
    assert everywhere.arguments["allow_unused_codes"]


def test_an_unknown_option_and_a_table_that_is_none_are_errors() -> None:
    with pytest.raises(TypeError, match=r"There is no option 'type'\. Did you mean 'types'"):
        describe(PEOPLE, type={})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="`original` is int"):
        describe(3)
    with pytest.raises(FileNotFoundError, match="no file matches"):
        describe("nowhere.csv")


def test_a_column_without_a_value_is_said_to_be_missing() -> None:
    empty = [None] * 30
    assert describe({**PEOPLE, "sex": empty}, PEOPLE).findings == ["Missing in all records of `original`: sex."]
    found = describe(PEOPLE, {**PEOPLE, "sex": empty, "town": empty})
    assert found.findings == ["Missing in all records of `synthetic`: sex, town."]
    assert list(found.keys) == ["age"]


@pytest.mark.parametrize("names", [{"sex": "SEX", "age": "Age"}, {"sex": " sex"}, {"marital status": "marital.status"}], ids=repr)
def test_names_that_differ_in_case_or_signs_alone_are_told_with_the_remedy(names: dict[str, str]) -> None:
    people = {**PEOPLE, "marital status": ["a", "b"] * 15}
    found = describe(people, {names.get(c, c): x for c, x in people.items()})
    (said,) = found.findings
    assert "differs in case, spaces or signs alone" in said
    for mine, theirs in names.items():
        assert shlex.join(["--rename", f"synthetic.{theirs}={mine}"]) in said
    assert all(f"{theirs!r}: {mine!r}" in said.partition(".rename(columns=")[2] for mine, theirs in names.items())
    both = {**people, "SEX": people["sex"]}
    assert describe(people, both).findings == ["`original` lacks 1 column of `synthetic`: SEX."]


def test_a_type_is_proposed_only_where_levels_then_meet() -> None:
    release = {**PEOPLE, "age": [f"{x}.000" if x > 0 else "-9" for x in PEOPLE["age"]]}
    original = {**PEOPLE, "age": [1000 * x if x > 0 else -9 for x in PEOPLE["age"]][:12] + [1000] * 18}
    found = describe(original, release)
    assert found.findings == [
        "Column 'age' holds number labels in `original` and text labels in `synthetic`, all of which are numbers, but no level is in both. "
        "Write them alike."
    ]
    assert "age" not in found.keys


def test_a_column_of_other_numbers_is_not_to_be_cut() -> None:
    thousands = [f"{x}.000" if x < 80 else "900" for x in range(30, 90)]
    release = {"age": [str(1000 * x) if x < 80 else "900" for x in range(30, 90)], "sex": ["f", "m"] * 30, "vote": ["a", "b"] * 30}
    found = describe({**release, "age": thousands}, release)
    assert [text.partition(" in `")[0] for text in found.findings] == ["More than half of the values of column 'age'"]
    assert list(found.keys) == ["sex"]


def test_a_column_that_is_no_text_has_its_codes_under_its_own_name() -> None:
    people = {3: [-9, 1, 2, 3] * 10, "sex": ["f", "m"] * 20, "income": list("abab") * 10}
    assert describe(people).arguments["null_values"] == {3: [-9]}


def test_a_column_of_several_kinds_is_told_and_stays_out() -> None:
    found = describe({"age": [1, "a", 2.5], "sex": ["f", "m", "f"], "vote": ["x", "y", "x"]})
    assert found.columns.at["age", "kind"] == "other"
    assert list(found.keys) == ["sex"]
    assert found.findings == ["Column 'age' of `original` holds values of several kinds, of a kind that is no label, or too long ones."]
    nested = describe({"x": [{"a": 1}, {"a": 2}], "sex": ["f", "m"]})
    assert nested.columns.at["x", "kind"] in ("not read", "other")


def test_where_nothing_is_fit_there_is_no_command() -> None:
    found = describe({"x": [1, 1, 1]})
    assert (found.arguments, found.commands) == ({}, [])
    assert "No column is fit for a target" in str(found)


def test_an_empty_file_is_described(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n")
    found = describe(tmp_path / "t.csv")
    assert found.columns.levels.tolist() == [0, 0]
    assert found.provenance["tables"] == [{"table": "original", "records": 0, "columns": 2}]


def test_json_holds_the_same(tmp_path: Path) -> None:
    found = describe(PEOPLE, PEOPLE)
    held = json.loads(found.to_json())
    assert [row["column"] for row in held["columns"]] == list(PEOPLE)
    assert held["arguments"]["keys"] == found.arguments["keys"]
    assert held["columns"][1]["likely_codes"] == [-9]
    assert held["provenance"]["tables"][0] == {"table": "original", "records": 30, "columns": 5}
    assert found.to_frame() is found.columns
    assert isinstance(found, Description)


def test_hostile_names_are_escaped_on_the_page() -> None:
    html = describe({"<script>age</script>": [1, 2, 3] * 9, "sex\x1b[2J": ["f", "m", "f"] * 9})._repr_html_()
    assert "<script>" not in html
    assert "\x1b" not in html


def test_three_hundred_columns_have_a_row_or_stand_in_a_list() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 30, (500, 300)), columns=[f"q{i}" for i in range(300)])
    frame["sex"], frame["vote"] = rng.choice(["f", "m"], 500), rng.choice(["a", "b"], 500)
    text = str(describe(frame))
    assert text.index("  sex ") < text.index("  q0 ")
    assert set(text.replace(",", " ").split()) >= set(frame.columns)
    assert len(text.splitlines()) < 120


def test_of_many_candidates_twelve_are_shown_and_the_others_counted() -> None:
    frame = pd.DataFrame(np.random.default_rng(1).integers(0, 3, (200, 15)), columns=[f"age{i}" for i in range(15)])
    found = describe(frame)
    assert len(found.keys) == 15
    assert "and 3 more columns" in str(found)


def test_the_page_has_all_sections_in_a_file_of_its_own(tmp_path: Path) -> None:
    found, file = describe(PEOPLE, PEOPLE), tmp_path / "page.html"
    assert found.to_html(file) == file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o777 == 0o600 or os.name == "nt"
    for heading in found.sections(whole=True):
        assert f"{heading}</h2>" in found.to_html()
