"""What the measurements stand on: processes and their times, disks, programs."""
import contextlib
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / "build/release"
CAIRND = BUILD / "server/cairnd"
LOAD = BUILD / "tests/load"
SAMPLER = BUILD / "sampler/command/cairn-sampler"
TICK = os.sysconf("SC_CLK_TCK")
SYNCS = 200


def build(*targets):
    """Brings the release build up to date, or only these targets of it."""
    print("Building; the output is in build/release.log.", file=sys.stderr, flush=True)
    words = f"build_targets release {' '.join(targets)}" if targets else "build release"
    subprocess.run(["bash", "-c", f"set -euo pipefail; . scripts/lib.sh; {words}"], cwd=TOP, check=True)


def stat_fields(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()


def family(pid):
    """The process and all its descendants."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parents.setdefault(int(stat_fields(entry)[1]), []).append(int(entry))
            except OSError:
                pass
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo += parents.get(found[-1], [])
    return found


def cpu_seconds(pid):
    """Of the family, with children that have ended and were waited for."""
    ticks = 0
    for member in family(pid):
        try:
            ticks += sum(int(field) for field in stat_fields(member)[11:15])
        except OSError:
            pass
    return ticks / TICK


def cpu_seconds_alone(pid):
    """Of one process, to the nanosecond where the kernel counts them."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def memory_mib(pid, what):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(what):
                return int(line.split()[1]) / 1024
    raise ValueError(f"process {pid} has no memory")


def resident_mib(pid):
    return memory_mib(pid, "VmRSS:")


def most_resident_mib(pid):
    """Since it was started."""
    return memory_mib(pid, "VmHWM:")


def sync_ms(folder):
    """What PostgreSQL waits for at each commit: 8 KiB of a file over again and on the disk, median of many."""
    times = []
    with open(pathlib.Path(folder) / "sync", "wb", buffering=0) as file:
        for _ in range(SYNCS):
            file.seek(0)
            began = time.perf_counter()
            file.write(b"s" * 8192)
            os.fdatasync(file.fileno())
            times.append((time.perf_counter() - began) * 1e3)
    os.unlink(file.name)
    return statistics.median(times)


def stolen():
    """Time that the processors ran others of the host instead of us, and all their time."""
    with open("/proc/stat", encoding="ascii") as file:
        times = [int(field) for field in file.readline().split()[1:9]]
    return times[7], sum(times)


@contextlib.contextmanager
def many_files():
    """As many open files as the system allows, for this process and those that it starts."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


def filesystem_of(path):
    done = subprocess.run(["stat", "-f", "-c", "%T", str(path)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def postgres_bindir():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"),
                   key=lambda p: int(p.parts[-3]))
    return found[-1].parent if found else pathlib.Path(shutil.which("postgres")).parent


def as_postgres():
    """What runs a command as the user of the database when we are root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]
