"""The console of a run with a million lines: going to a place, and a thousand new lines a second while somebody follows."""
import statistics
import time

import web_bench
import web_live

LINES = 1000  # a second
LINES_BEFORE = 1_000_000
JUMPS = 9
LAST_LINE = "(document.querySelector('.log-list')?.lastElementChild?.line.line ?? null)"

JUMP = """async (share) => {
    const density = document.querySelector('.density');
    const box = density.querySelector('.bars').getBoundingClientRect();
    const first = () => document.querySelector('.log-list').firstElementChild?.line.line;
    const before = first();
    const began = performance.now();
    density.dispatchEvent(new MouseEvent('click', { clientX: box.x + box.width * share, clientY: box.y + 1, bubbles: true }));
    await bench.until(() => first() !== undefined && first() !== before);
    await bench.frame();
    return performance.now() - began;
}"""


def console_lines(first, count, rate, began):
    return [{"line": line, "stream": "stdout", "time": began + line / rate, "text": f"step {line}: loss {line % 997 / 997:.4f} ok"}
            for line in range(first, first + count)]


def measure(bench):
    web_bench.progress(f"{LINES_BEFORE:,} lines")
    writer = web_bench.Writer(bench, "logs", "r0")
    bench.publish("logs")
    began = time.time() - LINES_BEFORE / LINES
    for first in range(0, LINES_BEFORE, web_bench.BATCH):
        writer.send(console=console_lines(first, web_bench.BATCH, LINES, began))

    def send(number):
        writer.send(console=console_lines(LINES_BEFORE + number * 100, 100, LINES, began))
        return LINES_BEFORE + number * 100 + 99
    with bench.open("logs/runs/r0/logs") as page:
        page.locator(".log-list .log").first.wait_for()
        yield "log-jump", statistics.median(page.evaluate(JUMP, (at + 0.5) / JUMPS) for at in range(JUMPS))
        page.keyboard.press("End")
        page.wait_for_function(f"() => {LAST_LINE} === {LINES_BEFORE - 1}")
        page.locator(".live", has_text="Live").wait_for()
        longest, lag = web_live.followed(page, LAST_LINE, send, LINES / 100)
        yield "log-lines", page.evaluate("document.querySelector('.log-list').childElementCount")
    writer.finish()
    yield "log-follow-longest", longest
    yield "log-follow-lag", lag


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "log": (measure, {
        "log-jump": ("ms", 150),
        "log-lines": ("in the DOM", 400),
        "log-follow-longest": ("ms longest", 50),
        "log-follow-lag": ("ms", 1000),
    }),
}
