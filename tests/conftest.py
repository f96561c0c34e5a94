"""Hypothesis without a deadline: the first call into a library may take long."""

from hypothesis import settings

settings.register_profile("capstats", deadline=None)
settings.load_profile("capstats")
