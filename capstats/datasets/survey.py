"""One survey with individual records: the American National Election Study of 1996."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

import numpy as np
import pandas as pd

from capstats.datasets.classics import categorical

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
    with (files("capstats") / "data" / "anes96.csv").open(encoding="utf-8") as lines:
        frame = pd.read_csv(lines, dtype=np.int64)
    for name, (first, labels, ordered) in _ANES_LABELS.items():
        codes = frame[name].to_numpy() - first
        frame[name] = categorical(codes, labels, ordered=ordered)
    frame.attrs = {
        "source": ("American National Election Studies, 1996 study, https://electionstudies.org, the subset anes96 in statsmodels"),
        "licence": "Public domain, as statsmodels states for this data set.",
    }
    return frame
