"""Lists of keys in one parameter: all of them name a key with a comma or a backslash by one rule."""
import re

import pytest

from contract import Contract

NAMES = ("keys", "by", "of", "different", "group_by")  # parameters that name keys, and the order of runs
KEYS = ["loss, total", "a,b", ",", "back\\slash", "both\\,", "plain"]


def listed(key):
    """As docs/rest.md has it."""
    return re.sub(r"([\\,])", r"\\\1", key)


@pytest.fixture
def runs(api, home, wait_for):
    """Two runs with all the keys in history, summary and config; the second has the greater values."""
    for number, name in enumerate(("r1", "r2")):
        values = {key: number + i for i, key in enumerate(KEYS)}
        api.put(f"{home}/runs/{name}", {"config": values})
        api.post(f"{home}/runs/{name}/history", [{"_step": 0, **values}])
    wait_for(lambda: len(api.get(f"{home}/runs", filter="has:summary.plain has:config.plain")["items"]) == 2)
    return home


@pytest.mark.parametrize("key", KEYS)
def test_runs_by_a_key(api, runs, key):
    def ids(order):
        return [r["id"] for r in api.get(f"{runs}/runs", filter="has:config.plain", order=order)["items"]]

    for name in f"config.{listed(key)}", f"summary.{listed(key)}", f"max({listed(key)})":
        assert ids(f"state,{name}") == ["r1", "r2"], name
        assert ids(f"state,-{name},id") == ["r2", "r1"], name


@pytest.mark.parametrize("key", KEYS)
def test_values_and_groups(api, runs, key):
    name, at = f"config.{listed(key)}", KEYS.index(key)
    items = api.get(f"{runs}/runs", filter="has:config.plain", order="id", keys=f"id,{name}")["items"]
    assert [r["values"] for r in items] == [["r1", at], ["r2", at + 1]]
    assert api.get(f"{runs}/runs", group_by=name, group=f"number:{at}")["items"][0]["id"] == "r1"
    groups = api.get(f"{runs}/groups", by=name, of=f"id,{name}", different=f"id,{name}", filter="has:config.plain")
    assert sorted(g["value"] for g in groups["items"]) == [at, at + 1]
    assert groups["items"][0]["numbers"][1]["count"] == 1


@pytest.mark.parametrize("key", KEYS)
def test_series(api, runs, key):
    at = KEYS.index(key)
    asked = f"{listed(key)},plain" if key != "plain" else "plain"
    rows = api.request("GET", f"{runs}/runs/r1/history", query={"keys": asked, "format": "ndjson"}).body
    assert key in rows.decode().replace("\\\\", "\\")
    head = api.request("GET", f"{runs}/runs/r1/history", query={"keys": asked, "format": "csv"}).text.splitlines()[0]
    assert (f'"{key}"' if "," in key else key) in head
    assert api.get(f"{runs}/runs/r1/history", keys=asked, buckets=2)["series"][0]["key"] == key
    assert api.get(f"{runs}/metrics", ids="r1", keys=asked)["items"][0]["metrics"][0]["max"] == at
    best = api.get(f"{runs}/metrics/best", ids="r1", by=listed(key), of=asked)
    assert best["items"]


@pytest.mark.parametrize("query, field", [
    ({"keys": ",".join(f"config.k{i}" for i in range(65))}, "keys"), ({"keys": "config.a,,config.b"}, "keys"),
    ({"order": "id,,state"}, "order"), ({"order": "id,state,group,job_type,rows"}, "order"),
    ({"group_by": "config.a,config.b", "group": "none"}, "group_by"),
])
def test_what_is_no_list(api, run, home, query, field):
    assert api.refused(400, "invalid", "GET", f"{home}/runs", query=query)["field"] == field


def test_the_contract_tells_the_rule_by_the_same_words():
    rule = (r"In a key, a comma is written `\,`, and a backslash before a comma or another backslash is written `\\`.")
    named = [(path, parameter) for path, item in Contract().document["paths"].items()
             for parameter in item.get("get", {}).get("parameters", [])]
    of_keys = [(path, one) for path, one in named
               if one["name"] in NAMES or (one["name"] == "order" and path.endswith("/runs"))]
    assert {one["name"] for _, one in of_keys} == {*NAMES, "order"}
    assert [(path, one["name"]) for path, one in of_keys if rule not in " ".join(one["description"].split())] == []
