"""Shared by the adapters that run Python evaluators of other systems unchanged.

The nouns are the context (what ATOLL_CONTEXT holds), the report (what goes to
ATOLL_RESULT) and the failure (a candidate that cannot be scored). The modules
use Python 3.8 and its standard library alone.

Caveat: the evaluators import the candidate's code into this process. Taking
the names of the channel out of the environment keeps honest code from tripping
over them; it is no barrier against code that looks for them.
"""

import importlib.util
import json
import math
import os
import sys
import types

MAX_METRICS = 512
MAX_TEXT = 64 * 1024


class Report:
    """Collects metrics and texts and writes them once."""

    def __init__(self):
        self._path = os.environ.pop("ATOLL_RESULT")
        with open(os.environ.pop("ATOLL_CONTEXT"), encoding="utf-8") as f:
            self.context = json.load(f)
        os.environ.pop("ATOLL_RUN", None)
        self._open, self._dumps, self._exit = open, json.dumps, os._exit
        self._isfinite = math.isfinite
        self.summary = ""
        self.metrics = []
        self.names = set()
        self.tests = []
        self.logs = []
        self.artifacts = {}
        self.extra = None
        self.failure = None
        self.identity = None

    def metric(self, name, value, unit=None, higher=None):
        """Adds a number. A value that is no finite number is a failure."""
        name = str(name).strip()
        number = float(value)
        if not self._isfinite(number):
            self.fail("metric", "the metric %r is not finite: %r" % (name, value))
            return
        if name in self.names or len(self.metrics) >= MAX_METRICS:
            return
        self.names.add(name)
        entry = {"name": name, "value": number}
        if unit:
            entry["unit"] = str(unit)
        if higher is not None:
            entry["higher_is_better"] = bool(higher)
        self.metrics.append(entry)

    def artifact(self, name, value):
        if isinstance(value, (bytes, bytearray)):
            value = bytes(value).decode("utf-8", "replace")
        elif not isinstance(value, str):
            try:
                value = self._dumps(value, default=str)
            except (TypeError, ValueError):
                value = repr(value)
        self.artifacts[str(name)] = value[:MAX_TEXT]

    def fail(self, kind, reason):
        if self.failure is None:
            self.failure = {"class": kind, "reason": str(reason)}

    def write(self):
        body = {"summary": self.summary, "metrics": self.metrics}
        for key in ("tests", "logs", "artifacts", "extra", "identity", "failure"):
            value = getattr(self, key)
            if value:
                body[key] = value
        try:
            text = self._dumps(body, allow_nan=False, default=str)
        except (TypeError, ValueError):
            body.pop("extra", None)
            text = self._dumps(body, allow_nan=False, default=str)
        with self._open(self._path, "w", encoding="utf-8") as f:
            f.write(text)


def is_number(value):
    """True for what the other systems take as a number, numpy scalars too."""
    if isinstance(value, (int, float)):
        return True
    kind = type(value)
    return kind.__module__ == "numpy" and hasattr(value, "item") and isinstance(value.item(), (int, float))


def is_mapping(value):
    return hasattr(value, "keys") and hasattr(value, "__getitem__")


def forget_control():
    """Takes the folder of these files off the import path."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != here]


def load_file(name, path):
    """Imports a file as a module under the given name."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("cannot load " + path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def stand_in(name, **members):
    """Provides a package that evaluators import types from, unless it is there."""
    if importlib.util.find_spec(name.split(".")[0]) is not None and name.split(".")[0] not in sys.modules:
        return
    parts = name.split(".")
    for i in range(1, len(parts) + 1):
        full = ".".join(parts[:i])
        if full in sys.modules:
            continue
        module = types.ModuleType(full)
        module.__path__ = []
        sys.modules[full] = module
        if i > 1:
            setattr(sys.modules[".".join(parts[: i - 1])], parts[i - 1], module)
    for key, value in members.items():
        setattr(sys.modules[name], key, value)
