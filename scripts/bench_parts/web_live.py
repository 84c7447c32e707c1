"""What happens while somebody looks on: fifty updates of a run in a second, a thousand events, a list of runs.

A lag is from the sending of a batch to the frame that shows it; of all batches of the while the median.
"""
import contextlib
import statistics
import threading
import time

from playwright.sync_api import TimeoutError

import web_bench

SECONDS = 10
UPDATES = 50
EVENTS = 1000
LISTED = 20
CHANGES = 2

# The number that is shown, and since when, by the clock that the server and this program use, too.
NOTE = """() => {
    const shown = bench.shown = [];
    bench.begin();
    const look = async () => {
        while (bench.isWatching && bench.shown === shown) { /* who looked before may see this begin, and not its own end */
            const number = %s;
            if (number !== null && number !== bench.shown.at(-1)?.[0]) bench.shown.push([number, Date.now()]);
            await bench.frame();
        }
    };
    look();
}"""
LAST_VALUE = ("((found) => found ? Number(found[1].replace(/[^0-9]/g, '')) : null)"
              "(document.querySelector('main article')?.textContent.match(/; last ([0-9, ]+)\\./))")
# For runs in a list: the greatest value in the column that is shown, and how many have finished.
GREATEST = """((found) => found.length ? Math.max(...found) : null)(
    [...document.querySelectorAll('.virtual .run-row .cell-col [data-copied]')].map((cell) => Number(cell.dataset.copied)))"""
FINISHED = "document.querySelectorAll('.virtual .run-row .cell-name .state.finished').length || null"

# In the place of the worker that holds the streams, one that makes up what they would bring: like that one in a thread of its
# own, and putting together what comes within 20 ms. The page only pays for what it does with it.
OWN_WORKER = """window.SharedWorker = class {
    constructor() {
        this.port = window.bench.worker = Object.assign(new Worker('/bench-worker.js'), { start() {} });
    }
    addEventListener() {}
}"""
WORKER = """
function pour({ path, runs, rate, seconds }) {
    const began = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
        const passed = (performance.now() - began) / 1000;
        const messages = [];
        for (; sent < Math.min(passed, seconds) * rate; sent++) messages.push({ path, type: 'run', data: { items: [
            { id: `r${sent % runs}`, rows: 500 + sent, event_rows: 0, last_step: 500 + sent, heard_at: new Date().toISOString() }] } });
        if (messages.length) postMessage(messages);
        if (passed > seconds) clearInterval(timer);
    }, 20);
}
function welcome(wants) {
    for (const [path, { turn }] of Object.entries(wants))
        postMessage([{ path, type: 'how', data: { name: 'live' } }, { path, type: 'open', data: { turn } }]);
}
onmessage = ({ data }) => data.pour ? pour(data.pour) : welcome(data.wants);
"""


@contextlib.contextmanager
def sending(send, rate, seconds):
    """Sends so often from a thread; gives [(number, when)], which grows."""
    sent, began = [], time.time()

    def run():
        number = 0
        while (now := time.time()) < began + seconds:
            if now >= began + number / rate:
                sent.append((send(number), now * 1000))
                number += 1
            time.sleep(0.001)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield sent
    finally:
        thread.join()


def lags(sent, shown):
    """Of each that was sent until it, or a later one, was shown; what was not shown by the end has none."""
    found, at = [], 0
    for number, when in sent:
        while at < len(shown) and shown[at][0] < number:
            at += 1
        if at < len(shown):
            found.append(max(0, shown[at][1] - when))
    if len(found) < len(sent) / 2:
        raise RuntimeError(f"{len(found)} of {len(sent)} were seen")
    return statistics.median(found)


def followed(page, number_of, send, rate, seconds=SECONDS):
    """{longest, lag} of a page that follows what is sent."""
    page.evaluate(NOTE % number_of)
    with sending(send, rate, seconds) as sent:
        pass
    with contextlib.suppress(TimeoutError):
        page.wait_for_function(f"() => {number_of} >= {sent[-1][0]}", timeout=10_000)
    page.evaluate("bench.frames(3)")
    seen = page.evaluate("({ ...bench.end(), shown: bench.shown })")
    return seen["longest"], lags(sent, seen["shown"])


def updates(bench):
    writer = web_bench.Writer(bench, "live", "r0")
    bench.publish("live")
    writer.send(history=[{"_step": 0, "loss": 1}])

    def send(number):
        writer.send(history=[{"_step": number + 1, "loss": number + 2}])
        return number + 2
    with bench.open("live/runs/r0/charts?smooth=0") as page:
        page.locator("canvas").first.wait_for()
        page.locator(".live", has_text="Live").wait_for()
        longest, lag = followed(page, LAST_VALUE, send, UPDATES)
    writer.finish()
    yield "live-50-longest", longest
    yield "live-50-lag", lag


def changes(bench):
    """Values of a column, each of another run, and runs that finish one after another."""
    writers = [web_bench.Writer(bench, "listed", f"r{number}") for number in range(LISTED)]
    bench.publish("listed")
    for writer in writers:
        writer.send(history=[{"_step": 0, "loss": 0}])
    bench.wait_runs("listed", LISTED)

    def send(number):
        writers[number % LISTED].send(history=[{"_step": number + 1, "loss": number + 1}])
        return number + 1

    def finish(number):
        writers[number].finish()
        return number + 1
    with bench.open("listed?cols=summary.loss&panels=none") as page:
        page.locator(".virtual .run-row").nth(LISTED - 1).wait_for()
        page.locator(".live", has_text="Live").wait_for()
        yield "list-lag", followed(page, GREATEST, send, CHANGES)[1]
        yield "list-lag-state", followed(page, FINISHED, finish, CHANGES, LISTED / CHANGES)[1]


def events(bench):
    runs = 100
    for number in range(runs):
        bench.send("events", f"r{number}", web_bench.bodies([{"_step": step, "loss": step} for step in range(500)]))
    bench.publish("events")
    bench.wait_runs("events", runs)
    with bench.open("settings/none") as page:
        page.context.route("**/bench-worker.js", lambda route: route.fulfill(content_type="text/javascript", body=WORKER))
        page.context.add_init_script(OWN_WORKER)
        page.goto(f"{bench.server.url}/{web_bench.ENTITY}/events")
        page.locator("canvas").first.wait_for()
        page.wait_for_timeout(1000)
        yield "events-1000", poured(page, {"path": f"projects/{web_bench.ENTITY}/events", "runs": runs, "rate": EVENTS, "seconds": SECONDS})


def poured(page, what):
    """Processor time of the main thread meanwhile, in percent."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = metrics(session)["TaskDuration"]
    page.evaluate("(pour) => bench.worker.postMessage({ pour })", what)
    page.wait_for_timeout(what["seconds"] * 1000)
    return 100 * (metrics(session)["TaskDuration"] - before) / what["seconds"]


def metrics(session):
    return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "live": (updates, {
        "live-50-longest": ("ms longest", 50),
        "live-50-lag": ("ms", 2000),
    }),
    "listed": (changes, {
        "list-lag": ("ms", 2000),
        "list-lag-state": ("ms", 2000),
    }),
    "events": (events, {
        "events-1000": ("% of a core", 5),
    }),
}
