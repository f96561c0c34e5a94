"""``capstats --version --verbose``: what a bug report needs."""

from __future__ import annotations

import locale
import os
import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from capstats import __version__

OWN = r"extra == .(test|docs|dev)\b"  # what only those who build capstats need


def about() -> str:
    """Versions of capstats, Python, the system, and every package that capstats can use; nothing of files or of their paths."""
    names = {re.split(r"[^\w.-]", line)[0] for line in requires("capstats") or () if not re.search(OWN, line)}
    rows = [
        ("capstats", __version__),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()}, {sys.maxsize.bit_length() + 1} bits)"),
        ("system", f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} CPUs"),
        ("encoding", f"{locale.getpreferredencoding(do_setlocale=False)}, output {sys.stdout.encoding if sys.stdout else 'closed'}"),
        *((name, _installed(name)) for name in sorted(names - {"capstats"})),
    ]
    wide = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:{wide}}  {text}" for name, text in rows)


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
