"""The server itself, entities and projects."""
import re

import pytest

from rest import Api
from server import Server, cairnd_run


@pytest.fixture
def mel(server, keys):
    made = Api(server, keys["mel"])
    yield made
    made.close()


@pytest.mark.own
def test_server(api, db, shift_clock):
    """Its time is the database's clock."""
    shown = api.get("/api/v1/server").json
    shift_clock(86400)
    assert api.get("/api/v1/server").json["time"][:10] > shown["time"][:10]
    assert shown["version"] == cairnd_run("", "", "--version").split()[1]


@pytest.mark.own
def test_what_it_stands_on(place, keys, api, secret_file):
    """For admins of the server alone."""
    with Server(place.db.url, secret_file, files_reserve="3M", grace_s=60, audit_days=9) as other:
        root = Api(other, keys["root"])
        state = root.get("/api/v1/server/state").json
        root.close()
        ann = Api(other, keys["ann"])
        assert ann.put("/api/v1/projects/ann/short", {}).json["grace_s"] == ann.get("/api/v1/projects/ann/short").json["grace_s"] == 60
        assert "grace_s" not in ann.pages("/api/v1/projects/ann")[0]
        ann.close()
    major, minor = map(int, state["database"]["version"].split("."))
    assert major >= 15 and minor >= 0 and not state["database"]["embedded"] and state["database"]["bytes"] > 1 << 20
    assert state["kept"] == {"grace_s": 60, "audit_days": 9, "audit_entries": 1000000} and state["replica"] is None
    assert state["files"]["reserve_bytes"] == 3 << 20 and 0 < state["files"]["free_bytes"] < state["files"]["disk_bytes"]
    assert state["files"]["full_in_days"] is None and state["files"]["rate_days"] is None
    api.refused(403, "forbidden", "GET", "/api/v1/server/state")


@pytest.mark.own
def test_when_the_disk_will_be_full(place, keys, db, secret_file, wait_for):
    """By what was used a week ago. It is written down once a day, and kept for thirty."""
    db.query("update server_clock set shift_us = 0")
    db.query("delete from disk_sample")
    db.query("insert into disk_sample (day, at, disk_bytes, used_bytes) values ('2020-01-01', '2020-01-01', 1, 1)")
    with Server(place.db.url, secret_file) as other:
        root = Api(other, keys["root"])
        wait_for(lambda: db.query("select day = (at at time zone 'UTC')::date, now() - at < interval '1 hour', used_bytes > 0 "
                                  "and used_bytes < disk_bytes from disk_sample") == [(True, True, True)])
        files = root.get("/api/v1/server/state").json["files"]
        week = files["disk_bytes"] - files["free_bytes"] - (files["free_bytes"] - files["reserve_bytes"]) // 6
        sample = ("insert into disk_sample (day, at, disk_bytes, used_bytes) values (%s, now() - %s * interval '1 hour', %s, %s) "
                  "on conflict (day) do update set at = excluded.at, disk_bytes = excluded.disk_bytes, used_bytes = excluded.used_bytes")
        db.query(sample, "2020-01-02", 7 * 24 - 1, files["disk_bytes"], week)
        told = root.get("/api/v1/server/state").json["files"]
        # About 42, but others write on this disk, too.
        more, room = told["disk_bytes"] - told["free_bytes"] - week, told["free_bytes"] - told["reserve_bytes"]
        assert told["full_in_days"] == pytest.approx(room / more * (7 - 1 / 24), abs=1) and told["rate_days"] == 7
        for hours, size, used in (7 * 24 + 1, 0, week), (7 * 24 - 1, 1, week), (7 * 24 - 1, 0, files["disk_bytes"]), (12, 0, week):
            db.query(sample, "2020-01-02", hours, files["disk_bytes"] + size, used)
            assert root.get("/api/v1/server/state").json["files"]["full_in_days"] is None, (hours, size)
        root.close()


@pytest.mark.own
def test_ready_says_whether_the_database_answers(api, db, cluster, wait_for):
    name = re.search(r"/([^/?]+)(\?|$)", db.url).group(1)
    assert api.get("/ready").json == {"status": "ready"}
    cluster.psql(f'alter database "{name}" with allow_connections false')
    cluster.psql(f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'")
    try:
        assert api.request("GET", "/healthz").status == 200
        wait_for(lambda: api.request("GET", "/ready").status == 503)
        answer = api.request("GET", "/ready")
        assert answer.problem == "busy" and answer.headers["Retry-After"]
    finally:
        cluster.psql(f'alter database "{name}" with allow_connections true')
    wait_for(lambda: api.request("GET", "/ready").status == 200)
    api.get("/api/v1/viewer")


@pytest.mark.own
def test_ready_wants_all_migrations(api, db):
    db.query("delete from schema_migration where number = (select max(number) from schema_migration)")
    answer = api.request("GET", "/ready")
    assert answer.status == 503 and "migration" in answer.json["detail"]


@pytest.mark.own
def test_metrics(api):
    api.get("/api/v1/viewer")
    text = api.get("/metrics").text
    assert re.search(r'^cairn_auth_lookups_total\{of="identity",from="database"\} [1-9]', text, re.M)


@pytest.mark.own
def test_viewer(api, mel):
    assert api.get("/api/v1/viewer").json == {
        "name": "ann", "admin": False, "default_entity": "ann",
        "entities": [{"name": "ann", "kind": "user", "role": "admin"}]}
    assert {"name": "lab", "kind": "team", "role": "member"} in mel.get("/api/v1/viewer")["entities"]


@pytest.mark.own
def test_entity(api, mel, server, keys):
    assert mel.get("/api/v1/entities/lab").json == {"name": "lab", "kind": "team", "role": "member", "members": 3, "bytes": 0,
                                                    "deleted_bytes": 0, "quota_bytes": None, "limit_bytes": None}
    api.refused(404, "not-found", "GET", "/api/v1/entities/lab")
    Api(server, keys["bob"]).put("/api/v1/projects/lab/open", {"visibility": "public"})
    api.refused(404, "not-found", "GET", "/api/v1/entities/lab")
    assert [e["name"] for e in mel.pages("/api/v1/entities", limit=1)] == ["lab", "mel"]


def test_project_is_made_once(api, home):
    first = api.put(home, {"description": "digits", "crash_after_s": 20})
    assert first.status == 201 and first.headers["Location"] == home
    again = api.put(home, {"description": "other", "visibility": "public"})
    assert again.status == 200 and again.json == first.json
    assert first.json["visibility"] == "private"


def test_project_put_without_a_body(api, home):
    assert api.put(home).json["crash_after_s"] == 300


@pytest.mark.parametrize("body, field", [
    ({"visibility": "inherit"}, "visibility"), ({"crash_after_s": 4}, "crash_after_s"),
    ({"crash_after_s": 604801}, "crash_after_s"), ({"crash_after_s": 1.5}, "crash_after_s"),
    ({"description": "x" * 16385}, "description"), ({"colour": "red"}, "colour"), ({"quota_bytes": 0}, "quota_bytes"),
    ({"quota_bytes": (1 << 53) + 1}, "quota_bytes"), ({"quota_bytes": "1"}, "quota_bytes"),
    ({"description": 3}, "description")])
def test_project_refuses(api, db, home, body, field):
    assert api.refused(400, "invalid", "PUT", home, body)["field"] == field
    assert db.value("select count(*) from project where name = %s", home.rsplit("/", 1)[1]) == 0


def test_project_patch(api, project):
    path = project
    made = api.get(path).json
    changed = api.patch(path, {"description": "d", "visibility": "public", "crash_after_s": 60})
    assert changed.json == {**made, "description": "d", "visibility": "public", "crash_after_s": 60}
    assert api.patch(path, {}).json == changed.json
    for quota in 1, 1 << 53:
        assert api.patch(path, {"quota_bytes": quota}).json == {**changed.json, "quota_bytes": quota} == api.get(path).json
    back = api.patch(path, {"description": None, "visibility": None, "crash_after_s": None, "quota_bytes": None})
    assert back.json == made == api.get(path).json and made["quota_bytes"] is None


def test_project_directions(api, project):
    """Which way metrics are better: kept whole and in order, replaced as one; a hundred keys of 512 bytes."""
    most = [{"key": f"{i:03}" + "k" * 509, "better": ("lower", "higher")[i % 2]} for i in range(100)]
    assert api.get(project)["directions"] == []
    escaped = [{"key": f"{i:03}k" + "é" * 254, "better": "lower"} for i in range(100)]
    assert api.patch(project, {"directions": escaped, "description": "é" * 8192})["directions"] == escaped, "as \\u00e9"
    assert [one["name"] for one in api.pages("/api/v1/projects/ann") if "directions" in one] == []
    for directions in ([{"key": "eval/loss", "better": "lower"}, {"key": "\"é\\", "better": "higher"}], most, []):
        tag = api.get(project).headers["ETag"]
        changed = api.patch(project, {"directions": directions})
        assert changed["directions"] == api.get(project)["directions"] == directions and changed.headers["ETag"] != tag
    api.patch(project, {"directions": most[:1]})
    assert api.patch(project, {"crash_after_s": 60})["directions"] == most[:1]
    loss = {"key": "loss", "better": "lower"}
    for wrong in ([*most, loss], [{**loss, "key": "k" * 513}], [{**loss, "key": ""}],
                  [{**loss, "key": "a\nb"}], [{**loss, "better": "best"}], [{"key": "loss"}], [loss, loss],
                  [loss, {**loss, "better": "higher"}], [{**loss, "more": 1}], {"loss": "lower"}, ["loss"]):
        answer = api.refused(400, "invalid", "PATCH", project, {"directions": wrong})
        assert answer["field"].startswith("directions"), wrong
    assert api.get(project)["directions"] == most[:1]
    assert api.patch(project, {"directions": None})["directions"] == []
    assert api.put(f"{project}-new", {"directions": [loss]})["directions"] == [loss]


def test_project_versions(api, project):
    """ETag, If-None-Match, If-Match."""
    tag = api.get(project).headers["ETag"]
    assert api.request("GET", project, headers={"If-None-Match": tag}).status == 304
    assert api.request("GET", project, headers={"If-None-Match": f'"x", W/{tag}'}).status == 304
    assert api.request("GET", project, headers={"If-None-Match": '"x"'}).status == 200
    changed = api.patch(project, {"description": "1"}, headers={"If-Match": tag})
    assert changed.headers["ETag"] != tag
    api.refused(412, "precondition-failed", "PATCH", project, {"description": "2"},
                headers={"If-Match": tag})
    assert api.get(project)["description"] == "1"
    api.patch(project, {"description": "3"}, headers={"If-Match": "*"})


@pytest.mark.own
def test_project_delete(api, project, run):
    api.refused(400, "invalid", "DELETE", project)
    api.refused(400, "invalid", "DELETE", project, query={"confirm": "other"})
    assert api.delete(project, confirm="digits").status == 204
    for method, path, body in (("GET", project, None), ("PUT", project, {}), ("GET", run.path, None),
                               ("PUT", run.path, {}), ("PUT", f"{project}/runs/fresh", {}),
                               ("POST", f"{project}/runs", {}), ("PATCH", project, {})):
        api.refused(410, "gone", method, path, body)
    assert api.pages("/api/v1/projects/ann") == []


def test_project_of_an_entity_that_is_not_there(api):
    api.refused(404, "not-found", "PUT", "/api/v1/projects/nobody-here/x", {})


def test_a_change_of_visibility_works_at_once(api, project, server):
    nobody = Api(server)
    nobody.refused(401, "unauthorized", "GET", project)
    for visibility, status in (("public", 200), ("private", 401), ("public", 200)):
        api.patch(project, {"visibility": visibility})
        assert nobody.request("GET", project).status == status
    nobody.close()


def test_many_make_one_project(two_servers, keys):
    """Both servers, at the same time: one is told that it made it."""
    import concurrent.futures
    servers = [Api(s, keys["ann"]) for s in two_servers]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for number in range(20):
            path = f"/api/v1/projects/ann/p{number}"
            answers = list(pool.map(lambda i: servers[i % 2].request("PUT", path, {}), range(8)))
            assert sorted(a.status for a in answers) == [200] * 7 + [201]
            assert len({a.json["created_at"] for a in answers}) == 1


@pytest.mark.parametrize("query, field", [
    ({"limit": "0"}, "limit"), ({"limit": "1001"}, "limit"), ({"limit": "x"}, "limit"),
    ({"cursor": "!"}, "cursor"), ({"cursor": ""}, "cursor"), ({"cursor": "AA"}, "cursor"),
    ({"order": "name"}, "order")])
def test_lists_refuse(api, query, field):
    for path in ("/api/v1/projects", "/api/v1/projects/ann", "/api/v1/entities"):
        assert api.refused(400, "invalid", "GET", path, query=query)["field"] == field
