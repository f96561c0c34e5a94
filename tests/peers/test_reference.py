"""Held against numbers that other packages computed; each file names package and version."""

import json
from pathlib import Path

import numpy as np
import pytest
from one_table import profile

from capstats import average_cap, baseline_cap, matched_records, tabulate
from capstats.anonymity import (
    class_sizes,
    l_diversity,
    marketer_risk,
    prosecutor_risk,
    t_closeness,
)

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

REFERENCE = Path(__file__).parents[1] / "reference"
CONCORDANCE = Path(__file__).parents[2] / "docs" / "coming-from" / "concordance.md"


def load(name):
    return json.loads((REFERENCE / name).read_text(encoding="utf-8"))


SDMETRICS, SYNTHPOP, PYCANON = load("sdmetrics_cap.json"), load("synthpop_disclosure.json"), load("pycanon_anonymity.json")


def cases(reference):
    return pytest.mark.parametrize("case", reference["cases"], ids=lambda case: case["name"])


@pytest.mark.parametrize("reference", [SDMETRICS, SYNTHPOP, PYCANON], ids=lambda reference: reference["package"])
def test_the_concordance_names_the_version_that_the_numbers_are_from(reference):
    rows = [[part.strip() for part in line.split("|")[1:3]] for line in CONCORDANCE.read_text(encoding="utf-8").splitlines()]
    versions = {row[1] for row in rows if row and row[0].lower() == reference["package"]}
    assert versions == {reference["version"]}


# --- synthpop


def counts(case):
    if "o" in case:
        return np.array(case["o"]), np.array(case["s"])
    tables = tabulate(case["original"], case["synthetic"], keys=case["keys"], target=case["target"])
    return tables.o, tables.s


@pytest.mark.parametrize("case", [x for x in SYNTHPOP["cases"] if "1.9-2" in x and "Nexclusions" not in x], ids=lambda case: case["name"])
def test_synthpop_percentages_are_ours(case):
    o, s = counts(case)
    ours = {
        "DCAP": average_cap(o, s),
        "CAPd": average_cap(o, o),
        "CAPs": average_cap(s, s),
        "baseCAPd": baseline_cap(o),
        "iS": matched_records(o, s) / o.sum(),
    }
    for name, value in ours.items():
        assert 100 * value.item() == pytest.approx(case["1.9-2"][name], rel=0, abs=1e-10), name


# --- pyCANON


def table_of(case):
    return tabulate(case["records"], keys=case["keys"], target=case["target"]).o


def pycanon_case(name):
    return next(case for case in PYCANON["cases"] if case["name"] == name)


@pytest.mark.parametrize("case", [case for case in PYCANON["cases"] if "order" not in case], ids=lambda case: case["name"])
def test_pycanon_models_are_ours(case):
    """Where it follows the definitions: distances between numbers are ordered, others equal."""
    table = table_of(case)
    sizes, models = class_sizes(table), profile(table)
    numeric = isinstance(case["records"][case["target"]][0], int)
    ours = {
        "k": models.k,
        "alpha": models.alpha,
        "l": l_diversity(table),
        "t": t_closeness(table, distance="ordered" if numeric else "equal"),
        "beta": models.beta,
        "delta": models.delta_occurring,
        "average_rir": prosecutor_risk(table).mean(),
        "max_rir": prosecutor_risk(table).max(),
        "n_ec": sizes.classes.sum(),
        "max_ec": sizes["size"].max(),
        "mean_ec": 1 / marketer_risk(table),
    }
    for name, value in ours.items():
        assert value.item() == pytest.approx(case[name], rel=1e-12, abs=1e-15), name


@cases(PYCANON)
def test_pycanon_entropy_l_is_cut_to_a_whole_number(case):
    """Below by as much as 1: 2 for three equally frequent targets."""
    ours = l_diversity(table_of(case), kind="entropy").item()
    assert case["entropy_l"] <= ours + 1e-12
    assert ours - case["entropy_l"] <= 1 + 1e-12 or "order" in case
    assert pycanon_case("uniform over three")["entropy_l"] == 2


def test_pycanon_recursive_c_is_of_shares_in_ascending_order():
    """8 < 1 (1 + 1) does not hold, nor 8 < 1 * 2."""
    for name, l, bound in (("8 1 1, twice", 3, 8), ("8 2", 2, 4)):  # noqa: E741
        case = pycanon_case(name)
        assert (case["recursive_c"], case["l"]) == (1, l)
        assert l_diversity(table_of(case), kind="recursive", l=l).item() == bound


def test_pycanon_l_depends_on_the_order_of_the_rows():
    """Two classes with one target each."""
    case = pycanon_case("homogeneous classes, rows in another order")
    assert (case["l"], l_diversity(table_of(case)).item()) == (2, 1)
    assert pycanon_case("homogeneous classes")["l"] == 1


def test_pycanon_enhanced_beta_is_another_quantity():
    """The greatest over targets of min(beta, -ln p), finite where no beta passes."""
    case = pycanon_case("homogeneous classes")
    assert case["enhanced_beta"] == pytest.approx(np.log(7 / 3), rel=1e-14)
    assert profile(table_of(case)).enhanced_beta.item() == np.inf
