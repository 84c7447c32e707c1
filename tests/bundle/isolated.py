"""A site without a network: a bare Debian in a network namespace whose only way out is counted and leads nowhere."""
import contextlib
import json
import os
import pathlib
import socket
import subprocess

MOUNTS = ("proc", "dev")
# But for neighbour discovery, by which the kernel itself says that there is an interface.
RULES = """table inet leaving {
	chain out {
		type filter hook output priority 0;
		oifname "out" meta l4proto != ipv6-icmp counter
	}
}
"""


def do(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-6000:]}"
    return done.stdout


class Site:
    """A route leads to the interface `out`, so a program that wants to leave sends something, which nftables counts."""

    def __init__(self, folder, release):
        self.root = pathlib.Path(folder)
        self.name = f"cairn-site-{os.getpid()}-{release}"
        self.mounted, self.started = [], []

    def __enter__(self):
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _make(self):
        for name in MOUNTS:
            do("mount", "--bind", f"/{name}", self.root / name)
            self.mounted.append(self.root / name)
        do("ip", "netns", "add", self.name)
        for words in ("link set lo up", "link add out type veth peer name far", "link set out up", "link set far up",
                      "addr add 192.0.2.1/24 dev out", "route add default via 192.0.2.254 dev out",
                      "-6 route add default dev out"):
            do("ip", "-n", self.name, *words.split())
        do("ip", "netns", "exec", self.name, "nft", "-f", "-",
           input=RULES)
        (self.root / "etc/hosts").write_text(f"127.0.0.1 localhost {socket.gethostname()}\n")  # an installer makes it
        (self.root / "etc/resolv.conf").write_text("nameserver 192.0.2.53\n")  # who looks for a name is counted, too

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
        subprocess.run(["ip", "netns", "del", self.name], check=False, stderr=subprocess.DEVNULL)
        for path in reversed(self.mounted):
            subprocess.run(["umount", path], check=False)

    def command(self, *words, user=None):
        as_user = ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--") if user else ()
        return ("ip", "netns", "exec", self.name, "chroot", str(self.root), *as_user, *map(str, words))

    def run(self, *words, user=None, env=None):
        """Exit status, and all that was printed."""
        done = subprocess.run(self.command(*words, user=user), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=600, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(env or {})})
        return done.returncode, done.stdout

    def fine(self, *words, **options):
        code, said = self.run(*words, **options)
        assert code == 0, f"{words}: {code}\n{said[-6000:]}"
        return said

    def start(self, *words, user=None):
        process = subprocess.Popen(self.command(*words, user=user), stdout=open(self.root / "log", "ab"),
                                   stderr=subprocess.STDOUT, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        self.started.append(process)
        return process

    def log(self):
        return (self.root / "log").read_text(errors="replace")

    def packets_out(self):
        listed = json.loads(do("ip", "netns", "exec", self.name, "nft", "-j", "list", "table", "inet", "leaving"))
        return next(part["counter"]["packets"] for each in listed["nftables"] if "rule" in each
                    for part in each["rule"]["expr"] if "counter" in part)
