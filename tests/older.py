"""An older commit, whose schema is older, for tests of upgrades: its sources, and packages with its server."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[1]
MIGRATIONS = ":(glob)migrations/*.sql"  # not those of a folder below


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


def commit():
    """CAIRN_TEST_OLD_COMMIT, else the last one before the newest migration was added; a test is skipped where the history has
    none. Later commits may have changed comments of migrations."""
    if named := os.environ.get("CAIRN_TEST_OLD_COMMIT"):
        return named
    newest = subprocess.run(["git", "-C", TOP, "log", "-1", "--diff-filter=A", "--format=%H", "--", MIGRATIONS], capture_output=True, text=True)
    before = newest.stdout.strip() and subprocess.run(["git", "-C", TOP, "rev-parse", f"{newest.stdout.strip()}~1"],
                                                      capture_output=True, text=True)
    if not before or before.returncode:
        pytest.skip("no history to build an older server from")
    return before.stdout.strip()


def unpack(folder):
    """Its sources, in a folder that is there."""
    archive = subprocess.run(["git", "-C", TOP, "archive", commit()], capture_output=True)
    if archive.returncode:
        pytest.skip(f"the history does not go back to {commit()}")
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)


def build_packages(source, *generator):
    for command in (["cmake", "--preset", "package"], ["cmake", "--build", "--preset", "package"],
                    ["cpack", "--config", "build/package/CPackConfig.cmake", *generator]):
        run(*command, cwd=source)
    return source / "build/package/packages"


def build(folder):
    """The packages of that commit, and its server; one that had no packages yet has none. Kept in the folder."""
    stamp, wanted = folder / "packages-of", commit()
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        unpack(folder)
        if (folder / "cmake/cairn_packages.cmake").exists():
            build_packages(folder)
        else:
            run("cmake", "--preset", "release", "-DBUILD_TESTING=OFF", cwd=folder)
            run("cmake", "--build", "--preset", "release", "--target", "cairnd", cwd=folder)
        stamp.write_text(wanted)
    found = sorted((folder / "build/package/packages").glob("*.deb"))
    return found, None if found else folder / "build/release/server/cairnd"


def server(folder):
    """Its cairnd."""
    debs, cairnd = build(folder)
    if cairnd:
        return cairnd
    run("dpkg-deb", "-x", next(deb for deb in debs if deb.name.startswith("cairn-server_")), folder / "server-of-packages")
    return folder / "server-of-packages/usr/sbin/cairnd"


def has_this_schema(folder):
    """Whether build() of the folder gave a server that knows the migrations of this commit."""
    def names(top):
        return sorted(path.name for path in (top / "migrations").glob("*.sql"))
    return names(folder) == names(TOP)


def as_release(debs, folder, release, version=None, conf=None, cairnd=None, preinst=None):
    """The same packages under another release, or also version; with another line in the file of settings, another server, a script
    that runs before they are unpacked."""
    folder.mkdir(parents=True)
    for deb in debs:
        root = folder / "root"
        run("dpkg-deb", "-R", deb, root)
        control = root / "DEBIAN/control"
        text = control.read_text()
        was = re.search(r"^Version: (([^-\n]*)-\S+)$", text, re.M)
        control.write_text(text.replace(was[1], f"{version or was[2]}-{release}"))
        file = root / "etc/cairn/cairnd.conf"
        if conf and file.exists():
            file.write_text(file.read_text() + conf)
        if cairnd and (root / "usr/sbin/cairnd").exists():
            run("strip", "-o", root / "usr/sbin/cairnd", cairnd)
        if preinst:
            (root / "DEBIAN/preinst").write_text(preinst)
            (root / "DEBIAN/preinst").chmod(0o755)
        run("dpkg-deb", "--root-owner-group", "-b", root, folder / deb.name)
        shutil.rmtree(root)
    return sorted(folder.glob("*.deb"))
