"""GraphQL within the budget `memory`: requests that multiply, and others answered meanwhile.

With a server without the address sanitizer, which CAIRND names, the limit of address space is set and the
process itself is looked at; with the sanitizer the server's own count alone.
"""
import itertools
import json
import pathlib
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from rest import Api
from server import Server, cairnd
from wire import Wire

MIB = 1 << 20
MEMORY = 512 * MIB
ADDRESS_SPACE = 5 << 30
REQUESTS = 200

pytestmark = pytest.mark.own(memory="512M", search_memory=0, queue_limit=4096)


def is_sanitized():
    return b"__asan_init" in pathlib.Path(cairnd()).read_bytes()


@pytest.fixture
def place(cluster, keys, secret_file, monkeypatch):
    """Its server has a limit of address space, where it can have one."""
    from conftest import Place
    if not is_sanitized():
        monkeypatch.setattr(Server, "prefix", ("prlimit", f"--as={ADDRESS_SPACE}"))
    made = Place(cluster, secret_file, pytestmark.kwargs)
    yield made
    made.close()


def of_project(project, fields):
    return f'project(name: "{project}", entityName: "ann") {{ {fields} }}'


RUN = 'run(name: "r1")'


def doubling(project):
    bomb = " ".join(f"fragment F{n} on Run {{ a{n}: project {{ {RUN} {{ ...F{n + 1} }} }}"
                    f" b{n}: project {{ {RUN} {{ ...F{n + 1} }} }} }}" for n in range(14))
    asked = of_project(project, RUN + " { ...F0 }")
    return {"query": f"{{ {asked} }} {bomb} fragment F14 on Run {{ id }}"}


def cyclic(project):
    inner = " ".join(f"a{n}: {RUN} {{ project {{ ...P }} }}" for n in range(8))
    return {"query": f"{{ {of_project(project, '...P')} }} fragment P on Project {{ {inner} }}"}


def mutual(project):
    return {"query": f"{{ {of_project(project, '...P')} }} fragment P on Project {{ runs(first: 100) {{ edges {{ node {{ ...R }} }} }} }}"
                     " fragment R on Run { a: project { ...P } b: project { ...P } }"}


def deep(project):
    asked = of_project(project, (RUN + " { project { ") * 14 + " id " + "} }" * 14)
    return {"query": f"{{ {asked} }}"}


def wide(project):
    return {"query": "{ " + " ".join(f"a{n}: " + of_project(project, "runs(first: 100) { edges { node { id name config "
            "summaryMetrics project { id name } } } }") for n in range(1500)) + " }"}


def large_variables(_project):
    return {"query": "query($a: String) { viewer { id } }", "variables": {"a": "x" * 12 * MIB}}


def large_lists(_project):
    return {"query": "query($a: [Int]) { viewer { id } }", "variables": {"a": [1] * 240_000}}


def introspection(_project):
    return {"query": "{ " + " ".join(f't{n}: __type(name: "Mutation") {{ name fields {{ name args {{ name }} }} }}'
                                     for n in range(1900)) + " }"}


def operations(_project):
    return {"query": " ".join(f"query Q{n}($v: [[Int]] = [[1], [2]]) {{ viewer {{ id }} }}" for n in range(1800)),
            "operationName": "Q7"}


def long_names(_project):
    return {"query": "{ " + " ".join(f"{'n' * 20_000}{n}: viewer {{ id }}" for n in range(500)) + " }"}


KINDS = [cyclic, mutual, deep, wide, doubling, large_variables, large_lists, introspection, operations, long_names]


def test_what_is_asked_stays_within_the_memory(server, wire, keys, wait_for):
    for n in range(20):
        wire.start(f"r{n}", config={"text": "x" * 20_000})
    bodies = [json.dumps(kind(wire.project)).encode() for kind in KINDS]
    other = Api(server, keys["bob"])
    resident = server.memory()
    longest = 0.0

    def ask(body):
        one = Wire(f"http://127.0.0.1:{server.port}", wire.key, "ann", wire.project)
        return one.send("POST", "/graphql", body, {"Content-Type": "application/json"}).status

    with ThreadPoolExecutor(40) as threads:
        asked = [threads.submit(ask, body) for body in itertools.islice(itertools.cycle(bodies), REQUESTS)]
        while not all(one.done() for one in asked):
            begun = time.monotonic()
            assert other.request("GET", "/api/v1/viewer").status == 200
            longest = max(longest, time.monotonic() - begun)
            time.sleep(0.05)
    by_kind = {kind.__name__: sorted({one.result() for one in asked[n::len(KINDS)]}) for n, kind in enumerate(KINDS)}
    assert all(status in (200, 400, 422, 503, 504) for seen in by_kind.values() for status in seen), by_kind
    assert by_kind["cyclic"] == by_kind["mutual"] == [400], by_kind
    assert server.metric("cairn_memory_peak_bytes") <= MEMORY * 5 / 4
    wait_for(lambda: server.metric('cairn_memory_bytes{of="requests"}') < MIB, what="memory given back")
    if not is_sanitized():
        assert server.memory("VmHWM") - resident <= MEMORY * 5 / 4
        assert longest < 1, longest
    other.close()
