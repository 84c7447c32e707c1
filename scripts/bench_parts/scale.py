"""What several servers give, and what a capacity model needs to know of one.

Two servers on the same cores cannot be quicker than one. They show what sharing costs: flushes of two
servers meet in the locks of runs, and neither combines what the other has.
"""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import subprocess
import sys

import host
from figures import LOAD_WRITERS, PROJECT, check_stored, drain, http_load, whole_load
from server import Server, run_load, run_plain

sys.path.insert(0, str(host.TOP / "tests"))
from cluster import Cluster  # noqa: E402

CONNECTIONS = 1000
TURNS = 3  # one server and two, in turn: what else the machine does meets both
TURN_S = 10  # at least: longer than compaction rests, so that each has its own


class OneOfSeveral(Server):
    """A server on a database that is not its own: the embedded one has connections for one server."""

    def __init__(self, folder, url, secret, key_file):
        super().__init__(folder)
        self.url_of_database, self.secret, self.key_file = url, secret, key_file
        self.folder.mkdir(exist_ok=True)

    def database(self):
        return self.url_of_database

    def command(self, *settings):
        # The address is no secret here: it leads to a socket that only users of this machine may open.
        return ["env", f"CAIRN_DATABASE_URL={self.url_of_database}",
                *super().command("--secret-file", str(self.secret), "--files-dir",
                                 str(self.secret.parent / "files"), *settings)]


@contextlib.contextmanager
def several(folder, count):
    """Servers on one PostgreSQL, which is set as the embedded one is."""
    folder = pathlib.Path(folder)
    settings = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "shared_buffers": "128MB",
                "wal_level": "minimal", "max_wal_senders": "0", "max_wal_size": "2GB"}
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(Cluster(base=str(folder), **settings))
        url, secret, key_file = cluster.create_database(name="bench"), folder / "secret", folder / "key-of-several"
        environment = {**os.environ, "CAIRN_DATABASE_URL": url, "CAIRN_SECRET_FILE": str(secret)}
        for words in (["upgrade"], ["user", "add", "bench", "--admin", "--key-file", str(key_file)]):
            subprocess.run([host.CAIRND, *words], check=True, capture_output=True, env=environment)
        yield [stack.enter_context(OneOfSeveral(folder / f"server-{i}", url, secret, key_file)) for i in range(count)]


def load_both(servers, run, seconds, writers, *options):
    """The same writers, spread over the servers; the sums."""
    share = writers // len(servers)

    def one(i):
        return run_load("load_http", "--url", servers[i].url, "--key-file", servers[i].key_file, "--project", PROJECT,
                        "--run", run, "--seconds", seconds, "--writers", share, "--first", i * share, *options)
    with concurrent.futures.ThreadPoolExecutor(len(servers)) as pool:
        results = list(pool.map(one, range(len(servers))))
    for server, result in zip(servers, results):
        if not result["requests"]:
            raise RuntimeError(f"the server at port {server.port} had nothing to do")
    return (sum(r["requests"] / r["seconds"] for r in results), sum(r["points"] / r["seconds"] for r in results),
            sum(r["points"] for r in results))


def compare(first, second, name, seconds, writers, *options):
    """(requests/s of one, of two; points/s of one, of two), each the sum of its turns."""
    sums = {1: [0, 0], 2: [0, 0]}
    for turn in range(TURNS):
        for count in (1, 2) if turn % 2 else (2, 1):
            run = f"{name}-{turn}-{count}"
            requests, points, told = load_both([first, second][:count], run, seconds // TURNS, writers, *options)
            runs = 1 if "--one-run" in options else writers
            check_stored(first, run, runs, told // 10)
            drain(first, run, runs)
            sums[count][0] += requests / TURNS
            sums[count][1] += points / TURNS
    return sums[1][0], sums[2][0], sums[1][1], sums[2][1]


def replicas(folder, seconds):
    """Two servers on one database; beside it one, with the same load, on the same cores."""
    with several(folder, 2) as (first, second):
        for server in (first, second):
            load_both([server], f"warm-{server.port}", 1, LOAD_WRITERS)
        seconds = max(seconds, TURN_S * TURNS)
        _, _, one, two = compare(first, second, "replicas", seconds, LOAD_WRITERS)
        yield ("replicas-2", two, "points/s", one)
        one, two, _, _ = compare(first, second, "replicas-64", seconds, 64, "--rows", 8, "--one-run")
        yield ("replicas-2-64", two, "requests/s", one)


def open_connections(server, count):
    """Connections of clients that have asked once and will again."""
    key = server.key_file.read_text().strip()
    made = []
    for _ in range(count):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", "/api/v1/viewer", headers={"Authorization": "Bearer " + key})
        connection.getresponse().read()
        made.append(connection)
    return made


def private_kib(pid):
    """Memory of a process that it shares with no other."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_"))


def connections(folder, _seconds):
    """What a client that keeps its connection takes; beside it what one of the database takes."""
    with Server(folder) as server:
        open_connections(server, 10)
        before = private_kib(server.process.pid)
        kept = open_connections(server, CONNECTIONS)
        ours = (private_kib(server.process.pid) - before) / CONNECTIONS
        for connection in kept:
            connection.close()
        http_load(server, "warm", 1, "--writers", LOAD_WRITERS)
        pids = server.sql("select pid from pg_stat_activity where application_name = 'cairnd'").split()
        plain = sum(private_kib(pid) for pid in pids) / len(pids)
    yield ("connection-rss", ours, "KiB", plain)


def small_requests(folder, seconds):
    """Requests of one row of ten metrics from 64 writers with a run each; plain: an INSERT of as much."""
    options = ("--writers", 64, "--rows", 1)
    with Server(folder) as server:
        http_load(server, "warm-small", 1, *options)
        ours = whole_load(server, "small", seconds, 64, *options)
    plain = run_plain(folder, "--seconds", seconds, "--writers", 16, "--rows", 1)
    yield ("request-cpu", ours["cpu_s"] / ours["requests"] * 1e6, "µs", plain["cpu_s"] / plain["requests"] * 1e6)


def sizes(folder, seconds):
    """What a writer of few rows takes beside its values: of the run, its lock, its names, its documents."""
    count = 1000
    with Server(folder) as server:
        ask = server.connect()
        before = int(server.sql("select pg_database_size(current_database())"))
        path = f"/projects/{PROJECT}/runs/sized"
        ask("PUT", path, "{}")
        for i in range(count):
            client = f"writer-{i}"
            session = ask("POST", path + "/join", json.dumps({"client": client, "role": "worker"}))["session"]
            ask("POST", path + "/batch", json.dumps({
                "writer": client, "session": session, "batch": 1, "config": {"rank": i}, "history": [{"loss": i}]}))
        server.sql("vacuum full run_writer; vacuum full run_config; checkpoint")
        ours = (int(server.sql("select pg_database_size(current_database())")) - before) / count
        plain = len(json.dumps({"client": "writer-0", "role": "worker", "config": {"rank": 0}}))
    yield ("writer-bytes", ours, "bytes", plain)


FIGURES = {
    "replicas-2": replicas,
    "replicas-2-64": replicas,
    "connection-rss": connections,
    "request-cpu": small_requests,
    "writer-bytes": sizes,
}
