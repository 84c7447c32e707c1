"""cairn run below launchers and in array jobs: which run, label and role its processes take."""
import json
import os
import subprocess

import pytest

from fake_server import KEY
from probe import PATIENCE_S, environment_of

CAIRN = os.environ.get("CAIRN_TEST_COMMAND", "cairn")
LAUNCHERS = ("SLURM_", "OMPI_", "PMI_", "PMIX_", "MV2_", "FLUX_", "PBS_", "LSB_", "SGE_", "TORCHELASTIC_", "JOB_", "MPI_")
STEP = {"SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "2", "SLURM_STEP_NUM_TASKS": "2"}
ARRAY = {"SLURM_JOB_ID": "4711", "SLURM_ARRAY_JOB_ID": "4700", "SLURM_ARRAY_TASK_ID": "3"}
TORCHRUN = {"RANK": "1", "WORLD_SIZE": "2"}


@pytest.fixture
def environment(server):
    made = {name: value for name, value in environment_of(server.url, KEY).items() if not name.startswith(LAUNCHERS)}
    del made["CAIRN_RUN"]
    return made


def run(environment, *words, **variables):
    return subprocess.run([CAIRN, "run", "--finish-timeout", str(PATIENCE_S), "--sample-interval", "0", "--metadata", "none", *words],
                          env={**environment, **variables}, capture_output=True, text=True, timeout=PATIENCE_S)


def writers(server, name):
    return {writer.label: writer.role for writer in server.run(name).writers.values()}


def test_ranks_of_a_step_share_a_run(server, environment):
    for rank in "01":
        assert run(environment, "--", "true", **STEP, SLURM_PROCID=rank).returncode == 0
    assert writers(server, "slurm-4711.0") == {"rank0": "primary", "rank1": "worker"} and len(server.runs) == 1


def test_a_batch_script_has_a_run_of_its_own(server, environment):
    """It has a rank in a job of two tasks, and so has the shell of salloc; each command is a new run."""
    for _ in range(2):
        assert run(environment, "--", "true", SLURM_JOB_ID="4711", SLURM_NTASKS="2", SLURM_PROCID="0").returncode == 0
    assert len(server.runs) == 2
    assert {role for _, _, name in server.runs for role in writers(server, name).values()} == {"primary"}


def test_options_are_used_before_the_rank(server, environment):
    assert run(environment, "--run", "night", "--label", "a", "--", "true", **TORCHRUN, CAIRN_ROLE="primary").returncode == 0
    assert run(environment, "--worker", "--", "true", RANK="0", WORLD_SIZE="2", CAIRN_RUN="night").returncode == 0
    assert writers(server, "night") == {"a": "primary", "rank0": "worker"}


def test_ranks_without_a_common_id(server, environment):
    """Each is the primary of a run of its own; the first one says so."""
    results = [run(environment, "--", "true", RANK=rank, WORLD_SIZE="2", TORCHELASTIC_RUN_ID="none") for rank in "01"]
    assert [result.returncode for result in results] == [0, 0]
    assert "each rank of torchrun is logged as a run of its own" in results[0].stderr and results[1].stderr == ""
    assert sorted(tuple(writers(server, name).items()) for _, _, name in server.runs) == \
        [(("rank0", "primary"),), (("rank1", "primary"),)]


def test_arrays_are_named_by_job_and_task(server, environment):
    assert run(environment, "--array", "--", "true", **ARRAY).returncode == 0
    assert run(environment, "--array", "--group", "mine", "--", "true", **{**ARRAY, "SLURM_ARRAY_TASK_ID": "4"}).returncode == 0
    assert run(environment, "--array", "--", "true", **ARRAY, CAIRN_RUN="own").returncode == 0
    assert {name: made.body["group"] for (_, _, name), made in server.runs.items()} == \
        {"slurm-4700_3": "slurm-4700", "slurm-4700_4": "mine", "own": "slurm-4700"}


def test_an_array_of_ranks(server, environment):
    assert run(environment, "--array", "--", "true", **{**STEP, **ARRAY}, SLURM_PROCID="1").returncode == 0
    assert writers(server, "slurm-4700_3.0") == {"rank1": "worker"}


def test_no_array(server, environment):
    result = run(environment, "--array", "--", "true", SLURM_JOB_ID="4711")
    assert result.returncode == 2 and "--array requires an array job" in result.stderr and server.runs == {}


@pytest.mark.parametrize("inner, labels", [({}, "rank1-"), (TORCHRUN, "rank1"), ({"RANK": "7", "WORLD_SIZE": "9"}, "rank7")])
def test_programs_inside(server, environment, inner, labels):
    """The rank of the launcher that started cairn run is that of cairn run; a launcher inside has ranks of its own."""
    script = 'env "$@" "$CAIRN_TEST_PROBE" <<EOF\nstart\nfinish 0 120000\nEOF'
    result = run(environment, "--", "sh", "-c", script, "sh", *(f"{name}={value}" for name, value in inner.items()), **STEP,
                 SLURM_PROCID="1")
    assert result.returncode == 0, result.stderr
    assert [json.loads(line)["result"] for line in result.stdout.splitlines()] == ["ok", "ok"]
    found = [writer.label for writer in server.run("slurm-4711.0").writers.values() if writer.parent]
    assert len(found) == 1 and found[0].startswith(labels) and (labels[-1] == "-") == (found[0] != labels)


JOB = {"SLURM_JOB_ID": "4711", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JWT": "hunter2",
       "SLURM_RESTART_COUNT": "1"}


@pytest.fixture
def fake_tool(environment, tmp_path):
    """Puts a program of Slurm into PATH."""
    def make(name, script):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
        environment["PATH"] = f"{tmp_path}:{environment['PATH'].removeprefix(f'{tmp_path}:')}"
    return make


def metadata(server, environment, *command, **variables):
    words = [CAIRN, "run", "--finish-timeout", str(PATIENCE_S), "--run", "r1", "--", *(command or ("true",))]
    assert subprocess.run(words, env={**environment, **variables}, timeout=PATIENCE_S).returncode == 0
    return json.loads(server.run("r1").files["wandb-metadata.json"])


def test_slurm_facts(server, environment, fake_tool):
    fake_tool("scontrol", "echo JobId=1 TimeLimit=00:00:01")  # not asked: the variables have the limit
    told = metadata(server, environment, **{**JOB, **ARRAY}, SLURM_JOB_START_TIME="1000", SLURM_JOB_END_TIME="4600")["slurm"]
    assert told == {"job_id": "4711", "array_job_id": "4700", "array_task_id": "3", "job_num_nodes": "2", "job_nodelist": "n[1-2]",
                    "restart_count": "1", "job_start_time": "1000", "job_end_time": "4600", "time_limit_s": 3600}


@pytest.mark.parametrize("told, limit_s", [
    ("JobId=4711 TimeLimit=1-02:03:04 Restarts=0", 93784), ("JobId=4711 TimeLimit=00:30:00", 1800),
    ("JobId=4711 TimeLimit=UNLIMITED", None), ("JobName=TimeLimit=00:30:00", None), ("\x01\x02 TimeLimit=x", None)])
def test_time_limit_of_scontrol(server, environment, fake_tool, told, limit_s):
    fake_tool("scontrol", f"[ \"$4\" = 4711 ] && printf '%s\\n' '{told}'; exit 1")
    assert metadata(server, environment, **JOB)["slurm"].get("time_limit_s") == limit_s


def test_scontrol_that_hangs(server, environment, fake_tool):
    """It is waited for 2 s, next to a command that takes longer; the run has the rest."""
    fake_tool("scontrol", "echo JobId=4711; sleep 1000 & sleep 1000")
    told = metadata(server, environment, "sleep", "3", **JOB)
    assert told["slurm"]["job_id"] == "4711" and "time_limit_s" not in told["slurm"] and told["host"]


def test_no_slurm_facts(server, environment):
    assert "slurm" not in metadata(server, environment, SLURM_JOB_ID="hunter2", SLURM_JOB_NUM_NODES="2")
