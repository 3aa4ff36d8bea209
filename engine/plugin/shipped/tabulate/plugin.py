"""tabulate extends atoll: it turns a chain of ifs that compare one value with growing or falling numbers into a table and a loop.

    if n < 5:                      for bound, value in ((5, "a"), (9, "b"), (12, "c")):
        return "a"                     if n < bound:
    if n < 9:                 ->           return value
        return "b"
    if n < 12:
        return "c"

One JSON-RPC request a line comes on stdin, its answer goes to stdout."""
import json
import re
import sys

NAME, KIND, METHOD = "tabulate", "operator", "propose"
LEAST = 3  # ifs in a row that make a table
TEST = re.compile(r"^(\s+)(?:el)?if (\w+) (<|<=|>|>=|==) (-?\d+(?:\.\d+)?):$")
LITERAL = r"-?\d+(?:\.\d+)?|\"[^\"\\]*\"|'[^'\\]*'|None|True|False"
ANSWER = re.compile(r"^(\s+)return (%s)$" % LITERAL)


def chains(lines):
    """Runs of at least LEAST ifs on the same name with the same comparison: first line, end, name, sign, rows."""
    at = 0
    while at < len(lines):
        rows, i, head = [], at, None
        while i + 1 < len(lines):
            test, answer = TEST.match(lines[i]), ANSWER.match(lines[i + 1])
            if not test or not answer or len(answer[1]) <= len(test[1]) or head and head != test.group(1, 2, 3):
                break
            if head is None and "elif" in lines[i]:
                break
            head = test.group(1, 2, 3)
            rows.append((test[4], answer[2]))
            i += 2
        follows = i < len(lines) and re.match(r"\s+(elif|else)\b", lines[i])
        if len(rows) >= LEAST and not follows:
            yield at, i, head, rows
        at = max(i, at + 1)


def table(head, rows):
    indent, name, sign = head
    pairs = ", ".join("(%s, %s)" % row for row in rows)
    if len(pairs) < 100:
        out = ["%sfor bound, value in (%s):" % (indent, pairs)]
    else:
        out = ["%sfor bound, value in (" % indent] + ["%s    (%s, %s)," % ((indent,) + row) for row in rows] + ["%s):" % indent]
    return out + ["%s    if %s %s bound:" % (indent, name, sign), "%s        return value" % indent]


def propose(params):
    # The same seed must give the same answer.
    found = []
    for file in params["parent"]["files"]:
        if file["path"].endswith(".py") and not re.search(r"\b(bound|value)\b", file["text"]):
            lines = file["text"].split("\n")
            found += [(file["path"], lines, chain) for chain in chains(lines)]
    if not found:
        return {"intent": "", "changes": []}
    path, lines, (start, end, head, rows) = found[params["seed"] % len(found)]
    text = "\n".join(lines[:start] + table(head, rows) + lines[end:])
    return {"intent": "a table of %d rows for as many ifs on %s in %s" % (len(rows), head[1], path), "changes": [{"path": path, "text": text}]}


def answer(request):
    if request["method"] == "initialize":
        return {"result": {"protocol": 1, "name": NAME, "kind": KIND, "capabilities": ["structural"]}}
    if request["method"] == METHOD:
        return {"result": propose(request["params"])}
    return {"error": {"code": -32601, "message": "no such method"}}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}), flush=True)
