"""Intruders beside CAP: who was in the data, one column from all others, and models fitted to the synthetic records."""

from capstats.attacks.knowledge import maximum_knowledge
from capstats.attacks.learned import model_attack
from capstats.attacks.membership import membership_scores
from capstats.attacks.roc import membership_roc
from capstats.codes.names import open_room

__all__ = ["maximum_knowledge", "membership_roc", "membership_scores", "model_attack"]

open_room(__name__)
