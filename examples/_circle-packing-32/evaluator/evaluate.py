"""Measures a packing of 32 circles in the unit square.

The candidate's code runs in a process of its own, through $ATOLL_RUN, and only
says where its circles are. This process checks them: exactly 32, every number
finite, every radius above zero, every circle inside the square, no two
overlapping. The comparison is exact, in whole numbers, without any tolerance.
"""

import json
import math
import os
import sys

N = 32

# What runs in the candidate's process. Whatever it prints goes to stderr; the
# circles leave, one on a line, on the descriptor that was its stdout.
RUNNER = """
import os, sys
out = os.dup(1)
os.dup2(2, 1)
sys.path.insert(0, os.getcwd())
import solution
lines = ["%%r %%r %%r" %% tuple(float(v) for v in circle) for circle in solution.pack_circles(%d)]
os.write(out, "\\n".join(lines).encode())
""" % N

LIMIT = 1 << 16  # bytes that a list of circles may take
SCALE = 1 << 1074  # every finite double is a whole number of 1/SCALE


def run_candidate():
    """Return what the candidate's process wrote, and its exit code."""
    launcher = os.environ.get("ATOLL_RUN", "").split()
    env = dict(os.environ)
    if not launcher:
        env.pop("ATOLL_RESULT", None)
    argv = launcher + [sys.executable or "python3", "-I", "-S", "-B", "-c", RUNNER]
    read, write = os.pipe()
    pid = os.posix_spawnp(argv[0], argv, env, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)])
    os.close(write)
    data = b""
    while len(data) <= LIMIT:
        part = os.read(read, LIMIT)
        if not part:
            break
        data += part
    os.close(read)
    return data, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def parse(data):
    """Return a list of (x, y, r) or raise ValueError."""
    if len(data) > LIMIT:
        raise ValueError("the list of circles is longer than %d bytes" % LIMIT)
    lines = data.decode("ascii").splitlines()
    if len(lines) != N:
        raise ValueError("exactly %d circles are wanted, not %d" % (N, len(lines)))
    circles = []
    for i, line in enumerate(lines):
        circle = tuple(float(word) for word in line.split())
        if len(circle) != 3:
            raise ValueError("circle %d is not three numbers" % i)
        if not all(math.isfinite(v) for v in circle):
            raise ValueError("circle %d holds a number that is not finite" % i)
        circles.append(circle)
    return circles


def whole(v):
    """A double as an exact whole number of 1/SCALE."""
    numerator, denominator = v.as_integer_ratio()
    return numerator * (SCALE // denominator)


def check(circles):
    """Raise ValueError unless the packing is valid, exactly."""
    exact = [tuple(whole(v) for v in circle) for circle in circles]
    for i, (x, y, r) in enumerate(exact):
        if r <= 0:
            raise ValueError("circle %d has a radius of %r" % (i, circles[i][2]))
        if x - r < 0 or y - r < 0 or x + r > SCALE or y + r > SCALE:
            raise ValueError("circle %d leaves the square" % i)
        for j in range(i):
            u, v, s = exact[j]
            if (x - u) ** 2 + (y - v) ** 2 < (r + s) ** 2:
                raise ValueError("circles %d and %d overlap" % (j, i))


def result(circles):
    radii = [r for _, _, r in circles]
    mean = math.fsum(radii) / N
    total = math.fsum(radii)
    spread = math.sqrt(math.fsum((r - mean) ** 2 for r in radii) / N)
    return {
        "summary": "%d circles, sum of radii %.6f" % (N, total),
        "metrics": [
            {"name": "sum_radii", "value": total, "higher_is_better": True},
            {"name": "packing_density", "value": math.pi * math.fsum(r * r for r in radii), "higher_is_better": True},
            {"name": "spread", "value": spread, "higher_is_better": True},
            {"name": "largest", "value": max(radii), "higher_is_better": True},
        ],
        "extra": {"circles": circles},
    }


def main():
    data, code = run_candidate()
    if code != 0:
        sys.exit("the candidate ended with code %d" % code)
    try:
        circles = parse(data)
        check(circles)
    except ValueError as e:
        sys.exit("refused: %s" % e)
    with open(os.environ["ATOLL_RESULT"], "w") as f:
        json.dump(result(circles), f)


if __name__ == "__main__":
    main()
