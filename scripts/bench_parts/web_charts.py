"""From a click to the charts of ten long runs, and what drawing a panel takes, on the page itself."""
import math
import random
import statistics

import web_bench

REPEATS = 30
CLICKS = 5
DRAWS = {"draw-10": ("draw?show=10&band=none", 10), "draw-3-bands": ("draw?show=3&band=minmax", 3),
         "draw-50": ("draw?show=50&band=none", 50), "draw-1000": ("draw-many?show=all&band=none", 1000)}

# The link of the header, and the time until the lines are drawn.
CLICK = """async ([path, words]) => {
    const began = performance.now();
    document.querySelector(`header a[href$="${path}"]`).click();
    await bench.until(() => [...document.querySelectorAll('main article')].some((panel) =>
        panel.querySelector('canvas') && panel.textContent.includes(words)));
    return performance.now() - began;
}"""

# Another theme has every panel drawn anew: one panel, so one callback of a frame does it.
DRAW = """async (repeats) => {
    const times = [];
    for (let at = 0; at < repeats; at++) {
        bench.costs = [];
        dispatchEvent(new Event('theme'));
        await bench.frames(3);
        times.push(Math.max(...bench.costs));
    }
    return times;
}"""


def curve(steps, number):
    noise = random.Random(number)
    return [{"_step": step, "part0/loss": 2 + math.exp(-step / steps * 5) + noise.random() / 10} for step in range(steps)]


def fill_click(bench):
    web_bench.progress(f"ten runs of {bench.steps:,} steps")
    long = web_bench.bodies(curve(bench.steps, 0))
    for number in range(10):
        bench.send("click", f"r{number}", long)
    bench.publish("click")
    bench.wait_runs("click", 10)


def clicks(bench):
    """From another page of the run to the workspace; the first time nothing of it is at hand."""
    fill_click(bench)
    from_server, cached = [], []
    for _ in range(CLICKS):
        with bench.open("click/runs/r0") as page:
            for times in from_server, cached:
                page.locator("main h1").wait_for()
                times.append(page.evaluate(CLICK, [f"/{web_bench.ENTITY}/click", "10 lines;"]))
                page.go_back()
    yield "click-server", statistics.median(from_server)
    yield "click-cached", statistics.median(cached)


def fill_draw(bench, project, runs):
    for number in range(runs):
        bench.send(project, f"r{number}", web_bench.bodies(curve(2000, number)))
    bench.publish(project)
    bench.wait_runs(project, runs)


def draws(bench):
    fill_draw(bench, "draw", 50)
    fill_draw(bench, "draw-many", 1000)
    for name, (query, count) in DRAWS.items():
        with bench.open(f"{query}&smooth=0.9") as page:
            page.locator("main article", has_text=f"{count} lines;").locator("canvas").wait_for()
            page.wait_for_timeout(500)
            yield name, statistics.median(page.evaluate(DRAW, REPEATS))


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "click": (clicks, {
        "click-server": ("ms", 250),
        "click-cached": ("ms", 100),
    }),
    "draw": (draws, {
        "draw-10": ("ms", 11),
        "draw-3-bands": ("ms", 18),
        "draw-50": ("ms", 14),
        "draw-1000": ("ms", None),
    }),
}
