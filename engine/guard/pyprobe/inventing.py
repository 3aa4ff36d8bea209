"""Calls of what no test calls: arguments by the names and notes of parameters, objects as any call had them.

Standard library only.
"""
import inspect
import pickle

from atoll_guard_callables import FUNCTIONS
from atoll_guard_computed import is_computed
from atoll_guard_making import NotMade, call_text, decode, find, named
from atoll_guard_outcomes import failure
from atoll_guard_recorder import SETS


# What Python asks two objects of one class for: they are alike but for a part.
WITH_ANOTHER = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__add__", "__sub__", "__and__", "__or__", "__xor__"}


class Inventing:
    """The part of a session that invents calls."""

    def makers(self, group):
        """How objects of the class of a method were made in any call."""
        module, name = group.split(":")
        owner = name.rpartition(".")[0]
        if (module, owner) not in self.made:
            out = {}
            for g, calls in self.recorded.items():
                if g.startswith(module + ":" + owner + "."):
                    for data in calls:
                        _, own, args, kwargs = pickle.loads(data)
                        recipe = ("made", module, owner, (args, kwargs), (), {}) if g.endswith("__init__") else own
                        out[repr(recipe)] = recipe
            self.made[module, owner] = [out[k] for k in sorted(out, key=lambda k: (len(k), k)) if out[k] is not None]
        return self.made[module, owner]

    def invented(self, group, d, vary):
        """A call of what no test calls: arguments by the names and notes of its parameters."""
        module, name = group.split(":")
        owner, _, method = name.rpartition(".")
        computed = bool(owner) and is_computed(find(module, owner), method)
        f = None if computed else named(group)
        if not computed and (not owner or method == "__init__" or not inspect.isroutine(f) and not isinstance(f, property)):
            return None, "", *self.invented_arguments(f, vary, group)
        held = inspect.getattr_static(find(module, owner), method.removesuffix(SETS))
        if isinstance(held, (staticmethod, classmethod)):
            return None, "", *self.invented_arguments(f, vary, group)
        recipes = self.makers(group)
        if recipes:
            recipe = d.pick(recipes)
            me, words = self.object_of(recipe, vary)
        else:
            args, kwargs = self.invented_arguments(find(module, owner), vary, module + ":" + owner + ".__init__")
            words = owner + call_text(args, kwargs)
            try:
                me = find(module, owner)(*args, **kwargs)
            except (Exception, SystemExit) as e:
                raise NotMade(words, failure(e)) from None
        if method.endswith(SETS):
            return me, words, *self.invented_arguments(held.fset, vary, group, 1)
        args, kwargs = ([], {}) if computed else self.invented_arguments(f, vary, group, 1)
        if method in WITH_ANOTHER and recipes and args and d.n(4):
            other = lambda: self.object_of(recipe if d.n(4) else d.pick(recipes), vary)[0]
            args[0] = vary.once(other) if d.n(2) else other()
        return me, words, args, kwargs

    def invented_arguments(self, f, vary, group, skip=0):
        d, args, kwargs = vary.d, [], {}
        asked = self.asked.get(group, {})
        for p in list(inspect.signature(f).parameters.values())[skip:]:
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
                if p.default is not p.empty and d.n(3) == 0:
                    break
                args.append(self.value_for(p, vary, asked))
            elif p.kind is p.VAR_POSITIONAL:
                args += [vary.anything() for _ in range(d.n(4))]
            elif p.kind is p.KEYWORD_ONLY and (p.default is p.empty or d.n(2)):
                kwargs[p.name] = self.value_for(p, vary, asked)
        return vary.places.through(args), vary.places.through(kwargs)

    def value_for(self, p, vary, asked):
        if "function" in asked.get(p.name, ()) and vary.d.n(4):
            return vary.d.pick(FUNCTIONS)
        pool = self.kept["pool"].get(p.name)
        if pool and not vary.d.chance(3):
            v = decode(vary.d.pick(pool))
            return vary.other(v) if vary.d.n(2) else v
        if p.annotation is p.empty and p.default in (p.empty, None):  # most often a text
            kinds = [vary.text, vary.integer, vary.number, vary.anything, vary.text, vary.text]
            if vary.d.aim:
                vary.d.forced.insert(0, {"text": 0, "int": 1, "float": 2}.get(vary.d.aim[0], 3))
            return vary.d.pick(kinds)()
        return vary.like(p)
