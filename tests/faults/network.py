"""Two network namespaces and a bad line between them.

Each namespace has a TUN device; a thread carries packets from one to the other, loses some and keeps
the others for a while. TCP is the kernel's on both ends. No netem is needed, which kernels may lack.
"""
import collections
import contextlib
import ctypes
import fcntl
import heapq
import itertools
import os
import random
import secrets
import select
import struct
import subprocess
import threading
import time

from proxy import Proxy

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
NEAR, FAR = "10.99.0.1", "10.99.0.2"
_numbers = itertools.count(1)


def may_run():
    """Why there can be no such network here; None when there can."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    if not os.path.exists("/dev/net/tun"):
        return "no TUN devices"
    return None


def ip(*args):
    subprocess.run(["ip", *args], check=True)


def enter(namespace):
    """This thread's sockets belong to the namespace from now on."""
    with open(f"/run/netns/{namespace}") as f:
        if ctypes.CDLL(None, use_errno=True).setns(f.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")


class Namespace:
    def __init__(self, stack, address, peer):
        self.name = f"cairn-{secrets.token_hex(4)}-{next(_numbers)}"
        ip("netns", "add", self.name)
        stack.callback(ip, "netns", "delete", self.name)
        maker = threading.Thread(target=self._make_device)
        maker.start()
        maker.join()
        stack.callback(os.close, self.tun)
        ip("-n", self.name, "link", "set", "lo", "up")
        ip("-n", self.name, "addr", "add", address, "peer", peer, "dev", "line")
        ip("-n", self.name, "link", "set", "line", "up")

    def _make_device(self):
        """A device belongs to the namespace of the thread that opens it."""
        enter(self.name)
        self.tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.tun, TUNSETIFF, struct.pack("16sH22x", b"line", IFF_TUN | IFF_NO_PI))

    @property
    def prefix(self):
        return ("ip", "netns", "exec", self.name)


class Line:
    """Between `near`, where the server is, and `far`, where the clients are."""

    def __init__(self, stack, loss=0.2, delay_s=0.2):
        self.loss, self.delay_s = loss, delay_s
        self.counts = collections.Counter()
        self.near, self.far = Namespace(stack, NEAR, FAR), Namespace(stack, FAR, NEAR)
        self.stopping = False
        self.thread = threading.Thread(target=self._carry, daemon=True)
        self.thread.start()
        stack.callback(self._stop)

    def _stop(self):
        self.stopping = True
        self.thread.join()

    def _carry(self):
        chance, numbers, under_way = random.Random(7), itertools.count(), []
        other = {self.near.tun: self.far.tun, self.far.tun: self.near.tun}
        while not self.stopping:
            wait = under_way[0][0] - time.monotonic() if under_way else 0.1
            for tun in select.select(list(other), [], [], max(0, min(wait, 0.1)))[0]:
                packet = os.read(tun, 1 << 16)
                if chance.random() < self.loss:
                    self.counts["packets lost"] += 1
                    continue
                self.counts["packets delayed"] += 1
                heapq.heappush(under_way, (time.monotonic() + self.delay_s, next(numbers), other[tun], packet))
            while under_way and under_way[0][0] <= time.monotonic():
                _, _, tun, packet = heapq.heappop(under_way)
                with contextlib.suppress(OSError):  # nobody is there any more
                    os.write(tun, packet)


class Door(Proxy):
    """Listens where it is made; its connections to the servers begin in the namespace."""

    def __init__(self, servers, namespace):
        self.namespace = namespace
        super().__init__(servers)

    def _run(self):
        enter(self.namespace)
        super()._run()


class Gate:
    """
    A server at the near end of a bad line: it moves into the near namespace, the writers into the far
    one. Who checks is in neither, and comes through a proxy whose connections begin in the near one.
    """

    def __init__(self, stack, server):
        self.line = Line(stack)
        self.far, self.host, self.counts = self.line.far, NEAR, self.line.counts
        server.stop()
        server.prefix, server.address = self.line.near.prefix, "0.0.0.0"
        server.start(server.port)
        self.port = server.port
        self.door = Door([server], self.line.near.name)
        stack.callback(self.door.stop)
