"""docs/rest.md is true: its commands run in order, and answer what it shows."""
import json
import pathlib
import re
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.own
GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/rest.md"
WORDS = {"title", "detail", "hint", "reason", "request_id", "at", "updated_at", "created_at", "changed_at", "edited_at", "link", "_timestamp",
         "etag"}
MARK = "--- end of block ---"


def blocks():
    """(commands, language and text of what they are to print, or None)."""
    fences = re.findall(r"^```(\w+)\n(.*?)^```$", GUIDE.read_text(), re.M | re.S)
    return [(text, fences[i + 1] if i + 1 < len(fences) and fences[i + 1][0] != "sh" else None)
            for i, (language, text) in enumerate(fences) if language == "sh"]


def plain(value):
    """Without what differs from day to day."""
    if isinstance(value, dict):
        return {k: "…" if k in WORDS else plain(v) for k, v in value.items() if k != "hint"}
    return [plain(v) for v in value] if isinstance(value, list) else value


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
def test_guide(server, keys, tmp_path):
    script = "".join(f"{text}\necho\necho '{MARK}'\n" for text, _ in blocks())
    done = subprocess.run(["bash", "-uo", "pipefail", "-c", script], capture_output=True, text=True, cwd=tmp_path,
                          timeout=120, env={"PATH": "/usr/bin:/bin", "CAIRN_KEY": keys["ann"],
                                            "CAIRN_URL": f"http://127.0.0.1:{server.port}"})
    assert done.stderr == ""
    printed = done.stdout.split(MARK)
    assert len(printed) == len(blocks()) + 1
    for (commands, shown), got in zip(blocks(), printed):
        if shown is None:
            continue
        language, text = shown
        if language == "json":
            assert plain(json.loads(got)) == plain(json.loads(text)), commands
        else:
            assert got.split() == text.split(), commands
