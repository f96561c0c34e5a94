"""Disclosure risk of synthetic data in closed form: records are counted once, every measure is a function of the counts."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from capstats.anonymity.classes import class_sizes, k_anonymity, marketer_risk, prosecutor_risk
from capstats.anonymity.closeness import beta_likeness, delta_disclosure, t_closeness
from capstats.anonymity.diversity import alpha_k_anonymity, l_diversity
from capstats.anonymity.profile import anonymity, satisfies_anonymity
from capstats.attacks.knowledge import maximum_knowledge
from capstats.attacks.learned import model_attack
from capstats.attacks.membership import membership_scores
from capstats.attacks.roc import membership_roc
from capstats.attacks.widths import best_membership_width
from capstats.auditing.audits import Audit, audit
from capstats.cap.attribution import average_cap, correct_predictions, individual_cap, matched_records
from capstats.cap.baselines import baseline_cap, goodman_kruskal_lambda, goodman_kruskal_tau
from capstats.cap.comparison import normalized_cap, protected_records
from capstats.cap.distribution import cap_boxplot, cap_ecdf, cap_quantiles
from capstats.cap.neighbours import nearest_distance
from capstats.cap.uncertainty import average_cap_interval, holdout_contrast
from capstats.codes.labels import MISSING
from capstats.counting.tabulate import tabulate
from capstats.disclosure.attribute import dio, dis, disco, weap
from capstats.disclosure.checks import one_way_check, two_way_check
from capstats.disclosure.exclusions import exclude
from capstats.disclosure.records import key_summary, record_risk
from capstats.disclosure.targeted import tau_curve, tcap
from capstats.disclosure.uniques import replicated_uniques, unique_keys
from capstats.laws.bounds import cap_bounds, maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.synthesis import sample_tables
from capstats.peers.concordance import as_riskutility, as_sdmetrics, as_sdnist, as_synthgauge, as_synthpop
from capstats.peers.protection import disclosure_protection
from capstats.screening.influence import cap_influence, rank_removals
from capstats.screening.key_subsets import sweep
from capstats.screening.merging import cap_after_merge, rank_merges
from capstats.tables.counts_given import from_counts
from capstats.tables.domains import full_domain, observed_domain
from capstats.tables.levels import LevelsWarning
from capstats.tables.longform import compare_levels, expand, to_frame
from capstats.tables.merging import merge_counts
from capstats.tables.ties import at_most

if TYPE_CHECKING:
    from capstats.attacks.classifier import CAPClassifier

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
    "best_membership_width",
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
    "normalized_cap",
    "observed_domain",
    "one_way_check",
    "prosecutor_risk",
    "protected_records",
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
        from capstats.attacks.classifier import CAPClassifier

        return CAPClassifier
    raise AttributeError(f"module 'capstats' has no attribute {name!r}")
