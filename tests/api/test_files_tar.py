"""All files of a run as one tar: what is in it, whose names, how it breaks off, and that memory does not go by it."""
import hashlib
import http.client
import io
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


def test_what_breaks_off_is_seen(run, folder, server, keys):
    """Content that is gone from the disk: no client takes what came for all of it."""
    before = set(contents(folder))
    put(run, "a", b"first" * 100000)
    put(run, "b", b"lost" * 100000)
    [path] = [p for p in (folder / "content").glob("??/??/*") if p.name not in before and p.read_bytes().startswith(b"lost")]
    kept = path.read_bytes()
    path.unlink()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", f"{run.path}/files.tar", headers={"Authorization": f"Bearer {keys['ann']}"})
        answer = connection.getresponse()
        if answer.status == 200:
            with pytest.raises(http.client.IncompleteRead):
                answer.read()
        else:
            assert answer.status == 500
    finally:
        path.write_bytes(kept)
        connection.close()
    assert len(taken(run)[1].getmembers()) == 2
