"""The wandb SDKs under test: each from PyPI, in a virtual environment of its own under build/sdk/VERSION.

    python3 tests/wandb/sdk.py [VERSION...]     makes them; without a name those of the default suite

An environment is made once: its stamp says what it was made from. A lock keeps several workers of pytest
from making one at the same time.
"""
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("CAIRN_SDK_DIR", TOP / "build/sdk"))

NEWEST = "0.31.0"
ALL = ("0.19.9", "0.19.11", "0.22.3", "0.25.1", "0.28.2", "0.30.0", NEWEST)
DEFAULT = (ALL[0], NEWEST)

# The first and last minor version of Python 3 that a release runs on.
PYTHONS = {"0.19.9": (8, 13), "0.19.11": (8, 13), "0.22.3": (8, 13), "0.25.1": (8, 14),
           "0.28.2": (10, 14), "0.30.0": (10, 14), NEWEST: (10, 14)}

# What the SDK's own media need, and what it needs but does not say: pkg_resources.
BESIDE = ("numpy<3", "pillow<13", "setuptools<81")


def python_for(version):
    """A Python that this SDK runs on: ours, else the newest fitting one on the path."""
    first, last = PYTHONS[version]
    if first <= sys.version_info.minor <= last:
        return sys.executable
    names = (f"python3.{minor}" for minor in range(last, first - 1, -1))
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise RuntimeError(f"wandb {version} needs a Python from 3.{first} to 3.{last}")
    return found


def _run(log, *command):
    done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.returncode}; see {log.name}")


def _make(folder, version):
    shutil.rmtree(folder, ignore_errors=True)
    with open(f"{folder}.log", "w") as log:
        _run(log, python_for(version), "-m", "venv", folder)
        _run(log, folder / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", "--quiet",
             f"wandb=={version}", *BESIDE)
        _run(log, folder / "bin/python", "-m", "compileall", "-q", folder / "lib")


def environment(version):
    """The folder of the version's environment, made if it is not there."""
    folder = FOLDER / version
    wanted = "\n".join((f"wandb=={version}", *BESIDE))
    stamp = folder / "made-from"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / f"{version}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            _make(folder, version)
            stamp.write_text(wanted)
    return folder


if __name__ == "__main__":
    for name in sys.argv[1:] or DEFAULT:
        print(environment(name))
