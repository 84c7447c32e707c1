"""Deleted runs and projects: restored while their grace time lasts, then what they had is given up."""
import pytest

from artifacts import Collection
from runs import Run, compact, run_id
from server import cairnd_run
from test_verify import fill_sweeps

DAY = 24 * 3600
GRACE = 30 * DAY
# What has rows of a run; its lock row and the directory are looked at apart.
TABLES = ("chunk", "console_chunk", "run_keys", "run_leaf", "run_merged", "run_config", "run_sent", "run_overlay",
          "run_conflict", "run_idempotency", "run_unread", "run_left_out", "run_alert", "run_branch", "run_branch_keys",
          "run_attempt",
          "run_state", "run_writer", "run_change", "run_document", "run_artifact")


ARTIFACTS = ("artifact_type", "artifact_collection", "artifact", "artifact_member", "artifact_alias", "artifact_manifest", "artifact_entry",
             "artifact_upload", "artifact_blob", "artifact_multipart", "artifact_part")


def fill_artifacts(api, home):
    """Something in every table of artifacts; a version that the run r0 made."""
    model = Collection(api, home)
    model.version({"a": b"hello"}, run="r0")
    api.post(f"{home}/artifacts/released/links", {"source": "model:v0"})
    draft = model.draft()
    model.put(draft, "b", b"of a draft")
    upload = api.post(f"{draft}/uploads", {"path": "c", "md5": "0" * 32, "parts": 2}).json["upload"]
    api.put(f"{draft}/uploads/{upload}/1", b"part", content_type=None)
    return model


def fill(run, rows=300):
    """Something in every table that has rows of a run; it has ended."""
    first, other = run.join("w0"), run.join("w1", "worker")
    first.send(history=[{"loss": i / 8, "name": f"n{i}"} for i in range(rows)], config={"lr": 1},
               summary={"best": 1}, events=[{"cpu": 1}],
               console=[{"line": 0, "stream": "stdout", "time": 1, "text": "hello"}])
    other.send(config={"lr": 2})
    run.api.patch(f"{run.path}/config", {"seed": 7})
    run.log([{"by_hand": 1}], headers={"Idempotency-Key": "k"})
    run.api.post(f"{run.path}/alerts", {"title": "filled"})
    other.finish()
    first.finish()
    entity, project, name = run.path.removeprefix("/api/v1/projects/").replace("/runs/", "/").split("/")
    run.api.post("/graphql", {"query": "mutation($i: UpsertBucketInput!) {upsertBucket(input: $i) {bucket {id}}}",
                              "variables": {"i": {"entityName": entity, "modelName": project, "name": name,
                                                  "host": "h", "config": "{}"}}})
    run.api.post(f"/files/{run.path.removeprefix('/api/v1/projects/').replace('/runs/', '/')}/file_stream",
                 {"files": {"wandb-history.jsonl": {"offset": 0, "content": ["no row"]},
                            "wandb-summary.json": {"offset": 0, "content": ['{"x": 1}']}},
                  "complete": True, "exitcode": 0}, check=False)
    run.api.post(f"{run.path}/rewind", {"step": rows // 2})
    return run


def counts(db, number):
    return {table: db.value(f"select count(*) from {table} where run_id = %s", number) for table in TABLES}


def is_purged(db, number):
    return not db.value("select count(*) from run_hot where run_id = %s", number)


def seen(run):
    tails = ("", "/writers", "/config", "/summary", "/keys", "/console", "/conflicts", "/history?format=ndjson",
             "/events?format=ndjson")
    return [run.api.raw("GET", run.path + tail).body for tail in tails[1:]]


def still(answer):
    """But for what it takes, which is measured when it is compacted."""
    return {k: v for k, v in answer.json.items() if k != "bytes"}


def deleted(api, home):
    return [r["id"] for r in api.pages(f"{home}/runs", deleted="true")]


def test_a_restored_run_is_as_it_was(api, run, home, wait_for):
    fill(run)
    before = seen(run)
    api.delete(run.path)
    assert "/{run}/restore" in api.refused(410, "gone", "GET", run.path)["hint"]
    assert api.pages(f"{home}/runs") == []
    item, = api.pages(f"{home}/runs", deleted="true")
    assert (item["id"], item["deleted"]["who"], item["deleted"]["user"]) == ("r1", "user", "ann")
    assert item["deleted"]["at"] < item["deleted"]["purge_at"]
    restored = api.post(f"{run.path}/restore").json
    assert (restored["state"], restored["deleted"]) == ("finished", None)
    assert seen(run) == before
    assert api.pages(f"{home}/runs", deleted="true") == []
    wait_for(lambda: [r["id"] for r in api.pages(f"{home}/runs", filter="state:finished")] == ["r1"])
    assert [(s["from"], s["to"], s["who"], s["reason"]) for s in run.states()[-2:]] == [
        ("finished", "finished", "user", "deleted"), ("finished", "finished", "user", "restored")]


def test_restoring_a_run_that_lives_changes_nothing(api, run):
    fill(run)
    before = run.states()
    assert still(api.post(f"{run.path}/restore")) == still(api.get(run.path))
    assert run.states() == before
    api.refused(404, "not-found", "POST", f"{run.path}x/restore")


def test_a_deleted_run_is_compacted_and_keeps_its_rows(api, run, db, wait_for):
    writer = run.join()
    writer.send(history=[{"x": i} for i in range(50)])
    number = run_id(db, run)
    api.delete(run.path)
    writer.refused(410, "gone", writer.body(2, history=[{"x": 1}]))
    compact(db, wait_for, number)
    api.post(f"{run.path}/restore")
    assert run.values("x") == list(range(50))
    writer.send(history=[{"x": 50}])
    assert run.values("x") == list(range(51))


def test_purged_when_its_time_is_over(api, run, home, db, secret_file, wait_for, shift_clock):
    fill(run)
    number = run_id(db, run)
    compact(db, wait_for, number)
    db.query("insert into run_sent (run_id, writer, ahead) values (%s, 0, '{}')", number)  # only the SDK's door does
    db.query("insert into run_left_out values (%s, 0, 1, 'row-full', 'a', 1, now(), now(), '1')", number)
    db.query("insert into run_artifact values (%s, 2, 1, 1, null, now())", number)
    wait_for(lambda: all(n for table, n in counts(db, number).items() if table != "run_change"), what="rows everywhere")
    api.delete(run.path)
    shift_clock(GRACE - 60)
    assert deleted(api, home) == ["r1"]
    shift_clock(120)
    problem = api.refused(410, "gone", "POST", f"{run.path}/restore")
    assert "can no longer be restored" in problem["detail"]
    assert deleted(api, home) == []
    wait_for(lambda: is_purged(db, number))
    assert set(counts(db, number).values()) == {0}
    for method, tail, body in (("GET", "", None), ("PUT", "", {}), ("DELETE", "", None), ("POST", "/restore", None),
                               ("POST", "/history", {"x": 1}), ("POST", "/join", {"client": "w", "role": "primary"})):
        api.refused(410, "gone", method, run.path + tail, body)
    left = db.query("select name, display_name, deleted_who, delete_reason, purged_at is not null from run "
                    "where run_id = %s", number)
    assert left == [("r1", "", 3, "deleted", True)]
    cairnd_run(db.url, secret_file, "verify")  # nothing that is left misses anything


def test_artifacts_stay_when_their_run_is_purged(api, home, db, wait_for):
    """As retention purges it, too. They were made by its user then."""
    run = Run(api, "r0", home)
    model = fill_artifacts(api, home)
    assert model.get("v0")["run"]["id"] == "r0"
    number = run_id(db, run)
    api.delete(run.path, purge="now")
    wait_for(lambda: is_purged(db, number))
    version = model.get("v0")
    assert (version["run"], version["user"], version["state"]) == (None, "ann", "committed")
    assert api.raw("GET", f"{model.path}/versions/v0/files/a").body == b"hello"
    assert api.get(f"{model.path}/versions/v0/lineage").json["edges"] == []


def test_other_runs_are_not_touched(api, home, db, wait_for):
    runs = [fill(Run(api, f"r{i}", home)) for i in range(3)]
    before = [seen(run) for run in runs]
    number = run_id(db, runs[1])
    api.delete(runs[1].path, purge="now")
    wait_for(lambda: is_purged(db, number))
    assert [seen(runs[0]), seen(runs[2])] == [before[0], before[2]]


def test_purge_now_takes_an_admin(api, server, keys, db, wait_for):
    path = "/api/v1/projects/lab/purge-now/runs/r1"
    member, admin = api.as_user(keys["mel"]), api.as_user(keys["bob"])
    member.put(path)
    assert member.refused(400, "invalid", "DELETE", path, query={"purge": "later"})["field"] == "purge"
    member.refused(403, "forbidden", "DELETE", path, query={"purge": "now"})
    member.get(path)
    number = run_id(db, Run(member, project="/api/v1/projects/lab/purge-now", make=False))
    admin.delete(path, purge="now")
    member.refused(410, "gone", "POST", f"{path}/restore")
    wait_for(lambda: is_purged(db, number))


def test_who_sees_what_is_deleted(api, keys):
    home = "/api/v1/projects/lab/who-sees"
    member, viewer, admin = (api.as_user(keys[name]) for name in ("mel", "vic", "bob"))
    admin.put(home, {"visibility": "public"})
    for i in range(5):
        member.put(f"{home}/runs/r{i}")
        member.delete(f"{home}/runs/r{i}")
    viewer.refused(403, "forbidden", "GET", f"{home}/runs", query={"deleted": "true"})
    api.refused(403, "forbidden", "GET", f"{home}/runs", query={"deleted": "true"})
    viewer.refused(403, "forbidden", "POST", f"{home}/runs/r1/restore")
    api.refused(403, "forbidden", "POST", f"{home}/runs/r1/restore")
    assert member.pages(f"{home}/runs", deleted="true", limit=2) == member.pages(f"{home}/runs", deleted="true")
    assert deleted(member, home) == ["r4", "r3", "r2", "r1", "r0"]
    for query in ({"deleted": "yes"}, {"deleted": "true", "filter": "state:running"},
                  {"deleted": "true", "order": "-state"}):
        assert member.refused(400, "invalid", "GET", f"{home}/runs", query=query)["field"] == "deleted"


def test_a_run_that_ran_is_decided_after_it_is_restored(api, run, wait_for, shift_clock):
    """Its writers were told that it is gone; who is heard again makes it running."""
    writer = run.join()
    api.delete(run.path)
    shift_clock(3600)
    api.post(f"{run.path}/restore")
    wait_for(lambda: run.state == "crashed")
    writer.send(history=[{"x": 1}])
    assert run.state == "running"


def test_a_project_is_restored_with_its_runs(api, home, keys, shift_clock):
    name = home.rsplit("/", 1)[1]
    kept, gone = fill(Run(api, "kept", home)), fill(Run(api, "gone", home))
    before = seen(kept)
    api.delete(gone.path)
    api.delete(home, confirm=name)
    for path in (home, kept.path, f"{home}/runs"):
        assert "/{project}/restore" in api.refused(410, "gone", "GET", path)["hint"]
    api.refused(410, "gone", "POST", f"{kept.path}/restore")
    api.as_user(keys["bob"]).refused(404, "not-found", "POST", f"{home}/restore")
    shift_clock(DAY)
    assert api.post(f"{home}/restore").json["name"] == name
    assert seen(kept) == before
    assert deleted(api, home) == ["gone"]
    assert still(api.post(f"{home}/restore")) == still(api.get(home))  # it lives: nothing changes


def test_what_a_deletion_of_a_project_would_delete(api, home, keys, db, wait_for):
    """One request, which deletes nothing: runs, versions, bytes, and links of others that would end."""
    name = home.rsplit("/", 1)[1]
    for run in "r0", "r1", "gone":
        Run(api, run, home)
    api.delete(f"{home}/runs/gone")
    model = fill_artifacts(api, home)
    model.version({"a": b"another"})
    deleted_version = api.delete(f"{model.path}/versions/v1", aliases="true").json
    api.put(f"{home}/runs/r1/files/a.txt", b"12345678", content_type=None)
    api.put(f"{home}-far", {})
    api.post(f"{home}-far/artifacts/best/links", {"source": f"ann/{name}/model:v0"})
    wait_for(lambda: db.value("select bool_and(counted) from artifact_blob") and api.get(home).json["bytes"] >= 8, what="the usage")
    before = api.get(home).json
    dry = api.delete(home, dry_run="true").json
    assert {**dry, "purge_at": None} == {"deleted": False, "runs": 2, "versions": 1, "bytes": before["bytes"], "links": 1, "purge_at": None}
    assert api.delete(home, dry_run="true", purge="now").json["purge_at"] < dry["purge_at"]
    assert before["bytes"] == len(b"hello" + b"another" + b"of a draft") + 8
    assert api.get(home).json == before
    api.as_user(keys["bob"]).refused(404, "not-found", "DELETE", home, query={"dry_run": "true"})
    api.refused(400, "invalid", "DELETE", home, query={"dry_run": "perhaps"})
    assert api.refused(400, "invalid", "DELETE", home)["field"] == "confirm"
    api.delete(f"{home}-far/artifacts/best")
    api.post(f"{home}/artifact-restore", {"restore": deleted_version["restore"]})
    dry = api.delete(home, dry_run="true").json
    assert (dry["versions"], dry["links"]) == (2, 0)


def test_a_project_is_purged_with_its_runs(api, home, db, secret_file, wait_for, shift_clock):
    name = home.rsplit("/", 1)[1]
    runs = [fill(Run(api, f"r{i}", home), rows=5) for i in range(4)]
    numbers = [run_id(db, run) for run in runs]
    project = db.value("select project_id from project where name = %s", name)
    fill_sweeps(db, str(project), "null::int8")
    fill_artifacts(api, home)
    assert all(db.value(f"select count(*) from {table} where project_id = %s", project) for table in ARTIFACTS)
    api.delete(runs[0].path)
    api.delete(home, confirm=name)
    shift_clock(GRACE + 60)
    api.refused(410, "gone", "POST", f"{home}/restore")
    wait_for(lambda: db.value("select purged_at is not null from project where project_id = %s", project))
    for number in numbers:
        assert is_purged(db, number)
        assert set(counts(db, number).values()) == {0}
    for table in ("run", "project_key", "run_document", "document_count", "project_usage", "sweep", "sweep_agent", "sweep_host",
                  "sweep_trial", *ARTIFACTS):
        assert db.value(f"select count(*) from {table} where project_id = %s", project) == 0, table
    for path in (home, runs[1].path):
        api.refused(410, "gone", "GET", path)
    api.refused(410, "gone", "PUT", home, {})
    cairnd_run(db.url, secret_file, "verify")


def test_a_small_run_is_purged_in_one_transaction(api, run, db, wait_for):
    """While one of its tables cannot be emptied nothing of it goes: many runs are purged at a commit each."""
    number = run_id(db, fill(run))
    compact(db, wait_for, number)
    before = counts(db, number)
    with db.hold(f"select from run_writer where run_id = {number} for update"):
        api.delete(run.path, purge="now")
        waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%%run_writer%%'"
        wait_for(lambda: db.value(waits))
        wait_for(lambda: not db.value(waits))
        assert {**counts(db, number), "run_document": 0, "run_change": 0} == {
            **before, "run_state": before["run_state"] + 1, "run_document": 0, "run_change": 0}
    wait_for(lambda: is_purged(db, number))


@pytest.mark.own
def test_verify_while_a_project_is_purged(api, db, secret_file, wait_for, shift_clock):
    """Half of its runs are gone, and what the project has is still there: no fault."""
    home = "/api/v1/projects/ann/digits"
    numbers = [run_id(db, fill(Run(api, f"r{i}", home), rows=5)) for i in range(3)]
    api.delete(home, confirm="digits")
    with db.hold(f"select from run_writer where run_id = {numbers[0]} for update"):
        shift_clock(GRACE + 60)
        wait_for(lambda: is_purged(db, numbers[1]) and is_purged(db, numbers[2]))
        assert ": 0 faults" in cairnd_run(db.url, secret_file, "verify")
    wait_for(lambda: db.value("select purged_at is not null from project where name = 'digits'"))


@pytest.mark.own
def test_verify_looks_at_what_may_be_restored(api, db, secret_file, wait_for):
    run, other = fill(Run(api)), fill(Run(api, "other"))
    number = run_id(db, run)
    compact(db, wait_for, number)
    api.delete(run.path)
    api.delete(other.path)
    assert cairnd_run(db.url, secret_file, "verify").startswith("2 runs")
    db.query("update chunk set data = set_byte(data, 20, get_byte(data, 20) # 1) where run_id = %s", number)
    for words in ((), ("--project", "ann/digits", "--run", "r1")):
        with pytest.raises(RuntimeError, match="ann/digits/r1: history chunk of key"):
            cairnd_run(db.url, secret_file, "verify", *words)
    assert ": 0 faults" in cairnd_run(db.url, secret_file, "verify", "--project", "ann/digits", "--run", "other")
    db.query("update run set deleted_at = null where name = 'other'")
    with pytest.raises(RuntimeError, match="the run is marked as not deleted in the directory"):
        cairnd_run(db.url, secret_file, "verify")


@pytest.mark.own
def test_two_servers_purge_at_once(two_servers, keys, db, wait_for, shift_clock):
    """Many runs, each purged once, while others are written."""
    from rest import Api
    one = Api(two_servers[0], keys["ann"])
    home = "/api/v1/projects/ann/digits"
    doomed = [Run(one, f"d{i}", home) for i in range(20)]
    living = Run(one, "living", home)
    writer = living.join()
    for run in doomed:
        run.log([{"x": i, "y": str(i)} for i in range(20)])
        one.delete(run.path)
    shift_clock(GRACE + 60)
    sent = 0
    while db.value("select count(*) from run_hot") > 1:
        writer.send(history=[{"x": sent}])
        sent += 1
    assert living.values("x") == list(range(sent))
    for server in two_servers:  # which tells of it when it is stored
        server.stop()
    assert sum(server.log().count("run purged") for server in two_servers) == len(doomed)


@pytest.mark.own
def test_a_purge_that_was_killed_goes_on(place, keys, db, wait_for, shift_clock):
    """The server dies while somebody else holds a row that is to go, half-way through the tables."""
    from rest import Api
    server = place.server(0)
    run = fill(Run(Api(server, keys["ann"])))
    number = run_id(db, run)
    compact(db, wait_for, number)
    db.query("insert into chunk select run_id, stream, 9000 + i, kind, writer, index_first, value_count, row_first, row_last,"
             " step_min, step_max, roll, data from (select * from chunk limit 1) c, generate_series(1, 600) i")
    run.api.delete(run.path)
    with db.hold(f"select from run_writer where run_id = {number} for update"):
        shift_clock(GRACE + 60)
        wait_for(lambda: db.value("select purging from run_hot where run_id = %s", number))
        server.kill()
        place.servers.remove(server)
        server.remove()
    assert 0 < db.value("select count(*) from chunk where run_id = %s", number) < 600
    assert db.value("select count(*) from run_writer where run_id = %s", number) == 4
    db.query("update server_clock set shift_us = 0")  # even if the clock goes back: half a run is none
    api = Api(place.server(0), keys["ann"])
    api.refused(410, "gone", "POST", f"{run.path}/restore")
    wait_for(lambda: is_purged(db, number))
    assert set(counts(db, number).values()) == {0}
