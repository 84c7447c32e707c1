"""What metrics were over histories of runs, run by run and of groups of them: from statistics, and from cells."""
import math

import pytest

import shared_api
from rest import Api
from runs import Run, compact

api = shared_api.api
PROJECT = "/api/v1/projects/ann/sums"
NONE = {"nan": 0, "pinf": 0, "ninf": 0}


@pytest.fixture(scope="module")
def runs(api):
    """Two writers; more than a cell; NaN, an infinity, a text, integers beyond doubles; nothing; sums that are no double."""
    made = {name: Run(api, name, PROJECT) for name in ("two", "long", "odd", "none", "large", "back")}
    one, other = made["two"].join("rank0"), made["two"].join("rank1", "worker")
    one.send(history=[{"loss": 5, "a,b": 1}, {"loss": 0.25}])
    other.send(history=[{"loss": 9.5}, {"loss": 2.25, "acc": 0.5}])
    made["long"].join().send(history=[{"loss": n, "acc": 1} for n in range(1000)])
    made["odd"].join().send(history=[
        {"loss": float("nan"), "acc": 1, "inf": float("inf"), "text": "a", "big": 1},
        {"loss": 4, "acc": "best", "inf": float("-inf"), "big": 2 ** 60 + 1}, {"loss": 2, "inf": 1}])
    made["none"].join()
    made["large"].join().send(history=[{"loss": 1.5e308}, {"loss": 1e308}, {"loss": -1.5e308}, {"acc": float("nan")}])
    made["back"].join().send(history=[{"loss": n} for n in (3, 1, 0.5, 7)])
    return made


def ask(api, ids, keys="loss", **more):
    answer = api.get(f"{PROJECT}/metrics", ids=",".join(ids), keys=keys, **more).json
    return {run["id"]: run["metrics"] for run in answer["items"]}


def of(values, **more):
    finite = [v for v in values if math.isfinite(v)]
    return {"last": values[-1], "min": min(finite), "max": max(finite), "mean": sum(finite) / len(finite), "n": len(finite),
            **NONE, **more}


def expected(runs):
    return {"two": [of([5, 0.25, 9.5, 2.25]), of([0.5])], "long": [of(range(1000)), of([1] * 1000)],
            "odd": [of([4, 2], nan=1), of([1])], "none": [None, None],
            "large": [of([1.5e308, 1e308, -1.5e308], mean=pytest.approx(1e308 / 3)),
                      {"last": "NaN", "min": None, "max": None, "mean": None, "n": 0, **NONE, "nan": 1}],
            "back": [of([3, 1, 0.5, 7]), None]}


def test_run_by_run(api, runs, db, wait_for):
    """Before and after all of it is in chunks; each run once, whatever was asked twice or is not there."""
    asked = [*runs, "two", "nowhere"]
    for _ in range(2):
        got = ask(api, asked, "loss,acc")
        for name, metrics in expected(runs).items():
            assert got[name] == metrics, name
        assert set(got) == set(runs)
        compact(db, wait_for, runs["two"], runs["odd"])


def test_what_else_there_is(api, runs):
    inf, text, big, none, comma = ask(api, ["odd"], r"inf,text,big,nope,a\,b")["odd"]
    assert inf == {"last": 1, "min": 1, "max": 1, "mean": 1, "n": 1, "nan": 0, "pinf": 1, "ninf": 1}
    assert (text, none, comma) == (None, None, None)
    assert big == of([1, float(2 ** 60)])
    assert ask(api, ["two"], r"a\,b,loss,loss")["two"] == [of([1]), *[of([5, 0.25, 9.5, 2.25])] * 2]


def test_what_was_rewound_does_not_count(api, runs):
    runs["back"].api.post(f"{runs['back'].path}/rewind", {"step": 1})
    assert ask(api, ["back"])["back"] == [of([3, 1])]


def test_not_read_twice(api, runs):
    first = api.get(f"{PROJECT}/metrics", ids="two", keys="loss")
    again = api.request("GET", f"{PROJECT}/metrics", query={"ids": "two", "keys": "loss"},
                        headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("query,status,field", [
    ({"keys": "loss"}, 400, "ids"), ({"ids": "two"}, 400, "keys"), ({"ids": "two", "keys": ""}, 400, "keys"),
    ({"ids": "two,", "keys": "loss"}, 400, "ids"), ({"ids": "two", "keys": "_step"}, 400, "keys"),
    ({"ids": ",".join(f"r{n}" for n in range(201)), "keys": "loss"}, 400, "ids"),
    ({"ids": "two", "keys": ",".join(f"k{n}" for n in range(65))}, 400, "keys")])
def test_refused(api, runs, query, status, field):
    answer = api.request("GET", f"{PROJECT}/metrics", query=query)
    assert (answer.status, answer.json["field"]) == (status, field)


def test_as_many_as_may_be(api, runs):
    ids = ["two", *(f"r{n}" for n in range(199))]
    assert len(ask(api, ids, ",".join(f"k{n}" for n in range(64)))["two"]) == 64


def test_of_others_nothing(api, runs, keys, shared_place, wait_for):
    """A private run of a project that all may read."""
    place = "/api/v1/projects/ann/half-open"
    for name, seen in ("open", "project"), ("hidden", "private"):
        api.put(f"{place}/runs/{name}", {"visibility": seen})
        Run(api, name, place, make=False).join().send(history=[{"loss": 1}])
    api.patch(place, {"visibility": "public"})
    stranger = Api(shared_place.server(0), keys["vic"])
    for who, seen in (api, {"open", "hidden"}), (stranger, {"open"}):
        answer = who.get(f"{place}/metrics", ids="open,hidden", keys="loss").json
        assert {run["id"] for run in answer["items"]} == seen
        wait_for(lambda: len(who.get(f"{place}/runs").json["items"]) == len(seen), what="as many runs as may be seen")
        assert together(who, place).json == {"runs": len(seen), "items": [
            {"key": "loss", **dict.fromkeys(("last", "min", "max", "mean"), numbers(*[1] * len(seen)))}]}
    stranger.close()


def test_as_many_cells_as_may_be(api):
    """4,000 metrics of runs that statistics do not tell of: 62 runs of 64 keys, and one more."""
    place, keys = "/api/v1/projects/ann/cells", [f"k{n}" for n in range(64)]
    names = [f"c{n}" for n in range(63)]
    for name in names:
        Run(api, name, place).join().send(history=[dict.fromkeys(keys, float("nan")), dict.fromkeys(keys, 1)])
    few = api.get(f"{place}/metrics", ids=",".join(names[:62]), keys=",".join(keys)).json["items"]
    assert len(few) == 62 and {metric["nan"] for run in few for metric in run["metrics"]} == {1}
    refused = api.request("GET", f"{place}/metrics", query={"ids": ",".join(names), "keys": ",".join(keys)})
    assert (refused.status, refused.json["field"]) == (422, "keys")


def make_runs(api, place, count):
    """Two groups of runs; three of them have numbers."""
    for n in range(count):
        api.put(f"{place}/runs/m{n}", {"config": {"half": "a" if n < 3 else "b"}, "tags": ["most"] if n else []})
    for n, values in enumerate([[1, 2], [3, float("nan"), 7], [float("nan")]]):
        Run(api, f"m{n}", place, make=False).join().send(history=[{"loss": v} for v in values])
    return place


def together(api, place, **query):
    return api.request("GET", f"{place}/metrics/together", query={"keys": "loss", **query})


def numbers(*values):
    mean = sum(values) / len(values)
    square = sum((v - mean) ** 2 for v in values)
    return {"count": len(values), "min": min(values), "max": max(values), "mean": mean,
            **({"std": pytest.approx(math.sqrt(square / (len(values) - 1)))} if len(values) > 1 else {})}


def test_together(api, wait_for):
    """What is no finite number does not count."""
    place = make_runs(api, "/api/v1/projects/ann/few", 5)
    wait_for(lambda: api.get(f"{place}/runs", count="true", limit=1).json["count"] == 5)
    got = together(api, place, group_by="config.half", group="text:a").json
    assert got == {"runs": 3, "items": [{"key": "loss", "last": numbers(2, 7), "min": numbers(1, 3), "max": numbers(2, 7),
                                         "mean": numbers(1.5, 5)}]}
    assert together(api, place, filter="id:m0", keys="nope").json["items"][0] == {"key": "nope", **dict.fromkeys(
        ("last", "min", "max", "mean"), {"count": 0})}


@pytest.mark.long
def test_as_many_together_as_may_be(api, wait_for):
    """1,000 runs, and one more."""
    many = make_runs(api, "/api/v1/projects/ann/many", 1001)
    wait_for(lambda: api.get(f"{many}/runs", count="true", limit=1).json["count"] == 1001)
    most = together(api, many, filter="tags:most").json
    assert (most["runs"], most["items"][0]["last"]) == (1000, numbers(7))
    refused = together(api, many)
    assert (refused.status, refused.json["field"]) == (422, "filter")


def test_together_of_large_numbers(api, runs, wait_for):
    wait_for(lambda: "large" in {run["id"] for run in api.get(f"{PROJECT}/runs").json["items"]})
    got = together(api, PROJECT, filter="id:large,long").json["items"][0]["max"]
    assert got == {"count": 2, "min": 999, "max": 1.5e308, "mean": 0.75e308}
