from capstats import average_cap

assert rocs["margins"].auc.max() < 0.56
assert rocs["chain"].auc.sel(releases=1) - 0.5 > 5 * rocs["chain"].auc_standard_error.sel(releases=1)
assert (rocs["chain"].auc.diff("releases") > 0).all()
assert rocs["chain"].auc.sel(releases=50) > 0.93
assert abs(known["margins"].average - control["margins"].average).max() < 0.03
assert known["chain"].average.sel(releases=50) > 1.4 * control["chain"].average.sel(releases=50)
assert average["chain", "CAP"].plain_contrast > 2 * average["chain", "CAP"].plain_contrast_error
assert abs(average["chain", "naive Bayes"].plain_contrast) < average["chain", "naive Bayes"].plain_contrast_error
assert average["chain", "naive Bayes"].average_cap > average["chain", "CAP"].average_cap
more, more_of_others = (
    (found["chain"].average.sel(releases=50) - found["chain"].average.sel(releases=1)).item() for found in (known, control)
)
assert more > 3 * more_of_others
assert known["chain"].accuracy.sel(column="TVnews", releases=50) < known["chain"].accuracy.sel(column="TVnews", releases=1)
assert abs(matched["margins"] - 6 / 7) < 0.01
as_cap = average_cap(counts.o, counts.s).mean("synthetic").item()
assert abs(as_cap - average["chain", "CAP"].average_cap.item()) < 1e-12
