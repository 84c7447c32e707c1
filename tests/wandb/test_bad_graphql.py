"""Bad documents and variables, links and names of files: each is refused with a sentence, and nothing is changed."""
import gzip
import hashlib
import http.client
import json
import unicodedata
import urllib.parse

import pytest
from wire import Answer

MIB = 1 << 20
VIEWER = "{ viewer { id } }"


@pytest.fixture
def untouched(wire, read):
    """A run that none of it may change."""
    process = wire.start("r1", config={"lr": 1})
    process.history({"_step": 0, "_timestamp": 1795000000, "a": 1})
    run = read("r1")

    def picture():
        return ({key: value for key, value in run.get().items() if key != "heard_at"}, run.rows(), run.config(),
                run.api.pages(f"{run.path}/files"))
    before = picture()
    yield process
    assert picture() == before


def post(wire, body, **headers):
    return wire.send("POST", "/graphql", body, {"Content-Type": "application/json", **headers})


def refused(answer, status, *words):
    """In the form that the SDK shows to people."""
    assert answer.status == status, answer
    [error] = answer.json["errors"]
    assert answer.json["error"] == error["message"]
    for word in words:
        assert word in error["message"], error
    return error["message"]


# --- bodies

BODIES = {
    "empty": b"", "not JSON": b"query={viewer{id}}", "an array": b"[]", "a number": b"1", "no query": b"{}",
    "null": b'{"query": null}', "a list": b'{"query": ["{ viewer { id } }"]}', "cut": b'{"query": "{ viewer',
    "not UTF-8": b'{"query": "{ viewer { \xff } }"}', "variables": b'{"query": "{ viewer { id } }", "variables": [1]}',
    "operation": b'{"query": "{ viewer { id } }", "operationName": 7}', "U+0000": b'{"query": "{ viewer { id } }\\u0000"}',
}


def test_bodies_that_are_none(untouched, wire):
    for body in BODIES.values():
        refused(post(wire, body), 400)


def test_gzip_that_is_none(untouched, wire):
    good = json.dumps({"query": VIEWER}).encode()
    assert post(wire, gzip.compress(good), **{"Content-Encoding": "gzip"}).json["data"]["viewer"]["id"]
    for body in (good, gzip.compress(good)[:-5], b""):
        if body:
            refused(post(wire, body, **{"Content-Encoding": "gzip"}), 400, "Content-Encoding")


def test_a_body_that_is_too_large(untouched, wire):
    """Which its head says: nothing of it need be sent."""
    connection = http.client.HTTPConnection(wire.at.hostname, wire.at.port, timeout=60)
    connection.putrequest("POST", "/graphql")
    for name, value in (("Authorization", f"Bearer {wire.key}"), ("Content-Length", str(64 * MIB + 1)),
                        ("Expect", "100-continue")):
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    refused(Answer(response.status, response.headers, response.read()), 413, str(64 * MIB))
    connection.close()


# --- documents

DOCUMENTS = {
    "nothing": ("", "query or mutation"), "a word": ("viewer", "expected"), "open": ("{ viewer { id ", "ends"),
    "closed twice": ("{ viewer { id } } }", "expected"), "no field": ("{ viewer { } }", "a field"),
    "a text without an end": ('{ project(name: "x) { id } }', "unterminated string"), "a number": ("{ project(name: 01) { id } }", "number"),
    "a schema": ("type Query { x: Int }", "expected"), "a subscription": ("subscription { viewer { id } }", "expected"),
    "no fragment": ("{ viewer { ...F } }", 'unknown fragment "F"'), "a character": ("{ viewer { id } } ~", "character"),
    "two under one name": ("{ viewer { a: id a: name } }", "twice"), "a value with fields": ("{ viewer { id { x } } }", ""),
    "an object without": ("{ viewer }", "object"), "a variable as default": ("query($a: Int, $b: Int = $a) { viewer { id } }", "default"),
    "a condition": ('{ viewer { id @include(if: "x") } }', "true or false"),
    "triple quotes": ('{ project(name: """x""") { id } }', "strings in triple quotes are not supported"),
}


def test_documents_that_are_none(untouched, wire):
    for text, word in DOCUMENTS.values():
        answer = wire.ask(text)
        if answer.status == 200:  # a fault of a field, beside what is good
            [error] = answer.json["errors"]
            assert word in error["message"] and error["path"], text
        else:
            refused(answer, 400, word)


def test_an_operation_that_is_unknown(untouched, wire):
    body = {"query": "query A { viewer { id } } query B { viewer { name } }"}
    refused(post(wire, json.dumps({**body, "operationName": "C"}).encode()), 400, '"C"')
    refused(post(wire, json.dumps(body).encode()), 400, "several")
    assert post(wire, json.dumps({**body, "operationName": "B"}).encode()).json["data"]["viewer"].keys() == {"name"}


def test_a_field_that_is_unknown(untouched, wire):
    """Null: clients of many releases ask for what there is not yet."""
    answer = wire.ask("{ no_such_field { x { y } } viewer { id no_such_field } }")
    assert answer.json["data"]["no_such_field"] is None and answer.json["data"]["viewer"]["no_such_field"] is None
    answer = wire.ask("mutation { no_such_change(input: {}) { done } }")
    assert answer.json["data"] == {"no_such_change": None}


VALUES = [
    ("String!", None), ("String", 1), ("String", ["x"]), ("Int", "1"), ("Int", 1.5), ("Int", True), ("[String!]!", "x" and {"a": 1}),
    ("[String!]!", [1]), ("Boolean", "true"), ("Float", "1.0"), ("ID", 1.5), ("[[Int]]", [["x"]])]


def test_variables_of_the_wrong_type(untouched, wire):
    for type_, value in VALUES:
        message = refused(wire.ask(f"query($v: {type_}) {{ viewer {{ id }} }}", v=value), 400, '"v"')
        assert "missing" in message or "type" in message, type_


def test_arguments_of_the_wrong_type(untouched, wire, project):
    document = '{ project(name: "%s", entityName: "ann") { runs(first: %s) { edges { node { id } } } } }'
    for first in ('"x"', "1.5", "-1", "99999999999", "[1]"):
        answer = wire.ask(document % (project, first))
        assert "first" in answer.json["errors"][0]["message"], answer


def test_lists_that_cannot_be(untouched, wire, project):
    for arguments, word in (('after: "x"', "cursor"), ('filters: "{"', ""), ('filters: "{\\"nope\\": 1}"', "nope"),
                            ('order: "+nope"', "nope")):
        answer = wire.ask(f'{{ project(name: "{project}", entityName: "ann") '
                          f'{{ runs({arguments}) {{ edges {{ cursor }} }} }} }}')
        assert answer.status == 200 and word in answer.json["errors"][0]["message"], answer


def test_a_pattern_that_ends_before_it_says_what(untouched, wire, project):
    answer = wire.ask("query($p: String) { project(name: \"%s\", entityName: \"ann\") { run(name: \"r1\") {"
                      " files(pattern: $p) { edges { node { name } } } } } }" % project, p="a\\")
    assert answer.status == 200 and "pattern" in answer.json["errors"][0]["message"], answer


@pytest.mark.parametrize("number", [33, 10_001])
def test_fields_within_each_other(untouched, wire, number):
    refused(wire.ask("{ no_such " * number + "x" + " }" * number), 400, "levels")
    fragments = " ".join(f"fragment F{i} on Query {{ no_such {{ ...F{i + 1} }} }}" for i in range(200))
    wire.ask("{ ...F0 } " + fragments + " fragment F200 on Query { no_such }")


def test_fragments_that_contain_themselves(untouched, wire, project):
    asked = '{ project(name: "%s", entityName: "ann") { ...P } } fragment P on Project { run(name: "r1") { project { ...P } } }'
    refused(wire.ask(asked % project), 400, '"P" includes itself')
    refused(wire.ask("{ viewer { ...A } } fragment A on User { ...B } fragment B on User { ...A }"), 400, '" includes itself')


def test_fragments_that_multiply(untouched, wire):
    bomb = " ".join(f"fragment F{n} on User {{ ...F{n + 1} ...F{n + 1} }}" for n in range(40))
    refused(wire.ask("{ viewer { ...F0 } } fragment F40 on User { id } " + bomb), 422, "100000", "expanded")


def test_many_fields(untouched, wire):
    assert wire.ask("{ " + " ".join(f"a{i}: serverInfo {{ cliVersionInfo }}" for i in range(2000)) + " }").status == 200
    refused(wire.ask("{ " + " ".join(f"a{i}: viewer {{ id }}" for i in range(2001)) + " }"), 422, "2000")
    refused(wire.ask("{ viewer { " + "id " * 60_000 + "} }"), 400, "50000")


def test_many_keys_of_rows_that_have_many_others(wire, server):
    process = wire.start("r1")
    process.history({"_step": 0, "_timestamp": 1795000000, **{f"k{n}": n for n in range(9000)}})
    before = server.memory("VmHWM")
    spec = json.dumps({"keys": [f"k{n}" for n in range(1000)], "samples": 10})
    asked = """query($p: String!, $s: [JSONString!]!) { project(name: $p, entityName: "ann") { run(name: "r1") {
        sampledHistory(specs: $s) } } }"""
    [[row]] = wire.query(asked, p=wire.project, s=[spec])["project"]["run"]["sampledHistory"]
    assert row["k999"] == 999 and len(row) == 1001
    assert server.memory("VmHWM") - before < 256 * MIB


@pytest.mark.own(deadline_ms=120000)
def test_many_questions_for_rows_at_once(wire, server):
    """Each reads all keys of the run, and gives that back."""
    process = wire.start("r1")
    process.history({"_step": 0, "_timestamp": 1795000000, **{f"k{n}": n for n in range(9000)}})
    before = server.memory("VmHWM")
    many = " ".join(f"a{n}: history(minStep: 9000000000, maxStep: 9000000001)" for n in range(100))
    run = wire.query("query($p: String!) { project(name: $p, entityName: \"ann\") { run(name: \"r1\") { %s } } }" % many,
                     p=wire.project)["project"]["run"]
    assert run == {f"a{n}": [] for n in range(100)}
    assert server.memory("VmHWM") - before < 320 * MIB


@pytest.mark.own
def test_the_servers_own_fault_behind_another_error(wire, server, db):
    """With a 200 the SDK would give up; and whose fault it is stands in the log alone."""
    wire.start("r1")
    asked = """query($p: String!) { a: project(name: $p, entityName: "ann") { runs(after: "x") { edges { cursor } } }
        b: project(name: $p, entityName: "ann") { run(name: "r1") { files(first: 1) { edges { node { name } } } } } }"""
    assert "cursor" in wire.ask(asked, p=wire.project).json["errors"][0]["message"]
    db.query("alter table run_file rename to not_here")
    answer = wire.ask(asked, p=wire.project)
    assert answer.status == 500 and "run_file" not in answer.body.decode(), answer
    assert "run_file" in server.log()


def test_documents_with_10_mb_of_variables_pass(untouched, wire):
    text = "x" * 10 * MIB
    answer = wire.ask("query($a: String, $b: [String!]) { viewer { username } }", a=text, b=["y" * 1000] * 5000)
    assert answer.json["data"]["viewer"]["username"] == "ann"


def test_a_config_that_is_none(wire, read):
    process = wire.start("r1", config={"lr": 1})
    for config in ("[1]", "nonsense", '{"a": {"value": 1}', '{"a":' + "[" * 2000 + "]" * 2000 + "}", ""):
        answer = wire.ask("mutation($c: JSONString) { upsertBucket(input: {entityName: \"ann\", modelName: \"%s\", "
                          "name: \"r1\", config: $c}) { bucket { id } } }" % wire.project, c=config)
        assert answer.status == 200 and answer.json["errors"][0]["message"], answer
    process.history({"_step": 0, "a": 1})
    assert read("r1").config() == {"lr": 1} and read("r1").values("a") == [1]


NAMES = [
    ("name", "a/b"), ("name", "a%20b"), ("name", ".."), ("name", "x" * 513), ("name", "ü" * 257), ("name", "a\nb"),
    ("modelName", "a/b"), ("modelName", "x" * 513), ("modelName", "settings"), ("entityName", "../ann")]


def test_names_that_are_none(untouched, wire, db):
    before = db.value("select count(*) from run"), db.value("select count(*) from project")
    for field, value in NAMES:
        answer = wire.ask("mutation($i: UpsertBucketInput!) { upsertBucket(input: $i) { bucket { id } } }",
                          i={"entityName": "ann", "modelName": wire.project, "name": "r1", field: value})
        assert answer.status == 200 and answer.json["errors"][0]["message"], answer
    assert (db.value("select count(*) from run"), db.value("select count(*) from project")) == before


# --- links and files

def links(wire, *names, run="r1"):
    made = wire.ask("""mutation($f: [String!]!, $e: String!, $p: String!, $r: String!) {
        createRunFiles(input: {files: $f, entityName: $e, projectName: $p, runName: $r}) { files { name uploadUrl } } }""",
                    f=list(names), e="ann", p=wire.project, r=run)
    return made


def link(wire, name):
    [file] = links(wire, name).json["data"]["createRunFiles"]["files"]
    parts = urllib.parse.urlsplit(file["uploadUrl"])
    return f"{parts.path}?{parts.query}"


def test_links_for_names_that_lead_elsewhere(wire, read):
    """There are none, and those of other files are there."""
    wire.start("r1")
    for count, name in enumerate(("../x", "a/../b", "/etc/passwd", "", ".", "a//b", "a/")):
        [good, bad] = links(wire, "good.txt", name).json["data"]["createRunFiles"]["files"]
        assert good["uploadUrl"] and bad == {"name": name, "uploadUrl": None}
        assert read("r1").get()["left_out"] == count + 1


def test_a_link_that_was_forged(untouched, wire):
    """By every part of it; the sentence says what to do."""
    good = link(wire, "a.txt")
    path, _, query = good.partition("?")
    said = dict(urllib.parse.parse_qsl(query))
    forged = [good.replace("a.txt", "b.txt"), good.replace("a.txt", "a.txt%2F..%2Fb.txt"), path]
    for key, value in said.items():
        other = str(int(value) + 1) if value.isdigit() else value[:-1] + ("A" if value[-1] != "A" else "B")
        forged += [f"{path}?{urllib.parse.urlencode({**said, key: other})}",
                   f"{path}?{urllib.parse.urlencode({k: v for k, v in said.items() if k != key})}"]
    forged += [f"{good}x", f"{path}?signature={said['signature']}"]
    for one in forged:
        answer = wire.send("PUT", one, b"x", key=False)
        assert answer.status in (400, 403) and json.loads(answer.body)["detail"], f"{one}: {answer}"
    for one in forged:
        assert wire.send("GET", one, key=False).status in (400, 403), one


@pytest.mark.own
def test_a_link_that_has_expired_or_is_used_again(wire, read, db):
    wire.start("r1")
    good = link(wire, "a.txt")
    for content in (b"one", b"one", b"two"):  # as a client does whose answer was lost, or whose file has changed
        assert wire.send("PUT", good, content, key=False).status == 204
    assert [file["md5"] for file in read("r1").api.pages(read("r1").path + "/files")] == [hashlib.md5(b"two").hexdigest()]
    db.query("update server_clock set shift_us = shift_us + 25::bigint * 3600 * 1000000")
    answer = wire.send("PUT", good, b"three", key=False)
    assert answer.status == 403 and "expired" in json.loads(answer.body)["detail"]
    assert read("r1").api.pages(read("r1").path + "/files")[0]["bytes"] == 3


def test_names_that_look_the_same(wire, read):
    """Two they are, as a run on Linux has them; neither takes the other's place."""
    wire.start("r1")
    names = [unicodedata.normalize(form, "größe/Å.txt") for form in ("NFC", "NFD")]
    assert names[0] != names[1]
    for name in names:
        assert wire.send("PUT", link(wire, name), name.encode(), key=False).status == 204
    run = read("r1")
    assert sorted(file["name"] for file in run.api.pages(run.path + "/files")) == sorted(names)
    asked = """query($p: String!, $n: [String!]) { project(name: $p, entityName: "ann") { run(name: "r1") {
        files(names: $n) { edges { node { name sizeBytes directUrl } } } } } }"""
    for name in names:
        [edge] = wire.query(asked, p=wire.project, n=[name])["project"]["run"]["files"]["edges"]
        at = urllib.parse.urlsplit(edge["node"]["directUrl"])
        assert edge["node"]["name"] == name
        assert wire.send("GET", f"{at.path}?{at.query}", key=False).body == name.encode()


def test_a_file_that_is_larger_or_smaller_than_said(untouched, wire, server):
    """More than was said is no part of it; less is no file."""
    import socket
    good = link(wire, "a.bin")
    for said, sent in ((10, b"x" * 5), (1_000_000, b"x" * 999_999)):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as s:
            s.sendall(f"PUT {good} HTTP/1.1\r\nHost: x\r\nContent-Length: {said}\r\n\r\n".encode() + sent)
            s.shutdown(socket.SHUT_WR)
            while s.recv(65536):
                pass
    answer = wire.send("PUT", good, b"x" * 10, {"Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="}, key=False)
    assert answer.status == 400 and "MD5" in json.loads(answer.body)["detail"]


def test_a_body_that_is_longer_than_said(wire, read, server):
    """What is too much is another request, and none."""
    import socket
    wire.start("r1")
    good = link(wire, "a.bin")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as s:
        s.sendall(f"PUT {good} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n".encode() + b"goodDELETE / bad\r\n\r\n")
        s.shutdown(socket.SHUT_WR)
        answer = b""
        while some := s.recv(65536):
            answer += some
    assert answer.startswith(b"HTTP/1.1 204") and answer.count(b"HTTP/1.1") <= 2
    [file] = read("r1").api.pages(read("r1").path + "/files")
    assert file["bytes"] == 4
