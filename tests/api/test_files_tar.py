"""All files of a run as one tar: what is in it, whose names, how it breaks off, and that memory does not go by it."""
import contextlib
import hashlib
import http.client
import io
import os
import random
import tarfile
import urllib.parse

import pytest

from runs import Run
from uploads import blocks, contents, put

MB = 1 << 20
NAMES = ["a.txt", "empty", "media/table/loss curve.csv", "-rf", "~/x", "C:/x", "café/Ω.txt", "한국어/파일.bin", "x" * 1024,
         "d/" * 200 + "e", "n" * 85, "n" * 86, "n" * 87, "tab\tand\nline", "<script>", "...", "a.txt~", "x:y"]


def taken(run, path=None):
    answer = run.api.raw("GET", f"{path or run.path}/files.tar")
    assert (answer.status, answer.content_type) == (200, "application/x-tar"), answer
    return answer, tarfile.open(fileobj=io.BytesIO(answer.body))


def test_all_names_and_contents(run, tmp_path):
    """As Python takes it apart, and as its strict filter lets it: within one folder."""
    for i, name in enumerate(NAMES):
        answer = put(run, urllib.parse.quote(name), f"{i} {name}".encode() if name != "empty" else b"")
        assert answer.status in (200, 201), name
    answer, tar = taken(run)
    folder = f"{run.name}-files"
    assert answer.headers["Content-Disposition"] == f"attachment; filename*=UTF-8''{folder}.tar"
    found = {member.name: member for member in tar.getmembers()}
    assert sorted(found) == sorted(f"{folder}/{name}" for name in NAMES)
    for i, name in enumerate(NAMES):
        member = found[f"{folder}/{name}"]
        assert member.isfile() and (member.mode, member.uid, member.gid) == (0o644, 0, 0)
        assert tar.extractfile(member).read() == (f"{i} {name}".encode() if name != "empty" else b"")
    tar.extractall(tmp_path, members=[m for m in tar.getmembers() if len(m.name) < 200], filter="data")
    assert [path.name for path in tmp_path.iterdir()] == [folder]
    assert len(answer.body) % 512 == 0 and answer.body.endswith(bytes(1024))


def test_none_and_more_than_a_portion(run):
    assert taken(run)[0].body == bytes(1024)
    for i in range(130):
        put(run, f"f{i:03}", f"{i}".encode())
    _, tar = taken(run)
    assert [tar.extractfile(m).read() for m in tar.getmembers()] == [f"{i}".encode() for i in range(130)]


@pytest.mark.parametrize("name", ["...", "..\\..\\evil", "-x", "\"q"])
def test_a_run_of_any_name(api, home, name):
    run = Run(api, name, project=home, make=False)
    path = f"{home}/runs/{urllib.parse.quote(name)}"
    api.put(path)
    assert api.raw("PUT", f"{path}/files/f", b"1").status in (200, 201)
    [member] = taken(run, path)[1].getmembers()
    assert member.name == name.replace("\\", "_") + "-files/f"


def test_who_may_have_it(run, stranger):
    put(run, "f", b"1")
    stranger.refused(401, "unauthorized", "GET", f"{run.path}/files.tar")
    run.api.refused(404, "not-found", "GET", f"{run.path}x/files.tar")
    run.api.refused(400, "invalid", "GET", f"{run.path}/files.tar", query={"pattern": "x"})


@pytest.mark.long
def test_memory_is_bounded(run, server, keys):
    """300 MiB and back, in two files of which one is no whole number of blocks."""
    put(run, "warm", b"x" * MB)
    taken(run)
    before = server.memory("VmHWM")
    sums = {}
    for name, count in (("one.bin", 200), ("two.bin", 100)):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        connection.request("PUT", f"{run.path}/files/{name}", blocks(count), {"Authorization": f"Bearer {keys['ann']}"},
                           encode_chunked=True)
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read()
        connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    connection.request("GET", f"{run.path}/files.tar", headers={"Authorization": f"Bearer {keys['ann']}"})
    with tarfile.open(fileobj=connection.getresponse(), mode="r|") as tar:
        for member in tar:
            digest, file = hashlib.md5(), tar.extractfile(member)
            while piece := file.read(MB):
                digest.update(piece)
            sums[member.name.partition("/")[2]] = (member.size, digest.hexdigest())
    connection.close()
    listed = {one["name"]: (one["bytes"], one["md5"]) for one in run.api.pages(f"{run.path}/files")}
    assert sums == listed and sums["one.bin"][0] == 200 * MB
    assert server.memory("VmHWM") - before < 60 * MB


@contextlib.contextmanager
def without_content(folder, run, name, content):
    """What a name leads to is gone from the disk, and there again afterwards; gives its path."""
    before = set(contents(folder))
    put(run, name, content)
    [path] = [p for p in (folder / "content").glob("??/??/*") if p.name not in before]
    path.unlink()
    try:
        yield path
    finally:
        path.write_bytes(content)


def opened(run, server, keys, timeout=60):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    connection.request("GET", f"{run.path}/files.tar", headers={"Authorization": f"Bearer {keys['ann']}"})
    return connection


@pytest.mark.parametrize("first", [0, 3 * MB])
def test_what_breaks_off_is_seen(run, folder, server, keys, first):
    """Content that is gone from the disk, of the first file or a later one: no client takes what came for all of it."""
    if first:
        put(run, "a", random.randbytes(first))
    with without_content(folder, run, "b", random.randbytes(MB)):
        connection = opened(run, server, keys)
        answer = connection.getresponse()
        assert answer.status == 200
        with pytest.raises(http.client.IncompleteRead) as broken:
            answer.read()
        assert first <= len(broken.value.partial) < first + MB
        connection.close()
    assert len(taken(run)[1].getmembers()) == 1 + bool(first)


def test_a_disk_that_hangs_holds_nobody_else(run, folder, server, keys):
    """More who wait for the disk than there are workers: what needs no file is answered."""
    with without_content(folder, run, "a", random.randbytes(MB)) as path:
        os.mkfifo(path)  # opening it hangs until somebody writes
        waiting = [opened(run, server, keys) for _ in range(24)]
        try:
            heads = [connection.getresponse().status for connection in waiting]
            for _ in range(20):
                run.api.get(run.path)
        finally:
            writer = os.open(path, os.O_RDWR)
            path.unlink()
            os.close(writer)
            for connection in waiting:
                connection.close()
        assert heads == [200] * 24
    assert len(taken(run)[1].getmembers()) == 1


def test_a_name_that_is_a_folder_too(run, tmp_path):
    """Both are files of a run; on a disk the one has a name beside the other."""
    files = {"a": "a_", "a-": "a-", "a/b": "a/b_", "a/b/c": "a/b/c", "d": "d__", "d/x": "d/x", "d_": "d_", "e": "e__",
             "e/x": "e/x", "e_/x": "e_/x", "ab": "ab", "100%": "100%"}
    for name in files:
        put(run, urllib.parse.quote(name), name.encode())
    answer, tar = taken(run)
    tar.extractall(tmp_path, filter="data")
    top = tmp_path / f"{run.name}-files"
    found = {str(path.relative_to(top)): path.read_text() for path in top.rglob("*") if path.is_file()}
    assert found == {there: name for name, there in files.items()}
