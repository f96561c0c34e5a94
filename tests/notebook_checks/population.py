import numpy as np

independent, heavy, mixed, bundled = populations
assert medians.loc[independent, "loglinear"].sub(1).abs().max() < 0.1
assert medians.loc[heavy, "pitman"].drop(0.01).sub(1).abs().max() < 0.05
assert medians.xs(0.5, level=1)["snb"].sub(1).abs().max() < 0.05
assert medians["zayatz"].min() > 0.99
at_least = medians.xs(0.01, level=1)[[*models]]
assert [at_least.min().min().round(1), at_least.max().max().round(1)] == [0.2, 7.7]
assert medians["loglinear"].min().round(2) == 0.09
assert covered.loc[(heavy, "pitman")].tolist() == [78, 68]
assert weighted["ratio"].round(2).tolist() == [1.06, 1.26, 0.83, 0.41]
share = replicated.loc["among replicated"] / replicated.loc["among all"]
assert np.allclose(share.drop("loglinear"), share["sample uniques"], atol=0.02)
assert survey["loglinear"] < 1e-5 < 0.94 < survey["zayatz"]
