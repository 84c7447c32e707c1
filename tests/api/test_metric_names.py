"""Names of metrics: a project has room for so many, a run brings so many in an hour, and what no run has is deleted."""
import pytest

from runs import Run, compact, run_id
from server import Server, cairnd_run

HOUR = 3600


def names(db):
    return {name for name, in db.query("select name from project_key where unused_at is null")} - {"_timestamp"}


def marked(db):
    return {name for name, in db.query("select name from project_key where unused_at is not null")} - {"_timestamp"}


def number(db, name):
    return db.value("select key_id from project_key where name = %s", name)


def purge(api, db, run, wait_for):
    which = run_id(db, run)
    api.delete(run.path, purge="now")
    wait_for(lambda: not db.value("select count(*) from run_hot where run_id = %s", which))


@pytest.mark.own
def test_names_that_no_run_has_are_deleted(api, db, secret_file, wait_for, shift_clock):
    """Hours after the last run that had them is purged; what another run has in its chunks or its tail stays."""
    gone, kept, late = Run(api, "gone"), Run(api, "kept"), Run(api, "late")
    w = gone.join()
    w.send(history=[{"both": 1, "mine": 1, "tail": 1, "x" * 600: 1}], events=[{"cpu": 1, "gpu": 1}])
    w.finish()
    kept.join().send(history=[{"both": 2}, {"rewound": 1}], events=[{"cpu": 2}])
    compact(db, wait_for, kept)
    api.post(f"{kept.path}/rewind", {"step": 0})  # `rewound` lies in a branch that was left
    late.join().send(history=[{"tail": 2}])
    assert db.value("select tail_rows from run_hot where run_id = %s", run_id(db, late))
    old = number(db, "mine")
    purge(api, db, gone, wait_for)
    wait_for(lambda: len(marked(db)) == 3)
    assert names(db) == {"both", "tail", "rewound", "cpu"} and "mine" in marked(db)

    shift_clock(3 * HOUR + 60)
    wait_for(lambda: not marked(db))
    assert names(db) == {"both", "tail", "rewound", "cpu"}
    assert ": 0 faults" in cairnd_run(db.url, secret_file, "verify")
    assert db.value("select names_at is null from project")

    # The clock was shifted, so memory has the old number as yet: a flush notices, and the batch comes again.
    back = kept.join("again")
    back.refused(503, "busy", back.body(1, history=[{"both": 3, "mine": 3}]))
    back.send(history=[{"both": 3, "mine": 3}])
    assert number(db, "mine") > old
    assert kept.values("mine") == [3] and kept.sampled("mine", 1)[0]["buckets"][0]["mean"] == 3
    assert ": 0 faults" in cairnd_run(db.url, secret_file, "verify")


@pytest.mark.own
def test_a_name_that_is_used_again_stays(api, db, secret_file, wait_for, shift_clock):
    """By another server, which does not know it, and by this one, which numbers rows from memory."""
    one, other = Run(api, "one"), Run(api, "other")
    w = one.join()
    w.send(history=[{"a": 1, "b": 1, "c": 1}])
    w.finish()
    a, b = number(db, "a"), number(db, "b")
    purge(api, db, one, wait_for)
    wait_for(lambda: marked(db) == {"a", "b", "c"})
    with Server(db.url, secret_file) as second:
        Run(api.at(second), "other").log([{"a": 2}])
    assert marked(db) == {"b", "c"} and number(db, "a") == a
    other.log([{"b": 2}])
    assert marked(db) == {"b", "c"} and other.values("b") == [2]
    shift_clock(3 * HOUR + 60)
    wait_for(lambda: not marked(db))
    assert names(db) == {"a", "b"} and number(db, "b") == b
    assert [row.get("b") for row in other.rows()] == [None, 2]
    assert ": 0 faults" in cairnd_run(db.url, secret_file, "verify")


@pytest.mark.own
def test_names_of_a_run_that_was_moved_are_deleted(api, db, wait_for, shift_clock):
    run = Run(api, "r1")
    w = run.join()
    w.send(history=[{"moved": 1}])
    w.finish()
    compact(db, wait_for, run)
    source = db.value("select project_id from project")
    api.put("/api/v1/projects/ann/elsewhere", {})
    wait_for(lambda: api.request("POST", f"{run.path}/move", {"entity": "ann", "project": "elsewhere"}).status == 200)
    of = "select count(*) from project_key where name = 'moved' and project_id %s %%s and unused_at is %s null"
    wait_for(lambda: db.value(of % ("=", "not"), source))
    shift_clock(3 * HOUR + 60)
    wait_for(lambda: not db.value(of % ("=", "not"), source))
    assert db.value(of % ("<>", ""), source)


@pytest.mark.own
def test_new_names_of_a_run_in_an_hour(api, db, secret_file, shift_clock):
    with Server(db.url, secret_file, new_names_per_hour=3) as server:
        api = api.at(server)
        run = Run(api, "r1")
        w = run.join()
        assert w.send(history=[{"c": 1, "b": 1}])["left_out"] == 0  # and _timestamp
        answer = w.send(history=[{"c": 2, "d": 2}, {"e": 2}], events=[{"f": 2}])
        assert answer["left_out"] == 3 and {each["reason"] for each in answer["left_out_first"]} == {"run-new-names"}
        assert sorted(run.keys()) == ["b", "c"] and run.values("c") == [1, 2]
        assert [(each["kind"], each["name"], each["reason"]) for each in api.pages(f"{run.path}/left-out")] == [
            ("history", "e", "run-new-names"), ("history", "d", "run-new-names"), ("events", "f", "run-new-names")]
        other = Run(api, "r2").join()  # has an hour of its own, and names that are there cost nothing
        assert other.send(history=[{"b": 1, "c": 1, "x": 1, "y": 1, "z": 1}])["left_out"] == 0
        made = Run(api, "r3", make=False).log([{f"n{n}": 1 for n in range(5)}])  # rows that make their run, too
        assert made["left_out"] == 2
        shift_clock(HOUR + 1)
        assert w.send(history=[{"d": 3, "e": 3, "g": 3}])["left_out"] == 0
        assert w.send(history=[{"h": 3}])["left_out"] == 1
