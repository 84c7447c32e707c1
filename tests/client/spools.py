"""Writes spools, byte for byte as libcairn does, so that a test can cut and damage them; spool_files.py reads them."""
import json
import os
import pathlib
import struct
import subprocess

from spool_files import ALERT, CONFIG, CONSOLE, DROP, END, FACTS, HISTORY, METADATA, RECORD, SENT, SUMMARY, crc32c

START_US = 1_700_000_000_000_000


def padded(data):
    return data + b"\0" * (-len(data) % 8)


def record(kind, form, data, count, number, time_us, stream=0):
    data = padded(data)
    return struct.pack("<IIBBBBIqq", 32 + len(data), count, kind, form, 0, stream, 0, number, time_us) + data


def start_time(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


class Spool:
    """One writer's folder."""

    def __init__(self, top, run, client, url=None, mode="offline", stream="s1", **more):
        self.folder = pathlib.Path(top) / f"{run}.{client}.{stream}"
        self.folder.mkdir(mode=0o700, parents=True)
        self.folder.parent.chmod(0o700)
        self.run, self.client = run, client
        self.identity = {"format": 1, "entity": "me", "project": "p", "run": run, "client": client, "stream": stream, "label": client, "role": "primary",
                         "host": "node7", "pid": 4711, "started_at_us": START_US, "mode": mode, "client_version": "libcairn test",
                         **({"url": url} if url else {}), **more}
        self.write("writer.json", json.dumps(self.identity).encode())
        self.segment, self.records, self.rows, self.lines, self.file = 0, 0, 0, 0, None
        self.is_dead()

    def move(self, top):
        """Into a folder that is watched, whole."""
        self.folder = self.folder.rename(top / self.folder.name)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        path.chmod(0o600)

    def alive(self, pid, started):
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        self.write("alive", f"{boot} {os.readlink('/proc/self/ns/pid')} {pid} {started} host\n".encode())

    def is_dead(self):
        self.alive(1, 1 << 60)

    def is_silent(self):
        """The process ran on another host, and its file is old."""
        self.write("alive", b"0-0-0 pid:[4026531836] 1 1 node7\n")
        os.utime(self.folder / "alive", (1, 1))

    def is_written_by(self, process):
        self.alive(process.pid, start_time(process.pid))

    def path(self, segment=None):
        return self.folder / f"{segment or self.segment:08d}.log"

    def begin_segment(self, first=None):
        self.segment += 1
        self.records = self.records if first is None else first
        head = b"CAIRNSPL" + struct.pack("<IIQQI", 1, 0, self.segment, self.records, 0)
        self.write(self.path().name, head + struct.pack("<I", crc32c(head)))

    def frame(self, kind, payload):
        if not self.segment:
            self.begin_segment()
        head = struct.pack("<II", len(payload), kind)
        with open(self.path(), "ab") as file:
            file.write(head + struct.pack("<I", crc32c(head + payload)) + payload)

    def row(self, kind=HISTORY, **values):
        values = values or {"n": self.rows}
        data = struct.pack(f"<{len(values)}d", *values.values()) + b"".join(name.encode() + b"\0" for name in values)
        self.frame(RECORD, record(kind, 0, data, len(values), -1, START_US + self.records * 1000))
        self.rows += kind == HISTORY
        self.records += 1

    def line(self, text, stream=1):
        self.frame(RECORD, record(CONSOLE, 2, text.encode(), len(text.encode()), self.lines, START_US + self.records * 1000, stream))
        self.lines += 1
        self.records += 1

    def fill(self, rows=10):
        for _ in range(rows):
            self.row()
        return self

    def document(self, kind, version, value):
        self.frame(kind, struct.pack("<Q", version) + json.dumps(value).encode())

    def config(self, version=1, **values):
        self.document(CONFIG, version, values)

    def summary(self, version=1, **values):
        self.document(SUMMARY, version, values)

    def alert(self, number, title, text=None):
        body = {"title": title, "level": "warn", "writer": self.client, **({"text": text} if text else {})}
        self.frame(ALERT, struct.pack("<Qq", number, START_US) + json.dumps(body).encode())

    def metadata(self, **values):
        self.frame(METADATA, json.dumps(values).encode())

    def preempting(self):
        self.frame(FACTS, b'{"preempting":true}')

    def drop(self, history=0, events=0, console=0):
        self.frame(DROP, struct.pack("<QQQ", history, events, console))

    def sent(self, alerts=0, config=0, summary=0, flags=0):
        self.frame(SENT, struct.pack("<QQQQ", alerts, config, summary, flags))

    def end(self, code=0, state=0, reason=""):
        self.frame(END, struct.pack("<iIq", code, state, START_US + self.records * 1000 + 500) + reason.encode())
        return self


def sleeper():
    """A process that lives as long as the test."""
    return subprocess.Popen(["sleep", "1000"])
