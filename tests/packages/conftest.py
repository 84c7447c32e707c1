"""The packages of this commit and of an older one, and machines with a systemd to install them on. Takes root and mmdebstrap.

CAIRN_TEST_DEBIANS names other releases than Debian 12 and 13, CAIRN_TEST_OLD_COMMIT another older commit, CAIRN_TEST_PACKAGES and
CAIRN_TEST_TARBALL a folder of packages and a tarball that are there already, CAIRN_TEST_ROOTS a folder whose bare Debians are there already, or stay there."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.append(str(TOP / "tests"))

from cluster import wait_until  # noqa: E402
from older import as_release, build, build_packages, run  # noqa: E402

NAMES = ["cairn-client", "cairn-sampler", "cairn-server", "libcairn-dev", "libcairn1"]
RELEASES = os.environ.get("CAIRN_TEST_DEBIANS", "bookworm trixie").split()
OLD_BUILD = TOP / "build/packages-old"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
URL = "http://127.0.0.1:8080"
CONF = "/etc/cairn/cairnd.conf"
EXPOSURE_MOST = 2.6  # of a unit, as systemd rates it


def try_(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


@pytest.fixture(scope="session")
def debs():
    made = os.environ.get("CAIRN_TEST_PACKAGES")
    if not made:
        shutil.rmtree(TOP / "build/package/packages", ignore_errors=True)
    found = sorted((pathlib.Path(made) if made else build_packages(TOP)).glob("*.deb"))
    assert [deb.name.split("_")[0] for deb in found] == NAMES
    return found


@pytest.fixture(scope="session")
def newer(debs, tmp_path_factory):
    return as_release(debs, tmp_path_factory.mktemp("newer") / "debs", "2", conf="\n# A new line of a new version.\n")


@pytest.fixture(scope="session")
def older(debs, tmp_path_factory):
    """The packages of an older commit, whose schema is older, too. One that had none yet puts its server into those of this
    commit."""
    found, cairnd = build(OLD_BUILD)
    return as_release(found or debs, tmp_path_factory.mktemp("older") / "debs", "0~old", cairnd=cairnd)


class Machine:
    """A bare Debian under a systemd of its own, without a network but its loopback."""

    def __init__(self, release, base, folder):
        self.release, self.root, self.pid = release, folder / "root", None
        self.log = open(folder / "boot.log", "w")
        run("cp", "-a", base, self.root)

    def lay(self, name, debs):
        (self.root / "packages" / name).mkdir(parents=True, exist_ok=True)
        for deb in debs:
            shutil.copy(deb, self.root / "packages" / name / f"{deb.name.split('_')[0]}.deb")

    def fetch(self):
        """What the packages depend on, which is not installed yet."""
        fetch = ("apt-get update -qq && apt-get install -y -qq --download-only /packages/new/*.deb"
                 " && apt-get install -y -qq --download-only --no-install-recommends gcc libc6-dev pkg-config")
        run("chroot", self.root, "env", "-i", f"PATH={PATH}", "DEBIAN_FRONTEND=noninteractive", "sh", "-c", fetch)

    def boot(self):
        self.process = subprocess.Popen([HERE / "boot", self.root], stdout=self.log, stderr=self.log)
        self.pid = wait_until(self._find_first_process, 60, "first process")
        wait_until(lambda: self.try_("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"), 120, "systemd")

    def _find_first_process(self):
        assert self.process.poll() is None, open(self.log.name).read()
        pid = self.process.pid
        try:
            for _ in range(2):  # boot, unshare
                children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
                if not children:
                    return None
                pid = int(children[0])
            return pid if pathlib.Path(f"/proc/{pid}/comm").read_text() == "systemd\n" else None
        except FileNotFoundError:  # a command of the script that has ended
            return None

    def halt(self):
        if self.pid:
            os.kill(self.pid, 9)
            self.process.wait(timeout=60)
        self.log.close()

    def try_(self, *words, user="root", **env):
        who = [] if user == "root" else ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        enter = ["nsenter", "-t", self.pid, "--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup"]
        variables = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", **env}
        return try_(*enter, *who, "env", "--chdir=/", "-i", *[f"{k}={v}" for k, v in variables.items()], *words, timeout=900)

    def __call__(self, *words, **more):
        done = self.try_(*words, **more)
        assert done.returncode == 0, f"{self.release}: {words}: {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        return done.stdout

    def sh(self, command, **more):
        return self("sh", "-c", command, **more)

    def path(self, name):
        return self.root / name.lstrip("/")

    def apt(self, *words):
        return self("apt-get", "-y", "-qq", *words)

    def install(self, name, *options):
        return self.apt("install", *options, *[f"/packages/{name}/{package}.deb" for package in NAMES])

    def purge(self):
        installed = self.sh("dpkg-query -W -f '${Package}\\n' | grep -E '^(lib)?cairn' || true").split()
        if installed:
            self.apt("purge", *installed)

    def wait_ready(self, seconds=180):
        wait_until(lambda: self.try_("cairnd", "healthcheck").returncode == 0, seconds, "server that is ready")

    def wait_answer(self, seconds=180):
        """As wait_ready, of a server that is too old for the command."""
        ask = ("nsenter", "-t", self.pid, "--net", "curl", "-fs", "-o", "/dev/null", f"{URL}/ready")
        wait_until(lambda: try_(*ask).returncode == 0, seconds, "server that is ready")

    def main_pid(self):
        return int(self("systemctl", "show", "-P", "MainPID", "cairnd"))

    def add_user(self, **env):
        self.key = self("cairnd", "user", "add", "ann", "--admin", user="cairn", **env).strip()

    def cairn(self, *words):
        return self("cairn", *words, CAIRN_URL=URL, CAIRN_API_KEY=self.key, CAIRN_PROJECT="demo")


@contextlib.contextmanager
def booted(release, base, debs=()):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-packages-", dir="/var/tmp"))
    folder.chmod(0o755)
    made = None
    try:
        made = Machine(release, base, folder)
        if debs:
            made.lay("new", debs)
            made.fetch()
        made.boot()
        yield made
    finally:
        if made:
            made.halt()
        shutil.rmtree(folder)


@pytest.fixture(scope="session", params=RELEASES)
def base(request):
    """A folder with a bare Debian that has systemd; (release, folder)."""
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        pytest.skip("a Debian is made by mmdebstrap, which takes root: scripts/install-deps packages")
    kept = os.environ.get("CAIRN_TEST_ROOTS")
    folder = pathlib.Path(kept or tempfile.mkdtemp(prefix="cairn-debian-", dir="/var/tmp"))
    root = folder / request.param
    try:
        if not root.exists():
            run(TOP / "scripts/debian-root", request.param, root, "systemd-sysv", "procps", "passwd")
        yield request.param, root
    finally:
        if not kept:
            shutil.rmtree(folder)


@pytest.fixture(scope="session")
def machine(base, debs):
    with booted(*base, debs) as made:
        yield made


@pytest.fixture(scope="session")
def bare(base, tarball):
    """Without anything but the tarball, unpacked by the user ann."""
    with booted(*base) as made:
        made("useradd", "--create-home", "--shell", "/bin/bash", "ann")
        home = made.path("/home/ann")
        (home / "apps").mkdir()
        run("tar", "--zstd", "-xf", tarball, "-C", home / "apps", "--no-same-owner")
        made("chown", "-R", "ann:ann", "/home/ann")
        yield made


def make_tarball(source):
    run("scripts/tarball", cwd=source)
    [made] = (source / "build/tarball").glob("*.tar.zst")
    return made


@pytest.fixture(scope="session")
def tarball():
    made = os.environ.get("CAIRN_TEST_TARBALL")
    return pathlib.Path(made) if made else make_tarball(TOP)


@pytest.fixture
def service(machine):
    """Installed, running, and with a user; whatever a test before has left."""
    if machine.try_("systemctl", "is-active", "cairnd").stdout.strip() != "active" or not hasattr(machine, "key"):
        machine.purge()
        machine.install("new")
        machine.wait_ready()
        machine.add_user()
    machine.wait_ready()
    return machine
