"""The audit log: what people did is in it, once, with the event; who may read it, and that nothing secret is."""
import json
import time

import pytest

from artifacts import Collection
from rest import Api
from server import Server, cairnd_run

PASSWORD = "correct horse battery"
AUDIT, LAB = "/api/v1/audit", "/api/v1/entities/lab"


@pytest.fixture
def since(db):
    """The id of the last entry so far."""
    return db.value("select coalesce(max(audit_id), 0) from audit_entry")


@pytest.fixture
def told(by, since):
    """told(): (action, where, subject, detail) of what came since, the first first."""
    def read(**asked):
        new = [one for one in by["root"].pages(AUDIT, **asked) if one["id"] > since]
        return [(one["action"], "/".join(filter(None, (one["entity"], one["project"], one["run"]))), one["subject"], one["detail"])
                for one in reversed(new)]
    return read


def sign_in(api, name, password, **kwargs):
    return api.request("POST", "/api/v1/session", {"name": name, "password": password}, **kwargs)


def test_a_project_and_its_run(by, told, home):
    """Each event once, in its order; what was refused or changed nothing is not one."""
    name = home.rpartition("/")[2]
    by["ann"].put(home, {"visibility": "public"})
    by["ann"].put(home, {})
    by["ann"].patch(home, {"crash_after_s": 60, "retention": {"failed_days": 3}, "description": "words"})
    by["vic"].refused(403, "forbidden", "PATCH", home, {"visibility": "private"})
    by["ann"].put(f"{home}/runs/r1", {})
    by["ann"].patch(f"{home}/runs/r1", {"notes": "nothing for the log"})
    by["ann"].patch(f"{home}/runs/r1", {"visibility": "private"})
    by["ann"].post(f"{home}/runs/r1/join", {"client": "c", "role": "primary"})
    for _ in range(2):
        by["ann"].post(f"{home}/runs/r1/stop", {"reason": "enough"})
    by["ann"].post(f"{home}/runs/r1/states", {"state": "killed", "reason": "r" * 1000})
    for _ in range(2):
        assert by["ann"].request("DELETE", f"{home}/runs/r1").status in (204, 410)
    by["ann"].post(f"{home}/runs/r1/restore")
    by["ann"].request("DELETE", home, query={"confirm": name})
    by["ann"].post(f"{home}/restore")
    here = home.removeprefix("/api/v1/projects/")
    assert told() == [
        ("project.make", here, None, "visibility public"),
        ("project.change", here, None, "crash_after_s 60, keep_failed_days 3, description"),
        ("run.visibility", f"{here}/r1", None, "private"),
        ("run.stop", f"{here}/r1", None, "enough"),
        ("run.state", f"{here}/r1", None, ("killed: " + "r" * 1000)[:512]),
        ("run.delete", f"{here}/r1", None, ""),
        ("run.restore", f"{here}/r1", None, ""),
        ("project.delete", here, None, ""),
        ("project.restore", here, None, ""),
    ]


def test_what_changes_nothing_is_no_deed(by, told, home, db, secret_file):
    """The same said again, in each way; and a run that is made public is shown, an end without a reason has the server's."""
    here = home.removeprefix("/api/v1/projects/")
    by["ann"].put(home, {"crash_after_s": 5})
    for change in ({}, {"crash_after_s": 5}, {"visibility": "private", "retention": None}):
        by["ann"].patch(home, change)
    by["ann"].delete(f"{home}/webhook")
    by["ann"].delete("/api/v1/viewer/sessions")
    for _ in range(2):
        by["bob"].put(f"{LAB}/members/mel", {"role": "viewer"})
        by["root"].request("PATCH", LAB, {"quota_bytes": 7 << 30})
        cairnd_run(db.url, secret_file, "user", "disable", "vic")
        cairnd_run(db.url, secret_file, "quota", "set", "lab", "7G")
        cairnd_run(db.url, secret_file, "team", "member", "add", "lab", "mel", "--role", "viewer")
    for _ in range(2):
        cairnd_run(db.url, secret_file, "user", "enable", "vic")
    by["root"].request("PATCH", LAB, {"quota_bytes": None})
    by["ann"].put(f"{home}/runs/r1", {"visibility": "public"})
    by["ann"].put(f"{home}/runs/r1", {"visibility": "public"})
    by["ann"].post(f"{home}/runs/r1/finish", {"state": "finished"})
    by["bob"].put(f"{LAB}/members/mel", {"role": "member"})
    assert told() == [
        ("project.make", here, None, "crash_after_s 5"), ("member.save", "lab", "mel", "viewer"),
        ("entity.quota", "lab", None, "7516192768 bytes"), ("user.disable", "", "vic", ""), ("user.enable", "", "vic", ""),
        ("entity.quota", "lab", None, "as the server's"),
        ("run.visibility", f"{here}/r1", None, "public"), ("run.state", f"{here}/r1", None, "finished: ended by hand"),
        ("member.save", "lab", "mel", "member"),
    ]


def test_artifacts(by, told, home):
    """Changes, links and deletions; making versions is the work of runs, and is not in it."""
    here = home.removeprefix("/api/v1/projects/")
    by["ann"].put(home)
    model = Collection(by["ann"], home)
    model.version({"a": b"hello"})
    version, released = f"{model.path}/versions/v0", f"{home}/artifacts/released"
    by["ann"].patch(version, {"tags": ["x"], "ttl_s": 60})
    by["ann"].put(f"{version}/aliases/best")
    by["ann"].patch(model.path, {"keep_last": 3})
    by["ann"].post(f"{released}/links", {"source": "model:v0"})
    by["ann"].delete(f"{released}/versions/v0")
    by["ann"].refused(409, "conflict", "DELETE", version)
    by["ann"].delete(version, dry_run="true")
    for path, query in (version, {"aliases": "true"}), (model.path, {}):
        undo = by["ann"].delete(path, **query).json["restore"]
        by["ann"].post(f"{home}/artifact-restore", {"restore": undo})
    assert told() == [
        ("project.make", here, None, ""), ("artifact.change", here, "model:v0", "tags, ttl_s"),
        ("artifact.change", here, "model:v0", "alias best"), ("artifact.change", here, "model", "keep_last"),
        ("artifact.link", here, "released:v0", "model"), ("artifact.unlink", here, "released:v0", "model"),
        ("artifact.delete", here, "model:v0", ""), ("artifact.restore", here, "model:v0", ""),
        ("artifact.delete", here, "model", ""), ("artifact.restore", here, "model", ""),
    ]


def test_a_project_is_deleted_once(place, by, told, home, secret_file):
    """By two servers, of which the second still remembers where its path leads: what the first said stands."""
    name = home.rpartition("/")[2]
    by["ann"].put(home)
    with Server(place.db.url, secret_file) as other:
        there = Api(other, by["ann"].key)
        there.get(home)
        by["ann"].request("DELETE", home, query={"confirm": name})
        there.refused(410, "gone", "DELETE", home, query={"confirm": name, "purge": "now"})
        there.close()
    by["ann"].post(f"{home}/restore")
    assert [event[0] for event in told(project=name)] == ["project.make", "project.delete", "project.restore"]


def test_a_project_of_the_sdk(by, told, home):
    """Made with a description, described otherwise, and as it is."""
    name = home.rpartition("/")[2]
    query = "mutation M($input: UpsertModelInput!) {upsertModel(input: $input) {inserted}}"
    inserted = []
    for words in ("one", "two", "two"):
        variables = {"input": {"entityName": "ann", "name": name, "description": words}}
        answer = by["ann"].post("/graphql", {"query": query, "variables": variables}).json
        inserted.append(answer["data"]["upsertModel"]["inserted"])
    assert inserted == [True, False, False] and by["ann"].get(home)["description"] == "two"
    assert told() == [("project.make", f"ann/{name}", None, "description"), ("project.change", f"ann/{name}", None, "description")]


def test_a_user_s_first_key(told, db, secret_file):
    cairnd_run(db.url, secret_file, "user", "add", "new-one")
    key = str(db.value("select max(key_id) from api_key"))
    assert told() == [("user.make", "", "new-one", ""), ("key.make", "", key, "admin, of new-one")]


def test_people_and_keys(by, told, db, secret_file, tmp_path, server):
    given = tmp_path / "password"
    given.write_text(PASSWORD)
    cairnd_run(db.url, secret_file, "user", "passwd", "mel", "--password-file", str(given))
    browser = Api(server)
    origin = {"Origin": f"http://127.0.0.1:{server.port}"}
    for wrong in ("mel", "not-mel", "my secret horse"):
        sign_in(browser, wrong, "x" * 12, check=False)
    cookie = sign_in(browser, "mel", PASSWORD).headers["Set-Cookie"].partition(";")[0]
    made = by["mel"].post("/api/v1/viewer/keys", {"name": "laptop", "scope": "read"}).json
    by["mel"].delete(f"/api/v1/viewer/keys/{made['id']}")
    by["mel"].refused(404, "not-found", "DELETE", f"/api/v1/viewer/keys/{made['id']}")
    browser.request("DELETE", "/api/v1/session", headers={**origin, "Cookie": cookie})
    browser.request("DELETE", "/api/v1/session", headers={**origin, "Cookie": cookie})
    by["bob"].put(f"{LAB}/members/ann", {"role": "viewer"})
    by["bob"].delete(f"{LAB}/members/ann")
    by["root"].request("PATCH", LAB, {"quota_bytes": 0})
    by["root"].request("PATCH", LAB, {"quota_bytes": None})
    for words in (("team", "add", "pals"), ("team", "member", "add", "pals", "ann", "--role", "admin"),
                  ("user", "disable", "vic"), ("user", "enable", "vic"), ("quota", "set", "pals", "none")):
        cairnd_run(db.url, secret_file, *words)
    key = str(made["id"])
    assert told() == [
        ("password.change", "", "mel", ""),
        ("session.refused", "", "mel", ""), ("session.refused", "", None, ""), ("session.refused", "", None, ""),
        ("session.begin", "", None, ""),
        ("key.make", "", key, "read"), ("key.revoke", "", key, ""),
        ("session.sign_out", "", None, ""),
        ("member.save", "lab", "ann", "viewer"), ("member.remove", "lab", "ann", ""),
        ("entity.quota", "lab", None, "none"), ("entity.quota", "lab", None, "as the server's"),
        ("team.make", "pals", None, ""), ("member.save", "pals", "ann", "admin"),
        ("user.disable", "", "vic", ""), ("user.enable", "", "vic", ""), ("entity.quota", "pals", None, "none"),
    ]
    entries = by["root"].get(AUDIT).json["items"]
    one = next(e for e in entries if e["action"] == "key.make")
    assert (one["actor"], one["way"], one["address"]) == ("mel", "key", "127.0.0.1") and one["key"]
    one = next(e for e in entries if e["action"] == "session.begin")
    assert (one["actor"], one["way"], one["key"]) == ("mel", "session", None)
    one = next(e for e in entries if e["action"] == "session.refused")
    assert (one["actor"], one["way"]) == (None, "unknown")
    one = next(e for e in entries if e["action"] == "team.make")
    assert (one["actor"], one["way"], one["address"]) == (None, "command", None)
    browser.close()


def test_nothing_secret(by, db, home):
    by["ann"].put(home)
    made = by["ann"].post("/api/v1/viewer/keys", {"name": "n", "scope": "write"}).json["key"]
    by["ann"].put(f"{home}/webhook", {"url": "https://hooks.example/very/secret", "secret": "s" * 20})
    by["ann"].delete(f"{home}/webhook")
    sign_in(by["nobody"], "swordfish-typed-too-early", "x" * 12, check=False)
    kept = " ".join(row[0] for row in db.query("select a::text from audit_entry a"))
    assert "hooks.example" in kept
    for secret in (made, made[-8:], "very/secret", "ssss", "swordfish", by["ann"].key, PASSWORD):
        assert secret not in kept, secret


def test_who_may_read_it(by):
    for name in ("ann", "bob", "vic"):
        by[name].refused(403, "forbidden", "GET", AUDIT)
    assert by["nobody"].request("GET", AUDIT).status == 401


def test_what_is_asked_for(by, told, home):
    by["ann"].put(home)
    by["ann"].patch(home, {"crash_after_s": 61})
    name = home.rpartition("/")[2]
    both = [("project.make", f"ann/{name}", None, ""), ("project.change", f"ann/{name}", None, "crash_after_s 61")]
    hour = 3600
    assert told(project=name) == told(project=name, action="project") == told(project=name, actor="ann", entity="ann") == both
    assert told(project=name, limit=1) == both, "pages of one"
    assert told(project=name, action="project.change") == both[1:]
    assert told(project=name, since=time.time() - hour, until=time.time() + hour) == both
    for nothing in ({"actor": "bob"}, {"entity": "lab"}, {"until": time.time() - hour}, {"since": time.time() + hour}, {"action": "run"}):
        assert told(**{"project": name, **nothing}) == [], nothing
    for wrong in ({"action": "projec"}, {"action": "project."}, {"action": "x.y"}, {"since": "today"}, {"format": "csv"}):
        by["root"].refused(400, "invalid", "GET", AUDIT, query=wrong)


def test_as_lines(by, db):
    """All of it, more than a portion of the stream; the same as the pages say."""
    db.query("insert into audit_entry (at, actor, way, address, action, entity, project, run, subject, detail) "
             "select now(), 'many', 2, '', 'run.stop', 'e', 'p', 'r', '', n::text from generate_series(1, 2500) n")
    lines = by["root"].get(AUDIT, format="ndjson", actor="many").lines
    assert [one["detail"] for one in lines] == [str(n) for n in range(2500, 0, -1)]
    assert lines == list(by["root"].pages(AUDIT, actor="many", limit=1000))
    assert json.loads(by["root"].get(AUDIT, format="ndjson", actor="none").text or "[]") == []
    for name in ("limit", "cursor"):
        by["root"].refused(400, "invalid", "GET", AUDIT, query={"format": "ndjson", name: "1"})


def test_how_far_back_it_goes(by, place, db, secret_file, wait_for):
    """By audit_days, here two: what is older goes by itself, what is younger stays."""
    def kept():
        return {one["detail"] for one in by["root"].pages(AUDIT, actor="old")}

    db.query("insert into audit_entry (at, actor, way, address, action, entity, project, run, subject, detail) "
             "select now() - age * interval '1 hour', 'old', 2, '', 'run.stop', '', '', '', '', age::text "
             "from unnest(array[47, 49, 500]) age")
    assert kept() == {"47", "49", "500"}
    with Server(place.db.url, secret_file, audit_days=2):
        wait_for(lambda: kept() == {"47"})


def test_how_many_there_are(place, db, secret_file, wait_for):
    """At most audit_entries, here 1000; the oldest go, and below that none."""
    def fill(count, actor):
        db.query("insert into audit_entry (at, actor, way, address, action, entity, project, run, subject, detail) "
                 f"select now(), '{actor}', 2, '', 'run.stop', '', '', '', '', n::text from generate_series(1, {count}) n")

    fill(2500, "first")
    fill(900, "last")
    counts = "select count(*) filter (where actor = 'first'), count(*) filter (where actor = 'last') from audit_entry"
    with Server(place.db.url, secret_file, audit_entries=1000):
        wait_for(lambda: db.query(counts) == [(100, 900)])
    assert db.value("select min(detail::int) from audit_entry where actor = 'first'") == 2401
