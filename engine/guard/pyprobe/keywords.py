"""The keywords of functions that take any of them.

Standard library only.
"""
import contextlib
import inspect

from atoll_guard_making import decode, named

ANY_KEYWORDS = ("b", "a")  # given in no order that sorting gives
LEFT_OUT = 6  # one call in so many has one less


class Keywords:
    """The part of a session that varies them."""

    def keyword(self, group, names, kwargs, vary):
        """For what takes any keyword: one less of those that a test gave, one more that its module knows, any where it knows none, and another order of them."""
        d, wrapper = vary.d, self.wrapper(group)
        if group in self.kept["open"]:
            known = self.kept["keywords"].get(group.split(":")[0], {})
        elif self.kept["wrapping"].get(wrapper):
            known = self.kept["wrapping"][wrapper]
        else:
            return
        known, given = {k: v for k, v in known.items() if k not in names}, [k for k in kwargs if k not in names]
        if given and d.chance(LEFT_OUT):
            del kwargs[d.pick(given)]
            self.misused = True  # which error that leads to is nothing to who made it
        if known and d.chance(2):
            for _ in range(1 + d.n(3)):
                k = d.pick(list(known))
                pool = self.kept["pool"].get(k)
                kwargs[k] = decode(d.pick(pool)) if pool and type(known[k]) is not bool and d.n(2) else vary.other(known[k])
        elif not known and d.chance(4):
            kwargs.update((k, vary.anything(2)) for k in ANY_KEYWORDS if k not in names)
        if len(kwargs) > 1 and d.chance(3):
            turned = list(kwargs.items())[::-1]
            kwargs.clear()
            kwargs.update(turned)

    def wrapper(self, group):
        """The module of what stands around a function and takes any keyword, "" where nothing does."""
        if group not in self.wrappers:
            f = None
            with contextlib.suppress(ImportError, AttributeError):
                f = named(group)
            code = getattr(f, "__code__", None) if hasattr(f, "__wrapped__") else None
            takes = code is not None and code.co_flags & inspect.CO_VARKEYWORDS
            self.wrappers[group] = f.__globals__.get("__name__", "") if takes else ""
        return self.wrappers[group]
