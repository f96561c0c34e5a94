"""The progress of a long count: one line on stderr, written by a thread of its own, so that short counts cost no more."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from capstats.codes.checks import shown
from capstats.codes.names import printable

DELAY = 2.0  # seconds before anything is shown
EVERY = 0.5  # seconds between updates

_KNOWN = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
_UNKNOWN = "{desc}: {elapsed}"


@dataclass
class Step:
    """One step of a call: what it is, and how much of it is done."""

    what: str
    total: float | None = None
    measured: Callable[[], float] | None = None  # returns how much is done, where `advance` is not called
    rows: float = 0.0
    start: float = field(default_factory=time.monotonic)

    def advance(self, rows: int) -> None:
        """Add to the rows that are done."""
        self.rows += rows

    def done(self) -> float:
        """How much of the total is done."""
        if self.measured is not None:
            self.rows = max(self.rows, self.measured())  # a query that has ended returns -1
        return self.rows


class Progress:
    """The progress of one call, shown when it takes long.

    Parameters
    ----------
    show : bool, optional
        Whether to show anything; None shows it where stderr is a terminal or a notebook.
    """

    def __init__(self, show: bool | None = None):
        if show is not None and not isinstance(show, bool):
            raise TypeError(f"`progress` must be True, False or None; got {shown(show)}.")
        self.shown = is_watched() if show is None else show
        self._step = Step("")
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def __enter__(self) -> Progress:
        if self.shown:
            self._thread = threading.Thread(target=self._run, name="capstats progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        if self.shown:
            self._thread.join()

    def __reduce__(self) -> tuple[type[Progress], tuple[bool]]:
        """In another process nothing is shown."""
        return Progress, (False,)

    def step(self, what: str, rows: int | None = None) -> Step:
        """Begin a step with a number of rows, or of unknown length."""
        self._step = Step(what, rows)
        return self._step

    @contextmanager
    def query(self, connection: Any, table: str) -> Iterator[None]:
        """The progress of a DuckDB query in this block, where DuckDB reports it."""
        before, self._step = self._step, Step(f"counting {table}", 100, connection.query_progress)
        try:
            yield
        finally:
            with self._lock:  # the connection is about to be closed
                self._step = before

    def _run(self) -> None:
        if self._ended.wait(DELAY):
            return
        from tqdm import tqdm

        bar: Any = None
        seen: Step | None = None
        ended = False
        while not ended:
            with self._lock:
                step = self._step
                done = step.done()
            if step is not seen:
                if bar is not None:
                    bar.close()
                form = _KNOWN if step.total else _UNKNOWN
                bar = tqdm(
                    total=step.total, desc=printable(step.what), leave=False, file=sys.stderr, bar_format=form, ncols=_width(), nrows=20
                )
                bar.start_t -= time.monotonic() - step.start
                seen = step
            bar.n = done
            bar.refresh()
            ended = self._ended.wait(EVERY)
        bar.close()


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80  # a terminal may not know its width
    except (OSError, ValueError, AttributeError):  # stderr is no terminal
        return 80


def is_watched() -> bool:
    """Whether stderr is a terminal or belongs to a notebook."""
    stream = sys.stderr
    return not getattr(stream, "closed", True) and (stream.isatty() or type(stream).__module__.startswith("ipykernel."))
