"""Examples of hypothesis, and the number of processes that run the tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# no deadline: the first call into a library may take long; strategies.py says how many examples a test of its own number takes
settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("random", max_examples=100, deadline=None, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

collect_ignore = ["notebook_checks"]  # they run in the kernels of the notebooks


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """None for files that are named, since processes take longer to start than most files to run; ``-n 2`` still gives two."""
    named = [argument.split("::")[0].endswith(".py") for argument in config.args]
    return 0 if all(named) else None
