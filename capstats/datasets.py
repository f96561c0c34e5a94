"""Small tables that every reader can check: the paper's, three classics, one survey.

Three kinds, from counts to records:

- `smoking`, `paper_originals`, `paper_synthetics`: the tables printed by Baillargeon
  and Charest [1]_, as labelled counts, ready for any measure. `ERRATA` says where the
  text of that paper and its tables disagree.
- `titanic`, `ucb_admissions`, `hair_eye_color`: published contingency tables in long
  form, one row a cell with its `count`, empty cells included.
- `anes96`: 944 records of a survey, one row a person.

Every call returns a fresh object. Its `attrs` name the ``source`` and the ``licence``.

References
----------
.. [1] M. Baillargeon and A.-S. Charest, "A Closer Look at the CAP Risk Measure for
   Synthetic Datasets".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from capstats.counts.tables import from_counts

__all__ = [
    "ERRATA",
    "anes96",
    "hair_eye_color",
    "paper_originals",
    "paper_synthetics",
    "smoking",
    "titanic",
    "ucb_admissions",
]

# --- The tables of the paper: rows are targets, columns are keys ----------------------

ERRATA: Final[tuple[str, ...]] = (
    (
        "Table 3 (O_1) is missing from the text; section 4 fixes it: 900 records spread"
        " evenly, so 100 in each of the nine cells."
    ),
    (
        "Table 4 (O_2) as printed sums to 1000 (400 + 250 + 350), where section 4 says"
        " 900; the printed table is kept."
    ),
    (
        'Section 4 says that S_a and S_e are given in "Tables 5 and 6"; they are'
        " Tables 9 and 10."
    ),
    (
        "The proof of Theorem 2 has o_min^alpha / n > 0, which must be >= 0: a key with"
        " an empty cell can be emptied without lowering the average CAP."
    ),
)
"""Where the text of Baillargeon and Charest needs correction, one sentence each.

Printed counts are kept as they are, so a measure of O_2 divides by 1000, not by 900.
"""

_PAPER: Final = (
    "M. Baillargeon and A.-S. Charest,"
    ' "A Closer Look at the CAP Risk Measure for Synthetic Datasets"'
)
_FACTS: Final = "Published counts, used as facts; no copyright is claimed in them."

_SMOKING_ORIGINAL: Final = [[20, 5], [30, 45]]  # Table 1
_SMOKING_SYNTHETIC: Final = [[8, 7], [25, 60]]  # Table 2

_ORIGINALS: Final = {
    "O_1": [[100, 100, 100], [100, 100, 100], [100, 100, 100]],  # Table 3, from prose
    "O_2": [[400, 0, 0], [0, 250, 0], [0, 0, 350]],  # Table 4
    "O_3": [[0, 176, 204], [0, 78, 93], [127, 163, 59]],  # Table 5
    "O_4": [[0, 0, 62], [197, 136, 134], [74, 99, 198]],  # Table 6
}

_SYNTHETICS: Final = {
    "a": [[114, 118, 77], [104, 44, 134], [105, 86, 118]],  # Table 9
    "b": [[24, 36, 15], [226, 113, 213], [216, 54, 3]],  # Table 7
    "e": [[67, 97, 153], [37, 114, 101], [169, 14, 148]],  # Table 10
    "g": [[129, 137, 99], [2, 131, 147], [91, 111, 53]],  # Table 8
}


def smoking() -> xr.Dataset:
    """Tables 1 and 2 of the paper: health by smoking, original and synthetic.

    One hundred people each. An intruder knows whether somebody smokes and wants to
    learn whether they are sick.

    Returns
    -------
    xr.Dataset
        `o` (Table 1) and `s` (Table 2), dims ``("target", "key")``, shape 2 x 2: target
        column ``health`` (Sick, Healthy), key column ``smoking`` (Smoking,
        Non-smoking). Counts of records, 100 in each table.

    See Also
    --------
    paper_originals, paper_synthetics : The 3 x 3 tables of the paper's section 4.

    Notes
    -----
    Source: Baillargeon and Charest [1]_, Tables 1 and 2.

    Licence: published counts, used as facts; no copyright is claimed in them.

    References
    ----------
    .. [1] M. Baillargeon and A.-S. Charest, "A Closer Look at the CAP Risk Measure for
       Synthetic Datasets", section 2.3.

    Examples
    --------
    A sick smoker is one of 20 among 50 smokers in the original, one of 8 among 33 in
    the synthetic table:

    >>> tables = smoking()
    >>> tables.o.values.tolist()
    [[20, 5], [30, 45]]
    >>> tables.s.values.tolist()
    [[8, 7], [25, 60]]
    >>> smokers = tables.sel(smoking="Smoking")
    >>> round(float(smokers.o.sel(target="Sick").item() / smokers.o.sum()), 4)
    0.4
    >>> round(float(smokers.s.sel(target="Sick").item() / smokers.s.sum()), 4)
    0.2424
    """
    tables = from_counts(
        _SMOKING_ORIGINAL,
        _SMOKING_SYNTHETIC,
        key_labels={"smoking": ["Smoking", "Non-smoking"]},
        target_labels={"health": ["Sick", "Healthy"]},
    )
    return tables.assign_attrs(source=f"{_PAPER}, Tables 1 and 2", licence=_FACTS)


def paper_originals() -> xr.DataArray:
    """The paper's four original tables O_1 to O_4, from no to full information.

    In O_1 the key says nothing about the target, in O_2 it says everything; O_3 and O_4
    lie between.

    Returns
    -------
    xr.DataArray
        `o`, dims ``("original", "target", "key")``, shape 4 x 3 x 3: labels ``O_1`` to
        ``O_4``, target column ``T`` (T_1 to T_3), key column ``K`` (K_1 to K_3). Counts
        of records: 900 in each table, but 1000 in O_2.

    See Also
    --------
    paper_synthetics : The synthetic tables that the paper compares with them.
    ERRATA : Why O_1 is read off the prose, and why O_2 has 1000 records.

    Notes
    -----
    Source: Baillargeon and Charest [1]_, Tables 4 to 6; O_1 (Table 3, missing from the
    text) from the prose of section 4.

    Licence: published counts, used as facts; no copyright is claimed in them.

    References
    ----------
    .. [1] M. Baillargeon and A.-S. Charest, "A Closer Look at the CAP Risk Measure for
       Synthetic Datasets", section 4.

    Examples
    --------
    >>> o = paper_originals()
    >>> o.sel(original="O_3").values.tolist()
    [[0, 176, 204], [0, 78, 93], [127, 163, 59]]
    >>> o.sum(["target", "key"]).values.tolist()
    [900, 1000, 900, 900]

    In O_3 everyone with key K_1 has target T_3:

    >>> o.sel(original="O_3", K="K_1").values.tolist()
    [0, 0, 127]
    """
    return (
        _labelled(_ORIGINALS)
        .rename(synthetic="original")
        .rename("o")
        .assign_attrs(
            source=f"{_PAPER}, Tables 4 to 6; O_1 from the prose of section 4",
            licence=_FACTS,
        )
    )


def paper_synthetics() -> xr.DataArray:
    """The paper's four synthetic tables S_a, S_b, S_e and S_g, drawn at random.

    They are four of the twenty tables of 900 records that the paper draws, the ones
    that it prints.

    Returns
    -------
    xr.DataArray
        `s`, dims ``("synthetic", "target", "key")``, shape 4 x 3 x 3: labels ``a``,
        ``b``, ``e``, ``g``, target column ``T`` (T_1 to T_3), key column ``K`` (K_1 to
        K_3). Counts of records, 900 in each table.

    See Also
    --------
    paper_originals : The original tables, with the same targets and keys.

    Notes
    -----
    Source: Baillargeon and Charest [1]_, Tables 9 (a), 7 (b), 10 (e) and 8 (g).

    Licence: published counts, used as facts; no copyright is claimed in them.

    References
    ----------
    .. [1] M. Baillargeon and A.-S. Charest, "A Closer Look at the CAP Risk Measure for
       Synthetic Datasets", section 4.

    Examples
    --------
    >>> s = paper_synthetics()
    >>> s.sel(synthetic="a").values.tolist()
    [[114, 118, 77], [104, 44, 134], [105, 86, 118]]

    Who guesses the most common target of each key of S_a (T_1, T_1, T_2) is right about
    134 of the 900 records of O_4, as the paper says:

    >>> o_4, s_a = paper_originals().sel(original="O_4"), s.sel(synthetic="a")
    >>> int(o_4.where(s_a == s_a.max("target"), 0).sum())
    134
    """
    return (
        _labelled(_SYNTHETICS)
        .rename("s")
        .assign_attrs(source=f"{_PAPER}, Tables 7 to 10", licence=_FACTS)
    )


def _labelled(tables: Mapping[str, list[list[int]]]) -> xr.DataArray:
    """Stack 3 x 3 tables along `synthetic`, under the labels of the paper."""
    counts = {label: np.asarray(table) for label, table in tables.items()}
    any_table = next(iter(counts.values()))  # `o`, which is of no use here
    stacked: xr.DataArray = from_counts(
        any_table,
        counts,
        key_labels={"K": ["K_1", "K_2", "K_3"]},
        target_labels={"T": ["T_1", "T_2", "T_3"]},
    )["s"]
    return stacked


# --- Published contingency tables, in long form ---------------------------------------

# A row for each class (1st, 2nd, 3rd, Crew); pairs (No, Yes) for male children, male
# adults, female children, female adults.
_TITANIC: Final = [
    [0, 5, 118, 57, 0, 1, 4, 140],
    [0, 11, 154, 14, 0, 13, 13, 80],
    [35, 13, 387, 75, 17, 14, 89, 76],
    [0, 0, 670, 192, 0, 0, 3, 20],
]

# A row for each department (A to F); pairs (Admitted, Rejected) for men, women.
_UCB: Final = [
    [512, 313, 89, 19],
    [353, 207, 17, 8],
    [120, 205, 202, 391],
    [138, 279, 131, 244],
    [53, 138, 94, 299],
    [22, 351, 24, 317],
]

# A row for each hair colour (Black, Brown, Red, Blond); a column for each eye colour
# (Brown, Blue, Hazel, Green); men, then women.
_HAIR_EYE: Final = [
    [[32, 11, 10, 3], [53, 50, 25, 15], [10, 10, 7, 7], [3, 30, 5, 8]],
    [[36, 9, 5, 2], [66, 34, 29, 14], [16, 7, 7, 7], [4, 64, 5, 8]],
]


def titanic() -> pd.DataFrame:
    """The 2201 people aboard the Titanic, by class, sex, age and survival.

    711 of them survived. Class and sex tell much about who did.

    Returns
    -------
    pd.DataFrame
        32 rows, one a cell, empty cells included, the first column changing fastest:
        categorical columns ``Class`` (1st, 2nd, 3rd, Crew), ``Sex`` (Male, Female),
        ``Age`` (Child, Adult), ``Survived`` (No, Yes), and ``count`` (int64), the
        number of people, 2201 in all.

    Notes
    -----
    Source: Dawson [1]_, from the report of the British Board of Trade [2]_. Levels and
    rows stand in the order of ``Titanic`` in R's datasets.

    Licence: published counts, used as facts; no copyright is claimed in them.

    References
    ----------
    .. [1] R. J. M. Dawson, "The 'Unusual Episode' Data Revisited", Journal of
       Statistics Education 3(3), 1995, doi:10.1080/10691898.1995.11910499.
    .. [2] British Board of Trade, "Report on the Loss of the 'Titanic' (S.S.)", Inquiry
       Report (reprint), Allan Sutton Publishing, Gloucester, 1990.

    Examples
    --------
    >>> people = titanic()
    >>> people.groupby("Survived", observed=True)["count"].sum().to_dict()
    {'No': 1490, 'Yes': 711}
    >>> people.groupby("Class", observed=True)["count"].sum().to_dict()
    {'1st': 325, '2nd': 285, '3rd': 706, 'Crew': 885}
    """
    return _long_form(
        np.reshape(_TITANIC, (4, 2, 2, 2)),
        {
            "Class": ["1st", "2nd", "3rd", "Crew"],
            "Sex": ["Male", "Female"],
            "Age": ["Child", "Adult"],
            "Survived": ["No", "Yes"],
        },
        source=(
            "R. J. M. Dawson, \"The 'Unusual Episode' Data Revisited\", Journal of"
            " Statistics Education 3(3), 1995, from the British Board of Trade's report"
            " (reprinted 1990)"
        ),
    )


def ucb_admissions() -> pd.DataFrame:
    """Applicants to graduate school at Berkeley in 1973, by admission, gender and dept.

    4526 people applied to the six largest departments. Men were admitted more often
    overall, but hardly so within departments: Simpson's paradox.

    Returns
    -------
    pd.DataFrame
        24 rows, one a cell, the first column changing fastest: categorical columns
        ``Admit`` (Admitted, Rejected), ``Gender`` (Male, Female), ``Dept`` (A to F),
        and ``count`` (int64), the number of applicants, 4526 in all.

    Notes
    -----
    Source: Bickel, Hammel and O'Connell [1]_. Levels and rows stand in the order of
    ``UCBAdmissions`` in R's datasets.

    Licence: published counts, used as facts; no copyright is claimed in them.

    References
    ----------
    .. [1] P. J. Bickel, E. A. Hammel and J. W. O'Connell, "Sex Bias in Graduate
       Admissions: Data from Berkeley", Science 187(4175), 1975, 398-404,
       doi:10.1126/science.187.4175.398.

    Examples
    --------
    >>> applicants = ucb_admissions()
    >>> admitted = applicants[applicants["Admit"] == "Admitted"]
    >>> admitted.groupby("Gender", observed=True)["count"].sum().to_dict()
    {'Male': 1198, 'Female': 557}
    >>> applicants.groupby("Gender", observed=True)["count"].sum().to_dict()
    {'Male': 2691, 'Female': 1835}
    """
    dept_gender_admit = np.reshape(_UCB, (6, 2, 2))
    return _long_form(
        dept_gender_admit.transpose(2, 1, 0),
        {
            "Admit": ["Admitted", "Rejected"],
            "Gender": ["Male", "Female"],
            "Dept": ["A", "B", "C", "D", "E", "F"],
        },
        source=(
            "P. J. Bickel, E. A. Hammel and J. W. O'Connell,"
            ' "Sex Bias in Graduate Admissions: Data from Berkeley",'
            " Science 187(4175), 1975, 398-404"
        ),
    )


def hair_eye_color() -> pd.DataFrame:
    """Hair and eye colour of 592 students of statistics, by sex.

    Returns
    -------
    pd.DataFrame
        32 rows, one a cell, the first column changing fastest: categorical columns
        ``Hair`` (Black, Brown, Red, Blond), ``Eye`` (Brown, Blue, Hazel, Green),
        ``Sex`` (Male, Female), and ``count`` (int64), the number of students, 592 in
        all.

    Notes
    -----
    Hair by eye is a survey at the University of Delaware; the split by sex was added
    later, for teaching, and is not part of the survey as published.

    Source: Snee [1]_; the split by sex: Friendly [2]_. Levels, rows and the split of
    the brown-haired, brown-eyed students (53 and 66) are those of ``HairEyeColor`` in
    R's datasets.

    Licence: published counts, used as facts; no copyright is claimed in them.

    References
    ----------
    .. [1] R. D. Snee, "Graphical Display of Two-Way Contingency Tables", The American
       Statistician 28(1), 1974, 9-12, doi:10.1080/00031305.1974.10479053.
    .. [2] M. Friendly, "Graphical Methods for Categorical Data", SAS User Group
       International Conference Proceedings 17, 1992, 190-200.

    Examples
    --------
    >>> students = hair_eye_color()
    >>> students.groupby("Hair", observed=True)["count"].sum().to_dict()
    {'Black': 108, 'Brown': 286, 'Red': 71, 'Blond': 127}
    >>> students.head(4)["count"].tolist()  # black, brown, red, blond; brown eyes; men
    [32, 53, 10, 3]
    """
    return _long_form(
        np.moveaxis(np.asarray(_HAIR_EYE), 0, -1),
        {
            "Hair": ["Black", "Brown", "Red", "Blond"],
            "Eye": ["Brown", "Blue", "Hazel", "Green"],
            "Sex": ["Male", "Female"],
        },
        source=(
            'R. D. Snee, "Graphical Display of Two-Way Contingency Tables",'
            " The American Statistician 28(1), 1974, 9-12; split by sex: M. Friendly,"
            ' "Graphical Methods for Categorical Data", SUGI 17, 1992'
        ),
    )


def _long_form(
    counts: NDArray[np.int64], levels: Mapping[str, Sequence[str]], *, source: str
) -> pd.DataFrame:
    """One row a cell of `counts`, whose axes are the variables of `levels`."""
    codes = np.unravel_index(np.arange(counts.size), counts.shape, order="F")
    frame = pd.DataFrame(
        {
            name: _categorical(code, labels)
            for code, (name, labels) in zip(codes, levels.items(), strict=True)
        }
    )
    frame["count"] = counts.ravel(order="F").astype(np.int64)
    frame.attrs = {"source": source, "licence": _FACTS}
    return frame


def _categorical(
    codes: NDArray[np.intp], labels: Sequence[str], *, ordered: bool = False
) -> pd.Categorical:
    """Categories as plain str objects, under every version of pandas."""
    categories = pd.Index(list(labels), dtype=object)
    return pd.Categorical.from_codes(codes, categories=categories, ordered=ordered)


# --- A survey, record by record -------------------------------------------------------

_LEFT_RIGHT: Final = (
    "Extremely liberal",
    "Liberal",
    "Slightly liberal",
    "Moderate",
    "Slightly conservative",
    "Conservative",
    "Extremely conservative",
)

_PARTY: Final = (
    "Strong Democrat",
    "Weak Democrat",
    "Independent-Democrat",
    "Independent-Independent",
    "Independent-Republican",
    "Weak Republican",
    "Strong Republican",
)

_EDUCATION: Final = (
    "1-8 grades",
    "Some high school",
    "High school graduate",
    "Some college",
    "Community college degree",
    "Bachelor's degree",
    "Advanced degree",
)

_INCOME: Final = (
    "None or less than $2,999",
    "$3,000-$4,999",
    "$5,000-$6,999",
    "$7,000-$8,999",
    "$9,000-$9,999",
    "$10,000-$10,999",
    "$11,000-$11,999",
    "$12,000-$12,999",
    "$13,000-$13,999",
    "$14,000-$14,999",
    "$15,000-$16,999",
    "$17,000-$19,999",
    "$20,000-$21,999",
    "$22,000-$24,999",
    "$25,000-$29,999",
    "$30,000-$34,999",
    "$35,000-$39,999",
    "$40,000-$44,999",
    "$45,000-$49,999",
    "$50,000-$59,999",
    "$60,000-$74,999",
    "$75,000-$89,999",
    "$90,000-$104,999",
    "$105,000 and over",
)

# Column -> (code of the first label in the file, labels, whether they are ordered).
_ANES_LABELS: Final[Mapping[str, tuple[int, Sequence[str], bool]]] = {
    "selfLR": (1, _LEFT_RIGHT, True),
    "ClinLR": (1, _LEFT_RIGHT, True),
    "DoleLR": (1, _LEFT_RIGHT, True),
    "PID": (0, _PARTY, True),
    "educ": (1, _EDUCATION, True),
    "income": (1, _INCOME, True),
    "vote": (0, ("Clinton", "Dole"), False),
}


def anes96() -> pd.DataFrame:
    """944 voters of the American National Election Study of 1996, one row a person.

    Those who expected to vote for Clinton or for Dole and answered all the questions
    below. An intruder who knows somebody's age, schooling and income may want to learn
    their vote.

    Returns
    -------
    pd.DataFrame
        944 rows and 10 columns, in the order of the source, without missing values:

        ``popul`` : int64
            Population of the place where the respondent lives, in thousands, 0 to 7300.
        ``TVnews`` : int64
            Days of the past week on which they watched the news on TV, 0 to 7.
        ``selfLR``, ``ClinLR``, ``DoleLR`` : ordered category
            Where they place themselves, Bill Clinton and Bob Dole, in seven steps from
            "Extremely liberal" to "Extremely conservative".
        ``PID`` : ordered category
            Party identification, in seven steps from "Strong Democrat" to "Strong
            Republican".
        ``age`` : int64
            Age in years, 19 to 91.
        ``educ`` : ordered category
            Schooling, in seven steps from "1-8 grades" to "Advanced degree".
        ``income`` : ordered category
            Income of the household, in 24 classes from "None or less than $2,999" to
            "$105,000 and over".
        ``vote`` : category
            Expected vote, "Clinton" or "Dole".

    Notes
    -----
    The file holds the codes of the source; labels are put on as it is read. Three
    labels differ from those of statsmodels, which calls the levels 5, 6 and 7 of
    ``educ`` college degree, Master's degree and PhD. In the coding of the Election
    Studies they are community college, bachelor's and advanced degrees (13 % of the
    respondents are at level 7, far too many for a PhD). Two misprints in its labels of
    ``income`` are corrected.

    Source: American National Election Studies, 1996 study, https://electionstudies.org,
    the subset ``anes96`` in statsmodels [1]_.

    Licence: public domain, as statsmodels states for this data set.

    References
    ----------
    .. [1] S. Seabold and J. Perktold, "statsmodels: Econometric and statistical
       modeling with python", 9th Python in Science Conference, 2010;
       ``statsmodels.datasets.anes96``.

    Examples
    --------
    >>> voters = anes96()
    >>> voters.shape
    (944, 10)
    >>> voters["vote"].value_counts().to_dict()
    {'Clinton': 551, 'Dole': 393}
    >>> voters.loc[0, ["PID", "educ", "vote"]].tolist()
    ['Strong Republican', 'High school graduate', 'Dole']
    """
    with (files("capstats") / "data" / "anes96.csv").open(encoding="utf-8") as lines:
        frame = pd.read_csv(lines, dtype=np.int64)
    for name, (first, labels, ordered) in _ANES_LABELS.items():
        codes = frame[name].to_numpy() - first
        frame[name] = _categorical(codes, labels, ordered=ordered)
    frame.attrs = {
        "source": (
            "American National Election Studies, 1996 study,"
            " https://electionstudies.org, the subset anes96 in statsmodels"
        ),
        "licence": "Public domain, as statsmodels states for this data set.",
    }
    return frame
