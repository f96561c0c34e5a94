"""Audits of one population, and what their front sheets hold."""

import numpy as np
import pandas as pd
import pytest

from capstats import audit


def population(n, keys=60, seed=0):
    """Records of one population: the key tells part of the target, and two further columns nothing."""
    rng = np.random.default_rng(seed)
    area = rng.integers(0, keys, n)
    ill = rng.random(n) < 0.2 + 0.6 * (area % 5 == 0)
    columns = {
        "area": area,
        "sex": rng.choice(["f", "m"], n),
        "income": np.round(rng.lognormal(10, 1, n), 1),
        "ill": np.where(ill, "yes", "no"),
    }
    return pd.DataFrame(columns)


def people(n, seed=0):
    """Records of columns that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return {"k": rng.integers(0, 6, n).tolist(), "u": rng.integers(0, 3, n).tolist(), "t": rng.integers(0, 3, n).tolist()}


def noisy(n, seed):
    """The target is decided by one column; three columns of noise send people of unmatched keys to wrong neighbours."""
    rng = np.random.default_rng(seed)
    noise = {f"x{i}": rng.integers(0, 6, n) for i in range(3)}
    return pd.DataFrame({"k": rng.choice([*"ab"], n), **noise}).assign(t=lambda x: x.k)


ORIGINAL, HOLDOUT, FRESH = (population(n, seed=seed) for n, seed in ((600, 1), (400, 2), (600, 3)))


def audited(release, holdout=HOLDOUT, original=ORIGINAL, **options):
    return audit(original, release, keys=["area", "sex"], target="ill", holdout=holdout, **{"allow_same": True, **options})


@pytest.fixture(scope="module")
def copied():
    return audited(ORIGINAL)


@pytest.fixture(scope="module")
def fresh():
    return audited(FRESH)


def text(found):
    return " ".join(repr(found).partition("What was read")[0].split())


def blocks(found, kind, section="At a glance"):
    return [block for name, of in found.sections().items() for block in of if name.startswith(section) and isinstance(block, kind)]
