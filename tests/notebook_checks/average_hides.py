averages = average.to_series()
assert averages.round(4).to_dict() == {"A": 0.3074, "B": 0.349}
assert above.sel(at=0.5).values.round(6).tolist() == [171, 0]
assert above.sel(at=0.9).values.round(6).tolist() == [93, 0]
assert upper.sel(quantile=1).values.round(3).tolist() == [0.922, 0.492]
assert survey_average.values.round(3).tolist() == [0.728, 0.734]
assert certain.values.round(6).tolist() == [150, 282]
