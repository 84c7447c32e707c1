"""The SDK's command line, as its users type it."""
import hashlib
import json
import shutil
import subprocess

import pytest
from terminal import Terminal

pytestmark = pytest.mark.long


def log(name=None, values=(1, 2, 3), save=None, **more):
    import pathlib

    import wandb
    run = wandb.init(id=name, config={"lr": 0.5, "net": {"depth": 3}}, **more)
    for value in values:
        run.log({"value": value})
    for file, content in (save or {}).items():
        pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(file).write_text(content)
        run.save(file, base_path=".")
    run.finish()
    return [run.id, run.project, run.entity]


def points(run):
    return [(row["_step"], row["value"]) for row in run.rows()]


def local_runs(client):
    return sorted(path.name for path in (client.folder / "wandb").glob("*run-*"))


# ---- the folder's settings ---------------------------------------------------------------------------

@pytest.mark.feature("wandb init, status, offline, online")
def test_settings(make_client, version, api, project, wait_for):
    client = make_client(version)
    assert client.wandb("init", "--project", project, "--entity", "ann").code == 0
    done = client.wandb("status")
    assert done.code == 0, done
    shown = json.loads(done.out[done.out.index("{"):])
    assert (shown["entity"], shown["project"], shown["base_url"]) == ("ann", project, client.url)
    assert client.wandb("offline").code == 0
    name, _, _ = client.call(log).value
    assert [path.endswith(name) and path.startswith("offline-run-") for path in local_runs(client)] == [True]
    api.refused(404, "not-found", "GET", f"/api/v1/projects/ann/{project}")
    assert client.wandb("online").code == 0
    assert client.call(log, name="r1").value == ["r1", project, "ann"]
    wait_for(lambda: {run["id"] for run in api.pages(f"/api/v1/projects/ann/{project}/runs")} == {"r1"})
    shutil.rmtree(client.folder / "wandb" / next(p for p in local_runs(client) if p.endswith("r1")))
    yes = ["--sync-all"] if client.release < (0, 29) else ["--yes"]
    assert client.wandb("sync", *yes).code == 0
    wait_for(lambda: {run["id"] for run in api.pages(f"/api/v1/projects/ann/{project}/runs")} == {"r1", name})


@pytest.mark.feature("wandb init asks for team and project")
def test_init_asks(make_client, version, api, project):
    """A team, then a project that is made."""
    client = make_client(version)
    if client.release >= (0, 30):
        pytest.skip("breaks in the SDK itself")
    api.put(f"/api/v1/projects/ann/{project}", {})
    with Terminal([client.bin / "wandb", "init"], client.env, client.folder) as terminal:
        answer(terminal, client, project)
        assert terminal.wait() == 0, terminal.text
    done = client.wandb("status")
    shown = json.loads(done.out[done.out.index("{"):])
    assert (shown["entity"], shown["project"]) == ("ann", f"{project}-new"), terminal.text
    assert api.get(f"/api/v1/projects/ann/{project}-new").json["name"] == f"{project}-new"


def answer(terminal, client, project):
    terminal.wait_for("Which project should we use?", "Create New")
    lines = terminal.text.splitlines()
    number = next(line.split("(")[1].split(")")[0] for line in lines if "Create New" in line)
    terminal.type(f"{number}\n")
    terminal.wait_for("Enter a name for your new project")
    terminal.type(f"{project}-new\n")


# ---- what runs left behind ---------------------------------------------------------------------------

@pytest.mark.feature("wandb pull")
def test_pull(client, make_client, version, project, read):
    kept = {"deep/a b.txt": "kept", "notes.md": "größe"}
    assert client.call(log, name="r1", save=kept).code == 0
    other = make_client(version)
    done = other.wandb("pull", "-p", project, "-e", "ann", "r1")
    assert done.code == 0, done
    for name, content in kept.items():
        assert (other.folder / name).read_text() == content
    run = read("r1")
    for file in run.api.pages(f"{run.path}/files"):
        content = (other.folder / file["name"]).read_bytes()
        assert (len(content), hashlib.md5(content).hexdigest()) == (file["bytes"], file["md5"])
    again = other.wandb("pull", "-p", project, "-e", "ann", "r1")
    assert again.code == 0 and "notes.md is up to date" in again.out
    missing = other.wandb("pull", "-p", project, "-e", "ann", "nothing")
    assert missing.code != 0 and "nothing" in missing.out


def git(folder, *args):
    return subprocess.run(["git", "-c", "user.name=ann", "-c", "user.email=ann@example.org", *args], cwd=folder,
                          check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(client):
    """The client's folder is one, with a commit, and a change that is in none."""
    client.env.pop("WANDB_DISABLE_GIT")
    client.env["GIT_CONFIG_GLOBAL"] = "/dev/null"
    git(client.folder, "init", "-q", "-b", "main")
    (client.folder / ".gitignore").write_text("home\nwandb\n*.json\n*.out\n")
    (client.folder / "model.txt").write_text("first\n")
    git(client.folder, "add", ".")
    git(client.folder, "commit", "-q", "-m", "first")
    (client.folder / "model.txt").write_text("changed\n")
    return client.folder


@pytest.mark.feature("wandb restore: config, commit and patch")
def test_restore(client, repository, project):
    first = git(repository, "rev-parse", "HEAD")
    assert client.call(log, name="r1").code == 0
    git(repository, "checkout", "-q", "model.txt")
    (repository / "other.txt").write_text("second\n")
    git(repository, "add", "other.txt")
    git(repository, "commit", "-q", "-m", "second")
    done = client.wandb("restore", f"ann/{project}:r1")
    assert done.code == 0, done
    assert (git(repository, "rev-parse", "HEAD"), git(repository, "branch", "--show-current")) == (first, "wandb/r1")
    assert (repository / "model.txt").read_text() == "changed\n", done
    config = (repository / "wandb/config.yaml").read_text()
    assert "lr:" in config and "0.5" in config and "depth: 3" in config


@pytest.mark.feature("wandb projects")
def test_projects(client, api, project):
    if client.release >= (0, 30):
        pytest.skip("breaks in the SDK itself")
    project = f"a-{project}"  # the first ten are shown
    api.put(f"/api/v1/projects/ann/{project}", {"description": "digits by hand"})
    done = client.wandb("projects", "-e", "ann")
    assert done.code == 0 and project in done.out, done


# ---- verify ------------------------------------------------------------------------------------------

PASSES = ("Checking if logged in", "Checking signed URL upload", "Checking ability to send large payloads through proxy",
          "Checking CORs configuration of the bucket", "Checking wandb package version is up to date",
          "Checking logged metrics, saving and downloading a file", "Checking artifact save and download workflows",
          "Checking sweep creation and agent execution")


@pytest.mark.feature("wandb verify")
def test_verify(make_client, version):
    """What is sent without TLS is only a warning."""
    client = make_client(version, WANDB_PROJECT="verify")
    done = client.wandb("verify", "--host", client.url)
    for check in PASSES:
        line = next(line for line in done.out.splitlines() if line.startswith(check))
        assert line.endswith("\u2705"), done


# ---- the terminal page -------------------------------------------------------------------------------

@pytest.mark.feature("wandb beta leet of a remote run")
def test_leet(client, project):
    if client.release < (0, 28):
        pytest.skip("shows no remote runs")
    assert client.call(log, name="r1", values=list(range(20))).code == 0
    url = f"{client.url}/ann/{project}/runs/r1"
    with Terminal([client.bin / "wandb", "beta", "leet", "run", url], client.env, client.folder) as terminal:
        terminal.wait_for("value")
        terminal.type("q")
        terminal.wait()


# ---- sync --------------------------------------------------------------------------------------------

def keep_writing(name, go):
    """Offline; rows that are flushed to the file, then more once it is told."""
    import pathlib
    import time

    import wandb
    run = wandb.init(id=name, mode="offline")
    for value in range(50):
        run.log({"value": value})
    pathlib.Path("ready").write_text("")
    while not pathlib.Path(go).exists():
        time.sleep(0.02)
    for value in range(50, 100):
        run.log({"value": value})
    run.finish()


def folder_of(client, name):
    folder, = (client.folder / "wandb").glob(f"offline-run-*-{name}")
    return folder


@pytest.mark.feature("wandb sync of a run that is still being written")
def test_sync_while_written(client, read, wait_for):
    writing = client.start(keep_writing, name="r1", go="go")
    wait_for(lambda: (client.folder / "ready").exists() or not writing.is_running)
    assert writing.is_running, writing.out
    done = client.wandb("sync", folder_of(client, "r1"))
    assert done.code == 0, done
    (client.folder / "go").write_text("")
    assert writing.wait().code == 0
    done = client.wandb("sync", "--include-synced", folder_of(client, "r1"))
    assert done.code == 0, done
    assert points(read("r1")) == [(n, n) for n in range(100)]
    assert read("r1").state == "finished"


def place_of(client, label):
    """A run's folder has the second in its name: two processes of one run need places of their own."""
    (client.folder / label).mkdir()
    return {"WANDB_DIR": str(client.folder / label)}


def share(name, label):
    import wandb
    run = wandb.init(id=name, settings=wandb.Settings(mode="shared", x_label=label, x_primary=label == "rank0",
                                                      x_update_finish_state=label == "rank0"))
    for value in range(20):
        run.log({"value": value, "who": label})
    print("line of", label)
    run.summary[label] = 7
    run.finish()


@pytest.mark.feature("wandb sync of a shared run that was sent already")
def test_sync_of_a_shared_run(client, read):
    """All of it is there, and nothing of it is doubled. The primary comes last, and with it the run's end."""
    for label in "rank0", "rank1":
        assert client.call(share, place_of(client, label), name="r1", label=label).code == 0
    before = read("r1").rows()
    folders = sorted(client.folder.glob("rank*/wandb/run-*-r1"))
    assert (len(before), len(folders)) == (40, 2)
    online = ["--no-skip-online"] if client.release >= (0, 28, 1) else []
    for folder in reversed(folders * 2):
        done = client.wandb("sync", "--include-synced", *online, folder)
        assert done.code == 0, done
    assert read("r1").rows() == before
    assert (read("r1").summary()["rank0"], read("r1").summary()["rank1"]) == (7, 7)
    texts = [line["text"] for line in read("r1").console() if line["text"].startswith("line of")]
    assert sorted(texts) == ["line of rank0", "line of rank1"]
    assert read("r1").state == "finished"


def part_of_shared(name, label, primary):
    """Offline, where the run goes on; several processes of one run, each with a folder of its own."""
    import wandb
    run = wandb.init(id=name, mode="offline", resume="allow",
                     settings=wandb.Settings(x_label=label, x_primary=primary))
    for value in range(10):
        run.log({"value": value, "who": label})
    run.finish()


@pytest.mark.feature("wandb sync of processes of one run, and of a run that was resumed offline")
def test_sync_of_parts(client, read):
    """Online first; then two more folders of the same run."""
    assert client.call(log, name="r1", values=[1, 2]).code == 0
    for label in "rank0", "rank1":
        assert client.call(part_of_shared, place_of(client, label), name="r1", label=label, primary=label == "rank0").code == 0
    folders = sorted(client.folder.glob("rank*/wandb/offline-run-*-r1"))
    assert len(folders) == 2
    for folder in folders:
        done = client.wandb("sync", folder)
        assert done.code == 0, done
    rows = read("r1").rows()
    assert [row["value"] for row in rows if "who" not in row] == [1, 2]
    for label in "rank0", "rank1":
        assert [row["value"] for row in rows if row.get("who") == label] == list(range(10))
    assert read("r1").state == "finished"


@pytest.mark.feature("wandb beta sync")
def test_beta_sync(client, read):
    """By the folder that holds runs."""
    def offline(name):
        assert client.call(log, name=name, mode="offline").code == 0
    offline("r1")
    offline("r2")
    done = client.wandb("beta", "sync", *([] if client.release < (0, 28) else ["--yes"]), client.folder / "wandb")
    assert done.code == 0, done
    for name in "r1", "r2":
        assert points(read(name)) == [(0, 1), (1, 2), (2, 3)]
        assert read(name).state == "finished"
