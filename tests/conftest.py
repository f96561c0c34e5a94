"""Hypothesis without a deadline: the first call into a library may take long."""

import pytest
from hypothesis import settings

settings.register_profile("capstats", deadline=None)
settings.load_profile("capstats")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Cutting date columns inside Dask needs newer releases of what it stands on than the lowest declared ones."""
    for item in items:
        if "test_bins.py" in item.nodeid and "Dask" in item.nodeid:
            item.add_marker("newest")
