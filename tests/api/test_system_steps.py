"""System metrics over steps: samples have times alone, and lie where the rows of the run say that it was then."""
import bisect
import random
from fractions import Fraction
from math import ceil, floor

import pytest

from runs import Run, compact

BEGAN = 1_700_000_000


@pytest.fixture
def project():
    return f"/api/v1/projects/ann/machines-{random.getrandbits(48):x}"


def micro(seconds):
    return round(seconds * 1e6)


def marks_of(rows):
    """(time, step): when the run came to each step for the first time, or further."""
    firsts = {}
    for row in rows:
        firsts[row["_step"]] = min(micro(row["_timestamp"]), firsts.get(row["_step"], 2**62))
    marks, reached = [], 2**62
    for step in sorted(firsts, reverse=True):
        reached = min(reached, firsts[step])
        marks.append((reached, step))
    latest = max(micro(row["_timestamp"]) for row in rows)
    return marks[::-1] + [(latest, max(firsts))]


def step_at(marks, time):
    """None: before the first row, or after the last one."""
    if not marks[0][0] <= time <= marks[-1][0]:
        return None
    after = bisect.bisect_right(marks, (time, 2**62))
    if after == len(marks):
        return marks[-1][1]
    (t0, s0), (t1, s1) = marks[after - 1], marks[after]
    return s0 + floor(Fraction((time - t0) * (s1 - s0), t1 - t0))


def chart(rows, samples, key, k, least=0, most=2**53):
    """(x_first, x_last, n, min, max) of each bucket that has something."""
    marks = marks_of(rows)
    there = [(step_at(marks, micro(one["_timestamp"])), one[key]) for one in samples]
    there = [(step, value) for step, value in there if step is not None and least <= step <= most]
    times = [min(max(micro(one["_timestamp"]), marks[0][0]), marks[-1][0]) for one in samples]
    start, end = max(least, step_at(marks, min(times))), min(most, step_at(marks, max(times)))
    found = {}
    for step, value in there:
        found.setdefault((step - start) * k // (end - start + 1), []).append((step, value))
    return [(min(bucket)[0], max(bucket)[0], len(bucket), min(v for _, v in bucket), max(v for _, v in bucket))
            for _, bucket in sorted(found.items())]


def seen(series):
    return [(b["x_first"], b["x_last"], b["n"], b["min"], b["max"]) for b in series["buckets"]]


def over_steps(run, buckets, **query):
    return run.api.get(f"{run.path}/events", keys="cpu", x="_step", buckets=buckets, **query).json["series"]


def ask(run, more=None, runs=("r1",), **body):
    """The panel's piece, and the others."""
    panel = {"keys": ["cpu"], "stream": "events", "x": "_step", "buckets": 10, **(more or {})}
    pieces = run.api.post(f"{run.path.rsplit('/runs/', 1)[0]}/series", {"runs": list(runs), "panels": [panel], **body}).json["pieces"]
    return pieces[0], pieces[1:-1]


def without(before, after, rows=True):
    return {"before": before, "after": after, "without_rows": not rows}


def every_second(count, **more):
    """A row and a sample each, of one time."""
    return {"history": [{"_step": s, "_timestamp": BEGAN + s, "loss": 1} for s in range(count)],
            "events": [{"_timestamp": BEGAN + at, "cpu": at} for at in range(count)], **more}


def uneven(seed, writers=2, rows=90):
    """Rows of each writer and its samples: pauses, jumps of steps, two rows at one time, a straggler; and samples of before and after."""
    chance = random.Random(seed)
    made = []
    for _ in range(writers):
        time, step, history = 0.0, chance.randrange(3), []
        for _ in range(rows):
            history.append({"_step": step, "_timestamp": BEGAN + time, "loss": step})
            time += chance.choice([0, 0.5, 1, 1.25, 40 if chance.random() < 0.1 else 2])
            step += chance.choice([1, 1, 1, 2, 17 if chance.random() < 0.1 else 0])
        events = [{"_timestamp": BEGAN - 20 + at + chance.random(), "cpu": chance.random()} for at in range(0, 40 + int(time), 3)]
        made.append((history, events))
    made[0][0].append({"_step": 5, "_timestamp": BEGAN + 300.0, "loss": 5})
    return made


def test_samples_lie_at_the_step_that_the_run_was_at(run, db, wait_for):
    """By the rows of all writers, whoever measured; and so after compaction, in ranges, and of one label."""
    made = uneven(1)
    for number, (history, events) in enumerate(made):
        writer = run.join(f"w{number}", "worker")
        writer.send(history=history[:50], events=events[:30])
        writer.send(history=history[50:], events=events[30:])
    rows = [row for history, _ in made for row in history]
    samples = sorted((one for _, events in made for one in events), key=lambda one: one["_timestamp"])

    def check(k):
        assert seen(over_steps(run, k)[0]) == chart(rows, samples, "cpu", k)
        for least, most in ((10, 60), (33, 33), (0, 2)):
            assert seen(over_steps(run, k, **{"from": least, "to": most})[0]) == chart(rows, samples, "cpu", k, least, most)
        assert seen(over_steps(run, k, label="w1")[0]) == chart(rows, made[1][1], "cpu", k)
        assert over_steps(run, k, **{"from": 10_000})[0]["buckets"] == []
    for k in (1, 7, 64, 2000):
        check(k)
    compact(db, wait_for, run)
    for k in (1, 7, 64, 2000):
        check(k)


def test_the_greatest_step_so_far_counts(run):
    """Rows that go back, as of a program that went on from an older checkpoint: the run was where it had been."""
    history = [{"_step": s, "_timestamp": BEGAN + s} for s in range(11)] + [{"_step": s, "_timestamp": BEGAN + s + 10} for s in range(5, 16)]
    run.join().send(history=[{**row, "loss": 1} for row in history], events=[{"_timestamp": BEGAN + at, "cpu": at} for at in range(26)])
    found = seen(over_steps(run, 100)[0])
    assert [(first, n) for first, _, n, _, _ in found] == [(s, 1) for s in range(10)] + [(10, 11)] + [(s, 1) for s in range(11, 16)]
    assert (found[10][3], found[10][4]) == (10, 20)


def test_a_rewound_run_has_the_steps_of_its_branch(run):
    """Between the last row that stayed and the first after it."""
    w = run.join()
    w.send(history=[{"_step": s, "_timestamp": BEGAN + s, "loss": 1} for s in range(11)], events=[{"_timestamp": BEGAN + at, "cpu": at} for at in range(41)])
    run.api.post(f"{run.path}/rewind", {"step": 3})
    w.join()
    w.send(history=[{"_step": s, "_timestamp": BEGAN + 20 + s, "loss": 1} for s in range(4, 21)])
    assert [b["n"] for b in over_steps(run, 100)[0]["buckets"]] == [1, 1, 1, 21] + [1] * 17


def test_what_has_no_step_is_told(run):
    """How long it lasts before the first row and after the last; of a run without rows all of it."""
    w = run.join()
    w.send(events=[{"_timestamp": BEGAN + at, "cpu": at} for at in range(0, 101, 10)])
    panel, pieces = ask(run)
    assert (panel["from"], panel["to"], panel["without_step"], pieces) == (None, None, without(100, 0, rows=False), [])
    assert over_steps(run, 10)[0]["buckets"] == []
    w.send(history=[{"_step": s, "_timestamp": BEGAN + 30.5 + s, "loss": 1} for s in range(31)])
    panel, pieces = ask(run)
    assert (panel["from"], panel["to"], panel["without_step"]) == (0, 30, without(30.5, 39.5))
    assert panel["times"] == pytest.approx([BEGAN + 30.5 + s for s in (0, 4, 7, 10, 13, 16, 19, 22, 25, 28, 30)], abs=1e-5)
    assert pieces[0]["columns"]["x_first"] == [9, 19, 29] and pieces[0]["columns"]["mean"] == [40, 50, 60]
    assert ask(run, {"from": 10, "to": 20})[0]["without_step"] == without(30.5, 39.5), "of all that there is"
    assert "without_step" not in ask(run, {"x": "_timestamp"})[0] and "without_step" not in ask(run, {"stream": "history"})[0]


def test_one_sample_of_a_run_without_rows_is_told(run):
    """It lasts for no time."""
    w = run.join()
    assert ask(run)[0]["without_step"] == without(0, 0)
    w.send(events=[{"_timestamp": BEGAN, "cpu": 1}])
    assert ask(run)[0]["without_step"] == without(0, 0, rows=False)
    w.send(history=[{"_step": 0, "_timestamp": BEGAN, "loss": 1}])
    assert ask(run)[0]["without_step"] == without(0, 0)


def test_a_range_ends_before_the_next_step(run):
    """At the run's end, too, where that is its last row."""
    one = every_second(100)
    run.join().send(**one)
    for least, most in ((97, 97), (97, 98), (98, 98), (90, 98), (97, 99), (99, 99), (97, 100), (97, 2**53)):
        query = {"from": least, "to": most}
        assert seen(over_steps(run, 3, **query)[0]) == chart(one["history"], one["events"], "cpu", 3, least, most), query


def test_runs_and_groups_share_a_grid_of_steps(api, project):
    """Each run with times of its own: fast, slow, and one without any row."""
    for name, pace in (("r1", 1), ("r2", 3), ("r3", 0)):
        run = Run(api, name, project)
        run.join().send(history=[{"_step": s, "_timestamp": BEGAN + pace * s, "loss": 1} for s in range(100 if pace else 0)],
                        events=[{"_timestamp": BEGAN + at, "cpu": pace} for at in range(300)])
    panel, pieces = ask(run, {"buckets": 20}, runs=["r1", "r2", "r3"], groups=[{"name": "all", "runs": ["r1", "r2", "r3"]}])
    assert (panel["from"], panel["to"], panel["without_step"]) == (0, 99, without(299, 200, rows=False))
    assert "times" not in panel and "times" in ask(run, runs=["r2"])[0]
    by_run = {p["run"]: p["columns"] for p in pieces if p["piece"] == "series"}
    assert {name: columns["n"] for name, columns in by_run.items()} == {"r1": [5] * 20, "r2": [15] * 19 + [13]}
    group = next(p for p in pieces if p["piece"] == "group")["columns"]
    assert group["mean"] == [2] * 20 and group["runs"] == [2] * 20 and group["x_first"] == list(range(0, 100, 5))


def test_each_run_lies_by_its_own_clock(api, project):
    """Whichever of its keys and writers has something in the range."""
    for name, pace in (("r1", 1), ("r2", 3)):
        run = Run(api, name, project)
        samples = [{"_timestamp": BEGAN + at, "cpu": at} for at in range(300)]
        run.join("w0").send(history=[{"_step": s, "_timestamp": BEGAN + pace * s, "loss": 1} for s in range(100)],
                            events=[{"_timestamp": BEGAN + at, "cpu": at, "aaa": 1} for at in range(50)])
        run.join("w1").send(events=samples[50:])
    panel = {"from": 80, "to": 99, "buckets": 5}
    alone, by_key, by_writer = (ask(run, {**panel, **more}, runs=["r1", "r2"])[1]
                                for more in ({}, {"keys": ["aaa", "cpu"]}, {"split": "writer"}))
    assert [(p["run"], p["columns"]["x_first"][0], p["columns"]["x_last"][-1], p["columns"]["first"][0], p["columns"]["last"][-1])
            for p in alone] == [("r1", 80, 99, 80, 99), ("r2", 80, 99, 240, 297)]
    for pieces in (by_key, by_writer):
        assert [p["columns"] for p in pieces if p["columns"]["at"]] == [p["columns"] for p in alone]


@pytest.mark.long
def test_more_runs_than_clocks_are_kept_of(api, project):
    """128 for a request; those of further runs are read for each of its panels."""
    for i in range(131):
        Run(api, f"r{i}", project).join().send(history=[{"_step": s, "_timestamp": BEGAN + (1 + i) * s, "loss": 1} for s in range(3)],
                                               events=[{"_timestamp": BEGAN + (1 + i) * s, "cpu": i} for s in range(3)])
    panel = {"keys": ["cpu"], "stream": "events", "x": "_step", "buckets": 10}
    pieces = api.post(f"{project}/series", {"runs": [f"r{i}" for i in range(131)], "panels": [panel] * 2}).json["pieces"]
    found = sorted((p["run"], p["panel"], p["columns"]["x_first"], p["columns"]["mean"]) for p in pieces if p["piece"] == "series")
    assert found == sorted((f"r{i}", panel, [0, 1, 2], [i] * 3) for i in range(131) for panel in (0, 1))


def test_rates_over_steps_are_a_second(run):
    """However fast the steps went: two a second, then none for a minute, then one in ten seconds."""
    steps = [0.5 * s for s in range(20)] + [70 + 10 * s for s in range(10)]
    run.join(host="n1").send(history=[{"_step": s, "_timestamp": BEGAN + at, "loss": 1} for s, at in enumerate(steps)],
                             events=[{"_timestamp": BEGAN + at, "cpu": 100 * at} for at in range(0, 160, 2)])
    panel, pieces = ask(run, {"rate": True, "split": "host", "buckets": 29})
    assert (panel["from"], panel["to"]) == (0, 28)
    assert pieces[0]["host"] == "n1" and pieces[0]["columns"]["mean"] == pytest.approx([100] * len(pieces[0]["columns"]["at"]))
    assert pieces[0]["columns"]["x_first"] == [4, 8, 12, 16, *range(19, 29)]


def test_steps_by_their_logarithm(run):
    run.join().send(history=[{"_step": s, "_timestamp": BEGAN + s, "loss": 1} for s in range(501)],
                    events=[{"_timestamp": BEGAN + at, "cpu": at} for at in range(501)])
    found = seen(over_steps(run, 3, scale="log")[0])
    assert [(first, last, n) for first, last, n, _, _ in found] == [(1, 7, 7), (8, 62, 55), (63, 500, 438)]


@pytest.mark.parametrize("first", [3, 10, 11, 100])
def test_a_range_by_its_logarithm_begins_with_its_first_step(run, first):
    """The logarithm of that step is a little more or less than it; and so are those where buckets begin."""
    run.join().send(**every_second(501))
    for k in (1, 3, 40):
        found = seen(over_steps(run, k, scale="log", **{"from": first, "to": first * 4})[0])
        assert (found[0][0], found[-1][1]) == (first, first * 4)
        assert [step for low, high, n, _, _ in found for step in range(low, low + n)] == list(range(first, first * 4 + 1))


@pytest.mark.long
def test_a_clock_of_many_rows_has_2048_marks(run):
    """Of up to so many steps each sample is where it was; of more it is off by no more than a mark's share of them."""
    chance = random.Random(3)
    time, rows = 0.0, []
    for step in range(6144):
        rows.append({"_step": step, "_timestamp": round(BEGAN + time, 3), "loss": 1})
        time += chance.choice([0.1, 0.2, 3])
    w = run.join()
    samples = [{"_timestamp": BEGAN + at, "cpu": at} for at in range(0, int(time), 5)]
    for at in range(0, len(rows), 1024):
        w.send(history=rows[at:at + 1024])
        if at == 1024:
            w.send(events=samples)
            assert seen(over_steps(run, 2048)[0]) == chart(rows[:2048], samples, "cpu", 2048)
    marks = marks_of(rows)
    for piece in over_steps(run, 20_000)[0]["buckets"]:
        exact = [step_at(marks, micro(BEGAN + piece[name])) for name in ("min", "max")]
        assert abs(piece["x_first"] - exact[0]) <= ceil(6144 / 2048) and abs(piece["x_last"] - exact[1]) <= ceil(6144 / 2048)


def test_steps_are_whole(run):
    run.join().send(history=[{"loss": 1}], events=[{"cpu": 1}])
    for query in ({"from": "0.5"}, {"to": "-1"}, {"scale": "cubic"}):
        run.api.refused(400, "invalid", "GET", f"{run.path}/events", query={"keys": "cpu", "x": "_step", **query})
    run.api.refused(400, "invalid", "GET", f"{run.path}/events", query={"keys": "cpu", "x": "_step", "format": "csv"})
