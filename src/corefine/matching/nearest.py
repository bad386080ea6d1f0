"""Match mentions whose words differ, by head, part or minimum span; and match zeros.

Candidates come from a join on one word; what remains is a small assignment for each group of
mentions that compete, so the cost follows the number of mentions, not of pairs.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, ranges
from corefine.errors import UsageError
from corefine.matching.minimum_spans import match_minimum_spans, parsed_documents
from corefine.matching.places import Places

TIE = 1e-9
"""Largest contribution of mention order to an overlap: just enough to break ties."""
LARGEST_TABLE = 1 << 24
"""Cells of a document's table of mentions up to which ties are settled as the reference does."""


def match_nearest(
    key: Places, response: Places, keys: IntArray, responses: IntArray, how: str
) -> tuple[IntArray, IntArray]:
    """Pair mentions, by index, one to one, so that the sum of overlaps is greatest.

    ``head``: both have the same head. ``partial``: the response's words are among the key's
    and contain its head. ``min``: they are among the key's and contain its minimum span or, in
    documents without annotated minimum spans, both have the same minimum span in the
    parse trees of the key. The overlap of a pair is the share of the key's words that the response
    has.
    """
    if how == "min":
        parsed = parsed_documents(key.corpus)
        ours = parsed[key.corpus.mentions.document[keys]]
        theirs = parsed[response.corpus.mentions.document[responses]]
        by_tree = match_minimum_spans(key, response, keys[ours], responses[theirs])
        others = _match_nearest(key, response, keys[~ours], responses[~theirs], how)
        return np.append(by_tree[0], others[0]), np.append(by_tree[1], others[1])
    return _match_nearest(key, response, keys, responses, how)


def _match_nearest(
    key: Places, response: Places, keys: IntArray, responses: IntArray, how: str
) -> tuple[IntArray, IntArray]:
    if how == "head":
        anchor = response.head[responses]
        ours, theirs = _join(key, response, keys, responses, key.head[keys], anchor)
    else:
        ours, theirs = _covering(key, response, keys, responses, how)
    overlap = _overlap(key, response, ours, theirs)
    if how != "head":
        inside = overlap == _sizes(response, theirs)
        ours, theirs, overlap = ours[inside], theirs[inside], overlap[inside]
    return _assign(key, response, keys, responses, (ours, theirs, overlap / _sizes(key, ours)))


def _join(
    key: Places,
    response: Places,
    keys: IntArray,
    responses: IntArray,
    key_anchor: IntArray,
    response_anchor: IntArray,
) -> tuple[IntArray, IntArray]:
    """All pairs whose anchors are the same place of the same document (or window of it)."""
    ours, theirs = key.unit[keys], response.unit[responses]
    width = 1 + max(int(key_anchor.max(initial=0)), int(response_anchor.max(initial=0)))
    known = response_anchor >= 0
    code = theirs[known] * width + response_anchor[known]
    order = np.argsort(code, kind="stable")
    code, candidates = code[order], responses[known][order]
    wanted = np.where(key_anchor >= 0, ours * width + key_anchor, -1)
    low = np.searchsorted(code, wanted, "left")
    count = np.searchsorted(code, wanted, "right") - low
    return np.repeat(keys, count), candidates[ranges(low, count)]


def _covering(
    key: Places, response: Places, keys: IntArray, responses: IntArray, how: str
) -> tuple[IntArray, IntArray]:
    """Pairs in which the response holds the key's head, or its whole minimum span."""
    rows, places = response.words(responses)
    if how == "partial":
        return _join(key, response, keys, responses[rows], key.head[keys], places)
    minimum = key.corpus.mentions.minimum
    if minimum is None:
        return keys[:0], responses[:0]
    document = key.corpus.mentions.document[keys]
    low = key.at(document, minimum[0][keys])
    high = key.at(document, minimum[1][keys] - 1)
    last = np.full(len(key.corpus.mentions), -1)
    last[keys] = np.where(low < 0, -1, high)
    ours, theirs = _join(key, response, keys, responses[rows], np.where(low < 0, -1, low), places)
    holds = response.last[theirs] >= last[ours]
    return ours[holds], theirs[holds]


def _sizes(side: Places, rows: IntArray) -> IntArray:
    return np.bincount(side.words(rows)[0], minlength=len(rows))


def _overlap(key: Places, response: Places, ours: IntArray, theirs: IntArray) -> IntArray:
    """Number of words that the two mentions of each pair share."""
    our_pair, our_place = key.words(ours)
    their_pair, their_place = response.words(theirs)
    width = 1 + max(int(our_place.max(initial=0)), int(their_place.max(initial=0)))
    shared = np.intersect1d(our_pair * width + our_place, their_pair * width + their_place)
    return np.bincount(shared // width, minlength=len(ours))


def _assign(
    key: Places,
    response: Places,
    keys: IntArray,
    responses: IntArray,
    candidates: tuple[IntArray, IntArray, FloatArray],
) -> tuple[IntArray, IntArray]:
    """Choose candidates one to one so that the sum of their weights is greatest.

    If several choices are best, take that of the reference scorer: the
    shortest augmenting paths of Jonker and Volgenant find it in the table of all the document's
    mentions, ordered by first word, last word and size. Mostly that is the choice of the earliest,
    but it hangs on what the rest of the table looks like, so the whole table is made. Documents too
    large for one fall back on a preference for mentions that start, then end, earlier.
    """
    ours, theirs, weight = candidates
    rows, columns = _in_order(key, keys), _in_order(response, responses)
    units, other_units = key.unit[rows], response.unit[columns]
    rank, other_rank = np.empty(len(key.unit), np.int64), np.empty(len(response.unit), np.int64)
    rank[rows], other_rank[columns] = np.arange(len(rows)), np.arange(len(columns))
    chosen = np.zeros(len(ours), bool)
    pairs = np.argsort(key.unit[ours], kind="stable")
    opens = np.flatnonzero(np.diff(key.unit[ours[pairs]])) + 1
    for here in np.split(pairs, opens) if len(pairs) else ():
        unit = key.unit[ours[here[0]]]
        low, high = np.searchsorted(units, [unit, unit + 1])
        left, right = np.searchsorted(other_units, [unit, unit + 1])
        row, column = rank[ours[here]] - low, other_rank[theirs[here]] - left
        chosen[here] = _solve(row, column, weight[here], (high - low, right - left))
    return ours[chosen], theirs[chosen]


def _solve(
    row: IntArray, column: IntArray, weight: FloatArray, shape: tuple[int, int]
) -> BoolArray:
    """Mask of the cells to choose from one document's table."""
    if shape[0] * shape[1] <= LARGEST_TABLE:
        return _best(row, column, weight, shape)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = sum(shape)
    graph = coo_array((weight, (row, shape[0] + column)), shape=(count, count))
    component = connected_components(graph, directed=False)[1][row]
    preferred = weight + TIE * (2 - row / shape[0] - column / shape[1])
    chosen = np.zeros(len(row), bool)
    order = np.argsort(component, kind="stable")
    for cells in np.split(order, np.flatnonzero(np.diff(component[order])) + 1):
        (rows, own_row), (columns, own_column) = (
            np.unique(side[cells], return_inverse=True) for side in (row, column)
        )
        own_shape = len(rows), len(columns)
        chosen[cells] = _best(own_row, own_column, preferred[cells], own_shape)
    return chosen


def _best(row: IntArray, column: IntArray, weight: FloatArray, shape: tuple[int, int]) -> BoolArray:
    """Mask of the cells that SciPy's solver chooses from a table; missing cells weigh nothing."""
    from scipy.optimize import linear_sum_assignment

    table = np.zeros(shape)
    table[row, column] = -weight
    column_of = np.full(shape[0], -1)
    assigned, to = linear_sum_assignment(table)
    column_of[assigned] = to
    return np.asarray(column_of[row] == column)


def _in_order(side: Places, mentions: IntArray) -> IntArray:
    """The mentions by document, first place, last place and number of words."""
    document = side.unit[mentions]
    order = np.lexsort(
        (_sizes(side, mentions), side.last[mentions], side.first[mentions], document)
    )
    return mentions[order]


def match_zeros(key: Places, response: Places) -> tuple[IntArray, IntArray]:
    """Pairs of zeros, one to one within sentences, by the dependencies of their heads.

    A pair weighs 10·F(parent and relation) + F(parent) over the enhanced dependencies of the two
    heads; pairs that share no parent do not match.
    """
    ours, theirs = np.flatnonzero(key.zero), np.flatnonzero(response.zero)
    if not len(ours) or not len(theirs):
        return ours[:0], theirs[:0]
    rows, columns = _join(
        key, response, ours, theirs, _sentence(key, ours), _sentence(response, theirs)
    )
    our_links = dict(zip(ours.tolist(), _dependencies(key, ours), strict=True))
    their_links = dict(zip(theirs.tolist(), _dependencies(response, theirs), strict=True))
    weight = np.array(
        [
            _similarity(our_links[row], their_links[column])
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        ]
    )
    likely: BoolArray = weight > 0
    candidates = (rows[likely], columns[likely], weight[likely])
    return _assign(key, response, ours, theirs, candidates)


def _sentence(side: Places, rows: IntArray) -> IntArray:
    """The sentence of each mention's head, as an index within its document."""
    tokens = side.corpus.tokens
    assert tokens is not None
    document = side.corpus.mentions.document[rows]
    before = np.searchsorted(tokens.sentences, tokens.offsets[document], side="left")
    return tokens.sentence_of(side.head_tokens[rows]) - before


Links = tuple[frozenset[str], frozenset[str]]


def _dependencies(side: Places, rows: IntArray) -> list[Links]:
    """For each mention's head its enhanced dependencies: (parent and relation), and parents."""
    tokens = side.corpus.tokens
    assert tokens is not None
    layer = tokens.layers.get("deps")
    if layer is None:
        raise UsageError(
            "matching zeros by dependencies needs enhanced dependencies, which the file lacks",
            side.corpus.location(int(side.corpus.mentions.document[rows[0]])),
            "Fill in the DEPS column of the CoNLL-U file, or use --zeros linear (zeros='linear').",
        )
    found = []
    for written in layer.take(side.head_tokens[rows]):
        links = frozenset(written.split("|")) - {"", "_"}
        found.append((links, frozenset(link.partition(":")[0] for link in links)))
    return found


def _similarity(ours: Links, theirs: Links) -> float:
    return 10 * _agreement(ours[0], theirs[0]) + _agreement(ours[1], theirs[1])


def _agreement(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """F1 of two sets."""
    common = len(ours & theirs)
    return 2 * common / (len(ours) + len(theirs)) if common else 0.0
