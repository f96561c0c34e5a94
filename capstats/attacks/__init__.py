"""Intruders beside CAP: who was in the data, one column from all others, and models fitted to the synthetic records.

`CAPClassifier` needs scikit-learn, which is imported when the class is asked for.
"""

from typing import TYPE_CHECKING, Any

from capstats.attacks.knowledge import maximum_knowledge
from capstats.attacks.learned import model_attack
from capstats.attacks.membership import membership_scores
from capstats.attacks.roc import best_membership_width, membership_roc

if TYPE_CHECKING:
    from capstats.attacks.classifier import CAPClassifier

__all__ = ["CAPClassifier", "best_membership_width", "maximum_knowledge", "membership_roc", "membership_scores", "model_attack"]

if not TYPE_CHECKING:  # where a type checker saw it, every misspelt name would pass

    def __getattr__(name: str) -> Any:
        """The classifier, when it is asked for."""
        if name == "CAPClassifier":
            from capstats.attacks.classifier import CAPClassifier

            return CAPClassifier
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
