"""Who one is: keys, the command `wandb login`, what a wrong key looks like."""
import datetime
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
    """By each way in: what it says, and when it began and said it, as seconds since 1970."""
    import time

    import wandb
    errors = []
    for way in (lambda: wandb.login(verify=True), wandb.init):
        begun = time.time()
        try:
            way()
        except Exception as e:  # noqa: BLE001
            errors.append({"kind": type(e).__name__, "text": str(e), "begun": begun, "at": time.time()})
    return errors


@pytest.fixture
def stranger(make_client, version, project):
    """Has no key in its environment."""
    return make_client(version, key=None, WANDB_PROJECT=project)


@pytest.mark.feature("login with WANDB_API_KEY")
def test_a_good_key(client):
    assert client.call(login).value is True


def refused_at(log):
    """When the server said that it knows no such key."""
    times = re.findall(r"^(\S+) info request method=POST route=/graphql status=401 ", log, re.M)
    return [datetime.datetime.fromisoformat(time).timestamp() for time in times]


@pytest.mark.feature("a wrong key fails at once, with a sentence")
def test_a_wrong_key(make_client, version, server):
    """
    Within a minute of the first refusal, which a busy machine may need; what the SDK does before it asks is its own
    time. A client that takes the answer for a passing one asks again for minutes, and more often.
    """
    client = make_client(version, key=WRONG)
    before = len(server.log())
    errors = client.call(fail).value
    times = refused_at(server.log()[before:])
    assert len(errors) == 2 and len(times) <= 7
    for error in errors:
        assert error["kind"] in ("CommError", "AuthenticationError", "UsageError")
        assert re.search(r"(?i)key|401|logged in", error["text"]), error
        first = next(time for time in times if time >= error["begun"])
        assert error["at"] - first < 60, (error, times)


def refusal(**how):
    """What wandb.init() fails with."""
    import wandb
    try:
        wandb.init(**how)
    except Exception as e:  # noqa: BLE001
        return f"{type(e).__name__}: {e}"


@pytest.mark.long_if_old
def test_an_entity_that_is_not_there(client):
    assert 'entity "nobody-here"' in client.call(refusal, entity="nobody-here").value


@pytest.mark.long_if_old
def test_an_address_with_a_path_that_is_not_there(make_client, version, url):
    said = make_client(version, WANDB_BASE_URL=f"{url}/wandb").call(refusal).value
    assert "no such path" in said and f"is {url} here" in said and "path_prefix" in said


@pytest.mark.long_if_old
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


@pytest.mark.long_if_old
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
