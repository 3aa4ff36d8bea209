"""What only a package itself may call: functions of its private modules that no other module gives.

Their arguments come from the package, which keeps to what they ask; an input of their own would say
nothing of what a caller can see. What they do is seen through the functions that are given.
"""
import ast
import os
import sys


def is_private(parts):
    """Whether a path of names leads through one that is private."""
    return any(p.startswith("_") and not p.startswith("__") for p in parts)


class Internals:
    """Tells which functions that run are internal."""

    def __init__(self, in_tree, is_test):
        self.in_tree, self.is_test = in_tree, is_test
        self.known = {}  # (module, name of a function or class, how many modules are loaded) -> whether it is given

    def has(self, key, frame):
        """Whether a function, by its module and its name, is internal, and this call of it too: a test may make one."""
        if not is_private(key[0].split(".")):
            return False
        back = frame.f_back
        while back is not None and not self.in_tree(back.f_code.co_filename):
            back = back.f_back
        return back is not None and not self.is_test(back.f_code.co_filename) and not self.given(key[0], key[1].partition(".")[0])

    def given(self, module, name):
        at = (module, name, len(sys.modules))
        if at not in self.known:
            value = getattr(sys.modules.get(module), name, None)
            self.known[at] = any(any(v is value for v in list(vars(m).values())) for m in list(sys.modules.values()) if self.public(m))
        return self.known[at]

    def public(self, module):
        file = getattr(module, "__file__", None)
        return bool(file) and module.__name__ != "__main__" and not is_private(module.__name__.split(".")) and self.in_tree(file) and not self.is_test(file)


def given_names(name, parsed):
    """The names of a file that its packages give to others; None for all of a file that is not private."""
    parts = name.removesuffix(".py").split("/")
    if not is_private(parts):
        return None
    out = set()
    for n in range(len(parts) - 1, 0, -1):
        for node in ast.walk(parsed(os.path.join(*parts[:n], "__init__.py"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == parts[-1]:
                out |= {a.name for a in node.names}
    return None if "*" in out else out
