"""Sites without a network: a network namespace whose only way out is counted and leads nowhere."""
import contextlib
import json
import os
import pathlib
import socket
import subprocess

from containers import Engine

MOUNTS = ("proc", "dev")
# Counts the packets of programs, and of containers through the engine's bridge. Neighbour discovery is left out: the kernel itself
# sends it when an interface comes up.
RULES = """table inet leaving {
	chain out {
		type filter hook postrouting priority 0;
		oifname "out" meta l4proto != ipv6-icmp counter
	}
}
"""


def do(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-6000:]}"
    return done.stdout


class Network:
    """A route leads to the interface `out`, so a program that wants to leave sends something, which nftables counts."""

    def __init__(self, name):
        self.name = f"cairn-site-{os.getpid()}-{name}"

    def __enter__(self):
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _make(self):
        do("ip", "netns", "add", self.name)
        for words in ("link set lo up", "link add out type veth peer name far", "link set out up", "link set far up",
                      "addr add 192.0.2.1/24 dev out", "route add default via 192.0.2.254 dev out",
                      "-6 route add default dev out"):
            do("ip", "-n", self.name, *words.split())
        do(*self.enter(), "nft", "-f", "-", input=RULES)

    def __exit__(self, *_):
        subprocess.run(["ip", "netns", "del", self.name], check=False, stderr=subprocess.DEVNULL)

    def enter(self):
        """The words to put before a command. `ip netns exec` would hide the control groups."""
        return ("nsenter", f"--net=/run/netns/{self.name}")

    def packets_out(self):
        listed = json.loads(do(*self.enter(), "nft", "-j", "list", "table", "inet", "leaving"))
        return next(part["counter"]["packets"] for each in listed["nftables"] if "rule" in each
                    for part in each["rule"]["expr"] if "counter" in part)

    def is_ready(self, port=8080):
        """Whether the server answers so; older ones have no command that asks."""
        words = ("curl", "-fs", "-o", "/dev/null", f"http://127.0.0.1:{port}/ready")
        return subprocess.run([*self.enter(), *words], check=False).returncode == 0

    def send_a_packet(self):
        subprocess.run([*self.enter(), "bash", "-c", "echo > /dev/udp/192.0.2.9/9"], check=False)


class Site(Network):
    """A bare Debian in one."""

    def __init__(self, folder, release):
        super().__init__(release)
        self.root, self.release = pathlib.Path(folder), release
        self.mounted, self.started = [], []

    def _make(self):
        for name in MOUNTS:
            do("mount", "--bind", f"/{name}", self.root / name)
            self.mounted.append(self.root / name)
        super()._make()
        (self.root / "etc/hosts").write_text(f"127.0.0.1 localhost {socket.gethostname()}\n")  # an installer makes it
        (self.root / "etc/resolv.conf").write_text("nameserver 192.0.2.53\n")  # who looks for a name is counted, too

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
        super().__exit__()
        for path in reversed(self.mounted):
            subprocess.run(["umount", path], check=False)

    def command(self, *words, user=None):
        as_user = ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--") if user else ()
        return (*self.enter(), "chroot", str(self.root), *as_user, *map(str, words))

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


class EngineSite(Network):
    """This machine's files, and a Docker engine without an image, in one."""

    def __init__(self, folder, plugins):
        super().__init__("docker")
        self.folder, self.process = folder, None
        self.engine = Engine(folder)
        (folder / "cfg").mkdir()
        (folder / "cfg/cli-plugins").symlink_to(plugins)

    def _make(self):
        super()._make()
        self.process = subprocess.Popen(
            [*self.enter(), "dockerd", "--data-root", self.folder / "data", "--exec-root", self.folder / "exec", "-p", self.folder / "pid",
             "-H", f"unix://{self.folder}/docker.sock"], stdout=open(self.folder / "log", "w"), stderr=subprocess.STDOUT)

    def answers(self):
        assert self.process.poll() is None, (self.folder / "log").read_text()[-4000:]
        return self.engine.try_("info").returncode == 0

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            self.process.wait(120)
        super().__exit__()

    def fine(self, *words, **options):
        return do(*self.enter(), *map(str, words), env=self.engine.env, timeout=900, **options)
