"""How long a sweep's next trial takes, without the database, with so many trials before it: beside the public controller of
wandb, and for TPE beside Optuna."""
import functools
import json
import math
import random
import statistics
import subprocess
import sys

import host

PACKAGES = ("sweeps==0.2.0", "optuna==5.0.0", "numpy<3", "setuptools<81")
METHODS = ("grid", "random", "bayes", "tpe")
COUNTS = (10, 1000, 5000)
REPEAT = {10: 20, 1000: 5, 5000: 3}
SIDE = 20  # the grid has three parameters with so many values


def environment():
    folder = host.TOP / "build/bench-sweeps"
    python = folder / "bin/python"
    wanted = "\n".join(PACKAGES)
    made = folder / "made-from"
    if not made.exists() or made.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", *PACKAGES], check=True)
        made.write_text(wanted)
    return python


def config_of(method):
    if method == "grid":
        parameters = {name: {"values": list(range(SIDE))} for name in "abc"}
    else:
        parameters = {"lr": {"distribution": "log_uniform_values", "min": 1e-5, "max": 1.0},
                      "dropout": {"distribution": "uniform", "min": 0.0, "max": 0.7},
                      "momentum": {"distribution": "uniform", "min": 0.0, "max": 1.0},
                      "batch": {"values": [16, 32, 64, 128, 256]},
                      "layers": {"distribution": "int_uniform", "min": 1, "max": 12},
                      "optimizer": {"values": ["adam", "sgd", "lamb"]}}
    return {"method": method, "metric": {"name": "value", "goal": "minimize"}, "parameters": parameters}


def drawn(parameter, rng):
    if "values" in parameter:
        return rng.choice(parameter["values"])
    low, high, kind = parameter["min"], parameter["max"], parameter["distribution"]
    if kind == "int_uniform":
        return rng.randint(low, high)
    return math.exp(rng.uniform(math.log(low), math.log(high))) if kind == "log_uniform_values" else rng.uniform(low, high)


def value_of(point):
    return abs(math.log10(point["lr"]) + 3) + point["dropout"] if "lr" in point else sum(point.values())


def trials_of(config, count):
    rng, parameters = random.Random(1), config["parameters"]
    if config["method"] == "grid":
        points = [{"a": i // SIDE ** 2, "b": i // SIDE % SIDE, "c": i % SIDE} for i in range(count)]
    else:
        points = [{name: drawn(p, rng) for name, p in parameters.items()} for _ in range(count)]
    return [(point, value_of(point)) for point in points]


def ours(config, trials, repeat):
    lines = [f"sweep 1 {json.dumps(config)}", *(f"trial {value!r} {json.dumps(params)}" for params, value in trials)]
    for i in range(repeat):  # each from the same trials
        lines += ["next", f"drop {len(trials) + i + 1}"]
    done = subprocess.run([host.LOAD / "sweep_search"], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True,
                          check=True)
    return statistics.median(int(line.split("\t")[1]) / 1e6 for line in done.stdout.splitlines())


def plain(python, config, trials, repeat):
    job = json.dumps({"config": config, "trials": trials, "repeat": repeat})
    done = subprocess.run([python, host.TOP / "scripts/bench_parts/sweep_plain.py"], input=job, stdout=subprocess.PIPE,
                          text=True, check=True)
    return statistics.median(map(float, done.stdout.split()))


def sweep_next(method, count, _folder, _seconds):
    config, repeat = config_of(method), REPEAT[count]
    trials = trials_of(config, count)
    theirs = plain(environment(), config, trials, repeat)
    yield (f"sweep-next-{method}-{count}", ours(config, trials, repeat), "ms CPU", theirs)


FIGURES = {f"sweep-next-{method}-{count}": functools.partial(sweep_next, method, count) for method in METHODS for count in COUNTS}
