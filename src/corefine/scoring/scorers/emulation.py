"""Counts of two corpora under the profile of another scorer.

Corpora are changed as the scorer reads them (brackets, heads, windows) and listed as it sees them:
per document, entities as lists of mention numbers, which its counters take.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.corpus.words import first_words
from corefine.errors import UsageError
from corefine.matching.documents import align_texts, pair_documents
from corefine.matching.fingerprint import Fingerprint, annotation_code
from corefine.matching.match import first_occurrences, identify
from corefine.matching.matched import Tally
from corefine.matching.places import Places
from corefine.matching.settings import Settings
from corefine.matching.units import TokenWindows
from corefine.metrics.anaphors import spans_of
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.blanc import Blanc
from corefine.metrics.layers import Deixis
from corefine.metrics.overlap import has_words, shared_names, shared_words
from corefine.metrics.registry import MetricSpec, parse, resolve
from corefine.scoring.count import Counts, match, metric_statistics, tabulate
from corefine.scoring.request import Request, in_layer
from corefine.scoring.scorers.counters import Entities, anaphors, count
from corefine.scoring.scorers.profiles import ScorerProfile, profile_under

BRACKETED = frozenset({"conll", "semeval", "conll-ud"})
"""Formats whose mentions are pairs of brackets in a column."""


def read_as(corpus: Corpus, profile: ScorerProfile) -> Corpus:
    """The corpus as the scorer reads it."""
    if profile.brackets == "opening first":
        corpus = opening_first(corpus)
    elif profile.brackets == "last opened":
        corpus = last_opened(corpus)
    if profile.skips_adjacent_brackets:
        corpus = without_adjacent_brackets(corpus)
    if profile.heads == "first word":
        corpus = headed_by_first_word(corpus)
    return corpus


def closing_order(mentions: Mentions) -> IntArray:
    """The position of the closing bracket in its cell; -1 for mentions of one token."""
    if mentions.closing is not None:
        return mentions.closing
    return np.where(mentions.stop - mentions.start > 1, 0, -1)


def opening_first(corpus: Corpus) -> Corpus:
    """The corpus if opening brackets of a token come before closing ones.

    This matters if a mention ends at the token at which another of the same entity starts, as in
    ``1)|(1``: the closing bracket closes the mention just opened, so the mentions are that token
    alone and the whole range.
    """
    mentions = corpus.mentions
    if corpus.format not in BRACKETED or not len(mentions):
        return corpus
    rows = np.flatnonzero(closing_order(mentions) >= 0)
    base = mentions.entity[rows] * (int(mentions.stop.max()) + 1)
    touching = np.isin(base + mentions.start[rows], base + mentions.stop[rows] - 1)
    touching &= mentions.stop[rows] - mentions.start[rows] > 1
    rows = rows[np.isin(mentions.entity[rows], mentions.entity[rows[touching]])]
    return _with_new_starts(corpus, rows, skipped=frozenset())


def without_adjacent_brackets(corpus: Corpus) -> Corpus:
    """The corpus if an opening bracket right before another is skipped, as in ``(1(2``.

    The closing brackets of such an entity close the remaining mentions; those without an opening
    bracket are skipped.
    """
    mentions = corpus.mentions
    if mentions.unbarred is None or mentions.closing is None or not mentions.unbarred.any():
        return corpus
    changed = np.isin(mentions.entity, mentions.entity[mentions.unbarred])
    rows = np.flatnonzero(changed & (mentions.closing >= 0))
    skipped = frozenset(rows[mentions.unbarred[rows]].tolist())
    return _with_new_starts(corpus, rows, skipped)


def _with_new_starts(corpus: Corpus, rows: IntArray, skipped: frozenset[int]) -> Corpus:
    """Pair the brackets of these mentions anew; those with a skipped opening bracket lose it."""
    mentions = corpus.mentions
    if not len(rows):
        return corpus
    closing = closing_order(mentions)
    events = [
        (int(mentions.start[row]), 0, row, row) for row in rows.tolist() if row not in skipped
    ]
    events += [(int(mentions.stop[row]) - 1, 1, int(closing[row]), row) for row in rows.tolist()]
    start, kept = mentions.start.copy(), np.ones(len(mentions), bool)
    kept[rows] = False
    for opened, closed in _paired(events, mentions.entity):
        start[closed], kept[closed] = mentions.start[opened], True
    changed = replace(corpus, mentions=replace(mentions, start=start, closing=closing))
    return changed if kept.all() else keep_mentions(changed, kept)


def last_opened(corpus: Corpus) -> Corpus:
    """The corpus if a bracket closes the mention of any entity that was opened last.

    This matters if mentions cross: of those from 0 to 2 and from 1 to 3, the second ends first.
    """
    mentions = corpus.mentions
    if not corpus.has_places or mentions.pieces is not None:
        return corpus
    rows = np.flatnonzero(mentions.stop - mentions.start > 1).tolist()
    # At one token, closing brackets come first, and the longest mention is opened first.
    events = [(int(mentions.start[row]), 1, -int(mentions.stop[row]), row) for row in rows]
    events += [(int(mentions.stop[row]) - 1, 0, 0, row) for row in rows]
    stop = mentions.stop.copy()
    for opened, closed in _paired(events, mentions.document, opening=1):
        stop[opened] = mentions.stop[closed]
    return replace(corpus, mentions=replace(mentions, stop=stop))


def _paired(
    events: list[tuple[int, int, int, int]], group: IntArray, opening: int = 0
) -> Iterable[tuple[int, int]]:
    """Pairs of the mentions whose opening and closing brackets belong together.

    An event is a token, the type of bracket (``opening`` or not), its order there and its mention;
    within a group, a bracket closes the mention opened last.
    """
    stacks: dict[int, list[int]] = defaultdict(list)
    for _, kind, _, row in sorted(events):
        stack = stacks[int(group[row])]
        if kind == opening:
            stack.append(row)
        elif stack:
            yield stack.pop(), row


def headed_by_first_word(corpus: Corpus) -> Corpus:
    """The corpus with the first word as the head of mentions whose head the file does not give."""
    mentions = corpus.mentions
    if mentions.head is None:
        return replace(corpus, mentions=replace(mentions, head=mentions.start))
    if mentions.head_found is None:
        return corpus
    head = np.where(mentions.head_found, mentions.start, mentions.head)
    return replace(corpus, mentions=replace(mentions, head=head))


def window_names(windows: TokenWindows, profile: ScorerProfile) -> tuple[str, ...]:
    """The names of the windows of a scorer."""
    if not profile.last_window_overlaps:
        return windows.names
    return tuple(
        name
        for document, end in enumerate(windows.lengths.tolist())
        for name in (
            *windows.names[windows.offsets[document] :][: end // windows.width],
            f"{windows.documents[document]} ({end - windows.width}, {end})".strip(),
        )
    )


def windows_of(
    windows: TokenWindows, corpus: Corpus, mentions: IntArray, profile: ScorerProfile
) -> tuple[IntArray, IntArray]:
    """Mentions and their windows; a mention can be in no window or in two.

    corefine divides a document of n words into [0, w), [w, 2w), … BookCoref's scorer takes the
    words strictly between (i − 1)·w and i·w for each full window, which drops mentions at its
    first word, and one more window strictly between n − w and n. A document shorter than one window
    is not divided.
    """
    document = corpus.mentions.document[mentions]
    start, length = first_words(corpus)[mentions], windows.lengths[document]
    width = windows.width
    number, first = start // width, windows.offsets[document]
    kept = np.full(len(mentions), True)
    if profile.drops_first_tokens:
        kept = (start % width > 0) | (length < width)
    if not profile.last_window_overlaps:
        return mentions[kept], (first + number)[kept]
    full = length // width
    # A document whose length is a multiple of the width has one more window than in corefine.
    extra = (windows.lengths // width + 1) - np.diff(windows.offsets)
    first = first + np.append(0, np.cumsum(extra))[document]
    kept &= number < full
    last = start > length - width
    return (
        np.concatenate([mentions[kept], mentions[last]]),
        np.concatenate([(first + number)[kept], (first + full)[last]]),
    )


MAX_PERL_DUPLICATES = 10
"""The Perl scorer rejects a response that repeats more mentions of the key."""


@dataclass(frozen=True, slots=True)
class EntityLists:
    """Both sides as a scorer reads them, with a number for each mention."""

    corpora: tuple[Corpus, Corpus]
    codes: tuple[IntArray, IntArray]
    """The number of each mention; equal mentions have the same number."""
    order: tuple[IntArray, IntArray]
    """The mentions that count, in the order in which the scorer finds entities and mentions."""
    lists: tuple[list[Entities], list[Entities]]
    """Per document or window, the entities as lists of mention numbers."""
    twins: Mapping[int, int]
    """Matched mentions with different numbers."""

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of mentions."""
        return _size(self.lists[0]), _size(self.lists[1])


def entity_lists(
    key: Corpus,
    response: Corpus,
    profile: ScorerProfile,
    windows: TokenWindows | None,
) -> EntityLists:
    """The entity lists of both sides.

    Matched mentions get the same number, unless the scorer looks them up by position: then equal
    numbers are equal positions, and ``twins`` has the matched mentions at other positions.
    """
    settings = profile.settings
    key, response = read_as(key, profile), read_as(response, profile)
    if profile.duplicates == "first":
        key, response = _first_mentions(key, settings), _first_mentions(response, settings)
    corpora = key, response
    codes = identify(*Places.of(key, response), settings.match == "head")
    order = (
        order_of_mentions(key, codes[0], profile),
        order_of_mentions(response, codes[1], profile),
    )
    twins: dict[int, int] = {}
    has_zeros = key.tokens is not None and key.tokens.empty is not None
    if settings.match != "exact" or has_zeros:
        pairs = _matched_codes(corpora, codes, order, settings)
        if profile.confuses_zeros:
            moved = [(ours, theirs) for ours, theirs in pairs if ours != theirs]
            # At a position that both sides have, the response's partner counts.
            twins = dict(moved) | {theirs: ours for ours, theirs in moved}
        else:
            codes = codes[0], _shared_codes(codes, pairs)
    ours, theirs = (
        listed(corpus, code, rows, windows, profile)
        for corpus, code, rows in zip(corpora, codes, order, strict=True)
    )
    if profile.duplicates == "perl":
        theirs = _without_perl_duplicates(ours, theirs)
    return EntityLists(corpora, codes, order, (ours, theirs), twins)


def order_of_mentions(corpus: Corpus, codes: IntArray, profile: ScorerProfile) -> IntArray:
    """The mentions that count, entity by entity in the order in which the scorer finds them.

    The order decides which entity a duplicate mention counts for. If singletons are dropped, a
    mention given twice in an entity is two mentions for ``every`` and ``last``, else one.
    """
    mentions, duplicates = corpus.mentions, profile.duplicates
    order = np.arange(len(mentions))
    position = order
    by_bracket = duplicates in ("perl", "every") or (
        duplicates == "last" and corpus.format in BRACKETED
    )
    if corpus.has_places and by_bracket:
        # At a token, mentions of it alone come first, then those that are closed there, the
        # innermost first.
        closing = closing_order(mentions)
        order = position = np.lexsort((-mentions.start, closing, mentions.stop, mentions.document))
        if duplicates == "perl":
            # The Perl scorer finds an entity when its first mention is opened, others when closed.
            position = np.lexsort((closing >= 0, mentions.start, mentions.document))
    elif corpus.has_places and duplicates == "once":
        position = _corefud_order(corpus)
    first = np.full(len(corpus.entities), len(mentions))
    np.minimum.at(first, mentions.entity[position], np.arange(len(mentions)))
    if duplicates == "once":
        # Entities with the same id are one entity, even across documents.
        names = _name_ranks(corpus)
        earliest = np.full(len(names), np.iinfo(np.int64).max)
        np.minimum.at(earliest, names, first)
        first = earliest[names]
    order = order[np.argsort(first[mentions.entity[order]], kind="stable")]
    if profile.settings.singletons != "drop":
        return order
    members = mentions.entity
    if duplicates not in ("every", "last"):
        members = np.unique(np.stack([members, codes], axis=1), axis=0)[:, 0]
    sizes = np.bincount(members, minlength=len(corpus.entities))
    return order[sizes[mentions.entity[order]] > 1]


def _corefud_order(corpus: Corpus) -> IntArray:
    """Mentions by start, longer ones first, then by end and entity id."""
    mentions = corpus.mentions
    owner, _ = Places.of(corpus, corpus)[0].words(np.arange(len(mentions)))
    sizes = np.bincount(owner, minlength=len(mentions))
    name = _name_ranks(corpus)[mentions.entity]
    return np.lexsort((name, mentions.stop, -sizes, mentions.start, mentions.document))


def _name_ranks(corpus: Corpus) -> IntArray:
    """The rank of each entity's id; the same for equal ids."""
    names = corpus.entities.names
    if names is None or not len(names):
        return np.arange(len(corpus.entities))
    return np.unique(np.array(names.tolist()), return_inverse=True)[1].reshape(-1)


def listed(
    corpus: Corpus,
    codes: IntArray,
    mentions: IntArray,
    windows: TokenWindows | None,
    profile: ScorerProfile,
) -> list[Entities]:
    """Per document or window, the entities as lists of the numbers of these mentions."""
    if windows is None:
        unit, count = corpus.mentions.document[mentions], len(corpus.documents)
    else:
        mentions, unit = windows_of(windows, corpus, mentions, profile)
        count = len(window_names(windows, profile))
    lists: list[dict[int, list[int]]] = [{} for _ in range(count)]
    entity = corpus.mentions.entity[mentions].tolist()
    for number, owner, code in zip(unit.tolist(), entity, codes[mentions].tolist(), strict=True):
        lists[number].setdefault(owner, []).append(code)
    return [list(entities.values()) for entities in lists]


def _size(lists: list[Entities]) -> int:
    return sum(len(entity) for entities in lists for entity in entities)


def _first_mentions(corpus: Corpus, settings: Settings) -> Corpus:
    """The corpus with duplicate mentions in their first entity only."""
    codes, _ = identify(*Places.of(corpus, corpus), settings.match == "head")
    wanted, _ = first_occurrences(corpus, codes, settings.duplicates)
    return keep_mentions(corpus, wanted)


def _matched_codes(
    corpora: tuple[Corpus, Corpus],
    codes: tuple[IntArray, IntArray],
    order: tuple[IntArray, IntArray],
    settings: Settings,
) -> list[tuple[int, int]]:
    """The numbers of matched mentions of key and response."""
    numbers, distinct = [], []
    for corpus, code, rows in zip(corpora, codes, order, strict=True):
        wanted = np.zeros(len(code), bool)
        wanted[rows[np.unique(code[rows], return_index=True)[1]]] = True
        numbers.append(code[wanted])
        distinct.append(keep_mentions(corpus, wanted))
    matched = match(distinct[0], distinct[1], replace(settings, singletons="keep"))
    both = (matched.response_mention >= 0) & (matched.key_mention >= 0)
    ours = numbers[0][matched.key_mention[both]].tolist()
    return list(zip(ours, numbers[1][matched.response_mention[both]].tolist(), strict=True))


def _shared_codes(codes: tuple[IntArray, IntArray], pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Numbers of response mentions: those of matched key mentions, or new ones."""
    free = 1 + max(int(np.abs(side).max(initial=0)) for side in codes)
    number = {code: free + place for place, code in enumerate(dict.fromkeys(codes[1].tolist()))}
    number |= {theirs: ours for ours, theirs in pairs}
    return np.array([number[code] for code in codes[1].tolist()], np.int64)


def _without_perl_duplicates(key: list[Entities], response: list[Entities]) -> list[Entities]:
    """The response with mentions of the key in their first entity only."""
    kept, repeated = [], 0
    for entities, known in zip(response, key, strict=True):
        remaining, removed = without_repeated(entities, {m for entity in known for m in entity})
        kept.append(remaining)
        repeated += len(removed)
    if repeated > MAX_PERL_DUPLICATES:
        raise UsageError(
            f"perl-8.01 rejects this response: it repeats {repeated:,} mentions of the key",
            remedy="Remove the duplicates ('corefine check' lists them), or score without --as.",
        )
    return kept


def without_repeated(entities: Entities, known: Container[int]) -> tuple[Entities, list[int]]:
    """The entities with known mentions in their first entity only, and the mentions removed."""
    seen: set[int] = set()
    kept, repeated = [], []
    for entity in entities:
        members = []
        for mention in entity:
            if mention in seen:
                repeated.append(mention)
            else:
                members.append(mention)
            if mention in known:
                seen.add(mention)
        if members:
            kept.append(members)
    return kept, repeated


def request_as(
    profile: ScorerProfile,
    metrics: MetricSpec = "default",
    settings: Mapping[str, Any] | None = None,
) -> Request:
    """The request for the metrics of a scorer under its profile, with changed settings."""
    profile = profile.with_settings(settings or {})
    return Request(_requested(metrics, profile), profile.settings, scorer=profile)


def _requested(metrics: MetricSpec, profile: ScorerProfile) -> dict[str, Metric]:
    usual = metrics in ("default", "all")
    requested = resolve(list(profile.metrics)) if usual else resolve(metrics)
    return _supported(in_layer(requested, profile.settings.layer, usual), profile)


def _supported(metrics: Mapping[str, Metric], profile: ScorerProfile) -> dict[str, Metric]:
    """The metrics by the rules of the scorer; those that it does not have are refused."""
    known = {str(one) for one in resolve([*profile.metrics, *profile.layers]).values()}
    requested = dict(metrics)
    either = profile.blanc == "either"
    for name, metric in requested.items():
        counted = metric.metric if profile.layers and isinstance(metric, Deixis) else metric
        if either and counted in (Blanc(), Blanc("corefud")):
            rule = Blanc("corefud")
            requested[name] = rule if counted is metric else Deixis(str(rule))
        elif str(counted) not in known:
            raise UsageError(
                f"{profile.name} has no metric {metric}",
                remedy=f"It has: {', '.join((*profile.metrics, *profile.layers))}.",
            )
    return requested


def request_under_preset(request: Request, scorer: str) -> Request:
    """The request under the profile of a scorer, if it has the settings and metrics requested."""
    profile = profile_under(scorer, request.settings)
    if profile is None or request.by or request.shows_kinds:
        return request
    try:
        return replace(request, metrics=_supported(request.metrics, profile), scorer=profile)
    except UsageError:
        return request


def count_as(key: Corpus, response: Corpus, request: Request) -> Counts:
    """The counts of a response against a key by the scorer of the request."""
    profile = request.scorer
    assert profile is not None
    fingerprint = Fingerprint.of(key).with_annotation(
        annotation_code(key, request.annotation_used(key))
    )
    pair = pair_documents(key, response, profile.settings)
    pair = align_texts(pair, profile.settings)
    key, response = pair.key, pair.response
    needed = request.needed
    lists, documents, counted = _count_lists(key, response, profile)
    values = {name: counted[part.name] for name, part in needed.items() if part.name in counted}
    values |= _count_layers(key, response, needed, profile)
    minimum = key.mentions.minimum
    common = sum(
        len(set(chain.from_iterable(ours)) & set(chain.from_iterable(theirs)))
        for ours, theirs in zip(*lists.lists, strict=True)
    )
    return Counts(
        request,
        documents,
        values,
        (),
        Tally(
            *lists.sizes,
            common + len(lists.twins),
            minimum=0 if minimum is None else int(np.count_nonzero(minimum[0] >= 0)),
        ),
        fingerprint,
        pair.warnings,
        copies=response.copies,
    )


def _count_lists(
    key: Corpus, response: Corpus, profile: ScorerProfile
) -> tuple[EntityLists, tuple[str, ...], dict[str, Statistics]]:
    """The entity lists, the documents or windows, and the statistics by name of the metric."""
    window = profile.settings.window
    windows = None if window is None else TokenWindows.of(key, response, window)
    documents = key.documents if windows is None else window_names(windows, profile)
    lists = entity_lists(key, response, profile, windows)
    rows = [count(*sides, profile, lists.twins) for sides in zip(*lists.lists, strict=True)]
    counted = {
        metric: {name: np.array([row[metric][name] for row in rows], np.float64) for name in names}
        for metric, names in (rows[0].items() if rows else ())
    }
    for metric in set(profile.metrics) - {"conll", "mor", "zero"} - counted.keys():
        counted[metric] = {name: np.zeros(0) for name in parse(metric).statistic_names}
    if "mor" in profile.metrics:
        counted["mor"] = _count_overlap(lists, profile)
    if "zero" in profile.metrics:
        counted["anaphors"] = _count_zeros(lists, profile)
    if profile.settings.split_antecedents != "ignore":
        _count_split_antecedents(key, response, profile, counted)
    return lists, documents, counted


def _count_split_antecedents(
    key: Corpus, response: Corpus, profile: ScorerProfile, counted: dict[str, Statistics]
) -> None:
    """Replace the statistics of documents with split antecedents by those of corefine's metrics."""
    only = profile.settings.split_antecedents == "only"
    concerned = {
        relation.document
        for corpus in (key, response)
        for relation in corpus.relations
        if relation.kind == "split"
    }
    rows = np.arange(len(key.documents)) if only else np.array(sorted(concerned), np.int64)
    if not len(rows):
        return
    metrics = {name: parse(name) for name in counted}
    if profile.blanc == "either" and "blanc" in metrics:
        metrics["blanc"] = Blanc("corefud")
    table = tabulate(key, response, Request(metrics, profile.settings))
    for name, metric in metrics.items():
        for statistic, values in metric.count(table).items():
            counted[name][statistic][rows] = values[rows]


def _count_layers(
    key: Corpus, response: Corpus, needed: Mapping[str, Metric], profile: ScorerProfile
) -> dict[str, Statistics]:
    """The statistics of other annotations: discourse deixis by the scorer, others by corefine.

    A bridging anaphor with several antecedents has the last one.
    """
    settings = profile.settings
    values: dict[str, Statistics] = {}
    deixis = {name: one for name, one in needed.items() if isinstance(one, Deixis)}
    if deixis:
        own = replace(settings, singletons="keep", split_antecedents="score")
        sides = key.annotation("deixis"), response.annotation("deixis")
        _, _, counted = _count_lists(*sides, replace(profile, settings=own, duplicates="set"))
        values = {name: counted[one.metric.name] for name, one in deixis.items()}
    others = {
        name: one
        for name, one in needed.items()
        if one.properties.layer in ("bridging", "nonreferring")
    }
    if others:
        request = Request(others, replace(settings, match="exact"))
        table = tabulate(_with_last_antecedents(key), _with_last_antecedents(response), request)
        values |= metric_statistics(table, others.values())
    return values


def _with_last_antecedents(corpus: Corpus) -> Corpus:
    bridges = [one for one in corpus.relations if one.kind == "bridge" and one.anaphor]
    last = {(one.document, one.anaphor): one for one in bridges}
    dropped = {id(one) for one in bridges if last[one.document, one.anaphor] is not one}
    kept = tuple(one for one in corpus.relations if id(one) not in dropped)
    return replace(corpus, relations=kept)


def _count_overlap(lists: EntityLists, profile: ScorerProfile) -> Statistics:
    """Mention overlap; a mention of several entities counts in each."""
    rows = [np.sort(kept) for kept in _distinct(lists, profile)]
    key, response = (
        keep_mentions(corpus, np.isin(np.arange(len(corpus.mentions)), kept))
        for corpus, kept in zip(lists.corpora, rows, strict=True)
    )
    documents = [side.mentions.document for side in (key, response)]
    if has_words(key) and has_words(response):
        found = shared_words(Places.of(key, response), documents)
    else:
        found = shared_names([code[kept] for code, kept in zip(lists.codes, rows, strict=True)])

    def sums(document: IntArray, words: IntArray) -> Any:
        return np.bincount(document, words, len(key.documents)).astype(np.float64)

    common = sums(documents[0][found.key], found.overlap)
    return {
        "precision_part": common,
        "precision_whole": sums(documents[1], found.response_words),
        "recall_part": common,
        "recall_whole": sums(documents[0], found.key_words),
    }


def _count_zeros(lists: EntityLists, profile: ScorerProfile) -> Statistics:
    """Anaphoric zeros; the mentions of an entity are in text order."""
    entities, zeros = [], []
    for corpus, code, kept, side in zip(
        lists.corpora,
        lists.codes,
        _distinct(lists, profile),
        Places.of(*lists.corpora),
        strict=True,
    ):
        entity = corpus.mentions.entity[kept]
        first = np.full(len(corpus.entities), len(kept))
        np.minimum.at(first, entity, np.arange(len(kept)))
        spans = [column[kept] for column in spans_of(side)] if has_words(corpus) else []
        in_text = kept[np.lexsort((np.arange(len(kept)), *spans, first[entity]))]
        entities.append(listed(corpus, code, in_text, None, profile))
        zeros.append(listed(corpus, side.zero.astype(np.int64), in_text, None, profile))
    counts = [
        anaphors(key, response, (ours, theirs), lists.twins)
        for key, response, ours, theirs in zip(*entities, *zeros, strict=True)
    ]
    names = ("tp", "wl", "fn", "fp")
    return {name: np.array([one[name] for one in counts], np.float64) for name in names}


def _distinct(lists: EntityLists, profile: ScorerProfile) -> list[IntArray]:
    """The mentions that count, without those that an entity repeats if the scorer drops these."""
    if profile.duplicates not in ("once", "set"):
        return list(lists.order)
    distinct = []
    for corpus, codes, rows in zip(lists.corpora, lists.codes, lists.order, strict=True):
        pairs = np.stack([corpus.mentions.entity[rows], codes[rows]], axis=1)
        distinct.append(rows[np.sort(np.unique(pairs, axis=0, return_index=True)[1])])
    return distinct
