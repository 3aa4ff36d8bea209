"""How many of what should run, decided every ten seconds from what was seen.

decide(seen, memory) gets what a monitoring system would tell, and a dict that it
may keep things in between its calls. It returns what should run from now on:

    web, app, workers   replicas; those that start need 30 seconds, those that end none
    cache_gb            size of the cache in front of the database
    shed                share of requests to turn away at the door, 0 to 1

What is seen (all rates are per second, utilisation is 1 when full):

    requests, writes, jobs          what came in the last ten seconds
    web, app, workers               replicas that are ready; *_starting are on their way
    web_util, app_util, db_util     utilisation
    queue                           background jobs that wait
    hit                             share of reads that the cache answered
    p99_ms, errors                  of the last ten seconds; errors is a share
"""

WEB_TARGET = 0.50
APP_TARGET = 0.50
HEADROOM = 1.30
DOWN_STEP = 1
QUEUE_PER_WORKER = 60.0
WORKER_RATE = 6.0
CACHE_GB = 2.0
CACHE_PER_REQUEST = 0.0
SHED_FROM = 1.60
SHED_MOST = 0.50
TREND = 0.0


def replicas(ready, starting, util, target, growth):
    """Enough replicas that utilisation meets its target."""
    want = ready * util / target * growth
    now = ready + starting
    if want > now:
        return int(want * HEADROOM) + 1
    return max(int(want) + 1, now - DOWN_STEP)


def decide(seen, memory):
    before = memory.get("requests", seen["requests"])
    memory["requests"] = seen["requests"]
    growth = 1.0 + TREND * max(0.0, seen["requests"] - before) / (before + 1.0)
    workers = seen["jobs"] / WORKER_RATE + seen["queue"] / QUEUE_PER_WORKER
    shed = 0.0
    if seen["app_util"] > SHED_FROM:
        shed = min(SHED_MOST, 1.0 - SHED_FROM / seen["app_util"])
    return {
        "web": replicas(seen["web"], seen["web_starting"], seen["web_util"], WEB_TARGET, growth),
        "app": replicas(seen["app"], seen["app_starting"], seen["app_util"], APP_TARGET, growth),
        "workers": int(workers) + 1,
        "cache_gb": CACHE_GB + CACHE_PER_REQUEST * seen["requests"],
        "shed": shed,
    }
