"""Keys and targets may be named in many ways, and what cannot be names is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from few_records import RECORDS

from capstats import tabulate
from capstats.disclosure import record_risk

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_one_key_may_be_named_alone() -> None:
    tables = tabulate(RECORDS, keys="sex", target="income")
    assert tables.identical(tabulate(RECORDS, keys=["sex"], target=["income"]))
    assert tables.indexes["key"].names == ["sex"]
    assert isinstance(tables.indexes["key"], pd.MultiIndex)
    assert tables.o.sel(sex="f", target="low").item() == 2
    assert set(tables.data_vars) == {"o"}


@pytest.mark.parametrize(
    "keys", [["sex", "age"], ("sex", "age"), np.array(["sex", "age"]), pd.Index(["sex", "age"])], ids=lambda x: type(x).__name__
)
def test_keys_may_be_any_sequence_of_names(keys: Any) -> None:
    tables = tabulate(RECORDS, keys=keys, target="income")
    assert tables.attrs["key_columns"] == ["sex", "age"]
    assert tables.indexes["key"].tolist() == [("f", 2), ("f", 10), ("m", 2)]


def test_an_option_that_does_not_exist_is_told_with_the_nearest_one() -> None:
    unknown: Any = {"binz": {"age": 2}}
    with pytest.raises(TypeError, match=r"record_risk\(\) has no argument `binz`\. Did you mean 'bins'"):
        record_risk(RECORDS, RECORDS, keys="sex", target="income", **unknown)
