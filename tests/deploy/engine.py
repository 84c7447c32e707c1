"""A Docker engine without installing anything, and images for it without building anything.

An engine is the one of CAIRN_TEST_ENGINE, one that runs already, or one that is started with the programs of this machine. That one
has namespaces of its own for the network, the mounts and the processes, so that nothing of it is left, however the tests end.
"""
import contextlib
import glob
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from cluster import bindir
from containers import DOCKER, HERE, TOP, Engine, NoEngine

PROGRAMS = ("docker", "dockerd", "containerd", "runc", "iptables", "setpriv", "unshare", "nsenter")
PLUGINS = TOP / "build/docker-plugins"  # where tests/docker/engine keeps them
COMPOSE_LEAST = (2, 24)
START_S = 60


# ---- the engine -----------------------------------------------------------------------------------------

def check_compose(engine):
    told = engine.try_("compose", "version", "--short")
    numbers = re.match(r"v?(\d+)\.(\d+)", told.stdout.strip())
    if told.returncode or not numbers or tuple(map(int, numbers.groups())) < COMPOSE_LEAST:
        raise NoEngine("docker compose 2.24 or later is missing (Debian 13's package docker-compose; scripts/test docker fetches it)")


def running():
    """One on this machine: published ports of another are elsewhere."""
    if kept := os.environ.get("CAIRN_TEST_ENGINE"):
        engine = Engine(kept)
    elif shutil.which("docker"):
        engine = Engine()
        if not engine.try_("context", "inspect", "--format", "{{.Endpoints.docker.Host}}").stdout.startswith("unix://"):
            return None
    else:
        return None
    return engine if engine.try_("info").returncode == 0 else None


def first_process(parent):
    """Of the namespace that unshare made."""
    with contextlib.suppress(OSError):
        return next(map(int, pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()), None)
    return None


def stop(process):
    """dockerd is the first process of its namespace: the kernel ends the others with it."""
    if pid := first_process(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 15)
    try:
        process.wait(START_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def started():
    if os.geteuid() != 0:
        raise NoEngine("no Docker engine is running, and starting one takes root")
    if missing := [name for name in PROGRAMS if not shutil.which(name)]:
        raise NoEngine(f"no Docker engine is running, and these programs are missing: {', '.join(missing)} (Debian's packages docker.io, iptables)")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="docker-engine-", dir="/var/tmp"))
    process = None
    try:
        (folder / "cfg").mkdir()
        if PLUGINS.exists():
            (folder / "cfg/cli-plugins").symlink_to(PLUGINS)
        engine = Engine(folder)
        check_compose(engine)
        alone = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        # An empty /run hides the containerd of the machine.
        script = (f"mount -t tmpfs tmpfs /run && ip link set lo up && exec dockerd --data-root {folder}/data --exec-root {folder}/exec"
                  f" -p {folder}/pid -H unix://{folder}/docker.sock")
        with open(folder / "log", "w") as log:
            process = subprocess.Popen([*alone, "sh", "-c", script], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + START_S
        while engine.try_("info").returncode:
            if process.poll() is not None or time.monotonic() > end:
                said = (folder / "log").read_text().strip().splitlines()
                raise NoEngine(f"dockerd does not start: {said[-1] if said else 'no reason'}")
            time.sleep(0.1)
        engine.reach = ("nsenter", f"--net=/proc/{process.pid}/ns/net")
        yield engine
    finally:
        if process:
            stop(process)
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def engine_at_hand():
    """`reach`: the words before a command that is to reach published ports."""
    if engine := running():
        check_compose(engine)
        engine.reach = ()
        yield engine
    else:
        with started() as engine:
            yield engine


# ---- the images -----------------------------------------------------------------------------------------

SHELL = ("sh", "bash", "cat", "chmod", "chown", "cmp", "id", "mkdir", "mv", "od", "rm", "setpriv", "stat", "tr", "true")
POSTGRESQL = ("initdb", "postgres", "pg_ctl", "pg_isready", "psql")
MODULES = ("plpgsql.so", "dict_snowball.so")
OTHER = ("/usr/share/zoneinfo/Etc/UTC", "/usr/share/zoneinfo/UTC", *glob.glob("/usr/lib/locale/C.utf8/**", recursive=True))
ACCOUNTS = "root:x:0:0::/root:/bin/sh\npostgres:x:999:999::/var/lib/postgresql:/bin/sh\ncairn:x:10001:10001::/data:/bin/sh\n"
# A Dockerfile's last values, which `docker import` and `commit` take as they are.
TAKEN = ("ENV", "VOLUME", "EXPOSE", "USER", "HEALTHCHECK", "ENTRYPOINT", "CMD")


def lay(root, source, name=None):
    """Copies a file with what its links lead to; the folders keep their names of this machine."""
    source = pathlib.Path(source)
    to = root / str(pathlib.Path(name) if name else source.parent.resolve() / source.name).lstrip("/")
    if not to.exists():
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, to)
    return to


def libraries(programs):
    told = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True).stdout
    return {path for path in re.findall(r"(/\S+) \(0x", told)}


def make_root(root, build):
    """The server and the command of a build, PostgreSQL's server, a shell, and the libraries of all of them."""
    for name in ("bin", "sbin", "lib", "lib64"):
        if pathlib.Path("/", name).is_symlink():
            (root / "usr" / name).mkdir(parents=True)
            (root / name).symlink_to(f"usr/{name}")
    ours = {"/usr/local/sbin/cairnd": os.environ["CAIRND"], "/usr/local/bin/cairn": build / "client/cairn"}
    postgresql = [pathlib.Path(bindir(), name).resolve() for name in POSTGRESQL]
    config = {word: subprocess.run([pathlib.Path(bindir()) / "pg_config", f"--{word}"], capture_output=True, text=True).stdout.strip()
              for word in ("pkglibdir", "sharedir")}
    modules = [pathlib.Path(config["pkglibdir"], name) for name in MODULES]
    programs = [*map(shutil.which, SHELL), *postgresql, *modules]
    for path in [*programs, *libraries([*programs, *ours.values()]), *filter(os.path.isfile, OTHER)]:
        lay(root, path)
    for name, source in ours.items():
        subprocess.run(["strip", "-o", lay(root, source, name), source], check=True)
    lay(root, DOCKER / "setup", "/usr/local/bin/cairn-setup")
    lay(root, HERE / "postgres/entrypoint", "/usr/local/bin/docker-entrypoint.sh")
    for path in postgresql:
        (root / "usr/local/bin" / path.name).symlink_to(path)
    shutil.copytree(config["sharedir"], root / config["sharedir"].lstrip("/"), ignore=shutil.ignore_patterns("man"))
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/passwd").write_text(ACCOUNTS)
    (root / "etc/group").write_text("root:x:0:\npostgres:x:999:\ncairn:x:10001:\n")
    for name, mode in (("data", 0o1777), ("tmp", 0o1777), ("run/postgresql", 0o777), ("run/secrets", 0o755), ("secrets", 0o755), ("run/grafana", 0o755)):
        (root / name).mkdir(parents=True)
        (root / name).chmod(mode)


def changes(dockerfile):
    """Those of the last stage."""
    joined = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", dockerfile.read_text(), flags=re.M))
    last = joined[joined.rindex("FROM "):]
    lines = [line.strip() for line in last.splitlines() if line.split(" ")[0] in TAKEN]
    return [word for line in lines for word in ("--change", line)]


def make_images(engine, folder, build, ours, database):
    """`ours` as docker/Dockerfile has it, and `database` as the stand-in of tests/docker, of the same files."""
    root = folder / "root"
    root.mkdir(mode=0o755)
    make_root(root, build)
    with subprocess.Popen(["tar", "-C", root, "--owner=0", "--group=0", "-c", "."], stdout=subprocess.PIPE) as tar:
        done = subprocess.run(["docker", "import", *changes(DOCKER / "Dockerfile"), "-", ours], stdin=tar.stdout, capture_output=True,
                              text=True, env=engine.env, timeout=300)
    assert done.returncode == 0 and tar.returncode == 0, done
    shutil.rmtree(root)
    made = engine("create", ours).strip()
    engine("commit", *changes(HERE / "postgres/Dockerfile"), made, database)
    engine("rm", "-v", made)
