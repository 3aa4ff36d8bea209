"""Times functions of the candidate by calls that the tests make of them (calls.json).

The candidate's code runs in a process of its own with fewer rights (work.py). This one tells it
what to call, reads from the kernel how much processor time that took, and compares the answers.
Each call is made many times over: an answer that is kept for the next time would look like a gain.
"""
import contextlib
import json
import math
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SLICE = 0.004  # seconds of one function at a time
ROUNDS = 24  # of all functions, in turns


class Failure(Exception):
    """What the candidate fails for."""


def processor_clock(pid):
    """Tells the processor time of the process that calls itself pid in a namespace of its own;
    the time on the wall where that cannot be seen."""
    deepest, seen = (0, pid), []
    with contextlib.suppress(OSError):  # without namespaces there is nothing to see, and pid is what it calls itself
        seen = os.listdir("/proc")
    for name in seen:
        if name.isdigit():
            try:
                with open("/proc/%s/status" % name) as f:
                    ids = [line.split()[1:] for line in f if line.startswith("NSpid:")][0]
            except (OSError, IndexError):
                continue
            if ids[-1] == str(pid):
                deepest = max(deepest, (len(ids), int(ids[0])))
    clock = (~deepest[1] << 3) | 2  # clock_getcpuclockid(3)
    try:
        time.clock_gettime(clock)
    except OSError:
        return time.perf_counter
    return lambda: time.clock_gettime(clock)


class Worker:
    def __init__(self, calls):
        with open(os.path.join(HERE, "work.py"), encoding="utf-8") as f:
            source = f.read()
        command = [sys.executable, "-E", "-c", source]
        if os.environ.get("ATOLL_RUN"):
            command.insert(0, os.environ["ATOLL_RUN"])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.clock = processor_clock(int(self.read()))
        self.ask(json.dumps(calls))

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            raise Failure("the process that makes the calls ended by itself; what it said is in its stderr")
        return line

    def ask(self, line):
        with contextlib.suppress(OSError):  # that it ended is seen by what it does not say
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        return self.read()

    def close(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait()

    def seconds(self, function, times):
        began = self.clock()
        self.ask("run %d %d" % (function, times))
        return self.clock() - began


def compare(calls, answers):
    for function, given in zip(calls["functions"], answers):
        for call, now in zip(function["calls"], given):
            named = "%s, called with %s and %s," % (function["name"], call["args"][:200], call["kwargs"][:200])
            if now["failed"]:
                raise Failure("%s failed: %s" % (named, now["failed"]))
            steps, worked = call.get("then", []), len(now["steps"])
            if worked < len(steps):
                raise Failure("%s failed then: %s" % (named, now["broken"]))
            wanted, got = call["answer"], now["answer"]
            if wanted is None or got == wanted:
                continue
            if steps and got is not None:  # a line for each
                wanted, got = wanted.split("\n"), got.split("\n")
                at = next(i for i, (w, g) in enumerate(zip(wanted, got)) if w != g)
                named, wanted, got = "%s then %s%s" % (named, steps[at]["method"], steps[at]["args"][:200]), wanted[at], got[at]
            raise Failure("%s gave %s instead of %s" % (named, str(got)[:200], wanted[:200]))


def lowest_third(values):
    """What disturbs a short run only makes it longer."""
    low = sorted(values)[: max(1, len(values) // 3)]
    return sum(low) / len(low)


def measure(worker, count):
    times = []
    for i in range(count):
        n = 1
        while True:
            took = worker.seconds(i, n)
            if took >= SLICE / 2 or n >= 1 << 20:
                break
            n = max(n + 1, min(10 * n, int(n * SLICE / max(took, 1e-7))))
        times.append((n, []))
    for _ in range(ROUNDS):
        for i, (n, taken) in enumerate(times):
            taken.append(worker.seconds(i, n) / n)
    return [1e6 * lowest_third(taken) for _, taken in times]


def mean(functions, each):
    """The geometric mean of the times, each by the share that its function has of the tests' time."""
    weights = [f.get("share", 1) for f in functions]
    return math.exp(sum(w * math.log(max(t, 1e-6)) for w, t in zip(weights, each)) / sum(weights))


def main():
    with open(os.path.join(HERE, "calls.json"), encoding="utf-8") as f:
        calls = json.load(f)
    result, worker = {}, None
    try:
        worker = Worker(calls)
        if sys.argv[1:]:  # a question of atoll init
            print(worker.ask(" ".join(sys.argv[1:])), end="")
            return
        compare(calls, json.loads(worker.ask("answers")))
        each = measure(worker, len(calls["functions"]))
        result["metrics"] = [{"name": "time_us", "value": mean(calls["functions"], each), "unit": "us", "higher_is_better": False}]
        for function, t in zip(calls["functions"], each):
            result["metrics"].append({"name": function["name"].replace(":", ".") + " us", "value": t, "unit": "us", "higher_is_better": False})
    except Failure as e:
        result["failure"] = {"class": "test", "reason": str(e)}
    finally:
        if worker is not None:  # where nothing ends with this process it would be left behind
            worker.close()
    with open(os.environ["ATOLL_RESULT"], "w", encoding="utf-8") as f:
        json.dump(result, f)


if __name__ == "__main__":
    main()
