"""One writer of a fault campaign: a process that notes what it was told.

usage: writer.py PORT KEY RUN-PATH CLIENT NOTES STOP-FILE

Sends batch after batch over one kept connection, each again and again, byte for byte, until it is
answered 200; now and then it joins anew, as a client does that was fenced. NOTES gets a line before each
batch is first sent, one for each acknowledgement and each refusal; what no client should ever see gets a
line too. It ends when STOP-FILE is there and nothing is unanswered.
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


class Writer:
    def __init__(self, port, key, path, client, notes):
        self.port, self.path, self.client = int(port), path, client
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.notes = open(notes, "a", buffering=1)
        self.http = None
        self.random = random.Random(client)

    def note(self, **what):
        self.notes.write(json.dumps(what) + "\n")

    def exchange(self, tail, body):
        """(response, answer), or None when there was none."""
        try:
            if self.http is None:
                self.http = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self.http.request("POST", self.path + tail, body, self.headers)
            response = self.http.getresponse()
            return response, response.read()
        except (OSError, http.client.HTTPException):
            if self.http:
                self.http.close()
            self.http = None
            return None

    def insist(self, tail, body):
        """The same bytes until they are answered 200."""
        pause = 0.005
        while True:
            got = self.exchange(tail, body)
            if got and got[0].status == 200:
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
        self.note(odd=response.status, body=body.decode(errors="replace")[:400])
        if response.status < 500:
            sys.exit(1)

    def join(self):
        body = {"client": self.client, "role": "worker", "label": self.client}
        return self.insist("/join", json.dumps(body).encode())["session"]

    def batch(self, session, batch, line):
        count = self.random.randint(0, 8)
        body = json.dumps({
            "writer": self.client, "session": session, "batch": batch,
            "history": Ledger.rows(self.client, session, batch, count),
            "events": [{"w": self.client, "n": line}],
            "console": [{"line": line, "stream": "stdout", "time": 1.0, "text": f"{self.client} {line}"}],
            "summary": {"done": {self.client: line}},
        }).encode()
        self.note(sent=[session, batch, count], line=line)
        answer = self.insist("/batch", body)
        self.note(told=[session, batch, answer["row_first"], answer["rows"]])

    def run(self, stop_file):
        line = batch = until = 0
        while not os.path.exists(stop_file):
            if batch == until:
                session, batch, until = self.join(), 0, self.random.randint(*BATCHES_OF_A_SESSION)
            batch += 1
            self.batch(session, batch, line)
            line += 1


if __name__ == "__main__":
    Writer(*sys.argv[1:6]).run(sys.argv[6])
