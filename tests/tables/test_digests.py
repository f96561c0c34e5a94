"""The digest of a table is of its records alone: of their labels and counts, in whatever order."""

from __future__ import annotations

import pandas as pd
import pytest

from capstats import from_counts, merge_counts, tabulate
from capstats.tables.digests import digest_of, digests_of

RECORDS = pd.DataFrame({"a": list("xyyzx"), "b": [1, 2, 2, 1, 2], "t": list("uvvuv"), "w": [1.5, 2.5, 0.5, 1.0, 3.0]})


def of(records: pd.DataFrame, **options: object) -> str:
    tables = tabulate(records, keys=options.pop("keys", ["a", "b"]), target="t", **options)  # type: ignore[arg-type]
    return digest_of(tables.o, tables.get("o_records"))


@pytest.mark.parametrize("weights", [None, "w"])
def test_the_order_of_records_and_columns_and_what_holds_them_is_no_difference(weights: str | None) -> None:
    own = of(RECORDS, weights=weights)
    assert own == of(RECORDS[::-1], weights=weights) == of(RECORDS, weights=weights, keys=["b", "a"])
    assert own == of(RECORDS, weights=weights, backing="sparse")


def test_another_count_label_or_name_is_a_difference() -> None:
    others = [RECORDS[:4], RECORDS.replace({"a": {"z": "s"}}), RECORDS.astype({"b": str})]
    digests = {of(RECORDS), *map(of, others), of(RECORDS.rename(columns={"b": "c"}), keys=["a", "c"]), of(RECORDS, weights="w")}
    assert len(digests) == 6


def test_a_sum_has_the_digests_of_its_parts_and_its_own() -> None:
    march, april = (from_counts([[n, 2]]) for n in (1, 4))
    both = merge_counts(march, april)
    assert digests_of(both) == [*digests_of(march), *digests_of(april), digest_of(both.o)]
