"""What of a run's requests was left out, on its page."""
import re

import pytest

from browsing import faults_of, goto, region
from runs import Run


@pytest.fixture
def run(api, home):
    made = Run(api, "r1", home)
    made.writer = made.join("rank0")
    made.writer.send(history=[{"loss": 2.5}])
    return made


def test_what_is_left_out_is_named(screen, base, run):
    """There is no word of it before; then how much, and in a dialog each with its reason, count and value."""
    page = screen().page
    goto(page, base, run)
    region(page, "Summary").get_by_role("row", name="loss 2.5").wait_for()
    assert page.get_by_role("button", name="Show", exact=True).count() == 0
    run.writer.send(history=[{"loss": 1, "": "first " * 40}, {"loss": 1, "": 2}, {"loss": 0.5, "x" * 3000: "<b>"}])
    page.get_by_role("status").get_by_text("3 values were left out").wait_for()
    page.get_by_role("button", name="Show", exact=True).click()
    box = page.get_by_role("dialog", name="Left out")
    box.get_by_text("the name is too long").wait_for()
    first, second = (re.split(r"\s*\t\s*", row.strip()) for row in box.locator("tbody tr").all_inner_texts())
    assert first[:4] == ["metrics", "none", "no name", "2"] and first[4].startswith('"first first')
    assert second[0] == "metrics" and second[1].startswith("xxx") and second[2:] == ["the name is too long", "1", '"<b>"']
    box.locator("summary").click()
    box.get_by_text("first " * 39 + 'first "', exact=False).wait_for()
    assert faults_of(page) == []
    with page.context.expect_page() as opened:
        box.get_by_role("link", name="As JSON").click()
    opened.value.get_by_text('"reason":"name-empty"').wait_for()
    opened.value.close()
    page.keyboard.press("Escape")
    box.wait_for(state="detached")
    assert page.evaluate("document.activeElement.textContent") == "Show"
    assert region(page, "Summary").get_by_role("row", name="loss 0.5").count() == 1


def test_lines_that_could_not_be_read(screen, base, run, api):
    """They have no names: the line above says how many there are, and a link leads to them."""
    path = run.path.removeprefix("/api/v1/projects/").replace("/runs/", "/")
    api.post(f"/files/{path}/file_stream", {"files": {"wandb-history.jsonl": {"offset": 0, "content": ["[1]"]}}}, check=False)
    page = screen().page
    goto(page, base, run)
    page.get_by_role("status").get_by_text("1 line could not be read").wait_for()
    page.get_by_role("button", name="Show", exact=True).click()
    box = page.get_by_role("dialog", name="Left out")
    with page.context.expect_page() as opened:
        box.get_by_role("link", name="Lines that could not be read: 1").click()
    opened.value.get_by_text('"text":"[1]"').wait_for()
