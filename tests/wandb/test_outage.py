"""Servers and the database go away under logging SDKs: of every release one process with a run of its own, and one in
a shared run of all. The long form, by name; test_stream.py has the short one.

    scripts/test wandb_long
"""
import pathlib
import sys
import time

import pytest
import sdk
from client import Client
from rest import Api
from runs import Run
from server import Server
from site_of import Site

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))

from proxy import Proxy  # noqa: E402

pytestmark = [pytest.mark.minutes, pytest.mark.own]
ROUNDS = 6


def log_slowly(name, mode, who, file):
    """Rows all the while, until the file is there; how many."""
    import pathlib
    import time

    import wandb
    primary = mode == "online" or who == "0.31.0"
    run = wandb.init(id=name, settings=wandb.Settings(mode=mode, x_label=who, x_primary=primary,
                                                      x_update_finish_state=primary))
    step = 0
    while not pathlib.Path(file).exists():
        run.log({"value": step, "who": who})
        step += 1
        time.sleep(0.05)
    run.finish()
    return step


class Party:
    """All releases at once, behind a balancer with two servers."""

    def __init__(self, folder):
        self.site = Site(folder)
        self.servers = [self.site.server, Server(self.site.url, self.site.secret).start()]
        self.way = Proxy(self.servers)
        self.folder = folder
        self.running = {}
        self.api = Api(self.site.server, self.site.key)

    def begin(self):
        for version in sdk.ALL:
            client = Client(version, f"http://127.0.0.1:{self.way.port}", self.site.key, self.folder / version,
                            WANDB_PROJECT="p")
            for mode, name in ("online", f"of-{version}"), ("shared", "together"):
                self.running[version, name] = client.start(log_slowly, name=name, mode=mode, who=version,
                                                           file=str(self.folder / "go"))

    def read(self, name):
        return Run(self.api, name, "/api/v1/projects/ann/p", make=False)

    def stored(self):
        """How many rows each has; nothing while a run is not there yet."""
        counts = {}
        for version, name in self.running:
            if self.api.request("GET", self.read(name).path).status == 200:
                rows = self.read(name).rows()
                counts[version, name] = sum(row["who"] == version for row in rows)
        return counts

    def has_moved(self, before):
        now = self.stored()
        assert all(running.is_running for running in self.running.values())
        return all(now.get(key, 0) > before.get(key, 0) for key in self.running)

    def end(self):
        """(rows logged, rows stored) of each, and that they are the same."""
        (self.folder / "go").write_text("")
        counts = {key: running.wait(600).value for key, running in self.running.items()}
        for (version, name), count in counts.items():
            values = [row["value"] for row in self.read(name).rows() if row["who"] == version]
            assert values == list(range(count)), (version, name)
        print(", ".join(f"{version} in {name}: {count} rows" for (version, name), count in counts.items()))
        return counts

    def close(self):
        for running in self.running.values():
            running.kill()
        self.api.close()
        self.way.stop()
        for server in self.servers[1:]:
            server.stop()
            server.remove()
        self.site.close()


@pytest.fixture
def party(tmp_path, wait_for):
    made = Party(tmp_path)
    made.begin()
    try:
        wait_for(lambda: made.has_moved({}), 180, "rows of all")
        yield made
    finally:
        made.close()


def test_the_database_is_gone_for_minutes(party, wait_for, request):
    outage_s = request.config.getoption("--outage")
    party.site.cluster.halt("fast")
    until = time.monotonic() + outage_s
    wait_for(lambda: time.monotonic() > until, outage_s + 10, "end of the outage")
    assert all(running.is_running for running in party.running.values())
    party.site.cluster.start()
    before = party.stored()
    wait_for(lambda: party.has_moved(before), 240, "rows of all after it")
    party.end()


def test_servers_die_in_turn(party, wait_for):
    """kill -9 of one of two, again and again: who was at it goes to the other."""
    for i in range(ROUNDS):
        before = party.stored()
        server = party.servers[i % 2]
        server.kill()
        party.api.server = party.servers[(i + 1) % 2]
        wait_for(lambda: party.has_moved(before), 240, "rows of all while one is dead")
        server.start(server.port)
    party.end()
    assert party.way.counts["a dead server passed over"]
