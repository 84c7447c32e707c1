"""The package as pip installs it from the source, without a network, and the metadata of what it is."""
import email
import re
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest
from conftest import BUILD, PACKAGE, TOP

VERSION = (TOP / "VERSION").read_text().strip()
PROGRAM = """
import cairn
with cairn.init() as run:
    run.log({"x": 1})
print(cairn.__file__, cairn.__version__)
print([row["x"] for row in cairn.Api().run(f"me/p/{run.id}").rows()])
"""


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def installed(library, bare, tmp_path_factory):
    """The Python of a fresh environment with the package."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, symlinks=True)
    run(sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "-q", PACKAGE,
        env=bare(CAIRN_PYTHON_BUILD=str(BUILD)))
    return folder / "bin/python"


def test_pip_installs_it_without_a_network(installed, bare, settings, tmp_path):
    told = run(installed, "-c", PROGRAM, env=bare(**settings), cwd=tmp_path)
    where, version, values = re.fullmatch(r"(\S+) (\S+)\n(.*)\n", told).groups()
    assert str(installed.parents[1]) in where and version == VERSION and values == "[1]"


def test_what_is_installed(installed):
    """Nothing but the package, and only the library is not Python."""
    [folder] = (installed.parents[1] / "lib").glob("python*/site-packages")
    assert sorted(path.name for path in folder.iterdir()) == ["cairn", f"cairn_client-{VERSION}.dist-info"]
    sources = {path.relative_to(PACKAGE / "cairn").as_posix() for path in (PACKAGE / "cairn").rglob("*.py")}
    found = {path.relative_to(folder / "cairn").as_posix() for path in (folder / "cairn").rglob("*") if path.is_file()
             and "__pycache__" not in path.parts}
    assert found == sources | {"py.typed", "libcairn.so"}
    head = email.message_from_string((folder / f"cairn_client-{VERSION}.dist-info/METADATA").read_text())
    assert head["Name"] == "cairn-client" and head["Version"] == VERSION and "import cairn" in head.get_payload()
    assert [each for each in head.get_all("Requires-Dist") if "extra ==" not in each] == []
    assert set(head.get_all("Provides-Extra")) >= {path.stem for path in (PACKAGE / "cairn/integration").glob("[a-z]*.py")}
    assert (folder / f"cairn_client-{VERSION}.dist-info/licenses/LICENSE").read_bytes() == (TOP / "LICENSE").read_bytes()


def test_the_tag_says_where_it_runs(installed, tmp_path, monkeypatch):
    """A library that needs libcurl of the machine is not for every Linux."""
    monkeypatch.setenv("CAIRN_PYTHON_BUILD", str(BUILD))
    monkeypatch.syspath_prepend(PACKAGE / "backend")
    import cairn_backend
    name = cairn_backend.build_wheel(tmp_path)
    assert "-py3-none-linux_" in name
    again = tmp_path / "again"
    again.mkdir()
    cairn_backend.build_wheel(again)
    assert (again / name).read_bytes() == (tmp_path / name).read_bytes()
    with zipfile.ZipFile(tmp_path / name) as wheel:
        record = wheel.read(f"cairn_client-{VERSION}.dist-info/RECORD").decode()
        assert {line.split(",")[0] for line in record.splitlines()} == set(wheel.namelist())


def test_the_source_archive_has_all_that_is_built(tmp_path, monkeypatch):
    """Each C source of the library, and nothing that was built."""
    monkeypatch.syspath_prepend(PACKAGE / "backend")
    import cairn_backend
    name = cairn_backend.build_sdist(tmp_path)
    with tarfile.open(tmp_path / name) as tar:
        found = {path.partition("/")[2] for path in tar.getnames()}
    for folder in ("client", "sampler", "shared"):
        for path in (TOP / folder).rglob("*.[ch]"):
            assert (f"source/{path.relative_to(TOP)}" in found) != path.is_relative_to(TOP / "client/cli")
    assert {"PKG-INFO", "pyproject.toml", "metadata", "backend/cairn_backend.py", "source/VERSION", "source/LICENSE",
            "source/client/libcairn.map"} <= found
    assert not [path for path in found if path.endswith((".so", ".pyc", ".o"))]


def test_the_binding_is_that_of_the_header():
    """Members of the structures in their order, results, and functions; a library without offline mode lacks the last member."""
    from cairn import _lib
    header = (TOP / "client/include/cairn.h").read_text()
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)

    def members(struct):
        body = re.search(rf"struct {struct} \{{(.*?)\n\}};", header, re.S)[1]
        return re.findall(r"(\w+)(?:\[\d+\])?(?=[;,])", re.sub(r"\s+", " ", body) + ";")

    def fields(kind):
        return [field[0] for base in reversed(kind.__mro__) for field in vars(base).get("_fields_", ())]

    assert members("cairn_options") in (fields(_lib.Options), fields(_lib.OptionsWithMode))
    assert members("cairn_report") in (fields(_lib.CReport), fields(_lib.CReportWithSpool))
    assert [field[0] for field in _lib.Metric._fields_] == members("cairn_metric")
    results = re.findall(r"CAIRN_\w+", re.search(r"enum cairn_result \{(.*?)\}", header, re.S)[1])
    assert [getattr(_lib, name[len("CAIRN_"):]) for name in results] == list(range(len(results)))
    assert set(_lib._FUNCTIONS) <= set(re.findall(r"\b(cairn_\w+)\(", header))
