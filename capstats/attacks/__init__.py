"""Intruders beside CAP: who was in the data, one column from all others, and models fitted to the synthetic records."""

from capstats.attacks.knowledge import maximum_knowledge as maximum_knowledge
from capstats.attacks.learned import model_attack as model_attack
from capstats.attacks.membership import membership_scores as membership_scores
from capstats.attacks.roc import membership_roc as membership_roc
from capstats.codes.names import open_room

open_room(__name__)
