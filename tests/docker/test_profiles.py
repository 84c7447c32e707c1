"""The profiles tls and scale of compose.yaml: HTTPS by a CA, and two servers of which a path always has the same."""
import http.client
import json
import re
import ssl
import sys

import pytest

from containers import HERE, TOP, build

sys.path.append(str(TOP / "tests/http"))
from certificate import make_certificate  # noqa: E402

PATH = "/api/v1/projects/ann/scale/runs/r"


@pytest.fixture(scope="module")
def stack(engine, make_stack):
    build(engine, HERE / "caddy", HERE / "caddy/Dockerfile", "caddy:2")
    made = make_stack()
    made.up()
    made("--profile", "scale", "up", "-d", "--wait", "--no-build")
    made.key = made.cairnd("user", "add", "ann", "--admin").strip()
    return made


def test_https_by_a_private_ca_and_two_servers(stack, tmp_path):
    root = tmp_path / "root.crt"
    stack("--profile", "scale", "cp", "proxy:/data/caddy/pki/authorities/local/root.crt", root)
    port = int(stack.env["CAIRN_HTTPS_PORT"])
    context = ssl.create_default_context(cafile=root)
    head = {"Authorization": f"Bearer {stack.key}", "Content-Type": "application/json"}

    def ask(method, path, body=None):
        connection = http.client.HTTPSConnection("localhost", port, timeout=60, context=context)
        connection.request(method, path, json.dumps(body) if body is not None else None, head)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status in (200, 201), text
        return text

    for run in range(8):
        for n in range(3):
            ask("POST", f"{PATH}{run}/history", [{"n": n}])
    for run in range(8):
        assert len(ask("GET", f"{PATH}{run}/history?format=ndjson").splitlines()) == 3
    by_server = [len(re.findall(r"method=POST route=\S+/history ", stack("--profile", "scale", "logs", service)))
                 for service in ("cairnd", "cairnd-2")]
    assert sum(by_server) == 24 and all(n % 3 == 0 for n in by_server), by_server
    log = stack("--profile", "scale", "logs", "cairnd", "cairnd-2")
    assert not re.search(rf"method=POST .* client={stack.env['CAIRN_PROXY_NET']}\.10 ", log), "the proxy was not trusted"


def test_https_with_a_given_certificate(stack, make_stack, tmp_path):
    """`stack` has built the proxy's image."""
    make_certificate(tmp_path)
    made = make_stack(CAIRN_CADDYFILE="Caddyfile.given", CAIRN_TLS=str(tmp_path))
    made("--profile", "tls", "up", "-d", "--wait", "--no-build")
    context = ssl.create_default_context(cafile=tmp_path / "cert.pem")
    connection = http.client.HTTPSConnection("localhost", int(made.env["CAIRN_HTTPS_PORT"]), timeout=60, context=context)
    connection.request("GET", "/ready")
    assert connection.getresponse().status == 200
    connection.close()
