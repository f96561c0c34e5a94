"""Figure 2 of the paper without simulation."""

import numpy as np
import pytest

from capstats.paper import law_curve, no_riskier, probability_text

pytestmark = pytest.mark.slow


def test_the_probabilities_in_the_limit_are_narrow():
    for label, limit in (("O_1", 1), ("O_2", 1), ("O_3", 0.995823), ("O_4", 0.993932)):
        lower, upper = no_riskier(label)
        assert lower == pytest.approx(limit, abs=5e-7)
        assert upper - lower < 1e-12


def test_the_probability_with_the_records_of_the_figure_is_another_one():
    """10^6 simulated tables of 900 records have the share .995503 on O_3, with a standard error of 7e-5."""
    lower, upper = no_riskier("O_3", 900)
    assert 0.995503 - 4 * 7e-5 < lower <= upper < 0.995503 + 4 * 7e-5
    assert upper < no_riskier("O_3")[0]
    assert upper - lower < 1e-4


def test_the_curve_of_o_1_is_an_atom_and_that_of_o_2_a_density():
    assert law_curve("O_1").value.values == pytest.approx([1 / 3])
    curve = law_curve("O_2")
    heights = curve.least.values
    assert (heights[:-1] + heights[1:]).sum() / 2 / 300 == pytest.approx(1, rel=1e-3)
    assert np.diff(curve.value).min() > 0


def test_a_probability_is_told_as_one_number_or_as_two():
    assert probability_text("O_2", 900) == "1.0000 with 900 records, 1.000000 in the limit of many"
    assert probability_text("O_3", 900) in (
        "0.9955 to 0.9956 with 900 records, 0.995823 in the limit of many",
        "0.9956 with 900 records, 0.995823 in the limit of many",
    )
