import numpy as np

asymptotic = [limit[name].cdf(itself[name]).least.item() for name in limit]
assert np.round(asymptotic, 6).tolist() == [1, 1, 0.995823, 0.993932]
assert (shares["lower"] <= shares["upper"]).all()
assert round(rows["O_3", 30][0], 3) == 0.985
assert all(abs(simulated[name] - rows[name, 900][0]) < 4 * (0.007 / draws) ** 0.5 for name in simulated)
assert spread.greatest.values[2] < 0.77 < copies["mean"] - 4 * copies["variance"] ** 0.5
