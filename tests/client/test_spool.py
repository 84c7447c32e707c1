"""What cannot be sent goes to disk and comes from there, in order: none of it is lost, none is stored twice."""
import json
import shutil
import struct
import time

import pytest

from probe import PATIENCE_MS, PATIENCE_S
from spool_files import ALERT, CONFIG, CONSOLE, DROP, RECORD, SUMMARY, spools_in


def numbers(writer):
    return [row["n"] for row in writer.history]


def wait(condition):
    limit = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < limit, "the condition did not come true"
        time.sleep(0.02)


def kill(probe):
    probe.process.stdin.write("die\n")
    probe.process.stdin.close()
    probe.process.wait(PATIENCE_S)


@pytest.fixture
def spool(tmp_path):
    return tmp_path / "spool"


@pytest.fixture
def spooled(make_probe, spool):
    """A probe whose data goes to disk soon."""
    def make(**extra):
        return make_probe({"CAIRN_SPOOL": "on", "CAIRN_SPOOL_DIR": str(spool), "CAIRN_SPOOL_AFTER_MS": "100",
                           "CAIRN_SPOOL_RESERVE": "0"} | extra)
    return make


def is_on_disk(spool, rows):
    """The records before this index, from where the spool begins."""
    return spool.exists() and any(found.records >= rows for found in spools_in(spool))


def test_nothing_is_on_disk_while_the_server_answers(server, spooled, spool):
    probe = spooled(CAIRN_SPOOL_AFTER_MS="600000")
    probe.start()
    for start in range(0, 100, 10):
        probe.ask("log", start, 10)
        assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    assert probe.finish()["spool"] == "" and not spool.exists()


@pytest.mark.parametrize("knows_records", [True, False])
def test_away_and_back(server, spooled, spool, knows_records):
    server.knows_records = knows_records
    probe = spooled()
    probe.start()
    probe.ask("log", 0, 50)
    probe.ask("flush", PATIENCE_MS)
    server.away()
    probe.ask("log", 50, 3000)
    wait(lambda: is_on_disk(spool, 3050))
    probe.ask("config", json.dumps({"lr": 1}))
    probe.ask("summary", json.dumps({"best": 2}))
    probe.ask("log", 3050, 50)
    wait(lambda: probe.ask("stats")["buffer_bytes"] <= 64 * 1024)
    batches = server.writer().batches
    server.back()
    probe.ask("log", 3100, 900)
    assert probe.finish(3)["result"] == "ok"
    writer = server.writer()
    assert numbers(writer) == list(range(4000))
    assert writer.config == {"lr": 1} and writer.summary == {"best": 2} and writer.finished == 3
    # what was built before the server went away comes first, then the present state
    assert (0, True) in writer.seen[batches:batches + 2]
    assert list(spool.iterdir()) == []


def test_away_from_the_start(server, spooled, spool):
    server.away()
    probe = spooled()
    probe.start()
    probe.ask("log", 0, 1000)
    probe.ask("alert", "early")
    wait(lambda: is_on_disk(spool, 1000) and spools_in(spool)[0].alerts())
    server.back()
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(1000))
    assert [alert["title"] for alert in server.run().alerts] == ["early"]
    assert list(spool.iterdir()) == []


def test_answers_that_are_lost(server, spooled, spool):
    """Of a batch without an answer the records are on disk as well, and stored once."""
    server.fault = lambda name, count: "drop-after-store" if name == "batch" and count % 2 == 0 else None
    probe = spooled(CAIRN_REQUEST_TIMEOUT_MS="500")
    probe.start()
    for start in range(0, 2000, 200):
        batches = server.counts.get("batch", 0)
        probe.ask("log", start, 200)
        server.wait(lambda seen=batches: server.counts.get("batch", 0) > seen)
    server.reset_sessions()
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(2000))


def test_killed_while_the_server_is_away(server, spooled, spool):
    server.away()
    probe = spooled()
    probe.allowed = (-9,)
    probe.start()
    probe.ask("config", json.dumps({"lr": 1}))
    probe.ask("log", 0, 5000)
    wait(lambda: is_on_disk(spool, 5000))
    probe.process.stdin.write("die\n")
    probe.process.stdin.close()
    probe.process.wait(PATIENCE_S)
    found, = spools_in(spool)
    assert found.numbers() == list(range(5000))
    assert found.documents(CONFIG) == [{"lr": 1}]
    assert found.writer["mode"] == "online" and found.writer["url"] == server.url
    assert oct(found.path.stat().st_mode)[-3:] == "700"
    assert {oct(path.stat().st_mode)[-3:] for path in found.path.iterdir()} == {"600"}
    assert b"0123456789abcdef" not in (found.path / "writer.json").read_bytes()  # the key


def test_what_an_earlier_process_left_is_not_touched(server, spooled, spool):
    """The same client id: each process has its own stream and folder. The next one says that there is something to sync."""
    server.away()
    first = spooled(CAIRN_CLIENT="c1")
    first.allowed = (-9,)
    first.start()
    first.ask("log", 0, 300)
    wait(lambda: is_on_disk(spool, 300))
    kill(first)
    left, = spools_in(spool)
    before = {path.name: path.read_bytes() for path in left.path.iterdir()}
    second = spooled(CAIRN_CLIENT="c1")
    second.start()
    second.ask("log", 300, 100)  # fewer than the first has on disk
    wait(lambda: any(found.numbers() == list(range(300, 400)) for found in spools_in(spool)))
    assert f"an earlier process left unsent data in '{left.path}"[:180] in second.ask("stats")["error"]
    server.back()
    assert second.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(300, 400))
    assert {path.name: path.read_bytes() for path in left.path.iterdir()} == before
    assert list(spool.iterdir()) == [left.path]
    assert left.writer["stream"] == left.path.name.rpartition(".")[2] and len(left.writer["stream"]) == 22


def test_others_come_behind_the_records_that_were_there(server, spooled, spool):
    """Their index says what was logged before them."""
    server.away()
    probe = spooled(CAIRN_SPOOL_AFTER_MS="3000")
    probe.allowed = (-9,)
    probe.start()
    probe.ask("log", 0, 40000)  # more than one write
    probe.ask("config", json.dumps({"lr": 1}))
    probe.ask("summary", json.dumps({"best": 2}))
    probe.ask("alert", "late")
    wait(lambda: is_on_disk(spool, 40000) and spools_in(spool)[0].alerts())
    kill(probe)
    kinds = [kind for kind, _ in spools_in(spool)[0].frames]
    assert kinds[:40000] == [RECORD] * 40000 and sorted(kinds[40000:]) == [CONFIG, SUMMARY, ALERT]


def test_records_count_from_0_in_each_process(server, spooled, spool):
    """Also where the server has stored some of an earlier process with this client id."""
    for first in (0, 100):
        probe = spooled(CAIRN_CLIENT="c1")
        probe.start()
        probe.ask("log", first, 100)
        assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(200))
    assert list(server.writer().records.values()) == [100, 100]


def test_what_a_sync_sent_meanwhile_is_confirmed(server, spooled, spool):
    """It took the process for dead: the records below the server's count are not sent again, and none is passed over."""
    probe = spooled()
    probe.start()
    probe.ask("log", 0, 10)
    probe.ask("flush", PATIENCE_MS)
    server.away()
    probe.ask("log", 10, 1000)
    wait(lambda: is_on_disk(spool, 1010))
    found, = spools_in(spool)
    writer = server.writer()
    writer.history += [row | {"_timestamp": 1} for row in found.rows() if row["n"] < 700 and row["n"] >= 10]
    writer.records[found.writer["stream"]] = 700
    server.reset_sessions()
    server.back()
    probe.ask("log", 1010, 90)
    assert probe.finish()["result"] == "ok"
    assert numbers(writer) == list(range(1100))
    assert list(spool.iterdir()) == []


def test_a_folder_that_is_removed_costs_what_was_in_it(server, spooled, spool):
    """The run goes on: the loss is counted and said, and what comes behind it is sent."""
    server.allows_gaps = True
    server.away()
    probe = spooled()
    probe.start()
    probe.ask("log", 0, 500)
    wait(lambda: is_on_disk(spool, 500))
    shutil.rmtree(spools_in(spool)[0].path)
    probe.ask("log", 500, 500)
    wait(lambda: is_on_disk(spool, 1000))
    wait(lambda: "was removed while this process wrote to it" in probe.ask("stats")["error"])
    server.back()
    report = probe.finish()
    sent = numbers(server.writer())  # with those of the last second before the removal, which memory had still
    assert sent == list(range(sent[0], 1000)) and sent[0] <= 500
    assert (report["result"], report["history_lost"], report["history_unsent"]) == ("ok", sent[0], 0)
    assert list(spool.iterdir()) == []


def test_a_count_that_cannot_be_is_ignored(server, spooled, spool):
    """More than the process has logged, in the answer to a join alone."""
    probe = spooled(CAIRN_SPOOL_AFTER_MS="600000")
    probe.start()
    probe.ask("log", 0, 10)
    probe.ask("flush", PATIENCE_MS)
    counts = server.writer().records
    counts.update(dict.fromkeys(counts, 5000))
    server.fault = lambda name, count: counts.update(dict.fromkeys(counts, 10)) if name == "batch" and server.counts["join"] > 1 else None
    server.reset_sessions()
    probe.ask("log", 10, 10)
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    assert "more records than this process has logged" in probe.ask("stats")["error"]
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(20))


def test_finish_while_the_server_is_away(server, spooled, spool):
    server.away()
    probe = spooled(CAIRN_SPOOL_AFTER_MS="60000")  # only the end brings it to disk
    probe.start()
    probe.ask("log", 0, 100)
    probe.ask("summary", json.dumps({"best": 2}))
    probe.ask("alert", "late")
    report = probe.finish(7, 1000)
    assert report["result"] == "timeout" and report["seconds"] < PATIENCE_S
    assert (report["history_unsent"], report["alerts_unsent"]) == (0, 0)
    assert (report["history_spooled"], report["alerts_spooled"]) == (100, 1)
    assert report["end_spooled"] and not report["end_unsent"] and not report["documents_unsent"]
    found, = spools_in(spool)
    assert report["spool"] == str(found.path)
    assert found.numbers() == list(range(100)) and found.end == (7, 0)
    assert found.documents(SUMMARY) == [{"best": 2}] and found.alerts()[0]["title"] == "late"


def test_what_the_disk_cannot_take_is_dropped_and_counted(server, spooled, spool):
    server.away()
    probe = spooled(CAIRN_SPOOL_MAX_GIB="0.001", CAIRN_BUFFER_MIB="1")
    probe.start()
    probe.ask("log", 0, 1000)
    wait(lambda: is_on_disk(spool, 1000))
    for start in range(1000, 41000, 4000):
        probe.ask("log", start, 4000)
    stats = probe.ask("stats")
    assert stats["dropped"] > 0 and stats["accepted"] + stats["dropped"] == 41000
    wait(lambda: "limit" in probe.ask("stats")["error"])
    assert sum(path.stat().st_size for path in spool.glob("*/*.log")) < 1.1 * 2**20
    server.back()
    assert probe.finish()["result"] == "ok"
    writer = server.writer()
    assert len(writer.history) == stats["accepted"] and writer.dropped["history"] == stats["dropped"]
    assert numbers(writer) == sorted(numbers(writer))


@pytest.mark.parametrize("obstacle", ["file", "dangling"])
def test_a_folder_that_cannot_be_used(server, spooled, spool, obstacle):
    """The run goes on in memory."""
    if obstacle == "file":
        spool.write_text("")
    else:
        spool.symlink_to(spool / "nowhere")
    server.away()
    probe = spooled(CAIRN_CLIENT="c1")
    probe.start()
    probe.ask("log", 0, 100)
    wait(lambda: "data stays in memory" in probe.ask("stats")["error"])
    server.back()
    assert probe.finish()["result"] == "ok"
    assert numbers(server.writer()) == list(range(100))


OFFLINE = {"CAIRN_MODE": "offline", "CAIRN_API_KEY": "", "CAIRN_LABEL": "rank0"}


def test_offline(server, spooled, spool):
    probe = spooled(**OFFLINE)
    started = probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    probe.ask("config", json.dumps({"lr": 1}))
    probe.ask("log", 0, 100)
    probe.ask("console", b"one\ntwo".hex())
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    found, = spools_in(spool)
    assert found.numbers() == list(range(100)) and found.documents(CONFIG) == [{"lr": 1}]
    assert found.rows(CONSOLE) == [(0, "one"), (1, "two")]
    for title in range(250):  # more than wait in memory
        while probe.ask("alert", title)["result"] == "full":
            time.sleep(0.02)
    probe.ask("log", 100, 50)
    report = probe.finish(1)
    assert report["result"] == "ok" and report["history_spooled"] == 150 and report["end_spooled"]
    found, = spools_in(spool)
    assert found.numbers() == list(range(150)) and found.end == (1, 0) and len(found.alerts()) == 250
    assert found.writer | {"run": "r1", "client": started["client"], "label": "rank0", "role": "primary",
                           "project": "p", "entity": "e", "mode": "offline"} == found.writer
    assert server.counts == {}  # no request was made


def test_offline_many_processes_and_forks(server, spooled, spool):
    probes = [spooled(**OFFLINE | {"CAIRN_LABEL": f"rank{rank}", "CAIRN_ROLE": "worker" if rank else "primary"})
              for rank in range(4)]
    for rank, probe in enumerate(probes):
        probe.start()
        probe.ask("log", 1000 * rank, 200)
    assert probes[0].ask("fork", 2)["bad"] == 0
    for probe in probes:
        probe.finish()
    found = {(spool.writer["label"], spool.writer["role"]): spool for spool in spools_in(spool)}
    assert len(spools_in(spool)) == 6 and ("child", "worker") in found
    for rank in range(1, 4):
        assert found[f"rank{rank}", "worker"].numbers() == list(range(1000 * rank, 1000 * rank + 200))
    assert found["rank0", "primary"].numbers() == list(range(200))
    assert server.counts == {}


def test_offline_killed(server, spooled, spool):
    probe = spooled(**OFFLINE)
    probe.allowed = (-9,)
    probe.start()
    probe.ask("log", 0, 2000)
    probe.ask("flush", PATIENCE_MS)
    probe.process.stdin.write("die\n")
    probe.process.stdin.close()
    probe.process.wait(PATIENCE_S)
    found, = spools_in(spool)
    assert found.numbers() == list(range(2000))


def test_disabled(server, spooled, spool):
    probe = spooled(CAIRN_MODE="disabled", CAIRN_URL="", CAIRN_API_KEY="")
    probe.start()
    for start in range(0, 1000000, 200000):  # more than fits into memory
        assert probe.ask("log", start, 200000)["result"] == "ok"
    assert probe.ask("flush", 0)["result"] == "ok"
    assert probe.finish()["result"] == "ok"
    assert server.counts == {} and not spool.exists()


def test_settings_are_checked(make_probe):
    for name, value in (("CAIRN_MODE", "of"), ("CAIRN_SPOOL", "yes"), ("CAIRN_SPOOL_RESERVE", "much"),
                        ("CAIRN_SPOOL_AFTER_MS", "-1"), ("CAIRN_SPOOL_MAX_GIB", "x")):
        assert make_probe({name: value}).ask("start")["result"] == "invalid"


def test_drops_are_told_in_the_spool(server, spooled, spool):
    """A spool that is full, and a process that ends: what is missing is known."""
    probe = spooled(**OFFLINE | {"CAIRN_SPOOL_MAX_GIB": "0.0005", "CAIRN_BUFFER_MIB": "1"})
    probe.start()
    for start in range(0, 40000, 4000):
        probe.ask("log", start, 4000)
    report = probe.finish(0, 300)
    assert report["result"] == "timeout" and report["history_unsent"] > 0 and report["history_lost"] > 0
    found, = spools_in(spool)
    rows = found.numbers()
    assert rows == list(range(len(rows))) and report["history_spooled"] == len(rows) and found.end == (0, 0)
    assert sum(struct.unpack("<QQQ", drop)[0] for drop in found.all(DROP)) == 40000 - len(rows)
