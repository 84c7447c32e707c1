"""Projects as teams have them: trainings of which one diverged, a search with groups, and a run with 300 metrics."""
import math
import random

from runs import Run

HOME = "/api/v1/projects/ann"
STEPS = 120
OPTIMIZERS = ["sgd", "adamw", "adam", "lion"]


def training(api, project, number):
    """The last one, which is the newest, diverged; the first one has a metric of its own."""
    dice = random.Random(number)
    run = Run(api, f"t{number:02}", f"{HOME}/{project}")
    rate = [1e-2, 1e-3, 1e-4][number % 3]
    api.patch(run.path, {"display_name": f"mlp-{32 * (1 + number % 2)}x64-lr{rate:g}-s{number}"})
    rows = []
    for step in range(STEPS):
        loss = 2.3 * math.exp(-step / 30) + 0.1 + dice.gauss(0, 0.02)
        row = {"_step": step, "epoch": step // 10, "lr": rate, "_runtime": 0.3 * step, "grad_norm": abs(dice.gauss(1, 0.2)),
               "train/loss": loss, "train/acc": 1 - loss / 3}
        if number == 11:
            row |= {"train/loss": 30 + dice.gauss(0, 3), "train/acc": 0.1, "lr": 3.0, "grad_norm": 1e9}
        if number == 0:
            row["train/loss_dice"] = loss / 2
        if step % 10 == 9:
            row |= {"val/loss": row["train/loss"] + 0.1, "val/acc": 0.95 - loss / 3, "val/f1": 0.9 - loss / 3}
        rows.append(row)
    run.join("trainer").send(history=rows, config={"optim": {"lr": rate, "name": OPTIMIZERS[number % 4]}, "seed": number})
    api.post(f"{run.path}/finish", {"exit_code": 0})
    return run


def make_trainings(api, project):
    for number in range(12):
        training(api, project, number)


def make_search(api, project, runs=36, models=9):
    for number in range(runs):
        dice = random.Random(number)
        run = Run(api, f"s{number:02}", f"{HOME}/{project}")
        rate = 10 ** dice.uniform(-5, -1)
        end = 0.06 + 0.05 * (number % models) + dice.gauss(0, 0.01)
        rows = [{"_step": step, "loss": end + 2.2 * math.exp(-step / 6), "acc": 1 - end - 0.8 * math.exp(-step / 6)} for step in range(30)]
        run.join("trial").send(history=rows, config={"optim": {"name": OPTIMIZERS[number % 4], "lr": rate}, "model": f"m{number % models}",
                                                     "depth": 2 + number % 7, "dropout": round(dice.uniform(0, 0.5), 2)})
        api.patch(f"{run.path}/summary", {"loss": end, "acc": 1 - end})
        api.post(f"{run.path}/finish", {"exit_code": 0})


def make_ranks(api, project):
    run = Run(api, "ddp", f"{HOME}/{project}")
    for rank in range(8):
        writer = run.join(f"rank{rank}", "primary" if rank == 0 else "worker")
        writer.send(history=[{"_step": step, "_timestamp": 1_700_000_000 + step, "perf/step_time": 0.2 + 0.1 * (rank == 3) + step % 5 / 1000}
                             for step in range(100)])


def make_many_metrics(api, project):
    run = Run(api, "zoo", f"{HOME}/{project}")
    keys = [f"layers/{layer}/{part}" for layer in range(90) for part in ("grad", "norm", "weight")]
    keys += [f"optim/group{n}/lr" for n in range(10)] + [f"perf/{n}" for n in range(10)]
    row = {key: 1.0 for key in keys} | {"epoch": 1, "lr": 0.1, "train/loss": 2.0, "train/acc": 0.5, "val/loss": 2.2}
    run.join("trainer").send(history=[{"_step": step, **row} for step in range(5)])
