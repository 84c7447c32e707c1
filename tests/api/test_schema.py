"""The start on a database: migrations by four servers at once, and databases that are refused."""
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from rest import Api
from server import Server, cairnd, cairnd_run, environment

SERVERS = 4


@pytest.fixture
def empty_url(cluster):
    url = cluster.create_database()
    yield url
    cluster.psql(f'drop database if exists "{url.split("/")[3].split("?")[0]}" with (force)')


@pytest.fixture
def migrated(cluster, empty_url, secret_file):
    """(name of a migrated database, function that starts a server on it and says how it ended)."""
    cairnd_run(empty_url, secret_file, "upgrade")

    def serve():
        return subprocess.run([cairnd(), "serve", "--listen", "127.0.0.1:0"], capture_output=True,
                              env=environment(empty_url, secret_file), text=True, timeout=60)
    return empty_url.split("/")[3].split("?")[0], serve


def test_four_at_once_on_an_empty_database(cluster, empty_url, tmp_path):
    """They also make the secret, which all of them must then have."""
    servers = [Server(empty_url, tmp_path / "secret") for _ in range(SERVERS)]
    try:
        with ThreadPoolExecutor(SERVERS) as pool:
            list(pool.map(Server.start, servers))
        key = cairnd_run(empty_url, tmp_path / "secret", "user", "add", "ann").strip()
        for server in servers:
            api = Api(server, key)
            assert api.get("/ready").json == {"status": "ready"}
            assert api.get("/api/v1/viewer")["name"] == "ann"
            api.close()
        assert sum("database migrated" in server.log() for server in servers) == 1
    finally:
        for server in servers:
            server.stop()
            server.remove()
    numbers = cluster.psql("select number from schema_migration order by 1",
                           empty_url.split("/")[3].split("?")[0])
    assert numbers.split() == [str(i + 1) for i in range(len(numbers.split()))]
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.startswith("files.")) == ["secret"]


def test_a_second_start_migrates_nothing(migrated, empty_url, secret_file):
    with Server(empty_url, secret_file) as server:
        assert "database migrated" not in server.log()


def upgrade(url, secret_file, *args):
    done = subprocess.run([cairnd(), "upgrade", *args], env=environment(url, secret_file), capture_output=True,
                          text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_an_upgrade_is_told_before_it_is_done(cluster, empty_url, secret_file):
    name = empty_url.split("/")[3].split("?")[0]
    status, told = upgrade(empty_url, secret_file, "--dry-run")
    assert status == 2 and "the database has schema 0" in told
    assert re.search(r"^  0001_\w+\n    \w", told, re.M) and "0003_series\n" in told
    assert cluster.psql("select count(*) from pg_tables where schemaname = 'public'", name) == "0"
    assert upgrade(empty_url, secret_file)[0] == 0
    status, told = upgrade(empty_url, secret_file, "--dry-run")
    assert status == 0 and "nothing to do" in told
    cluster.psql("delete from schema_migration where number = (select max(number) from schema_migration)", name)
    status, told = upgrade(empty_url, secret_file, "--dry-run")
    assert status == 2 and "1 migrations would be applied" in told and "0001_" not in told
    cluster.psql("insert into schema_migration (number, name, checksum) select number + 1, 'other', 'x'"
                 " from schema_migration order by 1 desc limit 1", name)
    status, told = upgrade(empty_url, secret_file, "--dry-run")
    assert status == 78 and "another build" in told
    cluster.psql("insert into schema_migration (number, name, checksum) values (999, 'of_tomorrow', 'x')", name)
    status, told = upgrade(empty_url, secret_file, "--dry-run")
    assert status == 78 and "the database is newer than this server" in told


@pytest.mark.parametrize("words", [["upgrade", "--dry-run"], ["verify"]])
def test_who_only_looks_makes_no_directory(migrated, empty_url, secret_file, tmp_path, words):
    done = subprocess.run([cairnd(), *words, "--data-dir", str(tmp_path / "none")],
                          env=environment(empty_url, secret_file), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not (tmp_path / "none").exists(), done


def test_no_upgrade_of_what_is_not_there(tmp_path):
    done = subprocess.run([cairnd(), "upgrade", "--dry-run", "--data-dir", str(tmp_path / "none")],
                          env=environment("", ""), capture_output=True, text=True, timeout=60)
    assert done.returncode == 78 and "there is no database in" in done.stderr
    assert not (tmp_path / "none").exists()


def test_a_newer_schema_is_refused(cluster, migrated):
    name, serve = migrated
    newest = int(cluster.psql("select max(number) from schema_migration", name))
    cluster.psql("insert into schema_migration (number, name, checksum)"
                 f" values ({newest + 1}, 'of_tomorrow', 'x')", name)
    done = serve()
    assert done.returncode == 78
    assert (f"the database is newer than this server: it has schema {newest + 1}, but the server supports only"
            f" {newest}") in done.stderr
    cluster.psql(f"delete from schema_migration where number > {newest}", name)


def test_a_changed_migration_is_refused(cluster, migrated):
    name, serve = migrated
    cluster.psql("update schema_migration set checksum = md5(checksum) where number = 2", name)
    done = serve()
    assert done.returncode == 78
    assert "created by another build of cairnd" in done.stderr and "use that build, or start with a new database or data directory" in done.stderr


def test_a_missing_migration_is_refused(cluster, migrated):
    name, serve = migrated
    cluster.psql("delete from schema_migration where number = 2", name)
    done = serve()
    assert done.returncode == 78
    assert "a migration is missing: the database has migration " in done.stderr


def test_a_server_that_finds_a_newer_schema_later_stays_ready(cluster, migrated, empty_url, secret_file):
    """A rolling upgrade: the new server migrates while the old one serves; it works on."""
    name, _ = migrated
    with Server(empty_url, secret_file) as server:
        api = Api(server)
        cluster.psql("insert into schema_migration (number, name, checksum)"
                     " select max(number) + 1, 'of_tomorrow', 'x' from schema_migration", name)
        assert api.get("/ready").json == {"status": "ready"}
        cluster.psql("delete from schema_migration", name)
        api.refused(503, "busy", "GET", "/ready")
        api.close()
