"""Pages with panels of three runs, and what people do with them. A module says of which project: PROJECT."""
import json

import pytest

import module_api
from browsing import sign_in
from cluster import wait_until
from runs import Run
from screen import HOST
from test_charts import panel, send_rows

api = module_api.api
KEYS = ["eval/acc", "gain", "train/a", "train/b", "train/c"]


@pytest.fixture(scope="module")
def runs(api, request):
    """Three runs with the same five keys; their summaries are those of the last step."""
    home = request.module.PROJECT
    made = [Run(api, f"r{number}", home) for number in range(3)]
    for number, run in enumerate(made):
        run.writer = run.join("rank0")
        send_rows(run, [{"_step": step, "gain": 0.1 / (step + 1), "eval/acc": step / 50 + number, "train/a": number + step,
                         "train/b": number + 2 * step, "train/c": number + 3 * step} for step in range(50)])
        api.patch(f"{home}/runs/r{number}/summary", {"eval/acc": 49 / 50 + number, "only/summary": number * 10})
    return made


@pytest.fixture
def come(screen, server, api, runs, wait_for, request):
    """come(query, path): a Screen at the charts, signed in; what it is to show is counted before."""
    home = request.module.PROJECT
    charts = "/" + "/".join(home.split("/")[-2:])

    def count():
        body = api.get(f"{home}/keys").json
        return sum(item["runs"] == 3 for item in body["items"] if item["key"] in KEYS)
    wait_for(lambda: count() == 5, timeout=60, what="keys of three runs")
    query = {"filter": "has:summary.only/summary", "count": "true", "limit": 1}
    wait_for(lambda: api.get(f"{home}/runs", **query).json["count"] == 3, what="summaries of three runs")

    def at(query="", path=charts, **options):
        one = screen(**{"viewport": {"width": 1440, "height": 900}, **options})
        sign_in(one.page, f"http://{HOST}:{server.port}{path}{query}")
        one.page.locator(".chart-bar").first.wait_for(state="attached")
        if options.get("viewport", {}).get("width") == 390:
            one.page.get_by_role("button", name="Charts", exact=True).click()
        one.page.locator("article canvas").first.wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


OPEN = """key => {
    const to = new URLSearchParams(location.search);
    to.set('panel', key);
    history.pushState({}, '', '?' + to);
    dispatchEvent(new PopStateEvent('popstate'));
}"""


def layout_of(page):
    return json.loads(page.evaluate("new URLSearchParams(location.search).get('layout') || '{}'"))


def until(page, expression):
    wait_until(lambda: page.evaluate(expression), what=expression)


def order(page, section):
    articles = page.get_by_role("region", name=section, exact=True).locator("article")
    return articles.evaluate_all("list => list.map(one => one.dataset.panel)")


def ordered(page, section, ids):
    wait_until(lambda: order(page, section) == ids, what=f"{ids} in {section}")


def menu_of(page, key, item):
    panel(page, key).hover()
    panel(page, key).get_by_role("button", name="Menu of the panel").click()
    page.get_by_role("menuitem", name=item).click()


def add(page, search, *, way=None, kind=None, pick=None):
    page.get_by_role("button", name="Panel", exact=True).click()
    dialog = page.get_by_role("dialog", name="Add panels")
    if kind:
        dialog.get_by_label("Kind").select_option(label=kind)
    if search:
        dialog.get_by_role("searchbox").fill(search)
    if pick:
        dialog.get_by_role("checkbox", name=pick, exact=True).check()
    elif search:
        dialog.get_by_role("button", name="Pick all").click()
    if way:
        dialog.get_by_role("button", name=way).click()
    dialog.get_by_role("button", name="Add", exact=False).last.click()
    dialog.wait_for(state="detached")


def tip_at(page, key, share, words):
    """The mouse at a share of the width, until what hangs below says so."""
    over = panel(page, key).locator(".u-over")
    tip = panel(page, key).locator(".tip").get_by_text(words)

    def is_told():
        box = over.bounding_box() if over.count() == 1 else None
        if not box:
            return False  # it is drawn anew
        page.mouse.move(box["x"] + box["width"] * share, box["y"] + 30)
        page.mouse.move(box["x"] + box["width"] * share + 1, box["y"] + 31)
        return tip.count() > 0
    wait_until(is_told, what=f"a tip that says {words}")
