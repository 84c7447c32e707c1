"""What requests cost the database: counted, not timed."""
import pytest

ROWS_READ = """select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int
               from pg_stat_user_tables where relname in ('run_writer', 'run_hot')"""
OTHERS = """select count(*) from pg_stat_activity
            where datname = current_database() and backend_type = 'client backend'
              and pid <> pg_backend_pid()"""


@pytest.mark.own
def test_a_batch_reads_only_the_rows_of_its_own_writer(run, db, server, wait_for):
    """However many wrote into the run before; and although the tables were empty when it began."""
    def rows_read():
        """The database's processes tell what they read at their end."""
        server.stop()
        wait_for(lambda: db.value(OTHERS) == 0)
        return db.value(ROWS_READ)

    w = run.join()
    for i in range(200):
        run.join(client=f"other-{i}", role="worker")
    before = rows_read()
    server.start()
    for i in range(100):
        w.send(history=[{"a": i}])
    assert run.get()["rows"] == 100
    assert 100 < rows_read() - before < 100 * 20
