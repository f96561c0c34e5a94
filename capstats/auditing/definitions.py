"""What the numbers of a report mean, in two lines each, with the page of the documentation that proves it and the source."""

from __future__ import annotations

from collections.abc import Collection

from capstats.auditing.report import Terms

THEORY = "theory/"  # folder of the documentation that comes with the source code of capstats
RAAB = ("Raab, Nowok and Dibben (2024)", "https://doi.org/10.48550/arXiv.2406.16826")
TAUB = ("Taub, Elliot, Pampaka and Smith (2018)", "https://doi.org/10.1007/978-3-319-99771-1_9")
GIOMI = ("Giomi, Boenisch, Wehmeyer and Tasnadi (2023)", "https://doi.org/10.56553/popets-2023-0055")
SHAPLEY = ("Shapley (1953)", "https://doi.org/10.1515/9781400881970-018")
BAILLARGEON = ("Baillargeon and Charest, A Closer Look at the CAP Risk Measure for Synthetic Datasets", None)

# the measures that a term explains -> the term, what it means, the page, and the source
DEFINITIONS = (
    (
        ("average_cap",),
        "CAP of one person",
        "Correct Attribution Probability: the share of the synthetic records with the person's keys that have the person's target; 0 if "
        "there is no such record. It is the probability that a record picked at random among them gives the right answer.",
        "average-cap",
        BAILLARGEON,
    ),
    (
        ("average_cap",),
        "average CAP",
        "The mean of the CAP of all people in the original. Version 1 counts people whose keys no synthetic record has as 0; version 2 "
        "leaves them out.",
        "average-cap",
        None,
    ),
    (
        ("baseline",),
        "baseline",
        "The share of right guesses of somebody who knows how frequent each target is in the original, but knows no key: the sum of the "
        "squared shares of the targets.",
        "baselines",
        TAUB,
    ),
    (
        ("original_cap",),
        "original itself",
        "Average CAP if the original were released in place of the synthetic data. It is no upper bound: a synthetic table can have more.",
        "comparison",
        None,
    ),
    (
        ("holdout_cap",),
        "holdout",
        "Average CAP of people who were not used for synthesis. If they and the original are random parts of one population, what is above "
        "it comes from the records themselves; the rest follows from the population and needs nobody's record.",
        "uncertainty",
        GIOMI,
    ),
    (
        ("membership_p_value",),
        "p-value, labels permuted",
        "The share of all ways to deal the labels original and holdout to the records in which average CAP would exceed that of the "
        "holdout by as much. A small one says that the release knows who was used.",
        "membership-test",
        None,
    ),
    (
        ("permutation_p_value",),
        "p-value, targets permuted",
        "The share of all ways to deal the synthetic targets to the synthetic keys in which average CAP would be as large. A test of "
        "utility: every useful release has a small one.",
        "permutation-test",
        None,
    ),
    (
        ("average_cap_error", "individual_disclosure_error", "difference_error"),
        "standard error",
        "How far the number would typically be off if other people of the same population were in the original. Differences of two "
        "releases are taken person by person.",
        "uncertainty",
        None,
    ),
    (
        ("matched_share",),
        "matched",
        "The share of people whose keys at least one synthetic record has. For the others the attack finds nothing.",
        "average-cap",
        None,
    ),
    (
        ("individual_cap_median", "distribution"),
        "distribution",
        "How many people have at most a given CAP. A low average can hide a few people for whom the guess is nearly always right.",
        "distribution",
        None,
    ),
    (
        ("share_certain",),
        "certain and right (DiSCO)",
        "The share of people for whom all synthetic records with their keys have one and the same target, and it is theirs.",
        "attribute-disclosure",
        RAAB,
    ),
    (
        ("share_certain_wrong",),
        "certain and wrong",
        "The share of people for whom all synthetic records with their keys have one and the same target, and it is not theirs.",
        "attribute-disclosure",
        RAAB,
    ),
    (
        ("original_certain",),
        "certain in the original (DiO)",
        "The share of people with whose keys there is one target only in the original: those whom the original itself would give away.",
        "attribute-disclosure",
        RAAB,
    ),
    (
        ("share_unique", "share_replicated"),
        "unique, replicated",
        "Unique: nobody else in the original has the same keys. Replicated: unique, and exactly one synthetic record has these keys.",
        "uniques",
        RAAB,
    ),
    (
        ("alone", "without"),
        "columns",
        "Alone: average CAP if this column is the only key. Without: average CAP if it is the only key that is not known. What average CAP "
        "loses without the column is its own part.",
        "sweep",
        None,
    ),
    (
        ("shapley",),
        "Shapley value",
        "The mean of what a column adds to average CAP, over all orders in which the columns can become known; the values add up to what "
        "all columns together add.",
        "sweep",
        SHAPLEY,
    ),
    (
        ("average_cap_least",),
        "attainable",
        "Least and greatest average CAP that any synthetic table can have, however large, with the targets and keys that the original or "
        "the synthetic table has.",
        "theorem-2",
        None,
    ),
    (
        ("predictive_success",),
        "commonest target",
        "The share of right guesses of somebody who always names the commonest target among the synthetic records with the same keys; ties "
        "are shared.",
        "predictive-success",
        None,
    ),
    (
        ("target_distance",),
        "target distance",
        "A measure of use: how far the shares of the targets at each key are from those in the original, on average over people; 0 is "
        "equal, 1 is apart.",
        "target-distance",
        None,
    ),
)


# what a term means where a table has sampling weights: the table, the term, the meaning
OF_WEIGHTED = (
    (
        "synthetic",
        "CAP of one person",
        "Correct Attribution Probability: of the weight of the synthetic records with the person's keys, the share that the records with "
        "the person's target have; 0 if there is no such record. The attacker picks one of them in proportion to its weight.",
    ),
    (
        "synthetic",
        "commonest target",
        "The share of right guesses of somebody who always names the target with the greatest weight among the synthetic records with the "
        "same keys; ties are shared.",
    ),
    (
        "original",
        "average CAP",
        "The weighted mean of the CAP of all records in the original. Version 1 counts records whose keys no synthetic record has as 0; "
        "version 2 leaves them out.",
    ),
    (
        "original",
        "baseline",
        "The weighted share of right guesses of somebody who knows the weighted share of each target in the original, but knows no key: "
        "the sum of their squares.",
    ),
)


def definitions(names: Collection[str], weighted: Collection[str] = ()) -> Terms:
    """The terms that explain any of the measures named; ``weighted`` are the tables whose records have sampling weights."""
    rows = []
    of_weighted = {term: meaning for table, term, meaning in OF_WEIGHTED if table in weighted}
    for measures, term, usual, page, source in DEFINITIONS:
        if any(name in names for name in measures):
            meaning = of_weighted.get(term, usual)
            read = (f"{THEORY}{page}.md", None)
            rows.append((term, meaning, [read] if source is None else [read, source]))
    return Terms(rows)
