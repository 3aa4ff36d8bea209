"""Runs an evaluator with evaluate(program_path), or evaluate_stage1 to 3.

usage: atoll_openevolve.py EVALUATOR PROGRAM THRESHOLDS [BUNDLE]

EVALUATOR is the evaluator's file, PROGRAM the program in the candidate's tree,
THRESHOLDS "0.5,0.75,0.9" for the cascade or "off". PROGRAM may be a folder when
BUNDLE names a function, module:function beside the evaluator, that makes one
text of it: that text is the program which the evaluator is given. A result is a dict of numbers
or an object with metrics and artifacts. A score "combined_score" is added, the
mean of the numbers, when the evaluator reports none. A text "error" beside a
score of 0 is how such evaluators say that the program failed.
"""

import dataclasses
import importlib
import inspect
import os
import sys
import traceback

import atoll_adapter as adapter


@dataclasses.dataclass
class EvaluationResult:
    """Stands in for the class of the same name when its package is absent."""

    metrics: dict
    artifacts: dict = dataclasses.field(default_factory=dict)

    @classmethod
    def from_dict(cls, metrics):
        return cls(metrics=metrics)

    def to_dict(self):
        return self.metrics

    def has_artifacts(self):
        return bool(self.artifacts)

    def get_artifact_keys(self):
        return list(self.artifacts)


def awaited(value):
    """Waits for what an asynchronous evaluator returned. Few are: loading
    asyncio takes a third of the time of the others."""
    import asyncio

    async def whole():
        return await value

    return asyncio.run(whole())


class Result:
    """Numbers and texts of one call."""

    def __init__(self, value):
        if inspect.isawaitable(value):
            value = awaited(value)
        if adapter.is_mapping(value):
            metrics, artifacts = value, {}
        elif hasattr(value, "metrics"):
            metrics, artifacts = value.metrics, getattr(value, "artifacts", None) or {}
        else:
            raise TypeError("the evaluator returned %s, expected a dict or an object with metrics" % type(value).__name__)
        self.numbers, self.texts = {}, dict(artifacts)
        for name in metrics.keys():
            number = metrics[name]
            if adapter.is_number(number):
                self.numbers[str(name)] = float(number)
            elif number is not None:
                self.texts.setdefault(str(name), number)

    def useful(self):
        return {k: v for k, v in self.numbers.items() if k != "error"}

    def score(self):
        if "combined_score" in self.numbers:
            return self.numbers["combined_score"]
        values = list(self.useful().values())
        return sum(values) / len(values) if values else 0.0

    def merge(self, other):
        self.numbers = {**self.useful(), **other.useful()}
        self.texts.update(other.texts)


def cascade(module, program, thresholds):
    result = Result(module.evaluate_stage1(program))
    for number, threshold in ((2, 0), (3, 1)):
        stage = getattr(module, "evaluate_stage%d" % number, None)
        if stage is None or threshold >= len(thresholds) or not result.score() >= thresholds[threshold]:
            break
        try:
            result.merge(Result(stage(program)))
        except Exception:
            # What the earlier stages found stands, as in the original.
            traceback.print_exc()
            result.numbers["stage%d_passed" % number] = 0.0
            result.texts["stage%d_traceback" % number] = traceback.format_exc()
            break
    return result


def bundle(function, folder, scratch):
    """Writes the files of a folder as the one text that the evaluator takes."""
    module, _, name = function.partition(":")
    text = getattr(importlib.import_module(module), name)(folder)
    path = os.path.join(scratch, "program.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def main():
    report = adapter.Report()
    adapter.forget_control()
    evaluator, program, thresholds = sys.argv[1:4]
    function = sys.argv[4] if len(sys.argv) > 4 else ""
    sys.argv = [evaluator]
    adapter.stand_in("openevolve.evaluation_result", EvaluationResult=EvaluationResult)
    sys.path.insert(0, os.path.dirname(os.path.abspath(evaluator)))
    if function:
        program = bundle(function, program, report.context["scratch"])
    module = adapter.load_file("evaluation_module", evaluator)
    if thresholds != "off" and hasattr(module, "evaluate_stage1"):
        result = cascade(module, program, [float(t) for t in thresholds.split(",")])
    elif hasattr(module, "evaluate"):
        result = Result(module.evaluate(program))
    else:
        raise AttributeError("%s has no function evaluate" % evaluator)
    numbers = result.useful()
    told = result.texts.get("error")
    for name, text in result.texts.items():
        report.artifact(name, text)
    if numbers and told and isinstance(told, str) and result.score() <= 0:
        report.fail("test", "the evaluator reported an error: " + told)
    elif numbers:
        report.metric("combined_score", result.score(), higher=True)
        for name, value in numbers.items():
            report.metric(name, value)
        report.summary = "combined_score %.6g" % result.score()
    else:
        told = told or result.texts.get("stderr") or "the evaluator reported no number"
        report.fail("test", told)
    report.write()


if __name__ == "__main__":
    main()
