"""Hypothesis without a deadline: the first call into a library may take long. ``HYPOTHESIS_PROFILE=random`` looks for new examples."""

import os

from hypothesis import settings

settings.register_profile("plain", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "plain"))
