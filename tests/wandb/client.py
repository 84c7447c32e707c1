"""A program that uses the SDK, run as its users run it: another process, in the SDK's own environment, with a
home folder of its own (fork_server.py begins it).

A test names a function; its source text runs there, and what it returns comes back as JSON (NaN and the
infinities included):

    def train(steps):
        import wandb
        with wandb.init(project="digits") as run:
            ...
        return run.id

    name = client.call(train, steps=3).value
"""
import atexit
import contextlib
import functools
import inspect
import json
import os
import signal
import subprocess
import sys
import textwrap

import sdk
from fork_server import ForkServer

TIMEOUT = 300

# What a user's shell would have; nothing of WANDB_ comes from ours.
KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH")

QUICK = {
    "WANDB_X_FILE_STREAM_TRANSMIT_INTERVAL": "1",
    "WANDB_X_STATS_SAMPLING_INTERVAL": "1",
    "WANDB_DISABLE_GIT": "true",
    "WANDB_ERROR_REPORTING": "false",
    "WANDB_HOST": "node1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONFAULTHANDLER": "1",
    # What the SDK waits for: longer than a busy machine may stand still. The first is that of wandb-core's start.
    "WANDB_X_SERVICE_WAIT": "240",
    "WANDB_INIT_TIMEOUT": "240",
    "WANDB_HTTP_TIMEOUT": "120",
    "WANDB_X_FILE_STREAM_TIMEOUT_SECONDS": "120",
    "WANDB_X_FILE_TRANSFER_TIMEOUT_SECONDS": "120",
}

FRAME = """
import json as _json, sys as _sys

{source}

if __name__ == "__main__":
    _value = {name}(**_json.loads(_sys.argv[1]))
    with open(_sys.argv[2], "w") as _told:
        _json.dump(_value, _told)
"""


class Done:
    """How a program ended: exit code, what it printed, what its function returned."""

    def __init__(self, code, out, told):
        self.code = code
        self.out = out
        self.told = told

    @property
    def value(self):
        assert self.code == 0, self
        return json.loads(self.told.read_text())

    def __repr__(self):
        return f"<exit code {self.code}>\n{self.out[-6000:]}"


@functools.cache
def fork_server(version):
    """Of all tests of this process. What the SDK and Python read while they begin is as a program has it."""
    env = {k: os.environ[k] for k in KEPT if k in os.environ}
    made = ForkServer(sdk.environment(version) / "bin/python", {**env, **QUICK, "HOME": "/nonexistent"})
    atexit.register(made.close)
    return made


def begin(command, env, folder, log):
    """A process of its own."""
    with open(log, "wb") as out:
        return subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=subprocess.STDOUT, start_new_session=True,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


class Running:
    """A program under way; wait() ends it well."""

    def __init__(self, process, log, told):
        self.process = process
        self.log = log
        self.told = told

    @property
    def out(self):
        """Nothing yet, when a forked process has not begun."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    @property
    def is_running(self):
        return self.process.poll() is None

    def wait(self, timeout=TIMEOUT):
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            told = self._tell_of_itself()
            raise AssertionError(f"still running after {timeout} s:\n{told}") from None
        return Done(self.process.returncode, self.out, self.told)

    def _tell_of_itself(self):
        """What it printed, where its threads stand, and what wandb-core did last; it is dead then."""
        self.process.send_signal(signal.SIGABRT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        self.kill()
        logs = sorted(self.log.parent.glob("wandb/*run-*/logs/debug-internal.log"))
        return self.out[-12000:] + "".join(path.read_text(errors="replace")[-3000:] for path in logs[-1:])

    def interrupt(self):
        """As Ctrl-C in its terminal."""
        os.killpg(self.process.pid, signal.SIGINT)

    def kill(self):
        """As kill -9 of it and all that it started, wandb-core included."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


class Client:
    """One user at one machine: `folder` has the home and what the SDK leaves behind."""

    def __init__(self, version, url, key, folder, **env):
        self.version = version
        self.url = url
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.bin = sdk.environment(version) / "bin"
        self.env = {k: os.environ[k] for k in KEPT if k in os.environ}
        self.env.update(QUICK, HOME=str(self.home), USER="ann", LOGNAME="ann", WANDB_BASE_URL=url,
                        WANDB_DIR=str(folder))
        if key:
            self.env["WANDB_API_KEY"] = key
        self.env.update(env)
        self.started = []

    @property
    def release(self):
        """For `client.release >= (0, 22)`."""
        return tuple(int(part) for part in self.version.split("."))

    def _start(self, begin, command, env):
        told = self.folder / f"told{len(self.started)}.json"
        log = self.folder / f"{told.stem}.out"
        command = [str(told) if part is None else str(part) for part in command]
        running = Running(begin(command, {**self.env, **env}, self.folder, log), log, told)
        self.started.append(running)
        return running

    def _begin_script(self, command, env, folder, log):
        """Python reads its path when it begins: a program with one of its own is no fork."""
        if "PYTHONPATH" in env:
            return begin([self.bin / "python", *command], env, folder, log)
        return fork_server(self.version).start(command, env, folder, log)

    def start(self, function, env=None, **args):
        """Begins; `args` are the function's."""
        name = function.__name__
        script = self.folder / f"{name}.py"
        fresh = self.folder / f"{name}.new"  # another process may be reading the script right now
        fresh.write_text(FRAME.format(source=textwrap.dedent(inspect.getsource(function)), name=name))
        fresh.replace(script)
        return self._start(self._begin_script, [script, json.dumps(args), None], env or {})

    def call(self, function, env=None, **args):
        return self.start(function, env, **args).wait()

    def start_wandb(self, *args, **env):
        """Its script, too, is one of Python's, and begins with the import."""
        return self._start(self._begin_script, [self.bin / "wandb", *args], env)

    def wandb(self, *args, **env):
        """The command line."""
        return self.start_wandb(*args, **env).wait()

    def close(self):
        """Nothing outlives a test."""
        for running in self.started:
            running.kill()


if __name__ == "__main__":
    sys.exit("a module; see its head")
