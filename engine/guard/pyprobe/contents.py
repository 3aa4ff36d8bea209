"""Lists, tables and sets in the public attributes of an object: its callers change them between two calls, no code of the tree runs
when they do, and what the object made of them before is wrong behind it.

Standard library only.
"""
import collections.abc as abc
import contextlib
import copy

from atoll_guard_making import decode
from atoll_guard_others import parts_of
from atoll_guard_outcomes import fields_of, show
from atoll_guard_steps import arguments, changing, held
from atoll_guard_tree import of_tree

MODULES = {"builtins", "collections"}  # others have lists of their own, such as the variables of the environment
NO_PROPERTIES = 3  # a depth at which an object is not asked for those


def fillable(me, own):
    """The attributes of an object that its callers may fill, by name; own has by class those that its methods change: what these hold
    hangs together with what is held elsewhere."""
    if not of_tree(type(me)):
        return {}
    changed = {name for c in type(me).__mro__ for name in own.get((c.__module__, c.__qualname__), ())}
    return {k: v for k, v in fields_of(me, NO_PROPERTIES) if k not in changed and changing(type(v)) and type(v).__module__ in MODULES}


def alike(holder, name, vary):
    """What may stand in a list or a table beside what it holds: items of recorded values of its name, and parts of the arguments of the call."""
    out, table, pool = held(holder), isinstance(holder, abc.Mapping), vary.pool.get(name)
    with contextlib.suppress(Exception, SystemExit):
        more = decode(vary.d.pick(pool)) if pool else ()
        if changing(type(more)) and isinstance(more, abc.Mapping) == table:
            out += held(more)
    kinds = {type(v[0] if table else v) for v in out}
    parts = [v for v in parts_of(vary.around) if type(v) in kinds or not kinds]
    return out + ([(v, out[0][1] if out else v) for v in parts] if table else parts)


class Contents:
    """What callers put into such attributes; own has by class those that its methods change."""

    def __init__(self, own):
        self.own, self.was = own, []  # what was changed in a case, with what it held

    def changed(self, me, vary):
        """Changes of an object, now and then, some behind the call that is asked for. In words."""
        d = vary.d
        known = fillable(me, self.own) if d.put is not None or vary.own else {}
        if not known or d.n(2) == 0:
            return ""
        words = vary.ask(me) if vary.asking and d.n(2) else ""
        for _ in range(1 + d.n(2)):
            name = d.pick(list(known))
            holder, methods = known[name], changing(type(known[name]))
            method = d.pick(list(methods))
            with contextlib.suppress(Exception, SystemExit):
                args = vary.places.through(arguments(methods[method], holder, vary, alike(holder, name, vary)))
                words += ".%s.%s(%s)" % (name, method, ", ".join(show(a, live=True) for a in args))
                self.was.append((holder, copy.copy(holder)))
                getattr(holder, method)(*args)
        return words

    def restore(self):
        """Puts back what was there: a list may be one of a module or a class, which other cases have as well."""
        while self.was:
            holder, was = self.was.pop()
            with contextlib.suppress(Exception, SystemExit):
                holder.clear()
                (holder.update if hasattr(holder, "update") else holder.extend)(was)
