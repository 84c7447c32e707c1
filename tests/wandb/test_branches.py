"""Rewinding and forking runs that several processes share."""
import pytest


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


@pytest.mark.feature("shared mode: rewind and fork")
def test_a_shared_run_is_rewound_and_forked(client, read):
    assert client.call(shared, id="r1", values=[0, 1, 2, 3]).code == 0
    assert client.call(shared, resume_from="r1?_step=1", values=[20, 30]).code == 0
    assert [row["value"] for row in read("r1").rows()] == [0, 1, 20, 30]
    assert [row["value"] for row in read("r1").rows(branch=0)] == [0, 1, 2, 3]
    name = client.call(shared, fork_from="r1?_step=1", values=[200]).value
    assert [row["value"] for row in read(name).rows()] == [0, 1, 200]
    assert (read("r1").state, read("r1").summary()["value"], read(name).summary()["value"]) == ("finished", 30, 200)


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
    resumed.history(*rows(4, 6))
    assert points(read("r1"))[4:] == [(4, 4), (5, 5)]
    assert wire.rewind("r1", 9)["historyLineCount"] == 6


def test_a_fork_that_is_asked_for_twice(wire, read):
    wire.start("r1").history(*rows(0, 5))
    config = {"lr": 1, "_wandb": {"branch_point": {"run_id": "r1", "step": 2}}}
    first = wire.start("f1", config=config)
    first.history(*rows(3, 5, 10))
    again = wire.start("f1", config=config)
    assert (first.inserted, again.inserted, again.bucket["historyLineCount"]) == (True, False, 5)
    assert points(read("f1")) == [(0, 0), (1, 1), (2, 2), (3, 30), (4, 40)]
    assert read("f1").config()["lr"] == 1


def test_what_cannot_be_is_said(wire):
    wire.start("r1").history(*rows(0, 2))
    for config in {"run_id": "nobody", "step": 1}, {"run_id": "r1", "step": -1}, {"run_id": "r1"}:
        with pytest.raises(AssertionError, match="nobody|step"):
            wire.start("f1", config={"_wandb": {"branch_point": config}})
    with pytest.raises(AssertionError, match="no such run|not found|nobody"):
        wire.rewind("nobody", 1)
    with pytest.raises(AssertionError, match="no step"):
        wire.rewind("r1", -1)
