"""Sweeps as tests of pages make them by REST: a config, and trials that are reported."""
import math

CONFIG = """program: train.py
method: random
seed: 7
metric: {name: loss, goal: minimize}
run_cap: 40
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}
  batch_size: {values: [16, 32, 64]}
  optimizer:
    parameters:
      name: {values: [adam, sgd]}
"""


def loss_of(params):
    """Least at lr 0.01, a little better with adam."""
    return round((math.log10(params["lr"]) + 2) ** 2 + 0.3 * (params["optimizer"]["name"] == "sgd") + params["batch_size"] / 1000, 4)


def sweep(api, project, trials=0, config=CONFIG, **more):
    """The path of a sweep in REST, with so many finished trials."""
    home = f"/api/v1/projects/{project}/sweeps"
    place = f"{home}/{api.post(home, {'config': config, **more}).json['id']}"
    for _ in range(trials):
        trial = api.post(f"{place}/trials", {}).json
        api.patch(f"{place}/trials/{trial['trial']}", {"state": "finished", "value": loss_of(trial["params"])})
    return place


def report(api, place, state, **more):
    """A trial of its own state."""
    trial = api.post(f"{place}/trials", {}).json
    return api.patch(f"{place}/trials/{trial['trial']}", {"state": state, **more}).json
