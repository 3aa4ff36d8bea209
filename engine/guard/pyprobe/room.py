"""How much of a recording is kept: what leaves the sandbox, and what each process of the probe reads, has a bound."""
import pickle

LONGEST = 64 << 10  # bytes of one call, characters of one outcome
MOST_CALLS = 16 << 20  # bytes of the calls of all functions
MOST_POOLED = 8 << 20  # bytes of the values of all parameters
SHORTEST_SHARED = 200  # bytes of a recipe that may be much longer when each of its parts is made by itself
MOST_UNFOLDED = 1 << 17  # parts of a recipe


def sprawls(recipe, data):
    """Whether a recipe, of which data is the pickle, has too many parts when those that several places share are made for each."""
    known = {}

    def count(part):
        if not isinstance(part, (tuple, list, dict)):
            return 1
        n = known.get(id(part))
        if n is None:
            n = known[id(part)] = min(1 + sum(map(count, part.values() if isinstance(part, dict) else part)), MOST_UNFOLDED + 1)
        return n

    return len(data) > SHORTEST_SHARED and count(recipe) > MOST_UNFOLDED


def quota(sizes, room):
    """The largest share for which all have room: who needs less than it leaves the rest to the others."""
    left, many = room, len(sizes)
    for size in sorted(sizes):
        if size * many > left:
            return left // many
        left, many = left - size, many - 1
    return room


def within(lists, room, size_of):
    """Of each list its first, as far as they fit into its share of the room."""
    sizes = {k: [size_of(v) for v in values] for k, values in lists.items()}
    most = quota([sum(s) for s in sizes.values()], room)
    out = {}
    for k, values in lists.items():
        used, out[k] = 0, []
        for v, size in zip(values, sizes[k]):
            used += size
            if used > most:
                break
            out[k].append(v)
    return out


def bounded(kept):
    """A recording that has room in the bounds: of each function its shorter calls, of each parameter its shorter values."""
    calls = within(kept["calls"], MOST_CALLS, len)
    pool = within(kept["pool"], MOST_POOLED, lambda recipe: len(pickle.dumps(recipe, 4)))
    return {**kept, "calls": calls, "pool": pool}
