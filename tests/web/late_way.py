"""Between the browser and every server: each request, each answer and each part of a stream comes late by chance."""
import asyncio
import re

from faults.proxy import Proxy

STREAM_LATEST = 2.5  # seconds until a stream is asked for
REQUEST_LATEST, ANSWER_LATEST, STATIC_LATEST = 0.3, 0.3, 0.03


class LateWay(Proxy):
    """Seeded: the same test waits as before. The server is the one that the request names."""

    def __init__(self, seed):
        super().__init__([], seed)

    def some(self, latest):
        """A third comes at once, and a tenth much later."""
        dice = self.random.random()
        if dice < 0.35:
            return 0
        return self.random.random() * latest * (1 if dice < 0.9 else 2.5)

    async def talk(self, reader, writer):
        first = await reader.read(1 << 16)
        named = re.search(rb"(?i)\r\nhost: [^:\r]+:(\d+)", first)
        if not named:  # nothing, or TLS
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", int(named[1]))
        latest = [0]
        await self.both(self.ask_late(first, reader, far_writer, latest), self.answer_late(far_reader, writer, latest),
                        far_writer)

    async def ask_late(self, data, reader, writer, latest):
        while data:
            line = data.split(b"\r\n", 1)[0]
            latest[0] = ANSWER_LATEST if b"/api/v1/" in line else STATIC_LATEST
            if b"/live?" in line:
                await asyncio.sleep(self.random.random() * STREAM_LATEST)
            elif b"/api/v1/" in line:
                await asyncio.sleep(self.some(REQUEST_LATEST))
            writer.write(data)
            await writer.drain()
            data = await reader.read(1 << 16)

    async def answer_late(self, reader, writer, latest):
        while data := await reader.read(1 << 16):
            await asyncio.sleep(self.some(latest[0]))
            writer.write(data)
            await writer.drain()
