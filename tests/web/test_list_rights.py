"""The list of runs for who may only read: what would be refused is not offered, and why is said."""
import pytest

from browsing import faults_of, set_password, sign_in
from cluster import wait_until
from runs import Run

WRITES = ["Rename", "Colour", "Tags", "Group", "Notes", "Stop", "Move", "Delete"]
READS = ["Open", "Pin as baseline", "Copy"]
WHY = "You have read access only"


@pytest.fixture
def project(by, request):
    """lab's, seen by everybody, with two runs that go on: its name."""
    name = request.node.name.partition("[")[0].replace("_", "-")
    home = f"/api/v1/projects/lab/{name}"
    by["bob"].put(home, {"visibility": "public"})
    for run in "r1", "r2":
        by["bob"].put(f"{home}/runs/{run}")
    wait_until(lambda: by["bob"].get(f"{home}/runs", count="true").json["count"] == 2, what="runs that are found")
    return name


def open_menu(page, run):
    page.get_by_role("row").filter(has=page.get_by_role("link", name=run, exact=True)).get_by_role("button", name="Menu of").click()
    return page.get_by_role("menu", name="Menu of")


def whys(menu):
    """By what an item says, up to its key: why it cannot be chosen, or None."""
    found = menu.get_by_role("menuitem").evaluate_all(
        "all => all.map((one) => [one.innerText.split('\\n')[0].replace('…', ''), one.ariaDisabled === 'true' ? one.title : null])")
    return dict(found)


def only_looks(page):
    """A member's actions are there, disabled with the reason, in the menu of a row and below the list."""
    menu = open_menu(page, "r1")
    told = whys(menu)
    assert {name: told.get(name, "not there") for name in WRITES} == dict.fromkeys(WRITES, WHY)
    assert [name for name in told if name.startswith(tuple(READS)) and told[name] is not None] == []
    assert faults_of(page) == []
    menu.get_by_role("menuitem", name="Rename").click(force=True)
    assert page.get_by_role("dialog").count() == 0
    page.keyboard.press("Escape")
    page.locator(".run-row[data-run=r1] .cell-age").click()
    selected = page.get_by_role("group", name="Selected runs")
    for name in "Tags", "Delete":
        button = selected.get_by_role("button", name=name)
        assert button.is_disabled() and button.get_attribute("title") == WHY
    selected.get_by_role("button", name="More with the selected").click()
    told = whys(page.get_by_role("menu"))
    assert told == {"Group": WHY, "Save as CSV": None, "Move": WHY}
    page.keyboard.press("Escape")


def enter(one, base, project, user):
    sign_in(one.page, f"{base}/settings/profile", user)
    one.page.get_by_role("button", name=f"Account of {user}").wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    one.page.goto(f"{base}/lab/{project}")
    one.page.get_by_role("link", name="r1", exact=True).wait_for()


def test_a_viewer(screen, base, project, shared_place, secret_file, tmp_path):
    set_password(shared_place.db, secret_file, tmp_path, "vic")
    one = screen(viewport={"width": 1440, "height": 900})
    enter(one, base, project, "vic")
    only_looks(one.page)
    assert not one.complaints


def test_who_is_not_signed_in(screen, base, project):
    one = screen(viewport={"width": 1440, "height": 900})
    one.page.goto(f"{base}/lab/{project}")
    one.page.get_by_role("link", name="r1", exact=True).wait_for()
    only_looks(one.page)


def test_who_may_write(screen, base, project):
    one = screen(viewport={"width": 1440, "height": 900})
    enter(one, base, project, "bob")
    told = whys(open_menu(one.page, "r1"))
    assert [name for name in WRITES if told[name]] == ["Move"]  # it goes on
    one.page.get_by_role("menuitem", name="Rename").click()
    one.page.get_by_role("dialog").wait_for()


def test_a_member_and_a_lost_writer(screen, base, by, project, shared_place, secret_file, tmp_path, wait_for):
    """Only admins end it; a member sees that, and whom to ask."""
    set_password(shared_place.db, secret_file, tmp_path, "mel")
    by["bob"].patch(f"/api/v1/projects/lab/{project}", {"crash_after_s": 5})
    run = Run(by["bob"], "r1", f"/api/v1/projects/lab/{project}")
    boss = run.join("rank0")
    run.join("rank1", "worker")
    one = screen()
    enter(one, base, project, "mel")
    page = one.page
    page.goto(f"{base}/lab/{project}/runs/r1/writers")
    page.locator(".writers-table").get_by_role("button", name="rank1").click()
    end = page.get_by_role("button", name="End this writer")

    def is_lost():
        boss.send()
        return end.is_visible()
    wait_for(is_lost, what="the writer that is lost")
    assert end.is_disabled() and faults_of(page) == []
    page.get_by_text("Only admins of lab can end lost writers.").wait_for()
    assert not one.complaints
