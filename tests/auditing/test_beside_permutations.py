"""The p-values of an audit with a holdout: those of the two tests, by a method that its provenance tells."""

import json

import numpy as np
import pytest

from capstats import audit, tabulate
from capstats.auditing import beside
from capstats.auditing.beside import p_values
from capstats.auditing.compute import Asked
from capstats.auditing.measures import MEASURES
from capstats.laws import membership_test, permutation_test
from capstats.tables.printing import percent

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

P_VALUES = {name for name, measure in MEASURES.items() if measure.function == "beside.p_values"}
ASKED = {"keys": "k", "target": "t"}
PEOPLE = {"k": [*"aabb"], "t": [*"xxyy"], "w": [0.5, 1.5, 1.0, 1.0], "n": [2, 1, 1, 1]}
OTHERS = {"k": [*"ab"], "t": [*"yx"], "w": [0.5, 1.5], "n": [2, 1]}


def sample(n, seed):
    rng = np.random.default_rng(seed)
    k = rng.integers(0, 12, n)
    return {"k": k, "t": (rng.random(n) < k / 12).astype(int)}


def test_few_records_have_the_exact_values_by_hand():
    """CAP 1 for the four used, 0 for the two others: one of C(6, 2) = 15 ways. Of the 6 ways to place the targets one is the release."""
    found = audit(PEOPLE, PEOPLE, allow_same=True, holdout=OTHERS, **ASKED)
    assert found.measures.membership_p_value.item() == pytest.approx(1 / 15, rel=1e-13)
    assert found.measures.permutation_p_value.item() == pytest.approx(1 / 6, rel=1e-13)
    told = found.provenance["conventions"]
    assert told["membership_p_value"].endswith("one-sided: all permutations, or random ones where they are too many (seed 0)")
    assert told["permutation_p_value"].startswith("the synthetic targets permuted, one-sided: all permutations")


def test_the_values_are_in_the_text_the_page_and_the_json():
    found = audit(sample(3000, 1), {"one": sample(3000, 2), "two": sample(3000, 3)}, holdout=sample(3000, 4), **ASKED)
    one = audit(sample(3000, 1), sample(3000, 2), holdout=sample(3000, 4), **ASKED)
    assert set(json.loads(found.to_json())["measures"]) >= P_VALUES
    assert set(found.to_frame()) >= P_VALUES
    p = percent(one.measures.membership_p_value.item())
    text = " ".join(repr(one).split())
    assert f"the difference would be as large with probability {p} (a test of disclosure)." in text
    assert "(a test of utility; it is small for every useful release)." in text
    for page in (found.to_html(), one.to_html()):
        assert "theory/individuals.md#membership-test" in page
        assert "theory/individuals.md#permutation-test" in page
    assert "p of this" in repr(found)
    assert "p of link" in repr(found)


@pytest.mark.parametrize(("n", "all_of_them"), [(49, True), (50, True), (51, False)])
def test_up_to_fifty_records_have_all_permutations(n, all_of_them):
    found = p_values(Asked(tabulate(sample(n, 1), sample(n, 2), holdout=sample(9, 3), **ASKED)))["permutation_p_value"]
    assert ("all permutations" in found.attrs["method"]) == all_of_them


def test_many_records_are_permuted_at_random_by_a_seed_that_is_told():
    tables = tabulate(sample(3000, 1), sample(3000, 2), holdout=sample(3000, 4), **ASKED)
    found, again = p_values(Asked(tables)), p_values(Asked(tables))
    assert found["membership_p_value"].item() == membership_test(tables.o, tables.s, h=tables.h, draws=999, rng=0).p_value.item()
    assert found["permutation_p_value"].item() == permutation_test(tables.o, tables.s, draws=999, rng=0).p_value.item() == 1 / 1000
    for name in P_VALUES:
        assert found[name].attrs["method"].endswith("one-sided: 999 random permutations (seed 0)")
        assert found[name].equals(again[name])


def test_many_releases_share_the_permutations_and_large_tables_have_a_bound(monkeypatch):
    releases = {str(i): sample(500, i) for i in range(20)}
    tables = tabulate(sample(500, 30), releases, holdout=sample(500, 31), **ASKED)
    found = p_values(Asked(tables))
    assert found["membership_p_value"].sizes == {"synthetic": 20}
    assert found["membership_p_value"].attrs["method"].endswith("499 random permutations (seed 0)")
    monkeypatch.setattr(beside, "CELLS", 1000)
    one = audit(sample(500, 30), sample(500, 1), holdout=sample(500, 31), **ASKED)
    p = one.measures.permutation_p_value.item()
    assert p < 0.01
    assert f"average CAP would be as large with probability at most {percent(p)} " in " ".join(repr(one).split())
    bounds = p_values(Asked(tables))["permutation_p_value"]
    assert bounds.attrs["method"].endswith("at most this, by the exact mean and standard deviation (Cantelli)")
    tested = permutation_test(tables.o, tables.s)
    z = (tested.average_cap - tested.expected) / tested.standard_deviation
    assert bounds.values == pytest.approx(1 / (1 + np.maximum(z.values, 0) ** 2), rel=1e-12)


def test_weights_and_fractional_counts_are_not_permuted():
    for more in ({"weights": "w"}, {"counts": "w"}, {"weights": "n"}):
        measures = audit(PEOPLE, PEOPLE, allow_same=True, holdout=OTHERS, **ASKED, **more).measures
        assert not P_VALUES & set(measures.data_vars), more
    of_records = audit(PEOPLE, PEOPLE, allow_same=True, holdout=OTHERS, **ASKED, weights=("n", None, "n"))
    assert "permutation_p_value" in of_records.measures
    assert "membership_p_value" not in of_records.measures
    counted = audit(PEOPLE, PEOPLE, allow_same=True, holdout=OTHERS, **ASKED, counts="n").measures
    assert set(counted.data_vars) >= P_VALUES
