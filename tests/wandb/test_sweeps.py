"""Sweeps as the SDK makes and runs them: agents with a function or a program, states, and what the public API shows."""
import pytest


def sweep_with_function(config, count):
    """Makes a sweep and runs an agent in this process: the sweep's id, and what each run was given."""
    import wandb
    given = []

    def train():
        with wandb.init() as run:
            given.append([run.id, run.sweep_id, dict(run.config)])
            run.log({"loss": (run.config["x"] - 2) ** 2})
    sweep = wandb.sweep(config)
    wandb.agent(sweep, function=train, count=count)
    return {"sweep": sweep, "given": given}


@pytest.mark.feature("sweeps: `wandb.sweep` and `wandb.agent` with a function")
def test_a_function(client, api, project, wait_for):
    config = {"method": "grid", "metric": {"name": "loss", "goal": "minimize"},
              "parameters": {"x": {"values": [1, 2, 3]}, "opt": {"parameters": {"name": {"value": "sgd"}}}}}
    made = client.call(sweep_with_function, config=config, count=3).value
    assert [run[1:] for run in made["given"]] == [[made["sweep"], {"x": x, "opt": {"name": "sgd"}}] for x in (1, 2, 3)]
    path = f"/api/v1/projects/ann/{project}/sweeps/{made['sweep']}"
    wait_for(lambda: api.get(path).json["trials"]["finished"] == 3)
    sweep = api.get(path).json
    assert (sweep["state"], sweep["best"]["value"] if isinstance(sweep.get("best"), dict) else sweep.get("best")) == ("running", 0.0)
    trials = api.get(f"{path}/trials").json["items"]
    print(trials[0], sweep)
