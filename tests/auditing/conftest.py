"""Audits of the smokers of the paper, and of one population."""

from audited_smokers import found, people, seven, two
from front_sheets import copied, fresh

__all__ = ["copied", "found", "fresh", "people", "seven", "two"]
