"""What it costs to delete: the request, the purge behind it, and the memory of both."""
import statistics
import threading
import time

import host
from figures import http_load
from server import Server

PROJECT = "bench/load"  # as in http_load
ROWS = 6_500_000
METRICS = 10
PART = 10  # of the plain table a part is filled, and its times told for the whole


def private_mib(pids):
    """Memory of their own: what PostgreSQL's processes share is there anyway."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/status", encoding="ascii") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))
        except OSError:
            pass
    return total / 1024


class Peak:
    """The most memory that processes had more than at the beginning, looked at all the time."""

    def __init__(self, processes):
        self.processes = processes
        self.before = private_mib(processes())
        self.most = self.before
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.over.wait(0.002):
            self.most = max(self.most, private_mib(self.processes()))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    @property
    def grown(self):
        return self.most - self.before


def wait_until(condition, seconds=600):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(condition)
        time.sleep(0.01)


def processes_of(server):
    return {*host.family(server.process.pid), *host.family(server.postmaster())}


def fill(server, seconds):
    """A run of so many rows of ten metrics, compacted; its number and path."""
    ask = server.connect()
    path = f"/projects/{PROJECT}/runs/doomed-0"
    rows = 0
    while rows < ROWS:
        http_load(server, "doomed", seconds, "--one-run", "--writers", 2, "--rows", 1000)
        rows = ask("GET", path)["rows"]
    ask("POST", path + "/finish", '{"exit_code": 0}')
    number = server.sql("select run_id from run where name = 'doomed-0'")
    server.sql("update tail_ring set opened_at = opened_at - interval '1 day'")
    wait_until(lambda: server.sql(f"select compact_seq = next_seq - 1 from run_hot where run_id = {number}") == "t")
    return number, path, rows


def request_ms(ask, path, repeats=9):
    """A delete, and a restore so that there is another one."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        ask.raw("DELETE", path)
        times.append((time.perf_counter() - began) * 1e3)
        ask("POST", path + "/restore")
    return statistics.median(times)


def purge(server, ask, path, number):
    """Seconds from the request to the last row, and the memory meanwhile."""
    with Peak(lambda: processes_of(server)) as peak:
        began = time.perf_counter()
        ask.raw("DELETE", path + "?purge=now")
        wait_until(lambda: server.sql(f"select count(*) from run_hot where run_id = {number}") == "0")
        taken = time.perf_counter() - began
    left = server.sql(f"select count(*) from chunk where run_id = {number}")
    if left != "0":
        raise RuntimeError(f"{left} chunks are left")
    return taken, peak.grown


def plain_delete(server, rows):
    """The same points, a row each; seconds of a delete, told for all of them, and its memory."""
    steps = rows // PART
    server.sql(f"""create table point (run_id int8 not null, key int4 not null, step int8 not null,
        value float8 not null, primary key (run_id, key, step));
        insert into point select 1, k, s, 1 / (1.0 + s) from generate_series(0, {steps - 1}) s,
        generate_series(1, {METRICS}) k;
        checkpoint;""")
    with Peak(lambda: processes_of(server)) as peak:
        began = time.perf_counter()
        server.sql("delete from point where run_id = 1;")
        taken = time.perf_counter() - began
    server.sql("drop table point")
    return taken * PART, peak.grown


def delete(folder, seconds):
    """A run of 6.5 million rows: how long its delete takes, how long until its rows are gone, what memory."""
    with Server(folder) as server:
        number, path, rows = fill(server, seconds)
    with Server(folder) as server:  # without what filling it left in memory
        ask = server.connect()
        request = request_ms(ask, path)
        purged, memory = purge(server, ask, path, number)
        plain, plain_memory = plain_delete(server, rows)
    yield ("delete-6m5", request, "ms", plain * 1e3)
    yield ("delete-6m5-purge", purged, "s", plain)
    yield ("delete-6m5-memory", memory, "MiB", plain_memory)


FIGURES = {"delete-6m5": delete, "delete-6m5-purge": delete, "delete-6m5-memory": delete}
