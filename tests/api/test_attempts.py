"""States: who decides how an attempt ends, who is lost, what is remembered. The clock is shifted."""
import pathlib

import pytest

from runs import Run, run_id

LIMIT = 300
QUEUED = (pathlib.Path(__file__).parents[2] / "migrations/0020_lost_writers.sql").read_text().rstrip().rstrip(";")


def fall_silent(shift_clock, heard):
    """All but that one, which is heard half way: so the run is never without a sign of life, however slow this is."""
    for _ in range(2):
        shift_clock(LIMIT / 2 + 20)
        heard.send()


def finish(run, body):
    return run.api.post(f"{run.path}/finish", body).json


# --- a primary decides

@pytest.mark.parametrize("exit_code, more, state", [
    (0, {}, "finished"), (1, {}, "failed"), (-9, {}, "failed"), (255, {}, "failed"),
    (0, {"state": "killed"}, "killed"), (130, {"state": "killed"}, "killed"),
    (0, {"state": "failed"}, "failed"), (3, {"state": "finished"}, "finished"),
])
def test_one_primary(run, exit_code, more, state):
    ended = run.join().finish(exit_code, **more)
    assert (ended["state"], ended["exit_code"]) == (state, exit_code)
    assert ended["ended_at"] is not None
    assert run.writers()["w1"]["state"] == "ended"


def test_a_repeated_finish_changes_nothing(run):
    w = run.join()
    first = w.finish(0)
    assert w.finish(0) == first
    assert w.finish(1) == first
    assert len(run.states()) == 2


def test_the_worst_of_the_primaries_decides(run):
    one, two = run.join("c1"), run.join("c2")
    assert one.finish(0)["state"] == "running"
    ended = two.finish(3)
    assert (ended["state"], ended["exit_code"]) == ("failed", 3)


def test_one_ended_the_others_lost(run, shift_clock, wait_for):
    one, _ = run.join("c1"), run.join("c2")
    one.finish(0)
    shift_clock(LIMIT - 60)
    assert run.state == "running"
    shift_clock(120)
    wait_for(lambda: run.state == "finished")
    last = run.states()[-1]
    assert (last["from"], last["to"], last["who"]) == ("running", "finished", "sweeper")
    assert run.writers()["c2"]["state"] == "lost"


# --- a worker does not

def test_a_workers_finish_ends_that_worker(run):
    run.join("boss")
    worker = run.join("c1", "worker")
    after = worker.finish(1)
    assert (after["state"], after["exit_code"]) == ("running", None)
    shown = run.writers()["c1"]
    assert (shown["state"], shown["exit_code"]) == ("ended", 1)
    assert len(run.states()) == 1


@pytest.mark.parametrize("state", ["finished", "failed", "killed"])
def test_a_worker_may_not_decide(run, state):
    run.join("boss")
    worker = run.join("c1", "worker")
    before = run.get(), run.writers()
    body = {"writer": "c1", "session": worker.session, "exit_code": 0, "state": state}
    run.api.refused(403, "worker-may-not-decide", "POST", f"{run.path}/finish", body)
    assert (run.get(), run.writers()) == before
    assert len(run.states()) == 1


def test_a_workers_death_does_not_touch_the_run(run, shift_clock, wait_for):
    boss = run.join("boss")
    run.join("c1", "worker").send(history=[{"a": 1}])
    shift_clock(LIMIT - 60)
    boss.send()
    shift_clock(120)
    boss.send()
    wait_for(lambda: run.writers()["c1"]["state"] == "lost")
    lost = run.writers()["c1"]
    assert lost["heard_at"] < run.get()["heard_at"]
    assert (run.state, run.writers()["boss"]["state"]) == ("running", "alive")
    assert boss.finish(0)["state"] == "finished"
    assert [s["to"] for s in run.states()] == ["running", "finished"]


def test_who_was_heard_before_a_persons_end_is_not_lost(run, shift_clock, wait_for):
    run.join("old", "worker")
    shift_clock(LIMIT - 60)
    boss = run.join("boss")
    shift_clock(120)
    boss.send(history=[{"a": 1}])
    assert run.api.post(f"{run.path}/finish", {"exit_code": 0}).json["state"] == "finished"

    def shown():
        return {client: w["state"] for client, w in run.writers().items()}
    assert shown() == {"old": "lost", "boss": "alive"}
    shift_clock(LIMIT - 60)
    boss.send(history=[{"a": 2}])
    assert (shown()["boss"], run.values("a"), run.state) == ("alive", [1, 2], "finished"), "late data is taken as ever"
    shift_clock(LIMIT + 60)
    assert shown() == {"old": "lost", "boss": "ended"}
    assert run.writers()["boss"]["ended_at"] is None
    for state in "failed", "crashed":  # who left may be why
        run.api.post(f"{run.path}/states", {"state": state, "reason": "it was not well"})
        assert shown() == {"old": "lost", "boss": "lost"}, state


def test_lost_writers_are_found(run, db, shift_clock, wait_for):
    """By the filter of the view Debug: one that falls silent in a run that goes on, and is back; not what is silent after the end."""
    def found():
        debug = run.api.get(f"{run.path.rsplit('/', 2)[0]}/views/debug").json["state"]["q"]
        return [(item["id"], *item["values"])
                for item in run.api.get(f"{run.path.rsplit('/', 1)[0]}", filter=debug, keys="writers_lost").json["items"]]
    boss, worker = run.join("boss"), run.join("c1", "worker")
    fall_silent(shift_clock, boss)
    wait_for(lambda: found() == [("r1", 1)], what="the worker is lost")
    worker.send()
    wait_for(lambda: found() == [], what="it is back")
    assert boss.finish(0)["state"] == "finished"
    shift_clock(LIMIT + 60)
    run.api.patch(run.path, {"notes": "its document is written again"})
    wait_for(lambda: run.api.get(run.path.rsplit("/", 1)[0], filter="notes:/again/").json["items"], what="that")
    other = Run(run.api, "r2", run.path.rsplit("/runs/", 1)[0])
    assert run.writers()["c1"]["state"] == "lost" and found() == []
    boss, worker = other.join("boss"), other.join("c1", "worker")
    assert boss.finish(1)["state"] == "failed"
    wait_for(lambda: found() == [("r2", 1)], what="it did not report its end")
    queued = {row[0] for row in db.query(f"{QUEUED} returning run_id")}  # those of other tests, too
    assert queued & {run_id(db, run), run_id(db, other)} == {run_id(db, other)}, "as an upgrade finds it"
    worker.finish(1)
    wait_for(lambda: found() == [], what="it did")


def test_a_primarys_silence_alone_is_no_crash(run, shift_clock, wait_for):
    run.join("boss")
    worker = run.join("c1", "worker")
    for _ in range(4):
        shift_clock(LIMIT - 60)
        worker.send()
    wait_for(lambda: run.writers()["boss"]["state"] == "lost")
    assert run.state == "running"


def test_the_parents_finish_ends_its_children(run):
    boss = run.join("boss")
    run.join("c1", "worker", parent="boss")
    run.join("other", "worker")
    boss.finish(0)
    states = {client: w["state"] for client, w in run.writers().items()}
    assert states == {"boss": "ended", "c1": "ended", "other": "alive"}


# --- silence

def test_crashed_after_the_limit(run, shift_clock, wait_for):
    w = run.join()
    w.send(history=[{"a": 1}])
    shift_clock(LIMIT - 30)
    assert run.state == "running"
    shift_clock(60)
    wait_for(lambda: run.state == "crashed")
    run_now = run.get()
    assert run_now["exit_code"] is None and run_now["ended_at"] is not None
    last = run.states()[-1]
    assert (last["from"], last["to"], last["who"], last["writer"]) == ("running", "crashed", "sweeper", None)
    assert last["reason"]


def test_heartbeats_keep_it_alive(run, shift_clock):
    w = run.join()
    for _ in range(5):
        shift_clock(LIMIT - 60)
        w.send()
    assert run.state == "running"
    assert len(run.states()) == 1


def test_a_run_nobody_joined_crashes_too(run, shift_clock, wait_for):
    shift_clock(LIMIT + 30)
    wait_for(lambda: run.state == "crashed")


def test_the_projects_own_limit(api, project, home, shift_clock, wait_for):
    api.put(f"{home}-fast", {"crash_after_s": 20})
    fast, slow = Run(api, project=f"{home}-fast"), Run(api, project=project)
    assert fast.join().joined["crash_after_s"] == 20
    slow.join()
    shift_clock(30)
    wait_for(lambda: fast.state == "crashed")
    assert fast.writers()["w1"]["state"] == "lost"
    assert (slow.state, slow.writers()["w1"]["state"]) == ("running", "alive")
    api.patch(project, {"crash_after_s": 25})
    wait_for(lambda: slow.state == "crashed")


# --- a person ends a writer that is lost

def end(run, client, **body):
    number = run.writers()[client]["number"]
    return run.api.post(f"{run.path}/writers/{number}/end", {"reason": "its node is gone", **body}).json


def refuse_end(run, client, status, problem, **body):
    number = run.writers()[client]["number"]
    body = {"reason": "its node is gone", **body}
    return run.api.refused(status, problem, "POST", f"{run.path}/writers/{number}/end", body)


def test_a_lost_worker_is_ended_by_hand(run, shift_clock):
    boss, lost = run.join("boss"), run.join("c1", "worker")
    lost.send(history=[{"a": 1}])
    refuse_end(run, "c1", 409, "writer-alive")
    fall_silent(shift_clock, boss)
    refuse_end(run, "c1", 403, "worker-may-not-decide", state="failed")
    assert end(run, "c1")["state"] == "running"
    ended = run.writers()["c1"]
    assert (ended["state"], ended["exit_code"], ended["ended_at"] > ended["heard_at"]) == ("ended", None, True)
    note = run.states()[-1]
    assert (note["from"], note["to"], note["who"], note["user"], note["label"]) == (
        "running", "running", "user", "ann", "c1")
    assert note["reason"] == 'the lost writer "c1" was ended: its node is gone'
    states = run.states()
    end(run, "c1")
    assert run.states() == states and run.writers()["c1"] == ended
    assert boss.finish(0)["state"] == "finished"


def test_who_was_ended_by_hand_comes_back(run, shift_clock):
    """What it sends is stored, once, and it is alive; its own end counts then."""
    boss, lost = run.join("boss"), run.join("c1", "worker")
    lost.send(history=[{"a": 1}])
    fall_silent(shift_clock, boss)
    end(run, "c1")
    lost.send(history=[{"a": 2}])
    assert (run.writers()["c1"]["state"], run.writers()["c1"]["ended_at"]) == ("alive", None)
    lost.send(history=[{"a": 3}])
    fall_silent(shift_clock, boss)
    end(run, "c1")
    lost.finish(4)
    assert (run.writers()["c1"]["state"], run.writers()["c1"]["exit_code"]) == ("ended", 4)
    assert run.values("a") == [1, 2, 3]


@pytest.mark.parametrize("asked, state", [(None, "failed"), ("finished", "finished"), ("killed", "killed")])
def test_a_lost_primary_that_is_ended_by_hand_ends_the_run(run, shift_clock, asked, state):
    boss, worker = run.join("boss"), run.join("c1", "worker")
    fall_silent(shift_clock, worker)
    ended = end(run, "boss", **({"state": asked} if asked else {}))
    assert (ended["state"], ended["exit_code"]) == (state, None)
    assert [(s["from"], s["to"], s["who"], s["user"]) for s in run.states()[-2:]] == [
        ("running", "running", "user", "ann"), ("running", state, "user", "ann")]
    boss.send(history=[{"a": 1}])
    assert (run.state, run.writers()["boss"]["state"], run.values("a")) == (state, "alive", [1])
    boss.join()
    assert run.state == "running"


def test_only_admins_end_a_writer(by, shift_clock):
    """A member writes, and may stop and finish the run, but says of nobody else's process that it is over."""
    run = Run(by["mel"], "r1", "/api/v1/projects/lab/ended-by-admins")
    boss = run.join("boss")
    run.join("c1", "worker")
    fall_silent(shift_clock, boss)
    refuse_end(run, "c1", 403, "forbidden")
    assert run.writers()["c1"]["state"] == "lost"
    path = f"{run.path}/writers/{run.writers()['c1']['number']}/end"
    assert by["bob"].post(path, {"reason": "its node is gone"}).json["state"] == "running"
    assert run.writers()["c1"]["state"] == "ended"


def test_a_primary_that_is_ended_by_hand_is_waited_for_no_more(run, shift_clock):
    """Others that are heard decide on, and one of its label takes its place."""
    run.join("boss", label="rank0")
    other = run.join("other", label="rank1")
    fall_silent(shift_clock, other)
    assert end(run, "boss")["state"] == "running"
    again = run.join("boss2", label="rank0")
    assert run.writers()["boss"]["state"] == "replaced"
    other.finish(0)
    assert again.finish(0)["state"] == "finished"


@pytest.mark.parametrize("body, field", [({}, "reason"), ({"reason": ""}, "reason"), ({"reason": "x" * 1001}, "reason"),
                                         ({"reason": "x", "state": "crashed"}, "state")])
def test_ending_a_writer_refuses(run, body, field):
    run.join()
    assert run.api.refused(400, "invalid", "POST", f"{run.path}/writers/0/end", body)["field"] == field
    for number in ("1", "-1", "x", "99999999999"):
        run.api.refused(404, "writer-unknown", "POST", f"{run.path}/writers/{number}/end", {"reason": "x"})
    run.log([{"a": 1}])
    hand = next(w for w in run.writers().values() if w["role"] == "hand")
    run.api.refused(409, "writer-alive", "POST", f"{run.path}/writers/{hand['number']}/end", {"reason": "x"})


# --- a run that comes back

@pytest.mark.parametrize("role", ["primary", "worker"])
def test_data_of_any_writer_revives_a_crashed_run(run, shift_clock, wait_for, role):
    w = run.join("c1", role)
    shift_clock(LIMIT + 30)
    wait_for(lambda: run.state == "crashed")
    answer = w.send(history=[{"a": 1}])
    assert answer["state"] == "running"
    now = run.get()
    assert (now["state"], now["attempt"], now["ended_at"]) == ("running", 2, None)
    last = run.states()[-1]
    assert (last["from"], last["to"], last["who"], last["label"], last["attempt"]) == (
        "crashed", "running", "writer", "c1", 2)
    assert run.values("a") == [1]


def test_a_heartbeat_revives_too(run, shift_clock, wait_for):
    w = run.join()
    shift_clock(LIMIT + 30)
    wait_for(lambda: run.state == "crashed")
    w.send()
    assert run.state == "running"


def test_a_repeat_revives_too(run, shift_clock, wait_for):
    """Who sends again what it got no answer to lives; nothing of it is stored again."""
    w = run.join()
    first = w.send(history=[{"a": 1}])
    shift_clock(LIMIT + 30)
    wait_for(lambda: run.state == "crashed")
    assert w.repeat() == first
    assert (run.state, run.get()["attempt"], run.values("a")) == ("running", 2, [1])
    assert run.states()[-1]["reason"] == "a writer sent data again"


def test_what_is_refused_revives_nobody(run, shift_clock, wait_for):
    """Another session's batch and other bytes under a known number are of no writer that is known to live."""
    w = run.join()
    w.send(history=[{"a": 1}])
    shift_clock(LIMIT + 30)
    wait_for(lambda: run.state == "crashed")
    w.refused(409, "batch-differs", w.body(1, history=[{"a": 2}]))
    assert run.state == "crashed"


def test_a_revived_run_may_crash_again_and_finish(run, shift_clock, wait_for):
    w = run.join()
    for _ in range(2):
        shift_clock(LIMIT + 30)
        wait_for(lambda: run.state == "crashed")
        w.send(history=[{"a": 1}])
    assert w.finish(0)["state"] == "finished"
    assert [s["to"] for s in run.states()] == ["running", "crashed", "running", "crashed", "running", "finished"]
    assert [s["number"] for s in run.states()] == [1, 2, 3, 4, 5, 6]


def test_a_late_finish_of_a_crashed_run_counts(run, shift_clock, wait_for):
    w = run.join()
    shift_clock(LIMIT + 30)
    wait_for(lambda: run.state == "crashed")
    assert w.finish(0)["state"] == "finished"


@pytest.mark.parametrize("state", ["finished", "failed", "killed"])
def test_late_data_is_kept_and_changes_no_end(run, state):
    boss, worker = run.join("boss"), run.join("c1", "worker")
    ended = boss.finish(0, state=state)
    for w in (worker, boss):
        answer = w.send(history=[{"late": w.client}], summary={"best": 1})
        assert answer["state"] == state
    after = run.get()
    assert (after["state"], after["attempt"], after["ended_at"]) == (state, 1, ended["ended_at"])
    assert run.values("late") == ["c1", "boss"]
    assert len(run.states()) == 2


@pytest.mark.parametrize("state", ["finished", "failed", "killed"])
def test_a_join_resumes(run, state):
    w = run.join("c1")
    w.finish(0, state=state)
    again = run.join("c2")
    assert (again.joined["run"]["state"], again.joined["run"]["attempt"]) == ("running", 2)
    assert again.finish(2)["state"] == "failed"
    assert [(s["to"], s["attempt"]) for s in run.states()] == [
        ("running", 1), (state, 1), ("running", 2), ("failed", 2)]


def test_only_writers_of_the_attempt_decide(run):
    one, two = run.join("c1"), run.join("c2")
    one.finish(1)
    two.finish(0)
    assert run.state == "failed"
    three = run.join("c3")
    assert three.finish(0)["state"] == "finished"


def test_a_late_evaluator_does_not_undo_an_end(run):
    run.join("boss").finish(1)
    late = run.join("eval", "worker")
    assert run.state == "running"
    assert late.finish(0)["state"] == "failed"


def test_a_primary_takes_the_place_of_a_lost_one(run, shift_clock, wait_for):
    run.join("old", label="rank0")
    helper = run.join("c1", "worker")
    shift_clock(LIMIT - 60)
    helper.send()
    shift_clock(120)
    helper.send()
    wait_for(lambda: run.writers()["old"]["state"] == "lost")
    new = run.join("new", label="rank0")
    assert run.writers()["old"]["state"] == "replaced"
    assert new.finish(0)["state"] == "finished"


def test_a_primary_does_not_replace_one_that_lives(run):
    run.join("one", label="rank0")
    two = run.join("two", label="rank0")
    assert run.writers()["one"]["state"] == "alive"
    assert two.finish(0)["state"] == "running"


# --- people

def test_stop_is_told_in_the_next_answer(run):
    w, other = run.join("c1"), run.join("c2", "worker")
    assert w.send()["stop"] is False
    asked = run.api.post(f"{run.path}/stop", {"reason": "enough"}).json
    assert asked["stop_reason"] == "enough" and asked["stop_requested_at"]
    assert run.api.post(f"{run.path}/stop", {"reason": "again"}).json == asked
    assert w.send()["stop"] is True
    assert other.send(history=[{"a": 1}])["stop"] is True
    assert w.repeat()["stop"] is True
    assert run.join("c3", "worker").joined["stop"] is True
    w.finish(0)
    run.api.refused(409, "conflict", "POST", f"{run.path}/stop", {})
    resumed = run.join("c4").joined
    assert (resumed["stop"], resumed["run"]["stop_requested_at"]) == (False, None)


@pytest.mark.parametrize("body, state, exit_code", [
    ({"exit_code": 0}, "finished", 0), ({"exit_code": 4}, "failed", 4), ({"state": "killed"}, "killed", None),
    ({"state": "finished", "reason": "good enough"}, "finished", None),
])
def test_finish_by_hand(run, body, state, exit_code):
    run.join()
    ended = finish(run, body)
    assert (ended["state"], ended["exit_code"]) == (state, exit_code)
    last = run.states()[-1]
    assert (last["who"], last["user"], last["writer"]) == ("user", "ann", None)
    if "reason" in body:
        assert last["reason"] == body["reason"]


@pytest.mark.parametrize("body", [
    {}, {"reason": "x"}, {"state": "running"}, {"state": "crashed"}, {"exit_code": 256}, {"exit_code": -256},
    {"exit_code": 1.5}, {"writer": "c1"}, {"writer": "c1", "session": 1}, {"session": 1, "exit_code": 0},
    {"state": "killed", "reason": "x" * 1001},
])
def test_finish_refuses(run, body):
    run.join("c1")
    run.api.refused(400, "invalid", "POST", f"{run.path}/finish", body)
    assert run.state == "running"


@pytest.mark.parametrize("state", ["finished", "failed", "crashed", "killed"])
def test_override_and_back(run, state):
    w = run.join()
    after = run.api.post(f"{run.path}/states", {"state": state, "reason": "I saw it"}).json
    assert after["state"] == state
    last = run.states()[-1]
    assert (last["from"], last["to"], last["who"], last["user"], last["reason"]) == (
        "running", state, "user", "ann", "I saw it")
    run.api.post(f"{run.path}/states", {"state": state, "reason": "again"})
    assert len(run.states()) == 2
    back = run.api.post(f"{run.path}/states", {"state": "running", "reason": "no, it lives"}).json
    assert (back["state"], back["attempt"], back["ended_at"]) == ("running", 2, None)
    w.send(history=[{"a": 1}])
    assert run.state == "running"


def test_an_opinion_changes_no_exit_code(run):
    run.join().finish(3)
    after = run.api.post(f"{run.path}/states", {"state": "killed", "reason": "it was me"}).json
    assert (after["state"], after["exit_code"]) == ("killed", 3)
    assert finish(run, {"state": "finished"})["exit_code"] == 3
    assert finish(run, {"exit_code": 7})["exit_code"] == 7


@pytest.mark.parametrize("body, field", [
    ({"state": "finished"}, "reason"), ({"reason": "x"}, "state"), ({"state": "done", "reason": "x"}, "state"),
    ({"state": "finished", "reason": ""}, "reason"), ({"state": "finished", "reason": "x" * 1001}, "reason"),
])
def test_override_refuses(run, body, field):
    problem = run.api.refused(400, "invalid", "POST", f"{run.path}/states", body)
    assert problem["field"] == field
    assert len(run.states()) == 1


def test_state_history_tells_who_and_why(run):
    first, = run.states()
    assert (first["number"], first["from"], first["to"], first["attempt"]) == (1, None, "running", 1)
    assert (first["who"], first["user"]) == ("user", "ann")
    run.join("c1", label="rank0").finish(0)
    last = run.states()[-1]
    assert (last["number"], last["who"], last["writer"], last["label"]) == (2, "writer", 0, "rank0")
    assert all(s["reason"] for s in run.states())
    assert [s["at"] for s in run.states()] == sorted(s["at"] for s in run.states())


# ---- preempting, preempted, pending ------------------------------------------------------------------

def by_sdk(run, **body):
    """A plain process of the wandb SDK."""
    path = run.path.removeprefix("/api/v1/projects/").replace("/runs/", "/")
    return run.api.post(f"/files/{path}/file_stream", body, check=False)


def sdk_rows(first, *rows):
    return {"wandb-history.jsonl": {"offset": first, "content": list(rows)}}


def test_preempted_by_silence(run, shift_clock, wait_for):
    by_sdk(run, files=sdk_rows(0, '{"_step": 0}'))
    by_sdk(run, preempting=True)
    assert run.state == "preempting"
    by_sdk(run, files=sdk_rows(1, '{"_step": 1}'))
    assert run.state == "preempting"
    shift_clock(301)
    wait_for(lambda: run.state == "preempted")
    by_sdk(run, files=sdk_rows(2, '{"_step": 2}'))
    assert (run.state, len(run.rows()), run.get()["attempt"]) == ("running", 3, 2)
    assert [(s["from"], s["to"], s["who"]) for s in run.states()[1:]] == [
        ("running", "preempting", "writer"), ("preempting", "preempted", "sweeper"), ("preempted", "running", "writer")]


def test_a_pending_run_waits(run, shift_clock, wait_for):
    """For a join; nothing that is sent, and no time that passes, begins or ends it."""
    writer = run.join()
    writer.send(history=[{"x": 1}])
    assert run.api.post(f"{run.path}/states", {"state": "pending", "reason": "no room"}).json["state"] == "pending"
    writer.send(history=[{"x": 2}])
    shift_clock(301)
    other = Run(run.api, "other", run.path.split("/runs/")[0])
    other.join().send(history=[{"x": 1}])
    shift_clock(301)
    wait_for(lambda: other.state == "crashed")
    assert (run.state, run.values("x"), run.get()["ended_at"]) == ("pending", [1, 2], None)
    run.api.refused(409, "conflict", "POST", f"{run.path}/stop", {})
    run.api.refused(400, "invalid", "POST", f"{run.path}/states", {"state": "preempted", "reason": "x"})
    run.join("w2")
    assert (run.state, run.get()["attempt"]) == ("running", 2)
