"""What `cmake --install` puts where, and what the programs say of themselves."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CAIRN_BUILD", TOP / "build/dev"))
VERSION = (TOP / "VERSION").read_text().strip()
PAGES = ["share/man/man8/cairnd.8", "share/man/man5/cairnd.conf.5", "share/man/man1/cairn.1",
         "share/man/man1/cairn-sampler.1"]


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def cached(name):
    """A variable of the build."""
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return found.group(1) if found else ""


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="session")
def cairnd(prefix):
    def call(*arguments, **variables):
        return run(prefix / "sbin/cairnd", *arguments, env={"PATH": os.environ["PATH"], **variables})
    return call


def settings(cairnd):
    return re.findall(r"^(?:# )?(\w+) (?:=|is not set)", cairnd("--print-config"), re.M)


@pytest.mark.parametrize("name", ["sbin/cairnd", "bin/cairn", "bin/cairn-sampler", "include/cairn.h",
                                  "lib/**/libcairn.a", "lib/**/libcairn.so", "lib/**/pkgconfig/cairn.pc",
                                  "lib/systemd/system/cairnd.service",
                                  "lib/systemd/system/cairn-backup.service", "lib/systemd/system/cairn-backup.timer",
                                  "share/doc/cairn-server/LICENSE.uplot", *PAGES])
def test_is_installed(prefix, name):
    assert len(list(prefix.glob(name))) == 1


@pytest.mark.parametrize("program", ["sbin/cairnd", "bin/cairn", "bin/cairn-sampler"])
def test_one_version(prefix, program):
    assert run(prefix / program, "--version").split()[1] == VERSION


UNITS = {"cairnd.service": "serve --data-dir /var/lib/cairn",
         "cairn-backup.service": "backup --keep ${KEEP} --data-dir /var/lib/cairn", "cairn-backup.timer": None}


@pytest.mark.parametrize("name", UNITS)
def test_units(prefix, name):
    """They start the program where it is installed, and systemd understands every line."""
    unit = prefix / "lib/systemd/system" / name
    if UNITS[name]:
        assert f"\nExecStart={prefix}/sbin/cairnd {UNITS[name]}\n" in unit.read_text()
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd here")
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "cairn" in line]) == (0, [])


def hardening(unit):
    """The lines that take rights away."""
    return {line for line in unit.read_text().splitlines()
            if re.match(r"(Protect|Private|Restrict|SystemCall|NoNew|Capability|Ambient|Lock|Device|UMask|StateDirectory)", line)}


def test_the_backup_has_no_more_rights_than_the_server(prefix):
    units = prefix / "lib/systemd/system"
    assert hardening(units / "cairnd.service") == hardening(units / "cairn-backup.service")


@pytest.mark.parametrize("page", PAGES)
def test_manual_is_clean(prefix, page):
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", prefix / page], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("SETTINGS" if page.endswith(".5") else "EXIT STATUS") in done.stdout


def test_every_setting_is_told_of_everywhere(prefix, cairnd):
    names = settings(cairnd)
    manual = (prefix / PAGES[1]).read_text()
    listed = cairnd("--help").partition("settings,")[2]
    assert len(names) > 20
    for name in names:
        assert f"\n.TP\n\\fB{name}\\fR" in manual
        assert re.search(rf"^  {name}\b", listed, re.M)


def test_every_command_is_in_the_manual(prefix, cairnd):
    manual = (prefix / PAGES[0]).read_text()
    commands = re.findall(r"^  ([a-z]+(?: [a-z]+)*)", cairnd("--help").partition("options:")[0], re.M)
    assert {"serve", "user add", "team member add", "embedded upgrade"} <= set(commands)
    for command in commands:
        assert f"\\fB{command}\\fR" in manual


def test_every_option_of_the_sampler_is_in_its_manual(prefix):
    manual = (prefix / PAGES[3]).read_text()
    options = re.findall(r"^  --([a-z-]+)", run(prefix / "bin/cairn-sampler", "--help"), re.M)
    assert {"interval", "pid", "disk-path", "gpu", "metadata"} <= set(options)
    told = re.findall(r"^\.TP\n\\fB\\-\\-([a-z\\-]+)\\fR", manual, re.M)
    assert [name.replace("\\-", "-") for name in told] == options


def test_every_metric_is_in_the_manual_of_the_sampler(prefix):
    tables = (TOP / "docs/metrics.md").read_text().partition("## When rows are taken")[0]
    names = [name for line in re.findall(r"^\| (`.*?) \|", tables, re.M) for name in re.findall(r"`(.+?)`", line)]
    done = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-rLL=2000n", prefix / PAGES[3]],
                          capture_output=True, text=True)
    told = done.stdout.partition("\nMETRICS")[2].partition("\nEXIT STATUS")[0]
    assert len(names) > 50
    assert [name for name in names if not re.search(rf"(^|[ ,]){re.escape(name)}([ ,]|$)", told, re.M)] == []


def test_printed_settings_can_be_read_again(cairnd, tmp_path):
    file = tmp_path / "cairnd.conf"
    file.write_text(cairnd("--print-config", "--workers", "7", CAIRN_LOG_FORMAT="json"))
    again = cairnd("--print-config", "--config", file)
    assert again == file.read_text()
    assert "workers = 7\n" in again and "log_format = json\n" in again


def test_a_secret_is_not_printed(cairnd):
    printed = cairnd("--print-config", CAIRN_DATABASE_URL="postgresql://u:pw-pw-pw@h/d")
    assert "pw-pw-pw" not in printed
    assert "database_url is set, not shown" in printed


@pytest.mark.parametrize("how", ["shared", "static"])
def test_a_program_of_ones_own(prefix, tmp_path, how):
    """By pkg-config; without a server it is told that there is none, and goes on."""
    (tmp_path / "first.c").write_text("""
#include <cairn.h>
#include <stdio.h>

int main(void)
{
	struct cairn_run *run;
	int result = cairn_run_start(NULL, &run);

	printf("%s %s\\n", cairn_version(), cairn_result_name(result));
	CAIRN_LOG(run, { "loss", 0.5 });
	return 0;
}
""")
    [pc] = prefix.glob("lib/**/pkgconfig/cairn.pc")
    flags = run("pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", pc).split()
    if how == "static":
        flags = [f for f in flags if f != "-lcairn"] + [pc.parents[1] / "libcairn.a", "-lcurl", "-lm", "-pthread"]
    if cached("CAIRN_SANITIZE"):
        flags.append("-fsanitize=" + cached("CAIRN_SANITIZE"))
    run("cc", "-Wall", "-Werror", "first.c", "-o", "first", *flags, cwd=tmp_path)
    printed = run(tmp_path / "first", env={"LD_LIBRARY_PATH": str(pc.parents[1]), "HOME": str(tmp_path)})
    assert printed.split() == [VERSION, "setup"]
