"""Settings in a browser: keys, the own password, members of a team, a project and its end; and that they hold."""
import base64
import json
import re

import pytest

from artifacts import Collection
from browsing import NARROW_LOOK, PASSWORD, SIZES, faults_of, set_password, sign_in
from rest import Api
from runs import Run

ODD = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def with_passwords(with_password, shared_place, secret_file, tmp_path_factory):
    for user in "mel", "vic", "root":
        set_password(shared_place.db, secret_file, tmp_path_factory.mktemp("password"), user)


@pytest.fixture
def come(screen, base, with_passwords):
    """come(path, user, **options): a Screen at the path, signed in."""
    def at(path, user="ann", **options):
        one = screen(**options)
        one.base = base
        enter(one.page, f"{base}{path}", user)
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def enter(page, url, user, password=PASSWORD):
    sign_in(page, url, user, password)
    page.get_by_role("button", name=f"Account of {user}").wait_for()
    page.get_by_role("heading", name="Sign in to Cairn").wait_for(state="detached")


@pytest.fixture
def project(by, request):
    """ann's, with a run in it: its name."""
    name = request.node.name.partition("[")[0].replace("_", "-")
    home = f"/api/v1/projects/ann/{name}"
    by["ann"].put(home)
    by["ann"].put(f"{home}/runs/r1")
    return name


def said(page, words):
    page.get_by_role("status").filter(has_text=words).first.wait_for()


def saved(page, words="Saved"):
    page.get_by_role("status").filter(has_text=re.compile(f"^{words}$")).wait_for()


# ---- one's own -------------------------------------------------------------------------------------

def test_a_key_from_made_to_revoked(come, server, wait_for):
    one = come("/settings/keys")
    page = one.page
    page.get_by_label("Name", exact=True).fill(ODD)
    page.get_by_label("Scope", exact=True).select_option("read")
    page.get_by_role("button", name="Create key").click()
    shown = page.get_by_label("Your new key", exact=True).locator("input")
    shown.wait_for()
    api = Api(server, shown.input_value())
    assert api.get("/api/v1/viewer")["name"] == "ann"
    api.refused(403, "forbidden", "PUT", "/api/v1/projects/ann/by-key")
    page.reload()
    row = page.get_by_role("row").filter(has_text=ODD)
    row.filter(has_text="read only").filter(has_text="127.0.0.1").wait_for()
    assert api.key not in page.content()
    assert page.get_by_role("navigation", name="Your settings").get_by_role("link", name="Keys").get_attribute("aria-current") == "page"
    row.get_by_role("button").click()
    row.get_by_role("button").filter(has_text="Revoke now").click()
    row.wait_for(state="detached")
    assert api.request("GET", "/api/v1/viewer").status == 401 and not one.complaints
    api.close()


def colour_at(page, x, y):
    """Of a pixel as it is seen: [red, green, blue]."""
    shot = base64.b64encode(page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})).decode()
    return page.evaluate("""async (source) => {
        const image = Object.assign(new Image(), { src: source });
        await image.decode();
        const paint = document.createElement('canvas').getContext('2d');
        paint.drawImage(image, 0, 0);
        return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
    }""", f"data:image/png;base64,{shot}")


@pytest.mark.long
def test_an_edge_tells_that_keys_go_on_to_the_right(come):
    page = come("/settings/keys", viewport=SIZES["narrow"]).page
    page.get_by_role("button", name="Create key").click()
    keys = page.get_by_role("region", name="Your keys")
    keys.get_by_role("row").nth(1).wait_for()
    keys.scroll_into_view_if_needed()
    assert keys.evaluate("(list) => list.scrollWidth > list.clientWidth + 8")
    box = keys.bounding_box()
    edge = (int(box["x"] + box["width"]) - 1, box["y"] + 3)
    under = colour_at(page, edge[0] - 20, edge[1])
    assert colour_at(page, *edge) != under
    keys.evaluate("(list) => list.scrollLeft = list.scrollWidth")
    page.wait_for_function("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
    assert colour_at(page, *edge) == under


@pytest.fixture
def vic_as_before(with_passwords, shared_place, secret_file, tmp_path):
    """Vic's password is what it was afterwards: the module's other tests sign in with it, in whatever order they come."""
    yield
    set_password(shared_place.db, secret_file, tmp_path, "vic")


@pytest.mark.long
def test_a_new_password(come, by, vic_as_before):
    """What is wrong stands under its field; then the old one is of no use, and who is signed in elsewhere is so no more."""
    other = come("/settings/keys", "vic").page
    page = come("/settings/profile", "vic").page
    old, new, again = (page.get_by_label(name, exact=True) for name in ("Old password", "New password", "New password again"))

    def change(*typed):
        for control, value in zip((old, new, again), typed):
            control.fill(value)
        page.keyboard.press("Enter")

    def fault_of(control):
        return page.locator(f"#{control.get_attribute('id')}-fault")

    for typed, wrong, words in ((("wrong", "new password", "new password"), old, "wrong old password"),
                                ((PASSWORD, "short", "short"), new, "at least 8 characters"),
                                ((PASSWORD, "new password", "new passwort"), again, "does not match the new password")):
        change(*typed)
        fault_of(wrong).filter(has_text=words).wait_for()
        assert wrong.get_attribute("aria-invalid") == "true" and new.input_value() == typed[1]
        assert page.evaluate("document.activeElement.id") == wrong.get_attribute("id")
    change(PASSWORD, "new password", "new password")
    said(page, "Changed.")
    assert new.input_value() == "" and page.locator(".fault:visible").count() == 0
    other.reload()
    other.get_by_role("heading", name="Sign in to Cairn").wait_for()
    enter(other, other.url, "vic", "new password")
    by["vic"].get("/api/v1/viewer")  # by key


def test_where_one_is_signed_in(come):
    """One browser is signed out from another, then all others; the one that asks stays."""
    others = [come("/settings/keys", "mel").page for _ in range(2)]
    one = come("/settings/profile", "mel")
    card = one.page.get_by_role("region", name="Sessions").first
    there = card.get_by_role("button", name=re.compile("^Sign out of the browser"))
    there.first.wait_for()
    count = there.count()
    assert count >= 2 and card.get_by_text("this browser").count() == 1
    there.first.click()
    there.nth(count - 1).wait_for(state="detached")
    card.get_by_role("button", name="Sign out everywhere else").click()
    there.first.wait_for(state="detached")
    assert not card.get_by_role("button").is_visible() and not one.complaints
    for other in others:
        other.reload()
        other.get_by_role("heading", name="Sign in to Cairn").wait_for()
    one.page.reload()
    card.get_by_text("this browser").wait_for()


@pytest.mark.long
def test_who_one_is(come, wait_for):
    one = come("/settings/profile", "bob")
    page = one.page
    page.get_by_role("listitem").filter(has_text="lab as admin").get_by_role("link", name="lab").wait_for()
    page.get_by_role("group", name="Theme").get_by_role("button", name="Dark").click()
    wait_for(lambda: page.evaluate("document.documentElement.dataset.theme") == "dark", what="the theme")
    page.reload()
    assert page.get_by_role("group", name="Theme").get_by_role("button", name="Dark").get_attribute("aria-pressed") == "true"
    assert not one.complaints


@pytest.mark.long
def test_rows_and_times_as_one_likes_them(come, by, project, wait_for):
    """Kept in the browser, and seen in all its pages at once; what is saved as a file has UTC in any case."""
    home = f"/api/v1/projects/ann/{project}"
    by["ann"].put(f"{home}/runs/r2")
    wait_for(lambda: by["ann"].get(f"{home}/runs", count="true", limit=1).json["count"] == 2, what="two runs")
    created = by["ann"].get(f"{home}/runs/r1").json["created_at"]
    one = come("/settings/profile", timezone_id="Asia/Kathmandu")
    other = one.context.new_page()
    other.goto(f"{one.base}/ann/{project}/table?cols=created_at,config.none")
    cell = other.get_by_role("row").filter(has=other.get_by_role("link", name="r1", exact=True)).get_by_role("gridcell")
    tops = "[...document.querySelectorAll('.virtual .run-row')].map(row => row.getBoundingClientRect().top).sort((a, b) => a - b)"

    def told():
        return " ".join(cell.all_inner_texts())

    def height():
        return other.evaluate(f"(tops => tops[1] - tops[0])({tops})")

    def pick(group, choice):
        one.page.get_by_role("group", name=group).get_by_role("button", name=choice).click()

    wait_for(lambda: height() == 28 and "UTC" not in told() and told().strip(), what="rows as they come")
    pick("Rows of lists", "Roomy")
    wait_for(lambda: height() == 34, what="higher rows")
    pick("Times", "UTC")
    wait_for(lambda: "UTC" in told(), what="times of UTC")
    hues = "['light', 'dark'].map((theme) => (document.documentElement.dataset.theme = theme, getComputedStyle(document.documentElement).getPropertyValue('--s1')))"
    assert other.evaluate(hues) == ["#2538af", "#416cda"]
    pick("Colours of lines", "Strong")
    wait_for(lambda: other.evaluate(hues) == ["#0209f8", "#726dff"], what="strong colours")
    for scheme in "light", "dark":
        one.page.emulate_media(color_scheme=scheme)
        assert faults_of(one.page) == []
    pick("Colours of lines", "Standard")
    wait_for(lambda: other.evaluate(hues) == ["#2538af", "#416cda"], what="the usual colours")
    other.goto(f"{one.base}/ann/{project}/runs/r1")
    other.get_by_text(created[11:19]).first.wait_for()
    one.page.reload()
    assert one.page.get_by_role("group", name="Times").get_by_role("button", name="UTC").get_attribute("aria-pressed") == "true"
    pick("Times", "Local time")
    local = other.evaluate("time => new Date(time).toLocaleTimeString('en-GB', {timeZone: 'Asia/Kathmandu'})", created)
    other.get_by_text(local).first.wait_for()
    assert not one.complaints


def pages_found(page):
    options = page.get_by_role("option").filter(has=page.locator(".kind", has_text="page")).all_inner_texts()
    return [words.partition("\n")[0] for words in options]


@pytest.mark.long
def test_how_the_server_does(come, by, db, wait_for):
    """For its admins, who come there from their profile, their menu, and Ctrl K; others are told, and it is not offered to them."""
    disk = by["root"].get("/api/v1/server/state").json["files"]
    db.query("insert into disk_sample (day, at, disk_bytes, used_bytes) values ('2020-01-01', now() - interval '6 days', %s, %s)",
             disk["disk_bytes"], disk["disk_bytes"] - disk["free_bytes"] - (disk["free_bytes"] - disk["reserve_bytes"]) // 5)
    one = come("/settings/profile", "root")
    page = one.page
    page.get_by_role("link", name="admin of this server").click()
    page.get_by_role("heading", name="Server", exact=True).wait_for()
    page.get_by_text(by["root"].get("/api/v1/server")["version"], exact=True).wait_for()
    page.get_by_text(re.compile(r"^[\d,]+ of at most [\d,]+$")).wait_for()
    page.get_by_role("row").filter(has_text=re.compile(r"^Runs compacted\s*\d+$")).wait_for()
    state = by["root"].get("/api/v1/server/state").json
    standing = page.get_by_role("region", name="Storage")
    standing.get_by_text(f"PostgreSQL {state['database']['version']}", exact=True).wait_for()
    standing.get_by_text(re.compile("^.+ of .+ free, .+ reserved$")).wait_for()
    standing.get_by_text("365 days", exact=True).wait_for()
    standing.get_by_text("1,000,000 entries", exact=True).wait_for()
    standing.get_by_text(re.compile(r"^in about \d+ days, at the rate of the last 6 days$")).wait_for()
    page.get_by_text("Memory for clients is used by requests").wait_for()
    assert faults_of(page) == [] and not one.complaints
    page.get_by_role("button", name="Account of root").click()
    page.get_by_role("menuitem", name="Audit log").click()
    page.get_by_role("heading", name="Audit log", exact=True).wait_for()
    page.keyboard.press("Control+k")
    ours = ["Server", "Users", "Teams", "Audit log"]
    for typed, pages in (("server", ours), ("audit", ["Audit log"]), ("admin", ours), ("settings", ["Profile", "Keys", *ours])):
        page.get_by_role("dialog").get_by_role("combobox").fill(typed)
        wait_for(lambda: pages_found(page) == pages, what=f"the pages of {typed}")  # noqa: B023
    page.get_by_role("option", name="Server").click()
    page.get_by_role("heading", name="Server", exact=True).wait_for()
    page = come("/admin/server", "mel").page
    page.get_by_text("Only admins of the server can see this.").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill("settings")
    wait_for(lambda: pages_found(page) == ["Profile", "Keys"], what="the pages of a user")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Account of mel").click()
    page.get_by_role("menuitem", name="Keys", exact=True).wait_for()
    assert page.get_by_role("menuitem", name="Server").count() == page.get_by_role("menuitem", name="Audit log").count() == 0


@pytest.mark.long
def test_who_did_what(come, by, project, wait_for):
    """The audit log: filtered from the address and by hand, more on request, saved whole; for admins of the server alone."""
    for seconds in range(60, 162):
        by["ann"].patch(f"/api/v1/projects/ann/{project}", {"crash_after_s": seconds})
    one = come("/admin/server", "root")
    page = one.page
    page.get_by_role("link", name="Audit log").click()
    page.get_by_role("heading", name="Audit log", exact=True).wait_for()
    page.get_by_role("row").filter(has_text=re.compile("^.*root.*signed in")).first.wait_for()
    page.get_by_role("textbox", name="Project").fill(project)
    page.get_by_label("What", exact=True).select_option(label="Projects")
    page.get_by_role("button", name="Show", exact=True).click()
    rows = page.get_by_role("row").filter(has_text="changed a project").filter(has_text=f"ann/{project}")
    rows.nth(99).wait_for()
    assert rows.count() == 100 and "crash_after_s 161" in rows.first.inner_text() and "ann" in rows.first.inner_text()
    page.route("**/api/v1/audit?*cursor=*", lambda route: route.fulfill(status=403, json={"status": 403, "detail": "not now"}))
    page.get_by_role("button", name="Show older ones").focus()
    page.keyboard.press("Enter")
    page.get_by_role("status").filter(has_text="not now").wait_for()
    assert rows.count() == 100 and "403" in one.complaints.pop()
    page.unroute_all()
    page.keyboard.press("Enter")  # the button is still where the keyboard is
    page.get_by_role("status").filter(has_text="103 entries").wait_for()
    page.get_by_role("region", name="Audit log").and_(page.locator(":focus")).wait_for()
    page.get_by_role("row").filter(has_text="created a project").wait_for()
    assert faults_of(page) == []
    with page.expect_download() as saved_file:
        page.get_by_role("link", name="Save these as NDJSON").click()
    lines = [json.loads(line) for line in saved_file.value.path().read_text().splitlines()]
    assert [line["action"] for line in lines] == ["project.change"] * 102 + ["project.make"]
    page.reload()
    rows.nth(99).wait_for()
    assert page.get_by_role("textbox", name="Project").input_value() == project
    page.get_by_label("Who", exact=True).fill("nobody-of-this-name")
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_text("No matching entries.").wait_for()
    page.go_back()
    rows.nth(99).wait_for()
    page.emulate_media(color_scheme="dark")
    for size in "narrow", "wide":
        page.set_viewport_size(SIZES[size])
        assert page.get_by_role("region", name="Audit log").evaluate("(node) => node.scrollWidth <= node.clientWidth"), size
    assert faults_of(page) == [] and not one.complaints
    page = one.page
    page.goto(page.url.partition("?")[0] + "?action=project.change&until=2001-01-01")
    page.get_by_text("No matching entries.").wait_for()
    page.get_by_label("To", exact=True).fill("")
    page.get_by_role("button", name="Show", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("row").filter(has_text="changed a project").first.wait_for()
    assert page.get_by_role("row").filter(has_text="created a project").count() == 0, "what the address asks for is kept"
    assert page.get_by_role("button", name="Show", exact=True).evaluate("(node) => node === document.activeElement")
    page.goto(page.url.partition("?")[0] + "?action=nonsense")
    page.get_by_role("status").filter(has_text='unknown action: expected an action such as "project.delete" or a kind such as "project"').wait_for()
    assert "400" in one.complaints.pop() and page.get_by_role("link", name="Save these as NDJSON").count() == 0
    with page.expect_response("**/api/v1/audit?action=nonsense"):
        page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_label("What", exact=True).select_option(label="Everything")
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("row").filter(has_text="changed a project").first.wait_for()
    page = come("/admin/audit", "mel").page
    page.get_by_role("heading", name="Not found").wait_for()


@pytest.mark.long
def test_what_was_done_to_many_runs(come, by, project):
    """Is one line, which opens; and days in the wrong order are told where they are typed."""
    home = f"/api/v1/projects/ann/{project}/runs"
    for number in range(24):
        by["ann"].put(f"{home}/m{number}")
        by["ann"].post(f"{home}/m{number}/states", {"state": "killed", "reason": "too many"})
    by["ann"].request("DELETE", f"{home}/m3")
    one = come(f"/admin/audit?project={project}", "root")
    page = one.page
    row = page.get_by_role("row").filter(has_text="set the state of a run")
    row.filter(has_text="killed: too many").wait_for()
    assert row.count() == 1 and page.get_by_role("row").filter(has_text="deleted a run").filter(has_text="m3").count() == 1
    page.get_by_role("status").filter(has_text="26 entries").wait_for()
    assert faults_of(page) == []
    row.get_by_text(f"ann/{project}: 24 runs").click()
    row.get_by_role("link", name=f"ann/{project}/m7", exact=True).wait_for()
    assert row.get_by_role("link").count() == 24 and faults_of(page) == []
    for since, until in (("From", "2026-03-02"), ("To", "2026-03-01")):
        page.get_by_label(since, exact=True).fill(until)
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("alert").filter(has_text="This day is before the day in From.").wait_for()
    assert page.evaluate("document.activeElement.id") == "audit-until" and "until" not in page.url and faults_of(page) == []
    page.get_by_label("To", exact=True).fill("2026-03-02")
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_text("No matching entries.").wait_for()
    assert not page.get_by_role("alert").filter(has_text="This day").is_visible()
    page.goto(f"{one.base}/admin/audit?since=2026-03-02&until=2026-03-01")
    page.get_by_role("alert").filter(has_text="This day is before").wait_for()
    assert not one.complaints


# ---- a team ----------------------------------------------------------------------------------------

def member_row(page, name):
    return page.get_by_role("region", name="Members").get_by_role("row").filter(has=page.get_by_role("rowheader", name=name))


def set_role(page, name, role):
    member_row(page, name).get_by_role("button", name=f"Role of {name}").click()
    page.get_by_role("menuitemradio", name=re.compile(f"^{role}:")).click()


def test_a_member_from_coming_to_going(come, by):
    """ann sees the team's private project with the role, does what it allows, and sees it no more afterwards."""
    path = "/api/v1/projects/lab/members-come-and-go"
    by["bob"].put(path)
    by["ann"].refused(404, "not-found", "GET", path)
    one = come("/lab/settings/members", "bob")
    page = one.page
    name = page.get_by_label("Name of the user")
    page.get_by_label("Role", exact=True).select_option("viewer")
    for typed, words in (("", "Enter the name of a user"), ("nobody-here", 'the user "nobody-here" does not exist')):
        name.fill(typed)
        page.keyboard.press("Enter")
        page.locator("#member-name-fault").filter(has_text=words).wait_for()
    name.fill("ann")
    page.keyboard.press("Enter")
    said(page, "ann is a member now.")
    member_row(page, "ann").filter(has_text="viewer").wait_for()
    assert page.evaluate("document.activeElement.id") == "member-name" and name.input_value() == ""
    by["ann"].get(path)
    by["ann"].refused(403, "forbidden", "PUT", f"{path}/runs/r1")
    set_role(page, "ann", "Member")
    member_row(page, "ann").get_by_role("button", name="Role of ann: member").wait_for()
    by["ann"].put(f"{path}/runs/r1")
    member_row(page, "ann").get_by_role("button", name="Remove ann").click()
    box = page.get_by_role("dialog", name="Remove ann?")
    box.get_by_role("button", name="Cancel").click()
    by["ann"].get(path)
    member_row(page, "ann").get_by_role("button", name="Remove ann").click()
    box.get_by_role("button", name="Remove", exact=True).click()
    member_row(page, "ann").wait_for(state="detached")
    by["ann"].refused(404, "not-found", "GET", path)
    one.complaints[:] = [told for told in one.complaints if "404" not in told]  # that there is nobody of this name
    assert not one.complaints


def test_the_last_admin_stays(come, by):
    page = come("/lab/settings/members", "bob").page
    set_role(page, "bob", "Viewer")
    said(page, 'the team "lab" would have no admin')
    member_row(page, "bob").get_by_role("button", name="Role of bob: admin").wait_for()
    assert page.evaluate("document.activeElement.dataset.of") == "bob"


def test_who_is_no_admin_any_more_only_looks_on(come, by):
    path = "/api/v1/entities/lab/members"
    by["bob"].put(f"{path}/vic", {"role": "admin"})
    one = come("/lab/settings/members", "bob")
    set_role(one.page, "bob", "Viewer")
    one.page.get_by_text("Admins of lab manage its members.").wait_for()
    assert one.page.get_by_role("button", name="Remove").count() == 0 and not one.complaints
    for name, role in ("bob", "admin"), ("vic", "viewer"):
        by["root"].put(f"{path}/{name}", {"role": role})


def test_who_may_not_say_who_is_a_member(come):
    one = come("/lab/settings/members", "mel")
    page = one.page
    page.get_by_text("Admins of lab manage its members.").wait_for()
    assert member_row(page, "bob").get_by_role("button").count() == 0
    assert page.get_by_label("Name of the user").count() == 0 and page.get_by_text("Deleted projects").count() == 0
    assert not one.complaints
    page.goto(f"{one.base}/mel/settings/members")
    page.get_by_text("mel is a user, not a team, and has no other members.").wait_for()
    page.goto(f"{one.base}/ann/settings/members")
    page.get_by_role("heading", name="Not found").wait_for()


@pytest.mark.long
def test_a_limit_by_an_admin_of_the_server(come, by):
    """What REST says then; that no run is made beyond it, test_usage.py holds."""
    page = come("/mel/settings/members", "root").page
    page.get_by_label("Quota").select_option("own")
    for wrong in ("", "0", "much"):
        page.get_by_label("GiB").fill(wrong)
        page.get_by_role("button", name="Save").click()
        page.locator("#quota-size-fault").filter(has_text="Enter a number above 0").wait_for()
    page.get_by_label("GiB").fill("1.5")
    page.get_by_role("button", name="Save").click()
    saved(page)
    page.get_by_text("1.5 GiB").wait_for()
    assert by["root"].get("/api/v1/entities/mel")["limit_bytes"] == 3 << 29
    page.reload()
    assert page.get_by_label("GiB").input_value() == "1.5"
    page.get_by_label("Quota").select_option("standard")
    page.get_by_role("button", name="Save").click()
    saved(page)
    assert by["root"].get("/api/v1/entities/mel")["quota_bytes"] is None
    mel = come("/mel/settings/members", "mel").page
    mel.get_by_text("Admins of the server set the quota.").wait_for()


# ---- a project -------------------------------------------------------------------------------------

def test_what_a_project_is_like(come, by, project, wait_for):
    """Saved together; what somebody else changed meanwhile stays; public is public at once."""
    home = f"/api/v1/projects/ann/{project}"
    one = come(f"/ann/{project}/settings")
    page = one.page
    by["ann"].patch(home, {"crash_after_s": 77})
    page.get_by_label("Description").fill(ODD)
    page.get_by_label("Visible to").select_option("public")
    said(page, "Not saved yet")
    page.get_by_role("region", name="Project").get_by_role("button", name="Save").click()
    saved(page)
    shown = by["nobody"].get(home).json
    assert (shown["description"], shown["visibility"], shown["crash_after_s"]) == (ODD, "public", 77)
    assert page.get_by_label("Mark as crashed after").input_value() == "77"
    page.get_by_label("Visible to").select_option("private")
    page.get_by_role("region", name="Project").get_by_role("button", name="Save").click()
    page.get_by_role("img", name="Only members can see this project").wait_for()
    by["nobody"].refused(401, "unauthorized", "GET", home)
    assert not one.complaints


@pytest.mark.long
def test_a_run_crashes_as_soon_as_is_set(come, by, project, db, wait_for):
    """The default is five minutes; nothing is heard for some seconds."""
    run = Run(by["ann"], "silent", f"/api/v1/projects/ann/{project}")
    run.join("rank0").send(history=[{"loss": 1}])
    page = come(f"/ann/{project}/settings").page
    limit = page.get_by_label("Mark as crashed after")
    for wrong in ("4", "604801", "five"):
        limit.fill(wrong)
        page.keyboard.press("Enter")
        page.locator("#crash-after-fault").filter(has_text="Enter a whole number from 5 to 604800").wait_for()
        assert limit.input_value() == wrong
    limit.fill("5")
    page.keyboard.press("Enter")
    saved(page)
    db.query("update server_clock set shift_us = shift_us + 6000000")
    wait_for(lambda: by["ann"].get(run.path)["state"] == "crashed", what="the crash")


@pytest.mark.long
def test_how_long_runs_are_kept(come, by, project):
    """What REST says then; that they are deleted, test_deletion.py holds."""
    home = f"/api/v1/projects/ann/{project}"
    page = come(f"/ann/{project}/settings").page
    card = page.get_by_role("region", name="How long runs are kept")
    card.get_by_label("Crashed").fill("0")
    page.keyboard.press("Enter")
    page.locator("#keep-crashed_days-fault").filter(has_text="1 to 36500").wait_for()
    card.get_by_label("Crashed").fill("30")
    card.get_by_label("Killed").fill("7")
    page.keyboard.press("Enter")
    saved(page)
    assert by["ann"].get(home)["retention"] == {"finished_days": None, "failed_days": None, "crashed_days": 30, "killed_days": 7}
    page.reload()
    assert card.get_by_label("Crashed").input_value() == "30"
    card.get_by_label("Crashed").fill("")
    page.keyboard.press("Enter")
    saved(page)
    assert by["ann"].get(home)["retention"]["crashed_days"] is None


@pytest.mark.long
def test_what_a_project_may_take(come, by, project):
    """In GiB; what REST says then. That it holds, test_usage.py shows."""
    home = f"/api/v1/projects/ann/{project}"
    page = come(f"/ann/{project}/settings").page
    card = page.get_by_role("region", name="Storage")
    limit = card.get_by_label("Quota (GiB)")
    for wrong in "0", "-1", "much", "1e300":
        limit.fill(wrong)
        page.keyboard.press("Enter")
        page.locator("#quota-size-fault").filter(has_text="Enter a number above 0, or leave it empty.").wait_for()
        assert by["ann"].get(home)["quota_bytes"] is None
        limit.fill("")
        page.keyboard.press("Enter")
        card.get_by_role("status").filter(has_text="Saved").wait_for()
    limit.fill("1.5")
    page.keyboard.press("Enter")
    card.get_by_role("status").filter(has_text="Saved").wait_for()
    assert by["ann"].get(home)["quota_bytes"] == 3 << 29
    page.reload()
    assert limit.input_value() == "1.5"
    limit.fill("")
    page.keyboard.press("Enter")
    card.get_by_role("status").filter(has_text="Saved").wait_for()
    assert by["ann"].get(home)["quota_bytes"] is None


@pytest.mark.long
def test_which_way_is_better(come, by, project):
    """A key a line; once alone; seen again, and by who only looks on."""
    home = f"/api/v1/projects/ann/{project}"
    one = come(f"/ann/{project}/settings")
    page = one.page
    card = page.get_by_role("region", name="Which way is better")
    card.get_by_label("Lower is better").fill(f"eval/loss\n\n  time  \n{ODD}")
    card.get_by_label("Higher is better").fill("acc\ntime")
    card.get_by_role("button", name="Save").click()
    card.get_by_text("Duplicate key time.").wait_for()
    card.get_by_label("Higher is better").fill("acc")
    card.get_by_role("button", name="Save").click()
    card.get_by_role("status").filter(has_text="Saved").wait_for()
    lower = [{"key": key, "better": "lower"} for key in ("eval/loss", "time", ODD)]
    assert by["ann"].get(home)["directions"] == [*lower, {"key": "acc", "better": "higher"}]
    page.reload()
    card.get_by_label("Lower is better").wait_for()
    assert card.get_by_label("Lower is better").input_value() == f"eval/loss\ntime\n{ODD}"
    card.get_by_label("Lower is better").fill("\n".join(f"k{i}" for i in range(100)))
    card.get_by_role("button", name="Save").click()
    card.get_by_role("alert").filter(has_text=re.compile("100|hundred")).wait_for()
    assert len(by["ann"].get(home)["directions"]) == 4
    by["ann"].patch(home, {"directions": lower[:1]})
    card.get_by_label("Lower is better").fill("mine")
    card.get_by_role("button", name="Save").click()
    card.get_by_role("alert").filter(has_text="Another user changed the project").wait_for()
    assert by["ann"].get(home)["directions"] == lower[:1] and card.get_by_label("Lower is better").input_value() == "mine"
    assert faults_of(page) == [] and [line for line in one.complaints if "400" not in line and "412" not in line] == []


@pytest.mark.long
def test_the_view_one_begins_with(come, by, project):
    """A copy of a saved one; then again what comes with the project."""
    home = f"/api/v1/projects/ann/{project}"
    view = by["ann"].post(f"{home}/views", {"kind": "project", "name": ODD, "state": {"q": "state:crashed"}})
    one = come(f"/ann/{project}/settings")
    page = one.page
    card = page.get_by_role("region", name="Default view")

    def choose(option):
        card.get_by_label("Default view for visitors").select_option(label=option)
        card.get_by_role("button", name="Save").click()
        saved(page)

    choose(ODD)
    by["ann"].delete(f"{home}/views/{view['id']}")
    page.goto(f"{one.base}/ann/{project}")
    page.get_by_role("button", name="Saved views").filter(has_text=ODD).wait_for()
    page.get_by_text("No run matches.").wait_for()
    assert page.get_by_label("Filter runs").input_value() == "state:crashed" and page.url.endswith("?q=state:crashed&view=default")
    page.goto(f"{one.base}/ann/{project}?sort=name")
    page.get_by_role("link", name="r1").wait_for()
    page.goto(f"{one.base}/ann/{project}/settings")
    choose("Built-in default (hides worker runs)")
    assert card.get_by_role("option").first.inner_text() == "Built-in default (hides worker runs)"
    page.goto(f"{one.base}/ann/{project}")
    page.get_by_role("link", name="r1").wait_for()
    assert not one.complaints


def test_a_save_that_fails_loses_nothing(come, by, project):
    page = come(f"/ann/{project}/settings").page
    page.route("**/api/v1/projects/**", lambda route: route.abort() if route.request.method == "PATCH" else route.fallback())
    page.get_by_label("Description").fill("long and well thought")
    page.get_by_role("region", name="Project").get_by_role("button", name="Save").click()
    page.get_by_role("alert").filter(has_text="The server does not answer. Nothing was changed.").wait_for()
    saved(page, "Not saved")
    assert page.get_by_label("Description").input_value() == "long and well thought"
    page.unroute("**/api/v1/projects/**")
    page.keyboard.press("Enter")
    saved(page)
    assert page.locator(".fault:visible").count() == 0
    assert by["ann"].get(f"/api/v1/projects/ann/{project}")["description"] == "long and well thought"


def test_who_may_not_change_a_project(come, screen, by):
    """Reads all of it, and is told why no more."""
    path = "/api/v1/projects/lab/read-only"
    by["bob"].put(path, {"description": "what it is", "visibility": "public"})
    one = come("/settings/profile", "mel")
    page = one.page
    page.goto(f"{one.base}/lab/read-only/settings")
    page.get_by_text("Only admins of lab can change this; you are signed in as mel.").wait_for()
    assert page.get_by_label("Description").input_value() == "what it is" and page.get_by_label("Description").is_disabled()
    assert page.get_by_role("button", name="Save").count() == 0 and page.get_by_role("button", name="Delete").count() == 0
    assert not one.complaints
    other = come("/settings/profile", "ann")
    other.page.goto(f"{one.base}/lab/read-only/settings")
    other.page.get_by_text("Only admins of lab can change this; you are signed in as ann.").wait_for()
    other.page.goto(f"{one.base}/lab")
    other.page.get_by_role("link", name="lab/read-only").wait_for()
    assert other.page.get_by_role("link", name="Settings").count() == 0 and not other.complaints
    stranger = screen().page
    stranger.goto(f"{one.base}/lab/read-only/settings")
    stranger.get_by_text("Only admins of lab can change this; you are not signed in.").wait_for()
    assert stranger.get_by_label("Description").is_disabled()


@pytest.mark.long
def test_runs_that_were_deleted(come, by, project, db):
    """The latest first, a page at a time, with who and until when; restored one by one, by members too and not by who only looks on."""
    home, ann = f"/api/v1/projects/ann/{project}", by["ann"]
    ann.patch(f"{home}/runs/r1", {"display_name": ODD})
    for number in range(52):
        ann.put(f"{home}/runs/m{number}")
        ann.delete(f"{home}/runs/m{number}")
    ann.delete(f"{home}/runs/r1")
    db.query("update run set deleted_who = 4, deleted_by = null where name = 'm50' and project_id = "
             f"(select project_id from project where name = '{project}')")
    one = come(f"/ann/{project}/settings")
    page = one.page
    card = page.get_by_role("region", name="Deleted runs").first
    rows = card.get_by_role("row")
    card.get_by_role("row", name=ODD).get_by_role("cell", name="ann ").wait_for()
    assert rows.count() == 51, "with the head"
    card.get_by_role("row").filter(has_text="m50").filter(has_text="retention of the project").wait_for()
    card.get_by_role("button", name="Show more").click()
    card.get_by_role("row").filter(has=page.get_by_role("rowheader", name="m0", exact=True)).wait_for()
    assert rows.count() == 54 and not card.get_by_role("button", name="Show more").is_visible()
    purge_at = ann.get(f"{home}/runs", deleted="true", limit=1)["items"][0]["deleted"]["purge_at"]
    assert rows.nth(1).locator("time").last.get_attribute("datetime") == purge_at
    for scheme in "light", "dark":
        page.emulate_media(color_scheme=scheme)
        assert faults_of(page) == []
    card.get_by_role("button", name="Restore m51").focus()
    page.keyboard.press("Enter")
    card.get_by_role("row").filter(has=page.get_by_role("rowheader", name="m51", exact=True)).wait_for(state="detached")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Restore m50"
    assert ann.get(f"{home}/runs/m51")["deleted"] is None
    card.get_by_role("button", name=f"Restore {ODD}").click()
    page.get_by_text(f"Restored {ODD}").hover()  # so it stays
    page.locator(".toast").filter(has_text=ODD).get_by_role("button", name="Open").click()
    page.get_by_role("heading", name=ODD, level=1).wait_for()
    assert len(list(ann.pages(f"{home}/runs", deleted="true"))) == 51 and not one.complaints
    page.go_back()
    card.get_by_role("button", name="Restore all").wait_for()
    listed, asked = ann.get(f"{home}/runs", deleted="true", limit=50).json, []

    def again(route):  # the second answer still lists what was restored since the first
        asked.append(route)
        route.fulfill(json=listed) if len(asked) == 2 else route.continue_()

    page.route(re.compile(r"/runs\?deleted=true&limit=50$"), again)
    card.get_by_role("button", name="Restore all").click()
    card.get_by_text("Restored 51 runs").wait_for()
    card.get_by_text("No runs to restore.").wait_for()
    assert list(ann.pages(f"{home}/runs", deleted="true")) == [] and not card.get_by_role("button", name="Restore all").is_visible()
    assert not one.complaints

    by["bob"].put("/api/v1/projects/lab/has-deleted/runs/r1")
    by["bob"].delete("/api/v1/projects/lab/has-deleted/runs/r1")
    mel = come("/lab/has-deleted/settings", "mel").page
    mel.get_by_role("button", name="Restore r1").click()
    mel.get_by_text("No runs to restore.").wait_for()
    vic = come("/lab/has-deleted/settings", "vic").page
    vic.get_by_role("region", name="Storage").wait_for()
    assert vic.get_by_role("region", name="Deleted runs").count() == 0


@pytest.mark.long
def test_the_end_of_a_project(come, by, project):
    """What goes is counted, the name is typed; Undo brings it back, and so do the settings of the entity."""
    home = f"/api/v1/projects/ann/{project}"
    by["ann"].put(f"{home}/runs/r2")
    Collection(by["ann"], home).version({"a": b"x"})
    by["ann"].put(f"{home}-far", {})
    by["ann"].post(f"{home}-far/artifacts/best/links", {"source": f"ann/{project}/model:v0"})
    one = come(f"/ann/{project}/settings")
    page = one.page
    box = page.get_by_role("dialog", name=f"Delete {project}?")

    def remove():
        page.get_by_role("button", name="Delete the project…").click()
        box.get_by_text(re.compile("^2 runs are deleted, .*1 version of an artifact is deleted, too. 1 link to one in another project ends.")).wait_for()
        box.get_by_text(re.compile(r"^You can restore it in the settings of ann until \d{4}-\d\d-\d\d\.")).wait_for()
        go = box.get_by_role("button", name="Delete the project")
        page.keyboard.type(project[:-1])
        assert go.is_disabled()
        page.keyboard.press("Enter")
        page.keyboard.type(project[-1])
        go.click()
        page.wait_for_url(f"{one.base}/ann")

    remove()
    page.get_by_role("button", name="Undo").hover()  # so it stays
    assert by["ann"].refused(410, "gone", "GET", home)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url(f"{one.base}/ann/{project}")
    by["ann"].get(f"{home}/runs/r2")
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Settings").click()
    remove()
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("button", name=f"Restore {project}").click()
    page.wait_for_url(f"{one.base}/ann/{project}")
    by["ann"].get(home)
    assert not one.complaints


# ---- all of them -----------------------------------------------------------------------------------

@pytest.mark.long
def test_the_way_there(come, project):
    """From the account's menu, from a project, and from the box that finds."""
    one = come(f"/ann/{project}")
    page = one.page
    for name, head in (("Profile", "Profile"), ("Keys", "Create a key for this machine")):
        page.get_by_role("button", name="Account of ann").click()
        page.get_by_role("menuitem", name=name, exact=True).click()
        page.get_by_role("heading", name=head, exact=True).wait_for()
    page.goto(f"{one.base}/ann/{project}")
    page.get_by_role("heading", name="Runs").wait_for()
    for typed, option, head in (("settings of an", "Settings of ann", "Settings of ann"), ("profil", "Profile", "Profile")):
        page.keyboard.press("Control+k")
        page.get_by_role("dialog").get_by_role("combobox").fill(typed)
        page.get_by_role("option", name=option, selected=True).wait_for()
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=head, exact=True).wait_for()
    page.goto(f"{one.base}/settings")
    page.get_by_role("heading", name="Profile", exact=True).wait_for()


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_for_everybody(come, by, scheme, size):
    """What axe finds, and whether it fits; with names and texts as hostile as they may be."""
    hostile = f"{'w' * 120}"
    by["bob"].put(f"/api/v1/projects/lab/{hostile}", {"description": ODD * 20})
    one = come("/settings/profile", "bob", color_scheme=scheme, viewport=SIZES[size])
    page = one.page
    for path, ready in (("/settings/profile", "Password"), ("/settings/keys", "Your keys"), ("/lab/settings/members", "Deleted projects"),
                        (f"/lab/{hostile}/settings", "Delete")):
        page.goto(one.base + path)
        page.get_by_role("heading", name=ready, exact=True).wait_for()
        page.locator("main[aria-busy]").wait_for(state="detached")
        assert faults_of(page) == [], path
        assert page.evaluate("[document.documentElement, document.querySelector('.cards')].every("
                             "(node) => node.scrollWidth <= node.clientWidth)"), path
    page.get_by_role("button", name="Delete the project…").click()
    page.get_by_role("dialog").get_by_role("textbox").wait_for()
    assert faults_of(page) == [] and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not one.complaints
