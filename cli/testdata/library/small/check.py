import pathlib
import sys

sys.path.insert(0, ".")
import numerals
import words

assert [words.kind(c) for c in ["", "_", "b", "Q", "7", "!", "~"]] == ["end", "gap", "low", "cap", "digit", "stop", "other"]
assert all(words.kind(c) == "gap" for c in " _-./:")
assert [numerals.spell(n) for n in range(13)] == "no one two three four five six seven eight nine ten eleven twelve".split()
assert [numerals.spell(n) for n in [-5, 13, 99, 100, -100]] == ["less than none", "many", "many", "countless", "unknown"]
print("score=1")
print("size=%d" % sum(len(p.read_text().split()) for p in pathlib.Path(".").glob("*.py")))
