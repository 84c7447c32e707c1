"""cairnd on its embedded PostgreSQL: as root and as an ordinary user, killed, moved, locked, upgraded.

tests/sql/test_embedded.py has the same part alone and in more detail; here it is the program itself, and
what was logged must be there afterwards.
"""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess

import pytest

from cluster import free_port, other_version, unprivileged, wait_until
from rest import Api
from runs import Run
from server import Server, cairnd, environment
from starts import check_refusal

ROOT = os.geteuid() == 0


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Embedded(Server):
    def __init__(self, prefix=(), **settings):
        super().__init__("", "", workers=4, **settings)
        self.prefix = prefix
        self.key = None
        self.rows = 0
        self.dir.chmod(0o755)
        if prefix:
            user = pwd.getpwnam("postgres")
            os.chown(self.dir, user.pw_uid, user.pw_gid)

    @property
    def data(self):
        return self.dir / "data"

    def call(self, *args, **settings):
        env = environment(**{"database_url": "", "secret_file": "", "data_dir": self.data, **self.settings, **settings})
        return subprocess.run([*self.prefix, cairnd(), *args], env=env, capture_output=True,
                              text=True, timeout=120)

    def postmaster(self):
        """None between the end of one and the start of the next."""
        path = self.data / "pg/postmaster.pid"
        words = path.read_text().split() if path.exists() else []
        return int(words[0]) if words else None

    def log_a_row(self):
        """One more row, and all rows so far are there."""
        if not self.key:
            self.key = self.call("user", "add", "ann").stdout.strip()
        api = Api(self, self.key)
        run = Run(api)
        run.log([{"n": self.rows}])
        self.rows += 1
        assert run.values("n") == list(range(self.rows))
        api.close()


@pytest.fixture
def embedded(request):
    made = Embedded(getattr(request, "param", ()))
    yield made
    try:
        made.stop()
    finally:
        made.remove()


USERS = [pytest.param((), id="as it is"),
         pytest.param(unprivileged(), id="ordinary user", marks=pytest.mark.skipif(
             not ROOT, reason="needs root"))]


@pytest.mark.parametrize("embedded", USERS, indirect=True)
def test_stops_with_the_server_and_starts_again(embedded):
    for _ in range(2):
        embedded.start()
        embedded.log_a_row()
        postmaster = embedded.postmaster()
        embedded.stop()
        assert not is_alive(postmaster)
    if ROOT:
        owner = pwd.getpwuid((embedded.data / "pg").stat().st_uid).pw_name
        assert owner != "root"


@pytest.mark.parametrize("embedded", USERS, indirect=True)
def test_ends_when_the_server_is_killed(embedded):
    embedded.start().log_a_row()
    postmaster = embedded.postmaster()
    embedded.kill()
    wait_until(lambda: not is_alive(postmaster), what="end of PostgreSQL")
    embedded.start().log_a_row()
    embedded.kill()
    embedded.start().log_a_row()  # at once, while the old PostgreSQL is still going


def test_postgres_is_killed(embedded):
    embedded.start().log_a_row()
    postmaster = embedded.postmaster()
    os.kill(postmaster, signal.SIGKILL)
    api = Api(embedded, embedded.key)
    wait_until(lambda: embedded.postmaster() not in (None, postmaster), what="new PostgreSQL")
    wait_until(lambda: api.request("GET", "/ready").status == 200, what="readiness")
    run = Run(api, make=False)
    wait_until(lambda: api.request("GET", f"{run.path}/history",
                                   query={"format": "ndjson"}).status == 200, what="rows")
    api.close()


def test_moved_data_directory(embedded):
    embedded.start().log_a_row()
    embedded.stop()
    home = embedded.dir
    embedded.dir = home.with_name(home.name + " moved")
    home.rename(embedded.dir)
    embedded.log_path = embedded.dir / "log"
    embedded.start().log_a_row()


@pytest.mark.parametrize("pid", [pytest.param(os.getpid(), id="another program's"),
                                 pytest.param(2**22 - 3, id="nobody's", marks=pytest.mark.long)])
def test_stale_locks(embedded, pid):
    embedded.start().log_a_row()
    embedded.stop()
    (embedded.data / "pg/postmaster.pid").write_text(f"{pid}\n{embedded.data}/pg\n")
    (embedded.data / "cairn.lock").write_text(f"{pid}\n")
    embedded.start().log_a_row()


def test_a_second_server_is_refused(embedded):
    embedded.start().log_a_row()
    second = embedded.call("serve", "--listen", f"127.0.0.1:{free_port()}")
    assert f"in use by another server (process {embedded.process.pid})" in check_refusal(second)
    embedded.log_a_row()


@pytest.mark.long
def test_a_second_server_by_its_socket_is_told_why(embedded):
    """It has connections for one server; the one that it has goes on."""
    embedded.start().log_a_row()
    folder = (embedded.data / "pg/postmaster.pid").read_text().splitlines()[4]
    url = f"postgresql://cairn@/postgres?host={folder}"
    second = embedded.call("serve", "--listen", f"127.0.0.1:{free_port()}", database_url=url,
                           secret_file=embedded.data / "secret", data_dir=embedded.dir / "second",
                           files_dir=embedded.data / "files", workers=32)
    assert second.returncode == 1
    assert "each server needs one connection per worker and flusher, and about fifteen more: raise max_connections of PostgreSQL or lower the number of workers" in second.stderr
    embedded.log_a_row()


@pytest.mark.skipif(not other_version(), reason="needs a second version of PostgreSQL")
def test_upgrade(embedded):
    """Refused with the command to run; that moves everything and keeps the old one."""
    embedded.start().log_a_row()
    running = embedded.call("embedded", "upgrade", pg_bindir=f"{other_version()}/bin")
    assert running.returncode == 1 and "in use by another server" in running.stderr
    embedded.stop()
    old = (embedded.data / "pg/PG_VERSION").read_text().strip()
    assert ", and no newer version was found" in embedded.call("embedded", "upgrade").stderr

    embedded.settings["pg_bindir"] = f"{other_version()}/bin"
    refused = embedded.call("serve", "--listen", "127.0.0.1:0")
    assert refused.returncode == 78
    assert f"the database needs PostgreSQL {old}" in refused.stderr
    assert 'run "cairnd embedded upgrade"' in refused.stderr

    done = embedded.call("embedded", "upgrade")
    assert done.returncode == 0, done
    new = (embedded.data / "pg/PG_VERSION").read_text().strip()
    assert int(new) > int(old)
    assert (embedded.data / f"pg.old-{old}/PG_VERSION").read_text().strip() == old
    embedded.start().log_a_row()
    embedded.stop()

    # The way back: the old one still holds what it held.
    shutil.rmtree(embedded.data / "pg")
    (embedded.data / f"pg.old-{old}").rename(embedded.data / "pg")
    del embedded.settings["pg_bindir"]
    embedded.rows = 1
    embedded.start().log_a_row()


@pytest.mark.long
@pytest.mark.skipif(not other_version(), reason="needs a second version of PostgreSQL")
def test_upgrade_by_itself(embedded, wait_for):
    """At the start, if the setting asks for it; also by the start after one that was killed in the middle."""
    embedded.settings["embedded_upgrade"] = "auto"
    embedded.start().log_a_row()
    embedded.stop()
    assert "newer PostgreSQL" not in embedded.log()
    old = (embedded.data / "pg/PG_VERSION").read_text().strip()
    embedded.settings["pg_bindir"] = f"{other_version()}/bin"
    env = environment(**{"database_url": "", "secret_file": "", "data_dir": embedded.data, **embedded.settings})
    with open(embedded.log_path, "ab") as log:
        killed = subprocess.Popen([cairnd(), "serve", "--listen", "127.0.0.1:0"], env=env, stdout=log, stderr=log)
    wait_for(lambda: f"copying from={old}" in embedded.log(), what="the copy")
    killed.kill()
    killed.wait()
    embedded.start().log_a_row()
    assert f"moving the database to a newer PostgreSQL from={old}" in embedded.log()
    assert int((embedded.data / "pg/PG_VERSION").read_text()) > int(old)
    assert (embedded.data / f"pg.old-{old}").exists() and not (embedded.data / "pg.new").exists()
    embedded.stop()
    embedded.start().log_a_row()
