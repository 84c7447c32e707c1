"""Ten minutes at full speed, looked at each second: what is taken in, what waits, and what it costs. Afterwards:
that all that was acknowledged is there, that compaction kept up, and that nothing of the tail was deleted."""
import platform
import subprocess
import sys
import threading
import time

import graph
import host
from figures import DRAIN_S, LOAD_WRITERS, check_stored, drain, http_load
from server import Server, run_plain

PLAIN_SECONDS = 30      # of the plain alternative, at most
SLOTS = 8
METRICS = 10            # of a row
picture = None          # where to draw

LOOK = """select coalesce(sum(next_row), 0), coalesce(sum(tail_rows), 0), coalesce(sum(tail_bytes), 0),
       pg_current_wal_lsn() - '0/0', pg_total_relation_size('chunk') + pg_total_relation_size('run_keys'),
       (select sum(pg_total_relation_size(i.inhrelid)) from pg_inherits i where i.inhparent = 'tail'::regclass),
       (select string_agg(pg_relation_filenode(i.inhrelid)::text, ' ' order by i.inhrelid)
          from pg_inherits i where i.inhparent = 'tail'::regclass),
       (select count(*) from pg_stat_activity where backend_type = 'autovacuum worker')
  from run_hot;
"""
VACUUMS = """select relname || ': ' || autovacuum_count || ' vacuums, ' || autoanalyze_count || ' analyses'
  from pg_stat_user_tables where autovacuum_count + autoanalyze_count > 0 order by relname;"""
TAIL = """select coalesce(sum(n_tup_del), 0), coalesce(sum(n_tup_upd), 0), coalesce(sum(n_tup_ins), 0),
       coalesce(sum(autovacuum_count), 0)
  from pg_stat_user_tables where relname ~ '^tail_[0-9]$';"""


class Psql:
    """One connection for as long as it is looked at: a new one a second would be seen in what is measured."""

    def __init__(self, server):
        self.process = subprocess.Popen(
            [*host.as_postgres(), "psql", "-XAtq", "-F", "|", "-v", "ON_ERROR_STOP=1", "-d", server.database()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")

    def row(self, statement):
        self.process.stdin.write(statement)
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("psql has ended")
        return line.rstrip("\n").split("|")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def own_cpu(pid):
    return sum(int(field) for field in host.stat_fields(pid)[11:13]) / host.TICK


def anonymous_mib(pids):
    """Memory of PostgreSQL's processes but for what they share."""
    total = 0
    for pid in pids:
        try:
            total += host.memory_mib(pid, "RssAnon:")
        except (OSError, ValueError):
            pass  # it has ended
    return total


class Watch:
    """Looks once a second, from a thread of its own, until it is stopped."""

    def __init__(self, server):
        self.server, self.psql, self.looks = server, Psql(server), []
        self.stopped, self.failure = threading.Event(), None
        self.thread = threading.Thread(target=self.run)

    def look(self):
        row = self.psql.row(LOOK)
        pid = self.server.process.pid
        family = host.family(pid)
        stolen, times = host.stolen()
        own = own_cpu(pid)
        return {"time": time.monotonic(), "rows": int(row[0]), "blocks": int(row[1]), "waiting": int(row[2]),
                "wal": int(row[3]), "chunks": int(row[4]), "tail": int(row[5]), "files": row[6].split(),
                "vacuums": int(row[7]), "server_cpu": own, "postgres_cpu": host.cpu_seconds(pid) - own,
                "server_mib": host.resident_mib(pid), "postgres_mib": anonymous_mib(p for p in family if p != pid),
                "stolen": stolen, "times": times}

    def run(self):
        try:
            due = time.monotonic()
            while not self.stopped.is_set():
                self.looks.append(self.look())
                due += 1
                self.stopped.wait(max(0, due - time.monotonic()))
            self.looks.append(self.look())
        except (OSError, RuntimeError, ValueError) as e:
            self.failure = e

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()
        self.psql.close()
        if self.failure:
            raise self.failure

    def rates(self, name):
        """How fast it grew in each second."""
        return [(b[name] - a[name]) / (b["time"] - a["time"]) for a, b in zip(self.looks, self.looks[1:])]

    def values(self, name, unit=1):
        return [look[name] / unit for look in self.looks[1:]]

    def stolen(self):
        return [100 * (b["stolen"] - a["stolen"]) / max(b["times"] - a["times"], 1)
                for a, b in zip(self.looks, self.looks[1:])]

    def truncations(self):
        """A partition that is truncated gets another file."""
        return sum(x != y for a, b in zip(self.looks, self.looks[1:]) for x, y in zip(a["files"], b["files"]))


def panels(watch):
    return [
        graph.Panel("Taken in", "million points/s", {"": [r * METRICS / 1e6 for r in watch.rates("rows")]}),
        graph.Panel("CPU", "processors", {"server": watch.rates("server_cpu"), "PostgreSQL": watch.rates("postgres_cpu")}),
        graph.Panel("Waiting for compaction", "blocks", {"": watch.values("blocks")}),
        graph.Panel("Waiting for compaction", "MB, decoded", {"": watch.values("waiting", 1e6)}),
        graph.Panel("WAL", "MB/s", {"": [r / 1e6 for r in watch.rates("wal")]}),
        graph.Panel("On disk", "GB", {"chunks": watch.values("chunks", 1e9), "tail": watch.values("tail", 1e9)}),
        graph.Panel("Memory", "MiB", {"server": watch.values("server_mib"), "PostgreSQL": watch.values("postgres_mib")}),
        graph.Panel("Taken by the host of the machine", "% of its processors", {"": watch.stolen()}),
    ]


def check_values(server, rows):
    """Of every row that was acknowledged each of its numbers lies in a chunk, once: of each key the chunks hold so
    many values and have so many places, counted by writer from the first to the last."""
    found = server.sql(
        "select sum(count), sum(places) from ("
        "select c.key_id, sum(c.value_count) as count, max(c.index_first + c.value_count) as places"
        "  from chunk c join run r on r.run_id = c.run_id"
        " where c.stream = 1 and c.kind = 1 and r.name like 'sustained-%'"
        " group by c.key_id, c.run_id, c.writer) s group by key_id").splitlines()
    wrong = [line for line in found if line != f"{rows}|{rows}"]
    if wrong or len(found) < METRICS:
        raise RuntimeError(f"{rows} rows were acknowledged; keys have in chunks, and places there: {found}")


def check_tail(server):
    """Nothing was deleted, all but the open slot are truncated at last."""
    deleted, updated, inserted, vacuumed = map(int, server.sql(TAIL).split("|"))
    if deleted or updated or vacuumed:
        raise RuntimeError(f"of the tail {deleted} rows were deleted, {updated} updated, {vacuumed} times vacuumed")
    began = time.monotonic()
    slots = " + ".join(f"(pg_relation_size('tail_{i}') > 0)::int" for i in range(SLOTS))
    while int(server.sql(f"select {slots}")) > 1:
        if time.monotonic() - began > DRAIN_S:
            raise RuntimeError(f"slots of the tail were not truncated within {DRAIN_S} s")
        time.sleep(0.1)
    return inserted


def tell(watch, points, drained, inserted, server):
    """What no figure shows, to stderr."""
    rates = sorted(watch.rates("rows")[2:-1])  # whole seconds of the load
    looks = watch.looks
    stolen, times = looks[-1]["stolen"] - looks[0]["stolen"], looks[-1]["times"] - looks[0]["times"]
    print(f"sustained: points/s in a second: least {rates[0] * METRICS:.0f}, median "
          f"{rates[len(rates) // 2] * METRICS:.0f}, greatest {rates[-1] * METRICS:.0f}\n"
          f"  waiting at most {max(look['blocks'] for look in looks)} blocks, "
          f"{max(look['waiting'] for look in looks) / 1e6:.1f} MB decoded; after the end gone in {drained:.1f} s\n"
          f"  tail: {inserted} rows inserted, none deleted or updated, {watch.truncations()} truncations, "
          f"at most {max(look['tail'] for look in looks) / 1e6:.0f} MB\n"
          f"  memory at most: server {max(watch.values('server_mib')):.0f} MiB, PostgreSQL "
          f"{max(watch.values('postgres_mib')):.0f} MiB beside what it shares\n"
          f"  WAL until the load's end: {(looks[-1]['wal'] - looks[0]['wal']) / points:.2f} bytes a point; "
          f"taken by the host: {100 * stolen / times:.1f} %\n"
          f"  autovacuum was seen in {sum(v > 0 for v in watch.values('vacuums'))} seconds: "
          f"{', '.join(server.sql(VACUUMS).splitlines()) or 'nothing'}", file=sys.stderr)


def sustained(folder, seconds):
    """Batches of 50 KB for as long as is asked; the plain alternative for a shorter while."""
    with Server(folder) as server:
        http_load(server, "warm", 1, "--writers", LOAD_WRITERS)
        with Watch(server) as watch:
            ours = http_load(server, "sustained", seconds, "--writers", LOAD_WRITERS)
        drained = drain(server, "sustained", LOAD_WRITERS)
        check_stored(server, "sustained", LOAD_WRITERS, ours["points"] // METRICS)
        check_values(server, ours["points"] // METRICS)
        inserted = check_tail(server)
        tell(watch, ours["points"], drained, inserted, server)
    if picture:
        graph.draw(picture, f"{seconds} seconds of batches of 50 KB",
                   f"{ours['points'] / 1e6:.0f} million points, {LOAD_WRITERS} writers with a run each; load, server and "
                   f"PostgreSQL on one machine, {platform.system()} {platform.release()}", panels(watch))
    plain = run_plain(folder, "--seconds", min(seconds, PLAIN_SECONDS), "--writers", LOAD_WRITERS)
    yield ("sustained", ours["points"] / ours["seconds"], "points/s", plain["points"] / plain["seconds"])
    yield ("sustained-cpu", ours["cpu_s"] / ours["points"] * 1e6, "s", plain["cpu_s"] / plain["points"] * 1e6)
    yield ("sustained-drain", drained, "s", float(seconds))


FIGURES = dict.fromkeys(("sustained", "sustained-cpu", "sustained-drain"), sustained)
