"""The core of the suite once more, with PgBouncer between server and database: pooling by transaction,
no prepared statements (as Debian 12's 1.18 has it). Only migrations and commands go past it."""
import shutil

import pytest

from conftest import Place
from server import Server
from test_attempts import *  # noqa: F403
from test_batches import *  # noqa: F403
from test_join import *  # noqa: F403
from test_two_servers import *  # noqa: F403

pytestmark = pytest.mark.skipif(
    not (shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")), reason="needs pgbouncer")


class PooledPlace(Place):
    """Servers that share few connections, so that transactions of all workers meet in each."""

    def new_server(self):
        name = self.db.url.split("/")[3].split("?")[0]
        return Server(self.cluster.bouncer_url(name), self.secret_file, unnamed_statements="true",
                      listen_database_url=self.db.url, **self.settings)


@pytest.fixture(scope="module")
def place_kind(cluster):
    if not cluster.bouncer:
        cluster.start_bouncer(pool_size=4)
    return PooledPlace


@pytest.fixture
def batches():
    """Thousands were sent without the pooler."""
    return 50


def test_sessions_are_shared(run, db, server):
    """Workers, flushers and jobs are more than the connections that PostgreSQL sees."""
    run.log([{"a": 1}])
    seen = db.value("select count(*) from pg_stat_activity where datname = current_database()"
                    " and application_name = 'cairnd'")
    assert 1 <= seen <= 5, "four of the pool, one direct"


def test_the_pooler_is_restarted(cluster, run, wait_for):
    """A pooler is stateless: what was acknowledged stays, what comes later is stored."""
    w = run.join("c1")
    w.send(history=[{"n": 0}])
    cluster.stop_bouncer()
    assert run.api.request("GET", run.path).status == 503
    cluster.start_bouncer(pool_size=4, port=cluster.bouncer_port)
    wait_for(lambda: run.api.request("GET", "/ready").status == 200)
    body = w.body(2, history=[{"n": 1}])
    wait_for(lambda: run.api.request("POST", f"{run.path}/batch", body).status == 200)
    wait_for(lambda: run.api.request("GET", run.path).status == 200)
    assert wait_for(lambda: run.api.request(
        "GET", f"{run.path}/history", query={"format": "ndjson"})).lines[-1]["n"] == 1
