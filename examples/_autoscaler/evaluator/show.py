"""Shows how the policy here runs a trace, step by step:

    python3 evaluator/show.py evaluator/traces/flash.json
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import evaluate
import plant


def main(path):
    with open(path) as f:
        trace = json.load(f)
    print("%s: %s" % (os.path.basename(path), trace["what"]))
    print("  time  requests  web     app     workers cache  shed   util  p99 ms errors  queue    $/h")

    clock = [0]

    def each(system, action, figure):
        seen = system.observe()
        print("%5ds %9.0f %4d+%-3d %4d+%-3d %4d+%-3d %5.1f %5.2f %6.2f %7.0f %6.2f%% %6.0f %6.2f %s" % (
            clock[0], seen["requests"], seen["web"], seen["web_starting"], seen["app"], seen["app_starting"], seen["workers"], seen["workers_starting"],
            seen["cache_gb"], seen["shed"], seen["app_util"], figure["p99_ms"], 100 * seen["errors"], figure["queue"], figure["price"],
            "#" * min(40, int(seen["requests"] / 15))))
        clock[0] += int(plant.STEP)

    policy = evaluate.Policy()
    figures = evaluate.drive(policy, trace["steps"], each)
    policy.close()
    score, money = plant.score(figures)
    print("score %.3f an hour, %.2f of it money, p99 %.0f ms" % (score, money, plant.percentile(figures, 0.99)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
