"""Google's TPUs: the sampler asks a real gRPC server that answers as libtpu's metric service does, and servers that misbehave."""
import concurrent.futures
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import threading
import time

import grpc
import pytest

SAMPLER = os.environ["CAIRN_SAMPLER"]
METHOD = "/tpu.monitoring.runtime.RuntimeMetricService/GetRuntimeMetric"
PATIENCE_S = 120
USAGE, TOTAL, DUTY = ("tpu.runtime.hbm.memory.usage.bytes", "tpu.runtime.hbm.memory.total.bytes",
                      "tpu.runtime.tensorcore.dutycycle.percent")


def varint(number):
    out = b""
    while True:
        out += bytes([number & 0x7f | (0x80 if number > 0x7f else 0)])
        number >>= 7
        if not number:
            return out


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def metric(device, value):
    """A gauge of a device: an integer, or a float."""
    attribute = field(1, b"device-id") + field(2, varint(3 << 3) + varint(device))
    gauge = varint(2 << 3) + varint(value) if isinstance(value, int) else varint(1 << 3 | 1) + struct.pack("<d", value)
    return field(1, attribute) + field(3, gauge)


def response(metrics):
    return field(1, b"".join(field(3, one) for one in metrics))


class Service(grpc.GenericRpcHandler):
    """Answers by a table of metrics that a test may change; a function is called for its answer."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    def service(self, details):
        if details.method == METHOD:
            return grpc.unary_unary_rpc_method_handler(self.answer)
        return None

    def answer(self, request, context):
        name = request[2:].decode()
        self.asked.append(name)
        if name not in self.answers:
            context.abort(grpc.StatusCode.NOT_FOUND, f"no metric {name}")
        answer = self.answers[name]
        return answer() if callable(answer) else answer


class Server:
    def __init__(self, answers, port=0):
        self.service = Service(answers)
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(2), options=[("grpc.so_reuseport", 0)])
        self.server.add_generic_rpc_handlers((self.service,))
        self.port = self.server.add_insecure_port(f"127.0.0.1:{port}")
        self.server.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.server.stop(None).wait()


@pytest.fixture(name="machine")
def make_machine(tmp_path):
    """A folder like /sys with one v6e; a test may write another chip."""
    write_chip(tmp_path, "0x006f", "0x0001")
    return tmp_path


def write_chip(root, device, subsystem, address="0000:00:05.0"):
    folder = root / "sys/bus/pci/devices" / address
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("vendor", "0x1ae0"), ("device", device), ("subsystem_device", subsystem)):
        (folder / name).write_text(text + "\n")


class Sampler:
    """cairn-sampler at ten rows a second."""

    def __init__(self, machine, ports, *options, env=None):
        self.process = subprocess.Popen(
            [SAMPLER, "--interval", "0.1", "--sys-root", machine / "sys", "--dev-root", machine, "--tool-path", "/nowhere",
             *(["--tpu-ports", ",".join(map(str, ports))] if ports else []), *options], stdout=subprocess.PIPE, text=True, env=env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()
        assert self.process.returncode == 0

    def rows(self):
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            yield json.loads(self.process.stdout.readline())
        pytest.fail("no such row")

    def row_with(self, *names):
        """A row that has all of them: an answer that is late is missing in one."""
        return next(row for row in self.rows() if row.keys() >= {*names})

    def row_without(self, name):
        return next(row for row in self.rows() if name not in row)


def tpu(row):
    return {name: value for name, value in row.items() if name.startswith("tpu.")}


def test_names_of_all_releases(machine):
    answers = {USAGE: response([metric(8, 5 << 30), metric(13, 1 << 30)]), TOTAL: response([metric(8, 20 << 30), metric(13, 20 << 30)]),
               DUTY: response([metric(8, 99.5)])}
    with Server(answers) as server, Sampler(machine, [server.port]) as sampler:
        row = sampler.row_with("tpu.8.dutyCycle", "tpu.8.memoryUsage", "tpu.13.memoryUsage")
        assert tpu(row) == {
            "tpu.8.memoryUsageBytes": 5 << 30, "tpu.8.hbmCapacityUsage": 5 << 30, "tpu.8.hbmCapacityTotal": 20 << 30,
            "tpu.8.memoryUsage": 25, "tpu.8.hbmMemoryUsage": 25, "tpu.8.dutyCycle": 99.5,
            "tpu.13.memoryUsageBytes": 1 << 30, "tpu.13.hbmCapacityUsage": 1 << 30, "tpu.13.hbmCapacityTotal": 20 << 30,
            "tpu.13.memoryUsage": 5, "tpu.13.hbmMemoryUsage": 5}


def test_recorded_answers(machine):
    folder = pathlib.Path(__file__).parent / "fixtures/tpu"
    answers = {path.name.removesuffix(".bin"): path.read_bytes() for path in folder.iterdir()}
    with Server(answers) as server, Sampler(machine, [server.port]) as sampler:
        row = sampler.row_with("tpu.hloExecTiming.0-tensor_core-0.p50Us", "tpu.8.hbmCapacityTotal", "tpu.12.dutyCycle")
        assert row["tpu.8.hbmCapacityTotal"] == int(31.25 * (1 << 30))
        assert row["tpu.12.dutyCycle"] == 100
        assert row["tpu.hloExecTiming.0-tensor_core-0.meanUs"] == 118.5
        # 100 + 300 of 1,000 lie below the bucket from 40 to 80, which holds 400.
        assert row["tpu.hloExecTiming.0-tensor_core-0.p50Us"] == pytest.approx(50)


def test_a_chip_answers_for_both_cores(machine):
    write_chip(machine, "0x0027", "0x004f")
    with Server({DUTY: response([metric(3, 50.0)]), USAGE: response([metric(6, 7)])}) as server, Sampler(machine, [server.port]) as sampler:
        row = sampler.row_with("tpu.6.dutyCycle", "tpu.6.memoryUsageBytes")
        assert row["tpu.7.dutyCycle"] == 50
        assert row["tpu.6.memoryUsageBytes"] == 7
        assert "tpu.3.dutyCycle" not in row


def test_names_of_the_docs(machine):
    """Each name that docs/metrics.md has is measured, and no other."""
    text = (pathlib.Path(__file__).parents[2] / "docs/metrics.md").read_text()
    section = text.split("## Google TPUs")[1].split("\n## ")[0]
    cells = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    documented = {name for cell in cells for name in re.findall("`([^`]+)`", cell[1])}
    recorded = pathlib.Path(__file__).parent / "fixtures/tpu"
    timing = (recorded / "hlo.execution.timing.distribution.microseconds.bin").read_bytes()
    answers = {re.findall("`([^`]+)`", cell[4])[0]: response([metric(0, 4)]) for cell in cells if "`" in cell[4]}
    answers["hlo.execution.timing.distribution.microseconds"] = timing
    with Server(answers) as server, Sampler(machine, [server.port]) as sampler:
        most = set()
        for row in sampler.rows():  # an answer that is late is missing in a row
            most |= {re.sub(r"^tpu\.\d+\.", "tpu.{i}.", re.sub(r"(item_0|0-tensor_core-0)", "{label}", name)) for name in tpu(row)}
            if most >= documented:
                break
        assert most == documented


def test_several_programs(machine):
    with Server({DUTY: response([metric(0, 10.0)])}) as one, Server({DUTY: response([metric(1, 20.0)])}) as two:
        with Sampler(machine, [one.port, two.port]) as sampler:
            row = sampler.row_with("tpu.1.dutyCycle", "tpu.0.dutyCycle")
            assert row["tpu.0.dutyCycle"] == 10


def test_a_metric_that_is_missing_is_asked_less_and_less(machine):
    with Server({DUTY: response([metric(0, 1.0)])}) as server, Sampler(machine, [server.port]) as sampler:
        while server.service.asked.count(DUTY) < 12:
            sampler.row_with("tpu.0.dutyCycle")
        assert 2 <= server.service.asked.count(USAGE) <= 5
        server.service.answers[USAGE] = response([metric(0, 7)])
        sampler.row_with("tpu.0.memoryUsageBytes")


def test_a_port_that_is_named_twice(machine):
    with Server({DUTY: response([metric(0, 1.0)])}) as server, Sampler(machine, [server.port, server.port]) as sampler:
        for _ in range(3):
            sampler.row_with("tpu.0.dutyCycle")
        assert server.service.asked.count(DUTY) <= 4


def test_an_environment_that_is_too_long(machine):
    with Sampler(machine, [], env={**os.environ, "TPU_RUNTIME_METRICS_PORTS": "8431," * 100}) as sampler:
        sampler.row_with("memory_percent")


def test_a_large_answer(machine):
    """More than the default window of 64 KiB, and than one frame."""
    metrics = [metric(device, 1.5) for device in range(200)]
    large = response(metrics + [field(99, b"x" * 300000)])
    with Server({DUTY: large}) as server, Sampler(machine, [server.port]) as sampler:
        assert sampler.row_with("tpu.199.dutyCycle")["tpu.0.dutyCycle"] == 1.5


def test_a_program_comes_and_goes(machine):
    server = Server({DUTY: response([metric(0, 1.0)])})
    with Sampler(machine, [server.port]) as sampler:
        sampler.row_with("tpu.0.dutyCycle")
        server.stop()
        sampler.row_without("tpu.0.dutyCycle")
        with Server({DUTY: response([metric(0, 2.0)])}, server.port) as again:
            assert again.port == server.port
            assert sampler.row_with("tpu.0.dutyCycle")["tpu.0.dutyCycle"] == 2


def test_a_slow_answer_holds_nothing_up(machine):
    release = threading.Event()

    def wait():
        release.wait(PATIENCE_S)
        return response([metric(0, 1.0)])

    with Server({USAGE: wait, DUTY: response([metric(0, 1.0)])}) as server, Sampler(machine, [server.port]) as sampler:
        row = sampler.row_with("memory_percent")
        assert not tpu(row)
        release.set()
        sampler.row_with("tpu.0.dutyCycle")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 64,
                                    b"\x00\x40\x01\x00\x00\x00\x00\x00\x01" + b"x" * 16385,  # a frame beyond the limit
                                    b"\x00\x00\x08\x07\x00\x00\x00\x00\x00" + b"\0" * 8,  # GOAWAY
                                    b"\x00\x00\x00\x00\x08\x00\x00\x00\x01"],  # padded, without the length of the padding
                         ids=["closed", "http1", "noise", "frame", "goaway", "padding"])
def test_what_is_no_service(machine, answer):
    listener = socket.create_server(("127.0.0.1", 0))
    accepted = []

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            accepted.append(connection)
            connection.recv(65536)
            connection.sendall(answer)
            connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    with Sampler(machine, [listener.getsockname()[1]]) as sampler:
        for row in sampler.rows():
            assert not tpu(row)
            if len(accepted) >= 2:
                break
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def test_no_chip(tmp_path):
    (tmp_path / "sys").mkdir()
    with Server({DUTY: response([metric(0, 1.0)])}) as server:
        text = subprocess.run([SAMPLER, "--explain", "--sys-root", tmp_path / "sys", "--tpu-ports", str(server.port)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        assert f"tpu: none: no TPU of vendor 0x1ae0 in {tmp_path}/sys/bus/pci/devices\n" in text
        assert not server.service.asked


def test_metadata(machine):
    write_chip(machine, "0x0062", "0x0001")
    write_chip(machine, "0x0062", "0x0001", "0000:00:06.0")
    text = subprocess.run([SAMPLER, "--metadata", "--sys-root", machine / "sys"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert json.loads(text)["tpu"] == {"name": "v5p", "hbmGib": 95, "devicesPerChip": 1, "count": 2}
