"""Scores how parcels are put into vans.

Written against the documented interface of Loreley evaluation plug-ins:
plugin(context) reads the candidate from context.worktree and returns a mapping
with summary, metrics, tests_executed, logs and extra.
"""

import importlib.util
import random
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loreley.core.worker.evaluator import EvaluationContext

VAN = 100


def _load(worktree):
    path = Path(worktree) / "solution.py"
    if not path.is_file():
        raise FileNotFoundError("no solution.py in %s" % worktree)
    spec = importlib.util.spec_from_file_location("solution", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.load


def _problem(seed):
    rng = random.Random(seed)
    return [rng.randint(8, 62) for _ in range(60)]


def _check(parcels, vans):
    """Every parcel in exactly one van, no van too full."""
    seen = sorted(i for van in vans for i in van)
    if seen != list(range(len(parcels))):
        raise ValueError("a parcel is missing, or is in two vans")
    for n, van in enumerate(vans):
        load = sum(parcels[i] for i in van)
        if load > VAN:
            raise ValueError("van %d carries %d of %d" % (n, load, VAN))


def plugin(context: "EvaluationContext"):
    load = _load(context.worktree)
    vans = waste = 0
    for seed in range(1, 9):
        parcels = _problem(seed)
        answer = [list(van) for van in load(list(parcels), VAN)]
        _check(parcels, answer)
        vans += len(answer)
        waste += VAN * len(answer) - sum(parcels)
    return {
        "summary": "%d vans for 8 days" % vans,
        "metrics": [
            {"name": "vans", "value": vans, "unit": "vans", "higher_is_better": False, "details": {"days": 8}},
            {"name": "waste", "value": waste / (VAN * vans), "unit": "fraction", "higher_is_better": False},
        ],
        "tests_executed": ["every parcel once", "no van too full"],
        "logs": ["worktree read", "vans: %d" % vans],
        "extra": {"job": context.job_id},
    }
