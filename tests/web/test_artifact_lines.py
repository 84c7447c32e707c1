"""The lines that the page gives to log and use artifacts, run by a shell."""
import os
import subprocess
import tarfile

import pytest

import module_api
from browsing import module_of, sign_in
from installed import install

sdk = module_of("wandb/sdk.py")
PYTHON = sdk.FOLDER / sdk.NEWEST / "bin"
api = module_api.api


@pytest.fixture
def shell(tmp_path):
    """shell(lines): what they print, as somebody types them who has installed the programs and the newest SDK."""
    environment = install(tmp_path)
    environment["PATH"] = os.pathsep.join([str(PYTHON), environment["PATH"]])

    def run(lines):
        done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", lines], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    return run


@pytest.mark.long
def test_lines_that_log_and_use(screen, server, api, keys, shell, tmp_path):
    """Nobody reloads: the collection appears when the first version is there. Each way logs one, and each way fetches it."""
    sdk.environment(sdk.NEWEST)
    api.put("/api/v1/projects/ann/lines", {})
    one = screen()
    page = one.page
    sign_in(page, f"http://127.0.0.1:{server.port}/ann/lines/artifacts")
    lines = page.get_by_label("Lines for a shell")
    ways = page.get_by_role("group", name="Ways to log an artifact").get_by_role("button")
    ways.first.wait_for()  # the module of the lines comes after the page
    logged = []
    for way in ways.all():
        way.click()
        logged.append(lines.inner_text().replace("YOUR_KEY", keys["ann"]))
    assert len(logged) == 3
    for text in logged:
        shell(text)
    page.get_by_role("link", name="first", exact=True).click()
    page.get_by_role("link", name="v2").click()
    page.get_by_role("heading", level=1, name="first:v2").wait_for()
    page.locator(".tabs").get_by_role("link", name="Use").click()
    cards = page.locator("pre.lines")
    cards.first.wait_for()
    in_run, alone, command, curl = (text.replace("YOUR_KEY", keys["ann"]) for text in cards.all_inner_texts())
    for text in in_run, alone:
        folder = shell(text).split()[-1]
        assert (tmp_path / folder / "hello.txt").read_text() == "hello\n"
    shell(command)
    assert (tmp_path / "first/hello.txt").read_text() == "hello\n"
    shell(curl)
    with tarfile.open(tmp_path / "first-v2.tar") as tar:
        assert [name.rpartition("/")[2] for name in tar.getnames()] == ["hello.txt"]
    assert [use["version"]["version"] for use in api.get(f"/api/v1/projects/ann/lines/runs/{run_of(api)}/artifacts").json["items"]] == ["v2"]


def run_of(api):
    """The run that used the version: the latest."""
    return api.get("/api/v1/projects/ann/lines/runs", order="-created_at", limit=1).json["items"][0]["id"]
