"""Lists of runs in the order of what metrics were over their histories: min(loss). By columns and by SQL alike."""
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from cluster import wait_until
from conftest import Place
from rest import Api
from runs import Run, compact

PROJECT = "/api/v1/projects/ann/order"
MOST = 10_000
SETTINGS = {"deadline_ms": 60_000}
NAN, INF = float("nan"), float("inf")


class Kinds(Place):
    """The first server has columns, the second searches by SQL."""

    def new_server(self):
        self.settings = {**SETTINGS, **({"search_memory": 0} if self.servers else {})}
        return super().new_server()


@pytest.fixture(scope="module")
def place_kind():
    return Kinds


@pytest.fixture(scope="module")
def servers(shared_place, keys):
    made = [Api(shared_place.server(i), keys["ann"]) for i in range(2)]
    yield made
    for api in made:
        api.close()


@pytest.fixture(scope="module")
def api(servers):
    return servers[0]


@pytest.fixture(scope="module")
def runs(api):
    """What a run has of `loss`; `two` of two writers, `mixed` NaN and an infinity among numbers; `half` is of the config."""
    values = {"high": [9, 8], "two": [5, 0.25], "text": ["a", "b"], "low": [-3, -1], "same": [0.25, 5], "nan": [NAN, NAN],
              "mixed": [4, NAN, INF, 2], "inf": [INF, -INF], "none": [], "big": [1e300, -1e300]}
    made = {}
    for at, (name, numbers) in enumerate(values.items()):
        api.put(f"{PROJECT}/runs/{name}", {"config": {"half": at % 2}})
        made[name] = Run(api, name, PROJECT, make=False)
        first = made[name].join()
        first.send(history=[{"loss": n, "a,b": 1} for n in numbers[:1]])
        writer = made[name].join("w2", "worker") if name == "two" else first
        for n in numbers[1:]:
            writer.send(history=[{"loss": n, "acc(top)": at}])
    return made


# Those without a number are last, and those that are alike stand as they were made, in the direction of the first key.
NONE = ["text", "nan", "inf", "none"]
ORDERS = {
    "min(loss)": "big low two same mixed high".split() + NONE,
    "-min(loss)": "high mixed same two low big".split() + NONE[::-1],
    "max(loss)": "low mixed two same high big".split() + NONE,
    "-max(loss)": "big high same two mixed low".split() + NONE[::-1],
    "mean(loss)": "low big two same mixed high".split() + NONE,
    "last(loss)": "big low two mixed same high".split() + NONE,
    "-last(loss)": "high same mixed two low big".split() + NONE[::-1],
}


def ids(api, place=PROJECT, **query):
    return [run["id"] for run in api.pages(f"{place}/runs", **query)]


@pytest.fixture(scope="module")
def found(runs, servers, shared_place):
    """They are all found, by both servers."""
    for api in servers:
        wait_until(lambda api=api: api.get(f"{PROJECT}/runs", count="true", limit=1).json["count"] == len(runs))
    return runs


def test_both_directions(servers, found, db, wait_for):
    """As long as rows are in the tail and when they are in chunks, of servers that ask for the first time and again."""
    for _ in range(2):
        for order in ORDERS:
            for api in servers:
                assert ids(api, order=order, limit=100) == ORDERS[order], order
        compact(db, wait_for, *found.values())


@pytest.mark.parametrize("order", [
    "min(loss)", "-last(loss),max(acc(top)),min(loss),id", *(pytest.param(order, marks=pytest.mark.long) for order in (
        "-max(loss)", "config.half,-min(loss)", "-mean(loss),config.half,-id", "last(nowhere)"))])
@pytest.mark.parametrize("limit", [1, 3])
def test_pages(servers, found, order, limit):
    """Nothing twice, nothing lost; by cursors and by places."""
    whole = ids(servers[0], order=order, limit=100)
    assert sorted(whole) == sorted(found)
    for api in servers:
        assert ids(api, order=order, limit=limit) == whole
        windows = [api.get(f"{PROJECT}/runs", order=order, limit=limit, offset=at).json for at in range(0, len(whole), limit)]
        assert [run["id"] for window in windows for run in window["items"]] == whole
    page = servers[0].get(f"{PROJECT}/runs", order=order, limit=4, offset=3, count="true").json
    after = servers[1].get(f"{PROJECT}/runs", order=order, limit=4, cursor=page["next_cursor"], count="true").json
    assert [run["id"] for run in page["items"] + after["items"]] == whole[3:11]
    assert (page["count"], after["count"]) == (len(found), len(found))


def test_two_keys(servers, found):
    """A further one counts where those before it are equal, whichever of them is a metric."""
    halves = {name: at % 2 for at, name in enumerate(found)}
    for api in servers:
        got = ids(api, order="config.half,-min(loss)")
        assert got == sorted([*ORDERS["-min(loss)"][:6], *NONE], key=halves.get)
        alike = ids(api, order="min(loss),-last(loss)")
        assert alike[:6] == "big low same two mixed high".split()
        assert ids(api, order="max(nowhere),min(loss)") == ORDERS["min(loss)"]


def test_of_some(servers, found):
    """Of a filter, and of a group, those alone."""
    for api in servers:
        assert ids(api, order="-min(loss)", filter="not id:high,big") == [
            name for name in ORDERS["-min(loss)"] if name not in ("high", "big")]
        assert set(ids(api, order="-min(loss)", group_by="config.half", group="number:1")) == set([*found][1::2])


def test_a_metric_that_there_is_not(servers, found):
    """As a key of the summary that no run has: all are without it."""
    for api in servers:
        assert ids(api, order="min(nowhere)") == ids(api, order="summary.nowhere") == [*found]


@pytest.mark.parametrize("order,said", [
    ("min(_step)", "_step"), ("loss@best(acc)", "unknown key"), ("min()", "metric name"), ("median(loss)", "unknown key"),
    ("min(loss", "unknown key"), ("min(loss),max(loss),last(loss),mean(loss),id", "more than"), ("min(a,b)", "unknown key")])
def test_refused(api, found, order, said):
    answer = api.request("GET", f"{PROJECT}/runs", query={"order": order})
    assert (answer.status, answer.json["field"]) == (400, "order")
    assert said in answer.json["detail"]


@pytest.mark.parametrize("query", [{"group_by": "min(loss)", "group": "none"}, {"keys": "min(loss)"}, {"filter": "min(loss)>1"}])
def test_no_key_of_anything_else(api, found, query):
    assert api.request("GET", f"{PROJECT}/runs", query=query).status == 400


def test_what_comes_counts_at_once(servers, wait_for):
    """Rows since, also by another server, and what was rewound, though the run was asked for before."""
    place = "/api/v1/projects/ann/grows"
    made = {name: Run(servers[0], name, place) for name in ("a", "b")}
    writers = {name: run.join() for name, run in made.items()}
    for name, value in (("a", 1), ("b", 2)):
        writers[name].send(history=[{"loss": value}])
    for api in servers:
        wait_for(lambda api=api: ids(api, place, order="min(loss)") == ["a", "b"])
    writers["b"].send(history=[{"loss": 0.5}])
    assert [ids(api, place, order="min(loss)") for api in servers] == [["b", "a"]] * 2
    servers[0].post(f"{made['b'].path}/rewind", {"step": 0})
    assert [ids(api, place, order="min(loss)") for api in servers] == [["a", "b"]] * 2


def test_of_others_nothing(servers, keys, shared_place, wait_for):
    place = "/api/v1/projects/ann/half-seen"
    for name, seen, loss in ("open", "project", 2), ("hidden", "private", 1), ("more", "project", 0):
        servers[0].put(f"{place}/runs/{name}", {"visibility": seen})
        Run(servers[0], name, place, make=False).join().send(history=[{"loss": loss}])
    servers[0].patch(place, {"visibility": "public"})
    wait_for(lambda: len(ids(servers[0], place)) == 3)
    stranger = Api(shared_place.server(0), keys["vic"])
    assert ids(stranger, place, order="min(loss)", limit=1) == ["more", "open"]
    stranger.close()


CLONES = """
insert into run (project_id, name, run_id, display_name, job_type, group_name, sweep, notes, tags, visibility, color_number,
                 created_at)
select {home}, 'c' || i, {first} + i, '', '', '', '', '', '[]', 0, 0, now() from generate_series(1, {count}) i;
insert into run_hot (run_id, project_id, next_row, next_event, next_seq, last_step, compact_seq, tail_rows, tail_bytes,
                     heard_at, look_at, state, attempt, fallback_state, end_pending, next_writer, next_state,
                     document_seq, size_seq, started_at, ended_at)
select {first} + i, {home}, 1, 0, 1, 0, 0, 0, 0, now(), now(), 2, 1, 0, false, 1, 2, 1, -1, now(), now()
  from generate_series(1, {count}) i;
insert into run_keys (run_id, stream, writer, document)
select {first} + i, stream, writer, document from generate_series(1, {count}) i, run_keys where run_id = {like};
insert into run_document (project_id, run_id, seq, change, visibility, deleted, size_bytes, document)
select {home}, {first} + i, 1, c.change + i, 0, false, 100, jsonb_build_object('id', 'c' || i, 'config', jsonb_build_object('n', i))
  from generate_series(1, {count}) i, document_count c where c.project_id = {home};
update document_count set change = change + {count} where project_id = {home}
"""


def clone(db, run, count):
    """As many more runs of its project, with its statistics, as a server would have left them; by their numbers in config.n."""
    like, home = db.query("select r.run_id, r.project_id from run r join project p using (project_id)"
                          " where r.name = %s and p.name = %s", run.name, run.path.split("/")[5])[0]
    for statement in CLONES.format(first=1 << 40, count=count, like=like, home=home).split(";\n"):
        db.query(statement)


@pytest.mark.long
def test_as_many_as_may_be(servers, db, wait_for):
    """10,000 runs, and one more: then it says how many there are, and a filter leads out."""
    place = "/api/v1/projects/ann/limit"
    run = Run(servers[0], "first", place)
    run.join().send(history=[{"loss": 7}])
    compact(db, wait_for, run)
    wait_for(lambda: ids(servers[0], place) == ["first"])
    clone(db, run, MOST - 1)
    Run(servers[0], "low", place).join().send(history=[{"loss": 1}])
    for api in servers:
        wait_for(lambda api=api: api.get(f"{place}/runs", count="true", limit=1).json["count"] == MOST + 1)
        most = api.get(f"{place}/runs", order="min(loss)", limit=2, count="true", filter="not id:c5").json
        assert ([run["id"] for run in most["items"]], most["count"]) == (["low", "c1"], MOST)
        refused = api.request("GET", f"{place}/runs", query={"order": "min(loss)", "limit": 1})
        assert (refused.status, refused.json["field"]) == (422, "order")
        assert "10001 runs" in refused.json["detail"] and "filter" in json.dumps(refused.json)
    whole = ids(servers[0], place, order="-min(loss),-config.n", limit=1000, filter="not id:c5")
    assert whole == [*(f"c{n}" for n in range(MOST - 1, 0, -1) if n != 5), "first", "low"]


def facts(api, name):
    found = re.search(rf"^cairn_{re.escape(name)} (\d+)", api.get("/metrics").text, re.M)
    return int(found.group(1))


@pytest.mark.long
@pytest.mark.own
def test_many_runs_are_read_by_one_question_at_a_time(place, keys, db, wait_for):
    """Of a project: another waits, and finds what was read, or comes again. Few runs are read at any time."""
    apis = [Api(place.server(0), keys["ann"]) for _ in range(4)]
    api = apis[0]
    run = Run(api, "first", PROJECT)
    run.join().send(history=[{"loss": 7, "acc": 1}])
    compact(db, wait_for, run)
    clone(db, run, 300)
    wait_for(lambda: api.get(f"{PROJECT}/runs", count="true", limit=1).json["count"] == 301)
    waiting = ("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
               r" and query ~ 'from run_keys w\M'")

    def asked(one, order, **query):
        return one.request("GET", f"{PROJECT}/runs", query={"order": order, "limit": 1, **query})

    with ThreadPoolExecutor() as pool:
        with db.hold("lock table run_keys in access exclusive mode"):
            first = pool.submit(asked, api, "min(loss)")
            wait_for(lambda: db.value(waiting) == 1, what="the question that waits for statistics")
            busy = asked(apis[1], "min(acc)")
            assert (busy.status, busy.headers["retry-after"]) == (503, "1")
            few = pool.submit(asked, apis[2], "min(acc)", filter="id:c1,c2")
            wait_for(lambda: db.value(waiting) == 2, what="that of few runs")
            same = pool.submit(asked, apis[1], "-max(loss)")
            wait_for(lambda: facts(apis[3], "metric_facts_waiting") == 1, what="the one that waits for its turn")
            assert db.value(waiting) == 2
        assert [one.result().status for one in (first, few, same)] == [200, 200, 200]
    assert facts(api, "metric_facts_refused_total") == 1
    assert facts(api, "metric_facts_waiting") == 0
    assert facts(api, 'metric_facts_lookups_total{from="memory"}') == 301
    assert facts(api, 'memory_bytes{of="facts"}') == (301 + 2) * 64
    assert asked(apis[1], "min(acc)").status == 200
    assert facts(api, 'memory_bytes{of="facts"}') == 2 * 301 * 64
    known = facts(api, 'metric_facts_lookups_total{from="database"}')
    assert asked(api, "-max(loss)").status == 200
    assert facts(api, 'metric_facts_lookups_total{from="database"}') == known
    for one in apis:
        one.close()


@pytest.mark.own
def test_a_question_ends_in_time(place, keys, db, wait_for, monkeypatch):
    """While the statistics cannot be read; afterwards it is answered, and then without them, for as long as no rows come."""
    monkeypatch.setitem(SETTINGS, "deadline_ms", 1500)
    api = Api(place.server(0), keys["ann"])
    run = Run(api, "r", PROJECT)
    run.join().send(history=[{"loss": 1}])
    wait_for(lambda: ids(api) == ["r"])
    with db.hold("lock table run_keys in access exclusive mode"):
        late = api.request("GET", f"{PROJECT}/runs", query={"order": "min(loss)"})
        assert late.status == 504
    assert ids(api, order="min(loss)") == ["r"]
    with db.hold("lock table run_keys in access exclusive mode"):
        assert ids(api, order="-max(loss)") == ["r"]
    api.close()
