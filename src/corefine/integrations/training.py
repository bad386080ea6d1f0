"""Callbacks for training: transformers' ``Trainer`` and Lightning.

A callback scores the model after each evaluation. ``predict`` is a function from the model to its
response, in any form that :func:`corefine.score` takes. Scores are logged as ``conll_f1``,
``muc_precision``, … with the bounds ``conll_f1_low`` and ``conll_f1_high`` of the 95% confidence
interval. The result is saved in ``folder``, and to the run of wandb, Trackio, MLflow or TensorBoard
that is under way.

The best checkpoint is kept by the packages themselves: ``metric_for_best_model="conll_f1"`` of
``TrainingArguments``, and ``ModelCheckpoint(monitor="conll_f1", mode="max")`` of Lightning.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefine.errors import MissingExtraError
from corefine.integrations import flat_scores
from corefine.metrics.registry import MetricSpec
from corefine.scoring.score import score
from corefine.scoring.sides import SideLike

if TYPE_CHECKING:
    from corefine.scoring.scores import Scores


class Evaluation:
    """Scores a model against a key, and saves the result of each epoch."""

    def __init__(
        self,
        key: SideLike,
        predict: Callable[[Any], SideLike],
        folder: str | os.PathLike[str],
        metrics: MetricSpec = "default",
        *,
        name: str = "model",
        data: str = "dev",
        seed: int = 0,
        **settings: Any,
    ) -> None:
        self.key, self.predict, self.metrics = key, predict, metrics
        self.folder, self.settings, self.name = Path(folder), settings, name
        self._file = f"{name}-{data}-e{{}}-s{seed}.json"
        self.scores: Scores | None = None
        """The scores of the last evaluation."""

    def evaluate(self, model: Any, epoch: int) -> tuple[dict[str, float], Path]:
        """The scores of a model with their intervals, and the file of the saved result."""
        scores = self.scores = score(self.key, self.predict(model), self.metrics, **self.settings)
        numbers = flat_scores(scores)
        for metric, (low, high) in scores.intervals().items():
            numbers[f"{metric}_f1_low"], numbers[f"{metric}_f1_high"] = low, high
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / self._file.format(epoch)
        scores.save(path, name=self.name)
        return numbers, path


def transformers_callback(*arguments: Any, **options: Any) -> Any:
    """A callback for ``Trainer``; the arguments are those of :class:`Evaluation`."""
    try:
        from transformers import TrainerCallback
    except ImportError:
        raise MissingExtraError("a callback for Trainer", "transformers", "transformers") from None

    class CoreferenceCallback(TrainerCallback):
        """Adds coreference scores to the metrics of each evaluation."""

        def __init__(self) -> None:
            self.evaluation = Evaluation(*arguments, **options)

        def on_evaluate(
            self, args: Any, state: Any, control: Any, metrics: Any = None, **given: Any
        ) -> None:
            if not state.is_world_process_zero:
                return
            numbers, path = self.evaluation.evaluate(given["model"], round(state.epoch or 0))
            if metrics is not None:
                metrics.update({f"eval_{name}": value for name, value in numbers.items()})
            log_result(path, numbers, state.global_step)

    return CoreferenceCallback()


def lightning_callback(*arguments: Any, **options: Any) -> Any:
    """A callback for Lightning's ``Trainer``; the arguments are those of :class:`Evaluation`."""
    try:
        from lightning.pytorch import Callback
    except ImportError:
        raise MissingExtraError("a callback for Lightning", "lightning", "lightning") from None

    class CoreferenceCallback(Callback):
        """Logs coreference scores at the end of each validation, to all loggers of the trainer."""

        def __init__(self) -> None:
            self.evaluation = Evaluation(*arguments, **options)

        def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            if trainer.sanity_checking:
                return
            numbers, path = self.evaluation.evaluate(pl_module, trainer.current_epoch)
            pl_module.log_dict(numbers, rank_zero_only=True)
            log_result(path)

    return CoreferenceCallback()


def log_result(path: Path, numbers: Mapping[str, float] | None = None, step: int = 0) -> None:
    """Log a file and numbers to the runs that are under way, and numbers for TensorBoard.

    Only a module that the program has imported can have a run.
    """
    wandb, trackio, mlflow = (sys.modules.get(name) for name in ("wandb", "trackio", "mlflow"))
    if wandb is not None and wandb.run is not None:
        artifact = wandb.Artifact(f"corefine-{path.stem}", type="evaluation")
        artifact.add_file(str(path))
        wandb.log_artifact(artifact)
        if numbers:
            wandb.log({**numbers, "train/global_step": step})
    if trackio is not None and trackio.context_vars.current_run.get() is not None:
        trackio.save(str(path))
        if numbers:
            trackio.log(dict(numbers), step=step)
    if mlflow is not None and mlflow.active_run() is not None:
        mlflow.log_artifact(str(path))
        mlflow.log_metrics(dict(numbers or {}), step=step)
    if numbers and find_spec("torch") and find_spec("tensorboard"):
        from torch.utils.tensorboard import SummaryWriter

        with SummaryWriter(str(path.parent)) as writer:
            for name, value in numbers.items():
                writer.add_scalar(f"coreference/{name}", value, step)
