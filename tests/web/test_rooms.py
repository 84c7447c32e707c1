"""How the page's modules lie in folders: which may import which, and how many there are of each."""
import pathlib
import re

import pytest

JS = pathlib.Path(__file__).resolve().parents[2] / "web-static/js"
# A module imports those of its own room and of the rooms before it, at once or when they are used.
ROOMS = ["base", "text", "ui", "top", "tables", "files", "projects", "artifacts", "compare/model", "list", "chart", "logs", "system", "run", "compare", "sweeps",
         "settings", "frame", "pages", "main"]
LEAVES = {"base": {"base"}, "text": {"text"}, "ui": {"base", "text", "ui"}}
# What the whole page shares, beside main.js and what it does not import: the theme, which is set before anything is drawn.
TOP = {"address.js", "api.js", "api_forms.js", "draft.js", "live.js", "live_hub.js", "live_wanted.js", "live_worker.js", "main.js",
       "router.js", "theme.js"}
ENTRIES = {"main.js", "theme.js", "live_worker.js"}
FILES_MOST = 60
COMMENT = re.compile(r"/\*.*?\*/", re.S)
IMPORTED = re.compile(r"""^(?:import|export)\b[^;'"]*?\bfrom '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)""", re.M)


def name_of(path):
    return path.relative_to(JS).as_posix()


def room_of(name):
    if name == "main.js":
        return "main"
    return next((room for room in sorted(ROOMS, key=len, reverse=True) if name.startswith(room + "/")), "top")


def imports_of(path):
    """Names of modules; what is of none of them, as of lib/, is left out."""
    found = ("".join(groups) for groups in IMPORTED.findall(COMMENT.sub("", path.read_text())))
    targets = [(path.parent / one).resolve() for one in found]
    return {name_of(target) for target in targets if target.is_relative_to(JS)}


@pytest.fixture(scope="module", name="imports")
def every_import():
    return {name_of(path): imports_of(path) for path in sorted(JS.rglob("*.js"))}


def test_every_module_is_in_a_room(imports):
    assert {name for name in imports if "/" not in name} == TOP
    assert {name for name in imports if "/" in name and room_of(name) == "top"} == set()
    assert {folder: count for folder in JS.rglob("*/") if (count := len(list(folder.glob("*.js")))) > FILES_MOST} == {}


def test_rooms_import_what_stands_before_them(imports):
    assert len(imports) > 300 and sum(map(len, imports.values())) > 1500
    back = [(name, other) for name, others in imports.items() for other in others
            if ROOMS.index(room_of(other)) > ROOMS.index(room_of(name))
            or room_of(other) not in LEAVES.get(room_of(name), ROOMS)]
    assert back == []


def test_what_is_imported_is_there_and_what_is_there_is_imported(imports):
    named = set().union(*imports.values())
    assert named - set(imports) == set()
    assert set(imports) - named - ENTRIES == set()


def test_what_the_server_answers_is_no_page():
    """The router opens no links of it: each word that the server keeps for itself, but those that only the page uses."""
    def words(path, form, of):
        return set(re.findall(of, re.search(form, (JS.parents[1] / path).read_text(), re.S)[1]))
    kept = words("server/http/page_path.c", r"own\[\] = \{(.*?)\};", r'"([^"]+)"')
    served = words("web-static/js/router.js", r"const SERVED = \[(.*?)\];", r"'([^']+)'")
    assert kept - served == {"authorize", "favicon.ico", "login", "robots.txt"} and not served - kept
