"""Figures: each function draws the result of another function on given Axes, and computes nothing."""

from capstats.codes.names import open_room
from capstats.plotting.attacks import plot_maximum_knowledge as plot_maximum_knowledge
from capstats.plotting.attacks import plot_membership_difference as plot_membership_difference
from capstats.plotting.attacks import plot_membership_roc as plot_membership_roc
from capstats.plotting.average import plot_average_cap as plot_average_cap
from capstats.plotting.average import plot_cap_law as plot_cap_law
from capstats.plotting.curves import plot_cap_ecdf as plot_cap_ecdf
from capstats.plotting.heatmaps import plot_sweep as plot_sweep
from capstats.plotting.individual import plot_individual_cap as plot_individual_cap
from capstats.plotting.individual import plot_people as plot_people
from capstats.plotting.keys import plot_key_summary as plot_key_summary
from capstats.plotting.keys import plot_key_target as plot_key_target
from capstats.plotting.releases import plot_disclosure_arrows as plot_disclosure_arrows
from capstats.plotting.releases import plot_frontier as plot_frontier
from capstats.plotting.releases import plot_risk_utility as plot_risk_utility

open_room(__name__)
