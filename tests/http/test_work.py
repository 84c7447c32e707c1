"""Workers, the queue, detached requests, streams, listeners, clients that go away, the end."""

import gzip
import re
import threading
import time

import pytest

from client import Client, Closed
from conftest import REQUEST_BYTES, wait_for

MIB = 1 << 20


def event(data):
    return b"data: " + data + b"\n\n"


def test_reads_never_stop_writers(start):
    """All workers that read are busy and their queue is full; what writes has a worker and a queue."""
    server = start(workers=3, write_workers=1, queue_limit=1)
    reads = [server.client() for _ in range(3)]
    for number, c in enumerate(reads[:2], 1):
        if number == 1:
            c.head("POST", "/ask", {"Content-Length": 0})  # which is a read, too
        else:
            c.head("GET", "/wait")
        server.wait_waiting(number)
    reads[2].head("GET", "/wait")
    wait_for(lambda: server.metric("cairn_http_queue_length") == 1)
    assert server.get("/facts/x").status == 503
    for _ in range(10):
        assert server.post("/echo", b"x").body == b"x"
    server.post("/gate/open")
    for c in reads:
        assert c.reply().status == 200
        c.close()


def test_a_body_that_only_reads_takes_no_worker_of_writers(start):
    """Only the body tells; any worker reads that, and those kept for writers go no further with it."""
    server = start(workers=3, write_workers=1, queue_limit=8)
    reads = [server.client() for _ in range(6)]
    for c in reads:
        c.head("POST", "/sorted", {"Content-Length": 4})
        c.send(b"read")
    server.wait_waiting(2)
    wait_for(lambda: server.metric("cairn_http_queue_length") == 4)
    for _ in range(10):
        assert server.post("/sorted", b"other").body == b"write"
        assert server.post("/echo", b"x").body == b"x"
    assert server.state()["waiting"] == 2
    server.post("/gate/open")
    for c in reads:
        assert c.reply().body == b"read"
        c.close()


def test_a_body_that_only_reads_and_finds_the_queue_full(start):
    server = start(workers=2, write_workers=1, queue_limit=1)
    clients = [server.client() for _ in range(3)]
    for n, c in enumerate(clients):
        c.head("POST", "/sorted", {"Content-Length": 4})
        c.send(b"read")
        if n == 0:
            server.wait_waiting(1)
        elif n == 1:
            wait_for(lambda: server.metric("cairn_http_queue_length") == 1)
    reply = clients[2].reply()
    assert reply.status == 503 and reply.headers["retry-after"] == "1"
    assert server.metric('cairn_http_refused_total{reason="queue"}') == 1
    # the worker for writes is taken until it is back from the metrics, and nothing more can wait
    wait_for(lambda: server.post("/echo", b"x").body == b"x")
    server.post("/gate/open")
    assert [c.reply().status for c in clients[:2]] == [200, 200]


def refused_for(server, reason):
    with server.client(address="127.0.0.9") as c:
        text = c.request("GET", "/metrics").body.decode()
    return int(re.search(rf'^cairn_http_refused_total{{reason="{reason}"}} (\d+)', text, re.M).group(1))


def test_an_address_has_a_share_of_connections(start):
    """Four of eighty; those a little above it are told, others close at once, and another address has room."""
    server = start(connection_limit=80, client_share=5, idle_timeout_s=600)
    clients = [server.client() for _ in range(4)]
    assert [c.request("GET", "/facts/x").status for c in clients] == [200] * 4
    with server.client() as more:
        reply = more.request("GET", "/facts/x")
        assert reply.status == 503 and reply.headers["connection"] == "close" and reply.headers["retry-after"] == "1"
        assert "127.0.0.1" in reply.json()["detail"] and "client_share" in reply.json()["detail"]
        with pytest.raises(Closed):
            more.request("GET", "/facts/x")
    wait_for(lambda: refused_for(server, "connections") >= 1)
    warnings = [line for line in server.log().splitlines() if "too many connections from one address are rejected" in line]
    assert len(warnings) == 1 and "address=127.0.0.1 limit=4" in warnings[0] and "trusted_proxies" in warnings[0]
    told = [server.client() for _ in range(40)]  # 32 of them, and the others are closed
    wait_for(lambda: sum(c.has_more() for c in told) >= 8)
    with server.client(address="127.0.0.2") as other:
        assert other.request("GET", "/facts/x").status == 200
    assert [c.request("GET", "/facts/x").status for c in clients] == [200] * 4
    for c in told:
        c.close()
    clients.pop().close()

    def has_room():
        try:
            with server.client() as c:
                return c.request("GET", "/facts/x").status == 200
        except Closed:  # the server has not seen all of them leave
            return False
    wait_for(has_room)
    for c in clients:
        c.close()


def test_trusted_proxies_have_no_share_of_connections(start):
    server = start(connection_limit=80, client_share=5, trusted_proxies="127.0.0.1")
    clients = [server.client() for _ in range(20)]
    assert [c.request("GET", "/facts/x").status for c in clients] == [200] * 20
    for c in clients:
        c.close()


def test_an_address_has_a_share_of_workers(start):
    """One of the two that read: its other reads wait, however many come, and those of others do not wait for them."""
    server = start(workers=3, write_workers=1, client_share=50, trusted_proxies="127.0.0.1")
    mine = {"X-Forwarded-For": "192.0.2.1"}
    reads = [server.client() for _ in range(4)]
    for number, c in enumerate(reads):
        c.head("GET", "/wait", mine)
        if number == 0:
            server.wait_waiting(1)
    wait_for(lambda: server.metric("cairn_http_queue_length") == 3)
    assert server.get("/facts/x", **{"X-Forwarded-For": "192.0.2.2"}).status == 200
    assert server.metric("cairn_http_queue_length") == 3
    server.post("/gate/open")
    for c in reads:
        assert c.reply().status == 200
        c.close()


def test_an_address_has_a_share_of_reads(start):
    """Of six, with the one that is under way: its fourth is refused. What writes is not, nor another address."""
    server = start(workers=2, write_workers=1, queue_limit=4, client_share=50, trusted_proxies="127.0.0.1")
    mine = {"X-Forwarded-For": "192.0.2.1"}
    reads = [server.client() for _ in range(3)]
    for number, c in enumerate(reads):
        c.head("GET", "/wait", mine)
        if number == 0:
            server.wait_waiting(1)
    wait_for(lambda: server.metric("cairn_http_queue_length") == 2)
    reply = server.get("/facts/x", **mine)
    assert reply.status == 503 and "192.0.2.1" in reply.json()["detail"] and reply.headers["retry-after"] == "1"
    assert server.post("/echo", b"x", **mine).body == b"x"
    with server.client() as other:
        other.head("GET", "/facts/x", {"X-Forwarded-For": "192.0.2.2"})
        wait_for(lambda: server.metric("cairn_http_queue_length") == 3)
        server.post("/gate/open")
        assert other.reply().status == 200
    for c in reads:
        assert c.reply().status == 200
        c.close()
    wait_for(lambda: server.get("/facts/x", **mine).status == 200)
    assert server.metric('cairn_http_refused_total{reason="reads"}') >= 1


def test_what_writes_has_all_workers(start):
    """Those kept for it are not all there is for it; and one worker is left for reads, whatever is set."""
    server = start(workers=2, write_workers=9)
    with server.client() as a, server.client() as b:
        a.head("POST", "/wait", {"Content-Length": 0})
        b.head("POST", "/wait", {"Content-Length": 0})
        server.wait_waiting(2)
        server.post("/gate/open")
        assert (a.reply().status, b.reply().status) == (200, 200)
    assert server.get("/facts/x").status == 200


def test_a_full_queue_is_503(start):
    server = start(workers=2, queue_limit=3)
    waiting = [server.client() for _ in range(2)]
    for c in waiting:
        c.head("GET", "/wait")
    server.wait_waiting(2)
    queued = [server.client() for _ in range(3)]
    for c in queued:
        c.head("GET", "/wait")
    wait_for(lambda: server.metric("cairn_http_queue_length") == 3)
    reply = server.get("/facts/x")
    assert reply.status == 503 and reply.headers["retry-after"] == "1"
    assert reply.json()["type"] == "urn:cairn:problem:busy"
    assert server.get("/healthz").status == 200
    server.post("/gate/open")
    assert [c.reply().body for c in waiting + queued] == [b"waited\n"] * 5
    assert server.get("/facts/x").status == 200
    assert server.metric('cairn_http_refused_total{reason="queue"}') == 1


def occupy(server):
    """A client whose request has the only worker; asked for again where the worker itself was late."""
    def begun():
        client = server.client()
        client.head("GET", "/wait")
        wait_for(lambda: server.state()["waiting"] == 1 or client.has_more())
        if not client.has_more():
            return client
        assert client.reply().status == 503
        client.close()
        return None
    return wait_for(begun)


def test_a_request_that_waited_too_long_is_not_begun(start):
    server = start(workers=1, deadline_ms=50)
    first = occupy(server)
    handled = server.state()["handled"]
    with server.client() as second:
        second.head("POST", "/echo", {"Content-Length": 1})
        second.send(b"x")
        wait_for(lambda: server.metric("cairn_http_queue_length") == 1)
        until = time.monotonic() + 0.1
        wait_for(lambda: time.monotonic() > until)
        server.post("/gate/open")
        assert second.reply().status == 503
    assert first.reply().status == 200
    assert server.state()["handled"] == handled + 1


def test_detached_requests_are_answered_by_another_thread(server):
    with server.client() as c:
        for i in range(100):
            assert c.request("POST", "/detach", b"%d" % i).body == b"%d" % i
        assert c.request("POST", "/detach?fail=1", b"x").status == 409


def test_detached_requests_hold_no_worker(start):
    server = start(workers=1)
    parked = [server.client() for _ in range(20)]
    for c in parked:
        c.head("POST", "/detach?gate=1", {"Content-Length": 1})
        c.send(b"x")
    server.wait_waiting(1)
    assert server.get("/facts/x").status == 200
    server.post("/gate/open")
    assert [c.reply().status for c in parked] == [200] * 20


@pytest.mark.parametrize("path", ["/wait", "/detach?gate=1"])
def test_clients_that_leave_before_the_answer(server, path):
    for leave in (Client.close, Client.reset):
        server.post("/gate/shut")
        clients = [server.client() for _ in range(3)]
        for c in clients:
            c.head("GET" if path == "/wait" else "POST", path, {"Content-Length": 0})
        server.wait_waiting(3 if path == "/wait" else 1)
        for c in clients:
            leave(c)
        server.post("/gate/open")
        wait_for(lambda: server.state()["waiting"] == 0)
    wait_for(lambda: server.metric("cairn_http_requests_in_flight") == 1)
    assert server.get("/facts/x").status == 200


@pytest.mark.parametrize("sent", [
    b"P", b"POST /ec", b"POST /echo HTTP/1.1\r\nHost", b"POST /echo HTTP/1.1\r\nHost: x\r\n",
    b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc",
    b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    b"POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc",
    b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n\x1f\x8b",
])
def test_clients_that_leave_in_the_middle_of_a_request(server, sent):
    for leave in (Client.close, Client.reset):
        c = server.client()
        c.send(sent)
        leave(c)
    wait_for(lambda: server.is_at_rest())


def test_streams(server):
    with server.client() as c:
        for size, page in ((0, 10), (1, 10), (10, 10), (11, 10), (100000, 7), (5000000, 1 << 20)):
            reply = c.request("GET", f"/stream?bytes={size}&page={page}")
            assert (reply.status, len(reply.body), reply.complete) == (200, size, True)


def test_a_stream_of_empty_pages_lets_others_through(start):
    """Its only worker answers everybody else, long before the stream has anything to say."""
    server = start(workers=1)
    with server.client() as c:
        c.head("GET", "/sparse")
        assert c.reply_head()[0] == 200
        for _ in range(100):
            assert server.get("/facts/x").status == 200
        server.post("/gate/open")
        assert c.chunks() == (b"end\n", True)


def test_a_stream_has_a_deadline_for_each_page(start):
    """It lives longer than a request may take."""
    server = start(workers=1, deadline_ms=200)
    with server.client() as c:
        def begins():
            c.head("GET", "/sparse")
            status, headers = c.reply_head()
            if status != 200:
                c.take(int(headers["content-length"]))
            return status == 200
        wait_for(begins)
        until = time.monotonic() + 0.6
        wait_for(lambda: time.monotonic() > until)
        server.post("/gate/open")
        assert c.chunks() == (b"end\n", True)


def test_a_stream_that_fails(server):
    reply = server.get("/stream?fail_after=0")
    assert reply.status == 409 and reply.json()["detail"] == "the stream fails"
    reply = server.get("/stream?fail_after=3")
    assert reply.status == 200 and not reply.complete
    assert "response aborted" in server.log()


def test_a_gigabyte_in_constant_memory(server):
    server.get("/stream?bytes=10000000")
    before = server.memory_kb()
    with server.client() as c:
        c.head("GET", f"/stream?bytes={1 << 30}&page={1 << 20}")
        assert c.reply_head()[0] == 200
        total = 0
        while chunk := c.chunk():
            total += len(chunk)
    assert total == 1 << 30
    assert server.memory_kb() - before < 20 * 1024


def test_a_stalled_reader_holds_no_worker(start):
    server = start(workers=1)
    stalled = [server.client(receive_buffer=4096) for _ in range(10)]
    for c in stalled:
        c.head("GET", f"/stream?bytes={100 * MIB}&page=100000")
        assert c.reply_head()[0] == 200
    for _ in range(20):
        assert server.get("/facts/x").status == 200
    for c in stalled[5:]:
        c.reset()
    assert len(stalled[0].chunk()) > 0
    assert server.get("/facts/x").status == 200
    for c in stalled[:5]:
        c.close()
    wait_for(lambda: server.metric("cairn_http_requests_in_flight") == 1)


def test_listeners_get_what_is_published(server):
    listeners = [server.client() for _ in range(5)]
    for c in listeners:
        c.head("GET", "/live")
        status, headers = c.reply_head()
        assert status == 200 and headers["content-type"] == "text/event-stream"
    wait_for(lambda: server.metric("cairn_http_live_listeners") == 5)
    for i in range(20):
        assert server.post("/publish", event(b"%d" % i)).body == b"5\n"
    for c in listeners:
        data = b""
        while event(b"19") not in data:
            data += c.chunk()
        assert data.replace(b":\n\n", b"") == b"".join(event(b"%d" % i) for i in range(20))
    for c in listeners:
        c.reset()
    wait_for(lambda: server.state()["gone"] == 5)
    wait_for(lambda: server.metric("cairn_http_live_listeners") == 0)


def test_a_listener_that_leaves_is_gone_though_nobody_writes_to_it(server):
    for end in ("close", "reset"):
        c = server.client()
        c.head("GET", "/live")
        assert c.reply_head()[0] == 200 and c.chunk() == b":\n\n"
        wait_for(lambda: server.metric("cairn_http_live_listeners") == 1)
        getattr(c, end)()
        wait_for(lambda: server.metric("cairn_http_live_listeners") == 0)
    wait_for(lambda: server.state()["gone"] == 2)


def test_one_event_larger_than_the_limit_is_sent(server):
    with server.client() as c:
        c.head("GET", "/live?limit=1000")
        assert c.reply_head()[0] == 200 and c.chunk() == b":\n\n"
        assert server.post("/publish", event(b"x" * 100000)).body == b"1\n"
        data = b""
        while len(data) < 100000:
            data += c.chunk().replace(b":\n\n", b"")
    assert data == event(b"x" * 100000)


def test_a_listener_that_is_too_slow_is_dropped(server):
    with server.client(receive_buffer=4096) as c:
        c.head("GET", "/live?limit=200000")
        assert c.reply_head()[0] == 200
        wait_for(lambda: server.post("/publish", event(b"x" * 100000)).body == b"0\n")
        with pytest.raises(Closed):
            while c.chunk():
                pass
            raise Closed
    wait_for(lambda: server.state()["gone"] == 1)


def test_many_publishers_and_listeners_at_once(server):
    end = threading.Event()

    def publish():
        with server.client() as c:
            while not end.is_set():
                c.request("POST", "/publish", event(b"x" * 100))

    def listen():
        while not end.is_set():
            with server.client() as c:
                c.head("GET", "/live")
                c.reply_head()
                for _ in range(20):
                    c.chunk()

    threads = [threading.Thread(target=f) for f in [publish] * 3 + [listen] * 6]
    for t in threads:
        t.start()
    wait_for(lambda: server.state()["gone"] > 100)
    end.set()
    # Those who listen still need something to hear.
    while any(t.is_alive() for t in threads):
        server.post("/publish", event(b"end"))
    assert server.get("/healthz").status == 200


def test_slow_senders_are_cut_off(start):
    server = start(idle_timeout_s=1)
    with server.client() as silent, server.client() as head, server.client() as body:
        head.send(b"GET /healthz HTTP/1.1\r\n")
        body.head("POST", "/echo", {"Content-Length": 1000})
        begun = time.monotonic()
        open_clients = {head, body}
        while open_clients:
            assert time.monotonic() - begun < 120
            for c in list(open_clients):
                try:
                    c.send(b"X-A: b\r\n" if c is head else b"x")
                except ConnectionError:
                    open_clients.remove(c)
            threading.Event().wait(0.1)
        assert silent.is_closed()
        assert time.monotonic() - begun > 1
    assert server.get("/healthz").status == 200


def trickle(client, seconds=120):
    """Until the server hangs up."""
    end = time.monotonic() + seconds
    with pytest.raises(ConnectionError):
        while time.monotonic() < end:
            client.send(b"x")
            threading.Event().wait(0.1)


def test_a_sender_does_not_save_up_for_a_trickle(start):
    """What came fast at first is no credit for what comes slowly then."""
    server = start(idle_timeout_s=4)
    with server.client() as c:
        c.head("PUT", "/echo", {"Content-Length": 4 * MIB})
        c.send(b"x" * 3 * MIB)
        wait_for(lambda: server.held() >= 3 * MIB)
        trickle(c)
    wait_for(server.is_at_rest)


def test_a_request_comes_in_within_its_time(start):
    """However steadily it comes; one that is quicker is served."""
    server = start(body_timeout_s=6)
    with server.client() as c:
        assert len(c.request("PUT", "/echo", b"x" * MIB).body) == MIB
        c.head("PUT", "/echo", {"Content-Length": 200 * MIB})
        end = time.monotonic() + 120
        with pytest.raises(ConnectionError):
            while time.monotonic() < end:
                c.send(b"x" * 10_000)
                threading.Event().wait(0.05)
    wait_for(server.is_at_rest)


@pytest.mark.parametrize("path", ["/text", "/stream", "/file"])
def test_slow_readers_are_cut_off(start, path):
    """Some 200 KB a second keep the library content, and are less than what is asked for here."""
    server = start(idle_timeout_s=3, slowest_bytes_per_s=2_000_000)
    with server.client(receive_buffer=4096) as c:
        c.head("GET", f"{path}?bytes={64 * MIB}")
        end = time.monotonic() + 120
        while server.metric("cairn_http_connections") > 1:
            assert time.monotonic() < end
            c.socket.recv(10_000)
            threading.Event().wait(0.05)
    with server.client() as c:
        assert len(c.request("GET", f"{path}?bytes={4 * MIB}").body) == 4 * MIB


def test_a_steady_reader_of_a_file_is_not_cut_off(start):
    """Over more periods than one, while the kernel sends."""
    server = start(idle_timeout_s=2, slowest_bytes_per_s=100_000)
    with server.client(receive_buffer=65536) as c:
        c.head("GET", f"/file?bytes={64 * MIB}")
        assert c.reply_head()[0] == 200
        begun = time.monotonic()
        for _ in range(64):
            c.take(MIB)
            threading.Event().wait(0.15)
        assert time.monotonic() - begun > 8  # two periods


def test_a_file_that_the_kernel_sends_is_counted(start):
    """Whole, or as much as was acknowledged before its reader left; its head is not."""
    server = start()
    sent = "cairn_http_response_body_bytes_total"
    before = server.metric(sent)
    with server.client() as c:
        assert c.request("GET", f"/file?bytes={3 * MIB}").body == b"a" * 3 * MIB
        assert c.request("HEAD", f"/file?bytes={3 * MIB}").status == 200
    assert 3 * MIB <= server.metric(sent) - before < 4 * MIB
    before = server.metric(sent)
    with server.client(receive_buffer=4096) as c:
        c.head("GET", f"/file?bytes={64 * MIB}")
        c.take(MIB)
    wait_for(lambda: server.metric("cairn_http_connections") == 1)
    assert MIB / 2 < server.metric(sent) - before < 32 * MIB
    wait_for(server.is_at_rest)


def test_strangers_send_no_body_before_they_are_verified(start):
    """Not while the only worker has no time to look; and then all of it."""
    server = start(workers=1, io_threads=1)
    with server.client() as busy, server.client() as stranger, server.client() as friend:
        busy.head("GET", "/wait")
        server.wait_waiting(1)
        stranger.head("POST", "/echo", {"Content-Length": 400_000, "X-Stranger": "good"})
        stranger.send(b"x" * 300_000)
        assert friend.request("POST", "/publish", b"x" * 900_000).status == 200
        server.holds_requests(3 * REQUEST_BYTES)
        server.post("/gate/open")
        stranger.send(b"x" * 100_000)
        assert stranger.reply("POST").body == b"x" * 400_000
        assert busy.reply().status == 200
    wait_for(server.is_at_rest)


@pytest.mark.parametrize("body, headers", [
    (b"x" * (64 << 10) + b"x", {}),
    (gzip.compress(b"x" * 100, mtime=0), {"Content-Encoding": "gzip"}),
    (b"5\r\nhello\r\n0\r\n\r\n", {"Transfer-Encoding": "chunked"}),
    (b"0\r\n\r\n", {"Transfer-Encoding": "chunked"}),
])
def test_strangers_that_lie_are_refused(server, body, headers):
    """Before their body, if that is large or of unknown size; the connection stays."""
    if "Transfer-Encoding" not in headers:
        headers = {**headers, "Content-Length": len(body)}
    with server.client() as c:
        for who, status in ("bad", 401), ("good", 200), ("bad", 401):
            c.head("POST", "/echo", {**headers, "X-Stranger": who})
            c.send(body)
            assert c.reply("POST").status == status
        c.head("POST", "/echo", {**headers, "X-Stranger": "bad", "Expect": "100-continue"})
        assert c.reply("POST").status == 401
    with server.client() as c:
        assert c.request("POST", "/echo", b"x" * (64 << 10), {"X-Stranger": "bad"}).status == 200
    wait_for(server.is_at_rest)


def test_a_slow_but_honest_sender_is_served(start):
    server = start(idle_timeout_s=4)
    with server.client() as c:
        c.head("POST", "/echo", {"Content-Length": 60 * 1000})
        for _ in range(60):
            c.send(b"x" * 1000)
            threading.Event().wait(0.1)
        assert len(c.reply().body) == 60000


def test_a_handler_may_take_longer_than_the_idle_time(start):
    server = start(idle_timeout_s=1)
    with server.client() as c:
        c.head("GET", "/wait")
        server.wait_waiting(1)
        until = time.monotonic() + 4
        wait_for(lambda: time.monotonic() > until)
        server.post("/gate/open")
        assert c.reply().status == 200


def test_two_thousand_connections(start):
    server = start(connection_limit=4000, queue_limit=2000, idle_timeout_s=600)
    clients = [server.client() for _ in range(2000)]
    for _ in range(3):
        for c in clients:
            c.head("POST", "/detach", {"Content-Length": 5})
            c.send(b"hello")
        replies = [c.reply() for c in clients]
        assert [r for r in replies if r.body != b"hello"] == []
    assert server.metric("cairn_http_connections") == 2001
    for c in clients:
        c.close()
    wait_for(lambda: server.metric("cairn_http_connections") == 1)


class Load:
    """Clients that ask until they are not answered any more, and count the answers."""

    def __init__(self, server, threads, method="POST", paths=("/echo", "/detach")):
        self.server = server
        self.answers = [0] * threads
        self.problems = []
        self.method = method
        self.paths = paths
        self.threads = [threading.Thread(target=self.run, args=(i,)) for i in range(threads)]
        for t in self.threads:
            t.start()

    def run(self, i):
        path = self.paths[i % len(self.paths)]
        try:
            while True:
                with self.server.client() as c:
                    self.ask(c, i, path)
        except (Closed, OSError):
            pass

    def ask(self, c, i, path):
        while True:
            reply = c.request(self.method, path, b"x" * (1 + 997 * i))
            if reply.status == 200:
                self.answers[i] += 1
            elif reply.status != 503:
                self.problems.append(reply)
            if reply.headers.get("connection", "").lower() == "close":
                return

    def join(self):
        for t in self.threads:
            t.join()
        return sum(self.answers)


@pytest.mark.parametrize("round_number", range(3))
def test_a_graceful_stop_loses_no_answer(start, round_number):
    server = start(workers=3)
    load = Load(server, 24)
    wait_for(lambda: sum(load.answers) > 500 * (1 + round_number))
    server.terminate()
    answered = load.join()
    handled = server.wait()
    assert not load.problems
    assert answered == handled


def test_a_stop_meets_threads_that_are_awake(start):
    """The I/O threads look at the listening socket whenever they wake, and so does who stops them."""
    server = start(io_threads=4, slow_removal=1)
    load = Load(server, 16)
    wait_for(lambda: sum(load.answers) > 200)
    server.terminate()
    answered = load.join()
    assert server.wait() == answered
    assert not load.problems


def test_a_graceful_stop_finishes_what_waits(start):
    server = start(workers=1, drain_timeout_s=100)
    clients = [server.client() for _ in range(4)]
    clients[0].head("GET", "/wait")
    server.wait_waiting(1)  # the one worker; what comes now stays in the queue
    clients[1].head("GET", "/wait")
    clients[2].head("POST", "/detach?gate=1", {"Content-Length": 1})
    clients[2].send(b"x")
    clients[3].head("POST", "/echo", {"Content-Length": 4})
    clients[3].send(b"ab")
    gate = server.client()
    wait_for(lambda: server.metric("cairn_http_requests_in_flight") == 5)
    server.terminate()
    wait_for(lambda: refuses(server))
    clients[3].send(b"cd")
    reply = gate.request("POST", "/gate/open")
    assert reply.headers["connection"].lower() == "close"
    assert [c.reply().status for c in clients] == [200] * 4
    assert server.wait() == 4


def refuses(server):
    """Nobody listens any more; who only waits for a slow machine is not refused."""
    try:
        server.client(timeout=60).close()
        return False
    except (ConnectionRefusedError, ConnectionResetError):
        return True


def test_the_end_of_patience(start):
    """Whoever does not come to an end is cut off when the drain time is over."""
    server = start(workers=1, drain_timeout_s=1)
    detached, body, stream = server.client(), server.client(), server.client(receive_buffer=4096)
    detached.head("POST", "/detach?gate=1", {"Content-Length": 1})
    detached.send(b"x")
    server.wait_waiting(1)
    body.head("POST", "/echo", {"Content-Length": 4})
    stream.head("GET", f"/stream?bytes={100 * MIB}")
    assert stream.reply_head()[0] == 200
    live = server.client()
    live.head("GET", "/live")
    assert live.reply_head()[0] == 200
    server.terminate()
    server.wait()
    assert detached.is_closed() and body.is_closed()
    heard, is_whole = live.chunks()
    assert is_whole and heard and not heard.replace(b":\n\n", b"")
    assert "stopping before all requests are answered" in server.log()


def test_stop_while_idle_connections_stay(start):
    server = start()
    clients = [server.client() for _ in range(50)]
    for c in clients:
        assert c.request("GET", "/healthz").status == 200
    assert server.stop() == 0
    assert all(c.is_closed() for c in clients)
