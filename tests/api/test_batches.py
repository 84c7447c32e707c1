"""What identifies a batch: the table of identities, row by row, and what is counted of it."""
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from runs import Run


def rows(*values, key="a"):
    return [{key: value} for value in values]


def same(one, other):
    """The part of the answer that a repeat gets again."""
    return all(one[name] == other[name] for name in ("batch", "row_first", "rows"))


def test_a_batch_is_readable_at_once(run):
    answer = run.join().send(history=rows(1, 2, 3))
    assert (answer["batch"], answer["row_first"], answer["rows"]) == (1, 0, 3)
    assert (answer["step_next"], answer["stop"], answer["state"]) == (3, False, "running")
    assert [r["_row"] for r in run.rows()] == [0, 1, 2]
    assert run.get()["rows"] == 3


# --- what is refused leaves nothing

def test_a_refused_batch_leaves_no_names(run, db):
    """Numbers of keys are for ever, and a project has room for so many."""
    def names():
        return db.value("select count(*) from project_key")

    w, rest = run.join(), iter(range(100))
    w.send(history=[{"known": 1}], config={"a": "x"})

    def news():
        return {"history": [{f"new{next(rest)}": 1}], "events": [{f"new{next(rest)}": 1}]}

    before = names()
    w.refused(409, "batch-gap", w.body(5, **news()))
    w.refused(409, "batch-differs", w.body(1, **news()))
    w.refused(422, "unprocessable", w.body(2, config={"b": [0] * 249_999}, **news()))
    w.refused(400, "invalid", w.body(2, history=[{f"new{next(rest)}": 1}], events=[{"a": 1}, 7]))
    stranger = run.join("other", "worker")
    stranger.client = "never-joined"
    stranger.refused(404, "writer-unknown", stranger.body(1, **news()))
    fenced = w.body(2, **news())
    run.join()
    w.refused(409, "session-fenced", fenced)
    rows = f"{run.path}/history"
    run.api.post(rows, {"known": 1}, headers={"Idempotency-Key": "k"})
    run.api.refused(409, "conflict", "POST", rows, {f"new{next(rest)}": 1}, headers={"Idempotency-Key": "k"})
    assert names() == before


# --- same number, same bytes: nothing changes, same answer

# By the database itself, however late the test is: from when the run's lock is taken until somebody has waited for it.
HELD_FOR_A_WHILE = """do $$ begin
    perform from run_hot where run_id = {} for update;
    for i in 1 .. 3000 loop
        exit when exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                             and clock_timestamp() - query_start > interval '0.6 s');
        perform pg_sleep(0.01), pg_stat_clear_snapshot();
    end loop;
end $$"""


def test_a_batch_with_new_names_waits_for_the_run(run, db, wait_for):
    """Many that bring a run its first names take its lock one after the other, while a machine may be slow."""
    writer = run.join("w1")
    number = db.value("select run_id from run_hot order by run_id desc limit 1")
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(db.query, HELD_FOR_A_WHILE.format(number))
        wait_for(lambda: db.value("select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"),
                 what="the lock")
        assert writer.send(history=[{"a name that is new": 1}])["rows"] == 1
        held.result()


@pytest.mark.parametrize("encoding", [None, "gzip", "zstd"])
def test_repeat(run, encoding):
    w = run.join()
    first = w.send(history=rows(1, 2), events=[{"cpu": 1}], config={"lr": 1}, summary={"best": 1},
                   console=[{"line": 0, "stream": "stdout", "time": 1.5, "text": "x"}],
                   dropped={"history": 3})
    before = run.rows(), run.events(), run.console(), run.config(), run.summary(), run.writers()["w1"]
    again = w.repeat(encoding)
    assert same(first, again)
    after = run.rows(), run.events(), run.console(), run.config(), run.summary(), run.writers()["w1"]
    for one, other in zip(before, after):
        if isinstance(one, dict):
            one, other = dict(one, heard_at=0), dict(other, heard_at=0)
            if "client" in one:
                assert (one.pop("repeats"), other.pop("repeats")) == (0, 1)
        assert one == other


def now_at(db):
    """By the clock of the server, which tests put forward."""
    return time.time() + float(db.value("select shift_us from server_clock")) / 1e6


def test_lag_is_that_of_the_newest_row_when_it_was_stored(run, db, shift_clock):
    w = run.join()
    lag = lambda: run.writers()["w1"]["lag_s"]  # noqa: E731
    assert lag() is None
    now = now_at(db)
    w.send(history=[{"a": 1, "_timestamp": now - 600}, {"a": 2, "_timestamp": now - 60}, {"a": 3}])
    assert 60 <= lag() < 120
    w.send(events=[{"cpu": 1, "_timestamp": now - 7000}])
    assert 7000 <= lag() < 7060
    w.send(console=[{"line": 0, "stream": "stdout", "time": now, "text": "x"}])
    w.send()
    assert lag() >= 7000  # lines and heartbeats tell nothing of it
    w.send(history=[{"a": 4}])
    assert lag() == 0
    w.send(history=[{"a": 5, "_timestamp": now + 3600}])
    assert -3600 < lag() <= -3540
    shift_clock(5000)
    w.send(history=[{"a": 6, "_timestamp": now + 3600}])
    assert 1400 <= lag() < 1460


def test_lag_and_repeats_are_kept_by_the_compactor(run, db, home, wait_for):
    w = run.join()
    w.send(history=[{"a": 1, "_timestamp": now_at(db) - 100}])
    w.repeat()
    w.finish(0)
    before = run.writers()["w1"]
    wait_for(lambda: db.value("select h.tail_rows from run_hot h join project p using (project_id) where p.name = %s",
                              home.rsplit("/", 1)[1]) == 0)
    assert run.writers()["w1"] == before
    assert (before["repeats"], 100 <= before["lag_s"] < 160) == (1, True)


def test_repeat_of_every_remembered_batch(run):
    w = run.join()
    told = []
    for i in range(16):
        told.append((w.send(history=rows(i, i)), w.last_body))
    for answer, body in reversed(told):
        assert same(w.raw(body), answer)
    assert len(run.rows()) == 32


def test_repeat_brings_back_no_old_document(run):
    w = run.join()
    w.send(summary={"best": 1}, config={"lr": 1})
    first = w.last_body
    w.send(summary={"best": 2}, config={"lr": 2})
    w.raw(first)
    assert run.summary() == {"best": 2}
    assert run.config() == {"lr": 2}
    assert run.conflicts() == []


def test_repeat_of_a_repeat_in_another_order_of_members_differs(run):
    w = run.join()
    w.send(history=rows(1))
    body = json.loads(w.last_body)
    w.refused(409, "batch-differs", json.dumps(dict(reversed(body.items()))))
    assert run.values("a") == [1]


def test_heartbeats_are_batches_too(run):
    w = run.join()
    first = w.send()
    assert same(w.repeat(), first)
    w.refused(409, "batch-differs", w.body(1, history=rows(1)))
    assert w.send(history=rows(1))["row_first"] == 0


# --- same number, other bytes: 409

def test_other_bytes(run):
    w = run.join()
    w.send(history=rows(1))
    w.send(history=rows(2))
    for number in (1, 2):
        w.refused(409, "batch-differs", w.body(number, history=rows(99)))
    assert run.values("a") == [1, 2]


# --- a number too high: 409 with the one expected

def test_gap(run):
    w = run.join()
    assert w.refused(409, "batch-gap", w.body(2, history=rows(9)))["expected"] == 1
    w.send(history=rows(1))
    for number in (3, 4, 1000, 2**53):
        assert w.refused(409, "batch-gap", w.body(number, history=rows(9)))["expected"] == 2
    assert run.values("a") == [1]
    w.send(history=rows(2))
    assert run.values("a") == [1, 2]


def test_gap_in_a_new_session(run):
    w = run.join()
    w.send(history=rows(1))
    w.join()
    assert w.refused(409, "batch-gap", w.body(2))["expected"] == 1


# --- stored too long ago to compare

def test_forgotten(run):
    w = run.join()
    w.send(history=rows(0))
    oldest = w.last_body
    for i in range(60):
        w.send(history=rows(i + 1))
    w.refused(409, "batch-forgotten", oldest)
    assert run.values("a") == list(range(61))


# --- identity is of one writer

def test_numbers_of_writers_have_nothing_to_do_with_each_other(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    for i in range(5):
        one.send(history=rows(("one", i)))
        two.send(history=rows(("two", i)))
    assert [tuple(v) for v in run.values("a")] == [(who, i) for i in range(5) for who in ("one", "two")]


def test_same_client_id_in_two_runs(api, home, run):
    other = Run(api, "r2", home)
    for r in (run, other):
        r.join("c1").send(history=rows(r.name))
    assert (run.values("a"), other.values("a")) == (["r1"], ["r2"])


# --- console: (run, writer, line); the highest sequence wins

def line(number, text, stream="stdout"):
    return {"line": number, "stream": stream, "time": 1000.25, "text": text}


def test_console_lines_may_be_rewritten(run):
    w = run.join()
    w.send(console=[line(0, "10 %"), line(1, "b")])
    w.send(console=[line(0, "50 %"), line(3, "d")])
    w.send(console=[line(0, "100 %", "stderr")])
    got = [(c["line"], c["text"], c["stream"]) for c in run.console()]
    assert got == [(0, "100 %", "stderr"), (1, "b", "stdout"), (3, "d", "stdout")]


def test_late_repeat_rewrites_nothing(run):
    w = run.join()
    w.send(console=[line(0, "old")])
    old = w.last_body
    w.send(console=[line(0, "new")])
    w.raw(old)
    assert [c["text"] for c in run.console()] == ["new"]


# --- by hand: the Idempotency-Key, if sent

def test_by_hand_without_a_key_repeats_are_stored_again(run):
    assert run.log({"a": 1})["row_first"] == 0
    assert run.log({"a": 1})["row_first"] == 1
    assert run.values("a") == [1, 1]


def test_by_hand_with_a_key(run):
    key = {"headers": {"Idempotency-Key": "k-1"}}
    first = run.log([{"a": 1}, {"a": 2}], **key)
    assert run.log([{"a": 1}, {"a": 2}], **key) == first == {"run": "r1", "row_first": 0, "rows": 2, "left_out": 0}
    run.api.refused(409, "conflict", "POST", f"{run.path}/history", [{"a": 3}], **key)
    assert run.values("a") == [1, 2]
    run.log([{"a": 1}, {"a": 2}], headers={"Idempotency-Key": "k-2"})
    assert run.values("a") == [1, 2, 1, 2]


# --- what is remembered is counted with the data

def test_watermarks(run, db, wait_for):
    w = run.join()
    for i in range(3):
        w.send(history=rows(i, i), events=[{"cpu": i}], console=[line(i, "x")],
               dropped={"history": 1, "events": 2, "console": 3})
        w.repeat()
    shown = run.writers()["w1"]
    assert (shown["batch"], shown["history_rows"], shown["event_rows"], shown["console_lines"]) == (3, 6, 3, 3)
    assert shown["dropped_rows"] == 18
    assert shown["last_step"] == 5
    w.finish()  # what ended is compacted at once, and then the rows have it too
    wait_for(lambda: db.value("select h.tail_rows from run_hot h join project p using (project_id) where p.name = %s",
                              run.get()["project"]) == 0)
    stored = db.query("select w.batch, w.history_rows, w.event_rows from run_writer w join run r using (run_id) "
                      "join project p using (project_id) where p.name = %s", run.get()["project"])
    assert stored == [(3, 6, 3)]
    totals = run.get()
    assert (totals["rows"], totals["event_rows"], totals["last_step"]) == (6, 3, 5)


# --- what a batch may not be

@pytest.mark.parametrize("change, field", [
    ({"batch": 0}, "batch"), ({"batch": -1}, "batch"), ({"batch": 1.5}, "batch"),
    ({"batch": "1"}, "batch"), ({"batch": 2**63}, "batch"), ({"batch": None}, "batch"),
    ({"session": 0}, "session"), ({"session": "1"}, "session"), ({"session": 2**40}, "session"),
    ({"writer": 1}, "writer"), ({"writer": ""}, "writer"),
    ({"history": {}}, "history"), ({"history": [1]}, "history[0]"), ({"history": [[]]}, "history[0]"),
    ({"history": None}, "history"), ({"config": []}, "config"), ({"summary": 1}, "summary"),
    ({"console": [{}]}, "console[0]"), ({"dropped": 1}, "dropped"),
    ({"dropped": {"history": -1}}, "dropped.history"), ({"dropped": {"other": 1}}, "dropped.other"),
    ({"rows": []}, "rows"),
])
def test_batch_refuses(run, change, field):
    w = run.join()
    body = {"writer": "w1", "session": 1, "batch": 1, "history": rows(1)} | change
    problem = w.refused(400, "invalid", body)
    assert problem["field"].startswith(field)
    assert run.rows() == []
    w.send(history=rows(1))
    assert run.values("a") == [1]


@pytest.mark.parametrize("missing", ["writer", "session", "batch"])
def test_batch_needs(run, missing):
    w = run.join()
    body = {"writer": "w1", "session": 1, "batch": 1}
    del body[missing]
    assert w.refused(400, "invalid", body)["field"] == missing


def test_members_in_any_order(run):
    w = run.join()
    body = '{"history":[{"a":1}],"batch":1,"events":[{"b":2}],"session":1,"writer":"w1"}'
    assert w.raw(body)["rows"] == 1
    assert run.values("a") == [1]
