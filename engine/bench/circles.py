"""Measures packings that come as JSON strings, one on a line, until there are none.

Each candidate runs in a child of its own, with limits of time and memory; its
circles are checked by the evaluator of the example, whose folder is the argument.
"""

import json
import os
import resource
import sys

sys.path.insert(0, sys.argv[1])
import evaluate

ARGUMENTS = [evaluate.N, evaluate.STEPS] if hasattr(evaluate, "STEPS") else [evaluate.N]


def run(source, out):
    """The child: write the circles of a candidate to a descriptor."""
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    space = {"__name__": "solution"}
    exec(compile(source, "solution.py", "exec"), space)
    lines = ["%r %r %r" % tuple(float(v) for v in circle) for circle in space["pack_circles"](*ARGUMENTS)]
    os.write(out, "\n".join(lines).encode())


def measure(source):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(read)
            run(source, write)
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    data = b""
    while len(data) <= evaluate.LIMIT:
        part = os.read(read, evaluate.LIMIT)
        if not part:
            break
        data += part
    os.close(read)
    if os.waitpid(pid, 0)[1] != 0:
        return {"error": "the candidate failed"}
    try:
        circles = evaluate.parse(data)
        evaluate.check(circles)
    except ValueError as e:
        return {"error": "refused: %s" % e}
    return {"metrics": evaluate.result(circles)["metrics"]}


for line in sys.stdin:
    sys.stdout.write(json.dumps(measure(json.loads(line))) + "\n")
    sys.stdout.flush()
