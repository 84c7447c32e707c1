"""Steps and run-global row numbers."""
import pytest


def steps(run):
    return [row["_step"] for row in run.rows()]


def test_assigned_from_zero(run):
    w = run.join()
    w.send(history=[{"a": 1}, {"a": 2}])
    assert w.send(history=[{"a": 3}])["step_next"] == 3
    assert steps(run) == [0, 1, 2]


def test_sent_ones_are_kept(run):
    w = run.join()
    w.send(history=[{"_step": 7, "a": 1}, {"_step": 9, "a": 2}])
    assert steps(run) == [7, 9]
    assert run.get()["last_step"] == 9


def test_mixed_max_plus_one(run):
    w = run.join()
    w.send(history=[{"a": 1}, {"_step": 10}, {"a": 2}, {"_step": 3}, {"a": 3}])
    assert steps(run) == [0, 10, 11, 3, 12]
    assert w.send(history=[{"a": 4}])["step_next"] == 14
    assert run.get()["last_step"] == 13


def test_backwards_is_kept(run):
    w = run.join()
    w.send(history=[{"_step": 5, "a": 1}, {"_step": 4, "a": 2}, {"_step": 4, "a": 3}])
    assert steps(run) == [5, 4, 4]
    assert run.values("a") == [1, 2, 3]


def test_limits(run):
    w = run.join()
    w.send(history=[{"_step": 0, "a": 1}, {"_step": 2**53, "a": 2}])
    assert steps(run) == [0, 2**53]
    assert run.get()["last_step"] == 2**53


@pytest.mark.parametrize("literal, step", [("5.0", 5), ("5e0", 5), ("50e-1", 5), ("1E3", 1000)])
def test_decided_by_value(run, literal, step):
    run.join().raw('{"writer":"w1","session":1,"batch":1,"history":[{"_step":%s,"a":1}]}' % literal)
    assert steps(run) == [step]


@pytest.mark.parametrize("literal, value", [
    ("-1", -1), ("1.5", 1.5), ('"7"', "7"), ("true", True), ("null", None), ("[1]", [1]),
    ("9007199254740993", 9007199254740993), ("1e300", 1e300), ("NaN", "NaN"), ("-Infinity", "-Infinity"),
])
def test_anything_else_is_kept_as_a_value(run, literal, value):
    run.join().raw('{"writer":"w1","session":1,"batch":1,"history":[{"a":0},{"_step":%s,"a":1}]}' % literal)
    row = run.rows()[1]
    assert row["_step"] == 1
    assert row["_step_sent"] == value
    assert row["a"] == 1


def test_two_writers_share_the_count(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(history=[{"a": 1}, {"a": 2}])
    two.send(history=[{"a": 3}])
    one.send(history=[{"_step": 100, "a": 4}])
    two.send(history=[{"a": 5}])
    assert steps(run) == [0, 1, 2, 100, 101]


def test_row_numbers_are_of_the_run(run):
    one, two = run.join("c1", label="one"), run.join("c2", "worker", label="two")
    told = [w.send(history=[{"a": 1}] * n)["row_first"] for w, n in ((one, 3), (two, 2), (one, 1), (two, 4))]
    assert told == [0, 3, 5, 6]
    got = run.rows()
    assert [r["_row"] for r in got] == list(range(10))
    assert [r["_label"] for r in got] == ["one"] * 3 + ["two"] * 2 + ["one"] + ["two"] * 4


def test_events_have_row_numbers_of_their_own(run):
    w = run.join()
    w.send(history=[{"a": 1}], events=[{"cpu": 1}, {"cpu": 2}])
    w.send(events=[{"cpu": 3}])
    assert [e["_row"] for e in run.events()] == [0, 1, 2]
    assert all("_step" not in e for e in run.events())


def test_timestamp_is_time_of_arrival_when_missing(run):
    w = run.join()
    w.send(history=[{"a": 1}, {"a": 2, "_timestamp": 1234.5}])
    first, second = run.rows()
    assert second["_timestamp"] == 1234.5
    heard = run.writers()["w1"]["heard_at"]
    from datetime import datetime
    assert abs(first["_timestamp"] - datetime.fromisoformat(heard).timestamp()) < 60


@pytest.mark.parametrize("stream", ["history", "events"])
@pytest.mark.parametrize("literal, value", [('"noon"', "noon"), ("-5", -5), ("NaN", "NaN"), ("null", None)])
def test_a_timestamp_that_is_none(run, stream, literal, value):
    run.join().raw('{"writer":"w1","session":1,"batch":1,"%s":[{"_timestamp":%s,"a":1}]}' % (stream, literal))
    row = (run.rows() if stream == "history" else run.events())[0]
    assert row["_timestamp_sent"] == value
    assert row["_timestamp"] > 1_700_000_000
