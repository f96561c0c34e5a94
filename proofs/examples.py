"""Write examples.v: numbers of small tables from fractions, each proved over the rational numbers.

``python proofs/examples.py`` writes the file beside it. The oracle goes record by record, in exact fractions, and uses nothing of capstats.
Tables are lists of rows, one a target, as everywhere; in Coq they are lists of columns, one a key.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

Table = list[list[int]]
SMOKERS = [[20, 5], [30, 45]], [[8, 7], [25, 60]]
PAIRS: dict[str, tuple[Table, Table]] = {
    "the hundred people of the course": SMOKERS,
    "three targets": ([[3, 0], [1, 2], [0, 4]], [[1, 1], [1, 0], [0, 2]]),
    "a key that the original lacks": ([[4, 0, 1], [2, 0, 3]], [[1, 2, 2], [1, 0, 1]]),
    "a unique record": ([[0, 5], [1, 5]], [[0, 3], [2, 4]]),
}
TABLES: dict[str, Table] = {
    "the hundred people of the course": SMOKERS[0],
    "a target without records": [[5, 1], [0, 0], [2, 2]],
}
HEAD = """(** * Numbers of small tables

    Chapter: theory/cap.md, statement average-cap, and theory/baselines.md,
    statement baselines.

    In words. Average CAP in versions 1 and 2, CAP of the original and the
    marginal baseline of tables that are written down, over the rational numbers.
    Each equals the fraction that a loop over records gives. Written by
    examples.py; check.py has all 2 x 2 tables with counts from 0 to 2. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import counts baselines numbers.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.
"""


def records(table: Table) -> list[tuple[int, int]]:
    """One (target, key) pair for each record."""
    return [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]


def individual_caps(o: Table, s: Table) -> list[Fraction | None]:
    """Of each original record; None where its key is unmatched."""
    caps: list[Fraction | None] = []
    for target, key in records(o):
        same_key = [released for released, released_key in records(s) if released_key == key]
        caps.append(Fraction(same_key.count(target), len(same_key)) if same_key else None)
    return caps


def version_1(o: Table, s: Table) -> Fraction:
    caps = individual_caps(o, s)
    return sum((cap or Fraction(0) for cap in caps), Fraction(0)) / len(caps)


def version_2(o: Table, s: Table) -> Fraction:
    caps = [cap for cap in individual_caps(o, s) if cap is not None]
    return sum(caps, Fraction(0)) / len(caps)


def baseline(o: Table) -> Fraction:
    """How often two records, drawn one after the other and put back, have the same target."""
    targets = [target for target, _ in records(o)]
    return Fraction(sum(a == b for a in targets for b in targets), len(targets) ** 2)


def in_coq(table: Table) -> str:
    columns = [f"[:: {'; '.join(map(str, column))}]" for column in zip(*table, strict=True)]
    return f"(@rational {len(table)} {len(table[0])} [:: {'; '.join(columns)}]%N)"


def example(says: str, left: str, right: Fraction, lemma: str, number: int) -> str:
    return (
        f"(** {says[0].upper()}{says[1:]}. *)\nExample example_{number} :\n  {left}\n  = {right.numerator}%:R / {right.denominator}%:R.\n"
        f"Proof. by apply: {lemma}; vm_compute. Qed.\n"
    )


def examples() -> list[str]:
    rows: list[tuple[str, str, Fraction, str]] = []
    for says, (o, s) in PAIRS.items():
        both = f"{in_coq(o)}\n      {in_coq(s)}"
        rows.append((f"version 1: {says}", f"cap {both}", version_1(o, s), "cap_is"))
        if any(cap is not None for cap in individual_caps(o, s)):
            rows.append((f"version 2: {says}", f"cap_matched {both}", version_2(o, s), "cap_matched_is"))
    for says, o in TABLES.items():
        rows.append((f"CAP of the original: {says}", f"cap {in_coq(o)}\n      {in_coq(o)}", version_1(o, o), "cap_is"))
        rows.append((f"marginal baseline: {says}", f"marginal_baseline {in_coq(o)}", baseline(o), "marginal_baseline_is"))
    o = PAIRS["three targets"][0]
    rows.append(("marginal baseline: three targets", f"marginal_baseline {in_coq(o)}", baseline(o), "marginal_baseline_is"))
    return [example(*row, number) for number, row in enumerate(rows, 1)]


def text() -> str:
    return HEAD + "\n" + "\n".join(examples())


if __name__ == "__main__":
    Path(__file__).with_suffix(".v").write_text(text(), encoding="utf-8")
