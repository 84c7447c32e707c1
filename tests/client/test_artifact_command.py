"""cairn artifact: files become versions of the real server, and files again; attempts that break off go on."""
import contextlib
import fcntl
import json
import os
import pathlib
import random
import subprocess

import pytest

from artifact_way import Way
from cluster import wait_until
from conftest import real_environment
from probe import PATIENCE_S
from real_server import RealRun

CAIRN = os.environ.get("CAIRN_TEST_COMMAND", "cairn")
LIMITS = "CAIRN_TEST_ARTIFACT_LIMITS"  # bytes of a part, seconds of a stall


class Command:
    def __init__(self, real_run, folder):
        self.run = real_run
        self.folder = folder
        self.env = {**real_environment(real_run), "CAIRN_PROJECT": real_run.name}  # a project of its own
        self.env.pop("CAIRN_RUN")

    def start(self, *words, **env):
        return subprocess.Popen([CAIRN, "artifact", *map(str, words)], env={**self.env, **env}, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.folder)

    @contextlib.contextmanager
    def way(self, **faults):
        way = Way(self.run.server, **faults)
        try:
            yield way, {"CAIRN_URL": f"http://127.0.0.1:{way.port}"}
        finally:
            way.stop()

    def __call__(self, *words, code=0, **env):
        done = subprocess.run([CAIRN, "artifact", *map(str, words)], env={**self.env, **env}, capture_output=True, text=True,
                              timeout=PATIENCE_S, cwd=self.folder)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def ask(self, tail, method="GET", body=None):
        return json.loads(self.run.server.ask(method, f"/projects/me/{self.env['CAIRN_PROJECT']}{tail}", body))


@pytest.fixture
def artifact(real_run, tmp_path):
    return Command(real_run, tmp_path)


def fill(folder, contents):
    for path, content in contents.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def content_of(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in pathlib.Path(folder).rglob("*") if p.is_file()}


def some_files(seed):
    made = random.Random(seed)
    contents = {f"small/d{i % 9}/f{i}": made.randbytes(i) for i in range(300)}
    contents |= {f"large/{i}": made.randbytes(70_000 + i * 300_000) for i in range(5)}
    return contents | {"empty": b"", "ü ä/#?%.txt": b"umlaut", "long/" + "n" * 250: b"x", ".hidden": b"h"}


def test_put_and_get(artifact, tmp_path):
    contents = some_files(1)
    fill(tmp_path / "data", contents)
    said = artifact("put", "data", "--type", "dataset", "--name", "digits", "--alias", "best,first",
                    "--metadata", '{"rows": 7}', "--description", "All of it")
    assert said.startswith(f"digits:v0  {len(contents)} files") and f"sent {len(contents)} files" in said
    version = artifact.ask("/artifacts/digits/versions/best")
    assert (version["files"], version["bytes"]) == (len(contents), sum(map(len, contents.values())))
    assert version["metadata"] == {"rows": 7} and version["description"] == "All of it"
    assert sorted(version["aliases"]) == ["best", "first", "latest"]
    assert "fetched" in artifact("get", "digits:best", "there")
    assert content_of(tmp_path / "there") == contents
    assert "unchanged" in artifact("put", "there", "--type", "dataset", "--name", "digits")
    (tmp_path / "data/small/d1/f1").write_bytes(b"another")
    (tmp_path / "data/empty").unlink()
    assert "sent 1 files, 7 B" in artifact("put", "data", "--type", "dataset", "--name", "digits")
    assert "fetched 1 files, 7 B" in artifact("get", "digits", "there")
    (tmp_path / "there/empty").unlink()
    assert "has the files of" in artifact("verify", "digits:v1", "there")
    (tmp_path / "there/large/0").write_bytes(b"broken")
    (tmp_path / "there/large/1").unlink()
    (tmp_path / "there/more").write_bytes(b"")
    said = artifact("verify", "digits:v1", "there", code=1)
    assert {"different: large/0", "missing: large/1", "not in the version: more"} <= set(said.splitlines())
    artifact("get", "digits:v0", "part", "--prefix", "small/d1/")
    assert set(content_of(tmp_path / "part")) == {p for p in contents if p.startswith("small/d1/")}


def test_what_the_server_has_is_verified(artifact, tmp_path, real_run):
    """Page by page; what is missing or changed there is named."""
    contents = {f"same/{i:04}": b"same" for i in range(1001)} | {f"own{i}": b"own content %d" % i for i in range(3)}
    fill(tmp_path / "data", contents)
    artifact("put", "data", "-t", "dataset", "-n", "checked")
    size = sum(map(len, contents.values()))
    assert artifact("verify", "checked", "--server").strip() == (
        f"the server has all files of checked:v0: {len(contents)} files, {size / 1000:.1f} kB")
    stored = {file.read_bytes(): file for file in real_run.server.process.dir.rglob("content/??/??/*") if file.stat().st_size < 100}
    stored[b"own content 0"].unlink()
    changed = stored[b"own content 2"]
    changed.chmod(0o600)
    changed.write_bytes(b"other bytes 2")
    said = artifact("verify", "checked:v0", "--server", code=1).splitlines()
    assert said == ["missing: own0", "hash: own2", f"2 of {len(contents)} files of checked:v0 are damaged on the server"]


def test_one_file_of_a_run(artifact, tmp_path, real_run):
    run = RealRun(real_run.server, "trainer", artifact.env["CAIRN_PROJECT"])
    run.ask("PUT", "", {})
    (tmp_path / "model.bin").write_bytes(b"weights")
    assert artifact("put", "model.bin", "-t", "model", "-n", "net", CAIRN_RUN="trainer").startswith("net:v0")
    artifact("get", f"me/{artifact.env['CAIRN_PROJECT']}/net:v0", "--run", "trainer")
    assert (tmp_path / "net/model.bin").read_bytes() == b"weights"
    uses = artifact.ask("/runs/trainer/artifacts")["items"]
    assert sorted(u["way"] for u in uses) == ["input", "output"]


def test_a_run_uses_an_artifact_of_another_project(artifact, tmp_path, real_run):
    """The use is recorded for the run in its own project, as the version that was fetched."""
    project, other = artifact.env["CAIRN_PROJECT"], artifact.env["CAIRN_PROJECT"][:90] + ".shared"
    for place in (project, other):
        RealRun(real_run.server, "same-id", place).ask("PUT", "", {})
    RealRun(real_run.server, "only-here", project).ask("PUT", "", {})
    fill(tmp_path, {"a": b"weights"})
    artifact("put", "a", "-t", "model", "-n", "net", "--run", f"{other}/same-id")
    assert "net:v0 in there" in artifact("get", f"me/{other}/net", "there", CAIRN_RUN="same-id")
    artifact("get", f"me/{other}/net:latest", "there", "--run", "only-here")
    artifact("get", "net", "there", "--run", f"{project}/only-here", CAIRN_PROJECT=other)
    for run in ("same-id", "only-here"):
        uses = artifact.ask(f"/runs/{run}/artifacts")["items"]
        assert [(u["way"], u["version"]["project"], u["version"]["version"]) for u in uses] == [("input", other, "v0")]
    elsewhere = json.loads(real_run.server.ask("GET", f"/projects/me/{other}/runs/same-id/artifacts"))
    assert [u["way"] for u in elsewhere["items"]] == ["output"]


def test_list_show_link_and_delete(artifact, tmp_path):
    (tmp_path / "a").write_bytes(b"one")
    artifact("put", "a", "-t", "model", "-n", "net", "-a", "keep")
    (tmp_path / "a").write_bytes(b"three")
    artifact("put", "a", "-t", "model", "-n", "net")
    listed = artifact("ls")
    assert "net" in listed and "v1" in listed and "latest, keep" in listed
    assert [line.split()[0] for line in artifact("ls", "net").splitlines()] == ["VERSION", "v1", "v0"]
    assert "no artifacts" in artifact("ls", "--type", "dataset")
    assert "digest" in artifact("show", "net:keep") and '"version":"v0"' in artifact("show", "net:v0", "--json")
    assert artifact("link", "net:v0", "released", "-a", "production").strip() == "released:v0"
    assert "v0" in artifact("show", "released:production")
    assert "would delete 1 versions" in artifact("rm", "net:v0", "--dry-run")
    artifact("rm", "net", code=2)
    assert "--force" in artifact("rm", "net:v0", code=1)
    undo = artifact("rm", "net:v0", "--force").split()[-1]
    artifact("show", "net:v0", code=1)
    artifact("restore", undo)
    assert "keep" in artifact("show", "net:v0")
    assert "deleted 2 versions" in artifact("rm", "net", "--all")
    assert "does not exist" in artifact("show", "net", code=1)


@pytest.mark.parametrize("words, code, said", [
    ((), 2, "expected put"), (("fly",), 2, "expected put"), (("put",), 2, "usage"), (("put", "."), 2, "--type"),
    (("put", "nowhere", "-t", "model", "-n", "x"), 1, "cannot read"), (("put", "fifo", "-t", "model"), 1, "not a file"),
    (("put", ".", "-t", "model", "-m", "[1]"), 2, "JSON object"), (("put", "a", "-t", "x" * 129), 1, "128"),
    (("put", "a", "-t", "model", "-n", "a:b"), 1, "invalid"), (("get", "nothing"), 1, "does not exist"),
    (("get", "a:"), 2, "invalid"), (("get", "/a"), 2, "invalid"), (("rm", "a"), 2, "--all"), (("put", "a", "-t", "m", "-j", "0"), 2, "jobs"),
    (("restore", "x"), 1, "restore"), (("verify", "a:v0"), 2, "--server"),
    (("verify", "a:v0", "there", "--server"), 2, "--server"), (("verify", "a:v0", "--server"), 1, "does not exist"),
])
def test_what_is_refused(artifact, tmp_path, words, code, said):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "a").write_bytes(b"")
    assert said in artifact(*words, code=code)


def test_an_interrupted_get_goes_on(artifact, tmp_path):
    content = random.Random(2).randbytes(5_000_000)
    fill(tmp_path / "data", {"big": content, "other": b"x"})
    artifact("put", "data", "-t", "model", "-n", "net")
    fill(tmp_path / "there", {"big.cairn-part": content[:4_000_000]})
    assert "fetched 2 files" in artifact("get", "net", "there")
    assert content_of(tmp_path / "there") == {"big": content, "other": b"x"}
    fill(tmp_path / "again", {"big.cairn-part": b"?" + content[1:4_000_000], "other.cairn-part": b"too long by far"})
    artifact("get", "net", "again")
    assert content_of(tmp_path / "again") == {"big": content, "other": b"x"}


def test_a_part_that_another_process_fills(artifact, tmp_path):
    """Several gets into one folder do not disturb each other, and leave no parts."""
    content = random.Random(6).randbytes(3_000_000)
    fill(tmp_path / "data", {"big": content, "other": b"x"})
    artifact("put", "data", "-t", "model", "-n", "net")
    fill(tmp_path / "there", {"big.cairn-part": b"held"})
    with open(tmp_path / "there/big.cairn-part", "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "fetched 2 files" in artifact("get", "net", "there")
        assert held.read() == b"held"
    assert content_of(tmp_path / "there") == {"big": content, "other": b"x", "big.cairn-part": b"held"}
    gets = [subprocess.Popen([CAIRN, "artifact", "get", "net", "all"], env=artifact.env, cwd=tmp_path) for _ in range(4)]
    assert [get.wait(PATIENCE_S) for get in gets] == [0] * 4
    assert content_of(tmp_path / "all") == {"big": content, "other": b"x"}


def test_a_version_with_a_file_that_is_named_as_a_part(artifact, tmp_path):
    contents = {"w": b"weights", "w.cairn-part": b"another file"}
    fill(tmp_path / "data", contents)
    artifact("put", "data", "-t", "model", "-n", "net")
    fill(tmp_path / "there", {**contents, "w": b"of before"})
    assert "fetched 1 files, 7 B" in artifact("get", "net", "there", "-j", "1")
    assert content_of(tmp_path / "there") == contents


def test_a_file_that_cannot_be_written(artifact, tmp_path):
    """A fault of this host is reported as such, at once."""
    fill(tmp_path / "data", {"big": random.Random(4).randbytes(1_000_000)})
    artifact("put", "data", "-t", "model", "-n", "net")
    limited = ["sh", "-c", 'ulimit -f 8; trap "" XFSZ; exec "$@"', "-", CAIRN, "artifact", "get", "net", "there"]
    done = subprocess.run(limited, env=artifact.env, capture_output=True, text=True, timeout=PATIENCE_S, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot write" in done.stderr and "File too large" in done.stderr and "no response" not in done.stderr


def test_the_server_goes_away_and_comes_back(artifact, tmp_path, real_run):
    """Killed while files come: the command says that it waits, and what was stored before is not sent again."""
    contents = {f"f{i}": random.Random(i).randbytes(400_000) for i in range(40)}
    fill(tmp_path / "data", contents)
    server = real_run.server
    stored = server.process.dir / "data" / "files"

    def count():
        return sum(1 for path in stored.rglob("*") if path.is_file())

    before = count()
    sender = artifact.start("put", "data", "-t", "model", "-n", "net", "-j", "2", "-p", f"me/{artifact.env['CAIRN_PROJECT']}")
    wait_until(lambda: count() > before + 5)
    try:
        server.kill()
        assert "trying again" in sender.stderr.readline()
    finally:
        server.back()
    out, err = sender.communicate(timeout=PATIENCE_S)
    assert (sender.returncode, err) == (0, "") and out.startswith("net:v0  40 files")
    artifact("get", "net", "there")
    assert content_of(tmp_path / "there") == contents


def test_a_download_on_a_bad_way(artifact, tmp_path):
    """It is cut, stops without an end, and passes a proxy that does not know Range: each time the file goes on."""
    content = random.Random(7).randbytes(3_000_000)
    fill(tmp_path / "data", {"big": content})
    artifact("put", "data", "-t", "model", "-n", "net")
    with artifact.way(cuts=[(b"/big", 1_000_000)], holds=[(b"/big", 1_000_000)]) as (way, env):
        artifact("get", "net", "there", **env, **{LIMITS: "67108864 1"})
        assert sum("/files/big" in line for line in way.asked) == 3 and content_of(tmp_path / "there") == {"big": content}
    with artifact.way(cuts=[(b"/big", 200_000)] * 14) as (way, env):  # each of these moves some of it
        artifact("get", "net", "piecewise", **env)
        assert sum("/files/big" in line for line in way.asked) == 15 and content_of(tmp_path / "piecewise") == {"big": content}
    with artifact.way(cuts=[(b"/big", 1_000_000)], lose=b"Range:") as (way, env):
        artifact("get", "net", "again", **env)
        assert sum("/files/big" in line for line in way.asked) == 2 and content_of(tmp_path / "again") == {"big": content}


def test_a_large_file_in_parts(artifact, tmp_path):
    """Parts that are cut are sent again, those that came before a kill are not, and an upload that is given up is begun again."""
    content = random.Random(9).randbytes(1_050_000)
    fill(tmp_path / "data", {"big": content, "small": b"sent by this test"})
    words, limits = ("put", "data", "-t", "model", "-j", "1"), {LIMITS: "100000 60"}
    with artifact.way(cut_requests=[(b"/3 HTTP", 30_000)]) as (way, env):
        assert "sent 2 files, 1.1 MB" in artifact("put", "data", "-t", "model", "-n", "cut", "-j", "3", **env, **limits)
        assert sum(line.startswith("PUT") and "/uploads/" in line for line in way.asked) == 12
    artifact("get", "cut", "there")
    assert content_of(tmp_path / "there") == {"big": content, "small": b"sent by this test"}
    artifact("rm", "cut", "--all")

    def stuck(way):
        return sum("/5 HTTP" in line for line in way.asked) > 1

    fill(tmp_path / "data", {"big": content[::-1]})
    with artifact.way(cut_requests=[(b"/5 HTTP", 0)] * 1000) as (way, env):
        killed = artifact.start(*words, "-n", "killed", **env, **limits)
        wait_until(lambda: stuck(way))
        killed.kill()
        killed.communicate()
    assert "sent 1 files, 650.0 kB" in artifact(*words, "-n", "killed", **limits)  # all but four parts
    fill(tmp_path / "data", {"big": content[1:]})
    with artifact.way(cut_requests=[(b"/5 HTTP", 0)] * 1000) as (way, env):
        sender = artifact.start(*words, "-n", "lost", **env, **limits)
        wait_until(lambda: stuck(way))
        [part] = {line.split()[1] for line in way.asked if "/5 HTTP" in line}
        artifact.run.server.ask("DELETE", part.removeprefix("/api/v1").rpartition("/")[0])
        way.cut_requests.clear()
        out, err = sender.communicate(timeout=PATIENCE_S)
    assert sender.returncode == 0 and "lost:v0  2 files" in out, err
    for name, expected in (("killed", content[::-1]), ("lost", content[1:])):
        artifact("get", name, name)
        assert content_of(tmp_path / name) == {"big": expected, "small": b"sent by this test"}


def test_several_send_the_same_large_file(artifact, tmp_path):
    content = random.Random(10).randbytes(2_000_000)
    fill(tmp_path / "data", {"big": content})
    puts = [artifact.start("put", "data", "-t", "model", "-n", f"n{i}", **{LIMITS: "100000 60"}) for i in range(3)]
    said = [put.communicate(timeout=PATIENCE_S) for put in puts]
    assert [put.returncode for put in puts] == [0] * 3, said
    artifact("get", "n2", "there")
    assert content_of(tmp_path / "there") == {"big": content}


def test_progress_within_a_file(artifact, tmp_path):
    fill(tmp_path / "data", {"big": random.Random(11).randbytes(3_000_000)})
    artifact("put", "data", "-t", "model", "-n", "net")
    near, far = os.openpty()
    with artifact.way(holds=[(b"/big", 1_010_000)]) as (_, env):
        getter = subprocess.Popen([CAIRN, "artifact", "get", "net", "there"], env={**artifact.env, **env}, stderr=far, cwd=tmp_path)
        shown = b""
        while b"0 of 1 files, 1.0 MB of 3.0 MB" not in shown:
            shown = shown[-100:] + os.read(near, 100)
        getter.kill()
        getter.wait(PATIENCE_S)
    os.close(near)
    os.close(far)


def test_a_fault_ends_all_transfers(artifact, tmp_path):
    fill(tmp_path / "data", {"a": random.Random(8).randbytes(3_000_000), "b": b"x"})
    artifact("put", "data", "-t", "model", "-n", "net")
    (tmp_path / "there/b").mkdir(parents=True)
    with artifact.way(holds=[(b"/files/a", 100_000)]) as (_, env):
        assert "cannot write" in artifact("get", "net", "there", code=1, **env, **{LIMITS: "67108864 10000"})


def test_an_interrupted_tar_goes_on(artifact, tmp_path):
    """Files that came are files, and are not fetched again."""
    contents = {f"d/{i:03}": random.Random(i).randbytes(20_000) for i in range(150)}
    fill(tmp_path / "data", contents)
    artifact("put", "data", "-t", "model", "-n", "net")
    with artifact.way(holds=[(b"/files.tar", 1_500_000)]) as (_, env):
        getter = artifact.start("get", "net", "there", **env)
        wait_until(lambda: (tmp_path / "there/d/040").exists())
        getter.kill()
        getter.communicate()
    before = len([path for path in content_of(tmp_path / "there") if not path.endswith(".cairn-part")])
    assert before >= 40 and f"fetched {150 - before} files" in artifact("get", "net", "there")
    assert content_of(tmp_path / "there") == contents


def test_a_link_in_the_folder_is_not_followed(artifact, tmp_path):
    fill(tmp_path, {"data/in/x": b"new", "elsewhere/x": b"old"})
    artifact("put", "data", "-t", "model", "-n", "net")
    (tmp_path / "there").mkdir()
    (tmp_path / "there/in").symlink_to(tmp_path / "elsewhere")
    assert "is a link" in artifact("get", "net", "there", code=1)
    assert content_of(tmp_path / "elsewhere") == {"x": b"old"}
    (tmp_path / "link").symlink_to("else")  # the folder itself may be one
    (tmp_path / "else").mkdir()
    artifact("get", "net", "link")
    assert content_of(tmp_path / "else") == {"in/x": b"new"}


def test_paths_do_not_steer_the_terminal(artifact, tmp_path):
    fill(tmp_path / "data", {"x\nmissing: y\x1b]0;t\x07": b"x"})
    artifact("put", "data", "-t", "model", "-n", "net")
    (tmp_path / "empty").mkdir()
    said = artifact("verify", "net", "empty", code=1)
    assert sum(line.startswith("missing: ") for line in said.splitlines()) == 1 and "\x1b" not in said and "\x07" not in said


def test_a_link_of_a_version_of_another_project(artifact, tmp_path):
    """The portfolio is in the project of the settings."""
    (tmp_path / "a").write_bytes(b"weights")
    other = artifact.env["CAIRN_PROJECT"][:90] + ".models"
    artifact("put", "a", "-t", "model", "-n", "own")
    artifact("put", "a", "-t", "model", "-n", "net", "-p", f"me/{other}")
    assert artifact("link", f"me/{other}/net:v0", "registry").strip() == "registry:v0"
    assert artifact.ask("/artifacts/registry/versions/v0")["version"] == "v0"
    assert artifact("link", f"{other}/net", f"me/{other}/here").strip() == "here:v0"
    listed = json.loads(artifact.run.server.ask("GET", f"/projects/me/{other}/artifacts"))
    assert sorted(item["name"] for item in listed["items"]) == ["here", "net"]


def test_the_library(make_real_probe, real_run, tmp_path):
    """A program that uses libcairn makes a version and uses it; what fails has a reason."""
    contents = some_files(3)
    fill(tmp_path / "data", contents)
    probe = make_real_probe()
    name = f"of-{os.getpid()}"
    assert probe.ask("start")["result"] == "ok"
    assert probe.ask("log_artifact", name, tmp_path / "data") == {"result": "ok", "version": "v0"}
    assert probe.ask("log_artifact", name, tmp_path / "data") == {"result": "ok", "version": "v0"}
    assert probe.ask("use_artifact", f"{name}:best", tmp_path / "there")["result"] == "ok"
    assert content_of(tmp_path / "there") == contents
    assert probe.ask("use_artifact", f"me/p/{name}")["result"] == "ok"
    assert probe.ask("use_artifact", f"{name}:nope")["result"] == "refused"
    assert "does not exist" in probe.ask("stats")["error"]
    assert probe.ask("log_artifact", name, tmp_path / "nothing")["result"] == "invalid"
    assert "cannot read" in probe.ask("stats")["error"]
    probe.ask("finish", 0, 120000)
    uses = json.loads(real_run.server.ask("GET", f"/projects/me/p/runs/{real_run.name}/artifacts"))["items"]
    assert sorted((u["way"], u["version"]["version"]) for u in uses) == [("input", "v0"), ("output", "v0")]


def test_the_library_keeps_its_timeout(server, probe, tmp_path):
    """Also if a busy server asks for a longer wait, and while it reads a file that would take minutes."""
    server.fault = lambda name, count: ("status", 503, {"Retry-After": "300"}) if name == "artifacts" else None
    assert probe.ask("start")["result"] == "ok"
    assert probe.ask("joined", 120000)["result"] == "ok"
    assert probe.ask("use_artifact", "net:v0", tmp_path / "there", 5000)["result"] == "timeout"
    assert "busy" in probe.ask("stats")["error"]
    assert server.count("artifacts") == 1
    with open(tmp_path / "large", "wb") as large:
        large.truncate(1 << 40)
    assert probe.ask("log_artifact", "net", tmp_path / "large", 1000)["result"] == "timeout"
    probe.ask("finish", 0, 120000)
