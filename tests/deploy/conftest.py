"""deploy/ and the profile monitoring of compose.yaml, with a real server and a real Prometheus; no cluster. Only test_stack.py uses
a Docker engine."""
import pathlib
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = TOP / "deploy"
sys.path[:0] = [str(TOP / "tests"), str(TOP / "tests/api")]

from cluster import Cluster  # noqa: E402
from rest import Api  # noqa: E402
from server import Server, cairnd_run  # noqa: E402


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Reads from a replica, too, which is the primary here: its metrics are there only then."""
    folder = tmp_path_factory.mktemp("server")
    secret, key_file = folder / "secret", folder / "key"
    with Cluster() as cluster:
        url = cluster.create_database()
        cairnd_run(url, secret, "upgrade")
        cairnd_run(url, secret, "user", "add", "ann", "--admin", "--key-file", str(key_file))
        with Server(url, secret, read_database_url=url) as running:
            running.key = key_file.read_text().strip()
            yield running


@pytest.fixture(scope="session")
def api(server):
    made = Api(server, server.key)
    yield made
    made.close()
