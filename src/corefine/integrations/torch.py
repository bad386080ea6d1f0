"""A metric for training with PyTorch, in the manner of torchmetrics: state, update, compute.

The state is one tensor of summed statistics, so processes are joined by adding theirs up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from corefine.errors import MissingExtraError, UsageError
from corefine.metrics.registry import MetricSpec
from corefine.scoring.evaluator import Evaluator
from corefine.scoring.sides import SideLike

try:
    import torch
except ImportError:
    raise MissingExtraError("a metric for PyTorch", "torch", "torch") from None

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module
else:
    from torch.nn import Module


class CoreferenceMetric(Module):
    """Coreference scores over batches, devices and processes.

    ``totals`` is a buffer: it moves with :meth:`to` and is saved with ``state_dict``. Its
    reduction over processes is the sum, which :meth:`sync` does. Sums are made in double
    precision, batch by batch, so the last bits can depend on the batches; those of
    :class:`corefine.Evaluator` do not.
    """

    dist_reduce_fx = "sum"
    totals: Tensor

    def __init__(self, metrics: MetricSpec = "default", **settings: Any) -> None:
        super().__init__()
        self._batch = Evaluator(metrics, **settings)
        empty = self._batch.counts().totals()
        self._names = [(metric, name) for metric, values in empty.items() for name in values]
        self.register_buffer("totals", torch.zeros(len(self._names), dtype=torch.float64))

    def update(self, preds: SideLike, target: SideLike) -> None:
        """Add a document, given as two lists of entities, or all documents of two corpora."""
        self.totals += self._counted(preds, target)

    def compute(self) -> dict[str, Tensor]:
        """``<metric>_precision``, ``<metric>_recall`` and ``<metric>_f1`` of everything so far."""
        return self._scored(self.totals)

    def forward(self, preds: SideLike, target: SideLike) -> dict[str, Tensor]:
        """Add a document, and return its scores."""
        counted = self._counted(preds, target)
        self.totals += counted
        return self._scored(counted)

    def reset(self) -> None:
        """Forget everything."""
        self.totals.zero_()

    def merge(self, other: CoreferenceMetric) -> CoreferenceMetric:
        """Add what another metric of the same making has seen, and return this one."""
        mine, theirs = self._batch, other._batch
        if self._names != other._names or mine.settings != theirs.settings:
            raise UsageError(
                "cannot merge metrics with different settings",
                remedy="Create them with the same arguments.",
            )
        self.totals += other.totals.to(self.totals.device)
        return self

    def sync(self) -> None:
        """Add up the totals of all processes of ``torch.distributed``, in each of them."""
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.all_reduce(self.totals)

    def _counted(self, preds: SideLike, target: SideLike) -> Tensor:
        self._batch.reset()
        self._batch.update(target, preds)
        totals = self._batch.counts().totals()
        self._batch.reset()
        values = [float(totals[metric][name]) for metric, name in self._names]
        return torch.tensor(values, dtype=torch.float64, device=self.totals.device)

    def _scored(self, totals: Tensor) -> dict[str, Tensor]:
        summed: dict[str, dict[str, Any]] = {}
        for (metric, name), value in zip(self._names, totals.tolist(), strict=True):
            summed.setdefault(metric, {})[name] = np.float64(value)
        results = {}
        for judge in self._batch.metrics.values():
            triple = judge.score_from(summed)._asdict()
            for name, number in triple.items():
                if number is not None:
                    results[f"{judge}_{name}"] = torch.tensor(
                        float(number), dtype=torch.float64, device=self.totals.device
                    )
        return results
