"""Three published contingency tables in long form: one row for each cell, with its count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

FACTS: Final = "Published counts, used as facts; no copyright is claimed in them."

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

    711 of them survived. Survival depends strongly on class and sex.

    Returns
    -------
    pd.DataFrame
        32 rows, one for each cell, empty cells included, the first column changing
        fastest: categorical columns ``Class`` (1st, 2nd, 3rd, Crew), ``Sex`` (Male, Female),
        ``Age`` (Child, Adult), ``Survived`` (No, Yes), and ``count`` (int64), the
        number of people, 2201 in all.

    Notes
    -----
    Source: Dawson [1]_, from the report of the British Board of Trade [2]_. Levels and rows have the order of ``Titanic`` in R's datasets.

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
        24 rows, one for each cell, the first column changing fastest: categorical columns
        ``Admit`` (Admitted, Rejected), ``Gender`` (Male, Female), ``Dept`` (A to F),
        and ``count`` (int64), the number of applicants, 4526 in all.

    Notes
    -----
    Source: Bickel, Hammel and O'Connell [1]_. Levels and rows have the order of
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
        32 rows, one for each cell, the first column changing fastest: categorical columns
        ``Hair`` (Black, Brown, Red, Blond), ``Eye`` (Brown, Blue, Hazel, Green),
        ``Sex`` (Male, Female), and ``count`` (int64), the number of students, 592 in
        all.

    Notes
    -----
    Hair by eye colour is from a survey at the University of Delaware. The split by sex
    was added later, for teaching; it is not part of the published survey.

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


def _long_form(counts: NDArray[np.int64], levels: Mapping[str, Sequence[str]], *, source: str) -> pd.DataFrame:
    """One row for each cell of `counts`, whose axes are the variables of `levels`."""
    codes = np.unravel_index(np.arange(counts.size), counts.shape, order="F")
    frame = pd.DataFrame({name: categorical(code, labels) for code, (name, labels) in zip(codes, levels.items(), strict=True)})
    frame["count"] = counts.ravel(order="F").astype(np.int64)
    frame.attrs = {"source": source, "licence": FACTS}
    return frame


def categorical(codes: NDArray[np.intp], labels: Sequence[str], *, ordered: bool = False) -> pd.Categorical:
    """Categories as plain str objects, with every version of pandas."""
    categories = pd.Index(list(labels), dtype=object)
    return pd.Categorical.from_codes(codes, categories=categories, ordered=ordered)
