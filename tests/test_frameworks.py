"""The page on frameworks: every text says how it was read, every call exists, and the formulas that it gives are so."""

from __future__ import annotations

import re
from pathlib import Path

from public_names import public_names

from capstats import from_counts

PAGE = (Path(__file__).parents[1] / "docs" / "custodians" / "frameworks.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.partition("## Other texts and scores")[2].splitlines() if line.startswith("| ")][1:]


def test_each_text_says_how_it_was_read() -> None:
    assert {len(row) for row in ROWS} == {4}
    named = " ".join(row[0] for row in ROWS)
    for text in ("TEHDAS2 D7.2", "ICO", "C-413/23 P", "NIST SP 800-226", "El Emam", "Jackson", "Attribute inference protection 7.2"):
        assert text in named
    read = [row[3] for row in ROWS]
    assert [how for how in read if not re.match(r"abstract only|not read: known from|its source, in full|\"at a glance\" only", how)] == []


def test_the_calls_exist() -> None:
    calls = set(re.findall(r"`(?:from capstats import )?((?:[a-z]+\.)?[a-z_]+)[(`]", PAGE)) - {"near_copied_records", "limits"}
    named = {call for call in calls if "_" in call or "." in call}
    assert len(named) > 15
    assert [call for call in sorted(named) if f"capstats.{call}" not in public_names() and call not in ("to_json", "audit.")] == []


def test_a_score_of_7_2_is_the_share_of_right_guesses_that_the_page_says() -> None:
    (share,) = re.findall(r"7\.2 of 10 is a share of right guesses of (\.\d+)", PAGE)
    assert round(10 * (1 - float(share) / 0.7), 1) == 7.2


def test_the_shares_of_cells_are_those_of_a_loop() -> None:
    tables = from_counts([[3, 2, 1], [1, 0, 0]], [[3, 1, 1], [0, 1, 0]])
    (formula,) = re.findall(r"`(\(\(o == k\).*?)`, for \$\\tau_4\$ divided by `(.*?)`", PAGE)
    cells = list(zip(tables.o.values.ravel(), tables.s.values.ravel(), strict=True))
    for k in (0, 1, 2, 3):
        names = {"o": tables.o, "s": tables.s, "k": k}
        both, original, released = (sum(x) for x in zip(*[(a == b == k, a == k, b == k) for a, b in cells], strict=True))
        if original:
            assert eval(formula[0], names).item() == both / original
        if released:
            assert eval(formula[0].split(" / ")[0] + " / " + formula[1], names).item() == both / released
