"""The numbers of synthgauge and SDNist."""

import pytest

from capstats import from_counts
from capstats.disclosure import disco
from capstats.peers import as_sdnist, as_synthgauge


def test_synthgauge_and_sdnist_print_disco_as_a_share():
    t = from_counts([[3, 2, 2], [1, 2, 0]], [[2, 1, 0], [0, 1, 0]])
    assert as_synthgauge(t) == {"tcap_score": disco(t.o, t.s).item()} == {"tcap_score": 0.3}
    assert as_sdnist(t) == {"DiSCO": 0.3, "DiO": 0.2, "DiSCO - DiO": pytest.approx(0.1)}
    assert as_synthgauge(from_counts([[1], [1]], [[1], [1]])) == {"tcap_score": 0}  # no key is pure
