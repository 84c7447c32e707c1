"""Packages of Debian, from nothing to a purge, on machines of Debian 12 and 13."""
import os
import re
import shutil
import tempfile
import time

import pytest

import newest_sdk
from cluster import wait_until
from conftest import CONF, EXPOSURE_MOST, NAMES, OLD_BUILD, TOP, URL, try_
from older import build_packages, has_this_schema, run

SECONDS_MOST = 180  # from the installation to the end of a first run; 60 is meant, and a busy machine takes longer


# ---- as files -----------------------------------------------------------------------------------

def test_lintian_finds_no_error(debs):
    done = try_("lintian", *debs)
    assert [line for line in done.stdout.splitlines() if line.startswith("E:")] == []


def test_packages_of_rpm_are_made(debs):
    """They are listed, not installed anywhere."""
    if not shutil.which("rpmbuild"):
        pytest.skip("no rpmbuild: scripts/install-deps packages")
    rpms = sorted(build_packages(TOP, "-G", "RPM").glob("*.rpm"))
    assert [re.match(r"[a-z]+(?:-[a-z]+)?1?", rpm.name)[0] for rpm in rpms] == [
        "cairn-client", "cairn-sampler", "cairn-server", "libcairn-devel", "libcairn1"]
    listed = {rpm.name.split("-0")[0]: run("rpm", "-qlp", rpm).split() for rpm in rpms}
    assert {"/usr/sbin/cairnd", CONF, "/usr/lib/systemd/system/cairnd.service"} <= set(listed["cairn-server"])
    assert "/usr/bin/cairn" in listed["cairn-client"] and "/usr/include/cairn.h" in listed["libcairn-devel"]
    assert run("rpm", "-qcp", next(rpm for rpm in rpms if "server" in rpm.name)).split() == [CONF]


def test_packages_of_arm64(debs):
    """Cross-built in a Debian of its own, where their programs run under qemu-user."""
    run("scripts/packages-arm64", cwd=TOP, timeout=3600)
    found = sorted((TOP / "build/package-arm64").glob("*.deb"))
    assert [deb.name.split("_")[0] for deb in found] == NAMES and all(deb.name.endswith("_arm64.deb") for deb in found)
    depends = run("dpkg-deb", "-f", found[2], "Depends")
    assert {"libmicrohttpd12", "libpq5", "libgnutls30"} <= {word.split()[0] for word in depends.split(", ")}


# ---- from nothing -------------------------------------------------------------------------------

def test_from_the_installation_to_a_first_run(machine):
    """The database is Debian's, which the package recommends; one that is installed already takes less."""
    began = time.monotonic()
    machine.install("new")
    machine.wait_ready()
    machine.add_user()
    machine.cairn("run", "--quiet", "--", "echo", "hello")
    seconds = time.monotonic() - began
    print(f"figure: {machine.release}: package install to first run {seconds:.1f} s")
    assert "finished" in machine.cairn("ls")
    assert seconds < SECONDS_MOST


def test_who_owns_what(service):
    def of(path):
        return service("stat", "-c", "%U:%G %a", path).strip()
    assert (of("/var/lib/cairn"), of("/var/lib/cairn/secret")) == ("cairn:cairn 750", "cairn:cairn 600")
    assert (of("/etc/cairn"), of(CONF)) == ("root:cairn 750", "root:cairn 640")
    assert service("dpkg-query", "-W", "-f", "${Conffiles}", "cairn-server").split()[0] == CONF
    assert service("systemctl", "is-enabled", "cairnd").strip() == "enabled"
    assert service("ps", "-o", "user=", "-p", str(service.main_pid())).strip() == "cairn"


def test_the_service_may_do_little(service):
    """This systemd knows every line of the unit, and rates what it leaves open."""
    service("systemd-analyze", "verify", "--recursive-errors=no", "--man=no", "/usr/lib/systemd/system/cairnd.service")
    told = service("systemd-analyze", "security", "--no-pager", "cairnd.service")
    exposure = float(re.search(r"exposure level for \S+: ([\d.]+)", told)[1])
    print(f"figure: {service.release}: exposure {exposure}")
    assert exposure <= EXPOSURE_MOST


def test_pages_of_the_manual_and_completion(service):
    for page in ("man8/cairnd.8", "man5/cairnd.conf.5", "man1/cairn.1", "man1/cairn-sampler.1"):
        assert run("gzip", "-dc", service.path(f"/usr/share/man/{page}.gz")).startswith(".TH ")
    words = 'COMP_WORDS=({}); COMP_CWORD={}; _{}; echo "${{COMPREPLY[*]}}"'
    for program, line, at, wanted in (("cairnd", "cairnd user ad", 2, "add"), ("cairn", "cairn sho", 1, "show"),
                                      ("cairn-sampler", "cairn-sampler --onc", 1, "--once")):
        script = f". /usr/share/bash-completion/completions/{program}; " + words.format(line, at, program.replace("-", "_"))
        assert wanted in service("bash", "-c", script).split()


def test_a_program_with_the_library(service):
    service.apt("install", "--no-install-recommends", "gcc", "libc6-dev", "pkg-config")
    service.path("/root/t.c").write_text("#include <cairn.h>\n#include <stdio.h>\nint main(void) { puts(cairn_version()); }\n")
    version = (TOP / "VERSION").read_text().strip()
    assert service.sh("gcc /root/t.c -o /root/t $(pkg-config --cflags --libs cairn) && /root/t").strip() == version


def test_a_sample_of_the_sampler(service):
    assert "memory" in service("cairn-sampler", "--once")


def test_a_run_of_the_wandb_sdk(service):
    """From this machine's files, in the other one's network."""
    program = ("import wandb\nwith wandb.init(entity='ann', project='demo', id='sdk') as run:\n"
               "    for i in range(50): run.log({'loss': 1 / (1 + i)})")
    with tempfile.TemporaryDirectory() as folder:
        run("nsenter", "-t", service.pid, "--net", "env", "-i", f"PATH={os.environ['PATH']}", f"HOME={folder}", f"WANDB_DIR={folder}",
            f"WANDB_BASE_URL={URL}", f"WANDB_API_KEY={service.key}", "WANDB_SILENT=true", newest_sdk.python(), "-c", program, timeout=600)
    assert re.search(r"^sdk\s.*finished", service.cairn("ls"), re.M)


# ---- while it runs ------------------------------------------------------------------------------

def test_a_killed_server_is_started_again(service):
    service.cairn("run", "--quiet", "--run", "before", "--", "echo", "hello")
    before = service.main_pid()
    service("kill", "-9", str(before))
    wait_until(lambda: service.main_pid() not in (0, before), 120, "another process")
    service.wait_ready()
    assert service("systemctl", "show", "-P", "NRestarts", "cairnd").strip() != "0"
    assert re.search(r"^before\s.*finished", service.cairn("ls"), re.M)


def test_a_server_that_cannot_start_says_so_and_is_left_alone(service):
    """What only a change of the settings mends is not tried again; what may pass is."""
    mine = service.path(CONF).read_text()
    try:
        service.path(CONF).write_text(mine + "\nport = 1\n")
        assert service.try_("systemctl", "restart", "cairnd").returncode in (0, 1)
        wait_until(lambda: service("systemctl", "show", "-P", "ActiveState", "cairnd").strip() == "failed", 60, "end")
        assert service("systemctl", "show", "-P", "ExecMainStatus", "cairnd").strip() == "78"
        log = service("journalctl", "-u", "cairnd", "-o", "cat", "-n", "20")
        assert f'cairnd: {CONF}:{len(mine.splitlines()) + 2}: unknown setting "port"' in log
    finally:
        service.path(CONF).write_text(mine)
        service("systemctl", "reset-failed", "cairnd")
        service("systemctl", "restart", "cairnd")


# ---- upgrades, removal --------------------------------------------------------------------------

def test_an_upgrade_keeps_data_and_edited_settings(service, newer):
    """Also where the new version has other settings: dpkg asks then, and is told to keep them."""
    service.lay("newer", newer)
    mine = service.path(CONF).read_text() + "\nlisten = 127.0.0.1:8081\n"
    service.cairn("run", "--quiet", "--run", "kept", "--", "echo", "hello")
    service.path(CONF).write_text(mine)
    service.install("newer", "-o", "Dpkg::Options::=--force-confold")
    assert service("dpkg-query", "-W", "-f", "${Version}", "cairn-server").endswith("-2")
    assert service.path(CONF).read_text() == mine and "new version" in service.path(CONF + ".dpkg-dist").read_text()
    assert service("stat", "-c", "%U:%G %a", CONF).strip() == "root:cairn 640"
    service.wait_ready()  # at the address of the file
    assert re.search(r"^kept\s.*finished", service("cairn", "ls", CAIRN_URL="http://127.0.0.1:8081", CAIRN_API_KEY=service.key,
                                                   CAIRN_PROJECT="demo"), re.M)


def test_a_removal_keeps_data_and_a_purge_does_not(service):
    service.apt("remove", "cairn-server")
    assert service.path("/var/lib/cairn/pg/PG_VERSION").exists() and service.path(CONF).exists()
    assert service.try_("pgrep", "-u", "cairn").stdout == ""
    service.apt("install", "-o", "Dpkg::Options::=--force-confold", "--allow-downgrades", "/packages/new/cairn-server.deb")
    service.wait_ready()
    service.purge()
    left = service.sh("find / -xdev -name '*cairn*' ! -path '/proc/*' ! -path '/packages/*' ! -path '/usr/share/zoneinfo/*' ! -path '/tmp/*' ! -path '/root/*'"
                      " ! -path '/var/log/*' ! -path '/var/cache/*'; grep -l cairn /etc/passwd /etc/group /etc/shadow /etc/gshadow || true")
    assert left == ""
    assert service.try_("systemctl", "cat", "cairnd").returncode != 0
    assert service("systemctl", "list-units", "--all", "--plain", "--no-legend", "cairn*").strip() == ""


def test_an_upgrade_from_an_older_commit(machine, older):
    """Its data is there. Where the schema is older, a copy was made before, and there is a way back."""
    machine.purge()
    machine.lay("older", older)
    machine.install("older")
    machine.wait_answer()
    machine.add_user(CAIRN_DATA_DIR="/var/lib/cairn")  # it may not read the file of settings yet
    machine.cairn("run", "--quiet", "--run", "old", "--", "echo", "hello")
    machine.install("new")
    machine.wait_ready()
    assert re.search(r"^old\s.*finished", machine.cairn("ls"), re.M)
    machine("cairnd", "verify", user="cairn")
    copies = sorted(path.name for path in machine.path("/var/lib/cairn/backups").glob("before-*.tar"))
    if has_this_schema(OLD_BUILD):
        assert copies == []
        return
    [copy] = copies
    assert copy in machine("cairnd", "rollback", "--list", user="cairn")
    machine("systemctl", "stop", "cairnd")
    machine("cairnd", "rollback", "--yes", user="cairn")
    machine("systemctl", "start", "cairnd")
    machine.wait_ready()
    assert re.search(r"^old\s.*finished", machine.cairn("ls"), re.M)
