assert np.allclose(contrast["average_cap"], found.measures.average_cap_zero)
assert np.allclose(contrast["plain_contrast"].round(3), [0.078, -0.001, 0.065, 0.031])
assert np.allclose(found.measures.average_cap_zero.round(3), [0.809, 0.811, 0.847, 0.414])
assert np.allclose(found.measures.average_cap_nearest.round(3), [0.847, 0.855, 0.865, 0.461])
assert contrast.loc[["CART 5", "network"], "lower"].min() > 0 > contrast.loc["CART 40", "lower"]
assert len(lacking) == 0
assert (other["cause"] == "case").sum() == 2
assert found.measures.average_cap_nearest.sel(synthetic="noisy network") < found.measures.baseline
assert (merges.loc[merges["column"].isin(["age", "educ"]), "change"] > -0.004).all()
assert merges.loc[0, "change"] < -0.15
assert 0.69 < swaps.expected_cap <= 0.70

# what section 8 says of other splits: the first cell once more, as far as the trees
found = {}
for seed in (5, 7, 10):
    exec(In[1].split("# and two by")[0].replace("default_rng(1).perm", f"default_rng({seed}).perm"))
    split = tabulate(original, releases, holdout=holdout, **intruder)
    tested = membership_test(split.o, split.s, h=split.h, rng=1).p_value.sel(synthetic="CART 40").item()
    found[seed] = (
        *individual_share(split.o, split.s, h=split.h, unmatched="zero").plain_contrast.sel(synthetic=["CART 5", "CART 40"]).values,
        tested,
    )
assert all(found[seed][0] > 0.08 and round(found[seed][1], 3) == 0.042 and 0.03 < found[seed][2] < 0.05 for seed in (5, 7))
assert -0.03 < found[10][0] < 0
assert -0.03 < found[10][1] < 0
