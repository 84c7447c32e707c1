"""What keeps a server from starting, or is wrong when it does: one line that says so, one that says what to do, the exit status
that docs/install.md has, and nothing damaged: when the cause is gone, the server starts and everything is there."""
import contextlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import pytest

from rest import Api
from runs import Run
from server import Server, cairnd, environment
from starts import check_refusal
from test_backup import places  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tests/http"))
from certificate import Authority  # noqa: E402

DAY = 86400
EARLIEST = 1704067200  # 2024-01-01


class Site:
    """A database with a run in it, and servers that are started on it."""

    def __init__(self, place, folder, key):
        self.place, self.dir, self.key = place, folder, key
        self.env = {"data_dir": folder / "data", "listen": "127.0.0.1:0"}
        self.name = place.db.url.split("/")[3].split("?")[0]

    def server(self, **settings):
        return Server(self.place.db.url, self.place.secret_file, **settings)

    def serve(self, url=None, secret=None, **settings):
        env = environment(self.place.db.url if url is None else url, secret or self.place.secret_file, **{**self.env, **settings})
        return subprocess.run([cairnd(), "serve"], env=env, capture_output=True, text=True, timeout=120)

    def check(self):
        with self.server() as server:
            api = Api(server, self.key)
            assert Run(api, make=False).values("n") == list(range(100))
            api.close()


@pytest.fixture(scope="module")
def stored(shared_place, keys):
    with Server(shared_place.db.url, shared_place.secret_file) as server:
        api = Api(server, keys["ann"])
        Run(api).log([{"n": n} for n in range(100)])
        api.close()
    return shared_place


@pytest.fixture
def site(stored, keys, tmp_path):
    return Site(stored, tmp_path, keys["ann"])


# ---- causes: what the server is started with; the context ends when the cause is gone --------------------

@contextlib.contextmanager
def missing_secret(site):
    none = site.dir / "none"
    yield {"secret": none}
    assert not none.exists() and not none.with_name("none.new").exists()


@contextlib.contextmanager
def wrong_secret(site):
    other = site.dir / "other"
    other.write_text("ab" * 32 + "\n")
    other.chmod(0o600)
    yield {"secret": other}
    assert other.read_text() == "ab" * 32 + "\n"


@contextlib.contextmanager
def cut_secret(site):
    cut = site.dir / "cut"
    cut.write_text(site.place.secret_file.read_text()[:20])
    yield {"secret": cut}
    assert len(cut.read_text()) == 20


class OlderServer:
    """A PostgreSQL that says it is version 14, by a line in between that changes nothing else of what is said."""

    def __init__(self, cluster):
        self.path = f"{cluster.dir}/.s.PGSQL.{cluster.port}"
        self.version = cluster.psql("show server_version").split(".")[0].encode()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.path)
                for source, to in ((client, server), (server, client)):
                    self.threads.append(threading.Thread(target=self.pass_on, args=(source, to)))
                    self.threads[-1].start()

    def pass_on(self, source, to):
        with contextlib.suppress(OSError):
            while some := source.recv(1 << 16):
                to.sendall(some.replace(b"server_version\0" + self.version, b"server_version\x0014"))
            to.shutdown(socket.SHUT_RDWR)

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
        self.listener.close()


@contextlib.contextmanager
def older_postgresql(site):
    older = OlderServer(site.place.cluster)
    try:
        yield {"url": f"postgresql://cairn@127.0.0.1:{older.listener.getsockname()[1]}/{site.name}?sslmode=disable&gssencmode=disable"}
    finally:
        older.stop()


@contextlib.contextmanager
def latin_database(site):
    cluster = site.place.cluster
    cluster.psql("create database latin_start template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'")
    try:
        yield {"url": cluster.url("latin_start"), "secret": site.dir / "new"}
        assert cluster.psql("select count(*) from pg_tables where schemaname = 'public'", "latin_start") == "0"
    finally:
        cluster.psql("drop database latin_start")


@contextlib.contextmanager
def unreachable_database(site):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    yield {"url": f"postgresql://cairn@127.0.0.1:{port}/{site.name}", "database_wait_s": 0}


@contextlib.contextmanager
def no_such_database(site):
    yield {"url": site.place.cluster.url("none"), "database_wait_s": 0}


@contextlib.contextmanager
def newer_database(site):
    site.place.db.query("insert into schema_migration (number, name, checksum) values (9999, 'of_tomorrow', 'x')")
    yield {}
    site.place.db.query("delete from schema_migration where number = 9999")


@contextlib.contextmanager
def database_of_another_build(site):
    db = site.place.db
    good = db.value("select checksum from schema_migration where number = 2")
    db.query("update schema_migration set checksum = 'x' where number = 2")
    yield {}
    db.query("update schema_migration set checksum = %s where number = 2", good)


@contextlib.contextmanager
def taken_port(site):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield {"listen": f"127.0.0.1:{taken.getsockname()[1]}"}
        assert not site.env["data_dir"].exists()


@contextlib.contextmanager
def no_such_setting(site):
    (site.dir / "conf").write_text("worker = 3\n")
    yield {"config": site.dir / "conf"}


@contextlib.contextmanager
def certificate_without_its_key(site):
    for name in ("one", "two"):
        (site.dir / name).mkdir()
    cert, _ = Authority(site.dir / "one").issue("one")
    _, key = Authority(site.dir / "two").issue("two")
    yield {"tls_cert_file": cert, "tls_key_file": key}


@contextlib.contextmanager
def no_programs(site):
    with tempfile.TemporaryDirectory(prefix="cairn-starts.") as folder:
        os.chmod(folder, 0o755)
        (site.dir / "bin").mkdir()
        yield {"url": "", "pg_bindir": site.dir / "bin", "data_dir": f"{folder}/data"}
        assert not os.path.exists(f"{folder}/data/pg")


@contextlib.contextmanager
def closed_folder(site):
    if os.geteuid() != 0:
        pytest.skip("an ordinary user runs PostgreSQL itself")
    site.dir.chmod(0o700)
    yield {"url": ""}
    assert not (site.env["data_dir"] / "pg").exists()


@contextlib.contextmanager
def directory_that_cannot_be_made(site):
    yield {"data_dir": "/proc/none"}


CAUSES = [no_programs, closed_folder, directory_that_cannot_be_made, missing_secret, wrong_secret, cut_secret, older_postgresql, latin_database, unreachable_database, no_such_database,
          newer_database, database_of_another_build, taken_port, no_such_setting, certificate_without_its_key]


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.__name__)
def test_refused(site, cause):
    with cause(site) as settings:
        check_refusal(site.serve(**settings))
    site.check()


# ---- what the server starts with, and says --------------------------------------------------------------

def test_an_expired_certificate(site):
    """The data is safe, and a renewed certificate is read without a restart: so it starts."""
    cert, key = Authority(site.dir).issue("expired", begins=-9, ends=-1)
    with site.server(tls_cert_file=cert, tls_key_file=key) as server:
        assert server.log().count("error the TLS certificate has expired: clients reject it") == 1
        assert 'hint="renew it' in server.log()
    site.check()


@pytest.fixture
def clock(tmp_path_factory):
    """clock(seconds): the environment of programs whose clock is so many seconds away. Sanitizers want to be first otherwise, and
    see a leak where a thread is waited for until a time that is over for the kernel."""
    folder = tmp_path_factory.mktemp("clock")
    library = folder / "clock.so"
    subprocess.run(["cc", "-O", "-shared", "-fPIC", HERE / "clock.c", "-o", library], check=True)
    for path in (library, *folder.parents[:3]):  # PostgreSQL has another user
        if path != pathlib.Path("/tmp"):
            path.chmod(0o755)
    folder.chmod(0o755)
    return lambda seconds: {"LD_PRELOAD": str(library), "CLOCK_SHIFT_S": str(int(seconds)),
                            "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}


@pytest.mark.parametrize("seconds, word", [
    (7200, "ahead of"), pytest.param(-7200, "behind", marks=pytest.mark.long), pytest.param(-2, None, marks=pytest.mark.long)])
def test_a_clock_apart_from_that_of_the_database(site, clock, monkeypatch, seconds, word):
    with monkeypatch.context() as patch:
        for name, value in clock(seconds).items():
            patch.setenv(name, value)
        with site.server() as server:
            log = server.log()
        doctor = subprocess.run([cairnd(), "doctor"], env=environment(site.place.db.url, site.place.secret_file, **site.env),
                                capture_output=True, text=True)
    told = re.findall(r"warning this machine's clock is (ahead of|behind) the database's seconds=(\S+) database=2\S+ hint=", log)
    assert [word for word, _ in told] == ([word] if word else [])
    assert all(abs(float(apart) - abs(seconds)) < 60 for _, apart in told)
    [line] = [line for line in doctor.stdout.splitlines() if " clock " in line]
    assert line.startswith("WARN" if word else "ok") and (word or "from the database's clock") in line
    site.check()


def test_a_database_whose_clock_was_set_back(site):
    site.place.db.query("update tail_ring set opened_at = clock_timestamp() + interval '1 day', row_sum = null")
    with site.server() as server:
        assert len(re.findall("warning the database's clock is earlier than the newest timestamp stored .*hint=", server.log())) == 1
    site.place.db.query("update tail_ring set opened_at = clock_timestamp(), row_sum = null")
    with site.server() as server:
        assert "the database's clock is earlier than the newest timestamp stored" not in server.log()
    site.check()


@pytest.mark.long
def test_a_clock_that_nobody_has_set(places, clock, monkeypatch):  # noqa: F811
    """Of the machine, and so of the embedded database. The status is one with which a service is started again."""
    server = places()
    server.start().log_a_row()
    server.stop()
    with monkeypatch.context() as patch:
        for name, value in clock(EARLIEST - DAY - time.time()).items():
            patch.setenv(name, value)
        for words in (["serve", "--listen", "127.0.0.1:0"], ["user", "add", "bob"]):
            assert "shows 2023-12-31T" in check_refusal(server.call(*words))
        for name, value in clock(EARLIEST + DAY - time.time()).items():
            patch.setenv(name, value)
        server.start()
        server.stop()
    assert "the database's clock is earlier than the newest timestamp stored" in server.log()
    server.start().log_a_row()
