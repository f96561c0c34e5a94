"""The key columns of an audit: the averages of each subset are those that are counted anew, and no table is read again."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from swept_records import nearest_share, people

from capstats import audit, average_cap, from_counts, laws, tabulate
from capstats.auditing import compute
from capstats.auditing.compute import by_column, by_group, changes
from capstats.datasets import anes96
from capstats.screening import sweep
from capstats.tables.dataset import as_tables

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

KEYS = ["sex", "age", "job", "town"]
ORIGINAL, RELEASES = people(60, 1), {"one": people(50, 2), "two": people(30, 3)}
XOR = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "t": ["x", "y", "y", "x"]}


def test_each_column_alone_tells_nothing_where_both_tell_all():
    """Without the other column a guess is right for one of two; the two columns share the half that they add together."""
    found = audit(XOR, XOR, allow_same=True, keys=["a", "b"], target="t").by_column
    assert found.indexes["key_column"].tolist() == ["a", "b"]
    assert {name: array.values.tolist() for name, array in found.items()} == {
        "alone": [0.5, 0.5],
        "without": [0.5, 0.5],
        "leave_one_out": [0.5, 0.5],
        "shapley": [0.25, 0.25],
    }


@pytest.mark.parametrize("several", [False, True])
def test_the_front_sheet_the_key_columns_and_a_sweep_have_the_same_numbers(several):
    """What average CAP would be without a column, of records and of their counts in any order."""
    releases = RELEASES if several else RELEASES["one"]
    found = audit(ORIGINAL, releases, keys=KEYS, target="income")
    unsorted = found.tables.isel(key=np.random.default_rng(1).permutation(found.tables.sizes["key"]))
    for swept in (sweep(ORIGINAL, releases, keys=KEYS, targets="income"), sweep(unsorted)):
        swept = swept.sel(measure="average_cap").squeeze("target_column")
        for release in range(1 + several):
            of_release, own = (x.isel(synthetic=release) if several else x for x in (swept, found.by_column))
            without = {x.column: x.average_cap for x in changes(found.tables, found.release(release), "nearest") if not x.levels}
            for column in KEYS:
                others = of_release.value.sel(keyset=" + ".join(key for key in KEYS if key != column)).item()
                assert others == pytest.approx(without[column], rel=1e-12)
                assert others == pytest.approx(own.without.sel(key_column=column).item(), rel=1e-12)
                shapley = own.shapley.sel(key_column=column).item()
                assert of_release.shapley.sel(key_column=column).item() == pytest.approx(shapley, abs=1e-12)


def test_a_column_that_matters_has_a_share_above_0_by_nearest_keys_and_below_by_version_1():
    """Bootstrap of the voters: a person who knows education and age guesses better for it, yet fewer people match."""
    voters = anes96()
    tables = tabulate(voters, keys=["educ", "age", "PID"], target="vote")
    drawn = laws.sample_tables(tables.o, laws.Bootstrap(len(voters)), draws=10, rng=1).rename(draw="synthetic")
    releases = as_tables(xr.Dataset({"o": tables.o, "s": drawn}, attrs=tables.attrs))
    nearest, first = (by_column(releases, kind, average_cap(releases, unmatched=kind)).shapley for kind in ("nearest", "zero"))
    assert nearest.mean("synthetic").sel(key_column=["educ", "age"]).min() > 0.02
    assert first.mean("synthetic").sel(key_column="educ") < -0.01


def test_coarser_levels_are_those_of_the_values_and_not_of_the_order_in_which_keys_are_given():
    """1 and 2, and 10 and 11, are neighbours: the release that tells them apart tells nothing more than one that does not."""
    o = [[3, 0, 3, 0], [0, 3, 0, 3]]
    found = {}
    for order in ([0, 1, 2, 3], [2, 0, 3, 1]):
        tables = from_counts(np.array(o)[:, order], np.array(o)[:, order], key_labels={"age": np.array([1, 10, 2, 11])[order].tolist()})
        found[str(order)] = [change.average_cap for change in changes(tables, tables.s, "nearest") if change.levels]
    assert list(found.values()) == [[1.0], [1.0]]


def test_one_key_column_is_left_out_by_guessing_from_all_synthetic_records():
    """Without a key: 3/4 of the people times 1/2, and 1/4 times 1/2."""
    found = audit({"k": [*"aabb"], "t": [*"xxxy"]}, {"k": [*"ab"], "t": [*"xy"]}, keys="k", target="t").by_column
    assert found.alone.values.tolist() == [0.75]
    assert found.without.values.tolist() == [0.5]
    assert found.shapley.values.tolist() == [0.25]


@pytest.mark.parametrize(("name", "value"), [("MOST_COLUMNS", 2), ("MOST_CELLS", 100)])
def test_shapley_values_are_left_out_where_there_are_many_subsets_or_cells(monkeypatch, name, value):
    whole = audit(ORIGINAL, RELEASES, keys=KEYS, target="income").by_column
    monkeypatch.setattr(compute, name, value)
    found = audit(ORIGINAL, RELEASES, keys=KEYS, target="income").by_column
    assert set(whole.data_vars) - set(found.data_vars) == {"shapley"}
    for left in found.data_vars:
        np.testing.assert_allclose(found[left], whole[left], atol=1e-15)


def test_columns_whose_names_read_alike_keep_apart():
    """The column 1 and the column "1"."""
    both = {1: [0, 1], "1": [0, 0], "t": [*"xy"]}
    found = audit(both, both, allow_same=True, keys=[1, "1"], target="t").by_column
    assert len(set(found.indexes["key_column"])) == 2
    assert found.alone.values.tolist() == [1, 0.5]


# --- groups and changes, by loops over records


def whole(n, seed):
    """Records without a missing value."""
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(0, 7, n),
        "job": rng.choice([*"abcde"], n, p=[0.4, 0.3, 0.15, 0.1, 0.05]),
        "town": rng.choice([*"xy"], n),
    }
    return pd.DataFrame({**columns, "health": rng.choice(["ill", "well", "better"], n)})


KNOWN, FIRST, OTHER = ["age", "job", "town"], whole(60, 1), whole(30, 2)


def records(table):
    return table.to_dict("records")


def test_groups_are_those_of_a_loop_over_records():
    tables = tabulate(FIRST, OTHER, keys=KNOWN, target="health")
    found = by_group(tables, tables.s, "nearest")
    people_of = records(FIRST)
    margin = FIRST["health"].value_counts(normalize=True)
    cap = [nearest_share(person, records(OTHER), KNOWN, "health") for person in people_of]
    for row in found:
        group = [i for i, person in enumerate(people_of) if person[row.column] == row.level]
        assert row.people == len(group) > 0
        assert row.with_release == pytest.approx(np.mean([cap[i] for i in group]))
        assert row.with_release - row.above == pytest.approx(np.mean([margin[people_of[i]["health"]] for i in group]))
        assert row.above_nine_tenths == sum(cap[i] > 0.9 + 1e-9 for i in group)
    assert sum(row.people for row in found) == 60 * len(KNOWN)


def test_changes_are_those_of_coarser_records():
    """Numbers are joined in pairs of neighbours; of texts the rarest half become one level."""
    tables = tabulate(FIRST, OTHER, keys=KNOWN, target="health")
    found = changes(tables, tables.s, "nearest")
    for column, levels, value in found:
        original, released = FIRST.copy(), OTHER.copy()
        keys = [k for k in KNOWN if k != column] if levels == 0 else KNOWN
        if levels:
            every = sorted({*original[column], *released[column]})
            assert levels == (len(every) + 1) // 2
            if isinstance(every[0], str):
                common = original[column].value_counts()
                order = sorted(every, key=lambda x: (-common.get(x, 0), every.index(x)))
                coarse = {level: min(i, levels - 1) for i, level in enumerate(order)}
            else:
                coarse = {level: i // 2 for i, level in enumerate(every)}
            original[column], released[column] = original[column].map(coarse), released[column].map(coarse)
        expected = np.mean([nearest_share(person, records(released), keys, "health") for person in records(original)])
        assert value == pytest.approx(expected), (column, levels)
    assert [change.column for change in found if change.levels == 0] == KNOWN
    assert len(found) > len(KNOWN)


def test_a_release_without_its_only_key_column_has_the_guess_from_its_target_alone():
    tables = from_counts([[3, 1], [1, 3]], [[2, 0], [1, 3]], key_labels={"sex": ["f", "m"]}, target_labels={"ill": ["no", "yes"]})
    assert [tuple(change) for change in changes(tables, tables.s, "nearest")] == [("sex", 0, 0.5)]
    assert "without sex in the release it would be 50 %" in " ".join(repr(audit(tables)).split())
