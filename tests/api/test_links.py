"""One-time links: invitations and links that set a password. Each works once, for its time, here, and for nothing else."""
import concurrent.futures
import re

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
    revoked = make(by)
    by["root"].delete(f"{LINKS}/{revoked['id']}")
    use(holder, link, name=fresh())
    told = [(one["actor"], one["action"], one["entity"], one["subject"], one["detail"])
            for one in reversed(by["root"].get("/api/v1/audit", limit=5)["items"])]
    assert told == [
        ("root", "link.make", "lab", link["id"], "admin of the server, member of lab"), ("root", "link.make", None, revoked["id"], ""),
        ("root", "link.revoke", None, revoked["id"], ""),
        (fresh(), "user.make", None, fresh(), f"by invitation {link['id']}, admin of the server"),
        (fresh(), "member.save", "lab", fresh(), "member")]
    assert token_of(link) not in db.value("select string_agg(a::text, '') from audit_entry a")


def test_an_invited_admin(by, holder, fresh):
    link = make(by, admin=True)
    cookie = cookie_of(use(holder, link, name=fresh()))
    assert viewer(holder, cookie)["admin"]
    assert holder.request("GET", USERS, headers={"Cookie": cookie}).status == 200


def test_the_token_is_stored_nowhere(by, db, server):
    link = make(by)
    kept = db.value("select string_agg(l::text, '') from account_link l")
    assert token_of(link) not in kept and token_of(link) not in server.log()


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
    by["root"].refused(404, "not-found", "DELETE", f"{LINKS}/{link['id']}")
    for odd in "0", "x", "-1", "9" * 30:
        by["root"].refused(404, "not-found", "DELETE", f"{LINKS}/{odd}")


def test_of_another_server(by, holder, cluster, keys, secret_file, tmp_path, fresh):
    """A link of another database; and of the same database with another secret, by its hash there."""
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


def test_several_at_the_same_moment(by, server, fresh):
    """Each with a name of its own: the link makes one user."""
    link = make(by)
    apis = [Api(server) for _ in range(4)]
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
    assert [one["id"] for one in by["root"].pages(LINKS)] == [kept["id"]]
    assert use(holder, kept, name="new").status == 201


@pytest.mark.own
def test_no_more_than_a_thousand(by, db):
    make(by)
    db.query("insert into account_link (link_id, kind, token_hash, is_admin, note, created_at, ends_at) select n, 1, "
             "('\\x' || lpad(to_hex(n), 64, '0'))::bytea, false, '', now(), now() + interval '1 day' from generate_series(1, 998) n")
    make(by)
    by["root"].refused(422, "unprocessable", "POST", LINKS, {})
    assert len(by["root"].pages(LINKS, limit=999)) == 1000
    by["root"].delete(f"{LINKS}/1")
    make(by)


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


# ---- who, and how often ----------------------------------------------------------------------------

def test_only_admins_of_the_server(by, db):
    link = make(by)
    before = db.query("select * from account_link order by link_id")
    for method, path, body in (("GET", LINKS, None), ("POST", LINKS, {}), ("POST", LINKS, {"user": "ann"}),
                               ("POST", LINKS, {"team": "lab"}), ("DELETE", f"{LINKS}/{link['id']}", None)):
        for who, status in (("nobody", 401), ("ann", 403), ("bob", 403)):
            assert by[who].request(method, path, body).status == status, (who, method, path)
    assert db.query("select * from account_link order by link_id") == before


@pytest.mark.parametrize("limit", ["sign_in_name_failures", "sign_in_address_failures"])
@pytest.mark.parametrize("path", ["read", "use"])
def test_attempts_are_limited(place, secret_file, limit, path):
    """For a token as for a name, and from an address."""
    with Server(place.db.url, secret_file, **{limit: 2}) as server:
        api = Api(server)
        tokens = ["0" * 64] * 3 if "name" in limit else ["0" * 64, "1" * 64, "2" * 64]
        body = {"password": PASSWORD, "name": "somebody"} if path == "use" else {}
        answers = [api.request("POST", f"{LINKS}/{path}", {"token": token, **body}) for token in tokens]
        assert [answer.status for answer in answers] == [410, 410, 429]
        assert int(answers[2].headers["Retry-After"]) >= 1
        api.close()


def test_a_link_that_works_is_not_counted(place, keys, secret_file):
    with Server(place.db.url, secret_file, sign_in_name_failures=2, sign_in_address_failures=2) as server:
        api = Api(server)
        link = Api(server, keys["root"]).post(LINKS, {}).json
        assert [read(api, link).status for _ in range(6)] == [200] * 6
        assert [use(api, link, name="ann").status for _ in range(4)] == [409] * 4
        api.close()


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
    url = command(db, secret_file, "user", "link", fresh(), "--public-url", "https://cairn.example.org/x/")
    assert re.fullmatch("https://cairn.example.org/x/login/link#[0-9a-f]{64}", url)
    assert use(holder, url.partition("#")[2], password=OTHER).status == 201
    assert sign_in(holder, fresh(), OTHER).status == 200


@pytest.mark.parametrize("words, told", [
    (["invite", "--role", "admin"], "--role needs --team"), (["invite", "--team", "nobody"], 'the team "nobody" does not exist'),
    (["invite", "--team", "lab", "--role", "owner"], "the role must be"), (["invite", "--hours", "0"], "the hours must be 1 to 720"),
    (["invite", "--hours", "721"], "the hours must be 1 to 720"), (["invite", "--note", "x" * 129], "the note has 129 characters"),
    (["link", "nobody"], 'the user "nobody" does not exist'), (["link", "lab"], 'the user "lab" does not exist')])
def test_what_the_commands_refuse(db, secret_file, words, told):
    before = db.value("select count(*) from account_link")
    with pytest.raises(RuntimeError) as raised:
        command(db, secret_file, "user", *words)
    assert told in str(raised.value)
    assert db.value("select count(*) from account_link") == before
