"""A private run of a public project: nobody learns of it who may not see it, not by its copies either."""
import hashlib
import json
import re
import urllib.parse

import pytest

from artifacts import Collection
from rest import Api
from runs import Run, run_id
from test_authorization import ENTITY, ROUTES

METHODS = ("GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS")
HIDDEN, ABSENT = "hidden", "absent"  # of one length
SECRET, UNUSED = "zqxj", "mkvw"
OWN = {"date", "x-request-id", "server-timing"}  # of each answer


@pytest.fixture
def people(server, keys):
    """Of the team `lab`: mel writes, bob is its admin. Ann has no role there, nobody no key."""
    made = {name: Api(server, keys[name]) for name in ("mel", "bob", "vic", "ann")}
    made["nobody"] = Api(server)
    yield made
    for one in made.values():
        one.close()


@pytest.fixture
def base(home):
    return home.replace("/ann/", f"/{ENTITY}/")


@pytest.fixture
def opened(people, base):
    """The path of a public project of the team."""
    people["bob"].put(base, {"visibility": "public"})
    yield base
    people["bob"].patch(base, {"visibility": "private"})


@pytest.fixture
def hidden(people, opened):
    """A private run in it, with rows."""
    people["mel"].put(f"{opened}/runs/{HIDDEN}", {"visibility": "private", "notes": SECRET})
    run = Run(people["mel"], HIDDEN, opened, make=False)
    run.join().send(history=[{SECRET: n} for n in range(5)], config={SECRET: SECRET}, summary={SECRET: 1})
    return run


# --- every method

def heard(api, method, path, name):
    """All that an answer says, but for the name of the run and what each answer has of its own."""
    body = b"{}" if method in ("PUT", "POST", "PATCH") else None
    kind = {"Content-Type": "application/merge-patch+json" if method == "PATCH" else "application/json"}
    answer = api.raw(method, path, body, {**kind, "Origin": "https://elsewhere.example"})
    text = answer.body.replace(name.encode(), b"NAME")
    if answer.content_type.endswith("json") and text:
        text = {**json.loads(text), "request_id": ""}
    headers = {key.lower(): value.replace(name, "NAME") for key, value in answer.headers.items() if key.lower() not in OWN}
    return answer.status, text, headers


def of_runs():
    """Paths of all routes that name a run, and that of the SDK's stream."""
    paths = {template for _, template, _, _ in ROUTES if "{run}" in template}
    paths.add("/files/{entity}/{project}/{run}/file_stream")
    assert len(paths) > 30
    return sorted(paths)


def path_of(template, base, name):
    project = base.rsplit("/", 1)[1]
    for word, value in (("{entity}", ENTITY), ("{project}", project), ("{run}", name), ("{name...}", "a/b.txt"), ("{writer}", "0")):
        template = template.replace(word, value)
    return template


@pytest.mark.parametrize("kind", ["living", "deleted", "moved"])
def test_it_answers_like_none_by_every_method(people, opened, hidden, kind, wait_for):
    if kind == "deleted":
        people["mel"].delete(hidden.path)
    if kind == "moved":
        people["mel"].post(f"{hidden.path}/states", {"state": "killed", "reason": "x"})
        people["mel"].put(f"{opened}-to", {})
        body = {"entity": ENTITY, "project": f"{opened}-to".rsplit("/", 1)[1]}
        wait_for(lambda: people["mel"].request("POST", f"{hidden.path}/move", body).status == 200)
    wrong = []
    for template in of_runs():
        for method in METHODS:
            for who in "nobody", "ann":
                for _ in range(2):  # what is kept of the first answer does not tell, either
                    told = heard(people[who], method, path_of(template, opened, HIDDEN), HIDDEN)
                    none = heard(people[who], method, path_of(template, opened, ABSENT), ABSENT)
                    if told != none:
                        wrong.append(f"{method} {template} by {who}: {told}, not {none}")
    assert not wrong, "\n".join(wrong)


def test_where_runs_are_named_beside_the_path_it_is_none(people, opened, hidden, wait_for):
    """By queries and bodies; and metrics that it alone has are as those that no run has."""
    Run(people["mel"], "shown", opened).join().send(history=[{"loss": 1}])
    wait_for(lambda: {r["id"] for r in people["mel"].pages(f"{opened}/runs")} == {HIDDEN, "shown"})
    wait_for(lambda: people["mel"].get(f"{opened}/runs", filter=f"notes:{SECRET}", count="true").json["count"] == 1)

    def asked(name, key):
        panels = [{"keys": [key, "loss"]}]
        yield "GET", f"/runs?ids={name},shown", None
        yield "GET", f"/metrics?ids={name},shown&keys={key},loss", None
        yield "GET", f"/metrics/together?keys={key},loss", None
        yield "GET", f"/metrics/best?ids={name},shown&of=loss&by={key}&goal=min", None
        yield "GET", f"/history?after={name}/0", None
        yield "GET", f"/history?keys={key},loss&format=csv", None
        yield "GET", f"/runs/shown/history?keys={key},loss", None
        yield "GET", f"/runs/shown/history?keys={key}&format=ndjson", None
        yield "GET", f"/runs/shown/ranks?key={key}", None
        yield "GET", f"/runs?filter=name%3D{name}&count=true", None
        yield "GET", f"/runs?order=summary.{key}&count=true", None
        yield "GET", f"/runs?filter=notes%3A{key}&count=true", None
        yield "GET", f"/groups?by=config.{key}", None
        yield "GET", f"/groups?by=name&of=summary.{key}", None
        yield "GET", f"/keys?match={key}", None
        yield "GET", f"/fields?match={key}", None
        yield "GET", f"/fields/notes/values?match={key}", None
        yield "GET", f"/fields/config.{key}/values", None
        yield "POST", "/series", {"runs": [name, "shown"], "panels": panels}
        yield "POST", "/series", {"groups": [{"name": "g", "runs": [name, "shown"]}], "panels": panels}
        yield "POST", "/series", {"groups": [{"name": "g", "filter": ""}], "panels": panels}

    def said(who, method, path, body, *names):
        answer = people[who].request(method, opened + path, body)
        text = answer.text
        for name in names:
            text = text.replace(name, "NAME")
        return answer.status, re.sub(r'"(request_id|etag)":"\w+"', "", text)

    for one, other in zip(asked(HIDDEN, SECRET), asked(ABSENT, UNUSED), strict=True):
        for who in "nobody", "ann":
            assert said(who, *one, HIDDEN, SECRET) == said(who, *other, ABSENT, UNUSED), one


# --- copies

def fork(api, base, name, parent=HIDDEN, **more):
    return api.put(f"{base}/runs/{name}", {"forked_from": {"run": parent, "step": 3}, **more}).json["visibility"]


def test_a_fork_is_as_narrow_as_its_source(people, opened, hidden, wait_for):
    assert [fork(people[who], opened, f"by-{who}") for who in ("mel", "bob")] == ["private", "private"]
    wait_for(lambda: len(people["mel"].pages(f"{opened}/runs")) == 3)
    for who in "nobody", "ann":
        assert people[who].pages(f"{opened}/runs") == []
        for name in "by-mel", "by-bob":
            people[who].refused(404, "not-found", "GET", f"{opened}/runs/{name}/history?format=ndjson")
    assert people["vic"].get(f"{opened}/runs/by-mel/history", format="ndjson").lines[0][SECRET] == 0


def test_only_an_admin_makes_a_fork_wider_than_its_source(people, opened, hidden):
    for said in "public", "project":
        body = {"forked_from": {"run": HIDDEN, "step": 3}, "visibility": said}
        assert people["mel"].refused(403, "forbidden", "PUT", f"{opened}/runs/wide", body)["field"] == "visibility"
        people["mel"].refused(403, "forbidden", "POST", f"{opened}/runs", body)
        people["bob"].refused(404, "not-found", "GET", f"{opened}/runs/wide")
    assert fork(people["bob"], opened, "said", visibility="public") == "public"
    assert people["nobody"].get(f"{opened}/runs/said/history", format="ndjson").lines[0][SECRET] == 0
    assert fork(people["mel"], opened, "of-said", "said") == "project"
    shown = {who: people[who].get(f"{opened}/runs/said").json["forked_from"] for who in ("nobody", "ann", "vic")}
    assert shown == {"nobody": None, "ann": None, "vic": {"run": HIDDEN, "step": 3}}
    listed = {who: people[who].pages(f"{opened}/runs/said/branches")[0]["from"] for who in ("nobody", "vic")}
    assert (listed["nobody"], listed["vic"]["run"]) == (None, HIDDEN)


def test_a_fork_stays_narrow_when_its_project_is_opened(people, base):
    """What its source says of itself it says, too."""
    mel, bob = people["mel"], people["bob"]
    mel.put(f"{base}/runs/{HIDDEN}", {"visibility": "private"})
    Run(mel, HIDDEN, base, make=False).join().send(history=[{"a": n} for n in range(5)])
    mel.put(f"{base}/runs/plain", {})
    Run(mel, "plain", base, make=False).join().send(history=[{"a": n} for n in range(5)])
    assert [fork(mel, base, f"of-{name}", name) for name in (HIDDEN, "plain")] == ["private", "project"]
    body = {"forked_from": {"run": HIDDEN, "step": 3}, "visibility": "project"}
    mel.refused(403, "forbidden", "PUT", f"{base}/runs/later", body)
    bob.patch(base, {"visibility": "public"})
    people["nobody"].refused(404, "not-found", "GET", f"{base}/runs/of-{HIDDEN}")
    assert people["nobody"].get(f"{base}/runs/of-plain").status == 200
    bob.patch(base, {"visibility": "private"})


# --- what a project says of all its runs

def test_what_the_runs_take_is_told_to_those_who_see_them_all(people, opened, hidden):
    name = opened.rsplit("/", 1)[1]

    def listed(who, path):
        return next(p for p in people[who].pages(path) if (p["entity"], p["name"]) == (ENTITY, name))

    for who, tells in (("nobody", False), ("ann", False), ("vic", True), ("mel", True), ("bob", True)):
        shown = [people[who].get(opened).json, listed(who, f"/api/v1/projects/{ENTITY}")]
        shown += [listed(who, "/api/v1/projects")] if who != "nobody" else []
        for project in shown:
            kinds = {type(project[key]) for key in ("bytes", "deleted_bytes")}
            assert kinds == ({int} if tells else {type(None)}), (who, project)


# --- views

def draft(api, base, **more):
    return api.post(f"{base}/views", {"kind": "draft", "state": {"q": SECRET}, **more}).json["id"]


def sees(api, base, view):
    return api.request("GET", f"{base}/views/{view}").status == 200


def who_sees(people, base, view):
    return [who for who in ("nobody", "ann", "vic", "mel", "bob") if sees(people[who], base, view)]


TEAM = ["vic", "mel", "bob"]
ALL = ["nobody", "ann", *TEAM]


def test_a_draft_is_seen_by_those_who_see_what_its_maker_saw(people, opened, hidden):
    for maker in TEAM:
        view = draft(people[maker], opened)
        assert who_sees(people, opened, view) == TEAM
    assert who_sees(people, opened, draft(people["ann"], opened)) == ALL


def test_a_draft_is_for_all_readers_where_nothing_is_private(people, opened):
    Run(people["mel"], "shown", opened)
    assert who_sees(people, opened, draft(people["mel"], opened)) == ALL


def test_a_draft_of_a_private_project_stays_with_its_people(people, base):
    people["mel"].put(base, {})
    view = draft(people["mel"], base)
    people["bob"].patch(base, {"visibility": "public"})
    assert who_sees(people, base, view) == TEAM
    people["bob"].patch(base, {"visibility": "private"})


def test_a_view_of_the_project_is_shown_to_strangers_by_an_admin(people, opened, hidden):
    body = {"kind": "project", "name": "ours", "state": {"q": SECRET}}
    view = people["mel"].post(f"{opened}/views", body).json["id"]

    def listed(who):
        return view in [v["id"] for v in people[who].get(f"{opened}/views").json["items"]]

    assert who_sees(people, opened, view) == TEAM
    assert (listed("nobody"), listed("ann"), listed("vic")) == (False, False, True)
    people["bob"].patch(f"{opened}/views/{view}", {"name": "everybody's"})
    assert who_sees(people, opened, view) == ALL
    assert listed("nobody")
    people["mel"].patch(f"{opened}/views/{view}", {"state": {"q": "x"}})
    assert who_sees(people, opened, view) == TEAM
    mine = people["mel"].post(f"{opened}/views", {**body, "kind": "mine"}).json["id"]
    people["mel"].patch(f"{opened}/views/{mine}", {"kind": "project"})
    assert who_sees(people, opened, mine) == TEAM


# --- what is searched

def test_a_run_that_is_made_private_while_its_document_is_written(people, opened, db, wait_for):
    """The document was made of the run as it was before. Who may see it is what holds when the document is stored."""
    run = Run(people["mel"], "turning", opened)
    run.log([{"x": 1}])
    number = run_id(db, run)
    wait_for(lambda: db.value("select count(*) from run_change where run_id = %s", number) == 0, what="its document")
    waits = ("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
             " and query like '%%for key share%%'")
    with db.hold(f"select from run_hot where run_id = {number} for update") as patch:
        db.query("insert into run_change (run_id, project_id, seq) select run_id, project_id, document_seq from run_hot"
                 " where run_id = %s", number)
        wait_for(lambda: db.value(waits), what="the job that writes documents")
        for table in "run", "run_document":
            patch.execute(f"update {table} set visibility = 1, row_sum = null where run_id = {number}")
        patch.commit()
    wait_for(lambda: db.value("select count(*) from run_change where run_id = %s", number) == 0, what="its document")
    assert db.value("select visibility from run_document where run_id = %s", number) == 1
    assert [r["id"] for r in people["nobody"].pages(f"{opened}/runs")] == []


# --- artifacts

@pytest.fixture
def logged(people, opened, hidden):
    """"mixed" has v0 of a run that all see and v1 of the private one, "zqxj-own" a version and a draft of the private one alone."""
    mel = people["mel"]
    Run(mel, "shown", opened)
    mixed, own = Collection(mel, opened, "mixed"), Collection(mel, opened, OWN_MODEL, kind=f"{SECRET}-kind")
    mixed.version({"a.txt": b"a"}, run="shown", aliases=["first"])
    mixed.client = client(opened, "v1")
    mixed.made = mixed.version({"a.txt": b"a", f"{SECRET}.txt": SECRET.encode()}, run=HIDDEN, aliases=["best"], tags=[SECRET],
                               client=mixed.client)
    own.made = own.version({"own.txt": SECRET.encode()}, run=HIDDEN, aliases=["best"], description=SECRET)
    own.open = own.draft(run=HIDDEN)
    mel.post(f"{opened}/artifacts/{SECRET}-links/links", {"source": f"{OWN_MODEL}:v0"})
    mel.post(f"{opened}/artifacts/picked/links", {"source": "mixed:v0"})
    mel.post(f"{opened}/artifacts/picked/links", {"source": "mixed:v1", "aliases": ["best"]})
    for name in "mixed:v0", "mixed:v1", f"{OWN_MODEL}:v0":
        mel.post(f"{opened}/runs/shown/artifacts", {"artifact": name})
    mel.post(f"{opened}/runs/{HIDDEN}/artifacts", {"artifact": "mixed:v0"})
    return mixed, own


OWN_MODEL, NO_MODEL = f"{SECRET}-own", f"{UNUSED}-own"


def client(project, name):
    """An id of a version as clients make them."""
    return hashlib.md5(f"{project} {name}".encode()).hexdigest()


def test_a_collection_of_private_runs_alone_does_not_exist(people, opened, logged):
    """By every route: it is answered as one that nobody made."""
    _, own = logged
    templates = sorted({template for _, template, _, _ in ROUTES if "{collection}" in template})
    assert len(templates) > 15
    words = {"{version}": "v0", "{draft}": own.open.rsplit("/", 1)[1], "{alias}": "best", "{path...}": "own.txt"}

    def path(template, name):
        for word, value in words.items():
            template = template.replace(word, value)
        return path_of(template.replace("{collection}", name), opened, HIDDEN)

    wrong = []
    for template in templates:
        for method in METHODS:
            for who in "nobody", "ann":
                told, none = (heard(people[who], method, path(template, name), name) for name in (OWN_MODEL, NO_MODEL))
                if told != none:
                    wrong.append(f"{method} {template} by {who}: {told}, not {none}")
    assert not wrong, "\n".join(wrong)
    assert own.get("v0")["run"]["id"] == HIDDEN and people["vic"].get(f"{own.path}/versions/best").json["description"] == SECRET


def test_versions_of_a_private_run_do_not_exist(people, opened, logged):
    """In lists, numbers, aliases, sums, searches, comparisons, lineage, storage and downloads of a collection that has others, too."""
    mixed, _ = logged
    for who in "nobody", "ann":
        api = people[who]

        def get(path, api=api, **query):
            return api.get(f"{opened}{path}", **query).json

        for name in "v1", "best":
            for tail in "", "/files", "/files/a.txt", "/files.tar", "/manifest", "/lineage":
                api.refused(404, "not-found", "GET", f"{mixed.path}/versions/{name}{tail}")
            api.refused(404, "not-found", "GET", f"{opened}/artifacts/picked/versions/{name}")
            api.refused(404, "not-found", "GET", f"{mixed.path}/compare?from=v0&to={name}")
        said = {name: api.request("GET", f"{opened}/artifact-clients/{name}") for name in (mixed.client, client(opened, "none"))}
        assert [a.status for a in said.values()] == [404, 404] and len({a.json["detail"] for a in said.values()}) == 1
        assert [get(f"/artifacts/{name}/versions/latest")["version"] for name in ("mixed", "picked")] == ["v0", "v0"]
        one, links = get("/artifacts/mixed"), get("/artifacts/picked")
        assert (one["versions"], one["bytes"], one["latest"]["version"], one["latest"]["bytes"]) == (1, 1, "v0", 1)
        assert one["aliases"] == [{"alias": "first", "version": "v0"}] and links["aliases"] == []
        assert (links["versions"], links["latest"]["version"]) == (1, "v0")
        lists = [get(path) for path in ("/artifacts", "/artifacts?order=-changed_at", "/artifact-types", "/artifacts/mixed/versions",
                                        "/artifacts/picked/versions", "/artifact-versions?count=true", "/runs/shown/artifacts", "/usage",
                                        "/artifacts/mixed/versions/v0/lineage", f"/artifact-versions?filter=tag%3D{SECRET}&count=true")]
        assert SECRET not in json.dumps(lists) and HIDDEN not in json.dumps(lists)
        assert [[c["name"] for c in found["items"]] for found in lists[:3]] == [["mixed", "picked"], ["picked", "mixed"], ["model"]]
        assert [found["count"] for found in (lists[5], lists[9])] == [1, 0]
        assert [[v["version"] for v in found["items"]] for found in lists[3:5]] == [["v0"], ["v0"]]
        assert [use["version"]["version"] for use in lists[6]["items"]] == ["v0", "v0"]
        assert (lists[2]["items"][0]["versions"], lists[2]["items"][0]["bytes"]) == (1, 1)
        assert lists[7]["bytes"] is None and [(c["collection"], c["bytes"], c["shared_bytes"]) for c in lists[7]["items"]] == [("mixed", 1, 0)]
        assert [v["collection"] for v in lists[8]["versions"]] == ["mixed"] and [r["id"] for r in lists[8]["runs"]] == ["shown"]
    assert {c["name"] for c in people["vic"].pages(f"{opened}/artifacts")} == {"mixed", "picked", OWN_MODEL, f"{SECRET}-links"}
    assert people["vic"].get(f"{mixed.path}/versions/latest").json["version"] == "v1"


def test_content_of_a_private_run_is_found_by_who_sees_it(people, opened, logged):
    """By its MD5; a signed link works for all who have it."""
    mixed, own = logged
    project = opened.rsplit("/", 1)[1]
    secret = hashlib.md5(SECRET.encode()).hexdigest()
    for name, there in (("a.txt", ["ann", "vic"]), ("own.txt", ["vic"])):
        digest = secret if name == "own.txt" else hashlib.md5(b"a").hexdigest()
        for made in mixed.made, own.made:
            place = f"/artifactsV2/default/{ENTITY}/{project}/mixed/{made['id']}/{digest}/{name}"
            assert [who for who in ("ann", "vic") if people[who].raw("GET", place).status == 200] == there, (name, made["collection"])
    [file] = people["vic"].get(f"{own.path}/versions/v0/files").json["items"]
    link = urllib.parse.urlsplit(file["link"])
    assert people["nobody"].raw("GET", f"{link.path}?{link.query}").body == SECRET.encode()


def test_it_is_seen_as_its_run_is(people, opened, logged, wait_for):
    """Also after the run was deleted or moved, and then made private or public."""
    mixed, own = logged
    mel = people["mel"]

    def seen():
        return [n for n in ("v0", "v1") if people["nobody"].request("GET", f"{mixed.path}/versions/{n}").status == 200]

    assert seen() == ["v0"]
    people["bob"].patch(f"{opened}/runs/{HIDDEN}", {"visibility": "project"})
    assert seen() == ["v0", "v1"] and people["nobody"].get(own.path).json["versions"] == 1
    mel.put(f"{opened}-other", {})
    for name in HIDDEN, "shown":
        mel.post(f"{opened}/runs/{name}/states", {"state": "killed", "reason": "x"})
    to = {"entity": ENTITY, "project": f"{opened}-other".rsplit("/", 1)[1]}
    wait_for(lambda: mel.request("POST", f"{opened}/runs/{HIDDEN}/move", to).status == 200)
    assert seen() == ["v0", "v1"]
    mel.patch(f"{opened}-other/runs/{HIDDEN}", {"visibility": "private"})
    assert seen() == ["v0"]
    mel.patch(f"{opened}/runs/shown", {"visibility": "private"})
    assert seen() == []
    mel.delete(f"{opened}/runs/shown")
    assert seen() == [] and people["vic"].get(mixed.path).json["versions"] == 2


def test_a_run_that_is_seen_makes_a_version_of_its_own(people, opened, logged):
    """The same content as the private run's newest version is not that version: the users of this run would not find it."""
    mixed, _ = logged
    same = mixed.made["digest"]
    made = people["mel"].post(f"{mixed.path}/versions", {"type": "model", "run": "shown", "digest": same, "client": client(opened, "shown")}).json
    assert made["state"] == "pending"
    again = people["mel"].post(f"{mixed.path}/versions", {"type": "model", "run": HIDDEN, "digest": same, "client": client(opened, HIDDEN)}).json
    assert (again["state"], again["version"]["version"]) == ("committed", "v1")
