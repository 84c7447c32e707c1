"""wandb.save and what else becomes a file: policies, code, lists by pattern and in pages, ranges, tags, deletes."""
import base64
import hashlib

import pytest


def save_all(name, folder):
    """Files by each policy; a live one is seen before the run ends, one to be saved at the end is not."""
    import os
    import pathlib
    import time

    import wandb
    os.chdir(folder)
    for path in ("now.txt", "live.txt", "end.txt", "sub/a.csv", "sub/deep/b.csv"):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(f"first {path}")
    run = wandb.init(id=name)
    api = wandb.Api()

    def there():
        return {file.name: file.size for file in api.run(f"{run.entity}/{run.project}/{name}").files()}

    def wait_for(condition):
        until = time.monotonic() + 240
        while not condition():
            assert time.monotonic() < until, there()
            time.sleep(0.05)
    run.save("end.txt", policy="end")
    run.save("now.txt", policy="now")
    run.save("live.txt", policy="live")
    run.save("sub/*.csv", base_path=".", policy="now")
    run.save("sub/deep/*", base_path=".", policy="now")
    wait_for(lambda: {"now.txt", "live.txt", "sub/deep/b.csv"} <= set(there()))
    early = there()
    pathlib.Path("live.txt").write_text("second, longer than before")
    wait_for(lambda: there()["live.txt"] == 26)
    pathlib.Path("now.txt").write_text("second")
    pathlib.Path("end.txt").write_text("second")
    run.log_code(".", include_fn=lambda path: path.endswith(".csv"))
    run.finish()
    return sorted(early)


def read_all(path):
    import inspect
    import pathlib

    import wandb
    run = wandb.Api().run(path)
    has_pattern = "pattern" in inspect.signature(run.files).parameters
    shown = {}
    for file in run.files(per_page=2):
        file.download(root="back", replace=True).close()
        shown[file.name] = [pathlib.Path("back", file.name).read_text(), file.size, file.md5, file.mimetype]
    return {"files": shown, "count": len(run.files()),
            "csv": [file.name for file in run.files(pattern="%.csv")] if has_pattern else None,
            "named": [[file.name, file.size] for file in run.files(["now.txt", "nothing.txt"])],
            "pages": [file.name for file in run.files(per_page=1)]}


@pytest.mark.feature("files: wandb.save by each policy, lists by pattern and in pages, md5, types")
def test_policies(client, read, project, tmp_path):
    early = client.call(save_all, name="r1", folder=str(tmp_path)).value
    assert "end.txt" not in early
    shown = client.call(read_all, path=f"ann/{project}/r1").value
    saved = {"now.txt": "first now.txt", "live.txt": "second, longer than before", "end.txt": "second",
             "sub/a.csv": "first sub/a.csv", "sub/deep/b.csv": "first sub/deep/b.csv"}
    files = shown["files"]
    for name, text in saved.items():
        content, size, md5, mimetype = files[name]
        assert (content, size) == (text, len(text)), name
        assert base64.b64decode(md5) == hashlib.md5(text.encode()).digest()
        assert mimetype.startswith("text/csv" if name.endswith("csv") else "text/plain")
    assert len(shown["pages"]) == len(set(shown["pages"])) == shown["count"] == len(files)
    assert shown["csv"] is None or shown["csv"] == ["sub/a.csv", "sub/deep/b.csv"]
    assert shown["named"][0] == ["now.txt", 13] and shown["named"][1:] in ([], [["nothing.txt", 0]])
    listed = {file["name"]: file["bytes"] for file in read("r1").api.pages(f"{read('r1').path}/files")}
    assert listed == {name: size for name, (_, size, _, _) in files.items()}
    check_reading(read("r1"))


def check_reading(run):
    """A part of one, and one that has not changed."""
    path = f"{run.path}/files/live.txt"
    whole = run.api.raw("GET", path)
    part = run.api.raw("GET", path, headers={"Range": "bytes=8-13"})
    assert (part.status, part.body) == (206, b"longer") and part.headers["Content-Range"] == "bytes 8-13/26"
    same = run.api.raw("GET", path, headers={"If-None-Match": whole.headers["ETag"]})
    assert (same.status, same.body) == (304, b"")
    assert run.api.raw("GET", path, headers={"Range": "bytes=99-"}).status == 416


def change_files(path):
    """A file put there by the public API, replaced, and deleted."""
    import pathlib

    import wandb
    api = wandb.Api()
    run = api.run(path)
    pathlib.Path("up").mkdir(exist_ok=True)
    seen = []
    for text in ("one", "three"):
        pathlib.Path("up/größe & co.txt").write_text(text)
        run.upload_file("up/größe & co.txt", root="up")
        file = api.run(path).file("größe & co.txt")
        seen.append(file.download(root="back", replace=True).read())
    before = len(run.files())
    file.delete()
    gone = api.run(path)
    seen += [before - len(gone.files()), "größe & co.txt" in [each.name for each in gone.files()]]
    try:
        gone.file("größe & co.txt").download(root="back", replace=True)
    except Exception as e:
        seen.append(type(e).__name__)
    return seen


def begin(name):
    import wandb
    wandb.init(id=name).finish()


@pytest.mark.long_if_old
@pytest.mark.feature("files: put there, replaced and deleted by the public API")
def test_files_are_changed(client, read, project):
    assert client.call(begin, name="r1").code == 0
    seen = client.call(change_files, path=f"ann/{project}/r1").value
    assert seen[:4] == ["one", "three", 1, False] and len(seen) == 5
    names = [file["name"] for file in read("r1").api.pages(f"{read('r1').path}/files")]
    assert "größe & co.txt" not in names


def save_code(name):
    """As with save_code on: the script itself, in code/."""
    import wandb
    run = wandb.init(id=name, save_code=True, settings=wandb.Settings(save_code=True))
    run.finish()
    return run.settings.program


@pytest.mark.long_if_old
@pytest.mark.feature("files: code, git commit")
def test_code_is_saved(client, read):
    assert client.call(save_code, name="r1").code == 0
    run = read("r1")
    names = [file["name"] for file in run.api.pages(f"{run.path}/files")]
    assert any(name.startswith("code/") and name.endswith("save_code.py") for name in names), names


def in_a_repository(name, folder):
    import os
    import subprocess
    import time

    import wandb
    os.chdir(folder)
    for command in (["init", "-q"], ["config", "user.email", "a@b"], ["config", "user.name", "a"],
                    ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", *command], check=True)
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], text=True).strip()
    wandb.init(id=name).finish()
    run = wandb.Api().run(f"ann/{os.environ['WANDB_PROJECT']}/{name}")
    until = time.monotonic() + 240
    while not (listed := list(wandb.Api().runs(f"ann/{os.environ['WANDB_PROJECT']}"))):
        assert time.monotonic() < until  # a busy server may not have brought it in
        time.sleep(0.05)
    return [commit, run.commit, listed[0].commit, run.metadata["git"]["commit"]]


@pytest.mark.long_if_old
@pytest.mark.feature("files: code, git commit")
def test_the_commit_of_a_run(client, tmp_path):
    told = client.call(in_a_repository, env={"WANDB_DISABLE_GIT": "false"}, name="r1", folder=str(tmp_path)).value
    assert len(set(told)) == 1 and len(told[0]) == 40


FILES = """query($p: String!, $r: String!) { project(name: $p, entityName: "ann") { run(name: $r) {
    files(first: 1000) { edges { node { id name } } } } } }"""
DELETE = "mutation($f: [ID!]!) { deleteFiles(input: {files: $f}) { success } }"


def put(api, path, *names):
    for name in names:
        assert api.request("PUT", f"{path}/files/{name}", b"bytes of " + name.encode(), content_type=None).status < 300


def test_files_of_several_runs_are_deleted_together(wire, api, read, project):
    """Each run once, whatever the order of its files."""
    ids = {}
    for run in "r1", "r2":
        wire.start(run)
        put(api, read(run).path, *(f"{i}.txt" for i in range(5)))
        edges = wire.query(FILES, p=project, r=run)["project"]["run"]["files"]["edges"]
        ids[run] = [edge["node"]["id"] for edge in edges]
    mixed = [each for pair in zip(ids["r1"][:4], ids["r2"][1:]) for each in pair]
    wire.query(DELETE, f=mixed + mixed[:1])
    left = {run: [file["name"] for file in api.pages(f"{read(run).path}/files")] for run in ids}
    assert left == {"r1": ["4.txt"], "r2": ["0.txt"]}
    assert [read(run).get()["bytes"] > 0 for run in ids] == [True, True]
    wire.query(DELETE, f=[])
    said = wire.ask(DELETE, f=[ids["r1"][4], "nonsense"]).json
    assert "invalid file id" in said["errors"][0]["message"]
    assert [file["name"] for file in api.pages(f"{read('r1').path}/files")] == ["4.txt"]
