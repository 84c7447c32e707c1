"""The embedded PostgreSQL as a server process sees it: started, found, killed, moved, upgraded.

Run by CTest with CAIRN_EMBEDDED_TOOL, the program embedded_tool. The upgrade is tested when another
major version is there; see cluster.other_version().
"""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from cluster import bindir, other_version, unprivileged, wait_until  # noqa: E402

SHM = "/dev/shm" if os.path.isdir("/dev/shm") else None
TOOL = os.environ["CAIRN_EMBEDDED_TOOL"]


def psql(url, sql):
    done = subprocess.run([f"{bindir()}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url, "-c",
                           sql], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Server:
    """embedded_tool start; `url` once it is ready."""

    def __init__(self, data, *args, prefix=()):
        self.data = data
        self.process = subprocess.Popen([*prefix, TOOL, "start", data, *args],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, cwd="/")
        self.line = self.process.stdout.readline().strip()
        self.url = self.line if self.line.startswith("postgresql:") else None

    def postmaster(self):
        return int(pathlib.Path(self.data, "pg/postmaster.pid").read_text().split()[0])

    def pid_of_tool(self):
        return int(pathlib.Path(self.data, "cairn.lock").read_text())

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(120)
        self.process.stdout.close()
        return status

    def kill(self):
        os.kill(self.pid_of_tool(), signal.SIGKILL)
        self.process.wait(120)
        self.process.stdout.close()


def tool(*args):
    done = subprocess.run([TOOL, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout.strip(), done.returncode, done.stderr


class EmbeddedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """One cluster made by the program itself; most tests start from a copy."""
        cls.template = tempfile.mkdtemp(prefix="cairn-em.", dir=SHM)
        os.chmod(cls.template, 0o755)
        server = Server(cls.template + "/data")
        if server.stop():
            raise RuntimeError(server.line)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.template, ignore_errors=True)

    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="cairn-em.", dir=SHM)
        os.chmod(self.base, 0o755)
        self.data = self.base + "/data"
        self.servers = []

    def tearDown(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.stop()
        shutil.rmtree(self.base, ignore_errors=True)

    def start(self, data=None, *args, prefix=()):
        server = Server(data or self.data, *args, prefix=prefix)
        self.servers.append(server)
        return server

    def copied(self):
        """The data directory with a cluster in it."""
        if not os.path.exists(self.data):
            subprocess.run(["cp", "-a", self.template + "/data", self.data], check=True)
        return self.data

    def started(self, data=None, *args, **more):
        data = data or self.copied()
        server = self.start(data, *args, **more)
        self.assertIsNotNone(server.url, server.line)
        return server

    def fill(self, url):
        self.assertEqual(psql(url, "create table t as select generate_series(1, 1000) as i; "
                                   "select count(*) from t"), "1000")

    def check(self, url):
        self.assertEqual(psql(url, "select count(*) from t"), "1000")

    def test_start_stop_start(self):
        server = self.started()
        self.fill(server.url)
        self.assertEqual(psql(server.url, "select string_agg(setting, ' ' order by name) from "
                              "pg_settings where name in ('data_checksums', 'fsync', "
                              "'full_page_writes', 'synchronous_commit', 'autovacuum')"),
                         "on on on on on")
        self.assertEqual(psql(server.url, "select datcollate, pg_encoding_to_char(encoding) from "
                              "pg_database where datname = 'postgres'"), "C.UTF-8|UTF8")
        postmaster = server.postmaster()
        self.assertEqual(server.stop(), 0)
        self.assertFalse(is_alive(postmaster))
        self.check(self.started().url)

    def test_attach_and_second_server(self):
        self.assertEqual(tool("attach", self.data)[:2], ("none", 0))
        server = self.started()
        self.assertEqual(tool("attach", self.data)[:2], (server.url, 0))
        second = self.start()
        self.assertIn("conflict", second.line)
        self.assertIn(f"in use by another server (process {server.pid_of_tool()})", second.line)
        self.assertEqual(psql(server.url, "select 1"), "1")
        server.stop()
        self.assertEqual(tool("attach", self.data)[:2], ("none", 0))

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_ordinary_user(self):
        user = pwd.getpwnam("postgres")
        os.chown(self.base, user.pw_uid, user.pw_gid)
        server = self.started(self.data, prefix=unprivileged())
        self.fill(server.url)
        self.assertEqual(os.stat(self.data + "/pg").st_uid, user.pw_uid)
        self.assertEqual(server.stop(), 0)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_socket_is_private(self):
        server = self.started()
        stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        done = subprocess.run([*stranger, f"{bindir()}/psql", "-d", server.url, "-c", "select 1"],
                              capture_output=True, text=True, cwd="/")
        self.assertIn("Permission denied", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_closed_folder_above(self):
        os.chmod(self.base, 0o700)
        server = self.start()
        self.assertIn("a directory above it is closed to other users", server.line)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_closed_data_folder_is_opened(self):
        os.mkdir(self.data, 0o700)
        self.assertEqual(psql(self.started().url, "select 1"), "1")
        self.assertEqual(os.stat(self.data).st_mode & 0o777, 0o710)

    def test_server_killed(self):
        server = self.started()
        self.fill(server.url)
        postmaster = server.postmaster()
        server.kill()
        # At once: the new server finds the old PostgreSQL going or gone.
        again = self.started()
        self.assertFalse(is_alive(postmaster))
        self.check(again.url)
        postmaster = again.postmaster()
        again.kill()
        wait_until(lambda: not is_alive(postmaster), 120, "end of PostgreSQL")

    def test_postgres_killed(self):
        server = self.started()
        self.fill(server.url)
        for _ in range(2):
            postmaster = server.postmaster()
            os.kill(postmaster, signal.SIGKILL)
            wait_until(lambda: psql(server.url, "select count(*) from t") == "1000", 120,
                       "new PostgreSQL")
            self.assertNotEqual(server.postmaster(), postmaster)
        self.assertEqual(server.stop(), 0)

    def test_everything_killed(self):
        server = self.started()
        self.fill(server.url)
        postmaster = server.postmaster()
        os.kill(postmaster, signal.SIGSTOP)  # so that it cannot end in order
        server.kill()
        os.kill(postmaster, signal.SIGKILL)
        self.check(self.started().url)

    def test_stale_pid_files(self):
        server = self.started()
        self.fill(server.url)
        server.stop()
        for pid in (os.getpid(), 2 ** 22 - 3):  # another program's, and nobody's
            pathlib.Path(self.data, "pg/postmaster.pid").write_text(f"{pid}\n{self.data}/pg\n")
            server = self.started()
            self.check(server.url)
            server.stop()

    def test_pid_file_that_names_nobody(self):
        """As a crash of the machine leaves it; PostgreSQL alone would not start any more."""
        server = self.started()
        self.fill(server.url)
        server.stop()
        for text in "", "\n", "0\n", "-1\n", "1\n", "\0" * 40, "x" * 5000:
            pathlib.Path(self.data, "pg/postmaster.pid").write_text(text)
            server = self.started()
            self.check(server.url)
            server.stop()

    def test_pid_file_emptied_under_a_running_postgres(self):
        """The orphan is found without it, and stopped before another begins."""
        server = self.started()
        self.fill(server.url)
        postmaster = server.postmaster()
        os.kill(postmaster, signal.SIGSTOP)
        server.kill()
        pathlib.Path(self.data, "pg/postmaster.pid").write_text("")
        os.kill(postmaster, signal.SIGCONT)
        self.check(self.started().url)
        self.assertFalse(is_alive(postmaster))

    def test_moved_directory(self):
        server = self.started()
        self.fill(server.url)
        server.stop()
        moved = self.base + "/moved here & there"
        os.rename(self.data, moved)
        self.data = moved
        self.check(self.started().url)
        self.assertEqual(tool("attach", moved)[1], 0)

    def test_long_path(self):
        self.data = self.base + "/" + "long" * 30
        server = self.started()
        self.fill(server.url)
        folder = pathlib.Path(self.data, "postgres.socket").read_text().strip()
        self.assertLess(len(folder), 80)
        self.assertEqual(tool("attach", self.data)[:2], (server.url, 0))
        server.kill()
        server = self.started()
        self.assertFalse(os.path.exists(folder))
        folder = pathlib.Path(self.data, "postgres.socket").read_text().strip()
        server.stop()
        self.assertFalse(os.path.exists(folder))

    def test_half_made_cluster(self):
        os.makedirs(self.data + "/pg.half/base")
        pathlib.Path(self.data, "pg.half/PG_VERSION").write_text("15\n")
        self.assertEqual(psql(self.started().url, "select 1"), "1")
        self.assertFalse(os.path.exists(self.data + "/pg.half"))

    def test_interrupted_upgrade(self):
        os.makedirs(self.data + "/pg.old-14")
        server = self.start()
        self.assertIn("an upgrade was interrupted", server.line)
        self.assertFalse(os.path.exists(self.data + "/pg"))

    def test_interrupted_upgrade_in_a_folder_with_brackets(self):
        self.data += "[1]*?"
        self.test_interrupted_upgrade()

    def test_upgrade_finds_an_older_one_in_the_way(self):
        """Before it copies anything."""
        old = pathlib.Path(self.base, "14/bin")
        old.mkdir(parents=True)
        for program in "initdb", "postgres":
            (old / program).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 14.1'\n")
            (old / program).chmod(0o755)
        for folder in "pg", "pg.old-14":
            os.makedirs(f"{self.data}/{folder}")
        pathlib.Path(self.data, "pg/PG_VERSION").write_text("14\n")
        search = self.search_dir(str(old.parent), str(pathlib.Path(bindir()).parent))
        text, status, _ = tool("upgrade", self.data, search)
        self.assertIn("pg.old-14\" was kept by an older upgrade", text)
        self.assertNotEqual(status, 0)
        self.assertFalse(os.path.exists(self.data + "/pg.new"))

    def test_does_not_start(self):
        server = self.started()
        server.stop()
        os.remove(self.data + "/pg/global/pg_control")
        server = self.start()
        self.assertIn("PostgreSQL failed to start: ", server.line)
        self.assertIn("pg_control", server.line)

    def test_programs_missing(self):
        os.mkdir(self.base + "/none")
        server = self.start(self.data, self.base + "/none")
        self.assertIn("no programs of PostgreSQL 15 or newer were found", server.line)

    def search_dir(self, *versions):
        """A folder like /usr/lib/postgresql with only these in it."""
        path = tempfile.mkdtemp(dir=self.base)
        os.chmod(path, 0o755)
        for i, install in enumerate(versions):
            os.symlink(install, f"{path}/{i + 1}")
        return path

    @unittest.skipUnless(other_version(), "needs a second version of PostgreSQL")
    def test_upgrade(self):
        old = str(pathlib.Path(bindir()).parent)
        server = self.started(self.data, self.search_dir(old))
        self.fill(server.url)
        psql(server.url, "create table \"Odd name\" (x jsonb, y bytea, primary key (y)); "
             "insert into \"Odd name\" values ('{\"a\": 1}', '\\x00ff'); "
             "create table p (i integer) partition by range (i); "
             "create table p1 partition of p for values from (0) to (10); "
             "insert into p values (1), (2)")
        version = pathlib.Path(self.data, "pg/PG_VERSION").read_text().strip()
        text, status, _ = tool("upgrade", self.data, self.search_dir(old, other_version()))
        self.assertIn("in use by another server", text)
        server.stop()

        # Only the new version is there: neither server nor upgrade can do anything, and say so.
        new_only = self.search_dir(other_version())
        self.assertIn('run "cairnd embedded upgrade"', self.start(self.data, new_only).line)
        text, status, _ = tool("upgrade", self.data, new_only)
        self.assertIn(f"the programs of PostgreSQL {version} were not found", text)

        both = self.search_dir(old, other_version())
        text, status, log = tool("upgrade", self.data, both)
        self.assertEqual((text, status), ("", 0), log)
        self.assertIn('table="public.\\"Odd name\\"" rows=1', log)
        self.assertNotEqual(pathlib.Path(self.data, "pg/PG_VERSION").read_text().strip(), version)
        self.assertTrue(os.path.isdir(f"{self.data}/pg.old-{version}"))
        self.assertFalse(os.path.exists(self.data + "/pg.new"))

        server = self.started(self.data, both)
        self.check(server.url)
        self.assertEqual(psql(server.url, "select y from \"Odd name\""), "\\x00ff")
        self.assertEqual(psql(server.url, "select count(*) from p"), "2")
        server.stop()
        self.assertIn(", and no newer version was found", tool("upgrade", self.data, both)[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
