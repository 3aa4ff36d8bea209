"""What came of a call, in words: what it gave or how it failed, what is behind it of its arguments and
of the object that was asked, and what of all that others write to as well.

Standard library only.
"""
import contextlib
import inspect
import io
import zlib

import atoll_guard_reading as reading
import atoll_guard_sharing as sharing
from atoll_guard_callables import answers, made_by
from atoll_guard_files import FILES
from atoll_guard_offers import rest_of
from atoll_guard_orders import ORDERS
from atoll_guard_outcomes import failure, is_drained, show
from atoll_guard_tree import in_tree, of_tree

AGAIN = 3  # one of so many calls is made once more


def answer(f, me, making, args, kwargs, shares=True):
    """What a call of f came to; me is the object that it is a method of, None for none, and making says that it makes one. shares: also
    what it shares with others."""
    given, result = list(args) + list(kwargs.values()), None
    try:
        lists = reading.listed(args) if me is None else None
        result = called(f, args, kwargs)
        taken = sharing.Taken(result) if is_drained(result) else None
        of_others = "" if taken or not shares else sharing.told(result, result if making else me, given, of_tree)
        outcome = answers(result, in_tree, show, failure) if made_by(result, in_tree) else show(taken or result, holder=ORDERS.result)
        outcome += sharing.told(taken.items, me, given, of_tree) + reading.told(f, args, kwargs, lists) if taken else of_others
    except (Exception, SystemExit) as e:
        outcome = failure(e)
    after = [show(a) for a in given if isinstance(a, (list, dict, set, bytearray)) or rest_of(a)]
    if after:
        outcome += "; arguments after it " + ", ".join(after)
    if me is not None:
        outcome += "; self after it " + show(me)
    if FILES.held:
        outcome += FILES.after(given)
    elif shares and not making and sharing.rooms(result, of_tree, False) and zlib.crc32(outcome.encode("utf-8", "surrogatepass")) % AGAIN == 0:
        outcome += again(f, args, kwargs, result, [me] + given)
    return outcome


def called(f, args, kwargs):
    result = f(*args, **kwargs)
    if not inspect.iscoroutine(result):
        return result
    import asyncio  # few trees need it, and it takes as long as all else that a process begins with

    return asyncio.run(result)


def again(f, args, kwargs, result, others):
    """Whether the same call gives once more what it gave, or a part of it, and none of the others has it."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return sharing.kept(result, called(f, args, kwargs), others, of_tree)
    except (Exception, SystemExit):  # the first one used it up
        return ""


def raising(e):
    """What is called in the place of what is not there."""
    raise e
