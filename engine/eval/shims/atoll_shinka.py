"""Runs an evaluation script written for ShinkaEvolve.

usage: atoll_shinka.py SCRIPT PROGRAM [ARGUMENT...]

The script is called with --program_path PROGRAM --results_dir DIR and writes
metrics.json and correct.json there. combined_score leads; numbers under
"public" keep their names, those under "private" get "private." before them;
texts become artifacts. A program that is not correct is a failure.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys

import atoll_adapter as adapter


def environment(scratch):
    """Adds a stand-in for the package that scripts take run_shinka_eval from."""
    env = dict(os.environ)
    if importlib.util.find_spec("shinka") is not None:
        return env
    stubs = os.path.join(scratch, "atoll_stand_ins")
    core = os.path.join(stubs, "shinka", "core")
    os.makedirs(core, exist_ok=True)
    with open(os.path.join(stubs, "shinka", "__init__.py"), "w", encoding="utf-8"):
        pass
    here = os.path.dirname(os.path.abspath(__file__))
    shutil.copyfile(os.path.join(here, "atoll_shinka_core.py"), os.path.join(core, "__init__.py"))
    paths = [p for p in (env.get("PYTHONPATH", ""), stubs) if p]
    env["PYTHONPATH"] = os.pathsep.join(paths)
    return env


def flatten(report, metrics):
    if "combined_score" in metrics:
        report.metric("combined_score", metrics["combined_score"], higher=True)
    for group, prefix in ((metrics.get("public"), ""), (metrics, ""), (metrics.get("private"), "private.")):
        if not isinstance(group, dict):
            continue
        for name, value in group.items():
            if adapter.is_number(value) and not (prefix == "" and name == "combined_score"):
                report.metric(prefix + str(name), value)
            elif value is not None and not isinstance(value, dict):
                report.artifact(prefix + str(name), value)


def read(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def main():
    report = adapter.Report()
    scratch = report.context["scratch"]
    results = os.path.join(scratch, "results")
    os.makedirs(results, exist_ok=True)
    script, program = sys.argv[1], sys.argv[2]
    command = [sys.executable, script, "--program_path", program, "--results_dir", results] + sys.argv[3:]
    code = subprocess.run(command, env=environment(scratch), stdin=subprocess.DEVNULL).returncode
    metrics_file, correct_file = os.path.join(results, "metrics.json"), os.path.join(results, "correct.json")
    if not os.path.exists(metrics_file):
        if code != 0:
            sys.exit(code if 0 < code < 256 else 128 - code if -128 < code < 0 else 1)
        report.fail("metric", "the script ended well but wrote no metrics.json")
        report.write()
        return
    flatten(report, read(metrics_file))
    if os.path.exists(correct_file):
        verdict = read(correct_file)
        if not verdict.get("correct"):
            report.fail("test", verdict.get("error") or "the script says the program is not correct")
    elif code != 0:
        sys.exit(code if 0 < code < 256 else 1)
    if report.metrics:
        first = report.metrics[0]
        report.summary = "%s %.6g" % (first["name"], first["value"])
    else:
        report.fail("metric", "metrics.json holds no number")
    report.write()


if __name__ == "__main__":
    main()
