"""Agents of a sweep: the processor time of a heartbeat with 1,000 agents, and 360 agents that start at once, as the tasks of a Slurm
array. They send what `cairn agent` sends, when it sends it, each over a connection of its own. Plain: a statement of SQL each, as a
table of agents or trials needs it, by pgbench on the same PostgreSQL without the server."""
import asyncio
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import host
from crowd import Client
from server import Server, postgres_alone

AGENTS = 1000
BEAT_S = 5     # between heartbeats of cairn agent
PERIOD_S = 30  # at least: the server writes the row of an agent every 15 s
AT_ONCE = 360
ONE_BEATS = 3  # without a trial until `cairn agent --one` ends; not counted if the server was busy
BUSY_S, BUSY_SPREAD_S = 1, 2
PATIENCE_S = 600
SETUP_AT_ONCE, SETUP_PAUSE_S = 2, 0.05
PROJECT = "/api/v1/projects/bench/sweep-agents"

RANDOM = {"method": "random", "metric": {"name": "loss", "goal": "minimize"},
          "parameters": {"lr": {"min": 0.0, "max": 1.0}, "layers": {"min": 1, "max": 9}}}
GRID = {"method": "grid", "metric": {"name": "loss", "goal": "minimize"},
        "parameters": {"lr": {"values": list(range(18))}, "layers": {"values": list(range(AT_ONCE // 18))}}}


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def make_sweep(server, config):
    ask = server.connect()
    ask("PUT", PROJECT.removeprefix("/api/v1"), "{}")
    return ask("POST", f"{PROJECT.removeprefix('/api/v1')}/sweeps", json.dumps({"config": config}))["id"]


def count_trials(server, sweep):
    return server.connect()("GET", f"{PROJECT.removeprefix('/api/v1')}/sweeps/{sweep}")["trials"]


class Agent:
    """`cairn agent` with room for one trial, and the start of the trial's process."""

    def __init__(self, server, key, sweep, number):
        self.client, self.number = Client(server, key), number
        self.sweep, self.host = sweep, f"node{number:04}"
        self.path, self.trial = None, None
        self.beats, self.is_busy = 0, False

    async def send(self, method, path, body):
        """(status, answer); no request is repeated here, but one on a connection that the server closed since it was idle."""
        parts = [json.dumps(body).encode()]
        try:
            status, answer = await self.client.once(method, path, parts)
        except OSError:
            await self.client.connect()
            status, answer = await self.client.once(method, path, parts)
        if status >= 300 and status != 429 and status < 500:
            raise RuntimeError(f"{method} {path}: {status} {answer[:300]!r}")
        return status, json.loads(answer) if status < 300 else {}

    async def send_until_done(self, method, path, body):
        while True:
            status, answer = await self.send(method, path, body)
            if status < 300:
                return answer
            await asyncio.sleep(BEAT_S)

    async def enroll(self):
        await self.client.connect()
        made = await self.send_until_done("POST", f"{PROJECT}/sweeps/{self.sweep}/agents", {"host": self.host})
        self.path = f"{PROJECT}/sweeps/{self.sweep}/agents/{made['agent']}"

    async def beat(self):
        """Whether the server took it; a trial that comes with the answer is kept."""
        runs = [self.trial["run"]] if self.trial else []
        status, answer = await self.send("POST", f"{self.path}/heartbeat", {"capacity": 1, "runs": runs})
        self.is_busy = answer.get("busy", False)
        self.beats += not self.is_busy
        for command in answer.get("commands", []):
            if command["type"] != "run" or self.trial:
                raise RuntimeError(f"an unexpected command: {command}")
            self.trial = command
        return status < 300

    async def make_run(self):
        await self.send_until_done("PUT", f"{PROJECT}/runs/{self.trial['run']}", {"sweep": self.sweep})

    async def start_run(self):
        await self.make_run()
        await self.send_until_done("POST", f"{PROJECT}/runs/{self.trial['run']}/join",
                                   {"client": self.host, "role": "primary", "host": self.host})


def agents_of(server, sweep, count):
    key = server.key_file.read_text().strip()
    return [Agent(server, key, sweep, number) for number in range(count)]


def processor_times(server):
    """Seconds until now: of the server's process, and of PostgreSQL."""
    own = sum(int(field) for field in host.stat_fields(server.process.pid)[11:13]) / host.TICK
    return own, server.cpu() - own


# ---- pgbench --------------------------------------------------------------------------------------------

PLAIN_TABLES = f"""create table plain_agent (agent int primary key, run text not null, stop bool not null, heard_at timestamptz not null)
    with (fillfactor = 70);
insert into plain_agent select i, 'run' || i, false, now() from generate_series(1, {AGENTS}) i;
create table plain_trial (trial int primary key, params text not null, agent int) with (fillfactor = 70);
insert into plain_trial select i, '{{"lr": 0.1, "layers": 2}}' from generate_series(1, {AT_ONCE}) i;
vacuum analyze plain_agent, plain_trial;"""
PLAIN_BEAT = f"""\\set agent random(1, {AGENTS})
update plain_agent set heard_at = now() where agent = :agent returning stop;"""
PLAIN_TAKE = """update plain_trial set agent = :client_id
 where trial = (select trial from plain_trial where agent is null order by trial limit 1 for update skip locked)
returning trial, params;"""


def psql(database, text):
    done = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database], input=text,
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def pgbench(database, script, *options):
    """Seconds of the program, and those of each statement."""
    with tempfile.TemporaryDirectory(prefix="cairn-bench.", dir="/tmp") as folder:
        file = pathlib.Path(folder) / "script"
        file.write_text(script)
        began = time.perf_counter()
        done = subprocess.run([host.postgres_bindir() / "pgbench", "-n", "-f", file, "-l", *map(str, options), database], cwd=folder,
                              capture_output=True, text=True, check=False)
        took = time.perf_counter() - began
        if done.returncode:
            raise RuntimeError(f"pgbench: {done.stderr.strip()}")
        lines = [line.split() for log in pathlib.Path(folder).glob("pgbench_log.*") for line in log.read_text().splitlines()]
    # with --rate the last column is how late a statement began, which the third one contains
    return took, [(int(line[2]) - int(line[6] if len(line) > 6 else 0)) / 1e6 for line in lines]


class Plain:
    """PostgreSQL with plain tables, and what it takes."""

    def __init__(self, folder, database):
        self.database = database
        self.postmaster = int((pathlib.Path(folder) / "data/pg/postmaster.pid").read_text().split()[0])
        psql(database, "set client_min_messages = warning; drop table if exists plain_agent, plain_trial;" + PLAIN_TABLES)

    def run(self, script, *options):
        """(seconds, seconds of each statement, CPU seconds)"""
        before = host.cpu_seconds(self.postmaster)
        took, times = pgbench(self.database, script, *options)
        return took, times, host.cpu_seconds(self.postmaster) - before


def plain_beats(folder, seconds):
    """As many statements a second as there are heartbeats."""
    with postgres_alone(folder) as database:
        _, times, cpu = Plain(folder, database).run(PLAIN_BEAT, "-M", "prepared", "-c", 16, "-T", seconds, "-R", AGENTS // BEAT_S)
        psql(database, "drop table plain_agent, plain_trial")
    return times, cpu / len(times)


def plain_start(folder):
    """360 connections, each of which takes a trial; PostgreSQL has room for 90 at a time."""
    with postgres_alone(folder) as database:
        took, times, cpu = Plain(folder, database).run(PLAIN_TAKE, "-C", "-c", 90, "-t", AT_ONCE // 90)
        taken = int(psql(database, "select count(*) from plain_trial where agent is not null"))
        psql(database, "drop table plain_agent, plain_trial")
    if taken != AT_ONCE or len(times) != AT_ONCE:
        raise RuntimeError(f"{taken} trials were taken by {len(times)} statements")
    return took, cpu / AT_ONCE


# ---- heartbeats -------------------------------------------------------------------------------------------

async def begin(agent, room):
    async with room:
        await agent.enroll()
        while await agent.beat() and not agent.trial:
            await asyncio.sleep(SETUP_PAUSE_S)
        await agent.start_run()


async def beat_on(agent, first, end, times):
    """The next heartbeat is due five seconds after the last one began."""
    clock, due = asyncio.get_running_loop().time, first
    while due < end:
        await asyncio.sleep(max(0, due - clock()))
        began = clock()
        if not await agent.beat():
            raise RuntimeError("a heartbeat was refused")
        times.append(clock() - began)
        due = began + BEAT_S


async def beat_all(agents, seconds, times):
    """The agents come one after the other within five seconds, and go on for so long."""
    begin_at = asyncio.get_running_loop().time() + 0.1
    await asyncio.gather(*(beat_on(agent, begin_at + i * BEAT_S / len(agents), begin_at + seconds, times)
                           for i, agent in enumerate(agents)))


async def measure_beats(server, sweep, seconds):
    """(seconds of each heartbeat, CPU seconds of the server, of PostgreSQL)"""
    agents, times = agents_of(server, sweep, AGENTS), []
    room = asyncio.Semaphore(SETUP_AT_ONCE)
    say(f"{AGENTS} agents get a trial each")
    await asyncio.gather(*(begin(agent, room) for agent in agents))
    await beat_all(agents, BEAT_S, [])  # the first with a trial writes that it is there
    before = processor_times(server)
    await beat_all(agents, seconds, times)
    own, database = (now - then for now, then in zip(processor_times(server), before))
    for agent in agents:
        agent.client.socket.close()
    return times, own, database


def agents_beat(folder, seconds):
    """1,000 agents with a trial each, a heartbeat every five seconds."""
    seconds = max(seconds, PERIOD_S)
    with host.many_files(), Server(folder) as server:
        sweep = make_sweep(server, RANDOM)
        times, own, database = asyncio.run(measure_beats(server, sweep, seconds))
        trials = count_trials(server, sweep)
    if trials["total"] != AGENTS or trials["running"] != AGENTS:
        raise RuntimeError(f"{AGENTS} trials were running, now it is {trials}")
    plain_times, plain_cpu = plain_beats(folder, seconds)
    say(f"{len(times)} heartbeats and {len(plain_times)} statements in {seconds} s")
    for name, cpu in ("cpu", own + database), ("cairnd", own), ("postgres", database):
        yield (f"sweep-agents-{name}", 1e3 * cpu / len(times), "ms CPU", 1e3 * plain_cpu)
    for name, share in ("p50", 0.5), ("p99", 0.99):
        yield (f"sweep-agents-{name}", 1e3 * quantile(times, share), "ms", 1e3 * quantile(plain_times, share))


def quantile(times, share):
    return sorted(times)[int(share * len(times))]


# ---- at once ------------------------------------------------------------------------------------------------

async def come(agent):
    """Seconds until it has a trial and the run of it."""
    clock = asyncio.get_running_loop().time
    began = clock()
    await agent.enroll()
    while not agent.trial:
        due = clock() + BEAT_S
        await agent.beat()
        if agent.is_busy:
            due = clock() + BUSY_S + agent.number * 0.618 % 1 * BUSY_SPREAD_S
        if not agent.trial:
            await asyncio.sleep(max(0, due - clock()))
    await agent.make_run()
    return clock() - began


async def come_all(agents):
    return await asyncio.wait_for(asyncio.gather(*map(come, agents)), PATIENCE_S)


def check_trials(server, sweep, agents):
    """Each agent has another trial, with another point, and there are no others."""
    for what in ({agent.trial["run"] for agent in agents}, {json.dumps(agent.trial["params"], sort_keys=True) for agent in agents},
                 {agent.trial["trial"] for agent in agents}):
        if len(what) != AT_ONCE:
            raise RuntimeError(f"{AT_ONCE} agents have {len(what)} trials")
    if count_trials(server, sweep)["total"] != AT_ONCE:
        raise RuntimeError("there are trials that no agent has")


def agents_start(folder, _seconds):
    """360 agents at once on a grid of 360 points."""
    with host.many_files(), Server(folder) as server:
        sweep = make_sweep(server, GRID)
        agents, before = agents_of(server, sweep, AT_ONCE), server.cpu()
        times = asyncio.run(come_all(agents))
        cpu = server.cpu() - before
        check_trials(server, sweep, agents)
    late = sum(agent.beats > ONE_BEATS for agent in agents)
    say(f"the first of {AT_ONCE} agents had its run after {min(times):.2f} s, half of them after {quantile(times, 0.5):.2f} s, the last "
        f"after {max(times):.2f} s; {late} needed more than {ONE_BEATS} heartbeats")
    plain, plain_cpu = plain_start(folder)
    yield ("sweep-agents-360", max(times), "s", plain)
    yield ("sweep-agents-360-cpu", 1e3 * cpu / AT_ONCE, "ms CPU", 1e3 * plain_cpu)
    yield ("sweep-agents-360-late", late, "agents", AT_ONCE)


FIGURES = {name: of for names, of in (
    (("cpu", "cairnd", "postgres", "p50", "p99"), agents_beat), (("360", "360-cpu", "360-late"), agents_start))
    for name in (f"sweep-agents-{name}" for name in names)}
