"""Uploads as tests of files make them, and what a server keeps of them on its disk."""
import http.client
import os
import socket
import urllib.parse

MB = 1 << 20


def below(link):
    """What follows the host in a link."""
    parts = urllib.parse.urlsplit(link)
    return f"{parts.path}?{parts.query}"


def links(run, *names):
    answer = run.api.post(f"{run.path}/files", {"names": list(names)}).json
    return [below(item["link"]) for item in answer["items"]]


def put(run, name, content, **headers):
    return run.api.request("PUT", f"{run.path}/files/{name}", content, headers=headers, content_type=None)


def names(run, **query):
    return [file["name"] for file in run.api.pages(f"{run.path}/files", **query)]


def contents(folder):
    return sorted(p.name for p in (folder / "content").glob("??/??/*"))


def incoming(folder):
    return list((folder / "incoming").iterdir())


class Torn:
    """An upload that says more than it sends."""

    def __init__(self, server, path, key=None, size=10 * MB, sent=5 * MB, body=None):
        body = b"x" * size if body is None else body
        self.rest = body[sent:]
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        head = f"PUT {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
        head += f"Authorization: Bearer {key}\r\n" if key else ""
        self.socket.sendall(f"{head}\r\n".encode() + body[:sent])

    def finish(self):
        """It sends the rest after all: the status it is answered."""
        self.socket.sendall(self.rest)
        return self.status()

    def status(self):
        answer = http.client.HTTPResponse(self.socket)
        answer.begin()
        self.close()
        return answer.status

    def close(self):
        self.socket.close()


def blocks(count, size=MB):
    block = os.urandom(size)
    return (block for _ in range(count))
