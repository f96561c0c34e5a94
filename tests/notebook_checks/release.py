assert np.allclose(contrast["estimate"], found.measures.individual_disclosure)
assert np.allclose(contrast["estimate"].round(3), [0.078, -0.001, 0.065, 0.031])
assert np.allclose(found.measures.average_cap.round(3), [0.809, 0.811, 0.847, 0.414])
assert contrast.loc[["CART 5", "network"], "lower"].min() > 0 > contrast.loc["CART 40", "lower"]
assert len(lacking) == 0
assert (other["cause"] == "case").sum() == 2
assert found.measures.average_cap.sel(synthetic="noisy network") < found.measures.baseline
assert (merges.loc[merges["column"].isin(["age", "educ"]), "change"] > 0).all()
assert merges.loc[0, "change"] < -0.15
assert swaps.at_upper <= 0.70 <= swaps.at_lower
