import numpy as np

assert np.allclose(capstats.individual_cap(people, released)[:, 0], [2 / 7, 5 / 7])
risks = capstats.individual_cap(patients, releases).where(patients > 0)
assert (900 * above).round().values.tolist() == [171, 0]
assert patients.where(risks.sel(synthetic="A") > 0.9).sum() == 93
assert capstats.correct_predictions(patients, releases).values.tolist() == [171, 269]
assert lower.sum() > 95
