"""Class sizes, k-anonymity, prosecutor and marketer risk."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from one_table import classes, coarsened, random_tables, records, tables
from strategies import keys_that_merge, theorem

from capstats import from_counts, tabulate
from capstats.anonymity import anonymity_profile, class_sizes, k_anonymity, marketer_risk, prosecutor_risk

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

O_4 = [[0, 0, 62], [197, 136, 134], [74, 99, 198]]


def test_the_classes_of_a_table_of_the_paper():
    # O_4 has 271, 235 and 394 records of its three keys.
    assert k_anonymity(O_4).item() == 235
    assert class_sizes(O_4)["size"].values.tolist() == [235, 271, 394]
    assert prosecutor_risk(O_4).values.tolist() == [1 / 271, 1 / 235, 1 / 394]
    assert marketer_risk(O_4).item() == 3 / 900


def test_a_key_without_records_is_no_class():
    table = [[2, 0, 1], [3, 0, 1]]
    assert k_anonymity(table).item() == 2
    assert class_sizes(table).classes.values.tolist() == [1, 1]
    np.testing.assert_array_equal(prosecutor_risk(table), [1 / 5, np.nan, 1 / 2])
    assert marketer_risk(table).item() == 2 / 7


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
@given(tables)
def test_marketer_risk_is_at_most_prosecutor_risk_is_one_over_k(table):
    k = k_anonymity(table).item()
    assert prosecutor_risk(table).max().item() == 1 / k
    assert marketer_risk(table).item() <= 1 / k


@theorem
@given(st.data())
def test_merging_keys_never_lowers_k_and_never_raises_the_risks(data):
    table = data.draw(tables)
    merged = coarsened(table, data.draw(keys_that_merge(table.shape[1])))
    assert k_anonymity(merged) >= k_anonymity(table)
    assert marketer_risk(merged) <= marketer_risk(table)
    assert prosecutor_risk(merged).max() <= prosecutor_risk(table).max()


def test_every_other_dim_is_a_table_of_its_own():
    batch = xr.DataArray(np.random.default_rng(2).integers(0, 4, (3, 4, 2, 5)), dims=("draw", "key", "synthetic", "target"))
    sizes = class_sizes(batch)
    for draw in range(3):
        for synthetic in range(2):
            at = {"draw": draw, "synthetic": synthetic}
            one = batch.isel(at).transpose("target", "key").values
            assert k_anonymity(batch).isel(at) == k_anonymity(one)
            assert marketer_risk(batch).isel(at) == marketer_risk(one)
            np.testing.assert_array_equal(prosecutor_risk(batch).isel(at), prosecutor_risk(one))
            own = sizes.isel(at).sel(size=class_sizes(one)["size"].values)
            np.testing.assert_array_equal(own.classes, class_sizes(one).classes)
            assert sizes.classes.isel(at).sum() == class_sizes(one).classes.sum()


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
    with pytest.raises(ValueError, match="`table` must hold integers: the risk is 1 divided by the number of records in a class"):
        risk(table)
    both = anonymity_profile(table, np.ceil(table))
    for name in ("prosecutor", "marketer", "uniques"):
        assert np.isnan(both[name].sel(table="original"))
        assert not np.isnan(both[name].sel(table="synthetic"))
    assert not np.isnan(both.k).any()


def test_counts_near_the_largest_that_are_exact():
    assert k_anonymity([[2**52, 2**52 - 1]]).item() == 2**52 - 1
    assert class_sizes([[2**52, 2**52 - 1]]).records.values.tolist() == [2**52 - 1, 2**52]


def test_bad_tables_are_named():
    with pytest.raises(ValueError, match="`table` must be non-negative; got -1 at key=1, target=0"):
        k_anonymity([[1, -1]])
    with pytest.raises(TypeError, match=r"`table` is a Dataset; give one of its tables, such as tables\.o"):
        class_sizes(from_counts([[1]]))
