"""The quota of an entity and its files: each alone, several at once, such as are torn, such as do not say how large they are."""
import concurrent.futures
import http.client
import re

import pytest

from rest import Api
from runs import Run
from server import cairnd_run
from uploads import MB, Torn, blocks, contents, incoming, links, names, put

pytestmark = pytest.mark.own


@pytest.fixture
def quota(db, secret_file):
    """quota(size) of ann."""
    return lambda size: cairnd_run(db.url, secret_file, "quota", "set", "ann", str(size))


def test_over_quota(run, quota, stranger):
    link, = links(run, "b")
    put(run, "a", b"x" * 1000)
    quota(1500)
    told = run.api.refused(403, "quota-exceeded", "PUT", f"{run.path}/files/b", b"x" * 501, content_type=None)
    assert "501" in told["detail"] and "1500" in told["detail"]
    stranger.refused(403, "quota-exceeded", "PUT", link, b"x" * 501, content_type=None)
    run.join().send(history=[{"a": 1}])  # rows of a run that is there are always taken
    assert names(run) == ["a"] and put(run, "b", b"x" * 500).status == 200


def test_over_quota_while_it_comes(run, quota, keys, folder, wait_for):
    """What does not say how large it is ends where its entity has no more room, not when all of it is on the disk."""
    quota(MB)
    connection = http.client.HTTPConnection("127.0.0.1", run.api.server.port, timeout=60)
    connection.request("PUT", f"{run.path}/files/b", blocks(16), {"Authorization": f"Bearer {keys['ann']}"},
                       encode_chunked=True)
    answer = connection.getresponse()
    told = answer.read().decode()
    connection.close()
    assert answer.status == 403 and "quota-exceeded" in told
    assert MB < int(re.search(r"this file has (\d+)", told)[1]) < 3 * MB
    wait_for(lambda: not incoming(folder))
    assert names(run) == [] and contents(folder) == []


# --- several at once

def test_what_comes_is_not_there_for_others(run, quota, server, keys, folder, wait_for):
    """Two of three fit: the third is to come again while they come, and taken when one of them was torn."""
    quota(1000)
    first, second = (Torn(server, f"{run.path}/files/{name}", keys["ann"], 400, 100) for name in "ab")
    wait_for(lambda: len(incoming(folder)) == 2)
    told = run.api.refused(503, "busy", "PUT", f"{run.path}/files/c", b"x" * 400, content_type=None)
    assert "uploads in progress use 800" in told["detail"]
    told = run.api.refused(403, "quota-exceeded", "PUT", f"{run.path}/files/c", b"x" * 1001, content_type=None)
    assert "coming" not in told["detail"]
    assert put(run, "d", b"x" * 200).status == 200
    first.close()
    wait_for(lambda: len(incoming(folder)) == 1)
    assert wait_for(lambda: put(run, "c", b"x" * 400).status == 200)
    assert second.finish() == 200
    assert names(run) == ["b", "c", "d"] and run.get()["bytes"] == 1000


def test_exactly_those_that_fit_are_taken(run, quota, server, keys):
    """However they overlap: what is written down counts once, neither twice nor not at all."""
    quota(10_000)
    for round_ in range(3):
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            torn = [Torn(server, f"{run.path}/files/{round_}-{i}", keys["ann"], 1000, 0) for i in range(24)]
            statuses = list(pool.map(lambda one: one.finish(), torn))
        assert statuses.count(200) == 10 and set(statuses) <= {200, 403, 503}
        assert run.get()["bytes"] == 10_000
        for name in names(run):
            run.api.delete(f"{run.path}/files/{name}")


def test_of_other_entities_nothing_is_taken(run, quota, server, keys, folder, wait_for):
    quota(1000)
    torn = Torn(server, f"{run.path}/files/a", keys["ann"], 1000, 100)
    wait_for(lambda: incoming(folder))
    elsewhere = Run(Api(server, keys["mel"]), project="/api/v1/projects/lab/digits")
    assert put(elsewhere, "a", b"x" * 2000).status == 200
    assert torn.finish() == 200


def test_a_project_has_its_room_for_itself(api, quota, server, keys, folder, wait_for):
    """What comes to another project of the entity takes nothing of it, but of what the entity may have."""
    quota(3000)
    small, other = (Run(api, "r", project=f"/api/v1/projects/ann/{name}") for name in ("small", "other"))
    for run in (small, other):
        api.put(run.path, {})
    api.patch("/api/v1/projects/ann/small", {"quota_bytes": 1000})
    torn = Torn(server, f"{other.path}/files/a", keys["ann"], 2000, 100)
    wait_for(lambda: len(incoming(folder)) == 1)
    assert put(small, "a", b"x" * 600).status == 200
    told = api.refused(403, "quota-exceeded", "PUT", f"{small.path}/files/b", b"x" * 401, content_type=None)
    assert '"ann/small"' in told["detail"] and "coming" not in told["detail"]
    told = api.refused(503, "busy", "PUT", f"{other.path}/files/b", b"x" * 401, content_type=None)
    assert '"ann"' in told["detail"] and "uploads in progress use 2000" in told["detail"]
    assert put(small, "b", b"x" * 400).status == 200
    assert torn.finish() == 200


def test_those_that_do_not_say_how_large_they_are(run, quota, keys, folder, wait_for):
    """What has come of one is not there for others; alone it would fit."""
    quota(2 * MB)
    torn = Torn(run.api.server, f"{run.path}/files/a", keys["ann"], MB, MB // 2)
    wait_for(lambda: incoming(folder))
    connection = http.client.HTTPConnection("127.0.0.1", run.api.server.port, timeout=60)
    connection.request("PUT", f"{run.path}/files/b", blocks(16, MB // 8), {"Authorization": f"Bearer {keys['ann']}"},
                       encode_chunked=True)
    answer = connection.getresponse()
    told = answer.read().decode()
    connection.close()
    assert answer.status == 503 and " uploads in progress use " in told
    assert torn.finish() == 200 and names(run) == ["a"]
