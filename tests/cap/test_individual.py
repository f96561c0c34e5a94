"""Individual CAP: printed values; tests/laws/test_theorems.py has all small tables."""

from capstats import individual_cap
from capstats.datasets import smoking


def test_individual_cap_of_the_smokers_is_as_printed():
    """Section 2.3: 0.4, 8/33 = 0.2424, 0.6, 25/33 = 0.7576."""
    tables = smoking()
    with_o = individual_cap(tables.o, tables.o).sel(smoking="Smoking")
    with_s = individual_cap(tables.o, tables.s).sel(smoking="Smoking")
    assert with_o.sel(target="Sick").item() == 20 / 50 == 0.4
    assert with_s.sel(target="Sick").item() == 8 / 33
    assert with_o.sel(target="Healthy").item() == 30 / 50 == 0.6
    assert with_s.sel(target="Healthy").item() == 25 / 33
