"""The folders of server/ are layers: a source can include only what its library links."""
import json
import pathlib
import re
import shlex
import subprocess

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


@pytest.mark.parametrize("page", ["docs/design.md", "docs/architecture.md", "README.md"])
def test_files_that_a_page_names_exist(page):
    files = {str(path.relative_to(TOP)) for folder in ("server", "client", "sampler", "shared", "web-static", "tests", "scripts", "docs", "api")
             for path in (TOP / folder).rglob("*") if path.is_file()}
    named = set(re.findall(r"`((?:[\w-]+/)+[\w-]+\.(?:c|h|sql|js|py))`", (TOP / page).read_text()))
    named = {name for name in named if "NNNN" not in name and "NOUN" not in name}
    assert {name for name in named if not any(file == name or file.endswith(f"/{name}") for file in files)} == set()
