"""Runs that go on from an earlier step, and runs that begin at a step of another one: nothing is lost, nothing copied."""
from concurrent.futures import ThreadPoolExecutor

import pytest

from runs import Run, compact, run_id
from server import cairnd_run


def points(run, key="loss", **query):
    return [(row["_step"], row[key]) for row in run.rows(keys=key, **query)]


def logged(first, last, scale=1):
    return [{"_step": n, "loss": n * scale} for n in range(first, last)]


def rewind(run, step):
    return run.api.post(f"{run.path}/rewind", {"step": step}).json


def fork(run, name, step, **more):
    home = run.path.rsplit("/runs/", 1)[0]
    made = Run(run.api, name, home, make=False)
    assert run.api.put(made.path, {"forked_from": {"run": run.name, "step": step}, **more}).status == 201
    return made


def listed(run, key):
    """What the list of runs has there."""
    items = run.api.get(run.path.rsplit("/runs/", 1)[0] + "/runs", keys=key).json["items"]
    return next(item["values"][0] for item in items if item["id"] == run.name)


def buckets(run, key="loss", **query):
    """Every value of a small run is a bucket of its own."""
    series, = run.sampled(key, **query)
    return [(b["x_first"], b["first"]) for b in series["buckets"]]


def check(run, expected, old=()):
    """What is shown in every way of reading, and what is not."""
    head = run.get()
    assert points(run) == expected
    assert buckets(run) == sorted(expected)
    assert (head["rows"], head["last_step"]) == (len(expected), max(step for step, _ in expected))
    assert run.summary()["loss"] == expected[-1][1]
    key = run.keys()["loss"]
    assert (key["count"], key["last"], key["step_last"]) == (len(expected), expected[-1][1], expected[-1][0])
    whole, = run.sampled("loss", buckets=1)
    assert (whole["buckets"][0]["min"], whole["buckets"][0]["max"], whole["buckets"][0]["n"]) == (
        min(v for _, v in expected), max(v for _, v in expected), len(expected))
    for branch, rows in enumerate(old):
        assert points(run, branch=branch) == rows
        assert buckets(run, branch=branch) == sorted(rows)


def test_a_rewound_run_is_measured_again(run, db, wait_for):
    """It keeps the key lists of the branch that it left, and no row may ever come that would have it compacted."""
    def measured():
        return db.value("select size_seq = compact_seq from run_hot where run_id = %s", run_id(db, run))
    run.join("w1").send(history=logged(0, 10))
    compact(db, wait_for, run)
    wait_for(measured)
    rewind(run, 3)
    wait_for(measured)


def test_a_rewound_run_goes_on_from_the_step(run, db, wait_for):
    writer = run.join("w1")
    writer.send(history=logged(0, 10), summary={"loss": {"max": 9}, "best": 1})
    writer.finish()
    before = run.summary()
    head = rewind(run, 3)
    assert (head["branch"], head["rows"], head["last_step"], head["state"]) == (1, 4, 3, "finished")
    old = [[(n, n) for n in range(10)]]
    check(run, [(n, n) for n in range(4)], old)
    assert run.summary()["best"] == 1
    again = run.join("w2")
    again.send(history=[{"_step": 4, "loss": 40}, {"loss": 50}])
    shown = [(n, n) for n in range(4)] + [(4, 40), (5, 50)]
    check(run, shown, old)
    compact(db, wait_for, run)
    check(run, shown, old)
    again.finish()
    first, second = run.api.pages(f"{run.path}/branches")
    assert (first["number"], first["from"], first["rows"], first["last_step"]) == (0, None, 10, 9)
    assert first["left_at"] == second["made_at"]
    assert (second["number"], second["from"], second["left_at"]) == (1, {"run": "r1", "branch": 0, "step": 3}, None)
    assert (second["rows"], second["user"]) == (6, "ann")
    assert run.api.get(f"{run.path}/summary", branch=0).json == before
    assert [s["reason"] for s in run.states()][-3] == "rewound to step 3"


@pytest.mark.parametrize("rows", [300, pytest.param(5000, marks=pytest.mark.long)])
def test_cells_and_chunks_are_cut_where_the_step_is(run, db, wait_for, rows):
    """Charts of cells and of single values, compacted or not, are the same as those of a run that never knew more."""
    writer = run.join("w1")
    for first in range(0, rows, 3000):
        writer.send(history=[{"_step": n, "loss": n % 101, "x": n / 8, "text": f"t{n}"}
                             for n in range(first, min(first + 3000, rows))])
    cut = rows - 137
    plain = Run(run.api, "plain", run.path.rsplit("/runs/", 1)[0])
    plain.join("w1").send(history=[{"_step": n, "loss": n % 101, "x": n / 8, "text": f"t{n}"} for n in range(cut + 1)])
    rewind(run, cut)
    forked = fork(run, "forked", cut)
    for _ in range(2):
        for one in run, forked:
            for query in ({"buckets": 7}, {"buckets": 50, "from": 100, "to": cut}, {"buckets": 1000, "from": max(cut - 200, 0)},
                          {"buckets": 20, "x": "x"}, {"buckets": 9, "split": "writer"}):
                seen, = one.sampled("loss", **query)
                expected, = plain.sampled("loss", **query)
                assert shape(seen["buckets"]) == shape(expected["buckets"]), query
            assert [row["text"] for row in one.rows(keys="text")] == [f"t{n}" for n in range(cut + 1)]
            assert one.keys() == plain.keys()
        compact(db, wait_for, run)


def shape(buckets):
    """Sums of cells that were cut may differ in the last bit."""
    return [{**b, "mean": pytest.approx(b["mean"])} for b in buckets]


def test_rewound_again_and_below(run):
    writer = run.join("w1")
    writer.send(history=logged(0, 6))
    rewind(run, 3)
    second = run.join("w2")
    second.send(history=logged(4, 8, 10))
    rewind(run, 5)
    third = run.join("w3")
    third.send(history=logged(6, 8, 100))
    inherited = [(n, n) for n in range(4)] + [(4, 40), (5, 50)]
    old = [[(n, n) for n in range(6)], inherited + [(6, 60), (7, 70)]]
    check(run, inherited + [(6, 600), (7, 700)], old)
    rewind(run, 1)
    check(run, [(0, 0), (1, 1)], old + [inherited + [(6, 600), (7, 700)]])
    run.join("w4").send(history=[{"loss": -1}])
    check(run, [(0, 0), (1, 1), (2, -1)], old)
    assert run.get()["branch"] == 3


def test_a_step_that_nothing_lies_beyond_changes_nothing(run):
    run.join("w1").send(history=logged(0, 3))
    for step in 2, 3, 2**53:
        assert rewind(run, step)["branch"] == 0
    assert run.api.pages(f"{run.path}/branches") == []
    assert rewind(run, 1)["branch"] == 1
    assert rewind(run, 1)["branch"] == 1
    assert rewind(run, 0)["branch"] == 2


def test_a_run_may_be_rewound_to_before_its_first_step(run):
    run.join("w1").send(history=[{"_step": n, "loss": n} for n in (5, 6)], config={"lr": 1})
    head = rewind(run, 2)
    assert (head["rows"], head["last_step"]) == (0, None)
    assert (run.rows(), run.keys(), run.sampled("loss")[0]["buckets"]) == ([], {}, [])
    assert "loss" not in run.summary() and run.config() == {"lr": 1}
    run.log([{"loss": 1}])
    assert points(run) == [(0, 1)]
    assert points(run, branch=0) == [(5, 5), (6, 6)]


def test_a_writer_of_the_branch_before_goes_on_in_it(run):
    """Its lines are kept, in the branch that it works for; it decides nothing of the new one."""
    first, worker = run.join("w1"), run.join("w2", "worker")
    first.send(history=logged(0, 5))
    worker.send(history=[{"_step": 2, "loss": 22}], summary={"of_worker": 1})
    rewind(run, 3)
    second = run.join("w3")
    second.send(history=logged(4, 6, 10))
    worker.send(history=[{"_step": 3, "loss": 33}, {"loss": 44}], summary={"best": 5}, console=[
        {"line": 0, "stream": "stdout", "time": 1, "text": "still here"}], events=[{"cpu": 1}])
    first.repeat()
    first.send(history=logged(5, 7))
    shown = [(0, 0), (1, 1), (2, 2), (3, 3), (2, 22), (4, 40), (5, 50)]
    old = [(n, n) for n in range(5)] + [(2, 22), (3, 33), (4, 44), (5, 5), (6, 6)]
    assert points(run) == shown
    assert points(run, branch=0) == old
    assert [line["text"] for line in run.console()] == ["still here"]
    assert len(run.events()) == 1
    assert "best" not in run.summary()
    first.finish(exit_code=3)
    assert run.state == "running"
    assert run.get()["rows"] == len(shown)
    second.finish()
    assert (run.state, run.get()["exit_code"]) == ("finished", 0)


def test_who_joins_again_joins_the_new_branch(run):
    """The same client id is another process then: the one before is fenced as ever."""
    first = run.join("w1")
    first.send(history=logged(0, 5))
    rewind(run, 2)
    again = run.join("w1")
    assert again.number != first.number
    again.send(history=logged(3, 5, 10))
    first.refused(409, "session-fenced", first.body(2, history=logged(5, 6)))
    assert points(run) == [(0, 0), (1, 1), (2, 2), (3, 30), (4, 40)]
    assert points(run, branch=0) == [(n, n) for n in range(5)]
    assert sorted(run.writers()) == ["w1", "w1@0"]


def test_rows_by_hand_are_of_the_new_branch(run):
    run.log(logged(0, 3))
    rewind(run, 0)
    run.log([{"loss": 7}])
    check(run, [(0, 0), (1, 7)], [[(n, n) for n in range(3)]])


def test_a_fork_shows_what_it_inherited(run, db, wait_for):
    writer = run.join("w1", label="rank0")
    writer.send(history=logged(0, 6), config={"lr": 1}, events=[{"cpu": 1}],
                console=[{"line": 0, "stream": "stdout", "time": 1, "text": "of the parent"}])
    forked = fork(run, "f1", 2, config={"lr": 2})
    head = forked.get()
    assert (head["branch"], head["forked_from"], head["rows"]) == (1, {"run": "r1", "step": 2}, 3)
    check(forked, [(0, 0), (1, 1), (2, 2)])
    own = forked.join("w1", label="other")
    own.send(history=[{"loss": 30}, {"loss": 40}])
    writer.send(history=logged(6, 8))
    shown = [(0, 0), (1, 1), (2, 2), (3, 30), (4, 40)]
    for _ in range(2):
        check(forked, shown)
        check(run, [(n, n) for n in range(8)])
        compact(db, wait_for, run, forked)
    assert [row["_label"] for row in forked.rows()] == ["rank0"] * 3 + ["other"] * 2
    assert points(forked, label="rank0") == shown[:3]
    assert (forked.config(), forked.console(), forked.events()) == ({"lr": 2}, [], [])
    wait_for(lambda: listed(forked, "writers") == 1, what="its own writer, alone, in the list")
    assert db.value("select count(*) from chunk c join run r using (run_id) where r.name = 'f1' and c.row_first < 6") == 0
    exported = run.api.get(f"{run.path.rsplit('/runs/', 1)[0]}/history", format="ndjson", keys="loss").lines
    assert [(row["_step"], row["loss"]) for row in exported if row["_run"] == "f1"] == shown


def test_forks_of_forks_and_rewinds_below(run):
    run.join("w1").send(history=logged(0, 6))
    child = fork(run, "child", 4)
    child.join("w1").send(history=logged(5, 8, 10))
    grandchild = fork(child, "grandchild", 6)
    grandchild.join("w1").send(history=logged(7, 9, 100))
    of_child = [(n, n) for n in range(5)] + [(5, 50), (6, 60)]
    check(grandchild, of_child + [(7, 700), (8, 800)])
    rewind(child, 1)
    child.join("w2").send(history=logged(2, 4, 7))
    rewind(run, 0)
    check(run, [(0, 0)])
    check(child, [(0, 0), (1, 1), (2, 14), (3, 21)], [])
    assert points(child, branch=1) == of_child + [(7, 70)]
    check(grandchild, of_child + [(7, 700), (8, 800)])
    rewind(grandchild, 2)
    check(grandchild, [(0, 0), (1, 1), (2, 2)])


def test_a_parent_is_purged_after_its_forks(api, run, home, db, wait_for):
    run.join("w1").send(history=logged(0, 4))
    forked = fork(run, "f1", 2)
    number = db.value("select run_id from run r join project p using (project_id) where r.name = 'r1' and p.name = %s",
                      home.rsplit("/", 1)[1])
    api.delete(run.path, purge="now")
    assert api.request("GET", run.path).status == 410
    other = Run(api, "other", home)
    api.delete(other.path, purge="now")
    wait_for(lambda: not db.value("select count(*) from run_hot h join run r using (run_id) join project p on "
                                  "p.project_id = r.project_id where r.name = 'other' and p.name = %s", home.rsplit("/", 1)[1]))
    check(forked, [(0, 0), (1, 1), (2, 2)])
    assert db.value("select count(*) from run_hot where run_id = %s", number) == 1
    api.delete(forked.path, purge="now")
    wait_for(lambda: db.value("select count(*) from run_hot where run_id = %s", number) == 0)
    for table in "run_branch", "run_branch_keys", "chunk", "run_keys":
        assert db.value(f"select count(*) from {table} where run_id = %s", number) == 0


def test_what_is_wrong_is_said(api, run, home):
    run.join("w1").send(history=logged(0, 2))
    for body in {}, {"step": -1}, {"step": 0.5}, {"step": 2**53 + 1}, {"step": 1, "more": 1}:
        api.refused(400, "invalid", "POST", f"{run.path}/rewind", body)
    api.refused(404, "not-found", "POST", f"{home}/runs/nobody/rewind", {"step": 1})
    api.refused(404, "not-found", "PUT", f"{home}/runs/f1", {"forked_from": {"run": "nobody", "step": 1}})
    api.refused(400, "invalid", "PUT", f"{home}/runs/f1", {"forked_from": {"run": "f1", "step": 1}})
    api.refused(400, "invalid", "PUT", f"{home}/runs/f1", {"forked_from": {"run": "r1"}})
    assert api.request("GET", f"{home}/runs/f1").status == 404
    api.refused(404, "not-found", "GET", f"{run.path}/history?format=ndjson&branch=1")
    api.refused(400, "invalid", "GET", f"{run.path}/history?format=ndjson&branch=x")
    assert len(api.get(f"{run.path}/history", format="ndjson", branch=0).lines) == 2
    api.delete(run.path)
    api.refused(410, "gone", "PUT", f"{home}/runs/f1", {"forked_from": {"run": "r1", "step": 1}})


def test_a_put_that_is_repeated_forks_once(run):
    run.join("w1").send(history=logged(0, 4))
    forked = fork(run, "f1", 2)
    rewind(forked, 1)
    answer = run.api.put(forked.path, {"forked_from": {"run": "r1", "step": 2}})
    assert (answer.status, answer.json["branch"]) == (200, 2)


@pytest.mark.parametrize("before", [5, pytest.param(1500, marks=pytest.mark.long)])
def test_rewound_while_others_write(run, db, two_servers, before):
    """Whatever is under way when the run is rewound is stored before it or after, by either server, in one branch."""
    first, second = two_servers
    writers = [run.join(f"w{n}", "worker") for n in range(3)] + [run.at(second).join("w3")]
    for n, writer in enumerate(writers):
        writer.send(history=[{"_step": step, "loss": n} for step in range(before)])
    number = db.value("select run_id from run_hot where next_row = %s and next_writer = 4 order by run_id desc limit 1",
                      4 * before)
    with ThreadPoolExecutor(6) as pool:
        with db.hold(f"select from run_hot where run_id = {number} for update"):
            waiting = [pool.submit(writer.send_patiently, history=[{"_step": before + i, "loss": n} for i in range(4)])
                       for n, writer in enumerate(writers)]
            rewound = pool.submit(rewind, run.at(second), 2)
        assert rewound.result()["branch"] == 1
        assert [answer.result()["rows"] for answer in waiting] == [4] * 4
    assert sorted(points(run)) == [(step, n) for step in range(3) for n in range(4)]
    assert sorted(points(run, branch=0)) == [(step, n) for step in range(before + 4) for n in range(4)]
    for writer in writers:
        writer.send_patiently(history=[{"loss": 9}])
    assert len(points(run)) == 12 and len(points(run, branch=0)) == 4 * before + 20
    run.join("w9").send(history=[{"loss": 10}])
    assert points(run)[12:] == points(run.at(second))[12:] == [(3, 10)]


@pytest.mark.own
def test_verify_and_search(api, run, db, secret_file, wait_for, home):
    writer = run.join("w1")
    writer.send(history=logged(0, 500))
    rewind(run, 100)
    run.join("w2").send(history=logged(101, 120, 5))
    writer.send(history=logged(500, 510))
    forked = fork(run, "f1", 110)
    forked.join("w1").send(history=[{"loss": 1}])
    wait_for(lambda: [r["id"] for r in api.pages(f"{home}/runs", filter="summary.loss=595")] == ["r1"])
    wait_for(lambda: [r["id"] for r in api.pages(f"{home}/runs", filter="rows:112")] == ["f1"])
    cairnd_run(db.url, secret_file, "verify")
    for harm in ("update run_hot set hidden_rows = hidden_rows + 1 where branch = 1", "delete from run_branch_keys",
                 "update run_branch set parts = 'x'"):
        db.query(harm)
        with pytest.raises(Exception, match="verify"):
            cairnd_run(db.url, secret_file, "verify")


@pytest.mark.own
def test_nobody_waits_while_what_is_inherited_is_read(run, db, wait_for):
    run.join("w1").send(history=logged(0, 6000))
    waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    with ThreadPoolExecutor(1) as pool:
        with db.hold("lock table tail in access exclusive mode"):
            rewound = pool.submit(rewind, run, 5000)
            wait_for(lambda: db.value(waits) > 0, what="the reading of rows")
            assert run.api.post(f"{run.path}/alerts", {"title": "not held up"}).json["number"] == 1
        assert rewound.result()["rows"] == 5001
    assert points(run) == [(n, n) for n in range(5001)]


@pytest.mark.own
def test_nothing_is_read_for_a_rewind_that_changes_nothing(run, db):
    run.join("w1").send(history=logged(0, 6000))
    assert rewind(run, 5000)["branch"] == 1
    with db.hold("lock table tail, chunk in access exclusive mode"):
        assert rewind(run, 5000)["branch"] == 1


@pytest.mark.own
def test_verify_looks_at_branches_that_were_left(run, db, secret_file):
    writer = run.join("w1")
    writer.send(history=logged(0, 50))
    rewind(run, 30)
    run.join("w2").send(history=logged(31, 40, 5))
    rewind(run, 35)
    run.join("w3").send(history=logged(36, 38, 7))
    writer.send(history=logged(50, 52))
    cairnd_run(db.url, secret_file, "verify")
    db.query("create table saved as table run_branch; create table saved_keys as table run_branch_keys")
    for harm in ("update run_branch set row_count = row_count + 100 where number = 0",
                 "update run_branch set row_count = row_count + 1 where number = 1",
                 "delete from run_branch_keys where number = 1", "delete from run_branch where number = 1",
                 "update run_branch_keys k set document = o.document from run_branch_keys o where k.number = 1 and o.writer = 1",
                 "update run_branch set parts = 'x' where number = 0"):
        db.query(harm)
        with pytest.raises(Exception, match="verify"):
            cairnd_run(db.url, secret_file, "verify")
        db.query("delete from run_branch; insert into run_branch table saved;"
                 "delete from run_branch_keys; insert into run_branch_keys table saved_keys")
    cairnd_run(db.url, secret_file, "verify")


def test_who_sends_by_hand_is_set_aside_once(run):
    """In each branch it is another writer, whose name keeps the number of that branch, however often the run is rewound."""
    for n in range(4):
        run.log([{"loss": n}, {"loss": n}])
        rewind(run, 0)
    assert [client.rsplit("/", 1)[1] for client in run.writers()] == ["ann@0", "ann@1", "ann@2", "ann@3"]


CHANGES = {
    "rewind": lambda run: rewind(run, 1),
    "end": lambda run: run.api.post(f"{run.path}/finish", {"writer": "w1", "session": 1, "exit_code": 0}),
    "state": lambda run: run.api.post(f"{run.path}/states", {"state": "killed", "reason": "r"}),
    "delete": lambda run: run.api.delete(run.path),
    "restore": lambda run: run.api.post(f"{run.path}/restore"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_gives_the_run_another_version(run, db, what):
    """Servers that know the run's writers read them again."""
    run.join("w1").send(history=logged(0, 5))
    if what == "restore":
        run.api.delete(run.path)
    before = db.value("select version from run_hot where run_id = %s", run_id(db, run))
    CHANGES[what](run)
    assert db.value("select version from run_hot where run_id = %s", run_id(db, run)) != before
