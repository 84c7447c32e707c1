"""A project as a team has one: trainings of a small language model, one of them by 16 ranks on two hosts. Nothing of it is random."""
import math
import random
import time

from artifacts import Collection
from runs import Run
from sweep_pages import sweep

HOME = "/api/v1/projects/ann/tiny-lm"
STEPS = 400
RANKS = 16
RATES = [1e-3, 6e-4, 3e-4, 1e-4]
ARCHS = ["dense-125m", "dense-350m", "moe-8x125m"]


def loss_at(step, rate, size, dice):
    trend = 3.1 - 0.25 * size + 900 * abs(rate - 5e-4) + 7.0 * math.exp(-step / (14 + 8 * size + 0.004 / rate))
    return trend + dice.gauss(0, 0.04) + (0.8 if step % 130 == 97 and rate > 5e-4 else 0)


def row(step, rate, size, dice, began):
    loss = loss_at(step, rate, size, dice)
    made = {"_step": step, "_timestamp": began + 6 * step, "train/loss": loss, "train/grad_norm": abs(dice.gauss(0.9, 0.2)) + loss / 8,
            "lr": rate * min(1, step / 40) * (0.5 + 0.5 * math.cos(math.pi * step / STEPS)),
            "perf/tokens_per_s": 412_000 / (1 + size) + dice.gauss(0, 3000)}
    if step % 20 == 0:
        made["eval/loss"], made["eval/accuracy"] = loss + 0.12, 0.9 * math.exp(-loss / 6)
    return made


def make_training(api, number):
    dice = random.Random(number)
    rate, size = RATES[number % len(RATES)], number % len(ARCHS)
    run = Run(api, f"t{number:02}", HOME)
    api.patch(run.path, {"display_name": f"{ARCHS[size]}-lr{rate:g}", "group": "lr sweep", "tags": ["baseline"] if number == 0 else []})
    steps = 140 if number == 7 else STEPS
    rows = [row(step, rate, size, dice, time.time() - 6 * STEPS) for step in range(steps)]
    if number == 7:
        rows += [{**rows[-1], "_step": step, "train/loss": math.nan, "train/grad_norm": math.inf} for step in range(140, 150)]
    run.join("trainer").send(history=rows, config={"lr": rate, "arch": ARCHS[size], "batch_size": 512, "seed": number,
                                                   "optimizer": {"name": "adamw", "betas": [0.9, 0.95]}})
    api.post(f"{run.path}/finish", {"exit_code": 1 if number == 7 else 0})
    return run


def system_at(second, rank, dice):
    made = {"_timestamp": second, "cpu": 22 + dice.gauss(0, 3), "memory_percent": 41 + dice.gauss(0, 0.5)}
    for gpu in range(8):
        busy = 93 + dice.gauss(0, 3) if not (rank and gpu == 5) else 61 + dice.gauss(0, 9)
        made[f"gpu.{gpu}.gpu"] = min(busy, 100)
        made[f"gpu.{gpu}.memoryAllocated"] = 78 + gpu / 4 + dice.gauss(0, 0.2)
        made[f"gpu.{gpu}.temp"] = 62 + gpu + dice.gauss(0, 0.6)
        made[f"gpu.{gpu}.powerWatts"] = 6.4 * busy + dice.gauss(0, 8)
    return made


def console_of(rank, began):
    lines = [f"\x1b[90m[rank{rank}]\x1b[0m step \x1b[1m{step:4}\x1b[0m  loss {2.5 + 5 * math.exp(-step / 60):.4f}  \x1b[32m{411_000 + 7 * step} tok/s\x1b[0m"
             for step in range(0, 240, 10)]
    if rank == 13:
        lines[20] = "\x1b[31mWARNING\x1b[0m NCCL: all_reduce took 1.9 s, waiting for gpu-b02:5"
    return [{"line": n, "stream": "stderr" if "WARN" in text else "stdout", "time": began + 60 * n + rank / 20, "text": text} for n, text in enumerate(lines)]


def make_ranks(api):
    """It still runs; rank 13 is slow in the last third, and rank 6 was lost."""
    run = Run(api, "ranks", HOME)
    began = time.time() - 6 * 240
    api.patch(run.path, {"display_name": "moe-8x125m-16gpu", "tags": ["release"], "notes": "Two hosts, **16 ranks**. Watch gpu-b02: one card is slow."})
    for rank in range(RANKS):
        dice = random.Random(100 + rank)
        writer = run.join(f"rank{rank}", "primary" if rank == 0 else "worker", host=f"gpu-b0{1 + rank // 8}")
        last = 150 if rank == 6 else 240
        rows = []
        for step in range(last):
            slow = 1.35 if rank == 13 and step > 160 else 1
            rows.append({"_step": step, "_timestamp": began + 6 * step, "train/step_time": 0.52 * slow + dice.gauss(0, 0.004)})
            if rank == 0:
                rows[-1] |= row(step, 3e-4, 2, dice, began)
        more = {"config": {"lr": 3e-4, "arch": "moe-8x125m", "world_size": RANKS}} if rank == 0 else {}
        events = [system_at(began + 15 * n, rank, dice) for n in range(96)] if rank % 8 == 0 else []
        writer.send(history=rows, console=console_of(rank, began), events=events, **more)
    return run


def make_project(api):
    """The run of 16 ranks, 12 trainings, and a model in two versions."""
    for number in range(12):
        make_training(api, number)
    ranks = make_ranks(api)
    model = Collection(api, HOME, "tiny-lm")
    for step in 1000, 2000:
        model.version({"weights/layer.bin": bytes(step), "config.json": b'{"layers": 3}'}, run="ranks", metadata={"step": step})
    sweep(api, "ann/tiny-lm", 5)
    return ranks
