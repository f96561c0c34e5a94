"""Files of counts: what is written is read again to the last bit, by its owner alone, and what was changed is found."""

from __future__ import annotations

import datetime as dt
import os
import re
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import capstats
from capstats import MISSING, LevelsWarning, from_counts, read_counts, tabulate, write_counts
from capstats.tables.counts_files import COMMENT, is_counts

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # random tables have other levels
endings = pytest.mark.parametrize("ending", ["parquet", "csv", "json"])

TEXTS = ["", "a", "A", "=1+1", "'=1+1", "b;=c", 'q"u,o\nte', " x ", "ä☃", "-5", "null", "NaN", "_", "@x", "\\u003d", "1"]
LABELS = {
    "text": st.sampled_from(TEXTS),
    "whole": st.sampled_from([0, 1, -5, 2**53 + 1, 2**62]),
    "large": st.sampled_from([1, 2**63 + 5, -(2**70)]),
    "fraction": st.sampled_from([0.1, -1e-7, 1e20, np.inf, -np.inf, 3.0, 1e16]),
    "mixed": st.sampled_from([2**60, 0.5, 2]),
    "bool": st.booleans(),
    "date": st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)),
    "time": st.sampled_from(list(map(pd.Timestamp, ["2020-01-01 10:00:00.000001", "1900-01-01", "2020-01-01 00:00:00.000000001"]))),
    "zone": st.sampled_from([pd.Timestamp("2020-01-01", tz="UTC"), pd.Timestamp("2021-06-01 12:00", tz="UTC")]),
    "duration": st.sampled_from([pd.Timedelta(1), pd.Timedelta("3 days 2 hours")]),
    "none": st.none(),
}  # fmt: skip


@st.composite
def datasets(draw: Any) -> xr.Dataset:
    """Tables whose keys and targets have labels of any kind, in any order, with any dims before them."""
    columns: dict[str, list[list[Any]]] = {}
    shape = []
    for dim in ("target", "key"):
        kinds = draw(st.lists(st.sampled_from(sorted(LABELS)), min_size=1, max_size=3))
        label = st.tuples(*(st.one_of(LABELS[kind], st.none()) for kind in kinds))
        rows = draw(st.lists(label, min_size=1, max_size=6, unique=True))
        shape.append(len(rows))
        columns[dim] = {f"{dim[0]}{i} {kind}": list(x) for (i, kind), x in zip(enumerate(kinds), zip(*rows, strict=True), strict=True)}
    numbers = st.integers(0, 2**50) if draw(st.booleans()) else st.sampled_from([0.1, 1.5, 1e-9, 2 / 3])
    cells = st.lists(st.one_of(st.just(0), numbers), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    o, *others = (np.array(draw(cells)).reshape(shape) for _ in range(4))
    o[0, 0], others[0][0, 0] = 1, 2
    s = draw(st.sampled_from([None, others[0], {"a": others[0], "b": others[0] + 1}, {1: others[0]}]))
    tables = from_counts(o, s, key_labels=columns["key"], target_labels=columns["target"])
    if draw(st.booleans()) and s is not None and not isinstance(s, dict):
        tables = tables.assign(s=(("draw", "target", "key"), np.stack(others)))
    return tables


@given(datasets(), st.sampled_from(["parquet", "csv", "json"]), st.sampled_from(["dense", "sparse"]))
@settings(deadline=None, max_examples=40, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read_again(tmp_path: Path, tables: xr.Dataset, ending: str, backing: Any) -> None:
    path = tmp_path / f"t.{ending}"
    write_counts(tables, path, overwrite=True)
    found = read_counts(path, backing=backing)
    for name, array in found.data_vars.items():
        assert isinstance(array.data, np.ndarray) == (backing == "dense")
        assert array.dtype == tables[name].dtype
        assert array.dims == tables[name].dims
        assert array.attrs == tables[name].attrs
        values = array.values if backing == "dense" else array.data.todense()
        assert np.array_equal(values, tables[name].values)
    assert found.attrs == tables.attrs
    assert backing == "sparse" or found.identical(tables)
    for dim in ("target", "key"):
        assert list(map(str, found.indexes[dim])) == list(map(str, tables.indexes[dim]))
        assert found.indexes[dim].dtype == tables.indexes[dim].dtype
    if backing == "dense" and "draw" not in tables.dims:
        assert repr(capstats.to_frame(found)) == repr(capstats.to_frame(tables))


RECORDS = {"age": [20, 30, None, 40], "born": [dt.date(2000, 1, i) for i in (1, 2, 3, 4)], "sick": ["no", "yes", "no", None]}


@endings
@pytest.mark.parametrize(
    "how",
    [
        {"bins": {"age": [25, 35]}},
        {"missing": "drop", "null_values": {"sick": ["no"]}},
        {"types": {"sick": ["yes", "no", "maybe"]}},
        {"weights": "age", "keys": "born"},
        {"counts": "age", "keys": "born"},
        {"backing": "sparse"},
    ],
    ids=str,
)
def test_everything_that_tabulate_says_is_kept(tmp_path: Path, ending: str, how: dict[str, Any]) -> None:
    records = {**RECORDS, "age": [20, 30, 10, 40]} if {"weights", "counts"} & set(how) else RECORDS
    keys = how.get("keys", ["age", "born"])
    given = {**how, "keys": keys}
    tables = tabulate(records, {"x": records, "y": records}, target="sick", holdout=records, **given)
    write_counts(tables, tmp_path / f"t.{ending}")
    found = read_counts(tmp_path / f"t.{ending}", backing=how.get("backing", "auto"))
    assert found.attrs == tables.attrs
    assert repr(found) == repr(tables)
    assert {name: array.attrs for name, array in found.data_vars.items()} == {name: array.attrs for name, array in tables.data_vars.items()}
    assert capstats.to_frame(found).equals(capstats.to_frame(tables))


def small(n: int = 1) -> xr.Dataset:
    return from_counts([[n, 2]], [[0, 3]], key_labels={"sex": ["f", "m"]})


@endings
def test_a_file_that_is_there_is_replaced_only_if_that_is_said(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    write_counts(small(), path)
    with pytest.raises(FileExistsError, match=r"is there. Give another path, or overwrite=True"):
        write_counts(small(2), path)
    assert read_counts(path).o.values.tolist() == [[1, 2]]
    write_counts(small(2), path, overwrite=True)
    assert read_counts(path).o.values.tolist() == [[2, 2]]
    assert list(tmp_path.iterdir()) == [path]
    assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(("path", "message"), [("t.xlsx", "must end in .parquet, .csv or .json"), ("link.csv", "is a symbolic link")])
def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(ValueError, match=message):
        write_counts(small(), tmp_path / path, overwrite=True)
    assert not (tmp_path / "elsewhere.csv").exists()


def test_what_is_no_table_of_counts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="`tables` must be the Dataset"):
        write_counts(small().o, tmp_path / "t.csv")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"`p` has the dims \('key',\)"):
        write_counts(small().assign(p=("key", [1, 2])), tmp_path / "t.csv")
    with pytest.raises(ValueError, match=r"Parquet cannot hold half of a pair of surrogates.* Write CSV or JSON"):
        write_counts(tabulate({"k": ["\ud800"], "t": ["x"]}, keys="k", target="t"), tmp_path / "half.parquet")
    assert not [*tmp_path.iterdir()]
    with pytest.raises(TypeError, match="Labels of the type Period cannot be written"):
        write_counts(from_counts([[1]], key_labels={"k": [pd.Period("2020")]}), tmp_path / "t.csv")
    with pytest.raises(TypeError, match="hold set, which cannot be written"):
        write_counts(small().assign_attrs(mine={1}), tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


@endings
def test_a_file_of_records_is_no_file_of_counts(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    frame = pd.DataFrame({"a": [1]})
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    assert not is_counts(path)
    with pytest.raises(ValueError, match=r"is no file of counts that capstats wrote. Give records, or a table of counts, to tabulate"):
        read_counts(path)


def test_a_file_that_is_not_there_is_said() -> None:
    assert not is_counts("absent.csv")
    with pytest.raises(FileNotFoundError):
        read_counts("absent.csv")


@endings
@pytest.mark.parametrize("cut", [False, True])
def test_every_change_of_a_file_is_found_or_changes_nothing(tmp_path: Path, ending: str, cut: bool) -> None:
    path = tmp_path / f"t.{ending}"
    write_counts(small(), path)
    whole = path.read_bytes()
    for i in range(0, len(whole), max(len(whole) // 40, 1)):
        path.write_bytes(whole[:i] if cut else whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :])
        try:
            found = read_counts(path)
            found.attrs["capstats"] = small().attrs["capstats"]  # which version counted is no part of what is protected
            same = found.identical(small())
        except ValueError as error:
            same = re.search("damaged|cannot be read|no file of counts|was written by", str(error)) is not None
        assert same, i


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_counts(small(), path)
    path.write_text(path.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(ValueError, match=r"was written by capstats \d.*Read it with that version, or a newer one"):
        read_counts(path)


def test_a_spreadsheet_runs_nothing_in_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    labels = ["=1+1", "'=1+1", "a;=2", "x", ""]
    write_counts(from_counts([[1] * 5], key_labels={"=k": labels}), path)
    comment, *lines = path.read_text().splitlines()
    assert comment.startswith(COMMENT)
    assert not any(part.strip(' "[{').startswith(("=", "+", "@")) for part in comment[len(COMMENT) :].replace(";", ",").split(","))
    assert [line.split(",")[0] for line in lines] == ["'=k", "'=1+1", "'=1+1_", "a;'=2", "x", "_"]
    assert read_counts(path).indexes["key"].get_level_values(0).tolist() == labels


def test_the_files_that_were_counted_travel_with_the_counts(tmp_path: Path) -> None:
    pd.DataFrame(RECORDS).to_csv(tmp_path / "o.csv", index=False)
    tables = tabulate(tmp_path / "o.csv", keys="age", target="sick", types={"age": "number"})
    write_counts(tables, tmp_path / "t.parquet")
    found = read_counts(tmp_path / "t.parquet").encoding
    assert {name: value for name, value in found.items() if name != "digests"} == tables.encoding
    assert found["original"] == str(tmp_path / "o.csv")


def test_levels_that_do_not_meet_travel_and_a_missing_value_is_the_one_of_the_library(tmp_path: Path) -> None:
    with pytest.warns(LevelsWarning):
        tables = tabulate({"k": ["a", None], "t": [1, 2]}, {"k": ["b", None], "t": [1, 2]}, keys="k", target="t")
    write_counts(tables, tmp_path / "t.parquet")
    found = read_counts(tmp_path / "t.parquet")
    assert found.attrs["levels"] == tables.attrs["levels"]
    assert found.indexes["key"].levels[0][-1] is MISSING
