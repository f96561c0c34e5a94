assert np.allclose(averages.loc["average CAP, version 1"], [0.8397, 0.7801], atol=5e-5)
assert np.allclose(averages.loc["average CAP, version 1"], averages.loc["average CAP, version 2"] * averages.loc["matched share"])
assert np.allclose(rows["average CAP, radius=3"], baseline_cap(o, s, kind="crossed"))
assert np.allclose(above.loc["share of people above 0.9"], [0.725, 0.614], atol=5e-4)
assert each.loc["resampled - modelled", "lower"] > 0
assert contrast.lower.sel(synthetic="resampled") > 0 > contrast.lower.sel(synthetic="modelled")
assert abs(contrast.estimate.sel(synthetic="modelled")) < 0.01
assert (certainty.loc["DiSCO"] <= certainty.loc["DiS"]).all()
assert np.allclose(of_variants[1.0].loc["all"], certainty.loc["DiSCO"])
assert np.isclose(risks["cap"].mean(), average_cap(o, m).item())
assert len(urgent) == 8 == round(472 * alone.loc["repU", "modelled"])
assert by_name["original"]["k_anonymity"] == models["PID alone"].loc["k", "original"] == 17
assert of_vote["average_cap"].idxmax() == "PID"
assert abs(without_link.sel(key_column="income") - 0.25) < 0.01
assert merges.loc[0, ["level", "other"]].tolist() == ["Strong Democrat", "Strong Republican"]
assert np.allclose(synthpop.loc["DCAP"].astype(float), 100 * averages.loc["average CAP, version 1"])
assert np.allclose(synthgauge.loc["tcap_score"], certainty.loc["DiSCO"])
