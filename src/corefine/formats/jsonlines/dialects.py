"""The dialects of JSON lines: a table of what their lines look like, and what is written as one.

To add a dialect, describe its lines (:class:`Dialect`), say by which keys they are known and what a
line of it is, and register it. The smallest valid line of each stands above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.formats.building.written_text import in_one_sentence, lost_blanks
from corefine.formats.columns.conll import name_and_part
from corefine.formats.jsonlines.json_records import keys_of
from corefine.formats.jsonlines.plain_documents import Document, documents_of
from corefine.formats.jsonlines.reader import Dialect, name_of_line, read
from corefine.formats.registry import DocumentMark, Format, Holds, register

Keys = frozenset[str]
Line = dict[str, object]


def dialect_format(
    dialect: Dialect,
    title: str,
    sure: Callable[[Keys], float],
    line: Callable[[Document], Line],
    losses: Callable[[Corpus], list[str]] | None = None,
    side: str | None = None,
) -> Format:
    """The format of a dialect, registered.

    ``sure`` says how surely a line with these keys is one of it, ``line`` makes one of a document.
    """
    layers = {*dialect.layers, *(["head"] if dialect.dependency_heads else [])}
    return register(
        Format(
            name=dialect.name,
            title=title,
            suffixes=(".jsonl", ".jsonlines", ".ndjson", ".json"),
            sniff=lambda head, name: sure(keys_of(head)),
            sniff_keys=sure,
            read=partial(read, dialect),
            holds=Holds(layers=frozenset(layers), entity_names=False, heads=bool(dialect.heads)),
            write=partial(_written, line),
            losses=losses,
            document_mark=DocumentMark(ord("{"), partial(name_of_line, dialect=dialect)),
            documentation="docs/formats/jsonlines.md",
            side=side,
        )
    )


def _written(line: Callable[[Document], Line], corpus: Corpus) -> Iterator[bytes]:
    import msgspec

    return (msgspec.json.encode(line(document)) + b"\n" for document in documents_of(corpus))


# --- e2e-coref, SpanBERT and their followers ------------------------------------------------------
# {"doc_key": "x", "sentences": [["Anna", "saw", "her", "house"]], "clusters": [[[0, 0], [2, 2]]]}
# A file that has clusters and predicted_clusters is e2e as a key, and e2e-predicted as a response.


def _e2e_line(document: Document, key: str) -> Line:
    line: Line = {"doc_key": document.name, "sentences": document.sentences()}
    if (speakers := document.layers("speaker").get("speaker")) is not None:
        line["speakers"] = document.sentences(speakers)
    return line | {key: document.clusters(-1)}


def _e2e_sure(keys: Keys) -> float:
    if "clusters" in keys:
        return _by_words(keys)
    return 0.4 if {"doc_key", "sentences"} <= keys and "predicted_clusters" not in keys else 0.0


def _by_words(keys: Keys) -> float:
    if "sentences" in keys:
        return 0.9
    if "tokens" in keys:
        # Beside a text, or alone, the numbers may be characters, or end behind the last token.
        return 0.9 if "text" in keys and "clusters_strings" not in keys else 0.6
    return 0.0


def _e2e(name: str, clusters: str, elsewhere: dict[str, str]) -> Dialect:
    return Dialect(
        name,
        clusters=(clusters,),
        words=("sentences", "tokens"),
        inclusive=True,
        subtoken_maps=("orig_subtoken_map", "subtoken_map"),
        given_words="tokens",
        sentence_map="sentence_map",
        layers={"speaker": ("speakers", 2)},
        elsewhere=elsewhere,
    )


E2E = dialect_format(
    _e2e("e2e", "clusters", {"predicted_clusters": "e2e-predicted"}),
    "e2e-coref, SpanBERT: JSON lines, token spans with their last token",
    _e2e_sure,
    partial(_e2e_line, key="clusters"),
    side="key",
)
E2E_PREDICTED = dialect_format(
    _e2e("e2e-predicted", "predicted_clusters", {}),
    "as e2e, but what was predicted: predicted_clusters",
    lambda keys: _by_words(keys) if "predicted_clusters" in keys else 0.0,
    partial(_e2e_line, key="predicted_clusters"),
    side="response",
)


# --- wl-coref -------------------------------------------------------------------------------------
# {"document_id": "x", "cased_words": ["Anna", "saw", "her"], "span_clusters": [[[0, 1], [2, 3]]]}
# Before wl-coref's preparation span_clusters are called clusters.


def _wl_line(document: Document) -> Line:
    name, part = name_and_part(document.name)
    layers = document.layers("speaker", "pos", "deprel", "head")
    bounds = np.array(document.bounds, np.int64)
    first = np.repeat(bounds[:-1], np.diff(bounds)).tolist()
    heads = [
        start + int(head) - 1 if head.isdecimal() and int(head) > 0 else None
        for start, head in zip(first, layers.pop("head", ()), strict=False)
    ]
    spans = _head_spans(document)
    return {
        "document_id": name,
        "part_id": part,
        "cased_words": document.words,
        "sent_id": document.sentence_numbers(),
        **layers,
        **({"head": heads} if heads else {}),
        "span_clusters": document.clusters(),
        **({"head2span": spans} if spans else {}),
    }


def _head_spans(document: Document) -> list[tuple[int, int, int]]:
    """Head, start and stop of the mentions whose head is known."""
    mentions, rows = document.corpus.mentions, document.mentions
    if mentions.head is None:
        return []
    columns = (mentions.head[rows], mentions.start[rows], mentions.stop[rows])
    spans = zip(*(column.tolist() for column in columns), strict=True)
    return list(dict.fromkeys(span for span in spans if span[0] >= 0))


def _wl_sure(keys: Keys) -> float:
    if "cased_words" in keys:
        return 0.9
    # Tokens alone could be e2e's as well.
    alone = not keys & {"sentences", "text"}
    return 0.6 if alone and {"tokens", "clusters"} <= keys else 0.0


WL_COREF = dialect_format(
    Dialect(
        "wl-coref",
        clusters=("span_clusters", "clusters"),
        words=("cased_words", "tokens", "sentences"),
        names=("document_id", "doc_key"),
        part="part_id",
        sentence_map="sent_id",
        layers={"deprel": ("deprel", 1), "pos": ("pos", 1), "speaker": ("speaker", 1)},
        dependency_heads="head",
        heads="head2span",
    ),
    "wl-coref: JSON lines, word spans that end behind their last word",
    _wl_sure,
    _wl_line,
)


# --- PreCo ----------------------------------------------------------------------------------------
# {"id": "x", "sentences": [["Anna", "ran"], ["She"]], "mention_clusters": [[[0, 0, 1], [1, 0, 1]]]}


def _preco_line(document: Document) -> Line:
    """Mentions that reach over the end of a sentence are left out."""
    bounds = np.array(document.bounds, np.int64)
    clusters = [list(_in_sentences(bounds, spans)) for spans in document.clusters()]
    return {
        "id": document.name,
        "sentences": document.sentences(),
        "mention_clusters": [cluster for cluster in clusters if cluster],
    }


def _in_sentences(
    bounds: IntArray, spans: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int, int]]:
    for start, stop in spans:
        sentence = int(np.searchsorted(bounds, start, side="right")) - 1
        first = int(bounds[sentence])
        if stop <= bounds[sentence + 1]:
            yield sentence, start - first, stop - first


def _preco_losses(corpus: Corpus) -> list[str]:
    crossing = 0
    if corpus.tokens is not None:
        crossing = int(np.count_nonzero(~in_one_sentence(corpus)))
    return [f"mentions over the end of a sentence ({crossing:,})"] if crossing else []


PRECO = dialect_format(
    Dialect(
        "preco",
        clusters=("mention_clusters",),
        words=("sentences",),
        in_sentences=True,
        names=("id",),
    ),
    "PreCo: JSON lines, spans in sentences that end behind their last token",
    lambda keys: 0.9 if "mention_clusters" in keys else 0.0,
    _preco_line,
    _preco_losses,
)


# --- fastcoref ------------------------------------------------------------------------------------
# {"text": "Anna saw her house.", "clusters": [[[0, 4], [9, 12]]]}
# A text that came in words goes out as a list of them, and then words are counted.


def _fastcoref_line(document: Document) -> Line:
    text, begins, ends = document.text()
    spans = [
        [(begins[start], ends[stop - 1]) for start, stop in cluster]
        for cluster in document.clusters()
    ]
    spans = [
        [(begin, end) for begin, end in cluster if text[begin:end].strip()] for cluster in spans
    ]
    spans = [cluster for cluster in spans if cluster]
    return {
        **document.key(),
        "text": text,
        "clusters": spans,
        "clusters_strings": [[text[begin:end] for begin, end in cluster] for cluster in spans],
    }


_OF_MAVERICK = frozenset(
    [
        "clusters_token_offsets",
        "clusters_char_offsets",
        "clusters_token_text",
        "clusters_char_text",
        "clusters_text_mentions",
    ]
)


def _fastcoref_sure(keys: Keys) -> float:
    """Maverick counts tokens, whether or not a text and other clusters were put beside them."""
    return 0.9 if {"text", "clusters"} <= keys and not keys & _OF_MAVERICK else 0.0


FASTCOREF = dialect_format(
    Dialect(
        "fastcoref",
        clusters=("clusters",),
        words=("text",),
        names=("doc_key", "id"),
        named=False,
        strings=("clusters_strings",),
        nulls=True,
    ),
    "fastcoref: JSON lines, character spans that end behind their last character",
    _fastcoref_sure,
    _fastcoref_line,
    lost_blanks,
)


# --- Maverick -------------------------------------------------------------------------------------
# {"tokens": ["Anna", "saw", "her"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}
# clusters_char_offsets are not read: they are of a text that the line does not hold.


def _maverick_line(document: Document) -> Line:
    words = document.words
    return {
        **document.key(),
        "tokens": words,
        "clusters_token_offsets": document.clusters(-1),
        "clusters_char_offsets": None,
        "clusters_token_text": [
            [" ".join(words[start:stop]) for start, stop in cluster]
            for cluster in document.clusters()
        ],
        "clusters_char_text": None,
    }


MAVERICK = dialect_format(
    Dialect(
        "maverick",
        clusters=("clusters_token_offsets",),
        words=("tokens",),
        inclusive=True,
        names=("doc_key", "id"),
        named=False,
        strings=("clusters_token_text", "clusters_text_mentions"),
    ),
    "Maverick: JSON lines, token spans with their last token",
    lambda keys: 0.9 if "clusters_token_offsets" in keys else 0.0,
    _maverick_line,
)
