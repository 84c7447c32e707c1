"""log() of the Python package with ten metrics, in the thread that trains; beside it the wandb SDK's in the same run of a program."""
import json
import os
import subprocess
import sys

import host
from server import Server

sys.path.append(str(host.TOP / "tests/wandb"))

from sdk import NEWEST, environment  # noqa: E402

CALLS = 20_000
STEP_US = 50  # of computing between two calls

PROGRAM = """
import json, sys, time
import cairn, wandb

CALLS, STEP_NS = int(sys.argv[1]), int(sys.argv[2]) * 1000
NAMES = ["loss", "accuracy", "grad_norm", "lr", "tokens", "step_time", "data_time", "parameter_norm", "activation_mean", "activation_std"]

def compute(clock):
    end, x = clock() + STEP_NS, 0.0
    while clock() < end:
        x = x * 0.5 + 1.0

def measure(log):
    clock, taken = time.perf_counter_ns, []
    for i in range(CALLS):
        row = {f"train/{name}": i * 0.37 for name in NAMES}
        compute(clock)
        began = clock()
        log(row)
        taken.append(clock() - began)
    taken.sort()
    return [taken[CALLS // 2], taken[CALLS * 99 // 100]]

ours, theirs = cairn.init(id="ours"), wandb.init(id="theirs", mode="offline")
found = {"ours": [], "theirs": []}
for turn in range(3):
    found["ours"].append(measure(ours.log))
    found["theirs"].append(measure(theirs.log))
ours.finish(timeout=120)
theirs.finish()
if ours.finish() != cairn.Report() or len(cairn.Api().run("bench/load/ours").history(["train/loss"])["_row"]) != 3 * CALLS:
    raise RuntimeError(f"not all rows arrived: {ours.finish()}")
print(json.dumps({name: [sorted(part)[1] for part in zip(*turns)] for name, turns in found.items()}))
"""


def python_log(folder, _seconds):
    """Both log the same rows in turn, three times; the middle one counts. Ours is sent while it is measured, theirs is written."""
    python = environment(NEWEST) / "bin/python"
    program = folder / "python_log.py"
    program.write_text(PROGRAM)
    with Server(folder) as server:
        env = {"PATH": os.environ["PATH"], "HOME": str(folder), "CAIRN_URL": server.url, "CAIRN_API_KEY_FILE": str(server.key_file),
               "CAIRN_PROJECT": "bench/load", "CAIRN_LIBRARY": str(host.BUILD / "client/libcairn.so"),
               "PYTHONPATH": str(host.TOP / "client/python"), "WANDB_SILENT": "true", "WANDB_DIR": str(folder)}
        done = subprocess.run([python, program, str(CALLS), str(STEP_US)], env=env, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    yield ("python-log", found["ours"][0] / 1e3, "µs", found["theirs"][0] / 1e3)
    yield ("python-log-p99", found["ours"][1] / 1e3, "µs", found["theirs"][1] / 1e3)


FIGURES = dict.fromkeys(("python-log", "python-log-p99"), python_log)
