"""A thousand who follow a run while a writer logs: by server-sent events, and by asking once a second."""
import contextlib
import multiprocessing
import re
import resource
import select
import socket
import statistics
import time

import host
from server import Server

LISTENERS = 1000
BATCHES_A_SECOND = 10
POLL_S = 1.0
RUN = "/projects/bench/live/runs/followed"
NUMBER = re.compile(rb'"i": ?(\d+)')


def raise_limit():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Crowd:
    """Connections of one process; `seen` gets (number of the row, when) for each row and connection."""

    def __init__(self, port, key, count):
        self.key = key
        self.poll = select.epoll()
        self.links = {}
        self.seen = []
        for _ in range(count):
            link = socket.create_connection(("127.0.0.1", port))
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.links[link.fileno()] = link
            self.poll.register(link.fileno(), select.EPOLLIN)

    def ask(self, link, path):
        link.sendall(f"GET /api/v1{path} HTTP/1.1\r\nHost: b\r\nAuthorization: Bearer {self.key}\r\n\r\n".encode())

    def take(self, number):
        """What came on a connection; the numbers of rows in it are noted."""
        data = self.links[number].recv(1 << 16)
        if not data:
            raise RuntimeError("the server closed a connection")
        now = time.monotonic()
        for found in NUMBER.finditer(data):
            self.seen.append((int(found[1]), now))
        return data


def listen(crowd, told, stop):
    """Each line of an event comes in one piece: rows are small, and nothing waits."""
    for link in crowd.links.values():
        crowd.ask(link, f"{RUN}/live?streams=history")
    opened = set()
    while len(opened) < len(crowd.links):
        opened |= {n for n, _ in crowd.poll.poll() if b"event: open" in crowd.take(n)}
    told.set()
    while not stop.is_set():
        for number, _ in crowd.poll.poll(0.2):
            crowd.take(number)


def is_whole(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    return len(body) >= int(length[1]) if length else body.endswith(b"0\r\n\r\n")


class Poller:
    def __init__(self, link, due):
        self.link, self.due, self.next, self.answer = link, due, 0, None

    def take(self, data):
        self.answer += data
        if is_whole(self.answer):
            found = [int(n[1]) for n in NUMBER.finditer(self.answer)]
            self.next = max(found) + 1 if found else self.next
            self.answer = None


def ask_again(crowd, told, stop):
    """Everybody asks once a second for the steps behind those it has, spread over the second."""
    began = time.monotonic()
    pollers = {n: Poller(link, began + i * POLL_S / len(crowd.links))
               for i, (n, link) in enumerate(crowd.links.items())}
    told.set()
    while not stop.is_set():
        now = time.monotonic()
        for poller in pollers.values():
            if poller.answer is None and now >= poller.due:
                poller.due += POLL_S
                poller.answer = b""
                crowd.ask(poller.link, f"{RUN}/history?format=ndjson&keys=i&from={poller.next}")
        for number, _ in crowd.poll.poll(0.002):
            pollers[number].take(crowd.take(number))


def crowd_main(follow, port, key, pipe, told, stop):
    raise_limit()
    crowd = Crowd(port, key, LISTENERS)
    follow(crowd, told, stop)
    pipe.send(crowd.seen)


@contextlib.contextmanager
def following(follow, server):
    """A process of its own follows; gives a function that ends it and returns what it saw."""
    told, stop = multiprocessing.Event(), multiprocessing.Event()
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=crowd_main, daemon=True,
                                      args=(follow, server.port, server.key_file.read_text().strip(), theirs, told,
                                            stop))
    process.start()
    if not told.wait(60):
        raise RuntimeError("not everybody could listen")

    def end():
        stop.set()
        seen = ours.recv()
        process.join()
        return seen
    yield end
    if process.is_alive():
        process.terminate()


def write(ask, session, numbers, seconds):
    """One row a batch, evenly; when each was acknowledged."""
    acknowledged = {}
    began = time.monotonic()
    for n in range(int(seconds * BATCHES_A_SECOND)):
        time.sleep(max(0, began + n / BATCHES_A_SECOND - time.monotonic()))
        i = next(numbers)
        ask("POST", RUN + "/batch",
            f'{{"writer":"w","session":{session},"batch":{i + 1},"history":[{{"_step":{i},"i":{i}}}]}}')
        acknowledged[i] = time.monotonic()
    return acknowledged


def measure(server, follow, write_some, seconds):
    """Latencies in ms of all that was seen, CPU µs for each, KiB of the server for each connection."""
    memory = host.resident_mib(server.process.pid)
    with following(follow, server) as end:
        before = server.cpu()
        acknowledged = write_some(seconds)
        time.sleep(2 * POLL_S)
        spent = server.cpu() - before
        memory = host.resident_mib(server.process.pid) - memory
        seen = end()
    late = [(at - acknowledged[i]) * 1e3 for i, at in seen if i in acknowledged]
    if len(late) != LISTENERS * len(acknowledged):
        raise RuntimeError(f"{len(late)} rows were seen, {LISTENERS * len(acknowledged)} were to be")
    return late, spent / len(late) * 1e6, memory * 1024 / LISTENERS


def listeners(folder, seconds):
    """Latency from the acknowledgement of a row to its arrival at each of a thousand."""
    raise_limit()
    with Server(folder, "--client-share", "100") as server:
        ask = server.connect()
        ask("PUT", RUN, "{}")
        session = ask("POST", RUN + "/join", '{"client":"w","role":"primary"}')["session"]
        numbers = iter(range(1 << 30))

        def write_some(some):
            return write(ask, session, numbers, some)

        write_some(1)
        ours = measure(server, listen, write_some, seconds)
        plain = measure(server, ask_again, write_some, seconds)
    for name, at in (("listeners-1000", 50), ("listeners-1000-p99", 99)):
        yield (name, statistics.quantiles(ours[0], n=100)[at - 1], "ms", statistics.quantiles(plain[0], n=100)[at - 1])
    yield ("listeners-1000-cpu", ours[1], "µs a row seen", plain[1])
    yield ("listeners-1000-memory", ours[2], "KiB each", plain[2])
