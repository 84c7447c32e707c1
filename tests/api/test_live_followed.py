"""Runs that are followed on the stream of a project: many of them, by many, by slow ones, and what cannot be read."""
import pytest

from live import Watch
from runs import Run

AT_ONCE = 500  # runs that a server looks at in a second
TEXT = "x" * 16_000
ALERTS = 20  # of a run, in one go: about 320 kB
MIB = 1 << 20


def names(first, count):
    return [f"r{i}" for i in range(first, first + count)]


def make(api, home, wanted):
    return {name: Run(api, name, home) for name in wanted}


def rows(watch, count):
    """Waits until it was told where that many runs stand; the runs."""
    told = set()
    while len(told) < count:
        told |= {item["run"] for item in watch.next("rows")[1]["items"]}
    return told


def burst(db, wanted):
    """Alerts of many runs that are all there at the same moment."""
    with db.hold("") as connection:
        connection.execute(
            "insert into run_alert (run_id, number, title, text, level, user_id, created_at, repeats, delivery, tries, fault)"
            " select r.run_id, h.alerts + n, 'a' || n, %s, 1, null, now(), 0, 0, 0, ''"
            "   from run r join run_hot h using (run_id), generate_series(1, %s) n where r.name = any(%s)",
            (TEXT, ALERTS, wanted))
        connection.execute("update run_hot set alerts = alerts + %s where run_id in (select run_id from run where name = any(%s))",
                           (ALERTS, wanted))
        connection.commit()


def takes_all(watch, wanted):
    """Each alert of each run comes once, and in order."""
    for name in wanted:
        told = watch.follow("alert", name, ALERTS)
        assert [alert["number"] for alert in told] == list(range(1, ALERTS + 1)), name


@pytest.fixture
def late(server):
    return lambda: server.metric("cairn_live_followed_late_total")


# ---- many who follow ----------------------------------------------------------------------------------

@pytest.mark.own
def test_what_is_new_is_made_once_for_all(api, run, home, server, late):
    made = "cairn_live_followed_made_total"
    crowd = [Watch(api, home, follow="r1", streams="rows,alert") for _ in range(30)]
    for watch in crowd:
        watch.next("rows")
    before = server.metric(made)
    for number in range(3):
        api.post(f"{run.path}/alerts", {"title": f"t{number}"})
        for watch in crowd:
            watch.follow("alert", "r1", number + 1)
    assert server.metric("cairn_live_followed_runs") == 1
    assert server.metric(made) == before + 3 and late() == 0
    for watch in crowd:
        watch.close()


@pytest.mark.long
@pytest.mark.own
def test_more_than_are_looked_at_in_a_second(api, home, server, late, wait_for):
    """Those that wait longest come first: each is told of, and goes on to be."""
    runs = make(api, home, names(0, AT_ONCE + 1))
    crowd = [Watch(api, home, follow=",".join(names(first, 100)), streams="rows,state") for first in range(0, AT_ONCE, 100)]
    for watch in crowd:
        rows(watch, 100)
    runs["r7"].log({"a": 1})
    crowd[0].follow("rows", "r7", 2)
    assert server.metric("cairn_live_followed_runs") == AT_ONCE and late() == 0
    with Watch(api, home, follow=f"r{AT_ONCE}", streams="rows") as last:
        rows(last, 1)
        wait_for(lambda: late() > 0)
        for name in ("r0", "r250", "r499", "r500"):
            runs[name].log({"a": 1})
        for watch, name in ((crowd[0], "r0"), (crowd[2], "r250"), (crowd[4], "r499"), (last, "r500")):
            assert watch.follow("rows", name, 2)[-1]["row_next"] == 1
    for watch in crowd:
        watch.close()
    wait_for(lambda: server.metric("cairn_live_followed_runs") == 0)


# ---- much that is new ---------------------------------------------------------------------------------

@pytest.mark.own
def test_who_is_slow_and_follows_much(api, run, home, server, db):
    """The server keeps no more for it than may wait for one, others are told meanwhile, and nothing is lost."""
    wanted = names(2, 30)
    make(api, home, wanted)
    with Watch(api, home, follow="r1", streams="alert") as quick, \
            Watch(api, home, follow=",".join(wanted), streams="rows,alert", patient=True) as slow:
        quick.next("open")
        Run(api, "seen", home)
        quick.until(lambda runs: "seen" in runs)  # by then the other one was told where they stand
        burst(db, wanted)
        waiting = []
        for number in range(8):
            api.post(f"{run.path}/alerts", {"title": f"t{number}"})
            quick.follow("alert", "r1", number + 1)
            waiting.append(server.metric('cairn_memory_bytes{of="listeners"}'))
        assert MIB < max(waiting) < 6 * MIB
        slow.read()
        takes_all(slow, wanted)


@pytest.mark.own
@pytest.mark.parametrize("count, is_late", [(10, False), pytest.param(24, True, marks=pytest.mark.long)])
def test_more_than_is_made_in_a_second(api, home, db, late, count, is_late):
    """Each of them is told of more than a MiB; what does not fit into 16 comes in the next one."""
    wanted = names(0, 4 * count)
    make(api, home, wanted)
    groups = [wanted[first:first + 4] for first in range(0, 4 * count, 4)]
    crowd = [Watch(api, home, follow=",".join(group), streams="rows,alert") for group in groups]
    for watch in crowd:
        rows(watch, 4)
    burst(db, wanted)
    for watch, group in zip(crowd, groups):
        takes_all(watch, group)
        watch.close()
    assert (late() > 0) == is_late


# ---- what cannot be read ------------------------------------------------------------------------------

@pytest.mark.own
def test_lines_that_cannot_be_read_hold_up_nothing(api, run, home, db, server, wait_for):
    """Not what else there is of the run, nor another one, nor who follows; and they are not taken for none."""
    other = Run(api, "r2", home)
    db.query("create function spoil() returns trigger language plpgsql as $$ begin new.data := '\\x00'; return new; end $$")
    db.query("create trigger spoil before insert on tail for each row when (new.kind = 3) execute function spoil()")
    with Watch(api, home, follow="r1,r2", streams="rows,alert,console") as watch:
        rows(watch, 2)
        run.join().send(console=[{"line": 0, "stream": "stdout", "time": 1.5, "text": "x"}])
        wait_for(lambda: "followed run delayed" in server.log())
        for told in (run, other):
            alert = api.post(f"{told.path}/alerts", {"title": "look"}).json
            assert watch.follow("alert", told.name) == [alert]
        db.query("drop trigger spoil on tail")
        db.query("delete from tail where kind = 3")
        assert watch.follow("console", "r1") == [None]
