"""Sums of kernels are the same along axes and between rows, and neither way takes much memory."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats.attacks import kernels


@examples(60)
@given(st.data())
def test_both_routes_give_the_same_scores_at_any_width(data):
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    column = [st.integers(0, size - 1) for size in sizes]
    rows = st.lists(st.tuples(*column), min_size=1, max_size=8, unique=True)
    x, y = (np.array(data.draw(rows)).T for _ in range(2))
    counts = np.array(data.draw(st.lists(st.integers(1, 10**6), min_size=y.shape[1], max_size=y.shape[1])))
    width = st.floats(1e-3, 1e3)
    found = [kernels.Kernel(np.arange(float(size)), data.draw(width), data.draw(st.booleans())) for size in sizes]
    along = kernels._along_axes(found, list(x), list(y), counts)
    between = kernels._between_rows(found, list(x), list(y), counts)
    np.testing.assert_allclose(along, between, rtol=1e-12, atol=1e-12)


def test_neither_the_tensor_nor_a_matrix_of_levels_may_be_large():
    assert kernels._axes_pay([5] * 8, 10**9)
    assert not kernels._axes_pay([2000], 10**12)  # 4 million distances, for which there may be fewer pairs of rows in memory at a time
    assert not kernels._axes_pay([5] * 11, 10**12)
    assert not kernels._axes_pay([5] * 8, 10**6)
