"""Who follows live events from a machine that vanished."""
import contextlib
import http.client
import pathlib
import sys
import threading

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "api")]

import network  # noqa: E402
from cluster import Cluster, wait_until  # noqa: E402
from rest import Api  # noqa: E402
from runs import Run  # noqa: E402
from server import Server, cairnd_run  # noqa: E402


def follow(namespace, port, path, key, opened, over):
    """Until the stream is open; then nothing is read, and the connection stays."""
    network.enter(namespace)
    connection = http.client.HTTPConnection(network.NEAR, port, timeout=120)
    connection.request("GET", f"{path}/live", headers={"Authorization": f"Bearer {key}"})
    answer = connection.getresponse()
    while (line := answer.readline()) != b"event: open\n":
        assert line
    opened.set()
    over.wait()


@pytest.fixture
def stack():
    with contextlib.ExitStack() as made:
        yield made


@pytest.mark.skipif(bool(network.may_run()), reason=str(network.may_run()))
def test_a_listener_that_vanished_makes_room(tmp_path, stack):
    """It says no good-bye, and acknowledges nothing: no quarter of an hour is waited for it."""
    cluster = stack.enter_context(Cluster())
    url, secret = cluster.create_database(), tmp_path / "secret"
    cairnd_run(url, secret, "upgrade")
    cairnd_run(url, secret, "user", "add", "ann", "--key-file", str(tmp_path / "key"))
    server = stack.enter_context(Server(url, secret, idle_timeout_s=5))
    gate = network.Gate(stack, server)
    gate.line.loss, gate.line.delay_s = 0, 0
    api = Api(gate.door, (tmp_path / "key").read_text().strip())
    run, opened, over = Run(api), threading.Event(), threading.Event()
    stack.callback(over.set)
    threading.Thread(target=follow, daemon=True,
                     args=(gate.far.name, gate.port, run.path, api.key, opened, over)).start()
    assert opened.wait(120)
    assert "cairn_http_live_listeners 1\n" in api.get("/metrics").text
    gate.line.loss = 1.0
    run.join().send(history=[{"i": 0}])
    wait_until(lambda: "cairn_http_live_listeners 0\n" in api.get("/metrics").text, 180, "end of the listener")
