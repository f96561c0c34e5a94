import numpy as np
from capstats import average_cap
from capstats.cap import target_distance

assert round(releases.average_cap_zero.sel(original="O_3", synthetic="b").item(), 4) == 0.3074
assert round(releases.average_cap_zero.sel(original="O_4", synthetic="a").item(), 4) == 0.3178
assert min(x.min() for x in excess.values()) > 0
assert table.sum().item() == 900
assert abs(target_distance(o_3, table).item() - 0.1) <= float(on_it.rounding)
assert free.least <= fixed.least <= average_cap(o_4, o_4) <= fixed.greatest <= free.greatest
assert np.isclose(curves["O_3"].least.isel(distance=0), average_cap(o_3, o_3))
