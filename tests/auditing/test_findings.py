"""The labels and the order of the releases, as every report uses them."""

import pytest

from capstats import audit

pytestmark = pytest.mark.slow

PEOPLE = {"k": [*"aabb"], "t": [*"xxxy"]}


@pytest.mark.parametrize("backing", ["dense", "sparse"])
def test_one_release_has_the_counts_of_its_records(backing):
    none = {"k": ["c", "c", "a"], "t": ["x", "x", "y"]}
    several = audit(PEOPLE, {"all": PEOPLE, "none": none}, allow_same=True, keys="k", target="t", backing=backing)
    alone = audit(PEOPLE, none, keys="k", target="t")
    counts = several.release(1).data
    counts = getattr(counts, "todense", lambda: counts)()
    assert counts.tolist() == [[0, 0, 2], [1, 0, 0]]  # the targets x and y, the keys a, b and c
    assert alone.release(0).identical(alone.tables.s)
    assert several.release(1).name == "s"
