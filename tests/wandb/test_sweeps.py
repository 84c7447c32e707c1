"""Sweeps as the SDK makes and runs them: agents with a function or a program, states, and what the public API shows."""
import pytest


def sweep_with_function(config, count):
    """Makes a sweep and runs an agent in this process: the sweep's id, what each run was given, and what the public API shows."""
    import os

    import wandb
    given = []

    def train():
        with wandb.init() as run:
            given.append([run.id, run.sweep_id, dict(run.config)])
            run.log({"loss": (run.config["x"] - 2) ** 2})
    name = wandb.sweep(config)
    wandb.agent(name, function=train, count=count)
    api = wandb.Api()
    path = f"ann/{os.environ['WANDB_PROJECT']}"
    sweep = api.sweep(f"{path}/{name}")
    # What is logged is searched a moment later.
    shown = {"name": sweep.name, "state": sweep.state, "config": sweep.config, "order": sweep.order, "best": sweep.best_run().id,
             "expected": sweep.expected_run_count, "runs": sorted(run.id for run in sweep.runs),
             "of_run": api.run(f"{path}/{given[0][0]}").sweep.id,
             "of_project": [each.id for each in api.project(path.split("/")[1], "ann").sweeps()]}
    if hasattr(sweep, "agents"):
        [agent] = sweep.agents()
        shown["agent"] = [agent._attrs["totalRuns"], [run.id for run in agent.runs()], sweep.agent(agent._attrs["name"])._attrs["id"]
                          == agent._attrs["id"]]
    return {"sweep": name, "given": given, "shown": shown}


@pytest.mark.feature("sweeps: `wandb.sweep` and `wandb.agent` with a function")
@pytest.mark.feature("sweeps: the public API (`api.sweep`, `best_run`, `project.sweeps`, `run.sweep`)")
def test_a_function(client, api, project, wait_for):
    config = {"name": "squares", "method": "grid", "metric": {"name": "loss", "goal": "minimize"},
              "parameters": {"x": {"values": [1, 2, 3]}, "opt": {"parameters": {"name": {"value": "sgd"}}}}}
    made = client.call(sweep_with_function, config=config, count=3).value
    runs = [run[0] for run in made["given"]]
    assert [run[1:] for run in made["given"]] == [[made["sweep"], {"x": x, "opt": {"name": "sgd"}}] for x in (1, 2, 3)]
    path = f"/api/v1/projects/ann/{project}/sweeps/{made['sweep']}"
    wait_for(lambda: api.get(path).json["trials"]["finished"] == 3)
    sweep = api.get(path).json
    assert (sweep["state"], sweep["best"]) == ("running", 0)
    agent = made["shown"].pop("agent", None)
    assert agent == ([3, runs, True] if client.release >= (0, 26) else None)
    assert made["shown"] == {
        "name": "squares", "state": "RUNNING", "config": config, "order": "+summary_metrics.loss", "best": runs[1], "expected": 3,
        "runs": sorted(runs), "of_run": made["sweep"], "of_project": [made["sweep"]]}
