"""An authority of one's own: the server's certificate is replaced while it serves."""
import pathlib
import re
import shutil
import signal
import socket
import ssl
import sys

import pytest

from cluster import wait_until
from runs import PROJECT
from server import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/http"))
from certificate import Authority  # noqa: E402
from client import Client  # noqa: E402

LOADED = "TLS certificate loaded"
KEPT = "the TLS certificate was not replaced, the old one stays in use"


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


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
            ((broken, second[1]), f'"{files.cert}" cannot be used: '),
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


def test_the_end_of_a_certificate_is_told(start, files, authority):
    files.put(*authority.issue("expired", begins=-9, ends=-1))
    server = start(**files.settings)
    expired = "error the TLS certificate has expired: clients refuse it"
    assert count(server, expired) == 1
    files.put(*authority.issue("soon", begins=-80, ends=10))
    wait_for_line(server, "warning the TLS certificate expires soon")
    files.put(*authority.issue("short", begins=-1, ends=1))
    wait_for_line(server, LOADED, 3)
    files.put(*authority.issue("early", begins=1, ends=90))
    wait_for_line(server, "warning the TLS certificate is not valid yet: clients refuse it")
    assert count(server, expired) == 1 and count(server, "expires soon") == 1
