"""Chromium, started once for all tests of a process, and the lesson that the file is about: its `LESSON`."""

import chromium
import pytest
from lesson_pages import afresh, numbers, predicted

from capstats.lessons import page


@pytest.fixture(scope="session")
def browser():
    with chromium.browser() as found:
        yield found


@pytest.fixture(scope="module")
def lesson(browser, tmp_path_factory, request):
    with chromium.opened(browser, tmp_path_factory.mktemp("lesson"), page(request.module.LESSON)) as found:
        yield found


@pytest.fixture
def tab(lesson):
    """The lesson at its start, with its predictions made."""
    afresh(lesson)
    predicted(lesson)
    numbers(lesson)
    return lesson
