"""Answers that go on for long ask again: who may no longer read gets no more."""
import http.client
import time

import pytest

from live import Live, Watch, small_socket
from runs import Run
from server import cairnd_run


class Admin:
    """cairnd's commands on the test's database."""

    def __init__(self, db, secret_file, folder):
        self.db, self.secret_file, self.folder = db, secret_file, folder

    def __call__(self, *args):
        return cairnd_run(self.db.url, self.secret_file, *args)

    def new_key(self, user):
        """The key, and its number."""
        file = self.folder / f"key-{time.monotonic_ns()}"
        self("key", "create", "--user", user, "--key-file", str(file))
        return file.read_text().strip(), str(self.db.value("select max(key_id) from api_key"))


@pytest.fixture
def admin(db, secret_file, tmp_path):
    return Admin(db, secret_file, tmp_path)


def seen_by(run, key):
    return Run(run.api.as_user(key), run.name, run.path.rsplit("/runs/", 1)[0], make=False)


def ends_soon(live):
    """The reason. Who may read is asked again every second; a silent stream beats every ten, for ever if nobody asks."""
    return live.ends(beats=4)


# ---- live events --------------------------------------------------------------------------------------

def test_a_revoked_key_hears_no_more(run, admin):
    key, number = admin.new_key("ann")
    with Live(seen_by(run, key)) as live, Live(run) as other:
        live.next("open")
        admin("key", "revoke", number)
        assert ends_soon(live) == "unauthorized"
        run.log({"a": 1})
        assert other.items("history", 1)[0][0]["a"] == 1
    with Live(seen_by(run, key)) as again:
        assert again.answer.status == 401


def test_a_disabled_user_hears_no_more_on_any_server(api, run, admin, two_servers, tmp_path):
    key_file = tmp_path / "passing"
    admin("user", "add", "passing", "--key-file", str(key_file))
    api.patch(run.path, {"visibility": "public"})
    theirs = seen_by(run, key_file.read_text().strip())
    lives = [Live(theirs.at(server)) for server in two_servers]
    for live in lives:
        live.next("open")
    admin("user", "disable", "passing")
    assert [ends_soon(live) for live in lives] == ["unauthorized"] * 2


def test_what_is_made_private_is_heard_no_more(api, run, home, two_servers):
    api.patch(home, {"visibility": "public"})
    lives = [Live(seen_by(run, None).at(server)) for server in two_servers]
    for live in lives:
        live.next("open")
    api.patch(home, {"visibility": "private"})
    assert [ends_soon(live) for live in lives] == ["unauthorized"] * 2


def test_a_role_taken_away(api, run, admin, keys):
    project = "/api/v1/projects/lab/standing"
    ours = Run(api.as_user(keys["mel"]), project=project)
    with Live(seen_by(ours, keys["vic"])) as live:
        live.next("open")
        admin("team", "member", "remove", "lab", "vic")
        try:
            assert ends_soon(live) == "not-found"
        finally:
            admin("team", "member", "add", "lab", "vic", "--role", "viewer")
    ours.api.close()


def test_a_deleted_run(api, run, two_servers):
    lives = [Live(run.at(server)) for server in two_servers]
    for live in lives:
        live.next("open")
    assert api.request("DELETE", run.path).status == 204
    assert [ends_soon(live) for live in lives] == ["gone"] * 2


# ---- live events of a project -----------------------------------------------------------------------

def test_a_watcher_loses_the_role(api, admin, keys):
    project = "/api/v1/projects/lab/watched"
    api.as_user(keys["mel"]).put(project, {})
    with Watch(api.as_user(keys["vic"]), project) as watch:
        watch.next("open")
        admin("team", "member", "remove", "lab", "vic")
        try:
            assert ends_soon(watch) == "not-found"
        finally:
            admin("team", "member", "add", "lab", "vic", "--role", "viewer")


def test_a_watcher_sees_less_and_more(api, admin, keys):
    """In a public project all are told of public runs; who could see others begins anew."""
    project = "/api/v1/projects/lab/shown"
    api.as_user(keys["bob"]).put(project, {"visibility": "public"})
    ours = api.as_user(keys["mel"])
    with Watch(api.as_user(keys["vic"]), project, follow="hidden") as watch:
        ours.put(f"{project}/runs/hidden", {"visibility": "private"})
        assert watch.follow("rows", "hidden")
        watch.until(lambda runs: "hidden" in runs)
        admin("team", "member", "remove", "lab", "vic")
        try:
            watch.next("reset")
            before = len(watch.seen)
            Run(ours, "hidden", project, make=False).join().send(history=[{"a": 1}])
            Run(ours, "shown", project)
            watch.until(lambda runs: "shown" in runs)
            assert "hidden" not in str(watch.seen[before:])
        finally:
            admin("team", "member", "add", "lab", "vic", "--role", "viewer")
        watch.next("reset")
        assert watch.follow("rows", "hidden", 2)[-1]["row_next"] == 1


# ---- exports ------------------------------------------------------------------------------------------

def export(run, query):
    """An answer of which nothing is read but its head."""
    connection = http.client.HTTPConnection("127.0.0.1", run.api.server.port, timeout=60)
    connection.sock = small_socket(run.api.server.port)
    connection.request("GET", f"{run.path}/{query}", headers=run.api._headers(None))
    answer = connection.getresponse()
    assert answer.status == 200
    return answer


@pytest.mark.parametrize("query", ["history?format=ndjson", "history?format=csv", "console?format=text"])
def test_an_export_is_broken_off(run, admin, server, wait_for, query):
    text = "x" * 1500
    for i in range(10):
        run.join(f"c{i}").send(
            history=[{"text": text} for _ in range(2000)],
            console=[{"line": j, "stream": "stdout", "time": 1.5, "text": text} for j in range(2000)])
    key, number = admin.new_key("ann")
    theirs = seen_by(run, key)
    answer = export(theirs, query)
    admin("key", "revoke", number)
    wait_for(lambda: theirs.api.request("GET", run.path).status == 401)
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        answer.read()
    theirs.api.close()
