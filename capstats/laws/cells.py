"""Until the laws take models: the old names of `capstats.laws.models`."""

from typing import Any

from capstats.laws.models.named import Synthesis, model_of

BY_CELL = ("uniform", "bootstrap", "independent", "dirichlet")


class Cells:
    """The old name."""

    @classmethod
    def of(cls, o: Any, synthesis: Synthesis) -> Any:
        """The urn."""
        return model_of(synthesis).cells(o)
