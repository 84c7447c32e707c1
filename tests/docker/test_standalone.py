"""One container with its own PostgreSQL."""
import http.client
import itertools
import json
import os
import re
import time

import pytest

from cluster import wait_until

HARD = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
count = itertools.count(1)


@pytest.fixture
def start(engine, images):
    """start(words of docker run…): (container, port); the volume is made for the test."""
    made, volumes = [], []

    def run(*words, volume=None, network=()):
        name = f"cairn-alone-{os.getpid()}-{next(count)}"
        volume = volume or name
        volumes.append(volume)
        engine("run", "-d", "--name", name, "-v", f"{volume}:/data", *(network or ["-p", "127.0.0.1::8080"]), *words,
               "cairn-standalone")
        made.append(name)
        return name, volume
    yield run
    for name in made:
        engine("rm", "-f", "-v", name)
    for volume in set(volumes):
        engine("volume", "rm", "-f", volume)


def port_of(engine, container):
    return int(engine("port", container, "8080/tcp").split(":")[1])


def ask(engine, container, key, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port_of(engine, container), timeout=60)
    try:
        connection.request(method, path, body and json.dumps(body), {
            "Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status in (200, 201), text
        return text
    finally:
        connection.close()


RUN = "/api/v1/projects/ann/alone/runs/r1"


@pytest.mark.parametrize("words", [
    pytest.param([], id="nothing else"),
    pytest.param(["--user", "4711:4711", *HARD, "--memory", "256m", "--memory-swap", "256m"], id="any uid, read only, 256 MB"),
    pytest.param(["--user", "0:0"], id="root"),
])
def test_from_nothing_to_a_run_that_kill_does_not_hurt(engine, start, words):
    name, _ = start(*words)
    began = time.monotonic()
    engine.wait_healthy(name)
    print(f"figure: standalone {words[:2]} to healthy {time.monotonic() - began:.1f} s")
    assert re.search(r"there are no users yet token=[0-9a-f]{32}", engine.try_("logs", name).stderr)
    key = engine("exec", name, "cairnd", "user", "add", "ann", "--admin").strip()
    rows = [{"loss": i} for i in range(20_000)]
    ask(engine, name, key, "POST", f"{RUN}/history", rows)
    engine.kill(name)
    engine("start", name)
    engine.wait_healthy(name)
    assert len(ask(engine, name, key, "GET", f"{RUN}/history?format=ndjson").splitlines()) == len(rows)
    engine("exec", name, "cairnd", "backup", "/data/b.tar")
    engine("exec", name, "cairnd", "verify")
    assert not engine.inspect(name)["State"]["OOMKilled"]


def test_a_backup_fills_a_new_volume(engine, start):
    first, volume = start()
    engine.wait_healthy(first)
    key = engine("exec", first, "cairnd", "user", "add", "ann", "--admin").strip()
    ask(engine, first, key, "POST", f"{RUN}/history", [{"loss": 1}, {"loss": 2}])
    engine("exec", first, "cairnd", "backup", "/data/b.tar")
    new = f"{volume}-new"
    engine("run", "--rm", "-v", f"{volume}:/old:ro", "-v", f"{new}:/data", "cairn-standalone", "restore", "/old/b.tar")
    second, _ = start(volume=new)
    engine.wait_healthy(second)
    assert len(ask(engine, second, key, "GET", f"{RUN}/history?format=ndjson").splitlines()) == 2


def test_two_servers_on_one_volume(engine, start):
    first, volume = start()
    engine.wait_healthy(first)
    second, _ = start(volume=volume)
    assert int(engine("wait", second)) == 78
    said = engine.try_("logs", second).stderr.strip().splitlines()
    assert "another" in said[-1] or "another" in said[0], said
    engine.wait_healthy(first)


def test_no_way_out(engine, start):
    """On an internal network, which leads nowhere, another container logs a run."""
    network = f"cairn-internal-{os.getpid()}"
    engine("network", "create", "--internal", network)
    try:
        name, volume = start("--network", network, "--network-alias", "cairn", network=["--expose", "8080"])
        engine.wait_healthy(name)
        engine("exec", name, "cairnd", "user", "add", "ann", "--admin", "--key-file", "/data/ann.key")
        client = ["run", "--rm", "--network", network, "-v", f"{volume}:/data:ro", "-e", "CAIRN_URL=http://cairn:8080",
                  "-e", "CAIRN_API_KEY_FILE=/data/ann.key", "-e", "HOME=/tmp", "--entrypoint", "cairn", "cairn"]
        engine(*client, "run", "--project", "away", "--", "sh", "-c", "echo hello; cairn log loss=0.5")
        assert "finished" in wait_until(lambda: engine(*client, "ls", "--project", "away"), 60, "a list")
    finally:
        for container in engine("ps", "-aq", "--filter", f"network={network}").split():
            engine("rm", "-f", "-v", container)
        engine("network", "rm", network)
