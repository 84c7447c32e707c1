"""What an installation lays down, and that a program of somebody else's builds and runs with it."""
import os
import shlex
import shutil
import subprocess

import pytest

from fake_server import KEY
from probe import PATIENCE_S, environment_of

BUILD = os.environ.get("CAIRN_BUILD", "build/dev")
CC = os.environ.get("CC", "cc")
SANITIZE = os.environ.get("CAIRN_TEST_SANITIZE")
FLAGS = [f"-fsanitize={SANITIZE}"] if SANITIZE else []
PROGRAM = """
#include <cairn.h>
#include <stdio.h>

int main(void)
{
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	struct cairn_run *run;
	int result;

	options.label = "guest";
	result = cairn_run_start(&options, &run);
	for (int i = 0; i < 10 && result == CAIRN_OK; i++)
		result = CAIRN_LOG(run, { "n", i }, { "loss", 1.0 / (i + 1) });
	if (result == CAIRN_OK)
		result = cairn_finish(run, 0, 120000, NULL);
	printf("%s %s\\n", cairn_result_name(result), cairn_version());
	cairn_run_free(run);
	return result;
}
"""
HEADER_ALONE = "#include <cairn.h>\nint main(void) { return cairn_version() ? 0 : 1; }\n"


def install(prefix, destination=None):
    environment = {name: value for name, value in os.environ.items() if name != "DESTDIR"}
    if destination:
        environment["DESTDIR"] = str(destination)
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", str(prefix)], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (destination / str(prefix).lstrip("/")) if destination else prefix


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return install(tmp_path_factory.mktemp("installed"))


def found(root, name):
    paths = list(root.rglob(name))
    assert len(paths) == 1, f"{name}: {paths}"
    return paths[0]


def pkg_config(root, *words):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(found(root, "cairn.pc").parent))
    done = subprocess.run(["pkg-config", *words, "cairn"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return shlex.split(done.stdout)


def compile_program(folder, text, *words, compiler=CC, suffix=".c"):
    source, program = folder / f"program{suffix}", folder / "program"
    source.write_text(text)
    done = subprocess.run([*shlex.split(compiler), "-Wall", "-Wextra", "-Werror", *FLAGS, "-o", str(program),
                           str(source), *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def run_program(program, server, **extra):
    done = subprocess.run([program], env=environment_of(server.url, KEY) | extra, capture_output=True,
                          text=True, timeout=PATIENCE_S)
    assert done.returncode == 0 and done.stdout.startswith("ok "), done.stdout + done.stderr
    assert [row["n"] for row in server.writer().history] == list(range(10))
    assert server.writer().label == "guest" and server.writer().finished == 0


def test_what_is_laid_down(installed):
    for name in ("cairn.h", "libcairn.a", "cairn.pc", "cairn.1"):
        assert found(installed, name).stat().st_size > 0
    for name in ("bin/cairn", "include/cairn.h", "share/man/man1/cairn.1"):
        assert (installed / name).is_file()
    assert os.access(installed / "bin/cairn", os.X_OK)
    links = found(installed, "libcairn.so")
    assert links.is_symlink() and links.resolve().name.startswith("libcairn.so.")
    assert [path.name for path in installed.rglob("include/*")] == ["cairn.h"]


def test_shared_library(installed, server, tmp_path):
    program = compile_program(tmp_path, PROGRAM, *pkg_config(installed, "--cflags", "--libs"))
    folder = found(installed, "libcairn.so").parent
    needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    assert "libcairn.so.1" in needed and "libcurl" not in needed
    run_program(program, server, LD_LIBRARY_PATH=str(folder))


def test_archive(installed, server, tmp_path):
    libraries = [word for word in pkg_config(installed, "--libs") if word != "-lcairn"]
    curl = shlex.split(subprocess.run(["pkg-config", "--libs", "libcurl"], capture_output=True, text=True,
                                      check=True).stdout)
    program = compile_program(tmp_path, PROGRAM, *pkg_config(installed, "--cflags"), *libraries,
                              "-l:libcairn.a", *curl, "-pthread", "-lm", "-ldl")
    run_program(program, server)


def test_only_our_names_are_exported(installed):
    shared = subprocess.run(["nm", "-D", "--defined-only", found(installed, "libcairn.so")],
                            capture_output=True, text=True, check=True).stdout
    archive = subprocess.run(["nm", "-g", "--defined-only", found(installed, "libcairn.a")],
                             capture_output=True, text=True, check=True).stdout
    header = found(installed, "cairn.h").read_text()
    names = {line.split()[-1].split("@")[0] for line in (shared + archive).splitlines()
             if len(line.split()) == 3 and line.split()[1] in "TDBR"}
    assert names and all(f" {name}(" in header or f"*{name}(" in header or f'__asm__("{name}")' in header for name in names), names


@pytest.mark.parametrize("compiler, suffix", [
    (f"{CC} -std=c99 -pedantic-errors", ".c"), (f"{CC} -std=c17 -pedantic-errors", ".c"),
    pytest.param("c++ -std=c++17 -pedantic-errors", ".cpp",
                 marks=pytest.mark.skipif(not shutil.which("c++"), reason="there is no C++ compiler"))])
def test_header_in_other_dialects(installed, tmp_path, compiler, suffix):
    compile_program(tmp_path, HEADER_ALONE, *pkg_config(installed, "--cflags", "--libs"),
                    compiler=compiler, suffix=suffix)


def test_another_prefix_and_destdir(tmp_path):
    root = install("/opt/cairn", tmp_path)
    text = found(root, "cairn.pc").read_text()
    assert "prefix=/opt/cairn\n" in text and str(tmp_path) not in text
    assert "libdir=/opt/cairn/lib" in text and "includedir=/opt/cairn/include\n" in text


def test_manual_page_is_sound(installed):
    """groff finds nothing wrong with it, and each command and option is in it."""
    page = found(installed, "cairn.1")
    done = subprocess.run(["groff", "-ww", "-z", "-man", "-K", "utf8", page], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    text = page.read_text().replace("\\-", "-")
    command = str(installed / "bin/cairn")
    overview = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    for name in [line.split()[0] for line in overview.splitlines() if line.startswith("  ")]:
        assert f".SS cairn {name}" in text
        told = subprocess.run([command, name, "--help"], capture_output=True, text=True, check=True).stdout
        for option in [word for word in told.split() if word.startswith("--")]:
            assert option.rstrip(",.;") in text, option
