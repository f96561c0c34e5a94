"""The report of an audit: its text in one line, its tables and their rows; audits of several synthetic tables."""

from pathlib import Path
from tempfile import TemporaryDirectory

from capstats import audit
from capstats.reports.blocks import Grid


def several_of(people, labels):
    """So many synthetic tables, each without some more of its records."""
    original, synthetic = people
    return audit(original, {label: synthetic.iloc[i:] for i, label in enumerate(labels)}, keys="smoking", target="health")


def public(found, threshold=10):
    """The public page, with a ledger of its own."""
    with TemporaryDirectory() as folder:
        return found.to_html(audience="public", threshold=threshold, ledger=Path(folder, "ledger.json"))


def one_line(result):
    """The report without its line breaks."""
    return " ".join(repr(result).split())


def grids(result, section):
    return [block for block in result.sections()[section] if isinstance(block, Grid)]


def row(grid, label):
    (numbers,) = (numbers for name, *numbers in grid.rows if name.strip() == label)
    return numbers
