"""Six lessons that run in a browser: each is one HTML file that loads nothing, to be used on a projector or a phone.

``capstats lesson`` lists them with their titles, ``capstats lesson NAME`` writes and opens one; `page` gives the file as text.
`check_answer` checks an answer to an exercise of the notebooks.
"""

from capstats.codes.names import open_room
from capstats.lessons.answers import check_answer as check_answer
from capstats.lessons.pages import page as page

open_room(__name__)
