"""Commands of cairnd: users, keys, teams, beside a running server and without one; settings."""
import hashlib
import os
import pathlib
import pty
import random
import re
import secrets
import select
import shutil
import signal
import socket
import stat
import string
import subprocess
import tempfile
import termios
from types import SimpleNamespace

import pytest

from cluster import free_port
from rest import Api
from server import cairnd, environment

pytestmark = pytest.mark.own
KEY = re.compile(r"[0-9a-f]{40}")


def call(*args, env=None, stdin=""):
    """Runs cairnd to its end, whatever its exit status."""
    base = {k: v for k, v in os.environ.items() if not k.startswith("CAIRN_")}
    return subprocess.run([cairnd(), *args], env={**base, **(env or {})}, input=stdin,
                          capture_output=True, text=True, timeout=120)


class Admin:
    """Commands on one database."""

    def __init__(self, db, secret_file):
        self.env = environment(db.url, secret_file)

    def __call__(self, *args, status=0, stdin=""):
        done = call(*args, env=self.env, stdin=stdin)
        assert done.returncode == status, f"{args}: {done}"
        return done.stdout if status == 0 else done.stderr


@pytest.fixture
def admin(db, secret_file):
    return Admin(db, secret_file)


def viewer(server, key):
    api = Api(server, key)
    try:
        return api.request("GET", "/api/v1/viewer")
    finally:
        api.close()


# ---- users and keys --------------------------------------------------------------------------------

def test_key_is_shown_once_and_works(admin, server):
    key = admin("user", "add", "new").strip()
    assert KEY.fullmatch(key)
    assert viewer(server, key)["name"] == "new"
    assert key not in admin("key", "list") and key[-4:] in admin("key", "list", "--user", "new")


def test_key_file(admin, tmp_path):
    path = tmp_path / "key"
    done = call("user", "add", "new", "--key-file", str(path), env=admin.env)
    assert (done.stdout, done.stderr) == ("", f'user "new" added; the key is in "{path}"\n')
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY.fullmatch(path.read_text().strip())
    assert f'the key file "{path}" already exists' in admin("user", "add", "other", "--key-file", str(path), status=64)
    assert "other" not in admin("user", "list")


@pytest.mark.parametrize("words", [("user", "add", "new"), ("key", "create", "--user", "new")])
def test_key_file_that_exists_is_refused_before_the_database_is_opened(tmp_path, words):
    path = tmp_path / "key"
    path.write_text("another key\n")
    env = environment("", tmp_path / "data/secret", data_dir=tmp_path / "data")
    for url in (f"postgresql://cairn@127.0.0.1:{free_port()}/cairn", ""):
        done = call(*words, "--key-file", str(path), env={**env, "CAIRN_DATABASE_URL": url})
        assert done.returncode == 64 and done.stderr.startswith(f'cairnd: the key file "{path}" already exists\n'), done
    assert path.read_text() == "another key\n" and not (tmp_path / "data").exists()


def test_name_is_taken_or_wrong(admin, tmp_path):
    path = tmp_path / "key"
    assert "taken" in admin("user", "add", "ann", "--key-file", str(path), status=1)
    assert not path.exists()
    assert "taken" in admin("team", "add", "ann", status=1)
    assert "reserved" in admin("user", "add", "graphql", status=64)
    assert "characters" in admin("user", "add", "a/b", status=64)


def test_database_keeps_no_key(admin, db):
    key = admin("key", "create", "--user", "ann").strip()
    row = db.query("select k::text from api_key k order by key_id desc limit 1")[0][0]
    assert key not in row and key.encode().hex() not in row


def test_disabled_user(admin, server, keys, wait_for):
    admin("user", "disable", "ann")
    wait_for(lambda: viewer(server, keys["ann"]).status == 401)
    admin("user", "enable", "ann")
    wait_for(lambda: viewer(server, keys["ann"]).status == 200)
    assert 'user "nobody" does not exist' in admin("user", "disable", "nobody", status=1)


def test_key_import(admin, server, tmp_path):
    path = tmp_path / "mine"
    brought = "local-" + secrets.token_hex(40)
    path.write_text(brought + "\n")
    admin("key", "import", "--user", "bob", "--key-file", str(path))
    assert viewer(server, brought)["name"] == "bob"
    assert "this key already exists" in admin("key", "import", "--user", "ann", "--key-file", str(path),
                                    status=1)
    for bad in ("x" * 39, "x" * 129, "x" * 40 + "!", ""):
        path.write_text(bad)
        assert "invalid key" in admin("key", "import", "--user", "bob", "--key-file", str(path), status=64)
    for length in (40, 128):
        brought = secrets.token_hex(length // 2)
        path.write_text(brought)
        admin("key", "import", "--user", "bob", "--key-file", str(path))
        assert viewer(server, brought).status == 200


@pytest.mark.parametrize("weak", [
    "f" * 40, *(pytest.param(text, marks=pytest.mark.long) for text in (
        "0123456789abcdef" * 4, "Ab_9" * 20, string.ascii_letters + string.digits))])
def test_key_that_is_easy_to_guess(admin, server, tmp_path, weak):
    path = tmp_path / "mine"
    path.write_text(weak)
    assert "too easy to guess" in admin("key", "import", "--user", "bob", "--key-file", str(path), status=64)
    assert viewer(server, weak).status == 401


@pytest.mark.long
def test_key_import_takes_every_character_and_shows_none(admin, server, tmp_path):
    path = tmp_path / "mine"
    letters = list(string.ascii_letters + string.digits + "_-")
    random.Random(1).shuffle(letters)
    brought = "".join(letters)
    path.write_text(brought + "\n")
    done = call("key", "import", "--user", "bob", "--key-file", str(path), env=admin.env)
    assert done.returncode == 0 and brought not in done.stdout + done.stderr
    assert viewer(server, brought)["name"] == "bob"
    for odd in "+/= .:~\u00e9":
        path.write_text("x" * 40 + odd + "x")
        assert "invalid key" in admin("key", "import", "--user", "bob", "--key-file", str(path), status=64)
    assert "cannot read" in admin("key", "import", "--user", "bob", "--key-file",
                                  str(tmp_path / "none"), status=64)


@pytest.mark.parametrize("text", [
    "f" * 40, "\xe9" * 40, *(pytest.param(text, marks=pytest.mark.long) for text in ("x", "f" * 39, "f" * 129, "f" * 7000, "f f"))])
def test_what_is_no_key_is_no_key(server, text):
    for basic in (False, True):
        api = Api(server, text, basic)
        answer = api.request("GET", "/api/v1/viewer")
        assert (answer.status, answer.problem) == (401, "unauthorized"), answer
        api.close()


def test_key_scope(admin, server, home):
    key = admin("key", "create", "--user", "ann", "--scope", "read", "--name", "for reading").strip()
    api = Api(server, key)
    api.refused(403, "forbidden", "PUT", home, {})
    api.close()
    assert re.search(r"for reading +\.\.\.\w{4} +read", admin("key", "list"))
    admin("key", "create", "--user", "ann", "--scope", "all", status=64)
    admin("key", "create", status=64)
    assert 'user "nobody" does not exist' in admin("key", "create", "--user", "nobody", status=1)


def number_of(admin, key):
    """The number by which lists call a key."""
    line = next(x for x in admin("key", "list").splitlines() if f"...{key[-4:]} " in x)
    return line.split()[0]


def test_revoke(admin, two_servers, wait_for):
    """On every server; other keys of the user go on working; the key stays in the list."""
    key, other = (admin("key", "create", "--user", "ann").strip() for _ in range(2))
    for server in two_servers:
        assert viewer(server, key).status == 200
    number = number_of(admin, key)
    admin("key", "revoke", number)
    for server in two_servers:
        wait_for(lambda: viewer(server, key).status == 401)
        assert viewer(server, other).status == 200
    revoked = {line.split()[0]: line.split()[-1] for line in admin("key", "list", "--user", "ann").splitlines()}
    assert re.match(r"\d{4}-\d\d-\d\dT", revoked[number]) and revoked[number_of(admin, other)] == "-"
    assert 'key 123456 does not exist' in admin("key", "revoke", "123456", status=1)
    assert "number" in admin("key", "revoke", "abc", status=64)


def test_a_key_is_kept_as_a_keyed_hash(admin, db, secret_file):
    """BLAKE2b under the secret: who has only the database can neither use nor guess a key."""
    key = admin("key", "create", "--user", "ann").strip()
    kept = db.value("select key_hash from api_key order by key_id desc limit 1")
    secret = bytes.fromhex(secret_file.read_text().strip())
    assert kept == hashlib.blake2b(key.encode(), key=secret, digest_size=len(kept)).digest()
    assert len(kept) == 32


def test_user_list(admin):
    admin("user", "add", "zoe", "--admin")
    admin("user", "add", "yan", "--service")
    admin("user", "disable", "yan")
    lines = {line.split()[0]: line.split()[1:] for line in admin("user", "list").splitlines()}
    assert lines["NAME"] == ["ADMIN", "SERVICE", "DEFAULT", "CREATED", "DISABLED"]
    assert lines["zoe"][:3] == ["yes", "no", "zoe"] and lines["ann"][:3] == ["no", "no", "ann"]
    assert lines["yan"][:3] == ["no", "yes", "yan"]
    assert lines["zoe"][4] == "-" and re.match(r"\d{4}-\d\d-\d\dT", lines["yan"][4])


# ---- secrets are not shown -------------------------------------------------------------------------

def test_a_key_goes_to_one_place(admin, tmp_path):
    """To standard output alone, or to the file alone."""
    shown = call("key", "create", "--user", "ann", env=admin.env)
    assert KEY.fullmatch(shown.stdout.strip()) and shown.stdout.strip() not in shown.stderr
    path = tmp_path / "key"
    filed = call("key", "create", "--user", "ann", "--key-file", str(path), env=admin.env)
    assert filed.stdout == "" and path.read_text().strip() not in filed.stderr
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


SECRET = "hidden_" * 6


@pytest.mark.parametrize("args", [
    ["key", "import", SECRET],
    ["key", "import", "--user", "ann", "--key", SECRET],
    ["key", "import", "--user", "ann", f"--key={SECRET}"],
    ["key", "revoke", SECRET],
    ["user", "passwd", "ann", SECRET],
    ["user", "passwd", "ann", "--password", SECRET],
    ["serve", "--database-url", SECRET],
    ["serve", f"--listen-database-url={SECRET}"],
])
def test_no_secret_on_the_command_line(admin, args):
    """There is no way to give one, and who tries does not see it repeated."""
    assert SECRET not in admin(*args, status=64)


@pytest.mark.parametrize("how", ["stdin", "file"])
def test_password(admin, db, tmp_path, how):
    path = tmp_path / "password"
    path.write_text("correct horse\n")
    if how == "stdin":
        admin("user", "passwd", "ann", stdin="correct horse\n")
    else:
        admin("user", "passwd", "ann", "--password-file", str(path))
    kept = db.value("select password_hash from account a join entity e on e.entity_id = a.user_id"
                    " where e.name = 'ann'")
    assert kept.startswith("$argon2id$") and "horse" not in kept
    assert "8 to 1024" in admin("user", "passwd", "ann", stdin="short\n", status=64)


@pytest.fixture
def terminal(admin):
    """A terminal that `user passwd` runs on: its process, what it shows, whether it echoes."""
    ours, its = pty.openpty()

    def as_a_shell():
        """Who runs the tests in the background may have these ignored."""
        for number in signal.SIGINT, signal.SIGHUP:
            signal.signal(number, signal.SIG_DFL)

    process = subprocess.Popen([cairnd(), "user", "passwd", "ann"], env=admin.env, stdin=its, stderr=its,
                               stdout=subprocess.PIPE, preexec_fn=as_a_shell)

    def shown_until(text):
        shown = b""
        while text not in shown:
            assert select.select([ours], [], [], 60)[0], shown
            shown += os.read(ours, 1000)
        return shown

    yield SimpleNamespace(process=process, fd=ours, shown_until=shown_until,
                          echoes=lambda: bool(termios.tcgetattr(its)[3] & termios.ECHO))
    process.kill()
    process.wait()
    os.close(ours)
    os.close(its)


def test_password_on_a_terminal(terminal, db):
    terminal.shown_until(b'new password of "ann": ')
    assert not terminal.echoes()
    os.write(terminal.fd, b"correct horse\n")
    assert terminal.process.wait(60) == 0
    assert terminal.echoes() and b"horse" not in terminal.shown_until(b"\n")
    assert db.value("select password_hash is not null from account a join entity e on e.entity_id = a.user_id"
                    " where e.name = 'ann'")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_terminal_shows_again_what_is_typed(terminal, number):
    terminal.shown_until(b'new password of "ann": ')
    terminal.process.send_signal(number)
    assert terminal.process.wait(60) == -number
    assert terminal.echoes()


def test_default_entity(admin, server, keys):
    admin("user", "default", "mel", "lab")
    assert viewer(server, keys["mel"])["default_entity"] == "lab"
    assert re.search(r"mel +no +no +lab ", admin("user", "list"))
    assert 'entity "nothing" does not exist' in admin("user", "default", "mel", "nothing", status=1)
    admin("user", "default", "mel", "mel")
    assert viewer(server, keys["mel"])["default_entity"] == "mel"


def test_teams(admin, server, keys):
    admin("team", "add", "crew")
    admin("team", "member", "add", "crew", "ann", "--role", "viewer")
    admin("team", "member", "add", "crew", "ann", "--role", "admin")
    assert re.search(r"crew +1 ", admin("team", "list"))
    assert re.search(r"ann +admin ", admin("team", "member", "list", "crew"))
    assert {"name": "crew", "kind": "team", "role": "admin"} in viewer(server, keys["ann"])["entities"]
    admin("team", "member", "remove", "crew", "ann")
    assert '" is not a member of "' in admin("team", "member", "remove", "crew", "ann", status=1)
    assert 'team "ann" does not exist' in admin("team", "member", "add", "ann", "bob", status=1)
    assert 'user "nobody" does not exist' in admin("team", "member", "add", "crew", "nobody", status=1)
    assert 'user "lab" does not exist' in admin("team", "member", "add", "crew", "lab", status=1)
    assert "viewer, member or admin" in admin("team", "member", "add", "crew", "ann", "--role", "x",
                                              status=64)


# ---- the secret ------------------------------------------------------------------------------------

def test_secret_of_another_server(db, tmp_path, secret_file):
    other = tmp_path / "secret"
    other.write_text("ab" * 32 + "\n")
    done = call("serve", "--listen", "127.0.0.1:0", env=environment(db.url, other))
    assert done.returncode == 78 and "does not match the keys of this database" in done.stderr
    assert secret_file.read_text().strip() not in done.stderr


def test_secret_that_is_missing(db, tmp_path):
    done = call("serve", "--listen", "127.0.0.1:0", env=environment(db.url, tmp_path / "secret"))
    assert done.returncode == 78 and "is missing" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_secret_is_made_for_its_owner(secret_file, keys):
    assert stat.S_IMODE(secret_file.stat().st_mode) == 0o600
    assert re.fullmatch(r"[0-9a-f]{64}\n", secret_file.read_text())


# ---- the embedded database -------------------------------------------------------------------------

@pytest.fixture
def data_dir():
    """A folder that the user whom PostgreSQL runs as can pass through, and a path not too long."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="cairn."))
    made.chmod(0o755)
    yield made / "data"
    shutil.rmtree(made)


def test_user_add_without_and_beside_the_server(data_dir, tmp_path, wait_for):
    env = {"CAIRN_DATA_DIR": str(data_dir)}
    first = call("user", "add", "first", "--admin", env=env)
    assert first.returncode == 0 and '" yet; a new one is created' in first.stderr, first
    port_file = tmp_path / "port"
    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen(
            [cairnd(), "serve", "--data-dir", str(data_dir), "--listen", "127.0.0.1:0",
             "--port-file", str(port_file)], stdout=log, stderr=log,
            env={k: v for k, v in os.environ.items() if not k.startswith("CAIRN_")})
    try:
        wait_for(lambda: process.poll() is not None or
                 (port_file.exists() and port_file.read_text().strip()), timeout=60, what="port")
        second = call("user", "add", "second", env=env)
        assert second.returncode == 0, second
        running = SimpleNamespace(port=int(port_file.read_text()))
        for name, done in (("first", first), ("second", second)):
            assert viewer(running, done.stdout.strip())["name"] == name
        again = call("serve", "--listen", "127.0.0.1:0", env=env)
        assert again.returncode == 78 and "in use" in again.stderr
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0
    listed = call("user", "list", env=env)
    assert "first" in listed.stdout and "second" in listed.stdout
    assert stat.S_IMODE((data_dir / "secret").stat().st_mode) == 0o600


@pytest.mark.parametrize("words", ["user list", "key list", "team add lab", "key create --user ann"])
def test_no_command_makes_a_second_database(data_dir, words):
    """A misspelt directory, or a forgotten URL, is not made into a server's."""
    done = call(*words.split(), "--data-dir", str(data_dir))
    assert done.returncode == 78 and f'there is no database in "{data_dir}"' in done.stderr, done
    assert "CAIRN_DATABASE_URL" in done.stderr and not data_dir.exists()


def test_the_directory_of_a_server_with_a_database_elsewhere(data_dir):
    data_dir.mkdir()
    (data_dir / "secret").write_text("of that server\n")
    done = call("user", "add", "ann", "--data-dir", str(data_dir))
    assert done.returncode == 78 and "CAIRN_DATABASE_URL" in done.stderr
    assert [path.name for path in data_dir.iterdir()] == ["secret"]


def test_an_address_that_is_taken(data_dir):
    """Is said before anything is made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = call("serve", "--data-dir", str(data_dir), "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert done.returncode == 1 and "Address already in use" in done.stderr and "--listen" in done.stderr
    assert not data_dir.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="takes root, to be another user")
def test_the_directory_of_somebody_else(data_dir):
    data_dir.mkdir(mode=0o755)
    done = subprocess.run(["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", cairnd(), "serve",
                           "--listen", "127.0.0.1:0", "--data-dir", data_dir], capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"]}, timeout=60)
    assert done.returncode == 78 and "Permission denied" in done.stderr, done
    assert 'cairnd runs as "nobody"' in done.stderr


# ---- settings --------------------------------------------------------------------------------------

def test_print_config_is_a_config_file(tmp_path):
    printed = call("--print-config", "--workers", "7", "--max-body=1M", env={"CAIRN_LISTEN": ":0"})
    assert printed.returncode == 0
    assert {"workers = 7", "max_body = 1048576", "listen = :0"} <= set(printed.stdout.splitlines())
    path = tmp_path / "cairnd.conf"
    path.write_text(printed.stdout)
    again = call("--print-config", "--config", str(path))
    assert again.stdout == printed.stdout


def test_order_of_settings(tmp_path):
    path = tmp_path / "cairnd.conf"
    path.write_text("# a comment\nworkers = 3\nqueue_limit = 33\nlog-level = warning\n"
                    'cors_origins = "https://a.example"\n')
    done = call("--print-config", "--workers", "5", env={
        "CAIRN_CONFIG": str(path), "CAIRN_WORKERS": "4", "CAIRN_QUEUE_LIMIT": "44"})
    assert {"workers = 5", "queue_limit = 44", "log_level = warning",
            "cors_origins = https://a.example"} <= set(done.stdout.splitlines())


@pytest.mark.parametrize("args, env, status, text", [
    (["--workers", "0", "serve"], {}, 78, "1 to 256"),
    (["serve"], {"CAIRN_WORKERS": "many"}, 78, "environment: CAIRN_WORKERS"),
    (["serve", "--max-body", "1K"], {}, 78, "max_body"),
    (["serve", "--memory", "256M"], {}, 78, '"memory" is too small for "search_memory" and "max_body"'),
    (["serve", "--memory", "256M"], {}, 78, "raise it to 659M"),
    (["serve", "--log-level", "loud"], {}, 78, "debug, info, warning, error"),
    (["serve", "--unnamed-statements", "maybe"], {}, 78, "true or false"),
    (["serve", "--tls-cert-file", "/x"], {}, 78, '"tls_cert_file" and "tls_key_file" must be set together'),
    (["serve", "--path-prefix", "x"], {}, 78, '"path_prefix" must begin with / and must not end with /'),
    (["serve", "--config", "/nowhere/cairnd.conf"], {}, 78, "No such file"),
    (["serve", "--database-url", "postgresql://x"], {}, 64, '" is a secret, and command lines are visible to other users'),
    (["serve", "--nonsense"], {}, 64, "unknown option"),
    (["serve", "more"], {}, 64, "unexpected argument after"),
    (["--workers"], {}, 64, "missing value after"),
    (["dance"], {}, 64, "unknown command"),
    ([], {}, 64, ""),
    (["user"], {}, 64, "user disable"),
    (["user", "ad", "ann"], {}, 64, "commands: user add, user list"),
    (["user", "add"], {}, 64, "usage: cairnd user add NAME"),
    (["serve", "--listen", "somewhere"], {}, 64, '": expected an address such as "127.0.0.1:8080"'),
    (["serve"], {"CAIRN_DATABASE_URL": "postgres/cairn"}, 78, "begins with postgresql://"),
    (["user", "add", "ann", "--scope", "read"], {}, 64, "unknown option"),
])
def test_refused(args, env, status, text):
    done = call(*args, env=env)
    assert done.returncode == status and text in done.stderr, done


def test_file_with_a_mistake(tmp_path):
    path = tmp_path / "cairnd.conf"
    path.write_text("workers = 3\nwokers = 4\n")
    done = call("--print-config", "--config", str(path))
    assert done.returncode == 78 and f'{path}:2: unknown setting "wokers"' in done.stderr
    path.write_text("workers 3\n")
    done = call("--print-config", "--config", str(path))
    assert done.returncode == 78 and f'{path}:1: expected "NAME = VALUE"' in done.stderr


def test_secrets_are_not_shown(tmp_path):
    path = tmp_path / "url"
    path.write_text("postgresql://u:hidden@127.0.0.1:1/x?connect_timeout=1\n")
    env = {"CAIRN_DATABASE_URL_FILE": str(path), "CAIRN_DATABASE_WAIT_S": "0",
           "CAIRN_DATA_DIR": str(tmp_path)}
    printed = call("--print-config", env=env)
    assert "database_url is set" in printed.stdout and "hidden" not in printed.stdout
    failed = call("serve", env=env)
    assert failed.returncode == 1 and "hidden" not in failed.stderr + failed.stdout


def test_help_manual_and_version():
    version = (pathlib.Path(__file__).parents[2] / "VERSION").read_text().strip()
    assert call("--version").stdout == f"cairnd {version}\n"
    helped = call("--help").stdout
    printed = call("--print-config").stdout
    names = re.findall(r"^#? ?(\w+) (?:=|is)", printed, re.M)
    manual, config = call("--man").stdout, call("--man-config").stdout
    assert len(names) > 25
    for name in names:
        assert name in helped and name in config
    for words in ("user add", "key import", "team member add", "embedded upgrade"):
        assert words in helped and words in manual
    assert "--key-file" in call("user", "add", "--help").stdout
    for words in (["retention", "--help"], ["--help", "retention"], ["help", "retention"]):
        few = call(*words).stdout
        assert "retention set ENTITY/PROJECT" in few and "retention list" in few and "quota" not in few
    assert call("help", "verify").stdout == call("verify", "--help").stdout
    assert call("help").stdout == call("-h").stdout == helped and "EXAMPLES" in manual
    if shutil.which("man"):
        for page in (manual, config):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-"],
                                  input=page, capture_output=True, text=True)
            assert done.returncode == 0 and not done.stderr, done.stderr
