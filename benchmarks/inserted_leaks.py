"""The smallest leak that each measure finds at 5 % false alarms: leaks of known size in honest releases of two real data sets.

Run: python benchmarks/inserted_leaks.py [--honest 300] [--leaking 60] [--processes 2] [--peers] [--picture docs/inserted-leaks.svg]

After M. N. Plasencia Palacios et al., "Empirical Evaluation of Structured Synthetic Data Privacy Metrics", arXiv:2512.16284: risk is
inserted on purpose, and a measure is judged by what it then says. In each repetition the data are split at random into original and
holdout. An honest release is drawn from a model of all records, each column given the one before, so it knows nothing about the split.
A measure finds a leak where it is above its 95 % quantile over honest releases of other repetitions. How often it is above without a
leak is printed, too. All measures, those of other packages as well, get the same releases. Leaks replace records of an honest release:

- copies: by people of the original, as they are;
- near copies: the same with one column, chosen at random, changed at random;
- targets of a group: in the release's records of a small group, keys and targets by those of the original's people of the group;
- records of a group: the release's records of this group by records that are drawn from the original's people of the group;
- people of the holdout: a control. They are copied as they are, which is no leak about the original.

The data: 944 voters, 9 columns, nearly all records unique; 6,366 wives, 9 columns, 7 in 10 records unique (of statsmodels; left out where
it is not installed); 2,201 people aboard the Titanic, 4 columns, nearly nobody unique. With --peers, SDMetrics and anonymeter measure
releases of the first, in a virtual environment of their own that is made on the first run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from generator import coded, network, people

from capstats import average_cap, datasets, disclosure, individual_share, tabulate
from capstats.attacks import membership_scores
from capstats.laws import dp_audit_release, membership_test
from capstats.plotting.inline import inline_svg

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000)  # records of a leak
FALSE_ALARMS, POWER = 0.05, 0.8
NONE = 20_000  # the place of "none" on the axis of a picture
MARKERS = {"anes96": ("o", "#0072B2", -0.14), "fair": ("s", "#D55E00", 0.14)}  # of data sets that are drawn, and how far from their row
WIDTH = 0.1  # of a kernel that says little but the distance to the closest record

Values = dict[str, np.ndarray]  # of each measure: one number per release, the larger the more leaks


@dataclass(frozen=True)
class DataSet:
    """Records, what the intruder knows and guesses, and the groups of two of the leaks."""

    name: str
    records: pd.DataFrame
    keys: list[str]
    target: str
    group: tuple[str, list[int]]  # a key column and some of its levels
    bins: Mapping[str, list[int]] = field(default_factory=dict)

    def of_group(self, records: pd.DataFrame) -> pd.DataFrame:
        """The records of the group."""
        column, levels = self.group
        return records[records[column].isin(levels)]


def survey() -> DataSet:
    found = datasets.anes96()[["educ", "income", "age", "TVnews", "selfLR", "ClinLR", "DoleLR", "PID", "vote"]]
    records = coded(found).assign(age=found["age"])
    up_to_some_high_school = ("educ", [0, 1])
    return DataSet("anes96", records, ["age", "educ", "PID"], "vote", up_to_some_high_school, {"age": [30, 45, 65]})


def ship() -> DataSet:
    records = people(datasets.titanic(), ["Class", "Sex", "Age", "Survived"])
    children = ("Age", [1])
    return DataSet("titanic", records, ["Class", "Sex", "Age"], "Survived", children)


def wives() -> DataSet:
    from statsmodels.datasets import fair

    found = fair.load_pandas().data
    order = ["occupation_husb", "occupation", "educ", "age", "yrs_married", "children", "religious", "rate_marriage", "affairs"]
    records = coded(found.assign(affairs=found["affairs"] > 0)[order])
    professionals = ("occupation", [5])
    return DataSet("fair", records, ["age", "educ", "occupation"], "affairs", professionals)


SETS: Mapping[str, Callable[[], DataSet]] = {"anes96": survey, "fair": wives, "titanic": ship}


@dataclass(frozen=True)
class Made:
    """What a leak is made of."""

    data: DataSet
    original: pd.DataFrame
    holdout: pd.DataFrame
    release: pd.DataFrame
    rng: np.random.Generator

    def some(self, k: int, rows: int | np.ndarray) -> np.ndarray:
        return self.rng.permutation(rows)[:k]


# --- leaks: k records of a release are replaced -----------------------------------------------------------------------


def replaced(release: pd.DataFrame, at: np.ndarray, records: pd.DataFrame) -> pd.DataFrame:
    """The release with other values in some of its records, in the columns that these have."""
    found = release.copy()
    found.iloc[at, [found.columns.get_loc(c) for c in records]] = records.to_numpy()
    return found


def copies(made: Made, k: int) -> pd.DataFrame:
    return replaced(made.release, made.some(k, len(made.release)), made.original.iloc[made.some(k, len(made.original))])


def near_copies(made: Made, k: int) -> pd.DataFrame:
    copied = made.original.iloc[made.some(k, len(made.original))].copy()
    changed = made.rng.integers(0, copied.shape[1], len(copied))
    for i, column in enumerate(copied):
        rows, levels = np.flatnonzero(changed == i), pd.Index(made.data.records[column].unique())
        steps = made.rng.integers(1, len(levels), len(rows))
        copied.iloc[rows, i] = levels[(levels.get_indexer(copied[column].iloc[rows]) + steps) % len(levels)]
    return replaced(made.release, made.some(k, len(made.release)), copied)


def targets_of_group(made: Made, k: int) -> pd.DataFrame:
    known = made.data.of_group(made.original)[[*made.data.keys, made.data.target]]
    at = made.some(min(k, len(known)), made.data.of_group(made.release).index)
    return replaced(made.release, at, known.iloc[made.some(len(at), len(known))])


def records_of_group(made: Made, k: int) -> pd.DataFrame:
    known, at = made.data.of_group(made.original), made.some(k, made.data.of_group(made.release).index)
    return replaced(made.release, at, known.iloc[made.rng.integers(0, len(known), len(at))])


def people_of_holdout(made: Made, k: int) -> pd.DataFrame:
    return replaced(made.release, made.some(k, len(made.release)), made.holdout.iloc[made.some(k, len(made.release))])


LEAKS: Mapping[str, Callable[[Made, int], pd.DataFrame]] = {
    "copies": copies,
    "near copies": near_copies,
    "targets of a group": targets_of_group,
    "records of a group": records_of_group,
    "people of the holdout": people_of_holdout,
}


def sizes(data: DataSet, leak: str) -> list[int]:
    """The sizes of a leak: up to about four fifths of the people whom it is about, half of whom are in the original."""
    n = len(data.of_group(data.records) if "group" in leak else data.records)
    return [k for k in SIZES if k <= 0.8 * n / 2]


# --- measures: one number for each of several releases ----------------------------------------------------------------


def of_counts(tables: xr.Dataset, which: str, unmatched: Literal["zero", "nearest"]) -> Values:
    """Measures of key and target that compare with the holdout."""
    o, s, h = tables.o, tables.s, tables.h
    return {
        f"individual_gain{which}": individual_share(o, s, h=h, unmatched=unmatched).individual_gain.values,
        f"membership_test{which}": deviations(o, s, h),
        f"dp_audit_release{which}": -np.log(dp_audit_release(o, s, 0, h=h, adjacency="substitution", rng=1).p_value.values),
    }


def deviations(o: xr.DataArray, s: xr.DataArray, h: xr.DataArray) -> np.ndarray:
    """The contrast of the membership test in units of its standard deviation."""
    found = membership_test(o, s, h=h, draws=0)
    return (found.contrast / found.standard_deviation.where(found.standard_deviation > 0)).fillna(0).values


def of_group(data: DataSet, tables: xr.Dataset) -> np.ndarray:
    """The membership test of the group alone."""
    column, levels = data.group
    part = tables.isel(key=tables.indexes["key"].get_level_values(column).isin(levels))
    return deviations(part.o, part.s, part.h)


def excess(found: Mapping[str, float]) -> float:
    """How improbable it is by chance that so many people have their record in the release: minus the logarithm of the p-value."""
    return float(-np.log10(max(found["copied_p_value"], 1e-300)))


def distances(original: pd.DataFrame, holdout: pd.DataFrame, releases: Mapping[str, pd.DataFrame]) -> Values:
    """Numbers of columns in which each released record differs from the closest one of original and holdout."""
    all_of = pd.concat(list(releases.values()), ignore_index=True)
    levels = {c: np.unique(np.concatenate([x[c] for x in (original, holdout, all_of)])).tolist() for c in original}
    options = {"columns": list(original), "widths": WIDTH, "categories": "mismatch", "types": levels, "allow_same": True}
    scores = membership_scores(all_of, {"original": original, "holdout": holdout}, **options)
    unit = np.log10(np.e) / WIDTH**2 / 2
    to_original, to_holdout = np.rint(-scores.values / unit).reshape(2, len(releases), -1)
    return {
        "DCR, closer to the original": (to_original < to_holdout).mean(-1) - (to_original > to_holdout).mean(-1),
        "DCR, difference of the means": (to_holdout - to_original).mean(-1),
        "DCR, ratio of the medians": -(np.median(to_original, -1) + 1) / (np.median(to_holdout, -1) + 1),
    }


def measures(data: DataSet, original: pd.DataFrame, holdout: pd.DataFrame, releases: Mapping[str, pd.DataFrame]) -> Values:
    others = [c for c in original if c != data.target]
    given = {"target": data.target, "holdout": holdout, "progress": False}
    tables = tabulate(original, releases, keys=data.keys, copy_columns=50, bins=data.bins, **given)
    o, s = tables.o, tables.s
    copied = tables.encoding["copies"]["releases"]
    beyond = np.array([excess(found) for found in copied])
    whole = tabulate(original, releases, keys=others, **given)
    return {
        "average_cap": average_cap(o, s).values,
        "disco": disclosure.disco(o, s).values,
        "share_replicated": disclosure.share_replicated(o, s).values,
        **of_counts(tables, "", "nearest"),
        "membership_test, the group alone": of_group(data, tables),
        **of_counts(whole, ", all columns", "zero"),
        "membership_test, all columns, the group alone": of_group(data, whole),
        "copies": beyond,
        "copies, the warning of the audit": np.array([float(found["copied_beyond_chance"] == 1) for found in copied]),
        "copies and near copies": np.array(
            [sum(x[f"{y}copied_records"] - x[f"holdout_{y}copied_records"] for y in ("", "near_")) for x in copied]
        ),
        **distances(original, holdout, releases),
    }


# --- repetitions ------------------------------------------------------------------------------------------------------

Repetition = tuple[pd.DataFrame, pd.DataFrame, dict[tuple[str, int], pd.DataFrame]]  # original, holdout, releases by leak and size


def repetition(data: DataSet, seed: int, grid: Mapping[str, Sequence[int]]) -> Repetition:
    """A split, an honest release, and the same with every leak in each of its sizes."""
    rng = np.random.default_rng(seed)
    order, n = rng.permutation(len(data.records)), len(data.records) // 2
    original, holdout = (data.records.iloc[rows].reset_index(drop=True) for rows in (order[:n], order[n:]))
    drawn = network(coded(data.records)).draw(n, rng)
    release = pd.DataFrame({c: np.unique(data.records[c])[codes] for c, codes in zip(data.records, drawn.T, strict=True)})
    made = Made(data, original, holdout, release, rng)
    releases = {("", 0): release}
    for name, ks in grid.items():
        for k in ks:  # the same whatever else is in the grid
            releases[name, k] = LEAKS[name](replace(made, rng=np.random.default_rng([seed, list(LEAKS).index(name), k])), k)
    return original, holdout, releases


def measured(name: str, leaking: int, seed: int) -> pd.DataFrame:
    """The measures of all releases of a repetition; those with a leak in the first ones alone."""
    warnings.simplefilter("ignore")  # of keys that are fine
    data = SETS[name]()
    original, holdout, releases = repetition(data, seed, {leak: sizes(data, leak) for leak in LEAKS} if seed < leaking else {})
    labelled = {f"{leak} {k}": release for (leak, k), release in releases.items()}
    index = pd.MultiIndex.from_tuples(list(releases), names=["leak", "size"])
    return pd.DataFrame(measures(data, original, holdout, labelled), index).assign(repetition=seed)


def powers(found: pd.DataFrame) -> pd.DataFrame:
    """The share of the releases with each leak, and of the same without, above the 95 % quantile over the others, by measure."""
    leaking = found["repetition"].isin(found.drop(index="", level="leak")["repetition"])
    found = found.drop(columns="repetition").fillna(-np.inf)
    threshold = found[~leaking].quantile(1 - FALSE_ALARMS, interpolation="higher")
    return (found[leaking] > threshold).groupby(level=["leak", "size"]).mean()


def smallest(power: pd.Series) -> str:
    """The smallest size that is found, as are all larger ones; or that none is."""
    power = power.dropna()
    missed = power.index[power < POWER]
    found = power.index[power.index > missed.max()] if len(missed) else power.index
    return f"{found.min():,}" if len(found) else "none"


def table(power: pd.DataFrame) -> pd.DataFrame:
    """The smallest leak of each kind that each measure finds, and how often it finds one where none is."""
    found = {leak: [smallest(power.loc[leak, measure]) for measure in power] for leak in LEAKS if leak in power.index}
    return pd.DataFrame(found | {"false alarms": [f"{share:.0%}" for share in power.loc["", 0]]}, list(power))


def show(name: str, power: pd.DataFrame, honest: int, leaking: int, seconds: float) -> None:
    data = SETS[name]()
    print(f"\n{name}: {len(data.records) // 2:,} originals; {honest} honest releases, {leaking} of each leak; {seconds:.0f} s\n")
    found = table(power)
    largest = [f"{leak} (up to {power.loc[leak].index.max():,})" if leak in LEAKS else leak for leak in found]
    print(f"| | {' | '.join(largest)} |\n|---|{'---|' * len(largest)}")
    for measure, row in found.iterrows():
        print(f"| {measure} | {' | '.join(row)} |", flush=True)


# --- other packages ---------------------------------------------------------------------------------------------------

PEER_SIZES = (3, 10, 30, 100, 300)
PEERS = """
import json, sys, warnings
warnings.simplefilter("ignore")
import logging; logging.disable(logging.WARNING)
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
from sdmetrics.single_table import CategoricalCAP, DCROverfittingProtection
out, folder, keys, target, part = open(sys.argv[1], "w"), sys.argv[2], sys.argv[3].split(","), sys.argv[4], sys.argv[5:]

def rates(evaluator, **options):
    evaluator.evaluate(**options)
    found = evaluator.results()
    return found.attack_rate.value - found.control_rate.value

for repetition in part:
    o, h, all_of = (pd.read_parquet(f"{folder}/{repetition}-{what}.parquet") for what in ("original", "holdout", "releases"))
    columns, n = list(o), min(len(o), len(h))
    metadata = {"tables": {"t": {"columns": {c: {"sdtype": "categorical"} for c in columns}}}, "relationships": []}
    for label, s in all_of.groupby("release", sort=False):
        tables = {"ori": o, "syn": s[columns].reset_index(drop=True), "control": h}
        syn = tables["syn"]
        dcr = DCROverfittingProtection.compute_breakdown(o, syn, h, metadata, "t")["synthetic_data_percentages"]
        infer = lambda known: rates(InferenceEvaluator(**tables, aux_cols=known, secret=target, n_attacks=n))
        row = {
            "SDMetrics DCROverfittingProtection": dcr["closer_to_training"],
            "SDMetrics CategoricalCAP": 1 - CategoricalCAP.compute(o, syn, key_fields=keys, sensitive_fields=[target]),
            "anonymeter inference": infer(keys),
            "anonymeter inference, all columns": infer([c for c in columns if c != target]),
            "anonymeter linkability": rates(LinkabilityEvaluator(**tables, aux_cols=(columns[::2], columns[1::2]), n_attacks=n)),
            "anonymeter singling out": rates(SinglingOutEvaluator(**tables, n_attacks=200, n_cols=4), mode="multivariate"),
        }
        print(json.dumps({"label": label, "repetition": int(repetition), **row}), file=out, flush=True)
"""


def peer_python(folder: Path) -> Path:
    """The interpreter of the other packages' own environment, made where it is missing."""
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "sdmetrics==0.32.0", "anonymeter==1.1.0", "pyarrow"], check=True)
    return python


def measured_by_peers(python: Path, honest: int, leaking: int, processes: int) -> pd.DataFrame:
    """The numbers of the other packages, as `measured` gives ours."""
    data = survey()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(leaking + honest):
            grid = {leak: [k for k in PEER_SIZES if k <= max(sizes(data, leak))] for leak in LEAKS} if seed < leaking else {}
            original, holdout, releases = repetition(data, seed, grid)
            all_of = pd.concat([release.assign(release=f"{leak}/{k}") for (leak, k), release in releases.items()])
            for what, frame in (("original", original), ("holdout", holdout), ("releases", all_of)):
                frame.astype(str).to_parquet(f"{folder}/{seed}-{what}.parquet", index=False)
        given = [folder, ",".join(data.keys), data.target]
        parts = [list(map(str, range(leaking + honest)[i::processes])) for i in range(processes)]
        runs = [subprocess.Popen([python, "-I", "-c", PEERS, f"{folder}/{i}.jsonl", *given, *part]) for i, part in enumerate(parts)]
        statuses = [run.wait() for run in runs]
        if any(statuses):
            raise RuntimeError("another package failed: see its messages above")
        rows = [json.loads(line) for i in range(processes) for line in Path(f"{folder}/{i}.jsonl").read_text().splitlines()]
    found = pd.DataFrame(rows)
    labels = found.pop("label").str.rsplit("/", n=1, expand=True)
    return found.set_index(pd.MultiIndex.from_arrays([labels[0], labels[1].astype(int)], names=["leak", "size"]))


def draw(found: Mapping[str, pd.DataFrame], picture: Path) -> None:
    """The smallest leaks, a panel for each kind: one row a measure, one marker a data set; at the right those that find none."""
    names = list(dict.fromkeys(measure for name in MARKERS for measure in found.get(name, ())))
    figure, axes = plt.subplots(1, len(LEAKS), figsize=(7.6, 0.2 * len(names) + 1.4), sharey=True, layout="constrained")
    for ax, leak in zip(axes, LEAKS, strict=True):
        for name, (marker, color, above) in MARKERS.items():
            of_leak = table(found[name])[leak] if name in found else pd.Series(dtype=str)
            rows = np.array([names.index(measure) for measure in of_leak.index]) + above
            none = (of_leak == "none").to_numpy()
            ax.plot(of_leak[~none].str.replace(",", "").astype(int), rows[~none], marker, color=color, markersize=5, label=name)
            ax.plot(np.full(none.sum(), NONE), rows[none], "x", color=color, markersize=3)
        ax.set_xscale("log")
        ax.set_xlim(0.5, 2.5 * NONE)
        ax.set_xticks([1, 10, 100, 1000, NONE], ["1", "", "100", "", "none"])
        ax.minorticks_off()
        ax.set_title("control: people\nof the holdout" if "holdout" in leak else leak.replace(" of", "\nof"), fontsize=9)
        ax.grid(axis="both", color="0.9")
        ax.tick_params(labelsize=7.5, length=0)
        ax.spines[["top", "right", "left"]].set_visible(False)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - 0.4, -0.6)
    figure.supxlabel("smallest leak that is found, in records", fontsize=9)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=len(MARKERS), frameon=False, fontsize=9)
    picture.write_text(inline_svg(axes[0], prefix="leaks") + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--honest", type=int, default=300, help="repetitions with an honest release")
    parser.add_argument("--leaking", type=int, default=60, help="further ones, with every leak in each of its sizes")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--venv", type=Path, default=Path(__file__).parent / ".venv-leaks")
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    found: dict[str, pd.DataFrame] = {}
    for name in given.sets:
        if name == "fair" and find_spec("statsmodels") is None:
            print("fair: left out, because statsmodels is not installed")
            continue
        start = time.perf_counter()
        with ProcessPoolExecutor(given.processes) as pool:
            rows = pd.concat(pool.map(partial(measured, name, given.leaking), range(given.leaking + given.honest), chunksize=5))
        found[name] = powers(rows)
        show(name, found[name], given.honest, given.leaking, time.perf_counter() - start)
    if given.peers:
        honest, leaking = max(given.honest // 3, 2), max(given.leaking // 3, 1)
        start = time.perf_counter()
        rows = measured_by_peers(peer_python(given.venv), honest, leaking, given.processes)
        by_peers = powers(rows)
        show("anes96", by_peers, honest, leaking, time.perf_counter() - start)
        found["anes96"] = found.get("anes96", pd.DataFrame(index=by_peers.index)).join(by_peers)
    if given.picture:
        draw(found, given.picture)


if __name__ == "__main__":
    main()
