"""The output of the commands: files, which are confidential, and the common parts of all reports."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capstats import __version__
from capstats.cli.flags import in_options
from capstats.cli.options import HELD, INPUTS, Settings
from capstats.codes.names import named, printable_json
from capstats.reports.blocks import plain
from capstats.sources.disk import check_file, check_unread, opened, write_file
from capstats.sources.files import found_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = {".png": ("Software", "Description"), ".pdf": ("Creator", "Subject"), ".svg": ("Creator", "Description")}
FILES = ("html", "csv", "figure", "out", "json")
SHOWN = 20  # rows of a text without --top
Content = Callable[[], str | bytes]  # of a file, which is made if the file is asked for
MEANINGS: dict[str, dict[str, str]] = HELD["meanings"]  # explanations of the numbers in a report


def check_files(settings: Settings, public: Collection[str] = ()) -> None:
    """Raise unless every file can be written, and none is an input; called before anything is counted."""
    for path in [path for name in INPUTS for given in _listed(settings.get(name)) for path in found_files(given)]:
        if Path(path).is_file():
            opened(path)  # an error for a missing file follows later
    written: dict[Path, str] = {}
    for name in [name for name in (*FILES, "ledger") if isinstance(settings.get(name), str)]:
        file = settings[name]
        if name == "ledger":
            from capstats.auditing.ledger import lock_of  # which loads all that an audit needs

            if other := written.get(lock_of(Path(file).resolve())):
                raise ValueError(f"--{other} is the lock of --ledger {file!r}. Give another path.")
        if (other := written.setdefault(Path(file).resolve(), name)) != name:
            raise ValueError(f"--{other} and --{name} are both {file!r}. Give each a path of its own.")
        if name == "figure" and Path(file).suffix.lower() not in ENDINGS:
            raise ValueError(f"--figure must end in .png, .pdf or .svg; got {file!r}.")
        counts = {"counts_may": name == "out"}
        check_unread(file, f"--{name}", **counts)
        with _named_option(name):
            check_file(file, private=name not in public, **counts)


def _listed(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else value


def save_files(settings: Settings, messages: list[str], contents: Mapping[str, Content], public: Collection[str] = ()) -> int:
    """Write the requested files; return the exit status, and a message for each file that cannot be written."""

    def write(name: str) -> None:
        write_file(settings[name], contents[name](), private=name not in public)

    return max((saved(name, messages, partial(write, name)) for name in contents if name in settings), default=0)


def saved(name: str, messages: list[str], write: Callable[[], object]) -> int:
    """Write the file of an option; return the exit status, and a message if it cannot be written."""
    try:
        with _named_option(name):
            write()
    except ValueError as error:
        messages.append(str(error))
        return 2
    return 0


@contextmanager
def _named_option(name: str) -> Iterator[None]:
    """Turn an error of writing the file of an option into one that names the option."""
    try:
        yield
    except OSError as error:
        to = f" to {error.filename!r}" if error.filename else ""  # the error for a full disk has no file name
        raise ValueError(f"--{name} cannot be written{to}: {error.strerror}.") from error
    except ValueError as error:
        raise ValueError(f"--{name}: {error}") from error


def figure(ax: Axes, file: str, made: str) -> bytes:
    """The figure of the Axes, which is closed, in the format of the file's ending, with its origin in the metadata."""
    import matplotlib.pyplot as plt

    drawn: Any = ax.figure
    try:
        return in_format(drawn, Path(file).suffix.lower(), made)
    finally:
        plt.close(drawn)


def in_format(drawn: Figure, ending: str, made: str, **metadata: Any) -> bytes:
    """A figure in the format of a file's ending, with its origin, and more, in the metadata."""
    software, about = ENDINGS[ending]
    content = io.BytesIO()
    drawn.savefig(content, format=ending[1:], dpi=200, metadata={software: f"capstats {__version__}", about: made, **metadata})
    return content.getvalue()


def given_out(
    settings: Settings,
    messages: list[str],
    text: Callable[[], str],
    content: Callable[[], Mapping[str, Any]],
    files: Mapping[str, Content] | None = None,
    attrs: Mapping[Any, Any] | None = None,
) -> tuple[str, int]:
    """The text; or the content and the warnings as JSON, printed in its place (--json) or written beside it (--json FILE).

    With it the exit status, once other files are written as well.
    """
    warned = [message.removeprefix("warning: ") for message in messages if message.startswith("warning: ")]

    def as_json() -> str:
        found = content() if attrs is None else {**content(), "provenance": provenance(settings, attrs)}
        return json_text(found if "warnings" in found else {**found, "warnings": warned})  # a record has its own, under its digest

    status = save_files(settings, messages, files or {})
    wanted = settings.get("json")
    if wanted is True:
        return as_json(), status
    return in_options(text()), status | save_files(settings, messages, {"json": as_json} if wanted else {})


def json_text(content: Any) -> str:
    """Plain numbers, texts and labels as JSON, undefined or missing ones as null, with escapes in place of what is not printable."""
    return printable_json(plain(content, infinite="infinite"))


ROLES = ("original", "members", "non-members", "synthetic", "holdout", "generator", "example")
READ = (*ROLES, "keys", "columns", "target", "targets", "missing", "weights", "within")  # settings that a report shows


def title(what: str) -> str:
    """The first line of a report."""
    return f"capstats {__version__}: {what}"


def facts(settings: Settings, columns: Mapping[str, Any] | None = None) -> list[tuple[str, str]]:
    """The inputs of a report, from the settings, or the columns of an example."""
    known = {**(columns or {}), **settings}
    return [(name, _named(known[name], str if name == "synthetic" else named)) for name in READ if name in known]


def _named(value: Any, called: Callable[[Any], str]) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{named(x)} of `{name}`" for name, x in value.items())
    return ", ".join(map(called, value)) if isinstance(value, list) else str(value)


def provenance(settings: Settings, attrs: Mapping[Any, Any]) -> dict[str, Any]:
    """The origin of numbers: the version, the attrs of the result, and the settings."""
    return {"capstats": __version__, **{str(name): x for name, x in attrs.items()}, **({"settings": dict(settings)} if settings else {})}
