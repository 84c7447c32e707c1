"""An authority of one's own: the server's certificate is replaced while it serves, and the database, webhooks and the
command cairn are trusted by the authority's certificate alone."""
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys

import pytest

from cluster import Cluster, wait_until
from receiver import Receiver
from rest import Api
from runs import PROJECT
from server import Server, cairnd, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/http"))
from certificate import Authority  # noqa: E402
from client import Client  # noqa: E402

CAIRN = pathlib.Path(os.environ.get("CAIRN_BUILD", ROOT / "build/dev")) / "client/cairn"
LOADED = "TLS certificate loaded"
KEPT = "the TLS certificate was not replaced; the old one stays in use"


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """An authority that nobody trusts."""
    return Authority(tmp_path_factory.mktemp("other"), "Other CA")


class Files:
    """The certificate and the key of a server, replaced as programs that renew them do it."""

    def __init__(self, folder):
        self.cert, self.key = folder / "cert.pem", folder / "key.pem"
        self.settings = {"tls_cert_file": self.cert, "tls_key_file": self.key}

    def put(self, cert=None, key=None):
        for path, source in ((self.cert, cert), (self.key, key)):
            if source:
                fresh = path.with_suffix(".new")
                shutil.copy(source, fresh)
                fresh.rename(path)


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


@pytest.fixture
def start(place):
    """start(settings…): a server on the test's database."""
    started = []

    def start_one(url=place.db.url, **settings):
        started.append(Server(url, place.secret_file, **settings))
        return started[-1].start()
    yield start_one
    for server in started:
        server.stop()
        server.remove()


def presented(server, authority):
    """The name in the certificate that a new connection is answered with."""
    context = ssl.create_default_context(cafile=authority.file)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as plain, \
            context.wrap_socket(plain, server_hostname="localhost") as tls:
        return dict(part[0] for part in tls.getpeercert()["subject"])["commonName"]


def count(server, line):
    return server.log().count(line)


def wait_for_line(server, line, times=1):
    wait_until(lambda: count(server, line) == times, what=line)


def metric(server, authority, name):
    with Client(server.port, tls=ssl.create_default_context(cafile=authority.file)) as c:
        lines = c.request("GET", "/metrics").body.decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name + " "))


# ---- the server's certificate -------------------------------------------------------------------------

def test_a_renewed_certificate_is_used_by_new_connections(start, keys, files, authority):
    """A request under way is answered, and its connection goes on."""
    first, second = authority.issue("first", ends=20), authority.issue("second", ends=40)
    files.put(*first)
    server = start(**files.settings)
    assert presented(server, authority) == "first"
    ends = metric(server, authority, "cairn_tls_certificate_not_after_seconds")
    head = {"Authorization": f"Bearer {keys['ann']}", "Content-Type": "application/json", "Content-Length": "9"}
    with Client(server.port, tls=ssl.create_default_context(cafile=authority.file)) as kept:
        kept.head("POST", f"{PROJECT}-tls/runs/renewed/history", head)
        kept.send(b'[{"a"')
        files.put(*second)
        wait_until(lambda: presented(server, authority) == "second", what="the new certificate")
        kept.send(b":1}]")
        assert kept.reply().status == 200
        assert kept.request("GET", "/healthz").status == 200
    assert metric(server, authority, "cairn_tls_certificate_not_after_seconds") - ends > 19 * 86400
    assert count(server, LOADED) == 2 and count(server, KEPT) == 0
    assert re.search(rf'info {LOADED} file={files.cert} subject="CN=second" expires=20\d\d-', server.log())


def test_sighup_reads_the_certificate_again(start, files, authority):
    files.put(*authority.issue("first"))
    server = start(**files.settings)
    server.process.send_signal(signal.SIGHUP)
    wait_for_line(server, "the TLS certificate has not changed")
    files.put(*authority.issue("second"))
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: presented(server, authority) == "second", what="the new certificate")
    assert count(server, LOADED) == 2 and count(server, KEPT) == 0


def test_a_server_without_tls_outlives_sighup(start):
    server = start()
    server.process.send_signal(signal.SIGHUP)
    with Client(server.port) as c:
        assert c.request("GET", "/healthz").status == 200
    assert server.process.poll() is None


def test_files_that_cannot_be_used_leave_the_old_certificate(start, files, authority, tmp_path):
    first, second = authority.issue("first"), authority.issue("second")
    expired = authority.issue("expired", begins=-9, ends=-1)
    broken = tmp_path / "broken.pem"
    broken.write_text(second[0].read_text().replace("MII", "XXX"))
    files.put(*first)
    server = start(**files.settings)
    for times, (pair, reason) in enumerate((
            ((second[0], None), f'the key in "{files.key}" does not belong to the certificate in "{files.cert}"'),
            ((broken, second[1]), f'cannot use "{files.cert}": '),
            (expired, f'the certificate in "{files.cert}" has expired')), 1):
        files.put(*pair)
        wait_for_line(server, KEPT, times)
        line = [line for line in server.log().splitlines() if KEPT in line][-1]
        assert " error " in line and reason in line.replace('\\"', '"'), line
        assert presented(server, authority) == "first"
    files.key.unlink()
    wait_for_line(server, KEPT, 4)
    assert presented(server, authority) == "first"
    files.put(*second)
    wait_until(lambda: presented(server, authority) == "second", what="the new certificate")
    assert count(server, LOADED) == 2 and count(server, KEPT) == 4


def test_the_end_of_a_certificate_is_told(start, files, authority, cairn):
    files.put(*authority.issue("expired", begins=-9, ends=-1))
    server = start(**files.settings)
    expired = "error the TLS certificate has expired: clients reject it"
    assert count(server, expired) == 1
    code, said = cairn("ls", server=server, CAIRN_CA_FILE=authority.file)
    assert code == 3 and "has expired: ask the server's administrator to renew it\n" in said
    files.put(*authority.issue("soon", begins=-80, ends=10))
    wait_for_line(server, "warning the TLS certificate expires soon")
    files.put(*authority.issue("short", begins=-1, ends=1))
    wait_for_line(server, LOADED, 3)
    files.put(*authority.issue("early", begins=1, ends=90))
    wait_for_line(server, "warning the TLS certificate is not valid yet: clients reject it")
    assert count(server, expired) == 1 and count(server, "expires soon") == 1
    code, said = cairn("ls", server=server, CAIRN_CA_FILE=authority.file)
    assert code == 3 and "is not valid yet: check the clock of this machine\n" in said


# ---- the database ----------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def tls_cluster(authority):
    """A PostgreSQL that takes connections over TCP by TLS alone; its certificate is for localhost."""
    with Cluster(tcp=True) as made:
        for name, source in zip(("server.crt", "server.key"), authority.issue("postgres", hosts="DNS:localhost")):
            copy = shutil.copy(source, f"{made.data}/{name}")
            os.chmod(copy, 0o600)
            if os.geteuid() == 0:
                user = pwd.getpwnam("postgres")
                os.chown(copy, user.pw_uid, user.pw_gid)
        pathlib.Path(made.data, "pg_hba.conf").write_text("local all all trust\nhostssl all all all trust\n")
        made.psql("alter system set ssl = on")
        made.psql("select pg_reload_conf()")
        yield made


def tls_url(cluster, ca, host="localhost", database=None):
    database = database or cluster.create_database().split("/")[3].split("?")[0]
    return f"postgresql://cairn@{host}:{cluster.port}/{database}?sslmode=verify-full&sslrootcert={ca}"


def test_a_database_with_a_private_ca(start, tls_cluster, authority):
    url = tls_url(tls_cluster, authority.file)
    server = start(url)
    with Client(server.port) as c:
        assert c.request("GET", "/ready").status == 200
    name = url.split("/")[3].split("?")[0]
    assert tls_cluster.psql("select count(*) > 1, bool_and(ssl) from pg_stat_activity a join pg_stat_ssl using (pid) "
                            f"where a.datname = '{name}' and a.backend_type = 'client backend'") == "t|t"


@pytest.mark.parametrize("of, host, says", [
    ("other", "localhost", "certificate verify failed"),
    ("authority", "127.0.0.1", 'does not match host name "127.0.0.1"'),
    (None, "localhost", 'root certificate file "{ca}" does not exist'),
])
def test_a_database_that_is_not_trusted(tls_cluster, request, place, tmp_path, of, host, says):
    ca = request.getfixturevalue(of).file if of else tmp_path / "ca.pem"
    url = tls_url(tls_cluster, ca, host, database="postgres")
    done = subprocess.run([cairnd(), "user", "list"], env=environment(url, place.secret_file, database_wait_s=0),
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and says.format(ca=ca) in done.stderr, done
    assert "\n        set sslrootcert in the database URL to " in done.stderr or of == "authority"


# ---- webhooks --------------------------------------------------------------------------------------

def refusal(place, **settings):
    done = subprocess.run([cairnd(), "serve", "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=120,
                          env=environment(place.db.url, place.secret_file, **settings))
    assert done.returncode == 78, done
    return done.stderr


def test_a_ca_file_that_cannot_be_used(place, tmp_path):
    nothing, empty = tmp_path / "nothing", tmp_path / "empty"
    empty.write_text("x")
    assert f'cannot read "{nothing}": No such file' in refusal(place, ca_file=nothing)
    assert f'"{empty}" does not contain a PEM CERTIFICATE' in refusal(place, ca_file=empty)


@pytest.fixture
def receiver(authority):
    with Receiver(tls=authority.issue("chat")) as made:
        yield made


@pytest.mark.own
@pytest.mark.parametrize("of, arrives", [("authority", True), ("other", False), (None, False)])
def test_webhooks_with_a_private_ca(place, request, keys, receiver, of, arrives):
    """On a database of its own: any server of a database sends."""
    ca = {"ca_file": request.getfixturevalue(of).file} if of else {}
    project = f"{PROJECT}-{of}"
    with Server(place.db.url, place.secret_file, webhook_hosts="127.0.0.0/8", **ca) as server:
        api = Api(server, keys["ann"])
        api.put(f"{project}/runs/r", {})
        api.put(f"{project}/webhook", {"url": receiver.url})
        api.post(f"{project}/runs/r/alerts", {"title": of or "nobody", "wait_s": 0})
        api.close()
        if arrives:
            wait_until(lambda: receiver.titles == [of], what="the alert")
            return
        wait_until(lambda: "fault=tls" in server.log(), what="a failure")
        line = next(line for line in server.log().splitlines() if "fault=tls" in line)
        assert "certificate" in line and "set ca_file to the authority's certificate" in line
    assert receiver.titles == []


# ---- the command -----------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def secure(shared_place, tmp_path_factory, authority):
    files = Files(tmp_path_factory.mktemp("secure"))
    files.put(*authority.issue("secure", hosts="DNS:localhost"))
    server = Server(shared_place.db.url, shared_place.secret_file, **files.settings).start()
    server.files = files
    yield server
    server.stop()
    server.remove()


@pytest.fixture
def cairn(secure, keys, tmp_path):
    def run(*words, server=secure, host="localhost", prefix=(), **env):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
        done = subprocess.run([*prefix, CAIRN, *words], capture_output=True, text=True, timeout=120, env={
            **kept, "HOME": str(tmp_path), "CAIRN_URL": f"https://{host}:{server.port}", "CAIRN_API_KEY": keys["ann"],
            "CAIRN_PROJECT": "tls", **{name: str(value) for name, value in env.items()}})
        return done.returncode, done.stdout + done.stderr
    return run


def test_the_command_with_a_private_ca(cairn, authority):
    assert cairn("run", "--run", "r1", "--", "echo", "hi", CAIRN_CA_FILE=authority.file) == (0, "hi\n")
    code, said = cairn("ls", "--ca-file", str(authority.file))
    assert code == 0 and "r1" in said
    code, said = cairn("doctor", CAIRN_CA_FILE=authority.file)
    assert code == 0 and "with TLS" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_the_authorities_of_the_system(cairn, authority, other, tmp_path):
    """Trusted unless CAIRN_CA_FILE is set, which replaces them."""
    shutil.copy(authority.file, tmp_path / "ca-certificates.crt")
    subprocess.run(["openssl", "rehash", tmp_path], check=True)
    prefix = ("unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/ssl/certs && exec "$@"', tmp_path)
    assert cairn("doctor", prefix=prefix)[0] == 0
    code, said = cairn("doctor", prefix=prefix, CAIRN_CA_FILE=other.file)
    assert code == 3 and "signed by an unknown authority" in said


def test_what_the_command_says_of_certificates(cairn, secure, authority, other, tmp_path):
    unknown = f"the certificate of https://localhost:{secure.port} is signed by an unknown authority: "
    code, said = cairn("ls")
    assert code == 3 and unknown + "set CAIRN_CA_FILE to the authority's certificate\n" in said
    code, said = cairn("ls", CAIRN_CA_FILE=other.file)
    assert code == 3 and unknown + f'its certificate is not in CAIRN_CA_FILE, "{other.file}"\n' in said
    code, said = cairn("doctor")
    assert code == 3 and unknown in said and "Set --ca-file or CAIRN_CA_FILE to a file with the authority's certificate (PEM); ask the server's administrator for it." in said
    code, said = cairn("run", "--", "echo", "hi")
    assert code == 0 and said.startswith("hi\n") and unknown in said
    code, said = cairn("ls", CAIRN_CA_FILE=tmp_path / "nothing")
    assert code == 3 and f'cannot read a PEM certificate from CAIRN_CA_FILE, "{tmp_path}/nothing"' in said
    code, said = cairn("ls", host="127.0.0.1", CAIRN_CA_FILE=authority.file)
    assert code == 3 and "is for another host: use the name that it was issued for" in said


def test_login_says_what_others_need(cairn, secure, keys, authority, tmp_path):
    key = tmp_path / "key"
    key.write_text(keys["ann"])
    url = f"https://localhost:{secure.port}"
    code, said = cairn("login", url, "--key-file", str(key), "--ca-file", str(authority.file))
    assert code == 0 and f"Set CAIRN_CA_FILE to {authority.file} for other commands and programs.\n" in said
