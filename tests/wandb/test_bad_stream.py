"""Bad input at the SDK's door, line by line: file_stream takes it, keeps what it cannot read and says how much; the
run lives, and its neighbour is as it was.
"""
import gzip
import json

import pytest
from wire import FILES

MIB = 1 << 20


def row(step, **more):
    return {"_step": step, "_timestamp": 1795000000 + step, **more}


def picture(run):
    head = {key: value for key, value in run.get().items() if key not in ("heard_at", "bytes")}
    return head, run.rows(), run.events(), run.console(), run.config(), run.summary(), unread(run)


def unread(run):
    return run.api.pages(f"{run.path}/unread")


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=["plain", "shared"])
def process(request, wire, read):
    """One with a row, whose neighbour's run nothing may touch; and it goes on afterwards."""
    beside = wire.start("beside")
    beside.history(row(0, a=1))
    beside.console("2026-11-20T20:49:35.172235 line")
    before = picture(read("beside"))
    made = wire.start("r1", shared=request.param)
    made.history(row(0, first=1))
    yield made
    made.post(history=(1_000_000, [row(1_000_000, last=1)]))
    run = read("r1")
    assert run.values("first") == [1] and run.values("last") == [1] and run.state == "running"
    assert picture(read("beside")) == before


@pytest.fixture
def run(read):
    return read("r1")


def send(process, body, **headers):
    """Whatever it is: 200."""
    answer = process.patiently(body, **headers)
    assert answer.status == 200 and answer.json["stopped"] is False, answer


def stream(**files):
    """files: history=(offset, lines as they are)."""
    return json.dumps({"files": {FILES[kind]: {"offset": offset, "content": lines}
                                 for kind, (offset, lines) in files.items()}}).encode()


def check(run, count, *texts):
    """So many could not be read, and these are kept."""
    assert run.get()["unread_lines"] == count
    kept = [line["text"] for line in unread(run)]
    for text in texts:
        assert text in kept, kept


# --- lines

LINES = {
    "an array": "[1]", "a number": "5", "a text": '"x"', "null": "null", "cut": '{"a": 1', "two": '{"a":1} {"a":2}',
    "not JSON": "nonsense", "empty": "", "very deep": '{"a":' + "[" * 1040 + "]" * 1040 + "}", "U+0000": '{"a": "\0"}',
}


def test_lines_that_are_no_rows(process, run):
    """Those around them are rows, of both files."""
    good = [json.dumps(row(n, n=n)) for n in range(1, len(LINES) + 2)]
    lines = [line for pair in zip(good, [*LINES.values(), good[-1]]) for line in pair][:-1]
    send(process, stream(history=(1, lines), events=(1, lines)))
    assert run.values("n") == list(range(1, len(LINES) + 2))
    assert sorted(each["n"] for each in run.events() if "n" in each) == list(range(1, len(LINES) + 2))
    kept = unread(run)
    assert run.get()["unread_lines"] == len(kept) == 2 * len(LINES)
    writer = list(run.writers().values())[0]["number"]
    for kind in ("history", "events"):
        assert [line["text"] for line in kept if line["stream"] == kind] == [
            line.replace("\0", "?")[:16 << 10] for line in LINES.values()]
    assert {line["writer"] for line in kept} == {writer}


def left_out(run):
    items = run.api.pages(f"{run.path}/left-out")
    assert run.get()["left_out"] == sum(each["count"] for each in items)
    return [(each["kind"], each["reason"], each["name"], each["count"], each["sample"][:20]) for each in items]


# members of a row, and how they are left out
MEMBERS = {
    "deep": ('"deep":' + "[" * 40 + "]" * 40, "value-too-deep", "deep", "[" * 20),
    "a key twice": ('"twice":1,"twice":[2]', "name-repeated", "twice", "[2]"),
    "an empty key": ('"":1', "name-empty", "", "1"),
    "a key of 10 kB": (json.dumps("k" * 10_000) + ":1", "name-too-long", None, "1"),
}


@pytest.mark.parametrize("kind", ["history", "events"])
def test_members_that_cannot_be_kept(process, run, kind):
    """Each costs only itself; what else is in its row is stored, and so are the rows around it."""
    members = list(MEMBERS.values())
    lines = [json.dumps(row(n, n=n, tail="x"))[:-1] + f", {text}, \"after\": {n}}}" for n, (text, *_) in enumerate(members, 1)]
    lines.append(json.dumps(row(99, n=99, **{f"k{i:05}": i for i in range(10_002)})))
    send(process, stream(**{kind: (1, lines)}))
    got = [each for each in (run.rows() if kind == "history" else run.events()) if "n" in each]
    assert [each["n"] for each in got] == [*range(1, len(members) + 1), 99]
    assert [each["after"] for each in got[:-1]] == list(range(1, len(members) + 1))
    assert got[1]["twice"] == 1 and got[-1]["k00001"] == 1
    assert run.get()["unread_lines"] == 0
    told = left_out(run)
    for at, (_, reason, name, sample) in enumerate(members):
        assert told[at][:2] + told[at][3:] == (kind, reason, 1, sample)
        assert told[at][2] == name if name is not None else len(told[at][2].encode()) == 512
    assert {each[:2] for each in told[len(members):]} == {(kind, "row-full")} and told[-1][2] == "k10001"


ODD = {"cat\n": "cat␊", "a\tb": "a␉b", "nul\0": "nul␀", "\x7f": "␡", "p" * 600: None, "half\ud800": "half‛ED‛A0‛80",
       "_label": "_label_sent", "_row": "_row_sent"}


def test_odd_names(process, run):
    """They are kept in a form of their own, row after row, and nothing is left out."""
    for n in range(1, 3):
        send(process, stream(history=(n, [json.dumps(row(n, loss=n, **{name: n for name in ODD}))])))
    assert run.values("loss") == [1, 2] and run.get()["left_out"] == run.get()["unread_lines"] == 0
    for name, form in ODD.items():
        key = form or next(key for key in run.keys() if key.startswith("ppp"))
        assert run.values(key) == [1, 2], name


def test_three_thousand_rows_with_one_bad_member(process, run):
    """(trackio#301) One entry counts them all, and every row is there."""
    lines = [json.dumps(row(n, loss=n))[:-1] + f", \"\": {n}}}" for n in range(1, 3001)]
    send(process, stream(history=(1, lines)))
    assert len(run.values("loss")) == 3000
    assert left_out(run) == [("history", "name-empty", "", 3000, "1")]


def test_a_line_of_20_mib(process, run):
    send(process, stream(history=(1, [json.dumps(row(1, a="x" * 20 * MIB)), json.dumps(row(2, n=2))])))
    assert run.values("n") == [2] and run.get()["unread_lines"] == 0
    [noted] = run.api.pages(f"{run.path}/left-out")
    assert (noted["name"], noted["reason"], noted["count"]) == ("a", "value-too-large", 1)


def test_a_line_that_is_no_text(process, run):
    """What stands there instead is taken for one."""
    body = {"files": {FILES["history"]: {"offset": 1, "content": [{"_step": 1, "n": 1}, 7, None, [1]]}}}
    send(process, json.dumps(body).encode())
    assert run.values("n") == [1]
    check(run, 3, "7", "null", "[1]")


def test_many_lines_that_are_none(process, run):
    """All are counted, the first of them kept."""
    send(process, stream(history=(1, ["x"] * 3000)))
    check(run, 3000)
    assert len(unread(run)) == 1000


# --- offsets

def test_an_offset_far_ahead(process, run):
    send(process, stream(history=(1 << 40, [json.dumps(row(1, n=1))]), events=(1 << 50, [json.dumps(row(1, m=1))])))
    assert run.values("n") == [1] and run.events()[-1]["m"] == 1
    check(run, 0)


def test_offsets_that_are_none(process, run):
    """Whether their lines are repeats cannot be told: they are kept as they are."""
    offsets = [-1, 1 << 54, 1 << 70, 1.5, "3", None, []]
    for offset in offsets:
        send(process, stream(history=(offset, [json.dumps(row(1, n=str(offset)))]), console=(offset, [f"line {offset}"])))
    assert run.values("n") == [] and run.console() == []
    check(run, 2 * len(offsets), *(f"line {offset}" for offset in offsets),
          *(json.dumps(row(1, n=str(offset))) for offset in offsets))


def test_console_lines_beyond_what_can_be_counted(process, run):
    send(process, stream(console=(2**31 - 1, ["the last", "beyond"])))
    assert [line["text"] for line in run.console() if line["text"]] == ["the last"]
    check(run, 1, "beyond")


# --- bodies

BODIES = {
    "empty": b"", "blank": b" \n", "not JSON": b"files=1", "an array": b"[1,2]", "a number": b"7", "null": b"null",
    "two": b"{} {}", "deep": b"[" * 100_000, "files are none": b'{"files": [1]',
}


def test_bodies_that_are_none(process, run):
    for count, body in enumerate(BODIES.values(), 1):
        send(process, body)
        assert run.get()["unread_lines"] == count, body


def test_a_body_cut_off(process, run):
    """What stands before the cut is taken; sent whole again, nothing is there twice."""
    body = stream(history=(1, [json.dumps(row(n, n=n)) for n in (1, 2, 3)]))
    send(process, body[:-40])
    seen = run.values("n")
    assert seen == [1, 2]
    assert unread(run)[0]["text"] in body.decode()
    process.last = body
    process.again()
    assert run.values("n") == [1, 2, 3]


def test_a_file_that_is_none(process, run):
    body = {"files": {FILES["history"]: {"offset": 1, "content": "text"}, FILES["events"]: [1],
                      FILES["console"]: {"offset": 0}, FILES["summary"]: {"offset": 0, "content": ["[1]"]},
                      "other.txt": {"offset": 0, "content": ["x"]}}, "complete": "yes", "exitcode": "x", "more": {}}
    send(process, json.dumps(body).encode())
    check(run, 3, '"text"', "[1]")
    assert run.state == "running"


def test_ill_formed_utf8(process, run):
    """The line that holds it, and those around it, are read with a sign instead; it is told."""
    bad = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf"]
    for n, some in enumerate(bad, 1):
        send(process, stream(history=(n, [json.dumps(row(n, text="@@"))])).replace(b"@@", some))
    assert run.values("text") == ["?" * len(some) for some in bad]
    assert run.get()["unread_lines"] == len(bad)


def test_u0000_in_the_console(process, run):
    """A terminal takes it; rows beside it are not touched."""
    send(process, stream(console=(0, ["2026-11-20T20:49:35.172235 a\0b"]), history=(1, [json.dumps(row(1, n=1))])))
    assert run.values("n") == [1]
    assert [line["text"] for line in run.console()] in (["a\0b"], ["a?b"])
    check(run, 0)


def test_more_rows_than_rest_takes_at_once(wire, read):
    """A folder that is synced brings them."""
    process = wire.start("r1")
    send(process, stream(history=(0, [f'{{"_step":{n}}}' for n in range(100_001)])))
    run = read("r1")
    assert run.get()["unread_lines"] == 0 and run.writers()["sdk"]["history_rows"] == 100_001


NOT_GZIP = {"no gzip": b"this is no gzip", "empty": b"", "cut": gzip.compress(stream(history=(1 << 30, [json.dumps(row(n)) for n in range(99)])))[:-200],
            "other bytes behind": gzip.compress(b"{}") + b"more"}


def test_gzip_that_is_none(process, run):
    """What can be decoded is read."""
    for n, (name, body) in enumerate(NOT_GZIP.items()):
        for encoding in "gzip", "zstd":
            process.history(row(1 + n, beside=encoding))  # the same twice is a repeat
            before = run.get()["unread_lines"]
            send(process, body, **{"Content-Encoding": encoding})
            told = run.get()["unread_lines"] - before
            assert told == 1 or (name == "other bytes behind" and encoding == "gzip"), f"{name} {encoding}: {told}"
    assert "this is no gzip" in [line["text"] for line in unread(run)]


def test_good_gzip(process, run):
    send(process, gzip.compress(stream(history=(1, [json.dumps(row(1, n=1))]))), **{"Content-Encoding": "gzip"})
    assert run.values("n") == [1]


# --- documents

# Its names, summed over its values, are more than 64 MiB.
LARGE = {"d": {"k" * 60_000: {str(n): 1 for n in range(1200)}}}


def test_a_summary_that_is_too_large(process, run):
    """Its largest member is left out; rows beside it are stored, and the next summary is taken."""
    send(process, stream(summary=(0, [json.dumps({**LARGE, "good": 2})]), history=(1, [json.dumps(row(1, n=1))])))
    assert run.values("n") == [1] and run.get()["unread_lines"] == 0 and run.summary()["good"] == 2
    [noted] = run.api.pages(f"{run.path}/left-out")
    assert (noted["kind"], noted["reason"], noted["count"]) == ("summary", "document-full", 1)
    send(process, stream(summary=(0, [json.dumps({"best": 1})])))
    assert run.summary()["best"] == 1


def test_a_summary_that_is_too_large_and_ahead_of_its_rows(process, run):
    """It does not wait for them: what comes next is not to be blamed for it."""
    send(process, stream(summary=(0, [json.dumps({**LARGE, "_timestamp": 1795009999})])))
    assert run.get()["left_out"] == 1
    send(process, stream(summary=(0, [json.dumps({"best": 1})])))
    assert run.summary()["best"] == 1 and run.get()["left_out"] == 1


SUMMARIES = {
    "a long name above many values": {"k" * 100_000: {f"k{n}": 1 for n in range(10_000)}},
    "many dots in the name of a part": {"x._type": "image", "x" + ".a" * 200_000: 1},
    "many dots in a name": {".a" * 40_000: 1, "b": 1},
    "many parts of one object": {"d": {f"k{n}": n for n in range(9000)}},
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_summaries_that_could_take_the_memory(wire, read, server, name):
    """Read by the SDK as often as somebody likes."""
    process = wire.start("r1")
    before = server.memory("VmHWM")
    process.history(row(0, **SUMMARIES["many parts of one object"]))
    process.summary(SUMMARIES[name])
    process.summary({"best": 1})
    process.summary({**SUMMARIES[name], "best": 2})
    shown = wire.query("query($p: String!) { project(name: $p, entityName: \"ann\") { run(name: \"r1\") { summaryMetrics } } }",
                       p=wire.project)["project"]["run"]["summaryMetrics"]
    assert len(json.loads(shown)) > 1 and read("r1").values("d.k1") == [1]
    assert server.memory("VmHWM") - before < 512 * MIB


def test_the_end_with_a_summary_that_is_too_large(wire, read):
    process = wire.start("r1")
    body = json.loads(stream(summary=(0, [json.dumps(LARGE)])))
    send(process, json.dumps({**body, "complete": True, "exitcode": 3}).encode())
    run = read("r1")
    assert (run.state, run.get()["exit_code"], run.get()["left_out"]) == ("failed", 3, 1)


def test_nan_in_config(wire, read):
    """As the SDK writes it, bare."""
    wire.start("r1", config={"a": float("nan"), "b": float("inf"), "c": {"d": [float("-inf")]}})
    assert read("r1").config() == {"a": "NaN", "b": "Infinity", "c": {"d": ["-Infinity"]}}


def test_keys_of_10_kb_in_documents(wire, read):
    """A key that was never logged is kept whole. Of a metric the summary has the shortened name, whose whole name is kept."""
    key, metric = "k" * 10_000, "m" * 600
    process = wire.start("r1", config={key: 1})
    process.summary({key: 2, metric: 3, f"{metric}\n": 4})
    run = read("r1")
    assert run.config() == {key: 1} and run.summary() == {key: 2, metric: 3, f"{metric}␊": 4}
    process.history(row(0, **{metric: 5, f"{metric}\n": 6}))
    process.summary({key: 2, metric: 5, f"{metric}\n": 7, "_timestamp": row(0)["_timestamp"]})
    summary = run.summary()
    forms = {each["whole_key"]: name for name, each in run.keys().items() if "whole_key" in each}
    assert set(forms) == {metric, f"{metric}␊"}
    assert summary[key] == 2 and summary[forms[metric]] == 5 and summary[forms[f"{metric}␊"]] == 7
    assert not {metric, f"{metric}␊"} & summary.keys()


# --- a project that is full of keys

@pytest.mark.own
def test_keys_beyond_what_a_project_may_have(wire, read, db, api):
    """Rows are kept without them; others go on."""
    process = wire.start("r1")
    process.history(row(0, old=0))
    project = db.value("select project_id from project where name = %s", wire.project)
    next_key = db.value("select next_key from project where project_id = %s", project)
    db.query("insert into project_key (project_id, key_id, name) select %s, n, 'k' || n "
             "from generate_series(%s, 100000) n", project, next_key)
    db.query("update project set next_key = 100001, key_count = 100000 where project_id = %s", project)
    send(process, stream(history=(1, [json.dumps(row(1, old=1)), json.dumps(row(2, old=2, new=2))]),
                         events=(0, [json.dumps({"_timestamp": 1795000000, "also_new": 1})])))
    run = read("r1")
    assert [each.get("old") for each in run.rows()] == [0, 1, 2] and "new" not in run.keys()
    assert run.get()["unread_lines"] == 0
    told = [("history", "project-full", "new", 1, "2"), ("events", "project-full", "also_new", 1, "1")]
    assert left_out(run) == told
    send(process, stream(history=(3, [json.dumps(row(3, old=3))])))
    assert left_out(run) == told and run.values("old") == [0, 1, 2, 3]


# --- which run

def test_404_is_for_what_never_was_or_is_deleted(wire, read, api, server):
    process = wire.start("r1")
    process.history(row(0, a=1))
    body = stream(history=(1, [json.dumps(row(1, a=2))]))
    process.name = "never"
    answer = process.raw(body)
    assert answer.status == 404 and "never" in answer.json["error"]
    process.name = "r1"
    api.delete(read("r1").path)
    answer = process.raw(body)
    assert answer.status in (404, 410) and "deleted" in answer.json["error"]


@pytest.mark.own
def test_503_while_the_database_is_away(wire, read, db, server):
    """Nothing is known of the run then, so nothing is said that a client gives up for."""
    wire.start("r1").history(row(0, a=1))
    name = db.url.split("/")[3].split("?")[0]
    never = wire.start("r2")
    never.name = "never"
    processes = [wire.start("r3"), never]
    with_admin = db.url.replace(f"/{name}", "/postgres")
    import psycopg
    with psycopg.connect(with_admin, autocommit=True) as admin:
        admin.execute(f'alter database "{name}" allow_connections false')
        admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [name])
        statuses = {process.raw(stream(history=(0, [json.dumps(row(0, a=1))]))).status for process in processes}
        admin.execute(f'alter database "{name}" allow_connections true')
    assert statuses == {503}
    processes[0].post(history=(0, [row(0, a=1)]))
    assert read("r3").values("a") == [1]
