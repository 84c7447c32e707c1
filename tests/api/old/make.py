#!/usr/bin/env python3
"""Makes the backup of a database by an older cairnd, for tests/api/test_upgrade.py:

    tests/api/old/make.py CAIRND FILE

The server program of an older commit fills a database of its own with what CONTENT says, and backs it up. Two such files
are kept beside this one, schema-0005.tar and schema-0013.tar, made by the commits 503f0a25 and 8d0528e7: the oldest one
whose migrations are today's, and one with attempts. Their secret protects nothing.
"""
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]

from rest import Api, _contract  # noqa: E402
from runs import Run  # noqa: E402

KEY = "old-" + "k" * 40  # of ann
ROWS = 300  # of each of two writers
LINES = 50
CONFIG = {"lr": 0.5, "model": {"layers": [1, 2, 3], "name": "größe"}}


def fill(server):
    """Run r1 ended, r2 runs. The contract is today's, and not looked at."""
    _contract.faults = lambda *_: []
    api = Api(server, KEY)
    run = Run(api)
    writers = [run.join("w0"), run.join("w1", "worker")]
    for n, writer in enumerate(writers):
        writer.send(config=CONFIG if n == 0 else {"lr": 0.25}, history=[{"loss": 1 / (i + 1), "n": i, "w": n} for i in range(ROWS)],
                    console=[{"line": i, "text": f"writer {n} says {i}"} for i in range(LINES)],
                    summary={"best": 0.1 + n})
    for writer in reversed(writers):
        writer.finish()
    Run(api, "r2").log([{"x": i} for i in range(10)])
    api.close()


def main(program, file):
    os.environ["CAIRND"] = program
    from test_embedded import Embedded
    server = Embedded()
    try:
        server.start()
        with tempfile.NamedTemporaryFile("w") as key_file:
            key_file.write(KEY + "\n")
            key_file.flush()
            for words in (["user", "add", "ann"],
                          ["key", "import", "--user", "ann", "--name", "old", "--key-file", key_file.name]):
                done = server.call(*words)
                assert done.returncode == 0, done
        fill(server)
        done = server.call("backup", file)
        assert done.returncode == 0, done
        server.stop()
    finally:
        server.remove()


if __name__ == "__main__":
    main(*sys.argv[1:])
