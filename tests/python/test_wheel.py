"""The wheel for every Linux, made by scripts/wheel, and the package built from its source archive. They take minutes and a
mirror of Debian: scripts/test python_wheel."""
import re
import subprocess
import sys
import venv
import zipfile

import pytest
from conftest import TOP
from real_server import EMBEDDED, Server, cairnd_run
from test_package import PROGRAM, VERSION, run

sys.path.append(str(TOP / "tests/http"))
from certificate import Authority  # noqa: E402

C_LIBRARY = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


@pytest.fixture(scope="module")
def wheel():
    run(TOP / "scripts/wheel")
    [path] = (TOP / "build/wheel").glob("*.whl")
    return path


@pytest.fixture
def fresh(bare, tmp_path):
    """fresh(package): the Python of an environment with nothing but that."""
    def make(package):
        venv.create(tmp_path / "venv", symlinks=True)
        run(sys.executable, "-m", "pip", "--python", tmp_path / "venv/bin/python", "install", "-q", package, env=bare())
        return tmp_path / "venv/bin/python"
    return make


@pytest.fixture(scope="module")
def secured(tmp_path_factory):
    """The environment of a program that logs to a server with a certificate of a private authority."""
    folder = tmp_path_factory.mktemp("tls")
    authority = Authority(folder)
    cert, key = authority.issue("server")
    server = Server(EMBEDDED, folder / "secret", tls_cert_file=cert, tls_key_file=key)
    server.dir.chmod(0o755)
    server.start()
    cairnd_run(EMBEDDED, folder / "secret", "user", "add", "me", "--admin", "--key-file", str(folder / "me.key"), "--data-dir",
               str(server.dir / "data"))
    yield {"CAIRN_URL": f"https://localhost:{server.port}", "CAIRN_API_KEY_FILE": str(folder / "me.key"), "CAIRN_PROJECT": "me/p",
           "CAIRN_CA_FILE": str(authority.file)}
    server.stop()
    server.remove()


def test_the_wheel_needs_only_the_c_library(wheel, tmp_path):
    assert re.fullmatch(rf"cairn_client-{VERSION}-py3-none-manylinux_2_36_(x86_64|aarch64)\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as content:
        path = content.extract("cairn/libcairn.so", tmp_path)
        licences = {name.rpartition("/")[2] for name in content.namelist() if "/licenses/" in name}
    assert licences == {"LICENSE", "SOURCES", "curl", "openssl"} and wheel.stat().st_size < 4e6
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", path)))
    assert needed <= C_LIBRARY and "libc.so.6" in needed
    exported = re.findall(r" [TDBR] (\S+)", run("nm", "-D", "--defined-only", path))
    assert exported and all(name.startswith("cairn_") for name in exported)


def test_the_wheel_is_the_same_again(wheel):
    before = wheel.read_bytes()
    run(TOP / "scripts/wheel")
    assert wheel.read_bytes() == before


def test_the_wheel_in_a_fresh_environment(wheel, fresh, bare, settings, tmp_path):
    assert run(fresh(wheel), "-c", PROGRAM, env=bare(**settings), cwd=tmp_path).endswith("\n[1]\n")


def test_the_wheel_over_tls(wheel, fresh, bare, secured, tmp_path):
    """Its OpenSSL, next to that of Python's ssl module in the same process; an authority that is not known is refused."""
    python = fresh(wheel)
    assert run(python, "-c", PROGRAM, env=bare(**secured), cwd=tmp_path).endswith("\n[1]\n")
    strange = bare(**{**secured, "CAIRN_CA_FILE": ""})
    done = subprocess.run([python, "-c", "import cairn; r = cairn.init(); print(r.finish(timeout=5).error)"], env=strange,
                          capture_output=True, text=True, timeout=120)
    assert "unknown authority" in done.stdout


def test_the_source_archive_is_enough(fresh, bare, settings, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(TOP / "client/python/backend")
    import cairn_backend
    archive = tmp_path / cairn_backend.build_sdist(tmp_path)
    assert run(fresh(archive), "-c", PROGRAM, env=bare(**settings), cwd=tmp_path).endswith("\n[1]\n")
