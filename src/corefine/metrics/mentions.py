"""Mention detection, and entities that are reproduced exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from corefine.metrics.base import Contributions, MentionMetric, RatioMetric
from corefine.metrics.table import Table

CONLL_2011 = """\
@inproceedings{pradhan-etal-2011-conll,
  author = {Pradhan, Sameer and Ramshaw, Lance and Marcus, Mitchell and Palmer, Martha and \
Weischedel, Ralph and Xue, Nianwen},
  title = {{CoNLL}-2011 Shared Task: Modeling Unrestricted Coreference in {OntoNotes}},
  booktitle = {Proceedings of the Fifteenth Conference on Computational Natural Language Learning: \
Shared Task},
  year = {2011},
}"""

UA_SCORER = """\
@inproceedings{yu-etal-2022-ua,
  author = {Yu, Juntao and others},
  title = {The {U}niversal {A}naphora Scorer},
  booktitle = {Proceedings of the Thirteenth Language Resources and Evaluation Conference},
  year = {2022},
}"""


class MentionDetection(MentionMetric):
    r"""Precision and recall of the sets of mentions.

    .. math:: R = \frac{|M_k \cap M_r|}{|M_k|}, \quad P = \frac{|M_k \cap M_r|}{|M_r|}

    Use it along with every other metric, since only detected mentions can be linked. It
    distinguishes missed mentions from wrong links. It ignores coreference, and is 100 with gold
    mentions.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics mentions,lea
    """

    name = "mentions"
    title = "Mentions"
    summary = "Mention detection."
    citation = "Pradhan et al. 2011, CoNLL-2011 shared task, CoNLL"
    references = (CONLL_2011,)
    aliases: ClassVar[tuple[str, ...]] = ("mention", "mention-detection")

    def contributions(self, table: Table) -> Contributions:
        count = table.cells.count
        return Contributions(count, count, table.response.size, table.key.size)


@dataclass(frozen=True)
class NonReferring(MentionDetection):
    """Expressions that refer to nothing: how many of the spans are the same on both sides.

    Use it when key and response annotate non-referring expressions, such as expletives and
    predicates. Spans must be equal. Non-referring expressions belong to no entity and do not affect
    other metrics.

    .. code-block:: console

        $ corefine score key.ua response.ua --metrics nonreferring
    """

    name = "nonreferring"
    title = "Non-referring"
    summary = "Spans of non-referring expressions."
    citation = "Yu et al. 2022, The Universal Anaphora Scorer, LREC"
    references = (UA_SCORER,)
    aliases = ("non-referring",)
    perfect_is_one = False
    needs_text = True
    divides_by = frozenset()

    layer: str = field(default="nonreferring", kw_only=True)


class ExactEntities(RatioMetric):
    r"""The entities that both sides have with the same mentions.

    .. math:: R = \frac{|K \cap R|}{|K|} \qquad P = \frac{|K \cap R|}{|R|}

    Singletons count like other entities. Entity resolution calls it cluster precision and recall
    (Barnes 2015; Binette & Steorts 2022).

    Use it to know how many entities need no correction. It gives nothing for an entity of which a
    single mention is missing. It falls quickly with the size of entities.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics exact
    """

    name = "exact"
    title = "Exact entities"
    summary = "Entities that are reproduced exactly (cluster precision and recall)."
    citation = "Barnes 2015, A practioner's guide to evaluating entity resolution results"
    references = (
        """\
@misc{barnes-2015-practioners,
  author = {Barnes, Matt},
  title = {A Practioner's Guide to Evaluating Entity Resolution Results},
  year = {2015},
  note = {arXiv:1509.04238},
}""",
    )
    aliases = ("clusters",)

    def contributions(self, table: Table) -> Contributions:
        """Each cell that is a whole entity on both sides counts once."""
        cells, key, response = table.cells, table.key.size, table.response.size
        whole = (cells.count == key[cells.key]) & (cells.count == response[cells.response])
        return Contributions(
            whole.astype(np.int64),
            whole.astype(np.int64),
            np.ones(len(response), np.int64),
            np.ones(len(key), np.int64),
        )
