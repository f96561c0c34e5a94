"""The models by which a random release may come from an original: a class each, beside its formulas."""

from capstats.laws.models.cell_urns import Bootstrap, CellUrn, Dirichlet, Independent, Uniform
from capstats.laws.models.given import Given
from capstats.laws.models.kept_keys import KeptKeys
from capstats.laws.models.model import Model, check_records, checked_model
from capstats.laws.models.partial import Partial
from capstats.laws.models.permuted import Permuted
from capstats.laws.models.pram import Pram
from capstats.laws.models.swap import Swap

__all__ = [
    "Bootstrap",
    "CellUrn",
    "Dirichlet",
    "Given",
    "Independent",
    "KeptKeys",
    "Model",
    "Partial",
    "Permuted",
    "Pram",
    "Swap",
    "Uniform",
    "check_records",
    "checked_model",
]
