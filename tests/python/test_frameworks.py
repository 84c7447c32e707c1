"""A real training with each framework that has a callback, and each kind of table: scripts/test python_frameworks.

The frameworks are those of the suite wandb (tests/wandb/sdk.py): PyTorch is Debian's, and Keras takes 1.1 GB, so they run by name.
"""
import json
import os
import subprocess
import sys

import pytest
from conftest import PACKAGE, TOP

sys.path.append(str(TOP / "tests/wandb"))
import sdk  # noqa: E402

TABLES = ("pandas<4", "polars<2", "polars-runtime-32<2", "pyarrow<25", "python-dateutil<5", "six<2", "tzdata")
TRAINING_S = 600

HEAD = """
import json, cairn
told = {}
def tell():
    assert cairn.run is None
    print(json.dumps(told))
"""
TORCH = HEAD + """
import torch
torch.distributed.is_available = lambda: False  # what Lightning asks of it does not import with Python 3.11
torch.manual_seed(7)
"""


@pytest.fixture
def train(settings, tmp_path):
    """train(text, folder…): runs a program with these packages; what it printed last, as JSON."""
    def run(text, *folders):
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": ":".join(map(str, [PACKAGE, *folders])),
               "CAIRN_LIBRARY": os.environ["CAIRN_LIBRARY"], "HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled", **settings}
        done = subprocess.run([sdk.environment(sdk.NEWEST) / "bin/python", "-c", text], env=env, cwd=tmp_path, capture_output=True,
                              text=True, timeout=TRAINING_S)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-8000:]
        return json.loads(done.stdout.splitlines()[-1])
    return run


@pytest.fixture
def torch():
    """Folders with PyTorch and the frameworks on it."""
    try:
        return sdk.torch_beside(sdk.NEWEST), sdk.packages_beside(sdk.NEWEST, sdk.ON_TORCH)
    except RuntimeError as error:
        pytest.skip(str(error))


def values(rows, key):
    return [row[key] for row in rows if key in row]


def test_scalars_of_torch(train, torch, api):
    train(TORCH + """
with cairn.init(id="torch") as run:
    run.log({"loss": torch.tensor(0.5, requires_grad=True), "n": torch.tensor(3), "flag": torch.tensor(True), "one": torch.tensor([2.5]),
             "half": torch.tensor(0.25, dtype=torch.bfloat16), "list": torch.tensor([1, 2])}, step=torch.tensor(4))
    run.log({"image": cairn.Image(torch.zeros(3, 5, 7)), "histogram": cairn.Histogram(torch.arange(6).reshape(2, 3), bins=3)})
assert run.finish() == cairn.Report()
tell()
""", *torch)
    first, second = api.run("me/p/torch").rows()
    assert {key: value for key, value in first.items() if key[0] != "_" or key == "_step"} == {
        "loss": 0.5, "n": 3, "flag": True, "one": 2.5, "half": 0.25, "list": [1, 2], "_step": 4}
    assert (second["image.width"], second["image.height"], second["histogram.values"]) == (7, 5, [2, 2, 2])


def test_lightning(train, torch, api):
    told = train(TORCH + """
import pytorch_lightning
from cairn.integration.lightning import CairnLogger
told = {"steps": [], "checks": []}
class Line(pytorch_lightning.LightningModule):
    def __init__(self, rate, width):
        super().__init__()
        self.save_hyperparameters()
        self.line = torch.nn.Linear(width, 1)
    def loss(self, batch, told):
        loss = torch.nn.functional.mse_loss(self.line(batch[0]), batch[1])
        told.append(loss.item())
        return loss
    def training_step(self, batch, _):
        loss = self.loss(batch, told["steps"])
        self.log("train/loss", loss)
        return loss
    def validation_step(self, batch, _):
        self.log("val/loss", self.loss(batch, told["checks"]))
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.hparams.rate)
x = torch.randn(40, 3)
data = torch.utils.data.TensorDataset(x, x.sum(dim=1, keepdim=True))
train, test = (torch.utils.data.DataLoader(torch.utils.data.Subset(data, some), batch_size=8) for some in (range(32), range(32, 40)))
logger = CairnLogger(id="lightning", prefix="fold1/")
trainer = pytorch_lightning.Trainer(max_epochs=3, logger=logger, accelerator="cpu", log_every_n_steps=1, num_sanity_val_steps=0,
                                    enable_progress_bar=False, enable_checkpointing=False)
trainer.fit(Line(rate=0.1, width=3), train, test)
tell()
""", *torch)
    found = api.run("me/p/lightning")
    rows = list(found.rows())
    assert found.state == "finished" and found.config == {"rate": 0.1, "width": 3}
    assert values(rows, "fold1/train/loss") == pytest.approx(told["steps"]) and len(told["steps"]) == 12
    assert values(rows, "fold1/val/loss") == pytest.approx(told["checks"]) and len(told["checks"]) == 3
    assert [row["_step"] for row in rows if "fold1/train/loss" in row] == list(range(12))


def test_transformers(train, torch, api):
    told = train(TORCH + """
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
from cairn.integration.transformers import CairnCallback
words = torch.randint(0, 20, (24, 6))
data = [{"input_ids": some, "labels": int(some[0] > 9)} for some in words]
config = BertConfig(vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
model = BertForSequenceClassification(config)
args = TrainingArguments("out", report_to="none", num_train_epochs=2, logging_steps=1, per_device_train_batch_size=8, eval_strategy="epoch",
                         save_strategy="no", use_cpu=True, disable_tqdm=True)
trainer = Trainer(model, args, train_dataset=data[:16], eval_dataset=data[16:], callbacks=[CairnCallback(id="transformers")])
trainer.train()
told["log"] = trainer.state.log_history
tell()
""", *torch)
    found = api.run("me/p/transformers")
    rows = list(found.rows())
    assert found.state == "finished" and found.config["num_train_epochs"] == 2 and found.config["model"]["hidden_size"] == 8
    assert values(rows, "train/loss") == values(told["log"], "loss") and len(values(rows, "train/loss")) == 4
    assert values(rows, "eval/loss") == values(told["log"], "eval_loss") and len(values(rows, "eval/loss")) == 2
    assert [row["_step"] for row in rows if "train/loss" in row] == [1, 2, 3, 4]
    assert values(rows, "train/epoch") == values(told["log"], "epoch")


def test_keras(train, api):
    told = train(HEAD + """
import keras, numpy
from cairn.integration.keras import CairnCallback
keras.utils.set_random_seed(7)
x = numpy.random.default_rng(7).normal(size=(40, 3))
model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
told["batches"] = []
spy = keras.callbacks.LambdaCallback(on_train_batch_end=lambda _, logs: told["batches"].append(logs["loss"]))
history = model.fit(x, x.sum(axis=1), batch_size=8, epochs=3, validation_split=0.2, verbose=0,
                    callbacks=[spy, CairnCallback(id="keras", every_batches=2)])
told["epochs"] = history.history
tell()
""", sdk.packages_beside(sdk.NEWEST, sdk.KERAS))
    found = api.run("me/p/keras")
    rows = list(found.rows())
    assert found.state == "finished" and found.config["optimizer"]["learning_rate"] == pytest.approx(0.1) and found.config["epochs"] == 3
    for name, expected in told["epochs"].items():
        assert values(rows, name) == expected and len(expected) == 3
    assert values(rows, "epoch") == [0, 1, 2]
    assert values(rows, "batch/loss") == [loss for i, loss in enumerate(told["batches"]) if i % 4 in (0, 2)]


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
def test_tables(train, api, form):
    train(HEAD + f"""
with cairn.init(id="table-{form}") as run:
    for i in range(3):
        run.log({{"loss": i / 2, "name": f"n{{i}}"}})
    run.log({{"acc": 1}})
table = cairn.Api().run("me/p/table-{form}").history(["loss", "name"], as_={form!r})
names = list(table.columns if {form!r} != "pyarrow" else table.column_names)
assert names == ["_row", "_label", "_step", "_timestamp", "loss", "name"], names
columns = table.to_dict("list") if {form!r} == "pandas" else table.to_dict(as_series=False) if {form!r} == "polars" else table.to_pydict()
assert columns["loss"] == [0, 0.5, 1] and columns["name"] == ["n0", "n1", "n2"] and columns["_step"] == [0, 1, 2], columns
tell()
""", sdk.packages_beside(sdk.NEWEST, TABLES))
