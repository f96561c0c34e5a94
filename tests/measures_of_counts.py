"""Every measure of tables of counts, in each of its ways, as a function of tables with the key columns age, sex and town.

`tests/tables` has them give the same numbers on both backings (test_backings.py) and in any order of the cells (test_labels_decide.py);
`tests/cap/test_every_measure.py` has more of those of `cap`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
from every_release import class_of, made

import capstats
from capstats import anonymity, cap, disclosure, laws, peers, population, screening

Call = Callable[..., Any]
CONVENTIONS = ("zero", "drop", "nearest")
RECODED = [[0.7, 0.1, 0.1, 0.1], [0, 1, 0, 0], [0.25, 0.25, 0.25, 0.25], [0, 0, 0.5, 0.5]]


def between(o: Any) -> float:
    """A risk halfway from the baseline to the original."""
    found: float = (capstats.average_cap(o, o) + capstats.baseline_cap(o)).item() / 2
    return found


def weighted(x: Any) -> xr.Dataset:
    """Records that stand for ten people each, one in each cell that has any."""
    return xr.Dataset({"o": 10 * x, "o_records": (x > 0).astype(np.int64)})


def of_nine(model: str) -> Any:
    return made(model, 9, alpha=0.5 if model == "dirichlet" else None)


BOTH: dict[str, Call] = {  # of an original and a release, or several
    **{f"average_cap {how}": lambda o, s, how=how: capstats.average_cap(o, s, unmatched=how) for how in CONVENTIONS},
    **{
        f"average_cap radius {radius} {how}": lambda o, s, radius=radius, how=how: capstats.average_cap(o, s, radius=radius, unmatched=how)
        for radius, how in ((1, "zero"), (2, "drop"))
    },
    **{
        f"average_cap {how} within {within}": lambda o, s, how=how, within=within: capstats.average_cap(o, s, unmatched=how, within=within)
        for how, within in product(CONVENTIONS, (1, ("triangular", 2.5)))
    },
    **{f"average_cap_interval {how}": lambda o, s, how=how: capstats.average_cap_interval(o, s, unmatched=how) for how in CONVENTIONS},
    "average_cap_interval against": lambda o, s: capstats.average_cap_interval(o, s, against=o, unmatched="drop"),
    **{f"baseline_cap {kind}": lambda o, s, kind=kind: capstats.baseline_cap(o, s, kind=kind) for kind in ("modal_synthetic", "crossed")},
    "baseline_cap crossed within 1": lambda o, s: capstats.baseline_cap(o, s, kind="crossed", within=1),
    **{f"cap_boxplot {how}": lambda o, s, how=how: capstats.cap_boxplot(o, s, unmatched=how) for how in CONVENTIONS},
    **{f"cap_ecdf {how}": lambda o, s, how=how: capstats.cap_ecdf(o, s, [0, 0.2, 0.5, 1], unmatched=how) for how in CONVENTIONS},
    **{f"cap_quantiles {how}": lambda o, s, how=how: capstats.cap_quantiles(o, s, [0, 0.3, 0.77, 1], unmatched=how) for how in CONVENTIONS},
    **{f"correct_predictions {how}": lambda o, s, how=how: capstats.correct_predictions(o, s, unmatched=how) for how in CONVENTIONS},
    "matched_records": capstats.matched_records,
    "nearest_distance": cap.nearest_distance,
    **{f"normalized_cap {how}": lambda o, s, how=how: cap.normalized_cap(o, s, unmatched=how) for how in CONVENTIONS},
    **{f"protected_records {how}": lambda o, s, how=how: cap.protected_records(o, s, unmatched=how) for how in CONVENTIONS},
    "target_distance": cap.target_distance,
    "individual_share": lambda o, s: cap.individual_share(o, s, h=s, unmatched="drop"),
    "anonymity_profile": anonymity.anonymity_profile,
    "dis": disclosure.dis,
    "disco": disclosure.disco,
    "disco counted": lambda o, s: disclosure.disco(o, s, counted=o * (o.town == 1)),
    "key_summary": lambda o, s: disclosure.key_summary(o, s).drop_vars("label", errors="ignore"),
    "one_way_check": lambda o, s: disclosure.one_way_check(o, s, records=0, share=0.3),
    "two_way_check": lambda o, s: disclosure.two_way_check(o, s, records=0, share=0.3),
    "share_replicated": disclosure.share_replicated,
    "share_unique": disclosure.share_unique,
    **{
        f"tcap {variant} {tau}": lambda o, s, variant=variant, tau=tau: disclosure.tcap(o, s, variant=variant, tau=tau)
        for variant, tau in product(("all", "matched", "disclosive", "certain", "synthetic"), (0.5, 1.0))
    },
    "tcap cell": lambda o, s: disclosure.tcap(o, s, variant="matched", rule="cell", tau=0.4, eqmax=3),
    **{
        f"membership_test {how}": lambda o, s, how=how: laws.membership_test(o, s, h=s, unmatched=how, draws=9, rng=1).drop_vars("p_value")
        for how in ("zero", "drop")
    },
    "permutation_test": lambda o, s: laws.permutation_test(o, s, draws=9, rng=1)[["expected", "standard_deviation"]],
    **{
        f"{measure.__name__} permuted {how}": lambda o, s, measure=measure, how=how: measure(o, laws.Permuted(s), unmatched=how)
        for measure, how in product((laws.expected_cap, laws.variance_cap), ("zero", "drop"))
    },
    **{
        f"rapid {score} {how}": lambda o, s, score=score, how=how: peers.rapid(o, s, score=score, tau=0.9, unmatched=how)
        for score, how in product(("marginal", "conditional", "entropy"), ("drop", "nearest"))
    },
    **{
        f"cap_influence of {of} keys {how}": lambda o, s, of=of, how=how: screening.cap_influence(o, s, unit="key", of=of, unmatched=how)
        for of, how in product(("original", "synthetic", "both"), CONVENTIONS)
    },
    **{
        f"population_uniqueness {model}": lambda o, s, model=model: population.population_uniqueness(
            o, population_size=999, model=model, s=s
        )
        for model in ("pitman", "zayatz", "loglinear")
    },
}
ALONE: dict[str, Call] = {  # of one table
    **{f"baseline_cap {kind}": lambda x, kind=kind: capstats.baseline_cap(x, kind=kind) for kind in ("marginal", "modal", "uniform")},
    "goodman_kruskal_lambda": cap.goodman_kruskal_lambda,
    "goodman_kruskal_tau": cap.goodman_kruskal_tau,
    "dio": disclosure.dio,
    "class_sizes": anonymity.class_sizes,
    "k_anonymity": anonymity.k_anonymity,
    "l_diversity distinct": anonymity.l_diversity,
    "l_diversity entropy": lambda x: anonymity.l_diversity(x, kind="entropy"),
    **{f"l_diversity recursive {l}": lambda x, l=l: anonymity.l_diversity(x, kind="recursive", l=l) for l in (1, 2, 3, 5)},  # noqa: E741
    "marketer_risk": anonymity.marketer_risk,
    "prosecutor_risk": anonymity.prosecutor_risk,
    "t_closeness equal": anonymity.t_closeness,
    "t_closeness ordered": lambda x: anonymity.t_closeness(x, distance="ordered"),
    "maximum_cap zero": lambda x: capstats.maximum_cap(x, m=7),
    "maximum_cap drop": lambda x: capstats.maximum_cap(x, unmatched="drop"),
    "minimum_cap zero": capstats.minimum_cap,
    "minimum_cap drop": lambda x: capstats.minimum_cap(x, unmatched="drop"),
    **{
        f"minimal_table {how}": lambda x, how=how: capstats.average_cap(x, laws.minimal_table(x, 5, unmatched=how), unmatched=how)
        for how in ("zero", "drop")
    },
    "anonymity_bounds": lambda x: laws.anonymity_bounds(x, crossed=0.3, matched=0.9),
    "joint_bounds": lambda x: laws.joint_bounds([xr.Dataset({"o": x, "s": x})] * 2),
    "frontier": lambda x: laws.frontier(x, distances=[0.1, 0.4, 0.9]),
    "dp_bound substitution": lambda x: laws.dp_bound(x, [0.5, 2.0]),
    "dp_bound add-remove": lambda x: laws.dp_bound(x, [0.5, 2.0], adjacency="add-remove"),
    "dp_epsilon substitution": lambda x: laws.dp_epsilon(x, 0.7),
    "dp_epsilon add-remove": lambda x: laws.dp_epsilon(x, 0.7, adjacency="add-remove"),
    "dp_mechanism": lambda x: laws.dp_mechanism(x, 1.0, counts="public"),
    **{
        f"{measure.__name__} {how} {model}": lambda x, measure=measure, how=how, model=model: measure(x, of_nine(model), unmatched=how)
        for measure, how, model in product(
            (laws.expected_cap, laws.variance_cap), ("zero", "drop"), ("uniform", "bootstrap", "independent", "dirichlet")
        )
    },
    **{
        f"expected_disclosure {model}": lambda x, model=model: laws.expected_disclosure(x, of_nine(model))
        for model in ("uniform", "bootstrap", "independent", "dirichlet")
    },
    **{
        f"{measure.__name__} {model}": lambda x, measure=measure, model=model, told=told: measure(x, made(model, **told))
        for measure in (laws.expected_cap, laws.variance_cap)
        for model, told in (("partial", {"alpha": 0.7}), ("swap", {"records": 9}), ("pram", {"theta": 0.3}))
    },
    **{
        f"calibrate {model}": lambda x, model=model: laws.calibrate(x, class_of(model), risk=between(x))
        for model in ("pram", "swap", "partial")
    },
    "calibrate dirichlet": lambda x: (
        laws.calibrate(x, laws.Dirichlet, m=20, risk=laws.expected_cap(x, laws.Dirichlet(20, alpha=1)).item()).expected_cap
    ),
    "cap_law uniform": lambda x: laws.cap_law(x, laws.Uniform(), rng=0).cdf([0.2, 0.25, 0.3]),
    "cap_law bootstrap": lambda x: laws.cap_law(x, laws.Bootstrap(), rng=0).cdf([0.3, 0.5, 0.6]),
    "individual_risk": lambda x: population.individual_risk(weighted(x)),
    "household_risk": lambda x: population.household_risk(weighted(x)),
    "expected_reidentifications": lambda x: population.expected_reidentifications(weighted(x)),
    "population_profile of twice the sample": lambda x: population.population_profile(x, population=2 * x),
    "dis_suda": lambda x: population.dis_suda(x, sampling_fraction=0.1),
    "minimal_sample_uniques": population.minimal_sample_uniques,
    "suda_scores halving": lambda x: population.suda_scores(x, rule="halving"),
    "suda_scores product": lambda x: population.suda_scores(x, rule="product", max_size=2),
}
ONE_TABLE = ("calibrate", "cap_law", "minimal_sample_uniques")  # which take no further dims
IN_ORDER: dict[str, Call] = {  # which take numbers by position, random numbers cell by cell, or tables of one Dataset
    **{
        f"cap_bounds {margins}": lambda o, _, how=how, margins=margins: laws.cap_bounds(
            o, key_totals=np.arange(30) % 3, unmatched=how, **margins
        )
        for how, margins in (("zero", {}), ("drop", {}), ("zero", {"target_totals": [3, 20, 0, 7]}))
    },
    "anonymity_bounds by target": lambda _, s: laws.anonymity_bounds(s, targets=[3, 0, 2, 1]),
    "frontier with key totals": lambda o, _: laws.frontier(o, distances=[0.4, 0.9], key_totals=np.arange(30) % 3, unmatched="drop"),
    "frontier_tables": lambda o, _: laws.frontier_tables(o, distances=[0.1, 0.4], m=40).greatest_cap,
    "expected_cap by a matrix": lambda o, _: laws.expected_cap(o, laws.Pram(matrix=RECODED)),
    "variance_cap by a matrix": lambda o, _: laws.variance_cap(o, laws.Pram(matrix=RECODED)),
    "joint_bounds": lambda o, s: laws.joint_bounds([xr.Dataset({"o": o, "s": s})] * 2),
    "membership_test": lambda o, s: laws.membership_test(o, s, h=s, draws=99, rng=1).p_value,
    "permutation_test": lambda o, s: laws.permutation_test(o, s, draws=99, rng=1).p_value,
    "dp_audit_release": lambda o, s: laws.dp_audit_release(o, s, 0.5, h=s, adjacency="substitution", unmatched="drop", rng=1),
    "noisy_counts": lambda o, _: laws.noisy_counts(o, epsilon=1, adjacency="substitution", domain="public", rng=1),
    "sample_tables": lambda o, _: laws.sample_tables(o, laws.Swap(records=9), draws=2, rng=1),
}
OF_INTEGERS = (  # what their names start with
    *("average_cap_interval", "cap_boxplot", "cap_quantiles", "individual_share", "share_unique", "share_replicated"),
    *("membership_test", "permutation_test", "dp_audit_release", "noisy_counts", "sample_tables", "variance_cap permuted"),
    *("expected_cap permuted", "expected_cap partial", "expected_cap swap", "variance_cap partial", "variance_cap swap"),
    *("variance_cap pram", "variance_cap by a matrix", "calibrate swap", "calibrate partial"),
    *("population_profile", "population_uniqueness", "dis_suda", "minimal_sample_uniques", "suda_scores"),
    *("marketer_risk", "prosecutor_risk"),
)
