"""Bad input, line by line: a clear error, and nothing of the request stored."""
import contextlib
import gzip
import json
import re
import socket
import urllib.parse
import zlib

import pytest
import zstandard

from rest import Api, encode
from runs import Run
from server import cairnd_run

MIB = 1 << 20
MAX_BODY = 16 * MIB


@pytest.fixture(scope="module")
def settings():
    return {"max_body": MAX_BODY}


@pytest.fixture
def fixed(run):
    """A run with something in it, that no refused request may change."""
    w = run.join()
    w.send(history=[{"a": 1}], events=[{"cpu": 1}], config={"lr": 1}, summary={"best": 1},
           console=[{"line": 0, "stream": "stdout", "time": 1.0, "text": "x"}])
    before = snapshot(run)
    yield w
    assert snapshot(run) == before, "something of a refused request was stored"
    assert w.send(history=[{"a": 2}])["row_first"] == 1
    assert run.values("a") == [1, 2]


def snapshot(run):
    writers = {c: {k: v for k, v in w.items() if k != "heard_at"} for c, w in run.writers().items()}
    shown = {k: v for k, v in run.get().items() if k not in ("heard_at", "bytes")}  # which is measured now and then
    return (shown, writers, run.rows(), run.events(), run.console(), run.config(), run.summary(),
            run.conflicts(), list(run.keys()), run.states())


def batch(**streams):
    return encode({"writer": "w1", "session": 1, "batch": 2, **streams})


def with_rows(text):
    return b'{"writer":"w1","session":1,"batch":2,"history":' + (text if isinstance(text, bytes) else text.encode()) + b"}"


# --- not JSON, truncated, deep, not UTF-8, duplicate keys, unknown fields

BODIES = {
    "empty": b"",
    "blank": b"  \n ",
    "truncated": batch(history=[{"a": 1}])[:-1],
    "truncated in a string": batch(history=[{"a": "xyz"}])[:-6],
    "truncated in a number": b'{"writer":"w1","session":1,"batch":',
    "not JSON": b"writer=w1",
    "two documents": batch() + batch(),
    "trailing comma": with_rows('[{"a":1},]'),
    "single quotes": with_rows("[{'a':1}]"),
    "comment": with_rows('[{"a":1}]/**/'),
    "leading zero": with_rows('[{"a":01}]'),
    "plus sign": with_rows('[{"a":+1}]'),
    "bare point": with_rows('[{"a":.5}]'),
    "hex": with_rows('[{"a":0x10}]'),
    "nan in lower case": with_rows('[{"a":nan}]'),
    "control character in a string": with_rows(b'[{"a":"x\ny"}]'),
    "bad escape": with_rows(r'[{"a":"\q"}]'),
    "half an escape": with_rows(r'[{"a":"\u12"}]'),
    "an array": b"[]",
    "a number": b"1",
    "null": b"null",
    "deep": with_rows('[{"a":' + "[" * 1040 + "]" * 1040 + "}]"),
    "very deep": with_rows("[" * 500_000),
    "deep objects": with_rows('[{"a":' + '{"b":' * 1040 + "1" + "}" * 1040 + "}]"),
    "deep config": b'{"writer":"w1","session":1,"batch":2,"config":' + b'{"a":' * 40 + b"1" + b"}" * 41,
    "not UTF-8": with_rows(b'[{"a":"\xff\xfe"}]'),
    "not UTF-8 in a key": with_rows(b'[{"\xc3":1}]'),
    "overlong UTF-8": with_rows(b'[{"a":"\xc0\xaf"}]'),
    "a surrogate in UTF-8": with_rows(b'[{"a":"\xed\xa0\x80"}]'),
    "UTF-16": batch().decode().encode("utf-16"),
    "NUL bytes": b"\0" * 100,
    "duplicate member": b'{"writer":"w1","session":1,"batch":2,"batch":3}',
    "duplicate stream": with_rows('[{"a":1}],"history":[{"a":2}]'),
    "duplicate in config": b'{"writer":"w1","session":1,"batch":2,"config":{"a":1,"a":2}}',
    "duplicate in summary": b'{"writer":"w1","session":1,"batch":2,"summary":{"a":{"b":1,"b":2}}}',
    "unknown field": batch(histroy=[{"a": 1}]),
    "unknown field in a line": batch(console=[{"line": 1, "stream": "stdout", "time": 1, "text": "x", "colour": 1}]),
    "unknown field in dropped": batch(dropped={"rows": 1}),
    "duplicate in dropped": b'{"writer":"w1","session":1,"batch":2,"dropped":{"events":1,"events":2}}',
}


@pytest.mark.parametrize("name", BODIES)
def test_body(fixed, name):
    fixed.refused(400, "invalid", BODIES[name])
    fixed.refused(400, "invalid", BODIES[name], encoding="gzip")


def bare_rows():
    """Of BODIES those that are wrong as rows, too: of a batch only its history."""
    for name, body in BODIES.items():
        head, found, rows = body.partition(b'"history":')
        if name == "truncated":
            yield name, b'[{"a":1}'
        elif found and name not in ("duplicate stream", "comment"):
            yield name, rows.removesuffix(b"}")
        elif not body.startswith(b'{"writer"'):
            yield name, body


@pytest.mark.parametrize("name, body", list(bare_rows()), ids=list(dict(bare_rows())))
def test_body_of_bare_rows(fixed, name, body):
    """The same through the other door, which reads rows only."""
    fixed.run.api.refused(400, "invalid", "POST", f"{fixed.run.path}/history", body)


@pytest.mark.parametrize("body, field", [
    (with_rows('[{"b":1},{"b":2},{"b":1,2}]'), "history[2]"),
    (batch(console=[{"line": 1, "stream": "stdin", "time": 1, "text": "x"}]), "console[0].stream"),
    (batch(dropped={"history": -1}), "dropped.history"),
    (batch(nonsense=1), "nonsense"),
])
def test_the_field_is_named(fixed, body, field):
    problem = fixed.refused(400, "invalid", body)
    assert problem["field"].startswith(field)
    assert problem["detail"]


# --- too large, compressed, bombs

def test_body_too_large(fixed):
    fixed.refused(413, "too-large", b" " * (MAX_BODY + 1))
    fixed.refused(413, "too-large", batch(history=[{"k": "x" * 1000}] * 20_000))


def test_body_too_large_without_a_length(fixed):
    """Chunked: the size is seen only as it comes."""
    api = fixed.run.api
    connection = api._connection()
    connection.putrequest("POST", f"{fixed.run.path}/batch")
    for name, value in api._headers({"Content-Type": "application/json", "Transfer-Encoding": "chunked"}).items():
        connection.putheader(name, value)
    connection.endheaders()
    piece = b"100000\r\n" + b" " * MIB + b"\r\n"
    for _ in range(18):
        connection.send(piece)
    connection.send(b"0\r\n\r\n")
    assert connection.getresponse().status == 413
    api.close()


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_bomb(fixed, compress):
    bomb = compress(b" " * (200 * MIB))
    assert len(bomb) < MIB
    encoding = {"Content-Encoding": "gzip" if compress is gzip.compress else "zstd"}
    fixed.refused(413, "too-large", bomb, headers=encoding)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_broken_compression(fixed, name):
    whole = (gzip.compress if name == "gzip" else zstandard.compress)(batch(history=[{"a": "x" * 1000}]))
    for body in (whole[:-1], whole[:len(whole) // 2], whole[:3], b"", b"not compressed at all", whole + b"more"):
        fixed.refused(400, "invalid", body, headers={"Content-Encoding": name})
    if name == "gzip":
        wrong_sum = bytearray(whole)
        wrong_sum[-5] ^= 1
        fixed.refused(400, "invalid", bytes(wrong_sum), headers={"Content-Encoding": name})
        fixed.refused(400, "invalid", zlib.compress(batch()), headers={"Content-Encoding": name})


def test_empty_members_of_gzip(fixed):
    """A body of several members is one body."""
    parts = gzip.compress(b'{"writer":"w1","session":1,') + gzip.compress(b'"batch":0}')
    fixed.refused(400, "invalid", parts, headers={"Content-Encoding": "gzip"})


@pytest.mark.parametrize("kwargs", [
    {"content_type": "text/plain"}, {"content_type": "application/x-www-form-urlencoded"},
    {"content_type": "multipart/form-data; boundary=x"}, {"content_type": "application/x-ndjson"},
    {"content_type": "application/merge-patch+json"}, {"headers": {"Content-Encoding": "br"}},
    {"headers": {"Content-Encoding": "gzip, gzip"}},
])
def test_unsupported_media(fixed, kwargs):
    fixed.refused(415, "unsupported-media", batch(history=[{"a": 9}]), **kwargs)


@pytest.fixture
def root(server, keys):
    """An admin of the server, on which there is the service account `robot`."""
    made = Api(server, keys["root"])
    assert made.request("POST", "/api/v1/users", {"name": "robot", "service": True}).status in (201, 409)
    yield made
    made.close()


def routes_with_bodies(fixed, home, root):
    """(method, template, path, who may call it) of each route that takes a body."""
    for line in cairnd_run("", "", "--print-routes").splitlines():
        method, template, access, max_body, *_ = line.split()
        if method in ("GET", "DELETE") or max_body == "0":
            continue
        path = template.replace("/api/v1/projects/{entity}/{project}", home).replace("{run}", fixed.run.name)
        yield method, template, path.replace("{entity}", "ann").replace("{user}", "robot"), root if access == "server" else fixed.run.api


def test_media_of_every_route(fixed, home, root):
    """What each route reads, and that it says no to everything else."""
    wrong = []
    for method, template, path, api in routes_with_bodies(fixed, home, root):
        read = {"application/json"}
        if method == "PATCH":
            read.add("application/merge-patch+json")
        if template.endswith("/history"):
            read.add("application/x-ndjson")
        for media in ("application/json", "application/merge-patch+json", "application/x-ndjson", "text/plain",
                      "application/x-www-form-urlencoded", "text/json", "application/jsonx"):
            answer = api.request(method, path, '{"no_such_field":', content_type=media)
            if answer.status != (400 if media in read else 415):
                wrong.append(f"{method} {template} as {media}: {answer}")
    assert not wrong, "\n".join(wrong)


def test_unknown_fields_of_every_route(fixed, home, root):
    """A body that is fine but for one member more."""
    needed = {"/join": {"client": "c", "role": "worker"}, "/states": {"state": "killed", "reason": "x"},
              "/finish": {"exit_code": 0}, "/batch": json.loads(batch()), "/session": {"name": "ann", "password": "x"},
              "/first-admin": {"name": "ann", "password": "y" * 12, "token": "x"},
              "/{entity}": {"quota_bytes": 1 << 40}, "/series": {"runs": [fixed.run.name], "panels": [{"keys": ["a"]}]},
              "/password": {"old_password": "x", "new_password": "y" * 12}, "/rewind": {"step": 0},
              "/end": {"reason": "gone"},
              "/move": {"entity": "ann", "project": "elsewhere"},
              "/webhook": {"url": "https://hooks.example/cairn"}, "/alerts": {"title": "high"},
              "/views": {"kind": "mine", "name": "x"}, "/{user}": {"role": "viewer"},
              "/runs/{run}/artifacts": {"artifact": "m:v0", "way": "input"}, "/artifact-restore": {"restore": "x"},
              "/{collection}/links": {"source": "ann/p/m:v0"},
              "/{collection}/versions": {"type": "model"}, "/{draft}/files": {"files": [{"path": "a", "md5": "0" * 32, "bytes": 1}]},
              "/uploads": {"path": "a", "md5": "0" * 32, "parts": 1}, "/{draft}/references": {"references": [{"path": "a", "ref": "s3://b/a"}]},
              "/sweeps": {"config": "method: random"}, "/{trial}": {"retry": True}, "/agents": {"host": "h"}, "/{agent}": {"set_aside": True},
              "/heartbeat": {"runs": []},
              "/users": {"name": "bob"}, "/keys": {"name": "k"}, "/entities": {"name": "lab"}, "/read": {"token": "x"}, "/use": {"token": "x", "password": "y" * 12}}
    wrong = []
    for method, template, path, api in routes_with_bodies(fixed, home, root):
        if template.endswith(("/config", "/summary", "/history")):
            continue
        fields = next((members for end, members in needed.items() if template.endswith(end)), {})
        answer = api.request(method, path, {**fields, "no_such_field": 1})
        if answer.status != 400 or answer.json.get("field") != "no_such_field":
            wrong.append(f"{method} {template}: {answer}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "APPLICATION/JSON", None])
def test_supported_media(run, content_type):
    run.join()
    run.api.post(f"{run.path}/batch", {"writer": "w1", "session": 1, "batch": 1}, content_type=content_type)


def test_a_client_that_hangs_up(fixed, wait_for):
    body = batch(history=[{"a": 9}])
    head = (f"POST {fixed.run.path}/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {fixed.run.api.key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body) + 10}\r\n\r\n").encode()
    for sent in (head, head[:40], head + body, head + body[:20]):
        with socket.create_connection(("127.0.0.1", fixed.run.api.server.port)) as s:
            s.sendall(sent)
    wait_for(lambda: "\ncairn_http_requests_in_flight 1\n" in fixed.run.api.get("/metrics").text)


@pytest.mark.parametrize("noise", [b"GET\r\n\r\n", b"\0" * 300, b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01" + b"x" * 200,
                                   b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                                   b"GET / HTTP/1.1\r\nX: " + b"y" * 200_000 + b"\r\n\r\n"])
def test_noise(fixed, noise):
    with socket.create_connection(("127.0.0.1", fixed.run.api.server.port), timeout=60) as s:
        answer = b""
        with contextlib.suppress(ConnectionError):
            s.sendall(noise)
        with contextlib.suppress(OSError):  # the server has hung up already
            s.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            while some := s.recv(65536):
                answer += some
    assert re.match(rb"(HTTP/1.1 (4\d\d|505) |$)", answer), answer


# --- names

LONG = "x" * 600
BAD_NAMES = [LONG, "a%2Fb", "a%00b", "a%0Ab", "%20a", "a%20", "a%3Ab", "a%23b", "a%25b", "%FF", "%2E%2E", "a%zz"]
BAD_WORDS = ["a%20b", "%C3%BC", ".hidden", "-dash"]
OF_ENTITIES = [("GET", "/api/v1/projects/{name}", None, "entity"), ("GET", "/api/v1/entities/{name}", None, "entity")]


@pytest.mark.parametrize("name", BAD_WORDS)
@pytest.mark.parametrize("method, path, body, field", OF_ENTITIES)
def test_names_of_entities_are_words(api, name, method, path, body, field):
    assert api.refused(400, "invalid", method, path.format(name=name), body)["field"] == field


@pytest.mark.parametrize("name", BAD_WORDS)
def test_runs_and_projects_have_names_of_any_alphabet(api, name):
    path = f"/api/v1/projects/ann/{name}"
    made = api.request("PUT", f"{path}/runs/{name}", {})
    assert (made.status, made.headers["Location"]) == (201, f"{path}/runs/{name}")
    assert api.get(made.headers["Location"])["id"] == urllib.parse.unquote(name)


@pytest.mark.parametrize("name", BAD_NAMES)
@pytest.mark.parametrize("method, path, body, field", [
    *OF_ENTITIES,
    ("PUT", "{entity}/{name}", {}, "project"),
    ("GET", "{entity}/{name}", None, "project"),
    ("PUT", "{project}/runs/{name}", {}, "run"),
    ("GET", "{project}/runs/{name}", None, "run"),
    ("POST", "{project}/runs/{name}/history", {"a": 1}, "run"),
])
def test_names_in_paths(project, api, name, method, path, body, field):
    entity = "/api/v1/projects/ann"

    def projects():
        """But for what runs take, which is measured now and then."""
        return [{k: v for k, v in p.items() if k not in ("bytes", "deleted_bytes")} for p in api.pages(entity)]

    before = projects()
    problem = api.refused(400, "invalid", method, path.format(entity=entity, project=project, name=name), body)
    if name not in ("a%00b", "%FF", "a%zz", "%2E%2E"):
        assert problem["field"] == field
    assert projects() == before
    assert api.pages(f"{project}/runs") == []


@pytest.mark.parametrize("path", ["{project}/", "/api/v1//projects", "//api/v1/server",
                                  "/api/v1/projects/ann/../ann/digits", "/api/v1/server/", "/api/v1/./server"])
def test_paths_that_are_none(project, api, path):
    answer = api.request("GET", path.format(project=project))
    assert (answer.status, answer.problem) in ((404, "not-found"), (400, "invalid"))


@pytest.mark.parametrize("label", ["x" * 300, "a/b", "a\0b", "a\x1fb", "", "x" * 129, "ü" * 65])
def test_labels(fixed, label):
    api, path = fixed.run.api, fixed.run.path
    api.refused(400, "invalid", "POST", f"{path}/join", {"client": "c9", "role": "worker", "label": label})
    api.refused(400, "invalid", "POST", f"{path}/history", {"a": 1}, query={"label": label})


# --- line numbers

@pytest.mark.parametrize("number", ["-1", "2147483648", "1e18", "9223372036854775808", "1.5", '"0"', "null", "true"])
def test_console_line_numbers(fixed, number):
    body = b'{"writer":"w1","session":1,"batch":2,"console":[{"line":%s,"stream":"stdout","time":1,"text":"x"}]}'
    problem = fixed.refused(400, "invalid", body % number.encode())
    assert problem["field"] == "console[0].line"


def test_the_greatest_line_number(run):
    run.join().send(console=[{"line": 2**31 - 1, "stream": "stdout", "time": 1, "text": "x"}])
    assert [c["line"] for c in run.console()] == [2**31 - 1]


def test_console_line_of_64_kib(run):
    w = run.join()
    line = {"line": 0, "stream": "stdout", "time": 1.0, "text": "x" * 65536}
    w.send(console=[line])
    w.refused(422, "unprocessable", w.body(2, console=[{**line, "text": "x" * 65537}]))
    assert [len(c["text"]) for c in run.console()] == [65536]


# --- counts and sizes

def test_too_many_keys_in_a_row(run):
    """The first are kept, and those that clients add themselves."""
    row = {f"k{i}": i for i in range(10_002)}
    answer = run.join().send(history=[{}, {**row, "_runtime": 7}])
    assert answer["rows"] == 2 and [each["name"] for each in answer["left_out_first"]] == ["k10000", "k10001"]
    got = run.rows()[1]
    assert got["k9999"] == 9999 and "k10000" not in got and got["_runtime"] == 7


def test_too_many_rows(fixed):
    fixed.refused(422, "unprocessable", with_rows("[" + ",".join(["{}"] * 100_001) + "]"))


def test_too_much_in_a_value(run):
    w = run.join()
    for n, value in enumerate(("x" * (10 * MIB), ["y" * 1000] * 11_000)):
        answer = w.send(history=[{"k": value, "n": n}])
        assert [each["reason"] for each in answer["left_out_first"]] == ["value-too-large"]
    assert run.values("n") == [0, 1]
    assert [(each["count"], len(each["sample"])) for each in run.api.pages(f"{run.path}/left-out")] == [(2, 16 << 10)]


def test_too_much_in_a_row(fixed):
    fixed.refused(422, "unprocessable", batch(history=[{f"k{i}": "x" * 1_000_000 for i in range(11)}]))


# --- what is odd, and kept

def test_a_key_used_as_number_and_then_as_string(run):
    w = run.join()
    w.send(history=[{"k": 1}])
    w.send(history=[{"k": "one"}])
    assert run.values("k") == [1, "one"]


def test_steps_going_backwards(run):
    w = run.join()
    for step in (9, 5, 5, 1):
        w.send(history=[{"_step": step, "k": step}])
    assert [r["_step"] for r in run.rows()] == [9, 5, 5, 1]
    assert sum(b["n"] for b in run.sampled("k")[0]["buckets"]) == 4


def test_clocks_an_hour_off(run):
    from datetime import datetime, timedelta
    now = datetime.fromisoformat(run.api.get("/api/v1/server")["time"]).timestamp()
    w = run.join()
    for off in (-3600, 3600):
        w.send(history=[{"_timestamp": now + off}], events=[{"cpu": 1, "_timestamp": now + off}],
               console=[{"line": 0, "stream": "stdout", "time": now + off, "text": "x"}])
    assert [round(r["_timestamp"] - now) for r in run.rows()] == [-3600, 3600]
    heard = datetime.fromisoformat(run.get()["heard_at"])
    assert abs(heard.timestamp() - now) < timedelta(minutes=1).total_seconds()
    assert (run.state, run.writers()["w1"]["state"]) == ("running", "alive")


# --- who is not who they say

def test_two_writers_with_one_client_id(run):
    rival = run.join("c9", "worker")
    rival.send(history=[{"a": 1}])
    second = run.join("c9", "worker")
    rival.refused(409, "session-fenced", rival.body(2, history=[{"a": 9}]))
    rival.refused(409, "session-fenced", rival.last_body)
    run.api.refused(409, "session-fenced", "POST", f"{run.path}/finish",
                    {"writer": "c9", "session": rival.session, "exit_code": 0})
    second.send(history=[{"a": 2}])
    assert run.values("a") == [1, 2]
    assert run.writers()["c9"]["state"] == "alive"


def test_a_run_id_of_another_project(api, home, fixed):
    other = f"{home}-other"
    api.put(other)
    for method, tail, body in (("GET", "", None), ("POST", "/batch", json.loads(batch())),
                               ("POST", "/join", {"client": "w1", "role": "primary"}),
                               ("POST", "/finish", {"exit_code": 0}), ("PATCH", "", {"notes": "x"}),
                               ("DELETE", "", None), ("GET", "/history", None), ("PATCH", "/config", {})):
        api.refused(404, "not-found", method, f"{other}/runs/{fixed.run.name}{tail}", body,
                    query={"keys": "a"} if tail == "/history" and method == "GET" else None)


def test_a_writer_of_another_run(api, home, fixed):
    other = Run(api, "r2", home)
    other.join("c2")
    fixed.refused(404, "writer-unknown", {"writer": "c2", "session": 1, "batch": 1, "history": [{"a": 1}]})


def test_a_write_into_a_deleted_run(run):
    w = run.join()
    w.send(history=[{"a": 1}])
    run.api.delete(run.path)
    w.refused(410, "gone", w.body(2, history=[{"a": 2}]))
    w.refused(410, "gone", w.last_body)
    for method, tail, body in (("GET", "", None), ("GET", "/history?format=ndjson", None), ("GET", "/live", None),
                               ("POST", "/history", {"a": 1}), ("POST", "/finish", {"exit_code": 0}),
                               ("POST", "/join", {"client": "c", "role": "primary"}), ("POST", "/stop", {}),
                               ("PATCH", "/config", {"a": 1})):
        answer = run.api.request(method, run.path + tail, body, check=False)
        assert (answer.status, answer.problem) == (410, "gone"), tail


@pytest.mark.parametrize("headers", [
    {"Authorization": "Bearer " + "0" * 40}, {"Authorization": "Bearer"}, {"Authorization": "Bearer x y"},
    {"Authorization": "Basic !!!!"}, {"Authorization": "Basic YXBpOg=="}, {"Authorization": "Digest x"},
    {"Authorization": ""}, {"Authorization": "Bearer " + "k" * 10_000}, {},
])
def test_keys_that_are_none(fixed, home, server, headers):
    nobody = Api(server)
    for method, path, body in (("GET", fixed.run.path, None), ("POST", f"{fixed.run.path}/batch", json.loads(batch())),
                               ("PUT", f"{home}/runs/new", {})):
        nobody.refused(401, "unauthorized", method, path, body, headers=headers)


def test_a_key_that_is_not_known_is_told_apart_from_none(server, home):
    nobody = Api(server)
    for headers, hint in (({}, "send the header"), ({"Authorization": "Bearer " + "0" * 40}, "revoked"),
                          ({"Authorization": "Bearer short"}, "the key may be truncated, revoked, or from another server")):
        answer = nobody.request("GET", home, headers=headers, check=False)
        assert answer.status == 401 and hint in answer["hint"]


def test_another_method(api, home):
    answer = api.request("POST", home, {}, check=False)
    assert answer.status == 405 and answer["detail"] == f"allowed methods are {answer.headers['Allow']}"
    assert "PATCH" in answer["detail"]
