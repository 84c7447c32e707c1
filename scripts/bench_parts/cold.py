"""The first questions after a start, on the embedded PostgreSQL and on one with the defaults of its package (JIT
on); beside each the same question asked on."""
import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import host
import reads
import search
from server import Server

STARTS = 5
FIRST = 10
WARM = 100
LOAD_S = 120
STEPS = 1_000_000
RUN = "cold"
CHART = f"/projects/{reads.PROJECT}/runs/{RUN}/history?keys=loss&buckets=1000"


class StockServer(Server):
    """A server on the PostgreSQL that CAIRN_DATABASE_URL names."""

    def database(self):
        return os.environ["CAIRN_DATABASE_URL"]


@contextlib.contextmanager
def stock_postgres(folder):
    """As initdb makes it; CAIRN_DATABASE_URL says where it listens."""
    data, programs, run = folder / "pg", host.postgres_bindir(), host.as_postgres()
    with tempfile.TemporaryDirectory(prefix="cairn-bench.", dir="/tmp") as sockets:
        os.chmod(sockets, 0o777)
        data.mkdir()
        if run:
            shutil.chown(data, "postgres")
        subprocess.run([*run, str(programs / "initdb"), "-D", str(data), "-U", "cairn", "-A", "trust", "-E", "UTF8",
                        "--locale=C.UTF-8", "--no-instructions"], check=True, cwd="/", stdout=subprocess.DEVNULL)
        ctl = [*run, str(programs / "pg_ctl"), "-s", "-w", "-D", str(data)]
        subprocess.run([*ctl, "-l", "/dev/null", "-o", f"-k {sockets} -c listen_addresses=", "start"], check=True,
                       cwd="/")
        os.environ["CAIRN_DATABASE_URL"] = f"host={sockets} user=cairn dbname=postgres"
        try:
            yield
        finally:
            del os.environ["CAIRN_DATABASE_URL"]
            subprocess.run([*ctl, "-m", "fast", "stop"], check=True, cwd="/")


def asked_ms(ask, path):
    began = time.perf_counter()
    ask.raw("GET", path)
    return (time.perf_counter() - began) * 1e3


def wait_loaded(server):
    """Until the server has the searched documents of both projects, which nobody asked it for."""
    end = time.monotonic() + LOAD_S
    while search.metric(server, "cairn_search_loads_total") < 2:
        if time.monotonic() > end:
            raise RuntimeError("no searched documents were loaded at the start")
        time.sleep(0.01)


def first_ms(make_server, path, wait):
    """Of the first questions after each start: the medians' median; then of as many as make it warm."""
    cold = []
    for _ in range(STARTS):
        with make_server() as server:
            wait(server)
            ask = server.connect()
            cold.append(statistics.median(asked_ms(ask, path) for _ in range(FIRST)))
            warm = statistics.median(asked_ms(ask, path) for _ in range(WARM))
    return statistics.median(cold), warm


def measure(make_server, suffix):
    with make_server() as server:
        reads.fill(server.connect(), RUN, STEPS)
        search.fill(server)
        reads.wait_compacted(server)
    chart, chart_warm = first_ms(make_server, CHART, lambda _: None)
    page, page_warm = first_ms(make_server, search.path_of(search.QUESTIONS[1][0]), wait_loaded)
    yield (f"chart-1m-cold{suffix}", chart, "ms", chart_warm)
    yield (f"search-cold{suffix}", page, "ms", page_warm)


def cold(folder, _seconds):
    """The first ten questions after a start: a metric of a million steps as 1000 buckets, and a page of 50 among
    100,000 runs."""
    own, stock = (pathlib.Path(folder) / name for name in ("cold", "cold-stock"))
    own.mkdir(mode=0o755)
    stock.mkdir(mode=0o755)
    yield from measure(lambda: Server(own), "")
    with stock_postgres(stock):
        yield from measure(lambda: StockServer(stock), "-stock")


FIGURES = {name + suffix: cold for name in ("chart-1m-cold", "search-cold") for suffix in ("", "-stock")}
