"""What a package does beside a plain installation: backups by the timer, doctor, and scripts of dpkg where something is odd."""
import json
import re
import shutil

import pytest

from cluster import wait_until
from conftest import CONF, EXPOSURE_MOST
from older import as_release, run

BACKUPS = "/var/lib/cairn/backups"
SERVER = "/packages/new/cairn-server.deb"
KEEP_CONF = ("-o", "Dpkg::Options::=--force-confold")


def units_of(machine):
    return {name: machine.try_("systemctl", "is-active", name).stdout.strip() for name in ("cairnd.service", "cairn-backup.timer")}


def state_of(machine):
    return machine("dpkg-query", "-W", "-f", "${db:Status-Abbrev}", "cairn-server").strip()


def drop_in(machine, unit, text):
    folder = machine.path(f"/etc/systemd/system/{unit}.d")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "test.conf").write_text(text)
    machine("systemctl", "daemon-reload")


def remove_drop_ins(machine):
    for unit in ("cairnd.service", "cairn-backup.service", "cairn-backup.timer"):
        shutil.rmtree(machine.path(f"/etc/systemd/system/{unit}.d"), ignore_errors=True)
    machine("systemctl", "daemon-reload")


def backups_of(machine):
    return sorted(path.name for path in machine.path(BACKUPS).glob("cairn-*.tar"))


# ---- doctor and backups -------------------------------------------------------------------------

def doctor(machine):
    """Its exit status, and {check: finding}."""
    done = machine.try_("cairnd", "doctor", "--json", user="cairn")
    return done.returncode, {found["check"]: found for found in map(json.loads, done.stdout.splitlines())}


def test_doctor_has_one_thing_to_say_until_there_is_a_backup(service):
    for file in backups_of(service):
        service.path(f"{BACKUPS}/{file}").unlink()
    status, found = doctor(service)
    amiss = [name for name, finding in found.items() if finding["state"] not in ("good", "skipped")]
    assert (status, amiss) == (2, ["backup"]), found
    [remedy] = re.findall(r"systemctl enable --now \S+\.timer", found["backup"]["remedy"])
    service(*remedy.split())
    service("systemctl", "start", "cairn-backup.service")
    status, found = doctor(service)
    assert status == 0, found
    service("systemctl", "disable", "--now", "cairn-backup.timer")


def test_doctor_says_so_when_the_server_is_stopped(service):
    service("systemctl", "stop", "cairnd")
    status, found = doctor(service)
    service("systemctl", "start", "cairnd")
    amiss = {name: finding["state"] for name, finding in found.items() if finding["remedy"]}
    assert status == 2 and set(amiss.values()) == {"warning"} and {"server", "database"} <= set(amiss), found
    assert all("start" in found[name]["remedy"] for name in ("server", "database"))


def test_a_backup_by_the_timer(service):
    """It is not enabled by itself; when its time has come, a file is written, and the oldest are removed."""
    for file in backups_of(service):
        service.path(f"{BACKUPS}/{file}").unlink()
    assert service.try_("systemctl", "is-enabled", "cairn-backup.timer").stdout.strip() == "disabled"
    drop_in(service, "cairn-backup.service", "[Service]\nEnvironment=KEEP=2\n")
    drop_in(service, "cairn-backup.timer", "[Timer]\nOnCalendar=\nOnCalendar=*:*:0/2\nRandomizedDelaySec=0\nAccuracySec=100ms\n")
    try:
        service("systemctl", "enable", "--now", "cairn-backup.timer")
        [first] = wait_until(lambda: backups_of(service)[:1], 120, "backup")
        wait_until(lambda: (names := backups_of(service)) and first not in names and len(names) == 2, 120, "backups after the first")
    finally:
        service("systemctl", "disable", "--now", "cairn-backup.timer")
        wait_until(lambda: service.try_("systemctl", "is-active", "cairn-backup.service").stdout.strip() == "inactive", 60, "end")
        remove_drop_ins(service)
    newest = backups_of(service)[-1]
    assert service("stat", "-c", "%U:%G %a", f"{BACKUPS}/{newest}").strip() == "cairn:cairn 600"
    service("cairnd", "backup", "--verify", f"{BACKUPS}/{newest}", user="cairn")


def test_the_backup_may_do_little(service):
    for unit in ("cairn-backup.service", "cairn-backup.timer"):
        service("systemd-analyze", "verify", "--recursive-errors=no", "--man=no", f"/usr/lib/systemd/system/{unit}")
    told = service("systemd-analyze", "security", "--no-pager", "cairn-backup.service")
    assert float(re.search(r"exposure level for \S+: ([\d.]+)", told)[1]) <= EXPOSURE_MOST


# ---- scripts of dpkg ----------------------------------------------------------------------------

def test_an_installation_again_keeps_everything(service):
    """What was asked for, or what was interrupted after the files were unpacked."""
    mine = service.path(CONF).read_text()
    service.cairn("run", "--quiet", "--run", "kept", "--", "echo", "hello")
    before = service.main_pid()
    service.apt("install", "--reinstall", *KEEP_CONF, "--allow-downgrades", SERVER)
    service.wait_ready()
    assert service.main_pid() not in (0, before)
    service("dpkg", "--unpack", SERVER)
    assert state_of(service) == "iU"
    service("dpkg", "--configure", "-a")
    service.wait_ready()
    assert re.search(r"^kept\s.*finished", service.cairn("ls"), re.M) and service.path(CONF).read_text() == mine


def test_an_upgrade_that_dpkg_gives_up_leaves_the_server_running(service, debs, tmp_path):
    """Before the files are unpacked, as another package's fault can do it, too."""
    [broken] = as_release([deb for deb in debs if deb.name.startswith("cairn-server")], tmp_path / "debs", "3",
                          preinst="#!/bin/sh\nexit 1\n")
    service.lay("broken", [broken])
    done = service.try_("dpkg", "-i", "/packages/broken/cairn-server.deb")
    assert done.returncode == 1 and state_of(service) == "ii", done
    service.wait_ready()
    service.cairn("run", "--quiet", "--", "echo", "hello")


def test_an_upgrade_whose_server_cannot_start_is_complete(service, newer):
    """dpkg has no part in what is wrong, so it does not fail for it; the log tells, and a start mends it."""
    mine = service.path(CONF).read_text()
    service.lay("newer", newer)
    try:
        service.path(CONF).write_text(mine + "\nport = 1\n")
        service.install("newer", *KEEP_CONF)
        assert state_of(service) == "ii"
        wait_until(lambda: units_of(service)["cairnd.service"] == "failed", 60, "end")
        assert 'unknown setting "port"' in service("journalctl", "-u", "cairnd", "-o", "cat", "-n", "20")
    finally:
        service.path(CONF).write_text(mine)
    service("systemctl", "restart", "cairnd")
    service.wait_ready()


def test_what_the_administrator_switched_off_stays_off(service):
    service("systemctl", "disable", "--now", "cairnd")
    try:
        service.apt("install", "--reinstall", *KEEP_CONF, "--allow-downgrades", SERVER)
        assert service.try_("systemctl", "is-enabled", "cairnd").stdout.strip() == "disabled"
        assert units_of(service)["cairnd.service"] == "inactive"
    finally:
        service("systemctl", "enable", "--now", "cairnd")


def test_a_timer_that_was_enabled_comes_back_with_the_package(service):
    service("systemctl", "enable", "--now", "cairn-backup.timer")
    service.apt("remove", "cairn-server")
    assert set(units_of(service).values()) <= {"inactive", "unknown", "failed"}
    service.apt("install", *KEEP_CONF, SERVER)
    service.wait_ready()
    assert units_of(service) == {"cairnd.service": "active", "cairn-backup.timer": "active"}
    service.purge()
    assert service.sh("find /etc/systemd /var/lib/systemd -name '*cairn*'") == ""


@pytest.mark.parametrize("before", ["useradd --system --user-group --home-dir /var/lib/cairn --shell /usr/sbin/nologin cairn",
                                    "useradd --system --gid nogroup --no-create-home cairn", "groupadd --system cairn"])
def test_a_user_or_group_that_is_there_already(machine, before):
    """As the manual's section for installations from source makes it, or another administrator."""
    machine.purge()
    machine.sh(before)
    machine.apt("install", SERVER)
    machine.wait_ready()
    assert machine("stat", "-c", "%U:%G %a", "/var/lib/cairn").strip() == "cairn:cairn 750"
    assert machine("ps", "-o", "user=,group=", "-p", str(machine.main_pid())).split() == ["cairn", "cairn"]
    machine.purge()
    assert machine.try_("getent", "passwd", "cairn").stdout == "" and machine.try_("getent", "group", "cairn").stdout == ""


def test_a_purge_where_the_data_is_on_a_disk_of_its_own(machine):
    machine.purge()
    machine.sh("mkdir -p /var/lib/cairn && mount -t tmpfs -o mode=755 data /var/lib/cairn")
    try:
        machine.apt("install", SERVER)
        machine.wait_ready()
        machine.purge()
        assert machine.sh("ls -A /var/lib/cairn") == "" and not machine.path("/etc/cairn").exists()
    finally:
        machine.sh("umount /var/lib/cairn && rmdir /var/lib/cairn")


def test_without_a_systemd_that_runs(machine):
    """As in a container's build: nothing is started, and all is there for the first boot."""
    machine.purge()

    def inside(*words):
        run("chroot", machine.root, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", *words)
    inside("apt-get", "install", "-y", "-qq", "--no-install-recommends", SERVER)
    try:
        assert machine("systemctl", "is-enabled", "cairnd").strip() == "enabled"
        assert units_of(machine)["cairnd.service"] == "inactive"
    finally:
        inside("apt-get", "purge", "-y", "-qq", "cairn-server")
    assert not [path for path in ("/etc/cairn", "/var/lib/cairn") if machine.path(path).exists()]
