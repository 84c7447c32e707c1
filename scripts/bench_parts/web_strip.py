"""A metric of 4,096 labels on the system tab of a run, as one strip of 400 columns."""
import concurrent.futures
import statistics

import web_bench

LABELS, COLUMNS = 4096, 400
ABREAST = 4
REPEATS = 30
TURNS = 10
BEGAN = 1_772_355_600

# drawn anew with what is known: another theme changes no number
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


# rows that were not shown so before: all statistics, in whatever slices, and then the drawing
RECKON = """async ([label, rows]) => {
    const field = document.querySelector('.chart-bar input[list=system-label]');
    bench.begin();
    field.value = label;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await bench.until(() => document.querySelector(`canvas.heat[aria-label*='${rows}']`));
    await bench.frames(3);
    return [bench.costs.reduce((all, cost) => all + cost, 0), bench.end().longest, rows];
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
        yield "strip-4096-first", page.evaluate("bench.longest")
        yield "strip-4096", statistics.median(page.evaluate(DRAW, REPEATS))
        turns = [page.evaluate(RECKON, ask) for _ in range(TURNS) for ask in (["rank7*", "111"], ["rank*", "4,096"])]
        whole = [(all_of_it, longest) for all_of_it, longest, rows in turns if rows == "4,096"]
        yield "strip-4096-whole", statistics.median(all_of_it for all_of_it, _ in whole)
        yield "strip-4096-longest", max(longest for _, longest in whole)


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "strip": (measure, {
        "strip-4096": ("ms", 30),
        "strip-4096-whole": ("ms with statistics", 150),
        "strip-4096-longest": ("ms longest", 50),
        "strip-4096-first": ("ms longest", 50),
    }),
}
