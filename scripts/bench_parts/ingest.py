"""How much is taken in, and what it takes: other sizes of requests than figures.ingest, and bytes."""
import pathlib
import sys

from figures import LOAD_WRITERS, check_stored, drain, http_load, whole_load
from server import Server, run_plain

SMALL_WRITERS = 64
SMALL_SHAPE = ("--rows", 25)
MANY_RUNS = 1000
WRITERS_OF_A_RUN = 4


def one_shape(name, folder, seconds, writers, metrics, *shape):
    """Batches of one shape, each writer with a run of its own, beside one INSERT a batch."""
    with Server(folder) as server:
        http_load(server, "warm", 1, "--writers", writers, *shape)
        ours = whole_load(server, name, seconds, writers, "--writers", writers, *shape)
        check_stored(server, name, writers, ours["points"] // metrics)
    plain = run_plain(folder, "--seconds", seconds, "--writers", writers, "--rows", shape[1])
    yield (name, ours["points"] / ours["seconds"], "points/s", plain["points"] / plain["seconds"])
    yield (f"{name}-cpu", ours["cpu_s"] / ours["points"] * 1e6, "s", plain["cpu_s"] / plain["points"] * 1e6)


def small(folder, seconds):
    """12 KB: 25 rows of 10 metrics, from as many writers as fit small batches."""
    yield from one_shape("ingest-12k", folder, seconds, SMALL_WRITERS, 10, *SMALL_SHAPE)


def wide(folder, seconds):
    """Rows of 1,000 metrics, ten a batch; the plain alternative has rows of 10."""
    yield from one_shape("ingest-wide", folder, seconds, LOAD_WRITERS, 1000, "--rows", 10, "--metrics", 1000)


def many_runs(folder, seconds):
    """1,000 runs with 4 writers each; the plain alternative is one run with as many writers as may write at once."""
    shape = ("--rows", 8)
    with Server(folder, "--connection-limit", "8192", "--client-share", "100") as server:
        http_load(server, "warm", 1, "--writers", 64, "--one-run", *shape)
        one = http_load(server, "one", seconds, "--writers", 64, "--one-run", *shape)
        many = http_load(server, "many", seconds, "--writers", MANY_RUNS * WRITERS_OF_A_RUN, "--runs", MANY_RUNS,
                         *shape)
    yield ("runs-1000", many["requests"] / many["seconds"], "requests/s", one["requests"] / one["seconds"])


PARTS = """select 'heap' as part, pg_relation_size('chunk') as bytes
union all select 'TOAST', pg_total_relation_size(reltoastrelid) from pg_class where oid = 'chunk'::regclass
union all select 'indexes', pg_indexes_size('chunk')
union all select 'of it values', sum(octet_length(data)) from chunk
union all select 'of it rollups', sum(octet_length(roll)) from chunk
union all select 'key lists', pg_total_relation_size('run_keys');"""


def tell_bytes(server, points, wal, wal_of_load):
    """Of what the two figures are made, to stderr."""
    parts = [line.split("|") for line in server.sql(PARTS).splitlines()]
    images = int(server.sql("select wal_fpi from pg_stat_wal"))
    print("disk-bytes: " + ", ".join(f"{part} {int(size) / points:.2f}" for part, size in parts) +
          f"\nwal-bytes: {wal_of_load / points:.2f} until the load's end, {(wal - wal_of_load) / points:.2f} until all was "
          f"compacted; {images} images of whole pages", file=sys.stderr)


def bytes_of(folder, seconds):
    """What a point takes on disk when it is compacted, and of the log that PostgreSQL writes ahead."""
    folder = pathlib.Path(folder) / "bytes"  # with no other figure's data
    folder.mkdir()
    with Server(folder) as server:
        lsn = "select pg_current_wal_lsn() - '0/0'"
        before = int(server.sql(lsn))
        ours = http_load(server, "bytes", seconds, "--writers", LOAD_WRITERS)
        wal_of_load = int(server.sql(lsn)) - before
        drain(server, "bytes", LOAD_WRITERS)
        disk = int(server.sql("select pg_total_relation_size('chunk') + pg_total_relation_size('run_keys')"))
        begin = int(server.sql(lsn))
        tell_bytes(server, ours["points"], begin - before, wal_of_load)
    plain = run_plain(folder, "--seconds", seconds, "--writers", LOAD_WRITERS)
    yield ("disk-bytes", disk / ours["points"], "bytes", plain["disk"] / plain["points"])
    yield ("wal-bytes", (begin - before) / ours["points"], "bytes", (int(plain["wal_end"]) - begin) / plain["points"])


FIGURES = {
    "ingest-12k": small,
    "ingest-12k-cpu": small,
    "ingest-wide": wide,
    "ingest-wide-cpu": wide,
    "runs-1000": many_runs,
    "disk-bytes": bytes_of,
    "wal-bytes": bytes_of,
}
