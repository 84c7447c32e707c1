"""Environments of Python under build with the packages that our searches are compared with; each is made once."""
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]


def python_with(name, *packages):
    folder = TOP / "build" / name
    python = folder / "bin/python"
    if not (folder / "made").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", *packages], check=True)
        (folder / "made").touch()
    return python
