"""The folders of server/ are layers: a source can include only what its library links."""
import ast
import json
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

from test_install import BUILD, TOP

SERVER = TOP / "server"
SOURCES_MOST = 100
COMMANDS = json.loads((pathlib.Path(BUILD) / "compile_commands.json").read_text())


def flags_of(folder):
    """How the compiler is called for a source of the folder, without the source and its output."""
    command = next(one["command"] for one in COMMANDS if pathlib.Path(one["file"]).parent == SERVER / folder)
    words = [word for word in shlex.split(command) if not word.endswith("ccache")]
    return words[:words.index("-o")] if "-MD" not in words else words[:words.index("-MD")]


def compiled(folder, header):
    return subprocess.run([*flags_of(folder), "-fsyntax-only", "-x", "c", "-"], input=f'#include "{header}"\n', text=True,
                          capture_output=True, cwd=BUILD)


@pytest.mark.parametrize("folder,header", [("sdk", "routes.h"), ("sdk", "run_api.h"), ("sdk", "listeners.h"), ("service", "series_ask.h"),
                                           ("charts", "listeners.h"), ("access", "run_target.h"), ("store", "request.h"),
                                           ("domain", "db.h"), ("db", "db_embedded.h"), ("json", "run.h")])
def test_a_folder_cannot_include_what_it_does_not_link(folder, header):
    found = next(SERVER.rglob(header)).relative_to(SERVER).parts[0]
    allowed = compiled(found, header)
    assert allowed.returncode == 0, allowed.stderr
    folder = "store/runs" if folder == "store" else folder
    refused = compiled(folder, header)
    assert refused.returncode and f"{header}: No such file" in refused.stderr


def test_no_folder_is_too_large_to_read():
    folders = [path for path in SERVER.rglob("*") if path.is_dir()]
    counts = {str(path.relative_to(SERVER)): sum(one.suffix in (".c", ".h") for one in path.iterdir()) for path in folders}
    assert {name: count for name, count in counts.items() if count > SOURCES_MOST} == {}


# Modules of the Python package from the ground up; each imports only those before it. Tables and frameworks are extras.
PYTHON = TOP / "client/python/cairn"
PYTHON_LAYERS = ["_errors", "_lib", "_settings", "_values", "_documents", "_http", "_artifacts", "_files", "_console", "_row", "_report",
                 "_media", "_options", "_trial", "_run", "_init", "_sweep", "_agent", "_api", "integration/_common"]
PYTHON_EXTRAS = {"_api": {"pandas", "polars", "pyarrow"}, "integration/lightning": {"lightning", "pytorch_lightning"},
                 "integration/transformers": {"transformers"}, "integration/keras": {"keras"}}


def imports_of(path):
    """(modules of others, modules of the package)"""
    others, own = set(), set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            others |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            others.add(node.module.partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            folder = [*path.relative_to(PYTHON).parts[:-1]][:1 if node.level == 1 else 0]
            own |= {"/".join([*folder, name]) for name in ([node.module] if node.module else [alias.name for alias in node.names])}
    return others, own


def test_the_python_package_needs_only_the_standard_library():
    modules = {path.relative_to(PYTHON).with_suffix("").as_posix(): path for path in PYTHON.rglob("*.py")}
    layers = [*PYTHON_LAYERS, *sorted(set(modules) - set(PYTHON_LAYERS))]
    assert set(PYTHON_LAYERS) <= set(modules)
    for name, path in modules.items():
        others, own = imports_of(path)
        assert others <= set(sys.stdlib_module_names) | PYTHON_EXTRAS.get(name, set()), name
        assert own <= set(layers[:layers.index(name)]), (name, own)


@pytest.mark.parametrize("page", ["docs/design.md", "docs/architecture.md", "README.md"])
def test_files_that_a_page_names_exist(page):
    files = {str(path.relative_to(TOP)) for folder in ("server", "client", "sampler", "shared", "web-static", "tests", "scripts", "docs", "api")
             for path in (TOP / folder).rglob("*") if path.is_file()}
    named = set(re.findall(r"`((?:[\w-]+/)+[\w-]+\.(?:c|h|sql|js|py))`", (TOP / page).read_text()))
    named = {name for name in named if "NNNN" not in name and "NOUN" not in name}
    assert {name for name in named if not any(file == name or file.endswith(f"/{name}") for file in files)} == set()
