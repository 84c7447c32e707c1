"""cairnd backup beside writers, and restore: onto an empty place, all that was acknowledged, or a clear no."""
import fcntl
import os
import pathlib
import re
import stat
import subprocess
import tarfile
import threading

import psycopg
import pytest

from artifacts import Collection
from cluster import bindir
from ledger import Ledger
from rest import Api
from runs import Run
from server import cairnd, environment, files_dir, on_terminal
from test_admin_cli import call
from test_embedded import Embedded

pytestmark = [pytest.mark.own, pytest.mark.slow]
WRITERS = 8
NEVER = re.compile("Traceback|Sanitizer")


@pytest.fixture
def places():
    """Makes embedded servers that are stopped and removed at the end."""
    made = []

    def make(**settings):
        made.append(Embedded(**settings))
        return made[-1]
    yield make
    for server in made:
        if server.process:
            server.stop()
        server.remove()


class Crowd:
    """Writers that send batch after batch into one run and note what they are told."""

    def __init__(self, server, key):
        self.ledger = Ledger()
        self.stop = threading.Event()
        self.failed = []
        api = Api(server, key)
        Run(api)
        api.close()
        self.threads = [threading.Thread(target=self.write, args=(server, key, f"w{n}")) for n in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def write(self, server, key, name):
        api = Api(server, key)
        try:
            writer = Run(api, make=False).join(name, "worker")
            while not self.stop.is_set():
                batch, count = writer.batch + 1, 1 + writer.batch % 30
                self.ledger.note_sent(name, writer.session, batch, count)
                answer = writer.send_patiently(history=Ledger.rows(name, writer.session, batch, count),
                                               console=[{"line": batch, "text": f"line {batch}"}])
                self.ledger.note_told(name, writer.session, batch, answer)
        except Exception as e:
            self.failed.append(e)
        finally:
            api.close()

    def told(self):
        with self.ledger.lock:
            return dict(self.ledger.told)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()
        assert not self.failed


def test_under_writers_onto_a_new_directory(places, tmp_path, wait_for):
    source, target, file = places(), places(), tmp_path / "cairn.backup"
    source.start()
    key = source.call("user", "add", "ann").stdout.strip()
    crowd = Crowd(source, key)
    wait_for(lambda: len(crowd.told()) > 20 * WRITERS, what="batches")
    before = crowd.told()
    done = source.call("backup", str(file))
    assert done.returncode == 0 and re.match(rf'"{file}": \d+ tables as of 2.*, \d', done.stdout), done
    went_on = len(crowd.told())
    crowd.end()
    assert went_on > len(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and os.listdir(tmp_path) == [file.name]

    done = target.call("restore", str(file))
    assert done.returncode == 0 and ": 0 faults\n" in done.stdout and not NEVER.search(done.stderr), done
    assert stat.S_IMODE((target.data / "secret").stat().st_mode) == 0o600
    target.start()
    api = Api(target, key)
    rows = Run(api, make=False).rows()
    crowd.ledger.told = before
    assert crowd.ledger.check(rows) >= sum(count for _, count in before.values())
    Run(api, make=False).join("late", "worker").send(history=[{"w": "late"}])
    api.close()

    again = target.call("restore", str(file))
    assert again.returncode == 1 and "in use by another server" in again.stderr
    target.stop()
    again = target.call("restore", str(file))
    assert again.returncode == 78 and ": a backup can only be restored onto an empty server" in again.stderr and "choose a new directory with --data-dir" in again.stderr
    target.start()
    assert len(Run(Api(target, key), make=False).rows()) == len(rows) + 1


def test_only_onto_utf_8(backed_up, cluster, tmp_path):
    """Found out before anything is written, not by the migration after the dump."""
    env, file = backed_up
    cluster.psql("create database latin template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'")
    done = call("restore", str(file), env={**env, "CAIRN_DATABASE_URL": cluster.url("latin"),
                                           "CAIRN_SECRET_FILE": str(tmp_path / "secret")})
    assert done.returncode == 78 and "has encoding LATIN1" in done.stderr and "createdb -E UTF8" in done.stderr, done
    assert cluster.psql("select count(*) from pg_tables where schemaname = 'public'", "latin") == "0"
    assert not (tmp_path / "secret").exists()


def held_backup(env, tmp_path, wait_for):
    """A backup whose pg_dump has begun and goes on when something is written into the file `gate`."""
    folder, gate = tmp_path / "bin", tmp_path / "gate"
    folder.mkdir()
    os.mkfifo(gate)
    fake(folder, "pg_dump", f"touch {tmp_path}/here; cat {gate}")
    fake(folder, "pg_restore", "true")
    fake(folder, "psql", "true")
    backup = subprocess.Popen([cairnd(), "backup", str(tmp_path / "b"), "--pg-bindir", str(folder)],
                              env={**os.environ, **env}, stdout=subprocess.DEVNULL)
    wait_for((tmp_path / "here").exists, what="pg_dump")
    return backup


def test_a_backup_that_was_killed_leaves_nothing(backed_up, tmp_path, wait_for):
    env, _ = backed_up
    backup = held_backup(env, tmp_path, wait_for)
    backup.kill()
    backup.wait()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "cairn.backup", "gate", "here"]


def terminal(env, *args):
    """What a command shows on a terminal."""
    status, _, shown = on_terminal(env, *args)
    assert status == 0, shown
    return shown


@pytest.mark.long
def test_progress_of_what_takes_long(backed_up, cluster, tmp_path):
    env, file = backed_up
    assert "rows of public.account counted" in terminal(env, "backup", str(tmp_path / "b"))
    there = {**env, "CAIRN_DATABASE_URL": cluster.create_database(), "CAIRN_SECRET_FILE": str(tmp_path / "secret")}
    shown = terminal(there, "restore", str(file))
    assert "backup checked" in shown and "creating indexes" in shown and "rows of public.account counted" in shown


def members(file):
    with tarfile.open(file) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar}


@pytest.fixture
def backed_up(place, run, secret_file, tmp_path):
    """A database of one's own with a run in it: its environment, its backup."""
    run.log([{"x": i} for i in range(1000)])
    env = environment(place.db.url, secret_file)
    file = tmp_path / "cairn.backup"
    done = call("backup", str(file), env=env)
    assert done.returncode == 0, done
    return env, file


def test_onto_another_database(backed_up, place, cluster, keys, tmp_path):
    env, file = backed_up
    url = cluster.create_database()
    there = {**env, "CAIRN_DATABASE_URL": url, "CAIRN_SECRET_FILE": str(tmp_path / "data/secret"),
             "CAIRN_DATA_DIR": str(tmp_path / "data"),
             "CAIRN_FILES_DIR": str(files_dir(url, tmp_path / "data/secret"))}
    done = call("restore", str(file), env=there)
    assert done.returncode == 0 and "1 run with 1000 rows" in done.stdout, done
    assert (tmp_path / "data/secret").read_bytes() == pathlib.Path(env["CAIRN_SECRET_FILE"]).read_bytes()
    other = type(place)(cluster, tmp_path / "data/secret", {})
    other.db.url = url
    try:
        api = Api(other.server(0), keys["ann"])
        assert len(Run(api, make=False).rows()) == 1000
        api.close()
    finally:
        other.close()


def test_one_time_links_are_not_restored(place, cluster, secret_file, tmp_path):
    """They may have been used or revoked after the backup."""
    env, file = environment(place.db.url, secret_file), tmp_path / "cairn.backup"
    for command in ("user", "invite"), ("user", "link", "ann"), ("backup", str(file)):
        assert call(*command, env=env).returncode == 0
    url = cluster.create_database()
    done = call("restore", str(file), env={**env, "CAIRN_DATABASE_URL": url})
    assert done.returncode == 0 and "one-time links: 2 removed: create new ones" in done.stdout and ": 0 faults" in done.stdout, done
    with psycopg.connect(url) as restored:
        assert restored.execute("select count(*) from account_link").fetchone() == (0,)
    assert place.db.value("select count(*) from account_link") == 2


def test_what_was_damaged_before_is_restored_and_told(backed_up, place, cluster, tmp_path):
    """The backup is what there was; who restores it learns that it is not well, and has it all the same."""
    env, file = backed_up
    place.db.query("update tail set data = set_byte(data, 9, get_byte(data, 9) # 16) returning 1")
    file = tmp_path / "damaged"
    assert call("backup", str(file), env=env).returncode == 0
    done = call("restore", str(file), env={**env, "CAIRN_DATABASE_URL": cluster.create_database(),
                                           "CAIRN_SECRET_FILE": str(tmp_path / "data/secret"),
                                           "CAIRN_DATA_DIR": str(tmp_path / "data")})
    assert done.returncode == 1 and "restored the state of " in done.stdout, done
    assert "restore finished, but verify found errors" in done.stderr and "tail" in done.stdout


def test_only_onto_an_empty_one(backed_up, place, cluster, tmp_path):
    env, file = backed_up
    done = call("restore", str(file), env=env)
    assert done.returncode == 78 and "such as public.account" in done.stderr, done
    assert ": a backup can only be restored onto an empty server" in done.stderr and "CAIRN_DATABASE_URL" in done.stderr
    other = tmp_path / "other"
    other.write_text("ab" * 32 + "\n")
    url = cluster.create_database()
    done = call("restore", str(file), env={**env, "CAIRN_DATABASE_URL": url, "CAIRN_SECRET_FILE": str(other)})
    assert done.returncode == 78 and '" already contains a different secret' in done.stderr, done
    assert cluster.psql("select count(*) from pg_tables where schemaname = 'public'",
                        url.split("/")[3].split("?")[0]) == "0"
    assert other.read_text() == "ab" * 32 + "\n"


def test_a_file_that_is_not_whole(backed_up, tmp_path):
    """Nothing is made, whatever is wrong with the file."""
    env, file = backed_up
    good = file.read_bytes()
    size, bad = len(good), tmp_path / "bad"
    places = [0, 125, 150, 513, 700, *range(2000, size - 1024, size // 10), size - 1]
    wrong = {f"byte {at}": good[:at] + bytes([good[at] ^ 1]) + good[at + 1:] for at in places}
    wrong |= {f"cut at {at}": good[:at] for at in (0, 512, size // 2, size - 1025, size - 1)}
    wrong |= {"more": good + b"\0", "other": b"x" * 100000, "nothing": b"\0" * 20480}
    for what, content in wrong.items():
        bad.write_bytes(content)
        done = call("restore", str(bad), "--data-dir", str(tmp_path / "new"))
        assert done.returncode == 1 and '" is not a complete backup: ' in done.stderr, (what, done)
        assert not (tmp_path / "new").exists(), what
    done = call("restore", str(tmp_path / "none"), "--data-dir", str(tmp_path / "new"))
    assert done.returncode == 1 and "No such file" in done.stderr and not (tmp_path / "new").exists()


def test_can_be_taken_apart_without_us(backed_up, tmp_path):
    _, file = backed_up
    subprocess.run(["tar", "-xf", file, "-C", tmp_path], check=True)
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=True)
    assert list(members(file)) == ["manifest.json", "secret", "database.dump.zst", "SHA256SUMS"]
    assert b'"name":"public.chunk"' in members(file)["manifest.json"]


def test_what_is_missing_is_said(backed_up, tmp_path):
    env, file = backed_up
    done = call("backup", str(file), env=env)
    assert done.returncode == 1 and '" already exists' in done.stderr
    done = call("backup", str(tmp_path / "b"), env={**env, "CAIRN_SECRET_FILE": str(tmp_path / "none")})
    assert done.returncode == 78 and f'the secret file "{tmp_path}/none" does not exist' in done.stderr
    assert not (tmp_path / "none").exists() and not (tmp_path / "none.new").exists()
    (tmp_path / "wrong").write_text("ab" * 32 + "\n")
    done = call("backup", str(tmp_path / "b"), env={**env, "CAIRN_SECRET_FILE": str(tmp_path / "wrong")})
    assert done.returncode == 78 and '" does not match the keys of this database' in done.stderr
    (tmp_path / "empty").mkdir()
    done = call("backup", str(tmp_path / "c"), "--pg-bindir", str(tmp_path / "empty"), env=env)
    assert done.returncode == 78 and "were not found" in done.stderr and "postgresql-client" in done.stderr
    assert not list(tmp_path.glob("*.part")) and not (tmp_path / "c").exists()


def fake(folder, program, first):
    """A program of PostgreSQL that does something first."""
    path = folder / program
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] || {{ {first}; }}\nexec {bindir()}/{program} "$@"\n')
    path.chmod(0o755)


@pytest.mark.long
@pytest.mark.skipif(not bindir().startswith("/usr/lib/postgresql/"), reason="the programs are not where Debian has them")
def test_path_is_not_asked_for_programs_that_debian_has(backed_up, tmp_path):
    """What Debian has in PATH begins Perl for each question."""
    env, _ = backed_up
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in "pg_config", "pg_dump", "pg_restore", "psql":
        (folder / program).write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\n")
        (folder / program).chmod(0o755)
    done = call("backup", str(tmp_path / "b"), env={**env, "PATH": f"{folder}:{os.environ['PATH']}"})
    assert done.returncode == 0 and not (tmp_path / "asked").exists(), done


def test_no_password_on_a_command_line(backed_up, tmp_path):
    env, _ = backed_up
    folder = tmp_path / "bin"
    folder.mkdir()
    fake(folder, "pg_dump", f'echo "$@" > {tmp_path}/args; echo "$PGPASSWORD" > {tmp_path}/password')
    fake(folder, "pg_restore", "true")
    fake(folder, "psql", "true")
    secret = {**env, "CAIRN_DATABASE_URL": env["CAIRN_DATABASE_URL"] + "&password=open%20sesame"}
    done = call("backup", str(tmp_path / "b"), "--pg-bindir", str(folder), env=secret)
    assert done.returncode == 0 and "sesame" not in done.stdout + done.stderr, done
    assert "sesame" not in (tmp_path / "args").read_text()
    assert (tmp_path / "password").read_text() == "open sesame\n"


def test_the_tail_is_held_before_pg_dump_looks(backed_up, db, cluster, tmp_path, wait_for):
    """Else a slot emptied between its snapshot and its locks would be missing from the dump."""
    env, _ = backed_up
    rows = db.value("select count(*) from tail")
    assert rows
    backup = held_backup(env, tmp_path, wait_for)
    with pytest.raises(Exception, match="lock timeout"):
        db.query("set lock_timeout = '100ms'; truncate tail")
    (tmp_path / "gate").write_text("")
    assert backup.wait(60) == 0
    other = {**env, "CAIRN_DATABASE_URL": cluster.create_database(), "CAIRN_SECRET_FILE": str(tmp_path / "secret")}
    done = call("restore", str(tmp_path / "b"), env=other)
    assert done.returncode == 0 and "1 run with 1000 rows" in done.stdout, done


def test_a_dump_that_fails_leaves_nothing(backed_up, tmp_path):
    env, file = backed_up
    folder = tmp_path / "bin"
    folder.mkdir()
    fake(folder, "pg_dump", "echo half; exit 3")
    fake(folder, "pg_restore", "cat > /dev/null; exit 3")
    fake(folder, "psql", "true")
    done = call("backup", str(tmp_path / "b"), "--pg-bindir", str(folder), env=env)
    assert done.returncode == 1 and "exited with status 3" in done.stderr, done
    assert not (tmp_path / "b").exists() and not (tmp_path / "b.part").exists()


def test_a_restore_without_the_programs_of_postgresql(backed_up, cluster, tmp_path):
    """Found out before the file is read, which may be large."""
    env, _ = backed_up
    (tmp_path / "empty").mkdir()
    there = {**env, "CAIRN_DATABASE_URL": cluster.create_database(), "CAIRN_SECRET_FILE": str(tmp_path / "data/secret"),
             "CAIRN_DATA_DIR": str(tmp_path / "data")}
    done = call("restore", str(tmp_path / "none"), "--pg-bindir", str(tmp_path / "empty"), env=there)
    assert done.returncode == 78 and "pg_dump, pg_restore and psql" in done.stderr and not (tmp_path / "data").exists(), done


def test_a_restore_that_fails_can_be_tried_again(backed_up, cluster, tmp_path):
    env, file = backed_up
    folder = tmp_path / "bin"
    folder.mkdir()
    fake(folder, "pg_dump", "true")
    fake(folder, "pg_restore", "head -c 1000 | true; exit 3")
    fake(folder, "psql", "true")
    url = cluster.create_database()
    there = {**env, "CAIRN_DATABASE_URL": url, "CAIRN_SECRET_FILE": str(tmp_path / "secret")}
    done = call("restore", str(file), "--pg-bindir", str(folder), env=there)
    assert done.returncode == 1 and "nothing was restored" in done.stderr, done
    assert not (tmp_path / "secret").exists()
    assert call("restore", str(file), env=there).returncode == 0


def contents(folder):
    return sorted(folder.glob("content/??/??/*"))


def test_files_beside_the_backup(backed_up, place, run, cluster, keys, tmp_path):
    """Each content once; a second backup copies what is new; what is damaged is told by name and not taken."""
    env, file = backed_up
    assert not (tmp_path / "cairn.backup.files").exists(), "there were none"
    for name, content in (("a.txt", b"one"), ("b/c.txt", b"one"), ("d.bin", os.urandom(3 << 20))):
        run.api.request("PUT", f"{run.path}/files/{name}", content, content_type=None)
    model = Collection(run.api, run.path.rpartition("/runs/")[0])
    version = model.version({"w/a": b"one"}, references={"far": "s3://b/k"}, aliases=["best"], run=run.name)  # content that a file has
    beside = tmp_path / "files"
    done = call("backup", str(tmp_path / "b1"), "--files", str(beside), env=env)
    assert done.returncode == 0 and "run files: 2 copied, 3.0 MiB; 0 already present" in done.stdout, done
    run.api.request("PUT", f"{run.path}/files/e.txt", b"new", content_type=None)
    done = call("backup", str(tmp_path / "b2"), "--files", str(beside), env=env)
    assert done.returncode == 0 and "1 copied, 3 B; 2 already present" in done.stdout, done
    assert len(contents(beside)) == 3

    url, data = cluster.create_database(), tmp_path / "data"
    there = {**env, "CAIRN_DATABASE_URL": url, "CAIRN_SECRET_FILE": str(data / "secret"), "CAIRN_DATA_DIR": str(data),
             "CAIRN_FILES_DIR": str(files_dir(url, data / "secret"))}
    done = call("restore", str(tmp_path / "b2"), "--files", str(beside), env=there)
    assert done.returncode == 0 and "run files: 3 copied, 0 already present" in done.stdout and "5 files" in done.stdout, done
    other = type(place)(cluster, data / "secret", {})
    other.db.url = url
    try:
        api = Api(other.server(0), keys["ann"])
        for name in ("a.txt", "b/c.txt", "d.bin", "e.txt"):
            assert api.raw("GET", f"{run.path}/files/{name}").body == run.api.raw("GET", f"{run.path}/files/{name}").body
        assert api.get(f"{model.path}/versions/best").json == version
        for tail in "manifest", "files/w/a", "lineage":
            path = f"{model.path}/versions/v0/{tail}"
            assert api.raw("GET", path).body == run.api.raw("GET", path).body
        api.close()
    finally:
        other.close()

    folder = pathlib.Path(env["CAIRN_FILES_DIR"])
    small = next(p for p in contents(folder) if p.read_bytes() == b"new")
    small.write_bytes(b"NEW")
    next(p for p in contents(folder) if p.stat().st_size > 1 << 20).unlink()
    done = call("verify", env=env)
    assert done.returncode == 1 and "2 faults" in done.stdout, done
    assert 'the content of "d.bin" is missing' in done.stdout and 'the content of "e.txt" does not match its hash' in done.stdout
    done = call("backup", str(tmp_path / "b3"), env=env)
    assert done.returncode == 1 and "1 run files are missing and 1 are damaged" in done.stderr, done
    assert [p.read_bytes() for p in contents(tmp_path / "b3.files")] == [b"one"]
    url = cluster.create_database()
    there |= {"CAIRN_DATABASE_URL": url, "CAIRN_FILES_DIR": str(tmp_path / "third")}
    done = call("restore", str(tmp_path / "b3"), env=there)
    assert done.returncode == 1 and "2 faults" in done.stdout and 'the content of "d.bin" is missing' in done.stdout, done


# ---- a folder of backups --------------------------------------------------------------------------------

KEPT = re.compile(r"cairn-\d{8}T\d{6}Z-[0-9a-f]{8}\.tar")


def test_a_folder_keeps_the_newest(backed_up, tmp_path):
    """Names without a database are of an older version, and nothing proves which database such a file is of."""
    env, _ = backed_up
    folder = tmp_path / "folder"
    folder.mkdir()
    others = ["cairn-20200101T000000Z.tar", "before-0017-20200101T000000Z.tar", "cairn-mine.tar",
              "cairn-20200101T000000Z-.tar", "cairn-20200101T000000Z-5e0f8a3.tar", "cairn-20200101T000000Z-00000000.tar"]
    for name in others:
        (folder / name).write_text("x")
    made = []
    for _ in range(3):
        done = call("backup", str(folder), "--keep", "2", env=env)
        assert done.returncode == 0, done
        made.append(re.search(r'^"(.*)": \d+ tables', done.stdout)[1])
    assert len(set(made)) == 3 and all(KEPT.fullmatch(pathlib.Path(path).name) for path in made)
    assert done.stderr.count("removed an old copy of the database") == 1
    assert re.search(r"do not contain the name of a database are kept: remove them yourself.*/cairn-\*Z\.tar", done.stderr)
    assert sorted(path.name for path in folder.iterdir()) == sorted([*others, *(pathlib.Path(path).name for path in made[1:])])


@pytest.mark.long
def test_a_folder_of_two_databases(backed_up, cluster, tmp_path):
    """Each removes its own backups and no others, also after a restore into another database with the same secret."""
    env, file = backed_up
    there = {**env, "CAIRN_DATABASE_URL": cluster.create_database()}
    assert call("restore", str(file), env=there).returncode == 0
    folder = tmp_path / "folder"
    folder.mkdir()
    for place in (env, there, env, there, env):
        assert call("backup", str(folder), "--keep", "2", env=place).returncode == 0
    marks = [path.stem.split("-")[-1] for path in folder.iterdir()]
    assert sorted(marks.count(mark) for mark in set(marks)) == [2, 2]


def test_what_a_killed_backup_left_is_removed(backed_up, tmp_path):
    """Files have a name from the start on NFS. Parts of other databases stay, and so do those that are being written."""
    env, _ = backed_up
    folder = tmp_path / "folder"
    folder.mkdir()
    assert call("backup", str(folder), env=env).returncode == 0
    [made] = folder.iterdir()
    mark = made.stem.split("-")[-1]
    gone, writing = (f"cairn-2025010{day}T000000Z-{mark}.tar.part" for day in (1, 2))
    other = "cairn-20250101T000000Z-00000000.tar.part"
    for name in (gone, writing, other):
        (folder / name).write_text("x")
    with open(folder / writing, "r+") as part:
        fcntl.flock(part, fcntl.LOCK_EX)
        done = call("backup", str(folder), "--keep", "1", env=env)
    assert done.returncode == 0 and "removed an incomplete copy of the database" in done.stderr, done
    left = {path.name for path in folder.iterdir()}
    assert {writing, other} < left and gone not in left and made.name not in left and len(left) == 3


def test_without_a_name_into_backup_dir(backed_up, tmp_path):
    env, _ = backed_up
    env = {**env, "CAIRN_BACKUP_DIR": str(tmp_path / "there/backups")}
    assert call("backup", env=env).returncode == 0
    [made] = (tmp_path / "there/backups").iterdir()
    assert KEPT.fullmatch(made.name) and stat.S_IMODE(made.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700
    assert str(made) in call("rollback", "--list", env=env).stdout


def test_what_does_not_go_together(backed_up, tmp_path):
    env, file = backed_up
    for words, status, why in ((["new", "--keep", "2"], 64, '"backup --keep" requires a directory, and "'), (["--keep", "0"], 64, "must be a number from 1"),
                               (["--verify"], 64, '"backup --verify" requires the FILE of a backup and excludes --keep'), ([str(file), "--verify", "--keep", "1"], 64, '"backup --verify" requires the FILE of a backup and excludes --keep')):
        done = call("backup", *words, env={**env, "CAIRN_DATA_DIR": str(tmp_path / "data")})
        assert (done.returncode, why in done.stderr) == (status, True), done
    assert not (tmp_path / "data").exists()


def test_a_backup_that_fails_removes_nothing(backed_up, tmp_path):
    env, _ = backed_up
    folder, programs = tmp_path / "folder", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    assert call("backup", str(folder), env=env).returncode == 0
    fake(programs, "pg_dump", "echo half; exit 3")
    fake(programs, "pg_restore", "true")
    fake(programs, "psql", "true")
    before = list(folder.iterdir())
    done = call("backup", str(folder), "--keep", "1", "--pg-bindir", str(programs), env=env)
    assert done.returncode == 1 and list(folder.iterdir()) == before, done


# ---- a restore that is tried ----------------------------------------------------------------------------


def name_of(env):
    return env["CAIRN_DATABASE_URL"].split("/")[3].split("?")[0]


def drills(cluster):
    return cluster.psql("select datname from pg_database where datname like '%_drill' order by 1").split()


def test_a_drill(backed_up, place, cluster):
    env, file = backed_up
    rows = place.db.value("select count(*) from tail")
    done = call("backup", "--verify", str(file), env=env)
    assert done.returncode == 0, done
    assert re.search(rf'^"{file}" is complete: .*, of version \S+ with schema \d+, as of 2', done.stdout)
    assert re.search(r"^restored in \d+\.\d s$", done.stdout, re.M) and re.search(r"^verified in \d+\.\d s$", done.stdout, re.M)
    assert "1 run with 1000 rows" in done.stdout and ": 0 faults" in done.stdout
    assert drills(cluster) == [] and place.db.value("select count(*) from tail") == rows


@pytest.mark.long
def test_a_drill_of_a_file_that_is_not_whole(backed_up, cluster, tmp_path):
    env, file = backed_up
    good, bad = file.read_bytes(), tmp_path / "bad"
    half = len(good) // 2
    for what in (good[:half], good[:half] + bytes([good[half] ^ 1]) + good[half + 1:], b"x" * 10000):
        bad.write_bytes(what)
        done = call("backup", "--verify", str(bad), env=env)
        assert done.returncode == 1 and '" is not a complete backup: ' in done.stderr and not done.stdout, done
    done = call("backup", "--verify", str(tmp_path / "none"), env=env)
    assert done.returncode == 1 and "No such file" in done.stderr
    assert drills(cluster) == []


@pytest.mark.long
def test_a_drill_finds_what_was_damaged_before(backed_up, place, cluster, tmp_path):
    env, _ = backed_up
    place.db.query("update tail set data = set_byte(data, 9, get_byte(data, 9) # 16) returning 1")
    file = tmp_path / "damaged"
    assert call("backup", str(file), env=env).returncode == 0
    done = call("backup", "--verify", str(file), env=env)
    assert done.returncode == 1 and "the backup was restored, but cannot be verified" in done.stderr, done
    assert "tail" in done.stdout and drills(cluster) == []


@pytest.mark.long
def test_a_drill_without_the_right_to_make_databases(backed_up, cluster):
    env, file = backed_up
    cluster.psql("create role drilling login")
    try:
        url = env["CAIRN_DATABASE_URL"].replace("user=cairn", "user=drilling")
        done = call("backup", "--verify", str(file), env={**env, "CAIRN_DATABASE_URL": url})
        assert done.returncode == 78 and "permission denied to create database" in done.stderr, done
        assert "createdb" in done.stderr and "--data-dir" in done.stderr and drills(cluster) == []
    finally:
        cluster.psql("drop role drilling")


@pytest.mark.long
def test_a_drill_and_what_another_one_left(backed_up, cluster):
    """One that was killed is cleaned up after; a database of somebody else is not touched; two do not go at once."""
    env, file = backed_up
    left = f"{name_of(env)}_drill"
    cluster.psql(f'create database "{left}"')
    try:
        done = call("backup", "--verify", str(file), env=env)
        assert done.returncode == 78 and " exists, but was not created by this command" in done.stderr and drills(cluster) == [left], done
        cluster.psql(f"comment on database \"{left}\" is 'made by cairnd backup --verify, to be dropped'")
        assert call("backup", "--verify", str(file), env=env).returncode == 0
        assert drills(cluster) == []
    finally:
        cluster.psql(f'drop database if exists "{left}"')
    with psycopg.connect(env["CAIRN_DATABASE_URL"]) as other:
        other.execute("select pg_advisory_lock(x'63726c6c'::int)")
        done = call("backup", "--verify", str(file), env=env)
        assert done.returncode == 1 and "another command is verifying a backup" in done.stderr, done


def test_a_drill_of_an_older_backup(backed_up, cluster):
    """It is brought to the schema of this version, as a restore would."""
    env, _ = backed_up
    old = sorted((pathlib.Path(__file__).parent / "old").glob("schema-*.tar"))[0]
    done = call("backup", "--verify", str(old), env=env)
    assert done.returncode == 0 and ": 0 faults" in done.stdout, done


@pytest.mark.long
def test_a_drill_beside_the_embedded_server(places, tmp_path):
    """And when it does not run; with files of runs, that must be there, too."""
    server, folder = places(), tmp_path / "folder"
    server.start().log_a_row()
    api = Api(server, server.key)
    run = Run(api, make=False)
    for name in ("a.txt", "b.txt"):
        api.request("PUT", f"{run.path}/files/{name}", name.encode(), content_type=None)
    api.close()
    folder.mkdir()
    assert server.call("backup", str(folder), "--keep", "3").returncode == 0
    [file] = folder.glob("*.tar")
    assert (folder / "cairn-files").is_dir()
    done = server.call("backup", "--verify", str(file))
    assert done.returncode == 0 and "2 files" in done.stdout, done
    server.stop()
    assert server.call("backup", "--verify", str(file)).returncode == 0
    (folder / "cairn-files").rename(tmp_path / "elsewhere")
    done = server.call("backup", "--verify", str(file))
    assert done.returncode == 1 and "the run files of the backup are missing: " in done.stderr, done
    assert server.call("backup", "--verify", str(file), "--files", str(tmp_path / "elsewhere")).returncode == 0
    new = places()
    (tmp_path / "elsewhere").rename(folder / "cairn-files")
    done = new.call("restore", str(file))
    assert done.returncode == 0 and "files: 2 copied" in done.stdout, done
