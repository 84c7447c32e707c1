"""Modules of the page that need no browser, by node's own test runner."""
import pathlib
import shutil
import subprocess

import pytest

UNIT = pathlib.Path(__file__).resolve().parent / "unit"


@pytest.mark.parametrize("file", sorted(UNIT.glob("*.test.mjs")), ids=lambda file: file.name)
def test_unit(file):
    if not shutil.which("node"):
        pytest.skip("no node")
    done = subprocess.run(["node", "--test", file], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
