"""A small HTTP client that says what it got.

Every answer is held against the contract unless check=False. Connections are kept, one per thread.
"""
import base64
import gzip
import http.client
import json
import threading
import urllib.parse

import zstandard

from contract import Contract

PROBLEM = "urn:cairn:problem:"
_contract = Contract()


def encode(value):
    """JSON as clients write it; bytes and text as they are."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def compress(body, encoding):
    if encoding == "gzip":
        return gzip.compress(body, 1)
    if encoding == "zstd":
        return zstandard.compress(body, 1)
    return body


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.body = body
        self.content_type = (response.headers.get("Content-Type") or "").split(";")[0].strip()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()

    @property
    def lines(self):
        """The rows of an NDJSON body."""
        return [json.loads(line) for line in self.body.splitlines() if line]

    @property
    def problem(self):
        """The short type of a problem document; None for anything else."""
        if self.content_type != "application/problem+json" or not self.body:
            return None
        return self.json["type"].removeprefix(PROBLEM)

    def __getitem__(self, name):
        return self.json[name]

    def __repr__(self):
        return f"<{self.status} {self.content_type} {self.body[:600]!r}>"


class Api:
    """`key` is sent as a Bearer key; None sends none, basic=True sends it as Basic."""

    def __init__(self, server, key=None, basic=False):
        self.server = server
        self.key = key
        self.basic = basic
        self._local = threading.local()

    def as_user(self, key, basic=False):
        return Api(self.server, key, basic)

    def at(self, server):
        return Api(server, self.key, self.basic)

    def _connection(self):
        if getattr(self._local, "port", None) != self.server.port:
            self.close()
            self._local.http = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
            self._local.port = self.server.port
        return self._local.http

    def close(self):
        if getattr(self._local, "http", None):
            self._local.http.close()
        self._local.http = self._local.port = None

    def _headers(self, more):
        headers = {}
        if self.key and self.basic:
            pair = base64.b64encode(f"api:{self.key}".encode()).decode()
            headers["Authorization"] = f"Basic {pair}"
        elif self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        return {**headers, **(more or {})}

    def _send(self, connection, method, path, body, headers):
        """Who refuses a large body may hang up while it is still being sent; the answer is there."""
        try:
            connection.request(method, path, body, self._headers(headers))
        except BrokenPipeError:
            if not body or len(body) < 1 << 20:
                raise

    def raw(self, method, path, body=None, headers=None):
        """One exchange, nothing judged. A kept connection that has gone stale is opened anew."""
        for attempt in (1, 2):
            connection = self._connection()
            fresh = connection.sock is None
            try:
                self._send(connection, method, path, body, headers)
                response = connection.getresponse()
                return Answer(response, response.read())
            except (http.client.HTTPException, ConnectionError):
                self.close()
                if fresh or attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def request(self, method, path, body=None, *, headers=None, query=None, encoding=None,
                content_type="application/json", check=True):
        headers = dict(headers or {})
        data = None
        if body is not None:
            data = compress(encode(body), encoding)
            if content_type:
                headers.setdefault("Content-Type", content_type)
            if encoding:
                headers["Content-Encoding"] = encoding
        url = path + ("?" + urllib.parse.urlencode(query) if query else "")
        answer = self.raw(method, url, data, headers)
        if check:
            faults = list(_contract.faults(method, path, answer))
            assert not faults, f"{method} {url}: against the contract: {faults}\n{answer}"
        return answer

    def _fine(self, method, path, *args, **kwargs):
        answer = self.request(method, path, *args, **kwargs)
        assert 200 <= answer.status < 300, f"{method} {path}: {answer}"
        return answer

    def get(self, path, **query):
        return self._fine("GET", path, query=query)

    def put(self, path, body=None, **kwargs):
        return self._fine("PUT", path, body, **kwargs)

    def post(self, path, body=None, **kwargs):
        return self._fine("POST", path, body, **kwargs)

    def patch(self, path, body, **kwargs):
        kwargs.setdefault("content_type", "application/merge-patch+json")
        return self._fine("PATCH", path, body, **kwargs)

    def delete(self, path, **query):
        return self._fine("DELETE", path, query=query)

    def refused(self, status, problem, method, path, body=None, **kwargs):
        """The request must be refused just so; returns the problem document."""
        answer = self.request(method, path, body, **kwargs)
        assert (answer.status, answer.problem) == (status, problem), f"{method} {path}: {answer}"
        return answer.json

    def pages(self, path, **query):
        """All items of a list, page by page."""
        items, cursor = [], None
        while True:
            page = self.get(path, **query, **({"cursor": cursor} if cursor else {})).json
            items += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return items
            assert page["items"], "an empty page that is not the last"
