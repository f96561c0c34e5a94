"""What a Dataset of tables must hold."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
import xarray as xr
from small_tables import COUNTS

import capstats
from capstats import from_counts, full_domain, merge_counts, observed_domain

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


@pytest.mark.parametrize("call", [merge_counts, observed_domain, full_domain, capstats.to_frame])
@pytest.mark.parametrize("given", [COUNTS, None, xr.Dataset(), pd.DataFrame(COUNTS), from_counts(COUNTS).o], ids=lambda x: type(x).__name__)
def test_what_is_no_dataset_of_tables_raises(call: Any, given: Any) -> None:
    with pytest.raises(TypeError, match=r"`tables` must be the Dataset that tabulate or from_counts returns, with `o`; got"):
        call(given)


@pytest.mark.parametrize("call", [merge_counts, observed_domain, full_domain, capstats.to_frame])
def test_a_dataset_without_labels_raises(call: Any) -> None:
    with pytest.raises(ValueError, match=r"`tables` has no labels along 'target' and 'key'\. Make it with tabulate or from_counts"):
        call(xr.Dataset({"o": (("target", "key"), COUNTS)}))
