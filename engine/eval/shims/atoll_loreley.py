"""Runs an evaluation plug-in written for Loreley.

usage: atoll_loreley.py MODULE:ATTRIBUTE PYTHON_PATH...

The plug-in is a callable that takes a context, an object with a method
evaluate, or a class of such objects. The context has the attributes worktree,
base_commit_hash, candidate_commit_hash, job_id, goal, payload, plan_summary and
metadata. The result is a mapping or an object with summary, metrics,
tests_executed, logs, extra and artifacts; or an object that says the candidate
failed (kind and summary); or an envelope with outcome_kind, result and failure.

A plug-in whose evaluation_protocol is "phased-v1" has three methods instead:
prepare(context) names what is to be measured and under which contract,
measure(context, preparation) measures it, and finalize(context, preparation,
measurement, provenance) judges. Each of the first two may return a failure. What
one phase hands to the next is JSON. Identity and contract together become the
identity of the report, so that a candidate of the same identity is a duplicate;
a measurement is never taken over from another candidate.
"""

import dataclasses
import hashlib
import importlib
import inspect
import json
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
    comparison: typing.Any = None


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


@dataclasses.dataclass
class EvaluationFailureResult:
    failure_stage: str
    failure_kind: str
    repairability: str = "unknown"
    repairability_reason: typing.Optional[str] = None
    safe_failure_summary: str = ""
    agent_visible_evidence_refs: tuple = ()
    human_only_artifact_refs: tuple = ()
    hidden_artifact_refs: tuple = ()
    exit_code: typing.Optional[int] = None
    timeout_seconds: typing.Optional[int] = None
    failing_tests_summary: typing.Optional[str] = None
    compiler_errors_summary: typing.Optional[str] = None
    stack_trace_summary: typing.Optional[str] = None


@dataclasses.dataclass
class EvaluationOutcome:
    schema_version: int = 1
    evaluator_name: typing.Optional[str] = None
    evaluator_version: typing.Optional[str] = None
    candidate_commit_hash: typing.Optional[str] = None
    outcome_kind: str = "passed"
    result: typing.Any = None
    failure: typing.Any = None
    artifacts: typing.Any = ()
    started_at: typing.Any = None
    finished_at: typing.Any = None


@dataclasses.dataclass
class MeasurementEvidence:
    key: str
    sha256: str
    size_bytes: typing.Optional[int] = None
    metadata: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class EvaluationPreparation:
    candidate_identity: str
    measurement_contract_fingerprint: str
    state: dict = dataclasses.field(default_factory=dict)
    artifacts: typing.Any = ()


@dataclasses.dataclass
class EvaluationMeasurement:
    data: dict = dataclasses.field(default_factory=dict)
    evidence: typing.Any = ()
    artifacts: typing.Any = ()
    cacheable: bool = False


@dataclasses.dataclass
class MeasurementProvenance:
    cache_key: str
    reused: bool = False
    measurement_id: typing.Optional[str] = None
    source_evaluation_attempt_id: typing.Optional[str] = None
    evidence: typing.Any = ()


STAND_INS = (
    EvaluationError, EvaluationContext, EvaluationMetric, EvaluationArtifact,
    EvaluationDiagnostic, EvaluationResult, EvalPass, EvalFail,
    EvaluationFailureResult, EvaluationOutcome, MeasurementEvidence,
    EvaluationPreparation, EvaluationMeasurement, MeasurementProvenance,
)

PHASED = "phased-v1"


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
    protocol = getattr(target, "evaluation_protocol", None)
    if protocol == PHASED:
        return target
    if protocol is not None:
        raise TypeError("%s follows %r, a protocol that this adapter does not know" % (plugin, protocol))
    if hasattr(target, "evaluate"):
        return target.evaluate
    if callable(target):
        return target
    raise TypeError("%s is neither callable nor has it a method evaluate" % plugin)


def passed_on(value, what):
    """Returns a mapping as another process would read it."""
    value = value or {}
    if not adapter.is_mapping(value):
        raise TypeError("%s is %s, expected a mapping" % (what, type(value).__name__))
    return json.loads(json.dumps(dict(value), allow_nan=False))


def is_failure(value):
    return has(value, "outcome_kind") or has(value, "kind") and has(value, "summary")


def phases(report, plugin, context):
    """Runs a plug-in in phases and returns what the last one returned."""
    preparation = plugin.prepare(context)
    if is_failure(preparation):
        return preparation
    identity = str(field(preparation, "candidate_identity") or "").strip()
    contract = str(field(preparation, "measurement_contract_fingerprint") or "").strip()
    if not identity or not contract:
        raise ValueError("prepare returned no candidate_identity or no measurement_contract_fingerprint")
    preparation = type_of("EvaluationPreparation")(
        candidate_identity=identity, measurement_contract_fingerprint=contract,
        state=passed_on(field(preparation, "state"), "the state of prepare"), artifacts=field(preparation, "artifacts") or (),
    )
    artifacts(report, preparation)
    measurement = plugin.measure(context, preparation)
    if is_failure(measurement):
        return measurement
    evidence = tuple(field(measurement, "evidence") or ())
    if field(measurement, "cacheable") and not evidence:
        raise ValueError("measure returned a cacheable measurement without evidence")
    measurement = type_of("EvaluationMeasurement")(
        data=passed_on(field(measurement, "data"), "the data of measure"), evidence=evidence,
        artifacts=field(measurement, "artifacts") or (), cacheable=bool(field(measurement, "cacheable")),
    )
    artifacts(report, measurement)
    report.identity = identity + "\n" + contract
    key = hashlib.sha256(report.identity.encode("utf-8")).hexdigest()
    provenance = type_of("MeasurementProvenance")(cache_key=key, reused=False, evidence=evidence)
    return plugin.finalize(context, preparation, measurement, provenance)


def type_of(name):
    """The class of this name that the plug-in sees."""
    return getattr(sys.modules.get("loreley.core.worker.evaluator"), name, None) or globals()[name]


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
    return type_of("EvaluationContext")(**values)


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
    report.logs += texts(field(value, "logs"))
    extra = field(value, "extra")
    if extra:
        report.extra = dict(extra)
    if report.identity is None and field(value, "candidate_identity"):
        report.identity = str(field(value, "candidate_identity"))
    artifacts(report, value)


def artifacts(report, value):
    """Keeps what a phase or a result declares; only what agents may see goes
    where later prompts find it.
    """
    listed = field(value, "artifacts") or ()
    if adapter.is_mapping(listed) or has(listed, "key"):
        listed = (listed,)
    for i, a in enumerate(listed):
        name = field(a, "key") or "artifact %d" % (i + 1)
        body = field(a, "inline_payload")
        if body is None and field(a, "path") is not None:
            try:
                with open(str(field(a, "path")), "rb") as f:
                    body = f.read(adapter.MAX_TEXT)
            except OSError:
                body = None
        if body is None:
            body = field(a, "summary") or field(a, "label") or ""
        if str(field(a, "visibility")) == "agent_visible":
            report.artifact(name, body)
        else:
            if isinstance(body, (bytes, bytearray)):
                body = bytes(body).decode("utf-8", "replace")
            report.logs.append("%s: %s" % (name, body))


def call(report, plugin, context):
    if getattr(plugin, "evaluation_protocol", None) == PHASED:
        return phases(report, plugin, context)
    return plugin(context)


def main():
    report = adapter.Report()
    adapter.forget_control()
    plugin, paths = sys.argv[1], sys.argv[2:]
    sys.argv = [plugin]
    sys.path[:0] = paths
    adapter.stand_in("loreley.core.worker.evaluator", **{c.__name__: c for c in STAND_INS})
    fill(report, call(report, resolve(plugin), context_of(report.context)))
    report.write()


if __name__ == "__main__":
    main()
