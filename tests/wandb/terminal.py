"""A program in a terminal of its own: what it shows, and keys for it.

    with Terminal([client.bin / "wandb", "init"], client) as terminal:
        terminal.wait_for("Which team")
        terminal.type("1\\n")
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

TIMEOUT = 180
ESCAPES = re.compile(rb"\x1b(\[[0-9;?=>]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>78])")


class Terminal:
    """`rows` and `columns` are its size. A question for colours or the cursor's place is answered, as terminals do."""

    def __init__(self, command, env, folder, rows=40, columns=160):
        self.bytes = b""
        self.mine, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen([str(part) for part in command], env={**env, "TERM": "xterm-256color"},
                                        cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.mine)

    @property
    def text(self):
        """What came, without escapes."""
        return ESCAPES.sub(b"", self.bytes).decode(errors="replace")

    def _answer(self, piece):
        for asked, answer in ((b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
                              (b"\x1b]10;?", b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\"), (b"\x1b[c", b"\x1b[?1;2c")):
            if asked in piece:
                os.write(self.mine, answer)

    def _read(self, seconds):
        """False when it has ended."""
        if not select.select([self.mine], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.mine, 1 << 16)
        except OSError:
            return False
        self.bytes += piece
        self._answer(piece)
        return bool(piece)

    def wait_for(self, *parts, timeout=TIMEOUT):
        """All of them have been shown."""
        until = time.monotonic() + timeout
        while not all(part in self.text for part in parts):
            if not self._read(0.2) and not all(part in self.text for part in parts):
                raise AssertionError(f"ended without {parts}:\n{self.text[-4000:]}")
            assert time.monotonic() < until, f"{parts} not shown:\n{self.text[-4000:]}"

    def type(self, text):
        os.write(self.mine, text.encode())

    def wait(self, timeout=TIMEOUT):
        until = time.monotonic() + timeout
        while self._read(0.2):
            assert time.monotonic() < until, f"still running:\n{self.text[-4000:]}"
            if self.process.poll() is not None and not select.select([self.mine], [], [], 0)[0]:
                break
        return self.process.wait(timeout)
