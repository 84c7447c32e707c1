"""The words of the page stand in one file, text.js. Here each part of them becomes a module of its own, and each module
imports those parts alone that it names: so a page loads its own words, and none of the others'."""
import os
import re

WORDS = "js/text.js"
FOLDER = "js/words"
WHOLE = re.compile(r"export const text = \{\n(.*?)^\};\n(.*)", re.M | re.S)
PART = re.compile(r"^\t(\w+): (.*?),\n(?=\s*(?:^\t\w|\Z))", re.M | re.S)
HELPER = re.compile(r"^function (\w+)", re.M)
IMPORT = re.compile(r"^import \{ text \} from '[./]*/text\.js';$", re.M)


def named_in(text, names, form):
    return [name for name in names if re.search(form % name, text)]


class Words:
    def __init__(self, work):
        self.work = work
        whole = WHOLE.search((work / WORDS).read_text())
        self.parts = dict(PART.findall(whole[1]))
        self.tail = whole[2]
        more = re.findall(r"^(?!function |\t|\}|/\*| \*|$).*", self.tail, re.M)
        if more:
            raise SystemExit(f"page_words.py: {WORDS} has more than functions behind its words: {more[0]}")
        lost = set(re.findall(r"^\t(\w+):", whole[1], re.M)) - set(self.parts)
        if lost:
            raise SystemExit(f"page_words.py: {WORDS} has parts that end in no known way: {', '.join(sorted(lost))}")

    def those_of(self, text):
        """The module that gives what a text names, made when it is first asked for; None where it names nothing."""
        names = named_in(text, self.parts, r"\btext\.%s\b")
        if not names:
            return None
        path = self.work / FOLDER / f"of_{'_'.join(names)}.js"
        path.write_text("".join(f"export {{ {name} }} from './{name}.js';\n" for name in names))
        return path

    def write_part(self, name, value):
        helpers = named_in(value, HELPER.findall(self.tail), r"\b%s\b")
        lines = [f"import {{ {', '.join(helpers)} }} from './helpers.js';\n"] if helpers else []
        others = self.those_of(value)
        if others:
            lines.append(f"import * as text from './{others.name}';\n")
        (self.work / FOLDER / f"{name}.js").write_text("".join(lines) + f"export const {name} = {value};\n")

    def path_of(self, file, text):
        those = self.those_of(text)
        if not those:
            raise SystemExit(f"page_words.py: {file.relative_to(self.work)} imports words, and no part that there is")
        return os.path.relpath(those, file.parent)

    def split(self):
        (self.work / FOLDER).mkdir()
        (self.work / FOLDER / "helpers.js").write_text(HELPER.sub(r"export function \1", self.tail))
        for name, value in self.parts.items():
            self.write_part(name, value)
        for file in (self.work / "js").rglob("*.js"):
            text = file.read_text()
            if IMPORT.search(text):
                file.write_text(IMPORT.sub(f"import * as text from './{self.path_of(file, text)}';", text))
        (self.work / WORDS).unlink()
