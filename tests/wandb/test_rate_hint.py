"""How often the SDK sends: as it likes, and more and more seldom while the server has little memory left."""
import contextlib
import datetime
import http.client
import time

import pytest

pytestmark = pytest.mark.own
MIB = 1 << 20
MEMORY = 32 * MIB
FULL = {"RateLimit-Remaining": "3932160", "RateLimit-Reset": "60"}


@pytest.fixture(scope="module")
def settings():
    return {"memory": MEMORY, "search_memory": 0, "max_body": "4M", "idle_timeout_s": 600}


def log_until(name, file):
    """A row ten times a second, until the file is there; how many."""
    import pathlib
    import time

    import wandb
    with wandb.init(id=name) as run:
        step = 0
        while not pathlib.Path(file).exists():
            run.log({"value": step})
            step += 1
            time.sleep(0.1)
    return step


@contextlib.contextmanager
def memory_in_use(server, key):
    """Two bodies that come but for their last byte hold four fifths of it."""
    size = MEMORY // 10
    with contextlib.ExitStack() as open_ones:
        for _ in range(2):
            line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            open_ones.callback(line.close)
            line.putrequest("POST", "/api/v1/projects/ann/held/runs/held/history")
            line.putheader("Authorization", f"Bearer {key}")
            line.putheader("Content-Type", "application/json")
            line.putheader("Content-Length", str(size))
            line.endheaders()
            line.send(b" " * (size - 1))
        yield


def is_nearly_full(server):
    return server.metric('cairn_memory_bytes{of="requests"}') > MEMORY * 0.75


def paces(server):
    """Seconds between one request of file_stream and the next."""
    lines = [line for line in server.log().splitlines() if "/file_stream status=" in line]
    times = [datetime.datetime.fromisoformat(line.split()[0].replace("Z", "+00:00")) for line in lines]
    return [(after - before).total_seconds() for before, after in zip(times, times[1:])]


def as_it_likes(server):
    """The machine may stand still at one pause of ten."""
    found = paces(server)
    return sum(pause >= 3 for pause in found) <= len(found) / 10


def told(answer):
    return {name: answer.headers[name] for name in FULL}


def test_what_is_told(server, keys, wire, wait_for):
    """Every answer says it, of GraphQL too; what remains grows less."""
    run = wire.start("r1")

    def ask():
        return [run.raw(b"{}"), run.raw(b"{}"), wire.ask("{ viewer { id } }")]
    def ask_within_an_hour():
        """What remains is told of the hour that the clock shows."""
        while True:
            hour, answers = time.time() // 3600, ask()
            if time.time() // 3600 == hour:
                return answers
    assert all(told(answer) == FULL for answer in ask())
    with memory_in_use(server, keys["ann"]):
        wait_for(lambda: is_nearly_full(server), what="memory in use")
        answers = ask_within_an_hour()
    assert all(answer.status == 200 for answer in answers)
    left = [int(answer.headers["RateLimit-Remaining"]) for answer in answers]
    assert left == sorted(left, reverse=True) and 0 < left[-1] and left[0] <= 3600 * 20 + 1
    assert all(int(answer.headers["RateLimit-Reset"]) > left[0] // 20 for answer in answers)


@pytest.mark.long
@pytest.mark.feature("a busy server makes it send more seldom")
def test_a_process_sends_more_seldom(server, keys, client, read, wait_for):
    """The SDK, told to send every second; while the server is nearly full it comes five times as seldom."""
    running = client.start(log_until, name="r1", file="go")
    wait_for(lambda: len(paces(server)) >= 10, what="requests")
    wait_for(lambda: as_it_likes(server), what="pauses of which nine of ten are short")
    with memory_in_use(server, keys["ann"]):
        wait_for(lambda: is_nearly_full(server), what="memory in use")
        wait_for(lambda: paces(server)[-1] > 5, what="a pause between two requests")
        (client.folder / "go").write_text("")
        done = running.wait()
    assert [row["value"] for row in read("r1").rows()] == list(range(done.value))
    assert read("r1").state == "finished"
