"""The list of projects in a real browser: what goes on in them, searching, making one, and the first of all."""
import pytest

from browsing import SIZES, faults_of, region, sign_in
from runs import Run

HOME = "/api/v1/projects/ann/"


@pytest.fixture
def projects(api):
    """Three: one that ended, one without a run, one that runs and was heard last."""
    for name in "ended", "empty", "running":
        api.put(HOME + name, {"description": f"what is {name}"})
    old = Run(api, "r1", f"{HOME}ended").join("rank0")
    old.send(history=[{"loss": 1}])
    old.finish()
    new = Run(api, "r1", f"{HOME}running")
    new.writer = new.join("rank0")
    new.writer.send(history=[{"loss": 1}])
    return new


def rows(page):
    found = region(page, "Projects").get_by_role("row").all_inner_texts()[1:]
    return [[cell.strip() for cell in text.split("\t")] for text in found]


def names(page):
    return [row[0].split("\n")[0] for row in rows(page)]


def test_what_goes_on(screen, base, projects, wait_for):
    """The last active first; what changes is seen without reloading."""
    one = screen()
    page = one.page
    page.clock.install()
    sign_in(page, f"{base}/")
    page.get_by_role("heading", name="Projects").wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    wait_for(lambda: names(page)[0] == "ann/running", what="the table")
    found = {row[0].split("\n")[0]: row for row in rows(page)}
    assert [found[f"ann/{name}"][1:3] for name in ("running", "ended", "empty")] == [["1", "1"], ["0", "1"], ["0", "0"]]
    assert found["ann/empty"][3] == "—" and found["ann/ended"][3].endswith("ago")
    page.keyboard.press("/")
    page.keyboard.type("WHAT run")
    wait_for(lambda: names(page) == ["ann/running"], what="what is found")
    assert page.url.endswith("?q=WHAT+run")
    page.keyboard.type(" never")
    page.get_by_text("No project matches.").wait_for()
    page.goto(f"{base}/ann?q=running")
    wait_for(lambda: names(page) == ["ann/running"], what="the same by its address")
    projects.writer.finish()
    page.clock.fast_forward(10_000)  # it is read anew so often
    wait_for(lambda: rows(page)[0][1:3] == ["0", "1"], what="the end")
    assert not one.complaints


def test_a_new_one(screen, base, projects):
    """Made, and there is how to make its first run."""
    page = screen().page
    sign_in(page, f"{base}/")
    page.get_by_role("button", name="New project").click()
    box = page.get_by_role("dialog", name="New project")
    assert faults_of(page) == []
    assert box.get_by_role("button", name="Create", exact=True).is_disabled()
    box.get_by_label("Name").fill("a/b")
    box.get_by_role("button", name="Create", exact=True).click()
    box.get_by_role("alert").filter(has_text="project").wait_for()
    box.get_by_label("Name").fill("größe 1")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="No runs in ann/größe 1 yet").wait_for()
    page.goto(f"{base}/lab")
    page.get_by_role("alert").get_by_text('User or team "lab" does not exist, or you (ann) have no access.').wait_for()
    page.goto(f"{base}/ann/nothere")
    page.get_by_role("alert").get_by_text('Project "ann/nothere" does not exist, or you (ann) have no access.').wait_for()


@pytest.mark.long
def test_the_first_of_all(screen, base):
    """Where one has none there are the lines; the table comes with the first, by itself."""
    page = screen().page
    sign_in(page, f"{base}/bob", "bob")
    page.get_by_role("heading", name="The first run").wait_for()
    assert 'entity="bob", project="first"' in page.get_by_label("Lines for a shell").inner_text()
    page.evaluate("""fetch('/api/v1/projects/bob/first/runs/first/history', {method: 'POST', body: '{"loss": 1}',
                     headers: {'Content-Type': 'application/json'}}).then((answer) => answer.text())""")
    region(page, "Projects").get_by_role("link", name="bob/first").wait_for()
    assert page.get_by_role("heading", name="The first run").count() == 0


@pytest.mark.long
def test_for_everybody(screen, base, projects):
    one = screen()
    page = one.page
    sign_in(page, f"{base}/")
    page.get_by_role("link", name="ann/running").wait_for()
    one.complaints.clear()
    for size in SIZES.values():
        page.set_viewport_size(size)
        for scheme in "light", "dark":
            page.emulate_media(color_scheme=scheme)
            page.locator(f"html[data-theme={scheme}]").wait_for(state="attached")
            assert faults_of(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
    assert not one.complaints
