"""A project without runs, in a real browser: the lines that make its first run, taken from the page and run by a shell."""
import os
import subprocess
import urllib.parse

import pytest

from browsing import SIZES, faults_of, long, module_of, sign_in
from installed import install

sdk = module_of("wandb/sdk.py")
PROJECT = "/api/v1/projects/ann/"
PYTHON = sdk.FOLDER / sdk.NEWEST / "bin"
WAYS = {"wandb SDK": "it's größe", "Any program": "any_program", "C": "in.c", "curl": "it's by curl"}


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """shell(lines): as somebody types them who has installed the programs and the newest SDK."""
    folder = tmp_path_factory.mktemp("shell")
    environment = install(folder)
    environment["PATH"] = os.pathsep.join([str(PYTHON), environment["PATH"]])

    def run(lines):
        done = subprocess.run(["bash", "-eu", "-c", lines], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
    return run


@pytest.fixture
def open_empty(screen, server, with_password, api):
    """open_empty(project): a Screen at a new project, by an address that a shell of this machine can reach, too."""
    def come(project, **options):
        path = urllib.parse.quote(project)
        api.put(PROJECT + path, {})
        one = screen(**options)
        sign_in(one.page, f"http://127.0.0.1:{server.port}/ann/{path}")
        one.page.get_by_role("heading", name=f"No runs in ann/{project} yet").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return come


@pytest.mark.parametrize("way, project", [(way, project) if way == "wandb SDK" else long(way, project) for way, project in WAYS.items()])
def test_the_lines_make_a_run(open_empty, shell, way, project):
    """With a key that the page makes; nobody reloads: the run is opened when it comes, and Back leads to the charts."""
    if way == "wandb SDK":
        sdk.environment(sdk.NEWEST)
    one = open_empty(project)
    page = one.page
    page.get_by_role("group", name="Ways to start a run").get_by_role("button", name=way, exact=True).click()
    page.get_by_role("button", name="Create a key and insert it").click()
    page.get_by_text("The lines contain your new key").wait_for()
    lines = page.get_by_label("Lines for a shell").inner_text()
    assert "YOUR_KEY" not in lines
    shell(lines)
    page.locator(".run-head").wait_for()
    page.wait_for_url("**/runs/*")
    page.go_back()
    page.get_by_role("heading", name="Runs 1").wait_for()
    page.get_by_role("article", name="Chart of loss", exact=True).locator("canvas").wait_for()
    assert page.get_by_role("heading", name="No runs in").count() == 0
    assert not one.complaints


@pytest.mark.long
def test_only_where_there_is_no_run(open_empty, api):
    """Not where a filter finds none; the table of runs has it as well, and who is not signed in does not."""
    page = open_empty("only-empty").page
    page.goto(f"{page.url}/table?q=state:running")
    page.get_by_role("heading", name="No runs in ann/only-empty yet").wait_for()
    api.put(f"{PROJECT}only-empty/runs/r1", {})
    api.post(f"{PROJECT}only-empty/runs/r1/states", {"state": "killed", "reason": "a test"})
    page.get_by_text("No run matches.").wait_for()
    page.get_by_text("1 run without the filter.").wait_for()
    assert page.get_by_role("heading", name="No runs in").count() == 0


def test_a_stranger_is_only_told(screen, server, api):
    api.put(f"{PROJECT}shown-empty", {"visibility": "public"})
    page = screen().page
    page.goto(f"http://127.0.0.1:{server.port}/ann/shown-empty")
    page.get_by_text("No runs yet.").wait_for()
    assert page.get_by_role("heading", name="No runs in").count() == 0


@pytest.mark.long
def test_for_everybody(open_empty):
    """Each way, in both themes, wide and narrow; and what is copied is what is seen."""
    one = open_empty("for-everybody")
    page = one.page
    for size in SIZES.values():
        page.set_viewport_size(size)
        for scheme, way in ("light", "C"), ("dark", "wandb SDK"):
            page.emulate_media(color_scheme=scheme)
            page.locator(f"html[data-theme={scheme}]").wait_for(state="attached")
            page.get_by_role("button", name=way, exact=True).click()
            assert faults_of(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.get_by_label("Lines for a shell").inner_text()
    assert not one.complaints
