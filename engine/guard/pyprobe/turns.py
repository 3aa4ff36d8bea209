"""What is done before each test. It is a plugin of pytest, too, which loads it by its name (and does not
rewrite it: PYTEST_DONT_REWRITE).

Standard library only.
"""
NAME = "atoll_guard_turns"
before = []


def pytest_runtest_logstart(nodeid, location):
    for f in before:
        f()


def of_unittest():
    """Has tests of unittest begin with it as well."""
    import unittest

    run = unittest.TestCase.run

    def with_turn(self, result=None):
        for f in before:
            f()
        return run(self, result)

    unittest.TestCase.run = with_turn
