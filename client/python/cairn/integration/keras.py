"""A callback for Keras.

    from cairn.integration.keras import CairnCallback
    model.fit(..., callbacks=[CairnCallback(project="digits")])
"""
from __future__ import annotations

from typing import Any, Mapping, Optional

import keras

from .._errors import Error
from .._run import Run
from ._common import Owner, with_prefix


class CairnCallback(keras.callbacks.Callback):  # type: ignore[misc,unused-ignore]
    """Logs of each epoch become rows, and with `every_batches` those of each nth batch, below "batch/". The optimizer's config
    becomes a part of the config. A stop asked for on the run's page ends the training after the current batch.

    run: default the newest run of the process, else one is started with `options`, the arguments of `cairn.init()`, and
    finished with the training.
    """

    def __init__(self, run: Optional[Run] = None, every_batches: int = 0, **options: Any) -> None:
        super().__init__()
        if every_batches < 0:
            raise Error(f"invalid every_batches {every_batches}: expected 0 or more")
        self._owner = Owner(run, options)
        self._every_batches = every_batches

    def on_train_begin(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        config = {name: value for name, value in (self.params or {}).items() if value is not None}
        optimizer = getattr(self.model, "optimizer", None)
        if optimizer is not None:
            config["optimizer"] = optimizer.get_config()
        self._owner.run.config.update(config)

    def on_train_batch_end(self, batch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        if self._every_batches and batch % self._every_batches == 0:
            self._owner.run.log(with_prefix(logs or {}, "batch/"))
        if self._owner.run.should_stop:
            self.model.stop_training = True

    def on_epoch_end(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._owner.run.log({**(logs or {}), "epoch": epoch})

    def on_train_end(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._owner.end()
