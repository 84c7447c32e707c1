"""Pictures of the main pages, as people see them: into the folder `pictures` of the build, light and dark, wide and narrow."""
import os
import pathlib

import pytest

from browsing import SIZES, set_password, sign_in
from cluster import wait_until
from rest import Api
from screen import HOST
from showcase import HOME, make_project

FOLDER = pathlib.Path(os.environ.get("CAIRN_BUILD", "build/dev")) / "pictures"

# name: where it is; what is there when it is drawn
PAGES = {
    "workspace": ("", ".panel canvas, .virtual a"),
    "table": ("/table", ".virtual a"),
    "overview": ("/runs/ranks/overview", "h1"),
    "charts": ("/runs/ranks/charts", ".panel canvas"),
    "writers": ("/runs/ranks/writers", "canvas"),
    "logs": ("/runs/ranks/logs", ".log"),
    "system": ("/runs/ranks/system", "canvas"),
    "compare": ("/compare?runs=t00,t01,t02,t03", ".compare-page h1"),
    "settings": ("/settings", "h1"),
}


@pytest.fixture(scope="module")
def project(shared_place, keys, secret_file, tmp_path_factory):
    set_password(shared_place.db, secret_file, tmp_path_factory.mktemp("password"))
    api = Api(shared_place.server(0), keys["ann"])
    make_project(api)
    yield api
    api.close()


@pytest.fixture
def counted(project, wait_for):
    wait_for(lambda: project.get(f"{HOME}/runs", filter="has:summary.train/loss", count="true", limit=1).json["count"] == 13,
             timeout=60, what="13 runs that are found")


def settle(one):
    """What is asked for came, and nothing more is asked for."""
    def asked():
        before = len(one.asked)
        one.page.evaluate("new Promise((done) => setTimeout(done, 300))")
        return len(one.asked) == before
    wait_until(asked, what="a page that stands")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pictures(screen, server, counted, scheme, size):
    """Each shows what it is for, and nobody complains."""
    one = screen(color_scheme=scheme, viewport=SIZES[size], reduced_motion="reduce")
    base = f"http://{HOST}:{server.port}/ann/tiny-lm"
    FOLDER.mkdir(exist_ok=True)
    sign_in(one.page, base)
    one.page.get_by_role("grid").wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    for name, (path, drawn) in PAGES.items():
        one.page.goto(base + path)
        one.page.locator(drawn).first.wait_for(state="attached")
        settle(one)
        one.page.screenshot(path=FOLDER / f"{name}-{size}-{scheme}.png")
    assert not one.complaints
