"""The archive, made once with a key of the tests' own, and sites to carry it to.

CAIRN_BUNDLE names an archive that is there, and CAIRN_BUNDLE_KEY the key that signed it; CAIRN_BUNDLE_WITHOUT parts that are left out
otherwise; CAIRN_TEST_ENGINE is explained in containers.py.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import older  # noqa: E402
from cluster import wait_until  # noqa: E402
from containers import VERSION, NoEngine, build_images, registry, running_engine  # noqa: E402
from isolated import EngineSite, Site, do  # noqa: E402

RELEASES = {"12": "bookworm", "13": "trixie"}
PARTS = os.environ.get("CAIRN_BUNDLE_WITHOUT", "").split()
OLD_VERSION = "0.0.9"


@pytest.fixture(scope="session")
def key(tmp_path_factory):
    """A secret key of minisign; its public key is in the same folder."""
    if named := os.environ.get("CAIRN_BUNDLE_KEY"):
        return pathlib.Path(named)
    folder = tmp_path_factory.mktemp("key")
    do("minisign", "-G", "-W", "-p", folder / "test.pub", "-s", folder / "test.key")
    return folder / "test.key"


@pytest.fixture(scope="session")
def engine():
    try:
        with running_engine() as engine:
            build_images(engine)
            yield engine
    except NoEngine as why:
        pytest.exit(f"no Docker engine can be had here, and no test was run: {why}", 1)


def bundle(engine, out, *words, top=TOP):
    """Runs scripts/bundle; the archive."""
    made_at = [f"NPM_REGISTRY={word.partition('=')[2]}" for word in registry()[1:]]
    do("env", *made_at, top / "scripts/bundle", "--out", out, *words, env=engine.env)
    return next(out.glob("*.bundle.tar"))


@pytest.fixture(scope="session")
def archive(request, key, tmp_path_factory):
    if named := os.environ.get("CAIRN_BUNDLE"):
        return pathlib.Path(named)
    return bundle(request.getfixturevalue("engine"), tmp_path_factory.mktemp("bundle"), "--sign", key,
                  *[word for part in PARTS for word in ("--without", part)])


@pytest.fixture(scope="session")
def unpacked(archive, tmp_path_factory):
    """The folder in it."""
    folder = tmp_path_factory.mktemp("unpacked")
    do("tar", "-xf", archive, "-C", folder)
    return next(folder.iterdir())


@pytest.fixture
def copy(unpacked, tmp_path):
    """One that a test may damage. Files are linked, so it replaces them."""
    return pathlib.Path(shutil.copytree(unpacked, tmp_path / "copy", copy_function=os.link))


def replace(path, data):
    path.unlink()
    path.write_bytes(data)


def seal(folder, key):
    """Makes checksums and the signature again."""
    sums = subprocess.run("find . -type f ! -name 'SHA256SUMS*' -printf '%P\\n' | sort | xargs -d '\\n' sha256sum", shell=True,
                          cwd=folder, capture_output=True, check=True).stdout
    replace(folder / "SHA256SUMS", sums)
    (folder / "SHA256SUMS.minisig").unlink()
    do("minisign", "-S", "-W", "-s", key, "-m", folder / "SHA256SUMS")


@pytest.fixture(scope="session")
def old(unpacked, key, engine, tmp_path_factory):
    """An archive of an older version, with the server of an older commit, whose schema is older; parts that no test uses are left out."""
    folder = tmp_path_factory.mktemp("old")
    here = pathlib.Path(shutil.copytree(unpacked, folder / "cairn-old", copy_function=os.link))
    for part in ("docs", "sdk", "tarball"):
        shutil.rmtree(here / part, ignore_errors=True)
    replace(here / "VERSION", f"{OLD_VERSION}\n".encode())
    cairnd = older.server(TOP / "build/packages-old")

    mine = older.as_release(sorted((here / "debian-12").glob("*cairn*.deb")), folder / "debs", "1", version=OLD_VERSION, cairnd=cairnd)
    for debian in here.glob("debian-*"):
        for path in debian.glob("*cairn*.deb"):
            path.unlink()
        for path in mine:
            shutil.copy(path, debian / path.name.replace(f"_{VERSION}-", f"_{OLD_VERSION}-"))
        index = subprocess.run("dpkg-scanpackages --multiversion . 2>/dev/null", shell=True, cwd=debian, capture_output=True, check=True)
        replace(debian / "Packages", index.stdout.replace(b"Filename: ./", b"Filename: "))

    context = folder / "image"
    context.mkdir()
    older.run("strip", "-o", context / "cairnd", cairnd)
    (context / "Dockerfile").write_text(f"FROM cairn:{VERSION}\nCOPY cairnd /usr/local/sbin/cairnd\n")
    engine("build", "-q", "-t", f"cairn:{OLD_VERSION}", context)
    save = f"docker save cairn:{OLD_VERSION} postgres:17 | xz -1 >{folder}/images.tar.xz"
    do("bash", "-o", "pipefail", "-c", save, env=engine.env)
    replace(here / "images/images.tar.xz", (folder / "images.tar.xz").read_bytes())
    compose = here / "compose/docker/compose.yaml"
    text = compose.read_text()
    assert f"cairn:{VERSION}" in text
    # An older server may have no command for this, so tests ask for themselves.
    text = text.replace("test: [CMD, cairnd, healthcheck]", "test: [CMD, cairnd, --version]")
    replace(compose, text.replace(f"cairn:{VERSION}", f"cairn:{OLD_VERSION}").encode())
    seal(here, key)
    return here


@pytest.fixture(scope="session", params=RELEASES)
def site(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"site{request.param}")
    folder.chmod(0o755)
    folder.parent.chmod(0o755)
    mirrors, options = folder.with_suffix(".list"), folder.with_suffix(".conf")
    release = RELEASES[request.param]
    mirrors.write_text(do("bash", "-c", f". {TOP}/scripts/lib.sh; debian_mirrors {release}"))
    options.write_text(subprocess.run("apt-config dump | grep -E '^Acquire::(http|https)::'", shell=True, text=True,
                                      capture_output=True).stdout)
    do("mmdebstrap", "--quiet", "--mode=root", "--variant=apt", "--include=minisign,usr-is-merged", f"--aptopt={options}", release, folder,
       *([mirrors] if mirrors.read_text() else []))
    (folder / "etc/apt/sources.list").unlink(missing_ok=True)
    with Site(folder, request.param) as made:
        yield made


@pytest.fixture(scope="session")
def engine_site(engine, tmp_path_factory):
    folder = tmp_path_factory.mktemp("engine")
    with EngineSite(folder, pathlib.Path(engine.env["DOCKER_CONFIG"]) / "cli-plugins") as made:
        wait_until(made.answers, 120, "engine")
        yield made


def key_in(said):
    return re.search(r"^\w{40,}$", said, re.M)[0]
