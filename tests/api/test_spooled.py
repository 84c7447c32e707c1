"""What a client kept on disk and sends later: records that are counted, so that nothing is lost and nothing is stored twice."""
import random
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, timedelta

import pytest

from cluster import wait_until
from runs import Run, compact

MOST = 2**53
MOST_STREAMS = 256


def rows(first, count=1):
    return [{"n": n} for n in range(first, first + count)]


def lines(first, count=1):
    return [{"line": n, "text": f"line {n}"} for n in range(first, first + count)]


def values(run):
    return run.values("n")


# --- what is counted

def test_a_join_tells_how_many_records_are_stored(run):
    w = run.join()
    assert w.joined["records"] == 0
    w.send(history=rows(0, 2), events=rows(0, 3), console=lines(0, 4), config={"lr": 1}, summary={"best": 1})
    assert w.join()["records"] == 9
    assert run.writers()["w1"]["records"] == 9
    assert run.join("w2", "worker").joined["records"] == 0


def test_lines_that_a_batch_writes_twice_are_two_records(run):
    w = run.join()
    w.send(record_first=0, console=[*lines(0, 2), *lines(0, 2), *lines(1)])
    assert w.join()["records"] == 5
    assert [c["line"] for c in run.console()] == [0, 1]


def test_rows_by_hand_are_counted_like_others(run):
    run.log(rows(0, 3))
    run.log(rows(3, 2))
    assert next(iter(run.writers().values()))["records"] == 5


@pytest.mark.parametrize("streams, count", [
    ({}, 0), ({"config": {"a": 1}}, 0), ({"history": [{}]}, 1), ({"history": []}, 0), ({"events": [{}, {}], "history": [{"a": {}}]}, 3)])
def test_a_batch_counts_its_rows_and_lines(run, streams, count):
    w = run.join()
    w.send(record_first=0, **streams)
    w.send(record_first=count, history=rows(0))
    assert w.join()["records"] == count + 1


def test_the_number_may_be_anywhere_in_the_batch(run):
    w = run.join()
    for n, body in enumerate(('{"record_first": 0, "writer": "w1", "session": 1, "batch": 1, "history": [{"n": 0}]}',
                              '{"writer": "w1", "session": 1, "history": [{"n": 1}], "record_first": 1, "batch": 2}',
                              '{"history": [{"n": 2}], "batch": 3, "session": 1, "writer": "w1", "record_first": 2}')):
        w.raw(body)
        assert run.writers()["w1"]["records"] == n + 1
    w.refused(409, "records-stored", '{"history": [{"n": 3}], "batch": 4, "session": 1, "writer": "w1", "record_first": 2}')
    assert values(run) == [0, 1, 2]


@pytest.mark.parametrize("value", [-1, 1.5, "1", None, MOST + 1, 2**63, [], True])
def test_not_a_number_of_a_record(run, value):
    w = run.join()
    assert w.refused(400, "invalid", w.body(1, record_first=value))["field"] == "record_first"
    assert w.refused(400, "invalid", b'{"writer": "w1", "session": 1, "batch": 1, "record_first": 0, "record_first": 0}')
    assert w.join()["records"] == 0


def test_the_greatest_number(run):
    w = run.join()
    w.send(record_first=MOST, history=rows(0))
    assert w.refused(409, "records-stored", w.body(2, record_first=MOST, history=rows(1)))["expected"] == MOST + 1
    w.send(history=rows(1))
    assert (w.join()["records"], values(run)) == (MOST + 2, [0, 1])


# --- before, at and after what is stored

def test_a_batch_that_begins_with_stored_records_is_refused(run):
    w = run.join()
    w.send(record_first=0, history=rows(0, 5))
    before = run.writers()["w1"]
    for first, count in ((4, 1), (4, 9), (0, 5), (0, 6), (3, 0)):
        problem = w.refused(409, "records-stored", w.body(2, record_first=first, history=rows(first, count), config={"a": 1}))
        assert (problem["expected"], problem["field"]) == (5, "record_first")
    assert (values(run), run.config(), run.writers()["w1"]) == (list(range(5)), {}, before)
    answer = w.send(record_first=5, history=rows(5, 4))  # the number was not used up
    assert (answer["batch"], answer["row_first"], values(run)) == (2, 5, list(range(9)))


def test_a_refused_batch_leaves_no_names(run, db):
    w = run.join()
    w.send(record_first=0, history=rows(0))
    names = db.value("select count(*) from project_key")
    w.refused(409, "records-stored", w.body(2, record_first=0, history=[{"a new name": 1}], events=[{"another": 1}]))
    assert db.value("select count(*) from project_key") == names


def test_a_repeat_is_answered_as_before(run):
    w = run.join()
    first = w.send(record_first=0, history=rows(0, 3))
    body = w.last_body
    w.send(record_first=3, history=rows(3))
    again = w.raw(body)
    assert [again[name] for name in ("batch", "row_first", "rows")] == [first[name] for name in ("batch", "row_first", "rows")]
    w.refused(409, "batch-differs", w.body(1, record_first=0, history=rows(0, 2)))
    assert w.refused(409, "batch-gap", w.body(4, record_first=0, history=rows(0)))["expected"] == 3
    assert (values(run), w.join()["records"]) == ([0, 1, 2, 3], 4)


def test_records_that_the_client_dropped(run):
    w = run.join()
    w.send(record_first=0, history=rows(0))
    w.send(record_first=10, history=rows(10), dropped={"history": 9})
    assert (values(run), run.writers()["w1"]["dropped_rows"]) == ([0, 10], 9)
    w.send(record_first=20, dropped={"history": 9})  # nothing follows them yet
    assert w.refused(409, "records-stored", w.body(4, record_first=19, history=rows(19)))["expected"] == 20
    assert w.join()["records"] == 20


def test_batches_with_and_without_the_number(run):
    w = run.join()
    w.send(history=rows(0, 2))
    w.send(record_first=2, history=rows(2))
    w.send(console=lines(0, 3))
    assert w.refused(409, "records-stored", w.body(4, record_first=3, history=rows(3)))["expected"] == 6
    w.send(record_first=6, history=rows(3))
    assert (values(run), w.join()["records"]) == ([0, 1, 2, 3], 7)


def test_the_next_session_goes_on(run):
    w = run.join()
    w.send(record_first=0, history=rows(0, 5))
    w.send(record_first=5, history=rows(5, 5))
    fenced = w.body(3, record_first=10, history=rows(10, 5))
    assert w.join()["records"] == 10
    w.refused(409, "session-fenced", fenced)
    assert w.refused(409, "records-stored", w.body(1, record_first=7, history=rows(7, 8)))["expected"] == 10
    w.send(record_first=10, history=rows(10, 5))
    assert (values(run), w.join()["records"]) == (list(range(15)), 15)


# --- several processes of one client id

def test_each_process_counts_its_own_records(run):
    """Whoever joins fences the other, and is told what is stored of its own stream."""
    first = run.join(stream="a")
    first.send(stream="a", record_first=0, history=rows(0, 5))
    second = run.join(stream="b")
    assert second.joined["records"] == 0
    second.send(stream="b", record_first=0, history=rows(5, 3))
    second.send(stream="b", history=rows(8))  # goes on
    assert first.join()["records"] == 5
    for stream, stored in (("a", 5), ("b", 4)):
        problem = first.refused(409, "records-stored", first.body(1, stream=stream, record_first=stored - 1, history=rows(0)))
        assert problem["expected"] == stored
    first.send(stream="a", record_first=5, history=rows(9))
    assert (second.join()["records"], values(run)) == (4, list(range(10)))
    assert (list(run.writers()), run.writers()["w1"]["records"]) == (["w1"], 10)


def test_batches_that_name_no_stream(run):
    w = run.join(stream="a")
    w.send(record_first=0, history=rows(0, 2))
    assert w.refused(409, "records-stored", w.body(2, record_first=1, history=rows(0)))["expected"] == 2
    w.send(stream="a", record_first=0, history=rows(2))
    assert w.join()["records"] == 1
    assert run.join().joined["records"] == 2
    assert values(run) == [0, 1, 2]


@pytest.mark.long
def test_the_stream_that_got_nothing_for_longest_is_forgotten(run, db, wait_for):
    w = run.join()

    def stored(stream):
        return run.join(stream=stream).joined["records"]
    for n in range(MOST_STREAMS):
        w.send(stream=f"s{n}", record_first=0, history=rows(n))
    w.refused(409, "records-stored", w.body(MOST_STREAMS + 1, stream="s0", record_first=0, history=rows(0)))
    w.send(stream="s0", record_first=1, history=rows(MOST_STREAMS))
    w.send(stream="s1", record_first=1)  # a heartbeat is no record
    w.send(stream="another", record_first=0, history=rows(MOST_STREAMS + 1))
    compact(db, wait_for, run)
    assert [stored(stream) for stream in ("s0", "s1", "s2", "another", "unknown")] == [2, 0, 1, 1, 0]
    w.join()
    w.send(stream="s1", record_first=0, history=rows(1))  # stored twice
    assert [stored("s1"), stored("s2"), stored("s3")] == [1, 0, 1]
    assert (values(run), run.writers()["w1"]["records"]) == ([*range(MOST_STREAMS + 2), 1], MOST_STREAMS + 1)


@pytest.mark.parametrize("name, is_one", [("a", True), ("-_09azAZ", True), ("x" * 64, True), ("x" * 65, False), ("", False), ("a.b", False),
                                          ("a b", False), ("é", False), (None, False), (1, False)])
def test_names_of_streams(run, name, is_one):
    w = run.join()
    if is_one:
        w.send(stream=name, record_first=0, history=rows(0))
        assert run.join(stream=name).joined["records"] == 1
        return
    assert w.refused(400, "invalid", w.body(1, stream=name))["field"] == "stream"
    assert run.api.refused(400, "invalid", "POST", f"{run.path}/join", {"client": "w1", "role": "worker", "stream": name})["field"] == "stream"


# --- what becomes of the number

def test_the_number_outlives_compaction(run, db, wait_for):
    w = run.join()
    for n in range(5):
        w.send(record_first=3 * n, history=rows(2 * n, 2), events=rows(n))
    w.send(stream="a", record_first=0, history=rows(10, 2))
    compact(db, wait_for, run)
    assert run.writers()["w1"]["records"] == 17
    assert w.refused(409, "records-stored", w.body(7, record_first=14, history=rows(0)))["expected"] == 15
    assert w.refused(409, "records-stored", w.body(7, stream="a", record_first=1, history=rows(0)))["expected"] == 2
    assert w.join()["records"] == 15


def test_a_rewound_run_does_not_get_them_again(run):
    """Who joins after that is another writer of the new branch. Its client has sent the records all the same."""
    w = run.join(stream="a")
    w.send(stream="a", record_first=0, history=rows(0, 5))
    run.api.post(f"{run.path}/rewind", {"step": 1})
    assert w.join()["records"] == 5
    w.refused(409, "records-stored", w.body(1, stream="a", record_first=4, history=rows(4, 2)))
    w.send(stream="a", record_first=5, history=rows(5))
    w.send(stream="b", record_first=0, history=rows(6))
    assert values(run) == [0, 1, 5, 6]


def test_a_moved_run_keeps_it(run, api, home, db, wait_for):
    w = run.join()
    w.send(record_first=0, history=rows(0, 5))
    w.finish(0)
    compact(db, wait_for, run)
    there = home + "-there"
    api.put(there, {})
    entity, project = there.split("/")[4:6]
    api.post(f"{run.path}/move", {"entity": entity, "project": project})
    moved = Run(api, run.name, there, make=False)
    assert moved.join().joined["records"] == 5


def test_the_same_client_in_another_run(run, api, home):
    run.join().send(record_first=0, history=rows(0, 5))
    other = Run(api, "r2", home)
    assert other.join().joined["records"] == 0


# --- senders of the same records

class Sender:
    """Sends the records of one spool by way of one server, as a client does: joins, is fenced by the other, joins again. The first
    one has the value `base`."""

    def __init__(self, run, count, seed, base=0, **stream):
        self.run, self.count, self.rng, self.base, self.stream = run, count, random.Random(seed), base, stream
        self.next = self.batch = self.session = 0

    def ask(self, tail, body):
        """As often as it takes: the run may be locked by the other server."""
        def answer():
            got = self.run.api.request("POST", self.run.path + tail, body)
            return None if got.status == 503 else got
        return wait_until(answer, what="an answer that is not busy")

    def join(self):
        joined = self.ask("/join", {"client": "spool", "role": "primary", "label": "rank0", **self.stream}).json
        self.session, self.batch, self.next = joined["session"], 0, joined["records"]

    def send(self):
        count = min(self.rng.randint(1, 40), self.count - self.next)
        first = max(0, self.next - self.rng.choice((0, 0, 1, 15)))  # now and then it knows less than the server
        got = self.ask("/batch", {"writer": "spool", "session": self.session, "batch": self.batch + 1, "record_first": first,
                                  **self.stream, "history": rows(self.base + first, self.next + count - first)})
        if got.status == 200:
            self.batch, self.next = self.batch + 1, self.next + count
        elif got.problem == "records-stored":
            assert got["expected"] > first
            self.next = got["expected"]
        else:
            assert got.problem == "session-fenced", got
            self.join()

    def drain(self):
        self.join()
        while self.next < self.count:
            self.send()


def test_two_senders_of_the_same_records(run, two_servers):
    """Each fences the other, by way of two servers: every record is stored, once and in order."""
    senders = [Sender(run.at(server), 2000, seed) for seed, server in enumerate(two_servers)]
    with ThreadPoolExecutor(2) as pool:
        for f in [pool.submit(one.drain) for one in senders]:
            f.result()
    assert values(run) == list(range(2000))
    assert run.writers()["spool"]["records"] == 2000


def test_two_processes_of_one_client_id(run, two_servers):
    """Each fences the other, and counts its own records."""
    senders = [Sender(run.at(server), 500, n, 1000 * n, stream=f"p{n}") for n, server in enumerate(two_servers)]
    with ThreadPoolExecutor(2) as pool:
        for f in [pool.submit(one.drain) for one in senders]:
            f.result()
    got = values(run)
    assert [[n for n in got if n // 1000 == of] for of in (0, 1)] == [list(range(500)), list(range(1000, 1500))]
    assert run.writers()["spool"]["records"] == 1000


@pytest.mark.own
def test_a_server_that_is_killed_in_between(place, api, run):
    """What the client was not answered may be stored: the next join tells."""
    server = place.server(0)
    sender = Sender(run, 600, 3)
    with ThreadPoolExecutor(1) as pool:
        for stop in (150, 300, 450):
            sender.join()
            while sender.next < stop:
                sender.send()
            body = {"writer": "spool", "session": sender.session, "batch": sender.batch + 1, "record_first": sender.next,
                    "history": rows(sender.next, 50)}
            unanswered = pool.submit(api.request, "POST", f"{run.path}/batch", body)
            server.kill()
            unanswered.exception()
            server.start(server.port)
    sender.drain()
    assert values(run) == list(range(600))
    assert run.writers()["spool"]["records"] == 600


# --- when it began, when and how it ended

DAY = timedelta(days=1)


def written(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@pytest.fixture
def now(db):
    """By the clock of the server."""
    return lambda: db.value("select now() + shift_us * interval '1 microsecond' from server_clock").astimezone(UTC)


@pytest.fixture
def old(api, home, now):
    """A run that began yesterday, by its client's clock."""
    run = Run(api, "old", home, make=False)
    run.began = now() - DAY
    run.made = api.put(run.path, {"started_at": written(run.began)}).json
    return run


def finish(run, w, **body):
    return run.api.post(f"{run.path}/finish", {"writer": w.client, "session": w.session, **body}).json


def test_a_run_that_began_before(old, run, api, home):
    began = written(old.began)
    assert (old.made["created_at"], old.made["started_at"], old.made["state"]) == (began, began, "running")
    assert old.made["heard_at"] > began
    assert [change["at"] for change in old.states()] == [began]
    assert [r["id"] for r in api.pages(f"{home}/runs")] == ["r1", "old"]
    assert api.put(old.path, {"started_at": "2020-01-01T00:00:00Z"}).json["created_at"] == began  # it exists
    old.join().finish(0)
    assert [r["id"] for r in api.pages(f"{home}/runs", filter="duration > 86000")] == ["old"]
    made = api.post(f"{home}/runs", {"started_at": "2024-02-29T23:30:00+01:00"}).json
    assert made["started_at"] == "2024-02-29T22:30:00.000000Z"


@pytest.mark.parametrize("value", ["yesterday", 17, None, "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2024-02-30T00:00:00Z"])
def test_no_start_of_a_run(api, home, value):
    assert api.refused(400, "invalid", "PUT", f"{home}/runs/r", {"started_at": value})["field"] == "started_at"


def test_the_start_is_at_most_a_day_ahead(api, home, now):
    minute = timedelta(minutes=1)
    api.refused(400, "invalid", "PUT", f"{home}/runs/r", {"started_at": written(now() + DAY + minute)})
    ahead = now() + DAY - minute
    run = Run(api, "r", home, make=False)
    assert api.put(run.path, {"started_at": written(ahead)}).json["started_at"] == written(ahead)
    assert api.put(f"{home}/runs/r2", {"started_at": "1970-01-01T00:00:00.000001Z"}).json["state"] == "running"
    # the server's clock is behind: the end is taken as it is written
    ended = finish(run, run.join(), exit_code=0, ended_at=written(ahead + minute / 2))
    assert (ended["ended_at"], ended["state"]) == (written(ahead + minute / 2), "finished")


def test_the_end_is_at_most_a_day_ahead(api, home, now):
    """Of a run that began when the server's clock was behind."""
    run = Run(api, "r", home, make=False)
    api.put(run.path, {"started_at": written(now() + timedelta(minutes=1))})
    before = now()
    ended = finish(run, run.join(), exit_code=0, ended_at="9999-12-31T00:00:00Z")
    assert written(before + DAY) <= ended["ended_at"] <= written(now() + DAY)


def test_an_end_that_was_before(old):
    w = old.join()
    at = written(old.began + timedelta(hours=2))
    ended = finish(old, w, exit_code=0, ended_at=at)
    assert (ended["ended_at"], ended["started_at"], ended["state"]) == (at, written(old.began), "finished")
    assert [change["at"] for change in old.states()] == [written(old.began), at]
    assert old.writers()["w1"]["ended_at"] == at
    assert [r["id"] for r in old.api.pages(old.path.rsplit("/", 1)[0], filter="duration > 7199 and duration < 7201")] == ["old"]


def test_an_end_is_not_before_the_start_nor_in_the_future(api, home, old, now):
    assert finish(old, old.join(), exit_code=0, ended_at=written(old.began - DAY))["ended_at"] == written(old.began)
    run, before = Run(api, "r2", home), now()
    ended = finish(run, run.join(), exit_code=0, ended_at=written(now() + DAY))["ended_at"]
    assert written(before) <= ended <= written(now())
    again = Run(api, "r3", home)
    assert api.refused(400, "invalid", "POST", f"{again.path}/finish",
                       {"writer": "w1", "session": again.join().session, "exit_code": 0, "ended_at": "now"})["field"] == "ended_at"


@pytest.mark.parametrize("state, reason", [("crashed", "time limit of the Slurm job"), ("preempted", "preempted by Slurm"), ("killed", "é" * 128)])
def test_a_primary_tells_how_it_ended(run, state, reason):
    w = run.join()
    ended = finish(run, w, state=state, reason=reason)
    assert (ended["state"], ended["exit_code"], ended["end_reason"]) == (state, None, reason)
    assert (run.states()[-1]["reason"], run.get()["end_reason"]) == (reason, reason)
    assert finish(run, w, state="finished", reason="again") == ended
    w.send(history=rows(0))  # late data does not change it
    assert (run.state, run.get()["rows"]) == (state, 1)
    w.join()
    assert (run.state, run.get()["end_reason"], run.get()["attempt"]) == ("running", None, 2)
    assert finish(run, w, exit_code=0)["end_reason"] is None


def test_a_reason_with_an_exit_code(run):
    ended = finish(run, run.join(), exit_code=-9, reason="killed by signal 9")
    assert (ended["state"], ended["exit_code"], ended["end_reason"]) == ("failed", -9, "killed by signal 9")
    assert run.api.pages(run.path.rsplit("/", 1)[0])[0]["end_reason"] == "killed by signal 9"


@pytest.mark.parametrize("body, field", [
    ({}, "exit_code"), ({"reason": "x"}, "exit_code"), ({"exit_code": 0, "reason": "x" * 257}, "reason"),
    ({"exit_code": 0, "reason": "a\nb"}, "reason"), ({"exit_code": 0, "reason": 1}, "reason"), ({"state": "preempting"}, "state")])
def test_no_end_of_a_writer(run, body, field):
    w = run.join()
    problem = run.api.refused(400, "invalid", "POST", f"{run.path}/finish", {"writer": "w1", "session": w.session, **body})
    assert (problem["field"], run.state) == (field, "running")


def test_a_worker_does_not_tell_how_the_run_ended(run):
    run.join()
    w = run.join("w2", "worker")
    for state in ("crashed", "preempted"):
        run.api.refused(403, "worker-may-not-decide", "POST", f"{run.path}/finish",
                        {"writer": "w2", "session": w.session, "state": state})
    assert finish(run, w, exit_code=-9, reason="killed by signal 9")["end_reason"] is None
    assert (run.state, run.writers()["w2"]["state"]) == ("running", "ended")


def test_a_run_about_to_be_preempted(run, shift_clock, wait_for):
    w = run.join()
    assert w.send(history=rows(0), preempting=False)["state"] == "running"
    assert w.send(preempting=True)["state"] == "preempting"
    assert w.repeat()["state"] == "preempting"
    assert w.send(history=rows(1))["state"] == "preempting"
    shift_clock(320)
    wait_for(lambda: run.state == "preempted")
    assert "no writer sent data" in run.get()["end_reason"]
    w.join()  # the job was requeued
    assert (run.state, run.get()["attempt"]) == ("running", 2)
    w.send(preempting=True)
    assert finish(run, w, state="crashed", reason="time limit of the Slurm job")["state"] == "crashed"
    w.refused(400, "invalid", w.body(2, preempting=1))


def test_many_that_are_about_to_be_preempted(run):
    """Joins make a preempting run run again, as often as they like and many in one flush."""
    def go(number):
        w = run.join(f"w{number}", "worker")
        for _ in range(5):
            w.send_patiently(preempting=True)
            w.join()

    with ThreadPoolExecutor(8) as pool:
        for f in [pool.submit(go, number) for number in range(8)]:
            f.result()
    assert run.state == "running"


def test_a_user_tells_why(run, api, home):
    run.join()
    api.post(f"{run.path}/finish", {"state": "killed", "reason": "diverged"})
    assert run.get()["end_reason"] == "diverged"
    other = Run(api, "r2", home)
    assert api.post(f"{other.path}/finish", {"exit_code": 0}).json["end_reason"] is None
    assert other.states()[-1]["reason"] == "ended by hand"
    api.post(f"{other.path}/states", {"state": "failed", "reason": "of no use"})
    assert other.get()["end_reason"] == "of no use"


# --- several processes, several jobs

def second(old, number):
    return written(old.began + timedelta(seconds=number))


def spooled(run, client, began, role="primary", label="rank0"):
    return run.join(client, role, label=label, started_at=second(run, began))


def test_a_worker_that_is_sent_after_the_primary(old):
    """Its join does not begin the run again: its process was there before the end."""
    w = spooled(old, "w1", 0)
    finish(old, w, state="crashed", ended_at=second(old, 100), reason="time limit of the Slurm job")
    before = old.get()
    late = spooled(old, "w2", 1, "worker", "rank1")
    late.send(record_first=0, history=rows(0, 3))
    finish(old, late, exit_code=1, ended_at=second(old, 99))
    after = old.get()
    assert [after[name] for name in ("state", "attempt", "started_at", "ended_at", "end_reason")] == \
        [before[name] for name in ("state", "attempt", "started_at", "ended_at", "end_reason")] == \
        ["crashed", 1, second(old, 0), second(old, 100), "time limit of the Slurm job"]
    assert (values(old), len(old.states())) == ([0, 1, 2], 2)
    shown = old.writers()["w2"]
    assert (shown["state"], shown["ended_at"], shown["attempt"]) == ("ended", second(old, 99), 1)


def test_a_job_that_was_requeued(old):
    finish(old, spooled(old, "w1", 0), state="preempted", ended_at=second(old, 100))
    again = spooled(old, "w2", 200)
    assert (again.joined["run"]["attempt"], again.joined["run"]["started_at"]) == (2, second(old, 200))
    ended = finish(old, again, exit_code=0, ended_at=second(old, 300))
    assert (ended["state"], ended["ended_at"]) == ("finished", second(old, 300))
    assert [(change["to"], change["at"]) for change in old.states()] == [
        ("running", second(old, 0)), ("preempted", second(old, 100)), ("running", second(old, 200)), ("finished", second(old, 300))]


def test_a_process_that_could_not_reach_the_server(old, shift_clock, wait_for):
    """The run fell silent while it went on. It was one attempt, as it says when its spool is sent."""
    w = old.join()
    w.send(record_first=0, history=rows(0))
    shift_clock(320)
    wait_for(lambda: old.state == "crashed")
    w = spooled(old, "w1", 0)
    assert (old.state, old.get()["attempt"], old.get()["started_at"]) == ("running", 1, second(old, 0))
    w.send(record_first=1, history=rows(1))
    ended = finish(old, w, exit_code=0, ended_at=second(old, 500))
    assert (ended["state"], ended["attempt"], ended["ended_at"]) == ("finished", 1, second(old, 500))
    assert values(old) == [0, 1]


def test_the_rest_of_an_earlier_job(old):
    """The requeued job runs. What is left of the one before is stored, and decides nothing."""
    first = old.join("w1", label="rank0")
    finish(old, first, state="preempted")
    running = old.join("w2", label="rank0")
    rest = spooled(old, "w1", 0)
    rest.send(record_first=0, history=rows(0), preempting=True)
    assert (old.state, old.get()["attempt"]) == ("running", 2)
    finish(old, rest, state="preempted", ended_at=second(old, 100))
    assert old.state == "running"
    assert (running.finish(0)["state"], values(old)) == ("finished", [0])


@pytest.mark.parametrize("value", ["1970-01-01T00:00:00Z", "1960-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "now", 1])
def test_no_start_of_a_process(run, value):
    problem = run.api.refused(400, "invalid", "POST", f"{run.path}/join", {"client": "w1", "role": "worker", "started_at": value})
    assert (problem["field"], run.writers()) == ("started_at", {})
