"""Versions of artifacts are found by what they are: the filter of runs, with the keys of artifacts."""
import pytest

from artifacts import Collection
from runs import Run

REFS = {"data.csv": "s3://bucket/data.csv"}


@pytest.fixture
def some(api, home):
    """Four versions in two collections; the names that tests call them by."""
    models, data = Collection(api, home, "net"), Collection(api, home, "digits", "dataset")
    Run(api, "trainer", project=home)
    models.version(references=REFS, metadata={"lr": 0.1, "arch": {"name": "cnn"}}, tags=["old"], aliases=["first"])
    models.version(references={**REFS, "b": "s3://bucket/b"}, metadata={"lr": 0.01, "arch": {"name": "vit"}}, run="trainer")
    models.version(references={"c": "s3://bucket/c"}, metadata={"lr": "none"}, description="The last one")
    data.version(references=REFS, aliases=["best", "ümläut"])
    return home


def found(api, home, text, **query):
    items = api.pages(f"{home}/artifact-versions", filter=text, order="created_at", **query)
    return [f"{v['collection']}:{v['version']}" for v in items]


@pytest.mark.parametrize("text, versions", [
    ("", ["net:v0", "net:v1", "net:v2", "digits:v0"]),
    ("type:dataset", ["digits:v0"]),
    ("type:model,dataset collection:digits", ["digits:v0"]),
    ("alias:latest", ["net:v2", "digits:v0"]),
    ("alias:ümläut", ["digits:v0"]),
    ("not alias:latest", ["net:v0", "net:v1"]),
    ("tag:old", ["net:v0"]),
    ("version>=1", ["net:v1", "net:v2"]),
    ("version:v1", ["net:v1"]),
    ("files>1", ["net:v1"]),
    ("metadata.lr<0.05", ["net:v1"]),
    ("metadata.lr>0", ["net:v0", "net:v1"]),
    ("has:metadata.lr not metadata.lr>0", ["net:v2"]),
    ("metadata.arch.name:cnn", ["net:v0"]),
    ("run:trainer", ["net:v1"]),
    ("user:ann created_at>2020-01-01", ["net:v0", "net:v1", "net:v2", "digits:v0"]),
    ('description:"The last one"', ["net:v2"]),
    ('{"$or": [{"tag": "old"}, {"alias": "best"}]}', ["net:v0", "digits:v0"]),
    ('{"metadata.lr": {"$in": [0.1, "none"]}}', ["net:v0", "net:v2"]),
    ("metadata.missing:1", []),
    ("name:/^NE/i", ["net:v0", "net:v1", "net:v2"]),
    ("name:/^NE/", []),
    ("type:model not tag:/^o/", ["net:v1", "net:v2"]),
    ("metadata.arch.name:/^.i.$/ version>0", ["net:v1"]),
    ("metadata.lr:/non/", ["net:v2"]),
    ("last", ["net:v2"]),
    ('"the LAST" net', ["net:v2"]),
    ("digits best", ["digits:v0"]),
    ("alias:/^(first|best)$/", ["net:v0", "digits:v0"]),
    ("version:/v[01]/ not best", ["net:v0", "net:v1"]),
    ('{"name": {"$regex": "^dig"}}', ["digits:v0"]),
    ("not net", ["digits:v0"]),
    ("digest:0", []),
])
def test_filters(some, api, text, versions):
    assert found(api, some, text) == versions


def test_pages_and_counts(some, api):
    """Pages neither skip nor repeat; both orders; the digest of a version finds it."""
    for order in ("created_at", "-created_at"):
        whole = api.get(f"{some}/artifact-versions", order=order).json["items"]
        assert api.pages(f"{some}/artifact-versions", order=order, limit=1) == whole and len(whole) == 4
    for text in ("type:model", "name:/^net$/"):
        first = api.get(f"{some}/artifact-versions", filter=text, count="true", limit=1).json
        assert first["count"] == 3 and len(api.pages(f"{some}/artifact-versions", filter=text, limit=1)) == 3
        again = api.get(f"{some}/artifact-versions", filter=text, count="true", limit=1, cursor=first["next_cursor"]).json
        assert again["count"] == 3 and again["items"] != first["items"]
    assert found(api, some, f"digest:{whole[-1]['digest']}") == ["net:v0", "digits:v0"]  # equal files


@pytest.mark.parametrize("text, word", [
    ("lr:1", "unknown key"), ("state:crashed", "unknown key"), ("metadata:1", "unknown key"), ("type:", "value"),
    ("name:/(/", "regular"), ("net or digits", "and"), ("not (tag:/x/ type:a)", "and"), ("run:/x/", "its id"),
    ("created_at>yesterday", "time"),
    ("(type:model", "bracket"), ("x" * 20000, "longer"),
])
def test_filters_that_are_refused(project, api, text, word):
    answer = api.refused(400, "invalid", "GET", f"{project}/artifact-versions", query={"filter": text})
    assert answer["field"].startswith("filter") and word in answer["detail"] + answer.get("hint", "")


def test_private_runs_are_not_found(by, home):
    """The name of a run that a reader may not see finds nothing, and what it made is not there."""
    team = home.replace("/ann/", "/lab/")
    by["bob"].put(team, {"visibility": "public"})
    Run(by["bob"], "secret", project=team)
    by["bob"].patch(f"{team}/runs/secret", {"visibility": "private"})
    Collection(by["bob"], team).version(references=REFS, run="secret")
    [seen] = by["bob"].pages(f"{team}/artifact-versions", filter="run:secret")
    assert seen["run"]["id"] == "secret"
    assert by["nobody"].pages(f"{team}/artifact-versions", filter="run:secret") == []
    assert by["nobody"].pages(f"{team}/artifact-versions") == []
    by["bob"].patch(team, {"visibility": "private"})


LISTED = """query Q($e: String!, $p: String!, $r: String!, $after: String) { project(entityName: $e, name: $p) {
    artifactType(name: "model") { artifactCollection(name: "net") { artifacts(first: 10, after: $after) {
        edges { node { versionIndex } } pageInfo { hasNextPage endCursor } } } }
    run(name: $r) { outputArtifacts(first: 10, after: $after) { edges { node { versionIndex } } pageInfo { hasNextPage endCursor } } } } }"""


@pytest.mark.long
def test_pages_of_large_metadata(api, home, db):
    """Have fewer versions than were asked for, and lead to all of them."""
    models = Collection(api, home, "net")
    Run(api, "trainer", project=home)
    for n in range(3):
        models.version(references={f"{n}": "s3://bucket/c"}, run="trainer")
    assert len(api.get(f"{models.path}/versions").json["items"]) == 3
    large = """update artifact set metadata = '{"x":"' || repeat('y', 9000000) || '"}' where collection_id =
        (select collection_id from artifact_collection c join project p using (project_id) where c.name = 'net' and p.name = %s)"""
    db.query(large, home.rsplit("/", 1)[1])
    for path, query in (f"{models.path}/versions", {"order": "version"}), *(
            (f"{home}/artifact-versions", {"filter": text, "order": "created_at"}) for text in ("collection:net", "net")):
        first = api.get(path, **query).json
        assert len(first["items"]) == 1 and first["next_cursor"], path
        assert [item["version"] for item in api.pages(path, **query)] == ["v0", "v1", "v2"]
    assert api.get(f"{home}/artifact-versions", filter="net", count="true").json["count"] == 3

    entity, project = home.rsplit("/", 2)[1:]
    for find in (lambda p: p["artifactType"]["artifactCollection"]["artifacts"]), (lambda p: p["run"]["outputArtifacts"]):
        after, versions = None, []
        for _ in range(3):
            body = {"query": LISTED, "variables": {"e": entity, "p": project, "r": "trainer", "after": after}}
            answer = api.post("/graphql", body, check=False).json
            page = find(answer["data"]["project"])
            assert len(page["edges"]) == 1
            versions.append(page["edges"][0]["node"]["versionIndex"])
            after = page["pageInfo"]["endCursor"]
        assert sorted(versions) == [0, 1, 2] and not page["pageInfo"]["hasNextPage"]
