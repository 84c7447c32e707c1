"""Fixtures of the suite of the wandb SDK's door: a real server, real SDKs, each in an environment of its own.

A test that asks for `client` runs once with each version; `--all-sdks` takes all instead of the oldest and the
newest, `--sdk VERSION` one. With the oldest alone, `--sdk oldest`, or with all, it runs too where it is marked `long_if_old`:
the server does the same for every SDK there, and other tests have what the oldest sends. What the server shows for it is read through REST (tests/api) and, within the SDK,
through the public API.
"""
import base64
import hashlib
import importlib.util
import io
import itertools
import pathlib
import sys
import tarfile
import urllib.parse

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(HERE), str(TESTS / "api"), str(TESTS)]

import whole_suite  # noqa: E402
import features  # noqa: E402
import sdk  # noqa: E402
from client import TIMEOUT, Client  # noqa: E402
from cluster import wait_until  # noqa: E402
from rest import Api  # noqa: E402
from runs import Run  # noqa: E402
from wire import Wire  # noqa: E402

_spec = importlib.util.spec_from_file_location("api_fixtures", TESTS / "api/conftest.py")
_api = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_api)
cluster, secret_file, keys, Place = _api.cluster, _api.secret_file, _api.keys, _api.Place

_numbers = itertools.count(1)


def pytest_addoption(parser):
    whole_suite.add_option(parser)
    parser.addoption("--all-sdks", action="store_true", help="every version, not only the oldest and the newest")
    parser.addoption("--sdk", action="append", help="this version, or oldest; may be given several times")
    parser.addoption("--minutes", action="store_true", help="only what takes minutes, which else is left out")
    parser.addoption("--outage", type=int, default=180, help="seconds that the database is gone for then (180)")
    parser.addoption("--write-features", action="store_true", help="write docs/wandb.md from what was run")


def versions(config):
    if config.getoption("--sdk"):
        return [sdk.ALL[0] if version == "oldest" else version for version in config.getoption("--sdk")]
    return sdk.ALL if config.getoption("--all-sdks") else sdk.DEFAULT


def pytest_configure(config):
    config.pluginmanager.register(features.Table(config), "features")


def is_whole(config):
    """Nobody said which tests, or which versions."""
    asked = config.getoption("--all-sdks") or config.getoption("--sdk")
    return not asked and not whole_suite.is_named(config)


def is_long(item):
    version = getattr(item, "callspec", None) and item.callspec.params.get("version")
    return item.get_closest_marker("long") or (item.get_closest_marker("long_if_old") and version != sdk.NEWEST)


def is_too_new(item):
    """Our Python, for the packages that the test needs."""
    last = item.get_closest_marker("last_python")
    return last and sys.version_info.minor > last.args[0]


def pytest_collection_modifyitems(config, items):
    minutes = config.getoption("--minutes")
    whole_suite.leave_out(config, items, lambda item: bool(item.get_closest_marker("minutes")) != minutes
                          or (is_whole(config) and is_long(item) and not config.getoption("--long")) or is_too_new(item))


def pytest_generate_tests(metafunc):
    if "version" in metafunc.fixturenames:
        metafunc.parametrize("version", versions(metafunc.config), scope="session")


@pytest.fixture(scope="session")
def settings():
    """Settings of the server."""
    return {}


@pytest.fixture(scope="session")
def shared_place(cluster, keys, secret_file, settings):
    made = Place(cluster, secret_file, settings)
    yield made
    made.close()


@pytest.fixture
def is_own(request):
    return request.node.get_closest_marker("own") is not None


@pytest.fixture
def place(request, is_own, cluster, keys, secret_file, settings):
    """Shared by all tests of a worker; a test marked `own` has one of its own, with the settings it names."""
    if not is_own:
        shared = request.getfixturevalue("shared_place")
        yield shared
        shared.check()
        return
    made = Place(cluster, secret_file, {**settings, **request.node.get_closest_marker("own").kwargs})
    yield made
    made.close()


@pytest.fixture
def db(place):
    return place.db


@pytest.fixture
def server(place):
    return place.server(0)


@pytest.fixture
def url(server):
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture
def api(server, keys):
    """REST as ann, who owns the entity `ann`."""
    made = Api(server, keys["ann"])
    yield made
    made.close()


@pytest.fixture
def project():
    """The name of the test's own project, which is not made yet."""
    return f"p{next(_numbers)}"


@pytest.fixture
def wait_for():
    """As in the suite of the API; processes of the SDK are slower to begin."""
    def wait(condition, timeout=TIMEOUT, what="condition"):
        return wait_until(condition, seconds=timeout, what=what)
    return wait


@pytest.fixture
def make_client(url, keys, tmp_path):
    """make_client(version): another machine of ann's."""
    made = []

    def make(version, key=keys["ann"], **env):
        made.append(Client(version, url, key, tmp_path / f"machine{len(made)}", **env))
        return made[-1]
    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(make_client, version, project):
    return make_client(version, WANDB_PROJECT=project)


@pytest.fixture
def read(api, project):
    """read(name): the run as REST shows it."""
    def made(name):
        return Run(api, name, f"/api/v1/projects/ann/{project}", make=False)
    return made


class Stored:
    """A version as REST shows it: its head, the addresses of references, and the bytes of each file, one by one and as a tar."""

    def __init__(self, api, project, name):
        collection, _, version = name.rpartition(":")
        path = f"/api/v1/projects/ann/{project}/artifacts/{urllib.parse.quote(collection, safe='')}/versions/{version}"
        self.head = api.get(path).json
        listed = api.get(f"{path}/manifest").lines
        self.refs = {file["path"]: file["ref"] for file in listed if file["ref"]}
        self.files = {}
        for file in listed:
            if not file["ref"]:
                body = api.raw("GET", f"{path}/files/{urllib.parse.quote(file['path'])}").body
                assert (file["bytes"], file["digest"]) == (len(body), base64.b64encode(hashlib.md5(body).digest()).decode()), file
                self.files[file["path"]] = body
        assert len(listed) == self.head["files"]
        with tarfile.open(fileobj=io.BytesIO(api.raw("GET", f"{path}/files.tar").body)) as tar:
            assert {member.name.partition("/")[2]: tar.extractfile(member).read() for member in tar} == self.files

    @property
    def hashes(self):
        return {path: hashlib.sha256(body).hexdigest() for path, body in self.files.items()}

    @property
    def texts(self):
        return {path: body.decode() for path, body in self.files.items()}


@pytest.fixture
def stored(api, project):
    """stored("data:v0"): the version by REST."""
    def made(name, project=project):
        return Stored(api, project, name)
    return made


@pytest.fixture
def wire(url, keys, project):
    """A simulated SDK."""
    return Wire(url, keys["ann"], "ann", project)
