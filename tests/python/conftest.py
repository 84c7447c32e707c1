"""The Python package against a real server: in this process, and in programs that are started."""
import fcntl
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import textwrap

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = TOP / "client/python"
BUILD = TOP / "build/python"
sys.path[:0] = [str(PACKAGE), str(TOP / "tests/client")]

from real_server import RealServer  # noqa: E402

PATIENCE_S = 120


def build_library():
    """libcairn as the wheel has it, for all processes of pytest."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(f"{BUILD}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (["cmake", "-G", "Ninja", "-S", PACKAGE, "-B", BUILD, f"-DCAIRN_SOURCE={TOP}"], ["cmake", "--build", BUILD]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert done.returncode == 0, done.stdout
    return BUILD / "libcairn.so"


@pytest.fixture(scope="session", autouse=True)
def library():
    """Built here, unless CAIRN_LIBRARY names another one."""
    os.environ.setdefault("CAIRN_LIBRARY", str(build_library()))


@pytest.fixture(scope="session")
def server(library):
    made = RealServer()
    yield made
    made.close()


@pytest.fixture
def settings(server):
    """The environment of a program that logs."""
    return {"CAIRN_URL": server.url, "CAIRN_API_KEY": server.key, "CAIRN_PROJECT": "me/p", "CAIRN_SAMPLE_INTERVAL": "0",
            "CAIRN_FLUSH_MS": "20"}


@pytest.fixture(autouse=True)
def environment(request, monkeypatch):
    """This process is such a program, without a login of its own."""
    for name in [name for name in os.environ if name.startswith("CAIRN_") and name not in ("CAIRN_LIBRARY", "CAIRN_BUILD", "CAIRN_TEST_PYTHON")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/nonexistent")
    if "server" in request.fixturenames or "settings" in request.fixturenames:
        for name, value in request.getfixturevalue("settings").items():
            monkeypatch.setenv(name, value)


@pytest.fixture
def api(server, environment):
    import cairn
    return cairn.Api()


@pytest.fixture(scope="session")
def bare(tmp_path_factory):
    """bare(**more): the environment of a program with an empty home. Programs that pip asks for their versions write there."""
    home = tmp_path_factory.mktemp("home")
    return lambda **more: {"PATH": os.environ["PATH"], "HOME": str(home), "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **more}


def heed_sigint():
    """A shell starts what runs in the background with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def program(settings, tmp_path):
    """program(text, **environment): runs a Python program to its end; (exit status, stdout, stderr). CAIRN_TEST_PYTHON names another
    Python than ours."""
    def run(text, status=0, **more):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(text))
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE), "HOME": "/nonexistent",
               "CAIRN_LIBRARY": os.environ["CAIRN_LIBRARY"], **settings, **more}
        done = subprocess.run([os.environ.get("CAIRN_TEST_PYTHON", sys.executable), path], env=env, cwd=tmp_path, capture_output=True,
                              timeout=PATIENCE_S, preexec_fn=heed_sigint)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()  # with their carriage returns
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done
    return run


def has(module):
    return importlib.util.find_spec(module) is not None
