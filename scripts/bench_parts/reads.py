"""What charts and exports cost, each beside SQL on a table of a row per point, or on rows of JSONB."""
import http.client
import json
import os
import statistics
import time

from server import Server

PROJECT = "bench/load"
METRICS = 10
COLUMNS = "application/vnd.cairn.columns"


def value(step, seed=0):
    return 1 / (1 + step * 1e-4) + ((step + seed) * 7919 % 1000) * 1e-5


def fill(ask, run, steps, keys=("loss",), per_batch=10000):
    """A run with a row per step; returns its path."""
    path = f"/projects/{PROJECT}/runs/{run}"
    ask("PUT", path, "{}")
    session = ask("POST", path + "/join", '{"client":"bench","role":"primary"}')["session"]
    for batch in range(-(-steps // per_batch)):
        rows = ",".join(
            f'{{"_step":{step},' + ",".join(f'"{key}":{value(step, i):.9f}' for i, key in enumerate(keys)) + "}"
            for step in range(batch * per_batch, min(steps, (batch + 1) * per_batch)))
        ask("POST", path + "/batch", f'{{"writer":"bench","session":{session},"batch":{batch + 1},"history":[{rows}]}}')
    ask("POST", path + "/finish", f'{{"writer":"bench","session":{session},"exit_code":0}}')
    return path


def wait_compacted(server):
    """Until nothing waits of runs that ended; others, of figures before, may wait for long."""
    while server.sql("select count(*) from run_hot where tail_rows > 0 and state <> 1") != "0":
        time.sleep(0.1)
    time.sleep(3)


def timed(seconds, work):
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end or len(times) < 10:
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times)


def sql_times(server, query, repeats=3):
    told = server.sql("\\timing on\n\\o /dev/null\n" + query * repeats)
    return statistics.median(float(line.split()[1]) for line in told.splitlines() if line.startswith("Time:"))


def make_points(server, series, steps):
    """A row per point, as SQL would have it."""
    server.sql(f"""create table point (run_id int8 not null, key text not null, step int8 not null,
        value float8 not null, primary key (run_id, key, step));
        insert into point select r, 'loss', s, 1 / (1 + s * 1e-4)
          from generate_series(1, {series}) r, generate_series(0, {steps - 1}) s;
        analyze point;""")


def chart_of(server, seconds, steps):
    """A metric as 1000 buckets, over HTTP."""
    ask = server.connect()
    path = fill(ask, f"chart-{steps}-{os.getpid()}", steps) + "/history?keys=loss&buckets=1000"
    wait_compacted(server)
    if sum(b["n"] for b in ask("GET", path)["series"][0]["buckets"]) != steps:
        raise RuntimeError("the chart has not all steps")
    return timed(seconds, lambda: ask.raw("GET", path))


def chart_1m(folder, seconds):
    """A million steps of one metric as 1000 buckets; beside it SQL that groups a row per point."""
    steps = 1_000_000
    with Server(folder) as server:
        ours = chart_of(server, seconds, steps)
        make_points(server, 1, steps)
        plain = sql_times(server, f"""select width_bucket(step, 0, {steps}, 1000) b, min(value), max(value),
            avg(value), count(*) from point where run_id = 1 group by 1 order by 1;""")
        server.sql("drop table point")
    yield ("chart-1m", ours, "ms", plain)


def chart_10m(folder, seconds):
    """Ten million steps of one metric as 1000 buckets; the plain one groups a tenth of them, times ten."""
    steps = 10_000_000
    with Server(folder) as server:
        ours = chart_of(server, seconds, steps)
        make_points(server, 1, steps // 10)
        plain = 10 * sql_times(server, f"""select width_bucket(step, 0, {steps // 10}, 1000) b, min(value), max(value),
            avg(value), count(*) from point where run_id = 1 group by 1 order by 1;""")
        server.sql("drop table point")
    yield ("chart-10m", ours, "ms", plain)


def post_columns(server, body):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    head = {"Authorization": "Bearer " + server.key_file.read_text().strip(), "Content-Type": "application/json",
            "Accept": COLUMNS}
    text = json.dumps(body)

    def post():
        connection.request("POST", f"/api/v1/projects/{PROJECT}/series", text, head)
        answer = connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"series: {answer.status}")
        return answer.read()

    return post


def series_100(folder, seconds):
    """Ten metrics of ten runs of 100,000 steps as columns of 320 buckets, in one request; beside SQL."""
    steps, runs = 100_000, 10
    keys = [f"metric_{i}" for i in range(METRICS)]
    with Server(folder) as server:
        ask = server.connect()
        for run in range(runs):
            fill(ask, f"series-{run}", steps, keys)
        wait_compacted(server)
        post = post_columns(server, {"runs": [f"series-{run}" for run in range(runs)],
                                     "panels": [{"keys": keys, "buckets": 320}]})
        if post().count(b'"piece":"series"') != runs * METRICS:
            raise RuntimeError("not all series are there")
        ours = timed(seconds, post)
        make_points(server, runs, steps)
        plain = METRICS * sql_times(server, f"""select run_id, width_bucket(step, 0, {steps}, 320) b, min(value),
            max(value), avg(value), count(*) from point group by 1, 2 order by 1, 2;""")
        server.sql("drop table point")
    yield ("series-100", ours, "ms", plain)


def export_105k(folder, seconds):
    """105,000 rows of ten metrics as NDJSON; beside it psql writing rows of JSONB."""
    rows = 105_000
    keys = [f"metric_{i}" for i in range(METRICS)]
    with Server(folder) as server:
        ask = server.connect()
        path = fill(ask, "export", rows, keys) + "/history?format=ndjson"
        wait_compacted(server)
        if ask.raw("GET", path).count(b"\n") != rows:
            raise RuntimeError("not all rows are there")
        ours = timed(seconds, lambda: ask.raw("GET", path)) / 1e3
        pairs = ", ".join(f"'{key}', 1 / (1 + s * 1e-4) + {i}" for i, key in enumerate(keys))
        server.sql(f"""create table line (step int8 primary key, value jsonb not null);
            insert into line select s, jsonb_build_object({pairs}) from generate_series(0, {rows - 1}) s;""")
        plain = timed(1, lambda: server.sql("copy (select value from line order by step) to stdout")) / 1e3
        server.sql("drop table line")
    yield ("export-105k", ours, "s", plain)


FIGURES = {
    "chart-1m": chart_1m,
    "chart-10m": chart_10m,
    "series-100": series_100,
    "export-105k": export_105k,
}
