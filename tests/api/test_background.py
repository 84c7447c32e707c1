"""A server started by hand: in the background, with a first user, and with the lines that programs need."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest

from cluster import free_port, unprivileged, wait_until
from server import cairnd, environment
from starts import check_refusal

NFS = 0x6969


class ByHand:
    """cairnd as a person calls it who is not root."""

    def __init__(self, folder):
        self.dir, self.data = folder, folder / "data dir"
        self.port = free_port()

    def call(self, *args, **more):
        env = environment("", "", data_dir=self.data, listen=f"127.0.0.1:{self.port}", workers=4)
        env.pop("CAIRN_DATABASE_URL")
        env.pop("CAIRN_SECRET_FILE")
        return subprocess.run([*unprivileged(), cairnd(), *args], env={**env, **more}, capture_output=True, text=True, timeout=120, cwd="/")

    def pid(self):
        return int((self.data / "cairnd.pid").read_text())


@pytest.fixture
def by_hand():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-by-hand.", dir="/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    made = ByHand(folder)
    yield made
    made.call("stop")
    shutil.rmtree(folder)


def lines_of(text):
    """The variables that a shell has after the lines."""
    script = "".join(line + "\n" for line in text.splitlines() if line.startswith("export ")) + "env"
    done = subprocess.run([*unprivileged(), "sh", "-c", script], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def test_in_the_background(by_hand):
    """The command ends when the server is ready; the lines are those of a shell; what was logged is in a file; stop ends it."""
    done = by_hand.call("serve", "--background", "--first-user", "ann")
    assert done.returncode == 0, done
    variables = lines_of(done.stdout)
    key = (by_hand.data / "ann.key").read_text().strip()
    assert variables["CAIRN_URL"] == variables["WANDB_BASE_URL"] == f"http://127.0.0.1:{by_hand.port}"
    assert variables["CAIRN_API_KEY_FILE"] == str(by_hand.data / "ann.key") and variables["WANDB_API_KEY"] == key
    assert 'user "ann" added' in done.stderr and "there are no users yet" not in done.stderr
    assert by_hand.call("healthcheck").returncode == 0
    assert "ann" in by_hand.call("user", "list").stdout
    assert pathlib.Path(f"/proc/{by_hand.pid()}/stat").read_text().rpartition(")")[2].split()[3] == str(by_hand.pid())  # its own session

    again = by_hand.call("serve", "--background")
    assert again.returncode == 78 and "is already running in the background" in again.stderr
    pid = by_hand.pid()
    stopped = by_hand.call("stop")
    assert (stopped.returncode, stopped.stdout) == (0, f"stopped process {pid}\n")
    assert "stopped" in (by_hand.data / "cairnd.log").read_text()
    stopped = by_hand.call("stop")
    assert stopped.returncode == 1 and "no server" in stopped.stderr and stopped.stderr.count("\n") == 1

    # The second time the user is there; so is the key.
    done = by_hand.call("serve", "--background", "--first-user", "ann")
    assert done.returncode == 0 and lines_of(done.stdout)["WANDB_API_KEY"] == key and "added" not in done.stderr


def test_killed_in_the_background(by_hand):
    """The process id of one that was killed is nobody's: nothing is stopped, and another one starts."""
    assert by_hand.call("serve", "--background").returncode == 0
    pid = by_hand.pid()
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: by_hand.call("stop").returncode == 1, what="end of the server")
    done = by_hand.call("serve", "--background")
    assert done.returncode == 0 and by_hand.pid() != pid


def test_what_goes_wrong_is_seen(by_hand):
    """The exit status is that of the server, and there is one line, with what to do."""
    assert by_hand.call("serve", "--background").returncode == 0
    other = ByHand(by_hand.dir)
    other.data, other.port = by_hand.dir / "other", by_hand.port
    done = other.call("serve", "--background")
    assert done.returncode == 1
    assert re.search(r'^cairnd: cannot listen on "127\.0\.0\.1:\d+": Address already in use$', done.stderr, re.M)
    other.data, other.port = pathlib.Path("/proc/nothing"), 0
    done = other.call("serve", "--background")
    assert done.returncode == 78 and done.stderr.startswith('cairnd: cannot create the directory "/proc/nothing"')


def test_options_of_the_first_user(by_hand):
    done = by_hand.call("serve", "--key-file", "/tmp/x")
    assert done.returncode == 64 and "--key-file needs --first-user" in done.stderr
    done = by_hand.call("serve", "--first-user", "a b")
    assert done.returncode == 64 and " contains invalid characters" in done.stderr


@pytest.mark.parametrize("words", [(), ("--background",)])
def test_key_file_that_exists_is_refused_before_a_database_is_made(by_hand, words):
    (by_hand.dir / "taken").write_text("")
    done = by_hand.call("serve", *words, "--first-user", "ann", "--key-file", str(by_hand.dir / "taken"))
    assert done.returncode == 64 and 'taken" already exists\n' in done.stderr and "database" not in done.stderr, done
    assert not by_hand.data.exists()


@pytest.fixture
def on(by_hand):
    """Makes a library that has statfs() say another file system; sanitizers want to be first otherwise."""
    folder = by_hand.dir

    def make(magic):
        library = folder / f"{magic:x}.so"
        (folder / "statfs.c").write_text(
            f"#include <string.h>\n#include <sys/vfs.h>\nint statfs(const char *path, struct statfs *st)\n"
            f"{{ (void)path; memset(st, 0, sizeof *st); st->f_type = {magic}; return 0; }}\n")
        subprocess.run(["cc", "-shared", "-fPIC", folder / "statfs.c", "-o", library], check=True)
        return {"LD_PRELOAD": str(library), "ASAN_OPTIONS": "verify_asan_link_order=0"}
    return make


@pytest.mark.parametrize("magic, name", [(NFS, "NFS"), (0x0BD00BD0, "Lustre"), (0xFE534D42, "SMB2")])
def test_a_data_directory_on_the_network_is_refused(by_hand, on, magic, name):
    done = by_hand.call("serve", **on(magic))
    assert f'cairnd: "{by_hand.data}" is on a network file system ({name})' in check_refusal(done)
    assert "--data-dir" in done.stderr and not (by_hand.data / "pg").exists()


def test_a_data_directory_on_the_network_is_allowed(by_hand, on):
    done = by_hand.call("serve", "--background", CAIRN_NETWORK_DATA_DIR="allow", **on(NFS))
    assert done.returncode == 0, done


def test_a_data_directory_in_memory_is_warned_of(by_hand, on):
    done = by_hand.call("serve", "--background", **on(0x01021994))
    assert done.returncode == 0 and "the data directory is in memory" in done.stderr


def test_programs_that_came_with_it_are_preferred(by_hand):
    """PREFIX/lib/postgresql beside PREFIX/bin, as in the tarball."""
    there = max(pathlib.Path("/usr/lib/postgresql").glob("[0-9]*"), default=None, key=lambda p: int(p.name))
    if not there:
        pytest.skip("needs the distribution's PostgreSQL")
    for name in ("bin", "lib/postgresql"):
        (by_hand.dir / name).mkdir(parents=True)
    shutil.copy(cairnd(), by_hand.dir / "bin/cairnd")
    (by_hand.dir / "lib/postgresql" / there.name).symlink_to(there)
    for path in (by_hand.dir / "bin", by_hand.dir / "lib"):
        path.chmod(0o755)
    before, os.environ["CAIRND"] = os.environ.get("CAIRND"), str(by_hand.dir / "bin/cairnd")
    try:
        assert by_hand.call("serve", "--background").returncode == 0
        postmaster = int((by_hand.data / "pg/postmaster.pid").read_text().split()[0])
        assert pathlib.Path(f"/proc/{postmaster}/cmdline").read_text().startswith(f"{by_hand.dir}/lib/postgresql/{there.name}/bin/postgres")
        by_hand.call("stop")
    finally:
        os.environ.pop("CAIRND") if before is None else os.environ.update(CAIRND=before)
