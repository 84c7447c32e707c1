"""scripts/language finds comments, texts and commit subjects that break its rules, and nothing else."""
import pathlib
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]


def git(tree, *words):
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words], cwd=tree, check=True)


@pytest.fixture
def tree(tmp_path):
    """A repository with the script alone, without folders that are not clean."""
    (tmp_path / "scripts").mkdir()
    script = (TOP / "scripts/language").read_text()
    for name in ("COMMENTS_NOT_CLEAN", "TEXTS_NOT_CLEAN"):
        head, rest = script.split(f'{name} = """\n')
        script = head + f'{name} = """\n' + rest[rest.index('"""'):]
    (tmp_path / "scripts/language").write_text(script)
    shutil.copymode(TOP / "scripts/language", tmp_path / "scripts/language")
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first: begin")
    return tmp_path


def check(tree):
    done = subprocess.run([tree / "scripts/language"], capture_output=True, text=True)
    return done.returncode, done.stdout


def write(tree, name, text):
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(text)


def test_a_clean_tree(tree):
    write(tree, "server/a.c", '/* Returns one. */\nconst char *a(void) { return "invalid cursor: use next_cursor"; }\n')
    write(tree, "api/a.yaml", "info:\n  description: Nobody's rules, whatever runs as postgres and nobody.\n".replace("Nobody's", "The"))
    write(tree, "docs/a.md", "There is no key. The ones that are told apart.\n\n```\nsomebody\n```\n")
    assert check(tree) == (0, "")


@pytest.mark.parametrize("name, text, where", [
    ("server/store/a.c", "int a;\n/* Who reads it. */\n", "server/store/a.c:2: comment"),
    ("scripts/a", "# Of a run.\n", "scripts/a:1: comment"),
    ("web-static/js/a.js", "\t// Whose turn it is\n", "web-static/js/a.js:1: comment"),
    ("server/a.c", 'f("the name is "\n  "there twice");\n', 'server/a.c:1: "is there twice"'),
    ("client/a.c", 'f("Where a run goes.");\n', "client/a.c:1: text begins with"),
    ("api/a.yaml", "a:\n  description: |\n    A run that\n    somebody made.\n", 'api/a.yaml:2: "somebody"'),
    ("web-static/js/text.js", "a = `${b} is written anew`;\n", 'web-static/js/text.js:1: "anew"'),
    ("docs/a.md", "# A\n\nIt waits meanwhile.\n", 'docs/a.md:3: "meanwhile"'),
])
def test_a_bad_line(tree, name, text, where):
    write(tree, name, text)
    status, printed = check(tree)
    assert status == 1 and printed.startswith(where) and printed.count("\n") == 1, printed


def test_bad_subjects(tree):
    git(tree, "commit", "-q", "--allow-empty", "-m", "a: one; b: two")
    git(tree, "commit", "-q", "--allow-empty", "-m", "a: " + "x" * 70)
    status, printed = check(tree)
    assert status == 1 and printed.count("commit ") == 2 and 'has a ";"' in printed and "73 characters" in printed
    git(tree, "tag", "v1")
    assert check(tree) == (0, "")


def test_a_list_that_could_be_shorter(tree):
    script = tree / "scripts/language"
    script.write_text(script.read_text().replace('COMMENTS_NOT_CLEAN = """\n', 'COMMENTS_NOT_CLEAN = """\nserver/store\n'))
    assert check(tree)[1] == "scripts/language: server/store is clean: remove it from COMMENTS_NOT_CLEAN\n"
    write(tree, "server/store/a.c", "/* Who reads it. */\n")
    assert check(tree) == (0, "")
