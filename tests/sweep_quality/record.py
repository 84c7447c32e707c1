"""Writes tests/unit/domain/sweep_optuna.h: densities and importances that Optuna 5.0.0 computes from fixed data.

    python3 -m venv v && v/bin/pip install optuna==5.0.0 && v/bin/python tests/sweep_quality/record.py
"""
import math
import pathlib
import random

import numpy
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator
from optuna.samplers import TPESampler

HEADER = pathlib.Path(__file__).resolve().parents[1] / "unit/domain/sweep_optuna.h"
SPACE = {
    "choice": CategoricalDistribution(["a", "b", "c"]),
    "log": FloatDistribution(1e-5, 1.0, log=True),
    "number": FloatDistribution(-3.0, 5.0),
    "step": FloatDistribution(0.0, 2.0, step=0.25),
    "whole": IntDistribution(1, 90),
}
# What a density loses by being one of coordinates from 0 to 1.
STRETCH = math.log(8) + math.log(math.log(1e5))
POINTS, PLACES, TRIALS = 30, 12, 60


def draw(distribution, rng):
    if isinstance(distribution, CategoricalDistribution):
        return rng.choice(distribution.choices)
    if isinstance(distribution, IntDistribution):
        return rng.randint(distribution.low, distribution.high)
    if distribution.step:
        return distribution.low + distribution.step * rng.randint(0, round((distribution.high - distribution.low) / distribution.step))
    if distribution.log:
        return math.exp(rng.uniform(math.log(distribution.low), math.log(distribution.high)))
    return rng.uniform(distribution.low, distribution.high)


def coordinate(distribution, value):
    """The distribution function at the value, as in samples of a search."""
    if isinstance(distribution, CategoricalDistribution):
        return (distribution.choices.index(value) + 1) / len(distribution.choices)
    if isinstance(distribution, IntDistribution):
        return (value - distribution.low + 1) / (distribution.high - distribution.low + 1)
    scale = math.log if distribution.log else float
    return (scale(value) - scale(distribution.low)) / (scale(distribution.high) - scale(distribution.low))


def coordinates(params):
    return [coordinate(d, params[name]) if name in params else math.nan for name, d in sorted(SPACE.items())]


def internal(points):
    return {name: numpy.array([d.to_internal_repr(p[name]) for p in points]) for name, d in SPACE.items()}


def densities():
    """Points without the quantised parameter: its intervals at the bounds are half as wide as Optuna's. No two of them have the
    same integer: which of two equal ones gets which width is an accident of numpy's sorting."""
    rng = random.Random(1)
    space = {name: d for name, d in SPACE.items() if name != "step"}
    points = [{name: draw(d, rng) for name, d in SPACE.items()} for _ in range(POINTS)]
    for point, value in zip(points, rng.sample(range(1, 91), POINTS)):
        point["whole"] = value
    places = [{name: draw(d, rng) for name, d in SPACE.items()} for _ in range(PLACES)]
    parzen = TPESampler()._parzen_estimator_parameters
    found = []
    for count in (POINTS, 5, 1):
        given = {name: v[:count] for name, v in internal(points).items()}
        estimator = _ParzenEstimator({name: given[name] for name in space}, space, parzen)
        found.append([float(v) + STRETCH for v in estimator.log_pdf({name: internal(places)[name] for name in space})])
    return points, places, found


def importances():
    """Trials of which some lack a parameter; every number matters in another way."""
    rng = random.Random(2)
    study = optuna.create_study()
    rows, values = [], []
    for _ in range(TRIALS):
        params = {name: draw(d, rng) for name, d in SPACE.items() if name != "whole"}
        if params["choice"] != "c":
            params["whole"] = draw(SPACE["whole"], rng)
        value = ((params["number"] - 2) ** 2 + abs(math.log10(params["log"]) + 3) + params["step"]
                 + {"a": 0, "b": 1, "c": 3}[params["choice"]] + 0.02 * params.get("whole", 0))
        study.add_trial(optuna.trial.create_trial(params=params, distributions={name: SPACE[name] for name in params}, value=value))
        rows.append(coordinates(params))
        values.append(value)
    found = optuna.importance.get_param_importances(study)
    return rows, values, [found[name] for name in sorted(SPACE)]


def number(value):
    return "NAN" if math.isnan(value) else repr(float(value))


def table(name, rows, width):
    lines = ",\n".join("\t{ " + ", ".join(number(v) for v in row) + " }" for row in rows)
    return f"static const double {name}[][{width}] = {{\n{lines},\n}};\n"


def main():
    points, places, found = densities()
    rows, values, importance = importances()
    HEADER.write_text(
        f"/* Written by tests/sweep_quality/record.py from Optuna {optuna.__version__}: see there. */\n// clang-format off\n"
        "/* Dimensions: choice of 3, log_uniform, uniform, steps of 0.25 from 0 to 2, 1 to 90. */\n"
        + table("optuna_points", [coordinates(p) for p in points], len(SPACE))
        + table("optuna_places", [coordinates(p) for p in places], len(SPACE))
        + "/* The logarithm of the density of all points, of the first 5, of the first one, at each place, without the steps. */\n"
        + table("optuna_densities", found, PLACES)
        + "/* The last number is the value. */\n"
        + table("optuna_trials", [[*row, value] for row, value in zip(rows, values)], len(SPACE) + 1)
        + table("optuna_importances", [importance], len(SPACE)))


if __name__ == "__main__":
    main()
