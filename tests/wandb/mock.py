"""What the recorder's server answers: just enough for an SDK to go on, from a few runs in memory.

A document is walked over TYPES, which says of each field what type it has. What is not there is answered
null and its `Type.field` noted, so TYPES can be completed by looking.
"""
import base64
import json
import math

from graphql import language as gql

TYPES = {
    "Query": {
        "viewer": "User", "serverInfo": "ServerInfo", "project": "Project", "model": "Project",
        "models": "ProjectConnection", "entity": "Entity", "organization": "Organization",
        "users": "UserConnection", "__type": "__Type", "artifact": "Artifact", "sweep": "Sweep",
        "clientIDMapping": "ClientIDMapping", "artifactCollection": "ArtifactCollection",
    },
    "Mutation": {
        "upsertBucket": "UpsertBucketPayload", "createRunFiles": "CreateRunFilesPayload",
        "rewindRun": "RewindRunPayload", "deleteRun": "DeleteRunPayload", "stopRun": "StopRunPayload",
        "updateRunState": "UpdateRunStatePayload", "deleteFiles": "DeleteFilesPayload",
        "notifyScriptableRunAlert": "NotifyScriptableRunAlertPayload",
        "markRunFilesUploaded": "MarkRunFilesUploadedPayload", "upsertModel": "UpsertModelPayload",
        "deleteModel": "DeleteModelPayload", "createArtifact": "CreateArtifactPayload",
        "createArtifactManifest": "CreateArtifactManifestPayload", "createArtifactType": "CreateArtifactTypePayload",
        "upsertSweep": "UpsertSweepPayload", "createCustomChart": "CreateCustomChartPayload",
        "useArtifact": "UseArtifactPayload", "commitArtifact": "CommitArtifactPayload",
        "createArtifactFiles": "CreateArtifactFilesPayload", "createUser": "CreateUserPayload",
        "moveRuns": "MoveRunsPayload",
    },
    "ServerInfo": {"features": "ServerFeature", "latestLocalVersionInfo": "LocalVersionInfo"},
    "User": {"teams": "EntityConnection", "apiKeys": "ApiKeyConnection"},
    "EntityConnection": {"edges": "EntityEdge"}, "EntityEdge": {"node": "Entity"},
    "ApiKeyConnection": {"edges": "ApiKeyEdge"}, "ApiKeyEdge": {"node": "ApiKey"},
    "UserConnection": {"edges": "UserEdge", "pageInfo": "PageInfo"}, "UserEdge": {"node": "User"},
    "Entity": {"organization": "Organization", "members": "Member", "projects": "ProjectConnection",
               "user": "User"},
    "Organization": {"orgEntity": "Entity", "featureFlags": "FeatureFlag"},
    "ProjectConnection": {"edges": "ProjectEdge", "pageInfo": "PageInfo"}, "ProjectEdge": {"node": "Project"},
    "Project": {"entity": "Entity", "user": "User", "run": "Run", "bucket": "Run", "runs": "RunConnection",
                "buckets": "RunConnection", "sweeps": "SweepConnection", "sweep": "Sweep",
                "artifact": "Artifact", "artifactType": "ArtifactType", "artifactTypes": "ArtifactTypeConnection",
                "artifactCollectionMembership": "ArtifactCollectionMembership"},
    "RunConnection": {"edges": "RunEdge", "pageInfo": "PageInfo"}, "RunEdge": {"node": "Run"},
    "Run": {"project": "Project", "user": "User", "files": "FileConnection", "logLines": "LogLineConnection",
            "parquetHistory": "ParquetHistory", "outputArtifacts": "ArtifactConnection",
            "inputArtifacts": "ArtifactConnection", "sweep": "Sweep", "runInfo": "RunInfo", "agent": "Agent"},
    "FileConnection": {"edges": "FileEdge", "pageInfo": "PageInfo"}, "FileEdge": {"node": "File"},
    "LogLineConnection": {"edges": "LogLineEdge", "pageInfo": "PageInfo"}, "LogLineEdge": {"node": "LogLine"},
    "ArtifactConnection": {"edges": "ArtifactEdge", "pageInfo": "PageInfo"}, "ArtifactEdge": {"node": "Artifact"},
    "SweepConnection": {"edges": "SweepEdge", "pageInfo": "PageInfo"}, "SweepEdge": {"node": "Sweep"},
    "ArtifactTypeConnection": {"edges": "ArtifactTypeEdge", "pageInfo": "PageInfo"},
    "ArtifactTypeEdge": {"node": "ArtifactType"},
    "UpsertBucketPayload": {"bucket": "Run"}, "RewindRunPayload": {"rewoundRun": "Run"},
    "CreateRunFilesPayload": {"files": "UploadFile"}, "UpsertModelPayload": {"project": "Project", "model": "Project"},
    "__Type": {"fields": "__Field", "inputFields": "__InputValue"}, "__Field": {"args": "__InputValue"},
    "UpsertSweepPayload": {"sweep": "Sweep"}, "CreateCustomChartPayload": {"chart": "CustomChart"},
}
CREATED = "2026-11-20T20:49:34Z"


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def strict(value):
    """Where an answer is JSON itself it has no NaN; in texts of JSON it may."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def flat(row, before=""):
    """Nested keys with dots."""
    found = {}
    for key, value in row.items():
        if isinstance(value, dict) and "_type" not in value:
            found.update(flat(value, f"{before}{key}."))
        else:
            found[before + key] = value
    return found


class Run(dict):
    """Its fields as the documents name them."""

    def __init__(self, name, project, entity, url):
        super().__init__(
            id=encoded(f"Run:v1:{name}:{project['name']}:{entity}"), name=name, displayName="quiet-sea-1",
            config="{}", summaryMetrics="{}", systemMetrics="{}", tags=[], state="running", projectId=7,
            createdAt=CREATED, heartbeatAt=CREATED, readOnly=False, stopped=False, project=project,
            wandbConfig='{"t":{}}', user=project["user"])
        self.lines = {}
        self.uploads = {}
        self.url = url

    def file(self, name):
        url = f"{self.url}/storage/{self['name']}/{name}"
        content = self.uploads.get(name, b"")
        return {"id": encoded("RunFile:" + name), "name": name, "url": url, "directUrl": url, "uploadUrl": url,
                "sizeBytes": len(content), "mimetype": "text/plain", "updatedAt": CREATED, "md5": None}

    def stream(self, body):
        for name, part in body.get("files", {}).items():
            lines = self.lines.setdefault(name, {})
            lines.update(enumerate(part["content"], part["offset"]))
        if "wandb-summary.json" in self.lines:
            self["summaryMetrics"] = self.lines["wandb-summary.json"][0]
        if body.get("complete"):
            self["state"] = "finished" if not body["exitcode"] else "failed"

    def rows(self, name="wandb-history.jsonl"):
        return [line for _, line in sorted(self.lines.get(name, {}).items())]

    def history_keys(self):
        rows = [flat(json.loads(row)) for row in self.rows()]
        if not rows:
            return None
        numbers = {k: strict(v) for row in rows for k, v in row.items() if isinstance(v, (int, float))}
        keys = {k: {"typeCounts": [{"type": "number", "count": 1}], "monotonic": False, "previousValue": v}
                for k, v in numbers.items()}
        return {"sets": [], "keys": keys, "lastStep": rows[-1].get("_step", len(rows) - 1)}

    def sampled(self, specs):
        wanted = [json.loads(spec)["keys"] for spec in specs]
        rows = [json.loads(row) for row in self.rows()]
        return [[{k: strict(row[k]) for k in keys} for row in rows if all(k in row for k in keys)] for keys in wanted]

    def field(self, name, args):
        made = {
            "historyLineCount": lambda: len(self.rows()),
            "eventsLineCount": lambda: len(self.rows("wandb-events.jsonl")),
            "logLineCount": lambda: len(self.rows("output.log")),
            "historyTail": lambda: json.dumps(self.rows()[-1:]),
            "eventsTail": lambda: json.dumps(self.rows("wandb-events.jsonl")[-1:]),
            "history": self.rows, "events": lambda: self.rows("wandb-events.jsonl"),
            "historyKeys": self.history_keys, "lastHistoryStep": lambda: len(self.rows()) - 1,
            "sampledHistory": lambda: self.sampled(args["specs"]),
            "parquetHistory": lambda: {"parquetUrls": [], "liveData": []},
            "fileCount": lambda: len(self.uploads),
            "files": lambda: connection(self.file(n) for n in args.get("names") or sorted(self.uploads)),
            "logLines": lambda: connection({"number": n, "line": line, "timestamp": None, "label": None,
                                            "level": None} for n, line in enumerate(self.rows("output.log"))),
        }
        return made[name]() if name in made else self.get(name)


def connection(nodes):
    edges = [{"node": node, "cursor": str(n)} for n, node in enumerate(nodes)]
    return {"edges": edges, "pageInfo": {"endCursor": None, "hasNextPage": False}, "totalCount": len(edges)}


class World:
    def __init__(self, url, features=()):
        self.url = url
        self.features = features
        self.runs = {}
        self.unknown = {}
        self.user = {"id": encoded("User:1"), "username": "ann", "name": "ann", "email": "ann@example.com",
                     "entity": "ann", "flags": "{}", "admin": False}
        team = {"id": encoded("Entity:1"), "name": "ann", "organization": None}
        self.user["teams"] = connection([team])
        self.user["apiKeys"] = connection([{"id": encoded("Key:1"), "name": "0000", "description": None}])
        self.project = {"id": encoded("Project:1"), "internalId": encoded("ProjectInternalId:7"), "name": "digits",
                        "entityName": "ann", "entity": team, "createdAt": CREATED, "isBenchmark": False,
                        "readOnly": False, "user": self.user}

    def run(self, name):
        if name not in self.runs:
            self.runs[name] = Run(name, self.project, "ann", self.url)
        return self.runs[name]

    def upsert(self, args):
        given = args["input"]
        name = given.get("name") or next(r["name"] for r in self.runs.values() if r["id"] == given["id"])
        inserted = name not in self.runs
        run = self.run(name)
        for key in ("config", "displayName", "notes", "tags", "summaryMetrics", "jobType"):
            if given.get(key) is not None:
                run[key] = given[key]
        return {"bucket": run, "inserted": inserted}

    def type_of(self, args):
        fields = {"ServerInfo": ["cliVersionInfo", "latestLocalVersionInfo", "features"],
                  "Query": list(TYPES["Query"]), "Mutation": list(TYPES["Mutation"]),
                  "CreateArtifactFileSpecInput": ["artifactID", "artifactManifestID", "name", "md5", "mimetype"],
                  "Artifact": ["aliases", "ttlDurationSeconds", "ttlIsInherited", "tags", "historyStep"]}
        names = [{"name": field, "args": []} for field in fields.get(args["name"], [])]
        return {"name": args["name"], "fields": names, "inputFields": names}

    def query(self, name, args):
        found = {
            "viewer": lambda: self.user, "__type": lambda: self.type_of(args),
            "serverInfo": lambda: {
                "features": [{"name": f, "isEnabled": True} for f in self.features],
                "cliVersionInfo": {"min_cli_version": "0.10.0", "max_cli_version": "99.0.0"}},
            "project": lambda: {**self.project, "runs": None}, "model": lambda: self.project,
            "models": lambda: connection([self.project]),
            "entity": lambda: {"id": encoded("Entity:1"), "name": "ann", "organization": None, "members": []},
            "users": lambda: connection([self.user]),
        }
        return found[name]() if name in found else None

    def mutation(self, name, args):
        given = args.get("input", {})
        found = {
            "upsertBucket": lambda: self.upsert(args),
            "rewindRun": lambda: {"rewoundRun": self.run(given["runName"])},
            "createRunFiles": lambda: {
                "runID": "1", "uploadHeaders": [],
                "files": [self.run(given["runName"]).file(f) for f in given["files"]]},
            "upsertModel": lambda: {"project": self.project, "model": self.project, "inserted": True},
        }
        if name in found:
            return found[name]()
        if name in ("deleteRun", "stopRun", "updateRunState", "deleteFiles", "notifyScriptableRunAlert",
                    "markRunFilesUploaded", "deleteModel"):
            return {"success": True, "clientMutationId": None}
        raise LookupError(f"{name} is not recorded")

    def field(self, type_name, parent, name, args):
        if name == "__typename":
            return type_name
        if type_name == "Query":
            return self.query(name, args)
        if type_name == "Mutation":
            return self.mutation(name, args)
        if isinstance(parent, Run):
            return parent.field(name, args)
        if type_name == "Project" and name in ("run", "bucket"):
            return self.runs.get(args.get("name"))
        if type_name == "Project" and name in ("runs", "buckets"):
            return connection(self.runs.values())
        if type_name == "Project" and name == "runCount":
            return len(self.runs)
        return parent.get(name)


class Walk:
    """One document, executed; `asked` are the fields it names, in order."""

    def __init__(self, world, body):
        self.world = world
        document = gql.parse(body["query"])
        self.variables = body.get("variables") or {}
        self.fragments = {d.name.value: d for d in document.definitions if d.kind == "fragment_definition"}
        operations = [d for d in document.definitions if d.kind == "operation_definition"]
        named = [d for d in operations if d.name and d.name.value == body.get("operationName")]
        self.operation = (named or operations)[0]
        self.asked = {}

    def value(self, node):
        if node.kind == "variable":
            return self.variables.get(node.name.value)
        if node.kind == "object_value":
            return {f.name.value: self.value(f.value) for f in node.fields or ()}
        if node.kind == "list_value":
            return [self.value(v) for v in node.values]
        return getattr(node, "value", None)

    def answer(self):
        root = self.operation.operation.value.title()
        return self.select(self.operation.selection_set, root, {})

    def select(self, selections, type_name, parent):
        out = {}
        for node in selections.selections:
            if node.kind == "fragment_spread":
                fragment = self.fragments[node.name.value]
                out.update(self.select(fragment.selection_set, fragment.type_condition.name.value, parent))
            elif node.kind == "inline_fragment":
                on = node.type_condition.name.value if node.type_condition else type_name
                out.update(self.select(node.selection_set, on, parent))
            else:
                out[(node.alias or node.name).value] = self.field(node, type_name, parent)
        return out

    def field(self, node, type_name, parent):
        name = node.name.value
        args = {a.name.value: self.value(a.value) for a in node.arguments or ()}
        self.asked.setdefault(f"{type_name}.{name}", sorted(args))
        inner = TYPES.get(type_name, {}).get(name) or f"{type_name}.{name}"
        value = self.world.field(type_name, parent, name, args) if parent is not None else None
        if node.selection_set is None:
            return value
        return self.inner(node.selection_set, inner, value)

    def inner(self, selections, type_name, value):
        if value is None:
            self.select(selections, type_name, None)
            return None
        if isinstance(value, list):
            if not value:
                self.select(selections, type_name, None)
            return [self.inner(selections, type_name, each) for each in value]
        return self.select(selections, type_name, value)
