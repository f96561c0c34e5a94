"""Writes ``gallery.md``: every figure of `capstats.plotting`, with the code that draws it, and the pictures in ``gallery/``.

``python docs/gallery.py`` writes them anew; a test fails where the page is out of date.
"""

from __future__ import annotations

from inspect import getdoc
from pathlib import Path
from textwrap import dedent
from typing import Any

import matplotlib as mpl

from capstats import plotting
from capstats.plotting.inline import inline_svg

PAGE = Path(__file__).with_suffix(".md")
PICTURES = Path(__file__).with_suffix("")

TABLES = dedent(
    """
    import numpy as np
    import xarray as xr

    import capstats
    from capstats import attacks, disclosure, laws, plotting, screening
    from capstats.datasets import anes96, paper_originals, paper_synthetics

    survey = anes96()
    members, others = survey[::2].reset_index(drop=True), survey[1::2].reset_index(drop=True)


    def release(shuffled, seed):
        \"\"\"Records drawn with replacement; the vote of a share of them is shuffled.\"\"\"
        rng = np.random.default_rng(seed)
        drawn = members.iloc[rng.integers(len(members), size=len(members))].reset_index(drop=True)
        some = np.flatnonzero(rng.random(len(drawn)) < shuffled)
        drawn.loc[some, "vote"] = drawn.loc[rng.permutation(some), "vote"].array
        return drawn


    releases = {"faithful": release(0.1, 1), "blurred": release(0.5, 2), "shuffled": release(1, 3)}
    columns = {"keys": ["age", "educ", "PID"], "target": "vote", "bins": {"age": 4}}
    several = capstats.tabulate(members, releases, **columns)
    one = several.sel(synthetic="blurred")
    o, s = one.o, one.s
    references = {"original": capstats.average_cap(o, o).item(), "baseline": capstats.baseline_cap(o).item()}
    average = capstats.average_cap(o, s).item()
    """
).strip()

CHAPTERS = {
    "Individual CAP of the people in the original": {
        "plot_people": "ax = plotting.plot_people(one, capstats.individual_cap(o, s), average=average, **references)",
        "plot_cap_ecdf": """
            ecdf = capstats.cap_ecdf(o, several.s, np.linspace(0, 1, 501))
            ax = plotting.plot_cap_ecdf(ecdf, average=capstats.average_cap(o, several.s), **references)
        """,
        "plot_individual_cap": "ax = plotting.plot_individual_cap(capstats.cap_boxplot(o, several.s))",
        "plot_key_summary": "ax = plotting.plot_key_summary(disclosure.key_summary(o, s), average=average, **references)",
        "plot_key_target": """
            largest = disclosure.key_summary(o, s).records
            ax = plotting.plot_key_target(one, capstats.individual_cap(o, s), by=largest, most=12)
        """,
    },
    "Which columns make the risk": {
        "plot_sweep": """
            known = ["age", "educ", "PID", "selfLR"]
            swept = screening.sweep(members, releases["blurred"], keys=known, targets=["vote", "TVnews"], bins={"age": 4})
            ax = plotting.plot_sweep(swept.sel(measure="average_cap"))
        """,
    },
    "Several releases": {
        "plot_risk_utility": """
            audit = capstats.audit(members, releases, **columns)
            ax = plotting.plot_risk_utility(audit.measures)
        """,
        "plot_disclosure_arrows": """
            audit = capstats.audit(members, releases, **columns)
            ax = plotting.plot_disclosure_arrows(audit.measures)
        """,
        "plot_frontier": """
            o_3, printed = paper_originals().sel(original="O_3", drop=True), paper_synthetics().sel(synthetic=["b", "g"])
            average = capstats.average_cap(o_3, printed)
            numbers = {"target_distance": capstats.cap.target_distance(o_3, printed), "average_cap_zero": average}
            ax = plotting.plot_frontier(laws.frontier(o_3), xr.Dataset(numbers))
        """,
        "plot_average_cap": """
            o_4 = paper_originals().sel(original="O_4", drop=True)
            draws = laws.sample_tables(o_4, laws.Uniform(4), draws=2000, rng=1)
            versions = {"zero": capstats.average_cap(o_4, draws), "drop": capstats.average_cap(o_4, draws, unmatched="drop")}
            lines = {"original": capstats.average_cap(o_4, o_4).item(), "baseline": capstats.baseline_cap(o_4).item()}
            ax = plotting.plot_average_cap(versions, **lines)
        """,
        "plot_cap_law": """
            o_4 = paper_originals().sel(original="O_4", drop=True)
            law = laws.cap_law(o_4, laws.Uniform())
            lines = {"original": capstats.average_cap(o_4, o_4).item(), "baseline": capstats.baseline_cap(o_4).item()}
            ax = plotting.plot_cap_law(law.density(np.linspace(law.least, law.greatest, 301)), **lines)
        """,
    },
    "Other intruders": {
        "plot_membership_roc": """
            pool = [release(0, seed) for seed in range(4)]
            roc = attacks.membership_roc(members, others, pool, columns=["age", "popul", "PID"], widths=0.5, n_releases=[1, 2, 4])
            ax = plotting.plot_membership_roc(roc)
        """,
        "plot_membership_difference": """
            pool = [release(0, seed) for seed in range(4)]
            roc = attacks.membership_roc(members, others, pool, columns=["age", "popul", "PID"], widths=0.5, n_releases=[1, 4])
            ax = plotting.plot_membership_difference(roc)
        """,
        "plot_maximum_knowledge": """
            pool = [release(0, seed) for seed in range(4)]
            known = attacks.maximum_knowledge(members, pool, columns=["age", "educ", "PID", "vote"], n_releases=[1, 2, 4])
            ax = plotting.plot_maximum_knowledge(known)
        """,
    },
}
EXAMPLES = {name: dedent(code).strip() for chapter in CHAPTERS.values() for name, code in chapter.items()}


def names() -> dict[str, Any]:
    """What the code of all figures uses."""
    found: dict[str, Any] = {}
    exec(TABLES, found)
    return found


def picture(name: str, used: dict[str, Any]) -> str:
    """The figure of that name as SVG."""
    drawn = dict(used)
    with mpl.rc_context(mpl.rcParamsDefault | {"backend": "Agg"}):
        exec(EXAMPLES[name], drawn)
        return inline_svg(drawn["ax"], prefix=name) + "\n"


def page() -> str:
    """The page: what is drawn, the code and the picture of each."""
    parts = [
        "# Gallery of plots and figures",
        "Every figure of `capstats.plotting`, drawn by `python docs/gallery.py`. Each function takes the result of another function, draws "
        "it on the given Axes or in a new figure, and returns the Axes. All are legible in grey and to the colour-blind.",
        "The code below each title continues this one:",
        f"```python\n{TABLES}\n```",
    ]
    for chapter, examples in CHAPTERS.items():
        parts.append(f"## {chapter}")
        for name in examples:
            said = (getdoc(getattr(plotting, name)) or "").splitlines()[0]
            parts += [f"### {name}", said, f"```python\n{EXAMPLES[name]}\n```", f"![The picture of {name}](gallery/{name}.svg)"]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    used = names()
    for name in EXAMPLES:
        (PICTURES / f"{name}.svg").write_text(picture(name, used), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
