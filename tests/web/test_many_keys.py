"""A project with more keys than the server tells at once: each is found by what is typed, and known as what it is by its name."""
import pytest

import module_api
from browsing import faults_of, sign_in
from cluster import wait_until
from list_pages import query_of

api = module_api.api
HOME = "/api/v1/projects/ann/keys"
KEYS = 1300
RARE = "config.zz.rare"


@pytest.fixture(scope="module")
def made(api):
    """Three runs with the same 1,300 keys, and two with one that is behind all of those: 1 and 3."""
    for number in range(3):
        api.put(f"{HOME}/runs/r{number}", {"group": "many", "config": {f"k{at:04}": at + number for at in range(KEYS)}})
    for run, number in ("few1", 1), ("few2", 3):
        api.put(f"{HOME}/runs/{run}", {"group": "few", "config": {"zz": {"rare": number}}})

    def is_found():
        first = [one["field"] for one in api.get(f"{HOME}/fields", limit=1000).json["items"]]
        return len(first) == 1000 and RARE not in first and api.get(f"{HOME}/fields", match="rare").json["count"] == 1
    wait_until(is_found, what="keys that are found")
    return api


@pytest.fixture
def come(screen, base, made):
    def at(query=""):
        one = screen(viewport={"width": 1440, "height": 900})
        with one.page.expect_response(lambda answer: "/fields?" in answer.url and answer.ok):
            sign_in(one.page, f"{base}/ann/keys{query}")
        one.page.locator(".virtual .run-row").first.wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def cell(page, row, more=""):
    return page.get_by_role("row").filter(has_text=row).locator(f".cell-col{more}")


@pytest.mark.long
def test_a_column_of_an_address(come):
    """It is a number: at the right, and of groups the mean."""
    one = come(f"?cols={RARE}")
    cell(one.page, "few2", ".num").filter(has_text="3").wait_for()
    one.page.goto(one.page.url + "&group=group")
    cell(one.page, "few", ".num").filter(has_text="2").wait_for()
    assert one.page.get_by_text("different values").count() == 0
    assert not one.complaints


def test_a_column_is_found(come):
    one = come("?cols=config.k0001")
    page = one.page
    page.get_by_role("button", name="Columns 1").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("searchbox").fill("ZZ.ra")
    dialog.get_by_role("button", name=RARE).click()
    cell(page, "few1", ".num").filter(has_text="1").wait_for()
    assert query_of(page)["cols"] == f"config.k0001,{RARE}"
    dialog.get_by_role("searchbox").fill("k12[0-2]9$")
    for number in 1209, 1219, 1229:
        dialog.get_by_role("button", name=f"config.k{number}").wait_for()
    assert faults_of(page) == [] and not one.complaints


@pytest.mark.long
def test_keys_of_groups_and_of_the_order(come):
    """What the browser offers below a field."""
    page = come().page
    for at, is_known in (1, False), (2, True):
        page.locator(".runs-buttons button").nth(at).click()
        dialog = page.get_by_role("dialog")
        field = dialog.get_by_role("combobox", name="Key").first
        offered = dialog.locator(f"datalist option[value='{RARE}']")
        assert offered.count() == (1 if is_known else 0)  # it was found for the first
        field.fill("zz")
        offered.wait_for(state="attached")
        field.fill(RARE)
        dialog.get_by_role("button", name="Apply").click()
        dialog.wait_for(state="hidden")
    assert query_of(page)["group"] == RARE and RARE in query_of(page)["sort"]


@pytest.mark.long
def test_keys_of_a_filter(come):
    page = come().page
    box = page.get_by_role("combobox", name="Filter runs")
    box.press_sequentially("zz.r")
    page.get_by_role("option", name=RARE).wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("option", name="3").wait_for()
    assert box.input_value() == f"{RARE}:"
