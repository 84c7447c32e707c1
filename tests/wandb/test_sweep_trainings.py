"""Sweeps with real trainings: ten agents at two servers, one of which is killed, and agents that are killed with their programs."""
import json
import os
import signal

import pytest
import sdk
from client import TIMEOUT
from rest import Api

EPOCHS = 12
DIGITS = """
import sys
import wandb
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier


def train(words=()):
    data, digits = load_digits(return_X_y=True)
    x, x_test, y, y_test = train_test_split(data / 16, digits, random_state=7)
    with wandb.init() as run:
        c = run.config
        assert not words or sorted(words) == sorted(f"--{name}={value}" for name, value in c.items()), words
        model = MLPClassifier((c["width"],), learning_rate_init=c["lr"], alpha=c["alpha"], random_state=7)
        for epoch in range(%d):
            model.partial_fit(x, y, classes=range(10))
            run.log({"epoch": epoch, "accuracy": model.score(x_test, y_test)})
        run.log({"loss": log_loss(y_test, model.predict_proba(x_test))})


if __name__ == "__main__":
    train(sys.argv[1:])
""" % EPOCHS
SEARCH = {"method": "bayes", "seed": 7, "metric": {"name": "loss", "goal": "minimize"}, "program": "digits.py", "parameters": {
    "lr": {"distribution": "log_uniform_values", "min": 0.0001, "max": 0.1}, "width": {"values": [8, 16, 32]},
    "alpha": {"distribution": "log_uniform_values", "min": 0.00001, "max": 0.1}}}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def run_agents(sweep, urls, packages):
    """One process per url: they share the import of the framework."""
    import multiprocessing
    import os
    import sys

    import wandb
    sys.path[1:1] = packages
    import digits

    def work(url):
        os.environ["WANDB_BASE_URL"] = url
        wandb.agent(sweep, function=digits.train)

    agents = [multiprocessing.get_context("fork").Process(target=work, args=(url,)) for url in urls]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    return [agent.exitcode for agent in agents]


def show_sweep(path):
    import wandb
    sweep = wandb.Api().sweep(path)
    best = sweep.best_run()
    return {"state": sweep.state, "runs": sorted(run.id for run in sweep.runs), "best": [best.id, best.summary["loss"]]}


class Agents:
    """As many at each url, with a function or with a program."""

    def __init__(self, client, form, sweep, urls, each):
        (client.folder / "digits.py").write_text(DIGITS)
        packages = [str(sdk.packages_beside(client.version, sdk.SKLEARN))]
        if form == "function":
            self.running = [client.start(run_agents, ONE_THREAD, sweep=sweep, urls=urls * each, packages=packages)]
        else:
            env = {**ONE_THREAD, **path_of(client), "PYTHONPATH": packages[0]}
            self.running = [client.start_wandb("agent", sweep, **env, WANDB_BASE_URL=url) for url in urls * each]

    def check(self):
        for running in self.running:
            assert running.is_running, running.out
        return True

    def wait(self):
        for running in self.running:
            done = running.wait(3 * TIMEOUT)
            assert done.code == 0 and (not done.told.exists() or set(done.value) == {0}), done


def path_of(client):
    """Its Python is the interpreter of commands."""
    return {"PATH": f"{client.bin}:{client.env['PATH']}"}


@pytest.mark.own
@pytest.mark.long_if_old
@pytest.mark.feature("sweeps: scikit-learn with ten agents at two servers, one of which is killed and comes back")
@pytest.mark.parametrize("form, cap", [("function", 16), pytest.param("program", 20, marks=pytest.mark.long)])
def test_digits(make_client, version, place, api, project, wait_for, form, cap):
    """No point is tried twice, and there are as many trials as the config says."""
    servers = [place.server(0), place.server(1)]
    there, home = Api(servers[1], api.key), f"/api/v1/projects/ann/{project}"
    client = make_client(version, WANDB_PROJECT=project)
    name = api.post(f"{home}/sweeps", {"config": {**SEARCH, "run_cap": cap}}).json["id"]
    agents = Agents(client, form, name, [f"http://127.0.0.1:{server.port}" for server in servers], each=5)

    def finished():
        return there.get(f"{home}/sweeps/{name}").json["trials"]["finished"]

    wait_for(lambda: agents.check() and finished() >= 3, what="the first trials")
    servers[0].kill()
    before = finished()
    wait_for(lambda: finished() > before, what="a trial at the other server")
    servers[0].start(servers[0].port)
    agents.wait()
    wait_for(lambda: finished() == cap, what="the last trial")
    sweep, trials = there.get(f"{home}/sweeps/{name}").json, there.pages(f"{home}/sweeps/{name}/trials")
    assert (sweep["state"], sweep["why_ended"], sweep["trials"]["total"]) == ("finished", "run_cap", cap)
    assert len({json.dumps(trial["params"]) for trial in trials}) == len({trial["run"] for trial in trials}) == len(trials) == cap
    assert {(trial["state"], trial["source"], trial["tries"]) for trial in trials} == {("finished", "search", 1)}
    heard = there.pages(f"{home}/sweeps/{name}/agents")
    assert (len(heard), {agent["state"] for agent in heard}, sum(agent["trials"] for agent in heard)) == (10, {"finished"}, cap)
    runs = {run["id"]: run for run in there.pages(f"{home}/runs")}
    assert {(run["state"], run["exit_code"], run["rows"]) for run in runs.values()} == {("finished", 0, EPOCHS + 1)}
    summaries = {trial["run"]: there.get(f"{home}/runs/{trial['run']}/summary").json for trial in trials}
    assert {trial["run"]: trial["value"] for trial in trials} == {run: summaries[run]["loss"] for run in runs}
    best = min(trials, key=lambda trial: trial["value"])
    assert summaries[best["run"]]["accuracy"] > 0.9 and sweep["best"] == best["value"]
    shown = client.call(show_sweep, path=f"ann/{project}/{name}").value
    assert shown == {"state": "FINISHED", "runs": sorted(runs), "best": [best["run"], best["value"]]}


HELD = """
import os
import time


def hold(where):
    if os.environ.get("HOLD") == where:
        with open("pid.part", "w") as file:
            file.write(str(os.getpid()))
        os.rename("pid.part", "pid")
        time.sleep(1000)


hold("before its run")
import wandb
with wandb.init() as run:
    run.log({"loss": run.config["n"]})
    hold("in its run")
"""


def kill(agent, pid):
    """The agent, and then the program that it runs, whose number is in a file."""
    agent.process.send_signal(signal.SIGKILL)
    os.kill(int(pid.read_text()), signal.SIGKILL)
    agent.process.wait()
    pid.unlink()


@pytest.mark.long_if_old
@pytest.mark.feature("sweeps: `wandb agent` that is killed together with its program")
def test_killed_agents(client, api, project, db, wait_for):
    """One with a run, one without: the points of both are given again, to another agent, and none else."""
    home = f"/api/v1/projects/ann/{project}"
    name = api.post(f"{home}/sweeps", {"config": {"method": "grid", "program": "held.py", "metric": {"name": "loss"}, "parameters": {
        "n": {"values": [1, 2, 3]}}}}).json["id"]
    (client.folder / "held.py").write_text(HELD)
    pid = client.folder / "pid"

    def trials():
        return api.get(f"{home}/sweeps/{name}/trials").json["items"]

    for number, where in enumerate(("in its run", "before its run"), 1):
        agent = client.start_wandb("agent", name, HOLD=where, **path_of(client))
        wait_for(pid.exists, what="its program")
        assert len(trials()) == number
        kill(agent, pid)
    [run] = [trial["run"] for trial in trials() if trial["has_run"]]
    api.patch(home, {"crash_after_s": 5})
    wait_for(lambda: api.get(f"{home}/runs/{run}").json["state"] == "crashed", what="the end of its run")
    api.patch(home, {"crash_after_s": 300})
    # The five minutes after which an agent is lost.
    db.query("update sweep_agent a set heard_at = now() - interval '301 s', row_sum = null from sweep s"
             " where s.name = %s and a.project_id = s.project_id and a.sweep_id = s.sweep_id", name)
    done = client.wandb("agent", name, **path_of(client))
    assert done.code == 0, done
    assert [(trial["params"]["n"], trial["state"], trial["retry_of"], trial["tries"]) for trial in trials()] == [
        (1, "crashed", None, 1), (2, "lost", None, 1), (1, "finished", 1, 2), (2, "finished", 2, 2), (3, "finished", None, 1)]
    sweep = api.get(f"{home}/sweeps/{name}").json
    assert (sweep["state"], sweep["why_ended"], sweep["best"]) == ("finished", "all points of the grid were tried", 1)
    assert [agent["state"] for agent in api.pages(f"{home}/sweeps/{name}/agents")].count("finished") == 1
