"""The first user of a server, made with the token that stands in its log."""
import concurrent.futures
import json
import re

import pytest

from conftest import Database
from rest import Api
from server import Server, cairnd_run

FIRST, SESSION, VIEWER = "/api/v1/first-admin", "/api/v1/session", "/api/v1/viewer"
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def nobody(cluster, secret_file):
    """The name of a migrated database without users."""
    cairnd_run(cluster.create_database(name="template_nobody"), secret_file, "upgrade")
    return "template_nobody"


@pytest.fixture
def url(cluster, nobody):
    return cluster.create_database(template=nobody)


@pytest.fixture
def serve(url, secret_file):
    """serve(**settings): one more server of the database."""
    made = []

    def start(**settings):
        made.append(Server(url, secret_file, **settings).start())
        return made[-1]
    yield start
    for one in made:
        one.stop()
        one.remove()


def tokens(server):
    """What its log says in as many lines as it says it."""
    return re.findall(r" warning there are no users yet token=([0-9a-f]{32}) ", server.log_path.read_text())


def first(server, token, name="ann", password=PASSWORD, **kwargs):
    api = Api(server)
    try:
        return api.request("POST", FIRST, {"name": name, "password": password, "token": token}, **kwargs)
    finally:
        api.close()


def ask(server, method, path, body=None, **headers):
    api = Api(server)
    try:
        return api.request(method, path, body, headers=headers)
    finally:
        api.close()


def test_from_nobody_to_an_admin(serve, url):
    """By one server's token at another; signed in at both, and it works once."""
    one, other = serve(), serve()
    [token] = tokens(one)
    assert tokens(other) == [token]
    assert ask(one, "GET", SESSION).json == {"name": None, "admin": False, "has_users": False}
    answer = first(other, token)
    assert (answer.status, answer["name"]) == (201, "ann")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    for server in one, other:
        viewer = ask(server, "GET", VIEWER, Cookie=cookie.split(";")[0])
        assert (viewer["name"], viewer["admin"], viewer["default_entity"]) == ("ann", True, "ann")
        assert ask(server, "GET", SESSION, Cookie=cookie.split(";")[0]).json == {"name": "ann", "admin": True, "has_users": True}
    assert ask(one, "GET", SESSION).json == {"name": None, "admin": False, "has_users": True}
    assert ask(one, "POST", SESSION, {"name": "ann", "password": PASSWORD}).status == 200
    for server in one, other:
        answer = first(server, token, "bob")
        assert (answer.status, answer.problem) == (409, "conflict") and "field" not in answer.json
    assert Database(url).value("select count(*) from account") == 1
    assert tokens(serve()) == []


def test_the_token_is_stored_nowhere(serve, url):
    """And a restart does not change it; that of another database is another one."""
    [token] = tokens(serve())
    stored = Database(url).query("select value from server_setting")
    assert all(token not in value and value not in token for [value] in stored)
    assert tokens(serve()) == [token]


def test_another_database_another_token(serve, cluster, nobody, secret_file):
    """Of the same secret: what stands in an old log opens no new server."""
    with Server(cluster.create_database(template=nobody), secret_file) as other:
        assert tokens(other) != tokens(serve())


def test_a_log_as_json(serve):
    lines = [json.loads(line) for line in serve(log_format="json").log_path.read_text().splitlines()]
    [line] = [line for line in lines if line["message"] == "there are no users yet"]
    assert re.fullmatch("[0-9a-f]{32}", line["token"]) and "cairnd user add NAME --admin" in line["hint"]


@pytest.mark.parametrize("change, status, field", [
    ({"token": "0" * 32}, 401, "token"), ({"token": ""}, 401, "token"), ({"token": "x" * 257}, 400, "token"),
    ({"password": "1234567"}, 400, "password"), ({"password": "x" * 1025}, 400, "password"),
    ({"name": ""}, 400, "name"), ({"name": "api"}, 400, "name"), ({"name": "a b"}, 400, "name"),
    ({"name": "x" * 65}, 400, "name"), ({"name": "lab"}, 409, "name"),
], ids=str)
def test_what_is_refused(refusing, change, status, field):
    """Nothing is made of it, and the token goes on."""
    server, token = refusing
    answer = first(server, **{"token": token, **change}, check=status != 400)
    assert (answer.status, answer.json.get("field")) == (status, field), answer
    assert ask(server, "GET", SESSION)["has_users"] is False


@pytest.fixture(scope="module")
def refusing(cluster, nobody, secret_file):
    """A server without users, where a team has a name, and its token."""
    url = cluster.create_database(template=nobody)
    cairnd_run(url, secret_file, "team", "add", "lab")
    with Server(url, secret_file, sign_in_name_failures=100, sign_in_address_failures=100) as server:
        yield server, tokens(server)[0]


def test_the_shortest_password(serve):
    server = serve()
    assert first(server, tokens(server)[0], password="12345678").status == 201


def test_a_page_of_somebody_else(refusing):
    server, token = refusing
    assert first(server, token, headers={"Origin": "http://evil.example"}).status == 403
    assert first(server, token, headers={"Sec-Fetch-Site": "cross-site"}).status == 403
    assert ask(server, "GET", SESSION)["has_users"] is False


def test_several_at_the_same_moment(serve, url):
    """At two servers, each with a name of its own: one of them is first."""
    servers = serve(sign_in_parallel=8), serve(sign_in_parallel=8)
    [token] = tokens(servers[0])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: first(servers[i % 2], token, f"user{i}"), range(8)))
    found = sorted(answer.status for answer in answers)
    assert found.count(201) == 1 and set(found) == {201, 409}, found
    made = next(answer["name"] for answer in answers if answer.status == 201)
    assert Database(url).query("select name from entity") == [(made,)]


@pytest.mark.parametrize("limit", ["sign_in_name_failures", "sign_in_address_failures"])
def test_tries_are_limited(serve, limit):
    server = serve(**{limit: 2})
    names = ["ann"] * 3 if "name" in limit else ["ann", "bob", "eve"]
    answers = [first(server, "0" * 32, name) for name in names]
    assert [answer.status for answer in answers] == [401, 401, 429]
    assert int(answers[2].headers["Retry-After"]) >= 1
    assert ask(server, "GET", SESSION)["has_users"] is False


def test_a_user_made_by_the_command(serve, url, secret_file, tmp_path):
    """As it always was; the token opens nothing then."""
    server = serve()
    [token] = tokens(server)
    cairnd_run(url, secret_file, "user", "add", "ann", "--admin", "--key-file", str(tmp_path / "key"))
    assert first(server, token, "bob").status == 409
    assert ask(server, "GET", VIEWER, Authorization=f"Bearer {(tmp_path / 'key').read_text().strip()}")["name"] == "ann"
