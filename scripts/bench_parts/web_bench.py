"""What the measurements of the page stand on: a server with projects that anybody may see, and a browser that is watched."""
import contextlib
import json
import shutil
import sys
import time

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
WIDE = {"width": 1440, "height": 900}
ENTITY = "bench"
BATCH = 10_000
LATE_MS = 25  # a frame that comes so long after the one before: at 60 Hz it should have been there

# bench.costs: how long each frame's callback took, with the promises that it settled; bench.gaps: between two frames;
# bench.longest: the longest task above 50 ms, which is what a browser tells of.
WATCH = """(() => {
    const bench = window.bench = { costs: [], gaps: [], longest: 0, isWatching: false };
    const own = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (callback) => own((now) => {
        const began = performance.now();
        callback(now);
        Promise.resolve().then(() => bench.costs.push(performance.now() - began));
    });
    bench.frame = () => new Promise(own);
    bench.frames = async (count) => { while (count--) await bench.frame(); };
    bench.until = async (condition, ms = 20000) => {
        const end = performance.now() + ms;
        for (let found; performance.now() < end; await bench.frame()) if ((found = condition())) return found;
        throw new Error(`never: ${condition}`);
    };
    bench.begin = () => {
        Object.assign(bench, { costs: [], gaps: [], longest: 0, isWatching: true });
        let last = performance.now();
        const tick = () => {
            const now = performance.now();
            bench.gaps.push(now - last);
            last = now;
            if (bench.isWatching) own(tick);
        };
        own(tick);
    };
    bench.end = () => {
        bench.isWatching = false;
        return { longest: bench.longest, gaps: bench.gaps.slice(1) };
    };
    new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) bench.longest = Math.max(bench.longest, duration);
    }).observe({ type: 'longtask' });
})()"""


def progress(text):
    print(f"bench-web: {text}", file=sys.stderr, flush=True)


class Bench:
    def __init__(self, server, browser, steps, minutes):
        self.server, self.browser, self.steps, self.minutes = server, browser, steps, minutes
        self.ask = server.connect()

    @contextlib.contextmanager
    def open(self, path, *scripts):
        """A page of a browser without anything kept, watched from the start, also by what these scripts do."""
        context = self.browser.new_context(viewport=WIDE)
        context.set_default_timeout(120_000)
        for script in WATCH, *scripts:
            context.add_init_script(script)
        page = context.new_page()
        page.goto(f"{self.server.url}/{ENTITY}/{path}")
        try:
            yield page
        finally:
            context.close()

    def publish(self, project):
        self.ask("PATCH", f"/projects/{ENTITY}/{project}", '{"visibility":"public"}')

    def send(self, project, run, bodies):
        """A run that has ended, of rows as JSON."""
        path = f"/projects/{ENTITY}/{project}/runs/{run}"
        self.ask("PUT", path, "{}")
        for body in bodies:
            self.ask("POST", f"{path}/history", body)
        self.ask("POST", f"{path}/finish", '{"state":"finished"}')

    def wait_runs(self, project, count):
        """Until the list finds all of them."""
        end = time.monotonic() + 120
        while self.ask("GET", f"/projects/{ENTITY}/{project}/runs?count=true&limit=1")["count"] < count:
            if time.monotonic() > end:
                raise RuntimeError(f"{project} has fewer than {count} runs")
            time.sleep(0.05)


class Writer:
    """A writer of a run, over a connection of its own."""

    def __init__(self, bench, project, run, client="w0", label="rank0", role="primary"):
        self.ask = bench.server.connect()
        self.path = f"/projects/{ENTITY}/{project}/runs/{run}"
        self.client, self.batch = client, 0
        if role == "primary":
            self.ask("PUT", self.path, "{}")
        self.session = self.ask("POST", f"{self.path}/join", json.dumps(
            {"client": client, "label": label, "role": role}))["session"]

    def send(self, **streams):
        self.batch += 1
        self.ask("POST", f"{self.path}/batch", json.dumps(
            {"writer": self.client, "session": self.session, "batch": self.batch, **streams}))

    def finish(self):
        self.ask("POST", f"{self.path}/finish", json.dumps(
            {"writer": self.client, "session": self.session, "exit_code": 0}))


def bodies(rows):
    return [json.dumps(rows[start:start + BATCH]) for start in range(0, len(rows), BATCH)]


def missed(gaps):
    """Of frames at 60 Hz, the share that came a frame or more too late, in percent."""
    return 100 * sum(gap > LATE_MS for gap in gaps) / max(1, len(gaps))
