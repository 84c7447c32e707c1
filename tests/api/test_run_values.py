"""Lists of runs with what each has under keys: config, summary, and what is known of the run itself."""
import pytest

import shared_api
from runs import Run

api = shared_api.api
PROJECT = "/api/v1/projects/ann/values"
CONFIG = {"lr": 0.1, "opt": "adam", "on": True, "deep": {"layers": [64, 10]}, "none": None, "long": "y" * 300,
          "whole": 3, "a/b": "slash", "dotted.name": 5}
ASKED = {
    "config.lr": 0.1, "config.opt": "adam", "config.on": True, "config.deep.layers": "[64, 10]", "config.none": None,
    "config.long": "y" * 256, "config.whole": 3, "config.a/b": "slash", "config.dotted.name": 5, "config.missing": None,
    "summary.eval/loss": 0.25, "writers": 2, "state": "running", "group": None, "user": "ann", "config.deep": '{"layers": [64, 10]}',
}


@pytest.fixture(scope="module")
def runs(api):
    full = Run(api, "full", PROJECT)
    full.join("rank0").send(history=[{"eval/loss": 0.25}], config=CONFIG)
    full.join("rank1", "worker")
    Run(api, "empty", PROJECT)
    return full


def values_of(api, **query):
    return {run["id"]: run.get("values") for run in api.get(f"{PROJECT}/runs", **query).json["items"]}


def test_what_runs_have(api, runs, wait_for):
    asked = ",".join(ASKED)
    wait_for(lambda: values_of(api, keys=asked).get("full") == list(ASKED.values()), what="the run as it is now")
    wait_for(lambda: "empty" in values_of(api), what="the other run")
    empty = dict(zip(ASKED, values_of(api, keys=asked)["empty"]))
    assert (empty.pop("state"), empty.pop("user"), empty.pop("writers")) == ("running", "ann", 0)
    assert set(empty.values()) == {None}
    assert values_of(api)["full"] is None
    nulls = {run["id"]: run.get("nulls") for run in api.get(f"{PROJECT}/runs", keys=asked).json["items"]}
    assert nulls == {"full": [list(ASKED).index("config.none")], "empty": None}, "of what is not there nothing is told"
    assert all("nulls" not in run for run in api.get(f"{PROJECT}/runs").json["items"])
    one, = api.get(f"{PROJECT}/runs", ids="full", keys="config.none,config.lr,config.none,config.missing").json["items"]
    assert (one["values"], one["nulls"]) == ([None, 0.1, None, None], [0, 2])


@pytest.mark.parametrize("asked", ["nope", "-config.lr", "config.a,,config.b", ",".join(["config.k"] * 65)])
def test_keys_that_are_none(api, runs, asked):
    answer = api.request("GET", f"{PROJECT}/runs", query={"keys": asked})
    assert (answer.status, answer.json["field"]) == (400, "keys")


def test_as_many_keys_as_may_be(api, runs, wait_for):
    wait_for(lambda: "full" in values_of(api), what="the run")
    assert len(values_of(api, keys=",".join(["config.k"] * 64))["full"]) == 64
