"""Write into README.md which statement is proved by machine, on paper, enumerated and tested, and how many of each.

``python proofs/table.py`` takes the lists of ``theory/statements.toml`` and the files here, so that the table is theirs.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
BEGIN, END = "<!-- written by table.py: begin -->", "<!-- written by table.py: end -->"
ENUMERATES = re.compile(
    r"test_theorems|test_every_small_table|every_release|all_releases|all_tables|every_table|all_permutations|enumeration"
)


def statements() -> dict[str, dict]:
    return tomllib.loads((ROOT / "theory" / "statements.toml").read_text(encoding="utf-8"))


def enumerated(statement: dict) -> bool:
    """A test of the statement goes through all cases of small tables, as its name or that of its file says."""
    return any(ENUMERATES.search(test) for test in statement["verified_by"])


def proved(statement: dict) -> str:
    if "coq" not in statement:
        return ""
    files = dict.fromkeys(name.partition("#")[0] for name in statement["coq"])
    return statement["coq_covers"] + ": " + ", ".join(f"[{file}]({file})" for file in files)


def table() -> str:
    rows = [
        "| statement | proved in Coq | on paper | enumerated | tested |",
        "|---|---|---|---|---|",
    ]
    found = statements()
    for name, fields in found.items():
        link = f"[{name}](../theory/{fields['chapter']}.md#{name})"
        listed = "yes" if enumerated(fields) else ""
        rows.append(f"| {link} | {proved(fields)} | yes | {listed} | {len(fields['verified_by'])} tests |")
    in_coq = [fields for fields in found.values() if "coq" in fields]
    theorems = {name for fields in in_coq for name in fields["coq"]}
    rows.append(
        f"| {len(found)} statements | {len(in_coq)}, by {len(theorems)} theorems | {len(found)} | {sum(map(enumerated, found.values()))}"
        f" | {len({test for fields in found.values() for test in fields['verified_by']})} tests |"
    )
    return "\n".join(rows)


def with_table(text: str) -> str:
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    readme = HERE / "README.md"
    readme.write_text(with_table(readme.read_text(encoding="utf-8")), encoding="utf-8")
