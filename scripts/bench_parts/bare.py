"""How much of what HTTP and a commit leave Cairn uses: its requests beside those of a server that does nothing
else (tests/load/bare_http.c), in turn, on the same cores, with the same load and the same PostgreSQL."""
import contextlib
import pathlib
import subprocess
import time

import host
from figures import LOAD_WRITERS, PROJECT, http_load
from ingest import SMALL_SHAPE, SMALL_WRITERS
from server import Server, postgres_alone, run_load

SHAPES = {
    "bare-4k": ("--writers", 64, "--rows", 8, "--one-run"),
    "bare-12k": ("--writers", SMALL_WRITERS, *SMALL_SHAPE),
    "bare-50k": ("--writers", LOAD_WRITERS),
}
TURNS = 2


@contextlib.contextmanager
def bare_server(folder, database):
    """A bare server; its address."""
    port_file = pathlib.Path(folder) / "bare-port"
    port_file.unlink(missing_ok=True)
    with subprocess.Popen([host.LOAD / "bare_http", "--database", database, "--port-file", port_file]) as process:
        try:
            while not (port_file.exists() and port_file.read_text().strip()):
                if process.poll() is not None:
                    raise RuntimeError("the bare server did not start")
                time.sleep(0.005)
            yield f"http://127.0.0.1:{int(port_file.read_text())}"
        finally:
            process.kill()


def bare(folder, seconds):
    """Requests a second of Cairn, with all its rules, beside those of the bare server, for each size of request."""
    ours, plain = dict.fromkeys(SHAPES, 0), dict.fromkeys(SHAPES, 0)
    for turn in range(TURNS):
        with Server(folder) as server:
            for name, shape in SHAPES.items():
                http_load(server, f"warm-{name}", 1, *shape)
                result = http_load(server, f"{name}-{turn}", seconds, *shape)
                ours[name] += result["requests"] / result["seconds"] / TURNS
            key_file = server.key_file
        with postgres_alone(folder) as database, bare_server(folder, database) as url:
            for name, shape in SHAPES.items():
                result = run_load("load_http", "--url", url, "--key-file", key_file, "--project", PROJECT,
                                  "--seconds", seconds, *shape)
                plain[name] += result["requests"] / result["seconds"] / TURNS
    for name in SHAPES:
        yield (name, ours[name], "requests/s", plain[name])


FIGURES = dict.fromkeys(SHAPES, bare)
