"""Circle packing: 26 circles in the unit square, the larger the better.

pack_circles returns one (x, y, r) for each circle. The start is plain: centres
on a grid, and every circle as large as its nearest neighbour or wall allows.
"""

import math

# Six columns, five rows; the last four places stay empty.
CENTRES = [
    (0.0833, 0.1), (0.25, 0.1), (0.4167, 0.1), (0.5833, 0.1), (0.75, 0.1), (0.9167, 0.1),
    (0.0833, 0.3), (0.25, 0.3), (0.4167, 0.3), (0.5833, 0.3), (0.75, 0.3), (0.9167, 0.3),
    (0.0833, 0.5), (0.25, 0.5), (0.4167, 0.5), (0.5833, 0.5), (0.75, 0.5), (0.9167, 0.5),
    (0.0833, 0.7), (0.25, 0.7), (0.4167, 0.7), (0.5833, 0.7), (0.75, 0.7), (0.9167, 0.7),
    (0.0833, 0.9), (0.25, 0.9),
]

# Room left free, so that rounding never makes two circles overlap.
MARGIN = 1e-12


def wall(x, y):
    """Distance from a point to the nearest side of the square."""
    return min(x, 1.0 - x, y, 1.0 - y)


def radius(i, centres):
    """The largest radius of circle i that surely fits."""
    x, y = centres[i]
    best = wall(x, y)
    for j, (u, v) in enumerate(centres):
        if j != i:
            best = min(best, math.hypot(x - u, y - v) / 2.0)
    return best - MARGIN


def pack_circles(n=26):
    centres = CENTRES[:n]
    return [(x, y, radius(i, centres)) for i, (x, y) in enumerate(centres)]
