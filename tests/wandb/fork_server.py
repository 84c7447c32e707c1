"""Programs of a test begin where `import wandb` is done: a process per SDK has imported it and forks them, for an
import takes one to two seconds of a processor. From there on they are like others: each has its own folder,
environment, session and output, and ends as Python ends. Modules that newer SDKs import only in wandb.init() or with the
first artifact (LATER) are imported before the fork, too: they took three quarters of the processor time of a short program.

A socket carries one JSON text a line: a Program is asked for and its pid comes back; a pid is asked for and what
waitpid() said of it comes back. Nobody else waits for a process, so a pid is its own until it was asked for.
"""
import contextlib
import gc
import importlib
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import types


# An older SDK has some of them under other names, and imports them at once.
LATER = ("requests", "yaml", "wandb.apis.public", "wandb.sdk.artifacts._models.pagination")


class ForkServer:
    """Our side of one."""

    def __init__(self, python, env):
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen([python, __file__, str(theirs.fileno())], env=env, stdin=subprocess.DEVNULL,
                                             pass_fds=[theirs.fileno()])
        self._socket = ours
        self._lines = ours.makefile("r")

    def _ask(self, question):
        self._socket.sendall(json.dumps(question).encode() + b"\n")
        answer = self._lines.readline()
        assert answer, "the process that forks the programs of tests has ended"
        return json.loads(answer)

    def start(self, argv, env, folder, log):
        """Begins argv[0], a script: its output goes to `log`, what it reads is empty."""
        return Forked(self, self._ask({"argv": argv, "env": env, "folder": str(folder), "log": str(log)}))

    def reap(self, pid):
        """The exit code of a process that has ended, as that of Popen."""
        return os.waitstatus_to_exitcode(self._ask(pid))

    def close(self):
        self._lines.close()
        self._socket.close()
        self._process.wait()


class Forked:
    """As Popen, of a process that is not our child."""

    def __init__(self, server, pid):
        self.pid = pid
        self.returncode = None
        self._server = server
        self._fd = os.pidfd_open(pid)

    def _look(self, timeout):
        if self.returncode is None and select.select([self._fd], [], [], timeout)[0]:
            os.close(self._fd)
            self.returncode = self._server.reap(self.pid)
        return self.returncode

    def poll(self):
        return self._look(0)

    def wait(self, timeout=None):
        if self._look(timeout) is None:
            raise subprocess.TimeoutExpired(self.pid, timeout)
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)


def next_program(ours):
    """Serves until its asker is gone: None. In each process that it forks: the program it is to be."""
    with ours, ours.makefile("r") as lines:
        for line in lines:
            asked = json.loads(line)
            if isinstance(asked, int):
                answer = os.waitpid(asked, 0)[1]
            else:
                answer = os.fork()
                if answer == 0:
                    return asked
            ours.sendall(json.dumps(answer).encode() + b"\n")
    return None


def become(program):
    """As a shell that starts Python with this script."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(program["env"])
    os.chdir(program["folder"])
    log = os.open(program["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    sys.argv = program["argv"]
    script = pathlib.Path(sys.argv[0])
    sys.path[0] = str(script.parent)
    main = types.ModuleType("__main__")
    main.__file__ = str(script)
    sys.modules["__main__"] = main
    exec(compile(script.read_text(), script, "exec"), main.__dict__)


def reseed():
    """Random numbers of its own: up to 0.25 all processes that one forks have the same client ids of artifacts."""
    own = getattr(sys.modules.get("wandb.sdk.lib.runid"), "_random", None)
    if own:
        own.seed()


def import_all():
    import wandb  # noqa: F401
    for name in LATER:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)


def serve():
    import_all()
    # What an import makes and the end of the program removes: each has its own.
    folders = [made for made in gc.get_objects() if isinstance(made, tempfile.TemporaryDirectory)]
    for folder in folders:
        folder.cleanup()
    gc.freeze()
    program = next_program(socket.socket(fileno=int(sys.argv[1])))
    if program:
        for folder in folders:
            folder.__init__("wandb")
        reseed()
        become(program)


if __name__ == "__main__":
    serve()
