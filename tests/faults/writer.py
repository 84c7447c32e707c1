"""One writer of a fault campaign: a process that notes what it was told.

usage: writer.py SITE CLIENT NOTES STOP-FILE      SITE: JSON, see Site in scene.py

Sends batch after batch, each again and again, byte for byte, until it is answered 200; now and then it
joins anew, as a client does that was fenced. NOTES gets a line before each batch is first sent, one for
each acknowledgement and each refusal; what no client should ever see gets a line too. It ends when
STOP-FILE is there and nothing is unanswered.

Killed and started again it goes on where its notes end: what the join says of the batch that was not
answered is noted and held against what is stored, in the end.
"""
import http.client
import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../api"))

from ledger import Ledger  # noqa: E402

TRY_AGAIN = {503: "busy", 504: "timeout"}
BATCHES_OF_A_SESSION = (5, 60)
READ_AGAIN = 16  # of so many batches one is looked for at once
READ_THERE = 3   # after so many one looks what a replica shows
CLOCK_JUMP_S = 10**6


def refusal(response, body):
    """The type of a refusal that a client should come again after; None for anything else."""
    kind = TRY_AGAIN.get(response.status)
    if not kind or response.headers["Content-Type"] != "application/problem+json":
        return None
    if response.status == 503 and not response.headers["Retry-After"]:
        return None
    problem = json.loads(body)
    fine = problem["type"] == f"urn:cairn:problem:{kind}" and problem["request_id"] and problem["detail"]
    return kind if fine else None


class Fenced(Exception):
    """Somebody joined after us: ourselves, in a request that came late or twice."""


class Writer:
    def __init__(self, site, client, notes):
        self.site, self.path, self.client = site, site["path"], client
        self.headers = {"Authorization": f"Bearer {site['key']}", "Content-Type": "application/json"}
        self.http = None
        self.random = random.Random(f"{client} {os.getpid()}")
        self.line = self.session = self.batch = self.until = 0
        self.open = None  # what was sent and not answered: session, batch
        self.written = None  # where the last answer stands in the database's log
        self.acknowledged = []  # in this life: when, session, batch, rows
        self.recall(notes)
        self.notes = open(notes, "a", buffering=1)

    def recall(self, notes):
        """What was noted in an earlier life."""
        for text in open(notes) if os.path.exists(notes) else ():
            note = json.loads(text)
            if "sent" in note:
                self.open, self.line = note["sent"][:2], note["line"]
            elif "told" in note or "stored" in note:
                self.open, self.line = None, self.line + 1
            elif "unsent" in note:
                self.open = None

    def note(self, **what):
        self.notes.write(json.dumps(what) + "\n")

    def hang_up(self):
        if self.http:
            self.http.close()
        self.http = None

    def exchange(self, method, tail, body=None, after=None):
        """(response, answer), or None when there was none. `after`: what has to be in it."""
        headers = {**self.headers, "Cairn-After": after} if after else self.headers
        try:
            if self.http is None:
                self.http = http.client.HTTPConnection(self.site["host"], self.site["port"], timeout=60)
            self.http.request(method, self.path + tail, body, headers)
            response = self.http.getresponse()
            got = response, response.read()
            if not response.headers["Content-Length"] and not response.chunked:
                raise http.client.IncompleteRead(got[1])  # cut within the head, which http.client takes for its end
        except (OSError, http.client.HTTPException):
            self.hang_up()
            return None
        if self.site["switches"]:
            self.hang_up()
        return got

    def insist(self, method, tail, body=None):
        """The same bytes until they are answered 200."""
        pause = 0.005
        while True:
            got = self.exchange(method, tail, body)
            if got and got[0].status == 200:
                self.written = got[0].headers["Cairn-Written"] or self.written
                return json.loads(got[1])
            if got:
                self.note_refusal(*got)
            time.sleep(pause * self.random.random())
            pause = min(pause * 2, 0.25)

    def note_refusal(self, response, body):
        kind = refusal(response, body)
        if kind:
            self.note(refused=kind, detail=json.loads(body)["detail"])
            return
        if response.status == 409 and b"urn:cairn:problem:session-fenced" in body:
            self.note(refused="session-fenced")
            raise Fenced
        self.note(odd=response.status, body=body.decode(errors="replace")[:400])
        if response.status < 500:
            sys.exit(1)

    def join(self):
        body = {"client": self.client, "role": "worker", "label": self.client}
        answer = self.insist("POST", "/join", json.dumps(body).encode())
        self.session, self.batch = answer["session"], 0
        self.until = self.random.randint(*BATCHES_OF_A_SESSION)
        self.settle({s["session"]: s["batch"] for s in answer["sessions"]})

    def settle(self, last):
        """The batch that was not answered is stored, or will never be: its session is over."""
        if not self.open:
            return
        session, batch = self.open
        self.open = None
        if last.get(session, 0) >= batch:
            self.note(stored=[session, batch])
            self.line += 1
        else:
            self.note(unsent=[session, batch])

    def clock(self):
        """The time that this machine believes it is, when its clock is not to be trusted."""
        return time.time() + self.random.uniform(-CLOCK_JUMP_S, CLOCK_JUMP_S) if self.site["clock_jumps"] else None

    def body(self, count):
        clock = self.clock()
        console = {"line": self.line, "stream": "stdout", "time": clock or 1.0, "text": f"{self.client} {self.line}"}
        return json.dumps({
            "writer": self.client, "session": self.session, "batch": self.batch,
            "history": Ledger.rows(self.client, self.session, self.batch, count, clock),
            "events": [{"w": self.client, "n": self.line}],
            "console": [console],
            "summary": {"done": {self.client: self.line}},
        }).encode()

    def send(self):
        count = self.random.randint(0, 8)
        self.batch += 1
        self.open = self.session, self.batch
        self.note(sent=[self.session, self.batch, count], line=self.line)
        answer = self.insist("POST", "/batch", self.body(count))
        self.note(told=[self.session, self.batch, answer["row_first"], answer["rows"]])
        self.open = None
        self.acknowledged.append((time.monotonic(), self.session, self.batch, count))
        if self.line % READ_AGAIN == 0:
            self.look_for(answer["row_first"] + answer["rows"])
        if self.site["replica_bound_s"] and self.line % READ_THERE == 0:
            self.look_elsewhere(None if self.line % (2 * READ_THERE) else self.written)
        self.line += 1

    def look_for(self, rows):
        """Whoever answers, it has what was acknowledged."""
        found = self.insist("GET", "")["rows"]
        if found < rows:
            self.note(odd="not read", body=f"{rows} rows were acknowledged, {found} are read")

    def look_elsewhere(self, after):
        """
        A replica may show what is no older than its bound, and with `after` has to show all that this
        writer was told. One look: who is refused now asks again some other time.
        """
        asked = time.monotonic()
        got = self.exchange("GET", f"/history?format=ndjson&label={self.client}", after=after)
        if not got or got[0].status != 200:
            return
        latest = asked if after else asked - self.site["replica_bound_s"]
        found = {(row["s"], row["b"], row["i"]) for row in map(json.loads, got[1].splitlines())}
        missing = [(session, batch, i) for when, session, batch, count in self.acknowledged if when <= latest
                   for i in range(count) if (session, batch, i) not in found]
        if missing:
            self.note(odd="too old", body=f"{got[0].headers['Cairn-Read-From']}, after {after}: {missing[:5]}")
        self.note(read=got[0].headers["Cairn-Read-From"])

    def run(self, stop_file):
        while self.open or not os.path.exists(stop_file):
            try:
                if self.open or self.batch == self.until:
                    self.join()
                else:
                    self.send()
            except Fenced:
                self.until = self.batch


if __name__ == "__main__":
    Writer(json.loads(sys.argv[1]), *sys.argv[2:4]).run(sys.argv[4])
