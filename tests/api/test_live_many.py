"""Several projects by one connection: each is told as by a stream of its own."""
import random

import pytest

from live import Many, Watch
from rest import Api
from runs import Run


@pytest.fixture
def homes(api, wait_for):
    """Three projects of the test alone, each with a run that is found: nothing is new in them."""
    made = [f"/api/v1/projects/ann/many-{random.getrandbits(48):x}" for _ in range(3)]
    for home in made:
        Run(api, "r1", home)
    for home in made:
        wait_for(lambda home=home: api.get(f"{home}/runs")["items"], what="a run that is found")
    return made


@pytest.fixture
def stranger(server, keys):
    with_bob = Api(server, keys["bob"])
    yield with_bob
    with_bob.close()


def remove(api, home):
    api.delete(home, confirm=home.rsplit("/", 1)[1])


def ids(told):
    return {item["id"] for data in told for item in data["items"]}


def test_each_is_told_as_by_itself(api, homes):
    with Many(api, homes) as many, Watch(api, homes[1]) as alone:
        assert many.answer.headers["Content-Type"].startswith("text/event-stream")
        for home in homes:
            assert [list(data) for data in many.until(home, "open")] == [["now"]]
        alone.next("open")
        api.patch(f"{homes[1]}/runs/r1", {"notes": "n"})
        alone.until(lambda runs: runs.get("r1", {}).get("notes") == "n")
        noted = many.item(homes[1], "r1", notes="n")
        still = [{k: v for k, v in one.items() if k not in ("heard_at", "bytes")} for one in (noted, alone.runs["r1"])]
        assert still[0] == still[1]
        assert not many.of(homes[0], "run") and not many.of(homes[2], "run")


def test_what_happens_in_followed_runs(api, homes):
    """The same id in two projects: only where it is followed."""
    with Many(api, [f"{homes[0]}/r1,r2", homes[1]], streams="rows,console") as many:
        many.until(homes[0], "rows")
        many.until(homes[1], "open")
        for home in homes[1], homes[0]:
            Run(api, "r1", home).join().send(history=[{"a": 1}], console=[{"line": 0, "stream": "stdout", "time": 1.5, "text": "x"}])
        assert many.until(homes[0], "console")[0]["run"] == "r1"
        assert [item["row_next"] for data in many.until(homes[0], "rows", 2) for item in data["items"] if item["run"] == "r1"][-1] == 1
        many.until(homes[1], "run")
        assert not many.of(homes[1], "rows") and not many.of(homes[1], "console")
        assert {name for _, name, *_ in many.told} <= {"open", "run", "rows", "console"}


def test_who_comes_back_misses_nothing_of_any(api, homes):
    with Many(api, homes) as many:
        for home in homes:
            many.until(home, "open")
        places = [many.last_id(home) for home in homes]
    for home in homes[:2]:
        Run(api, "meanwhile", home)
    with Many(api, homes, after=":".join([places[0], "", places[2]])) as many:
        many.until(homes[0], "run")
        for home in homes:
            many.until(home, "open")
        assert "meanwhile" in ids(many.of(homes[0], "run")) and "meanwhile" not in ids(many.of(homes[2], "run"))
        Run(api, "now", homes[1])
        while "now" not in ids(many.of(homes[1], "run")):
            many.next()
    with Many(api, homes, last_id=places[0]) as many:
        for home in homes:
            many.until(home, "open")
        assert "meanwhile" not in ids(many.of(homes[0], "run")), "an id without its project says nothing"


def test_a_project_that_one_may_not_see(api, stranger, homes):
    """It ends by itself, and is told as one that is not there."""
    api.patch(homes[0], {"visibility": "public"})
    nowhere = "/api/v1/projects/ann/nowhere"
    with Many(stranger, [homes[1], homes[0], nowhere]) as many:
        for home in homes[1], nowhere:
            assert many.until(home, "end") == [{"reason": "not-found"}]
        many.until(homes[0], "open")
        Run(api, "r2", homes[0])
        many.until(homes[0], "run")
        api.patch(homes[0], {"visibility": "private"})
        assert many.ends() == "not-found"
    stranger.refused(404, "not-found", "GET", f"/api/v1/live?watch=ann/{homes[1].rsplit('/', 1)[1]}:ann/nowhere")


def test_nobody_in_particular(api, server, homes):
    """What is public is told to anybody."""
    api.patch(homes[0], {"visibility": "public"})
    anybody = Api(server, None)
    with Many(anybody, homes[:2]) as many:
        many.until(homes[0], "open")
        assert many.until(homes[1], "end") == [{"reason": "unauthorized"}]
    anybody.close()


def test_one_is_deleted_and_the_others_go_on(api, homes):
    with Many(api, homes[:2]) as many:
        for home in homes[:2]:
            many.until(home, "open")
        remove(api, homes[0])
        assert many.until(homes[0], "end")[0]["reason"] in ("gone", "not-found")
        Run(api, "r2", homes[1])
        many.until(homes[1], "run")
        remove(api, homes[1])
        assert many.ends() in ("gone", "not-found")


def test_a_key_that_is_revoked_ends_all(api, server, homes):
    made = api.post("/api/v1/viewer/keys", {"name": "many", "scope": "read"}).json
    other = Api(server, made["key"])
    with Many(other, homes) as many:
        for home in homes:
            many.until(home, "open")
        api.delete(f"/api/v1/viewer/keys/{made['id']}")
        for home in homes:
            assert many.until(home, "end") == [{"reason": "unauthorized"}]
        assert many.queue.get(timeout=120) is None, "the stream goes on"
    other.close()


@pytest.mark.parametrize(("query", "field"), [
    ("", "watch"), ("watch=", "watch"), ("watch=ann", "watch"), ("watch=ann/", "watch"), ("watch=/p", "watch"), ("watch=ann/p%3F", "watch"),
    ("watch=ann/p::ann/q", "watch"), ("watch=ann/p:ann/p/r1", "watch"), ("watch=ann/p/r1/r2", "watch"), ("watch=ann/p/r1,,r2", "watch"),
    ("watch=ann/p&streams=history", "streams"), ("watch=ann/p&after=1", "after"), ("watch=ann/p:ann/q&after=:1.x", "after"),
    ("watch=ann/p&follow=r1", "follow")])
def test_bad_input(api, query, field):
    assert api.refused(400, "invalid", "GET", f"/api/v1/live?{query}")["field"] == field


def test_as_many_as_may_be_watched_and_followed(api, homes):
    projects = [*homes, *(f"/api/v1/projects/ann/not-there-{i}" for i in range(13))]
    follows = ",".join(f"r{i}" for i in range(100))
    with Many(api, [f"{homes[0]}/{follows}", f"{homes[1]}/{follows}", *projects[2:]]) as many:
        for home in homes[:2]:
            assert len(many.until(home, "rows")[0]["items"]) == 1, "the one that is there"
        assert len([data for _, name, data, _ in many.told if name == "end"]) == 13
    watch = ":".join(one.removeprefix("/api/v1/projects/") for one in [*projects, "ann/one-more"])
    assert api.refused(400, "invalid", "GET", f"/api/v1/live?watch={watch}")["detail"] == "at most 16 projects"
    assert api.refused(400, "invalid", "GET", f"/api/v1/live?watch=ann/p/{follows},r100")["detail"] == "at most 100 runs"


def test_names_with_what_separates_elsewhere(api):
    """In a project's name commas and semicolons are letters."""
    home = f"/api/v1/projects/ann/a,b;c {random.getrandbits(48):x}"
    made = home.replace(" ", "%20")
    Run(api, "r%201", made)
    with Many(api, [f"{home}/r 1"]) as many:
        assert many.until(home, "rows")[0]["items"][0]["run"] == "r 1"
