"""Circle packing: 32 circles in the unit square, the larger the better.

pack_circles returns one (x, y, r) for each circle. The start is plain: centres
on a grid, and every circle as large as its neighbours and the walls allow.
"""

import math

# Six columns, six rows; four places stay empty.
CENTRES = [
    (0.0833, 0.0833), (0.25, 0.0833), (0.4167, 0.0833), (0.5833, 0.0833), (0.75, 0.0833), (0.9167, 0.0833),
    (0.0833, 0.25), (0.4167, 0.25), (0.5833, 0.25), (0.9167, 0.25),
    (0.0833, 0.4167), (0.25, 0.4167), (0.4167, 0.4167), (0.5833, 0.4167), (0.75, 0.4167), (0.9167, 0.4167),
    (0.0833, 0.5833), (0.25, 0.5833), (0.4167, 0.5833), (0.5833, 0.5833), (0.75, 0.5833), (0.9167, 0.5833),
    (0.0833, 0.75), (0.4167, 0.75), (0.5833, 0.75), (0.9167, 0.75),
    (0.0833, 0.9167), (0.25, 0.9167), (0.4167, 0.9167), (0.5833, 0.9167), (0.75, 0.9167), (0.9167, 0.9167),
]

# Room left free around every circle, so that rounding never makes two overlap.
MARGIN = 0.001


def wall(x, y):
    """Distance from a point to the nearest side of the square."""
    return min(x, 1.0 - x, y, 1.0 - y)


def room(i, centres, radii):
    """How large circle i may be beside its neighbours as they are."""
    x, y = centres[i]
    best = wall(x, y)
    for j, (u, v) in enumerate(centres):
        if j != i:
            best = min(best, math.hypot(x - u, y - v) - radii[j])
    return best


def pack_circles(n=32):
    centres = CENTRES[:n]
    radii = []
    # Every circle may have half the way to its nearest neighbour ...
    for i, (x, y) in enumerate(centres):
        half = wall(x, y)
        for j, (u, v) in enumerate(centres):
            if j != i:
                half = min(half, math.hypot(x - u, y - v) / 2.0)
        radii.append(half)
    # ... and then, one after the other, what is left.
    for i in range(n):
        radii[i] = room(i, centres, radii)
    return [(x, y, r - MARGIN) for (x, y), r in zip(centres, radii)]
