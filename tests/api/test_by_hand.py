"""Bare rows from a person with curl."""
import pytest


@pytest.fixture
def path(home):
    """Of a run that is not there yet, in a project that is not there yet."""
    return f"{home}/runs/by-hand"


def test_one_object_makes_project_run_and_writer(api, path):
    assert api.post(f"{path}/history", {"loss": 1}).json == {"run": "by-hand", "row_first": 0, "rows": 1, "left_out": 0}
    run = api.get(path).json
    assert (run["state"], run["rows"], run["user"]) == ("running", 1, "ann")
    writer, = api.pages(f"{path}/writers")
    assert (writer["role"], writer["label"], writer["history_rows"]) == ("hand", "ann", 1)


@pytest.mark.parametrize("body, content_type", [
    ([{"v": 1}, {"v": 2}], "application/json"),
    ('{"v":1}\n{"v":2}\n', "application/x-ndjson"),
    ('{"v":1}\n\n  {"v":2}', "application/x-ndjson"),
    ([{"v": 1}, {"v": 2}], None),
])
def test_forms(run, body, content_type):
    assert run.log(body, content_type=content_type)["rows"] == 2
    assert run.values("v") == [1, 2]


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_compressed(run, encoding):
    assert run.log([{"v": 1}], encoding=encoding)["rows"] == 1


def test_labels(run):
    for label in ("one", "two", "one"):
        run.log({"v": 1}, query={"label": label})
    assert [r["_label"] for r in run.rows()] == ["one", "two", "one"]
    assert len(run.writers()) == 2


def test_beside_writers(run):
    w = run.join(label="rank0")
    w.send(history=[{"v": 1}])
    run.log({"v": 2, "_step": 50})
    w.send(history=[{"v": 3}])
    assert [(r["_step"], r["v"]) for r in run.rows()] == [(0, 1), (50, 2), (51, 3)]


def test_the_run_is_ended_by_hand_too(run):
    run.log({"v": 1})
    assert [w["state"] for w in run.writers().values()] == ["alive"]
    assert run.api.post(f"{run.path}/finish", {"exit_code": 0}).json["state"] == "finished"
    run.log({"v": 2})
    assert (run.state, run.values("v")) == ("finished", [1, 2])


def test_who_sent_by_hand_has_ended_with_the_run(run):
    def states():
        return {w["label"]: w["state"] for w in run.writers().values()}
    w = run.join("c1", "primary", label="rank0")
    run.log({"v": 1})
    assert states() == {"rank0": "alive", "ann": "alive"}
    w.finish(0)
    run.log({"v": 2})
    assert states() == {"rank0": "ended", "ann": "ended"}
    run.join("c2", "primary", label="rank0")
    assert states() == {"rank0": "alive", "ann": "alive"}


@pytest.mark.parametrize("body", ["", "[1]", "1", "null", '"x"', "[[]]", '{"a":1', '[{"a":1},]', '{"a":1}{"b"}'])
def test_refused(api, path, body):
    api.refused(400, "invalid", "POST", f"{path}/history", body)
    api.refused(404, "not-found", "GET", path)


@pytest.mark.parametrize("content_type", ["application/json", "application/x-ndjson"])
def test_nothing_at_all(run, content_type):
    body = "[]" if content_type == "application/json" else "\n\n"
    run.api.refused(400, "invalid", "POST", f"{run.path}/history", body, content_type=content_type)
    assert run.rows() == [] and run.writers() == {}


@pytest.mark.parametrize("key", ["x" * 129, "a b", "ü"])
def test_bad_idempotency_keys(run, key):
    answer = run.api.request("POST", f"{run.path}/history", {"v": 1},
                             headers={"Idempotency-Key": key.encode("latin-1")})
    assert (answer.status, answer.problem) == (400, "invalid")
    assert run.rows() == []


def test_an_answered_key_makes_no_writer(run):
    """The answer is remembered; whose label it comes under this time does not matter."""
    def send(label, v):
        return run.api.request("POST", f"{run.path}/history", {"v": v}, query={"label": label},
                               headers={"Idempotency-Key": "k"})
    first = send("one", 1)
    assert send("two", 1).json == first.json
    assert send("three", 2).problem == "conflict"
    joined = run.join("w1")
    joined.send(history=[{"v": 2}])
    assert {w["label"] for w in run.writers().values()} == {"one", "w1"}
    assert run.values("v") == [1, 2]


def test_refused_rows_make_no_project(api):
    api.refused(400, "invalid", "POST", "/api/v1/projects/ann/never-made/runs/r/history", "{nonsense")
    api.refused(404, "not-found", "GET", "/api/v1/projects/ann/never-made")


def test_form_encoded_is_refused_with_a_hint(run):
    problem = run.api.refused(415, "unsupported-media", "POST", f"{run.path}/history", "v=1",
                              content_type="application/x-www-form-urlencoded")
    assert "hint" in problem
