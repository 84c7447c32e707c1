"""Artifacts that a run logs and uses, and that are read without a run."""
import fcntl
import os
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

import cairn
from cairn import _artifacts, _http


def fill(folder, contents):
    for path, content in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def content_of(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def contents():
    made = random.Random(5)
    return {**{f"d{i % 3}/ü {i}#": made.randbytes(i) for i in range(120)}, "big": made.randbytes(3_000_000), "n" * 250: b"long"}


def test_log_and_use(api, tmp_path, monkeypatch, contents):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path / "data", contents)
    with cairn.init(id="maker") as run:
        made = run.log_artifact("data", type="dataset", aliases=["best"], metadata={"rows": 7}, description="All")
        assert (made.name, made.type, made.aliases, made.metadata) == ("data:v0", "dataset", ["latest", "best"], {"rows": 7})
        assert made.run["id"] == "maker" and made.bytes == sum(map(len, contents.values()))
        assert run.log_artifact("data", name="data", type="dataset").version == "v0"  # nothing changed
        (tmp_path / "data/big").write_bytes(b"small")
        assert run.log_artifact("data", type="dataset").version == "v1"
        with pytest.raises(cairn.Error, match="does not exist"):
            run.log_artifact("nothing", type="model")
        with pytest.raises(cairn.ApiError, match="dataset"):
            run.log_artifact("data", type="model")
    with cairn.init(id="user") as run:
        used = run.use_artifact("data:best", used_as="training")
        assert used.version == "v0"
        folder = used.download()
        assert folder.as_posix() == "artifacts/data:v0" and content_of(folder) == contents
        with pytest.raises(cairn.NotFoundError):
            run.use_artifact("data:nope")
    found = api.artifact("data:best", "me/p")
    assert found.version == "v0" and api.artifact("me/p/data").version == "v1"
    assert {f.path: f.bytes for f in found.files()} == {path: len(content) for path, content in contents.items()}
    assert [a.version for a in api.artifacts("me/p", "collection:data alias:best")] == ["v0"]
    for name in ("", ":v0", "a/data:v0", "a/b/c/data"):
        with pytest.raises(cairn.Error, match="invalid artifact"):
            api.artifact(name, "me/p")


def test_links_are_followed_and_nothing_is_left_out(api, tmp_path, monkeypatch):
    fill(tmp_path, {"elsewhere/train/x": b"x", "data/y": b"y", "one": b"one"})
    (tmp_path / "data/train").symlink_to(tmp_path / "elsewhere/train")
    (tmp_path / "data/z").symlink_to(tmp_path / "one")
    with cairn.init(id="linker") as run:
        made = run.log_artifact(tmp_path / "data", name="linked", type="dataset")
        assert {f.path for f in made.files()} == {"train/x", "y", "z"}
        for name, make, reason in (("broken", lambda path: path.symlink_to("nowhere"), "cannot read .*No such file"),
                                   ("loop", lambda path: path.symlink_to("."), "nested too deep|Too many levels"),
                                   ("fifo", os.mkfifo, "not a file")):
            make(tmp_path / "data" / name)
            with pytest.raises(cairn.Error, match=reason):
                run.log_artifact(tmp_path / "data", name="linked", type="dataset")
            (tmp_path / "data" / name).unlink()

        def refuse(folder):
            raise PermissionError(13, "Permission denied", str(folder))
        with monkeypatch.context() as patch, pytest.raises(cairn.Error, match="Permission denied"):
            patch.setattr(type(tmp_path), "iterdir", refuse)  # root could read any folder
            run.log_artifact(tmp_path / "data", name="linked", type="dataset")


def test_a_download_goes_on(api, tmp_path, contents):
    fill(tmp_path / "src", {"big": contents["big"], "other": b"x"})
    with cairn.init(id="maker-2") as run:
        made = run.log_artifact(tmp_path / "src", name="parts", type="model")
    fill(tmp_path / "there", {"big.cairn-part": contents["big"][:2_000_000], "other": b"x"})
    before = os.stat(tmp_path / "there/other").st_mtime_ns
    made.download(tmp_path / "there")
    assert content_of(tmp_path / "there") == {"big": contents["big"], "other": b"x"}
    assert os.stat(tmp_path / "there/other").st_mtime_ns == before
    fill(tmp_path / "again", {"big.cairn-part": b"?" * 10, "other.cairn-part": b"too long"})
    made.download(tmp_path / "again", prefix="b")
    assert content_of(tmp_path / "again") == {"big": contents["big"], "other.cairn-part": b"too long"}


def test_a_part_that_another_process_fills(api, tmp_path, contents):
    fill(tmp_path / "src", {"big": contents["big"]})
    with cairn.init(id="maker-3") as run:
        made = run.log_artifact(tmp_path / "src", name="shared", type="model")
    fill(tmp_path / "there", {"big.cairn-part": b"held"})
    with open(tmp_path / "there/big.cairn-part", "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        made.download(tmp_path / "there")
        assert held.read() == b"held"
    assert content_of(tmp_path / "there") == {"big": contents["big"], "big.cairn-part": b"held"}
    named = {"w": b"weights", "w.cairn-part": b"another file"}
    fill(tmp_path / "named", named)
    with cairn.init(id="maker-4") as run:
        made_too = run.log_artifact(tmp_path / "named", name="named", type="model")
    before = os.stat(tmp_path / "named/w.cairn-part").st_ino
    fill(tmp_path, {"named/w": b"of before"})
    made_too.download(tmp_path / "named")
    assert content_of(tmp_path / "named") == named and os.stat(tmp_path / "named/w.cairn-part").st_ino == before
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(made.download, [tmp_path / "all"] * 4))
    assert content_of(tmp_path / "all") == {"big": contents["big"]}


def test_large_files_in_parts(api, tmp_path, monkeypatch, contents):
    """Parts that came before a break are not sent again, and an upload that is given up is begun again."""
    fill(tmp_path / "src", {"big": contents["big"][:1_050_000], "other": b"of parts"})
    monkeypatch.setattr(_artifacts, "PART_BYTES", 100_000)
    real, puts = _http.Client.open, []

    def meet(fault):
        def open_it(self, method, path, *args, **kwargs):
            if method == "PUT" and "/uploads/" in path:
                puts.append(int(path.rpartition("/")[2]))
            fault(self, method, path)
            return real(self, method, path, *args, **kwargs)
        monkeypatch.setattr(_http.Client, "open", open_it)

    def break_off(_, method, path):
        if method == "PUT" and path.endswith("/11"):
            raise cairn.UnreachableError("cut")

    def give_up(client, _, path):
        if path.endswith("/complete") and len(puts) == 1:
            real(client, "DELETE", path.removesuffix("/complete")).close()

    with cairn.init(id="maker-5") as run:
        meet(break_off)
        with pytest.raises(cairn.UnreachableError, match="cut"):
            run.log_artifact(tmp_path / "src", name="parted", type="model")
        assert sorted(puts) == list(range(1, 12))
        puts.clear()
        meet(give_up)
        made = run.log_artifact(tmp_path / "src", name="parted", type="model")
    assert sorted(puts) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11]
    made.download(tmp_path / "there")
    assert content_of(tmp_path / "there") == content_of(tmp_path / "src")


def test_a_client_waits_for_a_server_that_is_away(monkeypatch):
    pauses, answers = [], []
    busy = cairn.ApiError(503, "busy", "busy")
    busy._retry_after_s = 40.0
    client = _http.Client(_http.Login("http://127.0.0.1:1", "key", None))
    monkeypatch.setattr(_http.time, "sleep", pauses.append)

    def answer(*_):
        if answers:
            raise answers.pop()
        return "answer"
    monkeypatch.setattr(_http.Client, "_open", answer)
    answers[:] = [busy] + [cairn.UnreachableError("away")] * 20
    assert client.patient(600).open("GET", "/x") == "answer"
    assert pauses == [*_http.PAUSES_S, *[10.0] * 15, 40.0]
    answers[:] = [busy] * 7
    with pytest.raises(cairn.ApiError, match="busy"):
        client.open("GET", "/x")


def test_a_download_follows_no_links_and_needs_no_range(api, tmp_path, monkeypatch, contents):
    fill(tmp_path / "src", {"in/big": contents["big"]})
    with cairn.init(id="maker-6") as run:
        made = run.log_artifact(tmp_path / "src", name="linked-2", type="model")
    fill(tmp_path, {"elsewhere/big": b"old", "there/in/big.cairn-part": b"other content"})
    (tmp_path / "links").mkdir()
    (tmp_path / "links/in").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(cairn.Error, match="is a link"):
        made.download(tmp_path / "links")
    assert content_of(tmp_path / "elsewhere") == {"big": b"old"}
    real, asked = _http.Client._open, []

    def lose_range(self, method, path, query, body, head):
        asked.append(path)
        return real(self, method, path, query, body, {name: value for name, value in head.items() if name != "Range"})
    monkeypatch.setattr(_http.Client, "_open", lose_range)
    made.download(tmp_path / "there")
    assert content_of(tmp_path / "there") == {"in/big": contents["big"]} and sum("/files/" in path for path in asked) == 1


def test_without_a_server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(b"a")
    with cairn.init(mode="disabled") as run:
        assert run.log_artifact("a", type="model") is None and run.use_artifact("a") is None
    with pytest.warns(cairn.CairnWarning, match="offline"):
        with cairn.init(mode="offline", project="me/p") as run:
            assert run.log_artifact("a", type="model") is None
