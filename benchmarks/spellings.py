"""No number is wrong without a word, however the labels of a release are spelled: spelling x sources x command, against loops over records.

Run: python benchmarks/spellings.py [--pairs 4] [--spark]

300 people, a release of 120 of them and 80 others, a holdout of 150 others; in all but one column the labels are alike. That column is a
key, the target, or neither. Each cell asks one command for its numbers: they are right where they equal those of records compared one by
one, spelled alike. Where they do not, a warning, a refusal or the report itself must have named the column before. Each spelling and role
has so many of the pairs of sources, in turn; with `--pairs 99` all. Exit status 1 if a number is wrong without a word.
"""

import argparse
import datetime as dt
import tempfile
import time
import unicodedata
import warnings
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
from spellings_by_loop import COLUMNS, COMMANDS, KEYS, OTHERS, TARGET, by_loop, people

NAMES = list(COLUMNS)  # the first, "wealth", is spelled in two ways
TOWNS, DAYS, FRACTIONS = ["Genève", "Zürich", "Écublens"], ["2024-01-31", "2024-02-13", "2024-03-25"], [0.1, 1.3, 2.6]
THIRDS = [1 / 3, 1.0, 5 / 3]
CODED = {"low": 1, "middle": 2, "rich": 3}


def dates(labels):
    return [dt.date.fromisoformat(x) for x in labels]


SPELLINGS = {  # the labels of the original in their order, a missing one last; and how the other table writes them
    "alike": (["a b", "c", "d"], str),
    "lower case": (["East", "North", "West"], str.lower),
    "upper case of one": (["East", "North", "West"], lambda x: x.upper() if x == "East" else x),
    "a trailing space": (["East", "North", "West"], lambda x: f"{x} "),
    "a leading space of one": (["East", "North", "West"], lambda x: x.replace("N", " N")),
    "two inner spaces": (["East End", "North End", "West End"], lambda x: x.replace(" ", "  ")),
    "a space that does not break": (["East End", "North End", "West End"], lambda x: x.replace(" ", "\u00a0")),
    "NFD": (TOWNS, lambda x: unicodedata.normalize("NFD", x)),
    "NFC": ([unicodedata.normalize("NFD", x) for x in TOWNS], lambda x: unicodedata.normalize("NFC", x)),
    "a decimal comma": (["0.5", "1.5", "2.5"], lambda x: x.replace(".", ",")),
    "a decimal comma of numbers": ([0.5, 1.5, 2.5], lambda x: str(x).replace(".", ",")),
    "two decimals": (["0.5", "1.5", "2.5"], lambda x: f"{x}0"),
    "two decimals of numbers": ([0.5, 1.5, 2.5], lambda x: f"{x:.2f}"),
    "32 bits": (FRACTIONS, np.float32),
    "32 bits in 64": (FRACTIONS, lambda x: float(np.float32(x))),
    "64 bits of 32": (list(map(np.float32, FRACTIONS)), lambda x: float(str(x))),
    "thirds of 32 bits": (THIRDS, np.float32),
    "thirds of 32 bits as text": (THIRDS, lambda x: str(np.float32(x))),
    "thirds with two decimals": (THIRDS, lambda x: round(x, 2)),
    "thirds with two decimals as text": (THIRDS, lambda x: f"{x:.2f}"),
    "floats": ([1, 4, 7], float),
    "numbers as text": ([1, 4, 7], str),
    "floats as text": ([1, 4, 7], lambda x: f"{x}.0"),
    "numbers for text": (["1", "4", "7"], int),
    "leading zeros": (["1", "4", "7"], lambda x: f"00{x}"),
    "1 for True": ([False, True], int),
    "True as text": ([False, True], str),
    "true in lower case": (["False", "True"], str.lower),
    "yes for True": ([False, True], lambda x: "yes" if x else "no"),
    "midnight": (DAYS, lambda x: f"{x} 00:00:00"),
    "T and midnight": (DAYS, lambda x: f"{x}T00:00:00"),
    "dd.mm.yyyy": (DAYS, lambda x: ".".join(reversed(x.split("-")))),
    "mm/dd/yyyy": (["2024-01-31", "2024-02-01", "2024-03-02"], lambda x: "/".join([*x.split("-")[1:], "2024"])),
    "digits for dates": (DAYS, lambda x: x.replace("-", "")),
    "times for dates": (dates(DAYS), lambda x: dt.datetime(x.year, x.month, x.day)),
    "text for dates": (dates(DAYS), str),
    "dd.mm.yyyy for dates": (dates(DAYS), lambda x: f"{x:%d.%m.%Y}"),
    "codes for labels": (list(CODED), lambda x: CODED[x]),
    "NA": (["a", "b", None], lambda x: "NA" if x is None else x),
    "empty": (["a", "b", None], lambda x: "" if x is None else x),
    "a dot": (["a", "b", None], lambda x: "." if x is None else x),
    "backslash N": (["a", "b", None], lambda x: "\\N" if x is None else x),
    "a word": (["a", "b", None], lambda x: "refused" if x is None else x),
    "None for NA": (["A", "MZ", "NA"], lambda x: None if x == "NA" else x),
    "None for empty": (["", "a", "b"], lambda x: x or None),
    "a dot among numbers": ([1, 4, None], lambda x: "." if x is None else str(x)),
    "nan among numbers": ([0.5, 1.5, None], lambda x: float("nan") if x is None else x),
    "thousands, comma": ([1000, 2000, 3000], lambda x: f"{x:,}"),
    "thousands, dot": ([1000, 2000, 3000], lambda x: f"{x:,}".replace(",", ".")),
    "thousands, apostrophe": (["1000", "2000", "3000"], lambda x: f"{int(x):,}".replace(",", "'")),
    "thousandths": ([1000, 2000, 3000], lambda x: x / 1000),
}


def columns_of(records, labels):
    """The columns of records of codes, an array where their labels say how many bits they have."""
    found = {name: [own[row[i]] for row in records] for i, (name, own) in enumerate(zip(NAMES, [labels, *OTHERS], strict=True))}
    own = found["wealth"]
    return {**found, "wealth": np.array(own)} if isinstance(own[0], np.generic) else found


def csv(table, path):
    def text(x):
        return "" if x is None else '""' if x == "" else f'"{x}"' if isinstance(x, str) and "," in x else str(x)

    path.write_text("\n".join(",".join(map(text, row)) for row in [NAMES, *zip(*table.values(), strict=True)]) + "\n", encoding="utf-8")


def value_labels(table):
    return {"wealth": {code: label for label, code in CODED.items()}} if set(table["wealth"]) == set(CODED.values()) else None


def stata(table, path):
    frame = pd.DataFrame(table)
    frame["wealth"] = pd.to_datetime(frame.wealth) if isinstance(table["wealth"][0], dt.date) else frame.wealth
    frame.to_stata(path, write_index=False, version=118, value_labels=value_labels(table))


def spss(table, path):
    import pyreadstat

    pyreadstat.write_sav(pd.DataFrame(table), str(path), variable_value_labels=value_labels(table))


def sas(table, path):
    import pyreadstat

    pyreadstat.write_xport(pd.DataFrame(table), str(path))


def dask(table):
    import dask.dataframe as dd

    return dd.from_pandas(pd.DataFrame(table), npartitions=2)


def spark(table):
    from pyspark.sql import SparkSession

    return SparkSession.builder.master("local[1]").getOrCreate().createDataFrame(list(zip(*table.values(), strict=True)), NAMES)


FILES = {  # by the ending of a file, what writes it
    "csv": csv,
    "parquet": lambda table, path: pl.DataFrame(table).write_parquet(path),
    "dta": stata,
    "sav": spss,
    "xpt": sas,
    "xlsx": lambda table, path: pd.DataFrame(table).to_excel(path, index=False),
    "feather": lambda table, path: pd.DataFrame(table).to_feather(path),
}
TABLES = {  # what a command is given
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "DuckDB": lambda table: duckdb.from_arrow(pl.DataFrame(table).to_arrow()),
    "Dask": dask,
    "Spark": spark,
}
LAZY = list(TABLES)[2:]


def given(table, source, path):
    """The table from a source; None where it cannot hold such labels."""
    if source in ("dta", "sav", "xpt", "xlsx") and "" in list(table["wealth"]):  # which is missing there
        return None
    path = path.with_suffix(f".{source}")
    try:
        return TABLES[source](table) if source in TABLES else (FILES[source](table, path), path)[1]
    except (TypeError, ValueError, OverflowError, NotImplementedError, pl.exceptions.PolarsError):
        return None


def cells(spelling, role, sources, folder, commands=COMMANDS):
    """(command, outcome, told) for each command on an original and a release from two sources."""
    labels, respell = SPELLINGS[spelling]
    tables = people(len(labels))
    other = [respell(x) for x in labels]
    held = [
        given(columns_of(records, own), source, folder / f"{name}")
        for name, records, own, source in zip("oshm", tables, [labels, other, labels, other], [*sources, *sources], strict=True)
    ]
    alike = given(columns_of(tables[1], labels), sources[0], folder / "a")
    if any(x is None for x in (*held, alike)):
        return
    truth = isinstance(labels[0], bool) and sources[0] not in ("dta", "sav", "xpt")  # which have numbers alone
    numeric = isinstance(labels[0], (int, float, np.floating, dt.date)) and not truth and sources[0] != "csv"
    numbers = [x.toordinal() if isinstance(x, dt.date) else np.inf if x is None else x for x in labels]
    values = tuple(map(float, numbers)) if numeric else None
    for name, command in commands.items():
        expected = by_loop(name, role, len(labels), values, tables)
        if expected is None or (name == "record_risk" and sources[0] in LAZY):
            continue
        with warnings.catch_warnings(record=True, action="always") as told:
            try:
                found, report = command(*held, alike, [NAMES[c] for c in KEYS[role]], NAMES[TARGET[role]])
            except Exception as error:  # noqa: BLE001 -- of whatever kind, it must name the column
                yield name, "warned" if "'wealth'" in str(error) else "WRONG", f"{type(error).__name__}: {error}"
                continue
        if np.allclose(found, expected, rtol=1e-9, atol=1e-12):
            yield name, "right", found
            continue
        said = " ".join([*(str(x.message) for x in told), *str(report).partition("\nAnswer")[0].split()])
        yield name, "warned" if "olumn 'wealth'" in said else "WRONG", f"{found}, by the loop {expected}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--spark", action="store_true")
    given_options = parser.parse_args()
    kinds = [x for x in [*FILES, *TABLES] if x != "Spark" or given_options.spark]
    pairs = [(x, x) for x in kinds] + [(x, kinds[(i + 4) % len(kinds)]) for i, x in enumerate(kinds)]
    counts, wrong, start = {}, [], time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for turn, (spelling, role) in enumerate((x, y) for x in SPELLINGS for y in KEYS):
            for step in range(min(given_options.pairs, len(pairs))):
                sources = pairs[(turn * given_options.pairs + step) % len(pairs)]
                for command, outcome, told in cells(spelling, role, sources, Path(folder)):
                    counts.setdefault(command, Counter())[outcome] += 1
                    wrong += [(spelling, role, sources, command, told)] if outcome == "WRONG" else []
    print("| command | right | warned | WRONG |\n|---|---|---|---|")
    for command, of in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        print(f"| {command} | {of['right']} | {of['warned']} | {of['WRONG']} |")
    print(f"{sum(map(Counter.total, counts.values())):,} cells in {time.perf_counter() - start:.0f} seconds")
    for x in wrong:
        print("WRONG:", *x)
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
