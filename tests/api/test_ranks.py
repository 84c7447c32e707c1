"""A key across the labels of a run, against sums made here."""
import math
import random
import statistics

import pytest


def ranks(run, **query):
    return run.api.get(f"{run.path}/ranks", **query).json


def expected(column):
    """What a column says of {label: value}."""
    values = list(column.values())
    middle = statistics.median(values)
    return {"mean": pytest.approx(statistics.fmean(values)), "min": min(values), "max": max(values),
            "median": pytest.approx(middle),
            "spread": pytest.approx(1.4826 * statistics.median(abs(v - middle) for v in values))}


def send_steps(run, count=5, steps=30, seed=3, **columns):
    """{step: {label: value}}; rank 3 is slow, rank 1 silent now and then."""
    rng = random.Random(seed)
    sent = {}
    for i in range(count):
        rows = []
        for step in range(steps):
            if i == 1 and step % 5 == 0:
                continue
            value = rng.uniform(1, 1.1) * (3 if i == 3 else 1)
            sent.setdefault(step, {})[f"rank{i}"] = value
            rows.append({"step_time": value, **{name: make(i, step) for name, make in columns.items()}})
        run.join(f"c{i}", "worker", label=f"rank{i}").send(history=rows)
    return sent


def check(answer, sent, count):
    assert [c["slowest"] for c in answer["columns"]] == [max(v, key=v.get) for _, v in sorted(sent.items())]
    for column, (_, values) in zip(answer["columns"], sorted(sent.items()), strict=True):
        assert {name: column[name] for name in ("mean", "min", "max", "median", "spread")} == expected(values)
        assert set(column["missing"]) == {f"rank{i}" for i in range(count)} - set(values)
    for row in answer["labels"]:
        assert row["values"] == [values.get(row["label"]) for _, values in sorted(sent.items())]


def test_steps_that_were_sent_join(run):
    sent = send_steps(run, _step=lambda i, step: step)
    answer = ranks(run, key="step_time")
    assert (answer["key"], answer["x"]) == ("step_time", "_step")
    assert [(c["x_first"], c["x_last"]) for c in answer["columns"]] == [(s, s) for s in range(30)]
    check(answer, sent, 5)
    assert [row["label"] for row in answer["labels"]] == [f"rank{i}" for i in range(5)]
    slow = {row["label"]: row["slow"] for row in answer["labels"]}
    assert slow["rank3"] == 1 and max(v for label, v in slow.items() if label != "rank3") < 0.5
    fast = ranks(run, key="step_time", slow="low")
    assert [c["slowest"] for c in fast["columns"]] == [min(v, key=v.get) for _, v in sorted(sent.items())]


def test_a_metric_joins_where_it_is_asked_for(run):
    """The rows have no steps; each writer's own count of them is a metric."""
    sent = send_steps(run, trainer_step=lambda i, step: step * 2)
    answer = ranks(run, key="step_time", x="trainer_step", columns=59)
    assert answer["x"] == "trainer_step"
    assert [c["x_first"] for c in answer["columns"]] == [2 * s for s in range(30)]
    check(answer, sent, 5)


def definition(*metrics):
    return {"_wandb": {"m": list(metrics)}}


@pytest.mark.parametrize("config", [
    definition({"1": "step_time", "4": "trainer_step"}),
    definition({"1": "step_time", "5": 2, "6": [3]}, {"1": "trainer_step"}),
    definition({"2": "step*", "4": "trainer_step"}),
    {"_wandb": {"value": definition({"1": "step_time", "4": "trainer_step"})["_wandb"]}},
], ids=["name", "number", "pattern", "wire"])
def test_the_step_metric_of_the_key_joins(run, config):
    run.join("main", "primary", label="main").send(config=config)
    sent = send_steps(run, trainer_step=lambda i, step: step * 2)
    answer = ranks(run, key="step_time", columns=59)
    assert answer["x"] == "trainer_step"
    assert [c["x_first"] for c in answer["columns"]] == [2 * s for s in range(30)]
    check(answer, sent, 5)
    assert ranks(run, key="step_time", x="_step")["x"] == "_step"


@pytest.mark.parametrize("wrap", [lambda m: {"m": m}, lambda m: {"value": {"m": m, "t": {"5": "0.28"}}}])
def test_workers_define_no_metrics(run, wrap):
    """Every process of the SDK sends a list of what it defined; that of a worker is empty."""
    defined = [{"1": "step_time", "4": "trainer_step"}]
    main = run.join("main", "primary", label="main")
    worker = run.join("w", "worker", label="worker")
    main.send(config={"_wandb": wrap(defined)})
    worker.send(config={"_wandb": wrap([]), "lr": 1})
    config = run.api.get(f"{run.path}/config").json
    assert config == {"_wandb": wrap(defined), "lr": 1}
    assert run.api.get(f"{run.path}/conflicts").json["items"] == []
    main.send(config={"_wandb": wrap([]), "lr": 1})
    assert "trainer_step" not in str(run.api.get(f"{run.path}/config").json)


def test_a_step_metric_that_nobody_sent_is_none(run):
    run.join("main", "primary", label="main").send(
        config=definition({"1": "step_time", "4": "nothing"}, {"1": "other", "4": "trainer_step"}))
    sent = send_steps(run, _step=lambda i, step: step, trainer_step=lambda i, step: step)
    answer = ranks(run, key="step_time")
    assert answer["x"] == "_step"
    check(answer, sent, 5)


def test_steps_join_however_late_the_second_rank_sends(run):
    """All rows of one rank first, in more rows than anybody looks at one by one."""
    for i in range(2):
        run.join(f"c{i}", "worker", label=f"rank{i}").send(history=[{"_step": s, "v": i} for s in range(5000)])
    answer = ranks(run, key="v", columns=5000)
    assert answer["x"] == "_step" and len(answer["columns"]) == 5000
    assert {tuple(c["missing"]) for c in answer["columns"]} == {()}


def test_steps_join_whoever_came_later(run):
    """Every tenth step; the second rank begins with a step that is above all before it."""
    first = run.join("c0", "worker", label="rank0")
    second = run.join("c1", "worker", label="rank1")
    for step in range(0, 400, 10):
        first.send_patiently(history=[{"_step": step, "v": 1}])
        if step >= 200:
            second.send_patiently(history=[{"_step": step + 5 if step == 200 else step, "v": 2}])
    assert ranks(run, key="v")["x"] == "_step"


def test_who_is_alone_is_not_compared(run):
    """rank1 ends early, rank0 goes on alone: its share is of the steps that both have."""
    alone, other = (run.join(f"w{at}", label=f"rank{at}") for at in range(2))
    steps = [{"_step": step, "t": 1 + step % 2} for step in range(20)]
    alone.send(history=[{**row, "t": row["t"] * 2} for row in steps])
    other.send(history=steps[:4])
    rows = {row["label"]: row for row in ranks(run, key="t", columns=100)["labels"]}
    assert sum(value is not None for value in rows["rank0"]["values"]) == 20
    assert (round(rows["rank0"]["far"], 3), round(rows["rank1"]["far"], 3)) == (0.674, -0.674)  # half a distance, 1.4826 times
    lonely = run.join("w3", label="rank2")
    lonely.send(history=[{"_step": step, "own": 1} for step in range(3)])
    row = ranks(run, key="own", columns=100)["labels"][0]
    assert (row["far"], row["slow"], row["mean"]) == (0, 0, 1)


def test_a_label_silent_in_the_range_is_missing_there(run):
    run.join("a", "worker", label="rank0").send(history=[{"_step": s, "v": 1} for s in range(10)])
    run.join("b", "worker", label="rank1").send(history=[{"_step": s, "v": 2} for s in range(5)])
    answer = ranks(run, key="v", **{"from": 6, "to": 9})
    assert [c["missing"] for c in answer["columns"]] == [["rank1"]] * 4
    assert [(row["label"], row["values"], row["mean"]) for row in answer["labels"]] == [
        ("rank0", [1] * 4, 1), ("rank1", [None] * 4, None)]
    nothing = ranks(run, key="v", **{"from": 100})
    assert nothing["columns"] == [] and [row["label"] for row in nothing["labels"]] == ["rank0", "rank1"]


def test_time_joins_else(run):
    sent = send_steps(run, _timestamp=lambda i, step: 1_700_000_000 + step + i * 0.01)
    answer = ranks(run, key="step_time", columns=29)
    assert answer["x"] == "_timestamp" and len(answer["columns"]) <= 29
    assert sum(1 for row in answer["labels"] for v in row["values"] if v is not None) >= 5 * 20
    assert {c["slowest"] for c in answer["columns"]} == {"rank3"}
    assert statistics.fmean(row["mean"] for row in answer["labels"] if row["label"] == "rank3") > 2.9
    assert math.isclose(min(v for c in sent.values() for v in c.values()), min(c["min"] for c in answer["columns"]),
                        rel_tol=0.1)


def test_a_range_and_nothing(run):
    sent = send_steps(run, _step=lambda i, step: step)
    answer = ranks(run, key="step_time", **{"from": 10, "to": 19})
    check(answer, {s: v for s, v in sent.items() if 10 <= s <= 19}, 5)
    assert ranks(run, key="nothing") == {"key": "nothing", "x": "_step", "columns": [], "labels": []}


def test_writers_of_one_label_are_one_row(run):
    run.join("a", "worker", label="rank0").send(history=[{"_step": s, "v": 1} for s in range(4)])
    run.join("b", "worker", label="rank0").send(history=[{"_step": s, "v": 4} for s in range(2, 6)])
    answer = ranks(run, key="v")
    assert [row["values"] for row in answer["labels"]] == [[1, 1, 2.5, 2.5, 4, 4]]


@pytest.mark.parametrize("query", [{}, {"key": ""}, {"key": "v", "slow": "no"}, {"key": "v", "columns": 0},
                                   {"key": "v", "x": "_step", "from": 0.5}, {"key": "v", "colour": 1}])
def test_refused(run, query):
    run.join().send(history=[{"v": 1}])
    run.api.refused(400, "invalid", "GET", f"{run.path}/ranks", query=query)
