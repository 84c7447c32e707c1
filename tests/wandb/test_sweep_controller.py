"""Local controllers: the SDK's own, with W&B's package `sweeps`, chooses the points, and the server hands them out."""
import pytest
import sdk

# W&B's public controller, and what it needs beside the SDK.
CONTROLLER = ("sweeps<0.3", "scipy<2", "scikit-learn<2", "joblib<2", "threadpoolctl<4", "narwhals<3", "jsonref<2", "jsonschema<5",
              "jsonschema-specifications<2027", "referencing<1", "rpds-py<2027", "attrs<27", "cloudpickle<4")
FILE = """
program: train.py
method: {method}
name: {name}
metric: {{name: loss, goal: minimize}}
controller: {{type: local}}
parameters:
  x: {{values: [1, 2, 3]}}
"""


def control(text):
    import wandb
    import yaml
    controller = wandb.controller(yaml.safe_load(text))
    controller.run(verbose=True)


def work(sweep, count):
    import wandb

    def train():
        with wandb.init() as run:
            run.log({"loss": (run.config["x"] - 2) ** 2})
    wandb.agent(sweep, function=train, count=count)


@pytest.fixture
def beside(version):
    try:
        return {"PYTHONPATH": str(sdk.packages_beside(version, CONTROLLER))}
    except RuntimeError as error:
        pytest.skip(f"the package sweeps cannot be installed: {error}")


@pytest.mark.long
@pytest.mark.feature("sweeps: local controllers (`wandb.controller`, `wandb sweep --controller`)")
def test_a_controller(client, beside, api, project, wait_for):
    """A grid by wandb.controller() ends by itself; a search by the command line goes on until it is stopped."""
    path = f"/api/v1/projects/ann/{project}/sweeps"

    def made(name):
        return next((sweep for sweep in wait_for(lambda: api.request("GET", path).json.get("items")) if sweep["display_name"] == name), None)

    controller = client.start(control, env=beside, text=FILE.format(method="grid", name="by function"))
    grid = wait_for(lambda: made("by function"))
    agent = client.start(work, sweep=grid["id"], count=None)
    assert controller.wait().code == 0 and agent.wait().code == 0
    wait_for(lambda: api.get(f"{path}/{grid['id']}").json["trials"]["finished"] == 3)
    shown = api.get(f"{path}/{grid['id']}").json
    assert (shown["state"], shown["is_controlled"], shown["best"]) == ("finished", True, 0)
    trials = api.get(f"{path}/{grid['id']}/trials").json["items"]
    assert [(trial["params"], trial["source"]) for trial in trials] == [({"x": x}, "controller") for x in (1, 2, 3)]

    (client.folder / "sweep.yaml").write_text(FILE.format(method="random", name="by command"))
    controller = client.start_wandb("sweep", "--controller", "sweep.yaml", **beside)
    search = wait_for(lambda: made("by command"))
    client.call(work, sweep=search["id"], count=2)
    assert client.wandb("sweep", "--stop", f"ann/{project}/{search['id']}").code == 0
    shown = api.get(f"{path}/{search['id']}").json
    assert shown["state"] == "finished" and shown["trials"]["total"] >= 2
    assert controller.wait().code == 0
