"""How cairnd serves: TLS, proxies, prefix, logs, limits, compression, its own health, and its end.

tests/http has the same layer with routes made for testing; here it is the program with its settings.
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading

import pytest

from artifacts import Collection
from cluster import wait_until
from ledger import Ledger
from rest import Api
from runs import PROJECT, Run
from server import Server, cairnd, cairnd_run, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/http"))
from certificate import make_certificate  # noqa: E402
from client import Client, Closed  # noqa: E402


@pytest.fixture
def start(place):
    """start(settings…): a server on the test's database."""
    started = []

    def start_one(**settings):
        started.append(Server(place.db.url, place.secret_file, **settings))
        return started[-1].start()
    yield start_one
    for server in started:
        server.stop()
        server.remove()


@pytest.fixture
def ask(keys):
    """ask(server, method, path, body, headers…): one exchange over a plain socket."""
    def exchange(server, method, path, body=b"", tls=None, **headers):
        with Client(server.port, tls=tls) as c:
            fields = {"Authorization": f"Bearer {keys['ann']}", **headers}
            if body:
                fields.setdefault("Content-Type", "application/json")
            return c.request(method, path, body, fields)
    return exchange


def line_of(server, request_id):
    """The request's line in the log."""
    def find():
        return [x for x in server.log().splitlines() if request_id in x and "method" in x]
    return wait_until(find, what="log line")[0]


# ---- TLS -------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls"))


def test_tls(start, ask, certificate):
    cert, key = certificate
    server = start(tls_cert_file=cert, tls_key_file=key)
    context = ssl.create_default_context(cafile=cert)
    made = ask(server, "PUT", f"{PROJECT}-tls/runs/r1", b"{}", tls=context)
    assert made.status == 201
    rows = json.dumps([{"n": i} for i in range(20000)]).encode()
    assert ask(server, "POST", f"{PROJECT}-tls/runs/r1/history", rows, tls=context).status == 200
    read = ask(server, "GET", f"{PROJECT}-tls/runs/r1/history?format=ndjson", tls=context)
    assert read.complete and len(read.body.splitlines()) == 20000
    with pytest.raises(ssl.SSLCertVerificationError):
        ask(server, "GET", "/healthz", tls=ssl.create_default_context())
    with pytest.raises(Closed):
        ask(server, "GET", "/healthz")


def test_tls_that_cannot_be_used(place, certificate, tmp_path):
    cert, key = certificate
    broken = tmp_path / "broken.pem"
    broken.write_text(cert.read_text().replace("MII", "XXX"))
    done = subprocess.run([cairnd(), "serve", "--listen", "127.0.0.1:0"], capture_output=True,
                          text=True, timeout=60, env=environment(
                              place.db.url, place.secret_file, tls_cert_file=broken, tls_key_file=key))
    assert done.returncode == 78 and f'cannot use "{broken}"' in done.stderr
    assert "PRIVATE KEY" not in done.stderr and "Sanitizer" not in done.stderr


# ---- proxies, prefix, origins ----------------------------------------------------------------------

FORWARDED = {"X_Forwarded_For": "1.1.1.1, 2.2.2.2", "X_Forwarded_Prefix": "/tracking"}


def test_forwarded_headers_of_strangers_are_ignored(server, ask, home):
    answer = ask(server, "PUT", f"{home}/runs/r1", b"{}", **FORWARDED)
    assert answer.headers["location"] == f"{home}/runs/r1"
    assert "client=127.0.0.1 " in line_of(server, answer.headers["x-request-id"])


def test_forwarded_headers_of_a_trusted_proxy(start, ask, home):
    server = start(trusted_proxies="10.0.0.0/8, 127.0.0.1")
    answer = ask(server, "PUT", f"{home}/runs/r1", b"{}", **FORWARDED)
    assert answer.headers["location"] == f"/tracking{home}/runs/r1"
    assert "client=2.2.2.2 " in line_of(server, answer.headers["x-request-id"])


def test_path_prefix(start, ask, home):
    server = start(path_prefix="/cairn")
    answer = ask(server, "PUT", f"/cairn{home}/runs/r1", b"{}")
    assert (answer.status, answer.headers["location"]) == (201, f"/cairn{home}/runs/r1")
    for path, status in (("/cairn/healthz", 200), ("/healthz", 404), (home, 404), ("/cairn", 404)):
        assert ask(server, "GET", path).status == status


def test_other_origins(server, start, ask):
    origin = "https://dash.example"
    closed = ask(server, "GET", "/api/v1/viewer", Origin=origin)
    assert not any(name.startswith("access-control") for name in closed.headers)
    opened = start(cors_origins=origin)
    answer = ask(opened, "GET", "/api/v1/viewer", Origin=origin)
    assert answer.headers["access-control-allow-origin"] == origin
    assert "Location" in answer.headers["access-control-expose-headers"]
    other = ask(opened, "GET", "/api/v1/viewer", Origin="https://evil.example")
    assert "access-control-allow-origin" not in other.headers


# ---- logs ------------------------------------------------------------------------------------------

def test_request_id_in_answer_and_log(server, ask, home):
    given = ask(server, "GET", home, X_Request_Id="mine.1")
    assert given.headers["x-request-id"] == given.json()["request_id"] == "mine.1"
    line = line_of(server, "id=mine.1")
    for part in ("method=GET", "status=404", "user=ann", "route=/api/v1/projects/{entity}/{project}"):
        assert part in line.replace('"', ""), line
    made = ask(server, "GET", "/api/v1/viewer").headers["x-request-id"]
    assert re.fullmatch(r"[a-z0-9]{16}", made) and line_of(server, f"id={made}")


def test_json_logs(start, ask, keys):
    server = start(log_format="json", log_level="debug")
    answer = ask(server, "GET", "/api/v1/viewer")
    line = json.loads(line_of(server, answer.headers["x-request-id"]))
    assert (line["method"], line["status"], line["user"]) == ("GET", 200, "ann")
    assert line["id"] == answer.headers["x-request-id"] and line["ms"] >= 0
    for text in server.log().splitlines():
        assert {"time", "level", "message"} <= set(json.loads(text)), text


def test_variables_that_are_no_settings_are_told(start):
    """The client's are nobody's mistake. CAIRN_CA_FILE is a setting of both."""
    sources = [path.read_text() for path in (ROOT / "client").glob("*/*.c")]
    others = {name: "x" for text in sources for name in re.findall(r'"CAIRN_([A-Z_]+)"', text) if name != "CA_FILE"}
    assert {"URL", "API_KEY", "PARENT_LABEL"} <= set(others)
    log = start(**others, loglevel="debug-secret", max_bodys="1").log()
    told = [line for line in log.splitlines() if "unknown setting in an environment variable" in line]
    assert len(told) == 2 and "debug-secret" not in log
    for variable, nearest in (("CAIRN_LOGLEVEL", "CAIRN_LOG_LEVEL"), ("CAIRN_MAX_BODYS", "CAIRN_MAX_BODY")):
        assert any(f"variable={variable} nearest={nearest}" in line.replace('"', "") for line in told)


def test_no_secret_is_logged(start, ask, keys, db):
    server = start(log_level="debug")
    Api(server, keys["bob"], basic=True).get("/api/v1/viewer")
    ask(server, "GET", "/api/v1/viewer")
    wrong = "f" * 40
    assert ask(server, "GET", "/api/v1/viewer", Authorization=f"Bearer {wrong}").status == 401
    ask(server, "GET", f"/api/v1/viewer?key={wrong}")
    log = wait_until(lambda: server.log() if server.log().count("method=") >= 4 else None)
    assert not any(secret in log for secret in (keys["ann"], keys["bob"], wrong))
    command = pathlib.Path(f"/proc/{server.process.pid}/cmdline").read_text()
    assert db.url not in command and keys["ann"] not in command


# ---- limits ----------------------------------------------------------------------------------------

WAITING = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"


def test_a_full_queue(start, db, keys, ask, home):
    """One worker, which waits for the database, and one place in the queue."""
    server = start(workers=1, queue_limit=1, client_share=100)
    ask(server, "PUT", f"{home}/runs/r1", b"{}")
    path, answers = f"{home}/runs/r1/conflicts", []
    assert ask(server, "GET", path).status == 200

    def one():
        answers.append(ask(server, "GET", path))

    def metric(name):
        text = ask(server, "GET", "/metrics").body.decode()
        return int(re.search(rf"^{name} (\d+)", text, re.M).group(1))

    with db.hold("lock table run_conflict in access exclusive mode"):
        threads = [threading.Thread(target=one) for _ in range(8)]
        threads[0].start()
        wait_until(lambda: db.value(WAITING) == 1, what="a busy worker")  # it has left the queue
        for thread in threads[1:]:
            thread.start()
        wait_until(lambda: len(answers) == 6, what="refusals")
        for answer in answers:
            assert (answer.status, answer.json()["type"]) == (503, "urn:cairn:problem:busy")
            assert int(answer.headers["retry-after"]) >= 1
        assert ask(server, "GET", "/healthz").status == 200
        assert metric("cairn_http_queue_length") == 1
    for thread in threads:
        thread.join()
    assert sorted(answer.status for answer in answers) == [200] * 2 + [503] * 6


def test_too_large_before_it_is_sent(start, ask, home, keys):
    server = start(max_body="64K")
    with Client(server.port) as c:
        c.head("POST", f"{home}/runs/r1/history", {
            "Authorization": f"Bearer {keys['ann']}", "Content-Length": 1 << 20,
            "Expect": "100-continue"})
        assert c.reply().status == 413


# ---- compression, HEAD -----------------------------------------------------------------------------

def test_gzip_answers(server, ask, run):
    run.api.patch(f"{run.path}/config", {f"key{i}": "value" for i in range(200)})
    plain = ask(server, "GET", f"{run.path}/config")
    packed = ask(server, "GET", f"{run.path}/config", Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body and len(packed.body) < len(plain.body) / 2
    assert "content-encoding" not in plain.headers
    assert "accept-encoding" in packed.headers["vary"].lower()

    tag, packed_tag = plain.headers["etag"], packed.headers["etag"]
    assert tag != packed_tag, "two representations under one strong tag"
    for name in (tag, packed_tag, f"W/{packed_tag}"):
        same = ask(server, "GET", f"{run.path}/config", Accept_Encoding="gzip", If_None_Match=f'"x", {name}')
        assert (same.status, same.headers["etag"]) == (304, name)
    other = ask(server, "GET", f"{run.path}/config", If_None_Match=tag[:-1] + '-zip"')
    assert (other.status, other.headers["etag"]) == (200, tag)
    run.api.patch(f"{run.path}/config", {"a": 1}, headers={"If-Match": packed_tag})
    run.api.refused(412, "precondition-failed", "PATCH", f"{run.path}/config", {}, headers={"If-Match": packed_tag})


@pytest.fixture(scope="module")
def methods():
    """The methods of every path, in the order of the header Allow, as --print-routes has them."""
    paths = {}
    for line in cairnd_run("", "", "--print-routes").splitlines():
        method, template = line.split()[:2]
        paths.setdefault(template, set()).add(method)
    order = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
    return {path: [m for m in order if m in known or (m == "HEAD" and "GET" in known)]
            for path, known in paths.items()}


CLIENT = "c" * 32  # of an artifact
SWEEP = {"sweep": "aaaaaaaa", "agent": "1", "trial": "1"}


def path_of(template, run):
    home = run.path.rsplit("/runs/", 1)[0]
    template = template.replace("/api/v1/projects/{entity}/{project}", home).replace("{run}", run.name)
    template = template.replace("{view}", "default").replace("{field}", "state")
    template = template.replace("{project}", home.rsplit("/", 1)[1])
    template = template.replace("{collection}", "model").replace("{version}", "v0").replace("{path...}", "a.txt").replace("{client}", CLIENT)
    for name, value in SWEEP.items():
        template = template.replace("{" + name + "}", value)
    return template.replace("{entity}", "ann").replace("{user}", "ann").replace("{name...}", "a.txt")


def test_every_path_tells_its_methods(server, ask, run, methods):
    """Those of all routes that have the path: /links/read is also /links/{link}, and each of /storage is a file of a run."""
    for template in methods:
        known = methods[template] + (methods["/api/v1/links/{link}"] if template.startswith("/api/v1/links/") and "{" not in template else [])
        if template.startswith("/storage/"):
            known = methods["/storage/{number}/{name...}"]
        if template.endswith("/complete"):  # has the form of a part, too
            known = [*known, "PUT"]
        allow = ", ".join(["OPTIONS", *known])
        told = ask(server, "OPTIONS", path_of(template, run))
        assert (told.status, told.headers["allow"], told.body) == (204, allow, b""), template
        for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "get"} - set(known):
            refused = ask(server, method, path_of(template, run))
            assert (refused.status, refused.headers["allow"]) == (405, allow), (method, template)


# What a path needs to be answered.
FOR_ADMINS = ("/api/v1/audit", "/api/v1/server/state", "/api/v1/users", "/api/v1/users/{user}", "/api/v1/users/{user}/keys", "/api/v1/links")
NEEDED = {"/history": "?keys=a", "/events": "?keys=a", "/groups": "?by=config.key1", "/ranks": "?key=a",
          "{project}/metrics": "?ids=a&keys=a", "/metrics/together": "?keys=a",
          "/best": "?ids=a&of=a&by=a", "/compare": "?from=v0&to=v0", "/best/together": "?of=a&by=a"}


def test_head_of_every_path(server, ask, run, methods, keys, monkeypatch):
    sweeps = f"{run.path.rpartition('/runs/')[0]}/sweeps"
    monkeypatch.setitem(SWEEP, "sweep", run.api.post(sweeps, {"config": "method: grid\nmetric: {name: a}\nparameters: {a: {values: [1, 2]}}"}).json["id"])
    run.api.post(f"{sweeps}/{SWEEP['sweep']}/trials", {})
    run.join().send(history=[{"a": 1}], config={f"key{i}": "value" for i in range(200)})
    assert run.api.raw("PUT", f"{run.path}/files/a.txt", b"a").status in (200, 201)
    home = run.path.rpartition("/runs/")[0]
    run.api.put(f"{home}/webhook", {"url": "https://hooks.example/cairn"})
    Collection(run.api, home).version({"a.txt": b"a"}, client=CLIENT)
    for said in "has:config.key199", "has:summary.a", "writers:1":  # both are answered of the same then
        wait_until(lambda said=said: run.api.get(f"{home}/runs", filter=said)["items"], what="the run as it is now")
    for template in (t for t, known in methods.items() if "HEAD" in known and not t.endswith("/live")):
        if template.startswith("/storage/"):  # by a signed link alone, see test_files.py
            continue
        path = path_of(template, run) + next((query for end, query in NEEDED.items() if template.endswith(end)), "")
        who = {"Authorization": f"Bearer {keys['root']}"} if template in FOR_ADMINS else {}
        for more in who, {**who, "Accept_Encoding": "gzip"}:
            got, head = (ask(server, method, path, **more) for method in ("GET", "HEAD"))
            varies = {"date", "x-request-id"} | ({"content-length"} if path in ("/metrics", "/api/v1/server/state") else set())
            if got.headers.get("transfer-encoding") == "chunked":  # a stream: HEAD may leave out how it would come
                varies |= {"transfer-encoding", "connection"}
            assert (head.status, head.body) == (got.status, b"") == (200, b""), path
            assert {k: v for k, v in head.headers.items() if k not in varies} == {
                k: v for k, v in got.headers.items() if k not in varies}, path


def test_head(server, ask, run):
    run.log([{"a": 1}])
    for tail in ("", "/config", "/summary", "/writers", "/history?keys=a", "/history?format=csv"):
        got = ask(server, "GET", run.path + tail)
        head = ask(server, "HEAD", run.path + tail)
        assert (head.status, head.body) == (200, b"")
        for name in ("content-type", "content-length", "etag"):
            assert head.headers.get(name) == got.headers.get(name), (tail, name)
    assert ask(server, "HEAD", f"{run.path}x").status == 404
    for path in ("/healthz", "/ready", "/metrics"):
        assert ask(server, "HEAD", path).status == 200


# ---- health ----------------------------------------------------------------------------------------

def test_health_needs_no_key(server):
    for path in ("/healthz", "/ready", "/metrics"):
        with Client(server.port) as c:
            assert c.request("GET", path).status == 200


def healthcheck(**settings):
    """(exit status, what is printed) of the command."""
    done = subprocess.run([cairnd(), "healthcheck"], capture_output=True, text=True, timeout=60,
                          env=environment("", "", **settings))
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("host, asked", [
    ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("", "127.0.0.1"), ("localhost", "localhost")])
def test_healthcheck_asks_where_the_server_listens(server, monkeypatch, host, asked):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # a proxy is not asked
    status, printed = healthcheck(listen=f"{host}:{server.port}")
    assert (status, printed) == (0, f"ready: http://{asked}:{server.port}/ready\n")


def test_healthcheck_of_a_free_port(server, tmp_path):
    port_file = tmp_path / "port"
    port_file.write_text(f"{server.port}\n")
    assert healthcheck(listen="127.0.0.1:0", port_file=port_file)[0] == 0
    port_file.write_text("none\n")
    assert healthcheck(listen="127.0.0.1:0", port_file=port_file) == (1, f'cairnd: there is no port in "{port_file}"\n')
    status, printed = healthcheck(listen="127.0.0.1:0", port_file=tmp_path / "nothing")
    assert status == 1 and "No such file" in printed
    assert healthcheck(listen="127.0.0.1:0")[0] == 78


def test_healthcheck_with_tls_and_a_prefix(start, certificate):
    cert, key = certificate
    settings = {"tls_cert_file": cert, "tls_key_file": key, "path_prefix": "/cairn"}
    server = start(**settings)
    where = f"127.0.0.1:{server.port}"
    assert healthcheck(listen=where, **settings) == (0, f"ready: https://{where}/cairn/ready\n")
    status, printed = healthcheck(listen=where)
    assert status == 1 and printed.startswith("cairnd: ") and printed.count("\n") == 1
    assert healthcheck(listen=where, **{**settings, "path_prefix": ""}) == (
        1, f"cairnd: not ready: https://{where}/ready answers with status 404\n")


def test_healthcheck_without_a_server():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens, and no other program takes the port
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        status, printed = healthcheck(listen=where)
    assert status == 1 and printed.startswith(f"cairnd: no answer from http://{where}/ready: ") and printed.count("\n") == 1
    assert healthcheck(listen="here")[0] == 64


@pytest.mark.skipif(not shutil.which("promtool"), reason="needs promtool")
def test_metrics_as_prometheus_reads_them(server, ask, run):
    run.join("c1").send(history=[{"a": 1}], console=[
        {"line": 0, "stream": "stdout", "time": 1.0, "text": "x"}])
    run.rows()
    ask(server, "GET", "/nothing")
    text = ask(server, "GET", "/metrics").body
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
    assert done.returncode == 0, done
    for name in ("cairn_http_requests_total", "cairn_ingest_points_total", "cairn_auth_lookups_total"):
        assert f"\n{name}".encode() in text


def test_metrics_of_the_build_and_the_disk(server, ask, db, folder, wait_for):
    version = (ROOT / "VERSION").read_text().strip()
    schema = db.value("select max(number) from schema_migration")
    text = ask(server, "GET", "/metrics").body.decode()
    [info] = re.findall(r"^cairn_build_info\{(.*)\} 1$", text, re.M)
    assert re.fullmatch(rf'version="{version}",revision="[0-9a-f]*",schema="{schema}"', info)
    free = wait_for(lambda: server.metric("cairn_files_disk_free_bytes"), what="look at the disk")
    assert 0 < free <= server.metric("cairn_files_disk_size_bytes") == shutil.disk_usage(folder).total


# ---- the end ---------------------------------------------------------------------------------------

class Writing:
    """Writers that send batch after batch until they are not answered any more."""

    def __init__(self, server, run, keys, count=16):
        self.server, self.run, self.key = server, run, keys["ann"]
        self.ledger = Ledger()
        self.odd = []
        self.writers = [run.join(f"c{i}", "worker") for i in range(count)]
        self.threads = [threading.Thread(target=self.write, args=(w,)) for w in self.writers]
        for thread in self.threads:
            thread.start()

    def write(self, w):
        batch = 1
        try:
            while True:
                with Client(self.server.port) as c:
                    closing = False
                    while not closing:
                        answer = self.one(c, w, batch)
                        batch += answer.status == 200
                        closing = answer.headers.get("connection", "").lower() == "close"
        except (Closed, OSError):
            return

    def one(self, c, w, batch):
        """503 says that nothing was stored: the same batch comes again, if there is still somebody to take it."""
        rows = Ledger.rows(w.client, w.session, batch, 1 + batch % 4)
        self.ledger.note_sent(w.client, w.session, batch, len(rows))
        answer = c.request("POST", f"{self.run.path}/batch", w.body(batch, history=rows), {
            "Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        if answer.status == 200:
            self.ledger.note_told(w.client, w.session, batch, answer.json())
        elif answer.status != 503:
            self.odd.append(answer)
        return answer

    def end(self):
        for thread in self.threads:
            thread.join()


def test_a_graceful_stop_answers_what_it_stores(start, home, keys, server):
    """Everything told is there, and nothing is there that nobody was told of."""
    stopping = start()
    api = Api(stopping, keys["ann"])
    run = Run(api, project=home)
    writing = Writing(stopping, run, keys)
    wait_until(lambda: len(writing.ledger.told) > 200, what="some batches")
    stopping.stop()
    writing.end()
    api.close()
    assert not writing.odd
    rows = run.at(server).rows()
    writing.ledger.check(rows)
    assert {(row["w"], row["s"], row["b"]) for row in rows} == set(writing.ledger.told)


# ---- who may send a large body --------------------------------------------------------------------------

def test_a_key_is_looked_up_before_a_large_body(server, keys):
    """A key that only looks like one may send 64 KiB; what is larger is refused without being taken."""
    path = f"{PROJECT}-bodies/runs/r1/history"
    body = b'{"v": 1}' + b" " * (1 << 20)

    def head(c, key, length):
        c.head("POST", path, {"Authorization": f"Bearer {key}", "Content-Type": "application/json",
                              "Content-Length": length, "Expect": "100-continue"})
        return c.reply_head()[0]

    for length, status in (64 << 10, 100), ((64 << 10) + 1, 401), (len(body), 401):
        with Client(server.port) as c:
            assert head(c, "0123456789" * 4, length) == status
    for _ in range(2):  # not known yet, and known
        with Client(server.port) as c:
            assert head(c, keys["ann"], len(body)) == 100
            c.send(body)
            assert c.reply("POST").status == 200


def test_started_without_standard_files(place):
    """Its lock, or a connection to the database, is not taken for them: log lines would go there."""
    server = Server(place.db.url, place.secret_file)
    server.prefix = ("sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh")
    with server:
        files = [os.readlink(f"/proc/{server.process.pid}/fd/{fd}") for fd in (0, 1, 2)]
        assert files == ["/dev/null"] * 3
        with Client(server.port) as c:
            assert c.request("GET", "/healthz").status == 200


@pytest.mark.long
def test_too_few_connections_for_all_parts(place):
    """Whichever part of the server does not get one: a word on why, and an end in order."""
    place.db.query("create role few login")
    place.db.query("grant all on schema public to few")
    place.db.query("grant all on all tables in schema public to few")
    refused = []
    for limit in range(1, 40):
        place.db.query(f"alter role few connection limit {limit}")
        server = Server(re.sub("user=[^&]*", "user=few", place.db.url), place.secret_file)
        try:
            server.start()
        except RuntimeError as e:
            refused.append(str(e))
        else:
            server.stop()
        server.remove()
        if len(refused) < limit:
            break
    place.db.query("drop owned by few")
    place.db.query("drop role few")
    assert len(refused) > 3
    for message in refused:
        assert "too many connections for role" in message
        assert "Sanitizer" not in message


def open_files(server):
    text = pathlib.Path(f"/proc/{server.process.pid}/limits").read_text()
    return [int(n) for n in re.search(r"^Max open files +(\d+) +(\d+)", text, re.M).groups()]


TOO_LOW = "the limit of open files is too low for the settings"


@pytest.mark.parametrize("soft, hard, connections, raised, warned", [
    (256, 4096, 100, True, False), pytest.param(4096, 4096, 100, False, False, marks=pytest.mark.long), (256, 700, 4096, True, True),
])
def test_open_files(place, soft, hard, connections, raised, warned):
    """What the settings need is taken where it may be, and its lack is said."""
    server = Server(place.db.url, place.secret_file, connection_limit=connections)
    server.prefix = ("prlimit", f"--nofile={soft}:{hard}")
    with server:
        assert open_files(server)[1] == hard
        assert (open_files(server)[0] > soft) == raised and (open_files(server)[0] == hard) == (warned or soft == hard)
        assert (TOO_LOW in server.log()) == warned
        if warned:
            line = next(line for line in server.log().splitlines() if TOO_LOW in line)
            assert f"limit={hard}" in line and int(re.search(r"needed=(\d+)", line)[1]) >= 2 * connections
