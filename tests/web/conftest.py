"""Fixtures of the web suite: those of the API suite, and a real Chromium.

The pages are asked for by a name that is not loopback: browsers treat plain http there as they do in an
air gap (no clipboard, no Sec-Fetch-Site).
"""
import importlib.util
import pathlib
import re
import sys
import types

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "api"), str(HERE.parent)]

import whole_suite  # noqa: E402
from browsing import set_password  # noqa: E402
from late_way import LateWay  # noqa: E402
from rest import Api  # noqa: E402
from screen import CHROMIUM, HOST, Screen  # noqa: E402
from server import Server  # noqa: E402

_spec = importlib.util.spec_from_file_location("api_fixtures", HERE.parent / "api/conftest.py")
_fixtures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_fixtures)
cluster, secret_file, keys_of_template = _fixtures.cluster, _fixtures.secret_file, _fixtures.keys
settings, place_kind, shared_place = _fixtures.settings, _fixtures.place_kind, _fixtures.shared_place
is_own, place, db, server, by = _fixtures.is_own, _fixtures.place, _fixtures.db, _fixtures.server, _fixtures.by
wait_for, shift_clock = _fixtures.wait_for, _fixtures.shift_clock


def pytest_addoption(parser):
    whole_suite.add_option(parser)
    parser.addoption("--late", type=int, metavar="SEED", help="what the browser asks and is answered comes late by chance")
    parser.addoption("--pictures", action="store_true", help="in each size and theme, too, what else is walked in two of the four")


def pytest_collection_modifyitems(config, items):
    pictures = config.getoption("--pictures")
    whole_suite.leave_out(config, items, lambda item: whole_suite.is_left_out(config, item) or (
        item.get_closest_marker("pictures") and not pictures))


@pytest.fixture(scope="session")
def keys(keys_of_template, cluster, secret_file, tmp_path_factory):
    """In each database that is made of the template ann and bob have browsing.PASSWORD."""
    template = types.SimpleNamespace(url=cluster.url("template_cairn"))
    for user in "ann", "bob":
        set_password(template, secret_file, tmp_path_factory.mktemp("password"), user)
    return keys_of_template


@pytest.fixture(scope="session")
def late_way(request):
    seed = request.config.getoption("--late")
    way = None if seed is None else LateWay(seed)
    yield way
    if way:
        way.stop()


@pytest.fixture(autouse=True)
def the_same_chances(request, late_way):
    """Whatever other tests are run: by its name each is as late as before."""
    if late_way:
        late_way.random.seed(f"{request.config.getoption('--late')} {request.node.nodeid}")


@pytest.fixture(scope="session")
def chromium(late_way):
    if not CHROMIUM:
        pytest.skip("no Chromium")
    from playwright.sync_api import sync_playwright
    place = f"127.0.0.1:{late_way.port}" if late_way else "127.0.0.1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[f"--host-resolver-rules=MAP *.test {place}", "--no-proxy-server"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def with_password(shared_place):
    """Ann and bob sign in with browsing.PASSWORD."""


@pytest.fixture
def base(server, with_password):
    return f"http://{HOST}:{server.port}"


@pytest.fixture(scope="module")
def plain_base(shared_place, secret_file, with_password):
    """The page as its plain modules, for a test that imports one of them by its path."""
    with Server(shared_place.db.url, secret_file, web_dir=HERE.parents[1] / "web-static") as server:
        yield f"http://{HOST}:{server.port}"


@pytest.fixture
def api(server, keys):
    """REST, as ann."""
    made = Api(server, keys["ann"])
    yield made
    made.close()


@pytest.fixture
def home(request):
    """The path of the test's own project, which is not made yet."""
    return f"/api/v1/projects/ann/{re.sub('[^a-z0-9]+', '-', request.node.name)[:60].strip('-')}"


@pytest.fixture
def screen(chromium):
    """screen(**options of a Playwright context): a Screen."""
    made = []

    def make(**options):
        made.append(Screen(chromium, **options))
        return made[-1]
    yield make
    for one in made:
        one.context.close()
