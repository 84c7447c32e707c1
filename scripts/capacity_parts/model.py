"""The model: processors by requests and points, memory by connections, disk by points."""
import dataclasses
import math
import pathlib
import tomllib

# The settings of a server as it comes (server/config/config_settings.c).
WORKERS, FLUSHERS, OTHERS = 16, 1, 10
CLIENTS_OF_A_SERVER = 4096
# Points per row that the two figures of processors were measured with.
SMALL_POINTS, LARGE_POINTS = 10, 1000
# A processor that is busier than this has nothing left for bursts and reads.
BUSY_MOST = 0.5
CORES_OF_A_SERVER = 8
SHARED_BUFFERS_MIB = 1024
POOL = 20


@dataclasses.dataclass
class Ask:
    writers: int
    metrics: float
    rows_per_s: float
    request_s: float
    days: float


def load_constants():
    path = pathlib.Path(__file__).with_name("constants.toml")
    return {name: entry["value"] for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def cpu_of(constants):
    """(seconds a request, seconds a point): the line through the small and the large request."""
    small = constants["request_cpu"] / 1e6
    large = constants["point_cpu"] / 1e6 * LARGE_POINTS
    point = (large - small) / (LARGE_POINTS - SMALL_POINTS)
    return small - SMALL_POINTS * point, point


def need(constants, ask):
    request_cpu, point_cpu = cpu_of(constants)
    requests = ask.writers / ask.request_s
    points = ask.writers * ask.rows_per_s * ask.metrics
    cpu = requests * request_cpu + points * point_cpu
    cpu_to_have = math.ceil(cpu / BUSY_MOST)
    servers = max(math.ceil(ask.writers / CLIENTS_OF_A_SERVER), math.ceil(cpu_to_have / CORES_OF_A_SERVER))
    connections = servers * (WORKERS + FLUSHERS + OTHERS)
    disk_per_day = points * 86400 * constants["point_bytes"] / 1e9
    return {
        "requests_per_s": requests,
        "points_per_s": points,
        "cpu": cpu,
        "cpu_to_have": cpu_to_have,
        "servers": servers,
        "client_connections": ask.writers,
        "database_connections": connections,
        "pooled_connections": min(connections, servers + POOL),
        "server_mib": servers * constants["server_rss"] + ask.writers * constants["connection_rss"] / 1024,
        "database_mib": SHARED_BUFFERS_MIB + connections * constants["backend_rss"] / 1024,
        "disk_gb_per_day": disk_per_day,
        "disk_gb": disk_per_day * ask.days + ask.writers * constants["writer_bytes"] / 1e9,
        "log_mb_per_s": points * constants["point_wal"] / 1e6,
    }
