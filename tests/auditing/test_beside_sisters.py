"""A release among its sisters: what its generator gives on average, and whether one of its releases is seldom as low."""

import json
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from read_reports import one_line

import capstats
from capstats import audit, average_cap, from_counts, laws, tabulate
from capstats.auditing.front import RARE
from capstats.auditing.measures import AT_MOST
from capstats.datasets import anes96
from capstats.tables.printing import percent

pytestmark = pytest.mark.slow

ASKED = {"keys": "k", "target": "t"}
ORIGINAL = {"k": [*"aaabb"], "t": [*"xxyyy"]}
RELEASE = {"k": [*"aab"], "t": [*"xyx"]}  # CAP 1/2 1/2 1/2 0 0
SHARES = {("x", "a"): Fraction(3, 8), ("y", "a"): Fraction(1, 8), ("x", "b"): Fraction(1, 8), ("y", "b"): Fraction(1, 4)}  # 1/8 elsewhere
VOTERS = {"keys": ["educ", "PID"], "target": "vote"}


def drawn(o):
    """The generator with these shares."""
    return laws.Given.from_function(o, probabilities=lambda cells: [float(SHARES[cell]) for cell in zip(cells.t, cells.k, strict=True)])


def of_every_release(m):
    """Average CAP of all sequences of m records, with their probabilities."""
    cells = {**SHARES, ("z", "c"): 1 - sum(SHARES.values())}
    found = []
    for records in product(cells, repeat=m):
        caps = []
        for key, target in zip(ORIGINAL["k"], ORIGINAL["t"], strict=True):
            held = [t for t, k in records if k == key]
            caps.append(Fraction(held.count(target), max(len(held), 1)))
        found.append((sum(caps) / len(caps), prod(cells[record] for record in records)))
    return found


@pytest.fixture(scope="module")
def network():
    """Voters, the probabilities of a Bayesian network fitted to them, and 60 releases of it."""
    voters, rng = anes96()[["educ", "PID", "vote"]].astype(str), np.random.default_rng(5)
    columns = {"educ": voters["educ"].value_counts(normalize=True)}
    columns |= {child: voters.groupby(by)[child].value_counts(normalize=True) for by, child in (("educ", "PID"), ("PID", "vote"))}
    tables = tabulate(voters, voters, **VOTERS)
    model = laws.Given.from_conditionals(tables.o, len(voters), columns=columns)
    s = laws.sample_tables(tables.o, laws.Given(len(voters), p=model.p), draws=60, rng=rng)
    releases = [capstats.expand(s.isel(draw=i)) for i in range(60)]
    return voters, columns, [releases[i] for i in np.argsort(average_cap(tables.o, s).values)]


def given(columns):
    return lambda o: laws.Given.from_conditionals(o, columns=columns)


# --- the numbers


def test_a_model_has_the_mean_deviation_and_law_of_every_release():
    found = audit(ORIGINAL, RELEASE, generator=drawn, **ASKED).measures
    every = of_every_release(3)
    mean = sum(cap * p for cap, p in every)
    assert found.generator_mean.item() == pytest.approx(float(mean), rel=1e-12)
    assert found.generator_deviation.item() ** 2 == pytest.approx(float(sum((cap - mean) ** 2 * p for cap, p in every)), rel=1e-11)
    as_low = float(sum(p for cap, p in every if cap <= Fraction(3, 10)))
    assert found.generator_p_value.item() == pytest.approx(as_low, rel=1e-9)
    assert "generator_mean_error" not in found


def test_a_model_with_or_without_its_number_of_records_is_that_of_the_function():
    expected = audit(ORIGINAL, RELEASE, generator=drawn, **ASKED)
    o = expected.tables.o
    for model in (drawn(o), laws.Given(3, p=drawn(o).p)):
        found = audit(ORIGINAL, RELEASE, generator=model, **ASKED)
        assert found.measures.identical(expected.measures)
        assert found.provenance["conventions"] == expected.provenance["conventions"]
    assert "Given(m=3" in expected.provenance["conventions"]["generator_p_value"]


def test_releases_of_different_sizes_have_each_their_law():
    larger = {name: column * 2 for name, column in RELEASE.items()}
    both = audit(ORIGINAL, {"three": RELEASE, "six": larger}, generator=drawn, **ASKED).measures
    for label, release in (("three", RELEASE), ("six", larger)):
        alone = audit(ORIGINAL, release, generator=drawn, **ASKED).measures
        for name in ("generator_mean", "generator_deviation", "generator_p_value"):
            assert both[name].sel(synthetic=label).item() == alone[name].item()


def test_further_releases_are_averaged_and_the_rank_is_the_probability():
    """Average CAPs 3/10 of the release, 3/5, 3/10 (a tie), 0 and 4/5 of its sisters."""
    sisters = [{"k": ["a", "b"], "t": list(t)} for t in ("yx", "xx", "xy")]  # 1/5, 2/5, 4/5
    sisters.append(dict(RELEASE))
    found = audit(ORIGINAL, RELEASE, generator=sisters, **ASKED)
    m, caps = found.measures, [0.2, 0.4, 0.8, 0.3]
    assert m.generator_mean.item() == pytest.approx(np.mean(caps), rel=1e-14)
    assert m.generator_deviation.item() == pytest.approx(np.std(caps, ddof=1), rel=1e-14)
    assert m.generator_mean_error.item() == pytest.approx(np.std(caps, ddof=1) / 2, rel=1e-14)
    assert m.generator_p_value.item() == 3 / 5
    counts = audit(tabulate(ORIGINAL, RELEASE, **ASKED), generator=tabulate(ORIGINAL, sisters, **ASKED)).measures
    named = audit(ORIGINAL, RELEASE, generator=dict(zip("abcd", sisters, strict=True)), **ASKED).measures
    for name in ("generator_mean", "generator_deviation", "generator_mean_error", "generator_p_value"):
        assert counts[name].item() == named[name].item() == m[name].item()
    assert found.provenance["conventions"]["generator_p_value"] == "the rank among 4 further releases"
    assert found.to_frame().generator_p_value.item() == json.loads(found.to_json())["measures"]["generator_p_value"] == 3 / 5
    assert audit(ORIGINAL, RELEASE, generator=sisters, limits={"generator_mean": 0.4}, **ASKED).limits()[0][1] is False


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_further_releases_in_another_spelling_than_the_release_are_refused():
    """Where the release is in it, too, both are as low, and the report says why."""
    sisters = [{"k": ["A", "b"], "t": list(t)} for t in ("yx", "xx", "xy")]
    counts = tabulate(ORIGINAL, RELEASE, **ASKED), tabulate(ORIGINAL, sisters, **ASKED)
    for tables, generator, asked in (((ORIGINAL, RELEASE), sisters, ASKED), (counts[:1], counts[1], {})):
        with pytest.raises(ValueError, match="Levels of 'k' in `generator` do not match those of the original, as those of the release do"):
            audit(*tables, generator=generator, **asked)
    assert audit(ORIGINAL, sisters[0], generator=sisters, **ASKED).measures.generator_p_value.item() == 0.75


def test_whichever_of_the_releases_is_published_small_ranks_are_as_rare_as_they_say():
    """Exchangeable releases: of k + 1 at most j have a probability of at most j / (k + 1), ties among them included."""
    releases = [{"k": [*"aab"], "t": list(t)} for t in product("xy", repeat=3)]
    p = []
    for i, release in enumerate(releases):
        found = audit(ORIGINAL, release, generator=releases[:i] + releases[i + 1 :], **ASKED).measures
        p.append(found.generator_p_value.item() * len(releases))
    assert all(np.sum(np.array(p) <= j + 1e-9) <= j for j in range(1, len(releases) + 1))
    assert min(p) == pytest.approx(1)


def test_where_the_law_is_out_of_reach_its_tail_is_bounded():
    """Weighted people have a mean and a variance, and no law; the bound holds what the law has where weights are equal."""
    weighted = {**ORIGINAL, "w": [0.5] * 5}
    lowest = {"k": [*"aab"], "t": [*"yyx"]}
    found = audit(weighted, lowest, generator=drawn, weights=("w", None), **ASKED)
    whole = audit(ORIGINAL, lowest, generator=drawn, **ASKED).measures
    m = found.measures
    assert m.generator_mean.item() == pytest.approx(whole.generator_mean.item(), rel=1e-12)
    apart = m.generator_mean.item() - m.average_cap_zero.item()
    assert m.generator_p_value.item() == pytest.approx(1 / (1 + (apart / m.generator_deviation.item()) ** 2), rel=1e-12)
    assert m.generator_p_value.item() > whole.generator_p_value.item()
    assert AT_MOST in found.provenance["conventions"]["generator_p_value"]
    assert "with a probability of at most" in one_line(found)
    above = audit(weighted, {"k": [*"aab"], "t": [*"xyy"]}, generator=drawn, weights=("w", None), **ASKED)
    assert (above.measures.generator_p_value.item(), above.measures.average_cap_zero.item()) == (1, 0.7)  # a quarter of releases is above
    assert "with a probability of at most 100 %. " in one_line(above)


# --- what reports say


def front_of(found):
    return " ".join(text for text in found.sections()["At a glance"] if isinstance(text, str))


def test_the_least_of_many_draws_is_said_to_be_lower_than_its_sisters(network):
    voters, columns, releases = network
    for generator in (given(columns), releases[1:]):
        found = audit(voters, releases[0], generator=generator, **VOTERS)
        p = found.measures.generator_p_value.item()
        assert p < RARE
        mean, cap = percent(found.measures.generator_mean.item()), percent(found.measures.average_cap_zero.item())
        assert "This release is lower than most of its sisters" in front_of(found)
        assert f"have an average CAP of {mean} on average" in front_of(found)
        assert f"one of them has {cap} or less with a probability of" in front_of(found)
        assert "Who draws until one passes publishes such releases" in front_of(found)


def test_an_honest_release_is_no_lower_than_chance_explains_and_a_high_one_is_said_to_be_high(network):
    voters, columns, releases = network
    honest = audit(voters, releases[30], generator=given(columns), **VOTERS)
    assert "this release has" in front_of(honest)
    assert "no less than chance explains" in front_of(honest)
    assert "among the highest" not in one_line(honest)
    high = audit(voters, releases[-1], generator=given(columns), **VOTERS)
    assert high.measures.generator_p_value.item() > 0.95
    assert "this one is among the highest" in one_line(high)
    assert "this one is among the highest" in " ".join(high.to_html().split())


def test_several_releases_share_the_probability_of_an_error_and_none_is_advised(network):
    voters, columns, releases = network
    lowest = audit(voters, releases[:6], generator=given(columns), **VOTERS).measures.generator_p_value.values
    third = next(i for i, p in enumerate(lowest) if RARE / 3 < p < RARE)
    some = {"low": releases[third], "one": releases[30], "two": releases[45]}
    assert "is lower than most" in front_of(audit(voters, some["low"], generator=given(columns), **VOTERS))
    found = audit(voters, some, generator=given(columns), **VOTERS)
    assert "release low has" in front_of(found)
    assert "no less than chance explains" in front_of(found)
    assert "take low instead" not in one_line(found)
    without = one_line(audit(voters, some, **VOTERS))
    assert "take low instead" in without
    assert "sisters" not in without
    least = audit(voters, {**some, "low": releases[0]}, generator=releases[1:-1] * 2, **VOTERS)
    assert "Release low is lower than most" in front_of(least)
    assert "the least of 3 has" in front_of(least)
    assert "Among its sisters" in least.to_html()


# --- what is wrong


@pytest.mark.parametrize(
    ("generator", "error", "message"),
    [
        (laws.Given(4, p=[[0.25, 0.25], [0.25, 0.25]]), ValueError, "`generator` draws 4 records, and the release has 3. Leave out `m`"),
        (laws.Given(p=[[[0.25, 0.25]] * 2] * 2), ValueError, "`generator` must be one generator; it has the dims"),
        (laws.Given, TypeError, "`model` must be a model, laws.Given"),
        (lambda _: 0.5, TypeError, "`generator` must return a model of capstats.laws, such as laws.Given; it returned 0.5"),
        (0.5, TypeError, "`generator` must be a model, a function that gives one, or 2 further releases or more; got 0.5"),
        ([RELEASE], ValueError, "`generator` must be a model, a function that gives one, or 2 further releases or more; got 1"),
    ],
)
def test_what_is_no_generator_of_the_release_is_refused(generator, error, message):
    with pytest.raises(error, match=message):
        audit(ORIGINAL, RELEASE, generator=generator, **ASKED)


def test_weights_and_counts_are_refused_where_they_cannot_be_compared():
    weighted = {**RELEASE, "w": [0.5] * 3}
    with pytest.raises(ValueError, match="draws records without weights, and the release is weighted"):
        audit(ORIGINAL, weighted, generator=drawn, weights=(None, "w"), **ASKED)
    tables = from_counts([[1, 2]], [[1, 1]], key_labels={"k": ["a", "b"]}, target_labels={"t": ["x"]})
    with pytest.raises(TypeError, match="Because `original` holds counts, `generator` must be a model"):
        audit(tables, generator=[RELEASE, RELEASE], allow_same=True)
