"""What is done to a scene in one round."""
import contextlib
import pathlib
import signal
import time

from cluster import processes_of, signal_all, wait_until
from rest import Api
from scene import PATIENCE_S, WRITERS


def postmaster_of(cluster):
    return int(pathlib.Path(cluster.data, "postmaster.pid").read_text().split()[0])


def bring_back(cluster):
    """Starts PostgreSQL if it has ended by itself."""
    with contextlib.suppress(RuntimeError):
        cluster.psql("select 1")
        return
    with contextlib.suppress(RuntimeError):
        cluster.halt("immediate")
    cluster.start()


# --- servers

def kill_server(scene):
    scene.server.kill()
    scene.server.start(scene.server.port)
    scene.counts["servers killed"] += 1


def kill_servers(scene):
    """Up to three of four at once; one that is new takes part, and the dead come back."""
    killed = scene.random.sample(scene.servers, scene.random.randint(1, 3))
    for server in killed:
        server.kill()
    scene.counts["servers killed"] += len(killed)
    scene.fleet.wait_for_progress(40)
    scene.add_server()
    scene.counts["servers added"] += 1
    scene.fleet.wait_for_progress(40)
    leaving = scene.servers.pop(0 if scene.server not in killed else len(scene.servers) - 1)
    if leaving not in killed:
        leaving.stop()
    for server in killed:
        if server is not leaving:
            server.start(server.port)
    scene.api.server = scene.run.api.server = scene.server


# --- PostgreSQL

def kill_postgres(scene):
    scene.cluster.kill()
    scene.cluster.start()
    scene.counts["PostgreSQL killed"] += 1


def restart_postgres(scene):
    scene.cluster.halt(scene.random.choice(["fast", "immediate"]))
    scene.cluster.start()
    scene.counts["PostgreSQL restarted"] += 1


def stop_postgres(scene):
    """Down for a while, in the long form for minutes: nobody is told anything."""
    scene.cluster.halt("fast")
    told, before, began = scene.fleet.told(), scene.fleet.refused(), time.monotonic()

    def is_over():
        everybody = len(scene.fleet.refused() - before) == WRITERS
        return everybody and time.monotonic() - began >= scene.outage_s
    wait_until(is_over, PATIENCE_S + scene.outage_s, "a refusal of every writer")
    assert scene.fleet.told() <= told + WRITERS
    asking = Api(scene.server)
    asking.refused(503, "busy", "GET", "/ready")
    assert asking.get("/healthz").status == 200
    asking.close()
    scene.cluster.start()
    scene.counts["PostgreSQL stopped"] += 1
    scene.counts["seconds without it"] += round(time.monotonic() - began)


def slow_postgres(scene):
    """Stands still for a while, then goes on; and the run's lock is held by somebody else."""
    pids = processes_of(postmaster_of(scene.cluster))
    signal_all(pids, signal.SIGSTOP)
    try:
        wait_until(lambda: scene.in_flight() == WRITERS + 1, PATIENCE_S, "every writer, and who asks, in the server")
    finally:
        signal_all(pids, signal.SIGCONT)
    scene.fleet.wait_for_progress(20)
    hold_lock(scene, 3)
    scene.counts["PostgreSQL frozen"] += 1


def hold_lock(scene, seconds):
    """Longer than a flush waits for it."""
    scene.cluster.psql(f"begin; select run_id from run_hot for update; select pg_sleep({seconds}); commit", "faults")
    scene.counts["locks held"] += 1


def hold_locks(scene):
    """Again and again, while writers go from server to server: each meets some that it does not know as they are."""
    for _ in range(6):
        hold_lock(scene, 0.5)
        scene.fleet.wait_for_progress(20)


def fill_disk(scene):
    """Not a byte is left; then room again. PostgreSQL may stop by itself meanwhile."""
    ballast = pathlib.Path(scene.cluster.dir, "ballast")
    with open(ballast, "wb", buffering=0) as f, contextlib.suppress(OSError):
        while f.write(bytes(1 << 16)):
            pass
    with contextlib.suppress(TimeoutError, AssertionError):
        scene.fleet.wait_for_progress(10**6, 4)
    ballast.unlink()
    bring_back(scene.cluster)
    scene.counts["disks filled"] += 1


def hurt_replica(scene):
    """It is killed, stands still for longer than it may be old, and its primary is killed; then all is well again."""
    scene.replica.kill()
    scene.wait_for_replica("away")
    scene.fleet.wait_for_progress(40)
    scene.replica.start()
    scene.wait_for_replica("in use")
    scene.replica.pause()
    scene.wait_for_replica("behind")
    scene.fleet.wait_for_progress(40)
    scene.replica.resume()
    scene.wait_for_replica("in use")
    scene.cluster.kill()
    scene.cluster.start()
    scene.wait_for_replica("in use")
    before = scene.reads()["reads of the replica"]
    wait_until(lambda: scene.reads()["reads of the replica"] > before, PATIENCE_S, "reads of the replica")
    scene.counts["replicas killed"] += 1
    scene.counts["replicas behind"] += 1
    scene.counts["primaries killed"] += 1


# --- clients and clocks

def kill_clients(scene):
    """A quarter of the writers, in the midst of whatever they do."""
    for _ in range(3):
        killed = scene.random.sample(scene.fleet.clients, WRITERS // 4)
        scene.fleet.kill_some(killed)
        scene.counts["clients killed"] += len(killed)
        scene.fleet.wait_for_progress(20)


def shift_clock(scene, seconds):
    scene.cluster.psql(f"update server_clock set shift_us = shift_us + {seconds}000000", "faults")
    scene.counts["jumps of the database's clock"] += 1


def jump_clock(scene):
    """By days, far beyond the limit after which a run counts as crashed; back again, and behind itself."""
    for seconds in (5 * 86400, -5 * 86400, -86400, 600, 86400):
        shift_clock(scene, seconds)
        scene.fleet.wait_for_progress(20)


def let_go_on(scene):
    """The way itself is the fault, for so much longer in the long form."""
    batches = scene.campaign.pace * scene.stretch
    scene.fleet.wait_for_progress(batches, PATIENCE_S * scene.stretch)
