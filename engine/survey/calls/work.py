"""Makes calls in the tree that it stands in, when measure.py tells it to.

It runs with fewer rights than measure.py, which takes the time and compares the answers.
"""
import sys

if __name__ == "__main__":
    sys.path.pop(0)  # nothing in the tree stands in for the standard library
import collections
import datetime
import decimal
import fractions
import importlib
import itertools
import json
import math
import os
import time
import types

MOST_ITEMS = 10000  # of an iterator
LONGEST = 20000  # text of a value


class Unkeepable(Exception):
    """A value that has no text."""


def ref(module, name):
    """What a module gives a name, or the module itself for none."""
    value = importlib.import_module(module)
    for part in filter(None, name.split(".")):
        value = getattr(value, part)
    return value


NAMES = {"ref": ref, "datetime": datetime, "Decimal": decimal.Decimal, "Fraction": fractions.Fraction}
WHOLE = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta, decimal.Decimal, fractions.Fraction, range, complex)
NAMED = (types.FunctionType, types.BuiltinFunctionType, type)


def text(value, depth=0):
    """An expression for a value, in NAMES."""
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes):
        said = repr(value)
    elif kind is float:
        said = repr(value) if math.isfinite(value) else "float(%r)" % repr(value)
    elif depth > 5:
        raise Unkeepable
    elif kind in (list, tuple):
        said = ", ".join(text(v, depth + 1) for v in value)
        said = "[%s]" % said if kind is list else "(%s%s)" % (said, "," if len(value) == 1 else "")
    elif kind in (set, frozenset):
        said = "%s([%s])" % (kind.__name__, ", ".join(sorted(text(v, depth + 1) for v in value)))
    elif kind is dict:
        said = "{%s}" % ", ".join(text(k, depth + 1) + ": " + text(v, depth + 1) for k, v in value.items())
    elif kind in WHOLE:
        said = repr(value)
        if eval(said, dict(NAMES)) != value:
            raise Unkeepable
    elif kind is types.ModuleType and sys.modules.get(value.__name__) is value:
        said = "ref(%r, '')" % value.__name__
    elif isinstance(value, NAMED) and known(value):
        said = "ref(%r, %r)" % (value.__module__, value.__qualname__)
    else:
        raise Unkeepable
    if len(said) > LONGEST:
        raise Unkeepable
    return said


def known(value):
    try:
        tests = any(part == "__main__" or part.startswith("test") for part in value.__module__.split("."))
        return not tests and ref(value.__module__, value.__qualname__) is value
    except Exception:
        return False


class Function:
    """One function and the calls that count of it."""

    def __init__(self, given):
        module, _, name = given["name"].partition(":")
        self.share = given.get("share", 0)  # of the time of the tests in all of them
        self.given, self.lacks = given["calls"], ""  # why it cannot be called
        try:
            self.call = ref(module, name)
            self.calls = [(*made(c), [(s["method"], *made(s)) for s in c.get("then", ())]) for c in self.given]
        except BaseException as e:
            self.lacks = said(e)

    def run(self, times):
        call, exhaust, items = self.call, collections.deque, itertools.islice
        calls = self.calls
        for _ in range(times):
            for args, kwargs, iterates, then in calls:
                result = call(*args, **kwargs)
                if iterates:
                    exhaust(items(result, MOST_ITEMS), 0)
                for method, args, kwargs, iterates in then:
                    step = getattr(result, method)(*args, **kwargs)
                    if iterates:
                        exhaust(items(step, MOST_ITEMS), 0)

    def answers(self):
        if self.lacks:
            return [{"failed": self.lacks} for _ in self.given]
        return [twice(self.call, args, kwargs, then) for args, kwargs, _, then in self.calls]


def said(e):
    return type(e).__name__ + ": " + str(e)[:200]


def made(given):
    """Arguments of a call, and whether what it gives is an iterator to be exhausted."""
    return eval(given["args"], dict(NAMES)), eval(given["kwargs"], dict(NAMES)), given.get("iterates", False)


def twice(call, args, kwargs, then):
    """What one call gives, when it gives the same the second time."""
    first, again = answer(call, args, kwargs, then), answer(call, args, kwargs, then)
    if not first["failed"] and any(first[k] != again[k] for k in ("answer", "iterates", "steps", "failed")):
        first["failed"] = again["failed"] or "it answers otherwise the second time"
    return first


def answer(call, args, kwargs, then):
    """What one call gives, and what keeps it from being made again and again.

    then are calls of methods of the object that it gives: those that worked are steps, and the first that did
    not has broken it."""
    given = [args, kwargs, *(v for s in then for v in s[1:3])]
    before = [kept(v) for v in given]
    out = {"answer": None, "iterates": False, "failed": "", "us": 0.0, "steps": [], "broken": ""}
    try:
        result, out["iterates"] = taken(out, lambda: call(*args, **kwargs), None if not then else ...)
    except BaseException as e:
        out["failed"] = said(e)
        return out
    answers = [kept(result)]
    for method, args_then, kwargs_then, _ in then:
        try:
            step, iterates = taken(out, lambda: getattr(result, method)(*args_then, **kwargs_then), result)
        except BaseException as e:
            out["broken"] = "%s: %s" % (method, said(e))
            break
        out["steps"].append(iterates)
        answers.append(kept(step))
    if [kept(v) for v in given] != before:
        out["failed"] = "it changes its arguments"
    elif any(a is not None for a in answers):
        out["answer"] = answers[0] if not then else "\n".join(a or "?" for a in answers[1:])
    return out


def taken(out, call, whole):
    """What a call gives, an iterator exhausted unless it is the object that whole stands for (... for any), and whether
    it is one. The time is added to that of out."""
    began = time.process_time_ns()
    result = call()
    iterates = whole is not ... and result is not whole and hasattr(result, "__next__")
    if iterates:
        result = list(itertools.islice(result, MOST_ITEMS))
    out["us"] += (time.process_time_ns() - began) / 1e3
    return result, iterates


def kept(value):
    """A value as text, None where it has none."""
    try:
        return text(value)
    except Unkeepable:
        return None


def profile(functions, seconds):
    """The part of the time that each function of the tree takes, with what it calls outside of the tree."""
    import cProfile
    import pstats

    profiler = cProfile.Profile()
    for f in functions:
        until = time.perf_counter() + seconds * (f.share or 1 / len(functions))
        while time.perf_counter() < until:
            profiler.enable()
            f.run(1)
            profiler.disable()
    top = os.getcwd() + os.sep
    shares, total = collections.Counter(), 0.0
    for (name, line, _), (_, _, own, _, callers) in pstats.Stats(profiler).stats.items():
        total += own
        if name.startswith(top):
            shares[name[len(top) :], line] += own
        else:
            for (caller, at, _), (_, _, _, spent) in callers.items():
                if caller.startswith(top):
                    shares[caller[len(top) :], at] += spent
    total = max(total, sum(shares.values()))  # what calls back from outside of the tree counts for both
    found = [{"file": f, "symbol": symbol(f, line), "share": t / total} for (f, line), t in shares.most_common(30)]
    return [f for f in found if f["symbol"]]


def reach(functions):
    """How many lines of the functions of each file of the tree the calls run, of how many."""
    top, ran = os.getcwd() + os.sep, collections.defaultdict(set)

    def trace(frame, event, _):
        name = frame.f_code.co_filename
        if not name.startswith(top):
            return None
        if event == "line":
            ran[name].add(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        for f in functions:
            f.run(1)
    finally:
        sys.settrace(None)
    found = {}
    for folder, below, names in os.walk(top):
        below[:] = [d for d in below if not d.startswith(".")]
        for name in names:
            whole = os.path.join(folder, name)
            try:
                with open(whole, "rb") as f:
                    lines = lines_of(compile(f.read(), whole, "exec", dont_inherit=True)) if name.endswith(".py") else set()
            except (OSError, SyntaxError, ValueError):
                continue
            if lines:
                found[whole[len(top) :]] = [len(lines & ran[whole]), len(lines)]
    return found


def lines_of(code):
    """The lines of the functions in code, without those at which they begin."""
    import dis

    lines = {line for _, line in dis.findlinestarts(code) if line} if code.co_flags & 1 else set()  # 1: of a function
    lines = lines - {code.co_firstlineno} or lines
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            lines |= lines_of(part)
    return lines


def symbol(name, line):
    """The function that begins at a line of a file, with the classes around it."""
    import ast

    def within(node, outer):
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            full = outer + [child.name] if named else outer
            if named and min([child.lineno] + [d.lineno for d in child.decorator_list]) <= line <= child.end_lineno:
                return within(child, full) or ("" if isinstance(child, ast.ClassDef) else ".".join(full))
            deeper = "" if named else within(child, outer)
            if deeper:
                return deeper
        return ""

    with open(name, encoding="utf-8") as f:
        return within(ast.parse(f.read()), [])


def main():
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    asked = os.fdopen(os.dup(0), "r", encoding="utf-8")

    def say(line):
        out.write(line + "\n")
        out.flush()

    say(str(os.getpid()))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    given = json.loads(asked.readline())
    sys.path[:0] = [os.path.normpath(os.path.join(os.getcwd(), p)) for p in given["paths"]]
    functions = [Function(f) for f in given["functions"]]
    say("ready")
    for line in asked:
        words = line.split()
        if words[0] == "answers":
            say(json.dumps([f.answers() for f in functions]))
        elif words[0] == "profile":
            say(json.dumps(profile(functions, float(words[1]))))
        elif words[0] == "reach":
            say(json.dumps(reach(functions)))
        else:
            functions[int(words[1])].run(int(words[2]))
            say("done")


if __name__ == "__main__":
    main()
