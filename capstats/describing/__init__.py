"""What tables hold, before keys and a target are chosen."""

from typing import TYPE_CHECKING

from capstats.codes.names import loaded_later

if TYPE_CHECKING:
    from capstats.describing.descriptions import Description as Description
    from capstats.describing.descriptions import describe as describe
else:
    __getattr__ = loaded_later(__name__, {"descriptions": "Description describe"})
