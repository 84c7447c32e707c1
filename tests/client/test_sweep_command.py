"""cairn sweep and cairn agent: sweeps of the real server, and trials as processes."""
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import textwrap
import threading
import urllib.parse

import pytest

from cluster import wait_until
from conftest import real_environment
from probe import PATIENCE_S

CAIRN = os.environ.get("CAIRN_TEST_COMMAND", "cairn")
GRID = """method: grid
parameters:
  lr: {values: [0.1, 0.01, 1.0e-05]}
  opt: {values: [sgd, "ad am"]}
"""
ENDLESS = "method: random\nmetric: {name: loss, goal: minimize}\nparameters: {lr: {min: 0.0, max: 1.0}}\n"
GUIDE = [text if "method:" in text else "method: random\n" + text for text in re.findall(
    r"^ *```yaml\n(.*?)^ *```$", (pathlib.Path(__file__).parents[2] / "docs/sweeps.md").read_text(), re.M | re.S)]
SLEEPER = 'trap "echo TERM >> $CAIRN_RUN.signals; exit 5" TERM; echo $$ > $CAIRN_RUN.pid; sleep 600 & wait'
BUSY = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{"commands": [], "busy": true}'


class Command:
    """cairn in a project and a folder of the test's own."""

    def __init__(self, real_run, folder):
        self.run, self.folder, self.agents = real_run, folder, []
        self.env = {**real_environment(real_run), "CAIRN_PROJECT": f"me/{real_run.name}", "CAIRN_SAMPLE_INTERVAL": "0",
                    "CAIRN_TEST_AGENT_BEAT_MS": "250"}
        self.env.pop("CAIRN_RUN")

    def __call__(self, *words, code=0, **env):
        done = subprocess.run([CAIRN, *map(str, words)], env={**self.env, **env}, capture_output=True, text=True,
                              timeout=PATIENCE_S, cwd=self.folder)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def ask(self, tail, method="GET", body=None):
        text = self.run.server.ask(method, f"/projects/me/{self.run.name}{tail}", body)
        return json.loads(text) if text else None

    def make(self, config=GRID):
        (self.folder / "sweep.yaml").write_text(config)
        said = self("sweep", "sweep.yaml")
        name = re.search(r"^sweep ([a-z0-9]{8})$", said, re.M)[1]
        assert f"page: {self.run.server.url}/me/{self.run.name}/sweeps/{name}\n" in said
        assert f"start an agent: cairn agent me/{self.run.name}/{name}\n" in said
        return name

    def start(self, *words, **env):
        agent = subprocess.Popen([CAIRN, "agent", *map(str, words)], env={**self.env, **env}, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, cwd=self.folder)
        self.agents.append(agent)
        return agent

    def trials(self, sweep):
        return self.ask(f"/sweeps/{sweep}/trials?limit=1000")["items"]

    def state(self, run):
        return self.ask(f"/runs/{run}")["state"]

    def wait_for_pid(self, sweep, count=1):
        """Ids of the runs whose programs have begun."""
        def begun():
            runs = [p.stem for p in self.folder.glob("*.pid") if p.read_text().strip()]
            return runs if len(runs) >= count else None
        return wait_until(begun, PATIENCE_S)


class Gateway:
    """Between an agent and the server. Holds heartbeats while `holds`, and answers the next `busy` ones as a server whose other
    requests search; the next `failures` requests to make a run are answered 504 once the server has done them."""

    def __init__(self, url):
        address = urllib.parse.urlsplit(url)
        self.server = (address.hostname, address.port)
        self.holds, self.failures, self.busy, self.held, self.beats = False, 0, 0, [], 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.start(self.accept)

    @staticmethod
    def start(function, *args):
        threading.Thread(target=function, args=args, daemon=True).start()

    def accept(self):
        while True:
            try:
                agent = self.socket.accept()[0]
            except OSError:
                return
            server = socket.create_connection(self.server)
            fails = threading.Event()
            self.start(self.pump, agent, server, fails, True)
            self.start(self.pump, server, agent, fails, False)

    def pump(self, source, target, fails, is_request):
        try:
            while data := source.recv(1 << 16):
                self.beats += is_request and b"/heartbeat " in data
                if is_request and self.holds and b"/heartbeat " in data:
                    self.held.append(source)
                    return
                if is_request and self.busy and b"/heartbeat " in data:
                    self.busy -= 1
                    while not data.endswith(b"}") and (more := source.recv(1 << 16)):
                        data += more
                    source.sendall(BUSY)
                    continue
                if is_request and self.failures and data.startswith(b"PUT ") and b"/runs/" in data:
                    self.failures -= 1
                    fails.set()
                if not is_request and fails.is_set():
                    fails.clear()
                    data = b"HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n"
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def end_of(agent, code):
    said, _ = agent.communicate(timeout=PATIENCE_S)
    assert agent.returncode == code, said
    return said


def is_alive(pid):
    """Whether it runs: a process that has ended may wait for its parent."""
    try:
        return pathlib.Path(f"/proc/{int(pid)}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def cairn(real_run, tmp_path):
    command = Command(real_run, tmp_path)
    yield command
    for agent in command.agents:
        agent.send_signal(signal.SIGSTOP)  # no end of a trial before what is in its group
    for pid in [int(file.read_text()) for file in tmp_path.glob("*.pid")]:
        if is_alive(pid) and os.getpgid(pid) != os.getpgrp():
            os.killpg(os.getpgid(pid), signal.SIGKILL)
        elif is_alive(pid):
            os.kill(pid, signal.SIGKILL)
    for agent in command.agents:
        agent.kill()
        agent.communicate()


def test_make_show_and_change(cairn, tmp_path):
    (tmp_path / "wrong.yaml").write_text("method: grid\nparameters:\n  lr: {min: a, max: 1}\n  n: {values: []}\nextra: 1\n")
    for words in (("--dry-run",), ()):
        said = cairn("sweep", "wrong.yaml", *words, code=1)
        assert re.search(r"^wrong\.yaml:3:\d+: error: parameters\.lr", said, re.M), said
        assert re.search(r"^wrong\.yaml:4:\d+: error: parameters\.n", said, re.M), said
        assert re.search(r"^wrong\.yaml:5:\d+: warning: extra", said, re.M), said
    (tmp_path / "sweep.yaml").write_text(GRID)
    said = cairn("sweep", "sweep.yaml", "--dry-run")
    assert "6 points" in said and re.search(r"^lr +categorical$", said, re.M)
    assert len(GUIDE) == 2
    for config in GUIDE:
        (tmp_path / "guide.yaml").write_text(textwrap.dedent(config))
        assert "guide.yaml:" not in cairn("sweep", "guide.yaml", "--dry-run")
    name = cairn.make(ENDLESS + "name: first\nextra: 1\n")
    assert cairn("sweep", "ls").splitlines()[1].split()[:4] == [name, "first", "pending", "random"]
    assert "minimize loss" in cairn("sweep", "show", name) and "no trials" in cairn("sweep", "trials", name)
    assert json.loads(cairn("sweep", "show", f"me/{cairn.run.name}/{name}", "--json"))["id"] == name
    for words in (("sweep.yaml", "--dry-run"), ("ls",), ("show", name), ("pause", "zzzzzzzz")):  # of the default entity
        said = cairn("sweep", *words, "--project", cairn.run.name, code=words[0] == "pause", CAIRN_PROJECT="")
        assert "does not exist" in said if words[0] == "pause" else "lr" in said or name in said
    assert "no trial of" in cairn("sweep", "best", name, code=1)
    trial = cairn.ask(f"/sweeps/{name}/trials", "POST", {"params": {"lr": 0.5}})
    cairn.ask(f"/sweeps/{name}/trials/{trial['trial']}", "PATCH", {"state": "finished", "value": 0.25})
    said = cairn("sweep", "best", name)
    assert "0.25" in said and "lr=0.5" in said
    assert cairn("sweep", "trials", name).splitlines()[1].split()[:3] == ["1", "finished", "0.25"]
    assert "is running" in cairn("sweep", "resume", name) and "is paused" in cairn("sweep", "pause", name)
    assert "is finished: stopped" in cairn("sweep", "stop", name) and "is canceled" in cairn("sweep", "cancel", name)
    cairn("sweep", "pause", name, code=1)
    assert "its runs stay" in cairn("sweep", "rm", name)
    assert "does not exist" in cairn("sweep", "show", name, code=1)
    assert "invalid sweep" in cairn("sweep", "show", "nope", code=2)
    for run in ("before-1", "before-2"):
        cairn.ask(f"/runs/{run}", "PUT", {})
    made = json.loads(cairn("sweep", "sweep.yaml", "--name", "Second", "--prior-run", "before-1,before-2", "--json"))
    assert (made["display_name"], made["prior_runs"]) == ("Second", ["before-1", "before-2"])
    name = cairn.make(GRID + "description: of the config\n")
    said = cairn("sweep", "sweep.yaml")
    assert f"sweep {name}\n" in said and "by the same request" in said
    assert name not in cairn("sweep", "sweep.yaml", "--name", "Third")
    for state, tries in (("failed", 1), ("finished", 2)):
        trial = cairn.ask(f"/sweeps/{name}/trials", "POST", {})
        assert trial["tries"] == tries
        cairn.ask(f"/sweeps/{name}/trials/{trial['trial']}", "PATCH", {"state": state})
    said = cairn("sweep", "show", name)  # points are counted, not trials
    assert re.search("^ended +1/6$", said, re.M) and re.search("^description +of the config$", said, re.M), said
    assert re.search(f"^{name} .* 1/6 ", cairn("sweep", "ls"), re.M)
    cairn.ask(f"/sweeps/{name}", "PATCH", {"description": "its own"})
    assert re.search("^description +its own$", cairn("sweep", "show", name), re.M)
    (tmp_path / "sweep.yaml").write_text(GRID + "project: placed\n")
    assert f"page: {cairn.run.server.url}/me/placed/sweeps/" in cairn("sweep", "sweep.yaml", CAIRN_PROJECT="")
    said = cairn("sweep", "sweep.yaml")
    assert re.search(rf'^sweep\.yaml:5:10: warning: project: "placed" is not used: the sweep is in "{cairn.run.name}"$', said, re.M), said
    assert f"/me/{cairn.run.name}/sweeps/" in said and "warning: project" in cairn("sweep", "sweep.yaml", "--dry-run")
    assert "warning" not in cairn("sweep", "sweep.yaml", "--dry-run", CAIRN_PROJECT="")
    home = "/projects/me/uncategorized"  # where a config is read
    cairn.run.server.ask("POST", f"{home}/sweeps", {"config": GRID})
    cairn.run.server.ask("DELETE", f"{home}?confirm=uncategorized")
    said = cairn("sweep", "sweep.yaml", code=1, CAIRN_PROJECT="")
    assert "(status 410)" in said and 'read in "me/uncategorized": set the project of the sweep with --project' in said
    cairn.run.server.ask("POST", f"{home}/restore")
    (tmp_path / "sweep.yaml").write_text(GRID + "entity: nobody\n")
    assert "nobody" in cairn("sweep", "sweep.yaml", code=1, CAIRN_PROJECT="")
    assert "No such file" in cairn("sweep", "nope.yaml", code=1) and "usage" in cairn("sweep", "ls", "a", "b", code=2)
    (tmp_path / "empty").touch()
    assert "is empty" in cairn("sweep", "empty", code=1)


def test_a_grid_of_shell_scripts(cairn, tmp_path):
    """Two trials at a time, each with a GPU and a run that has its parameters, console, value and end."""
    (tmp_path / "train.sh").write_text("""
        touch running.$CAIRN_RUN; ls -d running.* | wc -l >> parallel
        echo "args $*"; echo "params $CAIRN_PARAMS"; cat .cairn/sweeps/$CAIRN_SWEEP/$CAIRN_RUN.json
        env > env.$CAIRN_RUN
        cairn log loss=${1#--lr=}
        for i in 1 2 3 4 5 6 7 8 9; do [ $(ls -d running.* | wc -l) -gt 1 ] && break; sleep 0.1; done
        rm running.$CAIRN_RUN""")
    name = cairn.make("program: train.sh\ncommand: [sh, '${program}', '${args}']\nmetric: {name: loss, goal: minimize}\n" + GRID)
    said = end_of(cairn.start(f"{cairn.run.name}/{name}", "--gpus", "7,9", CAIRN_ROLE="worker",
                              PATH=f"{os.path.dirname(os.path.abspath(CAIRN))}:{os.environ['PATH']}"), 0)
    assert said.count(" finished\n") == 6 and "the sweep has ended" in said
    trials = cairn.trials(name)
    assert [t["state"] for t in trials] == ["finished"] * 6
    assert len({json.dumps(t["params"]) for t in trials}) == 6 and cairn.ask(f"/sweeps/{name}")["state"] == "finished"
    assert (tmp_path / "parallel").read_text().split().count("2") >= 1 and "3" not in (tmp_path / "parallel").read_text()
    gpus = set()
    for trial in trials:
        run, params = trial["run"], trial["params"]
        assert cairn.state(run) == "finished" and cairn.ask(f"/runs/{run}")["sweep"] == name
        assert cairn.ask(f"/runs/{run}/config") == params
        lines = [line["text"] for line in cairn.ask(f"/runs/{run}/console?limit=100")["items"]]
        assert lines[0] == f"args --lr={params['lr']!r} --opt={params['opt']}"
        assert json.loads(lines[1].removeprefix("params ")) == json.loads(lines[2]) == params
        assert trial["value"] == params["lr"]
        env = dict(line.split("=", 1) for line in (tmp_path / f"env.{run}").read_text().splitlines() if "=" in line)
        assert (env["WANDB_SWEEP_ID"], env["WANDB_RUN_ID"], env["WANDB_ENTITY"], env["WANDB_PROJECT"]) == (name, run, "me", cairn.run.name)
        assert (env["CAIRN_RUN"], env["CAIRN_PROJECT"], env["CAIRN_URL"]) == (run, f"me/{cairn.run.name}", cairn.run.server.url)
        gpus.add(env["CUDA_VISIBLE_DEVICES"])
    assert gpus == {"7", "9"} and not list((tmp_path / ".cairn/sweeps").iterdir())
    assert "lr=1e-05" in cairn("sweep", "best", name)
    assert "the sweep has ended" in end_of(cairn.start(name, "--one"), 0)
    cairn("sweep", "resume", name)
    cairn("sweep", "pause", name)
    assert "no trial for this agent" in end_of(cairn.start(name, "--one"), 0)


def test_macros(cairn, tmp_path):
    config = {"method": "grid", "parameters": {"a": {"value": True}, "b": {"value": False}, "c": {"value": "x y"},
                                               "d": {"value": None}, "e": {"value": 3}, "f": {"value": [1, "q"]}}}
    name = cairn.make(json.dumps(config))
    macros = ["${args_no_hyphens}", "/", "${args_no_equals}", "/", "${args_no_boolean_flags}", "/", "${args_json}", "/",
              "${args_append_hydra}", "/", "${args_override_hydra}", "/", "${env}", "<${envvar:HERE}>", "${not one"]
    end_of(cairn.start(name, "--one", "--", "sh", "-c", 'printf "%s\\n" "$@" > words', "sh", *macros, HERE="here"), 0)
    words = (tmp_path / "words").read_text().split("\n/\n")
    pairs = ["a=True", "b=False", "c=x y", "d=None", "e=3", 'f=[1, "q"]']
    plain = [word.replace(", ", ",") for word in words[0].split("\n")]
    assert plain == [pair.replace(", ", ",") for pair in pairs]
    assert words[1].split("\n")[:6] == ["--a", "True", "--b", "False", "--c", "x y"]
    assert words[2].split("\n")[:3] == ["--a", "--c=x y", "--d=None"]
    assert json.loads(words[3]) == {"a": True, "b": False, "c": "x y", "d": None, "e": 3, "f": [1, "q"]}
    assert words[4].startswith("+a=True\n") and words[5].startswith("++a=True\n")
    assert words[6] == "/usr/bin/env\n<here>\n${not one\n"
    name = cairn.make(ENDLESS)
    for words, said in ((("--", "x", "${nope}"), "unknown macro ${nope}"), (("--", "x", "${program}"), "has no program"),
                        ((), "has no program"), (("--", "${envvar:NOT_SET}"), "NOT_SET of the command is not set"),
                        (("--gpus", "1,2,3", "--parallel", "2", "--", "x"), "cannot be shared evenly"),
                        (("--gpus", "1,,2", "--", "x"), "--gpus must"), (("--one", "--parallel", "2"), "--one runs one"),
                        (("--parallel", "257"), "--parallel must"), (("--count", "0"), "--count must")):
        assert said in end_of(cairn.start(name, *words), 2)
    assert not cairn.trials(name) and not cairn.ask(f"/sweeps/{name}/agents")["items"]


def test_an_agent_waits_for_others(cairn):
    """Many start at once, such as the tasks of a Slurm array: each asks until it was told whether there is a trial."""
    gateway = Gateway(cairn.run.server.url)
    gateway.busy = 3
    name = cairn.make(ENDLESS)
    said = end_of(cairn.start(name, "--one", "--", "true", CAIRN_URL=gateway.url), 0)
    gateway.socket.close()
    assert "trial 1 finished" in said and "no trial" not in said and gateway.busy == 0


def test_failures_in_a_row_end_the_agent(cairn):
    name = cairn.make(ENDLESS + "host_failures: 0\n")
    said = end_of(cairn.start(name, "--max-failures", "3", "--", "sh", "-c", "exit 4", "sh"), 1)
    assert said.count(" ended with exit status 4\n") == 3 and "3 trials in a row failed" in said
    assert {cairn.state(t["run"]) for t in cairn.trials(name)} == {"failed"}
    assert cairn.ask(f"/sweeps/{name}/agents")["items"][0]["state"] == "finished"
    end_of(cairn.start(name, "--one", "--", "/nonexistent/program"), 127)
    last = cairn.trials(name)[-1]["run"]
    assert cairn.state(last) == "failed" and cairn.ask(f"/runs/{last}")["exit_code"] == 127
    assert end_of(cairn.start(name, "--count", "2", "--", "true"), 0).count(" finished\n") == 2


def test_stop_of_a_trial_and_signals(cairn, tmp_path):
    name = cairn.make(ENDLESS)
    agent = cairn.start(name, "--count", "2", "--max-failures", "1", "--", "sh", "-c", SLEEPER, "sh")
    first = cairn.wait_for_pid(name)[0]
    cairn("stop", first)
    second = next(run for run in cairn.wait_for_pid(name, 2) if run != first)
    assert (tmp_path / f"{first}.signals").read_text() == "TERM\n"
    assert not is_alive((tmp_path / f"{first}.pid").read_text())
    agent.send_signal(signal.SIGTERM)
    said = end_of(agent, 143)
    assert said.count(" ended with exit status 5\n") == 2 and "second signal" in said and "in a row" not in said
    assert (tmp_path / f"{second}.signals").read_text() == "TERM\n"


def test_an_agent_that_is_told_to_end(cairn, tmp_path):
    """Its trial is no failure: the next agent goes on with it."""
    name = cairn.make("method: grid\nparameters: {n: {values: [1, 2]}}\nretry: {times: 0}\nhost_failures: 1\n")
    command = "trap $0 TERM INT; echo $$ > $CAIRN_RUN.pid; while [ ! -e go ]; do sleep 0.1; done"
    pids = set()
    for number, trap, code in ((signal.SIGTERM, "exit 5", 143), (signal.SIGINT, "", 130)):
        agent = cairn.start(name, "--", "sh", "-c", command.replace("$0", f"'{trap}'"))
        wait_until(lambda: {p.read_text() for p in tmp_path.glob("*.pid")} - pids - {""}, PATIENCE_S)
        [file] = tmp_path.glob("*.pid")
        pids.add(file.read_text())
        agent.send_signal(number)
        wait_until(lambda: "second signal" in agent.stdout.readline(), PATIENCE_S)
        if not trap:
            agent.send_signal(number)
        assert ("was killed" in end_of(agent, code)) == (not trap)
        wait_until(lambda: not is_alive(file.read_text()), PATIENCE_S)
        run = cairn.ask(f"/runs/{file.stem}")
        assert run["state"] == "preempted" and "agent" in run["end_reason"]
    (tmp_path / "go").touch()
    end_of(cairn.start(name, "--", "sh", "-c", command.replace("$0", "-")), 0)
    assert [(t["state"], t["tries"]) for t in cairn.trials(name)] == [("finished", 1)] * 2
    assert {a["failed_in_row"] for a in cairn.ask(f"/sweeps/{name}/agents")["items"]} == {0}


def test_a_stop_is_passed_on_once(cairn, tmp_path):
    """The agent's request is not a preemption. A trial that ignores it is killed after a while, with what it started."""
    run = subprocess.Popen([CAIRN, "run", "--run", "stopped", "--preempt-signal", "TERM", "--", "sh", "-c",
                            'trap "echo TERM >> signals" TERM; echo $$ > x.pid; while [ ! -e go ]; do sleep 0.1; done; exit 5'],
                           env=cairn.env, cwd=tmp_path)
    cairn.agents.append(run)
    cairn.wait_for_pid("")
    for _ in range(2):
        assert ctypes.CDLL(None).sigqueue(run.pid, signal.SIGTERM, ctypes.c_void_p(0x53544f50)) == 0
    wait_until(lambda: (tmp_path / "signals").exists(), PATIENCE_S)
    cairn("stop", "stopped")
    (tmp_path / "go").touch()
    assert run.wait(PATIENCE_S) == 5 and cairn.state("stopped") == "failed"
    assert (tmp_path / "signals").read_text() == "TERM\n"
    name = cairn.make(ENDLESS)
    agent = cairn.start(name, "--count", "1", "--", "sh", "-c", 'trap "" TERM; sleep 600 & echo $! > $CAIRN_RUN.pid; wait; wait; sleep 600',
                        "sh", CAIRN_TEST_AGENT_STOP_MS="200")
    first = next(run for run in cairn.wait_for_pid(name, 2) if run != "x")
    cairn("stop", first)
    said = end_of(agent, 0)
    assert "trial 1 is asked to stop" in said and "trial 1 was killed" in said and cairn.state(first) == "killed"
    wait_until(lambda: not is_alive((tmp_path / f"{first}.pid").read_text()), PATIENCE_S)


def test_a_preempted_trial_goes_on_with_the_next_agent(cairn, tmp_path):
    """The machine of the agent is taken: the same trial and run, in another attempt. Its program sees what it left."""
    name = cairn.make(ENDLESS + "run_cap: 1\n")
    script = """[ -e $CAIRN_RUN.saved ] && { echo "$CAIRN_PARAMS" > resumed; cairn log loss=0.5; exit 0; }
        trap "touch $CAIRN_RUN.saved; exit 143" TERM; echo "$CAIRN_PARAMS" > begun; echo $$ > $CAIRN_RUN.pid; sleep 600 & wait"""
    env = {"PATH": f"{os.path.dirname(os.path.abspath(CAIRN))}:{os.environ['PATH']}"}
    agent = cairn.start(name, "--", "sh", "-c", script, "sh", KUBERNETES_SERVICE_HOST="10.0.0.1", **env)
    run, = cairn.wait_for_pid(name)
    agent.send_signal(signal.SIGTERM)
    end_of(agent, 143)
    assert cairn.state(run) == "preempted" and (tmp_path / f"{run}.saved").exists()
    said = end_of(cairn.start(name, "--", "sh", "-c", script, "sh", **env), 0)
    assert "trial 1 finished" in said and "the sweep has ended" in said
    trial, = cairn.trials(name)
    assert (trial["run"], trial["state"], trial["tries"], trial["value"]) == (run, "finished", 1, 0.5)
    assert (tmp_path / "resumed").read_text() == (tmp_path / "begun").read_text() != ""
    assert {writer["attempt"] for writer in cairn.ask(f"/runs/{run}/writers")["items"]} == {1, 2}


def test_a_bad_trial_is_stopped_early(cairn, tmp_path):
    """The program gets SIGTERM, no failure of the agent is counted, and the other trial goes on."""
    name = cairn.make("method: grid\nmetric: {name: loss, goal: minimize}\nparameters: {n: {values: [1, 2]}}\n"
                      "early_terminate: {type: hyperband, min_iter: 1}\n")
    script = 'cairn log loss=${1#n=}; trap "echo TERM >> $CAIRN_RUN.signals; exit 5" TERM; echo $$ > $CAIRN_RUN.pid; ' \
             'while [ ! -e go.${1#n=} ]; do sleep 0.1; done'
    agent = cairn.start(name, "--parallel", "2", "--max-failures", "1", "--", "sh", "-c", script, "sh", "${args_no_hyphens}",
                        PATH=f"{os.path.dirname(os.path.abspath(CAIRN))}:{os.environ['PATH']}")
    cairn.wait_for_pid(name, 2)
    wait_until(lambda: list(tmp_path.glob("*.signals")), PATIENCE_S)
    (tmp_path / "go.1").touch()
    said = end_of(agent, 0)
    assert "trial 2 is asked to stop" in said and "trial 2 ended with exit status 5" in said and "trial 1 finished" in said
    good, bad = cairn.trials(name)
    assert (good["state"], bad["state"], bad["value"]) == ("finished", "killed", 2) and bad["stop_at"]
    assert (tmp_path / f"{bad['run']}.signals").read_text() == "TERM\n"
    assert "early_terminate" in cairn.ask(f"/runs/{bad['run']}")["stop_reason"]


def test_pause_resume_and_stop(cairn, tmp_path):
    """Trials go on; what follows them depends on the state of the sweep."""
    gateway = Gateway(cairn.run.server.url)
    name = cairn.make(ENDLESS)
    agent = cairn.start(name, "--", "sh", "-c", "echo $$ > $CAIRN_RUN.pid; while [ ! -e $CAIRN_RUN.go ]; do sleep 0.2; done", "sh",
                        CAIRN_URL=gateway.url, CAIRN_TEST_AGENT_BEAT_MS="500")

    def beat_twice():
        seen = gateway.beats
        wait_until(lambda: gateway.beats >= seen + 2, PATIENCE_S)

    first = cairn.wait_for_pid(name)[0]
    assert "is paused" in cairn("sweep", "pause", name)
    beat_twice()
    assert cairn.state(first) == "running"
    (tmp_path / f"{first}.go").touch()
    wait_until(lambda: "trial 1 finished" in agent.stdout.readline(), PATIENCE_S)
    beat_twice()
    wait_until(lambda: [t["state"] for t in cairn.trials(name)] == ["finished"], PATIENCE_S)
    assert "is running" in cairn("sweep", "resume", name)
    second = next(run for run in cairn.wait_for_pid(name, 2) if run != first)
    assert "is finished: stopped" in cairn("sweep", "stop", name)
    beat_twice()
    assert cairn.state(second) == "running" and agent.poll() is None
    (tmp_path / f"{second}.go").touch()
    assert "trial 2 finished\ncairn: the sweep has ended" in end_of(agent, 0)
    wait_until(lambda: [t["state"] for t in cairn.trials(name)] == ["finished"] * 2, PATIENCE_S)
    gateway.socket.close()


def test_gpus_are_shared(cairn, tmp_path):
    """Several for each trial, or several trials on each. The ranks of a trial are writers of its run, which `cairn agent` ends."""
    shares = {"0,1,2,3": (2, ["0,1", "2,3"]), "0,1": (4, ["0", "0", "1", "1"])}
    for gpus, (trials, wanted) in shares.items():
        name = cairn.make(f"method: grid\nmetric: {{name: loss}}\nparameters: {{n: {{values: [1, 2, 3, 4]}}}}\nname: {trials}\n")
        (tmp_path / "seen").mkdir()
        end_of(cairn.start(name, "--gpus", gpus, "--parallel", trials, "--count", trials, "--", "sh", "-c", """
            echo $CUDA_VISIBLE_DEVICES > seen/$CAIRN_RUN
            while [ $(ls seen | wc -l) -lt $0 ]; do sleep 0.1; done
            [ $0 = 4 ] || for rank in 0 1; do SLURM_STEP_ID=1 SLURM_PROCID=$rank SLURM_NTASKS=2 $1 run -- $1 log loss=$rank & done
            wait""", trials, CAIRN), 0)
        assert sorted(file.read_text().strip() for file in (tmp_path / "seen").iterdir()) == wanted
        assert [t["state"] for t in cairn.trials(name)] == ["finished"] * trials
        if trials == 2:
            assert [(t["value"], t["highest"], t["steps"]) for t in cairn.trials(name)] == [(0, 1, 2)] * 2
            runs = cairn.ask("/runs?limit=100")["items"]
            assert {t["run"] for t in cairn.trials(name)} == {run["id"] for run in runs}
        shutil.rmtree(tmp_path / "seen")


def test_cancel_and_delete(cairn, tmp_path):
    name = cairn.make(ENDLESS)
    agent = cairn.start(name, "--parallel", "2", "--", "sh", "-c", SLEEPER, "sh")
    runs = cairn.wait_for_pid(name, 2)
    assert "is canceled" in cairn("sweep", "cancel", name)
    assert "the sweep has ended" in end_of(agent, 0)
    assert [(tmp_path / f"{run}.signals").read_text() for run in runs] == ["TERM\n"] * 2
    assert [cairn.ask(f"/runs/{run}")["exit_code"] for run in runs] == [5] * 2
    cairn("sweep", "resume", name)
    assert end_of(cairn.start(name, "--count", "2", "--", "true"), 0).count(" finished\n") == 2
    first, second, third, fourth = cairn.trials(name)
    assert [(t["state"], t["retry_of"], t["params"]) for t in (third, fourth)] == [
        ("finished", t["trial"], t["params"]) for t in (first, second)]
    name = cairn.make(ENDLESS + "name: another\n")
    agent = cairn.start(name, "--", "sh", "-c", "echo $$ > $CAIRN_RUN.pid; while [ ! -e go ]; do sleep 0.2; done", "sh")
    run = next(run for run in cairn.wait_for_pid(name, 3) if run not in runs)
    cairn("sweep", "rm", name)
    wait_until(lambda: "was deleted" in agent.stdout.readline(), PATIENCE_S)
    (tmp_path / "go").touch()
    assert " finished\n" in end_of(agent, 1) and cairn.state(run) == "finished"


def test_an_agent_that_is_killed(cairn, tmp_path):
    """Its trial gets SIGTERM. The next agent does the rest, also while the server is away for a while."""
    name = cairn.make("method: grid\nparameters: {n: {values: [1, 2]}}\nretry: {times: 0}\n")
    words = ("--", "sh", "-c", "echo $$ > $CAIRN_RUN.pid; while [ ! -e go.$1 ]; do sleep 0.2; done; echo done", "sh", "${args_no_hyphens}")
    agent = cairn.start(name, *words)
    first = cairn.wait_for_pid(name)[0]
    agent.kill()
    wait_until(lambda: cairn.state(first) == "failed", PATIENCE_S)
    assert cairn.ask(f"/runs/{first}")["exit_code"] == 128 + signal.SIGTERM
    agent = cairn.start(name, *words)
    cairn.wait_for_pid(name, 2)
    cairn.run.server.away()
    try:
        wait_until(lambda: "trying again" in agent.stdout.readline(), PATIENCE_S)
        (tmp_path / "go.n=2").touch()
    finally:
        cairn.run.server.back()
    assert "the server is back" in end_of(agent, 0)
    assert [(t["state"], t["tries"]) for t in cairn.trials(name)] == [("failed", 1), ("finished", 1)]


def test_signals_and_lost_answers_during_requests(cairn, tmp_path):
    """A signal reaches a trial while the server does not answer. A trial begins although the answer to its run was lost."""
    gateway = Gateway(cairn.run.server.url)
    gateway.failures = 1
    name = cairn.make(ENDLESS)
    agent = cairn.start(name, "--", "sh", "-c", SLEEPER, "sh", CAIRN_URL=gateway.url)
    run = cairn.wait_for_pid(name)[0]
    assert gateway.failures == 0 and [t["run"] for t in cairn.trials(name)] == [run]
    gateway.holds = True
    wait_until(lambda: gateway.held, PATIENCE_S)
    agent.send_signal(signal.SIGTERM)
    wait_until(lambda: (tmp_path / f"{run}.signals").exists(), PATIENCE_S)
    gateway.held[0].setblocking(False)
    with pytest.raises(BlockingIOError):  # the agent still waits for the answer
        gateway.held[0].recv(1)
    gateway.holds = False
    gateway.held[0].close()
    end_of(agent, 143)
    gateway.socket.close()
