"""Copies of what is written to sys.stdout and sys.stderr go to the run's console."""
from __future__ import annotations

import sys
from typing import Any, Callable

Put = Callable[[str], None]


class Tee:
    """Writes to a stream as before, and passes each text on. Everything else is the stream's own."""

    def __init__(self, stream: Any, put: Put) -> None:
        self._cairn_stream = stream
        self._cairn_put = put

    def write(self, text: str) -> int:
        count: int = self._cairn_stream.write(text)
        self._cairn_put(text)
        return count

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cairn_stream, name)

    def __iter__(self) -> Any:
        return iter(self._cairn_stream)


class Console:
    """Replaces both streams until stop(). A stream that was replaced again in the meantime keeps its Tee, which passes nothing on."""

    def __init__(self, put: Callable[[int, str], None]) -> None:
        self._is_on = True
        self._tees = {}
        for number, name in ((1, "stdout"), (2, "stderr")):
            stream = getattr(sys, name)
            if stream is not None:
                self._tees[name] = Tee(stream, self._put_of(number, put))
                setattr(sys, name, self._tees[name])

    def _put_of(self, number: int, put: Callable[[int, str], None]) -> Put:
        def put_one(text: str) -> None:
            if self._is_on:
                put(number, text)
        return put_one

    def stop(self) -> None:
        self._is_on = False
        for name, tee in self._tees.items():
            if getattr(sys, name) is tee:
                setattr(sys, name, tee._cairn_stream)
