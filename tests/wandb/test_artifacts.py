"""Artifacts as the SDK logs them: versions, aliases and every byte, read back by a machine that never had the files."""
import base64
import hashlib

import pytest

EMPTY = {"WANDB_CACHE_DIR": "empty-cache"}  # what was uploaded is in the SDK's cache otherwise, and is not requested


def log_versions(name):
    """A folder is logged as it is, once more, changed, and as it was: what each version has, and what the SDK shows of it."""
    import hashlib
    import pathlib

    import wandb
    folder = pathlib.Path("data")
    (folder / "in/a").mkdir(parents=True)
    (folder / "big.bin").write_bytes(bytes(range(256)) * 5000)
    (folder / "empty").write_bytes(b"")
    (folder / "in/a/größe 1=2#?.txt").write_text("ü")
    said = []

    def log(run, *aliases):
        artifact = wandb.Artifact("data", type="dataset", description="digits", metadata={"n": 3, "in": {"a": [1, None]}})
        artifact.add_dir(str(folder))
        run.log_artifact(artifact, aliases=list(aliases) or None).wait(timeout=240)
        files = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
                 for path in folder.rglob("*") if path.is_file()}
        said.append({"version": artifact.version, "id": artifact.id, "digest": artifact.digest, "state": artifact.state,
                     "files": files, "aliases": sorted(artifact.aliases)})
    with wandb.init(id=name) as run:
        log(run, "best")
        log(run, "again")
        (folder / "in/a/b.txt").write_text("changed")
        log(run)
        (folder / "in/a/b.txt").unlink()
        log(run, "best")
    return said


def download(paths):
    """{path: what the public API shows of it, with the bytes that come}."""
    import hashlib
    import pathlib

    import wandb
    said = {}
    for number, path in enumerate(paths):
        artifact = wandb.Api().artifact(path)
        root = pathlib.Path(artifact.download(root=f"back{number}"))
        said[path] = {
            "version": artifact.version, "aliases": sorted(artifact.aliases), "digest": artifact.digest, "id": artifact.id,
            "type": artifact.type, "description": artifact.description, "metadata": artifact.metadata, "size": artifact.size,
            "state": artifact.state, "entries": len(artifact.manifest.entries),
            "files": {str(file.relative_to(root)): hashlib.sha256(file.read_bytes()).hexdigest()
                      for file in root.rglob("*") if file.is_file()}}
    return said


def runs_of(path, runs):
    """Which runs made and read a version, and what each run says that it made and read."""
    import wandb
    api = wandb.Api()
    artifact = api.artifact(path)
    said = {}
    for run in map(api.run, runs):
        said[run.id] = [sorted(made.qualified_name for made in run.logged_artifacts()),
                        [read.qualified_name for read in run.used_artifacts()]]
    return artifact.logged_by().id, sorted(reader.id for reader in artifact.used_by()), said


@pytest.mark.feature("artifacts: log a folder, versions, aliases, deduplication, download")
def test_versions(client, make_client, version, project, stored):
    """A, A, B, A are three versions: equal to the newest is no new one, equal to an older one is."""
    made = client.call(log_versions, name="r1").value
    assert [one["version"] for one in made] == ["v0", "v0", "v1", "v2"]
    assert {one["state"] for one in made} == {"COMMITTED"} and made[0]["id"] == made[1]["id"] != made[3]["id"]
    assert made[0]["digest"] == made[3]["digest"] != made[2]["digest"]
    paths = {f"ann/{project}/data:{alias}": one for alias, one in (
        ("v0", made[0]), ("again", made[0]), ("v1", made[2]), ("latest", made[3]), ("best", made[3]))}
    shown = make_client(version).call(download, paths=list(paths)).value
    for path, one in paths.items():
        said = shown[path]
        assert said["files"] == one["files"] and said["entries"] == len(one["files"]), path
        assert (said["version"], said["digest"], said["id"]) == (one["version"], one["digest"], one["id"])
        assert (said["type"], said["description"], said["state"]) == ("dataset", "digits", "COMMITTED")
        assert said["metadata"] == {"n": 3, "in": {"a": [1, None]}} and said["size"] >= 1_280_002
        by_rest = stored(path.rpartition("/")[2])
        assert by_rest.hashes == one["files"], path
        assert {key: by_rest.head[key] for key in ("id", "version", "digest", "type", "description", "metadata")} == {
            key: said[key] for key in ("id", "version", "digest", "type", "description", "metadata")}
        assert (by_rest.head["bytes"], sorted(by_rest.head["aliases"])) == (said["size"], said["aliases"])
    aliases = {alias: shown[f"ann/{project}/data:{alias}"]["aliases"] for alias in ("v0", "v1", "latest")}
    assert aliases == {"v0": ["again"], "v1": [], "latest": ["best", "latest"]}


def use(name, artifact):
    import pathlib

    import wandb
    with wandb.init(id=name) as run:
        used = run.use_artifact(artifact)
        run.use_artifact(artifact)
        root = pathlib.Path(used.download(root="used"))
        return {"version": used.version, "files": sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())}


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: lineage: used_by, logged_by, logged_artifacts, used_artifacts, in several projects")
def test_lineage(client, version, project, api):
    """A run of another project reads a version of this one, which stays a version of its own project."""
    assert len(client.call(log_versions, name="maker").value) == 4
    path = f"ann/{project}/data:v1"
    runs = {"maker": project, "reader": project, "far": f"{project}-other"}
    for name in "reader", "far":
        used = client.call(use, {**EMPTY, "WANDB_PROJECT": runs[name]}, name=name, artifact=path).value
        assert used == {"version": "v1", "files": ["big.bin", "empty", "in/a/b.txt", "in/a/größe 1=2#?.txt"]}
    maker, readers, said = client.call(runs_of, path=path, runs=[f"ann/{where}/{name}" for name, where in runs.items()]).value
    assert (maker, readers) == ("maker", ["far", "reader"])
    assert said == {"maker": [[f"ann/{project}/data:v{n}" for n in range(3)], []], "reader": [[], [path]], "far": [[], [path]]}
    for name, where in runs.items():
        uses = api.pages(f"/api/v1/projects/ann/{where}/runs/{name}/artifacts")
        shown = [[f"ann/{use['version']['project']}/{use['version']['collection']}:{use['version']['version']}"
                  for use in uses if use["way"] == way] for way in ("output", "input")]
        assert [sorted(shown[0]), shown[1]] == said[name], name
    graph = api.get(f"/api/v1/projects/ann/{project}/artifacts/data/versions/v1/lineage", depth=1).json
    assert (len(graph["edges"]), sorted(run["id"] for run in graph["runs"])) == (3, ["far", "maker", "reader"])


def log_everything(name):
    """What runs log by themselves and by their own calls, and how the SDK names it."""
    import pathlib
    import sys

    import wandb
    pathlib.Path("code").mkdir(exist_ok=True)
    pathlib.Path("code/train.py").write_text("print(1)\n")
    pathlib.Path("code/notes.md").write_text("no code\n")
    pathlib.Path("model.bin").write_bytes(b"weights" * 1000)
    with wandb.init(id=name) as run:
        code = run.log_code("code").wait(timeout=240)
        run.log_model("model.bin", name="m", aliases=["best"])
        run.log_artifact("model.bin").wait(timeout=240)
        draft = wandb.Artifact("own", type="dataset")
        draft.add_file("model.bin")
        used = run.use_artifact(draft)
        used.wait(timeout=240)
    with wandb.init(id=f"{name}b") as run:
        path = run.use_model("m:best")
    return {"code": code.name, "used": used.version, "model": pathlib.Path(path).read_bytes() == b"weights" * 1000,
            "python": sys.version_info[:2]}


def list_everything(project):
    import wandb
    api = wandb.Api()
    return {kind.name: {collection.name: [version.name for version in collection.artifacts()] for collection in kind.collections()}
            for kind in api.artifact_types(project)}


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: log_code, log_model, use_model, log_artifact of a path, use_artifact of a draft")
def test_what_runs_log(client, project, stored):
    said = client.call(log_everything, name="r1").value
    assert said["used"] == "v0" and said["model"]
    assert said["code"].startswith(f"source-{project}-")
    listed = client.call(list_everything, project=f"ann/{project}").value
    assert {kind: sorted(found) for kind, found in listed.items()} == {
        "code": [said["code"].split(":")[0]], "dataset": ["own"], "model": ["m"], "unspecified": ["run-r1-model.bin"]}
    assert listed["model"] == {"m": ["m:v0"]}
    weights = {"model.bin": b"weights" * 1000}
    assert stored("m:best").files == stored("own:v0").files == stored("run-r1-model.bin:v0").files == weights
    assert stored(said["code"]).texts == {"train.py": "print(1)\n"}


def log_references(name):
    import pathlib

    import wandb
    from wandb.sdk.artifacts.artifact_manifest_entry import ArtifactManifestEntry
    pathlib.Path("kept").mkdir()
    for name_ in "a.txt", "b.txt":
        pathlib.Path("kept", name_).write_text(name_ * 100)
    with wandb.init(id=name) as run:
        target = wandb.Artifact("target", type="dataset")
        target.add_dir("kept")
        inner = wandb.Artifact("inner", type="dataset")
        table = wandb.Table(columns=["a"], data=[[1], [2]])
        inner.add(table, "table")
        run.log_artifact(target).wait(timeout=240)
        run.log_artifact(inner)
        refers = wandb.Artifact("refers", type="dataset")
        for kind in "s3", "gs":  # as the SDK makes them with the libraries of these clouds
            refers.manifest.add_entry(ArtifactManifestEntry(path=kind, ref=f"{kind}://bucket/key", digest="etag-2", size=7))
        refers.add_reference("http://127.0.0.1:9/nothing", name="in/http", checksum=False)
        refers.add_reference("odd://what/ever", name="odd")
        refers.add_reference(pathlib.Path("kept").resolve().as_uri(), name="files")
        refers.add(table, "copied")  # of a draft, which is known by the client's own id
        refers.add_reference(run.use_artifact("target:latest").get_entry("a.txt").ref_url(), name="other.txt")
        run.log_artifact(refers).wait(timeout=240)
        inner.wait(timeout=240)
    return {"target": target.id, "inner": inner.id}


def read_references(path):
    import pathlib

    import wandb
    artifact = wandb.Api().artifact(path)
    entries = {name: [entry.ref, entry.size] for name, entry in artifact.manifest.entries.items()}
    other = artifact.get_entry("other.txt").download(root="back")
    inside = artifact.get("copied")
    return {"entries": entries, "other": pathlib.Path(other).read_text(), "table": inside.data,
            "file": pathlib.Path(artifact.get_entry("files/b.txt").download(root="back")).read_text()}


def hex_of(id_):
    return base64.b64decode(id_).hex()


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: references to s3, gs, http, files, unknown schemes and other artifacts")
def test_references(client, project, stored):
    """A reference to an artifact that was a draft is one to the artifact that it became."""
    ids = client.call(log_references, name="r1").value
    shown = client.call(read_references, EMPTY, path=f"ann/{project}/refers:latest").value
    refs = {name: ref for name, (ref, _) in shown["entries"].items()}
    assert (refs["s3"], refs["gs"], refs["in/http"], refs["odd"]) == (
        "s3://bucket/key", "gs://bucket/key", "http://127.0.0.1:9/nothing", "odd://what/ever")
    by_rest = stored("refers:latest")
    assert by_rest.refs == {name: ref for name, ref in refs.items() if ref} and by_rest.files == {}
    assert refs["other.txt"] == f"wandb-artifact://{hex_of(ids['target'])}/a.txt"
    assert refs["copied.table.json"] == f"wandb-artifact://{hex_of(ids['inner'])}/table.table.json"
    assert (shown["other"], shown["file"], shown["table"]) == ("a.txt" * 100, "b.txt" * 100, [[1], [2]])


def log_offline(name):
    import pathlib

    import wandb
    pathlib.Path("data.txt").write_text("offline")
    with wandb.init(id=name, mode="offline") as run:
        for text in "one", "two":
            pathlib.Path("more.txt").write_text(text)
            artifact = wandb.Artifact("data", type="dataset")
            artifact.add_file("data.txt")
            artifact.add_file("more.txt")
            run.log_artifact(artifact, aliases=[text])
        run.log({"table": wandb.Table(columns=["a"], data=[[1]])})


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: of offline runs, by wandb sync")
def test_offline(client, make_client, version, project, read, stored):
    """A second sync of the folder makes no further version."""
    assert client.call(log_offline, name="r1").code == 0
    folder, = (client.folder / "wandb").glob("offline-run-*-r1")
    for more in [], ["--include-synced"]:
        done = client.wandb("sync", "-p", project, "-e", "ann", *more, folder)
        assert done.code == 0, done
    assert read("r1").state == "finished"
    listed = client.call(list_everything, project=f"ann/{project}").value
    assert sorted(listed["dataset"]["data"]) == ["data:v0", "data:v1"]
    shown = make_client(version).call(download, paths=[f"ann/{project}/data:{alias}" for alias in ("one", "two")]).value
    for text, said in zip(("one", "two"), shown.values(), strict=True):
        assert said["files"] == {"data.txt": hashlib.sha256(b"offline").hexdigest(),
                                 "more.txt": hashlib.sha256(text.encode()).hexdigest()}
        assert stored(f"data:{text}").texts == {"data.txt": "offline", "more.txt": text}
