"""Listeners at one server, writers at another: news come by notices, without them by looking, and
whoever goes to another server goes on where it was."""
import itertools
import re
import shutil
import threading

import psycopg
import pytest

from live import Live, place_of
from runs import Run
from server import Server

HEARD = "cairn_live_notices_heard_total"
SAID = "cairn_live_notices_said_total"
LINK = "cairn_live_link_up"


@pytest.fixture
def linked(two_servers, wait_for):
    """Two servers that hear of each other."""
    wait_for(lambda: all(server.metric(LINK) for server in two_servers), what="links of the servers")
    return two_servers


def send_until(w, numbers, condition):
    """One row after another until the condition holds; those sent."""
    sent = []
    while not condition():
        sent.append(next(numbers))
        w.send(history=[{"i": sent[-1]}])
        assert len(sent) < 5000, "it never holds"
    return sent


def numbers_of(items):
    return [row["i"] for row in items]


# ---- notices ----------------------------------------------------------------------------------------

def test_news_are_told_where_somebody_listens(run, linked, db, wait_for):
    """One more is on the channel: it hears what they say to each other."""
    here, there = linked
    w = run.join()
    with psycopg.connect(db.url, autocommit=True) as other, Live(run.at(there), streams="history") as live:
        other.execute("listen cairn_live")
        live.next("open")
        heard = there.metric(HEARD)
        sent = send_until(w, itertools.count(), lambda: there.metric(HEARD) > heard)
        assert numbers_of(live.items("history", len(sent))[0]) == sent
        words = [notice.payload for notice in other.notifies(timeout=60, stop_after=2)]
    assert words and all(re.fullmatch(r"listening|runs \d+", said) for said in words)
    wait_for(lambda: here.metric(SAID) > 0)  # counted once it is said


@pytest.mark.own
def test_nothing_is_said_to_nobody(run, linked):
    w = run.join()
    for i in range(50):
        w.send(history=[{"i": i}])
    assert [server.metric(SAID) for server in linked] == [0, 0]


@pytest.mark.own
def test_the_links_are_cut(run, linked, db, wait_for):
    """Again and again, while a writer logs: nothing is lost, nothing doubled."""
    def links():
        return {pid for (pid,) in db.query(
            "select pid from pg_stat_activity"
            " where application_name like 'cairnd live%%' and datname = current_database()")}

    def are_new(now, gone):
        """A server has a new link before its old one's process has ended."""
        return len(now) == 2 and not now & gone

    w = run.join()
    numbers = itertools.count()
    sent = []
    with Live(run.at(linked[1]), streams="history") as live:
        live.next("open")
        for _ in range(3):
            old = links()
            assert len(old) == 2
            db.query("select pg_terminate_backend(pid) from unnest(%s::int[]) as pid", list(old))
            sent += send_until(w, numbers, lambda gone=old: are_new(links(), gone))
        assert numbers_of(live.items("history", len(sent))[0]) == sent == numbers_of(run.rows())
    wait_for(lambda: all(server.metric(LINK) for server in linked))


def test_many_runs_at_once(home, api, linked):
    """Each listener sees its own."""
    runs = [Run(api, f"many{i}", home) for i in range(20)]
    writers = [r.join() for r in runs]
    lives = [Live(r.at(linked[1]), streams="history") for r in runs]
    for live in lives:
        live.next("open")
    for i in range(3):
        for w in writers:
            w.send(history=[{"i": i, "who": w.run.name}])
    for r, live in zip(runs, lives):
        items, _ = live.items("history", 3)
        assert [(row["i"], row["who"]) for row in items] == [(i, r.name) for i in range(3)]
        live.close()


# ---- without them -----------------------------------------------------------------------------------

def sees_what_is_stored_elsewhere(run, server):
    w = run.join()
    with Live(run.at(server)) as live:
        live.next("open")
        w.send(history=[{"i": 0}])
        w.finish(0)
        assert numbers_of(live.items("history", 1)[0]) == [0]
        assert live.next("state")[1]["to"] == "finished"


def test_switched_off(place, run):
    with Server(place.db.url, place.secret_file, live_notify="false") as server:
        sees_what_is_stored_elsewhere(run, server)
        assert server.metric(LINK) is None


@pytest.mark.skipif(not (shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")),
                    reason="needs pgbouncer")
def test_a_pooler_is_noticed(cluster, place, run, wait_for):
    """Notices would come to whoever has the session then."""
    if not cluster.bouncer:
        cluster.start_bouncer(pool_size=4)
    name = place.db.url.split("/")[3].split("?")[0]
    with Server(place.db.url, place.secret_file, listen_database_url=cluster.bouncer_url(name),
                unnamed_statements="true") as server:
        wait_for(lambda: "there is a pooler between the server and the database; set listen_database_url to bypass it" in server.log())
        sees_what_is_stored_elsewhere(run, server)
        assert server.metric(LINK) == 0


# ---- from server to server --------------------------------------------------------------------------

def hop(run, servers, last, count):
    """Goes to the other server after every event, with the last id; the items that came."""
    items = []
    for server in itertools.cycle(servers):
        if len(items) >= count:
            return items
        with Live(run.at(server), last_id=last, streams="history") as live:
            _, data, last = live.next("history")
            items += data["items"]


def test_who_goes_to_another_server_misses_nothing(run, linked):
    last = place_of(run)
    rows = 60

    def write(side, client):
        w = run.at(side).join(client, "worker")
        for i in range(rows):
            w.send(history=[{"i": i, "who": client}])

    threads = [threading.Thread(target=write, args=(side, f"c{n}")) for n, side in enumerate(linked)]
    for t in threads:
        t.start()
    items = hop(run, linked, last, 2 * rows)
    for t in threads:
        t.join()
    assert items == run.rows()


@pytest.mark.own
def test_a_server_is_killed_under_a_listener(place, run, linked):
    """It goes on at the one that is left, which stores what is written meanwhile."""
    w = run.at(linked[0]).join()
    with Live(run.at(linked[1]), streams="history") as live:
        live.next("open")
        w.send(history=[{"i": 0}])
        items, last = live.items("history", 1)
        linked[1].kill()
    w.send(history=[{"i": 1}])
    with Live(run.at(linked[0]), last_id=last, streams="history") as live:
        w.send(history=[{"i": 2}])
        items += live.items("history", 2)[0]
    assert items == run.at(linked[0]).rows() and numbers_of(items) == [0, 1, 2]
