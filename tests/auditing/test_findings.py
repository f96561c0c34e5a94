"""The labels and the order of the releases, as every report uses them."""

import pytest

from capstats import audit
from capstats.auditing.findings import Findings

PEOPLE = {"k": [*"aabb"], "t": [*"xxxy"]}


def test_an_audit_is_its_findings(found):
    assert isinstance(found, Findings)
    assert found.columns == [""]
    assert found.ranked == [0]


def test_labels_that_look_alike_are_told_apart():
    assert audit(PEOPLE, {1: PEOPLE, "1": PEOPLE}, allow_same=True, keys="k", target="t").columns == ["1", "'1'"]


def test_releases_are_in_the_order_asked_for():
    """The second has a share of 0.75, the first none: no key of it is in the original."""
    none = {"k": ["c", "c", "a"], "t": ["x", "x", "y"]}
    assert audit(PEOPLE, {"none": none, "all": PEOPLE}, allow_same=True, keys="k", target="t", rank_by="average_cap_nearest").ranked == [
        1,
        0,
    ]


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
