"""Reading numbers back: exact rows, sampled buckets, keys, events."""
import bisect
import csv
import http.client
import io
import json
import math
import socket
import threading
import urllib.parse

import pytest

from rest import Api
from runs import Run, compact


def fill(run, batches, rows, value, **join):
    """`value(i)` for row i of the run; one writer."""
    w = run.join(**join)
    for b in range(batches):
        w.send(history=[{"v": value(b * rows + i)} for i in range(rows)])
    return w


def check_buckets(run, series, rows, key="v"):
    """Every bucket is what the rows in its stretch make it; steps rise."""
    found = [(r["_step"], r[key]) for r in rows if key in r]
    steps = [step for step, _ in found]
    total = 0
    for b in series["buckets"]:
        stretch = slice(bisect.bisect_left(steps, b["x_first"]), bisect.bisect_right(steps, b["x_last"]))
        inside = [v for _, v in found[stretch]]
        total += len(inside)
        finite = [v for v in inside if not isinstance(v, str)]
        assert (b["first"], b["last"], b["n"]) == (inside[0], inside[-1], len(finite))
        assert (b["min"], b["max"]) == (min(finite, default=None), max(finite, default=None))
        assert b["mean"] == (pytest.approx(math.fsum(finite) / len(finite), rel=1e-9) if finite else None)
        assert (b["nan"], b["pinf"], b["ninf"]) == tuple(map(inside.count, ("NaN", "Infinity", "-Infinity")))
    assert total == len(found)
    edges = [x for b in series["buckets"] for x in (b["x_first"], b["x_last"])]
    assert edges == sorted(edges)


# --- exact

def test_exact_rows_in_row_order(run):
    w = run.join(label="rank0")
    w.send(history=[{"a": 1, "_timestamp": 5.5}, {"_step": 9, "b": "x"}])
    rows = run.rows()
    assert rows[0] == {"_row": 0, "_label": "rank0", "_step": 0, "_timestamp": 5.5, "a": 1}
    assert (rows[1]["_step"], rows[1]["b"], "a" in rows[1]) == (9, "x", False)


def test_exact_by_header(run):
    run.join().send(history=[{"a": 1}])
    path = f"{run.path}/history"
    ndjson = run.api.request("GET", path, headers={"Accept": "application/x-ndjson"})
    assert ndjson.content_type == "application/x-ndjson" and len(ndjson.lines) == 1
    assert run.api.request("GET", path, headers={"Accept": "text/csv"}).content_type == "text/csv"
    for accept in ("text/csv;q=0.5, application/json;q=0.4", "text/*, */*;q=0.1", "TEXT/PLAIN, Text/CSV;header=present",
                   "text/csv;q=0.2, text/*;q=0.1, application/*;q=0.1"):
        assert run.api.request("GET", path, headers={"Accept": accept}).content_type == "text/csv", accept
    sampled = run.api.request("GET", path, headers={"Accept": "*/*"}, query={"keys": "a"})
    assert sampled.content_type == "application/json"


def test_exact_selection(run):
    one, two = run.join("c1", label="one"), run.join("c2", "worker", label="two")
    one.send(history=[{"a": 1}, {"b": 2}, {"a": 3, "b": 4}])
    two.send(history=[{"a": 5}])
    assert [(r["_row"], r["a"]) for r in run.rows(keys="a")] == [(0, 1), (2, 3), (3, 5)]
    assert all("b" not in r for r in run.rows(keys="a"))
    assert [r["_row"] for r in run.rows(keys="a,b")] == [0, 1, 2, 3]
    assert [r["_row"] for r in run.rows(label="two")] == [3]
    assert [r["_row"] for r in run.rows(**{"from": 1, "to": 2})] == [1, 2]
    assert run.rows(keys="none") == [] == run.rows(label="none")


def test_csv(run):
    w = run.join(label="rank0")
    w.send(history=[{"a": 1.5, "_timestamp": 10.0}, {"b": 'say "hi", you', "_timestamp": 11.0},
                    {"a": float("nan"), "c": [1, "x"], "d": True, "_timestamp": 12.0}, {"b": "two\nlines"}])
    answer = run.api.get(f"{run.path}/history", format="csv")
    assert answer.content_type == "text/csv"
    table = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert list(table[0])[:4] == ["_row", "_label", "_step", "_timestamp"]
    assert set(table[0]) == {"_row", "_label", "_step", "_timestamp", "a", "b", "c", "d"}
    assert [r["a"] for r in table] == ["1.5", "", "NaN", ""]
    assert [r["b"] for r in table] == ["", 'say "hi", you', "", "two\nlines"]
    assert (table[2]["c"], table[2]["d"]) == ('[1,"x"]', "true")
    assert [float(r["_timestamp"]) for r in table[:3]] == [10, 11, 12]


def test_csv_has_no_formulas(run):
    """Texts, names of keys and labels that a spreadsheet would run; numbers stay numbers."""
    texts = ["=HYPERLINK(1)", "+1", "-2", "@sum", "\tx", "\rx", "a=b", "", "'=", "-"]
    w = run.join(label="=rank")
    w.send(history=[{"v": text} for text in texts] + [{"v": -3, "=key": 1}, {"v": float("-inf")}, {"v": -(10**20)}])
    table = list(csv.DictReader(io.StringIO(run.api.get(f"{run.path}/history", format="csv").text, newline="")))
    guarded = [f"'{text}" if text[:1] in set("=+-@\t\r") else text for text in texts]
    assert [r["v"] for r in table] == [*guarded, "-3", "-Infinity", "-100000000000000000000"]
    assert {r["_label"] for r in table} == {"'=rank"} and table[10]["'=key"] == "1"


def test_columns_of_csv_are_those_asked_for(run):
    """In their order, whether the run has them or not, so that what came at different times fits together."""
    run.join().send(history=[{"a": 1, "b": 2, "_timestamp": 10.5}, {"c": 3, "_timestamp": 11.5}])
    text = run.api.get(f"{run.path}/history", format="csv", keys="c,later,a,c").text
    assert [line.split(",")[2:] for line in text.split()] == [
        ["_step", "_timestamp", "c", "later", "a"], ["0", "10.5", "", "", "1"], ["1", "11.5", "3", "", ""]]
    text = run.api.get(f"{run.path}/history", format="csv", keys="later").text
    assert text == "_row,_label,_step,_timestamp,later\r\n"
    text = run.api.get(f"{run.path}/history", format="csv", keys="b,_timestamp").text
    assert text.split()[:2] == ["_row,_label,_step,b,_timestamp", text.split()[1]]
    assert [line.split(",")[3:] for line in text.split()[1:]] == [["2", "10.5"], ["", "11.5"]]


def test_an_export_goes_on(run):
    """After any row: all that is behind it, also what came since."""
    w = run.join()
    w.send(history=[{"v": i} for i in range(300)], events=[{"cpu": i} for i in range(5)])
    whole = run.rows()
    for at in (0, 255, 298, 299):
        assert run.rows(after=at) == whole[at + 1:]
    w.send(history=[{"v": 300}])
    assert [r["v"] for r in run.rows(after=299)] == [300] and run.rows(after=1 << 40) == []
    assert [r["cpu"] for r in run.events(after=2)] == [3, 4]
    text = run.api.get(f"{run.path}/history", format="csv", after=299).text
    assert [line.split(",")[0] for line in text.split()] == ["_row", "300"]


def test_each_nth_of_exact_rows(run):
    """Counted among the rows that hold one of the keys; what is behind a row is counted from there."""
    w = run.join()
    w.send(history=[{"v": step, **({"rare": [step]} if step % 7 == 0 else {})} for step in range(5000)])
    assert [row["v"] for row in run.rows(every=1000)] == [0, 1000, 2000, 3000, 4000]
    assert [row["rare"] for row in run.rows(keys="rare", every=300)] == [[0], [2100], [4200]]
    assert [row["v"] for row in run.rows(every=1000, after=2500)] == [2501, 3501, 4501]
    assert [row["v"] for row in run.rows(every=1000000000)] == [0] and len(run.rows(every=1)) == 5000


@pytest.mark.parametrize("query", [
    {"keys": "v", "every": 3}, {"format": "csv", "every": 0}, {"format": "ndjson", "every": "x"},
    {"format": "ndjson", "every": 1000000001},
    {"keys": "v", "after": 3}, {"format": "csv", "after": "x"}, {"format": "ndjson", "after": -1},
    {"format": "xml"}, {"buckets": 0}, {"buckets": 20001}, {"buckets": "x"}, {"buckets": 10},
    {"keys": "v", "buckets": 10, "format": "ndjson"}, {"keys": "v", "from": -1}, {"keys": "v", "to": "x"},
    {"keys": "v", "split": "label"}, {"keys": "v", "bucket": 5}, {"keys": ""}, {"keys": "v", "label": "a/b"},
])
def test_reading_refuses(run, query):
    run.join().send(history=[{"v": 1}])
    run.api.refused(400, "invalid", "GET", f"{run.path}/history", query=query)


def test_exact_of_many_rows_is_streamed(run):
    fill(run, 20, 1000, lambda i: i)
    rows = run.rows()
    assert [r["v"] for r in rows] == list(range(20_000)) == [r["_row"] for r in rows]


def slow_reader(server, key, path):
    """An answer of which the kernel takes little on behalf of the client."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.sock = socket.socket()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    connection.sock.connect(("127.0.0.1", server.port))
    connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
    return connection, connection.getresponse()


def test_a_stream_outlasts_a_database_that_is_away(run, db, cluster, server, wait_for):
    """A part of the answer has been sent, so nobody can be told to come again."""
    fill(run, 20, 1000, lambda i: f"{i:05}" + "x" * 300)
    name = db.value("select current_database()")
    connection, answer = slow_reader(server, run.api.key, f"{run.path}/history?format=ndjson")
    text = [answer.read(1000)]
    reader = threading.Thread(target=lambda: text.append(answer.read()))
    cluster.psql(f'alter database "{name}" with allow_connections false')
    try:
        cluster.psql(f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'")
        reader.start()
        wait_for(lambda: "response waits for the database or for memory" in server.log())
    finally:
        cluster.psql(f'alter database "{name}" with allow_connections true')
    reader.join()
    connection.close()
    assert [int(json.loads(line)["v"][:5]) for line in b"".join(text).splitlines()] == list(range(20_000))


# --- sampled

def test_few_points_are_themselves(run):
    fill(run, 1, 5, lambda i: i * 10)
    series, = run.sampled("v", 1000)
    assert series["key"] == "v" and "label" not in series
    assert [(b["x_first"], b["x_last"], b["first"], b["n"]) for b in series["buckets"]] == [
        (i, i, i * 10, 1) for i in range(5)]


def test_buckets_are_what_their_rows_make_them(run):
    fill(run, 10, 300, lambda i: math.sin(i / 50) + (i % 7) / 10)
    rows = run.rows()
    for k in (1, 7, 100, 1000, 5000):
        series, = run.sampled("v", k)
        assert 1 <= len(series["buckets"]) <= k
        check_buckets(run, series, rows)


def test_spikes_survive(run):
    fill(run, 10, 2000, lambda i: 1e9 if i == 12_345 else -1e9 if i == 777 else 0.5)
    for k in (1, 10, 30):
        buckets = run.sampled("v", k)[0]["buckets"]
        assert max(b["max"] for b in buckets) == 1e9
        assert min(b["min"] for b in buckets) == -1e9
        assert sum(b["n"] for b in buckets) == 20_000


def test_odd_values_are_counted(run):
    odd = {3: float("nan"), 4: float("inf"), 5: float("-inf")}
    fill(run, 4, 250, lambda i: odd.get(i % 10, i))
    series, = run.sampled("v", 13)
    check_buckets(run, series, run.rows())
    assert sum(b["nan"] for b in series["buckets"]) == 100


def test_a_bucket_of_odd_values_only(run):
    run.join().send(history=[{"v": float("nan")}, {"v": float("inf")}])
    bucket, = run.sampled("v", 1)[0]["buckets"]
    assert (bucket["first"], bucket["last"]) == ("NaN", "Infinity")
    assert (bucket["min"], bucket["max"], bucket["mean"], bucket["n"]) == (None, None, None, 0)


def test_range(run):
    fill(run, 1, 100, lambda i: i)
    series, = run.sampled("v", 5, **{"from": 20, "to": 59})
    assert (series["buckets"][0]["x_first"], series["buckets"][-1]["x_last"]) == (20, 59)
    assert sum(b["n"] for b in series["buckets"]) == 40


def test_split_by_writer(run):
    one, two = run.join("c1", label="one"), run.join("c2", "worker", label="two")
    one.send(history=[{"v": 1}, {"v": 2}])
    two.send(history=[{"v": 10}])
    series = run.sampled("v", 1, split="writer")
    assert [(s["label"], s["writer"], s["buckets"][0]["n"]) for s in series] == [("one", 0, 2), ("two", 1, 1)]
    both, = run.sampled("v", 1)
    assert (both["buckets"][0]["n"], both["buckets"][0]["max"]) == (3, 10)
    only, = run.sampled("v", 1, label="two")
    assert only["buckets"][0]["n"] == 1


def test_several_keys_and_unknown_ones(run):
    run.join().send(history=[{"a": 1, "b": 2}])
    series = run.sampled("b,none,a", 10)
    assert [s["key"] for s in series] == ["b", "none", "a"]
    assert [len(s["buckets"]) for s in series] == [1, 0, 1]


@pytest.mark.slow
def test_the_same_before_and_after_compaction(run, api, home, db, wait_for):
    api.patch(home, {"crash_after_s": 604800})
    one, two = run.join("c1", label="one"), run.join("c2", "worker", label="two")
    for b in range(40):
        one.send(history=[{"v": math.sin(b * 250 + i), "note": "n"} for i in range(250)])
        two.send(history=[{"v": b * 7.5 - i, "w": {"x": [i]}} for i in range(33)],
                 console=[{"line": b, "stream": "stdout", "time": 1.0, "text": f"line {b}"}],
                 events=[{"cpu": b, "_timestamp": 1000.0 + b}])
    questions = [("history", {"keys": "v", "buckets": k, "split": split}) for k in (1, 10, 17, 1000)
                 for split in ("run", "writer")]
    questions += [("history", {"format": f}) for f in ("ndjson", "csv")]
    questions += [("events", {"keys": "cpu", "buckets": 7}), ("events", {"format": "ndjson"}),
                  ("console", {}), ("keys", {}), ("summary", {}), ("keys", {"stream": "events"})]

    def ask():
        return [api.get(f"{run.path}/{noun}", **query).body for noun, query in questions]

    before = ask()
    assert before == ask()
    compact(db, wait_for, run)
    for question, one_answer, other in zip(questions, before, ask()):
        assert one_answer == other, question
    one.send(history=[{"v": 5}])
    assert len(run.rows()) == 40 * 283 + 1


@pytest.mark.slow
def test_more_writers_than_a_run_has(run, db, wait_for):
    """Rows of those beyond 16,384 share a label; nothing is lost, no line overwrites another's."""
    db.query("update run_hot set next_writer = 16382 where run_id = (select max(run_id) from run_hot)")
    writers = [run.join(f"c{i}", "worker", label=f"l{i}") for i in range(5)]
    assert [w.number for w in writers] == [16382, 16383, 16385, 16386, 16387]
    for i, w in enumerate(writers * 2):
        w.send(history=[{"a": i}], events=[{"b": i}], config={w.label: i},
               console=[{"line": i // 5, "stream": "stdout", "time": 1.0, "text": f"{w.label} {i}"}])

    def check():
        labels = ["l0", "l1", "overflow", "overflow", "overflow"] * 2
        assert [(r["_label"], r["a"]) for r in run.rows()] == [*zip(labels, range(10))]
        assert [(r["_label"], r["b"]) for r in run.events()] == [*zip(labels, range(10))]
        assert [r["a"] for r in run.rows(label="overflow")] == [2, 3, 4, 7, 8, 9]
        assert [r["a"] for r in run.rows(label="l1")] == [1, 6]
        assert run.rows(label="l4") == []
        assert [(c["label"], c["line"], c["text"]) for c in run.console()] == [
            (f"l{i}", line, f"l{i} {5 * line + i}") for i in range(5) for line in (0, 1)]
        assert [c["text"] for c in run.console(label="l4")] == ["l4 4", "l4 9"]
        split = run.sampled("a", 1, split="writer")
        assert [(s["label"], s["buckets"][0]["n"]) for s in split] == [("l0", 2), ("l1", 2), ("overflow", 6)]

    check()
    assert run.config() == {f"l{i}": 5 + i for i in range(5)}
    assert [w["history_rows"] for w in run.writers().values()] == [2] * 5
    compact(db, wait_for, run)
    check()


# --- long values

LONGEST = 64 << 10


def test_long_values_have_a_short_form(api, run, home):
    """In rows as NDJSON and CSV, of the run and of its project; a link leads to the whole value."""
    odd = "a,b\\"
    whole = {"text": "\u20ac" * (LONGEST // 3), odd: "x" * (1 << 20), "list": list(range(20_000)), "n": 2}
    run.log([{"text": "y" * (LONGEST - 2), "n": 1}])  # with its quotes as long as one may be
    run.log([whole])
    first, second = run.rows(texts="short")
    assert first["text"] == "y" * (LONGEST - 2)
    assert second["n"] == 2 and second["text"] == {
        "head": ('"' + "\u20ac" * 341), "bytes": LONGEST // 3 * 3 + 2,
        "href": "history?format=ndjson&texts=whole&row=1&keys=text"}
    assert second[odd]["bytes"] == (1 << 20) + 2 and second["list"]["head"].startswith("[0,1,2,")
    for base, row in ((f"{run.path}/history", second),
                      (f"{home}/history", json.loads(api.get(f"{home}/history", format="ndjson").text.splitlines()[1]))):
        for name in ("text", odd, "list"):
            link = urllib.parse.urljoin(base, row[name]["href"])
            alone, = [json.loads(line) for line in api.raw("GET", link).text.splitlines()]
            assert (alone["_row"], alone[name]) == (1, whole[name])
            assert set(alone) == {"_row", "_label", "_step", "_timestamp", name}
    assert run.rows()[1]["text"] == whole["text"]
    short, = list(csv.DictReader(io.StringIO(api.get(f"{run.path}/history", format="csv", keys="text", row=1).text)))
    assert json.loads(short["text"]) == second["text"]
    told, = list(csv.DictReader(io.StringIO(api.get(f"{run.path}/history", format="csv", keys="text", row=1,
                                                    texts="whole").text)))
    assert told["text"] == whole["text"]
    assert len(api.get(f"{run.path}/history", format="ndjson").text) < 2 * LONGEST
    keys = run.keys()
    for name in ("text", odd, "list"):
        link = urllib.parse.urljoin(f"{run.path}/keys", keys[name]["last_href"])
        assert api.raw("GET", link).lines[0][name] == whole[name]
    assert "last_href" not in keys["n"]
    for query in ({"row": 1}, {"texts": "whole"}):
        api.refused(400, "invalid", "GET", f"{run.path}/history", query={"keys": "n", **query})
    assert api.refused(400, "invalid", "GET", f"{run.path}/history", query={"format": "csv", "texts": "long"})["field"] == "texts"
    assert api.get(f"{run.path}/history", format="ndjson", row=2).text == ""


# --- keys

def test_too_many_keys_in_a_project(run, home, db):
    """What is there may be used. Of new names the first are kept, as many as fit, and the rest of the batch is stored."""
    w = run.join()
    w.send(history=[{"known": 1}])
    db.query("update project set key_count = 100000 - 10 where name = %s", home.rsplit("/", 1)[1])
    answer = w.send(history=[{"known": 2}, {f"k{i}": i for i in range(9, -3, -1)}])
    assert answer["left_out"] == 2
    assert [(each["name"], each["reason"]) for each in answer["left_out_first"]] == [("k-2", "project-full"),
                                                                                    ("k-1", "project-full")]
    assert run.values("known") == [1, 2] and list(run.keys()) == [*(f"k{i}" for i in range(10)), "known"]
    assert w.send(history=[{"known": 3, **{f"k{i}": i for i in range(10)}}])["left_out"] == 0
    assert w.send(history=[{"known": 4, **{f"more{i}": i for i in range(5)}}])["left_out"] == 5
    assert run.values("known") == [1, 2, 3, 4] and len(run.keys()) == 11


def test_keys(run):
    w = run.join()
    w.send(history=[{"b": 1, "a": "x"}, {"b": 2}], events=[{"cpu": 5}])
    w.send(history=[{"_step": 40, "b": None}])
    found = run.keys()
    assert list(found) == ["a", "b"]
    assert found["b"] == {"key": "b", "count": 3, "last": None, "kinds": found["b"]["kinds"], "step_last": 40}
    assert set(found["b"]["kinds"]) == {"number", "null"}
    assert (found["a"]["last"], found["a"]["step_last"]) == ("x", 0)
    events = run.keys(stream="events")
    assert (events["cpu"]["last"], events["cpu"]["step_last"]) == (5, None)


def test_keys_page_by_page(run):
    run.join().send(history=[{f"k{i:03}": i for i in range(25)}])
    assert [k["key"] for k in run.api.pages(f"{run.path}/keys", limit=10)] == [f"k{i:03}" for i in range(25)]


# --- events

def test_events_by_label(run):
    one, two = run.join("c1", label="one"), run.join("c2", "worker", label="two")
    one.send(events=[{"cpu": 1, "_timestamp": 100.0}, {"cpu": 2, "_timestamp": 200.5}])
    two.send(events=[{"cpu": 9, "gpu": {"0": {"temp": 50}}, "_timestamp": 150.0}])
    assert [(e["_label"], e["cpu"], e["_timestamp"]) for e in run.events()] == [
        ("one", 1, 100), ("one", 2, 200.5), ("two", 9, 150)]
    assert run.events()[2]["gpu.0.temp"] == 50
    assert [e["cpu"] for e in run.events(label="two")] == [9]
    assert [e["cpu"] for e in run.events(**{"from": 120, "to": 200.5})] == [2, 9]
    answer = run.api.get(f"{run.path}/events", keys="cpu", buckets=1000, split="writer").json
    assert answer["x"] == "_timestamp"
    assert [(s["label"], [b["x_first"] for b in s["buckets"]]) for s in answer["series"]] == [
        ("one", [100, 200.5]), ("two", [150])]
    assert run.get()["last_step"] is None


# --- console

def test_console(run):
    one, two = run.join("c1", label="one"), run.join("c2", "worker", label="two")
    one.send(console=[{"line": i, "stream": "stdout", "time": i + 0.25, "text": f"one {i}"} for i in range(30)])
    two.send(console=[{"line": 2, "stream": "stderr", "time": 9.0, "text": "\u001b[31mfehlß\u001b[0m"}])
    got = run.console()
    assert [(c["label"], c["line"]) for c in got] == [("one", i) for i in range(30)] + [("two", 2)]
    assert got[-1] == {"label": "two", "writer": 1, "line": 2, "stream": "stderr", "time": 9.0,
                       "text": "\u001b[31mfehlß\u001b[0m"}
    assert [c["line"] for c in run.console(label="one", **{"from": 27})] == [27, 28, 29]
    assert run.console(limit=7) == got
    tail = run.api.get(f"{run.path}/console", tail=2).json["items"]
    assert [(c["label"], c["line"]) for c in tail] == [("one", 28), ("one", 29), ("two", 2)]
    text = run.api.get(f"{run.path}/console", label="one", tail=2, format="text")
    assert (text.content_type, text.text) == ("text/plain", "one 28\none 29\n")


@pytest.mark.parametrize("split", ["run", "writer"])
def test_series_times_buckets_are_bounded(run, split):
    """A hundred series of 20,000 buckets are an answer, one more is none; writers count where they split."""
    keys = [f"k{i}" for i in range(101 if split == "run" else 51)]
    for client in ("one", "two"):
        run.join(client, "worker").send(history=[{k: 1 for k in keys}])
    path, ask = f"{run.path}/history", {"buckets": 20000, "split": split}
    few = run.api.get(path, keys=",".join(keys[:-1]), **ask).json["series"]
    assert len(few) == 100 and all(len(s["buckets"]) == (1 if split == "writer" else 2) for s in few)
    told = run.api.refused(422, "unprocessable", "GET", path, query={"keys": ",".join(keys), **ask})
    assert told["field"] == "buckets"
    more = run.api.get(path, keys=",".join([*keys[:-1], "none"]), **ask).json["series"]
    assert len(more) == (101 if split == "run" else 100), "a key that nobody sent takes no room"


@pytest.mark.long
@pytest.mark.own
@pytest.mark.slow
def test_a_sparse_export_holds_no_worker(place, keys, wait_for):
    """Not a row of 300,000 is asked for; the only worker serves others while it looks for one."""
    place.settings = {**place.settings, "workers": 1}
    api = Api(place.server(0), keys["ann"])
    run = Run(api)
    w = run.join()
    for _ in range(3):
        w.send(history=[{"a": 1, "b": 2, "c": 3}] * 100_000)

    def is_under_way():
        return "cairn_http_requests_in_flight 2" in api.get("/metrics").text

    def look():
        """How an export was when a request was answered that came beside it; who looks late has seen nothing of it."""
        found = []
        export = threading.Thread(target=lambda: found.append(run.rows(**{"from": 2**53})))
        export.start()
        wait_for(lambda: is_under_way() or not export.is_alive(), what="the export")
        came_in_time = is_under_way()
        assert run.get()["rows"] == 300_000
        served = is_under_way()
        export.join()
        assert found == [[]]
        return came_in_time, served

    looks = [served for came_in_time, served in (look() for _ in range(10)) if came_in_time]
    assert looks.count(True) > len(looks) / 2, looks


def test_long_rows_are_exported_in_pages(run):
    """Rows of 1 MB, in more pages than one; none is missing, none twice, texts whole."""
    w = run.join()
    for i in range(4):
        w.send(history=[{"t": chr(97 + i) * 1_000_000, "i": 8 * i + j} for j in range(8)])
    rows = run.rows()
    assert [row["i"] for row in rows] == list(range(32))
    assert all(row["t"] == chr(97 + row["i"] // 8) * 1_000_000 for row in rows)
    assert [row["i"] for row in run.rows(keys="i")] == list(range(32))


@pytest.mark.long
def test_rows_of_many_keys_are_exported(run):
    """A window has fewer rows where a row has many keys; CSV whose header alone is more than a page."""
    w = run.join()
    names = [f"{i:05d}" + "x" * 500 for i in range(9000)]
    for i in range(3):
        w.send(history=[{name: i for name in names}])
    assert [row[names[-1]] for row in run.rows()] == [0, 1, 2]
    lines = run.api.get(f"{run.path}/history", format="csv").text.splitlines()
    assert lines[0].split(",") == ["_row", "_label", "_step", *names, "_timestamp"]
    assert [set(line.split(",")[3:-1]) for line in lines[1:]] == [{"0"}, {"1"}, {"2"}]
