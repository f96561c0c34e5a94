assert swept.sizes["keyset"] == 63
assert table["average_cap"].idxmax() == "PID + selfLR + popul"
assert [round(table["average_cap"][x], 3) for x in ("PID", "PID + selfLR", "PID + selfLR + popul")] == [0.786, 0.798, 0.808]
assert increments.loc[1, ["PID", "selfLR"]].round(3).tolist() == [0.273, 0.156]
assert (swept.shapley.sel(measure="original_cap") > 0).all()
assert (swept.leave_one_out.sel(measure="average_cap", target_column="vote") < 0).all()
assert round(present, 3) == 0.798
assert abs(best.average_cap - average_cap(again.o, again.s).item()) < 1e-12
assert removals["change"].iloc[0].round(3) == -0.03
