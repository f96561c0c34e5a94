assert np.allclose(table["capstats"], table["SDMetrics"], rtol=0, atol=1e-13)
assert np.isclose(1 - risk["drop"], theirs[0])
assert np.isclose(1 - risk["zero"], theirs[1])
assert np.isclose(protection.score.item(), theirs[3])
assert round(protection.original_score.item(), 2) == 0.10
assert min(runs["cap"]) < exact["cap"] < max(runs["cap"])
assert np.isclose(exact["cap"], theirs[3])
assert np.isclose(exact["zero_cap"], theirs[4])
assert scores["zero_cap"] == 1
assert np.isnan(scores["cap"])
assert abs(contrast.plain_contrast) < 1.96 * contrast.plain_contrast_error
assert len(real) - matched_records(tables.o, tables.s).item() == 81
