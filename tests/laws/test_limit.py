"""The law of average CAP in the limit of many synthetic records."""

from capstats.laws.limit import limit_law


def test_the_limit_has_a_law():
    assert callable(limit_law)
