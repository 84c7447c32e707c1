"""quickstart's training says only what is true: each test breaks one thing, and it must be told of."""
import os
import pathlib
import sys

import pytest
import training

BUILD = pathlib.Path(os.environ.get("CAIRN_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build/dev"))


@pytest.fixture
def train(server, tmp_path, monkeypatch, capsys):
    """train(): a short training; its exit status, and what it printed."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("digits", "digits-eval"):
        (programs / name).symlink_to(BUILD / "bin" / name)
    for name, value in {"EPOCHS": 14, "PACE_MS": 40, "LOST_AFTER_S": 12, "KILL_AT_STEP": 40}.items():
        monkeypatch.setattr(training, name, value)

    def run():
        monkeypatch.setattr(sys, "argv", [
            "training.py", "--url", f"http://127.0.0.1:{server.port}", "--key-file", str(server.key_file),
            "--bin", str(programs), "--state", str(tmp_path)])
        status = training.main()
        return status, capsys.readouterr().out
    run.programs = programs
    return run


def replace(train, name, script):
    (train.programs / name).unlink()
    (train.programs / name).write_text(f"#!/bin/sh\n{script}\n")
    (train.programs / name).chmod(0o755)


def refused(printed):
    return printed.partition("Failed checks:")[2]


def test_all_is_true(train):
    status, printed = train()
    assert refused(printed) == ""
    assert "Everything above was read back from the server and checked." in printed
    assert status == 0


@pytest.mark.long
def test_nobody_is_killed(train, monkeypatch):
    monkeypatch.setattr(training, "KILL_AT_STEP", 10**9)
    monkeypatch.setattr(training, "END_WITHIN_S", 15)
    status, printed = train()
    assert status == 1
    assert "nobody was killed" in refused(printed)
    assert "rank2 is ended, not lost" in refused(printed)


def test_one_more_is_killed(train, monkeypatch):
    monkeypatch.setattr(training, "END_WITHIN_S", 15)
    replace(train, "digits", f'exec "{BUILD}/bin/digits" "$@" --kill-rank 3 --kill-at-step 150')
    status, printed = train()
    assert status == 1
    assert "rank3 is lost, not ended" in refused(printed)


@pytest.mark.long
def test_no_evaluator(train):
    replace(train, "digits-eval", "exit 0")
    status, printed = train()
    assert status == 1
    assert "other writers than the five processes" in refused(printed)
    assert "the summary has no test/accuracy" in refused(printed)


@pytest.mark.long
def test_evaluator_fails(train):
    replace(train, "digits-eval", f'"{BUILD}/bin/digits-eval" "$@"; exit 7')
    status, printed = train()
    assert status == 1
    assert "the programs ended with (0, 7)" in refused(printed)


@pytest.mark.long
def test_training_is_too_short_and_the_limit_another(train, server, monkeypatch):
    monkeypatch.setattr(training, "LOST_AFTER_S", 13)
    training.Rest(f"http://127.0.0.1:{server.port}", server.key_file).put("/projects/me/digits",
                                                                         {"crash_after_s": 12})
    replace(train, "digits", f'exec "{BUILD}/bin/digits" "$@" --epochs 12')
    status, printed = train()
    assert status == 1
    assert f"the last step is {12 * training.STEPS_PER_EPOCH}" in refused(printed)
    assert "rows of loss are missing or doubled" in refused(printed)
    assert "the project's limit is 12 s, not 13 s" in refused(printed)


def test_the_server_dies(train, server, monkeypatch):
    monkeypatch.setattr(training.Training, "kill_victim", lambda *_: server.kill())
    status, printed = train()
    assert status == 1
    assert "Cannot follow the training to its end" in printed
