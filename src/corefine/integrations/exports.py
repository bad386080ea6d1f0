"""Results in the forms of other catalogues: Every Eval Ever, and model cards of Hugging Face."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from corefine.errors import UsageError
from corefine.scoring.scores import Scores

SCHEMA_VERSION = "0.3.0"
CONFIDENCE = 0.95
REPLICATES = 10_000


def _values(scores: Scores) -> Iterator[tuple[str, str, float, tuple[float, float] | None]]:
    """Metric, side (precision, recall or f1), value, and the interval of F1 if there is one."""
    intervals = scores.intervals(replicates=REPLICATES, confidence=CONFIDENCE)
    for metric, found in scores.by_name.items():
        for side, value in found.to_dict().items():
            yield metric, side, value, intervals.get(metric) if side == "f1" else None


def every_eval_ever(
    scores: Scores,
    model: str,
    dataset: str,
    *,
    date: datetime | None = None,
    organization: str = "unknown",
) -> dict[str, Any]:
    """An evaluation by the schema of Every Eval Ever, with intervals and signatures.

    ``model`` is an id such as ``organization/model``, and ``dataset`` the name of the key.
    """
    when = str(int((date or datetime.now(UTC)).timestamp()))
    results = []
    for metric, side, value, interval in _values(scores):
        details: dict[str, Any] = {"score": value}
        if interval is not None:
            details["uncertainty"] = {
                "confidence_interval": {
                    "lower": interval[0],
                    "upper": interval[1],
                    "confidence_level": CONFIDENCE,
                    "method": "bootstrap over documents",
                },
                "num_samples": len(scores.counts.documents),
                "num_bootstrap_samples": REPLICATES,
            }
        results.append(
            {
                "evaluation_result_id": f"{metric}_{side}",
                "evaluation_name": f"coreference resolution, {metric} {side}",
                "source_data": {
                    "dataset_name": dataset,
                    "source_type": "other",
                    "additional_details": {"documents": str(len(scores.counts.documents))},
                },
                "metric_config": {
                    "metric_id": f"coreference.{metric}_{side}",
                    "metric_name": f"{metric} {side}",
                    "metric_kind": side,
                    "metric_unit": "proportion",
                    "lower_is_better": False,
                    "score_type": "continuous",
                    "min_score": 0,
                    "max_score": 1,
                    "additional_details": {"signature": str(scores.signature_of(metric))},
                },
                "score_details": details,
            }
        )
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"coreference-{dataset}/{model}/{when}",
        "retrieved_timestamp": when,
        "source_metadata": {
            "source_name": "corefine",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "corefine",
            "version": scores.signature.version,
            "additional_details": {"signature": str(scores.signature)},
        },
        "model_info": {
            "name": model.rpartition("/")[2],
            "id": model,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
            },
        },
        "evaluation_results": results,
    }


def model_index(scores: Scores, model: str, dataset: str) -> str:
    """The header of a model card: percentages with intervals and signatures as arguments."""
    lines = [
        "---",
        "model-index:",
        f"- name: {json.dumps(model)}",
        "  results:",
        "  - task:",
        "      type: coreference-resolution",
        "    dataset:",
        f"      name: {json.dumps(dataset)}",
        f"      type: {json.dumps(dataset)}",
        "    metrics:",
    ]
    for metric, side, value, interval in _values(scores):
        details: dict[str, Any] = {"signature": str(scores.signature_of(metric))}
        if interval is not None:
            details["confidence_interval"] = [round(100 * bound, 2) for bound in interval]
        row = {"name": f"{metric} {side}", "value": round(100 * value, 2), "args": details}
        lines.append(f"    - {json.dumps({'type': f'{metric}_{side}', **row})}")
    return "\n".join([*lines, "---", ""])


def exported(
    scores: Scores, form: str, model: str, dataset: str, date: datetime | None = None
) -> str:
    """A result in one of the forms, as text."""
    if scores.breakdowns:
        raise UsageError(
            "a result with breakdowns cannot be exported", remedy="Save it without --by."
        )
    if form == "model-card":
        return model_index(scores, model, dataset)
    return json.dumps(every_eval_ever(scores, model, dataset, date=date), indent=2) + "\n"
