"""A byte that changed in the database: an error and the server's log say so; no answer has wrong numbers, no
other run feels it, and when the byte is back so are the answers."""
import http.client
import math

import pytest

import runs
from runs import turn_ring

QUESTIONS = [("history", {"keys": "v", "buckets": k}) for k in (1, 5, 1000)]
QUESTIONS += [("history", {"keys": "t", "buckets": 5}), ("events", {"keys": "cpu", "buckets": 5})]
QUESTIONS += [(stream, {"format": f}) for stream in ("history", "events") for f in ("ndjson", "csv")]
QUESTIONS += [("console", {}), ("console", {"tail": 3}), ("keys", {}), ("keys", {"stream": "events"}), ("summary", {})]


def ask(run, noun, query):
    """The body, or None where the answer is a failure or breaks off."""
    try:
        answer = run.api.request("GET", f"{run.path}/{noun}", query=query, check=False)
    except (http.client.HTTPException, ConnectionError):
        return None
    assert answer.status == 200 or (answer.status, answer.problem) == (500, "internal"), answer
    return answer.body if answer.status == 200 else None


def ask_all(run):
    return [ask(run, *question) for question in QUESTIONS]


def fill(writer):
    for b in range(3):
        writer.send(history=[{"v": math.sin(b * 600 + i), "t": f"text {i % 7}"} for i in range(600)],
                    events=[{"cpu": i, "_timestamp": 1000.0 * b + i} for i in range(50)],
                    console=[{"line": 50 * b + i, "time": 1.0, "text": f"line {i}"} for i in range(50)])


def rows_with_bytes(db, run_id, compacted):
    """(table, column, place) of all that is stored in a form of ours."""
    columns = [("tail", "data")]
    if compacted:
        columns = [("chunk", "data"), ("chunk", "roll"), ("console_chunk", "data"), ("run_keys", "document")]
    for table, column in columns:
        for (ctid,) in db.query(f"select ctid::text from {table} where run_id = %s and {column} is not null", run_id):
            yield table, column, ctid


def flip(db, run_id, table, column, ctid):
    """The row moves when it is written: its new place."""
    return db.value(f"update {table} set {column} = set_byte({column}, length({column}) / 2,"
                    f" get_byte({column}, length({column}) / 2) # 16)"
                    f" where run_id = %s and ctid = %s::tid returning ctid::text", run_id, ctid)


def compacted_all(db, run_id):
    return lambda: db.value("select tail_rows from run_hot where run_id = %s", run_id) == 0


@pytest.mark.slow
@pytest.mark.parametrize("compacted", [pytest.param(False, id="tail", marks=pytest.mark.long), pytest.param(True, id="chunks")])
def test_a_byte_that_changed(run, api, home, db, wait_for, compacted):
    other = type(run)(api, "other", home)
    api.patch(home, {"crash_after_s": 604800})
    fill(run.join())
    other.join().send(history=[{"v": 1}])
    run_id = runs.run_id(db, run)
    if compacted:
        turn_ring(db, wait_for)
        wait_for(compacted_all(db, run_id), what="compaction")
    good = ask_all(run)
    assert None not in good
    felt = {}
    for place in rows_with_bytes(db, run_id, compacted):
        table, column, ctid = place
        ctid = flip(db, run_id, table, column, ctid)
        answers = ask_all(run)
        wrong = [(q, a) for q, a, g in zip(QUESTIONS, answers, good) if a is not None and a != g]
        assert not wrong, place
        # sums of what only has points in the charts that are asked for are not read
        assert None in answers or column == "roll", place
        felt[column] = felt.get(column, 0) + answers.count(None)
        assert len(other.rows()) == 1
        flip(db, run_id, table, column, ctid)
    assert all(felt.values())
    assert ask_all(run) == good
    assert len(run.rows()) == 1800


@pytest.mark.slow
def test_compaction_passes_over_a_damaged_run(run, api, home, db, server, wait_for):
    other = type(run)(api, "other", home)
    api.patch(home, {"crash_after_s": 604800})
    fill(run.join())
    fill(other.join())
    good = ask_all(run)
    run_id = runs.run_id(db, run)
    ctid = db.value("select ctid::text from tail where run_id = %s and kind = 1 order by seq limit 1", run_id)
    ctid = flip(db, run_id, "tail", "data", ctid)
    turn_ring(db, wait_for)
    wait_for(compacted_all(db, runs.run_id(db, other)), what="compaction of the other")
    wait_for(lambda: f'run_id={run_id} again_in_s=10 error="a stored block is damaged' in server.log(), what="its name")
    assert not compacted_all(db, run_id)()
    flip(db, run_id, "tail", "data", ctid)
    turn_ring(db, wait_for)
    wait_for(compacted_all(db, run_id), what="compaction")
    assert ask_all(run) == good
