"""Every measure gives the same numbers on dense tables and on tables backed by sparse.COO."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sparse
import xarray as xr
from every_release import class_of, made

import capstats
from capstats.screening.formulas import FORMULAS

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def tables(kind: str, case: str = "") -> tuple[xr.DataArray, xr.DataArray]:
    """Original and synthetic tables: with empty keys on either side, ties, full columns; several synthetic ones; weights.

    Every case has tables of its own, which depend on nothing but its parameters.
    """
    rng = np.random.default_rng([*f"{kind} {case}".encode()])
    o = rng.integers(0, 4, (4, 30)) * rng.integers(0, 2, (4, 30))
    s = rng.integers(0, 4, (4, 30)) * rng.integers(0, 2, (4, 30))
    o[:, 0], s[:, 1], s[:, 2], o[:, 3] = 0, 0, 0, 2
    if kind == "several":
        s = np.stack([s, np.roll(s, 1, axis=1), rng.integers(0, 2, s.shape)])
    if kind == "full":
        o, s = o + 1, s + 1
    if kind == "weights":
        return xr.DataArray(o * 0.3, dims=("target", "key")), xr.DataArray(s * 0.7, dims=("target", "key"))
    return xr.DataArray(o, dims=("target", "key")), xr.DataArray(s, dims=("synthetic", "target", "key")[3 - s.ndim :])


def as_sparse(array: xr.DataArray) -> xr.DataArray:
    return array.copy(data=sparse.COO.from_numpy(array.values))


def labelled(*tables: xr.DataArray) -> list[xr.DataArray]:
    """Three key columns: the 30 keys of a table are 5 x 3 x 2."""
    axis = pd.MultiIndex.from_product([range(5), range(3), range(2)], names=["a", "b", "c"])
    return [table.assign_coords(xr.Coordinates.from_pandas_multiindex(axis, "key")) for table in tables]


RECODED = [[0.7, 0.1, 0.1, 0.1], [0, 1, 0, 0], [0.25, 0.25, 0.25, 0.25], [0, 0, 0.5, 0.5]]

MEASURES = {
    "average_cap zero": capstats.average_cap,
    "average_cap drop": lambda o, s: capstats.average_cap(o, s, unmatched="drop"),
    "average_cap nearest": lambda o, s: capstats.average_cap(*labelled(o, s), unmatched="nearest"),
    "average_cap radius": lambda o, s: capstats.average_cap(*labelled(o, s), radius=1),
    "average_cap radius, drop": lambda o, s: capstats.average_cap(*labelled(o, s), radius=2, unmatched="drop"),
    **{
        f"average_cap {unmatched} within {within}": lambda o, s, unmatched=unmatched, within=within: capstats.average_cap(
            *[t.assign_coords(target=[2, 5, 1, 4]) for t in labelled(o, s)], unmatched=unmatched, within=within
        )
        for unmatched in ("zero", "drop", "nearest")
        for within in (1, ("triangular", 2.5))
    },
    "baseline within": lambda o, s: capstats.baseline_cap(
        *[t.assign_coords(target=[2, 5, 1, 4]) for t in (o, s)], kind="crossed", within=1
    ),
    **{
        f"rapid {score} {unmatched}": lambda o, s, score=score, unmatched=unmatched: capstats.peers.rapid(
            *labelled(o, s), score=score, tau=0.9, unmatched=unmatched
        )
        for score in ("marginal", "conditional", "entropy")
        for unmatched in ("drop", "nearest")
    },
    "nearest_distance": lambda o, s: capstats.cap.nearest_distance(*labelled(o, s)),
    "individual_risk": lambda o, s: capstats.population.individual_risk(10 * s, o_records=(s > 0).astype(np.int64)),
    **{
        f"household_risk {name}": lambda o, s, name=name: capstats.population.household_risk(10 * o, o_records=(o > 0).astype(np.int64))[
            name
        ]
        for name in ("members", "risk", "households", "records")
    },
    "expected_reidentifications": lambda o, s: (
        capstats.population.expected_reidentifications(10 * s, o_records=(s > 0).astype(np.int64)).records
    ),
    "target_distance": capstats.cap.target_distance,
    "matched_records": capstats.matched_records,
    "correct_predictions": capstats.correct_predictions,
    "correct_predictions nearest": lambda o, s: capstats.correct_predictions(*labelled(o, s), unmatched="nearest"),
    "cap_ecdf zero": lambda o, s: capstats.cap_ecdf(o, s, [0.0, 0.2, 0.5, 1.0]),
    "cap_ecdf nearest": lambda o, s: capstats.cap_ecdf(*labelled(o, s), [0.2, 0.5], unmatched="nearest"),
    "cap_ecdf drop": lambda o, s: capstats.cap_ecdf(o, s, 0.5, unmatched="drop"),
    "baseline marginal": lambda o, s: capstats.baseline_cap(o),
    "baseline modal": lambda o, s: capstats.baseline_cap(o, kind="modal"),
    "baseline uniform": lambda o, s: capstats.baseline_cap(o, kind="uniform"),
    "baseline modal_synthetic": lambda o, s: capstats.baseline_cap(o, s, kind="modal_synthetic"),
    "baseline crossed": lambda o, s: capstats.baseline_cap(o, s, kind="crossed"),
    "goodman_kruskal_tau": lambda o, s: capstats.cap.goodman_kruskal_tau(o),
    "goodman_kruskal_lambda": lambda o, s: capstats.cap.goodman_kruskal_lambda(o),
    "disco": capstats.disclosure.disco,
    "disco counted": lambda o, s: capstats.disclosure.disco(o, s, counted=o * (o.target < 2)),
    "dis": capstats.disclosure.dis,
    "dio": lambda o, s: capstats.disclosure.dio(o),
    **{
        f"tcap {variant} {tau}": lambda o, s, variant=variant, tau=tau: capstats.disclosure.tcap(o, s, variant=variant, tau=tau)
        for variant in ("all", "matched", "disclosive", "certain", "synthetic")
        for tau in (0.5, 1.0)
    },
    "tcap cell": lambda o, s: capstats.disclosure.tcap(o, s, variant="matched", rule="cell", tau=0.4, eqmax=3),
    "tau_curve class": lambda o, s: capstats.disclosure.tau_curve(o, s, variant="disclosive"),
    "tau_curve cell": lambda o, s: capstats.disclosure.tau_curve(o, s, variant="all", rule="cell"),
    **{
        f"{check.__name__} {name}": lambda o, s, check=check, name=name: check(o, s, records=0, share=0.3)[name]
        for check in (capstats.disclosure.one_way_check, capstats.disclosure.two_way_check)
        for name in ("disclosed", "share", "flagged")
    },
    **{
        f"key_summary {name}": lambda o, s, name=name: capstats.disclosure.key_summary(o, s)[name]
        for name in ("records", "synthetic_records", "matched", "share", "certain", "original_certain", "correct", "cap", "disclosed")
    },
    "minimum_cap zero": lambda o, s: capstats.minimum_cap(o),
    "minimum_cap drop": lambda o, s: capstats.minimum_cap(o, unmatched="drop"),
    "maximum_cap zero": lambda o, s: capstats.maximum_cap(o, m=7),
    "maximum_cap drop": lambda o, s: capstats.maximum_cap(o, unmatched="drop"),
    "cap_bounds least": lambda o, s: capstats.laws.cap_bounds(o, key_totals=np.arange(30) % 3).least,
    "cap_bounds greatest": lambda o, s: capstats.laws.cap_bounds(o, key_totals=np.arange(30) % 3, unmatched="drop").greatest,
    **{
        f"cap_bounds {name} with both margins": lambda o, s, name=name: capstats.laws.cap_bounds(
            o, key_totals=np.arange(30) % 3, target_totals=[3, 20, 0, 7]
        )[name]
        for name in ("least", "greatest")
    },
    **{
        f"{measure.__name__} {unmatched} {model}": lambda o, s, measure=measure, unmatched=unmatched, model=model: measure(
            o, made(model, 9, alpha=0.5 if model == "dirichlet" else None), unmatched=unmatched
        )
        for measure in (capstats.laws.expected_cap, capstats.laws.variance_cap)
        for unmatched in ("zero", "drop")
        for model in ("uniform", "bootstrap", "independent", "dirichlet")
    },
    **{
        f"expected_disclosure {name} {model}": lambda o, s, name=name, model=model: capstats.laws.expected_disclosure(
            o, made(model, 9, alpha=0.5 if model == "dirichlet" else None)
        )[name]
        for name in ("disco", "dis", "matched")
        for model in ("uniform", "bootstrap", "independent", "dirichlet")
    },
    **{
        f"frontier {name}": lambda o, s, name=name: capstats.laws.frontier(o, distances=[0.1, 0.4, 0.9])[name]
        for name in ("least", "greatest", "least_any")
    },
    "frontier with key totals": lambda o, s: (
        capstats.laws.frontier(o, distances=[0.4, 0.9], key_totals=np.arange(30) % 3, unmatched="drop").least
    ),
    "frontier_tables": lambda o, s: capstats.laws.frontier_tables(o, distances=[0.1, 0.4], m=40).greatest_cap,
    **{
        f"anonymity_bounds {name}": lambda o, s, name=name: capstats.laws.anonymity_bounds(s, crossed=0.3, matched=0.9)[name]
        for name in ("value", "lower", "upper", "least", "greatest")
    },
    **{
        f"joint_bounds {name}": lambda o, s, name=name: capstats.laws.joint_bounds([xr.Dataset({"o": o, "s": s})] * 2)[name]
        for name in ("all_lower", "any_upper")
    },
    "anonymity_bounds by target": lambda o, s: capstats.laws.anonymity_bounds(s, targets=[3, 0, 2, 1]).least,
    "average CAP of the least table": lambda o, s: capstats.average_cap(o, capstats.laws.minimal_table(o, 5)),
    "average CAP of the least table, drop": lambda o, s: capstats.average_cap(
        o, capstats.laws.minimal_table(o, 5, unmatched="drop"), unmatched="drop"
    ),
    "expected_cap pram": lambda o, s: capstats.laws.expected_cap(o, capstats.laws.Pram(theta=0.3)),
    "expected_cap pram by a matrix": lambda o, s: capstats.laws.expected_cap(o, capstats.laws.Pram(matrix=RECODED)),
    "calibrate pram": lambda o, s: (
        capstats.laws.calibrate(o, capstats.laws.Pram, risk=(capstats.average_cap(o, o) + capstats.baseline_cap(o)).item() / 2).expected_cap
    ),
    "dp_bound": lambda o, s: capstats.laws.dp_bound(o, [0.5, 2.0]).bound,
    "dp_epsilon": lambda o, s: capstats.laws.dp_epsilon(o, 0.7),
    "dp_bound add-remove": lambda o, s: capstats.laws.dp_bound(o, [0.5, 2.0], adjacency="add-remove").gain,
    "dp_epsilon add-remove": lambda o, s: capstats.laws.dp_epsilon(o, 0.7, adjacency="add-remove"),
    "dp_mechanism": lambda o, s: capstats.laws.dp_mechanism(o, 1.0, counts="public"),
}
MODELS = {
    "k_anonymity": capstats.anonymity.k_anonymity,
    "class_sizes": lambda x: capstats.anonymity.class_sizes(x).records,
    "alpha_k_anonymity": lambda x: capstats.anonymity.alpha_k_anonymity(x).alpha,
    "l_diversity distinct": capstats.anonymity.l_diversity,
    "l_diversity entropy": lambda x: capstats.anonymity.l_diversity(x, kind="entropy"),
    **{f"l_diversity recursive {l}": lambda x, l=l: capstats.anonymity.l_diversity(x, kind="recursive", l=l) for l in (1, 2, 3, 5)},  # noqa: E741
    "t_closeness equal": capstats.anonymity.t_closeness,
    "t_closeness ordered": lambda x: capstats.anonymity.t_closeness(x, distance="ordered"),
    "beta_likeness basic": capstats.anonymity.beta_likeness,
    "beta_likeness enhanced": lambda x: capstats.anonymity.beta_likeness(x, kind="enhanced"),
    "delta_disclosure all": capstats.anonymity.delta_disclosure,
    "delta_disclosure occurring": lambda x: capstats.anonymity.delta_disclosure(x, kind="occurring"),
}
MEASURES |= {f"{name} of s": lambda o, s, model=model: model(s) for name, model in MODELS.items()}
MEASURES |= {
    f"anonymity {name}": lambda o, s, name=name: capstats.anonymity.anonymity_profile(o, s)[name]
    for name in ("recursive_c", "ordered_t", "uniques")
}
MEASURES |= {
    f"{name} of {of} keys {unmatched}": lambda o, s, name=name, of=of, unmatched=unmatched: capstats.screening.cap_influence(
        *labelled(o, s), unit="key", of=of, unmatched=unmatched
    )[name]
    for name in ("average_cap", "change")
    for of in ("original", "synthetic", "both")
    for unmatched in ("zero", "drop", "nearest")
}
MEASURES |= {
    f"cap_law {bound}": lambda o, s, bound=bound: capstats.laws.cap_law(o, capstats.laws.Uniform()).cdf([0.2, 0.25, 0.3])[bound]
    for bound in ("lower", "upper")
}
MEASURES |= {
    "calibrate dirichlet": lambda o, s: (
        capstats.laws.calibrate(
            o, capstats.laws.Dirichlet, m=20, risk=capstats.laws.expected_cap(o, capstats.laws.Dirichlet(20, alpha=1)).item()
        ).expected_cap
    ),
}
INTEGERS_ONLY = {
    **{
        f"{measure.__name__} {model}": lambda o, s, measure=measure, model=model, told=told: measure(o, made(model, **told))
        for measure in (capstats.laws.expected_cap, capstats.laws.variance_cap)
        for model, told in (("partial", {"alpha": 0.7}), ("swap", {"records": 9}))
    },
    "variance_cap pram": lambda o, s: capstats.laws.variance_cap(o, capstats.laws.Pram(theta=0.3)),
    "variance_cap pram by a matrix": lambda o, s: capstats.laws.variance_cap(o, capstats.laws.Pram(matrix=RECODED)),
    **{
        f"calibrate {model}": lambda o, s, model=model: (
            capstats.laws.calibrate(
                o, class_of(model), risk=(capstats.average_cap(o, o) + capstats.baseline_cap(o)).item() / 2
            ).expected_cap
        )
        for model in ("swap", "partial")
    },
    "sample_tables swap": lambda o, s: capstats.laws.sample_tables(o, capstats.laws.Swap(records=9), draws=2, rng=1),
    "noisy_counts": lambda o, s: capstats.laws.noisy_counts(o, epsilon=1, adjacency="substitution", domain="public", rng=1),
    "k_map": lambda o, s: capstats.population.k_map(s, population=2 * s),
    "journalist_risk": lambda o, s: capstats.population.journalist_risk(o, population=3 * o),
    "population_marketer_risk": lambda o, s: capstats.population.population_marketer_risk(s, population=2 * s),
    **{
        f"population_profile {name}": lambda o, s, name=name: capstats.population.population_profile(o, population=2 * o)[name]
        for name in ("journalist_class_average", "journalist_at_risk", "sample_uniques", "unique_match_share")
    },
    "delta_presence": lambda o, s: capstats.population.delta_presence(s, population=2 * s).delta_max,
    **{
        f"suda_scores {name}": lambda o, s, name=name: capstats.population.suda_scores(*labelled(o), rule="halving")[name]
        for name in ("suda_score", "contribution", "contribution_share", "column_contribution", "column_share", "level_contribution")
    },
    "suda_scores product": lambda o, s: capstats.population.suda_scores(*labelled(s), rule="product", max_size=2).suda_score,
    **{
        f"dis_suda {name}": lambda o, s, name=name: capstats.population.dis_suda(*labelled(s), sampling_fraction=0.1)[name]
        for name in ("file_dis", "dis_suda")
    },
    "prosecutor_risk of s": lambda o, s: capstats.anonymity.prosecutor_risk(s),
    "marketer_risk of s": lambda o, s: capstats.anonymity.marketer_risk(s),
    **{
        f"average_cap_interval {name}": lambda o, s, name=name: capstats.average_cap_interval(o, s)[name]
        for name in ("estimate", "standard_error", "lower", "upper")
    },
    "average_cap_interval against": lambda o, s: capstats.average_cap_interval(o, s, against=o, unmatched="drop").standard_error,
    **{
        f"individual_share {x}": lambda o, s, x=x: capstats.individual_share(o, s, h=s, unmatched="drop")[x]
        for x in (
            "plain_contrast",
            "plain_contrast_error",
            "original_gain",
            "original_gain_error",
            "fresh_sample_error",
            "degrees_of_freedom",
        )
    },
    **{
        f"membership_test {name} {unmatched}": lambda o, s, name=name, unmatched=unmatched: capstats.laws.membership_test(
            o, s, h=s, unmatched=unmatched, draws=99, rng=1
        )[name]
        for name in ("contrast", "standard_deviation", "p_value")
        for unmatched in ("zero", "drop")
    },
    **{
        f"dp_audit_release {name}": lambda o, s, name=name: capstats.laws.dp_audit_release(
            o, s, 0.5, h=s, adjacency="substitution", unmatched="drop", rng=1
        )[name]
        for name in ("pairs", "right", "leading", "p_value", "epsilon_lower")
    },
    **{
        f"permutation_test {name}": lambda o, s, name=name: capstats.laws.permutation_test(o, s, draws=99, rng=1)[name]
        for name in ("expected", "standard_deviation", "p_value")
    },
    **{
        f"{measure.__name__} permutation {unmatched}": lambda o, s, measure=measure, unmatched=unmatched: measure(
            o, capstats.laws.Permuted(s), unmatched=unmatched
        )
        for measure in (capstats.laws.expected_cap, capstats.laws.variance_cap)
        for unmatched in ("zero", "drop")
    },
    **{
        f"population_uniqueness {model}": lambda o, s, model=model: (
            capstats.population.population_uniqueness(
                *labelled(o), population_size=999, model=model, s=labelled(s)[0]
            ).among_replicated_uniques
        )
        for model in ("pitman", "zayatz", "loglinear")
    },
    "sample_uniques": capstats.disclosure.sample_uniques,
    "replicated_uniques": capstats.disclosure.replicated_uniques,
    "cap_quantiles zero": lambda o, s: capstats.cap_quantiles(o, s, [0, 0.1, 0.5, 0.77, 1]),
    "cap_quantiles nearest": lambda o, s: capstats.cap_quantiles(*labelled(o, s), [0.1, 0.5], unmatched="nearest"),
    "cap_boxplot nearest": lambda o, s: capstats.cap_boxplot(*labelled(o, s), unmatched="nearest").upper_whisker,
    "cap_quantiles drop": lambda o, s: capstats.cap_quantiles(o, s, 0.3, unmatched="drop"),
    **{
        f"cap_boxplot {name}": lambda o, s, name=name: capstats.cap_boxplot(o, s)[name]
        for name in ("lower_whisker", "lower_quartile", "median", "upper_quartile", "upper_whisker", "average", "original_cap")
    },
}


@pytest.mark.slow
@pytest.mark.few(100)
@pytest.mark.parametrize("kind", ["one", "several", "full", "weights"])
@pytest.mark.parametrize("measure", [*MEASURES, *INTEGERS_ONLY])
def test_a_measure_gives_the_same_numbers_on_both_backings(measure: str, kind: str) -> None:
    o, s = tables(kind, measure)
    if kind == "weights" and measure in INTEGERS_ONLY:
        with pytest.raises(ValueError, match=r"`(o|s|table)` must hold integers"):
            INTEGERS_ONLY[measure](as_sparse(o), as_sparse(s))
        return
    f = (MEASURES | INTEGERS_ONLY)[measure]
    dense = f(o, s)
    for found in (f(as_sparse(o), as_sparse(s)), f(o, as_sparse(s)), f(as_sparse(o), s)):
        assert isinstance(found.data, np.ndarray)
        assert found.dims == dense.dims
        assert found.dtype == dense.dtype
        np.testing.assert_allclose(found.values, dense.values, rtol=1e-12)


@pytest.mark.few(5)
@pytest.mark.parametrize("measure", [name for name in MEASURES | INTEGERS_ONLY if name.startswith(("cap_", "tau_curve"))])
def test_a_measure_of_tables_without_records_is_the_same_on_both_backings(measure: str) -> None:
    """Dense tables always have cells to take an extreme or a quantile of."""
    f, (o, s) = (MEASURES | INTEGERS_ONLY)[measure], tables("several")
    o = o * 0
    for empty in (s * 0, s * xr.DataArray([0, 1, 0], dims="synthetic")):
        try:
            expected = f(o, empty)
        except ValueError as error:
            with pytest.raises(ValueError, match=re.escape(str(error))):
                f(as_sparse(o), as_sparse(empty))
        else:
            np.testing.assert_array_equal(f(as_sparse(o), as_sparse(empty)), expected)


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
def test_the_mean_over_several_tables_has_the_same_error_on_both_backings(unmatched: str) -> None:
    o, s = tables("several", unmatched)
    dense = capstats.average_cap_interval(o, s, against=s[::-1] + 1, over="synthetic", unmatched=unmatched)
    found = capstats.average_cap_interval(as_sparse(o), as_sparse(s), against=as_sparse(s[::-1] + 1), over="synthetic", unmatched=unmatched)
    for name in dense:
        assert found[name].item() == pytest.approx(dense[name].item(), rel=1e-12)


@pytest.mark.parametrize("kind", ["one", "several", "full"])
@pytest.mark.parametrize(("unmatched", "radius"), [("zero", 0), ("drop", 0), ("nearest", 0), ("zero", 1), ("drop", 2)])
def test_cell_values_agree_where_a_table_holds_records_and_are_0_elsewhere(kind: str, unmatched: str, radius: int) -> None:
    o, s = labelled(*tables(kind, f"{unmatched} {radius}"))
    dense = capstats.individual_cap(o, s, unmatched=unmatched, radius=radius)
    found = capstats.individual_cap(as_sparse(o), as_sparse(s), unmatched=unmatched, radius=radius)
    assert isinstance(found.data, sparse.COO)
    held = ((o + s) > 0).transpose(*dense.dims).values
    np.testing.assert_array_equal(found.data.todense()[held], dense.values[held])
    assert (found.data.todense()[~held] == 0).all()


CELL_BY_CELL = {
    "individual_cap": lambda o, s, unmatched: capstats.individual_cap(o, s) if unmatched == "zero" else None,
    "cap_boxplot": lambda o, s, unmatched: capstats.cap_boxplot(*labelled(o, s), unmatched=unmatched).individual,
    **{
        f"cap_influence {name} of a {unit} of {of}": lambda o, s, unmatched, name=name, unit=unit, of=of: capstats.screening.cap_influence(
            *labelled(o, s), unit=unit, of=of, unmatched=unmatched
        )[name]
        for name in ("average_cap", "change")
        for unit, of in (("record", "original"), ("record", "synthetic"), ("cell", "original"), ("cell", "synthetic"), ("cell", "both"))
    },
}


@pytest.mark.few(41)
@pytest.mark.parametrize("kind", ["one", "several", "full"])
@pytest.mark.parametrize("unmatched", ["zero", "drop", "nearest"])
@pytest.mark.parametrize("measure", CELL_BY_CELL)
def test_a_value_for_each_cell_is_the_same_in_all_cells_on_both_backings(measure: str, unmatched: str, kind: str) -> None:
    o, s = tables(kind, f"{measure} {unmatched}")
    dense = CELL_BY_CELL[measure](o, s, unmatched)
    if dense is None:
        return
    found = CELL_BY_CELL[measure](as_sparse(o), as_sparse(s), unmatched)
    assert isinstance(found.data, sparse.COO)
    assert found.dims == dense.dims
    assert found.data.nnz <= ((o > 0) | (s > 0)).sum()
    np.testing.assert_allclose(found.data.todense(), dense.values, rtol=1e-12)


@pytest.mark.parametrize("kind", ["one", "several"])
def test_cells_of_an_empty_key_have_weap_0_where_they_are_not_stored(kind: str) -> None:
    _, s = tables(kind)
    dense, found = capstats.disclosure.weap(s), capstats.disclosure.weap(as_sparse(s)).data.todense()
    np.testing.assert_array_equal(found, np.nan_to_num(dense.values))
    assert np.isnan(dense.values).any()


def test_minimal_cells_of_several_tables_are_those_of_each() -> None:
    _, s = tables("several")
    found = capstats.laws.minimal_cells(as_sparse(s)).data
    for i in range(3):
        np.testing.assert_array_equal(found.todense()[i], capstats.laws.minimal_cells(s[i]).values)
    mixed = xr.concat([s[0], s[0] + 1], "synthetic")
    with pytest.raises(ValueError, match="The cells that are not stored hold False in one table and True in another"):
        capstats.laws.minimal_cells(as_sparse(mixed))


def test_at_most_refuses_sparse_tables() -> None:
    o, s = tables("one")
    cap = capstats.individual_cap(as_sparse(o), as_sparse(s))
    for given in ((cap, 0.5), (cap.data, 0.5), (0.5, cap)):
        with pytest.raises(TypeError, match=r"is backed by sparse.COO; at_most compares dense numbers"):
            capstats.at_most(*given)
    assert capstats.at_most(cap.data.data, 1.0).all()


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
@pytest.mark.parametrize("kind", ["one", "full"])
def test_minimal_cells_agree_where_the_original_holds_records_and_are_true_elsewhere_when_the_minimum_is_0(
    kind: str, unmatched: str
) -> None:
    o, _ = tables(kind, unmatched)
    dense = capstats.laws.minimal_cells(o, unmatched=unmatched).values
    found = capstats.laws.minimal_cells(as_sparse(o), unmatched=unmatched).data
    np.testing.assert_array_equal(found.todense()[o.values > 0], dense[o.values > 0])
    assert bool(found.fill_value) == (float(capstats.minimum_cap(o, unmatched=unmatched)) == 0)


def test_bad_cells_are_named_on_sparse_tables_too() -> None:
    o, s = tables("one")
    s[2, 5] = -3
    with pytest.raises(ValueError, match=r"`s` must be non-negative; got -3 at key=5, target=2"):
        capstats.average_cap(as_sparse(o), as_sparse(s))


def test_tables_with_other_labels_are_aligned_on_sparse_backing() -> None:
    o = xr.DataArray([[1, 2], [3, 0]], dims=("target", "key"), coords={"target": ["a", "b"], "key": ["x", "y"]})
    s = xr.DataArray([[1, 4], [2, 1]], dims=("target", "key"), coords={"target": ["a", "c"], "key": ["y", "z"]})
    dense = capstats.average_cap(o, s)
    assert float(capstats.average_cap(as_sparse(o), as_sparse(s))) == float(dense) == 2 / 3 / 6


def test_a_fill_value_that_is_not_0_is_refused() -> None:
    o, _ = tables("one")
    with pytest.raises(ValueError, match="fill value 1"):
        capstats.average_cap(o, as_sparse(o).copy(data=as_sparse(o).data + 1))


# --- tables on both backings ------------------------------------------------------------------------------------------


def records(seed: int, n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    sex = pd.Categorical.from_codes(rng.integers(-1, 3, n), ["x", "m", "f"])
    return pd.DataFrame({"sex": sex, "age": rng.integers(1, 12, n), "t": rng.choice(["low", "mid", "high"], n), "w": rng.integers(0, 3, n)})


def both(**options: Any) -> tuple[xr.Dataset, xr.Dataset]:
    arguments = {"keys": ["sex", "age"], "target": "t", "holdout": records(5), **options}
    found = [capstats.tabulate(records(1), [records(2), records(3)], backing=b, **arguments) for b in ("dense", "sparse")]
    return found[0], found[1]


def dense(tables: xr.Dataset) -> xr.Dataset:
    return tables.map(lambda array: array.copy(data=array.data.todense()), keep_attrs=True)


@pytest.mark.parametrize("options", [{}, {"weights": "w"}, {"missing": "drop"}, {"target": ["t", "w"]}])
def test_tabulate_counts_the_same_on_both_backings(options: dict[str, Any]) -> None:
    o, s = both(**options)
    assert all(isinstance(array.data, sparse.COO) for array in s.data_vars.values())
    assert dense(s).identical(o)


@pytest.mark.parametrize("options", [{}, {"weights": "w"}, {"missing": "drop"}])
def test_a_sweep_has_the_same_numbers_on_both_backings(options: dict[str, Any]) -> None:
    arguments = {
        "keys": ["sex", "age", "u"],
        "targets": ["t", "w"] if "weights" not in options else "t",
        "measures": [*FORMULAS],
        **options,
    }
    tables = [records(seed).assign(u=records(seed).age % 3) for seed in (1, 2, 3)]
    o, s = (capstats.screening.sweep(tables[0], tables[1:], backing=b, **arguments) for b in ("dense", "sparse"))
    xr.testing.assert_allclose(o, s, rtol=1e-12)


def test_domains_and_merging_are_the_same_on_both_backings() -> None:
    o, s = both()
    assert np.array_equal(capstats.observed_domain(s).data.todense(), capstats.observed_domain(o).values)
    assert capstats.observed_domain(s).indexes["key"].equals(capstats.observed_domain(o).indexes["key"])
    assert dense(capstats.full_domain(s)).identical(capstats.full_domain(o))
    other = capstats.tabulate(records(7), [records(8), records(9)], keys=["sex", "age"], target="t", holdout=records(4))
    assert dense(capstats.merge_counts(s, other)).identical(capstats.merge_counts(o, other))


def test_expand_is_the_same_on_both_backings() -> None:
    o, s = both()
    pd.testing.assert_frame_equal(capstats.expand(s.o), capstats.expand(o.o))


def test_the_long_form_of_sparse_tables_has_the_stored_cells_and_loses_no_label() -> None:
    o, s = both(weights="w")
    frame = capstats.to_frame(s)
    full = capstats.to_frame(o)
    counts = ["o", "s[0]", "s[1]", "h"]
    assert len(frame) < len(full)
    assert frame[counts].sum().tolist() == full[counts].sum().tolist()
    again = capstats.tabulate(
        frame,
        [frame, frame],
        keys=["sex", "age"],
        target="t",
        holdout=frame,
        counts=("o", ["s[0]", "s[1]"], "h"),
        backing="sparse",
    )
    for name in ("o", "s", "h"):
        np.testing.assert_array_equal(again[name].data.todense(), s[name].data.todense())
    assert again.indexes["key"].equals(s.indexes["key"])


def test_from_counts_takes_sparse_tables() -> None:
    o, s = both()
    found = capstats.from_counts(s.o, s.s)
    assert isinstance(found.o.data, sparse.COO)
    assert np.array_equal(found.s.data.todense(), o.s.values)
    with pytest.raises(ValueError, match="`o` holds no record"):
        capstats.from_counts(s.o * 0)


def test_a_sparse_table_of_fractions_that_stores_nothing_is_one_without_records() -> None:
    o = xr.DataArray(np.array([[0.5, 1.0]]), dims=("target", "key"))
    assert float(capstats.average_cap(as_sparse(o), as_sparse(0.0 * o))) == 0
    assert np.isnan(capstats.average_cap(as_sparse(0.0 * o), as_sparse(o)))
