"""Disclosure risk of synthetic data in closed form: records are counted once, every measure is a function of the counts."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from capstats.audit import Audit, audit
from capstats.concordance import as_riskutility, as_sdmetrics, as_sdnist, as_synthgauge, as_synthpop
from capstats.counts.labels import MISSING
from capstats.counts.levels import LevelsWarning
from capstats.counts.longform import compare_levels, expand, to_frame
from capstats.counts.primitives import at_most
from capstats.counts.tables import from_counts, full_domain, merge_counts, observed_domain
from capstats.counts.tabulate import tabulate
from capstats.laws.bounds import cap_bounds, maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.synthesis import sample_tables
from capstats.protection import disclosure_protection
from capstats.risk.anonymity import anonymity, satisfies_anonymity
from capstats.risk.attacks.knowledge import maximum_knowledge
from capstats.risk.attacks.learned import model_attack
from capstats.risk.attacks.membership import membership_scores
from capstats.risk.attacks.roc import membership_roc
from capstats.risk.baselines import baseline_cap, goodman_kruskal_lambda, goodman_kruskal_tau
from capstats.risk.cap import average_cap, correct_predictions, individual_cap, matched_records
from capstats.risk.checks import one_way_check, two_way_check
from capstats.risk.classes import class_sizes, k_anonymity, marketer_risk, prosecutor_risk
from capstats.risk.closeness import beta_likeness, delta_disclosure, t_closeness
from capstats.risk.disclosure import dio, dis, disco, weap
from capstats.risk.distribution import cap_boxplot, cap_ecdf, cap_quantiles
from capstats.risk.diversity import alpha_k_anonymity, l_diversity
from capstats.risk.exclusions import exclude
from capstats.risk.influence import cap_influence, rank_removals
from capstats.risk.merging import cap_after_merge, rank_merges
from capstats.risk.neighbours import nearest_distance
from capstats.risk.records import key_summary, record_risk
from capstats.risk.sweep import sweep
from capstats.risk.tcap import tau_curve, tcap
from capstats.risk.uncertainty import average_cap_interval, holdout_contrast
from capstats.risk.uniques import replicated_uniques, unique_keys

if TYPE_CHECKING:
    from capstats.risk.attacks.classifier import CAPClassifier

__version__ = version("capstats")

__all__ = [
    "MISSING",
    "Audit",
    "CAPClassifier",
    "LevelsWarning",
    "alpha_k_anonymity",
    "anonymity",
    "as_riskutility",
    "as_sdmetrics",
    "as_sdnist",
    "as_synthgauge",
    "as_synthpop",
    "at_most",
    "audit",
    "average_cap",
    "average_cap_interval",
    "baseline_cap",
    "beta_likeness",
    "cap_after_merge",
    "cap_bounds",
    "cap_boxplot",
    "cap_ecdf",
    "cap_influence",
    "cap_quantiles",
    "class_sizes",
    "compare_levels",
    "correct_predictions",
    "delta_disclosure",
    "dio",
    "dis",
    "disclosure_protection",
    "disco",
    "exclude",
    "expand",
    "from_counts",
    "full_domain",
    "goodman_kruskal_lambda",
    "goodman_kruskal_tau",
    "holdout_contrast",
    "individual_cap",
    "k_anonymity",
    "key_summary",
    "l_diversity",
    "marketer_risk",
    "matched_records",
    "maximum_cap",
    "maximum_knowledge",
    "membership_roc",
    "membership_scores",
    "merge_counts",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "model_attack",
    "nearest_distance",
    "observed_domain",
    "one_way_check",
    "prosecutor_risk",
    "rank_merges",
    "rank_removals",
    "record_risk",
    "replicated_uniques",
    "sample_tables",
    "satisfies_anonymity",
    "sweep",
    "t_closeness",
    "tabulate",
    "tau_curve",
    "tcap",
    "to_frame",
    "two_way_check",
    "unique_keys",
    "weap",
]


def __getattr__(name: str) -> Any:
    """The one public name that is made of scikit-learn, which is imported when it is asked for."""
    if name == "CAPClassifier":
        from capstats.risk.attacks.classifier import CAPClassifier

        return CAPClassifier
    raise AttributeError(f"module 'capstats' has no attribute {name!r}")
