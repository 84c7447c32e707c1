"""One-time links: invitations and links that set a password. Each works once, for its time, here, and for nothing else."""
import concurrent.futures
import hashlib
import re

import psycopg
import pytest

from conftest import Place
from rest import Api
from server import Server, cairnd_run

LINKS, USERS, SESSION, VIEWER = "/api/v1/links", "/api/v1/users", "/api/v1/session", "/api/v1/viewer"
PASSWORD, OTHER = "correct horse battery", "another horse battery"
DAY = 24 * 3600


@pytest.fixture(scope="module")
def settings():
    """More attempts than any test makes that is not about their limit."""
    return {"sign_in_name_failures": 1000, "sign_in_address_failures": 1000}


@pytest.fixture
def holder(server):
    """Somebody without a key, with a link."""
    made = Api(server)
    yield made
    made.close()


@pytest.fixture
def fresh(request):
    """fresh(): a name that no other test uses."""
    def name(tail=""):
        return re.sub("[^a-z]", "-", request.node.name)[5:50].strip("-") + tail
    return name


def make(by, **body):
    answer = by["root"].post(LINKS, body)
    assert answer.status == 201
    return answer.json


def token_of(link):
    return link["url"].partition("#")[2]


def use(api, link, check=True, **body):
    token = link if isinstance(link, str) else token_of(link)
    return api.request("POST", f"{LINKS}/use", {"token": token, "password": PASSWORD, **body}, check=check)


def read(api, link):
    token = link if isinstance(link, str) else token_of(link)
    return api.request("POST", f"{LINKS}/read", {"token": token})


def cookie_of(answer):
    return next(one for one in answer.headers.get_all("Set-Cookie") if one.startswith("cairn_session=")).partition(";")[0]


def viewer(api, cookie):
    return api.request("GET", VIEWER, headers={"Cookie": cookie})


def sign_in(api, name, password=PASSWORD):
    return api.request("POST", SESSION, {"name": name, "password": password})


def is_void(api, link, **body):
    """By both requests, with one answer."""
    answers = read(api, link), use(api, link, **body)
    assert {(one.status, one.problem, one["detail"]) for one in answers} == {
        (410, "gone", "this link is not valid: it was used, was revoked or has expired")}, answers
    return True


# ---- invitations -----------------------------------------------------------------------------------

def test_from_an_invitation_to_a_user(by, holder, server, fresh, db):
    link = make(by, team="lab", role="viewer", note="Max, of the third floor", hours=48)
    assert re.fullmatch(rf"http://127\.0\.0\.1:{server.port}/login/link#[0-9a-f]{{64}}", link["url"])
    purpose = {"kind": "invitation", "user": None, "admin": False, "team": "lab", "role": "viewer", "made_by": "root",
               "ends_at": link["ends_at"]}
    assert read(holder, link).json == purpose
    listed = next(one for one in by["root"].pages(LINKS, limit=1) if one["id"] == link["id"])
    assert {**listed, "url": link["url"]} == link and listed.items() >= purpose.items()
    assert db.value("select ends_at - created_at = interval '48 hours' from account_link where link_id = %s", int(link["id"]))
    answer = use(holder, link, name=fresh())
    assert (answer.status, answer["name"]) == (201, fresh())
    me = viewer(holder, cookie_of(answer))
    assert (me["name"], me["admin"], me["default_entity"]) == (fresh(), False, fresh())
    assert {one["name"]: one["role"] for one in me["entities"]} == {fresh(): "admin", "lab": "viewer"}
    assert sign_in(holder, fresh()).status == 200
    assert link["id"] not in [one["id"] for one in by["root"].pages(LINKS)]
    assert is_void(holder, link, name=fresh("-2"))
    by["root"].refused(404, "not-found", "GET", f"{USERS}/{fresh('-2')}")


def test_what_the_audit_log_has(by, holder, fresh, db):
    link = make(by, team="lab", admin=True)
    ids = [made["id"] for made in (make(by), make(by, team="lab", role="viewer"), make(by, user="vic"))]
    for one in ids:
        by["root"].delete(f"{LINKS}/{one}")
    use(holder, link, name=fresh())
    told = [(one["actor"], one["action"], one["entity"], one["subject"], one["detail"])
            for one in reversed(by["root"].get("/api/v1/audit", limit=9)["items"])]
    words = (None, ids[0], ""), ("lab", ids[1], "viewer of lab"), (None, ids[2], "password of vic")
    assert told == [
        ("root", "link.make", "lab", link["id"], "admin of the server, member of lab"),
        *[("root", "link.make", *one) for one in words], *[("root", "link.revoke", *one) for one in words],
        (fresh(), "user.make", None, fresh(), f"by invitation {link['id']}, admin of the server"),
        (fresh(), "member.save", "lab", fresh(), "member")]
    assert token_of(link) not in db.value("select string_agg(a::text, '') from audit_entry a")


def test_an_invited_admin(by, holder, fresh):
    link = make(by, admin=True)
    cookie = cookie_of(use(holder, link, name=fresh()))
    assert viewer(holder, cookie)["admin"]
    assert holder.request("GET", USERS, headers={"Cookie": cookie}).status == 200


def test_the_token_is_stored_nowhere(by, holder, db, server, fresh):
    """Neither while it is valid, nor once it was read, refused, used and sent again."""
    link = make(by)

    def stored():
        tables = [name for name, in db.query("select table_name from information_schema.tables where table_schema = 'public'")]
        return server.log() + "".join(db.value(f"select coalesce(string_agg(t::text, ''), '') from \"{name}\" t") for name in tables)

    assert link["id"] in stored() and token_of(link) not in stored()
    assert read(holder, link).status == 200 and use(holder, link, name="ann").status == 409
    assert use(holder, link, name=fresh()).status == 201 and is_void(holder, link, name=fresh("-2"))
    assert fresh() in stored() and token_of(link) not in stored()


def test_by_default(by, db):
    """A week for an invitation, a day for a password; nothing else is given."""
    link = make(by)
    assert (link["admin"], link["team"], link["role"], link["note"]) == (False, None, None, "")
    assert make(by, team="lab")["role"] == "member"
    other = make(by, user="ann")
    lasts = dict(db.query("select link_id, (extract(epoch from ends_at - created_at) / 3600)::int from account_link"))
    assert (lasts[int(link["id"])], lasts[int(other["id"])]) == (168, 24)


def test_what_is_refused_leaves_the_link(by, holder, fresh):
    """A name that is taken or odd, a short password, a page of somebody else: the next try has it."""
    link = make(by)
    for body, status, field in (({"name": "ann"}, 409, "name"), ({"name": "lab"}, 409, "name"), ({}, 400, "name"),
                                ({"name": "a b"}, 400, "name"), ({"name": "admin"}, 400, "name"), ({"name": "x" * 65}, 400, "name"),
                                ({"name": fresh(), "password": "1234567"}, 400, "password"),
                                ({"name": fresh(), "password": "x" * 1025}, 400, "password"),
                                ({"name": fresh(), "admin": True}, 400, "admin")):
        answer = use(holder, link, check=status != 400, **body)
        assert (answer.status, answer.json["field"]) == (status, field), answer
    for headers in {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}:
        body = {"token": token_of(link), "password": PASSWORD, "name": fresh()}
        assert holder.request("POST", f"{LINKS}/use", body, headers=headers).status == 403
    assert use(holder, link, name=fresh(), password="12345678").status == 201


@pytest.mark.parametrize("body, status, field", [
    ({"hours": 0}, 400, "hours"), ({"hours": 721}, 400, "hours"), ({"hours": 1.5}, 400, "hours"), ({"note": "x" * 129}, 400, "note"),
    ({"note": "a\nb"}, 400, "note"), ({"role": "viewer"}, 400, "role"), ({"team": "lab", "role": "owner"}, 400, "role"),
    ({"team": "no team"}, 400, "team"), ({"team": "no-team"}, 404, "team"), ({"team": "ann"}, 404, "team"), ({"admin": "yes"}, 400, "admin"),
    ({"user": "a b"}, 400, "user"), ({"user": "nobody-here"}, 404, "user"), ({"user": "lab"}, 404, "user"), ({"user": None}, 400, "user"),
    ({"user": "ann", "team": "lab"}, 400, "team"), ({"user": "ann", "admin": True}, 400, "admin"), ({"user": "ann", "note": "x"}, 400, "note"),
], ids=str)
def test_what_no_link_is_made_of(by, body, status, field):
    before = by["root"].pages(LINKS)
    answer = by["root"].request("POST", LINKS, body, check=False)
    assert (answer.status, answer.json["field"]) == (status, field), answer
    assert by["root"].pages(LINKS) == before


@pytest.mark.parametrize("body", [{"hours": 1}, {"hours": 720}, {"note": "ö" * 128}, {"admin": False}], ids=str)
def test_at_the_limits(by, body):
    assert make(by, **body).items() >= {name: value for name, value in body.items() if name != "hours"}.items()


# ---- for how long, and where -----------------------------------------------------------------------

@pytest.mark.own
def test_a_link_expires(by, holder, shift_clock):
    first, second = make(by, hours=1), make(by, hours=2)
    shift_clock(3600 - 60)
    assert read(holder, first).status == 200
    shift_clock(120)
    assert is_void(holder, first, name="late")
    by["root"].refused(404, "not-found", "DELETE", f"{LINKS}/{first['id']}")
    assert [one["id"] for one in by["root"].pages(LINKS)] == [second["id"]]
    assert use(holder, second, name="early").status == 201


@pytest.mark.own
def test_expired_rows_are_deleted(by, db, shift_clock):
    make(by, hours=1)
    shift_clock(2 * 3600)
    kept = make(by)
    assert db.query("select link_id from account_link") == [(int(kept["id"]),)]


def test_a_revoked_link(by, holder, fresh):
    link = make(by)
    assert by["root"].delete(f"{LINKS}/{link['id']}").status == 204
    assert is_void(holder, link, name=fresh())
    refused = by["root"].refused(404, "not-found", "DELETE", f"{LINKS}/{link['id']}")
    assert refused["detail"] == f"link {link['id']} does not exist, was used or has expired: list the links"
    for odd in "0", "x", "-1", "9" * 30:
        by["root"].refused(404, "not-found", "DELETE", f"{LINKS}/{odd}")


def test_the_hash_is_keyed(by, db, secret_file):
    """BLAKE2b under the server's secret: a link cannot be forged with the database alone."""
    link = make(by)
    secret = secret_file.read_bytes().strip()
    token = token_of(link).encode()
    hashed = hashlib.blake2b(b"account link:" + token, key=bytes.fromhex(secret.decode()), digest_size=32).digest()
    assert db.value("select token_hash from account_link where link_id = %s", int(link["id"])) == hashed


def test_of_another_server(by, holder, cluster, keys, secret_file, fresh):
    """A link of another database."""
    link = make(by)
    elsewhere = Place(cluster, secret_file, {"sign_in_address_failures": 1000})
    other = Api(elsewhere.server(0))
    assert is_void(other, link, name=fresh())
    foreign = Api(elsewhere.server(0), keys["root"]).post(LINKS, {}).json
    assert is_void(holder, foreign, name=fresh())
    other.close()
    elsewhere.close()


@pytest.mark.parametrize("token", ["", "0" * 64, "0" * 63, "F" * 64, "x" * 256, "é"])
def test_tokens_that_are_none(holder, token, fresh):
    assert is_void(holder, token, name=fresh())


def test_a_key_or_session_is_no_link(by, holder, keys, fresh):
    link = make(by)
    cookie = cookie_of(use(holder, link, name=fresh()))
    assert is_void(holder, keys["ann"], name=fresh("-2")) and is_void(holder, cookie.partition("=")[2], name=fresh("-2"))
    other = make(by)
    assert holder.request("GET", VIEWER, headers={"Cookie": f"cairn_session={token_of(other)}"}).status == 401
    holder.refused(401, "unauthorized", "GET", VIEWER, headers={"Authorization": f"Bearer {token_of(other)}"})


def test_several_at_the_same_moment(by, two_servers, fresh):
    """Each with a name of its own, on two servers: the link makes one user."""
    link = make(by)
    apis = [Api(two_servers[n % 2]) for n in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: use(apis[n], link, name=fresh(f"-{n}")), range(4)))
    found = sorted(answer.status for answer in answers)
    assert found.count(201) == 1 and set(found) <= {201, 410, 503}, found
    made = [one["name"] for one in by["root"].pages(USERS) if one["name"].startswith(fresh())]
    assert len(made) == 1
    for api in apis:
        api.close()


@pytest.mark.own
@pytest.mark.parametrize("change", [{"disabled": True}, {"admin": False}])
def test_of_an_admin_who_is_none_any_more(by, holder, change):
    """Their links do not work, nor are they in the list. Those of others do."""
    by["root"].patch(f"{USERS}/ann", {"admin": True})
    kept, link, reset = make(by), by["ann"].post(LINKS, {"admin": True}).json, by["ann"].post(LINKS, {"user": "vic"}).json
    assert [one["made_by"] for one in by["root"].pages(LINKS)] == ["root", "ann", "ann"]
    by["root"].patch(f"{USERS}/ann", change)
    assert is_void(holder, link, name="new") and is_void(holder, reset)
    by["root"].patch(f"{USERS}/ann", {"admin": True, "disabled": False})
    assert is_void(holder, link, name="new") and is_void(holder, reset)
    assert [one["id"] for one in by["root"].pages(LINKS)] == [kept["id"]]
    assert use(holder, kept, name="new").status == 201


@pytest.mark.own
def test_no_more_than_a_thousand(by, db):
    make(by)
    db.query("insert into account_link (link_id, kind, token_hash, is_admin, note, made_by, created_at, ends_at) select n, 1, "
             "('\\x' || lpad(to_hex(n), 64, '0'))::bytea, false, '', case when mod(n, 2) = 0 then entity_id end, now(), "
             "now() + interval '1 day' from generate_series(1, 998) n, entity where name = 'root'")
    make(by)
    by["root"].refused(422, "unprocessable", "POST", LINKS, {})
    assert len(by["root"].pages(LINKS, limit=999)) == 1000
    by["root"].delete(f"{LINKS}/1")
    make(by)


@pytest.mark.own
def test_links_that_do_not_work_are_not_counted(by, db):
    """Those of an admin who lost the rights otherwise than by a request, and those of a disabled user."""
    db.query("insert into account_link (link_id, kind, token_hash, user_id, is_admin, note, made_by, created_at, ends_at) "
             "select n, case when n > 500 then 2 else 1 end, ('\\x' || lpad(to_hex(n), 64, '0'))::bytea, case when n > 500 then b.entity_id end, "
             "false, '', case when n > 500 then null else a.entity_id end, now(), now() + interval '1 day' "
             "from generate_series(1, 1000) n, entity a, entity b where a.name = 'ann' and b.name = 'bob'")
    db.query("update account set disabled_at = now(), row_sum = null where user_id = (select entity_id from entity where name = 'bob')")
    assert by["root"].pages(LINKS) == []
    by["root"].refused(404, "not-found", "DELETE", f"{LINKS}/1")
    link = make(by)
    assert [one["id"] for one in by["root"].pages(LINKS)] == [link["id"]]


# ---- passwords -------------------------------------------------------------------------------------

def test_a_new_password(by, holder, db):
    """All sessions end; keys work on, and so does the new password alone."""
    old = cookie_of(use(holder, make(by, user="mel"), password=OTHER))
    link = make(by, user="mel")
    assert read(holder, link).json == {"kind": "password", "user": "mel", "admin": False, "team": None, "role": None, "made_by": "root",
                                       "ends_at": link["ends_at"]}
    assert viewer(holder, old)["name"] == "mel" and sign_in(holder, "mel", OTHER).status == 200
    answer = use(holder, link)
    assert (answer.status, answer["name"]) == (201, "mel")
    assert viewer(holder, old).status == 401 and viewer(holder, cookie_of(answer))["name"] == "mel"
    assert sign_in(holder, "mel", OTHER).status == 401 and sign_in(holder, "mel").status == 200
    assert by["mel"].get(VIEWER)["name"] == "mel"
    assert is_void(holder, link)
    entry = next(one for one in by["root"].get("/api/v1/audit", action="password")["items"])
    assert (entry["actor"], entry["subject"], entry["detail"]) == ("mel", "mel", f"by link {link['id']}, all sessions ended")


def test_it_is_of_that_user_alone(by, holder):
    link = make(by, user="vic")
    assert use(holder, link, name="ann").status == 400
    assert use(holder, link, name="vic").status == 201
    assert sign_in(holder, "ann").status == 401 and sign_in(holder, "vic").status == 200


def test_a_later_one_replaces_it(by, holder):
    first, other, second = make(by, user="vic"), make(by, user="ann"), make(by, user="vic")
    assert is_void(holder, first)
    assert read(holder, other).status == 200 and use(holder, second).status == 201


def test_a_password_that_was_set_ends_it(by, holder, db, secret_file, tmp_path):
    """By the user, or by the command."""
    cookie = cookie_of(use(holder, make(by, user="bob")))
    link = make(by, user="bob")
    page = {"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
    change = {"old_password": PASSWORD, "new_password": OTHER}
    assert holder.request("PUT", f"{VIEWER}/password", change, headers=page).status == 204
    assert is_void(holder, link)
    link = make(by, user="bob")
    given = tmp_path / "password"
    given.write_text(PASSWORD)
    cairnd_run(db.url, secret_file, "user", "passwd", "bob", "--password-file", str(given))
    assert is_void(holder, link)


def test_who_may_not_sign_in_gets_none(by, holder, fresh):
    by["root"].post(USERS, {"name": fresh("-ci"), "service": True})
    assert by["root"].refused(422, "unprocessable", "POST", LINKS, {"user": fresh("-ci")})["field"] == "user"
    by["root"].post(USERS, {"name": fresh()})
    link = make(by, user=fresh())
    by["root"].patch(f"{USERS}/{fresh()}", {"disabled": True})
    assert by["root"].refused(409, "conflict", "POST", LINKS, {"user": fresh()})["field"] == "user"
    by["root"].patch(f"{USERS}/{fresh()}", {"disabled": False})
    assert is_void(holder, link)
    assert use(holder, make(by, user=fresh())).status == 201


def both(db, wait_for, name, *calls):
    """The answers of calls that waited, one behind the other, until the account was free."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool, psycopg.connect(db.url) as other:
        other.execute("select from account join entity on entity_id = user_id where name in ('root', %s) order by user_id "
                      "for update of account", (name,))
        answers = []
        for call in calls:
            answers.append(pool.submit(call))
            wait_for(lambda: db.value("select count(*) from pg_stat_activity where datname = current_database() "
                                      "and wait_event_type = 'Lock'") == len(answers), what="requests that wait")
        other.rollback()
        return [answer.result() for answer in answers]


@pytest.mark.own
def test_two_links_of_a_user_at_the_same_moment(by, server, keys, db, holder, wait_for):
    """One replaces the other."""
    second = Api(server, keys["root"])
    answers = both(db, wait_for, "vic", *[lambda api=api: api.post(LINKS, {"user": "vic"}) for api in (by["root"], second)])
    assert [one.status for one in answers] == [201, 201]
    assert db.value("select count(*) from account_link") == 1
    assert sorted(read(holder, one.json).status for one in answers) == [200, 410]
    second.close()


@pytest.mark.own
def test_a_link_beside_a_disabled_user(by, server, keys, db, wait_for):
    """Whichever is first, no link is left."""
    second = Api(server, keys["root"])
    made, disabled = both(db, wait_for, "vic", lambda: by["root"].request("POST", LINKS, {"user": "vic"}),
                          lambda: second.request("PATCH", f"{USERS}/vic", {"disabled": True}))
    assert disabled.status == 200 and made.status in (201, 409), (made, disabled)
    assert db.value("select count(*) from account_link") == 0
    second.close()


@pytest.mark.own
def test_a_link_is_used_beside_a_disabled_user(by, db, holder, wait_for):
    """No deadlock, which would be a 503."""
    link = make(by, user="vic")
    disabled, used = both(db, wait_for, "vic", lambda: by["root"].request("PATCH", f"{USERS}/vic", {"disabled": True}),
                          lambda: use(holder, link))
    assert disabled.status == 200 and used.status in (201, 410), (used, disabled)
    assert db.value("select count(*) from account_link") + db.value("select count(*) from account_session") == 0


def test_a_service_account_gets_no_password(by, db, holder, secret_file, tmp_path, fresh):
    """By the command; and one that has a password all the same does not sign in with it."""
    by["root"].post(USERS, {"name": fresh(), "service": True})
    given = tmp_path / "password"
    given.write_text(PASSWORD)
    with pytest.raises(RuntimeError, match="is a service account, which has no password: create a key for it"):
        cairnd_run(db.url, secret_file, "user", "passwd", fresh(), "--password-file", str(given))
    assert not by["root"].get(f"{USERS}/{fresh()}")["has_password"]
    cairnd_run(db.url, secret_file, "user", "passwd", "ann", "--password-file", str(given))
    db.query("update account set row_sum = null, password_hash = (select password_hash from account where user_id = "
             "(select entity_id from entity where name = 'ann')) where user_id = (select entity_id from entity where name = %s)", fresh())
    assert sign_in(holder, "ann").status == 200 and sign_in(holder, fresh()).status == 401


@pytest.mark.parametrize("row", [{"kind": 2}, {"user_id": 1}, {"team_id": 1}, {"role": 1}, {"kind": 2, "user_id": 1, "is_admin": True},
                                 {"kind": 2, "user_id": 1, "team_id": 1, "role": 1}], ids=str)
def test_rows_that_are_no_links(db, row):
    """Columns of the other kind."""
    row = {"kind": 1, "user_id": None, "is_admin": False, "team_id": None, "role": None} | row
    with pytest.raises(psycopg.errors.CheckViolation):
        db.query("insert into account_link (link_id, token_hash, note, created_at, ends_at, kind, user_id, is_admin, team_id, role) "
                 "values (1, '', '', now(), now(), %s, %s, %s, %s, %s)", *row.values())


# ---- who, and how often ----------------------------------------------------------------------------

def test_only_admins_of_the_server(by, db):
    link = make(by)
    before = db.query("select * from account_link order by link_id")
    for method, path, body in (("GET", LINKS, None), ("POST", LINKS, {}), ("POST", LINKS, {"user": "ann"}),
                               ("POST", LINKS, {"team": "lab"}), ("DELETE", f"{LINKS}/{link['id']}", None)):
        for who, status in (("nobody", 401), ("ann", 403), ("bob", 403)):
            assert by[who].request(method, path, body).status == status, (who, method, path)
    assert db.query("select * from account_link order by link_id") == before


@pytest.mark.parametrize("limit, path", [
    ("sign_in_name_failures", "use"), ("sign_in_address_failures", "read"), *(
        pytest.param(*case, marks=pytest.mark.long) for case in (
            ("sign_in_name_failures", "read"), ("sign_in_address_failures", "use")))])
def test_attempts_are_limited(place, secret_file, limit, path):
    """For a token as for a name, and from an address."""
    with Server(place.db.url, secret_file, **{limit: 2}) as server:
        api = Api(server)
        tokens = ["0" * 64] * 3 if "name" in limit else ["0" * 64, "1" * 64, "2" * 64]
        body = {"password": PASSWORD, "name": "somebody"} if path == "use" else {}
        answers = [api.request("POST", f"{LINKS}/{path}", {"token": token, **body}) for token in tokens]
        assert [answer.status for answer in answers] == [410, 410, 429]
        assert int(answers[2].headers["Retry-After"]) >= 1
        assert answers[2]["detail"] == "too many failed attempts: try again after the seconds in Retry-After"
        api.close()


def test_a_link_that_works_is_not_counted(place, keys, secret_file):
    with Server(place.db.url, secret_file, sign_in_name_failures=2, sign_in_address_failures=2) as server:
        api = Api(server)
        link = Api(server, keys["root"]).post(LINKS, {}).json
        assert [read(api, link).status for _ in range(6)] == [200] * 6
        assert [use(api, link, name=name).status for name in ("ann", "lab", "ann", "free")] == [409, 409, 429, 429]
        api.close()


def test_a_token_is_not_a_name(place, by, db, secret_file, tmp_path):
    """Attempts with the name of a user as token are not counted for that user, nor is the user named in the audit log."""
    given = tmp_path / "password"
    given.write_text(PASSWORD)
    cairnd_run(db.url, secret_file, "user", "passwd", "mel", "--password-file", str(given))
    with Server(place.db.url, secret_file, sign_in_name_failures=2) as server:
        api = Api(server)
        assert [read(api, "mel").status for _ in range(3)] == [410, 410, 429]
        assert sign_in(api, "mel").status == 200
        api.close()
    refused = by["root"].get("/api/v1/audit", action="session.refused", limit=2)["items"]
    assert [(one["actor"], one["subject"], one["detail"]) for one in refused] == [(None, None, "by link")] * 2


# ---- the commands ----------------------------------------------------------------------------------

def command(db, secret_file, *words, **settings):
    return cairnd_run(db.url, secret_file, *words, **settings).strip()


def test_by_command(by, holder, db, secret_file, fresh):
    """On the server's host: a path, for the command does not know how the server is reached unless public_url says so."""
    path = command(db, secret_file, "user", "invite", "--team", "lab", "--role", "admin", "--note", "Max", "--hours", "2")
    assert re.fullmatch("/login/link#[0-9a-f]{64}", path)
    listed = by["root"].pages(LINKS)[-1]
    assert (listed["note"], listed["team"], listed["role"], listed["made_by"]) == ("Max", "lab", "admin", None)
    assert use(holder, path.partition("#")[2], name=fresh()).status == 201
    path = command(db, secret_file, "user", "link", fresh(), "--path-prefix", "/cairn")
    assert re.fullmatch("/cairn/login/link#[0-9a-f]{64}", path)
    url = command(db, secret_file, "user", "link", fresh(), "--public-url", "https://cairn.example.org/x/")
    assert re.fullmatch("https://cairn.example.org/x/login/link#[0-9a-f]{64}", url)
    assert use(holder, url.partition("#")[2], password=OTHER).status == 201
    assert sign_in(holder, fresh(), OTHER).status == 200


@pytest.mark.parametrize("words, told", [
    (["invite", "--role", "admin"], "--role needs --team"), (["invite", "--team", "nobody"], 'the team "nobody" does not exist'),
    (["invite", "--team", "lab", "--role", "owner"], "the role must be"), (["invite", "--hours", "0"], "the hours must be 1 to 720"),
    (["invite", "--hours", "721"], "the hours must be 1 to 720"), (["invite", "--note", "x" * 129], "the note has 129 characters"),
    (["add", "robot", "--service", "--admin"], "a service account cannot be an admin of the server"),
    (["link", "nobody"], 'the user "nobody" does not exist'), (["link", "lab"], 'the user "lab" does not exist')])
def test_what_the_commands_refuse(db, secret_file, words, told):
    before = db.value("select count(*) from account_link")
    with pytest.raises(RuntimeError) as raised:
        command(db, secret_file, "user", *words)
    assert told in str(raised.value)
    assert db.value("select count(*) from account_link") == before
