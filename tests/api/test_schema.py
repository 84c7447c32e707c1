"""The start on a database: migrations by four servers at once, and databases that are refused."""
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
    cairnd_run(empty_url, secret_file, "migrate")

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
    assert sorted(p.name for p in tmp_path.iterdir()) == ["secret"]


def test_a_second_start_migrates_nothing(migrated, empty_url, secret_file):
    with Server(empty_url, secret_file) as server:
        assert "database migrated" not in server.log()


def test_a_newer_schema_is_refused(cluster, migrated):
    name, serve = migrated
    newest = int(cluster.psql("select max(number) from schema_migration", name))
    cluster.psql("insert into schema_migration (number, name, checksum)"
                 f" values ({newest + 1}, 'of_tomorrow', 'x')", name)
    done = serve()
    assert done.returncode == 78
    assert (f"the database is newer than this server: it has schema {newest + 1}, the server knows"
            f" {newest}") in done.stderr
    cluster.psql(f"delete from schema_migration where number > {newest}", name)


def test_a_changed_migration_is_refused(cluster, migrated):
    name, serve = migrated
    cluster.psql("update schema_migration set checksum = md5(checksum) where number = 2", name)
    done = serve()
    assert done.returncode == 78
    assert "made by another build of cairnd" in done.stderr and "begin with a new database" in done.stderr


def test_a_missing_migration_is_refused(cluster, migrated):
    name, serve = migrated
    cluster.psql("delete from schema_migration where number = 2", name)
    done = serve()
    assert done.returncode == 78
    assert "one is missing" in done.stderr


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
