"""The mean of average CAP over noisy counts by the laws of the counts of a key, added up: the oracle of the lesson's integral."""

from __future__ import annotations

from functools import reduce
from math import ceil, log
from typing import Any

import numpy as np


def clipped(count: int, a: float) -> Any:
    """The law of a count with discrete Laplace noise, set to 0 where it is negative, up to noise of probability exp(-36)."""
    law = (1 - a) / (1 + a) * a ** np.abs(np.arange(count + ceil(-36 / log(a)) + 1) - count)
    law[0] = a**count / (1 + a)
    return law


def noisy_mean(o: Any, a: float) -> float:
    """Sum over keys and targets of o_i E[s_i / s; s > 0], over n."""
    o, right = np.asarray(o), 0.0
    for column in o.T.tolist():
        laws = [clipped(count, a) for count in column]
        for i, count in enumerate(column):
            rest = reduce(np.convolve, [law for k, law in enumerate(laws) if k != i], np.ones(1))
            own, others = np.arange(len(laws[i]))[:, None], np.arange(len(rest))
            right += count * (laws[i] @ (own / np.maximum(own + others, 1)) @ rest) if count else 0.0
    return right / float(o.sum())
