"""Who wrote each value of a run's config and summary."""
import pytest

from runs import Run, compact

MANY = 124_900  # lists of one: with what they are in nearly 250,000 values


@pytest.fixture(scope="module")
def settings():
    """What stores the most values of all has half of this, however many others compute; the client waits for two
    minutes."""
    return {"deadline_ms": 200_000}


def writers_of(run, document):
    return {".".join(one["path"]): one for one in run.api.get(f"{run.path}/{document}/writers").json["items"]}


def labels_of(run, document):
    return {name: one["label"] for name, one in writers_of(run, document).items()}


def patch(run, document, edit):
    return run.api.patch(f"{run.path}/{document}", edit)


def two(run):
    return run.join("c1", label="rank0"), run.join("c2", "worker", label="eval")


def test_config(run):
    """Of equal values it is the first of those who hold it; what a writer gives up falls to who has it."""
    one, other = two(run)
    one.send(config={"lr": 1, "same": 1, "opt": {"name": "adam"}, "none": {}})
    other.send(config={"lr": 2, "same": 1, "opt": {"beta": [{"a": 1}]}})
    assert labels_of(run, "config") == {"lr": "eval", "none": "rank0", "opt.beta": "eval", "opt.name": "rank0",
                                        "same": "rank0"}
    assert {name: one["shared"] for name, one in writers_of(run, "config").items()} == {
        "lr": True, "none": False, "opt.beta": False, "opt.name": False, "same": True}
    assert [one["key"] for one in run.conflicts()] == ["lr"]
    other.send(config={"same": 1})
    assert labels_of(run, "config") == {"lr": "rank0", "none": "rank0", "opt.name": "rank0", "same": "rank0"}
    one.send(config={})
    assert labels_of(run, "config") == {"same": "eval"}


def test_where_a_leaf_meets_an_object(run):
    one, other = two(run)
    one.send(config={"opt": "adam", "lr": 1})
    other.send(config={"opt": {"name": "sgd"}})
    assert run.config() == {"lr": 1, "opt": {"name": "sgd"}}
    assert labels_of(run, "config") == {"lr": "rank0", "opt.name": "eval"}


def test_lists_that_are_united(run):
    one, other = two(run)
    one.send(config={"_wandb": {"t": {"1": [1], "2": [7]}}})
    other.send(config={"_wandb": {"t": {"1": [5], "3": [9]}}})
    assert labels_of(run, "config") == {"_wandb.t.1": None, "_wandb.t.2": "rank0", "_wandb.t.3": "eval"}


@pytest.mark.long
def test_as_many_values_as_a_config_may_have(run):
    """None has a leaf of its own: each costs what it is made of, not all the others."""
    features = {str(number): [1] for number in range(MANY)}
    run.join(label="rank0").send(config={"_wandb": {"t": features}})
    found = writers_of(run, "config")
    assert len(found) == MANY and {one["label"] for one in found.values()} == {"rank0"}


def test_a_process_that_comes_back(run):
    one, other = two(run)
    one.send(config={"lr": 1}, history=[{"loss": 1}])
    again = run.join("c3", label="rank0")
    again.send(config={"lr": 1}, history=[{"loss": 0.5}])
    other.send(history=[{"acc": 1}])
    assert writers_of(run, "config")["lr"]["writer"] == 0
    assert {name: (one["writer"], one["label"]) for name, one in writers_of(run, "summary").items()} == {
        "acc": (1, "eval"), "loss": (2, "rank0")}


def test_summary_of_history(run, db, wait_for):
    """Of whom the last row is, whether it is compacted or not."""
    one, other = two(run)
    one.send(history=[{"loss": 1, "a.b": 1}])
    other.send(history=[{"loss": 2, "text": "x"}])
    assert labels_of(run, "summary") == {"loss": "eval", "a.b": "rank0", "text": "eval"}
    compact(db, wait_for, run)
    assert labels_of(run, "summary") == {"loss": "eval", "a.b": "rank0", "text": "eval"}
    one.send(history=[{"loss": float("nan")}])
    assert labels_of(run, "summary") == {"loss": "rank0", "a.b": "rank0", "text": "eval"}
    other.send(summary={"loss": 7, "best": {"acc": 1}})
    one.send(history=[{"loss": 3}], summary={"best": {"step": 5}})
    assert run.summary()["loss"] == 7
    assert labels_of(run, "summary") == {"loss": "eval", "a.b": "rank0", "text": "eval", "best.acc": "eval",
                                         "best.step": "rank0"}


def test_what_definitions_make(run, db, wait_for):
    one, other = two(run)
    metrics = [{"1": "loss", "7": [1, 2, 3, 5, 8]}, {"1": "mine", "7": [3]}]
    one.send(config={"_wandb": {"m": metrics}}, history=[{"loss": 5, "mine": 1}, {"loss": 9}])
    compact(db, wait_for, run)
    one.send(history=[{"loss": 6, "mine": 2}])
    other.send(history=[{"loss": 1}, {"loss": 8}])
    assert labels_of(run, "summary") == {"loss.first": "rank0", "loss.last": "eval", "loss.max": "rank0",
                                         "loss.min": "eval", "loss.mean": None, "mine.mean": "rank0"}


def test_of_equal_numbers_it_is_the_first_writer(run, db, wait_for):
    """Whichever came last, compacted or not."""
    one, other = two(run)
    one.send(config={"_wandb": {"m": [{"1": "acc", "7": [1, 2]}]}}, history=[{"acc": 1}, {"acc": 0}])
    other.send(history=[{"acc": 0}, {"acc": 1}])
    path = f"{run.path}/summary/writers"
    tag = run.api.get(path).headers["etag"]
    assert labels_of(run, "summary") == {"acc.max": "rank0", "acc.min": "rank0"}
    compact(db, wait_for, run)
    assert labels_of(run, "summary") == {"acc.max": "rank0", "acc.min": "rank0"}
    assert run.api.raw("GET", path, headers={"If-None-Match": tag}).status == 304


def test_edits(run):
    """An edit says who made it and when, as long as it holds."""
    one, _ = two(run)
    one.send(config={"lr": 1, "opt": {"eps": 1, "name": "adam"}}, history=[{"loss": 1}])
    patch(run, "config", {"lr": 5, "opt": {"eps": 2}, "note": {}})
    patch(run, "summary", {"loss": 0, "verdict": "good"})
    config = writers_of(run, "config")
    assert {name: (one["label"], one["edited"], one["user"]) for name, one in config.items()} == {
        "lr": (None, True, "ann"), "opt.eps": (None, True, "ann"), "opt.name": ("rank0", False, None),
        "note": (None, True, "ann")}
    assert config["lr"]["edited_at"] and config["opt.name"]["edited_at"] is None
    assert labels_of(run, "summary") == {"loss": None, "verdict": None}
    one.send(config={"lr": 3, "opt": {"eps": 1, "name": "adam"}}, history=[{"loss": 2}])
    assert run.config() == {"lr": 3, "opt": {"eps": 2, "name": "adam"}, "note": {}}
    assert labels_of(run, "config") == {"lr": "rank0", "opt.eps": None, "opt.name": "rank0", "note": None}
    assert labels_of(run, "summary") == {"loss": "rank0", "verdict": None}
    for one in (writers_of(run, "config")["lr"], writers_of(run, "summary")["loss"]):
        assert (one["edited"], one["user"], one["edited_at"]) == (False, None, None)


def test_edits_of_two_people(run, api, keys):
    run.join().send(config={"opt": {"a": 1, "b": 1}})
    patch(run, "config", {"opt": {"a": 2, "b": 2}})
    api.as_user(keys["root"]).patch(f"{run.path}/config", {"opt": {"b": 3}})
    found = writers_of(run, "config")
    assert (found["opt.a"]["user"], found["opt.b"]["user"]) == ("ann", "root")
    assert found["opt.a"]["edited_at"] < found["opt.b"]["edited_at"]


def test_what_a_run_is_made_with(api, home):
    made = Run(api, "made", project=home, make=False)
    api.put(made.path, {"config": {"lr": 1}})
    assert writers_of(made, "config")["lr"]["user"] == "ann"
    assert writers_of(made, "summary") == {}


def test_it_is_asked_again(run):
    run.join(label="rank0").send(config={"lr": 1})
    path = f"{run.path}/config/writers"
    known = {"If-None-Match": run.api.get(path).headers["etag"]}
    assert run.api.raw("GET", path, headers=known).status == 304
    patch(run, "config", {"lr": 2})
    assert run.api.raw("GET", path, headers=known).status == 200
