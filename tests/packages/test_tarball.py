"""The tarball in the home of a user without root, on bare machines of Debian 12 and 13."""
import os
import pty
import re
import subprocess
import tempfile
import time

import pytest

import newest_sdk
from cluster import wait_until
from conftest import PATH, TOP, try_
from older import run

CAIRND = "/home/ann/apps/cairn/bin/cairnd"
GLIBC_MOST = (2, 34)
NFS = 0x6969


def programs_of(folder):
    """Programs and shared libraries."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()
            and path.open("rb").read(4) == b"\x7fELF"]


@pytest.fixture(scope="module")
def unpacked(tarball, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    run("tar", "--zstd", "-xf", tarball, "-C", folder)
    return folder / "cairn"


# ---- as files -----------------------------------------------------------------------------------

def test_what_is_in_it(unpacked, tarball):
    version = (TOP / "VERSION").read_text().strip()
    assert tarball.name == f"cairn-{version}-linux-{os.uname().machine}.tar.zst"
    print(f"figure: tarball {tarball.stat().st_size / 1e6:.1f} MB")
    for name in ("README", "bin/cairnd", "bin/cairn", "bin/cairn-sampler", "lib/libcairn.so.1", "include/cairn.h",
                 "share/man/man8/cairnd.8", "share/bash-completion/completions/cairn", "share/doc/cairn/LICENSE"):
        assert (unpacked / name).exists(), name
    members = run("tar", "--zstd", "--numeric-owner", "-tvf", tarball).splitlines()
    assert {line.split()[1] for line in members} == {"0/0"}
    names = [line.split()[5] for line in members]
    assert names == sorted(names, key=lambda name: name.rstrip("/").split("/"))


def test_it_needs_no_newer_c_library(unpacked):
    told = run("readelf", "-V", *programs_of(unpacked))
    newest = max(tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", told))
    print(f"figure: tarball needs glibc {newest}")
    assert newest <= GLIBC_MOST


def test_every_library_has_its_licence(unpacked):
    doc = unpacked / "share/doc/cairn"
    sources = (doc / "SOURCES").read_text()
    ours = re.compile(r"libcairn|libpq|plpgsql|dict_snowball")
    for path in programs_of(unpacked / "lib"):
        if "postgresql" in path.parts or ours.match(path.name):
            continue
        [package] = re.findall(rf"^{re.escape(path.name)} (\S+) ", sources, re.M)
        assert (doc / "licences" / package / "copyright").stat().st_size > 100
    assert "PostgreSQL" in (doc / "licences/postgresql/copyright").read_text()


def test_it_knows_nothing_of_where_it_was_built(unpacked):
    assert try_("grep", "-rl", str(TOP), unpacked).stdout == ""


# ---- on a login node ----------------------------------------------------------------------------

def as_ann(bare, *words, **env):
    return bare.try_(*words, user="ann", **{"HOME": "/home/ann", "USER": "ann", **env})


def variables_of(bare, text):
    """What a shell has after the lines that serve prints."""
    lines = "\n".join(line for line in text.splitlines() if line.startswith("export "))
    told = as_ann(bare, "sh", "-c", lines + "\nenv").stdout
    return {name: value for name, value in (line.split("=", 1) for line in told.splitlines() if "=" in line)
            if name.startswith(("CAIRN_", "WANDB_"))}


def serve(bare, *words, program=CAIRND, **env):
    return as_ann(bare, program, "serve", "--background", "--first-user", "ann", "--key-file", "/home/ann/cairn.key", *words, **env)


@pytest.fixture
def login(bare):
    """A server of ann's, started with the one line of the README; what its lines set."""
    as_ann(bare, CAIRND, "stop")
    bare.sh("rm -rf /home/ann/.local /home/ann/cairn.key")
    began = time.monotonic()
    done = serve(bare)
    assert done.returncode == 0, done
    print(f"figure: {bare.release}: tarball serve to ready {time.monotonic() - began:.1f} s")
    bare.variables = variables_of(bare, done.stdout)
    yield bare
    as_ann(bare, CAIRND, "stop")


def cairn(bare, *words, program="/home/ann/apps/cairn/bin/cairn", **env):
    done = as_ann(bare, program, *words, **{**bare.variables, "CAIRN_PROJECT": "demo", **env})
    assert done.returncode == 0, done
    return done.stdout


def postgres_of(bare):
    pid = bare.path("/home/ann/.local/share/cairn/pg/postmaster.pid").read_text().split()[0]
    return bare("cat", f"/proc/{pid}/cmdline").split("\0")[0], bare("cat", f"/proc/{pid}/environ").split("\0")


def test_a_run_by_the_lines_that_are_printed(login):
    assert login("sh", "-c", "command -v postgres psql pg_config || true") == ""
    cairn(login, "run", "--quiet", "--run", "first", "--", "echo", "hello")
    assert re.search(r"^first\s.*finished", cairn(login, "ls"), re.M)
    program, environ = postgres_of(login)
    assert program.startswith("/home/ann/apps/cairn/lib/postgresql/")
    assert not [line for line in environ if line.startswith(("LD_", "PG"))]


def test_a_run_of_the_wandb_sdk(login):
    program = ("import wandb\nwith wandb.init(entity='ann', project='demo', id='sdk') as run:\n"
               "    for i in range(50): run.log({'loss': 1 / (1 + i)})")
    with tempfile.TemporaryDirectory() as folder:
        wandb = [f"{name}={value}" for name, value in login.variables.items() if name.startswith("WANDB_")]
        run("nsenter", "-t", login.pid, "--net", "env", "-i", f"PATH={PATH}", f"HOME={folder}", f"WANDB_DIR={folder}", *wandb,
            "WANDB_SILENT=true", newest_sdk.python(), "-c", program, timeout=600)
    assert re.search(r"^sdk\s.*finished", cairn(login, "ls"), re.M)


def test_it_goes_on_after_a_logout(login):
    """A terminal that closes hangs up on all of its session."""
    as_ann(login, CAIRND, "stop")
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(["nsenter", "-t", str(login.pid), "--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup", "setsid", "--ctty", "setpriv", "--reuid=ann", "--regid=ann", "--init-groups",
                              "env", "--chdir=/", "-i", f"PATH={PATH}", "HOME=/home/ann", "bash", "-i"], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, f"{CAIRND} serve --background && echo is-$((1 + 1))-ready\n".encode())
    told = b""
    while b"is-2-ready" not in told:
        told += os.read(ours, 4096)
    os.close(ours)
    shell.wait(timeout=60)
    assert as_ann(login, CAIRND, "healthcheck").returncode == 0
    cairn(login, "run", "--quiet", "--", "echo", "hello")


def test_killed_moved_and_started_again(login):
    cairn(login, "run", "--quiet", "--run", "kept", "--", "echo", "hello")
    pid = login.path("/home/ann/.local/share/cairn/cairnd.pid").read_text().strip()
    login("kill", "-9", pid)
    wait_until(lambda: as_ann(login, CAIRND, "stop").returncode == 1, 60, "end of the server")
    assert serve(login).returncode == 0
    assert re.search(r"^kept\s.*finished", cairn(login, "ls"), re.M)
    assert as_ann(login, CAIRND, "stop").returncode == 0
    login("mv", "/home/ann/apps/cairn", "/home/ann/other place")
    try:
        moved = "/home/ann/other place/bin/cairnd"
        assert serve(login, program=moved).returncode == 0
        assert re.search(r"^kept\s.*finished", cairn(login, "ls", program="/home/ann/other place/bin/cairn"), re.M)
        assert postgres_of(login)[0].startswith("/home/ann/other place/lib/postgresql/")
        backup = as_ann(login, moved, "backup", "/home/ann/backup.tar")
        assert backup.returncode == 0, backup
        assert as_ann(login, moved, "stop").returncode == 0
    finally:
        login("rm", "-f", "/home/ann/backup.tar")
        login("mv", "/home/ann/other place", "/home/ann/apps/cairn")


def test_libraries_of_others_do_no_harm(login):
    """As LD_LIBRARY_PATH of conda or modules has them."""
    login.sh("mkdir -p /home/ann/odd && for l in /home/ann/apps/cairn/lib/*.so.*; do echo broken >/home/ann/odd/$(basename $l); done")
    assert as_ann(login, "/home/ann/apps/cairn/bin/cairn", "--version", LD_LIBRARY_PATH="/home/ann/odd").returncode == 0
    as_ann(login, CAIRND, "stop")
    assert serve(login, LD_LIBRARY_PATH="/home/ann/odd").returncode == 0


def refused(done, status, text):
    """One line that says what is wrong, and one at most that says what to do."""
    lines = [line for line in done.stderr.splitlines() if not re.match(r"\d{4}-\d\d-\d\dT", line)]
    assert done.returncode == status and text in lines[0] and len(lines) <= 2, done


def test_a_port_that_is_taken(login):
    refused(as_ann(login, CAIRND, "serve", "--background", "--data-dir", "/home/ann/second"), 1, 'cannot listen on "127.0.0.1:8080"')


def test_a_data_directory_that_cannot_be_written(login):
    refused(as_ann(login, CAIRND, "serve", "--listen", "127.0.0.1:0", "--data-dir", "/root/cairn"), 78, 'cannot create the directory "')


def test_a_home_on_nfs(login):
    source = login.path("/home/ann/statfs.c")
    source.write_text(f"#include <string.h>\n#include <sys/vfs.h>\nint statfs(const char *path, struct statfs *st)\n"
                      f"{{ (void)path; memset(st, 0, sizeof *st); st->f_type = {NFS}; return 0; }}\n")
    run("cc", "-shared", "-fPIC", source, "-o", login.path("/home/ann/statfs.so"))
    as_ann(login, CAIRND, "stop")
    refused(serve(login, LD_PRELOAD="/home/ann/statfs.so"), 78, "is on a network file system (NFS)")
