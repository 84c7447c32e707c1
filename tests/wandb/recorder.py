"""Records what each SDK really sends, as fixtures of ours (values only, nothing of its program).

    tests/wandb/recorder.py [VERSION...]         without a name all of them
    tests/wandb/recorder.py --fields [VERSION]   also lists operations and the fields they ask

The programs of usual.py run with the SDK against a server that answers the minimum (mock.py). Their requests
are written to tests/wandb/recorded/VERSION.jsonl.gz: method, path, headers that matter, body; what is of this
machine or of the moment is replaced.
"""
import argparse
import gzip
import http.server
import json
import pathlib
import re
import sys
import tempfile
import threading

import sdk
import usual
from client import Client
from mock import Walk, World

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "recorded"
KEY = "0123456789abcdef0123456789abcdef01234567"
HEADERS = re.compile(r"(?i)(x-wandb-.*|authorization|content-type|content-encoding|user-agent|origin|"
                     r"use-admin-privileges)")
FEATURES = ("STRUCTURED_CONSOLE_LOGS", "EXPAND_DEFINED_METRIC_GLOBS", "MARK_RUN_FILES_UPLOADED",
            "LARGE_FILENAMES", "CLIENT_IDS", "UPDATE_RUN_STATE")
TEXT_MAX = 20_000  # longer bodies of uploads are told by their length,
JSON_MAX = 200_000  # and so are these


class Tape:
    """The requests of one program, in order of arrival."""

    def __init__(self):
        self.lock = threading.Lock()
        self.entries = []

    def add(self, handler, body):
        headers = {k.lower(): v for k, v in handler.headers.items() if HEADERS.fullmatch(k)}
        if "authorization" in headers:
            headers["authorization"] = headers["authorization"].split()[0]
        entry = {"method": handler.command, "path": handler.path, "headers": headers}
        entry.update(readable(body, headers))
        with self.lock:
            self.entries.append(entry)
        return entry


def readable(body, headers):
    """JSON as it is, other text as text, the rest by its length."""
    if headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return {"length": len(body)}
    try:
        return {"json": json.loads(text)}
    except ValueError:
        return {"text": text} if len(text) <= TEXT_MAX else {"length": len(body)}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, value):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_POST(self):
        body = self.body()
        entry = self.server.tape.add(self, body)
        if self.path.endswith("/graphql"):
            self.graphql(entry["json"])
        elif self.path.endswith("/file_stream"):
            self.server.world.run(self.path.split("/")[4]).stream(entry["json"])
            self.reply(200, {"exitcode": None, "limits": {}, "stopped": False})
        else:
            self.reply(404, {"error": "not found"})

    def graphql(self, body):
        try:
            walk = Walk(self.server.world, body)
            answer = {"data": walk.answer()}
        except (LookupError, TypeError, ValueError) as e:
            answer = {"data": None, "errors": [{"message": repr(e)}]}
        operation = walk.operation.name.value if walk.operation.name else "(unnamed)"
        self.server.asked.setdefault(operation, {}).update(walk.asked)
        self.reply(200, answer)

    def do_PUT(self):
        body = self.body()
        self.server.tape.add(self, body)
        _, _, run, name = self.path.split("/", 3)
        self.server.world.run(run).uploads[name] = body
        self.reply(200, {})

    def do_GET(self):
        self.server.tape.add(self, b"")
        parts = self.path.split("/", 3)
        if len(parts) == 4 and parts[1] == "storage":
            self.reply(200, self.server.world.run(parts[2]).uploads.get(parts[3], b""))
        else:
            self.reply(404, {"error": "not found"})

    def do_OPTIONS(self):
        self.server.tape.add(self, b"")
        self.send_response(204)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()


class Mock(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.world = World(self.url, FEATURES)
        self.tape = Tape()
        self.asked = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """A client that hangs up."""


def programs(client):
    """Name and what runs it, in order: later ones read what earlier ones wrote."""
    yield "login", lambda: client.call(usual.login)
    yield "command login", lambda: client.wandb("login", "--relogin", "--host", client.url, "--verify", KEY)
    yield "train", lambda: client.call(usual.train)
    yield "media", lambda: client.call(usual.media)
    yield "shared primary", lambda: client.call(usual.shared)
    yield "shared worker", lambda: client.call(usual.shared, primary=False, label="rank1")
    yield "resume must", lambda: client.call(usual.resume)
    yield "resume allow", lambda: client.call(usual.resume, name="allowed1", how="allow")
    yield "resume never", lambda: client.call(usual.resume, name="never1", how="never")
    yield "rewind", lambda: client.call(usual.rewind)
    yield "fork", lambda: client.call(usual.fork)
    yield "offline", lambda: client.call(usual.train, name="offline1", mode="offline")
    yield "sync", lambda: client.wandb("sync", *map(str, (client.folder / "wandb").glob("offline-*")))
    yield "sync again", lambda: client.wandb("sync", "--include-synced",
                                             *map(str, (client.folder / "wandb").glob("offline-*")))
    yield "missing", lambda: client.call(usual.missing)
    yield "status", lambda: client.wandb("status")
    yield "projects", lambda: client.wandb("projects", "-e", "ann")
    yield "pull", lambda: client.wandb("pull", "-p", "digits", "-e", "ann", "plain1")
    yield "restore", lambda: client.wandb("restore", "--no-git", "ann/digits/plain1")
    yield "verify", lambda: client.wandb("verify", "--host", client.url)
    yield "public", lambda: client.call(usual.public)


def scrubbed(text, client, version):
    """Without what is of this machine."""
    for found, put in ((str(client.folder), "/home/ann"), (str(sdk.FOLDER), "/opt/sdk"),
                       (str(sdk.TOP), "/opt/cairn"), (client.url, "http://cairn.example"),
                       (client.url.removeprefix("http://"), "cairn.example"), (KEY, "0" * 40)):
        text = text.replace(found, put)
    return text


def record(version, only):
    """The programs' tapes and what they asked."""
    mock = Mock()
    tapes = {}
    with tempfile.TemporaryDirectory(prefix="cairn-record.") as folder:
        client = Client(version, mock.url, KEY, pathlib.Path(folder), WANDB_ERROR_REPORTING="true")
        for name, run in programs(client):
            if only and name not in only:
                continue
            mock.tape = Tape()
            done = run()
            print(f"{version} {name}: exit {done.code}, {len(mock.tape.entries)} requests", file=sys.stderr)
            if done.code:
                print(done.out[-1500:], file=sys.stderr)
            elif name in ("public", "missing"):
                print(json.dumps(done.value, indent=1), file=sys.stderr)
            tapes[name] = json.loads(scrubbed(json.dumps(mock.tape.entries), client, version))
    mock.shutdown()
    return tapes, mock.asked


def list_fields(asked, out):
    for operation, fields in sorted(asked.items()):
        print(f"- **{operation}**: " + ", ".join(
            field + (f"({', '.join(args)})" if args else "") for field, args in fields.items()), file=out)


def line(program, entry):
    text = json.dumps({"program": program, **entry}, ensure_ascii=False)
    if len(text) > JSON_MAX:
        del entry["json"]
        text = json.dumps({"program": program, **entry, "length": len(text)}, ensure_ascii=False)
    return text


def write(version, tapes):
    """The same bytes from the same requests."""
    RECORDED.mkdir(exist_ok=True)
    text = "\n".join(line(name, entry) for name, entries in tapes.items() for entry in entries)
    path = RECORDED / f"{version}.jsonl.gz"
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return path


def main(argv):
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--fields", action="store_true")
    words.add_argument("--only", action="append")
    words.add_argument("versions", nargs="*", default=sdk.ALL)
    given = words.parse_args(argv)
    for version in given.versions:
        tapes, asked = record(version, given.only)
        print(write(version, tapes), file=sys.stderr)
        if given.fields:
            print(f"\n## {version}\n")
            list_fields(asked, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
