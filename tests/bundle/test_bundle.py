"""scripts/bundle: carried to a bare Debian without a network, installed, used, upgraded and rolled back; damage is refused."""
import hashlib
import json
import os
import re
import shutil
import subprocess

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from cluster import wait_until
from conftest import TOP
from isolated import do

DAMAGED = 65


def install(folder, *words):
    """Exit status and what was printed; nothing is installed where this is wrong."""
    done = subprocess.run([folder / "install.sh", "--check", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def replace(path, data):
    path.unlink()
    path.write_bytes(data)


# ---- what is in it -----------------------------------------------------------------------------------

def test_every_file_has_a_checksum(archive, unpacked):
    listed = dict(reversed(line.split("  ", 1)) for line in (unpacked / "SHA256SUMS").read_text().splitlines())
    found = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert set(listed) == found - {"SHA256SUMS", "SHA256SUMS.minisig"}
    said = archive.with_name(archive.name + ".sha256").read_text().split()
    assert said == [hashlib.sha256(archive.read_bytes()).hexdigest(), archive.name]
    print(f"\nthe archive has {archive.stat().st_size / 1e6:.0f} MB")
    assert archive.stat().st_size < 300e6


def test_the_archive_itself_is_signed(archive, key):
    do("minisign", "-Vq", "-p", key.with_suffix(".pub"), "-m", archive)


@pytest.mark.skipif("CAIRN_BUNDLE" in os.environ, reason="of another build")
def test_our_packages_are_the_same_in_each_build(unpacked, tmp_path):
    made_at = do("git", "-C", TOP, "log", "-1", "--format=%ct").strip()
    do("cpack", "--config", TOP / "build/package/CPackConfig.cmake", "-B", tmp_path,
       env={**os.environ, "SOURCE_DATE_EPOCH": made_at, "LC_ALL": "C.UTF-8", "TZ": "UTC"})
    again = {path.name: path.read_bytes() for path in tmp_path.glob("*.deb")}
    assert len(again) == 5
    for name, data in again.items():
        assert (unpacked / "debian-12" / name).read_bytes() == data, name


def test_the_sbom_is_what_is_inside(unpacked):
    text = (unpacked / "sbom.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_5).validate_str(text) is None
    hashes = {each["bom-ref"]: each["hashes"][0]["content"] for each in json.loads(text)["components"]}
    for path in [*unpacked.glob("debian-*/*.deb"), *unpacked.glob("sdk/*.whl"), *unpacked.glob("tarball/*")]:
        assert hashes[str(path.relative_to(unpacked))] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "page/uplot" in hashes


def test_every_package_brings_its_licence(unpacked):
    names = {path.stem for path in unpacked.glob("debian-*/*.deb")}
    missing = names - {path.name for path in (unpacked / "licences/debian").iterdir()}
    assert len(missing) < len(names) / 4, missing  # packages of one source share a file
    assert not [name for name in missing if "cairn" in name]


def test_the_docs_lead_nowhere_else(unpacked):
    """Every relative link, and every picture, is there."""
    pages = {path.name: path.read_text() for path in (unpacked / "docs").glob("*.html")}
    assert {"index.html", "operating.html", "client.html", "wandb.html", "docker.html"} <= set(pages)
    for name, text in pages.items():
        links = re.findall(r'(?:href|src)="([^"#]+)', text)
        assert not [link for link in links if ":" not in link and not (unpacked / "docs" / link).exists()], name
        assert not re.search(r'src="https?:', text), name


# ---- what is refused ---------------------------------------------------------------------------------

def test_a_whole_archive(copy, key):
    code, said = install(copy, "--key", key.with_suffix(".pub"))
    assert code == 0 and said.startswith("verified: Cairn ") and " signed by " in said
    assert install(copy)[0] == 0


@pytest.mark.parametrize("how", ["changed", "cut", "missing"])
def test_a_damaged_file(copy, how):
    path = sorted(copy.glob("debian-12/cairn-server_*.deb"))[0]
    data = path.read_bytes()
    if how == "missing":
        path.unlink()
    else:
        replace(path, data[:-100] if how == "cut" else data[:100] + bytes([data[100] ^ 1]) + data[101:])
    code, said = install(copy)
    assert code == DAMAGED and path.name in said and said.endswith("files are missing or damaged: copy the archive again\n")


def test_changed_checksums(copy):
    """Who changes a file and its checksum cannot sign."""
    sums = (copy / "SHA256SUMS").read_text()
    replace(copy / "VERSION", b"9.9.9\n")
    new = re.sub(r"\S+  VERSION", hashlib.sha256(b"9.9.9\n").hexdigest() + "  VERSION", sums)
    replace(copy / "SHA256SUMS", new.encode())
    code, said = install(copy)
    assert code == DAMAGED and "the signature of SHA256SUMS is not by the key" in said
    assert install(copy, "--unsigned")[0] == 0


def test_another_key(copy, tmp_path):
    do("minisign", "-G", "-W", "-p", tmp_path / "other.pub", "-s", tmp_path / "other.key")
    code, said = install(copy, "--key", tmp_path / "other.pub")
    assert code == DAMAGED and f'is not by the key "{tmp_path}/other.pub"' in said


def test_an_archive_without_a_signature(copy):
    (copy / "SHA256SUMS.minisig").unlink()
    code, said = install(copy)
    assert code == DAMAGED and "give --unsigned" in said
    assert install(copy, "--unsigned")[0] == 0


def test_a_cut_archive(copy):
    (copy / "SHA256SUMS").unlink()
    assert install(copy, "--unsigned") == (DAMAGED, "install.sh: SHA256SUMS is missing: the archive was cut; copy it again\n")


# ---- at a site without a network -----------------------------------------------------------------------

def newer(folder, key):
    """The same with the next version of our packages, signed again."""
    for path in sorted(folder.glob("debian-*/*cairn*.deb")):
        tree = folder / "tree"
        do("dpkg-deb", "-R", path, tree)
        control = (tree / "DEBIAN/control").read_text()
        (tree / "DEBIAN/control").write_text(re.sub(r"(\d+\.\d+\.\d+)-1\b", r"\1-2", control))
        path.unlink()
        do("dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, path.with_name(path.name.replace("-1_", "-2_")))
        shutil.rmtree(tree)
    for debian in folder.glob("debian-*"):
        index = subprocess.run("dpkg-scanpackages --multiversion . 2>/dev/null", shell=True, cwd=debian, capture_output=True, check=True)
        replace(debian / "Packages", index.stdout.replace(b"Filename: ./", b"Filename: "))
    sums = subprocess.run("find . -type f ! -name 'SHA256SUMS*' -printf '%P\\n' | sort | xargs -d '\\n' sha256sum", shell=True,
                          cwd=folder, capture_output=True, check=True).stdout
    replace(folder / "SHA256SUMS", sums)
    (folder / "SHA256SUMS.minisig").unlink()
    do("minisign", "-S", "-W", "-s", key, "-m", folder / "SHA256SUMS")


class Server:
    """cairnd with its own PostgreSQL, as the unit of systemd would run it."""

    def __init__(self, site):
        self.site = site
        self.process = site.start("cairnd", "serve", "--data-dir", "/var/lib/cairn", user="cairn")
        wait_until(lambda: site.run("cairnd", "healthcheck")[0] == 0, what=f"a ready server: {site.log()[-3000:]}")

    def stop(self):
        self.process.terminate()
        self.process.wait(120)


def run_by_command(site, name):
    env = {"CAIRN_URL": "http://127.0.0.1:8080", "CAIRN_API_KEY": site.key, "CAIRN_PROJECT": "p", "HOME": "/root"}
    said = site.fine("cairn", "run", "--run", name, "--finish-timeout", "120", "--", "echo", "hi", env=env)
    assert said == "hi\n", said
    return site.fine("cairn", "ls", env=env)


def test_a_site_without_a_network(site, unpacked, key, tmp_path):
    old, new = site.root / "opt/old", site.root / "opt/new"
    shutil.copytree(unpacked, old)
    shutil.copytree(unpacked, new)
    newer(new, key)
    shutil.copy(key.with_suffix(".pub"), site.root / "opt/key.pub")
    version = (TOP / "VERSION").read_text().strip()

    said = site.fine("/opt/old/install.sh", "--key", "/opt/key.pub")
    assert f"Cairn {version} is installed" in said
    server = Server(site)
    said = site.fine("cairnd", "user", "add", "ann", "--admin", "--data-dir", "/var/lib/cairn", user="cairn")
    site.key = re.search(r"^\w{40,}$", said, re.M)[0]
    assert "r1" in run_by_command(site, "r1")
    site.fine("cairnd", "backup", "/var/lib/cairn/backup.tar", "--data-dir", "/var/lib/cairn", user="cairn")

    server.stop()
    said = site.fine("/opt/new/upgrade.sh", "--key", "/opt/key.pub")
    assert f"Upgraded from {version}-1" in said and "install.sh --downgrade" in said
    server = Server(site)
    assert {"r1", "r2"} <= set(run_by_command(site, "r2").split())

    server.stop()
    site.fine("cairnd", "rollback", "--to", "/var/lib/cairn/backup.tar", "--yes", "--data-dir", "/var/lib/cairn", user="cairn")
    installed = re.search(r"install\.sh --downgrade (.*)", said)[1].split()
    site.fine("/opt/old/install.sh", "--key", "/opt/key.pub", "--downgrade", *installed)
    assert site.fine("dpkg-query", "-W", "-f", "${Version}", "cairn-server") == f"{version}-1"
    server = Server(site)
    words = set(run_by_command(site, "r3").split())
    assert {"r1", "r3"} <= words and "r2" not in words
    server.stop()

    code, said = site.run("/opt/old/install.sh", "--key", "/opt/old/VERSION")
    assert code == DAMAGED
    assert site.packets_out() == 0
    site.run("bash", "-c", "echo > /dev/udp/192.0.2.9/9")
    assert site.packets_out() == 1  # what leaves is counted
