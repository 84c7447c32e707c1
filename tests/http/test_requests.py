"""Routes, paths, heads, bodies: one request at a time."""

import gzip
import json
import zlib

import pytest
import zstandard

from client import Closed
from conftest import wait_for

KIB = 1024
MIB = 1024 * KIB


def problem(reply, status, kind):
    assert reply.status == status, reply
    assert reply.headers["content-type"] == "application/problem+json"
    document = reply.json()
    assert document["type"] == f"urn:cairn:problem:{kind}"
    assert document["status"] == status
    assert document["title"] and document["detail"]
    assert document["request_id"] == reply.headers["x-request-id"]
    return document


def test_get(server):
    reply = server.get("/healthz")
    assert (reply.status, reply.body) == (200, b"ok\n")
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in reply.headers


def test_head_is_get_without_a_body(server):
    with server.client() as c:
        for path in ("/healthz", "/text?bytes=100", "/facts/x"):
            reply = c.request("HEAD", path)
            assert reply.status == 200 and reply.body == b""
            assert int(reply.headers["content-length"]) > 0
        assert c.request("GET", "/healthz").body == b"ok\n"


@pytest.mark.parametrize("path", ["/stream?bytes=10000000", "/live"])
def test_head_of_a_stream_is_a_head_alone(server, path):
    with server.client() as c:
        c.head("HEAD", path)
        assert c.reply_head()[0] == 200
        assert c.is_closed()


def test_unknown_paths_and_methods(server):
    problem(server.get("/nothing"), 404, "not-found")
    with server.client() as c:
        reply = c.request("PATCH", "/echo", b"body")
        problem(reply, 405, "method-not-allowed")
        assert reply.headers["allow"] == "OPTIONS, POST, PUT"
        reply = c.request("TRACE", "/facts/x")
        problem(reply, 405, "method-not-allowed")
        assert reply.headers["allow"] == "OPTIONS, GET, HEAD, POST, DELETE"
        problem(c.request("BREW", "/nothing"), 404, "not-found")
        reply = c.request("OPTIONS", "/echo")
        assert reply.status == 204 and reply.headers["allow"] == "OPTIONS, POST, PUT"


@pytest.mark.parametrize("path, name", [
    ("/facts/plain", "plain"),
    ("/facts/a%2Fb", "a/b"),
    ("/facts/a%252Fb", "a%2Fb"),
    ("/facts/a+b", "a+b"),
    ("/facts/%C3%A9", "é"),
    ("/facts/%20", " "),
    ("/fact%73/x", "x"),
    ("http://elsewhere/facts/x", "x"),
])
def test_parameters_are_decoded_once(server, path, name):
    reply = server.get(path)
    assert reply.status == 200, reply
    assert reply.json()["name"] == name


@pytest.mark.parametrize("path", [
    "/facts/%00", "/facts/a%00b", "/facts/%zz", "/facts/%4", "/facts/%", "/facts/%ff", "/facts/%c3",
    "/facts/..", "/facts/%2e%2E", "/facts/x?a=%00", "/facts/x?a=%zz", "/facts/" + "x" * 21 * KIB, "*",
    "facts",
])
def test_bad_paths(server, path):
    problem(server.get(path), 400, "invalid")


def test_queries(server):
    assert server.get("/facts/x?a=1%262&a=3").json()["query_a"] == "1&2"
    assert server.get("/facts/x?b=1").json()["query_a"] is None
    problem(server.get("/text?bytes=x"), 400, "invalid")


def test_request_ids(server):
    assert server.get("/facts/x", X_Request_Id="my-id.7").json()["id"] == "my-id.7"
    ids = set()
    for bad in ("a b", "x" * 32, "é", "a\"b", ""):
        reply = server.get("/facts/x", X_Request_Id=bad)
        assert reply.headers["x-request-id"] == reply.json()["id"] != bad
        ids.add(reply.json()["id"])
    assert len(ids) == 5


def test_keep_alive_and_pipelining(server):
    with server.client() as c:
        for i in range(50):
            assert c.request("POST", "/echo", b"%d" % i).body == b"%d" % i
        c.send(b"".join(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n%03d" % i
                        for i in range(20)))
        assert [c.reply().body for _ in range(20)] == [b"%03d" % i for i in range(20)]


def test_http_10_gets_a_stream_to_the_end(server):
    with server.client() as c:
        c.head("GET", "/stream?bytes=300000", version="1.0")
        assert len(c.reply().body) == 300000


def test_bodies_up_to_the_limit(server):
    with server.client() as c:
        for size in (0, 1, 63, 64, 65, 32 * KIB, MIB):
            body = bytes(i % 251 for i in range(251)) * (size // 251 + 1)
            assert c.request("POST", "/echo", body[:size]).body == body[:size]
        problem(c.request("POST", "/echo", b"x" * (MIB + 1)), 413, "too-large")
        assert c.request("POST", "/echo", b"still here").body == b"still here"


def test_a_body_where_none_is_expected(server):
    with server.client() as c:
        problem(c.request("GET", "/text", b"x"), 413, "too-large")
        assert c.request("DELETE", "/facts/x").status == 200


def test_chunked_bodies(server):
    with server.client() as c:
        c.head("POST", "/echo", {"Transfer-Encoding": "chunked"})
        c.send(b"3\r\nabc\r\n" b"A;ext=1\r\n0123456789\r\n" b"0\r\n\r\n")
        assert c.reply().body == b"abc0123456789"
        c.head("POST", "/echo", {"Transfer-Encoding": "chunked"})
        for _ in range(40):
            c.send(b"8000\r\n" + b"x" * 0x8000 + b"\r\n")
        c.send(b"0\r\n\r\n")
        problem(c.reply(), 413, "too-large")
        assert c.request("POST", "/echo", b"again").body == b"again"


def test_endless_chunks_are_cut_off(server):
    with server.client() as c, pytest.raises((ConnectionError, Closed)):
        c.head("POST", "/echo", {"Transfer-Encoding": "chunked"})
        while True:
            c.send(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")


@pytest.mark.parametrize("lines", [
    b"Content-Length: 3\r\nContent-Length: 4\r\n",
    b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: gzip\r\n",
    b"Transfer-Encoding: chunked, chunked\r\n",
    b"Content-Length: -1\r\n",
    b"Content-Length: 3x\r\n",
    b"Content-Length : 3\r\n",
    b"Content-Length\t: 3\r\n",
    b"Transfer-Encoding : chunked\r\n",
    b"Transfer-Encoding: \x0bchunked\r\n",
    b"Content-Length:\r\n 3\r\n",
    b"Content-Len: 3\r\n gth\r\n",
    b"Content-Len:\r\n\tgth\r\n",
    b"X: a\rContent-Length: 3\r\n",
    b"X Y: a\r\n",
    b": a\r\n",
    b":\r\n",
    b"X: a\r\n: b\r\n",
    b"X: a\r\n:\r\nContent-Length: 3\r\n",
    b"X: a\n",
    b"X: a\nContent-Length: 3\r\n",
    b"X: a\0b\r\n",
    b"X: \0\r\n",
    b"X: a\0\r\n",
    b"X\0: a\r\n",
    b"\0X: a\r\n",
    b"Transfer-Encoding: chunked\0\r\n",
    b"Host: y\r\n",
    b"Authorization: a\r\nAuthorization: b\r\n",
    b"Content-Type: a/b\r\ncontent-type: a/b\r\n",
])
def test_framing_that_could_be_smuggled(server, lines):
    with server.client() as c:
        c.send(b"POST /echo HTTP/1.1\r\nHost: x\r\n" + lines + b"\r\nabc")
        assert c.reply().status == 400
        assert c.is_closed()


@pytest.mark.parametrize("head", [
    b"POST /echo HTTP/1.1\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
    b"POST /echo HTTP/1.1\r\nHost: x\nContent-Length: 3\r\n\r\nabc",
    b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\n\r\nabc",
    b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\nabc",
    b"POST /echo HTTP/1.1\nHost: x\nContent-Length: 3\n\nabc",
    b"GET /healthz HTTP/1.0\n\n",
    b"GET /healthz HTTP/1.0\r\n\n",
])
def test_lines_end_with_crlf(server, head):
    with server.client() as c:
        c.send(head)
        assert c.reply().status == 400
        assert c.is_closed()


def test_strict_heads_are_taken(server):
    """Empty values, blanks around values, tabs, many lines, one after the other on a connection."""
    lines = b"".join(b"X-%d:%b\r\n" % (i, value) for i, value in enumerate(
        [b"", b" ", b"\t", b"a", b" a ", b"  a\tb\t", b" a:b", b":", b" \xc3\xbc"]))
    with server.client() as c:
        for target in (b"/echo", b"/echo?", b"http://x/echo"):
            for _ in range(2):
                c.send(b"POST " + target + b" HTTP/1.1\r\nHost: x\r\n" + lines + b"Content-Length: 3\r\n\r\n\0\n\r")
                assert c.reply().body == b"\0\n\r"
            assert c.request("GET", "/facts/x?a=1%262&a=3").json()["query_a"] == "1&2"
        for end in range(1, 60, 7):
            request = b"POST /echo HTTP/1.1\r\nHost: x\r\nX:\r\nContent-Length: 3\r\n\r\nabc"
            c.send(request[:end])
            c.send(request[end:])
            assert c.reply().body == b"abc"


@pytest.mark.parametrize("chunks", [
    b"3\nabc\r\n0\r\n\r\n",
    b"3;a\nabc\r\n0\r\n\r\n",
    b"3;a=b\nc\r\nabc\r\n0\r\n\r\n",
    b"3\r\nabc\r\n3;x\nabc\r\n0\r\n\r\n",
])
def test_lines_of_chunks_end_with_crlf(server, chunks):
    with server.client() as c:
        c.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        assert c.reply().status == 400
        assert c.is_closed()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 1000])
def test_strict_chunks_are_taken(server, size):
    """In pieces of any size, with bodies that look like lines of chunks."""
    body = b"3;a\nabc\n\n3\n" * 50
    chunks = b"".join(b"%x;e=1\r\n%b\r\n" % (len(part), part) for part in
                      (body[at:at + 7] for at in range(0, len(body), 7))) + b"0\r\n\r\n"
    with server.client() as c:
        for _ in range(2):
            c.head("POST", "/echo", {"Transfer-Encoding": "chunked"})
            for at in range(0, len(chunks), size):
                c.send(chunks[at:at + size])
            assert c.reply().body == body


def test_chunks_before_there_were_any(server):
    with server.client() as c:
        c.send(b"POST /echo HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n"
               b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        problem(c.reply(), 400, "invalid")
        assert c.is_closed()


def test_values_of_headers(server):
    """Long ones, with tabs and letters of any kind."""
    value = "\t" + "ü, \t" * 5000
    assert server.get("/facts/x", X_Long=value).status == 200


def test_hosts(server):
    with server.client() as c:
        c.send(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert c.reply().status == 200
    with server.client() as c:
        c.send(b"GET /healthz HTTP/1.1\r\n\r\n")
        problem(c.reply(), 400, "invalid")
        assert c.is_closed()


def test_headers_are_counted(server):
    """A line that is not kept could be a second length, or an If-Match."""
    many = {f"X-{i}": "y" for i in range(127)}
    assert server.get("/healthz", **many).status == 200
    with server.client() as c:
        c.head("POST", "/echo", {**many, "Content-Length": 3})
        problem(c.reply(), 431, "too-large")
        assert c.is_closed()


def test_expect_continue(server):
    with server.client() as c:
        c.head("POST", "/echo", {"Expect": "100-continue", "Content-Length": 3})
        assert c.reply_head()[0] == 100
        c.send(b"abc")
        assert c.reply().body == b"abc"
    with server.client() as c:
        c.head("POST", "/echo", {"Expect": "100-continue", "Content-Length": 2 * MIB})
        problem(c.reply(), 413, "too-large")
    with server.client() as c:
        c.head("POST", "/nothing", {"Expect": "100-continue", "Content-Length": 3})
        problem(c.reply(), 404, "not-found")


def test_a_claimed_length_is_not_believed(server):
    before = server.memory_kb()
    clients = [server.client() for _ in range(20)]
    for c in clients:
        c.head("PUT", "/echo", {"Content-Length": 200 * MIB})
        c.send(b"x")
    assert server.get("/healthz").status == 200
    assert server.memory_kb() - before < 40 * KIB
    for c in clients:
        c.close()


@pytest.mark.parametrize("name, encode", [("gzip", gzip.compress), ("zstd", zstandard.compress)])
def test_encoded_bodies(server, name, encode):
    data = b"some text " * 50000
    with server.client() as c:
        encoded = {"Content-Encoding": name}
        assert c.request("POST", "/echo", encode(data), encoded).body == data
        assert c.request("POST", "/echo", b"", encoded).body == b""
        problem(c.request("POST", "/echo", b"no such stream", encoded), 400, "invalid")
        problem(c.request("POST", "/echo", encode(data)[:-9], encoded), 400, "invalid")
        problem(c.request("POST", "/echo", encode(data) + b"more", encoded), 400, "invalid")
        problem(c.request("POST", "/echo", encode(bytes(64 * MIB)), encoded), 413, "too-large")
        assert c.request("POST", "/echo", encode(b"x"), encoded).body == b"x"


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "gzip,zstd", "x"])
def test_other_encodings(server, encoding):
    reply = server.post("/echo", zlib.compress(b"x"), Content_Encoding=encoding)
    assert "gzip or zstd" in problem(reply, 415, "unsupported-media")["hint"]


def test_encodings_in_two_lines(server):
    with server.client() as c:
        c.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Encoding: gzip\r\n"
               b"Content-Encoding: gzip\r\n\r\nx")
        problem(c.reply(), 415, "unsupported-media")
        c.send(b"GET /text?bytes=5000 HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\n"
               b"Accept-Encoding: gzip\r\n\r\n")
        assert c.reply().headers["content-encoding"] == "gzip"


def test_bombs_do_not_take_memory(server):
    bomb = gzip.compress(bytes(256 * MIB), 9)
    before = server.memory_kb()
    for _ in range(4):
        problem(server.post("/echo", bomb, Content_Encoding="gzip"), 413, "too-large")
    assert server.memory_kb() - before < 30 * KIB


@pytest.mark.parametrize("path, headers, status", [
    ("/healthz", {"X-Long": "x" * 33000}, 431), ("/" + "x" * 33000, {}, 414)])
def test_heads_that_are_too_large(server, path, headers, status):
    with server.client() as c:
        c.head("GET", path, headers)
        assert c.reply_head()[0] == status
    assert server.get("/healthz").status == 200


ERRORS = {0: (400, "invalid"), 1: (401, "unauthorized"), 2: (403, "forbidden"), 3: (404, "not-found"),
          4: (410, "gone"), 5: (409, "conflict"), 6: (412, "precondition-failed"),
          7: (413, "too-large"), 8: (415, "unsupported-media"), 9: (422, "unprocessable"),
          10: (429, "rate-limit"), 11: (503, "busy"), 12: (504, "timeout")}


@pytest.mark.parametrize("number", ERRORS)
def test_errors_are_problem_documents(server, number):
    status, kind = ERRORS[number]
    reply = server.get(f"/fail?kind={number}")
    document = problem(reply, status, kind)
    assert document["detail"] == "secret or not"
    assert (document["field"], document["hint"], document["expected"]) == (
        "a.b", "try something else", 7)
    assert ("retry-after" in reply.headers) == (status in (429, 503))
    assert ("www-authenticate" in reply.headers) == (status == 401)


def test_internal_errors_keep_their_details(server):
    reply = server.get("/fail?kind=13", X_Request_Id="look-for-me")
    document = problem(reply, 500, "internal")
    assert "secret" not in reply.body.decode() and "field" not in document
    lines = [line for line in server.log().splitlines() if "request failed" in line]
    assert len(lines) == 1 and "secret or not" in lines[0] and "id=look-for-me" in lines[0]


def test_answers_are_compressed_when_asked(server):
    plain = server.get("/text?bytes=5000")
    assert "content-encoding" not in plain.headers and len(plain.body) == 5000
    for accept in ("gzip", "br, gzip;q=0.5", "*", "GZIP", "*;q=0, gzip", ",, gzip ; q=1"):
        reply = server.get("/text?bytes=5000", Accept_Encoding=accept)
        assert reply.headers["content-encoding"] == "gzip", accept
        assert gzip.decompress(reply.body) == b"a" * 5000
        assert "accept-encoding" in reply.headers["vary"].lower()
    for accept in ("br", "gzip;q=0", "identity", "gzip;q=x", "*, gzip;q=0", "*;q=0.000", ""):
        assert "content-encoding" not in server.get("/text?bytes=5000", Accept_Encoding=accept).headers
    assert "content-encoding" not in server.get("/text?bytes=1024", Accept_Encoding="gzip").headers


def test_cors_is_off_unless_allowed(start):
    open_server = start(cors_origins="https://a.example, https://b.example")
    reply = open_server.get("/healthz", Origin="https://b.example")
    assert reply.headers["access-control-allow-origin"] == "https://b.example"
    assert "access-control-allow-origin" not in open_server.get(
        "/healthz", Origin="https://c.example").headers
    with open_server.client() as c:
        reply = c.request("OPTIONS", "/echo", headers={
            "Origin": "https://a.example", "Access-Control-Request-Method": "POST"})
        assert reply.status == 204
        assert "POST" in reply.headers["access-control-allow-methods"]
        assert "Authorization" in reply.headers["access-control-allow-headers"]


def test_every_request_is_a_log_line(server):
    server.post("/facts/secret-name?a=1", b"12345", X_Request_Id="line-1")
    wait_for(lambda: "id=line-1" in server.log())
    lines = [line for line in server.log().splitlines() if "id=line-1" in line]
    assert len(lines) == 1
    for part in ("method=POST", "route=/facts/{name}", "status=200", "in=5", "client=127.0.0.1"):
        assert part in lines[0].replace('"', ""), lines[0]
    assert "secret-name" not in lines[0] and "path=" not in lines[0]


@pytest.mark.parametrize("path, logged", [
    ("/nobody/knows?key=secret", "path=/nobody/knows "), ("/a%0Ab/%22", "path=/a%0Ab/%22 "),
    ("/" + "x" * 5000, f"path=/{'x' * 255} "), ("/%zz", "path=/%zz ")], ids=["plain", "escaped", "long", "bad"])
def test_a_path_without_a_route_is_logged(server, path, logged):
    server.post(path, b"", X_Request_Id="line-2")
    wait_for(lambda: "id=line-2" in server.log())
    line = next(line for line in server.log().splitlines() if "id=line-2" in line)
    assert "route=- " in line and logged in line.replace('"', "") and "secret" not in line


def test_graphql_beside_the_prefix_is_answered_as_the_sdk_reads_it(start, server):
    """The SDK shows the messages of "errors", and knows no other form."""
    for one, path, base in ((server, "/lab/graphql", ""), (start(path_prefix="/cairn"), "/graphql", "/cairn"),
                            (server, "/graphql/graphql", "")):
        reply = one.post(path, b"{}")
        (error,) = json.loads(reply.body)["errors"]
        assert reply.status == 404 and "no such path" in error["message"]
        assert f"WANDB_BASE_URL is http://test{base} here" in error["message"]
    problem(server.get("/lab/graphql"), 404, "not-found")
    problem(server.post("/lab/graphqls", b"{}"), 404, "not-found")
