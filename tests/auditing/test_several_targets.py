"""An audit of many targets has the numbers of their own audits, and puts the worst first."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from capstats import audit, audit_targets
from capstats.auditing.measures import OF_TARGET

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

RECORDS = ("records_above_nine_tenths", "share_above_nine_tenths", "records_certain", "share_certain")
OF_AUDIT = ("average_cap_nearest", "average_cap_zero", "baseline", "original_cap", *RECORDS)


def people(seed: int, n: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 60, n), "sex": rng.choice(["f", "m"], n), "town": rng.choice(["a", "b", None], n)})
    frame["income"] = np.where(frame.age > 40, "high", "low")  # follows from a key
    frame["health"] = rng.choice(["well", "ill"], n, p=[0.9, 0.1])
    frame["vote"] = rng.choice(["x", "y", None], n)
    return frame


ORIGINAL, RELEASE, OTHER = people(0), people(1), people(2)
ASKED: dict[str, Any] = {"keys": ["age", "sex"], "bins": {"age": 4}}
TARGETS = ["town", "income", "health", "vote"]


def check(found: Any, original: Any, synthetic: Any, **options: Any) -> None:
    """Every number is that of the target's own audit."""
    for name in found.measures.indexes["target_column"]:
        own = audit(original, synthetic, target=name, **{**ASKED, **options}).measures
        row = found.measures.sel(target_column=name)
        for measure in OF_AUDIT:
            np.testing.assert_allclose(np.broadcast_to(own[measure].values, row[measure].shape), row[measure].values, rtol=1e-12)


@pytest.mark.parametrize("missing", ["level", "drop"])
def test_the_numbers_are_those_of_separate_audits(missing: Any) -> None:
    found = audit_targets(ORIGINAL, RELEASE, targets=TARGETS, missing=missing, **ASKED)
    assert list(found.measures.indexes["target_column"]) == TARGETS
    check(found, ORIGINAL, RELEASE, missing=missing)


def test_several_releases_have_a_row_each() -> None:
    releases = {"one": RELEASE, "two": OTHER}
    found = audit_targets(ORIGINAL, releases, targets=TARGETS, **ASKED)
    check(found, ORIGINAL, releases)
    assert len(found.to_frame()) == 8
    assert set(found.to_frame().index.names) == {"target_column", "synthetic"}


@pytest.mark.parametrize("door", ["csv", "parquet", "polars", "relation"])
def test_every_kind_of_table_gives_the_same(tmp_path: Path, door: str) -> None:
    connection, tables = duckdb.connect(), []
    for name, frame in (("o", ORIGINAL), ("s", RELEASE)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frame.to_parquet(tmp_path / f"{name}.parquet")
        files = {x: tmp_path / f"{name}.{x}" for x in ("csv", "parquet")}
        tables.append({**files, "polars": pl.from_pandas(frame), "relation": connection.from_df(frame)}[door])
    expected = audit_targets(ORIGINAL, RELEASE, targets=TARGETS, **ASKED).to_frame()
    pd.testing.assert_frame_equal(audit_targets(*tables, targets=TARGETS, **ASKED).to_frame(), expected)


def test_weights_and_numbers_of_records_are_used() -> None:
    rng = np.random.default_rng(5)
    o, s = (
        ORIGINAL.assign(w=rng.random(len(ORIGINAL)), n=rng.integers(1, 4, len(ORIGINAL))),
        RELEASE.assign(w=rng.random(len(RELEASE)), n=1),
    )
    weighted = audit_targets(o.drop(columns="n"), s.drop(columns="n"), weights="w", **ASKED)
    assert set(weighted.measures.indexes["target_column"]) == set(TARGETS)  # the weights are no target
    check(weighted, o, s, weights="w")
    check(audit_targets(o.drop(columns="w"), s.drop(columns="w"), counts="n", **ASKED), o, s, counts="n")


def test_the_excess_is_what_a_loop_over_records_finds() -> None:
    o = {"k": [1, 1, 2, 2, 2], "t": ["a", "b", "a", "a", "b"], "u": ["c", "c", "c", "c", "d"]}
    s = {"k": [1, 2, 2, 2, 2], "t": ["a", "a", "a", "b", "b"], "u": ["c", "c", "c", "c", "c"]}
    found = audit_targets(o, s, keys="k").measures
    for name in ("t", "u"):
        right, base, itself = [], [], []
        for key, target in zip(o["k"], o[name], strict=True):
            same = [t for k, t in zip(s["k"], s[name], strict=True) if k == key]
            real = [t for k, t in zip(o["k"], o[name], strict=True) if k == key]
            right.append(same.count(target) / len(same))
            itself.append(real.count(target) / len(real))
            base.append(o[name].count(target) / 5)
        cap, baseline, original = (sum(x) / 5 for x in (right, base, itself))
        row = found.sel(target_column=name)
        assert row.levels == 2
        assert row.average_cap_zero.item() == pytest.approx(cap)
        assert row.baseline_excess.item() == pytest.approx((cap - baseline) / (1 - baseline))
        assert row.normalized_cap.item() == pytest.approx((cap - baseline) / (original - baseline))


def test_the_worst_target_has_the_greatest_excess_and_of_equals_more_people() -> None:
    """t is told with certainty, u never better than its frequencies, and v of 99 percent one level has a high average CAP for no reason."""
    n = 200
    o = {"k": ["a", "b"] * 100, "v": ["x"] * (n - 2) + ["y"] * 2, "u": ["p", "p", "q", "q"] * 50, "t": ["r", "s"] * 100}
    found = audit_targets(o, o, keys="k", allow_same=True)
    assert found.to_frame().index.tolist()[0] == "t"
    frame = found.to_frame()
    assert frame.average_cap_zero["v"] > 0.9 > frame.average_cap_zero["u"]
    excess = (frame.average_cap_zero - frame.baseline) / (1 - frame.baseline)
    assert frame.baseline_excess.tolist() == pytest.approx(excess.tolist())
    assert (np.diff(np.round(frame.baseline_excess, 9)) <= 0).all()
    copies = {**o, "again": o["t"]}
    assert audit_targets(copies, copies, keys="k", allow_same=True).to_frame().index.tolist()[:2] == ["t", "again"]  # as given


def test_records_that_one_target_leaves_out_are_read_all_the_same() -> None:
    """Half the records lack the last target; the others are told of all of them."""
    original, release = (people(seed).assign(vote=["x", None] * 60) for seed in (0, 1))
    found = audit_targets(original, {"a": release, "b": release[:30]}, targets=["income", "vote"], missing="drop", holdout=OTHER, **ASKED)
    said = " ".join(str(found).split())
    assert "original 120 records synthetic a, 120 records b, 30 records holdout 120 records" in said
    assert "records with a missing value in a key or in the target are left out" in said
    assert [found.provenance[f"{name}_records"] for name in ("original", "synthetic", "holdout")] == [120, [120, 30], 120]


def test_records_with_weights_are_not_drawn_at_random_and_are_no_people() -> None:
    both = [table.assign(w=np.arange(120) % 3 + 0.5) for table in (ORIGINAL, RELEASE)]
    found = audit_targets(*both, targets="income", weights="w", **ASKED)
    said = " ".join(str(found).split())
    assert "with the same keys with a probability in proportion to its sampling weight, and takes" in said
    assert "weighted share of the records in the original for whom" in said
    assert "Of equal ones, that with more records guessed right" in said
    assert found.to_dict()["meanings"]["records_certain"]["meaning"] == "records for whom it is right with certainty"
    assert "at random" in str(audit_targets(ORIGINAL, RELEASE, targets="income", **ASKED))


def test_all_leaves_out_what_is_no_target_and_says_why() -> None:
    n = 1200
    rng = np.random.default_rng(0)
    common = {"sex": rng.choice(["f", "m"], n), "one": ["x"] * n, "id": [f"p{i}" for i in range(n)], "vote": rng.choice(["a", "b"], n)}
    o = {**common, "income": rng.normal(size=n), "own": [1, 2] * (n // 2), "kind": [1, 2] * (n // 2), "apart": ["u", "v"] * (n // 2)}
    s = {
        **common,
        "income": rng.normal(size=n),
        "sex": rng.choice(["f", "m"], n),
        "kind": ["a", "b"] * (n // 2),
        "apart": ["U", "w"] * (n // 2),
    }
    found = audit_targets(o, s, keys="sex")
    assert list(found.measures.indexes["target_column"]) == ["vote"]
    assert set(found.left_out) == {"one", "id", "income", "own", "kind", "apart"}
    assert found.left_out["one"] == "it has one level"
    assert "identifier" in found.left_out["id"]
    assert found.left_out["income"] == "it has 1,200 levels, more than 1,000; cut it with `bins` to have it here"
    assert found.left_out["own"] == "`synthetic` lacks it"
    assert "number labels" in found.left_out["kind"]
    assert "no level in common" in found.left_out["apart"]
    assert "own" in str(found)
    cut = audit_targets(o, s, keys="sex", bins={"income": 5}, types={"id": "text"})
    assert set(cut.measures.indexes["target_column"]) == {"vote", "income"}
    loose = audit_targets(o, s, keys="sex", allow_no_match=True)
    assert loose.measures.average_cap_zero.sel(target_column="apart") == 0


def test_the_levels_of_a_target_are_those_that_people_have() -> None:
    found = audit_targets({"k": [1, 1, 2], "t": [*"aab"]}, {"k": [1, 2, 2], "t": [*"abc"]}, keys="k", targets=["t"])
    assert found.measures.levels.values.tolist() == [2]


def test_a_named_target_that_does_not_match_is_an_error() -> None:
    o, s = {"k": [1, 2], "t": ["a", "b"], "u": [1, 2]}, {"k": [1, 1], "t": ["A", "B"], "u": ["x", "y"]}
    with pytest.raises(ValueError, match="Column 't' has no level in common"):
        audit_targets(o, s, keys="k", targets="t")
    with pytest.raises(TypeError, match="Column 'u' holds number labels"):
        audit_targets(o, s, keys="k", targets="u")
    with pytest.raises(ValueError, match="Column 'k' has no level in common"):
        audit_targets({"k": [1, 2], "t": ["a", "b"]}, {"k": [3, 4], "t": ["a", "b"]}, keys="k")
    with pytest.raises(ValueError, match="`targets` must name at least one column"):
        audit_targets(o, s, keys="k", targets=[])
    with pytest.raises(ValueError, match="No column is fit for a target; x: it has one level"):
        audit_targets({"k": [1, 2], "x": [1, 1]}, {"k": [1, 2], "x": [1, 1]}, keys="k")
    with pytest.raises(ValueError, match="hold the same records"):
        audit_targets(ORIGINAL, ORIGINAL.copy(), keys="sex")


def test_a_column_may_be_called_all() -> None:
    o, s = ({"k": [1, 2, 1, 2], "all": x, "t": [1, 1, 2, 2]} for x in (["a", "b", "a", "b"], ["a", "b", "b", "b"]))
    assert list(audit_targets(o, s, keys="k", targets=["all"]).measures.indexes["target_column"]) == ["all"]


def test_a_target_that_is_always_right_has_an_undefined_excess_and_comes_last() -> None:
    o, s = {"k": [1, 2, 1], "t": ["a", "a", "a"], "u": [1, 2, 1]}, {"k": [1, 2, 2], "t": ["a", "a", "a"], "u": [1, 2, 2]}
    found = audit_targets(o, s, keys="k", targets=["t", "u"])
    assert found.to_frame().index.tolist() == ["u", "t"]
    assert found.to_dict()["targets"][1]["baseline_excess"] is None
    assert "undefined" in str(found)


def test_json_and_page_hold_every_target(tmp_path: Path) -> None:
    found = audit_targets(ORIGINAL, RELEASE, provenance={"seed": 1}, **ASKED)
    held = json.loads(found.to_json())
    assert [row["target_column"] for row in held["targets"]] == found.to_frame().index.tolist()
    assert set(held["targets"][0]) == {"target_column", *OF_TARGET}
    assert held["provenance"]["seed"] == 1
    path = tmp_path / "page.html"
    page = found.to_html(path)
    assert all(f'<th scope="row">{name}</th>' in page or name in page for name in TARGETS)
    assert path.read_text(encoding="utf-8") == page
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Content-Security-Policy" in page
    assert "capstats.audit(original, synthetic, keys=[&#39;age&#39;, &#39;sex&#39;]" in page
    assert "bins={&#39;age&#39;: 4}" in page
    assert "income" in found._repr_html_()


def test_codes_that_look_missing_are_a_warning_once() -> None:
    o, s = (frame.assign(code=[1, 2, -99] * 40, sex=[0, 1, 2, -9] * 30) for frame in (ORIGINAL, RELEASE))
    found = audit_targets(o, s, keys="sex", targets=["code", "vote"])
    assert [text.split(" holds")[0] for text in found.provenance["warnings"]] == ["Column 'sex'", "Column 'code'"]
    assert str(found).count("Column 'sex' holds") == 1
