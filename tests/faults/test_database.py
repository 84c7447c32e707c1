"""What a client is told while the database is down, slow, full or restarted, and that it recovers."""
import contextlib
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "api")]

from acts import bring_back, postmaster_of  # noqa: E402
from campaign import may_run, small_disk  # noqa: E402
from cluster import Cluster, processes_of, signal_all, wait_until  # noqa: E402
from rest import Api  # noqa: E402
from runs import Run  # noqa: E402
from scene import DURABLE, PatientApi, disk  # noqa: E402
from server import Server, cairnd_run  # noqa: E402

# A client reads no statement, no SQLSTATE, no path and nothing of libpq.
INTERNALS = re.compile(r"statement|\([0-9A-Z]{5}\)|/|socket|server closed|relation|SSL")
SHORT = {"deadline_ms": 1500}


class Site:
    """A database, a server on it, a run with one writer."""

    def __init__(self, cluster, folder, settings):
        self.cluster = cluster
        self.url = cluster.create_database()
        secret = folder / "secret"
        cairnd_run(self.url, secret, "upgrade")
        cairnd_run(self.url, secret, "user", "add", "ann", "--key-file", str(folder / "key"))
        self.server = Server(self.url, secret, **settings)
        self.server.start()
        key = (folder / "key").read_text().strip()
        self.once, self.api = Api(self.server, key), PatientApi(self.server, key)
        self.run = Run(self.api)
        self.writer = self.run.join()
        self.sent = 0

    def send(self):
        """The next batch, as often as it takes."""
        self.writer.send(history=[{"n": self.sent}])
        self.sent += 1

    def batch(self):
        """The next batch, not counted: the same bytes are sent later by send()."""
        body = self.writer.body(self.writer.batch + 1, history=[{"n": self.sent}])
        return self.once.request("POST", f"{self.run.path}/batch", body)

    def read(self):
        return self.once.request("GET", f"{self.run.path}/history", query={"format": "ndjson"})

    def check(self):
        """Everything acknowledged is there, once."""
        assert self.run.values("n") == list(range(self.sent))

    def stop(self):
        self.once.close()
        self.api.close()
        self.server.stop()


@contextlib.contextmanager
def site_on(cluster, folder, **settings):
    site = Site(cluster, folder, settings)
    try:
        site.send()
        yield site
    finally:
        site.stop()


@pytest.fixture(scope="module")
def cluster():
    """A crash of PostgreSQL alone loses nothing that was synced, and nothing else is crashed here."""
    with Cluster(synchronous_commit="on") as made:
        yield made


@pytest.fixture
def site(cluster, tmp_path):
    bring_back(cluster)
    with site_on(cluster, tmp_path) as made:
        yield made


@pytest.fixture
def hurried_site(cluster, tmp_path):
    """Its requests end soon, as they may on a busy machine where nothing is wrong."""
    bring_back(cluster)
    with site_on(cluster, tmp_path, **SHORT) as made:
        yield made


def come_again(answer, *problems):
    """A refusal that a client understands and comes back after."""
    assert answer.problem in (problems or ("busy",)), answer
    assert answer.status == {"busy": 503, "timeout": 504}[answer.problem]
    assert answer.status == 504 or int(answer.headers["Retry-After"]) >= 1
    assert not INTERNALS.search(answer["detail"]), answer
    return answer["detail"]


def test_down_and_up_again(site):
    site.cluster.halt("fast")
    for _ in range(20):
        assert "database" in come_again(site.read())
        assert "database" in come_again(site.batch())
    come_again(site.once.request("GET", "/ready"))
    assert site.once.get("/healthz").json == {"status": "ok"}
    assert "cairn_ingest_failures_total" in site.once.request("GET", "/metrics", check=False).text
    assert "No such file" in site.server.log() or "refused" in site.server.log()
    site.cluster.start()
    wait_until(lambda: site.once.request("GET", "/ready").status == 200, what="readiness")
    site.send()
    site.check()


def test_a_server_that_starts_before_its_database(site):
    """It waits; without patience it ends and says why."""
    site.cluster.halt("fast")
    hasty = Server(site.url, site.server.secret_file, database_wait_s=0)
    with pytest.raises(RuntimeError, match="cairnd ended with 1(?s:.*)cannot open the database"):
        hasty.start()
    site.server.stop()
    seen = len(site.server.log())
    starter = threading.Thread(target=lambda: (
        wait_until(lambda: "waiting for the database" in site.server.log()[seen:], 60),
        site.cluster.start()))
    starter.start()
    site.server.start(site.server.port)
    starter.join()
    site.send()
    site.check()


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_restarted_between_requests(site, mode):
    """Idle connections are replaced before they are used: nobody notices."""
    site.cluster.halt(mode)
    site.cluster.start()
    for _ in range(40):
        assert site.read().status == 200
    site.send()
    assert site.once.request("GET", "/ready").status == 200
    site.check()


@contextlib.contextmanager
def holding(site, sql):
    """Somebody else holds a lock."""
    holder = subprocess.Popen(["psql", "-XAtq", "-d", site.url], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    holder.stdin.write(f"begin; {sql}; select 'held';\n")
    holder.stdin.flush()
    while "held" not in holder.stdout.readline():
        pass
    try:
        yield
    finally:
        holder.stdin.close()
        holder.wait()


def test_slow_a_run_that_is_locked(site):
    with holding(site, "select run_id from run_hot for update"):
        come_again(site.batch(), "busy", "timeout")
        assert site.read().status == 200, "readers take no lock"
    site.send()
    site.check()


def test_slow_statements_end_at_the_deadline(hurried_site):
    site = hurried_site
    waiting = ("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
               " and query like '%from run_conflict%' and pid <> pg_backend_pid()")
    with holding(site, "lock table run_conflict in access exclusive mode"):
        def ended():
            """One that waited for a worker is not begun, and asked again."""
            told = come_again(site.once.request("GET", f"{site.run.path}/conflicts"), "busy", "timeout")
            return told == "the database query timed out"
        wait_until(ended, what="end of a statement")
        assert site.once.get("/healthz").json == {"status": "ok"}
        wait_until(lambda: site.cluster.psql(waiting) == "0", what="end of what was given up")
    site.send()
    site.check()


def test_slow_to_a_standstill(hurried_site):
    """Frozen: answers come at the deadline and a little grace; nothing is stored twice after it."""
    site = hurried_site
    pids = processes_of(postmaster_of(site.cluster))
    signal_all(pids, signal.SIGSTOP)
    try:
        come_again(site.read(), "busy", "timeout")
        come_again(site.batch(), "busy", "timeout")
        assert site.once.get("/healthz").json == {"status": "ok"}
    finally:
        signal_all(pids, signal.SIGCONT)
    site.send()
    site.check()


def fill(folder):
    ballast = pathlib.Path(folder, "ballast")
    with open(ballast, "wb", buffering=0) as f, contextlib.suppress(OSError):
        while f.write(bytes(1 << 12)):
            pass
    return ballast


@pytest.mark.skipif(bool(may_run("full-disk")), reason="only root can mount a disk to fill")
def test_full(tmp_path):
    """Tables cannot grow while the log still can: PostgreSQL lives, and says that its disk is full."""
    with contextlib.ExitStack() as stack:
        base = pathlib.Path(tempfile.mkdtemp(prefix="cairn-full.", dir=disk()))
        stack.callback(shutil.rmtree, base, ignore_errors=True)
        base.chmod(0o755)
        stack.enter_context(small_disk(base))
        site = stack.enter_context(site_on(
            stack.enter_context(Cluster(base=str(base), **DURABLE)), tmp_path))
        ballast = fill(site.cluster.dir)
        told = set()

        def is_refused():
            answer = site.batch()
            if answer.status == 200:
                site.send()  # a repeat: what was told is counted
                return False
            told.add(come_again(answer, "busy", "timeout"))
            return True
        wait_until(is_refused, 60, "refusal")
        ballast.unlink()
        bring_back(site.cluster)
        site.send()
        site.check()
