"""Server-sent events of a project: what changes among its runs, once a second, and in those that are followed."""
import itertools
import threading
import time

import pytest

from live import Live, Watch
from runs import Run
from server import Server


def listed(api, project):
    """The runs as the list has them, without what moves by itself."""
    return {item["id"]: still(item) for item in api.pages(f"{project}/runs")}


def shows(name, **members):
    """The run is there, with these."""
    return lambda runs: name in runs and all(runs[name].get(k) == v for k, v in members.items())


def still(item):
    return {k: v for k, v in item.items() if k not in ("heard_at", "bytes")}


# ---- what is seen -------------------------------------------------------------------------------------

def test_opens_with_the_time(api, project):
    with Watch(api, project) as watch:
        assert watch.answer.status == 200
        assert watch.answer.headers["Content-Type"].startswith("text/event-stream")
        name, data, event_id = watch.next()
        assert (name, list(data)) == ("open", ["now"])
        assert event_id


def test_says_something_where_nothing_happens(api, run, home):
    with Watch(api, home) as watch:
        assert watch.next("beat")[1:] == ({}, None)


def test_a_new_run_comes_as_in_the_list(api, project, wait_for):
    with Watch(api, project) as watch:
        watch.next("open")
        Run(api, "a", project)
        watch.until(shows("a"))
        wait_for(lambda: listed(api, project), what="a run that is found")
        assert {k: still(v) for k, v in watch.runs.items()} == listed(api, project)


def test_what_people_edit(api, run, home):
    with Watch(api, home) as watch:
        watch.next("open")
        api.patch(run.path, {"display_name": "best", "tags": ["a", "b"], "notes": "two\nlines", "group": "g"})
        watch.until(shows("r1", display_name="best"))
        assert still(watch.runs["r1"]) == listed(api, home)["r1"]


def test_rows_states_and_heartbeats(api, run, home, wait_for):
    """A run that is only heard, or measured, comes with what that changes, and no more; with rows it comes as a list has it."""
    with Watch(api, home) as watch:
        watch.next("open")
        w = run.join()
        w.send(history=[{"_step": 7, "a": 1}], events=[{"cpu": 1}])
        watch.until(shows("r1", rows=1))
        for i in range(3):
            w.send(history=[{"a": i}])
            watch.until(shows("r1", rows=i + 2))
        wait_for(lambda: api.get(f"{home}/runs", filter="rows:4", count="true").json["count"] == 1, what="what rows changed")
        assert watch.runs["r1"]["last_step"] == 10 and watch.runs["r1"]["event_rows"] == 1
        short = []
        for beat in range(20):  # what rows changed is told as well, and once in ten seconds what is searched of times
            w.send(**({"events": [{"cpu": 2}]} if beat % 2 else {}))
            heard = run.get()["heard_at"]
            watch.until(lambda runs: runs["r1"]["heard_at"] >= heard)
            short = [item for name, data, _ in watch.seen if name == "run" for item in data["items"] if "state" not in item]
            if len(short) > 3:
                break
        assert len(short) > 3 and all(set(item) == {"id", "rows", "event_rows", "last_step", "heard_at"} for item in short)
        w.finish(0)
        watch.until(shows("r1", state="finished"))
        assert watch.runs["r1"]["ended_at"] and watch.runs["r1"]["exit_code"] == 0


def test_rows_of_a_run_that_is_over(api, run, home):
    w = run.join()
    w.finish(0)
    with Watch(api, home) as watch:
        watch.next("open")
        w.send(history=[{"late": 1}])
        watch.until(shows("r1", rows=1))
        assert watch.runs["r1"]["state"] == "finished"


def test_deleted_and_restored(api, run, home):
    with Watch(api, home) as watch:
        watch.next("open")
        api.patch(run.path, {"notes": "n"})
        watch.until(shows("r1"))
        api.delete(run.path)
        watch.until(lambda runs: not runs)
        assert watch.seen[-1][:2] == ("gone", {"items": [{"id": "r1"}]})
        api.post(f"{run.path}/restore")
        watch.until(shows("r1"))


def test_a_run_that_nobody_wrote_to(api, run, home):
    """Deleted before its document is written, or after: it goes either way."""
    with Watch(api, home) as watch:
        watch.next("open")
        for number in range(3):
            name = f"brief{number}"
            Run(api, name, home)
            watch.until(lambda runs, name=name: name in runs)
            api.delete(f"{home}/runs/{name}")
            watch.until(lambda runs, name=name: name not in runs)


def test_other_projects_are_silent(api, run, home):
    with Watch(api, home) as watch:
        watch.next("open")
        other = Run(api, "other", f"{home}-else")
        other.join().send(history=[{"a": 1}])
        run.join().send(history=[{"a": 1}])
        watch.until(shows("r1", rows=1))
        assert set(watch.runs) == {"r1"}


# ---- runs that are followed ---------------------------------------------------------------------------

def test_where_followed_runs_stand_comes_first(api, run, home):
    run.join().send(history=[{"a": 1}, {"a": 2}], events=[{"cpu": 1}])
    Run(api, "idle", home)
    with Watch(api, home, follow="r1,idle,none,r1") as watch:
        assert watch.next()[0] == "open"
        name, data, _ = watch.next()
        assert name == "rows"
        assert {item.pop("run"): item for item in data["items"]} == {
            "r1": {"row_next": 2, "event_next": 1, "last_step": 1, "branch": 0},
            "idle": {"row_next": 0, "event_next": 0, "last_step": None, "branch": 0}}


def test_what_happens_in_a_followed_run(api, run, home):
    other = Run(api, "other", home)
    with Watch(api, home, follow="r1") as watch:
        watch.next("rows")
        w = run.join("c1", label="rank0")
        other.join().send(history=[{"a": 1}])
        assert watch.follow("writer", "r1")[0]["label"] == "rank0"
        w.send(history=[{"a": 1}], console=[{"line": n, "stream": "stdout", "time": 1.5, "text": "x"} for n in range(5)])
        assert watch.follow("rows", "r1", 2)[-1]["row_next"] == 1
        assert watch.follow("console", "r1") == [[{"label": "rank0", "writer": w.number, "from": 0, "to": 4}]]
        alert = api.post(f"{run.path}/alerts", {"title": "loss is high", "level": "warn"}).json
        assert watch.follow("alert", "r1") == [alert]
        w.finish(0)
        assert watch.follow("state", "r1")[-1] == run.states()[-1]
        assert watch.follow("writer", "r1", 2)[-1]["state"] == "ended"
        assert not watch.of("rows", "other")


@pytest.mark.own
def test_lines_that_went(api, run, home, db):
    """It is told that there were some."""
    with Watch(api, home, follow="r1") as watch:
        watch.next("rows")
        w = run.join()
        db.query("create function forget() returns trigger language plpgsql as $$ begin return null; end $$")
        db.query("create trigger forget before insert on tail for each row when (new.kind = 3) execute function forget()")
        w.send(console=[{"line": 0, "stream": "stdout", "time": 1.5, "text": "x"}])
        assert watch.follow("console", "r1") == [None]
        db.query("drop trigger forget on tail")
        w.send(console=[{"line": 1, "stream": "stdout", "time": 1.5, "text": "x"}])
        assert watch.follow("console", "r1", 2)[1] == [{"label": "w1", "writer": w.number, "from": 1, "to": 1}]


def test_narrowed(api, run, home):
    with Watch(api, home, follow="r1", streams="state,alert") as watch:
        watch.next("open")
        w = run.join()
        w.send(history=[{"a": 1}], console=[{"line": 0, "stream": "stdout", "time": 1.5, "text": "x"}])
        w.finish(0)
        watch.follow("state", "r1")
        watch.until(shows("r1", state="finished"))
        assert {name for name, _, _ in watch.seen} == {"open", "run", "state"}


def test_a_followed_run_is_made_later(api, project):
    with Watch(api, project, follow="later") as watch:
        watch.next("open")
        Run(api, "later", project)
        assert watch.follow("rows", "later")[0]["row_next"] == 0


@pytest.mark.own
def test_a_lost_writer(api, run, home, shift_clock):
    with Watch(api, home, follow="r1") as watch:
        watch.next("rows")
        run.join("c1", label="rank0")
        watch.follow("writer", "r1")
        shift_clock(3600)
        assert watch.follow("writer", "r1", 2)[-1]["state"] == "lost"
        watch.until(shows("r1", state="crashed"))


def test_a_rewound_run(api, run, home):
    run.join().send(history=[{"_step": n, "loss": n} for n in range(5)])
    with Watch(api, home, follow="r1") as watch:
        first = watch.follow("rows", "r1")[0]
        api.post(f"{run.path}/rewind", {"step": 2})
        assert watch.follow("rows", "r1", 2)[-1]["branch"] != first["branch"]


# ---- coming back --------------------------------------------------------------------------------------

def test_who_comes_back_misses_nothing(api, project):
    Run(api, "old", project)
    with Watch(api, project) as watch:
        Run(api, "seen", project)
        last = watch.until(shows("seen"))
    Run(api, "made", project)
    api.patch(f"{project}/runs/old", {"notes": "edited"})
    api.delete(f"{project}/runs/seen")
    with Watch(api, project, last_id=last) as watch:
        watch.runs["seen"] = {}
        watch.until(lambda runs: set(runs) == {"old", "made"} and runs["old"].get("notes") == "edited")
        assert watch.seen[0][0] == "open"


def test_the_place_in_the_query(api, project):
    """A page that follows other runs begins another stream, and a browser cannot set headers of one."""
    Run(api, "first", project)
    with Watch(api, project) as watch:
        last = watch.next("open")[2]
    Run(api, "second", project)
    with Watch(api, project, after=last, follow="second") as watch:
        watch.until(shows("second"))
        assert watch.of("rows", "second")


@pytest.mark.parametrize("unknown", ["999999999.0", "0.99999999999999999"])
def test_a_place_that_is_no_longer_known(api, run, home, unknown):
    with Watch(api, home, last_id=unknown) as watch:
        assert watch.next()[:2] == ("reset", {})
        assert watch.next()[0] == "open"
        api.patch(run.path, {"notes": "n"})
        watch.until(shows("r1", notes="n"))


@pytest.mark.own
@pytest.mark.parametrize("meanwhile", ["change = change + 2001", "change = change + 5, forgotten = change + 3"])
def test_more_than_can_be_told(api, run, home, db, wait_for, meanwhile):
    """Too many changes, or one of a run of which nothing is left."""
    wait_for(lambda: db.value("select count(*) from run_document"))
    with Watch(api, home) as watch:
        last = watch.next("open")[2]
    db.query(f"update document_count set {meanwhile}")
    with Watch(api, home, last_id=last) as watch:
        assert [watch.next()[0] for _ in range(2)] == ["reset", "open"]


# ---- who may see it -----------------------------------------------------------------------------------

@pytest.fixture
def public(api, project):
    api.patch(project, {"visibility": "public"})
    return project


def test_private_runs_are_told_to_who_may_see_them(api, stranger, public):
    with Watch(api, public) as ours, Watch(stranger, public, follow="hidden,shown") as theirs:
        ours.next("open")
        theirs.next("open")
        api.put(f"{public}/runs/hidden", {"visibility": "private"})
        hidden = Run(api, "hidden", public, make=False)
        hidden.join().send(history=[{"a": 1}])
        hidden.join().finish(0)
        ours.until(shows("hidden", state="finished"))
        api.delete(hidden.path)
        ours.until(lambda runs: "hidden" not in runs)
        Run(api, "shown", public)
        theirs.until(shows("shown"))
        assert "hidden" not in str(theirs.seen)


def test_a_run_is_made_private_and_public_again(api, stranger, public):
    run = Run(api, project=public)
    with Watch(stranger, public, follow="r1") as watch:
        watch.follow("rows", "r1")
        api.patch(run.path, {"visibility": "private"})
        while watch.next()[:2] != ("gone", {"items": [{"id": "r1"}]}):
            pass
        before = len(watch.seen)
        run.join().send(history=[{"a": 1}])
        Run(api, "r2", public)
        watch.until(shows("r2"))
        assert "r1" not in str(watch.seen[before:])
        api.patch(run.path, {"visibility": "public"})
        watch.until(shows("r1"))
        assert watch.follow("rows", "r1", 2)[-1]["row_next"] == 1


def test_a_key_without_rights(api, stranger, project):
    stranger.refused(401, "unauthorized", "GET", f"{project}/live")


def test_the_project_is_made_private(api, stranger, public):
    with Watch(stranger, public) as watch:
        watch.next("open")
        api.patch(public, {"visibility": "private"})
        assert watch.ends() == "unauthorized"


def test_the_project_is_deleted(api, project):
    with Watch(api, project) as watch:
        watch.next("open")
        api.delete(project, confirm=project.rsplit("/", 1)[1])
        assert watch.ends() in ("gone", "not-found")


# ---- bad input ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("query, field", [
    ({"streams": "rows,noise"}, "streams"), ({"streams": "history"}, "streams"), ({"streams": ""}, "streams"),
    ({"follow": "a,,b"}, "follow"), ({"follow": "a:b"}, "follow"),
    ({"follow": ",".join(f"r{i}" for i in range(101))}, "follow"),
    ({"after": "x"}, "after"), ({"after": "1"}, "after"), ({"after": "1.2.3"}, "after"), ({"after": "-1.0"}, "after")])
def test_bad_input(api, project, query, field):
    refused = api.refused(400, "invalid", "GET", f"{project}/live", query=query)
    assert refused["field"] == field


def test_as_many_as_may_be_followed(api, project):
    for i in range(100):
        Run(api, f"r{i}", project)
    with Watch(api, project, follow=",".join(f"r{i}" for i in range(100))) as watch:
        assert len(watch.next("rows")[1]["items"]) == 100


def test_an_id_that_is_none(api, project):
    for garbage in ("garbage", "1", "1.2.3.4.5.6.7"):
        api.refused(400, "invalid", "GET", f"{project}/live", headers={"Last-Event-ID": garbage})


# ---- several servers, many runs, slow listeners -----------------------------------------------------------

@pytest.mark.parametrize("notify", ["true", "false"])
def test_what_is_written_elsewhere(place, api, run, home, notify):
    with Server(place.db.url, place.secret_file, live_notify=notify) as server:
        there = api.at(server)
        with Watch(there, home, follow="r1") as watch:
            watch.next("rows")
            w = run.join()
            w.send(history=[{"a": 1}])
            watch.until(shows("r1", rows=1))
            assert watch.follow("rows", "r1", 2)[-1]["row_next"] == 1
            w.finish(0)
            watch.until(shows("r1", state="finished"))
            api.delete(run.path)
            watch.until(lambda runs: not runs)
        there.close()


def test_from_server_to_server(api, project, two_servers):
    """Who goes to the other one with every event sees each run at least once, and the last of each."""
    apis = [api.at(server) for server in two_servers]
    with Watch(apis[0], project) as watch:
        last = watch.next("open")[2]

    def write(side):
        for i in range(10):
            run = Run(apis[side], f"s{side}-{i}", project)
            run.join().send(history=[{"i": i}])

    threads = [threading.Thread(target=write, args=(side,)) for side in (0, 1)]
    for t in threads:
        t.start()
    runs = {}
    for side in itertools.cycle((0, 1)):
        with Watch(apis[side], project, last_id=last) as watch:
            watch.runs = runs
            watch.next("open")
            watch.next()
            last = watch.last_id
        if len(runs) == 20 and all(item["rows"] == 1 for item in runs.values()):
            break
    for t in threads:
        t.join()
    for here in apis:
        here.close()


def test_many_runs_at_once(api, project):
    """More than come in one piece; also to who was not there."""
    with Watch(api, project) as watch:
        last = watch.next("open")[2]
        runs = [Run(api, f"many{i}", project) for i in range(150)]
        for run in runs:
            run.log({"a": 1})
        watch.until(lambda seen: len(seen) == 150 and all(item["rows"] == 1 for item in seen.values()))
    for _ in range(2):
        with Watch(api, project, last_id=last) as watch:
            watch.until(lambda seen: len(seen) == 150 and all(item["rows"] == 1 for item in seen.values()))


def test_a_busy_run_is_told_once_a_second(api, run, home):
    """However often it is written to."""
    began = time.monotonic()
    with Watch(api, home) as watch:
        watch.next("open")
        w = run.join()
        for i in range(200):
            w.send(history=[{"i": i}])
        watch.until(shows("r1", rows=200))
        seen = sum(item["id"] == "r1" for name, data, _ in watch.seen if name == "run" for item in data["items"])
    assert seen < max(50, 2 * (time.monotonic() - began))


@pytest.mark.own
def test_who_reads_nothing_holds_up_nobody(api, home, server, wait_for):
    """What it missed comes when it reads."""
    runs = [Run(api, f"n{i}", home) for i in range(40)]
    notes = "x" * 60_000
    with Watch(api, home) as quick, Watch(api, home, patient=True) as slow:
        quick.next("open")
        for turn in range(3):
            for run in runs:
                api.patch(run.path, {"notes": f"{turn}{notes}"})
            quick.until(lambda seen, turn=turn: len(seen) == 40 and all(
                item.get("notes", "").startswith(str(turn)) for item in seen.values()))
        slow.read()
        slow.until(lambda seen: len(seen) == 40 and all(item.get("notes", "")[:1] == "2" for item in seen.values()))
    wait_for(lambda: server.metric("cairn_http_live_listeners") == 0)
    wait_for(lambda: server.metric("cairn_live_projects") == 0)


@pytest.mark.long
@pytest.mark.own
def test_beside_listeners_of_runs(api, run, home, server, wait_for):
    """One thread serves both."""
    w = run.join()
    with Watch(api, home) as watch, Live(run, streams="history") as live:
        watch.next("open")
        live.next("open")
        for i in range(5):
            w.send(history=[{"i": i}])
        assert len(live.items("history", 5)[0]) == 5
        watch.until(shows("r1", rows=5))
        wait_for(lambda: server.metric("cairn_live_projects") == 1 and server.metric("cairn_live_project_runs") == 1)
