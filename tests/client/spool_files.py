"""Reads spools, from their description alone (client/spool/spool.h)."""
import json
import pathlib
import struct

RECORD, CONFIG, SUMMARY, METADATA, ALERT, DROP, FACTS, END, SENT = range(1, 10)
HISTORY, EVENTS, CONSOLE = range(3)
METRICS, JSON, LINE = range(3)


def make_table():
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        yield i


TABLE = list(make_table())


def crc32c(data):
    total = 0xFFFFFFFF
    for byte in data:
        total = TABLE[(total ^ byte) & 0xFF] ^ total >> 8
    return total ^ 0xFFFFFFFF


def frames_of(path):
    """(type, payload) of the whole frames of a segment, and the index of its first record."""
    data = path.read_bytes()
    if len(data) < 40:
        return 0, []
    magic, version, _, number, first, _, total = struct.unpack_from("<8sIIQQII", data)
    assert (magic, version, number) == (b"CAIRNSPL", 1, int(path.stem)) and total == crc32c(data[:36])
    frames, at = [], 40
    while at + 12 <= len(data):
        length, kind, total = struct.unpack_from("<III", data, at)
        payload = data[at + 12:at + 12 + length]
        if len(payload) < length:
            break
        assert total == crc32c(data[at:at + 8] + payload)
        frames.append((kind, payload))
        at += 12 + length
    return first, frames


def row_of(payload):
    size, count, kind, form, _, stream, _, number, _ = struct.unpack_from("<IIBBBBIqq", payload)
    assert size == len(payload)
    data = payload[32:]
    if form == LINE:
        return kind, (number, data[:count].decode())
    if form == JSON:
        return kind, json.loads(data[:count])
    names = data[8 * count:].split(b"\0")[:count]
    return kind, dict(zip((name.decode() for name in names), struct.unpack_from(f"<{count}d", data)))


class Spool:
    """The folder of a writer."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.writer = json.loads((self.path / "writer.json").read_text())
        self.frames, self.records = [], 0
        for segment in sorted(self.path.glob("*.log")):
            first, frames = frames_of(segment)
            if not frames:
                continue
            assert first == self.records or not self.records
            self.records = first + sum(kind == RECORD for kind, _ in frames)
            self.frames += frames

    def all(self, kind):
        return [payload for what, payload in self.frames if what == kind]

    def rows(self, kind=HISTORY):
        return [row for what, row in map(row_of, self.all(RECORD)) if what == kind]

    def numbers(self):
        return [row["n"] for row in self.rows() if "n" in row]

    def documents(self, kind):
        return [json.loads(payload[8:]) for payload in self.all(kind)]

    def alerts(self):
        return [json.loads(payload[16:]) for payload in self.all(ALERT)]

    @property
    def end(self):
        payload, = self.all(END)
        return struct.unpack_from("<iI", payload)


def spools_in(folder):
    """Those that are begun; the program may be at it."""
    return [Spool(path) for path in sorted(pathlib.Path(folder).iterdir()) if (path / "writer.json").exists()]
