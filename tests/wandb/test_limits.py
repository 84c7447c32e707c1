"""Limits of the SDK's door, from both sides: what just fits is taken, and one more is not."""
import gzip
import json

import pytest
from wire import FILES, lines_of

MIB = 1 << 20
GZIP = {"Content-Type": "application/json", "Content-Encoding": "gzip"}


@pytest.fixture
def process(wire):
    return wire.start("r1")


def padded(document, size):
    """JSON of so many bytes, small on its way."""
    return gzip.compress(json.dumps(document).encode().ljust(size), 1)


def asked(wire, selection, **variables):
    """What of the run was asked for; or the error."""
    declared = ", ".join(f"${name}: {kind}" for name, (kind, _) in variables.items())
    head = f"query({declared})" if declared else "query"
    answer = wire.ask(f'{head} {{ project(name: "{wire.project}", entityName: "{wire.entity}") {{ run(name: "r1") '
                      f"{{ it: {selection} }} }} }}", **{name: value for name, (_, value) in variables.items()})
    assert answer.status == 200, answer
    if "errors" in answer.json:
        return answer.json["errors"][0]["message"]
    return answer.json["data"]["project"]["run"]["it"]


# --- requests

def test_a_question(process, wire):
    question = {"query": "{ viewer { username } }"}
    good = wire.send("POST", "/graphql", padded(question, 64 * MIB), GZIP)
    assert good.json["data"]["viewer"]["username"] == "ann"
    assert wire.send("POST", "/graphql", padded(question, 64 * MIB + 1), GZIP).status == 413


def test_a_stream(process, read):
    body = {"files": {FILES["history"]: {"offset": 0, "content": lines_of([{"_step": 0, "n": 1}])}}}
    assert process.raw(padded(body, 64 * MIB + 1), **GZIP).status == 413
    assert read("r1").rows() == []
    assert process.raw(padded(body, 64 * MIB), **GZIP).status == 200
    assert read("r1").values("n") == [1]


# --- lines

def test_offsets(process, read):
    process.post(history=(1 << 53, [{"_step": 1, "n": 1}]))
    process.post(history=((1 << 53) + 1, [{"_step": 2, "n": 2}]))
    assert read("r1").values("n") == [1] and read("r1").get()["unread_lines"] == 1


def test_a_console_line(process, read):
    process.console(*("2026-11-20T20:49:35.172235 " + sign * length
                      for sign, length in (("a", 64 << 10), ("b", (64 << 10) + 1))))
    assert [line["text"] for line in read("r1").console()] == ["a" * (64 << 10), "b" * (64 << 10)]
    assert read("r1").get()["unread_lines"] == 0


@pytest.mark.long
def test_console_lines_of_a_file(process, read):
    process.post(console=(0, ["x"] * (1 << 20)))
    assert read("r1").get()["unread_lines"] == 0
    process.post(console=(1 << 20, ["x"] * ((1 << 20) + 1)))
    assert read("r1").get()["unread_lines"] == 1


@pytest.mark.parametrize("code, shown", [(255, 255), (256, 255), (-255, -255), (-256, 255)])
def test_exit_codes(process, read, code, shown):
    process.complete(code)
    assert read("r1").get()["exit_code"] == shown


# --- names

FIT = [("displayName", "x" * 256), ("groupName", "x" * 128), ("jobType", "x" * 64), ("notes", "x" * (64 << 10)),
       ("tags", ["x" * 64]), ("tags", [f"t{n}" for n in range(100)])]


def test_names_that_just_fit(process, wire):
    """What does not is refused (test_bad_graphql.py)."""
    for field, value in FIT:
        assert process.upsert(**{field: value})["inserted"] is False
    for name in "x" * 512, "ü" * 256:
        assert wire.start(name).bucket["name"] == name


def test_files_in_a_request(process, wire):
    ask = "mutation($i: CreateRunFilesInput!) { createRunFiles(input: $i) { files { name } } }"
    about = {"entityName": wire.entity, "projectName": wire.project, "runName": "r1"}
    names = [f"f{n}" for n in range(10_001)]
    made = wire.query(ask, i={**about, "files": names[1:]})["createRunFiles"]["files"]
    assert [file["name"] for file in made] == names[1:]
    assert "at most 10000 names" in wire.ask(ask, i={**about, "files": names}).json["errors"][0]["message"]
    files = "files(names: $n) { edges { node { name sizeBytes } } }"
    assert len(asked(wire, files, n=("[String!]", names[1:]))["edges"]) == 10_000
    assert "at most 10000 names" in asked(wire, files, n=("[String!]", names))


# --- rows

def test_specs_and_their_keys(process, wire):
    process.history({"_step": 0, "k0": 1})
    spec = json.dumps({"keys": ["k0"], "samples": 1})
    several = ("[JSONString!]!", [spec] * 100)
    assert asked(wire, "sampledHistory(specs: $s)", s=several) == [[{"_step": 0, "k0": 1}]] * 100
    assert "at most 100" in asked(wire, "sampledHistory(specs: $s)", s=("[JSONString!]!", [spec] * 101))
    for count, answer in (1000, [[]]), (1001, '"specs" must have a list of at most 1000 keys'):
        keys = json.dumps({"keys": [f"k{n}" for n in range(count)]})
        assert asked(wire, "sampledHistory(specs: $s)", s=("[JSONString!]!", [keys])) == answer


def test_samples(process, wire):
    """Without a number 500; the first and the last are among them."""
    process.history(*({"_step": n, "n": n} for n in range(500)))
    assert len(asked(wire, "history")) == 500
    process.history({"_step": 500, "n": 500})
    steps = [json.loads(row)["_step"] for row in asked(wire, "history")]
    assert (len(steps), steps[0], steps[-1]) == (500, 0, 500)
    assert "samples" in asked(wire, "history(samples: 0)")
    assert len(asked(wire, "history(samples: 1)")) == 1


@pytest.mark.long
def test_most_samples(process, wire):
    process.post(history=(0, [f'{{"_step":{n}}}' for n in range(100_001)]))
    for samples in 100_000, 100_001, 2_000_000:
        assert len(asked(wire, f"history(samples: {samples})")) == 100_000
    assert len(asked(wire, "history(minStep: 0, maxStep: 200000)")) == 100_001  # a page is exact


@pytest.mark.long
def test_bytes_of_rows(process, wire):
    """64 MiB of rows fit into no answer, for an answer is at most that long with all the rest."""
    text = "x" * (MIB - 100)
    for n in range(65):
        process.history({"_step": n, "text": text})
    assert len(asked(wire, "history(minStep: 0, maxStep: 63)")) == 63
    assert "the rows are larger than 64 MiB" in asked(wire, "history(minStep: 0, maxStep: 65)")


# --- the console

def lines_page(wire, first):
    page = asked(wire, f"logLines(first: {first}) {{ edges {{ node {{ number }} }} pageInfo {{ hasNextPage }} }}")
    return len(page["edges"]), page["pageInfo"]["hasNextPage"]


def test_lines_of_a_page(process, wire):
    process.console(*["x"] * 10_000)
    assert lines_page(wire, 10_000) == lines_page(wire, 20_000) == (10_000, False)
    process.console("y")
    assert lines_page(wire, 10_000) == lines_page(wire, 10_001) == (10_000, True)


def test_bytes_of_a_page(process, wire):
    """As many lines as make 8 MiB; those behind are of the next page."""
    process.console(*["x" * (64 << 10)] * 200)
    count, has_more = lines_page(wire, 200)
    assert 100 <= count <= 129 and has_more
