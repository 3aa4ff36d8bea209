"""A small production system under load: a load balancer, web and app servers, a
database behind a cache, a queue with workers. One step is ten seconds.

Queues are those of textbooks: a server whose utilisation is u answers in
base / (1 - u), and what exceeds its capacity fails. Replicas that start are ready
after three steps. The same trace and the same actions give the same figures.
"""

import math

STEP = 10.0  # seconds
START = 3  # steps until a replica is ready
MOST = {"web": 60, "app": 80, "workers": 60}

WEB_RATE = 40.0  # requests a second of one web server
APP_RATE = 22.0
JOB_RATE = 7.0  # background jobs a second of one worker
DB_READS = 320.0
DB_WRITES = 170.0
BASE_MS = {"web": 4.0, "app": 35.0, "db": 9.0}
LIMIT_MS = 2000.0
QUEUE_LIMIT = 4000.0

PRICE = {"web": 0.05, "app": 0.09, "workers": 0.06}  # dollars an hour
PRICE_CACHE = 0.14  # a gigabyte and hour
PRICE_DB = 0.80

SLO_MS = 250.0


class Fleet:
    """Replicas of one kind: ready ones and those that start."""

    def __init__(self, ready):
        self.ready = ready
        self.starting = []  # steps until each group is ready, and its size

    def scale(self, want):
        have = self.ready + sum(n for _, n in self.starting)
        if want > have:
            self.starting.append([START, want - have])
        while want < have:
            if self.starting:  # those that are not ready yet go first
                group = self.starting[-1]
                gone = min(group[1], have - want)
                group[1] -= gone
                have -= gone
                if group[1] == 0:
                    self.starting.pop()
                continue
            self.ready -= have - want
            have = want

    def step(self):
        for group in self.starting:
            group[0] -= 1
        self.ready += sum(n for left, n in self.starting if left <= 0)
        self.starting = [g for g in self.starting if g[0] > 0]

    def pending(self):
        return sum(n for _, n in self.starting)


def serve(load, capacity, base):
    """Latency in ms, share that fails and utilisation of a service."""
    u = load / capacity if capacity > 0 else (0.0 if load == 0 else 1e9)
    if u < 0.98:
        return base / (1.0 - u), 0.0, u
    return LIMIT_MS, max(0.0, 1.0 - 1.0 / max(u, 1.0)), min(u, 1e9)


class Plant:
    """The system while a trace runs through it."""

    def __init__(self):
        self.fleets = {"web": Fleet(3), "app": Fleet(5), "workers": Fleet(3)}
        self.queue = 0.0
        self.cache = 2.0
        self.shed = 0.0
        self.seen = {
            "requests": 0.0, "writes": 0.0, "jobs": 0.0, "web_util": 0.0, "app_util": 0.0, "db_util": 0.0,
            "queue": 0.0, "hit": 0.0, "p99_ms": 0.0, "errors": 0.0,
        }

    def observe(self):
        seen = dict(self.seen)
        for name, fleet in self.fleets.items():
            seen[name] = fleet.ready
            seen[name + "_starting"] = fleet.pending()
        seen["cache_gb"] = self.cache
        seen["shed"] = self.shed
        return seen

    def act(self, action):
        """Take over what a policy asks for, within what is possible."""
        for name, fleet in self.fleets.items():
            fleet.scale(min(MOST[name], max(1, int(action[name]))))
        self.cache = min(32.0, max(0.0, float(action["cache_gb"])))
        self.shed = min(1.0, max(0.0, float(action["shed"])))

    def step(self, demand):
        """One step under (requests, writes, jobs); returns its figures."""
        for fleet in self.fleets.values():
            fleet.step()
        requests, writes, jobs = demand
        turned = requests * self.shed
        load = requests - turned
        web_ms, web_fail, web_u = serve(load, self.fleets["web"].ready * WEB_RATE, BASE_MS["web"])
        inside = load * (1.0 - web_fail)
        app_ms, app_fail, app_u = serve(inside, self.fleets["app"].ready * APP_RATE, BASE_MS["app"])
        inside *= 1.0 - app_fail
        kept = inside / requests if requests > 0 else 1.0
        hit = 0.94 * self.cache / (self.cache + 1.5)
        reads = max(0.0, inside - writes * kept)
        db_load = reads * (1.0 - hit) / DB_READS + writes * kept / DB_WRITES
        db_ms, db_fail, db_u = serve(db_load, 1.0, BASE_MS["db"])
        failed = load - inside * (1.0 - db_fail)
        mean = web_ms + app_ms + db_ms * (1.0 - hit * reads / max(inside, 1e-9))
        p99 = min(LIMIT_MS, 2.6 * mean)
        done = self.fleets["workers"].ready * JOB_RATE
        self.queue = max(0.0, self.queue + (jobs - done) * STEP)
        lost = max(0.0, self.queue - QUEUE_LIMIT)
        self.queue -= lost
        price = PRICE_DB + self.cache * PRICE_CACHE
        for name, fleet in self.fleets.items():
            price += PRICE[name] * (fleet.ready + fleet.pending())
        self.seen = {
            "requests": requests, "writes": writes, "jobs": jobs, "web_util": web_u, "app_util": app_u, "db_util": db_u,
            "queue": self.queue, "hit": hit, "p99_ms": p99, "errors": (failed + turned) / max(requests, 1e-9),
        }
        return {
            "requests": requests * STEP, "failed": failed * STEP, "turned": turned * STEP, "p99_ms": p99, "price": price,
            "queue": self.queue, "lost": lost,
        }


def score(figures):
    """What a trace cost by the hour: money, and what failing and waiting is worth."""
    hours = len(figures) * STEP / 3600.0
    money = math.fsum(f["price"] for f in figures) / len(figures)
    lost = math.fsum(0.0002 * f["failed"] + 0.0001 * f["turned"] + 0.0005 * f["lost"] for f in figures) / hours
    slow = math.fsum(max(0.0, f["p99_ms"] - SLO_MS) / 1000.0 * f["requests"] * 0.00006 for f in figures) / hours
    late = math.fsum(f["queue"] * 0.00002 for f in figures) / hours
    return money + lost + slow + late, money


def percentile(figures, share):
    """The latency that so many of the requests stayed within."""
    pairs = sorted((f["p99_ms"], f["requests"]) for f in figures)
    total = math.fsum(n for _, n in pairs)
    reached = 0.0
    for ms, n in pairs:
        reached += n
        if reached >= share * total:
            return ms
    return pairs[-1][0]
