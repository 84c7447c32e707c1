"""Sweeps as the SDK makes and runs them: agents with a function or a program, states, and what the public API shows."""
import json
import os
import signal

import pytest
import sdk


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


PROGRAM = """
import json, os, signal, sys
import wandb
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
with wandb.init() as run:
    run.log({"loss": run.config["x"]})
    print("words", json.dumps(sys.argv[1:]), flush=True)
    print("process", os.getpid(), flush=True)
    if run.config["x"] > 1:
        signal.sigwait([signal.SIGUSR1])
        print("was signalled", flush=True)
"""
FORMS = ("args", "args_no_equals", "args_no_hyphens", "args_no_boolean_flags", "args_append_hydra", "args_override_hydra", "args_dict",
         "args_json", "args_json_file")
FILE = """
program: train.py
method: grid
name: by hand
metric: {name: loss}
parameters:
  x: {values: [0, 1, 2, 3]}
  opt: {parameters: {name: {value: sgd}}}
  quiet: {value: true}
command: ["${env}", "${interpreter}", "${program}", "in ${envvar:PLACE}", %s]
""" % ", ".join(f'{form}, "${{{form}}}"' for form in FORMS)


def words_of(x, release):
    """What the program gets; up to 0.19.9 there is nothing for Hydra."""
    values = {"opt": {"name": "sgd"}, "quiet": True, "x": x}
    texts = [f"{name}={value}" for name, value in values.items()]
    return {
        "args": [f"--{text}" for text in texts],
        "args_no_equals": [word for name, value in values.items() for word in (f"--{name}", str(value))],
        "args_no_hyphens": texts,
        "args_no_boolean_flags": [f"--{text}" if "True" not in text else "--quiet" for text in texts],
        "args_append_hydra": [f"+{text}" for text in texts] if release >= (0, 19, 10) else [],
        "args_override_hydra": [f"++{text}" for text in texts] if release >= (0, 19, 10) else [],
        "args_dict": list(values),
        "args_json": [json.dumps(values)],
        "args_json_file": [json.dumps(values)],
    }


def check_words(client, out, x):
    """Of the program of a trial, each form after its name."""
    found, *words = json.loads(out.partition("words ")[2].splitlines()[0])
    assert found == "in node1"
    starts = [*(words.index(form) for form in FORMS), len(words)]
    forms = {form: words[start + 1:end] for form, start, end in zip(FORMS, starts, starts[1:])}
    [file] = forms["args_json_file"]
    forms["args_json_file"] = [(client.folder / file).read_text()]
    assert forms == words_of(x, client.release)


def in_words(done, words):
    """The word of the output after those."""
    assert done.code == 0, done
    return done.out.partition(words)[2].split()[0]


@pytest.mark.long_if_old
@pytest.mark.feature("sweeps: `wandb sweep`, its options, and `wandb agent` with a program")
@pytest.mark.feature("sweeps: each form of arguments in `command`")
def test_the_command_line(client, api, wire, project, wait_for):
    """A prior run is a point that was tried. The stop of a run, a pause, the end of the sweep and its cancel reach the agent's process."""
    wire.start("before", config={"x": 0, "opt": {"name": "sgd"}, "quiet": True}).complete()
    (client.folder / "train.py").write_text(PROGRAM)
    (client.folder / "sweep.yaml").write_text(FILE)
    name = in_words(client.wandb("sweep", "--prior_run", "before", "sweep.yaml"), "with ID:")
    path = f"/api/v1/projects/ann/{project}/sweeps/{name}"
    assert api.get(path).json["display_name"] == "by hand"

    def states():
        return [(trial["params"]["x"], trial["state"]) for trial in api.get(f"{path}/trials").json["items"] if trial["source"] != "prior"]

    def change(state, now):
        done = client.wandb("sweep", f"--{state}", name)
        assert done.code == 0 and api.get(path).json["state"] == now, done

    forwards = ["--forward-signals"] if client.release >= (0, 25) else []
    place = {"PATH": f"{client.bin}:{client.env['PATH']}", "PLACE": "node1"}
    agent = client.start_wandb("agent", *forwards, name, **place)
    wait_for(lambda: states() == [(1, "finished"), (2, "running")] and agent.out.count("process ") == 2)
    check_words(client, agent.out, 1)
    change("pause", "paused")
    [run] = [trial["run"] for trial in api.get(f"{path}/trials").json["items"] if trial["params"]["x"] == 2]
    api.post(f"/api/v1/projects/ann/{project}/runs/{run}/stop", {})
    wait_for(lambda: f"Cleaning up finished run: {run}" in agent.out)
    assert len(states()) == 2
    change("resume", "running")
    wait_for(lambda: states()[2:] == [(3, "running")] and agent.out.count("process ") == 3)
    change("stop", "finished")
    assert agent.is_running
    pid = agent.process.pid if forwards else int(agent.out.rpartition("process ")[2].split()[0])
    os.kill(pid, signal.SIGUSR1)
    done = agent.wait()
    assert done.code == 0 and done.out.count("was signalled") == 1, done
    wait_for(lambda: states()[2:] == [(3, "finished")])

    (client.folder / "sweep.yaml").write_text(FILE.replace("3]", "3, 4]"))
    done = client.wandb("sweep", "--update", f"ann/{project}/{name}", "sweep.yaml")
    assert done.code == 0 and api.get(path).json["expected"] == 5, done
    change("resume", "running")
    agent = client.start_wandb("agent", name, **place)
    wait_for(lambda: states()[3:] == [(4, "running")])
    change("cancel", "canceled")
    done = agent.wait()
    assert done.code == 0 and "was signalled" not in done.out, done


def descend(sweep):
    """An agent that fits a line by gradient descent, as often as it is asked to."""
    import wandb
    points = [(x / 10, 3 * x / 10 + 1) for x in range(10)]

    def train():
        with wandb.init() as run:
            slope = offset = 0.0
            for _ in range(50):
                errors = [(slope * x + offset - y, x) for x, y in points]
                slope -= run.config["lr"] * sum(error * x for error, x in errors) / len(points)
                offset -= run.config["lr"] * sum(error for error, _ in errors) / len(points)
                run.log({"loss": sum(error ** 2 for error, _ in errors) / len(points)})
    wandb.agent(sweep, function=train)


@pytest.mark.own
def test_agents_and_a_server_that_dies(make_client, server, api, project, wait_for):
    """Each point is tried once, by several agents, across a server that is killed and comes back."""
    client = make_client(sdk.NEWEST, WANDB_PROJECT=project)
    rates = [0.01, 0.03, 0.1, 0.3, 1.0, 1.2]
    made = api.post(f"/api/v1/projects/ann/{project}/sweeps", {"config": {
        "method": "grid", "metric": {"name": "loss"}, "parameters": {"lr": {"values": rates}}}})
    path = f"/api/v1/projects/ann/{project}/sweeps/{made['id']}"
    agents = [client.start(descend, sweep=made["id"]) for _ in range(2)]
    wait_for(lambda: api.get(path).json["trials"]["finished"] >= 2)
    server.kill()
    server.start(server.port)
    assert [agent.wait().code for agent in agents] == [0, 0]
    wait_for(lambda: api.get(path).json["trials"]["finished"] == len(rates))
    shown = api.get(path).json
    trials = api.get(f"{path}/trials").json["items"]
    assert (shown["state"], sorted(trial["params"]["lr"] for trial in trials)) == ("finished", rates)
    assert shown["best"] == min(trial["value"] for trial in trials) and shown["best"] < 0.1
