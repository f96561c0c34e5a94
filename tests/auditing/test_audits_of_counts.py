"""An audit, a sweep and a protection score of counts are those of the records that were counted."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import capstats
from capstats import audit, from_counts, merge_counts, read_counts, tabulate, write_counts
from capstats.disclosure import record_risk
from capstats.peers import disclosure_protection
from capstats.screening import sweep

# random tables have other levels
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]
NOT_KNOWN = "not known: the report was made from counts"


def records(seed: int, n: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(0, 6, n),
            "sex": rng.choice(["f", "m", None], n),
            "job": rng.choice(["a", "b", "c"], n),
            "ill": rng.choice(["no", "yes"], n),
            "w": rng.integers(1, 5, n),
        }
    )


CASES: list[tuple[Any, dict[str, Any]]] = [
    (records(2), {}),
    (records(2), {"holdout": records(3)}),
    ({"a": records(2), "b": records(4)}, {"holdout": records(3), "missing": "drop"}),
    (records(2), {"weights": "w", "holdout": records(3)}),
    (records(2), {"counts": "w", "bins": {"age": 3}, "null_values": {"job": "c"}}),
    ([records(2), records(5)], {"backing": "sparse"}),
]


def check_reports(found: Any, expected: Any) -> None:
    """The JSON and the text of counts are those of the records, but for the settings, of which counts have none."""
    first, second = json.loads(found.to_json()), json.loads(expected.to_json())
    assert first.pop("digest") != second.pop("digest")
    assert second["provenance"].pop("settings")
    assert first == second
    assert repr(found) == repr(expected)


@pytest.mark.parametrize(("synthetic", "how"), CASES)
def test_an_audit_of_counts_is_that_of_the_records(synthetic: Any, how: dict[str, Any]) -> None:
    given = {"keys": ["age", "sex", "job"], "target": "ill", **how}
    expected = audit(records(1), synthetic, **given)
    tables = tabulate(records(1), synthetic, **given, copy_columns=50)
    found = audit(tables)
    assert found.measures.identical(expected.measures)
    assert found.by_target.identical(expected.by_target)
    assert found.by_column.identical(expected.by_column)
    assert found.provenance.pop("same_records") == NOT_KNOWN
    check_reports(found, expected)
    assert found.to_html() == expected.to_html()


def test_counts_that_were_compared_as_records_give_the_very_report(tmp_path: Any) -> None:
    expected = audit(records(1), records(2), keys=["age", "sex"], target="ill")
    write_counts(expected.tables, tmp_path / "t.parquet")
    check_reports(audit(read_counts(tmp_path / "t.parquet")), expected)


def test_a_published_table_has_a_report_that_says_what_is_not_known() -> None:
    o, s = [[20, 5], [30, 45]], [[8, 7], [25, 60]]
    found = audit(from_counts(o, s, key_labels={"smoking": ["yes", "no"]}, target_labels={"health": ["sick", "healthy"]}))
    assert found.provenance["missing"] == found.provenance["same_records"] == NOT_KNOWN
    assert f"missing       {NOT_KNOWN}" in repr(found)
    assert found.measures.average_cap_zero.item() == capstats.average_cap(o, s).item()
    assert audit(from_counts(o, s)).measures.average_cap_zero.item() == capstats.average_cap(o, s).item()
    assert NOT_KNOWN in found.to_html()


def test_added_counts_have_a_report() -> None:
    parts = [tabulate(records(i), records(i + 10), keys="age", target="ill") for i in (1, 2)]
    whole = audit(pd.concat([records(1), records(2)]), pd.concat([records(11), records(12)]), keys="age", target="ill", copy_columns=0)
    assert audit(merge_counts(*parts)).measures.identical(whole.measures)


@pytest.mark.parametrize("call", [audit, sweep, disclosure_protection])
def test_what_was_chosen_when_counting_is_not_chosen_again(call: Any) -> None:
    tables = tabulate(records(1), records(2), keys=["age", "sex"], target="ill")
    with pytest.raises(TypeError, match=r"Counts bring their tables and columns: .* Leave out `keys`, `synthetic`, `missing`\."):
        call(tables, records(2), keys="age", missing="drop")
    with pytest.raises(ValueError, match="The counts have no `s`"):
        call(tables[["o"]])
    draws = tables.assign(s=(("draw", "target", "key"), np.stack([tables.s.values] * 2)))
    with pytest.raises(ValueError, match=r"`s` has the dims \('draw', 'target', 'key'\).*Choose one of \['draw'\]"):
        call(draws)
    with pytest.raises(TypeError, match="`tables` must be the Dataset"):
        call(xr.Dataset({"p": 1, "s": 2}))
    call(tables, progress=False)


@pytest.mark.parametrize("call", [tabulate, audit, disclosure_protection, record_risk])
def test_an_unknown_option_names_the_nearest_one(call: Any) -> None:
    with pytest.raises(TypeError, match=r"has no argument `tpyes`. Did you mean 'types'\?"):
        call(records(1), records(2), keys="age", target="ill", tpyes={})


def test_the_same_counts_of_mostly_unique_records_are_refused() -> None:
    people = {"id": list(range(20)), "ill": [0, 1] * 10}
    tables = tabulate(people, people, keys="id", target="ill")
    with pytest.raises(ValueError, match=r"`original` and `synthetic` have the same counts, most of them of one record. .*allow_same=True"):
        audit(tables)
    assert audit(tables, allow_same=True).measures.average_cap_zero.item() == 1


@pytest.mark.parametrize("synthetic", [records(2), {"a": records(2), "b": records(4)}])
def test_a_sweep_of_counts_is_that_of_the_records(synthetic: Any) -> None:
    keys = ["age", "sex", "job"]
    expected = sweep(records(1), synthetic, keys=keys, targets="ill")
    found = sweep(tabulate(records(1), synthetic, keys=keys, target="ill"))
    assert found.identical(expected)
    both = sweep(tabulate(records(1), synthetic, keys=keys, target=["ill", "w"]), sizes=2, limit=3)
    assert both.indexes["target_column"].tolist() == ["ill, w"]
    pair = tabulate(records(1), synthetic, keys=keys[:2], target=["ill", "w"])
    average = capstats.average_cap(pair, unmatched="nearest").values
    assert both.value.sel(keyset="age + sex", measure="average_cap").values[0] == pytest.approx(average)


def test_protection_of_counts_is_that_of_the_records() -> None:
    given = {"keys": ["age", "sex"], "target": "ill", "holdout": records(3)}
    expected = disclosure_protection(records(1), records(2), unmatched="zero", **given)
    assert disclosure_protection(tabulate(records(1), records(2), **given), unmatched="zero").identical(expected)


def test_what_needs_records_refuses_counts_and_says_why() -> None:
    tables = tabulate(records(1), records(2), keys="age", target="ill")
    for call in (lambda: record_risk(tables), lambda: capstats.attacks.maximum_knowledge(tables, records(2), columns=["age"])):
        with pytest.raises(TypeError, match=r"is a Dataset of counts, which do not say which record is which. Give the records"):
            call()


def test_what_is_known_of_records_is_not_told_of_other_counts() -> None:
    """xarray keeps ``encoding`` where counts are selected or replaced; in another order they are those of the same records."""
    tables = tabulate(records(2), records(4), keys=["age", "sex"], target="ill", copy_columns=9)
    assert "copied_people" in audit(tables[["s", "o"]].isel(key=slice(None, None, -1))).measures
    for other in (tables.isel(key=slice(1, None)), tables.assign(s=(tables.s.dims, tables.s.values[::-1] + tables.s.values))):
        found = audit(other)
        assert "copied_people" not in found.measures
        assert found.provenance["copies"] == found.provenance["same_records"] == NOT_KNOWN
