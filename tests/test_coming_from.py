"""The concordance tables of the pages for users of other packages: every call of ours runs, and gives the number that the row says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from public_names import public_names
from sklearn.tree import DecisionTreeClassifier

import capstats
from capstats.datasets import anes96

PAGES = Path(__file__).parents[1] / "docs" / "coming-from"
NAMES = sorted(path.stem for path in PAGES.glob("*.md") if path.stem not in {"index", "concordance"})
REFERENCE = Path(__file__).parent / "reference"


def rows(page: str) -> list[tuple[str, str, str]]:
    """Their name, our call and the remark of each row of the tables whose second column is ours."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        lines = [[cell.strip() for cell in line.strip(" |").split(" | ")] for line in block.splitlines()]
        if len(lines[0]) == 3 and lines[0][1] == "capstats":
            found += [(theirs, ours, remark) for theirs, ours, remark in lines[2:]]
    return found


def calls(ours: str) -> list[str]:
    return [] if ours.startswith(("not provided", "none")) else re.findall(r"`([^`]+)`", ours)


def namespace() -> dict[str, Any]:
    """What the pages say a call may use."""
    people = anes96().sample(frac=1, random_state=1).reset_index(drop=True).assign(weight=1.0)  # as the pages do
    original, holdout = people[:600], people[600:]
    synthetic = original.sample(frac=1, replace=True, random_state=1)
    keys, target = ["educ", "PID"], "vote"
    tables = capstats.tabulate(original, synthetic, keys=keys, target=target, holdout=holdout)
    names: dict[str, Any] = {name: getattr(capstats, name) for name in dir(capstats)}
    names |= {"capstats": capstats, "np": np, "keys": keys, "target": target, "tables": tables, "holdout": holdout}
    names["register"] = capstats.tabulate(people, original, keys=keys, target=None)
    names["homes"] = capstats.tabulate(original.assign(home=original.index // 3), keys=keys, target="home", weights="weight")
    names["weighted"] = capstats.tabulate(original, keys=keys, target=target, weights="weight")
    names |= {"o": tables.o, "s": tables.s, "h": tables.h, "n": tables.o.sum(), "sizes": capstats.anonymity.class_sizes(tables.s)}
    names |= {"estimator": DecisionTreeClassifier(), "columns": ["selfLR", "PID", "educ", "income", "vote"]}
    for original_name in ("original", "real_data", "ods", "ori", "data"):
        names[original_name] = original
    for synthetic_name in ("synthetic", "synthetic_data", "sds", "syn", "anonymised", "released"):
        names[synthetic_name] = synthetic
    scores = capstats.peers.disclosure_protection
    ways: tuple[Any, ...] = ("drop", "zero", "nearest")
    names["dp"] = {way: scores(original, synthetic, keys=keys, target=target, unmatched=way) for way in ways}
    return names | {"control": holdout, "pair": (original, synthetic), "given": {"keys": keys, "target": target}}


@pytest.fixture(scope="module")
def given() -> dict[str, Any]:
    return namespace()


@pytest.mark.parametrize("page", NAMES)
def test_every_call_in_a_table_is_public_and_runs(page, given):
    public = set(public_names()) | {f"capstats.{name}" for name in capstats.__all__}
    table = rows(page)
    assert len(table) >= 5, f"no concordance table on {page}.md"
    for theirs, ours, _ in table:
        assert ours.startswith(("not provided", "none")) or calls(ours), f"no call in the row of {theirs}"
        for call in calls(ours):
            names = {f"capstats.{name}" for name in re.findall(r"(?<![\w.)\"])((?![nso]p?\.)(?:[a-z]+\.)?[a-z_]+)\(", call)}
            assert names <= public, f"{names - public} in the row of {theirs}"
            eval(call, dict(given))


@pytest.mark.parametrize("page", NAMES)
def test_a_row_says_whether_the_number_is_the_same(page):
    for theirs, _, remark in rows(page):
        assert re.match(r"(yes|no|the same|see)\b", remark), f"{theirs}: {remark}"


def tables_of(case: dict[str, Any]) -> Any:
    if "o" in case:
        return capstats.from_counts(case["o"], case["s"])
    original, synthetic = (pd.DataFrame(case[side]) for side in ("original", "synthetic"))
    return capstats.tabulate(original, synthetic, keys=case["keys"], target=case["target"])


def test_the_calls_give_the_numbers_of_synthpop():
    """Rows that say yes, on the recorded cases without options."""
    cases = [case for case in json.loads((REFERENCE / "synthpop_disclosure.json").read_text())["cases"] if "options" not in case]
    agreed = {theirs.strip("`"): calls(ours)[0] for theirs, ours, remark in rows("synthpop") if re.match("yes", remark)}
    agreed = {name: call for name, call in agreed.items() if name in cases[0]["1.9-2"]}
    assert set(agreed) >= {"UiO", "repU", "iS", "DiS", "DiSCO", "DiSDiO", "Dorig", "Dsyn", "baseCAPd", "CAPd", "CAPs", "DCAP", "TCAP"}
    for case in cases:
        tables = tables_of(case)
        names = namespace_of(tables)
        for name, call in agreed.items():
            expected = case["1.9-2"][name]
            found = float(eval(call, names))
            if name == "DiSDiO" and np.isnan(found):  # nobody is matched
                found = 0.0
            assert found == pytest.approx(np.nan if expected is None else expected, rel=1e-12, nan_ok=True), (case["name"], name)


def test_the_calls_give_the_numbers_of_riskutility():
    """Rows that say yes against `as_riskutility`, which tests/peers/test_riskutility.py holds against the definitions."""
    agreed = {theirs.strip("`"): calls(ours)[0] for theirs, ours, remark in rows("riskutility") if re.match("yes", remark)}
    for o, s in (([[3, 2, 1], [1, 0, 0]], [[2, 1, 0], [0, 1, 0]]), ([[4, 0, 2], [1, 3, 2]], [[3, 0, 1], [0, 2, 1]])):
        tables = capstats.from_counts(o, s)
        expected = capstats.peers.as_riskutility(tables)
        assert len(agreed.keys() & expected.keys()) == 10
        for name in agreed.keys() & expected.keys():
            assert float(eval(agreed[name], namespace_of(tables))) == pytest.approx(expected[name], rel=1e-12), name


def namespace_of(tables: Any) -> dict[str, Any]:
    names: dict[str, Any] = {name: getattr(capstats, name) for name in dir(capstats)}
    return names | {"tables": tables, "o": tables.o, "s": tables.s, "n": tables.o.sum()}


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # two cases are about it
def test_the_calls_give_the_numbers_of_sdmetrics():
    """Rows of the direct classes, on the recorded cases without missing values."""
    cases = json.loads((REFERENCE / "sdmetrics_cap.json").read_text())["cases"]
    agreed = {theirs.strip("`").removesuffix(".compute"): calls(ours)[0] for theirs, ours, _ in rows("sdmetrics")}
    compared = 0
    for case in cases:
        original, synthetic = (pd.DataFrame(case[side]) for side in ("original", "synthetic"))
        tables = capstats.tabulate(original, synthetic, keys=case["known"], target=case["sensitive"])
        for name in ("CategoricalCAP", "CategoricalZeroCAP", "CategoricalGeneralizedCAP"):
            if name in case:
                found = float(eval(agreed[name], namespace_of(tables)))
                assert found == pytest.approx(np.nan if case[name] is None else case[name], abs=1e-12, nan_ok=True), (case["name"], name)
                compared += 1
    assert compared > 30


def test_attack_rates_of_anonymeter_are_average_cap_with_the_nearest_keys():
    """Means over 300 runs, which are within four standard errors of the formula; its baseline, which is at fault, is far from it."""
    reference = json.loads((REFERENCE / "anonymeter_attacks.json").read_text())
    people = anes96().sample(frac=1, random_state=1)
    ori, control = people[:600], people[600:]
    syn = ori.sample(frac=1, replace=True, random_state=2)
    names = namespace_of(capstats.tabulate(ori, syn, keys=["educ", "PID"], target="vote", holdout=control))
    names["h"] = names["tables"].h
    agreed = {theirs: calls(ours)[0] for theirs, ours, _ in rows("anonymeter") if calls(ours)}
    for name, theirs in {
        "attack_rate": "`InferenceEvaluator`, `results().attack_rate`",
        "control_rate": "`InferenceEvaluator`, `results().control_rate`",
        "risk": "`InferenceEvaluator`, `risk()`",
    }.items():
        found = float(eval(agreed[theirs], names))
        assert abs(found - reference[name]) < 4 * reference["standard errors"][name], name
    assert float(eval(agreed["`InferenceEvaluator`, `results().baseline_rate`"], names)) > reference["baseline_rate"] + 0.2


def test_the_calls_give_the_class_sizes_and_risks_of_sdcmicro():
    reference = json.loads((REFERENCE / "identity_risk.json").read_text())["sdcMicro"]
    people = pd.DataFrame(reference["columns"]).assign(target="any", weight=reference["weight"])
    keys = list(reference["columns"])
    found = capstats.disclosure.record_risk(people, people, allow_same=True, keys=keys, target="target")
    assert found["key_records"].tolist() == reference["fk"]
    assert (1 / found["key_records"]).tolist() == reference["unweighted rk"]
    table = capstats.tabulate(people, keys=keys, target="target", weights="weight").o.sum("target")
    by_record = {tuple(row): size for row, size in zip(people[keys].to_numpy().tolist(), reference["Fk"], strict=True)}
    assert table.to_series().to_dict() == by_record
    risks = capstats.anonymity.marketer_risk(capstats.tabulate(people, keys=keys, target="target").o)
    assert float(risks) == pytest.approx(np.mean(reference["unweighted rk"]))


def test_the_calls_give_the_prosecutor_risks_of_arx():
    reference = json.loads((REFERENCE / "identity_risk.json").read_text())["ARX"]
    table = [reference["class sizes"]]
    risk = capstats.anonymity.prosecutor_risk(table)
    assert (float(risk.max()), float(risk.min())) == (reference["highest"], reference["lowest"])
    assert float(capstats.anonymity.marketer_risk(table)) == reference["average"]
    sizes = capstats.anonymity.class_sizes(table)
    assert (
        float(sizes.records.where(1 / sizes["size"] > reference["threshold"]).sum() / sizes.records.sum()) == reference["records at risk"]
    )


def test_the_calls_give_the_numbers_of_arx_with_a_population_table():
    agreed = {theirs: calls(ours + remark) for theirs, ours, remark in rows("arx") if "register" in ours}
    for case in json.loads((REFERENCE / "arx_population.json").read_text())["cases"]:
        register, arx = capstats.from_counts([case["population"]], [case["sample"]]), case["ARX"]
        shares = [f / people for f, people in zip(case["sample"], case["population"], strict=True) if people]
        names = namespace_of(register) | {"register": register, "o": register.s.rename("o")}
        for theirs, expected in {
            "`KMap(k, significance)` with a population table": [case["exact"]["k_map"]],
            "`DPresence(dMin, dMax)`": [min(shares), max(shares)],
            "`getJournalistRisk()`, `getHighestRisk()` with a population table": [arx["journalist_highest"], arx["journalist_lowest"]],
            "`getMarketerRisk()` with a population table": [arx["marketer"]],
        }.items():
            assert [eval(call, names).min().item() for call in agreed[theirs]] == pytest.approx(expected, rel=1e-12), (case["name"], theirs)


def test_concordance_calls_public_functions():
    rows = [
        line.split(" | ")
        for line in (PAGES / "concordance.md").read_text(encoding="utf-8").partition("\n## ")[0].splitlines()
        if line.startswith("| ")
    ]
    for package, _, _, call, _ in rows[1:]:
        if call.startswith("not provided, because "):
            continue
        names = {f"capstats.{name}" for name in re.findall(r"(?<![\w.)])((?![nso]p?\.)(?:[a-z]+\.)?[a-z_]+)\(", call)}
        assert names, f"no call in the row of {package}: {call}"
        assert names <= set(public_names()), f"{names - set(public_names())} in the row of {package}"
