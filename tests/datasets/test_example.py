"""Examples are seeded and say what they are."""

import pytest

from capstats import audit
from capstats.datasets import example


@pytest.mark.parametrize("name", ["titanic", "anes96"])
def test_examples_are_seeded_and_say_what_they_are(name):
    first, again, other = (audit(**example(name, seed=seed)) for seed in (1, 1, 2))
    assert first.to_json() == again.to_json()
    assert first.to_dict()["measures"] != other.to_dict()["measures"]
    assert first.provenance["seed"] == 1
    assert f"  example    {name}, with the same number of synthetic records" in repr(first)
    assert first.measures.original_records.item() == first.measures.synthetic_records.item()
