"""A terminal of its own for a program: tmux without a user's settings."""
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile

from cluster import wait_until
from probe import PATIENCE_S

HAS_TMUX = shutil.which("tmux") is not None


class Terminal:
    """A program in a terminal of this size; when it has ended, a shell that says "ended: N" waits there."""

    def __init__(self, words, environment, width=80, height=24, term="screen-256color", locale="C.UTF-8"):
        self.folder = tempfile.TemporaryDirectory(prefix="cairn-tmux.")
        self.socket = os.path.join(self.folder.name, "socket")
        script = 'echo before; TERM=$0 "$@"; echo "ended: $?"; exec cat'
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height),
                  "--", "sh", "-c", script, term, *words, env=environment | {"LC_ALL": locale})

    def tmux(self, *words, env=None):
        done = subprocess.run(["tmux", "-S", self.socket, *words], env=env, capture_output=True, text=True, timeout=PATIENCE_S)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def wait(self, *words, without=()):
        """Waits until the screen has all of the words, and returns it."""
        seen = ""

        def has_all():
            nonlocal seen
            seen = self.screen()
            return all(word in seen for word in words) and not any(word in seen for word in without)

        try:
            wait_until(has_all, what=f"{words} on the screen")
        except BaseException:
            print(seen)
            raise
        return seen

    def pid_of(self, name):
        """A process that the terminal's shell started."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        told = subprocess.run(["pgrep", "-P", shell, name], capture_output=True, text=True).stdout.split()
        return int(told[0])

    def option(self, name):
        """Whether a mode of the terminal is on, such as alternate_on or mouse_any_flag."""
        return self.tmux("display-message", "-p", f"#{{{name}}}").strip() == "1"

    def close(self):
        """Kills the program, too: what a sanitizer does when it is only hung up on may take forever."""
        shell = subprocess.run(["tmux", "-S", self.socket, "display-message", "-p", "#{pane_pid}"], capture_output=True, text=True)
        if shell.returncode == 0 and shell.stdout.strip():
            for pid in subprocess.run(["pgrep", "-s", shell.stdout.strip()], capture_output=True, text=True).stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)
        self.folder.cleanup()
