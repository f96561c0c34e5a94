"""Reproduction of the paper: its printed values and the computed ones, its tables, and Figures 1 and 2."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from capstats import __version__
from capstats.cap.average import average_cap, correct_predictions
from capstats.cap.distribution import cap_boxplot
from capstats.cap.individual import individual_cap
from capstats.codes.checks import check_choice
from capstats.codes.names import printable
from capstats.counting.tabulate import tabulate
from capstats.datasets import ERRATA, paper_originals, paper_synthetics, smoking
from capstats.laws import Bootstrap, Independent, Model, Uniform, cap_law, expected_cap, maximum_cap, sample_tables
from capstats.laws.distribution.exact import Atoms
from capstats.laws.distribution.on_a_grid import uniform_bounds
from capstats.paper_files import check_folder, labelled, numbered, panels, symbol, table_rows, tables_page, write_csv
from capstats.tables.aligned import total_of
from capstats.tables.checking import as_counts, given_tables
from capstats.tables.dataset import from_counts
from capstats.tables.printing import Result, percent
from capstats.tables.ties import TIE, at_most

__all__ = ["Value", "figure_1_tables", "figure_2_averages", "no_riskier", "printed_values", "report", "reproduce"]

SEED = 14
CHOSEN = (
    "The paper prints 4 of the 20 tables of its Figure 1. The default seed of the 16 others is chosen: it is the first under which the "
    "paper's remark on S_b with O_3 holds (one of the four lowest averages, the greatest individual CAP), as it does for about 6 in 100."
)
SOURCE = "Baillargeon and Charest, section 4"
RECORDS = 900  # in every original of section 4
PANEL = 20  # synthetic tables in each panel of Figure 1
DRAWS = 2000  # synthetic tables behind each panel of Figure 2
POINTS = 301  # of the curve of a law
SHORT = 8  # characters of a label that is on one line with the rest of a title
SHARES = ("no riskier", "version 2 no riskier")
MODELS: dict[str, Any] = {"uniform": Uniform, "bootstrap": Bootstrap, "independent": Independent}


@dataclass(frozen=True)
class Value:
    """One number printed in the paper, and the computed number."""

    where: str
    what: str
    printed: str
    computed: float

    @property
    def agrees(self) -> bool:
        """Whether the computed number, rounded to the printed decimals, is the printed one; an integer must agree exactly."""
        decimals = len(self.printed.partition(".")[2])
        if not decimals:
            return math.isclose(self.computed, float(self.printed), rel_tol=TIE)
        return f"{self.computed:.{decimals}f}" == self.printed


def printed_values() -> list[Value]:
    """Every number printed in sections 2.3 and 4 of the paper, with the computed number.

    Returns
    -------
    list of Value
        With ``where`` (the section), ``what``, ``printed``, ``computed`` and ``agrees``.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", sections 2.3 and 4.

    Examples
    --------
    >>> all(value.agrees for value in printed_values())
    True
    """
    smokers, o, s = smoking(), paper_originals(), paper_synthetics()
    with_o = individual_cap(smokers.o, smokers.o).sel(smoking="Smoking")
    with_s = individual_cap(smokers.o, smokers.s).sel(smoking="Smoking")
    average, right, records = average_cap(o, s), correct_predictions(o, s), o.sum(["target", "key"])

    def of(array: xr.DataArray, **where: str) -> float:
        return float(array.sel(where).item())

    return [
        Value("2.3", "CAP of x_0, a sick smoker, with O", "0.4", of(with_o, target="Sick")),
        Value("2.3", "CAP of x_0 with S, 8/33", "0.2424", of(with_s, target="Sick")),
        Value("2.3", "CAP of x_1, a healthy smoker, with O", "0.6", of(with_o, target="Healthy")),
        Value("2.3", "CAP of x_1 with S, 25/33", "0.7576", of(with_s, target="Healthy")),
        Value("4", "records of O_1", "900", of(records, original="O_1")),
        Value("4", "records of O_3", "900", of(records, original="O_3")),
        Value("4", "records of O_4", "900", of(records, original="O_4")),
        Value("4", "average CAP of O_2 with O_2", "1", of(average_cap(o, o), original="O_2")),
        Value("4", "average CAP of O_3 with S_b", "0.31", of(average, original="O_3", synthetic="b")),
        Value("4", "average CAP of O_3 with S_g", "0.35", of(average, original="O_3", synthetic="g")),
        Value("4", "average CAP of O_4 with S_a", "0.318", of(average, original="O_4", synthetic="a")),
        Value("4", "average CAP of O_4 with S_e", "0.309", of(average, original="O_4", synthetic="e")),
        Value("4", "records of O_4 predicted correctly with S_a", "134", of(right, original="O_4", synthetic="a")),
        Value("4", "records of O_4 predicted correctly with S_e", "272", of(right, original="O_4", synthetic="e")),
    ]


def figure_1_tables(originals: Any = None, *, m: int | None = None, model: str = "uniform", seed: int = SEED) -> xr.DataArray:
    """The 20 synthetic tables a..t of Figure 1: a, b, e and g as printed, the others drawn uniformly; or 20 tables for other originals.

    Parameters
    ----------
    originals : DataArray, dims ([original,] target, key), Dataset, array-like, or mapping {label: table}, optional
        Counts of other originals. Default: the paper's.
    m : int, optional
        Records of each synthetic table. Default: 900, or those of the other originals, if all have the same number.
    model : {"uniform", "bootstrap", "independent"}
        How tables are drawn: a class of `capstats.laws`.
    seed : int
        Of the draws. The default is chosen: it is the first under which the paper's remark on S_b with O_3 holds.

    Returns
    -------
    DataArray of int, dims (synthetic, target, key), or (original, synthetic, target, key)
        m records each, over the keys and targets of the originals. All originals have the same uniform tables, as in the paper.

    Raises
    ------
    ValueError
        If `model` is unknown, `m` is below 1, or the originals are not tables of counts or need an `m`.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Tables 7 to 10 and Figure 1.

    Examples
    --------
    >>> figure_1_tables().sel(synthetic="b").values.tolist()
    [[24, 36, 15], [226, 113, 213], [216, 54, 3]]
    >>> figure_1_tables({"mine": [[3, 1], [1, 3]]}, m=50, model="bootstrap").sum(["target", "key"]).values.tolist()
    [[50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50]]
    """
    o, drawn_by = _asked(originals, m, model)
    of = o.isel(original=0, drop=True) if isinstance(drawn_by, Uniform) else o
    drawn = sample_tables(of, drawn_by, draws=PANEL, rng=[seed, 1])
    tables = drawn.rename(draw="synthetic").assign_coords(synthetic=list(string.ascii_lowercase[:PANEL]))
    if originals is None and drawn_by == Uniform(RECORDS):
        printed = paper_synthetics()
        tables.loc[{"synthetic": printed.synthetic.values}] = printed.values
    return tables.transpose(*of.dims[:-2], "synthetic", "target", "key")


def figure_2_averages(
    originals: Any = None, *, m: int | None = None, model: str = "uniform", draws: int = DRAWS, seed: int = SEED
) -> xr.Dataset:
    """Average CAP of many random synthetic tables for each original: of 2,000 uniform ones for each of the paper's, or for others.

    Parameters
    ----------
    originals, m, model
        As in `figure_1_tables`.
    draws : int
        Synthetic tables for each original.
    seed : int
        Of the draws.

    Returns
    -------
    Dataset
        ``version 1`` and ``version 2``, dims (original, draw); ``itself``, average CAP of each original with itself; ``no riskier``, the
        share of draws whose version 1 is at most that value, ties included; ``version 2 no riskier`` likewise; ``expected``, the exact
        mean of version 1 under the model.

    Raises
    ------
    ValueError
        As in `figure_1_tables`, or if `draws` is below 1.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2.

    Examples
    --------
    >>> averages = figure_2_averages()
    >>> float(averages["no riskier"].sel(original="O_1"))
    1.0
    >>> round(float(figure_2_averages([[3, 1], [1, 3]], m=50, model="independent", draws=10).expected.item()), 3)
    0.5
    """
    o, drawn_by = _asked(originals, m, model)
    drawn = [sample_tables(o.isel(original=i, drop=True), drawn_by, draws=draws, rng=[seed, 2, i]) for i in range(o.sizes["original"])]
    s = xr.concat(drawn, xr.DataArray(o.original.values, dims="original", name="original"))
    version_1, version_2 = average_cap(o, s), average_cap(o, s, unmatched="drop")
    itself, source = average_cap(o, o), SOURCE if originals is None else "given"
    return Result(
        {
            "version 1": version_1,
            "version 2": version_2,
            "itself": itself,
            "no riskier": at_most(version_1, itself).mean("draw"),
            "version 2 no riskier": at_most(version_2, itself).mean("draw"),
            "expected": expected_cap(o, drawn_by),
        },
        attrs={"result": "Average CAP of random synthetic tables", "originals": source, "model": repr(drawn_by)},
    )


def _asked(originals: Any, m: int | None, model: str) -> tuple[xr.DataArray, Model]:
    """The originals, dims (original, target, key), and the model of their synthetic tables."""
    check_choice(model, "model", tuple(MODELS))
    if originals is None:
        return paper_originals(), MODELS[model](RECORDS if m is None else m)
    o = _batch(originals)
    records = np.unique(total_of(o))
    if m is None and len(records) > 1:
        raise ValueError(f"The originals have {records.min():,} to {records.max():,} records. Say how many a synthetic table has: `m`.")
    return o, MODELS[model](records.item() if m is None else m)


def _batch(originals: Any) -> xr.DataArray:
    """Tables as every function takes them, with a labelled dim ``original``."""
    if isinstance(originals, Mapping) and not isinstance(originals, xr.Dataset):
        batch: xr.DataArray = from_counts(next(iter(originals.values()), []), originals)["s"].rename(synthetic="original")
        return batch
    o = as_counts(given_tables({"o": originals})["o"], "originals")
    o = o if o.ndim > 2 else o.expand_dims("original") if "original" in o.coords else o.expand_dims(original=["O"])
    if o.ndim > 3:
        raise ValueError(f"`originals` has dims {o.dims}; choose (original, target, key).")
    o = o.rename({o.dims[0]: "original"})
    return o if "original" in o.indexes else o.assign_coords(original=[f"O_{i + 1}" for i in range(o.sizes["original"])])


def law_curve(label: str) -> xr.Dataset:
    """The density of average CAP in the limit of many records for an original of section 4, or its atom.

    Parameters
    ----------
    label : str
        "O_1" to "O_4".

    Returns
    -------
    Dataset, dims (value,)
        ``least`` and ``greatest`` of the density, or ``probability`` of the atom.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2, which simulates it.

    Examples
    --------
    >>> law_curve("O_1").probability.values.tolist()
    [1.0]
    """
    law = cap_law(paper_originals().sel(original=label, drop=True), Uniform())
    return law.atoms() if isinstance(law, Atoms) else law.density(np.linspace(law.least, law.greatest, POINTS))


@cache
def no_riskier(label: str, m: int | None = None) -> tuple[float, float]:
    """Bounds of the probability that a random table is at most as risky as an original of section 4.

    Parameters
    ----------
    label : str
        "O_1" to "O_4".
    m : int, optional
        Records of the random table. Default: the limit of many records.

    Returns
    -------
    lower, upper : float
        The probability of average CAP (version 1) at most that of the original with itself is between them; ties count.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2, which simulates it.

    Examples
    --------
    >>> [round(bound, 6) for bound in no_riskier("O_4")]
    [0.993932, 0.993932]
    """
    o = paper_originals().sel(original=label, drop=True)
    itself = average_cap(o, o).item()
    if at_most(maximum_cap(o).item(), itself):
        return 1.0, 1.0  # no table is riskier: Lemma 1
    if m is not None:
        return uniform_bounds(o.values, m, itself)
    found = cap_law(o, Uniform()).cdf(itself)
    return float(found["least"]), float(found["greatest"])


def probability_text(label: str, m: int) -> str:
    """Both probabilities as text: with m records, and in the limit.

    Examples
    --------
    >>> probability_text("O_1", 900)
    '1.0000 with 900 records, 1.000000 in the limit of many'
    """
    lower, upper = (f"{bound:.4f}" for bound in no_riskier(label, m))
    finite = lower if lower == upper else f"{lower} to {upper}"
    return f"{finite} with {m} records, {no_riskier(label)[0]:.6f} in the limit of many"


def reproduce(
    out: str | Path, *, originals: Any = None, m: int | None = None, model: str = "uniform", draws: int = DRAWS, seed: int = SEED
) -> tuple[list[Value], xr.Dataset, list[Path]]:
    """Write the paper's values, tables and figures to a folder; or its tables and figures of other originals.

    Parameters
    ----------
    out : path
        Folder to write to; created if missing. Files of an earlier run are replaced.
    originals, m, model, draws
        As in `figure_2_averages`.
    seed : int
        Seed of the random synthetic tables, such as those that the paper drew but did not print.

    Returns
    -------
    values : list of Value
        Printed and computed values; none of other originals.
    averages : Dataset
        As `figure_2_averages` returns.
    files : list of Path
        The files written: values.csv, tables.csv, and tables, figure-1 and figure-2 as PNG and PDF with their provenance in the metadata;
        of other originals tables.csv and the figures.

    Raises
    ------
    OSError
        If the folder cannot be written to, or has a file of one of these names that capstats did not make.
    ValueError
        As `figure_2_averages`.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets".

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     values, averages, files = reproduce(folder)
    >>> [file.name for file in files][:2]
    ['values.csv', 'tables.csv']
    """
    from capstats.plotting import plot_average_cap, plot_cap_law, plot_individual_cap  # matplotlib is heavy

    averages = figure_2_averages(originals, m=m, model=model, draws=draws, seed=seed)
    s = figure_1_tables(originals, m=m, model=model, seed=seed)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    check_folder(folder)
    given = originals is not None
    o, by_paper = _asked(originals, m, model)[0], _by_paper(averages)
    boxes = cap_boxplot(o, s).drop_vars(["baseline_cap", "outlier_records"])  # the paper's Figure 1 has neither
    values = [] if given else printed_values()
    files = [] if given else [write_csv(folder / "values.csv", ([x.where, x.what, x.printed, x.computed, x.agrees] for x in values))]
    files.append(write_csv(folder / "tables.csv", table_rows(labelled(o, s) if given else numbered())))
    provenance = {
        "capstats": __version__,
        "seed": seed,
        "draws": draws,
        **averages.attrs,
        **({} if given else {"source": o.attrs["source"], "errata": list(ERRATA)}),
        "seed_is": CHOSEN if seed == SEED and by_paper else "given",
    }

    def figure_1(ax: Any, label: str) -> None:
        plot_individual_cap(boxes.sel(original=label, drop=True), ax=ax)
        ax.set_title(symbol(label))

    def figure_2(ax: Any, label: str) -> None:
        of = averages.sel(original=label)
        plot_average_cap({v: of[v] for v in ("version 1", "version 2")}, original=of["itself"].item(), ax=ax)
        if by_paper:
            law: dict[str, Any] = {"label": "law of version 1 in the limit of many records", "color": "black"}
            plot_cap_law(law_curve(label), over=ax.containers[0], **law, ax=ax)
        between = ": " if len(symbol(label)) < SHORT else "\n"
        first, second = (percent(of[x].item(), 2) for x in SHARES)
        said = (
            f"{between}{first} of tables no riskier than the original" if first == second else f"\n{first} no riskier (version 2: {second})"
        )
        ax.set_title(symbol(label) + said)

    labels = list(o.original.values)
    said = f"Synthetic tables: {averages.attrs['model']}, seed {seed}." if given else ""
    files += panels(folder / "figure-1", figure_1, labels, provenance, below=CHOSEN if provenance["seed_is"] == CHOSEN else said)
    files += panels(folder / "figure-2", figure_2, labels, provenance, below=said)
    files += [] if given else tables_page(folder / "tables", provenance)
    return values, averages, files


def _by_paper(averages: xr.Dataset) -> bool:
    """Whether the averages are of the paper's originals and of tables drawn as it draws them."""
    return (averages.attrs["originals"], averages.attrs["model"]) == (SOURCE, repr(Uniform(RECORDS)))


def _number(x: float) -> str:
    return f"{x:.0f}" if x == int(x) and x > 1 else f"{x:.4f}"


def report(values: list[Value], averages: xr.Dataset) -> str:
    """Result of `reproduce` as text for a terminal.

    Parameters
    ----------
    values : list of Value
        Printed and computed values.
    averages : Dataset
        As returned by `reproduce`.

    Returns
    -------
    str
        One line for each value; for each original of Figure 2 the averages, and the share of tables that are no riskier, of the paper's
        beside its probability; and the errata of the text.

    Examples
    --------
    >>> print(report([], figure_2_averages({"mine": [[3, 1], [1, 3]]}, m=50, model="bootstrap", draws=100, seed=1)))
    Figure 2: 100 tables of Bootstrap(m=50) for each original (ties are no riskier).
      mine: average CAP 0.6250 with itself; of the tables 0.6234, exactly 0.6250 in the mean; 0.5100 of them no riskier
    """
    lines = [f"{'section':<9}{'value':<46}{'printed':>7}{'computed':>12}{'agrees':>7}"] if values else []
    lines += [f"{v.where:<9}{v.what:<46}{v.printed:>7}{_number(v.computed):>12}{'yes' if v.agrees else 'NO':>7}" for v in values]
    lines += [""] * bool(values) + [
        f"Figure 2: {averages.sizes['draw']:,} tables of {averages.attrs['model']} for each original (ties are no riskier)."
    ]
    for label in averages.original.values:
        of = averages.sel(original=label)
        itself, mean, expected = (f"{of[x].mean().item():.4f}" for x in ("itself", "version 1", "expected"))
        share, second = (f"{of[x].item():.4f}" for x in SHARES)
        share += f" (version 2: {second})" if second != share else ""
        line = f"average CAP {itself} with itself; of the tables {mean}, exactly {expected} in the mean; {share} of them no riskier"
        probability = f": {probability_text(str(label), RECORDS)}" if _by_paper(averages) else ""
        lines.append(f"  {printable(label)}: {line}{probability}")
    if _by_paper(averages):
        lines += ["", CHOSEN]
    return "\n".join([*lines, *(["", "Errata of the text:", *(f"  - {line}" for line in ERRATA)] if values else [])])


ASKED = {"m": "records", "model": "model", "draws": "draws", "seed": "seed"}  # arguments of `reproduce`, by their options


def command(settings: Mapping[str, Any], messages: list[str]) -> tuple[str, int]:
    """``capstats paper``: what was regenerated, as text; status 1 where a printed value does not agree."""
    asked = {argument: settings[name] for argument, name in ASKED.items() if name in settings}
    values, averages, files = reproduce(settings["out"], originals=_originals(settings, messages), **asked)
    text = f"{report(values, averages)}\n\nWritten: {', '.join(printable(file) for file in files)}"
    wrong = [value for value in values if not value.agrees]
    agree = f"\n\n{len(values) - len(wrong)} of {len(values)} printed values agree."
    return text + agree * bool(values), 1 if wrong else 0


def _originals(settings: Mapping[str, Any], messages: list[str]) -> Any:
    """The table of the records, or counts, of --originals, labelled by the name of the file."""
    from capstats.cli import reading

    how = {name: x for name, x in settings.items() if name in ("keys", "target", *reading.READING)}
    if "originals" not in settings:
        if how:
            raise ValueError(f"--{next(iter(how))} says how --originals is read. Give both, or neither.")
        return None
    given = reading.tables({**how, "original": settings["originals"]}, ("original", "keys", "target"))
    with reading.levels_told(settings, messages):
        tables = given["original"] if isinstance(given["original"], xr.Dataset) else tabulate(**given)
    return tables.o.expand_dims(original=[Path(settings["originals"]).name])
