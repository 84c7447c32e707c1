"""A logger for Lightning (`lightning` or `pytorch_lightning`).

    from cairn.integration.lightning import CairnLogger
    trainer = Trainer(logger=CairnLogger(project="digits"))
"""
from __future__ import annotations

from argparse import Namespace
from typing import Any, Dict, Mapping, Optional, Union

try:
    from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
    from lightning.pytorch.utilities.rank_zero import rank_zero_only
except ImportError:
    from pytorch_lightning.loggers.logger import Logger, rank_zero_experiment
    from pytorch_lightning.utilities.rank_zero import rank_zero_only

from .._run import Run
from ._common import Owner, with_prefix


class CairnLogger(Logger):  # type: ignore[misc,unused-ignore]
    """Metrics become rows at the trainer's step, hyperparameters the config. Only the process of rank 0 logs.

    run: default the newest run of the process, else one is started with `options`, the arguments of `cairn.init()`, and
    finished with the training. prefix: before the names of metrics, such as "fold1/".
    """

    def __init__(self, run: Optional[Run] = None, prefix: str = "", **options: Any) -> None:
        super().__init__()
        self._owner = Owner(run, options)
        self._prefix = prefix

    @property
    @rank_zero_experiment  # type: ignore[untyped-decorator,unused-ignore]
    def experiment(self) -> Run:
        """The run."""
        return self._owner.run

    @property
    def name(self) -> Optional[str]:
        return self._owner.run.project

    @property
    def version(self) -> Optional[str]:
        return self._owner.run.id

    @rank_zero_only  # type: ignore[untyped-decorator,unused-ignore]
    def log_hyperparams(self, params: Union[Dict[str, Any], Namespace], *_: Any, **__: Any) -> None:
        self._owner.run.config.update(params)

    @rank_zero_only  # type: ignore[untyped-decorator,unused-ignore]
    def log_metrics(self, metrics: Mapping[str, Any], step: Optional[int] = None) -> None:
        self._owner.run.log(with_prefix(metrics, self._prefix), step=step)

    @rank_zero_only  # type: ignore[untyped-decorator,unused-ignore]
    def finalize(self, status: str) -> None:
        self._owner.end(0 if status in ("success", "finished") else 1)
