"""Figures: each function draws the result of another function on given Axes, and computes nothing."""

from capstats.codes.names import open_room
from capstats.plotting.attacks import plot_maximum_knowledge, plot_membership_difference, plot_membership_roc
from capstats.plotting.average import plot_average_cap, plot_cap_law
from capstats.plotting.curves import plot_cap_ecdf
from capstats.plotting.heatmaps import plot_sweep
from capstats.plotting.individual import plot_individual_cap, plot_people
from capstats.plotting.keys import plot_key_summary, plot_key_target
from capstats.plotting.releases import plot_disclosure_arrows, plot_frontier, plot_risk_utility

__all__ = [
    "plot_average_cap",
    "plot_cap_ecdf",
    "plot_cap_law",
    "plot_disclosure_arrows",
    "plot_frontier",
    "plot_individual_cap",
    "plot_key_summary",
    "plot_key_target",
    "plot_maximum_knowledge",
    "plot_membership_difference",
    "plot_membership_roc",
    "plot_people",
    "plot_risk_utility",
    "plot_sweep",
]

open_room(__name__)
