"""Individual and average CAP, matched records, correct predictions: by hand, and of huge counts in exact fractions.

tests/laws/test_theorems.py has all small tables, person by person; test_every_measure.py what holds of every measure.
"""

import numpy as np
import pytest
from exact_caps import alone, mean_over_people

from capstats import average_cap, correct_predictions, individual_cap, matched_records

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

both_versions = pytest.mark.parametrize("unmatched", ["zero", "drop"])


# Hand-derived values


def test_unmatched_key_counts_zero_or_is_left_out():
    # Key 0: (3 * 1 + 1 * 3) / 4 = 6 / 4. Key 1 is not in s: its 2 + 4 records count 0, or not at all. n = 10, n_M = 4.
    o, s = [[3, 2], [1, 4]], [[1, 0], [3, 0]]
    assert average_cap(o, s).item() == 1.5 / 10
    assert average_cap(o, s, unmatched="drop").item() == 1.5 / 4
    assert matched_records(o, s).item() == 4
    assert individual_cap(o, s).values.tolist() == [[0.25, 0], [0.75, 0]]
    np.testing.assert_array_equal(individual_cap(o, s, unmatched="drop"), [[0.25, np.nan], [0.75, np.nan]])
    assert correct_predictions(o, s).item() == 1  # target 1 is named for key 0, where one record has it


def test_tied_targets_share_the_prediction():
    # Targets 0 and 1 tie for key 0, all three tie for key 1: 4/2 + 2/2 + (3 + 6 + 9)/3 = 9.
    assert correct_predictions([[4, 3], [2, 6], [1, 9]], [[5, 1], [5, 1], [4, 1]]).item() == 9


# Exact fractions


@both_versions
def test_average_cap_of_huge_counts_is_that_of_exact_fractions(unmatched):
    """Counts up to 2**49, whose products are far beyond 2**63."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        shape = (rng.integers(2, 4), rng.integers(2, 5))
        o, s = (2 ** rng.integers(0, 50, shape) + rng.integers(-1, 2, shape) * (rng.random(shape) < 0.5) for _ in range(2))
        s[:, 0] *= rng.integers(0, 2)
        exact = float(mean_over_people(alone(shape[1]), o, s, unmatched))
        assert average_cap(o, s, unmatched=unmatched).item() == pytest.approx(exact, rel=1e-14, abs=0)


def test_products_of_counts_beyond_int64_do_not_overflow():
    """As many records as a table may hold: the products are about 2**102."""
    top = 2**51
    assert average_cap([[top, 1], [1, top]], [[top, 1], [1, top]]).item() == pytest.approx(1, rel=1e-15)
    assert average_cap([[top, top]], [[top, top]]).item() == 1
    assert matched_records([[top, top], [top - 1, 0]], [[0, 1], [top, 0]]).item() == 3 * top - 1
    assert correct_predictions([[top], [top]], [[1], [1]]).item() == top
    assert individual_cap([[1], [1]], [[top], [top]]).values.tolist() == [[0.5], [0.5]]
    one_cell = [[2**53 - 1]]
    assert average_cap(one_cell, one_cell).item() == 1
    assert matched_records(one_cell, one_cell).item() == 2**53 - 1


# What goes in and what comes out


def test_matched_records_are_integers_for_counts_and_floats_for_weights():
    assert matched_records([[1, 2]], [[1, 0]]).dtype == np.int64
    assert matched_records([[1.0, 2.0]], [[1, 0]]).dtype == np.int64
    assert matched_records([[1.5, 2]], [[1, 0]]).dtype == np.float64
