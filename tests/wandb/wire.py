"""A small client that speaks as the SDK does, one request a call: for what a real one cannot be made to do.

    run = wire.start("r1")                  # a plain process: UpsertBucket as wandb.init() sends it
    run.history({"_step": 0, "loss": 1})    # the next lines of its file
    run.post(history=(0, rows))             # lines wherever one wants, again, with gaps
    worker = wire.start("r1", shared=True)  # with a client id in the headers
    folder = wire.sync("r1")                # a plain process that tells no script, as `wandb sync` does
"""
import base64
import http.client
import json
import secrets
import string
import urllib.parse

from cluster import wait_until

UPSERT = """
mutation UpsertBucket($id: String, $name: String, $project: String, $entity: String, $groupName: String,
    $displayName: String, $notes: String, $config: JSONString, $host: String, $program: String, $jobType: String,
    $sweep: String, $tags: [String!], $summaryMetrics: JSONString) {
  upsertBucket(input: {id: $id, name: $name, groupName: $groupName, modelName: $project, entityName: $entity,
      displayName: $displayName, notes: $notes, config: $config, host: $host, jobProgram: $program,
      jobType: $jobType, sweep: $sweep, tags: $tags, summaryMetrics: $summaryMetrics,}) {
    bucket { id name displayName description config sweepName historyLineCount
      project { id name entity { id name } } }
    inserted
  }
}"""
RESUME = """
query RunResumeStatus($project: String, $entity: String, $name: String!) {
  model(name: $project, entityName: $entity) { id name entity { id name }
    bucket(name: $name, missingOk: true) { id name summaryMetrics displayName logLineCount historyLineCount
      eventsLineCount historyTail eventsTail config tags notes wandbConfig(keys: ["t"]) } } }"""
REWIND = """
mutation RewindRun($runName: String!, $entity: String, $project: String, $metricName: String!,
    $metricValue: Float!) {
  rewindRun(input: {runName: $runName, entityName: $entity, projectName: $project, metricName: $metricName,
      metricValue: $metricValue}) {
    rewoundRun { id name historyLineCount config } } }"""
FILES = {"history": "wandb-history.jsonl", "events": "wandb-events.jsonl", "console": "output.log",
         "summary": "wandb-summary.json"}
LETTERS = string.ascii_lowercase + string.digits


def new_client_id():
    return "".join(secrets.choice(LETTERS) for _ in range(32))


def lines_of(rows):
    """Rows as lines; a text is a line already."""
    return [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:600]!r}>"


class Wire:
    def __init__(self, url, key, entity, project):
        self.at = urllib.parse.urlsplit(url)
        self.key = key
        self.entity = entity
        self.project = project

    def send(self, method, path, body=b"", headers=None, key=True):
        """One exchange on a connection of its own, nothing judged."""
        sent = {"User-Agent": "wandb-core", **(headers or {})}
        if key:
            sent["Authorization"] = "Basic " + base64.b64encode(f"api:{self.key}".encode()).decode()
        connection = http.client.HTTPConnection(self.at.hostname, self.at.port, timeout=120)
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def ask(self, query, headers=None, **variables):
        """The whole answer of a document."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        return self.send("POST", "/graphql", body, {"Content-Type": "application/json", **(headers or {})})

    def query(self, query, headers=None, **variables):
        """Its data; an error fails the test. Asks again when the server is busy, as the SDK does."""
        answer = wait_until(lambda: (a := self.ask(query, headers, **variables)).status != 503 and a, what="an answer")
        assert answer.status == 200 and not answer.json.get("errors"), answer
        return answer.json["data"]

    def start(self, name, shared=False, client_id=None, **more):
        return Process(self, name, client_id or (new_client_id() if shared else None), **more)

    def sync(self, name, program="/opt/sdk/bin/wandb"):
        """The program of `wandb sync`; up to 0.28.0 it tells none."""
        return Process(self, name, None, program=program)

    def resume(self, name):
        """A plain process that goes on where the run stands, as resume="must" does."""
        status = self.query(RESUME, project=self.project, entity=self.entity, name=name)["model"]["bucket"]
        process = Process(self, name, None, id=status["id"])
        process.offsets = {"history": status["historyLineCount"], "events": status["eventsLineCount"],
                           "console": status["logLineCount"]}
        return process, status

    def rewind(self, name, step):
        return self.query(REWIND, runName=name, entity=self.entity, project=self.project, metricName="_step",
                          metricValue=step)["rewindRun"]["rewoundRun"]


class Process:
    """One writer of a run. `offsets` are where its files go on."""

    def __init__(self, wire, name, client_id, config=None, **more):
        self.wire = wire
        self.name = name
        self.client_id = client_id
        self.last = None
        begun = {"host": "node1", "program": "train.py", **more}
        data = self.upsert(config={} if config is None else config, **begun)
        self.bucket = data["bucket"]
        self.inserted = data["inserted"]
        self.offsets = {"history": self.bucket["historyLineCount"] or 0, "events": 0, "console": 0}

    def headers(self, id_name):
        if self.client_id is None:
            return {}
        return {"X-WANDB-USE-ASYNC-FILESTREAM": "true", id_name: self.client_id}

    def upsert(self, config=None, **more):
        """`config` without the SDK's wrapping; `None` leaves it as it is."""
        if config is not None:
            config = json.dumps({key: {"value": value} for key, value in config.items()})
        return self.wire.query(UPSERT, self.headers("X-WANDB-CLIENT-ID"), name=self.name, entity=self.wire.entity,
                               project=self.wire.project, config=config, **more)["upsertBucket"]

    @property
    def path(self):
        parts = (self.wire.entity, self.wire.project, self.name)
        return "/files/" + "/".join(urllib.parse.quote(part) for part in parts) + "/file_stream"

    def raw(self, body, **headers):
        sent = {"Content-Type": "application/json", **self.headers("X-WANDB-ASYNC-CLIENT-ID"), **headers}
        return self.wire.send("POST", self.path, body, sent)

    def post(self, more=None, **files):
        """files: history=(offset, rows); what it answers must be good."""
        body = dict(more or {})
        if files:
            body["files"] = {FILES[kind]: {"offset": offset, "content": lines_of(rows)}
                             for kind, (offset, rows) in files.items()}
        self.last = json.dumps(body).encode()
        return self.again()

    def again(self):
        """The last body, byte for byte; asked to come again, it does, as the SDK would."""
        answer = self.patiently(self.last)
        assert answer.status == 200, answer
        return answer.json

    def patiently(self, body, **headers):
        """Again as long as the server is busy."""
        def ask():
            answer = self.raw(body, **headers)
            return None if answer.status == 503 else answer
        return wait_until(ask, seconds=120, what="answer other than 503")

    def _next(self, kind, rows):
        offset = self.offsets[kind]
        self.offsets[kind] += len(rows)
        return self.post(**{kind: (offset, rows)})

    def history(self, *rows):
        return self._next("history", rows)

    def events(self, *rows):
        return self._next("events", rows)

    def console(self, *rows):
        return self._next("console", rows)

    def summary(self, document):
        return self.post(summary=(0, [document]))

    def complete(self, exit_code=0):
        return self.post({"complete": True, "exitcode": exit_code})
