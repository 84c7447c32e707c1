"""Our searches beside Optuna's TPE: the best value of 60 trials of ten functions, 30 seeds each. Prints the table of medians."""
import concurrent.futures
import itertools
import math
import os
import pathlib
import statistics
import subprocess
import sys

import pytest

from beside import python_with
from functions import FUNCTIONS

HERE = pathlib.Path(__file__).resolve().parent
OPTUNA = "5.0.0"
METHODS = ("optuna", "bayes", "tpe", "random")
OURS = ("bayes", "tpe")
TRIALS, SEEDS, PORTION = 60, 30, 10
WORSE = 0.005  # a search is worse if so much would be chance less often


def values_of(python, method, function, seeds):
    program = pathlib.Path(os.environ["CAIRN_BUILD"]) / "tests/load/sweep_search"
    command = [python if method == "optuna" else sys.executable, HERE / "judged.py", method, function, TRIALS, *seeds]
    done = subprocess.run([str(word) for word in command], env={**os.environ, "SWEEP_SEARCH": str(program)}, check=True,
                          stdout=subprocess.PIPE, text=True)
    return [float(line) for line in done.stdout.split()]


def judge_all():
    """{(method, function): values}"""
    python = python_with(f"optuna-{OPTUNA}", f"optuna=={OPTUNA}")
    jobs = list(itertools.product(METHODS, FUNCTIONS, range(0, SEEDS, PORTION)))
    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        portions = pool.map(lambda job: values_of(python, job[0], job[1], range(job[2], job[2] + PORTION)), jobs)
        for (method, function, _), values in zip(jobs, portions):
            found.setdefault((method, function), []).extend(values)
    return found


def pairs_worse(ours, theirs):
    return sum((a > b) + 0.5 * (a == b) for a in ours for b in theirs)


def share_worse(ours, theirs):
    """How often a value of ours is greater than one of theirs: 0.5 if they are alike."""
    return pairs_worse(ours, theirs) / (len(ours) * len(theirs))


def chance_of_worse(ours, theirs):
    """How often chance alone makes ours so much greater (Mann and Whitney, by the normal distribution, with ties)."""
    n, m = len(ours), len(theirs)
    wins = pairs_worse(ours, theirs)
    values = sorted(ours + theirs)
    ties = sum(count ** 3 - count for count in (len(list(same)) for _, same in itertools.groupby(values)))
    spread = math.sqrt(n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1))))
    return 0.5 * math.erfc((wins - n * m / 2) / spread / math.sqrt(2)) if spread else 1


@pytest.fixture(scope="module")
def judged():
    found = judge_all()
    print(f"\nmedian of the best value, {TRIALS} trials, {SEEDS} seeds; share of pairs in which ours is worse than Optuna's\n{'':14}"
          + "".join(f"{m:>12}" for m in METHODS) + "".join(f"{m:>9}" for m in OURS))
    for function in FUNCTIONS:
        print(f"{function:14}" + "".join(f"{statistics.median(found[m, function]):12.5g}" for m in METHODS)
              + "".join(f"{share_worse(found[m, function], found['optuna', function]):9.2f}" for m in OURS))
    return found


@pytest.mark.parametrize("method", OURS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_is_not_worse_than_optuna(judged, method, function):
    ours, theirs = judged[method, function], judged["optuna", function]
    assert chance_of_worse(ours, theirs) > WORSE, f"medians: {statistics.median(ours)}, of Optuna {statistics.median(theirs)}"


@pytest.mark.parametrize("method", OURS)
def test_is_not_worse_on_the_whole(judged, method):
    """Of all pairs of values at most half are worse than Optuna's, and of the medians at least half are not."""
    pairs = [(judged[method, f], judged["optuna", f]) for f in FUNCTIONS]
    assert statistics.mean(share_worse(*pair) for pair in pairs) <= 0.5
    assert sum(statistics.median(ours) <= statistics.median(theirs) for ours, theirs in pairs) >= len(FUNCTIONS) / 2


@pytest.mark.parametrize("method", OURS)
def test_learns(judged, method):
    """On all functions together much better than chance."""
    better = sum(statistics.median(judged[method, f]) < statistics.median(judged["random", f]) for f in FUNCTIONS)
    assert better == len(FUNCTIONS)
