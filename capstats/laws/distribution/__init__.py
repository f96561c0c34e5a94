"""Laws of average CAP over random releases: their distribution function, density and quantiles.

- `average` has `cap_law`; `law` has the classes of laws and their queries, also for simulated ones
- `exact` where few records fall into few cells
- `limit` for large releases, by `closed_form` where keys are few
- `on_a_grid` has bounds under the uniform model for tables of few keys, such as the paper's
"""
