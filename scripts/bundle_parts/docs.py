"""Writes the documentation as HTML, to be read without a network.

    docs.py FOLDER
"""
import html
import pathlib
import re
import shutil
import subprocess
import sys

import markdown

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>body{{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}code,pre{{font-family:monospace;background:#f4f4f4}}
pre{{padding:.6em;overflow:auto}}table{{border-collapse:collapse}}td,th{{border:1px solid #ccc;padding:.2em .5em;text-align:left}}
img{{max-width:100%}}</style>
{body}
</html>
"""


def target(path):
    """docs/rest.md is rest.html; README.md is index.html; docker/README.md is docker.html."""
    if path.name == "README.md":
        return "index.html" if path.parent == TOP else f"{path.parent.name}.html"
    return f"{path.stem.lower()}.html"


def convert(path, pages):
    def link(match):
        """To another page, or none: a file of the sources is not there."""
        name, _, part = match[1].partition("#")
        known = (path.parent / name).resolve()
        if known in pages:
            return f'<a href="{target(known)}{"#" + part if part else ""}">{match[2]}</a>'
        return match[2]

    def picture(match):
        return f'src="{match[1].removeprefix("docs/")}"'
    body = markdown.markdown(path.read_text(), extensions=["tables", "fenced_code", "toc", "sane_lists"])
    body = re.sub(r'src="([^":]+)"', picture, re.sub(r'<a href="([^":#][^":]*)">(.*?)</a>', link, body, flags=re.S))
    title = re.search(r"^# (.*)", path.read_text(), re.M)
    return PAGE.format(title=html.escape(title[1] if title else path.stem), body=body)


def all_pages():
    listed = subprocess.run(["git", "-c", f"safe.directory={TOP}", "ls-files", "*.md"], cwd=TOP, check=True, capture_output=True,
                            text=True).stdout.split()
    return [TOP / name for name in listed if not name.startswith(("tests/", "web-static/"))]


def main(folder):
    pages = all_pages()
    folder.mkdir(parents=True)
    for path in pages:
        (folder / target(path)).write_text(convert(path, pages))
    for path in sorted((TOP / "docs").glob("*.svg")):
        shutil.copy(path, folder)
    shutil.copytree(TOP / "docs/pictures", folder / "pictures")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
