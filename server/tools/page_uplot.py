"""uPlot comes as one file, of which nothing can be left out by itself. Here what no chart of the page has is taken away:
other ways to draw a line than straight ones, columns of several tables joined, and dates of other zones."""
import re

from page_literal import past_group

UNUSED = ["paths.stepped", "paths.bars", "paths.spline", "join", "tzDate"]


def without(text, name):
    """`,x.name=function(…){…}`, in one expression with others."""
    found = re.search(r",\w+\.%s=function\(" % name.rpartition(".")[2], text)
    if not found:
        raise SystemExit(f"page_uplot.py: this uPlot has no {name}, or writes it in another way")
    body = past_group(text, found.end())
    if text[body] != "{":
        raise SystemExit(f"page_uplot.py: uPlot's {name} is written in another way")
    return text[:found.start()] + text[past_group(text, body + 1):]


def lean(text):
    for name in UNUSED:
        text = without(text, name)
    return text
