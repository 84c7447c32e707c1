"""What runs take, what an entity may take, and how long a project keeps its runs."""
import re

import pytest

from rest import Api
from runs import Run, run_id, turn_ring
from server import cairnd_run

DAY = 24 * 3600
MEASURED = """select coalesce((select sum(pg_column_size(data) + coalesce(pg_column_size(roll), 0)) from chunk where run_id = r), 0)
    + coalesce((select sum(pg_column_size(data)) from console_chunk where run_id = r), 0)
    + coalesce((select sum(pg_column_size(document)) from run_keys where run_id = r), 0)
    + coalesce((select sum(pg_column_size(document)) from run_config where run_id = r), 0)
    + coalesce((select sum(coalesce(pg_column_size(summary), 0)
                              + coalesce(pg_column_size(waiting), 0) + pg_column_size(ahead)) from run_sent where run_id = r), 0)
    + coalesce((select sum(pg_column_size(place) + pg_column_size(path) + coalesce(pg_column_size(value), 0))
                  from run_leaf where run_id = r), 0)
    + coalesce((select sum(pg_column_size(parts) + coalesce(pg_column_size(config), 0) + coalesce(pg_column_size(summary), 0))
                  from run_branch where run_id = r), 0)
    + coalesce((select sum(pg_column_size(config) + pg_column_size(summary)) from run_attempt where run_id = r), 0)
    + coalesce((select sum(pg_column_size(document)) from run_branch_keys where run_id = r), 0) from (select %s::int8) of (r)"""

OLDER = """select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and backend_xmin is not null and backend_xmin::text::int8 < %s"""


@pytest.fixture
def root(server, keys):
    made = Api(server, keys["root"])
    yield made
    made.close()


@pytest.fixture
def grown(db, wait_for):
    """grown(run, rows): the run has ended, is compacted, and measured."""
    def grow(run, rows=3000, seed=1, until="size_seq", batches=1):
        writer = run.join()
        for _ in range(1, batches):
            writer.send(history=[{"loss": (i * 7919 * seed % 100003) / 7, "name": f"{i * seed:x}"} for i in range(rows)])
        writer.send(history=[{"loss": (i * 7919 * seed % 100003) / 7, "name": f"{i * seed:x}"} for i in range(rows)],
                    config={"lr": 1}, console=[{"line": i, "stream": "stdout", "time": i, "text": f"line {i}"}
                                               for i in range(200)])
        writer.finish()
        turn_ring(db, wait_for)
        number = run_id(db, run)
        wait_for(lambda: db.value(f"select {until} = next_seq - 1 from run_hot where run_id = %s", number))
        return run.get()["bytes"]
    return grow


def test_bytes_are_those_of_the_rows(api, run, home, db, grown):
    assert (run.get()["bytes"], api.get(home)["bytes"]) == (0, 0)
    taken = grown(run)
    assert taken == db.value(MEASURED, run_id(db, run)) > 5_000
    shown = api.get(home).json
    assert (shown["bytes"], shown["deleted_bytes"]) == (taken, 0)


@pytest.mark.own
def test_branches_count(run, db, grown, server, wait_for):
    """What a rewound run left behind it, and what is kept of that; it is looked at again."""
    before = grown(run)
    number = run_id(db, run)
    run.api.post(f"{run.path}/rewind", {"step": 10})
    server.stop()
    server.start(server.port)
    wait_for(lambda: db.value("select size_seq = compact_seq from run_hot where run_id = %s", number))
    assert run.get()["bytes"] == db.value(MEASURED, number) > before


@pytest.mark.long
def test_bytes_are_most_of_what_the_tables_take(db, api, home, grown):
    """Row headers, pages and indexes are not counted: said to be little of a large run."""
    def table():
        db.query("vacuum full chunk")  # what compaction left in it is another matter
        return db.value("select pg_total_relation_size('chunk')")

    before = table()
    share = grown(Run(api, "large", home), rows=60_000, batches=3) / (table() - before)
    assert 0.75 < share <= 1.05


@pytest.mark.own
def test_sums_of_projects_and_entities(api, db, server, wait_for, grown, keys):
    paths = ["/api/v1/projects/ann/one", "/api/v1/projects/ann/two"]
    sizes = [[grown(Run(api, f"r{i}", path), 1000 * (i + 1), seed=i + 2) for i in range(2)] for path in paths]

    def sums(path):
        shown = api.get(path).json
        return shown["bytes"], shown["deleted_bytes"]

    ann = "/api/v1/entities/ann"
    total = sum(sizes[0]) + sum(sizes[1])
    assert [sums(path)[0] for path in paths] == [sum(size) for size in sizes]
    assert sums(ann) == (total, 0)
    wait_for(lambda: f"\ncairn_stored_bytes {total}\n" in api.get("/metrics").text)
    api.delete(f"{paths[0]}/runs/r1")
    assert sums(paths[0]) == (sum(sizes[0]), sizes[0][1])
    assert sums(ann) == (total, sizes[0][1])
    api.post(f"{paths[0]}/runs/r1/restore")
    assert sums(ann) == (total, 0)
    api.delete(paths[1], confirm="two")
    assert sums(ann) == (total, sum(sizes[1]))
    api.delete(f"{paths[0]}/runs/r0", purge="now")
    wait_for(lambda: sums(paths[0]) == (sizes[0][1], 0))
    assert sums(ann) == (total - sizes[0][0], sum(sizes[1]))
    assert api.pages("/api/v1/projects/ann", deleted="true")[0]["deleted_bytes"] == sum(sizes[1])
    db.query("update project set purge_at = now() where deleted_at is not null")
    wait_for(lambda: sums(ann) == (sizes[0][1], 0))


@pytest.mark.long
@pytest.mark.own
def test_space_is_used_again_without_a_full_vacuum(api, db, wait_for, grown):
    """The same amount, written, deleted, purged and vacuumed again and again; what stays lies behind it."""
    tables = ("chunk", "console_chunk", "run_keys", "run_writer", "run_leaf")

    def sizes():
        return {table: db.value("select pg_total_relation_size(%s::regclass)", table) for table in tables}

    def cycle(number):
        run = Run(api, f"r{number}")
        grown(run, rows=20_000, seed=number, until="compact_seq")
        if number == 1:
            grown(Run(api, "stays"), seed=99, until="compact_seq")
        api.delete(run.path, purge="now")
        wait_for(lambda: not db.value("select count(*) from run_hot h join run r using (run_id) where r.name = %s", run.name))
        # What somebody may still see who began before the purge is not taken away.
        now = db.value("select pg_snapshot_xmax(pg_current_snapshot())::text::int8")
        wait_for(lambda: not db.value(OLDER, now), what="nobody who sees what was purged")
        for table in tables:
            db.query(f"vacuum {table}")
        return sizes()

    first = cycle(1)
    assert first["chunk"] > 150_000
    later = [cycle(number) for number in (2, 3)]
    for table in tables:
        assert max(size[table] for size in later) <= first[table] * 1.1 + 4 * 8192, (table, first, later)
    assert len(Run(api, "stays", make=False).values("loss")) == 3000


@pytest.mark.own
def test_what_a_killed_server_did_not_measure(place, keys, db, wait_for, grown):
    api = Api(place.server(0), keys["ann"])
    run = Run(api)
    taken = grown(run)
    server = place.servers.pop()
    server.kill()
    server.remove()
    db.query("update run_hot set size_seq = -1, size_bytes = 0")
    db.query("delete from project_usage")
    api = Api(place.server(0), keys["ann"])
    wait_for(lambda: api.get(run.path)["bytes"] == taken)
    assert api.get("/api/v1/projects/ann/digits")["bytes"] == taken


def test_deleted_projects_are_listed_for_admins(api, keys, home):
    name = home.rsplit("/", 1)[1]
    api.put(home)
    api.delete(home, confirm=name)
    assert name not in [p["name"] for p in api.pages("/api/v1/projects/ann")]
    item, = [p for p in api.pages("/api/v1/projects/ann", deleted="true") if p["name"] == name]
    assert item["deleted"]["at"] < item["deleted"]["purge_at"]
    member = api.as_user(keys["mel"])
    member.refused(403, "forbidden", "GET", "/api/v1/projects/lab", query={"deleted": "true"})
    api.refused(400, "invalid", "GET", "/api/v1/projects/ann", query={"deleted": "false"})


# ---- quotas ----------------------------------------------------------------------------------------


@pytest.mark.own
def test_the_quota_of_a_project(api, root, db, wait_for, grown):
    """New runs, files, and what is moved there; other projects of the entity go on, and so do runs that are there."""
    home, other = "/api/v1/projects/ann/digits", "/api/v1/projects/ann/other"
    living, elsewhere = Run(api, "living", home), Run(api, "elsewhere", other)
    writer = living.join()
    elsewhere.join().finish()
    taken = grown(Run(api, "r1", home))
    api.patch(home, {"quota_bytes": taken + 5})
    api.put(f"{home}/runs/r2")
    file = f"{living.path}/files/a"
    api.refused(403, "quota-exceeded", "PUT", file, b"x" * 6, content_type=None)
    api.request("PUT", file, b"x" * 5, content_type=None)
    for method, path, body in (("PUT", f"{home}/runs/new", {}), ("POST", f"{home}/runs/new/history", {"x": 1}),
                               ("POST", f"{elsewhere.path}/move", {"entity": "ann", "project": "digits"})):
        problem = api.refused(403, "quota-exceeded", method, path, body)
        assert '"ann/digits"' in problem["detail"] and str(taken + 5) in problem["detail"]
    assert db.value("select count(*) from run where name = 'new'") == 0
    writer.send(history=[{"x": 1}])
    api.put(f"{other}/runs/new", {})
    root.patch("/api/v1/entities/ann", {"quota_bytes": taken})  # which has less room now
    assert '"ann"' in api.refused(403, "quota-exceeded", "PUT", f"{home}/runs/new", {})["detail"]
    root.patch("/api/v1/entities/ann", {"quota_bytes": None})
    api.delete(f"{home}/runs/r1", purge="now")
    wait_for(lambda: api.request("PUT", f"{home}/runs/new", {}).status == 201)
    api.patch(home, {"quota_bytes": 1})
    api.refused(403, "quota-exceeded", "PUT", f"{home}/runs/newer", {})
    api.patch(home, {"quota_bytes": None})
    assert api.request("PUT", f"{home}/runs/newer", {}).status == 201


@pytest.mark.own
def test_a_quota_stops_new_runs_and_no_rows(api, root, db, wait_for, grown):
    """By every way to make a run; what is there goes on."""
    home = "/api/v1/projects/ann/digits"
    living = Run(api, "living", home)
    writer = living.join()
    taken = grown(Run(api, "r1", home))
    assert root.patch("/api/v1/entities/ann", {"quota_bytes": taken + 1}).json["limit_bytes"] == taken + 1
    api.put(f"{home}/runs/r2")
    shown = root.patch("/api/v1/entities/ann", {"quota_bytes": taken}).json
    assert (shown["bytes"], shown["quota_bytes"], shown["limit_bytes"]) == (taken, taken, taken)
    for method, path, body in (("PUT", f"{home}/runs/new", {}), ("POST", f"{home}/runs", {}),
                               ("POST", f"{home}/runs/new/history", {"x": 1}),
                               ("PUT", "/api/v1/projects/ann/other/runs/new", {}),
                               ("POST", "/api/v1/projects/ann/other/runs/new/history", {"x": 1})):
        problem = api.refused(403, "quota-exceeded", method, path, body)
        assert str(taken) in problem["detail"]
    assert db.value("select count(*) from run where name = 'new'") == 0
    api.refused(404, "not-found", "GET", "/api/v1/projects/ann/other")
    api.put(f"{home}/runs/r2", {})
    writer.send(history=[{"x": 1}])
    living.log([{"x": 2}])
    late = living.join("late", "worker")
    late.send(history=[{"x": 3}])
    assert living.values("x") == [1, 2, 3]
    assert api.get("/api/v1/entities/ann").json["limit_bytes"] == taken
    api.as_user(root.key).put("/api/v1/projects/root/p/runs/r1")  # another entity
    api.delete(f"{home}/runs/r1", purge="now")
    wait_for(lambda: api.request("PUT", f"{home}/runs/new", {}).status == 201)
    api.delete(f"{home}/runs/new")
    api.post(f"{home}/runs/new/restore")


@pytest.mark.own
def test_quotas_by_command(api, db, secret_file, grown, server):
    taken = grown(Run(api))

    def command(*words):
        return cairnd_run(db.url, secret_file, "quota", *words)

    def limit():
        shown = api.get("/api/v1/entities/ann").json
        return shown["quota_bytes"], shown["limit_bytes"]

    assert limit() == (None, None)
    for word, want in (("2K", (2048, 2048)), ("none", (0, None)), ("1G", (1 << 30, 1 << 30)), ("default", (None, None))):
        command("set", "ann", word)
        assert limit() == want
    lines = {line.split()[0]: line for line in command("list").splitlines()}
    assert re.search(rf"user +{taken / 2 ** 20:.1f} MiB +0.0 MiB +default", lines["ann"])
    assert "team" in lines["lab"]
    for words in (("set", "ann", "much"), ("set", "ann", "0"), ("set", "nobody-here", "1G")):
        with pytest.raises(RuntimeError):
            command(*words)


@pytest.mark.own
def test_the_servers_own_quota(place, keys, db, grown):
    api = Api(place.server(0), keys["ann"])
    taken = grown(Run(api))
    place.settings = {"entity_quota": taken}
    strict = Api(place.new_server().start(), keys["ann"])
    try:
        assert strict.get("/api/v1/entities/ann").json["limit_bytes"] == taken
        strict.refused(403, "quota-exceeded", "PUT", "/api/v1/projects/ann/digits/runs/new", {})
        Api(strict.server, keys["root"]).patch("/api/v1/entities/ann", {"quota_bytes": 0})
        strict.put("/api/v1/projects/ann/digits/runs/new")
    finally:
        strict.server.stop()
        strict.server.remove()


def test_a_quota_is_set_by_admins_of_the_server(api, root, keys):
    for name, status in (("ann", 403), ("bob", 403)):
        api.as_user(keys[name]).request("PATCH", "/api/v1/entities/lab", {"quota_bytes": 1})
        assert api.as_user(keys[name]).request("PATCH", "/api/v1/entities/lab", {"quota_bytes": 1}).status == status
    root.refused(404, "not-found", "PATCH", "/api/v1/entities/nobody-here", {"quota_bytes": 1})
    for body in ({}, {"quota_bytes": -1}, {"quota_bytes": "1G"}, {"quota_bytes": 2 ** 53 + 1}, {"name": "x"}):
        root.refused(400, "invalid", "PATCH", "/api/v1/entities/lab", body)
    assert root.get("/api/v1/entities/lab").json["quota_bytes"] is None


# ---- retention -------------------------------------------------------------------------------------


def end(api, home, name, state, tags=()):
    run = Run(api, name, home)
    if tags:
        api.patch(run.path, {"tags": list(tags)})
    if state == "crashed":
        api.post(f"{run.path}/states", {"state": "crashed", "reason": "test"})
    elif state:
        api.post(f"{run.path}/finish", {"state": state})
    return run


def deleted(api, home):
    return {r["id"]: r for r in api.pages(f"{home}/runs", deleted="true")}


def test_retention_by_age_and_state(api, home, wait_for, shift_clock):
    for name, state in (("ok", "finished"), ("bad", "failed"), ("gone", "crashed"), ("shot", "killed"), ("runs", None)):
        end(api, home, name, state)
    end(api, home, "kept", "failed", ["other", "keep"])
    end(api, home, "nearly", "failed", ["keep it", "KEEP", 'a"keep"'])
    # What runs must not crash by itself while days go by.
    api.patch(home, {"retention": {"failed_days": 2, "killed_days": 9}, "crash_after_s": 604800})
    shift_clock(2 * DAY - 3600)
    assert deleted(api, home) == {}
    shift_clock(3600 + 60)
    wait_for(lambda: len(deleted(api, home)) >= 2)
    found = deleted(api, home)
    assert set(found) == {"bad", "nearly"}
    note = found["bad"]["deleted"]
    assert (note["who"], note["user"], note["reason"]) == ("server", None, "retention: failed runs are kept for 2 days")
    api.patch(home, {"retention": {"crashed_days": 1, "failed_days": None}})
    wait_for(lambda: "gone" in deleted(api, home))
    assert api.get(home)["retention"] == {"finished_days": None, "failed_days": None, "crashed_days": 1, "killed_days": 9}
    for name in ("ok", "shot", "runs", "kept"):
        api.get(f"{home}/runs/{name}")
    restored = api.post(f"{home}/runs/bad/restore").json
    assert restored["state"] == "failed"
    last = api.pages(f"{home}/runs/bad/states")[-2:]
    assert [(s["who"], s["reason"]) for s in last] == [("server", note["reason"]), ("user", "restored")]


def test_what_retention_deleted_is_purged_and_remembered(api, home, db, wait_for, shift_clock):
    run = end(api, home, "ok", "finished")
    number = run_id(db, run)
    api.patch(home, {"retention": {"finished_days": 1}})
    shift_clock(DAY + 60)
    wait_for(lambda: "ok" in deleted(api, home))
    shift_clock(30 * DAY + 60)
    wait_for(lambda: not db.value("select count(*) from run_hot where run_id = %s", number))
    assert db.query("select deleted_who, delete_reason from run where run_id = %s", number) == [
        (4, "retention: finished runs are kept for 1 day")]
    api.refused(410, "gone", "GET", run.path)


def test_retention_is_set_with_a_project(api, home):
    off = {"finished_days": None, "failed_days": None, "crashed_days": None, "killed_days": None}
    made = api.put(home, {"retention": {"finished_days": 90}}).json
    assert made["retention"] == {**off, "finished_days": 90}
    tag = api.request("GET", home).headers["ETag"]
    assert api.patch(home, {"retention": {"killed_days": 1}}, headers={"If-Match": tag}).json["retention"] == {
        **off, "finished_days": 90, "killed_days": 1}
    api.refused(412, "precondition-failed", "PATCH", home, {"retention": None}, headers={"If-Match": tag})
    for bad in ({"finished_days": 0}, {"finished_days": 36501}, {"days": 1}, {"failed_days": "1"}, 5):
        api.refused(400, "invalid", "PATCH", home, {"retention": bad})
    assert api.patch(home, {"retention": None}).json["retention"] == off


@pytest.mark.own
def test_retention_by_command(api, db, secret_file, wait_for, shift_clock):
    home = "/api/v1/projects/ann/digits"
    end(api, home, "bad", "failed")
    api.patch(home, {"retention": {"finished_days": 90, "crashed_days": 7}, "crash_after_s": 604800})
    api.put("/api/v1/projects/ann/keeps-all")

    def command(*words):
        return cairnd_run(db.url, secret_file, "retention", *words)

    command("set", "ann/digits", "--failed", "1", "--crashed", "forever")
    assert api.get(home)["retention"] == {"finished_days": 90, "failed_days": 1, "crashed_days": None, "killed_days": None}
    head, line = command("list").splitlines()
    assert head.split() == ["PROJECT", "FINISHED", "FAILED", "CRASHED", "KILLED"]
    assert re.split("  +", line.strip()) == ["ann/digits", "90 days", "1 day", "forever", "forever"]
    shift_clock(DAY + 60)
    wait_for(lambda: "bad" in deleted(api, home))
    for words, said in ((("ann/digits",), '" requires --finished, --failed, --crashed or --killed'), (("ann/digits", "--failed", "0"), "from 1 to 36500"),
                        (("ann/digits", "--failed", "1.5"), "or forever"), (("ann", "--failed", "1"), "ENTITY/PROJECT"),
                        (("ann/none", "--failed", "1"), 'the project "ann/none" does not exist')):
        with pytest.raises(RuntimeError, match=said):
            command("set", *words)
    api.delete(home, confirm="digits")
    with pytest.raises(RuntimeError, match="was deleted"):
        command("set", "ann/digits", "--failed", "5")
    assert len(command("list").splitlines()) == 1


@pytest.mark.own
def test_two_servers_delete_each_run_once(two_servers, keys, db, wait_for, shift_clock):
    api = Api(two_servers[0], keys["ann"])
    home = "/api/v1/projects/ann/digits"
    for i in range(12):
        end(api, home, f"r{i}", "finished")
    api.patch(home, {"retention": {"finished_days": 1}})
    shift_clock(DAY + 60)
    wait_for(lambda: len(deleted(api, home)) == 12)
    assert db.value("select count(*) from run_state where who = 4") == 12
