# PYTHON_ARGCOMPLETE_OK
"""The command ``capstats``: an audit of one's own files, the columns and people that the risk comes from, attacks, and the paper."""

from capstats.cli.program import main as main
from capstats.cli.program import parser as parser

__all__ = ["main", "parser"]
