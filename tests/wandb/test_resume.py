"""A run that goes on: resumed, rewound, forked, synced from a folder, once and again."""
import pytest
from wire import UPSERT


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


def break_off():
    """Without an id of its own: the SDK keeps it for the next process in the folder."""
    import wandb
    wandb.init(resume="auto").log({"value": 1})
    raise RuntimeError("on purpose")


def begin_again():
    """Goes on where the last one broke off; then begins another, for nothing broke off."""
    import wandb
    seen = []
    for value in (2, 3):
        with wandb.init(resume="auto") as run:
            seen.append([run.id, run.resumed, run.starting_step])
            run.log({"value": value})
    return seen


def branch(values, **how):
    """A process that goes on from a step of a run: `resume_from`, `fork_from`."""
    import wandb
    run = wandb.init(config={"b": 2}, **how)
    start = run.starting_step
    for value in values:
        run.log({"value": value})
    print("again", *values)
    run.finish()
    return {"name": run.id, "start": start, "config": {k: v for k, v in run.config.items()}}


def look(path):
    """What the public API shows of a run."""
    import wandb
    run = wandb.Api().run(path)
    return {
        "scan": [(row["_step"], row["value"]) for row in run.scan_history()],
        "pages": [(row["_step"], row["value"]) for row in run.scan_history(page_size=2)],
        "some": [row["value"] for row in run.scan_history(keys=["value"], min_step=1)],
        "history": [(row["_step"], row["value"]) for row in run.history(pandas=False)],
        "keyed": [(row["_step"], row["value"]) for row in run.history(keys=["value"], pandas=False)],
        "last": run.lastHistoryStep, "summary": run.summary["value"], "state": run.state,
    }


def offline(name, values):
    import wandb
    with wandb.init(id=name, mode="offline", config={"lr": 0.5}, tags=["o"]) as run:
        for value in values:
            run.log({"value": value, "nest": {"x": value}})
        print("a line")
        run.summary["best"] = 9


def points(run, **query):
    return [(row["_step"], row["value"]) for row in run.rows(**query)]


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


def edit_beside(path):
    """Somebody edits the run while its script goes on, and changes its tags then."""
    import wandb
    run = wandb.init(id=path.split("/")[-1], name="scripted", notes="of the script", tags=["a", "b"])
    seen = wandb.Api().run(path)
    seen.name, seen.notes, seen.tags = "by hand", "by hand", ["b", "person"]
    seen.update()
    run.tags += ("c",)
    run.finish()


EDITED = ("display_name", "group", "job_type", "notes", "tags")


def edited(run):
    head = run.get()
    return [head[key] for key in EDITED]


@pytest.mark.long_if_old
def test_what_people_edit_stays_where_the_script_changes_something_else(client, project, read):
    assert client.call(edit_beside, path=f"ann/{project}/r1").code == 0
    assert edited(read("r1")) == ["by hand", "", "", "by hand", ["b", "person", "c"]]


def test_a_process_changes_what_it_sends_otherwise_than_before(wire, read, api):
    """The SDK sends all that it knows with each change, and again when it resumes."""
    known = {"notes": "of the script", "groupName": "g", "jobType": "t"}
    first = wire.start("r1", tags=["a", "b"], **known)
    name = first.bucket["displayName"]
    api.patch(read("r1").path, {"display_name": "by hand", "notes": "by hand", "group": "g2", "job_type": "t2",
                                "tags": ["b", "person"]})
    first.upsert(tags=["a", "b", "c"], displayName=name, **known)
    assert edited(read("r1")) == ["by hand", "g2", "t2", "by hand", ["b", "person", "c"]]
    wire.start("r1", tags=["a", "b", "c"], displayName=name, **known)
    assert edited(read("r1")) == ["by hand", "g2", "t2", "by hand", ["b", "person", "c"]]
    first.upsert(tags=["a", "c"], displayName=name, **{**known, "notes": "another"})
    assert edited(read("r1")) == ["by hand", "g2", "t2", "another", ["person", "c"]]
    first.upsert(tags=["a", "c"], displayName="scripted", **{**known, "notes": "another"})
    assert edited(read("r1")) == ["scripted", "g2", "t2", "another", ["person", "c"]]


def test_tags_of_people_and_of_a_process_are_bounded_together(wire, read, api):
    process = wire.start("r1", tags=["a"])
    api.patch(read("r1").path, {"tags": [f"person{i}" for i in range(100)]})
    answer = wire.ask(UPSERT, name="r1", entity="ann", project=wire.project, tags=["a", "b"])
    assert "errors" not in answer.json
    [noted] = api.pages(f"{read('r1').path}/left-out")
    assert (noted["kind"], noted["name"], noted["count"]) == ("field", "tags", 1)
    process.upsert(tags=[])
    assert len(read("r1").get()["tags"]) == 100


@pytest.mark.long_if_old
@pytest.mark.feature("resume: auto")
def test_resume_auto(client, read, project, api, wait_for):
    assert client.call(break_off).code == 1
    first, = wait_for(lambda: [run["id"] for run in api.pages(f"/api/v1/projects/ann/{project}/runs")])
    assert read(first).state == "failed"
    again, other = client.call(begin_again).value
    assert again == [first, True, 1] and other[0] != first and other[1:] == [False, 0]
    assert points(read(first)) == [(0, 1), (1, 2)] and points(read(other[0])) == [(0, 3)]
    assert (read(first).state, read(first).get()["attempt"]) == ("finished", 2)


def check(client, run, project, expected):
    """REST and the public API show just these rows."""
    assert points(run) == expected
    seen = client.call(look, path=f"ann/{project}/{run.name}").value
    for how in "scan", "pages", "history", "keyed":
        assert [tuple(pair) for pair in seen[how]] == expected, how
    assert seen["some"] == [value for step, value in expected if step >= 1]
    assert (seen["last"], seen["summary"], seen["state"]) == (*expected[-1], "finished")


@pytest.mark.feature("rewind (resume_from)")
def test_rewind(client, read, project):
    assert client.call(log, name="r1", values=[0, 1, 2, 3], config={"a": 1}).code == 0
    done = client.call(branch, resume_from="r1?_step=1", values=[20, 30]).value
    assert (done["name"], done["start"], done["config"]) == ("r1", 2, {"a": 1, "b": 2})
    check(client, read("r1"), project, [(0, 0), (1, 1), (2, 20), (3, 30)])
    assert points(read("r1"), branch=0) == [(n, n) for n in range(4)]
    first, second = read("r1").api.pages(f"{read('r1').path}/branches")
    assert (first["rows"], second["from"]) == (4, {"run": "r1", "branch": 0, "step": 1})
    assert client.call(branch, resume_from="r1?_step=2", values=[300]).code == 0
    check(client, read("r1"), project, [(0, 0), (1, 1), (2, 20), (3, 300)])
    texts = [line["text"] for line in read("r1").console()]
    assert [text for text in texts if text.startswith(("values", "again"))] == [
        "values 0 1 2 3", "again 20 30", "again 300"]
    said = client.call(branch, resume_from="nobody?_step=1", values=[1])
    assert said.code != 0 and read("r1").get()["rows"] == 4


@pytest.mark.long_if_old
@pytest.mark.feature("fork (fork_from)")
def test_fork(client, read, project):
    assert client.call(log, name="r1", values=[0, 1, 2, 3], config={"a": 1}).code == 0
    done = client.call(branch, fork_from="r1?_step=1", values=[20, 30]).value
    assert done["start"] == 2
    check(client, read(done["name"]), project, [(0, 0), (1, 1), (2, 20), (3, 30)])
    check(client, read("r1"), project, [(n, n) for n in range(4)])
    head = read(done["name"]).get()
    assert (head["forked_from"], head["rows"]) == ({"run": "r1", "step": 1}, 4)
    again = client.call(branch, fork_from=f"{done['name']}?_step=2", values=[300, 400]).value
    check(client, read(again["name"]), project, [(0, 0), (1, 1), (2, 20), (3, 300), (4, 400)])
    resumed = client.call(log, name=done["name"], values=[50], resume="must").value
    assert resumed["start"] == 4
    check(client, read(done["name"]), project, [(0, 0), (1, 1), (2, 20), (3, 30), (4, 50)])


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
