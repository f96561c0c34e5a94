assert (beside["capstats"] - beside["synthpop 1.9-2"]).abs().max() < 1e-10
assert abs(100 * own["TCAP"][1].item() - printed["TCAP"]) < 1e-10
assert abs(100 * own["DCAP"][1].item() - printed["DCAP"]) < 1e-10
assert disco(second.o, second.s, counted=left).item() == 0.5
assert abs(found["UiO"] - 11.25) < 1e-10
assert abs(found["TCAP"] - 166.666666666667) < 1e-10
assert round(80 * share_unique(second.o, counted=left).item(), 9) == 5
assert abs(average_cap(right.o, right.s).item() - 6 / 7) < 1e-12
assert average_cap(wrong.o, wrong.s).item() == 0 == disco(wrong.o, wrong.s).item()
