"""Campaigns of faults, and the proof that nothing acknowledged was lost, doubled or put out of order.

Sixteen writers write into one run while something is killed, stopped, filled, restarted, cut or doubled,
round after round. PostgreSQL keeps fsync, full_page_writes and synchronous_commit on and lies on a real
disk; the settings are printed. At the end the ledger of what each writer was told is held against an
exact export, as acts.py, scene.py and writer.py have it.
"""
import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile
import typing

import acts
import network
from cluster import Cluster
from proxy import Cutter, Doubler, Proxy
from scene import DURABLE, WRITERS, Scene, disk

FULL_SIZE_MIB = 320


# --- what lies between the writers and the servers

def proxied(kind):
    def way(scene, stack):
        made = kind(scene.servers)
        stack.callback(made.stop)
        return made
    return way


def bad_line(scene, stack):
    """The server's end of the line is the near one; who checks comes the short way."""
    return network.Gate(stack, scene.server)


@dataclasses.dataclass
class Campaign:
    act: typing.Callable
    servers: int = 1
    way: typing.Callable | None = None
    site: dict = dataclasses.field(default_factory=dict)  # of scene.Site
    pace: int = 60         # batches before each round
    short_rounds: int = 1  # in the suite
    why_not: typing.Callable = lambda: None


def needs_root():
    return None if os.geteuid() == 0 else "only root can mount a disk to fill"


SWITCHING = {"switches": True}
CAMPAIGNS = {
    "kill-server": Campaign(acts.kill_server, short_rounds=2),
    "kill-servers": Campaign(acts.kill_servers, servers=4, way=proxied(Proxy), site=SWITCHING),
    "kill-postgres": Campaign(acts.kill_postgres, short_rounds=2),
    "kill-clients": Campaign(acts.kill_clients),
    "restart-postgres": Campaign(acts.restart_postgres),
    "stop-postgres": Campaign(acts.stop_postgres),
    "slow-postgres": Campaign(acts.slow_postgres),
    "held-locks": Campaign(acts.hold_locks, servers=2, way=proxied(Proxy), site=SWITCHING),
    "full-disk": Campaign(acts.fill_disk, why_not=needs_root),
    "lost-answers": Campaign(acts.let_go_on, servers=2, way=proxied(Cutter), pace=120),
    "twice-and-late": Campaign(acts.let_go_on, servers=2, way=proxied(Doubler), pace=120),
    "replica": Campaign(acts.hurt_replica, servers=2, way=proxied(Proxy),
                        site={"switches": True, "replica_bound_s": 1.0}),
    "bad-network": Campaign(acts.let_go_on, way=bad_line, pace=4, why_not=network.may_run),
    "clock-jumps": Campaign(acts.jump_clock, servers=2, way=proxied(Proxy),
                            site={"switches": True, "clock_jumps": True}),
}


@contextlib.contextmanager
def small_disk(folder):
    """A file system of its own that can be filled; only root can make one."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={FULL_SIZE_MIB}m,mode=0755", "none", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def may_run(name):
    """Why a campaign cannot run here; None when it can."""
    return CAMPAIGNS[name].why_not()


def cluster_of(name, folder, stack):
    base = folder / "database"
    base.mkdir()
    if name == "full-disk":
        stack.enter_context(small_disk(base))
    more = {"max_wal_size": "64MB"} if name == "full-disk" else {}
    return stack.enter_context(Cluster(base=str(base), **DURABLE, **more))


def run_campaign(name, rounds=None, say=print, outage_s=0, stretch=1):
    """`rounds` None: as many as in the suite. `outage_s`: how long at least PostgreSQL is stopped; `stretch`: how many
    times as long a bad way is gone."""
    campaign = CAMPAIGNS[name]
    rounds = rounds or campaign.short_rounds
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-faults.", dir=disk()))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        scene = Scene(folder, cluster_of(name, folder, stack), campaign, stack)
        scene.outage_s, scene.stretch = outage_s, stretch
        say(f"{name}: " + ", ".join(f"{k} {v}" for k, v in scene.settings().items()))
        for i in range(rounds):
            scene.some_time()
            before = scene.fleet.told()
            campaign.act(scene)
            scene.fleet.wait_for_progress(min(20, campaign.pace))
            say(f"{name}: round {i + 1} of {rounds}, {before} batches acknowledged before it")
        scene.fleet.drain()
        batches, rows = scene.check()
        say(report(name, scene, batches, rows))


def report(name, scene, batches, rows):
    done = {**scene.counts, **scene.reads(), **getattr(scene.way, "counts", {})}
    faults = ", ".join(f"{count} {what}" for what, count in done.items())
    return (f"{name}: {WRITERS} writers, {batches} batches, {rows} rows acknowledged: 0 lost, 0 doubled, 0 out of"
            f" order; {faults}; refusals {scene.refusals()}")
