"""Protection scores: values worked out by hand, SDMetrics' numbers, and what is said beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats import average_cap, baseline_cap, individual_share, tabulate
from capstats.peers import as_sdmetrics, disclosure_protection
from capstats.peers.protection import NOBODY_MATCHED, ONE_VALUE

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

FOLDER = Path(__file__).parents[1] / "reference"
REFERENCE = json.loads((FOLDER / "sdmetrics_disclosure.json").read_text(encoding="utf-8"))
METRICS = json.loads((FOLDER / "sdmetrics_cap.json").read_text(encoding="utf-8"))["cases"]
METHODS = {"cap": "drop", "zero_cap": "zero", "generalized_cap": "nearest"}
REFUSED = {  # by tabulate: kinds that differ, columns named twice, no synthetic record
    "int_original_str_synthetic_key",
    "empty_synthetic",
    "kinds_mixed_within_columns",
    "kinds_differ_between_tables",
    "a_column_known_and_sensitive",
    "a_column_listed_twice",
}

PEOPLE = {"age": ["young", "young", "old", "old"], "income": ["low", "high", "low", "low"]}
RELEASE = {"age": ["young", "young", "old", "middle"], "income": ["low", "low", "high", "low"]}


def values(column: dict[str, Any]) -> list[Any]:
    return [None if isinstance(x, dict) else x for x in column["values"]]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", [c for c in REFERENCE["cases"] if not c["continuous"]], ids=lambda case: case["name"])
def test_scores_are_those_of_sdmetrics(case: dict[str, Any], method: str) -> None:
    tables = [{c["name"]: values(c) for c in case[side]} for side in ("real", "synthetic")]
    options = {"keys": case["known"], "target": case["sensitive"], "unmatched": METHODS[method]}
    if case["name"] in REFUSED:
        with pytest.raises((TypeError, ValueError)):
            disclosure_protection(*tables, **options)
        return
    found = disclosure_protection(*tables, **options)
    for name, expected in case["results"][method].items():
        assert found[name].item() == pytest.approx(np.nan if expected is None else expected, abs=1e-12, nan_ok=True), name
    undefined = np.isnan(found.cap_protection.item()) or np.isnan(found.score.item())
    assert bool(found.reason.item()) == undefined


def test_everything_about_four_people_is_worked_out_by_hand() -> None:
    """CAP: young 1 and 0, old 0 and 0; of two incomes a blind guess is right half the time. Released itself: 1/2 1/2 1 1."""
    found = disclosure_protection(PEOPLE, RELEASE, keys="age", target="income", holdout=RELEASE)
    assert {name: found[name].item() for name in found} == {
        "cap_protection": 0.75,
        "baseline_protection": 0.5,
        "score": 1.0,
        "records": 4,
        "matched_share": 1.0,
        "original_score": 0.5,
        "individual_disclosure": 0.25 - 1,
        "individual_disclosure_error": pytest.approx((0.25 * 0.75 * 4 / 3 / 4) ** 0.5),
        "reason": "",
    }


def test_why_a_score_is_undefined_is_said() -> None:
    elsewhere = {"age": ["middle"], "income": ["low"]}
    same = {"age": ["young", "old"], "income": ["low", "low"]}
    nobody = disclosure_protection(PEOPLE, elsewhere, keys="age", target="income")
    assert np.isnan(nobody.score.item())
    assert nobody.matched_share.item() == 0
    assert nobody.reason.item() == NOBODY_MATCHED
    assert disclosure_protection(PEOPLE, elsewhere, keys="age", target="income", unmatched="zero").reason.item() == ""
    alone = disclosure_protection(same, RELEASE, keys="age", target="income")
    assert np.isnan(alone.score.item())
    assert np.isnan(alone.original_score.item())
    assert alone.baseline_protection.item() == 0
    assert alone.reason.item() == ONE_VALUE
    both = disclosure_protection(same, elsewhere, keys="age", target="income")
    assert both.reason.item() == f"{NOBODY_MATCHED} {ONE_VALUE}"


def test_several_releases_are_scored_side_by_side() -> None:
    releases = {"a": RELEASE, "b": PEOPLE, "c": {"age": ["middle"], "income": ["low"]}}
    found = disclosure_protection(PEOPLE, releases, keys="age", target="income", holdout=PEOPLE)
    assert found.score.dims == ("synthetic",)
    assert found.score.sel(synthetic="b").item() == found.original_score.item() == 0.5
    assert found.reason.sel(synthetic=["a", "b", "c"]).values.tolist() == ["", "", NOBODY_MATCHED]
    for label, release in releases.items():
        one = disclosure_protection(PEOPLE, release, keys="age", target="income", holdout=PEOPLE)
        for name in one:
            expected, value = one[name].item(), found[name].sel(synthetic=label).item() if found[name].dims else found[name].item()
            assert value == expected or (value != value and expected != expected)


@examples(10)
@given(st.data())
def test_scores_are_between_0_and_1_and_are_made_of_average_caps(data: st.DataObject) -> None:
    """0 <= score <= 1; protection 1 - CAP; zero_cap never protects less than cap."""

    def table(n: int) -> dict[str, list[int]]:
        cell = st.lists(st.integers(0, 3), min_size=n, max_size=n)
        return {c: data.draw(cell) for c in ("a", "b", "t", "u")}

    original, synthetic, holdout = table(data.draw(st.integers(1, 8))), table(data.draw(st.integers(1, 8))), table(5)
    tables = tabulate(original, synthetic, keys=["a", "b"], target=["t", "u"], holdout=holdout)
    found = {}
    for method, unmatched in METHODS.items():
        one = disclosure_protection(original, synthetic, keys=["a", "b"], target=["t", "u"], unmatched=unmatched, holdout=holdout)
        found[method] = one.cap_protection.item()
        expected = 1 - average_cap(tables.o, tables.s, unmatched=unmatched).item()
        assert one.cap_protection.item() == pytest.approx(expected, nan_ok=True)
        assert one.baseline_protection.item() == pytest.approx(1 - baseline_cap(tables.o, kind="uniform").item())
        assert np.isnan(one.score.item()) or 0 <= one.score.item() <= 1
        assert np.isnan(one.score.item()) == (np.isnan(expected) or one.baseline_protection.item() == 0)
        contrast = individual_share(tables.o, tables.s, h=tables.h, unmatched=unmatched)
        assert one.individual_disclosure.item() == pytest.approx(contrast.plain_contrast.item(), nan_ok=True)
        assert one.individual_disclosure_error.item() == pytest.approx(contrast.plain_contrast_error.item(), nan_ok=True)
    assert np.isnan(found["cap"]) or found["cap"] <= found["zero_cap"] + 1e-12


def test_columns_are_cut_and_typed_as_tabulate_does_it() -> None:
    rng = np.random.default_rng(0)
    frames = [pd.DataFrame({"x": rng.normal(size=60), "k": rng.integers(0, 3, 60), "t": rng.integers(0, 4, 60)}) for _ in range(2)]
    found = disclosure_protection(*frames, keys=["x", "k"], target="t", bins={"x": 4}, types={"k": "text"}, weights=None)
    tables = tabulate(*frames, keys=["x", "k"], target="t", bins={"x": 4})
    assert found.cap_protection.item() == 1 - average_cap(tables.o, tables.s, unmatched="drop").item()
    sparse = disclosure_protection(*frames, keys=["x", "k"], target="t", bins={"x": 4}, backing="sparse", unmatched="nearest")
    dense = disclosure_protection(*frames, keys=["x", "k"], target="t", bins={"x": 4}, backing="dense", unmatched="nearest")
    assert sparse.identical(dense)


def test_scores_of_counted_records_are_those_of_repeated_ones() -> None:
    weighted = {**PEOPLE, "w": [1, 2, 3, 1]}
    repeated = {c: [x for x, w in zip(PEOPLE[c], weighted["w"], strict=True) for _ in range(w)] for c in PEOPLE}
    found = disclosure_protection(weighted, RELEASE, keys="age", target="income", counts=("w", None))
    assert found.identical(disclosure_protection(repeated, RELEASE, keys="age", target="income"))


def test_records_with_weights_are_their_sum() -> None:
    weighted = {**PEOPLE, "w": [1.5, 2, 3, 1]}
    assert disclosure_protection(weighted, RELEASE, keys="age", target="income", weights=("w", None)).records.item() == 7.5


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match=r'`unmatched` must be "zero" .*, "drop" .* or "nearest" .*; got .CAP.'):
        disclosure_protection(PEOPLE, RELEASE, keys="age", target="income", unmatched="CAP")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`unmatched` must be"):
        disclosure_protection(PEOPLE, RELEASE, keys="age", target="income", unmatched=["drop"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`unmatched` must be"):  # before a file is read
        disclosure_protection("absent.csv", RELEASE, keys="age", target="income", unmatched="CAP")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`synthetic` is missing"):
        disclosure_protection(PEOPLE, None, keys="age", target="income")
    with pytest.raises(ValueError, match="both a key and the target"):
        disclosure_protection(PEOPLE, RELEASE, keys="age", target="age")
    with pytest.raises(ValueError, match="must hold integers, because a standard error needs numbers of records"):
        disclosure_protection(
            {**PEOPLE, "w": [0.5, 1, 1, 1]}, RELEASE, keys="age", target="income", counts=("w", None, None), holdout=PEOPLE
        )


@pytest.mark.parametrize("case", METRICS, ids=lambda case: case["name"])
def test_numbers_of_sdmetrics_are_as_it_prints_them(case: dict[str, Any]) -> None:
    t = tabulate(case["original"], case["synthetic"], keys=case["known"], target=case["sensitive"])
    found = as_sdmetrics(t)
    protection = found["DisclosureProtection"]
    ours = {"CategoricalCAP": found["CategoricalCAP"], "CategoricalZeroCAP": found["CategoricalZeroCAP"]}
    ours["baseline_protection"] = protection["cap"]["baseline_protection"]
    for method in protection:
        ours |= {f"{method}: {name}": value for name, value in protection[method].items()}
    compared = ours.keys() & case.keys()
    assert len(compared) >= 5
    for name in compared:
        np.testing.assert_allclose(ours[name], np.nan if case[name] is None else case[name], rtol=0, atol=1e-12, err_msg=name)
    assert found["CategoricalGeneralizedCAP"] == pytest.approx(1 - average_cap(t.o, t.s, unmatched="nearest").item())
