"""The artifacts of a project in a real browser: collections, versions, files, use, edits, deletion."""
import itertools
import json
import tarfile

import pytest

import module_api
from artifact_pages import HOME, version
from browsing import SIZES, WIDE_LOOK, faults_of, region, shown, sign_in
from runs import Run
from screen import HOST

api = module_api.api
MODELS = "digits-model", "edited-model"
HOSTILE = "\u202egnirts <b>\u05d0\u05d1 %2e"


def rows(*scores):
    """A table of the wandb SDK with a row for each score."""
    return json.dumps({"columns": ["id", "score"], "data": [[f"item {at}", score] for at, score in enumerate(scores)], "ncols": 2, "nrows": len(scores),
                       "column_types": {"wb_type": "typedDict"}})


@pytest.fixture(scope="module")
def made(api):
    """A data set, a model of three versions by two runs, and a name that is hard to show."""
    one, two = Run(api, "r1", HOME), Run(api, "r2", HOME)
    api.patch(one.path, {"display_name": "mossy orchard"})
    version(api, "digits", {"train.csv": "a,b\n1,2\n", **{f"parts/{at // 20}/{at:03}.txt": f"part {at}\n" for at in range(60)}}, type="dataset",
            references=[{"path": "all.parquet", "ref": "s3://bucket/all.parquet", "bytes": 5000, "digest": "etag-1"}])
    version(api, "scores", {"old.txt": "old", "eval.table.json": rows(0.5, 0.6), "notes.txt": "one\ntwo\nthree\n"}, metadata={"k": 5, "gone": True, "same": [1]})
    version(api, "scores", {"new.txt": "new", "eval.table.json": rows(0.5, 0.9), "notes.txt": "one\n2\nthree\n"}, metadata={"k": 7, "same": [1], "come": "x"})
    for name, (at, accuracy) in itertools.product(MODELS, enumerate((0.91, 0.93, 0.95))):
        files = {"weights.bin": bytes([at]) * 2000, "config.json": f'{{"layers": {at}}}', "same.txt": "the same\n"}
        version(api, name, files, run=(one, one, two)[at].name, description=f"Version *{at}*", tags=["good"] if at else [],
                aliases=["best"] if at == 1 else [], metadata={"accuracy": accuracy, "optim": {"name": "adam", "seed": 2 ** 60 + 1}})
    version(api, HOSTILE, {HOSTILE: "hostile"}, description="<script>alert(1)</script>")
    return one, two


@pytest.fixture(scope="module")
def cookies():
    return {}


@pytest.fixture
def come(screen, server, cookies, made):
    """come(path, **options): a Screen at a page of artifacts, signed in once for all."""
    def at(path="", name="ann", **options):
        one = screen(storage_state=cookies.get(name), **options)
        url = f"http://{HOST}:{server.port}/ann/artifacts/artifacts{path}"
        if name in cookies:
            one.page.goto(url)
        else:
            sign_in(one.page, url, name)
        one.page.get_by_role("heading", level=1).wait_for()
        cookies[name] = cookies.get(name) or one.context.storage_state()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_text(name, exact=True))


def tab(page, name):
    page.locator(".tabs").get_by_role("link", name=name).click()


def test_from_the_list_to_a_file(come, api):
    """Types and collections, the versions of one, a version, its files a folder a request; what is hard to show is text."""
    one = come()
    page = one.page
    table = region(page, "Collections")
    table.get_by_role("link", name="digits-model", exact=True).wait_for()
    assert row(page, "digits-model").get_by_role("cell").all_inner_texts()[:4] == ["model", "latest\nbest", "3", "v2"]
    table.get_by_role("button", name="Name").click()
    page.wait_for_function("() => document.querySelector('tbody th a').textContent === 'digits'")
    assert page.url.endswith("?sort=name")
    page.get_by_label("Find collections").fill("its-m")
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length === 1")
    page.get_by_label("Find collections").fill("100%")
    page.get_by_text("No collection matches.").wait_for()
    page.get_by_label("Find collections").fill("")
    table.get_by_role("link", name=shown(HOSTILE)).click()
    page.get_by_role("heading", level=1, name=shown(HOSTILE)).wait_for()
    page.get_by_role("link", name="v0").click()
    page.get_by_text("<script>alert(1)</script>").wait_for()
    page.get_by_role("navigation", name="Path of the artifact").get_by_role("link", name="Artifacts").click()
    page.get_by_role("navigation", name="Types").get_by_role("link", name="model").click()
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length === 4")
    table.get_by_role("link", name="digits-model", exact=True).click()
    versions = region(page, "Versions").get_by_role("table")
    versions.get_by_role("link", name="mossy orchard").first.wait_for()
    assert [[cell.strip() for cell in text.split("\t")[:6]] for text in versions.get_by_role("row").all_inner_texts()[1:]] == [
        ["v2", "latest", "good", "2.0 KiB", "3", "r2"], ["v1", "best", "good", "2.0 KiB", "3", "mossy orchard"],
        ["v0", "", "", "2.0 KiB", "3", "mossy orchard"]]
    versions.get_by_role("link", name="v1").click()
    page.get_by_role("heading", level=1, name="digits-model:v1").wait_for()
    page.locator("em", has_text="1").wait_for()
    assert region(page, "Metadata").get_by_role("row").all_inner_texts() == [
        "accuracy\t0.93", "optim.name\tadam", f"optim.seed\t{2 ** 60 + 1}"]
    page.get_by_label("Filter metadata").fill("seed")
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length === 1")
    tab(page, "Files")
    page.get_by_role("treegrid").get_by_text("config.json").click()
    region(page, "JSON of the file").get_by_text("layers").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download").click()
    assert saved.value.path().read_text() == '{"layers": 1}'
    with page.expect_download() as saved:
        page.get_by_role("link", name="All files as tar").click()
    with tarfile.open(saved.value.path()) as tar:
        assert sorted(name.rpartition("/")[2] for name in tar.getnames()) == ["config.json", "same.txt", "weights.bin"]
    assert not one.complaints


@pytest.mark.long
def test_versions_are_found(come):
    """By collection, type, alias, tag, digest and metadata, in the whole project; keys and values are suggested, errors underlined."""
    one = come()
    page = one.page
    page.get_by_role("group", name="Shown").get_by_role("button", name="Versions").click()
    field = page.get_by_label("Filter versions")
    table = region(page, "Versions")

    def found(*names):
        page.wait_for_function("(names) => JSON.stringify([...document.querySelectorAll('tbody th a')].map((a) => a.textContent)) === names",
                               arg=json.dumps(list(names), separators=(",", ":")))

    table.get_by_role("link", name="digits:v0").wait_for()
    field.fill("metadata.accuracy>0.94")
    field.press("Enter")
    found("edited-model:v2", "digits-model:v2")
    assert page.url.endswith("?show=versions&q=metadata.accuracy%3E0.94")
    field.fill("EDITED tag:good")
    field.press("Enter")
    found("edited-model:v2", "edited-model:v1")
    field.fill("alias:best not collection:edited-model")
    field.press("Enter")
    found("digits-model:v1")
    field.fill("")
    field.press_sequentially("metadata.acc")
    page.get_by_role("option", name="metadata.accuracy").click()
    field.press_sequentially("0.91")
    field.press("Enter")
    found("edited-model:v0", "digits-model:v0")
    field.fill("tagg:good")
    field.press("Enter")
    page.locator(".mirror u").get_by_text("tagg").wait_for()
    page.get_by_role("button", name="Did you mean tag?").click()
    found("edited-model:v2", "edited-model:v1", "digits-model:v2", "digits-model:v1")
    assert faults_of(page) == []
    page.get_by_role("navigation", name="Types").get_by_role("link", name="dataset").click()
    page.get_by_text("No version matches the filter.").wait_for()
    page.get_by_label("Filter versions").fill("has:alias or tag:good")
    page.get_by_label("Filter versions").press("Enter")
    found("digits:v0")
    page.get_by_label("Filter versions").fill("(alias:latest")
    page.get_by_label("Filter versions").press("Enter")
    page.locator(".filter-fault").get_by_text("Unclosed bracket.").wait_for()
    assert page.locator(".mirror u").inner_text() == "("
    assert page.locator("main > .page .fault").inner_text() == ""
    assert not [said for said in one.complaints if "400" not in said]


@pytest.mark.long
def test_a_tree_that_is_read_as_it_is_opened(come):
    """The folders of the file that the address names are open; references have no content; a path is found by its start."""
    one = come("/dataset/digits/latest/files?file=parts/1/021.txt")
    page = one.page
    tree = page.get_by_role("treegrid")
    page.locator(".file-line").get_by_text("part 21").wait_for()
    tree.get_by_text("021.txt").wait_for()
    assert tree.get_by_role("row", expanded=True).all_inner_texts() == ["parts\n60\n470 B", "1\n20\n160 B"]
    asked = [url for url in one.asked if "delimiter=" in url]
    assert len(asked) == 3
    tree.get_by_text("all.parquet").click()
    page.get_by_text("This is a reference.").wait_for()
    page.get_by_text("s3://bucket/all.parquet").wait_for()
    assert page.get_by_role("link", name="Download").count() == 0
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.locator(".file-table").get_by_text("b", exact=True).wait_for()
    page.get_by_label("Start of a path").fill("parts/2/05")
    page.wait_for_function("() => document.querySelectorAll('[role=treegrid] [role=row]').length === 10")
    page.get_by_label("Start of a path").fill("none")
    page.get_by_text("No path begins with this.").wait_for()
    page.get_by_label("Start of a path").fill("")
    tree.get_by_text("all.parquet").wait_for()
    page.goto(page.url.partition("?")[0] + "?file=parts/9")
    page.get_by_text("The version has no file parts/9.").wait_for()
    page.get_by_role("link", name="Use").click()
    lines = page.get_by_label("wandb SDK, in a run", exact=True).last.inner_text()
    assert f"WANDB_BASE_URL=http://{HOST}:" in lines and 'use_artifact("ann/artifacts/digits:latest", type="dataset")' in lines
    page.get_by_role("button", name="v0").click()
    page.wait_for_function("() => document.querySelector('pre.lines').textContent.includes('digits:v0')")
    assert not one.complaints


def test_edits_and_deletion(come, api):
    """Aliases move, tags and the description change, a time to live is set; what is deleted comes back with its aliases."""
    place = f"{HOME}/artifacts/edited-model"
    one = come("/model/edited-model/v0")
    page = one.page
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Aliases").fill("best\nfirst one")
    page.get_by_role("textbox", name="Tags").fill("old\nkept")
    page.get_by_role("textbox", name="Description").fill("The **first**")
    page.get_by_role("textbox", name="Delete after").fill("1,5")
    page.get_by_role("button", name="Save").click()
    page.get_by_text('"1,5" is not a number of days.').wait_for()
    page.get_by_role("textbox", name="Delete after").fill("1.5")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").wait_for(state="detached")
    page.locator("strong", has_text="first").wait_for()
    assert page.locator(".artifact-head .chip").all_inner_texts() == ["best", "first one", "old", "kept"]
    now = api.get(f"{place}/versions/v0").json
    assert (now["aliases"], now["tags"], now["description"], now["ttl_s"]) == (["best", "first one"], ["old", "kept"], "The **first**", 129600)
    assert api.get(f"{place}/versions/v1").json["aliases"] == []
    api.patch(f"{place}/versions/v0", {"tags": ["kept", "approved"], "description": "Theirs"})
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Tags").fill("old\nkept\nmine")
    page.get_by_role("textbox", name="Description").fill("Mine")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Someone else has changed: description.").wait_for()
    assert api.get(f"{place}/versions/v0").json["description"] == "Theirs"
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").wait_for(state="detached")
    now = api.get(f"{place}/versions/v0").json
    assert (now["tags"], now["description"]) == (["kept", "approved", "mine"], "Mine")
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Aliases").fill("best")
    api.delete(f"{place}/versions/v0/aliases/first%20one")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("1 version with 3 files (2.0 KiB) will be deleted.").wait_for()
    assert dialog.get_by_role("listitem").all_inner_texts() == ["alias best"]
    dialog.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("heading", level=1, name="edited-model", exact=True).wait_for()
    page.get_by_role("link", name="v1").wait_for()
    assert page.get_by_role("link", name="v0").count() == 0
    page.locator(".artifact-undo").get_by_role("button", name="Undo").click()
    page.get_by_role("heading", level=1, name="edited-model:v0").wait_for()
    assert api.get(f"{place}/versions/v0").json["aliases"] == ["best"]
    page.get_by_role("navigation", name="Path of the artifact").get_by_role("link", name="edited-model").click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Name", exact=True).fill("renamed-model")
    page.get_by_label("Number of newest").fill("2")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", level=1, name="renamed-model").wait_for()
    page.get_by_text("the newest 2, and those with an alias, or a link in a project of the same user or team").wait_for()
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog.get_by_text("3 versions with 9 files").wait_for()
    dialog.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("heading", level=1, name="Artifacts").wait_for()
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.get_by_role("heading", level=1, name="renamed-model").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_what_uses_the_storage(come, api):
    """Collections and runs of the project, the largest first: what only one has, and what it shares; what a deletion frees."""
    version(api, "big", {"own.bin": b"x" * 9000, "same.txt": "the same\n"})
    one = come()
    page = one.page
    page.get_by_role("link", name="Storage").click()
    page.wait_for_url("**/ann/artifacts/settings?show=storage")
    card = region(page, "Storage")
    table = region(card, "Collections of artifacts")
    table.get_by_role("row").nth(1).wait_for()
    texts = [text.split("\t")[:5] for text in table.get_by_role("row").all_inner_texts()]
    assert texts[:2] == [["Collection", "Versions", "Size", "Only here", "Shared"], ["big", "1", "8.8 KiB", "8.8 KiB", "9 B"]]
    assert [text[0] for text in texts][-1] == shown(HOSTILE)
    region(card, "Runs").get_by_role("link", name="mossy orchard").wait_for()
    assert faults_of(page) == []
    page.set_viewport_size(SIZES["narrow"])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") and faults_of(page) == []
    page.set_viewport_size(SIZES["wide"])
    table.get_by_role("button", name="Delete big").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("This frees 8.8 KiB within the hour.").wait_for()
    dialog.get_by_role("button", name="Delete", exact=True).click()
    table.get_by_role("row", name="big").wait_for(state="detached")
    region(card, "Runs").get_by_role("button", name="Delete mossy orchard").click()
    dialog.get_by_text("All logged data will be deleted too.").wait_for()
    page.keyboard.press("Escape")
    table.get_by_role("link", name="digits", exact=True).click()
    page.get_by_role("heading", level=1, name="digits", exact=True).wait_for()
    assert not one.complaints


def test_who_may_only_read(come, api):
    """Nothing to edit; who may not see the project is told so, and nobody sees a version that does not exist."""
    api.patch(HOME, {"visibility": "public"})
    page = come("/model/digits-model/latest", name="bob").page
    page.get_by_role("heading", level=1, name="digits-model:v2").wait_for()
    assert page.get_by_role("button", name="Edit").count() == page.get_by_role("button", name="Delete").count() == 0
    page.goto(page.url.replace("latest", "v9"))
    page.get_by_text('Artifact "ann/artifacts/digits-model:v9" does not exist, or you (bob) have no access.').wait_for()
    api.put("/api/v1/projects/ann/none", {"visibility": "public"})
    page.goto(page.url.partition("/ann/")[0] + "/ann/none/artifacts")
    page.get_by_text("No artifacts yet.").wait_for()
    assert page.get_by_role("region", name="The first artifact").count() == 0
    page.go_back()
    api.patch(HOME, {"visibility": "private"})
    page.goto(page.url.replace("v9", "v1"))
    page.get_by_text("you (bob) have no access").wait_for()


@pytest.mark.parametrize("size, scheme", WIDE_LOOK)
def test_for_everybody(come, size, scheme):
    one = come(color_scheme=scheme, viewport=SIZES[size])
    page = one.page
    start = page.url
    for path, seen in (("", "digits-model"), ("?show=versions&q=tag:good", "digits-model:v2"), ("/model/digits-model", "mossy orchard"), ("/model/digits-model/v1", "optim."),
                       ("/dataset/digits/v0/files?file=train.csv", "Rows 1–1"), ("/model/digits-model/v1/use", "use_artifact"),
                       ("/model/digits-model/v1/lineage", "mossy orchard"), ("/model/scores/v1/compare", "notes.txt")):
        page.goto(start + path)
        page.locator("main").get_by_text(seen).first.wait_for()
        assert faults_of(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert not one.complaints


def test_two_versions(come):
    """Two are selected in the collection: metadata and files that differ, the lines of a text, the rows of a table by their key."""
    one = come("/model/scores")
    page = one.page
    compare = page.get_by_role("button", name="Compare")
    page.get_by_label("Select v1").check()
    assert compare.is_disabled()
    page.get_by_label("Select v0").check()
    compare.click()
    page.get_by_role("heading", level=1, name="scores:v1").wait_for()
    metadata = region(page, "Metadata")
    metadata.get_by_text("3 keys differ, 1 the same").wait_for()
    assert page.url.endswith("/model/scores/v1/compare?with=v0") and faults_of(page) == []
    assert metadata.get_by_role("row").all_inner_texts()[1:] == ["come\tadded\t—\tx", "gone\tremoved\ttrue\t—", "k\tchanged\t5\t7"]
    files = region(page, "Files")
    assert files.get_by_role("heading").inner_text() == "Files 1 added, 1 removed, 2 changed"
    assert [text.split("\t")[:4] for text in files.get_by_role("row").all_inner_texts()[1:]] == [
        ["eval.table.json", "changed", "138 B", "138 B"], ["new.txt", "added", "—", "3 B"], ["notes.txt", "changed", "14 B", "12 B"],
        ["old.txt", "removed", "3 B", "—"]]
    page.get_by_role("button", name="Compare the lines of notes.txt").click()
    page.locator("pre.diff").wait_for()
    assert page.locator("pre.diff div").all_inner_texts() == ["  one", "- two", "+ 2", "  three", "  "]
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Compare the rows of eval.table.json").click()
    page.locator(".table-line[data-line='1'] [data-column='2']").get_by_text("0.9").wait_for()
    assert page.locator(".table-line[data-line='1'] [data-column='1']").inner_text() == "0.6"
    assert page.get_by_label("Rows with the same").input_value() == "id"
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    page.goto(page.url.replace("v1/compare?with=v0", "v0/compare"))
    page.wait_for_function("() => document.querySelector('#compare-with')?.value === 'v1'")
    region(page, "Files").get_by_text("1 added, 1 removed, 2 changed").wait_for()
    assert not one.complaints


def focused(page):
    return page.evaluate("document.activeElement.textContent")


def test_lineage_of_a_version_and_of_a_run(come, api, made):
    """What was used is at the left, what was made at the right; arrows walk it, links lead on, a run lists both."""
    for run, name, use in ((made[0], "digits:v0", "train"), (made[1], "digits-model:v0", None), (made[1], "digits:v0", None)):
        api.post(f"{run.path}/artifacts", {"artifact": name, **({"used_as": use} if use else {})})
    one = come("/model/digits-model/v0")
    page = one.page
    tab(page, "Lineage")
    graph = page.get_by_role("list", name="Runs and versions")
    page.get_by_text("2 runs, 7 versions.").wait_for()
    left = {node.get_attribute("data-node"): node.bounding_box()["x"] for node in graph.get_by_role("link").all()}
    names = {node.get_attribute("data-node"): node.locator(".name").inner_text() for node in graph.get_by_role("link").all()}
    by_name = {name: left[node] for node, name in names.items()}
    assert by_name["digits:v0"] < by_name["mossy orchard"] < by_name["digits-model:v0"] < by_name["r2"] < by_name["digits-model:v2"]
    assert graph.locator("[aria-current]").inner_text().startswith("digits-model:v0")
    graph.locator("[aria-current]").focus()
    page.keyboard.press("ArrowLeft")
    assert focused(page).startswith("mossy orchard")
    page.keyboard.press("ArrowLeft")
    assert focused(page).startswith("digits:v0")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert focused(page).startswith("r2") and graph.locator("[tabindex='0']").count() == 1
    assert faults_of(page) == []
    page.get_by_label("Distance").select_option("1 step")
    page.get_by_text("2 runs, 1 version.").wait_for()
    assert page.url.endswith("?depth=1")
    graph.get_by_role("link", name="Run mossy orchard").click()
    uses = region(page, "Artifacts")
    uses.get_by_role("link", name="digits:v0").wait_for()
    assert uses.get_by_role("heading").inner_text() == "Artifacts 1 used, 4 made"
    assert [text.split("\t")[:4] for text in uses.get_by_role("row").all_inner_texts()[-1:]] == [["used", "digits:v0 latest", "dataset", "train"]]
    uses.get_by_role("link", name="digits-model:v1").click()
    page.get_by_role("heading", level=1, name="digits-model:v1").wait_for()
    assert not one.complaints


def many(count):
    """A graph of so many nodes: a chain of runs, each of which uses the last two versions and makes one."""
    common = {"entity": "ann", "project": "artifacts", "created_at": "2026-03-01T09:00:10.000000Z", "depth": 1}
    runs = [{"node": f"r{at}", "id": f"r{at}", "display_name": f"run {at}", "state": "finished", "job_type": "", **common} for at in range(count // 2)]
    versions = [{"node": f"v{at}", "collection": "big", "version": f"v{at}", "type": "model", "state": "deleted" if at == 3 else "committed",
                 "aliases": [], "bytes": 10, **common} for at in range(count // 2)]
    edges = [{"run": f"r{at}", "version": f"v{at}", "way": "output", "used_as": None} for at in range(count // 2)]
    edges += [{"run": f"r{at}", "version": f"v{at - back}", "way": "input", "used_as": None} for at in range(count // 2) for back in (1, 2) if at >= back]
    return {"root": "v0", "runs": runs, "versions": versions, "edges": edges, "truncated": True}


@pytest.mark.long
def test_lineage_of_five_hundred(come):
    """All of them are there, none lies on another, and the farthest is reached by keys alone."""
    one = come("/model/digits-model/v0", viewport={"width": 1000, "height": 600})
    page = one.page
    page.route("**/lineage?*", lambda route: route.fulfill(json=many(500)))
    tab(page, "Lineage")
    page.get_by_text("250 runs, 250 versions. There are more: the 500 nearest are shown.").wait_for()
    boxes = page.evaluate("""() => [...document.querySelectorAll('.lineage-node')].map((node) => [node.offsetLeft, node.offsetTop])""")
    assert len(boxes) == 500 == len({tuple(box) for box in boxes})
    page.locator(".lineage-node[aria-current]").focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.node")[1:] == "6"
    inside = "(node) => { const box = node.getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth; }"
    page.wait_for_function(f"() => ({inside})(document.activeElement)")
    page.get_by_role("button", name="Fit").click()
    assert page.locator("[data-node=v3]").get_attribute("href") is None
    assert not one.complaints
