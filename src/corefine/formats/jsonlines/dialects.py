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
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.json_records import is_spread, keys_of
from corefine.formats.jsonlines.plain_documents import Document, documents_of
from corefine.formats.jsonlines.reader import name_of_line, read
from corefine.formats.registry import DocumentMark, Format, Holds, register

Keys = frozenset[str]
Line = dict[str, object]


def dialect_format(
    dialect: Dialect,
    title: str,
    sure: Callable[[Keys], float],
    line: Callable[[Document], Line] | None,
    losses: Callable[[Corpus], list[str]] | None = None,
    side: str | None = None,
    array: bool = False,
    documentation: str = "docs/formats/jsonlines.md",
) -> Format:
    """The format of a dialect, registered.

    ``sure`` says how surely a line with these keys is one of it, ``line`` makes one of a document;
    without it the dialect is only read. ``array``: what is written is one JSON array.
    """
    layers = {*dialect.layers, *(["head"] if dialect.dependency_heads else [])}
    zeros = bool(dialect.zeros or dialect.empty)
    return register(
        Format(
            name=dialect.name,
            title=title,
            suffixes=(".jsonl", ".jsonlines", ".ndjson", ".json"),
            sniff=lambda head, name: sure(keys_of(head)),
            sniff_keys=sure,
            read=partial(read, dialect),
            holds=Holds(
                text=bool(dialect.words),
                layers=frozenset(layers),
                entity_names=bool(dialect.entity_names),
                kinds=bool(dialect.kinds),
                heads=bool(dialect.heads),
                types=bool(dialect.types),
                zeros=zeros,
            ),
            write=None if line is None else partial(_written, line, array, zeros),
            losses=losses,
            document_mark=None
            if dialect.plain
            else DocumentMark(
                ord("{"), partial(name_of_line, dialect=dialect), undivided=is_spread
            ),
            documentation=documentation,
            side=side,
        )
    )


def _written(
    line: Callable[[Document], Line], array: bool, zeros: bool, corpus: Corpus
) -> Iterator[bytes]:
    import msgspec

    opening = b"[\n" if array else b""
    for document in documents_of(corpus, zeros=zeros):
        yield opening + msgspec.json.encode(line(document)) + (b"" if array else b"\n")
        opening = b",\n" if array else b""
    if array:
        yield b"\n]\n" if len(corpus) else b"[]\n"


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
    return {
        "id": document.name,
        "sentences": document.sentences(),
        "mention_clusters": in_sentences(document),
    }


def in_sentences(document: Document, behind: int = 0) -> list[list[tuple[int, int, int]]]:
    """The clusters as sentences and places in them, with so much added to the stop of each.

    Mentions that reach over the end of a sentence are left out.
    """
    bounds = np.array(document.bounds, np.int64)
    clusters = [list(_in_sentences(bounds, spans, behind)) for spans in document.clusters()]
    return [cluster for cluster in clusters if cluster]


def _in_sentences(
    bounds: IntArray, spans: Iterable[tuple[int, int]], behind: int
) -> Iterator[tuple[int, int, int]]:
    for start, stop in spans:
        sentence = int(np.searchsorted(bounds, start, side="right")) - 1
        first = int(bounds[sentence])
        if stop <= bounds[sentence + 1]:
            yield sentence, start - first, stop - first + behind


def sentence_losses(corpus: Corpus) -> list[str]:
    """The loss of mentions that reach over the end of a sentence, in words."""
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
    sentence_losses,
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

_NOT_MAVERICK = frozenset(("doc_id", "tokens[["))
"""The shared task's JSON names its documents so, and xCoRe's has several documents in a line."""


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
    lambda keys: (
        0.9 if {"clusters_token_offsets", "tokens"} <= keys and not keys & _NOT_MAVERICK else 0.0
    ),
    _maverick_line,
)


# --- CRAC ---------------------------------------------------------------------------------------
# [{"doc_id": "x", "tokens": ["Anna", "saw", "##"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}]
# The shared task's JSON: one array; tokens that begin with ## are empty nodes.


def _crac_line(document: Document) -> Line:
    words = [
        f"##{'' if word == '_' else word}" if empty else word
        for word, empty in zip(document.words, document.empty, strict=True)
    ]
    return {
        "doc_id": document.name,
        "tokens": words,
        "clusters_token_offsets": document.clusters(-1),
        "clusters_text_mentions": [
            [" ".join(words[start:stop]) for start, stop in cluster]
            for cluster in document.clusters()
        ],
    }


def _crac_losses(corpus: Corpus) -> list[str]:
    tokens = corpus.tokens
    if tokens is None:
        return []
    words = (
        tokens.words if tokens.empty is None else tokens.words.take(np.flatnonzero(~tokens.empty))
    )
    signs = sum(word.startswith("##") for word in words)
    return [f"words that begin with ## ({signs:,}), as only empty nodes may"] if signs else []


def _crac_sure(keys: Keys) -> float:
    own = {"clusters_token_offsets", "doc_id"} <= keys and "tokens[[" not in keys
    return 0.95 if own else 0.0


CRAC = dialect_format(
    Dialect(
        "crac-json",
        clusters=("clusters_token_offsets",),
        words=("tokens",),
        inclusive=True,
        names=("doc_id",),
        strings=("clusters_text_mentions",),
        unsaid=b" _#",
        zeros="##",
    ),
    "CRAC shared task: JSON array, token spans with their last token, zeros as ##",
    lambda keys: (
        0.95
        if {"clusters_token_offsets", "doc_id", "tokens"} <= keys and "tokens[[" not in keys
        else 0.0
    ),
    _crac_line,
    _crac_losses,
    array=True,
)


# --- AllenNLP -------------------------------------------------------------------------------------
# {"document": ["Anna", "saw", "her"], "clusters": [[[0, 0], [2, 2]]]}

ALLENNLP = dialect_format(
    Dialect(
        "allennlp",
        clusters=("clusters",),
        words=("document",),
        inclusive=True,
        names=("doc_key", "doc_id", "id"),
        named=False,
    ),
    "AllenNLP: JSON lines, token spans with their last token",
    lambda keys: 0.9 if {"document", "clusters"} <= keys and "sentences" not in keys else 0.0,
    lambda document: {
        **document.key(),
        "document": document.words,
        "clusters": document.clusters(-1),
    },
)


# --- clusters without a text ----------------------------------------------------------------------
# {"doc_key": "x", "clusters": [[[0, 0], [2, 2]]]}
# Scored against a key that has the text: words are counted as the key has them, empty nodes not.

_WORDS = frozenset(("sentences", "tokens", "text", "document", "cased_words", "words", "data"))


def _clusters_line(document: Document, behind: int) -> Line:
    return {**document.key(), "clusters": document.clusters(behind)}


def _clusters_sure(keys: Keys) -> float:
    known = {"clusters", "predicted_clusters"} & keys
    return 0.7 if known and not keys & _WORDS else 0.0


for _name, _inclusive, _title, _sure in (
    ("clusters", True, "with their last token", _clusters_sure),
    ("clusters-exclusive", False, "that end behind their last token", lambda keys: 0.0),
):
    dialect_format(
        Dialect(
            _name,
            clusters=("clusters", "predicted_clusters"),
            words=(),
            inclusive=_inclusive,
            names=("doc_key", "doc_id", "document_id", "id"),
            named=False,
        ),
        f"Clusters alone: JSON lines without a text, token spans {_title}",
        _sure,
        partial(_clusters_line, behind=-int(_inclusive)),
    )
