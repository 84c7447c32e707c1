"""One function per measurement. Each yields (name, value, unit, value of the plain alternative)."""
import json
import os
import socket
import statistics
import subprocess
import time

import console
import host
import live
from search import PENDING, pending, search
from server import Server, postgres_alone, run_plain

PROJECT = "bench/load"
LOAD_WRITERS = 16
DRAIN_S = 60  # within which nothing waits any more once the runs have ended


def http_load(server, run, seconds, *options):
    return server.load("load_http", "--url", server.url, "--key-file", server.key_file, "--project", PROJECT,
                       "--run", run, "--seconds", seconds, *options)


def check_stored(server, run, writers, rows_told):
    """What was acknowledged is what the server says it has."""
    ask = server.connect()
    stored = sum(ask("GET", f"/projects/{PROJECT}/runs/{run}-{i}")["rows"] for i in range(writers))
    if stored != rows_told:
        raise RuntimeError(f"{rows_told} rows were acknowledged, {stored} are there")


def drain(server, run, runs):
    """Ends the runs; seconds until nothing of them waits for compaction."""
    ask, began = server.connect(), time.monotonic()
    for i in range(runs):
        ask("POST", f"/projects/{PROJECT}/runs/{run}-{i}/finish", '{"state":"finished"}')
    while int(server.sql("select coalesce(sum(tail_rows), 0) from run_hot where state <> 1")):
        if time.monotonic() - began > DRAIN_S:
            raise RuntimeError(f"the tail was not compacted within {DRAIN_S} s")
        time.sleep(0.1)
    return time.monotonic() - began


def whole_load(server, run, seconds, runs, *options):
    """A load whose CPU seconds are those until all is compacted: what compaction rests is no saving."""
    before = server.cpu()
    result = http_load(server, run, seconds, *options)
    drain(server, run, runs)
    result["cpu_s"] = server.cpu() - before
    return result


def ingest(folder, seconds):
    """Batches of 50 KB, 106 rows of 10 metrics, from several writers, each with a run of its own."""
    with Server(folder) as server:
        http_load(server, "warm", 1, "--writers", LOAD_WRITERS)
        ours = whole_load(server, "ingest", seconds, LOAD_WRITERS, "--writers", LOAD_WRITERS)
        check_stored(server, "ingest", LOAD_WRITERS, ours["points"] // 10)
    plain = run_plain(folder, "--seconds", seconds, "--writers", LOAD_WRITERS)
    yield ("ingest-50k", ours["points"] / ours["seconds"], "points/s", plain["points"] / plain["seconds"])
    yield ("cpu-per-mpoint", ours["cpu_s"] / ours["points"] * 1e6, "s", plain["cpu_s"] / plain["points"] * 1e6)


def writers(folder, seconds):
    """64 writers into one run, 4 KB a request."""
    options = ("--writers", 64, "--rows", 8, "--one-run")
    with Server(folder) as server:
        http_load(server, "warm64", 1, *options)
        ours = http_load(server, "writers", seconds, *options)
        check_stored(server, "writers", 1, ours["points"] // 10)
    plain = run_plain(folder, "--seconds", seconds, *options)
    yield ("writers-64", ours["requests"] / ours["seconds"], "requests/s", plain["requests"] / plain["seconds"])
    yield ("writers-64-p99", ours["p99_ms"], "ms", plain["p99_ms"])


def answers_ready(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as s:
            s.sendall(b"GET /ready HTTP/1.0\r\n\r\n")
            return b" 200 " in s.recv(64)
    except OSError:
        return False


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_once(server):
    port = free_port()
    with open(server.folder / "cairnd.log", "a", encoding="utf-8") as log:
        began = time.perf_counter()
        server.process = subprocess.Popen(server.command("--listen", f"127.0.0.1:{port}"), stdout=log, stderr=log)
        while not answers_ready(port):
            if time.perf_counter() - began > 60:
                raise RuntimeError("the server does not answer")
            time.sleep(0.001)
        taken = time.perf_counter() - began
    server.stop()
    return taken


def start_postgres_once(folder):
    """PostgreSQL alone on the same files, as its own pg_ctl starts it."""
    began = time.perf_counter()
    with postgres_alone(folder):
        return time.perf_counter() - began


def start(folder, _seconds):
    """From the start of the program to its first 200, the embedded database being there already."""
    with Server(folder):
        pass
    server = Server(folder)
    ours = [start_once(server) for _ in range(5)]
    plain = [start_postgres_once(folder) for _ in range(3)]
    yield ("start", statistics.median(ours), "s", statistics.median(plain))


def idle(folder, _seconds):
    """Resident memory of the server that has nothing to do, and of the PostgreSQL beside it."""
    with Server(folder) as server:
        ask = server.connect()
        ask("GET", "/viewer")
        time.sleep(3)
        ours = host.resident_mib(server.process.pid)
        plain = host.resident_mib(server.postmaster())
    yield ("idle-rss", ours, "MiB", plain)


def log_call(folder, _seconds):
    """cairn_log() of ten metrics in the calling thread, and a line of JSON flushed to a file."""
    with Server(folder) as server:
        environment = {**os.environ, "CAIRN_URL": server.url, "CAIRN_API_KEY_FILE": str(server.key_file),
                       "CAIRN_PROJECT": PROJECT}
        program = str(host.LOAD / "load_log")
        ours = json.loads(subprocess.run([program], capture_output=True, text=True, env=environment,
                                         check=True).stdout)
        plain = json.loads(subprocess.run([program, "--file", str(folder / "lines.json")], capture_output=True,
                                          text=True, check=True).stdout)
    yield ("log-call", ours["p50_ms"] * 1e3, "µs", plain["p50_ms"] * 1e3)
    yield ("log-call-p99", ours["p99_ms"] * 1e3, "µs", plain["p99_ms"] * 1e3)


def sampler(_folder, seconds):
    """The sampler once a second with a process tree; beside it `ps` once a second for the same facts."""
    seconds = max(seconds, 10)
    with open("/dev/null", "w", encoding="ascii") as nowhere:
        process = subprocess.Popen([host.SAMPLER, "--interval", "1", "--pid", str(os.getpid())], stdout=nowhere)
        time.sleep(1)
        before = host.cpu_seconds_alone(process.pid)
        time.sleep(seconds)
        ours = (host.cpu_seconds_alone(process.pid) - before) / seconds * 100
        process.terminate()
        process.wait()
        began = os.times()
        for _ in range(10):
            subprocess.run(["ps", "-e", "-o", "pid,ppid,pcpu,rss,nlwp"], stdout=nowhere, check=True)
        ended = os.times()
    spent = (ended.children_user + ended.children_system) - (began.children_user + began.children_system)
    yield ("sampler", ours, "% of a core", spent / 10 * 100)


# Names of figures to what measures them; one measurement may give several.
FIGURES = {
    "ingest-50k": ingest,
    "cpu-per-mpoint": ingest,
    "writers-64": writers,
    "writers-64-p99": writers,
    "search-100k": search,
    "search-100k-p99": search,
    "search-words": search,
    "search-regex": search,
    "search-again": search,
    "search-first": search,
    "search-load": search,
    "search-memory": search,
    **{f"search-pending-{count}{which}": pending for count in PENDING for which in ("", "-all")},
    "idle-rss": idle,
    "start": start,
    **dict.fromkeys(("console-10m", "console-10m-time", "console-10m-last", "console-10m-latest", "console-10m-search",
                     "console-10m-bytes", "console-10m-write", "console-10m-cpu", "console-10m-memory"), console.console),
    "listeners-1000": live.listeners,
    "listeners-1000-p99": live.listeners,
    "listeners-1000-cpu": live.listeners,
    "listeners-1000-memory": live.listeners,
    "log-call": log_call,
    "log-call-p99": log_call,
    "sampler": sampler,
}
