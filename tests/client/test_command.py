"""cairn run and its neighbours: nothing is changed, nothing hangs, the exit status is the command's."""
import fcntl
import http.server
import json
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time

import pytest

from cluster import wait_until
from fake_server import KEY
from probe import PATIENCE_S, environment_of, once_in_time
from spool_files import CONSOLE, METADATA, spools_in

CAIRN = os.environ.get("CAIRN_TEST_COMMAND", "cairn")
RUN = (CAIRN, "run", "--finish-timeout", str(PATIENCE_S))  # where the server is to have it all in the end
SOON_S = 10
METADATA_TRIES = 8


@pytest.fixture
def environment(server):
    return environment_of(server.url, KEY)


def cairn(environment, *words, **options):
    return subprocess.run([CAIRN, *words], env=environment, capture_output=True, timeout=PATIENCE_S, **options)


def run(environment, *command, **options):
    return cairn(environment, *RUN[1:], "--", *command, **options)


def primary(server, name="r1"):
    found, = [w for w in server.run(name).writers.values() if w.role == "primary"]
    return found


@pytest.mark.parametrize("code", [0, 1, 3, 126, 255])
def test_exit_codes(server, environment, code):
    assert run(environment, "sh", "-c", f"exit {code}").returncode == code
    assert primary(server).finished == code


@pytest.mark.parametrize("name", ["TERM", "KILL", "SEGV", "INT"])
def test_death_by_a_signal(server, environment, name):
    number = getattr(signal, f"SIG{name}")
    assert run(environment, "sh", "-c", f"kill -{name} $$").returncode == 128 + number
    assert primary(server).finished == 128 + number


def test_not_found_and_not_executable(server, environment, tmp_path):
    file = tmp_path / "data"
    file.write_text("x")
    result = run(environment, "/nonexistent/program")
    assert result.returncode == 127 and b'cannot run "' in result.stderr
    assert run(environment, str(file)).returncode == 126
    assert server.runs == {}


def test_pipes_are_unchanged(server, environment):
    script = ("import sys,os\n"
              "os.write(1, bytes(range(256)) * 50)\n"
              "os.write(2, b'error\\r\\nno end')\n"
              "sys.exit(os.isatty(1) * 2 + os.isatty(2))\n")
    result = run(environment, sys.executable, "-c", script)
    assert result.stdout == bytes(range(256)) * 50
    assert result.stderr == b"error\r\nno end"
    assert result.returncode == 0
    texts = [line["text"] for line in primary(server).lines.values() if line["stream"] == "stderr"]
    assert texts == ["error", "no end"]


def test_standard_input_is_passed(server, environment):
    assert run(environment, "cat", input=b"given\n").stdout == b"given\n"


def test_large_output(server, environment):
    result = run(environment, "sh", "-c", "seq 1 100000; seq 1 1000 >&2")
    assert result.stdout == b"".join(b"%d\n" % i for i in range(1, 100001))
    assert result.stderr == b"".join(b"%d\n" % i for i in range(1, 1001))
    lines = primary(server).lines
    assert [line["text"] for _, line in sorted(lines.items()) if line["stream"] == "stdout"] == \
        [str(i) for i in range(1, 100001)]


def read_all(master):
    data = b""
    while True:
        ready, _, _ = select.select([master], [], [], PATIENCE_S)
        assert ready, "the terminal stays silent"
        try:
            piece = os.read(master, 65536)
        except OSError:
            return data
        if not piece:
            return data
        data += piece


def on_terminal(environment, *words, options=("--quiet",)):
    """Runs on a terminal of 33 by 111; what the terminal saw, and the exit code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
    process = subprocess.Popen([*RUN, *options, "--", *words], env=environment, stdin=slave,
                               stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    data = read_all(master)
    os.close(master)
    return data, process.wait(PATIENCE_S)


def test_terminal_stays_a_terminal(server, environment):
    script = ("import os,sys; s=os.get_terminal_size(1); "
              "print(os.isatty(0), os.isatty(1), os.isatty(2), s.lines, s.columns)")
    data, code = on_terminal(environment, sys.executable, "-c", script)
    assert data == b"True True True 33 111\r\n" and code == 0


def test_terminal_bytes_are_as_without_us(server, environment):
    script = "printf 'a\\nb\\r\\033[31mc\\033[0m\\t\\303\\251\\n'"
    data, _ = on_terminal(environment, "sh", "-c", script)
    master, slave = pty.openpty()
    plain = subprocess.Popen(["sh", "-c", script], stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    assert data == read_all(master)
    os.close(master)
    plain.wait(PATIENCE_S)


def test_progress_bars_are_one_line(server, environment):
    run(environment, "sh", "-c", r"printf '10%%\r20%%\r100%%\nnext\n'")
    lines = primary(server).lines
    assert [lines[i]["text"] for i in sorted(lines)] == ["100%", "next"]


def test_several_progress_bars_are_as_many_lines(server, environment):
    """As tqdm and rich draw them: by cursor up, each bar over itself."""
    bars = r"print('\r' + 'a %d%%' % n + '\n\r' + 'b %d%%' % n, end='\033[A', flush=True)"
    run(environment, sys.executable, "-c", f"for n in range(0, 101, 20): {bars}\nprint('\\n\\ndone')")
    lines = primary(server).lines
    assert [lines[i]["text"] for i in sorted(lines)] == ["a 100%", "b 100%", "done"]


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "USR1", "CONT", "TSTP"])
def test_signals_are_passed_on(server, environment, name):
    script = f"trap 'echo caught; exit 9' {name}; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen([*RUN, "--", "sh", "-c", script], env=environment,
                               stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(getattr(signal, f"SIG{name}"))
    assert process.stdout.read() == b"caught\n"
    assert process.wait(PATIENCE_S) == 9


def test_a_stop_and_its_end(server, environment):
    """By a signal to us alone: the command stops, then we do, for who started us to see; and both go on."""
    process = subprocess.Popen([*RUN, "--", "sh", "-c", "echo ready; read line; exit 6"], env=environment,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
    assert process.stdout.readline() == b"ready\n"
    wait_until(lambda: len(children_of(process.pid)) == 1, what="end of git")
    command, = children_of(process.pid)
    process.send_signal(signal.SIGTSTP)
    wait_until(lambda: [stat_of(pid)[0] for pid in (command, process.pid)] == ["T", "T"], what="stop")
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: "T" not in [stat_of(pid)[0] for pid in (command, process.pid)], what="going on")
    process.communicate(b"go\n", timeout=PATIENCE_S)
    assert process.returncode == 6


def test_interrupt_from_the_terminal_comes_once(server, environment):
    script = ("import signal,sys,time\n"
              "count=[0]\n"
              "def hit(*_):\n count[0]+=1\n"
              "signal.signal(signal.SIGINT, hit)\n"
              "print('ready', flush=True)\n"
              "while not count[0]: time.sleep(0.01)\n"
              "end=time.monotonic()+0.3\n"
              "while time.monotonic()<end: time.sleep(0.01)\n"
              "print('hits', count[0], flush=True)\n")
    pid, master = pty.fork()
    if pid == 0:
        os.execve(CAIRN, [*RUN, "--quiet", "--", sys.executable, "-c", script], environment)
    data = b""
    while b"ready" not in data:
        data += os.read(master, 1000)
    os.write(master, b"\x03")
    data += read_all(master)
    assert b"hits 1" in data
    os.waitpid(pid, 0)


def test_stop_request_ends_the_command(server, environment):
    script = "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen([*RUN, "--", "sh", "-c", script], env=environment,
                               stdout=subprocess.PIPE)
    process.stdout.readline()
    server.wait(lambda: ("e", "p", "r1") in server.runs)
    server.run().stop = True
    server.reset_sessions()
    assert process.wait(PATIENCE_S) == 5


def test_a_child_joins_through_the_environment(server, environment):
    script = 'printf "start\\nlog 0 5\\nfinish 0 120000\\n" | "$CAIRN_TEST_PROBE"'
    result = run(environment, "sh", "-c", script)
    assert result.returncode == 0 and b'"result":"ok"' in result.stdout
    writers = {writer.role: writer for writer in server.run().writers.values()}
    assert [row["n"] for row in writers["worker"].history] == list(range(5))
    assert writers["worker"].parent == writers["primary"].client


def test_the_key_is_handed_on_from_a_file(server, environment, tmp_path):
    file = tmp_path / "key"
    file.write_text(KEY + "\n")
    del environment["CAIRN_API_KEY"]
    environment["CAIRN_API_KEY_FILE"] = str(file)
    result = run(environment, "sh", "-c", 'echo "$CAIRN_RUN $CAIRN_PROJECT $CAIRN_ROLE $CAIRN_API_KEY"')
    assert result.stdout == f"r1 e/p worker {KEY}\n".encode()


def test_dead_server(server, environment):
    server.away()

    def attempt():
        start = time.monotonic()
        result = cairn(environment, "run", "--", "sh", "-c", "echo out; exit 4")
        assert result.returncode == 4 and result.stdout == b"out\n"
        assert result.stderr.count(b"\n") == 1 and b"does not have all" in result.stderr
        return time.monotonic() - start < SOON_S

    once_in_time(attempt)
    server.back()


def test_a_server_that_was_never_reached_had_its_time(server, environment):
    """It had the command's; after it a last try is made at once, and no more is waited for."""
    server.fault = lambda name, count: "drop-before-read"

    def attempt():
        process = subprocess.Popen([CAIRN, "run", "--", "sh", "-c", "read line"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**environment, "CAIRN_RETRY_MAX_MS": "100"})
        begun = time.monotonic()
        server.wait(lambda: time.monotonic() > begun + 3)  # looked at with each try
        ended, tries = time.monotonic(), server.counts["make"]
        _, errors = process.communicate(b"go\n", timeout=PATIENCE_S)
        assert process.returncode == 0 and b"does not have all data of run r1; not sent: its end" in errors, errors
        assert server.counts["make"] > tries
        return time.monotonic() - ended < 2.5

    once_in_time(attempt)


def start_reading(environment):
    """A command that runs until it is given a line."""
    return subprocess.Popen([*RUN, "--", "sh", "-c", "read line"], env=environment,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_refusal_is_said_while_the_command_runs(server, environment):
    process = start_reading({**environment, "CAIRN_API_KEY": "f" * 40})
    line = process.stderr.readline()
    assert b"run r1 is not stored because the server rejects it: status 401" in line, line
    assert b"doctor" in process.stderr.readline()
    assert process.poll() is None
    _, rest = process.communicate(b"go\n", timeout=PATIENCE_S)
    assert process.returncode == 0 and b"not sent: its end; status 401" in rest, rest


def test_silence_is_said_while_the_command_runs(server, environment):
    server.away()
    process = start_reading(environment)
    assert b"run r1 is not stored yet: no response" in process.stderr.readline()
    assert b"waits for the server" in process.stderr.readline()
    server.back()
    assert process.stderr.readline() == b"cairn: run r1: the server now has all data\n"
    assert process.communicate(b"go\n", timeout=PATIENCE_S)[1] == b"" and process.returncode == 0
    assert primary(server).finished == 0


def test_loss_is_said_while_the_command_runs(server, environment):
    """Once, however much is lost."""
    server.away()
    process = subprocess.Popen([CAIRN, "run", "--", "sh", "-c", "seq 1 200000; read line"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env={**environment, "CAIRN_BUFFER_MIB": "1"})
    assert b": the buffer for unsent data is full (CAIRN_BUFFER_MIB); new data is dropped until some is sent" in process.stderr.readline()
    _, rest = process.communicate(b"go\n", timeout=PATIENCE_S)
    assert b": the buffer for unsent data is full (CAIRN_BUFFER_MIB); new data is dropped until some is sent" not in rest and b"console lines, its end" in rest
    server.back()


def test_what_was_not_sent_is_on_disk_and_said(server, environment, tmp_path):
    server.away()
    environment |= {"CAIRN_SPOOL": "on", "CAIRN_SPOOL_DIR": str(tmp_path)}
    result = cairn(environment, "run", "--finish-timeout", "1", "--", "sh", "-c", "echo one; exit 3")
    found, = spools_in(tmp_path)
    said = f"cairn: run r1 is not sent yet: 1 console line, its end are in {found.path}; send them with: cairn sync; no response from the server: "
    assert said.encode() in result.stderr and b"does not have" not in result.stderr
    assert found.rows(CONSOLE) == [(0, "one")] and found.end == (3, 0)
    server.back()


def test_offline(server, environment, tmp_path):
    """Neither address nor key; the program inside writes next to the command, wherever it goes."""
    for name in ("CAIRN_URL", "CAIRN_API_KEY", "CAIRN_SPOOL"):
        del environment[name]
    environment |= {"CAIRN_MODE": "offline", "CAIRN_LABEL": "rank0"}
    inner = f"cd / && printf 'start\\nlog 0 5\\nfinish 0 10000\\n' | {os.environ['CAIRN_TEST_PROBE']}"
    result = run(environment, "sh", "-c", inner, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    inside, outside = sorted(spools_in(tmp_path / ".cairn" / "spool"), key=lambda spool: spool.writer["role"] == "primary")
    assert (inside.writer["role"], inside.writer["parent"]) == ("worker", outside.writer["client"])
    assert inside.numbers() == list(range(5)) and outside.writer["label"] == "rank0"
    assert (tmp_path / ".cairn" / ".gitignore").read_text() == "*\n"
    metadata, = outside.all(METADATA)
    assert json.loads(metadata)["program"] == "sh" and outside.end == (0, 0)
    assert b"send them with: cairn sync" in result.stderr and server.counts == {}


def test_offline_rows_by_hand(server, environment, tmp_path):
    """Calls at the same time are one writer, and each row has its index."""
    for name in ("CAIRN_URL", "CAIRN_API_KEY", "CAIRN_RUN"):
        del environment[name]
    environment |= {"CAIRN_MODE": "dryrun", "CAIRN_SPOOL_DIR": str(tmp_path)}
    calls = [subprocess.Popen([CAIRN, "log", "--run", "r1", f"n={n}", "text=a b"], env=environment, stderr=subprocess.PIPE) for n in range(8)]
    assert [call.communicate(timeout=PATIENCE_S)[1] for call in calls] == [b""] * 8
    found = spools_in(tmp_path)  # the first calls may have begun a stream each
    assert sorted(number for spool in found for number in spool.numbers()) == list(range(8))
    assert cairn(environment, "log", "--run", "r1", "n=8").returncode == 0
    assert len(spools_in(tmp_path)) == len(found) and len({spool.writer["client"] for spool in found}) == 1
    assert found[0].rows()[0]["text"] == "a b" and found[0].writer["run"] == "r1"
    assert cairn(environment, "log", "n=1").returncode == 2
    assert cairn(environment | {"CAIRN_MODE": "away"}, "log", "--run", "r1", "n=1").returncode == 2
    assert cairn(environment | {"CAIRN_MODE": "disabled"}, "log", "--run", "r1", "n=1").returncode == 0
    assert server.counts == {}


def test_disabled(server, environment, tmp_path):
    environment |= {"CAIRN_MODE": "disabled", "CAIRN_SPOOL": "on"}
    result = run(environment, "sh", "-c", "echo out; exit 3", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (3, b"out\n", b"")
    assert server.counts == {} and list(tmp_path.iterdir()) == []


def test_quiet_says_nothing(server, environment):
    environment["CAIRN_API_KEY"] = "f" * 40
    result = cairn(environment, "run", "--quiet", "--", "sh", "-c", "echo out; exit 3")
    assert (result.returncode, result.stdout, result.stderr) == (3, b"out\n", b"")


def test_the_terminal_is_told_how_to_look_at_the_run(server, environment):
    data, code = on_terminal(environment, "true", options=())
    page = f"cairn: run r1: {environment['CAIRN_URL']}/e/p/runs/r1\r\n".encode()
    assert data == b"cairn: run r1; show it with: cairn show e/p/r1\r\n" + page and code == 0


def test_what_is_to_be_pasted_is_one_word(server, environment):
    environment |= {"CAIRN_PROJECT": "e/it's & more", "CAIRN_RUN": "a b"}
    data, code = on_terminal(environment, "true", options=())
    line, page = data.decode().splitlines()
    assert shlex.split(line.partition("; show it with: ")[2]) == ["cairn", "show", "e/it's & more/a b"] and code == 0
    assert page == f"cairn: run a b: {environment['CAIRN_URL']}/e/it%27s%20%26%20more/runs/a%20b"


def test_a_server_that_says_nothing(server, environment):
    silent = socket.socket()
    silent.bind(("127.0.0.1", 0))
    silent.listen(5)
    environment["CAIRN_URL"] = f"http://127.0.0.1:{silent.getsockname()[1]}"

    def attempt():
        start = time.monotonic()
        assert cairn(environment, "run", "--", "true").returncode == 0
        return time.monotonic() - start < SOON_S

    once_in_time(attempt)
    silent.close()


def test_an_interrupt_ends_the_wait_for_the_server(server, environment):
    hold = threading.Event()
    server.fault = lambda name, count: ("hold", hold) if name == "finish" else None
    process = subprocess.Popen([CAIRN, "run", "--finish-timeout", "600", "--", "true"], env=environment)
    server.wait(lambda: server.counts.get("finish", 0) > 0)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == -signal.SIGINT
    hold.set()


def test_started_with_sigchld_ignored(server, environment):
    """As by a careless daemon: the command's end is heard all the same, and it finds what we found."""
    script = "import signal, sys; sys.exit(3 if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN else 4)"
    result = run(environment, sys.executable, "-c", script,
                 preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert result.returncode == 3 and primary(server).finished == 3


@pytest.mark.parametrize("closed, stdout, stderr", [
    ("<&-", b"out\n", b"err\n"), (">&-", b"", b"err\n"), ("2>&-", b"out\n", b""), ("<&- >&- 2>&-", b"", b"")])
def test_closed_streams(server, environment, closed, stdout, stderr):
    result = subprocess.run(["sh", "-c", f"exec {' '.join(RUN)} -- sh -c 'echo out; echo err >&2; exit 4' {closed}"],
                            env=environment, capture_output=True, timeout=PATIENCE_S)
    assert (result.returncode, result.stdout, result.stderr) == (4, stdout, stderr)
    assert {line["text"] for line in primary(server).lines.values()} == {"out", "err"}


def test_output_on_a_full_disk(server, environment):
    """The command would live without us; so it does with us, and the run has what the disk has not."""
    script = "import sys; [print(n) for n in range(20000)]; sys.stdout.flush(); sys.exit(7)"
    with open("/dev/full", "wb") as full:
        result = subprocess.run([*RUN, "--", sys.executable, "-c", script], env=environment, stdout=full,
                                stderr=subprocess.PIPE, timeout=PATIENCE_S)
    assert result.returncode == 7
    assert result.stderr.count(b"\n") == 1 and b"No space left on device" in result.stderr
    lines = primary(server).lines
    assert [lines[i]["text"] for i in sorted(lines)] == [str(n) for n in range(20000)]


def test_lost_samples_are_told(server, environment):
    environment["CAIRN_SAMPLE_INTERVAL"] = "0.1"
    refused = []
    server.refuse_row = lambda row: refused.append(row) or True
    process = start_reading(environment)
    server.wait(lambda: refused)
    _, errors = process.communicate(b"go\n", timeout=PATIENCE_S)
    assert process.returncode == 0 and b"system sample" in errors


def test_output_held_open_by_a_grandchild(server, environment, tmp_path):
    """The end does not wait for it."""
    with open(tmp_path / "out", "wb") as out:
        result = subprocess.run([*RUN, "--", "sh", "-c", "sleep 600 & echo $!; exit 3"], env=environment, stdout=out,
                                timeout=PATIENCE_S)
    assert result.returncode == 3
    os.kill(int((tmp_path / "out").read_text()), signal.SIGKILL)


LEFT_BEHIND = """(trap 'echo ended >&2; exit' TERM; echo ready > mark; read line < go; echo late; echo later >&2
                  echo > lives; while :; do sleep 0.05; done) & read line < mark; echo parent ends; exit 3"""


@pytest.fixture
def fifos(tmp_path, monkeypatch):
    """What a process in the background waits for, and what it tells."""
    monkeypatch.chdir(tmp_path)
    for name in ("go", "mark"):
        os.mkfifo(name)


def let_go():
    go = open("go", "r+b", buffering=0)
    go.write(b"go\n")
    return go


TOLD = [b"parent ends", b"late", b"later", b"ended"]


def told(output):
    """Without what a shell says of a program in it that the signal ends, too."""
    return [line for line in output.splitlines() if line != b"Terminated"]


def leave_behind(environment, **streams):
    """Ends, and then lets what is left behind write on, and tells all of the process group to end."""
    process = subprocess.Popen([*RUN, "--quiet", "--", "sh", "-c", LEFT_BEHIND], env=environment,
                               start_new_session=True, **streams)
    assert process.wait(PATIENCE_S) == 3
    with let_go():
        wait_until(pathlib.Path("lives").exists, what="life after SIGPIPE would have come")
    os.killpg(process.pid, signal.SIGTERM)


def test_what_is_left_behind_writes_on(server, environment, fifos):
    """To the file that it has from us, behind our end and that of the run."""
    with open("out", "wb") as out:
        leave_behind(environment, stdout=out, stderr=out)
    assert primary(server).finished == 3
    wait_until(lambda: told(pathlib.Path("out").read_bytes()) == TOLD, what="late lines")
    assert [line["text"] for line in primary(server).lines.values()] == ["parent ends"]


def test_what_is_left_behind_writes_on_to_a_terminal(server, environment, fifos):
    master, slave = pty.openpty()
    leave_behind(environment, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    assert told(read_all(master)) == TOLD
    os.close(master)


def test_a_reader_of_what_is_left_behind(server, environment):
    """It gets all of it, and where it goes away, so does what writes, as of SIGPIPE."""
    script = "(while echo out; do :; done; echo $? >&2) & echo $! >&2; exit 3"

    def attempt():
        begun = time.monotonic()
        process = subprocess.Popen([*RUN, "--", "sh", "-c", script], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        pid = int(process.stderr.readline())
        thread = threading.Thread(target=lambda: [process.stdout.read(10000) for _ in range(100)])
        thread.start()
        assert process.wait(PATIENCE_S) == 3
        passed_s = time.monotonic() - begun
        thread.join()
        assert is_running(pid) and process.stdout.read(4) in (b"out\n", b"ut\no", b"t\nou", b"\nout")
        process.stdout.close()
        assert process.stderr.read() == b""
        wait_until(lambda: not is_running(pid), what="end by SIGPIPE")
        return passed_s < 4

    once_in_time(attempt)


def test_a_slow_reader_loses_nothing(server, environment, fifos):
    """Of a command that ended long before; nor does the run."""
    process = subprocess.Popen([*RUN, "--", "sh", "-c", "read line < go & seq 1 18000; kill -9 $$"], env=environment,
                               stdout=subprocess.PIPE)
    wait_until(lambda: children_of(process.pid) == [], what="end of the command")
    begun = time.monotonic()
    wait_until(lambda: time.monotonic() > begun + 1, what="a second")
    expect = [str(n) for n in range(1, 18001)]
    assert [process.stdout.readline().decode().rstrip() for _ in expect] == expect
    assert process.wait(PATIENCE_S) == 128 + signal.SIGKILL
    lines = primary(server).lines
    assert [lines[i]["text"] for i in sorted(lines)] == expect
    let_go().close()


def test_reader_that_goes_away(server, environment):
    result = subprocess.run(["sh", "-c", f"{' '.join(RUN)} -- yes | head -n 2"], env=environment,
                            capture_output=True, timeout=PATIENCE_S)
    assert result.stdout == b"y\ny\n"
    assert primary(server).finished == 128 + signal.SIGPIPE


def test_samples_of_the_process_tree(server, environment):
    environment["CAIRN_SAMPLE_INTERVAL"] = "0.1"
    process = start_reading(environment)
    server.wait(lambda: server.runs and any("proc.memory.rssMB" in row for writer in server.run().writers.values()
                                            for row in writer.events))
    process.communicate(b"go\n", timeout=PATIENCE_S)
    assert any("proc.memory.rssMB" in row for row in primary(server).events)


class Metrics(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.headers["X-Key"] == "k" else 403)
        self.end_headers()
        self.wfile.write(b'# TYPE load gauge\nload{cpu="1"} 4\nload{cpu="2"} 6\n')

    def log_message(self, *_):
        pass


@pytest.fixture
def endpoint():
    with http.server.HTTPServer(("127.0.0.1", 0), Metrics) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}/metrics"
        listening.shutdown()
        thread.join()


def test_endpoints_of_metrics_are_sampled(server, environment, endpoint):
    process = start_reading({
        **environment, "CAIRN_SAMPLE_INTERVAL": "0.1", "CAIRN_SAMPLE_DEVICES": "gpu:0,tpu:none",
        "CAIRN_OPEN_METRICS": f"node={endpoint}", "CAIRN_OPEN_METRICS_FILTERS": '{"load": {"cpu": "2"}}',
        "CAIRN_OPEN_METRICS_HEADERS": "X-Key: k"})
    server.wait(lambda: server.runs and any(row.get("openmetrics.node.load.0") == 6
                                            for writer in server.run().writers.values() for row in writer.events))
    process.communicate(b"go\n", timeout=PATIENCE_S)
    assert process.returncode == 0


@pytest.mark.parametrize("variable, what", [
    ("CAIRN_OPEN_METRICS", b"invalid endpoints of OpenMetrics"), ("CAIRN_OPEN_METRICS_FILTERS", b"invalid filters"),
    ("CAIRN_OPEN_METRICS_HEADERS", b"invalid headers"), ("CAIRN_SAMPLE_DEVICES", b"invalid devices")])
def test_invalid_sampling_is_refused(environment, variable, what):
    done = run({**environment, "CAIRN_SAMPLE_INTERVAL": "1", variable: "("}, "true")
    assert what in done.stderr and done.returncode != 0
    assert run({**environment, variable: "("}, "true").returncode == 0, "without sampling it does not matter"


def test_options_make_the_run(server, environment):
    del environment["CAIRN_RUN"]
    cairn(environment, *RUN[1:], "--run", "x7", "--name", "My run", "--group", "g", "--tags", "a,b",
          "--job-type", "train", "--config", '{"lr":0.1}', "--label", "rank0", "--", "true")
    run_made = server.run("x7")
    assert run_made.body == {"display_name": "My run", "group": "g", "job_type": "train", "tags": ["a", "b"]}
    assert primary(server, "x7").config == {"lr": 0.1} and primary(server, "x7").label == "rank0"


def metadata(server):
    return json.loads(server.run().files.get("wandb-metadata.json", b"null"))


@pytest.fixture
def tree(environment, tmp_path, monkeypatch):
    """A repository that the command runs in."""
    environment |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("print(1)\n")
    for words in (["init", "-q", "-b", "moe"], ["add", "."], ["remote", "add", "origin", "https://ann:hunter2@a.example/b.git"],
                  ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]):
        subprocess.run(["git", *words], env=environment, check=True)
    return tmp_path


def test_what_the_command_runs_in(server, environment, tree):
    environment |= {"MY_TOKEN": "hunter2", "SLURM_JOB_ID": "hunter2"}
    assert run(environment, "sh", "-c", "exit 3", "--lr", "0.01", "s3://me:hunter2@b/c", "--hf-token", "hunter2",
               "--password=hunter2", "API_KEY=hunter2", "on=http://hunter2@h/a@b http://ann:hunter2@i", "--tokens", "9").returncode == 3
    told = metadata(server)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert told["git"] == {"remote": "https://a.example/b.git", "commit": commit.strip(), "branch": "moe", "dirty": False}
    assert [told["program"], *told["args"]] == ["sh", "-c", "exit 3", "--lr", "0.01", "s3://b/c", "--hf-token", "***", "--password=***",
                                                "API_KEY=***", "on=http://h/a@b http://i", "--tokens", "9"]
    assert os.path.samefile(told["executable"], shutil.which("sh")) and told["root"] == str(tree)
    assert told["os"].startswith("Linux-") and told["host"] == socket.gethostname()
    assert told["cpu_count_logical"] > 0 and int(told["memory"]["total"]) > 0 and re.fullmatch(r"\d{4}-.*T.*\.\d{6}Z", told["startedAt"])
    assert b"hunter2" not in server.run().files["wandb-metadata.json"] and "slurm" not in told


@pytest.mark.parametrize("piece", ["x", "\u00e9", "\u20ac", "\U0001f40c", "\x01"])
def test_long_arguments_are_cut_between_characters(server, environment, piece):
    """The page reads so much of the file and no more."""
    word = "a" + piece * (100000 // len(piece.encode()))
    assert run(environment, "true", word, *["b" * 5000] * 20, "end").returncode == 0
    first, *others = metadata(server)["args"]
    assert first[-1] == "\u2026" and word.startswith(first[:-1]) and 8000 < len(first[:-1].encode()) <= 8192
    assert others[-1] == "\u2026" and set(others[:-1]) == {"b" * 5000} and len(server.run().files["wandb-metadata.json"]) < 192 * 1024


def test_a_folder_is_no_executable(server, environment, tmp_path):
    """Where it is called so and comes first."""
    (tmp_path / "sh").mkdir()
    assert run({**environment, "PATH": f"{tmp_path}:{environment['PATH']}"}, "sh", "-c", "exit 3").returncode == 3
    assert os.path.samefile(metadata(server)["executable"], shutil.which("sh"))


def test_a_tree_with_changes(server, environment, tree):
    (tree / "new.py").write_text("not of it yet\n")
    run(environment, "true")
    assert metadata(server)["git"]["dirty"] is False
    (tree / "train.py").write_text("print(2)\n")
    run(environment, "true")
    assert metadata(server)["git"]["dirty"] is True
    subprocess.run(["git", "remote", "set-url", "origin", "git@a.example:b.git"], env=environment, check=True)
    subprocess.run(["git", "checkout", "-q", "--detach"], env=environment, check=True)
    run(environment, "true")
    told = metadata(server)["git"]
    assert told["remote"] == "git@a.example:b.git" and "branch" not in told


def test_who_keeps_the_command_for_itself(server, environment, tree):
    cairn(environment, *RUN[1:], "--metadata", "no-command", "--", "true", "hunter2")
    told = metadata(server)
    assert told["git"]["commit"] and told["host"] and not {"program", "args", "executable"} & set(told)
    run({**environment, "CAIRN_RUN": "r2", "CAIRN_METADATA": "none"}, "true")
    run({**environment, "CAIRN_RUN": "r3", "CAIRN_ROLE": "worker"}, "true")
    assert server.run("r2").files == server.run("r3").files == {}
    result = run({**environment, "CAIRN_METADATA": "some"}, "true")
    assert result.returncode == 2 and result.stderr == b"cairn: CAIRN_METADATA must be all, no-command or none\n"


def programs_without_git(folder, git=None):
    """A PATH of what a shell needs, and of a git of our own."""
    for name in ("sh", "sed", "true", "sleep"):
        (folder / name).symlink_to(shutil.which(name))
    if git:
        (folder / "git").write_text(f"#!/bin/sh\n{git}\n")
        (folder / "git").chmod(0o755)
    return {"PATH": str(folder)}


def test_without_git_nothing_is_told_of_it(server, environment, tree, tmp_path_factory):
    environment |= programs_without_git(tmp_path_factory.mktemp("bin"))
    result = run(environment, "true")
    assert (result.returncode, result.stderr) == (0, b"") and "git" not in metadata(server) and metadata(server)["program"] == "true"


def test_a_git_that_hangs_is_ended(server, environment, tree, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    environment |= programs_without_git(folder, f"echo $$ >> {folder}/pids; exec sleep 600")

    def attempt():
        start = time.monotonic()
        result = run(environment, "true")
        assert (result.returncode, result.stderr) == (0, b"") and "git" not in metadata(server)
        return time.monotonic() - start < SOON_S

    once_in_time(attempt)
    wait_until(lambda: not any(map(is_running, pids_in(folder))), what="end of git")


def pids_in(folder):
    return [int(pid) for pid in (folder / "pids").read_text().split()] if (folder / "pids").exists() else []


def stat_of(pid):
    """State and parent; None where there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return None


def is_running(pid):
    return (stat_of(pid) or "Z")[0] != "Z"


def children_of(pid):
    """With those that are dead and not waited for."""
    return [name for name in os.listdir("/proc") if name.isdigit() and (stat_of(name) or ("", ""))[1] == str(pid)]


@pytest.mark.parametrize("git", [None, "exit 1", "exec >&-; exec sleep 0.3", "while :; do echo 1 .M some changed file; done"],
                         ids=["real", "fails", "lingers", "endless"])
def test_git_leaves_no_zombie(server, environment, tree, tmp_path_factory, git):
    """Once it has answered, or had to be ended, the command is our only child."""
    if git:
        environment |= programs_without_git(tmp_path_factory.mktemp("bin"), git)
    process = start_reading(environment)
    server.wait(lambda: server.runs and server.run().files)
    wait_until(lambda: len(children_of(process.pid)) == 1, what="end of git")
    assert process.poll() is None
    process.communicate(b"go\n", timeout=PATIENCE_S)
    assert process.returncode == 0


def test_git_does_not_outlive_us(server, environment, tree, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    environment |= programs_without_git(folder, f"case $* in *status*) echo $$ >> {folder}/pids; exec sleep 600;; esac")
    process = start_reading(environment)
    wait_until(lambda: pids_in(folder), what="git")
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    wait_until(lambda: not any(map(is_running, pids_in(folder))), what="end of git")


@pytest.fixture
def held():
    """A fault: requests stay without an answer until the test is over."""
    over = threading.Event()
    yield "hold", over
    over.set()


@pytest.mark.parametrize("fault", [("status", 503), ("status", 403), ("status", 400), ("proxy", 405), "garbage", "drop-after-read", "held"])
def test_a_server_without_room_for_files(server, environment, fault, held):
    """What was logged comes all the same in the usual time, and nothing is said."""
    server.fault = lambda name, count: (held if fault == "held" else fault) if name == "files" else None
    result = cairn(environment, "run", "--", "sh", "-c", "echo out; exit 4")
    assert (result.returncode, result.stdout, result.stderr) == (4, b"out\n", b"")
    assert primary(server).finished == 4 and [line["text"] for line in primary(server).lines.values()] == ["out"]


def test_what_it_runs_in_is_sent_again(server, environment):
    server.fault = lambda name, count: ("status", 503) if name == "files" and count < 2 else None
    process = start_reading({**environment, "CAIRN_RETRY_MAX_MS": "100", "CAIRN_FLUSH_MS": "50"})
    server.wait(lambda: server.runs and server.run().files)
    process.communicate(b"go\n", timeout=PATIENCE_S)
    assert server.counts["files"] == 3 and metadata(server)["args"] == ["-c", "read line"]


def test_the_end_has_its_time_beside_a_file_that_hangs(server, environment, held):
    server.fault = lambda name, count: held if name == "files" else None

    def attempt():
        before = server.counts.get("files", 0)
        process = subprocess.Popen([CAIRN, "run", "--finish-timeout", "3", "--", "sh", "-c", "read line; exit 4"],
                                   env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        server.wait(lambda: server.counts.get("files", 0) > before)
        _, errors = process.communicate(b"go\n", timeout=PATIENCE_S)
        assert process.returncode == 4
        return errors == b""

    once_in_time(attempt)
    assert 4 in [writer.finished for writer in server.run().writers.values()]


def start_printing(environment):
    script = "trap 'exit 5' TERM; while :; do echo out; sleep 0.01; done"
    return subprocess.Popen([*RUN, "--", "sh", "-c", script], env=environment, stdout=subprocess.DEVNULL)


def test_output_without_a_pause_lets_the_file_in(server, environment):
    """Where no batch is far from the next one."""
    server.fault = lambda name, count: "stutter" if name == "batch" else None
    process = start_printing(environment)
    server.wait(lambda: server.runs and server.run().files)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 5


def test_a_file_that_hangs_holds_up_nothing(server, environment, held):
    """Batches go on, so a stop request is heard."""
    server.fault = lambda name, count: held if name == "files" else None

    def attempt():
        before = server.counts.get("files", 0)
        process = start_printing({**environment, "CAIRN_FLUSH_MS": "500"})
        server.wait(lambda: server.counts.get("files", 0) > before)
        server.run().stop, begun = True, time.monotonic()
        assert process.wait(PATIENCE_S) == 5
        server.run().stop = False
        return time.monotonic() - begun < SOON_S

    once_in_time(attempt)


def test_a_file_that_hangs_is_given_up(server, environment, held):
    server.fault = lambda name, count: held if name == "files" else None
    process = start_printing({**environment, "CAIRN_REQUEST_TIMEOUT_MS": "300", "CAIRN_FLUSH_MS": "500"})
    wait_until(lambda: server.counts.get("files", 0) >= METADATA_TRIES)

    def rests():
        files, batches = (server.counts[name] for name in ("files", "batch"))
        server.wait(lambda: server.counts["batch"] > batches + 5)  # more than a pause between two tries
        return server.counts["files"] == files

    wait_until(rests)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 5 and server.run().files == {}


def test_what_it_runs_in_outlives_a_maintenance(server, environment):
    """A server that takes nothing else either is waited for."""
    def tries():
        return sum(server.counts.get(name, 0) for name in ("files", "batch"))

    server.fault = lambda name, count: ("proxy", 503) if name in ("files", "batch") and tries() < 2 * METADATA_TRIES else None
    process = start_reading({**environment, "CAIRN_RETRY_MAX_MS": "100"})
    server.wait(lambda: tries() >= 2 * METADATA_TRIES)
    process.communicate(b"go\n", timeout=PATIENCE_S)
    assert process.returncode == 0 and metadata(server)["program"] == "sh"


@pytest.mark.parametrize("words, code, text", [
    (["run"], 2, b"run requires a command: cairn run -- COMMAND"), (["run", "--metadata", "no", "--", "true"], 2, b"all, no-command or none"), (["nonsense"], 2, b"unknown command"), (["log"], 2, b"KEY=VALUE"),
    (["log", "a"], 2, b'" is not a KEY=VALUE pair'), (["ls", "--limit", "x"], 2, b"must be an integer"),
    (["log", "a=1", "a=2"], 2, b"each key of a row must be unique"), (["ls", "--nothing"], 2, b"unknown option "),
    (["finish", "--exit-code", "999"], 2, b"must be an integer"), (["ls", "a/b/c"], 2, b"invalid project"),
    (["ls", "a", "b"], 2, b"one project"), (["show", "a:b"], 2, b'": expected RUN, PROJECT/RUN or ENTITY/PROJECT/RUN'),
    (["show", "a/b/c/d"], 2, b'": expected RUN, PROJECT/RUN or ENTITY/PROJECT/RUN'), (["show", "/x"], 2, b'": expected RUN, PROJECT/RUN or ENTITY/PROJECT/RUN'),
    (["run", "--config", "{lr:1}", "--", "false"], 2, b"--config must be a JSON object"),
    (["show", "--only", "consol", "x"], 2, b"console or system"), (["projects", "x"], 2, b"cairn ls"),
    (["doctor", "x"], 2, b"--url"), (["login", "localhost:1"], 2, b"cairn login http://localhost:1"),
    (["login", "--key-file", "/nothing", "http://x"], 2, b'cannot read the key file "/nothing": No such file or directory\n'),
    (["login", "http://x"], 2, b"no key given; an admin can create one on the server's host: cairnd key create --user NAME")])
def test_wrong_command_lines(server, environment, words, code, text):
    result = cairn(environment, *words, stdin=subprocess.DEVNULL)
    assert result.returncode == code and text in result.stderr, result.stderr
    assert result.stderr.count(b"\n") == 1


PORTALS = {"page": (b"<html>please log in</html>", "text/html"), "object": (b'{"message":"please log in"}', "application/json"),
           "type": (b'{"items":[],"rows":1,"state":"s","number":1}', "text/plain")}


@pytest.mark.parametrize("portal", PORTALS.values(), ids=PORTALS)
@pytest.mark.parametrize("words", [
    ["log", "a=1"], ["ls"], ["ls", "--json"], ["projects"], ["show"], ["show", "--json"], ["show", "--only", "console"],
    ["show", "--only", "system"], ["finish"], ["stop"], ["alert", "--title", "x"]], ids=" ".join)
def test_what_a_portal_says_is_no_success(server, environment, words, portal):
    """It answers 200 for any address."""
    server.fault = lambda name, count: ("other", *portal)
    result = cairn(environment, *words)
    assert result.returncode == 1 and result.stdout == b"", result
    assert f"{server.url}/api/v1/projects".encode() in result.stderr and portal[1].encode() in result.stderr
    assert b" instead of JSON of a Cairn server: check the address; it may lead to a login page" in result.stderr and b"cairn doctor" in result.stderr


def test_the_run_is_not_kept_by_a_portal(server, environment):
    server.fault = lambda name, count: ("other", b'{"name":"r1","batch":1,"session":1,"state":"s"}', "text/plain")
    result = cairn(environment, "run", "--", "true")
    assert result.returncode == 0 and b"not sent: its end" in result.stderr and b"text/plain" in result.stderr, result.stderr
    assert server.runs == {}


HOSTILE = "a\x1b[2J\x9b2J\n\u202eb\u2066\x7f"


@pytest.mark.parametrize("words", [["log", "a=1"], ["ls"], ["finish"], ["run", "--", "true"]], ids=" ".join)
def test_what_a_server_says_does_not_steer_a_terminal(server, environment, words):
    problem = {"type": "urn:cairn:problem:x", "title": HOSTILE, "detail": HOSTILE, "hint": HOSTILE}
    server.fault = lambda name, count: ("other", json.dumps(problem).encode(), "application/problem+json", 400)
    text = cairn(environment, *words).stderr.decode()
    assert r"a\u001b[2J\u009b2J\u000a\u202eb\u2066\u007f" in text, text
    assert not steering(text)


def steering(text):
    return {c for c in text if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u200e\u200f\u061c" or "\u2028" <= c <= "\u202e"
            or "\u2066" <= c <= "\u2069"} - {"\n"}


def test_names_of_a_server_do_not_steer_a_terminal(server, environment):
    answer = {"items": [{"id": "x", "display_name": HOSTILE}]}
    server.fault = lambda name, count: ("other", json.dumps(answer, ensure_ascii=False).encode(),
                                        "application/json; charset=utf-8")
    table, whole = (cairn(environment, "ls", *more).stdout.decode() for more in ([], ["--json"]))
    assert table.splitlines()[1].rstrip().endswith("b") and not steering(table)
    assert json.loads(whole) == answer and not steering(whole)


def test_help_of_everything(environment):
    overview = cairn(environment, "--help")
    assert overview.returncode == 0
    for line in overview.stdout.decode().splitlines():
        if line.startswith("  "):
            name = line.split()[0]
            result = cairn(environment, name, "--help")
            assert result.returncode == 0 and f"usage: cairn {name}".encode() in result.stdout
    assert cairn(environment, "--man").stdout.startswith(b".TH CAIRN 1")
    assert cairn(environment).returncode == 2


def test_help_of_one_command(environment):
    assert cairn(environment, "help", "run").stdout == cairn(environment, "run", "--help").stdout
    assert cairn(environment, "help", "nonsense").returncode == 2


def test_output_that_cannot_be_written(environment):
    with open("/dev/full", "wb") as full:
        result = subprocess.run([CAIRN, "--man"], env=environment, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 1 and b"cannot write to standard output" in result.stderr


def test_login(server, environment, tmp_path):
    del environment["CAIRN_API_KEY"]
    del environment["CAIRN_URL"]
    environment["HOME"] = str(tmp_path)
    result = cairn(environment, "login", server.url, input=f"{KEY}\n".encode())
    assert result.returncode == 0, result.stderr
    file = tmp_path / ".config/cairn/credentials"
    assert file.stat().st_mode & 0o777 == 0o600
    assert f"{server.url} {KEY}\n" in file.read_text()
    assert run(environment, "true").returncode == 0 and primary(server).finished == 0
    cairn(environment, "login", server.url, "--key-file", "-", input=f"{KEY}\n".encode())
    assert file.read_text().count(server.url) == 1
    # With a key of another kind the login still knows the address.
    assert run({**environment, "CAIRN_API_KEY": KEY}, "true").returncode == 0
    file.chmod(0o644)
    result = run(environment, "true")
    assert result.returncode == 2 and b"chmod 600" in result.stderr


def test_a_login_that_cannot_be_read(server, environment, tmp_path):
    del environment["CAIRN_API_KEY"]
    environment["HOME"] = str(tmp_path)
    (tmp_path / ".config/cairn/credentials").mkdir(parents=True, mode=0o700)
    (tmp_path / ".config/cairn/credentials").chmod(0o700)
    result = cairn(environment, "ls")
    assert result.returncode == 2 and b"cannot read the login in" in result.stderr, result.stderr


def test_an_interrupted_login_gives_the_echo_back(server, environment):
    """Ctrl-C while the key is asked for ends it, and the terminal shows again what is typed."""
    master, slave = pty.openpty()
    environment.pop("CAIRN_API_KEY")
    process = subprocess.Popen([CAIRN, "login", server.url], env=environment, stdin=slave, stdout=slave,
                               stderr=slave, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    data = b""
    while b"input is hidden" not in data:
        data += os.read(master, 1000)
    assert not termios.tcgetattr(slave)[3] & termios.ECHO
    os.write(master, b"\x03")
    assert process.wait(PATIENCE_S) == -signal.SIGINT
    assert termios.tcgetattr(slave)[3] & termios.ECHO
    os.close(master)
    os.close(slave)


def test_login_with_a_wrong_key(server, environment, tmp_path):
    environment["HOME"] = str(tmp_path)
    result = cairn(environment, "login", server.url, input=b"f" * 40)
    assert result.returncode == 1 and b" rejected this key (status 401): it may be revoked, or from another server" in result.stderr
    result = cairn(environment, "login", server.url, input=b"f" * 39)
    assert result.returncode == 2 and b"invalid API key" in result.stderr
    assert not (tmp_path / ".config").exists()


def test_no_answer_has_its_own_code(server, environment):
    server.away()
    for project in ("e/p", "p"):  # of the second the server is asked whose it is
        environment["CAIRN_PROJECT"] = project
        for words in (["ls"], ["log", "--timeout", "0", "a=1"], ["doctor"], ["show", "r1"], ["show", "r1", "--json"],
                      ["show", "r1", "--only", "curve"], ["stop", "r1"], ["finish", "r1"]):
            assert cairn(environment, *words).returncode == 3, (project, words)
    server.back()


def test_what_the_server_left_out_is_said(server, environment):
    """Once, where it is known: by log of its row, by run at its end. That is no failure, and nothing is said without."""
    words = ["log", "loss=0.5", "big=x"]
    assert cairn(environment, *words).stderr == b""
    server.leaves_out = 1
    result = cairn(environment, *words)
    assert result.returncode == 0
    assert result.stderr == b'cairn: the server cannot store the value of "big" (value-too-large); the others are stored\n'
    result = run(environment, "sh", "-c", "echo out")
    assert result.returncode == 0
    assert re.search(rb"^cairn: the server cannot store \d+ values? of run r1; the run's page lists them$", result.stderr, re.M)
    assert result.stderr.count(b"cannot store") == 1


def test_log_is_tried_again(server, environment):
    fault = ("status", 503)
    server.fault = lambda name, count: fault if name == "history" and count == 0 else None
    assert cairn(environment, "log", "loss=0.5", "text=hello").returncode == 0
    assert server.counts["history"] == 2
