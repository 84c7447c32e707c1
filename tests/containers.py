"""A Docker engine for tests, and the images that they need: docker/engine says how the machine gets one."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
HERE = TOP / "tests/docker"
DOCKER = TOP / "docker"
VERSION = (TOP / "VERSION").read_text().strip()


class NoEngine(Exception):
    """Why none can be had, in a line."""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Engine:
    """That of a folder, else the one that the command docker finds."""

    def __init__(self, folder=None):
        foreign = ("CAIRN_", "DOCKER_", "COMPOSE_") if folder else ("CAIRN_", "COMPOSE_")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
        self.env.update(DOCKER_BUILDKIT="1", DOCKER_SCAN_SUGGEST="false")
        if folder:
            self.env.update(DOCKER_HOST=f"unix://{folder}/docker.sock", DOCKER_CONFIG=f"{folder}/cfg")

    def try_(self, *words, env=None, stdin=None, timeout=1800):
        return subprocess.run(["docker", *map(str, words)], env={**self.env, **(env or {})}, input=stdin,
                              capture_output=True, text=True, timeout=timeout)

    def __call__(self, *words, **more):
        done = self.try_(*words, **more)
        assert done.returncode == 0, f"docker {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def inspect(self, name):
        return json.loads(self("inspect", name))[0]

    def kill(self, container):
        """As kill -9 of its first process does it; ends when the engine knows."""
        pid = self.inspect(container)["State"]["Pid"]
        os.kill(pid, 9)
        while self.inspect(container)["State"]["Pid"] == pid:
            time.sleep(0.1)

    def wait_healthy(self, container, seconds=120):
        end = time.monotonic() + seconds
        while self.inspect(container)["State"].get("Health", {}).get("Status") != "healthy":
            assert time.monotonic() < end, self.try_("logs", container)
            time.sleep(0.2)


class Stack:
    """compose.yaml, unedited, as a project of its own."""
    made = 0

    def __init__(self, engine, **variables):
        Stack.made += 1
        self.engine = engine
        self.name = f"cairn-test-{os.getpid()}-{Stack.made}"
        self.port = free_port()
        self.env = {"COMPOSE_PROJECT_NAME": self.name, "CAIRN_PORT": str(self.port), "CAIRN_HTTPS_PORT": str(free_port()),
                    "CAIRN_PROXY_NET": f"172.31.{100 + Stack.made}", **variables}
        self.url = f"http://127.0.0.1:{self.port}"

    def try_(self, *words, **more):
        return self.engine.try_("compose", "-f", DOCKER / "compose.yaml", *words, env=self.env, **more)

    def __call__(self, *words, **more):
        done = self.try_(*words, **more)
        assert done.returncode == 0, f"compose {' '.join(map(str, words))}: {done}\n{self.try_('logs', '--tail', '30').stdout}"
        return done.stdout

    def up(self, *words):
        began = time.monotonic()
        self("up", "-d", "--wait", "--wait-timeout", "180", "--no-build", *words)
        return time.monotonic() - began

    def container(self, service):
        return f"{self.name}-{service}-1"

    def cairnd(self, *words, **more):
        return self("exec", "-T", "cairnd", "cairnd", *words, **more)

    def down(self, *words):
        self("--profile", "*", "down", "-t", "20", *words)


def registry():
    """The registry that npm of this machine uses: the base image has the CA for it."""
    npm = shutil.which("npm")
    named = subprocess.run([npm, "config", "get", "registry"], capture_output=True, text=True).stdout.strip() if npm else ""
    return ["--build-arg", f"NPM_REGISTRY={named}"] if named.startswith("http") else []


def build(engine, context, dockerfile, tag, *words):
    engine("build", "-q", "-f", dockerfile, "-t", tag, *words, context)


@contextlib.contextmanager
def running_engine():
    """CAIRN_TEST_ENGINE names a folder whose engine is there already, or stays there."""
    kept = os.environ.get("CAIRN_TEST_ENGINE")
    folder = kept or tempfile.mkdtemp(prefix="docker-engine-")
    done = subprocess.run([HERE / "engine", "up", folder], stderr=subprocess.PIPE, text=True, timeout=1200)
    try:
        if done.returncode:
            raise NoEngine((done.stderr.strip().splitlines() or ["no reason"])[-1])
        yield Engine(folder)
    finally:
        if not kept:
            subprocess.run([HERE / "engine", "down", folder], check=done.returncode == 0, timeout=300, stderr=subprocess.DEVNULL)
            shutil.rmtree(folder, ignore_errors=True)


def build_images(engine):
    """The server's, the standalone one, and a stand-in for the official one of PostgreSQL, as scripts/bundle builds them."""
    def git(*words):
        return subprocess.run(["git", "-C", TOP, *words], capture_output=True, text=True).stdout.strip()
    values = {"REVISION": git("rev-parse", "HEAD"), "VERSION": VERSION, "SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct")}
    words = [word for name, value in values.items() for word in ("--build-arg", f"{name}={value}")] + registry()
    build(engine, TOP, DOCKER / "Dockerfile", "cairn", "-t", f"cairn:{VERSION}", *words)
    build(engine, TOP, DOCKER / "Dockerfile.standalone", "cairn-standalone", *words)
    build(engine, HERE / "postgres", HERE / "postgres/Dockerfile", "postgres:17")
