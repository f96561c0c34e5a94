"""Six lessons that run in a browser: each is one HTML file that loads nothing, to be used on a projector or a phone.

`LESSONS` lists them with their titles; `page` gives the file as text; ``capstats lesson NAME`` writes and opens it.
`check_answer` checks an answer to an exercise of the notebooks.
"""

from capstats.lessons.answers import check_answer
from capstats.lessons.pages import LESSONS, page

__all__ = ["LESSONS", "check_answer", "page"]
