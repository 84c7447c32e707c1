"""uPlot comes as one function, of which nothing can be left out by itself. Here what no chart of the page has is taken
away: other ways to draw a line than straight ones, columns of several tables joined, dates, a legend, series that are
points of facets, and axes that find their marks themselves (chart/line/plot_options.js says all of that of each chart). What is
left is no function any more, so that esbuild leaves out what only these needed."""
import re

from page_literal import past_group
from page_uplot_cuts import CUTS

UNUSED = ["paths.stepped", "paths.bars", "paths.spline", "join", "tzDate", "delSeries", "addBand", "setBand", "delBand"]
# [(how it is written, what stands there instead)]
NEVER = [
    (r',\w+=\["January",.*?(?=,\w+=\w+=>\w+%1==0)', ""),  # names of months, and what writes dates
    (r',\w+="\{YYYY\}",.*?\]=\w+\(\.001\);', ";"),  # steps of time, and how each is written
    (r"const \w+=\w+\.tzDate.*?(?=\w+=\[\],\w+=\w+\.legend=)", "const "),  # what a chart makes of these for itself
    (r"\w+\?\w+\(e\)\?\w+\(\w+,\w+\(e,\w+\)\):e\|\|\w+:(e\|\|\w+,\w+\.label=)", r"\1"),
    (r"\w+\?1==\w+\?\w+:\w+:(\w+\)\),\w+\.splits=)", r"\1"),
    (r"(\.values=\w+\(i\)&&!\w+\(i\[0\]\)\?\w+\(i\):)\w+\?.*?:i\|\|\w+(?=,\w+\.filter=)", r"\1i"),
    (r"(\.splits=\w+\(\w+\.splits)\|\|\(.*?\)\)", r"\1)"),  # where marks are
    (r"(\.filter=\w+\(\w+\.filter)\|\|\(.*?\)\)", r"\1)"),
    (r",\w+\.fmtDate=\w+", ""),
]
# [(where something has its name, how it is said with it, what that always is)]
LEGEND = r"(\w+)=\w+\.show,\w+=\w+\.show,\w+=\w+\.markers;"
MODE = r",(\w+)=\w+\.mode;"
ALWAYS = [
    (LEGEND, r"%s(?=&&|\))", "!1"),
    (MODE, "2==%s", "!1"),
    (MODE, "1==%s", "!0"),
]
# A text, what is between, a property, a long word, a short name; a character.
SHORT = re.compile(r'"[^"]*"|…|\.[\w$]+|[\w$]{3,}|(?P<name>[A-Za-z_$][\w$]?)|.', re.S)
KEYWORDS = {"if", "in", "of", "do"}
RULE = re.compile(r"([^{}]+)\{([^}]*)\}")
# What is written in no element: the letters of its axes, which have a font of their own. base.css says box-sizing of all.
STYLE_UNUSED = re.compile(r"\.u-(title|legend|inline|live|series|marker|value|vt|cursor-y)\b|^\.uplot \*")
STYLE_WORDS = re.compile(r"font-family:[^;]*;|box-sizing:[^;]*;|/\*.*?\*/", re.S)
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


def told(written, count):
    if count != 1:
        raise SystemExit(f"page_uplot.py: this uPlot is written in another way: {written} is there {count} times")


def without_never(text):
    for written, instead in NEVER:
        text, count = re.subn(written, instead, text, flags=re.S)
        told(written, count)
    return text


def with_always(text):
    for where, said, instead in ALWAYS:
        names = list(re.finditer(where, text))
        told(where, len(names))
        begin = names[0].end()
        text = text[:begin] + re.sub(rf"(?<![\w$.]){said % re.escape(names[0][1])}(?![\w$])", instead, text[begin:])
    return text


def form_of(written):
    """What finds it, by whatever short names, each of them a group of its name."""
    found = set()

    def part(token):
        if token[0] == "…":
            return ".*?"
        if not token["name"] or token["name"] in KEYWORDS:
            return re.escape(token[0])
        again = token["name"] in found
        found.add(token["name"])
        group = "n_" + token["name"].replace("$", "S")
        return f"(?P={group})" if again else rf"(?P<{group}>[\w$]+)"

    return r"(?<![\w$])" * bool(SHORT.match(written)["name"]) + SHORT.sub(part, written)


def said_with(found, instead):
    """What stands there instead, with the names that it has there."""
    def part(token):
        group = "n_" + (token["name"] or "").replace("$", "S")
        return found.groupdict().get(group, token[0])

    return SHORT.sub(part, instead)


def without_cuts(text):
    for written, instead in CUTS:
        found = list(re.finditer(form_of(written), text, re.S))
        told(written, len(found))
        text = text[:found[0].start()] + said_with(found[0], instead) + text[found[0].end():]
    return text


def opened(text):
    whole = WHOLE.fullmatch(text)
    if not whole:
        raise SystemExit("page_uplot.py: this uPlot is not one function")
    return f"{whole[1]}{whole[2]}\nexport default {whole[3]};\n"


def lean_style(text):
    """Its style sheet, without what stands for what is taken away."""
    def kept(rule):
        selectors = [one.strip() for one in rule[1].split(",")]
        said, words = ", ".join(one for one in selectors if not STYLE_UNUSED.search(one)), STYLE_WORDS.sub("", rule[2])
        return f"{said} {{{words}}}\n" if said and words else ""

    return RULE.sub(kept, text)


def lean(text):
    for name in UNUSED:
        text = without(text, name)
    return opened(without_cuts(with_always(without_never(text))))
