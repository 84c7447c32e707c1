"""Every route of the server, called by everybody.

The list of routes is the server's own (cairnd --print-routes), so none can be forgotten. A caller who
may is told from one who may not without doing anything: each request carries a query parameter that
no route knows, which is refused (400) by the handler, and a handler is reached only by those who may.
"""
import time

import pytest

from rest import Api
from server import cairnd_run

pytestmark = pytest.mark.own
ENTITY, PROJECT, RUN = "lab", "digits", "r1"
BASE = f"/api/v1/projects/{ENTITY}/{PROJECT}"
RANK = {"open": 0, "signed": 0, "read": 1, "write": 2, "admin": 3}

# What each caller may do in the team `lab`; None: the key does not work at all.
CALLERS = {
    "nobody": 0, "wrong": None, "malformed": None, "revoked": None, "disabled": None,
    "ann": 0, "vic": 1, "mel": 2, "bob": 3, "root": 3, "bob-reads": 1, "bob-writes": 2,
}


def routes():
    """(method, template, who, makes) of every route."""
    for line in cairnd_run("", "", "--print-routes").splitlines():
        method, template, who, _ = line.split()
        yield method, template, who.removesuffix("+makes"), who.endswith("+makes")


ROUTES = list(routes())


def path_of(template, project=PROJECT, run=RUN):
    return template.replace("{entity}", ENTITY).replace("{project}", project).replace("{run}", run)


def make_key(db, secret_file, folder, user, scope="admin"):
    key_file = folder / f"{user}-{scope}"
    cairnd_run(db.url, secret_file, "key", "create", "--user", user, "--scope", scope, "--key-file",
               str(key_file))
    return key_file.read_text().strip()


@pytest.fixture
def callers(db, server, keys, secret_file, tmp_path):
    """An Api for each of CALLERS, with a project and a run of the team to ask about."""
    found = {name: keys[name] for name in ("ann", "vic", "mel", "bob", "root")}
    found.update(nobody=None, wrong="0" * 40, malformed="short")
    found["revoked"] = make_key(db, secret_file, tmp_path, "mel")
    key_id = db.value("select max(key_id) from api_key")
    cairnd_run(db.url, secret_file, "key", "revoke", str(key_id))
    cairnd_run(db.url, secret_file, "user", "add", "gone", "--key-file", str(tmp_path / "gone"))
    cairnd_run(db.url, secret_file, "team", "member", "add", "lab", "gone", "--role", "admin")
    cairnd_run(db.url, secret_file, "user", "disable", "gone")
    found["disabled"] = (tmp_path / "gone").read_text().strip()
    found["bob-reads"] = make_key(db, secret_file, tmp_path, "bob", "read")
    found["bob-writes"] = make_key(db, secret_file, tmp_path, "bob", "write")
    made = {name: Api(server, key) for name, key in found.items()}
    made["mel"].put(BASE, {})
    made["mel"].put(f"{BASE}/runs/{RUN}", {})
    yield made
    for one in made.values():
        one.close()


def verdict(api, method, template, **names):
    """401, 403 or 404 as the answer says, or "may": the handler was reached."""
    body = "{}" if method in ("PUT", "POST", "PATCH") else None
    answer = api.request(method, path_of(template, **names), body, query={"no_such_thing": "1"})
    if answer.status in (401, 403, 404):
        return answer.status
    assert answer.status == 400 and answer.json["field"] == "no_such_thing", \
        f"{method} {template}: {answer}"
    return "may"


def expected(caller, method, template, who, visible):
    """`visible`: what it is about may be read by everybody."""
    right = CALLERS[caller]
    if who == "open":
        return "may"
    if right is None:
        return 401
    if who == "signed":
        return 401 if caller == "nobody" else "may"
    if visible:
        right = max(right, 1)
    if right >= RANK[who]:
        return "may"
    if caller == "nobody":
        return 401
    return 403 if right else 404


def walk(callers, visible, about=""):
    """All callers at all routes whose path has `about`."""
    wrong = []
    for method, template, who, _ in ROUTES:
        for caller, api in callers.items() if about in template else ():
            want = expected(caller, method, template, who, visible)
            got = verdict(api, method, template)
            if got != want:
                wrong.append(f"{method} {template} by {caller}: {got}, expected {want}")
    assert not wrong, "\n".join(wrong)


def test_private(callers):
    walk(callers, visible=False)


def test_public_project(callers):
    callers["bob"].patch(BASE, {"visibility": "public"})
    walk(callers, visible=True, about="{project}")


def test_run_narrowed_in_a_public_project(callers):
    callers["bob"].patch(BASE, {"visibility": "public"})
    callers["mel"].patch(f"{BASE}/runs/{RUN}", {"visibility": "private"})
    walk(callers, visible=False, about="{run}")


def test_run_opened_in_a_private_project(callers):
    callers["mel"].patch(f"{BASE}/runs/{RUN}", {"visibility": "public"})
    walk(callers, visible=True, about="{run}")
    assert verdict(callers["ann"], "GET", BASE) == 404


def test_lists_leave_out_what_is_private(callers):
    callers["mel"].put(f"/api/v1/projects/{ENTITY}/open", {"visibility": "public"})
    names = {who: [p["name"] for p in callers[who].pages(f"/api/v1/projects/{ENTITY}")]
             for who in ("nobody", "ann", "vic", "root")}
    assert names == {"nobody": ["open"], "ann": ["open"], "vic": ["digits", "open"],
                     "root": ["digits", "open"]}
    assert [p["name"] for p in callers["ann"].pages("/api/v1/projects")] == ["open"]
    assert [p["name"] for p in callers["vic"].pages("/api/v1/projects")] == ["digits", "open"]


def test_makes_nothing_for_those_who_may_not(callers, db):
    makes = [(method, template) for method, template, _, makes in ROUTES if makes]
    assert makes
    for method, template in makes:
        for caller, want in (("nobody", 401), ("ann", 404), ("vic", 403), ("bob-reads", 403)):
            got = verdict(callers[caller], method, template, project="fresh", run="fresh")
            assert got == want, f"{method} {template} by {caller}"
    assert db.value("select count(*) from project where name = 'fresh'") == 0
    assert db.value("select count(*) from run where name = 'fresh'") == 0


def test_what_is_not_there_looks_like_what_is_not_yours(callers):
    ann = callers["ann"]
    for path in ("/api/v1/projects/lab/digits", "/api/v1/projects/lab/nothing",
                 "/api/v1/projects/nobody-here/digits", "/api/v1/entities/nobody-here"):
        ann.refused(404, "not-found", "GET", path)
    callers["nobody"].refused(401, "unauthorized", "GET", "/api/v1/projects/nobody-here/digits")


def test_names_are_checked_before_they_are_looked_up(callers):
    callers["mel"].refused(400, "invalid", "GET", "/api/v1/projects/lab/%00")
    for name in ("a%2Fb", "x" * 65, "-a", "a%20b", "%C3%A9", "settings"):
        problem = callers["mel"].refused(400, "invalid", "GET", f"/api/v1/projects/lab/{name}")
        assert problem["field"] == "project"


@pytest.mark.parametrize("header", [
    "Bearer", "Bearer ", "Basic", "Basic !!!", "Basic YXBpOg==", "Digest x", "x" * 5000,
    "Basic " + "QUFBQQ==" * 50])
def test_odd_headers(callers, header):
    answer = callers["nobody"].request("GET", "/api/v1/viewer", headers={"Authorization": header})
    assert answer.status in (401, 431) and (answer.status == 431 or answer.problem == "unauthorized")


def test_basic(server, keys):
    api = Api(server, keys["ann"], basic=True)
    assert api.get("/api/v1/viewer").json["name"] == "ann"
    api.close()


def test_revoked_while_in_use(callers, db, secret_file, tmp_path, server, wait_for):
    """It works at most a second longer than the revocation."""
    api = Api(server, make_key(db, secret_file, tmp_path, "vic"))
    api.get("/api/v1/viewer")
    cairnd_run(db.url, secret_file, "key", "revoke", str(db.value("select max(key_id) from api_key")))
    revoked_at = time.monotonic()
    wait_for(lambda: api.request("GET", "/api/v1/viewer").status == 401, timeout=5)
    assert time.monotonic() - revoked_at < 1.5
    api.close()


def test_role_taken_away(callers, db, secret_file, wait_for):
    assert verdict(callers["mel"], "GET", BASE) == "may"
    cairnd_run(db.url, secret_file, "team", "member", "remove", "lab", "mel")
    wait_for(lambda: verdict(callers["mel"], "GET", BASE) == 404, timeout=5)


def test_last_use_is_noted(callers, db):
    hint = callers["vic"].key[-4:]
    sql = "select last_used_at from api_key where hint = %s and revoked_at is null"
    assert db.value(sql, hint) is None
    callers["vic"].get("/api/v1/viewer")
    assert db.value(sql, hint) is not None


def test_keys_are_not_in_the_log(callers, server):
    for api in callers.values():
        api.request("GET", "/api/v1/viewer")
    log = server.log()
    assert not [name for name, api in callers.items() if api.key and api.key in log and
                name not in ("malformed",)]
