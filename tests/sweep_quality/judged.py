"""Values that a search finds for the functions of functions.py: by our searches, and by Optuna's.

    python3 tests/sweep_quality/judged.py METHOD FUNCTION TRIALS SEED...

prints for each seed the value, without noise, of the trial with the best value, with noise. METHOD is bayes, tpe, random, or optuna,
which needs a Python with Optuna; the others need SWEEP_SEARCH, the program sweep_search.
"""
import json
import os
import random
import subprocess
import sys

from functions import FUNCTIONS


def best_of(true, noisy):
    return true[min(range(len(noisy)), key=noisy.__getitem__)]


class Search:
    """One sweep after another in a process of sweep_search."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def begin(self, method, parameters, seed):
        config = {"method": method, "metric": {"name": "value", "goal": "minimize"}, "parameters": parameters}
        self.tell(f"sweep {seed} {json.dumps(config)}")

    def tell(self, line):
        self.process.stdin.write(line + "\n")

    def next(self):
        self.tell("next")
        self.process.stdin.flush()
        number, _, params, _ = self.process.stdout.readline().rstrip("\n").split("\t")
        return number, json.loads(params)


def ours(method, function, trials, seeds):
    parameters, value_of, noise = FUNCTIONS[function]
    search = Search(os.environ["SWEEP_SEARCH"])
    for seed in seeds:
        errors, true, noisy = random.Random(seed * 1000 + 7), [], []
        search.begin(method, parameters, seed)
        for _ in range(trials):
            number, params = search.next()
            true.append(value_of(params))
            noisy.append(true[-1] + noise * errors.gauss(0, 1))
            search.tell(f"value {number} {noisy[-1]!r}")
        yield best_of(true, noisy)


def suggest(trial, name, parameter):
    if "values" in parameter:
        return trial.suggest_categorical(name, parameter["values"])
    low, high, kind = parameter["min"], parameter["max"], parameter["distribution"]
    if kind == "int_uniform":
        return trial.suggest_int(name, low, high)
    return trial.suggest_float(name, low, high, step=parameter.get("q"), log=kind == "log_uniform_values")


def is_given(parameter, params):
    return all(params.get(other) in values for other, values in parameter.get("when", {}).items())


def by_optuna(function, trials, seeds):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    parameters, value_of, noise = FUNCTIONS[function]  # those with conditions stand behind what they depend on
    for seed in seeds:
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        errors, true, noisy = random.Random(seed * 1000 + 7), [], []
        for _ in range(trials):
            trial, params = study.ask(), {}
            for name, parameter in parameters.items():
                if is_given(parameter, params):
                    params[name] = suggest(trial, name, parameter)
            true.append(value_of(params))
            noisy.append(true[-1] + noise * errors.gauss(0, 1))
            study.tell(trial, noisy[-1])
        yield best_of(true, noisy)


if __name__ == "__main__":
    wanted, function_name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    numbers = [int(word) for word in sys.argv[4:]]
    values = by_optuna(function_name, count, numbers) if wanted == "optuna" else ours(wanted, function_name, count, numbers)
    for found in values:
        print(repr(found), flush=True)
