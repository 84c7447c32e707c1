"""A server of the batch contract that checks strictly and misbehaves on demand.

It keeps what was stored, so that a test can ask whether every row arrived exactly once and in
order. What a client must never do is noted in `violations`. Faults are chosen per request by
`server.fault`, a function of (name, count): name is "make", "join", "batch", "finish" or "viewer",
count says how many of that kind came before.
"""
import gzip
import json
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from real_server import hold_port

RUN_PATH = re.compile(r"^/api/v1/projects/([^/]+)/([^/]+)/runs/([^/]+?)(?:/(join|batch|finish|stop|history|alerts|files|artifacts)(?:/(.+))?)?$")
KEY = "0123456789abcdef0123456789abcdef01234567"


def loads(text):
    """JSON in which a name may not come twice."""
    def pairs(items):
        names = [name for name, _ in items]
        assert len(names) == len(set(names)), f"repeated name in {names}"
        return dict(items)
    return json.loads(text, object_pairs_hook=pairs)


class Writer:
    def __init__(self, client, label, role):
        self.client, self.label, self.role = client, label, role
        self.parent = None
        self.session = 0
        self.stored = {}       # session -> last batch
        self.bodies = {}       # (session, batch) -> bytes of an attempt without a definite answer
        self.history, self.events, self.lines = [], [], {}
        self.config, self.summary = None, {}
        self.dropped = {"history": 0, "events": 0, "console": 0}
        self.finished = None
        self.batches = 0
        self.records = {}      # stream -> records
        self.seen = []  # of each batch: its rows, and whether it has documents


class Run:
    def __init__(self, body):
        self.body = body
        self.writers = {}
        self.stop = False
        self.alerts = []
        self.files = {}
        self.deleted = False


class Problem(Exception):
    def __init__(self, status, kind, **more):
        self.status, self.kind, self.more = status, kind, more


class Quiet(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        pass


class FakeServer:
    def __init__(self):
        self.runs, self.violations, self.counts = {}, [], {}
        self.fault = lambda name, count: None
        self.refuse_row = lambda row: False
        self.leaves_out = 0
        self.refuse_config = False
        self.knows_records = True  # False: a server from before they were counted
        self.allows_gaps = False  # rows were refused or forgotten
        self.max_body = 64 * 2**20
        self.lock = threading.Condition()
        self.connections = set()
        self.times = {}  # of requests, by kind
        self.http = None
        self.hold = hold_port()
        self.port = self.hold.getsockname()[1]
        self.back()

    # -- coming and going
    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def back(self):
        server = self
        handler = type("BoundHandler", (Handler,), {"server_state": server})
        self.http = Quiet(("127.0.0.1", self.port), handler)
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01},
                         daemon=True).start()

    def away(self):
        if self.http is None:
            return
        self.http.shutdown()
        self.http.server_close()
        with self.lock:
            self.http = None
            connections, self.connections = self.connections, set()
        for connection in connections:
            cut(connection)

    def close(self):
        self.away()
        self.hold.close()

    def wait(self, condition, timeout=120):
        with self.lock:
            done = self.lock.wait_for(condition, timeout)
        assert done, "the condition did not come true"

    # -- what was stored
    def run(self, name="r1", project="p", entity="e"):
        return self.runs[(entity, project, name)]

    def writer(self, run="r1"):
        writers = list(self.run(run).writers.values())
        assert len(writers) == 1
        return writers[0]

    def reset_sessions(self):
        """As after a restore: nobody knows the sessions any more, the batches are there."""
        with self.lock:
            for run in self.runs.values():
                for writer in run.writers.values():
                    writer.session += 1

    def violate(self, text):
        self.violations.append(text)

    def count(self, name):
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + 1
            self.times.setdefault(name, []).append(time.monotonic())
            self.lock.notify_all()
            return self.counts[name] - 1

    # -- the contract
    def find(self, key):
        run = self.runs.get(key)
        if run is None:
            raise Problem(404, "not-found")
        if run.deleted:
            raise Problem(410, "run-deleted")
        return run

    def make(self, key, body):
        allowed = {"display_name", "group", "job_type", "tags", "notes", "config", "visibility"}
        if set(body) - allowed:
            raise Problem(400, "invalid", field=sorted(set(body) - allowed)[0])
        run = self.runs.get(key)
        if run is not None and run.deleted:
            raise Problem(410, "run-deleted")
        if run is None:
            self.runs[key] = Run(body)
        return (200 if run else 201), {"name": key[2]}

    def join(self, key, body):
        allowed = {"client", "label", "role", "parent", "host", "client_version", "pid", "session_of"} | ({"stream"} if self.knows_records else set())
        if set(body) - allowed:
            raise Problem(400, "invalid", field=sorted(set(body) - allowed)[0])
        run = self.find(key)
        assert re.fullmatch(r"[A-Za-z0-9_.:-]{1,64}", body["client"])
        writer = run.writers.setdefault(
            body["client"], Writer(body["client"], body.get("label"), body["role"]))
        writer.parent = body.get("parent")
        writer.session += 1
        sessions = [{"session": s, "batch": b} for s, b in sorted(writer.stored.items())[-4:]]
        writer.stored[writer.session] = 0
        counted = {"records": writer.records.get(body.get("stream", ""), 0)} if self.knows_records else {}
        return 200, {"run": {"name": key[2]}, "writer": {"client": writer.client, "number": 1},
                     "session": writer.session, "batch_next": 1, "sessions": sessions,
                     "heartbeat_s": 10, "stop": run.stop, **counted}

    def left_out(self):
        told = [{"kind": "history", "name": "big", "reason": "value-too-large", "count": self.leaves_out}]
        return {"left_out": self.leaves_out, **({"left_out_first": told} if self.leaves_out else {})}

    def batch(self, key, raw):
        body = loads(raw)
        allowed = {"writer", "session", "batch", "history", "events", "console", "config", "summary",
                   "dropped"} | ({"record_first", "stream"} if self.knows_records else set())
        if set(body) - allowed:
            raise Problem(400, "invalid", field=sorted(set(body) - allowed)[0])
        run = self.find(key)
        writer = run.writers.get(body["writer"])
        if writer is None:
            raise Problem(404, "writer-unknown")
        session, number = body["session"], body["batch"]
        if session != writer.session:
            raise Problem(409, "session-fenced")
        self.check_same_bytes(writer, session, number, raw)
        last = writer.stored[session]
        answer = {"batch": number, "row_first": 0, "rows": len(body.get("history", [])),
                  "stop": run.stop, "state": "running", **self.left_out()}
        if number <= last:
            return 200, answer
        if number != last + 1:
            raise Problem(409, "batch-gap", expected=last + 1)
        self.check_records(writer, body)
        self.check_rows(body)
        self.store(writer, session, number, body)
        return 200, answer

    def check_same_bytes(self, writer, session, number, raw):
        before = writer.bodies.setdefault((session, number), raw)
        if before != raw:
            self.violate(f"batch {session}/{number} was sent again with other bytes")

    def check_records(self, writer, body):
        stored = writer.records.get(body.get("stream", ""), 0)
        first = body.get("record_first", stored)
        if first < stored:
            raise Problem(409, "records-stored", expected=stored)
        if first > stored and not self.allows_gaps:
            self.violate(f"records {stored} to {first} are left out")

    def check_rows(self, body):
        if self.refuse_config and "config" in body:
            raise Problem(422, "config-refused")
        for row in body.get("history", []) + body.get("events", []):
            if not row or self.refuse_row(row):
                self.allows_gaps = True
                raise Problem(422, "row-refused")
            if not isinstance(row.get("_timestamp"), (int, float)):
                self.violate("a row without time")
        for line in body.get("console", []):
            if set(line) != {"line", "stream", "time", "text"}:
                self.violate(f"a line with {sorted(line)}")
            if len(line["text"].encode()) > 65536:
                self.violate("a console line of more than 64 KiB")

    def store(self, writer, session, number, body):
        writer.stored[session] = number
        stream = body.get("stream", "")
        writer.records[stream] = body.get("record_first", writer.records.get(stream, 0)) + \
            sum(len(body.get(part, [])) for part in ("history", "events", "console"))
        writer.batches += 1
        writer.seen.append((len(body.get("history", [])), bool({"config", "summary"} & set(body))))
        writer.history += body.get("history", [])
        writer.events += body.get("events", [])
        for line in body.get("console", []):
            writer.lines[line["line"]] = line
        if "config" in body:
            writer.config = body["config"]
        writer.summary.update(body.get("summary", {}))
        for stream, count in body.get("dropped", {}).items():
            writer.dropped[stream] += count

    def finish(self, key, body):
        if set(body) - {"writer", "session", "exit_code", "state", "reason"}:
            raise Problem(400, "unknown-field")
        run = self.find(key)
        if "writer" not in body:
            return 200, {"name": key[2], "state": "finished"}
        writer = run.writers.get(body["writer"])
        if writer is None:
            raise Problem(404, "writer-unknown")
        if body["session"] != writer.session:
            raise Problem(409, "session-fenced")
        writer.finished = body["exit_code"]
        return 200, {"name": key[2], "state": "finished"}

    def alerts(self, key, body):
        if set(body) - {"title", "text", "level", "writer"} or body["writer"] not in self.find(key).writers:
            self.violate(f"an alert with {body}")
        if body["title"] == "refused":
            raise Problem(422, "unprocessable")
        self.find(key).alerts.append(body)
        return 201, {"number": len(self.find(key).alerts)}

    def answer(self, name, key, raw, file):
        with self.lock:
            try:
                if name == "viewer":
                    return 200, {"name": "me", "default_entity": "e"}
                if name == "make":
                    return self.make(key, loads(raw or b"{}"))
                if name == "batch":
                    return self.batch(key, raw)
                if name == "files":
                    self.find(key).files[file] = raw
                    return 200, {"name": file}
                if name == "history":
                    return 200, {"rows": 1, **self.left_out()}
                if name == "stop":
                    self.find(key).stop = True
                    return 200, {}
                return getattr(self, name)(key, loads(raw))
            except Problem as problem:
                self.forget_body(name, key, raw)
                return problem.status, {"type": f"urn:cairn:problem:{problem.kind}",
                                        "title": problem.kind, "status": problem.status,
                                        "detail": "as told", **problem.more}
            finally:
                self.lock.notify_all()

    def forget_body(self, name, key, raw):
        """A batch that was refused may be built anew under its number."""
        if name != "batch" or key not in self.runs:
            return
        body = json.loads(raw)
        writer = self.runs[key].writers.get(body["writer"])
        if writer:
            writer.bodies.pop((body["session"], body["batch"]), None)


def cut(connection):
    """Ends a connection with a reset."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_state = None
    file = None  # the name of one

    def setup(self):
        super().setup()
        state = self.server_state
        with state.lock:
            state.connections.add(self.connection)
            if state.http is not self.server:  # it was accepted as the server went away
                cut(self.connection)

    def finish(self):
        with self.server_state.lock:
            self.server_state.connections.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def log_message(self, *args):
        pass

    def parts(self):
        if self.path == "/api/v1/viewer":
            return "viewer", None
        found = RUN_PATH.match(self.path)
        if not found:
            return None, None
        entity, project, run, what, self.file = found.groups()
        return (what or "make"), (entity, project, run)

    def serve(self):
        state = self.server_state
        name, key = self.parts()
        fault = state.fault(name, state.count(name))
        if fault == "drop-before-read":
            return self.drop()
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            raw = gzip.decompress(raw)
        if fault == "drop-after-read":
            return self.drop()
        if isinstance(fault, tuple) and fault[0] == "other":
            return self.raw_reply(*fault[1:])
        if name is None:
            return self.reply(404, {"type": "urn:cairn:problem:not-found"})
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            return self.reply(401, {"type": "urn:cairn:problem:unauthorized", "title": "unauthorized",
                                    "detail": "this key is not known"})
        if len(raw) > state.max_body:
            state.forget_body(name, key, raw)
            return self.reply(413, {"type": "urn:cairn:problem:too-large", "title": "too large"})
        return self.misbehave(fault, name, key, raw)

    def misbehave(self, fault, name, key, raw):
        state = self.server_state
        if isinstance(fault, tuple) and fault[0] == "status":
            return self.reply(fault[1], {"type": "urn:cairn:problem:busy", "title": "busy"},
                              headers=fault[2] if len(fault) > 2 else {})
        if isinstance(fault, tuple) and fault[0] == "proxy-limit" and len(raw) > fault[1]:
            fault = ("proxy", 413)
        if isinstance(fault, tuple) and fault[0] == "proxy":
            return self.reply(fault[1], {"message": "the proxy does not like this"})
        if fault == "garbage":
            return self.raw_reply(b"<html>please log in</html>")
        if isinstance(fault, tuple) and fault[0] == "hold":
            fault[1].wait(120)
        if name == "files" and self.headers.get("Content-Type") != "application/octet-stream":
            state.violate("a file that is sent as something else")
        status, answer = state.answer(name, key, raw, self.file)
        if fault == "drop-after-store":
            return self.drop()
        if fault == "truncate":
            return self.truncate(answer)
        return self.reply(status, answer, slowly=fault == "stutter")

    do_GET = do_PUT = do_POST = serve

    def drop(self):
        self.close_connection = True
        cut(self.connection)

    def truncate(self, answer):
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        self.drop()

    def raw_reply(self, body, content_type="text/html", status=200):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reply(self, status, answer, headers=(), slowly=False):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.end_headers()
        if not slowly:
            self.wfile.write(body)
            return
        for i in range(len(body)):
            self.wfile.write(body[i:i + 1])
            self.wfile.flush()
            time.sleep(0.001)
