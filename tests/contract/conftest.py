"""A server with the user `me`, as in the suite quickstart, and the contract bundled into one file."""
import fcntl
import importlib.util
import pathlib
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
BIN = TOP / "tests/contract/node_modules/.bin"

_spec = importlib.util.spec_from_file_location("quickstart_fixtures", TOP / "tests/quickstart/conftest.py")
_fixtures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_fixtures)
cluster, server = _fixtures.cluster, _fixtures.server
sys.path.insert(0, str(TOP / "tests/api"))  # before quickstart's, which has a module "rest", too
pytest_addoption, pytest_collection_modifyitems = _fixtures.pytest_addoption, _fixtures.pytest_collection_modifyitems


def output_of(*command, **more):
    """Runs a command and returns what it printed, with its errors if it fails."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="session")
def tools():
    """The linters and generators of package-lock.json. One process installs them, the others wait for it."""
    folder = TOP / "tests/contract"
    with open(folder / "package-lock.json") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (BIN / "redocly").exists() or not (BIN / "openapi-typescript").exists():
            output_of("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", cwd=folder)
    return BIN


@pytest.fixture(scope="session")
def bundle(tools, tmp_path_factory):
    """openapi.json, for tools that do not follow a path item into another file."""
    made = tmp_path_factory.mktemp("contract") / "openapi.json"
    output_of(tools / "redocly", "bundle", "--config", "api/redocly.yaml", "api/openapi.yaml", "-o", made, cwd=TOP)
    return made
