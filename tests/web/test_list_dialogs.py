"""What the dialogs of the list of runs do, which runs it comes with, and what goes for good."""
import pytest

import list_pages
import module_api
from cluster import wait_until
from list_pages import names, pick, query_of, row_of, until, visualized
from runs import Run
from server import Server

api = module_api.api
come = list_pages.come


@pytest.fixture
def told_apart(api, wait_for):
    """Of three runs one has no rows, and one is of a worker."""
    home = "/api/v1/projects/ann/told-apart"
    for number, (name, job_type, rows) in enumerate([("trains", "train", [{"loss": 1}]), ("waits", "train", []), ("helps", "worker", [{"loss": 2}])]):
        run = Run(api, name, home)
        run.join("w").send(history=rows, config={"lr": number / 10})
        api.patch(run.path, {"display_name": f"it {name}", "job_type": job_type, "tags": [name]})
    texts = {"rows>0": 2, "job_type:worker": 1, "has:config.lr": 3}
    wait_for(lambda: [api.get(f"{home}/runs", filter=text, count="true", limit=1).json["count"] for text in texts] == [*texts.values()],
             timeout=60, what="runs that are found")
    return home


@pytest.mark.long
def test_what_comes_with_a_project_leaves_workers_out(come, told_apart):
    """Where there are some: the filter says so, and goes as any does; who names another view, or a filter, has that."""
    one = come("", path="/ann/told-apart")
    page, field = one.page, one.page.get_by_role("combobox", name="Filter runs")
    wait_until(lambda: sorted(names(page)) == ["it trains", "it waits"], what="runs of no worker")
    page.get_by_role("button", name="Saved views").get_by_text("Default", exact=True).wait_for()
    assert field.input_value() == "job_type!=worker" and page.url.endswith("?q=job_type!%3Dworker&view=default")
    field.fill("")
    field.press("Enter")
    wait_until(lambda: len(names(page)) == 3, what="all runs")
    page.get_by_role("button", name="Saved views").get_by_text("edited").wait_for()
    for query, wanted in ("?view=all-nodes", 3), ("?q=it", 3), ("?sort=name", 3), ("?view=default", 2):
        page.goto(f"{one.base}/ann/told-apart{query}")
        wait_until(lambda wanted=wanted: len(names(page)) == wanted, what=f"runs of {query}")
    assert not one.complaints


def open_columns_while_pressed(page, item):
    """What is known of metrics comes while somebody begins to drag: the item stays until it is let go."""
    held, answered = [], []
    page.route("**/keys?**", lambda route: held.append(route))
    page.get_by_role("button", name="Columns 3").click()
    item.get_by_title("tags", exact=True).hover()
    page.mouse.down()
    item.evaluate("(node) => { node.dataset.pressed = 'yes'; }")
    wait_until(lambda: page.evaluate("true") and held, what="a question for metrics")
    page.on("requestfinished", lambda request: "/keys?" in request.url and answered.append(request))
    asked = [route.continue_() for route in list(held)]
    wait_until(lambda: page.evaluate("true") and len(answered) >= len(asked), what="an answer")
    page.unroute("**/keys?**")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert item.get_attribute("data-pressed") == "yes"
    page.mouse.up()
    wait_until(lambda: item.get_attribute("data-pressed") is None, what="what is chosen, as it is known now")


@pytest.mark.long
def test_what_the_dialogs_of_the_list_do(come, told_apart, api, wait_for):
    """
    Conditions by one click and by rows; tags, and what is drawn, of all that are selected; of one its notes, its stop, its own
    tab, its id; columns that are dragged.
    """
    one = come("?q=has:config.lr&sort=name&cols=config.lr,tags,notes", path="/ann/told-apart")
    page = one.page

    def finds(text, *wanted):
        until(page, f"new URLSearchParams(location.search).get('q') === {text!r}")
        wait_until(lambda: names(page) == [*wanted], what=f"{wanted} by {text}")
        found = api.get(f"{told_apart}/runs", filter=text, order="name").json["items"]
        assert [run["display_name"] for run in found] == [*wanted]
    finds("has:config.lr", "it helps", "it trains", "it waits")
    dialog = page.get_by_role("dialog", name="Filter")
    page.get_by_role("button", name="Filter 1").click()
    dialog.get_by_role("button", name="Without workers").click()
    finds("has:config.lr job_type!=worker", "it trains", "it waits")
    page.get_by_role("button", name="Filter 2").click()
    dialog.get_by_role("button", name="Only with data").click()
    finds("has:config.lr job_type!=worker rows>0", "it trains")
    page.go_back()
    finds("has:config.lr job_type!=worker", "it trains", "it waits")
    page.get_by_role("button", name="Filter 2").click()
    dialog.get_by_label("Relation").first.select_option(label="<")
    dialog.get_by_label("Value").first.fill("0.05")
    dialog.get_by_role("button", name="Apply").click()
    finds("config.lr<0.05 job_type!=worker", "it trains")
    page.get_by_role("button", name="Filter 2").click()
    dialog.get_by_role("button", name="Remove").first.click()
    dialog.get_by_role("button", name="Apply").click()
    finds("job_type!=worker", "it trains", "it waits")

    rows = page.locator(".virtual .run-row")
    rows.nth(0).locator(".cell-age").click()
    rows.nth(1).locator(".cell-age").click(modifiers=["Shift"])
    page.get_by_text("2 selected").wait_for()
    assert page.evaluate("getSelection().toString()") == ""
    selected = page.get_by_role("group", name="Selected runs")
    selected.get_by_role("button", name="Tags").click()
    page.get_by_label("Tags to add (one per line)").fill("both\nwaits")
    page.get_by_role("button", name="Save", exact=True).click()
    for name, wanted in ("trains", ["trains", "both", "waits"]), ("waits", ["waits", "both"]):
        row_of(page, f"it {name}").get_by_text("both").wait_for()
        assert api.get(f"{told_apart}/runs/{name}").json["tags"] == wanted
    selected.get_by_role("button", name="Hide").click()
    page.get_by_text("All runs are hidden.").wait_for()
    selected.get_by_role("button", name="Show only").click()
    visualized(page, 2)
    assert query_of(page)["show"] == "picked" and set(query_of(page)["on"].split(",")) == {"trains", "waits"}

    def pick(item):
        row_of(page, "it waits").get_by_role("button", name="Menu of").click()
        page.get_by_role("menuitem", name=item).click()
    pick("Notes")
    page.get_by_role("textbox", name="Notes").fill("when there is time")
    page.get_by_role("button", name="Save", exact=True).click()
    row_of(page, "it waits").get_by_text("when there is time").wait_for()
    assert api.get(f"{told_apart}/runs/waits").json["notes"] == "when there is time"
    pick("Stop")
    page.get_by_role("dialog", name="Stop it waits?").get_by_role("button", name="Stop").click()
    page.get_by_text("it waits is asked to stop.").wait_for()
    assert api.get(f"{told_apart}/runs/waits").json["stop_requested_at"]
    with one.context.expect_page() as opened:
        pick("Open in a new tab")
    opened.value.get_by_role("heading", name="it waits", level=1).wait_for()
    opened.value.close()
    pick("Copy id")
    copied = page.get_by_role("dialog").get_by_role("textbox")
    copied.wait_for()
    assert copied.input_value() == "waits" == page.evaluate("getSelection().toString() || document.activeElement.value")
    page.keyboard.press("Escape")

    chosen = page.get_by_role("list", name="Shown, in this order").get_by_role("listitem")
    open_columns_while_pressed(page, chosen.nth(1))
    chosen.nth(1).get_by_title("tags", exact=True).drag_to(chosen.nth(0).get_by_title("config.lr", exact=True))
    until(page, "new URLSearchParams(location.search).get('cols') === 'tags,config.lr,notes'")
    chosen.nth(0).evaluate("""(item) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('text/plain', 'from elsewhere');
        item.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }""")
    page.keyboard.press("Escape")
    heads = page.get_by_role("columnheader")
    wait_until(lambda: [words.strip() for words in heads.all_inner_texts()][2:4] == ["tags", "lr"], what="columns as they were put")
    assert query_of(page)["cols"] == "tags,config.lr,notes" and not one.complaints


def test_what_goes_for_good_has_no_undo(come, shared_place, secret_file, api, wait_for):
    """Where the server keeps nothing that is deleted: of a run in the list, and at its page."""
    home = "/api/v1/projects/ann/for-good"
    for name in "a", "b", "c", "d":
        api.put(f"{home}/runs/{name}", {})
    wait_for(lambda: api.get(f"{home}/runs", count="true").json["count"] == 4, what="runs that are found")
    with Server(shared_place.db.url, secret_file, grace_s=0) as server:
        page = come(path="/ann/for-good", at=server).page

        def sure(said):
            dialog = page.get_by_role("dialog")
            dialog.get_by_text("It cannot be restored: ").wait_for()
            dialog.get_by_role("button", name="Delete").click()
            line = page.locator(".toast").filter(has_text=said)
            line.wait_for()
            assert line.get_by_role("button").all_inner_texts() == ["Close"]
        pick(page, "a", "Delete")
        sure("Deleted a")
        for name in "c", "d":
            page.get_by_role("checkbox", name=f"Select {name}", exact=True).click()
        page.get_by_role("group", name="Selected runs").get_by_role("button", name="Delete").click()
        dialog = page.get_by_role("dialog", name="Delete 2 runs?")
        dialog.get_by_label("Type the project's name, for-good, to delete them for good").fill("for-goo")
        assert dialog.get_by_role("button", name="Delete").is_disabled()
        page.keyboard.type("d")
        sure("Deleted 2 runs")
        row_of(page, "b").get_by_role("link", name="b").click()
        page.get_by_role("button", name="More: rename, tags, notes, delete").click()
        page.get_by_role("menuitem", name="Delete").click()
        sure("b was deleted")
