"""A project for pictures of artifacts: a data set and its parts, runs that use them, a model of five versions, and a table of images."""
import json
import random

from artifacts import Collection
from runs import Run
from table_files import png

HOME = "/api/v1/projects/ann/digit-nets"
NAMES = ("resnet-small", "resnet-wide", "vit-tiny")
# Five columns of seven dots each, as bits, the highest at the top.
SHAPES = ["3e4549513e", "00217f0100", "2143454931", "4241516946", "0c14247f04", "725151514e", "1e29494906", "4047485060", "3649494936", "3049494a3c"]
SIZE = 28


def picture(digit, dice):
    """The digit in grey, with some noise."""
    columns = bytes.fromhex(SHAPES[digit])
    left, top = dice.randrange(3, 8), dice.randrange(2, 5)

    def pixel(x, y):
        column, line = (x - left) // 3, (y - top) // 3
        is_ink = 0 <= column < 5 and 0 <= line < 7 and columns[column] >> (6 - line) & 1
        grey = max(0, min(255, (220 if is_ink else 24) + dice.randrange(-20, 21)))
        return grey, grey, grey
    return png(SIZE, SIZE, pixel)


def predictions(rows, dice):
    """The files of a version with a table: an image, its label, what was predicted, and how surely."""
    files, data = {}, []
    for at in range(rows):
        digit = dice.randrange(10)
        path = f"images/{at:03}.png"
        files[path] = picture(digit, dice)
        is_right = dice.random() < 0.92
        guess = digit if is_right else (digit + dice.randrange(1, 10)) % 10
        sure = round(min(0.999, dice.betavariate(14, 1) if is_right else dice.betavariate(4, 3)), 3)
        data.append([at, {"_type": "image-file", "path": path, "format": "png", "width": SIZE, "height": SIZE, "sha256": "ab" * 32, "size": 900},
                     str(digit), str(guess), is_right, sure, round(-1.2 * (sure - 1) + dice.random() / 50 + (0 if is_right else 1.8), 4)])
    columns = ["id", "image", "label", "prediction", "correct", "confidence", "loss"]
    files["predictions.table.json"] = json.dumps({"_type": "table", "columns": columns, "data": data, "ncols": len(columns), "nrows": rows}).encode()
    return files


def make_artifacts(api):
    dice = random.Random(5)
    raw = Collection(api, HOME, "digits", "dataset")
    for size in 4000, 6000:
        raw.version({"train.bin": dice.randbytes(size), "labels.csv": b"id,label\n", "README.md": b"Ten thousand digits.\n"}, tags=["raw"])
    split = Run(api, "split", HOME)
    Collection(api, HOME, "digits-split", "dataset").version(
        {f"{part}/{at:03}.bin": dice.randbytes(300) for part in ("train", "test") for at in range(6)}, run="split", metadata={"test": 0.1, "seed": 5})
    api.post(f"{split.path}/artifacts", {"artifact": "digits:latest"})
    model = Collection(api, HOME, "digit-net")
    for at in range(5):
        run = Run(api, f"train-{at}", HOME)
        api.patch(run.path, {"display_name": f"{NAMES[at % 3]}-{at}", "job_type": "train"})
        api.post(f"{run.path}/artifacts", {"artifact": "digits-split:v0", "used_as": "train"})
        accuracy = round(0.91 + 0.012 * at - (0.02 if at == 4 else 0), 4)
        model.version({"weights.bin": dice.randbytes(20_000 + 400 * at), "config.json": json.dumps({"depth": 8 + at}).encode(), "vocabulary.txt": b"0123456789\n"},
                      run=run.name, metadata={"accuracy": accuracy, "arch": NAMES[at % 3], "epochs": 20}, tags=["reviewed"] if at in (1, 3) else [],
                      aliases={1: ["candidate"], 3: ["best", "production"]}.get(at, []), description=f"{NAMES[at % 3]} with a test accuracy of **{accuracy}**")
    api.patch(model.path, {"description": "Reads a handwritten digit from an image of 28 × 28 pixels. `production` is what the demo serves.", "keep_last": 10})
    judge = Run(api, "evaluate", HOME)
    for used in "digit-net:v3", "digits-split:v0":
        api.post(f"{judge.path}/artifacts", {"artifact": used})
    Collection(api, HOME, "predictions", "evaluation").version(predictions(120, dice), run="evaluate")
    for name in "split", *(f"train-{at}" for at in range(5)), "evaluate":
        api.post(f"{HOME}/runs/{name}/finish", {"exit_code": 0})
