"""Saved views: what comes with each project, what people save, who sees and changes it, and drafts."""
import re

import pytest

from rest import Api
from runs import Run

STATE = {"q": "state:crashed", "cols": ["name", "summary.loss"], "panels": {"size": 3, "order": ["a", "b"]}}


@pytest.fixture
def views(api, project):
    return f"{project}/views"


@pytest.fixture
def lab(server, keys, home):
    """Who asks, by name, about a project of the team `lab`."""
    base = home.replace("/ann/", "/lab/")
    callers = {name: Api(server, keys[name]) for name in ("vic", "mel", "bob")}
    callers["nobody"] = Api(server)
    callers["mel"].put(base, {})
    yield callers, f"{base}/views"
    for one in callers.values():
        one.close()


def items(api, views):
    return api.get(views).json["items"]


def names(api, views):
    return [(v["id"], v["kind"], v["name"]) for v in items(api, views)]


def save(api, views, kind="mine", name="a", state=STATE):
    answer = api.post(views, {"kind": kind, "name": name, "state": state})
    assert answer.status == 201
    return answer


GIVEN = [("default", "default", "Default"), ("debug", "given", "Debug"), ("all-nodes", "given", "All nodes")]


def test_three_come_with_each_project(api, views):
    assert names(api, views) == GIVEN
    states = {v: api.get(f"{views}/{v}").json["state"] for v, _, _ in GIVEN}
    assert states == {"default": {"q": "job_type!=worker"}, "debug": {"q": "(job_type:worker state:crashed) or writers_lost>0"}, "all-nodes": {}}
    assert {(v["version"], v["owner"], v["created_at"], v["ends_at"]) for v in items(api, views)} == {(0, None, None, None)}


def test_what_they_filter_by_is_a_filter(api, views, wait_for):
    runs = views.replace("/views", "/runs")
    for name, kind in ("a", "worker"), ("b", "train"):
        api.put(f"{runs}/{name}", {"job_type": kind})
    wait_for(lambda: len(api.pages(runs)) == 2)
    shown = [[r["id"] for r in api.pages(runs, filter=api.get(f"{views}/{v}").json["state"]["q"])]
             for v in ("default", "debug")]
    assert shown == [["b"], []]


@pytest.mark.parametrize("kind", ["mine", "project"])
def test_saved_and_read_again(api, views, kind):
    answer = save(api, views, kind, "mein Überblick")
    made = answer.json
    assert answer.headers["Location"].endswith(f"{views}/{made['id']}")
    assert re.fullmatch("[a-z0-9]{8}", made["id"])
    assert (made["kind"], made["name"], made["state"]) == (kind, "mein Überblick", STATE)
    assert (made["owner"], made["changed_by"], made["version"]) == ("ann", "ann", 1)
    assert made["created_at"] == made["changed_at"] and made["ends_at"] is None
    got = api.get(f"{views}/{made['id']}")
    assert (got.json, got.headers["ETag"]) == (made, answer.headers["ETag"])
    listed = items(api, views)[-1]
    assert listed == {k: v for k, v in made.items() if k != "state"}


def test_order_of_the_list(api, views):
    for kind, name in ("mine", "a"), ("project", "d"), ("project", "c"), ("mine", "b"):
        save(api, views, kind, name)
    assert [(kind, name) for _, kind, name in names(api, views)[3:]] == [
        ("project", "c"), ("project", "d"), ("mine", "a"), ("mine", "b")]


def test_copied_to_another_project(api, views):
    api.put(views.replace("/views", "-copy"), {})
    other = views.replace("/views", "-copy/views")
    made = save(api, views).json
    copy = api.post(other, {k: made[k] for k in ("kind", "name", "state")}).json
    assert copy["state"] == STATE
    api.refused(404, "not-found", "GET", f"{other}/{made['id']}")


# --- changes

def test_patch_merges_and_put_replaces(api, views):
    path = f"{views}/{save(api, views).json['id']}"
    after = api.patch(path, {"name": "b", "state": {"q": None, "panels": {"size": 4}}}).json
    assert (after["name"], after["version"]) == ("b", 2)
    assert after["state"] == {"cols": STATE["cols"], "panels": {"size": 4, "order": ["a", "b"]}}
    replaced = api.put(path, {"name": "c", "state": {"x": 1}}).json
    assert (replaced["name"], replaced["state"], replaced["version"]) == ("c", {"x": 1}, 3)
    assert (replaced["kind"], replaced["created_at"]) == ("mine", after["created_at"])
    assert api.get(path).json == replaced


def test_who_was_slower_is_told(api, views):
    answer = save(api, views)
    path = f"{views}/{answer.json['id']}"
    tag = answer.headers["ETag"]
    changed = api.patch(path, {"name": "b"}, headers={"If-Match": tag})
    for method, body in ("PATCH", {"name": "c"}), ("PUT", {"name": "c", "state": {}}), ("DELETE", None):
        api.refused(412, "precondition-failed", method, path, body, headers={"If-Match": tag})
    assert api.get(path)["name"] == "b"
    assert api.request("GET", path, headers={"If-None-Match": changed.headers["ETag"]}).status == 304
    assert api.request("DELETE", path, headers={"If-Match": changed.headers["ETag"]}).status == 204
    api.refused(404, "not-found", "GET", path)


def test_one_s_own_becomes_the_project_s_and_back(api, views):
    path = f"{views}/{save(api, views).json['id']}"
    assert api.patch(path, {"kind": "project"})["kind"] == "project"
    assert api.patch(path, {"kind": "mine"})["kind"] == "mine"
    for kind in "default", "draft":
        assert api.refused(400, "invalid", "PATCH", path, {"kind": kind})["field"] == "kind"


def test_the_default_is_set_and_taken_back(api, views):
    path = f"{views}/default"
    given = api.get(path)
    other = {"If-Match": '"another"'}
    api.refused(412, "precondition-failed", "PUT", path, {"name": "Ours", "state": STATE}, headers=other)
    put = api.put(path, {"name": "Ours", "state": STATE}, headers={"If-Match": given.headers["ETag"]}).json
    assert (put["id"], put["kind"], put["owner"], put["version"]) == ("default", "default", "ann", 1)
    assert names(api, views) == [("default", "default", "Ours"), *GIVEN[1:]]
    assert api.patch(path, {"state": {"q": "tags:a"}})["state"] == {**STATE, "q": "tags:a"}
    assert api.delete(path).status == 204
    assert api.get(path).json == given.json
    assert api.patch(path, {"state": {"sort": "-created"}})["state"] == {"q": "job_type!=worker", "sort": "-created"}


# --- who may

def test_one_s_own_is_seen_by_its_owner_alone(lab):
    callers, views = lab
    path = f"{views}/{save(callers['mel'], views).json['id']}"
    for name in "vic", "bob":
        for method, body in ("GET", None), ("PATCH", {"name": "x"}), ("PUT", {"name": "x", "state": {}}), ("DELETE", None):
            callers[name].refused(404, "not-found", method, path, body)
        assert names(callers[name], views) == GIVEN
    assert save(callers["vic"], views).json["owner"] == "vic"


def test_members_change_what_is_the_project_s(lab):
    callers, views = lab
    made = save(callers["bob"], views, "project").json
    path = f"{views}/{made['id']}"
    assert callers["vic"].get(path).json == made
    for method, at, body in (("POST", views, {"kind": "project", "name": "b"}), ("PATCH", path, {"name": "b"}),
                             ("PUT", path, {"name": "b", "state": {}}), ("DELETE", path, None)):
        callers["vic"].refused(403, "forbidden", method, at, body)
    changed = callers["mel"].patch(path, {"name": "b"}).json
    assert (changed["owner"], changed["changed_by"]) == ("bob", "mel")
    callers["mel"].refused(403, "forbidden", "PATCH", path, {"kind": "mine"})
    assert callers["mel"].delete(path).status == 204


def test_admins_set_the_default(lab):
    callers, views = lab
    path = f"{views}/default"
    for name in "vic", "mel":
        for method, body in ("PUT", {"name": "x", "state": {}}), ("PATCH", {"name": "x"}), ("DELETE", None):
            callers[name].refused(403, "forbidden", method, path, body)
    assert callers["bob"].put(path, {"name": "x", "state": {}})["owner"] == "bob"
    callers["mel"].refused(403, "forbidden", "DELETE", path)


def test_strangers(lab, api):
    callers, views = lab
    for method, at, body in ("GET", views, None), ("POST", views, {"kind": "draft"}), ("GET", f"{views}/default", None):
        api.refused(404, "not-found", method, at, body)
        callers["nobody"].refused(401, "unauthorized", method, at, body)


def test_a_public_project(lab, api):
    callers, views = lab
    callers["bob"].patch(views.removesuffix("/views"), {"visibility": "public"})
    save(callers["mel"], views, "project", "b")
    assert len(items(callers["nobody"], views)) == 4
    for kind in "draft", "mine", "project":
        callers["nobody"].refused(401, "unauthorized", "POST", views, {"kind": kind, "name": "b"})
    api.refused(403, "forbidden", "POST", views, {"kind": "project", "name": "b"})
    assert save(api, views, "draft").json["kind"] == "draft"


def test_who_has_not_signed_in_waits_for_no_view(lab, db):
    callers, views = lab
    callers["bob"].patch(views.removesuffix("/views"), {"visibility": "public"})
    view = save(callers["mel"], views, "project").json["id"]
    with db.hold(f"select from project_view where id = '{view}' for update"):
        for method, body in ("PUT", {"name": "x", "state": {}}), ("PATCH", {"name": "x"}), ("DELETE", None):
            callers["nobody"].refused(401, "unauthorized", method, f"{views}/{view}", body)


@pytest.mark.parametrize("view", ["debug", "all-nodes"])
def test_what_is_given_stays(api, views, view):
    for method, body in ("PUT", {"name": "x", "state": {}}), ("PATCH", {"name": "x"}), ("DELETE", None):
        api.refused(403, "forbidden", method, f"{views}/{view}", body)


# --- drafts

def test_a_draft(lab):
    callers, views = lab
    made = callers["vic"].post(views, {"kind": "draft", "state": STATE}).json
    assert re.fullmatch("~[a-z0-9]{8}", made["id"])
    path = f"{views}/{made['id']}"
    assert (made["name"], made["state"], made["owner"]) == ("", STATE, "vic")
    assert callers["bob"].get(path).json == made
    assert names(callers["vic"], views) == GIVEN
    for method, body in ("PUT", {"name": "x", "state": {}}), ("PATCH", {"name": "x"}):
        callers["vic"].refused(403, "forbidden", method, path, body)
    callers["mel"].refused(403, "forbidden", "DELETE", path)
    assert callers["vic"].delete(path).status == 204


def test_a_draft_is_kept_for_ninety_days(api, views, db):
    paths = [f"{views}/{save(api, views, 'draft').json['id']}" for _ in range(2)]
    for path, days in zip(paths, ("89 days 23 hours", "90 days 1 second")):
        db.query("update project_view set created_at = created_at - %s::interval where id = %s", days, path.rsplit("/", 1)[1])
    assert api.get(paths[0])["kind"] == "draft"
    api.refused(404, "not-found", "GET", paths[1])


def test_of_one_person_the_last_drafts_are_kept(api, views, db):
    first = save(api, views, "draft").json["id"]
    fill(db, first, "draft", 199)
    assert api.get(f"{views}/{first}").status == 200
    again = save(api, views, "draft").json["id"]
    api.refused(404, "not-found", "GET", f"{views}/{first}")
    assert api.get(f"{views}/{again}").status == 200
    assert db.value("select count(*) from project_view v join project_view o using (project_id) where o.id = %s", again) == 200


def test_a_draft_waits_for_nobody_who_drops_the_same(api, views, db):
    first = save(api, views, "draft").json["id"]
    fill(db, first, "draft", 199)
    with db.hold(f"select from project_view where id = '{first}' for update"):
        save(api, views, "draft")
    save(api, views, "draft")
    api.refused(404, "not-found", "GET", f"{views}/{first}")


def test_how_many_drafts_of_one_person_there_may_be(api, views, db):
    """In all projects together; a job gives up the oldest, but none that somebody holds."""
    first = save(api, views, "draft").json["id"]
    db.query("delete from project_view where kind = 4 and id <> %s and owner_id = (select owner_id from project_view where id = %s)",
             first, first)
    db.query("insert into project_view select -i, 'n', 4, '', owner_id, '{}', 1, now() - interval '1 hour', now(), owner_id"
             "  from project_view, generate_series(1, 1998) i where id = %s", first)
    with db.hold("select from project_view where project_id < 0 for update"):
        save(api, views, "draft")
        assert "2000 drafts" in api.refused(422, "unprocessable", "POST", views, {"kind": "draft", "state": {}})["detail"]
        save(api, views, "mine")
    db.query("delete from project_view where project_id < 0")
    save(api, views, "draft")


# --- limits

KINDS = ["mine", "project", "default", "draft"]


def fill(db, like, kind, count):
    """As many more of the kind, beside one that is there."""
    db.query("insert into project_view select project_id, 'n' || i, %s, 'n' || i, owner_id, '{}', 1, created_at + i * "
             "interval '1 microsecond', changed_at, changed_by from project_view, generate_series(1, %s) i where id = %s",
             KINDS.index(kind) + 1, count, like)


@pytest.mark.parametrize("kind, count", [("mine", 100), ("project", 200)])
def test_how_many_there_may_be(api, views, db, kind, count):
    first = save(api, views, kind).json["id"]
    fill(db, first, kind, count - 2)
    save(api, views, kind)
    api.refused(422, "unprocessable", "POST", views, {"kind": kind, "name": "x"})
    other = "mine" if kind == "project" else "project"
    path = f"{views}/{save(api, views, other).json['id']}"
    api.refused(422, "unprocessable", "PATCH", path, {"kind": kind})
    assert len(items(api, views)) == 3 + count + 1


def test_how_large_a_state_may_be(api, views):
    most = {"a": "x" * (65536 - len('{"a":""}'))}
    path = f"{views}/{save(api, views, state=most).json['id']}"
    more = {"a": most["a"] + "x"}
    assert api.refused(400, "invalid", "POST", views, {"kind": "mine", "name": "x", "state": more})["field"] == "state"
    assert api.refused(400, "invalid", "PUT", path, {"name": "x", "state": more})["field"] == "state"
    assert api.refused(400, "invalid", "PATCH", path, {"state": {"b": 1}})["field"] == "state"
    assert api.get(path).json["state"] == most


def nested(depth):
    return {"a": nested(depth - 1)} if depth > 1 else {}


def test_how_deep_a_state_may_be(api, views):
    save(api, views, state=nested(31))
    api.refused(400, "invalid", "POST", views, {"kind": "mine", "name": "x", "state": nested(32)})


def test_how_long_a_name_may_be(api, views):
    save(api, views, name="x" * 128)
    for name in "x" * 129, "", "a\nb", 7:
        assert api.refused(400, "invalid", "POST", views, {"kind": "mine", "name": name})["field"] == "name"


@pytest.mark.parametrize("body, field", [
    ({"name": "x"}, "kind"), ({"kind": "default", "name": "x"}, "kind"), ({"kind": "given", "name": "x"}, "kind"),
    ({"kind": "mine"}, "name"), ({"kind": "mine", "name": "x", "state": []}, "state"),
    ({"kind": "mine", "name": "x", "state": "{}"}, "state"), ({"kind": "mine", "name": "x", "id": "me"}, "id"),
])
def test_refused(api, views, body, field):
    assert api.refused(400, "invalid", "POST", views, body)["field"] == field


@pytest.mark.parametrize("body, field", [({"name": "x"}, "state"), ({"state": {}}, "name")])
def test_put_is_whole(api, views, body, field):
    path = f"{views}/{save(api, views).json['id']}"
    assert api.refused(400, "invalid", "PUT", path, body)["field"] == field


def test_of_a_deleted_project(api, views):
    path = f"{views}/{save(api, views).json['id']}"
    project = views.removesuffix("/views")
    Run(api, "a", project)
    api.delete(project, confirm=project.rsplit("/", 1)[1])
    api.refused(410, "gone", "GET", path)
    api.post(f"{project}/restore")
    assert api.get(path)["name"] == "a"
