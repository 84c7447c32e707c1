"""Every route of the server, called by everybody.

The list of routes is the server's own (cairnd --print-routes), so none can be forgotten. A caller who
may is told from one who may not without doing anything: each request carries a query parameter that
no route knows, which is refused (400) by the handler, and a handler is reached only by those who may.
"""
import time

import pytest

from artifacts import Collection
from rest import Api
from server import Server, cairnd_run

ENTITY, RUN = "lab", "r1"
RANK = {"open": 0, "signed": 0, "read": 1, "write": 2, "admin": 3}

# What each caller may do in the team `lab`; None: the key does not work at all. Eve is admin of another.
CALLERS = {
    "nobody": 0, "wrong": None, "malformed": None, "revoked": None, "disabled": None,
    "eve": 0, "vic": 1, "mel": 2, "bob": 3, "root": 3, "bob-reads": 1, "bob-writes": 2,
}


def routes():
    """(method, template, who, makes) of every route."""
    for line in cairnd_run("", "", "--print-routes").splitlines():
        method, template, who = line.split()[:3]
        yield method, template, who.removesuffix("+makes"), who.endswith("+makes")


ROUTES = list(routes())
BODILESS = {tuple(line.split()[:2]) for line in cairnd_run("", "", "--print-routes").splitlines()
            if line.split()[3] == "0"}


def make_key(db, secret_file, folder, user, scope="admin"):
    key_file = folder / f"{user}-{scope}-{time.monotonic_ns()}"
    cairnd_run(db.url, secret_file, "key", "create", "--user", user, "--scope", scope, "--key-file",
               str(key_file))
    return key_file.read_text().strip()


def make_user(db, secret_file, folder, name, team, role):
    key_file = folder / name
    cairnd_run(db.url, secret_file, "user", "add", name, "--key-file", str(key_file))
    cairnd_run(db.url, secret_file, "team", "member", "add", team, name, "--role", role)
    return key_file.read_text().strip()


@pytest.fixture(scope="module")
def known(shared_place, keys, secret_file, tmp_path_factory):
    """The keys of CALLERS."""
    db, folder = shared_place.db, tmp_path_factory.mktemp("callers")
    found = {name: keys[name] for name in ("vic", "mel", "bob", "root")}
    found.update(nobody=None, wrong="0" * 40, malformed="short")
    cairnd_run(db.url, secret_file, "team", "add", "rivals")
    found["eve"] = make_user(db, secret_file, folder, "eve", "rivals", "admin")
    found["disabled"] = make_user(db, secret_file, folder, "gone", "lab", "admin")
    cairnd_run(db.url, secret_file, "user", "disable", "gone")
    found["bob-reads"] = make_key(db, secret_file, folder, "bob", "read")
    found["bob-writes"] = make_key(db, secret_file, folder, "bob", "write")
    found["revoked"] = make_key(db, secret_file, folder, "mel")
    cairnd_run(db.url, secret_file, "key", "revoke", str(db.value("select max(key_id) from api_key")))
    return found


@pytest.fixture
def base(home):
    """A project of the team."""
    return home.replace("/ann/", f"/{ENTITY}/")


def hide_all(root):
    """What a test showed to everybody shows the team, too."""
    for project in root.get(f"/api/v1/projects/{ENTITY}").json["items"]:
        path = f"/api/v1/projects/{ENTITY}/{project['name']}"
        root.patch(path, {"visibility": "private"})
        for run in root.get(f"{path}/runs").json["items"]:
            root.patch(f"{path}/runs/{run['id']}", {"visibility": None})


@pytest.fixture
def callers(server, known, base):
    """An Api for each of CALLERS, with a project and a run of the team to ask about."""
    made = {name: Api(server, key) for name, key in known.items()}
    made["mel"].put(base, {})
    made["mel"].put(f"{base}/runs/{RUN}", {})
    yield made
    hide_all(made["root"])
    for one in made.values():
        one.close()


def verdict(api, method, template, base, run=RUN):
    """401, 403 or 404 as the answer says, or "may": the handler was reached."""
    body = "{}" if method in ("PUT", "POST", "PATCH") and (method, template) not in BODILESS else None
    path = template.replace("/api/v1/projects/{entity}/{project}", base).replace("{run}", run).replace("{field}", "state")
    path = path.replace("{project}", base.rsplit("/", 1)[1]).replace("{name...}", "a/b.txt")
    answer = api.request(method, path.replace("{entity}", ENTITY), body, query={"no_such_thing": "1"})
    if answer.status in (401, 403, 404):
        return answer.status
    if answer.content_type == "text/html":  # a page, which lets everything pass
        return "may"
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
    if who == "self":
        return 401 if caller == "nobody" else 403 if caller in ("bob-reads", "bob-writes") else "may"
    if who == "server":
        return 401 if caller == "nobody" else "may" if caller == "root" else 403
    if who == "asked":
        return "may"  # what is asked about stands in the query: test_live_many.py
    if visible:
        right = max(right, 1)
    if right >= RANK[who]:
        return "may"
    if caller == "nobody":
        return 401
    return 403 if right else 404


def test_who_may_read_or_write_is_looked_up_by_the_path():
    """A route that says so and names nothing would be open to everybody, or to nobody."""
    assert [(method, path) for method, path, who, _ in ROUTES if who in ("read", "write", "admin") and "{entity}" not in path] == []
    assert [path for _, path, who, _ in ROUTES if who == "asked"] == ["/api/v1/live"]


def walk(callers, base, visible, about=""):
    """All callers at all routes whose path has `about`."""
    wrong = []
    for method, template, who, _ in ROUTES:
        for caller, api in callers.items() if about in template else ():
            want = expected(caller, method, template, who, visible)
            got = verdict(api, method, template, base)
            if got != want:
                wrong.append(f"{method} {template} by {caller}: {got}, expected {want}")
    assert not wrong, "\n".join(wrong)


def test_private(callers, base):
    walk(callers, base, visible=False)


def test_public_project(callers, base):
    callers["bob"].patch(base, {"visibility": "public"})
    walk(callers, base, visible=True, about="{project}")


def test_run_narrowed_in_a_public_project(callers, base):
    callers["bob"].patch(base, {"visibility": "public"})
    callers["mel"].patch(f"{base}/runs/{RUN}", {"visibility": "private"})
    outside = {name: api for name, api in callers.items() if CALLERS[name] == 0}
    walk({name: api for name, api in callers.items() if name not in outside}, base, visible=False, about="{run}")
    for method, template, _, _ in ROUTES:
        for name, api in outside.items() if "{run}" in template else ():  # as of a run that does not exist
            told = verdict(api, method, template, base)
            assert (told, told != "may") == (verdict(api, method, template, base, run="r9"), True), f"{method} {template} by {name}"


def test_run_opened_in_a_private_project(callers, base):
    callers["bob"].patch(f"{base}/runs/{RUN}", {"visibility": "public"})
    walk(callers, base, visible=True, about="{run}")
    assert verdict(callers["eve"], "GET", base, base) == 404


def test_only_an_admin_shows_to_everybody(callers, base, db):
    """By every way to say what is visible; whoever may write may narrow, and make what is not shown."""
    show, run = {"visibility": "public"}, f"{base}/runs/{RUN}"
    ways = [("PUT", f"{base}-shown", show), ("POST", f"{base}/runs", show), ("PUT", f"{base}/runs/shown", show),
            ("POST", f"{base}-new/runs", show), ("PUT", f"{base}-new/runs/shown", show), ("PATCH", run, show)]

    def seen():
        tables = [db.value(f"select count(*) from {name}") for name in ("project", "run")]
        return tables + [callers["root"].get(run).json["visibility"]]

    before = seen()
    for method, path, body in ways:
        for who, status in (("nobody", 401), ("eve", 404), ("vic", 403), ("mel", 403), ("bob-writes", 403)):
            answer = callers[who].request(method, path, body, check=False)
            assert answer.status == status, f"{method} {path} by {who}: {answer}"
    assert seen() == before
    for method, path, body in ways:
        answer = callers["bob"].request(method, path, body)
        assert answer.json["visibility"] == "public", f"{method} {path}: {answer}"
    callers["mel"].patch(run, {"visibility": "private"})
    callers["mel"].refused(403, "forbidden", "PATCH", run, show)
    callers["mel"].put(f"{base}/runs/shown", show)  # it is there: nothing changes
    callers["mel"].patch(run, {"visibility": None})


def test_what_was_narrowed_is_opened_by_an_admin(callers, base):
    run = f"{base}/runs/{RUN}"
    callers["bob"].patch(base, {"visibility": "public"})
    callers["mel"].patch(run, {"visibility": "public"})  # as everybody may read it already
    callers["mel"].patch(run, {"visibility": "private", "notes": "x"})
    for body in ({"visibility": "project"}, {"visibility": None}, {"visibility": "public", "notes": "y"}):
        callers["mel"].refused(403, "forbidden", "PATCH", run, body)
    assert callers["mel"].patch(run, {"notes": "z"}).json["visibility"] == "private"
    assert callers["bob"].patch(run, {"visibility": None}).json["notes"] == "z"
    assert callers["nobody"].get(run).json["visibility"] == "project"


def test_lists_leave_out_what_is_private(callers, base):
    closed, opened = base.rsplit("/", 1)[1], base.rsplit("/", 1)[1] + "-open"
    callers["bob"].put(f"{base}-open", {"visibility": "public"})

    def names(who, path):
        return [p["name"] for p in callers[who].pages(path) if p["name"] in (closed, opened)]

    for who, seen in (("nobody", [opened]), ("eve", [opened]), ("vic", [closed, opened]), ("root", [closed, opened])):
        assert names(who, f"/api/v1/projects/{ENTITY}") == seen, who
        if who != "nobody":
            assert names(who, "/api/v1/projects") == seen, who


def test_runs_that_are_private_are_left_out(callers, base, wait_for):
    """Of a public project, for those who are not of the team."""
    callers["bob"].patch(base, {"visibility": "public"})
    callers["mel"].put(f"{base}/runs/closed", {"visibility": "private"})

    def names(who):
        return {r["id"] for r in callers[who].pages(f"{base}/runs")}

    wait_for(lambda: names("vic") == {RUN, "closed"})
    assert (names("nobody"), names("eve"), names("root")) == ({RUN}, {RUN}, {RUN, "closed"})


def test_makes_nothing_for_those_who_may_not(callers, base, db):
    makes = [(method, template) for method, template, _, makes in ROUTES if makes]
    assert makes
    for method, template in makes:
        for caller, want in (("nobody", 401), ("eve", 404), ("vic", 403), ("bob-reads", 403)):
            got = verdict(callers[caller], method, template, f"{base}-fresh", run="fresh")
            assert got == want, f"{method} {template} by {caller}"
    assert db.value("select count(*) from project where name like '%%-fresh'") == 0
    assert db.value("select count(*) from run where name = 'fresh'") == 0


def upload_acts(draft, upload):
    path = f"{draft}/uploads/{upload}"
    return [("POST", f"{draft}/uploads", {"path": "c", "md5": "0" * 32, "parts": 2}), ("PUT", f"{path}/1", b"x"),
            ("POST", f"{path}/complete", {}), ("DELETE", path, None)]


def artifact_acts(model, draft):
    """A change by each route of artifacts."""
    upload = model.api.post(f"{draft}/uploads", {"path": "b", "md5": "0" * 32, "parts": 2}).json["upload"]
    version = f"{model.path}/versions/v0"
    return [("PATCH", model.path, {"description": "x"}), ("DELETE", model.path, None), ("DELETE", version, None),
            ("POST", f"{model.home}/artifact-restore", {"restore": "x"}), ("POST", f"{model.path}/versions", {"type": "model"}),
            ("POST", f"{draft}/files", {"files": [{"path": "a", "md5": "0" * 32}]}), ("PUT", f"{draft}/files/a", b"x"),
            ("PUT", f"{draft}/files.tar", b""), *upload_acts(draft, upload), ("POST", f"{draft}/references", {"references": [{"path": "r", "ref": "s3://b/r"}]}),
            ("POST", f"{draft}/commit", {}), ("PATCH", version, {"tags": ["x"]}), ("POST", f"{version}/verify", None), ("PUT", f"{version}/aliases/x", None),
            ("DELETE", f"{version}/aliases/best", None), ("POST", f"{model.home}/artifacts/p/links", {"source": "model:v0"}),
            ("POST", f"{model.home}/runs/{RUN}/artifacts", {"artifact": "model:v0"})]


def sweep_acts(api, base):
    """A change by each route of sweeps."""
    made = api.post(f"{base}/sweeps", {"config": "method: grid\nparameters: {a: {values: [1, 2]}}"}).json
    sweep = f"{base}/sweeps/{made['id']}"
    agent = f"{sweep}/agents/" + api.post(f"{sweep}/agents", {"host": "h"}).json["agent"]
    api.post(f"{sweep}/trials", {})
    return sweep, [("POST", f"{base}/sweeps", {"config": "method: random\nparameters: {a: {min: 0, max: 1}}"}), ("PATCH", sweep, {"state": "canceled"}),
                   ("DELETE", sweep, None), ("POST", f"{sweep}/trials", {}), ("PATCH", f"{sweep}/trials/1", {"state": "failed"}),
                   ("POST", f"{sweep}/agents", {"host": "h"}), ("PATCH", agent, {"set_aside": True}), ("DELETE", agent, None),
                   ("POST", f"{agent}/heartbeat", {"runs": []})]


def test_refused_requests_change_nothing(callers, base, wait_for):
    """The same walk with bodies that would do something."""
    run = f"{base}/runs/{RUN}"
    callers["mel"].post(f"{run}/join", {"client": "w1", "role": "primary"})
    callers["mel"].post(f"{run}/batch", {"writer": "w1", "session": 1, "batch": 1, "history": [{"a": 1}]})
    acts = [("PATCH", base, {"description": "x"}), ("DELETE", f"{base}?confirm={base.rsplit('/', 1)[1]}", None),
            ("POST", f"{base}/runs", {}), ("PUT", f"{base}/runs/r2", {}), ("PATCH", run, {"notes": "x"}),
            ("DELETE", run, None), ("POST", f"{run}/join", {"client": "w2", "role": "primary"}),
            ("POST", f"{run}/batch", {"writer": "w1", "session": 1, "batch": 2, "history": [{"a": 2}]}),
            ("POST", f"{run}/finish", {"writer": "w1", "session": 1, "exit_code": 0}),
            ("POST", f"{run}/finish", {"exit_code": 0}), ("POST", f"{run}/stop", {}),
            ("POST", f"{run}/rewind", {"step": 0}),
            ("POST", f"{run}/writers/0/end", {"reason": "x"}),
            ("POST", f"{run}/move", {"entity": ENTITY, "project": "elsewhere"}),
            ("POST", f"{run}/states", {"state": "killed", "reason": "x"}), ("PATCH", f"{run}/config", {"a": 1}),
            ("PATCH", f"{run}/summary", {"a": 5}), ("POST", f"{run}/history", {"a": 3}),
            ("POST", f"{run}/attempts/1/restore", None), ("POST", f"{run}/restore", None), ("POST", f"{base}/restore", None),
            ("POST", f"{run}/files", {"names": ["a.txt"]}), ("PUT", f"{run}/files/a.txt", b"x"),
            ("DELETE", f"{run}/files/b.txt", None), ("POST", f"{run}/alerts", {"title": "x"}),
            ("PUT", f"{base}/webhook", {"url": "https://x.example/"}), ("DELETE", f"{base}/webhook", None)]
    callers["mel"].put(f"{run}/files/b.txt", b"y", content_type=None)
    model = Collection(callers["mel"], base)
    model.version({"f": b"x"}, aliases=["best"])
    acts += artifact_acts(model, model.draft())
    assert callers["mel"].request("DELETE", base, query={"dry_run": "true"}).status == 403
    sweep, of_sweep = sweep_acts(callers["mel"], base)
    acts += of_sweep
    walked = {(method, template) for method, template, who, _ in ROUTES
              if who in ("write", "admin") and method != "GET"}
    for who, status in (("nobody", 401), ("eve", 403), ("bob", 403)):
        assert callers[who].request("PATCH", f"/api/v1/entities/{ENTITY}", {"quota_bytes": 1}).status == status
    members = f"/api/v1/entities/{ENTITY}/members"
    about_team = [("PUT", f"{members}/ann", {"role": "admin"}), ("DELETE", f"{members}/mel", None)]
    assert len(walked) == len({(m, p) for m, p, _ in acts + about_team}) + 1  # PUT of a project that is there does nothing

    def seen():
        root = callers["root"]
        tails = ("", "/writers", "/states", "/config", "/summary", "/history?format=ndjson", "/files/b.txt",
                 "/files/a.txt")
        bodies = [root.raw("GET", run + tail).body for tail in tails]
        bodies[:0] = [root.raw("GET", path).body for path in (
            model.path, f"{base}/artifacts", f"{model.path}/versions", f"{run}/artifacts", f"{base}/sweeps", sweep, f"{sweep}/trials", f"{sweep}/agents")]
        return [root.get(base).json, root.get(members).json, *bodies[:-1], b"not-found" in bodies[-1]]

    wait_for(lambda: callers["root"].get(base).json["bytes"] == 2)  # files are counted by a job
    before = seen()
    for method, path, body in acts:
        for who, status in (("nobody", 401), ("revoked", 401), ("eve", 404), ("vic", 403), ("bob-reads", 403)):
            answer = callers[who].request(method, path, body, check=False)
            assert answer.status == status, f"{method} {path} by {who}: {answer}"
    for method, path, body in about_team:  # eve sees it while something of it is public
        for who, status in (("nobody", (401,)), ("eve", (403, 404)), ("mel", (403,)), ("bob-writes", (403,))):
            assert callers[who].request(method, path, body).status in status, f"{method} {path} by {who}"
    assert seen() == before


def test_what_is_deleted_is_asked_for_in_vain_by_others(callers, base):
    """A restore is refused as everything else is, whether the run is deleted or not."""
    run = f"{base}/runs/{RUN}"
    callers["mel"].delete(run)
    for who, status in (("nobody", 401), ("revoked", 401), ("eve", 404), ("vic", 403), ("bob-reads", 403)):
        assert callers[who].request("POST", f"{run}/restore").status == status, who
        assert callers[who].request("GET", f"{base}/runs", query={"deleted": "true"}).status == status, who
    callers["mel"].refused(410, "gone", "GET", run)
    callers["mel"].post(f"{run}/restore")
    callers["bob"].delete(base, confirm=base.rsplit("/", 1)[1])
    for who, status in (("nobody", 401), ("eve", 404), ("vic", 403), ("mel", 403), ("bob-writes", 403)):
        assert callers[who].request("POST", f"{base}/restore").status == status, who
    callers["bob"].post(f"{base}/restore")


def test_what_is_not_there_looks_like_what_is_not_yours(callers, base):
    """Word for word, but for the name."""
    nothing = base + "x"
    for there, missing in ((base, nothing), (f"{base}/runs/{RUN}", f"{nothing}/runs/{RUN}"),
                           (f"{base}/runs", f"{nothing}/runs")):
        one = callers["eve"].refused(404, "not-found", "GET", there)
        other = callers["eve"].refused(404, "not-found", "GET", missing)
        assert one["detail"].replace(base.rsplit("/", 1)[1], "…") == other["detail"].replace(
            nothing.rsplit("/", 1)[1], "…")
    for path in ("/api/v1/projects/nobody-here/digits", "/api/v1/entities/nobody-here", "/api/v1/entities/lab"):
        callers["eve"].refused(404, "not-found", "GET", path)
    for path in (base, nothing, "/api/v1/projects/nobody-here/digits"):
        callers["nobody"].refused(401, "unauthorized", "GET", path)


def test_what_is_not_there_is_named(callers, base):
    """The first that is missing on the way; where the way cannot be seen, the entity with it."""
    name = base.rsplit("/", 1)[1]

    def told(who, method, path, body=None):
        return callers[who].refused(404, "not-found", method, path, body)["detail"]
    for method in ("GET", "PUT"):
        for entity in ("nobody-here", "lab"):
            said = told("eve", method, f"/api/v1/projects/{entity}/{name}/runs/r9", None if method == "GET" else {})
            assert said.startswith(f'the entity "{entity}" or its project "{name}" does not exist')
    assert told("mel", "GET", f"{base}x/runs/r9").startswith(f'the project "{name}x" does not exist')
    assert told("mel", "GET", f"{base}/runs/r9").startswith('the run "r9" does not exist')
    callers["mel"].put(f"{base}/runs/r8", {})
    callers["mel"].patch(f"{base}/runs/r8", {"visibility": "private"})
    callers["bob"].patch(base, {"visibility": "public"})
    for run in ("r8", "r9"):
        assert told("eve", "GET", f"{base}/runs/{run}").startswith(f'the run "{run}" does not exist')


def test_names_are_checked_before_they_are_looked_up(callers, base):
    callers["mel"].refused(400, "invalid", "GET", "/api/v1/projects/lab/%00")
    for name in ("a%2Fb", "x" * 513, "%20a", "a%3Ab", "a%25b", "settings"):
        problem = callers["mel"].refused(400, "invalid", "GET", f"/api/v1/projects/lab/{name}")
        assert problem["field"] == "project"


@pytest.mark.parametrize("header", [
    "Bearer", "Bearer ", "Basic", "Basic !!!", "Basic YXBpOg==", "Digest x", "x" * 5000,
    "Basic " + "QUFBQQ==" * 50])
def test_odd_headers(callers, header):
    callers["nobody"].refused(401, "unauthorized", "GET", "/api/v1/viewer", headers={"Authorization": header})


def test_basic(server, keys):
    api = Api(server, keys["ann"], basic=True)
    assert api.get("/api/v1/viewer").json["name"] == "ann"
    api.close()


def test_revoked_while_in_use(db, secret_file, tmp_path, server, wait_for):
    """It works at most a second longer than the revocation."""
    api = Api(server, make_key(db, secret_file, tmp_path, "vic"))
    api.get("/api/v1/viewer")
    cairnd_run(db.url, secret_file, "key", "revoke", str(db.value("select max(key_id) from api_key")))
    revoked_at = time.monotonic()

    def is_refused():
        asked_at = time.monotonic()
        status = api.request("GET", "/api/v1/viewer").status
        assert status == 401 or asked_at - revoked_at < 2.5
        return status == 401
    wait_for(is_refused)
    api.close()


def test_role_taken_away(callers, base, db, secret_file, server, tmp_path, wait_for):
    new = Api(server, make_user(db, secret_file, tmp_path, "passing", "lab", "member"))
    assert verdict(new, "GET", base, base) == "may"
    cairnd_run(db.url, secret_file, "team", "member", "remove", "lab", "passing")
    wait_for(lambda: verdict(new, "GET", base, base) == 404)
    new.close()


def test_last_use_is_noted(place, db, secret_file, tmp_path):
    """When, and from where: behind a proxy that is trusted the client's address, else that of who is connected."""
    sql = "select last_used_at is null, last_address from api_key order by key_id desc limit 1"
    for trusted, seen in (("127.0.0.1", "192.0.2.7"), ("", "127.0.0.1")):
        with Server(place.db.url, secret_file, trusted_proxies=trusted) as server:
            api = Api(server, make_key(db, secret_file, tmp_path, "vic"))
            assert db.query(sql) == [(True, "")]
            api.request("GET", "/api/v1/viewer", headers={"X-Forwarded-For": "198.51.100.9, 192.0.2.7"})
            assert db.query(sql) == [(False, seen)]
            api.close()


def test_keys_are_not_in_the_log(callers, server):
    for api in callers.values():
        api.request("GET", "/api/v1/viewer")
    log = server.log()
    assert not [name for name, api in callers.items() if api.key and api.key in log and
                name not in ("malformed",)]
