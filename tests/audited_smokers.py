"""Audits of the smokers of the paper."""

import pytest
from read_reports import several_of

from capstats import audit, expand
from capstats.datasets import smoking


@pytest.fixture(scope="module")
def people():
    """The smokers of the paper as records."""
    tables = smoking()
    return expand(tables.o), expand(tables.s)


@pytest.fixture(scope="module")
def found(people):
    return audit(*people, keys="smoking", target="health")


@pytest.fixture(scope="module")
def two(people):
    return several_of(people, ["resampled", "few"])


@pytest.fixture(scope="module")
def seven(people):
    return several_of(people, [f"release-of-a-synthesiser-with-a-very-long-name-{i}.csv" for i in range(7)])
