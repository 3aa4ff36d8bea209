"""Answers one request: makes the cases that it asks for, and tells what came of each.

Standard library only.
"""
import contextlib
import functools
import inspect
import io
import json
import os
import pickle
import sys

import atoll_guard_records as records
import atoll_guard_steps as steps
from atoll_guard_aligned import together
from atoll_guard_answering import answer, raising
from atoll_guard_callables import Calls, FUNCTIONS, giver, leaves
from atoll_guard_chance import Chance
from atoll_guard_clock import Clock
from atoll_guard_computed import is_computed, read
from atoll_guard_contents import Contents
from atoll_guard_draws import Draws, MASK, fnv, short, variants
from atoll_guard_edges import Edges, in_turn, is_large
from atoll_guard_environment import Environment
from atoll_guard_explorer import Explorer, Kept, beside, simpler
from atoll_guard_files import FILES, PLACE
from atoll_guard_inventing import Inventing
from atoll_guard_kin import Kin
from atoll_guard_kinds import is_text, with_text
from atoll_guard_making import MADE, NotMade, argument, call_text, decode, find, member, named, varied
from atoll_guard_offers import CHANGING, OPERATORS
from atoll_guard_orders import ORDERS
from atoll_guard_others import Others
from atoll_guard_outcomes import FLOAT_MARK, MISUSED, failure, is_bare, settled, show
from atoll_guard_places import spelled
from atoll_guard_playing import Plays
from atoll_guard_protocols import Protocols
from atoll_guard_purse import Share
from atoll_guard_recorder import SETS
from atoll_guard_renaming import throughout
from atoll_guard_room import LONGEST
from atoll_guard_tables import Tables
from atoll_guard_tree import TREE
from atoll_guard_vary import Vary, WRITTEN, near
from atoll_guard_watch import Watch
from atoll_guard_watchdog import Watchdog

MOST_TOLD = 1 << 20  # characters of inputs and outcomes in one answer
MOST_SURVEYED = 7 << 20  # characters of an answer about all cases: one that is larger than the guard takes is none
OF_CASE = 120  # characters about one case, besides the name of its group
EDGE_SHARE = 2  # one edge at most for so many cases that are drawn
LARGE_SHARE = 40  # one case in so many is a large call
ANY_KEYWORDS = ("b", "a")  # given in no order that sorting gives
MOST_STEPS = 8  # calls of one method that an object may have had before, too


class Session(Inventing, Others):
    def __init__(self, q, out, lines):
        self.q, self.out, self.lines = q, out, lines
        self.dog = Watchdog((q.get("case_ms") or 5000) / 1000, out)
        with open(os.environ["ATOLL_GUARD_RECORDING"], "rb") as f:
            self.kept = pickle.load(f)
        self.clock, self.chance = Clock(self.kept["now"]), Chance()
        self.clock.install()
        self.chance.install()
        sys.path += [p for p in (os.path.join(TREE, rest) for rest in self.kept["paths"]) if p not in sys.path]
        self.large = self.kept["large"]
        self.recorded = {**self.kept["calls"], **{group: self.kept["calls"].get(group, []) for group in self.large}}
        lits = q.get("literals") or {}
        self.lits = {k: lits.get(k) or [] for k in ("strings", "ints", "floats")}
        self.edges = Edges(lits.get("edges") or [], self.lits["strings"])
        self.aims, self.made, self.called, self.near_to, self.wrappers, self.values = {}, {}, {}, {}, {}, []
        self.position, self.row, self.watch = 0, 0, self.watched()
        self.telling = q["mode"] != "explore"  # where inputs are looked for, nobody reads what they are and what came of them
        self.asked = self.asked_types()
        self.givers = [giver(find, name) for file in self.files.values() for name in file.get("classes", [])]
        self.givers += [leaves] * any(file.get("exits") for file in self.files.values())
        self.inner, self.kinds, self.looked_up, self.caught = ({group: v for file in self.files.values() for group, v in file.get(k, {}).items()} for k in ("inner", "kinds", "looked_up", "caught"))
        self.protocols = Protocols([file["types"] for file in self.files.values() if "types" in file])
        self.edges.nests = any(file.get("nests") for file in self.files.values())
        self.environment = Environment({name: values for file in self.files.values() for name, values in file.get("environ", {}).items()})
        self.contents, self.tables, self.kin = Contents(self.kept["changing"]), Tables(self.kept["tables"]), Kin(self.recorded)
        ORDERS.begin(q.get("unordered") or [], q.get("orders"))
        self.groups = list(self.recorded) + [name for name in q.get("extra") or [] if name not in self.recorded]
        self.plays = Plays(self.kept["scenarios"], self.files)
        for group, test in self.plays.chosen.items():
            self.recorded[group] = test["calls"]
            self.groups.append(group)

    def write(self, **a):
        os.write(self.out, (json.dumps(a) + "\n").encode())

    def asked_types(self):
        """The types that functions ask their parameters for, by group and name; where they changed, in both versions."""
        out = {group: {k: list(types) for k, types in asked.items()} for group, asked in self.kept["asked"].items()}
        for file in self.files.values():
            for group, asked in file.get("asked", {}).items():
                for name, types in asked.items():
                    known = out.setdefault(group, {}).setdefault(name, [])
                    known += [kind for kind in types if kind not in known]
        return out

    def watched(self):
        """The marks in what changed, where inputs are looked for or made of those that were found; None for no marks."""
        self.files = {}
        with contextlib.suppress(KeyError), open(os.environ["ATOLL_GUARD_WATCH"], encoding="utf-8") as f:
            self.files = json.load(f)
        if self.q["mode"] != "explore" and not (self.q["mode"] == "survey" and self.q.get("around")):
            return None
        watch = Watch(self.files)
        watch.install(self.q["mode"] == "explore")
        return watch

    def seed(self, group, index):
        return fnv("%x" % (self.q.get("seed") or 0), group, str(index))

    def cases(self):
        """How many cases a group has: those that are drawn, and edges on top of them but where all are drawn, as far as one answer can
        tell of them. Each tree counts the same, also where one has other edges."""
        count = self.q.get("count") or 0
        room = MOST_SURVEYED // sum(len(g) + OF_CASE for g in self.q.get("groups") or ["all"])
        return min(count + (0 if self.q.get("drawn") else count // EDGE_SHARE), room)

    def corpus(self, group):
        return (self.q.get("corpus") or {}).get(group) or []

    def vary(self, d, group):
        return Vary(d, self.lits, self.edges, self.kept["options"], self.methods, self.givers, self.taken, self.kept["pool"], self.protocols if self.protocols.reach(group) or group in self.plays.chosen else None, self.tables, self.kin)

    def methods(self, module, owner):
        """The calls of the methods of a class that were recorded, by name and arguments."""
        if (module, owner) not in self.called:
            out = []
            for g, calls in self.recorded.items():
                name = g.removeprefix(module + ":" + owner + ".")
                if name != g and "." not in name and name not in OPERATORS - CHANGING:
                    out += [(name, *pickle.loads(data)[2:]) for data in calls[:MOST_STEPS]]
            self.called[module, owner] = out
        return self.called[module, owner]

    def beside(self, group, kept, index):
        """A case beside one of some."""
        d = Draws(seed=self.seed(group, index))

        def other(v, d):
            vary = self.vary(d, group)
            k = d.n(6) if type(v) is str and v else 0
            return vary.rewritten(v) if k == 5 and WRITTEN.search(v) else vary.replaced(v) if k > 3 else vary.other(v)

        return Draws(seed=d.n(MASK), given=beside(kept, d, other))

    def around(self, group, index):
        """A case of the corpus, and then one beside some of it."""
        corpus = self.corpus(group)
        return Draws(given=corpus[index]) if index < len(corpus) else self.beside(group, self.known(group), index)

    def known(self, group):
        """The corpus of a group with the values of its cases, of which each is made once for them."""
        if group not in self.near_to:
            self.near_to[group] = []
            for choices in self.corpus(group):
                self.one(self.position, group, Draws(given=choices), made=True)
                self.near_to[group].append(Kept(choices, self.values))
        return self.near_to[group]

    def drawn(self, group, index):
        """A case of those behind all others: in turn one that is drawn anew, as where inputs are looked for, and one beside the corpus."""
        known = self.known(group) if index % 2 else []
        return self.beside(group, known, index) if known else Draws(seed=self.seed(group, index), put={})

    def draws(self, group, index):
        """The choices of a case: first edges, whatever the seed, then what is drawn, and
        last the edges that may end the process. Where cases are made of the corpus, one of those; where
        all are drawn, one of these."""
        if self.q.get("around"):
            return self.around(group, index)
        if self.q.get("drawn"):
            return self.drawn(group, index)
        early, late = self.aims_of(group)
        aims, at = early, index
        if index >= len(early):
            aims, at = late, index - self.cases() + len(late)
        if 0 <= at < len(aims):
            forced, aim, calm = aims[at]
            return Draws(seed=fnv("edge", group, str(index)), aim=aim, forced=forced, calm=calm)
        return Draws(seed=self.seed(group, index - len(early)))

    def aims_of(self, group):
        """Choices and aims of the edges of a group, the most telling first."""
        if group in self.aims:
            return self.aims[group]
        most = min((self.q.get("count") or 0) // EDGE_SHARE, self.cases() // (EDGE_SHARE + 1))
        lists = []
        calls = self.recorded.get(group)
        if calls:
            # The shortest call, one in the middle and the longest, for calls are in that order.
            for base in dict.fromkeys([0, len(calls) // 2, len(calls) - 1, len(calls) // 4]):
                _, own, args, kwargs = pickle.loads(calls[base])
                given = [*args, *kwargs.values()]
                of_object = not given and own is not None
                for at, recipe in enumerate(self.first_of(own) if of_object else given):
                    try:
                        v = decode(recipe)
                        values = near(self.edges, str.__str__(v) if of_object and is_text(v) else v)
                    except (Exception, SystemExit):  # what cannot be made again has no edges
                        continue
                    choices = [base, 1] if of_object else [base, 1, at, 0]
                    lists.append([(choices, ("other", 0, i), is_large(e), len(calls), len(given), of_object) for i, e in enumerate(values)])
        else:
            with contextlib.suppress(Exception, SystemExit):
                places = min(3, len(inspect.signature(named(group)).parameters))
                for place in range(places):
                    lists += [[([], (kind, place, i), is_large(e), 0, 0, False) for i, e in enumerate(values)] for kind, values in (("int", self.edges.ints), ("text", self.edges.texts), ("float", self.edges.floats))]
        early, late = [], []
        for choices, aim, large, n_calls, n_args, calm in list(in_turn(*lists))[:most]:
            # A choice of one is none: it is not drawn.
            kept = [c for c, n in zip(choices, (n_calls, 4, n_args, 5)) if n > 1]
            if self.large.get(group):
                kept.insert(0, 0)
            (late if large else early).append((kept, aim, calm))
        large = self.large.get(group) or []
        early[:0] = [([LARGE_SHARE - 1] + [i] * (len(large) > 1), None, False) for i in range(len(large))]
        self.aims[group] = early, late
        return self.aims[group]

    def first_of(self, own):
        """What stands for the arguments of a call that has none: the first one of the constructor of its object, or the text that this is."""
        if own[0] == "made":
            return [*own[3][0], *own[3][1].values()][:1]
        return [own]

    def one(self, position, group, d, made=False):
        """A case: its call and what came of it in words, and its choices. made: it is not called."""
        self.chance.begin()
        self.position = position
        self.dog.begin(position)
        self.lines.of_case(position)
        try:
            FILES.clear()
            Calls.begin()
            self.clock.begin()
            if self.watch:
                self.watch.begin()
            shown, outcome, used = self.run(group, d, made)
            shown, outcome = settled(shown), settled(outcome)  # also of texts that the code makes, such as those of repr
            if FILES.held:  # where they lie is nothing that a tree says
                shown, outcome = PLACE.sub("", shown), PLACE.sub("", outcome)
            return shown, outcome, used
        finally:
            self.environment.restore()
            self.contents.restore()
            self.dog.end()

    def run(self, group, d, made):
        module, name = group.split(":")
        vary, ORDERS.result = self.vary(d, group), ORDERS.of(group)
        self.values, self.misused, self.filled, self.void = vary.places.values, False, False, {}
        printed = io.StringIO()
        shown, args, kwargs, me, words = group, [], {}, None, ""
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            try:
                me, words, args, kwargs = self.arguments(group, d, vary)
            except NotMade as e:
                return e.args[0].replace(FLOAT_MARK, ""), e.args[1], d.choices()
            except (Exception, SystemExit) as e:
                return "no input", failure(e), d.choices()
            if made:
                return "", "", d.choices()
            if group in self.plays.chosen:
                told, outcome = self.plays.play(group, self.row, args, self.misused)
                self.void = vary.void(MISUSED in outcome)
                return told.replace(FLOAT_MARK, ""), outcome[: 2 * LONGEST], d.choices()
            called = module.rsplit(".", 1)[-1] + "." + name.removesuffix(".__init__")
            copies = me is not None and name.rsplit(".", 1)[-1] in records.COPYING
            if copies:
                called, args, kwargs = "copy of " + words, [], {}
            elif me is not None:
                called = words + "." + name.rsplit(".", 1)[-1]
            shown = (called + (call_text(args, kwargs) if self.telling and not copies else "")).replace(FLOAT_MARK, "") + self.environment.set(d)
            try:
                if copies:
                    f = functools.partial(records.copied, me)
                elif me is not None:
                    method = name.rsplit(".", 1)[-1]
                    f = functools.partial(read, me, method) if is_computed(type(me), method) else member(me, method)
                else:
                    f = named(group)
            except (Exception, SystemExit) as e:
                f = functools.partial(raising, e)
            outcome = answer(f, me, name.endswith("__init__"), args, kwargs, self.telling)
            self.void = vary.void(outcome.startswith(MISUSED) or vary.foreign and is_bare(outcome))
            if self.misused and outcome.startswith("raises "):
                outcome = "raises"  # which error is nothing to who made one
        if printed.getvalue():
            outcome += "; printed " + repr(printed.getvalue()[:LONGEST])
        return shown, outcome[: 2 * LONGEST], d.choices()

    def arguments(self, group, d, vary):
        calls, large = self.recorded.get(group), self.large.get(group)
        if large and d.n(LARGE_SHARE) == LARGE_SHARE - 1:  # as it was: one that is varied takes long
            _, own, args, kwargs = pickle.loads(large[d.n(len(large))])
            return *self.object_of(own, None), [decode(a) for a in args], {k: decode(v) for k, v in kwargs.items()}
        if not calls:
            return self.invented(group, d, vary)
        self.row = d.n(len(calls))
        _, own, made_of, kwargs = pickle.loads(calls[self.row])
        asking = (group.rpartition(".")[2], made_of, kwargs) if own is not None else None
        args, kwargs = [argument(a, vary) for a in made_of], {k: argument(v, vary) for k, v in kwargs.items()}
        names = self.kept["names"].get(group, []) if group not in self.plays.chosen else [""] * len(args)
        moved = together(args, kwargs, d)
        times = d.n(2 if moved else 4)
        vary.around = [*args, *kwargs.values()]
        vary.as_it_was, vary.own = not (times or moved), 0 if args or kwargs else times
        for _ in range(times if args or kwargs else 0):
            at = d.n(len(args) + len(kwargs))
            if at < len(args) and made_of[at][0] in MADE and d.n(2):
                args[at] = vary.once(lambda: varied(made_of[at], vary)[0])
            elif at < len(args):
                args[at] = self.another(args[at], group, at, vary)
            else:
                k = list(kwargs)[at - len(args)]
                kwargs[k] = self.another(kwargs[k], group, k, vary)
        own, args, kwargs = throughout(own, args, kwargs, vary.d, self.edges.words)
        self.keyword(group, names, kwargs, vary)
        args, kwargs = vary.places.through(args, len(names)), vary.places.through(kwargs)
        vary.asking = asking
        return *self.object_of(own, vary), args, kwargs

    def keyword(self, group, names, kwargs, vary):
        """For what takes any keyword: one more that its module knows, any where it knows none, and another order of them."""
        d, wrapper = vary.d, self.wrapper(group)
        if group in self.kept["open"]:
            known = self.kept["keywords"].get(group.split(":")[0], {})
        elif self.kept["wrapping"].get(wrapper):
            known = self.kept["wrapping"][wrapper]
        else:
            return
        known = {k: v for k, v in known.items() if k not in names}
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

    def object_of(self, own, vary):
        """The object of a call and how it is made in words."""
        if own is None:
            return None, ""
        if own[0] in MADE:
            me, words = varied(own, vary, self.telling)
            return me, words + self.between(me, vary) if vary else words
        me = decode(own)
        if vary and is_text(me):
            text = str.__str__(me)
            for _ in range(vary.own or int(vary.d.chance(4))):
                text = vary.other(text)
            me = with_text(me, vary.places.value(text, 0))
        elif vary and steps.inherited(type(me)):
            words = show(me, live=True)
            return me, words + steps.taken(me, vary)
        if vary and records.is_record(me):
            for _ in range(vary.own or int(vary.d.chance(4))):
                me = vary.other(me)
            me = records.through(me, lambda x: vary.places.value(x, 0))
        return me, show(me, live=True)

    def between(self, me, vary):
        """What callers do with an object between two calls, in words."""
        words, filled = steps.taken(me, vary), self.contents.changed(me, vary)
        self.filled = self.filled or bool(filled)
        return words + filled

    def exists(self, group):
        if group in self.plays.chosen:
            return ""
        _, name = group.split(":")
        try:
            f = named(group)
        except (ImportError, AttributeError):
            return None
        if name.endswith(SETS):
            return None if isinstance(f, property) and f.fset is None else "(value)"
        if name.rsplit(".", 1)[-1] in OPERATORS - {"__init__", "__call__"}:
            return ""  # nobody names their parameters
        try:
            return "(" + ", ".join(p.name + ("=" if p.default is not p.empty else "") for p in inspect.signature(f).parameters.values()) + ")"
        except (TypeError, ValueError):
            return ""

    def survey(self):
        q = self.q
        groups = [g for g in self.groups if not q.get("groups") or g in q["groups"]]
        if not q.get("from"):
            for g in self.groups:
                signature = self.exists(g)
                if signature is not None:
                    self.write(k="group", g=g, sig="def", late=g in self.kept["inherited"], test=g in self.plays.chosen)
        if q.get("backwards"):
            groups.reverse()
        omit, skip, until = set(q.get("omit") or []), set(q.get("skip") or []), q.get("until") or {}
        position = 0
        for g in groups:
            started, share, over = False, Share(q, g), False
            for i in range(self.cases()):
                position += 1
                over = over or share.over() or i >= until.get(g, i + 1)
                if over or position <= (q.get("from") or 0) or g in skip:
                    continue
                if not started:
                    started = True
                    self.write(k="start", g=g, i=i, p=position)
                if position in omit:
                    continue
                shown, out, _ = self.one(position, g, self.draws(g, i))
                way = {"path": "%x" % self.watch.way()} if self.watch else {}
                self.write(k="case", g=g, i=i, p=position, **{"in": short(shown), "out": short(out)}, **way, **self.void)

    def explore(self):
        """Answers with the cases that are worth doing again, the groups in the order of the request."""
        q, position = self.q, 0
        for g in [g for g in q["groups"] if g in self.groups]:
            x, started, share, over = Explorer(), False, Share(q, g), False
            for i in range(len(self.recorded.get(g) or []) + self.cases()):
                position += 1
                over = over or share.over()
                if over or position <= (q.get("from") or 0) or g in (q.get("skip") or []) or x.full():
                    continue
                if not started:
                    started = True
                    self.write(k="start", g=g, i=i, p=position)
                d = self.next_of(g, i, x)
                _, answer, used = self.one(position, g, d)
                if self.watch.direct and not x.reaching:
                    x.reaching = True
                    self.write(k="reach", g=g)
                learnt = x.learn(Kept(used, self.values, self.filled, bool(self.watch.direct)), answer, self.watch.ran, self.watch.pairs)
                if learnt or g in self.plays.chosen and i < len(self.recorded[g]):  # a test is played as it is, too
                    self.write(k="keep", g=g, i=i, p=position, c=used)

    def next_of(self, group, index, x):
        """The next case of a search: first the recorded calls as they were, then one that it asks for, or a new one."""
        calls = self.recorded.get(group) or []
        if index < len(calls):
            # A choice of one is none: it is not drawn.
            return Draws(given=spelled({}) + [0] * bool(self.large.get(group)) + [index] * (len(calls) > 1))
        index -= len(calls)
        choices = x.next(index, self.corpus(group))
        if choices is not None:
            return Draws(given=choices)
        if x.kept and index % 4:
            return self.beside(group, x.beside(index), -1 - index)
        d = self.draws(group, index)
        d.put = {}
        return d

    def full(self, cases):
        told = 0
        for n, (g, d, mute) in enumerate(cases):
            if told > MOST_TOLD:
                return
            if n < (self.q.get("from") or 0):
                continue
            self.write(k="start", g=g, i=n, p=n + 1)
            shown, out, used = self.one(n + 1, g, d)
            if mute:
                continue
            self.write(k="case", g=g, i=n, p=n + 1, out=out, c=used, orders=ORDERS.taken(), **{"in": shown}, **self.void)
            told += len(shown) + len(out) + 3 * len(used)

    def answer(self):
        q = self.q
        cases = q.get("cases") or []
        if q["mode"] == "survey":
            self.survey()
        elif q["mode"] == "explore":
            self.explore()
        elif q["mode"] == "detail":
            self.full([(c["group"], Draws(given=c["choices"]) if c.get("choices") else self.draws(c["group"], c["index"]), c.get("mute")) for c in cases])
        elif q["mode"] == "shrink":
            c = cases[0]
            self.full([(c["group"], Draws(given=v), False) for v in [c["choices"]] + simpler(c["choices"], variants)])
        self.write(k="end")
