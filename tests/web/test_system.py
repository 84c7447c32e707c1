"""The System tab in a real browser: 64 processes on 8 hosts with 8 GPUs each, what one sampler sends, odd values."""
import json
import os
import pathlib
import re
import subprocess

import pytest

from browsing import LOOKS, SIZES, address, faults_of, long, module_of, shown, sign_in
from cluster import wait_until
from runs import Run

Wire = module_of("wandb/wire.py").Wire
BEGAN = 1772355600.0
HOSTS, RANKS, GPUS = 8, 64, 8
ROWS = 40


@pytest.fixture
def run(api, request):
    name = re.sub("[^a-z0-9]+", "-", request.node.name)[:60].strip("-")
    return Run(api, "r1", f"/api/v1/projects/ann/{name}")


def gpu(host, device, at):
    """As the wandb SDK names them. GPU 3 of node2 is idle from row 20 on; GPU 5 of node6 is throttled and hot from row 10 on."""
    idle = (host, device) == (2, 3) and at >= 20
    slow = (host, device) == (6, 5) and at >= 10
    values = {"gpu": 0 if idle else 90 + (at + device) % 7, "memoryAllocated": 80 + device / 4, "temp": 84 if slow else 60 + (at + host) % 3,
              "powerWatts": 90 if idle else 480 if slow else 610 + at % 5, "smClock": 1125 if slow else 1980 - at % 2 * 15}
    return {f"system.gpu.{device}.{name}": value for name, value in values.items()}


def machine(host, at):
    row = {"system.memory_percent": 40 + host, "system.network.sent": at * 15 * 2**20 * (host + 1), "system.disk./.usagePercent": 42.2}
    for device in range(GPUS):
        row |= gpu(host, device, at)
    return row


def process(rank, at):
    return {"_wandb": True, "_runtime": at * 15.0, "system.cpu": 30 + rank / 4 + at % 4, "system.proc.memory.rssMB": 2048.0 + rank * 16,
            "system.proc.cpu.threads": 40}


def time_of(row):
    """Of rows of metrics: 20 that come every 5 s, then 20 every 15 s."""
    return 5 * row if row < 20 else 100 + 15 * (row - 20)


@pytest.fixture
def cairn_sampler():
    """cairn_sampler(count): rows of the real sampler."""
    program = pathlib.Path(os.environ["CAIRN_BUILD"]) / "sampler/command/cairn-sampler"

    def sample(count):
        done = subprocess.run([program, "--count", str(count), "--interval", "0.2"], capture_output=True, text=True, check=True, timeout=60)
        return [json.loads(line) for line in done.stdout.splitlines()]
    return sample


@pytest.fixture(scope="module")
def fleet_made():
    return {}


@pytest.fixture
def fleet(api, fleet_made):
    """Every process measures the whole machine, as the wandb SDK does; once for all tests that only look."""
    if fleet_made:
        return fleet_made["run"]
    run = Run(api, "r1", "/api/v1/projects/ann/fleet")
    for rank in range(RANKS):
        writer = run.join(f"w{rank}", "primary" if rank == 0 else "worker", label=f"rank{rank}", host=f"node{rank // 8}")
        writer.send(events=[{"_timestamp": BEGAN + at * 15, **machine(rank // 8, at), **process(rank, at)} for at in range(ROWS)],
                    history=[{"_step": 10 * at, "_timestamp": BEGAN + 60 + time_of(at), "loss": 1} for at in range(40)] if rank == 0 else [])
    return fleet_made.setdefault("run", run)


def open_system(screen, base, run, query="", **options):
    one = screen(**{"viewport": SIZES["wide"], **options})
    one.together = []  # of how many panels each question of values was
    one.page.on("request", lambda request: request.url.endswith("/series") and one.together.append(len(request.post_data_json["panels"])))
    sign_in(one.page, f"{address(base, run, 'runs', run.name, 'system')}{query}")
    one.page.locator(".panel.system canvas, .no-metrics").first.wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    return one


def panel(page, name):
    return page.get_by_role("article", name=f"Chart of {name}", exact=True)


def strip(page, name):
    return panel(page, name).get_by_role("img")


def wait_rows(page, name, count):
    """Until the strip has so many."""
    panel(page, name).locator(f"canvas[aria-label*='of {count} rows']").wait_for()


def are_asked_together(one):
    """On a busy machine what is seen at once may become two questions or three, never one for each."""
    return sum(one.together) >= 2 * len(one.together)


def wait_texts(locator, texts):
    wait_until(lambda: locator.all_inner_texts() == texts, what=f"{len(texts)} rows")


def now(page, name):
    """What stands in the head of a panel: [now, range]."""
    panel(page, name).locator(".now b").wait_for()
    return panel(page, name).locator(".now > *").all_inner_texts()


@pytest.mark.long
def test_sixty_four_processes_on_eight_hosts(screen, base, fleet):
    """One request; each GPU once, however many processes see it; idle and throttled ones are told and seen."""
    one = open_system(screen, base, fleet)
    page = one.page
    assert now(page, "GPU utilisation") == ["93.5 %", "0–96 %"]
    assert now(page, "GPU temperature") == ["61 °C", "60–84 °C"]
    assert strip(page, "GPU utilisation").get_attribute("aria-label").startswith("GPU utilisation of 64 rows over time, from 0 % to 100 %")
    assert "far from the median lately: node2 GPU 3 0 %" in strip(page, "GPU utilisation").get_attribute("aria-label")
    page.get_by_role("region", name="Outliers").get_by_text("84 °C").wait_for()
    assert page.get_by_role("region", name="Outliers").locator("p").all_inner_texts() == [
        "node2 GPU 3 at 0 % (GPU utilisation) and 90 W since 2026-03-01 09:04:58, others 92.5 % and 613 W.",
        "node6 GPU 5 at 480 W, 84 °C and 1,125 MHz since 2026-03-01 09:02:29, others 613 W, 61 °C and 1,973 MHz."]
    assert are_asked_together(one), one.together
    box = strip(page, "GPU utilisation").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * (2 * GPUS + 3.5) / 64)
    tip = panel(page, "GPU utilisation").locator(".heat-tip")
    tip.get_by_text("node2 GPU 3").wait_for()
    assert re.fullmatch(r"node2 GPU 3 0 %, −100 % of the median 2026-03-01 09:08:\d\d", tip.inner_text())
    panel(page, "GPU utilisation").get_by_role("button", name="Show as table").click()
    rows = panel(page, "GPU utilisation").get_by_role("row")
    beside = panel(page, "GPU power")  # whose plot fills what the table makes the row higher by
    page.wait_for_function("""(panel) => {
        const [plot, drawn] = ['.plot', '.u-over'].map((name) => panel.querySelector(name)?.clientHeight);
        return plot > 300 && drawn > plot - 60;
    }""", arg=beside.element_handle())
    assert rows.count() == 65 and rows.nth(2 * GPUS + 4).inner_text().split("\t") == ["node2 GPU 3", "0 %", "0 %", "45 %", "96 %"]
    page.get_by_role("button", name="Network", exact=True).scroll_into_view_if_needed()
    assert now(page, "Network sent") == ["4.5 MiB/s", "1–8 MiB/s"]
    assert now(page, "Process memory") == ["2.49 GiB", "2–2.98 GiB"]
    assert not one.complaints


@pytest.mark.long
def test_a_strip_covers_no_axis(screen, base, fleet):
    """A plot is as high as what its strip, and those beside it, leave of the panel."""
    one = open_system(screen, base, fleet)
    page = one.page
    for name in ("GPU utilisation", "GPU memory", "GPU power", "GPU temperature"):
        strip(page, name).wait_for()
    page.wait_for_function("""() => {
        const drawn = [...document.querySelectorAll('.panel.system')].filter((panel) => panel.querySelector('.u-wrap'));
        const high = (panel, part) => panel.querySelector(part).clientHeight;
        return drawn.length > 3 && drawn.every((panel) => high(panel, '.u-wrap') <= high(panel, '.plot'));
    }""")
    assert not one.complaints


@pytest.mark.long
def test_a_moment_lies_in_the_strip_where_it_lies_among_the_lines(screen, base, fleet):
    """However wide the numbers at the axis are, and however wide the panel is."""
    one = open_system(screen, base, fleet)
    page = one.page
    both_end_alike = """() => {
        const drawn = [...document.querySelectorAll('.panel.system')].filter((panel) => panel.querySelector('.u-over'));
        const panels = drawn.filter((panel) => panel.querySelector('canvas.heat')?.clientWidth);
        const ends = (node) => (({ left, right }) => [left, right])(node.getBoundingClientRect());
        return panels.length > 3 && panels.every((panel) => {
            const [over, strip] = ['.u-over', 'canvas.heat'].map((part) => ends(panel.querySelector(part)));
            return over.every((at, side) => Math.abs(at - strip[side]) <= 1);
        });
    }"""
    for name in ("GPU utilisation", "GPU memory", "GPU power", "GPU temperature"):
        strip(page, name).wait_for()
    page.wait_for_function(both_end_alike)
    page.set_viewport_size({"width": 1000, "height": 900})
    page.wait_for_function(both_end_alike)
    assert not one.complaints


@pytest.mark.long
def test_labels_and_devices_are_chosen(screen, base, fleet):
    """By what is typed; the address keeps it."""
    one = open_system(screen, base, fleet)
    page = one.page
    strip(page, "GPU power").wait_for()
    out = page.get_by_role("region", name="Outliers")
    out.get_by_text("node6 GPU 5").wait_for()
    page.get_by_label("Devices, e.g. 0-3,7").fill("9-3")
    page.get_by_role("status").filter(has_text="Invalid range 9-3: put the smaller number first.").wait_for()
    assert page.get_by_label("Devices, e.g. 0-3,7").get_attribute("aria-invalid") == "true" and faults_of(page) == []
    page.locator(".findings").wait_for(state="hidden")  # they are of what is shown
    page.get_by_label("Devices, e.g. 0-3,7").fill("0-2,5")
    page.get_by_text("Invalid range").wait_for(state="hidden")
    out.get_by_text("node6 GPU 5").wait_for()
    assert out.locator("p").count() == 1 and page.get_by_label("Devices, e.g. 0-3,7").get_attribute("aria-invalid") == "false"
    page.get_by_label("Devices, e.g. 0-3,7").fill("3,5")
    wait_rows(page, "GPU utilisation", 16)
    usage = "File system in use"
    panel(page, usage).scroll_into_view_if_needed()
    panel(page, usage).locator("p.muted").wait_for()  # 3 and 5 are no file systems
    page.get_by_label("Devices, e.g. 0-3,7").fill("gpu:3")
    panel(page, usage).locator("p.muted").wait_for(state="hidden")
    panel(page, "GPU utilisation").scroll_into_view_if_needed()
    wait_rows(page, "GPU utilisation", 8)
    page.get_by_label("Devices, e.g. 0-3,7").fill("tpu:0")
    page.get_by_text("There is no device tpu:0.").wait_for()
    page.get_by_label("Devices, e.g. 0-3,7").fill("3,5")
    page.get_by_label("Labels or hosts").fill("node2,node99")
    page.get_by_text("No label or host node99 has system metrics.").wait_for()
    page.get_by_label("Labels or hosts").fill("node2")
    page.get_by_text("No label or host node99").wait_for(state="hidden")
    wait_rows(page, "GPU utilisation", 2)
    assert now(page, "GPU utilisation") == ["46 %", "0–92 %"]
    page.get_by_label("Metrics (regex)").fill("power|cpu")
    page.wait_for_function("() => document.querySelectorAll('article').length === 3")
    page.reload()
    panel(page, "GPU power").wait_for()
    assert page.get_by_role("article").count() == 3 and page.get_by_label("Devices, e.g. 0-3,7").input_value() == "3,5"
    page.get_by_label("Metrics (regex)").fill("nothing of the kind")
    page.get_by_text("No metric matches.").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_by_label_and_by_host(screen, base, fleet, wait_for):
    """A row each, a column a metric of one scale: the machine once a host, the process once a label."""
    one = open_system(screen, base, fleet)
    page = one.page
    page.get_by_role("button", name="By host").click()
    table = page.get_by_role("table", name="System metrics by host")
    table.locator(".panel canvas").nth(3).wait_for()
    page.wait_for_function("""() => {
        const rows = [...document.querySelectorAll('.place-row')].map((row) => [...row.children].map((one) => one.getBoundingClientRect().left));
        return rows.length > 2 && rows.every((row) => row.every((left, at) => Math.abs(left - rows[0][at]) < 1));
    }""")
    wait_texts(table.get_by_role("rowheader"), [f"node{host}" for host in range(HOSTS)])
    assert table.get_by_role("columnheader").all_inner_texts()[:5] == ["Host", "GPU utilisation", "GPU memory", "GPU power", "GPU temperature"]
    wait_for(lambda: now(page, "GPU utilisation, node2")[1:] == ["0–96 %"], what="the range of node2")
    wait_for(lambda: now(page, "GPU temperature, node0") == ["60 °C", ""], what="the temperature of node0")
    wait_for(lambda: table.locator(".panel.system").count() == HOSTS * 11, what="a panel for each metric of each host")
    page.get_by_role("button", name="By label").click()
    table = page.get_by_role("table", name="System metrics by label")
    wait_texts(table.get_by_role("rowheader"), [f"rank{rank}" for rank in range(12)])
    assert table.get_by_role("columnheader").all_inner_texts() == ["Label", "CPU (process)", "Process memory", "Threads"]
    wait_for(lambda: now(page, "CPU (process), rank4") == ["34 %", ""], what="the last value of rank4")
    page.get_by_role("button", name="Show 40 more").click()
    wait_for(lambda: table.get_by_role("rowheader").count() == 52, what="40 more rows")
    assert "by=label" in page.url
    assert are_asked_together(one), one.together
    page.go_back()
    page.get_by_role("table", name="System metrics by host").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_zoom_and_cursor_are_of_all_panels(screen, base, fleet, wait_for):
    one = open_system(screen, base, fleet, "?panels=cpu|memory_percent")
    page = one.page
    panel(page, "Memory in use").locator("canvas").first.wait_for()
    page.get_by_role("region", name="Outliers").get_by_text("84 °C").wait_for()  # it stands above the panels
    box = panel(page, "CPU (process)").locator(".u-over").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + 40)
    panel(page, "CPU (process)").locator(".tip").get_by_text("median of 64").wait_for()
    assert panel(page, "Memory in use").locator(".u-cursor-x").is_visible()
    with page.expect_request("**/series") as question:
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 40, steps=4)
        page.mouse.up()
    for one_panel in question.value.post_data_json["panels"]:
        assert BEGAN + 280 < one_panel["from"] < one_panel["to"] < BEGAN + 460
    page.wait_for_url("**zoom=*")
    page.keyboard.press("z")
    page.wait_for_function("() => !location.search.includes('zoom')")
    page.get_by_role("button", name="Relative time").click()
    page.wait_for_url("**x=rel*")
    panel(page, "CPU (process)").focus()
    status = panel(page, "CPU (process)").get_by_role("status")

    def speaks_of_seconds():
        page.keyboard.press("ArrowLeft")
        return status.text_content().startswith("after ")
    wait_for(speaks_of_seconds)
    panel(page, "CPU (process)").hover()
    panel(page, "CPU (process)").get_by_role("button", name="Full screen").click()
    page.get_by_role("dialog").get_by_role("article", name="Chart of CPU (process)").locator("canvas").first.wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("() => !location.search.includes('panel=')")
    assert not one.complaints


def ranks_on_two_hosts(run):
    """Four processes, two on a host, which send every 15 s for seven minutes, a second after each other; and a line each."""
    writers = [run.join(f"w{rank}", "primary" if rank == 0 else "worker", label=f"rank{rank}", host=f"node{rank // 2}") for rank in range(4)]
    for rank, writer in enumerate(writers):
        began = BEGAN + 1.2 * (rank % 2)
        writer.send(events=[{"_timestamp": began + at * 15, "system.memory_percent": 40 + rank // 2 * 20, "system.cpu": 30 + 9 * rank}
                            for at in range(28)], console=[{"line": 0, "text": f"rank {rank} begins"}])
    return run


INKED = """(canvas) => {
    const {width, height} = canvas, data = canvas.getContext('2d').getImageData(0, 0, width, height).data;
    const columns = Array.from({length: width}, (_, x) => x).filter((x) => {
        for (let y = 0; y < height; y++) {
            const [r, g, b, a] = data.slice(4 * (y * width + x), 4 * (y * width + x) + 4);
            if (a > 200 && Math.max(r, g, b) - Math.min(r, g, b) > 60) return true;
        }
        return false;
    });
    return columns.length / width;
}"""


def inked(page, name):
    """The share of the columns of a panel's picture in which there is something in a colour."""
    return panel(page, name).locator("canvas").first.evaluate(INKED)


def test_what_processes_of_a_host_send_one_after_the_other_is_one_line(screen, base, run, wait_for):
    """It goes on over what usually lies between two of one process, and comes in and goes out of what is zoomed to."""
    ranks_on_two_hosts(run)
    one = open_system(screen, base, run, "?panels=memory_percent|cpu")
    wait_for(lambda: inked(one.page, "Memory in use") > 0.7)
    one.page.goto(f"{one.page.url}&zoom={BEGAN + 183}..{BEGAN + 193}")  # between what was sent
    wait_for(lambda: inked(one.page, "Memory in use") > 0.7 and inked(one.page, "CPU (process)") > 0.7)
    assert not one.complaints


@pytest.mark.long
def test_a_label_has_one_colour(screen, base, run):
    """In the panel of all, in one of its own, and beside its name in the logs."""
    ranks_on_two_hosts(run)
    one = open_system(screen, base, run, "?panels=cpu")
    page = one.page

    def told(panel_of):
        """In the tip where the mouse is: names to colours."""
        panel_of.locator("canvas").first.wait_for()
        panel_of.locator(".u-over").hover()
        panel_of.locator(".tip .tip-row").first.wait_for()
        return dict(panel_of.locator(".tip").evaluate(
            "(tip) => [...tip.querySelectorAll('.tip-row')].map((row) => [row.children[1].textContent, getComputedStyle(row.firstChild).color])"))
    together = told(panel(page, "CPU (process)"))
    assert len(set(together.values())) == 4
    page.get_by_role("button", name="By label").click()
    alone = told(panel(page, "CPU (process), rank2"))
    assert alone == {"rank2": together["rank2"]}
    page.get_by_role("link", name="Logs").click()
    row = page.locator(".label-row", has_text="rank2")
    assert row.locator("i").first.evaluate("(mark) => getComputedStyle(mark).backgroundColor") == together["rank2"]
    assert not one.complaints


@pytest.mark.long
def test_over_steps(screen, base, fleet, wait_for):
    """What was sent lies where the run was then: zoom, cursor, strips and findings are in steps; what has none is told."""
    one = open_system(screen, base, fleet, "?panels=utilisation|network.sent")
    page = one.page
    page.get_by_role("button", name="Step", exact=True).click()
    page.wait_for_url("**x=step*")
    page.get_by_text("Not drawn, as they have no step: samples of 1 min before the first row and 2 min 20 s after the last one.").wait_for()
    page.get_by_role("region", name="Outliers").get_by_text("node2 GPU 3 at 0 % (GPU utilisation) and 90 W since step 293, others 93 % and 613 W.").wait_for()
    panel(page, "GPU utilisation").locator("canvas[aria-label*='of 64 rows over steps, from 0 %']").wait_for()
    assert now(page, "GPU utilisation") == ["92 %", "0–96 %"]
    for theme in ("light", "dark"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; dispatchEvent(new Event('theme')); }", theme)
        assert faults_of(page) == []
    box = strip(page, "GPU utilisation").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * (2 * GPUS + 3.5) / 64)
    tip = panel(page, "GPU utilisation").locator(".heat-tip")
    tip.get_by_text("node2 GPU 3").wait_for()
    assert re.fullmatch(r"node2 GPU 3 0 %, −100 % of the median step 35\d", tip.inner_text())
    box = panel(page, "GPU utilisation").locator(".u-over").bounding_box()
    with page.expect_request("**/series") as question:
        page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 40, steps=4)
        page.mouse.up()
    for one_panel in question.value.post_data_json["panels"]:
        assert one_panel["x"] == "_step" and 90 <= one_panel["from"] <= 110 and 180 <= one_panel["to"] <= 210
    page.wait_for_url("**zoom=*")
    panel(page, "GPU utilisation").locator("canvas[aria-label*='no outliers']").wait_for()  # of what is within
    page.reload()
    panel(page, "GPU utilisation").locator("canvas[aria-label*='over steps'][aria-label*='no outliers']").wait_for()
    panel(page, "Network sent").focus()
    wait_for(lambda: page.keyboard.press("ArrowLeft") or panel(page, "Network sent").get_by_role("status").text_content().startswith("step 1"))
    assert panel(page, "GPU utilisation").locator(".u-cursor-x").is_visible()
    page.get_by_role("button", name="Wall clock").click()
    page.wait_for_function("() => !location.search.includes('x=') && !location.search.includes('zoom')")
    panel(page, "GPU utilisation").locator("canvas[aria-label*='of 64 rows over time']").wait_for()
    assert not page.get_by_text("Not drawn").count()
    assert not one.complaints


@pytest.mark.long
def test_a_run_without_metrics_says_how_they_come(screen, base, run, wait_for):
    """And shows the first of them by itself; then it grows, by rows alone."""
    writer = run.join("rank0", host="n1")
    one = open_system(screen, base, run)
    page = one.page
    page.get_by_role("region", name="No system metrics.").get_by_text("cairn run -- ./train").wait_for()
    assert faults_of(page) == []
    writer.send(events=[{"_timestamp": BEGAN, "cpu": 12.0}])
    panel(page, "CPU (process)").locator("canvas").first.wait_for()
    assert now(page, "CPU (process)")[0] == "12 %"
    writer.send(events=[{"_timestamp": BEGAN + at, "cpu": 13.0} for at in range(15, 3000, 15)])
    panel(page, "CPU (process)").get_by_text("13 %", exact=True).wait_for()
    questions = []
    page.on("request", lambda request: request.url.endswith("/series") and questions.append(request.post_data_json["panels"][0]))
    later = iter(range(3000, 9000, 15))

    def only_what_is_new_is_asked_for():
        writer.send(events=[{"_timestamp": BEGAN + next(later), "cpu": 14.0}])
        page.title()  # so that Playwright hears of requests
        return any(question.get("from", 0) > BEGAN + 2800 for question in questions)
    wait_for(only_what_is_new_is_asked_for)
    last = BEGAN + next(later)
    writer.send(events=[{"_timestamp": last, "cpu": 99.0, "memory_percent": 5}])
    panel(page, "CPU (process)").get_by_text("99 %", exact=True).wait_for()
    panel(page, "Memory in use").locator("canvas").first.wait_for()
    steps = page.get_by_role("button", name="Step", exact=True)
    assert steps.is_disabled() and steps.get_attribute("title") == "The run has no steps, because it has no rows of metrics."
    writer.send(history=[{"_step": step, "_timestamp": BEGAN + 15 * step, "loss": 1} for step in range(10)])
    steps.click()  # once it can be
    panel(page, "CPU (process)").locator(".now b").get_by_text("13 %").wait_for()
    panel(page, "Memory in use").get_by_text("No values at the shown steps.").wait_for()
    writer.send(history=[{"_step": 10, "_timestamp": last - 1, "loss": 1}, {"_step": 11, "_timestamp": last + 600, "loss": 1}])
    panel(page, "CPU (process)").locator(".now b").get_by_text("99 %").wait_for()
    panel(page, "Memory in use").locator("canvas").first.wait_for()
    assert not one.complaints


@pytest.mark.long
def test_a_metric_that_comes_while_the_keys_are_read(screen, base, run, wait_for):
    """The answer under way does not know it, and nothing else comes."""
    writer = run.join("rank0")
    one = open_system(screen, base, run)
    page, held = one.page, []
    page.route("**/keys?stream=events*", lambda route: held.append((route, {"items": [], "next_cursor": None})) if not held else route.continue_())
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("region", name="Facts").wait_for()
    page.get_by_role("link", name="System").click()
    wait_for(lambda: page.title() and held, what="keys that are read")
    with page.expect_response(lambda answer: answer.url.endswith("/runs/r1") and answer.json().get("event_rows") == 1):
        writer.send(events=[{"_timestamp": BEGAN, "cpu": 12.0}])
    route, answer = held[0]
    route.fulfill(json=answer)
    panel(page, "CPU (process)").locator("canvas").first.wait_for()
    assert not one.complaints


@pytest.mark.long
def test_what_is_pressed_while_a_metric_comes(screen, base, run, wait_for):
    """What is there stays where it is when keys come: the end of the click finds what its press found."""
    writers = [run.join(f"w{rank}", "worker" if rank else "primary", label=f"rank{rank}", host="here") for rank in range(14)]
    for writer in writers:
        writer.send(events=[{"_timestamp": BEGAN, "cpu": 12.0}])
    wait_for(lambda: len(run.api.get(f"{run.path}/writers").json["items"]) == 14)
    page = open_system(screen, base, run, "?by=label").page
    places, folded = page.get_by_role("rowheader"), page.locator(".fold[aria-expanded=false]")
    for pressed, key, comes, is_done in (
            (page.get_by_role("button", name="Show 2 more"), "proc.memory.rssMB", "Process memory", lambda: places.count() == 14),
            (page.locator(".fold").first, "memory_percent", "Memory in use", lambda: folded.count() == 1)):
        pressed.hover()
        page.mouse.down()
        writers[0].send(events=[{"_timestamp": BEGAN + 1, key: 5}])
        page.locator(f".panel.system[aria-label*='{comes}']").first.wait_for(state="attached")
        pressed.hover()  # wherever it has come to lie
        page.mouse.up()
        wait_for(is_done)
        page.get_by_role("button", name="By metric").click()
        page.locator(".panels .panel.system canvas").first.wait_for()


HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def test_odd_values_and_hostile_names(screen, base, run):
    """One point, nothing but NaN, infinities, texts among numbers; names are text, whatever they say."""
    nan, inf = float("nan"), float("inf")
    writer = run.join("w0", label="größe-1", host=HOSTILE.replace("\u202e", "") + "日本")
    writer.send(events=[{"_timestamp": BEGAN + at, "gpu.0.gpu": nan, "cpu": inf if at == 5 else nan if at == 6 else 40.0, "memory_percent": "much",
                         "proc.cpu.threads": at if at == 3 else None, f"custom.{HOSTILE}": at, "constructor": 1} for at in range(10)])
    run.join("w1", "worker", label="rank1", host="n2").send(events=[{"_timestamp": BEGAN, "cpu": 20.0, "disk./.usagePercent": 50}])
    one = open_system(screen, base, run)
    page = one.page
    panel(page, "GPU utilisation").get_by_text("10 NaN").wait_for()
    assert not panel(page, "GPU utilisation").locator(".now").count(), "no number stands where none was"
    panel(page, "CPU (process)").get_by_text("1 NaN · 1 Inf").wait_for()
    assert now(page, "CPU (process)") == ["30 %", "20–40 %"]
    assert now(page, "Threads") == ["3", ""]
    panel(page, shown(f"custom.{HOSTILE}")).locator("canvas").first.wait_for()
    panel(page, "constructor").locator("canvas").first.wait_for()
    assert not panel(page, "Memory in use").count(), "a text is no metric"
    page.get_by_role("button", name="By label").click()
    page.get_by_role("rowheader").get_by_text("größe-1", exact=True).wait_for()
    assert faults_of(page) == []
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


@pytest.mark.long
def test_what_the_sampler_sends(screen, base, run, cairn_sampler):
    """Real rows of this machine, as `cairn run` sends them."""
    run.join("rank0", host="here").send(events=[{"_timestamp": row.pop("_timestamp", BEGAN + at), **row} for at, row in enumerate(cairn_sampler(3))])
    one = open_system(screen, base, run)
    page = one.page
    for name in "CPU (process)", "Process memory", "Memory in use", "Memory available", "Network received", "File system in use":
        panel(page, name).scroll_into_view_if_needed()
        panel(page, name).locator("canvas").first.wait_for()
    assert now(page, "Memory available")[0].endswith("iB") and now(page, "Memory in use")[0].endswith(" %")
    assert not page.get_by_role("button", name="Other", exact=True).count(), "every name of ours is known"
    assert not one.complaints


def sdk_row(at, label, cpu):
    """As wandb 0.28.2 writes it in shared mode: the label stands at each key."""
    row = {"system.memory_percent": 22.5 + at, "system.proc.memory.rssMB": 89.40625, "system.cpu": cpu, "system.network.sent": 115451 * at,
           "system.disk./.usagePercent": 42.22, "system.disk.vda.out": 215.5 + at, "system.proc.cpu.threads": 3, "system.gpu.0.powerWatts": 71.5}
    return {"_wandb": True, "_timestamp": BEGAN + at, "_runtime": at, **{f"{key}/l:{label}": value for key, value in row.items()}}


@pytest.mark.long
def test_what_the_wandb_sdk_sends(screen, base, api, server, keys):
    """Two processes of one host by the SDK's own door: labels are learnt, the machine is one."""
    wire = Wire(f"http://127.0.0.1:{server.port}", keys["ann"], "ann", "sdk-system")
    for rank in range(2):
        process = wire.start("r1", shared=True, host="node7")
        process.events(*[sdk_row(at, f"rank{rank}", 10.0 + 20 * rank) for at in range(5)])
    one = open_system(screen, base, Run(api, "r1", "/api/v1/projects/ann/sdk-system", make=False))
    page = one.page
    assert now(page, "CPU (process)") == ["20 %", "10–30 %"]
    assert now(page, "GPU power") == ["71.5 W", ""]
    panel(page, "Memory in use").scroll_into_view_if_needed()
    assert now(page, "Memory in use") == ["26.5 %", ""]
    panel(page, "Disk written, by device").scroll_into_view_if_needed()
    assert now(page, "Disk written, by device") == ["1 MiB/s", ""]
    page.get_by_role("button", name="By label").click()
    page.get_by_role("rowheader").get_by_text("rank1", exact=True).wait_for()
    assert page.get_by_role("rowheader").all_inner_texts() == ["rank0", "rank1"]
    assert not page.get_by_text("runtime").count() and not one.complaints


@pytest.mark.long
@pytest.mark.parametrize("by", ["metric", long("label"), long("host")])
def test_anybody_can_use_it(screen, base, fleet, by):
    """In each theme, and on a wide and a narrow screen; nothing but what says so scrolls sideways."""
    for size, scheme in LOOKS:
        one = open_system(screen, base, fleet, f"?by={by}", viewport=SIZES[size], color_scheme=scheme)
        one.page.locator(".panel.system .now b").first.wait_for()
        assert faults_of(one.page) == [], (scheme, size)
        wide = one.page.evaluate("[...document.querySelectorAll('body *')].filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.className + one.tagName).slice(0, 8).join(' ')")
        assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (scheme, size, wide)
        assert not one.complaints
        one.context.close()
