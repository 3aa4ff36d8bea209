"""Measures a policy on traces of load.

The policy runs in a process of its own, through $ATOLL_RUN: for each step it gets
what can be seen as a line of JSON and answers with one. The plant and all
figures are here. The traces in unseen/ count for nothing; they show over-fitting.
"""

import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import plant

# What runs in the policy's process. What it prints goes to stderr.
RUNNER = """
import json, os, sys
out = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)
sys.path.insert(0, os.getcwd())
import policy
memory = {}
for line in sys.stdin:
    seen = json.loads(line)
    if seen is None:
        memory = {}
        continue
    out.write(json.dumps(policy.decide(seen, memory)) + "\\n")
"""

KEYS = ("web", "app", "workers", "cache_gb", "shed")


class Policy:
    """The candidate's process."""

    def __init__(self):
        launcher = os.environ.get("ATOLL_RUN", "").split()
        env = dict(os.environ)
        if not launcher:
            env.pop("ATOLL_RESULT", None)
        self.process = subprocess.Popen(
            launcher + [sys.executable or "python3", "-I", "-S", "-B", "-c", RUNNER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env,
        )

    def forget(self):
        self.send(None)

    def send(self, value):
        try:
            self.process.stdin.write(json.dumps(value).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise ValueError("the policy ended before the trace did")

    def ask(self, seen):
        self.send(seen)
        line = self.process.stdout.readline(4096)
        if not line.endswith(b"\n"):
            raise ValueError("the policy gave no answer")
        action = json.loads(line)
        if not isinstance(action, dict) or sorted(action) != sorted(KEYS):
            raise ValueError("an answer has exactly %s" % ", ".join(KEYS))
        for key in KEYS:
            v = action[key]
            if isinstance(v, bool) or not isinstance(v, (int, float)) or not math.isfinite(v) or abs(v) > 1e6:
                raise ValueError("%s is no number: %r" % (key, v))
        return action

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def traces(folder):
    for name in sorted(os.listdir(os.path.join(HERE, folder))):
        with open(os.path.join(HERE, folder, name)) as f:
            yield name[: -len(".json")], json.load(f)["steps"]


def drive(policy, steps, each=None):
    """Let a policy run a trace; returns the figures of each step."""
    system = plant.Plant()
    system.step(steps[0])  # so that there is something to be seen
    policy.forget()
    figures = []
    for demand in steps:
        action = policy.ask(system.observe())
        system.act(action)
        figures.append(system.step(demand))
        if each:
            each(system, action, figures[-1])
    return figures


def measure(policy, folder):
    """Mean score and price over the traces of a folder, and all of their steps."""
    scores, prices, steps = [], [], []
    for _, trace in traces(folder):
        figures = drive(policy, trace)
        value, money = plant.score(figures)
        scores.append(value)
        prices.append(money)
        steps += figures
    return math.fsum(scores) / len(scores), math.fsum(prices) / len(prices), steps


def main():
    policy = Policy()
    try:
        score, price, steps = measure(policy, "traces")
        unseen, _, _ = measure(policy, "unseen")
        policy.close()
    except ValueError as e:
        policy.process.kill()
        sys.exit("refused: %s" % e)
    asked = math.fsum(f["requests"] for f in steps)
    failed = math.fsum(f["failed"] + f["turned"] for f in steps)
    p99 = plant.percentile(steps, 0.99)
    result = {
        "summary": "%.3f an hour, %.2f of it money; p99 %.0f ms, %.2f %% errors; unseen %.3f" % (score, price, p99, 100 * failed / asked, unseen),
        "metrics": [
            {"name": "score", "value": score, "unit": "$/h", "higher_is_better": False},
            {"name": "price", "value": price, "unit": "$/h", "higher_is_better": False},
            {"name": "p99_ms", "value": p99, "unit": "ms", "higher_is_better": False},
            {"name": "error_pct", "value": 100 * failed / asked, "unit": "%", "higher_is_better": False},
            {"name": "unseen", "value": unseen, "unit": "$/h", "higher_is_better": False},
        ],
    }
    with open(os.environ["ATOLL_RESULT"], "w") as f:
        json.dump(result, f)


if __name__ == "__main__":
    main()
