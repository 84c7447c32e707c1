"""Runs as a whole: made once, edited by people, deleted for good."""
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest

from runs import Run


@pytest.fixture
def path(home):
    """Of a run that is not made yet."""
    return f"{home}/runs/r1"


def test_put_makes_a_run_and_its_project(api, path, home):
    answer = api.request("PUT", path, {"display_name": "first", "tags": ["a", "b"], "job_type": "train",
                                       "group": "g", "notes": "n", "visibility": "private"})
    assert answer.status == 201
    assert answer.headers["Location"].endswith(path)
    made = answer.json
    assert (made["id"], made["entity"], made["project"]) == ("r1", "ann", home.rsplit("/", 1)[1])
    assert (made["display_name"], made["group"], made["job_type"]) == ("first", "g", "train")
    assert (made["notes"], made["tags"], made["visibility"]) == ("n", ["a", "b"], "private")
    assert (made["state"], made["attempt"], made["rows"], made["last_step"]) == ("running", 1, 0, None)
    assert made["user"] == "ann"
    assert api.get(path).json == made
    assert api.get(home)["crash_after_s"] == 300


def test_put_without_a_body(api, path):
    made = api.put(path).json
    assert made["display_name"] == "r1"
    assert made["visibility"] == "project"


def test_put_repeated_changes_nothing(api, path, home):
    first = api.put(path, {"display_name": "one"})
    again = api.put(path, {"display_name": "two", "config": {"lr": 1}})
    assert (first.status, again.status) == (201, 200)
    assert again.json == first.json
    assert Run(api, project=home, make=False).config() == {}
    assert len(api.pages(f"{path}/states")) == 1


def test_a_long_id_is_a_name_as_far_as_it_goes(api, project):
    """An id may have more characters than a display name."""
    for run, shown in (("\U0001f9ea" * 128, "\U0001f9ea" * 128), ("\u00e9" + "r" * 300, "\u00e9" + "r" * 255)):
        path = f"{project}/runs/{urllib.parse.quote(run)}"
        made = api.put(path, {}).json
        assert (made["id"], made["display_name"]) == (run, shown)
        api.patch(path, {"display_name": "other"})
        assert api.patch(path, {"display_name": None}).json["display_name"] == shown


@pytest.mark.parametrize("odd", ["\u202egnp.exe", "a\u2066b", "a\u200f", "a\x85b", "a\u2028b", "\u061ca"])
def test_a_new_id_is_read_as_it_is_written(api, project, odd, db):
    path = f"{project}/runs/{urllib.parse.quote(odd)}"
    assert api.refused(400, "invalid", "PUT", path, {})["field"] == "run"
    api.refused(404, "not-found", "GET", path)
    made = api.put(f"{project}/runs/r1", {}).json
    with_name = "select project_id from project where name = %s order by project_id desc limit 1"
    db.query(f"update run set name = %s where name = 'r1' and project_id = ({with_name}) returning run_id", odd,
             project.rsplit("/", 1)[1])
    assert made["id"] == "r1"
    assert api.get(path)["id"] == odd, "one that is there is still reached"
    assert api.put(path, {}).status == 200
    joined = urllib.parse.quote("a\u200d\u05d0")
    assert api.put(f"{project}/runs/{joined}", {}).status == 201


def test_post_makes_ids(api, project):
    made = [api.post(f"{project}/runs", {"group": "g"}).json for _ in range(3)]
    ids = {run["id"] for run in made}
    assert len(ids) == 3
    assert all(len(i) == 8 and i.isalnum() and i == i.lower() for i in ids)
    assert all(run["display_name"] == run["id"] for run in made)


def test_post_without_a_project_makes_it(api):
    answer = api.post("/api/v1/projects/ann/new/runs")
    assert answer.status == 201
    assert api.get("/api/v1/projects/ann/new")["name"] == "new"


def test_patch_is_a_merge_patch(api, path):
    api.put(path, {"display_name": "one", "tags": ["a"], "notes": "n"})
    after = api.patch(path, {"tags": ["b", "c"], "notes": None, "display_name": "ü"}).json
    assert (after["tags"], after["notes"], after["display_name"]) == (["b", "c"], "", "ü")
    assert api.get(path).json == after
    assert api.patch(path, {}, content_type="application/json").json == after
    assert api.patch(path, {"display_name": None})["display_name"] == "r1"


def test_how_many_writers_are_expected(api, path):
    assert api.put(path, {"expected_writers": 64})["expected_writers"] == 64
    for number in 1, 16384, None:
        assert api.patch(path, {"expected_writers": number})["expected_writers"] == number
        assert api.patch(path, {"notes": "n"})["expected_writers"] == api.get(path)["expected_writers"] == number


def test_a_change_holds_only_of_what_was_read(api, path):
    """ETag and If-Match are of what people say; without a condition the last one has it."""
    api.put(path, {"notes": "of both"})
    tag = api.get(path).headers["ETag"]
    mine = api.patch(path, {"notes": "mine"}, headers={"If-Match": tag})
    assert mine.headers["ETag"] == api.get(path).headers["ETag"] != tag
    for changes in {"notes": "theirs"}, {"add_tags": ["t"]}, {}:
        api.refused(412, "precondition-failed", "PATCH", path, changes, headers={"If-Match": tag})
    assert (api.get(path)["notes"], api.get(path)["tags"]) == ("mine", [])
    assert api.patch(path, {"notes": "any"}, headers={"If-Match": "*"})["notes"] == "any"
    assert api.patch(path, {"notes": "last"})["notes"] == "last"


@pytest.mark.parametrize("change", [
    {"display_name": "other"}, {"group": "g"}, {"job_type": "j"}, {"sweep": "s"}, {"notes": "n"}, {"tags": ["t"]},
    {"visibility": "private"}, {"color": "slot-3"}, {"expected_writers": 3},
])
def test_each_thing_that_people_say_makes_another_version(api, change, path):
    api.put(path)
    tag = api.get(path).headers["ETag"]
    assert api.patch(path, change).headers["ETag"] != tag


def test_every_answer_that_is_the_run_has_its_version(api, path):
    made = api.put(path, {"notes": "n"}).headers["ETag"]
    answers = [api.get(path), api.put(path), api.post(f"{path}/stop", {}), api.post(f"{path}/finish", {"exit_code": 0}),
               api.post(f"{path}/states", {"state": "failed", "reason": "r"})]
    assert [answer.headers["ETag"] for answer in answers] == [made] * len(answers)


def test_what_programs_send_makes_no_other_version(api, path, home):
    """Nor is an answer kept back as known, for the run goes on."""
    run = Run(api, project=home)
    before = api.get(path)
    tag = before.headers["ETag"]
    run.join("w").send(history=[{"loss": 1.0}], config={"lr": 1})
    after = api.request("GET", path, headers={"If-None-Match": tag})
    assert (after.status, after.headers["ETag"], after["rows"]) == (200, tag, 1)
    api.post(f"{path}/finish", {"exit_code": 0})
    assert api.patch(path, {"notes": "n"}, headers={"If-Match": tag})["notes"] == "n"


def test_who_edited_last(by):
    path = "/api/v1/projects/lab/p1/runs/r1"
    mel, bob = by["mel"], by["bob"]
    mel.put(path, {"tags": ["a"]})
    assert mel.get(path)["edited"] is None
    assert mel.patch(path, {"notes": "n"})["edited"]["user"] == "mel"
    edited = bob.patch(path, {"notes": "of bob"})["edited"]
    assert edited["user"] == "bob" and edited["at"] > mel.get(path)["created_at"]
    for same in {}, {"notes": "of bob"}, {"tags": ["a"]}, {"add_tags": ["a"], "remove_tags": ["b"]}:
        assert mel.patch(path, same)["edited"] == edited, "nothing was changed"
    [listed] = mel.get("/api/v1/projects/lab/p1/runs", ids="r1")["items"]
    assert listed["edited"] == edited


def test_tags_are_added_and_removed(api, path):
    api.put(path, {"tags": ["a", "b"]})
    assert api.patch(path, {"add_tags": ["c", "a"], "remove_tags": ["b", "never"]})["tags"] == ["a", "c"]
    assert api.patch(path, {"add_tags": ["a"], "remove_tags": ["a"]})["tags"] == ["c", "a"], "it is the last one now"
    assert api.patch(path, {"remove_tags": ["c", "a"]})["tags"] == []
    api.patch(path, {"tags": [f"t{i}" for i in range(99)]})
    assert api.refused(400, "invalid", "PATCH", path, {"add_tags": ["x", "y"]})["field"] == "add_tags"
    assert len(api.patch(path, {"add_tags": ["x", "y"], "remove_tags": ["t0"]})["tags"]) == 100


def test_many_who_tag_at_once_lose_none(api, path):
    api.put(path, {"tags": ["first"]})
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: api.patch(path, {"add_tags": [f"t{n}"]}), range(16)))
    assert sorted(api.get(path)["tags"]) == sorted(["first", *(f"t{n}" for n in range(16))])


@pytest.mark.parametrize("patch, field", [
    ({"state": "finished"}, "state"),
    ({"id": "r2"}, "id"),
    ({"tags": "a"}, "tags"),
    ({"tags": ["a", "a"]}, "tags"),
    ({"tags": ["t"] * 101}, "tags"),
    ({"tags": ["x" * 65]}, "tags"),
    ({"tags": ["a"], "add_tags": ["b"]}, "tags"),
    ({"tags": None, "remove_tags": ["b"]}, "tags"),
    ({"add_tags": "a"}, "add_tags"),
    ({"add_tags": ["a", "a"]}, "add_tags"),
    ({"add_tags": [""]}, "add_tags"),
    ({"remove_tags": "a"}, "remove_tags"),
    ({"display_name": "x" * 257}, "display_name"),
    ({"display_name": "a\nb"}, "display_name"),
    ({"job_type": "x" * 65}, "job_type"),
    ({"group": "x" * 129}, "group"),
    ({"sweep": "x" * 129}, "sweep"),
    ({"notes": 1}, "notes"),
    ({"visibility": "secret"}, "visibility"),
    ({"color_slot": 3}, "color_slot"),
    ({"expected_writers": 0}, "expected_writers"),
    ({"expected_writers": 16385}, "expected_writers"),
    ({"expected_writers": "8"}, "expected_writers"),
])
def test_patch_refuses(api, patch, field, path):
    before = api.put(path, {"tags": ["keep"]}).json
    problem = api.refused(400, "invalid", "PATCH", path, patch)
    assert problem["field"].startswith(field)
    assert api.get(path).json == before


@pytest.mark.parametrize("field, most", [("display_name", 256), ("job_type", 64), ("group", 128), ("sweep", 128)])
def test_names_are_measured_in_characters(api, field, most, path):
    assert api.put(path, {field: "験" * most}).json[field] == "験" * most
    assert api.patch(path, {field: "🔥" * most}).json[field] == "🔥" * most
    assert "characters" in api.refused(400, "invalid", "PATCH", path, {field: "験" * (most + 1)})["detail"]
    assert api.get(path).json[field] == "🔥" * most


def test_tags_are_measured_in_characters(api, path):
    assert api.put(path, {"tags": ["験" * 64]}).json["tags"] == ["験" * 64]
    api.refused(400, "invalid", "PATCH", path, {"tags": ["験" * 65]})


@pytest.mark.parametrize("body", [
    {"config": {"a": "x\0"}}, {"config": {"a": [0] * 250_000}}, {"config": []}, {"forked_from": {"run": "gone", "step": 1}},
    {"display_name": "a\nb"}, {"tags": ["x" * 65]}, {"visibility": "secret"}], ids=lambda body: str(body)[:30])
def test_a_put_that_is_refused_leaves_no_run_and_no_project(api, body):
    place = "/api/v1/projects/ann/refused"
    assert api.request("PUT", f"{place}/runs/r1", body).status in (400, 404, 422)
    api.refused(404, "not-found", "GET", f"{place}/runs/r1")
    api.refused(404, "not-found", "GET", place)


def test_delete_is_for_good(api, path, home):
    api.put(path)
    assert api.delete(path).status == 204
    api.refused(410, "gone", "GET", path)
    api.refused(410, "gone", "DELETE", path)
    api.refused(410, "gone", "PUT", path, {})
    api.refused(410, "gone", "PATCH", path, {"notes": "x"})
    api.refused(410, "gone", "POST", f"{path}/join", {"client": "w", "role": "primary"})
    api.refused(410, "gone", "POST", f"{path}/history", {"loss": 1})
    assert api.pages(f"{home}/runs") == []


def test_run_is_looked_up_in_its_own_project(api, path):
    api.put(path)
    api.put("/api/v1/projects/ann/other")
    api.refused(404, "not-found", "GET", "/api/v1/projects/ann/other/runs/r1")
    api.refused(404, "not-found", "POST", "/api/v1/projects/ann/other/runs/r1/join",
                {"client": "w", "role": "primary"})


def test_head_is_answered_wherever_get_is(api, path, home):
    Run(api, project=home).join().send(history=[{"loss": 1}])
    for tail in ("", "/states", "/writers", "/config", "/summary", "/keys", "/history?keys=loss",
                 "/history?format=ndjson", "/console", "/conflicts"):
        answer = api.raw("HEAD", path + tail)
        assert (answer.status, answer.body) == (200, b""), tail


def test_method_not_allowed(api):
    answer = api.request("DELETE", "/api/v1/server")
    assert (answer.status, answer.problem) == (405, "method-not-allowed")
    assert "GET" in answer.headers["Allow"]


def test_unknown_path(api, path):
    api.refused(404, "not-found", "GET", "/api/v1/nothing")
    api.refused(404, "not-found", "GET", f"{path}/nothing")


def test_run_of_a_missing_project_or_entity(api):
    api.refused(404, "not-found", "GET", "/api/v1/projects/ann/none/runs/r1")
    api.refused(404, "not-found", "PUT", "/api/v1/projects/nobody/p/runs/r1", {})


def test_deleted_project_takes_its_runs_along(api, path, home):
    api.put(path)
    problem = api.refused(400, "invalid", "DELETE", home)
    assert problem["field"] == "confirm"
    api.refused(400, "invalid", "DELETE", home, query={"confirm": "other"})
    assert api.delete(home, confirm=home.rsplit("/", 1)[1]).status == 204
    api.refused(410, "gone", "GET", home)
    api.refused(410, "gone", "GET", path)
    api.refused(410, "gone", "PUT", path, {})


def test_project_put_and_patch(api, home):
    made = api.request("PUT", home, {"description": "d", "visibility": "public", "crash_after_s": 20})
    assert made.status == 201
    again = api.request("PUT", home, {"description": "other"})
    assert (again.status, again.json) == (200, made.json)
    after = api.patch(home, {"crash_after_s": None, "visibility": "private", "description": None}).json
    assert (after["crash_after_s"], after["visibility"], after["description"]) == (300, "private", "")
    for bad in ({"crash_after_s": 4}, {"crash_after_s": 604801}, {"crash_after_s": "1"},
                {"visibility": "project"}, {"name": "x"}):
        api.refused(400, "invalid", "PATCH", home, bad)
    assert api.get(home).json == after


def test_server_and_viewer(api):
    assert api.get("/api/v1/server")["api"] == "v1"
    viewer = api.get("/api/v1/viewer").json
    assert (viewer["name"], viewer["admin"], viewer["default_entity"]) == ("ann", False, "ann")
    assert viewer["entities"] == [{"name": "ann", "kind": "user", "role": "admin"}]
    assert api.get("/healthz")["status"] == "ok"
    assert api.get("/ready")["status"] == "ready"
    assert b"\ncairn_" in api.get("/metrics").body
