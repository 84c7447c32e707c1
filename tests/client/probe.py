"""A host program that logs by libcairn, driven by the test (probe.c)."""
import json
import os
import subprocess

PATIENCE_S = 120  # of whoever waits for what is to come; a machine may stand still for a while
PATIENCE_MS = PATIENCE_S * 1000

TRIES = 5


def once_in_time(attempt):
    """One attempt of some is as quick as it says: the machine may stand still at the others, a limit that does not
    hold breaks at each."""
    assert any(attempt() for _ in range(TRIES)), f"{TRIES} attempts, all too late"


class Probe:
    def __init__(self, environment, program=None):
        self.allowed = (0,)
        self.process = subprocess.Popen([program or os.environ["CAIRN_TEST_PROBE"]], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment)

    def ask(self, *words):
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the probe died: {self.process.stderr.read()}"
        return json.loads(line)

    def start(self):
        answer = self.ask("start")
        assert answer["result"] == "ok", answer
        return answer

    def finish(self, code=0, timeout_ms=PATIENCE_MS):
        return self.ask("finish", code, timeout_ms)

    def end(self):
        """End of input: the probe returns from main. Sanitizers speak on stderr."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(PATIENCE_S)
        errors = self.process.stderr.read()
        return status, errors

    def check(self):
        """It ended as it should, whatever the test did with it."""
        if self.process.poll() is None:
            self.end()
        assert self.process.returncode in self.allowed, self.process.stderr.read()


def environment_of(url, key):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("CAIRN_") or name.startswith("CAIRN_TEST_")}
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        environment.pop(name, None)
    environment.update({
        "CAIRN_URL": url, "CAIRN_API_KEY": key, "CAIRN_PROJECT": "e/p", "CAIRN_RUN": "r1",
        "CAIRN_SAMPLE_INTERVAL": "0", "CAIRN_FLUSH_MS": "20", "CAIRN_RETRY_MAX_MS": "200",
        "HOME": "/nonexistent", "CAIRN_SPOOL": "off",
        # What is joined within fork() is hidden from the thread sanitizer.
        "TSAN_OPTIONS": "die_after_fork=0 report_thread_leaks=0 " + os.environ.get("TSAN_OPTIONS", "")})
    return environment
