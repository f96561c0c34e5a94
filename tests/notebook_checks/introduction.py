import numpy as np

assert np.isclose(with_o.sel(smoking="Smoking", target="Sick").item(), 0.4)
assert np.isclose(with_s.sel(smoking="Smoking", target="Sick").item(), 8 / 33)
assert np.isclose(with_o.sel(smoking="Smoking", target="Healthy").item(), 0.6)
assert np.isclose(with_s.sel(smoking="Smoking", target="Healthy").item(), 25 / 33)
assert np.isclose(cap_s, (20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100)
guess_right = [with_s.sel(smoking=x.smoking, target=x.health).item() for x in original.itertuples()]
assert np.isclose(cap_s, np.mean(guess_right))
assert np.isclose(cap_o, 0.67)
assert cap_s > cap_o > baseline == 0.625
by_release = report.measures.average_cap_nearest
assert abs(by_release.sel(synthetic="resampled").item() - 0.85) < 0.005
assert abs(by_release.sel(synthetic="shuffled").item() - report.measures.baseline.item() - 0.02) < 0.001
