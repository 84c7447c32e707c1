"""Charts: any x axis, compared with buckets made here of what was sent."""
import math
import random

import pytest


class Sent:
    """What writers sent, row by row, and what charts of it must say."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.rows = []

    def row(self, step, label):
        r = self.random
        row = {"_step": step, "_timestamp": 1_700_000_000 + step * 0.5 + r.random() * 0.1, "epoch": step / 100,
               "loss": r.choice((r.gauss(1, 3), r.gauss(1, 3), float("nan"), float("inf"), 10 ** r.uniform(-3, 3)))}
        if step % 7 == 0:
            row["eval"] = r.random()
        if step % 3:
            row["lr"] = 10 ** -(step / 300)
        self.rows.append({**row, "_label": label})
        return row

    def fill(self, run, writers=2, batches=6, size=50):
        joined = [run.join(f"w{i}", "worker") for i in range(writers)]
        for batch in range(batches):
            for w in joined:
                w.send(history=[self.row(batch * size + i, w.label) for i in range(size)])
        return self

    def places(self, x):
        zero = min(row["_timestamp"] for row in self.rows)
        for row in self.rows:
            if x == "_relative":
                yield row, round(row["_timestamp"] * 1e6) / 1e6 - round(zero * 1e6) / 1e6
            elif x in row and not math.isnan(row[x]):
                yield row, row[x]

    def buckets(self, key, x, k, scale="linear", start=-math.inf, end=math.inf):
        """index of a bucket -> its values in the order of rows, and its places."""
        there = [place for row, place in self.places(x) if (key in row or x != "_step") and math.isfinite(place)]
        found = [(place, row[key]) for row, place in self.places(x) if key in row and start <= place <= end]
        at = math.log if scale == "log" else float
        least, most = at(max(start, min(there))), at(min(end, max(there)))
        result = {}
        for place, value in found:
            if x == "_step":
                number = (place - least) * k // (most - least + 1)
            elif most == least:
                number = 0
            else:
                number = (at(place) - least) / (most - least) * k
            result.setdefault(min(int(number), k - 1), []).append((place, value))
        return result


def named(value):
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def expected(bucket):
    places, values = [p for p, _ in bucket], [v for _, v in bucket]
    finite = [v for v in values if math.isfinite(v)]
    return {"x_first": pytest.approx(min(places), abs=2e-6, rel=1e-12),
            "x_last": pytest.approx(max(places), abs=2e-6, rel=1e-12),
            "first": named(values[0]), "last": named(values[-1]),
            "min": min(finite, default=None), "max": max(finite, default=None),
            "mean": pytest.approx(math.fsum(finite) / len(finite), rel=1e-9, abs=1e-9) if finite else None,
            "n": len(finite), "nan": sum(map(math.isnan, values)), "pinf": values.count(math.inf), "ninf": 0}


def compare(series, sent, key, x, k, **range_):
    made = [expected(bucket) for _, bucket in sorted(sent.buckets(key, x, k, **range_).items())]
    assert series["buckets"] == made


@pytest.mark.parametrize("k", [1, 7, 64])
@pytest.mark.parametrize("x, scale", [("_step", "linear"), ("epoch", "linear"), ("lr", "linear"), ("lr", "log"),
                                      ("eval", "linear")])
def test_any_axis(run, x, scale, k):
    sent = Sent(k).fill(run)
    for key in ("loss", "eval"):
        query = {"x": x} if scale == "linear" else {"x": x, "scale": scale}
        compare(run.sampled(key, k, **query)[0], sent, key, x, k, scale=scale)


@pytest.mark.parametrize("k", [1, 7, 64])
def test_steps_by_their_logarithm(run, k):
    """From step 1 on, which is where a logarithm begins; a range of them, and a run that has none above 0."""
    sent = Sent(k).fill(run)
    sent.rows = [row for row in sent.rows if row["_step"] > 0]
    for start, end in ((-math.inf, math.inf), (10, 200)):
        range_ = {} if math.isinf(start) else {"from": start, "to": end}
        series = run.sampled("loss", k, scale="log", **range_)[0]["buckets"]
        least, most = max(start, 1), min(end, max(row["_step"] for row in sent.rows))
        made = {}
        for row in sent.rows:
            if least <= row["_step"] <= most:
                at = math.log(row["_step"] / least) / math.log(most / least) * k
                made.setdefault(min(int(at + 1e-12), k - 1), []).append((row["_step"], row["loss"]))
        assert series == [expected(bucket) for _, bucket in sorted(made.items())]
    run.join("late").send(history=[{"_step": 0, "alone": 1}])
    assert run.sampled("alone", k, scale="log")[0]["buckets"] == []


def test_spans_by_their_logarithm(run):
    """Many rows: also the first of them have places of their own, and compaction changes nothing."""
    w = run.join()
    for batch in range(6):
        w.send(history=[{"_step": s, "_timestamp": 1_700_000_000 + s, "a": s}
                        for s in range(batch * 5000, batch * 5000 + 5000)])
    before = {x: run.sampled("a", 64, x=x, scale="log")[0]["buckets"] for x in ("_step", "_relative", "_process")}
    for buckets in before.values():
        assert [b["x_first"] for b in buckets][:3] == pytest.approx([1, 2, 3])
        assert (sum(b["n"] for b in buckets), buckets[-1]["x_last"]) == (29_999, pytest.approx(29_999))
    w.finish()
    assert before == {x: run.sampled("a", 64, x=x, scale="log")[0]["buckets"] for x in before}


def test_time_of_each_process(run):
    """Each writer begins at zero, though one began an hour later."""
    for number in range(2):
        run.join(f"w{number}", "worker").send(history=[
            {"_step": s, "_timestamp": 1_700_000_000 + 3600 * number + s, "loss": number} for s in range(10)])
    for series in run.sampled("loss", 20, x="_process", split="writer"):
        assert [b["x_first"] for b in series["buckets"]] == pytest.approx(list(range(10)))
    whole = run.sampled("loss", 5, x="_process")[0]["buckets"]
    assert [(b["n"], b["mean"]) for b in whole] == [(4, 0.5)] * 5
    assert run.sampled("loss", 20, x="_relative")[0]["buckets"][-1]["x_last"] == pytest.approx(3609)


def test_a_host_whose_clock_is_at_1970(run):
    """Its rows begin at zero by themselves, and the others' are not 50 years later; alone it is as any other."""
    alone, *others = [run.join(name, "worker") for name in ("alone", "right", "late")]
    alone.send(history=[{"_step": s, "_timestamp": 12 + s, "loss": 1} for s in range(10)])
    assert [b["x_first"] for b in run.sampled("loss", 20, x="_relative")[0]["buckets"]] == pytest.approx(list(range(10)))
    for number, w in enumerate(others):
        w.send(history=[{"_step": s, "_timestamp": 1_700_000_000 + 5 * number + s, "loss": 2} for s in range(10)])
    for series in run.sampled("loss", 30, x="_relative", split="writer"):
        first = 5 if series["label"] == "late" else 0
        assert [b["x_first"] for b in series["buckets"]] == pytest.approx(list(range(first, first + 10)), abs=1e-3)
    assert run.sampled("loss", 30, x="_relative")[0]["buckets"][-1]["x_last"] == pytest.approx(14)


@pytest.mark.parametrize("x", ["_timestamp", "_relative"])
def test_times_as_axis(run, x):
    sent = Sent(5).fill(run)
    series = run.sampled("loss", 20, x=x)[0]["buckets"]
    found = sorted((place, row["loss"]) for row, place in sent.places(x))
    assert sum(b["n"] + b["nan"] + b["pinf"] for b in series) == len(found)
    for b in series:
        inside = [v for p, v in found if b["x_first"] - 2e-6 <= p <= b["x_last"] + 2e-6]
        assert (b["n"], b["nan"]) == (sum(map(math.isfinite, inside)), sum(map(math.isnan, inside)))
        assert b["max"] == max(v for v in inside if math.isfinite(v))
        assert b["x_last"] - b["x_first"] <= (found[-1][0] - found[0][0]) / 20 + 2e-6


def test_a_range_of_any_axis(run):
    sent = Sent(9).fill(run)
    compare(run.sampled("loss", 10, **{"from": 17, "to": 203})[0], sent, "loss", "_step", 10, start=17, end=203)
    compare(run.sampled("loss", 10, x="epoch", **{"from": 0.5, "to": 1.25})[0], sent, "loss", "epoch", 10,
            start=0.5, end=1.25)
    assert run.sampled("loss", 10, x="epoch", **{"from": 1000})[0]["buckets"] == []
    assert run.sampled("loss", 10, x="no such key")[0]["buckets"] == []
    per_writer = run.sampled("loss", 10, x="epoch", split="writer")
    assert [s["label"] for s in per_writer] == ["w0", "w1"]


def test_an_axis_of_a_compacted_run(run):
    """Many values: cells fill the buckets, also where the axis is in every row and the key is not."""
    w = run.join()
    for batch in range(6):
        w.send(history=[{"_step": s, "_timestamp": 1_700_000_000 + s, "a": s, **({"b": s} if s % 5 == 0 else {})}
                        for s in range(batch * 5000, batch * 5000 + 5000)])
    before = {(key, x): run.sampled(key, 8, x=x)[0]["buckets"] for key in "ab" for x in ("_step", "_relative", "a")}
    for (key, _), buckets in before.items():
        assert sum(b["n"] for b in buckets) == (30_000 if key == "a" else 6000)
        assert max(b["max"] for b in buckets) == (29_999 if key == "a" else 29_995)
    for key in "ab":
        assert [b["x_first"] for b in before[key, "_relative"]] == pytest.approx(
            [b["x_first"] for b in before[key, "_step"]], abs=256 if key == "b" else 1e-6)
    w.finish()
    assert before == {(key, x): run.sampled(key, 8, x=x)[0]["buckets"] for key, x in before}


@pytest.mark.parametrize("key,x", [("a", "_step"), ("a", "_relative"), ("a", "a"), ("shuffled", "shuffled")])
def test_a_narrow_range_of_many_rows(run, key, x):
    """Few buckets of few rows: neither none of them nor those beside them; and of a wide range none is missing."""
    w = run.join()
    for start in (0, 5000):
        w.send(history=[{"_step": s, "_timestamp": 1_700_000_000 + s, "a": s, "shuffled": s * 7919 % 10_000}
                        for s in range(start, start + 5000)])

    def asked():
        found = {(first, last): run.sampled(key, 1, x=x, **{"from": first, "to": last})[0]["buckets"]
                 for first, last in ((202, 202), (202, 600), (100, 9800))}
        for (first, last), [bucket] in list(found.items())[:2]:
            assert (bucket["x_first"], bucket["x_last"]) == (pytest.approx(first), pytest.approx(last))
            assert (bucket["n"], bucket["min"], bucket["max"]) == (last - first + 1, first, last)
        [wide] = found[100, 9800]
        assert wide["x_first"] <= 100 and wide["x_last"] >= 9800
        assert wide["n"] == wide["max"] - wide["min"] + 1 <= 9701 + 2 * 255
        return found

    before = asked()
    w.finish()
    assert asked() == before


@pytest.mark.parametrize("query", [
    {"x": ""}, {"x": "loss", "from": "nan"}, {"x": "_step", "from": 1.5}, {"x": "_timestamp", "from": -1},
    {"x": "_timestamp", "scale": "log"}, {"x": "loss", "scale": "cubic"}, {"x": "_relative", "to": "inf"},
])
def test_axes_refused(run, query):
    run.join().send(history=[{"loss": 1}])
    run.api.refused(400, "invalid", "GET", f"{run.path}/history", query={"keys": "loss", **query})


def test_steps_are_no_metric(run):
    """Who asks for them as one is told so; exact rows have them beside whatever else was asked for."""
    run.join().send(history=[{"loss": 1}])
    for query in ({"keys": "_step"}, {"keys": "loss,_step"}, {"keys": "_step", "format": "ndjson"}):
        run.api.refused(400, "invalid", "GET", f"{run.path}/history", query=query)
    assert [row["_step"] for row in run.rows(keys="loss,_step")] == [0]


def test_an_axis_is_for_charts(run):
    run.join().send(history=[{"loss": 1}])
    run.api.refused(400, "invalid", "GET", f"{run.path}/history", query={"format": "ndjson", "x": "loss"})
    run.api.refused(400, "invalid", "GET", f"{run.path}/events", query={"format": "ndjson", "x": "_step"})
