"""The sampler with all sources that can be imitated: eight GPUs of AMD's, IPUs, Trainium, InfiniBand, sensors, an endpoint of metrics
with 500 series, and a process tree of 200. Processes are real; devices are folders like those of the kernel, and tools that print
what a real one printed. What the tools use themselves is not the sampler's."""
import contextlib
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

import host

FIXTURES = host.TOP / "tests/sampler/fixtures"
PROCESSES, GPUS, PORTS, SERIES = 200, 8, 8, 500
RATES = {"sampler-all-15s": 15, "sampler-all-1hz": 1}
LEAST_S = 61  # four samples at 15 s
PLAIN_TICKS = 5
CARD = {
    "vendor": "0x1002", "gpu_busy_percent": "37", "mem_busy_percent": "12", "mem_info_vram_used": "17163091968",
    "mem_info_vram_total": "68702699520", "pp_mclk_od": "0", "ras/umc_err_count": "ue: 0\nce: 0",
    **{f"hwmon/hwmon1/{name}": value for name, value in {
        "name": "amdgpu", "temp1_label": "edge", "temp1_input": "41000", "temp2_label": "junction", "temp2_input": "47000",
        "temp3_label": "mem", "temp3_input": "52000", "power1_average": "120000000", "power1_cap": "300000000",
        "freq1_input": "1700000000", "freq2_input": "1600000000"}.items()}}
COUNTERS = ("port_rcv_data", "port_xmit_data", "port_rcv_errors", "link_downed")
TEXT = "".join(f"# TYPE metric_{n % 20} gauge\n" * (n < 20) + f'metric_{n % 20}{{device="{n // 20}",host="a"}} {n}.5\n'
               for n in sorted(range(SERIES), key=lambda n: n % 20)).encode()


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="ascii")


def write_tools(folder, pid):
    """What they print is of the process."""
    ipu = (FIXTURES / "ipu/gc-info_C2.txt").read_text(encoding="utf-8")
    (folder / "ipu").write_text(re.sub(r"(user process id: *)\d+", rf"\g<1>{pid}", ipu), encoding="utf-8")
    trn = (FIXTURES / "neuron_monitor/trn1.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (folder / "trn").write_text(re.sub(r'("pid": *)\d+', rf"\g<1>{pid}", trn) + "\n", encoding="utf-8")
    tools = {"gc-info": f"case $1 in --list-devices) echo '-+- Id: [0], target: [PCIe]';; *) cat {folder}/ipu;; esac",
             "neuron-monitor": f"while :; do cat {folder}/trn; sleep 1; done"}
    for name, script in tools.items():
        write(folder / "bin" / name, f"#!/bin/sh\n{script}")
        (folder / "bin" / name).chmod(0o755)


def write_machine(folder):
    """Folders like /sys and /dev."""
    shutil.copytree(FIXTURES / "machine/sys", folder / "sys")
    for card in range(GPUS):
        device = folder / f"sys/class/drm/card{card}/device"
        for name, text in {**CARD, "uevent": f"PCI_SLOT_NAME=0000:{card + 3:02x}:00.0"}.items():
            write(device / name, text)
    for port in range(PORTS):
        for counter in COUNTERS:
            write(folder / f"sys/class/infiniband/mlx5_{port}/ports/1/counters/{counter}", "123456789")
    write(folder / "sys/class/hwmon/hwmon0/name", "coretemp")
    for sensor in range(1, 33):
        write(folder / f"sys/class/hwmon/hwmon0/temp{sensor}_input", "45000")
    write(folder / "sys/bus/pci/devices/0000:81:00.0/vendor", "0x1d95")
    write(folder / "dev/neuron0", "")


class Metrics(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(TEXT)))
        self.end_headers()
        self.wfile.write(TEXT)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def endpoint():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Metrics) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/metrics"
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def tree():
    """The pid of a process with as many descendants."""
    script = f"for i in $(seq {PROCESSES - 1}); do sleep 100000 & done; echo; wait"
    process = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, process_group=0)
    try:
        process.stdout.readline()
        yield process.pid
    finally:
        os.killpg(process.pid, 9)
        process.wait()
        process.stdout.close()


def start(interval, folder, pid, url):
    out = open(folder / f"rows-{interval}", "w", encoding="utf-8")
    return subprocess.Popen(
        [host.SAMPLER, "--interval", str(interval), "--pid", str(pid), "--sys-root", folder / "sys", "--dev-root", folder / "dev",
         "--tool-path", folder / "bin", "--per-core", "--open-metrics", f"all={url}"], stdout=out)


def check(folder, interval):
    """All sources are there, or the figure is of something else."""
    with open(folder / f"rows-{interval}", encoding="utf-8") as file:
        rows = file.read()
    for name in ("gpu.7.temp", "infiniband.mlx5_7.1.recv", "cpu.temp", "ipu.0.", "trn.0.", "openmetrics.all.metric_19.24", "proc.cpu.threads\":200"):
        if name not in rows:
            raise RuntimeError(f"the sampler has no {name}")


def plain_tick(folder, url, nowhere):
    """The same facts by programs that everyone has."""
    cards = folder / "sys/class/drm"
    script = (f"ps -e -o pid,ppid,pcpu,rss,nlwp; cat /proc/meminfo /proc/net/dev /proc/diskstats /proc/stat; df -k /; "
              f"cat {cards}/card*/device/gpu_* {cards}/card*/device/mem_* {cards}/card*/device/hwmon/hwmon1/*; "
              f"cat {folder}/sys/class/infiniband/*/ports/1/counters/*; curl -s {url}")
    subprocess.run(["sh", "-c", script], stdout=nowhere, check=True)


def plain_seconds(folder, url):
    """CPU seconds of one tick."""
    with open(os.devnull, "w", encoding="ascii") as nowhere:
        before = os.times()
        for _ in range(PLAIN_TICKS):
            plain_tick(folder, url, nowhere)
        after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent / PLAIN_TICKS


def sampler_all(_folder, seconds):
    """The process's own CPU time, at both rates at once."""
    seconds = max(seconds, LEAST_S)
    with tempfile.TemporaryDirectory(prefix="cairn-bench-") as name, endpoint() as url, tree() as pid:
        folder = pathlib.Path(name)
        write_machine(folder)
        write_tools(folder, pid)
        processes = {figure: start(interval, folder, pid, url) for figure, interval in RATES.items()}
        time.sleep(3)
        before = {figure: host.cpu_seconds_alone(process.pid) for figure, process in processes.items()}
        time.sleep(seconds)
        used = {figure: host.cpu_seconds_alone(process.pid) - before[figure] for figure, process in processes.items()}
        for process in processes.values():
            process.terminate()
            process.wait()
        for interval in RATES.values():
            check(folder, interval)
        plain = plain_seconds(folder, url)
    for figure, interval in RATES.items():
        yield (figure, used[figure] / seconds * 100, "% of a core", plain / interval * 100)


FIGURES = dict.fromkeys(RATES, sampler_all)
