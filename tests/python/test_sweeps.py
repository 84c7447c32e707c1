"""Sweeps that are made and read in Python, and an agent that runs a function."""
import json
import signal
import threading

import pytest

import cairn
from cluster import wait_until

GRID = {"method": "grid", "metric": {"name": "loss", "goal": "minimize"},
        "parameters": {"lr": {"values": [0.1, 0.2, 0.3]}, "net": {"parameters": {"depth": {"value": 2}}}}}


def test_a_function_runs_a_grid(api, monkeypatch):
    monkeypatch.setenv("CAIRN_ROLE", "worker")  # as inside cairn run
    sweep = cairn.sweep(GRID, project="swept", name="first")
    assert sweep.state == "pending" and sweep.best() is None and sweep.url.endswith(f"/me/swept/sweeps/{sweep.id}")
    assert repr(sweep) == f"<cairn sweep me/swept/{sweep.id}>" and sweep.document()["display_name"] == "first"
    seen = []

    def train():
        with cairn.init(project="elsewhere", id="mine", config={"lr": 7, "epochs": 1}) as run:
            seen.append((run.id, dict(run.config)))
            run.log({"loss": run.config["lr"]})
    cairn.agent(sweep, train, count=1)
    assert sweep.state == "running" and [t.state for t in sweep.trials()] == ["finished"]
    cairn.agent(f"swept/{sweep.id}", train)
    trials = list(sweep.trials("finished"))
    assert sweep.state == "finished" and [t.trial for t in trials] == [1, 2, 3]
    assert [t.params for t in trials] == [{"lr": lr, "net": {"depth": 2}} for lr in (0.1, 0.2, 0.3)]
    assert [(run, config) for run, config in seen] == [(t.run, {"epochs": 1, **t.params}) for t in trials]
    assert sweep.best() == trials[0] and trials[0].value == 0.1
    for trial in trials:
        run = api.run(f"swept/{trial.run}")
        assert run.state == "finished" and run._document["sweep"] == sweep.id
        assert run.config == {"epochs": 1, **trial.params}
    assert not api._client.get("/projects/me/swept/runs", {"filter": "id:mine"})["items"]
    assert api.sweep(f"me/swept/{sweep.id}").id == sweep.id and cairn.run is None
    with cairn.init(id="later", project="swept") as run:  # no trial any more
        assert run.id == "later" and "lr" not in run.config


def test_configs(api, tmp_path, monkeypatch):
    monkeypatch.setenv("CAIRN_PROJECT", "")
    placed = cairn.sweep({**GRID, "project": "placed"})
    assert (placed.entity, placed.project, placed.document()["id"]) == ("me", "placed", placed.id)
    assert cairn.sweep({**GRID, "project": "placed"}, "texts").project == "texts" and cairn.sweep(GRID).project == "uncategorized"
    file = tmp_path / "sweep.yaml"
    file.write_text("method: random\nparameters:\n  lr: {min: 0.0, max: 1.0}\n")
    made = [cairn.sweep(config, "texts", name=name) for name, config in
            (("a", file), ("b", str(file)), ("c", file.read_text() + "seed: 2\n"), ("d", json.dumps({**GRID, "method": "random"})))]
    assert [(s.document()["method"], s.document()["display_name"]) for s in made] == [("random", name) for name in "abcd"]
    assert cairn.sweep(file, "texts", name="b").id == made[1].id  # a request that is repeated
    with pytest.raises(cairn.ApiError, match="(?s)line 2.*") as error:
        cairn.sweep("method: grid\nparameters: {lr: {min: 0.0, max: 1.0}}\n", "texts")
    assert error.value.status == 400
    with pytest.raises(cairn.Error, match="cannot read the config"):
        cairn.sweep("nowhere.yaml", "texts")
    for name in ("", "nope", "a/b/c/k3x9a0bq", "/k3x9a0bq"):
        with pytest.raises(cairn.Error, match="invalid sweep"):
            api.sweep(name)
    with pytest.raises(cairn.NotFoundError):
        cairn.agent("texts/zzzzzzzz", print)
    home = "/projects/me/uncategorized"  # where a config is read
    api._client.ask("DELETE", home, {"confirm": "uncategorized"})
    with pytest.raises(cairn.NotFoundError, match='read in me/uncategorized. Set project="entity/project"'):
        cairn.sweep({**GRID, "project": "placed"})
    assert cairn.sweep({**GRID, "project": "placed"}, "placed").project == "placed"
    api._client.ask("POST", f"{home}/restore")
    ask = type(api._client).ask

    def as_before(self, *words, **more):  # a server that does not return the place
        return {name: value for name, value in ask(self, *words, **more).items() if name not in ("entity", "project")}
    with monkeypatch.context() as patch:
        patch.setattr(type(api._client), "ask", as_before)
        assert cairn.sweep({**GRID, "project": "placed"}).project == "uncategorized"
    sweep = made[0]
    sweep.resume()
    sweep.pause()
    assert sweep.state == "paused"
    sweep.stop()
    assert sweep.state == "finished"
    sweep.cancel()
    assert sweep.state == "canceled"


def test_failures_and_a_function_without_a_run(api, capsys):
    sweep = cairn.sweep({**GRID, "method": "random", "host_failures": 0, "retry": {"times": 0}}, "failing")
    calls = []

    def fail():
        calls.append(1)
        if len(calls) > 1:
            cairn.init()
        raise ValueError("no luck")
    with pytest.raises(cairn.Error, match="3 trials in a row"):
        cairn.agent(sweep, fail, max_failures=3)
    assert [api.run(f"failing/{t.run}").state for t in sweep.trials()] == ["failed"] * 3
    assert capsys.readouterr().err.count("ValueError: no luck") == 3

    cairn.agent(sweep, lambda: None, count=1)
    last = list(sweep.trials())[-1]
    assert api.run(f"failing/{last.run}").state == "finished" and set(api.run(f"failing/{last.run}").config) == {"lr", "net"}
    agents = list(api._client.pages(f"/projects/me/failing/sweeps/{sweep.id}/agents"))
    assert [a["state"] for a in agents] == ["finished"] * 2


def test_an_agent_that_is_told_to_end(api):
    """Its trial is no failure: the next agent goes on with it."""
    sweep = cairn.sweep({**GRID, "retry": {"times": 0}, "host_failures": 1}, "ended")

    def interrupt():
        with cairn.init():
            raise KeyboardInterrupt

    def terminate():
        cairn.init()
        signal.raise_signal(signal.SIGTERM)
    for function, error in ((interrupt, KeyboardInterrupt), (terminate, SystemExit)):
        with pytest.raises(error):
            cairn.agent(sweep, function)
        [trial] = sweep.trials()
        assert api.run(f"ended/{trial.run}").state == "preempted"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    cairn.agent(sweep, cairn.init)
    assert [(t.trial, t.state) for t in sweep.trials()] == [(n, "finished") for n in (1, 2, 3)]
    assert {a["failed_in_row"] for a in api._client.get(f"/projects/me/ended/sweeps/{sweep.id}/agents")["items"]} == {0}


def test_forked_children_of_an_agent(program, api):
    """A signal ends a child as without an agent. Its exceptions leave the run and the agent of the parent alone."""
    sweep = cairn.sweep({**GRID, "retry": {"times": 0}}, "forked")
    done = program(f"""
        import os, signal, time
        import cairn

        ready = os.pipe()

        def wait():
            os.write(ready[1], b"1")
            while True:
                time.sleep(0.1)

        def interrupt():
            with run:
                raise KeyboardInterrupt

        def fail():
            raise ValueError("in a child")

        def train():
            global run
            run = cairn.init()
            run._lib.preempting = lambda handle: print("preempting", flush=True)
            child = os.fork()
            if not child:
                wait()
            os.read(ready[0], 1)  # a child loses signals that come while it begins
            os.kill(child, signal.SIGTERM)
            print("killed by", os.WTERMSIG(os.waitpid(child, 0)[1]), flush=True)
            for work in (interrupt, fail):
                child = os.fork()
                if not child:
                    work()
                    return
                assert os.waitpid(child, 0)[1]
            [agent] = cairn.Api()._client.get("/projects/me/forked/sweeps/{sweep.id}/agents")["items"]
            print(agent["state"], flush=True)
            run.log({{"loss": 1}})
        cairn.agent("forked/{sweep.id}", train, count=1)
    """)
    assert done.stdout == f"killed by {signal.SIGTERM}\nrunning\n", done.stderr
    [trial] = sweep.trials()
    assert trial.state == "finished" and trial.value == 1


def test_refusals_and_a_server_that_is_away(api, monkeypatch, capsys):
    sweep = cairn.sweep({**GRID, "method": "random"}, "refused")
    busy, away = cairn.ApiError(503, "busy", "too busy"), cairn.UnreachableError("no answer")
    faults = {"POST": [busy, away], "PUT": [away, busy]}
    ask = type(api._client).ask

    def fail(self, method, path, *words, **more):
        if faults.get(method) and (method == "PUT" or path.endswith("/heartbeat")):
            raise faults[method].pop(0)
        return ask(self, method, path, *words, **more)
    monkeypatch.setattr(type(api._client), "ask", fail)
    monkeypatch.setattr("cairn._agent.BEAT_S", 0.1)
    cairn.agent(sweep, lambda: None, count=1)
    said = capsys.readouterr().err
    assert said.count("too busy; trying again") == said.count("no answer; trying again") == 1 and faults == {"POST": [], "PUT": []}
    assert [t.state for t in sweep.trials()] == ["finished"]
    for method in ("POST", "PUT"):
        faults[method] = [cairn.ApiError(409, "conflict", "cannot read the config")]
        with pytest.raises(cairn.ApiError, match="cannot read the config"):
            cairn.agent(sweep, lambda: None, count=1)


def test_stop_and_cancel(api):
    """The search stops a run; a cancel ends the agent. Heartbeats go on while the function runs."""
    sweep = cairn.sweep({**GRID, "method": "random"}, "stopping")
    runs = []

    def train():
        with cairn.init() as run:
            run.log({"loss": 1})
            runs.append(run.id)
            wait_until(lambda: run.should_stop, 120)
            raise SystemExit(9)
    agent = threading.Thread(target=cairn.agent, args=(sweep, train))
    agent.start()
    wait_until(lambda: runs, 120)
    api._client.ask("POST", f"/projects/me/stopping/runs/{runs[0]}/stop", body={})
    wait_until(lambda: len(runs) == 2, 120)
    sweep.cancel()
    agent.join(120)
    assert not agent.is_alive() and len(runs) == 2


def test_a_sweep_that_is_deleted_under_its_agent(api, monkeypatch):
    """The trial goes on to its end, then the agent raises NotFoundError."""
    monkeypatch.setattr("cairn._agent.BEAT_S", 0.1)
    sweep, beats, runs = cairn.sweep({**GRID, "method": "random"}, "deleted"), [], []
    ask = type(api._client).ask

    def count(self, method, path, *words, **more):
        beats.append(path.endswith("/heartbeat"))
        return ask(self, method, path, *words, **more)
    monkeypatch.setattr(type(api._client), "ask", count)

    def train():
        with cairn.init() as run:
            ask(api._client, "DELETE", sweep._path)
            seen = sum(beats)
            wait_until(lambda: sum(beats) >= seen + 2, 120)
            assert not run.should_stop
            run.log({"loss": 1})
            runs.append(run.id)
    with pytest.raises(cairn.NotFoundError):
        cairn.agent(sweep, train)
    assert [api.run(f"deleted/{run}").state for run in runs] == ["finished"]


def test_a_program_of_the_command(program, api):
    """cairn.init() in a program that cairn agent started."""
    done = program("""
        import cairn
        with cairn.init(project="other", id="other", config={"lr": 1, "x": 1}) as run:
            print(run.id, run.config["lr"], run.config["x"])
    """, CAIRN_SWEEP="k3x9a0bq", CAIRN_RUN="trial-run", CAIRN_PARAMS='{"lr": 0.5}')
    assert done.stdout == "trial-run 0.5 1\n" and api.run("p/trial-run").config == {"lr": 0.5, "x": 1}
