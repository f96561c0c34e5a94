"""What an audit says of what is given beside original and release: a holdout, the population, and further releases of the generator."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
import xarray as xr

from capstats.anonymity.classes import distinct_targets, smallest_class
from capstats.auditing.compute import SPLIT, Asked, Numbers
from capstats.auditing.measures import AT_MOST
from capstats.cap.average import average_cap
from capstats.cap.neighbours import Unmatched
from capstats.codes.by_table import ALL, of_one_table
from capstats.codes.checks import shown
from capstats.codes.column import in_order, one_kind
from capstats.codes.labels import canonicals
from capstats.codes.names import listed
from capstats.counting.tabulate import tabulate
from capstats.disclosure.ledger import Ledger, People, TooManyError
from capstats.disclosure.published import coarser
from capstats.laws.attainable.extremes import greatest_average, least_average
from capstats.laws.distribution.average import cap_law
from capstats.laws.guarantees.permutation import membership_test, permutation_test
from capstats.laws.models.cell_urns import Bootstrap, Independent
from capstats.laws.models.model import Model
from capstats.laws.moments.disclosure import expected_disco
from capstats.laws.moments.expected import expected_cap, variance_cap
from capstats.population.individual import expected_reidentifications, individual_risk
from capstats.population.registers import population_profile
from capstats.population.uniqueness import population_uniqueness
from capstats.tables.aligned import Aligned, total_of
from capstats.tables.axes import axis_of
from capstats.tables.backing import filled_in, totals_of, unstacked, values_at
from capstats.tables.dataset import as_tables
from capstats.tables.levels import mismatched, records_by_level
from capstats.tables.table import Array, Floats, Table
from capstats.tables.ties import at_most

FAR = 3.0  # standard deviations: levels nearer to what chance gives are not looked at
LOOKED_AT = 50  # levels of a column, those that are farthest from what chance gives

SEED = 0  # of the random permutations
FEW = 50  # records of which permutations may be counted, for at most SOME releases
SOME = 10
DRAWS = 9_999  # random permutations of all releases together
BETWEEN = (99, 999)  # those of each
CELLS = 20_000_000  # of all random tables together

MODELS: dict[Literal["pitman", "loglinear", "zayatz"], str] = {
    "pitman": "Ewens-Pitman model",
    "loglinear": "log-linear model, main effects",
    "zayatz": "estimate of Zayatz",
}
TABLE = "the table of the population"
BELOW_1 = "the weights of some keys add up to less than their records, so that they are no numbers of people"
WEIGHTS = "model of Benedetti and Franconi, by the sampling weights"

LARGEST = 1 << 22  # live joint cells times published tables, and records, up to which more is computed than who is certain
REDRAWS = 20  # releases with independent columns

FEWEST = 2  # further releases, of which there is a standard error
RULE = f"`generator` must be a model, a function that gives one, or {FEWEST} further releases or more"


def holdout_differs(tables: xr.Dataset) -> dict[str, Any]:
    """In which columns original and holdout differ by more than chance allows, and whether they do in their combinations; or nothing.

    Of a random split the records of a level, and those up to a level, that are in the holdout have a hypergeometric law. Each such number
    is tested by it, at a part of ``SPLIT``, and the parts add up to it: whatever the data, a random split is said to differ with at most
    this probability. Weighted records are counted; where one of the two tables alone has weights, or counts are fractional, nothing is
    said. See theory/individuals.md#membership-test.
    """
    parts = {name: tables.get(f"{of}_records", tables[of]) for name, of in (("original", "o"), ("holdout", "h"))}
    if ("o_records" in tables) != ("h_records" in tables) or any(table.dtype.kind != "i" for table in parts.values()):
        return {}
    data = {name: table.variable.data for name, table in parts.items()}
    own = [*tables.attrs["target_columns"], *tables.attrs["key_columns"]]
    margins: list[Mapping[str, Array]] = []
    for dim in ("target", "key"):
        of_axis = records_by_level(cast(pd.MultiIndex, axis_of(tables.o, dim)), totals_of(data, dim))
        margins += [_in_order(*of, cut=tables.attrs.get("bins", {})) for of in of_axis]
    part = SPLIT / (len(own) + 1)
    columns = [name for name, of in zip(own, margins, strict=True) if _differ(of["original"], of["holdout"], part, ordered=True)]
    key, target = np.divmod(filled_in(list(data.values())), data["original"].shape[0])
    original, holdout = (values_at(table, target, key) for table in data.values())
    cells = _differ(original, holdout, part)
    return {"columns": columns, "combinations": cells} if columns or cells else {}


def _in_order(column: str, labels: Any, records: Mapping[str, Array], cut: Collection[str]) -> Mapping[str, Array]:
    """The records of each level in an order that does not depend on who is in which table.

    An order of categories does: levels that the original's categories lack come last.
    """
    if column in cut:
        return records
    known = canonicals(labels)
    place = {label: i for i, label in enumerate(in_order(known, one_kind(known, column, "original")))}
    order = np.argsort([place[label] for label in known])
    return {name: of_levels[order] for name, of_levels in records.items()}


def _differ(original: Array, holdout: Array, level: float, *, ordered: bool = False) -> bool:
    """Whether the records of any level, or of ordered ones those up to any level, are distributed as a random split seldom has them.

    A level has a part of ``level`` in proportion to its records, so that many rare ones cost the others little.
    """
    both = original + holdout
    n, h, share = both.sum(), holdout.sum(), both / max(both.sum(), 1)
    if not ordered:
        return _any_far(both, holdout, n, h, level * share)
    tested = ((both, holdout), (np.cumsum(both), np.cumsum(holdout)))
    return any(_any_far(*records, n, h, level / 2 * share) for records in tested)


def _any_far(both: Array, held: Array, n: int, h: int, levels: Floats) -> bool:
    """Whether the two-sided p-value of any number of records in the holdout is at most its level."""
    from scipy.stats import hypergeom

    expected = both * h / n
    deviation = np.sqrt(np.maximum(expected * (1 - h / n) * (n - both) / max(n - 1, 1), 1e-300))
    far = np.abs(held - expected) / deviation
    at = np.argsort(-far, kind="stable")[:LOOKED_AT]
    at = at[far[at] >= FAR]
    p = [2 * min(hypergeom.cdf(held[i], n, both[i], h), hypergeom.sf(held[i] - 1, n, both[i], h)) for i in at]
    return bool((np.array(p) <= levels[at]).any())


# --- tests by permutation ---------------------------------------------------------------------------------------------


def p_values(asked: Asked) -> dict[str, xr.DataArray]:
    """The p-values that the counts give, each with its method in ``attrs``: none of weights, of which no number can be permuted."""
    tables = asked.tables
    if "h" not in tables:
        return {}
    o, s, h = tables.o, tables.s, tables.h
    releases, found = s.sizes.get("synthetic", 1), {}
    whole = {x: tables[x].dtype.kind == "i" and f"{x}_records" not in tables for x in "osh"}
    if whole["o"] and whole["h"]:
        draws, method = _permutations(releases, o, h)
        tested = membership_test(o, s, h=h, unmatched=asked.unmatched, draws=draws, rng=SEED)
        found["membership_p_value"] = tested.p_value.assign_attrs(method=f"the labels original and holdout permuted, one-sided: {method}")
    if whole["s"]:
        draws, method = _permutations(releases, s, cells=o.sizes["target"] * o.sizes["key"])
        tested = permutation_test(o, s, draws=draws, rng=SEED)
        found["permutation_p_value"] = tested.p_value.assign_attrs(method=f"the synthetic targets permuted, one-sided: {method}")
    return found


def _permutations(releases: int, *permuted: xr.DataArray, cells: int = 0) -> tuple[int | None, str]:
    """The ``draws`` of a test, and what they are: all permutations of few records, else random ones, or a bound where these take long."""
    draws = min(max(DRAWS // releases, BETWEEN[0]), BETWEEN[1])
    if releases <= SOME and sum(Aligned({"table": table}).totals("table").max() for table in permuted) <= FEW:
        return None, f"all permutations, or random ones where they are too many (seed {SEED})"
    if cells * draws * releases > CELLS:
        return 0, f"{AT_MOST} (Cantelli)"
    return draws, f"{draws} random permutations (seed {SEED})"


# --- the population that the original is a sample of: from its size, from its table, or from sampling weights ---------


def register(population: Any, tables: xr.Dataset, reading: Mapping[str, Any] | None) -> tuple[xr.DataArray, Mapping[str, Any]]:
    """Counts of the population by the keys of the tables, and the path and the files that were read for them.

    Counts are taken as they are; records are read as those of the original.
    """
    if isinstance(population, xr.Dataset | xr.DataArray):
        people = as_tables(population).o if isinstance(population, xr.Dataset) else population
        if more := set(people.dims) - {"target", "key"}:
            raise ValueError(f"`population` must be one table; it has the dims {people.dims}. Choose one of {sorted(map(str, more))}.")
        return people, {}
    if reading is None:
        raise TypeError("`population` must be counts, as tabulate(..., target=None) gives them, beside counts of the original.")
    keys = tables.attrs["key_columns"]
    options = {name: x for name, x in reading.items() if name not in ("weights", "counts", "progress")}
    options |= {"bins": tables.attrs.get("bins"), "allow_unused_codes": True}  # cut where the original was
    options |= of_one_table(options, "original")
    for name in ("types", "null_values", "rename"):
        if isinstance(options.get(name), Mapping):
            options[name] = {c: x for c, x in options[name].items() if (x if name == "rename" else c) in (*keys, ALL)}
    try:
        counted = tabulate(population, keys=keys, target=None, **options)
    except (ValueError, TypeError, FileNotFoundError) as error:
        error.args = (f"`population` is read as the original is, and is called so here: {error}",)
        raise
    return counted.o, counted.encoding


def weights_below_1(tables: xr.Dataset) -> bool:
    """Whether the sampling weights of a key add up to less than its records, so that they are no numbers of people."""
    aligned = Aligned({"o": tables.o, "o_records": tables.o_records})
    return not aligned.map(lambda o, records: at_most(records.key_total, o.key_total), "o", ("key",)).all()


def of_population(asked: Asked) -> dict[str, xr.DataArray]:
    """People who are unique in the original, and in a release as well, and in the population; records linked to the right person.

    By models where the size of the population is known, exactly where its table is, and by sampling weights where the original has them.
    """
    tables, size, people = asked.tables, asked.population_size, asked.population
    o, s = asked.records, tables.get("s_records", tables.s)
    release = {"s": s} if s.dtype.kind == "i" else {}
    found: dict[str, xr.DataArray] = {}
    if people is None and size is not None:
        for model, name in MODELS.items():
            of_model = population_uniqueness(o, population_size=size, model=model, **release)
            status = of_model.status.item()
            method = name if status == "estimated" else f"{name}, {status}"
            found[f"population_uniques_{model}"] = of_model.among_sample_uniques.assign_attrs(method=method)
            if release:
                found[f"replicated_in_population_{model}"] = of_model.among_replicated_uniques
    if people is not None:
        profile = population_profile(o, population=people, **release)
        found["population_uniques"] = profile.population_uniques.assign_attrs(method=TABLE)
        if release:
            found["replicated_in_population"] = profile.replicated_population_uniques
        found |= {"population_k": profile.k_map, "population_matches": profile.expected_matches.assign_attrs(method=TABLE)}
    if "o_records" in tables and not weights_below_1(tables):
        by_weights = expected_reidentifications(tables).records
        found["weighted_matches"] = by_weights.assign_attrs(method=WEIGHTS)
        found["greatest_individual_risk"] = individual_risk(tables).max("key")
    return found


# --- a release among its sisters --------------------------------------------------------------------------------------


def among_sisters(asked: Asked) -> dict[str, xr.DataArray]:
    """Mean and standard deviation of average CAP over releases of a generator, and the probability that one is as low as each release.

    The generator is a model, a function of the original's counts that gives one, or further releases, of which the audit makes counts.
    """
    tables, generator = asked.tables, asked.generator
    if generator is None:
        return {}
    if callable(generator) and not isinstance(generator, Model | type):
        generator = generator(tables.o)
        if not isinstance(generator, Model):
            raise TypeError(f"`generator` must return a model of capstats.laws, such as laws.Given; it returned {shown(generator)}.")
    if isinstance(generator, Model | type):
        return _of_model(tables, generator)
    if not isinstance(generator, (list, tuple, Mapping, xr.Dataset)):
        raise TypeError(f"{RULE}; got {shown(generator)}.")
    counts = generator if isinstance(generator, xr.Dataset) else asked.counted(generator)
    of_release = mismatched(tables.attrs)
    if apart := [c for c in mismatched(counts.attrs) if c not in of_release]:
        raise ValueError(
            f"Levels of {listed(list(map(repr, apart)))} in `generator` do not match those of the original, as those of the release do, "
            "so that its average CAP would be too low. Write them in one way."
        )
    return _of_releases(tables, counts.s)


def _of_releases(tables: xr.Dataset, further: xr.DataArray) -> dict[str, xr.DataArray]:
    """Further releases and this one are exchangeable: the rank of this one has a known law."""
    found, caps = average_cap(tables.o, further).values, average_cap(tables.o, tables.s)
    if (k := found.size) < FEWEST:
        raise ValueError(f"{RULE}; got {k}.")
    deviation, as_low = found.std(ddof=1), at_most(found, caps.values[..., None]).sum(-1)
    return {
        "generator_mean": xr.DataArray(found.mean()),
        "generator_mean_error": xr.DataArray(deviation / k**0.5),
        "generator_deviation": xr.DataArray(deviation),
        "generator_p_value": caps.copy(data=(1 + as_low) / (k + 1)).assign_attrs(method=f"the rank among {k:,} further releases"),
    }


def _of_model(tables: xr.Dataset, model: Any) -> dict[str, xr.DataArray]:
    """The numbers of a model, for simulated releases of the size of each release."""
    caps = average_cap(tables.o, tables.s)
    if tables.s.dtype.kind != "i" or "s_records" in tables:
        raise ValueError("A model as `generator` draws records without weights, and the release is weighted. Give further releases of it.")
    m = np.broadcast_to(total_of(tables.s).values, caps.shape)
    values, methods = np.empty((3, *caps.shape)), {}
    for size in np.unique(m).tolist():
        of_size = m == size
        values[:, of_size], methods[size] = _at(tables.o, _sized(model, size), caps.values[of_size])
    names = ("generator_mean", "generator_deviation", "generator_p_value")
    found = {name: caps.copy(data=of_name) for name, of_name in zip(names, values, strict=True)}
    found["generator_p_value"].attrs["method"] = "; ".join(dict.fromkeys(methods.values()))
    return found


def _sized(model: Any, m: int) -> Any:
    """The model of releases of m records."""
    own = getattr(model, "m", m)
    if not isinstance(model, Model) or own == m:
        return model
    if own is None:
        return replace(model, m=m)  # type: ignore[call-arg] # a model whose field is m
    raise ValueError(f"`generator` draws {own:,} records, and the release has {m:,}. Leave out `m`, which is then that of the release.")


def _at(o: xr.DataArray, model: Any, caps: Floats) -> tuple[Floats, str]:
    """Mean, standard deviation and the probability of at most each average CAP; and how the latter is known."""
    mean = expected_cap(o, model)
    if mean.ndim:
        raise ValueError(f"`generator` must be one generator; it has the dims {mean.dims}. Choose one of them.")
    deviation = max(variance_cap(o, model).item(), 0.0) ** 0.5
    try:
        law = cap_law(o, model, rng=0, level=0.99)
    except ValueError:  # weights, or too many cells
        below = np.maximum(mean.item() - caps, 0)
        p = np.where(below > 0, deviation**2 / np.maximum(deviation**2 + below**2, np.finfo(float).tiny), 1.0)
        method = f"{model!r}: {AT_MOST} (Cantelli)"
    else:
        p, method = law.cdf(caps).greatest.values, law.about
    return np.stack([np.full(caps.shape, mean.item()), np.full(caps.shape, deviation), p]), method


def bounds(asked: Asked) -> Numbers:
    """The least and the greatest average CAP that there can be, where unmatched keys count 0 or are left out.

    They are over all synthetic tables on the targets and keys that the original or the synthetic table has. A target that only the
    synthetic table has is an empty row of the original, so both versions can be 0 (Theorems 2 and 3); a key that only the synthetic table
    has is an empty column, so version 1 can be. Neither changes what is greatest.
    """
    targets, keys = (asked.numbers[f"foreign_{dim}s"] > 0 for dim in ("target", "key"))
    versions: dict[str, tuple[Unmatched, xr.DataArray]] = {"zero": ("zero", targets | keys), "matched": ("drop", targets)}

    def formula(o: Table) -> dict[str, Array]:
        ends = {"least": least_average, "greatest": greatest_average}
        return {f"average_cap_{name}_{end}": of(o, version) for name, (version, _) in versions.items() for end, of in ends.items()}

    found = Aligned({"o": asked.observed}).numbers(formula)
    return found | {f"average_cap_{name}_least": found[f"average_cap_{name}_least"] * ~lowered for name, (_, lowered) in versions.items()}


def certain_by_chance(asked: Asked) -> Numbers:
    """Mean number of people whom releases disclose with certainty: fresh draws of the original, and independent columns."""
    if not asked.is_whole:
        return {}
    m, n = asked["synthetic_records"], asked.numbers["n"].item()
    models = {"expected_certain": Bootstrap, "expected_certain_independent": Independent}

    def formula(size: int, o: Table) -> dict[str, Array]:
        return {name: n * expected_disco(model(size), o) for name, model in models.items()}

    sizes, at = np.unique(m, return_inverse=True)
    of_size = [asked.original.numbers(partial(formula, size)) for size in sizes.tolist()]
    return {name: m.copy(data=np.array([found[name].item() for found in of_size])[at].reshape(m.shape)) for name in models}


def of_classes(asked: Asked) -> Numbers:
    """The k of k-anonymity and the l of distinct l-diversity of the original."""
    return asked.original.numbers(lambda *tables: {"original_k": smallest_class(tables[-1]), "original_l": distinct_targets(tables[-1])})


# --- what is already public of the same people -------------------------------------------------------------------------


def already_public(asked: Asked) -> dict[str, Any]:
    """People whose target is certain from published tables, guesses from these tables, and what each release adds to them.

    A guess draws from numbers of people that are fitted to all tables, from the frequencies of the target, which are known without any.
    """
    if asked.published is None:
        return {}
    ledger, rules, tables = asked.published
    counts, people, rng = ledger.known[2], ledger.people, np.random.default_rng(SEED)
    found: dict[str, Any] = {f"published_{name}": xr.DataArray(x) for name, x in ledger.totals.items()}
    for table, rule, alone in zip(ledger.tables, rules, ledger.alone, strict=True):
        row = {"table": [people.columns[c] for c in table.columns], "rule": str(rule), "alone": int(alone @ counts)}
        asked.of_tables.append(row | ({"file": str(rule.table)} if isinstance(rule.table, (str, Path)) else {}))
    try:
        found["published_certain"] = xr.DataArray(int(ledger.certain() @ counts))
    except TooManyError as error:
        asked.of_tables[0]["not_computed"] = str(error)
        return found
    of_target = np.bincount(ledger.number(ledger.target, people.codes), people.counts, ledger.targets)
    fit = ledger.fitted(of_target[ledger.number(ledger.target, ledger.cells)].astype(np.float64))
    found["published_guess"] = xr.DataArray(ledger.right(fit))
    if len(fit) * len(rules) > LARGEST:
        return found
    for i, table in enumerate(ledger.tables):
        rest = [x for x in ledger.tables if x is not table]
        with suppress(TooManyError):  # without the table there may be too many joint cells
            asked.of_tables[i]["without"] = int(replace(ledger, tables=rest).certain() @ counts)
            if other := coarser(table, rules[i], people, rng):
                asked.of_tables[i] |= {"column": other[1], "coarser": int(replace(ledger, tables=[*rest, other[0]]).certain() @ counts)}
    s = tables.get("s_records", tables.get("s", xr.DataArray(0)))
    if s.ndim > 1 and total_of(s).max() <= LARGEST:
        releases = [tables.o.copy(data=data) for data in (unstacked(s.variable.data, 0) if s.ndim > 2 else [s.variable.data])]
        gains = np.array([_gain(ledger, People.of(tables, release), fit, rng) for release in releases])
        for name, x in zip(("gain", "gain_error"), gains.T, strict=True):
            found[f"published_{name}"] = xr.DataArray(x if s.ndim > 2 else x[0], dims=s.dims[:-2])
    return found


def _gain(ledger: Ledger, release: People, fit: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """The share of people who are guessed right with a release as well, minus that without it; and its error.

    The fit then starts from half the release and half the fit without it. Releases of the same size with independent columns know nothing:
    what these add is not counted, since mixing alone may smooth the fit, and their deviation is the error.
    """
    records = np.repeat(release.codes, release.counts, axis=1)
    one_each = np.ones(records.shape[1], np.int64)

    def right(x: People) -> float:
        return ledger.right((ledger.placed(x) * fit.sum() / len(one_each) + fit) / 2)

    blind = [right(replace(release, codes=rng.permuted(records, axis=1), counts=one_each)) for _ in range(REDRAWS)]
    without = max(ledger.right(fit), float(np.mean(blind)))
    return right(release) - without, float(np.std(blind, ddof=1))
