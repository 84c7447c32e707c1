"""Lists: filter, order, pages."""
import json
import random
import threading

import pytest

from cluster import wait_until
from rest import Api
from runs import Run

PROJECT = "/api/v1/projects/ann/lists"
RUNS = f"{PROJECT}/runs"


@pytest.fixture(scope="module")
def twelve(shared_place, keys):
    """r00 … r11: lr i/100, loss 12-i, odd ones finished, every third tagged. Nobody changes them."""
    api = Api(shared_place.server(0), keys["ann"])
    for i in range(12):
        api.put(f"{RUNS}/r{i:02}", {"job_type": "train" if i % 2 else "eval", "config": {"lr": i / 100},
                                    "tags": ["third"] if i % 3 == 0 else [], "display_name": f"Run {i}"})
        w = Run(api, f"r{i:02}", PROJECT, make=False).join()
        w.send(history=[{"loss": 12 - i}] if i < 10 else [])
        if i % 2:
            w.finish(0)
    wait_until(lambda: [len(ids(api, asked)) for asked in ("has:config.lr", "state:finished", "has:summary.loss")] == [12, 6, 10])
    api.close()


def ids(api, filter=None, order=None, runs=RUNS, **query):
    query |= {k: v for k, v in (("filter", filter), ("order", order)) if v is not None}
    return [r["id"] for r in api.pages(runs, **query)]


def names(*numbers):
    return [f"r{i:02}" for i in numbers]


def test_newest_first(api, twelve):
    assert ids(api) == names(*reversed(range(12)))


@pytest.mark.parametrize("text, found", [
    ("state:finished", (1, 3, 5, 7, 9, 11)),
    ("job_type:eval", (0, 2, 4, 6, 8, 10)),
    ("config.lr<0.03", (0, 1, 2)),
    ("state:finished config.lr>=0.07", (7, 9, 11)),
    ("tags:third", (0, 3, 6, 9)),
    ("not tags:third state:running", (2, 4, 8, 10)),
    ("(id:r01 or id:r02)", (1, 2)),
    ("summary.loss<=4", (8, 9)),
    ("has:summary.loss", tuple(range(10))),
    ('{"state":"finished"}', (1, 3, 5, 7, 9, 11)),
    ('{"config.lr":{"$lt":0.03}}', (0, 1, 2)),
    ('{"$or":[{"id":"r01"},{"config.lr":{"$gte":0.11}}]}', (1, 11)),
    ('{"$and":[{"state":"running"},{"tags":"third"}]}', (0, 6)),
    ('{"id":{"$in":["r03","r04","none"]}}', (3, 4)),
    ('{"summary.loss":{"$exists":false}}', (10, 11)),
    ('{"display_name":{"$regex":"^Run 1[01]$"}}', (10, 11)),
    ("", tuple(range(12))),
    ("state:killed", ()),
])
def test_filter(api, twelve, text, found):
    assert sorted(ids(api, text)) == names(*found)


@pytest.mark.parametrize("order, expected", [
    ("created_at", tuple(range(12))),
    ("-config.lr", tuple(reversed(range(12)))),
    ("config.lr", tuple(range(12))),
    ("summary.loss", (9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 10, 11)),
    ("-summary.loss", (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)),
])
def test_order_with_missing_values_last(api, twelve, order, expected):
    got = ids(api, order=order)
    if order.endswith("summary.loss"):
        assert (got[:10], sorted(got[10:])) == (names(*expected[:10]), names(10, 11))
    else:
        assert got == names(*expected)


@pytest.mark.parametrize("limit", [1, 2, 5, 12, 1000])
@pytest.mark.parametrize("order", [None, "job_type", "-summary.loss", "id"])
def test_pages_are_the_whole(api, twelve, limit, order):
    assert ids(api, order=order, limit=limit) == ids(api, order=order)


@pytest.mark.parametrize("query, field", [
    ({"limit": 0}, "limit"), ({"limit": 1001}, "limit"), ({"limit": "ten"}, "limit"),
    ({"cursor": "garbage"}, "cursor"), ({"cursor": "AAAA"}, "cursor"),
    ({"order": "nothing"}, "order"), ({"order": "id,job_type,group,state,rows"}, "order"),
    ({"filter": "state:none"}, "filter"),
    ({"filter": "nokey:1"}, "filter"), ({"filter": "{"}, "filter"), ({"filter": '{"state":{"$foo":1}}'}, "filter"),
    ({"filter": "x" * 16385}, "filter"), ({"filter": '{"display_name":{"$regex":"("}}'}, "filter"),
    ({"page": 2}, "page"),
])
def test_lists_refuse(api, run, home, query, field):
    problem = api.refused(400, "invalid", "GET", f"{home}/runs", query=query)
    assert problem["field"].startswith(field)


def test_states_are_named(api, run, home):
    """All of them, where a filter asks for one that there is not."""
    problem = api.refused(400, "invalid", "GET", f"{home}/runs", query={"filter": "state:none"})
    assert problem["hint"] == ("states are running, finished, failed, crashed, killed, pending, preempting "
                               "and preempted")


def test_a_cursor_belongs_to_its_question(api, twelve):
    cursor = api.get(RUNS, limit=2, order="id")["next_cursor"]
    api.refused(400, "invalid", "GET", RUNS, query={"cursor": cursor, "order": "-id"})
    api.refused(400, "invalid", "GET", RUNS, query={"cursor": cursor, "order": "id", "filter": "state:running"})
    for i in range(22):  # the part of it that stands for the question
        other = cursor[:i] + ("A" if cursor[i] != "A" else "B") + cursor[i + 1:]
        api.refused(400, "invalid", "GET", RUNS, query={"cursor": other, "order": "id"})


@pytest.mark.parametrize("order", ["notes", "-notes"])
def test_order_by_long_texts(api, home, wait_for, order):
    """Too long for a cursor: pages go on all the same."""
    runs = f"{home}/runs"
    for i in range(6):
        api.put(f"{runs}/r{i}", {"notes": "x" * 20_000 + str(i // 2)} if i else {})
    wait_for(lambda: len(ids(api, "has:notes", runs=runs)) >= 5)
    whole = ids(api, order=order, runs=runs)
    assert len(whole) == 6
    assert ids(api, order=order, runs=runs, limit=1) == whole


NUMBERS = {"r0": "-Infinity", "r1": "-1.5e300", "r2": "-3", "r3": "9.36e-05", "r4": "0.0046", "r5": "1e300", "r6": "1.5e300",
           "r7": "Infinity"}
NO_NUMBERS = {"s0": '"Infinity stones"', "s1": '"A"', "s2": "null", "s3": "true", "s4": "NaN"}


@pytest.mark.parametrize("key", ["loss", "a/b c", "x.y"])
def test_what_is_no_number_is_last_both_ways(api, home, wait_for, key):
    """Numbers in order, the infinities their ends; NaN, texts and what is missing behind them, page by page."""
    runs = f"{home}/runs"
    for name, value in {**NUMBERS, **NO_NUMBERS}.items():
        api.put(f"{runs}/{name}")
        api.post(f"{runs}/{name}/history", f'[{{"{key}": {value}, "all": 1}}]'.encode())
    api.put(f"{runs}/t0")
    api.post(f"{runs}/t0/history", [{"all": 1}])
    wait_for(lambda: len(ids(api, "has:summary.all", runs=runs)) == 14)
    for order, numbers in ((f"summary.{key}", [*NUMBERS]), (f"-summary.{key}", [*reversed(NUMBERS)])):
        whole = ids(api, order=order, runs=runs)
        assert whole[:8] == numbers and sorted(whole[8:13]) == [*NO_NUMBERS] and whole[13:] == ["t0"]
        for limit in (1, 3, 13):
            assert ids(api, order=order, runs=runs, limit=limit) == whole
        assert [r["id"] for offset in range(14) for r in api.get(runs, order=order, limit=1, offset=offset)["items"]] == whole
        several = ids(api, order=f"state,{order},id", runs=runs)
        assert several[:8] == numbers and several[13:] == ["t0"]
        assert ids(api, order=f"state,{order},id", runs=runs, limit=2) == several


LONGEST = {
    "texts of four bytes a character": json.dumps("\U0001f41f" * 256),
    "texts that are cut": json.dumps("字" * 1000),
    "digits": "9" * 400,
    "small numbers": "-1." + "7" * 390 + "e-400",
}


@pytest.mark.parametrize("value", LONGEST.values(), ids=LONGEST)
@pytest.mark.parametrize("order", ["config.a,config.b,config.c,config.d", "-config.a,-config.b,-config.c,-config.d"])
def test_order_by_four_of_the_longest_values(api, home, wait_for, order, value):
    """A cursor has room for all of them, and the server goes on."""
    runs = f"{home}/runs"
    config = '{"config": {%s}}' % ", ".join(f'"{key}": {value}' for key in "abcd")
    for name in "r1", "r2", "r3":
        api.put(f"{runs}/{name}", config.encode())
    wait_for(lambda: len(ids(api, "has:config.d", runs=runs)) == 3)
    whole = ids(api, order=order, runs=runs)
    assert sorted(whole) == ["r1", "r2", "r3"]
    assert ids(api, order=order, runs=runs, limit=1) == whole


@pytest.mark.long
@pytest.mark.slow
def test_pages_while_runs_are_added(api, home, wait_for):
    """What was there when the first page was asked for comes once; nothing comes twice."""
    runs = f"{home}/runs"
    there = {f"old{i:03}" for i in range(60)}
    for name in there:
        api.put(f"{runs}/{name}", {"job_type": random.choice("abc")})
    wait_for(lambda: len(ids(api, "id:/^old/", runs=runs)) == 60)
    stop = threading.Event()

    def add():
        for i in range(1000):  # more would be added faster than pages reach their end
            if stop.is_set():
                return
            api.put(f"{runs}/new{i:04}", {"job_type": random.choice("abc")})

    adder = threading.Thread(target=add)
    adder.start()
    try:
        for order in (None, "created_at", "id", "-id", "job_type"):
            got = ids(api, order=order, limit=7, runs=runs)
            assert len(got) == len(set(got)), order
            assert there <= set(got), order
    finally:
        stop.set()
        adder.join()


@pytest.mark.own
def test_projects_and_entities(api, keys):
    for name in ("b", "a", "c"):
        api.put(f"/api/v1/projects/ann/{name}")
    assert [p["name"] for p in api.pages("/api/v1/projects/ann", limit=2)] == ["a", "b", "c"]
    bob = api.as_user(keys["bob"])
    bob.put("/api/v1/projects/lab/shared")
    bob.put("/api/v1/projects/bob/own")
    assert [(p["entity"], p["name"]) for p in bob.pages("/api/v1/projects", limit=1)] == [
        ("bob", "own"), ("lab", "shared")]
    assert [(e["name"], e["kind"], e["role"]) for e in bob.pages("/api/v1/entities", limit=1)] == [
        ("bob", "user", "admin"), ("lab", "team", "admin")]
    vic = api.as_user(keys["vic"])
    assert vic.get("/api/v1/entities/lab")["role"] == "viewer"
    vic.refused(403, "forbidden", "PUT", "/api/v1/projects/lab/more", {})
    api.refused(404, "not-found", "GET", "/api/v1/entities/lab")
    api.refused(404, "not-found", "GET", "/api/v1/projects/lab")


def test_states_and_writers_page_by_page(run):
    for i in range(7):
        run.join(f"c{i}", "worker")
        run.api.post(f"{run.path}/states", {"state": "killed" if i % 2 else "running", "reason": f"r{i}"})
    assert [s["number"] for s in run.api.pages(f"{run.path}/states", limit=2)] == list(
        range(1, len(run.states()) + 1))
    assert [w["number"] for w in run.api.pages(f"{run.path}/writers", limit=3)] == list(range(7))


def test_who_makes_a_run_finds_it(api, home):
    """Each begins when the one before was found, whatever passes of the job lie between."""
    for i in range(12):
        api.put(f"{home}/runs/soon{i}")
        wait_until(lambda: f"soon{i}" in ids(api, runs=f"{home}/runs"))
    assert ids(api, order="id", runs=f"{home}/runs") == sorted(f"soon{i}" for i in range(12))
