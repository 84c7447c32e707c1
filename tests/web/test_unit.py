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
    # Run as a program, it ends badly if one of its tests failed; by --test another node would run it.
    done = subprocess.run(["node", file], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
