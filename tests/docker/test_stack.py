"""compose.yaml as it is: from nothing to runs, through what breaks, down and up, upgrades, a restore; and what it refuses."""
import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from types import SimpleNamespace

import pytest

import newest_sdk
import older
from cluster import wait_until
from containers import DOCKER, TOP, build, registry
from runs import Run
from scene import Fleet, PatientApi, Site

PROJECT = "/api/v1/projects/ann/docker"


@pytest.fixture(scope="module")
def stack(make_stack):
    made = make_stack()
    made.seconds = made.up()
    made.key = made.cairnd("user", "add", "ann", "--admin").strip()
    return made


def api_of(stack, key=None):
    return PatientApi(SimpleNamespace(port=stack.port, host="127.0.0.1"), key or stack.key)


@pytest.fixture
def api(stack):
    one = api_of(stack)
    yield one
    one.close()


def status(stack, path="/ready"):
    connection = http.client.HTTPConnection("127.0.0.1", stack.port, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def test_the_first_start_says_address_and_token(stack):
    print(f"figure: compose up to ready {stack.seconds:.1f} s")
    assert f"Cairn's address: http://127.0.0.1:{stack.port}" in stack("logs", "setup")
    assert re.search(r"there are no users yet token=[0-9a-f]{32} ", stack("logs", "cairnd"))


def test_memory_of_the_idle_stack(stack, engine):
    def mib(container):
        used = engine("stats", "--no-stream", "--format", "{{.MemUsage}}", container).split()[0]
        number, unit = re.fullmatch(r"([\d.]+)(\w+)", used).groups()
        return float(number) * {"KiB": 1 / 1024, "MiB": 1, "GiB": 1024}[unit]
    used = {service: mib(stack.container(service)) for service in ("cairnd", "db")}
    print(f"figure: idle memory {used} MiB, sum {sum(used.values()):.0f}")
    assert sum(used.values()) < 120


def test_containers_have_no_more_rights_than_they_need(stack, engine):
    for service in ("cairnd", "db"):
        host = engine.inspect(stack.container(service))["HostConfig"]
        assert host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"] and host["Memory"] and host["PidsLimit"]
        assert host["LogConfig"]["Config"]["max-file"] == "3" and host["RestartPolicy"]["Name"] == "unless-stopped"
    assert stack("exec", "-T", "cairnd", "id", "-u").strip() == "10001"
    assert stack("exec", "-T", "cairnd", "cat", "/proc/1/status").split("CapEff:")[1].split()[0] == "0" * 16


def test_secrets_are_made_once(stack):
    before = stack("exec", "-T", "cairnd", "cat", "/run/secrets/database_url")
    assert re.fullmatch(r"postgresql://cairn:[0-9a-f]{48}@db/cairn", before)
    stack.up()
    assert stack("exec", "-T", "cairnd", "cat", "/run/secrets/database_url") == before
    assert stack("logs", "setup").count("made ") == 3


@pytest.mark.parametrize("mode", [0o700, 0o755])
def test_secrets_in_a_folder_of_another_user(make_stack, tmp_path, mode):
    """Its owner alone can read them there, and the containers work."""
    folder = tmp_path / "secrets"
    folder.mkdir(mode=mode)
    os.chown(folder, 4711, 4712)
    stack = make_stack(CAIRN_SECRETS=str(folder))
    stack.up()
    for name in ("db_password", "database_url"):
        found = (folder / name).stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (4711, 4712, 0o400)
    assert sorted(path.name for path in folder.iterdir()) == ["database_url", "db_password"]
    stack.down("-v")
    stack.up()
    assert "made d" not in stack("logs", "setup") and status(stack) == 200
    stack.down("-v")


def test_health_checks_do_not_fill_the_log(stack):
    checked = stack("exec", "-T", "cairnd", "cairnd", "healthcheck")
    assert checked.startswith("ready: ") and "route=/ready" not in stack("logs", "cairnd")


def test_a_run_of_the_wandb_sdk_from_another_container(stack, engine, api):
    """The container has this machine's files, which hold the SDK, and a network of its own."""
    address = engine.inspect(stack.container("cairnd"))["NetworkSettings"]["Networks"][f"{stack.name}_default"]["IPAddress"]
    program = ("import wandb\nwith wandb.init(entity='ann', project='docker', id='sdk') as run:\n"
               "    for i in range(50): run.log({'loss': 1 / (1 + i)})")
    folder = tempfile.mkdtemp(prefix="docker-sdk-")
    try:
        engine("run", "--rm", "--network", f"{stack.name}_default", "-v", "/:/host:ro", "-v", f"{folder}:/host/tmp", "debian:trixie-slim",
               "chroot", "/host", "env", "HOME=/tmp", "WANDB_DIR=/tmp", f"WANDB_BASE_URL=http://{address}:8080",
               f"WANDB_API_KEY={stack.key}", "WANDB_SILENT=true", newest_sdk.python(), "-c", program, timeout=600)
    finally:
        shutil.rmtree(folder)
    run = Run(api, "sdk", PROJECT, make=False)
    assert len(run.rows(keys="loss")) == 50 and run.get()["state"] == "finished"


def cut_off(stack, engine, service):
    network = f"{stack.name}_default"
    engine("network", "disconnect", network, stack.container(service))
    wait_until(lambda: status(stack) != 200, 120, "a server that is not ready")
    engine("network", "connect", "--alias", service, network, stack.container(service))


def test_nothing_acknowledged_is_lost(stack, engine, api, tmp_path):
    """16 writers while containers are killed and the network between them is cut."""
    run = Run(api, "faults", PROJECT)
    fleet = Fleet(tmp_path, Site(stack.port, stack.key, run.path))
    try:
        fleet.wait_for_progress(50)
        for harm in (lambda: engine.kill(stack.container("cairnd")), lambda: engine.kill(stack.container("db")),
                     lambda: cut_off(stack, engine, "db"), lambda: engine("restart", "-t", "20", stack.container("cairnd"))):
            harm()
            wait_until(lambda: status(stack) == 200, 180, "a server that is ready")
            fleet.wait_for_progress(50)
        fleet.drain()
    finally:
        fleet.kill()
    ledger, _ = fleet.notes.update().ledger()
    assert not fleet.odd() and ledger.check(run.rows()) > 100
    print(f"figure: {len(ledger.told)} batches acknowledged, all there")
    stack.cairnd("verify")


def test_down_and_up_keep_everything(stack, api):
    run = Run(api, "kept", PROJECT)
    run.log([{"v": i} for i in range(100)])
    stack.down()
    stack.up()
    assert run.values("v") == list(range(100))


def test_backup_and_restore_into_new_volumes(stack, make_stack, api, engine):
    run = Run(api, "backed-up", PROJECT)
    run.log([{"v": 1}, {"v": 2}])
    stack.cairnd("backup", "/data/backup.tar")
    other = make_stack()
    other("up", "-d", "--wait", "--no-build", "db")
    other("run", "--rm", "-T", "--no-deps", "-v", f"{stack.name}_data:/from:ro", "cairnd", "restore", "/from/backup.tar")
    other.up()
    there = api_of(other, stack.key)
    assert Run(there, "backed-up", PROJECT, make=False).values("v") == [1, 2]
    other.down("-v")


@pytest.fixture(scope="module")
def old_image(engine, images, tmp_path_factory):
    """The server's image of an older commit, whose schema is older, too."""
    if engine.try_("image", "inspect", "cairn:old").returncode == 0:
        return "cairn:old"
    folder = tmp_path_factory.mktemp("old")
    older.unpack(folder)
    shutil.copytree(DOCKER, folder / "docker", dirs_exist_ok=True)
    shutil.copy(TOP / ".dockerignore", folder)
    build(engine, folder, folder / "docker/Dockerfile", "cairn:old", *registry())
    return "cairn:old"


def test_upgrade_from_the_image_of_an_older_commit_and_back(make_stack, engine, old_image):
    """As docker/README.md has it."""
    stack = make_stack()
    stack.env["CAIRN_IMAGE"] = old_image
    stack("up", "-d", "--no-build")  # it may have no healthcheck yet
    wait_until(lambda: status(stack) == 200, 180, "an old server that is ready")
    stack.key = stack.cairnd("user", "add", "ann", "--admin").strip()
    run = Run(api_of(stack), "old", PROJECT)
    run.log([{"v": i} for i in range(1000)])
    del stack.env["CAIRN_IMAGE"]
    stack.up()
    assert run.values("v") == list(range(1000))
    run.log({"v": 1000})
    stack.cairnd("verify")
    assert "the database was copied" in stack("logs", "cairnd")

    stack("stop", "cairnd")
    told = stack.try_("run", "--rm", "-T", "--no-deps", "cairnd", "rollback")
    assert told.returncode == 2 and "runs with new data: 1\n" in told.stdout, told
    assert "the database has schema " in stack("run", "--rm", "-T", "--no-deps", "cairnd", "rollback", "--yes")
    stack.env["CAIRN_IMAGE"] = old_image
    stack("up", "-d", "--no-build")
    wait_until(lambda: status(stack) == 200, 180, "an old server that is ready again")
    assert run.values("v") == list(range(1000))
    run.log({"v": 1001})
    assert run.values("v") == [*range(1000), 1001]
    del stack.env["CAIRN_IMAGE"]
    stack.up()
    assert run.values("v") == [*range(1000), 1001]
    stack.down("-v")


# ---- what it refuses -------------------------------------------------------------------------------

def refused(done, status, *texts):
    """One clear line, and the documented exit status."""
    assert done.returncode == status, done
    for text in texts:
        assert text in done.stdout + done.stderr, done


@pytest.fixture
def volume(engine):
    name = f"cairn-secrets-{os.getpid()}"
    engine("volume", "create", name)
    yield name
    engine("volume", "rm", "-f", name)


def setup(engine, volume, kept, *words):
    """As compose.yaml runs it; `kept`: the volume, or a folder of the host."""
    return engine.try_("run", "--rm", "--user", "0", "--cap-drop", "ALL", "--cap-add", "CHOWN", "--cap-add", "DAC_OVERRIDE",
                       "--security-opt", "no-new-privileges", "--read-only", "--network", "none", "-v", f"{volume}:/run/secrets",
                       "-v", f"{kept}:/secrets", *words, "--entrypoint", "cairn-setup", "cairn", "http://here",
                       kept if kept != volume else "")


@pytest.mark.parametrize("command, text", [
    ("echo x >/run/secrets/database_url", "db_password is missing"),
    (": >/run/secrets/db_password", "db_password in the volume of the secrets is empty"),
    ("echo 'a/b@c' >/run/secrets/db_password", "characters that are not allowed in a URL"),
    ("echo abc >/run/secrets/db_password; : >/run/secrets/database_url", "database_url in the volume of the secrets is empty"),
])
def test_secrets_that_are_wrong(engine, images, volume, command, text):
    engine("run", "--rm", "--user", "0", "-v", f"{volume}:/run/secrets", "--entrypoint", "sh", "cairn", "-c", command)
    done = setup(engine, volume, volume)
    refused(done, 78, text)
    assert done.stderr.count("\n") == 1


def test_a_folder_of_secrets_that_cannot_be_written(engine, images, volume, tmp_path):
    """A read-only mount stands for a file system that root may not write to."""
    done = engine.try_("run", "--rm", "--user", "0", "-v", f"{volume}:/run/secrets", "-v", f"{tmp_path}:/secrets:ro", "--entrypoint",
                       "cairn-setup", "cairn", "http://here", tmp_path)
    refused(done, 78, f"cannot write to the folder {tmp_path} (CAIRN_SECRETS)")
    assert done.stderr.count("\n") == 1 and not list(tmp_path.iterdir())


def test_secrets_of_the_volume_move_into_a_folder(engine, images, volume, tmp_path):
    assert setup(engine, volume, volume).returncode == 0
    done = setup(engine, volume, tmp_path)
    assert done.returncode == 0 and done.stdout.count("copied ") == 2 and "made " not in done.stdout, done
    (tmp_path / "db_password").chmod(0o444)
    done = setup(engine, volume, tmp_path)
    assert done.returncode == 0 and "other users of the host can read db_password" in done.stderr, done


def serve(engine, *words, timeout=120):
    return engine.try_("run", "--rm", "--tmpfs", "/data:mode=1777", "-e", "CAIRN_DATABASE_WAIT_S=1", *words, "cairn", timeout=timeout)


def test_without_a_database(engine, images):
    done = serve(engine)
    assert done.returncode in (1, 78) and "PostgreSQL" in done.stderr and len(done.stderr.strip().splitlines()) < 6, done


def test_a_database_that_cannot_be_reached(engine, images):
    done = serve(engine, "-e", "CAIRN_DATABASE_URL=postgresql://cairn@127.0.0.1:1/cairn")
    refused(done, 1, "Connection refused")


def test_a_secret_file_that_is_missing(engine, images):
    refused(serve(engine, "-e", "CAIRN_DATABASE_URL_FILE=/run/secrets/database_url"), 78,
            "environment: CAIRN_DATABASE_URL_FILE: /run/secrets/database_url: No such file")


def test_a_wrong_password(stack, engine):
    network = ["--network", f"{stack.name}_default"]
    done = serve(engine, *network, "-e", "CAIRN_DATABASE_URL=postgresql://cairn:wrong@db/cairn")
    refused(done, 1, "password authentication failed")


def test_a_start_that_takes_long_is_no_failure(make_stack, engine):
    """The database is held up, as by a copy or a migration, for longer than the checks would otherwise allow."""
    stack = make_stack()
    stack("up", "-d", "--wait", "--no-build", "db")
    health = engine.inspect(stack.container("db"))["Config"]["Healthcheck"]
    assert health["StartPeriod"] == 24 * 3600 * 10**9
    hold = subprocess.Popen(["docker", "exec", "-i", stack.container("db"), "psql", "-qAt", "-U", "cairn", "-d", "cairn"], env=engine.env,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    hold.stdin.write(f"select pg_advisory_lock({0x636169726e});\n\\echo held\n")
    hold.stdin.flush()
    while hold.stdout.readline() != "held\n":
        pass
    up = subprocess.Popen(["docker", "compose", "-f", DOCKER / "compose.yaml", "up", "-d", "--wait", "--no-build"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env={**engine.env, **stack.env})

    def checks():
        found = engine.try_("inspect", stack.container("cairnd"))
        state = json.loads(found.stdout)[0]["State"].get("Health") if found.returncode == 0 else None
        return state and [entry["Output"] for entry in state["Log"]]
    wait_until(lambda: checks() and "starting" in checks()[-1], 120, "a check that fails")
    wait_until(lambda: len(checks()) == 5, 120, "more of them")
    container = engine.inspect(stack.container("cairnd"))["State"]
    assert container["Health"]["Status"] == "starting" and container["Health"]["FailingStreak"] == 0 and up.poll() is None
    assert "starting: waiting for another server to migrate the database" in checks()[-1], checks()
    hold.communicate("\\q\n", timeout=60)
    assert up.wait(120) == 0, up.stdout.read()
    assert status(stack) == 200
    stack.down("-v")


def test_a_server_that_cannot_start_is_told_at_once(make_stack):
    """`up --wait` does not wait for the time that a start may take."""
    stack = make_stack()
    stack.up()
    stack("exec", "-T", "db", "psql", "-q", "-U", "cairn", "-d", "cairn", "-c", "insert into schema_migration values (9999, 'of_tomorrow', 'x')")
    stack("stop", "cairnd")
    began = time.monotonic()
    done = stack.try_("up", "-d", "--wait", "--no-build", timeout=120)
    assert done.returncode and time.monotonic() - began < 60, done
    assert "the database is newer than this server" in stack("logs", "cairnd")
    stack.down("-v")


def test_a_port_that_is_taken(stack, make_stack):
    other = make_stack()
    other.env["CAIRN_PORT"] = str(stack.port)
    done = other.try_("up", "-d", "--wait", "--no-build")
    assert done.returncode and "port is already allocated" in done.stderr
    other.down("-v")
    assert status(stack) == 200
