"""The end of a run that its machine was taken from: announced by a signal, explained by Slurm."""
import os
import signal
import subprocess
import time

import pytest

from cluster import wait_until
from conftest import real_environment
from probe import PATIENCE_S

CAIRN = os.environ.get("CAIRN_TEST_COMMAND", "cairn")
OUTER = ("SLURM_", "KUBERNETES_")
#: ends by SIGTERM only once the file is there
WAITS = 'trap "while [ ! -e $0 ]; do sleep 0.05; done; exit 143" TERM USR1; touch $0.up; while :; do sleep 0.05; done'


@pytest.fixture
def environment(real_run, tmp_path):
    made = {name: value for name, value in real_environment(real_run).items() if not name.startswith(OUTER)}
    return made | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CAIRN_SPOOL_DIR": str(tmp_path / "spool")}


@pytest.fixture
def slurm(environment, tmp_path):
    """A job, whose state is what sacct and scontrol say."""
    def make(sacct="", scontrol=""):
        for name, script in (("sacct", sacct), ("scontrol", scontrol)):
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)
        environment.update(SLURM_JOB_ID="4711", SLURM_JOB_START_TIME="1000", SLURM_JOB_END_TIME=str(int(time.time()) + 3600))
    return make


def start(environment, *words):
    return subprocess.Popen([CAIRN, "run", "--finish-timeout", str(PATIENCE_S), "--sample-interval", "0", *words], env=environment,
                            stdout=subprocess.PIPE)


def end(environment, script, *words):
    process = start(environment, *words, "--", "sh", "-c", script)
    process.communicate(timeout=PATIENCE_S)
    return process.returncode


def told(run):
    made = run.get()
    return made["state"], made["end_reason"]


def preempt(environment, real_run, gate, number, *words):
    """Signals a command that ends later; returns the state in between."""
    process = start(environment, *words, "--", "sh", "-c", WAITS, str(gate))
    wait_until(lambda: real_run.is_there() and os.path.exists(f"{gate}.up"), what="a command that waits")
    process.send_signal(number)
    wait_until(lambda: real_run.state == "preempting", what="a preempting run")
    gate.touch()
    process.communicate(timeout=PATIENCE_S)
    return process.returncode


def test_preempted_by_slurm(real_run, environment, slurm, tmp_path):
    slurm(sacct="echo PREEMPTED")
    assert preempt(environment, real_run, tmp_path / "gate", signal.SIGTERM) == 143
    assert told(real_run) == ("preempted", "preempted by Slurm")
    # queued again with the same id, it goes on
    assert end({**environment, "SLURM_RESTART_COUNT": "1"}, "exit 0") == 0
    assert told(real_run) == ("finished", None) and [writer["attempt"] for writer in real_run.get("/writers")["items"]] == [1, 2]


def test_a_signal_of_its_own(real_run, environment, tmp_path):
    """As of sbatch --signal; a command that saves its state and ends well has finished."""
    assert preempt(environment, real_run, tmp_path / "gate", signal.SIGUSR1, "--preempt-signal", "SIGUSR1") == 143
    assert told(real_run) == ("preempted", "preempted: SIGUSR1 announced it")


def test_a_pod_of_kubernetes(real_run, environment, tmp_path):
    environment["KUBERNETES_SERVICE_HOST"] = "10.0.0.1"
    assert preempt(environment, real_run, tmp_path / "gate", signal.SIGTERM) == 143
    assert told(real_run) == ("preempted", "preempted: SIGTERM announced it")


@pytest.mark.parametrize("sacct, scontrol, expected", [
    ("echo TIMEOUT", "", ("crashed", "time limit of the Slurm job")),
    ("echo RUNNING", "echo JobId=4711 JobState=COMPLETING Reason=TimeLimit", ("crashed", "time limit of the Slurm job")),
    ("exit 1", "echo JobId=4711 JobState=NODE_FAIL Reason=None", ("crashed", "node failure of the Slurm job")),
    ("echo OUT_OF_MEMORY", "exit 1", ("crashed", "out of memory in the Slurm job")),
    ("echo 'CANCELLED by 1000'", "", ("crashed", "the Slurm job was cancelled")),
    ("echo RUNNING", "echo JobName=State=TIMEOUT JobState=RUNNING", ("failed", None)),
    ("printf '\\1\\2\\377State=\\n'; exit 1", "head -c 300000 /dev/zero", ("failed", None))])
def test_what_slurm_says(real_run, environment, slurm, sacct, scontrol, expected):
    slurm(sacct, scontrol)
    assert end(environment, "exit 3") == 3 and told(real_run) == expected


def test_slurm_is_asked_only_after_a_failure(real_run, environment, slurm):
    slurm(sacct="echo TIMEOUT")
    assert end(environment, "exit 0") == 0 and told(real_run) == ("finished", None)


def test_slurm_hangs_near_the_end_of_the_job(real_run, environment, slurm):
    """It is waited for 2 s; then the time of the job says it."""
    slurm(sacct="sleep 1000")
    environment["SLURM_JOB_END_TIME"] = str(int(time.time()) + 30)
    assert end(environment, "kill -TERM $PPID; exec sleep 1000") == 143
    assert told(real_run) == ("crashed", "time limit of the Slurm job")


def test_without_slurm(real_run, environment):
    assert end(environment, "kill -KILL $$") == 137
    assert told(real_run) == ("failed", "killed by signal 9 (Killed)")


def test_names_of_signals(environment):
    for name in ("KILL", "SIGSEGV", "", "usr1"):
        assert end(environment, "exit 0", "--preempt-signal", name) == 2


@pytest.mark.parametrize("death, expected", [
    ("touch {gate}", ("preempted", "preempted: SIGUSR1 announced it")), ("kill", ("preempted", "preempted"))])
def test_offline(real_run, environment, tmp_path, death, expected):
    """The spool says it, also if the process does not live to see its end."""
    gate, offline = tmp_path / "gate", {**environment, "CAIRN_MODE": "offline"}
    process = start(offline, "--preempt-signal", "USR1", "--", "sh", "-c", WAITS, str(gate))
    wait_until(lambda: os.path.exists(f"{gate}.up"), what="a command that waits")
    process.send_signal(signal.SIGUSR1)
    wait_until(lambda: any(b'"preempting"' in path.read_bytes() for path in (tmp_path / "spool").glob("*/*.log")), what="the spool")
    if death == "kill":
        process.kill()
    gate.touch()
    process.communicate(timeout=PATIENCE_S)
    assert not real_run.is_there()
    assert subprocess.run([CAIRN, "sync", "--quiet"], env=environment, timeout=PATIENCE_S).returncode == 0
    assert told(real_run) == expected
