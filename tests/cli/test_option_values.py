"""Values as the command line writes them."""

import argparse

import pytest

from capstats.cli import option_values


def test_names_are_cut_at_commas_and_empty_ones_left_out():
    assert option_values.names(["a, b", ",c,"]) == ["a", "b", "c"]


def test_labels_of_files_are_their_names_where_these_differ():
    assert option_values.table_labels(["x/a.csv", "y/b.csv"]) == ["a.csv", "b.csv"]
    assert option_values.table_labels(["x/a.csv", "y/a.csv"]) == ["x/a.csv", "y/a.csv"]
    with pytest.raises(ValueError, match=r"'a.csv' is given twice. Name each synthetic file once"):
        option_values.table_labels(["a.csv", "a.csv"])
    with pytest.raises(ValueError, match=r"'./a.csv' is given twice"):
        option_values.table_labels(["./a.csv", "b.csv", "a.csv"])


def test_a_column_is_for_all_tables_or_one_each_and_an_empty_one_says_none():
    assert option_values.by_table(["w"], "--weights") == "w"
    assert option_values.by_table(["w, v"], "--weights") == {"original": "w", "synthetic": "v"}
    assert option_values.by_table([",v,"], "--weights") == {"original": "", "synthetic": "v", "holdout": ""}
    with pytest.raises(ValueError, match="--weights must be one column, or two or three"):
        option_values.by_table(["a", "w, v"], "--weights")


def test_utility_is_a_number_or_one_for_each_release_whose_name_may_hold_a_colon():
    assert option_values.utility(["pmse=0.5"]) == {"pmse": 0.5}
    assert option_values.utility(["a=x.csv:1, C:\\y.csv:2e-1", "b=-3"]) == {"a": {"x.csv": 1, "C:\\y.csv": 0.2}, "b": -3}
    for wrong in ("pmse", "=1", "pmse=", "pmse=high", "pmse=a.csv:x", "pmse=nan"):
        with pytest.raises(ValueError, match="--utility must be NAME=NUMBER, or NAME=FILE:NUMBER,FILE:NUMBER"):
            option_values.utility([wrong])
    with pytest.raises(ValueError, match="got 'a=2', a second time"):
        option_values.utility(["a=1", "a=2"])
    with pytest.raises(ValueError, match="which names a table twice"):
        option_values.utility(["a=x.csv:1,x.csv:2"])


def test_numbers_of_columns_are_one_for_all_or_one_each():
    assert option_values.of_columns(["0.5"]) == 0.5
    assert option_values.of_columns(["a=1", "b=c=2"]) == {"a": 1, "b=c": 2}
    for wrong in (["1", "a=2"], ["a=1", "a=2"], ["=2"], ["inf"]):
        with pytest.raises(ValueError, match="--within must be a number, or COLUMN=NUMBER once for each column"):
            option_values.of_columns(wrong)


@pytest.mark.parametrize("text", ["-1", "1.5", "x", ""])
def test_a_whole_number_is_0_or_more(text):
    with pytest.raises(argparse.ArgumentTypeError, match="must be a whole number, 0 or more"):
        option_values.whole(text)


def test_whole_numbers_are_separated_by_commas():
    assert option_values.wholes(["1, 2", "5"]) == [1, 2, 5]
    with pytest.raises(ValueError, match="--n-releases must be whole numbers"):
        option_values.wholes([","])


def test_a_limit_is_of_the_measure_as_it_is_written():
    """Spaces around the name and the value do not count, spaces within them do."""
    assert option_values.limits(["u u = 0.2", "uu=0.1", "\taverage_cap_zero=\t.5 "]) == {"u u": 0.2, "uu": 0.1, "average_cap_zero": 0.5}
    for wrong in ("=0.5", "average_cap_zero", "average_cap_zero=high", "average_cap_zero=inf", "average_cap_zero=1 0", "1"):
        with pytest.raises(ValueError, match="--fail-above must be MEASURE=VALUE"):
            option_values.limits([wrong])
    with pytest.raises(ValueError, match="the limit of 'baseline' is given twice"):
        option_values.limits(["baseline=1", "baseline = 2"])
