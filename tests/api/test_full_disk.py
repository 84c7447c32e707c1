"""The disk of an embedded database is full: at the first start, while rows come, at a start, for a backup. Each time there is a
line that says so, and when there is room again, everything is there. The copy before an upgrade is in test_upgrade.py."""
import contextlib
import os
import pathlib
import subprocess

import pytest

from cluster import wait_until
from rest import Api
from runs import Run
from starts import check_refusal, refusal
from test_embedded import Embedded

pytestmark = pytest.mark.slow
ROWS = 20000


def mount(folder, size, *more):
    return subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join([f"size={int(size * 1024)}k", "mode=0755", *more]), "none", folder],
                          capture_output=True, text=True)


@pytest.fixture
def full():
    """An embedded server whose data directory is a small file system of its own, which only root can make."""
    server = Embedded()
    server.data.mkdir()
    try:
        done = mount(server.data, 20) if os.geteuid() == 0 else None
        if not done or done.returncode:
            pytest.skip(f"cannot mount a disk to fill: {done.stderr.strip() if done else 'this needs root'}")
        yield server
        if server.process:
            server.stop()
    finally:
        for folder in ("data", "small"):
            subprocess.run(["umount", "-l", server.dir / folder], capture_output=True)
        server.remove()


def fill(folder):
    ballast = pathlib.Path(folder, "ballast")
    with open(ballast, "ab", buffering=0) as f, contextlib.suppress(OSError):
        while f.write(bytes(1 << 12)):
            pass
    return ballast


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_full_disk(full):
    serve = ("serve", "--listen", "127.0.0.1:0")
    assert 'not enough disk space for a new database in "' in check_refusal(full.call(*serve))
    assert "pg" not in names(full.data) and "pg.half" not in names(full.data)
    assert mount(full.data, 300, "remount").returncode == 0
    full.start().log_a_row()

    api = Api(full, full.key)
    run = Run(api, project="/api/v1/projects/ann/full")
    writer = run.join("w", "worker")
    ballast = fill(full.data)

    def batch():
        return {"history": [{"n": writer.batch * ROWS + n} for n in range(ROWS)]}

    def is_refused():
        answer = api.request("POST", f"{run.path}/batch", writer.body(writer.batch + 1, **batch()))
        if answer.status == 200:
            writer.batch += 1
            return False
        assert answer.status in (503, 504) and answer.headers["Retry-After"], answer
        return True
    wait_until(is_refused, what="refusal")
    done = full.call("backup", str(full.data / "backup"))
    # The second is PostgreSQL's, to a new connection.
    assert done.returncode == 1 and ("No space left on device" in refusal(done) or "could not write init file" in refusal(done)), done
    ballast.unlink()
    wait_until(lambda: api.request("GET", "/ready").status == 200, what="readiness")
    writer.send_patiently(**batch())
    stored = list(range(writer.batch * ROWS))
    assert run.values("n") == stored
    api.close()
    small = full.dir / "small"
    small.mkdir()
    assert mount(small, 0.03125).returncode == 0
    done = full.call("backup", str(small), "--keep", "1")
    assert done.returncode == 1 and f'"{small}/cairn-2' in refusal(done) and "No space left on device" in refusal(done), done
    assert names(small) == set() and not any(name.startswith("backup") for name in names(full.data))
    full.stop()

    ballast = fill(full.data)
    assert "No space left on device" in check_refusal(full.call(*serve))
    ballast.unlink()
    full.start().log_a_row()
    api = Api(full, full.key)
    assert Run(api, make=False, project="/api/v1/projects/ann/full").values("n") == stored
    api.close()
