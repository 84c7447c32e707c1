"""scripts/quickstart itself, from an empty folder."""
import pathlib
import shutil
import socket
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]


def quickstart(*arguments):
    done = subprocess.run([TOP / "scripts/quickstart", "--yes", "--once", *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    return done.returncode, done.stdout


@pytest.fixture
def folder(tmp_path):
    """Where PostgreSQL may go in, too, when root starts it."""
    made = pathlib.Path(f"/var/tmp/{tmp_path.parent.name}-{tmp_path.name}")
    made.mkdir(mode=0o755)
    yield made
    shutil.rmtree(made)


def test_twice(folder):
    """The second call has the first one's data, and a port that is taken in its way."""
    status, printed = quickstart("--data-dir", folder)
    assert status == 0, printed
    key = (folder / "key").read_text()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, printed = quickstart("--data-dir", folder, "--port", taken.getsockname()[1])
    assert status == 1
    assert "name another one with --port" in printed
    status, printed = quickstart("--data-dir", folder)
    assert status == 0, printed
    assert (folder / "key").read_text() == key
    assert "Everything above was read back from the server and checked." in printed
