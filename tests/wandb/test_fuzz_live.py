"""The server's own doors under what recorded requests become when they are broken: it stands, its memory is bounded,
and the run beside is as it was.

    CAIRN_FUZZ_SECONDS=3600 …pytest tests/wandb/test_fuzz_live.py      as long as you like, and from another seed
"""
import gzip
import json
import os
import pathlib
import random
import time

import pytest
import sdk

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = float(os.environ.get("CAIRN_FUZZ_SECONDS", 0))
ROUNDS = 120
TOKENS = [b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":", b"null", b"NaN", b"-1", b"1e999", b"\\u0000", b"\xff", b"\xf0\x9f\x98\x80",
          b"9007199254740993", b'{"offset":', b'"content":[', b'"files":', b"...", b"$", b"@include(if:true)", b"on Run", b"{" * 40,
          b"x" * 5000, b'"' + b"y" * 70_000 + b'"', b"fragment F on Query { ...F }", b"__typename", b"first: -1", b'after: "x"']


def bodies(ending):
    """What the newest SDK sent, each once."""
    with gzip.open(HERE / f"recorded/{sdk.NEWEST}.jsonl.gz", "rt") as lines:
        entries = [json.loads(line) for line in lines]
    return list({json.dumps(entry["json"]).encode(): 1 for entry in entries
                 if entry["path"].endswith(ending) and "json" in entry})


def summary(document):
    return json.dumps({"files": {"wandb-summary.json": {"offset": 0, "content": [json.dumps(document)]}}}).encode()


# Names with dots, as of an image's parts, many and long.
SUMMARIES = [summary(document) for document in (
    {"i._type": "image-file", "i.path": "a.png", "i.size.w": 3, "i." + "a." * 5000 + "a": 1},
    {"d": {"x": {"y": 1}, "_type": "t"}, "d.x": {"y": 2}, "d.x.y": 3, "d.": 4, ".d": 5, "..": 6},
    {"k" * 50_000: {f"k{n}": {} for n in range(50)}, "d": {f"k{n}.x": n for n in range(300)}})]


def broken(rng, body, others):
    """Pieces taken out, put in, repeated, or of another body."""
    made = bytearray(body)
    for _ in range(rng.randint(1, 6)):
        at, length = rng.randint(0, len(made)), rng.choice((1, 1, 2, 5, 50))
        what = rng.randrange(6)
        if what == 0:
            del made[at:at + length]
        elif what == 1:
            made[at:at] = rng.choice(TOKENS)
        elif what == 2:
            made[at:at + length] = rng.choice(TOKENS)
        elif what == 3:
            made[at:at] = made[at:at + 200] * rng.randint(1, 20)
        elif what == 4:
            del made[at:]
        else:
            made[at:at] = rng.choice(others)[:rng.randint(1, 2000)]
    return bytes(made)


@pytest.fixture
def rounds():
    """Numbers, as many as are wanted or as there is time for; and where chance begins."""
    seed = random.randrange(1 << 30) if SECONDS else 5
    print("seed", seed)
    until = time.monotonic() + SECONDS

    def made():
        n = 0
        while n < ROUNDS or time.monotonic() < until:
            yield n
            n += 1
    return random.Random(seed), made()


@pytest.fixture
def beside(wire, read, server):
    """Nothing of it changes, and the server is no larger for it."""
    process = wire.start("beside", config={"lr": 1})
    process.history({"_step": 0, "_timestamp": 1795000000, "a": 1})
    process.console("2026-11-20T20:49:35.172235 line")
    process.summary({"best": 1})

    def picture():
        run = read("beside")
        head = {key: value for key, value in run.get().items() if key not in ("heard_at", "bytes")}
        return head, run.rows(), run.console(), run.config(), run.summary(), run.writers().keys()
    before, size = picture(), server.memory()
    yield
    assert picture() == before
    assert server.memory() - size < 512 << 20


@pytest.mark.parametrize("shared", [False, True], ids=["plain", "shared"])
def test_file_stream(wire, read, rounds, beside, shared):
    rng, numbers = rounds
    seeds = bodies("/file_stream") + SUMMARIES
    process = wire.start("r1", shared=shared)
    for _ in numbers:
        body = broken(rng, rng.choice(seeds), seeds)
        headers = {}
        if rng.random() < 0.2:
            body = gzip.compress(body)
            body = body[:rng.randint(0, len(body))] if rng.random() < 0.5 else body
            headers["Content-Encoding"] = "gzip"
        answer = process.patiently(body, **headers)
        assert answer.status == 200, (answer, body)
    run = read("r1")
    seen = run.get()
    assert seen["unread_lines"] > 0 and len(run.api.pages(f"{run.path}/unread", limit=1000)) <= 1000
    assert len(run.rows()) == seen["rows"]


@pytest.mark.own  # its log is full of fields that nobody asks for
def test_graphql(wire, rounds, beside):
    rng, numbers = rounds
    seeds = bodies("/graphql")
    for _ in numbers:
        body = broken(rng, rng.choice(seeds), seeds)
        answer = wire.send("POST", "/graphql", body, {"Content-Type": "application/json"})
        assert answer.status in (200, 400, 413, 422), (answer, body)
        assert answer.json.get("data") is not None or answer.json["errors"][0]["message"]
