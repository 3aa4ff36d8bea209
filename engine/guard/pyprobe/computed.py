"""What an object of a class computes when it is asked for an attribute: properties, and those that keep what they gave first
(functools.cached_property, and descriptors of the tree that hold a function of the object alone).

Standard library only.
"""
import functools
import inspect
import types

from atoll_guard_tree import held_by, of_tree


def getter(held):
    """The function that computes an attribute, of what the class holds for it; None for what is no such."""
    if isinstance(held, property):
        return held.fget
    if isinstance(held, functools.cached_property):
        return held.func
    if isinstance(held, (types.FunctionType, type)) or not hasattr(type(held), "__get__") or not of_tree(type(held)):
        return None
    inner = [f for f in held_by(held).values() if isinstance(f, types.FunctionType)]
    return inner[0] if len(inner) == 1 and inner[0].__code__.co_argcount == 1 else None


def is_computed(cls, name):
    return getter(inspect.getattr_static(cls, name, None)) is not None


def read(me, name):
    """What an object gives for an attribute; of a method that a descriptor gives, what that gives."""
    v = getattr(me, name)
    return v() if isinstance(v, types.MethodType) and v.__self__ is me else v


def glance(me, name):
    """What an object gives for an attribute, which it does not keep for being looked at."""
    held = held_by(me)
    kept = name in held
    try:
        return getattr(me, name)
    finally:
        if not kept:
            held.pop(name, None)
