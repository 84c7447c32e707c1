"""docs/python.md is true: its programs run in order, as one, and its names exist."""
import re
import subprocess
import sys

import pytest
from conftest import TOP

import cairn

GUIDE = (TOP / "docs/python.md").read_text()


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def test_programs_of_the_guide(api, program, tmp_path, monkeypatch):
    monkeypatch.setenv("CAIRN_PROJECT", "")
    done = program("\n".join(blocks(GUIDE, "python")), CAIRN_PROJECT="")
    assert "media/images/sample_1_" in done.stdout and (tmp_path / "back/model.txt").read_text() == "weights"
    assert {run.id for run in api.runs("digits")} >= {"media", "night-1"}
    assert "warning" not in done.stderr.lower()


def test_errors_of_the_guide():
    """Each exception of the package is in the table, and each there exists."""
    told = set(re.findall(r"`cairn\.(\w+(?:Error|Warning))`", GUIDE)) | {"Error"}
    assert told == {name for name in cairn.__all__ if name.endswith(("Error", "Warning"))}


def test_limits_of_the_guide():
    from cairn import _files, _lib, _media, _values
    table = GUIDE.partition("| limit | |")[2]
    for number in (_lib.NAME_MAX_BYTES, _lib.ROW_MAX_VALUES, _values.ARRAY_MAX, _values.LIST_MAX, _media.BINS_MAX, _files.QUEUE_MAX):
        assert f"{number:,}" in table, number
    assert f"{_files.GIVE_UP_S // 60} minutes" in table


def test_every_public_name_has_a_docstring():
    """Classes, functions and their public methods and properties."""
    found = [(name, getattr(cairn, name)) for name in cairn.__all__ if name != "run"]
    for kind in (cairn.Run, cairn.Api, cairn.Report, cairn.Image, cairn.Histogram, cairn._api.ReadRun, cairn._api.File, cairn.Artifact):
        found += [(f"{kind.__name__}.{name}", value) for name, value in vars(kind).items()
                  if not name.startswith("_") and (callable(value) or isinstance(value, property))]
    assert [name for name, value in found if not (value.__doc__ or "").strip()] == []


@pytest.mark.parametrize("name", ["lightning", "transformers", "keras"])
def test_a_missing_framework_is_named(name):
    """A callback can be imported only with its framework, and the error is Python's own."""
    code = f"import sys; sys.path[:] = [{str(TOP / 'client/python')!r}, *[p for p in sys.path if 'site-packages' not in p]]\n" \
        f"import cairn.integration.{name}"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "ModuleNotFoundError: No module named" in done.stderr and name in done.stderr
