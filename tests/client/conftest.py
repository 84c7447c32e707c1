"""A fake server and a probe for each test."""
import json
import os
import subprocess

import pytest

from fake_server import KEY, FakeServer


class Probe:
    def __init__(self, server, extra=(), preload=None):
        environment = clean_environment(server.url)
        environment.update(extra)
        if preload:
            environment["LD_PRELOAD"] = preload
        self.process = subprocess.Popen([os.environ["CAIRN_TEST_PROBE"]], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment)

    def ask(self, *words):
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the probe died: {self.process.stderr.read()}"
        return json.loads(line)

    def start(self):
        answer = self.ask("start")
        assert answer["result"] == "ok", answer
        return answer

    def finish(self, code=0, timeout_ms=20000):
        return self.ask("finish", code, timeout_ms)

    def end(self):
        """End of input: the probe returns from main. Sanitizers speak on stderr."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(60)
        errors = self.process.stderr.read()
        return status, errors


def clean_environment(url):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("CAIRN_") or name.startswith("CAIRN_TEST_")}
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        environment.pop(name, None)
    environment.update({
        "CAIRN_URL": url, "CAIRN_API_KEY": KEY, "CAIRN_PROJECT": "e/p", "CAIRN_RUN": "r1",
        "CAIRN_SAMPLE_INTERVAL": "0", "CAIRN_FLUSH_MS": "20", "CAIRN_RETRY_MAX_MS": "200",
        "HOME": "/nonexistent"})
    return environment


@pytest.fixture
def server():
    server = FakeServer()
    yield server
    server.close()
    assert server.violations == []


@pytest.fixture
def make_probe(server):
    probes = []

    def make(**options):
        probes.append(Probe(server, **options))
        return probes[-1]

    yield make
    for probe in probes:
        if probe.process.poll() is None:
            probe.end()
        assert probe.process.returncode in (0, *getattr(probe, "allowed", ())), \
            probe.process.stderr.read()


@pytest.fixture
def probe(make_probe):
    return make_probe()
