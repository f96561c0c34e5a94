"""``capstats attack``: attackers beside CAP, who find members, guess a column from all others, or fit a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.auditing.confidential import csv_text
from capstats.auditing.report import Block, Facts, Grid, Sections, as_text
from capstats.cli import outputs, reading
from capstats.cli.kinds import NAMES, OF_COLUMNS, PATH, TEXT, WHOLES, WIDTHS
from capstats.cli.option_values import table_labels
from capstats.cli.options import Command, Option, Settings
from capstats.cli.outputs import facts, provenance, title
from capstats.codes.names import printable
from capstats.tables.printing import share

FAMILY = "attack the releases: who was in the data, one column from all others, or a fitted model"
MEMBERS = Option("members", PATH, "records that were used for synthesis", "MEMBERS", count="?")
NON_MEMBERS = Option("non-members", PATH, "records of the same population that were not", "NON_MEMBERS", count="?")
COLUMNS = Option(
    "columns",
    NAMES,
    "columns that are compared, separated by commas",
    "A,B",
    single=("column", "A", "one such column, even with commas in its name; may be repeated"),
)
WIDTHS_OF_KERNEL = Option(
    "widths", WIDTHS, "widths of the kernel to compare: low, medium, high, or numbers (default: low,medium,high)", "W,..."
)
CATEGORIES = Option(
    "categories", TEXT, "distance of two categories: of their places in the order (the default), or 0 or 1", choices=("codes", "mismatch")
)
RELEASES = Option(
    "releases", WHOLES, "take the first M synthetic tables together, for each number M; by default each is attacked by itself", "M,..."
)
TOLERANCE = Option(
    "tolerance",
    OF_COLUMNS,
    "a guessed number is right if it differs by less (default 1); A=NUMBER for one column; may be repeated",
    "NUMBER",
)
ESTIMATORS = ("tree", "forest", "logistic", "bayes")
ESTIMATOR = Option(
    "estimator", TEXT, "classifier that is fitted on the release (default forest; needs capstats[learn])", choices=ESTIMATORS
)

# --- membership -------------------------------------------------------------------------------------------------------


def membership(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """How well members are told from others, for several widths of the kernel."""
    from capstats.attacks import best_membership_width, membership_roc

    outputs.check_files(settings)
    given = reading.tables(settings, (MEMBERS, NON_MEMBERS, reading.SYNTHETIC, COLUMNS), counts=False)
    tables = attacked(given.pop("synthetic"), settings)
    given |= {name: settings[name] for name in ("categories", "releases") if name in settings}
    widths = {str(width): _width(width) for width in settings.get("widths", ["low", "medium", "high"])}
    allowed = {**settings, "allow-no-match": True}
    with reading.levels_told(allowed, messages):
        found = each(tables, lambda table: best_membership_width(**given, synthetic=table, widths=widths))
    rows_of = ["synthetic", "releases", "width"]
    table = long_table(found, ["best_difference", "best_threshold", "accuracy", "auc", "auc_standard_error"], rows_of)
    many = np.atleast_1d(found["best_width"].values)
    best = dict(zip(tables, map(str, many if "synthetic" in found.dims else many[-1:]), strict=True))
    named = [f"{width} for {printable(label)}" if label else width for label, width in best.items()]
    together = " (with most tables)" if "releases" in found.dims else ""

    def drawn() -> bytes:
        from capstats.plotting import plot_membership_roc
        from capstats.plotting.shared import shown

        ax: Any = None
        for i, (label, width) in enumerate(best.items()):
            with reading.levels_told(allowed, []):  # once is enough
                roc = membership_roc(**given, synthetic=tables[label], widths=widths[width])
            ax = plot_membership_roc(roc, ax=ax, **({"label": shown(label), "color": f"C{i}"} if label else {}))
        made = {"width": best if len(best) > 1 else named[0], **found.attrs}
        return outputs.figure(ax, settings["figure"], provenance({}, {})["capstats"], outputs.json_text(made))

    status = outputs.save_files(settings, messages, {"csv": lambda: csv_text(*table), "figure": drawn})
    blocks: list[Block] = [
        f"Best width: {', '.join(named)}{together}. Widths and thresholds are chosen with knowledge of the "
        "members, so the numbers are optimistic for the attacker.",
        Facts(
            (
                (
                    "best_difference",
                    "share of the members that are taken for members, minus that of the others; 0 is no better than chance",
                ),
                ("best_threshold", "the log10 of the score at which this difference is greatest"),
                ("accuracy", "share of right answers at that threshold, members and others of equal weight; 0.5 is chance"),
                ("auc", "probability that a member has a higher score than another record; 0.5 is chance"),
            )
        ),
    ]
    return told(settings, "membership attack", table, {"How to read it": blocks}, found.attrs), status


def _width(width: str | float) -> Any:
    """A width as the library takes it: a number, or the name of a setting."""
    if not isinstance(width, str):
        return width
    try:
        return float(width)
    except ValueError:
        return tuple(width.split(":")) if width.count(":") == 1 else width


# --- maximum knowledge ------------------------------------------------------------------------------------------------


def knowledge(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """How often each column is guessed from all the others."""
    from capstats.attacks import maximum_knowledge

    outputs.check_files(settings)
    given = reading.tables(settings, (reading.ORIGINAL, reading.SYNTHETIC, COLUMNS), counts=False)
    tables = attacked(given.pop("synthetic"), settings)
    given |= {name: settings[name] for name in ("tolerance", "releases") if name in settings}
    with reading.levels_told({**settings, "allow-no-match": True}, messages):
        found = each(tables, lambda table: maximum_knowledge(**given, synthetic=table))
    head, rows = long_table(found, ["accuracy"], ["synthetic", "releases", "column"])
    average = long_table(found, ["average"], ["synthetic", "releases"])[1]
    rows += [[*row[:-1], "average of the columns", row[-1]] for row in average]
    places = [row[:-1] for row in average]
    rows.sort(key=lambda row: places.index(row[:-2]))  # the average stands after the columns
    table = (head, rows)

    def drawn() -> bytes:
        from capstats.plotting import plot_maximum_knowledge

        if "releases" not in found.dims:
            raise ValueError("the figure is over numbers of synthetic tables. Give several SYNTHETIC, and --releases.")
        ax = plot_maximum_knowledge(found)
        return outputs.figure(ax, settings["figure"], provenance({}, {})["capstats"], outputs.json_text(found.attrs))

    status = outputs.save_files(settings, messages, {"csv": lambda: csv_text(*table), "figure": drawn})
    blocks: list[Block] = [
        "Somebody who knows all columns of a person but one finds the synthetic records that are nearest in the ranks of the others, and "
        "takes their value for the person's. accuracy is the share of the original records for whom it is right."
    ]
    return told(settings, "maximum knowledge attack", table, {"How to read it": blocks}, found.attrs), status


# --- a fitted model ---------------------------------------------------------------------------------------------------


def model(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """How well a classifier that is fitted on the release guesses the target of the original's people."""
    from capstats.attacks import model_attack

    outputs.check_files(settings)
    given = reading.tables(
        {name: value for name, value in settings.items() if name != "seed" or "example" in settings},
        (reading.ORIGINAL, reading.SYNTHETIC, reading.KEYS, reading.TARGET),
        (reading.HOLDOUT, reading.EXAMPLE, reading.SEED),
        counts=False,
    )
    given.pop("provenance", None)
    given.pop("allow_no_match", None)
    with reading.levels_told(settings, messages):
        found = model_attack(**given, estimator=_estimator(settings.get("estimator", "forest"), settings.get("seed", 0)))
    table = long_table(found, ["average", "best_guess", "majority_guess", "modal_cap"], ["synthetic"])
    status = outputs.save_files(settings, messages, {"csv": lambda: csv_text(*table)})
    meanings = Facts(
        (
            ("average", "mean probability that the model gives to the true target"),
            ("best_guess", "share of the people whose target is the model's most probable one"),
            ("majority_guess", "the same if the most frequent target of the release is always named"),
            ("modal_cap", "the same if the commonest target of the synthetic records with the person's keys is named"),
        )
    )
    attrs = {name: found.attrs[name] for name in ("estimator", "repeated_rows", "unmatched", "key_columns", "target_columns", "missing")}
    return told(
        settings, f"attack by a fitted model ({settings.get('estimator', 'forest')})", table, {"How to read it": [meanings]}, attrs
    ), status


def _estimator(name: str, seed: int) -> Any:
    """A classifier that takes levels which the release lacks."""
    try:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import BernoulliNB
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder
        from sklearn.tree import DecisionTreeClassifier
    except ImportError as error:
        raise ImportError('the model attack needs scikit-learn. Install it: pip install "capstats[learn]".') from error
    if name == "tree":
        return DecisionTreeClassifier(random_state=seed)
    if name == "forest":
        return RandomForestClassifier(random_state=seed)
    of_levels = OneHotEncoder(handle_unknown="ignore")
    return make_pipeline(of_levels, LogisticRegression(max_iter=1000) if name == "logistic" else BernoulliNB())


# --- results of several releases, and as text or JSON ------------------------------------------------------------------

Table = tuple[list[str], list[list[Any]]]  # headings and rows


def attacked(synthetic: Any, settings: Settings) -> dict[str, Any]:
    """What is attacked at once, by its name: each release, or all of them under no name."""
    if isinstance(synthetic, dict) and "releases" not in settings:
        return synthetic
    return {"": list(synthetic.values()) if isinstance(synthetic, dict) else synthetic}


def each(tables: dict[str, Any], attack: Callable[[Any], xr.Dataset]) -> xr.Dataset:
    """The result of an attack; with dim ``synthetic`` where each of several releases is attacked by itself."""
    found = [attack(table) for table in tables.values()]
    return found[0] if len(found) == 1 else xr.concat(found, pd.Index(list(tables), name="synthetic"), combine_attrs="override")


def _together(files: Sequence[str], number: int) -> str:
    """The first releases by their names, as a row of a table has them."""
    first, *more = files[:number]
    return f"{first} and {more[0] if len(more) == 1 else f'{len(more)} more'}" if more else first


def told(settings: Settings, what: str, table: Table, sections: Sections, attrs: Any) -> str:
    """The result of an attack, as text or JSON."""
    head, rows = table
    if settings.get("json"):
        results = {"results": [dict(zip(head, row, strict=True)) for row in rows], "provenance": provenance(settings, attrs)}
        return outputs.json_text(results)
    shown = [[_cell(x) for x in row] for row in rows]
    if head[0] == "releases":
        files = table_labels(settings["synthetic"])
        head, shown = ["taken together", *head[1:]], [[_together(files, int(number)), *row] for number, *row in shown]
    grid = Grid(head, shown)
    columns = {name: attrs[f"{role}_columns"] for name, role in (("keys", "key"), ("target", "target")) if f"{role}_columns" in attrs}
    return as_text(title(what), {"What was read": [Facts(facts(settings, columns))], "Answer": [grid], **sections})


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) and not 0 <= value <= 1 else share(value) if isinstance(value, float) else str(value)


def long_table(found: xr.Dataset, names: Sequence[str], dims: Sequence[str]) -> Table:
    """The variables of a result as a table, a row for each element of the dims that it has."""
    held = [dim for dim in dims if dim in found.dims]
    rows = []
    for place in np.ndindex(*(found.sizes[dim] for dim in held)):
        one = found.isel(dict(zip(held, place, strict=True)))
        labels = [found.indexes[dim][i] for dim, i in zip(held, place, strict=True)]
        rows.append([*(x if isinstance(x, str) else int(x) for x in labels), *(float(one[name]) for name in names)])
    return [*held, *names], rows


COMMANDS = (
    Command(
        "attack membership",
        "find out who was in the original, by the similarity of records to the release",
        {
            "data": (MEMBERS, NON_MEMBERS, reading.SYNTHETIC, COLUMNS, reading.ALLOW_SAME),
            "how it is read": reading.OF_RECORDS,
            "what is computed": (WIDTHS_OF_KERNEL, CATEGORIES, RELEASES),
            "what is given": (
                outputs.JSON,
                outputs.CSV,
                replace(outputs.FIGURE, help="save the ROC curve of the best width, of each release (PNG, PDF or SVG)"),
            ),
        },
        (
            (
                "three settings",
                "capstats attack membership members.csv others.csv synthetic.csv --columns age,sex,income --types age=number",
            ),
            (
                "own widths, and the curve of the best one",
                "capstats attack membership members.csv others.csv synthetic.csv --columns age --types age=number --widths 0.1,1,10 "
                "--figure roc.png",
            ),
        ),
        membership,
    ),
    Command(
        "attack knowledge",
        "guess each column of a person from all the others",
        {
            "data": (reading.ORIGINAL, reading.SYNTHETIC, COLUMNS, reading.ALLOW_SAME),
            "how it is read": reading.OF_RECORDS,
            "what is computed": (TOLERANCE, RELEASES),
            "what is given": (
                outputs.JSON,
                outputs.CSV,
                replace(outputs.FIGURE, help="save the accuracy over numbers of tables (PNG, PDF or SVG)"),
            ),
        },
        (
            ("one release", "capstats attack knowledge original.csv synthetic.csv --columns age,sex,income --types age=number"),
            (
                "several releases, the first ones taken together",
                "capstats attack knowledge original.csv s1.csv s2.csv s3.csv --columns age,sex --releases 1,2,3 --figure k.png",
            ),
        ),
        knowledge,
    ),
    Command(
        "attack model",
        "guess the target with a classifier that is fitted on the release",
        {
            "data": (
                reading.ORIGINAL,
                reading.SYNTHETIC,
                reading.HOLDOUT,
                reading.KEYS,
                reading.TARGET,
                reading.EXAMPLE,
                replace(reading.SEED, help="seed of the example's synthetic records, and of the classifier (default 0)"),
                reading.ALLOW_SAME,
            ),
            "how it is read": reading.READING,
            "what is computed": (ESTIMATOR,),
            "what is given": (outputs.JSON, outputs.CSV),
        },
        (
            ("a random forest", "capstats attack model original.csv synthetic.csv --keys age,sex,region --target income"),
            ("on bundled data", "capstats attack model --example titanic --estimator tree"),
        ),
        model,
    ),
)
