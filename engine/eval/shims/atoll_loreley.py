"""Runs an evaluation plug-in written for Loreley.

usage: atoll_loreley.py MODULE:ATTRIBUTE PYTHON_PATH...

The plug-in is a callable that takes a context, an object with a method
evaluate, or a class of such objects. The context has the attributes worktree,
base_commit_hash, candidate_commit_hash, job_id, goal, payload, plan_summary and
metadata. The result is a mapping or an object with summary, metrics,
tests_executed, logs, extra and artifacts; or an object that says the candidate
failed (kind and summary); or an envelope with outcome_kind, result and failure.
"""

import dataclasses
import importlib
import inspect
import pathlib
import sys
import typing

import atoll_adapter as adapter

FAILURES = {"compile": "build", "typecheck": "build", "lint": "build"}


class EvaluationError(RuntimeError):
    pass


@dataclasses.dataclass
class EvaluationContext:
    worktree: pathlib.Path
    base_commit_hash: typing.Optional[str] = None
    candidate_commit_hash: typing.Optional[str] = None
    job_id: typing.Optional[str] = None
    goal: typing.Optional[str] = None
    payload: dict = dataclasses.field(default_factory=dict)
    plan_summary: typing.Optional[str] = None
    metadata: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class EvaluationMetric:
    name: str
    value: float
    unit: typing.Optional[str] = None
    higher_is_better: bool = True
    details: typing.Any = None


@dataclasses.dataclass
class EvaluationArtifact:
    key: str
    kind: str = "text"
    mime_type: str = "text/plain"
    path: typing.Any = None
    inline_payload: typing.Any = None
    label: typing.Optional[str] = None
    summary: typing.Optional[str] = None
    visibility: str = "human_only"
    agent_projection: str = "summary"
    diagnostics: tuple = ()
    metadata: typing.Any = None


@dataclasses.dataclass
class EvaluationDiagnostic:
    kind: str
    message: str
    severity: str = "info"
    location: typing.Optional[str] = None
    metric: typing.Optional[str] = None
    value: typing.Optional[float] = None
    unit: typing.Optional[str] = None


@dataclasses.dataclass
class EvaluationResult:
    summary: str
    metrics: typing.Any = ()
    tests_executed: typing.Any = ()
    logs: typing.Any = ()
    extra: typing.Any = None
    artifacts: typing.Any = ()
    candidate_identity: typing.Optional[str] = None


@dataclasses.dataclass
class EvalPass(EvaluationResult):
    pass


@dataclasses.dataclass
class EvalFail:
    kind: str
    summary: str
    details: typing.Optional[str] = None
    artifacts: typing.Any = ()


STAND_INS = (
    EvaluationError, EvaluationContext, EvaluationMetric, EvaluationArtifact,
    EvaluationDiagnostic, EvaluationResult, EvalPass, EvalFail,
)


def field(value, name, default=None):
    if adapter.is_mapping(value):
        return value[name] if name in value.keys() else default
    return getattr(value, name, default)


def has(value, name):
    return name in value.keys() if adapter.is_mapping(value) else hasattr(value, name)


def texts(value):
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    return [str(v) for v in value]


def resolve(plugin):
    name, _, attribute = plugin.partition(":")
    target = importlib.import_module(name)
    for part in attribute.split("."):
        target = getattr(target, part)
    if inspect.isclass(target):
        target = target()
    if hasattr(target, "evaluate"):
        return target.evaluate
    if callable(target):
        return target
    if hasattr(target, "prepare"):
        raise TypeError("%s is a plug-in in phases (prepare, measure, finalize), which this adapter does not run" % plugin)
    raise TypeError("%s is neither callable nor has it a method evaluate" % plugin)


def context_of(c):
    root = c["root"]
    metadata = {"is_seed_job": False, "sampling": {}}
    if root:
        metadata = {"root_commit": True}
    goal = c["goal"]
    if root and not goal:
        goal = "Baseline evaluation for root commit " + c["commit"]
    payload = {
        "job": {
            "id": str(c["job"]), "island_id": None, "goal": goal, "constraints": [],
            "acceptance_criteria": [], "notes": [], "tags": [],
        },
        "plan": {"summary": "", "focus_metrics": [], "guardrails": []},
    }
    values = {
        "worktree": pathlib.Path(c["tree"]),
        "base_commit_hash": None if root else c["base_commit"] or None,
        "candidate_commit_hash": c["commit"] or None,
        "job_id": None if root else str(c["job"]),
        "goal": goal,
        "payload": {} if root else payload,
        "plan_summary": None,
        "metadata": metadata,
    }
    real = sys.modules.get("loreley.core.worker.evaluator")
    kind = getattr(real, "EvaluationContext", EvaluationContext)
    return kind(**values)


def failed(report, value):
    """Reports a failure that the plug-in returned; false when it is none."""
    outcome = field(value, "outcome_kind")
    if outcome is not None and str(outcome) != "passed":
        failure = field(value, "failure")
        words = field(failure, "safe_failure_summary") or field(failure, "failure_kind") or outcome
        report.fail("test", words)
        return True
    if has(value, "kind") and not has(value, "metrics"):
        words = field(value, "summary") or field(value, "details") or "the plug-in reported a failure"
        details = field(value, "details")
        if details:
            report.artifact("details", details)
        report.fail(FAILURES.get(str(field(value, "kind")), "test"), words)
        return True
    return False


def fill(report, value):
    if value is None or isinstance(value, (str, int, float, list, tuple)):
        raise TypeError("the plug-in returned %s, expected a mapping or an object with summary and metrics" % type(value).__name__)
    if failed(report, value):
        return
    if has(value, "outcome_kind"):
        value = field(value, "result")
    if not has(value, "summary") and not has(value, "metrics"):
        raise TypeError("the plug-in returned %s without summary and metrics" % type(value).__name__)
    report.summary = str(field(value, "summary") or "").strip()
    if not report.summary:
        raise ValueError("the plug-in returned an empty summary")
    metrics = field(value, "metrics") or ()
    if adapter.is_mapping(metrics) or has(metrics, "value"):
        metrics = (metrics,)
    for m in metrics:
        name, number = str(field(m, "name") or "").strip(), field(m, "value")
        if not name:
            raise ValueError("a metric has no name")
        if isinstance(number, bool) or number is None:
            raise ValueError("the metric %r is not numeric: %r" % (name, number))
        report.metric(name, number, field(m, "unit"), field(m, "higher_is_better", True) is not False)
    report.tests = texts(field(value, "tests_executed"))
    report.logs = texts(field(value, "logs"))
    extra = field(value, "extra")
    if extra:
        report.extra = dict(extra)
    artifacts = field(value, "artifacts") or ()
    if adapter.is_mapping(artifacts):
        artifacts = (artifacts,)
    for i, a in enumerate(artifacts):
        name = field(a, "key") or "artifact %d" % (i + 1)
        body = field(a, "inline_payload")
        if body is None and field(a, "path") is not None:
            try:
                with open(str(field(a, "path")), "rb") as f:
                    body = f.read(adapter.MAX_TEXT)
            except OSError:
                body = None
        report.artifact(name, body if body is not None else field(a, "summary") or field(a, "label") or "")


def main():
    report = adapter.Report()
    adapter.forget_control()
    plugin, paths = sys.argv[1], sys.argv[2:]
    sys.argv = [plugin]
    sys.path[:0] = paths
    adapter.stand_in("loreley.core.worker.evaluator", **{c.__name__: c for c in STAND_INS})
    fill(report, resolve(plugin)(context_of(report.context)))
    report.write()


if __name__ == "__main__":
    main()
