"""Until the laws take models: the old names of `capstats.laws.models`."""

from typing import Any

from capstats.laws.cells import model_of
from capstats.laws.models import Synthesis


def kept_mean(o: Any, synthesis: Synthesis) -> Any:
    """The mean."""
    return model_of(synthesis).mean(o)


def check_whole(o: Any, synthesis: Synthesis) -> None:
    """The check."""
    model_of(synthesis).check(o)


check_fits = check_whole
