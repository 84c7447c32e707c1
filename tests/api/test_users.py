"""Users and teams by REST: what an admin of the server may do, and that nobody is locked out."""
import concurrent.futures
import contextlib

import psycopg
import pytest

from rest import Api
from server import cairnd_run

USERS, ENTITIES, PASSWORD = "/api/v1/users", "/api/v1/entities", "correct horse battery"
ODD_NAMES = ["", "a b", "-a", ".a", "a/b", "é", "a" * 65, "admin", "settings", "login", "api", "static"]


def user(by, name):
    return by["root"].get(f"{USERS}/{name}").json


def last(by, count=1):
    """The latest entries of the audit log: (action, entity, subject, detail), the first first."""
    items = by["root"].get("/api/v1/audit", limit=count)["items"]
    return [tuple(one[name] for name in ("action", "entity", "subject", "detail")) for one in reversed(items)]


# ---- who there is ----------------------------------------------------------------------------------

@pytest.mark.own
def test_the_list(by, wait_for):
    by["mel"].get("/api/v1/viewer")
    listed = {one["name"]: one for one in by["root"].pages(USERS, limit=2)}
    assert list(listed) == sorted(["ann", "bob", "mel", "root", "vic"])
    assert listed["root"]["admin"] and not listed["ann"]["admin"]
    assert (listed["mel"]["teams"], listed["ann"]["teams"]) == (["lab"], [])
    assert {one["keys"] for one in listed.values()} == {1}
    assert {(one["service"], one["has_password"], one["disabled_at"]) for one in listed.values()} == {(False, False, None)}
    assert listed["mel"]["seen_at"] and listed["vic"]["seen_at"] is None
    assert user(by, "mel") == listed["mel"]
    by["root"].refused(404, "not-found", "GET", f"{USERS}/nobody-here")
    by["root"].refused(404, "not-found", "GET", f"{USERS}/lab")


def test_only_admins_of_the_server(by, db):
    """Each request, by everybody else; nothing is changed. An admin of a team is not one, nor a key of a smaller scope."""
    by["writes"] = by["root"].as_user(by["root"].post("/api/v1/viewer/keys", {"scope": "write"})["key"])
    key_id = by["bob"].get("/api/v1/viewer/keys").json["items"][0]["id"]
    asked = [("GET", USERS, None), ("POST", USERS, {"name": "new"}), ("GET", f"{USERS}/bob", None),
             ("PATCH", f"{USERS}/bob", {"admin": True}), ("PATCH", f"{USERS}/ann", {"disabled": True}),
             ("GET", f"{USERS}/bob/keys", None), ("POST", f"{USERS}/bob/keys", {}), ("DELETE", f"{USERS}/bob/keys/{key_id}", None),
             ("POST", ENTITIES, {"name": "new"})]

    def stored():
        return [db.query(f"select * from {table} order by 1") for table in ("entity", "account")] + [
            db.query("select key_id, revoked_at from api_key order by 1")]

    before = stored()
    for method, path, body in asked:
        for who, status in (("nobody", 401), ("ann", 403), ("bob", 403), ("vic", 403), ("writes", 403)):
            assert by[who].request(method, path, body).status == status, (who, method, path)
    assert stored() == before


# ---- a new one -------------------------------------------------------------------------------------

def test_a_user_is_made(by):
    made = by["root"].post(USERS, {"name": "new.one"})
    assert made.status == 201 and made.json == user(by, "new.one")
    assert (made["admin"], made["service"], made["has_password"], made["keys"], made["teams"]) == (False, False, False, 0, [])
    assert last(by) == [("user.make", None, "new.one", "")]
    by["root"].put(f"{ENTITIES}/lab/members/new.one", {"role": "viewer"})
    assert user(by, "new.one")["teams"] == ["lab"]


def test_an_admin_is_made(by):
    assert by["root"].post(USERS, {"name": "boss", "admin": True})["admin"]
    assert last(by) == [("user.make", None, "boss", "admin of the server")]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_with_bad_characters(by, name):
    for path in USERS, ENTITIES:
        assert by["root"].refused(400, "invalid", "POST", path, {"name": name}, check=len(name) <= 64)["field"] == "name"


def test_names_of_any_length(by):
    for path, sign in (USERS, "u"), (ENTITIES, "t"):
        for name in sign, sign + "x" * 63:
            assert by["root"].post(path, {"name": name}).status == 201


def test_a_name_is_taken_once(by):
    """By a user or a team, whichever comes."""
    for path in USERS, ENTITIES:
        for name in "ann", "lab":
            assert by["root"].refused(409, "conflict", "POST", path, {"name": name})["field"] == "name"


@pytest.mark.parametrize("body, status, field", [
    ({}, 400, "name"), ({"name": None}, 400, "name"), ({"name": "x", "admin": 1}, 400, "admin"),
    ({"name": "x", "password": PASSWORD}, 400, "password"), ({"name": "x", "admin": True, "service": True}, 422, "admin")])
def test_what_is_refused(by, body, status, field):
    answer = by["root"].request("POST", USERS, body, check=False)
    assert (answer.status, answer.json["field"]) == (status, field), answer
    by["root"].refused(404, "not-found", "GET", f"{USERS}/x")


# ---- changing --------------------------------------------------------------------------------------

def test_disabled_and_enabled(by, server):
    """At once: keys do not work, and work again."""
    by["mel"].get("/api/v1/viewer")
    for _ in range(2):
        assert by["root"].patch(f"{USERS}/mel", {"disabled": True})["disabled_at"]
        assert by["mel"].request("GET", "/api/v1/viewer").status == 401
    assert last(by) == [("user.disable", None, "mel", "")]
    for _ in range(2):
        assert by["root"].patch(f"{USERS}/mel", {"disabled": False})["disabled_at"] is None
        by["mel"].get("/api/v1/viewer")
    assert last(by, 2) == [("user.disable", None, "mel", ""), ("user.enable", None, "mel", "")]


def test_disabling_ends_sessions(by, db, server, secret_file, tmp_path):
    given = tmp_path / "password"
    given.write_text(PASSWORD)
    cairnd_run(db.url, secret_file, "user", "passwd", "mel", "--password-file", str(given))
    browser = Api(server)
    given = browser.post("/api/v1/session", {"name": "mel", "password": PASSWORD}).headers.get_all("Set-Cookie")
    cookie = next(one for one in given if one.startswith("cairn_session")).partition(";")[0]

    def signed_in():
        return browser.request("GET", "/api/v1/session", headers={"Cookie": cookie})["name"]

    assert signed_in() == "mel"
    by["root"].patch(f"{USERS}/mel", {"disabled": True})
    assert signed_in() is None
    assert browser.request("POST", "/api/v1/session", {"name": "mel", "password": PASSWORD}).status == 401
    by["root"].patch(f"{USERS}/mel", {"disabled": False})
    assert signed_in() is None
    browser.close()


@pytest.mark.own
def test_admin_rights_are_given_and_taken(by):
    by["ann"].refused(403, "forbidden", "GET", USERS)
    assert by["root"].patch(f"{USERS}/ann", {"admin": True})["admin"]
    by["ann"].get(USERS)
    assert last(by) == [("user.admin", None, "ann", "given")]
    assert not by["ann"].patch(f"{USERS}/root", {"admin": False})["admin"]
    by["root"].refused(403, "forbidden", "GET", USERS)
    assert by["ann"].get("/api/v1/audit", limit=1)["items"][0]["detail"] == "taken"


def test_nothing_to_change(by):
    before, told = user(by, "vic"), last(by)
    for body in {}, {"admin": False}, {"disabled": False}:
        assert by["root"].patch(f"{USERS}/vic", body).json == before
    assert last(by) == told


@pytest.mark.own
@pytest.mark.parametrize("body, field", [
    ({"disabled": True, "admin": False}, "disabled"), *(pytest.param(*case, marks=pytest.mark.long) for case in (
        ({"disabled": True}, "disabled"), ({"admin": False}, "admin")))])
def test_nobody_takes_their_own_access(by, body, field):
    """Not even where there is another admin."""
    for _ in range(2):
        assert by["root"].refused(409, "conflict", "PATCH", f"{USERS}/root", body)["field"] == field
        by["root"].patch(f"{USERS}/ann", {"admin": True})
    assert user(by, "root")["admin"] and not user(by, "root")["disabled_at"]
    by["root"].patch(f"{USERS}/root", {"disabled": False, "admin": True})


def test_a_service_account_is_no_admin(by):
    by["root"].post(USERS, {"name": "robot", "service": True})
    assert by["root"].refused(422, "unprocessable", "PATCH", f"{USERS}/robot", {"admin": True})["field"] == "admin"
    by["root"].patch(f"{USERS}/robot", {"admin": False})


@contextlib.contextmanager
def held(db, *names):
    """Holds the accounts until `release()`; the requests wait for them."""
    with psycopg.connect(db.url) as other:
        other.execute("select user_id from account join entity on entity_id = user_id where name = any(%s) order by user_id "
                      "for update of account", (list(names),))
        yield other.rollback


def waiting(db):
    """How many wait for a lock."""
    return db.value("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")


def both_at_once(apis, requests, db, wait_for):
    """The answers of requests that all waited until the admins' rows were free."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool, held(db, "root", "ann") as release:
        answers = [pool.submit(api.request, *request) for api, request in zip(apis, requests)]
        wait_for(lambda: waiting(db) == len(answers), what="requests that wait")
        release()
        return [answer.result() for answer in answers]


@pytest.mark.own
@pytest.mark.parametrize("servers, change", [
    (2, {"admin": False}), (1, {"disabled": True}), *(pytest.param(*case, marks=pytest.mark.long) for case in (
        (1, {"admin": False}), (2, {"disabled": True})))])
def test_two_admins_do_not_take_each_other_away(by, place, keys, db, wait_for, change, servers):
    """At the same moment: the second has no rights any more when its turn comes."""
    by["root"].patch(f"{USERS}/ann", {"admin": True})
    by["ann"].get(USERS)
    ann = Api(place.server(servers - 1), keys["ann"])
    answers = both_at_once((by["root"], ann), (("PATCH", f"{USERS}/ann", change), ("PATCH", f"{USERS}/root", change)), db, wait_for)
    assert sorted(one.status for one in answers) == [200, 403], answers
    assert db.value("select count(*) from account where is_admin and disabled_at is null") == 1
    ann.close()


OF_ADMINS = [("PATCH", f"{USERS}/vic", {"admin": True}), ("PATCH", f"{USERS}/bob", {"disabled": True}),
             ("POST", USERS, {"name": "helper", "admin": True}), ("POST", "/api/v1/links", {"admin": True}),
             ("POST", "/api/v1/links", {"user": "vic"})]


@pytest.mark.own
@pytest.mark.parametrize("request_, change", [
    (OF_ADMINS[0], {"admin": False}), (OF_ADMINS[2], {"disabled": True}), (OF_ADMINS[4], {"admin": False}),
    *(pytest.param(request, change, marks=pytest.mark.long) for at, request in enumerate(OF_ADMINS)
      for change in ({"disabled": True}, {"admin": False}) if (at, *change) not in ((0, "admin"), (2, "disabled"), (4, "admin")))], ids=str)
def test_a_demoted_admin_cannot_go_on(by, db, wait_for, change, request_):
    """A request that was authorized before the rights were taken."""
    by["root"].patch(f"{USERS}/ann", {"admin": True})
    before = db.query("select user_id, is_admin, disabled_at from account order by 1")
    taken = "is_admin = false" if "admin" in change else "disabled_at = now()"
    with concurrent.futures.ThreadPoolExecutor(1) as pool, psycopg.connect(db.url) as other:
        other.execute(f"update account set {taken}, row_sum = null where user_id = (select entity_id from entity where name = 'ann')")
        answer = pool.submit(by["ann"].request, *request_)
        wait_for(lambda: waiting(db) == 1, what="the request that waits")
        other.commit()
        assert answer.result().status == 403
    db.query("update account set is_admin = true, disabled_at = null, row_sum = null where user_id = "
             "(select entity_id from entity where name = 'ann')")
    assert db.query("select user_id, is_admin, disabled_at from account order by 1") == before
    assert by["root"].pages("/api/v1/links") == []


@pytest.mark.own
def test_an_admin_without_a_password_or_key_is_not_counted(by, db):
    """The server keeps an admin who can sign in. A service account that is an admin is from an older version."""
    by["root"].post(USERS, {"name": "ci", "service": True})
    ci = by["root"].as_user(by["root"].post(f"{USERS}/ci/keys", {"scope": "admin"})["key"])
    by["root"].post(USERS, {"name": "boss", "admin": True})
    db.query("update account set is_admin = true, row_sum = null where is_service")
    ci.get("/api/v1/viewer")
    for change in {"admin": False}, {"disabled": True}:
        answer = ci.refused(409, "conflict", "PATCH", f"{USERS}/root", change)
        assert answer["detail"] == '"root" is the last admin of the server: make another user an admin first'
    ci.close()


# ---- service accounts and keys ---------------------------------------------------------------------

def test_a_service_account_and_its_keys(by):
    by["root"].post(USERS, {"name": "ci", "service": True})
    assert user(by, "ci")["service"]
    made = by["root"].post(f"{USERS}/ci/keys", {"name": "runner", "scope": "write"})
    assert made.status == 201 and made.headers["Location"].endswith(f"{USERS}/ci/keys/{made['id']}")
    assert last(by, 2) == [("user.make", None, "ci", "service account"), ("key.make", None, made["id"], "write, of ci")]
    ci = by["root"].as_user(made["key"])
    assert ci.get("/api/v1/viewer")["name"] == "ci"
    listed = by["root"].get(f"{USERS}/ci/keys")["items"]
    assert [(one["id"], one["name"], one["scope"]) for one in listed] == [(made["id"], "runner", "write")]
    assert "key" not in listed[0] and user(by, "ci")["keys"] == 1
    assert by["root"].delete(f"{USERS}/ci/keys/{made['id']}").status == 204
    assert ci.request("GET", "/api/v1/viewer").status == 401
    assert last(by) == [("key.revoke", None, made["id"], "of ci")]
    by["root"].refused(404, "not-found", "DELETE", f"{USERS}/ci/keys/{made['id']}")
    ci.close()


@pytest.mark.own
def test_a_key_of_a_person(by):
    """An admin sees and revokes it, and makes none: it would be a key to that person's name."""
    assert by["root"].refused(422, "unprocessable", "POST", f"{USERS}/ann/keys", {})["field"] == "user"
    listed, = by["root"].get(f"{USERS}/ann/keys")["items"]
    by["root"].refused(404, "not-found", "DELETE", f"{USERS}/bob/keys/{listed['id']}")
    by["ann"].get("/api/v1/viewer")
    by["root"].delete(f"{USERS}/ann/keys/{listed['id']}")
    assert by["ann"].request("GET", "/api/v1/viewer").status == 401
    for path in f"{USERS}/nobody-here/keys", f"{USERS}/lab/keys":
        by["root"].refused(404, "not-found", "GET", path)


# ---- teams -----------------------------------------------------------------------------------------

def test_a_team_is_made(by):
    """Empty; an admin of the server gives it members."""
    made = by["root"].post(ENTITIES, {"name": "crew"})
    assert (made.status, made["kind"], made["members"], made["bytes"], made["role"]) == (201, "team", 0, 0, "admin")
    assert made.json == by["root"].get(f"{ENTITIES}/crew").json
    assert last(by) == [("team.make", "crew", None, "")]
    by["ann"].refused(404, "not-found", "GET", f"{ENTITIES}/crew")
    by["root"].put(f"{ENTITIES}/crew/members/ann", {"role": "admin"})
    assert by["ann"].get(f"{ENTITIES}/crew")["members"] == 1
    by["ann"].put(f"{ENTITIES}/crew/members/vic", {"role": "viewer"})
    assert by["vic"].get(f"{ENTITIES}/crew")["members"] == 2


@pytest.mark.own
def test_teams_alone(by):
    def names(who, **asked):
        return [one["name"] for one in by[who].pages(ENTITIES, limit=1, **asked)]

    assert names("root", kind="team") == ["lab"] and names("vic", kind="team") == ["lab"] and names("ann", kind="team") == []
    assert names("ann", kind="user") == ["ann"] and names("root", kind="user") == ["ann", "bob", "mel", "root", "vic"]
    assert names("vic") == ["lab", "vic"]
    for odd in "", "teams":
        assert by["ann"].refused(400, "invalid", "GET", ENTITIES, query={"kind": odd}, check=False)["field"] == "kind"
