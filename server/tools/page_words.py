"""The words of the page stand in one file, text.js. Here each of them becomes a module of its own, and each module imports
those alone that it says: so a page loads its own words, and none of the others', and their names are as short as others."""
import os
import re

from page_literal import entries_of

WORDS = "js/text.js"
FOLDER = "js/words"
WHOLE = re.compile(r"export const text = \{\n(.*?)^\};\n(.*)", re.M | re.S)
PART = re.compile(r"^\t(\w+): (.*?),\n(?=\s*(?:^\t\w|\Z))", re.M | re.S)
HELPER = re.compile(r"^function (\w+)", re.M)
IMPORT = re.compile(r"^import \{ text \} from '[./]*/text\.js';$", re.M)
OWN = r"(?<![\w$])(?<![^.]\.)%s\b"  # a name, and not what something else has by that name
CALLED = re.compile(r"^const (\w+) = text\.(\w+);\n", re.M)
OTHER = r"(?<=[{,] )%s(?=:)|(?<=')%s(?=')"  # a property, or a text, of that name
HERE = "/* words */"
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def named_in(text, names, form):
    return [name for name in names if re.search(form % name, text)]


class Words:
    def __init__(self, work):
        self.work, self.made = work, 0
        whole = WHOLE.search((work / WORDS).read_text())
        self.parts = dict(PART.findall(whole[1]))
        self.tail = whole[2]
        more = re.findall(r"^(?!function |\t|\}|/\*| \*|$).*", self.tail, re.M)
        if more:
            raise SystemExit(f"page_words.py: {WORDS} has more than functions behind its words: {more[0]}")
        lost = set(re.findall(r"^\t(\w+):", whole[1], re.M)) - set(self.parts)
        if lost:
            raise SystemExit(f"page_words.py: {WORDS} has parts that end in no known way: {', '.join(sorted(lost))}")
        self.entries = {name: entries_of(value) for name, value in self.parts.items() if value.startswith("{")}

    # ---- what a module says ----

    def without_short(self, text):
        """`const words = text.part;` stands for the part: where only words of it are said, they are named in full."""
        for short, part in CALLED.findall(text):
            line = f"const {short} = text.{part};\n"
            rest = text.replace(line, "", 1)
            said = len(re.findall(OWN % short, re.sub(OTHER % (short, short), "", COMMENT.sub("", rest))))
            plain = OWN % short + r"\.(\w+)"
            if part in self.entries and said == len(re.findall(plain, COMMENT.sub("", rest))):
                text = re.sub(plain, rf"text.{part}.\1", rest)
        return text

    def said_by(self, text):
        """The text with `text.part__word` for each word, and the lines that import them."""
        lines = set()

        def named(found):
            part, word = found[1], found[2]
            if part not in self.parts:
                return found[0]
            if not word or part not in self.entries:
                lines.add(f"export {{ {part} }} from './{part}.js';\n")
                return found[0]
            if word not in self.entries[part]:
                raise SystemExit(f"page_words.py: there is no word text.{part}.{word}")
            lines.add(f"export {{ it as {part}__{word} }} from './{part}/{word}.js';\n")
            return f"text.{part}__{word}"

        text = re.sub(OWN % "text" + r"\.(\w+)(?:\.(\w+))?", named, text)
        return text, sorted(lines)

    def import_of(self, lines, folder):
        """The module with these lines, as `text`."""
        self.made += 1
        path = self.work / FOLDER / f"of_{self.made}.js"
        path.write_text("".join(lines))
        there = os.path.relpath(path, folder)
        return f"import * as text from '{there if there.startswith('.') else './' + there}';"

    # ---- what there is ----

    def write(self, path, name, value):
        value, lines = self.said_by(value)
        helpers = named_in(value, HELPER.findall(self.tail), r"\b%s\b")
        above = os.path.relpath(self.work / FOLDER / "helpers.js", path.parent)
        head = [f"import {{ {', '.join(helpers)} }} from './{above}';\n"] if helpers else []
        head += [self.import_of(lines, path.parent) + "\n"] if lines else []
        path.write_text("".join(head) + f"export const {name} = {value};\n")

    def write_part(self, name, value):
        if name not in self.entries:
            return self.write(self.work / FOLDER / f"{name}.js", name, value)
        (self.work / FOLDER / name).mkdir()
        for word, said in self.entries[name].items():
            self.write(self.work / FOLDER / name / f"{word}.js", "it", said)
        imports = [f"import {{ it as its_{word} }} from './{name}/{word}.js';\n" for word in self.entries[name]]
        whole = ", ".join(f"{word}: its_{word}" for word in self.entries[name])
        return (self.work / FOLDER / f"{name}.js").write_text(f"{''.join(imports)}export const {name} = {{ {whole} }};\n")

    def put_into(self, file):
        text = file.read_text()
        if not IMPORT.search(text):
            return
        text, lines = self.said_by(self.without_short(IMPORT.sub(HERE, text)))
        if not lines:
            raise SystemExit(f"page_words.py: {file.relative_to(self.work)} imports words, and none that there are")
        file.write_text(text.replace(HERE, self.import_of(lines, file.parent), 1))

    def split(self):
        files = list((self.work / "js").rglob("*.js"))
        (self.work / FOLDER).mkdir()
        (self.work / FOLDER / "helpers.js").write_text(HELPER.sub(r"export function \1", self.tail))
        for name, value in self.parts.items():
            self.write_part(name, value)
        for file in files:
            self.put_into(file)
        (self.work / WORDS).unlink()
