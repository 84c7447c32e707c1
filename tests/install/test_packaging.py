"""packaging/ and the components of the installation, as far as files tell. tests/packages installs the packages."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from test_install import BUILD, TOP, UNITS, run

sys.path.append(str(TOP / "tests"))
import older  # noqa: E402

PACKAGING = TOP / "packaging"
CMAKE = (TOP / "cmake/cairn_packages.cmake").read_text()
COMPONENTS = re.search(r"CPACK_COMPONENTS_ALL ([a-z ]+)\)", CMAKE)[1].split()
PROGRAMS = {"cairnd": "server", "cairn": "client", "cairn-sampler": "sampler"}
EXPOSURE_MOST = 2.6


@pytest.fixture(scope="module")
def components(tmp_path_factory):
    """As CPack installs them, each into a root of its own below the returned folder; "all" has everything."""
    folder = tmp_path_factory.mktemp("components")
    for name in [*COMPONENTS, "all"]:
        one = [] if name == "all" else ["--component", name]
        run("cmake", "--install", BUILD, "--prefix", "/usr", *one, env={**os.environ, "DESTDIR": str(folder / name)})
    return folder


def files(root):
    return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_symlink() or not path.is_dir()]


def settings(*words):
    """(name, value) of `cairnd --print-config`."""
    printed = run(BUILD / "server/cairnd", "--print-config", *words, env={"PATH": os.environ["PATH"]})
    return dict(re.findall(r"^(?:# )?(\w+) (= .*|= |is not set|is set)", printed, re.M))


# ---- what is in which package -------------------------------------------------------------------

def test_every_file_is_in_one_package(components):
    shared = sorted(path for name in COMPONENTS for path in files(components / name))
    assert len(shared) >= 20 and shared == sorted(files(components / "all"))


def test_every_package_has_its_description_and_a_place_for_its_licence():
    told = re.findall(r"CPACK_COMPONENT_(\w+)_DESCRIPTION", CMAKE)
    assert [name.lower() for name in told] == COMPONENTS
    names = dict(re.findall(r"CPACK_DEBIAN_(\w+)_PACKAGE_NAME (\S+)\)", CMAKE))
    finish = re.search(r"set\(names (.*)\)", (PACKAGING / "finish.cmake").read_text())[1].split()
    assert {finish[i]: finish[i + 1] for i in range(0, len(finish), 2)} == {
        component: names[component.upper()] for component in COMPONENTS}


def test_the_library_has_the_name_that_others_depend_on(components):
    name, version, package = (PACKAGING / "debian/shlibs").read_text().split()
    assert [path for path in files(components / "library") if path.endswith(f"/{name}.so.{version}")]
    assert f"CPACK_DEBIAN_LIBRARY_PACKAGE_NAME {package})" in CMAKE


# ---- settings -----------------------------------------------------------------------------------

def test_files_below_etc_are_settings_that_dpkg_keeps():
    """Only a build with the prefix /usr installs them."""
    installed = re.findall(r"install\(FILES \S+/(\S+)\" DESTINATION (/etc/\S+) ", (TOP / "server/CMakeLists.txt").read_text())
    made = {f"{folder}/{name}" for name, folder in installed}
    assert made == set((PACKAGING / "debian/conffiles").read_text().split())
    assert all(f'"%config(noreplace) {path}"' in CMAKE for path in made)


def test_the_file_of_settings_changes_nothing_but_the_data_directory(tmp_path):
    """Its lines in comments are settings that there are, and tell their defaults."""
    text = (PACKAGING / "cairnd.conf").read_text()
    given = settings("--config", PACKAGING / "cairnd.conf")
    assert given["data_dir"] == "= /var/lib/cairn"
    defaults = settings("--data-dir", "/var/lib/cairn")
    assert given == defaults
    commented = dict(re.findall(r"^#(\w+) = (.*)$", text, re.M))
    assert "listen" in commented
    (tmp_path / "all.conf").write_text(re.sub(r"^#(?=\w+ = )", "", text, flags=re.M))
    everything = settings("--config", tmp_path / "all.conf")
    differ = {name for name in commented if everything[name] != defaults[name]}
    assert differ == {"database_url"}, "an example is there for what has no default"


@pytest.mark.parametrize("file", ["debian/postinst", "debian/postrm", "rpm/pre"])
def test_scripts_know_the_data_directory(file):
    assert "/var/lib/cairn" in (PACKAGING / file).read_text()


# ---- scripts and units --------------------------------------------------------------------------

def test_scripts_of_rpm_have_no_faults():
    """They have no first line that names a shell, by which scripts/lint finds the others."""
    if not shutil.which("shellcheck"):
        pytest.skip("no shellcheck here")
    run("shellcheck", "--shell=sh", "--severity=style", *sorted((PACKAGING / "rpm").iterdir()))


def test_scripts_name_the_units_that_are_installed(components):
    scripts = "".join(path.read_text() for folder in ("debian", "rpm") for path in sorted((PACKAGING / folder).iterdir()))
    named = set(re.findall(r"\bcairn[\w-]*\.(?:service|timer)\b", scripts))
    assert named == set(UNITS)
    assert {pathlib.Path(path).name for path in files(components / "server") if "/systemd/" in path} == named


@pytest.mark.parametrize("unit", ["cairnd.service", "cairn-backup.service"])
def test_a_unit_leaves_little_open(components, unit):
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd here")
    [path] = components.glob(f"server/usr/lib/systemd/system/{unit}")
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", path], capture_output=True, text=True)
    exposure = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    if not exposure:
        pytest.skip(f"this systemd rates no files: {done.stderr.strip()}")
    assert float(exposure[1]) <= EXPOSURE_MOST


# ---- completion ---------------------------------------------------------------------------------

def complete(components, program, *lines):
    """What bash offers for the last word of each line."""
    [script] = components.glob(f"{PROGRAMS[program]}/usr/share/bash-completion/completions/{program}")
    function = "_" + program.replace("-", "_")
    asked = [f". {script}"]
    for line in lines:
        words = line.split(" ")
        asked.append(f"COMP_WORDS=({' '.join(words[:-1])} {words[-1]!r}); COMP_CWORD={len(words) - 1}; {function} 2>/dev/null; "
                     'echo "${COMPREPLY[*]}"')
    return [set(told.split()) for told in run("bash", "-c", "\n".join(asked)).splitlines()]


def commands_of_help(program):
    """(words of a command, its options)"""
    found, text = [], run(BUILD / f"{PROGRAMS[program]}/{program}", "--help")
    for line in text.partition("commands:")[2].partition("\noptions:")[0].splitlines():
        if command := re.match(r"  ([a-z]+(?: [a-z]+)*)", line):
            found.append((command[1], set()))
        elif option := re.match(r"    (--[a-z-]+)", line):
            found[-1][1].add(option[1])
    return found


def test_completion_of_every_command(components):
    commands = commands_of_help("cairnd")
    assert len(commands) > 20 and sum(len(options) for _, options in commands) > 20
    offered = complete(components, "cairnd", *[f"cairnd {command}"[:-1] for command, _ in commands])
    assert [command for (command, _), words in zip(commands, offered) if command.split()[-1] not in words] == []
    offered = complete(components, "cairnd", *[f"cairnd {command} --" for command, _ in commands])
    assert [command for (command, options), words in zip(commands, offered) if not {*options, "--data-dir"} <= words] == []


def test_completion_of_the_others(components):
    [shown] = complete(components, "cairn", "cairn sho")
    assert "show" in shown
    [options] = complete(components, "cairn", "cairn top --")
    assert {"--once", "--host", "--url", "--ca-file"} <= options and not {"--label", "--metric"} & options
    [options] = complete(components, "cairn-sampler", "cairn-sampler --")
    assert {"--once", "--interval"} <= options


def test_upgrades_are_tested_from_an_older_schema():
    """A later commit may have changed the comments of a migration."""
    def migrations(commit):
        told = run("git", "-C", TOP, "ls-tree", "--name-only", commit, "migrations/")
        return {name for name in told.split() if name.endswith(".sql")}
    assert migrations(older.commit()) < migrations("HEAD")
