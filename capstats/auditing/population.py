"""What an audit says of the population that the original is a sample of: from its size, from its table, or from sampling weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import xarray as xr

from capstats.codes.by_table import ALL, is_by_table, of_table
from capstats.counting.tabulate import tabulate
from capstats.population.individual import expected_reidentifications, individual_risk
from capstats.population.registers import population_profile
from capstats.population.uniqueness import population_uniqueness
from capstats.tables.aligned import Aligned
from capstats.tables.dataset import as_tables
from capstats.tables.ties import at_most

MODELS: dict[Literal["pitman", "loglinear", "zayatz"], str] = {
    "pitman": "Ewens-Pitman model",
    "loglinear": "log-linear model, main effects",
    "zayatz": "estimate of Zayatz",
}
TABLE = "the table of the population"
BELOW_1 = "the weights of some keys add up to less than their records, so that they are no numbers of people"
WEIGHTS = "model of Benedetti and Franconi, by the sampling weights"


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
    options |= {name: of_table(name, x, "original") for name, x in options.items() if is_by_table(name, x)}
    for name in ("types", "null_values", "rename"):
        if isinstance(options.get(name), Mapping):
            options[name] = {c: x for c, x in options[name].items() if (x if name == "rename" else c) in (*keys, ALL)}
    counted = tabulate(population, keys=keys, target=None, **options)
    return counted.o, counted.encoding


def weights_below_1(tables: xr.Dataset) -> bool:
    """Whether the sampling weights of a key add up to less than its records, so that they are no numbers of people."""
    aligned = Aligned({"o": tables, "o_records": None})
    return not aligned.map(lambda o, records: at_most(records.key_total(), o.key_total()), "o", ("key",)).all()


def of_population(tables: xr.Dataset, size: Any, people: xr.DataArray | None) -> dict[str, xr.DataArray]:
    """People who are unique in the original, and in a release as well, and in the population; records linked to the right person.

    By models where the size of the population is known, exactly where its table is, and by sampling weights where the original has them.
    """
    o, s = tables.get("o_records", tables.o), tables.get("s_records", tables.s)
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
