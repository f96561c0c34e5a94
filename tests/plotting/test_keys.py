"""Keys stand at their size and their average CAP."""

from drawn import FEW, named

from capstats.disclosure import key_summary
from capstats.plotting import plot_key_summary


def marks(ax):
    """Place, number of keys and label of each kind of mark."""
    return {
        c.get_label().split(":")[0]: (c.get_offsets().tolist(), (10 ** ((c.get_sizes() / 10 - 1) / 2.5)).round(6).tolist())
        for c in ax.collections
        if len(c.get_offsets())
    }


def test_keys_stand_at_their_size_and_their_average_cap(ax):
    """Two keys of four records with cap 3/4, one of four with 1/2, one of one without a synthetic record, one without an original one."""
    plot_key_summary(key_summary(*FEW), ax=ax)
    assert marks(ax) == {
        "synthetic records with several targets": ([[4, 0.5]], [1]),
        "synthetic records with one target": ([[4, 0.75]], [2]),
        "no synthetic record": ([[1, 0]], [1]),
    }
    assert named(ax) == [
        "synthetic records with several targets: 1 key",
        "synthetic records with one target: 2 keys",
        "no synthetic record: 1 key",
        "2 keys at one place",
    ]
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "original records with the key\nn = 13 records"


def test_averages_beside_the_keys_are_level_lines(ax):
    plot_key_summary(key_summary(*FEW), average=0.5, original=0.7, baseline=0.6, ax=ax)
    assert [(line.get_ydata()[0], line.get_linestyle()) for line in ax.lines] == [(0.5, "-."), (0.7, "--"), (0.6, ":")]


def test_sizes_of_keys_are_written_as_plain_numbers():
    ax = plot_key_summary(key_summary([[1, 2, 9], [0, 0, 40]], [[1, 1, 1], [0, 0, 1]]))
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    shown = [label.get_text() for x, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True) if low <= x <= high]
    assert shown == ["1", "2", "5", "10", "20", "50"]
