"""Individual CAP: printed values, and sums over the targets of a key."""

import functools

import numpy as np
from hypothesis import given
from strategies import examples, table_pairs

from capstats import individual_cap
from capstats.datasets import smoking

pairs_of_tables = functools.partial(table_pairs, most=30)


def test_individual_cap_of_the_smokers_is_as_printed():
    """Section 2.3: 0.4, 8/33 = 0.2424, 0.6, 25/33 = 0.7576."""
    tables = smoking()
    with_o = individual_cap(tables.o, tables.o).sel(smoking="Smoking")
    with_s = individual_cap(tables.o, tables.s).sel(smoking="Smoking")
    assert with_o.sel(target="Sick").item() == 20 / 50 == 0.4
    assert with_s.sel(target="Sick").item() == 8 / 33
    assert with_o.sel(target="Healthy").item() == 30 / 50 == 0.6
    assert with_s.sel(target="Healthy").item() == 25 / 33


@examples(30)  # tests/laws/test_theorems.py has all small tables
@given(pairs_of_tables())
def test_individual_caps_of_a_key_add_up_to_one_where_it_is_matched(tables):
    """Theorem 1; 0 where the key is not in s."""
    o, s = tables
    sums = individual_cap(o, s).sum("target").values
    np.testing.assert_allclose(sums, (s.sum(0) > 0).astype(float), rtol=1e-14)
