"""Limits of what the SDK's door lists, and of what it looks at for that, from both sides."""
import base64
import json

import pytest

PAGE = "edges { node { name } } pageInfo { hasNextPage endCursor }"
FILES = """insert into run_file (run_id, name, size_bytes, md5, content, user_id, client, updated_at)
    select run_id, 'f' || lpad(n::text, 4, '0'), 1, '', '', 0, '', now() from run, generate_series(1, 1001) n where name = 'r1'"""
PROJECTS = """insert into project (project_id, entity_id, name, description, visibility, crash_after_s, next_key, created_at,
        keep_finished_days, keep_failed_days, keep_crashed_days, keep_killed_days)
    select -n, entity_id, 'page-' || n, '', 1, 300, 1, now(), 0, 0, 0, 0 from entity, generate_series(1, 1001) n where name = 'ann'"""


@pytest.fixture
def process(wire):
    return wire.start("r1")


def of_project(wire, selection, **variables):
    """What of the project was asked for; or the error."""
    answer = wire.ask("query($p: String!, $e: String, $v: [String!]) { project(name: $p, entityName: $e) { %s } }" % selection,
                      p=wire.project, e=wire.entity, **variables)
    assert answer.status == 200, answer
    return answer.json["errors"][0]["message"] if "errors" in answer.json else answer.json["data"]["project"]


def of_run(wire, selection, **variables):
    found = of_project(wire, f'run(name: "r1") {{ it: {selection} }}', **variables)
    return found if isinstance(found, str) else found["run"]["it"]


def seen(page):
    return len(page["edges"]), page["pageInfo"]["hasNextPage"]


# --- pages

@pytest.mark.long
def test_runs_of_a_page(wire, api, db, wait_for):
    path = f"/api/v1/projects/{wire.entity}/{wire.project}/runs"
    found = "select count(*) from run_document join project using (project_id) where name = %s"

    def make(first, last):
        for n in range(first, last):
            api.put(f"{path}/r{n}", {})
        wait_for(lambda: db.value(found, wire.project) == last, what="all can be found")

    def page(first):
        return of_project(wire, f"runs(first: {first}) {{ {PAGE} }}")["runs"]
    make(0, 1000)
    wait_for(lambda: seen(page(1000)) == (1000, False))
    assert seen(page(5000)) == (1000, False)
    make(1000, 1001)
    wait_for(lambda: seen(page(1000)) == (1000, True))
    assert seen(page(1001)) == (1000, True)
    cursor = page(1000)["pageInfo"]["endCursor"]
    assert seen(of_project(wire, f'runs(first: 1000, after: "{cursor}") {{ {PAGE} }}')["runs"]) == (1, False)


@pytest.mark.parametrize("value", ["\U0001f41f" * 256, int("9" * 400)])
def test_order_by_four_of_the_longest_values(wire, api, wait_for, value):
    path = f"/api/v1/projects/{wire.entity}/{wire.project}/runs"
    for name in "r1", "r2":
        api.put(f"{path}/{name}", {"config": dict.fromkeys("abcd", value)})
    wait_for(lambda: len(api.get(path, filter="has:config.d")["items"]) == 2)
    asked = 'first: 1, order: "+config.a.value,+config.b.value,+config.c.value,+config.d.value"'
    first = of_project(wire, f"runs({asked}) {{ {PAGE} }}")["runs"]
    cursor = first["pageInfo"]["endCursor"]
    second = of_project(wire, f'runs({asked}, after: "{cursor}") {{ {PAGE} }}')["runs"]
    assert [page["edges"][0]["node"]["name"] for page in (first, second)] == ["r1", "r2"]
    assert seen(second) == (1, False)


def test_files_of_a_page(process, wire, db):
    db.query(FILES.replace("where name", f"where project_id = (select project_id from project where name = "
                                         f"'{wire.project}') and name"))
    for first in 1000, 1001:
        page = of_run(wire, f"files(first: {first}) {{ {PAGE} }}")
        assert seen(page) == (1000, True)
    cursor = page["pageInfo"]["endCursor"]
    assert seen(of_run(wire, f'files(first: 1000, after: "{cursor}") {{ {PAGE} }}')) == (1, False)


@pytest.mark.own
def test_projects_of_a_page(wire, db):
    wire.start("r1")
    db.query(PROJECTS)
    for first in 1000, 1001:
        page = wire.query(f'{{ models(first: {first}, entityName: "ann") {{ {PAGE} }} }}')["models"]
        assert seen(page) == (1000, True)
    cursor = page["pageInfo"]["endCursor"]
    assert seen(wire.query(f'{{ models(after: "{cursor}", entityName: "ann") {{ {PAGE} }} }}')["models"]) == (2, False)


# --- ids and cursors

def test_ids(process, wire):
    """16 KiB, in base64 that is."""
    ask = "mutation($i: String) { upsertBucket(input: {id: $i, displayName: \"x\"}) { bucket { name } } }"
    whole = base64.b64encode(f"Run:v1:r1:{wire.project}:{wire.entity}".encode()).decode()
    assert wire.query(ask, i=whole)["upsertBucket"]["bucket"]["name"] == "r1"
    for length, word in (12 << 10, "entity"), ((12 << 10) + 3, "the name or the id of a run is required"):
        text = f"Run:v1:r1:{wire.project}:".ljust(length, "x")
        answer = wire.ask(ask, i=base64.b64encode(text.encode()).decode())
        assert word in answer.json["errors"][0]["message"], answer


@pytest.mark.parametrize("size", [1000, 20_000])
def test_cursors_of_long_values(wire, wait_for, size):
    """What a list gives as a cursor it takes."""
    for n in range(3):
        wire.start(f"r{n}", config={"text": f"{n}" * size})
    wait_for(lambda: len(of_project(wire, f"runs {{ {PAGE} }}")["runs"]["edges"]) == 3)
    names, after = [], ""
    for _ in range(3):
        page = of_project(wire, f'runs(first: 1, order: "+config.text.value"{after}) {{ {PAGE} }}')["runs"]
        names += [edge["node"]["name"] for edge in page["edges"]]
        after = f', after: "{page["pageInfo"]["endCursor"]}"'
    assert names == ["r0", "r1", "r2"] and page["pageInfo"]["hasNextPage"] is False


# --- what is looked at

def test_kinds_of_many_rows(process, wire, db):
    """Values are looked at one by one up to 1,048,576 rows; then only numbers are counted apart."""
    process.history(*({"_step": n, "mixed": value} for n, value in enumerate([1, "a", True, "b"])))
    apart = {"number": 1, "string": 2, "bool": 1}
    for rows, expected in (1 << 20, apart), ((1 << 20) + 1, {"number": 1, "string": 3}):
        db.query("update run_hot set next_row = %s where run_id = (select r.run_id from run r join project p using "
                 "(project_id) where p.name = %s and r.name = 'r1')", rows, wire.project)
        (counts,) = (of_run(wire, "historyKeys")["keys"]["mixed"]["typeCounts"],)
        assert {each["type"]: each["count"] for each in counts} == expected


def test_shapes_of_many_processes(wire, read):
    """What was logged as an object is shown so, of the first 64 processes that say it; else by its dots."""
    for n in range(65):
        process = wire.start("r1", shared=True)
        process.history({"_timestamp": 1795000000 + n, f"k{n}.x": n})
        process.summary({f"k{n}": {"x": n}})
    summary = json.loads(of_run(wire, "summaryMetrics"))
    assert summary["k0"] == {"x": 0} and summary["k63"] == {"x": 63}
    assert summary["k64.x"] == 64 and "k64" not in summary


def test_keys_of_the_sdks_part_of_a_config(wire):
    """Each once, however often it is asked for."""
    wire.start("r1", config={"_wandb": {"t": {"1": 2}, "big": "x" * 1_000_000}})

    def told(*keys):
        found = of_run(wire, "wandbConfig(keys: $v)", v=keys)
        assert len(found) < 1_000_100
        return json.loads(found) if found.startswith("{") else found
    assert told("t", "none") == {"t": {"1": 2}} and told() == {}
    assert told(*["big"] * 1000) == {"big": "x" * 1_000_000}
    assert "at most 1000 names" in told(*["t"] * 1001)
    assert set(json.loads(of_run(wire, "wandbConfig"))) >= {"t", "big"}
