import numpy as np
from capstats import minimum_cap

assert np.isclose(with_o.sel(target="Sick").item(), 0.4)
assert np.isclose(with_s.sel(target="Sick").item(), 8 / 33)
assert np.isclose(with_o.sel(target="Healthy").item(), 0.6)
assert np.isclose(with_s.sel(target="Healthy").item(), 25 / 33)

assert predicted.sel(synthetic="a").item() == 134
assert predicted.sel(synthetic="e").item() == 272
assert all(value.agrees for value in values)

assert np.allclose(sums, matched)  # Theorem 1
assert bool((attained == supported).all())  # Lemma 1
assert different == 165
for theory, drawn in least.values():  # Theorems 2 and 3
    assert np.allclose(theory, drawn)
assert np.isclose(minimum_cap(o_5).item(), 1 / 50)
assert np.isclose(minimum_cap(o_5, unmatched="drop").item(), 2 / 31)

assert bool(no_greater.all())
assert rank_of_b <= 3
assert riskiest == "b"
assert draws["no riskier"].sel(original=["O_1", "O_2"]).values.tolist() == [1, 1]
assert bool((draws["no riskier"] > 0.98).all())
