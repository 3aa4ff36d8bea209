package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// caching gives functions that tell what they did, and an object that is called.
const caching = `
import functools


def cached(cache, info=False):
    def decorator(function):
        hits = misses = 0

        def wrapper(*args):
            nonlocal hits, misses
            if args in cache:
                hits += 1
                return cache[args]
            misses += 1
            value = function(*args)
            cache[args] = value
            return value

        def cache_info():
            return hits, misses

        def cache_clear():
            nonlocal hits, misses
            hits = misses = 0
            cache.clear()

        if info:
            wrapper.cache_info = cache_info
        wrapper.cache_clear = cache_clear
        return functools.update_wrapper(wrapper, function)

    return decorator


class _Counted:
    def __init__(self, function):
        self._function = function
        self._calls = 0

    def __call__(self, *args):
        self._calls += 1
        return self._function(*args)

    def count(self):
        return self._calls


def counted(function):
    return _Counted(function)
`

const cachingTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        double = kit.cached({}, info=True)(lambda n: n * 2)
        self.assertEqual((double(2), double(2), double.cache_info()), (4, 4, (1, 1)))
        self.assertEqual(kit.cached({})(len)("abc"), 3)
        length = kit.counted(len)
        self.assertEqual((length("ab"), length.count()), (2, 1))
`

func TestAPythonWrapperThatCountsACallOnceItCameBackIsFound(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 120}, caching, cachingTest,
		"            misses += 1\n            value = function(*args)\n", "            value = function(*args)\n            misses += 1\n"), "kit.cached")
}

func TestWhatAPythonWrapperTellsBehindAFunctionThatFailsIsCompared(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 120, caching, cachingTest, []edited{
		{"numbers that are kept where all else is cleared", "            hits = misses = 0\n            cache.clear()", "            cache.clear()", "kit.cached"},
		{"an object that counts once a call came back", "        self._calls += 1\n        return self._function(*args)", "        value = self._function(*args)\n        self._calls += 1\n        return value", "kit.counted"},
	})
}

func TestRefactoringsOfPythonWrappersRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestAPythonWrapperThatCountsACallOnceItCameBackIsFound stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 120}, caching, cachingTest,
		"            if args in cache:\n                hits += 1\n                return cache[args]\n            misses += 1\n", "            try:\n                value = cache[args]\n                hits += 1\n                return value\n            except KeyError:\n                misses += 1\n",
		"            return hits, misses\n", "            return (hits, misses)\n",
		"        self._calls += 1\n        return self._function(*args)", "        self._calls, function = self._calls + 1, self._function\n        return function(*args)",
	))
}
