"""
scripts/quickstart itself, from an empty folder. The suite has it use the build of the preset dev (CAIRN_PRESET); `scripts/test
quickstart_release` runs it as users do.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
# Its first program of a user, which has no sanitizer, is linked with a library that has one.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "verify_asan_link_order=0"}


def quickstart(*arguments):
    done = subprocess.run([TOP / "scripts/quickstart", "--yes", "--once", *map(str, arguments)], env=ENVIRONMENT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    return done.returncode, done.stdout


@pytest.fixture
def folder():
    """Where PostgreSQL may go in, too, when root starts it."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="cairn-quickstart.", dir="/var/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.parametrize("script", ["quickstart", "test", "test-fresh", "lint", "install-deps"])
def test_words_that_are_none(script):
    """Each script tells what it takes, and does nothing when it is given something else."""
    told = subprocess.run([TOP / "scripts" / script, "--help"], capture_output=True, text=True)
    assert told.returncode == 0 and f"scripts/{script} " in told.stdout and "set -euo" not in told.stdout
    done = subprocess.run([TOP / "scripts" / script, "--nothing"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f'{script}: unknown word "--nothing"; see {TOP}/scripts/{script} --help\n'


@pytest.mark.parametrize("arguments, text", [
    (["--port", "abc"], "must be a number"), (["--data-dir"], "requires a value"), (["--port"], "requires a value")])
def test_values_that_are_none(arguments, text):
    status, printed = quickstart(*arguments)
    assert status == 1 and text in printed and printed.count("\n") == 1


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("status", [0, 7])
def test_progress_of_a_build(tmp_path, terminal, status):
    """The build ends when its progress was read."""
    script = f""". {TOP}/scripts/lib.sh
        work() {{ printf '[1/3] first\\n[2/3] second\\n' >{tmp_path}/log; until [ -e {tmp_path}/read ]; do sleep 0.05; done; return {status}; }}
        with_progress {tmp_path}/log work"""
    reading, writing = os.openpty() if terminal else os.pipe()
    build = subprocess.Popen(["bash", "-euc", script], stdout=writing)
    os.close(writing)
    printed = b""
    while b"2 of 3" not in printed:
        printed += os.read(reading, 1000)
    (tmp_path / "read").touch()
    assert build.wait(timeout=60) == status
    os.close(reading)
    assert printed.startswith(b"\r" if terminal else b"  2 of 3\n")


def test_interrupted(folder):
    """Ctrl-C in the middle of the training ends all of it, in one sentence."""
    process = subprocess.Popen([TOP / "scripts/quickstart", "--yes", "--data-dir", folder], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    printed = ""
    while "step  " not in printed:
        line = process.stdout.readline()
        assert line, printed
        printed += line
    os.killpg(process.pid, signal.SIGINT)
    printed += process.communicate(timeout=300)[0]
    assert process.returncode == 130 and "Traceback" not in printed, printed
    assert "the training is stopped" in printed and "The server is at" not in printed
    assert (folder / "data/pg/PG_VERSION").exists() and not (folder / "data/pg/postmaster.pid").exists()


def test_twice(folder):
    """The second call has the first one's data, and a port that is taken in its way."""
    status, printed = quickstart("--data-dir", folder)
    assert status == 0, printed
    assert "The server is stopped now" in printed and "The server is at" not in printed
    assert f"serve --data-dir {folder}/data --listen 127.0.0.1:" in printed
    key = (folder / "key").read_text()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, printed = quickstart("--data-dir", folder, "--port", taken.getsockname()[1])
    assert status == 1
    assert "name another one with --port" in printed
    status, printed = quickstart("--data-dir", folder)
    assert status == 0, printed
    assert (folder / "key").read_text() == key
    assert "Everything above was read back from the server and checked." in printed
