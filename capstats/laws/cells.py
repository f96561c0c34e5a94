"""Until the laws take models: the old names of `capstats.laws.models`."""

from typing import Any

from capstats.laws import models
from capstats.laws.models import Synthesis

BY_CELL = ("uniform", "bootstrap", "independent", "dirichlet")


class Cells:
    """The old name."""

    @classmethod
    def of(cls, o: Any, synthesis: Synthesis) -> Any:
        """The urn."""
        return model_of(synthesis).cells(o)


def model_of(synthesis: Synthesis) -> Any:
    """The model of the old form."""
    made = {"permutation": "Permuted"}.get(synthesis.model, synthesis.model.capitalize())
    options = {name: getattr(synthesis, name) for name in ("m", "alpha", "s", "matrix", "theta")} | {"records": synthesis.swapped}
    return getattr(models, made)(**{name: value for name, value in options.items() if value is not None})
