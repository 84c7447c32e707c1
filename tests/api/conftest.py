"""Fixtures of the API suite.

One private PostgreSQL per test process, one migrated template with users and keys in it, a database
of its own and a server of its own for every test.
"""
import pathlib
import sys

import psycopg
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from cluster import Cluster, wait_until  # noqa: E402
from rest import Api  # noqa: E402
from runs import PROJECT, Run  # noqa: E402
from server import Server, cairnd_run  # noqa: E402

# User, whether an admin of the server.
USERS = {"ann": False, "bob": False, "vic": False, "mel": False, "root": True}
# Roles in the team `lab`; ann and root have none.
TEAM = {"vic": "viewer", "mel": "member", "bob": "admin"}


class Database:
    """A look behind the server's back."""

    def __init__(self, url):
        self.url = url

    def query(self, sql, *args):
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql, args)
            return cursor.fetchall() if cursor.description else []

    def value(self, sql, *args):
        return self.query(sql, *args)[0][0]


@pytest.fixture(scope="session")
def cluster():
    with Cluster() as made:
        yield made


@pytest.fixture(scope="session")
def secret_file(tmp_path_factory):
    return tmp_path_factory.mktemp("secret") / "secret"


@pytest.fixture(scope="session")
def keys(cluster, secret_file, tmp_path_factory):
    """Makes the template; the users' API keys by name."""
    folder = tmp_path_factory.mktemp("keys")
    url = cluster.create_database(name="template_cairn")
    cairnd_run(url, secret_file, "migrate")
    found = {}
    for name, admin in USERS.items():
        key_file = folder / name
        more = ["--admin"] if admin else []
        cairnd_run(url, secret_file, "user", "add", name, *more, "--key-file", str(key_file))
        found[name] = key_file.read_text().strip()
    cairnd_run(url, secret_file, "team", "add", "lab")
    for name, role in TEAM.items():
        cairnd_run(url, secret_file, "team", "member", "add", "lab", name, "--role", role)
    return found


@pytest.fixture
def db(cluster, keys):
    url = cluster.create_database(template="template_cairn")
    yield Database(url)
    cluster.psql(f'drop database if exists "{url.split("/")[3].split("?")[0]}" with (force)')


@pytest.fixture
def settings():
    """Settings of the server; a test module may override it."""
    return {}


@pytest.fixture
def server(db, secret_file, settings):
    with Server(db.url, secret_file, **settings) as running:
        yield running


@pytest.fixture
def two_servers(db, secret_file, settings, server):
    with Server(db.url, secret_file, **settings) as second:
        yield server, second


@pytest.fixture
def api(server, keys):
    """As ann, who owns the entity `ann`."""
    made = Api(server, keys["ann"])
    yield made
    made.close()


@pytest.fixture
def run(api):
    return Run(api)


@pytest.fixture
def project(api):
    api.put(PROJECT, {})
    return PROJECT


@pytest.fixture
def wait_for():
    """wait_for(condition, timeout): the first true value of the condition."""
    def wait(condition, timeout=20, what="condition"):
        return wait_until(condition, seconds=timeout, what=what)
    return wait


@pytest.fixture
def shift_clock(db):
    """shift_clock(seconds): the database's clock, and with it all liveness, goes forward."""
    def shift(seconds):
        db.query("update server_clock set shift_us = shift_us + %s", int(seconds * 1_000_000))
    return shift
