"""Keys that are too fine: what is said, of which data, and that the remedy can be pasted."""

from __future__ import annotations

import datetime as dt
import re
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import said

from capstats import LevelsWarning, audit, from_counts, read_counts, tabulate, write_counts
from capstats.attacks import model_attack
from capstats.datasets import example, paper_originals, paper_synthetics
from capstats.screening import sweep
from capstats.tables.fineness import fine_column, fine_targets

FIRST = dt.date(1950, 1, 1)


def records(values: list[Any], **more: Any) -> dict[str, list[Any]]:
    return {"k": values, "t": [i % 2 for i in range(len(values))], **more}


def told(original: Any, synthetic: Any, **options: Any) -> list[str]:
    """What an audit warns of."""
    return list(audit(original, synthetic, **{"keys": "k", "target": "t", "allow_same": True, **options}).provenance.get("warnings", []))


# Forty people with a level each, of whom the release has every second one, twice.
ORIGINAL = records([i / 8 for i in range(40)])
RELEASE = records([i // 2 / 4 for i in range(40)])
SAID = (
    "Key column 'k' is too fine, with 40 levels in the 40 records of `original`: 100 % have a level that no other "
    "record has, and 50 % have one that no synthetic record has. Records without a match count 0 in average CAP (version 1): "
    "it is low because the key is fine, not because the release is safe. Compare it with average_cap_nearest; cut 'k', as with "
    "bins={'k': 10} (--bin k=10), or leave it out of the keys."
)


def test_the_text_is_the_one_worked_out_by_hand() -> None:
    assert told(ORIGINAL, RELEASE) == [SAID]
    with pytest.warns(LevelsWarning) as warned:
        tables = tabulate(ORIGINAL, RELEASE, keys="k", target="t")
    assert [str(warning.message) for warning in warned] == [SAID]
    assert warned[0].filename == __file__
    assert tables.attrs["fine_keys"] == {"k": {"levels": 40, "records": 40, "alone": 1.0, "lacking": [0.5], "holds": "number"}}


@pytest.mark.parametrize(
    ("values", "released", "fine"),
    [
        ([*range(20)], [0] * 20, False),  # no more than twenty levels
        ([*range(21)], [0] * 21, True),
        ([i // 4 for i in range(84)], [0] * 84, False),  # four records a level
        ([i // 4 for i in range(83)], [0] * 83, True),
        ([*range(40)], [*range(38), 0, 0], False),  # two of forty without a match: 0.05
        ([*range(40)], [*range(37), 0, 0, 0], True),
    ],
)
def test_a_column_is_fine_with_more_than_twenty_levels_of_fewer_than_four_records_and_some_without_a_match(values, released, fine) -> None:
    labels = list(range(max(values) + 1))
    original, release = (np.bincount(x, minlength=len(labels)) for x in (values, released))
    found = fine_column(labels, original, {"synthetic": release}, [0.0])
    assert (found is not None) == fine
    if found is not None:
        held = Counter(values)
        assert found["alone"] == sum(held[v] == 1 for v in values) / len(values)
        assert found["lacking"] == [sum(v not in released for v in values) / len(values)]


def drawn(n: int, seed: int) -> pd.DataFrame:
    """People with columns that are nearly identifiers, and with others."""
    rng = np.random.default_rng(seed)
    people = pd.DataFrame(
        {
            "experience": rng.gamma(3, 6, n).round(3),
            "born": [FIRST + dt.timedelta(int(x)) for x in rng.integers(0, 18_000, n)],
            "household": np.repeat(np.arange(70_000, 70_000 + n), rng.choice([1, 2, 3, 4], n))[:n],
            "name": [f"N{x:05}" for x in rng.integers(0, 10_000, n)],
            "age": rng.integers(18, 80, n),
            "educ": rng.integers(1, 8, n),
            "sex": rng.choice(list("fm"), n),
        }
    )
    people["t"] = np.where(rng.random(n) < 0.1 + 0.1 * people["educ"], "yes", "no")
    return people


def resampled(people: pd.DataFrame, seed: int) -> pd.DataFrame:
    """A release whose columns are drawn from those of the original, each by itself."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({c: rng.choice(people[c], len(people)) for c in people})


PEOPLE = drawn(600, 1)
RESAMPLED = resampled(PEOPLE, 2)
TEXTS = [people.astype(dict.fromkeys(people, str)) for people in (PEOPLE, RESAMPLED)]


@pytest.mark.parametrize(
    ("column", "as_text", "remedy", "options"),
    [
        ("experience", False, "bins={'experience': 10} (--bin experience=10)", {"bins": {"experience": 10}}),
        ("experience", True, "bins={'experience': 10} (--bin experience=10)", {"bins": {"experience": 10}}),
        ("born", False, "bins={'born': 10} (--bin born=10)", {"bins": {"born": 10}}),
        (
            "born",
            True,
            "types={'born': 'date'} and bins={'born': 10} (--type born=date --bin born=10)",
            {"types": {"born": "date"}, "bins": {"born": 10}},
        ),
        ("household", False, "bins={'household': 10} (--bin household=10)", {"bins": {"household": 10}}),
        ("name", True, "merge levels of 'name' in all tables, or leave it out of the keys", None),
    ],
)
def test_columns_that_are_nearly_identifiers_are_named_with_a_remedy_that_works(column, as_text, remedy, options) -> None:
    tables = TEXTS if as_text else [PEOPLE, RESAMPLED]
    (said,) = told(*tables, keys=column)
    assert f"Key column {column!r} is too fine" in said
    assert remedy in said
    shares = re.compile(r"[\d.]+ %")  # with digits that may be somebody's as well
    assert not any(str(value) in shares.sub("", said) for value in PEOPLE[column])  # no value of anybody
    if options is not None:
        assert told(*tables, keys=column, **options) == []


def test_a_column_cut_too_finely_is_to_be_cut_into_fewer_bins() -> None:
    (said,) = told(PEOPLE, RESAMPLED, keys="experience", bins={"experience": 3000})
    assert "cut 'experience' into fewer bins, or leave it out of the keys." in said


def test_ordinary_keys_say_nothing() -> None:
    for keys in ("age", ["educ", "sex"], ["age", "sex"]):
        assert told(PEOPLE, RESAMPLED, keys=keys) == []
    for bundled in ("titanic", "anes96"):
        assert "warnings" not in audit(**example(bundled)).provenance
    paper = from_counts(paper_originals().sel(original="O_3"), paper_synthetics().sel(synthetic="b"))
    assert "warnings" not in audit(paper).provenance
    rng = np.random.default_rng(5)  # as many people and levels as in the affairs of Fair (1978)
    fair = pd.DataFrame({c: rng.integers(0, k, 6366) for c, k in zip("abcdeft", (5, 6, 7, 6, 4, 6, 2), strict=True)})
    assert told(fair, resampled(fair, 6), keys=["a", "b", "c", "d"]) == []


def test_keys_that_leave_most_people_without_a_match_name_the_column_with_the_most_levels() -> None:
    """Sixty people with a pair of their own, of ten and six levels; the release has the pairs of 29 of them, or of 30, each twice."""
    original = {"a": [i % 10 for i in range(60)], "b": [i // 10 for i in range(60)], "t": [0, 1] * 30}
    few, half = ({c: values[:n] * 2 for c, values in original.items()} for n in (29, 30))
    assert told(original, {c: values[:29] for c, values in original.items()}, keys=["a", "b"]) == []  # it has too few records
    assert told(original, half, keys=["a", "b"]) == []
    assert told(original, few, keys=["a", "b"]) == [
        "The keys are so fine that 51.7 % of the 60 records of `original` are without a synthetic record of the same keys: they "
        "have 60 combinations, and column 'a' has 10 levels. Records without a match count 0 in average CAP (version 1): it is low because "
        "the key is fine, not because the release is safe. Compare it with average_cap_nearest; merge levels of 'a' in all tables, "
        "or leave it out of the keys."
    ]


def test_many_ordinary_columns_together_are_too_fine_and_a_sweep_of_them_is_not() -> None:
    rng = np.random.default_rng(7)
    people, release = (pd.DataFrame({c: rng.integers(0, 5, 300) for c in "abcdet"}) for _ in "os")
    keys = [*"abcde"]
    held = set(map(tuple, release[keys].to_numpy()))
    unmatched = sum(tuple(row) not in held for row in people[keys].to_numpy()) / 300
    (said,) = told(people, release, keys=keys)
    assert f"{round(100 * unmatched, 1):g} % of the 300 records of `original` are without a synthetic record of the same keys" in said
    with warnings.catch_warnings(action="error"):
        sweep(people, release, keys=keys, targets="t", sizes=1)
    with pytest.warns(LevelsWarning, match="is too fine"):
        sweep(PEOPLE, RESAMPLED, keys=["educ", "experience"], targets="t")


def test_several_releases_have_the_least_and_the_greatest_share() -> None:
    half = RELEASE
    quarter = records([*range(30)] + [0] * 10)
    quarter["k"] = [i / 8 for i in quarter["k"]]
    (said,) = told(ORIGINAL, {"half": half, "quarter": quarter})
    assert "25 % to 50 % (by release) have one that no synthetic record has" in said


def test_what_other_labels_explain_is_not_said_twice() -> None:
    apart = records([i / 8 + 100 for i in range(40)])
    assert told(ORIGINAL, apart, allow_no_match=True) == [
        "Column 'k' has no level in common in `original` (40 levels) and `synthetic` (40 levels), so no key can match. Numbers with that "
        "many levels are rarely equal: cut them, as with bins={'k': 10} (--bin k=10)."
    ]
    names = records([f"place {i}" for i in range(40)])
    (said,) = told(names, records([f"Place {i}" if i else "place 0" for i in range(40)]))
    assert "look like one level in two spellings" in said


@pytest.mark.parametrize(
    ("values", "options", "fine"),
    [
        (range(60), {}, True),
        ([str(x) for x in range(60)], {}, True),  # as of CSV
        ([str(120 + x) for x in range(60)], {}, True),
        ([f"{x}.5" for x in range(60)], {"bins": {"t": 3}, "types": {"t": "number"}}, False),
        (range(50), {}, False),
        (range(60), {"types": {"t": list(range(60))}}, False),
        ([str(1000 + 7 * x) for x in range(60)], {}, False),  # codes, such as those of jobs
        ([f"p{x}" for x in range(60)], {}, False),
    ],
    ids=["numbers", "texts", "dense", "cut", "50", "declared", "codes", "names"],
)
def test_a_target_of_many_numbers_is_said_to_be_fine_once(values: Any, options: dict[str, Any], fine: bool) -> None:
    table = {"k": [i % 2 for i in range(len(values))], "t": list(values)}
    said = r"^The target 't' is a number with 60 levels, .* \(--bin t=10\), or let near guesses count, with `within` of average_cap\.$"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tabulate(table, table, keys="k", target="t", **options)  # which says nothing: a measure may let near guesses count
        sweep(table, table, keys=["k"], targets=["t"], allow_same=True, **options)
    assert [bool(re.match(said, str(warning.message))) for warning in caught] == [True] * fine
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = told(table, table, allow_same=True, **options)
    assert [bool(re.match(said, text)) for text in found] == [True] * fine
    assert not caught


def test_counts_weights_and_a_holdout_say_the_same(tmp_path) -> None:
    with warnings.catch_warnings(action="ignore", category=LevelsWarning):
        tables = tabulate(ORIGINAL, RELEASE, keys="k", target="t")
        cells = from_counts(tables.o.values, tables.s.values, key_labels={"k": list(tables.indexes["key"].get_level_values(0))})
    assert cells.attrs["fine_keys"] == tables.attrs["fine_keys"]
    write_counts(tables, tmp_path / "counts.csv")
    for counts in (tables, cells, read_counts(tmp_path / "counts.csv")):
        assert audit(counts).provenance["warnings"] == [SAID]
    weighted = [table | {"w": [0.5 + i % 3 for i in range(40)]} for table in (ORIGINAL, RELEASE)]
    assert told(*weighted, weights="w") == [SAID]
    with_holdout = told(ORIGINAL, RELEASE, holdout=records([i / 8 for i in range(3, 40)]))
    assert SAID in with_holdout


def test_the_attack_by_a_model_says_it_too() -> None:
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier()
    with pytest.warns(LevelsWarning, match="is too fine"):
        model_attack(ORIGINAL, RELEASE, keys="k", target="t", estimator=tree)


def test_the_commands_say_it_first_or_on_standard_error(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for name, people in (("o.csv", PEOPLE), ("s.csv", RESAMPLED)):
        people.to_csv(name, index=False)
    files = ["o.csv", "s.csv", "--keys", "experience,sex", "--target", "t"]
    out, err = said(capsys, 0, "audit", *files, "--html", "report.html")
    assert out.splitlines()[2] == "At a glance"
    assert "Key column 'experience' is too fine" in " ".join(out.split())
    assert err == ""
    assert "is too fine" in (tmp_path / "report.html").read_text(encoding="utf-8")
    for command in ("sweep", "records"):
        assert f"capstats {command}: warning: Key column 'experience' is too fine" in said(capsys, 0, command, *files).err


@pytest.mark.parametrize(("levels", "found"), [(50, {}), (51, {"t": 51})])
def test_the_levels_of_a_target_are_those_of_the_original(levels: int, found: dict[str, int]) -> None:
    """Of sixty numbers the original has the first 50 or 51, and a release all."""
    records = {"original": np.arange(60) < levels, "synthetic": np.ones(60, int)}
    assert fine_targets({"t": (list(range(60)), {name: x.astype(int) for name, x in records.items()})}, ()) == found
