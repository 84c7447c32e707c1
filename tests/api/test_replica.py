"""Reads from a streaming replica: a real one, behind, paused, frozen, killed, promoted."""
import http.client
import re
import signal
import socket

import pytest

from cluster import Cluster, Replica, processes_of, signal_all
from rest import Api
from runs import Run
from server import Server, cairnd_run

BOUND_MS = 1000
LONG_MS = 60_000

@pytest.fixture(scope="module")
def replica(cluster):
    with Replica(cluster) as made:
        yield made


def database_of(place):
    return place.db.url.split("/")[3].split("?")[0]


def new_server(place, replica, **settings):
    settings = {"database_url": place.db.url, "read_database_url": replica.url(database_of(place)),
                "read_lag_ms": LONG_MS, **settings}
    return Server(settings.pop("database_url"), place.secret_file, **settings)


@pytest.fixture
def start(place, replica, keys):
    """start(**settings): an Api by way of a new server that reads from the replica."""
    servers = []

    def start_one(**settings):
        servers.append(new_server(place, replica, **settings).start())
        return Api(servers[-1], keys["ann"])
    yield start_one
    for server in servers:
        server.stop()
        server.remove()


@pytest.fixture(scope="module")
def reading(shared_place, replica, keys):
    """An Api by way of a server that all tests here share, whose bound is far away."""
    with new_server(shared_place, replica) as server:
        yield Api(server, keys["ann"])


def state(api):
    return api.get("/ready").json["replica"]


def metric(api, name):
    return float(re.search(rf"^{re.escape(name)} (\S+)$", api.get("/metrics").text, re.MULTILINE)[1])


def read(run, after=None, **query):
    """(who answered, the values of "n")"""
    answer = run.api.request("GET", f"{run.path}/history", query={"format": "ndjson", **query},
                             headers={"Cairn-After": after} if after else None)
    assert answer.status == 200, answer
    return answer.headers["Cairn-Read-From"], [row["n"] for row in answer.lines]


def write(run, *values):
    """Rows by hand; what Cairn-Written says."""
    answer = run.api.post(f"{run.path}/history", [{"n": n} for n in values])
    return answer.headers["Cairn-Written"]


def caught_up(wait_for, run, written):
    wait_for(lambda: read(run, written)[0] == "replica", what="a replica that has come so far")


def from_replica(wait_for, run, values):
    """A replica that takes two seconds to say where it is counts as away, for as long; never is anything else read."""
    def is_read():
        source, found = read(run)
        assert source == "primary" or found == values, found
        return source == "replica"
    wait_for(is_read, what="the replica")


@pytest.fixture
def run(reading, home, wait_for):
    """Its first row is on the replica."""
    wait_for(lambda: state(reading) == "in use")
    made = Run(reading, project=home)
    caught_up(wait_for, made, write(made, 0))
    return made


def test_what_was_written_is_read(run, wait_for):
    for n in range(1, 20):
        written = write(run, n)
        assert read(run, written)[1] == list(range(n + 1)), "whoever answers"
    caught_up(wait_for, run, written)
    from_replica(wait_for, run, list(range(20)))
    assert read(run, "now") == ("primary", list(range(20)))
    for path, query in ("keys", {}), ("history", {"keys": "n"}):
        wait_for(lambda: run.api.get(f"{run.path}/{path}", **query).headers["Cairn-Read-From"] == "replica")
    assert metric(run.api, 'cairn_replica_reads_total{by="replica"}') > 0
    assert 0 <= metric(run.api, "cairn_replica_lag_seconds") < LONG_MS / 1000


def test_what_is_not_read_there(run):
    """States, documents, writers, lists and the console are the primary's."""
    for tail in ("", "/states", "/writers", "/config", "/summary", "/console"):
        assert "Cairn-Read-From" not in run.api.get(run.path + tail).headers


def test_verify_reads_it(run, replica, shared_place, wait_for):
    """By the command alone: nothing is locked or written that a replica would refuse."""
    caught_up(wait_for, run, write(run, 1, 2))
    said = cairnd_run(replica.url(database_of(shared_place)), shared_place.secret_file, "verify")
    assert said.endswith(": 0 faults\n") and not said.startswith("0 runs")


def test_every_write_says_where(run):
    """Of a batch, of a join, of an edit: what comes later is further."""
    writer = run.join()
    answers = [run.api.post(f"{run.path}/batch", writer.body(1, history=[{"n": 1}])),
               run.api.post(f"{run.path}/join", {"client": "w2", "role": "worker"}),
               run.api.patch(f"{run.path}/config", {"a": 1}), run.api.put(f"{run.path}-2", {})]
    places = [tuple(int(part, 16) for part in a.headers["Cairn-Written"].split("/")) for a in answers]
    assert places == sorted(places)


def test_without_a_replica_nothing_is_said(api, home):
    run = Run(api, project=home)
    answer = run.api.post(f"{run.path}/history", [{"n": 0}])
    assert "Cairn-Written" not in answer.headers
    answer = run.api.request("GET", f"{run.path}/history", query={"format": "ndjson"}, headers={"Cairn-After": "now"})
    assert answer.status == 200 and "Cairn-Read-From" not in answer.headers
    assert "replica" not in run.api.get("/ready").json


@pytest.mark.parametrize("after", ["", "x", "1", "1/", "1/G", "/1", "1/2/3", "123456789/1", "1/123456789", " now"])
def test_a_place_that_is_none(run, after):
    answer = run.api.request("GET", f"{run.path}/keys", headers={"Cairn-After": after}, check=False)
    if after.strip() in ("", "now"):  # blanks around it are no part of a header
        assert answer.status in (200, 400)
    else:
        assert (answer.status, answer["field"]) == (400, "Cairn-After")


@pytest.fixture
def paused(replica):
    replica.pause()
    yield
    replica.resume()


def test_replay_stands_still(run, paused, wait_for):
    """Within the bound what is read may be old; who asks for what was written has it."""
    written = write(run, 1)
    from_replica(wait_for, run, [0])
    assert read(run, written) == ("primary", [0, 1])
    assert read(run, "now") == ("primary", [0, 1])
    assert metric(run.api, 'cairn_replica_reads_total{by="after"}') >= 2


def test_a_run_that_is_not_there_yet(run, paused):
    new = Run(run.api, "new", run.path.rsplit("/runs/", 1)[0])
    write(new, 5)
    assert read(new) == ("primary", [5])


def page(run, names, after=None):
    """(who answered, the runs that are missing, the runs that have values of "n")"""
    project = run.path.rsplit("/runs/", 1)[0]
    answer = run.api.request("POST", f"{project}/series", {"runs": names, "panels": [{"keys": ["n"]}]},
                             headers={"Cairn-After": after} if after else None)
    assert answer.status == 200, answer
    panel, *series, _ = answer.json["pieces"]
    assert ("etag" in panel) == (answer.headers["Cairn-Read-From"] == "primary"), "a replica may be behind its rows"
    return answer.headers["Cairn-Read-From"], panel["missing"], {piece["run"] for piece in series}


def test_a_page_of_charts(run, paused, wait_for):
    """Which runs there are is asked of the primary; their values may be older."""
    new = Run(run.api, "new", run.path.rsplit("/runs/", 1)[0])
    written = write(new, 1, 2)
    both = [run.name, new.name]
    wait_for(lambda: page(run, both) == ("replica", [], {run.name}))
    assert page(run, both, after=written) == ("primary", [], set(both))


def test_behind_the_bound(start, home, replica, wait_for):
    api = start(read_lag_ms=BOUND_MS)
    wait_for(lambda: state(api) == "in use")
    run = Run(api, project=home)
    caught_up(wait_for, run, write(run, 0))
    replica.pause()
    try:
        write(run, 1)
        wait_for(lambda: state(api) == "behind")
        assert read(run) == ("primary", [0, 1])
        assert metric(api, "cairn_replica_lag_seconds") > BOUND_MS / 1000
        assert metric(api, "cairn_replica_up") == 1
    finally:
        replica.resume()
    wait_for(lambda: read(run) == ("replica", [0, 1]))


def test_an_idle_primary_makes_no_lag(start, replica, wait_for):
    """However old the last transaction is."""
    api = start(read_lag_ms=500)
    wait_for(lambda: state(api) == "in use")
    last = "select extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())"
    wait_for(lambda: float(replica.psql(last) or 0) > 2 * BOUND_MS / 1000)
    wait_for(lambda: state(api) == "in use")


def test_killed(run, replica, wait_for):
    """Nobody notices but who looks; then it is there again."""
    replica.kill()
    assert read(run) == ("primary", [0])
    write(run, 1)
    for _ in range(20):
        assert read(run) == ("primary", [0, 1])
    assert state(run.api) == "away"
    assert metric(run.api, "cairn_replica_up") == 0
    replica.start()
    wait_for(lambda: read(run) == ("replica", [0, 1]))


def by_whom(api):
    found = re.findall(r'^cairn_replica_reads_total{by="(\w+)"} (\d+)$', api.get("/metrics").text, re.MULTILINE)
    return {by: int(count) for by, count in found}


def test_killed_in_the_midst_of_an_export(run, replica, wait_for):
    """What was begun there goes on at the primary, and nothing is missing."""
    rows, pad = 24_000, "x" * 400  # more than sockets hold
    for first in range(1, rows, 8000):
        run.api.post(f"{run.path}/history", [{"n": n, "pad": pad} for n in range(first, first + 8000)])
    caught_up(wait_for, run, write(run, rows + 1))
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        s.connect(("127.0.0.1", run.api.server.port))
        s.sendall(f"GET {run.path}/history?format=ndjson HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                  f"Authorization: Bearer {run.api.key}\r\n\r\n".encode())
        response = http.client.HTTPResponse(s)
        response.begin()
        assert response.headers["Cairn-Read-From"] == "replica"
        before = by_whom(run.api)
        replica.kill()
        try:
            text = response.read()
        finally:
            replica.start()
    assert [int(n) for n in re.findall(rb'"n":(\d+)', text)] == list(range(rows + 2))
    after = by_whom(run.api)
    assert after["failed"] + after["away"] > before["failed"] + before["away"], "the rest came from the primary"


def test_frozen(start, home, replica, wait_for):
    """It is waited for no longer than half of what a request has, and then not asked any more."""
    api = start(deadline_ms=2000)
    wait_for(lambda: state(api) == "in use")
    run = Run(api, project=home)
    caught_up(wait_for, run, write(run, 0))
    pids = processes_of(int(open(f"{replica.data}/postmaster.pid").read().split()[0]))
    signal_all(pids, signal.SIGSTOP)
    try:
        assert read(run) == ("primary", [0])
        wait_for(lambda: state(api) == "away")
    finally:
        signal_all(pids, signal.SIGCONT)
    wait_for(lambda: read(run)[0] == "replica")


@pytest.mark.long
def test_through_a_pooler(start, home, cluster, place, wait_for):
    """Transactions of a pooler in front of the primary say where they ended, too."""
    if not cluster.bouncer:
        cluster.start_bouncer(pool_size=4)
    api = start(database_url=cluster.bouncer_url(database_of(place)), listen_database_url=place.db.url,
                unnamed_statements="true")
    run = Run(api, project=home)
    for n in range(5):
        assert read(run, write(run, n))[1] == list(range(n + 1))
    caught_up(wait_for, run, write(run, 5))


def test_no_replica_at_all(start, home, place, wait_for):
    """A primary of its own, be it this one or another, is none."""
    api = start(read_database_url=place.db.url)
    run = Run(api, project=home)
    write(run, 0)
    assert read(run) == ("primary", [0])
    assert state(api) == "away"
    wait_for(lambda: "read_database_url is not a streaming replica of database_url" in api.server.log())


@pytest.mark.parametrize("url, database, says", [
    ("nowhere", True, "begins with postgresql://"), ("postgresql://h/x?nonsense=1", True, "invalid database URL"),
    ("postgresql:///x", False, '"read_database_url" requires "database_url": it names a replica of that database')])
def test_addresses_that_are_refused(place, url, database, says):
    server = Server(place.db.url if database else "", place.secret_file, read_database_url=url)
    with pytest.raises(RuntimeError, match=says):
        server.start()
    server.remove()


def test_promoted(cluster, start, home, place, wait_for):
    """It goes its own way from then on."""
    with Replica(cluster) as copy:
        run = Run(start(read_database_url=copy.url(database_of(place))), project=home)
        caught_up(wait_for, run, write(run, 0))
        copy.psql("select pg_promote()")
        wait_for(lambda: state(run.api) == "away")
        write(run, 1)
        assert read(run) == ("primary", [0, 1])


@pytest.mark.long
def test_of_another_cluster(start, home, wait_for):
    with Cluster(own_identifier=True) as other, Replica(other) as copy:
        run = Run(start(read_database_url=copy.url()), project=home)
        write(run, 0)
        assert read(run) == ("primary", [0])
        wait_for(lambda: "read_database_url is not a streaming replica of database_url" in run.api.server.log())
