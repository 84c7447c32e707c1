"""What runs used and made: edges, the graph around a version, and whom it is shown to."""
import pytest

from artifacts import Collection
from runs import Run


def refs(name):
    return {name: f"s3://bucket/{name}"}


def use(api, home, run, artifact, **members):
    return api.post(f"{home}/runs/{run}/artifacts", {"artifact": artifact, **members}).json


def edges(graph):
    """Pairs (from, to) by names: an input leads from the version to the run, an output from the run to the version."""
    names = {r["node"]: r["id"] for r in graph["runs"]}
    names |= {v["node"]: f"{v['collection']}:{v['version']}" for v in graph["versions"]}
    return sorted((names[e["version"]], names[e["run"]]) if e["way"] == "input" else (names[e["run"]], names[e["version"]])
                  for e in graph["edges"])


@pytest.fixture
def chain(api, home):
    """data:v0 -> train -> model:v0 -> eval -> report:v0"""
    for name in ("train", "eval"):
        Run(api, name, project=home)
    Collection(api, home, "data", "dataset").version(references=refs("d"))
    use(api, home, "train", "data:v0", used_as="train set")
    Collection(api, home, "model").version(references=refs("m"), run="train")
    use(api, home, "eval", "model:latest")
    Collection(api, home, "report", "table").version(references=refs("r"), run="eval")
    return home


CHAIN = [("data:v0", "train"), ("eval", "report:v0"), ("model:v0", "eval"), ("train", "model:v0")]


def test_the_graph(chain, api):
    graph = api.get(f"{chain}/artifacts/model/versions/v0/lineage").json
    assert edges(graph) == CHAIN and not graph["truncated"]
    depths = {r["id"]: r["depth"] for r in graph["runs"]} | {v["collection"]: v["depth"] for v in graph["versions"]}
    assert depths == {"model": 0, "train": 1, "eval": 1, "data": 2, "report": 2}
    assert [e["used_as"] for e in graph["edges"] if e["used_as"]] == ["train set"]
    assert edges(api.get(f"{chain}/artifacts/data/versions/v0/lineage", depth=10).json) == CHAIN
    assert edges(api.get(f"{chain}/artifacts/data/versions/v0/lineage", depth=2).json) == [CHAIN[0], CHAIN[3]]
    assert edges(api.get(f"{chain}/artifacts/data/versions/v0/lineage", depth=1).json) == [CHAIN[0]]
    small = api.get(f"{chain}/artifacts/model/versions/v0/lineage", limit=2).json
    assert small["truncated"] and len(small["runs"]) + len(small["versions"]) == 2
    for query in ({"depth": 0}, {"depth": 11}, {"limit": 0}, {"limit": 1001}):
        api.refused(400, "invalid", "GET", f"{chain}/artifacts/model/versions/v0/lineage", query=query)


def test_large_metadata_is_not_read(chain, api, server, db):
    """The graph does not show it."""
    db.query("""update artifact set metadata = '{"a": "' || repeat('x', 60000000) || '"}'
                 where project_id = (select max(project_id) from project) and version = 0 and collection_id in
                       (select collection_id from artifact_collection where name in ('data', 'report'))""")
    before = server.memory("VmHWM")
    assert edges(api.get(f"{chain}/artifacts/model/versions/v0/lineage").json) == CHAIN
    assert server.memory("VmHWM") - before < 40_000_000


def test_a_cycle_ends(chain, api):
    """A run that uses what it made, directly and by a detour."""
    use(api, chain, "train", "model:v0")
    use(api, chain, "train", "report:v0")
    graph = api.get(f"{chain}/artifacts/model/versions/v0/lineage", depth=10).json
    assert edges(graph) == sorted([*CHAIN, ("model:v0", "train"), ("report:v0", "train")]) and not graph["truncated"]


def test_of_a_run(chain, api):
    path = f"{chain}/runs/train/artifacts"
    both = api.pages(path)
    assert [(u["way"], u["version"]["collection"], u["used_as"]) for u in both] == [
        ("input", "data", "train set"), ("output", "model", None)]
    assert api.pages(path, limit=1) == both
    assert api.pages(path, way="output") == both[1:] and api.pages(path, way="input") == both[:1]
    again = use(api, chain, "train", "data")
    assert again == both[0]  # one edge, and its purpose is kept
    assert use(api, chain, "train", "data", used_as="all")["used_as"] == "all" and len(api.pages(path)) == 2
    draft = Collection(api, chain, "data", "dataset").draft(run="train")
    assert len(api.pages(path)) == 2 and draft  # what is not committed is not shown


def test_a_fork_made_and_used_nothing(chain, api):
    """Whatever its parent did before; what it does is its own."""
    for n in range(3):
        api.post(f"{chain}/runs/train/history", {"loss": n})
    api.put(f"{chain}/runs/fork", {"forked_from": {"run": "train", "step": 1}})
    assert api.pages(f"{chain}/runs/fork/artifacts") == []
    use(api, chain, "fork", "data:v0")
    assert [(u["way"], u["version"]["collection"]) for u in api.pages(f"{chain}/runs/fork/artifacts")] == [("input", "data")]
    assert len(api.pages(f"{chain}/runs/train/artifacts")) == 2
    graph = api.get(f"{chain}/artifacts/data/versions/v0/lineage", depth=1).json
    assert edges(graph) == [("data:v0", "fork"), ("data:v0", "train")]


def test_refused(chain, api):
    path = f"{chain}/runs/train/artifacts"
    for artifact in ("", ":v0", "a/b:v0", "a/b/c/d:v0", "/x/data:v0"):
        answer = api.refused(400, "invalid", "POST", path, {"artifact": artifact})
        assert answer["field"] == "artifact"
    for artifact in ("data:v7", "data:nope", "nothing:v0", "ann/nothing/data:v0", "nobody/digits/data:v0"):
        api.refused(404, "not-found", "POST", path, {"artifact": artifact})
    api.refused(400, "invalid", "POST", path, {"artifact": "data:v0", "way": "sideways"})
    api.refused(400, "invalid", "POST", path, {"artifact": "data:v0", "used_as": "x" * 513})
    assert api.post(path, {"artifact": "data:v0", "used_as": "ü" * 256}).json["used_as"] == "ü" * 256
    api.refused(404, "not-found", "POST", f"{chain}/runs/no-such-run/artifacts", {"artifact": "data:v0"})


def test_across_projects(by, api, home):
    """An edge leads into another project; whoever may not read that does not learn of it, from either side."""
    other = f"{home}-other"
    team = home.replace("/ann/", "/lab/")
    by["bob"].put(team, {"visibility": "public"})
    by["bob"].put(other.replace("/ann/", "/lab/"), {})
    hidden = Collection(by["bob"], other.replace("/ann/", "/lab/"), "data", "dataset")
    hidden.version(references=refs("d"))
    Run(by["bob"], "train", project=team)
    address = f"{other.replace('/ann/', '/lab/').removeprefix('/api/v1/projects/')}/data:v0"
    use(by["bob"], team, "train", address)
    Collection(by["bob"], team).version(references=refs("m"), run="train")
    path = f"{team}/artifacts/model/versions/v0/lineage"
    assert edges(by["bob"].get(path).json) == [("data:v0", "train"), ("train", "model:v0")]
    assert edges(by["nobody"].get(path).json) == [("train", "model:v0")]
    assert [u["version"]["collection"] for u in by["nobody"].pages(f"{team}/runs/train/artifacts")] == ["model"]
    assert edges(by["bob"].get(f"{hidden.path}/versions/v0/lineage").json) == [("data:v0", "train"), ("train", "model:v0")]
    Collection(by["bob"], team, "read").version(references=refs("r"))
    use(by["bob"], team, "train", "read:v0")
    by["bob"].patch(f"{team}/runs/train", {"visibility": "private"})
    by["nobody"].refused(404, "not-found", "GET", path)
    graph = by["nobody"].get(f"{team}/artifacts/read/versions/v0/lineage").json
    assert graph["runs"] == [] and graph["edges"] == [] and len(graph["versions"]) == 1
    by["vic"].refused(403, "forbidden", "POST", f"{team}/runs/train/artifacts", {"artifact": "model:v0"})
    by["bob"].patch(team, {"visibility": "private"})
