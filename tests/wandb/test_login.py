"""Who one is: keys, the command `wandb login`, what a wrong key looks like."""
import re

import pytest

WRONG = "f" * 40


def login():
    import wandb
    return bool(wandb.login(verify=True))


def begin():
    import wandb
    with wandb.init():
        pass


def fail():
    import wandb
    try:
        wandb.init()
    except Exception as e:  # noqa: BLE001
        return {"kind": type(e).__name__, "text": str(e)}


@pytest.fixture
def stranger(make_client, version, project):
    """Has no key in its environment."""
    return make_client(version, key=None, WANDB_PROJECT=project)


@pytest.mark.feature("login with WANDB_API_KEY")
def test_a_good_key(client):
    assert client.call(login).value is True


@pytest.mark.feature("a wrong key fails at once, with a sentence")
def test_a_wrong_key(make_client, version, server):
    """Nothing is asked again: a client that takes the answer for a passing one goes on for minutes."""
    client = make_client(version, key=WRONG)
    before = server.log().count(" status=401 ")
    error = client.call(fail).value
    assert 1 <= server.log().count(" status=401 ") - before <= 6
    assert error["kind"] in ("CommError", "AuthenticationError", "UsageError")
    assert re.search(r"(?i)key|401|logged in", error["text"]), error


@pytest.mark.feature("wandb login --host --verify, key kept in netrc")
def test_the_command(stranger, keys, url):
    done = stranger.wandb("login", "--host", url, "--verify", "--relogin", keys["ann"])
    assert done.code == 0, done
    netrc = stranger.home / ".netrc"
    host = url.removeprefix("http://")
    assert f"machine {host}\n" in netrc.read_text() and keys["ann"] in netrc.read_text()
    if stranger.release < (0, 25):  # it looks for the host alone, and would never find one with a port
        netrc.write_text(netrc.read_text().replace(host, "127.0.0.1"))
    assert stranger.call(login).value is True
    done = stranger.call(begin)
    assert done.code == 0, done


@pytest.mark.feature("wandb login --host --verify, key kept in netrc")
def test_the_command_with_a_wrong_key(stranger, url):
    done = stranger.wandb("login", "--host", url, "--verify", "--relogin", WRONG)
    assert re.search(r"(?i)key|401|logged in", done.out), done
    assert "Traceback" not in done.out
    assert done.code != 0 or not stranger_is_in(stranger), done


def stranger_is_in(client):
    return client.call(login).code == 0


def test_a_key_of_another_kind_is_refused_by_name(wire, project):
    wire.key = WRONG
    answer = wire.ask("query Viewer { viewer { id } }")
    assert answer.status == 401
    message = answer.json["errors"][0]["message"]
    assert "key" in message and answer.json["error"]


def test_no_key_at_all(wire):
    body = b'{"query": "{ viewer { id } }"}'
    answer = wire.send("POST", "/graphql", body, {"Content-Type": "application/json"}, key=False)
    assert answer.status == 401 and answer.json["errors"][0]["message"]


@pytest.mark.parametrize("name", ["metrics", "logs"])
def test_telemetry_of_the_sdk_is_not_taken(wire, name):
    for key in (True, False):
        answer = wire.send("POST", f"/sdk/otel/v1/{name}", b"", key=key)
        assert answer.status == 404
        assert answer.json
