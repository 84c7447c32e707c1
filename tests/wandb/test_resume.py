"""A run that goes on: resumed, synced from a folder, once and again."""
import pytest


def log(name, values, resume=None, config=None):
    import wandb
    run = wandb.init(id=name, resume=resume, config=config or {})
    start = run.starting_step
    for value in values:
        run.log({"value": value})
    print("values", *values)
    run.finish()
    return {"start": start, "resumed": run.resumed, "config": {k: v for k, v in run.config.items()}}


def fail(name, resume):
    import wandb
    try:
        wandb.init(id=name, resume=resume)
    except Exception as e:  # noqa: BLE001
        return str(e)


def offline(name, values):
    import wandb
    with wandb.init(id=name, mode="offline", config={"lr": 0.5}, tags=["o"]) as run:
        for value in values:
            run.log({"value": value, "nest": {"x": value}})
        print("a line")
        run.summary["best"] = 9


def points(run):
    return [(row["_step"], row["value"]) for row in run.rows()]


@pytest.mark.feature("resume: must, allow, never")
def test_resume(client, read):
    first = client.call(log, name="r1", values=[1, 2, 3], config={"a": 1}).value
    assert (first["start"], first["resumed"]) == (0, False)
    second = client.call(log, name="r1", values=[4, 5], resume="must", config={"b": 2}).value
    assert (second["start"], second["resumed"], second["config"]) == (3, True, {"a": 1, "b": 2})
    assert points(read("r1")) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    config = read("r1").config()
    assert (config["a"], config["b"]) == (1, 2)
    texts = [line["text"] for line in read("r1").console()]
    assert "values 1 2 3" in texts and "values 4 5" in texts
    assert read("r1").state == "finished"
    assert client.call(log, name="r2", values=[7], resume="allow").value["resumed"] is False
    assert "r1" in client.call(fail, name="r1", resume="never").value
    assert "r3" in client.call(fail, name="r3", resume="must").value


@pytest.mark.feature("offline, wandb sync, twice")
def test_sync(client, read):
    assert client.call(offline, name="r1", values=list(range(30))).code == 0
    folder, = (client.folder / "wandb").glob("offline-run-*")
    for more in [], ["--include-synced"]:
        done = client.wandb("sync", *more, folder)
        assert done.code == 0, done
        run = read("r1")
        assert points(run) == [(n, n) for n in range(30)]
        assert [row["nest.x"] for row in run.rows()] == list(range(30))
        assert (run.config()["lr"], run.summary()["best"], run.get()["tags"]) == (0.5, 9, ["o"])
        assert (run.state, run.get()["exit_code"]) == ("finished", 0)
        assert [line["text"] for line in run.console() if line["text"]] == ["a line"]
