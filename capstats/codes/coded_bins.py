"""Bins of their own for codes that mean missing, so that an engine that cuts a column needs not know of them."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import replace
from itertools import pairwise
from typing import Any

from capstats.codes.bins import Cut
from capstats.codes.labels import Kind
from capstats.codes.missing_codes import Codes
from capstats.codes.numeric import CUTTABLE, EPOCH, _of_labels


def with_codes(cut: Cut, codes: Codes) -> Cut:
    """The same cut with a bin of its own for each code that means missing, so that whoever cuts tells the codes from other values.

    A number v has the bin from the greatest number below it to v. The labels stand for what is in ``meanings``.
    """
    if not codes.given:
        return cut
    kind = cut.kind or cut.declared or next((kind for kind in CUTTABLE if kind in codes.places), None)
    numbers = code_numbers(codes, kind)
    below = {v: math.nextafter(v, -math.inf) if kind == "number" else v - 1 for v in numbers}
    points = sorted({*cut.points, *numbers, *(b for b in below.values() if kind == "number" or b >= _first(kind))})
    meanings: list[str | frozenset[int]] = []
    for a, b in pairwise([None, *points, None]):
        if b in numbers and (a is None or a == below[b]):
            meanings.append(numbers[b])
        else:
            meanings.append(cut.labels[len(cut.points) if b is None else bisect_left(cut.points, b)])
    places = codes.places.get("text", {})
    meanings += [places[text] for text in codes.texts]
    labels = [f"bin {i}" for i in range(len(meanings))]  # distinct, whatever the texts are
    return replace(cut, kind=kind, points=points, labels=labels, texts=codes.texts, meanings=dict(zip(labels, meanings, strict=True)))


def _first(kind: Kind | None) -> int:
    """The least number of days, or microseconds, that is a date."""
    days = 1 - EPOCH.toordinal()
    return days if kind == "date" else days * 86_400_000_000


def code_numbers(codes: Codes, kind: Kind | None) -> dict[Any, frozenset[int]]:
    """The codes as numbers that are cut, and which codes each of them is."""
    of_kind = codes.places.get(kind, {}) if kind is not None else {}
    return {_of_labels([label], kind).tolist()[0]: which for label, which in of_kind.items()}
