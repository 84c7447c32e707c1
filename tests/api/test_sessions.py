"""Signing in with name and password: the cookie, what it may and may not do, limits, keys of one's own."""
import concurrent.futures
import http.cookies
import re

import pytest

from cluster import wait_until
from live import Live
from rest import Api
from runs import Run
from server import Server, cairnd_run

PASSWORD = "correct horse battery"
SESSION, VIEWER, KEYS = "/api/v1/session", "/api/v1/viewer", "/api/v1/viewer/keys"


@pytest.fixture(scope="module")
def settings():
    """What is tried here by one name from one address is more than anybody gets wrong."""
    return {"sign_in_name_failures": 1000, "sign_in_address_failures": 1000, "trusted_proxies": "127.0.0.1"}


@pytest.fixture(scope="module")
def set_password(secret_file, tmp_path_factory):
    """set_password(db, user, text): as an admin of the server does it."""
    folder = tmp_path_factory.mktemp("passwords")

    def set_it(db, user, text=PASSWORD):
        given = folder / user
        given.write_text(text)
        cairnd_run(db.url, secret_file, "user", "passwd", user, "--password-file", str(given))
    return set_it


@pytest.fixture(scope="module")
def password_of_ann(shared_place, set_password):
    set_password(shared_place.db, "ann")


class Browser:
    """Keeps the cookie, and sends what a browser sends for a page of the server's own."""

    def __init__(self, server, prefix=""):
        self.api = Api(server)
        self.prefix = prefix
        self.cookie = self.device = None
        self.headers = {"Origin": f"http://127.0.0.1:{server.port}"}

    def request(self, method, path, body=None, headers=None, **kwargs):
        device = None if self.device is None else f"cairn_device={self.device}"
        cookies = "; ".join(filter(None, (device, self.cookie)))
        sent = {**self.headers, **({"Cookie": cookies} if cookies else {}), **(headers or {})}
        sent = {name: value for name, value in sent.items() if value is not None}
        kwargs.setdefault("check", not self.prefix)
        answer = self.api.request(method, self.prefix + path, body, headers=sent, **kwargs)
        for header in answer.headers.get_all("Set-Cookie") or ():
            self.take(http.cookies.SimpleCookie(header))
        return answer

    def take(self, found):
        if "cairn_device" in found:
            self.device_attributes = found["cairn_device"]
            self.device = self.device_attributes.value
            return
        self.attributes = found["cairn_session"]
        self.cookie = f"cairn_session={self.attributes.value}" if self.attributes.value else None

    def sign_in(self, name="ann", password=PASSWORD, **kwargs):
        return self.request("POST", SESSION, {"name": name, "password": password}, **kwargs)

    def who(self, **kwargs):
        answer = self.request("GET", VIEWER, **kwargs)
        return answer.json["name"] if answer.status == 200 else answer.status

    def at(self, server):
        """The same browser at another server, as a balancer would have it."""
        other = Browser(server, self.prefix)
        other.cookie = self.cookie
        return other


@pytest.fixture
def browser(server, password_of_ann):
    made = Browser(server)
    yield made
    made.api.close()


@pytest.fixture
def signed_in(browser):
    assert browser.sign_in().status == 200
    return browser


# ---- in and out ------------------------------------------------------------------------------------

def test_in_and_out(browser, db):
    count = "select count(*) from account_session"
    before = db.value(count)
    assert browser.who() == 401
    answer = browser.sign_in()
    assert (answer.status, answer["name"]) == (200, "ann")
    assert browser.who() == "ann"
    held = browser.cookie
    assert browser.request("GET", SESSION).json == {"name": "ann", "admin": False, "has_users": True}
    assert browser.request("DELETE", SESSION).status == 204
    assert browser.request("GET", SESSION).json == {"name": None, "admin": False, "has_users": True}
    assert browser.cookie is None and browser.attributes["max-age"] == "0"
    browser.cookie = held
    assert browser.who() == 401 and db.value(count) == before


def test_the_cookie(browser):
    browser.sign_in()
    made = browser.attributes
    assert re.fullmatch("[0-9a-f]{64}", made.value)
    assert made["httponly"] and made["samesite"] == "Lax" and made["path"] == "/" and not made["secure"]
    assert int(made["max-age"]) == 30 * 24 * 3600 and not made["domain"]


def test_the_database_keeps_no_token(signed_in, db):
    token = signed_in.cookie.split("=")[1]
    kept = "".join(row[0] for row in db.query("select s::text from account_session s"))
    assert kept and token not in kept and token.encode().hex() not in kept


WRONG = [("ann", "wrong horse"), ("nobody-here", PASSWORD), ("mel", PASSWORD), ("", ""), ("ann", PASSWORD + " "),
         ("ANN", PASSWORD), ("lab", PASSWORD)]


def test_wrong_is_wrong(browser):
    """Of mel there is no password; lab is a team. The answers tell nothing of that."""
    answers = [browser.sign_in(name, password) for name, password in WRONG]
    assert {(answer.status, answer.problem) for answer in answers} == {(401, "unauthorized")} and not browser.cookie
    assert len({answer["detail"] + answer["hint"] for answer in answers}) == 1


PASSWORD_PATH = "/api/v1/viewer/password"
NEW = "a better password"


def change(browser, old, new=NEW, **kwargs):
    return browser.request("PUT", PASSWORD_PATH, {"old_password": old, "new_password": new}, **kwargs)


def test_ones_own_password(server, shared_place, set_password, keys):
    set_password(shared_place.db, "vic")
    one, other = Browser(server), Browser(server)
    for browser in one, other:
        assert browser.sign_in("vic").status == 200
    refused = change(one, "wrong horse")
    assert (refused.status, refused.problem, refused["field"]) == (403, "forbidden", "old_password")
    assert change(one, PASSWORD, "short").status == 400
    assert (one.who(), other.who()) == ("vic", "vic")
    assert change(one, PASSWORD, headers={"Origin": "http://evil.example"}).status == 403
    assert change(one, PASSWORD).status == 204
    assert (one.who(), other.who()) == ("vic", 401)
    assert (other.sign_in("vic").status, other.sign_in("vic", NEW).status) == (401, 200)
    by_key = Api(server, keys["vic"])
    assert change(by_key, PASSWORD).status == 403
    assert change(by_key, NEW, PASSWORD).status == 204
    assert (one.who(), other.who(), by_key.get(VIEWER)["name"]) == (401, 401, "vic")
    assert change(Api(server, keys["mel"]), "anything at all").status == 403, "she has none"
    assert one.sign_in("vic").status == 200


def test_tries_of_an_old_password_are_limited(shared_place, secret_file, set_password, keys):
    set_password(shared_place.db, "bob")
    with Server(shared_place.db.url, secret_file, sign_in_name_failures=2) as server:
        bob = Api(server, keys["bob"])
        assert [change(bob, "wrong horse").status for _ in range(3)] == [403, 403, 429]
        assert change(bob, PASSWORD).status == 429
        bob.close()


def test_who_is_not_there_takes_as_much_work(server, browser):
    """By the time of the processor, nearly all of which is Argon2id's; without it a hundredth would be left."""
    def work(name):
        before = cpu_ticks(server)
        assert browser.sign_in(name, "wrong").status == 401
        return cpu_ticks(server) - before

    known, unknown = [sum(work(name) for _ in range(2)) for name in ("ann", "nobody-here")]
    assert unknown * 4 > known


def cpu_ticks(server):
    with open(f"/proc/{server.process.pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_bodies_that_are_none(browser):
    for body, field in (({}, "name"), ({"name": "ann"}, "password"), ({"name": 1, "password": "x"}, "name"),
                        ({"name": "ann", "password": "x", "more": 1}, "more"),
                        ({"name": "a" * 65, "password": "x"}, "name"),
                        ({"name": "ann", "password": "x" * 1025}, "password")):
        answer = browser.request("POST", SESSION, body)
        assert (answer.status, answer["field"]) == (400, field)
    assert browser.request("POST", SESSION, "name=ann", content_type="text/plain").status == 415


def test_a_key_counts_before_a_cookie(signed_in, keys):
    assert signed_in.who(headers={"Authorization": f"Bearer {keys['bob']}"}) == "bob"
    assert signed_in.who(headers={"Authorization": f"Bearer {'0' * 40}"}) == 401


def test_an_odd_cookie_is_none(server, browser, keys):
    token = "0" * 64
    for cookie in ("cairn_session=", "cairn_session", f"cairn_session={token}", f"cairn_session={keys['ann']}",
                   f"other={token}", ";;;=", "cairn_session=" + "f" * 5000):
        browser.cookie = cookie
        assert browser.who() == 401
    browser.cookie = None
    browser.sign_in()
    browser.cookie = f"a=b; cairn_session=stale;  {browser.cookie} ; c"
    assert browser.who() == "ann"


def test_a_session_that_ended_hides_nothing_public(signed_in, home, api):
    api.put(home, {"visibility": "public"})
    signed_in.request("DELETE", SESSION)
    signed_in.cookie = "cairn_session=" + "0" * 64
    assert signed_in.request("GET", home).status == 200
    assert signed_in.request("PUT", f"{home}/runs/r1", {}).status == 401
    assert signed_in.request("POST", f"{home}/runs/r1/history", b" " * (1 << 20)).status == 401


# ---- as a key ----------------------------------------------------------------------------------------

def test_it_has_all_rights_of_the_user(signed_in, home, api):
    run = f"{home}/runs/r1"
    assert signed_in.request("PUT", run, {}).status == 201
    assert signed_in.request("POST", f"{run}/history", [{"loss": 1}]).status == 200
    assert signed_in.request("PATCH", home, {"visibility": "public"}).status == 200
    assert api.get(run)["user"] == "ann"
    assert signed_in.request("DELETE", run).status == 204
    assert signed_in.request("GET", "/api/v1/projects/bob").status == 404


def test_the_cookie_at_the_door_of_the_sdk(signed_in):
    """The cookie works there too, and from our own pages alone."""
    query = {"query": "{ viewer { username } }"}
    answer = signed_in.request("POST", "/graphql", query, check=False)
    assert answer.json == {"data": {"viewer": {"username": "ann"}}}
    answer = signed_in.request("POST", "/graphql", query, headers={"Origin": "https://evil.example"}, check=False)
    assert answer.status == 403 and answer.json["errors"]


# ---- whose page ------------------------------------------------------------------------------------

FOREIGN = [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": None}, {"Origin": "http://127.0.0.1"},
           {"Origin": "http://127.0.0.1:1"}, {"Origin": "ftp://127.0.0.1:{port}"}, {"Origin": "http:127.0.0.1:{port}"},
           {"Origin": "http://127.0.0.1:{port}.evil.example"}, {"Origin": "http://127.0.0.1:{port}/"},
           {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"}]
OWN = [{}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "same-origin", "Origin": "null"}]


def filled(headers, port):
    return {name: value and value.replace("{port}", str(port)) for name, value in headers.items()}


def test_pages_of_others_change_nothing(signed_in, server, home, db):
    acts = (("PUT", f"{home}/runs/r1", {}), ("POST", f"{home}/runs", {}), ("POST", KEYS, {}),
            ("DELETE", f"{KEYS}/1", None), ("PATCH", home, {"description": "x"}))
    for headers in FOREIGN:
        sent = filled(headers, server.port)
        for method, path, body in acts:
            answer = signed_in.request(method, path, body, headers=sent)
            assert (answer.status, answer.problem) == (403, "forbidden"), f"{method} {path} {headers}"
        assert signed_in.who(headers=sent) == "ann"
    assert db.value("select count(*) from project where name = %s", home.rsplit("/", 1)[1]) == 0


def test_our_own_pages_do(signed_in, home):
    for number, headers in enumerate(OWN):
        assert signed_in.request("PUT", f"{home}-{number}", {}, headers=headers).status == 201, headers


def test_pages_of_others_sign_nobody_in_or_out(signed_in, server):
    for headers in FOREIGN:
        sent = filled(headers, server.port)
        if sent.get("Origin", "") is None:
            continue  # no page at all
        assert signed_in.sign_in(headers=sent).status == 403
        assert signed_in.request("DELETE", SESSION, headers=sent).status == 403
    assert signed_in.who() == "ann"
    assert signed_in.sign_in(headers={"Origin": None}).status == 200


def test_who_has_a_key_needs_no_page(api, home):
    answer = api.request("PUT", home, {}, headers={"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"})
    assert answer.status == 201


class CookieApi(Api):
    def __init__(self, browser):
        super().__init__(browser.api.server)
        self.cookie = browser.cookie

    def _headers(self, more):
        return {**super()._headers(more), "Cookie": self.cookie}


def test_who_signed_out_hears_no_more(signed_in, run):
    seen = Run(CookieApi(signed_in), run.name, run.path.rsplit("/runs/", 1)[0], make=False)
    with Live(seen) as live:
        live.next("open")
        run.log({"a": 1})
        assert live.items("history", 1)[0][0]["a"] == 1
        signed_in.request("DELETE", SESSION)
        assert live.ends() == "unauthorized"
    with Live(seen) as again:
        assert again.answer.status == 401


# ---- how long --------------------------------------------------------------------------------------

DAY = 24 * 3600


SEEN_NOW = ("select max(seen_at) > clock_timestamp() + max(shift_us) * interval '1 microsecond' - interval '1 hour' "
            "from account_session, server_clock")


def test_ones_own_sessions(signed_in, server, keys):
    """Listed, ended one by one and all but one's own; those of others are nobody's."""
    path = f"{VIEWER}/sessions"
    signed_in.request("DELETE", path)
    others = [Browser(server) for _ in range(3)]
    for other in others:
        other.sign_in()
    listed = signed_in.request("GET", path).json["items"]
    assert len(listed) == 4 and len({one["id"] for one in listed}) == 4
    own = next(one for one in listed if one["current"])
    first = next(one for one in others[0].request("GET", path).json["items"] if one["current"])
    assert own["id"] != first["id"] and sum(one["current"] for one in listed) == 1
    assert all(re.fullmatch("[0-9a-f]{16}", one["id"]) and one["created_at"] <= one["seen_at"] < one["ends_at"] for one in listed)
    bob = Api(server, keys["bob"])
    for stranger in (bob, signed_in.api):
        assert stranger.request("DELETE", f"{path}/{first['id']}").status in (401, 404)
    assert others[0].who() == "ann"
    assert signed_in.request("DELETE", f"{path}/{first['id']}").status == 204
    assert (others[0].who(), others[1].who()) == (401, "ann")
    for gone in (first["id"], "x", "0" * 64):
        assert signed_in.request("DELETE", f"{path}/{gone}").status == 404
    assert signed_in.request("DELETE", path).status == 204
    assert [one.who() for one in (signed_in, *others)] == ["ann", 401, 401, 401]
    assert [one["id"] for one in signed_in.request("GET", path).json["items"]] == [own["id"]]
    ann = Api(server, keys["ann"])
    assert [one["current"] for one in ann.get(path).json["items"]] == [False]
    ann.delete(path)
    assert signed_in.who() == 401


@pytest.mark.own
def test_it_ends(server, db, set_password, shift_clock, wait_for):
    """When it was not used for a week; and at its age, however it is used."""
    set_password(db, "ann")
    browser = Browser(server)
    browser.sign_in()
    shift_clock(7 * DAY + 60)
    wait_for(lambda: browser.who() == 401)
    ends_at = browser.sign_in()["ends_at"]
    assert db.value("select count(*) from account_session") == 1, "what has ended is not cleared away"
    for _ in range(4):  # each use renews it
        shift_clock(6 * DAY)
        wait_for(lambda: browser.who() == "ann" and db.value(SEEN_NOW))
    assert db.value("select ends_at = created_at + interval '30 days' and ends_at > %s from account_session", ends_at)
    shift_clock(6 * DAY + 60)
    wait_for(lambda: browser.who() == 401)


def test_a_use_is_noted_once_a_minute(signed_in, db):
    """And not with each request, which would be a write each."""
    seen = "select max(seen_at) from account_session"
    before = db.value(seen)
    for _ in range(20):
        signed_in.who()
    assert db.value(seen) == before


@pytest.mark.own
def test_on_two_servers(two_servers, db, keys, secret_file, set_password, wait_for):
    """One cookie for both; signing out, a new password and disabling the user end it on both."""
    set_password(db, "ann")
    here = Browser(two_servers[0])
    other = Browser(two_servers[0])
    assert here.sign_in().status == other.sign_in().status == 200
    there = here.at(two_servers[1])
    assert there.who() == "ann" and there.request("PUT", "/api/v1/projects/ann/p", {}).status == 201
    here.request("DELETE", SESSION)
    here.cookie = there.cookie
    assert here.who() == 401
    wait_for(lambda: there.who() == 401)
    assert other.who() == "ann"

    set_password(db, "ann", "another horse")
    wait_for(lambda: other.who() == 401)
    key = Api(two_servers[0], keys["ann"])
    assert key.get(VIEWER)["name"] == "ann", "keys are not passwords"
    assert there.sign_in().status == 401 and there.sign_in(password="another horse").status == 200

    cairnd_run(db.url, secret_file, "user", "disable", "ann")
    wait_for(lambda: there.who() == 401)
    assert there.sign_in(password="another horse").status == 401
    cairnd_run(db.url, secret_file, "user", "enable", "ann")
    assert there.who() == 401, "it came back"
    key.close()


def test_so_many_at_a_time_of_one_user(signed_in, db):
    """The oldest ends."""
    ann = db.value("select entity_id from entity where name = 'ann'")
    db.query("insert into account_session select ('\\x' || lpad(to_hex(n), 64, '0'))::bytea, %s, now() - n * interval "
             "'1 second', now(), now() + interval '1 day' from generate_series(1, 150) n", ann)
    signed_in.sign_in()
    assert signed_in.who() == "ann"
    assert db.value("select count(*) from account_session where user_id = %s", ann) == 100


# ---- limits ----------------------------------------------------------------------------------------

@pytest.fixture
def limited(place, set_password):
    """limited(**settings): a browser at a server with limits of its own."""
    made = []

    def start(**settings):
        made.append(Server(place.db.url, place.secret_file, **settings).start())
        return Browser(made[-1])
    yield start
    for one in made:
        try:
            one.stop()
        finally:
            one.remove()


def test_wrong_passwords_of_a_name(limited, password_of_ann):
    browser = limited(sign_in_name_failures=2)
    assert [browser.sign_in().status for _ in range(3)] == [200] * 3, "the right one counts"
    assert [browser.sign_in(password="wrong").status for _ in range(2)] == [401] * 2
    for password in ("wrong", PASSWORD):
        answer = browser.sign_in(password=password)
        assert (answer.status, answer.problem) == (429, "rate-limit")
        assert 1 <= int(answer.headers["Retry-After"]) <= 451
    assert [browser.sign_in("nobody").status for _ in range(3)] == [401] * 2 + [429]
    counts = {result: browser.api.server.metric(f'cairn_sign_ins_total{{result="{result}"}}')
              for result in ("right", "wrong", "limited", "busy")}
    assert counts == {"right": 3, "wrong": 4, "limited": 3, "busy": 0}


def test_a_stranger_does_not_lock_out_a_known_browser(limited, set_password, shared_place, password_of_ann):
    set_password(shared_place.db, "vic")
    known = limited(sign_in_name_failures=2, trusted_proxies="127.0.0.1")
    stranger, new = Browser(known.api.server), Browser(known.api.server)
    assert known.sign_in().status == 200
    assert stranger.sign_in("vic").status == 200
    far = {"X-Forwarded-For": "192.0.2.7"}
    assert [stranger.sign_in(password="wrong", headers=far).status for _ in range(3)] == [401] * 2 + [429]
    assert new.sign_in().status == 429, "a browser that nobody knows waits with the stranger"
    known.request("DELETE", SESSION)
    assert known.cookie is None and known.sign_in().status == 200
    assert change(known, "wrong").status == 403 and change(known, PASSWORD, PASSWORD).status == 204
    # It has no more tries than others: one more.
    assert [known.sign_in(password="wrong").status for _ in range(2)] == [401, 429]
    assert known.sign_in().status == 429
    # And is known by the one name alone, by its own cookie alone.
    assert [stranger.sign_in("vic", "wrong").status for _ in range(3)] == [401] * 2 + [429]
    assert new.sign_in("vic").status == 200
    for text in ("", "0" * 96, known.device[:32] + stranger.device[32:], known.device[:-1] + "g"):
        new.device = text
        assert new.sign_in().status == 429
    for browser in stranger, new:
        browser.api.close()


def test_the_cookie_of_a_known_browser(browser):
    browser.sign_in()
    made = browser.device_attributes
    assert re.fullmatch("[0-9a-f]{96}", made.value)
    assert made["httponly"] and made["samesite"] == "Lax" and made["path"] == "/" and not made["secure"]
    assert int(made["max-age"]) == 365 * 24 * 3600 and not made["domain"]
    assert browser.sign_in(password="wrong").headers.get("Set-Cookie") is None
    browser.sign_in()
    assert browser.device == made.value, "it stays the same browser"
    browser.request("DELETE", SESSION)
    assert browser.device == made.value
    browser.cookie = None
    assert browser.who() == 401, "it opens nothing"


def test_wrong_passwords_from_an_address(limited, password_of_ann):
    browser = limited(sign_in_address_failures=2, trusted_proxies="127.0.0.1")

    def from_address(address, name="ann", password="wrong"):
        return browser.sign_in(name, password, headers={"X-Forwarded-For": address}).status

    assert [from_address("10.0.0.1", f"u{i}") for i in range(2)] == [401] * 2
    assert from_address("10.0.0.1", password=PASSWORD) == 429
    assert from_address("10.0.0.2", password=PASSWORD) == 200
    assert [from_address(f"2001:db8::{i}", f"v{i}") for i in range(3)] == [401] * 2 + [429]
    assert from_address("2001:db8:0:1::1", password=PASSWORD) == 200


def test_so_many_at_a_time(limited, db, password_of_ann):
    """While one is looked at, another is told to come again."""
    browser = limited(sign_in_parallel=1)
    two = browser, Browser(browser.api.server)
    with concurrent.futures.ThreadPoolExecutor() as pool, db.hold("lock table account in access exclusive mode"):
        under_way = [pool.submit(one.sign_in) for one in two]
        done, waiting = concurrent.futures.wait(under_way, return_when=concurrent.futures.FIRST_COMPLETED)
        busy = done.pop().result()
        assert (busy.status, busy.problem) == (503, "busy") and int(busy.headers["Retry-After"]) >= 1
    assert waiting.pop().result().status == 200
    assert {one.sign_in().status for one in two} == {200}


# ---- proxies, a prefix -----------------------------------------------------------------------------

def test_below_a_prefix(limited, password_of_ann):
    browser = limited(path_prefix="/cairn")
    browser.prefix = "/cairn"
    browser.sign_in()
    assert browser.attributes["path"] == "/cairn" and browser.who() == "ann"
    assert browser.request("PUT", "/api/v1/projects/ann/prefixed", {}).status == 201


def test_behind_a_proxy(server, browser):
    """It is trusted here: what it says it was asked is our address."""
    forwarded = {"X-Forwarded-Host": "Cairn.Example", "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/lab/",
                 "Origin": "https://cairn.example"}
    assert browser.sign_in(headers=forwarded).status == 200
    assert browser.attributes["path"] == "/lab" and browser.attributes["secure"]
    assert browser.request("POST", KEYS, {}, headers=forwarded).status == 201
    usual_port = {**forwarded, "Origin": "https://cairn.example", "X-Forwarded-Host": "cairn.example:443"}
    assert browser.request("POST", KEYS, {}, headers=usual_port).status == 201
    for origin in ("https://cairn.example:8443", f"http://127.0.0.1:{server.port}", "https://cairn.example.evil"):
        assert browser.request("POST", KEYS, {}, headers={**forwarded, "Origin": origin}).status == 403
    odd = {**forwarded, "X-Forwarded-Host": 'a"; b', "X-Forwarded-Prefix": "/x; Domain=evil.example"}
    assert browser.sign_in(headers={**odd, "Origin": f"http://127.0.0.1:{server.port}"}).status == 200
    assert browser.attributes["path"] == "/" and not browser.attributes["domain"]


def test_a_proxy_that_is_not_trusted_is_not_believed(limited, password_of_ann):
    browser = limited()
    said = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Origin": "https://evil.example"}
    assert browser.sign_in(headers=said).status == 403
    assert browser.sign_in(headers={**said, "Origin": browser.headers["Origin"]}).status == 200
    assert not browser.attributes["secure"]


def test_no_secret_is_logged(limited, password_of_ann):
    browser = limited(log_level="debug")
    browser.sign_in()
    browser.sign_in(password="a wrong horse")
    made = browser.request("POST", KEYS, {}).json["key"]
    browser.request("DELETE", SESSION)
    server = browser.api.server
    log = wait_until(lambda: server.log() if server.log().count("method=") >= 4 else None, what="log lines")
    assert not any(secret in log for secret in (PASSWORD, "a wrong horse", made)) and not re.search("[0-9a-f]{64}", log)


# ---- keys of one's own -----------------------------------------------------------------------------

def test_keys(signed_in, server, db):
    made = signed_in.request("POST", KEYS, {"name": "node-7", "scope": "write"})
    assert made.status == 201 and made["scope"] == "write" and made["ends_with"] == made["key"][-4:]
    api = Api(server, made["key"])
    assert api.get(VIEWER)["name"] == "ann"
    assert made["key"] not in db.value("select string_agg(k::text, '') from api_key k")
    listed = {one["id"]: one for one in signed_in.request("GET", KEYS)["items"]}
    assert listed[made["id"]]["name"] == "node-7" and not any("key" in one for one in listed.values())
    assert made.headers["Location"] == f"{KEYS}/{made['id']}"
    assert signed_in.request("DELETE", made.headers["Location"]).status == 204
    assert api.request("GET", VIEWER).status == 401
    assert made["id"] not in {one["id"] for one in signed_in.request("GET", KEYS)["items"]}
    assert signed_in.request("DELETE", made.headers["Location"]).status == 404
    api.close()


def test_a_key_may_no_more_than_its_maker(signed_in, server):
    for scope in ("read", "write"):
        api = Api(server, signed_in.request("POST", KEYS, {"scope": scope})["key"])
        for method, path, body in (("GET", KEYS, None), ("POST", KEYS, {}), ("DELETE", f"{KEYS}/1", None)):
            api.refused(403, "forbidden", method, path, body)
        api.close()
    api = Api(server, signed_in.request("POST", KEYS, {"scope": "admin"})["key"])
    made = api.post(KEYS, {}).json
    assert made["scope"] == "admin" and made["name"] == ""
    api.delete(f"{KEYS}/{made['id']}")
    api.close()


def test_keys_of_others(signed_in, server, db, keys):
    theirs = db.value("select min(key_id) from api_key k join entity e on e.entity_id = k.user_id where e.name = 'bob'")
    assert signed_in.request("DELETE", f"{KEYS}/{theirs}").status == 404
    for odd in ("0", "-1", "x", "9" * 30, "1.5", "%20"):
        assert signed_in.request("DELETE", f"{KEYS}/{odd}").status == 404
    bob = Api(server, keys["bob"])
    assert str(theirs) in {one["id"] for one in bob.get(KEYS)["items"]}
    bob.close()


def test_bodies_of_keys(signed_in):
    for body, field in (({"name": 1}, "name"), ({"scope": "all"}, "scope"), ({"more": 1}, "more"),
                        ({"name": "x" * 65}, "name"), ({"name": "a\nb"}, "name")):
        answer = signed_in.request("POST", KEYS, body)
        assert (answer.status, answer["field"]) == (400, field)


def test_many_keys(signed_in, server, keys, db):
    """Page by page, and not without end."""
    mel = Api(server, keys["mel"])
    user = db.value("select entity_id from entity where name = 'mel'")
    db.query("insert into api_key (key_id, user_id, key_hash, hint, name, scope, created_at) select n, %s, "
             "('\\x' || lpad(to_hex(n), 64, '0'))::bytea, '', 'k' || n, 1, now() from generate_series(1, 999) n", user)
    names = [one["name"] for one in mel.pages(KEYS, limit=300)]
    assert names == [f"k{n}" for n in range(1, 1000)] + ["first"]
    mel.refused(422, "unprocessable", "POST", KEYS, {})
    mel.delete(f"{KEYS}/7")
    assert mel.request("POST", KEYS, {}).status == 201
    mel.close()


# ---- service accounts ------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def service(shared_place, secret_file, tmp_path_factory):
    """Keys of programs: one of the team, as viewer one, one of none."""
    folder = tmp_path_factory.mktemp("service")
    found = {}
    for name, role in (("ci", "member"), ("looker", "viewer"), ("loner", None)):
        cairnd_run(shared_place.db.url, secret_file, "user", "add", name, "--service", "--key-file", str(folder / name))
        if role:
            cairnd_run(shared_place.db.url, secret_file, "team", "member", "add", "lab", name, "--role", role)
        found[name] = (folder / name).read_text().strip()
    return found


def made_by(api, path, username):
    return api.put(path, {}, headers={"X-WANDB-USERNAME": username}).json["user"]


def test_a_service_account_works_for_members(server, service, home):
    team = home.replace("/ann/", "/lab/")
    ci = Api(server, service["ci"])
    assert made_by(ci, f"{team}/runs/r1", "mel") == "mel"
    assert made_by(ci, f"{team}/runs/r2", "vic") == "vic"
    assert ci.post(f"{team}/runs", {}, headers={"X-WANDB-USERNAME": "mel"}).json["user"] == "mel"
    ci.post(f"{team}/runs/r3/history", [{"a": 1}], headers={"X-WANDB-USERNAME": "mel"})
    assert ci.get(f"{team}/runs/r3")["user"] == "mel"
    for number, name in enumerate(["", "ann", "root", "nobody", "lab", "ci", "MEL", "a/b", "x" * 200]):
        assert made_by(ci, f"{team}/runs/n{number}", name) == "ci", name
    assert made_by(ci, home.replace("/ann/", "/ci/") + "/runs/r1", "mel") == "ci", "no team is asked about"
    ci.close()


UPSERT = """mutation U($entity: String, $project: String, $name: String) {
    upsertBucket(input: {entityName: $entity, modelName: $project, name: $name}) { bucket { name } inserted } }"""


def test_at_the_door_of_the_sdk_too(server, service, home):
    """Which always sends the header, mostly empty."""
    ci = Api(server, service["ci"])
    project = home.rsplit("/", 1)[1]
    for run, said, want in (("r1", "mel", "mel"), ("r2", "", "ci"), ("r3", "ann", "ci")):
        body = {"query": UPSERT, "variables": {"entity": "lab", "project": project, "name": run}}
        answer = ci.post("/graphql", body, headers={"X-WANDB-USERNAME": said, "X-WANDB-USER-EMAIL": ""}, check=False)
        assert answer.json["data"]["upsertBucket"] == {"bucket": {"name": run}, "inserted": True}
        assert ci.get(f"/api/v1/projects/lab/{project}/runs/{run}")["user"] == want
    ci.close()


def test_nobody_is_believed_to_be_somebody_else(server, service, keys, home, db, secret_file):
    """What may be done goes by the key; and who is no service account is who they are."""
    team = home.replace("/ann/", "/lab/")
    bob = Api(server, keys["bob"])
    assert made_by(bob, f"{team}/runs/r1", "mel") == "bob"
    for name, status in (("looker", 403), ("loner", 404)):
        api = Api(server, service[name])
        answer = api.request("PUT", f"{team}/runs/{name}", {}, headers={"X-WANDB-USERNAME": "bob"})
        assert answer.status == status
        assert api.request("GET", VIEWER, headers={"X-WANDB-USERNAME": "bob"})["name"] == name
        api.close()
    bob.close()
    cairnd_run(db.url, secret_file, "team", "member", "add", "lab", "ann", "--role", "member")
    cairnd_run(db.url, secret_file, "user", "disable", "ann")
    ci = Api(server, service["ci"])
    assert made_by(ci, f"{team}/runs/r2", "ann") == "ci", "who is disabled gets no runs"
    ci.close()
