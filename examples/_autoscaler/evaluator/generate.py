"""Writes a trace of load as JSON: python3 evaluator/generate.py KIND SEED > FILE

KIND is steady, morning, flash, saw, weekend or storm. A step is ten seconds: requests,
writes and background jobs a second.
"""

import json
import math
import random
import sys

STEPS = 180


def level(kind, t, rng):
    x = t / STEPS
    if kind == "steady":
        return 150 + 20 * math.sin(6.28 * 3 * x)
    if kind == "morning":
        return 60 + 420 / (1 + math.exp(-14 * (x - 0.45)))
    if kind == "flash":
        return 110 + (480 * math.exp(-((x - 0.5) / 0.045) ** 2)) + (260 * math.exp(-((x - 0.8) / 0.02) ** 2))
    if kind == "saw":
        return 80 + 330 * ((3 * x) % 1.0)
    if kind == "weekend":
        return 300 - 210 * x + 40 * math.sin(6.28 * 5 * x)
    if kind == "storm":
        return 90 + (300 if int(x * 9) % 3 == 1 else 0) + 60 * x
    sys.exit(__doc__)


def main(kind, seed):
    rng = random.Random(seed)
    steps, drift = [], 0.0
    for t in range(STEPS):
        drift = 0.9 * drift + rng.gauss(0, 0.03)
        requests = max(5.0, level(kind, t, rng) * (1 + drift + rng.gauss(0, 0.02)))
        writes = requests * (0.12 + 0.03 * math.sin(6.28 * t / STEPS * 2))
        jobs = max(0.0, 12 + requests * 0.05 + (25 if rng.random() < 0.04 else 0))
        steps.append([round(requests, 1), round(writes, 1), round(jobs, 1)])
    json.dump({"what": "%s load, seed %d" % (kind, seed), "steps": steps}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]))
