assert coarser["k"].tolist() == [1, 15, 15, 37]
assert coarser["uniques"].tolist() == [2, 0, 0, 0]
assert coarser["CAP(O)"].round(3).tolist() == [0.848, 0.842, 0.835, 0.835]
assert (of_releases["k"] == 15).all()
assert of_releases["average CAP"].round(3).tolist() == [0.835, 0.667, 0.534]
bounds = anonymity_bounds(half.s, crossed=x)
assert bounds.least < v_2 < bounds.greatest
assert [round(y.item(), 2) for y in (bounds.least, bounds.greatest)] == [0.32, 0.71]
assert (abs(difference) <= t + 1e-12).all()
assert gain > ordered
