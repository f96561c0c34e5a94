"""Write what ``theory/statements.toml`` says of the proofs: the table of README.md, its headline, and below each statement of the chapters.

``python proofs/table.py`` writes; a test fails where one of them is out of date.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
THEORY = HERE.parent / "theory"
BEGIN, END = "<!-- written by table.py: begin -->", "<!-- written by table.py: end -->"
ENUMERATES = re.compile(
    r"test_theorems|enumeration|every_(?:release|small_table|table)|(?<!almost_)all_(?:permutations|releases|tables)"
    r"|(?:of|over)_all_(?:draws|orders|pairs_of_(?:releases|samples)|partitions|samples|sets|splits|subsets)"
)
HEADLINE = re.compile(r"Coq has checked \d+ of \d+ statements of the theory, \d+ in all parts")
Statement = dict[str, str | list[str]]


def statements() -> dict[str, Statement]:
    return tomllib.loads((THEORY / "statements.toml").read_text(encoding="utf-8"))


def enumerated(statement: Statement) -> bool:
    """A test of the statement goes through all cases of small tables, as its name or that of its file says."""
    return any(ENUMERATES.search(test) for test in statement["verified_by"])


def twin(statement: Statement, folder: str = "") -> str:
    """The files with the theorems of a statement, what they cover, and where they differ from the paper."""
    files = dict.fromkeys(name.partition("#")[0] for name in statement["coq"])
    links = ", ".join(f"[{file}]({folder}{file})" for file in files)
    return f"{links}: {statement['coq_covers']}. {statement.get('coq_differs', '')}".rstrip()


def proved() -> tuple[int, int]:
    """How many statements Coq has checked, and how many of them in all parts."""
    covers = [fields["coq_covers"] for fields in statements().values() if "coq" in fields]
    return len(covers), covers.count("all parts")


def headline() -> str:
    some, in_full = proved()
    return f"Coq has checked {some} of {len(statements())} statements of the theory, {in_full} in all parts"


def table() -> str:
    """The statements that Coq has checked, or that a test compares with all small cases."""
    found = statements()
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in HERE.glob("*.v"))
    rows = [
        "| statement | proved in Coq | enumerated |",
        "|---|---|---|",
        f"| **of all {len(found)}** | {proved()[0]}, in {lines:,} lines | {sum(map(enumerated, found.values()))} |",
    ]
    for name, fields in found.items():
        if "coq" in fields or enumerated(fields):
            in_coq = twin(fields) if "coq" in fields else ""
            rows.append(f"| [{name}](../theory/{fields['chapter']}.md#{name}) | {in_coq} | {'yes' if enumerated(fields) else ''} |")
    return "\n".join(rows)


def with_table(readme: str) -> str:
    before, _, rest = readme.partition(BEGIN)
    return f"{HEADLINE.sub(headline(), before)}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


def with_twins(chapter: str) -> str:
    """A chapter, in which each statement that has one names its machine-checked twin after its proof."""
    found = statements()
    opening, *pieces = re.split(r'^(<a id="[\w-]+"></a>)\n', chapter, flags=re.MULTILINE)
    for anchor, part in zip(pieces[::2], pieces[1::2], strict=True):
        fields = found.get(anchor.split('"')[1], {})
        part = re.sub(r"^\*Machine-checked\* in .*\n\n", "", part, flags=re.MULTILINE)
        if "coq" in fields:
            part = part.replace("\n</details>\n", f"\n</details>\n\n*Machine-checked* in {twin(fields, '../proofs/')}\n", 1)
        opening += f"{anchor}\n{part}"
    return opening


def pages() -> dict[Path, str]:
    """All that is written, by file."""
    chapters = sorted({THEORY / f"{fields['chapter']}.md" for fields in statements().values() if "coq" in fields})
    found = {page: with_twins(page.read_text(encoding="utf-8")) for page in chapters}
    readme = HERE / "README.md"
    return found | {readme: with_table(readme.read_text(encoding="utf-8"))}


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
