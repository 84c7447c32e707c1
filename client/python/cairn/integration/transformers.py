"""A callback for the Trainer of Hugging Face's Transformers.

    from cairn.integration.transformers import CairnCallback
    trainer = Trainer(..., callbacks=[CairnCallback(project="digits")])
"""
from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from transformers import TrainerCallback

from .._run import Run
from ._common import Owner


def _name_of(name: str) -> str:
    """Names with the part of the work first, as the Trainer's other loggers have them: eval_loss is eval/loss."""
    for part in ("eval", "test"):
        if name.startswith(f"{part}_"):
            return f"{part}/{name[len(part) + 1:]}"
    return f"train/{name}"


class CairnCallback(TrainerCallback):  # type: ignore[misc,unused-ignore]
    """Logs become rows at the trainer's step, the arguments and the model's config the config. A stop asked for on the run's page
    ends the training after the current step. Only the main process logs.

    run: default the newest run of the process, else one is started with `options`, the arguments of `cairn.init()`, and
    finished with the training.
    """

    def __init__(self, run: Optional[Run] = None, **options: Any) -> None:
        self._owner = Owner(run, options)

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        if not state.is_world_process_zero:
            return
        config: Dict[str, Any] = dict(args.to_dict())
        if getattr(model, "config", None) is not None:
            config["model"] = model.config.to_dict()
        self._owner.run.config.update(config)

    def on_log(self, args: Any, state: Any, control: Any, logs: Optional[Mapping[str, Any]] = None, **_: Any) -> None:
        if state.is_world_process_zero and logs:
            row = {_name_of(name): value for name, value in logs.items() if name != "epoch"}
            self._owner.run.log({**row, "train/epoch": state.epoch}, step=state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.is_world_process_zero and self._owner.run.should_stop:
            control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            self._owner.end()
