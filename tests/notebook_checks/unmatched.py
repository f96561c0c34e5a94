assert [round(average_cap(small.o, small.s, unmatched=each).item(), 3) for each in conventions] == [0.477, 0.656, 0.607]
assert growing.loc[6, ["matched", *conventions]].astype(float).round(3).tolist() == [0.654, 0.651, 0.997, 0.941]
assert growing["drop"].is_monotonic_increasing
assert fewer["zero"].is_monotonic_decreasing
assert fewer["drop"].is_monotonic_increasing
assert by_distance.to_dict() == {0: 617, 1: 149, 2: 177, 3: 1}
assert abs(by_radius[0] - growing.loc[6, "zero"]) < 1e-12
assert abs(by_radius[6] - crossed) < 1e-12
