"""Standard input as a file that every reader takes: in memory on Linux, elsewhere in a private folder that is removed at the end."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

NAME = "standard-input"


@cache
def standard_input() -> str:
    """The path of a file with all of standard input, whose ending says what it is; an error where nothing is piped into it."""
    from capstats.tables.counts_json import START

    if sys.stdin is None or sys.stdin.isatty():
        raise ValueError("- is standard input, into which nothing is piped. Give a file, or put a program and | before the command.")
    content = sys.stdin.buffer.read()
    ending = ".parquet" if content.startswith(b"PAR1") else ".json" if START.match(content[:200]) else ".csv"
    folder = Path(tempfile.mkdtemp(prefix="capstats-input-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / f"{NAME}{ending}"
    if hasattr(os, "memfd_create"):
        held = os.memfd_create(NAME)
        with open(held, "wb", closefd=False) as file:
            file.write(content)
        path.symlink_to(f"/proc/{os.getpid()}/fd/{held}")
    else:
        path.write_bytes(content)
    return str(path)
