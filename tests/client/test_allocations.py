"""libcairn without memory: what a call took arrives all the same, the rest was refused by the call."""
import json
import os
import subprocess

from fake_server import KEY
from probe import environment_of


def test_every_allocation_fails_once(server):
    done = subprocess.run([os.environ["CAIRN_TEST_ALLOCATIONS"]], env=environment_of(server.url, KEY),
                          capture_output=True, text=True, timeout=1700)
    assert done.returncode == 0, done.stderr
    lives = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lives) > 40 and lives[-1]["rows"] == 7
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
