"""The short form of the suite docker: compose.yaml as it is, from nothing to a run, with images made of the files of this build."""
import json
import os
import pathlib
import re
import subprocess

import pytest

from containers import NoEngine, Stack
from engine import engine_at_hand, make_images

BUILD = pathlib.Path(os.environ["CAIRN_BUILD"])
OFFICIAL = "postgres:17"


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    """Nothing is fetched: the official image of the database is used where the engine has it."""
    tags = [f"{name}:{os.getpid()}" for name in ("cairn-short", "cairn-short-db")]
    try:
        with engine_at_hand() as engine:
            try:
                make_images(engine, tmp_path_factory.mktemp("image"), BUILD, *tags)
                official = engine.try_("image", "inspect", OFFICIAL).returncode == 0
                made = Stack(engine, CAIRN_IMAGE=tags[0], CAIRN_DB_IMAGE=OFFICIAL if official else tags[1])
                try:
                    made.seconds = made.up()
                    yield made
                finally:
                    made.down("-v", "--remove-orphans")
            finally:
                engine.try_("image", "rm", "-f", *tags)
    except NoEngine as why:
        pytest.skip(str(why))


def cairn(stack, *words):
    """From outside, by the published port."""
    env = {"PATH": os.environ["PATH"], "CAIRN_URL": stack.url, "CAIRN_API_KEY": stack.key, "CAIRN_PROJECT": "demo"}
    done = subprocess.run([*stack.engine.reach, BUILD / "client/cairn", *words], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done
    return done.stdout


def test_from_nothing_to_a_run_and_back(stack):
    print(f"figure: compose up to ready {stack.seconds:.1f} s")
    assert f"Cairn's address: {stack.url}" in stack("logs", "setup") and stack("logs", "setup").count("made ") == 3
    assert re.search(r"there are no users yet token=[0-9a-f]{32} ", stack("logs", "cairnd"))
    stack.key = stack.cairnd("user", "add", "ann", "--admin").strip()
    cairn(stack, "run", "--quiet", "--run", "short", "--", "sh", "-c", f"{BUILD}/client/cairn log loss=0.125")
    assert re.search(r"^short\s.*finished", cairn(stack, "ls"), re.M)
    assert "0.125" in cairn(stack, "show", "short")

    stack.up("--force-recreate", "--no-deps", "cairnd")
    assert stack.cairnd("healthcheck").startswith("ready: ")
    assert "0.125" in cairn(stack, "show", "short")


def test_the_server_has_no_rights(stack):
    assert stack("exec", "-T", "cairnd", "id", "-u").strip() == "10001"
    assert stack("exec", "-T", "cairnd", "cat", "/proc/1/status").split("CapEff:")[1].split()[0] == "0" * 16


def test_doctor_advises_what_fits_a_container(stack):
    done = stack.try_("exec", "-T", "cairnd", "cairnd", "doctor", "--json")
    found = {one["check"]: one for one in map(json.loads, done.stdout.splitlines())}
    assert found["backup"]["state"] == "warning" and "docker compose exec -T cairnd cairnd backup --keep 7" in found["backup"]["remedy"]
    assert not [one for one in found.values() if "system" in (one["remedy"] or "")]
    assert found["server"]["state"] == found["database"]["state"] == found["secret"]["state"] == "good", found
