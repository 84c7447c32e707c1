"""Filters of wandb.Api().runs(): the whole grammar and every spelling of a key, each compared with a plain evaluation
of the same filter over all runs."""
import random
import re

import pytest

RUNS = 24
STATES = ("finished", "failed", "running")


def config_of(i):
    """Values of all kinds, some of them missing, null, or of another kind than in other runs."""
    config = {"i": i, "lr": [0.1, 0.01, 1, 1e-5][i % 4], "model": {"depth": i % 3, "name": f"net{i % 2}"},
              "sizes": [i % 4, 8], "a.b": i % 2}
    if i % 3:
        config["opt"] = [None, "adam", "sgd", 3, True][i % 5]
    return config


def summary_of(i):
    summary = {"score": 1 / (i + 1), "best": {"acc": i / 10}, "word": ["alpha", "Beta", "gamma ü"][i % 3]}
    if i % 4 == 1:
        summary["odd"] = i
    return summary


@pytest.fixture
def runs(wire, read, api, project, wait_for):
    """Made by a simulated SDK; as REST shows them, and as search will find them."""
    for i in range(RUNS):
        process = wire.start(f"r{i:02}", config=config_of(i), groupName=["", "ga", "gb"][i % 3],
                             jobType=["train", "", "eval"][i % 3], tags=[["x"], [], ["x", "y z"], ["ü"]][i % 4],
                             displayName=f"name {i % 7}", sweep=["", "s1", "s2"][i % 3], notes=["", "a note", "two\nlines"][i % 3],
                             host=f"node{i % 3}")
        process.history({"_step": 0, "logged": i})
        process.summary(summary_of(i))
        if STATES[i % 3] != "running":
            process.complete(i % 3)
    path = f"/api/v1/projects/ann/{project}/runs"
    wait_for(lambda: api.get(path, filter="summary.score>0 summary.logged>=0", count="true").json["count"] == RUNS)
    wait_for(lambda: api.get(path, filter="state:running", count="true").json["count"] == RUNS // 3)
    found = []
    for head in api.pages(path):
        run = read(head["id"])
        found.append({**head, "config": run.config(), "summary": run.summary(), "host": f"node{int(head['id'][1:]) % 3}"})
    return sorted(found, key=lambda run: run["created_at"])


# ---- a plain evaluation ---------------------------------------------------------------------------------------

COLUMNS = {"name": "id", "display_name": "display_name", "displayName": "display_name", "state": "state",
           "group": "group", "job_type": "job_type", "jobType": "job_type", "tags": "tags", "notes": "notes",
           "description": "notes", "username": "user", "user.username": "user", "created_at": "created_at",
           "createdAt": "created_at", "sweep": "sweep", "sweep_name": "sweep", "host": "host"}
DOCUMENTS = {"config": "config", "summary_metrics": "summary", "summaryMetrics": "summary", "summary": "summary"}


def walk(value, names):
    """What stands there, of objects in lists too; the rest of the names may be one name with dots."""
    if not names:
        return [value]
    if isinstance(value, list):
        return [each for item in value for each in walk(item, names)]
    if not isinstance(value, dict):
        return []
    found = walk(value[names[0]], names[1:]) if names[0] in value else []
    return found


def values(run, key):
    """All single values there: a list has several."""
    if key in COLUMNS:
        found = [run.get(COLUMNS[key])]
        found = [each for each in found if each not in ("", [], None)]
    else:
        document, *names = key.split(".")
        names = [name for name in names if name != "value"] if document == "config" else names
        found = walk(run[DOCUMENTS[document]], names)
        if len(names) > 1 and ".".join(names) in run[DOCUMENTS[document]]:
            found.append(run[DOCUMENTS[document]][".".join(names)])
    return [each for one in found for each in (one if isinstance(one, list) else [one])]


def kind(value):
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def equals(found, wanted):
    if wanted is None:
        return not found or None in found
    return any(kind(each) == kind(wanted) and each == wanted for each in found)


def compares(found, wanted, how):
    return any(kind(each) == kind(wanted) and how(each, wanted) for each in found)


OPERATORS = {
    "$eq": equals,
    "$ne": lambda found, wanted: not equals(found, wanted),
    "$gt": lambda found, wanted: compares(found, wanted, lambda a, b: a > b),
    "$gte": lambda found, wanted: compares(found, wanted, lambda a, b: a >= b),
    "$lt": lambda found, wanted: compares(found, wanted, lambda a, b: a < b),
    "$lte": lambda found, wanted: compares(found, wanted, lambda a, b: a <= b),
    "$in": lambda found, wanted: any(equals(found, one) for one in wanted),
    "$nin": lambda found, wanted: not any(equals(found, one) for one in wanted),
    "$exists": lambda found, wanted: bool(found) == wanted,
    "$regex": lambda found, wanted: any(isinstance(each, str) and re.search(wanted, each) for each in found),
    "$not": lambda found, wanted: not condition(found, wanted),
}


def condition(found, wanted):
    if not isinstance(wanted, dict):
        return equals(found, wanted)
    return all(OPERATORS[name](found, value) for name, value in wanted.items())


def holds(run, filters):
    """Whether the run is one of those asked for."""
    groups = {"$and": all, "$or": any, "$nor": lambda each: not any(each)}
    for key, wanted in filters.items():
        if key in groups:
            held = groups[key]([holds(run, one) for one in wanted])
        elif key == "$not":
            held = not holds(run, wanted)
        else:
            held = condition(values(run, key), wanted)
        if not held:
            return False
    return True


# ---- questions ------------------------------------------------------------------------------------------------

# Every spelling of a key, with values to compare it with.
KEYS = {
    "name": ["r00", "r07", "r2"], "display_name": ["name 3", "name"], "displayName": ["name 4"],
    "state": ["finished", "failed", "running"], "group": ["ga", "gb", None], "job_type": ["train", "eval", None],
    "jobType": ["train"], "tags": ["x", "y z", "ü", None], "notes": ["a note"], "description": ["two\nlines"],
    "username": ["ann", "bob"], "user.username": ["ann"], "sweep": ["s1", None], "sweep_name": ["s2"],
    "host": ["node1", "node2"],
    "config.i": [0, 7, 12.5], "config.i.value": [3, 20], "config.lr": [0.01, 1], "config.lr.value": [1e-05],
    "config.model.depth": [1], "config.model.value.depth": [2], "config.model.depth.value": [0],
    "config.model.name": ["net1"], "config.sizes": [2, 8], "config.a.b": [1], "config.opt": [None, "adam", 3, True],
    "config.opt.value": ["sgd", False], "config.nothing": [1, None], "summary_metrics.score": [0.25, 0.05],
    "summaryMetrics.score": [0.5], "summary_metrics.best.acc": [0.7, 1], "summaryMetrics.word": ["alpha", "Beta"],
    "summary_metrics.odd": [5, None], "summary_metrics.logged": [4], "summary.score": [0.1],
}
PATTERNS = ["^a", "a$", "e", "ü", "^name [1-3]$", "no.h", r"\d", "[xy]"]
COMPARED = ("$gt", "$gte", "$lt", "$lte")


def leaf(rng, key, value):
    """Each kind of condition that the value is good for."""
    choices = ["plain", "$eq", "$ne", "$in", "$nin", "$exists", "$not"]
    if kind(value) == "number" or (isinstance(value, str) and key not in ("sweep",)):
        choices += COMPARED
    if isinstance(value, str):
        choices.append("$regex")
    how = rng.choice(choices)
    if how == "plain":
        return {key: value}
    if how in ("$in", "$nin"):
        return {key: {how: [value, rng.choice(KEYS[key])]}}
    if how == "$exists":
        return {key: {how: rng.random() < 0.5}}
    if how == "$not":
        return {key: {"$not": {rng.choice(["$eq", "$ne"]): value}}}
    if how == "$regex":
        return {key: {how: rng.choice(PATTERNS)}}
    return {key: {how: value}}


def tree(rng, depth):
    if not depth or rng.random() < 0.3:
        key = rng.choice(list(KEYS))
        return leaf(rng, key, rng.choice(KEYS[key]))
    how = rng.choice(["$and", "$or", "$nor", "$not", "both"])
    if how == "$not":
        return {how: tree(rng, depth - 1)}
    if how == "both":
        one, other = tree(rng, depth - 1), tree(rng, depth - 1)
        return {**one, **other}
    return {how: [tree(rng, depth - 1) for _ in range(rng.randint(1, 3))]}


def questions():
    rng = random.Random(5)
    each = [leaf(rng, key, value) for key, some in KEYS.items() for value in some for _ in range(2)]
    return each + [tree(rng, 3) for _ in range(80)]


def ask_all(project, filters):
    import wandb
    api = wandb.Api()
    return [[run.id for run in api.runs(f"ann/{project}", filters=one)] for one in filters]


@pytest.mark.long_if_old
@pytest.mark.feature("public API: filters, the whole grammar in every spelling")
def test_filters_as_a_plain_evaluation(client, project, runs):
    asked = questions()
    found = client.call(ask_all, project=project, filters=asked).value
    wrong = []
    for filters, ids in zip(asked, found, strict=True):
        expected = [run["id"] for run in runs if holds(run, filters)]
        if ids != expected:
            wrong.append((filters, ids, expected))
    assert not wrong, f"{len(wrong)} of {len(asked)}: {wrong[:5]}"
    sizes = {len(ids) for ids in found}
    assert 0 in sizes and RUNS in sizes and len(sizes) > 10


def times(project):
    import wandb
    api = wandb.Api()
    path = f"ann/{project}"
    made = [run.created_at for run in api.runs(path)]
    half = made[len(made) // 2]
    asked = [{"created_at": {"$gte": half}}, {"createdAt": {"$lt": half}}, {"created_at": {"$gt": "2020-01-01"}},
             {"heartbeat_at": {"$gt": made[0]}}, {"updated_at": {"$lt": "2020-01-01T00:00:00Z"}},
             {"duration": {"$gte": 0}}, {"duration": {"$gt": 86400}}, {"duration": {"$exists": True}, "host": "node0"},
             {"host": {"$regex": "^node[01]$"}}, {"host": {"$in": ["node2", "nowhere"]}}]
    return [len(api.runs(path, filters=one)) for one in asked]


@pytest.mark.long_if_old
@pytest.mark.feature("public API: filters, the whole grammar in every spelling")
def test_filters_by_time_and_host(client, project, runs):
    half = RUNS // 2
    assert client.call(times, project=project).value == [
        half, half, RUNS, RUNS, 0, RUNS, 0, RUNS // 3, 2 * RUNS // 3, RUNS // 3]


def list_while_made(project, count, more):
    """Runs are made while pages are read, from the oldest and from the newest on."""
    import threading

    import wandb
    api = wandb.Api()
    path = f"ann/{project}"

    def make():
        own = wandb.Api()
        for i in range(more):
            own.create_run(run_id=f"late{i:02}", project=project)
    seen = []
    for order in ("+created_at", "-created_at", "+display_name", "-config.i"):
        maker = threading.Thread(target=make) if order == "+created_at" else None
        ids = []
        for run in api.runs(path, order=order, per_page=3):
            ids.append(run.id)
            if maker and not ids[3:]:
                maker.start() if len(ids) == 1 else None
        if maker:
            maker.join()
        seen.append(ids)
    return seen


@pytest.mark.long_if_old
@pytest.mark.feature("public API: runs by filters and orders, in pages")
def test_pages_while_runs_are_made(client, project, runs):
    old = {run["id"] for run in runs}
    for ids in client.call(list_while_made, project=project, count=RUNS, more=12).value:
        assert len(ids) == len(set(ids))
        assert old <= set(ids) <= old | {f"late{i:02}" for i in range(12)}
