"""One budget for all that clients make the server hold; what has no room is answered 503."""

import pytest

from client import Closed
from conftest import REQUEST_BYTES, wait_for

MIB = 1 << 20
WEIGHT = 4  # what a byte of a body reserves


def busy(reply):
    assert reply.status == 503
    assert reply.json()["type"] == "urn:cairn:problem:busy"
    assert reply.headers["retry-after"] == "1"
    return True


def begin(client, size, sent, **headers):
    client.head("PUT", "/echo", {"Content-Length": size, **headers})
    client.send(b"x" * sent)


def test_a_body_reserves_what_reading_it_takes(start):
    server = start(memory=40 * MIB)
    with server.client() as first, server.client() as second:
        begin(first, 6 * MIB, 6 * MIB - 1)
        wait_for(lambda: server.held() >= WEIGHT * (6 * MIB - 1))
        assert busy(second.request("PUT", "/echo", b"y" * (6 * MIB)))
        assert len(second.request("PUT", "/echo", b"y" * 16_000).body) == 16_000
        first.send(b"x")
        assert len(first.reply().body) == 6 * MIB
        server.holds_requests(REQUEST_BYTES)
        assert len(second.request("PUT", "/echo", b"y" * (6 * MIB)).body) == 6 * MIB
    wait_for(server.is_at_rest)
    assert server.metric("cairn_memory_peak_bytes") <= 40 * MIB
    assert server.metric('cairn_http_refused_total{reason="memory"}') == 1


def test_a_body_that_came_so_far_and_finds_no_room(start):
    """Nobody knows how long it gets; it is read to its end, answered, and the connection stays."""
    server = start(memory=40 * MIB)
    with server.client() as first, server.client() as second:
        second.head("PUT", "/echo", {"Transfer-Encoding": "chunked"})
        second.send(b"100000\r\n" + b"y" * MIB + b"\r\n")
        begin(first, 6 * MIB, 6 * MIB - 1)
        wait_for(lambda: server.held() >= WEIGHT * (7 * MIB - 1))
        second.send(b"400000\r\n" + b"y" * (4 * MIB) + b"\r\n0\r\n\r\n")
        assert busy(second.reply())
        assert second.request("PUT", "/echo", b"hello").body == b"hello"
        first.send(b"x")
        assert len(first.reply().body) == 6 * MIB
    wait_for(server.is_at_rest)


def test_many_bodies_at_once(start):
    """All of them in parts, so that none is through before the others: some find room, none breaks."""
    server = start(memory=40 * MIB, connection_limit=200)
    clients = [server.client() for _ in range(60)]
    for c in clients:
        begin(c, MIB, MIB // 2)
    for c in clients:
        c.send(b"x" * (MIB // 2))
    replies = [c.reply() for c in clients]
    stored = [r for r in replies if r.status == 200]
    assert stored and all(len(r.body) == MIB for r in stored)
    assert len(stored) < 60 and all(r in stored or busy(r) for r in replies)
    for c, r in zip(clients, replies):
        while r.status == 503:
            r = c.request("PUT", "/echo", b"x" * MIB)
        assert r.status == 200
        c.close()
    wait_for(server.is_at_rest)
    assert server.metric("cairn_memory_peak_bytes") <= 40 * MIB


def test_answers_that_nobody_takes(start):
    """They stay until their clients have them: no more large ones are given out, small ones are."""
    server = start(memory=24 * MIB)
    with server.client(receive_buffer=4096) as slow, server.client() as other:
        slow.head("GET", f"/text?bytes={16 * MIB}")
        assert slow.reply_head()[0] == 200
        assert busy(other.request("GET", f"/text?bytes={8 * MIB}"))
        wait_for(lambda: other.request("GET", "/text?bytes=1000").status == 200)
        assert len(slow.take(16 * MIB)) == 16 * MIB
        wait_for(lambda: server.held() < 8 * MIB)
    assert len(server.get(f"/text?bytes={8 * MIB}").body) == 8 * MIB
    wait_for(server.is_at_rest)


@pytest.mark.parametrize("headers", [{}, {"Accept-Encoding": "gzip"}])
def test_an_answer_holds_its_own_bytes(start, headers):
    """What it was made with is released before it is sent, however slowly its client reads."""
    server = start(memory=200 * MIB)
    size = 8 * MIB if not headers else 1000 * MIB // 16
    with server.client(receive_buffer=4096) as slow:
        slow.head("GET", f"/spend?bytes={90 * MIB}&answer={size}", headers)
        assert slow.reply_head()[0] == 200
        most = size if not headers else size // 100
        wait_for(lambda: server.held() < most + 2 * REQUEST_BYTES + 64 * 1024)
        assert server.held() > 0
        if not headers:
            assert slow.take(size) == b"a" * size
    wait_for(server.is_at_rest)


def test_listeners_give_way(start):
    """One that takes nothing is ended when there is no room for what waits for it; it comes again."""
    def publish(size):
        return server.post("/publish", b"data: " + b"x" * size + b"\n\n").body

    server = start(memory=24 * MIB)
    with server.client(receive_buffer=4096) as c, server.client() as writer:
        c.head("GET", f"/live?limit={64 * MIB}")
        assert c.reply_head()[0] == 200
        wait_for(lambda: publish(90_000) == b"1\n" and server.held("listeners") >= 4 * MIB)
        begin(writer, 4 * MIB, 4 * MIB - 1)
        wait_for(lambda: server.held() >= WEIGHT * (4 * MIB - 1))
        wait_for(lambda: publish(10_000) == b"0\n")
        with pytest.raises(Closed):
            while c.chunk():
                pass
            raise Closed
        writer.send(b"x")
        assert len(writer.reply().body) == 4 * MIB
    wait_for(lambda: server.held("listeners") == 0)
    wait_for(server.is_at_rest)


def test_connections_count(start):
    server = start(memory=40 * MIB)
    one = server.held("connections")
    clients = [server.client() for _ in range(50)]
    wait_for(lambda: server.held("connections") == 51 * one)
    for c in clients:
        c.close()
    wait_for(lambda: server.held("connections") == one)
    server.holds_requests(REQUEST_BYTES)
