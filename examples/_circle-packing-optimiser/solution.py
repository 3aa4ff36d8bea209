"""Circle packing: 26 circles in the unit square, the larger the better.

pack_circles returns one (x, y, r) for each circle. A small optimiser finds them
in so many steps: in each circles grow a little, those that overlap push each other
away and shrink, and this gets weaker as time goes by. What overlaps in the end is
cut off.
"""

import math

# Where the circles begin: a grid of so many columns, each circle moved a little
# to a side that its number says.
COLUMNS = 5.0
JITTER = 0.06
TURN = 0.618
START = 0.05

# How they move.
GROW = 0.004
PUSH = 0.3
SHRINK = 0.3
COOL = 0.97

# Room left free around every circle, so that rounding never makes two overlap.
MARGIN = 0.0005


def start(n):
    """Centres on a grid that is not quite even, and equal radii."""
    rows = float(int((n - 1) / COLUMNS) + 1)
    xs, ys = [], []
    for i in range(n):
        row = float(int(i / COLUMNS))
        aside = (i * TURN) % 1.0 - 0.5
        along = (i * TURN * TURN) % 1.0 - 0.5
        xs.append((i - row * COLUMNS + 0.5) / COLUMNS + JITTER * aside)
        ys.append((row + 0.5) / rows + JITTER * along)
    return xs, ys, [START] * n


def relax(xs, ys, rs, steps):
    """Let circles grow and push each other."""
    n = len(xs)
    heat = 1.0
    for _ in range(steps):
        grow = GROW * heat
        for i in range(n):
            rs[i] += grow
        for i in range(n):
            for j in range(i):
                dx, dy, both = xs[i] - xs[j], ys[i] - ys[j], rs[i] + rs[j]
                square = dx * dx + dy * dy
                if 0.0 < square < both * both:
                    far = math.sqrt(square)
                    over = both - far
                    move = PUSH * over / far
                    xs[i] += move * dx
                    ys[i] += move * dy
                    xs[j] -= move * dx
                    ys[j] -= move * dy
                    rs[i] -= SHRINK * over
                    rs[j] -= SHRINK * over
        for i in range(n):
            for line in (xs, ys):
                over = rs[i] - line[i]
                if over > 0.0:
                    line[i] += 2.0 * PUSH * over
                    rs[i] -= SHRINK * over
                over = line[i] + rs[i] - 1.0
                if over > 0.0:
                    line[i] -= 2.0 * PUSH * over
                    rs[i] -= SHRINK * over
        heat *= COOL


def settle(xs, ys, rs):
    """Cut off what overlaps, and give every circle what is left."""
    n = len(xs)
    walls = [min(x, 1.0 - x, y, 1.0 - y) for x, y in zip(xs, ys)]
    far = [[math.sqrt((xs[i] - xs[j]) * (xs[i] - xs[j]) + (ys[i] - ys[j]) * (ys[i] - ys[j])) for j in range(n)] for i in range(n)]
    for i in range(n):
        rs[i] = min(rs[i], walls[i])
        for j in range(i):
            over = rs[i] + rs[j] - far[i][j]
            if over > 0.0:
                rs[i] -= over / 2.0
                rs[j] -= over / 2.0
    for i in range(n):
        rs[i] = min([walls[i]] + [far[i][j] - rs[j] for j in range(n) if j != i])


def pack_circles(n=26, steps=200):
    xs, ys, rs = start(n)
    relax(xs, ys, rs, steps)
    settle(xs, ys, rs)
    return [(x, y, r - MARGIN) for x, y, r in zip(xs, ys, rs)]
