"""Chromium, started once for the tests of a file."""

import chromium
import pytest


@pytest.fixture(scope="module")
def browser():
    with chromium.browser() as found:
        yield found
