"""What metrics were at the best step of another: whose best, which value then, in chunks and in the tail."""
import statistics

import pytest

import shared_api
from rest import Api
from runs import Run, compact

api = shared_api.api
PROJECT = "/api/v1/projects/ann/bests"


def test_keys_that_come_seldom_and_often(api, db, wait_for):
    """Some in the same rows, others in rows of their own: what was known of each at the best step."""
    run = Run(api, "sparse", "/api/v1/projects/ann/sparse")
    every = {"a": 1, "b": 1, "c": 3, "d": 50, "e": 700, "f": 3, "late": 1}
    rows = [{"acc": -abs(n - 3333)} | {key: n + place for place, (key, k) in enumerate(every.items()) if n % k == 0
                                      and (key != "late" or n > 3333)} for n in range(4000)]
    writer = run.join()
    for first in range(0, 4000, 500):
        writer.send(history=rows[first:first + 500])
    known = [{"value": 3333 - 3333 % k + place, "step": 3333 - 3333 % k} for place, (key, k) in enumerate(every.items())][:-1]
    for _ in range(2):
        answer = api.get("/api/v1/projects/ann/sparse/metrics/best", ids="sparse", of=",".join(every), by="acc").json
        assert answer["items"][0]["values"] == [*known, None]
        compact(db, wait_for, run)


@pytest.fixture(scope="module")
def runs(api):
    """In rows of their own; in those of two writers; of many cells; without any; with definitions; what is no number."""
    made = {name: Run(api, name, PROJECT) for name in ("apart", "two", "tied", "long", "none", "least", "odd", "back")}
    made["apart"].join().send(history=[
        {"_step": 0, "loss": 5}, {"_step": 1, "acc": 0.5}, {"_step": 2, "loss": 4}, {"_step": 4, "acc": 0.9},
        {"_step": 5, "loss": 3}, {"_step": 6, "acc": 0.9}, {"_step": 7, "loss": 2}])
    one, other = made["two"].join("rank0"), made["two"].join("rank1", "worker")
    one.send(history=[{"_step": n, "acc": n % 7, "loss": n} for n in range(10)])
    other.send(history=[{"_step": n, "acc": n % 7, "loss": 100 + n} for n in range(10)])
    one, other = made["tied"].join("rank0"), made["tied"].join("rank1", "worker")
    one.send(history=[{"_step": n, "acc": int(n >= 8), "loss": n} for n in range(10)])
    other.send(history=[{"_step": n, "acc": int(n == 3), "loss": n} for n in range(10)])
    made["long"].join().send(history=[{"_step": n, "acc": -abs(n - 2222), "loss": n, **({"lr": n} if n % 1000 == 0 else {})}
                                      for n in range(5000)])
    made["none"].join().send(history=[{"loss": 1}])
    made["least"].join().send(history=[{"acc": 2, "loss": 1}, {"acc": 1, "loss": 2}, {"acc": 3, "loss": 3}],
                              config={"_wandb": {"m": [{"1": "acc", "7": [4], "8": 1}]}})
    made["odd"].join().send(history=[{"acc": float("nan"), "loss": 1}, {"acc": 1, "loss": float("nan")},
                                     {"acc": float("inf"), "loss": 3}])
    made["back"].join().send(history=[{"acc": n, "loss": n} for n in range(6)])
    return made


def ask(api, ids, of="loss", by="acc", **more):
    answer = api.get(f"{PROJECT}/metrics/best", ids=",".join(ids), of=of, by=by, **more).json
    assert [run["id"] for run in answer["items"]] == [name for name in ids if name != "nowhere"]
    return {run.pop("id"): run for run in answer["items"]}


def at(value, step):
    return {"value": value, "step": step}


def found(goal, best, *values):
    return {"goal": goal, "best": best, "values": list(values)}


GREATEST = {
    "apart": found("max", at(0.9, 4), at(4, 2)),  # of two that are alike the first; what was known before
    "two": found("max", at(6, 6), at(6, 6)),  # of the row itself, not of the other writer's
    "tied": found("max", at(1, 3), at(3, 3)),  # whose cell begins at the same step as the other's
    "long": found("max", at(0, 2222), at(2222, 2222)),
    "none": found("max", None, None),
    "least": found("min", at(1, 1), at(2, 1)),
    "odd": found("max", at(1, 1), at("NaN", 1)),
    "back": found("max", at(5, 5), at(5, 5)),
}


def test_the_best_of_each(api, runs, db, wait_for):
    """Before and after all of it is in chunks."""
    for _ in range(2):
        assert ask(api, [*runs, "nowhere"]) == GREATEST
        compact(db, wait_for, *runs.values())


def test_what_is_the_best(api, runs):
    least = ask(api, ["apart", "least", "long"], goal="min")
    assert least["apart"] == found("min", at(0.5, 1), at(5, 0))
    assert least["least"] == found("min", at(1, 1), at(2, 1))
    assert least["long"] == found("min", at(-2777, 4999), at(4999, 4999))
    assert ask(api, ["least"], goal="max")["least"] == found("max", at(3, 2), at(3, 2))


def test_goals_of_definitions(api):
    """Of names and patterns, as the SDK's wire has them too, with people's edits, beside whatever else is in a config."""
    place = "/api/v1/projects/ann/goals"
    least = [{"1": "acc", "8": 1}]
    configs = {"own": {"_wandb": {"m": least}, "_wandc": 1, "a": {"b": [1]}}, "wire": {"_wandb": {"value": {"m": [{"2": "ac*", "7": [1]}]}}},
               "none": {"_wandb": {"t": {"1": [5]}, "value": 7}, "m": least}, "plain": {"_wandb": 3}, "empty": {},
               "turned": {"_wandb": {"m": least}}, "gone": {"_wandb": {"m": least}}, "came": {"x": 1}}
    for name, config in configs.items():
        Run(api, name, place).join().send(config=config, history=[{"acc": n} for n in range(3)])
    for name, edit in (("turned", {"_wandb": {"m": [{"1": "acc", "8": 2}]}}), ("gone", {"_wandb": None, "y": 2}),
                       ("came", {"_wandb": {"m": least}})):
        api.patch(f"{place}/runs/{name}/config", edit)
    answer = api.get(f"{place}/metrics/best", ids=",".join(configs), of="acc", by="acc").json
    goals = {run["id"]: (run["goal"], run["best"]["value"]) for run in answer["items"]}
    assert goals == {name: ("min", 0) if name in ("own", "wire", "came") else ("max", 2) for name in configs}
    answer = api.get(f"{place}/metrics/best", ids="own,none", of="acc", by="acts").json
    assert [run["goal"] for run in answer["items"]] == ["max", "max"]


def test_definitions_that_are_much(api):
    """They are read a few runs at a time."""
    place = "/api/v1/projects/ann/much-defined"
    most = [{"1": f"{n}{'x' * 400}"} for n in range(2000)]
    for n in range(8):
        Run(api, f"r{n}", place).join().send(config={"_wandb": {"m": [*most, {"1": "acc", "8": 1 + n % 2}]}}, history=[{"acc": 1}])
    answer = api.get(f"{place}/metrics/best", ids=",".join(f"r{n}" for n in range(8)), of="acc", by="acc").json
    assert [run["goal"] for run in answer["items"]] == ["min", "max"] * 4


def test_several_keys(api, runs):
    assert ask(api, ["long"], "lr,loss,nope,acc,lr")["long"]["values"] == [
        at(2000, 2000), at(2222, 2222), None, at(0, 2222), at(2000, 2000)]
    assert ask(api, ["apart"], by="nope")["apart"] == found("max", None, None)
    assert ask(api, ["long"], "acc", "lr", goal="min")["long"] == found("min", at(0, 0), at(-2222, 0))


def test_of_the_branch_that_is_written_into(api, runs):
    runs["back"].api.post(f"{runs['back'].path}/rewind", {"step": 2})
    assert ask(api, ["back"])["back"] == found("max", at(2, 2), at(2, 2))


def test_not_read_twice(api, runs):
    query = {"ids": "two", "of": "loss", "by": "acc"}
    first = api.get(f"{PROJECT}/metrics/best", **query)
    again = api.request("GET", f"{PROJECT}/metrics/best", query=query, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("more,field", [
    ({"ids": None}, "ids"), ({"of": None}, "of"), ({"by": None}, "by"), ({"by": "a,b"}, "by"), ({"by": "_step"}, "by"),
    ({"of": "loss,_step"}, "of"), ({"goal": "best"}, "goal"), ({"ids": ",".join(f"r{n}" for n in range(51))}, "ids"),
    ({"of": ",".join(f"k{n}" for n in range(17))}, "of")])
def test_refused(api, runs, more, field):
    query = {"ids": "two", "of": "loss", "by": "acc", **more}
    answer = api.request("GET", f"{PROJECT}/metrics/best", query={k: v for k, v in query.items() if v is not None})
    assert (answer.status, answer.json["field"]) == (400, field)


def test_as_many_as_may_be(api, runs):
    answer = api.get(f"{PROJECT}/metrics/best", ids=",".join(["two", *(f"r{n}" for n in range(49))]),
                     of=",".join(f"k{n}" for n in range(16)), by="acc").json
    assert [len(run["values"]) for run in answer["items"]] == [16]


def test_of_others_nothing(api, keys, shared_place, wait_for):
    """A private run of a project that all may read."""
    place = "/api/v1/projects/ann/half-open-bests"
    for name, seen in ("open", "project"), ("hidden", "private"):
        api.put(f"{place}/runs/{name}", {"visibility": seen})
        Run(api, name, place, make=False).join().send(history=[{"loss": 1, "acc": 1}])
    api.patch(place, {"visibility": "public"})
    wait_for(lambda: api.get(f"{place}/runs", count="true").json["count"] == 2, what="runs that are found")
    stranger = Api(shared_place.server(0), keys["vic"])
    for who, seen in (api, ["open", "hidden"]), (stranger, ["open"]):
        answer = who.get(f"{place}/metrics/best", ids="open,hidden", of="loss", by="acc").json
        assert [run["id"] for run in answer["items"]] == seen
        assert together(who, place).json == {"runs": len(seen), "best": numbers(*[1] * len(seen)),
                                             "values": [numbers(*[1] * len(seen))]}
    stranger.close()


def together(who, place=PROJECT, **query):
    return who.request("GET", f"{place}/metrics/best/together", query={"of": "loss", "by": "acc", **query})


def numbers(*values):
    least, most = min(values, default=None), max(values, default=None)
    return {"count": len(values), **({"min": least, "max": most, "mean": pytest.approx(statistics.mean(values))} if values else {}),
            **({"std": pytest.approx(statistics.stdev(values))} if len(values) > 1 else {})}


def test_together(api, runs, wait_for):
    """Over the runs that are found what each of them has by itself; what is no finite number does not count."""
    wait_for(lambda: api.get(f"{PROJECT}/runs", count="true").json["count"] == len(runs))
    each = ask(api, [*runs])
    values = [one["values"][0]["value"] for name, one in each.items() if name not in ("none", "odd")]
    bests = [one["best"]["value"] for name, one in each.items() if name != "none"]
    assert together(api).json == {"runs": 8, "best": numbers(*bests), "values": [numbers(*values)]}
    assert together(api, filter="id:two,tied", of="loss,nope", goal="min").json == {
        "runs": 2, "best": numbers(0, 0), "values": [numbers(0, 0), numbers()]}
    assert together(api, filter="id:none").json == {"runs": 1, "best": numbers(), "values": [numbers()]}
    assert together(api, filter="id:two", by="nope").json == {"runs": 1, "best": numbers(), "values": [numbers()]}
    assert together(api, filter="id:nowhere").json == {"runs": 0, "best": numbers(), "values": [numbers()]}


def test_together_of_as_many_as_may_be(api, wait_for):
    """200 runs of a group, 16 metrics; one more of either is refused."""
    place = "/api/v1/projects/ann/many-bests"
    for n in range(201):
        api.put(f"{place}/runs/m{n}", {"config": {"half": "b" if n else "a"}})
    Run(api, "m1", place, make=False).join().send(history=[{"loss": 7, "acc": 1}])
    wait_for(lambda: api.get(f"{place}/runs", count="true", limit=1).json["count"] == 201)
    most = together(api, place, group_by="config.half", group="text:b", of="loss," + ",".join(f"k{n}" for n in range(15))).json
    assert (most["runs"], most["best"], most["values"]) == (200, numbers(1), [numbers(7), *[numbers()] * 15])
    for more, status, field in (({}, 422, "filter"), ({"of": ",".join(f"k{n}" for n in range(17))}, 400, "of"),
                                ({"by": "a,b"}, 400, "by"), ({"goal": "best"}, 400, "goal")):
        refused = together(api, place, **more)
        assert (refused.status, refused.json["field"]) == (status, field)
