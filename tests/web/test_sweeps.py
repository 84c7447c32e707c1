"""The sweeps of a project in a real browser: their list, trials, agents, the config and its editor, charts."""
import re

import pytest

import module_api
from browsing import NARROW_LOOK, SIZES, faults_of, region, sign_in
from cluster import wait_until
from runs import Run
from screen import HOST
from sweep_pages import CONFIG, report, sweep

api = module_api.api
HOME = "ann/sweeps"


def name_of(place):
    return place.rpartition("/")[2]


@pytest.fixture(scope="module")
def made(api):
    """The path of a sweep with 12 finished trials, one that failed and one that runs."""
    api.put(f"/api/v1/projects/{HOME}", {})
    place = sweep(api, HOME, 12, display_name="first search")
    trial = api.post(f"{place}/trials", {}).json
    run = Run(api, trial["run"], f"/api/v1/projects/{HOME}")
    api.patch(run.path, {"sweep": name_of(place)})
    run.join("rank0")
    report(api, place, "failed")  # before it is handed out the others are looked at
    api.patch(place, {"state": "running"})
    return place


@pytest.fixture(scope="module")
def cookies():
    return {}


@pytest.fixture
def come(screen, server, cookies, made):
    """come(path, **options): a Screen at a page of sweeps, signed in once for all."""
    def at(path="", name="ann", **options):
        one = screen(storage_state=cookies.get(name), **options)
        url = f"http://{HOST}:{server.port}/{HOME}/sweeps{path}"
        if name in cookies:
            one.page.goto(url)
        else:
            sign_in(one.page, url, name)
        one.page.get_by_role("heading", level=1).wait_for()
        cookies[name] = cookies.get(name) or one.context.storage_state()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def test_from_the_list_to_a_trial(come, api, made):
    """How far each sweep is; a sweep with its figures, its best value, its trials, and the runs of it in the workspace."""
    one = come()
    page = one.page
    table = region(page, "Sweeps")
    table.get_by_role("link", name="first search").wait_for()
    cells = table.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts()
    assert [cell.strip() for cell in cells[:5]] == ["running", "random", "13 of 40", "14", "1"]
    page.keyboard.press("g")
    page.keyboard.press("s")
    table.get_by_role("link", name="first search").click()
    page.get_by_role("heading", level=1, name="first search").wait_for()
    progress = region(page, "Progress")
    progress.get_by_text("13 of 40").wait_for()
    assert " ".join(progress.locator("dl").inner_text().split()) == "Running 1 Finished 12 Failed or crashed 1"
    best = region(page, "Best so far")
    least = api.get(f"{made}/trials", order="best", limit=1).json["items"][0]
    best.get_by_text(f"Trial {least['trial']}", exact=True).wait_for()
    assert best.locator("circle").count() == 12
    plot = best.get_by_role("group", name="loss of 12 trials")
    plot.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert best.locator(".plot-told").inner_text().startswith("Trial 11: ")
    best.get_by_role("button", name="Show as table").click()
    assert best.get_by_role("row").count() == 13
    assert faults_of(page) == []
    page.get_by_role("navigation", name="Parts of the sweep").get_by_role("link", name="Trials").click()
    trials = region(page, "Trials").get_by_role("table")
    trials.get_by_role("row").nth(14).wait_for()
    assert [" ".join(name.split()) for name in trials.get_by_role("columnheader").all_inner_texts()][:6] == [
        "Trial ↓", "State", "loss", "batch_size", "lr", "optimizer.name"]
    trials.get_by_role("button", name="loss").click()
    page.wait_for_function("(best) => document.querySelector('tbody th').textContent === best", arg=str(least["trial"]))
    page.get_by_role("link", name="Runs in the workspace").click()
    page.locator(".virtual a").first.wait_for()
    assert page.locator(".virtual a").count() == 1
    page.locator(".virtual a").click()
    region(page, "Facts").get_by_role("link", name="first search").click()
    page.get_by_role("heading", level=1, name="first search").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_no_sweep_yet(screen, base, api, come):
    """Lines that start one, and a link of the old kind."""
    one = come("")
    page = one.page
    api.put("/api/v1/projects/ann/none-yet", {})
    page.goto(page.url.replace("/sweeps/sweeps", "/none-yet/sweeps"))
    first = region(page, "The first sweep")
    first.get_by_text("wandb sweep --entity ann --project none-yet sweep.yaml").wait_for()
    first.get_by_role("button", name="Any program").click()
    first.get_by_text("cairn sweep sweep.yaml --project ann/none-yet").wait_for()
    assert faults_of(page) == []
    page.goto(page.url + "/nonesuch")
    page.get_by_text('Sweep "ann/none-yet/nonesuch" does not exist').wait_for()
    assert not [said for said in one.complaints if "404" not in said]


def test_a_new_sweep(come, api):
    """From the example, which is checked while it is typed, to the lines for agents."""
    api.put("/api/v1/projects/ann/new-one", {})
    one = come()
    page = one.page
    page.goto(page.url.replace("/sweeps/sweeps", "/new-one/sweeps"))
    page.get_by_role("button", name="New sweep").click()
    dialog = page.get_by_role("dialog", name="New sweep")
    dialog.get_by_text("Valid: 2 parameters.").wait_for()
    field = dialog.get_by_role("textbox")
    field.fill("method: gird\nparameters: {a: {values: [1, 2]}}\n")
    dialog.get_by_role("button", name="Line 1").wait_for()
    wait_until(dialog.get_by_role("button", name="Create the sweep").is_disabled, what="a button that is off")
    assert faults_of(page) == []
    field.fill("method: grid\nname: two points\nparameters: {a: {values: [1, 2]}}\n")
    dialog.get_by_text("Valid: 1 parameter, 2 points.").wait_for()
    dialog.get_by_role("button", name="Create the sweep").click()
    lines = page.get_by_role("dialog", name="two points was created.")
    lines.wait_for()
    made = api.get("/api/v1/projects/ann/new-one/sweeps").json["items"][0]
    lines.get_by_text(f"wandb agent ann/new-one/{made['id']}").wait_for()
    assert faults_of(page) == []
    lines.get_by_role("button", name="Close").last.click()
    page.get_by_role("heading", level=1, name="two points").wait_for()
    region(page, "Progress").get_by_text("0 of 2").wait_for()
    assert not one.complaints


def test_controls(come, api):
    """Edit, pause, resume, stop, cancel, a trial again, delete; what another does is seen without a click, and the focus stays."""
    place = sweep(api, HOME, 2, display_name="controlled", state="running")
    report(api, place, "failed")
    one = come(f"/{name_of(place)}/trials")
    page = one.page
    page.get_by_role("button", name="Edit").click()
    dialog = page.get_by_role("dialog", name="Edit the sweep")
    assert dialog.get_by_label("Name").input_value() == "controlled"
    dialog.get_by_label("Description").fill("wider than before")
    dialog.get_by_role("button", name="Save").click()
    dialog.wait_for(state="detached")
    assert [api.get(place).json[name] for name in ("display_name", "description")] == ["controlled", "wider than before"]
    page.get_by_role("button", name="Edit").click()
    dialog.get_by_label("Name").fill("renamed")
    assert faults_of(page) == []
    dialog.get_by_role("button", name="Save").click()
    page.get_by_role("heading", level=1, name="renamed").wait_for()
    page.locator("header.top").get_by_text("renamed").wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()
    assert api.get(place).json["state"] == "paused"
    assert page.evaluate("document.activeElement.textContent") == "Resume"
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("button", name="Give again: 3").click()
    page.get_by_text("Trial 4 was created with the same values.").wait_for()
    row = region(page, "Trials").get_by_role("row").nth(1)
    row.get_by_text("again, of 3").wait_for()
    page.get_by_role("button", name="Stop").focus()
    report(api, place, "finished", value=0.001)
    region(page, "Trials").get_by_role("cell", name="0.001").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Stop"
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_text("Running trials go on to their end").wait_for()
    page.get_by_role("button", name="Stop the sweep").click()
    page.locator(".artifact-head .state").get_by_text("finished").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Cancel the sweep").click()
    page.locator(".artifact-head .state").get_by_text("canceled").wait_for()
    assert api.get(place).json["state"] == "canceled"

    whole, one_trial = api.get(place).json, api.get(f"{place}/trials", limit=1).json["items"][0]

    def many(route):
        """More trials than the page reads."""
        items = [{**one_trial, "trial": 12000 - i} for i in range(1000)]
        route.fulfill(json={"items": items, "next_cursor": "more"} if "/trials?" in route.request.url
                      else {**whole, "trials": {**whole["trials"], "total": 12000}})

    page.route(re.compile(rf"/api/v1/.*/sweeps/{name_of(place)}(/trials\?.*)?$"), many)
    page.get_by_role("link", name="Overview").click()
    region(page, "Progress").get_by_text("The newest 5,000 of 12,000 trials are shown.").wait_for()
    page.unroute_all()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete the sweep").click()
    page.get_by_role("heading", level=1, name="Sweeps").wait_for()
    assert api.request("GET", place).status == 404
    assert not [said for said in one.complaints if "404" not in said]


def test_agents(come, api):
    """Where they run, and a host that is set aside is used again."""
    place = sweep(api, HOME, display_name="with agents")
    agents = [api.post(f"{place}/agents", {"host": host}).json["agent"] for host in ("node1", "node2")]
    api.patch(f"{place}/agents/{agents[1]}", {"set_aside": True})
    one = come(f"/{name_of(place)}/agents")
    page = one.page
    table = region(page, "Agents").get_by_role("table")
    table.get_by_text("set aside until").wait_for()
    assert [row.get_by_role("cell").first.inner_text() for row in table.get_by_role("row").all()[1:]] == ["node2", "node1"]
    assert page.locator("pre.lines").inner_text().endswith(f"wandb agent {HOME}/{name_of(place)}")
    assert faults_of(page) == []
    page.get_by_role("button", name="Use again: node2").click()
    table.get_by_text("set aside until").wait_for(state="detached")
    assert api.get(f"{place}/agents").json["items"][0]["set_aside_until"] is None
    assert not one.complaints


@pytest.mark.long
def test_config_is_checked_while_typed(come, api):
    """Errors with their lines; one leads to its line; a valid config is saved."""
    place = sweep(api, HOME, display_name="edited")
    one = come(f"/{name_of(place)}/config")
    page = one.page
    assert page.get_by_label("Config", exact=True).last.inner_text() == CONFIG
    page.get_by_role("region", name="Config").get_by_role("button", name="Edit").click()
    field = page.get_by_role("textbox", name="Config in YAML or JSON")
    page.get_by_text("Valid: 3 parameters.").wait_for()
    field.fill(CONFIG.replace("max: 0.1", "max: 0.00001").replace("seed: 7", "sed: 7"))
    faults = page.get_by_role("list", name="Errors and warnings")
    faults.get_by_role("button", name="Line 7").wait_for()
    assert page.get_by_role("button", name="Save").is_disabled()
    assert page.locator(".editor-lines .error").inner_text().strip() == "7"
    assert page.locator(".editor-lines .warning").inner_text().strip() == "3"
    assert faults_of(page) == []
    faults.get_by_role("button", name="Line 7").click()
    assert page.evaluate("(() => { const a = document.activeElement; return a.value.slice(a.selectionStart, a.selectionEnd); })()").startswith("  lr: ")
    field.fill(CONFIG.replace("run_cap: 40", "run_cap: 50"))
    page.get_by_text("Valid: 3 parameters.").wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("region", name="Config").get_by_role("button", name="Edit").wait_for()
    assert api.get(place).json["run_cap"] == 50
    page.locator("pre.lines").get_by_text("run_cap: 50").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_charts(come, made):
    """What matters, trials across parameters, one and two parameters: by keys, as tables, and as the address says."""
    one = come(f"/{name_of(made)}/charts?slice=optimizer.name")
    page = one.page
    importance = region(page, "Importance")
    importance.get_by_text("Of 12 trials with a value.").wait_for()
    assert importance.get_by_role("row").nth(1).get_by_role("rowheader").inner_text() == "lr"
    lines = region(page, "Parameters and the metric")
    lines.locator(".parallel-line").first.wait_for()
    assert lines.locator(".parallel-line").count() == 12
    assert lines.locator(".axis-name").last.text_content().endswith("loss")
    lines.get_by_role("group", name="12 trials across the parameters").focus()
    page.keyboard.press("Home")
    assert lines.locator(".plot-told").inner_text().startswith("Trial 1: ")
    assert lines.locator(".marked").get_attribute("data-run") == "1"
    lines.get_by_role("button", name="Show as table").click()
    assert lines.get_by_role("row").count() == 13
    part = region(page, "One parameter")
    assert part.get_by_label("Parameter").input_value() == "optimizer.name"
    part.get_by_label("Parameter").select_option("lr")
    part.get_by_role("img", name="loss by lr, 12 trials").wait_for()
    assert page.url.endswith("?slice=lr")
    both = region(page, "Two parameters")
    both.get_by_text("Medians of 12 trials.").wait_for()
    both.get_by_label("Upward").select_option("optimizer.name")
    both.get_by_role("button", name="Show as table").click()
    assert sum(int(row.get_by_role("cell").last.inner_text()) for row in both.get_by_role("row").all()[1:]) == 12
    assert not one.complaints


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_every_tab_in_both_themes(come, made, size, scheme):
    """Axe finds nothing, and nothing is wider than the page."""
    one = come("", viewport=SIZES[size], color_scheme=scheme)
    page = one.page
    start = page.url
    for path, seen in (("", "table a"), ("/overview", "circle"), ("/charts", ".heat-cell"), ("/trials", "tbody tr"), ("/config", "pre.lines")):
        page.goto(f"{start}/{name_of(made)}{path}" if path else start)
        page.locator(f"main {seen}").first.wait_for()
        assert faults_of(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert not one.complaints
