"""The summary: its numbers are those of the measures, and its sentence says what they are high or low against."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import capstats
from capstats.datasets import anes96

VOTERS = anes96()
KEYS = {"keys": ["educ", "PID"], "target": "vote"}
RELEASES = {"a": VOTERS.sample(frac=1, replace=True, random_state=1), "b": VOTERS.sample(frac=1, replace=True, random_state=2)}


@pytest.mark.parametrize("unmatched", ["nearest", "zero", "drop"])
@pytest.mark.parametrize("weights", [None, "w"])
def test_its_numbers_are_those_of_the_measures(unmatched, weights) -> None:
    people = VOTERS.assign(w=1 + np.arange(len(VOTERS)) % 3)
    t = capstats.tabulate(people, VOTERS[:300], holdout=people[500:], **KEYS, weights=(weights, None))
    found = capstats.summary(t, unmatched=unmatched, level=0.9)
    interval = capstats.average_cap_interval(t, unmatched=unmatched, level=0.9)
    assert (found.average_cap, found.lower, found.upper) == (interval.estimate, interval.lower, interval.upper)
    n = capstats.matched_records(t) if unmatched == "drop" else t.o.sum()
    assert found.predictive_success.item() == pytest.approx((capstats.correct_predictions(t, unmatched=unmatched) / n).item())
    assert (found.baseline, found.original_cap) == (capstats.baseline_cap(t), capstats.average_cap(t.o, t.o))
    assert found.baseline_success == capstats.baseline_cap(t, kind="modal")
    assert found.original_success.item() == pytest.approx((capstats.correct_predictions(t.o, t.o) / t.o.sum()).item())
    assert found.holdout_cap == capstats.average_cap(t.h, t.s.rename("s"), unmatched=unmatched)
    people = "944 records, by weight" if weights else "944 people"
    people = f"923 of {people}, those whose key it has" if unmatched == "drop" else people
    assert f"over {people} (90 % interval " in found.attrs["result"]


def test_of_several_releases_the_sentence_is_about_the_riskiest() -> None:
    t = capstats.tabulate(VOTERS, {**RELEASES, "original": VOTERS}, **KEYS)
    found = capstats.summary(t)
    assert found.average_cap.values.tolist() == [capstats.summary(t.isel(synthetic=i)).average_cap.item() for i in range(3)]
    assert found.attrs["result"].startswith("Of 3 releases the riskiest is synthetic original. A guess of vote from educ and PID is right ")
    assert "with probability 84.8 % on average over 944 people" in found.attrs["result"]
    assert repr(found).startswith("Of 3 releases the riskiest")


def test_keys_without_labels_and_fractional_counts_have_the_numbers_that_there_are() -> None:
    found = capstats.summary(capstats.from_counts([[1.5, 2], [3, 4]], [[1, 0], [2, 2]]))
    assert found.attrs["unmatched"] == "zero"
    assert np.isnan(found.lower)
    assert (
        "A guess of the target from the key is right with probability 61.9 % on average over 10.5 people; without" in found.attrs["result"]
    )


def test_what_it_cannot_tell_is_refused() -> None:
    with pytest.raises(ValueError, match=r"The Dataset holds no table `s`, only o\. Tabulate the original together with a release"):
        capstats.summary(capstats.tabulate(VOTERS, **KEYS))
    with pytest.raises(TypeError, match="`tables` must be the Dataset that tabulate or from_counts returns"):
        capstats.summary(pd.DataFrame({"a": [1]}))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`level` must be between 0 and 1"):
        capstats.summary(capstats.tabulate(VOTERS, RELEASES["a"], **KEYS), level=95)
