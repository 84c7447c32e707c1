"""Reads an object of plain JavaScript as text: its names, and the text of what each of them is."""
import re

TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|/\*.*?\*/|[`()\[\]{},]|[^'"`()\[\]{},/]+|/""", re.S)
ENTRY = re.compile(r"\s*(?:/\*.*?\*/\s*)*(\w+):\s+(.*?)\s*", re.S)
TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.S)
OPENS, CLOSES = "([{", ")]}"


def past_template(text, at):
    """The place behind a template whose first character is at `at`, with what is put into it."""
    at = TEMPLATE.match(text, at).end()
    while text[at] == "$":
        at = TEMPLATE.match(text, past_group(text, at + 2)).end()
    return at + 1


def past_group(text, at):
    """The place behind the bracket that closes what was opened before `at`."""
    depth = 1
    while depth:
        token = TOKEN.match(text, at)[0]
        at += len(token)
        depth += (token in OPENS) - (token in CLOSES)
        if token == "`":
            at = past_template(text, at)
    return at


def parts_of(text):
    """What stands between the commas of an object's inside."""
    start = at = 0
    while at < len(text):
        token = TOKEN.match(text, at)[0]
        at += len(token)
        if token == "`":
            at = past_template(text, at)
        elif token in OPENS:
            at = past_group(text, at)
        elif token == ",":
            yield text[start:at - 1]
            start = at
    if text[start:].strip():
        yield text[start:]


def entries_of(text):
    """{name: text of its value} of an object, `text` being the whole of it. Methods and names in quotes are not known here."""
    found = {}
    for part in parts_of(text[1:-1]):
        entry = ENTRY.fullmatch(part)
        if not entry:
            raise SystemExit(f"page_literal.py: not NAME: VALUE: {part.strip()[:80]}")
        found[entry[1]] = entry[2]
    return found
