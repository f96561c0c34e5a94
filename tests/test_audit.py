"""One call: its numbers are those of the public measures, and it says how they came to be."""

import html
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import capstats
from capstats import (
    audit,
    average_cap,
    baseline_cap,
    cap_quantiles,
    correct_predictions,
    expand,
    matched_records,
    maximum_cap,
    minimum_cap,
    observed_domain,
    tabulate,
)
from capstats.datasets import anes96, example, smoking, titanic

QUARTILES = ["least", "lower_quartile", "median", "upper_quartile", "greatest"]


@pytest.fixture(scope="module")
def people():
    """The smokers of the paper as records."""
    tables = smoking()
    return expand(tables.o), expand(tables.s)


@pytest.fixture(scope="module")
def found(people):
    return audit(*people, keys="smoking", target="health")


@pytest.fixture(scope="module")
def voters():
    """A survey and two synthetic versions of it, the second of which lacks keys."""
    original = anes96()
    rng = np.random.default_rng(61)
    return original, {
        "resampled": original.iloc[rng.integers(0, len(original), 944)],
        "few": original.iloc[rng.integers(0, len(original), 40)],
    }


@pytest.fixture(scope="module")
def several(voters):
    return audit(*voters, keys=["educ", "PID"], target="vote")


def test_cut_points_are_told_without_noise_of_floats():
    ages = {"age": [18, 89], "sick": ["no", "yes"]}
    found = audit(ages, ages, keys="age", target="sick", bins={"age": 5})
    assert "age is cut at 32.2, 46.4, 60.6, 74.8." in found.notes()[0]
    assert found.provenance["bins"]["age"] == [32.2, 46.4, 60.599999999999994, 74.8]


def recomputed(tables):
    """Every measure by the public functions, from the counts."""
    o, s = tables.o, tables.s
    observed = observed_domain(tables)
    quantiles = cap_quantiles(o, s, [0, 0.25, 0.5, 0.75, 1])
    return {
        "original_records": o.sum(),
        "synthetic_records": s.sum(["target", "key"]),
        "keys": (o.sum("target") > 0).sum(),
        "matched_share": matched_records(o, s) / o.sum(),
        "average_cap": average_cap(o, s),
        "average_cap_least": minimum_cap(observed),
        "average_cap_greatest": maximum_cap(observed),
        "average_cap_matched": average_cap(o, s, unmatched="drop"),
        "average_cap_matched_least": minimum_cap(observed, unmatched="drop"),
        "average_cap_matched_greatest": maximum_cap(observed, unmatched="drop"),
        "original_cap": average_cap(o, o),
        "baseline": baseline_cap(o),
        "predictive_success": correct_predictions(o, s) / o.sum(),
        "correct_predictions": correct_predictions(o, s),
        **{f"individual_cap_{name}": quantiles.isel(quantile=i) for i, name in enumerate(QUARTILES)},
    }


# --- Numbers


def test_numbers_of_the_smokers_are_those_worked_out_by_hand(found):
    """8/33, 25/33, 7/67 and 60/67 for 20, 30, 5 and 45 people."""
    cap = (20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100
    expected = {
        "original_records": 100,
        "synthetic_records": 100,
        "keys": 2,
        "matched_share": 1,
        "average_cap": cap,
        "average_cap_least": 0.05,
        "average_cap_greatest": 0.75,
        "average_cap_matched": cap,
        "average_cap_matched_least": 0.1,
        "average_cap_matched_greatest": 0.9,
        "original_cap": 0.67,
        "baseline": 0.625,
        "predictive_success": 0.75,
        "correct_predictions": 75,
        "individual_cap_least": 7 / 67,
        "individual_cap_lower_quartile": 8 / 33 + 0.75 * (25 / 33 - 8 / 33),
        "individual_cap_median": 25 / 33,
        "individual_cap_upper_quartile": 60 / 67,
        "individual_cap_greatest": 60 / 67,
    }
    assert set(found.measures.data_vars) == set(expected)
    # the lower quartile is read at rank 24.75: 5 people at 7/67, 20 at 8/33, then 30 at 25/33
    for name, value in expected.items():
        assert found.measures[name].item() == pytest.approx(value, rel=1e-12), name


@pytest.mark.parametrize("which", ["found", "several"])
def test_numbers_equal_those_of_the_public_measures(which, request):
    result = request.getfixturevalue(which)
    expected = recomputed(result.tables)
    assert set(result.measures.data_vars) == set(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(result.measures[name].values, value.values, err_msg=name)


def test_counts_are_those_of_tabulate(voters, several):
    expected = tabulate(*voters, keys=["educ", "PID"], target="vote")
    assert several.tables.identical(expected)


def test_several_synthetic_tables_have_a_number_each(voters, several):
    original, synthetic = voters
    assert several.columns == ["resampled", "few"]
    assert several.measures.average_cap.dims == ("synthetic",)
    assert several.measures.original_cap.dims == ()
    assert several.measures.matched_share.sel(synthetic="few") < several.measures.matched_share.sel(synthetic="resampled")
    for label, table in synthetic.items():
        alone = audit(original, table, keys=["educ", "PID"], target="vote")
        assert alone.columns == [""]
        for name in alone.measures.data_vars:
            chosen = several.measures[name]
            if "synthetic" in chosen.dims:
                chosen = chosen.sel(synthetic=label)
            assert chosen.item() == pytest.approx(alone.measures[name].item(), rel=1e-14), name


def test_one_table_in_a_list_is_one_of_several(people):
    original, synthetic = people
    result = audit(original, [synthetic], keys="smoking", target="health")
    assert result.columns == ["0"]
    assert result.measures.average_cap.sizes == {"synthetic": 1}


# --- The observed domain


def test_bounds_are_on_the_cells_that_the_original_has():
    """A key and a target that only the synthetic table has would make the least average CAP 0."""
    original = {"k": ["a", "a", "a", "b", "b", "b"], "t": ["x", "x", "y", "x", "y", "y"]}
    synthetic = {"k": ["a", "b", "c"], "t": ["x", "z", "x"]}
    result = audit(original, synthetic, keys="k", target="t")
    assert result.tables.sizes == {"target": 3, "key": 3}
    assert result.measures.average_cap_least.item() == 1 / 6
    assert result.measures.average_cap_matched_least.item() == 1 / 3
    assert minimum_cap(result.tables.o).item() == 0
    assert result.measures["keys"].item() == 2
    assert result.provenance["domain"] == {"kind": "observed", "targets": 2, "keys": 2}
    assert "the 2 targets x 2 keys that some original record has" in repr(result)


# --- What it says of itself


def test_provenance_says_how_the_numbers_came_to_be(found):
    assert found.provenance == {
        "capstats": capstats.__version__,
        "keys": ["smoking"],
        "target": ["health"],
        "domain": {"kind": "observed", "targets": 2, "keys": 2},
        "missing": "level",
        "conventions": {
            "average_cap": "version 1: records whose key is not in the synthetic data count 0",
            "average_cap_matched": "version 2: they are left out",
            "individual_cap": "over records, unmatched count 0, linear interpolation",
            "predictive_success": "tied targets share",
            "baseline": "marginal",
        },
    }


def test_provenance_takes_what_the_caller_adds(people):
    result = audit(*people, keys="smoking", target="health", provenance={"seed": 7, "source": "a survey"})
    assert result.provenance["seed"] == 7
    assert result.to_dict()["provenance"]["source"] == "a survey"


def test_missing_values_are_a_level_unless_they_are_dropped_and_then_their_number_is_told():
    original = {"k": ["a", "a", None, "b", "b"], "t": ["x", None, "x", "y", "y"]}
    synthetic = {"k": ["a", "b", None], "t": ["x", "y", "x"]}
    kept = audit(original, synthetic, keys="k", target="t")
    assert kept.measures.original_records.item() == 5
    assert "missing values are a level of their column." in repr(kept)
    assert "dropped" not in kept.provenance
    dropped = audit(original, synthetic, keys="k", target="t", missing="drop")
    assert dropped.measures.original_records.item() == 3
    assert dropped.provenance["missing"] == "drop"
    assert dropped.provenance["dropped"] == {"original": 2, "synthetic": 1}
    assert "dropped with their records; 2 of `original`; 1 of `synthetic`." in repr(dropped)
    assert json.loads(dropped.to_json())["provenance"]["dropped"] == {"original": 2, "synthetic": 1}


def test_types_and_their_order_reach_the_tables(people):
    result = audit(*people, keys="smoking", target="health", types={"health": ["Healthy", "Sick"]})
    assert result.tables.indexes["target"].tolist() == ["Healthy", "Sick"]


# --- A holdout

OF_HOLDOUT = ["holdout_cap", "individual_disclosure", "individual_disclosure_error"]
NOTE = "What remains after subtracting the holdout is about individuals; the rest is inference about the population."


@pytest.fixture(scope="module")
def strangers():
    """A sick smoker, two healthy non-smokers, and somebody whose key and target the other tables lack."""
    return {"smoking": ["Smoking", "Non-smoking", "Non-smoking", "unknown"], "health": ["Sick", "Healthy", "Healthy", "dead"]}


@pytest.fixture(scope="module")
def compared(people, strangers):
    return audit(*people, keys="smoking", target="health", holdout=strangers)


def test_a_holdout_is_guessed_as_by_hand_and_subtracted(compared):
    """CAP 8/33 for the sick smoker, 60/67 for the others, 0 for the unmatched; the variances of two means add up."""
    of_holdout = [8 / 33, 60 / 67, 60 / 67, 0]
    of_original = [8 / 33] * 20 + [25 / 33] * 30 + [7 / 67] * 5 + [60 / 67] * 45
    variance = np.var(of_original, ddof=1) / 100 + np.var(of_holdout, ddof=1) / 4
    expected = [np.mean(of_holdout), np.mean(of_original) - np.mean(of_holdout), variance**0.5]
    np.testing.assert_allclose([compared.measures[name].item() for name in OF_HOLDOUT], expected, rtol=1e-12)


def test_a_holdout_has_three_rows_and_a_note(compared):
    labels = [
        "average CAP of the holdout (records not used for synthesis)",
        "individual disclosure: original minus holdout",
        "  its standard error",
    ]
    numbers = [f"{compared.measures[name].item():.4f}" for name in OF_HOLDOUT]
    assert compared.rows()[11:14] == [(label, [number]) for label, number in zip(labels, numbers, strict=True)]
    assert NOTE in repr(compared).splitlines()
    assert NOTE in html.unescape(compared._repr_html_())
    assert compared.provenance["conventions"]["individual_disclosure"] == "version 1 of the original minus that of the holdout"


def test_a_holdout_changes_no_other_number_even_if_it_brings_keys_and_targets(found, compared):
    assert compared.tables.sizes == {"target": 3, "key": 3}
    assert set(compared.measures.data_vars) - set(found.measures.data_vars) == set(OF_HOLDOUT)
    for name, value in found.measures.items():
        assert compared.measures[name].item() == pytest.approx(value.item(), rel=1e-14), name
    assert compared.provenance["domain"] == found.provenance["domain"]


def test_without_a_holdout_nothing_is_said_of_one(found):
    assert "holdout" not in repr(found) + found.to_json() + found._repr_html_()


def test_original_and_holdout_exchanged_change_the_sign_alone(voters):
    """Both are samples of one population, and the difference knows no order but its sign; with itself a sample differs by 0."""
    original, synthetic = voters
    asked = {"keys": ["educ", "PID"], "target": "vote"}
    half, other = original.iloc[::2], original.iloc[1::2]
    one, two, same = (audit(x, synthetic, holdout=y, **asked).measures for x, y in ((half, other), (other, half), (half, half)))
    np.testing.assert_allclose(one.individual_disclosure, -two.individual_disclosure, rtol=1e-12)
    np.testing.assert_allclose(one.individual_disclosure_error, two.individual_disclosure_error, rtol=1e-12)
    np.testing.assert_array_equal(one.holdout_cap, two.average_cap)
    np.testing.assert_array_equal(same.individual_disclosure, 0)


def test_a_holdout_is_compared_with_each_synthetic_table(voters):
    original, synthetic = voters
    asked = {"keys": ["educ", "PID"], "target": "vote", "holdout": original.iloc[::3]}
    result = audit(original, synthetic, **asked)
    assert [len(values) for _, values in result.rows()] == [2] * len(result.measures.data_vars)
    for label, table in synthetic.items():
        alone = audit(original, table, **asked).measures
        for name in OF_HOLDOUT:
            assert result.measures[name].sel(synthetic=label).item() == pytest.approx(alone[name].item(), rel=1e-14)
    back = json.loads(result.to_json())["measures"]
    assert list(back["individual_disclosure"]) == ["resampled", "few"]


def test_one_record_of_a_holdout_has_no_standard_error(people, strangers):
    one = {column: values[:1] for column, values in strangers.items()}
    result = audit(*people, keys="smoking", target="health", holdout=one)
    assert result.measures.holdout_cap.item() == 8 / 33
    assert dict(result.rows())["  its standard error"] == ["undefined"]
    assert json.loads(result.to_json())["measures"]["individual_disclosure_error"] is None


def test_records_dropped_from_a_holdout_are_told(people, strangers):
    gaps = {"smoking": [*strangers["smoking"], None], "health": [*strangers["health"], "Sick"]}
    result = audit(*people, keys="smoking", target="health", holdout=gaps, missing="drop")
    assert "; 1 of `holdout`" in repr(result)


def test_a_holdout_of_sparse_tables_is_that_of_dense_ones(voters, monkeypatch):
    from capstats.counts import backing

    original, synthetic = voters
    asked = {"keys": ["educ", "PID"], "target": ["age", "vote"], "holdout": original.iloc[::3]}
    dense = audit(original, synthetic, **asked)
    monkeypatch.setattr(backing, "LARGE", 1)
    sparse = audit(original, synthetic, **asked)
    assert not isinstance(sparse.tables.h.data, np.ndarray)
    for name in OF_HOLDOUT:
        np.testing.assert_allclose(sparse.measures[name].values, dense.measures[name].values, rtol=1e-12)


@pytest.mark.parametrize(("counts", "given"), [("weight", 0), (("count", "weight", "weight"), 5), (("weight", None, "count"), 0)])
def test_fractional_counts_of_original_or_holdout_leave_the_holdout_out_and_say_so(counts, given):
    frame = titanic()
    frame["weight"] = frame["count"] * 0.3
    result = audit(frame, frame, keys=["Class", "Sex"], target="Survived", holdout=frame, counts=counts)
    assert not set(OF_HOLDOUT) & set(result.measures.data_vars)
    assert "individual_disclosure" not in result.provenance["conventions"]
    assert result.provenance["individual_disclosure"] == "not defined: counts of the original or of the holdout are fractional"
    assert "Individual disclosure is not given: counts of the original or of the holdout are fractional." in repr(result)
    assert NOTE not in repr(result)
    assert len([name for name in result.measures.data_vars if name.startswith("individual_cap")]) == given


def test_fractional_counts_of_the_synthetic_table_alone_keep_the_holdout():
    frame = titanic()
    frame["weight"] = frame["count"] * 0.5
    asked = {"keys": ["Class", "Sex"], "target": "Survived", "holdout": frame.iloc[::2]}
    result = audit(frame, frame, counts=("count", "weight"), **asked)
    plain = audit(frame, frame, counts="count", **asked)
    for name in OF_HOLDOUT:
        assert result.measures[name].item() == pytest.approx(plain.measures[name].item(), rel=1e-12)


# --- Weights


def test_counts_are_records():
    frame = titanic()
    keys = ["Class", "Sex"]
    result = audit(frame, frame, keys=keys, target="Survived", counts="count")
    rows = frame.loc[frame.index.repeat(frame["count"]), [*keys, "Survived"]]
    by_records = audit(rows, rows, keys=keys, target="Survived")
    assert result.measures.original_records.item() == 2201
    for name in by_records.measures.data_vars:
        assert result.measures[name].item() == pytest.approx(by_records.measures[name].item(), rel=1e-14), name
    assert result.provenance["counts"] == {"original": "count", "synthetic": "count"}


def test_fractional_counts_leave_the_quartiles_out_and_say_so():
    frame = titanic()
    frame["weight"] = frame["count"] * 0.3
    result = audit(frame, frame, keys=["Class", "Sex"], target="Survived", counts="weight")
    assert not [name for name in result.measures.data_vars if name.startswith("individual_cap")]
    assert "Quartiles of individual CAP are not given: the original's weights are fractional." in repr(result)
    assert "individual CAP" not in "".join(label for label, _ in result.rows())
    plain = audit(frame, frame, keys=["Class", "Sex"], target="Survived", counts="count")
    for name in ("average_cap", "original_cap", "baseline", "average_cap_least", "matched_share", "predictive_success"):
        assert result.measures[name].item() == pytest.approx(plain.measures[name].item(), rel=1e-12), name


def test_fractional_counts_of_the_synthetic_table_alone_keep_the_quartiles():
    frame = titanic()
    frame["weight"] = frame["count"] * 0.3
    result = audit(frame, frame, keys=["Class", "Sex"], target="Survived", counts=("count", "weight"))
    assert "individual_cap_median" in result.measures
    assert "fractional" not in repr(result)


# --- Text, HTML, JSON


def test_text_has_a_line_for_every_measure(found):
    lines = repr(found).splitlines()
    assert lines[0] == f"capstats {capstats.__version__}: disclosure risk by Correct Attribution Probability (CAP)"
    table = lines[2:21]
    assert len(found.rows()) == len(found.measures.data_vars) == 19
    for line, (label, (value,)) in zip(table, found.rows(), strict=True):
        assert line.startswith(label)
        assert line.endswith(value)
    assert len({len(line) for line in table}) == 1  # a column of numbers, flush right
    assert table[4].split()[-1] == "0.6840"
    assert table[0].split()[-1] == "100"
    assert "keys: smoking; target: health; missing values are a level of their column." in lines


def test_text_of_several_tables_has_a_column_for_each(several):
    lines = repr(several).splitlines()
    assert lines[2].split() == ["resampled", "few"]
    (average,) = (line for line in lines if line.startswith("average CAP, version 1"))
    expected = [f"{value:.4f}" for value in several.measures.average_cap.values]
    assert average.split()[-2:] == expected
    (original,) = (line for line in lines if line.startswith("average CAP of the original"))
    assert original.split()[-1] == original.split()[-2] == f"{several.measures.original_cap.item():.4f}"


def test_undefined_numbers_are_words_in_text_and_null_in_json():
    """No key of the original is in the synthetic table: version 2 is undefined."""
    result = audit({"k": ["a", "b"], "t": [1, 2]}, {"k": ["c"], "t": [1]}, keys="k", target="t")
    assert np.isnan(result.measures.average_cap_matched.item())
    assert dict(result.rows())["average CAP, version 2 (unmatched left out)"] == ["undefined"]
    assert json.loads(result.to_json())["measures"]["average_cap_matched"] is None
    assert json.loads(result.to_json())["measures"]["average_cap"] == 0


def test_large_counts_are_written_with_separators_and_all_their_digits():
    result = audit(
        {"k": ["a", "b"], "t": [1, 2], "w": [1_234_567_890, 5]},
        {"k": ["a", "b"], "t": [1, 2], "w": [1, 1]},
        keys="k",
        target="t",
        counts="w",
    )
    assert dict(result.rows())["original records"] == ["1,234,567,895"]


@pytest.mark.parametrize("which", ["found", "several"])
def test_json_round_trips_every_number(which, request):
    result = request.getfixturevalue(which)
    back = json.loads(result.to_json())
    assert back == result.to_dict()
    assert back["provenance"] == result.provenance
    for name, array in result.measures.data_vars.items():
        value = back["measures"][name]
        if array.ndim:
            assert list(value) == result.columns
            value = list(value.values())
        np.testing.assert_array_equal(np.asarray(value, dtype=float), array.values)


def test_json_is_strict(several):
    """Neither NaN nor Infinity, which JSON does not know."""

    def refuse(constant):
        raise AssertionError(constant)

    json.loads(several.to_json(), parse_constant=refuse)
    assert all(isinstance(several.to_dict()["measures"][name], int) for name in ("original_records", "keys"))


class Cells(HTMLParser):
    """The texts of the rows of a table, and the tags that were opened and closed."""

    def __init__(self):
        super().__init__()
        self.rows, self.open = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def cells_of(result):
    parser = Cells()
    parser.feed(result._repr_html_())
    parser.close()
    assert parser.open == []
    return parser.rows


@pytest.mark.parametrize("which", ["found", "several"])
def test_html_has_the_columns_and_the_rows_of_the_text(which, request):
    result = request.getfixturevalue(which)
    head, *rows = cells_of(result)
    assert head == ["", *result.columns]
    assert rows == [[label.strip(), *values] for label, values in result.rows()]


def test_html_says_what_the_notes_of_the_text_say(several):
    page = html.unescape(re.sub("<[^>]*>", "", several._repr_html_()))
    assert all(note in page for note in several.notes())
    assert capstats.__version__ in page


def test_html_escapes_labels_and_column_names(people):
    original, synthetic = (frame.rename(columns={"smoking": "<b>smoking</b> & co"}) for frame in people)
    result = audit(original, {"<script>": synthetic}, keys="<b>smoking</b> & co", target="health")
    page = result._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;b&gt;smoking&lt;/b&gt; &amp; co" in page
    assert cells_of(result)[0] == ["", "<script>"]


# --- Examples and bad input


@pytest.mark.parametrize("name", ["titanic", "anes96"])
def test_examples_are_seeded_and_say_what_they_are(name):
    first, again, other = (audit(**example(name, seed=seed)) for seed in (1, 1, 2))
    assert first.to_json() == again.to_json()
    assert first.to_dict()["measures"] != other.to_dict()["measures"]
    assert first.provenance["seed"] == 1
    assert "Example data: " in repr(first)
    assert first.measures.original_records.item() == first.measures.synthetic_records.item()


def test_an_audit_needs_a_synthetic_table(people):
    with pytest.raises(ValueError, match="`synthetic` is missing: an audit compares an original table with a synthetic one"):
        audit(people[0], None, keys="smoking", target="health")


def test_errors_of_tabulate_come_through(people):
    with pytest.raises(ValueError, match=r"'smokin'.*Did you mean 'smoking'\?"):
        audit(*people, keys="smokin", target="health")
    with pytest.raises(ValueError, match="both a key and the target"):
        audit(*people, keys=["smoking", "health"], target="health")
    with pytest.raises(TypeError, match="none of them can match"):
        audit({"k": [1], "t": [1]}, {"k": ["1"], "t": [1]}, keys="k", target="t")
    with pytest.raises(ValueError, match="empty"):
        audit(people[0].iloc[:0], people[1], keys="smoking", target="health")


def test_records_of_any_frame_give_the_same(people):
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    original, synthetic = (frame.astype(str) for frame in people)
    expected = audit(original, synthetic, keys="smoking", target="health").to_dict()
    for convert in (pl.from_pandas, pa.Table.from_pandas, lambda frame: {c: frame[c].tolist() for c in frame}):
        assert audit(convert(original), convert(synthetic), keys="smoking", target="health").to_dict() == expected
    assert isinstance(original, pd.DataFrame)


def test_labels_that_print_alike_stay_apart():
    people = {"k": ["a", "b"], "t": ["x", "y"]}
    found = audit(people, {1: people, "1": people}, keys="k", target="t")
    assert list(found.to_dict()["measures"]["average_cap"]) == ["1", "'1'"]


def test_provenance_tells_types_and_takes_numbers_of_numpy():
    people = {"k": ["1", "2"], "t": ["x", "y"]}
    found = audit(people, people, keys="k", target="t", types={"k": "number"}, provenance={"seed": np.int64(3)})
    told = json.loads(found.to_json())["provenance"]
    assert told["types"] == {"k": "number"}
    assert told["seed"] == 3


def test_an_audit_of_sparse_tables_is_that_of_dense_ones(monkeypatch):
    from capstats.counts import backing

    people = {"k": list(range(40)), "t": [x % 37 for x in range(40)]}
    found = audit(people, {"a": people, "b": {"k": [1, 2], "t": [1, 3]}}, keys="k", target="t")
    monkeypatch.setattr(backing, "LARGE", 1)
    again = audit(people, {"a": people, "b": {"k": [1, 2], "t": [1, 3]}}, keys="k", target="t")
    assert not isinstance(again.tables.o.data, np.ndarray)
    assert repr(again) == repr(found)
    assert again.to_json() == found.to_json()
