"""What reports say of copies of real records: that there are more than chance explains, that there are not, or that it cannot be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capstats.auditing.measures import SENTENCES
from capstats.auditing.report import percent
from capstats.codes.names import listed, named
from capstats.counting.beyond_chance import LEVEL
from capstats.tables.printing import count, many

TEXTS = SENTENCES["copies"]
ALERTS = 3  # releases with copies that have a sentence each
SHOWN = 3  # columns that are named
MOST = 0.5  # share of a release that is copies, from which it makes no sense to leave them out


@dataclass(frozen=True)
class Copies:
    """What is known of copies in all releases, as `capstats.counting.copies` has it; ``heads`` name the releases."""

    known: Mapping[str, Any]
    heads: Sequence[str]
    words: Mapping[str, str]
    some_dropped: bool = False  # whether records with a missing value are left out of everything else

    def of(self, i: int) -> Mapping[str, Any]:
        """What is known of one release; nothing where copies were not counted."""
        entry: Mapping[str, Any] = self.known["releases"][i] if "releases" in self.known else {}
        return entry

    def found(self, i: int) -> bool:
        """Whether people were copied into a release beyond chance."""
        return self.of(i).get("copied_beyond_chance") == 1

    def alert(self, ranked: Sequence[int]) -> list[str]:
        """A text where people were copied into releases beyond chance, in the order of the releases."""
        if not (beyond := [i for i in ranked if self.found(i)]):
            return []
        first, *others = beyond
        more = "more_copies_holdout" if self.of(first)["by_holdout"] else "more_copies"
        texts = [self._say("copies", first), *(self._say(more, i) for i in others[: ALERTS - 1])]
        if rest := others[ALERTS - 1 :]:
            texts.append(many(len(rest), "more release"))
        each = {"p": f"each p at most {LEVEL:g}"} if others else {}
        why = ["beyond_holdout" if self.of(first)["by_holdout"] else "beyond_fresh", *self._beside(first)]
        return [" ".join([f"{'; '.join(texts)}.", *(self._say(text, first, **each) for text in why)])]

    def said(self, i: int) -> list[str]:
        """What is said of a release that is not known to have copies beyond chance."""
        entry = self.of(i)
        if not entry or self.found(i):
            return []
        if entry["copied_beyond_chance"] is None:
            return [" ".join([self._say("untold", i, why=self._why(entry)), *(self._say(text, i) for text in self._beside(i))])]
        if not entry["by_holdout"]:
            texts = ["no_copies_fresh", *(["by_chance"] if entry["copied_people"] else []), *self._beside(i)]
        else:
            texts = ["no_copies_holdout", *(["shared"] if entry["copied_people_shared"] else []), "fewest", *self._beside(i)]
        return [" ".join(self._say(text, i) for text in texts if text != "fewest" or entry["copied_people_fewest"])]

    def cell(self, i: int) -> str:
        """The people whose record a release has, and in brackets how many of them beyond chance."""
        entry = self.of(i)
        if entry["copied_beyond_chance"] is None:
            return f"{count(entry['copied_people'])} (not told)"
        upper = count(entry["copied_people_upper"])
        ends = f"{count(entry['copied_people_lower'])} to {upper}" if self.found(i) else f"at most {upper}"
        return f"{count(entry['copied_people'])} ({ends})"

    def leave_out(self, i: int) -> str:
        """What to do about the copies in a release."""
        entry = self.of(i)
        return self._say("leave_out" if entry["copied_records"] < MOST * entry["records"] else "make_anew", i)

    def _beside(self, i: int) -> list[str]:
        """Texts on people of the holdout whom no fresh sample would match so often, and on records that are left out elsewhere."""
        entry = self.of(i)
        alike = entry["by_holdout"] and entry.get("holdout_alike")
        said = {"alike": alike, "all_records": self.some_dropped, "spelled": entry["spelled"]}
        return [text for text, is_said in said.items() if is_said]

    def _why(self, entry: Mapping[str, Any]) -> str:
        if not (apart := entry["apart"]) and entry.get("too_small"):
            return str(TEXTS["too_small"].format_map(self.words))
        if not apart:
            return str(TEXTS["no_test_holdout" if entry["by_holdout"] else "no_test_fresh"].format_map(self.words))
        columns = [f"{named(column)} {why}" for column, why in list(apart.items())[:SHOWN]]
        return listed([*columns, *([f"{len(apart) - SHOWN} more columns do so"] if len(apart) > SHOWN else [])])

    def _say(self, name: str, i: int, **more: str) -> str:
        entry, head = self.of(i), self.heads[i]
        numbers = {name: count(x) for name, x in entry.items() if isinstance(x, (int, float))}
        p = entry["copied_p_value"]
        texts = {
            "of": f" of {head}" if head else "",
            "release": (release := f"release {head}" if head else "the release"),
            "Release": release.capitalize() if not head else f"Release {head}",
            "columns": many(entry["columns"], "column"),
            "spelled": listed([f"{named(column)} ({why})" for column, why in entry["spelled"].items()]) if entry["spelled"] else "",
            "share": percent(entry["copied_records"] / entry["records"]),
            "p": f"p = {p:.1g}" if p >= LEVEL / 50 else f"p < {LEVEL / 50:g}",
        }
        text: str = TEXTS[name].format_map({**self.words, **numbers, **texts, **more})
        return text[0].upper() + text[1:]
