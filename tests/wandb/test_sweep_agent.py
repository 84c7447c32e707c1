"""Programs that use the SDK, started by `cairn agent`: they write into the run of their trial, beside cairn run."""
import json
import os
import pathlib
import subprocess

import pytest
from client import TIMEOUT

CAIRN = pathlib.Path(os.environ.get("CAIRN_BUILD", "build/dev")) / "client/cairn"
PROGRAM = """
import sys, wandb
run = wandb.init(project="ignored", config={"epochs": 3, "lr": 99})
for step in range(run.config["epochs"]):
    run.log({"loss": run.config["lr"] + step})
if run.config["lr"] > 1:
    sys.exit(3)
"""


@pytest.mark.long_if_old
def test_a_program_of_the_agent(client, api, project, keys):
    config = {"program": "train.py", "method": "grid", "metric": {"name": "loss", "goal": "minimize"},
              "parameters": {"lr": {"values": [0.5, 2]}, "net": {"parameters": {"depth": {"value": 2}}}}, "retry": {"times": 0}}
    sweep = api.post(f"/api/v1/projects/ann/{project}/sweeps", {"config": json.dumps(config)}).json["id"]
    (client.folder / "train.py").write_text(PROGRAM)
    env = {**client.env, "PATH": f"{client.bin}:{client.env['PATH']}", "CAIRN_URL": client.url, "CAIRN_API_KEY": keys["ann"],
           "CAIRN_SAMPLE_INTERVAL": "0"}
    for name in ("WANDB_BASE_URL", "WANDB_API_KEY"):  # the agent sets them
        env.pop(name)
    done = subprocess.run([CAIRN, "agent", f"ann/{project}/{sweep}"], env=env, cwd=client.folder, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr
    path = f"/api/v1/projects/ann/{project}"
    trials = api.get(f"{path}/sweeps/{sweep}/trials").json["items"]
    assert [(t["state"], t["params"]["lr"], t["value"], t["steps"]) for t in trials] == [("finished", 0.5, 0.5, 3), ("failed", 2, 2, 3)]
    for trial, code in zip(trials, (0, 3)):
        run = api.get(f"{path}/runs/{trial['run']}").json
        assert (run["sweep"], run["exit_code"], run["rows"]) == (sweep, code, 3)
        found = api.get(f"{path}/runs/{trial['run']}/config").json
        found.pop("_wandb")
        assert found == {"epochs": 3, **trial["params"]}
    assert len(api.get(f"{path}/runs").json["items"]) == 2
