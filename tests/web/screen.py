"""What a browser shows, and what it complains of."""
import shutil

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
HOST = "cairn.test"


class Screen:
    """A page of a browser of its own; what it complains of and whom it asks is kept."""

    def __init__(self, browser, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.complaints, self.asked = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
