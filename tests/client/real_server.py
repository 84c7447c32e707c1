"""The real server, on its embedded database, for what a client's work comes to in the end."""
import json
import pathlib
import sys
import tempfile
import urllib.error
import urllib.request

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "api")]

from cluster import hold_port  # noqa: E402, F401
from server import Server, cairnd_run  # noqa: E402

EMBEDDED = ""  # no URL of a database


class RealServer:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cairn-client.")
        secret = pathlib.Path(self.folder.name) / "secret"
        key_file = pathlib.Path(self.folder.name) / "key"
        self.process = Server(EMBEDDED, secret)
        self.process.dir.chmod(0o755)  # the database's user passes through
        self.process.start()
        self.port = self.process.port
        cairnd_run(EMBEDDED, secret, "user", "add", "me", "--admin", "--key-file", str(key_file),
                   "--data-dir", str(self.process.dir / "data"))
        self.key = key_file.read_text().strip()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def away(self):
        self.process.stop()

    def kill(self):
        self.process.kill()

    def back(self):
        self.process.start(self.port)

    def close(self):
        self.process.__exit__()
        self.folder.cleanup()

    def ask(self, method, path, body=None):
        request = urllib.request.Request(f"{self.url}/api/v1{path}", method=method)
        request.add_header("Authorization", f"Bearer {self.key}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read().decode()


class RealRun:
    """A run as the server tells of it."""

    def __init__(self, server, name, project="p"):
        self.server, self.name = server, name
        self.path = f"/projects/me/{project}/runs/{name}"

    def ask(self, method, tail="", body=None):
        text = self.server.ask(method, self.path + tail, body)
        return json.loads(text) if text else None

    def get(self, tail=""):
        return self.ask("GET", tail)

    def is_there(self):
        try:
            return bool(self.get())
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return False
            raise

    def lines_of(self, tail):
        text = self.server.ask("GET", self.path + tail)
        return [json.loads(line) for line in text.splitlines()]

    @property
    def rows(self):
        return self.lines_of("/history?format=ndjson&texts=whole")

    @property
    def events(self):
        return self.lines_of("/events?format=ndjson")

    def numbers(self, label=None):
        return [row["n"] for row in self.rows if "n" in row and label in (None, row["_label"])]

    @property
    def state(self):
        return self.get()["state"]

    @property
    def writers(self):
        return {writer["label"]: writer for writer in self.get("/writers")["items"]}

    def console(self, stream="stdout"):
        return [line["text"] for line in self.get("/console?limit=10000")["items"]
                if line["stream"] == stream]
