"""Users, teams and one-time links in a browser: an admin of the server makes them, and a person comes in by a link."""
import re

import pytest

from browsing import NARROW_LOOK, PASSWORD, SIZES, faults_of, set_password, sign_in
from rest import Api

WIDE = SIZES["wide"]
USERS, TEAMS = "/admin/users", "/admin/teams"
ODD = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def settings():
    """More attempts than any test makes."""
    return {"sign_in_name_failures": 1000, "sign_in_address_failures": 1000}


@pytest.fixture(scope="module")
def root_with_password(with_password, shared_place, secret_file, tmp_path_factory):
    set_password(shared_place.db, secret_file, tmp_path_factory.mktemp("password"), "root")


@pytest.fixture
def come(screen, base, root_with_password):
    """come(path, user): a Screen at the path, signed in."""
    def at(path, user="root", **options):
        one = screen(**{"viewport": WIDE, **options})
        one.base = base
        sign_in(one.page, f"{base}{path}", user)
        one.page.get_by_role("button", name=f"Account of {user}").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def row_of(page, name, of="All users"):
    rows = page.get_by_role("region", name=of, exact=True).get_by_role("row")
    return rows.filter(has=page.get_by_role("rowheader", name=re.compile(rf"^{re.escape(name)}( \(you\))?$")))


def act(page, name, item):
    page.get_by_role("button", name=f"Actions for {name}", exact=True).click()
    page.get_by_role("menuitem", name=item).click()


def link_shown(page):
    """The link in the dialog that shows it once; the dialog is closed."""
    box = page.get_by_role("dialog")
    link = box.get_by_label("Link", exact=True).input_value()
    page.keyboard.press("Escape")
    box.wait_for(state="detached")
    return link


def said(page, words):
    page.get_by_role("status").filter(has_text=words).first.wait_for()


def inside(page, node):
    """Whether all of it is on the screen."""
    box, size = node.bounding_box(), page.viewport_size
    return box["x"] >= 0 and box["y"] >= 0 and box["x"] + box["width"] <= size["width"] and box["y"] + box["height"] <= size["height"]


# ---- by invitation ---------------------------------------------------------------------------------

def test_from_an_invitation_to_the_first_page(come, screen, by):
    """The admin copies the link; whoever has it makes the user, is in the team, and the link is used up."""
    one = come(USERS)
    page = one.page
    page.get_by_role("button", name="Invite by link").click()
    box = page.get_by_role("dialog", name="Invite by link")
    box.get_by_label("Who is it for? (optional)").fill(ODD)
    assert not box.get_by_label("Role in the team").is_visible()
    box.get_by_label("Team", exact=True).select_option("lab")
    box.get_by_label("Role in the team").select_option("viewer")
    box.get_by_label("Valid for").select_option(label="1 day")
    box.get_by_role("button", name="Create the link").click()
    page.get_by_role("dialog", name="The invitation").get_by_text("It works once, until").wait_for()
    assert page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart)").startswith(one.base)
    link = link_shown(page)
    assert re.fullmatch(rf"{re.escape(one.base)}/login/link#[0-9a-f]{{64}}", link)
    listed = row_of(page, ODD, "One-time links")
    listed.filter(has_text="Invitation, as viewer of lab").filter(has_text="root").wait_for()
    assert inside(page, listed) and link.partition("#")[2] not in page.content()

    guest = screen(viewport=WIDE)
    guest.page.goto(link)
    guest.page.get_by_role("heading", name="Welcome to Cairn").wait_for()
    for words in "root invites you to this server.", "You will join the team lab as viewer.", "This link works once, until":
        assert inside(guest.page, guest.page.get_by_text(words))
    keys = guest.page.keyboard
    for typed in "max", PASSWORD, PASSWORD:
        keys.type(typed)
        keys.press("Tab")
    keys.press("Enter")
    guest.page.get_by_role("button", name="Account of max").wait_for()
    guest.page.get_by_role("heading", name="Projects").wait_for()
    assert guest.page.url == f"{one.base}/" and not guest.complaints
    assert {each["name"]: each["role"] for each in by["root"].pages("/api/v1/entities/lab/members")}["max"] == "viewer"

    page.reload()
    row_of(page, "max").filter(has_text="lab").filter(has_text="active").wait_for()
    assert listed.count() == 0 and inside(page, row_of(page, "max"))
    late = screen(viewport=WIDE)
    late.page.goto(link)
    late.page.get_by_role("heading", name="This link does not work").wait_for()
    late.page.get_by_role("main").get_by_role("link", name="Sign in").click()
    late.page.get_by_role("heading", name="Sign in to Cairn").wait_for()
    assert not one.complaints


def test_what_is_wrong_stands_under_its_field(screen, base, by):
    """And the link is still good."""
    link = by["root"].post("/api/v1/links", {})["url"].partition("/login")[2]
    one = screen(viewport=WIDE)
    page = one.page
    page.goto(f"{base}/login{link}")
    name, password, again = (page.get_by_label(label, exact=True) for label in ("Name", "Password", "Password again"))
    name.wait_for()
    for typed, wrong, words in ((("", PASSWORD, PASSWORD), name, "Invalid name: use 1 to 64"),
                                (("a b", PASSWORD, PASSWORD), name, "Invalid name: use 1 to 64"),
                                (("ann", PASSWORD, PASSWORD), name, 'the name "ann" is taken'),
                                (("mia", "short", "short"), password, "at least 8 characters"),
                                (("mia", PASSWORD, "other"), again, "does not match the password")):
        for control, value in zip((name, password, again), typed):
            control.fill(value)
        page.keyboard.press("Enter")
        page.locator(f"#{wrong.get_attribute('id')}-fault").filter(has_text=words).wait_for()
        assert wrong.get_attribute("aria-invalid") == "true"
        page.wait_for_function("id => document.activeElement.id === id", arg=wrong.get_attribute("id"))
    page.get_by_role("link", name="Skip to the content").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash === '#main'")
    page.wait_for_load_state("networkidle")
    assert name.input_value() == "mia"
    again.fill(PASSWORD)
    again.press("Enter")
    page.get_by_role("button", name="Account of mia").wait_for()


def test_a_link_is_revoked(come, screen, by):
    link = by["root"].post("/api/v1/links", {"note": "for nobody"})["url"].partition("/login")[2]
    one = come(USERS)
    page = one.page
    page.get_by_role("button", name="Revoke the link for for nobody").click()
    said(page, "The link was revoked.")
    row_of(page, "for nobody", "One-time links").wait_for(state="detached")
    guest = screen().page
    guest.goto(f"{one.base}/login{link}")
    guest.get_by_role("heading", name="This link does not work").wait_for()
    assert not one.complaints


@pytest.mark.parametrize("token", ["", "#0", "#" + "0" * 64])
def test_links_that_never_were(screen, base, by, token):
    page = screen().page
    page.goto(f"{base}/login/link{token}")
    page.get_by_role("heading", name="This link does not work").wait_for()
    page.evaluate("link => location.hash = link", by["root"].post("/api/v1/links", {})["url"].partition("#")[2])
    page.get_by_role("heading", name="Welcome to Cairn").wait_for()


def test_who_is_signed_in_is_told(come, by):
    link = by["root"].post("/api/v1/links", {})["url"].partition("/login")[2]
    one = come(f"/login{link}", "ann")
    one.page.get_by_text("You are signed in as ann in this browser.").wait_for()
    assert not one.complaints


# ---- users -----------------------------------------------------------------------------------------

@pytest.mark.long
def test_a_user_is_added(come, screen, by):
    """By keyboard: a name, and the link with which they set their password."""
    one = come(USERS)
    page, keys = one.page, one.page.keyboard
    page.get_by_role("button", name="Add a user").focus()
    keys.press("Enter")
    box = page.get_by_role("dialog", name="Add a user")
    assert box.get_by_role("button", name="Add", exact=True).is_disabled()
    for typed, words in (("settings", "Invalid name: use 1 to 64"), ("lab", 'the name "lab" is taken')):
        keys.press("Control+a")
        keys.type(typed)
        keys.press("Enter")
        box.get_by_role("alert").filter(has_text=words).wait_for()
    keys.press("Control+a")
    keys.type("newton")
    keys.press("Enter")
    page.get_by_role("dialog", name="The link for newton").wait_for()
    link = link_shown(page)
    row = row_of(page, "newton")
    row.filter(has_text="no password yet").wait_for()
    row_of(page, "newton", "One-time links").filter(has_text="New password").wait_for()
    assert inside(page, row) and by["root"].get("/api/v1/users/newton")["admin"] is False
    guest = screen(viewport=WIDE).page
    guest.goto(link)
    guest.get_by_role("heading", name="Choose a new password").wait_for()
    guest.get_by_label("Password", exact=True).fill(PASSWORD)
    guest.get_by_label("Password again").fill(PASSWORD)
    guest.get_by_role("button", name="Set the password").click()
    guest.get_by_role("button", name="Account of newton").wait_for()
    assert all(re.search(r"status of (400|409) .* /api/v1/users$", words) for words in one.complaints)


def test_a_password_is_set_anew(come, screen, base, by):
    """The user's other browsers are signed out."""
    by["root"].post("/api/v1/users", {"name": "forgetful"})
    first = by["root"].post("/api/v1/links", {"user": "forgetful"})["url"].partition("#")[2]
    by["nobody"].post("/api/v1/links/use", {"token": first, "password": PASSWORD})
    before = come("/settings/keys", "forgetful").page
    one = come(USERS)
    act(one.page, "forgetful", "Link for a new password…")
    box = one.page.get_by_role("dialog", name="Link for a new password of forgetful")
    box.get_by_text("All their sessions end then.").wait_for()
    box.get_by_role("button", name="Create the link").click()
    one.page.get_by_role("dialog", name="The link for forgetful").wait_for()
    guest = screen().page
    guest.goto(link_shown(one.page))
    guest.get_by_text("For the user forgetful.").wait_for()
    guest.get_by_label("Password", exact=True).fill("another horse battery")
    guest.get_by_label("Password again").fill("another horse battery")
    guest.keyboard.press("Enter")
    guest.get_by_role("button", name="Account of forgetful").wait_for()
    before.reload()
    before.get_by_role("heading", name="Sign in to Cairn").wait_for()
    assert not one.complaints


def test_disabled_and_enabled(come, by):
    by["root"].post("/api/v1/users", {"name": "leaver"})
    one = come(USERS)
    page = one.page
    act(page, "leaver", "Disable…")
    box = page.get_by_role("dialog", name="Disable leaver?")
    box.get_by_text("their keys stop working").wait_for()
    box.get_by_role("button", name="Disable", exact=True).click()
    said(page, "leaver is disabled.")
    row_of(page, "leaver").filter(has_text=re.compile("disabled since")).wait_for()
    page.wait_for_function("document.activeElement.dataset.of === 'leaver'")
    assert by["root"].get("/api/v1/users/leaver")["disabled_at"]
    page.get_by_role("button", name="Actions for leaver").click()
    assert page.get_by_role("menuitem", name="Link for a new password…").get_attribute("aria-disabled") == "true"
    page.get_by_role("menuitem", name="Enable").click()
    said(page, "leaver is enabled.")
    row_of(page, "leaver").filter(has_text="no password yet").wait_for()
    assert not one.complaints


def test_admin_rights(come, by):
    by["root"].post("/api/v1/users", {"name": "deputy"})
    one = come(USERS)
    page = one.page
    for item, go, rights in (("Make an admin of the server…", "Make an admin", "Admin of the server"),
                             ("Take admin rights…", "Take the rights", "User")):
        act(page, "deputy", item)
        page.get_by_role("dialog").get_by_role("button", name=go, exact=True).click()
        row_of(page, "deputy").get_by_role("cell", name=rights, exact=True).wait_for()
        assert by["root"].get("/api/v1/users/deputy")["admin"] is (rights != "User")
    assert not one.complaints


def test_nobody_takes_their_own_access(come):
    one = come(USERS)
    page = one.page
    page.get_by_role("button", name="Actions for root").click()
    for item in "Take admin rights…", "Disable…":
        assert page.get_by_role("menuitem", name=item).get_attribute("aria-disabled") == "true"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.of") == "root"
    row_of(page, "root").get_by_text("(you)").wait_for()
    assert not one.complaints


def test_a_service_account_and_its_keys(come, by, server):
    """Its first key is shown when it is added, others when they are created; each is revoked there."""
    one = come(USERS)
    page = one.page
    page.get_by_role("button", name="Add a user").click()
    box = page.get_by_role("dialog", name="Add a user")
    box.get_by_label("Name", exact=True).fill("robot")
    box.get_by_label("Kind").select_option("service")
    box.get_by_role("button", name="Add", exact=True).click()
    shown = page.get_by_role("dialog", name="The key of robot").get_by_label("Key", exact=True)
    key = shown.input_value()
    api = Api(server, key)
    assert api.get("/api/v1/viewer")["name"] == "robot"
    page.keyboard.press("Escape")
    row_of(page, "robot").get_by_role("cell", name="Service account", exact=True).wait_for()
    page.get_by_role("button", name="Actions for robot").click()
    assert page.get_by_role("menuitem", name="Link for a new password…").count() == 0
    page.get_by_role("menuitem", name="Keys…").click()
    box = page.get_by_role("dialog", name="Keys of robot")
    box.get_by_role("row").filter(has_text="first").filter(has_text=key[-4:]).wait_for()
    box.get_by_label("Name of the new key").fill("second")
    box.get_by_role("button", name="Create a key").click()
    shown.wait_for()
    second = Api(server, shown.input_value())
    assert second.get("/api/v1/viewer")["name"] == "robot"
    page.keyboard.press("Escape")
    act(page, "robot", "Keys…")
    box.get_by_role("button", name=re.compile("^Revoke the key first")).click()
    said(page, "The key was revoked.")
    box.get_by_role("row").filter(has_text="first").wait_for(state="detached")
    assert api.request("GET", "/api/v1/viewer").status == 401 and second.get("/api/v1/viewer").status == 200
    for each in api, second:
        each.close()
    assert not one.complaints


def test_keys_of_a_person(come):
    """They are seen, and none is created."""
    one = come(USERS)
    act(one.page, "bob", "Keys…")
    box = one.page.get_by_role("dialog", name="Keys of bob")
    box.get_by_role("row").nth(1).wait_for()
    box.get_by_text("Users create their own keys").wait_for()
    assert box.get_by_role("button", name="Create a key").count() == 0 and not one.complaints


@pytest.mark.long
def test_one_of_many_is_found(come, by):
    for number in range(60):
        by["root"].request("POST", "/api/v1/users", {"name": f"many-{number:02}"})
    one = come(USERS)
    page = one.page
    page.get_by_role("searchbox", name="Find a user or team").fill("MANY-4")
    said(page, re.compile(r"^10 of \d+ users$"))
    assert inside(page, row_of(page, "many-49"))
    page.get_by_role("searchbox").fill("lab")
    row_of(page, "mel").wait_for()
    assert row_of(page, "ann").count() == 0
    page.get_by_role("searchbox").fill("no such")
    page.get_by_text("No user matches.").wait_for()
    assert not one.complaints


# ---- teams -----------------------------------------------------------------------------------------

def test_a_team_from_made_to_its_members(come, by):
    """Created, then its page: a member is added, gets another role, is removed; the list has their number, and leads there."""
    one = come(TEAMS)
    page = one.page
    row_of(page, "lab", "All teams").filter(has_text="none").wait_for()
    page.get_by_role("button", name="Create a team").click()
    box = page.get_by_role("dialog", name="Create a team")
    for name, words in (("ann", 'the name "ann" is taken'), ("a b", "Invalid name")):
        box.get_by_label("Name").fill(name)
        page.keyboard.press("Enter")
        box.get_by_role("alert").filter(has_text=words).wait_for()
    box.get_by_label("Name").fill("crew")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Settings of crew").wait_for()
    assert page.url == f"{one.base}/crew/settings/members"
    assert page.locator("#member-names option[value=mel]").count() == 1
    page.get_by_label("Name of the user").fill("ann")
    page.get_by_label("Role", exact=True).select_option("admin")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Role of ann: admin").click()
    page.get_by_role("menuitemradio", name=re.compile("^Viewer")).click()
    page.get_by_role("button", name="Role of ann: viewer").wait_for()
    page.goto(one.base + TEAMS)
    row = row_of(page, "crew", "All teams")
    assert row.get_by_role("cell").nth(0).inner_text() == "1" and inside(page, row)
    row.get_by_role("link", name="Members and quota of crew").click()
    page.get_by_role("button", name="Remove ann").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("button", name="Remove ann").wait_for(state="detached")
    page.get_by_role("region", name="Storage").get_by_role("combobox", name="Quota").wait_for()
    assert by["root"].get("/api/v1/entities/crew")["members"] == 0
    assert all(re.search(r"status of (400|409) .* /api/v1/entities$", words) for words in one.complaints)


# ---- all of them -----------------------------------------------------------------------------------

@pytest.mark.long
def test_the_way_there(come):
    """By the tabs, from the account's menu, and from the box that finds; not for others."""
    one = come("/admin/server")
    page = one.page
    tabs = page.get_by_role("navigation", name="This server")
    for name, head in (("Users", "Users"), ("Teams", "Teams")):
        tabs.get_by_role("link", name=name, exact=True).click()
        page.get_by_role("heading", name=head, exact=True, level=1).wait_for()
        assert tabs.get_by_role("link", name=name, exact=True).get_attribute("aria-current") == "page"
    page.get_by_role("button", name="Account of root").click()
    page.get_by_role("menuitem", name="Users", exact=True).click()
    page.get_by_role("heading", name="Users", exact=True, level=1).wait_for()
    assert not one.complaints
    for path in USERS, TEAMS:
        other = come(path, "ann").page
        other.get_by_text("Only admins of the server can see this.").wait_for()
        other.get_by_role("button", name="Account of ann").click()
        assert other.get_by_role("menuitem", name="Users", exact=True).count() == 0
    guest = come("/settings/profile", "ann").page
    guest.get_by_role("button", name="Account of ann").click()


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_for_everybody(come, by, scheme, size):
    """What axe finds, and whether it fits, with names and notes as long as they may be."""
    for name in "w" * 64, "v" * 64:
        by["root"].request("POST", "/api/v1/users", {"name": name})
    by["root"].request("POST", "/api/v1/entities", {"name": "t" * 64})
    by["root"].put(f"/api/v1/entities/{'t' * 64}/members/{'w' * 64}", {"role": "viewer"})
    link = by["root"].post("/api/v1/links", {"note": "n" * 128, "team": "t" * 64, "admin": True})["url"].partition("/login")[2]
    one = come(USERS, color_scheme=scheme, viewport=SIZES[size])
    page = one.page
    for path, ready in ((USERS, "One-time links"), (TEAMS, "All teams"), (f"/login{link}", "Welcome to Cairn")):
        page.goto(one.base + path)
        page.get_by_role("heading", name=ready, exact=True).first.wait_for()
        page.locator("main[aria-busy]").wait_for(state="detached")
        assert faults_of(page) == [], path
        assert page.evaluate("[document.documentElement, document.querySelector('.cards')].every("
                             "(node) => node.scrollWidth <= node.clientWidth)"), path
    page.goto(one.base + USERS)
    for name in "Invite by link", "Add a user":
        page.get_by_role("button", name=name).click()
        page.get_by_role("dialog", name=name).wait_for()
        assert faults_of(page) == [] and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("Escape")
    act(page, "bob", "Keys…")
    page.get_by_role("dialog").get_by_role("row").nth(1).wait_for()
    assert faults_of(page) == [] and not one.complaints
