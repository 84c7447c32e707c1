"""cairn sync: what a spool holds is on the server once, in order, whatever came in between."""
import json
import os
import pty
import signal
import socket
import subprocess

import pytest

from cluster import wait_until
from fake_server import KEY
from probe import PATIENCE_S, environment_of
from real_server import RealRun
from spool_files import EVENTS
from spools import START_US, Spool, sleeper

CAIRN = os.environ.get("CAIRN_TEST_COMMAND", "cairn")


@pytest.fixture
def environment(cairnd):
    made = environment_of(cairnd.url, cairnd.key)
    for name in ("CAIRN_RUN", "CAIRN_PROJECT"):
        del made[name]
    return made


@pytest.fixture
def top(tmp_path):
    return tmp_path / "spool"


@pytest.fixture
def process():
    made = sleeper()
    yield made
    made.kill()
    made.wait()


@pytest.fixture
def run_of(cairnd, request):
    """A run of the test's own by a short name."""
    prefix = "".join(letter for letter in request.node.name if letter.isalnum())[-60:]

    def make(name="r"):
        return RealRun(cairnd, f"{prefix}-{name}")
    return make


def sync(environment, *words, code=0, **more):
    done = subprocess.run([CAIRN, "sync", "--timeout", "60", *map(str, words)], env=environment, capture_output=True, text=True,
                          timeout=PATIENCE_S, **more)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def attempts(run):
    """How often it was begun."""
    return run.get()["attempt"]


def test_all_of_a_run(environment, top, run_of):
    run = run_of()
    spool = Spool(top, run.name, "w1", display_name="Night", group="g", tags="a,b", notes="why")
    spool.config(lr=0.1)
    spool.fill(5)
    spool.row(EVENTS, cpu=7.0)
    spool.line("first"), spool.line("second", 2)
    spool.alert(1, "loss is high", "at 5")
    spool.begin_segment()
    spool.fill(5).summary(best=3)
    spool.drop(history=2)
    spool.row(n=10)
    spool.end(3, reason="out of disk")
    first = sync(environment, top)
    assert "11 rows, 1 system sample, 2 lines, 1 alert; failed" in first.stdout and first.stderr == ""
    for _ in range(2):
        made, writer = run.get(), run.writers["w1"]
        assert (made["state"], made["display_name"], made["group"], made["tags"], made["notes"], made["exit_code"]) == \
            ("failed", "Night", "g", ["a", "b"], "why", 3)
        assert run.numbers() == list(range(11)) and [row["cpu"] for row in run.events] == [7.0]
        assert [row["_timestamp"] for row in run.rows][:2] == [START_US / 1e6, (START_US + 1000) / 1e6]
        assert (run.console(), run.console("stderr")) == (["first"], ["second"])
        assert run.get("/config") == {"lr": 0.1} and run.get("/summary")["best"] == 3
        assert [alert["title"] for alert in run.get("/alerts")["items"]] == ["loss is high"]
        assert (writer["dropped_rows"], writer["records"], writer["host"], writer["pid"], writer["state"]) == \
            (2, 14, "node7", 4711, "ended")
        assert made["started_at"] == "2023-11-14T22:13:20.000000Z" and made["ended_at"] == "2023-11-14T22:13:20.014500Z"
        assert attempts(run) == 1
        again = sync(environment, top)  # and nothing changes
        assert "0 rows, 0 system samples, 0 lines; already synced" in again.stdout


def test_a_process_that_was_killed(environment, top, run_of):
    """The run has crashed at its last record; a worker's death is not the run's."""
    run = run_of()
    Spool(top, run.name, "w1").fill(4)
    Spool(top, run.name, "w2", role="worker").fill(2)
    assert "crashed" in sync(environment, top).stdout
    made = run.get()
    assert (made["state"], made["ended_at"]) == ("crashed", "2023-11-14T22:13:20.003000Z")
    assert sorted(run.numbers()) == [0, 0, 1, 1, 2, 3] and {w["state"] for w in run.writers.values()} == {"ended"}
    assert attempts(run) == 1


def test_rows_by_hand(environment, top, run_of):
    """All of a host are one writer, which is sent again when rows were added, and does not end the run."""
    run, offline = run_of(), {**environment, "CAIRN_MODE": "offline", "CAIRN_SPOOL_DIR": str(top), "CAIRN_PROJECT": "me/p"}
    for count in 1, 2:
        for number in range(2):
            subprocess.run([CAIRN, "log", "--run", run.name, f"n={2 * count - 2 + number}"], env=offline, check=True, timeout=PATIENCE_S)
        sync(environment, top)
        assert run.numbers() == list(range(2 * count)) and run.state == "running"
    sync(environment, "--delete-synced", top)
    assert list(top.iterdir()) == []


def test_writers_in_any_order(environment, top, run_of):
    """A worker whose spool comes after the end of the run leaves it as it ended."""
    run = run_of()
    Spool(top / "a", run.name, "w1").fill(3).end()
    Spool(top / "b", run.name, "w2", role="worker").fill(2).end()
    sync(environment, top / "a")
    before = run.get()
    sync(environment, top / "b")
    after = run.get()
    assert (after["state"], after["ended_at"], after["attempt"]) == ("finished", before["ended_at"], before["attempt"])
    assert sorted(run.numbers()) == [0, 0, 1, 1, 2] and run.writers["w2"]["state"] == "ended"


def test_while_the_program_writes(environment, top, run_of, process):
    run = run_of()
    spool = Spool(top, run.name, "w1").fill(3)
    spool.is_written_by(process)
    spool.alert(1, "slow")
    assert "its process goes on" in sync(environment, top).stdout
    assert run.state == "running" and run.numbers() == [0, 1, 2]
    sync(environment, top)
    with open(spool.path(), "ab") as file:  # a frame that is being written
        file.write(b"\x40\0\0\0\x01\0\0\0half")
    sync(environment, top)
    with open(spool.path(), "r+b") as file:
        file.truncate(os.path.getsize(spool.path()) - 12)
    spool.fill(3)
    spool.end()
    sync(environment, top)
    assert run.numbers() == list(range(6)) and run.state == "finished" and attempts(run) == 1
    assert len(run.get("/alerts")["items"]) == 1


def test_a_process_that_sends_itself(environment, top, run_of, process):
    run = run_of()
    spool = Spool(top, run.name, "w1", mode="online").fill(3)
    spool.is_written_by(process)
    assert "its process still runs and sends it itself" in sync(environment, top).stderr
    assert not run.is_there()
    spool.is_dead()
    sync(environment, top)
    assert run.numbers() == [0, 1, 2] and run.state == "crashed"


def test_two_at_once(environment, top, run_of):
    """Each join fences the other's session; the one that is fenced says so."""
    run = run_of()
    for number in range(4):
        spool = Spool(top, run.name, f"w{number}")
        for _ in range(3):
            spool.begin_segment()
            spool.fill(300)
        spool.end()
    syncs = [subprocess.Popen([CAIRN, "sync", str(top)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
             for _ in range(2)]
    told = [process.communicate(timeout=PATIENCE_S)[1] for process in syncs]
    for process, errors in zip(syncs, told):
        assert process.returncode in (0, 1) and all("another cairn sync" in line or "not synced" in line for line in errors.splitlines())
    sync(environment, top)
    for number in range(4):
        assert run.numbers(f"w{number}") == list(range(900))


def test_killed_in_the_middle_and_again(environment, top, cairnd, run_of):
    runs = [run_of(f"r{number}") for number in range(24)]
    for run in runs:
        Spool(top, run.name, "w1").fill(50).end()
    for count in (1, 9, 17):
        process = subprocess.Popen([CAIRN, "sync", "--parallel", "2", str(top)], env=environment, stdout=subprocess.DEVNULL)
        wait_until(lambda: sum(run.is_there() for run in runs) >= count, what="some runs")  # noqa: B023
        process.kill()
        process.wait()
    sync(environment, top)
    for run in runs:
        assert run.numbers() == list(range(50)) and run.state == "finished" and attempts(run) == 1


def test_drops_are_counted_once(environment, top, run_of, process):
    run = run_of()
    spool = Spool(top, run.name, "w1").fill(2)
    spool.is_written_by(process)
    for _ in range(2):
        spool.drop(history=5, console=1)
        sync(environment, top)
        sync(environment, top)
        spool.row()
        sync(environment, top)
    spool.drop(events=7)
    spool.end()
    sync(environment, top)
    sync(environment, top)
    assert run.writers["w1"]["dropped_rows"] == 19 and run.numbers() == [0, 1, 2, 3]


def flip(path, offset):
    data = bytearray(path.read_bytes())
    data[offset] ^= 0xFF
    path.write_bytes(data)


def test_damage(environment, top, run_of):
    """What can be read is sent; what cannot is counted. The folder is kept."""
    run, other = run_of("damaged"), run_of("whole")
    spool = Spool(top, run.name, "w1").fill(4)
    flip(spool.path(), 200)  # the third record, so the rest of the segment
    spool.begin_segment()
    spool.fill(2)
    flip(spool.path(), 3)  # the head
    spool.begin_segment()
    spool.fill(2).end()
    Spool(top, other.name, "w1").fill(2).end()
    told = sync(environment, "--delete-synced", top, code=1)
    assert "00000001.log" in told.stderr and "4 records are missing" in told.stderr
    assert run.numbers() == [0, 1, 6, 7] and other.numbers() == [0, 1]
    assert run.writers["w1"]["dropped_rows"] == 4 and run.state == "finished"
    assert spool.folder.is_dir() and len(list(top.iterdir())) == 1
    for _ in range(2):  # and it stays, though the server has all of it
        told = sync(environment, "--delete-synced", top, code=1)
        assert "the spool is damaged in 2 places" in told.stderr and spool.folder.is_dir()
        assert run.numbers() == [0, 1, 6, 7] and run.writers["w1"]["dropped_rows"] == 4


def test_damage_that_an_interrupted_sync_has_passed(environment, top, run_of, process):
    run = run_of()
    spool = Spool(top, run.name, "w1").fill(4)
    flip(spool.path(), 200)
    spool.begin_segment()
    spool.fill(2)
    spool.is_written_by(process)
    sync(environment, top, code=1)
    spool.is_dead()
    sync(environment, "--delete-synced", top, code=1)
    assert run.numbers() == [0, 1, 4, 5] and spool.path(1).exists()


def test_an_index_that_goes_back(environment, top, run_of):
    """Records that were read before are left out."""
    run = run_of()
    spool = Spool(top, run.name, "w1").fill(4)
    spool.begin_segment(first=1)
    for number in (101, 102, 103, 4):
        spool.row(n=number)
    spool.end()
    sync(environment, top)
    assert run.numbers() == [0, 1, 2, 3, 4] and run.writers["w1"]["dropped_rows"] == 0


def log(environment, run, *words, code=0):
    done = subprocess.run([CAIRN, "log", "--run", run.name, *words], env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == code, done.stderr


def test_rows_by_hand_after_the_folder_is_deleted(environment, top, run_of):
    """Once the folder is deleted, the next row begins another stream of the same writer."""
    run = run_of()
    offline = {**environment, "CAIRN_MODE": "offline", "CAIRN_SPOOL_DIR": str(top), "CAIRN_PROJECT": "me/p"}
    for number in range(3):
        log(offline, run, f"n={number}")
    assert ", deleted" in sync(environment, "--delete-synced", top).stdout and list(top.iterdir()) == []
    log(offline, run, "n=3")
    sync(environment, top)
    log(offline, run, "n=4")
    sync(environment, "--delete-synced", top)
    assert run.numbers() == list(range(5)) and list(top.iterdir()) == [] and len(run.writers) == 1


def test_rows_by_hand_that_were_half_written(environment, top, run_of):
    """By calls that were killed: the next one goes on behind it."""
    cases = {"begun": (1, b""), "second": (2, b""), "head": (2, b"CAIRNSPL\1\0\0\0"), "frame": (1, None)}
    calls = {}
    for name, (segment, left) in cases.items():
        offline = {**environment, "CAIRN_MODE": "offline", "CAIRN_SPOOL_DIR": str(top / name), "CAIRN_PROJECT": "me/p"}
        log(offline, run_of(name), "n=0")
        folder, = (top / name).iterdir()
        with open(folder / f"{segment:08d}.log", "wb" if left is not None else "ab") as file:
            file.write(left if left is not None else b"\x40\0\0\0\x01\0\0\0half")
        calls[name] = offline, folder, subprocess.Popen([CAIRN, "log", "--run", run_of(name).name, "n=1"], env=offline)
    for name, (offline, folder, call) in calls.items():
        assert call.wait(PATIENCE_S) == 0
        log(offline, run_of(name), "--timeout", "0", "n=2")  # and nothing waits any more
        assert list((top / name).iterdir()) == [folder]
    sync(environment, "--delete-synced", *(top / name for name in cases))
    for name in cases:
        run = run_of(name)
        assert run.numbers() == ([1, 2] if name == "begun" else [0, 1, 2]) and len(run.writers) == 1
        assert run.writers.popitem()[1]["dropped_rows"] == 0 and list((top / name).iterdir()) == []


@pytest.mark.parametrize("content, words", [
    (None, "writer.json"), (b"{", "writer.json"), (b'{"format": 2}', "writer.json"), (b'{"format": 1, "run": "x"}', "writer.json")])
def test_no_identity(environment, top, run_of, content, words):
    """Its folder cannot be sent; others can."""
    run, other = run_of("bad"), run_of("good")
    spool = Spool(top, run.name, "w1").fill(2)
    Spool(top, other.name, "w1").fill(2).end()
    (spool.folder / "writer.json").unlink()
    if content is not None:
        spool.write("writer.json", content)
    told = sync(environment, top, code=1)
    assert words in told.stderr and other.numbers() == [0, 1] and not run.is_there()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")
def test_another_users_spool(environment, top, run_of, tmp_path):
    run = run_of()
    spool = Spool(top, run.name, "w1").fill(2).end()
    for folder in (top, *top.parents):
        if folder.stat().st_uid == 0 and folder != folder.parent:
            folder.chmod(folder.stat().st_mode | 0o755)
    spool.folder.chmod(0o755)
    told = sync(environment, top, code=1, user=65534, group=65534)
    assert str(spool.folder) in told.stderr and not run.is_there()


def test_a_key_that_is_revoked(environment, top, run_of):
    run = run_of()
    Spool(top, run.name, "w1").fill(2).end()
    told = sync({**environment, "CAIRN_API_KEY": "0" * 40}, top, code=1)
    assert "rejects the API key" in told.stderr and not run.is_there()
    sync(environment, top)
    assert run.numbers() == [0, 1]


def test_a_run_that_is_deleted(environment, top, run_of, process):
    run, other = run_of("gone"), run_of("kept")
    spools = [Spool(top, one.name, "w1").fill(2) for one in (run, other)]
    for spool in spools:
        spool.is_written_by(process)
    sync(environment, top)
    run.ask("DELETE")
    for spool in spools:
        spool.fill(2).end()
    told = sync(environment, "--delete-synced", top, code=1)
    assert "the run was deleted" in told.stderr and other.numbers() == [0, 1, 2, 3]
    assert [folder.name for folder in top.iterdir()] == [spools[0].folder.name]


def test_no_server(environment, top, run_of):
    Spool(top, run_of().name, "w1").fill(2).end()
    told = subprocess.run([CAIRN, "sync", "--timeout", "1", str(top)], env={**environment, "CAIRN_URL": "http://127.0.0.1:1"},
                          capture_output=True, text=True, timeout=PATIENCE_S)
    assert told.returncode == 3 and "no response from the server" in told.stderr


def test_the_url_of_the_spool(environment, top, cairnd, run_of, tmp_path):
    """Used where neither the command line nor the environment names a server, and with the key of the login there alone."""
    run = run_of()
    Spool(top, run.name, "w1", url=cairnd.url).fill(2).end()
    del environment["CAIRN_URL"]
    login = tmp_path / "cairn" / "credentials"
    login.parent.mkdir()
    login.touch(0o600)
    for text in ("", f"{cairnd.url}0 {cairnd.key}\n"):
        login.write_text(text)
        told = sync({**environment, "XDG_CONFIG_HOME": str(tmp_path)}, top, code=1)
        assert f"the spool names the server {cairnd.url}, and there is no login for it: set --url" in told.stderr
        assert not run.is_there()
    login.write_text(f"{cairnd.url} {cairnd.key}\n")
    sync({**environment, "CAIRN_API_KEY": "0" * 40, "XDG_CONFIG_HOME": str(tmp_path)}, top)
    assert run.numbers() == [0, 1]


def test_another_project(environment, top, cairnd, run_of):
    run = run_of()
    Spool(top, run.name, "w1", entity=None).fill(2).end()
    sync(environment, "--project", "q", top)
    assert RealRun(cairnd, run.name, "q").numbers() == [0, 1] and not run.is_there()
    sync(environment, top)  # without an entity: the user's own
    assert run.numbers() == [0, 1]


def test_dry_run(environment, top, run_of, process):
    run = run_of()
    Spool(top, run.name, "ended").fill(3).end()
    Spool(top, run.name, "killed").line("x")
    Spool(top, run.name, "lives").is_written_by(process)
    told = sync({**environment, "CAIRN_URL": "http://127.0.0.1:1"}, "--dry-run", top)
    rows = {words[1]: words[2:5] + [" ".join(words[6:])] for words in (line.split() for line in told.stdout.splitlines()[1:])}
    assert rows == {"ended": ["3", "0", "0", "ended"], "killed": ["0", "0", "1", "ended without a finish"],
                    "lives": ["0", "0", "0", "running"]}
    assert not run.is_there()


def test_delete(environment, top, run_of, process):
    """Folders of which the server has everything, and segments of a process that goes on."""
    done, goes_on = run_of("done"), run_of("on")
    Spool(top, done.name, "w1").fill(2).end()
    spool = Spool(top, goes_on.name, "w1").fill(2)
    spool.begin_segment()
    spool.fill(2)
    spool.is_written_by(process)
    assert ", deleted" in sync(environment, "--delete-synced", top).stdout
    assert [folder.name for folder in top.iterdir()] == [spool.folder.name] and not spool.path(1).exists()
    spool.fill(2).end()
    sync(environment, "--delete-synced", top)
    assert goes_on.numbers() == list(range(6)) and list(top.iterdir()) == []


def test_a_process_that_may_come_back(environment, top, run_of):
    """It counts as dead by its silence: its folder stays until it has an end. What comes later is sent, the end, too."""
    run = run_of()
    spool = Spool(top, run.name, "w1").fill(2)
    spool.is_silent()
    told = sync(environment, "--delete-synced", top)
    assert "kept: it has no end" in told.stderr and spool.folder.is_dir() and run.state == "crashed"
    sync(environment, "--delete-synced", top)
    assert spool.folder.is_dir() and attempts(run) == 1
    spool.summary(best=3)
    spool.alert(1, "late")
    spool.end(0)
    sync(environment, "--delete-synced", top)
    assert run.get("/summary")["best"] == 3 and [alert["title"] for alert in run.get("/alerts")["items"]] == ["late"]
    assert run.writers["w1"]["exit_code"] == 0 and run.numbers() == [0, 1] and list(top.iterdir()) == []


def api_of(run, client, stream):
    """The first four records of a process that sent them itself."""
    run.ask("PUT", body={})
    session = run.ask("POST", "/join", {"client": client, "label": client, "role": "primary", "stream": stream})["session"]
    run.ask("POST", "/batch", {"writer": client, "session": session, "batch": 1, "stream": stream, "record_first": 0,
                               "history": [{"n": number} for number in range(4)]})


def test_documents_of_a_process_that_sends_itself(environment, top, run_of):
    """It keeps no order: only what it says itself is sent, wherever it is in the spool."""
    run = run_of()
    spool = Spool(top, run.name, "w1", mode="online")
    spool.config(1, lr=1)
    spool.summary(1, best=1)
    spool.alert(1, "sent")
    spool.metadata(host="node7")
    spool.config(2, lr=2)
    spool.summary(2, last=2)
    spool.alert(2, "not sent")
    spool.preempting()
    spool.fill(4)
    spool.begin_segment()
    spool.sent(alerts=1, config=1, summary=1)
    spool.row(n=4)
    api_of(run, "w1", "s1")
    sync(environment, top)
    assert run.numbers() == list(range(5)) and run.state == "preempted"
    assert run.get("/config") == {"lr": 2} and "best" not in run.get("/summary") and run.get("/summary")["last"] == 2
    assert [alert["title"] for alert in run.get("/alerts")["items"]] == ["not sent"]
    assert run.get("/files/wandb-metadata.json") == {"host": "node7"}


def test_a_hostile_folder(environment, top, run_of, tmp_path):
    """Files that hang, or lead elsewhere, are replaced; what they lead to stays as it is."""
    target = tmp_path / "target"
    target.write_text("kept")
    for name in ("fifo", "symlink", "hardlink"):
        spool = Spool(top, run_of(name).name, "w1").fill(2).end()
        for file in (spool.folder / "sent", spool.folder / "sent.new"):
            if name == "fifo":
                os.mkfifo(file)
            elif name == "symlink":
                file.symlink_to(target)
            else:
                file.hardlink_to(target)
    sync(environment, top)
    assert target.read_text() == "kept" and all((folder / "sent").read_text().startswith("records 2\n") for folder in top.iterdir())
    sync(environment, "--delete-synced", top)
    assert target.read_text() == "kept" and list(top.iterdir()) == []


def test_files_of_others_stay(environment, top, run_of):
    run = run_of()
    spool = Spool(top, run.name, "w1").fill(2).end()
    (spool.folder / "notes").write_text("mine")
    told = sync(environment, "--delete-synced", top)
    assert "has other files" in told.stderr and [file.name for file in spool.folder.iterdir()] == ["notes"]
    assert sync(environment, top).stdout.startswith("0 writers")


def test_a_folder_of_one_writer(environment, top, run_of):
    run, other = run_of("a"), run_of("b")
    spool = Spool(top, run.name, "w1").fill(2).end()
    Spool(top, other.name, "w1").fill(2).end()
    sync(environment, spool.folder)
    assert run.numbers() == [0, 1] and not other.is_there()


def test_no_spool(environment, tmp_path, top):
    top.mkdir()
    assert sync(environment, top).stdout == "0 writers: 0 rows, 0 system samples, 0 lines; all synced\n"
    assert "there is no spool" in sync(environment, cwd=tmp_path).stderr
    assert "cannot open the spool" in sync(environment, tmp_path / "none", code=1).stderr
    assert "must be an integer from 1 to 64" in sync(environment, "--parallel", "65", tmp_path, code=2).stderr


def test_watch(environment, top, run_of, process, tmp_path):
    """New writers are found, processes that go on are followed, the run of a silent one stays alive."""
    run, late = run_of("first"), run_of("late")
    watch = subprocess.Popen([CAIRN, "sync", "--watch", "--delete-synced", str(top)], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        spool = Spool(tmp_path / "made", run.name, "w1").fill(2)
        spool.is_written_by(process)
        top.mkdir(mode=0o700)  # it may come later
        spool.move(top)
        wait_until(lambda: run.is_there() and run.numbers() == [0, 1], what="the first rows")
        spool.fill(2)
        Spool(tmp_path / "made", late.name, "w1").fill(3).end().move(top)
        wait_until(lambda: run.numbers() == [0, 1, 2, 3], what="rows that came later")
        wait_until(lambda: late.is_there() and late.state == "finished", what="a new writer")
        assert late.numbers() == [0, 1, 2] and attempts(run) == 1
        spool.end(1)
        wait_until(lambda: run.state == "failed" and not list(top.iterdir()), what="the end")
    finally:
        watch.send_signal(signal.SIGTERM)
        told = watch.communicate(timeout=PATIENCE_S)[0]
    assert watch.returncode == 0 and told.count("; failed, deleted") == 1


def test_watch_of_a_mode_that_changes(environment, top, run_of, process, tmp_path):
    """Once the process sends its spool itself, the sync leaves it alone."""
    run = run_of()
    spool = Spool(top, run.name, "w1").fill(2)
    spool.is_written_by(process)
    told = tmp_path / "told"
    with open(told, "w", encoding="utf-8") as file:
        watch = subprocess.Popen([CAIRN, "sync", "--watch", str(top)], env=environment, stdout=subprocess.DEVNULL, stderr=file)
    try:
        wait_until(lambda: run.is_there() and run.numbers() == [0, 1], what="the first rows")
        spool.write("writer.new", json.dumps({**spool.identity, "mode": "online"}).encode())
        (spool.folder / "writer.new").rename(spool.folder / "writer.json")
        wait_until(lambda: "its process still runs and sends it itself" in told.read_text(), what="the line")
    finally:
        watch.send_signal(signal.SIGTERM)
        watch.wait(PATIENCE_S)


def test_many_bytes(environment, top, run_of):
    """Rows and lines that fill several requests, in order."""
    run = run_of()
    spool = Spool(top, run.name, "w1")
    for number in range(60):
        spool.row(n=number)
        spool.line(f"{number} " + "x" * 60000)
    spool.end()
    sync(environment, top)
    assert run.numbers() == list(range(60)) and [int(line.split()[0]) for line in run.console()] == list(range(60))


def test_odd_clocks_and_words(environment, top, run_of):
    """A start in ten years and a reason of control characters: the data is sent, and the end."""
    run = run_of()
    spool = Spool(top, run.name, "w1", started_at_us=START_US + 10 * 365 * 86400 * 10**6)
    spool.fill(2).end(1, reason="bad\n\x01\x7f \u202e" + "\u00e9" * 200)
    sync(environment, top)
    made = run.get()
    assert run.numbers() == [0, 1] and made["state"] == "failed" and made["end_reason"].startswith("bad    ")
    assert len(made["end_reason"].encode()) <= 256


def test_one_folder_by_two_names(environment, top, run_of, tmp_path):
    run = run_of()
    spool = Spool(top, run.name, "w1").fill(300).end()
    (tmp_path / "link").symlink_to(top)
    told = sync(environment, top, tmp_path / "link", f"{top}/./", spool.folder)
    assert "1 writer: 300 rows" in told.stdout and run.numbers() == list(range(300)) and attempts(run) == 1


def test_interrupt_while_the_server_is_silent(environment, top, run_of):
    Spool(top, run_of().name, "w1").fill(2).end()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = subprocess.Popen([CAIRN, "sync", str(top)], env={**environment, "CAIRN_URL": f"http://127.0.0.1:{silent.getsockname()[1]}"},
                                   stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        silent.accept()
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode == 1 and "interrupted; run cairn sync again" in told


def test_progress_on_a_terminal(environment, top, run_of):
    Spool(top, run_of().name, "w1").fill(2).end()
    ours, theirs = pty.openpty()
    process = subprocess.Popen([CAIRN, "sync", str(top)], env=environment, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    assert process.wait(PATIENCE_S) == 0
    told = os.read(ours, 65536).decode()
    os.close(ours)
    assert "of 1 writers, " in told and told.endswith("\x1b[K")


# -- answers of a server, by their kind


@pytest.fixture
def misled(server, top):
    """A spool for the server that misbehaves."""
    spool = Spool(top, "r1", "w1", entity="e")
    return spool, environment_of(server.url, KEY)


@pytest.mark.parametrize("fault", [("status", 503, {"Retry-After": "1"}), ("status", 429), ("proxy", 502), "garbage", "drop-after-store"])
@pytest.mark.parametrize("name", ["make", "join", "batch", "finish"])
def test_try_again(server, misled, top, name, fault):
    spool, environment = misled
    spool.fill(3).end()
    server.fault = lambda kind, count: fault if kind == name and count == 0 else None
    sync(environment, top)
    assert [row["n"] for row in server.writer().history] == [0, 1, 2] and server.writer().finished == 0


def test_a_wait_that_is_too_long(server, misled, top):
    """A server that asks for more time than --timeout has is not waited for."""
    spool, environment = misled
    spool.fill(3).end()
    server.fault = lambda kind, count: ("status", 503, {"Retry-After": "300"}) if kind == "batch" else None
    assert "status 503" in sync(environment, top, code=3).stderr
    server.fault = lambda kind, count: None
    sync(environment, top)
    assert [row["n"] for row in server.writer().history] == [0, 1, 2]


def test_rejected_records(server, misled, top):
    """They are found by halves and counted; the others are sent."""
    spool, environment = misled
    spool.fill(40).end()
    server.allows_gaps = True
    server.refuse_row = lambda row: row["n"] in (7, 8, 39)
    told = sync(environment, "--delete-synced", top, code=1)
    assert "37 rows, 0 system samples, 0 lines; 3 rejected" in told.stdout
    assert [row["n"] for row in server.writer().history] == [n for n in range(40) if n not in (7, 8, 39)]
    for _ in range(2):  # the last one is not sent again, and the folder stays
        assert server.writer().dropped["history"] == 3 and server.writer().records == {"s1": 40} and len(list(top.iterdir())) == 1
        assert "kept: the server rejected 3 of" in sync(environment, "--delete-synced", top).stderr


def test_drops_at_the_end_of_a_sync_that_ended(server, misled, top):
    spool, environment = misled
    spool.fill(2)
    spool.drop(history=5)
    spool.end()
    server.fault = lambda kind, count: ("status", 503) if kind == "finish" else None
    sync(environment, "--timeout", "0", top, code=3)
    server.fault = lambda kind, count: None
    sync(environment, top)
    assert server.writer().dropped["history"] == 5 and server.writer().finished == 0


def test_rows_that_come_as_the_folder_is_deleted(server, misled, top):
    """Between the last read and the removal, of a process that is back."""
    spool, environment = misled
    spool.fill(2).end()
    added = []

    def add(kind, count):
        if kind == "finish" and count < 2:
            if count:
                spool.begin_segment()
            spool.fill(3).end()
            added.append(count)

    server.fault = add
    assert "; finished, deleted" in sync(environment, "--delete-synced", top).stdout
    assert added == [0, 1] and [row["n"] for row in server.writer().history] == list(range(8)) and list(top.iterdir()) == []


def test_a_proxy_that_takes_little(server, misled, top):
    spool, environment = misled
    for number in range(20):
        spool.line(f"{number} " + "x" * 30000)
    spool.end()
    server.fault = lambda kind, count: ("proxy-limit", 100000)
    sync(environment, top)
    assert [server.writer().lines[n]["text"].split()[0] for n in range(20)] == [str(n) for n in range(20)]


def test_a_server_that_does_not_count_records(server, misled, top):
    spool, environment = misled
    spool.fill(3).end()
    server.knows_records = False
    told = sync(environment, top, code=1)
    assert "too old for cairn sync" in told.stderr and server.run().writers == {}
