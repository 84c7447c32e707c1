"""An engine, the images, and compose. CAIRN_TEST_ENGINE names a folder whose engine is there already, or stays there."""
import os
import pathlib
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "tests/api"), str(TOP / "tests/faults")]

from containers import DOCKER, NoEngine, build_images, free_port, running_engine  # noqa: E402


@pytest.fixture(scope="session")
def engine():
    """All tests need it: where none can be had, one line says why, and nothing passes."""
    try:
        with running_engine() as engine:
            yield engine
    except NoEngine as why:
        pytest.exit(f"no Docker engine can be had here, and no test was run: {why}", 1)


@pytest.fixture(scope="session")
def images(engine):
    build_images(engine)
    return {"cairn": engine.inspect("cairn"), "cairn-standalone": engine.inspect("cairn-standalone")}


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


@pytest.fixture(scope="session")
def make_stack(engine, images):
    made = []

    def make(**variables):
        made.append(Stack(engine, **variables))
        return made[-1]
    yield make
    for stack in made:
        stack.down("-v", "--remove-orphans")
