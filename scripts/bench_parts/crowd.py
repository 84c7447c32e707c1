"""A crowd at one server: thousands of writers of one run, hundreds of them with ten megabytes at once, and
what the server's process takes at most. It fails when an acknowledged row is missing or there twice."""
import asyncio
import collections
import json
import socket

import host
from server import Server

WRITERS = 4096
LARGE = 300
LARGE_ROWS = 1000
LARGE_TEXT = "what a row says, " * 620  # a thousand of them are ten megabytes
SMALL_ROWS = 3
PROJECT = "/api/v1/projects/bench/crowd"
MEMORY_MIB = 1024  # the server's default
BESIDE_MIB = 128   # what it takes beside it: docs/settings.md


def history(rows, text):
    more = f',"text":"{text}"' if text else ""
    return "[" + ",".join(f'{{"i":{i}{more}}}' for i in range(rows)) + "]"


class Client:
    """A connection of its own; a server that is busy, or whose database is, is asked the same again."""

    def __init__(self, server, key):
        self.port, self.key = server.port, key
        self.refused = 0
        self.socket = None

    async def connect(self):
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a request is sent in parts
        await asyncio.get_running_loop().sock_connect(self.socket, ("127.0.0.1", self.port))

    async def ask(self, method, path, *parts):
        while True:
            status, body = await self.once(method, path, parts)
            if status not in (503, 504):
                break
            self.refused += 1
            await asyncio.sleep(1)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {body[:300]!r}")
        return json.loads(body)

    async def once(self, method, path, parts):
        loop = asyncio.get_running_loop()
        head = (f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.key}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {sum(map(len, parts))}\r\n\r\n")
        for part in (head.encode(), *parts):
            await loop.sock_sendall(self.socket, part)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += await self.receive()
        head, _, body = answer.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                      if line.startswith(b"content-length:"))
        while len(body) < length:
            body += await self.receive()
        return int(head.split()[1]), body

    async def receive(self):
        data = await asyncio.get_running_loop().sock_recv(self.socket, 1 << 16)
        if not data:
            raise ConnectionError("the server hung up")
        return data


async def write(client, number, batch, streams, told):
    """One writer: it joins, and its batch is noted when it is acknowledged."""
    await client.connect()
    joined = await client.ask("POST", f"{PROJECT}/runs/r/join",
                              json.dumps({"client": f"w{number}", "role": "worker", "label": f"w{number}"}).encode())
    start = f'{{"writer":"w{number}","session":{joined["session"]},"batch":{batch},"history":'.encode()
    answer = await client.ask("POST", f"{PROJECT}/runs/r/batch", start, streams, b"}")
    told[f"w{number}"] = answer["rows"]


async def come(server, key):
    """(rows acknowledged by writer, requests refused)"""
    told = {}
    large, small = history(LARGE_ROWS, LARGE_TEXT).encode(), history(SMALL_ROWS, "").encode()
    clients = [Client(server, key) for _ in range(WRITERS)]
    await asyncio.gather(*(write(client, i, 1, large if i < LARGE else small, told)
                           for i, client in enumerate(clients)))
    for client in clients:
        client.socket.close()
    return told, sum(client.refused for client in clients)


def compare(server, told):
    """Of what was acknowledged, every row is there once."""
    text = server.connect().raw("GET", f"{PROJECT.removeprefix('/api/v1')}/runs/r/history?format=ndjson&keys=i")
    rows = collections.Counter((row["_label"], row["i"]) for row in map(json.loads, text.splitlines()))
    expected = {(writer, i) for writer, count in told.items() for i in range(count)}
    if rows != collections.Counter(expected) or len(told) != WRITERS:
        raise RuntimeError(f"{len(expected)} rows were acknowledged, {len(rows)} are there, "
                           f"{sum(rows.values()) - len(rows)} of them twice")


def most_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) / 1024


def crowd(folder, _seconds):
    """The most that the server took, beside what its documentation says that it takes."""
    with host.many_files(), Server(folder, "--connection-limit", "4200", "--client-share", "100") as server:
        server.connect()("PUT", f"{PROJECT.removeprefix('/api/v1')}/runs/r", "{}")
        told, refused = asyncio.run(come(server, server.key_file.read_text().strip()))
        compare(server, told)
        yield ("crowd", most_mib(server.process.pid), "MiB", MEMORY_MIB + BESIDE_MIB)
        yield ("crowd-refused", refused, "requests", WRITERS)


FIGURES = {"crowd": crowd, "crowd-refused": crowd}
