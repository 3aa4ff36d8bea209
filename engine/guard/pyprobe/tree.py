"""The tree that the process stands in: which files, classes and tests are its own.

Standard library only.
"""
import contextlib
import functools
import os
import sys

TREE = os.path.realpath(os.getcwd())


@functools.lru_cache(10000)  # asked for each call that is made while tests are recorded
def in_tree(path):
    if path.startswith("<"):  # frozen into the interpreter, or made by a library
        return False
    path = os.path.realpath(path)
    return path.startswith(TREE + os.sep) and "site-packages" not in path


@functools.lru_cache(10000)
def is_test(path):
    parts = os.path.relpath(os.path.realpath(path), TREE).split(os.sep)
    base = parts[-1]
    return any(p in ("test", "tests", "testing") for p in parts[:-1]) or base.startswith("test_") or base.endswith("_test.py") or base in ("conftest.py", "setup.py", "test.py", "tests.py")


def of_tree(cls):
    """Whether the tree has a class."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return bool(file) and in_tree(file)


def named_base(cls):
    """A class, or of one that a function made, such as a test, the first of its bases of the tree that code can name; None where none is."""
    return next((c for c in cls.__mro__ if "<locals>" not in c.__qualname__ and (c is cls or of_tree(c))), None)


def held_by(v):
    """The attributes that an object holds, whatever it answers who asks for those that it has not."""
    with contextlib.suppress(AttributeError, TypeError):
        return object.__getattribute__(v, "__dict__")
    return {}


def has(v, name):
    """hasattr, also of an object that answers such a question with another error."""
    try:
        return hasattr(v, name)
    except Exception:
        return False


def folders_of_tree():
    """The folders of the tree in which Python looks for modules, as those who found its tests left them: what tests gave may be of a module of theirs."""
    return [os.path.relpath(os.path.realpath(p), TREE) for p in sys.path if p and in_tree(os.path.join(p, "_"))]


def files_of_tree():
    """The Python files of the tree."""
    out = []
    for folder, dirs, files in os.walk("."):
        dirs[:] = sorted(d for d in dirs if not d.startswith(".") and d not in ("node_modules", "site-packages"))
        out += [os.path.relpath(os.path.join(folder, f)) for f in files if f.endswith(".py")]
    return out


def sources_of_tree():
    """Those but its tests."""
    return [f for f in files_of_tree() if not is_test(f)]


def tests_of_tree():
    """Those that are named as tests, without what sets others up."""
    return sorted(f for f in files_of_tree() if is_test(f) and os.path.basename(f) not in ("conftest.py", "setup.py", "__init__.py"))
