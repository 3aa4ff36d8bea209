"""Stands in for shinka.core where that package is not installed: the two
functions that evaluation scripts call, after their public documentation."""

import importlib.util
import json
import os
import statistics
import time


def save_json_results(results_dir, metrics, correct, error=None):
    os.makedirs(results_dir, exist_ok=True)
    for name, body in (("correct.json", {"correct": bool(correct), "error": error}), ("metrics.json", metrics)):
        with open(os.path.join(results_dir, name), "w", encoding="utf-8") as f:
            json.dump(body, f, indent=2, default=str)


def _function(program_path, name):
    spec = importlib.util.spec_from_file_location("program", program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def run_shinka_eval(
    program_path,
    results_dir,
    experiment_fn_name,
    num_runs,
    get_experiment_kwargs=None,
    aggregate_metrics_fn=None,
    validate_fn=None,
    default_metrics_on_error=None,
    **ignored
):
    """Calls the experiment num_runs times, checks each result, and writes
    metrics.json and correct.json. Returns (metrics, correct, error)."""
    results, seconds, errors = [], [], []
    valid = invalid = 0
    try:
        experiment = _function(program_path, experiment_fn_name)
        for i in range(num_runs):
            arguments = get_experiment_kwargs(i) if get_experiment_kwargs else {"seed": i + 1}
            begin = time.perf_counter()
            result = experiment(**arguments)
            seconds.append(time.perf_counter() - begin)
            results.append(result)
            if validate_fn is None:
                continue
            ok, words = validate_fn(result)
            valid, invalid = valid + bool(ok), invalid + (not ok)
            if not ok and words and words not in errors:
                errors.append(words)
        metrics = dict(aggregate_metrics_fn(results)) if aggregate_metrics_fn else {"num_successful_runs": len(results)}
        metrics["execution_time_mean"] = statistics.fmean(seconds) if seconds else 0.0
        metrics["execution_time_std"] = statistics.pstdev(seconds) if seconds else 0.0
        if validate_fn is not None:
            metrics["num_valid_runs"], metrics["num_invalid_runs"] = valid, invalid
        correct = invalid == 0
        error = None if correct else "Validation failed: %s" % (errors[0] if errors else "no reason given")
    except Exception as e:
        metrics = dict(default_metrics_on_error or {"combined_score": 0.0})
        correct, error = False, "%s: %s" % (type(e).__name__, e)
    metrics.pop("extra_data", None)
    save_json_results(results_dir, metrics, correct, error)
    return metrics, correct, error
