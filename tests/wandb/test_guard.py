"""Who sees and changes what at the SDK's door: every field of its tables, every mutation, every path of files.

The list of fields is the server's own (cairnd --print-fields), and so are the documents, which ask for all of
them; a field that no document reaches, or a mutation without an input below, fails here.
"""
import base64
import hashlib
import json
import time
import urllib.parse

import pytest
from artifact_wire import USE, Draft, md5_of
from cluster import wait_until
from rest import Api
from server import cairnd_run
from wire import Wire

TEAM = "lab"
SECRET = "zqxj"  # stands in all that others must not see
WEEK_S = 7 * 86400  # before then no silence changes its runs
ARGUMENTS = {
    "Query.organization": '(name: "cairn")',
    "Query.users": '(query: "{user}")',
    "Query.entity": '(name: "{entity}")',
    "Query.project": '(name: "{project}", entityName: "{entity}")',
    "Query.model": '(name: "{project}", entityName: "{entity}")',
    "Query.models": '(entityName: "{entity}", first: 100)',
    "Query.projects": '(entityName: "{entity}", first: 100)',
    "Project.run": '(name: "{run}")',
    "Project.bucket": '(name: "{run}", missingOk: true)',
    "Project.runs": '(filters: "{{}}", order: "+created_at", first: 10)',
    "Project.runCount": '(filters: "{{}}")',
    "Project.sweep": '(sweepName: "{sweep}")',
    "Project.sweeps": '(first: 10, filters: "{{}}")',
    "Sweep.agent": '(agentName: "{agent}")',
    "Agent.runs": '(first: 10, order: "+created_at")',
    "Run.files": "(first: 10)",
    "Run.wandbConfig": '(keys: ["t"])',
    "Run.history": "(samples: 10)",
    "Run.events": "(samples: 10)",
    "Run.sampledHistory": '(specs: ["{{\\"samples\\": 10}}"])',
    "Run.logLines": "(first: 10)",
    "Run.parquetHistory": '(liveKeys: ["_step"])',
    "File.url": "(upload: true)",
    "Query.artifact": '(id: "{artifact}")',
    "Query.artifactCollection": '(id: "{sequence}")',
    "Query.clientIDMapping": '(clientID: "{client}")',
    "Project.artifactType": '(name: "{type}")',
    "Project.artifact": '(name: "{collection}:latest", enableTracking: true)',
    "Project.artifactCollections": '(first: 10, filters: "{{}}", order: "name")',
    "Project.artifactCollection": '(name: "{collection}")',
    "Project.artifactCollectionMembership": '(name: "{collection}:latest")',
    "ArtifactType.artifactCollections": '(first: 10, filters: "{{}}", order: "name")',
    "ArtifactType.artifactCollection": '(name: "{collection}")',
    "ArtifactType.artifactSequence": '(name: "{collection}")',
    "ArtifactType.artifact": '(name: "{collection}:v0")',
    "ArtifactCollection.artifacts": '(first: 10, filters: "{{}}", order: "version_index")',
    "ArtifactCollection.artifactMembership": '(aliasName: "latest")',
    "ArtifactCollectionMembership.files": "(first: 10)",
    "Artifact.files": "(first: 10)",
    "Artifact.filesByManifestEntries":
        '(entries: [{{name: "zqxj.txt"}}], storageLayout: "V2", manifestVersion: "1", storageRegion: null)',
}
PAGES = {"first", "after", "viewName", "viewType"}  # arguments of lists that are always empty
# What is null for everybody, or where it is asked below.
NOTHING = {
    "Entity.organization", "Entity.photoUrl", "FileConnection.totalCount", "LogLineConnection.totalCount",
    "Project.user", "ProjectConnection.totalCount", "RunConnection.totalCount", "Member.apiKey", "Member.photoUrl", "Project.views", "Run.commit",
    "SweepConnection.totalCount", "AgentConnection.totalCount", "Sweep.bestLoss", "Run.exitcode",
    "ServerInfo.latestLocalVersionInfo", "User.deletedAt", "User.photoUrl", "Done.clientMutationId",
    "Artifact.commitHash", "ArtifactAliasConnection.totalCount", "ArtifactTypeConnection.totalCount", "Tag.tagCategoryName",
}
NOTHINGS = ("Nothing", "Missing")  # types of which there is none
# These lead to one another on many ways: in a document all of their fields are asked for once, and then only their values.
WOVEN = ("Artifact", "VersionedArtifact", "Tag", "ManifestFile", "ClientIDMapping", "Sweep", "Agent")
OUTSIDE_OF_WOVEN = ("Project", "Run", "RunConnection", "Entity", "User")  # below one of these, likewise


def fields():
    """{type: {field: (type of what it gives, or None, names of its arguments)}}."""
    found = {}
    for line in cairnd_run("", "", "--print-fields").splitlines():
        name, gives, *arguments = line.split()
        owner, field = name.split(".")
        found.setdefault(owner, {})[field] = (None if gives == "-" else gives, arguments)
    return found


FIELDS = fields()
MUTATIONS = FIELDS["Mutation"]


def arguments_of(owner, field, names):
    given = ARGUMENTS.get(f"{owner}.{field}")
    assert given or set(FIELDS[owner][field][1]) <= PAGES, f"say what {owner}.{field} is asked with"
    return (given or "").format(**names)


def is_woven(type_):
    return bool(type_) and type_.startswith(WOVEN)


def values(owner, names):
    """Of a list, those of its items."""
    parts = []
    for field, (gives, _) in FIELDS[owner].items():
        if field in ("edges", "node"):
            parts.append(field + values(gives, names))
        elif not gives:
            parts.append(field + arguments_of(owner, field, names))
    return " { " + " ".join(parts) + " }"


def selection(owner, names, above=(), seen=None):
    """All fields, and all below them; a type within itself once."""
    parts = []
    seen = set() if seen is None else seen
    seen.add(owner)
    for field, (gives, _) in FIELDS[owner].items():
        is_last = is_woven(owner) and gives in OUTSIDE_OF_WOVEN
        if gives and not is_last and (above + (owner,)).count(gives) > 1:
            continue
        if gives == "Missing":
            continue  # an error for everybody who sees what it would be of
        if is_woven(gives) and gives in seen or is_last:
            below = values(gives, names)
        else:
            below = selection(gives, names, above + (owner,), seen) if gives else ""
        parts.append(f"{field}{arguments_of(owner, field, names)}{below}")
    return " { " + " ".join(parts) + " }"


def document(names, *roots):
    """All that can be asked, or what is named."""
    seen = set()
    parts = (root + arguments_of("Query", root, names) + selection(FIELDS["Query"][root][0], names, (), seen)
             for root in roots or (root for root, (gives, _) in FIELDS["Query"].items() if gives != "Missing"))
    return "{ " + " ".join(parts) + " }"


def below(types):
    """With all that their fields give."""
    given = {gives for type_ in types for gives, _ in FIELDS.get(type_, {}).values() if gives}
    return types if given <= types else below(types | given)


def seen_fields(owner, value, found):
    """Type.field of all that is not null in an answer."""
    if isinstance(value, list):
        for item in value:
            seen_fields(owner, item, found)
    elif isinstance(value, dict):
        for field, inner in value.items():
            gives, _ = FIELDS[owner][field]
            gives, _ = FIELDS[owner][field]
            if inner is not None:
                found.add(f"{owner}.{field}")
            if gives and inner is not None:
                seen_fields(gives, inner, found)
    return found


# --- who there is, and what

def user(db, secret_file, folder, name, *more):
    cairnd_run(db.url, secret_file, "user", "add", name, *more, "--key-file", str(folder / name))
    return (folder / name).read_text().strip()


def key_of(db, secret_file, folder, name, scope):
    path = folder / f"{name}-{scope}"
    cairnd_run(db.url, secret_file, "key", "create", "--user", name, "--scope", scope, "--key-file", str(path))
    return path.read_text().strip()


@pytest.fixture(scope="module")
def callers(shared_place, keys, secret_file, tmp_path_factory):
    """{name: (key, headers)}. Of the team: vic sees, mel writes, bob is its admin."""
    db, folder = shared_place.db, tmp_path_factory.mktemp("guard")
    number = time.monotonic_ns()
    forged = {"X-WANDB-USERNAME": "mel", "X-WANDB-USER-EMAIL": "mel@example.org"}
    loner = user(db, secret_file, folder, f"loner{number}", "--service")
    looker = user(db, secret_file, folder, f"looker{number}", "--service")
    cairnd_run(db.url, secret_file, "team", "member", "add", TEAM, f"looker{number}", "--role", "viewer")
    return {
        "stranger": (user(db, secret_file, folder, f"eve{number}"), {}),
        "forger": (loner, forged),
        "looker": (looker, forged),
        "vic": (keys["vic"], {}),
        "mel-reads": (key_of(db, secret_file, folder, "mel", "read"), {}),
        "mel": (keys["mel"], {}),
        "bob": (keys["bob"], {}),
    }


OUTSIDE = ("stranger", "forger")
READERS = ("looker", "vic", "mel-reads")


class Caller:
    def __init__(self, url, key, headers):
        self.wire = Wire(url, key, TEAM, "p")
        self.headers = headers

    def ask(self, query, **variables):
        answer = self.wire.ask(query, self.headers, **variables)
        assert answer.status == 200, answer
        return answer.json

    def send(self, method, path, body=b"", headers=None):
        return self.wire.send(method, path, body, {**self.headers, **(headers or {})})


@pytest.fixture
def as_(url, callers):
    return lambda name: Caller(url, *callers[name])


def write_secrets(wire, name):
    """A run of the SDK's making with the secret in all that a run can have."""
    process = wire.start(name, config={SECRET: SECRET, "_wandb": {"t": {"1": SECRET}}}, displayName=f"{SECRET} name",
                         notes=SECRET, groupName=SECRET, jobType=SECRET, sweep=SECRET, tags=[SECRET])
    process.history({"_step": 0, "_timestamp": 1795000000, f"{SECRET}/loss": 1, "text": SECRET})
    process.events({"_timestamp": 1795000000, f"system.{SECRET}": 1})
    process.console(f"2026-11-20T20:49:35.172235 {SECRET}")
    process.summary({f"{SECRET}/best": 1})
    name = f"{SECRET}.txt"
    made = wire.query("""mutation CreateRunFiles($files: [String!]!, $e: String!, $p: String!, $r: String!) {
        createRunFiles(input: {files: $files, entityName: $e, projectName: $p, runName: $r}) {
          files { uploadUrl } } }""", files=[name], e=wire.entity, p=wire.project, r=process.name)
    link = urllib.parse.urlsplit(made["createRunFiles"]["files"][0]["uploadUrl"])
    assert wire.send("PUT", f"{link.path}?{link.query}", SECRET.encode(), key=False).status == 204
    return process


FILES = {f"{SECRET}.txt": SECRET.encode(), "in/b.txt": b"b"}
LINK = """mutation LinkArtifact($input: LinkArtifactInput!) { linkArtifact(input: $input) { versionIndex
    artifactMembership { id artifactCollection { id } } } }"""
SEQUENCE = "query($id: ID!) { artifact(id: $id) { artifactSequence { id } } }"


def send_part(draft):
    """Of its one file, which comes in parts; returns the input of the change that ends it."""
    tag = hashlib.md5(b"parts").hexdigest()
    [node] = draft.ask_files(draft.specs(uploadPartsInput=[{"partNumber": 1, "hexMD5": tag}]))
    [part] = node["uploadMultipartUrls"]["uploadUrlParts"]
    assert draft.put(part["uploadUrl"], b"parts").status in (200, 204)
    return {"completeMultipartAction": "Complete", "completedParts": [{"partNumber": 1, "hexMD5": tag}], "storagePath": node["storagePath"],
            "artifactID": node["artifact"]["id"], "uploadID": node["uploadMultipartUrls"]["uploadID"]}


def write_artifacts(wire, run, content=SECRET):
    """A version with the secret in all that one can have, that the run made and read; a link to it; and a whole draft."""
    name = f"{SECRET}-data"
    wire.query("mutation($i: Input) { createArtifactType(input: $i) { artifactType { id } } }",
               i={"entityName": wire.entity, "projectName": wire.project, "name": f"{SECRET}-type", "description": SECRET})
    files = {**FILES, f"{SECRET}.txt": content.encode()}
    made = Draft(wire, name, files, run=run, type=f"{SECRET}-type", aliases=("latest", SECRET), description=SECRET, historyStep=1,
                 metadata=json.dumps({SECRET: SECRET}), tags=[{"tagName": SECRET}])
    made.send()
    wire.query(USE, input={"entityName": wire.entity, "projectName": wire.project, "runName": run, "artifactID": made.id})
    linked = wire.query(LINK, input={"artifactID": made.id, "artifactPortfolioName": f"{SECRET}-best", "entityName": wire.entity,
                                     "projectName": wire.project, "aliases": []})["linkArtifact"]
    ids = {"Sequence": wire.query(SEQUENCE, id=made.id)["artifact"]["artifactSequence"]["id"],
           "Portfolio": linked["artifactMembership"]["artifactCollection"]["id"]}
    for kind, id_ in ids.items():
        wire.query(f"mutation($i: Input) {{ updateArtifact{kind}(input: $i) {{ artifactCollection {{ id }} }} }}",
                   i={f"artifact{kind}ID": id_, "description": SECRET})
    wire.query("mutation($i: Input) { createArtifactCollectionTagAssignments(input: $i) { success } }",
               i={"entityName": wire.entity, "projectName": wire.project, "artifactCollectionName": name,
                  "tags": [{"tagName": SECRET}]})
    draft = Draft(wire, name, {"new.txt": SECRET.encode()}, run=run, type=f"{SECRET}-type", aliases=("latest",))
    part = draft.manifest("INCREMENTAL")["id"]
    other = Draft(wire, f"{SECRET}-other", {"parts.bin": b"parts"}, type=f"{SECRET}-type")
    draft.send_files()
    assert draft.send_manifest().status in (200, 204)
    return {"artifact": made.id, "client": made.asked["clientID"], "type": f"{SECRET}-type", "collection": name,
            "sequence": ids["Sequence"], "portfolio": ids["Portfolio"], "draft": draft.id, "manifest": part,
            "unlinked": other.made["artifactSequence"]["id"], "parts": send_part(other)}


def write_sweep(wire, run):
    """With the secret in all that a sweep can have, a run before it, an agent, and a trial that the agent was given."""
    project = {"entityName": wire.entity, "projectName": wire.project}
    config = {"method": "grid", "parameters": {SECRET: {"values": [f"{SECRET}-a", 2]}}, "metric": {"name": SECRET}}
    made = wire.query("mutation($i: Input) { upsertSweep(input: $i) { sweep { id name } } }", i={
        **project, "config": json.dumps(config), "description": SECRET, "displayName": SECRET, "scheduler": json.dumps({"a": SECRET}),
        "controller": json.dumps({"earlystop": [SECRET]}), "priorRunsFilters": json.dumps({"$or": [{"name": run}]})})
    sweep = made["upsertSweep"]["sweep"]
    agent = wire.query("mutation($i: Input) { createAgent(input: $i) { agent { id name } } }",
                       i={**project, "sweep": sweep["name"], "host": SECRET})["createAgent"]["agent"]
    beat = wire.query("mutation($i: Input) { agentHeartbeat(input: $i) { commands } }", i={"id": agent["id"], "runState": "{}"})
    assert json.loads(beat["agentHeartbeat"]["commands"])[0]["args"] == {SECRET: {"value": f"{SECRET}-a"}}
    return {"sweep": sweep["name"], "sweep_id": sweep["id"], "agent": agent["name"], "agent_id": agent["id"]}


def make_world(url, keys, server):
    """Names of a private project of the team and its run; one beside it is public, with one private run."""
    number = time.monotonic_ns()
    private, public = f"{SECRET}{number}", f"open{number}"
    bob = Api(server, keys["bob"])
    for name, body in ((private, {"description": SECRET}), (public, {"visibility": "public", "description": "shown"})):
        bob.put(f"/api/v1/projects/{TEAM}/{name}", {**body, "crash_after_s": WEEK_S})
    secret = Wire(url, keys["mel"], TEAM, private)
    write_secrets(secret, f"{SECRET}1")
    artifacts = {**write_artifacts(secret, f"{SECRET}1"), **write_sweep(secret, f"{SECRET}1")}
    shown = Wire(url, keys["mel"], TEAM, public)
    shown.start("r1", config={"lr": 1}).history({"_step": 0, "_timestamp": 1795000000, "loss": 1})
    write_secrets(shown, f"{SECRET}2")
    hidden = write_artifacts(shown, f"{SECRET}2", f"{SECRET} of a private run")
    bob.patch(f"/api/v1/projects/{TEAM}/{public}/runs/{SECRET}2", {"visibility": "private"})
    anybody = Api(server)
    for who, most in ((bob, 2), (anybody, 1)):  # both are found, and then one for nobody else
        wait_until(lambda who=who, most=most:
                   who.get(f"/api/v1/projects/{TEAM}/{public}/runs", count="true").json["count"] == most,
                   what="the private run is counted for nobody else")
        who.close()
    return {"entity": TEAM, "user": "mel", "project": private, "run": f"{SECRET}1", "public": public, "hidden": hidden, **artifacts}


@pytest.fixture(scope="module")
def world(shared_place, keys):
    """Nothing changes in it."""
    server = shared_place.server(0)
    return make_world(f"http://127.0.0.1:{server.port}", keys, server)


def artifacts_of(project):
    """Names and ids of artifacts that the project with this number does not have."""
    number = 1 << 60

    def id_of(kind):
        return base64.b64encode(f"{kind}:{project}:{number}".encode()).decode()

    return {"type": "none", "collection": "none", "client": "c" * 128, "manifest": id_of("ArtifactManifest"),
            **{name: id_of("Artifact") for name in ("artifact", "draft")},
            **{name: id_of("ArtifactCollection") for name in ("sequence", "portfolio", "unlinked")},
            "parts": {"completeMultipartAction": "Complete", "completedParts": [{"partNumber": 1, "hexMD5": "0" * 32}],
                      "storagePath": f"wandb_artifacts/{project}/{number}/{'0' * 32}", "artifactID": id_of("Artifact"),
                      "uploadID": id_of("ArtifactUpload")}}


NO_SWEEP = {"sweep": "none", "agent": str(1 << 60),
            **{name: base64.b64encode(f"{kind}{':' + str(1 << 60)}{':' + str(1 << 60)}{last}".encode()).decode()
               for name, kind, last in (("sweep_id", "Sweep", ""), ("agent_id", "SweepAgent", f":{1 << 60}"))}}
NOWHERE = {"entity": "nobodys", "user": "no-such-user", "project": "nothing", "run": "never", **artifacts_of(1 << 60), **NO_SWEEP}


def without_names(answer, names):
    text = json.dumps(answer)
    for kind in ("project", "run", "entity", "user"):
        text = text.replace(f'"{names[kind]}"', f'"{kind}"').replace(f'\\"{names[kind]}\\"', f'\\"{kind}\\"')
    return text


# --- questions

def ask_all(caller, names):
    answer = caller.ask(document(names))
    del answer["data"]["viewer"]  # that is who asks
    return answer


def test_all_that_is_read(world, keys, url):
    """Every field is there for whoever may see it: what follows looks at something."""
    answer = Caller(url, keys["mel"], {}).ask(document(world))
    assert not answer.get("errors"), answer["errors"]
    found = seen_fields("Query", answer["data"], set())
    reached = {name.split(".")[0] for name in found}
    everything = {f"{owner}.{field}" for owner in reached for field, (gives, _) in FIELDS[owner].items()
                  if gives != "Missing"}
    missing = {name for name in everything - found - NOTHING if name.split(".")[0] not in NOTHINGS}
    assert not missing, f"no document reaches {sorted(missing)}"
    answers = below({gives for gives, _ in MUTATIONS.values()} - {"Missing"})
    assert set(FIELDS) <= reached | answers | set(NOTHINGS) | {"Mutation", "NothingConnection", "NothingEdge"}


@pytest.mark.parametrize("who", OUTSIDE)
def test_what_is_private_looks_like_what_is_not_there(as_, world, who):
    """Word for word, but for the names; and nothing of it is said."""
    nowhere = {**NOWHERE, "entity": TEAM}
    there = {**world, "user": "bob"}  # who made nothing that is shown
    told = without_names(ask_all(as_(who), there), there)
    assert SECRET not in told
    assert told == without_names(ask_all(as_(who), nowhere), nowhere)


@pytest.mark.parametrize("who", OUTSIDE)
def test_a_team_of_others_looks_like_none(as_, url, keys, who, db, secret_file):
    """One that owns nothing public."""
    team = f"closed{time.monotonic_ns()}"
    cairnd_run(db.url, secret_file, "team", "add", team)
    cairnd_run(db.url, secret_file, "team", "member", "add", team, "mel", "--role", "member")
    write_secrets(Wire(url, keys["mel"], team, "p"), "r1")
    names = {**NOWHERE, "entity": team, "user": "mel", "project": "p", "run": "r1"}
    assert SECRET in json.dumps(Caller(url, keys["mel"], {}).ask(document(names, "models")))
    assert without_names(ask_all(as_(who), names), names) == without_names(ask_all(as_(who), NOWHERE), NOWHERE)


@pytest.mark.parametrize("who", OUTSIDE)
def test_of_a_public_project_what_is_public(as_, world, who):
    names = {**world, "project": world["public"], "run": "r1"}
    answer = as_(who).ask(document(names))
    assert SECRET not in json.dumps(answer)
    project = answer["data"]["project"]
    assert project["description"] == "shown" and project["readOnly"] and project["runCount"] == 1
    assert [edge["node"]["name"] for edge in project["runs"]["edges"]] == ["r1"]
    assert json.loads(project["run"]["config"])["lr"]["value"] == 1
    hidden = as_(who).ask(document({**names, "run": f"{SECRET}2"}, "project"))["data"]["project"]
    assert hidden["run"] is None and hidden["bucket"] is None


@pytest.mark.parametrize("who", READERS)
def test_who_may_read_reads_and_is_given_nothing_to_write_by(as_, world, who):
    caller = as_(who)
    answer = caller.ask(document(world, "project"))
    assert not answer.get("errors") and SECRET in json.dumps(answer)
    project = answer["data"]["project"]
    assert project["readOnly"] and project["run"]["readOnly"]
    [file] = [edge["node"] for edge in project["run"]["files"]["edges"]]
    for name in ("url", "directUrl"):
        link = urllib.parse.urlsplit(file[name])
        path = f"{link.path}?{link.query}" if link.query else link.path
        assert caller.send("GET", path).body == SECRET.encode()
        assert caller.send("PUT", path, b"changed").status in (403, 405)
        assert caller.send("GET", path).body == SECRET.encode()


def test_keys_are_for_who_may_do_all(as_):
    """As over REST: a key that may less does not even see the others."""
    query = "{ viewer { apiKeys { edges { node { id name description } } } } }"

    def count(who):
        return len(as_(who).ask(query)["data"]["viewer"]["apiKeys"]["edges"])

    assert count("mel") >= 2 and count("mel-reads") == 0


def test_users_are_seen_by_who_works_with_them(as_, callers):
    query = '{ users(query: "%s") { edges { node { username admin teams { edges { node { name } } } } } } }'

    def shown(who, name):
        return [edge["node"] for edge in as_(who).ask(query % name)["data"]["users"]["edges"]]

    assert [node["username"] for node in shown("vic", "mel")] == ["mel"]
    assert shown("vic", "mel")[0]["teams"]["edges"] == [] and shown("vic", "mel")[0]["admin"] is False
    for name in ("mel", "root", "ann", "nobody-at-all"):
        assert shown("stranger", name) == []


# --- changes

def of_run(names):
    return base64.b64encode(f"Run:v1:{names['run']}:{names['project']}:{names['entity']}".encode()).decode()


def inputs(names):
    """{mutation: [input]}, each of which would change something, or tell whether there is something."""
    run = {"entityName": names["entity"], "projectName": names["project"], "runName": names["run"]}
    project = base64.b64encode(f"Project:v1:{names['project']}:{names['entity']}".encode()).decode()
    file = base64.b64encode(f"RunFile:{names['run']}:{names['project']}:{names['entity']}:{SECRET}.txt".encode()).decode()
    upsert = {"entityName": names["entity"], "modelName": names["project"], "name": names["run"], "host": "h",
              "config": '{"a":{"value":1}}', "notes": "changed", "tags": ["changed"]}
    return {
        "upsertBucket": [upsert, {**upsert, "name": "made"}, {**upsert, "modelName": "made"},
                         {"id": of_run(names), "config": '{"a":{"value":2}}', "summaryMetrics": '{"b":1}'}],
        "upsertModel": [{"entityName": names["entity"], "name": names["project"], "description": "changed"},
                        {"entityName": names["entity"], "name": "made", "description": "changed"}],
        "updateRunState": [{"id": of_run(names), "state": "failed"}],
        "stopRun": [{"id": of_run(names)}],
        "rewindRun": [{**run, "metricName": "_step", "metricValue": 0}],
        "createRunFiles": [{**run, "files": ["a.txt"]}],
        "notifyScriptableRunAlert": [{**run, "title": "changed", "text": "changed"}],
        "deleteFiles": [{"files": [file]}],
        "markRunFilesUploaded": [{**run, "files": ["a.txt"]}],
        **inputs_of_artifacts(names),
        **inputs_of_sweeps(names),
        "deleteRun": [{"id": of_run(names)}],
        "deleteModel": [{"id": project}],
        **{name: [{**run, "id": "a", "artifactID": "a", "name": "n"}]
           for name, (gives, _) in MUTATIONS.items() if gives == "Missing"},
    }


def inputs_of_sweeps(names):
    project = {"entityName": names["entity"], "projectName": names["project"]}
    config = json.dumps({"method": "random", "parameters": {"changed": {"min": 1, "max": 2}}})
    return {
        "upsertSweep": [{**project, "config": config}, {**project, "projectName": "made", "config": config},
                        {"id": names["sweep_id"], "state": "RUNNING"},
                        {**project, "id": names["sweep"], "config": config, "displayName": "changed", "controller": "{}"}],
        "createAgent": [{**project, "sweep": names["sweep"], "host": "h"}],
        "agentHeartbeat": [{"id": names["agent_id"], "runState": "{}"}],
    }


def inputs_of_artifacts(names):
    project = {"entityName": names["entity"], "projectName": names["project"]}
    version, draft = {"artifactID": names["artifact"]}, {"artifactID": names["draft"]}
    collection = {**project, "artifactCollectionName": names["collection"]}
    create = {**project, "runName": names["run"], "artifactTypeName": names["type"], "artifactCollectionName": names["collection"],
              "digest": "0" * 32, "digestAlgorithm": "MANIFEST_MD5", "aliases": [], "enableDigestDeduplication": True}
    manifest = {**project, **draft, "runName": names["run"], "name": "wandb_manifest.json", "digest": md5_of(b"{}"), "type": "FULL"}
    file = {**draft, "name": "new.txt", "md5": md5_of(SECRET.encode())}
    aliases = [{**collection, "alias": "changed"}]
    tags = [{"tagName": "changed"}]
    sequence, portfolio = {"artifactSequenceID": names["sequence"]}, {"artifactPortfolioID": names["portfolio"]}
    return {
        "createArtifactType": [{**project, "name": "changed", "description": "changed"}],
        "createArtifact": [{**create, "clientID": names["collection"] + "1"},
                           {**create, "artifactCollectionName": "changed", "clientID": names["collection"] + "2"}],
        "useArtifact": [{**project, **version, "runName": names["run"]}],
        "createArtifactFiles": [{"artifactFiles": [file], "storageLayout": "V2"}],
        "createArtifactManifest": [manifest],
        "updateArtifactManifest": [{"artifactManifestID": names["manifest"], "digest": md5_of(b"{}")}],
        "completeMultipartUploadArtifact": [names["parts"]],
        "commitArtifact": [draft],
        "updateArtifact": [{**version, "description": "changed", "metadata": "{}", "ttlDurationSeconds": 100, "tagsToAdd": tags}],
        "addAliases": [{**version, "aliases": aliases}],
        "deleteAliases": [{**version, "aliases": aliases}],
        "linkArtifact": [{**version, **project, "artifactPortfolioName": "linked", "aliases": []},
                         {"clientID": names["client"], **project, "artifactPortfolioName": "linked", "aliases": []},
                         {**version, **portfolio, "aliases": []}],
        "createArtifactCollectionTagAssignments": [{**collection, "tags": tags}],
        "deleteArtifactCollectionTagAssignments": [{**collection, "tags": tags}],
        "updateArtifactSequence": [{**sequence, "description": "changed"}],
        "updateArtifactPortfolio": [{**portfolio, "description": "changed"}],
        "moveArtifactSequence": [{"artifactSequenceID": names["unlinked"], "destinationArtifactTypeName": "changed"}],
        "unlinkArtifact": [{**version, **portfolio}],
        "deleteArtifact": [{**version, "deleteAliases": True}],
        "deleteArtifactPortfolio": [portfolio],
        "deleteArtifactSequence": [sequence],
    }


def selected(mutation, seen=None):
    """What is asked of its answer: all values, and of objects all but those of runs and projects again."""
    gives = MUTATIONS[mutation][0]
    if gives == "Missing":
        return " { __typename }"
    return selection(gives, {**NOWHERE}, ("Query",), seen)


ALONE = ("createAgent", "agentHeartbeat")  # about a sweep that is not there, the whole answer is a 404


def mutate_alone(caller, name, mutation, value, answer):
    """The same in a request of its own, added to the answer."""
    text = f"mutation M($i: Input) {{ {name}: {mutation}(input: $i){selected(mutation)} }}"
    one = caller.wire.ask(text, caller.headers, i=value)
    assert one.status in (200, 404), one
    answer["data"].update(one.json["data"] if one.status == 200 else {name: None})
    faults = one.json.get("errors", []) if one.status == 200 else [{"message": one.json["error"], "path": [name], "http": 404}]
    answer["errors"] = answer.get("errors", []) + faults


def mutate(caller, names):
    """Nearly all of them in one document: its answer, and what was asked under each name."""
    asked = {f"m{n}": (mutation, value) for n, (mutation, value) in enumerate(
        (mutation, value) for mutation, values in inputs(names).items() for value in values)}
    alone = {name: asked.pop(name) for name in list(asked) if asked[name][0] in ALONE}
    declared = " ".join(f"${name}: Input" for name in asked)
    seen = set()
    fields_ = " ".join(f"{name}: {mutation}(input: ${name}){selected(mutation, seen)}" for name, (mutation, _) in asked.items())
    before = {"data": {}}
    for name, (mutation, value) in alone.items():
        mutate_alone(caller, name, mutation, value, before)
    answer = caller.ask(f"mutation M({declared}) {{ {fields_} }}", **{name: value for name, (_, value) in asked.items()})
    whole = {"data": {**before["data"], **answer["data"]}, "errors": before["errors"] + answer.get("errors", [])}
    return whole, {**alone, **asked}


def faults_of(answer):
    return {fault["path"][0]: fault["message"] for fault in answer.get("errors", [])}


TABLES = ("artifact", "artifact_alias", "artifact_collection", "artifact_member", "artifact_manifest", "artifact_type",
          "run_artifact", "sweep", "sweep_agent", "sweep_trial", "project", "run", "run_hot", "run_writer", "run_file", "run_unread", "run_left_out", "run_branch", "run_alert", "entity", "team_member")
# Without those of versions that are committed: a job removes them.
UPLOADS = "select count(*) from artifact_upload join artifact using (project_id, artifact_id) where state = 1"
STATES = "select count(*) from run_state where who <> 2"  # without those of the sweeper: runs of other tests fall silent


def kept(db, server, keys, names):
    """All that a run shows, and how many there are of all; once nothing of a test before is under way any more."""
    wait_until(lambda: server.metric("cairn_http_requests_in_flight") == 1, what="end of other requests")
    root = Api(server, keys["root"])
    counts = {table: db.value(f"select count(*) from {table}") for table in TABLES}
    counts |= {"states": db.value(STATES), "uploads": db.value(UPLOADS)}
    path = f"/api/v1/projects/{names['entity']}/{names['project']}"
    shown = [root.raw("GET", path + tail).body for tail in (
        "", f"/runs/{names['run']}", f"/runs/{names['run']}/config", f"/runs/{names['run']}/summary",
        f"/runs/{names['run']}/writers", f"/runs/{names['run']}/states", f"/runs/{names['run']}/files/{SECRET}.txt",
        f"/runs/{names['run']}/history?format=ndjson", f"/runs/{names['run']}/console", f"/runs/{names['run']}/unread")]
    root.close()
    return counts, shown


HIDDEN = f"{SECRET}2"  # in the public project of the world
ABSENT = "none2"


@pytest.mark.parametrize("who", OUTSIDE)
def test_a_private_run_of_a_public_project_is_none(as_, world, who, db, server, keys):
    """By every question and change, and by the stream: word for word, but for the name."""
    hidden = {**world, "project": world["public"], "run": HIDDEN, **world["hidden"]}
    number = base64.b64decode(hidden["artifact"]).decode().split(":")[1]
    absent = {**hidden, "run": ABSENT, **artifacts_of(number)}
    before = kept(db, server, keys, hidden)
    caller = as_(who)

    def said(names):
        answers = [caller.ask(document(names)), mutate(caller, names)[0]]
        answers += [caller.send(method, path, body or b"", {"Content-Type": "application/json"}) for method, path, body in paths(names)]
        told = [answer if isinstance(answer, dict) else {**answer.json, "request_id": "", "http": answer.status} for answer in answers]
        return json.dumps(told).replace(names["run"], "RUN")

    assert said(hidden) == said(absent)
    assert kept(db, server, keys, hidden) == before


@pytest.mark.parametrize("who", [*READERS, "mel"])
def test_links_of_names_that_do_not_exist_are_for_who_may_write(as_, world, who):
    """One would work for whatever comes to the name until it expires."""
    query = """query($e: String!, $p: String!, $r: String!) { project(entityName: $e, name: $p) { run(name: $r) {
        files(names: ["later.txt", "%s.txt"]) { edges { node { url(upload: true) directUrl } } } } } }""" % SECRET
    answer = as_(who).ask(query, e=world["entity"], p=world["project"], r=world["run"])
    later, there = [edge["node"] for edge in answer["data"]["project"]["run"]["files"]["edges"]]
    assert "signature=" in there["directUrl"]
    for link in later.values():
        assert ("signature=" in link) == (who == "mel"), link


def test_every_mutation_has_an_input():
    assert set(inputs(NOWHERE)) == set(MUTATIONS)


@pytest.mark.parametrize("who", OUTSIDE + READERS)
def test_nothing_is_changed_by_who_may_not(as_, world, who, db, server, keys):
    before = kept(db, server, keys, world)
    answer, asked = mutate(as_(who), world)
    if who in OUTSIDE:
        nowhere = {**NOWHERE, "entity": TEAM}
        told = without_names(answer, world)
        assert SECRET not in told and told == without_names(mutate(as_(who), nowhere)[0], nowhere)
    else:
        done = {asked[name][0] for name, value in answer["data"].items() if value is not None}
        assert done == {"markRunFilesUploaded"}  # which does nothing
    assert kept(db, server, keys, world) == before


def test_who_may_changes_it(as_, url, db, server, keys):
    """So that the inputs are good ones: by an admin of the team each is done, or is nothing that is kept yet."""
    names = make_world(url, keys, server)
    before = kept(db, server, keys, names)
    answer, asked = mutate(as_("bob"), names)
    for name, message in faults_of(answer).items():
        assert "not supported by this server yet" in message, f"{asked[name]}: {message}"
    after = kept(db, server, keys, names)
    assert after[0]["project"] > before[0]["project"] and after[0]["run"] > before[0]["run"]
    assert b"was deleted" in after[1][0] and b"was deleted" in after[1][1]


def test_a_run_is_named(as_, url, server, keys, db):
    """Who may write in a project, and says no run, means none."""
    names = make_world(url, keys, server)
    before = kept(db, server, keys, names)
    for mutation in ("createRunFiles", "notifyScriptableRunAlert", "rewindRun"):
        for left in ("runName", "projectName"):
            value = {key: each for key, each in inputs(names)[mutation][0].items() if key != left}
            answer = as_("mel").ask(f"mutation M($i: Input) {{ {mutation}(input: $i){selected(mutation)} }}", i=value)
            assert answer["data"] == {mutation: None} and answer["errors"], f"{mutation} without {left}"
    assert kept(db, server, keys, names) == before


# --- paths

ROWS = json.dumps({"files": {"wandb-history.jsonl": {"offset": 5, "content": ['{"_step": 9, "a": 1}', "nonsense"]}},
                   "complete": True, "exitcode": 0}).encode()


def paths(names):
    run = f"{names['entity']}/{names['project']}/{names['run']}"
    return [("POST", f"/files/{run}/file_stream", ROWS), ("GET", f"/files/{run}/{SECRET}.txt", None),
            ("GET", f"/api/v1/projects/{names['entity']}/{names['project']}/runs/{names['run']}/files", None)]


@pytest.mark.parametrize("shared", [False, True], ids=["plain", "shared"])
def test_lines_and_files_of_others(as_, world, db, server, keys, wire, shared):
    before = kept(db, server, keys, world)
    headers = {"Content-Type": "application/json"}
    if shared:
        headers["X-WANDB-ASYNC-CLIENT-ID"] = "c" * 32
    for who in OUTSIDE:
        for there, nowhere in zip(paths(world), paths({**NOWHERE, "entity": TEAM}), strict=True):
            answers = [as_(who).send(method, path, body or b"", headers) for method, path, body in (there, nowhere)]
            assert [answer.status for answer in answers] == [404, 404], there
            told = [without_names({**answer.json, "request_id": ""}, names)
                    for answer, names in zip(answers, (world, {**NOWHERE, "entity": TEAM}), strict=True)]
            assert told[0] == told[1] and SECRET not in told[0]
    for who in READERS:
        assert as_(who).send("POST", paths(world)[0][1], ROWS, headers).status == 403
        assert as_(who).send("GET", paths(world)[1][1]).body == SECRET.encode()
    for key in (False, True):
        wire.key = "0" * 40
        for method, path, body in paths(world):
            assert wire.send(method, path, body or b"", headers, key=key).status == 401
    assert kept(db, server, keys, world) == before


def artifact_paths(names):
    """Of a file of an artifact, by its MD5, as the SDK makes them."""
    place = f"/artifactsV2/default/{names['entity']}/{names['project']}/{names['collection']}"
    digest = hashlib.md5(SECRET.encode()).hexdigest()
    short = f"/artifactsV2/default/{names['entity']}"
    return [f"{place}/{names['artifact']}/{digest}/{SECRET}.txt", f"{place}//{digest}/", f"{place}/{names['artifact']}//{digest}/a",
            f"{short}/{names['artifact']}/{digest}", f"{short}//{digest}", f"/artifacts/{names['entity']}/{digest}"]


def test_files_of_artifacts_of_others(as_, url, world, callers, db, server, keys):
    """An MD5 grants nothing; and one of a project is not found in another one."""
    before = kept(db, server, keys, world)
    nowhere = {**NOWHERE, "entity": TEAM}
    for there, absent in zip(artifact_paths(world), artifact_paths(nowhere), strict=True):
        for who in OUTSIDE:
            answers = [as_(who).send("GET", path) for path in (there, absent)]
            assert [answer.status for answer in answers] == [404, 404], there
            assert [{**answer.json, "request_id": ""} for answer in answers][0] == {**answers[1].json, "request_id": ""}
        for who in (*READERS, "mel"):
            assert as_(who).send("GET", there).body == SECRET.encode(), there
            assert as_(who).send("GET", absent).status in (200, 404)
        for key in (False, True):
            answer = Wire(url, "0" * 40, TEAM, "p").send("GET", there, key=key)
            assert answer.status in (401, 404) and SECRET.encode() not in answer.body
    other = {**world, "project": world["public"], "collection": "none", "artifact": ""}
    assert [as_("mel").send("GET", path).status for path in artifact_paths(other)[:3]] == [404, 404, 404]
    assert kept(db, server, keys, world) == before


def test_links_to_files_of_artifacts(as_, url, world):
    """Each is for the one file, and is refused with anything in it changed."""
    query = """query($id: ID!) { artifact(id: $id) { currentManifest { file { directUrl } }
        files { edges { node { name directUrl } } } } }"""
    shown = as_("vic").ask(query, id=world["artifact"])["data"]["artifact"]
    links = {edge["node"]["name"]: edge["node"]["directUrl"] for edge in shown["files"]["edges"]}
    links["manifest"] = shown["currentManifest"]["file"]["directUrl"]
    anybody = Wire(url, "0" * 40, TEAM, "p")
    for name, link in links.items():
        at = urllib.parse.urlsplit(link)
        path = f"{at.path}?{at.query}"
        assert anybody.send("GET", path, key=False).status == 200, name
        assert anybody.send("PUT", path, b"changed", key=False).status in (403, 405), name
        for wrong in (path.replace("expires=", "expires=1"), path.replace("user=", "user=1"), path[:-1] + ("A" if path[-1] != "A" else "B"),
                      at.path, path.replace(f"{SECRET}.txt", "in/b.txt").replace(hashlib.md5(SECRET.encode()).hexdigest(), "0" * 32)
                      if name == f"{SECRET}.txt" else at.path):
            answer = anybody.send("GET", wrong, key=False)
            assert answer.status in (403, 404) and SECRET.encode() not in answer.body, wrong


def test_a_private_run_that_used_a_public_artifact(as_, url, keys, world):
    """Lineage shows runs to who may see them, and versions that a private run made."""
    public = Wire(url, keys["mel"], TEAM, world["public"])
    made = Draft(public, f"seen{time.monotonic_ns()}", {"a.txt": b"a"}, run="r1")
    made.send()
    public.query(USE, input={"entityName": TEAM, "projectName": world["public"], "runName": "r1", "artifactID": world["hidden"]["artifact"]})
    for run in (HIDDEN, "r1"):
        public.query(USE, input={"entityName": TEAM, "projectName": world["public"], "runName": run, "artifactID": made.id})
    query = """query($id: ID!) { artifact(id: $id) { id createdBy { ... on Run { name } }
        usedBy { edges { node { name } } } } }"""
    inputs_of = """query($e: String!, $p: String!) { project(entityName: $e, name: $p) { run(name: "r1") {
        inputArtifacts { totalCount edges { node { id } } } } } }"""
    for who, names in (("mel", [HIDDEN, "r1"]), *((who, ["r1"]) for who in OUTSIDE)):
        shown = as_(who).ask(query, id=made.id)["data"]["artifact"]
        assert sorted(edge["node"]["name"] for edge in shown["usedBy"]["edges"]) == sorted(names), who
        assert shown["createdBy"]["name"] == "r1", who
        used = as_(who).ask(inputs_of, e=TEAM, p=world["public"])["data"]["project"]["run"]["inputArtifacts"]
        assert used["totalCount"] == len(used["edges"]) == (2 if who == "mel" else 1), who


def test_a_link_is_no_way_into_a_private_project(as_, url, keys, world, callers):
    """A version of a private project in a portfolio of a public one is for who may read its own project."""
    public = Wire(url, keys["mel"], TEAM, world["public"])
    name = f"shared{time.monotonic_ns()}"
    assert public.query(LINK, input={"artifactID": world["artifact"], "artifactPortfolioName": name, "entityName": TEAM,
                                     "projectName": world["public"], "aliases": [{"artifactCollectionName": name, "alias": "open"}]})
    query = """query($e: String!, $p: String!, $n: String!, $c: String!) { project(entityName: $e, name: $p) {
        artifact(name: $n) { id } artifactCollectionMembership(name: $n) { id artifact { id } }
        artifactCollection(name: $c) { name artifacts { totalCount edges { node { id } } } artifactMembership(aliasName: "open") { id } } } }"""
    for who in ("mel", *OUTSIDE):
        answer = as_(who).ask(query, e=TEAM, p=world["public"], n=f"{name}:open", c=name)
        shown = answer["data"]["project"]
        found = [shown["artifact"], shown["artifactCollectionMembership"], shown["artifactCollection"]["artifactMembership"],
                 *shown["artifactCollection"]["artifacts"]["edges"]]
        assert (len(found), any(found)) == ((4, True) if who == "mel" else (3, False)), who
        assert SECRET not in json.dumps(answer) and not answer.get("errors")
        assert shown["artifactCollection"]["artifacts"]["totalCount"] == (1 if who == "mel" else 0)


def test_links_into_a_private_project_are_hidden(as_, url, keys, world):
    """A version of a public project shows its links to who may read the project of the portfolio."""
    public = Wire(url, keys["mel"], TEAM, world["public"])
    made = Draft(public, f"linked{time.monotonic_ns()}", {"a.txt": b"a"})
    made.send()
    portfolio = f"{SECRET}-{time.monotonic_ns()}"
    public.query(LINK, input={"artifactID": made.id, "artifactPortfolioName": portfolio, "entityName": TEAM,
                              "projectName": world["project"], "aliases": [{"artifactCollectionName": portfolio, "alias": SECRET}]})
    query = """query($id: ID!) { artifact(id: $id) { aliases { alias artifactCollection { name project { name } } }
        artifactMemberships { totalCount edges { node { aliases { alias } artifactCollection { name project { name } } } } } } }"""
    for who in ("mel", *OUTSIDE):
        answer = as_(who).ask(query, id=made.id)
        shown = answer["data"]["artifact"]
        assert shown["artifactMemberships"]["totalCount"] == (2 if who == "mel" else 1), who
        assert (SECRET in json.dumps(answer)) == (who == "mel"), who
        assert "latest" in [alias["alias"] for alias in shown["aliases"]], who


def test_a_parameter_of_rest_purges_nothing(wire, read, api):
    """What the SDK deletes can be restored, whatever stands in the address."""
    wire.start("r1")
    names = {"entity": wire.entity, "project": wire.project, "run": "r1"}
    text = f'mutation {{ deleteRun(input: {{id: "{of_run(names)}"}}) {{ __typename }} }}'
    answer = wire.send("POST", "/graphql?purge=now", json.dumps({"query": text}).encode(),
                       {"Content-Type": "application/json"})
    assert answer.status == 200 and "errors" not in answer.json
    assert api.request("GET", read("r1").path).status == 410
    assert api.post(f"{read('r1').path}/restore")["id"] == "r1"


def test_a_key_is_needed_for_every_question(wire, world):
    wire.key = "f" * 40
    texts = [document(world), *(f"mutation {{ {name}(input: {{}}) {{ __typename }} }}" for name in MUTATIONS)]
    for key in (False, True):
        for text in texts:
            answer = wire.send("POST", "/graphql", json.dumps({"query": text}).encode(),
                               {"Content-Type": "application/json"}, key=key)
            assert answer.status == 401 and SECRET not in answer.body.decode()
