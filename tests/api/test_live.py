"""Server-sent events: what happens in a run, as it happens, without a gap or a repeat."""
import re
import threading

import pytest

from live import Live


def test_opens_with_where_the_run_stands(run):
    run.join().send(history=[{"a": 1}, {"a": 2}], events=[{"cpu": 1}])
    with Live(run) as live:
        assert live.answer.status == 200
        assert live.answer.headers["Content-Type"].startswith("text/event-stream")
        name, data, event_id = live.next()
        assert (name, data) == ("open", {"state": "running", "row_next": 2, "event_next": 1})
        assert event_id is not None


def test_rows_come_as_exact_rows(run):
    w = run.join(label="rank0")
    with Live(run) as live:
        live.next("open")
        w.send(history=[{"a": 1, "o": {"b": "x"}, "_timestamp": 5.5}, {"a": float("nan")}])
        items, _ = live.items("history", 2)
    assert items == run.rows()


def test_long_values_come_in_their_short_form(run):
    w = run.join()
    with Live(run) as live:
        live.next("open")
        w.send(history=[{"text": "x" * (1 << 20)}], events=[{"text": "x" * (1 << 20)}])
        history, _ = live.items("history", 1)
    assert history == run.rows(texts="short") and history[0]["text"]["bytes"] == (1 << 20) + 2
    event, = run.events()
    link = event["text"]["href"]
    assert run.api.raw("GET", f"{run.path}/{link}").lines[0]["text"] == "x" * (1 << 20) and link.startswith("events?")


def test_every_stream(run):
    w = run.join()
    with Live(run) as live:
        live.next("open")
        w.send(events=[{"cpu": 1, "_timestamp": 1.5}],
               console=[{"line": 0, "stream": "stdout", "time": 1.5, "text": "x"}])
        events, _ = live.items("events", 1)
        assert events == run.events()
    with Live(run) as live:
        live.next("open")
        w.send(console=[{"line": 1, "stream": "stdout", "time": 1.5, "text": "y"}])
        lines, _ = live.items("console", 1)
        assert lines == run.console()[1:]


def test_states_and_writers(run):
    with Live(run) as live:
        live.next("open")
        w = run.join("c1", label="rank0")
        _, writer, _ = live.next("writer")
        assert (writer["client"], writer["label"], writer["state"]) == ("c1", "rank0", "alive")
        w.finish(0)
        _, state, _ = live.next("state")
        assert state == run.states()[-1]


def test_alerts(run):
    """One that repeats another is none; who comes back gets those that came meanwhile."""
    def alert(title):
        return run.api.post(f"{run.path}/alerts", {"title": title, "level": "warn"}).json
    with Live(run) as live:
        live.next("open")
        first = alert("loss is high")
        _, told, event_id = live.next("alert")
        assert told == first
    assert alert("loss is high")["repeats"] == 1
    second = alert("loss is low")
    with Live(run, last_id=event_id, streams="alert") as live:
        assert [live.next()[0] for _ in range(2)] == ["open", "alert"]
        assert live.seen[-1][1] == second


def test_a_rewound_run(run):
    """What a listener has got is no longer what the run shows."""
    run.join("w1").send(history=[{"_step": n, "loss": n} for n in range(5)])
    with Live(run) as live:
        _, _, event_id = live.next("open")
        run.api.post(f"{run.path}/rewind", {"step": 2})
        assert live.next()[:2] == ("reset", {})
        assert live.next()[:2] == ("open", {"state": "running", "row_next": 5, "event_next": 0})
        run.join("w2").send(history=[{"_step": 3, "loss": 30}])
        items, _ = live.items("history", 1)
        assert items == run.rows()[3:]
    with Live(run, last_id=event_id) as live:
        assert [live.next()[0] for _ in range(2)] == ["reset", "open"]


def test_narrowed(run):
    w = run.join()
    with Live(run, streams="events,state") as live:
        live.next("open")
        w.send(history=[{"a": 1}], events=[{"cpu": 1}])
        w.finish(0)
        live.next("state")
        assert {name for name, _, _ in live.seen} == {"open", "events", "state"}


def test_unknown_stream_is_refused(run):
    run.api.refused(400, "invalid", "GET", f"{run.path}/live", query={"streams": "history,noise"})


def test_who_comes_back_misses_nothing(run):
    w = run.join()
    with Live(run, streams="history") as live:
        live.next("open")
        w.send(history=[{"a": 0}])
        items, last = live.items("history", 1)
    for i in range(1, 6):
        w.send(history=[{"a": i}])
    with Live(run, last_id=last, streams="history") as live:
        more, last = live.items("history", 5)
        items += more
        w.send(history=[{"a": 6}])
        items += live.items("history", 1)[0]
    assert items == run.rows()
    assert live.seen[0][:2] == ("open", {"state": "running", "row_next": 1, "event_next": 0})


def test_an_id_that_is_no_longer_known(run):
    run.join().send(history=[{"a": 1}])
    with Live(run) as live:
        _, _, known = live.next("open")
    with Live(run, last_id=re.sub(r"\d+", "999999", known)) as live:
        assert live.next()[:2] == ("reset", {})
        assert live.next()[1]["row_next"] == 1


def test_an_id_that_is_none(run):
    for garbage in ("garbage", "1", "-1.-1.-1.-1", "99999999999999999999"):
        run.api.refused(400, "invalid", "GET", f"{run.path}/live", headers={"Last-Event-ID": garbage})


def test_under_load_every_row_once_and_in_order(run):
    with Live(run, streams="history") as live:
        live.next("open")
        writers = [run.join(f"c{i}", "worker") for i in range(4)]

        def write(w):
            for i in range(50):
                w.send(history=[{"who": w.number, "i": i}])

        threads = [threading.Thread(target=write, args=(w,)) for w in writers]
        for t in threads:
            t.start()
        items, _ = live.items("history", 200)
        for t in threads:
            t.join()
    assert items == run.rows()


def test_across_servers(run, two_servers):
    w = run.join()
    with Live(run.at(two_servers[1])) as live:
        live.next("open")
        w.send(history=[{"a": 1}])
        items, _ = live.items("history", 1)
        assert items == run.rows()
        w.finish(0)
        assert live.next("state")[1]["to"] == "finished"


@pytest.mark.own
def test_ends_with_the_server(run, server):
    with Live(run) as live:
        live.next("open")
        server.stop()
        assert live.queue.get(timeout=60) is None
