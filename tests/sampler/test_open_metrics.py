"""Endpoints of metrics: the sampler reads a real exporter of Prometheus, and servers that misbehave."""
import contextlib
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import sys
import threading
import time

import prometheus_client
import pytest
from prometheus_client.openmetrics import exposition

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "http"))
from certificate import Authority  # noqa: E402

SAMPLER = os.environ["CAIRN_SAMPLER"]
PATIENCE_S = 120
BODY_MAX = 4 << 20
VALUES_MAX, SERIES_MAX, DESCRIBED_MAX = 1024, 8192, 128
SPACE = b"# TYPE up gauge\nup 1\n"


class Endpoint(http.server.ThreadingHTTPServer):
    """Answers with what `answer` of the request's headers gives: status, headers, body."""

    daemon_threads = True

    def __init__(self, answer, context=None):
        self.answer, self.requests = answer, []
        super().__init__(("127.0.0.1", 0), Handler)
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/metrics"

    def handle_error(self, request, client_address):
        pass  # a client that does not trust the certificate goes away

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.requests.append(dict(self.headers))
        status, headers, body = self.server.answer(self.headers)
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def good(body):
    return lambda _headers: (200, {}, body)


@contextlib.contextmanager
def sampler(*arguments, **environment):
    """Rows as dicts, as they come."""
    command = [SAMPLER, "--interval", "0.2", "--no-process-tree", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}) as process:
        try:
            yield (json.loads(line) for line in process.stdout)
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def values(row):
    return {name.removeprefix("openmetrics."): value for name, value in row.items() if name.startswith("openmetrics.")}


def until(rows, fits):
    """The values of the first row that fits."""
    end = time.monotonic() + PATIENCE_S
    for row in rows:
        found = values(row)
        if fits(found):
            return found
        assert time.monotonic() < end, found
    raise AssertionError("the sampler has ended")


def explanation(*arguments, **environment):
    done = subprocess.run([SAMPLER, "--explain", *arguments], capture_output=True, text=True, check=True,
                          env={**os.environ, **environment})
    return next(line for line in done.stdout.splitlines() if line.startswith("open_metrics: "))


@pytest.fixture(name="exporter")
def make_exporter():
    """A real exporter: a gauge with labels, a counter, a histogram."""
    registry = prometheus_client.CollectorRegistry()
    load = prometheus_client.Gauge("load", "Of \"rooms\"\n", ["room", "a"], registry=registry)
    load.labels('b"\\\n', "x").set(1.5)
    load.labels("c", "y").set(2e-3)
    prometheus_client.Counter("jobs", "Done.", registry=registry).inc(7)
    prometheus_client.Histogram("took", "Seconds.", registry=registry).observe(1)
    prometheus_client.Info("build", "Version.", registry=registry).info({"version": "1"})
    server, thread = prometheus_client.start_http_server(0, "127.0.0.1", registry)
    yield registry, load, f"http://127.0.0.1:{server.server_port}/metrics"
    server.shutdown()
    server.server_close()
    thread.join()


def test_exporter(exporter):
    """Gauges and counters have a number for each set of labels, in the order in which they were seen first."""
    _registry, load, url = exporter
    with sampler("--open-metrics", f"room-1={url}") as rows:
        found = until(rows, bool)
        assert {name: found[name] for name in ("room-1.load.0", "room-1.load.1", "room-1.jobs_total.0")} == {
            "room-1.load.0": 1.5, "room-1.load.1": 2e-3, "room-1.jobs_total.0": 7}
        assert not [name for name in found if "took_bucket" in name or "took_sum" in name or "build" in name]
        load.remove('b"\\\n', "x")
        load.labels("a", "z").set(float("nan"))
        load.labels("d", "z").set(4)
        found = until(rows, lambda found: "room-1.load.3" in found)
        assert {"room-1.load.0", "room-1.load.2"}.isdisjoint(found) and found["room-1.load.3"] == 4
        load.labels('b"\\\n', "x").set(9)
        assert until(rows, lambda found: "room-1.load.0" in found)["room-1.load.0"] == 9


def test_openmetrics_format(exporter):
    registry, _load, _url = exporter
    with Endpoint(lambda _headers: (200, {}, exposition.generate_latest(registry))) as endpoint:
        with sampler("--open-metrics", f"e={endpoint.url}") as rows:
            found = until(rows, bool)
        assert found["e.load.0"] == 1.5 and found["e.jobs_total.0"] == 7
        assert not [name for name in found if "created" in name]


def test_filters_and_metadata(exporter):
    """Filters are those of wandb; what the labels of a number are is part of the metadata."""
    _registry, _load, url = exporter
    arguments = ("--open-metrics", f"e={url}")
    with sampler(*arguments, "--open-metrics-filters", '{"e.load": {"room": "^[a-d]$"}}') as rows:
        assert until(rows, bool) == {"e.load.0": 2e-3}
    with sampler(CAIRN_OPEN_METRICS=json.dumps({"f": url}), CAIRN_OPEN_METRICS_FILTERS='["nothing", "jobs$|jobs_total"]') as rows:
        assert until(rows, bool) == {"f.jobs_total.0": 7}
    done = subprocess.run([SAMPLER, "--metadata", *arguments], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["openmetrics"]["e.load.1"] == "a=y,room=c"


def test_request():
    """Headers are sent, nothing is packed, and a proxy is not asked."""
    def answer(headers):
        return (200, {}, SPACE) if headers.get("Authorization") == "Bearer t" else (401, {}, b"")
    with Endpoint(answer) as endpoint:
        proxies = {"http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"}
        with sampler("--open-metrics", f"e={endpoint.url}", "--open-metrics-header", "Authorization: Bearer t",
                     "--open-metrics-header", "X-A: 1", **proxies) as rows:
            assert until(rows, bool) == {"e.up.0": 1}
        assert "Accept-Encoding" not in endpoint.requests[0] and endpoint.requests[0]["X-A"] == "1"
        assert explanation("--open-metrics", f"e={endpoint.url}") == "open_metrics: found: e: status 401"


def test_redirect_is_refused():
    with Endpoint(good(SPACE)) as target, Endpoint(lambda _headers: (302, {"Location": target.url}, b"")) as endpoint:
        assert explanation("--open-metrics", f"e={endpoint.url}").endswith("e: status 302")
        assert not target.requests


def test_https(tmp_path):
    """The certificate is checked; --ca-file and CAIRN_CA_FILE say by whom it may be signed."""
    authority = Authority(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issue("server"))
    with Endpoint(good(SPACE), context) as endpoint:
        arguments = ("--open-metrics", f"e={endpoint.url.replace('http:', 'https:')}")
        assert "1 series" in explanation(*arguments, "--ca-file", str(authority.file))
        assert "1 series" in explanation(*arguments, CAIRN_CA_FILE=str(authority.file))
        assert "SSL" in explanation(*arguments)


def padded(size):
    return SPACE + b"#" * (size - len(SPACE) - 1) + b"\n"


def test_body_limit():
    with Endpoint(good(padded(BODY_MAX))) as fits, Endpoint(good(padded(BODY_MAX + 1))) as more:
        line = explanation("--open-metrics", f"fits={fits.url}", "--open-metrics", f"more={more.url}")
    assert line.endswith("fits: 1 series, more: more than 4 MiB")


def test_value_limit():
    body = b"# TYPE a gauge\n" + b"".join(b'a{i="%d"} 1\n' % i for i in range(VALUES_MAX + 1))
    with Endpoint(good(body)) as endpoint, sampler("--open-metrics", f"e={endpoint.url}") as rows:
        assert len(until(rows, bool)) == VALUES_MAX
        done = subprocess.run([SAMPLER, "--metadata", "--open-metrics", f"e={endpoint.url}"], capture_output=True, text=True, check=True)
    assert len(json.loads(done.stdout)["openmetrics"]) == DESCRIBED_MAX


@pytest.mark.parametrize("others, is_there", [(SERIES_MAX - 2, True), (SERIES_MAX - 1, False)])
def test_series_limit(others, is_there):
    """One series is wanted; it and its metric need a place, as the others do."""
    body = b"# TYPE a gauge\n" + b"".join(b'a{i="%d"} 1\n' % i for i in range(others)) + b'a{i="last"} 2\n'
    with Endpoint(good(body)) as endpoint:
        line = explanation("--open-metrics", f"e={endpoint.url}", "--open-metrics-filters", '{"a": {"i": "last"}}')
    assert line.endswith("e: 1 series" if is_there else "e: 0 series")


def test_hanging_endpoint():
    """One that never answers takes nothing from another, and does not hold up the end."""
    release = threading.Event()

    def hang(_headers):
        release.wait(PATIENCE_S)
        return 200, {}, SPACE
    with Endpoint(hang) as hanging, Endpoint(good(SPACE)) as endpoint:
        arguments = ("--open-metrics", f"e={endpoint.url}", "--open-metrics", f"h={hanging.url}")
        with sampler(*arguments) as rows:
            assert values(next(rows)) == {}
            assert until(rows, bool) == {"e.up.0": 1}
            before = time.monotonic()
        assert time.monotonic() - before < 10
        release.set()


def test_endpoint_comes_back():
    answers = [(503, {}, b""), (200, {}, b"\x00\xff{"), (200, {}, b"")]
    with Endpoint(lambda _headers: answers.pop(0) if answers else (200, {}, SPACE)) as endpoint:
        with sampler("--open-metrics", f"e={endpoint.url}") as rows:
            assert until(rows, bool) == {"e.up.0": 1}


def test_dcgm():
    """What DCGM gives for "no value" is none."""
    body = (b"# TYPE DCGM_FI_DEV_GPU_TEMP gauge\n"
            b'DCGM_FI_DEV_GPU_TEMP{gpu="0"} 41\nDCGM_FI_DEV_GPU_TEMP{gpu="1"} 9223372036854775794\n'
            b"# TYPE DCGM_FI_PROF_DRAM_ACTIVE gauge\n"
            b'DCGM_FI_PROF_DRAM_ACTIVE{gpu="0"} 140737488355330.000000\nDCGM_FI_PROF_DRAM_ACTIVE{gpu="1"} 0.5\n')
    with Endpoint(good(body)) as endpoint, sampler("--open-metrics", f"d={endpoint.url}") as rows:
        assert until(rows, bool) == {"d.DCGM_FI_DEV_GPU_TEMP.0": 41, "d.DCGM_FI_PROF_DRAM_ACTIVE.1": 0.5}


@pytest.mark.parametrize("arguments", [
    ("--open-metrics", "e"), ("--open-metrics", ""), ("--open-metrics", "e=file:///etc/passwd"),
    ("--open-metrics-filters", "("), ("--open-metrics-header", "X"), ("--open-metrics-filters", "")])
def test_invalid_options(arguments):
    done = subprocess.run([SAMPLER, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith("cairn-sampler: invalid ")
