"""Every row that was logged is stored exactly once and in order, whatever the server does."""
import json
import threading

import pytest

from probe import PATIENCE_MS, PATIENCE_S, once_in_time

ROWS = 200


def numbers(writer):
    return [row["n"] for row in writer.history]


def test_plain(server, probe):
    started = probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    probe.ask("log", 0, ROWS)
    probe.ask("config", json.dumps({"lr": 0.1, "net": {"depth": 3}}))
    probe.ask("summary", json.dumps({"best": 1}))
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    writer = server.writer()
    assert numbers(writer) == list(range(ROWS))
    assert writer.history[3]["half"] == 1.5 and writer.history[3]["train/loss"] == 0.1
    assert writer.config == {"lr": 0.1, "net": {"depth": 3}} and writer.summary == {"best": 1}
    assert (writer.client, writer.label, writer.role) == (started["client"], started["label"], "primary")
    assert probe.ask("url")["url"] == f"{server.url}/e/p/runs/r1"
    report = probe.finish(3)
    assert report["result"] == "ok" and report["history_unsent"] == 0 and not report["end_unsent"]
    assert writer.finished == 3
    assert probe.ask("log", 0, 1)["result"] == "finished"


def test_other_kinds_of_values(server, probe):
    probe.start()
    row = '{"text":"a\\"b","flag":true,"list":[1,2],"deep":{"a":{"b":null}},"nan":NaN,"_step":7}'
    assert probe.ask("json", row)["result"] == "ok"
    for wrong in ("[1]", "{", '{"a":1,"a":2}', '{"a":{"b":1},"a.b":2}', "{}", '{"_row":1}'):
        assert probe.ask("json", wrong)["result"] == "invalid"
    probe.finish()
    stored, = server.writer().history
    assert stored["text"] == 'a"b' and stored["list"] == [1, 2] and stored["_step"] == 7
    assert stored["nan"] != stored["nan"]


def test_console(server, probe):
    probe.start()
    for text in (b"one\ntwo\r\n", b"10%\r20%\r", b"30%\rdone\n", b"\xff bad \x1b[31mred\x1b[0m\n", b"open"):
        probe.ask("console", text.hex())
    probe.finish()
    lines = server.writer().lines
    assert [lines[i]["text"] for i in sorted(lines)] == \
        ["one", "two", "done", "\ufffd bad \x1b[31mred\x1b[0m", "open"]


FAULTS = ["drop-before-read", "drop-after-read", "drop-after-store", "garbage", "truncate", "stutter",
          ("status", 503), ("status", 500), ("status", 502), ("status", 429), ("status", 302),
          ("proxy", 400), ("proxy", 404), ("proxy", 410), ("proxy", 409), ("proxy-limit", 1500)]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("where", ["make", "join", "batch", "finish"])
def test_faults(server, probe, where, fault):
    server.fault = lambda name, count: fault if name == where and count % 3 < 2 else None
    probe.start()
    for start in range(0, ROWS, 50):
        probe.ask("log", start, 50)
        batches = server.counts.get("batch", 0)
        if where == "batch":
            server.wait(lambda seen=batches: server.counts.get("batch", 0) > seen)
    report = probe.finish()
    assert report["result"] == "ok", report
    writer = server.writer()
    assert numbers(writer) == list(range(ROWS))
    assert writer.finished == 0


def test_no_answer_at_all(server, make_probe):
    """A server that accepts and then says nothing: the request's own time-out."""
    hold = threading.Event()
    probe = make_probe(extra={"CAIRN_REQUEST_TIMEOUT_MS": "1000"})
    server.fault = lambda name, count: ("hold", hold) if name == "batch" and count < 2 else None
    probe.start()
    probe.ask("log", 0, ROWS)
    server.wait(lambda: server.counts.get("batch", 0) >= 3)
    hold.set()
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(ROWS))


def test_retry_after_is_honoured(server, probe):
    fault = ("status", 503, {"Retry-After": "1"})
    server.fault = lambda name, count: fault if name == "join" and count == 0 else None
    probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    first, second = server.times["join"]
    assert second - first >= 1


def test_away_and_back(server, probe):
    probe.start()
    probe.ask("log", 0, 50)
    probe.ask("flush", PATIENCE_MS)
    server.away()
    probe.ask("log", 50, 100)
    assert probe.ask("flush", 300)["result"] == "timeout"
    server.back()
    probe.ask("log", 150, 50)
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(200))


def test_away_at_the_start(server, probe):
    server.away()
    probe.start()
    probe.ask("log", 0, 100)
    assert probe.ask("joined", 200)["result"] == "timeout"
    server.back()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(100))


def test_sessions_are_renewed(server, probe):
    probe.start()
    for start in range(0, 200, 20):
        probe.ask("log", start, 20)
        probe.ask("flush", PATIENCE_MS)
        if start % 80 == 0:
            server.reset_sessions()
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(200))
    assert probe.ask("stats")["joins"] >= 3


def test_fenced_after_it_was_stored(server, probe):
    """The batch was stored, its answer lost, the session renewed: the join tells that it was."""
    probe.start()
    probe.ask("flush", PATIENCE_MS)
    first = server.counts.get("batch", 0)

    def fault(name, count):
        return "drop-after-store" if name == "batch" and count == first else None
    server.fault = fault
    probe.ask("log", 0, 30)
    server.wait(lambda: server.counts.get("batch", 0) > first)
    server.reset_sessions()
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(30))


def test_the_server_forgot_the_run(server, probe):
    probe.start()
    probe.ask("log", 0, 10)
    probe.ask("flush", PATIENCE_MS)
    with server.lock:
        server.runs.clear()
        server.allows_gaps = True
    probe.ask("log", 10, 10)
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(10, 20))


def test_deleted_run(server, make_probe):
    def attempt():
        with server.lock:
            server.runs.clear()
        probe = make_probe()
        probe.start()
        assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
        server.run().deleted = True
        probe.ask("log", 0, 10)
        report = probe.finish()
        assert report["result"] == "refused" and report["history_unsent"] == 10
        return report["seconds"] < 10

    once_in_time(attempt)


def test_one_bad_row_costs_one_row(server, probe):
    server.refuse_row = lambda row: row.get("n") in (17, 90)
    probe.start()
    probe.ask("log", 0, 100)
    probe.ask("config", '{"a":1}')
    report = probe.finish()
    assert report["result"] == "ok" and report["history_lost"] == 2
    assert numbers(server.writer()) == [n for n in range(100) if n not in (17, 90)]
    assert server.writer().config == {"a": 1}
    stats = probe.ask("stats")
    assert stats["refused"] == 2 and stats["queued"] == 0


def test_a_refused_config_is_told(server, probe):
    server.refuse_config = True
    probe.start()
    probe.ask("config", '{"a":1}')
    probe.ask("log", 0, 10)
    report = probe.finish()
    assert report["result"] == "ok" and report["history_lost"] == 0
    assert report["documents_unsent"] and report["has_error"]
    assert numbers(server.writer()) == list(range(10)) and server.writer().config is None


def test_flush_waits_for_documents(server, probe):
    """Also when the writer has not joined yet."""
    server.fault = lambda name, count: ("status", 503) if name == "join" and count < 3 else None
    probe.start()
    probe.ask("config", '{"a":1}')
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    assert server.writer().config == {"a": 1}
    probe.ask("summary", '{"best":2}')
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    assert server.writer().summary == {"best": 2}
    probe.finish()


def test_flush_does_not_go_past_retry_after(server, probe):
    fault = ("status", 503, {"Retry-After": "2"})
    server.fault = lambda name, count: fault if name == "join" and count == 0 else None
    probe.start()
    probe.ask("log", 0, 1)
    server.wait(lambda: server.counts.get("join", 0) == 1)
    while server.counts["join"] == 1:
        assert probe.ask("flush", 100)["result"] == "timeout" or server.counts["join"] > 1
    first, second = server.times["join"]
    assert second - first >= 2
    assert probe.finish()["result"] == "ok"


def test_a_body_too_large_is_halved(server, probe):
    server.max_body = 4000
    probe.start()
    probe.ask("log", 0, 500)
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(500))


def test_wide_rows_and_many_of_them(server, probe):
    probe.start()
    probe.ask("wide", 0, 40, 9999)
    report = probe.finish()
    assert report["result"] == "ok"
    assert numbers(server.writer()) == list(range(40))
    assert len(server.writer().history[5]) == 10001


def test_alerts(server, probe):
    """In order; one that the server will not have costs the others nothing."""
    server.fault = lambda name, count: ("status", 503) if name == "alerts" and count == 0 else None
    probe.start()
    for title in "first", "refused", "second":
        assert probe.ask("alert", title)["result"] == "ok"
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    alerts = server.run().alerts
    assert [(alert["title"], alert["level"]) for alert in alerts] == [("first", "warn"), ("second", "warn")]
    for title in "", "x" * 257:
        assert probe.ask("alert", title)["result"] == "invalid"
    assert probe.ask("alert", "last")["result"] == "ok"
    assert probe.finish()["alerts_unsent"] == 1
    assert (alerts[-1]["title"], server.violations) == ("last", [])
    assert probe.ask("alert", "late")["result"] == "finished"


ALERT_TRIES = 12


@pytest.mark.parametrize("fault", [*(("status", n) for n in (500, 503, 404, 409, 403)), "drop-before-read", "garbage"], ids=str)
def test_an_alert_that_fails_holds_up_nothing(server, probe, fault):
    """What is logged is stored between its tries; in the end it is given up, and the next one has its turn."""
    logged = threading.Event()
    stored = []  # rows, at each try

    def fail(name, count):
        if name != "alerts":
            return None
        logged.wait(PATIENCE_S)
        stored.append(len(server.writer().history))
        return fault

    server.fault = fail
    probe.start()
    assert probe.ask("alert", "fails")["result"] == "ok"
    server.wait(lambda: "alerts" in server.counts)
    probe.ask("log", 0, ROWS)
    logged.set()
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    assert "an alert was dropped after 12 attempts" in probe.ask("stats")["error"]
    assert stored[0] == 0 and stored[2] == ROWS == len(server.writer().history)
    assert len(stored) == ALERT_TRIES or fault == "drop-before-read"  # which libcurl tries twice itself
    server.fault = lambda name, count: None
    assert probe.ask("alert", "second")["result"] == "ok"
    report = probe.finish()
    assert (report["result"], report["alerts_unsent"], report["history_unsent"]) == ("ok", 1, 0)
    assert [alert["title"] for alert in server.run().alerts] == ["second"]


def test_an_alert_that_fails_once_less(server, probe):
    """Also while the run is finished, which waits for it."""
    server.fault = lambda name, count: ("status", 503) if name == "alerts" and count < ALERT_TRIES - 1 else None
    probe.start()
    probe.ask("alert", "late")
    assert probe.finish()["alerts_unsent"] == 0
    assert [alert["title"] for alert in server.run().alerts] == ["late"]


def test_an_alert_of_a_server_that_is_away_is_kept(server, probe):
    """However often it is tried: nothing else is taken either."""
    probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    server.fault = lambda name, count: ("status", 503)
    probe.ask("alert", "kept")
    server.wait(lambda: server.counts.get("alerts", 0) > ALERT_TRIES)
    server.fault = lambda name, count: None
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    assert probe.finish()["alerts_unsent"] == 0


def test_alerts_wait_for_the_server(server, probe):
    """So many as may; the others are refused at once."""
    server.fault = lambda name, count: "drop-before-read"
    probe.start()
    results = [probe.ask("alert", f"no {n}")["result"] for n in range(101)]
    assert results == ["ok"] * 100 + ["full"]
    assert probe.finish(timeout_ms=100)["alerts_unsent"] == 100


def test_stop_is_heard(server, probe):
    probe.start()
    probe.ask("joined", PATIENCE_MS)
    assert probe.ask("stats")["stop"] == 0
    server.run().stop = True
    probe.ask("log", 0, 1)
    probe.ask("flush", PATIENCE_MS)
    assert probe.ask("stats")["stop"] == 1
    probe.finish()


def test_wrong_key(server, make_probe):
    def attempt():
        probe = make_probe(extra={"CAIRN_API_KEY": "f" * 40})
        probe.start()
        assert probe.ask("joined", PATIENCE_MS)["result"] == "refused"
        probe.ask("log", 0, 5)
        report = probe.finish()
        assert report["result"] == "refused" and report["history_unsent"] == 5
        assert "401" in probe.ask("stats")["error"]
        return report["seconds"] < 5

    once_in_time(attempt)


def test_default_entity(server, make_probe):
    probe = make_probe(extra={"CAIRN_PROJECT": "p"})
    probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    assert probe.ask("url")["url"].endswith("/e/p/runs/r1")
    probe.finish()


@pytest.mark.parametrize("extra, result", [
    ({"CAIRN_URL": ""}, "setup"), ({"CAIRN_API_KEY": ""}, "setup"),
    ({"CAIRN_URL": "ftp://x"}, "invalid"), ({"CAIRN_PROJECT": "a/b/c"}, "invalid"),
    ({"CAIRN_RUN": "a:b"}, "invalid"), ({"CAIRN_ROLE": "boss"}, "invalid"),
    ({"CAIRN_API_KEY": "a b"}, "invalid"), ({"CAIRN_LABEL": "a/b"}, "invalid"),
    ({"CAIRN_API_KEY": "", "CAIRN_API_KEY_FILE": "/dev/null"}, "setup"),
    ({"CAIRN_API_KEY": "", "CAIRN_API_KEY_FILE": "/dev/zero"}, "setup"),
    ({"CAIRN_FLUSH_MS": "soon"}, "invalid"), ({"CAIRN_BUFFER_MIB": "-1"}, "invalid")])
def test_bad_settings_harm_nobody(make_probe, extra, result):
    probe = make_probe(extra=extra)
    answer = probe.ask("start")
    assert (answer["result"], answer["error"]) == (result, "set")
    assert probe.ask("log", 0, 1)["result"] == "invalid"
    assert probe.finish()["result"] == "invalid"


def test_finish_keeps_its_time(server, make_probe):
    server.away()

    def attempt():
        probe = make_probe()
        probe.start()
        probe.ask("log", 0, 25)
        probe.ask("config", '{"a":1}')
        report = probe.finish(timeout_ms=400)
        assert report["result"] == "timeout" and report["seconds"] > 0.3
        assert report["history_unsent"] == 25 and report["end_unsent"] and report["documents_unsent"]
        assert report["has_error"]
        again = probe.finish()
        assert again["result"] == "timeout" and again["history_unsent"] == 25
        probe.ask("free")
        return report["seconds"] < 3 and again["seconds"] < 1

    once_in_time(attempt)
    server.back()


def test_the_thread_ends_with_the_time(server, probe):
    """Also while it waits for a server that asked to be left alone for longer."""
    server.fault = lambda name, count: ("status", 503, {"Retry-After": "60"}) if name == "join" else None
    probe.start()
    server.wait(lambda: server.counts.get("join", 0) > 0)
    assert probe.finish(timeout_ms=300)["result"] == "timeout"
    assert probe.ask("joined", PATIENCE_MS)["result"] == "finished"


def test_a_server_that_is_back_before_the_end(server, make_probe):
    """However long it was away, and the pauses between two tries with it."""
    probe = make_probe(extra={"CAIRN_RETRY_MAX_MS": "600000"})
    is_away = threading.Event()
    is_away.set()
    server.fault = lambda name, count: ("status", 500) if is_away.is_set() else None
    probe.start()
    probe.ask("log", 0, 25)
    while server.counts.get("make", 0) < 14:
        probe.ask("flush", 20)
    tried = server.counts["make"]
    probe.process.stdin.write(f"finish 0 {PATIENCE_MS}\n")
    probe.process.stdin.flush()
    server.wait(lambda: server.counts["make"] > tried)
    is_away.clear()
    report = json.loads(probe.process.stdout.readline())
    assert report["result"] == "ok"  # within its time, which is less than a pause between two tries
    assert numbers(server.writer()) == list(range(25))


def test_finish_does_not_wait_for_a_silent_server(server, make_probe):
    hold = threading.Event()
    server.fault = lambda name, count: ("hold", hold) if name == "batch" else None

    def attempt():
        probe, heard = make_probe(), server.counts.get("batch", 0)
        probe.start()
        probe.ask("log", 0, 25)
        server.wait(lambda: server.counts.get("batch", 0) > heard)
        report = probe.finish(timeout_ms=300)
        assert report["result"] == "timeout"
        probe.ask("free")
        return report["seconds"] < 3

    once_in_time(attempt)
    hold.set()


def test_full_buffer_drops_the_newest_and_says_so(server, make_probe):
    probe = make_probe(extra={"CAIRN_BUFFER_MIB": "1"})
    server.away()
    probe.start()
    answer = probe.ask("log", 0, 50000)
    assert answer["result"] == "full"
    stats = probe.ask("stats")
    kept = answer["kept"]
    assert stats["accepted"] == kept and stats["dropped"] == 50000 - kept
    assert stats["buffer_bytes"] <= 2**20
    server.back()
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    probe.ask("log", 50000, 10)
    report = probe.finish()
    assert report["result"] == "ok" and report["history_lost"] == 50000 - kept
    writer = server.writer()
    assert numbers(writer) == list(range(kept)) + list(range(50000, 50010))
    assert writer.dropped["history"] == 50000 - kept


def test_a_full_buffer_drops_lines_too(server, make_probe):
    probe = make_probe(extra={"CAIRN_BUFFER_MIB": "1"})
    server.away()
    probe.start()
    line = ("x" * 999 + "\n").encode().hex()
    results = [probe.ask("console", line)["result"] for _ in range(1200)]
    kept = results.index("full")
    assert 900 < kept < 1050 and set(results[kept + 1:]) == {"full"}
    server.back()
    report = probe.finish()
    assert report["result"] == "ok" and report["console_lost"] == 1200 - kept
    assert sorted(server.writer().lines) == list(range(kept))
    assert server.writer().dropped["console"] == 1200 - kept


def test_threads(server, probe):
    probe.start()
    probe.ask("threads", 8)
    assert probe.finish()["result"] == "ok"
    by_thread = {}
    for row in server.writer().history:
        by_thread.setdefault(row["thread"], []).append(row["n"])
    assert sorted(by_thread) == list(range(8))
    assert all(rows == list(range(2000)) for rows in by_thread.values())


def test_fork(server, probe):
    probe.start()
    probe.ask("log", 0, 10)
    forked = probe.ask("fork", 1)
    assert forked["bad"] == 0, forked
    probe.ask("log", 10, 10)
    assert probe.finish()["result"] == "ok"
    writers = {writer.role: writer for writer in server.run().writers.values()}
    assert numbers(writers["primary"]) == list(range(20))
    assert writers["worker"].label == "child" and writers["worker"].history[0]["child"] == 1
    assert writers["worker"].finished == 0


def test_fork_while_the_sender_works(server, probe):
    """Each child meets the sender at another moment: in the allocator, in libcurl, waiting."""
    probe.start()
    forked = probe.ask("fork", 30)
    assert forked["bad"] == 0, forked
    assert probe.finish()["result"] == "ok"
    children = [writer for writer in server.run().writers.values() if writer.role == "worker"]
    assert len(children) == 30 and all(child.finished == 0 for child in children)


@pytest.mark.parametrize("status, told", [(7, 7), (256, 0), (-1, 255)])
def test_exit_finishes_with_the_exit_status(server, make_probe, status, told):
    probe = make_probe(extra={"CAIRN_EXIT_TIMEOUT_MS": str(PATIENCE_MS)})
    probe.allowed = (told,)
    probe.start()
    probe.ask("log", 0, 10)
    probe.process.stdin.write(f"exit {status}\n")
    probe.process.stdin.flush()
    assert probe.process.wait(PATIENCE_S) == told
    writer = server.writer()
    assert numbers(writer) == list(range(10)) and writer.finished == told


def test_exit_never_hangs(server, make_probe):
    probe = make_probe(extra={"CAIRN_EXIT_TIMEOUT_MS": "300"})
    probe.allowed = (7,)
    server.away()
    probe.start()
    probe.ask("log", 0, 10)
    probe.process.stdin.write("exit 7\n")
    probe.process.stdin.flush()
    assert probe.process.wait(PATIENCE_S) == 7
    server.back()


def test_samples(server, make_probe):
    probe = make_probe(extra={"CAIRN_SAMPLE_INTERVAL": "0.1"})
    probe.start()
    server.wait(lambda: ("e", "p", "r1") in server.runs and server.run().writers and
                len(server.writer().events) >= 3)
    assert probe.finish()["result"] == "ok"
    events = server.writer().events
    assert any("proc.memory.rssMB" in row for row in events)
    times = [row["_timestamp"] for row in events]
    assert times == sorted(times)
