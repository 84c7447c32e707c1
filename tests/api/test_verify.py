"""cairnd verify: finds nothing where all is well, beside writers too; and each thing that is not, by name."""
import base64
import hashlib
import itertools
import json
import math
import re
import subprocess
import threading

import psycopg
import pytest

import runs
from rest import Api
from runs import Run, turn_ring
from server import ROOT, cairnd, environment, on_terminal
from test_damaged import compacted_all

pytestmark = [pytest.mark.own, pytest.mark.slow]


class Verify:
    def __init__(self, db, secret_file):
        self.env = environment(db.url, secret_file)

    def call(self, *args, status=0):
        done = subprocess.run([cairnd(), "verify", *args], env=self.env, capture_output=True, text=True,
                              timeout=120)
        assert done.returncode == status, done
        return done.stdout

    def faults(self, *args):
        """What it found, and that its sum and its exit status say the same."""
        done = subprocess.run([cairnd(), "verify", "--json", *args], env=self.env, capture_output=True,
                              text=True, timeout=120)
        *faults, total = [json.loads(line) for line in done.stdout.splitlines()]
        assert done.returncode == (1 if faults else 0) and total["faults"] == len(faults), done
        return faults


@pytest.fixture
def verify(db, secret_file):
    return Verify(db, secret_file)


def fill(run):
    """Two writers that take turns: numbers, texts, big integers, gaps, events, lines; documents."""
    writers = [run.join(client, role, label=label)
               for client, role, label in (("a", "primary", "rank0"), ("b", "worker", "rank1"))]
    for b in range(4):
        for w, writer in enumerate(writers):
            rows = [{"loss": math.sin(b * 700 + i + w), "t": f"text {i % 7}", "big": 2**60 + i} for i in range(700)]
            rows[5:9] = [{"loss": math.nan}, {"rare": 1e308}, {"rare": -1e308}, {}]
            writer.send(history=rows,
                        events=[{"cpu": i, "_timestamp": 1000.0 * b + i} for i in range(50)],
                        console=[{"line": 400 * b + i, "time": 1.0, "text": f"line {i}"} for i in range(400)],
                        config={"lr": 0.1 * w, "deep": {"er": [1, {"x": None}]}}, summary={"best": b})
    for title in "low", "high":
        run.api.post(f"{run.path}/alerts", {"title": title, "writer": "b"})
    return writers


# What waits in the tail: blocks of writers alone or, -1, of several in one pack.
WAITING = "select 1 from tail join run_hot using (run_id) where kind = 1 and seq > compact_seq and writer"


def send_together(server, key, run, db):
    """Small batches of several writers at a time, until some of them lie in one pack: while the run is
    locked they gather, and are stored together."""
    apis = [Api(server, key) for _ in range(4)]
    writers = [Run(api, run.name, run.path.rsplit("/runs/", 1)[0], make=False).join(f"c{n}", "worker", label="rank2")
               for n, api in enumerate(apis)]
    while not db.query(f"{WAITING} = -1"):
        with db.hold("select from run_hot for update"):
            threads = [threading.Thread(target=writer.send_patiently, kwargs={
                "history": [{"loss": n}], "events": [{"cpu": n}], "console": [{"line": 1, "text": "x"}]})
                for n, writer in enumerate(writers)]
            for thread in threads:
                thread.start()
            waits = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
            while not db.query(waits) and any(thread.is_alive() for thread in threads):
                pass
        for thread in threads:
            thread.join()
    for api in apis:
        api.close()


def fill_tail(server, key, run, db, writer, wait_for):
    """Blocks of one writer and of several, and then nobody is there any more who would compact them: the server
    ends. What it compacted before is sent again."""
    while True:
        if writer:
            writer.send(history=[{"loss": 1.0}], events=[{"cpu": 1}], console=[{"line": 1600, "text": "end"}])
        send_together(server, key, run, db)
        wait_for(lambda: db.value("select count(*) from run_change") == 0, what="searched document")
        server.stop()
        if db.query(f"{WAITING} = -1") and db.query(f"{WAITING} >= 0"):
            return
        server.start(server.port)


@pytest.fixture
def stored(run, api, home, db, server, keys, wait_for, request):
    """A run in the tail or, as the test asks, in chunks with something in the tail behind it; nothing changes it
    any more."""
    api.patch(home, {"crash_after_s": 604800})
    writer, _ = fill(run)
    run_id = runs.run_id(db, run)
    in_chunks = getattr(request, "param", "tail") == "chunks"
    if in_chunks:
        turn_ring(db, wait_for)
        wait_for(compacted_all(db, run_id), what="compaction")
    fill_tail(server, keys["ann"], run, db, writer if in_chunks else None, wait_for)
    return run_id


chunks = pytest.mark.parametrize("stored", ["chunks"], indirect=True)
both = pytest.mark.parametrize("stored", [pytest.param("tail", marks=pytest.mark.long), "chunks"], indirect=True)


# Everything that has a checksum: table, column, which rows of it are read, what it is called.
FORMS = [("tail", "data", "seq > (select compact_seq from run_hot)", "tail"), ("chunk", "data", "true", "chunk"),
         ("chunk", "roll", "roll is not null", "rollup"), ("console_chunk", "data", "true", "console"),
         ("run_keys", "document", "true", "key list")]


@both
def test_every_byte_that_changed(stored, verify, db, run, request):
    """All is well, and then not: wherever it is stored, each is found and named."""
    assert verify.faults() == []
    assert verify.faults("--jobs", "4", "--project", "ann/digits", "--run", "r1") == []
    assert ": 0 faults\n" in verify.call()
    found = set()
    for table, column, rows, name in FORMS:
        flip = (f"update {table} set {column} = set_byte({column}, length({column}) / 2,"
                f" get_byte({column}, length({column}) / 2) # 16) where {rows} returning 1")
        count = len(db.query(flip))
        faults = verify.faults()
        assert [(f["fault"], f["run"]) for f in faults] == [(name, run.name)] * count, (table, column, faults)
        assert all("is damaged" in f["message"] and f["label"] in ("rank0", "rank1", "rank2", None) for f in faults)
        found |= {name} if count else set()
        db.query(flip)
    assert verify.faults() == []
    assert found == ({"tail"} if request.node.callspec.params["stored"] == "tail" else {f[3] for f in FORMS})


LOSS = "key_id = (select key_id from project_key where name = 'loss')"
BIG = LOSS.replace("loss", "big")
BEGIN = f"{LOSS} and kind = 1 and writer = 0 and index_first = 0"
COPY = "value_count, row_first, row_last, step_min, step_max, roll, data from chunk"
# What somebody does to tables, and all that is found of it: what it is called and by what words.
HARM = [
    # chunks that are gone, there twice, or tell lies
    (f"delete from chunk where {BEGIN}", [("chunk", r"values 0 to \d+ are missing|their chunk is missing")]),
    (f"delete from chunk where {LOSS} and kind = 1 and writer = 1 and index_first ="
     f" (select max(index_first) from chunk where {LOSS} and writer = 1)", [("chunk", ": their chunk is missing")]),
    (f"insert into chunk select run_id, stream, 9999, kind, writer, index_first, {COPY} where {BEGIN};"
     f"insert into chunk select run_id, stream, key_id, kind, writer, index_first + 7, {COPY} where {BEGIN}"
     f" and key_id <> 9999", [("chunk", "are duplicated"), ("chunk", "chunks of kind 1 are in no key list")]),
    (f"update chunk set value_count = value_count + 1 where {BEGIN}", [("chunk", "its value_count is")]),
    (f"update chunk set row_first = row_first + 1 where {BEGIN};"
     f"update chunk set row_last = row_last + 1 where {LOSS} and writer = 1 and index_first = 0;"
     f"update chunk set step_min = step_min + 1 where {BIG} and kind = 1 and writer = 0 and index_first = 0;"
     f"update chunk set step_max = step_max + 1 where {BIG} and kind = 2 and writer = 0 and index_first = 0",
     [("chunk", f"its {column} is") for column in ("row_first", "row_last", "step_min", "step_max")]),
    (f"update chunk c set data = o.data, roll = o.roll, value_count = o.value_count, row_first = o.row_first, row_last ="
     f" o.row_last, step_min = o.step_min, step_max = o.step_max from chunk o where c.{LOSS} and o.key_id = c.key_id"
     f" and c.kind = o.kind and c.writer <> o.writer and c.index_first = o.index_first", [("rows", " has a different writer or step with another key")]),
    ("update chunk c set roll = o.roll from chunk o where c.kind = 1 and o.kind = 1 and c.ctid <> o.ctid and c.writer = 0"
     " and c.writer = o.writer and c.index_first = o.index_first and c.key_id <> o.key_id and c.stream = o.stream;"
     "update chunk set roll = null where kind = 1 and writer = 1",
     [("rollup", "of cell 0 does not match its values"), ("rollup", "the rollup is missing")]),
    ("delete from run_keys where stream = 1 and writer = 1", [("chunk", " are in no key list")]),
    ("update run_keys k set document = o.document from run_keys o where k.stream = o.stream and k.writer <> o.writer",
     [("key list|chunk", "last value|last row|their chunk|counts")]),
    ("delete from console_chunk where writer = 1 and line_first = 1024;"
     "update console_chunk set line_count = line_count - 1 where writer = 1;"
     "update console_chunk set time_last = time_last + 1 where writer = 0 and line_first = 1024;"
     "update console_chunk set seq_last = 100000 where writer = 0 and line_first = 0",
     [("counter", "its console_lines is"), ("console", "its line_count is"), ("console", "time_first or time_last"),
      ("console", "the run is compacted to")]),
    ("update console_chunk set arrival_last = arrival_last + 1 where writer = 0 and line_first = 1024",
     [("console", "arrival_first or arrival_last")]),
    ("delete from console_chunk where writer = 0 and line_first = 0",
     [("console", r"^(\d+) chunks with \d+ lines, but the run counts (?!\1)\d+ with \d+; the first gap is from line 0 to 1023$")]),
    ("update run_hot set console_lines = console_lines - 1",
     [("console", r"^(\d+) chunks with (\d+) lines, but the run counts \1 with (?!\2)\d+$")]),
    ("update console_chunk set line_first = line_first + 10240", [("console", "it contains lines of a different range")]),
    # the tail
    ("update tail set row_count = row_count + 1, size_bytes = size_bytes + 1, step_base = step_base + 1 where writer = -1",
     [("tail", "its row_count is"), ("tail", "its size_bytes"), ("tail", "has the step_base")]),
    ("insert into tail select 7 - slot, run_id, seq, kind, writer, row_first, row_count, step_base, size_bytes, data"
     " from tail where seq = (select max(seq) from tail)", [("tail", "is duplicated")]),
    ("update tail set time_last = time_last + 1 where kind = 3", [("tail", "time_first or time_last differs")]),
    ("delete from tail where seq = (select max(seq) - 1 from tail)", [("tail", "blocks (\\d+) to \\1 are missing")]),
    ("delete from tail where seq = (select max(seq) from tail)", [("counter", "the run's next_seq is")]),
    *((f"update tail set {column} = {column} + 1 where kind = 1 and writer >= 0 and seq > (select compact_seq from run_hot)",
       [(kind, words)])
      for column, kind, words in (("row_first", "tail|counter|rows", "begins with row|next_row is|rows are missing|end before"),
                                  ("row_count", "tail", "its row_count is"), ("step_base", "tail", "step_base is"),
                                  ("writer", "counter", "its history_rows is"),
                                  ("size_bytes", "counter", "tail_bytes is"))),
    # counters of the run
    ("update run_hot set next_seq = next_seq + 1, tail_rows = tail_rows + 1, tail_bytes = tail_bytes + 1, state = 2,"
     " last_step = last_step + 1, next_state = next_state + 1, next_writer = 1, document_seq = document_seq + 1",
     [("counter", "next_seq is"), ("counter", "tail_rows is"), ("counter", "tail_bytes is"), ("counter", "last_step is"),
      ("counter", "next_writer is 1"), ("state", "next_state is"), ("state", 'the run is "finished"'),
      ("document", "will not be updated")]),
    ("update run_hot set next_row = next_row + 1, next_event = next_event + 1",
     [("counter|rows", "next_row is|rows are missing"), ("counter|rows", "next_event is|rows are missing")]),
    ("update run_hot set compact_seq = compact_seq + 1", [("tail|counter", "are missing|tail_rows is|next_seq is|row")]),
    # writers
    ("update run_writer set history_rows = history_rows + 1, event_rows = event_rows + 1, batch = batch + 1, attempt = 7,"
     " console_lines = console_lines + 1, last_step = last_step + 100000, streams = '' where writer = 1",
     [("writer", "is remembered in the place of"), ("counter", "it belongs to attempt 7"), ("counter", r"its records is 0, but it has \d+ rows"),
      *(("counter", f"its {column} is") for column in ("history_rows", "event_rows", "console_lines", "last_step"))]),
    ("update run_writer set recent = substr(recent, 2) where writer = 1", [("writer", "not a valid list")]),
    ("update run_writer set streams = substr(streams, 2) where writer = 1", [("writer", "streams of records are not a valid list")]),
    ("delete from run_writer where writer = 1", [("key list|tail", "a writer that does not exist in the run")]),
    # the rest
    ("update run_state set from_state = 3;update run_leaf set value = '0.25' where value = '0.1';"
     "update run_leaf set place = place || '\\x00' where kind = 2;"
     "update run_document set document = jsonb_set(document, '{state}', '\"crashed\"')",
     [("state", 'from "failed"'), ("document", " are recorded"), ("document", " cannot be found by its name"),
      ("document", 'in the search index is "crashed"')]),
    ("delete from run_state;update run_leaf set value = '0.1x' where value = '0.1';delete from run_document",
     [("state", "its last change was"), ("document", " is not valid JSON: "), ("document", "not in the search")]),
    ("delete from run_alert where number = 1;update run_alert set writer = 99 where number = 2",
     [("alert", "alerts 1 to 1 are missing"), ("alert", "a writer that does not exist in the run")]),
    ("update run_alert set delivery = 1 where number = 1;update run_hot set alerts = 3;"
     "insert into alert_delivery select run_id, 2, project_id, now(), 0 from run_hot;"
     "insert into alert_delivery select run_id, 9, project_id, now(), 0 from run_hot",
     [("alert", '1 is "waiting", but is not waiting'), ("alert", '2 is "nowhere", but waits'),
      ("alert", "9 is waiting to be sent, but does not exist"), ("counter", "counts 3 alerts, but the last alert is 2")]),
    ("update run set deleted_at = now()", [("directory", "is marked as deleted")]),
    ("delete from run", [("directory", "no name in the directory")]),
    (f"delete from project_key where {LOSS};update project set key_count = key_count - 1",
     [("key list|tail", "of key number \\d+, which does not exist")]),
    ("delete from run_hot;delete from project_key where name = 't'",
     [("directory", "the run exists only in the directory: its counters are missing"), ("directory", "its count of metric names is wrong, or a metric name has an invalid number: ")]),
]


def harmed(db, verify, harm):
    """What is found while tables are not as they were."""
    tables = sorted(set(re.findall(r"(?:update|delete from|insert into) (\w+)", harm)))
    for table in tables:
        db.query(f"drop table if exists saved_{table}; create table saved_{table} as table {table}")
    db.query(harm)
    faults = verify.faults()
    for table in tables:
        db.query(f"delete from {table}; insert into {table} table saved_{table}")
    return faults


@pytest.mark.long
@chunks
def test_everything_else_that_is_wrong(stored, verify, db):
    missed = {}
    for harm, found in HARM:
        faults = harmed(db, verify, harm)
        assert all(f["advice"] for f in faults)
        for kind, words in found:
            if not any(re.fullmatch(kind, f["fault"]) and re.search(words, f["message"]) for f in faults):
                missed[harm, kind, words] = faults
    assert not missed
    assert verify.faults() == []
    # a line for people
    db.query(f"update chunk set step_max = step_max + 1 where {LOSS} and kind = 1 and writer = 1 and index_first = 0")
    fault, total = verify.call(status=1).splitlines()
    assert re.fullmatch(r'ann/digits/r1: history chunk of key "loss", writer 1 "rank1": numbers, values 0 to \d+: its'
                        r' step_max is \d+, expected \d+; values are lost: restore the run from a backup', fault)
    assert total.startswith("1 run with ") and total.endswith(": 1 fault")


def test_progress_on_a_terminal(verify, run):
    run.log([{"x": 1}])
    status, printed, shown = on_terminal(verify.env, "verify")
    assert status == 0 and printed.count("\n") == 1
    assert re.match(r"\r\x1b\[K\[[# ]{24}\] +\d+ %  [01] of 1 runs, 0 faults, [\d.]+ \w?B/s", shown), shown
    assert shown.endswith("\r\x1b[K")


def test_asks_for_what_is_there(verify, run):
    run.log([{"x": 1}])
    for args, status in ((("--run", "r1"), 64), (("--project", "ann"), 64), (("--project", "ann/none"), 1),
                         (("--project", "ann/digits", "--run", "none"), 1), (("--jobs", "0"), 64)):
        assert verify.call(*args, status=status) == ""


def test_other_runs_are_not_looked_at(verify, run, api, home, db):
    run.log([{"x": 1}])
    Run(api, "other", home).log([{"x": 1}])
    db.query("update run_hot set tail_rows = 7 where run_id = %s", runs.run_id(db, run))
    assert [f["run"] for f in verify.faults()] == ["r1"]
    assert verify.faults("--project", "ann/digits", "--run", "other") == []
    assert len(verify.faults("--project", "ann/digits", "--run", "r1")) == 1


def test_beside_writers_and_compaction(run, api, server, keys, verify, db, wait_for):
    """Nothing is found that is not there, whatever happens meanwhile."""
    stop = threading.Event()
    failed = []

    def write(n):
        mine = Api(server, keys["ann"])
        try:
            writer = Run(mine, run.name, make=False).join(f"w{n}", "worker")
            while not stop.is_set():
                writer.send_patiently(history=[{"x": i, "y": f"{i}"} for i in range(50)], events=[{"cpu": 1}],
                                      console=[{"line": writer.batch, "text": "line"}])
        except Exception as e:
            failed.append(e)
        finally:
            mine.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    try:
        seqs = set()
        while len(seqs) < 4:
            assert verify.faults() == []
            seqs.add(db.value("select compact_seq from run_hot"))
            turn_ring(db, wait_for)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failed
    assert verify.faults() == []


def test_a_number_that_a_run_would_give_again(run, db, verify):
    """A run as servers before that migration could leave it: its next writer would write over one that is there."""
    for client in "w1", "w2":
        run.join(client)
    db.query("update run_hot set next_writer = 1, row_sum = null")
    assert [f["message"] for f in verify.faults()] == ["the run's next_writer is 1, but a writer 1 exists"]
    db.query((ROOT / "migrations/0013_writer_numbers.sql").read_text())
    assert verify.faults() == []
    assert [run.join(client).number for client in ("w1", "w3")] == [0, 2]


# --- each column of each table

def statement(db, name, *arguments):
    """One of the stores' own statements, with literals."""
    for path in (ROOT / "server/store").glob("*/*.sql"):
        text = re.search(rf"^-- name: {name}\n(.*?)(?=^-- (?:name|part): |\Z)", path.read_text(), re.M | re.S)
        if text:
            parts = dict(re.findall(r"^-- part: (\w+)\n(.*?)(?=^-- (?:name|part): |\Z)", path.read_text(), re.M | re.S))
            sql = re.sub(r"^-- use: (\w+)$", lambda use: parts[use[1]], text[1], flags=re.M)
            with psycopg.connect(db.url, autocommit=True) as connection:
                connection.execute(f"prepare s as {sql}")
                connection.execute(f"execute s ({', '.join(arguments)})")
            return
    raise LookupError(name)


@pytest.fixture
def everything(stored, run, api, home, db, server, wait_for):
    """A row in each table: by way of the server what is done with one request, the others as the server writes them."""
    server.start(server.port)
    other = Run(api, "r2", home)
    other.join("w1").send(history=[{"x": i} for i in range(9)])
    api.post(f"{other.path}/rewind", {"step": 3})
    api.patch(f"{run.path}/config", {"lr": 0.5})
    api.patch(run.path, {"notes": "seen", "tags": ["a"]})
    api.put(f"{run.path}/files/a.txt", b"one", content_type=None)
    api.post(f"{home}/views", {"name": "mine", "kind": "mine", "state": {}})
    api.post(f"{other.path}/history", [{"x": 1}], headers={"Idempotency-Key": "k"})
    wait_for(lambda: db.value("select count(*) from run_change") == 0, what="searched document")
    server.stop()
    run_id, project_id = str(stored), str(db.value("select project_id from run_hot where run_id = %s", stored))
    user_id = str(db.value("select min(user_id) from account"))
    later = "now() + interval '1 day'"
    statement(db, "webhook_save", project_id, "'https://127.0.0.1/'", "'\\x01'", "now()")
    statement(db, "alert_tried", run_id, "1", "1::int2", "0", "now()", "0", "''")
    statement(db, "alert_delivery_insert", run_id, "1", project_id, later)
    statement(db, "account_save_password", user_id, "'hash'")
    statement(db, "session_insert", "'\\x0102'", user_id, "now()", "now()", later, "'hash'")
    statement(db, "link_insert", "1", "1::int2", "'\\x0102'", "null", "false", "2", "1::int2", "'for whom'", user_id, "now()", later)
    statement(db, "link_insert", "2", "2::int2", "'\\x0103'", user_id, "false", "null", "null", "''", user_id, "now()", later)
    statement(db, "run_unread_insert", run_id, "0", "array[0]", "array[4]::int2[]", "array['{']", "now()")
    statement(db, "left_out_add", run_id, "array[1]::int2[]", "array['name']", "array['a']", "array[1]", "array['x']",
              "1", "now()", "1000")
    statement(db, "sent_save", f"array[{run_id}]", "array[0]", "array['{}']", "array[null]::text[]", "array['']",
              "array[0]", "array[null]::text[]")
    statement(db, "attempt_insert", run_id, "0", "2::int2", "1", "now()", "now()", "'{}'", "'{}'")
    statement(db, "run_change_put_off", run_id, project_id, "0", later, "now()")
    fill_artifacts(db, run_id, project_id, user_id)
    fill_sweeps(db, project_id, user_id)
    return stored


def fill_sweeps(db, project_id, user_id):
    """A sweep with an agent, its host and a trial, at which no job looks."""
    now, none = "now()", "null"
    config = "'{method: random, parameters: {a: {min: 0.0, max: 1.0}}}'"
    statement(db, "sweep_insert", project_id, "1", "'sweep001'", none, user_id, now, "2::int2", config, "2::int2", "7",
              none, none, none, none, none)
    statement(db, "sweep_agent_insert", project_id, "1", "1", "'host'", user_id, now)
    statement(db, "sweep_host_save", project_id, "1", "'host'", "0", "1", none)
    statement(db, "sweep_trial_insert", project_id, "1", "1", "'trial001'", "1::int2", "0", "1", none, now, "'{}'", "-1",
              "3::int2", "1", "'host'", now, "1", "0", none, none, none, "0.5", "0.5", "0.5", "'NaN'", "1", none)
    statement(db, "sweep_save_next", project_id, "1", "2")


def fill_artifacts(db, run_id, project_id, user_id):
    """A version, a link to it, a draft, and a file that comes in parts, without a time at which a job looks at them."""
    now, latest, none = "now()", "array['latest']", "null"
    (content, md5, size), = db.query("select content, md5, size_bytes from run_file")
    content, digest = f"'\\x{content.hex()}'", base64.b64encode(md5).decode()
    manifest = hashlib.md5(f"wandb-artifact-manifest-v1\na:{digest}\n".encode()).hexdigest()
    md5, size = f"'\\x{md5.hex()}'", str(size)
    statement(db, "artifact_type_make", project_id, "'model'", "''", now)
    for collection, kind in ("1", "1::int2"), ("2", "2::int2"):
        statement(db, "artifact_collection_make", project_id, collection, kind, f"'c{collection}'", "'model'", none, "'[]'",
                  "0", "0", user_id, now)
    for artifact in "1", "2":
        statement(db, "artifact_insert", project_id, artifact, "1", "0", none, none, none, run_id, user_id, now, "'d'", "'[]'",
                  none, none, "'[]'", "-1", none)
    statement(db, "manifest_make", project_id, "1", "1", "1::int2", now, "'\\x00'", "0")
    statement(db, "blob_put", project_id, "1", content, md5, size, "1", now)
    statement(db, "upload_save", project_id, "2", "array['a']", "array[1]", now)
    statement(db, "entry_merge_uploads", project_id, "1", "2", "''", "10")
    statement(db, "manifest_end", project_id, "1", now, "1", size, f"'{manifest}'", none)
    statement(db, "artifact_commit", project_id, "1", "0", f"'{manifest}'", "1", size, "1", now, none)
    for collection in "1", "2":
        statement(db, "artifact_member_add", project_id, collection, "0", project_id, "1", user_id, now)
        statement(db, "artifact_alias_set", project_id, collection, latest, "0", user_id, now)
        statement(db, "artifact_collection_next", project_id, collection, "1")
    statement(db, "artifact_client_save", "'client'", "1::int2", project_id, "1", now, "0")
    statement(db, "multipart_make", project_id, "1", "2", "'a'", md5, "1", now)
    statement(db, "part_put", project_id, "1", "1", content, md5, size)
    statement(db, "lineage_add", run_id, "2::int2", project_id, "1", none, now)


# What somebody does to artifacts, and the words of what is found, once in all.
ARTIFACT_HARM = [
    ("delete from artifact_manifest", "but its manifest none"),
    ("update artifact set file_count = 2", "has 2 files of 3 bytes with the digest"),
    ("delete from artifact_entry", "but its entries are 0 of 0"),
    ("update artifact_entry set path = 'b'", "but its entries are 1 of 3 with"),
    ("update artifact_entry set blob_id = null", 'has a file "a" without content'),
    ("delete from artifact_blob", "is of a blob that does not exist"),
    ("update artifact_blob set content = substr(content, 2)", 'of "a" \\(blob 1\\) has an invalid hash'),
    ("update artifact_blob set content = set_byte(content, 1, 7)", 'of "a" \\(blob 1\\) is missing'),
    ("update artifact_blob set size_bytes = 4", 'of "a" \\(blob 1\\) has a different size'),
    ("update artifact_blob set counted = true", "counts 0 bytes of artifacts, but has 3"),
    ("delete from artifact_member where collection_id = 1", 'version 0 of "c1" is not in its collection'),
    ("update artifact_member set artifact_id = 7 where collection_id = 2", "leads to an artifact that does not exist"),
    ("update artifact_alias set version = 9", "is of version 9, which is not in it"),
    ("update artifact_collection set next_version = 0", "is 0, but a version 0 exists"),
    ("delete from artifact_collection where collection_id = 1", "artifact 1 is in no collection"),
    ("delete from artifact_multipart", "part 1 is of an upload 1 that does not exist"),
]


def test_artifacts(everything, verify, db):
    """Versions with their manifests and entries, these with their content, and collections with their members."""
    missed = {}
    assert verify.faults() == []
    for harm, words in ARTIFACT_HARM:
        faults = harmed(db, verify, harm)
        if not any(f["fault"] == "artifact" and re.search(words, f["message"]) and f["project"] for f in faults):
            missed[harm] = faults
    assert not missed
    assert verify.faults("--project", "ann/digits") == []


# What somebody does to sweeps, and the words of what is found.
SWEEP_HARM = [
    ("update sweep set next_trial = 1", 'the next trial of sweep "sweep001" is 1, but a trial 1 exists'),
    ("update sweep set sweep_id = 2", "is of a sweep 1 that does not exist"),
    ("update sweep_agent set sweep_id = 2", "agent 1 is of a sweep 2 that does not exist"),
    ("update sweep_host set sweep_id = 2", 'host "host" is of a sweep 2 that does not exist'),
    ("update sweep_trial set retry_of = 7", 'trial 1 of sweep "sweep001" repeats trial 7, which does not exist'),
    ("update sweep_trial set agent_id = 7", 'trial 1 of sweep "sweep001" was given to agent 7, which does not exist'),
]


def test_sweeps(everything, verify, db):
    """Trials, agents and hosts with their sweep."""
    missed = {}
    for harm, words in SWEEP_HARM:
        faults = harmed(db, verify, harm)
        if not any(f["fault"] == "sweep" and words in f["message"] and f["project"] for f in faults):
            missed[harm] = faults
    assert not missed


# What may be changed unnoticed, and why.
ANY_VALUE = {
    ("api_key", "last_used_at"): "shown to its owner, and nothing else depends on it",
    ("api_key", "last_address"): "shown to its owner, and nothing else depends on it",
    ("run_hot", "look_at"): "when the sweeper looks next: it looks again, and puts right one that is too late",
    ("tail", "slot"): "all slots are read, and each is emptied when its runs are compacted",
    ("server_clock", "id"): "the one row",
    ("server_clock", "shift_us"): "moved by tests, and never by a server",
}
# What servers and commands look at before they begin: they refuse to.
AT_START = {"schema_migration", "schema_view", "server_setting"}
# Which row is changed. Blocks that are compacted are read by nobody, and the step_base is compared in blocks of history of a run
# that was not rewound: which block lies first in the table depends on how batches were gathered.
ROWS = {("account_link", "user_id"): "kind = 2",
        "tail": "kind = 1 and exists (select 1 from run_hot h where h.run_id = tail.run_id and branch = 0 and seq > compact_seq)"}
OTHER_VALUES = {
    "bool": ["not {0}"], "text": ["coalesce({0}, '') || 'x'"], "bytea": ["coalesce({0}, '') || '\\x01'"],
    "timestamptz": ["coalesce({0}, now()) + interval '1 second'"], "date": ["{0} + 1"],
    "jsonb": ["'[1]'"], "float8": ["coalesce({0}, 0) + 1"], "_int8": ["array_append({0}, 99::int8)"],
    **{kind: ["coalesce({0}, 0) + 1", "{0} - 1"] for kind in ("int2", "int4", "int8")},
}


def change(db, table, column, kind):
    """Changes one row and returns how that is undone; None where PostgreSQL allows no other value."""
    where = ROWS.get((table, column), ROWS.get(table, "true"))
    rows = db.query(f"select ctid::text, {column}::text from {table} where {where} order by ctid limit 1")
    assert rows, f"{table} is empty: the fixture gives each table a row"
    (ctid, old), = rows
    for value in OTHER_VALUES[kind]:
        try:
            now, = db.query(f"update {table} set {column} = {value.format(column)} where ctid = '{ctid}'"
                            " returning ctid::text")
        except (psycopg.errors.IntegrityError, psycopg.errors.GeneratedAlways):
            continue
        return f"update {table} set {column} = %s::text::{kind} where ctid = '{now[0]}'", old
    return None


def unnoticed(db, verify, columns):
    """Of columns that are changed together, each of another table, those of whose row nothing is said."""
    undo = [(each, change(db, *each)) for each in columns]
    faults = verify.faults()
    for _, back in reversed(undo):
        if back:
            db.query(*back)
    rows = " ".join(f["message"] for f in faults if f["fault"] == "row")
    return [each for each, back in undo if back and not (faults if len(columns) == 1 else re.search(rf"\b{each[0]}\b", rows))]


@pytest.mark.long
@chunks
def test_each_column_of_each_table(everything, verify, db):
    """Whatever is changed by hand is found, in any column that there is. A column of a migration to come needs a sum
    (migrations/…_row_sums.sql), too, or something that it is compared with."""
    columns = db.query("select c.table_name, c.column_name, c.udt_name from information_schema.columns c"
                       " join pg_class r on r.oid = ('public.' || quote_ident(c.table_name))::regclass"
                       " where c.table_schema = 'public' and r.relkind in ('r', 'p') and not r.relispartition"
                       " order by c.table_name, c.ordinal_position")
    tables = {}
    for each in columns:
        if each[0] not in AT_START and each[:2] not in ANY_VALUE:
            tables.setdefault(each[0], []).append(each)
    assert verify.faults() == []
    together = [[one for one in place if one] for place in itertools.zip_longest(*tables.values())]
    missed = [each for place in together for each in unnoticed(db, verify, place)]
    assert [each for each in missed if unnoticed(db, verify, [each])] == []
    assert verify.faults() == []
    look_at_rows_of_before_checksums(everything, verify, db)


def look_at_rows_of_before_checksums(run_id, verify, db):
    """They are compared as before; what a server writes of them later has its sum."""
    tables = [table for table, in db.query("select table_name from information_schema.columns"
                                           " where table_schema = 'public' and column_name = 'row_sum'")]
    for table in tables:
        db.query(f"update {table} set row_sum = null")
    db.query("update project_view set name = 'other'")
    assert verify.faults() == []
    statement(db, "config_save", str(run_id), "0", "1", "'{}'", "null")
    db.query("update run_config set document = '{ }' where writer = 0")
    assert ["row of run_config with writer 0" in f["message"] for f in verify.faults()] == [True]
