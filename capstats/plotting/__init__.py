"""Results as figures: each function draws what another one returned, on the Axes it is given, and computes nothing."""

from capstats.plotting.attacks import plot_attack_utility, plot_maximum_knowledge, plot_membership_difference, plot_membership_roc
from capstats.plotting.cap import plot_average_cap, plot_individual_cap
from capstats.plotting.sweep import plot_sweep

__all__ = [
    "plot_attack_utility",
    "plot_average_cap",
    "plot_individual_cap",
    "plot_maximum_knowledge",
    "plot_membership_difference",
    "plot_membership_roc",
    "plot_sweep",
]
