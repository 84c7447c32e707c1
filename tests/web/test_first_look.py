"""What is seen at first on the pages of a run, on a screen of 1440×900: names, numbers, and where they are."""
import re
import time

import pytest

from browsing import SIZES, goto, long, region, sign_in
from cluster import wait_until
from runs import Run, run_id

WIDE = SIZES["wide"]
BEGAN = 1772355600.0


@pytest.fixture
def look(screen, base):
    """look(run, tab): the page of a run at a tab."""
    def come(run, tab="overview"):
        page = screen(viewport=WIDE).page
        goto(page, base, run, tab)
        return page
    return come


def box(locator):
    """Where it is on the screen, which it is within: {x, y, width, height}."""
    locator.wait_for()
    found = locator.bounding_box()
    assert found["x"] >= 0 and found["x"] + found["width"] <= WIDE["width"], found
    return found


def is_whole(locator):
    """No part of its text is cut."""
    return locator.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1 && node.scrollHeight <= node.clientHeight + 1")


# ---- writers ---------------------------------------------------------------------------------------


@pytest.fixture
def ended(api, home, db, wait_for):
    """Eight processes: rank3 takes twice as long for a step, rank5 has another config, rank7 was killed. The others have ended."""
    run = Run(api, "ddp8", home)
    ranks = [run.join(f"rank{n}", "worker" if n else "primary", host="vm") for n in range(8)]
    for n, rank in enumerate(ranks):
        rank.send(history=[{"perf/step_time": (1.06 if n == 3 else 0.5) + 0.001 * (n * step % 3), "_timestamp": BEGAN + 10 * step}
                           for step in range(40)], config={"lr": 0.0006 if n == 5 else 0.0003, "world_size": 8})
    for rank in ranks[:7]:
        rank.finish()
    wait_for(lambda: run.state == "finished", what="the end")

    def is_lost():  # what is stored last says when it was heard
        db.query("update run_writer set heard_at = heard_at - interval '1 hour' where client = 'rank7' and run_id = %s returning run_id",
                 run_id(db, run))
        return run.writers()["rank7"]["state"] == "lost"
    wait_for(is_lost, what="a lost writer")
    return run


def test_a_lost_rank_of_a_finished_run(look, ended):
    """The tab and the head say so, next to the conflict."""
    page = look(ended)
    page.locator(".run-head").get_by_text("finished").wait_for()
    lost = page.locator(".run-head").get_by_role("link", name="rank7 lost")
    tab = page.get_by_role("link", name=re.compile("^Writers 8"))
    assert tab.inner_text().split("\n")[-1] == "1 lost, 1 conflict"
    assert is_whole(lost.locator(".clip"))
    assert box(lost)["y"] + box(lost)["height"] <= box(tab)["y"], "in the head, above the tabs"
    lost.click()
    table = page.locator(".writers-table")
    table.wait_for()
    assert table.get_by_role("button").first.inner_text() == "rank7"


def test_the_view_debug_finds_it(screen, base, api, home, ended, wait_for):
    """And not a run whose worker was silent only after the end."""
    calm = Run(api, "calm", home)
    calm.join("w").send(history=[{"loss": 1}])
    calm.join("c", "worker")
    api.post(f"{calm.path}/finish", {"exit_code": 0})
    api.patch(ended.path, {"notes": "rank7 was killed"})  # so that it is counted again, as when a writer is heard
    page = screen(viewport=WIDE).page
    sign_in(page, f"{base}/ann/{home.rsplit('/', 1)[-1]}")
    runs = page.locator(".run-list").get_by_role("row")
    runs.filter(has_text="calm").wait_for()
    page.get_by_role("button", name="Saved views").click()
    page.get_by_role("menuitemradio", name="Debug").click()
    runs.filter(has_text="calm").wait_for(state="detached")
    runs.filter(has_text="ddp8").wait_for()


@pytest.mark.long
def test_slowest_ranks_fit(look, ended):
    """Each in one line, without a number or a reason that is cut."""
    page = look(ended, "writers")
    card = region(page, "Slowest ranks")
    rows = card.get_by_role("listitem")
    rows.first.get_by_text("slow all the time").wait_for()
    assert re.fullmatch(r"rank3\s+\+11\d %\s+slow all the time", rows.first.inner_text())
    around = box(card)
    for at in range(rows.count()):
        row = box(rows.nth(at))
        for part in rows.nth(at).locator("b, span:last-child").all():
            place = part.bounding_box()
            assert row["y"] <= place["y"] and place["y"] + place["height"] <= row["y"] + row["height"], part.inner_text()
            assert place["x"] + place["width"] <= around["x"] + around["width"] and is_whole(part), part.inner_text()


# ---- a run that does not stop ----------------------------------------------------------------------


@pytest.fixture
def running(api, home):
    run = Run(api, "train", home)
    run.writer = run.join("rank0", host="vm", pid=4711)
    run.writer.send(history=[{"loss": 1.0}])
    return run


def test_when_a_run_was_asked_to_stop(look, running, api):
    page = look(running)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Stop the run").click()
    asked = page.locator(".run-head").get_by_text(re.compile(r"^Asked to stop \d+ s ago$"))
    assert box(asked)["y"] < box(page.get_by_role("link", name="Overview"))["y"]
    assert page.get_by_text("and still runs").count() == 0


def test_a_stop_without_effect(look, running, api, db, base):
    """It is said when it comes to that, with what to do: on each tab, above what is on it."""
    api.post(f"{running.path}/stop", {})
    db.query("update run_hot set stop_asked_at = stop_asked_at - interval '55 s' where run_id = %s returning run_id", run_id(db, running))
    page = look(running)
    note = page.get_by_role("status").filter(has_text="The run was asked to stop 1 min ago and still runs.")
    note.get_by_text("kill 4711", exact=True).wait_for()
    path = "/".join(["ann", running.path.split("/")[5], "train"])
    note.get_by_text(f"cairn finish {path}", exact=True).wait_for()
    place = box(note)
    assert place["y"] >= box(page.get_by_role("navigation", name="Parts of the run"))["y"]
    assert place["y"] + place["height"] <= box(page.get_by_role("region", name="Health"))["y"]
    page.keyboard.press("4")
    page.get_by_role("toolbar", name="Logs").wait_for()
    assert box(note)["y"] < box(page.get_by_role("toolbar", name="Logs"))["y"]
    running.writer.finish()
    page.locator(".run-head").get_by_text("finished").wait_for()
    note.wait_for(state="detached")


@pytest.mark.long
def test_what_says_it_comes_late(look, running, api, db):
    """Where the part that says it is not to be had, it is asked for again, seconds later."""
    page, tries = look(running), []

    def lose(route):
        tries.append(time.monotonic())
        route.abort()

    page.route("**/stop_note*", lose)
    api.post(f"{running.path}/stop", {})
    db.query("update run_hot set stop_asked_at = stop_asked_at - interval '90 s' where run_id = %s returning run_id", run_id(db, running))
    page.reload()
    page.locator(".run-head").wait_for()
    wait_until(lambda: page.title() is not None and len(tries) > 1, what="another try")
    assert tries[1] - tries[0] > 4
    page.unroute("**/stop_note*")
    page.get_by_text("and still runs").wait_for()


# ---- logs ------------------------------------------------------------------------------------------


@pytest.mark.long
def test_logs_count_what_is_shown(look, api, home):
    """By labels, by streams, and by what is found."""
    run = Run(api, "said", home)
    for n in range(3):
        run.join(f"rank{n}", "worker" if n else "primary").send(console=[
            {"line": line, "stream": "stderr" if line % 5 == 0 else "stdout", "time": BEGAN + line, "text": f"line {line} of {n}"}
            for line in range(10 * (n + 1))])
    page = look(run, "logs")
    total = page.locator(".log-foot span").first
    total.get_by_text("60 lines, 3 labels", exact=True).wait_for()
    labels = page.get_by_role("group", name="Labels")
    labels.get_by_role("button", name=re.compile("^rank1\\b")).click(modifiers=["Alt"])
    total.get_by_text("20 of 60 lines, 1 of 3 labels", exact=True).wait_for()
    page.get_by_role("button", name="stderr").click()
    total.get_by_text("4 of 60 lines, 1 of 3 labels", exact=True).wait_for()
    page.get_by_role("button", name="Both").click()
    page.get_by_role("searchbox", name="Find in lines").fill("line 1")
    page.get_by_role("switch", name="Only matches").click()
    total.get_by_text("11 found in 20 of 60 lines, 1 of 3 labels", exact=True).wait_for()
    assert box(total)["y"] > box(page.get_by_role("log"))["y"] and is_whole(total)


# ---- overview --------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["killed", long("running")])
def test_a_run_without_data_says_why(look, api, home, db, state):
    """Above all else, whether the run was marked or is only silent."""
    run = Run(api, "early", home)
    run.join("rank0", host="vm")
    if state == "killed":
        api.post(f"{run.path}/states", {"state": "killed", "reason": "kill -9"})
    else:
        db.query("update run_writer set heard_at = heard_at - interval '2 min' where run_id = %s returning run_id", run_id(db, run))
    page = look(run)
    note = page.get_by_role("status").filter(has_text="No rows and no console lines were received.")
    note.get_by_text("the wandb SDK every 15 seconds").wait_for()
    assert ("dmesg" if state == "killed" else "marked crashed") in note.inner_text()
    assert box(note)["y"] < box(page.get_by_role("region", name="Health"))["y"]


def test_a_run_with_data_does_not(look, api, running):
    api.post(f"{running.path}/states", {"state": "killed", "reason": "kill -9"})
    page = look(running)
    page.locator(".run-head").get_by_text("killed").wait_for()
    page.get_by_role("region", name="Health").wait_for()
    assert page.get_by_text("No rows and no console lines").count() == 0


def order_of(page):
    """Names of the cards of the overview, from the top; of cards next to each other from the left."""
    names = ["Config", "Summary", "Health", "States", "Writers"]
    found = {name: box(region(page, name)) for name in names}
    return sorted(names, key=lambda name: (found[name]["y"], found[name]["x"]))


@pytest.mark.long
def test_results_of_one_process_come_first(look, api, home):
    """Of a run that has ended; of one that runs, and of several processes, how it is."""
    done, several, runs = (Run(api, name, home) for name in ("done", "several", "runs"))
    for run in (done, several, runs):
        run.join("rank0").send(history=[{"loss": 0.5}], config={"lr": 0.01})
    done_writer = done.join("rank0")
    done_writer.finish()
    several.join("rank1", "worker").finish()
    several.join("rank0").finish()
    at_first = look(done)
    at_first.locator(".run-head").get_by_text("finished").wait_for()
    assert order_of(at_first) == ["Config", "Summary", "Health", "States", "Writers"]
    assert box(region(at_first, "Config"))["y"] < 300
    for run in (several, runs):
        assert order_of(look(run))[:3] == ["Health", "States", "Writers"], run.name


# ---- system ----------------------------------------------------------------------------------------

GPUS = 8


def gpu(device, at):
    """Memory is noise; GPU 5 works less than the others; CPU is low and even."""
    return {f"system.gpu.{device}.gpu": (55 if device == 5 else 93) + (at * 3 + device) % 4, f"system.gpu.{device}.memoryAllocated":
            78 + (at * 7 + device * 3) % 5 / 4, f"system.gpu.{device}.temp": 64 + (at + device) % 3}


@pytest.fixture
def machine(look, api, home):
    run = Run(api, "gpus", home)
    run.join("rank0", host="node0").send(
        events=[{"_timestamp": BEGAN + at * 15, "system.cpu": 3 + at % 2 / 2} | {k: v for n in range(GPUS) for k, v in gpu(n, at).items()}
                for at in range(60)])
    return look(run, "system")


def panel(page, name):
    return page.get_by_role("article", name=f"Chart of {name}", exact=True)


@pytest.mark.long
def test_strips_name_their_rows(machine):
    """To the left of each row, at its height, as a whole."""
    strip = panel(machine, "GPU utilisation")
    box(strip.locator("canvas.heat"))
    names = strip.locator(".strip-names span")
    assert names.all_inner_texts() == [f"GPU {n}" for n in range(GPUS)]
    canvas, *places = strip.evaluate("""(strip) => [...strip.querySelectorAll('canvas.heat, .strip-names span')]
        .sort((a, b) => b.matches('canvas') - a.matches('canvas')).map((node) => node.getBoundingClientRect().toJSON())""")  # at one moment
    assert len(places) == GPUS
    for at, place in enumerate(places):
        middle = canvas["y"] + (at + 0.5) * canvas["height"] / GPUS
        assert abs(place["y"] + place["height"] / 2 - middle) < 4 and place["x"] + place["width"] <= canvas["x"]
        assert is_whole(names.nth(at))


COLOURED = """(panel) => {
    const canvas = panel.querySelector('.u-wrap canvas'), over = panel.querySelector('.u-over');
    const [all, part] = [canvas, over].map((node) => node.getBoundingClientRect());
    const scale = canvas.width / all.width;
    const [left, top, wide, high] = [part.x - all.x, part.y - all.y, part.width, part.height].map((px) => Math.round(px * scale));
    const { data } = canvas.getContext('2d').getImageData(left, top, wide, high);
    let [first, last] = [Infinity, -Infinity];
    for (let y = 0; y < high; y++) {
        for (let x = 0; x < wide; x++) {
            const [red, green, blue, alpha] = data.slice((y * wide + x) * 4, (y * wide + x) * 4 + 4);
            if (alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) [first, last] = [Math.min(first, y), Math.max(last, y)];
        }
    }
    return (last - first) / high;
}"""


@pytest.mark.parametrize("name, least", [("GPU memory", "76 % to 84 %"), long("GPU utilisation", "40 % to 100 %"), long("GPU temperature", "62 °C to 70 °C")])
def test_axes_fit_the_data(machine, name, least):
    """Lines are no flat stroke at an edge, and the axis is of round numbers around them."""
    one = panel(machine, name)
    one.locator(f"canvas[aria-label*='from {least.split(' to ')[0]}']").wait_for()
    label = one.locator("canvas.heat").get_attribute("aria-label")
    assert f"from {least};" in label
    machine.wait_for_function(f"(panel) => ({COLOURED})(panel) > 0.1", arg=one.element_handle())


BLANK = """(panel) => {
    const canvas = panel.querySelector('canvas.heat');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const rows = canvas.height / %d;
    return Array.from({ length: %d }, (_, row) => {
        const seen = new Set();
        const y = Math.floor((row + 0.4) * rows);
        for (let x = 0; x < canvas.width; x++) seen.add(data.slice((y * canvas.width + x) * 4, (y * canvas.width + x) * 4 + 4).join());
        return seen.size === 1;
    });
}""" % (GPUS, GPUS)


@pytest.mark.long
def test_noise_has_no_colour(machine):
    """All rows of the memory are blank; of the utilisation all but that of GPU 5."""
    for name, coloured in (("GPU memory", []), ("GPU temperature", []), ("GPU utilisation", [5])):
        one = panel(machine, name)
        one.scroll_into_view_if_needed()
        one.locator("canvas.heat").wait_for()
        blank = one.evaluate(BLANK)
        colours = one.evaluate("""(panel) => {
            const canvas = panel.querySelector('canvas.heat'), high = canvas.height / %d;
            const pixels = canvas.getContext('2d');
            return Array.from({ length: %d }, (_, row) => [...pixels.getImageData(Math.floor(canvas.width / 2), Math.floor((row + 0.4) * high), 1, 1).data].join());
        }""" % (GPUS, GPUS))
        usual = max(set(colours), key=colours.count)
        assert [at for at, colour in enumerate(colours) if colour != usual] == coloured, (name, colours)
        assert [at for at, is_blank in enumerate(blank) if not is_blank and at not in coloured] == [], (name, blank)


# ---- roles -----------------------------------------------------------------------------------------


def test_roles_say_what_they_may_do(screen, base, by):
    """Where a member is added."""
    by["root"].request("PUT", "/api/v1/entities/lab/members/ann", b'{"role": "admin"}')
    page = screen(viewport=WIDE).page
    sign_in(page, f"{base}/lab/settings/members")
    role = page.get_by_label("Role", exact=True)
    role.wait_for()
    assert role.get_by_role("option").all_inner_texts() == [
        "Viewer: can read", "Member: can read, log, edit and delete runs", "Admin: can also manage projects and members"]
    role.select_option("member")
    written = role.evaluate("""(node) => {
        const pen = document.createElement('canvas').getContext('2d');
        pen.font = getComputedStyle(node).font;
        return pen.measureText(node.selectedOptions[0].text).width;
    }""")
    assert box(role)["width"] > written + 40, "with the arrow of the list"
