"""Fixtures of the API suite.

One private PostgreSQL per test process, one migrated template with users and keys in it. The tests of
a module share a database and its servers, each in a project of its own; a test marked `own` has both
for itself.
"""
import contextlib
import itertools
import pathlib
import select
import sys
import threading

import psycopg
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import whole_suite  # noqa: E402
from cluster import Cluster, wait_until  # noqa: E402
from rest import Api  # noqa: E402
from runs import PROJECT, Run  # noqa: E402
from server import Server, cairnd_run, files_dir  # noqa: E402

# User, whether an admin of the server.
USERS = {"ann": False, "bob": False, "vic": False, "mel": False, "root": True}
# Roles in the team `lab`; ann and root have none.
TEAM = {"vic": "viewer", "mel": "member", "bob": "admin"}
_numbers = itertools.count(1)


def pytest_addoption(parser):
    whole_suite.add_option(parser)


def pytest_collection_modifyitems(config, items):
    whole_suite.leave_out(config, items, lambda item: whole_suite.is_left_out(config, item))


def rows_of(cursor):
    return cursor.fetchall() if cursor.description else []


class Database:
    """A look behind the server's back. Each thread keeps a connection, which is opened anew when the database hung up."""

    def __init__(self, url):
        self.url = url
        self._local = threading.local()
        self._kept = []

    def _connection(self):
        kept = getattr(self._local, "connection", None)
        if kept is None or kept.closed or select.select([kept], [], [], 0)[0]:
            if kept:
                kept.close()
            kept = self._local.connection = psycopg.connect(self.url, autocommit=True, prepare_threshold=None)
            self._kept.append(kept)
        return kept

    def query(self, sql, *args):
        if sql.startswith("set "):  # for this one
            with psycopg.connect(self.url, autocommit=True) as connection:
                return rows_of(connection.execute(sql, args))
        try:
            return rows_of(self._connection().execute(sql, args))
        except psycopg.errors.AdminShutdown:  # its end was asked for and had not come yet: nothing was done
            return rows_of(self._connection().execute(sql, args))

    def value(self, sql, *args):
        return self.query(sql, *args)[0][0]

    def close(self):
        for kept in self._kept:
            kept.close()

    @contextlib.contextmanager
    def hold(self, sql):
        """A transaction of somebody else, open for the while."""
        with psycopg.connect(self.url) as connection:
            connection.execute(sql)
            yield connection
            connection.rollback()


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
    cairnd_run(url, secret_file, "upgrade")
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


class Place:
    """A database and its servers, started when they are asked for; `settings` are the servers' own."""

    def __init__(self, cluster, secret_file, settings):
        self.cluster = cluster
        self.secret_file = secret_file
        self.settings = settings
        self.db = Database(cluster.create_database(template="template_cairn"))
        # The slot of the tail is as old as the template, and would be left in the midst of a test.
        self.db.query("update tail_ring set opened_at = now(), row_sum = null")
        self.servers = []

    def new_server(self):
        return Server(self.db.url, self.secret_file, **self.settings)

    def server(self, index):
        while len(self.servers) <= index:
            self.servers.append(self.new_server().start())
        return self.servers[index]

    def check(self):
        """After each test: who broke a server is told, and the next test gets a new one."""
        for server in list(self.servers):
            fault = server.fault()
            if fault:
                self.servers.remove(server)
                server.remove()
                raise RuntimeError(fault)

    def close(self):
        try:
            for server in self.servers:
                server.stop()
        finally:
            for server in self.servers:
                server.remove()
            self.db.close()
            name = self.db.url.split("/")[3].split("?")[0]
            self.cluster.psql(f'drop database if exists "{name}" with (force)')


@pytest.fixture(scope="module")
def settings():
    """Settings of the server; a test module may override it."""
    return {}


@pytest.fixture(scope="module")
def place_kind():
    """A test module may have places of another kind."""
    return Place


@pytest.fixture(scope="module")
def shared_place(cluster, keys, secret_file, settings, place_kind):
    made = place_kind(cluster, secret_file, settings)
    yield made
    made.close()


@pytest.fixture
def is_own(request):
    return request.node.get_closest_marker("own") is not None


@pytest.fixture
def place(request, is_own, cluster, keys, secret_file, settings, place_kind):
    """Shared by the tests of a module; a test marked `own` has one of its own."""
    if not is_own:
        shared = request.getfixturevalue("shared_place")
        yield shared
        shared.check()
        return
    made = place_kind(cluster, secret_file, settings)
    yield made
    made.close()


@pytest.fixture
def db(place):
    return place.db


@pytest.fixture
def server(place):
    return place.server(0)


@pytest.fixture
def two_servers(place):
    return place.server(0), place.server(1)


@pytest.fixture
def by(server, keys):
    """The five, and somebody without a key: REST of each by name."""
    made = {name: Api(server, keys.get(name)) for name in (*USERS, "nobody")}
    yield made
    for one in made.values():
        one.close()


@pytest.fixture
def api(server, keys):
    """As ann, who owns the entity `ann`."""
    made = Api(server, keys["ann"])
    yield made
    made.close()


@pytest.fixture
def stranger(api):
    """Somebody without a key."""
    made = api.as_user(None)
    yield made
    made.close()


@pytest.fixture
def folder(place, secret_file):
    """Where the servers keep files."""
    return files_dir(place.db.url, secret_file)


@pytest.fixture
def home(is_own):
    """The path of the test's own project, which is not made yet."""
    return PROJECT if is_own else f"{PROJECT}-{next(_numbers)}"


@pytest.fixture
def run(api, home):
    return Run(api, project=home)


@pytest.fixture
def project(api, home):
    api.put(home, {})
    return home


@pytest.fixture
def wait_for():
    """wait_for(condition, timeout): the first true value of the condition."""
    def wait(condition, timeout=120, what="condition"):
        return wait_until(condition, seconds=timeout, what=what)
    return wait


@pytest.fixture
def shift_clock(db):
    """shift_clock(seconds): the database's clock, and with it all liveness, goes forward. But the tail does not age:
    who wants it compacted turns the ring."""
    def shift(seconds):
        db.query("with later as (update server_clock set shift_us = shift_us + %s)"
                 " update tail_ring set opened_at = opened_at + %s * interval '1 us', row_sum = null", *[int(seconds * 1_000_000)] * 2)
    return shift
