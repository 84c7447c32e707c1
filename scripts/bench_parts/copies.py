"""The copy of the database that a server makes by itself before an upgrade, beside a plain pg_dump of the same database.

Runs with the numbers of trainings (load_values.h) and console lines are logged and compacted. Then they are copied under
new numbers, with all their chunks, until the database is as large as asked for. A run's chunks come again only behind those
of all the others, farther away than any of the compressors looks back.
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

import console
import host
from figures import LOAD_WRITERS, drain, http_load
from server import Server, postgres_alone

SIZE = 10 << 30
size_bytes = SIZE  # of the database; set by --size
LOAD_S = 10
LINES = 100_000
SEEDS_MOST = 1000  # runs that were logged; the numbers of servers are far above those of the copies
STEP = 256 << 20  # copied by one statement
ROOM = 2.5  # times the size: the database with its log, the copy, the plain dump
RUN = "/projects/bench/copies/runs/talks"
PROGRAMS = ("cairnd", "pg_dump")


def gib(count):
    return f"{count / 2**30:.2f} GiB"


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def check_room(folder):
    needed, free = ROOM * size_bytes, shutil.disk_usage(folder).free
    say(f"needs {gib(needed)} in {folder}, {gib(free)} are free")
    if free < needed:
        raise SystemExit(f"copy-10g: there is no room in {folder}: name another folder with --data-dir, or a smaller --size")


# ---- a database of that size ------------------------------------------------------------------------------

def log_lines(ask):
    began = ask("POST", RUN + "/join", '{"client":"w0","label":"rank0","role":"primary"}')["session"]
    for batch, first in enumerate(range(0, LINES, console.PER_BATCH), 1):
        lines = console.items(0, range(first, min(first + console.PER_BATCH, LINES)))
        ask("POST", RUN + "/batch", f'{{"writer":"w0","session":{began},"batch":{batch},"console":[{lines}]}}')
    ask("POST", RUN + "/finish", '{"exit_code":0}')


def log_runs(server, seconds):
    http_load(server, "seed", seconds, "--writers", LOAD_WRITERS)
    ask = server.connect()
    ask("PUT", RUN, "{}")
    log_lines(ask)
    drain(server, "seed", LOAD_WRITERS)


def statements(server):
    """Those that copy the runs of `seed` for each n from :first to :last, with all that tables have of them."""
    tables = server.sql("""select c.relname, string_agg(quote_ident(attname), ', ' order by attnum)
        from pg_class c join pg_attribute on attrelid = c.oid
        where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'tail%' and attnum > 0
        and not attisdropped and attname not in ('run_id', 'row_sum')
        and (relname = 'run' or exists (select from pg_index i join pg_attribute r on r.attrelid = c.oid and r.attnum = any(indkey)
                                         where indrelid = c.oid and indisprimary and r.attname = 'run_id'))
        group by 1""")
    for table, names in (line.split("|") for line in tables.splitlines()):
        values = names.replace(" name,", " name || '-' || n,") if table == "run" else names
        yield (f"insert into {table} (run_id, {names}) select n * {SEEDS_MOST} + k, {values} from generate_series(:first, :last) n"
               f" cross join lateral (select * from {table} join seed using (run_id) where n > 0 order by k) c")


def database_bytes(server):
    return int(server.sql("select pg_database_size(current_database())"))


def grow(server):
    """The runs again and again."""
    server.sql("create table seed as select run_id, row_number() over (order by run_id) as k from run")
    seeds = server.sql("select count(*) from seed")
    empty = database_bytes(server)
    each = int(server.sql("select sum(pg_total_relation_size(t)) from unnest(array['chunk', 'console_chunk']::regclass[]) t"))
    copy_all = ";\n".join(statements(server)) + ";"
    first, began = 1, time.monotonic()
    while (now := database_bytes(server)) < size_bytes:
        times = max(1, min(STEP, size_bytes - now) // each)
        server.sql(copy_all, "-v", f"first={first}", "-v", f"last={first + times - 1}")
        first += times
    server.sql("drop table seed; checkpoint")
    say(f"{seeds} runs of {gib(each)} were copied {first - 1} times in {time.monotonic() - began:.0f} s: from {gib(empty)} to"
        f" {gib(database_bytes(server))}")


def facts(server):
    sizes = server.sql("""select string_agg(relname || ' ' || pg_size_pretty(pg_total_relation_size(oid)), ', '
        order by pg_total_relation_size(oid) desc) from pg_class where relname in ('chunk', 'console_chunk', 'run', 'run_hot')""")
    runs, values = server.sql("select count(distinct run_id), sum(value_count) from chunk").split("|")
    say(f"{runs} runs with numbers, {int(values) / 1e6:.0f} million of them; {sizes}")
    return database_bytes(server)


# ---- the copies -----------------------------------------------------------------------------------------------

class Memory:
    """The most that these programs had of their own, among a process and its descendants, looked at all the time."""

    def __init__(self, pid):
        self.pid, self.most, self.over = pid, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.over.wait(0.02):
            self.most = max(self.most, sum(self.of(pid) for pid in host.family(self.pid)))

    @staticmethod
    def of(pid):
        with contextlib.suppress(OSError, ValueError):
            if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() in PROGRAMS:
                return host.memory_mib(pid, "RssAnon:")
        return 0

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def copy_before_upgrade(folder):
    """(seconds, bytes, MiB of memory). The newest migration counts as not applied. It may fail then, for what it makes is
    there: that comes after the copy."""
    with postgres_alone(folder) as database:
        sql = "delete from schema_migration where number = (select max(number) from schema_migration)"
        subprocess.run(["psql", "-XAtq", "-d", database, "-c", sql], check=True, capture_output=True, cwd="/")
    process = subprocess.Popen([host.CAIRND, "upgrade", "--data-dir", folder / "data"], stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, text=True, env={**os.environ, "CAIRN_LOG_LEVEL": "info"})
    with Memory(process.pid) as memory:
        said = process.communicate()[1]
    made = re.search(r"info the database was copied file=(\S+) .* ms=(\d+)", said)
    if not made:
        raise RuntimeError(f"no copy was made: {said[-2000:]}")
    return int(made[2]) / 1000, os.path.getsize(made[1]), memory.most


def plain_dump(folder):
    path = folder / "plain.dump"
    with postgres_alone(folder) as database:
        began = time.monotonic()
        process = subprocess.Popen([host.postgres_bindir() / "pg_dump", "-Fc", "-f", path, "-d", database], cwd="/")
        with Memory(process.pid) as memory:
            if process.wait():
                raise RuntimeError("pg_dump failed")
        return time.monotonic() - began, path.stat().st_size, memory.most


def copies(folder, seconds):
    """The copy comes first: what it has read is in the page cache for the plain one, as far as there is room."""
    folder = pathlib.Path(folder)
    check_room(folder)
    with Server(folder) as server:
        log_runs(server, min(seconds, LOAD_S))
        grow(server)
        size = facts(server)
    ours, plain = copy_before_upgrade(folder), plain_dump(folder)
    for name, made in (("the copy", ours), ("pg_dump -Fc", plain)):
        say(f"{name}: {gib(made[1])}, {made[0]:.1f} s, {size / made[0] / 2**20:.0f} MiB of the database a second,"
            f" {made[2]:.1f} MiB of memory")
    yield ("copy-10g", ours[0], "s", plain[0])
    yield ("copy-10g-size", ours[1] / 2**20, "MiB", plain[1] / 2**20)
    yield ("copy-10g-memory", ours[2], "MiB", plain[2])


FIGURES = {"copy-10g": copies, "copy-10g-size": copies, "copy-10g-memory": copies}
