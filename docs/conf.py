"""The site: ``python -m sphinx -c docs -n -W . OUT`` builds it from the repository, without network.

The root of the repository is the source folder, so that the links between docs/, theory/ and notebooks/ are the same in the repository and
on the site.
"""

from __future__ import annotations

import json
import re
import runpy
import tomllib
from html import unescape
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc, isclass
from pathlib import Path
from textwrap import shorten
from typing import Any

import pypandoc
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.writers.html5 import HTML5Translator

import capstats
from capstats import audit, lessons
from capstats.datasets import example
from capstats.lessons.browser import browser_page
from capstats.lessons.pages import LESSONS
from capstats.tables.printing import unbroken
from capstats.tables.project import described
from capstats.tables.project import project as project_link

project = "capstats"
author = "The capstats developers"
copyright = author  # noqa: A001
version = release = capstats.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
default_role = "literal"
root_doc = "docs/index"
include_patterns = ["docs/**", "theory/*", "proofs/README.md", "notebooks/*"]
exclude_patterns = ["docs/exam.md"]  # with its answers
templates_path = ["templates"]

myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 300
nb_output_stderr = "remove"  # the progress of a long count

autodoc_typehints = "none"  # the docstrings say what a parameter is
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_use_plots = False

html_theme = "pydata_sphinx_theme"
html_title = "capstats"
html_theme_options = {
    "header_links_before_dropdown": 5,
    "navigation_depth": 2,
    "show_toc_level": 2,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": ["accessibility.html"],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {f"docs/{page.stem}": [] for page in Path(__file__).parent.glob("*.md") if page.stem != "notebooks"}
html_additional_pages = {"index": "redirect.html"}
html_context = {"default_mode": "auto"}
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_css_files = ["site.css"]
ANSWERS = {  # words of a newcomer's question, and the page that the search then shows first; the first that fits
    "docs/custodians/what-to-do-next": r"lower|reduce|what (to|can i) do",
    "docs/custodians/formats": r"\b(csv|files? formats?)\b",
    "docs/custodians/frameworks": r"\blaws?\b|legal|anonymous",
    "docs/custodians/what-is-high": r"\b(high|low|good|bad|safe|enough)\b",
    "docs/custodians/interpret-a-report": r"\breport",
    "docs/which-measure": r"who is|which measure|inference",
    "docs/start": r"two files|command line|example|begin",
    "docs/browser": r"upload|without install|browser",
    "docs/custodians/choosing-keys": r"\bkeys?\b|columns",
    "docs/lessons": r"\blesson|average",
    "docs/researchers": r"figure|paper",
    "docs/instructors": r"slides|class|teach|handout|homework|\bexam(s|ination)?\b",
    "docs/cost-and-scale": r"large|big|slow|memory",
    "docs/glossary": r"^(what is|what does) |attribution|k-anonymity",
}
html_js_files = ["fold.js", (None, {"body": f"const ANSWERS = {json.dumps(list(ANSWERS.items()))};"})]
html_search_scorer = str(Path(__file__).with_name("search_order.js"))
_fonts = find_spec("ziamath")
assert _fonts is not None
assert _fonts.submodule_search_locations is not None
html_static_path = ["static", *(f"{folder}/fonts/STIXTwoMath-Regular.ttf" for folder in _fonts.submodule_search_locations)]
html_math_renderer = "mathml"

PREVIEW = "_static/preview.png"
THESIS = runpy.run_path(str(Path(__file__).with_name("thesis.py")))
CHART = runpy.run_path(str(Path(__file__).with_name("which_measure.py")))
PAGE = re.compile(r"(``)?((?:theory|docs/coming-from)/[\w-]+)\.md(?:#([\w-]+))?(?(1)``)")
STATEMENTS = tomllib.loads((Path(__file__).parents[1] / "theory" / "statements.toml").read_text(encoding="utf-8"))
CODE = re.compile(r"(`+[^`]+`+)")
SYMBOL = re.compile(r"\b\w+_(?:[ijl]{1,2}\b\.?(?!\w)|\.\w\b|(?![\w(]))")  # o_ij, s_.j, o_i., key_


def add_to_page(app: Sphinx, page: str, source: list[str]) -> None:
    """What only the site shows: the order of the chapters, what each statement is about, and links to statements and lessons."""
    source[0] = re.sub(r"\]\([\w./-]*#([\w-]+)\)", lambda link: f"](#theory-{link[1]})" if link[1] in STATEMENTS else link[0], source[0])
    source[0] = re.sub(r"\[([^]]+)\]\(((?:\.\./)*)lessons\.md(#[\w-]+)\)", open_lesson, source[0])
    if page == "theory/README":
        chapters = re.findall(r"^\| (?:\d+ )?\[[^]]+\]\(([\w-]+)\.md\)", source[0], flags=re.M)
        source[0] = re.sub(r"\[(statements\.toml)\]\(\1\)", r"`theory/\1`", source[0])
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join([*chapters, "../proofs/README"]) + "\n```\n"
    elif page.startswith("docs/api/") and page != "docs/api/index":
        source[0] += documented(page.rpartition("/")[2])
    elif page.startswith("theory/"):
        source[0] = implemented(source[0].replace("\n\n```\n", "\n```\n"))
    elif page == "docs/which-measure":  # the links of a picture work only inline
        source[0] = re.sub(r"^!\[.*\]\(which-measure\.svg\)$", CHART["inline"](), source[0], flags=re.M)
    elif page == "docs/instructors":
        source[0] = re.sub(f"`({'|'.join(LESSONS)})`", r'<a href="lessons/\1.html"><code>\1</code></a>', source[0])
    elif page == "docs/notebooks":
        source[0] = re.sub(r"^(\| .*\((\S+\.ipynb)\)) \|", r"\1, {download}`download <\2>` |", source[0], flags=re.M)
    elif page in ("docs/lessons", "docs/browser"):
        source[0] = re.sub(r"`lessons/(\w+)\.html`", r'<a href="lessons/\1.html">Open&nbsp;it</a>', source[0])


def open_lesson(link: re.Match[str]) -> str:
    """A link to the section about a lesson leads to the lesson itself."""
    name = {CHART["anchor"](lesson.title): name for name, lesson in LESSONS.items()}.get(link[3])
    return f'<a href="{link[2]}lessons/{name}.html">{link[1]}</a>' if name else link[0]


def documented(room: str) -> str:
    """What a room is for, its public names in a list and then one by one; those that stand at the top are documented there."""
    module = import_module("capstats" if room == "top" else f"capstats.{room}")
    public = module.__all__
    names = [name for name in public if (module is capstats or name not in capstats.__all__) and callable(getattr(module, name))]
    lines = [f".. py:module:: {module.__name__}", "", (getdoc(module) or "").partition("\n\n")[0], ""]
    if set(public) & set(capstats.__all__) and module is not capstats:
        at_top = ", ".join(f":py:obj:`~capstats.{name}`" for name in public if name in capstats.__all__)
        lines += [f"On the page of :doc:`capstats itself </docs/api/top>`: {at_top}.", ""]
    lines += [
        f".. currentmodule:: {module.__name__}",
        "",
        ".. autosummary::",
        "   :nosignatures:",
        "",
        *(f"   {name}" for name in names),
        "",
    ]
    for name in names:
        lines += [".. autoclass:: " + name + "\n   :members:" if isclass(getattr(module, name)) else f".. autofunction:: {name}", ""]
    return "\n```{eval-rst}\n" + "\n".join(lines) + "\n```\n"


def implemented(text: str) -> str:
    """A chapter whose statements have labels, and end with the functions that they are about and their sources."""
    opening, *pieces = re.split(r'^<a id="([\w-]+)"></a>\n', text, flags=re.M)
    if pieces:
        opening += "Symbols: [notation](notation.md).\n\n"
    for name, part in zip(pieces[::2], pieces[1::2], strict=True):
        functions = ", ".join(f"{{py:obj}}`{function}`" for function in STATEMENTS[name]["implements"])
        label = f'<a id="{name}"></a>\n\n(theory-{name})=\n'
        in_coq = ", ".join(f"`{theorem.partition('#')[2]}`" for theorem in STATEMENTS[name].get("coq", ()))
        opening += f"{label}{part.strip()}\n\n*Functions:* {functions}. *Source:* {STATEMENTS[name]['source']}.\n\n"
        opening += f"*In Coq:* {in_coq}.\n\n" if in_coq else ""
    return opening


def mark_up(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Names of pages in docstrings become links, and symbols with indices stay as they are. Examples are left alone."""
    end = lines.index("Examples") if "Examples" in lines else len(lines)
    for number, line in enumerate(lines[:end]):
        if re.match(r"\w+ : ", line):  # the name of a parameter or an attribute
            continue
        parts = CODE.split(PAGE.sub(statement, line))
        parts[::2] = [SYMBOL.sub(r"``\g<0>``", part).replace("|", "\\|") for part in parts[::2]]
        lines[number] = "".join(parts)


def shorten_arrays(
    app: Sphinx, what: str, name: str, obj: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """A default of hundreds of numbers is described below the signature."""
    return signature and re.sub(r"array\(\[.*?\]\)", "...", signature, flags=re.S), returned


def statement(found: re.Match[str]) -> str:
    """The link to a page or a statement that a docstring names."""
    return f":ref:`theory: {found[3]} <theory-{found[3]}>`" if found[3] else f":doc:`/{found[2]}`"


def find_short_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, text: nodes.Node) -> nodes.Node | None:
    """See Also names functions as they are called, ``average_cap`` or ``laws.frontier``; each public name is documented once."""
    domain = env.domains.python_domain
    found = [name for name in domain.objects if name == f"capstats.{node['reftarget']}" or name.endswith(f".{node['reftarget']}")]
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, text) if len(found) == 1 else None


def leave_out(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """What scikit-learn puts into a classifier has its documentation there."""
    return True if re.fullmatch("set_.*_request", name) else None


def fold_questions(app: Sphinx, tree: nodes.document, page: str) -> None:
    """On the page Which measure, each question without a card is folded below its heading, which keeps its anchor."""
    if page != "docs/which-measure" or app.builder.format != "html":
        return
    cards = {card for questions in CHART["QUESTIONS"].values() for card, *_ in questions}
    for section in list(tree.findall(nodes.section)):
        if isinstance(section.parent.parent, nodes.section) and section[0].astext() not in cards:
            before, between, after = (nodes.raw("", text, format="html") for text in ("<details><summary>", "</summary>", "</details>"))
            section[:] = [before, section[0], between, *section[1:], after]


def keep_percentages(app: Sphinx, tree: nodes.document, page: str) -> None:
    """No line of a page ends between a number and its per cent sign; code stays as it is."""
    code = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block)
    for text in [text for text in tree.findall(nodes.Text) if not isinstance(text.parent, code) and unbroken(text) != text]:
        text.parent.replace(text, nodes.Text(unbroken(text)))


def set_formulas(app: Sphinx, tree: nodes.document, page: str) -> None:
    """All formulas of a page as MathML, which browsers draw and read aloud without a script: by one run of pandoc."""
    formulas = [node for node in tree.findall() if isinstance(node, (nodes.math, nodes.math_block))]
    kinds = ["DisplayMath" if isinstance(node, nodes.math_block) else "InlineMath" for node in formulas]
    given = [
        {"t": "Para", "c": [{"t": "Math", "c": [{"t": kind}, node.astext().replace(r"\thinspace", r"\,")]}]}
        for kind, node in zip(kinds, formulas, strict=True)
    ]
    document = json.dumps({"pandoc-api-version": [1, 23], "meta": {}, "blocks": given})
    found = re.findall("<math.*?</math>", pypandoc.convert_text(document, "html", "json", ["--mathml"]) if formulas else "", re.S)
    for node, text in zip(formulas, found, strict=True):  # one that pandoc cannot read is missing
        node["mathml"] = text


def show_formula(translator: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """In a box that scrolls where a narrow screen may be too small for it."""
    tag = "div" if isinstance(node, nodes.math_block) else "span"
    wide = tag == "div" or len(node.astext()) > 30
    translator.body.append(f'<{tag} class="math" tabindex="0">{node["mathml"]}</{tag}>' if wide else node["mathml"])
    raise nodes.SkipNode


def show_source(translator: HTML5Translator, node: nodes.citation) -> None:
    """A source below a docstring is an item of a list: the role that docutils gives it is deprecated, and none of a list's."""
    HTML5Translator.visit_citation(translator, node)
    translator.body[-1] = translator.body[-1].replace("doc-biblioentry", "listitem")


def write_lessons(app: Sphinx, failure: Exception | None) -> None:
    """Each lesson is a file of its own; so are the page that counts two files, a sample report, and the picture for previews of links."""
    folder = Path(app.outdir) / "docs" / "lessons"
    folder.mkdir(parents=True, exist_ok=True)
    THESIS["preview"](Path(app.outdir) / PREVIEW)
    links = {"beside": LESSONS, "home": "../lessons.html"}
    pages = {name: lessons.page(name, **links) for name in LESSONS} | {"browser": browser_page(**links)}
    written = {f"lessons/{name}": text for name, text in pages.items()} | {"sample-report": audit(**example("anes96")).to_html()}
    for name, text in written.items():
        top = "../" * name.count("/")
        found = text.replace(f"{project_link()}, a Python", f"{project_link(f'{top}index.html')}, a Python")
        picture = preview(app.config.html_baseurl, f"{top}../{PREVIEW}")
        found = found.replace('<meta property="og:title"', f'<meta property="og:image" content="{picture}">\n<meta property="og:title"')
        (folder.parent / f"{name}.html").write_text(found, encoding="utf-8")


def preview(site: str, relative: str) -> str:
    """The address of the picture of a page: on the site if its address is known, as messengers need it, else beside the page."""
    return f"{site.rstrip('/')}/{PREVIEW}" if site else relative


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
    """The first paragraph of a page is its description."""
    first = next((one for one in tree.findall(nodes.paragraph) if len(one.astext()) > 40), None) if tree else None
    if first is not None:
        said = shorten(first.astext(), 200, placeholder=" ...")
        picture = preview(app.config.html_baseurl, context["pathto"](PREVIEW, 1))
        title = unescape(re.sub("<[^>]+>", "", context["title"]))
        context["metatags"] = f"{context.get('metatags', '')}{described(title, said, picture)}"


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_to_page)
    app.connect("autodoc-process-docstring", mark_up, priority=400)  # before numpydoc
    app.connect("autodoc-process-signature", shorten_arrays)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("missing-reference", find_short_name)
    app.connect("doctree-resolved", fold_questions)
    app.connect("html-page-context", describe)
    app.connect("doctree-resolved", set_formulas)
    app.connect("doctree-resolved", keep_percentages)
    app.add_html_math_renderer("mathml", (show_formula, None), (show_formula, None))
    app.add_node(nodes.citation, override=True, html=(show_source, HTML5Translator.depart_citation))
    app.connect("build-finished", write_lessons)
