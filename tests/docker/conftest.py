"""An engine, the images, and compose. CAIRN_TEST_ENGINE names a folder whose engine is there already, or stays there."""
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "tests/api"), str(TOP / "tests/faults")]

from containers import NoEngine, Stack, build_images, running_engine  # noqa: E402


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


@pytest.fixture(scope="session")
def make_stack(engine, images):
    made = []

    def make(**variables):
        made.append(Stack(engine, **variables))
        return made[-1]
    yield make
    for stack in made:
        stack.down("-v", "--remove-orphans")
