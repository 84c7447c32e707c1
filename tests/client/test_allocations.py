"""libcairn without memory: what a call took arrives all the same, the rest was refused by the call."""
import json
import os
import subprocess

from fake_server import KEY
from probe import environment_of
from spool_files import CONFIG, CONSOLE, SUMMARY, spools_in


def live(environment):
    """A life for each allocation that fails, and one without."""
    done = subprocess.run([os.environ["CAIRN_TEST_ALLOCATIONS"]], env=environment, capture_output=True, text=True,
                          timeout=1700)
    assert done.returncode == 0, done.stderr
    lives = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lives) > 40 and lives[-1]["rows"] == 7
    return lives


def test_every_allocation_fails_once(server):
    lives = live(environment_of(server.url, KEY))
    for number, life in enumerate(lives):
        if life["started"] != "ok":
            assert life["started"] == "memory", (number, life)
            continue
        assert life["finished"] == "ok" and not life["wrong"] and not life["unsent"], (number, life)
        writer = server.run().writers[life["client"]]
        assert len(writer.history) == life["rows"] and len(writer.lines) == life["lines"], (number, life)
        assert (writer.config is not None) == (life["config"] > 0), (number, life)
        assert (writer.summary == {"note": "good"}) == (life["summary"] > 0), (number, life)
        assert writer.finished == 0


def test_every_allocation_fails_once_offline(tmp_path):
    lives = live(environment_of("", "") | {"CAIRN_MODE": "offline", "CAIRN_SPOOL_DIR": str(tmp_path)})
    spools = {spool.writer["client"]: spool for spool in spools_in(tmp_path)}
    for number, life in enumerate(lives):
        if life["started"] != "ok":
            assert life["started"] == "memory", (number, life)
            continue
        assert life["finished"] == "ok" and not life["wrong"] and not life["unsent"], (number, life)
        spool = spools[life["client"]]
        assert len(spool.rows()) == life["rows"] and len(spool.rows(CONSOLE)) == life["lines"], (number, life)
        assert len(spool.documents(CONFIG)) >= (life["config"] > 0), (number, life)
        assert len(spool.documents(SUMMARY)) >= (life["summary"] > 0), (number, life)
        assert spool.end == (0, 0)
