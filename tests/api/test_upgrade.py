"""An older database under this version: copied first, migrated, and returned by cairnd rollback.

The databases are those of older servers (old/make.py). What is killed in the middle changes nothing, or is gone on with.
"""
import contextlib
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import psycopg
import pytest
import zstandard

from cluster import bindir, free_port
from conftest import Database
from rest import Api
from runs import Run
from server import Server, cairnd, environment
from test_admin_cli import call
from test_backup import fake, places  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE / "old"))
from make import CONFIG, KEY, LINES, ROWS  # noqa: E402

pytestmark = [pytest.mark.own, pytest.mark.slow]
MIGRATIONS = sorted((HERE.parent.parent / "migrations").glob("0*.sql"))
NEWEST = len(MIGRATIONS)
OLD = {int(path.stem[-4:]): path for path in (HERE / "old").glob("schema-*.tar")}
CONTENT = f"2 runs with {2 * ROWS + 10} rows"


def member(path, name):
    with tarfile.open(path) as tar:
        return tar.extractfile(name).read()


def base_of(schema):
    return max(number for number in OLD if number <= schema)


def name_in(url):
    return url.split("/")[3].split("?")[0]


def migrate(cluster, name, path):
    """As the server of that time did it."""
    text = path.read_text()
    cluster.psql(f"begin; {text}; insert into schema_migration (number, name, checksum) values"
                 f" ({int(path.name[:4])}, '{path.stem}', '{hashlib.sha256(text.encode()).hexdigest()}'); commit", name)


def restored(cluster, schema, owner=None):
    """A new database with `schema` migrations, and what an older server wrote; returns its URL."""
    url, base = cluster.create_database(), base_of(schema)
    if owner:
        cluster.psql(f'alter database "{name_in(url)}" owner to {owner}')
        url = url.replace("user=cairn", f"user={owner}")
    dump = zstandard.ZstdDecompressor().decompressobj().decompress(member(OLD[base], "database.dump.zst"))
    subprocess.run([f"{bindir()}/pg_restore", "--exit-on-error", "--no-owner", "-d", url], input=dump, check=True)
    for path in MIGRATIONS[base:schema]:
        migrate(cluster, name_in(url), path)
    return url


@functools.cache
def template(cluster, schema):
    """Restored once, then copied: nobody is connected to it."""
    return name_in(restored(cluster, schema))


class Old:
    """A database that an older server has filled, on the cluster of the tests; `schema` migrations are applied."""

    def __init__(self, cluster, folder, schema=13, owner=None):
        self.cluster, self.dir, self.schema = cluster, folder, schema
        self.secret = folder / "secret"
        self.backups = folder / "data/backups"
        self.secret.write_bytes(member(OLD[base_of(schema)], "secret"))
        self.secret.chmod(0o600)
        self.url = restored(cluster, schema, owner) if owner else cluster.create_database(template=template(cluster, schema))
        self.name = name_in(self.url)
        self.db = Database(self.url)
        (folder / "files").mkdir()
        (folder / "files/mark").write_text(self.db.value("select value from server_setting where name = 'files_mark'"))
        self.env = environment(self.url, self.secret, data_dir=folder / "data", files_dir=folder / "files")

    def call(self, *args, **settings):
        return call(*args, env={**self.env, **{f"CAIRN_{k.upper()}": str(v) for k, v in settings.items()}})

    def version(self):
        return self.db.value("select max(number) from schema_migration")

    def copies(self):
        return sorted(path.name for path in self.backups.glob("*"))

    def mark(self):
        """How the names of this database's copies end: 64 bits of FNV-1a, folded."""
        cluster = self.db.value("select system_identifier from pg_control_system()")
        value = 0xcbf29ce484222325
        for byte in f"{cluster}/{self.name}".encode():
            value = (value ^ byte) * 0x100000001b3 % 2**64
        return f"{(value ^ value >> 32) % 2**32:08x}"

    def begin(self, *args, **settings):
        """A command that is not waited for."""
        return subprocess.Popen([cairnd(), *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={**self.env, **{f"CAIRN_{k.upper()}": str(v) for k, v in settings.items()}})

    def server(self, **settings):
        return Server(self.url, self.secret, files_dir=self.dir / "files", backup_dir=self.backups, **settings)

    def verified(self):
        done = self.call("verify")
        return done.returncode == 0 and CONTENT in done.stdout


@pytest.fixture
def old(cluster, tmp_path):
    made = Old(cluster, tmp_path)
    yield made
    made.db.close()
    cluster.psql(f'drop database if exists "{made.name}" with (force)')


def check_content(server):
    api = Api(server, KEY)
    run = Run(api, make=False)
    assert sorted(run.values("n")) == sorted([*range(ROWS)] * 2)
    assert run.state == "finished" and len(run.console()) == 2 * LINES
    assert run.config()["model"] == CONFIG["model"]
    assert Run(api, "r2", make=False).values("x") == list(range(10))
    api.close()


# ---- the copy before an upgrade -----------------------------------------------------------------------


def test_copied_migrated_verified(old):
    told = old.call("upgrade", "--dry-run")
    assert told.returncode == 2 and f'would first be copied to "{old.backups}"' in told.stdout and not old.copies(), told
    with old.server() as server:
        assert old.version() == NEWEST
        [name] = old.copies()
        assert re.fullmatch(rf"before-0014-\d{{8}}T\d{{6}}Z-{old.mark()}\.tar", name)
        assert stat.S_IMODE((old.backups / name).stat().st_mode) == 0o600
        assert stat.S_IMODE(old.backups.stat().st_mode) == 0o700
        told = server.log()
        for line in ("copying the database before the upgrade", "the database was copied", "name=0014_",
                     f"database migrated migrations={NEWEST - 13}", "runs verified after the upgrade runs=2 of=2 faults=0"):
            assert line in told, line
        assert json.loads(member(old.backups / name, "manifest.json"))["schema"] == 13
        check_content(server)
    with old.server() as server:
        assert "copied" not in server.log() and len(old.copies()) == 1
    assert old.verified()


# Each takes seconds. The suites of other PostgreSQL versions have all of them.
SKIPPED = range(min(OLD), NEWEST, 1 if "CAIRN_TEST_BINDIR" in os.environ else 4)


@pytest.mark.parametrize("schema", [
    schema if schema in (min(OLD), NEWEST - 1) else pytest.param(schema, marks=pytest.mark.long)
    for schema in sorted({*SKIPPED, NEWEST - 1})])
def test_any_release_may_be_skipped(cluster, tmp_path, schema):
    made = Old(cluster, tmp_path, schema)
    done = made.call("upgrade")
    assert done.returncode == 0 and "faults=0" in done.stderr, done
    assert made.version() == NEWEST and made.copies()[0].startswith(f"before-{schema + 1:04}-")
    assert made.verified(), made.call("verify")
    made.db.close()
    cluster.psql(f'drop database "{made.name}" with (force)')


def test_the_copy_is_a_backup(old, cluster, tmp_path):
    """It can be restored elsewhere, too."""
    assert old.call("upgrade").returncode == 0
    url = cluster.create_database()
    done = call("restore", str(old.backups / old.copies()[0]),
                env=environment(url, tmp_path / "other/secret", data_dir=tmp_path / "other"))
    assert done.returncode == 0 and CONTENT in done.stdout, done
    assert not (tmp_path / "other/backups").exists()


def test_a_new_database_is_not_copied(cluster, tmp_path):
    env = environment(cluster.create_database(), tmp_path / "data/secret", data_dir=tmp_path / "data")
    for words in (["upgrade"], ["user", "add", "ann"], ["upgrade"]):
        assert call(*words, env=env).returncode == 0
    assert not (tmp_path / "data/backups").exists()


@pytest.mark.long
@pytest.mark.parametrize("year", [2025, 2099], ids=["as time goes", "the clock was wrong"])
def test_the_newest_three_are_kept(old, year):
    old.backups.mkdir(parents=True)
    mark = old.mark()
    there = [f"before-{n:04}-{year}010{n}T000000Z-{mark}.tar" for n in range(1, 5)]
    others = [f"before-rollback-20250101T000000Z-{mark}.tar", f"before-0001-20250101T000000Z-{mark}.tar.bak", "mine.tar"]
    for name in there + others:
        (old.backups / name).write_text("x")
    done = old.call("upgrade")
    assert done.returncode == 0 and done.stderr.count("removed an old copy of the database") == 2, done
    assert set(there[2:] + others) < set(old.copies()) and len(old.copies()) == 6
    listed = old.call("rollback", "--list").stdout.splitlines()
    assert len(listed) == 5 and sum(" 13 " in line for line in listed) == 1 and "unreadable" in listed[2]
    assert call("rollback", env=old.env).returncode == 2


def refused(old, done, status, *words):
    assert done.returncode == status, done
    for word in words:
        assert word in done.stderr, done
    assert old.version() == 13 and not old.copies()


def test_no_room(old):
    """A line that says how much, where, and what to do; nothing is changed."""
    done = old.call("serve", listen=f"127.0.0.1:{free_port()}", files_reserve="1000000G")
    refused(old, done, 78, "not enough disk space to copy the database before the upgrade", str(old.backups),
            "backup_dir", "--upgrade-copies 0")
    done = old.call("upgrade", "--upgrade-copies", "0", files_reserve="1000000G")
    assert done.returncode == 0 and "the database is not copied before the upgrade" in done.stderr and not old.copies(), done
    assert old.version() == NEWEST and old.verified()


def test_the_disk_is_full_in_the_middle(old):
    """As far as a file may grow here; nothing is left of it."""
    def bounded():
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
    done = subprocess.run([cairnd(), "upgrade"], env=old.env, preexec_fn=bounded, capture_output=True, text=True, timeout=60)
    refused(old, done, 1, "cannot copy the database before the upgrade; nothing was changed", "File too large", "backup_dir")


def test_a_folder_that_cannot_be_made(old, tmp_path):
    (tmp_path / "file").write_text("")
    refused(old, old.call("upgrade", backup_dir=tmp_path / "file/backups"), 78, 'cannot create the directory "', "backup_dir")


def test_without_the_programs_of_postgresql(old, tmp_path):
    (tmp_path / "none").mkdir()
    refused(old, old.call("upgrade", pg_bindir=tmp_path / "none"), 78, "pg_dump", "postgresql-client", "--upgrade-copies 0")


@pytest.mark.long
@pytest.mark.parametrize("missing", ["pg_restore", "psql"])
def test_a_program_that_only_the_rollback_needs(plain, programs, missing):
    """Found out before anything else: no copy is made that nothing can return to."""
    folder = programs()
    (folder / missing).unlink()
    line = f"pg_dump, pg_restore and psql of PostgreSQL {plain.db.value('show server_version_num')[:2]} were not found"
    for words in (["rollback"], ["rollback", "--yes"]):
        done = plain.call(*words, pg_bindir=folder)
        assert done.returncode == 78 and line in done.stderr and "postgresql-client" in done.stderr and not done.stdout, done
    assert upgraded(plain) and len(plain.copies()) == 1
    assert plain.call("rollback", "--yes").returncode == 0
    done = plain.call("upgrade", pg_bindir=folder)
    assert done.returncode == 78 and line in done.stderr and "copying" not in done.stderr, done
    assert rolled_back(plain) and len(plain.copies()) == 2


def test_without_the_secret(old):
    old.secret.rename(old.secret.with_name("away"))
    refused(old, old.call("upgrade"), 78, 'the secret file "', '" does not exist', "nothing was changed")


@pytest.fixture
def programs(tmp_path):
    """programs(NAME=first): a folder with the programs of PostgreSQL, some of which do something before."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def make(**first):
        for name in ("pg_dump", "pg_restore", "psql"):
            fake(folder, name, first.get(name, "true"))
        return folder
    return make


@pytest.fixture
def held(tmp_path):
    """What a program does that waits until it is killed."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    yield f"touch {tmp_path}/here; cat {gate} > /dev/null"
    with contextlib.suppress(OSError):  # nobody waits
        os.close(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))


def kill(process):
    """As kill -9 does it. What a program of `held` waits in outlives it."""
    process.kill()
    process.wait()
    process.stdout.close()


def test_killed_while_it_copies(old, tmp_path, programs, held, wait_for):
    process = old.begin("upgrade", pg_bindir=programs(pg_dump=held))
    wait_for((tmp_path / "here").exists, what="pg_dump")
    kill(process)
    assert old.version() == 13 and not old.copies()
    with old.server() as server:
        check_content(server)
    assert old.version() == NEWEST and len(old.copies()) == 1


def test_a_healthcheck_says_how_far_the_copy_is(old, tmp_path, programs, wait_for):
    endless = f"touch {tmp_path}/here; while head -c 300000 /dev/zero; do sleep 0.2; done"
    listen = f"127.0.0.1:{free_port()}"
    process = old.begin("serve", "--listen", listen, pg_bindir=programs(pg_dump=endless))
    pattern = re.compile(r"not ready: the server is starting: copying the database: [\d.]+ \w+ written")
    wait_for(lambda: pattern.search(old.call("healthcheck", listen=listen).stderr), what="a check that says what is done")
    kill(process)
    checked = old.call("healthcheck", listen=listen)
    assert checked.returncode == 1 and "no answer from" in checked.stderr and "starting" not in checked.stderr, checked


def test_stopped_while_it_waits_for_pg_dump(old, tmp_path, programs, held, wait_for):
    """pg_dump may wait for a lock and write nothing."""
    process = old.begin("serve", "--listen", f"127.0.0.1:{free_port()}", pg_bindir=programs(pg_dump=held))
    wait_for((tmp_path / "here").exists, what="pg_dump")
    process.terminate()
    assert process.wait(30) == 1
    (tmp_path / "gate").write_text("")  # what pg_dump waited in
    told, _ = process.communicate(timeout=60)
    assert "stopped by a signal" in told and not old.copies(), told


def test_stopped_while_it_copies(old, tmp_path, programs, wait_for):
    endless = f"touch {tmp_path}/here; while head -c 300000 /dev/zero; do :; done"
    process = old.begin("serve", "--listen", f"127.0.0.1:{free_port()}", pg_bindir=programs(pg_dump=endless))
    wait_for((tmp_path / "here").exists, what="pg_dump")
    process.terminate()
    told, _ = process.communicate(timeout=120)
    assert process.returncode == 1 and "stopped by a signal" in told and "nothing was changed" in told, told
    assert old.version() == 13 and not old.copies()


@pytest.fixture
def look(cluster, tmp_path, programs, wait_for):
    """look(): a server that looks at its runs after an upgrade, and waits for a table that another session has. The lock is
    asked for when pg_dump has ended and the copy has not, so that the server's own transaction is the last one before it."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    made = Old(cluster, tmp_path, schema=NEWEST - 1)
    started = []

    def start():
        folder = programs()
        (folder / "pg_dump").write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec {bindir()}/pg_dump "$@"\n'
                                        f'{bindir()}/pg_dump "$@" && touch {tmp_path}/here && cat {gate}\n')
        log = open(tmp_path / "log", "w")
        port = free_port()
        started.append(subprocess.Popen([cairnd(), "serve", "--listen", f"127.0.0.1:{port}", "--pg-bindir", folder],
                                        env=made.env, stdout=log, stderr=log))
        log.close()
        wait_for((tmp_path / "here").exists, what="pg_dump")
        held.append(pool.submit(session.execute, "lock table run_state in access exclusive mode"))
        wait_for(lambda: made.db.value("select count(*) from pg_locks where not granted and relation = 'run_state'::regclass"),
                 what="a lock that is asked for")
        gate.write_text("")
        held[0].result(60)
        return started[0], lambda: (tmp_path / "log").read_text()
    held = []
    with psycopg.connect(made.url) as session, ThreadPoolExecutor(1) as pool:
        yield SimpleNamespace(start=start, old=made)
        session.rollback()
    for process in started:
        process.kill()
        process.wait()
    made.db.close()
    cluster.psql(f'drop database if exists "{made.name}" with (force)')


def waits_for_run_state(old):
    return old.db.value("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")


@pytest.mark.long
def test_a_signal_ends_the_look_after_an_upgrade(look, wait_for):
    """Within a run, too, whose statement takes long."""
    process, log = look.start()
    wait_for(lambda: "database migrated" in log(), what="migrations")
    wait_for(lambda: waits_for_run_state(look.old), what="a look at a run")
    checked = look.old.call("healthcheck", listen=f"127.0.0.1:{free_port()}")
    assert checked.returncode == 1 and "not ready: the server is starting: verifying runs" in checked.stderr, checked
    began = time.monotonic()
    process.terminate()
    assert process.wait(60) == 0 and time.monotonic() - began < 8, log()
    assert "runs verified after the upgrade runs=0 of=2" in log() and " error " not in log(), log()
    wait_for(lambda: not waits_for_run_state(look.old), what="end of the statement")
    assert "starting" not in [path.name for path in (look.old.dir / "data").iterdir()]


@pytest.mark.long
def test_the_look_after_an_upgrade_is_bounded(look, wait_for):
    process, log = look.start()
    wait_for(lambda: "runs verified after the upgrade runs=0 of=2" in log(), what="end of the look")
    wait_for(lambda: " started version=" in log(), what="a server")
    process.terminate()
    assert process.wait(60) == 0 and " error " not in log(), log()


def test_killed_while_it_migrates(old, wait_for):
    """Between two migrations, for instance: the next start goes on with the second."""
    with old.db.hold("lock table run in access share mode"):  # which 0015 and 0016 wait for
        process = old.begin("upgrade")
        wait_for(lambda: old.version() == 14, what="the first migration")
        kill(process)
    wait_for(lambda: not old.db.value("select count(*) from pg_stat_activity where datname = current_database()"
                                      " and application_name = 'cairnd'"), what="end of the connection")
    assert old.version() == 14
    with old.server() as server:
        check_content(server)
    assert old.version() == NEWEST and [name[:11] for name in old.copies()] == ["before-0014", "before-0015"]


def test_a_migration_that_fails_names_the_copy(old):
    old.db.query("create index run_moved on run (run_id)")
    done = old.call("upgrade")
    assert done.returncode == 1 and "0016_moved_runs" in done.stderr, done
    assert old.copies()[0] in done.stderr and "cairnd rollback" in done.stderr and old.version() == 15
    assert old.call("rollback", "--yes").returncode == 0 and old.version() == 13
    old.db.query("drop index if exists run_moved")


@pytest.mark.long
def test_an_upgrade_that_fails_again_and_again_keeps_its_first_copy(old):
    """A service is started anew each time."""
    old.db.query("create index run_moved on run (run_id)")
    for _ in range(5):
        assert old.call("upgrade").returncode == 1
    assert [name.split("-")[1] for name in sorted(old.copies())] == ["0014", "0016", "0016"]
    done = old.call("rollback", "--yes")
    assert done.returncode == 0 and old.version() == 13, done
    old.db.query("drop index if exists run_moved")


@pytest.mark.long
def test_a_server_by_another_name_is_seen(old):
    """In the address of the database, or by PGAPPNAME."""
    old.call("upgrade")
    named = Server(old.url + ("&" if "?" in old.url else "?") + "application_name=tracker", old.secret,
                   files_dir=old.dir / "files").start()
    try:
        done = old.call("rollback", "--yes")
        assert done.returncode == 78 and "cairnd" in done.stderr, done
    finally:
        named.stop()
        named.remove()


def test_four_servers_make_one_copy(old):
    servers = [Server(old.url, old.secret, files_dir=old.dir / "files") for _ in range(4)]
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(Server.start, servers))
        assert sum("the database was copied" in server.log() for server in servers) == 1
        assert sum(len(list(server.dir.glob("data/backups/*"))) for server in servers) == 1
        check_content(servers[3])
    finally:
        for server in servers:
            with contextlib.suppress(AttributeError):
                server.stop()
            server.remove()


@pytest.mark.long
def test_two_databases_with_one_folder(cluster, tmp_path):
    """Each removes its own copies alone, and returns to its own."""
    two = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        two.append(Old(cluster, tmp_path / name))
    folder = tmp_path / "shared"
    for made in two:
        assert made.call("upgrade", backup_dir=folder, upgrade_copies=1).returncode == 0
    for made in (*two, *two):
        assert made.call("rollback", "--yes", backup_dir=folder, upgrade_copies=1).returncode == 0
        assert made.call("upgrade", backup_dir=folder, upgrade_copies=1).returncode == 0
    assert sorted(path.stem.split("-")[-1] for path in folder.iterdir()) == sorted(2 * [made.mark() for made in two])
    for path in folder.glob(f"*-{two[0].mark()}.tar"):
        path.unlink()
    done = two[0].call("rollback", "--yes", backup_dir=folder)
    assert done.returncode == 78 and "no copy from before an upgrade to schema " in done.stderr, done
    for made in two:
        made.db.close()
        cluster.psql(f'drop database "{made.name}" with (force)')


def test_what_a_killed_copy_left_is_removed(old):
    """Files have a name from the start on NFS. Only parts of this database are removed, and none that is being written."""
    old.backups.mkdir(parents=True)
    mark, when = old.mark(), "20250101T000000Z"
    gone = [f"before-0014-{when}-{mark}.tar.part", f"before-rollback-{when}-{mark}.tar.part"]
    kept = [f"before-0013-{when}-{mark}.tar.part", f"before-0014-{when}-00000000.tar.part", "mine.part"]
    for name in gone + kept:
        (old.backups / name).write_text("x")
    with open(old.backups / kept[0], "r+") as writing:
        fcntl.flock(writing, fcntl.LOCK_EX)
        done = old.call("upgrade")
    assert done.returncode == 0 and done.stderr.count("removed an incomplete copy of the database") == 2, done
    [copy] = set(old.copies()) - set(kept)
    assert len(old.copies()) == 4
    listed = old.call("rollback", "--list").stdout
    assert ".part" not in listed and copy in listed


# ---- a database that others use, too ---------------------------------------------------------------------


@pytest.fixture
def shared(cluster, plain):
    """`plain` with tables of another role, which its own role may not read: in a schema of their own and in Cairn's."""
    cluster.psql("do $$ begin create role bob login; exception when duplicate_object then end $$")
    cluster.psql("create schema reports; create table reports.t as select 7 as n; create table public.bob (n int);"
                 "insert into public.bob values (8); create sequence public.bob_number;"
                 "alter schema reports owner to bob; alter table reports.t owner to bob; alter table public.bob owner to bob;"
                 "alter sequence public.bob_number owner to bob; select lo_from_bytea(4711, 'x')", plain.name)
    return plain


def of_others(cluster, shared):
    return cluster.psql("select (select n from reports.t), (select n from public.bob), (select relowner::regrole from pg_class"
                        " where relname = 'bob'), (select nextval('bob_number')) > 0, lo_get(4711)", shared.name)


def test_tables_of_others_are_not_copied_and_stay(shared, cluster, tmp_path):
    before = of_others(cluster, shared)
    assert shared.call("rollback", "--yes").returncode == 0 and rolled_back(shared)
    done = shared.call("upgrade")
    assert done.returncode == 0 and "faults=0" in done.stderr, done
    assert of_others(cluster, shared) == before
    newest = max(shared.backups.glob("before-0014-*"))
    names = {table["name"] for table in json.loads(member(newest, "manifest.json"))["tables"]}
    assert "public.run" in names and not [name for name in names if "bob" in name or "reports" in name]
    file = tmp_path / "b.tar"
    assert shared.call("backup", str(file)).returncode == 0
    url = cluster.create_database()
    done = call("restore", str(file), env=environment(url, tmp_path / "other/secret", data_dir=tmp_path / "other"))
    assert done.returncode == 0, done


@pytest.mark.long
def test_a_table_of_ours_that_another_role_made_is_copied(plain, cluster):
    """An upgrade was run by another role one day."""
    cluster.psql("alter table public.run_alert owner to cairn; grant all on public.run_alert to plain", plain.name)
    assert plain.call("backup", str(plain.dir / "b.tar")).returncode == 0
    assert "public.run_alert" in str(member(plain.dir / "b.tar", "manifest.json"))


@pytest.mark.long
def test_what_others_made_of_our_tables_is_named_before_it_is_dropped(shared, cluster):
    cluster.psql("create view reports.runs as select run_id from public.run; create view public.mine as select * from reports.runs;"
                 "alter view public.mine owner to plain; create table reports.note (run bigint);"
                 "alter table public.run add constraint note unique (run_id);"
                 "alter table reports.note add constraint of_run foreign key (run) references public.run (run_id);"
                 "create function public.help() returns int language sql as 'select 1'; alter function public.help owner to bob",
                 shared.name)
    listed = ["constraint of_run on table reports.note", "function help()", "view mine", "view reports.runs"]
    told = shared.call("rollback")
    assert told.returncode == 2 and "--yes --cascade" in told.stdout, told
    named = told.stdout.split("would be dropped with them:\n")[1].split("nothing was")[0]
    assert [line.strip() for line in named.splitlines()] == listed
    done = shared.call("rollback", "--yes")
    assert done.returncode == 78 and "4 objects that are not Cairn's" in done.stderr and "--cascade" in done.stderr, done
    assert upgraded(shared) and len(shared.copies()) == 1
    cluster.psql("drop function public.help()", shared.name)
    done = shared.call("rollback", "--yes", "--cascade")
    assert done.returncode == 0 and rolled_back(shared), done
    assert cluster.psql("select count(*) from reports.note", shared.name) == "0"
    assert cluster.psql("select to_regclass('reports.runs') is null", shared.name) == "t"


def test_in_another_schema_than_public(cluster, tmp_path):
    """The name has to be quoted."""
    made = Old(cluster, tmp_path)
    cluster.psql(f'alter schema public rename to "Cairn\'s ""1"""; alter database "{made.name}" set search_path to "Cairn\'s ""1"""',
                 made.name)
    made.db.close()
    made.db = Database(made.url)
    done = made.call("upgrade")
    assert done.returncode == 0 and "faults=0" in done.stderr, done
    done = made.call("rollback", "--yes")
    assert done.returncode == 0 and made.version() == 13, done
    assert made.call("upgrade").returncode == 0 and made.verified()
    url = cluster.create_database()
    cluster.psql(f'alter database "{url.split("/")[3].split("?")[0]}" set search_path to "Cairn\'s ""1"""')
    done = call("restore", str(max(made.backups.glob("before-0014-*"))),
                env=environment(url, tmp_path / "other/secret", data_dir=tmp_path / "other"))
    assert done.returncode == 0 and CONTENT in done.stdout, done
    made.db.close()
    cluster.psql(f'drop database "{made.name}" with (force)')


@pytest.mark.long
def test_limits_of_the_role_end_nothing(plain, cluster, wait_for):
    """Neither the counting of a rollback nor that of a copy, which are held up here for longer."""
    held = ("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
            " and now() - query_start > interval '2500 ms'")
    cluster.psql("alter role plain set statement_timeout = '2s'")
    try:
        for words in (["rollback"], ["backup", str(plain.dir / "b.tar")]):
            with psycopg.connect(cluster.url(plain.name)) as session:
                session.execute("lock table run_alert in access exclusive mode")
                process = plain.begin(*words)
                wait_for(lambda: plain.db.value(held) or process.poll() is not None, what="a statement that takes longer")
                session.rollback()
            told, _ = process.communicate(timeout=120)
            assert process.returncode == (2 if words[0] == "rollback" else 0), told
    finally:
        cluster.psql("alter role plain reset statement_timeout")


@pytest.mark.long
def test_a_copy_waits_for_a_lock_only_so_long(old, programs):
    """pg_dump is told so; the transaction that counts has the same limit."""
    told = old.dir / "told"
    assert old.call("upgrade", pg_bindir=programs(pg_dump=f'echo "$@" > {told}')).returncode == 0
    assert "--lock-wait-timeout=60000 " in told.read_text() and "--schema=public " in told.read_text()


# ---- rollback -----------------------------------------------------------------------------------------


@pytest.fixture
def plain(cluster, tmp_path):
    """Upgraded, in a database of a role that may do nothing special, and with a run of the new version."""
    cluster.psql("do $$ begin create role plain login nosuperuser nocreatedb; exception when duplicate_object then end $$")
    made = Old(cluster, tmp_path, owner="plain")
    with made.server() as server:
        api = Api(server, KEY)
        Run(api, "late").log([{"y": 1}])
        api.close()
    yield made
    made.db.close()
    cluster.psql(f'drop database if exists "{made.name}" with (force)')


def upgraded(old):
    """The state of the fixture."""
    return old.version() == NEWEST and old.db.value("select count(*) from run") == 3


def rolled_back(old):
    return old.version() == 13 and old.db.value("select count(*) from run") == 2


def test_there_and_back(plain):
    plain.db.query("create schema mine; create table mine.t as select 7 as n")
    told = plain.call("rollback")
    assert told.returncode == 2 and upgraded(plain), told
    for line in (f"rollback from schema {NEWEST} to 13", "new runs: 1\n", "runs with new data: 1\n", "with --yes"):
        assert line in told.stdout, told
    done = plain.call("rollback", "--yes")
    assert done.returncode == 0 and "the database has schema 13 again" in done.stdout, done
    assert "start the version that the database was made with" in done.stdout
    assert rolled_back(plain) and plain.db.value("select n from mine.t") == 7
    again = plain.call("rollback", "--yes")
    assert again.returncode == 78 and "no copy from before an upgrade to schema 13" in again.stderr, again
    undo = re.search(r"to undo this: cairnd (rollback) (--to) \"(.*)\" (--yes)\n", done.stdout).groups()
    assert plain.call(*undo).returncode == 0 and upgraded(plain)
    with plain.server() as server:
        check_content(server)
        api = Api(server, KEY)
        assert Run(api, "late", make=False).values("y") == [1]
        api.close()
    assert plain.call("verify").returncode == 0
    assert plain.call("rollback", "--yes").returncode == 0
    with plain.server() as server:
        assert "the database was copied" in server.log()
        check_content(server)
    assert plain.verified()


def test_not_while_servers_run(plain):
    with plain.server():
        told = plain.call("rollback")
        assert told.returncode == 2 and "stop all servers" in told.stdout
        done = plain.call("rollback", "--yes")
        assert done.returncode == 78 and "the database is in use" in done.stderr and "stop all servers" in done.stderr, done
    assert upgraded(plain) and len(plain.copies()) == 1


def test_not_while_somebody_else_holds_a_table(plain):
    with plain.db.hold("select from run"):
        done = plain.call("rollback", "--yes")
    assert done.returncode == 1 and "lock timeout" in done.stderr and "the database was not changed" in done.stderr, done
    assert upgraded(plain)


@pytest.mark.long
def test_to_a_schema_that_nobody_knows_here(plain):
    """The older program is back already and finds a newer database."""
    plain.db.query(f"insert into schema_migration values ({NEWEST + 1}, 'of_tomorrow', 'x'); create table tomorrow (a int)")
    refused_start = plain.call("serve", listen=f"127.0.0.1:{free_port()}")
    assert refused_start.returncode == 78 and "cairnd rollback" in refused_start.stderr, refused_start
    assert plain.call("rollback", "--yes").returncode == 0 and rolled_back(plain)
    assert plain.db.value("select to_regclass('tomorrow')") is None


@pytest.mark.parametrize("program,after", [
    pytest.param("pg_dump", False, id="copying", marks=pytest.mark.long), pytest.param("pg_restore", False, id="restoring", marks=pytest.mark.long),
    pytest.param("pg_restore", True, id="before the commit"), pytest.param("psql", False, id="psql waits", marks=pytest.mark.long)])
def test_killed_while_it_rolls_back(plain, tmp_path, programs, held, wait_for, program, after):
    folder = programs(**{program: held})
    if after:  # the whole script is written then, and nobody has committed
        (folder / program).write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec {bindir()}/{program} "$@"\n'
                                      f'{bindir()}/{program} "$@"; {{ {held}; }} > /dev/null\n')
    process = plain.begin("rollback", "--yes", pg_bindir=folder)
    wait_for((tmp_path / "here").exists, what=program)
    kill(process)
    wait_for(lambda: not plain.db.value("select count(*) from pg_stat_activity where datname = current_database()"
                                        " and application_name in ('cairnd', 'psql', 'pg_dump')"), what="end of all connections")
    assert upgraded(plain)
    assert plain.call("rollback", "--yes").returncode == 0 and rolled_back(plain)


@pytest.mark.parametrize("program", [
    "pg_restore", *(pytest.param(program, marks=pytest.mark.long) for program in ("pg_dump", "psql"))])
def test_a_program_that_fails(plain, programs, program):
    done = plain.call("rollback", "--yes", pg_bindir=programs(**{program: "exit 3"}))
    assert done.returncode == 1 and ("not changed" in done.stderr or "nothing was changed" in done.stderr), done
    assert upgraded(plain)


def test_only_to_a_copy_of_this_database(plain, place, run, secret_file, tmp_path):
    run.log([{"x": 1}])
    other = tmp_path / "other.tar"
    assert call("backup", str(other), env=environment(place.db.url, secret_file)).returncode == 0
    done = plain.call("rollback", "--to", str(other), "--yes")
    assert done.returncode == 78 and '" does not match the keys of this database' in done.stderr, done
    bad = bytearray((plain.backups / plain.copies()[0]).read_bytes())
    bad[len(bad) // 2] ^= 1
    other.write_bytes(bad)
    done = plain.call("rollback", "--to", str(other), "--yes")
    assert done.returncode == 1 and '" is not a complete backup: ' in done.stderr, done
    done = plain.call("rollback", "--to", str(tmp_path / "none"), "--yes")
    assert done.returncode == 1 and "No such file" in done.stderr and upgraded(plain), done


def test_no_rollback_of_what_is_not_there(cluster, tmp_path):
    done = call("rollback", "--yes", env=environment("", "", data_dir=tmp_path / "none"))
    assert done.returncode == 78 and "there is no database in" in done.stderr and not (tmp_path / "none").exists()
    done = call("rollback", "--yes", env=environment(cluster.create_database(), "", data_dir=tmp_path / "none"))
    assert done.returncode == 78 and "has no tables of Cairn" in done.stderr, done


@pytest.mark.long
def test_the_embedded_database(places, tmp_path):  # noqa: F811
    """Not while its server runs; afterwards, to a backup as well as to a copy."""
    server, file = places(), tmp_path / "then.tar"
    server.start().log_a_row()
    assert server.call("backup", str(file)).returncode == 0
    server.log_a_row()
    done = server.call("rollback", "--to", str(file), "--yes")
    assert done.returncode == 78 and "in use by another server" in done.stderr and "stop the server" in done.stderr, done
    server.stop()
    done = server.call("rollback", "--to", str(file), "--yes")
    assert done.returncode == 0 and "runs with new data: 1\n" in done.stdout, done
    server.rows = 1
    server.start().log_a_row()
    server.stop()
    assert [path.name[:15] for path in (server.data / "backups").iterdir()] == ["before-rollback"]
