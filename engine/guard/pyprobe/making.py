"""Values, and objects with the calls that they had, made again of their recipes.

Standard library only.
"""
import contextlib
import functools
import importlib
import inspect
import pickle

import atoll_guard_matches as matches
from atoll_guard_callables import FUNCTIONS
from atoll_guard_files import FILES
from atoll_guard_outcomes import MOST_DRAINED, failure, show
from atoll_guard_recorder import SETS, options_of


MADE = ("made", "part")  # recipes of objects that a constructor makes, or that another such object holds
ROWS = {"list": list, "tuple": tuple}
OFTEN_FAILS = 4  # of so many that cannot be made one is told of


def decode(recipe):
    kind = recipe[0]
    if kind == "value":
        return pickle.loads(recipe[1])
    if kind == "global":
        return find(*recipe[1:])
    if kind == "module":
        return importlib.import_module(recipe[1])
    if kind == "file":
        return FILES.make(*recipe[1:])
    if kind == "function":
        return FUNCTIONS[recipe[1]]
    if kind == "match":
        return matches.made(decode(recipe[1]), decode(recipe[2]), *recipe[3:])
    if kind in ("list", "tuple", "set"):
        return {**ROWS, "set": set}[kind](decode(r) for r in recipe[1])
    if kind == "record":
        return find(*recipe[1:3])._make(decode(r) for r in recipe[3])
    if kind == "dict":
        return {decode(k): decode(v) for k, v in recipe[1]}
    return made(recipe, tell=False)[0]


def made(recipe, vary=None, tell=True):
    """An object made again, at times with other options, and how in words where those are told: of large ones they take long."""
    in_words = call_text if tell else lambda *_: ""
    if recipe[0] == "part":
        owner, words = made(recipe[1], vary, tell)
        try:
            return getattr(owner, recipe[2]), words + "." + recipe[2]
        except (Exception, SystemExit) as e:
            raise NotMade(words + "." + recipe[2], failure(e)) from None
    _, module, name, (args, kwargs), history, settings = recipe
    cls = find(module, name)
    of_class = isinstance(cls, type)  # else it is what fills one that it makes
    group, owner = (module + ":" + name + ".__init__", name) if of_class else (module + ":" + name, name.rpartition(".")[0])
    args, kwargs = [argument(a, vary) for a in args], {k: argument(v, vary) for k, v in kwargs.items()}
    if vary:
        args, kwargs = vary.options(args, kwargs, group)
        args, kwargs = vary.places.through(args), vary.places.through(kwargs)
        history = vary.with_step(module, owner, history)
        vary.choose_step(len(history))
    words = name + in_words(args, kwargs)
    try:
        me = cls(*args, **kwargs)
    except (Exception, SystemExit) as e:
        raise NotMade(words, failure(e)) from None
    given = []  # by the steps
    for at, (method, margs, mkwargs, *of) in enumerate(history):
        margs, mkwargs = [decode(a) for a in margs], {k: decode(v) for k, v in mkwargs.items()}
        if vary:
            margs, mkwargs = vary.step(at, margs, mkwargs, "" if of else module + ":" + owner + "." + method)
        words += ("->" if of else ".") + method + in_words(margs, mkwargs)
        given.append(None)
        with contextlib.suppress(Exception, SystemExit):
            result = given[at] = member(given[of[0]] if of else me, method)
            if callable(result):
                result = given[at] = result(*margs, **mkwargs)
            if inspect.isgenerator(result):
                list(zip(range(MOST_DRAINED), result))
    if vary:
        settings = vary.places.through(vary.settings(settings or options_of(me, vary.known)))
    for attribute, value in settings.items():
        if getattr(me, attribute, me) is not me and getattr(me, attribute) != value:
            words += " with %s = %s" % (attribute, show(value, live=True)) if tell else ""
            with contextlib.suppress(Exception, SystemExit):
                setattr(me, attribute, value)
    return me, words


def varied(recipe, vary, tell=False):
    """An object made again, varied; as it was, mostly, where that fails: what cannot be made is asked for nothing. Without what varies it is made."""
    try:
        return made(recipe, vary, tell)
    except NotMade:
        if vary is None or vary.d.chance(OFTEN_FAILS):
            raise
    return made(recipe, None, tell)


def argument(recipe, vary):
    """An argument made again; of an object of the tree, also in a list, what it is made of has its places, where inputs are looked for."""
    if vary is None or vary.d.put is None:
        return decode(recipe)
    if recipe[0] in MADE:
        return varied(recipe, vary)[0]
    if recipe[0] in ROWS and any(r[0] in MADE for r in recipe[1]):
        return ROWS[recipe[0]](argument(r, vary) for r in vary.with_kin(recipe[1]))
    return decode(recipe)


def named(group):
    """What a group names: a function, a class where it is what makes its objects, a property also where it is what sets it."""
    module, name = group.split(":")
    return find(module, name.removesuffix(".__init__").removesuffix(SETS))


def member(me, name):
    """What an object has by a name, or what it holds by several; of a property, with what sets it behind its name, that."""
    *path, name = name.split(".")
    me = functools.reduce(getattr, path, me)
    return functools.partial(setattr, me, name.removesuffix(SETS)) if name.endswith(SETS) else getattr(me, name)


class NotMade(Exception):
    """A constructor failed: how it was called, and how it failed."""


def call_text(args, kwargs):
    return "(" + ", ".join([show(a, live=True) for a in args] + [k + "=" + show(v, live=True) for k, v in kwargs.items()]) + ")"


def find(module, name):
    value = importlib.import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value
