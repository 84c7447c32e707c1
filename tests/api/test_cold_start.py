"""What is asked first after a start takes no longer than the next: statements are prepared by then, and the searched
documents loaded."""
import re

import pytest

pytestmark = pytest.mark.own

LOGGED = re.compile(r"\[(\d+)\] LOG:  duration: [\d.]+ ms  (parse|bind) (\w+):")
ASKERS = {"key_find_owner", "flush_start"}  # by these, workers and the flusher are known


@pytest.fixture
def logged(cluster, db, server):
    """What a server's sessions prepared and planned while questions were asked: [(session, what, statement)]. The
    server is one that was just started."""
    db.query(f"alter database {db.value('select current_database()')} set log_min_duration_statement = 0")
    server.stop()
    server.start()

    def look(ask):
        with open(cluster.log, encoding="utf-8", errors="replace") as log:
            log.seek(0, 2)
            ask()
            return LOGGED.findall(log.read())

    return look


def prepared_late(logged, ask):
    """Statements of the store that were prepared only when they were asked."""
    calls = logged(ask)
    sessions = {session for session, _, statement in calls if statement in ASKERS}
    assert sessions, calls
    return [statement for session, what, statement in calls
            if session in sessions and what == "parse" and not statement.startswith("db_")]


@pytest.fixture
def filled(run, db, wait_for):
    """A run with rows, in columns, of which nothing is pending."""
    run.log([{"loss": 1 / (i + 1)} for i in range(200)])
    run.api.post(f"{run.path}/finish", {"exit_code": 0})
    wait_for(lambda: db.value("select sum(tail_rows) from run_hot") == 0)
    wait_for(lambda: not db.value("select count(*) from run_change"))
    return run


def test_first_chart(filled, logged):
    history = f"{filled.path}/history"
    assert prepared_late(logged, lambda: filled.api.get(history, keys="loss", buckets=100)) == []


def test_first_list(filled, logged):
    runs = filled.path.rsplit("/", 1)[0]
    assert prepared_late(logged, lambda: filled.api.get(runs, count="true")) == []


def test_first_run(filled, logged):
    runs = filled.path.rsplit("/", 1)[0]
    assert prepared_late(logged, lambda: filled.api.put(f"{runs}/new", {})) == []


def test_first_join(filled, logged):
    runs = filled.path.rsplit("/", 1)[0]
    filled.api.put(f"{runs}/new", {})

    def join():
        filled.api.post(f"{runs}/new/join", {"client": "c", "role": "primary"})

    assert prepared_late(logged, join) == []


def test_documents_are_loaded_unasked(filled, server, wait_for):
    """The project that was logged to last, at the start: its first list is answered by columns."""
    runs = filled.path.rsplit("/", 1)[0]
    server.stop()
    server.start()
    wait_for(lambda: server.metric("cairn_search_loads_total") == 1)
    assert filled.api.get(runs).json["items"]
    assert server.metric("cairn_search_by_sql_total") == 0
