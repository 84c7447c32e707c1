"""A server with a user for scripts/quickstart_parts to train into, and one call of quickstart itself."""
import pathlib
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts/quickstart_parts"), str(TOP / "tests/api"), str(TOP / "tests")]

import whole_suite  # noqa: E402
from cluster import Cluster  # noqa: E402
from server import Server, cairnd_run  # noqa: E402


def pytest_addoption(parser):
    whole_suite.add_option(parser)


def pytest_collection_modifyitems(config, items):
    whole_suite.leave_out(config, items, lambda item: whole_suite.is_left_out(config, item))


@pytest.fixture(scope="session")
def cluster():
    with Cluster() as made:
        yield made


@pytest.fixture
def server(cluster, tmp_path):
    """Has the user `me`, whose key is in key_file."""
    url = cluster.create_database()
    secret, key_file = tmp_path / "secret", tmp_path / "key"
    cairnd_run(url, secret, "upgrade")
    cairnd_run(url, secret, "user", "add", "me", "--admin", "--key-file", str(key_file))
    with Server(url, secret) as running:
        running.key_file = key_file
        yield running
