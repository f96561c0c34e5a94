"""``capstats attack``: intruders beside CAP, who find members, guess a column from all others, or fit a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.cli import outputs, reading
from capstats.cli.option_values import table_labels
from capstats.cli.options import Settings
from capstats.cli.outputs import MEANINGS, facts, title
from capstats.codes.names import printable
from capstats.reports.blocks import Block, Facts, Grid, Sections, as_text
from capstats.sources.confidential import csv_text
from capstats.tables.printing import share

MOST_RECORDS = 1_000_000  # the most records of a table in an attack


def membership(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """How well members are distinguished from other records, for several widths of the kernel."""
    from capstats.attacks import membership_roc

    tables, given = _attacked(settings, ("members", "non-members", "synthetic", "columns"), ("categories", "n-releases"))
    widths = {str(width): _width(width) for width in settings.get("widths", ["low", "medium", "high"])}
    names = ["best_difference", "best_threshold", "accuracy", "auc", "auc_standard_error"]

    def compared(table: Any) -> xr.Dataset:
        curves = [membership_roc(**given, synthetic=table, widths=width, at=[0.0])[names] for width in widths.values()]
        return xr.concat(curves, pd.Index(list(widths), name="width"))

    found = _each(tables, settings, messages, compared)
    many = np.atleast_1d(np.array([*widths])[found["best_difference"].argmax("width").values])  # the first one among ties
    best = dict(zip(tables, map(str, many if "synthetic" in found.dims else many[-1:]), strict=True))
    named = ", ".join(f"{width} for {printable(label)}" if label else width for label, width in best.items())

    def drawn() -> bytes:
        from capstats.plotting import plot_membership_roc
        from capstats.plotting.shared import shown

        ax: Any = None
        for i, (label, width) in enumerate(best.items()):
            with reading.levels_told({"allow-no-match": True}, []):  # once is enough
                roc = membership_roc(**given, synthetic=tables[label], widths=widths[width])
            ax = plot_membership_roc(roc, ax=ax, **({"label": shown(label), "color": f"C{i}"} if label else {}))
        made = {"width": best if len(best) > 1 else named, **found.attrs}
        return outputs.figure(ax, settings["figure"], outputs.json_text(made))

    together = " (with most tables)" if "releases" in found.dims else ""
    blocks: list[Block] = [
        f"Best width: {named}{together}. Widths and thresholds are chosen with knowledge of the members, so the numbers are optimistic for "
        f"the intruder.",
        Facts(list(MEANINGS["membership"].items())),
    ]
    return _reported(settings, messages, "membership attack", found[names], blocks, drawn)


def _width(width: str | float) -> Any:
    """A width as the library takes it: a number, or the name of a setting."""
    try:
        return float(width)
    except ValueError:
        parts = tuple(str(width).split(":"))
        return parts if len(parts) == 2 else width


def knowledge(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """How often each column is guessed from all the others."""
    from capstats.attacks import maximum_knowledge

    tables, given = _attacked(settings, ("original", "synthetic", "columns"), ("within", "n-releases"))
    found = _each(tables, settings, messages, lambda table: maximum_knowledge(**given, synthetic=table))
    average = found[["average"]].rename(average="accuracy").expand_dims(column=["average of the columns"])
    shown = xr.concat([found[["accuracy"]], average], "column")

    def drawn() -> bytes:
        from capstats.plotting import plot_maximum_knowledge

        if "releases" not in found.dims:
            raise ValueError("the figure is over numbers of synthetic tables. Give several SYNTHETIC, and --n-releases.")
        return outputs.figure(plot_maximum_knowledge(found), settings["figure"], outputs.json_text(found.attrs))

    meaning = (
        "Somebody who knows all columns of a person but one finds the synthetic records that are nearest in the ranks of the others, and "
        "takes their value for the person's. accuracy is the share of the original records for whom it is right: equal or, in a column of "
        "numbers, less than --within (or 1) apart."
    )
    return _reported(settings, messages, "maximum knowledge attack", shown, [meaning], drawn)


def model(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """How well a classifier that is fitted on the release guesses the target of the original's people."""
    from capstats.attacks import model_attack

    outputs.check_files(settings)
    estimator = settings.get("estimator", "forest")
    read = {name: value for name, value in settings.items() if name != "seed" or "example" in settings}
    given = reading.tables(read, ("original", "synthetic", "keys", "target"), ("holdout", "example"), counts=False)
    _check_sizes(given)
    with reading.levels_told(settings, messages):
        found = model_attack(**given, estimator=_estimator(estimator, settings.get("seed", 0)))
    names = [name for name in map(str, found) if name in MEANINGS["model"]]
    told = ("estimator", "repeated_rows", "unmatched", "key_columns", "target_columns", "missing")
    shown = found[names]
    shown.attrs = {name: found.attrs[name] for name in told}
    meanings = Facts([(name, MEANINGS["model"][name]) for name in names])
    return _reported(settings, messages, f"attack by a fitted model ({estimator})", shown, [meanings])


def _estimator(name: str, seed: int) -> Any:
    """A classifier that accepts levels which the release lacks."""
    try:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import BernoulliNB
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder
        from sklearn.tree import DecisionTreeClassifier
    except ImportError as error:
        raise ImportError('the model attack needs scikit-learn. Install it: pip install "capstats[learn]".') from error
    return {
        "tree": DecisionTreeClassifier(random_state=seed),
        "forest": RandomForestClassifier(random_state=seed),
        "logistic": make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=1000)),
        "bayes": make_pipeline(OneHotEncoder(handle_unknown="ignore"), BernoulliNB()),
    }[name]


# --- shared by the attacks -------------------------------------------------------------------------------------------


def _attacked(settings: Settings, needed: Sequence[str], options: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables of each attack, by name: each release, or all of them under the name None; and the other arguments of the attack."""
    outputs.check_files(settings)
    given = reading.tables(settings, needed, counts=False)
    _check_sizes(given)
    synthetic = given.pop("synthetic")
    given |= {name.replace("-", "_"): settings[name] for name in options if name in settings}
    if not isinstance(synthetic, dict):
        return {"": synthetic}, given
    return {"": list(synthetic.values())} if "n-releases" in settings else synthetic, given


def _check_sizes(given: Mapping[str, Any]) -> None:
    """Raise where a file has too many records, by their number, before they are read."""
    from capstats.counting.reading import released
    from capstats.sources.door import format_of, is_path
    from capstats.sources.files import FileSource
    from capstats.sources.source import Options

    options = Options(**{option.name: given[option.name] for option in fields(Options) if option.name in given})
    _, synthetic, called = released(given["synthetic"])
    tables: dict[str, Any] = {name: given.get(name) for name in ("original", "holdout", "members", "non_members")}
    tables |= dict(zip(called, synthetic, strict=True))
    for name, table in tables.items():
        is_csv = is_path(table) and format_of(table) is None
        if is_csv and (records := FileSource(table, name).number(options.of_table(name))) > MOST_RECORDS:
            raise ValueError(
                f"`{name}` has {records:,} records, and attacks take at most {MOST_RECORDS:,}. Give files with a random sample of "
                f"the records of each table, or call the functions of capstats.attacks, which have no such limit."
            )


def _each(tables: dict[str, Any], settings: Settings, messages: list[str], attack: Callable[[Any], xr.Dataset]) -> xr.Dataset:
    """The result of an attack; with dim ``synthetic`` where each of several releases is attacked by itself."""
    with reading.levels_told({**settings, "allow-no-match": True}, messages):
        found = [attack(table) for table in tables.values()]
    return found[0] if len(found) == 1 else xr.concat(found, pd.Index(list(tables), name="synthetic"), combine_attrs="override")


def _reported(
    settings: Settings,
    messages: list[str],
    what: str,
    found: xr.Dataset,
    meaning: Sequence[Block],
    drawn: Callable[[], bytes] | None = None,
) -> tuple[str, int]:
    """The variables of a result as text or JSON, a row for each combination of its dims; and its files."""
    dims = [dim for dim in ("synthetic", "releases", "width", "column") if dim in found.dims]
    head, attrs = [*dims, *map(str, found.data_vars)], found.attrs
    frame = found.expand_dims("row").to_dataframe(dim_order=["row", *dims]).reset_index()
    rows: list[list[Any]] = frame[head].astype(object).to_numpy().tolist()
    results = [dict(zip(head, row, strict=True)) for row in rows]
    files: dict[str, outputs.Content] = {"csv": lambda: csv_text(head, rows), **({"figure": drawn} if drawn else {})}
    titles, shown = head, [[_cell(x) for x in row] for row in rows]
    if head[0] == "releases":
        names = table_labels(settings["synthetic"])
        titles, shown = ["taken together", *head[1:]], [[_together(names, int(number)), *row] for number, *row in shown]
    columns = {name: attrs[f"{role}_columns"] for name, role in (("keys", "key"), ("target", "target")) if f"{role}_columns" in attrs}
    sections: Sections = {"What was read": [Facts(facts(settings, columns))], "Answer": [Grid(titles, shown)], "How to read it": meaning}
    return outputs.given_out(settings, messages, lambda: as_text(title(what), sections), lambda: {"results": results}, files, attrs)


def _together(files: Sequence[str], number: int) -> str:
    """The first releases by name, as a cell of a table."""
    first, *more = files[:number]
    return f"{first} and {more[0] if len(more) == 1 else f'{len(more)} more'}" if more else first


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return share(value) if 0 <= value <= 1 else f"{value:.3f}"
