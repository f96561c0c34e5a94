"""The best width beside the best threshold: held against one curve after the other."""

import numpy as np
import pandas as pd
import pytest

from capstats.attacks import best_membership_width, membership_roc


def people(seed, n=40):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"age": rng.integers(20, 60, n) + rng.random(n), "town": rng.choice(list("abcd"), n)})


def blurred(frame, seed):
    return frame.assign(age=frame["age"] + np.random.default_rng(seed).normal(0, 0.5, len(frame)))


def test_by_hand():
    # Width 1: the members of 20 and 40 score 1 and more, those of 31 and 70 next to nothing. Width 100: the sums of squared distances are
    # 400, 400 for the members and 202, 3400 for the others, so that the order is other, members, other: 1 - 1/2.
    found = best_membership_width({"age": [20, 40]}, {"age": [31, 70]}, {"age": [20, 40]}, columns="age", widths=[1, 100], allow_same=True)
    assert found.best_difference.values.tolist() == [1, 0.5]
    assert found["width"].values.tolist() == ["1", "100"]
    assert found.best_width.item() == "1"


def test_each_width_is_that_of_its_own_curve_and_the_best_has_the_greatest_difference():
    members, others = people(1), people(2)
    released = [blurred(members, i) for i in range(3)]
    usual = {"columns": ["age", "town"]}
    found = best_membership_width(members, others, released, **usual)
    assert found.sizes == {"width": 3, "releases": 3}
    for label in ("low", "medium", "high"):
        curve = membership_roc(members, others, released, widths=label, **usual)
        for name in ("best_threshold", "best_difference", "accuracy", "auc", "auc_standard_error"):
            np.testing.assert_array_equal(found[name].sel(width=label), curve[name])
    for m in (1, 2, 3):
        of_m = found.sel(releases=m)
        assert of_m.best_difference.sel(width=of_m.best_width.item()) == of_m.best_difference.max()


def test_of_equal_widths_the_first_is_named_and_one_table_needs_no_dim():
    members, others = people(1), people(2)
    found = best_membership_width(members, others, members, columns="age", widths={"a": 0.01, "b": 0.001}, releases=1, allow_same=True)
    assert dict(found.sizes) == {"width": 2}
    assert found.best_difference.values.tolist() == [1, 1]
    assert found.best_width.item() == "a"


@pytest.mark.parametrize("widths", ["low", [], {}, 1])
def test_there_must_be_widths_to_compare(widths):
    with pytest.raises(ValueError, match="`widths` must be several widths to compare"):
        best_membership_width(people(1), people(2), people(3), columns="age", widths=widths)


def test_one_width_twice_is_refused():
    with pytest.raises(ValueError, match="`widths` has 'low' twice"):
        best_membership_width(people(1), people(2), people(3), columns="age", widths=["low", "high", "low"])
