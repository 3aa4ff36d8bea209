"""Scores a search heuristic: how deep a valley does it find, how surely?

Written against the documented interface of OpenEvolve evaluators: functions
evaluate_stage1 and evaluate_stage2 for the cascade, evaluate for everything at
once, each called with the path of the program.
"""

import importlib.util
import math

from openevolve.evaluation_result import EvaluationResult

LOWEST = -1.5986  # of the valley below, found on a fine grid
LOOKS = 400


class Valley:
    """A bumpy valley that counts how often it is looked at."""

    def __init__(self):
        self.looks = 0

    def __call__(self, x, y):
        self.looks += 1
        if self.looks > LOOKS:
            raise ValueError("looked more than %d times" % LOOKS)
        x, y = float(x), float(y)
        return 0.05 * (x * x + y * y) - math.cos(2 * x) * math.cos(3 * y) + 0.9 * math.sin(x + y)


def _load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def _depth(program, seed):
    valley = Valley()
    x, y = program.search(valley, seed)
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError("the point is not finite: %r, %r" % (x, y))
    found = Valley()(x, y)
    return max(0.0, 1.0 - (found - LOWEST))


def _score(program_path, seeds):
    program = _load(program_path)
    depths = [_depth(program, seed) for seed in seeds]
    mean = sum(depths) / len(depths)
    return {
        "combined_score": 0.8 * mean + 0.2 * min(depths),
        "mean_depth": mean,
        "worst_depth": min(depths),
    }, depths


def evaluate_stage1(program_path):
    metrics, _ = _score(program_path, seeds=[1])
    return metrics


def evaluate_stage2(program_path):
    metrics, depths = _score(program_path, seeds=range(1, 11))
    return EvaluationResult(metrics=metrics, artifacts={"depths": " ".join("%.4f" % d for d in depths)})


def evaluate(program_path):
    return evaluate_stage2(program_path)
