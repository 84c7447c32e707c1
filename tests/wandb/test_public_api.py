"""The public API, wandb.Api(): what it reads is what REST shows, and what it changes REST shows too."""
import pytest

ROWS = 40


def train(name, rows, lr=0.1, tags=("a", "b")):
    """A run with all kinds of values."""
    import sys

    import wandb
    config = {"lr": lr, "n": 3, "opt": {"a": 1, "b": [1, 2]}, "text": "ü", "inf": float("inf")}
    run = wandb.init(id=name, config=config, tags=list(tags), group="g", job_type="t", notes="some")
    print("line one")
    print("line two", file=sys.stderr)
    for i in range(rows):
        row = {"loss": 1 / (i + 1), "d": {"x": i * 2}}
        if i % 3 == 0:
            row["third"] = i
        if i == 3:
            row.update(odd=float("nan"), far=float("-inf"))
        if i % 10 == 0:
            row["hist"] = wandb.Histogram(np_histogram=([1, 2, i], [0, 1, 2, 3]))
        run.log(row)
    run.summary["best"] = 7
    run.finish()
    return wandb.__version__


def read_run(path):
    """All that is read of a run."""
    import wandb
    run = wandb.Api().run(path)
    shown = {"id": run.id, "name": run.name, "state": run.state, "tags": run.tags, "group": run.group,
             "job_type": run.job_type, "notes": run.notes, "config": run.config, "user": run.user.username,
             "created_at": run.created_at, "last_step": run.lastHistoryStep}
    shown["summary"] = run.summary._json_dict
    shown["scan"] = list(run.scan_history())
    shown["pages"] = list(run.scan_history(page_size=7))
    shown["some"] = list(run.scan_history(keys=["loss", "third"], page_size=7))
    shown["window"] = [row["_step"] for row in run.scan_history(min_step=5, max_step=9)]
    shown["history"] = run.history(pandas=False)
    shown["sampled"] = [row["_step"] for row in run.history(samples=10, pandas=False)]
    shown["keys"] = run.history(keys=["third", "d.x"], pandas=False)
    shown["image"] = run.history(keys=["hist"], pandas=False)
    if hasattr(run, "console_logs"):
        shown["console"] = [[[line.number, line.level, line.content] for line in run.console_logs(**how)]
                            for how in ({}, {"per_page": 1}, {"last": 1})]
    shown["few"] = [row["_step"] for row in run.history(keys=["loss"], samples=5, pandas=False)]
    return shown


def scan_far(path):
    """Few rows and steps in the billions: the pages are as many as the caller says."""
    import wandb
    run = wandb.Api().run(path)
    last = run.lastHistoryStep
    return [last, [row["_step"] for row in run.history(pandas=False)],
            *([row["_step"] for row in run.scan_history(page_size=size)] for size in (10**9, 10**10)),
            *([row["loss"] for row in run.scan_history(keys=["loss", "_step"], page_size=size)] for size in (10**9, 10**10))]


@pytest.mark.long_if_old
def test_steps_in_the_billions(client, project, api):
    steps = [0, 5, 10**6, 5_000_000_000]
    api.post(f"/api/v1/projects/ann/{project}/runs/far/history", [{"_step": step, "loss": i} for i, step in enumerate(steps)])
    last, history, *scans = client.call(scan_far, path=f"ann/{project}/far").value
    assert (last, history) == (steps[-1], steps)
    assert scans == [steps, steps, [0, 1, 2, 3], [0, 1, 2, 3]]


def plain(row):
    """A row of REST as the SDK shows it."""
    return {key: value for key, value in row.items() if key not in ("_row", "_label")}


def numbers(value):
    """NaN is itself; REST has it, and the infinities, as texts."""
    words = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    return words.get(value, value) if isinstance(value, str) else value


def together(row):
    """hist._type, hist.bins, …: what REST has by parts."""
    parts = {key.partition(".")[2]: value for key, value in row.items() if key.startswith("hist.")}
    rest = {key: value for key, value in row.items() if not key.startswith("hist.")}
    return {**rest, "hist": parts} if parts else rest


def check_summary(summary, rest):
    assert summary["d"] == {"x": 2 * ROWS - 2} and not [key for key in summary if "." in key]
    assert summary["hist"] == {"_type": "histogram", "bins": [0, 1, 2, 3], "values": [1, 2, 30]}
    assert (str(summary["odd"]), str(summary["far"]), summary["best"]) == ("nan", "-inf", 7)
    same = ("loss", "best", "third", "_runtime")
    assert {key: rest[key] for key in same} == {key: summary[key] for key in same}


def check_console(shown, console):
    levels = {"stdout": "", "stderr": "error"}
    lines = [[line["line"], levels[line["stream"]], line["text"]] for line in console]
    assert "line two" in [text for _, _, text in lines]
    assert shown == [lines, lines, lines[-1:]]


@pytest.mark.feature("public API: a run, its config, summary and history")
def test_a_run(client, read, project):
    assert client.call(train, name="r1", rows=ROWS).code == 0
    shown = client.call(read_run, path=f"ann/{project}/r1").value
    run = read("r1")
    head = run.get()
    rows = [numbers(together(plain(row))) for row in run.rows()]
    assert (shown["id"], shown["name"], shown["state"]) == ("r1", head["display_name"], head["state"])
    assert (shown["tags"], shown["group"], shown["job_type"], shown["notes"], shown["user"]) == (
        head["tags"], head["group"], head["job_type"], head["notes"], head["user"])
    assert shown["created_at"].rstrip("Z") == head["created_at"].rstrip("Z")
    config = {key: value for key, value in run.config().items() if key != "_wandb"}
    assert numbers(shown["config"]) == numbers(config)
    assert numbers(shown["scan"]) == numbers(shown["pages"]) == numbers(shown["history"]) == rows
    assert shown["last_step"] == ROWS - 1 == rows[-1]["_step"]
    assert shown["window"] == [5, 6, 7, 8]
    assert shown["some"] == [{key: row[key] for key in ("_step", "loss", "third")} for row in rows if "third" in row]
    assert shown["keys"] == [{key: row[key] for key in ("_step", "third", "d.x")} for row in rows if "third" in row]
    assert shown["image"] == [{key: row[key] for key in ("_step", "hist")} for row in rows if "hist" in row]
    assert len(shown["sampled"]) == 10 and shown["sampled"] == sorted(shown["sampled"])
    assert (shown["sampled"][0], shown["sampled"][-1]) == (0, ROWS - 1)
    assert len(shown["few"]) == 5 and (shown["few"][0], shown["few"][-1]) == (0, ROWS - 1)
    check_summary(shown["summary"], run.summary())
    if "console" in shown:
        check_console(shown["console"], run.console())


def make_runs(project, count, start=0):
    """Without a process of their own each: what the API itself makes."""
    import wandb
    api = wandb.Api()
    for i in range(start, start + count):
        api.create_run(run_id=f"n{i:03}", project=project)
        run = api.run(f"{project}/n{i:03}")
        run.config.update({"i": i, "model": {"depth": i % 3}})
        run.tags = ["even" if i % 2 == 0 else "odd"]
        run.summary["score"] = 1 / (i + 1)
        run.update()


def list_runs(project, asked):
    """Runs for each question; then pages of two, with a run made after each of the first two."""
    import wandb
    api = wandb.Api()
    path = f"ann/{project}"
    found = [[run.id for run in api.runs(path, **{"per_page": 4, **one})] for one in asked]
    count = len(api.runs(path, filters={"tags": "even"}))
    seen = []
    for run in api.runs(path, order="-created_at", per_page=2):
        seen.append(run.id)
        if len(seen) <= 2:
            api.create_run(run_id=f"late{len(seen)}", project=project)
    told = []
    for ask in (lambda: api.run(f"{path}/nothing"), lambda: list(api.runs(path, filters={"nope": 1})),
                lambda: list(api.runs("ann/no-such-project"))):
        try:
            ask()
        except Exception as e:
            told.append(str(e))
    return found, count, seen, told


def names(*numbers_):
    return [f"n{i:03}" for i in numbers_]


@pytest.mark.long_if_old
@pytest.mark.feature("public API: runs by filters and orders, in pages")
def test_filters_and_orders(client, project, api, wait_for):
    assert client.call(make_runs, project=project, count=9).code == 0
    runs = f"/api/v1/projects/ann/{project}/runs"
    wait_for(lambda: api.get(runs, filter="summary.score>0 has:config.i", count="true").json.get("count") == 9)
    asked = [
        ({}, names(*range(9))),
        ({"order": "-created_at"}, names(*reversed(range(9)))),
        ({"order": "+config.i.value"}, names(*range(9))),
        ({"order": "+summary_metrics.score"}, names(*reversed(range(9)))),
        ({"order": "+config.model.value.depth,-config.i"}, names(6, 3, 0, 7, 4, 1, 8, 5, 2)),
        ({"order": "-config.model.depth,+name"}, names(2, 5, 8, 1, 4, 7, 0, 3, 6)),
        ({"filters": {"config.i": {"$gte": 3, "$lt": 5}}}, names(3, 4)),
        ({"filters": {"config.model.value.depth": 2}}, names(2, 5, 8)),
        ({"filters": {"tags": {"$in": ["odd"]}}}, names(1, 3, 5, 7)),
        ({"filters": {"$or": [{"name": "n001"}, {"display_name": {"$regex": "^nothing$"}}]}}, names(1)),
        ({"filters": {"$nor": [{"tags": "odd"}, {"config.i.value": {"$lte": 4}}]}}, names(6, 8)),
        ({"filters": {"summaryMetrics.score": {"$gt": 0.3}, "user.username": "ann"}}, names(0, 1, 2)),
        ({"filters": {"config.i": {"$not": {"$gt": 0}}, "sweep": None}}, names(0)),
        ({"filters": {"config.nothing": {"$exists": False}, "state": {"$ne": "running"}}}, []),
        ({"filters": {"createdAt": {"$lt": "2020-01-01"}}}, []),
    ]
    found, count, seen, told = client.call(list_runs, project=project, asked=[one for one, _ in asked]).value
    for (one, expected), ids in zip(asked, found, strict=True):
        assert ids == expected, one
    assert count == 5
    assert [name for name in seen if not name.startswith("late")] == names(*reversed(range(9)))
    assert "Could not find run" in told[0] and "Could not find project" in told[2]
    assert 'unknown key "nope"' in told[1].replace("\\", "")


def edit(path):
    import wandb
    run = wandb.Api().run(path)
    run.config["new"] = 5
    run.tags = ["x"]
    run.name = "renamed"
    run.notes = "other"
    run.group = "g2"
    run.summary["extra"] = 1.5
    run.update()
    run.summary.update({"more": {"x": 1}})


def delete_twice(path):
    import wandb
    run = wandb.Api().run(path)
    run.delete()
    run.delete()
    try:
        wandb.Api().run(path)
    except (ValueError, wandb.errors.CommError) as e:
        return str(e)
    return "still there"


@pytest.mark.long_if_old
@pytest.mark.feature("public API: edits of config, summary, tags and names, and deletes")
def test_edits_and_deletes(client, project, read, api):
    assert client.call(train, name="r1", rows=2).code == 0
    assert client.call(edit, path=f"ann/{project}/r1").code == 0
    head, summary = read("r1").get(), read("r1").summary()
    assert (head["tags"], head["display_name"], head["notes"], head["group"]) == (["x"], "renamed", "other", "g2")
    assert (read("r1").config()["new"], read("r1").config()["lr"]) == (5, 0.1)
    assert (summary["extra"], summary["more"], summary["loss"]) == (1.5, {"x": 1}, 0.5)
    assert "Could not find run" in client.call(delete_twice, path=f"ann/{project}/r1").value
    assert api.request("GET", f"/api/v1/projects/ann/{project}/runs/r1").status == 410


def be_stopped():
    """A run that is stopped from outside, and goes on; then it is failed. None: this SDK cannot."""
    import time

    import wandb
    run = wandb.init(id="r1")
    path = f"{run.entity}/{run.project}/{run.id}"
    other = wandb.Api().run(path)
    if not hasattr(other, "stop"):
        return None
    until = time.monotonic() + 240
    try:
        other.stop()
        while time.monotonic() < until:
            run.log({"a": 1})
            time.sleep(0.05)
        return "nobody stopped it"
    except KeyboardInterrupt:
        pass
    told = [other.update_state("failed")]
    try:
        told.append(other.update_state("failed"))
    except wandb.errors.CommError as e:
        told.append(str(e))
    run.finish()
    return told


@pytest.mark.long_if_old
@pytest.mark.feature("public API: runs are stopped, and failed by hand")
def test_stop_and_state(client, read):
    told = client.call(be_stopped).value
    if told is None:
        pytest.skip("this SDK has no stop()")
    done, refused = told
    assert done is True and "invalid state transition" in refused
    run = read("r1").get()
    assert run["state"] == "failed" and run["stop_requested_at"]


def test_kinds_of_values_are_counted(wire):
    """One by one where a key has several; a number that is none is one of them."""
    process = wire.start("r1")
    process.history(*({"_step": n, "loss": value} for n, value in enumerate([1, 2.5, float("nan"), 4])),
                    *({"_step": 4 + n, "mixed": value} for n, value in enumerate(
                        [1, "one", None, True, [1], "two", 7, False, "three"])),
                    {"_step": 13, "image": {"_type": "image-file", "path": "a.png"}, "nest": {"x": 1}})
    run = wire.query("query($p: String, $e: String) {project(name: $p, entityName: $e) {run(name: \"r1\") {"
                     "historyKeys}}}", p=wire.project, e=wire.entity)["project"]["run"]
    keys = run["historyKeys"]["keys"]
    counts = {key: {each["type"]: each["count"] for each in keys[key]["typeCounts"]} for key in keys}
    assert counts == {
        "_step": {"number": 14}, "_timestamp": {"number": 14}, "loss": {"number": 4}, "nest.x": {"number": 1},
        "image": {"image-file": 1},
        "mixed": {"number": 2, "string": 3, "nil": 1, "bool": 2, "list": 1}}
    assert keys["loss"]["previousValue"] == 4 and run["historyKeys"]["lastStep"] == 13


def wait_for_end(path, into):
    """Says when it has begun to wait, and how the run stands when it has waited."""
    import pathlib

    import wandb
    run = wandb.Api().run(path)
    seen = [run.state]
    pathlib.Path(into).write_text("")
    run.wait_until_finished()
    return [*seen, run.state, wandb.Api().run(path).state]


@pytest.mark.long_if_old
@pytest.mark.feature("public API: wait_until_finished")
@pytest.mark.parametrize("code, state", [(0, "finished"), (3, "failed")])
def test_wait_until_finished(client, project, wire, wait_for, code, state):
    process = wire.start("r1")
    waiting = client.start(wait_for_end, path=f"ann/{project}/r1", into="waits")
    wait_for(lambda: (client.folder / "waits").exists() or not waiting.is_running, what="who waits")
    process.history({"_step": 0, "loss": 1})
    assert waiting.is_running, waiting.out
    process.complete(code)
    assert waiting.wait().value == ["running", state, state]


def sweep_a_little(project):
    """A script that trains, finishes, and asks which run was best; and one that is under way."""
    import wandb
    path = f"ann/{project}"
    seen = []
    for i in range(4):
        run = wandb.init(id=f"r{i}", config={"i": i})
        run.log({"score": i})
        run.finish()
        seen.append([[each.id for each in wandb.Api().runs(path, filters={"state": "finished"}, order="+created_at")],
                     [each.id for each in wandb.Api().runs(path, order="-summary_metrics.score")][:1],
                     [each.id for each in wandb.Api().runs(path, filters={"config.i": i})],
                     len(wandb.Api().runs(path))])
    return seen


@pytest.mark.long_if_old
@pytest.mark.own(search_fold_ms=60000)
@pytest.mark.feature("public API: runs by filters and orders, in pages")
def test_what_finished_is_listed(client, project):
    for i, (finished, best, filtered, count) in enumerate(client.call(sweep_a_little, project=project).value):
        assert finished == [f"r{k}" for k in range(i + 1)]
        assert (best, filtered, count) == ([f"r{i}"], [f"r{i}"], i + 1)


def look_around(project):
    import wandb
    api = wandb.Api()
    api.create_project(project, "ann")
    user = api.user("ann")
    return {"projects": [each.name for each in api.projects("ann")], "created": api.project(project).name,
            "viewer": api.viewer.username, "teams": api.viewer.teams, "keys": len(api.viewer.api_keys),
            "user": user.username, "nobody": api.user("no-such-user") is None,
            "members": [each.username for each in api.team("ann").members],
            "empty": [each.username for each in api.team("no-such-team").members]}


def look_at_the_organization():
    import wandb
    one = wandb.Api().organization()
    return [one.name, one.org_entity.name, wandb.Api().organization(one.name).id == one.id]


@pytest.mark.long_if_old
def test_the_organization(client):
    """One for each server; older releases do not ask for it."""
    if client.release < (0, 31):
        pytest.skip("not in this SDK")
    assert client.call(look_at_the_organization).value == ["cairn", "cairn", True]


@pytest.mark.long_if_old
@pytest.mark.feature("public API: projects, teams, users, viewer")
def test_projects_and_people(client, project, api):
    shown = client.call(look_around, project=project).value
    assert shown["created"] == project
    assert sorted(shown["projects"]) == sorted(each["name"] for each in api.pages("/api/v1/projects/ann"))
    assert (shown["viewer"], shown["user"], shown["nobody"]) == ("ann", "ann", True)
    assert "ann" in shown["teams"] and shown["keys"] >= 1
    assert (shown["members"], shown["empty"]) == (["ann"], [])


PAGE = """query($p: String!, $n: Int, $c: String) { project(name: $p, entityName: "ann") {
    runs(first: $n, after: $c) { edges { node { name } } pageInfo { hasNextPage endCursor } } } }"""


def test_pages_go_on_behind_runs_that_went(wire, api, db, project, wait_for):
    """Those that search still knows though they are deleted may be a whole page."""
    for i in range(6):
        wire.start(f"r{i}")
    wait_for(lambda: len(wire.query(PAGE, p=project, n=10)["project"]["runs"]["edges"]) == 6)
    db.query("update run_hot h set deleted_at = now() from run r where r.run_id = h.run_id and r.name in "
             "('r2', 'r3', 'r5') and r.project_id = (select project_id from project where name = %s)", project)
    seen, after = [], None
    for _ in range(3):
        page = wire.query(PAGE, p=project, n=2, c=after)["project"]["runs"]
        seen.append([edge["node"]["name"] for edge in page["edges"]])
        after = page["pageInfo"]["endCursor"]
        assert after and page["pageInfo"]["hasNextPage"] is (len(seen) < 3)
    assert seen == [["r0", "r1"], [], ["r4"]]
