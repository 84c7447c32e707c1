"""Campaigns of faults, and the proof that nothing acknowledged was lost or doubled.

Sixteen writers write into one run while something is killed, stopped, filled or restarted, round after
round. PostgreSQL keeps fsync, full_page_writes and synchronous_commit on and lies on a real disk; the
settings are printed. At the end every writer has an answer to everything it sent, and the run holds just
that, now and after the server has been started anew.
"""
import collections
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "api")]

from cluster import Cluster, free_port, wait_until  # noqa: E402
from ledger import Ledger  # noqa: E402
from rest import Api  # noqa: E402
from runs import Run  # noqa: E402
from server import Server, cairnd_run  # noqa: E402

DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
WRITERS = 16
MEMORY_FILE_SYSTEMS = {"tmpfs", "ramfs"}
FULL_SIZE_MIB = 320


def file_system(path):
    return subprocess.run(["stat", "-f", "-c", "%T", path], capture_output=True, text=True).stdout.strip()


def disk():
    """A folder on a real disk."""
    for folder in filter(None, (os.environ.get("CAIRN_TEST_DISK"), "/var/tmp", str(HERE))):
        if os.access(folder, os.W_OK) and file_system(folder) not in MEMORY_FILE_SYSTEMS:
            return folder
    raise RuntimeError("no real disk: name a folder in CAIRN_TEST_DISK")


class PatientApi(Api):
    """Comes again when it is asked to; connections that failed to the last are tried anew only after a pause."""

    def request(self, *args, **kwargs):
        return wait_until(lambda: self._unless_busy(*args, **kwargs), 30, "answer other than 503")

    def _unless_busy(self, *args, **kwargs):
        answer = super().request(*args, **kwargs)
        return None if answer.status == 503 else answer


class Fleet:
    """The writers: processes with notes of what they were told."""

    def __init__(self, folder, port, key, path):
        self.folder = folder
        self.stop_file = folder / "stop"
        self.clients = [f"w{i:02}" for i in range(WRITERS)]
        self.processes = [subprocess.Popen([
            sys.executable, str(HERE / "writer.py"), str(port), key, path, client,
            str(folder / client), str(self.stop_file)]) for client in self.clients]

    def notes(self):
        for client in self.clients:
            path = self.folder / client
            for line in path.read_text().splitlines() if path.exists() else ():
                if line.endswith("}"):
                    yield client, json.loads(line)

    def told(self):
        return sum("told" in note for _, note in self.notes())

    def refused(self):
        """How often each writer was asked to come again."""
        return collections.Counter(client for client, note in self.notes() if "refused" in note)

    def wait_for_progress(self, batches, seconds=90):
        goal = self.told() + batches

        def progress():
            assert all(p.poll() is None for p in self.processes), "a writer gave up"
            return self.told() >= goal
        wait_until(progress, seconds, f"progress of {batches} batches")

    def drain(self):
        """Ends when every writer has all its answers."""
        self.stop_file.touch()
        for process in self.processes:
            assert process.wait(timeout=120) == 0, "a writer was refused"

    def kill(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()


class Scene:
    """Database, server, run and writers of one campaign."""

    def __init__(self, folder, cluster, say):
        self.folder, self.cluster, self.say = folder, cluster, say
        self.random = random.Random(7)
        self.url = cluster.create_database(name="faults")
        secret = folder / "secret"
        cairnd_run(self.url, secret, "migrate")
        cairnd_run(self.url, secret, "user", "add", "ann", "--key-file", str(folder / "key"))
        self.server = Server(self.url, secret).start(free_port())
        self.api = PatientApi(self.server, (folder / "key").read_text().strip())
        self.run = Run(self.api)
        self.fleet = Fleet(folder, self.server.port, self.api.key, self.run.path)

    def settings(self):
        names = [*DURABLE, "data_directory"]
        shown = {name: self.cluster.psql(f"show {name}") for name in names}
        shown["file system"] = file_system(self.cluster.dir)
        return shown

    def end(self):
        self.fleet.kill()
        with contextlib.suppress(RuntimeError):
            self.server.stop()
        shutil.rmtree(self.server.dir, ignore_errors=True)

    def some_time(self):
        """An instant that no one can foresee, in the midst of writing."""
        self.fleet.wait_for_progress(60)
        time.sleep(self.random.uniform(0, 0.2))

    def refusals(self):
        """How often writers were asked to come again, by type of problem."""
        return dict(collections.Counter(note["refused"] for _, note in self.fleet.notes() if "refused" in note))

    def in_flight(self):
        """Requests that wait for their answers, this one too."""
        asking = Api(self.server)
        text = asking.get("/metrics").text
        asking.close()
        return int(re.search(r"^cairn_http_requests_in_flight (\d+)$", text, re.MULTILINE)[1])

    def check(self):
        """Now, and once more with a server that remembers nothing."""
        ledger, odd, last = Ledger(), [], {}
        for client, note in self.fleet.notes():
            if "sent" in note:
                ledger.note_sent(client, *note["sent"])
                last[client] = (*note["sent"][:2], note["line"])
            elif "told" in note:
                session, batch, first, rows = note["told"]
                ledger.note_told(client, session, batch, {"row_first": first, "rows": rows})
            elif "odd" in note:
                odd.append((client, note))
        assert not odd, f"answers that no writer should see: {odd[:5]}"
        assert set(ledger.sent) == set(ledger.told), "batches without an answer"
        for _ in range(2):
            self._check_streams(ledger, last)
            self.server.stop()
            self.server.start(self.server.port)
        return len(ledger.told), sum(ledger.sent.values())

    def _check_streams(self, ledger, last):
        """`last`: by client the session, batch and line of its last batch."""
        ledger.check(self.run.rows())
        lines = sorted((client, i) for client, (_, _, line) in last.items() for i in range(line + 1))
        assert len(lines) == len(ledger.told)
        assert sorted((e["w"], e["n"]) for e in self.run.events()) == lines, "events lost or doubled"
        console = [(c["label"], c["line"], c["text"]) for c in self.run.console(limit=10_000)]
        assert sorted(console) == [(w, i, f"{w} {i}") for w, i in lines], "console lines lost or doubled"
        assert self.run.summary()["done"] == {client: line for client, (_, _, line) in last.items()}
        for client, writer in self.run.writers().items():
            assert (writer["session"], writer["batch"]) == last[client][:2]
            assert writer["console_lines"] == writer["event_rows"] == last[client][2] + 1


# --- what is done to the scene in one round

def processes_of(postmaster):
    """The postmaster and its children."""
    found = [postmaster]
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == postmaster:
                found.append(int(stat.parent.name))
    return found


def postmaster_of(cluster):
    return int(pathlib.Path(cluster.data, "postmaster.pid").read_text().split()[0])


def signal_all(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def kill_server(scene):
    scene.server.kill()
    scene.server.start(scene.server.port)


def kill_postgres(scene):
    """All of it at once: stopped first, it cannot fork while its children are listed."""
    postmaster = postmaster_of(scene.cluster)
    os.kill(postmaster, signal.SIGSTOP)
    pids = processes_of(postmaster)
    signal_all(pids, signal.SIGKILL)
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), 60, "death of PostgreSQL")
    scene.cluster.start()


def restart_postgres(scene):
    scene.cluster.halt(scene.random.choice(["fast", "immediate"]))
    scene.cluster.start()


def stop_postgres(scene):
    """Down for a while: nobody is told anything."""
    scene.cluster.halt("fast")
    told, before = scene.fleet.told(), scene.fleet.refused()
    wait_until(lambda: len(scene.fleet.refused() - before) == WRITERS, 60, "a refusal of every writer")
    assert scene.fleet.told() <= told + WRITERS
    asking = Api(scene.server)
    asking.refused(503, "busy", "GET", "/ready")
    assert asking.get("/healthz").status == 200
    asking.close()
    scene.cluster.start()


def slow_postgres(scene):
    """Stands still for a while, then goes on; and one run's lock is held by somebody else."""
    pids = processes_of(postmaster_of(scene.cluster))
    signal_all(pids, signal.SIGSTOP)
    try:
        wait_until(lambda: scene.in_flight() == WRITERS + 1, 60, "every writer, and who asks, in the server")
    finally:
        signal_all(pids, signal.SIGCONT)
    scene.fleet.wait_for_progress(20)
    holder = threading.Thread(target=scene.cluster.psql, args=(
        "begin; select run_id from run_hot for update; select pg_sleep(3); commit", "faults"))
    holder.start()
    holder.join()


def fill_disk(scene):
    """Not a byte is left; then room again. PostgreSQL may stop by itself meanwhile."""
    ballast = pathlib.Path(scene.cluster.dir, "ballast")
    with open(ballast, "wb", buffering=0) as f, contextlib.suppress(OSError):
        while f.write(bytes(1 << 16)):
            pass
    with contextlib.suppress(TimeoutError, AssertionError):
        scene.fleet.wait_for_progress(10**6, 4)
    ballast.unlink()
    bring_back(scene.cluster)


def bring_back(cluster):
    """Starts PostgreSQL if it has ended by itself."""
    with contextlib.suppress(RuntimeError):
        cluster.psql("select 1")
        return
    with contextlib.suppress(RuntimeError):
        cluster.halt("immediate")
    cluster.start()


CAMPAIGNS = {
    "kill-server": kill_server,
    "kill-postgres": kill_postgres,
    "restart-postgres": restart_postgres,
    "stop-postgres": stop_postgres,
    "slow-postgres": slow_postgres,
    "full-disk": fill_disk,
}


@contextlib.contextmanager
def small_disk(folder):
    """A file system of its own that can be filled; only root can make one."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={FULL_SIZE_MIB}m,mode=0755", "none", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def may_run(name):
    """Why a campaign cannot run here; None when it can."""
    if name == "full-disk" and os.geteuid() != 0:
        return "only root can mount a disk to fill"
    return None


def run_campaign(name, rounds, say=print):
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-faults.", dir=disk()))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        base = folder / "database"
        base.mkdir()
        if name == "full-disk":
            stack.enter_context(small_disk(base))
        more = {"max_wal_size": "64MB"} if name == "full-disk" else {}
        cluster = stack.enter_context(Cluster(base=str(base), **DURABLE, **more))
        scene = Scene(folder, cluster, say)
        stack.callback(scene.end)
        say(f"{name}: " + ", ".join(f"{k} {v}" for k, v in scene.settings().items()))
        for i in range(rounds):
            scene.some_time()
            before = scene.fleet.told()
            CAMPAIGNS[name](scene)
            scene.fleet.wait_for_progress(20)
            say(f"{name}: round {i + 1} of {rounds}, {before} batches acknowledged before it")
        scene.fleet.drain()
        batches, rows = scene.check()
        say(f"{name}: {WRITERS} writers, {batches} batches, {rows} rows acknowledged: 0 lost, 0 doubled;"
            f" refusals {scene.refusals()}")
