"""A run that is moved to another project is there what it was, and is never half here and half there."""
import concurrent.futures
import json
import threading

import psycopg
import pytest

from artifacts import Collection
from runs import Run, compact, run_id
from server import cairnd_run
from test_deletion import fill
from test_deletion import seen as bytes_seen

LAB = "/api/v1/projects/lab"


def body(home):
    entity, project = home.split("/")[4:6]
    return {"entity": entity, "project": project}


def seen(run):
    """In a row keys stand by their numbers: in another order elsewhere."""
    return [[json.loads(line) for line in answer.splitlines()] for answer in bytes_seen(run)]


def at(run, home):
    return Run(run.api, run.name, home, make=False)


@pytest.fixture
def move(wait_for):
    """move(run, home): the run at its new address; its last rows may be waiting to be put in order."""
    def go(run, home):
        def answered():
            answer = run.api.request("POST", f"{run.path}/move", body(home))
            assert answer.status in (200, 503), answer
            return answer.status == 200 and answer.json

        head = wait_for(answered, what="the move")
        assert (head["entity"], head["project"], head["id"]) == (*body(home).values(), run.name)
        return at(run, home)
    return go


@pytest.fixture
def other(api, home):
    """Another project, where names of keys have other numbers: those of the run among them, and in another order."""
    there = f"{home}-other"
    Run(api, "first", there).join().send(history=[{"z": 1, "name": "n", "y": 2, "cpu": 1, "loss": 3}])
    return there


@pytest.fixture
def ended(db, wait_for):
    """ended(run): it has some rows, and they are in order."""
    def end(run, client="w1", rows=5):
        writer = run.join(client)
        writer.send(history=[{"loss": n, "x": n * 2} for n in range(rows)])
        writer.finish()
        wait_for(lambda: not db.value("select tail_rows from run_hot where run_id = %s", run_id(db, run)))
        return writer
    return end


@pytest.fixture
def measured(db, wait_for):
    """measured(run): what it takes is known, whole."""
    def wait(run):
        known = "select size_seq = compact_seq and size_seq = next_seq - 1 from run_hot where run_id = %s"
        wait_for(lambda: db.value(known, run_id(db, run)), what="what it takes")
    return wait


def found(api, home, **query):
    return [r["id"] for r in api.pages(f"{home}/runs", **query)]


def charts(run):
    """What many runs are asked for together, and one run in a branch that was left."""
    home = run.path.rsplit("/runs/", 1)[0]
    panels = [{"keys": ["loss", "by_hand"]}, {"keys": ["cpu"], "stream": "events"}]
    pieces = run.api.post(f"{home}/series", {"runs": [run.name], "panels": panels}).json["pieces"]
    tails = ("history?keys=loss,by_hand", "history?format=ndjson&branch=0", "events?keys=cpu", "summary?branch=0",
             "ranks?key=loss", "console/density", "alerts", "unread", "left-out", "branches")
    answers = [run.api.raw("GET", f"{run.path}/{tail}").body for tail in tails]
    return [sorted(pieces, key=str)] + [[json.loads(line) for line in answer.splitlines()] for answer in answers]


def test_all_of_it_is_there_and_nothing_is_left(api, run, home, other, db, secret_file, move, wait_for):
    api.put(f"{run.path}/files/a/b.txt", b"content", content_type=None)
    fill(run)
    api.patch(run.path, {"tags": ["kept"], "notes": "mine", "display_name": "Ours", "color": "#123456"})
    number = run_id(db, run)
    compact(db, wait_for, number)
    wait_for(lambda: db.value("select size_seq = compact_seq from run_hot where run_id = %s", number))
    before, drawn, head = seen(run), charts(run), run.get()
    ids = db.query("select distinct key_id from chunk where run_id = %s order by 1", number)
    moved = move(run, other)
    assert db.query("select distinct key_id from chunk where run_id = %s order by 1", number) != ids
    assert seen(moved) == before
    for old, new in zip(drawn, charts(moved), strict=True):
        assert new == old
    assert api.raw("GET", f"{moved.path}/files/a/b.txt").body == b"content"
    changed = {name: value for name, value in moved.get().items() if head[name] != value}
    assert changed == {"project": body(other)["project"], "color_slot": 1}
    last = moved.states()[-1]
    assert (last["from"], last["to"], last["who"], last["user"], last["reason"]) == (
        "finished", "finished", "user", "ann", "moved")
    wait_for(lambda: sorted(found(api, other)) == ["first", "r1"])
    wait_for(lambda: found(api, other, filter="summary.best=1") == ["r1"])
    assert found(api, home) == found(api, home, filter="state:finished") == []
    assert api.get(home).json["bytes"] == 0
    assert api.get(other).json["bytes"] >= head["bytes"] > 0
    cairnd_run(db.url, secret_file, "verify")  # nothing that is left misses anything


def test_its_artifacts_stay_and_are_still_its_own(api, run, home, other, move, ended):
    """In the old project; from there they lead to the run at its new address."""
    Collection(api, home, "data", "dataset").version({"d": b"data"})
    api.post(f"{run.path}/artifacts", {"artifact": "data:v0"})
    model = Collection(api, home)
    model.version({"m": b"weights"}, run=run.name)
    ended(run)
    moved = move(run, other)
    assert [(use["way"], use["version"]["project"], use["version"]["collection"]) for use in api.pages(f"{moved.path}/artifacts")] == [
        ("input", body(home)["project"], "data"), ("output", body(home)["project"], "model")]
    version = model.get("v0")
    assert version["project"] == body(home)["project"] and version["run"]["project"] == body(other)["project"]
    graph = api.get(f"{model.path}/versions/v0/lineage").json
    assert [(node["project"], node["id"]) for node in graph["runs"]] == [(body(other)["project"], run.name)]
    assert len(graph["edges"]) == 2
    assert api.raw("GET", f"{model.path}/versions/v0/files/m").body == b"weights"


def test_it_is_measured_again(run, other, move, ended, measured):
    """Its key lists are of another length in the other project."""
    ended(run)
    measured(run)
    measured(move(run, other))


def test_the_old_address_is_gone_and_its_name_kept(api, run, home, other, move, ended):
    writer = ended(run)
    move(run, other)
    for method, tail, sent in (("GET", "", None), ("PUT", "", {}), ("DELETE", "", None),
                               ("POST", "/history", {"x": 1}), ("GET", "/history?keys=loss", None),
                               ("POST", "/join", {"client": "w", "role": "primary"}), ("POST", "/move", body(other))):
        assert "moved to another project" in api.refused(410, "gone", method, run.path + tail, sent)["detail"]
    writer.refused(410, "gone", writer.body(2, history=[{"x": 1}]))
    assert found(api, home, deleted="true") == []


def test_it_is_moved_back(api, run, home, other, move, wait_for, ended):
    ended(run)
    before, etag = seen(run), api.get(f"{run.path}/config").headers.get("etag")
    there = move(run, other)
    again = move(there, home)
    assert seen(again) == before
    assert api.get(f"{run.path}/config").headers.get("etag") == etag
    api.refused(410, "gone", "GET", there.path)
    assert [s["reason"] for s in again.states()[-2:]] == ["moved", "moved"]
    wait_for(lambda: found(api, home) == ["r1"])
    assert found(api, other) == ["first"]
    move(again, other)
    api.refused(410, "gone", "GET", again.path)


@pytest.mark.own
def test_it_is_moved_back_to_names_that_it_left(api, db, home, run, other, move, wait_for, ended):
    """The names of its metrics are marked as unused meanwhile, and are used again."""
    ended(run)
    before = seen(run)
    names = "select count(*) from project_key where project_id = %s and name in ('loss', 'x') and unused_at is {} null"
    project = db.value("select project_id from run_hot where run_id = %s", run_id(db, run))
    there = move(run, other)
    wait_for(lambda: db.value(names.format("not"), project) == 2, what="names that nobody uses")
    answer = api.request("POST", f"{there.path}/move", body(home))
    assert answer.status == 200, answer
    assert db.value(names.format(""), project) == 2
    assert seen(run) == before


def test_it_goes_on_there(api, run, other, move, ended):
    """Who resumes it writes on; late rows of a process that was told the new address are taken."""
    ended(run)
    moved = move(run, other)
    writer = moved.join("w1")
    writer.send(history=[{"loss": 50, "new": 1}])
    assert moved.values("loss") == [0, 1, 2, 3, 4, 50]
    assert moved.state == "running"


def test_one_that_may_be_written_to_stays(api, run, other, move):
    def refused():
        return api.refused(409, "conflict", "POST", f"{run.path}/move", body(other))

    writer = run.join()
    writer.send(history=[{"x": 1}])
    assert "running" in refused()["detail"]
    assert "stop the run" in refused()["hint"]
    api.post(f"{run.path}/states", {"state": "pending", "reason": "x"})
    assert "is pending" in refused()["detail"]
    api.post(f"{run.path}/states", {"state": "killed", "reason": "x"})
    move(run, other)


def test_a_name_that_is_taken(api, run, home, other, move, ended):
    ended(run)
    taken = Run(api, "r1", other)
    for act in (lambda: api.delete(taken.path), lambda: None):
        problem = api.refused(409, "conflict", "POST", f"{run.path}/move", body(other))
        assert "the project already has, or had, a run with this id" in problem["detail"]
        act()
    assert api.refused(409, "conflict", "POST", f"{run.path}/move", body(home))["field"] == "project"
    run.get()


def test_forks_stay_together(api, run, home, other, ended):
    ended(run)
    fork = Run(api, "fork", home, make=False)
    api.put(fork.path, {"forked_from": {"run": "r1", "step": 2}})
    api.post(f"{fork.path}/finish", {"exit_code": 0})
    for one in run, fork:
        assert "fork" in api.refused(409, "conflict", "POST", f"{one.path}/move", body(other))["detail"]


def test_who_may(api, run, home, keys, move, ended):
    ended(run)
    member, viewer = api.as_user(keys["mel"]), api.as_user(keys["vic"])
    to = {"entity": "lab", "project": body(home)["project"]}
    admin = api.as_user(keys["bob"])
    admin.put(f"{LAB}/{to['project']}", {"visibility": "private"})
    api.refused(404, "not-found", "POST", f"{run.path}/move", to)
    member.refused(404, "not-found", "POST", f"{run.path}/move", to)
    api.refused(404, "not-found", "POST", f"{run.path}/move", {"entity": "ann", "project": "none-of-this-name"})
    mine = Run(member, "m1", f"{LAB}/{to['project']}-from")
    ended(mine)
    viewer.refused(403, "forbidden", "POST", f"{mine.path}/move", to)
    api.put(home, {})
    api.patch(home, {"visibility": "public"})
    member.refused(403, "forbidden", "POST", f"{mine.path}/move", body(home))
    admin.patch(f"{LAB}/{to['project']}", {"visibility": "public"})
    problem = member.refused(403, "forbidden", "POST", f"{mine.path}/move", to)
    assert problem["field"] == "visibility"
    admin.patch(f"{LAB}/{to['project']}", {"visibility": "private"})
    moved = move(mine, f"{LAB}/{to['project']}")
    assert moved.values("loss") == [0, 1, 2, 3, 4]


# --- out of an entity, and back

GRACE = 30 * 24 * 3600


@pytest.fixture
def team(api, home, keys, ended):
    """team(name): an ended run of the project of the team that is called as the test's own; mel writes there."""
    def make(name="r1"):
        run = Run(api.as_user(keys["mel"]), name, home.replace("/ann/", "/lab/"))
        ended(run)
        return run
    return make


@pytest.fixture
def people(api, keys):
    return {name: api.as_user(keys[name]) for name in ("mel", "bob", "vic", "root")}


def by(run, api):
    return Run(api, run.name, run.path.rsplit("/runs/", 1)[0], make=False)


def bring_back(run, api, wait_for):
    """Its last rows may be waiting to be put in order."""
    def answered():
        answer = api.request("POST", f"{run.path}/restore")
        assert answer.status in (200, 503), answer
        return answer.status == 200 and answer.json

    head = wait_for(answered, what="the way back")
    assert head["id"] == run.name
    return by(run, api)


@pytest.fixture
def taken(team, people, keys, api, home, move):
    """A run of the team that its admin moved to his own entity: as the team has it, and where it is."""
    run = team()
    there = home.replace("/ann/", "/bob/")
    people["bob"].put(there, {})
    return run, move(by(run, people["bob"]), there)


def test_out_of_an_entity_it_takes_an_admin(team, people, keys, home, move):
    """A member who moved it to himself could delete it for good there."""
    run, mine, other = team(), home.replace("/ann/", "/mel/"), f"{home}-2".replace("/ann/", "/lab/")
    for there in mine, other:
        people["mel"].put(there, {})
    told = people["mel"].refused(403, "forbidden", "POST", f"{run.path}/move", body(mine))
    assert ('out of "lab"' in told["detail"], "admin" in told["hint"]) == (True, True)
    assert run.get()["entity"] == "lab"
    move(run, other)  # within it a member does


def test_an_admin_brings_it_back(taken, people, wait_for):
    run, there = taken
    before = seen(there)
    for who in "mel", "vic":
        people[who].refused(403, "forbidden", "POST", f"{run.path}/restore")
    assert "moved to another project" in run.api.refused(410, "gone", "GET", run.path)["detail"]
    back = bring_back(run, people["root"], wait_for)
    assert seen(back) == before
    assert back.states()[-1]["reason"] == "moved"
    people["bob"].refused(410, "gone", "GET", there.path)
    assert "the run was moved to another project and can no longer be brought back" in people["bob"].refused(410, "gone", "POST", f"{there.path}/restore")["detail"]


def test_an_admin_brings_back_what_was_deleted_there(taken, people, wait_for, db, server, home):
    """For good, with the project it was in: it is kept for the time that it has where it was made."""
    run, there = taken
    before, number = seen(there), run_id(db, there)
    people["bob"].delete(there.path, purge="now")
    project = there.path.rsplit("/runs/", 1)[0]
    people["bob"].delete(project, confirm=project.rsplit("/", 1)[1], purge="now")
    due = Run(people["bob"], "due", f"{project}-due")
    people["bob"].delete(due.path, purge="now")
    wait_for(lambda: not db.value("select count(*) from run_hot where run_id = %s", run_id(db, due)), what="the purge")
    wait_for(lambda: db.value("select purge_at <= now() from run_hot where run_id = %s", number))
    people["bob"].refused(410, "gone", "POST", f"{there.path}/restore")
    assert seen(bring_back(run, people["root"], wait_for)) == before


def test_an_admin_brings_back_what_runs_there(taken, people, wait_for, db):
    run, there = taken
    there.join("w2").send(history=[{"loss": 9}])
    back = bring_back(run, people["root"], wait_for)
    assert (back.state, back.values("loss")) == ("killed", [0, 1, 2, 3, 4, 9])
    assert [s["reason"] for s in back.states()[-2:]] == ["brought back", "moved"]


def test_who_had_it_between_does_not_take_it_back(taken, people, wait_for, move, home):
    """From the team to bob, on within bob's, back to the team: bob's first project left a name, too."""
    run, there = taken
    on = home.replace("/ann/", "/bob/") + "-2"
    people["bob"].put(on, {})
    further = move(there, on)
    back = bring_back(run, people["root"], wait_for)
    for place in there, further:
        assert "the run was moved to another project and can no longer be brought back" in people["bob"].refused(410, "gone", "POST", f"{place.path}/restore")["detail"]
    assert back.values("loss") == [0, 1, 2, 3, 4]


def test_who_had_it_between_while_it_is_brought_back(taken, people, move, measured, home, db, wait_for):
    """Both ask at once: whose turn comes second finds that the run is back."""
    run, there = taken
    on = home.replace("/ann/", "/bob/") + "-2"
    people["bob"].put(on, {})
    further = move(there, on)
    measured(further)  # no job locks it any more
    number = run_id(db, further)
    left = "select project_id from run where run_id = %s and moved_to is not null order by deleted_at desc"
    between = db.value(left, number)
    with psycopg.connect(db.url) as other:
        other.execute("select from run_hot where run_id = %s for update", [number])
        with concurrent.futures.ThreadPoolExecutor() as pool:
            bob = people["bob"].as_user(people["bob"].key)
            asked = pool.submit(bob.request, "POST", f"{there.path}/restore")
            waits = ("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
                     " and query like 'select run_id from run_hot where run_id = any($1) order by run_id for update;%%'")
            wait_for(lambda: db.value(waits) or asked.done(), what="who waits for the run")
            assert not asked.done(), asked.result()
            other.execute("update run set delete_reason = 'brought back', row_sum = null where run_id = %s and project_id = %s",
                          [number, between])
            other.commit()
            answer = asked.result()
    assert (answer.status, "in the meantime" in answer.json["detail"]) == (410, True), answer
    assert db.value("select deleted_at is null from run_hot where run_id = %s", number)
    assert bring_back(run, people["root"], wait_for).values("loss") == [0, 1, 2, 3, 4]


@pytest.mark.long
def test_a_run_that_became_too_long_is_brought_back(taken, people, wait_for, db):
    """It would be kept for good by who logs enough to it."""
    run, there = taken
    number = run_id(db, there)
    db.query("insert into chunk (run_id, stream, key_id, kind, writer, index_first, value_count, row_first, row_last, step_min, "
             "step_max, data) select run_id, stream, key_id, kind, writer, i * 4096, 1, 0, 0, 0, 0, 'x' "
             "from generate_series(1, 60000) i, (select * from chunk where run_id = %s limit 1) c", number)
    answered = wait_for(lambda: (a := people["root"].request("POST", f"{run.path}/restore")).status != 503 and a)
    assert answered.status == 200, answered


def test_who_had_it_before_may_still(taken, people, wait_for, move, home):
    """Bob's, which had it from the team, lost it and has it back: the team has its time all the same."""
    run, there = taken
    mine = home.replace("/ann/", "/root/")
    people["root"].put(mine, {})
    move(by(there, people["root"]), mine)
    there = bring_back(there, people["bob"], wait_for)
    assert bring_back(run, people["root"], wait_for).values("loss") == [0, 1, 2, 3, 4]
    people["bob"].refused(410, "gone", "POST", f"{there.path}/restore")


def test_no_fork_while_it_may_be_brought_back(taken, people, wait_for):
    """A fork would keep it where it is."""
    run, there = taken
    fork = f"{there.path}-fork"
    told = people["bob"].refused(409, "conflict", "PUT", fork, {"forked_from": {"run": there.name, "step": 2}})
    assert (told["field"], "bring it back" in told["detail"]) == ("forked_from", True)
    back = bring_back(run, people["root"], wait_for)
    assert people["root"].put(f"{back.path}-fork", {"forked_from": {"run": back.name, "step": 2}}).status == 201


def test_a_process_there_does_not_begin_it_again(taken, people, wait_for, db):
    """It was ended to be brought back: until its last rows are in order, it is deleted where it is."""
    run, there = taken
    number = run_id(db, there)
    there.join("w2").send(history=[{"loss": 9}])
    db.query("update run_hot set tail_rows = tail_rows + 1 where run_id = %s", number)  # it waits for its compaction
    answer = people["root"].request("POST", f"{run.path}/restore")
    assert answer.status == 503
    people["bob"].refused(410, "gone", "POST", f"{there.path}/join", {"client": "w2", "role": "primary"})
    people["bob"].refused(410, "gone", "PUT", there.path, {})
    db.query("update run_hot set tail_rows = tail_rows - 1 where run_id = %s", number)
    back = bring_back(run, people["root"], wait_for)
    assert (back.state, back.values("loss")) == ("killed", [0, 1, 2, 3, 4, 9])


@pytest.mark.own
def test_not_when_its_time_is_over(taken, people, wait_for, db, shift_clock):
    run, there = taken
    number = run_id(db, there)
    people["bob"].delete(there.path, purge="now")
    shift_clock(GRACE - 3600)
    assert db.value("select count(*) from run_hot where run_id = %s", number) == 1
    shift_clock(2 * 3600)
    people["root"].refused(410, "gone", "POST", f"{run.path}/restore")
    wait_for(lambda: not db.value("select count(*) from run_hot where run_id = %s", number), what="the purge")


@pytest.mark.parametrize("sent, field", [
    ({"project": "p"}, "entity"), ({"entity": "ann"}, "project"), ({"entity": "ann", "project": 1}, "project"),
    ({"entity": "ann", "project": ""}, "project"), ({"entity": "a/b", "project": "p"}, "entity"),
    ({"entity": "ann", "project": "p" * 600}, "project"), ({"entity": "ann", "project": "a/b"}, "project")])
def test_bad_bodies(api, run, sent, field):
    assert api.refused(400, "invalid", "POST", f"{run.path}/move", sent)["field"] == field


@pytest.mark.own
def test_the_quota_is_of_who_gets_it(api, run, keys, home, move, db, ended):
    ended(run)
    root, admin = api.as_user(keys["root"]), api.as_user(keys["bob"])
    root.put(f"{LAB}/full", {})
    ours = Run(admin, "r9", f"{LAB}/from")
    ended(ours)
    root.patch("/api/v1/entities/lab", {"quota_bytes": 1})
    db.query("insert into project_usage (project_id, size_bytes, deleted_bytes, heard_at) "
             "select project_id, 1, 0, now() from project where name = 'full'")
    root.refused(403, "quota-exceeded", "POST", f"{run.path}/move", body(f"{LAB}/full"))
    move(ours, f"{LAB}/full")  # what the entity has does not grow


@pytest.mark.own
def test_a_run_needs_room_for_all_that_it_has(api, run, other, move, measured, ended):
    ended(run)
    run.api.request("PUT", f"{run.path}/files/a", b"x" * 1000, content_type=None)
    measured(run)
    taken = run.get()["bytes"]
    api.patch(other, {"quota_bytes": taken - 1})
    told = api.refused(403, "quota-exceeded", "POST", f"{run.path}/move", body(other))
    assert f"this run has {taken}" in told["detail"]
    api.patch(other, {"quota_bytes": taken})
    move(run, other)


def test_a_run_without_room_leaves_nothing(api, run, other, db, measured, ended):
    """Names of its keys have no numbers where it does not go; and what to do is said of it."""
    ended(run)
    measured(run)
    names = "select count(*) from project_key k join project p using (project_id) where p.name = %s"
    there = other.rsplit("/", 1)[1]
    before = db.value(names, there)
    api.patch(other, {"quota_bytes": 1})
    told = api.refused(403, "quota-exceeded", "POST", f"{run.path}/move", body(other))
    assert "moved runs are not: delete and purge other runs" in told["hint"]
    assert db.value(names, there) == before


def test_of_runs_moved_at_once_so_many_as_have_room(api, home, other, db, measured, ended):
    runs = [Run(api, f"big{at}", home) for at in range(5)]
    for one in runs:
        ended(one)
        one.api.request("PUT", f"{one.path}/files/a", b"x" * 100000, content_type=None)
        measured(one)
    there = "select coalesce(sum(size_bytes), 0)::int8 from project_usage u join project p using (project_id) where p.name = %s"
    api.patch(other, {"quota_bytes": db.value(there, other.rsplit("/", 1)[1]) + 2 * runs[0].get()["bytes"] + 50000})

    def go(one):
        return api.as_user(api.key).request("POST", f"{one.path}/move", body(other)).status
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(go, runs))
    assert sorted(answers) == [200, 200, 403, 403, 403]


def test_not_before_its_last_rows_are_in_order(api, run, other, db, move, wait_for, ended):
    """What waits in the tail has the numbers of this project: it is put into chunks first."""
    ended(run)
    number = run_id(db, run)
    db.query("update run_hot set tail_rows = 1 where run_id = %s", number)
    answer = api.request("POST", f"{run.path}/move", body(other))
    assert (answer.status, answer.headers["retry-after"] is not None) == (503, True)
    db.query("update run_hot set tail_rows = 0 where run_id = %s", number)
    move(run, other)


@pytest.mark.long
def test_a_run_that_is_too_long(api, run, other, db, move, ended):
    """50,000 chunks are the most; of more no more are counted."""
    ended(run)
    number = run_id(db, run)
    there = db.value("select count(*) from chunk where run_id = %s", number)
    db.query("insert into chunk (run_id, stream, key_id, kind, writer, index_first, value_count, row_first, row_last, step_min, "
             "step_max, data) select run_id, stream, key_id, kind, writer, i * 4096, 1, 0, 0, 0, 0, 'x' "
             "from generate_series(1, 60000 - %s) i, (select * from chunk where run_id = %s limit 1) c", there, number)
    assert "more than 50000 chunks" in api.refused(422, "unprocessable", "POST", f"{run.path}/move", body(other))["detail"]
    db.query("delete from chunk where run_id = %s and index_first between 4096 and 4096 * 9999", number)
    assert "more than 50000 chunks" in api.refused(422, "unprocessable", "POST", f"{run.path}/move", body(other))["detail"]
    db.query("delete from chunk where run_id = %s and index_first = 4096 * 10000", number)
    move(run, other)


def cut_off(api, *request):
    with pytest.raises(ConnectionError):
        api.as_user(api.key).request(*request)


@pytest.mark.own
def test_killed_in_the_middle(api, run, home, db, server, secret_file, wait_for, ended):
    """Nothing of a move that did not come to its end is there; the same move is done then."""
    ended(run, rows=300)
    other = f"{home}-other"
    Run(api, "first", other).join().send(history=[{"z": 1, "x": 2}])
    number = run_id(db, run)
    wait_for(lambda: db.value("select size_seq = next_seq - 1 from run_hot where run_id = %s", number))
    before = seen(run)
    ids = db.query("select key_id, index_first from chunk where run_id = %s order by 1, 2", number)
    with db.hold(f"update project_usage set size_bytes = size_bytes where project_id = "
                 f"(select project_id from run_hot where run_id = {number})"):
        asked = threading.Thread(target=cut_off, args=(api, "POST", f"{run.path}/move", body(other)))
        asked.start()
        wait_for(lambda: db.value("select count(*) from pg_stat_activity where wait_event_type = 'Lock' "
                                  "and query like '%%project_usage%%'"), what="the move waits")
        server.kill()
        asked.join()
    server.start(server.port)
    wait_for(lambda: not db.value("select count(*) from pg_locks l join pg_class c on c.oid = l.relation "
                                  "where c.relname = 'run_hot' and l.mode = 'RowExclusiveLock'"))
    assert seen(run) == before
    assert db.query("select key_id, index_first from chunk where run_id = %s order by 1, 2", number) == ids
    api.refused(404, "not-found", "GET", at(run, other).path)
    cairnd_run(db.url, secret_file, "verify")
    assert api.post(f"{run.path}/move", body(other)).status == 200
    assert seen(at(run, other)) == before


def test_another_server_that_knows_the_old_address(api, run, other, two_servers, move, ended):
    """It keeps what an address leads to for a second: keys are never looked up by the numbers of the wrong project."""
    ended(run)
    second = run.at(two_servers[1])
    tails = ("/history?keys=loss,x", "/history?format=ndjson", "/keys", "/ranks?key=loss", "/config", "")
    for tail in tails:
        second.api.get(second.path + tail)
    moved = move(run, other)
    answers = {tail: second.api.request("GET", second.path + tail) for tail in tails}
    for tail in tails[:4]:
        assert answers[tail].status == 410, answers[tail]
    second.api.refused(410, "gone", "POST", f"{second.path}/history", {"loss": 1})
    second.api.refused(410, "gone", "PATCH", second.path, {"notes": "x"})
    assert moved.values("loss") == [0, 1, 2, 3, 4]
    assert moved.get()["notes"] == ""
