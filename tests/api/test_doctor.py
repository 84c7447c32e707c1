"""cairnd doctor: what is well and what is not, with a remedy; it changes nothing, and goes on without the database."""
import json
import resource
import subprocess
import sys

import psycopg
import pytest

from cluster import free_port, wait_until
from conftest import HERE
from server import Server, cairnd, environment
from test_admin_cli import call
from test_backup import places  # noqa: F401

sys.path.append(str(HERE.parent / "http"))
from certificate import make_certificate  # noqa: E402

pytestmark = pytest.mark.own
VERSION = (HERE.parents[1] / "VERSION").read_text().strip()
HOST = ["server", "data directory", "secret", "secret files", "disk of data_dir", "disk of files_dir", "disk of backup_dir",
        "open files", "certificate", "backup"]
DATABASE = ["schema", "durability", "connections", "replication slots", "clock", "versions"]
NAMES = [*HOST, "database", *DATABASE]


class Told(dict):
    """Findings by the name of their check; `status` is the exit status."""

    def __init__(self, done):
        assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        super().__init__((line["check"], line) for line in lines)
        assert list(self) == NAMES
        states = {line["state"] for line in lines}
        self.status = done.returncode
        assert self.status == (1 if "problem" in states else 2 if "warning" in states else 0)
        assert all((line["remedy"] is not None) == (line["state"] in ("warning", "problem")) for line in lines)

    def state(self, name):
        return self[name]["state"]


@pytest.fixture
def site(place, secret_file, tmp_path):
    """site(**settings): what doctor says of a database of the tests, and of a directory."""
    base = {"data_dir": tmp_path / "data", "files_dir": tmp_path / "data/files", "listen": f"127.0.0.1:{free_port()}"}
    (tmp_path / "data").mkdir()

    def ask(*args, **settings):
        env = environment(settings.pop("url", place.db.url), settings.pop("secret", secret_file), **{**base, **settings})
        return Told(subprocess.run([cairnd(), "doctor", "--json", *args], env=env, capture_output=True, text=True, timeout=120))
    return ask


def snapshot(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if "pg" not in path.relative_to(folder).parts}


def test_all_is_well(places):  # noqa: F811
    server = places()
    server.start().log_a_row()
    here = {"listen": f"127.0.0.1:{server.port}"}
    wait_until(lambda: server.metric("cairn_live_link_up"), what="connection that tells the version")
    done = server.call("backup", "--keep", "2")
    assert done.returncode == 0, done
    before = snapshot(server.data)
    told = Told(server.call("doctor", "--json", **here))
    assert {name for name in NAMES if told.state(name) not in ("good", "skipped") and not name.startswith("disk")} == set(), told
    assert told.state("certificate") == "skipped" and all(told.state(name) == "good" for name in (*DATABASE, "database", "server"))
    assert f"is used by process {server.process.pid}" in told["data directory"]["text"]
    assert told["versions"]["text"] == f"1 server of version {VERSION}"
    text = server.call("doctor", **here)
    assert text.returncode == told.status and len(text.stdout.splitlines()) >= len(NAMES)
    assert "\nok    clock " in text.stdout and "\n-     certificate " in text.stdout
    assert snapshot(server.data) == before

    lock = server.data / "cairn.lock"
    lock.write_text("4194000\n")  # a process of another container
    told = Told(server.call("doctor", "--json", **here))
    assert told.state("data directory") == "warning" and "in another container" in told["data directory"]["text"]
    server.stop()
    before = snapshot(server.data)
    told = Told(server.call("doctor", "--json", **here))
    assert told.state("database") == told.state("server") == "warning" and "start the server" in told["database"]["remedy"]
    assert all(told.state(name) == "skipped" for name in DATABASE) and told.state("secret") == "good"
    assert snapshot(server.data) == before and not (server.data / "pg/postmaster.pid").exists()


def test_without_the_database_the_rest_is_looked_at(site):
    told = site(url=f"postgresql://cairn@127.0.0.1:{free_port()}/cairn")
    assert told.status == 1 and told.state("database") == "problem" and "database_url" in told["database"]["remedy"]
    assert all(told.state(name) == "skipped" for name in DATABASE)
    assert told.state("secret") == "good" and told.state("data directory") == "good"


def test_there_is_nothing_yet(site, tmp_path):
    told = site(url="", data_dir=tmp_path / "none", secret=tmp_path / "none/secret")
    assert told.status == 1 and not (tmp_path / "none").exists()
    assert {name for name in NAMES if told.state(name) == "problem"} == {"data directory", "secret", "database"}


def test_settings_that_endanger_data(site, place):
    """The cluster of the tests does not sync."""
    told = site()
    assert told.state("durability") == "problem" and told["durability"]["text"].startswith("fsync is off")
    assert told.state("database") == "good" and told["database"]["text"].startswith("PostgreSQL ")
    assert told.state("schema") == "good" and told.state("clock") == "good" and told.state("server") == "warning"


def test_secrets(site, secret_file, tmp_path):
    wrong, key = tmp_path / "wrong", tmp_path / "url"
    wrong.write_text("ab" * 32 + "\n")
    wrong.chmod(0o604)
    told = site(secret=wrong)
    assert told.state("secret") == "problem" and '" does not match the keys of this database' in told["secret"]["text"]
    assert told.state("secret files") == "problem" and told["secret files"]["remedy"] == f'chmod o= "{wrong}"'
    wrong.write_text("no secret")
    assert "expected 64 hex characters" in site(secret=wrong)["secret"]["text"]
    key.write_text("postgresql://x@127.0.0.1:1/x")
    key.chmod(0o644)
    assert f'"{key}"' in site(read_database_url_file=key)["secret files"]["text"]
    key.chmod(0o600)
    assert site(read_database_url_file=key).state("secret files") == "good"
    config = tmp_path / "cairnd.conf"
    config.write_text("read_database_url = postgresql://x:y@127.0.0.1:1/x\n")
    config.chmod(0o644)
    assert f'"{config}"' in site("--config", str(config))["secret files"]["text"]
    config.write_text("workers = 4\n")
    assert site("--config", str(config)).state("secret files") == "good"


def test_room_on_the_disk(site):
    told = site(files_reserve="900000G")
    assert told.state("disk of files_dir") == told.state("disk of backup_dir") == "problem"
    assert " TiB" in told["disk of files_dir"]["text"]


def sign(folder, key, days):
    """A certificate of the key."""
    request, signed = folder / "request.pem", folder / f"signed-{days}.pem"
    subprocess.run(["openssl", "req", "-new", "-key", key, "-subj", "/CN=localhost", "-out", request], check=True)
    subprocess.run(["openssl", "x509", "-req", "-in", request, "-signkey", key, "-days", str(days), "-out", signed], check=True)
    return signed


@pytest.mark.parametrize("days, state, words", [
    pytest.param(60, "good", "valid until", marks=pytest.mark.long), pytest.param(3, "warning", "expires on", marks=pytest.mark.long),
    (-1, "problem", "expired on")])
def test_certificate(site, tmp_path, days, state, words):
    _, key = make_certificate(tmp_path)
    signed = sign(tmp_path, key, days)
    told = site(tls_cert_file=signed, tls_key_file=key)
    assert (told.state("certificate"), words in told["certificate"]["text"]) == (state, True), told["certificate"]
    other = tmp_path / "other"
    other.mkdir()
    told = site(tls_cert_file=signed, tls_key_file=make_certificate(other)[1])
    assert told.state("certificate") == "problem" and "does not belong to the certificate" in told["certificate"]["text"]


def test_a_server_that_has_not_read_the_new_certificate(site, place, secret_file, tmp_path):
    _, key = make_certificate(tmp_path)
    old, new = sign(tmp_path, key, 40), sign(tmp_path, key, 80)
    with Server(place.db.url, secret_file, tls_cert_file=old, tls_key_file=key) as server:
        here = {"listen": f"127.0.0.1:{server.port}", "tls_key_file": key}
        told = site(tls_cert_file=old, **here)
        assert told.state("server") == told.state("certificate") == "good", told
        told = site(tls_cert_file=new, **here)
    assert told.state("certificate") == "warning" and ", but the server still uses one that expires on " in told["certificate"]["text"]


def test_age_of_the_backup(site, place, secret_file, tmp_path):
    told = site()
    assert told.state("backup") == "warning" and "cairnd backup --keep 7" in told["backup"]["remedy"]
    env = environment(place.db.url, secret_file, data_dir=tmp_path / "data")
    assert call("backup", "--keep", "2", env=env).returncode == 0
    assert site().state("backup") == "good"
    shift = "update server_clock set shift_us = shift_us - %s"  # the next one is of three days ago
    place.db.query(shift, 3 * 86400 * 10**6)
    for old in (tmp_path / "data/backups").iterdir():
        old.unlink()
    assert call("backup", "--keep", "2", env=env).returncode == 0
    told = site()
    assert told.state("backup") == "warning" and "3 days old" in told["backup"]["text"]
    [made] = (tmp_path / "data/backups").iterdir()
    other = made.rename(made.with_name(made.name[:-len("5e0f8a31.tar")] + "00000000.tar"))
    told = site()
    assert told.state("backup") == "warning" and 'no backup of this database in "' in told["backup"]["text"]
    assert "3 days old" in site(url="postgresql://nobody@127.0.0.1:1/none")["backup"]["text"]  # it may be of that database
    other.rename(other.with_name("cairn-20260101T000000Z.tar"))  # of an older version
    assert "3 days old" in site()["backup"]["text"]


def test_open_files(site, place, secret_file, tmp_path):
    env = environment(place.db.url, secret_file, data_dir=tmp_path / "data")
    done = subprocess.run([cairnd(), "doctor", "--json"], env=env, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024)))
    told = Told(done)
    assert told.state("open files") == "warning" and told["open files"]["text"].startswith("at most 1024,")
    assert "connection_limit" in told["open files"]["remedy"]


# Files of the root, more variables; what is advised.
HOSTS = {
    "plain": ([], {}, "from cron;", "ulimit -n"),
    "Docker": ([".dockerenv"], {}, '"docker compose exec -T cairnd cairnd backup --keep 7"', "docker run --ulimit"),
    "Podman": (["run/.containerenv"], {}, '"docker compose exec -T cairnd cairnd backup --keep 7"', "docker run --ulimit"),
    "Kubernetes": ([".dockerenv"], {"KUBERNETES_SERVICE_HOST": "192.0.2.1"}, '"kubectl exec deploy/cairn -- cairnd backup', "on the nodes"),
}
# in_another_root FOLDER FILES COMMAND: the root has the folders of this one, but an empty /run and only these files.
IN_ANOTHER_ROOT = """
mount -t tmpfs tmpfs "$1" && mkdir "$1/run"
for path in /*; do
	if [ -L "$path" ]; then cp -a "$path" "$1/"; elif [ -d "$path" ] && [ "$path" != /run ]; then mkdir "$1$path" && mount --rbind "$path" "$1$path"; fi
done
cd "$1" && touch run/here $2 && ulimit -n 1024 && exec chroot "$1" "$3" doctor --json
"""


@pytest.mark.parametrize("kind", ["Kubernetes", *(pytest.param(kind, marks=pytest.mark.long) for kind in HOSTS if kind != "Kubernetes")])
def test_remedies_are_those_of_the_host(place, secret_file, tmp_path, kind):
    """The suite packages asks under a real systemd, and the suite deploy in a real container."""
    files, more, back_up, limit = HOSTS[kind]
    alone = ["unshare", "--mount", "--propagation", "private"]
    if subprocess.run([*alone, "mount", "-t", "tmpfs", "tmpfs", tmp_path], capture_output=True).returncode:
        pytest.skip("takes root, and a kernel that lets it mount")
    (tmp_path / "root").mkdir()
    env = environment(place.db.url, secret_file, data_dir=tmp_path / "data")
    env.pop("KUBERNETES_SERVICE_HOST", None)
    words = ["sh", "-c", IN_ANOTHER_ROOT, "sh", tmp_path / "root", " ".join(files), cairnd()]
    told = Told(subprocess.run([*alone, *words], env={**env, **more}, capture_output=True, text=True, timeout=120))
    assert told.state("backup") == told.state("open files") == "warning"
    assert back_up in told["backup"]["remedy"] and "systemctl" not in told["backup"]["remedy"]
    assert limit in told["open files"]["remedy"] and "LimitNOFILE" not in told["open files"]["remedy"]


def test_connections(site, cluster, place):
    assert site().state("connections") == "good"
    told = site(workers=256)
    assert told.state("connections") == "warning" and "max_connections" in told["connections"]["remedy"]
    name = place.db.value("select current_database()")
    cluster.psql(f'alter database "{name}" connection limit 20')
    assert "of 20 are available" in site()["connections"]["text"]


def test_a_slot_that_is_behind(site, place):
    assert site()["replication slots"]["text"] == "no replication slots"
    place.db.query("select pg_create_physical_replication_slot('away', true)")
    try:
        told = site()
        assert told.state("replication slots") == "good" and '"away"' in told["replication slots"]["text"]
    finally:
        place.db.query("select pg_drop_replication_slot('away')")


def test_servers_of_other_versions(site, place, server):
    wait_until(lambda: server.metric("cairn_live_link_up"), what="connection that tells the version")
    assert site()["versions"]["text"] == f"1 server of version {VERSION}"
    with psycopg.connect(place.db.url, application_name="cairnd live 0.0.9"):
        told = site()
    assert told.state("versions") == "warning" and "0.0.9 at this machine" in told["versions"]["text"]


def test_an_older_schema(site, place):
    last = place.db.value("select max(number) from schema_migration")
    place.db.query("delete from schema_migration where number = %s", last)
    told = site()
    assert told.state("schema") == "warning" and "cairnd upgrade" in told["schema"]["remedy"]
    place.db.query("insert into schema_migration (number, name, checksum) values (%s, 'x', 'x'), (%s, 'y', 'y')", last, last + 1)
    told = site()
    assert told.state("schema") == "problem" and "newer than this server" in told["schema"]["text"]
    assert all(told.state(name) != "skipped" for name in DATABASE if name != "versions")


def test_no_argument_is_taken(tmp_path):
    done = call("doctor", "x", env={"CAIRN_DATA_DIR": str(tmp_path)})
    assert done.returncode == 64 and "unexpected argument after" in done.stderr
