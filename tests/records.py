"""Records of audits: whether the published schema validates them, by jsonschema; and the texts in JSON."""

import json

import jsonschema

from capstats.auditing.record import SCHEMA

VALIDATOR = jsonschema.Draft202012Validator(SCHEMA, format_checker=None)


def no_number(text):
    raise ValueError(f"{text} is no number of JSON")


def valid(record):
    """A record, which is valid."""
    VALIDATOR.validate(record)
    return record


def read(text):
    """The JSON of a record, which has null and neither NaN nor Infinity, and is valid."""
    return valid(json.loads(text, parse_constant=no_number))


def strings(told):
    """All texts in a value of JSON or of TOML, those that are names included."""
    if isinstance(told, dict):
        return [*told, *(text for value in told.values() for text in strings(value))]
    if isinstance(told, list):
        return [text for value in told for text in strings(value)]
    return [told] if isinstance(told, str) else []
