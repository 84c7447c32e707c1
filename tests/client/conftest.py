"""A misbehaving server for each test, a real one for all, and host programs that log to them."""
import re

import pytest

from fake_server import KEY, FakeServer
from probe import Probe, environment_of
from real_server import RealRun, RealServer


@pytest.fixture
def server():
    server = FakeServer()
    yield server
    server.close()
    assert server.violations == []


@pytest.fixture
def make_probe(server):
    probes = []

    def make(extra=()):
        probes.append(Probe(environment_of(server.url, KEY) | dict(extra)))
        return probes[-1]

    yield make
    for probe in probes:
        probe.check()


@pytest.fixture
def probe(make_probe):
    return make_probe()


@pytest.fixture(scope="session")
def cairnd():
    """The real server; its runs are told apart by their ids."""
    made = RealServer()
    yield made
    made.close()


@pytest.fixture
def real_run(cairnd, request):
    """A run id of the test's own."""
    return RealRun(cairnd, re.sub(r"[^A-Za-z0-9_.-]", "-", request.node.name)[:100])


def real_environment(run):
    return environment_of(run.server.url, run.server.key) | {"CAIRN_PROJECT": "p", "CAIRN_RUN": run.name}


@pytest.fixture
def make_real_probe(real_run):
    probes = []

    def make(**extra):
        probes.append(Probe(real_environment(real_run) | extra))
        return probes[-1]

    yield make
    for probe in probes:
        probe.check()
