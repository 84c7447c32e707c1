"""What tests of the list of a project's runs share: the list itself, who comes to it, and 500 varied runs."""
import concurrent.futures
import random
import re

import pytest

from browsing import sign_in
from cluster import wait_until
from screen import HOST

PROJECT = "/api/v1/projects/ann/llm-pretrain"
RUNS = 500
HOSTILE = ["<script>alert(1)</script>", "\u202egnirts a \u05d0\u05d1", "x" * 250, "\U0001f9ea\U0001f1e9\U0001f1ea", "=cmd|' /C calc'!A0", "a,b \"c\""]
ARCHS = ["moe-8x1b", "dense-1b", "dense-3b"]


def body_of(number):
    """The same each time."""
    dice = random.Random(number)
    name = HOSTILE[number] if number < len(HOSTILE) else f"{dice.choice(['mossy', 'amber', 'slate'])}-orchard-{number}"
    return {"display_name": name, "job_type": dice.choice(["train", "eval"]), "group": dice.choice(["", "nightly"]),
            "tags": ["good"] if number % 10 == 0 else [],
            "config": {"lr": dice.choice([2e-4, 6e-4, 1e-3]), "arch": ARCHS[number % 3], "number": number, "my key": f"v {number}"}}


def make_run(api, number):
    path = f"{PROJECT}/runs/r{number:03}"
    api.put(path, body_of(number))
    api.patch(f"{path}/summary", {"eval/loss": 2 + number / 1000})
    if number % 4 == 0:
        api.post(f"{path}/finish", {"exit_code": 0})


@pytest.fixture(scope="module")
def runs(api):
    """500 runs, made in their order as far as that goes; r499 is the newest."""
    for number in range(len(HOSTILE)):
        make_run(api, number)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: make_run(api, number), range(len(HOSTILE), RUNS - 1)))
    make_run(api, RUNS - 1)
    return api


@pytest.fixture
def found(runs, wait_for):
    """All of them are found by what they were made with."""
    wait_for(lambda: runs.get(f"{PROJECT}/runs", filter="has:summary.eval/loss has:config.lr", count="true", limit=1).json["count"] == RUNS,
             timeout=90, what="500 runs that are found")


@pytest.fixture
def come(screen, base, api):
    """come(query, path, at=another server): a Screen at the list, signed in."""
    def come(query="", path="/ann/llm-pretrain", at=None, **options):
        one = screen(**options)
        one.base = f"http://{HOST}:{at.port}" if at else base
        sign_in(one.page, f"{one.base}{path}{query}")
        one.page.locator(".run-list").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return come


def head(page, words):
    page.get_by_role("heading", name=words, exact=True).wait_for()


def row_of(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def names(page):
    return [one.strip() for one in page.locator(".virtual .run-row .cell-name a").all_inner_texts()]


def query_of(page):
    return page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")


def until(page, expression):
    wait_until(lambda: page.evaluate(expression), what=expression)


def pick(page, run, item):
    """From the menu of its row."""
    row_of(page, run).get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name=re.compile(f"^{item}( .)?$")).click()  # its key behind it


def filter_by(page, text):
    page.get_by_role("combobox", name="Filter runs").fill(text)
    page.keyboard.press("Enter")


def shown(page):
    return page.get_by_role("button", name="How many runs the charts draw").inner_text().strip()


def visualized(page, count):
    """Its name begins with what it shows: who speaks to the page says what they see."""
    page.get_by_role("button", name=re.compile(f"^{count} visualized: how many")).wait_for()
