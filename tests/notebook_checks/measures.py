import numpy as np
from capstats import average_cap

value = {name: float(np.ravel(x)[0]) for room in (of_cap, of_disclosure, of_anonymity, of_laws, of_peers) for name, (x, _) in room.items()}
assert np.isclose(value["average_cap"], value["average_cap, drop"] * value["matched_records"] / 472)
assert round(value["average_cap"], 4) == 0.7801
assert abs(value["holdout_contrast"]) < 0.01 < value["individual_share"]
assert value["disco"] <= value["dis"]
assert np.isclose(value["tau_curve"], value["disco"])
assert np.isclose(people["cap"].mean(), average_cap(o, m).item())
assert round(value["replicated_uniques"] * 472) == value["record_risk"] == 8
assert value["k_anonymity"] == 17 == round(1 / value["prosecutor_risk"])
assert swept.value.sel(measure="average_cap").squeeze().idxmax("keyset").item() == "PID"
assert (by_age.max() > value["average_cap"]).item()
assert abs(value["sample_tables"] - value["expected_cap"]) < 4 * value["variance_cap"] / 1000**0.5
assert value["cap_law"] < value["average_cap"]
assert value["minimum_cap"] <= value["cap_bounds"] <= value["maximum_cap"]
assert np.isclose(value["as_sdmetrics"], 1 - value["average_cap, drop"])
assert np.isclose(value["as_synthpop"], 100 * value["tcap"])
assert np.isclose(value["as_synthgauge"], value["disco"])
assert fitted.average.item() > value["average_cap"]
