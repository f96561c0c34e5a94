"""The numbers of synthpop's disclosure(), held against those that it prints."""

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from capstats import MISSING, from_counts, tabulate
from capstats.disclosure import exclude, share_replicated, share_unique
from capstats.peers import as_riskutility, as_sdmetrics, as_synthpop

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

REFERENCE = Path(__file__).parents[1] / "reference"
SYNTHPOP = json.loads((REFERENCE / "synthpop_disclosure.json").read_text(encoding="utf-8"))["cases"]
cases = pytest.mark.parametrize("case", SYNTHPOP, ids=lambda case: case["name"])


def tables(case):
    if "o" in case:
        return from_counts(case["o"], case["s"])
    return tabulate(case["original"], case["synthetic"], keys=case["keys"], target=case["target"])


@cache
def of_synthpop(name, version):
    """What `as_synthpop` gives for a case, once for all tests."""
    case = next(case for case in SYNTHPOP if case["name"] == name)
    return as_synthpop(tables(case), version, **case.get("options", {}))


def number(value):
    return np.nan if value is None else value


@cases
@pytest.mark.parametrize("version", ["1.9-2", "development"])
def test_numbers_of_synthpop_are_as_it_prints_them(case, version):
    found = of_synthpop(case["name"], version)
    assert set(case[version]) <= set(found)
    for name, value in case[version].items():
        np.testing.assert_allclose(found[name], number(value), rtol=0, atol=1e-10, err_msg=name)


def test_tcap_of_1_9_3_is_one_number_in_its_code_and_another_in_its_vignette():
    """The vignette's is 100 DiSCO / DiS, which "development" computes."""
    for case in json.loads((REFERENCE / "synthpop_1_9_3.json").read_text(encoding="utf-8"))["cases"]:
        found = as_synthpop(tables(case))
        assert {name: found[name] for name in case["allCAPs"]} == pytest.approx(case["allCAPs"], rel=1e-13)
        assert as_synthpop(tables(case), "development")["TCAP"] == pytest.approx(100 * case["DiSCO"] / case["DiS"], rel=1e-13)
        assert found["TCAP"] < 100 * case["DiSCO"] / case["DiS"]


@cases
def test_checks_and_exclusions_of_synthpop_are_as_it_prints_them(case):
    if "fault" in case and "original" in case:
        return  # these two have no checks of the corrected data
    found = of_synthpop(case["name"], "1.9-2")
    names = {"target_key_levs", "key"} if "o" in case else set()  # its labels are T1, K1, ...
    for check in ("check_1way", "check_2way"):
        rows = [{name: value for name, value in row.items() if name not in names} for row in case.get(check, [])]
        ours = [{name: value for name, value in row.items() if name not in names} for row in found[check]]
        assert ours == [pytest.approx(row) for row in rows]
    assert found.get("Nexclusions") == case.get("Nexclusions")


def test_a_level_that_one_table_lacks_does_not_hide_the_risk():
    """Where synthpop says 0 and 0: Its levels 2, ..., 13 are put in the order of text on one side only."""
    key = [i % 7 for i in range(60)]
    original = {"k": key, "t": [2 + (i * 5) % 12 if i % 3 else 2 + i % 7 for i in range(60)]}
    synthetic = {name: [x for x, t in zip(values, original["t"], strict=True) if t != 13] for name, values in original.items()}
    assert set(original["t"]) - set(synthetic["t"]) == {13}
    as_numbers = as_synthpop(tabulate(original, synthetic, keys="k", target="t"))
    as_text = [{name: [f"v{x:02}" for x in values] for name, values in table.items()} for table in (original, synthetic)]
    assert as_synthpop(tabulate(*as_text, keys="k", target="t"))["DCAP"] == as_numbers["DCAP"] > 0


def test_synthpop_creates_uniques_by_an_exclusion_and_we_do_not():
    case = next(case for case in SYNTHPOP if case["name"] == "denom1")
    t, plain = tables(case), as_synthpop(tables(case))
    assert as_synthpop(t, **case["options"])["UiO"] == 11.25 > plain["UiO"] == 7.5 == 100 * share_unique(t.o).item()
    assert as_synthpop(t, **case["options"])["TCAP"] > 100
    left = exclude(t, above=1)
    assert share_unique(t.o, counted=left.o_counted) <= share_unique(t.o)
    assert share_replicated(t.o, t.s, counted=left.o_counted) <= share_replicated(t.o, t.s)


def test_missing_keys_may_be_left_out_one_by_one():
    records = {"a": ["p", None, "p", None], "b": [1, 1, None, None], "t": ["x", "y", "x", "x"]}
    t = tabulate(records, records, keys=["a", "b"], target="t")
    excluded = {use: as_synthpop(t, usekeysNA=list(use))["Nexclusions"]["original"][2] for use in [(True, False), (False, True)]}
    assert excluded == {(True, False): 2, (False, True): 2}
    assert as_synthpop(t, usekeysNA=False)["Nexclusions"]["original"] == [0, 0, 3, 0, 0, 1]


def test_exclusions_from_one_table_alone_are_told():
    complete, gap = {"a": ["p", "q"], "t": ["x", "y"]}, {"a": ["p", None], "t": ["x", "y"]}
    for original, synthetic, excluded in ((gap, complete, (1, 0)), (complete, gap, (0, 1))):
        found = as_synthpop(tabulate(original, synthetic, keys="a", target="t"), usekeysNA=False)["Nexclusions"]
        assert (found["original"][2], found["synthetic"][2]) == excluded
    assert "Nexclusions" not in as_synthpop(tabulate(complete, complete, keys="a", target="t"), usekeysNA=False)


def test_a_key_that_predicts_the_target_is_told_in_numbers_and_percent():
    """Of 10 children 9 are single, and all children of the release."""
    t = from_counts([[3, 9], [3, 1]], [[1, 1], [1, 0]], key_labels={"age": ["adult", "child"]}, target_labels=["single", "not"])
    counts = {"npairs": 9, "key": "age", "key_target_total": 9, "key_total": 10}
    assert as_synthpop(t)["check_2way"] == [{"target_key_levs": "single|child", **counts, "PctTargetKeyLevel": pytest.approx(90)}]


def test_a_missing_level_goes_by_its_name_there():
    t = from_counts([[9, 2], [0, 2]], [[2, 1], [0, 1]], key_labels={"a": [None, "x"]}, target_labels=[None, "no"])
    found = as_synthpop(t, thresh_1way=(1, 50))
    assert [row["Level"] for row in found["check_1way"]] == ["Missing"]
    assert [row["target_key_levs"] for row in found["check_2way"]] == ["Missing|Missing"]
    pair = {"exclude_keys": "a", "exclude_keylevs": "Missing", "exclude_targetlevs": "Missing"}
    for excluded in ({"not_targetlev": "Missing"}, {"not_targetlev": ["Missing"]}, pair, pair | {"exclude_keylevs": MISSING}):
        assert as_synthpop(t, **excluded)["DiSCO"] == 0 < found["DiSCO"]
    called_so = from_counts([[3], [1]], [[1], [0]], key_labels={"a": ["x"]}, target_labels=[None, "Missing"])
    assert as_synthpop(called_so, not_targetlev="Missing")["Nexclusions"]["original"] == [1, 0, 0, 0, 0, 3]


def test_records_divided_by_none_are_infinite_as_in_r():
    """The one original record is disclosed; the two synthetic ones with its key are above the limit, and so the key is unmatched."""
    found = as_synthpop(from_counts([[1, 0]], [[2, 1]]), denom_lim=1, exclude_ov_denom_lim=True)
    assert (found["DiSCO"], found["iS"], found["TCAP"]) == (100, 100, np.inf)


def test_options_may_be_written_as_in_r():
    t = tables(next(case for case in SYNTHPOP if case["name"] == "not_targetlev"))
    assert as_synthpop(t, **{"not.targetlev": "A"}) == as_synthpop(t, not_targetlev="A")


def test_several_synthetic_tables_have_a_dictionary_each():
    rng = np.random.default_rng(81)
    o, s = rng.integers(0, 3, (3, 5)) + 1, rng.integers(0, 3, (2, 3, 5)) + np.eye(3, 5, dtype=int)
    labels = {"k": list("abcde")}
    several = from_counts(o, {"first": s[0], "second": s[1]}, key_labels=labels)
    for read in (as_synthpop, as_riskutility, as_sdmetrics):
        found = read(several)
        assert list(found) == ["first", "second"]
        assert repr(found["second"]) == repr(read(from_counts(o, s[1], key_labels=labels)))
        places = read(several.drop_vars("synthetic"))
        assert {place: repr(numbers) for place, numbers in places.items()} == {0: repr(found["first"]), 1: repr(found["second"])}


def test_what_synthpop_does_not_know_raises():
    t = from_counts([[1, 2]], [[1, 0]])
    with pytest.raises(ValueError, match=r"`version` must be \"1\.9-2\" or \"development\"; got '1\.8'"):
        as_synthpop(t, "1.8")
    with pytest.raises(ValueError, match="exclude_keys, exclude_keylevs and exclude_targetlevs belong together"):
        as_synthpop(t, exclude_keys="key_")
    with pytest.raises(ValueError, match=r"one entry each for every pair; got list of length 3"):
        as_synthpop(t, exclude_keys=["key_"], exclude_keylevs=[0, 1], exclude_targetlevs=[0])
    for use in ([True, False], None, "key_", [1]):
        with pytest.raises(ValueError, match=r"`usekeysNA` must be True or False, or one of them for each of the keys \['key_'\]; got"):
            as_synthpop(t, usekeysNA=use)
    for limits in (50, (50,), (50, 101), (-1, 50), ("a", 50), None):
        with pytest.raises(ValueError, match="`thresh_1way` must be a number of records and a percentage, such as"):
            as_synthpop(t, thresh_1way=limits)
    assert repr(as_synthpop(t, thresh_1way=(0, 50)))
    with pytest.raises(TypeError, match=r"'ngroups_target' is no option of disclosure\(\) that changes numbers"):
        as_synthpop(t, ngroups_target=3)
    for read in (as_synthpop, as_riskutility, as_sdmetrics):
        with pytest.raises(ValueError, match="`tables` has no `s`"):
            read(from_counts([[1, 2]]))
        with pytest.raises(TypeError, match="must be the Dataset that tabulate or from_counts returns"):
            read([[1, 2]])
    people = {"k": [1, 2], "t": [1, 2], "w": [2, 3]}
    for read in (as_synthpop, as_riskutility):
        with pytest.raises(ValueError, match="`s` has sampling weights, and the package counts records"):
            read(tabulate(people, people, keys="k", target="t", weights=(None, "w")))
        with pytest.raises(ValueError, match="`s` has fractional weights, and the package counts records"):
            read(from_counts([[1, 2]], [[0.5, 1]]))
        with pytest.raises(ValueError, match="`o` has no record"):
            read(t.assign(o=(t.o.dims, 0 * t.o.values)))


def test_of_several_tables_one_without_records_has_undefined_shares_as_in_r():
    found = as_synthpop(from_counts([[1]], [[[0]], [[1]]]))
    assert math.isnan(found[0]["CAPs"])
    assert math.isnan(found[0]["UiS"])
    assert (found[0]["DiSCO"], found[1]["CAPs"], found[1]["UiS"]) == (0, 100, 100)
