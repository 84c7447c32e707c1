"""A proxy that makes the way to the server a bad one: answers are cut or held at a byte, and requests lose a field."""
import asyncio
import sys

from real_server import TESTS

sys.path.append(str(TESTS / "faults"))
from proxy import Proxy  # noqa: E402


class Way(Proxy):
    """`cuts` and `holds`: [a word of a request, bytes]: the next answer to such a request ends, or stops, after so many bytes."""

    def __init__(self, server, cuts=(), holds=(), lose=b"", cut_requests=()):
        self.cuts, self.holds, self.lose, self.cut_requests = list(cuts), list(holds), lose, list(cut_requests)
        self.asked = []  # the first lines of requests
        super().__init__([server])

    async def talk(self, reader, writer):
        far_reader, far_writer = await self.dial()
        line = Line(self)
        await self.both(self.pour(reader, far_writer, line.ask), self.back(far_reader, writer, line), far_writer)

    async def back(self, reader, writer, line):
        while data := await reader.read(1 << 16):
            if line.cut is not None:
                writer.write(data[:line.cut])
                line.cut -= len(data)
                if line.cut <= 0:
                    await writer.drain()
                    return
            elif line.hold is not None:
                writer.write(data[:max(line.hold, 0)])
                line.hold -= len(data)
                if line.hold <= 0:
                    await asyncio.Event().wait()
            else:
                writer.write(data)
            await writer.drain()


class Line:
    """One connection. A request begins with its own read: the client waits for each answer."""

    def __init__(self, way):
        self.way, self.cut, self.hold, self.left = way, None, None, None

    def take(self, plans, data):
        for plan in plans:
            if plan[0] in data:
                plans.remove(plan)
                return plan[1]
        return None

    def ask(self, data):
        if data.startswith((b"GET ", b"PUT ", b"POST ", b"DELETE ")):
            head = data.split(b"\r\n")[0]
            self.way.asked.append(head.decode())
            self.cut = self.take(self.way.cuts, head)
            self.hold = None if self.cut else self.take(self.way.holds, head)
            self.left = self.take(self.way.cut_requests, head)
        if self.way.lose:
            data = data.replace(self.way.lose, b"X-" + self.way.lose[2:])
        if self.left is None:
            return data, True
        self.left -= len(data)
        return data[:self.left] if self.left < 0 else data, self.left > 0
