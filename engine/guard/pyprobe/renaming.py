"""One word for another wherever the values of a call have it: a key of a table and the text that asks for it change together.

Standard library only.
"""
import re

WORD = re.compile(r"[^\W\d]\w*")
OF_TABLES = ["get", "items", "keys", "values", "copy", "pop", "update"]  # what a table has besides its keys
MOST_WORDS = 40
SELDOM = 8  # one case in so many has a word replaced throughout
DEEPEST = 5


def texts(v, depth=0):
    """The texts of a value, and whether each is a key of a table."""
    if type(v) is str:
        yield v, False
    elif depth < DEEPEST and type(v) in (list, tuple):
        for x in v:
            yield from texts(x, depth + 1)
    elif depth < DEEPEST and type(v) is dict:
        for k, x in v.items():
            if type(k) is str:
                yield k, True
            yield from texts(x, depth + 1)


def shared_words(values):
    """The words that more than one text of some values has, in the order of the first, and those of them that are a key."""
    seen, keys = {}, set()
    for text, key in (t for v in values for t in texts(v)):
        for word in dict.fromkeys(WORD.findall(text[:1000])):
            seen[word] = seen.get(word, 0) + 1
            if key and word == text:
                keys.add(word)
    return [w for w, n in seen.items() if n > 1][:MOST_WORDS], keys


def turned(v, f, depth=0):
    """The value with its texts as f gives them."""
    if type(v) is str:
        return f(v)
    if depth < DEEPEST and type(v) in (list, tuple):
        return type(v)(turned(x, f, depth + 1) for x in v)
    if depth < DEEPEST and type(v) is dict:
        return {f(k) if type(k) is str else k: turned(x, f, depth + 1) for k, x in v.items()}
    return v


def throughout(own, args, kwargs, d, known):
    """A call in whose arguments, and in what its object has for options, at times one word is another wherever it stands: one
    that several texts have. own is the recipe of the object, or None; known are words that the code has."""
    if d.put is not None or not d.chance(SELDOM):
        return own, args, kwargs
    *head, options = own if own is not None and own[0] == "made" else (None,)
    values = [*args, *kwargs.values(), options]
    words, keys = shared_words(values)
    if not words:
        return own, args, kwargs
    word = d.pick(words)
    other = d.pick(OF_TABLES) if word in keys and d.n(2) else d.pick(known or OF_TABLES)
    expression = re.compile(r"\b%s\b" % word)
    values = [turned(v, lambda text: expression.sub(lambda _: other, text)) for v in values]
    return (*head, values[-1]) if head else own, values[: len(args)], dict(zip(kwargs, values[len(args) :]))
