"""Members of a team by REST: who sees them, who changes them, and that a team keeps an admin."""
import concurrent.futures

import pytest

from server import cairnd_run

pytestmark = pytest.mark.own
LAB = "/api/v1/entities/lab"


def roles(api):
    return {one["name"]: one["role"] for one in api.pages(f"{LAB}/members", limit=1)}


def test_from_coming_in_to_going(by):
    """A project of the team is seen, written and gone at once with the role; by another server a second later."""
    by["bob"].put("/api/v1/projects/lab/digits")
    project, run = "/api/v1/projects/lab/digits", "/api/v1/projects/lab/digits/runs/r1"
    by["ann"].refused(404, "not-found", "GET", project)
    assert by["bob"].put(f"{LAB}/members/ann", {"role": "viewer"}).status == 204
    assert by["ann"].get(project)["name"] == "digits"
    by["ann"].refused(403, "forbidden", "PUT", run, {})
    by["bob"].put(f"{LAB}/members/ann", {"role": "member"})
    by["ann"].put(run, {})
    by["ann"].refused(403, "forbidden", "PUT", f"{LAB}/members/mel", {"role": "viewer"})
    assert roles(by["ann"]) == {"ann": "member", "bob": "admin", "mel": "member", "vic": "viewer"}
    assert by["bob"].delete(f"{LAB}/members/ann").status == 204
    by["ann"].refused(404, "not-found", "GET", project)
    by["ann"].refused(404, "not-found", "GET", f"{LAB}/members")
    assert by["bob"].get(run)["user"] == "ann"


def test_when_they_came_in_stays(by):
    def since():
        return {one["name"]: one["created_at"] for one in by["bob"].pages(f"{LAB}/members")}

    before = since()
    by["bob"].put(f"{LAB}/members/vic", {"role": "member"})
    assert since() == before and roles(by["vic"])["vic"] == "member"


def test_who_sees_them(by):
    """Something public of the team shows no members of it."""
    by["bob"].put("/api/v1/projects/lab/open", {"visibility": "public"})
    by["ann"].refused(404, "not-found", "GET", f"{LAB}/members")
    assert roles(by["vic"]) == roles(by["root"])


def test_a_user_is_their_own_member(by):
    only, = by["ann"].pages("/api/v1/entities/ann/members")
    assert (only["name"], only["role"]) == ("ann", "admin")
    by["ann"].refused(422, "unprocessable", "PUT", "/api/v1/entities/ann/members/bob", {"role": "viewer"})
    by["ann"].refused(422, "unprocessable", "DELETE", "/api/v1/entities/ann/members/ann")


@pytest.mark.parametrize("user, body, status, field", [
    ("ann", {}, 400, "role"), ("ann", {"role": "owner"}, 400, "role"), ("ann", {"role": None}, 400, "role"),
    ("no one", {"role": "viewer"}, 400, "user"), ("nobody-here", {"role": "viewer"}, 404, "user"),
    ("lab", {"role": "viewer"}, 404, "user")])
def test_what_is_refused(by, user, body, status, field):
    before = roles(by["bob"])
    answer = by["bob"].request("PUT", f"{LAB}/members/{user.replace(' ', '%20')}", body)
    assert (answer.status, answer.json["field"]) == (status, field), answer
    assert roles(by["bob"]) == before


def test_who_is_no_member_is_not_taken_out(by):
    for user in ("ann", "nobody-here"):
        assert by["bob"].refused(404, "not-found", "DELETE", f"{LAB}/members/{user}")["field"] == "user"


def test_a_team_keeps_an_admin(by, db, secret_file):
    """One who may not come in does not count; an admin of the server may do as they like."""
    for method, body in ("PUT", {"role": "member"}), ("DELETE", None):
        by["bob"].refused(409, "conflict", method, f"{LAB}/members/bob", body)
    by["bob"].put(f"{LAB}/members/mel", {"role": "admin"})
    cairnd_run(db.url, secret_file, "user", "disable", "mel")
    by["bob"].refused(409, "conflict", "DELETE", f"{LAB}/members/bob")
    assert roles(by["bob"])["bob"] == "admin"
    by["root"].delete(f"{LAB}/members/bob")
    by["root"].put(f"{LAB}/members/vic", {"role": "admin"})
    by["vic"].delete(f"{LAB}/members/mel")
    assert roles(by["vic"]) == {"vic": "admin"}


def test_two_admins_do_not_take_each_other_away(by):
    """Whoever is first is the last: ten times, at the same moment."""
    for _ in range(10):
        for user in ("bob", "mel"):
            by["root"].put(f"{LAB}/members/{user}", {"role": "admin"})
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda pair: by[pair[0]].request("DELETE", f"{LAB}/members/{pair[1]}"),
                                    (("bob", "mel"), ("mel", "bob"))))
        assert sorted(one.status for one in answers)[0] == 204 and 204 not in sorted(one.status for one in answers)[1:]
        assert list(roles(by["root"]).values()).count("admin") == 1
