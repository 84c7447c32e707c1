#!/usr/bin/env python3
"""A real training into a running server, one of its processes killed on the way, and what the server
tells of it afterwards. Started by scripts/quickstart; exit status 0 only if all that is said is true.
"""
import argparse
import os
import pathlib
import re
import secrets
import signal
import subprocess
import sys
import time

from rest import Rest
from show import Show

RANKS = 4
EPOCHS = 64
STEPS_PER_EPOCH = 22      # 1,437 training images in batches of 64
PACE_MS = 36
LOST_AFTER_S = 20
VICTIM = "rank2"
KILL_AT_STEP = 350
END_WITHIN_S = 30         # of the last process


class Training:
    def __init__(self, arguments):
        self.rest = Rest(arguments.url, arguments.key_file)
        self.bin = pathlib.Path(arguments.bin)
        self.state = pathlib.Path(arguments.state)
        self.entity = self.rest.get("/viewer")["default_entity"]
        self.project = f"{self.entity}/digits"
        self.run_id = "digits-" + secrets.token_hex(3)
        self.run = f"/projects/{self.project}/runs/{self.run_id}"
        self.steps = EPOCHS * STEPS_PER_EPOCH
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("CAIRN_")}
        self.environment.update(CAIRN_URL=arguments.url, CAIRN_API_KEY_FILE=arguments.key_file,
                                CAIRN_PROJECT=self.project, CAIRN_SAMPLE_INTERVAL="1")
        self.checkpoint = self.state / "digits.checkpoint"
        self.log = self.state / "digits.log"
        self.processes = []
        self.killed_at = None
        self.lost_after_s = None

    def start(self, program, *options):
        """In a session of its own, so that its ranks can be ended with it."""
        log = open(self.log, "a", encoding="utf-8")
        process = subprocess.Popen([str(self.bin / program), *map(str, options)], stdout=log,
                                   stderr=subprocess.STDOUT, env=self.environment, start_new_session=True)
        self.processes.append(process)
        return process

    def end_all(self):
        """What has not ended by itself."""
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def prepare(self):
        self.checkpoint.unlink(missing_ok=True)
        self.log.write_text("")
        made = self.rest.put(f"/projects/{self.project}", {"crash_after_s": LOST_AFTER_S})
        self.lost_after_s = made["crash_after_s"]   # an older project keeps its own
        print(f"Project {self.project}: a process that is silent for {self.lost_after_s} s is shown as lost\n"
              f"(the limit is 300 s unless a project says otherwise; this one is short for the show).")

    def pid_of_victim(self):
        rank = VICTIM.removeprefix("rank")
        found = re.search(rf"^rank {rank} of \d+: process (\d+)", self.log.read_text(), re.M)
        return int(found.group(1)) if found else None

    def is_known(self, label):
        """The server has something of all that it sends: a machine may be slow to begin."""
        writers = self.rest.get(self.run + "/writers")["items"]
        return any(w["label"] == label and w["history_rows"] and w["event_rows"] and w["console_lines"]
                   for w in writers)

    def kill_victim(self, step):
        """kill -9 of one process; nobody has told the others, or the server."""
        pid = self.pid_of_victim()
        os.kill(pid, signal.SIGKILL)
        self.killed_at = time.monotonic()
        print(f"  step {step:5}  kill -9 {pid}   ({VICTIM}, process {pid})", flush=True)

    def tell(self, run):
        """One line of what the server knows now."""
        summary = self.rest.get(self.run + "/summary")
        writers = self.rest.get(self.run + "/writers")["items"]
        states = " ".join(f"{w['label']}:{w['state']}" for w in sorted(writers, key=lambda w: w["label"]))
        numbers = " ".join(f"{key} {summary[key]:.4f}" for key in ("loss", "accuracy", "test/accuracy")
                           if key in summary)
        print(f"  step {run['last_step'] or 0:5}  {numbers}\n              {states}", flush=True)

    def follow(self, digits):
        """Looks at the run through the server until the training's own process has ended."""
        next_line = 0
        while digits.poll() is None:
            run = self.rest.find(self.run)
            step = run["last_step"] or 0 if run else 0
            if self.killed_at is None and step >= KILL_AT_STEP and self.pid_of_victim() and self.is_known(VICTIM):
                self.kill_victim(step)
            if run and run["last_step"] is not None and time.monotonic() >= next_line:
                self.tell(run)
                next_line = time.monotonic() + 6
            time.sleep(0.2)

    def await_end(self):
        """The server learns of the last finish a moment after the process has ended."""
        end = time.monotonic() + END_WITHIN_S
        while time.monotonic() < end:
            writers = {w["label"]: w["state"] for w in self.rest.get(self.run + "/writers")["items"]}
            over = all(state == ("lost" if label == VICTIM else "ended") for label, state in writers.items())
            if over and self.rest.get(self.run)["state"] != "running":
                return
            time.sleep(0.2)

    def train(self):
        print(f"\n{RANKS} processes train a network on handwritten digits into one run, {self.run_id};\n"
              f"a fifth, eval, joins the running run by its id.\n", flush=True)
        options = ["--run", self.run_id, "--project", self.project, "--checkpoint", self.checkpoint]
        digits = self.start("digits", "--ranks", RANKS, "--epochs", EPOCHS, "--pace-ms", PACE_MS, *options)
        try:
            while digits.poll() is None and not self.rest.find(self.run):
                time.sleep(0.1)
            evaluator = self.start("digits-eval", *options)
            self.follow(digits)
            self.wait(evaluator)
        finally:
            self.end_all()
        self.await_end()
        return digits.returncode, evaluator.returncode

    @staticmethod
    def wait(evaluator):
        """It ends with the last checkpoint; if not, it is ended, and its status tells."""
        try:
            evaluator.wait(60)
        except subprocess.TimeoutExpired:
            print("  the evaluator has not ended 60 s after the training")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--url", "--key-file", "--bin", "--state"):
        parser.add_argument(name, required=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))    # not without ending what we started
    try:
        return train_and_show(parser.parse_args())
    except KeyboardInterrupt:
        print("\nInterrupted: the training is stopped. All data logged so far is stored.")
        return 130
    except OSError as error:    # urllib's errors are among them
        print(f"\nCannot follow the training to its end: {error}")
        return 1


def train_and_show(arguments):
    training = Training(arguments)
    training.prepare()
    results = training.train()
    show = Show(training.rest, training.run, steps=training.steps, ranks=RANKS, victim=VICTIM)
    show.claim(results == (0, 0), f"the programs ended with {results}, not (0, 0)")
    show.claim(training.lost_after_s == LOST_AFTER_S,
               f"the project's limit is {training.lost_after_s} s, not {LOST_AFTER_S} s")
    show.claim(training.killed_at is not None, "nobody was killed")
    show.all()
    if show.wrong:
        print(f"\nThe programs' own output is in {training.log}.")
    return 1 if show.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
