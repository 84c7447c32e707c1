"""What a browser shows, and what it complains of."""
import shutil
import urllib.parse

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
HOST = "cairn.test"


def place_of(message):
    """Where it complains, without the host: a port says nothing."""
    place = urllib.parse.urlsplit(message.location["url"])
    return urllib.parse.urlunsplit(("", "", *place[2:]))


class Screen:
    """A page of a browser of its own; what it complains of and whom it asks is kept."""

    def __init__(self, browser, **options):
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(60_000)
        self.page = self.context.new_page()
        self.complaints, self.asked = [], []
        self.page.on("console", lambda message: self.complaints.append(f"{message.text} {place_of(message)}".strip()))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
