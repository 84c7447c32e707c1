"""A server on its embedded PostgreSQL, in a folder on a real disk, for as long as it is measured."""
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

import host


class Server:
    def __init__(self, folder, *settings):
        self.folder = pathlib.Path(folder)
        self.settings = settings
        self.key_file = self.folder / "key"
        self.process = None
        self.port = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def command(self, *settings):
        return [str(host.CAIRND), "serve", "--data-dir", str(self.folder / "data"), "--log-level", "warning",
                *self.settings, *settings]

    def start(self):
        port_file = self.folder / "port"
        port_file.unlink(missing_ok=True)
        log = open(self.folder / "cairnd.log", "a", encoding="utf-8")
        self.process = subprocess.Popen(
            self.command("--listen", "127.0.0.1:0", "--port-file", str(port_file)), stdout=log, stderr=log)
        self.wait(port_file)
        self.port = int(port_file.read_text())
        while self.status("/ready") != 200:
            time.sleep(0.01)
        if not self.key_file.exists():
            subprocess.run([host.CAIRND, "user", "add", "bench", "--admin", "--data-dir", self.folder / "data",
                            "--key-file", self.key_file], check=True, stdout=log, stderr=log)

    def wait(self, port_file):
        end = time.monotonic() + 60
        while not (port_file.exists() and port_file.read_text().strip()):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the server did not start: {self.folder}/cairnd.log")
            time.sleep(0.005)

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
            self.process = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def status(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return None
        finally:
            connection.close()

    def connect(self):
        """A kept-alive connection: `ask(method, path, body) -> document`, `ask.raw(...) -> bytes`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = self.key_file.read_text().strip()

        def ask_raw(method, path, body=None):
            head = {"Authorization": "Bearer " + key}
            if body is not None:
                head["Content-Type"] = "application/json"
            connection.request(method, "/api/v1" + path, body, head)
            answer = connection.getresponse()
            text = answer.read()
            if answer.status >= 300:
                raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
            return text

        def ask(*request):
            return json.loads(ask_raw(*request))

        ask.raw = ask_raw
        ask.close = connection.close
        return ask

    def database(self):
        """Where the embedded PostgreSQL listens, for who may read its folder."""
        folder = (self.folder / "data/postgres.socket").read_text().strip()
        return f"host={folder} user=cairn dbname=postgres"

    def sql(self, text, *options):
        done = subprocess.run([*host.as_postgres(), "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *options, "-d",
                               self.database()], input=text, capture_output=True, text=True, check=False,
                              cwd="/")
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def postmaster(self):
        lines = (self.folder / "data/pg/postmaster.pid").read_text().splitlines()
        return int(lines[0])

    def cpu(self):
        """CPU seconds of server and PostgreSQL until now."""
        postmaster = self.postmaster()
        if postmaster in host.family(self.process.pid):
            return host.cpu_seconds(self.process.pid)
        return host.cpu_seconds(self.process.pid) + host.cpu_seconds(postmaster)

    def load(self, program, *options):
        """A load program's own figures, and what server and PostgreSQL spent meanwhile."""
        before = self.cpu()
        result = run_load(program, *options)
        result["cpu_s"] = self.cpu() - before
        return result


def run_load(program, *options):
    """The figures that a load program prints."""
    done = subprocess.run([str(host.LOAD / program), *map(str, options)], capture_output=True, text=True,
                          env={**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}, check=False)
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def run_plain(folder, *options):
    """The load by INSERTs on the server's PostgreSQL without the server, which leaves it no connections
    to spare, and what PostgreSQL spent."""
    with postgres_alone(folder) as database:
        postmaster = int((pathlib.Path(folder) / "data/pg/postmaster.pid").read_text().split()[0])
        before = host.cpu_seconds(postmaster)
        result = run_load("load_insert", "--database", database, *options)
        result["cpu_s"] = host.cpu_seconds(postmaster) - before
    with Server(folder) as server:
        result["disk"] = int(server.sql("select pg_total_relation_size('point')"))
        result["wal_end"] = server.sql("select pg_current_wal_lsn() - '0/0'")
        server.sql("drop table point")
    return result


@contextlib.contextmanager
def postgres_alone(folder):
    """PostgreSQL on the server's files without the server; gives where it listens."""
    ctl = [*host.as_postgres(), str(host.postgres_bindir() / "pg_ctl"), "-s", "-w", "-D",
           str(pathlib.Path(folder) / "data/pg")]
    with tempfile.TemporaryDirectory(prefix="cairn-bench.", dir="/tmp") as sockets:
        os.chmod(sockets, 0o777)
        subprocess.run([*ctl, "-l", "/dev/null", "-o", f"-k {sockets} -c listen_addresses= -c max_connections=100",
                        "start"], check=True, cwd="/")
        try:
            yield f"host={sockets} user=cairn dbname=postgres"
        finally:
            subprocess.run([*ctl, "stop"], check=True, cwd="/")
