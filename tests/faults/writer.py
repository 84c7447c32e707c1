"""One writer of a fault campaign: a process that notes what it was told.

usage: writer.py PORT KEY RUN-PATH CLIENT NOTES STOP-FILE

Sends batch after batch over one kept connection, each again and again, byte for byte, until it is
answered 200. NOTES gets a line before each batch is first sent and one for each acknowledgement; what no
client should ever see gets a line too. It ends when STOP-FILE is there and nothing is unanswered.
"""
import http.client
import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../api"))

from ledger import Ledger  # noqa: E402

TRY_AGAIN = {503, 504}


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
        """(status, answer), or None when there was none."""
        try:
            if self.http is None:
                self.http = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self.http.request("POST", self.path + tail, body, self.headers)
            response = self.http.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            if self.http:
                self.http.close()
            self.http = None
            return None

    def insist(self, tail, body):
        """The same bytes until they are answered 200; other answers are noted."""
        pause = 0.005
        while True:
            got = self.exchange(tail, body)
            if got and got[0] == 200:
                return json.loads(got[1])
            if got and got[0] not in TRY_AGAIN:
                self.note(odd=got[0], body=got[1].decode(errors="replace")[:400])
                if got[0] < 500:
                    sys.exit(1)
            time.sleep(pause * self.random.random())
            pause = min(pause * 2, 0.25)

    def run(self, stop_file):
        join = json.dumps({"client": self.client, "role": "worker", "label": self.client}).encode()
        session = self.insist("/join", join)["session"]
        batch = 0
        while not os.path.exists(stop_file):
            batch += 1
            count = self.random.randint(0, 8)
            body = json.dumps({
                "writer": self.client, "session": session, "batch": batch,
                "history": Ledger.rows(self.client, session, batch, count),
                "events": [{"w": self.client, "b": batch}],
                "console": [{"line": batch, "stream": "stdout", "time": 1.0, "text": f"{self.client} {batch}"}],
                "summary": {"done": {self.client: batch}},
            }).encode()
            self.note(sent=[session, batch, count])
            answer = self.insist("/batch", body)
            self.note(told=[session, batch, answer["row_first"], answer["rows"]])


if __name__ == "__main__":
    Writer(*sys.argv[1:6]).run(sys.argv[6])
