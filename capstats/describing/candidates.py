"""Which columns may be keys or targets: a guess from their names and from what they hold, for a user who has to choose."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from capstats.codes.arguments import options_of
from capstats.tables.fineness import MANY

Role = Literal["", "key", "target", "weight"]
ROLES: dict[str, list[list[str]]] = tomllib.loads(files("capstats.describing").joinpath("roles.toml").read_text(encoding="utf-8"))
KEYS = 4  # keys that are suggested
FEWEST = 2  # keys below which columns without a telling name are suggested
LEVELS = 1000  # levels of a key or target, at most
BODIES = {"body", "bodyweight", "birth", "birthweight", "height", "ht", "bmi", "waist", "kg", "lb", "lbs", "g"}  # beside their weights
COMMONEST = 0.98  # share of records with one level from which a column says too little to be suggested by it


@dataclass(frozen=True)
class Candidate:
    """What a column may be, and why."""

    role: Role
    reason: str
    entry: int  # its place in the list of words; that of columns without a telling name is after all others
    rank: float = 0.0


def by_name(name: str, label: str = "") -> tuple[Role, str, int]:
    """What the name of a column, or the label of the variable, says: the role, which of them has which word, and the place of its entry."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    for text in (spaced, label):
        words = re.findall(r"[^\W\d_]+", text.lower())
        for role, listed in (("weight", "weights"), ("target", "targets"), ("key", "keys")):
            for place, entry in enumerate(ROLES[listed]):
                for stem in entry:
                    ends = stem if role == "weight" else " "
                    if any(word == stem or (len(stem) >= 4 and word.startswith(stem)) or word.endswith(ends) for word in words):
                        return role, f"{'name' if text is spaced else 'label'} ({stem})", place  # type: ignore[return-value]
    return "", "", 0


def _weighs(name: str, column: Mapping[str, Any], beside: Iterable[Any]) -> bool:
    """Whether a column that is called a weight can be one of records: all its numbers are positive, and nothing says that it is of a body.

    One whose name says no more must have many numbers, which are large, as those of a survey are, or 1 on average.
    """
    if column["spread"] is None or not column["spread"][0] >= 0 < column["spread"][2]:
        return False
    least, mean, greatest = column["spread"]
    plain = re.search(r"(?i)(^|[^a-z])(weights?|wts?)([^a-z]|$)", name) and not re.search(r"(?i)sampl|surv|final|person|house", name)
    if _of_bodies(name) or not plain:
        return not _of_bodies(name)
    of_body = any(_of_bodies(str(other)) for other in beside) or (least >= 20 and greatest <= 250)
    return not of_body and column["levels"] > MANY and (mean >= 10 or 0.9 <= mean <= 1.1)


def _of_bodies(name: str) -> bool:
    return not BODIES.isdisjoint(re.findall(r"[^\W\d_]+", name.lower()))


def candidate(name: str, column: Mapping[str, Any], beside: Iterable[Any] = ()) -> Candidate:
    """What a column may be, beside others; its facts are those of `Description.columns`.

    With them are ``commonest``, the share of its commonest level, and ``meets``, whether it does in all tables.
    """
    role, word, place = by_name(name, column["label"])
    if role == "weight":
        if _weighs(name, column, beside):
            given = name if column["in_all"] else (name, None)
            (option,) = [""] if "," in name else [f" ({x})" for x in options_of("weights", given)]
            return Candidate("weight", f"its {word}, positive: if it is a sampling weight, say weights={given!r}{option}", place)
        role, place = ("key", len(ROLES["keys"]) - 1) if column["levels"] > 1 and not column["near_identifier"] else ("", 0)
    fit = column["meets"] and column["levels"] >= 2 and (column["levels"] <= LEVELS or column["to_cut"])
    if not fit or not name.isprintable():  # which no command can be pasted with
        return Candidate("", "", 0)
    size = f"{column['levels']:,} levels{', to be cut' if column['to_cut'] else ''}"
    if role and (not column["near_identifier"] or column["to_cut"]):
        return Candidate(role, f"its {word}; {size}", place, column["levels"])
    if column["levels"] <= MANY and not column["near_identifier"] and column["commonest"] <= COMMONEST:
        return Candidate("", size, len(ROLES["targets"]), column["commonest"])
    return Candidate("", "", 0)


def chosen(found: Mapping[Any, Candidate]) -> tuple[dict[Any, str], dict[Any, str]]:
    """The candidates for keys and for targets with their reasons, those first that are suggested."""
    keys, targets = (_named(found, role) for role in ("key", "target"))
    others = {c: x for c, x in found.items() if not x.role and x.reason}
    if not targets:
        uneven = sorted(others, key=lambda c: -others[c].rank)[:1]
        targets = {c: f"by its margin alone, the most uneven; {others[c].reason}" for c in uneven}
    if len(keys) < FEWEST:
        even = sorted((c for c in others if c not in targets), key=lambda c: others[c].rank)[: FEWEST + 1 - len(keys)]
        keys |= {c: f"by its levels alone; {others[c].reason}" for c in even}
    return keys, targets


def suggested(keys: Sequence[Any], found: Mapping[Any, Candidate]) -> list[Any]:
    """The first keys, one of each entry of the list of words."""
    of_entry: dict[Any, Any] = {}
    for column in keys:
        of_entry.setdefault(found[column].entry if found[column].role else (column,), column)
    return list(of_entry.values())[:KEYS]


def _named(found: Mapping[Any, Candidate], role: Role) -> dict[Any, str]:
    """The candidates of a role, in the order of the list of words; of one entry those with the fewest levels first."""
    own = [c for c, x in found.items() if x.role == role]
    return {c: found[c].reason for c in sorted(own, key=lambda c: (found[c].entry, found[c].rank))}
