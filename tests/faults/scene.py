"""A scene of a fault campaign: database, servers, the way to them, a run and its writers.

At its end every writer has an answer to everything it sent, or knows by a later join what became of it,
and the run holds just that, now and with servers that remember nothing.
"""
import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "api")]

from cluster import Replica, wait_until  # noqa: E402
from ledger import Ledger  # noqa: E402
from rest import Api  # noqa: E402
from runs import Run  # noqa: E402
from server import Server, cairnd_run  # noqa: E402

DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
WRITERS = 16
PATIENCE_S = 300  # of whoever waits for what is to come: a busy machine stands still for a while
MEMORY_FILE_SYSTEMS = {"tmpfs", "ramfs"}


def file_system(path):
    return subprocess.run(["stat", "-f", "-c", "%T", path], capture_output=True, text=True).stdout.strip()


def disk():
    """A folder on a real disk."""
    for folder in filter(None, (os.environ.get("CAIRN_TEST_DISK"), "/var/tmp", str(HERE))):
        if os.access(folder, os.W_OK) and file_system(folder) not in MEMORY_FILE_SYSTEMS:
            return folder
    raise RuntimeError("no real disk: name a folder in CAIRN_TEST_DISK")


class PatientApi(Api):
    """Comes again when it is asked to; connections that failed to the last are tried anew only after a pause.
    Wherever it is read from, all that was written is to be in it."""

    def _headers(self, more):
        return {"Cairn-After": "now", **super()._headers(more)}

    def request(self, *args, **kwargs):
        return wait_until(lambda: self._unless_busy(*args, **kwargs), 120, "answer other than 503")

    def _unless_busy(self, *args, **kwargs):
        answer = super().request(*args, **kwargs)
        return None if answer.status == 503 else answer


@dataclasses.dataclass
class Site:
    """What a writer needs to know."""
    port: int
    key: str
    path: str
    host: str = "127.0.0.1"
    switches: bool = False     # a new connection, and with it another server, for every request
    clock_jumps: bool = False  # its own clock is wrong, each time in another way
    replica_bound_s: float = 0  # how old what is read may be; 0: there is no replica


class Notes:
    """What the writers noted, read as it grows."""

    def __init__(self, paths):
        self.paths = paths  # by client
        self.read = dict.fromkeys(paths, 0)
        self.all = []       # (client, note)
        self.counts = collections.Counter()
        self.refused = collections.Counter()  # by client

    def update(self):
        for client, path in self.paths.items():
            if path.exists():
                with open(path, "rb") as file:
                    file.seek(self.read[client])
                    text = file.read()
                whole = text[:text.rfind(b"\n") + 1]
                self.read[client] += len(whole)
                for line in whole.splitlines():
                    self._take(client, json.loads(line))
        return self

    def _take(self, client, note):
        self.all.append((client, note))
        self.counts[next(iter(note))] += 1
        self.refused[client] += "refused" in note

    def ledger(self):
        """(ledger, by client the session, batch and line of the last that is stored)"""
        ledger, last, lines = Ledger(), {}, {}
        for client, note in self.all:
            if "sent" in note:
                ledger.note_sent(client, *note["sent"])
                lines[client] = note["line"]
            elif "told" in note:
                session, batch, first, rows = note["told"]
                ledger.note_told(client, session, batch, {"row_first": first, "rows": rows})
                last[client] = session, batch, lines[client]
            elif "stored" in note:
                ledger.stored.add((client, *note["stored"]))
                last[client] = *note["stored"], lines[client]
            elif "unsent" in note:
                ledger.unsent.add((client, *note["unsent"]))
        return ledger, last


class Fleet:
    """The writers: processes with notes of what they were told."""

    def __init__(self, folder, site, prefix=()):
        self.folder, self.site, self.prefix = folder, site, prefix
        self.stop_file = folder / "stop"
        self.clients = [f"w{i:02}" for i in range(WRITERS)]
        self.notes = Notes({client: folder / client for client in self.clients})
        self.processes = {client: self._start(client) for client in self.clients}

    def _start(self, client):
        return subprocess.Popen([
            *self.prefix, sys.executable, str(HERE / "writer.py"), json.dumps(dataclasses.asdict(self.site)), client,
            str(self.folder / client), str(self.stop_file)])

    def told(self):
        return self.notes.update().counts["told"]

    def odd(self):
        """What no client should ever be answered, and was; of each the last notes of who got it."""
        every = self.notes.update().all
        odd = [client for client, note in every if "odd" in note]
        return {client: [note for whose, note in every if whose == client][-6:] for client in odd[:3]}

    def refused(self):
        """How often each writer was asked to come again."""
        return collections.Counter(self.notes.update().refused)

    def wait_for_progress(self, batches, seconds=PATIENCE_S):
        goal = self.told() + batches

        def progress():
            assert all(p.poll() is None for p in self.processes.values()), f"a writer gave up: {self.odd()}"
            return self.told() >= goal
        wait_until(progress, seconds, f"progress of {batches} batches")

    def kill_some(self, clients):
        """As kill -9 does it; each comes back and goes on where its notes end."""
        for client in clients:
            self.processes[client].kill()
            self.processes[client].wait()
            self.processes[client] = self._start(client)

    def drain(self):
        """Ends when every writer has all its answers."""
        self.stop_file.touch()
        for process in self.processes.values():
            assert process.wait(timeout=2 * PATIENCE_S) == 0, f"a writer was refused: {self.odd()}"

    def kill(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()


class Scene:
    """`campaign` says how many servers there are and what lies between them and the writers."""

    def __init__(self, folder, cluster, campaign, stack):
        self.folder, self.cluster, self.campaign = folder, cluster, campaign
        self.random = random.Random(7)
        self.outage_s, self.stretch = 0, 1  # the long form has more of both
        self.counts = collections.Counter()  # what was done to it
        self.url = cluster.create_database(name="faults")
        self.secret = folder / "secret"
        cairnd_run(self.url, self.secret, "upgrade")
        cairnd_run(self.url, self.secret, "user", "add", "ann", "--key-file", str(folder / "key"))
        self.replica = stack.enter_context(Replica(cluster)) if self.bound_s else None
        stack.callback(self.stop_servers)
        self.servers = []
        for _ in range(campaign.servers):
            self.add_server()
        self.way = campaign.way(self, stack) if campaign.way else None
        self.api = PatientApi(self.way.door if self.has_line else self.server, (folder / "key").read_text().strip())
        self.run = Run(self.api)
        self.fleet = Fleet(folder, self.site(), self.way.far.prefix if self.has_line else ())
        stack.callback(self.fleet.kill)

    @property
    def bound_s(self):
        return self.campaign.site.get("replica_bound_s", 0)

    @property
    def has_line(self):
        return hasattr(self.way, "far")

    @property
    def server(self):
        return self.servers[0]

    def site(self):
        port = self.way.port if self.way else self.server.port
        site = Site(port, self.api.key, self.run.path, **self.campaign.site)
        return dataclasses.replace(site, host=self.way.host) if self.has_line else site

    def add_server(self):
        reading = {"read_database_url": self.replica.url("faults"),
                   "read_lag_ms": round(self.bound_s * 1000)} if self.replica else {}
        server = Server(self.url, self.secret, **reading).start()
        self.servers.append(server)
        return server

    def settings(self):
        names = [*DURABLE, "data_directory"]
        shown = {name: self.cluster.psql(f"show {name}") for name in names}
        shown["file system"] = file_system(self.cluster.dir)
        return shown

    def stop_servers(self):
        for server in self.servers:
            with contextlib.suppress(RuntimeError):
                server.stop()
            shutil.rmtree(server.dir, ignore_errors=True)

    def some_time(self):
        """An instant that no one can foresee, in the midst of writing."""
        self.fleet.wait_for_progress(self.campaign.pace)
        time.sleep(self.random.uniform(0, 0.2))

    def refusals(self):
        """How often writers were asked to come again, by type of problem."""
        notes = self.fleet.notes.update()
        return dict(collections.Counter(note["refused"] for _, note in notes.all if "refused" in note))

    def reads(self):
        """How often what writers looked at came from where."""
        notes = self.fleet.notes.update()
        return collections.Counter(f"reads of the {note['read']}" for _, note in notes.all if "read" in note)

    def wait_for_replica(self, state):
        """As every server sees it."""
        def is_so():
            return all(PatientApi(server).get("/ready").json["replica"] == state for server in self.servers)
        wait_until(is_so, PATIENCE_S, f"a replica that is {state}")

    def in_flight(self):
        """Requests that wait for their answers, this one too."""
        asking = Api(self.server)
        text = asking.get("/metrics").text
        asking.close()
        return int(re.search(r"^cairn_http_requests_in_flight (\d+)$", text, re.MULTILINE)[1])

    def check(self):
        """Now, and once more with servers that remember nothing. (batches, rows) that are stored."""
        notes = self.fleet.notes.update()
        ledger, last = notes.ledger()
        odd = [*self.fleet.odd().items(), *getattr(self.way, "odd", [])]
        assert not odd, f"answers that no client should see: {odd[:5]}"
        known = [ledger.told.keys(), ledger.stored, ledger.unsent]
        assert set(ledger.sent) == set().union(*known), "batches without an answer"
        assert len(ledger.sent) == sum(map(len, known)), "a batch with two fates"
        for _ in range(2):
            self._check_streams(ledger, last)
            for server in self.servers:
                server.stop()
                server.start(server.port)
        stored = ledger.told.keys() | ledger.stored
        return len(stored), sum(ledger.sent[key] for key in stored)

    def _check_streams(self, ledger, last):
        """`last`: by client the session, batch and line of its last batch."""
        ledger.check(self.run.rows())
        lines = sorted((client, i) for client, (_, _, line) in last.items() for i in range(line + 1))
        assert len(lines) == len(ledger.told) + len(ledger.stored)
        assert sorted((e["w"], e["n"]) for e in self.run.events()) == lines, "events lost or doubled"
        console = [(c["label"], c["line"], c["text"]) for c in self.run.console(limit=10_000)]
        assert sorted(console) == [(w, i, f"{w} {i}") for w, i in lines], "console lines lost or doubled"
        assert self.run.summary()["done"] == {client: line for client, (_, _, line) in last.items()}
        for client, writer in self.run.writers().items():
            session, batch, line = last.get(client, (0, 0, -1))  # it may have come to nothing but a join
            # A join that came late, or after the last batch, has begun a session that holds nothing.
            assert (writer["session"], writer["batch"]) == (session, batch) or (
                writer["session"] > session and writer["batch"] == 0)
            assert writer["console_lines"] == writer["event_rows"] == line + 1
