"""HTTP over a plain socket, so that every byte sent is the test's own."""

import json
import select
import socket
import ssl


class Reply:
    def __init__(self, status, headers, body, complete):
        self.status = status
        self.headers = headers
        self.body = body
        self.complete = complete

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.headers} {self.body[:300]!r}>"


class Closed(Exception):
    """The server closed the connection before an answer."""


class Client:
    def __init__(self, port, host="127.0.0.1", tls=None, timeout=120, receive_buffer=None, address=None):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        if address:
            self.socket.bind((address, 0))
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.buffer = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Closes so that the other side gets a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def head(self, method, path, headers=(), version="1.1"):
        fields = {"Host": "test", **dict(headers)}
        lines = [f"{method} {path} HTTP/{version}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
        self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")

    def request(self, method, path, body=b"", headers=()):
        fields = dict(headers)
        if body or method in ("POST", "PUT", "PATCH"):
            fields.setdefault("Content-Length", len(body))
        self.head(method, path, fields)
        if body:
            self.send(body)
        return self.reply(method)

    def fill(self):
        try:
            data = self.socket.recv(1 << 16)
        except (ConnectionError, ssl.SSLError) as error:
            raise Closed(str(error)) from error
        if not data:
            raise Closed("end of stream")
        self.buffer += data

    def has_more(self):
        return bool(self.buffer or select.select([self.socket], [], [], 0)[0])

    def line(self):
        while b"\n" not in self.buffer:
            self.fill()
        return self.take(self.buffer.index(b"\n") + 1)[:-1].rstrip(b"\r").decode("latin-1")

    def take(self, count):
        while len(self.buffer) < count:
            self.fill()
        data = bytes(self.buffer[:count])
        del self.buffer[:count]
        return data

    def reply_head(self):
        status = int(self.line().split()[1])
        headers = {}
        while line := self.line():
            name, value = line.split(":", 1)
            name = name.lower()
            headers[name] = f"{headers[name]}, {value.strip()}" if name in headers else value.strip()
        return status, headers

    def chunk(self):
        """The next chunk; empty at the end."""
        size = int(self.line(), 16)
        data = self.take(size)
        assert self.line() == ""
        return data

    def rest(self):
        try:
            while True:
                self.fill()
        except Closed:
            return self.take(len(self.buffer))

    def body(self, method, status, headers):
        if method == "HEAD" or status in (204, 304) or status < 200:
            return b"", True
        if "content-length" in headers:
            return self.take(int(headers["content-length"])), True
        if headers.get("transfer-encoding") == "chunked":
            return self.chunks()
        return self.rest(), True

    def chunks(self):
        data = b""
        try:
            while chunk := self.chunk():
                data += chunk
        except Closed:
            return data, False
        return data, True

    def reply(self, method="GET"):
        status, headers = self.reply_head()
        body, complete = self.body(method, status, headers)
        return Reply(status, headers, body, complete)

    def is_closed(self):
        """Waits for the server to close; anything else it says is a failure."""
        try:
            self.fill()
        except Closed:
            return True
        except TimeoutError:
            return False
        raise AssertionError(f"unexpected: {bytes(self.buffer[:200])!r}")
