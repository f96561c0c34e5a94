"""Records of audits: whether the published schema validates them, by jsonschema."""

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
