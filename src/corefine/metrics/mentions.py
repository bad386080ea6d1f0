"""Mention detection: precision and recall of mentions, whatever they refer to."""

from __future__ import annotations

from corefine.metrics.base import Contributions, MentionMetric
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
    aliases = ("mention", "mention-detection")

    def contributions(self, table: Table) -> Contributions:
        count = table.cells.count
        return Contributions(count, count, table.response.size, table.key.size)
