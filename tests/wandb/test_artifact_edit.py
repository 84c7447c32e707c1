"""Changes of artifacts and their collections through the public API, seen by another process afterwards."""
import pytest


def log(name):
    import wandb
    with wandb.init(id=name) as run:
        for text in "one", "two", "three":
            artifact = wandb.Artifact("data", type="dataset", metadata={"text": text})
            with artifact.new_file("a.txt") as out:
                out.write(text)
            run.log_artifact(artifact, aliases=["latest", text]).wait(timeout=240)


def edit(path):
    """Changes a version in all ways, and another so that aliases move."""
    import datetime

    import wandb
    from wandb.sdk.artifacts.artifact_ttl import ArtifactTTL
    api = wandb.Api()
    said = []
    first = api.artifact(f"{path}/data:v0")
    first.description = ""
    first.metadata["more"] = {"deep": [1.5, None, "ü"]}
    first.aliases += ["best", "two"]
    first.aliases.remove("one")
    first.tags = ["good", "very good"]
    first.ttl = datetime.timedelta(days=3)
    first.save()
    said.append([first.ttl.days, sorted(first.aliases), sorted(first.tags)])
    first.tags = ["good", "other"]
    first.ttl = None
    first.save()
    said.append([first.ttl, sorted(first.tags)])
    first.ttl = ArtifactTTL.INHERIT
    first.save()
    said.append(first.ttl)
    second = api.artifact(f"{path}/data:v1")
    second.ttl = datetime.timedelta(seconds=5000)
    second.save()
    return said


def show(path, names):
    import wandb
    api = wandb.Api()
    said = {}
    for name in names:
        try:
            version = api.artifact(f"{path}/{name}")
        except Exception as e:  # noqa: BLE001
            said[name] = f"{type(e).__name__}: {e}"
            continue
        said[name] = {"version": version.version, "description": version.description, "metadata": version.metadata,
                      "aliases": sorted(version.aliases), "tags": sorted(version.tags),
                      "ttl": version.ttl and version.ttl.total_seconds()}
    return said


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: change aliases, tags, description, metadata and TTL")
def test_versions(client, project, stored):
    assert client.call(log, name="r1").code == 0
    path = f"ann/{project}"
    said = client.call(edit, path=path).value
    assert said == [[3, ["best", "two"], ["good", "very good"]], [None, ["good", "other"]], None]
    shown = client.call(show, path=path, names=["data:v0", "data:v1", "data:two", "data:one", "data:latest"]).value
    assert shown["data:v0"] == {
        "version": "v0", "description": "", "metadata": {"text": "one", "more": {"deep": [1.5, None, "ü"]}},
        "aliases": ["best", "two"], "tags": ["good", "other"], "ttl": None}
    assert shown["data:two"] == shown["data:v0"] and "not found" in shown["data:one"]
    assert (shown["data:v1"]["aliases"], shown["data:v1"]["ttl"], shown["data:v1"]["metadata"]) == ([], 5000, {"text": "two"})
    assert shown["data:latest"]["version"] == "v2"
    for name, said in list(shown.items())[:3]:
        head = stored(name).head
        assert {key: head[key] for key in ("version", "description", "metadata")} == {
            key: said[key] for key in ("version", "description", "metadata")}
        assert (sorted(head["aliases"]), sorted(head["tags"]), head["ttl_s"]) == (said["aliases"], said["tags"], said["ttl"])


def edit_collection(path):
    import wandb
    api = wandb.Api()
    collection = api.artifact_collection("dataset", f"{path}/data")
    collection.description = "all of it"
    collection.tags = ["a", "b c"]
    collection.name = "renamed"
    collection.save()
    collection = api.artifact_collection("dataset", f"{path}/renamed")
    collection.tags = ["b c", "d"]
    collection.type = "moved"
    collection.save()
    again = api.artifact_collection("moved", f"{path}/renamed")
    return {"description": again.description, "tags": sorted(again.tags), "aliases": sorted(again.aliases),
            "types": {kind.name: [found.name for found in kind.collections()] for kind in api.artifact_types(path)},
            "versions": [version.name for version in api.artifacts("moved", f"{path}/renamed")],
            "old": api.artifact_collection_exists(f"{path}/data", "dataset")}


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: rename, describe, tag and move collections")
def test_collections(client, project, api, stored):
    assert client.call(log, name="r1").code == 0
    said = client.call(edit_collection, path=f"ann/{project}").value
    assert (said["description"], said["tags"]) == ("all of it", ["b c", "d"])
    assert said["aliases"] == ["latest", "one", "three", "two"] and not said["old"]
    assert said["types"]["moved"] == ["renamed"] and said["types"].get("dataset", []) == []
    assert said["versions"] == ["renamed:v2", "renamed:v1", "renamed:v0"]
    shown = api.get(f"/api/v1/projects/ann/{project}/artifacts/renamed").json
    assert (shown["description"], sorted(shown["tags"]), shown["type"], shown["versions"]) == ("all of it", ["b c", "d"], "moved", 3)
    assert [stored(f"renamed:{alias}").texts for alias in ("one", "two", "three")] == [{"a.txt": text} for text in ("one", "two", "three")]


def delete(path):
    import wandb
    api = wandb.Api()
    said = {}
    try:
        api.artifact(f"{path}/data:v2").delete()
    except Exception as e:  # noqa: BLE001
        said["aliased"] = type(e).__name__
    newest = api.artifact(f"{path}/data:v2")
    newest.delete(delete_aliases=True)
    newest.delete(delete_aliases=True)
    said["left"] = [version.name for version in api.artifacts("dataset", f"{path}/data")]
    said["latest"] = api.artifact(f"{path}/data:latest").version
    said["gone"] = [api.artifact_exists(f"{path}/data:{name}") for name in ("v2", "three", "v1")]
    said["by id"] = wandb.Artifact._from_id(newest.id, getattr(api, "_service_api", None) or api.client).state
    return said


def log_again(name):
    import wandb
    with wandb.init(id=name) as run:
        artifact = wandb.Artifact("data", type="dataset")
        with artifact.new_file("a.txt") as out:
            out.write("three")
        return run.log_artifact(artifact).wait(timeout=240).version


def delete_collection(path, run):
    import wandb
    api = wandb.Api()
    api.run(run).delete(delete_artifacts=True)
    left = [version.name for version in api.artifacts("dataset", f"{path}/data")]
    api.artifact_collection("dataset", f"{path}/data").delete()
    return [left, api.artifact_collection_exists(f"{path}/data", "dataset"), api.artifact_exists(f"{path}/data:v0")]


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: delete versions with or without aliases, of a run, and whole collections")
def test_deletion(client, project):
    """A number is not given again."""
    path = f"ann/{project}"
    assert client.call(log, name="r1").code == 0
    said = client.call(delete, path=path).value
    assert said["aliased"] == "CommError"
    assert said["left"] == ["data:v1", "data:v0"] and said["latest"] == "v1"
    assert said["gone"] == [False, False, True] and said["by id"] in ("DELETED", "COMMITTED")
    assert client.call(log_again, name="r2").value == "v3"
    left, there, exists = client.call(delete_collection, path=path, run=f"{path}/r2").value
    assert left == ["data:v1", "data:v0"] and not there and not exists
    assert client.call(log_again, name="r3").value == "v0"
