"""A run and its writers as tests see them: each call is one request."""
from rest import encode

PROJECT = "/api/v1/projects/ann/digits"


class Run:
    def __init__(self, api, name="r1", project=PROJECT, make=True):
        self.api = api
        self.name = name
        self.path = f"{project}/runs/{name}"
        if make:
            api.put(self.path, {})

    def at(self, server):
        """The same run by way of another server."""
        return Run(self.api.at(server), self.name, self.path.rsplit("/runs/", 1)[0], make=False)

    def get(self):
        return self.api.get(self.path).json

    @property
    def state(self):
        return self.get()["state"]

    def join(self, client="w1", role="primary", **more):
        return Writer(self, client, role, **more)

    def rows(self, texts="whole", **query):
        return self.api.get(f"{self.path}/history", format="ndjson", texts=texts, **query).lines

    def events(self, **query):
        return self.api.get(f"{self.path}/events", format="ndjson", **query).lines

    def values(self, key):
        """What every row has under a key, in row order; rows without it are left out."""
        return [row[key] for row in self.rows(keys=key)]

    def sampled(self, key, buckets=1000, **query):
        answer = self.api.get(f"{self.path}/history", keys=key, buckets=buckets, **query).json
        return answer["series"]

    def states(self):
        return self.api.pages(f"{self.path}/states")

    def writers(self):
        return {w["client"]: w for w in self.api.pages(f"{self.path}/writers")}

    def config(self):
        return self.api.get(f"{self.path}/config").json

    def summary(self):
        return self.api.get(f"{self.path}/summary").json

    def conflicts(self):
        return self.api.pages(f"{self.path}/conflicts")

    def keys(self, **query):
        return {k["key"]: k for k in self.api.pages(f"{self.path}/keys", **query)}

    def console(self, **query):
        return self.api.pages(f"{self.path}/console", **query)

    def log(self, rows, **kwargs):
        """Bare rows by hand."""
        return self.api.post(f"{self.path}/history", rows, **kwargs).json


class Writer:
    """Joins when made. send() counts batches; raw() sends bytes as they are."""

    def __init__(self, run, client, role, **more):
        self.run = run
        self.client = client
        self.role = role
        self.label = more.setdefault("label", client)
        self.more = more
        self.joined = None
        self.session = 0
        self.batch = 0
        self.last_body = None
        self.join()

    @property
    def number(self):
        return self.joined["writer"]["number"]

    def join(self):
        body = {"client": self.client, "role": self.role, **self.more}
        self.joined = self.run.api.post(f"{self.run.path}/join", body).json
        self.session = self.joined["session"]
        self.batch = 0
        return self.joined

    def body(self, batch, **streams):
        return encode({"writer": self.client, "session": self.session, "batch": batch, **streams})

    def send(self, **streams):
        """The next batch; returns the answer."""
        self.last_body = self.body(self.batch + 1, **streams)
        answer = self.raw(self.last_body)
        self.batch += 1
        return answer

    def send_patiently(self, **streams):
        """The next batch, sent again as long as the server is busy."""
        self.last_body = self.body(self.batch + 1, **streams)
        while (answer := self.run.api.request("POST", f"{self.run.path}/batch", self.last_body)).status == 503:
            pass
        assert answer.status == 200, answer
        self.batch += 1
        return answer.json

    def raw(self, body, encoding=None):
        return self.run.api.post(f"{self.run.path}/batch", body, encoding=encoding).json

    def repeat(self, encoding=None):
        return self.raw(self.last_body, encoding)

    def refused(self, status, problem, body, **kwargs):
        return self.run.api.refused(status, problem, "POST", f"{self.run.path}/batch", body, **kwargs)

    def finish(self, exit_code=0, **more):
        body = {"writer": self.client, "session": self.session, "exit_code": exit_code, **more}
        return self.run.api.post(f"{self.run.path}/finish", body).json


def turn_ring(db, wait_for):
    """The open slot of the tail is left now. Who comes behind writes into another, which stays open."""
    slot = db.value("update tail_ring set opened_at = opened_at - interval '1 day', row_sum = null returning slot")
    wait_for(lambda: db.value("select slot from tail_ring") != slot)


def run_id(db, run):
    return db.value("select r.run_id from run r join project p using (project_id) where r.name = %s and p.name = %s",
                    run.name, run.path.split("/")[5])


def compact(db, wait_for, *runs):
    """The slot of the tail is to be emptied: everything in it becomes chunks."""
    numbers = [run if isinstance(run, int) else run_id(db, run) for run in runs]
    turn_ring(db, wait_for)
    wait_for(lambda: db.value("select bool_and(compact_seq = next_seq - 1) from run_hot where run_id = any(%s)", numbers))
