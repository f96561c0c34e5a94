"""Audits of the smokers of the paper."""

from audited_smokers import found, people, seven, two

__all__ = ["found", "people", "seven", "two"]
