"""The share of entities that are reproduced exactly."""

from __future__ import annotations

import numpy as np

from corefine.metrics.base import Contributions, RatioMetric
from corefine.metrics.table import MentionTable


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

    def contributions(self, table: MentionTable) -> Contributions:
        """Each cell that is a whole entity on both sides counts once."""
        cells, key, response = table.cells, table.key.size, table.response.size
        whole = (cells.count == key[cells.key]) & (cells.count == response[cells.response])
        return Contributions(
            whole.astype(np.int64),
            whole.astype(np.int64),
            np.ones(len(response), np.int64),
            np.ones(len(key), np.int64),
        )
