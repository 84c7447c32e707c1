"""Writers that fall silent, one after another, while somebody looks at the table of all: how soon they are seen as lost."""
import datetime
import json
import time

import web_bench
import web_live

LIMIT_S = 5
SILENT = 8
APART_S = 1.37  # so that they are lost at other places of each second
SLACK_S = 15

# When the state of each was first seen, by the clock that the server and this program have, too.
NOTE = """() => {
    bench.lost = {};
    const look = async () => {
        for (;;) {
            for (const row of document.querySelectorAll('.writers-table tbody tr')) {
                const [label] = row.textContent.match(/silent\\d+/) || [];
                const isLost = /\\blost\\b/.test(row.querySelector('.state')?.textContent);
                if (label && isLost) bench.lost[label] ||= Date.now();
            }
            await bench.frame();
        }
    };
    look();
}"""


def limits(bench):
    """Of each that is silent, when it was lost: in seconds."""
    found = bench.ask("GET", f"/projects/{web_bench.ENTITY}/lost/runs/r0/writers?limit=100")["items"]
    return {one["label"]: datetime.datetime.fromisoformat(one["heard_at"]).timestamp() + LIMIT_S
            for one in found if one["label"].startswith("silent")}


def measure(bench):
    writer = web_bench.Writer(bench, "lost", "r0")
    bench.ask("PATCH", f"/projects/{web_bench.ENTITY}/lost", json.dumps({"visibility": "public", "crash_after_s": LIMIT_S}))
    with bench.open("lost/runs/r0/writers") as page:
        page.locator(".live", has_text="Live").wait_for()
        page.evaluate(NOTE)
        with web_live.sending(lambda number: writer.send(history=[{"loss": number}]), 1, SILENT * APART_S + LIMIT_S + SLACK_S):
            for number in range(SILENT):
                web_bench.Writer(bench, "lost", "r0", f"w{number + 1}", f"silent{number}", "worker").ask.close()
                time.sleep(APART_S)
            page.wait_for_function(f"() => Object.keys(bench.lost).length === {SILENT}", timeout=(LIMIT_S + SLACK_S) * 1000)
            lost = page.evaluate("bench.lost")
    writer.finish()
    yield "lost-writer", max(lost[label] / 1000 - limit for label, limit in limits(bench).items())


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "lost": (measure, {
        "lost-writer": ("s longest", 2),
    }),
}
