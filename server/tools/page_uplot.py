"""uPlot comes as one function, of which nothing can be left out by itself. Here what no chart of the page has is taken
away: other ways to draw a line than straight ones, columns of several tables joined, and dates of other zones. What is left
is no function any more, so that esbuild leaves out what only these needed."""
import re

from page_literal import past_group

UNUSED = ["paths.stepped", "paths.bars", "paths.spline", "join", "tzDate"]
WHOLE = re.compile(r'(.*)var uPlot=function\(\)\{"use strict";(.*)return (\w+)\}\(\);\s*export default uPlot;\s*', re.S)


def without(text, name):
    """`,x.name=function(…){…}`, in one expression with others."""
    found = re.search(r",\w+\.%s=function\(" % name.rpartition(".")[2], text)
    if not found:
        raise SystemExit(f"page_uplot.py: this uPlot has no {name}, or writes it in another way")
    body = past_group(text, found.end())
    if text[body] != "{":
        raise SystemExit(f"page_uplot.py: uPlot's {name} is written in another way")
    return text[:found.start()] + text[past_group(text, body + 1):]


def opened(text):
    whole = WHOLE.fullmatch(text)
    if not whole:
        raise SystemExit("page_uplot.py: this uPlot is not one function")
    return f"{whole[1]}{whole[2]}\nexport default {whole[3]};\n"


def lean(text):
    for name in UNUSED:
        text = without(text, name)
    return opened(text)
