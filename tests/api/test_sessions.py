"""Signing in with name and password: the cookie, what it may and may not do, limits, keys of one's own."""
import http.cookies
import re

import pytest

from rest import Api
from server import cairnd_run

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
        self.cookie = None
        self.headers = {"Origin": f"http://127.0.0.1:{server.port}"}

    def request(self, method, path, body=None, headers=None, **kwargs):
        sent = {**self.headers, **({"Cookie": self.cookie} if self.cookie else {}), **(headers or {})}
        sent = {name: value for name, value in sent.items() if value is not None}
        answer = self.api.request(method, self.prefix + path, body, headers=sent, check=not self.prefix, **kwargs)
        self.take(answer.headers.get("Set-Cookie"))
        return answer

    def take(self, header):
        if not header:
            return
        found = http.cookies.SimpleCookie(header)["cairn_session"]
        self.cookie = f"cairn_session={found.value}" if found.value else None
        self.attributes = found

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
    assert browser.request("GET", SESSION).json == {"name": "ann", "has_users": True}
    assert browser.request("DELETE", SESSION).status == 204
    assert browser.request("GET", SESSION).json == {"name": None, "has_users": True}
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


@pytest.mark.parametrize("name, password", [
    ("ann", "wrong horse"), ("nobody-here", PASSWORD), ("mel", PASSWORD), ("ann", ""), ("", ""),
    ("ann", PASSWORD + " "), ("ANN", PASSWORD), ("lab", PASSWORD), ("ann'--", PASSWORD)])
def test_wrong_is_wrong(browser, name, password):
    """Of mel there is no password; lab is a team."""
    answer = browser.sign_in(name, password)
    problem = answer.json
    assert (answer.status, answer.problem) == (401, "unauthorized") and browser.cookie is None
    first = browser.sign_in("ann", "wrong").json
    for one in (problem, first):
        one.pop("request_id")
    assert problem == first, "the answer tells whether there is such a user"


def test_who_is_not_there_takes_as_much_work(server, browser):
    """By the time of the processor, which is that of Argon2id in both cases; twice as much would show."""
    def work(name):
        before = cpu_ticks(server)
        assert browser.sign_in(name, "wrong").status == 401
        return cpu_ticks(server) - before

    known, unknown = [sum(work(name) for _ in range(3)) for name in ("ann", "nobody-here")]
    assert unknown * 2 > known and known * 2 > unknown


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
