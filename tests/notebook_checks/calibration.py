import numpy as np

assert n == 944
assert np.allclose(table["expected"].drop("swapping"), wanted, atol=1e-9)
assert swapped.expected_cap <= wanted <= expected_cap(o, Swap(records=swapped.records.item() - 1))
assert (table["z"].abs() < 4).all()
assert abs(risks.mean().item() - expected) < 4 * spread / draws**0.5
assert np.isclose((1 - theta.theta) * average_cap(o, o) + theta.theta * baseline_cap(o), wanted)
assert np.isclose(dp_bound(shares, epsilon).bound, wanted)
assert expected < wanted
