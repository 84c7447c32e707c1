"""A server over cairn_http per test, on a free port, with the settings the test asks for."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

from client import Client

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("HTTP_TEST_SERVER", ROOT / "build/dev/tests/http/http_test_server")
STOP_S = 120
REQUEST_BYTES = 64 << 10  # that one which asks for the metrics may take


def wait_for(condition, seconds=120):
    """The first true value of the condition; fails when there is none in time."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"waited {seconds} s in vain"
        time.sleep(0.01)


class Server:
    def __init__(self, folder, **settings):
        self.port_file = folder / f"port{id(self)}"
        self.log_path = folder / f"log{id(self)}"
        arguments = [f"{name}={value}" for name, value in settings.items()]
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [BINARY, f"port_file={self.port_file}", *arguments],
                stdout=subprocess.PIPE, stderr=log)
        wait_for(lambda: self.port_file.exists() or self.process.poll() is not None)
        if self.process.poll() is None:
            self.port = int(self.port_file.read_text())

    def log(self):
        return self.log_path.read_text(errors="replace")

    def client(self, **options):
        return Client(self.port, **options)

    def get(self, path, **headers):
        with self.client() as c:
            return c.request("GET", path, headers=headers)

    def post(self, path, body=b"", **headers):
        with self.client() as c:
            return c.request("POST", path, body, headers)

    def state(self):
        return self.get("/state").json()

    def metric(self, name):
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        return None

    def held(self, what="requests"):
        return self.metric(f'cairn_memory_bytes{{of="{what}"}}')

    def is_at_rest(self):
        """Only the request for the metrics is there."""
        return (self.metric("cairn_http_connections") == 1
                and self.metric("cairn_http_requests_in_flight") == 1
                and self.held() <= REQUEST_BYTES)

    def holds_requests(self, size):
        """So much at most. An answer is there a moment before what it took is given back."""
        wait_for(lambda: self.held() <= size)

    def wait_waiting(self, count):
        wait_for(lambda: self.state()["waiting"] == count)

    def memory_kb(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        return 0

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self):
        """Exit status and what was said last: how many requests were handled."""
        out, _ = self.process.communicate(timeout=STOP_S)
        assert self.process.returncode == 0, self.log()[-4000:]
        return int(out.split()[1])

    def stop(self):
        self.terminate()
        return self.wait()


@pytest.fixture
def start(tmp_path):
    servers = []

    def start_one(**settings):
        server = Server(tmp_path, **settings)
        assert server.process.poll() is None, server.log()
        servers.append(server)
        return server

    yield start_one
    for server in servers:
        if server.process.poll() is None:
            server.stop()
        log = server.log()
        assert "Sanitizer" not in log and "runtime error" not in log, log[-8000:]


@pytest.fixture
def server(start):
    return start()
