"""Rewinding and forking runs that several processes share."""
import pytest
from test_shared import start


PENDING = """
mutation UpsertBucket($project: String, $entity: String, $name: String!) {
  upsertBucket(input: {modelName: $project, entityName: $entity, name: $name, state: "pending"}) { bucket { id } } }"""


def shared(values, **how):
    """A primary of a shared run, which may go on from a step of a run."""
    import wandb
    settings = wandb.Settings(mode="shared", x_label="rank0", x_primary=True, x_update_finish_state=True)
    run = wandb.init(settings=settings, **how)
    for value in values:
        run.log({"value": value})
    run.finish()
    return run.id


def bare(first, count, key="value"):
    """As a process in shared mode logs them: without steps."""
    return [{"_timestamp": 1795000000 + n, key: n} for n in range(first, first + count)]


def rows(first, last, scale=1):
    return [{"_step": n, "_timestamp": 1795000000 + n * scale, "value": n * scale} for n in range(first, last)]


def points(run, key="value", **query):
    return [(row["_step"], row[key]) for row in run.rows(keys=key, **query)]


@pytest.mark.long_if_old
@pytest.mark.feature("shared mode: resume, rewind and fork")
def test_a_shared_run_is_resumed_rewound_and_forked(client, read):
    assert client.call(shared, id="r1", values=[0, 1, 2, 3]).code == 0
    assert client.call(shared, resume_from="r1?_step=1", values=[20, 30]).code == 0
    assert [row["value"] for row in read("r1").rows()] == [0, 1, 20, 30]
    assert [row["value"] for row in read("r1").rows(branch=0)] == [0, 1, 2, 3]
    name = client.call(shared, fork_from="r1?_step=1", values=[200]).value
    assert [row["value"] for row in read(name).rows()] == [0, 1, 200]
    assert (read("r1").state, read("r1").summary()["value"], read(name).summary()["value"]) == ("finished", 30, 200)
    assert client.call(shared, id="r1", resume="must", values=[40, 50]).code == 0
    assert points(read("r1")) == [(0, 0), (1, 1), (2, 20), (3, 30), (4, 40), (5, 50)]
    assert (read("r1").state, read("r1").get()["attempt"], read("r1").summary()["value"]) == ("finished", 3, 50)


@pytest.mark.long_if_old
def test_a_fork_of_a_private_run_is_private(client, api, project, read):
    """Which the SDK cannot say: else all readers of a public project would see what the run had."""
    assert client.call(shared, id="r1", values=[0, 1, 2, 3]).code == 0
    api.patch(f"/api/v1/projects/ann/{project}", {"visibility": "public"})
    api.patch(read("r1").path, {"visibility": "private"})
    name = client.call(shared, fork_from="r1?_step=1", values=[200]).value
    assert read(name).get()["visibility"] == "private"
    assert [row["value"] for row in read(name).rows()] == [0, 1, 200]
    nobody = api.as_user(None)
    nobody.refused(404, "not-found", "GET", read(name).path)
    nobody.close()


def test_processes_of_the_branch_before_go_on_in_it(wire, read):
    """A worker that knows nothing of the rewind loses no line, and shows none in the new branch."""
    primary, worker = wire.start("r1", shared=True), wire.start("r1", shared=True)
    primary.history(*bare(0, 4))
    worker.history(*bare(100, 2))
    rewound = wire.rewind("r1", 2)
    assert (rewound["name"], rewound["historyLineCount"]) == ("r1", 3)
    again = wire.start("r1", shared=True)
    again.history(*bare(30, 2))
    worker.history(*bare(102, 2))
    worker.again()
    worker.summary({"value": 103, "of_worker": 1})
    primary.complete()
    run = read("r1")
    assert points(run) == [(0, 0), (1, 1), (2, 2), (3, 30), (4, 31)]
    assert points(run, branch=0) == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 100), (5, 101), (6, 102), (7, 103)]
    assert (run.state, "of_worker" in run.summary(), run.summary()["value"]) == ("running", False, 31)
    again.complete()
    worker.complete()
    assert read("r1").get()["rows"] == 5


def test_a_plain_run_rewound_while_its_process_lives(wire, read):
    """Processes without an id are told apart by nothing: all that comes is of the new branch."""
    process = wire.start("r1")
    process.history(*rows(0, 5))
    process.summary({"value": 4, "value_max": 4, "best": 1})
    assert wire.rewind("r1", 1)["historyLineCount"] == 2
    again = wire.start("r1")
    assert again.bucket["historyLineCount"] == 2
    again.post(history=(2, rows(2, 4, 10)))
    again.again()
    assert points(read("r1")) == [(0, 0), (1, 1), (2, 20), (3, 30)]
    assert (read("r1").summary()["best"], read("r1").summary()["value"]) == (1, 30)
    resumed, status = wire.resume("r1")
    assert status["historyLineCount"] == 4
    resumed.history(*rows(4, 6, 7))
    assert points(read("r1"))[4:] == [(4, 28), (5, 35)]
    assert wire.rewind("r1", 9)["historyLineCount"] == 6


def test_a_folder_synced_again_after_a_rewind(wire, read):
    """Its lines are stored, whether the rewound run shows them or not; what only looks like one of them is new."""
    events = [{"_wandb": True, "_timestamp": 1795000000 + n, "system.cpu": n} for n in range(4)]
    lines = [f"2026-11-20T20:49:35.17223{n} line {n}" for n in range(5)]
    folder = {"history": (0, rows(0, 8)), "events": (0, events), "console": (0, lines), "summary": (0, [{"value": 7}])}
    wire.start("r1").post(**folder)
    wire.rewind("r1", 3)
    again = wire.start("r1")
    again.post(history=(4, rows(4, 6, 10)), console=(0, ["2026-11-20T21:49:35.172230 other"]))
    wire.start("r1").post(**folder)
    run = read("r1")
    shown = [(n, n) for n in range(4)] + [(4, 40), (5, 50)]
    assert points(run) == shown
    assert points(run, branch=0) == [(n, n) for n in range(8)]
    assert (len(run.events()), run.summary()["value"]) == (4, 50)
    assert sorted(line["text"] for line in run.console()) == [f"line {n}" for n in range(5)] + ["other"]
    again.history({"_step": 7, "_timestamp": 1795000007, "value": -7})
    again.again()
    assert points(run) == shown + [(7, -7)]


def test_a_rewind_begins_its_process(wire, read):
    """Old SDKs send nothing else before their first lines; nor does the run end with the one that was before."""
    for shared in False, True:
        first = start(wire, f"r{shared:d}") if shared else wire.start(f"r{shared:d}")
        first.history(*(bare(0, 4) if shared else rows(0, 4)))
        first.complete()
        assert read(first.name).state == "finished"
        wire.rewind(first.name, 1)
        run = read(first.name)
        assert (run.state, run.get()["attempt"], run.get()["ended_at"]) == ("running", 2, None)


def test_a_fork_that_is_asked_for_twice(wire, read):
    wire.start("r1").history(*rows(0, 5))
    config = {"lr": 1, "_wandb": {"branch_point": {"run_id": "r1", "step": 2}}}
    first = wire.start("f1", config=config)
    first.history(*rows(3, 5, 10))
    again = wire.start("f1", config=config)
    assert (first.inserted, again.inserted, again.bucket["historyLineCount"]) == (True, False, 5)
    assert points(read("f1")) == [(0, 0), (1, 1), (2, 2), (3, 30), (4, 40)]
    assert read("f1").config()["lr"] == 1


def forked_from(run, step):
    return {"config": {"_wandb": {"branch_point": {"run_id": run, "step": step}}}}


def test_a_worker_comes_before_the_primary_that_forks(wire, read):
    for value in (0, 10):
        wire.start("r1", shared=True).history(*rows(0, 3, value))
    workers = [wire.start("f1", shared=True, config={"own": i, "same": 1}, host=f"node{i}") for i in range(3)]
    primary = wire.start("f1", shared=True, **forked_from("r1", 1))
    assert (primary.inserted, primary.bucket["historyLineCount"]) == (False, 4)
    for i, process in enumerate([primary, *workers]):
        process.history(*rows(2, 3, i))
    run = read("f1")
    assert run.get()["forked_from"] == {"run": "r1", "step": 1}
    assert sorted(points(run)) == [(0, 0), (0, 0), (1, 0), (1, 10), (2, 0), (2, 2), (2, 4), (2, 6)]
    writers = run.writers()
    assert sorted(writer["number"] for writer in writers.values()) == [3, 4, 5, 6]
    assert len({row["_label"] for row in run.rows()}) == 6
    assert workers[0].again() and len(points(run)) == 8
    (conflict,) = run.conflicts()
    assert {each["label"]: each["value"] for each in conflict["writers"]} == {
        writers[worker.client_id]["label"]: i for i, worker in enumerate(workers)}
    assert run.config()["same"] == 1


def test_a_pending_run_is_forked(wire, read):
    wire.start("r1").history(*rows(0, 3))
    wire.query(PENDING, name="f1", project=wire.project, entity=wire.entity)
    wire.start("f1", **forked_from("r1", 0)).history(*rows(1, 2, 5))
    assert points(read("f1")) == [(0, 0), (1, 5)]


def test_a_run_that_has_rows_is_not_forked_in_silence(wire, read):
    wire.start("r1").history(*rows(0, 3))
    wire.start("f1", shared=True).history(*rows(0, 2, 7))
    with pytest.raises(AssertionError, match='" already has rows or console lines: fork it before others write to it'):
        wire.start("f1", shared=True, **forked_from("r1", 1))
    assert points(read("f1")) == [(0, 0), (1, 7)]
    wire.start("f2", **forked_from("r1", 1)).history(*rows(2, 3))
    with pytest.raises(AssertionError, match='" was already forked or rewound'):
        wire.start("f2", **forked_from("r1", 0))
    assert wire.start("f2", **forked_from("r1", 1)).bucket["historyLineCount"] == 3


def test_a_step_beyond_the_last_row_is_taken(wire, read):
    """A checkpoint may be newer than the rows that a crash left."""
    wire.start("r1").history(*rows(0, 3))
    wire.rewind("r1", 9)
    wire.start("f1", **forked_from("r1", 9)).history(*rows(10, 11))
    assert (read("r1").get()["branch"], points(read("r1"))) == (0, [(0, 0), (1, 1), (2, 2)])
    assert points(read("f1")) == [(0, 0), (1, 1), (2, 2), (10, 10)]
    assert read("f1").get()["forked_from"] == {"run": "r1", "step": 9}


def test_what_cannot_be_is_said(wire):
    wire.start("r1").history(*rows(0, 2))
    for config in {"run_id": "nobody", "step": 1}, {"run_id": "r1", "step": -1}, {"run_id": "r1"}:
        with pytest.raises(AssertionError, match="nobody|step"):
            wire.start("f1", config={"_wandb": {"branch_point": config}})
    with pytest.raises(AssertionError, match="no such run|not found|nobody"):
        wire.rewind("nobody", 1)
    with pytest.raises(AssertionError, match="invalid step"):
        wire.rewind("r1", -1)
