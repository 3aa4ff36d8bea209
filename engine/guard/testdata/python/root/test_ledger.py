import unittest

import ledger


class TestLedger(unittest.TestCase):
    def test_all(self):
        book = ledger.Ledger(50)
        self.assertEqual(book.add("ann", 10), 1)
        book.add("bob", 5)
        self.assertEqual(book.total(), 15)
        self.assertEqual(book.names(), ["ann", "bob"])
        self.assertEqual(ledger.slug("Hello World"), "hello-world")
        self.assertEqual(list(ledger.chunks([1, 2, 3, 4], 2)), [[1, 2], [3, 4]])
        self.assertEqual(ledger.parse("a = b"), {"a": "b"})
        self.assertEqual(ledger.mean([1, 2, 3]), 2)
        self.assertEqual(ledger.dedupe([1, 1, 2]), [1, 2])


if __name__ == "__main__":
    unittest.main()
