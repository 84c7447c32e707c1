"""Listeners of all kinds at once: slow ones, ones that leave, ones whose data cannot be read."""
import http.client
import json
import threading

import pytest

from live import Live, Many, place_of
from server import Server

TEXT = "x" * 12_000


def big_rows(first, count):
    return [{"i": i, "text": TEXT} for i in range(first, first + count)]


def listeners(server):
    return server.metric("cairn_http_live_listeners")


# ---- what is large ----------------------------------------------------------------------------------

def test_a_backlog_larger_than_what_may_wait(run):
    last = place_of(run)
    w = run.join()
    for first in range(0, 1000, 250):
        w.send(history=big_rows(first, 250))
    with Live(run, last_id=last, streams="history") as live:
        items, _ = live.items("history", 1000)
        assert len(live.seen) > 4, "all in a few events"
    assert items == run.rows()


def test_each_piece_of_a_backlog_is_a_place_to_go_on_from(run):
    last = place_of(run)
    run.join().send(history=big_rows(0, 250))
    items = []
    while len(items) < 250:
        with Live(run, last_id=last, streams="history") as live:
            _, data, last = live.next("history")
            items += data["items"]
    assert items == run.rows()


def test_console_of_one_batch_larger_than_what_may_wait(run):
    last = place_of(run)
    run.join().send(console=[{"line": i, "stream": "stdout", "time": 1.5, "text": f"{i} {TEXT}"}
                             for i in range(500)])
    lines = []
    while len(lines) < 500:
        with Live(run, last_id=last, streams="console") as live:
            _, data, last = live.next("console")
            assert len(data["items"]) < 500, "all in one event"
            lines += data["items"]
    assert lines == run.console()


def test_rows_with_as_many_keys_as_a_row_may_have(run):
    last = place_of(run)
    w = run.join()
    for i in range(4):
        w.send(history=[{f"k{j}": i for j in range(10_000)} for _ in range(10)])
    with Live(run, last_id=last, streams="history") as live:
        items, _ = live.items("history", 40)
    assert [row["k9999"] for row in items] == [i for i in range(4) for _ in range(10)]


# ---- who is slow ------------------------------------------------------------------------------------

def test_who_reads_slowly_is_waited_for(run):
    w = run.join()
    with Live(run, streams="history", patient=True) as slow, Live(run, streams="history") as quick:
        quick.next("open")
        for first in range(0, 1500, 100):
            w.send(history=big_rows(first, 100))
        quick.items("history", 1500)
        slow.read()
        items, _ = slow.items("history", 1500)
    assert items == run.rows()


def test_who_reads_nothing_and_leaves(run, server, wait_for):
    w = run.join()
    slow = [Live(run, patient=True) for _ in range(5)]
    with Live(run, streams="history") as quick:
        quick.next("open")
        for first in range(0, 1000, 100):
            w.send(history=big_rows(first, 100))
        quick.items("history", 1000)
        for live in slow:
            live.close()
        wait_for(lambda: listeners(server) == 1)
        w.send(history=[{"last": 1}])
        assert quick.items("history", 1)[0][0]["last"] == 1


def leave_at_once(run, method, times):
    api = run.api
    for _ in range(times):
        connection = http.client.HTTPConnection("127.0.0.1", api.server.port, timeout=60)
        connection.request(method, f"{run.path}/live", headers=api._headers(None))
        assert connection.getresponse().status == 200
        connection.close()


def test_who_leaves_at_once(run, server, wait_for):
    w = run.join()
    threads = [threading.Thread(target=leave_at_once, args=(run, method, 150))
               for method in ("HEAD", "GET", "HEAD", "GET")]
    with Live(run, streams="history") as live:
        live.next("open")
        for t in threads:
            t.start()
        sent = 0
        while any(t.is_alive() for t in threads):
            w.send(history=[{"i": sent}])
            sent += 1
        items, _ = live.items("history", sent)
        assert [row["i"] for row in items] == list(range(sent))
    wait_for(lambda: listeners(server) == 0)


@pytest.mark.own
def test_what_waits_for_all_is_bounded(place, run, wait_for):
    """Those with the most are ended, and come back where they were; who reads gets everything."""
    mib = 1 << 20
    seen = [0]

    def is_ended():
        seen.append(server.metric('cairn_memory_bytes{of="listeners"}'))
        return server.metric("cairn_live_too_slow_total") >= 2

    with Server(place.db.url, place.secret_file, memory=32 * mib, search_memory=0, max_body=4 * mib) as server:
        here = run.at(server)
        w = here.join()
        with Live(here, streams="history") as quick:
            slow = [Live(here, streams="history", patient=True) for _ in range(10)]
            wait_for(lambda: listeners(server) == 11)
            sent = 0
            while max(seen) < 4 * mib and not is_ended():
                w.send(history=big_rows(sent, 100))
                sent += 100
            wait_for(is_ended)
            assert quick.items("history", sent)[0] == here.rows()
            for live in slow:
                live.close()
        assert max(seen) < 16 * mib, "what is allowed, and what one of them is sent in one piece"
        wait_for(lambda: server.metric('cairn_memory_bytes{of="listeners"}') == 0)
        here.api.close()


# ---- what cannot be read ------------------------------------------------------------------------------

def spoil(db, kind):
    """Blocks of the run's tail that nobody can read; returns what puts them right again."""
    kept = db.query("select run_id, seq, data from tail where kind = %s", kind)
    db.query("update tail set data = '\\x00' where kind = %s", kind)

    def restore():
        for run_id, seq, data in kept:
            db.query("update tail set data = %s where run_id = %s and seq = %s", data, run_id, seq)
    return restore


@pytest.mark.own
def test_what_cannot_be_read_leaves_no_gap(run, db):
    """Rows can be read and the console behind them cannot: nothing of it counts as sent."""
    last = place_of(run)
    w = run.join()
    w.send(history=[{"a": 1}, {"a": 2}],
           console=[{"line": 0, "stream": "stdout", "time": 1.5, "text": "x"}])
    restore = spoil(db, 3)
    with Live(run, last_id=last, streams="history,console,state") as live:
        w.send(history=[{"a": 3}])
        w.finish(0)
        restore()
        items, _ = live.items("history", 3)
        assert items == run.rows()
        assert live.items("console", 1)[0] == run.console()
        assert live.next("state")[1]["to"] == "finished"


def line(number):
    return {"line": number, "stream": "stdout", "time": 1.5, "text": "x"}


@pytest.mark.own
@pytest.mark.parametrize("gone", ["seq = 1", "seq in (1, 2)", "seq = 3"])
def test_lines_that_went_while_nobody_listened(run, db, gone):
    """Slots of the tail are emptied in any order: the first block may be there still, and a later one not."""
    last = place_of(run)
    w = run.join()
    for number in range(4):
        w.send(console=[line(number)])
    db.query(f"delete from tail where {gone}")
    with Live(run, last_id=last, streams="console") as live:
        assert live.next()[:2] == ("reset", {})
        live.next("open")
        w.send(console=[line(4)])
        assert live.items("console", 1)[0] == run.console()[-1:]


@pytest.mark.own
def test_lines_that_went_under_who_fell_behind(run, server, db, wait_for):
    """Nobody is told that there were none."""
    w = run.join()
    with Live(run, streams="console") as live:
        live.next("open")
        db.query("create function spoil() returns trigger language plpgsql as"
                 " $$ begin new.data := '\\x00'; return new; end $$")
        db.query("create trigger spoil before insert on tail for each row when (new.kind = 3) execute function spoil()")
        w.send(console=[line(0)])
        wait_for(lambda: "live listener delayed" in server.log())
        db.query("drop trigger spoil on tail")
        db.query("delete from tail where kind = 3")
        assert live.next()[:2] == ("reset", {})
        live.next("open")
        w.send(console=[line(1)])
        assert [found["line"] for found in live.items("console", 1)[0]] == [1]


@pytest.mark.own
def test_one_that_cannot_be_read_holds_up_no_other(api, home, db, run):
    others = [type(run)(api, f"other{i}", project=home) for i in range(8)]
    writers = [other.join() for other in others]
    last = place_of(run)
    run.join().send(history=[{"a": 1}])
    spoil(db, 1)
    heard = [Live(other, streams="history") for other in others[:4]]
    with Live(run, last_id=last, streams="history"):
        heard += [Live(other, streams="history") for other in others[4:]]
        for live, w in zip(heard, writers):
            live.next("open")
            w.send(history=[{"a": 1}])
            assert live.items("history", 1)[0][0]["a"] == 1
    for live in heard:
        live.close()


# ---- how many ---------------------------------------------------------------------------------------

LEAST = 16  # of the setting


@pytest.fixture
def few(place, run):
    """few(n): the run at a server whose listeners are n fewer than it may have."""
    with Server(place.db.url, place.secret_file, live_listeners=LEAST, client_share=100) as server:
        here = run.at(server)
        listening = []

        def but(left):
            listening.extend(Live(here) for _ in range(LEAST - left))
            return here, listening
        yield but
        for one in listening:
            one.close()
        here.api.close()


def test_no_more_than_may_be(few, wait_for):
    here, listening = few(0)
    refused = here.api.request("GET", f"{here.path}/live")
    assert (refused.status, refused.problem) == (503, "busy")
    assert int(refused.headers["Retry-After"]) > 0
    listening.pop().close()

    def one_more():
        third = Live(here)
        third.close()
        return third.answer.status == 200
    wait_for(one_more)


def test_of_several_projects_each_counts(few, home, wait_for):
    here, listening = few(1)
    here.api.put("/api/v1/projects/ann/crowd-too", {})
    watch = f"/api/v1/live?watch={home.removeprefix('/api/v1/projects/')}"
    refused = here.api.request("GET", f"{watch}:ann/crowd-too")
    assert (refused.status, refused.problem) == (503, "busy") and "cannot follow 2 more runs and projects: the limit is 16" in refused.json["detail"]
    listening.pop().close()

    def both():
        with Many(here.api, [home, "ann/crowd-too"]) as live:
            return live.answer.status == 200
    wait_for(both)


def test_a_user_and_an_address_have_a_share(place, run, keys, wait_for):
    """Half of sixteen each, and what one leaves is there for others."""
    with Server(place.db.url, place.secret_file, live_listeners=LEAST, client_share=50,
                trusted_proxies="127.0.0.1") as server:
        def listen(user, address):
            http_ = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            http_.request("GET", f"{run.path}/live", headers={
                "Authorization": f"Bearer {keys[user]}", "X-Forwarded-For": address})
            return http_, http_.getresponse()

        listening = [listen("ann", f"192.0.2.{n}") for n in range(8)]  # of one user
        assert {answer.status for _, answer in listening} == {200}
        refused, answer = listen("ann", "192.0.2.9")
        assert answer.status == 503 and int(answer.headers["Retry-After"]) > 0
        assert "client_share" in json.load(answer)["detail"]
        refused.close()
        assert server.metric("cairn_live_refused_total") == 1
        for http_, _ in listening[1:]:
            http_.close()

        def again():
            listening.append(listen("ann", "192.0.2.0"))
            return listening[-1][1].status == 200
        wait_for(again)
        wait_for(lambda: server.metric("cairn_http_live_listeners") == 2)
        listening += [listen("ann", "192.0.2.0") for _ in range(6)]  # of one address, with the two
        refused, answer = listen("root", "192.0.2.0")
        assert answer.status == 503
        refused.close()
        listening.append(listen("root", "192.0.2.1"))
        assert listening[-1][1].status == 200
        for http_, _ in listening:
            http_.close()


@pytest.mark.long
@pytest.mark.own
def test_a_crowd_at_one_place_and_elsewhere(run, server):
    """Most of them are sent the same; those behind, or with fewer streams, what is theirs."""
    last = place_of(run)
    w = run.join()
    w.send(history=[{"i": 0}])
    here = [Live(run) for _ in range(40)]
    behind = [Live(run, last_id=last) for _ in range(5)]
    fewer = [Live(run, streams=streams) for streams in ("history", "console,writer") for _ in range(5)]
    for live in here + behind + fewer:
        live.next("open")
    for i in range(1, 20):
        w.send(history=[{"i": i}], console=[{"line": i, "time": 1.0, "text": "x"}])
    w.finish(0)
    rows, lines = run.rows(), run.console()
    for live, first in [*((live, 1) for live in here + fewer[:5]), *((live, 0) for live in behind)]:
        assert live.items("history", 20 - first)[0] == rows[first:]
    for live in here + behind:
        assert live.next("state")[1]["to"] == "finished"
    for live in fewer[5:]:
        assert live.items("console", 19)[0] == lines
        assert {name for name, _, _ in live.seen} <= {"open", "console", "writer"}
    for live in here + behind + fewer:
        live.close()
