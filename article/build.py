"""Builds the article: `python article/build.py` writes ``paper.html`` from ``paper.md`` and ``paper.bib``, one file without a network.

Needs the extra ``docs``: pandoc comes with its package pypandoc_binary.
"""

from __future__ import annotations

import re
from pathlib import Path

import pypandoc

FOLDER = Path(__file__).parent
ARTICLE, REFERENCES, STYLE = (FOLDER / name for name in ("paper.md", "paper.bib", "paper.css"))
CAPTIONS = {"Figure": r"(?<=!\[)([^\]]*?)\s*\\label\{(.*?)\}", "Table": r"(?<=\n: )(.*?)\s*\\label\{(.*?)\}"}


def numbered(text: str) -> str:
    r"""The text with numbers for ``\label`` and ``\autoref`` of figures and tables, which are LaTeX in the form of the journal."""
    for kind, caption in CAPTIONS.items():
        for number, found in enumerate(re.findall(caption, text), 1):
            said, label = found
            text = re.sub(re.escape(said) + r"\s*\\label\{.*?\}", lambda _, x=f"{kind} {number}. {said}": x, text)
            text = text.replace(rf"\autoref{{{label}}}", f"{kind}\N{NO-BREAK SPACE}{number}")
    return text


def page() -> str:
    """The article as one HTML page that loads nothing: figures are within it, formulas are MathML."""
    text = ARTICLE.read_text(encoding="utf-8")
    authors = re.findall(r"^authors:\n((?: .*\n)+)", text, re.M)[0]
    return pypandoc.convert_text(
        numbered(text),
        "html5",
        format="markdown",
        extra_args=[
            "--standalone",
            "--embed-resources",
            "--citeproc",
            "--mathml",
            "--metadata=link-citations:true",
            "--metadata=lang:en",
            *(f"--metadata=author:{name}" for name in re.findall(r"name: (.+)", authors)),
            f"--resource-path={FOLDER}",
            f"--bibliography={REFERENCES}",
            f"--css={STYLE}",
        ],
    )


if __name__ == "__main__":
    ARTICLE.with_suffix(".html").write_text(page(), encoding="utf-8")
