"""The privacy models side by side."""

import numpy as np
import pytest

import capstats
from capstats import MISSING, from_counts, tabulate
from capstats.anonymity import anonymity_profile
from capstats.datasets import paper_originals, paper_synthetics, smoking

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


OF_LOOPS = {"alpha", "beta", "enhanced_beta", "delta", "delta_occurring"}  # test_classes.py and test_closeness.py hold them against loops
MODELS = {
    "k": capstats.anonymity.k_anonymity,
    "distinct_l": capstats.anonymity.l_diversity,
    "entropy_l": lambda x: capstats.anonymity.l_diversity(x, kind="entropy"),
    "recursive_c": lambda x: capstats.anonymity.l_diversity(x, kind="recursive", l=2),
    "t": capstats.anonymity.t_closeness,
    "ordered_t": lambda x: capstats.anonymity.t_closeness(x, distance="ordered"),
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
    assert set(models.data_vars) == MODELS.keys() | OF_LOOPS


def test_every_model_is_that_of_its_own_function():
    o, s = paper_originals(), paper_synthetics()
    models = anonymity_profile(o, s)
    for name, model in MODELS.items():
        np.testing.assert_allclose(models[name].sel(table="original").isel(synthetic=0), model(o), rtol=1e-14, err_msg=name)
        np.testing.assert_allclose(models[name].sel(table="synthetic").isel(original=0), model(s), rtol=1e-14, err_msg=name)
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


def test_weights_do_not_tell_who_is_alone():
    """Two records of weight 1/2 weigh as much as one."""
    assert np.isnan(anonymity_profile([[0.5, 1.5], [0.5, 0]], [[1, 1], [0, 1]]).uniques.sel(table="original"))
    assert anonymity_profile([[0.5, 1.5], [0.5, 0]], [[1, 1], [0, 1]]).uniques.sel(table="synthetic") == 1


def test_missing_labels_are_a_class_and_a_target():
    people = {"sex": ["f", "f", None, None], "ill": ["a", None, "a", None]}
    table = tabulate(people, keys="sex", target="ill").o
    models = anonymity_profile(table, table).sel(table="original")
    assert (models.k, models.distinct_l, models.t) == (2, 2, 0)
    assert table.sel(sex=MISSING).sum() == 2


def test_a_table_without_records_has_no_model():
    models = anonymity_profile([[1, 2]], [[0, 0]]).sel(table="synthetic")
    assert models.classes == models.uniques == 0
    assert all(np.isnan(models[name]) for name in (MODELS.keys() | OF_LOOPS) - {"classes", "uniques"})


def test_l_is_an_integer():
    with pytest.raises(ValueError, match="`l` must be an integer number"):
        anonymity_profile([[1, 2]], [[1, 2]], l=0)
