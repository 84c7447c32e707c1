"""Trials of a sweep follow their runs, whatever becomes of these; and what is stored of both agrees."""
import threading

import pytest

from rest import Api
from runs import Run
from server import cairnd_run

GRID = {"method": "grid", "metric": {"name": "loss", "goal": "minimize"}, "host_failures": 2,
        "parameters": {"lr": {"values": [0.1, 0.2, 0.3]}, "opt": {"parameters": {"name": {"values": ["sgd"]}}}}}


class Sweep:
    def __init__(self, api, home, config, **more):
        self.api = api
        self.home = home
        self.name = api.post(f"{home}/sweeps", {"config": config, **more}).json["id"]
        self.path = f"{home}/sweeps/{self.name}"

    def agent(self, host="host1"):
        made = self.api.post(f"{self.path}/agents", {"host": host}).json
        return f"{self.path}/agents/{made['agent']}"

    def beat(self, agent, *runs):
        return self.api.post(f"{agent}/heartbeat", {"runs": runs}).json["commands"]

    def next(self, agent):
        command, = self.beat(agent)
        assert command["type"] in ("run", "resume")
        return command

    def begin(self, command):
        """The process of the trial."""
        run = Run(self.api, command["run"], self.home, make=False)
        self.api.put(run.path, {"sweep": self.name})
        return run, run.join()

    def trials(self):
        return {t["trial"]: t for t in self.api.pages(f"{self.path}/trials")}

    def states(self):
        return [t["state"] for t in self.trials().values()]


@pytest.fixture
def looked(db, wait_for):
    """looked(): the job has looked at all sweeps since."""
    def look():
        db.query("update sweep set look_at = '2020-01-01', row_sum = null where look_at is not null")
        wait_for(lambda: not db.value("select count(*) from sweep where look_at < now() - interval '1 day'"), what="the job")
    return look


def test_runs_come_and_go(api, home, db, secret_file, looked):
    sweep = Sweep(api, home, GRID)
    agent = sweep.agent()
    first = sweep.next(agent)
    assert first["params"] == {"lr": 0.1, "opt": {"name": "sgd"}}
    run, writer = sweep.begin(first)
    assert sweep.beat(agent, first["run"]) == []
    writer.send(history=[{"loss": 3}, {"loss": 1}, {"loss": 2}])
    writer.finish()
    second = sweep.next(agent)  # the end of the first is seen with the request
    trial = sweep.trials()[1]
    assert (trial["state"], trial["value"], trial["latest"], trial["steps"]) == ("finished", 1, 2, 3)

    # deleted, restored and moved: its point is free, taken, and free
    api.delete(run.path)
    looked()
    assert sweep.states()[0] == "deleted"
    api.post(f"{run.path}/restore")
    looked()
    assert sweep.states()[0] == "finished"
    entity, project = home.split("/")[4:6]
    there = Run(api, "other", f"{home}-other")
    api.post(f"{run.path}/move", {"entity": entity, "project": f"{project}-other"})
    looked()
    assert sweep.states()[0] == "deleted"
    assert there.state == "running"

    # an agent that leaves: the trial that did not begin is another's, and may fail once more
    api.delete(agent)
    assert sweep.states()[1] == "preempted"
    other = sweep.agent("host2")
    again = sweep.next(other)
    assert again == second
    run, writer = sweep.begin(again)
    writer.finish(exit_code=1)
    run, writer = sweep.begin(sweep.next(other))
    writer.finish(exit_code=1)
    for _ in range(2):
        run, writer = sweep.begin(sweep.next(other))
        writer.finish()
    assert sweep.beat(other) == [{"type": "exit"}]
    head = api.get(sweep.path).json
    assert (head["state"], head["why_ended"]) == ("finished", "all points of the grid were tried")
    assert head["trials"]["finished"] == 2 and head["best"] == 1
    assert sweep.states() == ["deleted", "failed", "failed", "finished", "finished"]

    # everything that a server writes of them has its sum
    api.patch(sweep.path, {"state": "running", "config": {**GRID, "method": "random"}, "description": "again"})
    made = api.post(f"{sweep.path}/trials", {}).json["run"]
    api.put(f"{home}/runs/{made}", {})  # as a program that knows only the run's id
    assert api.get(f"{home}/runs/{made}").json["sweep"] == sweep.name
    assert made in [run["id"] for run in api.get(f"{home}/runs", filter=f'sweep = "{sweep.name}"').json["items"]]
    by_hand = api.post(f"{sweep.path}/trials", {"host": "mine"}).json
    api.patch(f"{sweep.path}/trials/{by_hand['trial']}", {"state": "failed", "value": 5})
    api.patch(f"{sweep.path}/trials/{by_hand['trial']}", {"retry": True})
    api.patch(other, {"set_aside": True})
    assert sweep.beat(other) == []
    api.post(f"{sweep.home}/sweeps/{sweep.name}/agents", {"host": "host3"})
    before = len(sweep.trials())
    api.patch(sweep.path, {"state": "canceled"})
    api.patch(sweep.path, {"state": "running"})
    assert len(sweep.trials()) > before
    prior = api.post(f"{home}/sweeps", {"config": GRID, "prior_runs": [again["run"], made, again["run"]]}).json
    assert prior["trials"]["prior"] == 2
    db.query("update sweep set row_sum = null where row_sum is null")
    assert ": 0 faults" in cairnd_run(db.url, secret_file, "verify")
    sums = "select count(*) from {} where row_sum is null"
    assert [db.value(sums.format(table)) for table in ("sweep_agent", "sweep_host", "sweep_trial")] == [0, 0, 0]
    api.delete(sweep.path)
    api.refused(404, "not-found", "POST", f"{other}/heartbeat", {"runs": []})


def test_ranks_on_several_nodes_are_one_trial(api, home):
    """The run of the trial has many writers. It ends with its primary, and has the best value of all."""
    sweep = Sweep(api, home, {**GRID, "retry": {"times": 0}})
    agent = sweep.agent()
    command = sweep.next(agent)
    run, first = sweep.begin(command)
    ranks = [run.join(f"rank{n}", role="worker", host=f"node{n}") for n in (1, 2)]
    for loss, writer in enumerate([first, *ranks], 2):
        writer.send(history=[{"loss": loss}, {"loss": loss / 2}])
    for code, writer in enumerate(ranks):  # one fails: the primary decides
        writer.finish(exit_code=code)
        assert sweep.beat(agent, command["run"]) == []
    assert sweep.states() == ["running"]
    first.finish()
    second = sweep.next(agent)
    assert second["run"] != command["run"] and sweep.states() == ["finished", "handed_out"]
    trial = sweep.trials()[1]
    assert (trial["run"], trial["value"], trial["highest"], trial["steps"]) == (command["run"], 1, 4, 6)
    assert sorted(run.writers()) == ["rank1", "rank2", "w1"]


def test_a_metric_that_is_no_number(api, home, looked):
    """Texts, truth values, NaN and infinities are neither values nor iterations. A trial that has nothing else has no value."""
    sweep = Sweep(api, home, {"method": "bayes", "metric": {"name": "loss"}, "parameters": {"lr": {"min": 0.0, "max": 1.0}},
                              "early_terminate": {"type": "hyperband", "min_iter": 2}, "seed": 1})
    agents = [sweep.agent(f"host{n}") for n in range(3)]
    commands = [sweep.next(agent) for agent in agents]
    (good, odd, none), runs = [sweep.begin(command)[1] for command in commands], [command["run"] for command in commands]
    nothing = [{"loss": value} for value in (float("nan"), "bad", True, float("inf"), "NaN", float("-inf"))]
    good.send(history=[{"loss": 2}, {"loss": 1}])
    odd.send(history=[*nothing, {"loss": 3}, *nothing], summary={"loss": "text"})
    none.send(history=nothing, summary={"loss": True})
    looked()
    assert [sweep.beat(agent, run) for agent, run in zip(agents, runs)] == [[], [], []]
    odd.send(history=[{"loss": 3}])  # its second iteration
    looked()
    assert [sweep.beat(agent, run) for agent, run in zip(agents, runs)] == [[], [{"type": "stop", "run": runs[1]}], []]
    for writer in good, odd, none:
        writer.finish()
    sweep.next(agents[0])
    shown = [(t["state"], t["value"], t["latest"], t["summary"], t["steps"]) for t in list(sweep.trials().values())[:3]]
    assert shown == [("finished", 1, 1, 1, 2), ("killed", 3, 3, None, 2), ("finished", None, None, None, 0)]
    assert api.get(sweep.path).json["best"] == 1


class Agent:
    """Runs trials through any server that answers."""

    def __init__(self, servers, key, sweep, host):
        self.apis = [Api(server, key) for server in servers]
        self.sweep = sweep
        self.path = f"{sweep.path}/agents/{self.ask('POST', f'{sweep.path}/agents', {'host': host}).json['agent']}"
        self.runs = []

    def ask(self, method, path, body):
        while True:
            try:
                answer = self.apis[0].request(method, path, body)
            except OSError:  # it was killed
                self.apis.append(self.apis.pop(0))
                continue
            if answer.status != 503:
                assert 200 <= answer.status < 300, answer
                return answer

    def work(self, done):
        while True:
            for command in self.ask("POST", f"{self.path}/heartbeat", {"runs": []}).json["commands"]:
                if command["type"] == "exit":
                    return
                self.runs.append(command["run"])
                run = f"{self.sweep.home}/runs/{command['run']}"
                self.ask("PUT", run, {"sweep": self.sweep.name})
                self.ask("POST", f"{run}/finish", {"exit_code": 0})
                done.release()


@pytest.mark.own
def test_a_server_that_is_killed(place, keys, db, secret_file):
    """The agents of a grid go on at another server: no point is lost, and none is tried twice."""
    home, points = "/api/v1/projects/ann/digits", 40
    servers = [place.server(0), place.server(1)]
    sweep = Sweep(Api(servers[1], keys["ann"]), home, {
        "method": "grid", "parameters": {"n": {"distribution": "int_uniform", "min": 1, "max": points}}})
    agents = [Agent(servers[::1 if n % 2 else -1], keys["ann"], sweep, f"host{n}") for n in range(4)]
    done = threading.Semaphore(0)
    threads = [threading.Thread(target=agent.work, args=(done,)) for agent in agents]
    for thread in threads:
        thread.start()
    for _ in range(points // 3):
        done.acquire()
    servers[0].kill()
    place.servers.remove(servers[0])
    servers[0].remove()
    for thread in threads:
        thread.join()
    trials = sweep.trials().values()
    assert sorted(t["params"]["n"] for t in trials if t["state"] == "finished") == list(range(1, points + 1))
    assert len(trials) == points and {t["tries"] for t in trials} == {1}
    assert ": 0 faults" in cairnd_run(db.url, secret_file, "verify")
