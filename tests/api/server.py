"""A cairnd under test: started on a free port, stopped properly, its log looked through.

    with Server(database_url, secret_file) as server:
        server.port
"""
import contextlib
import glob
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.parse
import urllib.request

from cluster import hold_port, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
SANITIZER_MARKS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:",
                   "WARNING: ThreadSanitizer")


def cairnd():
    """The program under test: CAIRND, else the one built last."""
    named = os.environ.get("CAIRND")
    if named:
        return named
    found = glob.glob(str(ROOT / "build/*/server/cairnd")) + glob.glob(str(ROOT / "build/*/cairnd"))
    if not found:
        raise FileNotFoundError("no cairnd: build it, or name it in CAIRND")
    return max(found, key=os.path.getmtime)


def files_dir(database_url, secret_file):
    """Of all servers of a database, as the secret is of all."""
    name = urllib.parse.urlsplit(database_url).path.strip("/")
    return pathlib.Path(secret_file).parent / f"files.{name}"


def environment(database_url, secret_file, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith("CAIRN_")}
    env.update(CAIRN_DATABASE_URL=database_url, CAIRN_SECRET_FILE=str(secret_file),
               CAIRN_LOG_LEVEL=os.environ.get("CAIRN_TEST_LOG_LEVEL", "info"))
    if database_url:
        env["CAIRN_FILES_DIR"] = str(files_dir(database_url, secret_file))
    env.update({f"CAIRN_{k.upper()}": str(v) for k, v in more.items()})
    return env


def cairnd_run(database_url, secret_file, *args, **more):
    """Runs a command of the server's program to its end; returns what it printed."""
    done = subprocess.run([cairnd(), *args], env=environment(database_url, secret_file, **more),
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"cairnd {' '.join(args)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def on_terminal(env, *args):
    """Runs a command of the server's program, whose standard error is a terminal; (exit status, what it printed, what it showed)."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([cairnd(), *args], env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal ends
        while some := os.read(ours, 1 << 16):
            shown += some
    os.close(ours)
    printed, _ = process.communicate(timeout=120)
    return process.returncode, printed, shown.decode()


class Server:
    """`settings` are the server's own, by their names in the settings table."""

    prefix = ()  # a command that runs it, as another user for example
    address = "127.0.0.1"

    def __init__(self, database_url, secret_file, **settings):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-api."))
        self.database_url = database_url
        self.secret_file = secret_file
        self.settings = settings
        self.log_path = self.dir / "log"
        self.process = None
        self.port = None
        self.held = None  # keeps the port while the server is away
        self.was_killed = False

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        self.remove()

    def remove(self):
        self._let_go()
        shutil.rmtree(self.dir, ignore_errors=True)

    def start(self, port=0):
        """`port` other than 0: a server that comes back where it was."""
        if not port:
            port = self._hold()
        port_file = self.dir / "port"
        port_file.unlink(missing_ok=True)
        env = environment(self.database_url, self.secret_file, **self.settings)
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, cairnd(), "serve", "--data-dir", str(self.dir / "data"),
                 "--listen", f"{self.address}:{port}", "--port-file", str(port_file)],
                env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        wait_until(lambda: self._is_listening(port_file), what="port of cairnd")
        self.port = int(port_file.read_text())
        return self

    def _hold(self):
        self._let_go()
        self.held = hold_port()
        return self.held.getsockname()[1]

    def _let_go(self):
        if self.held:
            self.held.close()
            self.held = None

    def _is_listening(self, port_file):
        if self.process.poll() is not None:
            raise RuntimeError(f"cairnd ended with {self.process.returncode}:\n{self.log()}")
        return port_file.exists() and port_file.read_text().strip()

    def metric(self, name):
        """A number of /metrics; None when there is none of that name."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=120) as answer:
            lines = answer.read().decode().splitlines()
        return next((float(line.split()[1]) for line in lines if line.startswith(name + " ")), None)

    def memory(self, what="VmRSS"):
        """Bytes that the process holds, or, as VmHWM, has held at most."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{what}:\s+(\d+) kB", status, re.M)[1]) << 10

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def kill(self):
        """As kill -9 does it."""
        self.was_killed = True
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Asks it to stop; it must do so by itself, and must not have complained."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=180)
            except subprocess.TimeoutExpired:
                self.kill()
                raise RuntimeError(f"cairnd did not stop:\n{self.log()[-4000:]}") from None
        fault = self.fault()
        if fault:
            raise RuntimeError(fault)

    def fault(self):
        """What it complained of, or that it ended badly; None while all is well."""
        log = self.log()
        if any(mark in log for mark in SANITIZER_MARKS):
            return f"a sanitizer spoke:\n{log[-8000:]}"
        if self.process.poll() and not self.was_killed:
            return f"cairnd ended with {self.process.returncode}:\n{log[-4000:]}"
        return None
