"""Looks for the lowest point of a valley it can only look at."""

import random

# EVOLVE-BLOCK-START
SPAN = 5.0
LOOKS = 200


def search(valley, seed):
    """Returns the best of LOOKS random points."""
    rng = random.Random(seed)
    best = None
    for _ in range(LOOKS):
        x, y = rng.uniform(-SPAN, SPAN), rng.uniform(-SPAN, SPAN)
        height = valley(x, y)
        if best is None or height < best[0]:
            best = (height, x, y)
    return best[1], best[2]


# EVOLVE-BLOCK-END
