"""What a command says that ends badly, held against the table in docs/install.md."""
import pathlib
import re

from server import SANITIZER_MARKS

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = "\n## If the server does not start\n"


def documented(message):
    """The exit status in the row of the table whose first column has the message."""
    section = (ROOT / "docs/install.md").read_text().split(HEAD)[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    table = {pattern.strip(): row[1] for row in rows for pattern in row[0].split(";")}
    found = {status for pattern, status in table.items()
             if re.search(re.escape(pattern).replace("…", ".*?").replace("LATIN1", r"\w+"), message)}
    assert len(found) == 1, (message, found)
    return int(found.pop())


def refusal(done):
    """The one line that says what is wrong; there is a line behind it that says what to do."""
    assert not any(mark in done.stderr for mark in SANITIZER_MARKS), done.stderr
    lines = done.stderr.splitlines()
    [at] = [number for number, line in enumerate(lines) if line.startswith("cairnd: ")]
    assert len(lines) > at + 1 and all(line.startswith("        ") for line in lines[at + 1:]), done.stderr
    assert not any(" error " in line for line in lines[:at]), done.stderr
    return lines[at]


def check_refusal(done):
    line = refusal(done)
    assert done.returncode == documented(line), done
    return line
