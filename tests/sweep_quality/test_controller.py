"""Our grid and random searches beside the public controller of W&B: a grid has the same points in the same order, and draws have
the same distribution. Its generator of random numbers is another one, so draws themselves differ."""
import itertools
import json
import os
import pathlib
import subprocess

import pytest

from beside import python_with
from functions import choice, logarithmic, steps, uniform, whole

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "0.2.0"
GRIDS = {
    "order": {"b": choice(3, 1, 2), "a": choice("x", "y"), "c": {"value": 7}},
    "kinds": {"mixed": choice(1, True, "1", 2.5, None), "list": choice([1, 2], [3])},
    "ranges": {"whole": whole(-1, 2), "steps": steps(0.0, 1.0, 0.25), "z": choice(1)},
}
DRAWS = {
    "uniform": uniform(-2.0, 3.0),
    "q_uniform": steps(0.0, 10.0, 2.5),
    "int_uniform": whole(-3, 12),
    "log_uniform_values": logarithmic(1e-5, 10.0),
    "log_uniform": {"distribution": "log_uniform", "min": -3.0, "max": 2.0},
    "inv_log_uniform_values": {"distribution": "inv_log_uniform_values", "min": 0.01, "max": 1.0},
    "q_log_uniform_values": {"distribution": "q_log_uniform_values", "min": 1.0, "max": 100.0, "q": 3},
    "normal": {"distribution": "normal", "mu": 2.0, "sigma": 3.0},
    "q_normal": {"distribution": "q_normal", "mu": 2.0, "sigma": 3.0, "q": 0.5},
    "log_normal": {"distribution": "log_normal", "mu": 0.5, "sigma": 0.7},
    "beta": {"distribution": "beta", "a": 2, "b": 5},
    "values": choice(1, 2, 3, 4, 5),
    "probabilities": {"values": [1, 2, 3], "probabilities": [0.6, 0.3, 0.1]},
}
COUNT = 1500


@pytest.fixture(scope="module")
def theirs():
    """theirs(config, count): points."""
    try:
        python = python_with(f"sweeps-{VERSION}", f"sweeps=={VERSION}", "numpy<3", "setuptools<81")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the package sweeps cannot be installed: {error}")

    def points(config, count):
        done = subprocess.run([python, HERE / "controlled.py"], input=json.dumps([config, count]), stdout=subprocess.PIPE, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]
    return points


def ours(config, count):
    lines = [f"sweep 1 {json.dumps(config)}"]
    for number in range(1, count + 1):
        lines += ["next", f"value {number} 1.0"]
    done = subprocess.run([pathlib.Path(os.environ["CAIRN_BUILD"]) / "tests/load/sweep_search"], input="\n".join(lines) + "\n",
                          stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line.split("\t")[2]) for line in done.stdout.splitlines()]


def config_of(method, parameters):
    return {"method": method, "metric": {"name": "value", "goal": "minimize"}, "parameters": parameters}


@pytest.mark.parametrize("name", GRIDS)
def test_grids_are_the_same(theirs, name):
    config = config_of("grid", GRIDS[name])
    wanted = theirs(config, 1000)
    found = ours(config, len(wanted))
    assert [json.dumps(p, sort_keys=True) for p in found] == [json.dumps(p, sort_keys=True) for p in wanted]


def distance(ours, theirs):
    """The largest distance of two distribution functions (Kolmogorov and Smirnov)."""
    return max(abs(sum(v <= x for v in ours) / len(ours) - sum(v <= x for v in theirs) / len(theirs))
               for x in sorted({*ours, *theirs})[::5] + sorted({*ours, *theirs})[-5:])


def test_draws_have_the_same_distributions(theirs):
    """Farther apart than this are samples of one distribution once in 1,000 times; seeds are fixed."""
    config = config_of("random", DRAWS)
    found, wanted = ours({**config, "repeat": True}, COUNT), theirs(config, COUNT)
    limit = 1.95 * (2 / COUNT) ** 0.5
    for name in DRAWS:
        assert distance([p[name] for p in found], [p[name] for p in wanted]) < limit, name
    pairs = itertools.pairwise(p["uniform"] for p in found)
    assert abs(sum((a - 0.5) * (b - 0.5) for a, b in pairs) / COUNT) < 0.3  # draws do not depend on the one before
