"""Joining: sessions, fencing, who is who."""
import pytest


def test_first_join(run):
    w = run.join("c1", "primary", label="rank0", host="node7", pid=42)
    assert (w.joined["session"], w.joined["batch_next"], w.joined["sessions"]) == (1, 1, [])
    assert (w.joined["heartbeat_s"], w.joined["crash_after_s"], w.joined["stop"]) == (10, 300, False)
    assert w.joined["run"]["id"] == "r1"
    shown = w.joined["writer"]
    assert (shown["client"], shown["label"], shown["role"], shown["state"]) == (
        "c1", "rank0", "primary", "alive")
    assert (shown["host"], shown["pid"], shown["attempt"], shown["number"]) == ("node7", 42, 1, 0)
    assert run.writers() == {"c1": shown}


@pytest.mark.parametrize("limit, heartbeat", [(5, 1), (20, 6), (30, 10), (604800, 10)])
def test_a_short_limit_asks_for_more_heartbeats(api, run, limit, heartbeat):
    """One that is late does not make a lost writer."""
    api.patch(run.path.rpartition("/runs/")[0], {"crash_after_s": limit})
    assert run.join("c1").joined["heartbeat_s"] == heartbeat


def test_label_by_default(run):
    joined = run.api.post(f"{run.path}/join", {"client": "c1", "role": "worker", "host": "node7"})
    label = joined["writer"]["label"]
    assert label.startswith("node7-") and len(label) == len("node7-") + 8
    joined = run.api.post(f"{run.path}/join", {"client": "c2", "role": "worker"})
    assert joined["writer"]["label"]


def test_a_client_tells_its_version(run):
    run.join("c1", client_version="x" * 64)
    run.join("c2")
    assert {client: w["client_version"] for client, w in run.writers().items()} == {"c1": "x" * 64, "c2": None}


def test_writers_are_numbered_and_told_apart(run):
    ws = [run.join(f"c{i}", "worker", label="same") for i in range(5)]
    assert [w.number for w in ws] == [0, 1, 2, 3, 4]
    for w in ws:
        w.send(history=[{"who": w.number}])
    assert run.values("who") == [0, 1, 2, 3, 4]


def test_second_join_fences_the_first(run):
    first = run.join("c1")
    first.send(history=[{"a": 1}])
    first.send(history=[{"a": 2}])
    old_session = first.session
    first.join()
    assert first.session == old_session + 1
    assert first.joined["sessions"] == [{"session": old_session, "batch": 2}]
    late = {"writer": "c1", "session": old_session, "batch": 3, "history": [{"a": 9}]}
    first.refused(409, "session-fenced", late)
    first.send(history=[{"a": 3}])
    assert run.values("a") == [1, 2, 3]
    assert len(run.writers()) == 1


def test_sessions_are_remembered(run):
    w = run.join("c1")
    for sent in range(3):
        for _ in range(sent):
            w.send()
        w.join()
    assert w.joined["sessions"][:3] == [{"session": 3, "batch": 2}, {"session": 2, "batch": 1},
                                        {"session": 1, "batch": 0}]


def test_fenced_writer_may_not_finish(run):
    w = run.join("c1")
    w.join()
    body = {"writer": "c1", "session": 1, "exit_code": 0}
    run.api.refused(409, "session-fenced", "POST", f"{run.path}/finish", body)
    assert run.state == "running"


def test_session_never_given(run):
    w = run.join("c1")
    for session in (2, 7):
        w.refused(409, "session-fenced", {"writer": "c1", "session": session, "batch": 1})


def test_writer_unknown(run):
    w = run.join("c1")
    w.refused(404, "writer-unknown", {"writer": "other", "session": 1, "batch": 1})
    run.api.refused(404, "writer-unknown", "POST", f"{run.path}/finish",
                    {"writer": "other", "session": 1, "exit_code": 0})


def test_join_makes_no_run(api, project):
    api.refused(404, "not-found", "POST", f"{project}/runs/none/join", {"client": "c", "role": "primary"})
    api.refused(404, "not-found", "GET", f"{project}/runs/none")


@pytest.mark.parametrize("body, field", [
    ({"role": "primary"}, "client"),
    ({"client": "c"}, "role"),
    ({"client": "c", "role": "boss"}, "role"),
    ({"client": "c", "role": "hand"}, "role"),
    ({"client": "", "role": "worker"}, "client"),
    ({"client": "x" * 65, "role": "worker"}, "client"),
    ({"client": "a b", "role": "worker"}, "client"),
    ({"client": "sdk", "role": "worker"}, "client"),
    ({"client": "a/b", "role": "worker"}, "client"),
    ({"client": 1, "role": "worker"}, "client"),
    ({"client": "c", "role": "worker", "label": "x" * 129}, "label"),
    ({"client": "c", "role": "worker", "label": "a/b"}, "label"),
    ({"client": "c", "role": "worker", "label": "a\x01b"}, "label"),
    ({"client": "c", "role": "worker", "pid": -1}, "pid"),
    ({"client": "c", "role": "worker", "host": "x" * 256}, "host"),
    ({"client": "c", "role": "worker", "client_version": "x" * 65}, "client_version"),
    ({"client": "c", "role": "worker", "client_version": "a\x7fb"}, "client_version"),
    ({"client": "c", "role": "worker", "client_version": 2}, "client_version"),
    ({"client": "c", "role": "worker", "colour": "red"}, "colour"),
])
def test_join_refuses(run, body, field):
    problem = run.api.refused(400, "invalid", "POST", f"{run.path}/join", body)
    assert problem["field"] == field
    assert run.writers() == {}
