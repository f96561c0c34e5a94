assert abs(dp_bound([0.5, 0.5], np.log(3)).bound.item() - 0.75) < 1e-12
assert round(rows[1.0]["mean of 200 tables"], 2) == 0.83
assert bool(audits["a resample of the records"].refuted)
assert not bool(audits["noisy, epsilon 1"].refuted)
assert one.refuted.values.tolist() == sorted(one.refuted.values.tolist(), reverse=True)
assert bool(one.refuted[0])
assert bounds["pure classes"]["value"]["k"] == bounds["mixed classes"]["value"]["k"] == 20
assert bounds["pure classes"]["CAP at most"]["alpha"] == 1
assert bounds["mixed classes"]["CAP at most"]["alpha"] == 0.6
contrasts = {name: round((found.original - found.holdout).item(), 2) for name, found in audits.items()}
assert contrasts == {"noisy, epsilon 1": 0.18, "a resample of the records": 0.52}
