"""Trainings with real frameworks and the SDK's own integrations: what comes back, through REST and through the public
API, is what the framework itself says of the training; and so are the tables and models that it makes.
"""
import json
import socket
import urllib.parse

import pytest
import sdk


def fit_with_lightgbm(name):
    import lightgbm
    import numpy
    import wandb
    from wandb.integration.lightgbm import log_summary, wandb_callback
    random = numpy.random.default_rng(7)
    x = random.normal(size=(400, 5))
    y = (x[:, 0] + x[:, 1] ** 2 > 1).astype(int)
    train = lightgbm.Dataset(x[:300], y[:300])
    test = lightgbm.Dataset(x[300:], y[300:], reference=train)
    params = {"objective": "binary", "metric": ["binary_logloss", "auc"], "learning_rate": 0.3, "num_leaves": 5,
              "num_threads": 1, "verbose": -1}
    told = {}
    with wandb.init(id=name) as run:
        model = lightgbm.train(params, train, num_boost_round=8, valid_sets=[train, test], valid_names=["train", "test"],
                               callbacks=[wandb_callback(), lightgbm.record_evaluation(told)])
        log_summary(model, save_model_checkpoint=True)
        run.log({"after": 1})
    return {"evaluations": told, "params": params, "best": model.best_iteration, "score": model.best_score}


def fit_with_xgboost(name):
    import json

    import numpy
    import wandb
    import xgboost
    from wandb.integration.xgboost import WandbCallback
    random = numpy.random.default_rng(7)
    x = random.normal(size=(400, 5))
    y = x[:, 0] * 3 + x[:, 1] ** 2
    train, test = xgboost.DMatrix(x[:300], y[:300]), xgboost.DMatrix(x[300:], y[300:])
    told = {}
    with wandb.init(id=name) as run:
        model = xgboost.train({"objective": "reg:squarederror", "eval_metric": ["rmse", "mae"], "nthread": 1}, train,
                              num_boost_round=8, evals=[(train, "train"), (test, "test")], evals_result=told,
                              early_stopping_rounds=8, verbose_eval=False, callbacks=[WandbCallback(log_model=True)])
        run.log({"after": 1})
    return {"evaluations": told, "config": json.loads(model.save_config()), "score": model.best_score,
            "best": model.best_iteration}


def fit_with_sklearn(name):
    import wandb
    from sklearn import datasets, ensemble, metrics, model_selection
    x, y = datasets.load_iris(return_X_y=True)
    x, x_test, y, y_test = model_selection.train_test_split(x, y, random_state=7)
    model = ensemble.RandomForestClassifier(10, random_state=7, warm_start=True)
    told = []
    with wandb.init(id=name, config=model.get_params()) as run:
        for trees in range(10, 60, 10):
            model.set_params(n_estimators=trees).fit(x, y)
            told.append({"trees": trees, "accuracy": model.score(x_test, y_test),
                         "loss": metrics.log_loss(y_test, model.predict_proba(x_test))})
            run.log(told[-1])
        wandb.sklearn.plot_classifier(model, x, x_test, y, y_test, model.predict(x_test), model.predict_proba(x_test),
                                      ["setosa", "versicolor", "virginica"], model_name="forest")
        run.log({"after": 1})
    return {"rows": told, "params": model.get_params()}


def fit_with_tensorboard(name):
    """Of the files that TensorBoard's writer leaves wandb-core reads what it sends."""
    import numpy
    import wandb
    wandb.tensorboard.patch(root_logdir="logs")
    wandb.init(id=name)
    import tensorboardX
    with tensorboardX.SummaryWriter("logs") as writer:
        for step in range(10):
            writer.add_scalar("train/loss", 1 / (step + 1), step)
            writer.add_scalar("train/rate", 0.5 ** step, step)
        writer.add_histogram("weights", numpy.arange(50), 9)
    wandb.finish()


def fit_with_lightning(name):
    import pytorch_lightning
    import torch
    import wandb
    from pytorch_lightning.loggers import WandbLogger
    torch.distributed.is_available = lambda: False  # what of it Lightning asks for does not import with Python 3.11
    told = {"steps": [], "checks": [], "gradients": []}

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
            self.log("train/loss", loss, on_step=True, on_epoch=True)
            return loss

        def on_after_backward(self):
            gradient = self.line.weight.grad
            told["gradients"].append([gradient.min().item(), gradient.max().item()])

        def validation_step(self, batch, _):
            self.log("val/loss", self.loss(batch, told["checks"]))

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), self.hparams.rate)
    pytorch_lightning.seed_everything(7)
    x = torch.randn(40, 3)
    data = torch.utils.data.TensorDataset(x, x.sum(dim=1, keepdim=True))
    train, test = (torch.utils.data.DataLoader(torch.utils.data.Subset(data, some), batch_size=8)
                   for some in (range(32), range(32, 40)))
    model = Line(rate=0.1, width=3)
    logger = WandbLogger(id=name, log_model=True)
    logger.watch(model, log_freq=4)
    trainer = pytorch_lightning.Trainer(max_epochs=3, logger=logger, accelerator="cpu", log_every_n_steps=1,
                                        num_sanity_val_steps=0, enable_progress_bar=False)
    trainer.fit(model, train, test)
    logger.experiment.log({"after": 1})
    wandb.finish()
    return told


def fit_with_transformers(name):
    """The Trainer begins the run itself: its id is in the environment. For models this release of it calls a method that newer SDKs
    have as a property."""
    import os

    import torch
    import wandb
    if not hasattr(wandb.sdk.wandb_run.Run, "get_url"):
        wandb.sdk.wandb_run.Run.get_url = lambda run: run.url
    os.environ["WANDB_LOG_MODEL"] = "end"
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
    torch.manual_seed(7)
    words = torch.randint(0, 20, (24, 6))
    data = [{"input_ids": some, "labels": int(some[0] > 9)} for some in words]
    config = BertConfig(vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    model = BertForSequenceClassification(config)
    args = TrainingArguments("out", run_name=name, report_to="wandb", num_train_epochs=2, logging_steps=1,
                             per_device_train_batch_size=8, eval_strategy="epoch", save_strategy="no", use_cpu=True,
                             disable_tqdm=True)
    trainer = Trainer(model, args, train_dataset=data[:16], eval_dataset=data[16:])
    trainer.train()
    wandb.log({"after": 1})
    wandb.finish()
    simple = {key: value for key, value in args.to_dict().items() if isinstance(value, (bool, int, float, str))}
    return {"log": trainer.state.log_history, "config": {**simple, "hidden_size": 8}, "size": model.num_parameters()}


def fit_with_keras(name):
    import keras
    import numpy
    import wandb
    from wandb.integration.keras import WandbMetricsLogger, WandbModelCheckpoint
    keras.utils.set_random_seed(7)
    x = numpy.random.default_rng(7).normal(size=(40, 3))
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    batches = []
    spy = keras.callbacks.LambdaCallback(on_train_batch_end=lambda _, logs: batches.append(logs["loss"]))
    with wandb.init(id=name, config={"rate": 0.1}) as run:
        history = model.fit(x, x.sum(axis=1), batch_size=8, epochs=3, validation_split=0.2, verbose=0,
                            callbacks=[spy, WandbMetricsLogger(log_freq=2), WandbModelCheckpoint("model.keras")])
        run.log({"after": 1})
    return {"epochs": history.history, "batches": batches}


def read_back(path):
    import json
    import pathlib

    import wandb
    run = wandb.Api().run(path)
    artifacts = {}
    for number, artifact in enumerate(run.logged_artifacts()):
        root = pathlib.Path(artifact.download(root=f"artifacts/{number}"))
        files = {str(file.relative_to(root)): file for file in root.rglob("*") if file.is_file()}
        tables = [json.loads(file.read_text()) for name, file in files.items() if name.endswith(".table.json")]
        artifacts[artifact.name] = {
            "type": artifact.type, "aliases": sorted(artifact.aliases), "bytes": sum(file.stat().st_size for file in files.values()),
            "tables": [[table["columns"], table["data"]] for table in tables]}
    return {"rows": list(run.scan_history()), "config": run.config, "summary": run.summary._json_dict,
            "state": run.state, "artifacts": artifacts}


@pytest.fixture
def trainer(make_client, version, project):
    """trainer(packages): a machine that has them, and what is in the folders `also`."""
    def make(*packages, also=()):
        folders = [str(folder) for folder in (*also, *(sdk.packages_beside(version, some) for some in packages))]
        return make_client(version, WANDB_PROJECT=project, PYTHONPATH=":".join(folders),
                           WANDB_HOST=socket.gethostname())  # which stands in names of files that it looks for
    return make


EMPTY = {"WANDB_CACHE_DIR": "empty-cache"}  # the SDK keeps what it uploads, and would not download it


def told_by_both(client, run, project, artifacts=None):
    """What REST and the public API say of a run that ended well; of a run's end both. `artifacts` is given those that it made."""
    shown = client.call(read_back, EMPTY, path=f"ann/{project}/{run.name}").value
    if artifacts is not None:
        artifacts.update(shown["artifacts"])
    assert (run.state, run.get()["exit_code"], shown["state"]) == ("finished", 0, "finished")
    return [(run.rows(), run.config(), run.summary()), (shown["rows"], shown["config"], shown["summary"])]


def of_type(artifacts, kind):
    return {name: artifact for name, artifact in artifacts.items() if artifact["type"] == kind}


def check_tables(artifacts, run):
    """Each table of the history is an artifact, too, with the same rows as the run's file."""
    files = [file["name"] for file in run.api.pages(f"{run.path}/files") if file["name"].startswith("media/table/")]
    tables = [table for artifact in of_type(artifacts, "run_table").values() for table in artifact["tables"]]
    assert files and len(tables) >= len(files)
    for name in files:
        table = json.loads(run.api.raw("GET", f"{run.path}/files/{urllib.parse.quote(name)}").body)
        assert [table["columns"], table["data"]] in tables, name


def check_model(artifacts, name, aliases):
    """The newest version of the model has these aliases, and its file came back."""
    newest, = (artifact for key, artifact in of_type(artifacts, "model").items() if "latest" in artifact["aliases"]
               and key.startswith(f"{name}:"))
    assert newest["aliases"] == aliases and newest["bytes"] > 0, newest


def values(rows, key):
    return [row[key] for row in rows if key in row]


def parts(rows, key, part):
    """Of values that are objects; REST has their parts each for itself."""
    return values(rows, f"{key}.{part}") or values(values(rows, key), part)


def compare_evaluations(rows, evaluations, sign):
    for data, metrics in evaluations.items():
        for metric, expected in metrics.items():
            assert values(rows, f"{data}{sign}{metric}") == expected and len(expected) == 8


@pytest.mark.long_if_old
@pytest.mark.feature("integrations: LightGBM")
def test_lightgbm(trainer, read, project):
    client = trainer(sdk.SMALL)
    told = client.call(fit_with_lightgbm, name="r1").value
    made = {}
    for rows, config, summary in told_by_both(client, read("r1"), project, made):
        compare_evaluations(rows, told["evaluations"], "_")
        assert values(rows, "iteration") == list(range(8)) and values(rows, "after") == [1]
        assert {key: config[key] for key in told["params"]} == told["params"]
        assert (summary["best_iteration"], summary["best_score"]) == (told["best"], told["score"])
        assert summary["test_binary_logloss"] == {"min": min(told["evaluations"]["test"]["binary_logloss"])}
        assert summary["test_auc"] == {"max": max(told["evaluations"]["test"]["auc"])}
    check_tables(made, read("r1"))
    check_model(made, "model_r1", ["best", "latest"])


@pytest.mark.long
@pytest.mark.feature("integrations: XGBoost")
def test_xgboost(trainer, read, project):
    client = trainer(sdk.SMALL, sdk.OTHERS)
    told = client.call(fit_with_xgboost, name="r1").value
    made = {}
    for rows, config, summary in told_by_both(client, read("r1"), project, made):
        compare_evaluations(rows, told["evaluations"], "-")
        assert values(rows, "epoch") == list(range(8)) and values(rows, "after") == [1]
        assert config["learner"]["objective"] == told["config"]["learner"]["objective"]
        assert values(rows, "best_iteration") == [told["best"]]
        assert values(rows, "best_score") == [pytest.approx(told["score"])]
        assert summary["test-rmse"] == {"min": min(told["evaluations"]["test"]["rmse"])}
    check_tables(made, read("r1"))
    check_model(made, "r1_model.json", ["latest"])


@pytest.mark.long
@pytest.mark.feature("integrations: scikit-learn")
def test_sklearn(trainer, read, project):
    client = trainer(sdk.SMALL, sdk.OTHERS)
    told = client.call(fit_with_sklearn, name="r1").value
    made = {}
    for rows, config, summary in told_by_both(client, read("r1"), project, made):
        for key in told["rows"][0]:
            assert values(rows, key) == values(told["rows"], key)
        assert values(rows, "after") == [1] and summary["loss"] == told["rows"][-1]["loss"]
        assert config["random_state"] == 7 and set(told["params"]) <= set(config)
    check_tables(made, read("r1"))


@pytest.mark.long
@pytest.mark.feature("integrations: TensorBoard")
def test_tensorboard(trainer, read, project):
    client = trainer(sdk.SMALL, sdk.OTHERS)
    assert client.call(fit_with_tensorboard, name="r1").code == 0
    for rows, _, _ in told_by_both(client, read("r1"), project):
        scalars = [row for row in rows if "train/loss" in row]
        assert [row["global_step"] for row in scalars] == list(range(10))
        assert values(scalars, "train/loss") == [pytest.approx(1 / (n + 1)) for n in range(10)]
        assert values(rows, "train/rate") == [0.5 ** n for n in range(10)]


@pytest.mark.long
@pytest.mark.last_python(12)
@pytest.mark.feature("integrations: PyTorch Lightning")
def test_lightning(trainer, read, project, version):
    client = trainer(sdk.ON_TORCH, also=[sdk.torch_beside(version)])
    told = client.call(fit_with_lightning, name="r1").value
    made = {}
    files = [file["name"] for file in read("r1").api.pages(f"{read('r1').path}/files")]
    for rows, config, summary in told_by_both(client, read("r1"), project, made):
        assert values(rows, "train/loss_step") == told["steps"] and len(told["steps"]) == 12
        assert values(rows, "val/loss") == told["checks"] and len(told["checks"]) == 3
        means = [sum(told["steps"][n:n + 4]) / 4 for n in (0, 4, 8)]
        assert values(rows, "train/loss_epoch") == [pytest.approx(mean) for mean in means]
        steps = [row["trainer/global_step"] for row in rows if "train/loss_step" in row]
        assert steps == list(range(12)) and values(rows, "after") == [1]
        assert [sum(counts) for counts in parts(rows, "gradients/line.weight", "values")] == [3, 3, 3]
        assert [[bins[0], bins[-1]] for bins in parts(rows, "gradients/line.weight", "bins")] == told["gradients"][3::4]
        assert (config["rate"], config["width"], summary["val/loss"]) == (0.1, 3, told["checks"][-1])
        assert len(rows) == 12 + 3 + 3 + 1 and summary["graph_0"]["path"] in files
    check_model(made, "model-r1", ["best", "latest"])


@pytest.mark.long
@pytest.mark.last_python(12)
@pytest.mark.feature("integrations: Hugging Face Trainer")
def test_transformers(trainer, read, project, version):
    client = trainer(sdk.ON_TORCH, also=[sdk.torch_beside(version)])
    told = client.call(fit_with_transformers, env={"WANDB_RUN_ID": "r1"}, name="tiny").value
    made = {}
    assert read("r1").get()["display_name"] == "tiny"
    *log, end = told["log"]
    for rows, config, summary in told_by_both(client, read("r1"), project, made):
        for key in ("loss", "grad_norm", "learning_rate"):
            assert values(rows, f"train/{key}") == values(log, key) and len(values(log, key)) == 4
        assert values(rows, "eval/loss") == values(log, "eval_loss") and len(values(log, "eval_loss")) == 2
        steps = values(told["log"], "step")
        assert values(rows, "train/global_step") == [*steps, steps[-1]] and values(rows, "after") == [1]
        assert len(rows) == len(told["log"]) + 1
        assert {key: config[key] for key in told["config"]} == told["config"]
        assert config["model/num_parameters"] == told["size"]
        assert {key: summary[key] for key in end if key not in ("epoch", "step")}.items() <= end.items()
        assert summary["eval/loss"] == values(log, "eval_loss")[-1]
    check_model(made, "model-tiny", ["final_model", "latest"])


@pytest.mark.long
@pytest.mark.last_python(12)
@pytest.mark.feature("integrations: Keras")
def test_keras(trainer, read, project):
    client = trainer(sdk.KERAS)
    told = client.call(fit_with_keras, name="r1").value
    made = {}
    for rows, config, summary in told_by_both(client, read("r1"), project, made):
        for key, expected in told["epochs"].items():
            assert values(rows, f"epoch/{key}") == expected and len(expected) == 3
            assert summary[f"epoch/{key}"] == expected[-1]
        assert values(rows, "epoch/epoch") == [0, 1, 2] and config["rate"] == 0.1
        assert values(rows, "batch/loss") == told["batches"][::2] and len(told["batches"]) == 12
        assert values(rows, "batch/batch_step") == [0, 2, 4, 6, 8, 10] and values(rows, "after") == [1]
        assert len(rows) == 6 + 3 + 1
    check_model(made, "run_r1_model", ["epoch_2", "latest"])
