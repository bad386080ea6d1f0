"""Sensitivity: does the order of two systems depend on scoring conventions?

The systems are scored under every combination of the settings on which scorers differ and every
metric. A *variant* is one combination and one metric. Those that cannot be computed, such as head
matching without heads, are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError
from corefine.matching.settings import CHOICES
from corefine.output.grid import Column, Grid, Value
from corefine.scoring.count import count
from corefine.scoring.request import Request
from corefine.scoring.resampling import TIE

VARIED = ("match", "singletons", "twinless", "zeros")

Variant = tuple[str, ...]
"""Choices such as ``match=exact``, the last of which is the metric."""


def variant_scores(key: Corpus, response: Corpus, request: Request) -> dict[Variant, float]:
    """F1 of a response under all variants that can be computed."""
    found = {}
    for values in product(*(CHOICES[name] for name in VARIED)):
        choices: dict[str, Any] = dict(zip(VARIED, values, strict=True))
        settings = replace(request.settings, **choices)
        for name, metric in request.metrics.items():
            one = replace(request, metrics={name: metric}, settings=settings, by=())
            try:
                score = count(key, response, one).scores().by_name[str(metric)]
            except CorefineError:
                continue
            written = (*(f"{name}={value}" for name, value in choices.items()), f"metric={metric}")
            found[written] = score.f1
    return found


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """F1 of each system under the variants that all systems have."""

    f1: Mapping[str, Mapping[Variant, float]]

    @property
    def variants(self) -> list[Variant]:
        """Variants that could be computed for every system."""
        first, *others = self.f1.values()
        return [variant for variant in first if all(variant in one for one in others)]

    def order(self, first: str, second: str) -> dict[str, Any]:
        """Variants in which the first system is better, equal and worse, and the least stable."""
        signs = {}
        for variant in self.variants:
            difference = self.f1[first][variant] - self.f1[second][variant]
            signs[variant] = 0 if abs(difference) <= TIE else (1 if difference > 0 else -1)
        counts = Counter(signs.values())
        usual = max((1, 0, -1), key=lambda sign: counts[sign])
        by_choice: dict[str, list[bool]] = {}
        for variant, sign in signs.items():
            for choice in variant:
                by_choice.setdefault(choice, []).append(sign == usual)
        shares = {choice: sum(kept) / len(kept) for choice, kept in by_choice.items()}
        return {
            "first": first,
            "second": second,
            "better": counts[1],
            "equal": counts[0],
            "worse": counts[-1],
            "kept": counts[usual] / max(len(signs), 1),
            "shares": shares,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        orders = [self.order(*pair) for pair in combinations(self.f1, 2)]
        return {"variants": len(self.variants), "orders": orders}

    def grid(self) -> Grid:
        """One row per pair: how often it keeps its order, and under which settings it does not."""
        rows: list[tuple[Value, ...]] = []
        for order in self.to_dict()["orders"]:
            least = sorted((share, choice) for choice, share in order["shares"].items())[:3]
            named = ", ".join(f"{choice} {100 * share:.0f}%" for share, choice in least)
            counts = (order[name] for name in ("kept", "better", "equal", "worse"))
            rows.append((order["first"], order["second"], *counts, named))
        columns = [Column("first"), Column("second"), Column("order kept", "percent", "kept")]
        columns += [Column(name, "integer") for name in ("better", "equal", "worse")]
        title = f"Order of two systems under {len(self.variants)} scoring variants"
        return Grid((*columns, Column("least stable under", name="least_kept")), rows, title)
