"""The core of the suite once more, with PgBouncer between server and database: pooling by transaction,
no prepared statements (as Debian 12's 1.18 has it). Only migrations and commands go past it."""
import shutil
import types

import pytest

from conftest import Place
from server import Server
from test_attempts import *  # noqa: F403
from test_batches import *  # noqa: F403
from test_join import *  # noqa: F403
from test_two_servers import *  # noqa: F403

pytestmark = pytest.mark.skipif(
    not (shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")), reason="needs pgbouncer")

# Whatever keeps something in a connection from one statement to the next; the others have no more of the pooler.
SHORT = """
test_one_run_is_made test_joins_at_the_same_instant test_new_metric_names_at_the_same_instant test_one_end_is_recorded
test_what_one_acknowledged_the_other_reads test_a_deletion_holds_at_once_at_the_other_server test_repeat test_other_bytes
test_other_bytes_at_the_same_instant test_one_key_of_a_person_stores_once test_a_refused_batch_leaves_no_names
""".split()


def copied(found):
    """A mark on the test itself would be one in its own module, too."""
    copy = types.FunctionType(found.__code__, found.__globals__, found.__name__, found.__defaults__, found.__closure__)
    copy.__dict__.update(found.__dict__)
    return copy


for name, found in list(globals().items()):
    if name.startswith("test_") and name not in SHORT:
        globals()[name] = pytest.mark.long(copied(found))


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
