"""Lists, groups, counts and fields have what was acknowledged before they were asked, whichever server took it.

The job that writes searched documents is kept busy with runs that are locked: what is listed was brought in by who asked.
"""
import concurrent.futures
import functools
import itertools
import time

import pytest

from conftest import Place
from rest import Api
from runs import Run

LONG = {"search_fold_ms": 60000}
KINDS = {"columns": LONG, "sql": {**LONG, "search_memory": 0}, "few": {**LONG, "search_fold_runs": 3},
         "never": {"search_fold_ms": 0}, "short": {"search_fold_ms": 300}}
LOCKED = 60  # each holds up a pass of the job for half a second
_numbers = itertools.count()


class Kinds(Place):
    def new_server(self):
        self.settings = list(KINDS.values())[len(self.servers)]
        return super().new_server()


@pytest.fixture(scope="module")
def place_kind():
    return Kinds


@pytest.fixture(scope="module")
def asks(shared_place, keys):
    """One Api for each kind, as ann."""
    made = {kind: Api(shared_place.server(i), keys["ann"]) for i, kind in enumerate(KINDS)}
    yield made
    for api in made.values():
        api.close()


@pytest.fixture(scope="module", autouse=True)
def busy_job(asks, shared_place):
    """Runs of another project, made before all others, that the job looks at in each pass and cannot write."""
    home = "/api/v1/projects/ann/locked"
    asks["columns"].put(home, {})
    for i in range(LOCKED):
        asks["columns"].put(f"{home}/runs/l{i}", {})
    where = "project_id = (select project_id from project where name = 'locked')"
    with shared_place.db.hold(f"select run_id from run_hot where {where} order by run_id for update"):
        shared_place.db.query("insert into run_change (run_id, project_id, seq) select run_id, project_id, document_seq"
                              f" from run_hot where {where} on conflict do nothing")
        yield


@pytest.fixture
def there(asks):
    """A project whose columns the first server has."""
    home = f"/api/v1/projects/ann/fresh-{next(_numbers)}"
    asks["columns"].put(home, {})
    asks["columns"].put(f"{home}/runs/first", {})
    asks["columns"].get(f"{home}/fields")
    return home


def ids(api, home, **query):
    return [run["id"] for run in api.get(f"{home}/runs", **query)["items"]]


def test_what_was_acknowledged_is_listed(asks, there):
    """Made, logged, finished, edited, tagged, made private, deleted, restored: by one server, and asked of both at once."""
    one, other = asks["columns"], asks["sql"]
    for i in range(4):
        api = (one, other)[i % 2]
        run = Run(api, f"r{i}", there)
        for asked in (one, other):
            assert ids(asked, there, order="-created_at", limit=1) == [run.name]
            assert asked.get(f"{there}/runs", count="true", limit=1)["count"] == i + 2
        writer = run.join()
        for asked in (one, other):
            assert ids(asked, there, filter=f"id:{run.name} writers:1") == [run.name]
        writer.send(history=[{"score": i}], config={"lr": i})
        for asked in (one, other):
            assert ids(asked, there, order="-summary.score", limit=1) == [run.name]
            assert ids(asked, there, filter=f"config.lr:{i} rows:1") == [run.name]
            assert asked.get(f"{there}/runs", ids=run.name, keys="summary.score")["items"][0]["values"] == [i]
        writer.send(history=[{"score": i + 0.5}])
        for asked in (other, one):
            assert ids(asked, there, filter=f"summary.score:{i + 0.5}") == [run.name]
            assert {field["field"]: field["runs"] for field in asked.get(f"{there}/fields")["items"]}["summary.score"] == i + 1
            assert asked.get(f"{there}/fields/summary.score/values", limit=1)["runs"] == i + 1
            assert [key["key"] for key in asked.get(f"{there}/keys")["items"]] == ["score"]
        writer.finish()
        for asked in (one, other):
            assert ids(asked, there, filter="state:finished", order="created_at") == [f"r{k}" for k in range(i + 1)]
            groups = asked.get(f"{there}/groups", by="state", order="value")
            assert [(group["value"], group["count"]) for group in groups["items"]] == [("finished", i + 1), ("running", 1)]
        api.patch(run.path, {"tags": ["good"], "notes": f"note {i}"})
        for asked in (one, other):
            assert ids(asked, there, filter=f'tags:good "note {i}"') == [run.name]
        api.patch(f"{run.path}/config", {"lr": 100 + i})
        for asked in (one, other):
            assert ids(asked, there, filter=f"config.lr:{100 + i}") == [run.name]
        api.delete(run.path)
        for asked in (one, other):
            assert run.name not in ids(asked, there)
        api.post(f"{run.path}/restore")
        for asked in (one, other):
            assert ids(asked, there, order="-created_at", limit=1) == [run.name]


def test_rows_that_come_after_the_end(asks, there):
    one, other = asks["columns"], asks["sql"]
    run = Run(one, "late", there)
    writer = run.join()
    writer.finish()
    assert ids(other, there, filter="state:finished") == ["late"]
    for i in range(5):
        (one, other)[i % 2].post(f"{run.path}/history", [{"loss": i}])
        assert ids(other, there, filter=f"summary.loss:{i}") == ids(one, there, filter=f"summary.loss:{i}") == ["late"]


def test_a_run_that_was_moved(asks, there, wait_for):
    target = f"{there}-moved"
    asks["columns"].put(target, {})
    for i in range(3):
        writer = Run(asks["columns"], f"m{i}", there).join()
        writer.send(history=[{"loss": i}])
        writer.finish()
        move = functools.partial(asks["columns"].request, "POST", f"{there}/runs/m{i}/move", {"entity": "ann", "project": target.split("/")[-1]})
        wait_for(lambda: move().status == 200)  # its rows are compacted before
        for asked in (asks["sql"], asks["columns"]):
            assert f"m{i}" not in ids(asked, there)
            assert ids(asked, target, filter=f"summary.loss:{i}") == [f"m{i}"]


def test_a_crash_that_the_sweeper_saw(asks, there, shift_clock, wait_for):
    run = Run(asks["columns"], "lost", there)
    run.join()
    asks["columns"].patch(there, {"crash_after_s": 10})
    shift_clock(100)
    wait_for(lambda: run.state == "crashed")
    for asked in (asks["sql"], asks["columns"]):
        assert ids(asked, there, filter="state:crashed") == ["lost", "first"]


def behind(answer):
    assert ("Cairn-Behind" in answer.headers) == ("behind_s" in answer.json)
    if "behind_s" not in answer.json:
        return None
    assert float(answer.headers["Cairn-Behind"]) == answer["behind_s"]
    return answer["behind_s"]


def test_as_many_runs_as_are_brought_in_and_one_more(asks, there):
    few = asks["few"]
    few.get(f"{there}/runs")
    for i in range(3):
        asks["columns"].put(f"{there}/runs/a{i}", {})
    answer = few.get(f"{there}/runs")
    assert behind(answer) is None and len(answer["items"]) == 4
    for i in range(4):
        asks["columns"].put(f"{there}/runs/b{i}", {})
    answer = few.get(f"{there}/runs", count="true")
    assert behind(answer) is not None and len(answer["items"]) == answer["count"] == 7
    assert 0 <= answer["behind_s"] < 60
    answer = few.get(f"{there}/runs", count="true")
    assert behind(answer) is None and answer["count"] == 8


def test_runs_that_are_put_off_take_no_place_of_others(asks, there, shared_place):
    """As many runs as are brought in at once, and one more, made first, cannot be written for an hour."""
    few = asks["few"]
    for i in range(4):
        asks["columns"].put(f"{there}/runs/off{i}", {})
    done = Run(asks["columns"], "done", there)
    done.join().finish()
    asks["columns"].get(f"{there}/runs")
    project = f"(select project_id from project where name = '{there.split('/')[-1]}')"
    shared_place.db.query("insert into run_change (run_id, project_id, seq, not_before)"
                          " select run_id, project_id, document_seq, now() + interval '1 hour' from run_hot"
                          f" where project_id = {project} and run_id in (select run_id from run where left(name, 3) = 'off')"
                          " on conflict (run_id) do update set not_before = excluded.not_before")
    for i in range(3):
        asks["columns"].patch(done.path, {"notes": f"new {i}"})
        answer = few.get(f"{there}/runs", filter=f'notes:"new {i}"')
        assert [run["id"] for run in answer["items"]] == ["done"]
        assert behind(answer) is not None, "what is put off is still missing"


def test_without_time_every_answer_says_how_old_it_is(asks, there):
    never = asks["never"]
    asks["columns"].get(f"{there}/runs")
    assert behind(never.get(f"{there}/runs")) is None
    began = time.monotonic()
    asks["columns"].put(f"{there}/runs/new", {})
    paths = [("runs", {}), ("groups", {"by": "state", "different": "id"}), ("fields", {}), ("fields/state/values", {}),
             ("keys", {}), ("runs", {"order": "-min(loss)"}), ("runs", {"ids": "first", "keys": "config.lr"})]
    for path, query in paths:
        age = behind(never.get(f"{there}/{path}", **query))
        assert age is not None and age <= time.monotonic() - began + 0.1, path
    assert ids(never, there) == ["first"] and ids(asks["columns"], there) == ["new", "first"]
    for path, query in paths:
        assert behind(never.get(f"{there}/{path}", **query)) is None
    run = Run(asks["columns"], "new", there, make=False)
    run.log([{"loss": 1}])
    assert behind(never.get(f"{there}/runs")) is not None, "rows of a running run"


def test_a_locked_run_is_not_waited_for_longer(asks, there, shared_place):
    run = Run(asks["short"], "held", there)
    asks["columns"].get(f"{there}/runs")
    asks["columns"].patch(run.path, {"notes": "new"})
    asks["columns"].put(f"{there}/runs/other", {})
    with shared_place.db.hold("select run_id from run_hot where run_id = (select run_id from run where name = 'held'"
                              " and project_id = (select project_id from project where name = %s)) for update" % f"'{there.split('/')[-1]}'"):
        began = time.monotonic()
        answer = asks["short"].get(f"{there}/runs", filter="notes:new or id:other")
        assert [run["id"] for run in answer["items"]] == ["other"] and behind(answer) is not None
        assert time.monotonic() - began < 20
    answer = asks["columns"].get(f"{there}/runs", filter="notes:new or id:other", order="created_at")
    assert [run["id"] for run in answer["items"]] == ["held", "other"] and behind(answer) is None


def test_many_ask_at_once(asks, there):
    """Each finds what was acknowledged before it asked, while others fold for each other."""
    def work(number):
        api = (asks["columns"], asks["sql"])[number % 2]
        for i in range(10):
            name = f"w{number}-{i}"
            api.put(f"{there}/runs/{name}", {"config": {"of": number, "i": i}})
            assert ids(api, there, filter=f"config.of:{number} config.i:{i}") == [name]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert asks["sql"].get(f"{there}/runs", count="true", limit=1)["count"] == 81


def test_writers_are_not_held_up(asks, there):
    """A run that is written without a pause by one server is listed with its latest row by the other."""
    run = Run(asks["columns"], "busy", there)
    writer = run.join()
    for i in range(40):
        writer.send(history=[{"n": i}])
        assert ids(asks["sql"], there, filter=f"summary.n:{i}") == ["busy"]
