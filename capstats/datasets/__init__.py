"""Small public data sets for examples: the tables of the paper, three classic tables, one survey.

There are three kinds:

- `smoking`, `paper_originals`, `paper_synthetics`: the tables printed by Baillargeon
  and Charest [1]_, as labelled counts. `ERRATA` lists where the text of that paper and
  its tables disagree.
- `titanic`, `ucb_admissions`, `hair_eye_color`: published contingency tables in long
  form: one row for each cell with its `count`, empty cells included.
- `anes96`: 944 records of a survey, one row for each person.

Every call returns a new object. Its `attrs` name the ``source`` and the ``licence``.

References
----------
.. [1] M. Baillargeon and A.-S. Charest, "A Closer Look at the CAP Risk Measure for
   Synthetic Datasets".
"""

from capstats.codes.names import open_room
from capstats.datasets.bundled import anes96 as anes96
from capstats.datasets.bundled import hair_eye_color as hair_eye_color
from capstats.datasets.bundled import titanic as titanic
from capstats.datasets.bundled import ucb_admissions as ucb_admissions
from capstats.datasets.example import example as example
from capstats.datasets.tables import ERRATA as ERRATA
from capstats.datasets.tables import paper_originals as paper_originals
from capstats.datasets.tables import paper_synthetics as paper_synthetics
from capstats.datasets.tables import smoking as smoking

open_room(__name__)
