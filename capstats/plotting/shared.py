"""What all figures share: their colours, and the Axes they are drawn on."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes

BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#D9D9D9"  # apart for the colour-blind (Okabe and Ito), and in grey


def stored(array: xr.DataArray) -> Any:
    """The numbers that an array holds, whether it is dense or sparse."""
    data = array.variable.data
    return data.ravel() if isinstance(data, np.ndarray) else data.data


def axes_of(ax: Axes | None) -> Axes:
    """The given Axes, or those of a new figure."""
    return plt.subplots(layout="constrained")[1] if ax is None else ax
