"""Listening, TLS, proxies, prefix, metrics, and bytes that are no HTTP."""

import random
import shutil
import ssl
import subprocess

import pytest

from certificate import make_certificate
from client import Client
from conftest import BINARY, Server, wait_for


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls"))


def test_tls(start, certificate):
    cert, key = certificate
    server = start(tls_cert_file=cert, tls_key_file=key)
    context = ssl.create_default_context(cafile=cert)
    with server.client(tls=context) as c:
        assert c.request("GET", "/facts/x").status == 200
        body = b"x" * (1 << 20)
        assert c.request("POST", "/echo", body).body == body
        assert len(c.request("GET", "/stream?bytes=3000000").body) == 3000000
        assert c.request("POST", "/detach", b"abc").body == b"abc"
    with server.client() as plain:
        plain.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"HTTP" not in plain.rest()
    with server.client(tls=context) as c:
        c.head("GET", "/live")
        assert c.reply_head()[0] == 200 and c.chunk() == b":\n\n"


def test_browsers_are_asked_to_keep_to_https(start, certificate, trusting):
    cert, key = certificate
    context = ssl.create_default_context(cafile=cert)
    name = "strict-transport-security"
    with start(tls_cert_file=cert, tls_key_file=key, hsts_s=1000).client(tls=context) as c:
        for path in ("/facts/x", "/healthz", "/nothing"):
            assert c.request("GET", path).headers[name] == "max-age=1000"
    with start(tls_cert_file=cert, tls_key_file=key, hsts_s=0).client(tls=context) as c:
        assert name not in c.request("GET", "/facts/x").headers
    plain = start(hsts_s=1000)
    assert name not in plain.get("/facts/x").headers
    assert name not in plain.get("/facts/x", X_Forwarded_Proto="https").headers
    assert name not in trusting.get("/facts/x").headers
    assert name not in trusting.get("/facts/x", X_Forwarded_Proto="http").headers
    assert trusting.get("/facts/x", X_Forwarded_Proto="https").headers[name] == "max-age=77"


def failure(**settings):
    arguments = [f"{name}={value}" for name, value in settings.items()]
    done = subprocess.run([BINARY, *arguments], capture_output=True, timeout=120, check=False)
    assert done.returncode == 1
    return done.stderr.decode().splitlines()[-1]


def test_settings_that_cannot_be_used(start, certificate, tmp_path):
    cert, key = certificate
    nothing = tmp_path / "nothing"
    empty = tmp_path / "empty"
    empty.write_text("")
    assert "cannot read" in failure(tls_cert_file=nothing, tls_key_file=key)
    assert "TLS requires both a certificate file and a key file" in failure(tls_cert_file=cert)
    assert '" does not contain a PEM CERTIFICATE' in failure(tls_cert_file=empty, tls_key_file=key)
    assert "does not contain a PEM PRIVATE KEY" in failure(tls_cert_file=cert, tls_key_file=cert)
    broken = tmp_path / "broken.pem"
    broken.write_text(cert.read_text().replace("MII", "XXX"))
    assert f'cannot use "{broken}"' in failure(tls_cert_file=broken, tls_key_file=key)
    broken.write_text(cert.read_text() + cert.read_text().replace("MII", "XXX"))
    assert f'cannot use "{broken}"' in failure(tls_cert_file=broken, tls_key_file=key)
    broken.write_text(key.read_text().replace("MII", "XXX"))
    assert f'cannot use "{broken}"' in failure(tls_cert_file=cert, tls_key_file=broken)
    _, other_key = make_certificate(tmp_path)
    assert "does not belong" in failure(tls_cert_file=cert, tls_key_file=other_key)
    assert '" is not a valid address or network' in failure(trusted_proxies="10.0.0.0/99")
    assert '": expected an address such as "127.0.0.1:8080"' in failure(listen="127.0.0.1")
    assert '": expected an address such as "127.0.0.1:8080"' in failure(listen="::1:80")
    port = start().port
    assert "cannot listen" in failure(listen=f"127.0.0.1:{port}")
    assert "cannot write" in failure(port_file=tmp_path / "no" / "port")


def test_where_to_listen(start):
    assert start(listen=":0").get("/healthz").status == 200
    server = start(listen="localhost:0")
    assert server.process.poll() is None
    if not has_ipv6():
        pytest.skip("no IPv6 here")
    server = start(listen="[::1]:0")
    with Client(server.port, host="::1") as c:
        assert c.request("GET", "/facts/x").json()["client"] == "::1"
    both = start(listen=":0")
    with Client(both.port, host="::1") as c:
        assert c.request("GET", "/healthz").status == 200
    assert both.get("/facts/x").json()["client"] == "127.0.0.1"


def has_ipv6():
    import socket
    try:
        with socket.socket(socket.AF_INET6) as s:
            s.bind(("::1", 0))
        return True
    except OSError:
        return False


FORWARDED = {"X-Forwarded-For": "1.1.1.1, 2.2.2.2", "X-Forwarded-Prefix": "/tracking/"}


def facts(server):
    with server.client() as c:
        return c.request("GET", "/facts/x", headers=FORWARDED).json()


def test_forwarded_headers_of_strangers_are_ignored(server):
    seen = facts(server)
    assert (seen["client"], seen["prefix"]) == ("127.0.0.1", "")


def test_forwarded_headers_of_trusted_proxies(start):
    seen = facts(start(trusted_proxies="127.0.0.0/8"))
    assert (seen["client"], seen["prefix"]) == ("2.2.2.2", "/tracking")
    assert facts(start(trusted_proxies="127.0.0.1,2.2.2.2"))["client"] == "1.1.1.1"


def test_a_trusted_proxy_that_says_little(start):
    """Most send no X-Forwarded-Prefix."""
    with start(trusted_proxies="127.0.0.1", path_prefix="/cairn").client() as c:
        seen = c.request("GET", "/cairn/facts/x", headers={"X-Forwarded-For": "2.2.2.2"}).json()
    assert (seen["client"], seen["prefix"]) == ("2.2.2.2", "/cairn")


@pytest.mark.parametrize("prefix, seen", [
    ("/lab", "/lab"), ("/lab/x_1.2~a-b/", "/lab/x_1.2~a-b"), ("/", ""), ("", ""), ("lab", ""), ("//evil.example", ""),
    ("/lab//x", ""), ("/lab/..", ""), ("/../x", ""), ("/a b", ""), ("/x; Domain=evil.example", ""), ("/\"><b>", ""),
    ("/\\evil.example", ""), ("/%2f", ""), ("/a?b", ""), ("/\xfc", ""), ("https://evil.example", ""),
])
def test_a_prefix_is_checked(trusting, prefix, seen):
    assert trusting.get("/facts/x", X_Forwarded_Prefix=prefix).json()["prefix"] == seen


@pytest.fixture(scope="module")
def trusting(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("trusting"), trusted_proxies="127.0.0.1", hsts_s=77)
    yield server
    server.stop()


def test_a_proxy_that_adds_a_line_of_its_own(start):
    """What the client wrote stands in the first line, what the proxy saw in the last."""
    with start(trusted_proxies="127.0.0.1").client() as c:
        c.send(b"GET /facts/x HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: 1.1.1.1\r\n"
               b"X-Forwarded-For: 2.2.2.2\r\n\r\n")
        assert c.reply().json()["client"] == "2.2.2.2"


def test_a_path_prefix(start):
    server = start(path_prefix="/cairn/")
    seen = server.get("/cairn/facts/x").json()
    assert seen["path"] == "/facts/x" and seen["prefix"] == "/cairn"
    for path in ("/facts/x", "/cairnfacts/x", "/cairn", "/cairn/"):
        assert server.get(path).status == 404


def test_the_port_file_goes_with_the_server(start):
    server = start()
    server.stop()
    assert not server.port_file.exists()


def test_metrics(server):
    server.get("/nothing")
    server.get("/facts/x")
    server.get("/facts/y")
    server.post("/echo", b"12345")
    text = wait_for(lambda: metrics_after(server, 2))
    assert 'cairn_http_requests_total{route="none",method="none",status="404"} 1' in text
    assert "cairn_http_request_body_bytes_total 5" in text
    assert 'le="+Inf"' in text
    promtool = shutil.which("promtool")
    if promtool:
        done = subprocess.run([promtool, "check", "metrics"], input=text.encode(),
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stderr


def metrics_after(server, count):
    text = server.get("/metrics").body.decode()
    line = f'cairn_http_requests_total{{route="/facts/{{name}}",method="GET",status="200"}} {count}'
    return text if line in text and "cairn_http_request_body_bytes_total 5\n" in text else None


PIECES = [b"GET ", b"POST ", b"/echo", b"/facts/x", b" HTTP/1.1", b" HTTP/9.9", b"\r\n", b"\r\n\r\n",
          b"\n", b"Host: x\r\n", b"Content-Length: ", b"5", b"99999999999999999999", b"-1",
          b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n", b"\x1f\x8b\x08\0\0\0",
          b"0\r\n\r\n", b"ffffffffffffffff\r\n", b"Expect: 100-continue\r\n", b"%00", b"\0", b"\xff",
          b": ", b"?a=%", b"x" * 3000, b"Connection: close\r\n", b"Accept-Encoding: gzip\r\n"]


def test_bytes_that_are_no_http(server):
    random.seed(1)
    for _ in range(1500):
        data = b"".join(random.choice(PIECES) for _ in range(random.randrange(1, 30)))
        if random.random() < 0.3:
            data = random.randbytes(random.randrange(1, 300))
        with server.client() as c:
            try:
                c.send(data)
                if random.random() < 0.5:
                    c.reset()
            except OSError:
                pass
    assert server.get("/healthz").status == 200
    wait_for(lambda: server.is_at_rest())
