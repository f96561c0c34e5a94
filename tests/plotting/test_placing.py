"""Labels beside points: near them, inside the axes, none on another."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from capstats.plotting.placing import place_labels


def boxes_of(ax):
    """The boxes of the texts as they are drawn, in pixels: left, bottom, right, top."""
    renderer = ax.figure.canvas.get_renderer()
    boxes = []
    for text in ax.texts:
        text.update_positions(renderer)
        boxes.append(super(type(text), text).get_window_extent(renderer).extents)  # without the line that leads to the point
    return np.array(boxes)


def overlaps(boxes):
    """The pairs of boxes that share an area."""
    low = np.maximum(boxes[:, None, :2], boxes[:, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[:, 2:])
    return np.argwhere(np.triu((high > low).all(axis=2), 1)).tolist()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_two_of_a_hundred_numbers_are_on_each_other(seed):
    x, y = np.random.default_rng(seed).random((2, 100))
    ax = plt.subplots(layout="constrained")[1]
    ax.scatter(x, y, s=20)
    place_labels(ax, x, y, [str(i) for i in range(100)], size=6)
    boxes = boxes_of(ax)
    assert sorted(int(text.get_text()) for text in ax.texts) == list(range(100))
    assert not overlaps(boxes)
    inside = ax.get_window_extent().extents
    assert (boxes[:, :2] >= inside[:2] - 1).all()
    assert (boxes[:, 2:] <= inside[2:] + 1).all()


def test_a_lone_label_is_beside_its_point_without_a_line(ax):
    ax.set(xlim=(0, 1), ylim=(0, 1))
    place_labels(ax, np.array([0.5]), np.array([0.5]), ["a"])
    (text,) = ax.texts
    assert text.xy == (0.5, 0.5)
    assert text.arrow_patch is None
    assert np.hypot(*text.get_position()) < 10  # points


def test_labels_of_points_at_one_place_are_led_to_it(ax):
    place = np.full(30, 0.5)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    place_labels(ax, place, place, [f"name {i}" for i in range(30)])
    assert not overlaps(boxes_of(ax))
    assert sum(text.arrow_patch is not None for text in ax.texts) >= 20


def test_the_limits_of_the_axes_stay(ax):
    ax.set(xlim=(0, 1), ylim=(0, 1))
    place_labels(ax, np.array([1.0, 0.2]), np.array([1.0, 0.1]), ["a rather long name at the edge", "b"])
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 1), (0, 1))
    right = boxes_of(ax)[:, 2]
    assert (right <= ax.get_window_extent().x1 + 1).all()


def test_points_without_a_place_have_no_label(ax):
    ax.set(xlim=(0, 1), ylim=(0, 1))
    place_labels(ax, np.array([np.nan, 0.2]), np.array([0.5, 0.1]), ["a", "b"])
    assert [text.get_text() for text in ax.texts] == ["b"]


def test_axes_of_a_subfigure_are_labelled_as_others():
    part, _ = plt.figure(layout="constrained").subfigures(1, 2)
    ax = part.subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    place_labels(ax, np.array([0.5]), np.array([0.5]), ["a"])
    assert [text.get_text() for text in ax.texts] == ["a"]
