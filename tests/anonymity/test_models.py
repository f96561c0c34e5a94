"""The privacy models side by side, and the checks for given parameters."""

from math import inf, log, nextafter

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from one_table import random_tables, tables
from strategies import theorem

import capstats
from capstats import MISSING, from_counts, tabulate
from capstats.anonymity import anonymity_profile, satisfies_anonymity
from capstats.datasets import paper_originals, paper_synthetics, smoking

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

MODELS = {
    "k": capstats.anonymity.k_anonymity,
    "alpha": lambda x: capstats.anonymity.alpha_k_anonymity(x).alpha,
    "distinct_l": capstats.anonymity.l_diversity,
    "entropy_l": lambda x: capstats.anonymity.l_diversity(x, kind="entropy"),
    "recursive_c": lambda x: capstats.anonymity.l_diversity(x, kind="recursive", l=2),
    "t": capstats.anonymity.t_closeness,
    "ordered_t": lambda x: capstats.anonymity.t_closeness(x, distance="ordered"),
    "beta": capstats.anonymity.beta_likeness,
    "enhanced_beta": lambda x: capstats.anonymity.beta_likeness(x, kind="enhanced"),
    "delta": capstats.anonymity.delta_disclosure,
    "delta_occurring": lambda x: capstats.anonymity.delta_disclosure(x, kind="occurring"),
    "prosecutor": lambda x: capstats.anonymity.prosecutor_risk(x).max("key"),
    "marketer": capstats.anonymity.marketer_risk,
    "classes": lambda x: (x.sum("target") > 0).sum("key"),
    "uniques": lambda x: (x.sum("target") == 1).sum("key"),
}


def test_the_synthetic_table_stands_beside_the_original():
    tables = smoking()
    models = anonymity_profile(tables.o, tables.s)
    assert models["table"].values.tolist() == ["original", "synthetic"]
    assert models.k.values.tolist() == [50, 33]
    assert models.alpha.values.tolist() == [45 / 50, 60 / 67]
    assert set(models.data_vars) == set(MODELS)


def test_every_model_is_that_of_its_own_function():
    o, s = paper_originals(), paper_synthetics()
    models = anonymity_profile(o, s)
    for name, model in MODELS.items():
        np.testing.assert_array_equal(models[name].sel(table="original").isel(synthetic=0), model(o), err_msg=name)
        np.testing.assert_array_equal(models[name].sel(table="synthetic").isel(original=0), model(s), err_msg=name)
    c = capstats.anonymity.l_diversity(o, kind="recursive", l=3)
    np.testing.assert_array_equal(anonymity_profile(o, s, l=3).recursive_c.sel(table="original").isel(synthetic=0), c)


def test_a_copy_is_as_anonymous_as_the_original_and_discloses_all():
    """What the models cannot see: theory/anonymity.md#anonymity."""
    o = [[5, 0], [0, 5]]
    models = anonymity_profile(o, o)
    assert models.k.values.tolist() == [5, 5]
    assert capstats.average_cap(o, o) == 1


def test_tables_with_other_labels_stand_on_the_targets_of_both():
    o = from_counts([[2, 0], [0, 2]], key_labels=["x", "y"], target_labels=[1, 2]).o
    s = from_counts([[1, 1], [1, 1]], key_labels=["y", "z"], target_labels=[1, 3]).o
    models = anonymity_profile(o, s)
    assert models.ordered_t.values.tolist() == [0.25, 0]
    assert models.t.values.tolist() == [0.5, 0]
    assert models.classes.values.tolist() == [2, 2]


def test_the_order_of_several_target_columns_is_undefined():
    people = {"sex": ["f", "m", None], "ill": ["a", "b", None], "paid": [1, 2, 1]}
    tables = tabulate(people, people, keys="sex", target=["ill", "paid"])
    models = anonymity_profile(tables.o, tables.s)
    assert np.isnan(models.ordered_t).all()
    assert models.uniques.values.tolist() == [3, 3]
    with pytest.raises(ValueError, match="`ordered_t` needs one target column"):
        satisfies_anonymity(tables.o, ordered_t=0.5)


def test_weights_do_not_tell_who_is_alone():
    """Two records of weight 1/2 weigh as much as one."""
    assert np.isnan(anonymity_profile([[0.5, 1.5], [0.5, 0]], [[1, 1], [0, 1]]).uniques.sel(table="original"))
    assert anonymity_profile([[0.5, 1.5], [0.5, 0]], [[1, 1], [0, 1]]).uniques.sel(table="synthetic") == 1


def test_missing_labels_are_a_class_and_a_target():
    people = {"sex": ["f", "f", None, None], "ill": ["a", None, "a", None]}
    table = tabulate(people, keys="sex", target="ill").o
    assert satisfies_anonymity(table, k=2, distinct_l=2, t=0).to_array().all()
    assert table.sel(sex=MISSING).sum() == 2


def test_a_table_without_records_has_no_model_and_satisfies_none():
    models = anonymity_profile([[1, 2]], [[0, 0]]).sel(table="synthetic")
    assert models.classes == models.uniques == 0
    assert all(np.isnan(models[name]) for name in MODELS.keys() - {"classes", "uniques"})
    everything = dict.fromkeys(("k", "distinct_l", "entropy_l"), 0) | dict.fromkeys(("alpha", "t", "beta", "delta"), inf)
    assert not satisfies_anonymity([[0, 0]], **everything, recursive_cl=(inf, 1)).to_array().any()


SMALLEST = {
    "alpha": MODELS["alpha"],
    "t": MODELS["t"],
    "ordered_t": MODELS["ordered_t"],
    "beta": MODELS["beta"],
    "enhanced_beta": MODELS["enhanced_beta"],
}
GREATEST = {"k": MODELS["k"], "distinct_l": MODELS["distinct_l"], "entropy_l": MODELS["entropy_l"]}
NOT_REACHED = {"delta": MODELS["delta"], "delta_occurring": MODELS["delta_occurring"]}


@pytest.mark.slow
def test_the_parameter_that_a_function_returns_passes_and_a_stricter_one_fails():
    for array in random_tables(8, number=15):
        table = xr.DataArray(array, dims=("target", "key"))
        for name, model in SMALLEST.items():
            value = model(table).item()
            assert satisfies_anonymity(table, **{name: value})[name], name
            assert value == 0 or not satisfies_anonymity(table, **{name: value * (1 - 1e-9) if value < inf else 1e300})[name], name
        for name, model in GREATEST.items():
            value = model(table).item()
            assert satisfies_anonymity(table, **{name: value})[name], name
            assert not satisfies_anonymity(table, **{name: value * (1 + 1e-9)})[name], name
        for name, model in NOT_REACHED.items():
            value = model(table).item()
            assert not satisfies_anonymity(table, **{name: value})[name], name
            assert value == inf or satisfies_anonymity(table, **{name: value + 1e-9})[name], name
        for number in (1, 2, 3):
            c = capstats.anonymity.l_diversity(table, kind="recursive", l=number).item()
            assert not satisfies_anonymity(table, recursive_cl=(c, number)).recursive_cl
            assert c == inf or satisfies_anonymity(table, recursive_cl=(c * (1 + 1e-9), number)).recursive_cl


def test_equal_numbers_are_equal_in_spite_of_rounding():
    uniform = np.full((3, 2), 7)
    assert satisfies_anonymity(uniform, entropy_l=3, alpha=nextafter(1 / 3, 0)).to_array().all()
    assert satisfies_anonymity([[20, 5], [30, 45]], t=0.15, ordered_t=0.15, beta=0.6).to_array().all()
    assert not satisfies_anonymity([[20, 5], [30, 45]], delta=nextafter(log(2.5), 3)).delta
    assert not satisfies_anonymity([[8], [2]], recursive_cl=(nextafter(4, 5), 2)).recursive_cl


def test_every_other_dim_is_checked_by_itself():
    found = satisfies_anonymity(paper_originals(), k=236, distinct_l=2)
    assert found.k.dims == ("original",)
    assert found.k.dtype == bool
    assert found.k.sel(original="O_4").item() is False
    assert found.k.sel(original="O_1").item() is True
    assert found.distinct_l.values.tolist() == [True, False, False, True]


@pytest.mark.slow
@theorem
@given(tables, st.data())
def test_a_table_of_twice_as_many_records_satisfies_all_that_the_table_does(table, data):
    parameters = {name: data.draw(st.floats(0, 4)) for name in (*SMALLEST, *NOT_REACHED, "k", "distinct_l")}
    once, twice = (satisfies_anonymity(x, **parameters).to_array() for x in (table, 2 * table))
    assert (once <= twice).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "Give the parameter of at least one model: k, alpha, distinct_l"),
        ({"k": -1}, "`k` must be 0 or more; got -1"),
        ({"t": float("nan")}, "`t` must be 0 or more; got nan"),
        ({"recursive_cl": (1, 0)}, "`l` must be an integer number of targets, 1 or more; got 0"),
        ({"k": "5"}, "`k` must be 0 or more; got '5'"),
        ({"recursive_cl": 3}, r"`recursive_cl` must be a pair \(c, l\), such as \(3, 2\); got 3"),
        ({"recursive_cl": (-1, 2)}, "`recursive_cl` must be 0 or more; got -1"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        satisfies_anonymity([[1, 2]], **parameters)


def test_bad_tables_are_named():
    with pytest.raises(ValueError, match="`s` must be non-negative"):
        anonymity_profile([[1, 2]], [[1, -2]])
    with pytest.raises(ValueError, match="`l` must be an integer number"):
        anonymity_profile([[1, 2]], [[1, 2]], l=0)
