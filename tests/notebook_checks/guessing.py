assert guessed.values.round(1).tolist() == [286.0, 277.7]
assert predicted.values.tolist() == [134, 272]
like_e = (abs(x - both.loc["e", "guesser"] / 900) < 0.005).values
few, many = y.values[like_e].min(), y.values[like_e].max()
assert few < 134 < 272 < many
assert noise.loc[[0.0, 0.5], "guesser"].round(3).tolist() == [0.848, 0.681]
assert noise.loc[[0.0, 0.5], "predictor"].round(3).tolist() == [0.907, 0.877]
