"""Class sizes, re-identification risk, and diversity within classes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_table import classes, coarsened, profile, random_tables, records, shares, tables
from strategies import keys_that_merge, theorem

from capstats import at_most, from_counts, tabulate
from capstats.anonymity import anonymity_profile, class_sizes, k_anonymity, l_diversity, marketer_risk, prosecutor_risk

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_a_table_without_records_has_no_risk():
    empty = [[0, 0], [0, 0]]
    assert np.isnan(k_anonymity(empty))
    assert np.isnan(marketer_risk(empty))
    assert np.isnan(prosecutor_risk(empty)).all()
    assert class_sizes(empty).sizes == {"size": 0}


def test_sizes_and_risks_are_those_of_a_loop_over_records():
    for table in random_tables(1):
        sizes = [len(c) for c in classes(table)]
        assert k_anonymity(table).item() == min(sizes)
        found = class_sizes(table)
        assert dict(zip(found["size"].values.tolist(), found.classes.values.tolist(), strict=True)) == Counter(sizes)
        assert found.records.sum().item() == len(records(table))
        by_key = Counter(j for _, j in records(table))
        risks = [Fraction(1, by_key[j]) for _, j in records(table)]
        assert marketer_risk(table).item() == float(sum(risks) / len(risks))
        assert prosecutor_risk(table).max().item() == float(max(risks))


@theorem
@given(st.data())
def test_merging_keys_never_lowers_k_or_a_diversity_and_never_raises_a_risk(data):
    table = data.draw(tables)
    merged = coarsened(table, data.draw(keys_that_merge(table.shape[1])))
    assert k_anonymity(merged) >= k_anonymity(table)
    assert marketer_risk(merged) <= marketer_risk(table)
    assert prosecutor_risk(merged).max() <= prosecutor_risk(table).max()
    assert profile(merged).alpha <= profile(table).alpha
    assert l_diversity(merged) >= l_diversity(table)
    assert at_most(l_diversity(table, kind="entropy"), l_diversity(merged, kind="entropy"))
    for l in (1, 2, 3):  # noqa: E741
        assert at_most(l_diversity(merged, kind="recursive", l=l), l_diversity(table, kind="recursive", l=l))


def test_labels_of_keys_and_missing_values_are_kept():
    people = {"sex": ["f", None, "f", None], "age": [1, 1, 1, 2], "ill": ["a", "b", "b", None]}
    table = tabulate(people, keys=["sex", "age"], target="ill").o
    risk = prosecutor_risk(table)
    assert risk.indexes["key"].equals(table.indexes["key"])
    assert risk.sel(sex="f", age=1).item() == 0.5
    assert k_anonymity(table).item() == 1


def test_weights_are_summed():
    assert k_anonymity([[0.5, 2.5], [1.0, 0]]).item() == 1.5
    assert class_sizes([[0.5, 2.5], [1.0, 0]])["size"].values.tolist() == [1.5, 2.5]


@pytest.mark.parametrize("risk", [prosecutor_risk, marketer_risk])
@pytest.mark.parametrize("table", [[[0.5]], [[0.5, 2.5], [1.0, 0]]])
def test_there_is_no_risk_to_be_picked_from_half_a_record(risk, table):
    with pytest.raises(ValueError, match="`o` must hold integers: the risk is 1 divided by the number of records in a class"):
        risk(table)
    both = anonymity_profile(table, np.ceil(table))
    for name in ("prosecutor", "marketer", "uniques"):
        assert np.isnan(both[name].sel(table="original"))
        assert not np.isnan(both[name].sel(table="synthetic"))
    assert not np.isnan(both.k).any()


def test_counts_near_the_largest_that_are_exact():
    assert k_anonymity([[2**52, 2**52 - 1]]).item() == 2**52 - 1
    assert class_sizes([[2**52, 2**52 - 1]]).records.values.tolist() == [2**52 - 1, 2**52]


def test_a_dataset_stands_for_its_original():
    assert class_sizes(from_counts([[1]])).records.values.tolist() == [1]


def factor(targets, l):  # noqa: E741
    """r_1 / (r_l + ... + r_I) of a class."""
    r = sorted(shares(targets).values(), reverse=True)
    tail = sum(r[l - 1 :], Fraction(0))
    return float(r[0] / tail) if tail else inf


def entropy_l(targets):
    return exp(-sum(float(r) * log(r) for r in shares(targets).values()))


def test_entropy_l_of_equally_frequent_targets_is_their_number():
    """To the last digit, so that a table that is 7-diverse is not refused as 6.999999999999998."""
    for number in range(1, 99):
        assert l_diversity(np.full((number, 2), 3), kind="entropy").item() == number


def test_the_least_diverse_class_counts():
    table = [[3, 0], [3, 5]]
    assert l_diversity(table).item() == l_diversity(table, kind="entropy").item() == 1
    assert profile(table).alpha.item() == 1
    assert profile(table).k.item() == k_anonymity(table).item() == 5


def test_models_are_those_of_a_loop_over_records():
    for table in random_tables(3):
        found = classes(table)
        assert profile(table).alpha.item() == float(max(max(shares(c).values()) for c in found))
        assert l_diversity(table).item() == min(len(set(c)) for c in found)
        np.testing.assert_allclose(l_diversity(table, kind="entropy"), min(map(entropy_l, found)), rtol=1e-14)
        for l in range(1, 7):  # noqa: E741
            np.testing.assert_allclose(l_diversity(table, kind="recursive", l=l), max(factor(c, l) for c in found), rtol=1e-14)


@theorem
@given(tables)
def test_one_over_alpha_is_at_most_entropy_l_is_at_most_distinct_l_is_at_most_k(table):
    entropy, distinct = l_diversity(table, kind="entropy"), l_diversity(table)
    found = profile(table)
    assert at_most(1 / found.alpha, entropy)
    assert at_most(entropy, distinct)
    assert distinct <= found.k


@theorem
@given(tables, st.integers(1, 5))
def test_the_recursive_factor_rises_with_l_and_is_finite_up_to_the_distinct_l(table, l):  # noqa: E741
    factors = [l_diversity(table, kind="recursive", l=x).item() for x in (l, l + 1)]
    assert factors[0] <= factors[1]
    assert (factors[0] < inf) == (l <= l_diversity(table).item())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "plain"}, '`kind` must be "distinct", "entropy" or "recursive"; got \'plain\''),
        ({"kind": "recursive"}, '`l` must be given with kind="recursive", and only then'),
        ({"l": 2}, '`l` must be given with kind="recursive", and only then'),
        ({"kind": "recursive", "l": 0}, "`l` must be an integer number of targets, 1 or more; got 0"),
        ({"kind": "recursive", "l": 1.5}, "`l` must be an integer number of targets, 1 or more; got 1.5"),
        ({"kind": "recursive", "l": True}, "`l` must be an integer number of targets, 1 or more; got True"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        l_diversity([[1, 2], [2, 1]], **options)


@theorem
@given(tables)
def test_marketer_risk_is_at_most_prosecutor_risk_is_one_over_k(table):
    k = k_anonymity(table).item()
    assert prosecutor_risk(table).max().item() == 1 / k
    assert marketer_risk(table).item() <= 1 / k
