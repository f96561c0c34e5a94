"""Disclosure risk of synthetic data in closed form: records are counted once, every measure is a function of the counts."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from capstats.audit import Audit, audit
from capstats.counts.labels import MISSING
from capstats.counts.longform import expand, to_frame
from capstats.counts.primitives import at_most
from capstats.counts.tables import from_counts, full_domain, merge_counts, observed_domain
from capstats.counts.tabulate import tabulate
from capstats.laws.bounds import cap_bounds, maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.synthesis import sample_tables
from capstats.protection import disclosure_protection
from capstats.risk.attacks.knowledge import maximum_knowledge
from capstats.risk.attacks.learned import model_attack
from capstats.risk.attacks.membership import membership_scores
from capstats.risk.attacks.roc import membership_roc
from capstats.risk.baselines import baseline_cap
from capstats.risk.cap import average_cap, correct_predictions, individual_cap, matched_records
from capstats.risk.distribution import cap_boxplot, cap_ecdf, cap_quantiles
from capstats.risk.neighbours import nearest_distance
from capstats.risk.uncertainty import average_cap_interval, holdout_contrast

if TYPE_CHECKING:
    from capstats.risk.attacks.classifier import CAPClassifier

__version__ = version("capstats")

__all__ = [
    "MISSING",
    "Audit",
    "CAPClassifier",
    "at_most",
    "audit",
    "average_cap",
    "average_cap_interval",
    "baseline_cap",
    "cap_bounds",
    "cap_boxplot",
    "cap_ecdf",
    "cap_quantiles",
    "correct_predictions",
    "disclosure_protection",
    "expand",
    "from_counts",
    "full_domain",
    "holdout_contrast",
    "individual_cap",
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
    "sample_tables",
    "tabulate",
    "to_frame",
]


def __getattr__(name: str) -> Any:
    """The one public name that is made of scikit-learn, which is imported when it is asked for."""
    if name == "CAPClassifier":
        from capstats.risk.attacks.classifier import CAPClassifier

        return CAPClassifier
    raise AttributeError(f"module 'capstats' has no attribute {name!r}")
