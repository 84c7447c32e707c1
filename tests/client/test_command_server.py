"""The command and what the real server has of it in the end."""
import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import urllib.error
import urllib.parse

import pytest

from cluster import wait_until
from conftest import real_environment
from probe import PATIENCE_S
from real_server import RealRun

CAIRN = os.environ.get("CAIRN_TEST_COMMAND", "cairn")
RUN = (CAIRN, "run", "--finish-timeout", str(PATIENCE_S))
CHILD_LOGS = 'printf "start\\nlog 0 20\\nfinish 0 120000\\n" | "$CAIRN_TEST_PROBE" > /dev/null'


@pytest.fixture
def environment(real_run):
    return real_environment(real_run)


def cairn(environment, *words, **options):
    return subprocess.run([CAIRN, *words], env=environment, capture_output=True, text=True,
                          timeout=PATIENCE_S, **options)


def run(environment, script, *options):
    return cairn(environment, *RUN[1:], "--label", "main", *options, "--", "sh", "-c", script)


def start(environment, *words):
    return subprocess.Popen([*RUN, *words], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@pytest.mark.parametrize("script, code, state", [
    ("exit 0", 0, "finished"), ("exit 3", 3, "failed"), ("exit 255", 255, "failed"),
    ("kill -TERM $$", 128 + signal.SIGTERM, "failed"), ("kill -KILL $$", 128 + signal.SIGKILL, "failed")])
def test_exit_code_decides(real_run, environment, script, code, state):
    assert run(environment, script).returncode == code
    ended = real_run.get()
    assert (ended["state"], ended["exit_code"]) == (state, code)
    assert real_run.writers["main"]["exit_code"] == code


def test_console_is_kept_by_stream(real_run, environment):
    result = run(environment, "seq 1 5000; printf 'wrong\\nno end' >&2")
    assert result.stdout == "".join(f"{n}\n" for n in range(1, 5001))
    assert real_run.console() == [str(n) for n in range(1, 5001)]
    assert real_run.console("stderr") == ["wrong", "no end"]
    assert real_run.writers["main"]["console_lines"] == 5002


def test_options_make_the_run(real_run, environment):
    result = run(environment, "true", "--name", "My run", "--group", "g", "--tags", "a,b", "--job-type",
                 "train", "--notes", "why", "--config", '{"lr":0.1}')
    assert result.returncode == 0, result.stderr
    made = real_run.get()
    assert (made["display_name"], made["group"], made["tags"], made["job_type"], made["notes"]) == \
        ("My run", "g", ["a", "b"], "train", "why")
    assert real_run.get("/config") == {"lr": 0.1}


def test_names_of_any_alphabet(real_run, environment):
    """A project and a run that the wandb SDK would make are logged to, listed and shown by the command, too."""
    project, name = "\u00e4rzte (v2) & co", "lauf 1 \U0001f9ea"
    environment |= {"CAIRN_PROJECT": f"me/{project}", "CAIRN_RUN": name}
    result = run(environment, "echo seen")
    assert (result.returncode, result.stderr) == (0, "")
    made = RealRun(real_run.server, urllib.parse.quote(name), urllib.parse.quote(project))
    assert made.state == "finished" and made.console() == ["seen"]
    wait_until(lambda: name in cairn(environment, "ls").stdout, what="a run that is listed")
    for words in ("ls", f"me/{project}"), ("show", f"me/{project}/{name}"), ("show", name):
        shown = cairn(environment, *words)
        assert shown.returncode == 0 and name in shown.stdout, shown


def test_what_the_command_runs_in(real_run, environment):
    """As a file of the run, where the page looks; a child that adds to the run does not tell of itself."""
    assert run(environment, f"'{CAIRN}' run -- true inner").returncode == 0
    file, = real_run.get("/files")["items"]
    assert (file["name"], file["user"]) == ("wandb-metadata.json", "me")
    told = real_run.get("/files/wandb-metadata.json")
    assert told["program"] == "sh" and told["args"][0] == "-c" and told["root"] == os.getcwd()
    assert told["host"] == socket.gethostname() and told["cpu_count"] > 0 and int(told["memory"]["total"]) > 0


def test_what_it_runs_in_needs_no_system_metrics(real_run, environment):
    assert run(environment, "true", "--sample-interval", "0").returncode == 0
    assert real_run.get("/files/wandb-metadata.json")["cpu_count"] > 0 and real_run.events == []


def test_children_join_as_workers(real_run, environment):
    """Spawned by a shell, spawned by Python, and forked by one of them."""
    spawn = ("import os, subprocess\n"
             "probe = os.environ['CAIRN_TEST_PROBE']\n"
             "subprocess.run([probe], input=b'start\\nfork 2\\nfinish 0 120000\\n', check=True)\n")
    result = cairn(environment, *RUN[1:], "--label", "main", "--", "sh", "-c",
                   f'{CHILD_LOGS}; exec "$0" -c "$1"', sys.executable, spawn)
    assert result.returncode == 0, result.stderr
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert {answer["result"] for answer in answers} == {"ok"} and answers[1]["bad"] == 0, answers
    writers = real_run.get("/writers")["items"]
    main, = [w for w in writers if w["label"] == "main"]
    workers = [w for w in writers if w["role"] == "worker"]
    assert main["role"] == "primary" and len(workers) == 4
    assert {w["parent"] for w in workers} == {main["client"]}
    assert {w["state"] for w in workers} == {"ended"}
    after_it = {w["label"] for w in workers if w["label"].startswith("main-")}
    assert len(after_it) == 2, "those that name themselves are called as they say"
    assert real_run.numbers() == list(range(20)) and real_run.state == "finished"


def test_the_end_of_the_command_ends_its_children(real_run, environment):
    """A child that was killed is ended by its parent's finish, and not lost for ever."""
    die = 'printf "start\\nlog 0 5\\nflush 120000\\ndie\\n" | "$CAIRN_TEST_PROBE" > /dev/null'
    assert run(environment, f"{die}; true").returncode == 0
    worker, = [w for w in real_run.get("/writers")["items"] if w["role"] == "worker"]
    assert worker["state"] == "ended" and worker["history_rows"] == 5
    assert real_run.state == "finished"


def test_a_failing_worker_decides_nothing(real_run, environment):
    inner = f'"{CAIRN}" run --worker --label inner -- sh -c "exit 9"'
    assert run(environment, f"{inner}; test $? = 9").returncode == 0
    assert real_run.state == "finished" and real_run.writers["inner"]["exit_code"] == 9


def test_system_metrics_of_the_tree(real_run, environment):
    process = start(environment, "--label", "main", "--sample-interval", "0.1", "--",
                    sys.executable, "-c", "data = bytearray(150 << 20); input()")

    def rss():
        return [row["proc.memory.rssMB"] for row in real_run.events if "proc.memory.rssMB" in row]
    wait_until(lambda: real_run.is_there() and max(rss(), default=0) > 150, what="a sample of all of it")
    process.communicate(b"go\n", timeout=PATIENCE_S)
    assert process.returncode == 0
    assert {row["_label"] for row in real_run.events} == {"main"}


def test_server_away_in_the_middle(real_run, cairnd, environment):
    process = start(environment, "--", "sh", "-c", "seq 1 100; read line; seq 101 200; exit 4")
    wait_until(lambda: real_run.is_there() and len(real_run.console()) == 100, what="first lines")
    cairnd.kill()
    process.stdin.write(b"go\n")
    process.stdin.flush()
    output = [process.stdout.readline() for _ in range(200)]
    cairnd.back()
    assert process.wait(PATIENCE_S) == 4 and output == [b"%d\n" % n for n in range(1, 201)]
    assert real_run.console() == [str(n) for n in range(1, 201)]
    assert (real_run.state, real_run.get()["exit_code"]) == ("failed", 4)


def test_stop_reaches_the_command(real_run, environment):
    environment["CAIRN_SAMPLE_INTERVAL"] = "0.1"
    script = "trap 'echo saved; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    process = start(environment, "--", "sh", "-c", script)
    assert process.stdout.readline() == b"ready\n"
    wait_until(lambda: cairn(environment, "stop", "--reason", "enough").returncode == 0, what="the run")
    assert process.stdout.read() == b"saved\n" and process.wait(PATIENCE_S) == 5
    assert real_run.get()["stop_reason"] == "enough" and real_run.state == "failed"


def test_log_adds_rows(real_run, environment):
    assert cairn(environment, "log", "loss=0.5", "note=well done", "ok=true", 'deep={"a":[1]}').returncode == 0
    assert cairn(environment, "log", "--step", "7", "loss=NaN").returncode == 0
    assert cairn(environment, "log", "odd\nname=1", f"{'k' * 2048}=2", f"long={'x' * 100_000}").returncode == 0
    refused = cairn(environment, "log", f"{'k' * 2049}=2")
    assert refused.returncode != 0 and "1 to 2048 bytes" in refused.stderr
    first, second, odd = real_run.rows
    assert odd["odd␊name"] == 1 and len(odd["long"]) == 100_000
    assert (first["loss"], first["note"], first["ok"], first["deep.a"]) == (0.5, "well done", True, [1])
    assert (first["_step"], second["_step"], second["loss"]) == (0, 7, "NaN")
    assert cairn(environment, "log", "--step", "7", "_row=1").returncode in (1, 2)


def test_log_within_a_run(real_run, environment):
    assert run(environment, f"for i in 1 2 3; do '{CAIRN}' log loss=$i; done").returncode == 0
    assert [row["loss"] for row in real_run.rows] == [1, 2, 3] and real_run.state == "finished"


def test_finish_by_hand(real_run, environment):
    cairn(environment, "log", "loss=1")
    result = cairn(environment, "finish", "--state", "killed", "--reason", "no use")
    assert result.returncode == 0 and "is killed" in result.stdout, result.stderr
    assert real_run.state == "killed"
    assert real_run.get("/states")["items"][-1]["reason"] == "no use"


def test_an_alert_by_hand(real_run, environment):
    cairn(environment, "log", "loss=1")
    result = cairn(environment, "alert", "--title", "look", "--text", "at this", "--level", "error")
    assert (result.returncode, result.stdout) == (0, f"alert 1 of {real_run.name}\n"), result.stderr
    alert, = real_run.get("/alerts")["items"]
    assert (alert["title"], alert["text"], alert["level"], alert["writer"]) == ("look", "at this", "error", None)
    assert cairn(environment, "alert").returncode == 2
    assert cairn(environment, "alert", "--title", "look", "--level", "loud").returncode == 1


def test_login_ls_show(real_run, cairnd, environment, tmp_path):
    for name in ("CAIRN_URL", "CAIRN_API_KEY", "CAIRN_RUN"):
        del environment[name]
    environment["HOME"] = str(tmp_path)
    result = cairn(environment, "login", cairnd.url, input=cairnd.key + "\n")
    assert result.returncode == 0 and "as me" in result.stdout, result.stderr
    environment["CAIRN_PROJECT"] = "shown"
    script = 'i=0; while [ $i -lt 30 ]; do echo "log $i 1"; i=$((i+1)); done'
    script = f'{{ echo start; {script}; echo finish 0 120000; }} | "$CAIRN_TEST_PROBE" > /dev/null; echo end; read line'
    process = start(environment, "--run", "x1", "--label", "main", "--sample-interval", "0.1", "--", "sh", "-c", script)
    first = RealRun(cairnd, "x1", "shown")
    wait_until(lambda: first.is_there() and any("memory_percent" in row for row in first.events), what="a sample")
    process.communicate(b"go\n", timeout=PATIENCE_S)
    assert process.returncode == 0
    assert cairn(environment, "log", "--run", "x2", "a=1").returncode == 0

    wait_until(lambda: listed(environment) == {"x1": ["finished", "30"], "x2": ["running", "1"]},
               what="both runs in the list")
    filtered = wait_until(lambda: found(environment, "state:finished", "x1"), what="one that is found")
    assert "x2" not in filtered
    assert cairn(environment, "ls", "--filter", "state=").returncode == 1

    shown = cairn(environment, "show", "x1").stdout
    for part in ("finished, exit code 0", "writers", "summary", "curve", "console", "memory_percent"):
        assert part in shown, shown
    assert "    end\n" in shown
    assert not [line for line in shown.splitlines() if line != line.rstrip()]
    assert cairn(environment, "show", "nothing").returncode == 1
    check_curve(cairn(environment, "show", "me/shown/x1", "--only", "curve", "--metric", "n").stdout)
    curve = cairn(environment, "show", "x2", "--metric", "nothing").stdout
    assert 'no values of "nothing"; available: a\n' in curve and "console" not in curve


def test_an_end_is_shown_with_its_reason(real_run, environment):
    cairn(environment, "log", "loss=1")
    writer = {"client": "job-1", "role": "primary", "label": "rank0"}

    def shown():
        return cairn(environment, "show", "--only", "run").stdout

    for state, reason in ("preempted", "preempted by Slurm"), ("crashed", "time limit of the Slurm job"):
        session = real_run.ask("POST", "/join", writer)["session"]
        real_run.ask("POST", "/batch", {"writer": "job-1", "session": session, "batch": 1, "preempting": True})
        assert re.search(r"state +preempting$", shown(), re.M)
        real_run.ask("POST", "/finish", {"writer": "job-1", "session": session, "state": state, "reason": reason})
        assert re.search(rf"state +{state}: {reason}$", shown(), re.M)
    session = real_run.ask("POST", "/join", writer)["session"]
    real_run.ask("POST", "/finish", {"writer": "job-1", "session": session, "exit_code": -9, "reason": "killed"})
    assert re.search(r"state +failed: killed, exit code -9$", shown(), re.M)


def test_what_is_not_there(real_run, environment):
    cairn(environment, "log", "loss=1")
    projects = cairn(environment, "projects")
    assert projects.returncode == 0 and projects.stdout.startswith("PROJECT"), projects.stderr
    assert "me/p" in [line.split()[0] for line in projects.stdout.splitlines()]
    assert not [line for line in projects.stdout.splitlines() if line != line.rstrip()]
    result = cairn(environment, "ls", "--filter", "group:none")
    assert result.stdout == "no runs in me/p match\n" and "states are running, finished, failed, crashed, killed, pending, preempting and preempted" not in result.stderr
    assert "running, finished" in cairn(environment, "ls", "--filter", "state:runing").stderr
    for words, advice in ((["ls", "nowhere"], "List projects with cairn projects and choose one with --project; a first run creates a project."), (["show", "nothing"], "cairn ls"),
                          (["ls", "--url", environment["CAIRN_URL"] + "/api/v1"], "address")):
        result = cairn(environment, *words)
        assert result.returncode == 1 and "(status 404)\n  " in result.stderr and advice in result.stderr


def test_names_of_others_cannot_steer_the_terminal(real_run, environment):
    cairn(environment, "log", "loss=1")
    try:
        real_run.ask("PATCH", "", {"display_name": "a\x1b[31m\x9b2Jb"})
    except urllib.error.HTTPError as error:
        assert error.code == 400
    shown = cairn(environment, "show").stdout + cairn(environment, "ls").stdout
    assert not {c for c in shown if ord(c) < 32 or 127 <= ord(c) < 160} - {"\n"}


def named_run(environment, run_id, name):
    assert cairn(environment, "run", "--run", run_id, "--name", name, "--", "echo", name).returncode == 0
    return run_id


def on_terminal(environment, *words):
    """What a terminal of 90 columns shows."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 90, 0, 0))
    process = subprocess.Popen([CAIRN, *words], env=environment, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError), os.fdopen(master, "rb", buffering=0) as terminal:
        while piece := terminal.read(65536):
            shown += piece
    assert process.wait(PATIENCE_S) == 0, shown
    return shown.decode().splitlines()


def test_names_are_cut_on_a_terminal_alone(environment):
    environment |= {"CAIRN_PROJECT": "cut"}
    name = "a name that is \u00e9lan and goes on " + "and on " * 12 + "to its end"
    named_run(environment, "long-1", name)
    wait_until(lambda: "long-1" in cairn(environment, "ls").stdout, what="a run that is listed")
    for words in ("ls",), ("show", "long-1"):
        assert name in cairn({**environment, "COLUMNS": "40"}, *words).stdout, words
        line, *_ = [line for line in on_terminal(environment, *words) if "a name that is \u00e9lan" in line]
        line = re.sub(r"\x1b\[[0-9]*m", "", line)
        assert len(line) == 90 and line.endswith("\u2026") and name.startswith(line[line.index("a name"):-1]), line


def test_a_name_that_is_no_id(real_run, environment):
    """Who looks for a run under its name is told its id."""
    environment |= {"CAIRN_PROJECT": "named"}
    named_run(environment, "n1", "a first try")
    for run_id in "m1", "m 2":
        named_run(environment, run_id, "twice")
    wait_until(lambda: len(listed(environment)) == 3, what="runs that are listed")

    def refused(*words):
        result = cairn(environment, *words)
        assert result.returncode == 1 and result.stdout == "", result
        return result.stderr
    alone = 'cairn: no run with id "a first try"; the run named "a first try" is n1: cairn show n1\n'
    for words in ("show",), ("show", "--json"), ("finish",), ("alert", "--title", "x"):
        assert refused(*words, "a first try") == alone
    assert "List the runs of a project with cairn ls; choose a project with --project." in refused("show", "a first")
    assert refused("show", "twice") == \
        'cairn: no run with id "twice"; runs named "twice" are m 2, m1: cairn show \'m 2\'\n'
    assert refused("stop", "me/named/twice").endswith("m1: cairn show 'me/named/m 2'\n")


def test_the_console_is_shown_without_its_colours(real_run, environment):
    """Nothing of a sequence is left as text: 256 colours, a title, a link."""
    text = "\x1b[38;5;208morange\x1b[0m and \x1b]0;title\x07plain \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ end\x1b[31"
    cairn(environment, "run", "--", "printf", "%s\\n", text)
    cairn(environment, "run", "--", "printf", "%s\n", "\x1b(Bset \x1b]0;unfinished\x1b[31mred")
    shown = cairn(environment, "show", "--only", "console").stdout
    assert "    orange and plain link end\n" in shown and "    set 0;unfinishedred\n" in shown


def listed(environment):
    """State and rows by run, as the list has them: on a busy machine it may say that it is behind."""
    rows = [line.split() for line in cairn(environment, "ls").stdout.splitlines()]
    return {row[0]: row[1:3] for row in rows[1:]}


def found(environment, filter_, wanted):
    shown = cairn(environment, "ls", "--filter", filter_).stdout
    return shown if wanted in shown else None


def check_curve(text):
    """A line that rises from the lower left to the upper right, between the numbers on its axes."""
    lines = [line for line in text.splitlines() if "┤" in line or "│" in line]
    drawn = [line.rstrip().split("┤")[-1].split("│")[-1] for line in lines]
    first = [len(line) - len(line.lstrip()) for line in drawn]
    assert first == sorted(first, reverse=True) and first[-1] == 0 and first[0] > 40, text
    assert lines[0].split("┤")[0].strip() == "29" and lines[-1].split("┤")[0].strip() == "0", text


def test_doctor(environment):
    result = cairn(environment, "doctor")
    assert result.returncode == 0 and "ok    key" in result.stdout
    environment["CAIRN_API_KEY"] = "f" * 40
    result = cairn(environment, "doctor")
    assert result.returncode == 1 and "cairn login" in result.stdout + result.stderr
    environment["CAIRN_URL"] = environment["CAIRN_URL"].replace("http:", "https:")
    result = cairn(environment, "doctor")
    assert result.returncode == 3 and "The server does not use TLS on this port: use an address with http://." in result.stdout


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_doctor_where_nobody_speaks_tls(environment, says):
    """A server may answer what it takes for noise, or hang up."""
    def serve():
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                client.recv(1 << 16)
                client.sendall(says)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve).start()
        environment["CAIRN_URL"] = f"https://127.0.0.1:{listener.getsockname()[1]}"
        result = cairn(environment, "doctor")
        listener.shutdown(socket.SHUT_RDWR)
    assert result.returncode == 3 and "The server does not use TLS on this port: use an address with http://." in result.stdout


def test_a_wrong_key_harms_no_command(real_run, environment):
    environment["CAIRN_API_KEY"] = "f" * 40
    result = run(environment, "echo out; exit 6")
    assert (result.returncode, result.stdout) == (6, "out\n")
    assert "401" in result.stderr and result.stderr.count("\n") == 1
