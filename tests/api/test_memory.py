"""The server's memory is one budget: many large bodies at once, clients that stall, and nothing acknowledged is lost.

The same with hundreds of large bodies and thousands of writers, and the process looked at from outside: the
figure `crowd` of scripts/bench.
"""
import json
import pathlib
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ledger import Ledger
from rest import Api

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "http"))
from client import Client  # noqa: E402

pytestmark = pytest.mark.own
MIB = 1 << 20


@pytest.fixture(scope="module")
def settings():
    return {"memory": "32M", "search_memory": 0, "max_body": "4M", "workers": 4, "write_workers": 1}


def metric(api, name):
    return int(re.search(rf"^{re.escape(name)} (\d+)", api.get("/metrics").text, re.M).group(1))


def held(api, what="requests"):
    return metric(api, f'cairn_memory_bytes{{of="{what}"}}')


def refused_for_memory(api):
    return metric(api, 'cairn_http_refused_total{reason="memory"}')


class Stalling(Client):
    """Sends a batch but for its last byte; what is answered comes when that is sent."""

    def __init__(self, server, key, path, body, **options):
        super().__init__(server.port, **options)
        self.body_bytes = body
        self.key, self.path = key, path

    def begin(self):
        self.head("POST", self.path, {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json",
                                      "Content-Length": len(self.body_bytes)})
        self.send(self.body_bytes[:-1])

    def end(self):
        self.send(self.body_bytes[-1:])
        return self.reply()


def large_batches(run, ledger, count, rows):
    """(writer, body) of so many writers; each row carries some text, for size."""
    for i in range(count):
        writer = run.join(f"w{i}", "worker")
        history = Ledger.rows(writer.client, writer.session, 1, rows)
        ledger.note_sent(writer.client, writer.session, 1, rows)
        yield writer, writer.body(1, history=[{**row, "text": "x" * 900} for row in history])


def test_many_large_bodies_at_once(server, api, run, keys, wait_for):
    """More than fit: some are told to come again, and do. All that is acknowledged is there, once."""
    ledger = Ledger()
    batches = list(large_batches(run, ledger, 16, 1000))
    clients = [Stalling(server, keys["ann"], f"{run.path}/batch", body) for _, body in batches]
    for client in clients:
        client.begin()
    wait_for(lambda: refused_for_memory(api), what="a body without room")
    replies = [client.end() for client in clients]
    assert {reply.status for reply in replies} == {200, 503}
    for client, reply, (writer, _) in zip(clients, replies, batches):
        while reply.status == 503:
            assert reply.headers["retry-after"] == "1"
            client.begin()
            reply = client.end()
        assert reply.status == 200, reply
        ledger.note_told(writer.client, writer.session, 1, reply.json())
    assert ledger.check(run.rows()) == 16_000
    assert metric(api, "cairn_memory_peak_bytes") <= metric(api, "cairn_memory_limit_bytes") == 32 * MIB
    wait_for(lambda: held(api) < 256 << 10, what="memory given back")
    for client in clients:
        client.close()


def test_a_large_read_finds_no_room(server, api, run, keys, wait_for):
    """While bodies have taken all there is: 503, and small ones are answered still."""
    writer = run.join()
    writer.send(history=[{"text": f"{i}" + "x" * 900} for i in range(2000)])
    other = run.join("w1", "worker")
    clients = []
    for rows in (1000, 200):
        body = other.body(1, history=[{"text": "x" * 900} for _ in range(rows)])
        before = refused_for_memory(api)
        while refused_for_memory(api) == before:
            clients.append(Stalling(server, keys["ann"], f"{run.path}/batch", body))
            clients[-1].begin()
            assert run.get()["rows"] == 2000
    refused = api.request("GET", run.path + "/history?format=ndjson")
    assert (refused.status, refused.headers["Retry-After"]) == (503, "1"), refused
    assert run.get()["rows"] == 2000
    for client in clients:
        client.close()
    wait_for(lambda: held(api) < 1 << 20, what="memory given back")
    assert len(api.get(run.path + "/history?format=ndjson").text.splitlines()) == 2000


@pytest.mark.long
def test_a_body_that_becomes_much_more(api, run):
    """Two million values in four megabytes take more than the budget has: 503, and no more memory than that."""
    writer = run.join()
    wide = "{" + ",".join(f'"{i}":1' for i in range(5000)) + "}"
    rows = [wide] * (4 * MIB // len(wide) - 1)
    body = writer.body(1).decode()[:-1] + ', "history": [' + ",".join(rows) + "]}"
    writer.refused(503, "busy", body.encode())
    assert metric(api, "cairn_memory_peak_bytes") <= 32 * MIB
    assert writer.send(history=[{"a": 1}])["row_first"] == 0


def test_senders_that_stall_hold_no_worker(server, api, run, keys):
    """Half a head, half a body, a body that lacks its last byte: four times as many as there are workers."""
    writer = run.join()
    body = writer.body(1, history=[{"a": 1}])
    stalled = [Stalling(server, keys["ann"], f"{run.path}/batch", body) for _ in range(12)]
    for client in stalled:
        client.begin()
    heads = [Client(server.port) for _ in range(4)]
    for client in heads:
        client.send(b"GET /api/v1/server HTTP/1.1\r\nHost:")
    other = run.join("w2", "worker")
    assert [other.send(history=[{"b": i}])["row_first"] for i in range(20)] == list(range(20))
    assert all(client.end().json()["row_first"] == 20 for client in stalled)
    for client in heads:
        client.send(b" x\r\n\r\n")
        assert client.reply().status in (200, 401)


def test_readers_that_stall_hold_no_worker(server, api, run, keys):
    """Exports that nobody takes, more than there are workers; each is whole when it is taken."""
    writer = run.join()
    for _ in range(3):
        writer.send(history=[{"a": j, "text": "y" * 1000} for j in range(1000)])
    slow = [Client(server.port, receive_buffer=4096) for _ in range(6)]
    for client in slow:
        client.head("GET", f"{run.path}/history?format=ndjson", {"Authorization": f"Bearer {keys['ann']}"})
        assert client.reply_head()[0] == 200
    assert writer.send(history=[{"last": 1}])["row_first"] == 3000
    assert run.sampled("a", 10)[0]["buckets"]
    assert len(run.rows(keys="last")) == 1
    for client in slow:
        text = b""
        while chunk := client.chunk():
            text += chunk
        rows = [json.loads(line) for line in text.splitlines()]
        assert [row["_row"] for row in rows[:3000]] == list(range(3000))


@pytest.mark.long
def test_a_slow_reader_of_a_console_page_holds_its_answer(server, api, run, keys, wait_for):
    """Not what was decoded for it: a page of 5 MiB of console lines."""
    writer = run.join()
    for first in range(0, 6000, 1000):
        writer.send(console=[{"line": first + n, "stream": "stdout", "text": "x" * 800, "time": 1.0} for n in range(1000)])
    slow = Client(server.port, receive_buffer=4096)
    slow.head("GET", f"{run.path}/console?limit=10000", {"Authorization": f"Bearer {keys['ann']}"})
    status, headers = slow.reply_head()
    size = int(headers["content-length"])
    assert status == 200 and size > 5_000_000
    wait_for(lambda: held(api) < size + (256 << 10), what="what was decoded given back")
    assert held(api) >= size
    assert len(json.loads(slow.take(size))["items"]) == 6000
    slow.close()


@pytest.mark.long
def test_as_many_writers_as_come(server, keys, run, wait_for):
    """Each on a connection of its own, all at once, into one run."""
    clients = [Stalling(server, keys["ann"], "", b"") for _ in range(300)]
    for i, client in enumerate(clients):
        client.path = f"{run.path}/join"
        client.body_bytes = json.dumps({"client": f"w{i}", "role": "worker"}).encode()
        client.begin()
    sessions = [client.end().json()["session"] for client in clients]
    ledger = Ledger()
    for i, client in enumerate(clients):
        client.path = f"{run.path}/batch"
        ledger.note_sent(f"w{i}", sessions[i], 1, 3)
        client.body_bytes = json.dumps({"writer": f"w{i}", "session": sessions[i], "batch": 1,
                                        "history": Ledger.rows(f"w{i}", sessions[i], 1, 3)}).encode()
        client.begin()
    told = []

    def end(some):
        told.extend((i, clients[i].end()) for i in some)

    threads = [threading.Thread(target=end, args=(range(n, 300, 8),)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, reply in told:
        ledger.note_told(f"w{i}", sessions[i], 1, reply.json())
    assert len(told) == 300 and ledger.check(run.rows()) == 900
    for client in clients:
        client.close()
    api = Api(server, keys["ann"])
    wait_for(lambda: held(api, "connections") < MIB, what="connections given back")


def percentiles(runs, *more):
    """A question of which each value of each run in each bucket is kept: 20 MiB."""
    panel = {"keys": ["loss"], "buckets": 20_000, "percentiles": True}
    return {"panels": [panel, *more], "groups": [{"name": "many", "runs": runs}]}


@pytest.mark.long
def test_percentiles_ask_for_room_and_give_it_back(server, api, run, keys, wait_for):
    """They wait while others have the memory, and are answered then; who reads slowly holds nothing of it."""
    run.join().send(history=[{"loss": i} for i in range(20_000)])
    project = run.path.partition("/runs/")[0]
    names = [run.name, *(f"empty{i}" for i in range(130))]
    for name in names[1:]:
        api.put(f"{project}/runs/{name}", {})
    body = run.join("w1", "worker").body(1, history=[{"text": "x" * 900} for _ in range(1000)])
    clients = []
    before = refused_for_memory(api)
    while refused_for_memory(api) == before:
        clients.append(Stalling(server, keys["ann"], f"{run.path}/batch", body))
        clients[-1].begin()
        assert run.get()["rows"] == 20_000
    peak = metric(api, "cairn_memory_peak_bytes")
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(Api(server, keys["ann"]).post, f"{project}/series", percentiles(names))
        wait_for(lambda: "or for memory" in server.log(), what="a question that waits")
        assert metric(api, "cairn_memory_peak_bytes") < peak + 4 * MIB
        for client in clients:
            client.close()
        assert [piece["piece"] for piece in asked.result().json["pieces"]] == ["panel", "group", "end"]
    wait_for(lambda: held(api) < 1 << 20, what="memory given back")
    slow = Client(server.port, receive_buffer=64 << 10)
    ask = json.dumps({**percentiles(names, *[{"keys": ["loss"], "buckets": 20_000}] * 12), "runs": [run.name]}).encode()
    slow.head("POST", f"{project}/series", {"Authorization": f"Bearer {keys['ann']}", "Content-Type": "application/json",
                                            "Content-Length": len(ask)})
    slow.send(ask)
    seen = b""
    while b'"p50"' not in seen:
        seen += slow.socket.recv(1 << 16)
    wait_for(lambda: held(api) < 8 * MIB, what="memory given back while the answer is under way")
    slow.close()
