"""LMUC, LB³, LCEAFm and LCEAFe: the classic metrics with links weighted by information."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError, choose
from corefine.metrics.base import (
    Contributions,
    MentionMetric,
    Metric,
    Properties,
    RatioMetric,
    Statistics,
    Triple,
    f_measure,
    ratio,
)
from corefine.metrics.ceaf import aligned, aligned_statistics
from corefine.metrics.link_weights import (
    PRESETS,
    ChainWeights,
    LinkWeight,
    Weights,
    chain_weights,
    spanning_chain_weights,
)
from corefine.metrics.registry import register
from corefine.metrics.table import MentionTable

CHEN_NG = """\
@inproceedings{chen-ng-2013-linguistic,
  author = {Chen, Chen and Ng, Vincent},
  title = {Linguistically Aware Coreference Evaluation Metrics},
  booktitle = {Proceedings of the Sixth International Joint Conference on Natural Language \
Processing},
  year = {2013},
}"""
CITATION = "Chen & Ng 2013, Linguistically aware coreference evaluation metrics, IJCNLP"
_PARTS = ("name", "nominal", "pronoun", "singleton")
_DEFAULT = PRESETS["W4"]
_SPLIT = Properties(symmetric=False, needs_kinds=True, splits_twinless=True)


@dataclass(frozen=True)
class LinguisticMetric(RatioMetric):
    """A metric that sees a chain only through its weight.

    ``weights`` is a preset of the paper (``W1`` to ``W5``), :class:`.Weights`, four numbers for
    links with a name, links with a nominal, other links and singletons, or, in Python, a function
    of two :class:`Expression` that gives the weight of the link between them;
    ``singleton`` is then what a singleton weighs (1 unless given).
    """

    properties = Properties(symmetric=False, needs_kinds=True)

    weights: Weights | LinkWeight | str | tuple[float, float, float, float] = _DEFAULT
    singleton: float | None = None

    def __post_init__(self) -> None:
        weights, singleton = self.weights, self.singleton
        if isinstance(weights, str):
            weights = PRESETS[choose(f"the weights of {self.name}", weights, tuple(PRESETS))]
        elif isinstance(weights, tuple | list):
            if len(weights) != len(_PARTS):
                raise UsageError(f"{self.name} takes four weights: {', '.join(_PARTS)}")
            weights = Weights(*weights)
        if isinstance(weights, Weights):
            if singleton is not None:
                weights, singleton = replace(weights, singleton=singleton), None
        elif not callable(weights):
            raise UsageError(f"the weights of {self.name} cannot be {weights!r}")
        else:
            singleton = Weights(0, 0, 0, 1.0 if singleton is None else singleton).singleton
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "singleton", singleton)

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> Metric:
        for parameter in parameters:
            if parameter != "weights" and parameter not in _PARTS:
                raise UsageError(
                    f"{cls.name} has no parameter {parameter!r}",
                    remedy=f"It takes: weights, {', '.join(_PARTS)}.",
                )
        preset = parameters.get("weights", "W4").upper()
        weights = PRESETS[choose(f"the weights of {cls.name}", preset, tuple(PRESETS))]
        given = {part: _number(part, parameters[part]) for part in _PARTS if part in parameters}
        return cls(weights=replace(weights, **given))

    def parameters(self) -> dict[str, Any]:
        weights = self.weights
        if not isinstance(weights, Weights):
            parameters: dict[str, Any] = {"weights": weights}
            return parameters if self.singleton == 1 else parameters | {"singleton": self.singleton}
        if weights == _DEFAULT:
            return {}
        for name, preset in PRESETS.items():
            if weights == preset:
                return {"weights": name}
        return {part: float(getattr(weights, part)) for part in _PARTS}

    def chain_weights(self, table: MentionTable) -> ChainWeights:
        """Weights of cells and entities, computed once for all four metrics."""
        return table.shared(
            ("chain weights", self.weights, self.singleton), lambda: self._chain_weights(table)
        )

    def _chain_weights(self, table: MentionTable) -> ChainWeights:
        if isinstance(self.weights, Weights):
            return chain_weights(table, self.weights)
        assert callable(self.weights)
        assert self.singleton is not None
        return spanning_chain_weights(table, self.weights, self.singleton)

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        # A part may be its whole summed in another order, and pass it by a rounding error.
        precision = np.minimum(ratio(totals["precision_part"], totals["precision_whole"]), 1)
        recall = np.minimum(ratio(totals["recall_part"], totals["recall_whole"]), 1)
        return Triple(precision, recall, f_measure(precision, recall))


def _number(part: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"the weight {part}={text} is not a number",
            remedy="Write, for example, name=1,nominal=0.75,pronoun=0.5,singleton=1.",
        ) from None


@register
class Lmuc(LinguisticMetric):
    r"""Linguistically aware MUC (Chen & Ng 2013).

    .. math:: R = \frac{\sum_{k,r} w_c(k \cap r)}{\sum_k w_k(k)}, \quad
              P = \frac{\sum_{k,r} w_c(k \cap r)}{\sum_r w_s(r)}

    w_c and w_k are the weight of a maximum spanning tree whose links weigh by the best kind of
    mention in them; w_s adds to the trees of the correct parts of r the heaviest links that join
    these parts (equation 11), so that only wrong links cost precision. A mention that the key lacks
    is a part of its own. A singleton weighs ``singleton``, and is found only as a singleton.
    ``lmuc(name=1,nominal=1,pronoun=1,singleton=0)`` is MUC.
    """

    name = "lmuc"
    title = "LMUC"
    summary = "MUC with links weighted by mention kind: a link to a name is worth the most."
    use = (
        "Use it when links should count by how informative they are: a pronoun resolved to a "
        "name is worth more than one resolved to another pronoun. It is MUC with links "
        "weighted by their most informative mention, and with singletons. It needs mention "
        "kinds; the weights can be set."
    )
    example = 'corefine score key.conll response.conll --metrics "lmuc(weights=W5)" --kinds guess'
    citation = CITATION
    references = (CHEN_NG,)

    def contributions(self, table: MentionTable) -> Contributions:
        weights = self.chain_weights(table)
        return Contributions(weights.cells, weights.cells, weights.response, weights.key)


@register
class LBCubed(LinguisticMetric, MentionMetric):
    r"""Linguistically aware B³ (Chen & Ng 2013).

    .. math:: R = \frac{\sum_{k,r} |k \cap r| \, w_c(k \cap r) / w_k(k)}{\sum_k |k|}, \quad
              P = \frac{\sum_{k,r} |k \cap r| \, w_c(k \cap r) / w_s(r)}{\sum_r |r|}

    Recall averages over the key's mentions, precision over the response's. A singleton that should
    not be one scores 0, unlike in B³. Chains of weight zero are left out.
    """

    name = "lb3"
    title = "LB³"
    summary = "B³ with links weighted by mention kind."
    use = (
        "Use it to measure, for each mention, how much of its entity's link weight was found. "
        "Unlike B³ it gives no credit to a wrong singleton. The singleton weight has no effect, "
        "unless it is 0, which leaves singletons out."
    )
    example = "corefine score key.conll response.conll --metrics b3,lb3"
    citation = CITATION
    references = (CHEN_NG,)
    properties = _SPLIT
    aliases = ("lbcub", "lb³")

    def contributions(self, table: MentionTable) -> Contributions:
        weights, cells, key, response = (
            self.chain_weights(table),
            table.cells,
            table.key,
            table.response,
        )
        found = cells.count * weights.cells
        return Contributions(
            ratio(found, weights.response[cells.response]),
            ratio(found, weights.key[cells.key]),
            np.where(weights.response > 0, response.size, 0),
            np.where(weights.key > 0, key.size, 0),
        )


@register
class LCeafM(LinguisticMetric):
    r"""Linguistically aware mention-based CEAF (Chen & Ng 2013), with φ3 = w_c.

    .. math:: R = \frac{\Phi(g^*)}{\sum_k w_k(k)}, \quad P = \frac{\Phi(g^*)}{\sum_r w_s(r)}
    """

    name = "lceafm"
    title = "LCEAFm"
    summary = "CEAFm with links weighted by mention kind."
    use = (
        "Use it when entities should be aligned at most once and links to names should count "
        "more. A split entity keeps the weight of one part. With singleton=0 singletons are "
        "ignored."
    )
    example = 'corefine score key.conll response.conll --metrics "lceafm(singleton=0)"'
    citation = CITATION
    references = (CHEN_NG,)
    properties = _SPLIT

    def statistics(self, table: MentionTable) -> Statistics:
        weights = self.chain_weights(table)
        found = aligned(table, weights.cells)
        return aligned_statistics(table, Contributions(found, found, weights.response, weights.key))


@register
class LCeafE(LinguisticMetric):
    r"""Linguistically aware entity-based CEAF (Chen & Ng 2013), with φ4 = 2w_c / (w_k + w_s).

    .. math:: R = \frac{\Phi(g^*)}{|K|}, \quad P = \frac{\Phi(g^*)}{|R|}

    Entities of weight zero are counted neither in :math:`|K|` nor in :math:`|R|`; φ4 of 0/0 is 0.
    """

    name = "lceafe"
    title = "LCEAFe"
    summary = "CEAFe with links weighted by mention kind."
    use = (
        "Use it when every entity should count the same, but be judged by its informative "
        "links. An entity that lost its name is less similar to the key than one that lost a "
        "pronoun. As with CEAFe, small entities count as much as large ones."
    )
    example = "corefine score key.conll response.conll --metrics ceafe,lceafe"
    citation = CITATION
    references = (CHEN_NG,)
    properties = _SPLIT
    aliases = ("lceaf",)

    def statistics(self, table: MentionTable) -> Statistics:
        weights, cells = self.chain_weights(table), table.cells
        sides = weights.key[cells.key] + weights.response[cells.response]
        found = aligned(table, ratio(2 * weights.cells, sides))
        return aligned_statistics(
            table, Contributions(found, found, weights.response > 0, weights.key > 0)
        )
