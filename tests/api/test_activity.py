"""What goes on in projects: how many runs there are and run, and when somebody was last heard."""
import pytest

from rest import Api
from runs import Run

MOST = 10000


@pytest.fixture
def project(api, home):
    """Of ann, without a run."""
    api.put(home, {})
    return home


def of(api, home, path="/api/v1/projects", **query):
    """The activity of the project, as the list has it."""
    entity, name = home.split("/")[4:]
    [found] = [p for p in pages(api, path, activity="true", **query) if (p["entity"], p["name"]) == (entity, name)]
    return found["activity"]


def pages(api, path, **query):
    answer = api.get(path, **query)
    yield from answer["items"]
    while answer["next_cursor"]:
        answer = api.get(path, **query, cursor=answer["next_cursor"])
        yield from answer["items"]


def test_from_nothing_to_an_end(api, project):
    for path in "/api/v1/projects", "/api/v1/projects/ann":
        assert of(api, project, path) == {"runs": 0, "running": 0, "heard_at": None}
    run = Run(api, "r1", project)
    writer = run.join("rank0")
    heard = of(api, project)
    assert heard == {"runs": 1, "running": 1, "heard_at": api.get(run.path)["heard_at"]}
    assert heard == of(api, project, "/api/v1/projects/ann")
    writer.send(history=[{"loss": 1}])
    later = of(api, project, limit=1)
    assert later["heard_at"] == api.get(run.path)["heard_at"] > heard["heard_at"]
    writer.finish()
    ended = of(api, project)
    assert (ended["runs"], ended["running"]) == (1, 0) and ended["heard_at"] >= later["heard_at"]
    api.delete(run.path)
    assert of(api, project) == {**ended, "runs": 0}
    api.post(f"{run.path}/restore")
    assert of(api, project) == ended


def test_the_last_is_not_the_newest(api, project, wait_for):
    """Nobody runs any more, and an older run was heard last."""
    old, new = Run(api, "old", project), Run(api, "new", project)
    writers = old.join("rank0"), new.join("rank0")
    for writer in writers:
        writer.send(history=[{"loss": 1}])
    writers[1].finish()
    writers[0].send(history=[{"loss": 2}])
    writers[0].finish()
    heard = api.get(old.path)["heard_at"]
    assert heard > api.get(new.path)["heard_at"]
    wait_for(lambda: of(api, project) == {"runs": 2, "running": 0, "heard_at": heard}, what="what is measured")


def test_only_who_asks(api, project):
    for path in "/api/v1/projects", "/api/v1/projects/ann":
        assert all("activity" not in p for p in pages(api, path))
        for word in "false", "1", "TRUE":
            answer = api.request("GET", path, query={"activity": word}, check=False)
            assert (answer.status, answer.json["field"]) == (400, "activity")
    assert "activity" not in api.get(project).json


def test_who_sees_what(api, project, server, keys):
    """Of a public project that is not theirs people are told nothing: it may have private runs."""
    api.patch(project, {"visibility": "public"})
    Run(api, "r1", project)
    for user, told in ("bob", False), ("root", True), ("ann", True):
        other = Api(server, keys[user])
        assert bool(of(other, project)) == told, user
        other.close()
    nobody = Api(server)
    [found] = [p for p in pages(nobody, "/api/v1/projects/ann", activity="true") if p["name"] == project.rsplit("/")[-1]]
    assert found["activity"] is None
    nobody.close()


def test_members_of_a_team(server, keys, home):
    home = home.replace("/ann/", "/lab/")
    asked = {name: Api(server, keys[name]) for name in ("mel", "vic")}
    asked["mel"].put(home, {})
    Run(asked["mel"], "r1", home)
    assert [of(api, home)["runs"] for api in asked.values()] == [1, 1]
    for api in asked.values():
        api.close()


def test_so_many_are_counted(api, project, db):
    """As many as are documented, and not one more."""
    more = """insert into run (project_id, name, run_id, display_name, job_type, group_name, sweep, notes, tags, visibility,
                               color_number, created_at)
              select p.project_id, 'n' || n, p.project_id + n, '', '', '', '', '', '[]', 0, 0, now()
                from project p, generate_series(%s::int, %s::int) n where p.name = %s"""
    name = project.rsplit("/")[-1]
    for first, last, counted in (1, MOST - 1, MOST - 1), (MOST, MOST, MOST), (MOST + 1, MOST + 1, MOST):
        db.query(more, first, last, name)
        assert of(api, project)["runs"] == counted
