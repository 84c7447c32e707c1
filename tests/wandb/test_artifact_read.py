"""What the public API shows of artifacts: by name, by id, in lists and file by file, with every byte; and that REST shows the same."""
import hashlib
import urllib.parse

import pytest

EMPTY = {"WANDB_CACHE_DIR": "empty-cache"}  # otherwise the SDK takes what it sent from its cache


def log(name):
    """Two versions of a data set and one of a model; returns the hashes of the files of each."""
    import hashlib
    import pathlib

    import wandb
    folder = pathlib.Path("data")
    (folder / "in/a").mkdir(parents=True)
    (folder / "in/a/größe 1=2#?%.txt").write_text("ü")
    (folder / "in/b.bin").write_bytes(bytes(range(256)) * 5000)
    (folder / "empty").write_bytes(b"")
    said = {}

    def save(run, of, kind, *aliases, reference=None):
        artifact = wandb.Artifact(of, type=kind, description=f"what {of} is", metadata={"lr": 0.5, "net": {"depth": [1, None]}})
        artifact.add_dir(str(folder))
        if reference:
            artifact.add_reference(reference, name="in/ref", checksum=False)
        run.log_artifact(artifact, aliases=["latest", *aliases]).wait(timeout=240)
        said[artifact.name] = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
                               for path in folder.rglob("*") if path.is_file()}
        return artifact
    with wandb.init(id=name) as run:
        save(run, "digits", "dataset", "first", "old")
        (folder / "new.txt").write_text("new")
        second = save(run, "digits", "dataset", "best", reference="odd://what/ever")
        second.tags = ["good", "very good"]
        second.save()
        save(run, "net", "model")
    return said


def read(path, hidden):
    """All that an artifact shows, and its files by each way to them."""
    import hashlib
    import inspect
    import pathlib

    import wandb
    api = wandb.Api()

    def hashes(root):
        return {str(file.relative_to(root)): hashlib.sha256(file.read_bytes()).hexdigest()
                for file in pathlib.Path(root).rglob("*") if file.is_file()}

    def failure(call):
        try:
            call()
        except Exception as e:  # noqa: BLE001
            return f"{type(e).__name__}: {e}"
    artifact = api.artifact(f"{path}/digits:first")
    whole = artifact.download(root="whole")
    artifact.verify(whole)
    pathlib.Path(whole, "empty").write_text("changed")
    said = {
        "id": artifact.id, "name": artifact.name, "qualified": artifact.qualified_name, "version": artifact.version, "state": artifact.state,
        "type": artifact.type, "description": artifact.description, "metadata": artifact.metadata, "size": artifact.size,
        "files": artifact.file_count, "aliases": sorted(artifact.aliases), "tags": artifact.tags, "ttl": artifact.ttl,
        "created": artifact.created_at, "updated": artifact.updated_at, "digest": artifact.digest,
        "computed": artifact.manifest.digest(), "collection": artifact.collection.name,
        "verify": failure(lambda: artifact.verify(whole)),
        "entries": {name: [entry.digest, entry.size] for name, entry in artifact.manifest.entries.items()},
    }
    pathlib.Path("checked").mkdir()
    pathlib.Path("checked/stranger").write_text("not of it")
    artifact.checkout("checked")
    said["checked"] = hashes("checked")
    if "multipart" in inspect.signature(artifact.download).parameters:
        artifact.download(root="ranges", skip_cache=True, multipart=True)
        said["ranges"] = hashes("ranges")
    artifact.download(root="part", path_prefix="in/a")
    said["part"] = hashes("part")
    for entry in artifact.manifest.entries.values():
        entry.download(root="each")  # without a link: by the address that the SDK makes itself
    said["each"] = hashes("each")
    listed = list(artifact.files(per_page=2))
    said["listed"] = {file.name: [file.size, file.md5, file.digest] for file in listed}
    for file in listed:
        file.download(root="listed").close()
    said["by file"] = hashes("listed")
    said["named"] = [file.name for file in artifact.files(names=["empty", "never", "in/b.bin"])]
    said["length"] = len(artifact.files())
    newest = api.artifact(f"{path}/digits")
    said["newest"] = [newest.version, sorted(newest.aliases), sorted(newest.tags), newest.get_entry("in/ref").ref]
    said["refs"] = [[file.name, file.url, file.size] for file in newest.files(names=["in/ref"])]
    said["same"] = api.artifact(f"{path}/digits:v1").id == newest.id == api.artifact(f"{path}/digits:best").id
    said["exists"] = [api.artifact_exists(f"{path}/{name}") for name in ("digits:v0", "digits:v7", "digits:nothing", "nope:v0", "digits")]
    said["wrong"] = [failure(lambda: api.artifact(f"{path}/digits:v7")), failure(lambda: api.artifact(f"{hidden}/digits:v0")),
                     failure(lambda: api.artifact(f"{path}/digits:v0", type="model"))]
    return said


def check_rest(api, project, said, first):
    """The same version over REST."""
    version = f"/api/v1/projects/ann/{project}/artifacts/digits/versions/first"
    shown = api.get(version).json
    assert (shown["id"], shown["digest"], shown["version"], shown["bytes"], shown["files"], shown["metadata"], shown["description"]) == (
        said["id"], said["digest"], "v0", said["size"], said["files"], said["metadata"], said["description"])
    assert sorted(shown["aliases"]) == said["aliases"]
    listed = {file["path"]: file for file in api.pages(f"{version}/files")}
    assert {path: [file["digest"], file["bytes"]] for path, file in listed.items()} == said["entries"]
    for path, digest in first.items():
        body = api.raw("GET", f"{version}/files/{urllib.parse.quote(path)}").body
        assert hashlib.sha256(body).hexdigest() == digest, path


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: read by name and alias, files one by one, manifest, verify, checkout, path_prefix")
def test_one(client, make_client, version, api, project):
    made = client.call(log, name="r1").value
    first = made["digits:v0"]
    said = make_client(version).call(read, EMPTY, path=f"ann/{project}", hidden="ann/never-made").value
    assert (said["name"], said["qualified"], said["version"], said["state"], said["type"]) == (
        "digits:first", f"ann/{project}/digits:first", "v0", "COMMITTED", "dataset")
    assert (said["description"], said["metadata"]) == ("what digits is", {"lr": 0.5, "net": {"depth": [1, None]}})
    assert (said["size"], said["files"], said["length"]) == (256 * 5000 + 2, 3, 3)
    assert (said["aliases"], said["tags"], said["ttl"], said["collection"]) == (["first", "old"], [], None, "digits")
    assert said["digest"] == said["computed"] and said["created"] <= said["updated"]
    assert "empty" in said["verify"] and said["verify"].startswith("ValueError")
    assert set(said["entries"]) == set(first)
    assert said["checked"] == said["each"] == said["by file"] == said.get("ranges", first) == first
    assert said["part"] == {name: digest for name, digest in first.items() if name.startswith("in/a")}
    assert said["listed"] == {name: [size, digest, digest] for name, (digest, size) in said["entries"].items()}
    assert said["named"] == ["empty", "in/b.bin"]
    check_rest(api, project, said, first)
    assert said["newest"] == ["v1", ["best", "latest"], ["good", "very good"], "odd://what/ever"]
    assert said["refs"] == [["in/ref", "odd://what/ever", 0]]
    assert said["same"] and said["exists"] == [True, False, False, False, True]
    unknown, hidden, other = said["wrong"]
    assert "not found" in unknown and "digits:v7" in unknown
    assert "project 'never-made' not found under entity 'ann'" in hidden
    assert "this artifact is of type" in other


def lists(path):
    import wandb
    api = wandb.Api()
    types = api.artifact_types(path)
    said = {"types": {kind.name: sorted(found.name for found in kind.collections()) for kind in types}}
    kind = api.artifact_type("dataset", path)
    collection = api.artifact_collection("dataset", f"{path}/digits")
    said["collection"] = [collection.name, collection.type, collection.description, sorted(collection.aliases),
                          list(collection.tags), collection.is_sequence(), kind.collection("digits").id == collection.id]
    said["count"] = [len(kind.collections()), len(api.artifacts("dataset", f"{path}/digits"))]
    said["versions"] = [version.name for version in api.artifacts("dataset", f"{path}/digits", per_page=1)]
    said["tagged"] = [version.name for version in api.artifacts("dataset", f"{path}/digits", tags=["good"])]
    said["exists"] = [api.artifact_collection_exists(f"{path}/{name}", "dataset") for name in ("digits", "net", "nope")]
    said["aliases"] = [sorted(version.aliases) for version in collection.artifacts()]
    return said


def new_lists(path):
    """What later releases have besides: filters, orders, and a cursor to go on from."""
    import functools

    import wandb
    from wandb.apis.public.artifacts import Artifacts, ArtifactTypes, ProjectArtifactCollections
    api = wandb.Api()
    project = api.project(path.split("/")[1], path.split("/")[0])
    said = {"all": sorted(found.name for found in project.collections()), "length": len(project.collections())}
    said["named"] = [found.name for found in project.collections(filters={"name": "net"})]
    said["several"] = [found.name for found in project.collections(filters={"name": {"$in": ["net", "digits"]}}, order="-name")]
    said["ordered"] = [[found.name for found in project.collections(order=order, per_page=1)] for order in ("name", "-name", "created_at")]
    place = path.split("/")
    for name, make in ("types", ArtifactTypes), ("collections", functools.partial(ProjectArtifactCollections, order="-name")):
        found = make(api._service_api, *place, per_page=1)
        said[name] = [next(found).name, [one.name for one in make(api._service_api, *place, per_page=1, start=found.cursor)]]
    said["orders"] = {order: [one.name for one in api.artifacts("dataset", f"{path}/digits", order=order, per_page=1)]
                      for order in ("version_index", "+version_index", "-version_index")}
    said["filtered"] = [[one.name for one in Artifacts(api._service_api, *place, "digits", "dataset", filters=filters)] for filters in (
        {"tags": "good"}, {"$or": [{"alias": "first"}, {"tags": {"$in": ["very good"]}}]}, {"metadata.net.depth": {"$gte": 2}},
        {"state": "COMMITTED", "version_index": {"$lt": 1}})]
    versions = api.artifacts("dataset", f"{path}/digits", per_page=1)
    said["versions"] = [next(versions).name,
                        [one.name for one in api.artifacts("dataset", f"{path}/digits", per_page=1, start=versions.cursor)]]
    files = api.artifact(f"{path}/digits:v1").files(per_page=2)
    said["files"] = [[next(files).name, next(files).name],
                     [file.name for file in api.artifact(f"{path}/digits:v1").files(per_page=2, start=files.cursor)]]
    artifact = api.artifact(f"{path}/digits:v1")
    said["linked"] = [artifact.is_link, artifact.linked_artifacts, artifact.source_qualified_name, artifact.history_step]
    return said


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: types, collections and versions, in any order, by tags")
def test_lists(client, project):
    assert client.call(log, name="r1").code == 0
    said = client.call(lists, path=f"ann/{project}").value
    assert said["types"] == {"dataset": ["digits"], "model": ["net"]}
    assert said["collection"] == ["digits", "dataset", None, ["best", "first", "latest", "old"], [], True, True]
    assert said["count"] == [1, 2]
    up, down = ["digits:v0", "digits:v1"], ["digits:v1", "digits:v0"]
    assert said["versions"] == down
    assert said["tagged"] == ["digits:v1"] and said["exists"] == [True, False, False]
    assert said["aliases"] == [["best", "latest"], ["first", "old"]]
    if client.release < (0, 31):
        return
    said = client.call(new_lists, path=f"ann/{project}").value
    assert (said["all"], said["length"], said["named"]) == (["digits", "net"], 2, ["net"])
    assert said["several"] == ["net", "digits"]
    assert said["ordered"] == [["digits", "net"], ["net", "digits"], ["digits", "net"]]
    assert said["types"] == ["dataset", ["model"]] and said["collections"] == ["net", ["digits"]]
    assert said["orders"] == {"version_index": up, "+version_index": up, "-version_index": down}
    assert said["filtered"] == [["digits:v1"], down, [], ["digits:v0"]] and said["versions"] == ["digits:v1", ["digits:v0"]]
    assert said["files"] == [["empty", "in/a/größe 1=2#?%.txt"], ["in/b.bin", "in/ref", "new.txt"]]
    assert said["linked"] == [False, [], f"ann/{project}/digits:v1", None]
