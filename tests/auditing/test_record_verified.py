"""Whether a file is a record as it was written: what the schema refuses is refused, and every byte counts."""

import copy
import json
import random

import pytest
import records
from strategies import PROFILE

from capstats import audit
from capstats.auditing.record import checked, differences, digest_of_text, misfits
from capstats.codes.names import printable_json
from capstats.datasets import anes96

PEOPLE = anes96()
LIMITS = {"share_certain": {"limit": 0.1, "why": "é"}, "holdout_cap": 1}


@pytest.fixture(scope="module")
def found():
    return audit(PEOPLE[::2], {"a": PEOPLE[1::2], "b": PEOPLE[1::3]}, keys=["educ", "PID"], target="vote", limits=LIMITS)


@pytest.fixture(scope="module")
def content(found):
    return f"{found.to_json()}\n".encode()


def places(value, way=()):
    """The way to each part of a record."""
    yield way
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from places(part, (*way, name))


def test_a_record_is_as_it_was_written(content):
    record, said = checked(content)
    assert said == []
    assert record == records.read(content.decode())


@pytest.mark.parametrize("every", [61, pytest.param(1 if PROFILE == "thorough" else 4, marks=pytest.mark.slow)])
def test_it_refuses_what_the_schema_refuses(found, every):
    """Each part left out, or of another type, by jsonschema and by the words of the schema that are read here."""
    record, refused = found.to_dict(), 0
    for way in list(places(record))[1::every]:
        for value in (None, True, 0.5, "x", [], {}, "drop"):
            changed = copy.deepcopy(record)
            where = changed
            for step in way[:-1]:
                where = where[step]
            if value == "drop":
                del where[way[-1]]
            else:
                where[way[-1]] = value
            valid = records.VALIDATOR.is_valid(changed)
            assert valid == (list(misfits(changed)) == []), (way, value)
            refused += not valid
    assert refused > 2000 / every


def test_every_single_byte_that_changes_is_found(content):
    """100 at random places, and one in each eleventh place, whatever it becomes."""
    rng = random.Random(0)
    at = [*(rng.randrange(len(content)) for _ in range(100)), *range(0, len(content), 11)]
    for place in at:
        other = rng.choice([x for x in range(256) if x != content[place]])
        assert checked(content[:place] + bytes([other]) + content[place + 1 :])[1], (place, other)


def test_a_change_that_leaves_the_content_as_it_is_is_found_too(content):
    for old, new in ((b'": ', b'":  '), (b"\n", b"\n\n"), (b'"a"', b'"\\u0061"')):
        _, said = checked(content.replace(old, new, 1))
        assert said == ["The digest is not that of the text, which was changed after it was written."]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "It is no JSON any more"),
        (b"\xff", "It is no JSON any more"),
        (b"[" * 100_000, "It is no JSON any more"),
        (b'{"a": NaN}', "NaN is no number of JSON"),
        (b"[]", "the record is no object"),
        (b"{}", "the record has no 'schema'"),
    ],
)
def test_what_is_no_record_is_said(content, said):
    record, found = checked(content)
    assert record is None
    assert any(said in line for line in found)


def test_a_record_of_a_later_schema_is_refused(found):
    with pytest.raises(ValueError, match="has version 2 of the schema"):
        checked(json.dumps({**found.to_dict(), "schema": {"name": "capstats report", "version": 2}}).encode())


def test_a_later_version_may_add_what_this_one_does_not_know(found):
    record = found.to_dict()
    record["measures"]["new"], record["news"], record["meanings"]["new"] = 1, [1], {"form": "share", "meaning": "x", "since": 2}
    record |= {"digest": record.pop("digest") and ""}
    record["digest"] = digest_of_text(printable_json(record))
    assert checked(printable_json(record).encode())[1] == []


def test_numbers_that_differ_are_named_and_those_that_are_missing(found):
    record, again = found.to_dict(), copy.deepcopy(found.to_dict())
    left = []
    again["measures"]["average_cap_zero"]["a"] += 1e-12  # the order of a sum
    assert differences(record, again, left) == left == []
    again["measures"]["average_cap_zero"]["b"] = 0.25
    again["by_target"][1]["records"] = None
    again["limits"][0]["verdict"] = again["verdict"] = "kept"
    del again["measures"]["baseline"]
    was, records_were = record["measures"]["average_cap_zero"]["b"], record["by_target"][1]["records"]
    assert differences(record, again, left) == [
        f"measures.average_cap_zero.b is {was} in the record, and 0.25 now.",
        f"by_target.2.records is {records_were} in the record, and None now.",
        f"limits.1.verdict is {record['limits'][0]['verdict']} in the record, and kept now.",
        "verdict is broken in the record, and kept now.",
    ]
    assert left == ["measures.baseline"]


def test_a_limit_of_a_number_that_is_not_recomputed_is_not_compared(found):
    record, again, left = found.to_dict(), copy.deepcopy(found.to_dict()), []
    del again["measures"]["share_certain"]
    again["limits"][0]["value"], again["verdict"] = None, "could not be told"
    assert differences(record, again, left) == []
    assert left == ["measures.share_certain"]
