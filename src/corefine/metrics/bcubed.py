"""B³: the share of each mention's entity that was found."""

from __future__ import annotations

from corefine.metrics.base import Contributions, MentionMetric, Properties
from corefine.metrics.registry import register
from corefine.metrics.table import Table

BAGGA_BALDWIN = """\
@inproceedings{bagga-baldwin-1998-b3,
  author = {Bagga, Amit and Baldwin, Breck},
  title = {Algorithms for Scoring Coreference Chains},
  booktitle = {The First International Conference on Language Resources and Evaluation Workshop \
on Linguistics Coreference},
  year = {1998},
}"""


@register
class BCubed(MentionMetric):
    r"""The mention-based metric B³ (Bagga & Baldwin 1998).

    .. math:: R = \frac{\sum_{k,r} |k \cap r|^2 / |k|}{\sum_k |k|}, \quad
              P = \frac{\sum_{k,r} |k \cap r|^2 / |r|}{\sum_r |r|}

    A mention that only one side has counts in that side's denominator and earns nothing.

    Use it when every mention should count the same, in large and small entities. For each mention
    it measures how complete and how pure its entity is. Singletons dominate the score where there
    are many.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics b3 --singletons drop
    """

    name = "b3"
    title = "B³"
    summary = "Mention-based: how complete and pure each mention's entity is."
    citation = "Bagga & Baldwin 1998, Algorithms for scoring coreference chains, LREC"
    references = (BAGGA_BALDWIN,)
    properties = Properties(splits_twinless=True, split_antecedents=True)
    aliases = ("bcub", "bcubed", "b-cubed", "b³")

    def contributions(self, table: Table) -> Contributions:
        cells, key, response = table.cells, table.key, table.response
        square = cells.count * cells.count
        return Contributions(
            square / response.size[cells.response],
            square / key.size[cells.key],
            response.size,
            key.size,
        )
