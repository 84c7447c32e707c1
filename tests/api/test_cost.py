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


READS = "select (idx_scan + seq_scan)::int from pg_stat_user_tables where relname = 'chunk'"


@pytest.mark.own
def test_ranks_read_their_numbers_once(run, db, server, shift_clock, wait_for):
    """Also where it has to be found out first what joins them."""
    def reads(**query):
        server.stop()
        wait_for(lambda: db.value(OTHERS) == 0)
        before = db.value(READS)
        server.start()
        for _ in range(5):
            assert run.api.get(f"{run.path}/ranks", key="a", **query).json["x"] == "_step"
        server.stop()
        wait_for(lambda: db.value(OTHERS) == 0)
        return db.value(READS) - before

    for i in range(4):
        run.join(f"c{i}", "worker", label=f"rank{i}").send(history=[{"a": s + i, "_step": s} for s in range(500)])
    shift_clock(1000)
    wait_for(lambda: db.value("select max(tail_rows) from run_hot") == 0, 60, "compaction")
    told = reads(x="_step")
    assert 5 <= told and reads() < told + 5  # now and then a job reads, too
    server.start()
