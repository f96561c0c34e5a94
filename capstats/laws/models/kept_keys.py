"""Releases that keep the key of every original record, and draw or move targets."""

from __future__ import annotations

from capstats.laws.models.model import Model


class KeptKeys(Model):
    """A model whose releases hold the key of every original record. No key with records becomes empty, so both versions of CAP agree."""
