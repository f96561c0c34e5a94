"""The data sets that are files of the package: three published contingency tables, and one survey with a row for each person."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

FACTS: Final = "Published counts, used as facts; no copyright is claimed in them."


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
        "titanic",
        "R. J. M. Dawson, \"The 'Unusual Episode' Data Revisited\", Journal of Statistics Education 3(3), 1995, from the British Board of "
        "Trade's report (reprinted 1990)",
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
    return _long_form(
        "ucb_admissions",
        'P. J. Bickel, E. A. Hammel and J. W. O\'Connell, "Sex Bias in Graduate Admissions: Data from Berkeley", Science 187(4175), 1975, '
        "398-404",
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
        "hair_eye_color",
        'R. D. Snee, "Graphical Display of Two-Way Contingency Tables", The American Statistician 28(1), 1974, 9-12; split by sex: '
        'M. Friendly, "Graphical Methods for Categorical Data", SUGI 17, 1992',
    )


def anes96() -> pd.DataFrame:
    """944 voters of the American National Election Study of 1996, one row for each person.

    They expected to vote for Clinton or for Dole and answered all questions below. An
    intruder who knows the age, education and income of a person may want to learn the
    vote.

    Returns
    -------
    pd.DataFrame
        944 rows and 10 columns, in the order of the source, without missing values:

        ``popul`` : int64
            Population of the place where the respondent lives, in thousands, 0 to 7300.
        ``TVnews`` : int64
            Days of the past week on which the respondent watched TV news, 0 to 7.
        ``selfLR``, ``ClinLR``, ``DoleLR`` : ordered category
            Political position of the respondent, Bill Clinton and Bob Dole, in seven steps from
            "Extremely liberal" to "Extremely conservative".
        ``PID`` : ordered category
            Party identification, in seven steps from "Strong Democrat" to "Strong
            Republican".
        ``age`` : int64
            Age in years, 19 to 91.
        ``educ`` : ordered category
            Education, in seven steps from "1-8 grades" to "Advanced degree".
        ``income`` : ordered category
            Income of the household, in 24 classes from "None or less than $2,999" to
            "$105,000 and over".
        ``vote`` : category
            Expected vote, "Clinton" or "Dole".

    Notes
    -----
    The file holds the codes of the source; labels are added when it is read. Three
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
    frame = _read("anes96")
    for name, levels in _read("anes96_labels").groupby("column"):
        codes = frame[name].to_numpy() - levels["code"].iloc[0]
        frame[name] = _categorical(codes, levels["label"], ordered=name != "vote")
    frame.attrs = {
        "source": "American National Election Studies, 1996 study, https://electionstudies.org, the subset anes96 in statsmodels",
        "licence": "Public domain, as statsmodels states for this data set.",
    }
    return frame


def _long_form(name: str, source: str) -> pd.DataFrame:
    """A table with one row for each cell; the levels of each column in the order of their first rows."""
    frame = _read(name)
    for column in frame.columns.drop("count"):
        frame[column] = _categorical(*pd.factorize(frame[column]))
    frame.attrs = {"source": source, "licence": FACTS}
    return frame


def _read(name: str) -> pd.DataFrame:
    with (files("capstats") / "data" / f"{name}.csv").open(encoding="utf-8") as lines:
        return pd.read_csv(lines)


def _categorical(codes: NDArray[np.intp], labels: Iterable[str], *, ordered: bool = False) -> pd.Categorical:
    """Categories as plain str objects, with every version of pandas."""
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(labels), dtype=object), ordered=ordered)
