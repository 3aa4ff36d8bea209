#!/usr/bin/env python3
"""Run OpenEvolve and atoll on OpenEvolve's own examples, with one model for both.

    compare.py CHECKOUT [--atoll PROGRAM] [--calls 150] [--seeds 10]

CHECKOUT is a checkout of OpenEvolve. The Python that runs this script runs it too
and must have what it imports (numpy, yaml, tqdm, flask, dacite); a stand-in serves
where the package openai is not installed.

The model is no model: a server on this machine that finds the program in a request,
and answers with one to four of its numbers changed, in the form the request asks for;
the first of a subscript stays. A number is taken from a line of the request that
differs from the program's in its numbers alone, or drawn near what it is. The answer
depends on the seed and the request alone. Whoever shows it better programs gets
better answers.

Both systems make the same number of calls with the example's own settings. The best
program of each is measured five times more by the example's evaluator, and the middle
counts: what a system says of itself does not.
"""
import argparse
import hashlib
import http.server
import importlib.util
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading

EXAMPLES = {"circle_packing": "config_phase_1.yaml", "function_minimization": "config.yaml"}
PROGRAM = "initial_program.py"
NUMBER = re.compile(r"(?<![\w.\[])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")

# What OpenEvolve uses of the package openai.
STAND_IN = '''
import json, types, urllib.request

class OpenAI:
    def __init__(self, api_key=None, base_url=None, timeout=None, max_retries=0):
        self.base = base_url.rstrip("/")
        self.chat = types.SimpleNamespace(completions=types.SimpleNamespace(create=self.create))

    def create(self, **params):
        request = urllib.request.Request(self.base + "/chat/completions", json.dumps(params).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read(), object_hook=lambda d: types.SimpleNamespace(**d))
'''


def skeleton(line):
    return NUMBER.sub("#", line.strip())


def numbers(line):
    return [m.group() for m in NUMBER.finditer(line)]


def shown(prompt):
    """The program to change, the path it is asked for under, or None, and all other lines."""
    # A file begins and ends with a tag of its own, or stands in a fence after its title.
    for pattern in (r"\[begin file (\S+) (\w+)\]\n(?P<text>.*?)\n?\[end file \1 \2\]", r"# Current Program\n```\w*\n(?P<text>.*?)\n?```"):
        found = re.search(pattern, prompt, re.S)
        if found:
            path = found.group(1) if "file" in pattern else None
            return found["text"], path, prompt[: found.start()] + prompt[found.end():]
    raise ValueError("the request shows no program")


def near(text, draw):
    if re.fullmatch(r"\d+", text):
        value = int(text)
        step = max(1, round(abs(draw.gauss(0, 0.2)) * value))
        return str(max(0, value + draw.choice([-step, step])))
    value = float(text)
    scale = draw.choice([0.01, 0.1, 0.5])
    return repr(round(abs(value * (1 + draw.gauss(0, scale))), 6))


def changed(program, others, draw):
    """The program with one to four numbers changed, as pairs of lines (before, after)."""
    lines = program.split("\n")
    begin = next((i for i, l in enumerate(lines) if "EVOLVE-BLOCK-START" in l), -1)
    end = next((i for i, l in enumerate(lines) if "EVOLVE-BLOCK-END" in l), len(lines))
    seen = {}
    for line in others.split("\n"):
        for text in {line, line[1:] if line[:1] in "+-" else line}:
            if numbers(text):
                seen.setdefault(skeleton(text), set()).add(tuple(numbers(text)))
    places = [(i, k) for i in range(begin + 1, end) if not lines[i].lstrip().startswith(("#", "import", "from", '"')) for k in range(len(numbers(lines[i])))]
    edits = {}
    for i, k in draw.sample(places, min(len(places), draw.choice([1, 1, 2, 4]))):
        now = edits.get(i, lines[i])
        given = sorted(values[k] for values in seen.get(skeleton(lines[i]), ()) if values[k] != numbers(now)[k])
        value = draw.choice(given) if given and draw.random() < 0.5 else near(numbers(now)[k], draw)
        at = list(NUMBER.finditer(now))[k]
        edits[i] = now[: at.start()] + value + now[at.end():]
    return lines, edits


def unique(lines, i):
    """A stretch of lines around the i-th that occurs once."""
    for wide in range(len(lines)):
        stretch = lines[max(0, i - wide): i + wide + 1]
        if "\n".join(lines).count("\n".join(stretch)) == 1:
            return max(0, i - wide), i + wide + 1
    return 0, len(lines)


def answer(seed, messages):
    prompt = "\n".join(m["content"] if isinstance(m["content"], str) else "".join(p.get("text", "") for p in m["content"]) for m in messages if m["role"] == "user")
    draw = random.Random(hashlib.sha256(f"{seed}\0{prompt}".encode()).digest())
    program, path, others = shown(prompt)
    lines, edits = changed(program, others, draw)
    after = [edits.get(i, l) for i, l in enumerate(lines)]
    if "<<<<<<< SEARCH" not in prompt:
        return (f"{path}\n" if path else "") + "```python\n" + "\n".join(after) + "\n```\n"
    blocks, done = [], 0
    for i in sorted(edits):
        if i < done:
            continue
        first, last = unique(lines, i)
        first, done = max(first, done), last
        blocks.append("\n".join(([path] if path else []) + ["<<<<<<< SEARCH", *lines[first:last], "=======", *after[first:last], ">>>>>>> REPLACE"]))
    return "Other numbers.\n\n" + "\n\n".join(blocks) + "\n"


class Model:
    """The server; its calls are counted by the first part of their path, and the next is the seed."""

    def __init__(self):
        model, self.calls, self.lock = self, {}, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                _, who, seed, _ = self.path.split("/", 3)
                with model.lock:
                    model.calls[who] = model.calls.get(who, 0) + 1
                try:
                    text, code = answer(seed, request["messages"]), 200
                except Exception as problem:
                    text, code = str(problem), 400
                body = {"id": "1", "object": "chat.completion", "model": "numbers", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
                        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}} if code == 200 else {"error": {"message": text}}
                data = json.dumps(body).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, who, seed):
        return f"http://127.0.0.1:{self.server.server_port}/{who}/{seed}/v1"


def run(command, folder, log, **env):
    with open(log, "w") as out:
        code = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **env}).returncode
    if code:
        tail = "\n".join(pathlib.Path(log).read_text().splitlines()[-15:])
        sys.exit(f"{command[0]} ended with {code}:\n{tail}")


def settings(source, config, url, seed, calls):
    import yaml

    given = yaml.safe_load((source / config).read_text())
    given["max_iterations"], given["random_seed"] = calls, seed
    given["llm"] = {**{k: v for k, v in given["llm"].items() if k in ("temperature", "top_p", "max_tokens", "timeout")}, "api_base": url, "api_key": "none", "primary_model": "numbers", "primary_model_weight": 1.0}
    given["evaluator"]["parallel_evaluations"] = 2
    return yaml.safe_dump(given)


def openevolve(args, source, config, seed, folder, model):
    (folder / "config.yaml").write_text(settings(source, config, model.url(folder.name, seed), seed, args.calls))
    run([sys.executable, args.checkout / "openevolve-run.py", source / PROGRAM, source / "evaluator.py", "--config", "config.yaml", "--output", "out"],
        folder, folder / "log", PYTHONPATH=args.path)
    return folder / "out/best/best_program.py"


def atoll(args, source, config, seed, folder, model):
    repo = folder / "repo"
    repo.mkdir()
    for name in ("evaluator.py", PROGRAM):
        shutil.copy(source / name, repo)
    (repo / "config.yaml").write_text(settings(source, config, model.url(folder.name, seed), seed, args.calls))
    git = ["git", "-c", "user.name=compare", "-c", "user.email=compare@localhost"]
    for command in (["git", "init", "-q"], ["git", "add", "-A"], [*git, "commit", "-q", "-m", "start"]):
        run(command, repo, folder / "log")
    run([args.atoll, "import", "openevolve", "."], repo, folder / "log")
    taken = repo / "atoll.yaml"
    taken.write_text(taken.read_text().replace("    kind: chat\n", "    kind: chat\n    attempts: 1\n"))  # a call is a call
    for command in (["git", "rm", "-q", "--cached", "config.yaml"], ["git", "add", "atoll.yaml"], [*git, "commit", "-q", "-m", "settings"]):
        run(command, repo, folder / "log")
    (repo / "config.yaml").unlink()
    extra = [x for s in args.set for x in ("--set", s)]
    run([args.atoll, "run", "--headless", "--yes", "--seed", str(seed), "--set", "workers=2", *extra], repo, folder / "log",
        OPENAI_API_KEY="none", PATH=os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]))
    commit = json.loads(subprocess.run([args.atoll, "best", "--json"], cwd=repo, check=True, capture_output=True, text=True).stdout)["commit"]
    best = folder / PROGRAM
    best.write_bytes(subprocess.run(["git", "-C", repo / ".git/atoll/store.git", "show", f"{commit}:{PROGRAM}"], check=True, capture_output=True).stdout)
    return best


def measured(args, source, program):
    """The middle of five measurements by the example's own evaluator."""
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import evaluator; r = evaluator.evaluate(sys.argv[2]); "
            "print('\\nvalue', getattr(r, 'metrics', r)['combined_score'])")
    values = []
    for _ in range(5):
        out = subprocess.run([sys.executable, "-c", code, source, program], check=True, stdout=subprocess.PIPE, text=True, cwd=program.parent, env={**os.environ, "PYTHONPATH": args.path}).stdout
        values.append(float(re.findall(r"^value (\S+)", out, re.M)[-1]))
    return statistics.median(values)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("checkout", type=lambda s: pathlib.Path(s).resolve())
    p.add_argument("--atoll", default="atoll", help="the program (default: the one on PATH)")
    p.add_argument("--example", action="append", choices=sorted(EXAMPLES))
    p.add_argument("--calls", type=int, default=150)
    p.add_argument("--seeds", type=int, default=10)
    p.add_argument("--set", action="append", default=[], help="a configuration value for atoll (repeatable)")
    args = p.parse_args()
    model, home = Model(), tempfile.TemporaryDirectory(prefix="compare-")
    args.path = str(args.checkout)
    if importlib.util.find_spec("openai") is None:
        pathlib.Path(home.name, "openai.py").write_text(STAND_IN)
        args.path += os.pathsep + home.name
    for example in args.example or EXAMPLES:
        source, results = args.checkout / "examples" / example, {}
        print(f"{example}: as shipped {measured(args, source, source / PROGRAM):.4f}", flush=True)
        for seed in range(1, args.seeds + 1):
            for way in (openevolve, atoll):
                with tempfile.TemporaryDirectory(prefix="compare-") as folder:
                    folder = pathlib.Path(folder)
                    value = measured(args, source, way(args, source, EXAMPLES[example], seed, folder, model))
                    results.setdefault(way.__name__, []).append(value)
                    print(f"  seed {seed:2}  {way.__name__:10}  {value:.4f}  {model.calls.get(folder.name, 0)} calls", flush=True)
        for name, values in results.items():
            print(f"  {name:10}  median {statistics.median(values):.4f}, {min(values):.4f} to {max(values):.4f}", flush=True)


if __name__ == "__main__":
    main()
