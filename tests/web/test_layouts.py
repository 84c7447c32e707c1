"""Layouts of panels: their sections, in the address, a draft or a view."""
import json

import pytest

import panel_pages
from browsing import faults_of
from cluster import wait_until
from panel_pages import OPEN, add, layout_of, menu_of, ordered, until
from test_charts import complaints, drawn, panel

PROJECT = "/api/v1/projects/ann/layouts"
api, runs, come = panel_pages.api, panel_pages.runs, panel_pages.come


@pytest.mark.long
def test_sections(come):
    """Renamed, folded, put in order; and a reload has them so."""
    one = come()
    page = one.page
    page.get_by_role("button", name="Menu of the section train").click()
    page.get_by_role("menuitem", name="Rename…").click()
    page.get_by_label("Name", exact=True).fill("Training")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Training", exact=True).wait_for()
    page.get_by_role("button", name="Menu of the section Training").click()
    page.get_by_role("menuitem", name="Move down").click()
    headings = "[...document.querySelectorAll('.section h2')].map(one => one.textContent).join()"
    until(page, f"{headings} === 'eval,Training,Charts'")
    page.get_by_role("button", name="Training", exact=True).click()
    panel(page, "train/a").wait_for(state="detached")
    page.reload()
    drawn(page, "gain")
    until(page, f"{headings} === 'eval,Training,Charts'")
    assert page.get_by_role("button", name="Training", exact=True).get_attribute("aria-expanded") == "false"
    assert not complaints(one)


def save_as(page, name, kind="mine"):
    page.get_by_role("button", name="Saved views").click()
    page.get_by_role("menuitem", name="Save as").click()
    page.get_by_label("Name of the view").fill(name)
    page.get_by_label("Visible to").select_option(kind)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text(f"Saved {name}").wait_for()


def views_of(page):
    page.get_by_role("button", name="Saved views").click()
    return page.get_by_role("menu")


def test_views_that_come_with_a_project_and_ones_own(come, api):
    """Each is what it is called; a change is taken back; one's own is nobody else's, and goes when one says so."""
    one = come()
    page, field = one.page, one.page.get_by_role("combobox", name="Filter runs")
    menu = views_of(page)
    assert menu.locator("hr").count() == 1 and not menu.locator("hr:last-child").count()
    for name, words in (("Debug", "(job_type:worker state:crashed) or writers_lost>0"), ("All nodes", "")):
        menu.get_by_role("menuitemradio", name=name).click()
        page.get_by_role("button", name="Saved views").get_by_text(name, exact=True).wait_for()
        until(page, f"[...document.querySelectorAll('input[role=combobox]')].some(({{value}}) => value === {json.dumps(words)})")
        menu = views_of(page)
    page.keyboard.press("Escape")
    field.fill("state:finished")
    field.press("Enter")
    page.get_by_role("button", name="Saved views").get_by_text("edited").wait_for()
    views_of(page).get_by_role("menuitem", name="Reset").click()
    page.get_by_role("button", name="Saved views").get_by_text("edited").wait_for(state="detached")
    until(page, "[...document.querySelectorAll('input[role=combobox]')].every(({ value }) => !value.includes('finished'))")
    page.get_by_role("button", name="Saved views").click()
    page.get_by_role("menuitem", name="Save as").click()
    page.get_by_label("Name of the view").fill("Only mine")
    page.get_by_label("Visible to").select_option("mine")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved Only mine").wait_for()
    assert [view["kind"] for view in api.get(f"{PROJECT}/views").json["items"] if view["name"] == "Only mine"] == ["mine"]
    views_of(page).get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog", name="Delete Only mine?").get_by_role("button", name="Delete").click()
    page.get_by_text("Deleted Only mine").wait_for()
    until(page, "!new URLSearchParams(location.search).has('view')")
    assert not [view for view in api.get(f"{PROJECT}/views").json["items"] if view["name"] == "Only mine"]
    assert not complaints(one)


def save(page):
    page.get_by_role("button", name="Saved views").click()
    page.get_by_role("menuitem", name="Save", exact=True).click()


def test_two_who_save_one_view(come):
    """The second is told that the first saved, and nothing is overwritten unasked."""
    first, second = come(), come()
    add(first.page, "gain", pick="gain")
    ordered(first.page, "Pinned", [":1"])
    save_as(first.page, "Shared")
    second.page.get_by_role("button", name="Saved views").click()
    second.page.get_by_role("menuitemradio", name="Shared").wait_for()
    second.page.keyboard.press("Escape")
    second.page.goto(first.page.url)
    ordered(second.page, "Pinned", [":1"])
    second.page.get_by_role("button", name="Saved views").get_by_text("Shared").wait_for()
    add(first.page, "train/a", pick="train/a")
    ordered(first.page, "Pinned", [":1", ":2"])
    save(first.page)
    first.page.get_by_role("button", name="Saved views").get_by_text("edited").wait_for(state="detached")
    add(second.page, "train/b", pick="train/b")
    save(second.page)
    asked = second.page.get_by_role("dialog", name="The view has changed")
    asked.get_by_text("ann saved Shared").wait_for()
    asked.get_by_role("button", name="Show theirs").click()
    ordered(second.page, "Pinned", [":1", ":2"])
    assert layout_of(second.page)["panels"][":2"]["keys"] == ["train/a"]
    assert not complaints(first)
    assert all("412" in words for words in complaints(second))


class Held:
    """What a page asks for with a method at views, held until the test lets it go."""

    def __init__(self, page, method):
        self.page, self.method, self.routes, self.is_over = page, method, [], False
        page.route("**/layouts/views**", self.take)

    def take(self, route):
        if route.request.method == self.method and not self.is_over:
            self.routes.append(route)
        else:
            route.continue_()

    def came(self):
        wait_until(lambda: self.page.title() is not None and self.routes, what=f"a {self.method} of a view")

    def let_go(self):
        self.is_over = True
        self.routes[0].continue_()


def filter_by(page, words):
    page.get_by_role("combobox", name="Filter runs").fill(words)
    page.get_by_role("combobox", name="Filter runs").press("Enter")
    until(page, f"new URLSearchParams(location.search).get('q') === {words!r}")


def stored(api, name):
    [view] = [item for item in api.get(f"{PROJECT}/views").json["items"] if item["name"] == name]
    return api.get(f"{PROJECT}/views/{view['id']}").json


def is_called(page, name):
    page.get_by_role("button", name="Saved views").locator("b", has_text=name).wait_for()


@pytest.mark.long
def test_what_one_changes_while_a_view_is_saved(come, api):
    """It stays, as an edit of what was saved; also of a view that is made."""
    page = come().page
    filter_by(page, "rows>0")
    views_of(page).get_by_role("menuitem", name="Save as").click()
    page.get_by_label("Name of the view").fill("Slow")
    held = Held(page, "POST")
    page.get_by_role("button", name="Save", exact=True).click()
    held.came()
    page.evaluate("""() => {
        history.pushState({}, '', location.search.replace('q=', 'sort=name&q='));
        dispatchEvent(new PopStateEvent('popstate'));
    }""")
    held.let_go()
    page.get_by_text("Saved Slow").wait_for()
    view = stored(api, "Slow")
    until(page, f"new URLSearchParams(location.search).get('view') === {view['id']!r}")
    assert page.evaluate("new URLSearchParams(location.search).get('sort')") == "name"
    assert "sort" not in view["state"]
    page.get_by_role("button", name="Saved views").get_by_text("edited").wait_for()

    held = Held(page, "PATCH")
    save(page)
    held.came()
    filter_by(page, "rows>1")
    held.let_go()
    page.get_by_role("button", name="Saved views").get_by_text("edited").wait_for()
    wait_until(lambda: stored(api, "Slow")["state"].get("sort") == "name", what="what was saved")
    page.get_by_role("button", name="Saved views").click()
    page.get_by_role("menuitem", name="Reset").click()
    until(page, "new URLSearchParams(location.search).get('q') === 'rows>0'")
    assert page.evaluate("new URLSearchParams(location.search).get('sort')") == "name"


@pytest.mark.long
def test_who_goes_on_to_another_view_before_a_conflict_is_told(come, api):
    """What was to be saved is asked about, and not what is open by then, which stays."""
    page = come().page
    filter_by(page, "rows>2")
    save_as(page, "Other")
    filter_by(page, "rows>3")
    save_as(page, "Common")
    common = stored(api, "Common")
    api.patch(f"{PROJECT}/views/{common['id']}", {"state": {"q": "rows>4"}})
    filter_by(page, "rows>5")
    held = Held(page, "PATCH")
    save(page)
    held.came()
    views_of(page).get_by_role("menuitemradio", name="Other").click()
    is_called(page, "Other")
    held.let_go()
    asked = page.get_by_role("dialog", name="The view has changed")
    asked.get_by_text("ann saved Common").wait_for()
    asked.get_by_role("button", name="Overwrite theirs").click()
    asked.wait_for(state="detached")
    wait_until(lambda: stored(api, "Common")["state"]["q"] == "rows>5", what="what was saved over theirs")
    assert stored(api, "Other")["state"]["q"] == "rows>2"
    is_called(page, "Other")
    until(page, "new URLSearchParams(location.search).get('q') === 'rows>2'")


@pytest.mark.long
def test_a_view_is_deleted_when_one_says_so(come, api):
    """That it goes for all is said before, and that somebody saved it since; who went on meanwhile stays there."""
    page = come().page
    filter_by(page, "rows>6")
    save_as(page, "Kept")
    filter_by(page, "rows>7")
    save_as(page, "To go", "project")
    view = stored(api, "To go")
    asked = page.get_by_role("dialog", name="Delete To go?")
    views_of(page).get_by_role("menuitem", name="Delete").click()
    asked.get_by_text("It is deleted for all users of the project").wait_for()
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    asked.wait_for(state="detached")
    assert stored(api, "To go")["version"] == view["version"]
    api.patch(f"{PROJECT}/views/{view['id']}", {"state": {"q": "rows>8"}})
    views_of(page).get_by_role("menuitem", name="Delete").click()
    asked.get_by_role("button", name="Delete").click()
    asked.get_by_text("ann saved it at").wait_for()
    assert stored(api, "To go")["state"]["q"] == "rows>8"
    held = Held(page, "DELETE")
    asked.get_by_role("button", name="Delete").click()
    held.came()
    page.keyboard.press("Escape")
    views_of(page).get_by_role("menuitemradio", name="Kept").click()
    is_called(page, "Kept")
    held.let_go()
    page.get_by_text("Deleted To go").wait_for()
    wait_until(lambda: "To go" not in [item["name"] for item in api.get(f"{PROJECT}/views").json["items"]], what="the view is gone")
    is_called(page, "Kept")
    until(page, "new URLSearchParams(location.search).get('q') === 'rows>6'")
    views_of(page).get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog", name="Delete Kept?").get_by_role("button", name="Delete").click()
    until(page, "!new URLSearchParams(location.search).has('view')")
    assert page.evaluate("new URLSearchParams(location.search).get('q')") == "rows>6", "what is seen stays"


@pytest.mark.long
def test_a_layout_that_is_too_long_for_an_address(come, api):
    """It becomes a draft, which who has the address sees, too; and a saved view has all of it."""
    one = come()
    page = one.page
    menu_of(page, "train/a", "Edit…")
    bar = page.get_by_role("toolbar", name="Panel", exact=True)
    long = "x" * 240
    for key in ("train/a", "train/b", "train/c", "gain", "eval/acc"):
        page.evaluate(OPEN, key)
        page.get_by_role("dialog", name="Full screen").locator(f"article[aria-label='Chart of {key}']").wait_for()
        bar.get_by_label("Title").fill(f"{key} {long}")
        page.get_by_role("heading", name=f"{key} {long}").first.wait_for()
    bar.get_by_label("Title").fill(f"eval/acc {long}{long}"[:256])
    until(page, "/layout=@~[a-z0-9]{8}/.test(decodeURIComponent(location.search)) && location.search.length < 200")
    page.keyboard.press("Escape")
    until(page, "!new URLSearchParams(location.search).has('panel')")
    page.reload()
    drawn(page, f"train/a {long}")
    save_as(page, "Long")
    until(page, "/layout=@[a-z0-9]{8}/.test(decodeURIComponent(location.search))")
    view = next(item for item in api.get(f"{PROJECT}/views").json["items"] if item["name"] == "Long")
    assert len(json.loads(api.get(f"{PROJECT}/views/{view['id']}").json["state"]["layout"])["panels"]) == 5
    assert not page.get_by_role("button", name="Saved views").get_by_text("edited").count()
    page.goto(page.url.partition("?")[0] + "?layout=@~gone1234")
    page.get_by_text("The layout of this link has expired.").wait_for()
    drawn(page, "gain")
    page.goto(page.url.partition("?")[0] + "?layout=%7Bnonsense")
    drawn(page, "gain")
    assert all("404" in words for words in complaints(one))
