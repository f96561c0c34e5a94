"""Results print as tables to read: text and HTML, the cells that are shown, and numbers that say no more than is known."""

from __future__ import annotations

import copy
import pickle
import re
import tracemalloc
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import capstats
from capstats import MISSING, anonymity, disclosure, from_counts, laws, tabulate
from capstats.tables.printing import (
    ACROSS,
    ROWS,
    WIDTH,
    Grid,
    Result,
    alike,
    count,
    grids,
    many,
    of_records,
    part,
    percent,
    share,
    unbroken,
    wrapped,
)

HOSTILE = "<script>alert('x')</script>\x1b[31m\r\n\u202e&amp;=1+1"
INERT = "<script>alert('x')</script>\\x1b[31m\\r\\n\\u202e&amp;=1+1"
SMOKING = {"smoker": ["no", "yes"]}


def tables() -> Any:
    return from_counts([[3, 1], [1, 2]], [[2, 2], [0, 3]], key_labels=SMOKING, target_labels={"health": ["sick", "well"]})


def cells(html: str) -> list[list[str]]:
    """The rows of all tables of a fragment, which must be well formed."""
    return [["".join(cell.itertext()) for cell in row] for row in ElementTree.fromstring(html).iter("tr")]


def test_counts_print_as_a_contingency_table() -> None:
    assert (
        repr(tables())
        == f"""\
Counts of records (target 2, key 2): o 7, s 7

        --- o ----  --- s ----
smoker  sick  well  sick  well
no         3     1     2     0
yes        1     2     2     3

keys: smoker; target: health; capstats {capstats.__version__}"""
    )


def test_what_was_read_and_dropped_stands_under_the_counts() -> None:
    records = {"sex": ["f", "m", None, "f"], "age": [20.5, 20.5, 30.0, 30.0], "ill": [True, False, True, True]}
    level = repr(tabulate(records, keys=["sex", "age"], target="ill"))
    assert level.splitlines()[2:-2] == [
        "               ---- o ----",
        "sex      age   False  True",
        "f        20.5      0     1",
        "f        30        0     1",
        "m        20.5      1     0",
        "missing  30        0     1",
    ]
    dropped = repr(tabulate(records, keys=["sex", "age"], target="ill", missing="drop"))
    assert dropped.splitlines()[-1] == (
        f"keys: sex, age; target: ill; missing values: drop; dropped: original 1; capstats {capstats.__version__}"
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [(dict.fromkeys(range(25), 0), "0 0, 1 0, 2 0, 3 0, 4 0, 5 0... 15 0, 16 0, 17 0, 18 0, 19 0"), ([0] * 25, "0, " * 19 + "0")],
    ids=["mapping", "list"],
)
def test_twenty_entries_of_an_attribute_are_looked_at(value: Any, shown: str) -> None:
    assert repr(Result({"x": 1}, attrs={"note": value})).splitlines()[-1] == f"note: {shown}"


def test_numbers_without_dims_are_a_list() -> None:
    # by Lemma 1, with n = 7 and keys of 4 and 3 records, one synthetic record each: best (3 + 2)/7, worst (1 + 1)/7
    found = laws.cap_bounds(tables().o, key_totals=[1, 1])
    assert repr(found).splitlines() == ["Bounds of average CAP", "", "           value", "least     0.2857", "greatest  0.7143"]


def test_a_table_that_is_too_wide_is_turned_where_it_is_short() -> None:
    text = repr(anonymity.anonymity_profile(tables().o, tables().s))
    assert text.splitlines()[:5] == [
        "Anonymity profile (table 2)",
        "",
        "                 original  synthetic",
        "classes                 2          2",
        "uniques                 0          0",
    ]
    assert text.endswith("\n\noriginal_records: 7; synthetic_records: 7")


def test_a_table_that_is_too_wide_and_long_goes_on_in_blocks_with_its_labels() -> None:
    made = Result({f"a_variable_of_this_name_{i}": ("x", np.arange(30)) for i in range(9)})
    lines = repr(made).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert [line.split()[0] for line in lines if "variable" in line] == ["x", "x", "x"]
    assert sum(line.startswith("19 ") for line in lines) == 3
    assert not any(line.startswith("20 ") for line in lines)
    assert lines[-1] == "... 10 more rows"


def test_columns_under_one_heading_stay_together() -> None:
    of_target = Result(
        {name * 10: (("x", "target"), np.zeros((8, 4), int)) for name in "abc"}, {"target": [f"level {i}" for i in range(4)]}
    )
    heads = [line.split() for line in repr(of_target).splitlines() if "---" in line]
    assert heads == [
        ["-----------", "a" * 10, "-----------", "-----------", "b" * 10, "-----------"],
        ["-----------", "c" * 10, "-----------"],
    ]


def test_keys_of_many_columns_and_names_of_any_length_fit_the_line() -> None:
    keys = {f"column {i} {'of a long name ' * 3}": ["a label of a good many letters", "b"] for i in range(20)}
    made = from_counts([[1, 2], [3, 4]], {"r" * 200: [[1, 2], [3, 4]]}, key_labels=keys, target_labels={"t" * 500: ["u" * 300, "w"]})
    for result in (made, disclosure.key_summary(made.o, made.s), made.isel(target=0)):
        assert max(map(len, repr(result).splitlines())) <= WIDTH
        assert len(repr(result)) < 8000


def test_only_the_rows_that_are_shown_are_looked_at() -> None:
    levels = pd.MultiIndex.from_product([range(1000), range(1000)], names=["a", "b"])
    made = Result({"n": ("key", np.ones(10**6, bool))}, xr.Coordinates.from_pandas_multiindex(levels, "key"))
    tracemalloc.start()
    text = repr(made)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()
    assert text.endswith("... 999,980 more rows")


def test_a_sparse_table_prints_as_a_dense_one_and_is_not_made_dense() -> None:
    sparse = pytest.importorskip("sparse")
    records = {"k": [1, 2, 2, 3], "t": ["a", "b", "b", "a"]}
    dense, held = (tabulate(records, records, keys="k", target="t", backing=backing) for backing in ("dense", "sparse"))
    assert isinstance(held.o.variable.data, sparse.COO)
    assert repr(held) == repr(dense)
    assert held._repr_html_() == dense._repr_html_()
    assert repr(held.sum()) == repr(dense.sum())
    large = sparse.COO(np.array([[0, 1], [0, 10**7 - 1]]), np.array([5, 7]), (2, 10**7))  # 160 MB as a dense array
    tracemalloc.start()
    lines = repr(Result({"o": (("target", "key"), large)})).splitlines()
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()
    assert lines[0] == "Counts of records (target 2, key 10,000,000): o 12"
    assert lines[4].split() == ["0", "5", "0"]


def test_hostile_labels_are_inert_and_legible() -> None:
    made = from_counts(
        [[1, 2], [3, 4]],
        {HOSTILE: [[1, 2], [3, 4]], "r": [[1, 2], [3, 4]]},
        key_labels={f"k{HOSTILE}": [HOSTILE, MISSING]},
        target_labels={f"t{HOSTILE}": [HOSTILE, "x" * 10_000]},
    ).assign_attrs(result=HOSTILE, note=HOSTILE)
    for result in (made, made.isel(synthetic=0), made.isel(key=0), made[["o"]]):
        text, html = repr(result), result._repr_html_()
        assert all(c.isprintable() for line in text.split("\n") for c in line)
        assert INERT in text
        assert max(map(len, text.splitlines())) <= WIDTH
        assert {element.tag for element in ElementTree.fromstring(html).iter()} <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
        assert "<script" not in html
        assert "\x1b" not in html
        assert len(html) < 20_000


def test_a_notebook_shows_the_same_table() -> None:
    html = tables()._repr_html_()
    assert cells(html) == [["", "o", "s"], *(x.split() for x in ("smoker sick well sick well", "no 3 1 2 0", "yes 1 2 2 3"))]
    assert "Counts of records (target 2, key 2): o 7, s 7" in html
    assert [element.get("colspan") for element in ElementTree.fromstring(html).iter("th")][:2] == ["2", "2"]


def test_a_notebook_says_how_many_rows_are_left_out() -> None:
    found = ElementTree.fromstring(Result({"n": ("x", np.arange(21))})._repr_html_())
    assert [paragraph.text for paragraph in found.iter("p")] == ["Result (x 21)", "... 1 more row", None]
    assert len(cells(Result({"n": ("x", np.arange(21))})._repr_html_())) == 21  # the heading and 20 rows


def test_what_was_selected_is_told() -> None:
    assert repr(tables().sel(target="sick")).splitlines() == [
        "Result (key 2)",
        "",
        "smoker  o  s",
        "no      3  2",
        "yes     1  2",
        "",
        f"keys: smoker; target: health; target = sick; capstats {capstats.__version__}",
    ]


@pytest.mark.parametrize(
    "made",
    [
        Result(),
        Result(coords={"x": [1]}),
        Result({"a": ("x", [])}),
        Result({"a": (("x", "y"), np.zeros((0, 3)))}),
        Result({"a": (("x", "y"), np.zeros((3, 0)))}),
        Result({"o": (("target", "key"), [["text"]])}),
        Result({"a": ("x", [object(), None])}, attrs={"records": object(), "dropped": {1: [2]}}),
        Result({"a": (tuple("abcde"), np.zeros((7, 3, 13, 2, 5), complex))}),
        Result({"a": ("x", pd.to_timedelta([1, None]))}, {"x": pd.to_datetime(["2024-01-01", None])}),
    ],
    ids=lambda made: "-".join(map(str, made.sizes)) or "none",
)
def test_whatever_xarray_can_hold_prints(made: Result) -> None:
    assert repr(made)
    assert ElementTree.fromstring(made._repr_html_()).tag == "div"


def test_a_lazy_array_is_not_computed_to_be_printed() -> None:
    pytest.importorskip("dask")
    lazy = tables().chunk()
    assert "dask.array" in repr(lazy)
    assert "dask.array" in lazy._repr_html_()


def test_everything_that_is_derived_with_xarray_is_what_xarray_derives() -> None:
    made = tables()
    plain = made.to_dataset()
    assert type(plain) is xr.Dataset
    assert repr(plain).startswith("<xarray.Dataset>")
    xr.testing.assert_identical(plain.o, made.o)
    assert plain.attrs == made.attrs
    assert list(plain.indexes) == list(made.indexes)
    for derive in (
        lambda x: x.sel(target="sick"),
        lambda x: x.isel(key=[0]),
        lambda x: x + 1,
        lambda x: -x,
        lambda x: x.copy(deep=True),
        lambda x: copy.copy(x),
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: x.sum("key"),
        lambda x: x.map(np.sqrt),
        lambda x: x.assign(d=5),
        lambda x: x.where(x.o > 1),
        lambda x: x.expand_dims(draw=2),
        lambda x: xr.concat([x, x], "draw"),
        lambda x: x[["o"]],
        lambda x: x.drop_vars("s").rename(o="n"),
        lambda x: x.stack(cell=("target", "key"), create_index=False),
        lambda x: x.groupby("target").sum(),
        lambda x: xr.merge([x, {"more": 1}]),
    ):
        found = derive(made)
        assert isinstance(found, xr.Dataset)
        assert repr(found)
        assert found.identical(derive(plain))


def test_every_dataset_that_capstats_makes_is_a_result() -> None:
    for path in Path(capstats.__file__).parent.rglob("*.py"):
        if path.stem != "printing":
            made = re.findall(r"(?<!`)\b(?:xr|xarray)\.(?:Dataset|merge|Dataset\.from_dataframe)\(", path.read_text(encoding="utf-8"))
            assert not made, path


# --- variables as tables ---------------------------------------------------------------------------------------------


def heads(grid: Grid) -> tuple[list[str], list[tuple[str, str]]]:
    return [label.heading for label in grid.labels], [(column.over, column.heading.strip()) for column in grid.columns]


def test_several_synthetic_tables_stand_beside_the_original_while_they_are_few() -> None:
    two, many = (from_counts([[1], [2]], {f"r{i}": [[i + 1], [0]] for i in range(n)}) for n in (2, 7))
    (grid,) = grids(two)
    assert heads(grid)[1] == [("o", "0"), ("o", "1"), ("s[r0]", "0"), ("s[r0]", "1"), ("s[r1]", "0"), ("s[r1]", "1")]
    original, synthetic = grids(many)  # 7 tables of 2 targets are more than ACROSS columns
    assert ACROSS < 7 * 2
    assert heads(original) == (["key_"], [("o", "0"), ("o", "1")])
    assert heads(synthetic) == (["synthetic", "key_"], [("s", "0"), ("s", "1")])


def test_more_targets_than_fit_across_go_down_within_each_key() -> None:
    (grid,) = grids(from_counts(np.arange(2 * (ACROSS + 1)).reshape(-1, 2)))
    assert heads(grid) == (["key_", "target"], [("", "o")])
    assert [label.cells[:3] for label in grid.labels] == [["0", "0", "0"], ["0", "1", "2"]]
    assert list(grid.columns[0].cells[:3]) == ["0", "2", "4"]
    assert grid.more == 2 * (ACROSS + 1) - ROWS


def test_a_measure_is_a_column_of_its_own_with_its_own_digits() -> None:
    values = xr.Dataset(
        {"value": (("keyset", "measure"), [[0.25, 944.0], [0.5, 12.0]])}, {"keyset": ["a", "b"], "measure": ["cap", "records"]}
    )
    (grid,) = grids(values)
    assert heads(grid) == (["keyset"], [("value", "cap"), ("value", "records")])
    assert [column.cells for column in grid.columns] == [["0.2500", "0.5000"], ["944", "12"]]


def test_dims_of_one_label_need_no_heading() -> None:
    (grid,) = grids(xr.Dataset({"value": (("x", "one"), [[1], [2]])}, {"one": ["only"]}))
    assert heads(grid) == (["x"], [("", "value")])


def test_further_coordinates_stand_beside_their_dim_and_in_place_of_its_numbers() -> None:
    made = xr.Dataset({"n": ("x", [1, 2])}, {"x": ["a", "b"], "size": ("x", [10, 20]), "both": (("x", "y"), [[1], [2]])})
    assert heads(grids(made)[0])[0] == ["x", "size"]
    assert heads(grids(made.drop_vars("x"))[0])[0] == ["size"]
    assert heads(grids(made.drop_vars(["x", "size"]))[0])[0] == ["x"]


def test_each_set_of_dims_is_a_table_and_numbers_without_dims_are_another() -> None:
    made = xr.Dataset({"a": ("x", [1, 2]), "n": 5, "b": ("x", [3, 4]), "c": ("y", [1])})
    assert [heads(grid)[1] for grid in grids(made)] == [[("", "a"), ("", "b")], [("", "n")], [("", "c")]]
    assert [heads(grid)[0] for grid in grids(made)] == [["x"], [], ["y"]]


def test_a_table_is_turned_with_a_row_for_each_variable() -> None:
    index = pd.MultiIndex.from_tuples([("f", 1), ("m", 2)], names=["sex", "age"])
    made = xr.Dataset({"a": ("key", [1, 2]), "b": ("key", [0.5, 1.0])}, xr.Coordinates.from_pandas_multiindex(index, "key"))
    (grid,) = grids(made)
    assert grid.may_turn
    assert heads(grid.turned) == ([""], [("", "f, 1"), ("", "m, 2")])
    assert grid.turned.labels[0].cells == ["a", "b"]
    assert [list(column.cells) for column in grid.turned.columns] == [["1", "0.5000"], ["2", "1.0000"]]


def test_labels_are_text_that_is_short_and_inert() -> None:
    made = xr.Dataset({"n": ("x", [1, 2, 3])}, {"x": ["a\x1b[2J\n\u202e", "b" * 10_000, ""]})
    assert grids(made)[0].labels[0].cells == ["a\\x1b[2J\\n\\u202e", "b" * 14 + "..." + "b" * 15, "''"]


# --- numbers as text -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (1.0, "1.000"),
        (0.0004, "<0.001"),
        (-0.0004, ">-0.001"),
        (0.0005001, "0.001"),
        (0.99951, ">0.999"),
        (-0.99951, "<-0.999"),
        (-1.0, "-1.000"),
        (1 - 1e-14, "1.000"),  # rounding of a sum explains the difference
        (1e-14, "0.000"),
        (float("nan"), "undefined"),
    ],
)
def test_a_share_is_printed_as_nought_or_one_only_where_it_is(value: float, text: str) -> None:
    assert share(value) == text


@pytest.mark.parametrize(
    ("value", "text", "whole"),
    [
        (0.0, "0 %", "0 %"),
        (1.0, "100 %", "100 %"),
        (0.31, "31 %", "31 %"),
        (0.10, "10 %", "10 %"),
        (0.3074, "30.7 %", "31 %"),
        (0.0004, "<0.1 %", "<1 %"),
        (0.99951, ">99.9 %", ">99 %"),
        (1 - 1e-14, "100 %", "100 %"),
        (-0.1251, "\u221212.5 %", "\u221213 %"),
        (1.2, "120 %", "120 %"),
        (float("nan"), "undefined", "undefined"),
    ],
)
def test_a_sentence_has_a_share_in_percent_with_a_space(value: float, text: str, whole: str) -> None:
    assert (percent(value), percent(value, 0)) == (text, whole)


@pytest.mark.parametrize(
    ("right", "n", "digits", "text"),
    [
        (0.4, 944, 0, "<1"),
        (943.6, 944, 0, ">943"),
        (2.5, 4, 1, "2.5"),
        (3.96, 4, 1, ">3.9"),
        (4, 4, 1, "4"),
        (0, 4, 1, "0"),
        (5821, 6000, 0, "5,821"),
        (5999.9, 6000, 0, ">5,999"),
    ],
)
def test_a_part_of_the_people_is_none_or_all_of_them_only_where_it_is(right: float, n: int, digits: int, text: str) -> None:
    assert part(right / n, n, digits) == text


@pytest.mark.parametrize(
    ("numbers", "weights", "text"),
    [
        (1, None, "1 record"),
        ([3, 5], None, "3 to 5 records"),
        ([4, 4], {"synthetic": "w"}, "4 records"),
        (6193.999958, "w", "weighted to 6,194.0"),
        ([6.75, 12], {"original": "w"}, "weighted to 6.8 to 12"),
    ],
)
def test_a_sum_of_weights_is_no_number_of_records(numbers: Any, weights: Any, text: str) -> None:
    assert of_records(numbers, weights) == text
    assert repr(Result(attrs={"result": "Risk", "records": numbers, "weights": weights or {}})).startswith(f"Risk: {text}")


def test_no_line_ends_between_a_number_and_its_per_cent_sign() -> None:
    assert unbroken("31 % of 5 % x % y") == "31\u00a0% of 5\u00a0% x % y"
    text = "a risk of 31 % and one of 35 %"
    for width in range(4, len(text) + 1):
        lines = wrapped(text, width)
        assert " ".join(lines) == text, "the lines have ordinary spaces"
        assert not any(line.startswith("%") for line in lines)


def test_counts_have_commas_and_a_decimal_only_where_they_are_not_whole() -> None:
    assert [count(1234), count(1234.0), count(1234.56)] == ["1,234", "1,234", "1,234.6"]
    assert [count(x) for x in (0.04, 0.06, 0.0, 7 * 0.1 * 10, 2.96)] == ["<0.1", "0.1", "0", "7", "3.0"]
    assert [many(1, "record"), many(0, "record"), many(2.5, "record")] == ["1 record", "0 records", "2.5 records"]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([True, False], ["yes", "no"]),
        ([1234, -5], ["1,234", "-5"]),
        ([2.0, -0.0, float("nan")], ["2", "0", "undefined"]),
        ([0.25, 0.00001, 1.0], ["0.2500", "<0.0001", "1.0000"]),
        ([0.00815, 0.00004], ["0.00815", "0.00004"]),  # three digits of the largest
        ([3e-9, 0.0], ["3e-09", "0"]),
        ([2.5, 0.01], ["2.50", "0.01"]),
        ([2.5, 0.001], ["2.50", "<0.01"]),  # not 0.00
        ([1234.56, 1.0], ["1,234.6", "1.0"]),
        ([0.5, float("inf"), float("-inf")], ["0.5000", "infinite", "-infinite"]),
        ([float("nan")], ["undefined"]),
        ([], []),
    ],
)
def test_the_numbers_of_a_column_have_the_decimals_that_its_largest_needs(values: list[float], texts: list[str]) -> None:
    assert alike(np.array(values)) == texts


def test_what_is_no_number_is_printed_as_a_label() -> None:
    values = np.array(["plain", "", " edge", MISSING, None, "a\x1b[31m"], object)
    assert alike(values) == ["plain", "''", "' edge'", "missing", "missing", "a\\x1b[31m"]
    assert alike(np.array(["2024-02-29", "NaT"], "M8[D]")) == ["2024-02-29", "missing"]
