"""The archive, made once with a key of the tests' own, and bare Debians to carry it to.

CAIRN_BUNDLE names an archive that is there, and CAIRN_BUNDLE_KEY the key that signed it; CAIRN_BUNDLE_WITHOUT the parts that are
left out otherwise.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

from isolated import Site, do  # noqa: E402

RELEASES = {"12": "bookworm", "13": "trixie"}
PARTS = os.environ.get("CAIRN_BUNDLE_WITHOUT", "tarball").split()


@pytest.fixture(scope="session")
def key(tmp_path_factory):
    """A secret key of minisign; its public one is beside it."""
    if named := os.environ.get("CAIRN_BUNDLE_KEY"):
        return pathlib.Path(named)
    folder = tmp_path_factory.mktemp("key")
    do("minisign", "-G", "-W", "-p", folder / "test.pub", "-s", folder / "test.key")
    return folder / "test.key"


@pytest.fixture(scope="session")
def archive(key, tmp_path_factory):
    if named := os.environ.get("CAIRN_BUNDLE"):
        return pathlib.Path(named)
    out = tmp_path_factory.mktemp("bundle")
    without = [word for part in PARTS for word in ("--without", part)]
    do(TOP / "scripts/bundle", "--sign", key, "--out", out, *without)
    return next(out.glob("*.bundle.tar"))


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
    do("mmdebstrap", "--quiet", "--mode=root", "--variant=apt", "--include=minisign", f"--aptopt={options}", release, folder,
       *([mirrors] if mirrors.read_text() else []))
    (folder / "etc/apt/sources.list").unlink(missing_ok=True)
    with Site(folder, request.param) as made:
        made.release = request.param
        yield made
