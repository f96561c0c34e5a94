assert round(cap, 3) == 0.772
assert [round(baseline_cap(o, s, kind=kind).item(), 3) for kind in kinds] == [0.514, 0.584, 0.5, 0.511, 0.564]
assert [round(x, 3) for x in (of_original, maximum_cap(o).item(), normalized_cap(o, s).item())] == [0.848, 0.907, 0.772]
adults, eyes = compared.iloc[2], compared.iloc[4]
assert adults["CAP(S)"] == compared["CAP(S)"].max()
assert eyes["CAP(S)"] == compared["CAP(S)"].min()
assert adults["CAP(S)"] < adults["modal"]
assert adults["lambda"] == 0
contrast = individual_share(half.o, half.s, h=half.h)
lower = contrast.plain_contrast - 1.96 * contrast.plain_contrast_error
assert lower.sel(synthetic="copy") > 0 > lower.sel(synthetic="model")
assert contrast.average_cap.values.round(2).tolist() == [0.87, 0.86]
