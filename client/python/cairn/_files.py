"""Sends files of a run over REST, in a thread of their own."""
from __future__ import annotations

import os
import queue
import threading
import time
from typing import IO, Callable, Optional, Union

from ._errors import ApiError, UnreachableError
from ._http import Client, quote

Content = Union[bytes, str]  # bytes, or the path of a file
GIVE_UP_S = 600  # of one file, while the server is away
QUEUE_MAX = 1000


class Uploader:
    """`add` returns at once. Files are sent in order, each with several tries."""

    def __init__(self, find: Callable[[], "tuple[Client, str]"], warn: Callable[[str, str], None]) -> None:
        self._find = find  # the client and the run's path; may wait until the run has been created
        self._warn = warn
        self._queue: "queue.Queue[tuple[str, Content]]" = queue.Queue(QUEUE_MAX)
        self._thread: Optional[threading.Thread] = None
        self._lock = threading.Lock()
        self._closing = False

    def add(self, name: str, content: Content) -> bool:
        try:
            self._queue.put_nowait((name, content))
        except queue.Full:
            self._warn("files", f"more than {QUEUE_MAX} files wait to be sent: {name!r} is left out")
            return False
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="cairn-files", daemon=True)
                self._thread.start()
        return True

    def wait(self, timeout_s: float) -> bool:
        """Whether all files were sent, or given up, in time."""
        end = time.monotonic() + timeout_s
        with self._queue.all_tasks_done:
            while self._queue.unfinished_tasks:
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self._queue.all_tasks_done.wait(left)
        return True

    def close(self) -> None:
        """Gives up what waits."""
        self._closing = True

    def _work(self) -> None:
        while True:
            name, content = self._queue.get()
            try:
                if not self._closing:
                    self._send_patiently(name, content)
            except Exception as error:  # the thread must not end, and must not speak but by a warning
                self._warn("files", f"the file {name!r} was not sent: {error}")
            finally:
                del content
                self._queue.task_done()

    def _send_patiently(self, name: str, content: Content) -> None:
        end, pause = time.monotonic() + GIVE_UP_S, 1.0
        while True:
            try:
                return self._send(name, content)
            except (ApiError, UnreachableError) as error:
                is_final = isinstance(error, ApiError) and error.status < 500 and error.status != 429
                if is_final or self._closing or time.monotonic() > end:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 30)

    def _send(self, name: str, content: Content) -> None:
        client, path = self._find()
        path = f"{path}/files/{'/'.join(map(quote, name.split('/')))}"
        if isinstance(content, bytes):
            client.open("PUT", path, body=lambda: content, head={"Content-Length": str(len(content))}).close()
            return
        size = os.path.getsize(content)
        with open(content, "rb") as file:
            def again() -> IO[bytes]:
                file.seek(0)
                return file
            client.open("PUT", path, body=again, head={"Content-Length": str(size)}).close()
