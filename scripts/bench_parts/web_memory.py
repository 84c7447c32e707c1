"""What a page that follows a run for long holds: by name only, for it takes as long as one likes (--minutes)."""
import statistics
import time

import web_bench
import web_live

SAMPLES = 30
RATE = 10


def held(session):
    """After what nobody holds was taken away."""
    session.send("HeapProfiler.collectGarbage")
    found = web_live.metrics(session)
    return found["JSHeapUsedSize"] / 2**20, found["Nodes"]


def slope(samples, at):
    """An hour's growth, of the later three quarters: at first what is shown comes in."""
    late = samples[len(samples) // 4:]
    return 3600 * statistics.linear_regression([one[0] for one in late], [one[at] for one in late]).slope


def measure(bench):
    writer = web_bench.Writer(bench, "memory", "r0")
    bench.publish("memory")
    samples = []

    def send(number):
        line = {"line": number, "stream": "stdout", "time": time.time(), "text": f"step {number}"}
        writer.send(history=[{"_step": number, "loss": 1 / (number + 1), "lr": number % 10}], console=[line])
    send(0)
    with bench.open("memory/runs/r0/charts") as charts, bench.open("memory/runs/r0/logs") as logs:
        charts.locator("canvas").first.wait_for()
        logs.locator(".log-list .log").first.wait_for()
        sessions = [page.context.new_cdp_session(page) for page in (charts, logs)]
        for session in sessions:
            session.send("Performance.enable")
        with web_live.sending(lambda number: send(number + 1), RATE, bench.minutes * 60):
            began = time.monotonic()
            for number in range(1, SAMPLES + 1):
                charts.wait_for_timeout(max(0, began + number * bench.minutes * 60 / SAMPLES - time.monotonic()) * 1000)
                each = [held(session) for session in sessions]
                samples.append((time.monotonic() - began, sum(heap for heap, _ in each), sum(nodes for _, nodes in each)))
                web_bench.progress(f"{samples[-1][0] / 60:.1f} min: {samples[-1][1]:.2f} MiB, {samples[-1][2]:.0f} nodes")
    yield "memory-heap", samples[-1][1]
    yield "memory-growth", slope(samples, 1)
    yield "memory-nodes", slope(samples, 2)


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "memory": (measure, {
        "memory-heap": ("MiB heap", 300),
        "memory-growth": ("MiB an hour", 1),
        "memory-nodes": ("more an hour", 100),
    }),
}
