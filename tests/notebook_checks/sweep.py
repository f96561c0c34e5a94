assert swept.sizes["keyset"] == 63
assert ranked["size"].iloc[0] == 6
assert [round(table["average_cap"][x], 3) for x in ("PID", "PID + selfLR", "PID + selfLR + popul", ranked.index[0])] == [
    0.786,
    0.799,
    0.814,
    0.864,
]
assert [round(table["average_cap_zero"][x], 2) for x in ("PID + selfLR + popul", ranked.index[0])] == [0.81, 0.64]
assert increments.loc[1, ["PID", "selfLR"]].round(3).tolist() == [0.273, 0.156]
assert (swept.shapley.sel(measure=["original_cap", "average_cap"]) > 0).all()
assert (swept.shapley.sel(measure="average_cap_zero", target_column="vote") < 0).sum() == 4
assert (swept.leave_one_out.sel(measure="average_cap", target_column="vote") > 0).all()
assert round(present, 3) == 0.823
assert abs(best.average_cap - counted) < 1e-12
assert removals["change"].iloc[0].round(3) == -0.005
assert rank_removals(chosen.o, chosen.s, unmatched="zero")["change"].agg(["min", "max"]).round(3).tolist() == [-0.03, 0]
assert abs(present + removals["change"].head(5).sum() - 0.804) < 0.0005
