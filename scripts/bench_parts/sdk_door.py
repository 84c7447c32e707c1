"""Requests that are ready before they are sent, so that who sends them takes little of the processors: each
connection sends its own in turn, the next one when the last is answered."""
import heapq
import select
import socket
import time

ANSWER_BYTES = 1 << 16
AGAIN_S = 0.2


class Connection:
    def __init__(self, port, requests):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.requests = iter(requests)
        self.request = None
        self.answer = b""

    def next(self):
        """Whether there was another one."""
        self.request = next(self.requests, None)
        if self.request is not None:
            self.send()
        return self.request is not None

    def send(self):
        self.answer = b""
        self.socket.sendall(self.request)

    def receive(self):
        """The status once the answer is whole; else None."""
        data = self.socket.recv(ANSWER_BYTES)
        if not data:
            raise RuntimeError("the server hung up")
        self.answer += data
        head, end, body = self.answer.partition(b"\r\n\r\n")
        if not end:
            return None
        _, _, length = head.lower().partition(b"content-length:")
        return int(head[9:12]) if len(body) >= int(length.split(b"\r\n")[0] or 0) else None


def send_all(port, requests_of_each):
    """(seconds until all are answered, how many were to come again)"""
    connections = [Connection(port, requests) for requests in requests_of_each]
    by_fd = {c.socket.fileno(): c for c in connections}
    poll = select.epoll()
    waiting, refused = [], 0
    for fd in by_fd:
        poll.register(fd, select.EPOLLIN)
    began = time.perf_counter()
    left = sum(c.next() for c in connections)
    while left:
        while waiting and waiting[0][0] <= time.perf_counter():
            by_fd[heapq.heappop(waiting)[1]].send()
        for fd, _ in poll.poll(AGAIN_S if waiting else 60):
            connection = by_fd[fd]
            status = connection.receive()
            if status in (503, 504):
                refused += 1
                heapq.heappush(waiting, (time.perf_counter() + AGAIN_S, fd))
            elif status and status >= 300:
                raise RuntimeError(f"{connection.request[:200]!r}: {connection.answer[:500]!r}")
            elif status and not connection.next():
                left -= 1
    taken = time.perf_counter() - began
    for connection in connections:
        connection.socket.close()
    return taken, refused


def request(path, key, body, **headers):
    """POST, as bytes."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Authorization: {key}", "Content-Type: application/json",
             f"Content-Length: {len(body)}", *(f"{name.replace('_', '-')}: {v}" for name, v in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
