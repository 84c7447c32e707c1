"""The archive for sites without a network, as far as it takes no archive: what install.sh refuses, and images that are the same at
each build. The suite bundle makes and installs one."""
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import pytest

PARTS = pathlib.Path(__file__).resolve().parents[2] / "scripts/bundle_parts"
MADE_AT = 1_700_000_000
DAMAGED, USAGE, UNAVAILABLE = 65, 64, 69


# ---- install.sh --------------------------------------------------------------------------------------

@pytest.fixture
def folder(tmp_path):
    for name, text in (("VERSION", "1.2.3\n"), ("ARCHITECTURE", "z80\n"), ("debian-12/a.deb", "package"), ("install.sh", (PARTS / "install.sh").read_text()),
                       ("upgrade.sh", (PARTS / "upgrade.sh").read_text())):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    sums = "".join(f"{hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    (tmp_path / "SHA256SUMS").write_text(sums)
    return tmp_path


def call(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_a_whole_folder(folder):
    assert call(folder / "install.sh", "--check", "--unsigned") == (0, "verified: Cairn 1.2.3, 5 files\n", "")


@pytest.mark.parametrize("how", ["changed", "cut", "missing"])
def test_a_damaged_file(folder, how):
    path = folder / "debian-12/a.deb"
    if how == "missing":
        path.unlink()
    else:
        path.write_text("pack" if how == "cut" else "packagE")
    code, _, said = call(folder / "install.sh", "--check", "--unsigned")
    assert code == DAMAGED and "debian-12/a.deb" in said and said.endswith("files are missing or damaged: copy the archive again\n")


@pytest.mark.parametrize("name", ["debian-12/Packages.xz", "compose/docker/compose.override.yaml", "debian-12/link.deb"])
def test_a_file_that_nobody_signed(folder, name):
    """apt, and compose, would read it."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    if "link" in name:
        (folder / name).symlink_to("a.deb")
    else:
        (folder / name).write_text("")
    assert call(folder / "install.sh", "--unsigned") == (
        DAMAGED, "", f'install.sh: "{name}" does not belong to this archive: remove it, or unpack the archive again\n')


def test_it_is_called_by_a_link(folder, tmp_path_factory):
    link = tmp_path_factory.mktemp("bin") / "upgrade"
    link.symlink_to(folder / "upgrade.sh")
    assert call(link, "--check", "--unsigned") == (0, "verified: Cairn 1.2.3, 5 files\n", "")
    code, said, _ = call(link, "--help")
    assert code == 0 and said.startswith("Upgrades Cairn to the version in this folder")


def test_a_cut_archive(folder):
    (folder / "SHA256SUMS").unlink()
    assert call(folder / "install.sh", "--unsigned") == (DAMAGED, "", "install.sh: SHA256SUMS is missing: the archive is incomplete; copy it again\n")


def test_an_archive_without_a_signature(folder):
    assert call(folder / "install.sh", "--check") == (
        DAMAGED, "", "install.sh: this archive is not signed: use --unsigned if you trust its source\n")


@pytest.mark.parametrize("words, status, said", [
    (["--compose"], USAGE, "--compose requires a name"), (["--key"], USAGE, "--key requires a name"), (["--compse", "x"], USAGE, "unknown option"),
    (["--compose", ""], USAGE, "--compose requires a name"),
    (["--compose", "x", "cairn-server"], USAGE, "--compose excludes packages"),
    (["--compose", "x", "--unsigned"], UNAVAILABLE, "this archive contains no images"),
])
def test_words_that_are_wrong(folder, words, status, said):
    code, _, told = call(folder / "install.sh", *words)
    assert code == status and said in told and told.count("\n") == 1


@pytest.mark.parametrize("words", [["cairn-server"], ["--downgrade"]])
def test_words_that_are_not_of_an_upgrade(folder, words):
    code, _, told = call(folder / "upgrade.sh", *words)
    assert code == USAGE and told.startswith("upgrade.sh: ") and told.count("\n") == 1


# ---- sbom.py -----------------------------------------------------------------------------------------

def test_libraries_in_our_wheel_are_listed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(PARTS)
    import sbom
    path = tmp_path / "cairn_client-1.2.3-py3-none-manylinux_2_36_x86_64.whl"
    for name in ("cairn-client", "other"):
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr("x-1.2.3.dist-info/METADATA", f"Name: {name}\nVersion: 1.2.3\nLicense: Apache-2.0\n\n")
            wheel.writestr("x-1.2.3.dist-info/licenses/SOURCES", "Libraries.\n\ncurl 7.88.1-10+deb12u15\nopenssl 3.0.19-1~deb12u2\n")
        component = sbom.of_wheel(path)
        assert component["name"] == name and component["licenses"] == [{"license": {"name": "Apache-2.0"}}]
        assert [each["purl"] for each in component["components"]] == ([] if name == "other" else [
            "pkg:deb/debian/curl@7.88.1-10+deb12u15?arch=source", "pkg:deb/debian/openssl@3.0.19-1~deb12u2?arch=source"])


# ---- images.py ---------------------------------------------------------------------------------------

def layer(times, owner):
    """A file, a link to it, one with an attribute, and one that removes another."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, data in (("bin", tarfile.DIRTYPE, b""), ("bin/a", tarfile.REGTYPE, b"program"), ("bin/b", tarfile.LNKTYPE, b""),
                                 ("bin/c", tarfile.REGTYPE, b"may"), ("bin/.wh.d", tarfile.REGTYPE, b"")):
            member = tarfile.TarInfo(name)
            member.type, member.size, member.mode, member.uid, member.uname = kind, len(data), 0o755, 10001, owner
            member.mtime = times + 0.5
            if kind == tarfile.LNKTYPE:
                member.linkname = "bin/a"
            if name == "bin/c":
                member.pax_headers = {"SCHILY.xattr.user.x": "1"}
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def saved(files, times, owner):
    """As `docker save` writes it; `files` names a layer and the configuration, which versions of Docker do differently."""
    names = files("layer"), files("config")
    config = {"created": str(times), "container": owner, "history": [{"created": str(times), "created_by": "COPY"}], "architecture": "amd64",
              "os": "linux", "config": {"Hostname": owner, "Cmd": ["serve"]}, "rootfs": {"type": "layers", "diff_ids": ["sha256:x"]}}
    manifest = [{"Config": names[1], "RepoTags": ["cairn:1"], "Layers": [names[0]]}, {"Config": names[1], "RepoTags": ["b:1"], "Layers": [names[0]]}]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in ((names[0], layer(times, owner)), (names[1], json.dumps(config).encode()),
                           ("manifest.json", json.dumps(manifest).encode())):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def normal(data):
    return subprocess.run([sys.executable, PARTS / "images.py"], input=data, capture_output=True, check=True, timeout=60,
                          env={"SOURCE_DATE_EPOCH": str(MADE_AT)}).stdout


def test_images_are_the_same_at_each_build():
    first = normal(saved(lambda part: f"3f2a/{part}", MADE_AT - 100, "one"))
    assert first == normal(saved(lambda part: f"blobs/sha256/{part}", MADE_AT + 90_000, "other"))
    tar = tarfile.open(fileobj=io.BytesIO(first))
    manifest = json.load(tar.extractfile("manifest.json"))
    assert [image["RepoTags"] for image in manifest] == [["b:1"], ["cairn:1"]] and len(tar.getnames()) == 3  # a layer is there once
    config = json.load(tar.extractfile(manifest[0]["Config"]))
    data = tar.extractfile(manifest[0]["Layers"][0]).read()
    assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(data).hexdigest()}"]
    assert config["config"] == {"Cmd": ["serve"]} and config["created"] == "2023-11-14T22:13:20Z" == config["history"][0]["created"]

    files = tarfile.open(fileobj=io.BytesIO(data))
    members = {member.name: member for member in files}
    assert list(members) == ["bin", "bin/a", "bin/b", "bin/c", "bin/.wh.d"]
    assert {member.mtime for member in members.values()} == {MADE_AT}
    assert files.extractfile("bin/a").read() == b"program" and members["bin/b"].islnk() and members["bin/b"].linkname == "bin/a"
    assert (members["bin/a"].uid, members["bin/a"].mode) == (10001, 0o755)
    assert members["bin/c"].pax_headers["SCHILY.xattr.user.x"] == "1"
