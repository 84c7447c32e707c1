"""Versions that are made of others: drafts of them, increments, and one version that many processes write."""

import pytest

PROCESSES = 4


def log_increments(name):
    """What a version has, after each way to make one of another."""
    import pathlib

    import wandb
    pathlib.Path("parts").mkdir()
    for file in "abcd":
        pathlib.Path("parts", file).write_text(file)
    said = {}

    def log(run, what, artifact, *files):
        for file in files:
            artifact.add_file(f"parts/{file}", name=file)
        run.log_artifact(artifact).wait(timeout=240)
        said[what] = [artifact.version, sorted(artifact.manifest.entries), artifact.digest]
        return artifact
    with wandb.init(id=name) as run:
        first = log(run, "whole", wandb.Artifact("data", type="dataset"), "a", "b")
        log(run, "added", wandb.Artifact("data", type="dataset", incremental=True), "c")
        pathlib.Path("parts/a").write_text("other")
        log(run, "changed", wandb.Artifact("data", type="dataset", incremental=True), "a")
        draft = first.new_draft()
        draft.remove("b")
        log(run, "draft", draft, "d")
        log(run, "nothing before", wandb.Artifact("fresh", type="dataset", incremental=True), "a")
    return said


def read_entries(paths):
    import pathlib

    import wandb
    said = {}
    for number, path in enumerate(paths):
        artifact = wandb.Api().artifact(path)
        root = pathlib.Path(artifact.download(root=f"back{number}"))
        said[path] = {"version": artifact.version, "digest": artifact.digest, "size": artifact.size,
                      "files": {str(file.relative_to(root)): file.read_text() for file in root.rglob("*") if file.is_file()}}
    return said


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: incremental versions, drafts of a version")
def test_increments(client, make_client, version, project, stored):
    made = client.call(log_increments, name="r1").value
    assert [one[0] for one in made.values()] == ["v0", "v1", "v2", "v3", "v0"]
    paths = {what: f"ann/{project}/{'fresh' if what == 'nothing before' else 'data'}:{one[0]}" for what, one in made.items()}
    shown = make_client(version).call(read_entries, paths=list(paths.values())).value
    assert {what: shown[path]["files"] for what, path in paths.items()} == {
        "whole": {"a": "a", "b": "b"}, "added": {"a": "a", "b": "b", "c": "c"}, "changed": {"a": "other", "b": "b", "c": "c"},
        "draft": {"a": "a", "d": "d"}, "nothing before": {"a": "other"}}
    for what, path in paths.items():
        files = shown[path]["files"]
        assert made[what][1] == sorted(files) and shown[path]["size"] == sum(map(len, files.values())), what
        assert made[what][2] == shown[path]["digest"], what
        by_rest = stored(path.rpartition("/")[2])
        assert by_rest.texts == files and by_rest.head["digest"] == made[what][2], what


def write_part(name, group, rank, processes, finishes):
    """One of many processes; the one that finishes waits until all others have sent their part."""
    import pathlib
    import time

    import wandb
    pathlib.Path(f"part{rank}").write_text(f"part {rank}")
    with wandb.init(id=name, group=group) as run:
        artifact = wandb.Artifact("shared", type="dataset")
        if not finishes:
            artifact.add_file(f"part{rank}")
            artifact.add_file(f"part{rank}", name=f"in/{rank}")
            run.upsert_artifact(artifact)
        else:
            while len(list(pathlib.Path().glob("sent*"))) < processes:
                time.sleep(0.05)
            run.finish_artifact(artifact)
            artifact.wait(timeout=240)
            finishes = artifact.version
    pathlib.Path(f"sent{rank}").write_text("")
    return finishes


@pytest.mark.long
@pytest.mark.feature("artifacts: one version by many processes: upsert_artifact, finish_artifact")
def test_many_processes_make_one_version(client, make_client, version, project, stored):
    """Twice by the same group: what is finished gets no further files, and the next begins a version of its own."""
    for number in range(2):
        for file in client.folder.glob("sent*"):
            file.unlink()
        running = [client.start(write_part, name=f"g{number}r{rank}", group="group", rank=rank + 100 * number, processes=PROCESSES,
                                finishes=False) for rank in range(PROCESSES)]
        last = client.call(write_part, name=f"g{number}last", group="group", rank=99, processes=PROCESSES, finishes=True)
        assert [each.wait().code for each in running] == [0] * PROCESSES
        assert last.value == f"v{number}"
    path = f"ann/{project}/shared:"
    shown = make_client(version).call(read_entries, paths=[f"{path}v0", f"{path}v1", f"{path}latest"]).value
    for number in range(2):
        ranks = range(100 * number, 100 * number + PROCESSES)
        assert shown[f"{path}v{number}"]["files"] == {
            name: f"part {rank}" for rank in ranks for name in (f"part{rank}", f"in/{rank}")}
        assert stored(f"shared:v{number}").texts == shown[f"{path}v{number}"]["files"]
    assert shown[f"{path}latest"]["version"] == "v1"


def finish_nothing(name):
    import wandb
    with wandb.init(id=name, group="empty") as run:
        artifact = wandb.Artifact("empty", type="dataset")
        run.finish_artifact(artifact)
        artifact.wait(timeout=240)
        return [artifact.version, list(artifact.manifest.entries), artifact.digest]


@pytest.mark.long_if_old
def test_a_version_without_files(client):
    assert client.call(finish_nothing, name="r1").value == ["v0", [], "64e7c61456b10382e2f3b571ac24b659"]
