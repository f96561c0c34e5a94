"""Values of each key and of each record, in the caller's own kind of table."""

from collections import defaultdict

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from capstats import average_cap, tabulate
from capstats.disclosure import dio, dis, disco, key_summary, record_risk, share_replicated, share_unique
from capstats.sources.files import FileSource

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

ADDED = ["cap", "cap_nearest", "disclosed", "certain", "original_certain", "key_records", "key_synthetic_records", "unique", "replicated"]
KINDS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "mapping": lambda columns: columns,
}


def people(seed, n=40):
    rng = np.random.default_rng(seed)
    pick = lambda values: [values[k] for k in rng.integers(0, len(values), n)]  # noqa: E731
    return {"a": pick(["p", "q", "r", None]), "b": pick([10, 2, 7]), "t": pick(["x", "y", None])}


def expected(original, synthetic, keys=("a", "b"), *, near=True):
    """The added columns, one person after the other; those of the nearest keys compare each person with every synthetic key."""
    rows, others = ([tuple(row) for row in zip(*(table[c] for c in (*keys, "t")), strict=True)] for table in (original, synthetic))
    answers, peers = defaultdict(list), defaultdict(list)
    for *key, t in others:
        answers[tuple(key)].append(t)
    for *key, t in rows:
        peers[tuple(key)].append(t)
    found = []
    for *key, t in rows:
        said, own = answers.get(tuple(key), []), peers[tuple(key)]
        cap = said.count(t) / len(said) if said else 0.0
        apart = {other: sum(x != y for x, y in zip(key, other, strict=True)) for other in (answers if near else ())}
        nearest = [answer for other, d in apart.items() if d == min(apart.values()) for answer in answers[other]]
        found.append(
            (
                cap,
                nearest.count(t) / len(nearest) if near else None,
                cap == 1,
                len(set(said)) == 1,
                len(set(own)) == 1,
                len(own),
                len(said),
                len(own) == 1,
                len(own) == len(said) == 1,
            )
        )
    return dict(zip(ADDED, map(list, zip(*found, strict=True)), strict=True))


def columns_of(table):
    names = table.column_names if isinstance(table, pa.Table) else table.columns if isinstance(table, pl.DataFrame) else list(table)
    return {name: (table[name].to_pylist() if isinstance(table, pa.Table) else list(table[name])) for name in names}


# Records


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", ["pandas", "polars"])
def test_every_record_has_the_values_of_a_loop_over_people(kind, other):
    original, synthetic = people(1), people(2, 30)
    table = KINDS[kind](original)
    found = record_risk(table, KINDS[other](synthetic), keys=["a", "b"], target="t")
    assert type(found) is type(table)
    found = columns_of(found)
    assert list(found) == ["a", "b", "t", *ADDED]
    for name, values in expected(original, synthetic).items():
        assert found[name] == values, name


def test_a_pandas_frame_keeps_its_index_and_its_other_columns():
    frame = pd.DataFrame(people(1) | {"name": range(40)}, index=pd.Index(range(100, 140), name="id"))[::-1]
    found = record_risk(frame, people(2), keys="b", target="t")
    pd.testing.assert_frame_equal(found[frame.columns], frame)
    assert found["cap"].tolist() == expected(people(1), people(2), keys=("b",))["cap"][::-1]


def test_a_frame_of_narwhals_stays_one():
    found = record_risk(nw.from_native(pl.DataFrame(people(1))), people(2), keys="b", target="t")
    assert isinstance(found, nw.DataFrame)
    assert found["cap"].to_list() == expected(people(1), people(2), keys=("b",))["cap"]


def test_several_target_columns_are_guessed_together():
    original, synthetic = {"k": [0, 0], "t": ["x", "y"], "u": [1, 1]}, {"k": [0, 0], "t": ["x", "y"], "u": [1, 2]}
    assert record_risk(original, synthetic, keys="k", target=["t", "u"])["cap"].tolist() == [0.5, 0]


def test_records_average_to_the_measures():
    """Part 2 of theory/cap.md#record-risk."""
    original, synthetic = people(5, 70), people(6, 50)
    found = record_risk(original, synthetic, keys=["a", "b"], target="t")
    t = tabulate(original, synthetic, keys=["a", "b"], target="t")
    for name, measure in {
        "cap": average_cap(t.o, t.s),
        "cap_nearest": average_cap(t.o, t.s, unmatched="nearest"),
        "disclosed": disco(t.o, t.s),
        "certain": dis(t.o, t.s),
        "original_certain": dio(t.o),
        "unique": share_unique(t.o),
        "replicated": share_replicated(t.o, t.s),
    }.items():
        assert found[name].mean() == pytest.approx(measure.item(), rel=1e-14), name


def test_a_large_key_space_is_no_table_in_memory():
    """3,000 x 3,000 keys, of which few occur: the tables are sparse."""
    rng = np.random.default_rng(7)
    original, synthetic = (
        {"a": rng.integers(0, 3000, 9000), "b": rng.integers(0, 3000, 9000), "t": rng.integers(0, 2000, 9000)} for _ in "os"
    )
    synthetic["a"][:500], synthetic["b"][:500] = original["a"][:500], original["b"][:500]
    found = record_risk(original, synthetic, keys=["a", "b"], target="t")
    right = expected({c: v.tolist() for c, v in original.items()}, {c: v.tolist() for c, v in synthetic.items()}, near=False)
    assert found["cap"].tolist() == right["cap"]
    assert found["certain"].tolist() == right["certain"]


def test_tables_without_rows_raise_and_say_so():
    message = r"An answer for each record needs a table in memory, or a file; `original` is LazyFrame. Collect it"
    with pytest.raises(TypeError, match=message):
        record_risk(pl.DataFrame(people(1)).lazy(), people(2), keys="b", target="t")


def as_csv(columns):
    """Every field in quotes, but for missing values, which are empty fields."""
    quoted = [["" if x is None else '"' + str(x).replace('"', '""') + '"' for x in row] for row in zip(*columns.values(), strict=True)]
    return "\n".join([",".join(columns), *map(",".join, quoted), ""])


@pytest.mark.parametrize("ending", ["parquet", "csv", "feather", "csv in cp1252", "csv without DuckDB"])
def test_the_records_of_a_file_have_the_risks_that_they_have_in_memory_and_their_order(tmp_path, ending):
    original, synthetic = people(1, 3000), people(2, 3000)
    original["note"] = [f"person {i}, ä" for i in range(3000)]  # a column that is neither key nor target
    path = tmp_path / f"o.{ending.split()[0]}"
    options = {"encoding": "cp1252"} if "cp1252" in ending else {}
    if path.suffix == ".csv":
        end = "\r" if "without" in ending else "\n"  # DuckDB reads no file whose lines end with a carriage return
        path.write_bytes(as_csv(original).replace("\n", end).encode(options.get("encoding", "utf-8")))
        synthetic["b"] = list(map(str, synthetic["b"]))
    else:
        pl.DataFrame(original).write_parquet(path) if path.suffix == ".parquet" else pd.DataFrame(original).to_feather(path)
    found = record_risk(path, synthetic, keys=["a", "b"], target="t", **options)
    right = expected({c: list(map(str, v)) if path.suffix == ".csv" and c == "b" else v for c, v in original.items()}, synthetic)
    got = columns_of(found)
    assert list(got) == [*original, *ADDED]
    assert {c: got[c] for c in ADDED} == right
    assert got["note"] == original["note"]


@pytest.mark.parametrize("by", ["cap", "key_records"])
@pytest.mark.parametrize("missing", ["level", "drop"])
@pytest.mark.parametrize("ending", ["parquet", "csv", None])
def test_the_riskiest_few_are_the_first_of_all_and_of_a_file_the_only_ones_that_are_read(tmp_path, monkeypatch, ending, missing, by):
    original, synthetic = pd.DataFrame(people(1)), pd.DataFrame(people(2)).astype({"b": str})
    given = {"synthetic": synthetic, "keys": ["a", "b"], "target": "t", "sort_by": by, "missing": missing}
    original["b"] = original["b"].astype(str)
    table = original if ending is None else tmp_path / f"o.{ending}"
    if ending is not None:
        original.to_parquet(table) if ending == "parquet" else original.to_csv(table, index=False)
    whole, read, as_memory = record_risk(table, **given), [], FileSource.as_memory
    monkeypatch.setattr(FileSource, "as_memory", lambda *args: read.append(found := as_memory(*args)) or found)
    pd.testing.assert_frame_equal(record_risk(table, top=7, **given), whole.iloc[:7])
    assert [source.size for source in read] == ([] if ending is None else [7])
    with pytest.raises(ValueError, match="`top` must be a number of records"):
        record_risk(table, top=-1, **given)


def test_a_file_keeps_large_whole_numbers_beside_missing_ones_dates_and_texts(tmp_path):
    path = tmp_path / "o.parquet"
    days = [pd.Timestamp("2024-02-29"), None]
    pl.DataFrame({"k": ["x", "y"], "t": [1, 2], "id": [2**60 + 1, None], "day": days, "none": [None, "z"]}).write_parquet(path)
    found = record_risk(path, path, allow_same=True, keys="k", target="t")
    assert found["id"].tolist() == [2**60 + 1, pd.NA]
    assert found["day"].isna().tolist() == [False, True]
    assert found["day"][0] == pd.Timestamp("2024-02-29")
    assert found["none"].isna().tolist() == [True, False]


def test_dropped_records_are_left_out_and_the_rest_keeps_its_places():
    """Records 1 and 2 have no key or no target; of the two others, the release tells the first one's target alone."""
    original = pd.DataFrame({"k": ["x", None, "x", "y"], "t": ["p", "p", None, "q"], "id": [7, 8, 9, 10]})
    found = record_risk(original, {"k": ["x", "x", None], "t": ["p", None, "p"]}, keys="k", target="t", missing="drop")
    assert found.index.tolist() == [0, 3]
    assert found[["id", "cap", "key_synthetic_records"]].values.tolist() == [[7, 1, 1], [10, 0, 0]]


def test_rows_that_stand_for_several_records_are_counted_so():
    """Three original records share the key x: two of the first row, one of the second."""
    original = {"k": ["x", "x", "y"], "t": ["p", "q", "p"], "n": [2, 1, 1]}
    synthetic = {"k": ["x", "x", "y"], "t": ["p", "q", "p"], "n": [1, 3, 0]}
    found = record_risk(original, synthetic, keys="k", target="t", counts="n")
    assert found["cap"].tolist() == [0.25, 0.75, 0]
    assert found["key_records"].tolist() == [3, 3, 1]
    assert found["unique"].tolist() == [False, False, True]
    weighted = record_risk(original, synthetic, keys="k", target="t", weights="n")
    assert weighted["cap"].tolist() == found["cap"].tolist()
    assert "unique" not in weighted
    with pytest.raises(ValueError, match="`sort_by` is 'unique', which counts whole records"):
        record_risk(original, synthetic, keys="k", target="t", weights="n", sort_by="unique")


def test_the_reading_of_files_is_that_of_tabulate(tmp_path):
    """Decimal commas, texts that mean missing, and bins, in a file of another encoding: the mean is the average of the same counts."""
    rng = np.random.default_rng(5)
    names = []
    for name in "os":
        lines = [f'"{x / 10:.1f}";{town};{ill}'.replace(".", ",") for x, town, ill in zip(
            rng.integers(0, 99, 200), rng.choice(["Köln", "?", "Bonn"], 200), rng.choice(["ja", "nein"], 200), strict=True)]  # fmt: skip
        names.append(tmp_path / f"{name}.csv")
        names[-1].write_text("\n".join(["income;town;ill", *lines, ""]), encoding="cp1252")
    options = {"bins": {"income": 4}, "null_values": "?", "encoding": "cp1252", "decimal": ",", "missing": "drop"}
    tables = tabulate(*names, keys=["income", "town"], target="ill", **options)
    found = record_risk(*names, keys=["income", "town"], target="ill", sort_by="cap", **options)
    assert found["cap"].mean() == pytest.approx(average_cap(tables.o, tables.s).item(), rel=1e-12)
    assert len(found) == tables.o.sum() < 200
    assert found["income"].str.contains(",").all()


def test_an_attacked_file_may_be_synthetic(tmp_path):
    path = tmp_path / "o.parquet"
    pd.DataFrame(people(1)).to_parquet(path)
    found = record_risk(people(1), path, keys="b", target="t")
    assert found["cap"].tolist() == expected(people(1), people(1), keys=("b",))["cap"]


def test_one_synthetic_table_and_columns_that_are_free_are_needed():
    for synthetic in ([people(2), people(3)], {"first": people(2)}, None):
        with pytest.raises(ValueError, match="`synthetic` must be one table"):
            record_risk(people(1), synthetic, keys="b", target="t")
    with pytest.raises(ValueError, match=r"`original` already has a column 'cap', which the result would hide. Rename it"):
        record_risk(people(1) | {"cap": [1] * 40}, people(2), keys="b", target="t")
    with pytest.raises(ValueError, match="Column 'c' is not in `original`"):
        record_risk(people(1), people(2), keys="c", target="t")


# Keys


def test_a_summary_of_three_keys():
    # The first is pure in s and right for 3 of 4; the second is a tie; nobody has the third in s.
    found = key_summary([[3, 2, 1], [1, 2, 0]], [[1, 1, 0], [0, 1, 0]])
    assert found.records.values.tolist() == [4, 4, 1]
    assert found.synthetic_records.values.tolist() == [1, 2, 0]
    assert found.matched.values.tolist() == [True, True, False]
    np.testing.assert_array_equal(found.share, [1, 0.5, np.nan])
    assert found.certain.values.tolist() == [True, False, False]
    assert found.original_certain.values.tolist() == [False, False, True]
    assert found.correct.values.tolist() == [3, 2, 0]
    assert found.cap.values.tolist() == [0.75, 0.5, 0]
    assert found.disclosed.values.tolist() == [3, 0, 0]
    assert found.unique.values.tolist() == [False, False, True]
    assert found.replicated.values.tolist() == [False, False, False]


def test_keys_add_up_to_the_measures():
    """Part 1 of theory/cap.md#record-risk."""
    rng = np.random.default_rng(71)
    for _ in range(12):
        o, s = rng.integers(0, 3, (2, 3, 6)) * (rng.random((2, 3, 6)) < 0.6)
        o[0, 0] += 1
        found, n = key_summary(o, s), o.sum()
        assert found.correct.sum().item() / n == pytest.approx(average_cap(o, s).item(), rel=1e-14)
        assert found.disclosed.sum().item() / n == disco(o, s).item()
        assert found.records.where(found.certain, 0).sum().item() / n == dis(o, s).item()
        assert found.records.where(found.original_certain, 0).sum().item() / n == dio(o).item()
        assert found.unique.sum().item() / n == share_unique(o).item()
        assert found.replicated.sum().item() / n == share_replicated(o, s).item()


def test_records_that_may_not_count_stay_in_the_key():
    found = key_summary([[3], [1]], [[1], [0]], counted=[[1], [1]])
    assert (found.records.item(), found.disclosed.item(), found.correct.item()) == (4, 1, 1)


def test_weights_tell_no_uniques():
    found = key_summary([[0.5, 0.5]], [[1, 0]])
    assert "unique" not in found
    assert found.disclosed.values.tolist() == [0.5, 0]


# Riskiest first


def rows_of(table):
    columns = columns_of(table)
    return list(zip(*columns.values(), strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by", ADDED)
def test_the_riskiest_records_come_first_on_request(kind, by):
    original, synthetic = people(1) | {"name": list(range(40))}, people(2, 30)
    table = KINDS[kind](original)
    found = record_risk(table, synthetic, keys=["b", "a"], target="t", sort_by=by)
    assert type(found) is type(table)
    columns = columns_of(found)
    assert list(columns) == [*ADDED, "b", "a", "t", "name"]
    sign = 1 if by in ("key_records", "key_synthetic_records") else -1
    right = expected(original, synthetic, ("b", "a"))
    assert columns["name"] == sorted(range(40), key=lambda i: sign * right[by][i])  # ties keep their order
    for name, values in {**columns_of(table), **right}.items():
        assert columns[name] == [values[i] for i in columns["name"]], name


def test_a_sorted_pandas_frame_keeps_its_index_and_columns_of_one_name():
    frame = pd.DataFrame(people(1), index=pd.Index(range(100, 140), name="id"))
    frame.insert(0, "note", range(40), allow_duplicates=True)
    frame.insert(0, "note", range(40), allow_duplicates=True)
    found = record_risk(frame, people(2), keys="b", target="t", sort_by="cap")
    assert list(found.columns) == [*ADDED, "b", "t", "note", "note", "a"]
    assert found["note"].iloc[:, 0].add(100).tolist() == found.index.tolist()


def test_arrays_and_series_of_a_mapping_stay_what_they_are_when_sorted():
    original = {
        "b": np.array([1, 2, 2]),
        "t": pd.Series(["x", "y", "x"], index=[7, 8, 9]),
        "p": pl.Series([1, 2, 3]),
        "c": ["u", "v", "w"],
        "a": pa.array([1, 2, 3]),
    }
    found = record_risk(original, {"b": [2, 2, 1], "t": ["y", "y", "x"]}, keys="b", target="t", sort_by="key_records")
    again = record_risk(original, {"b": [2, 2, 1], "t": ["y", "y", "y"]}, keys="b", target="t", sort_by="cap")
    assert {name: type(values) for name, values in again.items() if name in original} == {n: type(v) for n, v in original.items()}
    assert [list(found[name]) for name in ("b", "t", "p", "c")] == [[1, 2, 2], ["x", "y", "x"], [1, 2, 3], ["u", "v", "w"]]
    assert [list(again[name]) for name in ("b", "t", "p", "c")] == [[2, 1, 2], ["y", "x", "x"], [2, 1, 3], ["v", "u", "w"]]
    assert again["a"].to_pylist() == [2, 1, 3]


def test_a_column_that_is_not_added_cannot_sort():
    with pytest.raises(ValueError, match=r"`sort_by` must be one of 'cap', 'cap_nearest', 'disclosed', .*; got 'risk'"):
        record_risk(people(1), people(2), keys="b", target="t", sort_by="risk")


def test_key_summary_says_how_many_records_it_is_of():
    assert key_summary([[3, 2], [1, 2]], [[1, 1], [1, 1]]).attrs["records"] == 8
    assert key_summary([[[3, 2], [1, 2]], [[1, 0], [0, 0]]], [[1, 1], [1, 1]]).attrs["records"] == [1, 8]
