"""The ledger of the spool: what was acknowledged, or is on disk, is on the server in the end, once and in order.

Processes log numbered rows and lines, offline or by a proxy that cuts connections, while processes and the server are
killed, a disk is full, and syncs run and are killed. The ledger notes up to where cairn_flush() was successful, and what the
spools hold before the last sync.
"""
import contextlib
import json
import os
import pathlib
import random
import select
import socket
import subprocess
import threading
import time

from cluster import wait_until
from probe import PATIENCE_S, environment_of
from real_server import RealRun
from spool_files import HISTORY, METRICS, frames_of, row_of

CAIRN = os.environ.get("CAIRN_TEST_COMMAND", "cairn")
PROBE = os.environ.get("CAIRN_TEST_PROBE")
ROWS = 40
PAUSE_S = 0.05  # between calls: the files are read in Python, too
DISK_MIB = 8


class Cutter:
    """A proxy that ends all connections now and then, and for a while takes none."""

    def __init__(self, port):
        self.to, self.is_open, self.connections, self.cuts = port, True, set(), 0
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.talk, args=(near,), daemon=True).start()

    def talk(self, near):
        try:
            assert self.is_open
            far = socket.create_connection(("127.0.0.1", self.to), timeout=10)
        except (AssertionError, OSError):
            near.close()
            return
        with self.lock:
            self.connections |= {near, far}
        with contextlib.suppress(OSError, ValueError):
            while True:
                for one in select.select([near, far], [], [])[0]:
                    data = one.recv(65536)
                    if not data:
                        raise OSError
                    (far if one is near else near).sendall(data)
        for one in (near, far):
            self.connections.discard(one)
            one.close()

    def cut(self):
        self.cuts += 1
        with self.lock:
            connections, self.connections = self.connections, set()
        for one in connections:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.close()
        self.cut()


class Entry:
    """One process."""

    def __init__(self, client, label, run):
        self.client, self.label, self.run = client, label, run
        self.acknowledged = -1  # all rows up to this one, but those that were dropped
        self.dropped = set()    # rows of calls that said so: some of them


class Writer(threading.Thread):
    """Keeps a process logging, a new one after each that is killed."""

    def __init__(self, number, environment, run, chance, until):
        super().__init__()
        self.number, self.environment, self.run_name, self.until = number, environment, run, until
        self.chance, self.entries, self.kills, self.error = chance, [], 0, None

    def run(self):
        try:
            while time.monotonic() < self.until:
                self.live()
        except Exception as error:  # noqa: BLE001
            self.error = error

    def live(self):
        process = subprocess.Popen([PROBE], env=self.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)

        def ask(*words):
            process.stdin.write(" ".join(map(str, words)) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        started = ask("start")
        assert started["result"] == "ok", started
        entry = Entry(started["client"], started["label"], self.run_name)
        self.entries.append(entry)
        is_killed, death, row = self.chance.random() < 0.7, self.chance.uniform(0.2, 2), 0
        death += time.monotonic()
        killer = threading.Timer(max(0, death - time.monotonic()), process.kill) if is_killed else None
        if killer:
            killer.start()
        with contextlib.suppress(OSError, ValueError):  # it was killed
            while time.monotonic() < min(self.until, death + 1):
                kept = ask("log", row, ROWS)["kept"]
                if kept < ROWS:
                    entry.dropped |= set(range(row, row + ROWS))
                row += ROWS
                time.sleep(PAUSE_S)
                if self.chance.random() < 0.4 and ask("flush", 300)["result"] == "ok":
                    entry.acknowledged = row - 1
            if not is_killed:
                ask("finish", 0, 500)
        if killer:
            killer.cancel()
        self.kills += is_killed
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                stream.close()


@contextlib.contextmanager
def small_disk(folder):
    """A file system of some MiB, or None where none can be mounted."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=0700", "tmpfs", folder], capture_output=True)
    try:
        yield folder if done.returncode == 0 else None
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", folder], check=True)


def held(tops):
    """Row numbers in the spools, by client id."""
    found = {}
    for top in tops:
        for folder in top.glob("*.*"):
            client = json.loads((folder / "writer.json").read_text())["client"] if (folder / "writer.json").exists() else None
            for path in sorted(folder.glob("*.log")):
                for kind, payload in frames_of(path)[1]:
                    if kind == 1 and payload[8] == HISTORY and payload[9] == METRICS:
                        found.setdefault(client, set()).add(int(row_of(payload)[1]["n"]))
    return found


class Campaign:
    def __init__(self, server, folder, processes, seconds, server_kills, seed):
        self.server, self.folder, self.chance = server, pathlib.Path(folder), random.Random(seed)
        self.cutter = Cutter(server.port)
        self.until = time.monotonic() + seconds
        self.processes, self.seconds, self.server_kills = processes, seconds, server_kills
        self.counts = {"server kills": 0, "syncs": 0, "syncs killed": 0, "full disks": 0}

    @property
    def url(self):
        return f"http://127.0.0.1:{self.cutter.port}"

    def environment(self, top, is_offline, run):
        return environment_of(self.url, self.server.key) | {
            "CAIRN_PROJECT": "me/ledger", "CAIRN_RUN": run, "CAIRN_ROLE": "worker", "CAIRN_SPOOL_DIR": str(top),
            "CAIRN_MODE": "offline" if is_offline else "online", "CAIRN_SPOOL_AFTER_MS": "200", "CAIRN_SPOOL_RESERVE": "0"}

    def sync(self, tops, url):
        environment = environment_of(url, self.server.key)
        return subprocess.Popen([CAIRN, "sync", "--timeout", str(PATIENCE_S), *map(str, tops)], env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def disturb(self, tops, disk):
        """One fault at a time, at random."""
        filler = disk / "filler" if disk else None
        first = ["cut", "disk", "sync"]
        while time.monotonic() < self.until:
            time.sleep(self.chance.uniform(0.05, 0.5))
            fault = first.pop() if first else self.chance.choice(["cut", "cut", "closed", "sync", "sync", "disk"])
            if fault == "cut":
                self.cutter.cut()
            elif fault == "closed":
                self.cutter.is_open = not self.cutter.is_open
                self.cutter.cut()
            elif fault == "disk" and filler:
                if filler.exists():
                    filler.unlink()
                else:
                    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
                        while True:
                            file.write(b"\0" * 65536)
                    self.counts["full disks"] += 1
            elif fault == "sync":
                self.counts["syncs"] += 1
                process = self.sync(tops, self.url)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.communicate(timeout=self.chance.uniform(0.05, 1))
                self.counts["syncs killed"] += process.poll() is None
                process.kill()
                process.communicate()
            if self.counts["server kills"] < self.server_kills and self.chance.random() < 0.2:
                self.counts["server kills"] += 1
                self.server.kill()
                self.server.back()
        self.cutter.is_open = True
        if filler and filler.exists():
            filler.unlink()

    def run(self):
        with small_disk(self.folder / "disk") as disk:
            tops = [self.folder / "spool", *([disk / "spool"] if disk else [])]
            for top in tops:
                top.mkdir(mode=0o700)
            writers = [Writer(n, self.environment(tops[n // 2 % len(tops)], n % 2 == 0, f"ledger-{n % 4}"), f"ledger-{n % 4}",
                              random.Random(self.chance.random()), self.until) for n in range(self.processes)]
            for writer in writers:
                writer.start()
            self.disturb(tops, disk)
            for writer in writers:
                writer.join(PATIENCE_S)
                assert not writer.is_alive() and not writer.error, writer.error
            self.counts["processes killed"] = sum(writer.kills for writer in writers)
            on_disk = held(tops)
            for number in range(2):
                process = self.sync(tops, self.server.url)
                told = process.communicate(timeout=PATIENCE_S)
                assert process.returncode == 0, told
                assert number == 0 or " 0 rows, 0 system samples, 0 lines; all synced" in told[0], told
            self.check([entry for writer in writers for entry in writer.entries], on_disk)
        self.cutter.close()

    def check(self, entries, on_disk):
        runs = {entry.run: RealRun(self.server, entry.run, "ledger") for entry in entries}
        rows = {}
        for run in runs.values():
            for row in run.rows if run.is_there() else ():
                rows.setdefault((run.name, row["_label"]), []).append(int(row["n"]))
        lost, doubled, disordered = [], 0, 0
        for entry in entries:
            there = rows.get((entry.run, entry.label), [])
            known = set(there)
            wanted = set(range(entry.acknowledged + 1)) - entry.dropped | on_disk.get(entry.client, set())
            lost += [(entry.label, n) for n in sorted(wanted - known)]
            doubled += len(there) - len(known)
            disordered += there != sorted(there)
        self.counts |= {"processes": len(entries), "cuts": self.cutter.cuts, "rows": sum(map(len, rows.values())),
                        "rows acknowledged": sum(entry.acknowledged + 1 for entry in entries),
                        "rows on disk": sum(map(len, on_disk.values())),
                        "rows of calls that dropped some": sum(len(entry.dropped) for entry in entries)}
        print(json.dumps(self.counts))
        assert (lost[:10], len(lost), doubled, disordered) == ([], 0, 0, 0)
        assert self.counts["rows acknowledged"] and self.counts["rows on disk"] and self.counts["processes killed"]
        wait_until(lambda: all(run.get() for run in runs.values()), what="the runs")
