"""Texts beside points, moved until none covers another text or a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

WIDE, HIGH = 0.62, 1.2  # size of a character, relative to that of its font
AROUND = np.array([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)])
AWAY = (1, 8, 16, 26, 38, 52, 68, 86, 106)  # points from the mark to its text; a line leads to one that is far away


def place_labels(ax: Axes, x: Any, y: Any, labels: Sequence[str], *, size: float = 7, mark: float = 3) -> None:
    """Write a label beside each point, each as near as the others leave room for it, with a line to it where it is not beside it.

    The limits of the axes stay as they are. Points without a place are left out. ``size`` of the font and ``mark``, the radius of the
    marks of the points, are in points.
    """
    ax.figure.figure.draw_without_rendering()  # a layout engine moves the axes until then; of a subfigure it is that of the whole
    scale = 72 / ax.figure.dpi
    points = ax.transData.transform(np.column_stack([x, y])) * scale
    held = np.flatnonzero(np.isfinite(points).all(axis=1))
    window = ax.get_window_extent()
    taken = np.column_stack([points[held] - mark, points[held] + mark])  # left, bottom, right, top
    for i in held[np.argsort(-_crowd(points[held]), kind="stable")]:
        half = np.array([WIDE * size * len(labels[i]), HIGH * size]) / 2
        centres = np.concatenate([points[i] + AROUND * (half + mark + away) for away in AWAY])
        boxes = np.column_stack([centres - half, centres + half])
        inside = (boxes >= np.tile([window.x0, window.y0], 2) * scale).all(axis=1) & (
            boxes <= np.tile([window.x1, window.y1], 2) * scale
        ).all(axis=1)
        cost = _covered(boxes, taken) + 1e6 * ~inside
        best = int(np.argmin(cost))  # the first of them is the nearest
        taken = np.concatenate([taken, boxes[[best]]])
        far = best >= len(AROUND)
        ax.annotate(
            labels[i],
            (x[i], y[i]),
            xytext=tuple(centres[best] - points[i]),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=size,
            arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": "0.4", "shrinkA": 0, "shrinkB": mark} if far else None,
            zorder=4,
        )


def _crowd(points: Any) -> Any:
    """How near the other points are: those with the most of them round about are labelled first."""
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    return np.exp(-apart / 20).sum(axis=1)


def _covered(boxes: Any, taken: Any) -> Any:
    """The area of each box that others take."""
    low = np.maximum(boxes[:, None, :2], taken[:, :2])
    high = np.minimum(boxes[:, None, 2:], taken[:, 2:])
    return np.clip(high - low, 0, None).prod(axis=2).sum(axis=1)
