"""The spool: a run without a server, written to disk, and what `cairn sync` makes of it."""
import json
import os
import subprocess
import time

import host
from server import Server

ROWS = 200_000
PROJECT = "bench/load"
PIECE = 256 << 10  # bytes that the plain alternative writes at a time


def _log(environment, *options):
    done = subprocess.run([host.LOAD / "load_log", "--calls", str(ROWS), "--pause-us", "0", "--whole", *options],
                          capture_output=True, text=True, env={**os.environ, "CAIRN_BUFFER_MIB": "512", **environment}, check=True)
    return json.loads(done.stdout)["seconds"]


def _size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*.log"))


def _write(path, size):
    """Seconds to append as many bytes to a file, with an fsync each second and at the end, as the spool does."""
    began = synced = time.monotonic()
    piece = os.urandom(PIECE)
    with open(path, "wb", buffering=0) as file:
        for _ in range(0, size, PIECE):
            file.write(piece)
            if time.monotonic() - synced > 1:
                os.fdatasync(file.fileno())
                synced = time.monotonic()
        os.fdatasync(file.fileno())
    seconds = time.monotonic() - began
    path.unlink()
    return seconds


def spool(folder, _seconds):
    """Rows of ten metrics: into the spool until it is synced, beside a plain file of as many bytes; then from the spool to a server,
    beside a client that sends the same rows while it runs."""
    offline = {"CAIRN_MODE": "offline", "CAIRN_PROJECT": PROJECT, "CAIRN_SPOOL_DIR": str(folder / "spool"), "CAIRN_RUN": "kept"}
    written = _log(offline)
    plain = _write(folder / "plain", _size(folder / "spool"))
    with Server(folder) as server:
        online = {"CAIRN_URL": server.url, "CAIRN_API_KEY_FILE": str(server.key_file), "CAIRN_PROJECT": PROJECT}
        began = time.monotonic()
        subprocess.run([host.BUILD / "client/cairn", "sync", "--quiet", "--url", server.url, "--key-file", server.key_file,
                        folder / "spool"], check=True, env={**os.environ, **online})
        synced = time.monotonic() - began
        live = _log({**online, "CAIRN_RUN": "live"})
        ask = server.connect()
        rows = [ask("GET", f"/projects/{PROJECT}/runs/{run}")["rows"] for run in ("kept", "live")]
    if rows != [ROWS, ROWS]:
        raise RuntimeError(f"not all rows arrived: {rows}")
    yield ("spool-write", ROWS / written, "rows/s", ROWS / plain)
    yield ("sync", ROWS / synced, "rows/s", ROWS / live)


FIGURES = {"spool-write": spool, "sync": spool}
