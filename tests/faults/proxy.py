"""What stands between clients and servers: a plain TCP balancer, and two that make the way a bad one.

Each is a thread with an event loop of its own, and counts what it did. Servers come and go meanwhile:
`servers` is the list to choose from, whose dead ones are passed over.
"""
import asyncio
import collections
import itertools
import json
import random
import socket
import threading


class Proxy:
    """Connections go to the servers in turn."""

    def __init__(self, servers, seed=7):
        self.servers = servers
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.odd = []  # answers that no client should ever get
        self.turn = itertools.count()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._serve())

    async def _serve(self):
        self.end = asyncio.Event()
        server = await asyncio.start_server(self._meet, sock=self.listener)
        await self.end.wait()
        server.close()
        talking = asyncio.all_tasks() - {asyncio.current_task()}
        for task in talking:
            task.cancel()
        await asyncio.gather(*talking, return_exceptions=True)

    def stop(self):
        self.loop.call_soon_threadsafe(self.end.set)
        self.thread.join()

    async def dial(self, which=None):
        """A connection to a server that lives: the next in turn, or else those after it."""
        servers = list(self.servers)
        start = next(self.turn) if which is None else which
        for i in range(len(servers)):
            try:
                return await asyncio.open_connection("127.0.0.1", servers[(start + i) % len(servers)].port)
            except OSError:
                self.counts["a dead server passed over"] += 1
        raise ConnectionError("no server lives")

    async def _meet(self, reader, writer):
        self.counts["connections"] += 1
        try:
            await self.talk(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # one of the two has left, or all is over: so do we
        finally:
            writer.close()

    async def talk(self, reader, writer):
        far_reader, far_writer = await self.dial()
        ask, answer = self.looks()
        await self.both(self.pour(reader, far_writer, ask), self.pour(far_reader, writer, answer), far_writer)

    @staticmethod
    async def both(there, back, far_writer):
        """Both ways of a connection, until one of them ends."""
        try:
            ways = [asyncio.ensure_future(there), asyncio.ensure_future(back)]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        finally:
            far_writer.close()

    async def pour(self, reader, writer, look):
        while data := await reader.read(1 << 16):
            data, goes_on = look(data)
            writer.write(data)
            await writer.drain()
            if not goes_on:
                return

    def looks(self):
        """Who looks at what a connection asks, and at what it is answered."""
        return self.ask, self.answer

    def ask(self, data):
        """What of a client's bytes is passed on, and whether the connection holds."""
        return data, True

    def answer(self, data):
        """The same of a server's."""
        return data, True


class Cutter(Proxy):
    """Connections break: within a request, after the commit and before the answer, within the answer."""

    def ask(self, data):
        if self.random.random() >= 0.1:
            return data, True
        self.counts["requests cut"] += 1
        return data[:self.random.randrange(len(data))], False

    def answer(self, data):
        if self.random.random() >= 0.4:
            return data, True
        if self.random.random() < 0.7:
            self.counts["answers swallowed"] += 1
            return b"", False
        self.counts["answers cut"] += 1
        return data[:self.random.randrange(len(data))], False


async def read_message(reader):
    """One request or answer, its head and body; b"" at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b"", b""
    fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:] if line)
    length = int(fields.get(b"content-length", b"0"))
    return head, await reader.readexactly(length)


class Doubler(Proxy):
    """
    Every request that writes goes to two servers: at the same instant, or the second copy late, behind
    requests that came after it; and old ones come again in any order.
    """
    KEPT = 400
    TRY_AGAIN = (503, 504)
    TOO_LATE = ("batch-forgotten", "session-fenced")

    def __init__(self, *args):
        super().__init__(*args)
        self.old = collections.deque(maxlen=self.KEPT)
        self.late = []
        self.told = {}  # what was answered to a batch's bytes

    async def talk(self, reader, writer):
        while True:
            head, body = await read_message(reader)
            if not head:
                return
            writer.write(await self.pass_on(head, body))
            await writer.drain()

    async def pass_on(self, head, body):
        which = next(self.turn)
        if not head.startswith(b"POST"):
            return b"".join((await self.exchange(which, head, body))[1:])
        copies = [self.judge(which, head, body)]
        if self.random.random() < 0.6:
            self.counts["twice at the same instant"] += 1
            copies.append(self.judge(which + 1, head, body))
        else:
            self.late.append((head, body))
        answers = await asyncio.gather(*copies)
        if b"/batch " in head:
            self.old.append((head, body))
        await self.come_late(which)
        return b"".join(self.random.choice(answers)[1:])

    async def come_late(self, which):
        """Second copies that were held back, and old requests that come again, in any order."""
        chosen = [self.random.choice(self.old) for _ in range(2) if self.old and self.random.random() < 0.3]
        self.counts["long after, in any order"] += len(chosen)
        if len(self.late) > 8:
            self.random.shuffle(self.late)
            late, self.late = self.late, []
            self.counts["late, behind others"] += len(late)
            chosen += late
        await asyncio.gather(*(self.judge(which + i, *request) for i, request in enumerate(chosen)),
                             return_exceptions=True)

    async def exchange(self, which, head, body):
        """(status, head, body) of the answer."""
        reader, writer = await self.dial(which)
        try:
            writer.write(head + body)
            answer = await read_message(reader)
            if not answer[0]:
                raise ConnectionError("no answer")
            return int(answer[0].split(b" ", 2)[1]), *answer
        finally:
            writer.close()

    async def judge(self, which, head, body):
        """Every answer to the same bytes is the same, or says that it came too late."""
        status, answer_head, answer = await self.exchange(which, head, body)
        if b"/batch " in head:
            self.judge_batch(status, json.loads(answer), body)
        elif status != 200 and status not in self.TRY_AGAIN:
            self.odd.append((status, answer))
        return status, answer_head, answer

    def judge_batch(self, status, answer, body):
        if status == 200:
            told = answer["row_first"], answer["rows"]
            if self.told.setdefault(body, told) != told:
                self.odd.append(("told one, then another", self.told[body], told))
        elif status not in self.TRY_AGAIN and answer["type"].rpartition(":")[2] not in self.TOO_LATE:
            self.odd.append((status, answer))
