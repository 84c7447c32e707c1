"""What requests cost the database: counted, not timed."""
import collections
import pathlib
import re

import pytest
from runs import Run, compact, turn_ring

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


# A line of the log of PostgreSQL, with log_statement.
EXECUTED = re.compile(r"execute ([^:\n]*):")


@pytest.fixture
def statements_of(db, cluster, server, wait_for):
    """Names of the statements that the server sends while `act` runs, with how often; those of jobs are among them."""
    def count(act):
        server.stop()
        wait_for(lambda: db.value(OTHERS) == 0)
        db.query(f"alter database {db.value('select current_database()')} set log_statement = 'all'")
        log = pathlib.Path(cluster.log)
        before = log.stat().st_size
        server.start()
        act()
        server.stop()
        wait_for(lambda: db.value(OTHERS) == 0)
        with log.open("rb") as said:
            said.seek(before)
            names = EXECUTED.findall(said.read().decode())
        server.start()
        return collections.Counter(names)

    return count


PAGE = """query($n: Int) { project(name: "digits", entityName: "ann") { runs(first: $n) { edges { node {
    id state config summaryMetrics systemMetrics historyKeys commit user { name } } } } } }"""


@pytest.mark.own
def test_a_page_of_runs_takes_as_many_statements_as_one_run(api, wait_for, statements_of):
    """What the SDK is answered: each statement is a transaction of its own."""
    def page(count):
        answer = api.post("/graphql", {"query": PAGE, "variables": {"n": count}}).json
        return [edge["node"] for edge in answer["data"]["project"]["runs"]["edges"]]

    def is_whole(node):
        return all(word in node[field] for field, word in
                   (("config", "lr"), ("summaryMetrics", "loss"), ("systemMetrics", "system.cpu")))

    for i in range(40):
        Run(api, f"r{i}").join().send(config={"lr": i}, history=[{"loss": i}], events=[{"system.cpu": i}])
    wait_for(lambda: len(page(40)) == 40 and all(map(is_whole, page(40))))
    assert [node["historyKeys"]["keys"]["loss"]["previousValue"] for node in page(40)] == list(range(40))
    many, one = (statements_of(lambda n=n: [page(n) for _ in range(20)]) for n in (40, 1))
    assert one["run_list_info"] >= 20
    assert {name: n for name, n in (many - one).items() if n >= 20 * 20} == {}


@pytest.mark.own
def test_ranks_read_their_numbers_once(run, db, wait_for, statements_of):
    """Also where it has to be found out first what joins them."""
    def ask(**query):
        for _ in range(5):
            assert run.api.get(f"{run.path}/ranks", key="a", **query).json["x"] == "_step"

    for i in range(4):
        run.join(f"c{i}", "worker", label=f"rank{i}").send(history=[{"a": s + i, "_step": s} for s in range(500)])
    turn_ring(db, wait_for)
    wait_for(lambda: db.value("select max(tail_rows) from run_hot") == 0, what="compaction")
    told, found = statements_of(lambda: ask(x="_step")), statements_of(ask)
    assert 5 <= told["series_read"] < 10 and 5 <= found["series_read"] < 10  # jobs may read, too
    assert 5 <= told["series_values"] < 10 and 5 <= found["series_values"] < 10


@pytest.mark.own
def test_panels_over_steps_ask_once_when_runs_were_where(api, db, wait_for, statements_of):
    """Each panel of system metrics needs it of each run."""
    def ask(panels):
        panel = {"keys": ["cpu"], "stream": "events", "x": "_step", "buckets": 100}
        asked = {"runs": [f"r{i}" for i in range(4)], "panels": [panel] * panels}
        pieces = api.post("/api/v1/projects/ann/digits/series", asked).json["pieces"]
        assert len([piece for piece in pieces if piece["piece"] == "series"]) == 4 * panels

    for i in range(4):
        times = [{"_timestamp": 1_700_000_000 + s, "_step": s} for s in range(300)]
        Run(api, f"r{i}").join().send(history=times, events=[{"_timestamp": t["_timestamp"], "cpu": i} for t in times])
    turn_ring(db, wait_for)
    wait_for(lambda: db.value("select max(tail_rows) from run_hot") == 0, what="compaction")
    one, twenty = statements_of(lambda: ask(1)), statements_of(lambda: ask(20))
    for name in ("series_read", "series_values"):
        assert one[name] and twenty[name] < 20 + 20, name  # not 20 times 5; jobs may read, too


@pytest.mark.own
def test_keys_of_the_same_rows_are_read_at_once(api, run, db, wait_for, statements_of):
    """What they were at the best step of another."""
    keys = [f"k{i:02}" for i in range(16)]

    def ask():
        answer = api.get("/api/v1/projects/ann/digits/metrics/best", ids="r1", of=",".join(keys), by="acc").json
        assert [value["value"] for value in answer["items"][0]["values"]] == [299] * 16

    run.join().send(history=[{"acc": n, **dict.fromkeys(keys, n)} for n in range(300)])
    compact(db, wait_for, run)
    counted = statements_of(ask)
    assert 1 < counted["series_values"] + counted["series_values_apart"] < 8  # jobs may read, too


@pytest.mark.own
def test_the_best_of_a_group_takes_few_statements_of_each_run(api, db, wait_for, statements_of):
    """However many metrics, each in rows of its own; of configs what defines metrics is read of all runs at once."""
    runs, every = 30, {f"k{k:02}": k for k in (1, 2, 3, 5, 7, 11, 13, 17)}

    def ask(by="acc"):
        path = "/api/v1/projects/ann/digits/metrics/best/together"
        return api.get(path, of=",".join(every), by=by).json

    def reads(by="acc"):
        counted = statements_of(lambda: ask(by))
        return [sum(counted[name] for name in names) for names in (
            ("series_read", "series_values", "series_values_apart"), ("leaf_list", "overlay_find", "leaf_definitions"))]

    made = [Run(api, f"r{i}") for i in range(runs)]
    for i, run in enumerate(made):
        goal = {"config": {"_wandb": {"m": [{"1": "acc", "8": 1}]}}} if i % 2 else {}
        run.join().send(history=[{"acc": abs(n - 200), **{key: n for key, k in every.items() if n % k == 0}} for n in range(300)], **goal)
    compact(db, wait_for, *made)
    wait_for(lambda: ask()["runs"] == runs, what="runs that are found")
    least, greatest = ({key: at - at % k for key, k in every.items()} for at in (200, 0))
    assert [value["max"] for value in ask()["values"]] == [max(least[key], greatest[key]) for key in every]

    def are_few():
        """Of a server that was just started, which keeps nothing from the time before; jobs may read, too."""
        of_series, of_configs = reads()
        return of_series <= 3 * runs + 8 and of_configs < 8
    wait_for(are_few, what="few statements, when no job reads the documents of all runs again")
    assert max(reads(by="nope")) < 8, "nothing where no run has the metric"
