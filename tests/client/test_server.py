"""What libcairn sends, as the real server has it in the end: every row once, in order, by its writer."""
import json
import signal
import urllib.error

import pytest

from cluster import wait_until
from probe import PATIENCE_MS, PATIENCE_S


@pytest.fixture
def probe(make_real_probe):
    return make_real_probe()


def test_everything_arrives(real_run, make_real_probe):
    probe = make_real_probe(CAIRN_LABEL="rank0")
    started = probe.start()
    probe.ask("config", json.dumps({"lr": 0.1, "net": {"depth": 3}}))
    probe.ask("log", 0, 200)
    probe.ask("json", '{"text":"é\\"","flag":true,"deep":{"a":null},"nan":NaN,"inf":-Infinity,"_step":500}')
    probe.ask("console", "first\n50%\r100%\nopen".encode().hex())
    probe.ask("summary", json.dumps({"best": {"acc": 0.9}}))
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    assert probe.ask("stats")["queued"] == 0 and real_run.state == "running"
    report = probe.finish(3)
    assert report["result"] == "ok" and not report["end_unsent"] and report["history_unsent"] == 0

    rows = real_run.rows
    assert [row["n"] for row in rows[:200]] == list(range(200)) and len(rows) == 201
    assert [row["_step"] for row in rows] == [*range(200), 500]
    assert rows[7]["half"] == 3.5 and rows[7]["train/loss"] == 0.1 and rows[7]["_label"] == "rank0"
    assert [row["_timestamp"] for row in rows] == sorted(row["_timestamp"] for row in rows)
    last = rows[200]
    assert (last["text"], last["flag"], last["deep.a"], last["nan"], last["inf"]) == \
        ('é"', True, None, "NaN", "-Infinity")
    assert real_run.get("/config") == {"lr": 0.1, "net": {"depth": 3}}
    summary = real_run.get("/summary")
    assert summary["n"] == 199 and summary["best"] == {"acc": 0.9}
    assert real_run.console() == ["first", "100%", "open"]
    run = real_run.get()
    assert (run["state"], run["exit_code"], run["rows"]) == ("failed", 3, 201)
    writer = real_run.writers["rank0"]
    assert (writer["client"], writer["role"], writer["state"], writer["exit_code"]) == \
        (started["client"], "primary", "ended", 3)
    assert (writer["history_rows"], writer["console_lines"], writer["dropped_rows"]) == (201, 3, 0)


def test_odd_names_and_large_values(real_run, make_real_probe):
    """Names and values go to the server up to its own limits, which it keeps in the form that docs/rest.md states."""
    probe = make_real_probe()
    probe.start()
    longest, text = "k" * 2048, "t" * (2 << 20)
    assert probe.ask("json", json.dumps({"a\nb": 1, "": 1}))["result"] == "invalid"
    assert probe.ask("json", json.dumps({longest + "k": 1}))["result"] == "invalid"
    assert probe.ask("json", json.dumps({"a\nb": 1, longest: 2, "nul\0": 3, "text": text}))["result"] == "ok"
    assert probe.ask("summary", json.dumps({"best\tof": {"a\nb": 1}}))["result"] == "ok"
    assert probe.ask("config", json.dumps({"lr": {"a\0b": 1}}))["result"] == "invalid"
    assert probe.ask("config", json.dumps({"path\\u0000": "x\\u0000", longest: 1}))["result"] == "ok"
    assert probe.finish()["result"] == "ok"
    row, = real_run.rows
    short = next(name for name in row if name.startswith("kkk"))
    assert (row["a␊b"], row["nul␀"], row["text"], row[short], len(short.encode())) == (1, 3, text, 2, 512)
    assert {each["key"]: each.get("whole_key") for each in real_run.get("/keys")["items"]}[short] == longest
    assert real_run.get("/config") == {"path\\u0000": "x\\u0000", longest: 1}
    assert real_run.get("/summary")["best\tof"] == {"a\nb": 1} and real_run.get()["left_out"] == 0


def test_what_makes_a_run(real_run, make_real_probe):
    probe = make_real_probe(CAIRN_NAME="My run", CAIRN_GROUP="g", CAIRN_JOB_TYPE="train",
                            CAIRN_TAGS="a,b", CAIRN_NOTES="why")
    probe.start()
    assert probe.finish()["result"] == "ok"
    run = real_run.get()
    assert (run["display_name"], run["group"], run["job_type"], run["tags"], run["notes"]) == \
        ("My run", "g", "train", ["a", "b"], "why")
    assert run["state"] == "finished" and run["exit_code"] == 0


def test_server_killed_while_rows_come(real_run, cairnd, probe):
    """kill -9 between batches and within them: what was confirmed is there, nothing is there twice."""
    probe.start()
    logged = 0
    for _ in range(3):
        for _ in range(20):
            probe.ask("log", logged, 50)
            logged += 50
        cairnd.kill()
        probe.ask("log", logged, 50)
        logged += 50
        cairnd.back()
    assert probe.finish()["result"] == "ok"
    assert real_run.numbers() == list(range(logged))
    assert probe.ask("stats")["stored"] == logged


def test_ledger_with_the_spool(real_run, cairnd, make_real_probe, tmp_path):
    """Rows, lines and documents through the disk, with a server that goes and is killed: all once and in order."""
    probe = make_real_probe(CAIRN_SPOOL="on", CAIRN_SPOOL_DIR=str(tmp_path / "spool"), CAIRN_SPOOL_AFTER_MS="100",
                            CAIRN_SPOOL_RESERVE="0", CAIRN_LABEL="w")
    probe.start()
    logged = 0
    for leave in (cairnd.kill, cairnd.away, cairnd.kill):
        probe.ask("log", logged, 3000)
        leave()
        probe.ask("log", logged + 3000, 3000)
        probe.ask("console", f"line {logged}\n".encode().hex())
        logged += 6000
        wait_until(lambda: probe.ask("stats")["buffer_bytes"] <= 65536 and any(tmp_path.glob("spool/*/*.log")))
        cairnd.back()
    probe.ask("summary", json.dumps({"best": 1}))
    assert probe.finish()["result"] == "ok"
    assert real_run.numbers() == list(range(logged))
    assert real_run.console() == ["line 0", "line 6000", "line 12000"]
    writer = real_run.writers["w"]
    assert (writer["records"], writer["dropped_rows"]) == (logged + 3, 0)
    assert real_run.get("/summary")["best"] == 1 and list(tmp_path.glob("spool/*")) == []


def test_server_away_and_the_buffer_full(real_run, cairnd, make_real_probe):
    probe = make_real_probe(CAIRN_BUFFER_MIB="1", CAIRN_LABEL="w")
    probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    cairnd.away()
    kept = probe.ask("log", 0, 50000)["kept"]
    assert kept < 50000
    assert probe.ask("flush", 200)["result"] == "timeout"
    cairnd.back()
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    probe.ask("log", 50000, 10)
    report = probe.finish()
    assert report["result"] == "ok" and report["history_lost"] == 50000 - kept
    assert real_run.numbers() == [*range(kept), *range(50000, 50010)]
    assert real_run.writers["w"]["dropped_rows"] == 50000 - kept


def test_forked_children_are_workers(real_run, make_real_probe):
    probe = make_real_probe(CAIRN_LABEL="parent")
    probe.start()
    forked = probe.ask("fork", 5)
    assert forked["bad"] == 0, forked
    assert real_run.state == "running", "a worker's end is not the run's"
    assert probe.finish()["result"] == "ok"
    children = [w for w in real_run.get("/writers")["items"] if w["role"] == "worker"]
    assert len(children) == 5 and {child["state"] for child in children} == {"ended"}
    assert sum("child" in row for row in real_run.rows) == 5 and real_run.state == "finished"


def test_one_client_id_twice(real_run, make_real_probe):
    """Two processes by mistake take each other's session; no row is lost, none is there twice."""
    first, second = make_real_probe(CAIRN_CLIENT="same"), make_real_probe(CAIRN_CLIENT="same")
    first.start()
    second.start()
    for start in range(0, 100, 10):
        first.ask("log", start, 10)
        second.ask("log", 1000 + start, 10)
    assert first.ask("flush", PATIENCE_MS)["result"] == "ok"
    assert second.ask("flush", PATIENCE_MS)["result"] == "ok"
    numbers = real_run.numbers()
    assert [n for n in numbers if n < 1000] == list(range(100))
    assert [n for n in numbers if n >= 1000] == list(range(1000, 1100))
    first.finish()
    second.finish()


def test_exit_status_of_a_program_that_does_not_finish(real_run, make_real_probe):
    probe = make_real_probe(CAIRN_EXIT_TIMEOUT_MS=str(PATIENCE_MS))
    probe.allowed = (7,)
    probe.start()
    probe.ask("log", 0, 10)
    probe.process.stdin.write("exit 7\n")
    probe.process.stdin.flush()
    assert probe.process.wait(PATIENCE_S) == 7
    assert real_run.numbers() == list(range(10))
    assert (real_run.state, real_run.get()["exit_code"]) == ("failed", 7)


def test_a_killed_process_ends_nothing(real_run, probe):
    probe.allowed = (-signal.SIGKILL,)
    probe.start()
    probe.ask("log", 0, 10)
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    probe.process.kill()
    probe.process.wait(PATIENCE_S)
    assert real_run.numbers() == list(range(10)) and real_run.state == "running"


def test_a_stop_request_is_heard(real_run, probe):
    probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    real_run.ask("POST", "/stop", {"reason": "enough"})
    probe.ask("log", 0, 1)
    assert probe.ask("flush", PATIENCE_MS)["result"] == "ok"
    assert probe.ask("stats")["stop"] == 1
    probe.finish()


def test_a_deleted_run(real_run, probe):
    probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    real_run.ask("DELETE")
    probe.ask("log", 0, 10)
    report = probe.finish()
    assert report["result"] == "refused" and report["history_unsent"] == 10 and report["seconds"] < 60
    with pytest.raises(urllib.error.HTTPError, match="410"):
        real_run.get()


def test_system_metrics(real_run, make_real_probe):
    probe = make_real_probe(CAIRN_SAMPLE_INTERVAL="0.1", CAIRN_LABEL="w")
    probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    wait_until(lambda: len(real_run.events) >= 3, what="three samples")
    assert probe.finish()["result"] == "ok"
    samples = real_run.events
    assert {row["_label"] for row in samples} == {"w"}
    assert all(row["proc.memory.rssMB"] > 0 for row in samples if "proc.memory.rssMB" in row)
    assert {"proc.memory.rssMB", "memory_percent"} <= {name for row in samples for name in row}


def test_choice_of_disks(real_run, make_real_probe):
    probe = make_real_probe(CAIRN_SAMPLE_INTERVAL="0.1", CAIRN_SAMPLE_DISKS="/,/dev", CAIRN_SAMPLE_GPUS="none")
    probe.start()
    assert probe.ask("joined", PATIENCE_MS)["result"] == "ok"
    wait_until(lambda: any("disk./dev.usagePercent" in row for row in real_run.events), what="a sample")
    assert probe.finish()["result"] == "ok"
    names = {name for row in real_run.events for name in row}
    assert {"disk./.usagePercent", "disk./dev.usagePercent"} <= names
    assert not [name for name in names if name.startswith("gpu.")]
