"""A server that answers from memory what another one has answered before, so that beside it one sees what a
client takes by itself."""
import asyncio
import socket
import threading


def length_of(head):
    _, _, rest = head.lower().partition(b"\r\ncontent-length:")
    return int(rest.split(b"\r\n")[0] or 0)


class Remembering:
    """A proxy in a thread of its own; of equal requests the first one alone reaches the server."""

    def __init__(self, port):
        self.port = port
        self.answers = {}
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.url = None

    def __enter__(self):
        self.thread.start()
        listening = asyncio.run_coroutine_threadsafe(asyncio.start_server(self.serve, "127.0.0.1", 0), self.loop)
        self.url = "http://127.0.0.1:%d" % listening.result().sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(length_of(head))
                asked = head.partition(b"\r\n")[0], body
                if asked not in self.answers:
                    self.answers[asked] = await asyncio.to_thread(self.ask, head + body)
                writer.write(self.answers[asked])
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def ask(self, request):
        answer = b""
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            server.sendall(request)
            while b"\r\n\r\n" not in answer or len(answer) < answer.index(b"\r\n\r\n") + 4 + length_of(answer):
                data = server.recv(1 << 16)
                if not data:
                    raise RuntimeError(f"no whole answer to {request[:200]!r}")
                answer += data
        return answer
