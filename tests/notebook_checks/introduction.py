assert np.isclose(with_o.sel(smoking="Smoking", target="Sick").item(), 0.4)
assert np.isclose(with_s.sel(smoking="Smoking", target="Sick").item(), 8 / 33)
assert np.isclose(with_o.sel(smoking="Smoking", target="Healthy").item(), 0.6)
assert np.isclose(with_s.sel(smoking="Smoking", target="Healthy").item(), 25 / 33)
assert np.isclose(cap_s, (20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100)
assert np.isclose(cap_s, np.mean(guess_right))
assert np.isclose(cap_o, 0.67)
assert cap_s > cap_o > baseline == 0.625
assert matched == 50
assert np.isclose(version_1, version_2 / 2)
assert np.isclose(least, 5 / 100)
assert np.isclose(average_cap(tables.o, useless).item(), least)
assert boxes.average.sel(synthetic="b") < boxes.average.sel(synthetic="g")
assert np.allclose(above_half.sel(synthetic=["b", "g"]), [171, 0])
assert abs(found.measures.average_cap.sel(synthetic="shuffled").item() - found.measures.baseline.item()) < 0.02
