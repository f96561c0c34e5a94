"""Each privacy model has a row from the original to the synthetic table."""

from itertools import pairwise

import matplotlib as mpl
import numpy as np
from drawn import named

from capstats.anonymity import anonymity_profile
from capstats.plotting import plot_anonymity


def test_each_privacy_model_has_a_row_from_the_original_to_the_synthetic_table(ax):
    models = anonymity_profile([[20, 5], [30, 45]], [[8, 7], [25, 60]])
    plot_anonymity(models, ax=ax)
    names = list(models.data_vars)
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    original, synthetic = (c for c in ax.collections if isinstance(c, mpl.collections.PathCollection))
    for drawn, table in ((original, "original"), (synthetic, "synthetic")):
        expected = [[models[name].sel(table=table).item(), row] for row, name in enumerate(names)]
        np.testing.assert_array_equal(np.ma.filled(drawn.get_offsets(), np.nan), expected)
    assert named(ax) == ["original, n = 100 records", "synthetic, m = 100 records"]
    assert ax.get_xlabel() == "value; larger is riskier,\nbut safer in k, distinct_l, entropy_l"
    assert ax.texts[names.index("k")].get_text() == "50 → 33"


def test_infinite_and_undefined_models_are_written_not_drawn():
    models = anonymity_profile([[0, 3], [1, 0]], [[0, 0], [0, 0]])[["delta", "k"]]
    assert np.isinf(models.delta.values[0])
    ax = plot_anonymity(models)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == ["inf → undefined", "1 → undefined"]
    assert ax.get_xlim()[1] == 10


def test_a_large_model_lies_within_the_axes():
    models = anonymity_profile([[250_000, 1], [0, 0]], [[1, 1], [0, 0]])[["k", "uniques"]]
    big = models.assign(classes=("table", [250_000.0, 3.0]))
    ax = plot_anonymity(big)
    assert ax.get_xlim()[1] >= 250_000
    assert ax.texts[2].get_text() == "250,000 → 3"
    ax.figure.canvas.draw()
    extents = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert all(left.x1 < right.x0 for left, right in pairwise(extents))
