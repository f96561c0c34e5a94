"""The one list of the numbers of an audit: what reports call each of them, where they show it, what it means, and what may be public.

To add a row to the reports is to add an entry to `MEASURES`; `compute.measured` gives its number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from capstats.auditing.report import Terms

THEORY = "theory/"  # folder of the documentation that comes with the source code of capstats
RAAB = ("Raab, Nowok and Dibben (2024)", "https://doi.org/10.48550/arXiv.2406.16826")
TAUB = ("Taub, Elliot, Pampaka and Smith (2018)", "https://doi.org/10.1007/978-3-319-99771-1_9")
GIOMI = ("Giomi, Boenisch, Wehmeyer and Tasnadi (2023)", "https://doi.org/10.56553/popets-2023-0055")
SHAPLEY = ("Shapley (1953)", "https://doi.org/10.1515/9781400881970-018")
BAILLARGEON = ("Baillargeon and Charest, A Closer Look at the CAP Risk Measure for Synthetic Datasets", None)

Shown = Literal["answer", "details", "one", "releases", "matched", "surely", "quantiles", "certain", "bounds", "errors"]


QUANTILE: tuple[Shown, ...] = ("details", "one", "quantiles")
BOUND: tuple[Shown, ...] = ("details", "one", "bounds")
CERTAIN: tuple[Shown, ...] = ("details", "certain")
SAMPLED: tuple[Shown, ...] = ("answer", "errors", "releases")


@dataclass(frozen=True)
class Term:
    """A definition: what a term means, in `words`; the page of the documentation that proves it; and the source."""

    meaning: str
    page: str
    source: tuple[str, str | None] | None = None


@dataclass(frozen=True)
class Measure:
    """A number of an audit, as reports show it; its texts are formats of `words`.

    ``row`` is its row in a table of one release (two spaces before it: a part of the row above), ``heading`` its column in a table of
    several, and ``meaning`` what the column holds. ``tables`` show it, in the order of the list: of the text "answer" and "details" of
    several releases and "one" of one release, the others of the internal page. ``terms`` explain it, and those that follow it. ``public``
    is its row or column in the public version: what has none is confidential. ``needs`` is the argument of `audit` without which it is not
    computed.
    """

    row: str = ""
    heading: str = ""
    meaning: str = ""
    tables: tuple[Shown, ...] = ()
    form: Literal["share", "count"] = "share"
    terms: Collection[str] = ()
    public: str = ""
    needs: Literal["", "holdout", "against"] = ""


TERMS: Mapping[str, Term] = {
    "CAP of one person": Term(
        "Correct Attribution Probability: the {by_weight}share of the synthetic records with the person's keys that have the person's "
        "target; 0 if there is no such record. It is the probability that a record picked {picked} among them gives the right answer.",
        "average-cap",
        BAILLARGEON,
    ),
    "average CAP": Term(
        "The {weighted}mean of the CAP of all {people} in the original. Version 1 counts {people} whose keys no synthetic record has as "
        "0; version 2 leaves them out.",
        "average-cap",
    ),
    "baseline": Term(
        "The {weighted}share of right guesses of somebody who knows how frequent each target is in the original, but knows no key: the "
        "sum of the squared {weighted}shares of the targets.",
        "baselines",
        TAUB,
    ),
    "original itself": Term(
        "Average CAP if the original were released in place of the synthetic data. It is no upper bound: a synthetic table can have more.",
        "comparison",
    ),
    "holdout": Term(
        "Average CAP of people who were not used for synthesis. If they and the original are random parts of one population, what is "
        "above it comes from the records themselves; the rest follows from the population and needs nobody's record.",
        "uncertainty",
        GIOMI,
    ),
    "p-value, labels permuted": Term(
        "The share of all ways to assign the labels original and holdout to the records in which average CAP would exceed that of the "
        "holdout by as much. A small one says that the release knows who was used.",
        "membership-test",
    ),
    "p-value, targets permuted": Term(
        "The share of all ways to assign the synthetic targets to the synthetic keys in which average CAP would be as large. A test "
        "of utility: every useful release has a small one.",
        "permutation-test",
    ),
    "standard error": Term(
        "How far the number would typically be off if other people of the same population were in the original. Differences of two "
        "releases are taken person by person.",
        "uncertainty",
    ),
    "matched": Term(
        "The share of people whose keys at least one synthetic record has. For the others the attack finds nothing.",
        "average-cap",
    ),
    "distribution": Term(
        "How many people have at most a given CAP. A low average can hide a few people for whom the guess is nearly always right.",
        "distribution",
    ),
    "certain and right (DiSCO)": Term(
        "The share of people for whom all synthetic records with their keys have one and the same target, and it is theirs.",
        "attribute-disclosure",
        RAAB,
    ),
    "certain and wrong": Term(
        "The share of people for whom all synthetic records with their keys have one and the same target, and it is not theirs.",
        "attribute-disclosure",
        RAAB,
    ),
    "certain in the original (DiO)": Term(
        "The share of people with whose keys there is one target only in the original: those whom the original itself would give away.",
        "attribute-disclosure",
        RAAB,
    ),
    "unique, replicated": Term(
        "Unique: nobody else in the original has the same keys. Replicated: unique, and exactly one synthetic record has these keys.",
        "uniques",
        RAAB,
    ),
    "columns": Term(
        "Alone: average CAP if this column is the only key. Without: average CAP if it is the only key that is not known. What average "
        "CAP loses without the column is its own part.",
        "sweep",
    ),
    "Shapley value": Term(
        "The mean of what a column adds to average CAP, over all orders in which the columns can become known; the values add up to "
        "what all columns together add.",
        "sweep",
        SHAPLEY,
    ),
    "attainable": Term(
        "Least and greatest average CAP that any synthetic table can have, however large, with the targets and keys that the original "
        "or the synthetic table has.",
        "theorem-2",
    ),
    "commonest target": Term(
        "The share of right guesses of somebody who always names the {commonest} target among the synthetic records with the same keys; "
        "ties are shared.",
        "predictive-success",
    ),
    "target distance": Term(
        "A measure of use: how far the shares of the targets at each key are from those in the original, on average over people; 0 is "
        "equal, 1 is apart.",
        "target-distance",
    ),
}

MEASURES: dict[str, Measure] = {
    "original_records": Measure(form="count"),
    "original_weight": Measure(form="count"),
    "synthetic_records": Measure(form="count"),
    "synthetic_weight": Measure(form="count"),
    "keys": Measure(form="count"),
    "matched_share": Measure(
        "share of {people} whose keys are in the synthetic data",
        "matched",
        "share of {people} whose keys are in the synthetic data",
        ("details", "one", "matched", "releases"),
        terms=("matched",),
        public="{share} of {people} whose keys are in the released table",
    ),
    "average_cap": Measure(
        "average CAP, unmatched {people} count 0 (version 1)",
        "average CAP",
        "share of the original {people} for whom the guess is expected to be right",
        ("answer", "one", "bounds", "errors", "releases"),
        terms=("CAP of one person", "average CAP"),
        public="average CAP",
    ),
    "average_cap_error": Measure(
        "  standard error, the original as a sample",
        "error",
        "standard error of average CAP, the original as a sample",
        SAMPLED,
        terms=("standard error",),
    ),
    "difference": Measure(
        "",
        "difference",
        "average CAP minus that of {against}, of the same {people}",
        ("answer", "releases"),
        public="difference to {against}",
        needs="against",
    ),
    "difference_error": Measure("", "its error", "standard error of the difference", ("answer", "releases"), needs="against"),
    "average_cap_least": Measure(
        "  least attainable",
        "least",
        "least attainable average CAP, unmatched {people} counting 0 (version 1)",
        BOUND,
        terms=("attainable",),
    ),
    "average_cap_greatest": Measure("  greatest attainable", "greatest", "greatest attainable", BOUND),
    "average_cap_matched": Measure(
        "average CAP of the matched {people} (version 2)", "version 2", "average CAP of the matched {people}", BOUND
    ),
    "average_cap_matched_least": Measure("  least attainable", "its least", "least attainable of version 2", BOUND),
    "average_cap_matched_greatest": Measure("  greatest attainable", "its greatest", "greatest attainable of version 2", BOUND),
    "original_cap": Measure(terms=("original itself",), public="original itself"),
    "baseline": Measure("", "baseline", terms=("baseline",), public="baseline"),
    "holdout_records": Measure(form="count", needs="holdout"),
    "holdout_weight": Measure(form="count", needs="holdout"),
    "holdout_cap": Measure(
        "average CAP of {people} not used for synthesis (holdout)",
        "holdout",
        "the same share of {people} not used for synthesis",
        SAMPLED,
        terms=("holdout",),
        public="holdout",
        needs="holdout",
    ),
    "individual_disclosure": Measure(
        "  difference",
        "used - not",
        "average CAP minus that of {people} not used for synthesis",
        SAMPLED,
        public="difference to holdout",
        needs="holdout",
    ),
    "individual_disclosure_error": Measure(
        "  standard error of the difference", "error of this", "standard error of this difference", SAMPLED, needs="holdout"
    ),
    "membership_p_value": Measure(
        "  p-value of the difference, the labels used and not used permuted",
        "p of this",
        "p-value of this difference, the labels used and not used permuted",
        SAMPLED,
        terms=("p-value, labels permuted",),
        needs="holdout",
    ),
    "permutation_p_value": Measure(
        "p-value of average CAP, the synthetic targets permuted (a test of utility)",
        "p of link",
        "p-value of average CAP, the synthetic targets permuted: a useful release has a small one",
        ("details", "errors", "releases"),
        terms=("p-value, targets permuted",),
        needs="holdout",
    ),
    "records_above_half": Measure(
        "{people} guessed right with probability > 0.5",
        "> 0.5",
        "{people} for whom the guess is right with probability above 0.5",
        ("answer", "surely"),
        form="count",
    ),
    "share_above_half": Measure(
        "  share", "share > 0.5", "", ("surely",), terms=("distribution",), public="guessed right with probability above 0.5"
    ),
    "records_above_nine_tenths": Measure(
        "{people} guessed right with probability > 0.9", "> 0.9", "the same above 0.9", ("answer", "surely"), form="count"
    ),
    "share_above_nine_tenths": Measure("  share", "share > 0.9", "", ("surely",), public="guessed right with probability above 0.9"),
    "records_certain": Measure(
        "{people} guessed right with certainty",
        "certain",
        "{people} for whom the guess is right with certainty",
        ("answer", "certain"),
        form="count",
    ),
    "share_certain": Measure(
        "  share (DiSCO)",
        "DiSCO",
        "share guessed with certainty, and rightly",
        ("details", "certain", "releases"),
        terms=("certain and right (DiSCO)",),
        public="guessed right with certainty (DiSCO)",
    ),
    "share_certain_wrong": Measure(
        "share for whom the guess is certain and wrong",
        "wrong",
        "share guessed with certainty, and wrongly",
        CERTAIN,
        terms=("certain and wrong",),
    ),
    "original_certain": Measure(
        "share certain in the original itself (DiO)",
        "DiO",
        "share of {people} whose key has one target in the original",
        CERTAIN,
        terms=("certain in the original (DiO)",),
    ),
    "share_unique": Measure(
        "share of {people} unique in the original",
        "unique",
        "share with a key that one original record has",
        CERTAIN,
        terms=("unique, replicated",),
    ),
    "share_replicated": Measure(
        "  and in the synthetic data with exactly one record",
        "replicated",
        "share with a key that one original record has, and one synthetic one",
        CERTAIN,
    ),
    "unmatched_records": Measure(
        "{people} whose keys no synthetic record has",
        "unmatched",
        "{people} whose keys no synthetic record has",
        ("answer", "matched"),
        form="count",
    ),
    "individual_cap_least": Measure("CAP of one person: least", "smallest", "least CAP of one person", QUANTILE),
    "individual_cap_lower_quartile": Measure("  lower quartile", "0.25", "lower quartile of the CAP of one person", QUANTILE),
    "individual_cap_median": Measure("  median", "median", "its median", QUANTILE),
    "individual_cap_upper_quartile": Measure("  upper quartile", "0.75", "its upper quartile", QUANTILE),
    "individual_cap_upper_decile": Measure("  0.9 quantile", "0.9", "its 0.9 quantile", QUANTILE),
    "individual_cap_upper_percentile": Measure("  0.99 quantile", "0.99", "its 0.99 quantile", QUANTILE),
    "individual_cap_greatest": Measure("  greatest", "largest", "greatest CAP of one person", QUANTILE),
    "predictive_success": Measure(
        "share guessed right by the commonest target",
        "commonest",
        "share guessed right by the commonest target",
        QUANTILE,
        terms=("commonest target",),
    ),
    "correct_predictions": Measure("  number of {people}", "", "", ("one",), form="count"),
    "target_distance": Measure(
        "",
        "distance",
        "of the targets given the keys from the original's: 0 if they agree, 1 if they have nothing in common",
        ("answer", "releases"),
        terms=("target distance",),
    ),
}

# of `Audit.by_column`
BY_COLUMN: dict[str, Measure] = {
    "alone": Measure("", "alone", terms=("columns",)),
    "without": Measure("", "all without it"),
    "leave_one_out": Measure("", "its own part", "What each key column adds to average CAP where all others are known:"),
    "shapley": Measure(
        "",
        "Shapley value",
        "What each key column adds to average CAP, on average over all orders in which they become known (Shapley value):",
        terms=("Shapley value",),
    ),
}


def in_table(table: Shown) -> list[str]:
    """The measures that a table shows, in its order."""
    return [name for name, measure in MEASURES.items() if table in measure.tables]


def computed(*, holdout: bool = True, against: bool = True) -> list[str]:
    """The measures that an audit can have with or without a holdout, and a release with which the others are compared."""
    given = {"": True, "holdout": holdout, "against": against}
    return [name for name, measure in MEASURES.items() if given[measure.needs]]


def words(weighted: Collection[str]) -> dict[str, str]:
    """Words that depend on which tables, of "original" and "synthetic", have sampling weights.

    Each record is one person unless it has a weight: the number of people is then unknown.
    """
    original, synthetic = ("original" in weighted), ("synthetic" in weighted)
    return {
        "people": "records" if original else "people",
        "person": "record" if original else "person",
        "weighted": "weighted " if original else "",
        "share": "weighted share" if original else "share",
        "by_weight": "weighted " if synthetic else "",
        "commonest": "commonest (by weight)" if synthetic else "commonest",
        "picked": "with a probability in proportion to its sampling weight" if synthetic else "at random",
    }


def definitions(names: Collection[str], weighted: Collection[str] = ()) -> Terms:
    """The terms that explain the measures named; ``weighted`` are the tables whose records have sampling weights."""
    wanted = {term for name, measure in (MEASURES | BY_COLUMN).items() if name in names for term in measure.terms}
    own = words(weighted)
    return Terms(
        [
            (name, term.meaning.format(**own), [(f"{THEORY}{term.page}.md", None), *([term.source] if term.source else [])])
            for name, term in TERMS.items()
            if name in wanted
        ]
    )
