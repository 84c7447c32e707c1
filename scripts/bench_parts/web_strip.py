"""A metric of 4,096 labels on the system tab of a run, as one strip of 400 columns."""
import concurrent.futures
import statistics

import web_bench

LABELS, COLUMNS = 4096, 400
ABREAST = 4
REPEATS = 30
BEGAN = 1_772_355_600

DRAW = """async (repeats) => {
    const times = [];
    for (let at = 0; at < repeats; at++) {
        bench.costs = [];
        const began = performance.now();
        dispatchEvent(new Event('theme'));
        const at_once = performance.now() - began;
        await bench.frames(3);
        times.push(at_once + Math.max(0, ...bench.costs));
    }
    return times;
}"""


def write(bench, number):
    writer = web_bench.Writer(bench, "strip", "r0", f"w{number}", f"rank{number}", "primary" if number == 0 else "worker")
    writer.send(events=[{"_timestamp": BEGAN + at * 15, "cpu": (number * 7 + at * 3) % 100} for at in range(COLUMNS)])
    writer.ask.close()


def measure(bench):
    web_bench.progress(f"{LABELS:,} writers")
    write(bench, 0)
    bench.publish("strip")
    with concurrent.futures.ThreadPoolExecutor(ABREAST) as pool:
        list(pool.map(lambda number: write(bench, number), range(1, LABELS)))
    with bench.open("strip/runs/r0/system") as page:
        page.locator("canvas.heat[aria-label*='4,096']").first.wait_for()
        page.wait_for_timeout(1000)
        yield "strip-4096", statistics.median(page.evaluate(DRAW, REPEATS))


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "strip": (measure, {
        "strip-4096": ("ms", 30),
    }),
}
