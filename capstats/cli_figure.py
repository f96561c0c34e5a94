"""The figure of an audit as a file: whether it can be written, known before anything is counted, and either whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from capstats.auditing.audits import Audit

ENDINGS = {".png": ("Software", "Description"), ".pdf": ("Creator", "Subject"), ".svg": ("Creator", "Description")}
PATHS = ("original", "synthetic", "holdout", "files")  # what the caller's folders are called stays out of the figure


def check_figure(file: str) -> None:
    """Raise unless a figure can be written to this file."""
    if Path(file).suffix.lower() not in ENDINGS:
        raise ValueError(f"--figure must end in .png, .pdf or .svg; got {file!r}.")
    path = Path(file)
    if path.is_dir() or (path.exists() and not os.access(path, os.W_OK)):
        raise ValueError(f"--figure cannot be written to {file!r}: {'it is a folder' if path.is_dir() else 'it is read-only'}.")
    with _beside(file):
        pass


def save_figure(found: Audit, file: str) -> None:
    """Boxplots of individual CAP, with the measures and how they came to be, but no paths, in the file's metadata."""
    import matplotlib.pyplot as plt

    from capstats.cap.distribution import cap_boxplot
    from capstats.plotting import plot_individual_cap

    plot_individual_cap(cap_boxplot(found.tables.get("o_records", found.tables.o), found.tables.s))
    figure = plt.gcf()
    told = replace(found, provenance={name: value for name, value in found.provenance.items() if name not in PATHS})
    software, about = ENDINGS[Path(file).suffix.lower()]
    try:
        with _beside(file) as whole:
            figure.savefig(whole, dpi=200, metadata={software: f"capstats {found.provenance['capstats']}", about: told.to_json()})
            whole.replace(Path(file).resolve())
    finally:
        plt.close(figure)


@contextmanager
def _beside(file: str) -> Iterator[Path]:
    """An empty file in the same folder, which is removed afterwards unless it has taken the file's place."""
    target = Path(file).resolve()
    temporary = target.with_name(f".{target.stem}-{os.getpid()}{target.suffix}")
    try:
        temporary.open("xb").close()
        yield temporary
    except OSError as error:
        raise ValueError(f"--figure cannot be written to {file!r}: {error.strerror or error}.") from error
    finally:
        temporary.unlink(missing_ok=True)
