"""Two servers, one database: the same request reaches both at the same instant, late and reordered."""
import itertools
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from artifacts import Collection, md5
from cluster import wait_until
from ledger import Ledger
from rest import encode
from runs import Run

WRITERS = 8


@pytest.fixture
def batches():
    """Of each writer, where it is thousands that count."""
    return 250


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2 * WRITERS) as made:
        yield made


@pytest.fixture
def sides(run, two_servers):
    """The run by way of each server."""
    return [run.at(server) for server in two_servers]


def both(pool, call, sides):
    """call(side) on every side at the same instant."""
    gate = threading.Barrier(len(sides))

    def one(side):
        gate.wait()
        return call(side)
    return [f.result() for f in [pool.submit(one, side) for side in sides]]


def post_patiently(api, path, body=None):
    """As clients do it: who is told that the server is busy asks the same again."""
    def ask():
        answer = api.request("POST", path, body, check=False)
        return None if answer.status == 503 and answer.headers["Retry-After"] else answer
    return wait_until(ask, what="an answer that is not busy")


def post(side, tail, body):
    return post_patiently(side.api, side.path + tail, body)


@pytest.mark.slow
def test_every_batch_at_both_at_the_same_instant(run, sides, batches):
    """2,000 batches twice each, then old ones again in any order: each is stored once."""
    ledger = Ledger()
    writers = [run.join(f"c{i}", "worker") for i in range(WRITERS)]
    bodies = {}

    def send(w, batch, rows):
        body = w.body(batch, history=rows)
        bodies[w.client, batch] = body
        ledger.note_sent(w.client, w.session, batch, len(rows))
        for answer in both(pair, lambda side: post(side, "/batch", body), sides):
            assert answer.status == 200, answer
            ledger.note_told(w.client, w.session, batch, answer.json)

    def write(w):
        for batch in range(1, batches + 1):
            send(w, batch, Ledger.rows(w.client, w.session, batch, 1 + (batch + w.number) % 3))

    with ThreadPoolExecutor(2 * WRITERS) as pair, ThreadPoolExecutor(WRITERS) as outer:
        for f in [outer.submit(write, w) for w in writers]:
            f.result()

        late = [key for key in bodies if key[1] > batches - 16] * 3 + list(bodies)[::7]
        random.Random(1).shuffle(late)

        def again(key):
            side = random.choice(sides)
            answer = post(side, "/batch", bodies[key])
            if key[1] > batches - 16:
                assert answer.status == 200, answer
                ledger.note_told(key[0], 1, key[1], answer.json)
            else:
                assert answer.status == 200 or answer.problem == "batch-forgotten", answer
        for f in [pair.submit(again, key) for key in late]:
            f.result()

    rows = sides[0].rows()
    assert rows == sides[1].rows()
    assert ledger.check(rows) == sum(ledger.sent.values())
    assert [row["_step"] for row in rows] == list(range(len(rows)))
    for w in run.writers().values():
        assert (w["batch"], w["session"]) == (batches, 1)
        assert w["history_rows"] == sum(row["w"] == w["client"] for row in rows)


def hold_now_and_then(db, end):
    """All runs are locked longer than a flush waits, then free for a while, until the end."""
    while not end.is_set():
        with db.hold("select run_id from run_hot order by run_id for update"):
            end.wait(0.25)
        end.wait(0.2)


def test_writers_that_change_servers_while_the_run_is_locked(run, sides, db):
    """What a server saw of a run that it could not lock is not what it judges repeats and sessions by."""
    ledger = Ledger()
    writers = [run.join(f"c{i}", "worker") for i in range(WRITERS)]
    end = threading.Event()

    def send(w, rng, **streams):
        body = w.body(w.batch + 1, **streams)
        w.batch += 1
        ledger.note_sent(w.client, w.session, w.batch, len(streams["history"]))
        for _ in range(rng.randint(1, 3)):
            answer = post(rng.choice(sides), "/batch", body)
            assert answer.status == 200, answer
            ledger.note_told(w.client, w.session, w.batch, answer.json)

    def write(w):
        rng = random.Random(w.number)
        for i in range(60):
            if i % 15 == 14:
                joined = post(rng.choice(sides), "/join", {"client": w.client, "role": "worker"})
                w.session, w.batch = joined["session"], 0
            rows = Ledger.rows(w.client, w.session, w.batch + 1, rng.randint(0, 2))
            send(w, rng, history=rows, **({"config": {w.client: i}} if i % 7 == 0 else {}))

    with ThreadPoolExecutor(WRITERS + 1) as pool:
        held = pool.submit(hold_now_and_then, db, end)
        try:
            for f in [pool.submit(write, w) for w in writers]:
                f.result()
        finally:
            end.set()
        held.result()
    assert ledger.check(sides[0].rows()) == sum(ledger.sent.values())


def test_other_bytes_at_the_same_instant(run, sides, pool):
    """One of the two is stored, the other refused; never both, never a mixture."""
    w = run.join()
    for batch in range(1, 101):
        bodies = [w.body(batch, history=[{"from": side, "b": batch}] * 3) for side in (0, 1)]
        answers = both(pool, lambda n: post(sides[n], "/batch", bodies[n]), [0, 1])
        assert sorted(a.status for a in answers) == [200, 409], answers
        assert next(a for a in answers if a.status == 409).problem == "batch-differs"
    rows = run.rows()
    assert [r["b"] for r in rows] == [b for b in range(1, 101) for _ in range(3)]
    assert all(len({r["from"] for r in rows[i:i + 3]}) == 1 for i in range(0, 300, 3))


def test_successors_at_the_same_instant(run, sides, pool):
    """Batch n + 1 may overtake n: it is stored after n, or refused with the number expected."""
    w = run.join()
    batch = 1
    while batch < 200:
        bodies = [w.body(batch + n, history=[{"b": batch + n}]) for n in (0, 1)]
        first, second = both(pool, lambda n: post(sides[n], "/batch", bodies[n]), [0, 1])
        assert first.status == 200, first
        assert second.status == 200 or (second.problem, second["expected"]) == ("batch-gap", batch), second
        batch += 1 if second.status == 409 else 2
    assert run.values("b") == list(range(1, len(run.rows()) + 1))


def test_joins_at_the_same_instant(run, sides, pool):
    body = {"client": "c1", "role": "primary"}
    for round_ in range(50):
        answers = both(pool, lambda side: post(side, "/join", body), sides)
        sessions = sorted(a["session"] for a in answers)
        assert sessions == [2 * round_ + 1, 2 * round_ + 2]
        sent = {"writer": "c1", "batch": 1, "history": [{"round": round_}]}
        old, new = [post(random.choice(sides), "/batch", {**sent, "session": s}) for s in sessions]
        assert (old.problem, new.status) == ("session-fenced", 200)
    assert run.values("round") == list(range(50))
    assert len(run.writers()) == 1


def test_new_writers_at_the_same_instant(run, sides, pool):
    numbers = []
    for i in range(30):
        answers = both(pool, lambda n: post(sides[n], "/join", {"client": f"c{i}-{n}", "role": "worker"}), [0, 1])
        numbers += [a["writer"]["number"] for a in answers]
    assert sorted(numbers) == list(range(60))


def test_one_run_is_made(api, sides, home, pool):
    for i in range(50):
        name = f"made{i}"
        answers = both(pool, lambda side: side.api.request("PUT", f"{home}/runs/{name}", {}), sides)
        assert sorted(a.status for a in answers) == [200, 201], answers
        assert answers[0].json == answers[1].json
        assert len(Run(api, name, home, make=False).states()) == 1


def test_one_project_is_made(api, sides, home, pool):
    name = home.rsplit("/", 1)[1]
    for i in range(30):
        path = f"{home}-{i}"
        answers = both(pool, lambda side: side.api.request("PUT", f"{path}/runs/r", {}), sides)
        assert sorted(a.status for a in answers) == [200, 201], answers
    assert len([p for p in api.pages("/api/v1/projects/ann") if p["name"].startswith(f"{name}-")]) == 30


def test_one_end_is_recorded(sides, home, pool):
    for i in range(30):
        mine = [Run(side.api, f"end{i}", home, make=n == 0) for n, side in enumerate(sides)]
        w = mine[0].join()
        body = {"writer": "w1", "session": w.session, "exit_code": 0}
        answers = both(pool, lambda r: post(r, "/finish", body), mine)
        assert [a.status for a in answers] == [200, 200]
        assert answers[0].json == answers[1].json
        assert [s["to"] for s in mine[1].states()] == ["running", "finished"]


def test_one_crash_is_recorded(api, sides, home, shift_clock, wait_for):
    """Both sweepers see the same deadlines."""
    many = [Run(api, f"dead{i}", home) for i in range(20)]
    for r in many:
        r.join()
    shift_clock(400)
    wait_for(lambda: all(r.state == "crashed" for r in many))
    for r in many:
        assert [s["to"] for s in r.states()] == ["running", "crashed"]


def test_one_revival_is_recorded(run, sides, pool, shift_clock, wait_for):
    w = run.join()
    for round_ in range(5):
        shift_clock(400)
        wait_for(lambda: run.state == "crashed")
        body = w.body(round_ + 1, history=[{"round": round_}])
        answers = both(pool, lambda side: post(side, "/batch", body), sides)
        assert [a.status for a in answers] == [200, 200]
    assert [s["to"] for s in run.states()] == ["running"] + ["crashed", "running"] * 5
    assert run.values("round") == list(range(5))


def test_one_edit_of_a_version_wins(run, sides, pool):
    path = f"{run.path}/config"
    run.api.patch(path, {"n": 0})
    for i in range(1, 31):
        tag = run.api.get(path).headers["ETag"]
        answers = both(pool, lambda n: sides[n].api.request(
            "PATCH", path, {"n": i, f"k{i}": n}, headers={"If-Match": tag}), [0, 1])
        assert sorted(a.status for a in answers) == [200, 412], answers
    assert len(run.config()) == 31


def test_edits_at_the_same_instant_are_all_kept(run, sides, pool):
    for i in range(30):
        both(pool, lambda n: sides[n].api.patch(f"{run.path}/config", {f"k{i}.{n}": i}), [0, 1])
    assert len(run.config()) == 60


def test_one_key_of_a_person_stores_once(run, sides, pool):
    for i in range(30):
        body = encode([{"i": i}, {"i": i}])
        answers = both(pool, lambda side: side.api.request(
            "POST", f"{side.path}/history", body, headers={"Idempotency-Key": f"k{i}"}), sides)
        assert [a.status for a in answers] == [200, 200], answers
        assert answers[0].json == answers[1].json
    assert run.values("i") == [i for i in range(30) for _ in range(2)]


def test_what_one_acknowledged_the_other_reads(run, sides):
    """Batch after batch by way of one server, each read at the other at once, in every way there is."""
    writer = sides[0].join("w", label="rank0")
    other, url = sides[1], run.path.rpartition("/runs/")[0]
    for batch in range(8):
        seen = batch + 1
        writer.send(history=[{"v": batch, "x": 10 * batch, f"new{batch}": 1}], events=[{"cpu": batch}],
                    console=[{"line": batch, "stream": "stdout", "time": 1.0, "text": str(batch)}])
        assert [row["v"] for row in other.rows()] == list(range(seen))
        assert [row["cpu"] for row in other.events()] == list(range(seen))
        assert [row["text"] for row in other.console()] == [str(i) for i in range(seen)]
        assert [b["last"] for b in other.sampled(f"new{batch}", 10)[0]["buckets"]] == [1]
        for x in ("_step", "_timestamp", "_relative", "x"):
            assert sum(b["n"] for b in other.sampled("v", 1, x=x)[0]["buckets"]) == seen, x
        assert sum(len(row["values"]) for row in other.api.get(f"{run.path}/ranks", key="v").json["labels"]) == seen
        pieces = other.api.post(f"{url}/series", {
            "runs": [run.name], "groups": [{"name": "all", "runs": [run.name]}],
            "panels": [{"keys": ["v"], "buckets": 1}]}).json["pieces"]
        assert [p["columns"]["n"] for p in pieces if "columns" in p] == [[seen], [seen]]
        assert [row["v"] for row in other.api.get(f"{url}/history").lines if row["_run"] == run.name] == list(range(seen))


def test_new_metric_names_at_the_same_instant(run, sides, pool):
    """Names are shared by the project: both servers make the same ones at once."""
    writers = [run.join(f"c{n}", "worker") for n in (0, 1)]
    for i in range(40):
        rows = [{f"k{i}.{j}": j for j in range(20)}]
        answers = both(pool, lambda n: post(sides[n], "/batch", writers[n].body(i + 1, history=rows)), [0, 1])
        assert [a.status for a in answers] == [200, 200], answers
    assert len(run.keys(limit=1000)) == 800
    assert all(k["count"] == 2 for k in run.keys(limit=1000).values())


def test_config_of_many_writers_at_both(run, sides, pool):
    """Documents merge the same whatever the server: no writer's keys are lost."""
    writers = [run.join(f"c{n}", "worker") for n in range(WRITERS)]

    def write(n):
        for i in range(1, 21):
            body = writers[n].body(i, config={"all": {f"w{n}": i}}, summary={"at": {f"w{n}": i}})
            assert post(sides[(n + i) % 2], "/batch", body).status == 200
    for f in [pool.submit(write, n) for n in range(WRITERS)]:
        f.result()
    expected = {f"w{n}": 20 for n in range(WRITERS)}
    for side in sides:
        assert (side.config(), side.summary()) == ({"all": expected}, {"at": expected})
    assert run.conflicts() == []


def test_deletion_while_both_write(run, sides, pool):
    w = run.join()
    codes, allowed = set(), {(200, None), (409, "batch-gap"), (410, "gone")}
    allowed.add((409, "batch-forgotten"))  # of the slower one, when it is further behind than batches are remembered

    def write(side):
        for i in itertools.count():
            answer = post(side, "/batch", w.body(i + 1, history=[{"i": i}]))
            codes.add((answer.status, answer.problem))
            if answer.status == 410 or not codes <= allowed:
                return
    futures = [pool.submit(write, side) for side in sides]
    run.api.delete(run.path)
    for f in futures:
        f.result()
    assert codes <= allowed
    assert (410, "gone") in codes


def test_a_deletion_holds_at_once_at_the_other_server(api, sides, home):
    """Though it remembers for a second what it looked up."""
    acts = [("POST", "/batch", {"writer": "w1", "session": 1, "batch": 2, "history": [{"a": 2}]}),
            ("POST", "/join", {"client": "w2", "role": "worker"}), ("POST", "/history", {"a": 3}),
            ("POST", "/finish", {"writer": "w1", "session": 1, "exit_code": 0}), ("POST", "/finish", {"exit_code": 0}),
            ("POST", "/stop", {}), ("POST", "/states", {"state": "killed", "reason": "x"}),
            ("PATCH", "/config", {"a": 1}), ("PATCH", "/summary", {"a": 1}), ("PATCH", "", {"notes": "x"}),
            ("PUT", "", {})]
    for i, (method, tail, body) in enumerate(acts):
        one, other = [Run(side.api, f"gone{i}", home, make=n == 0) for n, side in enumerate(sides)]
        one.join().send(history=[{"a": 1}])
        other.get()
        one.api.delete(one.path)
        answer = other.api.request(method, other.path + tail, body)
        assert (answer.status, answer.problem) == (410, "gone"), f"{method} {tail}: {answer}"


# --- artifacts

@pytest.fixture
def nets(home, sides):
    """One collection by way of each server."""
    sides[0].api.put(home, {})
    return [Collection(side.api, home, "net") for side in sides]


def test_versions_that_are_committed_at_both(nets, pool):
    """Their numbers follow each other, none twice; a draft that both commit is one version; `latest` is the last of all."""
    drafts = [[net.draft() for _ in range(WRITERS)] for net in nets]
    for net, made in zip(nets, drafts, strict=True):
        for n, draft in enumerate(made):
            net.put(draft, "a", f"{nets.index(net)} {n}".encode())

    def commit(net, draft):
        return post_patiently(net.api, f"{draft}/commit").json["version"]
    told = [f.result() for f in [pool.submit(commit, net, draft) for made in zip(*drafts, strict=True)
                                 for net, draft in zip(nets, made, strict=True)]]
    assert sorted(told, key=lambda version: int(version[1:])) == [f"v{n}" for n in range(2 * WRITERS)]
    shared = nets[0].draft()
    nets[1].put(shared, "b", b"of both")
    assert set(both(pool, lambda net: commit(net, shared), nets)) == {f"v{2 * WRITERS}"}
    for net in nets:
        assert [version["version"] for version in net.api.pages(f"{net.path}/versions", order="version")] == [
            f"v{n}" for n in range(2 * WRITERS + 1)]
        assert net.get("latest")["version"] == f"v{2 * WRITERS}"


def test_a_version_by_way_of_both(nets):
    """Each request goes to the other server than the one before it: files, parts of a file, the commit, and what is read."""
    first, second = nets
    parts = [b"first" * 2000, b"second" * 3000]
    draft = first.draft(aliases=["best"])
    second.put(draft, "small", b"small")
    upload = first.api.post(f"{draft}/uploads", {"path": "large", "md5": md5(b"".join(parts)), "parts": 2}).json["upload"]
    for net, number in (second, 2), (first, 1):
        net.api.put(f"{draft}/uploads/{upload}/{number}", parts[number - 1], content_type=None)
    second.api.post(f"{draft}/uploads/{upload}/complete", {})
    version = first.commit(draft)
    for net in second, first:
        assert net.get("best") == version
        path = f"{net.path}/versions/best/files"
        assert net.api.raw("GET", f"{path}/large").body == b"".join(parts)
        assert net.api.raw("GET", f"{path}/large", headers={"Range": "bytes=9990-10009"}).body == b"".join(parts)[9990:10010]
        assert net.api.raw("GET", f"{path}/small").body == b"small"
        assert net.api.post(f"{net.path}/versions/v0/verify").json["items"] == []
    second.api.delete(f"{second.path}/versions/v0", aliases="true")
    first.api.refused(404, "not-found", "GET", f"{first.path}/versions/best")
