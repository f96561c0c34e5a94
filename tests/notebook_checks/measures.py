import numpy as np

average, both_ways = cap.average_cap(o, m).item(), cap.average_cap(o, m, unmatched="drop").item()
assert round(average, 4) == 0.7801
assert np.isclose(average, both_ways * cap.matched_records(o, m).item() / 472)
assert abs(cap.individual_share(o, m, h=h).plain_contrast) < 0.01
assert disclosure.disco(o, m) <= disclosure.dis(o, m)
assert np.isclose(disclosure.record_risk(original, modelled, **intruder)["cap"].mean(), average)
assert anonymity.k_anonymity(party.o) == 17
best = screening.sweep(original, modelled, **keys).value.sel(measure="average_cap").squeeze()
assert best.idxmax("keyset").item() == "age + PID"
assert screening.rank_merges(o, m, columns=["age"])["average_cap"].max() > average
assert laws.cap_law(o, unrelated, rng=0, level=0.99).quantile(0.999).greatest < average
assert laws.minimum_cap(party.o) <= laws.cap_bounds(party.o, **kept).least <= laws.maximum_cap(party.o)
assert np.isclose(peers.as_sdmetrics(both)["CategoricalCAP"], 1 - both_ways)
assert np.isclose(peers.as_synthpop(both)["TCAP"], 100 * disclosure.tcap(o, m, variant="matched"))
