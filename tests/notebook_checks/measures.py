import numpy as np
from capstats import average_cap, baseline_cap

assert np.allclose(averages.loc["average CAP, version 1"], [0.8397, 0.7801], atol=5e-5)
assert np.allclose(averages.loc["average CAP, version 1"], averages.loc["average CAP, version 2"] * averages.loc["matched share"])
assert np.allclose(rows["average CAP, radius=3"], baseline_cap(o, s, kind="crossed"))
assert np.allclose(above.loc["share of people above 0.9"], [0.725, 0.614], atol=5e-4)
assert quantiles.loc["quantile 0.5"].tolist() == [1, 1]
assert each.loc["resampled - modelled", "lower"] > 0
assert contrast.lower.sel(synthetic="resampled") > 0 > contrast.lower.sel(synthetic="modelled")
assert abs(contrast.estimate.sel(synthetic="modelled")) < 0.01
assert (certainty.loc["DiSCO"] <= certainty.loc["DiS"]).all()
assert np.allclose(of_variants[1.0].loc["all"], certainty.loc["DiSCO"])
assert np.isclose(risks["cap"].mean(), average_cap(o, m).item())
assert len(urgent) == 8 == round(472 * alone.loc["repU", "modelled"])
assert by_name["original"]["k_anonymity"] == models["PID alone"].loc["k", "original"] == 17
assert round(models["PID alone"].loc["alpha", "original"], 2) == 0.98
assert of_vote["average_cap"].idxmax() == "PID"
assert merges.loc[0, ["level", "other"]].tolist() == ["Strong Democrat", "Strong Republican"]
assert merges["change"].max() > 0
assert abs(simulated.mean().item() - moments["bootstrap"][0]) < 4 * moments["bootstrap"][1] / 1000**0.5
assert law.cdf(0.78).lower > 0.9999
assert tested["resampled"]["membership, p"] < 0.001 < 0.1 < tested["modelled"]["membership, p"]
assert free.least <= fixed.least <= fixed.greatest <= free.greatest
assert np.allclose(synthpop.loc["DCAP"].astype(float), 100 * averages.loc["average CAP, version 1"])
assert np.allclose(synthgauge.loc["tcap_score"], certainty.loc["DiSCO"])
