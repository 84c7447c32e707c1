"""Earlier attempts of a run are read and restored on its page."""
import json

import pytest

from browsing import SIZES, WIDE_LOOK, address, faults_of, goto, region, sign_in
from runs import Run

UPSERT = "mutation($i: UpsertBucketInput!) {upsertBucket(input: $i) {bucket {id}}}"
CARD = "Earlier attempts"


def begin(api, home, config):
    """A process of the wandb SDK that does not resume."""
    entity, project = home.split("/")[4:]
    config = {key: {"value": value} for key, value in config.items()}
    api.post("/graphql", {"query": UPSERT, "variables": {"i": {
        "entityName": entity, "modelName": project, "name": "r1", "host": "h", "config": json.dumps(config)}}})
    return Run(api, "r1", home, make=False)


def send(run, summary, rows=(), **more):
    path = run.path.removeprefix("/api/v1/projects/").replace("/runs/", "/")
    rows = [json.dumps({"_step": step, **row}) for step, row in enumerate(rows)]
    run.api.post(f"/files/{path}/file_stream", {**more, "files": {
        "wandb-history.jsonl": {"offset": 0, "content": rows},
        "wandb-summary.json": {"offset": 0, "content": [json.dumps(summary)]}}}, check=False)


def train(api, home, config):
    """A process that ends well."""
    made = begin(api, home, config)
    send(made, {"loss": 0.5, "best": 0.125}, [{"loss": 2.5}, {"loss": 0.5}], complete=True, exitcode=0)
    return made


@pytest.fixture
def run(api, home):
    return train(api, home, {"lr": 0.25, "seed": 2**60 + 1, "net": {"depth": 3}, "none": None})


def open_attempt(page, number):
    page.get_by_role("button", name=f"Show config and summary of attempt {number}").click()
    box = page.get_by_role("dialog", name=f"Attempt {number}", exact=True)
    region(box, "Config").get_by_role("row").first.wait_for()
    return box


@pytest.mark.parametrize("size, theme", WIDE_LOOK)
def test_an_attempt_is_read_and_restored(screen, base, run, api, home, size, theme):
    page = screen(viewport=SIZES[size], color_scheme=theme).page
    goto(page, base, run)
    region(page, "Summary").get_by_role("row", name="loss 0.5").wait_for()
    assert page.get_by_role("region", name=CARD).count() == 0
    send(begin(api, home, {"lr": 0.125, "other": 1}), {"loss": 0.5, "only": 1})
    region(page, "Summary").get_by_role("row", name="only 1").wait_for()
    card = region(page, CARD)
    cells = card.locator("tbody tr").locator("th, td")
    cells.first.wait_for()
    assert [cells.nth(at).inner_text().strip() for at in (0, 1, 4)] == ["1", "finished", "2"]
    times = [card.locator("time").nth(at).get_attribute("datetime") for at in (0, 1)]
    assert times == [run.states()[0]["at"], run.states()[1]["at"]]
    box = open_attempt(page, 1)
    region(box, "Config").get_by_role("row", name="net.depth 3").wait_for()
    region(box, "Summary").get_by_role("row", name="best 0.125").wait_for()
    assert faults_of(page) == []
    box.get_by_role("button", name="Restore").click()
    sure = page.get_by_role("dialog", name="Restore attempt 1?")
    sure.get_by_text("other values, or none, for 3 keys of this config and 1 key of this summary.").wait_for()
    assert faults_of(page) == []
    sure.get_by_role("button", name="Cancel").click()
    assert "net" not in run.config()
    box.get_by_role("button", name="Restore").click()
    sure.get_by_role("button", name="Restore").click()
    page.get_by_text("Config and summary of attempt 1 are restored.").wait_for()
    assert page.get_by_role("dialog").count() == 0
    for name in "lr 0.25", "net.depth 3", "other 1":
        region(page, "Config").get_by_role("row", name=name).wait_for()
    region(page, "Summary").get_by_role("row", name="best 0.125").wait_for()
    assert run.summary() == {"best": 0.125, "loss": 0.5, "only": 1}
    assert {key: run.config()[key] for key in ("lr", "seed", "net", "other")} == {
        "lr": 0.25, "seed": 2**60 + 1, "net": {"depth": 3}, "other": 1}
    assert len(run.rows()) == 2
    box = open_attempt(page, 1)
    assert box.get_by_role("button", name="Restore").is_disabled(), "there is nothing to set"
    assert box.get_by_role("button", name="Restore").get_attribute("title") == "The run has all of these values."


@pytest.mark.long
def test_what_the_server_refuses_is_said(screen, base, run, api, home):
    """The dialogs stay, with what was answered."""
    begin(api, home, {})
    page = screen().page
    goto(page, base, run)
    box = open_attempt(page, 1)
    box.get_by_role("button", name="Restore").click()
    api.delete(run.path)
    sure = page.get_by_role("dialog", name="Restore attempt 1?")
    sure.get_by_role("button", name="Restore").click()
    sure.get_by_role("alert").get_by_text("deleted").wait_for()
    assert box.is_visible()


def test_readers_restore_nothing(screen, base, by, home):
    """They read what was kept."""
    by["ann"].put(home, {"visibility": "public"})
    train(by["ann"], home, {"lr": 0.25})
    run = begin(by["ann"], home, {})
    page = screen().page
    sign_in(page, base, "bob")
    page.get_by_role("button", name="Account of bob").wait_for()
    page.goto(address(base, run, "runs", "r1", "overview"))
    box = open_attempt(page, 1)
    region(box, "Config").get_by_role("row", name="lr 0.25").wait_for()
    restore = box.get_by_role("button", name="Restore")
    assert restore.is_disabled() and restore.get_attribute("title") == "You have read access only"
