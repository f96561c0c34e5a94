"""Cells of a heatmap are areas with a text that can be read."""

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn import ticks

from capstats.plotting.heatmap import draw_cells, letter_size, name_cells, write_cells
from capstats.plotting.inline import inline_svg

VALUES = np.array([[0.0, 0.5, 1.0], [np.nan, 0.2, 0.8]])


def rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_the_first_row_is_on_top_and_undefined_cells_have_no_colour(ax):
    mesh, bar = draw_cells(ax, VALUES, {"vmin": 0, "vmax": 1}, ticks=[0, 1])
    assert (ax.get_xlim(), ax.get_ylim()) == ((-0.5, 2.5), (1.5, -0.5))
    assert mesh.get_array().mask.tolist() == [[False] * 3, [True, False, False]]
    ax.figure.canvas.draw()
    assert mesh.get_facecolors()[3, 3] == 0
    assert bar.ax.get_yticks().tolist() == [0, 1]


@pytest.mark.parametrize("colours", ["Greys", "viridis"])
def test_heatmap_and_colour_bar_hold_no_pixels(ax, colours):
    draw_cells(ax, VALUES, {"cmap": colours})
    assert inline_svg(ax, prefix="a").startswith("<svg")  # it refuses pixels


@pytest.mark.parametrize("colours", ["Greys", "Greys_r"])
def test_texts_are_white_on_dark_cells_and_black_on_light_and_empty_ones(ax, colours):
    mesh, _ = draw_cells(ax, VALUES, {"cmap": colours, "vmin": 0, "vmax": 1})
    write_cells(ax, mesh, VALUES, ["a", "b", "c", "d", "e", "f"])
    dark = [text.get_text() for text in ax.texts if text.get_color() == "white"]
    assert {"c"} <= set(dark) <= {"c", "f", "b"} if colours == "Greys" else {"a"} <= set(dark) <= {"a", "e", "b"}
    assert "d" not in dark


def test_texts_are_as_large_as_their_cells_allow():
    sizes = []
    for columns in (2, 16, 60):
        ax = plt.subplots(figsize=(5, 3), layout="constrained")[1]
        mesh, _ = draw_cells(ax, np.zeros((2, columns)), {})
        write_cells(ax, mesh, np.zeros((2, columns)), ["0.123"] * 2 * columns)
        ax.figure.canvas.draw()
        sizes.append(ax.texts[0].get_fontsize())
        if columns < 60:
            extents = [text.get_window_extent() for text in ax.texts[:columns]]
            assert all(left.x1 <= right.x0 for left, right in pairwise(extents))
    assert sizes[0] == 7  # no larger than other texts
    assert sizes[0] > sizes[1] > sizes[2] == 3.5


def test_names_of_columns_are_turned_only_where_they_would_touch(ax):
    name_cells(ax, ["a", "b"], [("x",), ("y",)])
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {0}
    name_cells(ax, [f"a longer name {i}" for i in range(9)], [("x",), ("y",)])
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {45}


def test_each_part_of_a_long_name_of_a_row_keeps_its_beginning_and_end(ax):
    name_cells(
        ax, ["a"], [("north-western region of the country", "farmer", "f" * 80), ("north-eastern region of the country", "baker", "g" * 80)]
    )
    first, second = rows(ax)
    assert first.startswith("north-w")
    assert ", farmer, fff" in first
    assert ", baker, ggg" in second
    assert max(len(first), len(second)) <= 70


def test_names_of_any_length_stay_short_and_apart():
    ax = plt.subplots(figsize=(3.3, 3), layout="constrained")[1]
    name_cells(ax, ["c" * 5000, "$c$"], [("a" * 10_000,), ("a" * 5_000 + "b" + "a" * 4_999,), ("\x1b[31m",)])
    ax.figure.canvas.draw()
    assert len(set(rows(ax))) == 3
    assert max(map(len, rows(ax))) < 40
    assert rows(ax)[2] == r"\x1b[31m"
    assert ticks(ax)[1] == r"\$c\$"
    assert max(map(len, ticks(ax))) <= 30
    assert ax.get_position().width > 0.25


def test_a_heatmap_may_be_drawn_in_a_part_of_a_figure():
    parts = plt.figure(figsize=(7, 3)).subfigures(1, 2)
    ax = parts[0].subplots()
    mesh, _ = draw_cells(ax, VALUES, {})
    write_cells(ax, mesh, VALUES, ["a"] * 6)
    assert {text.get_fontsize() for text in ax.texts} == {7}
    assert len(parts[0].axes) == 2  # with its colour bar


def test_letters_are_smaller_in_a_narrow_figure():
    assert letter_size(plt.subplots(figsize=(3.3, 3))[1]) == 7
    assert letter_size(plt.subplots(figsize=(7, 3))[1]) == 8.5 < mpl.rcParams["font.size"]
